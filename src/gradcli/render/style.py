"""The roles that a text may have in a view for people, as styles of Rich, and the colours that they have.

Each colour of the palette, of the 256 of a terminal, has a contrast of at least 4.5 : 1 on white and on black, so that
no view needs to know which of the two it is shown on.
"""

BLUE, MAGENTA, GREEN, BRICK, PURPLE, GREY = 63, 163, 29, 131, 98, 243
PALETTE = tuple(f"color({number})" for number in (BLUE, MAGENTA, GREEN, BRICK, PURPLE, GREY))
_BLUE, _MAGENTA, _GREEN, _BRICK, _PURPLE, _GREY = PALETTE

DATA, GRAD = _BLUE, _MAGENTA  # a value and a gradient, everywhere
ACCENT = f"bold {_MAGENTA}"  # a gradient that changes again, and what else is to be seen first
INPUT, CONSTANT, OPERATION, QUIET, HEADING = f"bold {_GREEN}", _GREY, "", _GREY, "bold"
THIRD = _PURPLE  # a line beside data and grad
KINDS = (*[f"bold {colour}" for colour in (_BRICK, _BLUE, _GREEN, _MAGENTA, _PURPLE)], "bold")
HEIGHTS = (_BLUE, _PURPLE, _GREEN, _MAGENTA, _BRICK)  # from the lowest to the highest
