"""What names mean, what they are worth, and how values are written."""

from __future__ import annotations

import pytest

from symattn.exact.field.quotient import Quotient
from symattn.exact.linear.matrix import Matrix
from symattn.graph.key_judge.matching import rename_index
from symattn.graph.quantities.scene import Entry, Line, Scene, Target, Whole, entry_of
from symattn.notation.parser.latex import read_latex
from symattn.notation.tree import nodes as t
from symattn.notation.writers.plain import write_plain
from tests.derivation.scenes import columns, once, stepwise, symbolic, wide


@pytest.mark.parametrize(
    ("written", "target"),
    [
        (r"\mathbf{Q}", Whole("Q")),
        (r"Q_{31}", Entry("Q", 3, 1)),
        (r"Q_{3,1}", Entry("Q", 3, 1)),
        (r"\mathbf{Q}_{31}", Entry("Q", 3, 1)),
        (r"Z_1", Entry("Z", 1, 1)),
        (r"\mathbf{q}_1", Line("Q", 1)),
        (r"\mathbf{W}_Q", Whole("W_Q")),
        (r"(\mathbf{W}_Q)_{41}", Entry("W_Q", 4, 1)),
        (r"Q_{33}", None),
        (r"Q_{41}", None),
        (r"Q_{01}", None),
        (r"Q_{031}", None),
        (r"Q_{3}", None),
        (r"Q_{311}", None),
        (r"Q_{3,1,1}", None),
        (r"Q_{ij}", None),
        (r"Z_0", None),
        (r"Z_{01}", None),
        (r"Z_4", None),
        (r"\mathbf{q}_4", None),
        (r"W_{31}", None),
        (r"x", None),
        (r"3", None),
    ],
)
def test_names(written: str, target: Target | None) -> None:
    assert stepwise().scene.resolve(read_latex(written)) == target


def test_indices_of_two_digits() -> None:
    scene = wide().scene
    assert scene.resolve(read_latex(r"S_{1,11}")) == Entry("S", 1, 11)
    assert scene.resolve(read_latex(r"K_{11,2}")) == Entry("K", 11, 2)
    assert scene.resolve(read_latex(r"K_{112}")) is None
    assert scene.resolve(read_latex(r"S_{1,12}")) is None
    assert write_plain(scene.reference(Entry("K", 3, 2))) == "K_{3,2}"


def test_running_indices() -> None:
    node = t.Subscript(t.Name("Q"), (t.Name("i"), t.Number("2")))
    assert stepwise().scene.resolve(node, {"i": 3}) == Entry("Q", 3, 2)
    assert stepwise().scene.resolve(node, {"i": 4}) is None
    assert stepwise().scene.resolve(node) is None


def test_lines_run_where_the_tokens_stand() -> None:
    assert [str(row[0]) for row in matrix(columns().scene, Line("K", 2))] == ["0", "1"]
    assert [str(row[0]) for row in matrix(stepwise().scene, Line("K", 2))] == ["2", "-3/2"]


def matrix(scene: Scene, target: Target) -> tuple[tuple[Quotient, ...], ...]:
    value = scene.exact(target)
    assert isinstance(value, Matrix)
    return value.rows


@pytest.mark.parametrize(
    ("written", "exact", "carried"),
    [
        (r"A_{33}", None, "0"),
        (r"\frac{e^{17/2}}{Z_3}", None, None),
        (r"0.62 \cdot V_{11}", "31/20", "31/20"),
        (r"A_{31} + A_{32}", None, "1"),
        (r"(\mathbf{Q}\mathbf{K}^\top)_{3,1}", "17/2", "17/2"),
    ],
)
def test_values(written: str, exact: str | None, carried: str | None) -> None:
    scene, node = stepwise().scene, read_latex(written)
    if exact is not None:
        assert scene.value(node) == Quotient.of(exact)
    if carried is not None:
        assert scene.carried_value(node) == Quotient.of(carried)


@pytest.mark.parametrize(
    ("target", "exact", "carried", "end"),
    [
        (Entry("Q", 3, 1), "5/2", "5/2", "5/2"),
        (Entry("A", 3, 1), None, "0.62", "0.62"),
        (Entry("O", 3, 1), None, "1.17", "1.18"),
        (Entry("Z", 1, 1), "e^(3/2) + e^(-5/2) + e^8", "2985.52", "2985.52"),
        (Line("Q", 3), "[[5/2], [-2]]", "[[5/2], [-2]]", "[[5/2], [-2]]"),
        (Entry("entropy", 3, 1), None, "0.66", "0.66"),
    ],
)
def test_the_prescribed_way_to_write_a_value(target: Target, exact: str | None, carried: str, end: str) -> None:
    scene = stepwise().scene
    if exact is not None:
        assert plain(scene.literal(target, "exact")) == exact
    assert plain(scene.literal(target, "carried")) == carried
    assert plain(scene.literal(target, "end")) == end


def plain(node: t.Node | None) -> str:
    return "" if node is None else write_plain(node)


def test_values_with_a_free_symbol_stay_closed_forms() -> None:
    assert plain(symbolic().scene.literal(Entry("A", 1, 1), "end")) == "e^beta/(e^beta + 1)"


def test_scalars() -> None:
    assert plain(once().scene.literal(Whole("c"), "exact")) == "sqrt(2)/2"
    assert once().scene.resolve(read_latex(r"d_k")) == Whole("d_k")


def test_writing_entries() -> None:
    quantity = stepwise().scene.quantities["Q"]
    assert write_plain(entry_of(quantity, 3, 1)) == "Q_31"
    assert write_plain(entry_of(quantity, t.Name("i"), 1)) == "Q_{i,1}"


def test_renaming_an_index_leaves_other_names_alone() -> None:
    node = read_latex(r"A_{3,j} \mathbf{v}_j^\top + j")
    assert write_plain(rename_index(node, "j", 2)) == write_plain(read_latex(r"A_{3,2} \mathbf{v}_2^\top + j"))
