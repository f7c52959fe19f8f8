"""The forms in which a key shows numbers: closed forms, or decimals in their place where they would be long."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from symattn.exact.field.quotient import Quotient
from symattn.exact.rounding.quotients import Rounding, round_value
from symattn.graph.quantities.closed_forms import reads_as_decimal
from symattn.graph.quantities.definition import GIVEN
from symattn.graph.quantities.quantity import Quantity

_LONG = 1000
"""From this on an integer makes a fraction or a root hard to read."""

_MAX_TERMS = 2
_MAX_CONSTANTS = 2


def in_forms(quantities: Iterable[Quantity], forms: str, *, decimals: bool) -> dict[str, Quantity]:
    """Return quantities by their names, those with roots or long fractions in the style of decimals where asked.

    Args:
        quantities: of one layer.
        forms: ``"closed"``, ``"decimals"``, or ``"auto"``: decimals where any closed form is long.
        decimals: whether the numbers of the problem are decimals, which roots do not go with.
    """
    made = {quantity.name: quantity for quantity in quantities}
    open_ones = [quantity for quantity in made.values() if _has_a_choice(quantity)]
    if forms == "auto" and any(_is_long(value, decimals=decimals) for item in open_ones for value in item.exact):
        forms = "decimals"
    if forms != "decimals":
        return made
    for quantity in open_ones:
        if not all(_is_short_number(value, quantity.display) for value in quantity.exact):
            made[quantity.name] = replace(quantity, style="decimal")
    return made


def _has_a_choice(quantity: Quantity) -> bool:
    """Return True for a matrix that is worked out, and that is no decimal already."""
    is_made = quantity.definition.rule != GIVEN or quantity.form is not None
    return is_made and not quantity.scalar and quantity.style == "rational"


def _is_long(value: Quotient, *, decimals: bool) -> bool:
    """Return True if a closed form is hard to read, or is a root or a constant among decimals."""
    polynomial = value.polynomial() if value.is_finite and value.is_closed and not value.symbols else None
    if polynomial is None:
        return False
    rational = value.rational()
    if rational is not None:
        return rational.denominator >= _LONG and not reads_as_decimal(rational)
    terms = polynomial.terms
    constants = sum(power for (_, powers), _ in terms for _, power in powers)
    is_large = any(max(root, abs(c.numerator), c.denominator) >= _LONG for (root, _), c in terms)
    return decimals or is_large or len(terms) > _MAX_TERMS + 1 or constants > _MAX_CONSTANTS


def _is_short_number(value: Quotient, rounding: Rounding) -> bool:
    """Return True for what stays as it is beside decimals: a number that ends there, infinity, or a symbol."""
    if not value.is_finite or value.symbols:
        return True
    return value.rational() is not None and round_value(value, rounding) == value
