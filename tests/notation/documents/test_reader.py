"""Documents as people hand them in: which chains, headings and words are found, and where."""

from __future__ import annotations

import json

import pytest

from symattn.errors import InputError
from symattn.notation.documents.reader import Format, format_of, read_work
from symattn.notation.submission import Heading, Prose, Work, Written
from symattn.notation.tree import nodes as t
from symattn.notation.tree.traversal import walk

Sides = list[str | None]


def sides(work: Work) -> list[Sides]:
    return [[None if s is None else work.shown[slice(*s.span)] for s in written.sides] for written in chains(work)]


def chains(work: Work) -> list[Written]:
    return [piece for piece in work.pieces if isinstance(piece, Written)]


def headings(work: Work) -> list[str]:
    return [piece.text for piece in work.pieces if isinstance(piece, Heading)]


def prose(work: Work) -> list[str]:
    return [piece.text for piece in work.pieces if isinstance(piece, Prose)]


# Chains in LaTeX --------------------------------------------------------------------------------------

LATEX: list[tuple[str, list[Sides]]] = [
    (r"Q_{11} = 1 \cdot 2 + 3 = 5", [["Q_{11}", r"1 \cdot 2 + 3", "5"]]),
    (r"x \approx 0.5.", [["x", "0.5"]]),
    (r"a = 1, \quad b = 2, \qquad c \approx 3", [["a", "1"], ["b", "2"], ["c", "3"]]),
    (r"M = 0, \quad -1 < t < 1", [["M", "0"], ["-1", "t", "1"]]),
    (r"M = 0, -1", [["M", "0, -1"]]),
    (r"M = 1, \quad - 2 \quad = 3", [["M", "1"], ["- 2", "3"]]),
    (r"a_1, a_2 = 1, 2", [["a_1, a_2", "1, 2"]]),
    (r"a_1, a_2 = 1, 2; b = 3", [["a_1, a_2", "1, 2"], ["b", "3"]]),
    (r"i = 1, \ldots, n", [["i", r"1, \ldots, n"]]),
    (r"x = 0{,}5 = 1/2", [["x", "0{,}5", "1/2"]]),
    (r"x = 0,5 = 1/2", [["x", "0,5", "1/2"]]),
    (r"x = 1.5. y = 2", [["x", "1.5"], ["y", "2"]]),
    (r"= 3", [[None, "3"]]),
    (r"Q =", [["Q", None]]),
    (r"Q = 1 \text{ and } K = 2", [["Q", "1"], ["K", "2"]]),
    (r"Q = 1 \text{, so } K = 2", [["Q", "1"], ["K", "2"]]),
    (r"Q = 1 \Rightarrow K = 2", [["Q", "1"], ["K", "2"]]),
    (r"Q = 1 \implies 2", [["Q", "1", "2"]]),
    (r"\Rightarrow Q = 1", [["Q", "1"]]),
    (r"\therefore Q = 1", [["Q", "1"]]),
    (r"[1, 2] \to [3, 4]", [["[1, 2]", "[3, 4]"]]),
    (r"Q = \approx 3", [["Q", "3"]]),
    (r"Q \overset{?}{=} 3 \stackrel{(a)}{=} 4", [["Q", "3", "4"]]),
    (r"Q := 3 \ne 4", [["Q", "3", "4"]]),
    (r"Q = 3 \tag{1}", [["Q", "3"]]),
    (r"Q = 3 \text{ (rounded)}", [["Q", "3"]]),
    (r"= QW \in \mathbb{R}^{3 \times 3} \quad \text{or } \mathbb{R}^{N}", [[None, "QW", r"\mathbb{R}^{3 \times 3}"]]),
    (r"\boxed{O = [1, 2]}", [["O", "[1, 2]"]]),
    (r"x = \boxed{3}", [["x", r"\boxed{3}"]]),
    (r"x = \begin{bmatrix} 1 & 2 \\ 3 & 4 \end{bmatrix}", [["x", r"\begin{bmatrix} 1 & 2 \\ 3 & 4 \end{bmatrix}"]]),
    (r"x = 1 \quad \begin{array}{l} N=3 \\ D=2 \end{array}", [["x", "1"], ["N", "3"], ["D", "2"]]),
    (r"f(x = 3) = 4", [["f(x = 3)", "4"]]),
    (r"x = (1 + 2 = 3", [["x", "(1 + 2", "3"]]),
    (r"x = \frac{1}{2 = 4", [["x", r"\frac{1}{2", "4"]]),
    (r"\text{Softmax}(QK^T) = \text{Attention map}", [[r"\text{Softmax}(QK^T)", r"\text{Attention map}"]]),
    (
        r"\begin{aligned} S &= 1 \\ &= 2 \\ &\quad + 3 = 5 \end{aligned}",
        [["S", "1"], [None, r"2 \\ &\quad + 3", "5"]],
    ),
    (r"\begin{aligned} a &= 1 & b &= 2 \\[4pt] c &=& 3 \end{aligned}", [["a", "1"], ["b", "2"], ["c", "3"]]),
    (r"a &= 1 && = 2 & \qquad b &= 3", [["a", "1", "2"], ["b", "3"]]),
    (r"\begin{alignat*}{2} a &= 1 &\quad b &= 2 \end{alignat*}", [["a", "1"], ["b", "2"]]),
    (r"\begin{array}{c|c} 1 & 2 \\ 3 & 4 \end{array} = A", [[r"\begin{array}{c|c} 1 & 2 \\ 3 & 4 \end{array}", "A"]]),
    (r"(a \\ b = 3)", [["(a"], ["b", "3)"]]),
    ("d_k", []),
    (r"\sqrt{d_k}", []),
    ("x_{11}", []),
    (r"\frac{1}{2}", [[r"\frac{1}{2}"]]),
    ("[[1, 2], [3, 4]]", [["[[1, 2], [3, 4]]"]]),
]


@pytest.mark.parametrize(("formula", "expected"), LATEX)
@pytest.mark.parametrize(
    "delimiters", [("$$", "$$"), (r"\[", r"\]"), ("```math\n", "\n```"), (r"\begin{equation}", r"\end{equation}")]
)
def test_a_formula_is_split_into_chains(formula: str, expected: list[Sides], delimiters: tuple[str, str]) -> None:
    assert sides(read_work(delimiters[0] + formula + delimiters[1], "md")) == expected


def test_operators_are_those_of_relations() -> None:
    work = read_work(
        r"$a = 1 \approx 2 \simeq 3 \equiv 4 \in 5 \to 6 \le 7 \ge 8 < 9 > 10 \neq 11 \cong 12 := 13$", "md"
    )
    assert chains(work)[0].operators == ("=", "≈", "≈", "≡", "∈", "→", "≤", "≥", "<", ">", "≠", "≈", "=")
    assert set(chains(work)[0].operators) <= set(t.RELATIONS)


# Lines of plain text ----------------------------------------------------------------------------------

PLAIN: list[tuple[str, list[Sides]]] = [
    ("Q_11 = 1*2 + 3 = 5", [["Q_11", "1*2 + 3", "5"]]),
    ("- Q_11 = 5", [["Q_11", "5"]]),
    ("1. Q_11 = 5", [["Q_11", "5"]]),
    ("(a) Q_11 = 5.", [["Q_11", "5"]]),
    ("Step 1: Q = X W_Q", [["Q", "X W_Q"]]),
    ("Output = [[1, 2], [3, 4]]", [["Output", "[[1, 2], [3, 4]]"]]),
    ("Attention weights: [0.1 0.9]", [["Attention weights", "[0.1 0.9]"]]),
    ("row 1: [1 2] -> [0.2 0.8]", [["row 1", "[1 2]", "[0.2 0.8]"]]),
    ("so the output = [1, 2]", [["output", "[1, 2]"]]),
    ("Attention weights for token 2 = [0.1, 0.9]", [["Attention weights for token 2", "[0.1, 0.9]"]]),
    ("The value of Q_11 = 5 which means Q_12 = 7", [["Q_11", "5"], ["Q_12", "7"]]),
    ("x = 1, y = 2; z ~ 3. Next we compute w = 4", [["x", "1"], ["y", "2"], ["z", "3"], ["w", "4"]]),
    ("= 0.62*5/2 + 0.38*(-1) = 1.17 (rounded)", [[None, "0.62*5/2 + 0.38*(-1)", "1.17"]]),
    ("softmax(QK^T / sqrt(d_k)) ~= [0.5 0.5]", [["softmax(QK^T / sqrt(d_k))", "[0.5 0.5]"]]),
    ("e^1.5 = 4.48, e^-2.5 = 0.08", [["e^1.5", "4.48"], ["e^-2.5", "0.08"]]),
    ("Q =\n[[1. 0.]\n [0. 1.]]", [["Q", "[[1. 0.]\n [0. 1.]]"]]),
    ("A = [[0.5 0.5]\n     [0.1 0.9]]", [["A", "[[0.5 0.5]\n     [0.1 0.9]]"]]),
    ("tensor([[0.1, 0.9],\n        [0.3, 0.7]])", [["tensor([[0.1, 0.9],\n        [0.3, 0.7]])"]]),
    ("Q_11 = 1 + 2\n= 3", [["Q_11", "1 + 2"], [None, "3"]]),
    (r"O = \begin{bmatrix} 1 & 2 \\ 3 & 4 \end{bmatrix}", [["O", r"\begin{bmatrix} 1 & 2 \\ 3 & 4 \end{bmatrix}"]]),
    ("q1 . k1 = 2", [["q1 . k1", "2"]]),
    ("Sum: 2.72 + 7.39 = 10.11", [["2.72 + 7.39", "10.11"]]),
    ("So row 1 = [0.1, 0.9] and row 2 = [0, 1].", [["row 1", "[0.1, 0.9]"], ["row 2", "[0, 1]"]]),
    ("d_k = 3, so scale by 1/sqrt(3) = 0.577", [["d_k", "3"], ["1/sqrt(3)", "0.577"]]),
    ("Q = Float32[1 0; 0 1]", [["Q", "Float32[1 0; 0 1]"]]),
    (
        "O = 0.62 * [2.5, -1.5] + 0.38 * [-1, 3] = [1.17, 0.21]",
        [["O", "0.62 * [2.5, -1.5] + 0.38 * [-1, 3]", "[1.17, 0.21]"]],
    ),
    ("I paid $5 and $6 for it.", []),
    ("The learning rate = good", []),
    ("input -> hidden -> output", []),
    ("See https://example.org/?a=1 for 2 = 2", []),
    ("03/07/25 5:22 PM, page [1]", []),
    ("The second row is larger, see [2].", []),
]


@pytest.mark.parametrize(("text", "expected"), PLAIN)
@pytest.mark.parametrize("form", ["txt", "md"])
def test_lines_of_plain_mathematics(text: str, expected: list[Sides], form: Format) -> None:
    assert sides(read_work(text, form)) == expected


def test_words_are_names_on_the_left() -> None:
    side = chains(read_work("Attention weights: [0.1 0.9]", "txt"))[0].sides[0]
    assert side is not None
    assert side.node == t.Name("Attention weights", "text")


# Markdown ---------------------------------------------------------------------------------------------

MARKDOWN: list[tuple[str, list[Sides]]] = [
    ("Looked up[^1].\n\n[^1]: $1 + 2 = 3$", [["1 + 2", "3"]]),
    (r"Output = $[1, 2]$", [["Output", "[1, 2]"]]),
    (r"Thus the attention map $\approx$ $[1, 2]$", [["attention map", "[1, 2]"]]),
    ("Attention map $= [1, 2]$", [["Attention map", "[1, 2]"]]),
    ("It follows, so the map $= [1, 2]$", [["map", "[1, 2]"]]),
    ("this is $= 3$", [[None, "3"]]),
    ("$S = 4$, thus $= 3$", [["S", "4"], [None, "3"]]),
    ("query: $q = W x$", [["q", "W x"]]),
    ("- $S = 2$\n  $$= 3$$", [["S", "2"], [None, "3"]]),
    ("with $n=2$, $d=3$.", [["n", "2"], ["d", "3"]]),
    (r"\\(x = 3\\)", [["x", "3"]]),
    (r"Weights: $[1, 2]$", [["Weights", "[1, 2]"]]),
    (r"so $K^T = 3$ and $Q = 4$", [["K^T", "3"], ["Q", "4"]]),
    (r"K^T = $[1, 2]$", [["K^T", "[1, 2]"]]),
    (r"$Q$ = $3$", [["Q", "3"]]),
    (r"$Q_{11}$ = 3 + 4 = 7", [["Q_{11}", "3 + 4", "7"]]),
    ("$a = 1$ $b = 2$", [["a", "1"], ["b", "2"]]),
    ("$$a = 1$$\n$$b = 2$$", [["a", "1"], ["b", "2"]]),
    ("$a$$b$", []),
    (r"\(x = 3\) and \[y = 4\]", [["x", "3"], ["y", "4"]]),
    ("$ x = 3 $", [["x", "3"]]),
    (r"costs \$3, $x = 3$", [["x", "3"]]),
    ("> $$\n> x = 3\n> $$", [["x", "3"]]),
    ("$$\n\nx = 3\n\n$$", [["x", "3"]]),
    ("\\begin{align*}\na &= 1 \\\\\nb &= 2\n\\end{align*}", [["a", "1"], ["b", "2"]]),
    ("```\nA = [[1 2]\n [3 4]]\n```", [["A", "[[1 2]\n [3 4]]"]]),
    ("```python\nA = 3\n```", []),
    ("```\nA = 3", [["A", "3"]]),
    ("**S_11** = `2 + 2 = 4`", [["S_11", "2 + 2", "4"]]),
    ("| a | $e^{1.5} = 4.48$ |\n|---|---|\n| 1 = 1 | 2 |", [["e^{1.5}", "4.48"], ["1", "1"], ["2"]]),
    ("<p>$x = 3$</p>", [["x", "3"]]),
]


@pytest.mark.parametrize(("text", "expected"), MARKDOWN)
def test_formulas_of_markdown(text: str, expected: list[Sides]) -> None:
    assert sides(read_work(text, "md")) == expected


def test_entities_are_read_and_kept_in_the_text() -> None:
    text = r"$x = \begin{bmatrix} 1 &amp; 2 \end{bmatrix}$"
    side = chains(read_work(text, "md"))[0].sides[1]
    assert side is not None
    assert isinstance(side.node, t.Matrix)
    assert len(side.node.rows[0]) == 2
    assert text[slice(*side.span)].count("&amp;") == 1


def test_formulas_side_by_side_are_one_product() -> None:
    work = read_work(r"$IW = \begin{bmatrix} 1 \end{bmatrix}$ $\begin{bmatrix} 2 \end{bmatrix} = K$", "md")
    middle = chains(work)[0].sides[1]
    assert middle is not None
    assert isinstance(middle.node, t.Product)
    assert len(chains(work)) == 1


@pytest.mark.parametrize(
    ("text", "readable", "closing"),
    [
        ("$$ Q = 3 and\nmore\n\nthen $V = 3$ holds", ["V"], "$$"),
        ("$x = 4 and then $y = 5$", ["y"], "$"),
        ("$$A = 1\n$$B = 2$$", ["B"], "$$"),
        (r"\[ A = 1" + "\n\n" + r"\[ B = 2 \]", ["B"], r"\]"),
        ("\\begin{align}\na &= 1\n\n$b = 2$", ["b"], r"\end{align}"),
    ],
)
def test_a_formula_that_is_not_closed_hides_nothing(text: str, readable: list[str], closing: str) -> None:
    work = read_work(text, "md")
    broken, *others = chains(work)
    side = broken.sides[0]
    assert side is not None
    assert side.node is None
    assert closing in side.reason
    assert [work.text[slice(*w.sides[0].span)] for w in others if w.sides[0]] == readable


@pytest.mark.parametrize(
    "text",
    [
        "~~$Q = 3$~~ $K = 4$",
        "<del>$Q = 3$</del> $K = 4$",
        r"\sout{$Q = 3$} $K = 4$",
        r"$\cancel{Q = 3}$, $K = 4$",
        r"$$\xcancel{Q = 3} \quad K = 4$$",
        "~~Q = 3~~\n\nK = 4",
    ],
)
def test_what_is_struck_out_is_withdrawn(text: str) -> None:
    work = read_work(text, "md")
    assert sides(work) == [["Q", "3"], ["K", "4"]]
    assert [written.withdrawn for written in chains(work)] == [True, False]


@pytest.mark.parametrize(
    "text",
    [
        "Q = ~~2+2 = 4~~ 2+1 = 3",
        "Q = 2+1 = 3 ~~4~~",
        "Q = <del>4</del> 2+1 = 3",
        "$Q =$ ~~$4$~~ $2+1 = 3$",
        r"$Q = \cancel{2+2 = 4}\; 2+1 = 3$",
    ],
)
def test_a_value_that_is_struck_out_beside_another_is_left_out(text: str) -> None:
    work = read_work(text, "md")
    assert ["".join((side or "").split()) for side in sides(work)[0]] == ["Q", "2+1", "3"]
    assert [written.withdrawn for written in chains(work)] == [False]


@pytest.mark.parametrize("text", ["$q_1$⊡$k_1$ = 1", "q1⊡k1 = 1", "q1゠k1 = 1", "q1 ⟡ k1 = 1"])
def test_a_sign_that_is_not_read_cuts_no_formula(text: str) -> None:
    found = chains(read_work(text, "md"))
    assert [written.sides[0] is not None and written.sides[0].node is None for written in found] == [True]


@pytest.mark.parametrize(
    "text",
    [
        "a = ~~2+2 = 4~~ 3",
        "a = <s>4</s> 3",
        r"a = \sout{4} 3",
        r"$a = \cancel{4}\, 3$",
        r"$a = \cancel{2+2 = 4} 3$",
        "a = ~4~ 3",
    ],
)
def test_what_is_struck_out_in_a_statement_is_no_part_of_it(text: str) -> None:
    written, *others = chains(read_work(text, "md"))
    assert [side and side.node for side in written.sides] == [t.Name("a"), t.Number("3")]
    assert not written.withdrawn
    assert others == []


def test_a_strike_covers_several_formulas_and_words() -> None:
    work = read_work("~~first $a = 1$ and\n$b = 2$~~ but $c = 3$", "md")
    assert [written.withdrawn for written in chains(work)] == [True, True, False]
    assert [piece.withdrawn for piece in work.pieces if isinstance(piece, Prose)] == [True, True, False]


def test_headings_of_markdown() -> None:
    text = (
        "Title\n=====\n\n## 2. Scores ##\n\n**Step 2: weights**\n\nThe outputs are:\n\n3.1 Q3a and Q3b\n\n"
        "It is 3 here, and so on.\n\n### Find $Q = 3$ and $d_k$\n"
    )
    work = read_work(text, "md")
    found = [(piece.level, piece.text) for piece in work.pieces if isinstance(piece, Heading)]
    assert found == [
        (1, "Title"), (2, "2. Scores"), (5, "Step 2: weights"), (6, "The outputs are"), (2, "3.1 Q3a and Q3b"),
        (3, "Find $Q = 3$ and $d_k$"),
    ]  # fmt: skip
    assert sides(work) == [["Q", "3"]]


def test_prose_is_one_piece_for_a_paragraph_or_an_item() -> None:
    work = read_work("One, with $d_k$ in\ntwo lines.\n\n- an item\n- another\n  that goes on", "md")
    assert prose(work) == ["One, with $d_k$ in two lines.", "an item", "another that goes on"]


def test_words_between_chains_are_told() -> None:
    work = read_work("First $a = 1$\n$= 2$, and then\n$= 3$", "md")
    assert [written.after_text for written in chains(work)] == [True, False, True]


# TeX --------------------------------------------------------------------------------------------------

TEX = r"""\documentclass{article}
\newcommand{\Q}{\mathbf{Q}} % no formula: $x = 1$
\newcommand{\bpmat}{\begin{pmatrix}}
\title{Key $t = 1$}
\begin{document}
\section{Queries and $d_k$}
% $c = 1$
Half of it, 50\% of $p = 1$, % and $q = 2$
is \textbf{here}.
\begin{enumerate}
\item $\Q = \bpmat 1 \end{pmatrix}$
\item[(b)] then \begin{align} a &= 1 \label{x} \\ b &= 2 \end{align}
\end{enumerate}
\begin{verbatim}
$v = 1$
\end{verbatim}
\textbf{Step 2}
\step{3}{Weights}

\begin{tikzpicture}
\node {$n = 1$}; % drawn
\end{tikzpicture}
\question[11] Find $w = 1$
\begin{tabular}{cc} $r$ & $s \approx 2$ \\ \end{tabular}
Q = 3
\end{document}
$z = 1$
"""


def test_a_tex_document() -> None:
    work = read_work(TEX, "tex")
    assert headings(work) == ["Queries and $d_k$", "Step 2", "Weights", "Find $w = 1$"]
    assert sides(work) == [
        ["p", "1"], [r"\Q", r"\bpmat 1 \end{pmatrix}"], ["a", "1"], ["b", "2"], ["w", "1"], ["s", "2"],
    ]  # fmt: skip
    assert prose(work)[:3] == ["Half of it, 50\\% of", ", is here.", "then"]
    assert "$v = 1$" in prose(work)


@pytest.mark.parametrize("command", ["intertext", "shortintertext"])
@pytest.mark.parametrize(
    ("begin", "end"),
    [
        (r"\begin{align*}", r"\end{align*}"),
        (r"\begin{alignat}{2}", r"\end{alignat}"),
        (r"\begin{equation}\begin{aligned}", r"\end{aligned}\end{equation}"),
        (r"\[", r"\]"),
    ],
)
@pytest.mark.parametrize("form", ["tex", "md"])
def test_text_between_the_lines_of_a_display_is_prose(command: str, begin: str, end: str, form: Format) -> None:
    rows = rf"S &= QK^T = 1 \\ &= 2 \{command}{{The \emph{{sums}}, since $c = 3$:}} e^{{S}} &= 4 \\ H &= VA = 5"
    work = read_work(f"{begin}\n{rows}\n{end}", form)
    assert sides(work) == [["S", "QK^T", "1"], [None, "2"], ["c", "3"], ["e^{S}", "4"], ["H", "VA", "5"]]
    assert [words.split()[0] for words in prose(work)] == ["The"]


def test_a_macro_for_one_letter_is_that_letter() -> None:
    first = chains(read_work(TEX, "tex"))[1].sides[0]
    assert first is not None
    assert first.node == t.Name("Q")


# Notebooks --------------------------------------------------------------------------------------------


def notebook(*found: tuple[str, str | list[str]]) -> str:
    return json.dumps(
        {"cells": [{"cell_type": kind, "source": source, "outputs": [{"text": "x = 9"}]} for kind, source in found]}
    )


def test_a_notebook() -> None:
    work = read_work(
        notebook(
            ("markdown", ["# Work\n", "$Q = 3$"]), ("code", "K = 4"), ("code", " "), ("markdown", "\n**x** $V = 5$")
        ),
        "ipynb",
    )
    assert work.text == "# Work\n$Q = 3$\n\nK = 4\n\n\n**x** $V = 5$"
    assert work.cells == ((1, 0), (2, 16), (4, 23))
    assert sides(work) == [["Q", "3"], ["V", "5"]]
    assert prose(work) == ["K = 4", "x"]
    start = chains(work)[1].span[0]
    assert work.position(start) == (2, 8, 4)


@pytest.mark.parametrize("text", ["", "{", "[]", "3", '{"cells": 3}', "[" * 100_000])
def test_what_is_no_notebook_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="notebook"):
        read_work(text, "ipynb")


def test_odd_cells_are_left_out() -> None:
    work = read_work('{"cells": [3, {}, {"source": 3}, {"cell_type": "markdown", "source": ["$a = 1$", 4]}]}', "ipynb")
    assert sides(work) == [["a", "1"]]


def test_a_notebook_of_the_old_form() -> None:
    old = {
        "worksheets": [
            {"cells": [{"cell_type": "code", "input": "K = 4"}, {"cell_type": "markdown", "source": "$a = 1$"}]}
        ]
    }
    work = read_work(json.dumps(old), "ipynb")
    assert (sides(work), prose(work)) == ([["a", "1"]], ["K = 4"])


# Names of files, and limits ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "expected"),
    [("a.tex", "tex"), ("a.LTX", "tex"), ("d.x/a.Rmd", "md"), ("a.qmd", "md"), ("a.text", "txt"), ("A.IPYNB", "ipynb")],
)
def test_the_format_of_a_name(name: str, expected: str) -> None:
    assert format_of(name) == expected


@pytest.mark.parametrize("name", ["a.html", "a", "x.tex/a", "a.pdf", ""])
def test_other_names_are_refused(name: str) -> None:
    with pytest.raises(InputError, match=r"use \.tex"):
        format_of(name)


def test_ten_megabytes_are_refused() -> None:
    with pytest.raises(InputError, match="2 MB"):
        read_work("x" * 10_000_000, "md")


@pytest.mark.parametrize(
    "definition",
    [
        r"\definecolor{a}{HTML}{D1D5DB}",
        r"\newcommand{\x}[2]{a #1}",
        r"\providecommand{\x}[1]{a $#1$}",
        r"\begingroup\renewcommand{\arraystretch}{1.3}",
        r"\def\x#1{b}",
        r"\let\x\y",
    ],
)
@pytest.mark.parametrize("environment", ["align*", "equation", "alignat*"])
def test_a_definition_ends_before_the_formula_below_it(definition: str, environment: str) -> None:
    columns = "{2}" if environment == "alignat*" else ""
    text = f"{definition}\n\\begin{{{environment}}}{columns}\nQ_{{11}} = 1\n\\end{{{environment}}}\n"
    chains = [piece for piece in read_work(text, "tex").pieces if isinstance(piece, Written)]
    assert [chain.operators for chain in chains] == [("=",)]


def rows(work: Work) -> list[list[tuple[tuple[str, ...], ...]]]:
    """Return for each chain the matrices in it, as rows of digits."""

    def digits(node: t.Node) -> str:
        return "".join(item.text for item in walk(node) if isinstance(item, t.Number))

    return [
        [
            tuple(tuple(map(digits, row)) for row in node.rows)
            for side in chain.sides
            if side is not None and side.node is not None
            for node in walk(side.node)
            if isinstance(node, t.Matrix)
        ]
        for chain in chains(work)
    ]


@pytest.mark.parametrize(
    "text",
    [
        "S = [[1,0],    [[5, 6],    [[5, 6],\n     [0,1]]  @  [7, 8]]  =  [7, 8]]",
        "S = [ 1  0 ]   [ 5  6 ]   [ 5  6 ]\n    [ 0  1 ] x [ 7  8 ] = [ 7  8 ]",
        "    | 1  0 |   | 5  6 |   | 5  6 |\nS = | 0  1 | × | 7  8 | = | 7  8 |",
    ],
)
def test_signs_between_matrices_stand_on_any_of_their_lines(text: str) -> None:
    identity, other = (("1", "0"), ("0", "1")), (("5", "6"), ("7", "8"))
    assert rows(read_work(text, "txt")) == [[identity, other, other]]


def test_statements_below_each_other_are_no_matrix() -> None:
    assert rows(read_work("A = [1, 0]   B = [0, 1]\nC = [1, 0]   D = [0, 1]", "txt")) == [[], [], [], []]


@pytest.mark.parametrize("text", ["A = ( 1  0 )\n    ( 0  1 )", "A = / 1  0 \\\n    \\ 0  1 /"])
def test_rows_between_round_brackets_and_slashes_are_a_matrix(text: str) -> None:
    assert rows(read_work(text, "txt")) == [[(("1", "0"), ("0", "1"))]]
