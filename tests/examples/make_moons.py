"""Two interleaving half circles, as CSV on standard output: `python make_moons.py [ROWS [SEED]] > moons.csv`.

With t running evenly from 0 to pi, the points of one moon (label 1) are (cos t, sin t), those of the other (label -1)
are (1 - cos t, 1/2 - sin t); to each coordinate a normal number of spread 0.1 is added, from Python's
random.Random(SEED). Six decimals.
"""

import math
import random
import sys


def moons(rows=100, seed=1):
    """Rows of x, y, label, the moons in turn."""
    rng = random.Random(seed)
    for row in range(rows):
        t = math.pi * (row // 2) / max(1, (rows - 1) // 2)
        x, y, label = (1 - math.cos(t), 0.5 - math.sin(t), -1) if row % 2 else (math.cos(t), math.sin(t), 1)
        yield round(x + rng.gauss(0, 0.1), 6), round(y + rng.gauss(0, 0.1), 6), label


def csv(rows=100, seed=1):
    return "x,y,label\n" + "".join(f"{x},{y},{label}\n" for x, y, label in moons(rows, seed))


if __name__ == "__main__":
    sys.stdout.write(csv(*map(int, sys.argv[1:])))
