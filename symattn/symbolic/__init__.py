"""Symbolic analysis from Python: softmax and attention over expressions, with exact derivatives, series and limits.

Scores are polynomials in any symbols, so weights and outputs are quotients of exponential sums, and so are
their derivatives and Taylor coefficients: everything here is worked out in the exact kernel and handed to
SymPy at the end. Limits for a growing factor are told by cases where symbols leave open which score is largest.
"""

from __future__ import annotations

from symattn.symbolic.results import Attention, Softmax, attention, softmax, solve

__all__ = ["Attention", "Softmax", "attention", "softmax", "solve"]
