"""What a notebook shows of a matrix is the matrix: its LaTeX is read back and evaluated, the named sums put in."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import sympy

import symattn as sa
from symattn.exact.evaluation import evaluate, same
from symattn.exact.linear.matrix import Matrix
from symattn.exact.reals.special_values import UNDEFINED
from symattn.notation.parser.latex import read_latex
from symattn.notation.tree import nodes as t

SHEET = Path(__file__).parent.parent.parent / "examples" / "ps4_self_attention.toml"
X, Z = sympy.symbols("x Z")
R = sa.solve(SHEET)
ROW = [X, 2 * X, 3 * X + 1, "1/2", 7]
MATRICES = {
    "weights": R.A,
    "outputs": R.O,
    "several sums in a row": R.A + R.A.T,
    "rationals among sums": R.A - R.A @ sa.Matrix([[1, 0, 0], [0, 0, 0], [0, 0, 1]]) + R.S,
    "symbols": sa.softmax([ROW, ROW[::-1]]).A,
    "a symbol called Z": sa.softmax([[Z, 2 * Z, 3, 4, 5, 6, 7]]).A,
    "undefined": sa.attention(Q=[[1], [2]], K=[[1], [2]], V=[[1], [0]], mask={"keep": [[0, 0], [1, 1]]}).A,
}


def read(written: str) -> Matrix:
    """Return the value of what is shown."""
    first, *sums = written.removeprefix("$\\displaystyle ").removesuffix("$").split(r",\quad ")
    known: dict[t.Node, Any] = {}
    for item in sums:
        node = read_latex(item)
        assert isinstance(node, t.Relation)
        name, value = node.sides
        assert name is not None
        assert value is not None
        known[name] = evaluate(value, lambda node, _: symbol(node))
    body = read_latex(first)
    found = evaluate(body, lambda node, _: known.get(node, symbol(node)))
    assert isinstance(found, Matrix)
    return found


def symbol(node: t.Node) -> Any:
    names: dict[t.Node, Any] = {t.Name("x"): sa.Entry(X).kernel, t.Name("Z"): sa.Entry(Z).kernel}
    return names.get(node)


@pytest.mark.parametrize("name", MATRICES)
def test_what_is_shown_is_the_matrix(name: str) -> None:
    matrix = MATRICES[name]
    written = matrix._repr_latex_()
    assert written is not None
    found = read(written)
    assert found.shape == matrix.shape
    pairs = zip(found, matrix.kernel, strict=True)
    assert all(a is b is UNDEFINED or same(a, b) for a, b in pairs)


def test_long_sums_are_named_once() -> None:
    written = R.A._repr_latex_()
    assert written is not None
    assert [written.count(f"Z_{{{number}}} = ") for number in (1, 2, 3)] == [1, 1, 1]
    assert r"\quad" not in str(MATRICES["a symbol called Z"]._repr_latex_())


def test_a_weight_of_one_key_is_shown_as_1() -> None:
    """The record keeps ``exp(1)/exp(1)``, as it was built."""
    for scale, built in (("none", "exp(1)/exp(1)"), ("1/sqrt(2)", "exp(1/2*sqrt(2))/(exp(1/2*sqrt(2)))")):
        result = sa.attention(Q=[[1], [2]], K=[[1], [2]], V=[[1], [3]], scale=scale, mask="causal")
        [step] = [item for item in result.derivation.steps if item.id == "A"]
        assert step.after[0][0] == built
        assert "<mtr><mtd><mn>1</mn></mtd><mtd><mn>0</mn></mtd></mtr>" in result.derivation._repr_html_()
