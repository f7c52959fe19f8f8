"""TRUSTED. Lemma on matrices that are products of narrow ones: trace and squared entries."""

from __future__ import annotations

from symattn.exact.indexed.expression import Expr
from symattn.proofs.kernel.context import Context
from symattn.proofs.language.values import fresh_index
from symattn.proofs.lemmas.lemma import Check


def _trace_and_width(context: Context) -> str:
    """Check ``(sum_i F_i^T G_i)^2 <= D sum_i sum_j (F_i^T G_j)^2`` for matrices F and G of D columns.

    They are the arguments ``first`` and ``second``; D is their width.
    """
    if context.step.relation != "≤":
        return "it establishes ≤"
    first, second = (context.value(context.read(context.argument(name))) for name in ("first", "second"))
    if isinstance(first, Expr) or isinstance(second, Expr) or len(first.sizes) != 2 or first.sizes != second.sizes:
        return "both factors are matrices of one shape"
    height, width = first.sizes
    row, other, column = fresh_index(), fresh_index(), fresh_index()
    trace = Expr.sum_over(row, height, Expr.sum_over(column, width, first.at(row, column) * second.at(row, column)))
    entry = Expr.sum_over(column, width, first.at(row, column) * second.at(other, column))
    squares = Expr.sum_over(row, height, Expr.sum_over(other, height, entry**2))
    apply = context.facts.apply
    if not context.number(context.before).equals(apply(trace**2)):
        return "the left side is not the squared trace of the product"
    found = context.number(context.after).equals(apply(width * squares))
    return "" if found else "the right side is not the width times the sum of the squared entries"


MATRICES: dict[str, Check] = {"trace-and-width": _trace_and_width}
"""The checks by the names of the lemmas."""
