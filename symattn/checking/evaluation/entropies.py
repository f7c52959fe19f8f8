"""Entropies of rows of weights, ``H_1`` after ``H_i = -Σ_j A_ij ln A_ij``, by certified digits."""

from __future__ import annotations

from fractions import Fraction

from symattn.checking.evaluation.matrix_layout import Names
from symattn.checking.evaluation.values import put
from symattn.checking.expressions.numerals import Figure, bare
from symattn.checking.expressions.terms import flat_factors
from symattn.checking.graph.formulas import Ratio, Softmax
from symattn.checking.graph.quantities import Valuation, line_of, scores_of, shape_of
from symattn.exact.laws.entropy import entropy
from symattn.exact.rounding.quotients import Rounding
from symattn.notation.tree import nodes as t

_MAX_PLACES = 50


def entropy_holds(node: t.Node, written: Figure, names: Names, exact: Valuation, ties: str = "half-up") -> bool | None:
    """Return whether a number is the rounded entropy that a name stands for; None for other names."""
    found = names.formula(node, {})
    if found is None or written.places is None or not 0 <= written.places <= _MAX_PLACES:
        return None
    place = _weight(put(found[0], found[1]), names)
    if place is None:
        return None
    name, i, j = place
    formula = exact.graph.nodes[name].formula
    scores = scores_of(formula, exact.graph)
    if scores is None or not isinstance(formula, Softmax | Ratio):
        return None
    places = line_of(shape_of(scores, exact.graph), formula.axis, i, j)
    line = [exact.entry(scores, *item) for item in places]
    known = [value for value in line if value is not None and not value.symbols]
    if len(known) != len(line):
        return None
    for rule in {ties, "half-up"}:
        low, high = entropy(known, Rounding(places=written.places, ties=rule))
        if low == high and Fraction(low) == written.value:
            return True
    return False


def _weight(node: t.Node, names: Names) -> tuple[str, int, int] | None:
    """Return the first weight of the line in ``-Σ_j a_ij ln a_ij``, None when the formula is another one."""
    node = bare(node)
    if not isinstance(node, t.Negative) or not isinstance(bare(node.body), t.SumOver):
        return None
    total = bare(node.body)
    if not isinstance(total, t.SumOver):
        return None
    _, factors = flat_factors(put(total.body, {total.index.text: 1}))
    logarithms = [factor for factor in factors if isinstance(factor, t.Call) and factor.function.text in {"ln", "log"}]
    weights = [factor for factor in factors if factor not in logarithms]
    if len(weights) != 1 or len(logarithms) != 1 or len(logarithms[0].arguments) != 1:
        return None
    target, other = names(weights[0]), names(logarithms[0].arguments[0])
    if target is None or target != other or target.only is None:
        return None
    return target.name, *target.only
