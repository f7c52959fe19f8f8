"""TRUSTED. Digits of what has no exact value to reckon with here, made again from its definition."""

from __future__ import annotations

from fractions import Fraction

from symattn.exact.field.quotient import Quotient
from symattn.exact.laws.entropy import entropy
from symattn.exact.rounding.quotients import fixed_bounds, format_rational
from symattn.graph.quantities import quantity as q
from symattn.graph.quantities.scene import Entry, Scene

_BITS = (64, 256, 1024)


def certified_digits(scene: Scene, target: Entry) -> str | None:
    """Return the digits of an entropy or of a total, None where they do not settle or nothing defines them."""
    quantity = scene.quantity(target)
    match quantity.definition:
        case q.EntropyOf(of, axis):
            low, high = entropy(_line(scene, of, axis, target.row), quantity.display)
            return low if low == high else None
        case q.TotalOf(of, axis):
            across: q.Axis = "columns" if axis == "rows" else "rows"
            return _total(_line(scene, of, across, target.row), quantity)
    return None


def _line(scene: Scene, name: str, axis: q.Axis, number: int) -> list[Quotient]:
    rows = scene.quantities[name].exact.rows
    return list(rows[number - 1]) if axis == "rows" else [row[number - 1] for row in rows]


def _total(values: list[Quotient], quantity: q.Quantity) -> str | None:
    for bits in _BITS:
        ends = fixed_bounds(values, bits)
        unit = Fraction(1, 1 << bits)
        low, high = (sum(end) * unit for end in zip(*ends, strict=True))
        digits = format_rational(low, quantity.display)
        if digits == format_rational(high, quantity.display):
            return digits
    return None
