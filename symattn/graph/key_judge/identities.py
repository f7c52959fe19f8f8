"""TRUSTED. Statements about all indices: ``(QK^T)_{i,j} = Σ_r Q_{i,r} K_{j,r}`` for all i and j.

That the numbers of one problem agree would prove nothing, so no number of a problem is looked at. Each
side must be a form that the definition gives at running indices, and each ``=`` must hold with other
numbers in the place of the operands of a product, at the first two and the last value of each index.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

from symattn.errors import InputError, NotationError
from symattn.exact.evaluation import Value, is_same
from symattn.exact.linear.matrix import Matrix
from symattn.graph.forms.definitions import running, running_forms
from symattn.graph.key_judge.matching import same_written
from symattn.graph.quantities import quantity as q
from symattn.graph.quantities.scene import Scene
from symattn.graph.quantities.statement import Fault, Statement
from symattn.notation.tree import nodes as t
from symattn.notation.writers.plain import write_plain
from symattn.operations.evaluation import apply

_BOUND = t.Name("r")
_PRIME = 2**61 - 1


def identity_faults(statement: Statement, scene: Scene) -> Iterator[Fault]:
    """Yield the faults of a statement about all indices: a form that is not prescribed, or a false relation."""
    subject = running(scene, statement.subject)
    whole = statement.written.span
    if subject is None:
        yield Fault(0, whole, f"{write_plain(statement.subject)} is not an entry or a row of what is defined here")
        return
    if statement.ranges != subject.ranges:
        yield Fault(0, whole, f"the indices do not run over the whole of {subject.quantity.name}")
        return
    for position, side in enumerate(statement.sides):
        bound = side.index if isinstance(side, t.SumOver) else _BOUND
        if not any(same_written(_with_commas(side), form) for form in running_forms(scene, subject, bound)):
            reason = f"{write_plain(side)} is not what {write_plain(statement.subject)} is by definition"
            yield Fault(position, side.span, reason)
    if statement.operators:
        yield from _unequal(statement, _with_other_numbers(scene, subject.quantity))


def _with_commas(node: t.Node) -> t.Node:
    """Return a name, or a power of one, whose indices stand side by side, ``A_{i 1}``, with a comma between them."""
    match node:
        case t.Subscript(base, (t.Product(indices, ("",)),)):
            return t.Subscript(base, indices)
        case t.Power(base, exponent):
            return t.Power(base, _with_commas(exponent))
    return node


def _unequal(statement: Statement, scene: Scene) -> Iterator[Fault]:
    for numbers in product(*(sorted({1, min(2, limit), limit}) for _, limit in statement.ranges)):
        indices = dict(zip((name for name, _ in statement.ranges), numbers, strict=True))
        values = [_value(side, scene, indices) for side in statement.sides]
        for position, operator in enumerate(statement.operators):
            first, second = values[position], values[position + 1]
            if operator != "=" or first is None or second is None or not is_same(first, second):
                side = statement.sides[position + 1]
                at = ", ".join(f"{name} = {number}" for name, number in indices.items())
                yield Fault(position + 1, side.span, f"{write_plain(side)} is not the side before it at {at}")
                return


def _value(node: t.Node, scene: Scene, indices: dict[str, int]) -> Value | None:
    try:
        return scene.value(node, indices)
    except (InputError, NotationError):
        return None


def _with_other_numbers(scene: Scene, made: q.Quantity) -> Scene:
    """Return the scene with numbers that have nothing to do with each other in the operands of a product."""
    known = scene.made(made.name)
    if known is None or not known.operation.products:
        return scene
    operands = [_scattered(scene.quantities[name], seed) for seed, name in enumerate(known.operands, 3)]
    exact = apply(known.operation, [item.exact.rows for item in operands], known.params)
    result = Matrix([[value for value in row if value is not None] for row in exact])
    return scene.with_quantities([*operands, replace(made, exact=result, carried=result.rows)])


def _scattered(quantity: q.Quantity, seed: int) -> q.Quantity:
    """Return the quantity with powers of one number, modulo a prime, for its entries."""
    rows, columns = quantity.shape
    numbers = [[pow(seed, 97 * i + 7 * j + 11, _PRIME) for j in range(columns)] for i in range(rows)]
    matrix = Matrix(numbers)
    return replace(quantity, exact=matrix, carried=matrix.rows)
