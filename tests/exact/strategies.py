"""Hypothesis strategies for exact values: small rationals, polynomials, sums, score matrices."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import strategies as st

from symattn.exact.field.expsum import ExpSum
from symattn.exact.field.polynomial import Polynomial
from symattn.exact.linear.matrix import Matrix

NAMES = ("a", "beta", "x_1")


def fractions(size: int = 20, denominator: int = 9) -> st.SearchStrategy[Fraction]:
    return st.builds(Fraction, st.integers(-size, size), st.integers(1, denominator))


def constants() -> st.SearchStrategy[Polynomial]:
    """Elements of Q(sqrt 2, sqrt 3, sqrt 5)."""
    terms = st.tuples(st.sampled_from([1, 2, 3, 5, 6, 30]), fractions())
    return st.lists(terms, max_size=3).map(lambda items: sum((Polynomial.sqrt(m) * c for m, c in items), Polynomial()))


def polynomials() -> st.SearchStrategy[Polynomial]:
    leaves = constants() | st.sampled_from(NAMES).map(Polynomial.symbol)
    pairs = st.lists(st.tuples(leaves, leaves), max_size=3)
    return pairs.map(lambda items: sum((p * q for p, q in items), Polynomial()))


def sums(exponents: st.SearchStrategy[Polynomial] | None = None) -> st.SearchStrategy[ExpSum]:
    terms = st.tuples(exponents or polynomials(), constants())
    return st.lists(terms, max_size=4).map(lambda items: sum((ExpSum.exp(x) * c for x, c in items), ExpSum()))


@st.composite
def matrices(draw: st.DrawFn, rows: int | None = None, columns: int | None = None) -> Matrix:
    n, d = rows or draw(st.integers(1, 4)), columns or draw(st.integers(1, 4))
    return Matrix([[draw(fractions()) for _ in range(d)] for _ in range(n)])
