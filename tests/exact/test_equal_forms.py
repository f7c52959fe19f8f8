"""Values that are equal by construction and written otherwise are never called different."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
import sympy
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import symattn as sa
from symattn.errors import InputError
from symattn.exact.field.expsum import ExpSum
from symattn.exact.field.polynomial import Polynomial
from symattn.exact.field.quotient import Quotient
from symattn.exact.interop.generators import with_shared_generators
from symattn.exact.linear.matrix import Matrix

X, Y, N = sympy.Symbol("x"), sympy.Symbol("y", real=True), sympy.Symbol("n", negative=True)
D = sympy.Symbol("d_k", positive=True)
ENTRIES = sympy.MatrixSymbol("M", 2, 2)
HALF = sympy.Rational(1, 2)
POWERS = [0, HALF, -HALF, 1, -1, 3 * HALF, -3 * HALF, 2, -2]

atoms: st.SearchStrategy[Any] = st.sampled_from(
    [X, Y, N, D, ENTRIES[0, 1], *(D**power for power in POWERS[1:]), 1 / X, sympy.sqrt(2), sympy.Rational(3, 2)]
)
exponents = st.tuples(atoms, atoms, st.booleans()).map(
    lambda parts: parts[0] * parts[1] if parts[2] else sum(parts[:2])
)
expressions = st.recursive(
    atoms | exponents.map(sympy.exp),
    lambda inner: st.one_of(
        st.tuples(inner, inner).map(lambda pair: pair[0] + pair[1]),
        st.tuples(inner, inner).map(lambda pair: pair[0] * pair[1]),
        st.tuples(inner, inner).map(lambda pair: pair[0] / pair[1] if pair[1] != 0 else pair[0]),
        inner.map(lambda value: value**2),
    ),
    max_leaves=4,
)
Rewrite = Callable[[Any, Any], Any]
REWRITES: list[Rewrite] = [
    lambda value, _: sympy.expand(value),
    lambda value, _: sympy.together(value),
    lambda value, _: sympy.powsimp(value),
    lambda value, _: sympy.radsimp(value),
    lambda value, _: sympy.expand_power_exp(value),
    lambda value, _: value.xreplace({D: sympy.Pow(sympy.sqrt(D), 2, evaluate=False)}),
    lambda value, other: sympy.Add(value, other, -other, evaluate=False),
    lambda value, other: sympy.Mul(value, other, 1 / other, evaluate=False),
    lambda value, other: sympy.expand(value * (1 + sympy.exp(other * other))) / (1 + sympy.exp(other * other)),
]


@pytest.mark.long
@settings(max_examples=200, deadline=None)
@given(expressions, atoms, st.sampled_from(REWRITES))
def test_forms_of_an_expression_are_not_different(value: Any, other: Any, rewrite: Rewrite) -> None:
    written = rewrite(value, other)
    assume(not written.has(sympy.zoo, sympy.nan))
    verdict = sa.equal(value, written)
    assert verdict.is_equal, verdict
    assert not sa.equal(value, written + 1).is_equal


def scaled_attention(score: Any, value: Any, powers: list[Any]) -> Any:
    """Attention whose queries, keys and scale hold one power of d_k each."""
    query, key, scale = (D**power for power in powers)
    return sa.attention(Q=[[score * query, query]], K=[[key, 0], [0, 2 * key]], V=[[value], [3 * Y]], scale=scale)


def shares(total: int, cuts: list[int], unit: Any) -> list[Any]:
    """Three powers with one sum, as the cuts share it out."""
    first, second = sorted(cut % (total + 1) for cut in cuts)
    return [unit * part for part in (first, second - first, total - second)]


@pytest.mark.long
@settings(max_examples=50, deadline=None)
@given(
    st.sampled_from([X, Y, X + Y, X * Y, sympy.Integer(2)]),
    st.integers(0, 3),
    st.integers(1, 4),
    st.lists(st.integers(0, 4), min_size=4, max_size=4),
    st.sampled_from([HALF, -HALF]),
)
def test_results_in_other_powers_of_a_symbol_are_not_different(
    score: Any, power: int, total: int, cuts: list[int], unit: Any
) -> None:
    value = X * D ** (unit * power)
    first, second = (scaled_attention(score, value, shares(total, part, unit)) for part in (cuts[:2], cuts[2:]))
    for name in ("A", "E", "Z", "O"):
        one, other = first[name], second[name]
        for pair in ((one, other), (one[0, 0], other[0, 0]), (one.sympy(), other), (one, other.sympy())):
            assert sa.equal(*pair).is_equal, (name, *pair)
        assert sa.equal(one[0, 0], other[0, 0] + 1).is_different


ROOT, PLAIN, OVER, OVER_ROOT = map(Polynomial.symbol, ("sqrt(d)", "d", "1/d", "1/sqrt(d)"))
exp = ExpSum.exp


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (ROOT * ROOT, PLAIN),
        (Quotient(1, PLAIN), OVER),
        (Quotient(1, ROOT), OVER_ROOT),
        (OVER_ROOT * OVER_ROOT, OVER),
        (PLAIN * OVER, 1),
        (Quotient(OVER, OVER_ROOT), Quotient(1, ROOT)),
        (exp(OVER_ROOT) * PLAIN, Quotient(exp(OVER_ROOT), OVER)),
        (exp(ROOT * ROOT) * exp(OVER), exp(PLAIN + OVER_ROOT * OVER_ROOT)),
        (exp(PLAIN * OVER * PLAIN), exp(PLAIN)),
        (Quotient(exp(PLAIN) + OVER, OVER), exp(ROOT**2) * PLAIN + 1),
    ],
)
def test_powers_of_one_symbol(first: Any, second: Any) -> None:
    assert sa.equal(first, second).is_equal
    assert sa.equal(Matrix([[first]]), Matrix([[second]])).is_equal
    assert sa.equal(Quotient.of(first) * PLAIN, second).is_different
    assert sa.equal(first, Quotient.of(second) * exp(OVER)).is_different


def test_the_point_that_tells_values_apart_is_one_of_the_symbol() -> None:
    assert sa.equal(Quotient(ROOT), OVER).evidence == ("at d = 1/4 the difference is -3.50000",)
    assert sa.equal(Quotient(PLAIN), OVER + 1).evidence == ("at d = 1 the difference is -1.00000",)


def test_values_without_shared_symbols_stay_as_they_are() -> None:
    first, second = Quotient(exp(ROOT), PLAIN.symbol("e")), Quotient(OVER_ROOT.symbol("f"))
    assert with_shared_generators(first, second) == (first, second)


def test_entries_of_other_matrices_than_symbols_are_left_open() -> None:
    n = sympy.Symbol("n", integer=True)
    assert sa.equal((ENTRIES**n)[0, 0], ENTRIES[0, 0]).is_undecided
    i = sympy.Symbol("i", integer=True)
    assert sa.equal(ENTRIES[i, 0], ENTRIES[1, 0]).is_undecided
    assert sa.equal(ENTRIES[0, 0] * 2, ENTRIES[0, 0] + ENTRIES[0, 0]).is_equal


def test_symbols_of_one_name_are_not_taken_for_each_other() -> None:
    make = partial(sa.attention, K=[[1], [0]], V=[[1], [0]], scale="none")
    plain, positive = (make(Q=[[symbol]]).A for symbol in (X, sympy.Symbol("x", positive=True)))
    for other in (positive, positive.sympy(), positive.T):
        with pytest.raises(InputError, match="both called x"):
            sa.equal(plain, other)
