"""Laws of reading sides: what the writers write comes back, places nest, hostile text gets an answer."""

from __future__ import annotations

import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from symattn.notation.parser.latex import read_latex
from symattn.notation.sides.reader import Notation, read_side
from symattn.notation.submission import Side
from symattn.notation.tree import limits
from symattn.notation.tree import nodes as t
from symattn.notation.tree.traversal import walk
from symattn.notation.writers.latex import write_latex
from symattn.notation.writers.plain import write_plain
from tests.notation.parser.test_hostile import LATEX, PLAIN
from tests.notation.sides.functions import SIDE_FUNCTIONS
from tests.notation.trees import expressions

SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]
NOTATIONS: tuple[Notation, ...] = ("latex", "plain")
_NUMERAL_OR_SIGN = re.compile(r"[-−]*[0-9.]*|[iI]nf|infty|[iI]nfinity|[-—–]+")


def _read(text: str, notation: Notation) -> Side:
    return read_side(text, 0, len(text), notation)


def _means_something_else(node: t.Node) -> bool:
    """Whether people mean something else by what the strict notation writes for this node."""
    match node:
        case t.Name(text):
            return _NUMERAL_OR_SIGN.fullmatch(text) is not None
        case t.Call(function):
            return function.text == "Softmax"
        case t.Subscript(base):
            return isinstance(base, t.Name) and base.text in SIDE_FUNCTIONS
        case t.Matrix(rows):
            return any(_is_list(entry) for row in rows for entry in row)
        case t.Vector(items, brackets):
            return any(map(_is_list, items)) if brackets == "[" else all(isinstance(item, t.Vector) for item in items)
        case t.Group(body, "["):
            return isinstance(body, t.Matrix)
        case t.Power(base):
            while isinstance(base, t.Subscript):
                base = base.base
            return isinstance(base, t.Name)
        case t.Product(factors, operators) if any(map(_is_row, factors, operators, factors[1:])):
            return True
        case t.Product(factors):
            return any(isinstance(factor, t.Name) for factor in factors[:-1]) and any(map(_has_index, factors[1:]))
        case _:
            return False


def _is_row(left: t.Node, operator: str, right: t.Node) -> bool:
    """Whether a number stands beside a list or a quotient, and multiplies nothing."""
    while isinstance(right, t.Power | t.Division):
        right = right.base if isinstance(right, t.Power) else right.numerator
    return not operator and isinstance(left, t.Vector | t.Matrix | t.Division) and isinstance(right, t.Number)


def _is_list(node: t.Node) -> bool:
    return isinstance(node, t.Matrix) or (isinstance(node, t.Vector | t.Group) and node.brackets == "[")


def _has_index(node: t.Node) -> bool:
    return isinstance(node.base if isinstance(node, t.Transpose) else node, t.Subscript)


@given(expressions().filter(lambda node: not any(map(_means_something_else, walk(node)))))
@settings(max_examples=50, deadline=None, suppress_health_check=SLOW)
def test_what_the_writers_write_is_read_back(node: t.Node) -> None:
    assert _read(write_latex(node), "latex").node == node
    assert _read(write_plain(node), "plain").node == node


@given(expressions(), st.integers(0, 40))
@settings(max_examples=50, deadline=None, suppress_health_check=SLOW)
def test_places_nest_and_move_with_the_text(node: t.Node, before: int) -> None:
    for notation, written in (("latex", write_latex(node)), ("plain", write_plain(node))):
        text = "#" * before + written + "##"
        side = read_side(text, before, before + len(written), notation)  # type: ignore[arg-type]
        alone = _read(written, notation)  # type: ignore[arg-type]
        assert side.span == (before, before + len(written))
        assert (side.node, side.reason) == (alone.node, alone.reason)
        if side.node is not None:
            _assert_nested(side.node, side.span)


def _assert_nested(node: t.Node, outer: t.Span) -> None:
    span = node.span or outer
    assert outer[0] <= span[0] <= span[1] <= outer[1]
    for child in t.children(node):
        _assert_nested(child, span)


_PIECES = st.sampled_from([
    "1", "0.5", "2", "12", " ", " ", "+", "-", "/", "(", ")", "[", "]", "{", "}", "^", "_", ",", ";", "&",
    "\\\\", "\\ ", "x", "Q", "K", "W", "T", "e", r"\frac", r"\sqrt", r"\cdot", r"\begin{bmatrix}",
    r"\end{bmatrix}", r"\text{", r"\hat", "|", "'", r"\sum", r"\left", r"\right", "%", "~", "softmax",
    r"\sigma", "array", "⟨", "⎡", "½", "₁", "²", ".", "...", r"\quad", r"\;", "{,}", r"\underbrace", "=",
    r"\in", "\n", "\x00", "é", r"\boxed", "dtype=", "*", "**", ":", '"',
])  # fmt: skip


@given(st.lists(_PIECES, max_size=25).map("".join), st.sampled_from(NOTATIONS))
@settings(max_examples=100, deadline=None)
def test_any_text_gets_a_side(text: str, notation: Notation) -> None:
    side = _read(text, notation)
    assert (side.node is None) <= (side.reason != "")
    assert 0 <= side.at <= len(text)
    for node in (side.node, *side.others):
        if node is not None:
            write_plain(node, SIDE_FUNCTIONS)
            _assert_nested(node, side.span)


@given(st.text(max_size=40), st.sampled_from(NOTATIONS))
@settings(max_examples=80, deadline=None)
def test_random_text_gets_a_side(text: str, notation: Notation) -> None:
    assert _read(text, notation).span == (0, len(text))


REPEATED = [
    "|", "||", r"\sigma(", r"\frac1", r"\hat ", r"\underbrace{", r"\text{a}", "1,", "[1 ", "1 ", r"2\frac12 ",
    "x_11 ", "1/2x+", "\\", "\\ ", "$", "{", "QK_{11}", r"\overset{a}", "⎡", "½", "q₁", "x²", "np.", "float('",
    r"\phantom{", '"', '"a', "e^", "^T", "'", r"\begin{array}{", "a.b", "[", r"\|x", "softmax ", r"\sum_j ",
    "1{,}", r"1\,", "-", " ", "a ", "%", "~", "&", r"\left", "abc ", r"\color{", "Float32", "\n", "x{,}",
    "sum(", ",dtype=", "1% ", "0.3 ", "1.5e", "(1,", r"\begin{bmatrix}", r"\exp ", "boxed(", "x' ", r"\,",
    "{{}", r"\mathrm{a",
]  # fmt: skip


@pytest.mark.sample(4)
@pytest.mark.parametrize("notation", NOTATIONS)
@pytest.mark.parametrize("piece", REPEATED)
def test_repetition_is_bounded(piece: str, notation: Notation) -> None:
    text = piece * (limits.MAX_LENGTH // 4 // len(piece))
    side = _read(text, notation)
    assert side.span == (0, len(text))
    assert len(side.reason) < 300


@pytest.mark.sample(14)
@pytest.mark.parametrize("notation", NOTATIONS)
@pytest.mark.parametrize("text", [text for text, _ in (*LATEX, *PLAIN)], ids=lambda text: text[:20])
def test_hostile_text_gets_a_side(text: str, notation: Notation) -> None:
    side = _read(text, notation)
    assert side.span == (0, len(text))
    assert len(side.reason) < 300


def test_a_side_that_is_too_long_is_not_looked_at() -> None:
    side = _read("1" * (limits.MAX_LENGTH + 1), "latex")
    assert side.node is None
    assert "characters" in side.reason


def test_nested_sigmas_are_read_once_each() -> None:
    text = r"\sigma(" * 40 + "x" + ")" * 40
    assert _read(text, "latex").node is not None


def test_a_large_matrix_is_read() -> None:
    text = r"\begin{bmatrix}" + r"\\".join(["&".join(["-1.25"] * 100)] * 100) + r"\end{bmatrix}"
    node = _read(text, "latex").node
    assert isinstance(node, t.Matrix)
    assert (len(node.rows), len(node.rows[0])) == (100, 100)


def test_a_numeral_that_tex_splits_ends_at_its_first_digit() -> None:
    node = read_latex("x^10")
    assert isinstance(node, t.Product)
    assert [factor.span for factor in node.factors] == [(0, 3), (3, 4)]
