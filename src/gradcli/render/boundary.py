"""The regions in which a network of two inputs decides for each class: in the terminal, and as SVG.

A picture is a grid of class numbers over the plane, and the samples on it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from html import escape as xml

from rich.text import Text

from gradcli.nn.predict import Regions
from gradcli.text import escape

from .canvas import Canvas, Limits, framed, room, ticks, title, told_apart
from .style import KINDS, QUIET

FILLS = ("#f4c7ab", "#b9d4ee", "#cfe8c1", "#e6cdea", "#f3e6a8", "#d6d6d6")
INKS = ("#b3470b", "#17569b", "#2f7d1f", "#7d2f8d", "#8a7200", "#444444")
SIGNS, GROUNDS = "○●△■◇▼", " ·:'`,"


def boundary(regions: Regions, width: int | None) -> Iterator[Text]:
    """The picture in the terminal: a ground for each class, a sign for each sample, ✗ where the network is wrong."""
    limits = Limits(*regions.limits)
    canvas = Canvas(*room(width), limits)
    for row in range(canvas.height):
        for column in range(canvas.width):
            kind = _at(regions, (column + 0.5) / canvas.width, 1 - (row + 0.5) / canvas.height)
            canvas.put(column, row, GROUNDS[kind % len(GROUNDS)], KINDS[kind % len(KINDS)].replace("bold", "dim"))
    for x, y, true, decided in regions.points:
        kind = decided if true < 0 else true
        canvas.text(x, y, SIGNS[kind % len(SIGNS)] if true in (-1, decided) else "✗", KINDS[kind % len(KINDS)])
    signs = [
        (f"{SIGNS[i % len(SIGNS)]} {escape(name)}", KINDS[i % len(KINDS)]) for i, name in enumerate(regions.classes)
    ]
    across, up = map(escape, regions.names)
    wrong = [("✗ wrong", "")] if any(true not in (-1, decided) for _, _, true, decided in regions.points) else []
    yield title([*signs, *wrong, (f"{across} → {up} ↑", QUIET)])
    yield from framed(canvas)


def _at(regions: Regions, across: float, up: float) -> int:
    rows, columns = len(regions.grid), len(regions.grid[0])
    return regions.grid[min(rows - 1, int(up * rows))][min(columns - 1, int(across * columns))]


def boundary_svg(regions: Regions, width: int = 640, height: int = 480) -> str:
    """The picture as SVG: areas, samples (a cross through those that the network gets wrong), axes, a legend."""
    left, right, bottom, top = regions.limits
    frame = (60, 40, width - 80, height - 90)  # x, y, width, height of the plane

    def position(x: float, y: float) -> tuple[float, float]:
        return (frame[0] + frame[2] * (x - left) / (right - left), frame[1] + frame[3] * (top - y) / (top - bottom))

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        'font-family="sans-serif" font-size="12">',
        f"<title>{xml(' and '.join(map(escape, regions.names)))}: the decision of the network</title>",
        f'<rect width="{width}" height="{height}" fill="white"/>',
        *_areas(regions, frame),
        *[_sample(*position(x, y), true, decided) for x, y, true, decided in regions.points],
        f'<rect x="{frame[0]}" y="{frame[1]}" width="{frame[2]}" height="{frame[3]}" fill="none" stroke="#333"/>',
        *_axes(regions, frame, position),
        *_legend(regions, frame),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _areas(regions: Regions, frame: tuple[int, int, int, int]) -> Iterator[str]:
    """Each row of the grid as runs of one colour."""
    wide, high = frame[2] / len(regions.grid[0]), frame[3] / len(regions.grid)
    for number, row in enumerate(regions.grid):
        y, start = frame[1] + frame[3] - (number + 1) * high, 0
        for column in range(1, len(row) + 1):
            if column == len(row) or row[column] != row[start]:
                fill = FILLS[row[start] % len(FILLS)]
                yield (
                    f'<rect x="{frame[0] + start * wide:.2f}" y="{y:.2f}" width="{(column - start) * wide:.2f}" '
                    f'height="{high:.2f}" fill="{fill}" stroke="{fill}" stroke-width="0.6"/>'
                )
                start = column


def _sample(x: float, y: float, true: int, decided: int) -> str:
    ink = INKS[(decided if true < 0 else true) % len(INKS)]
    spot = f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{ink}" stroke="white" stroke-width="0.8"/>'
    if true in (-1, decided):
        return spot
    return spot + f'<path d="M{x - 6:.1f} {y - 6:.1f}l12 12m0 -12l-12 12" stroke="black" stroke-width="1.4"/>'


def _axes(
    regions: Regions, frame: tuple[int, int, int, int], position: Callable[[float, float], tuple[float, float]]
) -> Iterator[str]:
    left, right, bottom, top = regions.limits
    base = frame[1] + frame[3]
    for tick, text in _labelled(left, right):
        x = position(tick, bottom)[0]
        yield f'<path d="M{x:.1f} {base}v5" stroke="#333"/><text x="{x:.1f}" y="{base + 18}" text-anchor="middle">{text}</text>'
    for tick, text in _labelled(bottom, top):
        y = position(left, tick)[1]
        yield f'<path d="M{frame[0]} {y:.1f}h-5" stroke="#333"/><text x="{frame[0] - 8}" y="{y + 4:.1f}" text-anchor="end">{text}</text>'
    across, up = (xml(escape(name)) for name in regions.names)
    yield f'<text x="{frame[0] + frame[2] / 2}" y="{base + 38}" text-anchor="middle" font-style="italic">{across}</text>'
    yield f'<text x="14" y="{frame[1] + frame[3] / 2}" text-anchor="middle" font-style="italic" transform="rotate(-90 14 {frame[1] + frame[3] / 2})">{up}</text>'


def _labelled(low: float, high: float) -> Iterator[tuple[float, str]]:
    marks = ticks(low, high, 8)
    return zip(marks, told_apart(marks, 6), strict=True)


def _legend(regions: Regions, frame: tuple[int, int, int, int]) -> Iterator[str]:
    x: float = frame[0] + 6
    for number, name in enumerate(regions.classes):
        yield f'<circle cx="{x}" cy="{frame[1] - 14}" r="4.5" fill="{INKS[number % len(INKS)]}"/>'
        yield f'<text x="{x + 9}" y="{frame[1] - 10}">{xml(escape(name))}</text>'
        x += 30 + 7.5 * len(name)
