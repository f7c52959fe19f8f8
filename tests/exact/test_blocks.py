"""Written matrices of matrices, joined heads, and rows or columns that are added to every line."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symattn.errors import InputError
from symattn.exact.evaluation import Indices, Value, below, beside, evaluate
from symattn.exact.linear.matrix import Matrix
from symattn.notation.parser.latex import read_latex
from symattn.notation.tree import nodes as t
from symattn.notation.writers.plain import write_plain
from tests.exact.strategies import matrices

A, B, ROW, COLUMN = Matrix([[1, 2], [3, 4]]), Matrix([[5], [6]]), Matrix([[10, 20]]), Matrix([[100], [200]])
NAMES = {"A": A, "B": B, "r": ROW, "c": COLUMN, "A^((1))": B}


def value(written: str, names: Mapping[str, Value] = NAMES) -> str:
    def lookup(node: t.Node, _: Indices) -> Value | None:
        return names.get(write_plain(node))

    return str(evaluate(read_latex(written), lookup))


@pytest.mark.parametrize(
    ("written", "wanted"),
    [
        (r"\left[ A \mid B \right]", "[[1, 2, 5], [3, 4, 6]]"),
        ("[A, B]", "[[1, 2, 5], [3, 4, 6]]"),
        (r"\operatorname{Concat}(A, B, A)", "[[1, 2, 5, 1, 2], [3, 4, 6, 3, 4]]"),
        (r"\begin{bmatrix} A & B \\ r & 7 \end{bmatrix}", "[[1, 2, 5], [3, 4, 6], [10, 20, 7]]"),
        (r"\begin{bmatrix} A \\ r \end{bmatrix}", "[[1, 2], [3, 4], [10, 20]]"),
        ("[A, B] [A, B]^T", "[[30, 41], [41, 61]]"),
        ("A + r", "[[11, 22], [13, 24]]"),
        ("r + A", "[[11, 22], [13, 24]]"),
        ("A - r", "[[-9, -18], [-7, -16]]"),
        ("A + c", "[[101, 102], [203, 204]]"),
        ("A^{(1)} + B", "[[10], [12]]"),
        ("2^{(3)}", "8"),
    ],
)
def test_values(written: str, wanted: str) -> None:
    assert value(written) == wanted


@pytest.mark.parametrize("written", ["[A, r]", r"\begin{bmatrix} A \\ B \end{bmatrix}", "r + c", "B + A A A + [r, r]"])
def test_what_does_not_fit_is_refused(written: str) -> None:
    with pytest.raises(InputError):
        value(written)


@given(st.integers(1, 3), st.data())
def test_joining_and_transposing_may_change_places(rows: int, data: st.DataObject) -> None:
    parts = [data.draw(matrices(rows=rows)) for _ in range(3)]
    assert below([part.T for part in parts]) == beside(parts).T
    assert beside([beside(parts[:2]), parts[2]]) == beside(parts)
