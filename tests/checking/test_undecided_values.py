"""Values that enclosures leave open: neither right nor wrong, in formulas for all entries and in working."""

from __future__ import annotations

from fractions import Fraction

import pytest

from symattn.checking.checker import Checker
from symattn.checking.evaluation.step_rounding import DEFAULT_TIES
from symattn.checking.expressions.numerals import Figure
from symattn.checking.grading.value_verdicts import Numbers
from symattn.checking.joint_resolution.indexed_statements import _is_same
from symattn.checking.joint_resolution.values import Values
from symattn.errors import UndecidedError
from symattn.exact.evaluation import Value
from symattn.exact.field.expsum import ExpSum
from symattn.exact.field.quotient import Quotient
from symattn.exact.linear.matrix import Matrix
from symattn.exact.reals.elementary import sqrt
from symattn.exact.rounding.bounds_cache import KeptBounds
from symattn.problem.model import Problem

FIRST, SECOND = (sqrt(Quotient(ExpSum.exp(k)) + 1) for k in (1, 2))
PRODUCT, EXPANDED = FIRST * (FIRST + SECOND), FIRST * FIRST + FIRST * SECOND
"""One number, in two forms without a closed one."""


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (PRODUCT, PRODUCT, True),
        (PRODUCT, EXPANDED, None),
        (PRODUCT, EXPANDED + Fraction(1, 10**9), False),
        (Matrix([[PRODUCT, 1]]), Matrix([[EXPANDED], [1]]), None),
        (Matrix([[PRODUCT, 1]]), Matrix([[EXPANDED], [2]]), False),
        (Matrix([[PRODUCT, 1]]), PRODUCT, False),
    ],
)
def test_only_what_is_proved_is_told(one: Value, other: Value, expected: bool | None) -> None:
    assert _is_same(one, other) is expected


class Open(Numbers):
    """Numbers with nothing but the bounds of values."""

    def __init__(self) -> None:
        self.kept, self.ties, self.strict, self.is_coarse = KeptBounds(), DEFAULT_TIES, False, False


def test_a_number_at_an_open_bound_of_rounding_is_no_evidence() -> None:
    """Nobody can say whether 0.9 is a rounding of a value that is 0.95 for all that enclosures tell."""
    value, written = EXPANDED - PRODUCT + Fraction(95, 100), Figure(Fraction(9, 10), Fraction(1, 10))
    with pytest.raises(UndecidedError):
        Open().close(written, value)
    graph = Checker(Problem.build(Q=[[1]], K=[[1]], V=[[1]])).graph
    assert not Values(graph, Open())._is_rounding(written, value)
