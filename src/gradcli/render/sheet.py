"""A sheet to draw on with matplotlib (the extra `plot`), without a window, and the file that it becomes."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache
from io import BytesIO
from typing import TYPE_CHECKING, Any

from gradcli.errors import GradcliError
from gradcli.extras import load

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_PIXELS, LONGEST = 100_000_000, 65_000  # of a picture made of pixels, and of one of its sides
MADE = {"pdf": {"CreationDate": None}, "svg": {"Date": None}}  # the same picture is the same file


def sheet(width: float, height: float, **how: Any) -> Figure:
    """A figure of a size in inches. Raises GradcliError, with what to install, where matplotlib is missing."""
    problem = "this picture needs matplotlib, which is not installed"
    load("matplotlib", "plot", problem, "without it: the picture in the terminal, and the SVG and the page of graph")
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), **how)
    FigureCanvasAgg(figure)
    return figure


def saved(figure: Figure, form: str, dpi: float) -> bytes:
    """The file of a figure in a form: "png", "jpg", "pdf" or "svg". In a PDF the text stays text."""
    from matplotlib import rc_context

    file = BytesIO()
    with rc_context({"pdf.fonttype": 42}):
        figure.savefig(file, format=form, dpi=dpi, metadata=MADE.get(form))
    return file.getvalue()


def scale(width: float, height: float, wanted: float) -> float:
    """The scale at which a picture is made of pixels: `wanted`, or less where that would be too many.

    Raises GradcliError where even at 1 they are too many.
    """
    most = min(wanted, math.sqrt(MOST_PIXELS / width / height), LONGEST / max(width, height))
    if most < 1:
        raise GradcliError(
            f"this picture is too large for pixels: {width:.0f} × {height:.0f}", hint="SVG and PDF have no pixels"
        )
    return most


# ----------------------------------------------------------------------------------------------- letters


def families(text: str, *first: str) -> list[str]:
    """The fonts that set a text between them: those that are wanted, and others for the letters that these lack.

    Raises GradcliError for a letter that no font of this machine has.
    """
    from matplotlib.font_manager import FontProperties, findfont

    found = [*first]
    missing = {char for char in text if not char.isspace()}
    for name in first:
        missing -= _letters(findfont(FontProperties(family=name)))
    for name, path in _installed() if missing else ():
        if missing & _letters(path):
            found, missing = [*found, name], missing - _letters(path)
    if missing:
        letters = " ".join(sorted(missing))
        raise GradcliError(
            f"no font on this machine has {letters}", hint="an SVG of graph leaves the font to its reader"
        )
    return found


def _installed() -> Iterator[tuple[str, str]]:
    """Name and path of each font of regular weight, in order of the names."""
    from matplotlib.font_manager import fontManager

    regular = {entry.name: entry.fname for entry in fontManager.ttflist if entry.style == "normal"}
    yield from sorted((name, path) for name, path in regular.items() if "LastResort" not in path)


@cache
def _letters(path: str) -> frozenset[str]:
    from matplotlib.font_manager import get_font

    return frozenset(map(chr, get_font(path).get_charmap()))
