"""TRUSTED. From the hypotheses of a scope, as plain text, to the facts that a step may use."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from symattn.derivation.proofs.facts import Covariances, Different, DotProducts, Equation, Facts, Rewrite, Total
from symattn.derivation.proofs.language import Language
from symattn.derivation.proofs.scope import Hypothesis, Scope
from symattn.errors import InputError
from symattn.exact.indexed import expectation as m
from symattn.exact.indexed import index as ix
from symattn.exact.indexed.expr import ONE, Expr

_PLACES = {"i": m.here(0), "j": m.here(1)}
"""In the values of a hypothesis, i and j stand for the indices of the entry that it speaks of."""


def facts_of(scope: Scope, ids: Iterable[str]) -> Facts:
    """The facts that some hypotheses give.

    Raises:
        InputError: there is no such hypothesis, or its data do not have the form of its kind.
    """
    known = {item.id: item for item in scope.hypotheses}
    moments: list[m.Fact] = []
    rewrites: list[Rewrite] = []
    covariances: list[Hypothesis] = []
    for name in ids:
        if name not in known:
            raise InputError(f"There is no hypothesis {name} here.")
        hypothesis = known[name]
        if hypothesis.kind in _MOMENTS:
            moments.extend(_MOMENTS[hypothesis.kind](hypothesis, scope))
        elif hypothesis.kind in _REWRITES:
            rewrites.extend(_REWRITES[hypothesis.kind](hypothesis, scope))
        elif hypothesis.kind == "covariance":
            covariances.append(hypothesis)
    # Covariances need the means, which other hypotheses of the step may give.
    rewrites.extend(_covariances(item, scope, moments) for item in covariances)
    return Facts(tuple(moments), tuple(rewrites))


def value_of(text: str, scope: Scope) -> Expr:
    """The number that a value of a hypothesis is, in the indices of the entry that it speaks of."""
    found = Language(scope, Facts(), _PLACES).text(text)
    if not isinstance(found, Expr):
        raise InputError(f"{text} is no number.")
    return found


def formulas(item: Hypothesis) -> tuple[str, ...]:
    """What a hypothesis says in formulas: its values, without the name of a law and the order of a moment."""
    return item.values[1:] if item.kind in {"law", "raw-moment"} else item.values


def _independent(item: Hypothesis, _scope: Scope) -> list[m.Fact]:
    return [m.Independent(item.about)]


def _coordinates(item: Hypothesis, _scope: Scope) -> list[m.Fact]:
    return [m.Coordinates(item.about)]


def _uncorrelated(item: Hypothesis, _scope: Scope) -> list[m.Fact]:
    first, second = _exactly(item, item.about, 2)
    return [m.Uncorrelated(first, second)]


def _same_law(item: Hypothesis, _scope: Scope) -> list[m.Fact]:
    return [m.SameLaw(item.about)]


def _mean(item: Hypothesis, scope: Scope) -> list[m.Fact]:
    (value,) = _exactly(item, item.values, 1)
    return [m.Mean(name, value_of(value, scope)) for name in item.about]


def _variance(item: Hypothesis, scope: Scope) -> list[m.Fact]:
    (value,) = _exactly(item, item.values, 1)
    return [m.Variance(name, value_of(value, scope)) for name in item.about]


def _raw_moment(item: Hypothesis, scope: Scope) -> list[m.Fact]:
    order, value = _exactly(item, item.values, 2)
    if not order.isdecimal() or not 0 < int(order) <= 24:
        raise InputError(f"The order {order} of a moment is no number from 1 to 24.")
    return [m.RawMoment(name, int(order), value_of(value, scope)) for name in item.about]


def _law(item: Hypothesis, scope: Scope) -> list[m.Fact]:
    name, *parameters = item.values
    if name not in m.LAWS or m.LAWS[name][0] != len(parameters):
        raise InputError(f"{name} with {len(parameters)} parameters is no known law: {', '.join(sorted(m.LAWS))}.")
    return [m.Law(family, name, tuple(value_of(text, scope) for text in parameters)) for family in item.about]


def _equal(item: Hypothesis, scope: Scope) -> list[Rewrite]:
    (name,), (value,) = _exactly(item, item.about, 1), _exactly(item, item.values, 1)
    return [Equation(name, value_of(value, scope))]


def _dot_products(item: Hypothesis, scope: Scope) -> list[Rewrite]:
    (first, second), (value,) = _exactly(item, item.about, 2), _exactly(item, item.values, 1)
    return [DotProducts(first, second, value_of(value, scope))]


def _covariances(item: Hypothesis, scope: Scope, moments: list[m.Fact]) -> Rewrite:
    (first, second), (value,) = _exactly(item, item.about, 2), _exactly(item, item.values, 1)
    entries = [(name, Expr.entry(name, m.here(n))) for n, name in enumerate((first, second))]
    means = [m.expectation(entry, frozenset({name}), moments) for name, entry in entries]
    return Covariances(first, second, value_of(value, scope), (means[0], means[1]))


def _total(item: Hypothesis, scope: Scope) -> list[Rewrite]:
    value = value_of(item.values[0], scope) if item.values else ONE
    return [Total(name, value) for name in item.about]


def _distinct(item: Hypothesis, scope: Scope) -> list[Rewrite]:
    indices = [ix.fixed(name) if name in scope.fixed else ix.free(name) for name in item.about]
    return [Different(a, b) for n, a in enumerate(indices) for b in indices[:n]]


def _exactly(item: Hypothesis, found: tuple[str, ...], count: int) -> tuple[str, ...]:
    if len(found) != count:
        raise InputError(f"The hypothesis {item.id} of kind {item.kind} has {len(found)} entries, not {count}.")
    return found


_MOMENTS: dict[str, Callable[[Hypothesis, Scope], list[m.Fact]]] = {
    "independent": _independent,
    "coordinates": _coordinates,
    "uncorrelated": _uncorrelated,
    "same-law": _same_law,
    "mean": _mean,
    "variance": _variance,
    "raw-moment": _raw_moment,
    "law": _law,
}
_REWRITES: dict[str, Callable[[Hypothesis, Scope], list[Rewrite]]] = {
    "equal": _equal,
    "dot-products": _dot_products,
    "total": _total,
    "distinct": _distinct,
}
