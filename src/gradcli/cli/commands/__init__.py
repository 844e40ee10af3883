"""One file for each command: its arguments, and which result it asks for and shows."""
