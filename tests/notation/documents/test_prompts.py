"""Prompts of consoles: which lines are inputs, how far their outputs reach, and lines that are quoted."""

from __future__ import annotations

import pytest

from symattn.notation.documents.prompts import console_inputs


def inputs(text: str) -> list[tuple[str, str]]:
    return [(text[slice(*item.source)], text[slice(*item.printed)]) for item in console_inputs(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (">> S = Q*K'\n\nS =\n\n     1     2\n\nThe end", [("S = Q*K'", "\nS =\n\n     1     2")]),
        (">> a = 1; b = [1; 2]\n\nb =\n\n 1\n 2\n", [("a = 1", ""), ("b = [1; 2]", "\nb =\n\n 1\n 2")]),
        ("octave:1> A  % rows\nA =\n\n  Columns 1 and 2:\n\n 1 2\n\n  Column 3:\n\n 3\n\nSo", [
            ("A", "A =\n\n  Columns 1 and 2:\n\n 1 2\n\n  Column 3:\n\n 3")]),
        ("```r\n> A\n   k1 k2\nq1  1  0\n```\n", [("A", "   k1 k2\nq1  1  0")]),
        ("- R:\n  ```r\n  > A\n  [1] 1 0\n  ```\n", [("A", "  [1] 1 0")]),
        ("> (S <- Q %*% t(K))\n     [,1]\n[1,]    1", [("S <- Q %*% t(K)", "     [,1]\n[1,]    1")]),
        ("> A <- apply(S, 1,\n+   softmax)\n> A", [("A <- apply(S, 1,\n+   softmax)", ""), ("A", "")]),
        (">>> A  # one; two\n[1 2]\n\nA = 3", [("A  # one; two", "[1 2]")]),
    ],
)  # fmt: skip
def test_an_input_and_its_output(text: str, expected: list[tuple[str, str]]) -> None:
    assert inputs(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "> S = Q K^T\n> A = softmax(S)\n\nYes.",
        "> What is A = softmax(S)?\n>> and S = Q K^T?\n\nA =\n[[1, 0], [0, 1]]",
        "> [1] Vaswani et al.\n\n[1, 0]",
        "```diff\n< A = 1\n> A = 2\n```",
        ">> he wrote: A = 1\nA = 1",
    ],
)
def test_a_quote_is_no_input(text: str) -> None:
    assert inputs(text) == []
