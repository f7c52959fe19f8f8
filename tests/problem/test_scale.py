"""Scales that cannot be, however they were made."""

from __future__ import annotations

import pytest

from symattn.errors import InputError
from symattn.exact.field.polynomial import Polynomial
from symattn.problem.settings.scale import Scale

MANY_ROOTS = sum((Polynomial.sqrt(p) for p in (2, 3, 5, 7, 11, 13, 17)), Polynomial.constant(1))


@pytest.mark.parametrize(
    ("kind", "value", "words"),
    [
        ("half", None, 'Unknown kind of scale: "half"'),
        ("none", Polynomial.constant(1), "does not match its value"),
        ("number", None, "does not match its value"),
    ],
)
def test_kinds_and_values_go_together(kind: str, value: Polynomial | None, words: str) -> None:
    with pytest.raises(InputError, match=words):
        Scale(kind, value)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (Polynomial.constant(0), "other than 0"),
        (Polynomial.symbol("t"), "must be a number"),
        (MANY_ROOTS, "no exact inverse"),
    ],
)
def test_temperatures_that_do_not_divide(value: Polynomial, words: str) -> None:
    with pytest.raises(InputError, match=words):
        Scale("temperature", value, "t").factor(2)
