"""`gradcli map` over files, beside Miller and Polars with the partial derivatives written by hand.

Prints the time from file to file of value and both partials of sin(x)*exp(-x*y) + log(1+x^2)/tanh(y): CSV to CSV
(targets: at least 10 times as fast as Miller, 0.7 times as fast as Polars) and Parquet to Parquet (0.7 times as fast
as Polars); and the peak memory on ten times as many rows over that on a tenth (at most 1.25). Each run is a process of
its own, its start included. Miller is `mlr`, where it is installed.

    python tests/bench/bench_map.py [ROWS]
"""

from __future__ import annotations

import math
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from measure import at_least, at_most, holds, installed, medians, seconds, table

FORMULA = "sin(x)*exp(-x*y)+log(1+x^2)/tanh(y)"
GRADCLI = [str(Path(sys.executable).with_name("gradcli")), "map", FORMULA]
MILLER = """
$value = sin($x)*exp(-$x*$y)+log(1+$x**2)/tanh($y);
$d_x = cos($x)*exp(-$x*$y)-$y*sin($x)*exp(-$x*$y)+2*$x/(1+$x**2)/tanh($y);
$d_y = -$x*sin($x)*exp(-$x*$y)-log(1+$x**2)*(1-tanh($y)**2)/tanh($y)**2;
"""
POLARS = """
import sys, polars as pl
x, y = pl.col("x"), pl.col("y")
s, e, t, l = x.sin(), (-x * y).exp(), y.tanh(), (1 + x * x).log()
new = {"value": s * e + l / t, "d_x": x.cos() * e - y * s * e + 2 * x / (1 + x * x) / t, "d_y": -x * s * e - l * (1 - t * t) / (t * t)}
source, target = sys.argv[1:]
if source.endswith("csv"):
    pl.scan_csv(source).with_columns(**new).sink_csv(target)
else:
    pl.scan_parquet(source).with_columns(**new).sink_parquet(target)
"""


def make(folder: Path, rows: int) -> None:
    """The same rows as CSV and as Parquet."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.csv
    import pyarrow.parquet

    rng = np.random.default_rng(1)
    numbers = pa.table({name: rng.uniform(0.1, 3, rows) for name in ("x", "y")})
    pyarrow.csv.write_csv(numbers, folder / f"{rows}.csv", pyarrow.csv.WriteOptions(quoting_style="none"))
    pyarrow.parquet.write_table(numbers, folder / f"{rows}.parquet")


def run(command: Sequence[str]) -> float:
    return seconds(lambda: subprocess.run(command, check=True, stdout=subprocess.DEVNULL))


def peak(command: Sequence[str]) -> float:
    """The peak memory of a command in MiB."""
    code = "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL); print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    return int(subprocess.run([sys.executable, "-c", code, *command], check=True, capture_output=True).stdout) / 1024


def first_row(path: Path) -> list[float]:
    with open(path, encoding="utf-8") as file:
        next(file)
        return [float(cell) for cell in next(file).split(",")]


def beside_peers(folder: Path, rows: int, form: str) -> None:
    source = str(folder / f"{rows}.{form}")
    targets = {name: folder / f"{name}.{form}" for name in ("gradcli", "polars", "miller")}
    commands = {"gradcli": [*GRADCLI, source, "-o", str(targets["gradcli"])]}
    if installed("polars"):
        commands["polars"] = [sys.executable, "-c", POLARS, source, str(targets["polars"])]
    if form == "csv" and shutil.which("mlr"):
        commands["miller"] = ["bash", "-c", f'mlr --csv put "$0" "$1" > {targets["miller"]}', MILLER, source]
    elif form == "csv":
        print(f"  {'miller':<44} not installed")
    found = medians({name: lambda command=command: run(command) for name, command in commands.items()}, 3, warm=0)
    table(f"{form} to {form}, {rows:,} rows: value and two partials", found, "s")
    if "miller" in found:
        at_least("miller / gradcli", found["miller"] / found["gradcli"], 10)
    if "polars" in found:
        at_least("polars / gradcli", found["polars"] / found["gradcli"], 0.7)
    if form == "csv":
        ours, *others = [first_row(targets[name]) for name in commands]
        same = all(math.isclose(a, b, rel_tol=1e-12) for other in others for a, b in zip(ours, other, strict=True))
        holds("all find the same first row", same)


def memory(folder: Path, rows: int) -> None:
    sizes = {f"{count:,} rows": count for count in (rows // 2, rows * 5)}
    found = {}
    for name, count in sizes.items():
        make(folder, count)
        found[name] = peak([*GRADCLI, str(folder / f"{count}.csv")])
    table("peak memory of gradcli, CSV to CSV", found, "MiB")
    small, large = found.values()
    at_most("ten times as many rows", large / small, 1.25)


def main() -> None:
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 2_000_000
    print(f"{os.cpu_count()} cores")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make(folder, rows)
        for form in ("csv", "parquet"):
            beside_peers(folder, rows, form)
        memory(folder, rows)


if __name__ == "__main__":
    main()
