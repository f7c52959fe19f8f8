"""Signs and order: against Arb, with one and with several roots, at any gap."""

from __future__ import annotations

from fractions import Fraction
from functools import cmp_to_key
from random import Random

import pytest

from symattn.errors import SymbolicValueError
from symattn.exact.field.expsum import ExpSum
from symattn.exact.field.polynomial import Polynomial
from symattn.exact.field.quotient import Quotient
from symattn.exact.reals.constants import named
from symattn.exact.reals.elementary import sqrt
from symattn.exact.reals.sign import are_different, compare, sign
from tests.exact import rows
from tests.exact.arb_oracle import sign_of_sum


@pytest.mark.parametrize("radicand", [1, 2, 3])
def test_random_signs(radicand: int) -> None:
    r = Random(radicand)
    theta = Polynomial.sqrt(radicand)
    for _ in range(150):
        gap = 10 ** r.choice([0, 0, 3, 12, 30])
        collected: dict[Fraction, Fraction] = {}
        for _ in range(r.randint(1, 6)):
            collected[rows.fraction(r) * r.choice([1, gap])] = rows.fraction(r) or Fraction(1)
        value = sum((ExpSum.exp(theta * k) * c for k, c in collected.items()), ExpSum())
        assert sign(value) == sign_of_sum(collected, radicand)
        assert sign(-value) == -sign_of_sum(collected, radicand)


def test_different_is_what_is_proved_to_be() -> None:
    """Two ways to write one number that no closed form holds are neither equal by their form nor told apart."""
    a, b = (sqrt(Quotient(ExpSum.exp(k)) + 1) for k in (1, 2))
    product, expanded = a * (a + b), a * a + a * b
    assert product != expanded
    assert not are_different(product, expanded)
    assert are_different(product, expanded + Fraction(1, 10**9))
    assert not are_different(product, product)


def test_functions_of_symbols_differ_by_their_forms_where_no_constant_is_in_them() -> None:
    x = Quotient(Polynomial.symbol("x"))
    assert are_different(x, x + 1)
    assert not are_different(x * x - 1, (x - 1) * (x + 1))
    cosine, sine = (Quotient(named(name, Polynomial(1))) for name in ("cos", "sin"))
    assert not are_different(x * (cosine * cosine + sine * sine), x)


def test_several_roots() -> None:
    root = Polynomial.sqrt
    # sqrt 2 + sqrt 3 = 3.14626..., against 22/7 and against its own square root's expansion
    assert sign(ExpSum.exp(root(2) + root(3)) - ExpSum.exp(Fraction(22, 7))) == 1
    assert sign(ExpSum(root(2) + root(3) - Fraction(3146264369941972342, 10**18))) == 1
    assert sign(ExpSum(root(2) + root(3) - Fraction(3146264369941972343, 10**18))) == -1
    assert sign(ExpSum((root(2) + root(3)) ** 2 - 5 - 2 * root(6))) == 0
    assert sign(ExpSum.exp(root(2) * root(3)) - ExpSum.exp(root(6))) == 0


def test_close_exponentials() -> None:
    tiny = Fraction(1, 10**200)
    assert sign(ExpSum.exp(1 + tiny) - ExpSum.exp(1)) == 1
    assert sign(ExpSum.exp(1) * (1 + tiny) - ExpSum.exp(1 + tiny)) == -1  # 1 + t < e^t
    assert sign(ExpSum.exp(1) * (1 + tiny + tiny**2) - ExpSum.exp(1 + tiny)) == 1


def test_order() -> None:
    values: list[tuple[Quotient, int]] = [
        (Quotient(ExpSum.exp(k), ExpSum.exp(k) + 1), k) for k in (5, -3, 0, 2, -40, 40)
    ]
    by_value = cmp_to_key(compare)
    values.sort(key=lambda pair: by_value(pair[0]))
    assert [k for _, k in values] == [-40, -3, 0, 2, 5, 40]


def test_quotients() -> None:
    e = ExpSum.exp(1)
    assert sign(Quotient(e - 3, e)) == -1
    assert sign(Quotient(e - 3, 2 - e)) == 1
    assert sign(Quotient(0, e)) == 0


def test_symbols() -> None:
    a, b = Polynomial.symbol("a"), Polynomial.symbol("b")
    with pytest.raises(SymbolicValueError, match="free symbol a: give it a value"):
        sign(ExpSum.exp(a))
    with pytest.raises(SymbolicValueError, match="free symbols a, b: give each a value"):
        compare(Quotient(ExpSum.exp(a)), Quotient(b))
    assert compare(Quotient(ExpSum.exp(a)), Quotient(ExpSum.exp(a))) == 0
