"""Quantities as JSON: exact, decimal and step-rounded values as rows of strings; and the convention of a problem."""

from __future__ import annotations

from collections.abc import Mapping

from symattn.exact.field.expsum import ExpSum
from symattn.exact.field.polynomial import Polynomial
from symattn.exact.field.quotient import Quotient
from symattn.exact.reals.special_values import UNDEFINED
from symattn.exact.rounding.printed import digits
from symattn.exact.rounding.quotients import Rounding
from symattn.graph.quantities.quantity import Quantity
from symattn.notation.writers.plain import write_plain
from symattn.problem.components import formulas
from symattn.problem.model import Problem
from symattn.problem.settings.conventions import DEFINED


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
