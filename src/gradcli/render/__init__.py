"""From a trace to what is shown: one file for each format."""
