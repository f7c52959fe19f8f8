"""Words that name a quantity and a token are bound like the formula would be; anything else stays words."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from symattn.checking.check import check_text
from symattn.checking.names.phrases import before_numbers, statement
from symattn.checking.report import Finding, Report
from symattn.problem.model import Problem

INPUTS = {"Q": [[1, 2], [0, 1], [1, 1]], "K": [[1, 0], [1, 1], [2, 1]], "V": [[1, 0], [0, 1], [1, 1]]}
"""S = [1 3 4; 0 1 1; 1 2 3], A = [.04 .26 .71; .16 .42 .42; .09 .24 .67], O = [.74 .96; .58 .84; .76 .91]."""


def report(text: str, form: str = "md", **tables: Any) -> Report:
    return check_text(Problem.build(**{"scale": "none", "inputs": INPUTS, **tables}), text, form)  # type: ignore[arg-type]


def said(text: str, form: str = "md", **tables: Any) -> list[Finding]:
    return [finding for finding in report(text, form, **tables).findings if finding.verdict != "unchecked"]


@pytest.mark.parametrize("form", ["md", "txt", "tex"])
@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("The output for the first token is [0.74, 0.96].", "O[1,:]"),
        ("so the second output equals (0.58, 0.84)", "O[2,:]"),
        ("Hence the output of the last token is [0.76, 0.91].", "O[3,:]"),
        ("The context vector for word three is about [0.76, 0.91].", "O[3,:]"),
        ("Token 2's output is [0.58, 0.84].", "O[2,:]"),
        ("the attention weights of token 2 are 0.16, 0.42 and 0.42", "A[2,:]"),
        ("The weights for query 2 are 0.16, 0.42, and 0.42.", "A[2,:]"),
        ("Token 1 attends to: 0.04, 0.26, 0.71", "A[1,:]"),
        ("Token 1 attends to the tokens with weights 0.04, 0.26, 0.71.", "A[1,:]"),
        ("row 3 of A: 0.09, 0.24, 0.67", "A[3,:]"),
        ("The third row of the attention matrix is 0.09 0.24 0.67", "A[3,:]"),
        ("column 1 of A: 0.04, 0.16, 0.09", "A[:,1]"),
        ("the third key is [2, 1]", "K[3,:]"),
        ("The query of token 2 is (0, 1).", "Q[2,:]"),
        ("The 2nd value vector is [0, 1].", "V[2,:]"),
        ("The attention weight of token 2 on token 3 is 0.42.", "A[2,3]"),
        ("the score of query 1 with key 2 is 3", "S[1,2]"),
        ("The scores of token 1 are 1, 3, 4.", "S[1,:]"),
    ],
)
def test_plain_statements(text: str, name: str, form: str) -> None:
    (found,) = said(text, form)
    assert found.name == name
    assert found.verdict in {"right", "rounded"}


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("The output for the first token is $[0.74, 0.96]$.", "O[1,:]"),
        ("The output of the last token is\n$$[0.76, 0.91]$$", "O[3,:]"),
        ("Then the second output equals\n\n$$= (0.58, 0.84)$$", "O[2,:]"),
        ("row 3 of A: [0.09, 0.24, 0.67]", "A[3,:]"),
        ("Token 1 attends to $[0.04, 0.26, 0.71]$.", "A[1,:]"),
        ("output for token 3 = [0.76, 0.91]", "O[3,:]"),
    ],
)
def test_words_before_a_formula(text: str, name: str) -> None:
    (found,) = said(text)
    assert (found.name, found.verdict) == (name, "rounded")


def test_a_wrong_number_is_found_where_it_stands() -> None:
    text = "We add up. The output for the first token is [0.74, 0.69]. That was easy."
    first, found, last = report(text).findings
    assert (first.text, last.text) == ("We add up.", "That was easy.")
    assert (found.name, found.verdict) == ("O[1,:]", "wrong")
    assert found.culprit is not None
    assert text[found.culprit.start : found.culprit.end] == "0.69"
    assert found.text == "The output for the first token is [0.74, 0.69]"


def test_sentences_count_for_marks_and_for_what_is_missing() -> None:
    parts = [{"asks": "outputs", "points": 3}]
    text = "The first output is [0.74, 0.96]. The second output is [0.58, 0.84]."
    found = report(text, parts=parts)
    assert found.missing == ("O[3,1]", "O[3,2]")
    assert found.marks is not None
    assert found.marks.earned == 1  # the accuracy of four of six entries


def test_columns() -> None:
    """Where tokens are columns, so are their queries and their weights."""
    turned = {name: [list(row) for row in zip(*rows, strict=True)] for name, rows in INPUTS.items()}
    tables: dict[str, Any] = {"tokens": "columns", "inputs": turned}
    (found,) = said("The query for token 2 is [0, 1].", **tables)
    assert (found.name, found.verdict) == ("Q[:,2]", "right")


def test_tokens_that_are_counted_from_zero() -> None:
    opening = "Indices start at 0."
    (found,) = said(f"{opening} The output for token 0 is [0.74, 0.96].")
    assert found.name == "O[1,:]"
    (first,) = said(f"{opening} The output for the first token is [0.74, 0.96].")
    assert first.name == "O[1,:]"


@pytest.mark.parametrize(
    "text",
    [
        "The weights are 0.1, 0.2, 0.7.",
        "Token 5 attends to: 0.1, 0.2, 0.7.",
        "The output for token 0 is [0.74, 0.96].",
        "The weight of token 1 is 0.7.",
        "The first output is 5.",
        "There are 3 tokens, and the first is 1.",
        "The output for the first token is nearly [0.74, 0.96] if you ask me.",
        "If the output for token 1 is [1, 2], what is X?",
        "The output for the first token is not [1, 2].",
        "The final output is [1, 2].",
        "The output for the first token of the second head is [1, 2].",
        "The learning rate of token 1 is 3.",
        "row 3 of the book: 1, 2, 3",
        "Q: 1, 2",
    ],
)
def test_what_is_not_plain_stays_words(text: str) -> None:
    assert said(text) == []


def test_scores_may_be_scaled() -> None:
    """With a scale nobody knows which scores are meant: those that fit; who says so is bound."""
    tables: dict[str, Any] = {"scale": "1/sqrt(d_k)", "inputs": {**INPUTS, "Q": [[2, 4], [0, 2], [2, 2]]}}
    for numbers, verdict in (("0, 1.41, 1.41", "rounded"), ("0, 2, 2", "right"), ("0, 1, 1", "wrong")):
        (loose,) = said(f"The scores of token 2 are {numbers}.", **tables)
        assert (loose.verdict, loose.guess) == (verdict, True)
    (raw,) = said("The raw scores of token 2 are 0, 2, 2.", **tables)
    assert (raw.name, raw.verdict) == ("S[2,:]", "right")


def test_struck_out_words_say_nothing() -> None:
    assert [item.verdict for item in report("~~The first output is [7, 7].~~").findings] == ["withdrawn"]


def test_places_of_statements_lie_side_by_side() -> None:
    text = "So. The first output is [0.74, 0.96]. The second output is [0.58, 0.84]; the end. Token 1 attends to 0.1."
    places = [(item.place.start, item.place.end) for item in report(text).findings]
    assert places == sorted(places)
    assert all(one[1] <= other[0] for one, other in pairwise(places))


@pytest.mark.parametrize("text", ["a " * 5000, "is " * 3000, "1, " * 3000, "the output for " * 800, "[" * 4000])
def test_long_texts_are_no_trouble(text: str) -> None:
    assert statement(text) is None
    before_numbers(text)
    report(text)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Token 1: the exponentials total 77.40. So its weights: 0.04, 0.26 and 0.71.", ["Z[1]", "A[1,:]"]),
        ("The first token gives the second key a weight of 0.26\nand the last one 0.71.", ["A[1,2]", "A[1,3]"]),
        ("For the second token the weights come out as 0.16, 0.42 and 0.42 today.", ["A[2,:]"]),
        ("Für Token 2 ergeben sich Gewichte von 0,16, 0,42 und 0,42.", ["A[2,:]"]),
        ("Pour le jeton 3, on obtient des poids de 0,09, 0,24 et 0,67.", ["A[3,:]"]),
    ],
)
def test_numbers_among_words_are_bound_by_all_that_is_beside_them(text: str, names: list[str]) -> None:
    found = said(text)
    assert [finding.name for finding in found] == names
    assert {finding.verdict for finding in found} <= {"right", "rounded"}


def test_wrong_digits_among_words_are_found() -> None:
    (found,) = said("For the second token the weights come out as 0.16, 0.24 and 0.42 today.")
    assert (found.name, found.verdict) == ("A[2,:]", "wrong")


@pytest.mark.parametrize(
    "text",
    [
        "We attend over 3 keys, twice, with 2 heads and a learning rate of 0.01.",
        "The weights were rounded to 2, and the outputs have 0.5, 0.7 and 0.9 of the norm.",
        "The score of 1.41 would be wrong, and so would 7.5.",
        "In 2017, after 12 hours on 8 GPUs, the weights reached a BLEU of 28.4.",
    ],
)
def test_numbers_of_other_things_are_not_called_wrong(text: str) -> None:
    assert {finding.verdict for finding in said(text)} <= {"right", "rounded"}


def test_a_number_that_fits_another_key_than_is_said_stays_words() -> None:
    assert said("The first token gives the third key a weight of 0.26.") == []
