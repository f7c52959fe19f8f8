"""Computed floats against certified values: start reading in `comparisons`; `entries` has one entry and the summary.

Imports what is below `api`, and `api` itself.
"""

from __future__ import annotations

from symattn.api.comparison.comparisons import Bin, Comparison, Entry, Errors, StackComparison, compare

__all__ = ["Bin", "Comparison", "Entry", "Errors", "StackComparison", "compare"]
