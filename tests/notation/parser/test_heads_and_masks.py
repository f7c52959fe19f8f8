"""What heads and masks are written with: labels and their transposes, blocks side by side, infinity, dashes."""

from __future__ import annotations

import pytest

from symattn.errors import NotationError
from symattn.notation.parser.latex import read_latex
from symattn.notation.parser.plain import read_plain
from symattn.notation.sides.reader import read_side
from symattn.notation.tree import nodes as t
from symattn.notation.writers.latex import write_latex
from symattn.notation.writers.mathml import write_mathml
from symattn.notation.writers.plain import write_plain
from tests.notation import build as b
from tests.notation.mathml_reader import read_mathml

HEAD = b.group(1)
K = b.power("K", HEAD)
TURNED = t.Transpose(K)
DASH = t.UNDEFINED
LOW = t.MINUS_INFINITY


@pytest.mark.parametrize(
    "written",
    [
        r"\mathbf{K}^{(1)\top}",
        r"{\mathbf{K}^{(1)}}^\top",
        r"{\mathbf{K}^{(1)}}^{T}",
        r"\mathbf{K}^{(1)^\top}",
        r"K^{(1)T}",
        r"K^{(1)}{}^\top",
        r"K^{(1)'}",
    ],
)
def test_the_transpose_of_a_head(written: str) -> None:
    assert read_latex(written) == TURNED


def test_a_head_is_written_in_one_exponent() -> None:
    bold = t.Transpose(t.Power(t.Name("K", "bold"), HEAD))
    assert write_latex(bold) == r"\mathbf{K}^{(1)\top}"
    assert write_plain(bold) == "K^((1))^T"
    assert (
        '<mi>𝐊</mi><mrow><mrow><mo stretchy="false">(</mo><mn>1</mn><mo stretchy="false">)</mo></mrow><mo>⊤</mo></mrow>'
        in write_mathml(bold)
    )
    entry = t.Transpose(b.power(b.sub("q", 2), HEAD))
    assert write_latex(entry) == r"q_{2}^{(1)\top}"
    assert read_latex(r"q^{(1)\top}_2") == entry


@pytest.mark.parametrize(
    "node",
    [
        TURNED,
        t.Product((b.power("Q", HEAD), TURNED), ("",)),
        t.Transpose(b.power(b.sub("k", 3), b.group("h"))),
        b.call("Concat", b.power("H", HEAD), b.power("H", b.group(2))),
        b.row(b.power("H", HEAD), b.power("H", b.group(2))),
        b.call("tanh", b.over(b.sub("S", 11), 30)),
        b.matrix((0, LOW), (DASH, "x")),
        b.row(DASH, LOW),
        t.Power(t.Name("e"), LOW),
        t.Name("inf"),
        t.Name("Infinity", "text"),
    ],
)
def test_all_three_writers_are_read_back(node: t.Node) -> None:
    assert read_latex(write_latex(node)) == node
    assert read_plain(write_plain(node)) == node
    assert read_mathml(write_mathml(node)) == node


@pytest.mark.parametrize("exponent", [t.Transpose(HEAD), t.Product((HEAD, t.Name("T")), ("",))])
def test_what_would_be_read_as_a_transpose_is_not_written(exponent: t.Node) -> None:
    for write in (write_latex, write_plain, write_mathml):
        with pytest.raises(ValueError, match="transpose"):
            write(t.Power(t.Name("K"), exponent))


@pytest.mark.parametrize("written", [r"x^{2\top}", r"x^{2}^\top", r"x^{(1)}^{(2)}", r"{x^2}^\top", r"K^{(1)\top}^\top"])
def test_other_second_exponents_are_refused(written: str) -> None:
    with pytest.raises(NotationError):
        read_latex(written)


# Side by side -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "written",
    [r"\left[ H^{(1)} \mid H^{(2)} \right]", r"[H^{(1)} | H^{(2)}]", r"[H^{(1)}|H^{(2)}]", r"[H^{(1)}, H^{(2)}]"],
)
def test_heads_side_by_side(written: str) -> None:
    assert read_latex(written) == b.row(b.power("H", HEAD), b.power("H", b.group(2)))


def test_bars_of_measures_stay_what_they_are() -> None:
    functions = t.FUNCTIONS | t.PROOF_FUNCTIONS
    assert read_latex("[|a| |b|]", functions) == b.row(b.beside(b.call("abs", "a"), b.call("abs", "b")))
    assert read_latex("[a | b | c]", functions) == b.row("a", "b", "c")
    assert read_latex(r"\mathbb{E}[X | Y]", functions) == t.Call(t.Name("E", "blackboard"), (b.v("X"), b.v("Y")))
    with pytest.raises(NotationError, match="one matrix"):
        read_latex("[[1, 2] | [3, 4]]")


@pytest.mark.parametrize(
    ("written", "name"),
    [(r"\operatorname{Concat}(A, B)", "Concat"), ("Concat(A, B)", "Concat"), (r"\mathrm{concat}(A, B)", "concat")],
)
def test_joining_is_a_call(written: str, name: str) -> None:
    assert read_latex(written) == b.call(name, "A", "B")
    assert read_plain(f"{name}(A, B)") == b.call(name, "A", "B")


# Infinity and dashes ------------------------------------------------------------------------------


@pytest.mark.parametrize("written", [r"-\infty", "-∞", "−∞", "-inf", "-Infinity"])
def test_minus_infinity_in_latex(written: str) -> None:
    assert read_latex(written) == LOW
    assert read_latex(rf"\begin{{bmatrix}} 0 & {written} \end{{bmatrix}}") == b.matrix((0, LOW))


@pytest.mark.parametrize(
    "written",
    ["-inf", "−∞", "-infty", "-Infinity", "float('-inf')", '-float("inf")', "-np.inf", "-torch.inf", "-math.inf"],
)
def test_minus_infinity_in_plain_text(written: str) -> None:
    assert read_plain(written) == LOW
    assert read_plain(f"[[0, {written}], [{written}, 1.5]]") == b.matrix((0, LOW), (LOW, "1.5"))


def test_printed_arrays() -> None:
    wanted = b.matrix((0, LOW), (0, 0))
    assert read_plain("[[ 0. -inf]\n [ 0.   0.]]") == wanted
    assert read_plain("array([[  0., -inf],\n       [  0.,   0.]])") == wanted
    assert read_plain("tensor([[0., -inf],\n        [0., 0.]])") == wanted
    assert read_plain("[[0.5 0.5]\n [nan nan]]") == b.matrix(("0.5", "0.5"), ("nan", "nan"))


@pytest.mark.parametrize("dash", ["-", "−", r"\text{-}"])
def test_dashes_in_matrices(dash: str) -> None:
    written = rf"\begin{{bmatrix}} {dash} & {dash} \\ 1 & {dash} \end{{bmatrix}}"
    assert read_latex(written) == b.matrix((DASH, DASH), (1, DASH))
    assert read_side(written, 0, len(written), "latex").node == b.matrix((DASH, DASH), (1, DASH))


def test_a_dash_is_no_operand() -> None:
    assert read_latex(r"\begin{bmatrix} - 1 & 2 \end{bmatrix}") == b.matrix((b.neg(1), 2))
    for written in ("1 + -", "(-, 3)", "-", "x = -"):
        with pytest.raises(NotationError):
            read_latex(written)


# In people's work ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "node"),
    [
        (r"\mathbf{K}^{(1)\top}", t.Transpose(b.sub("K", 1))),
        (r"K^{(h)T}", t.Transpose(b.sub("K", "h"))),
        (r"K^{(1)^\top}", t.Transpose(b.sub("K", 1))),
        (r"\left[ H_1 \mid H_2 \right]", b.row(b.sub("H", 1), b.sub("H", 2))),
        (r"\text{-}", DASH),
    ],
)
def test_sides(written: str, node: t.Node) -> None:
    assert read_side(written, 0, len(written), "latex").node == node
