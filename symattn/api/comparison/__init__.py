"""Computed floats against certified values: start reading in `comparisons`, which `matrix_comparison` serves.

`entries` has one entry, `summary` what is said of all of them. It imports `api.result` and `api.values`.
"""

from __future__ import annotations

from symattn.api.comparison.comparisons import StackComparison, compare
from symattn.api.comparison.entries import Entry
from symattn.api.comparison.matrix_comparison import Comparison
from symattn.api.comparison.summary import Bin, Errors

__all__ = ["Bin", "Comparison", "Entry", "Errors", "StackComparison", "compare"]
