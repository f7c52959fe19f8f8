"""Step rounding of a sheet: the values that its steps lead to, and the numbers that it accepts for a value."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from symattn.checking.expressions.numerals import Closeness, Figure
from symattn.checking.graph.formulas import Cell
from symattn.checking.graph.quantities import Graph, Rounded, Valuation
from symattn.checking.graph.scalar_values import Round, ScalarValues
from symattn.exact.field.quotient import Quotient
from symattn.exact.rounding.bounds_cache import KeptBounds
from symattn.exact.rounding.quotients import Rounding, magnitude
from symattn.operations.formulas.formula import Apply, Formula, is_of
from symattn.operations.table import TABLE
from symattn.records import dataclass

_FINE = 4
"""Places that are enough whatever the sheet asks for: a look behind its rounding."""

DEFAULT_TIES = "half-up"


def _exactly(_: str) -> None:
    return None


@dataclass(frozen=True, slots=True)
class StepRounding:
    """Rounding that a sheet prescribes for the values that are used further.

    Attributes:
        of: the rounding of a quantity, None where it is used with all digits.
        products: the rounding of each product of a sum.
        ties: the sheet's rule for ties, which may also cut everything off.
    """

    of: Callable[[str], Rounding | None] = _exactly
    products: Rounding | None = None
    ties: str = DEFAULT_TIES


UNROUNDED = StepRounding()


def rounded_by(of: Callable[[str], Rounding | None], kept: KeptBounds) -> Rounded:
    """Return the rounding of values before they are used further.

    Args:
        of: the rounding of a quantity, None where it is used with all digits.
        kept: bounds of values that are asked for again and again.
    """

    def rounded(name: str, value: Quotient) -> Quotient:
        rounding = None if value.symbols or not value.is_finite else of(name)
        return value if rounding is None else kept.round_value(value, rounding)

    return rounded


class RoundedValuation(Valuation):
    """Values of all entries from earlier written numbers, each step rounded alike, and exponentials inside of it too.

    Args:
        graph: the quantities.
        written: entries with the value that is used of them.
        rounding: the rounding of everything.
        kept: bounds of values that are asked for again and again.
    """

    def __init__(self, graph: Graph, written: Mapping[Cell, Quotient], rounding: Rounding, kept: KeptBounds) -> None:
        self.round = rounded_by(lambda _: rounding, kept)
        super().__init__(graph, written, rounded=self.round)

    def entry(self, formula: Formula, i: int, j: int) -> Quotient | None:
        """Return one entry of a formula."""
        value = super().entry(formula, i, j)
        return value if value is None or not is_of(formula, "exponential") else self.round("", value)


class PrescribedValuation(Valuation):
    """Values of all entries from earlier written numbers, each step and product rounded as the sheet says.

    Args:
        graph: the quantities.
        written: entries with the value that is used of them.
        steps: the rounding that the sheet prescribes.
        kept: bounds of values that are asked for again and again.
        ignore: quantities whose written entries are not used.
        others: the rounding of values after that of the sheet.
    """

    def __init__(
        self,
        graph: Graph,
        written: Mapping[Cell, Quotient],
        steps: StepRounding,
        kept: KeptBounds,
        ignore: frozenset[str] = frozenset(),
        *,
        others: Callable[[str, Quotient], Quotient],
    ) -> None:
        by_step = rounded_by(steps.of, kept)
        super().__init__(graph, written, ignore, lambda name, value: others(name, by_step(name, value)))
        products = steps.products
        self.product = None if products is None else rounded_by(lambda _: products, kept)

    def folded(self, formula: Apply, product: Round | None = None) -> ScalarValues:
        """Return the values of scalar expressions over the operands of a formula, with rounded products."""
        rounded = self.product if TABLE[formula.operation].products else None
        if rounded is None:
            return super().folded(formula, product)
        return super().folded(formula, lambda one: None if one is None else rounded("", one))


def is_as_asked(written: Figure, value: Quotient, asked: Rounding, kept: KeptBounds) -> bool:
    """Return whether a number is a value rounded as the sheet asks."""
    return written.unit is not None and kept.rounds_to(value, written.value, asked)


def is_finer(written: Figure, value: Quotient, close: Closeness, asked: Rounding, kept: KeptBounds) -> bool:
    """Return whether a number is a value rounded to more places than the sheet asks for, or to many."""
    more = places_more(written, value, asked)
    # What has just the places that are asked for is cut off where the sheet cuts off.
    is_other = more == 0 and asked.ties == "truncate" and not is_as_asked(written, value, asked, kept)
    return close == "rounded" and (more > 0 or ((written.places or 0) >= _FINE and not is_other))


def places_more(written: Figure, exact: Quotient, asked: Rounding) -> int:
    """Return how many more places a number has than are asked for, negative when it has fewer."""
    if written.places is None:
        return 0
    if asked.places is not None:
        return written.places - asked.places
    count = asked.figures or 1
    if exact.is_zero or exact.symbols:
        return 0
    # The first figure stands at 10^magnitude.
    return written.places - (count - 1 - magnitude(exact))
