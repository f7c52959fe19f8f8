"""Exact values of written arithmetic, names standing for their own numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from functools import partial

from symattn.checking.expressions.numerals import bare, figure
from symattn.checking.graph.layer import in_one_form
from symattn.checking.graph.quantities import Valuation
from symattn.checking.names.binding import Binder
from symattn.checking.names.lexicon import SOFTMAX
from symattn.errors import InputError, NotationError
from symattn.exact.evaluation import Value, evaluate
from symattn.exact.field.quotient import Quotient
from symattn.exact.linear.matrix import Matrix, softmax_rows
from symattn.notation.tree import nodes as t
from symattn.notation.tree.traversal import mapped, rebuilt, walk

_FUNCTIONS = frozenset({*SOFTMAX, "exp", "max", "sqrt", "sin", "cos", "tanh", "erf", "ReLU", "relu", "ln", "log"})
"""Functions that have an exact value here."""

_LIMITED = frozenset({t.Call, t.Number, t.Power, t.Product})
"""Nodes of which not all can be worked out in a moment."""

_NAMES = frozenset({t.Name, t.Subscript})

_MAX_POWER_OF_TEN = 1000
_MAX_EXPONENT = 10**40
_MAX_COST = 200_000
_MAX_DEGREE = 2
_MAX_FACTORS = 8
"""Factors of one product that are more than numbers: sums of exponentials grow with each."""

_USUAL_SIZE = 8
"""The length that is assumed of a sum whose bounds are names."""

_MAX_DEPTH = 4
"""Names that stand for formulas in names that stand for formulas."""


def value_in(node: t.Node, names: Binder, valuation: Valuation) -> Quotient | None:
    """Return the value of scalar arithmetic, None where it has none or is not a single number."""
    number = figure(node)
    if number is not None:
        return None if number.mixed is not None else Quotient.of(number.value)
    value = matrix_in(node, names, valuation)
    if isinstance(value, Matrix):
        value = value[0, 0] if value.shape == (1, 1) else None
    return value if value is None else in_one_form(value)


def matrix_in(node: t.Node, names: Binder, valuation: Valuation, depth: int = _MAX_DEPTH) -> Value | None:
    """Return the value of written arithmetic, None where it has none."""
    items = list(walk(node))
    kinds = set(map(type, items))
    has_sums, has_calls, has_names = t.SumOver in kinds, t.Call in kinds, bool(kinds & _NAMES)
    if not _is_within_reach(items) or (_cost(node) if has_sums else len(items)) > _MAX_COST:
        return None
    if has_names and _degree(node, names, valuation) > _MAX_DEGREE:
        return None

    def lookup(name: t.Node, indices: Mapping[str, int]) -> Value | None:
        if isinstance(name, t.Name) and name.text in indices:
            return Quotient.of(indices[name.text])
        target = names(name, indices)
        if target is None:
            found = names.constant(name)
            return _by_formula(name, names, valuation, indices, depth) if found is None else found
        rows = [[valuation.get(target.name, i, j) for i, j in row] for row in target.cells]
        kept = [[value for value in row if value is not None] for row in rows]
        if any(len(a) != len(b) for a, b in zip(rows, kept, strict=True)):
            return None
        return kept[0][0] if target.only is not None else Matrix(kept)

    try:
        node = bounded(node, names) if has_sums else node
        softmax = partial(_softmax, plus_one=valuation.graph.adds_one, down=names.problem.softmax == "columns")
        return evaluate(_with_rows(node) if has_calls else node, lookup, softmax=softmax)
    except (InputError, NotationError):
        return None


def _softmax(scores: Matrix, *, plus_one: bool, down: bool) -> Matrix:
    """Return the softmax of every row, or of every column where tokens are columns; a row alone is one distribution."""
    if down and scores.shape[0] > 1:
        return softmax_rows(scores.T, plus_one=plus_one).T
    return softmax_rows(scores, plus_one=plus_one)


def _with_rows(node: t.Node) -> t.Node:
    """Return the softmax of a written column as that of a row: a column alone is one distribution."""
    match node:
        case t.Call(function, (argument,)) if function.text in SOFTMAX:
            inner = bare(argument)
            if isinstance(inner, t.Matrix) and len(inner.rows) > 1 and all(len(row) == 1 for row in inner.rows):
                return t.Call(function, (t.Vector(tuple(row[0] for row in inner.rows), "["),), span=node.span)
    return rebuilt(node, _with_rows)


def _is_within_reach(items: list[t.Node]) -> bool:
    """Return whether the nodes of a tree can be worked out in a moment: known functions, numbers of a size."""
    for item in items:
        if type(item) not in _LIMITED:
            continue
        match item:
            case t.Call(function) if function.text not in _FUNCTIONS:
                return False
            case t.Number(text) if "e" in text and abs(int(text.partition("e")[2])) > _MAX_POWER_OF_TEN:
                return False
            case t.Power(base, exponent) if bare(base) != t.Name("e") and figure(base) is None:
                number = figure(exponent)
                if number is not None and abs(number.value) > _MAX_FACTORS:
                    return False
            case t.Power(_, exponent) | t.Call(_, (exponent,)):
                number = figure(exponent)
                if number is not None and abs(number.value) > _MAX_EXPONENT:
                    return False
            case t.Product(factors) if len(factors) > _MAX_FACTORS:
                if sum(figure(factor) is None for factor in factors) > _MAX_FACTORS:
                    return False
    return True


def _degree(node: t.Node, names: Binder, valuation: Valuation) -> int:
    """Return the number of exponential sums that are multiplied: the terms of a product grow with each."""

    def of(part: t.Node) -> int:
        return _degree(part, names, valuation)

    match node:
        case t.Name() | t.Subscript():
            target = names(node)
            value = None if target is None else valuation.get(target.name, *target.cells[0][0])
            return int(value is not None and value.is_closed and value.plain_rational() is None)
        case t.Product(factors):
            return sum(map(of, factors))
        case t.Division(above, below):
            return of(above) + of(below)
        case t.Power(base, exponent):
            number = figure(exponent)
            size = Fraction(_MAX_FACTORS) if number is None else abs(Fraction(number.value))
            if size <= 1:
                return of(base)
            return of(base) * (int(size) if size.denominator == 1 and size < _MAX_FACTORS else _MAX_FACTORS)
    return max(map(of, t.children(node)), default=0)


def _cost(node: t.Node) -> int:
    """Return the number of operands read, sums inside sums multiplied."""
    if isinstance(node, t.SumOver):
        low, high = (None if limit is None else figure(limit) for limit in (node.lower, node.upper))
        known = low is not None and high is not None
        length = int(high.value - low.value) + 1 if known and high is not None and low is not None else _USUAL_SIZE
        return max(length, 1) * min(_cost(node.body), _MAX_COST + 1)
    return 1 + sum(_cost(child) for child in t.children(node))


def _by_formula(
    name: t.Node, names: Binder, valuation: Valuation, indices: Mapping[str, int], depth: int
) -> Value | None:
    """Return the value of a name that the work itself defines, ``C_1`` after ``C_j = Σ_i A_ij``."""
    found = names.formula(name, indices) if depth else None
    if found is None:
        return None
    body, chosen = found
    return matrix_in(substitute(body, chosen), names, valuation, depth - 1)


def substitute(node: t.Node, chosen: Mapping[str, int]) -> t.Node:
    """Return a formula with numbers for its running indices; those that a sum binds itself are left alone.

    >>> substitute(t.Subscript(t.Name("q"), (t.Name("i"),)), {"i": 2}).indices
    (Number(text='2'),)
    """
    match node:
        case t.Subscript(base, indices):
            flat = tuple(part for item in indices for part in _index(item, chosen))
            return replace(node, base=substitute(base, chosen), indices=flat)
        case t.SumOver(index, lower, upper, body, excluded):
            inner = {name: number for name, number in chosen.items() if name != index.text}
            first, last = (None if limit is None else substitute(limit, inner) for limit in (lower, upper))
            others = tuple(_index(item, inner)[0] for item in excluded)
            return t.SumOver(index, first, last, substitute(body, inner), others, span=node.span)
    return mapped(node, lambda part: substitute(part, chosen))


def _index(node: t.Node, chosen: Mapping[str, int]) -> tuple[t.Node, ...]:
    """Return an index with numbers substituted; of ``i j`` side by side each stands for itself."""
    parts = node.factors if isinstance(node, t.Product) and not any(node.operators) else (node,)
    if not any(isinstance(part, t.Name) and part.text in chosen for part in parts):
        return (node,)
    return tuple(
        t.Number(str(chosen[part.text]), span=part.span) if isinstance(part, t.Name) and part.text in chosen else part
        for part in parts
    )


def bounded(node: t.Node, names: Binder) -> t.Node:
    """Limit sums without an upper bound to the entries that their index selects."""
    if not any(isinstance(item, t.SumOver) for item in walk(node)):
        return node
    if not isinstance(node, t.SumOver):
        return mapped(node, lambda part: bounded(part, names))
    first, last = node.lower, node.upper
    size = _extent(node.body, node.index.text, names) if last is None or isinstance(last, t.Name) else None
    if size is not None:
        first, last = first or t.Number("1"), t.Number(str(size))
    return replace(node, lower=first, upper=last, body=bounded(node.body, names))


def _extent(body: t.Node, index: str, names: Binder) -> int | None:
    """Return the range of an index: the lines or columns of the first matrix that it indexes."""
    for item in walk(body):
        if not isinstance(item, t.Subscript):
            continue
        flat = [part for node in item.indices for part in (node.factors if isinstance(node, t.Product) else (node,))]
        places = [k for k, part in enumerate(flat) if part == t.Name(index)]
        sizes = names.sizes(item.base)
        if places and sizes is not None and len(flat) <= len(sizes):
            return sizes[places[0]]
    return None
