"""What holds for every document: spans, order, that nothing raises, and that hostile ones are answered."""

from __future__ import annotations

import contextlib
import itertools
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symattn.errors import InputError
from symattn.notation.documents.reader import Format, read_work
from symattn.notation.submission import Heading, Prose, Work, Written
from symattn.notation.tree.traversal import walk

TEXT_FORMATS: tuple[Format, ...] = ("tex", "md", "txt")

DOCUMENT = r"""# Scores

Output = $[1, 2]$ and ~~$x = 1$~~, so `y = 2`:

$$Q_{11} = (1 \cdot 2) + 3 = 5, \quad K = \begin{bmatrix} 1 & 2 \\ 3 & 4 \end{bmatrix}$$

- Row 0: [1, 2] -> [0.1, 0.9]
\begin{align} a &= 1 \\ &= \boxed{b = 2} \end{align}
```
A = [[1. 0.]
 [0. 1.]]
```
"""
PARTS = [
    "$", "$$", r"\(", r"\)", r"\[", r"\]", "```", "```math", "\n", "\n\n", "\\\\", "&", "&amp;", "~~", "**",
    "*", "`", "> ", "- ", "# ", "===", "|", "\\begin{align}", "\\end{align}", "\\begin{bmatrix}",
    "\\end{bmatrix}", "\\text{and}", "\\quad", "\\boxed{", "\\cancel{", "\\sout{", "\\section{",
    "\\question[3] ", "\\item ", "{", "}", "(", ")", "[", "]", "\\left(", "\\right]", "%", " = ", "≈", " -> ",
    "=>", "~", ":", ",", ";", ". ", "1", "0.5", "Q", "x_1", "words", "and ", "the value ", "<del>", "</del>",
    "\x00", "\r\n", "\\newcommand{\\Q}{\\mathbf{Q}}", "\\Q", "\\begin{document}", "\\begin{verbatim}",
    "\\end{verbatim}", "\\tag{1}", "\\overset{?}{=}", "é", "∑", "\n|---|---|\n", "| 1 | 2 |\n",
    "| $s_{1j}$ | weight |\n", "\\begin{tabular}{cc}", "\\end{tabular}", "\\begin{array}{c}", "\\end{array}",
    "\n1 2 3\n", "\\hline",
]  # fmt: skip
garbled = st.lists(st.sampled_from(PARTS), max_size=40).map("".join)
mutated = st.tuples(st.integers(0, len(DOCUMENT)), st.integers(0, 12), st.sampled_from(["", *PARTS])).map(
    lambda change: DOCUMENT[: change[0]] + change[2] + DOCUMENT[change[0] + change[1] :]
)


def check(work: Work) -> None:
    starts = [piece.span[0] for piece in work.pieces]
    assert starts == sorted(starts)
    for piece in work.pieces:
        start, end = piece.span
        assert 0 <= start <= end <= len(work.text)
        if isinstance(piece, Written):
            check_chain(work, piece)
        else:
            assert isinstance(piece, Heading | Prose)
            assert piece.text.strip()


def check_chain(work: Work, written: Written) -> None:
    assert len(written.sides) == len(written.operators) + 1 == len(written.operator_spans) + 1
    assert all(side is not None for side in written.sides[1:-1])
    assert written.operators or written.sides[0] is not None
    implied = bool(written.sides) and written.sides[0] is not None and written.sides[0].implied
    assert not any(side.implied for side in written.sides[1:] if side is not None)
    parts = [side.span for side in written.sides if side is not None and not side.implied]
    parts += list(written.operator_spans[implied:])
    assert all(written.span[0] <= start < end <= written.span[1] for start, end in parts)
    ordered = sorted(parts)
    assert all(left[1] <= right[0] for left, right in itertools.pairwise(ordered))
    for side in written.sides:
        if side is None:
            continue
        assert not work.shown[slice(*side.span)][0].isspace()
        assert (side.node is None) <= bool(side.reason)
        for node in [] if side.node is None else walk(side.node):
            if node.span is None:  # a name that bars imply: |x| is abs(x)
                continue
            assert side.span[0] <= node.span[0] <= node.span[1] <= side.span[1]


@pytest.mark.parametrize("form", TEXT_FORMATS)
@given(text=garbled)
@settings(max_examples=60, deadline=None)
def test_garbled_documents_are_read(form: Format, text: str) -> None:
    check(read_work(text, form))


@given(text=mutated)
@settings(max_examples=60, deadline=None)
def test_documents_with_one_change_are_read(text: str) -> None:
    for form in ("tex", "md"):
        work = read_work(text, form)
        assert work.shown == text
        check(work)


@given(text=st.text(max_size=200))
@settings(max_examples=50, deadline=None)
def test_any_text_is_read(text: str) -> None:
    for form in TEXT_FORMATS:
        check(read_work(text, form))


@given(text=st.text(max_size=100))
@settings(max_examples=50, deadline=None)
def test_any_text_is_a_notebook_or_refused(text: str) -> None:
    with contextlib.suppress(InputError):
        check(read_work(text, "ipynb"))


statements = st.lists(
    st.sampled_from(
        [r"$Q_{11} = 1 + 2 = 3$", r"$$x \approx 0.5$$", "Q_12 = 4", r"\[y = [1, 2]\]", "[[1, 2], [3, 4]]", "$= 3$"]
    ),
    min_size=1,
    max_size=8,
)


@given(found=statements, form=st.sampled_from(["md", "txt"]))
@settings(max_examples=60, deadline=None)
def test_paragraphs_keep_their_number_and_their_spans(found: list[str], form: Format) -> None:
    one_by_one = [piece for text in found for piece in read_work(text, form).pieces]
    together = read_work("\n\n".join(found), form).pieces
    assert [_shape(piece) for piece in together] == [_shape(piece) for piece in one_by_one]


@given(found=statements)
@settings(max_examples=40, deadline=None)
def test_statements_of_one_formula_keep_their_number(found: list[str]) -> None:
    count = len(found)
    rows = r" \\ ".join(f"a_{number} &= {number}" for number in range(count))
    assert len(read_work(rf"\begin{{align}} {rows} \end{{align}}", "md").pieces) == count


def _shape(piece: object) -> object:
    return (piece.operators, [side and side.node for side in piece.sides]) if isinstance(piece, Written) else piece


def test_the_formats_are_four() -> None:
    assert set(get_args(Format)) == {*TEXT_FORMATS, "ipynb"}


HOSTILE = [
    "(" * 100_000,
    "$" + "(" * 100_000 + "$",
    "x" * 5_000,
    "$" + "x" * 5_000 + "$",
    "$a\x00b = 3$ and Q = \x00",
    "$" * 50_000,
    "$$" + r"\begin{bmatrix}" + "&".join("1" * 2_000) + r"\end{bmatrix}$$",
    r"$9^{9^{9}} = 1e999999999$",
    "9^9^9 = 1e999999999",
    "```python\n" * 10_000,
    "```\n" * 10_001,
    "\\begin{align}\n\n" * 5_000,
    "\\[" * 10_000,
    "~~a " * 10_000,
    "[ = 1\n" * 2_000,
    "[\n" * 20_000,
    "=\n" * 20_000,
    "a: " * 20_000,
    "> " * 50_000,
    "<p " * 20_000,
    "**a " * 20_000,
    "\\sout{" * 20_000,
    "$" + r"\text{" * 20_000 + "$",
    "$" + r"\sqrt" * 10_000 + "2$",
    "$" + "a," * 50_000 + "$",
    "$" + "a=" * 20_000 + "$",
    "\\" * 50_000,
    r"\newcommand{\a}{" * 10_000,
    r"\section{" * 10_000,
    "%" * 50_000,
    "a " * 50_000 + "= $3$",
    "`" * 50_000,
    r"\begin{aligned}" * 3_000 + "a=1" + r"\end{aligned}" * 3_000,
    r"\overset{" * 10_000,
    r"\begin{verbatim}" * 10_000,
    " " * 100_000,
    "\n" * 100_000,
    "# " * 50_000,
    "$a$ " * 20_000,
    "|a|b|\n|---|---|\n" + "|1|2|\n" * 20_000,
    "|a|b|\n|---|---|\n|1|2|\n\n" * 1_000,
    "|" * 50_000,
    "|---|\n" * 10_000,
    "|a|b|\n|---|---|\n|" + "_{" * 50_000 + "|2|",
    "|a|b|\n|---|---|\n" + "|$1$|$" * 5_000,
    r"\begin{tabular}{c}" * 5_000,
    r"\begin{tabular}{c}" + "&" * 50_000 + r"\end{tabular}",
    r"\begin{tabular}{cc}1&2\\3&4\end{tabular}\caption{x" * 500,
    r"\begin{table}\caption{" * 3_000,
    "1 2\n" * 10_000,
    "A =\n1 2\n" * 1_000,
    r"\def\x#1#2{" * 5_000,
    r"\def\x{\x\x}" + r"$\x = 1$ " * 500,
    r"\newcommand{\x}[1]{#1#1}$" + r"\x{" * 500 + "1" + "}" * 500 + "$",
    r"\newcommand{\x}[1]{(#1)}" + r"$\x{1} = 1$ " * 500,
]


@pytest.mark.sample(8)
@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: repr(text[:14]))
@pytest.mark.parametrize("form", ["tex", "md"])
def test_hostile_documents_are_answered(form: Format, text: str) -> None:
    check(read_work(text, form))


def test_too_many_equations_are_refused() -> None:
    with pytest.raises(InputError, match="more than 20000 sides"):
        read_work("$a=1$\n" * 10_001, "md")
