"""Between text and tape: the grammar's parser, messages, the printer, LaTeX, NAME=VALUE and ranges."""
