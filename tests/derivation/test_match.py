"""What fits a definition, and how exactly."""

from __future__ import annotations

import pytest

from symattn.exact.rounding.quotients import Rounding
from symattn.graph.key_judge.matching import Matcher, align, bare, same_written, transposed
from symattn.graph.quantities.scene import Entry, Valuation, Whole
from symattn.notation.parser.latex import read_latex
from symattn.notation.parser.plain import read_plain
from symattn.notation.tree import nodes as t
from tests.derivation.scenes import once, stepwise

FITS: list[tuple[str, str, Valuation, bool]] = [
    (r"Q_{31}", "Q_31", "carried", True),
    (r"\tfrac52", "Q_31", "carried", True),
    (r"(\tfrac52)", "Q_31", "carried", True),
    (r"\boxed{\tfrac52}", "Q_31", "carried", True),
    (r"(-2)(0) + 2 \cdot 1 + (-1)(-\tfrac12) + 0 \cdot 1", "Q_31", "carried", True),
    (r"X_{31} \cdot 0 + 2 \cdot 1 + (-1) \cdot (W_Q)_{31} + 0 \cdot 1", "Q_31", "exact", True),
    (r"e^{17/2}", "E_31", "carried", True),
    (r"4914.77", "E_31", "carried", False),
    (r"\frac{e^{17/2}}{Z_3}", "A_31", "carried", True),
    (r"\frac{4914.77}{Z_3}", "A_31", "carried", False),
    (r"\frac{4914.77}{e^{17/2} + e^8 + e^{-53/4}}", "A_31", "carried", False),
    (r"0.62", "A_31", "carried", False),
    (r"0.62", "A_31", "end", False),
    (r"\mathbf{X}\mathbf{W}_Q", "Q", "exact", True),
    (r"\mathbf{X}\begin{bmatrix} 0 & 1 \\ 1 & 0 \\ -\tfrac12 & 0 \\ 1 & 1 \end{bmatrix}", "Q", "exact", True),
    (r"\begin{bmatrix} 1 & 3 \\ -1 & Q_{22} \\ \tfrac52 & -2 \end{bmatrix}", "Q", "carried", True),
    (r"\begin{bmatrix} 1 & 3 \\ \vdots & \vdots \\ \tfrac52 & -2 \end{bmatrix}", "Q", "carried", True),
    (r"\mathbf{q}_3^\top \mathbf{k}_1", "S_31", "exact", True),
    (
        r"\begin{bmatrix} \tfrac52 & -2 \end{bmatrix} \begin{bmatrix} 3 \\ -\tfrac12 \end{bmatrix}",
        "S_31",
        "exact",
        True,
    ),
    (r"\operatorname{softmax}(\mathbf{S})", "A", "exact", True),
    (r"\sum_{j=1}^{3} A_{3,j} \mathbf{v}_j", "o_3", "exact", True),
    (r"0.62 \mathbf{v}_1 + 0.38 \mathbf{v}_2 + 0.00 \mathbf{v}_3", "o_3", "carried", False),
    (r"(\tfrac52, -2)", "q_3", "carried", True),
]

MISFITS: list[tuple[str, str, Valuation]] = [
    (r"\tfrac{10}{4}", "Q_31", "carried"),
    (r"Q_{32}", "Q_31", "carried"),
    (r"2 \cdot 1 + (-2)(0) + (-1)(-\tfrac12) + 0 \cdot 1", "Q_31", "carried"),
    (r"(-2)(0) + 2 \cdot 1 - (-1)(-\tfrac12) + 0 \cdot 1", "Q_31", "carried"),
    (r"(-2)(0) + 2 \cdot 1 + \cdots", "Q_31", "carried"),
    (r"e^{8}", "E_31", "carried"),
    (r"2^{17/2}", "E_31", "carried"),
    (r"4914.77", "E_31", "end"),
    (r"0.622", "A_31", "carried"),
    (r"\frac{4914.77}{2985.52}", "A_31", "carried"),
    (r"\mathbf{W}_Q\mathbf{X}", "Q", "exact"),
    (r"\mathbf{X}\mathbf{W}_K", "Q", "exact"),
    (r"\mathbf{Q}^\top\mathbf{K}", "S", "exact"),
    (r"\begin{bmatrix} 1 & 3 \\ -1 & 1 \end{bmatrix}", "Q", "carried"),
    (r"\begin{bmatrix} 1 & 3 \\ -1 & 1 \\ -2 & \tfrac52 \end{bmatrix}", "Q", "carried"),
    (r"\begin{bmatrix} \vdots & \vdots \\ \vdots & \vdots \\ \tfrac52 & -2 \end{bmatrix}", "Q", "carried"),
    (r"\mathbf{k}_1^\top \mathbf{q}_3", "S_31", "exact"),
    (r"\sum_{j=1}^{2} A_{3,j} \mathbf{v}_j", "o_3", "exact"),
    (r"\sum_{j=1}^{3} A_{j,3} \mathbf{v}_j", "o_3", "exact"),
    (r"\exp(\mathbf{S})", "A", "exact"),
]


@pytest.mark.parametrize(("written", "subject", "valuation", "exact"), FITS)
def test_fits(written: str, subject: str, valuation: Valuation, exact: bool) -> None:
    matcher = Matcher(stepwise().scene, valuation)
    fit = matcher.fit(read_latex(written), read_plain(subject))
    assert fit is not None
    assert fit.exact is (exact if valuation != "end" else False)


@pytest.mark.parametrize(("written", "subject", "valuation"), MISFITS)
def test_does_not_fit(written: str, subject: str, valuation: Valuation) -> None:
    if valuation == "end" and subject == "E_31":
        written = "4914.76"  # the digits themselves are right
    matcher = Matcher(stepwise().scene, valuation)
    assert matcher.fit(read_latex(written), read_plain(subject)) is None


def test_a_statement_can_declare_its_own_rounding() -> None:
    matcher = Matcher(stepwise().scene, "end", Rounding(places=4))
    assert matcher.is_literal(t.Number("0.9985"), Entry("A", 1, 3))
    assert not matcher.is_literal(t.Number("1.00"), Entry("A", 1, 3))


def test_a_direct_definition_has_values_but_no_definitions_in_it() -> None:
    matcher = Matcher(stepwise().scene, "carried")
    target = Entry("A", 3, 1)
    assert matcher.is_direct(read_latex(r"\frac{4914.77}{7895.73}"), target)
    assert matcher.is_direct(read_latex(r"\frac{4914.77}{Z_3}"), target)
    assert not matcher.is_direct(read_latex(r"\frac{e^{17/2}}{Z_3}"), target)
    assert not matcher.is_direct(read_latex(r"0.62"), target)


def test_scaled_scores() -> None:
    matcher = Matcher(once().scene, "end")
    assert matcher.fit(read_latex(r"c\mathbf{S}"), read_plain("U")) is not None
    assert matcher.fit(read_latex(r"\tfrac{\sqrt2}{2} \cdot \tfrac{17}{2}"), read_plain("U_31")) is not None
    assert matcher.fit(read_latex(r"\tfrac{\sqrt3}{2} \cdot \tfrac{17}{2}"), read_plain("U_31")) is None


GAP = t.Dots("vdots")
ONE = t.Number("1")


@pytest.mark.parametrize(
    ("rows", "height", "shown"),
    [
        (((ONE,), (ONE,)), 2, [1, 2]),
        (((ONE,), (GAP,), (ONE,)), 5, [1, 5]),
        (((ONE,), (ONE,), (GAP,)), 4, None),
        (((GAP,), (ONE,), (ONE,)), 4, None),
        (((ONE,), (GAP,), (ONE,)), 3, [1, 3]),
        (((ONE,), (GAP,), (ONE,)), 2, None),
        (((ONE,), (GAP,), (GAP,), (ONE,)), 9, None),
        (((ONE,), (ONE,)), 3, None),
    ],
)
def test_align(rows: tuple[tuple[t.Node, ...], ...], height: int, shown: list[int] | None) -> None:
    placed = align(rows, [[(i, 1)] for i in range(1, height + 1)])
    assert (None if placed is None else [place[0] for _, place in placed]) == shown


def test_written_the_same() -> None:
    minus = t.Negative(ONE)
    assert same_written(t.Matrix(((t.Group(minus), ONE),)), t.Matrix(((minus, t.Boxed(ONE)),)))
    assert not same_written(t.Matrix(((minus, ONE),)), t.Matrix(((minus,), (ONE,))))
    assert bare(t.Boxed(t.Group(ONE))) == ONE
    assert transposed(t.Matrix(((ONE, minus),))).rows == ((ONE,), (minus,))


def test_the_literal_of_a_whole_matrix() -> None:
    matcher = Matcher(stepwise().scene, "end")
    rounded = read_latex(r"\begin{bmatrix} -1.99 & -3.00 \\ -2.00 & -3.00 \\ 1.18 & 0.20 \end{bmatrix}")
    assert matcher.is_literal(rounded, Whole("O"))
