"""The closed form of many weights, each sum named once."""

from __future__ import annotations

from fractions import Fraction
from random import Random

from symattn.exact.field.polynomial import Polynomial
from symattn.exact.linear.matrix import Matrix, softmax_rows
from symattn.exact.reals.special_values import MINUS_INFINITY
from symattn.graph.quantities.closed_forms import exponential_sum_tree, quotient_tree
from symattn.rendering.latex.typesetting import closed_rows, math


def in_full(text: str) -> list[str]:
    """The entries with every name replaced by what it stands for."""
    head, *sums = text.split("\n\\\\ ")
    for line in sums:
        label, _, value = line.partition(" = ")
        head = head.replace(f"{{{label}}}", f"{{{value}}}")
    body = head.partition("\n")[2].rpartition("\n")[0]
    return [entry for row in body.split(" \\\\\n") for entry in row.split(" & ")]


def check(matrix: Matrix) -> None:
    assert in_full(closed_rows(matrix)) == [math(quotient_tree(entry)) for entry in matrix]


def test_names_stand_for_what_would_be_written() -> None:
    r = Random("closed rows")
    for _ in range(20):
        rows = [[Fraction(r.randint(-9, 9), r.randint(1, 4)) for _ in range(4)] for _ in range(12)]
        check(softmax_rows(Matrix(rows)))


def test_masks_roots_symbols_and_equal_scores() -> None:
    x = Polynomial.symbol("x")
    check(softmax_rows(Matrix([[1, MINUS_INFINITY, 0], [MINUS_INFINITY] * 3, [2, MINUS_INFINITY, MINUS_INFINITY]])))
    check(softmax_rows(Matrix([[Polynomial.sqrt(2), Polynomial.sqrt(3) + 1], [x, 2 * x]])))
    check(softmax_rows(Matrix([[1, 1, 2], [0, 0, 0]])))
    check(Matrix([[1, "1/2"]]))


def test_length_grows_with_the_square() -> None:
    lengths = [len(closed_rows(softmax_rows(Matrix([list(range(10, 10 + n))] * n)))) for n in (16, 32, 64)]
    assert lengths[2] < 4.2 * lengths[1] < 4.2**2 * lengths[0]


def test_sum_texts_are_those_of_trees() -> None:
    for score in ("1", "-1", "0", "7/3", "-7/3", "100000000000000000000"):
        (entry, _) = softmax_rows(Matrix([[score, "1/9"]]))
        text = math(exponential_sum_tree(entry.denominator))
        assert f"= {text}" in closed_rows(softmax_rows(Matrix([[score, "1/9"]])))
