"""Inputs made to hang or to overflow: the bounds of `limits` answer them, not a clock.

What a reader does is bounded by the characters, the pieces, the nesting and the items it counts, so each
case says which bound answers. All of them together take a second or two.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from fractions import Fraction

import pytest

from symattn.errors import NotationError
from symattn.notation.documents.reader import Format, read_work
from symattn.notation.parser.latex import read_latex
from symattn.notation.parser.plain import read_plain
from symattn.notation.tree import limits
from symattn.notation.tree import nodes as t

NESTED, LONG, PARTS = "levels deep", "characters", "parts"

LATEX = [
    ("9^{9^{9}}", "power of numbers"),
    ("100000000!", "'!'"),
    ("x" * 5_000, "factors"),
    (r"\begin{bmatrix}" + "&".join("1" * 2_000) + r"\end{bmatrix}", "columns"),
    (r"\begin{bmatrix}" + r"\\".join(["1&2&3&4&5&6&7&8&9&0"] * 1_020) + r"\end{bmatrix}", "10000 entries"),
    (r"\begin{bmatrix}" + r"\\".join("1" * 1_100) + r"\end{bmatrix}", "rows"),
    ("(" * 100_000, PARTS),
    ("(" * 50_000, NESTED),
    ("{" * 50_000, NESTED),
    (r"\sqrt" * 10_000 + "2", NESTED),
    (r"\frac" * 10_000 + "2", NESTED),
    (r"\mathbf " * 10_000 + "x", NESTED),
    (r"\boxed{" * 10_000, NESTED),
    (r"\exp " * 10_000 + "x", NESTED),
    (r"\sum_{j=1}^{2}" * 1_000 + "x", NESTED),
    ("-" * 50_000 + "x", NESTED),
    ("x_{" * 10_000, NESTED),
    ("x^{" * 10_000, NESTED),
    ("1/" * 20_000 + "1", "slashes"),
    ("a+" * 20_000 + "a", "terms"),
    ("a=" * 20_000 + "a", "sides"),
    ("x " * 20_000, "factors"),
    ("(1" + ",1" * 20_000 + ")", "items"),
    ("1e999999999", "exponent"),
    (r"1 \times 10^{999999999}", "exponent"),
    ("1" * 5_000, "A number has 5000 characters"),
    ("1" * 200_001, LONG),
    ("a\x00b", "U+0000"),
    ("a\udcffb", "U+DCFF"),
    ("a�", "U+FFFD"),
    ("١٢٣", "has no meaning"),
    (r"\text{" * 20_000, "not closed"),
    (r"\begin{bmatrix}" * 5_000, "not closed"),
    ("\\" + "a" * 100_000, "not known"),
]

PLAIN = [
    ("9^(9^9)", "power of numbers"),
    ("9^9^9", "second exponent"),
    ("100000000!", "'!'"),
    ("x" * 5_000, "5000 letters"),
    ("[" + ",".join("1" * 2_000) + "]", "items"),
    ("[" + "; ".join("1" * 2_000) + "]", "rows"),
    ("(" * 100_000, PARTS),
    ("[" * 50_000, NESTED),
    ("[1;" * 10_000, NESTED),
    ("sqrt(" * 10_000, NESTED),
    ("sqrt " * 10_000 + "2", NESTED),
    ("√" * 10_000 + "2", NESTED),
    ("boxed(" * 10_000, NESTED),
    ("x_1" + "_1" * 5_000, "indices"),
    ("x_1" + "_1" * 200, "levels"),
    ("x^-" * 10_000, "second exponent"),
    ("2^" + "-" * 10_000 + "1", NESTED),
    ("1/" * 20_000 + "1", "slashes"),
    ("1e999999999", "exponent"),
    ("1" * 5_000, "A number has 5000 characters"),
    ('"' + "a" * 5_000 + '"', "5000 characters"),
    ("a\x00b", "U+0000"),
]


@pytest.mark.sample(9)
@pytest.mark.parametrize(
    ("read", "text", "part"),
    [(read_latex, *case) for case in LATEX] + [(read_plain, *case) for case in PLAIN],
    ids=lambda value: value.__name__ if callable(value) else str(value)[:20],
)
def test_it_is_refused(read: Callable[[str], t.Node], text: str, part: str) -> None:
    with pytest.raises(NotationError) as caught:
        read(text)
    assert part in str(caught.value)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize("read", [read_latex, read_plain])
def test_the_deepest_formula_stays_inside_the_recursion_limit(read: Callable[[str], t.Node]) -> None:
    deepest = limits.MAX_NESTING - 1
    text = "(" * deepest + "x" + ")" * deepest
    frames = len(_frames())
    before = sys.getrecursionlimit()
    try:
        # Reading takes at most ten frames for a level, comparison and repr no more.
        sys.setrecursionlimit(frames + 10 * limits.MAX_NESTING + 50)
        assert read(text) == read(text)
        assert repr(read(text)).startswith("Group(")
        assert hash(read(text)) == hash(read(text))
    finally:
        sys.setrecursionlimit(before)


def _frames() -> list[int]:
    lines = []
    frame = sys._getframe()
    while frame.f_back is not None:
        lines.append(frame.f_lineno)
        frame = frame.f_back
    return lines


def test_a_large_matrix_is_read() -> None:
    text = r"\begin{bmatrix}" + r"\\".join(["&".join(["-1.25"] * 64)] * 64) + r"\end{bmatrix}"
    node = read_latex(text)
    assert isinstance(node, t.Matrix)
    assert (len(node.rows), len(node.rows[0])) == (64, 64)


@pytest.mark.parametrize("form", ["md", "tex", "txt"])
@pytest.mark.parametrize("label", ["row 1: ", "[^1]: ", "Scores: ", "a: 1 "])
def test_a_line_of_many_labels_is_read(form: Format, label: str) -> None:
    assert read_work(label * 2_000, form).text == label * 2_000


@pytest.mark.parametrize("length", [1, 500, 501, 4300, 4301, 20_000])
def test_numerals_of_any_length_have_a_value(length: int) -> None:
    digits = ("1234567890" * length)[:length]
    value = t.Number(f"{digits}.{digits}e-7").value
    assert value * 10 ** (length + 7) % 10**9 == int(digits[-9:]) if length >= 9 else value == Fraction(11, 10**8)
