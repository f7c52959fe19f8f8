"""Rows in integers against closed forms, and against Arb."""

from __future__ import annotations

import pytest

from symattn.exact.decimals import TIES, Rounding
from symattn.exact.grid import Scores
from symattn.exact.integral import integer_matrix
from symattn.exact.matrix import Matrix
from symattn.exact.polynomial import Polynomial
from symattn.exact.row_digits import RowDigits


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("value", ["1/8", "-1/8", "3/8", "0", "1", "-1"])
def test_a_constant_column_is_its_value(value: str, ties: str) -> None:
    """An average of equal numbers is that number: a tie at two places for eighths, whatever the weights are."""
    values = integer_matrix(Matrix([[value, value, value]]))
    scores = Scores([[0, 1, 3]], [2], [1, 1, 1], Polynomial(1))
    ((_, outputs),) = RowDigits(scores, Rounding(places=2, ties=ties), values).rows()
    assert outputs == Matrix([[value]]).rounded(2, ties)[0]
