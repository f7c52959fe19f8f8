"""Formulas as trees: how they are built as expressions, and what they come to, worked out without expressions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import mpmath
from hypothesis import strategies as st

from symattn.exact.field.quotient import Quotient
from symattn.exact.indexed import indices as ix
from symattn.exact.indexed.expression import Expr
from symattn.exact.indexed.indices import Index
from tests.exact.indexed.evaluation import Place, value_in
from tests.exact.indexed.number_types import ExactNumbers, FloatNumbers

Tree = tuple[Any, ...]
"""``("number", c)``, ``("scalar", x)``, ``("entry", z, i)``, ``("delta", i, j)``, ``("sum", i, n, body)``, ...;
an index is a letter, or ``("pi", index)``."""

Table = Mapping[tuple[int, ...], Fraction]

RANGES = {"i": "n", "j": "n", "l": "n", "c": "m", "d": "m"}
"""The range of each letter: indices that meet in a delta have one."""

FLOATS = FloatNumbers(60)
EXACT = ExactNumbers()


class UndefinedError(Exception):
    """The formula has no value at these numbers."""


@dataclass(frozen=True)
class Case:
    """Sizes and values of all names."""

    sizes: Mapping[str, int]
    scalars: Mapping[str, Fraction]
    entries: Mapping[str, Mapping[tuple[int, ...], Fraction]]
    indices: Mapping[str, int]
    permutations: Mapping[str, tuple[int, ...]] = field(default_factory=dict)


# Expressions -----------------------------------------------------------------------------------------


def index_of(index: str | Tree) -> Index:
    if isinstance(index, str):
        return ix.free(index)
    return ix.moved(index[0], index_of(index[1]))


def build(tree: Tree) -> Expr:
    match tree:
        case ("number", value):
            return Expr(value)
        case ("scalar", name):
            return Expr.scalar(name)
        case ("entry", name, *indices):
            return Expr.entry(name, *map(index_of, indices))
        case ("delta", first, second):
            return Expr.delta(index_of(first), index_of(second))
        case ("sum", index, size, body):
            return Expr.sum_over(ix.free(index), Expr.scalar(size), build(body))
        case ("but", index, size, excluded, body):
            return Expr.sum_over(ix.free(index), Expr.scalar(size), build(body), [index_of(excluded)])
        case ("add", first, second):
            return build(first) + build(second)
        case ("times", first, second):
            return build(first) * build(second)
        case ("over", first, second):
            return build(first) / build(second)
        case ("power", base, exponent):
            return build(base).power(exponent)
        case (name, argument):
            return Expr.function(name, build(argument))
        case _:
            raise TypeError(tree)


# Values ----------------------------------------------------------------------------------------------


def integer(index: str | Tree, case: Case, bound: Mapping[str, int]) -> int:
    if isinstance(index, str):
        return bound[index] if index in bound else case.indices[index]
    return case.permutations[index[0]][integer(index[1], case, bound) - 1]


def number(tree: Tree, case: Case, bound: Mapping[str, int] | None = None, *, exact: bool = False) -> Any:
    """The value by the definition of each form, in fractions or in floats of 60 digits."""
    inside = bound or {}

    def of(part: Tree, more: Mapping[str, int] | None = None) -> Any:
        return number(part, case, {**inside, **(more or {})}, exact=exact)

    match tree:
        case ("number", value):
            return _number(value, exact=exact)
        case ("scalar", name):
            return _number(case.sizes[name] if name in case.sizes else case.scalars[name], exact=exact)
        case ("entry", name, *indices):
            at = tuple(integer(index, case, inside) for index in indices)
            return _number(case.entries[name][at], exact=exact)
        case ("delta", first, second):
            return _number(int(integer(first, case, inside) == integer(second, case, inside)), exact=exact)
        case ("sum", index, size, body):
            values = list(range(1, case.sizes[size] + 1))
            return sum((of(body, {index: value}) for value in values), _number(0, exact=exact))
        case ("but", index, size, excluded, body):
            gone = integer(excluded, case, inside)
            values = [value for value in range(1, case.sizes[size] + 1) if value != gone]
            return sum((of(body, {index: value}) for value in values), _number(0, exact=exact))
        case ("add", first, second):
            return of(first) + of(second)
        case ("times", first, second):
            return of(first) * of(second)
        case ("over", first, second):
            return of(first) * _power(of(second), -1)
        case ("power", base, exponent):
            return _power(of(base), exponent)
        case (name, argument):
            return FUNCTIONS[name](of(argument))
        case _:
            raise TypeError(tree)


def _number(value: Fraction | int, *, exact: bool) -> Any:
    whole = Fraction(value)
    return whole if exact else FLOATS.context.mpf(whole.numerator) / whole.denominator


def _power(base: Any, exponent: int) -> Any:
    if exponent < 0 and abs(base) < 1e-30:
        raise UndefinedError
    return base**exponent


def _exponential(value: Any) -> Any:
    if abs(value) > 40:
        raise UndefinedError
    return FLOATS.context.exp(value)


def _root(value: Any) -> Any:
    if value < 0:
        raise UndefinedError
    return FLOATS.context.sqrt(value)


def _logarithm(value: Any) -> Any:
    if value <= 1e-30:
        raise UndefinedError
    return FLOATS.context.log(value)


FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "exp": _exponential,
    "sqrt": _root,
    "log": _logarithm,
    "f": lambda x: x * x * x / 7 + x + 1,
}


def value_of(expr: Expr, case: Case, *, exact: bool = False) -> Any:
    """The value of an expression in the same case."""
    numbers: Any = EXACT if exact else FLOATS
    scalars = {name: numbers.constant(value) for name, value in {**case.sizes, **case.scalars}.items()}
    entries = {
        name: {place: numbers.constant(value) for place, value in table.items()} for name, table in case.entries.items()
    }
    indices = {ix.free(name): value for name, value in case.indices.items()}
    found = value_in(expr, Place(numbers, scalars, entries, {"f": FUNCTIONS["f"]}, indices, case.permutations))
    if isinstance(found, Quotient):
        rational = found.rational()
        if rational is None:
            raise TypeError(found)
        return rational
    return found


def is_close(first: mpmath.mpf, second: mpmath.mpf) -> bool:
    """Equal up to what 60 digits lose in small formulas."""
    gap: mpmath.mpf = abs(first - second)
    return bool(gap <= FLOATS.context.mpf(10) ** -25 * (1 + abs(first) + abs(second)))


# Random formulas and cases ---------------------------------------------------------------------------

RATIONALS = st.builds(Fraction, st.integers(-3, 3), st.integers(1, 2))
LETTERS = ("i", "j", "l")
COLUMNS = ("c", "d")


def indices(letters: Sequence[str], *, moved: bool = True) -> st.SearchStrategy[str | Tree]:
    plain: st.SearchStrategy[Any] = st.sampled_from(letters)
    return plain | plain.map(lambda index: ("pi", index)) if moved and "i" in letters else plain


def leaves(*, moved: bool = True) -> st.SearchStrategy[Tree]:
    own = indices(LETTERS, moved=moved)
    return st.one_of(
        RATIONALS.map(lambda value: ("number", value)),
        st.sampled_from([("scalar", "x"), ("scalar", "n")]),
        own.map(lambda index: ("entry", "z", index)),
        st.tuples(st.just("entry"), st.just("A"), own, st.sampled_from(COLUMNS)),
        st.tuples(st.just("delta"), own, own),
        st.tuples(st.just("delta"), st.sampled_from(COLUMNS), st.sampled_from(COLUMNS)),
    )


def _rings(inner: st.SearchStrategy[Tree]) -> list[st.SearchStrategy[Tree]]:
    sums = st.sampled_from(sorted(RANGES.items())).flatmap(
        lambda item: st.tuples(st.just("sum"), st.just(item[0]), st.just(item[1]), inner)
    )
    return [
        st.tuples(st.just("add"), inner, inner),
        st.tuples(st.just("times"), inner, inner),
        sums,
        sums,
        st.tuples(st.just("but"), st.sampled_from(LETTERS), st.just("n"), st.sampled_from(LETTERS), inner),
        st.tuples(st.just("power"), inner, st.integers(0, 2)),
    ]


def polynomials(size: int = 6) -> st.SearchStrategy[Tree]:
    return st.recursive(leaves(), lambda inner: st.one_of(*_rings(inner)), max_leaves=size)


def formulas(size: int = 6) -> st.SearchStrategy[Tree]:
    def deeper(inner: st.SearchStrategy[Tree]) -> st.SearchStrategy[Tree]:
        functions = st.tuples(st.sampled_from(["exp", "exp", "f", "sqrt", "log"]), inner)
        return st.one_of(*_rings(inner), functions, st.tuples(st.just("over"), inner, inner))

    return st.recursive(leaves(), deeper, max_leaves=size)


@st.composite
def cases(draw: st.DrawFn, top: int = 3) -> Case:
    n, m = draw(st.integers(1, top)), draw(st.integers(1, 2))
    entries: dict[str, Table] = {
        "z": {(i,): draw(RATIONALS) for i in range(1, n + 1)},
        "A": {(i, c): draw(RATIONALS) for i in range(1, n + 1) for c in range(1, m + 1)},
    }
    sizes = {"n": n, "m": m}
    found = {letter: draw(st.integers(1, sizes[size])) for letter, size in RANGES.items()}
    order = tuple(draw(st.permutations(range(1, n + 1))))
    return Case(sizes, {"x": draw(RATIONALS)}, entries, found, {"pi": order})


def shifted(case: Case, place: tuple[str, tuple[int, ...]], by: Any) -> Case:
    """The same case with one scalar or entry moved."""
    name, at = place
    if not at:
        return Case(
            case.sizes, {**case.scalars, name: case.scalars[name] + by}, case.entries, case.indices, case.permutations
        )
    table = {**case.entries[name], at: case.entries[name][at] + by}
    return Case(case.sizes, case.scalars, {**case.entries, name: table}, case.indices, case.permutations)


def total(parts: Iterable[Expr]) -> Expr:
    return sum(parts, Expr())
