"""Central differences at high precision: the slope of a loss at one entry of one input, by the forward pass alone.

The layers are those of the dual numbers, with a soft cap and a cross-entropy besides, in floating point of mpmath.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from random import Random
from typing import Any

import mpmath

from symattn.exact.field.polynomial import Polynomial
from symattn.problem.model import Problem
from tests.attention.duals import Case, Table, total
from tests.attention.gradient_cases import drawn, problem_of

DIGITS = 60
_WORKING = 100
_STEP = mpmath.mpf(10) ** -32


@dataclass(frozen=True)
class Big:
    """A floating-point number with the methods of a dual one."""

    value: Any

    def __add__(self, other: Big) -> Big:
        return Big(self.value + other.value)

    def __mul__(self, other: Big) -> Big:
        return Big(self.value * other.value)

    def __truediv__(self, other: Big) -> Big:
        return Big(self.value / other.value)

    def exp(self) -> Big:
        return Big(mpmath.exp(self.value))


def _big(value: Fraction | Polynomial | int) -> Any:
    if isinstance(value, Polynomial):
        # A scale is the root of a rational number.
        square = (value * value).rational()
        assert square is not None
        return mpmath.sqrt(_big(square))
    fraction = Fraction(value)
    return mpmath.mpf(fraction.numerator) / fraction.denominator


@dataclass(frozen=True)
class Measured(Case):
    """A layer whose loss is measured."""

    cap: Fraction | None = None
    labels: tuple[int, ...] = ()

    def number(self, value: Fraction | Polynomial | int) -> Big:  # type: ignore[override]
        return Big(_big(value))

    def capped(self, score: Big) -> Big:  # type: ignore[override]
        cap = None if self.cap is None else _big(self.cap)
        return score if cap is None else Big(cap * mpmath.tanh(score.value / cap))

    def loss_of(self, moved: tuple[str, int, int] | None = None, by: Any = 0) -> Any:
        """The loss, with one entry of one input moved."""
        found: dict[str, Any] = {
            key: [
                [Big(_big(v) + (by if (key, i, j) == moved else 0)) for j, v in enumerate(line)]
                for i, line in enumerate(table)
            ]
            for key, table in self.inputs.items()
        }
        outputs = self.outputs(found)
        return self._cross_entropy(outputs) if self.labels else self._loss(outputs).value

    def _cross_entropy(self, outputs: Table) -> Any:
        losses = []
        for line, label in zip(outputs, self.labels, strict=True):
            below = total([item.exp() for item in line])
            losses.append(mpmath.log(below.value) - line[label - 1].value)
        return mpmath.fsum(losses)

    def measured(self, name: str, row: int, column: int) -> Any:
        """The slope at one entry, right to about the square of the step."""
        with mpmath.workdps(_WORKING):
            above, below = (self.loss_of((name, row, column), sign * _STEP) for sign in (1, -1))
            return (above - below) / (2 * _STEP)

    def problem(self) -> Problem:
        """The problem that declares it."""
        keys = dict(self.keys) if self.cap is None else {**self.keys, "softcap": str(self.cap)}
        if not self.labels:
            return problem_of(replace(self, keys=keys))
        gradient = {"loss": "cross-entropy", "labels": list(self.labels)}
        own = {name: table for name, table in self.inputs.items() if "^" not in name}
        return Problem.build(inputs=own, **keys, gradient=gradient)


def measured(seed: int, kind: str) -> Measured:
    """A drawn layer with a soft cap, a cross-entropy, or both."""
    case, dice = drawn(seed), Random(seed)
    found = Measured(case.inputs, case.keys, case.hidden, case.added, case.scale, case.loss, case.target)
    if kind != "cross-entropy":
        found = replace(found, cap=dice.choice([Fraction(1), Fraction(2), Fraction(3, 2)]))
    if kind != "softcap":
        outputs = _outputs(found)
        labels = tuple(dice.randint(1, len(outputs[0])) for _ in outputs)
        found = replace(found, loss=None, target=None, labels=labels)
    return found


def _outputs(case: Measured) -> Table:
    numbers: dict[str, Any] = {
        name: [[Big(_big(value)) for value in line] for line in table] for name, table in case.inputs.items()
    }
    return case.outputs(numbers)
