"""Masks, heads and biases: what rules make, what names mean, what is proved, what replay refuses."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symattn.errors import InputError
from symattn.exact.evaluation import same
from symattn.exact.field.quotient import Quotient
from symattn.exact.linear.matrix import Matrix, softmax_rows
from symattn.exact.reals.special_values import MINUS_INFINITY, UNDEFINED
from symattn.exact.rounding.quotients import Rounding
from symattn.graph.derivation_replay import Step, replay
from symattn.graph.forms.definitions import definitions
from symattn.graph.key_judge.judge import judge
from symattn.graph.quantities import quantity as q
from symattn.graph.quantities.scene import Entry, Line, Scene, Target, Valuation, Whole
from symattn.graph.quantities.statement import Statement, from_note
from symattn.graph.rules import RULES
from symattn.notation.parser.latex import read_latex
from symattn.notation.tree import nodes as t
from symattn.notation.writers.latex import write_latex
from symattn.notation.writers.plain import write_plain
from tests.derivation.masked_heads import LOW, Builder, Rows, heads, masked

TWO = Rounding(places=2)
SCORES = [[1, 2, 0], [0, 1, -1], [2, 2, 1]]
MASK: Rows = [[0, LOW, 0], [LOW, LOW, LOW], [0, 0, "-1/2"]]
VALUES = [[1, 0], [0, 1], [2, 5]]


@cache
def made(kind: str, rounding: Rounding | None = None) -> Builder:
    match kind:
        case "heads":
            return heads(rounding)
        case "plus-one":
            return masked(SCORES, MASK, VALUES, plus_one=True, rounding=rounding)
        case "zeros":
            return masked(SCORES, MASK, VALUES, empty="zeros", rounding=rounding)
        case "uniform":
            return masked(SCORES, MASK, VALUES, empty="uniform", rounding=rounding)
    return masked(SCORES, MASK, VALUES, rounding=rounding)


VALUATIONS: tuple[Valuation, ...] = ("exact", "end", "carried")
KINDS = ("masked", "plus-one", "zeros", "uniform", "heads")


def exact(kind: str, name: str) -> Matrix:
    return made(kind).quantities[name].exact


# Values -------------------------------------------------------------------------------------------


def test_what_a_mask_makes() -> None:
    assert str(exact("masked", "L")) == "[[1, -inf, 0], [-inf, -inf, -inf], [2, 2, 1/2]]"
    assert str(exact("masked", "E").rows[0][1]) == "0"
    assert [str(weight) for weight in exact("masked", "A").rows[1]] == ["-", "-", "-"]
    assert [str(value) for value in exact("masked", "O").rows[1]] == ["-", "-"]
    assert exact("masked", "A") == softmax_rows(exact("masked", "L"))
    assert exact("plus-one", "A") == softmax_rows(exact("plus-one", "L"), plus_one=True)
    assert [str(weight) for weight in exact("plus-one", "A").rows[1]] == ["0", "0", "0"]
    assert [str(weight) for weight in exact("zeros", "A").rows[1]] == ["0", "0", "0"]
    assert [str(weight) for weight in exact("uniform", "A").rows[1]] == ["1/3", "1/3", "1/3"]
    assert exact("uniform", "O")[1, 1] == 2


@pytest.mark.parametrize("kind", KINDS)
def test_rounded_values_have_no_hole_but_where_there_is_no_value(kind: str) -> None:
    quantities = made(kind, TWO).quantities.values()
    for quantity in quantities:
        for exact_row, row in zip(quantity.exact.rows, quantity.carried, strict=True):
            assert [value is None for value in row] == [value is UNDEFINED for value in exact_row]


def test_a_sum_that_rounds_to_zero_is_not_an_empty_line() -> None:
    low = masked([[-9, -9]], [[0, 0]], [[1], [2]], empty="uniform", rounding=TWO).quantities["A"]
    assert low.carried == ((None, None),)
    assert low.exact == Matrix([["1/2", "1/2"]])
    assert made("uniform", TWO).quantities["A"].carried[1][0] == Quotient.of("33/100")


@settings(max_examples=25, deadline=None)
@given(st.data())
def test_laws_of_masked_weights(data: st.DataObject) -> None:
    rows, columns = data.draw(st.integers(1, 3)), data.draw(st.integers(1, 4))
    number = st.fractions(-4, 4, max_denominator=3)
    scores = [[data.draw(number) for _ in range(columns)] for _ in range(rows)]
    mask = [[data.draw(st.sampled_from([Quotient.of(0), MINUS_INFINITY])) for _ in range(columns)] for _ in range(rows)]
    values = [[data.draw(number)] for _ in range(columns)]
    weights = masked(scores, mask, values).quantities["A"].exact
    extra = masked(scores, mask, values, plus_one=True).quantities["A"].exact
    turned = masked(_turned(scores), _turned(mask), _turned(values), axis="columns").quantities["A"].exact
    assert weights == turned.T
    for own, hidden, weight, less in zip(scores, mask, weights.rows, extra.rows, strict=True):
        seen = [number for number, m in zip(own, hidden, strict=True) if m is not MINUS_INFINITY]
        assert all(w == 0 for w, m in zip(less, hidden, strict=True) if m is MINUS_INFINITY)
        if not seen:
            assert all(w is UNDEFINED for w in weight)
            continue
        left = iter(softmax_rows(Matrix([seen])).rows[0])
        assert all(w == (0 if m is MINUS_INFINITY else next(left)) for w, m in zip(weight, hidden, strict=True))
        assert sum(weight, Quotient.of(0)) == 1
        one = softmax_rows(Matrix([[0, *seen]])).rows[0][0]
        assert sum(less, Quotient.of(0)) == 1 - one


def _turned(rows: list[list[Fraction]] | list[list[Quotient]]) -> list[list[Fraction | Quotient]]:
    return [list(row) for row in zip(*rows, strict=True)]


def test_heads_joined_are_heads_apart() -> None:
    joined, first, second = exact("heads", "C"), exact("heads", "H^1"), exact("heads", "H^2")
    assert all(c == (*a, *b) for c, a, b in zip(joined.rows, first.rows, second.rows, strict=True))
    assert exact("heads", "G").scale(2) == first + second
    whole = exact("heads", "X") @ exact("heads", "WQ")
    parts = [exact("heads", name).rows for name in ("Q^1", "Q^2")]
    bias = exact("heads", "bQ").rows[0]
    for row, left, right in zip(whole.rows, *parts, strict=True):
        assert (*left, *right) == tuple(value + b for value, b in zip(row, bias, strict=True))


# Rules --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rule", "premises", "arguments"),
    [
        ("part", 1, (("axis", "columns"), ("start", "0"), ("stop", "2"))),
        ("part", 1, (("axis", "columns"), ("start", "1"))),
        ("part", 1, (("start", "1"), ("stop", "2"))),
        ("part", 1, (("axis", "columns"), ("start", "1"), ("stop", "123456"))),
        ("join", 0, (("axis", "columns"),)),
        ("join", 2, ()),
        ("mean", 0, ()),
        ("mask", 1, ()),
        ("product-plus", 2, ()),
        ("masked-quotient", 3, (("axis", "rows"),)),
        ("masked-quotient", 3, (("axis", "rows"), ("empty", "undefined"))),
        ("line-sum-plus-one", 1, ()),
    ],
)
def test_steps_without_the_form_of_their_rule(rule: str, premises: int, arguments: tuple[tuple[str, str], ...]) -> None:
    assert RULES[rule].misfit(premises, arguments)


@pytest.mark.parametrize(
    ("rule", "shapes", "arguments"),
    [
        ("part", [(2, 3)], {"axis": "columns", "start": "3", "stop": "4"}),
        ("part", [(2, 3)], {"axis": "rows", "start": "2", "stop": "1"}),
        ("join", [(2, 3), (3, 3)], {"axis": "columns"}),
        ("join", [(2, 3), (2, 2)], {"axis": "rows"}),
        ("sum", [(2, 2), (2, 3)], {}),
        ("mask", [(2, 2), (1, 2)], {}),
        ("mean", [(2, 2), (3, 2)], {}),
        ("product-plus", [(2, 2), (2, 3), (1, 2)], {}),
        ("product-plus", [(2, 2), (2, 3), (2, 2)], {}),
    ],
)
def test_rules_refuse_what_does_not_fit(rule: str, shapes: list[tuple[int, int]], arguments: dict[str, str]) -> None:
    premises = tuple(Matrix([[i + j for j in range(columns)] for i in range(rows)]).rows for rows, columns in shapes)
    with pytest.raises((InputError, ValueError)):
        RULES[rule].apply(premises, arguments)


def test_a_vector_is_added_to_rows_or_to_columns() -> None:
    one = Matrix([[1, 0], [0, 1]]).rows
    square = Matrix([[1, 2, 3], [4, 5, 6]]).rows
    row, column = Matrix([[10, 20, 30]]).rows, Matrix([[10], [20]]).rows
    added = [RULES["product-plus"].apply((one, square, vector), {}) for vector in (row, column)]
    assert [q.exact_matrix(values) for values in added] == [
        Matrix([[11, 22, 33], [14, 25, 36]]),
        Matrix([[11, 12, 13], [24, 25, 26]]),
    ]


# Replay -------------------------------------------------------------------------------------------


def refused(steps: tuple[Step, ...]) -> list[str]:
    return [found.id for found in replay(steps) if not found.proved]


@pytest.mark.parametrize("rounding", [None, TWO])
@pytest.mark.parametrize("kind", KINDS)
def test_replay_recomputes_every_step(kind: str, rounding: Rounding | None) -> None:
    assert refused(tuple(made(kind, rounding).steps)) == []


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_replay_refuses_a_changed_cell_of_a_mask(kind: str, data: st.DataObject) -> None:
    steps = tuple(made(kind).steps)
    place = next(position for position, step in enumerate(steps) if step.id == "M")
    rows = [list(row) for row in steps[place].after]
    i, j = data.draw(st.integers(0, len(rows) - 1)), data.draw(st.integers(0, len(rows[0]) - 1))
    rows[i][j] = data.draw(
        st.sampled_from([text for text in ("0", "-inf", "-", "1", "inf", "nan") if text != rows[i][j]])
    )
    changed = replace(steps[place], after=tuple(map(tuple, rows)))
    assert refused((*steps[:place], changed, *steps[place + 1 :]))


@pytest.mark.parametrize("changed", [{"start": "2"}, {"stop": "3"}, {"start": "2", "stop": "3"}, {"axis": "rows"}])
@pytest.mark.parametrize("name", ["Q^1", "Q^2"])
def test_replay_refuses_a_changed_range_of_a_head(name: str, changed: dict[str, str]) -> None:
    steps = made("heads").steps
    others = [
        replace(step, arguments=tuple((dict(step.arguments) | changed).items())) if step.id == name else step
        for step in steps
    ]
    is_same = all(a.arguments == b.arguments for a, b in zip(steps, others, strict=True))
    assert refused(tuple(others)) == ([] if is_same else [name])


def test_replay_refuses_heads_in_another_order_and_other_words_for_empty_lines() -> None:
    steps = made("heads").steps
    swapped = [
        replace(step, premises=step.premises[::-1], before="join(H^2, H^1)") if step.id == "C" else step
        for step in steps
    ]
    assert refused(tuple(swapped)) == ["C"]
    steps = made("zeros").steps
    other = [
        replace(step, arguments=(("axis", "rows"), ("empty", "uniform"))) if step.id == "A" else step for step in steps
    ]
    assert refused(tuple(other)) == ["A"]


# What names mean ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "target"),
    [
        (r"\mathbf{Q}^{(1)}", Whole("Q^1")),
        (r"Q^{(2)}_{31}", Entry("Q^2", 3, 1)),
        (r"Q_{3,1}^{(2)}", Entry("Q^2", 3, 1)),
        (r"\mathbf{q}^{(1)}_2", Line("Q^1", 2)),
        (r"\mathbf{q}_2", Line("Q", 2)),
        (r"Q_{14}", Entry("Q", 1, 4)),
        (r"Z^{(1)}_2", Entry("Z^1", 2, 1)),
        (r"(b_Q)_{4}", Entry("bQ", 1, 4)),
        (r"\mathbf{b}_Q", Whole("bQ")),
        (r"Q^{(3)}", None),
        (r"Q^{(1)}_{13}", None),
        (r"Q^{2}", None),
        (r"(b_Q)_{5}", None),
    ],
)
def test_names_with_heads(written: str, target: Target | None) -> None:
    scene = made("heads").scene()
    assert scene.resolve(read_latex(written)) == target
    if target is not None:
        name = scene.reference(target)
        assert scene.resolve(name) == target
        assert read_latex(write_latex(name)) == name


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("valuation", VALUATIONS)
def test_every_definition_and_value_is_proved(kind: str, valuation: Valuation) -> None:
    """Also read back; only the quotient that an undefined weight would be has no value to be proved by."""
    scene = made(kind, TWO if valuation == "carried" else None).scene()
    for quantity in scene.quantities.values():
        height, width = quantity.shape
        entries = [Entry(quantity.name, i, j) for i in range(1, height + 1) for j in range(1, width + 1)]
        targets: list[Target] = [Whole(quantity.name), *entries]
        for target in targets:
            name, literal = scene.reference(target), scene.literal(target, valuation)
            assert literal is not None
            operator = "=" if same(scene.exact(target), scene.value(literal)) else "≈"
            for form in (name, *definitions(scene, target)):
                if form == literal or isinstance(form, t.Number):
                    continue  # a number is the value
                statement = Statement(name, t.Relation((form, literal), (operator,)), valuation)
                found = judge(statement, scene)
                assert found.proved == _evaluates(scene, form), (write_plain(statement.written), found.faults)
                assert read_latex(write_latex(statement.written)) == statement.written


def _evaluates(scene: Scene, form: t.Node) -> bool:
    try:
        scene.value(form)
    except InputError:
        return False
    return True


# What is proved -----------------------------------------------------------------------------------


def judged(kind: str, note: str, written: str, rounding: Rounding | None = None) -> bool:
    return judge(from_note(note, read_latex(written)), made(kind, rounding).scene()).proved


@pytest.mark.parametrize(
    ("kind", "note", "written"),
    [
        ("masked", "L_12 | exact", r"L_{12} = S_{12} + M_{12} = 2 + (-\infty) = -\infty"),
        ("masked", "L_11 | exact", r"L_{11} = S_{11} = 1"),
        ("masked", "L | exact", r"\mathbf{L} = \mathbf{S} + \mathbf{M}"),
        ("masked", "E_12 | exact", r"E_{12} = e^{L_{12}} = e^{-\infty} = 0"),
        ("masked", "Z_1 | exact", r"Z_{1} = E_{11} + E_{12} + E_{13} = e^{1} + 0 + 1 = e^{1} + 1"),
        ("masked", "A_12 | exact", r"A_{12} = \frac{E_{12}}{Z_{1}} = 0"),
        ("masked", "A_21 | exact", r"A_{21} = \text{-}"),
        ("masked", "A | exact", r"\mathbf{A} = \operatorname{softmax}(\mathbf{L})"),
        ("plus-one", "Z_1 | exact", r"Z_{1} = 1 + E_{11} + E_{12} + E_{13} = 1 + e^{1} + 0 + 1 = 2 + e^{1}"),
        ("plus-one", "Z_2 | exact", r"Z_{2} = 1 + 0 + 0 + 0 = 1"),
        ("plus-one", "A | exact", r"\mathbf{A} = \operatorname{softmax}(\mathbf{L})"),
        ("zeros", "A_21 | exact", r"A_{21} = 0"),
        ("zeros", "A | exact", r"\mathbf{A} = \operatorname{softmax}(\mathbf{L})"),
        ("uniform", "A_23 | exact", r"A_{23} = \frac{1}{3}"),
        ("uniform", "A | exact", r"\mathbf{A} = \operatorname{softmax}(\mathbf{L})"),
        ("heads", "Q | exact", r"\mathbf{Q} = \mathbf{X}\mathbf{W}_{Q} + \mathbf{b}_{Q}"),
        ("heads", "Q_11 | exact", r"Q_{11} = 1 \cdot 1 + 2 \cdot 0 + 1 = 1 + 0 + 1 = 2"),
        ("heads", "Q_11 | exact", r"Q_{11} = X_{11} \cdot (W_Q)_{11} + X_{12} \cdot (W_Q)_{21} + (b_Q)_{1} = 2"),
        ("heads", "Q_12^((1)) | exact", r"Q_{12}^{(1)} = Q_{12} = \frac{17}{8}"),
        ("heads", "Q_12^((2)) | exact", r"Q^{(2)}_{12} = Q_{14} = \frac{14}{3}"),
        ("heads", "S^((1)) | exact", r"\mathbf{S}^{(1)} = \mathbf{Q}^{(1)}\mathbf{K}^{\top}"),
        ("heads", "S_12^((1)) | exact", r"S_{12}^{(1)} = \mathbf{q}_{1}^{(1)\top}\mathbf{k}_{2} = \frac{33}{8}"),
        ("heads", "L_12^((1)) | exact", r"L_{12}^{(1)} = S_{12}^{(1)} + M_{12} = \frac{33}{8} + (-\infty) = -\infty"),
        ("heads", "A_11^((2)) | exact", r"A_{11}^{(2)} = \frac{E_{11}^{(2)}}{Z_{1}^{(2)}} = 1"),
        ("heads", "C | exact", r"\mathbf{C} = \left[ \mathbf{H}^{(1)} \mid \mathbf{H}^{(2)} \right]"),
        ("heads", "C | exact", r"\mathbf{C} = \operatorname{Concat}(\mathbf{H}^{(1)}, \mathbf{H}^{(2)})"),
        ("heads", "C_13 | exact", r"C_{13} = H_{11}^{(2)} = 1"),
        ("heads", "G | exact", r"\mathbf{G} = \frac{\mathbf{H}^{(1)} + \mathbf{H}^{(2)}}{2}"),
        ("heads", "G_11 | exact", r"G_{11} = \frac{1}{2} \left( H^{(1)}_{11} + H^{(2)}_{11} \right) = 1"),
    ],
)
def test_true_statements_are_proved(kind: str, note: str, written: str) -> None:
    assert judged(kind, note, written)


@pytest.mark.parametrize(
    ("kind", "note", "written"),
    [
        ("masked", "L_12 | exact", r"L_{12} = S_{12} + M_{12} = 2 + 0 = 2"),
        ("masked", "L_12 | exact", r"L_{12} = S_{12}"),
        ("masked", "L_11 | exact", r"L_{11} = -\infty"),
        ("masked", "A_21 | exact", "A_{21} = 0"),
        ("masked", "A_21 | end", r"A_{21} \approx 0.3333"),
        ("masked", "A_21 | exact", r"A_{21} = \frac{1}{3}"),
        ("masked", "A_21 | exact", r"A_{21} = -\infty"),
        ("masked", "A_11 | exact", r"A_{11} = \text{-}"),
        ("masked", "O_21 | exact", r"O_{21} = 0"),
        ("masked", "O_21 | exact", r"O_{21} = A_{21} \cdot 1 + A_{22} \cdot 0 + A_{23} \cdot 2 = 0"),
        ("plus-one", "Z_1 | exact", r"Z_{1} = E_{11} + E_{12} + E_{13}"),
        ("plus-one", "A_21 | exact", r"A_{21} = \text{-}"),
        ("zeros", "A_21 | exact", r"A_{21} = \frac{1}{3}"),
        ("uniform", "A_23 | exact", r"A_{23} = \text{-}"),
        ("heads", "Q_11 | exact", r"Q_{11} = 1 \cdot 1 + 2 \cdot 0 = 1"),
        ("heads", "Q_12^((2)) | exact", r"Q_{12}^{(2)} = Q_{12}"),
        ("heads", "Q_12^((2)) | exact", r"Q_{12}^{(2)} = Q_{12}^{(1)}"),
        ("heads", "S^((1)) | exact", r"\mathbf{S}^{(1)} = \mathbf{Q}^{(2)}\mathbf{K}^{\top}"),
        ("heads", "C | exact", r"\mathbf{C} = \left[ \mathbf{H}^{(2)} \mid \mathbf{H}^{(1)} \right]"),
        ("heads", "C_13 | exact", r"C_{13} = H_{11}^{(1)}"),
        ("heads", "G_11 | exact", r"G_{11} = \frac{1}{2} \left( H^{(1)}_{11} + H^{(1)}_{11} \right) = 1"),
    ],
)
def test_false_statements_are_refused(kind: str, note: str, written: str) -> None:
    assert not judged(kind, note, written)


def test_statements_under_step_rounding() -> None:
    assert judged("heads", "Q_14", r"Q_{14} = 1 \cdot (-1) + 2 \cdot \frac{1}{3} + 5 \approx 4.67", TWO)
    assert not judged("heads", "Q_14", r"Q_{14} = 1 \cdot (-1) + 2 \cdot \frac{1}{3} + 5 \approx 4.66", TWO)
    assert judged("masked", "A_21", r"A_{21} = \text{-}", TWO)
    assert not judged("masked", "A_21", r"A_{21} \approx 0.00", TWO)
    by_products = heads(Rounding(places=2), Rounding(places=1)).scene()
    for written, is_true in (
        (r"Q_{12} \approx 1 \cdot 0 + 2 \cdot 1 + \frac{1}{8} \approx 2.13", True),
        (r"Q_{14} \approx 1 \cdot (-1) + 2 \cdot \frac{1}{3} + 5 \approx -1 + 0.7 + 5 = 4.7", False),
        (r"Q_{14} \approx 1 \cdot (-1) + 2 \cdot \frac{1}{3} + 5 \approx -1 + 0.7 + 5 = 4.70", True),
    ):
        name = written.partition(" ")[0]
        statement = Statement(read_latex(name), read_latex(written))
        assert judge(statement, by_products).proved == is_true, (written, judge(statement, by_products).faults)


@pytest.mark.parametrize(
    ("subject", "written", "is_true"),
    [
        (r"L^{(1)}_{i,j}", r"L^{(1)}_{i,j} = S^{(1)}_{i,j} + M_{i,j}", True),
        (r"L^{(1)}_{i,j}", r"L^{(1)}_{i,j} = S^{(2)}_{i,j} + M_{i,j}", False),
        (r"S^{(2)}_{i,j}", r"S^{(2)}_{i,j} = \sum_{r=1}^{2} Q^{(2)}_{i,r} \cdot K_{j,r}", True),
        (r"S^{(2)}_{i,j}", r"S^{(2)}_{i,j} = \sum_{r=1}^{2} Q^{(1)}_{i,r} \cdot K_{j,r}", False),
        (r"Q_{i,j}", r"Q_{i,j} = \sum_{r=1}^{2} X_{i,r} \cdot (W_Q)_{r,j} + (b_Q)_{j}", True),
        (r"Q_{i,j}", r"Q_{i,j} = \sum_{r=1}^{2} X_{i,r} \cdot (W_Q)_{r,j}", False),
        (r"Q^{(1)}_{i,j}", r"Q^{(1)}_{i,j} = Q_{i,j}", True),
        (r"Q^{(2)}_{i,j}", r"Q^{(2)}_{i,j} = Q_{i,j}", False),
    ],
)
def test_statements_about_all_indices(subject: str, written: str, is_true: bool) -> None:
    scene = made("heads").scene()
    node = read_latex(subject)
    columns = {"L": 3, "S": 3, "Q": 4}[subject[0]] if "^" not in subject or subject[0] != "Q" else 2
    statement = Statement(node, read_latex(written), "exact", ranges=(("i", 3), ("j", columns)))
    assert judge(statement, scene).proved == is_true, judge(statement, scene).faults


def test_notes_of_statements_about_heads_are_read_back() -> None:
    written = read_latex(r"Q_{12}^{(2)} = Q_{14}")
    statement = Statement(read_latex(r"Q_{12}^{(2)}"), written, "exact")
    assert from_note(statement.note, written) == statement


def test_heads_one_below_the_other() -> None:
    below = Builder()
    below.given("H^1", [[1, 2]])
    below.given("H^2", [[3, 4]])
    below.made("C", "join", ("H^1", "H^2"), {"axis": "rows"})
    scene = below.scene()
    for written in (
        r"\mathbf{C} = \begin{bmatrix} \mathbf{H}^{(1)} \\ \mathbf{H}^{(2)} \end{bmatrix}",
        r"\mathbf{C} = \operatorname{Concat}(\mathbf{H}^{(1)}, \mathbf{H}^{(2)})",
        r"\mathbf{C} = \begin{bmatrix} 1 & 2 \\ 3 & 4 \end{bmatrix}",
    ):
        assert judge(Statement(t.Name("C"), read_latex(written), "exact"), scene).proved
    beside = read_latex(r"\mathbf{C} = \begin{bmatrix} \mathbf{H}^{(1)} & \mathbf{H}^{(2)} \end{bmatrix}")
    assert not judge(Statement(t.Name("C"), beside, "exact"), scene).proved
