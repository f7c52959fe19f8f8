"""Rotary and added positions, and running softmax statistics, as formulas of a layer's graph.

A rotation is written with tables of sines and cosines: each entry times its cosine, and the other entry of its pair,
with its sign, times its sine.
"""

from __future__ import annotations

from symattn.checking.graph.formulas import (
    Constant,
    Exponential,
    Formula,
    Hadamard,
    Joined,
    LineMaximum,
    LineSum,
    Minus,
    Part,
    Plus,
    Ref,
    SubtractPerLine,
    Times,
    Transposed,
)
from symattn.exact.field.polynomial import Polynomial
from symattn.exact.field.quotient import Quotient
from symattn.exact.linear.matrix import Matrix
from symattn.exact.reals.elementary import pi, sqrt
from symattn.exact.reals.functions import trigonometric
from symattn.graph.builders.layer import Layer
from symattn.graph.quantities import quantity as q
from symattn.operations.positions import pair_of, partner_of
from symattn.problem.components.positions import Positions
from symattn.records import dataclass


@dataclass(frozen=True, slots=True)
class RotationTables:
    """Parameters of a rotation or of added positions, right or with a mistake.

    Attributes:
        pairs: which entries are pairs.
        shift: how many positions the angles are off.
        sign: -1 where it turns the wrong way round.
        swapped: whether sine and cosine are exchanged.
        degrees: whether the angles are taken for degrees.
        halved: whether the exponent of the base is half of what it is.
    """

    pairs: str
    shift: int = 0
    sign: int = 1
    swapped: bool = False
    degrees: bool = False
    halved: bool = False


def of_positions(layer: Layer, quantity: q.Quantity) -> Formula | None:
    """Return the definition of a quantity of positions or blocks, None for any other."""
    match quantity.definition:
        case q.RotatedBy(of, _, pairs, _, back):
            return rotation_by(layer, quantity.name, of, RotationTables(pairs, sign=-1 if back else 1))
        case q.SinusoidOf(_, pairs):
            return added_table(layer, quantity.name, RotationTables(pairs))
        case q.RunningMaximum() | q.RunningSum() | q.RunningOutput():
            return _running(quantity.definition)
    return None


def positions_of(layer: Layer) -> Positions:
    """Return the positions of a layer that has them."""
    positions = layer.problem.positions
    if positions is None:
        raise ValueError("a layer with positions has them")
    return positions


def angles_of(layer: Layer, name: str, shift: int) -> list[list[Quotient]]:
    """Return the angles of each token, so many positions further on; a row for each token."""
    definition = layer.scene.quantities[name].definition
    table = definition.angles if isinstance(definition, q.RotatedBy) else "Phi"
    angles = layer.exact(table)
    rows = angles.rows if layer.problem.tokens == "rows" else angles.T.rows
    steps = positions_of(layer).steps(2 * len(rows[0]))
    return [[angle + step_times(step, shift) for angle, step in zip(row, steps, strict=True)] for row in rows]


def step_times(step: Polynomial, count: int) -> Quotient:
    """Return a multiple of the angle between neighbouring positions."""
    return Quotient.of(step * count)


def _laid(layer: Layer, rows: list[list[Quotient]]) -> Constant:
    """Return a table with a row for each token, as the tokens of the layer lie."""
    matrix = Matrix(rows)
    return Constant(matrix if layer.problem.tokens == "rows" else matrix.T)


def added_table(layer: Layer, name: str, tables: RotationTables) -> Formula:
    """Return the table of sines and cosines that is added to the inputs."""
    rows = []
    for angles in _taken(layer, angles_of(layer, name, tables.shift), tables):
        length = 2 * len(angles)
        places = [pair_of(entry, length, tables.pairs) for entry in range(length)]
        rows.append(
            [trigonometric("cos" if bool(place) != tables.swapped else "sin", angles[pair]) for pair, place in places]
        )
    return _laid(layer, rows)


def rotation_by(layer: Layer, name: str, of: str, tables: RotationTables) -> Formula:
    """Return a quantity rotated by the angles of its tokens."""
    return rotated_by(layer, of, _taken(layer, angles_of(layer, name, tables.shift), tables), tables)


def _taken(layer: Layer, angles: list[list[Quotient]], tables: RotationTables) -> list[list[Quotient]]:
    """Return angles as they are, taken for degrees, or with the root of each step."""
    if tables.halved:
        roots = [sqrt(step_times(step, 1)) for step in positions_of(layer).steps(2 * len(angles[0]))]
        return [[angle / root for angle, root in zip(row, roots, strict=True)] for row in angles]
    return [[angle * pi() / 180 for angle in row] for row in angles] if tables.degrees else angles


def rotated_by(layer: Layer, of: str, angles: list[list[Quotient]], tables: RotationTables) -> Formula:
    """Return a quantity turned by the angles of each token."""
    length = 2 * len(angles[0])
    places = [pair_of(entry, length, tables.pairs) for entry in range(length)]
    first, second = ("sin", "cos") if tables.swapped else ("cos", "sin")
    cosines = [[trigonometric(first, row[pair]) for pair, _ in places] for row in angles]
    # The other entry of the pair comes in with a minus sign where it is the second.
    signs = [tables.sign if place else -tables.sign for _, place in places]
    sines = [
        [trigonometric(second, row[pair]) * sign for (pair, _), sign in zip(places, signs, strict=True)]
        for row in angles
    ]
    axis: q.Axis = "columns" if layer.problem.tokens == "rows" else "rows"
    others = [partner_of(entry, length, tables.pairs) for entry in range(length)]
    turned = Joined(tuple(Part(Ref(of), axis, other, other + 1) for other in others), axis)
    return Plus(Hadamard(Ref(of), _laid(layer, cosines)), Hadamard(turned, _laid(layer, sines)))


def _running(definition: q.RunningMaximum | q.RunningSum | q.RunningOutput) -> Formula:
    block = _block(definition.of, definition.axis, definition.start, definition.stop)
    if isinstance(definition, q.RunningMaximum):
        before: tuple[Formula, ...] = (Ref(definition.before),) if definition.before else ()
        return LineMaximum(Joined((*before, block), "columns"), "rows")
    powers = Exponential(SubtractPerLine(block, Ref(definition.largest), "rows"))
    kept: Formula | None = None
    if definition.before:
        kept = Exponential(Minus(Ref(definition.earlier), Ref(definition.largest)))
    if isinstance(definition, q.RunningSum):
        total: Formula = LineSum(powers, "rows")
        return total if kept is None else Plus(Hadamard(Ref(definition.before), kept), total)
    values = _block(
        definition.values, "columns" if definition.side == "rows" else "rows", definition.start, definition.stop
    )
    if definition.side == "columns":
        values, powers_turned = _untransposed(values), Transposed(powers)
        product: Formula = Times(values, powers_turned)
        return product if kept is None else Plus(Hadamard(Ref(definition.before), Transposed(kept)), product)
    product = Times(powers, _untransposed(values))
    return product if kept is None else Plus(Hadamard(Ref(definition.before), kept), product)


def _block(of: str, axis: q.Axis, start: int, stop: int) -> Formula:
    """Return the scores of some keys, with a row for each query; of values, some keys, with a row for each entry."""
    if axis == "rows":
        return Part(Ref(of), "columns", start - 1, stop)
    return Transposed(Part(Ref(of), "rows", start - 1, stop))


def _untransposed(formula: Formula) -> Formula:
    return formula.of if isinstance(formula, Transposed) else formula
