"""Exact values of a draw: the answers that enclosures leave open, and the confirmation of what is accepted."""

from __future__ import annotations

from fractions import Fraction

from symattn.checking.graph.formulas import Cell
from symattn.checking.graph.quantities import Graph, Valuation
from symattn.checking.graph.scalar_values import Round, ScalarValues
from symattn.courses.variants.numbers import Numbers, UndefinedNumberError
from symattn.exact.field.quotient import Quotient
from symattn.exact.rounding.bounds_cache import KeptBounds
from symattn.exact.rounding.quotients import Rounding, magnitude, round_exact
from symattn.operations.formulas.formula import Apply
from symattn.operations.table import TABLE
from symattn.problem.settings.policy import Policy


class ExactNumbers(Numbers[Fraction]):
    """Exact numbers of one draw under one rounding policy.

    Args:
        graph: the quantities with the values of the inputs.
        policy: the rounding of steps.
    """

    one = Fraction(1)

    def __init__(self, graph: Graph, policy: Policy) -> None:
        super().__init__(graph, policy)
        self._kept = KeptBounds()
        self._values = Valuation(graph, raises=True) if not policy.steps else _StepValues(graph, self, self._kept)

    def met(self, name: str, i: int, j: int) -> list[Quotient]:
        """Return the numbers that are rounded on the way to an entry: products, and the entry before its rounding."""
        values, cell = self._values, (name, i, j)
        if isinstance(values, _StepValues):
            values.get(*cell)
            found = values.met[cell]
        else:
            found = [values.get(*cell)]
        known = [value for value in found if value is not None]
        if len(known) < len(found):
            raise UndefinedNumberError
        return known

    def value(self, name: str, i: int, j: int) -> Quotient | None:
        """Return an entry as it is used further."""
        return self._values.get(name, i, j)

    def printed(self, name: str, i: int, j: int) -> Fraction | None:
        """Return an entry as it is printed; None for a hidden score."""
        of = self.met(name, i, j)[-1]
        return self._kept.round_exact(of, self.display(name)) if of.is_finite else None

    def is_clear(self, number: Quotient, rounding: Rounding, margin: Fraction) -> bool:
        """Return whether a number keeps its distance from rounding boundaries, by two exact comparisons."""
        if not number.is_finite or number.is_zero:
            return True
        places = rounding.places
        if places is None:
            places = (rounding.figures or 1) - 1 - _first_figure(number, self._kept)
        last = Fraction(1, 10) ** places
        middle = self._kept.round_exact(number, Rounding(places=places)) if places >= 0 else _to(number, last)
        reach = last * (Fraction(1, 2) - margin)
        return self.is_between(number, middle - reach, middle + reach)

    def is_between(self, number: Quotient, low: Fraction, high: Fraction) -> bool:
        """Return whether a number lies between two others."""
        return self._kept.side(number, low) >= 0 and self._kept.side(number, high) <= 0

    def is_zero(self, number: Quotient) -> bool:
        """Return whether a number is 0."""
        return number.is_zero

    def rational(self, number: Quotient) -> Fraction:
        """Return a number that is known to be rational."""
        found = number.rational()
        if found is None:
            raise ValueError("a number that is not rational")
        return found


class _StepValues(Valuation):
    """Values under rounding of steps and products, with the numbers that were rounded."""

    def __init__(self, graph: Graph, numbers: ExactNumbers, kept: KeptBounds) -> None:
        super().__init__(graph, rounded=lambda _, value: value, raises=True)
        self._numbers = numbers
        self._kept = kept
        self._products: list[Quotient | None] = []
        self.met: dict[Cell, list[Quotient | None]] = {}

    def step(self, cell: Cell) -> Quotient | None:
        """Return the value of an entry, rounded as the policy says."""
        if cell not in self.met:
            formula = self.graph.nodes[cell[0]].formula
            value = self.graph.given[cell[0]][cell[1], cell[2]] if formula is None else self.entry(formula, *cell[1:])
            products = self._taken() if isinstance(formula, Apply) and TABLE[formula.operation].products else []
            self.met[cell] = [*products, value]
            self._found[cell] = self._rounded(value, self._numbers.rounding(cell[0]))
        return self._found[cell]

    def folded(self, formula: Apply, product: Round | None = None) -> ScalarValues:
        """Return the values of scalar expressions, with rounded products where the policy rounds them."""
        rounding = self._numbers.policy.at("products") if TABLE[formula.operation].products else None

        def rounded(value: Quotient | None) -> Quotient | None:
            self._products.append(value)
            return self._rounded(value, rounding)

        return super().folded(formula, product if rounding is None else rounded)

    def _taken(self) -> list[Quotient | None]:
        found, self._products = self._products, []
        return found

    def _rounded(self, value: Quotient | None, rounding: Rounding | None) -> Quotient | None:
        if value is None or rounding is None or not value.is_finite:
            return value
        return self._kept.round_value(value, rounding)


def _first_figure(number: Quotient, kept: KeptBounds) -> int:
    """Return the exponent of ten of the first significant figure of a number itself, before any rounding."""
    found = magnitude(number)
    power = Fraction(10) ** found
    is_below = kept.side(number, -power) > 0 and kept.side(number, power) < 0
    return found - 1 if is_below else found


def _to(number: Quotient, last: Fraction) -> Fraction:
    """Return the multiple of a power of ten above 1 that is nearest to a number."""
    return round_exact(number * Quotient.of(1 / last), Rounding(places=0)) * last
