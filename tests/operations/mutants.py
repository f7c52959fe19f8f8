"""Entries with one fault: a sign, an index, a dropped term or factor, another function."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, TypeAlias

from symattn.exact.reals.special_values import MINUS_INFINITY
from symattn.operations import scalar as s
from symattn.operations.operation import Operation, Shapes

Change: TypeAlias = Callable[[Any, Shapes], s.Scalar]


def mutants(operation: Operation[Any], params: Any, shapes: Shapes) -> Iterator[tuple[str, Operation[Any]]]:
    """The operation with each single fault that its entry at the first place offers, said in words."""
    entry = operation.entry
    scalar = entry(params, shapes, 0, 0)
    for site, (node, is_squared) in enumerate(zip(nodes(scalar), squared(scalar), strict=True)):
        for words, change in changes(node, shapes):
            if is_squared and words == "a sign":
                continue
            yield (
                f"{operation.name}: {words} at {site} ({type(node).__name__})",
                replace(operation, entry=_faulty(entry, site, type(node), change), kernel=None),
            )


def _faulty(entry: Callable[..., s.Scalar], site: int, kind: type[s.Scalar], change: Change) -> Callable[..., s.Scalar]:
    """The entry with a change at a site, wherever something of its kind stands there."""

    def faulty(params: Any, shapes: Shapes, i: Any, j: Any) -> s.Scalar:
        scalar = entry(params, shapes, i, j)
        return changed(scalar, site, lambda node: change(node, shapes) if type(node) is kind else node)

    return faulty


def parts(node: s.Scalar) -> tuple[s.Scalar, ...]:
    """The expressions that one is made of; of a running sum the body at its first index."""
    return (node.body(0),) if isinstance(node, s.Total) else s.parts(node)


def with_parts(node: s.Scalar, new: Callable[[int, s.Scalar], s.Scalar]) -> s.Scalar:
    """The same expression with each part replaced, in a running sum at every index."""
    match node:
        case s.Total(count, body, how):
            return s.Total(count, lambda k: new(0, body(k)), how)
        case s.Add(terms, how):
            return s.Add(tuple(new(k, term) for k, term in enumerate(terms)), how)
        case s.Mul(factors):
            return s.Mul(tuple(new(k, factor) for k, factor in enumerate(factors)))
        case s.Neg(of):
            return s.Neg(new(0, of))
        case s.Pow(of, exponent):
            return s.Pow(new(0, of), exponent)
        case s.Call(function, of):
            return s.Call(function, new(0, of))
        case s.Require(domain, of, message):
            return s.Require(domain, new(0, of), message)
        case s.Div(above, below):
            return s.Div(new(0, above), new(1, below))
        case s.Max(items):
            return s.Max(tuple(new(k, item) for k, item in enumerate(items)))
        case s.Select(test, of, then, other):
            count = len(of)
            tested = tuple(new(k, item) for k, item in enumerate(of))
            return s.Select(test, tested, new(count, then), new(count + 1, other))
    return node


def nodes(node: s.Scalar) -> list[s.Scalar]:
    """All expressions in one, itself first."""
    return [node, *(inner for part in parts(node) for inner in nodes(part))]


def squared(node: s.Scalar, *, is_squared: bool = False) -> list[bool]:
    """For each of the `nodes` whether it is the argument of an even function, so that a sign is no fault."""
    passes_on = isinstance(node, s.Mul | s.Div | s.Neg | s.Call)
    is_even = (isinstance(node, s.Pow) and node.exponent % 2 == 0) or (
        isinstance(node, s.Call) and node.function == "cos"
    )
    inner = is_even or (passes_on and is_squared)
    return [is_squared, *(flag for part in parts(node) for flag in squared(part, is_squared=inner))]


def changed(node: s.Scalar, site: int, change: Callable[[s.Scalar], s.Scalar]) -> s.Scalar:
    """The expression with a change at one of its `nodes`."""
    if site == 0:
        return change(node)
    starts, start = [], 1
    for part in parts(node):
        starts.append(start)
        start += len(nodes(part))

    def new(number: int, part: s.Scalar) -> s.Scalar:
        own = site - starts[number]
        return changed(part, own, change) if 0 <= own < len(nodes(part)) else part

    return with_parts(node, new)


def _without(items: tuple[s.Scalar, ...], number: int) -> tuple[s.Scalar, ...]:
    return (*items[:number], *items[number + 1 :])


def _without_term(number: int) -> Change:
    return lambda own, _: s.Add(_without(own.terms, number), own.how)


def _without_factor(number: int) -> Change:
    return lambda own, _: s.Mul((*_without(own.factors, number), s.ONE))


def _without_item(number: int) -> Change:
    return lambda own, _: s.Max(_without(own.items, number))


def _without_first(own: Any, _: Shapes) -> s.Total:
    def later(index: Any) -> s.Scalar:
        return own.body(index + 1)  # type: ignore[no-any-return]  # the body of a sum

    return s.Total(own.count - 1, later, own.how)


def changes(node: s.Scalar, shapes: Shapes) -> Iterator[tuple[str, Change]]:
    """The faults that an expression offers."""
    if not isinstance(node, s.Num) or node.value != 0:
        yield "a sign", lambda own, _: s.Neg(own)
    match node:
        case s.Leaf(operand):
            rows, columns = shapes[operand]
            if rows > 1:
                yield "the row", lambda own, sizes: _moved(own, sizes, 1, 0)
            if columns > 1:
                yield "the column", lambda own, sizes: _moved(own, sizes, 0, 1)
            if shapes.count(shapes[operand]) > 1:
                yield "the operand", _of_another
        case s.Num(value) if value is not MINUS_INFINITY:  # one more is minus infinity, too
            yield "the number", lambda own, _: s.Num(own.value + 1)
        case s.Add(terms):
            for k in range(len(terms) if len(terms) > 1 else 0):
                yield f"no term {k}", _without_term(k)
        case s.Total(count):
            if count > 1:
                yield "no last term", lambda own, _: s.Total(own.count - 1, own.body, own.how)
                yield "no first term", _without_first
        case s.Mul(factors):
            for k in range(len(factors)):
                yield f"no factor {k}", _without_factor(k)
        case s.Neg():
            yield "no sign", lambda own, _: own.of
        case s.Div():
            yield "upside down", lambda own, _: s.Div(own.below, own.above)
            yield "no denominator", lambda own, _: own.above
        case s.Pow():
            yield "the exponent", lambda own, _: s.Pow(own.of, own.exponent + 1)
        case s.Call(function):
            yield "no function", lambda own, _: own.of
            others: dict[s.Function, s.Function] = {
                "sin": "cos",
                "cos": "sin",
                "tanh": "erf",
                "erf": "tanh",
                "exp": "tanh",
            }
            other = others.get(function, "tanh")
            yield "the function", lambda own, _: s.Call(other, own.of)
        case s.Max(items):
            for k in range(len(items) if len(items) > 1 else 0):
                yield f"no item {k}", _without_item(k)
        case s.Select():
            yield "the choice", lambda own, _: s.Select(own.test, own.of, own.other, own.then)


def _moved(leaf: s.Scalar, shapes: Shapes, down: int, right: int) -> s.Scalar:
    assert isinstance(leaf, s.Leaf)
    assert isinstance(leaf.row, int)
    assert isinstance(leaf.column, int)
    rows, columns = shapes[leaf.operand]
    return s.Leaf(leaf.operand, (leaf.row + down) % rows, (leaf.column + right) % columns)


def _of_another(leaf: s.Scalar, shapes: Shapes) -> s.Scalar:
    assert isinstance(leaf, s.Leaf)
    others = [k for k, shape in enumerate(shapes) if shape == shapes[leaf.operand] and k != leaf.operand]
    return s.Leaf(others[0], leaf.row, leaf.column) if others else leaf
