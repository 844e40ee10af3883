"""The roles that a text may have in a view for people, as styles of Rich: the terminal's own palette."""

INPUT, CONSTANT, OPERATION, GRAD, QUIET, ACCENT, HEADING = "bold cyan", "dim", "", "green", "dim", "bold yellow", "bold"
