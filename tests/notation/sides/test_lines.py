"""Rows, columns and entries as people write them: dots and colons below, brackets of programs, calls."""

from __future__ import annotations

import pytest

from symattn.notation.sides.reader import Notation, read_side
from symattn.notation.tree import nodes as t
from symattn.notation.tree.traversal import walk
from symattn.notation.writers.plain import write_plain
from tests.notation.parser.test_spans import check_spans
from tests.notation.sides.functions import SIDE_FUNCTIONS

ALL = t.Name(":")


def read(text: str, notation: Notation) -> t.Node | None:
    return read_side(text, 0, len(text), notation).node


def below(name: str, *indices: str) -> t.Subscript:
    return t.Subscript(t.Name(name), tuple(t.Number(item) if item.isdigit() else t.Name(item) for item in indices))


def array(name: str, *indices: str) -> t.Group:
    items = tuple(t.Number(item) if item.isdigit() else t.Name(item) for item in indices)
    return t.Group(t.Product((t.Name(name), t.Vector(items, "[")), ("",)))


@pytest.mark.parametrize(
    ("notation", "text"),
    [
        ("latex", r"Q_{1\cdot}"),
        ("latex", r"Q_{1,\cdot}"),
        ("latex", "Q_{1:}"),
        ("latex", "Q_{1,:}"),
        ("latex", "Q_{1*}"),
        ("latex", r"Q_{1\bullet}"),
        ("latex", r"\mathbf{Q}_{1 \cdot }"),
        ("plain", "Q_{1:}"),
        ("plain", "Q_{1,:}"),
        ("plain", "Q_{1·}"),
        ("plain", "Q_(1,:)"),
    ],
)
def test_a_row_has_many_spellings(notation: Notation, text: str) -> None:
    assert read(text, notation) == below("Q", "1", ":")


@pytest.mark.parametrize(
    ("notation", "text"),
    [
        ("latex", r"Q_{\cdot 2}"),
        ("latex", r"Q_{\cdot,2}"),
        ("latex", "Q_{:,2}"),
        ("latex", "Q_{:2}"),
        ("latex", "Q_{*2}"),
        ("plain", "Q_{:,2}"),
        ("plain", "Q_{:2}"),
    ],
)
def test_a_column_has_many_spellings(notation: Notation, text: str) -> None:
    assert read(text, notation) == below("Q", ":", "2")


def test_running_indices_choose_lines_too() -> None:
    assert read(r"Q_{i\cdot}", "latex") == below("Q", "i", ":")
    assert read(r"V_{\cdot j}", "latex") == below("V", ":", "j")
    assert read(r"Q_{1\cdot}^\top", "latex") == t.Transpose(below("Q", "1", ":"))


@pytest.mark.parametrize(
    ("notation", "text", "node"),
    [
        ("plain", "Q[0,:]", array("Q", "0", ":")),
        ("plain", "Q[:, 2]", array("Q", ":", "2")),
        ("plain", "Q[i, :]", array("Q", "i", ":")),
        ("latex", "Q[0,:]", array("Q", "0", ":")),
        ("latex", r"\mathbf{Q}[0, :]", array("Q", "0", ":")),
        ("plain", "Q[0, :].T", t.Transpose(array("Q", "0", ":"))),
        ("plain", "Q[0,:] @ K[1,:]", t.Product((array("Q", "0", ":"), array("K", "1", ":")), ("",))),
    ],
)
def test_lines_of_an_array_stay_an_array_with_its_indices(notation: Notation, text: str, node: t.Node) -> None:
    assert read(text, notation) == node


def test_lines_of_a_name_with_labels() -> None:
    line = read("W_Q[0, :].T", "plain")
    assert isinstance(line, t.Transpose)
    assert isinstance(line.base, t.Group)
    assert isinstance(line.base.body, t.Product)
    assert line.base.body.factors[0] == below("W", "Q")


@pytest.mark.parametrize(
    ("notation", "text", "plain"),
    [
        ("plain", "score(1,3)", "score_{1,3}"),
        ("plain", "s(1, 3)", "s_{1,3}"),
        ("plain", "weight(1,3)", "weight_{1,3}"),
        ("plain", "A(1,3)", "A_{1,3}"),
        ("latex", "A(1,3)", "A_{1,3}"),
        ("latex", r"\mathbf{A}(1,3)", "A_{1,3}"),
        ("latex", r"\text{score}(1,3)", "score_{1,3}"),
        ("latex", r"\text{attention weight}(2,1)", '"attention weight"_{2,1}'),
        ("plain", "attn_weights(1,2)", "attn_weights_{1,2}"),
        ("plain", "score(0,1)", "score_{0,1}"),
        ("plain", "score(1,3)/2", "score_{1,3}/2"),
        ("plain", "A(1,1)*V(1,2) + A(1,2)*V(2,2)", "A_{1,1}*V_{1,2} + A_{1,2}*V_{2,2}"),
    ],
)
def test_an_entry_may_look_like_a_call(notation: Notation, text: str, plain: str) -> None:
    node = read(text, notation)
    assert node is not None
    assert write_plain(node, SIDE_FUNCTIONS) == plain


@pytest.mark.parametrize(
    ("notation", "text", "plain"),
    [
        ("plain", "A (1,3)", "A (1, 3)"),
        ("plain", "A(0,1)", "A (0, 1)"),
        ("plain", "a(1,3)", "a (1, 3)"),
        ("latex", r"\alpha(1,3)", "alpha (1, 3)"),
        ("plain", "x(1,2)", "x (1, 2)"),
        ("plain", "v_1(1,2)", "v_1 (1, 2)"),
        ("latex", "W_Q(1,2)", "W_Q (1, 2)"),
        ("latex", "Q(1,2)^T", "Q (1, 2)^T"),
        ("plain", "Q(1.5, 2)", "Q (1.5, 2)"),
        ("plain", "S(1 3)", "S (1, 3)"),
        ("plain", "score(100,200)", "score (100, 200)"),
        ("plain", "scores(1)", "scores (1)"),
        ("plain", "softmax(1,3)", "softmax(1, 3)"),
        ("latex", r"\max(1,3)", "max(1, 3)"),
        ("plain", "Q[0, 1]", "Q [0, 1]"),
    ],
)
def test_a_list_behind_a_name_stays_a_list(notation: Notation, text: str, plain: str) -> None:
    node = read(text, notation)
    assert node is not None
    assert write_plain(node, SIDE_FUNCTIONS) == plain


@pytest.mark.parametrize(
    "text", ["Q_{1:3}", "Q_{1:2,:}", "Q[1:]", "Q[:]", "Q[:,:]", "Q[0,0,:]", "[0,:]", r"Q_{1\times}"]
)
def test_slices_and_what_chooses_nothing_are_not_read(text: str) -> None:
    side = read_side(text, 0, len(text), "latex")
    assert side.node is None
    assert side.reason


@pytest.mark.parametrize(
    "text", [r"Q_{1\cdot}", "Q_{:2}", "Q[0, :]", "2 Q[:, 1].T", "score(1, 3) + 1", r"\mathbf{Q}[0,:]", "A(1,3)/2"]
)
def test_places_are_those_of_the_text(text: str) -> None:
    notation: Notation = "latex" if "\\" in text else "plain"
    node = read(text, notation)
    assert node is not None
    check_spans(node, text)
    for item in walk(node):
        if isinstance(item, t.Number) and item.span is not None:
            assert text[slice(*item.span)] == item.text


def test_many_lines_are_read_in_one_go() -> None:
    node = read(" + ".join(["Q[0,:]"] * 1_000), "plain")
    assert isinstance(node, t.Sum)
    assert len(node.terms) == 1_000
