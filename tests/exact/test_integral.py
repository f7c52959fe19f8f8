"""Products of integer matrices on every way, and which way is taken on both sides of each threshold."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest

from symattn.errors import InputError, ShapeError
from symattn.exact.field.polynomial import Polynomial
from symattn.exact.linear import algorithm_selection
from symattn.exact.linear.integer_matrix import IntegerMatrix, integer_matrix, product, product_transposed
from symattn.exact.linear.matrix import Matrix

SHAPES = (
    (1, 1, 1),
    (3, 4, 3),
    (2, 5, algorithm_selection.PACKED_FROM - 1),
    (2, 5, algorithm_selection.PACKED_FROM),
    (7, 20, 13),
)


def random(r: Random, rows: int, columns: int, bits: int) -> IntegerMatrix:
    size = (1 << bits) - 1
    return IntegerMatrix(
        [[r.choice([-size, size, r.randint(-size, size)]) for _ in range(columns)] for _ in range(rows)], 7
    )


@pytest.mark.parametrize("way", ["plain", "packed", "flint", "chosen"])
@pytest.mark.parametrize("shape", SHAPES)
def test_products(shape: tuple[int, int, int], way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if way != "chosen":
        monkeypatch.setattr("symattn.exact.linear.integer_matrix.product_way", lambda *_: way)
    n, m, k = shape
    r = Random(f"{shape}")
    for bits in (1, 3, 28, 30, 62, 64, 125, 400):
        a, b = random(r, n, m, bits), random(r, m, k, bits + 1)
        rows = [
            [sum(x * y for x, y in zip(row, column, strict=True)) for column in zip(*b.rows, strict=True)]
            for row in a.rows
        ]
        found = product(a, b)
        assert found == IntegerMatrix(rows, 49)
        assert all(type(x) is int for row in found.rows for x in row)
        assert product_transposed(a, IntegerMatrix(list(zip(*b.rows, strict=True)), 7)) == found


@pytest.mark.parametrize("bits", [0, algorithm_selection.PRIMITIVE_FROM, 3 * algorithm_selection.PRIMITIVE_FROM])
@pytest.mark.parametrize("shape", SHAPES)
def test_rows_with_long_divisors(shape: tuple[int, int, int], bits: int) -> None:
    n, m, k = shape
    r = Random(f"{shape} {bits}")

    def rows(count: int, width: int) -> list[list[int]]:
        """Return rows with divisors, one of them of zeros."""
        divisors = [0, *(r.getrandbits(bits) - r.getrandbits(bits) for _ in range(count - 1))]
        return [[divisor * r.randint(-9, 9) for _ in range(width)] for divisor in divisors]

    a, b = rows(n, m), list(zip(*rows(k, m), strict=True))
    expected = [[sum(x * y for x, y in zip(row, column, strict=True)) for column in zip(*b, strict=True)] for row in a]
    assert product(IntegerMatrix(a, 3), IntegerMatrix(b, 5)) == IntegerMatrix(expected, 15)


def test_as_matrices_do() -> None:
    r = Random("matrices")
    entries = [[[Fraction(r.randint(-9, 9), r.randint(1, 9)) for _ in range(7)] for _ in range(7)] for _ in range(2)]
    a, b = (Matrix(rows) for rows in entries)
    first, second = integer_matrix(a), integer_matrix(b)
    assert first is not None
    assert second is not None
    found = product_transposed(first, second)
    assert Matrix([[Fraction(x, found.denominator) for x in row] for row in found.rows]) == a @ b.T
    assert integer_matrix(Matrix([[1, Polynomial.sqrt(2)]])) is None


@pytest.mark.parametrize(
    ("sizes", "way"),
    [
        ((9, 9, algorithm_selection.PACKED_FROM - 1, 20), "plain"),
        ((9, 9, algorithm_selection.PACKED_FROM, algorithm_selection.PACKED_SLOT - 1), "packed"),
        ((9, 9, algorithm_selection.PACKED_FROM, algorithm_selection.PACKED_SLOT), "plain"),
        ((128, 128, 127, 60), "packed"),
        ((128, 128, 128, 60), "flint"),
        ((128, 128, 128, algorithm_selection.FLINT_SLOT - 1), "flint"),
        ((128, 128, 128, algorithm_selection.FLINT_SLOT), "plain"),
    ],
)
def test_way(sizes: tuple[int, int, int, int], way: str) -> None:
    assert algorithm_selection.product_way(*sizes) == way


def test_without_optional_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(algorithm_selection, "has_module", lambda _: False)
    assert algorithm_selection.product_way(128, 128, 128, 60) == "packed"
    assert algorithm_selection.integers_of(algorithm_selection.GMPY2_FROM) is int


def test_integers() -> None:
    assert algorithm_selection.integers_of(algorithm_selection.GMPY2_FROM - 1) is int
    if algorithm_selection.has_module("gmpy2"):
        assert algorithm_selection.integers_of(algorithm_selection.GMPY2_FROM) is not int


@pytest.mark.parametrize("largest", [0, 1, 2, 3, 1000, 2**27, 2**140])
@pytest.mark.parametrize("count", [1, 9, 4096, 10**6])
def test_windows_take_the_fewest_products(largest: int, count: int) -> None:
    def products(width: int) -> int:
        windows = max(-(-largest.bit_length() // width), 1)
        return (windows - 1) * ((1 << width) + count) + (largest >> (windows - 1) * width)

    best = min(products(width) for width in range(1, algorithm_selection.WIDEST_WINDOW + 1))
    assert products(algorithm_selection.window_width(largest, count)) == best


def test_what_is_refused() -> None:
    for rows, denominator in (([], 1), ([[]], 1), ([[1]], 0)):
        with pytest.raises(InputError):
            IntegerMatrix(rows, denominator)
    with pytest.raises(ShapeError):
        IntegerMatrix([[1], [1, 2]])
    with pytest.raises(ShapeError):
        product(IntegerMatrix([[1, 2]]), IntegerMatrix([[1, 2]]))
    with pytest.raises(ShapeError):
        product_transposed(IntegerMatrix([[1, 2]]), IntegerMatrix([[1]]))
