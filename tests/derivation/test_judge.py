"""The judge: what is true and prescribed is proved; what is one of the two alone is not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from symattn.api.solutions import Result
from symattn.exact.field.quotient import Quotient
from symattn.graph.key_judge.judge import judge
from symattn.graph.quantities.scene import Scene
from symattn.graph.quantities.statement import Statement
from symattn.notation.tree import nodes as t
from tests.derivation.scenes import (
    by_products,
    by_scores,
    columns,
    faulty,
    judged,
    once,
    single,
    stepwise,
    symbolic,
    wide,
)

S = (
    r"\begin{bmatrix} \tfrac32 & -\tfrac52 & 8 \\ -\tfrac72 & -\tfrac72 & 6 \\ "
    r"\tfrac{17}{2} & 8 & -\tfrac{53}{4} \end{bmatrix}"
)
ELIDED = (
    r"\begin{bmatrix} \tfrac32 & \cdots & 8 \\ \vdots & \ddots & \vdots \\ "
    r"\tfrac{17}{2} & \cdots & -\tfrac{53}{4} \end{bmatrix}"
)
K_T = r"\begin{bmatrix} 3 & 2 & -\tfrac52 \\ -\tfrac12 & -\tfrac32 & \tfrac72 \end{bmatrix}"
Q = r"\begin{bmatrix} 1 & 3 \\ -1 & 1 \\ \tfrac52 & -2 \end{bmatrix}"

PROVED: list[tuple[Callable[[], Result], str, str]] = [
    (stepwise, "Q_31", r"Q_{31} = (-2) \cdot 0 + 2 \cdot 1 + (-1) \cdot (-\tfrac12) + 0 \cdot 1 = \tfrac52"),
    (stepwise, "Q_31", r"\tfrac{5}{2}"),
    (stepwise, "Q_31", r"Q_{31}"),
    (stepwise, "Q | exact", r"\mathbf{Q} = \mathbf{X}\mathbf{W}_{Q}"),
    (stepwise, "Q | exact", r"\mathbf{Q} = \mathbf{X}\mathbf{W}_{Q} \in \mathbb{R}^{3 \times 2}"),
    (stepwise, "S", rf"\mathbf{{S}} = \mathbf{{Q}}\mathbf{{K}}^\top = {Q}{K_T} = {S}"),
    (stepwise, "S", rf"\mathbf{{S}} = {ELIDED}"),
    (stepwise, "S_31", r"S_{31} = \mathbf{q}_3^\top \mathbf{k}_1 = \tfrac{17}{2}"),
    (stepwise, "E_11", r"e^{3/2} \approx 4.48"),
    (stepwise, "Z_1", r"Z_1 = e^{3/2} + e^{-5/2} + e^8 \approx 4.48 + 0.08 + 2980.96 = 2985.52"),
    (stepwise, "A_31", r"A_{31} = \frac{e^{17/2}}{Z_3} \approx \frac{4914.77}{7895.73} \approx 0.62"),
    (stepwise, "A_33", r"\frac{0.00}{7895.73} = 0.00"),
    (
        stepwise,
        "O_31",
        r"O_{31} \approx 0.62 \cdot \tfrac52 + 0.38 \cdot (-1) + 0.00 \cdot (-2) = 1.55 - 0.38 + 0.00 = 1.17",
    ),
    (stepwise, "O_31 | end", r"1.18"),
    (stepwise, "A_13 | end | 4 places half-up", r"A_{13} \approx 0.9985"),
    (stepwise, "S_13 - S_11 | exact", r"S_{13} - S_{11} = 8 - \tfrac32 = \tfrac{13}{2}"),
    (stepwise, "A_31/A_32 | exact | 3 figures half-up", r"A_{31}/A_{32} = e^{1/2} \approx 1.65"),
    (stepwise, "eta_3 | end", r"\eta_3 \approx 0.66"),
    (stepwise, "chi_1 | end", r"\chi_1 \approx 0.62"),
    (once, "c | end", r"c = \frac{1}{\sqrt{d_k}} = \frac{1}{\sqrt{2}} = \tfrac{\sqrt{2}}{2}"),
    (once, "U_31 | end", r"\frac{17\sqrt{2}}{4}"),
    (
        once,
        "O_31 | end",
        r"O_{31} = \frac{\tfrac52 e^{(17\sqrt2)/4} - e^{4\sqrt2} - 2 e^{-(53\sqrt2)/8}}{Z_3} \approx 1.056",
    ),
    (by_products, "S_11", r"S_{11} \approx \tfrac14 \cdot \tfrac12 + \tfrac13 \cdot \tfrac12 \approx 0.1 + 0.2 = 0.3"),
    (by_products, "O_11", r"O_{11} \approx 0.5 \cdot \tfrac23 + 0.5 \cdot \tfrac18 \approx 0.3 + 0.1 = 0.4"),
    (by_scores, "E_11", r"e^{0.30}"),
    (by_scores, "Z_1", r"Z_1 \approx e^{0.30} + e^{0.33}"),
    (by_scores, "A_11", r"A_{11} \approx \frac{e^{0.30}}{Z_1} \approx 0.49"),
    (single, "Z_1", r"Z_1 = e^0 = 1.00 = 1.0"),
    (single, "A_11", r"A_{11} = \frac{e^0}{Z_1} = \frac{1.00}{1.0} = 1.0"),
    (symbolic, "A_11 | exact", r"A_{11} = \frac{e^\beta}{Z_1} = \frac{e^\beta}{e^\beta + 1}"),
    (wide, "S_{1,11}", r"S_{1,11} = 1 \cdot 1 + 2 \cdot 1 = 3"),
    (columns, "O_11", r"O_{11} \approx 1 \cdot 0.84 + 0 \cdot 0.11 + 2 \cdot 0.04 = 0.84 + 0.00 + 0.08 = 0.92"),
]

NOT_PRESCRIBED: list[tuple[Callable[[], Result], str, str, list[int]]] = [
    # another order, a term left out, another form of the number, more digits or fewer
    (stepwise, "Q_31", r"Q_{31} = 2 \cdot 1 + (-2) \cdot 0 + (-1) \cdot (-\tfrac12) + 0 \cdot 1 = \tfrac52", [1]),
    (stepwise, "Q_31", r"Q_{31} = 2 \cdot 1 + (-1) \cdot (-\tfrac12) = \tfrac52", [1]),
    (stepwise, "Q_31", r"Q_{31} = 0 \cdot (-2) + 1 \cdot 2 + (-\tfrac12) \cdot (-1) + 1 \cdot 0 = \tfrac52", [1]),
    (stepwise, "Q_31", r"Q_{31} = 2.5", [1]),
    (stepwise, "Q_31", r"Q_{31} = \tfrac{10}{4}", [1]),
    (stepwise, "Q_31", r"Q_{31} = \tfrac{5}{2} = 2.5", [2]),
    (stepwise, "Z_1", r"Z_1 = e^8 + e^{3/2} + e^{-5/2} \approx 2985.52", [1]),
    (stepwise, "E_11", r"e^{3.0/2} \approx 4.48", [0]),
    (stepwise, "A_31", r"A_{31} \approx 0.620", [1]),
    (stepwise, "A_31", r"A_{31} \approx 0.6225", [1]),
    (stepwise, "A_33", r"\frac{0.00}{7895.73} = 0", [1]),
    # the right value of another policy, or of another name
    (stepwise, "O_31", r"O_{31} \approx 1.18", [1]),
    (stepwise, "O_31 | end", r"O_{31} \approx 1.17", [1]),
    (stepwise, "S_22", r"S_{21} = -\tfrac72", [0]),
    (stepwise, "A_21 | end | 6 places half-up", r"A_{22} \approx 0.000075", [0]),
    (stepwise, "K | exact", r"\mathbf{K} = \mathbf{X}\mathbf{W}_{Q}", [1]),
    (
        once,
        "O_31 | end",
        r"O_{31} = \frac{\tfrac52 e^{(17\sqrt2)/4} - e^{4\sqrt2} - 2 e^{-(53\sqrt2)/8}}{Z_1} \approx 1.056",
        [1],
    ),
    (symbolic, "A_11 | exact", r"A_{11} = \frac{e^\beta}{1 + e^\beta}", [1]),
    # the same value with other places; the exact value where the rounded one is carried on
    (by_scores, "E_11", r"e^{0.3}", [0]),
    (by_scores, "Z_1", r"Z_1 \approx e^{0.30} + e^{0.330}", [1]),
    (by_scores, "A_11", r"A_{11} \approx \frac{e^{0.3}}{Z_1} \approx 0.49", [1]),
    (by_scores, "A_12", r"A_{12} = \frac{e^{1/3}}{Z_1} \approx 0.51", [1]),
    # the value of another name, which the definition happens to be
    (single, "Z_1", r"Z_1 = e^0 = 1.00", [2]),
    (single, "Z_1", r"1.00", [0]),
    (single, "Z_1", r"Z_1 = e^0 = 1.0 = 1.0", [2]),
    (single, "Z_1", r"Z_1 = e^0 = 1 = 1.0", [2]),
    (single, "A_11", r"A_{11} = \frac{e^0}{Z_1} = \frac{1.00}{1.00} = 1.0", [2]),
    # a space that fits a wrong product
    (stepwise, "V | exact", r"\mathbf{V} = \mathbf{X}\mathbf{X}^\top \in \mathbb{R}^{3 \times 3}", [1, 2]),
    (columns, "O_11", r"O_{11} \approx 0.84 \cdot 1 + 0.11 \cdot 0 + 0.04 \cdot 2 = 0.92", [1]),
]

FALSE: list[tuple[Callable[[], Result], str, str, list[int]]] = [
    (stepwise, "Q_31", r"Q_{31} = (-2) \cdot 0 + 2 \cdot 1 + (-1) \cdot (-\tfrac12) + 0 \cdot 1 = 3", [2]),
    (stepwise, "O_31", r"O_{31} = 0.62 \cdot \tfrac52 + 0.38 \cdot (-1) + 0.00 \cdot (-2) = 1.17", [1]),
    (stepwise, "A_31", r"A_{31} \approx \frac{4914.77}{7895.73} = 0.62", [2]),
    (stepwise, "Z_1", r"Z_1 = e^{3/2} + e^{-5/2} + e^8 = 4.48 + 0.08 + 2980.96 = 2985.52", [2]),
    (
        stepwise,
        "O_31",
        r"O_{31} \approx 0.62 \cdot \tfrac52 + 0.38 \cdot (-1) + 0.00 \cdot (-2) = 1.56 - 0.38 + 0.00 = 1.17",
        [2, 3],
    ),
    (stepwise, "Q | exact", r"\mathbf{Q} = \mathbf{X}\mathbf{W}_{Q} \in \mathbb{R}^{2 \times 3}", [2]),
    (stepwise, "Q | exact", r"\mathbf{Q} \in \mathbf{X}", [1]),
    (stepwise, "S", rf"\mathbf{{S}} = {S.replace('6', '7')}", [1]),
    (stepwise, "eta_3 | end", r"\eta_3 \approx 0.67", [1]),
    (stepwise, "eta_3 | end", r"\eta_3 = 0.66", [1]),
    (stepwise, "S_13 - S_11 | exact", r"S_{13} - S_{11} = 8 - \tfrac32 = \tfrac{15}{2}", [2]),
    (stepwise, "A_31/A_32 | exact | 3 figures half-up", r"A_{31}/A_{32} = e^{1/2} = 1.65", [2]),
    (stepwise, "Q_31", r"Q_{31} \to \tfrac52", [1]),
    (by_products, "S_11", r"S_{11} \approx \tfrac14 \cdot \tfrac12 + \tfrac13 \cdot \tfrac12 = 0.1 + 0.2 = 0.3", [2]),
    (stepwise, "A_33", r"\frac{0.00}{0.00} = 0.00", [0, 1]),
]


@pytest.mark.parametrize(("solved", "note", "written"), PROVED)
def test_true_and_prescribed(solved: Callable[[], Result], note: str, written: str) -> None:
    assert judged(solved().scene, note, written).faults == ()


@pytest.mark.parametrize(("solved", "note", "written", "sides"), NOT_PRESCRIBED)
def test_true_but_not_prescribed(solved: Callable[[], Result], note: str, written: str, sides: list[int]) -> None:
    assert faulty(solved().scene, note, written) == sides


@pytest.mark.parametrize(("solved", "note", "written", "sides"), FALSE)
def test_prescribed_but_false(solved: Callable[[], Result], note: str, written: str, sides: list[int]) -> None:
    assert faulty(solved().scene, note, written) == sides


def test_a_fault_knows_its_place() -> None:
    written = r"Q_{31} = \tfrac52 = 2.5"
    (fault,) = judged(stepwise().scene, "Q_31", written).faults
    assert fault.span is not None
    assert written[slice(*fault.span)] == "2.5"


def test_a_missing_side_is_a_fault() -> None:
    statement = Statement(t.Name("Q"), t.Relation((None, t.Name("Q")), ("=",)))
    assert [fault.side for fault in judge(statement, stepwise().scene).faults] == [0]


# The scene is not believed -------------------------------------------------------------------------


def tampered(scene: Scene, name: str, row: int, column: int, value: str) -> Scene:
    """A scene in which one value that is carried on is another."""
    quantity = scene.quantities[name]
    rows = [list(line) for line in quantity.carried]
    rows[row - 1][column - 1] = Quotient.of(value)
    return scene.with_quantities([replace(quantity, carried=tuple(map(tuple, rows)))])


@pytest.mark.parametrize(
    ("solved", "name", "place", "value", "written"),
    [
        (stepwise, "A", (3, 1), "0.63", r"A_{31} = \frac{e^{17/2}}{Z_3} \approx \frac{4914.77}{7895.73} \approx 0.63"),
        (stepwise, "E", (1, 1), "4.49", r"E_{11} = e^{3/2} \approx 4.49"),
        (
            stepwise,
            "O",
            (3, 1),
            "1.18",
            r"O_{31} \approx 0.62 \cdot \tfrac52 + 0.38 \cdot (-1) + 0.00 \cdot (-2) \approx 1.18",
        ),
        (
            by_products,
            "S",
            (1, 1),
            "0.4",
            r"S_{11} \approx \tfrac14 \cdot \tfrac12 + \tfrac13 \cdot \tfrac12 \approx 0.4",
        ),
    ],
)
def test_a_rounding_is_done_again(
    solved: Callable[[], Result], name: str, place: tuple[int, int], value: str, written: str
) -> None:
    scene = tampered(solved().scene, name, *place, value)
    assert not judged(scene, f"{name}_{place[0]}{place[1]}", written).proved


def test_digits_are_certified_again() -> None:
    scene = stepwise().scene
    for name, symbol in (("entropy", "eta"), ("totals", "chi")):
        quantity = scene.quantities[name]
        wrong = replace(quantity, digits=("0.50", *quantity.digits[1:]))
        changed = scene.with_quantities([wrong])
        assert not judged(changed, f"{symbol}_1 | end", rf"\{symbol}_1 \approx 0.50").proved
        assert judged(changed, f"{symbol}_2 | end", rf"\{symbol}_2 \approx {quantity.digits[1]}").proved


def test_an_undefined_value_cannot_be_stated() -> None:
    scene = stepwise().scene
    quantity = scene.quantities["A"]
    undefined = replace(quantity, carried=((None,) * 3, *quantity.carried[1:]))
    changed = scene.with_quantities([undefined])
    for written in (r"A_{11} \approx 0.00", r"A_{11} \approx \frac{4.48}{2985.52} \approx 0.00"):
        assert not judged(changed, "A_11", written).proved
