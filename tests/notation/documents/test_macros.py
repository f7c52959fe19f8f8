r"""Macros of the writer's own: what they become, where it stands, and that none goes on for ever."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symattn.notation.documents.reader import Format, read_work
from symattn.notation.sides.reader import read_side
from symattn.notation.submission import Side, Work, Written
from symattn.notation.tree import nodes as t
from symattn.notation.tree.traversal import walk
from tests.effort import effort


def chains(work: Work) -> list[Written]:
    return [piece for piece in work.pieces if isinstance(piece, Written)]


def sides(work: Work) -> list[Side]:
    return [side for written in chains(work) for side in written.sides if side is not None]


def plain(formula: str) -> t.Node:
    node = read_side(formula, 0, len(formula), "latex").node
    assert node is not None
    return node


MATRIX = r"\begin{bmatrix} 1 & 2 \\ 3 & 4 \end{bmatrix}"

DEFINED = [
    (r"\newcommand{\T}{^{\top}}", r"QK\T", r"QK^{\top}"),
    (r"\newcommand\T{^\top}", r"Q K\T", r"Q K^\top"),
    (r"\newcommand*{\T}{^\top}", r"K\T Q", r"K^\top Q"),
    (r"\def\T{^\top}", r"QK\T", r"QK^\top"),
    (r"\gdef\T{^\top}", r"QK\T", r"QK^\top"),
    (r"\let\T\top", r"K^\T", r"K^\top"),
    (r"\providecommand{\T}{^\top}", r"QK\T", r"QK^\top"),
    (r"\renewcommand{\T}{^\top}", r"QK\T", r"QK^\top"),
    (r"\newcommand{\T}{^2}\providecommand{\T}{^\top}", r"K\T", r"K^2"),
    (r"\@ifundefined{T}{\newcommand{\T}{^\top}}{}", r"QK\T", r"QK^\top"),
    (r"\newcommand{\T}{^2}\@ifundefined{T}{\newcommand{\T}{^\top}}{}", r"K\T", r"K^2"),
    (
        r"\@ifundefined{mathbb}{\newcommand{\mathbb}[1]{\mathrm{I\mkern-3.6mu #1}}}{}",
        r"\mathbb{E}[x]",
        r"\mathbb{E}[x]",
    ),
    (r"\newcommand{\T}{^2}\renewcommand{\T}{^\top}", r"K\T", r"K^\top"),
    (r"\newcommand{\mat}[1]{\begin{bmatrix}#1\end{bmatrix}}", r"\mat{1 & 2 \\ 3 & 4}", MATRIX),
    (r"\def\mat#1{\begin{bmatrix}#1\end{bmatrix}}", r"\mat{1 & 2 \\ 3 & 4}", MATRIX),
    (r"\newcommand{\f}[2]{\frac{#1}{#2}}", r"\f{5}{2} + \f12", r"\frac{5}{2} + \frac{1}{2}"),
    (r"\newcommand{\f}[2][7]{\frac{#2}{#1}}", r"\f{5} + \f[3]{5}", r"\frac{5}{7} + \frac{5}{3}"),
    (r"\DeclareMathOperator{\sm}{softmax}", r"\sm(S)", r"\operatorname{softmax}(S)"),
    (r"\DeclareMathOperator*{\sm}{softmax}", r"\sm(S)", r"\operatorname{softmax}(S)"),
    (r"\newcommand{\Q}{\mathbf{Q}}", r"\Q_{11}", r"Q_{11}"),
    (r"\newcommand{\half}{\tfrac12}\newcommand{\x}[1]{#1 + \half}", r"\x{\half}", r"\tfrac12 + \tfrac12"),
    (r"\newcommand{\g}[1]{\beta#1}", r"\g b", r"\beta b"),
    (r"\DeclarePairedDelimiter{\p}{(}{)}", r"\p{1 + 2}", r"( 1 + 2 )"),
]


@pytest.mark.parametrize(("definition", "used", "meaning"), DEFINED)
@pytest.mark.parametrize("form", ["tex", "md"])
def test_a_macro_is_what_it_stands_for(definition: str, used: str, meaning: str, form: Format) -> None:
    text = f"${definition}$\n\nThen ${used} = 3$." if form == "md" else f"{definition}\nThen ${used} = 3$."
    found = sides(read_work(text, form))
    assert [side.node for side in found] == [plain(meaning), t.Number("3")]
    assert [text[slice(*side.span)] for side in found] == [used, "3"]


def test_an_argument_keeps_its_places() -> None:
    text = "\\newcommand{\\mat}[1]{\\begin{bmatrix}#1\\end{bmatrix}}\n$A =\n\\mat{0.5 & 0.25 \\\\\n 1 & 37}$"
    work = read_work(text, "tex")
    side = sides(work)[1]
    assert isinstance(side.node, t.Matrix)
    assert [[work.position(entry.span[0])[:2] for entry in row if entry.span] for row in side.node.rows] == [
        [(3, 6), (3, 12)],
        [(4, 2), (4, 6)],
    ]


def test_what_a_body_says_stands_where_it_is_used() -> None:
    text = r"\newcommand{\half}{\frac{1}{2}} $x = 4 + \half$"
    side = sides(read_work(text, "tex"))[1]
    assert side.node is not None
    for node in walk(side.node):
        if node in (t.Number("1"), t.Number("2")):
            assert node.span is not None
            assert text[slice(*node.span)] == r"\half"


def test_definitions_count_from_their_place_on() -> None:
    text = r"\newcommand{\x}{1}$a = \x$ \renewcommand{\x}{2}$a = \x$ % \renewcommand{\x}{3}" + "\n$a = \\x$"
    found = [written.sides[1] for written in chains(read_work(text, "tex"))]
    assert [side and side.node for side in found] == [t.Number("1"), t.Number("2"), t.Number("2")]


def test_an_environment_may_have_a_short_name() -> None:
    text = r"\newcommand{\be}{\begin{equation}}\newcommand{\ee}{\end{equation}}" + "\n\\be Q = 2 \\ee\n"
    assert [side.node for side in sides(read_work(text, "tex"))] == [t.Name("Q"), t.Number("2")]


ENDLESS = [
    r"\newcommand{\x}{\x + 1}",
    r"\def\x{\x\x}",
    r"\newcommand{\x}{\y}\newcommand{\y}{\x}",
    r"\newcommand{\x}[1]{\x{#1#1}}",
    "".join(rf"\newcommand{{\{chr(97 + k)}z}}{{\{chr(98 + k)}z\{chr(98 + k)}z}}" for k in range(24))
    + r"\newcommand{\x}{\az}\newcommand{\yz}{1}",
    r"\newcommand{\x}{"
    + "1" * 3_000
    + r"}\renewcommand{\x}{"
    + r"\y" * 1_000
    + r"}\newcommand{\y}{"
    + "2" * 3_000
    + "}",
]


@pytest.mark.parametrize("definition", ENDLESS)
def test_a_macro_without_end_is_one_thing_that_is_not_read(definition: str) -> None:
    with effort(1_500_000):
        work = read_work(definition + "\n$a = \\x{3}$ and then $b = 4$", "tex")
    bad = [side for side in sides(work) if side.node is None]
    assert len(bad) == 1
    assert "macro" in bad[0].reason
    assert bad[0].reason.endswith(".")
    assert work.text[bad[0].at :].startswith(r"\x")
    assert sides(work)[-1].node == t.Number("4")


def test_a_macro_without_its_arguments_says_so() -> None:
    side = sides(read_work(r"\newcommand{\f}[2]{\frac{#1}{#2}} $x = \f{1}$", "tex"))[1]
    assert (side.node, "2 arguments" in side.reason) == (None, True)


def test_layout_is_left_alone() -> None:
    text = r"\newcommand{\x}[1]{\par\textbf{#1} $b = 1$} \x{here} $a = 1$"
    assert [side.node for side in sides(read_work(text, "tex"))] == [t.Name("a"), t.Number("1")]


names = st.sampled_from(["x", "y", "zed", "mat"])
bodies = st.lists(
    st.sampled_from(["1", "+", "#1", "#2", r"\x", r"\y", r"\zed", r"\mat", "{", "}", "a", r"\frac", "^", "$", " "]),
    max_size=8,
).map("".join)
definitions = st.tuples(
    st.sampled_from(
        [r"\newcommand{\%s}[1]{%s}", r"\def\%s#1#2{%s}", r"\newcommand{\%s}{%s}", r"\newcommand\%s[2][d]{%s}"]
    ),
    names,
    bodies,
).map(lambda made: made[0] % made[1:])


@given(st.lists(definitions, max_size=5), st.lists(bodies, min_size=1, max_size=5))
@settings(max_examples=60, deadline=None)
def test_any_macros_are_read_and_places_lie_in_the_text(defined: list[str], used: list[str]) -> None:
    text = "\n".join(defined) + "\n" + "\n\n".join(f"$a = {formula}$" for formula in used)
    for form in ("tex", "md"):
        work = read_work(text, form)
        assert work.text == text
        for piece in work.pieces:
            assert 0 <= piece.span[0] <= piece.span[1] <= len(text)
        for side in sides(work):
            assert 0 <= side.span[0] <= side.span[1] <= len(text)
            for node in [] if side.node is None else walk(side.node):
                assert node.span is None or side.span[0] <= node.span[0] <= node.span[1] <= side.span[1]


@given(st.lists(st.text("0123456789 &+", min_size=1, max_size=12), min_size=1, max_size=4))
@settings(max_examples=60, deadline=None)
def test_without_definitions_nothing_changes(found: list[str]) -> None:
    formulas = "\n\n".join(f"$a = {formula}$" for formula in found)
    with_unused = r"\newcommand{\unused}[1]{(#1)}" + "\n" + formulas
    first, second = (sides(read_work(text, "tex")) for text in (formulas, with_unused))
    assert [side.node for side in first] == [side.node for side in second]
