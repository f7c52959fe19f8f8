"""Dollars before prices are money, and hide no formula; dollars around numbers are formulas."""

from __future__ import annotations

import pytest

from symattn.notation.documents.reader import Format, read_work
from symattn.notation.markup.prices import is_money
from symattn.notation.submission import Written
from symattn.rendering.latex.prose import prose

MONEY = [
    "It costs $5 and $6.",
    "costs $5, and $6 more",
    "from $5 to $10",
    "$5-$10 each",
    "between $5 and $6 per token",
    "$5k or $6k",
    "USD $3.50 or $4",
    "A $20 card, a $30 card.",
    "$1,000 and $2,000",
    "$2/hour and $3/hour",
    "$100 (or $90 with a discount)",
    "Costs: $5 $6 $7",
    "- one: $5\n- two: $6",
    "The price is $5.",
    "It costs 5$ or 6$.",
    "It costs 5$ and then some.",
]

FORMULAS = ["$5$ and $6$", "$5 + 6$", "$0.5, 0.5$", "$1 / 2$ and $3$", "$5, 6$ and $7$", "$ 3 $"]


@pytest.mark.parametrize("form", ["md", "txt", "tex"])
@pytest.mark.parametrize("text", MONEY)
def test_prices_are_words(text: str, form: Format) -> None:
    assert not [piece for piece in read_work(text, form).pieces if isinstance(piece, Written)]


@pytest.mark.parametrize("form", ["md", "txt", "tex"])
@pytest.mark.parametrize("text", MONEY)
def test_a_formula_behind_prices_is_read(text: str, form: Format) -> None:
    text = f"{text} Then $S_{{11}} = 8$"
    found = [text[slice(*piece.span)] for piece in read_work(text, form).pieces if isinstance(piece, Written)]
    assert found == ["S_{11} = 8"]


@pytest.mark.parametrize("form", ["md", "tex"])
@pytest.mark.parametrize("text", FORMULAS)
def test_numbers_between_dollars_are_formulas(text: str, form: Format) -> None:
    found = [piece for piece in read_work(text, form).pieces if isinstance(piece, Written)]
    assert len(found) == text.count("$") // 2


@pytest.mark.parametrize("text", MONEY)
def test_prices_in_the_words_of_a_sheet(text: str) -> None:
    written = prose(text)
    assert "$" not in written
    assert written.count("char36") == text.count("$")
    assert prose(f"{text} and $x$").removesuffix("\n\\end{itemize}").endswith("$x$")


@pytest.mark.parametrize("text", [text for text in FORMULAS if "," not in text])
def test_numbers_between_dollars_in_the_words_of_a_sheet(text: str) -> None:
    assert "char36" not in prose(text)


def test_a_long_text_is_searched_once() -> None:
    text = "$5 and " * 20_000
    assert is_money(text, 1, 7, len(text))
    assert prose("$5 and " * 2_000).count("char36") == 2_000
