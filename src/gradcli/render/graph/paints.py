"""The colours and lines of a drawing of a graph: for each thing that is drawn, its attributes in SVG.

A colour is two, "light dark". Programs that know no themes, and formats without any, take the light one.
"""

from __future__ import annotations

from collections.abc import Iterator

FAMILY = 'ui-monospace,"SF Mono",Menlo,Consolas,"DejaVu Sans Mono","Liberation Mono",monospace'
PAINTS = {
    "paper": {"fill": "#fff #12151a"},
    "edge": {"fill": "none", "stroke": "#7f8894 #77818e", "stroke-width": "1.5"},
    "tip": {"fill": "#7f8894 #77818e"},
    "box": {"fill": "#fff #1b2027", "stroke": "#aab2bd #47505c", "stroke-width": "1.5"},
    "input box": {"fill": "#e8f1ff #14263f", "stroke": "#7fa9ea #3c6cae"},
    "constant box": {"fill": "#f4f4f1 #20221f", "stroke-dasharray": "4 3"},
    "output box": {"stroke": "#1c2024 #eceef2", "stroke-width": "2.5"},
    "pill": {"fill": "#eef0f3 #2a313a", "stroke": "#aab2bd #47505c", "stroke-width": "1.5"},
    "rule": {"stroke": "#aab2bd #47505c"},
    "label": {"fill": "#1c2024 #eceef2", "font-size": "14", "font-weight": "600", "text-anchor": "middle"},
    "sign": {"fill": "#1c2024 #eceef2", "font-size": "14", "font-weight": "600", "text-anchor": "middle"},
    "name": {"fill": "#5f6670 #a3abb6", "font-size": "13"},
    "number": {"fill": "#1c2024 #eceef2", "font-size": "13", "text-anchor": "end"},
    "data": {"fill": "#0b57a4 #86bdff", "font-size": "13", "text-anchor": "end"},
    "grad": {"fill": "#a83f08 #ffb07a", "font-size": "13", "text-anchor": "end"},
}


def paint(thing: str, *kinds: str) -> dict[str, str]:
    """The attributes of a thing, in light colours; those of its kinds ("input", "output") win."""
    found: dict[str, str] = {}
    for name in (thing, *[f"{kind} {thing}" for kind in kinds]):
        found |= PAINTS.get(name, {})
    return {name: value.split()[0] if value.startswith("#") else value for name, value in found.items()}


def ink(name: str) -> str:
    """The thing that the number in a row of a name is: "data", "grad", or "number" for any other."""
    return name if name in PAINTS else "number"


def dark() -> str:
    """The rules of CSS that set the dark colours, for a program that says that it is dark."""
    return "@media (prefers-color-scheme:dark){" + "".join(_dark_rules()) + "}"


def _dark_rules() -> Iterator[str]:
    for name, attributes in PAINTS.items():
        colours = [f"{key}:{value.split()[1]}" for key, value in attributes.items() if value.startswith("#")]
        if colours:
            *kinds, thing = name.split()
            yield f".gradcli {''.join(f'.{kind} ' for kind in kinds)}.{thing}{{{';'.join(colours)}}}"
