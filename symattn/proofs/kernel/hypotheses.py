"""TRUSTED. Translation of the hypotheses of a scope, as plain text, into the facts that a step may use."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from symattn.errors import InputError, ShapeError
from symattn.exact.indexed import expectation as m
from symattn.exact.indexed import indices as ix
from symattn.exact.indexed.expression import DELTA, Expr
from symattn.proofs.language.facts import Covariances, Different, DotProducts, Equation, Facts, Rewrite, Total
from symattn.proofs.language.interpretation import Language, read_text
from symattn.proofs.language.scope import Hypothesis, Scope

PLACES = {"i": m.here(0), "j": m.here(1)}
"""In the values of a hypothesis, i and j stand for the indices of the entry that it speaks of."""


def facts_of(scope: Scope, ids: Iterable[str]) -> Facts:
    """Return the facts that some hypotheses give.

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


def value_of(text: str, scope: Scope, sizes: Sequence[str] | None = None) -> Expr:
    """Return the number that a value of a hypothesis is, in the indices of the entry that it speaks of.

    Args:
        text: the value.
        scope: the names.
        sizes: the lengths of the ranges of these indices; None for a hypothesis about no entry.

    Raises:
        InputError: it is not a number, or depends on an index that the entry does not have.
        ShapeError: an index has another range in it than in the entry.
    """
    language = Language(scope, Facts(), PLACES)
    for place, size in zip(PLACES.values(), sizes or (), strict=False):
        language.ranges.put(place, language.size(size))
    try:
        found = language.text(text)
    except ShapeError as error:
        if not sizes:
            raise
        raise ShapeError(f"In {text} an index runs over another range than in the quantity it is about.") from error
    if not isinstance(found, Expr):
        raise InputError(f"{text} is not a number.")
    if sizes is not None and any(place in found.indices for place in list(PLACES.values())[len(sizes) :]):
        raise InputError(f"{text} depends on an index that the quantity of the hypothesis does not have.")
    return found


def refuse_hidden_ranges(text: str, scope: Scope) -> None:
    """Refuse a value that holds for some values of an index only, and does not show which.

    Raises:
        InputError: it is not a number.
        ShapeError: it is such a value.
    """
    language = Language(scope, Facts(), PLACES)
    value = language.number(read_text(text, scope))
    shown = {ix.root(index) for atom in value.atoms() if atom.name != DELTA for index in atom.indices}
    for place in PLACES.values():
        if place in value.indices and place not in shown and language.ranges.of(place) is not None:
            raise ShapeError(f"{text} holds for the values of a range that it does not show: name an entry there.")


def is_about_entries(item: Hypothesis) -> bool:
    """Return whether i and j in its values stand for the indices of the quantities that it speaks of."""
    return item.kind in _MOMENTS or item.kind in _REWRITES or item.kind == "covariance"


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
    return [m.Mean(name, value_of(value, scope, scope.sizes.get(name, ()))) for name in item.about]


def _variance(item: Hypothesis, scope: Scope) -> list[m.Fact]:
    (value,) = _exactly(item, item.values, 1)
    return [m.Variance(name, value_of(value, scope, scope.sizes.get(name, ()))) for name in item.about]


def _raw_moment(item: Hypothesis, scope: Scope) -> list[m.Fact]:
    order, value = _exactly(item, item.values, 2)
    if not order.isdecimal() or not 0 < int(order) <= 24:
        raise InputError(f"The order {order} of a moment is not a number from 1 to 24.")
    return [m.RawMoment(name, int(order), value_of(value, scope, scope.sizes.get(name, ()))) for name in item.about]


def _law(item: Hypothesis, scope: Scope) -> list[m.Fact]:
    name, *parameters = item.values
    if name not in m.LAWS or m.LAWS[name][0] != len(parameters):
        raise InputError(f"{name} with {len(parameters)} parameters is not a known law: {', '.join(sorted(m.LAWS))}.")
    return [
        m.Law(family, name, tuple(value_of(text, scope, scope.sizes.get(family, ())) for text in parameters))
        for family in item.about
    ]


def _equal(item: Hypothesis, scope: Scope) -> list[Rewrite]:
    (name,), (value,) = _exactly(item, item.about, 1), _exactly(item, item.values, 1)
    return [Equation(name, value_of(value, scope, scope.sizes.get(name, ())))]


def _dot_products(item: Hypothesis, scope: Scope) -> list[Rewrite]:
    (first, second), (value,) = _exactly(item, item.about, 2), _exactly(item, item.values, 1)
    return [DotProducts(first, second, value_of(value, scope, _pair(first, second, scope, -1)))]


def _pair(first: str, second: str, scope: Scope, end: int | None) -> tuple[str, ...]:
    """Return the lengths of the first indices of two quantities, of those before `end`; none for two numbers."""
    one, other = scope.sizes.get(first, ())[:end], scope.sizes.get(second, ())[:end]
    # Where the first of a dot product is a vector alone, the value has no index of it.
    return (*one[:1], *other[:1]) if one or not other else (other[0], other[0])


def _covariances(item: Hypothesis, scope: Scope, moments: list[m.Fact]) -> Rewrite:
    (first, second), (value,) = _exactly(item, item.about, 2), _exactly(item, item.values, 1)
    entries = [(name, Expr.entry(name, m.here(n))) for n, name in enumerate((first, second))]
    means = [m.expectation(entry, frozenset({name}), moments) for name, entry in entries]
    return Covariances(first, second, value_of(value, scope, _pair(first, second, scope, None)), (means[0], means[1]))


def _total(item: Hypothesis, scope: Scope) -> list[Rewrite]:
    (text,) = _exactly(item, item.values or ("1",), 1)
    return [Total(name, value_of(text, scope, scope.sizes.get(name, ())[:-1])) for name in item.about]


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
