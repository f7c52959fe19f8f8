"""Marks that people and programs use: raised letters, arrows, powers of functions, matrices without any delimiter."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from symattn.notation.documents.reader import read_work
from symattn.notation.sides.reader import read_side
from symattn.notation.submission import Prose, Written
from symattn.notation.tree import nodes as t

if TYPE_CHECKING:
    from symattn.notation.documents.reader import Format


def side(text: str, notation: str = "plain") -> t.Node | None:
    return read_side(text, 0, len(text), "latex" if notation == "latex" else "plain").node


def chains(text: str, form: Format = "md") -> list[list[str]]:
    """What stands on each side of each chain, as it is written."""
    return [
        ["" if part is None else text[slice(*part.span)] for part in piece.sides]
        for piece in read_work(text, form).pieces
        if isinstance(piece, Written)
    ]


def matrices(text: str, form: Format = "md") -> list[list[list[str]]]:
    """The numbers of every matrix that is read."""
    return [
        [[item.text for item in row if isinstance(item, t.Number)] for row in part.node.rows]
        for piece in read_work(text, form).pieces
        if isinstance(piece, Written)
        for part in piece.sides
        if part is not None and isinstance(part.node, t.Matrix)
    ]


@pytest.mark.parametrize(
    ("text", "plain"),
    [("Wⱽ", "W_V"), ("Wᵠ", "W_Q"), ("Wᴷ", "W_K"), ("X·Wᴷ", "X·W_K"), ("Wᵩ", "W_q"), ("xⁿ", "x^n"), ("eˣ", "e^x"),
     ("QKᵀ", "QK^T"), ("Q⁽²⁾", "Q^{(2)}"), ("α₁ᵀ", "α_1^T")],
)  # fmt: skip
def test_raised_and_lowered_letters(text: str, plain: str) -> None:
    assert side(text) is not None
    assert side(text) == side(plain)


@pytest.mark.parametrize(
    ("text", "notation", "same"),
    [(r"\tanh^2 x", "latex", r"(\tanh x)^2"), (r"\sin^2(0.5)", "latex", r"(\sin(0.5))^2"),
     (r"1 - \tanh^{2}\left(q_1\right)", "latex", r"1 - (\tanh(q_1))^2"), ("cos²(2)", "plain", "(cos(2))^2"),
     (r"\log^2 3", "latex", r"(\log 3)^2"), ("tanh^2(x)", "plain", "(tanh(x))^2")],
)  # fmt: skip
def test_powers_on_functions(text: str, notation: str, same: str) -> None:
    def bare(node: t.Node | None) -> t.Node | None:
        match node:
            case t.Power(t.Group(body), exponent):
                return t.Power(body, exponent)
            case t.Sum((first, last), operators):
                kept = bare(last)
                return None if kept is None else t.Sum((first, kept), operators)
        return node

    assert side(text, notation) is not None
    assert side(text, notation) == bare(side(same, notation))


@pytest.mark.parametrize("text", [r"\exp^2(1)", r"\cos^{-1}(0.5)", r"\operatorname{softmax}^2(x)", r"\tanh^n x"])
def test_powers_that_mean_something_else_are_not_read(text: str) -> None:
    assert side(text, "latex") is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("S ← QKᵀ", [["S", "QKᵀ"]]),
        ("S ⟵ [[1, 2], [3, 4]]", [["S", "[[1, 2], [3, 4]]"]]),
        ("$S \\leftarrow QK^T$", [["S", "QK^T"]]),
        ("$S \\gets QK^T$", [["S", "QK^T"]]),
        ("S := QK^T", [["S", "QK^T"]]),
        ("S = QK^T   ← the scores", [["S", "QK^T"]]),
        ("S = QK^T ← the scores", [["S", "QK^T"]]),
        ("a = [0.7, 0.3] ← most of it", [["a", "[0.7, 0.3]"]]),
        ("Weights ← what we want in the end", []),
    ],
)
def test_arrows_assign_behind_a_name_and_remark_behind_a_value(text: str, expected: list[list[str]]) -> None:
    assert chains(text) == expected


MATRIX = "\\begin{bmatrix} 1 & 2 \\\\ 3 & 4 \\end{bmatrix}"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"The scores are\n\n{MATRIX}\n", [[MATRIX]]),
        (f"so that A = {MATRIX} holds", [["A", MATRIX]]),
        (f"Here S = Q K^\\top = {MATRIX}.", [["S", "Q K^\\top", MATRIX]]),
        (f"\\item $x = 1$ and {MATRIX}{MATRIX} = {MATRIX}", [["x", "1"], [f"{MATRIX}{MATRIX}", MATRIX]]),
    ],
)
def test_a_matrix_outside_of_formulas_in_tex(text: str, expected: list[list[str]]) -> None:
    assert chains(text, "tex") == expected


def test_a_matrix_inside_of_formulas_stays_there() -> None:
    text = f"\\[ A = {MATRIX} \\] \\begin{{align}} S &= {MATRIX} \\end{{align}} and $O = {MATRIX}$"
    assert [len(sides) for sides in chains(text, "tex")] == [2, 2, 2]
    assert len(matrices(text, "tex")) == 3


def test_a_matrix_over_several_lines_in_markdown() -> None:
    text = "The weights\n\n\\begin{bmatrix}\n1 & 2 \\\\\n3 & 4\n\\end{bmatrix}\n\nare fine."
    assert matrices(text) == [[["1", "2"], ["3", "4"]]]


def test_a_matrix_that_is_not_closed_is_no_formula() -> None:
    assert chains("so A = \\begin{bmatrix} 1 & 2\n\nand more", "tex") == []


@pytest.mark.parametrize("row", [0, 1])
def test_matrices_between_bars_with_the_name_on_any_row(row: int) -> None:
    lines = ["    | 2  1 |        | 1  1 |", "    | 1  3 |        | 3  0 |"]
    lines[row] = lines[row].replace("    |", "Q = |", 1).replace("|        |", "|    K = |")
    text = "Hello,\n\n" + "\n".join(lines) + "\n\nBye"
    assert matrices(text, "txt") == [[["2", "1"], ["1", "3"]], [["1", "1"], ["3", "0"]]]


def test_products_of_matrices_between_bars() -> None:
    text = "          | 2 1 |   | 1 3 |   | 3 6 |\nQ * K^T = | 1 3 | * | 1 0 | = | 4 3 |"
    found = [side for piece in read_work(text, "txt").pieces if isinstance(piece, Written) for side in piece.sides]
    assert [side is not None and side.node is not None for side in found] == [True, True, True]


def test_tables_are_no_matrices_between_bars() -> None:
    text = "| 1 | 2 |\n|---|---|\n| 3 | 4 |\n| 5 | 6 |"
    assert not any(isinstance(piece, Written) and len(piece.sides) > 1 for piece in read_work(text, "md").pieces)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1. **Scale.** 3/2 = 1.5", [["3/2", "1.5"]]),
        ("- **Sum**. 1 + 2 = 3", [["1 + 2", "3"]]),
        ("**Scores:** [1, 2]", [["Scores", "[1, 2]"]]),
        ("**Q:** [1, 2] **K:** [3, 4]", [["Q", "[1, 2]"], ["K", "[3, 4]"]]),
        ("Scores (Q·Kᵀ): [[3, 6], [4, 3]]", [["Scores", "[[3, 6], [4, 3]]"]]),
        ("score (1, 2) = 3", [["score (1, 2)", "3"]]),
        ("**Note:** all rows sum to 1.", []),
    ],
)
def test_bold_labels_before_values(text: str, expected: list[list[str]]) -> None:
    found = [[part.rstrip(":* ").lstrip("* ") for part in sides] for sides in chains(text)]
    assert [[part.split(" (Q")[0] for part in sides] for sides in found] == expected


def test_the_words_of_a_bold_label_are_prose() -> None:
    pieces = read_work("**Dot products.** q1·k1 = 3", "md").pieces
    assert [piece.text for piece in pieces if isinstance(piece, Prose)] == ["Dot products."]


def test_what_a_console_prints_goes_on_over_an_empty_line_in_brackets() -> None:
    text = ">>> A\narray([[[1, 2],\n        [3, 4]],\n\n       [[5, 6],\n        [7, 8]]])\n\nThe end"
    spans = [piece.span for piece in read_work(text, "txt").pieces if isinstance(piece, Written)]
    assert any("[7, 8]" in text[slice(*span)] for span in spans)


@pytest.mark.parametrize(
    "source", ["print(np.round(A @ V, 3))", "print(A @ V)", "np.round(A @ V, 3)", "(A @ V).round(3)"]
)
def test_a_notebook_prints_the_value_of_a_formula(source: str) -> None:
    kind = "stream" if source.startswith("print") else "result"
    from symattn.notation.documents.notebooks import output_names

    assert [source[slice(*span)] for span in output_names(source, "stream" if kind == "stream" else "result")] == [
        "A @ V"
    ]


@pytest.mark.parametrize("separator", ["\t", ";"])
def test_cells_with_decimal_commas(separator: str) -> None:
    text = "\n".join(
        separator.join(row) for row in (("", "k1", "k2"), ("q1", "0,107", "0,893"), ("q2", "0,670", "0,330"))
    )
    assert matrices(f"Weights\n{text}", "txt") == [[["0.107", "0.893"], ["0.670", "0.330"]]]
