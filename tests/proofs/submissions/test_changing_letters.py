"""Letters that a work sets more than once: a definition or a value holds from its place on, and no further."""

from __future__ import annotations

import re

import pytest

from symattn.notation.documents.reader import read_work
from symattn.proofs.catalogue.registry import theorem
from symattn.proofs.submissions.verdicts.judge import judge_work

GIVEN = {
    "score-covariance": "Let $q$, $k_1$, $k_2$ be independent with independent components of mean $\\mu$ and variance "
    "$\\sigma^2$. ",
    "dot-product-variance": "Let $q$ and $k$ be independent with independent components of mean $0$ and variance $1$. ",
}
MINUS = r"$\operatorname{Var}(q^\top k_1 - q^\top k_2) = \operatorname{Var}(q^\top h)$"
PLUS = r"$\operatorname{Var}(q^\top k_1 + q^\top k_2) = \operatorname{Var}(q^\top h)$"
FIRST = GIVEN["score-covariance"] + rf"Put $h = k_1 - k_2$. Then {MINUS}." + "\n\n"
SUM = r"$Z = \sum_{l=1}^n e^{z_l}$"
TWICE = r"$Z = \sum_{l=1}^n e^{2 z_l}$"
WEIGHT = "$a_i = e^{z_i}/Z$"


def judged(text: str, name: str) -> list[str]:
    """The verdicts of what states something."""
    found = judge_work(read_work(text, "md"), theorem(name))
    return [item.verdict for item in found if item.verdict != "unchecked"]


@pytest.mark.parametrize(
    "again",
    [
        "Now put $h = k_1 + k_2$. Then CLAIM.",
        "Let $h = k_1 + k_2$. Then CLAIM.",
        "$$h := k_1 + k_2$$ Then CLAIM.",
        "CLAIM, where $h = k_1 + k_2$.",
        "CLAIM. Here $h = k_1 + k_2$.",
        "In the second case $h = k_1 + k_2$, so CLAIM.",
        "Setze nun $h = k_1 + k_2$. Dann ist CLAIM.",
        "Posons maintenant $h = k_1 + k_2$. Alors CLAIM.",
        "Положим теперь $h = k_1 + k_2$. Тогда CLAIM.",
    ],
)
def test_a_later_definition_takes_the_place_of_the_first(again: str) -> None:
    assert judged(FIRST + again.replace("CLAIM", PLUS), "score-covariance") == ["right", "right"]
    assert judged(FIRST + again.replace("CLAIM", MINUS), "score-covariance") == ["right", "undecided"]


@pytest.mark.parametrize(
    "free",
    [
        "Let $h$ be any vector.",
        "Replace $h$ by $2 h$.",
        "From now on $h$ is arbitrary.",
        "Sei nun $h$ beliebig.",
        "Let $h \\in \\mathbb{R}^d$.",
    ],
)
def test_a_letter_that_may_be_anything_has_no_definition(free: str) -> None:
    assert judged(f"{FIRST}{free} Then {MINUS}.", "score-covariance") == ["right", "undecided"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"Let {SUM}. Then {WEIGHT}. Recall {SUM}. So {WEIGHT}.", ["right", "right", "right"]),
        (f"Let {SUM}. Then {WEIGHT}. Let $Z = \\sum_{{i=1}}^n e^{{z_i}}$. Then {WEIGHT}.", ["right", "right"]),
        (f"Let {SUM}. Then {WEIGHT}. Let {TWICE}. Then {WEIGHT}.", ["right", "undecided"]),
        ("Let $c = 2$. Then $a_i c = 2 a_i$. Let $c = 3$. Then $a_i c = 3 a_i$.", ["right", "right"]),
        ("Let $c = 2$. Then $a_i c = 2 a_i$. Let $c = 3$. Then $a_i c = 2 a_i$.", ["right", "undecided"]),
        ("Let $c = 2$. Then $a_i c = 2 a_i$. In general, $a_i c = 2 a_i$.", ["right", "undecided"]),
        ("Let $c = z_1$. Then $e^c a_2 = e^{z_1} a_2$ for every $c$.", ["undecided"]),
        ("Let $c = 1$ for $i = 1$. Let $c = 0$ for $i = 2$. Then $a_i c = 0$.", ["undecided"]),
        ("Let $t = z_1$ and $u = 2 t$. Let $t = z_2$. Then $u = 2 z_2$.", ["undecided"]),
        ("Let $c = 1$ or $c = 2$. Then $a_i c = a_i$.", ["undecided"]),
        ("Let $c = 1$. Then $a_i c = a_i$. Replace $c$ by $2 c$. Then $a_i c = a_i$.", ["right", "undecided"]),
        ("Let $w_i = e^{z_i}$. Let $w_1 = 7$. Then $a_1 = w_1/\\sum_l w_l$.", ["undecided", "undecided"]),
        ("Let $j$ be the index with $z_j = 0$. Then $a_j = 1/\\sum_l e^{z_l}$.", ["undecided"]),
        (r"Let $a = \operatorname{softmax}(z)$. And $a = \operatorname{softmax}(2 z)$.", ["right", "undecided"]),
        (r"Let $a = \operatorname{softmax}(z)$. Thus $a = \operatorname{softmax}(2 z)$.", ["right", "wrong"]),
    ],
)
def test_what_is_said_of_a_letter_again(text: str, expected: list[str]) -> None:
    assert judged(text, "softmax-is-a-distribution") == expected


VARIANCE = r"$\operatorname{Var}(q^\top k) = VALUE$"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("For $d = 2$, V2. For $d = 3$, V3.", ["right", "right"]),
        ("For $d = 2$, V2. For $d = 3$, V2.", ["right", "unstated"]),
        ("For $d_k = 64$, V64, and for $d_k = 128$, V128.", ["right", "right"]),
        ("Let $d = 2$. Then V2. Let $d = 3$. Then V3.", ["right", "right"]),
        ("Let $d = 2$. Then V2. Let $d = 3$. Then V2.", ["right", "unstated"]),
        ("When $d = 2$, V2. Suppose now $d = 3$. Then V3. For arbitrary $d$, V3.", ["right", "right", "wrong"]),
        ("If $d = 2$, then V2. In general, V2.", ["right", "unstated"]),
        ("If $d = 2$, then V2. So V2 whatever $d$ is.", ["right", "unstated"]),
        ("In case $d = 2$ we have V2 and in case $d = 3$ we have V2.", ["right", "unstated"]),
        ("V2 for $d = 2$, and V3 for $d = 3$.", ["right", "right"]),
        ("With $d_k = 64$ we get V64. Then V64.", ["right", "right"]),
        ("Let $d = 2$ or $d = 3$. Then V3.", ["wrong"]),
        ("V2 even if $d \\ne 2$. Here $d = 2$ is an example.", ["unstated"]),
        ("We have $d = 64$, so V64. For longer keys V64.", ["right", "unstated"]),
        ("If $d = 3$ or $d = 2$, then V3.", ["unstated"]),
        ("Let $d = 4$ in an example. V4.\n\n## General case\n\nV4.", ["right", "unstated"]),
        ("\n\nExample. Let $d = 4$. Then V4.\n\nTheorem. V4.", ["right", "unstated"]),
        ("\n\nLet $d = 4$. Then V4.\n\nProof. V4.", ["right", "right"]),
        ("Let $\\sigma = 1$. Then V{d}. Let $\\sigma = 2$. Then V{d}.", ["right", "unstated"]),
        ("Let $\\sigma = 1$. Then V{d}. In the general case, V{d}.", ["right", "unstated"]),
        ("Suppose $\\sigma = 1$. Then V{d}. Without this assumption, V{d}.", ["right", "unstated"]),
        ("Case 1: $\\sigma = 1$. Then V{d}. Case 2: $\\sigma \\ne 1$. Then V{d}.", ["right", "unstated"]),
        ("V{d} if $\\sigma = 1$ or $\\sigma = 2$.", ["undecided"]),
        ("Let $\\sigma = 1$. Then V{d}. Now let $\\sigma$ be arbitrary. Then V{d}.", ["right", "unstated"]),
    ],
)
def test_a_number_holds_until_another_one_or_the_general_case(text: str, expected: list[str]) -> None:
    text = re.sub(r"V(?:\{(\w)\}|(\d+))", lambda m: VARIANCE.replace("VALUE", m[1] or m[2]), text)
    name = "dot-product-variance"
    given = GIVEN[name].replace("variance $1$", "variance $\\sigma^2$") if "sigma" in text else GIVEN[name]
    assert judged(given + text, name) == expected


@pytest.mark.parametrize("lead", ["Let $n = LENGTH$. Then", "For $n = LENGTH$,"])
def test_a_small_length_is_no_mistake(lead: str) -> None:
    name = "softmax-is-a-distribution"
    two = r" $a_1 = \frac{e^{z_1}}{e^{z_1} + e^{z_2}}$."
    assert judged(lead.replace("LENGTH", "2") + two, name) != ["wrong"]
    assert judged(lead.replace("LENGTH", "3") + two, name) == ["wrong"]
