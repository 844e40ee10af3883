"""The nonlinear regression problems of NIST's Statistical Reference Datasets (public domain), in tests/data/nist."""

from __future__ import annotations

import json
import math
from functools import cache
from pathlib import Path
from typing import Any

from gradcli.files.columns import Columns, read_sheet

FOLDER = Path(__file__).parent / "data" / "nist"


@cache
def problems() -> list[dict[str, Any]]:
    """Name, model, two starts, certified values and standard errors of each."""
    found: list[dict[str, Any]] = json.loads((FOLDER / "problems.json").read_text(encoding="utf-8"))
    return found


def columns_of(problem: dict[str, Any]) -> dict[str, Any]:
    """The data of a problem."""
    return dict(Columns(read_sheet(str(FOLDER / f"{problem['name']}.csv"))))


def digits(found: float, certified: float) -> float:
    """How many significant digits agree, at most the eleven that are certified."""
    off = abs(found - certified) / abs(certified)
    return 0.0 if math.isnan(off) else min(11.0, -math.log10(off)) if off else 11.0


def agreement(problem: dict[str, Any], values: dict[str, float], stderrs: dict[str, float]) -> tuple[float, float]:
    """The digits of the worst parameter, and of the worst standard error; not below 0."""
    certified = problem["certified"]
    worst = [
        min(digits(found[name], certified[name][key]) for name in certified)
        for found, key in ((values, "value"), (stderrs, "stderr"))
    ]
    return max(0.0, worst[0]), max(0.0, worst[1])


def right(problem: dict[str, Any], values: float, stderrs: float) -> bool:
    """7 digits in the parameters and 5 in the standard errors; Lanczos1 is an exact fit, whose errors are rounding."""
    return values >= 7 and (stderrs >= 5 or problem["name"] == "Lanczos1")
