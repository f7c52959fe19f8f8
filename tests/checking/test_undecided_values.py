"""Values that enclosures leave open: neither right nor wrong, in formulas for all entries and in working."""

from __future__ import annotations

from fractions import Fraction

import pytest

from symattn.checking.joint_resolution.indexed_statements import _is_same
from symattn.exact.evaluation import Value
from symattn.exact.field.expsum import ExpSum
from symattn.exact.field.quotient import Quotient
from symattn.exact.linear.matrix import Matrix
from symattn.exact.reals.elementary import sqrt

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
