"""Quantities as JSON: exact, decimal and step-rounded values as rows of strings; and the convention of a problem."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from symattn import late
from symattn.exact.field.expsum import ExpSum
from symattn.exact.field.polynomial import Polynomial
from symattn.exact.field.quotient import Quotient
from symattn.exact.reals.enclosure import Exponentials
from symattn.exact.reals.special_values import UNDEFINED
from symattn.exact.rounding.quotients import Rounding, decimals, magnitude
from symattn.graph.quantities.quantity import Grid, Quantity
from symattn.notation.writers.plain import write_plain
from symattn.problem.model import Problem
from symattn.problem.settings.conventions import DEFINED

if TYPE_CHECKING:
    from symattn.problem.components import formulas
else:
    formulas = late.module("symattn.problem.components.formulas")

_MANY_DIGITS = 1000
_BITS = 64


def quantities_json(
    quantities: Mapping[str, Quantity], problem: Problem, rounding: Rounding | None
) -> dict[str, object]:
    """Return quantities for machines, each with its declared name, or as the key writes it: ``U`` for scaled scores."""

    def label(name: str, quantity: Quantity) -> str:
        return name if problem.kind == DEFINED else problem.names.get(name) or write_plain(quantity.symbol)

    return {name: quantity_json(item, label(name, item), rounding) for name, item in quantities.items()}


def quantity_json(quantity: Quantity, label: str, rounding: Rounding | None) -> dict[str, object]:
    """Return one quantity for machines: exact, decimal and step-rounded values as rows of strings."""
    return {
        "label": label,
        "shape": list(quantity.shape),
        "exact": [[None if value is UNDEFINED else _exact_text(value) for value in row] for row in quantity.exact.rows],
        "decimal": digits(quantity.exact.rows, rounding or quantity.display),
        "stepwise": digits(quantity.carried, quantity.rounding or quantity.display),
    }


def _exact_text(value: Quotient) -> str | None:
    """Return the closed form as built; where its denominator divides out, without it. None where there is none.

    >>> e = Quotient.of(ExpSum.exp(1))
    >>> _exact_text(e / (e + 1)), _exact_text(e * e / (e * 2))
    ('exp(1)/(exp(1) + 1)', '1/2*exp(1)')
    """
    if not value.is_finite:
        return str(value)
    if not value.is_closed:
        return None
    found = value.polynomial()
    if found is not None:
        return str(found)
    (exponent, coefficient), *others = value.denominator.terms()
    inverse = None if others else Polynomial(1).divide(coefficient)
    return str(value if inverse is None else value.numerator * ExpSum.exp(-exponent) * inverse)


def digits(rows: Grid, rounding: Rounding) -> list[list[str | None]]:
    """Return certified strings, null where a value is undefined, has a free symbol, or has thousands of digits."""
    printable = [[_is_printable(value, rounding) for value in row] for row in rows]
    pairs = zip((value for row in rows for value in row), (item for row in printable for item in row), strict=True)
    texts = iter(decimals([value for value, is_shown in pairs if value is not None and is_shown], rounding))
    return [[next(texts) if is_shown else None for is_shown in row] for row in printable]


def _is_printable(value: Quotient | None, rounding: Rounding) -> bool:
    if value is None or value.symbols or value is UNDEFINED:
        return False
    if not value.is_finite:
        return True
    # Only exponentials can be so large: plain rationals, and values rounded to figures, are short.
    if rounding.places is None or value.plain_rational() is not None or _is_surely_short(value):
        return True
    return magnitude(value) < _MANY_DIGITS


def _is_surely_short(value: Quotient) -> bool:
    """Return whether bounds in powers of two show that a value is not large, in little time even for tiny values."""
    if value.has_constants:
        return False
    table = Exponentials(_BITS)
    top, bottom = table.sum(value.numerator), table.sum(value.denominator)
    if not bottom.excludes_zero:
        return False
    above = (abs(top.mid) + top.rad).bit_length() + top.exp + value.denominator.integers[1].bit_length()
    below = (abs(bottom.mid) - bottom.rad).bit_length() - 1 + bottom.exp
    return above - below < _MANY_DIGITS * 3


def convention_json(problem: Problem) -> dict[str, object]:
    """Return the convention of a problem: its declarations, or the formulas of the sheet, which say it themselves."""
    defaults = list(problem.defaults_used)
    if problem.kind == DEFINED:
        return {
            "definitions": {name: formulas.text_of(formula) for name, formula in problem.definitions.items()},
            "defaults": defaults,
        }
    scale = problem.scale
    is_temperature = scale.kind == "temperature"
    return {
        "tokens": problem.tokens,
        "projection": problem.projection or None,
        "scores": problem.scores,
        "softmax": problem.softmax,
        "scale": f"1/({scale.text})" if is_temperature else scale.text or scale.kind,
        **({"temperature": scale.text} if is_temperature else {}),
        "outputs": problem.convention.outputs,
        **(_further(problem) if problem.beyond else {}),
        "defaults": defaults,
    }


def _further(problem: Problem) -> dict[str, object]:
    """Return the declarations of a problem beyond a plain layer."""
    return {
        "order": list(problem.used),
        "score": problem.score,
        "mask": problem.mask.describe() if problem.mask is not None and problem.mask.hides else None,
        "bias": problem.bias.describe() if problem.bias is not None else None,
        "softmax_one": problem.softmax_one,
        "fully_masked": problem.fully_masked,
        "heads": problem.heads,
        "kv_heads": problem.kv_heads,
        "combine": problem.combine,
        **({} if problem.positions is None else {"positions": problem.positions.describe()}),
        **({"cached": problem.cached} if problem.cached else {}),
        **({"online": problem.online} if problem.online else {}),
        **({} if problem.block is None else {"block": problem.block.as_json()}),
    }
