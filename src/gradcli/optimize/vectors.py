"""The type of the vectors and matrices, for type checkers: NumPy is not loaded for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from numpy import float64
    from numpy.typing import NDArray

    Vector = NDArray[float64]
