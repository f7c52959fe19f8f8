"""Implications and equivalences between statements are arrows of two kinds, and neither hides a statement."""

from __future__ import annotations

from typing import get_args

import pytest

from symattn.checking.check import check_text
from symattn.notation.documents.reader import Format, read_work
from symattn.notation.statements.signs import signs
from symattn.notation.submission import Written
from symattn.problem.model import Problem

EQUIVALENT = [r"\iff", r"\Leftrightarrow", r"\Longleftrightarrow", r"\leftrightarrow", r"\longleftrightarrow"]
IMPLIES = [r"\implies", r"\Rightarrow", r"\Longrightarrow"]
PLAIN_EQUIVALENT = ["<=>", "<==>", "<->", "⇔", "⟺", "↔"]
PLAIN_IMPLIES = ["=>", "==>", "⇒", "⟹"]

PROBLEM = Problem.build(
    scale="none", inputs={"Q": [[1, 2], [0, 1]], "K": [[1, 0], [1, 1]], "V": [[1, 0], [0, 1]]}
)  # S = [1 3; 0 1]


def relations(text: str, notation: str) -> list[str]:
    return [sign.value for sign in signs(text, 0, len(text), notation) if sign.kind == "relation"]  # type: ignore[arg-type]


@pytest.mark.parametrize("arrow", [*EQUIVALENT, *PLAIN_EQUIVALENT])
def test_an_equivalence_is_no_implication(arrow: str) -> None:
    assert relations(f"a {arrow} b", "latex") == ["⇔"]
    if arrow in PLAIN_EQUIVALENT:
        assert relations(f"a {arrow} b", "plain") == ["⇔"]


@pytest.mark.parametrize("arrow", [*IMPLIES, *PLAIN_IMPLIES])
def test_an_implication_is_no_equivalence(arrow: str) -> None:
    assert relations(f"a {arrow} b", "latex") == ["⇒"]


@pytest.mark.parametrize("form", [form for form in get_args(Format) if form != "ipynb"])
@pytest.mark.parametrize("arrow", [*EQUIVALENT, *IMPLIES, *PLAIN_EQUIVALENT, *PLAIN_IMPLIES, "iff"])
def test_two_statements_are_judged(arrow: str, form: Format) -> None:
    is_plain = arrow in {*PLAIN_EQUIVALENT, *PLAIN_IMPLIES, "iff"}
    text = f"S_12 = 3 {arrow} S_21 = 1" if is_plain else f"$S_{{12}} = 3 {arrow} S_{{21}} = 1$"
    if form == "tex" and is_plain:
        text = f"${text}$".replace("iff", r"\text{ iff }")
    written = [piece for piece in read_work(text, form).pieces if isinstance(piece, Written)]
    assert [piece.operators for piece in written] == [("=",), ("=",)]
    found = check_text(PROBLEM, text, form).findings
    assert [(item.name, item.verdict) for item in found] == [("S[1,2]", "right"), ("S[2,1]", "wrong")]


@pytest.mark.parametrize("arrow", [*EQUIVALENT, *IMPLIES])
def test_an_arrow_begins_a_row(arrow: str) -> None:
    text = rf"\begin{{align*}} S_{{12}} &= 3 \\ &{arrow} S_{{21}} = 0 \\ {arrow} S_{{22}} &= 1 \end{{align*}}"
    found = check_text(PROBLEM, text, "tex").findings
    assert [(item.name, item.verdict) for item in found] == [
        ("S[1,2]", "right"), ("S[2,1]", "right"), ("S[2,2]", "right"),
    ]  # fmt: skip


def test_less_or_equal_is_no_arrow() -> None:
    assert relations("a <= b => c <=> d < e > f", "plain") == ["≤", "⇒", "⇔", "<", ">"]
