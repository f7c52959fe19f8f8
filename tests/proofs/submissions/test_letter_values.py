"""A value of a letter holds in its sentence: claims elsewhere are not wrong for it; what is wrong stays so."""

from __future__ import annotations

import pytest

from symattn.notation.documents.reader import read_work
from symattn.proofs.catalogue.registry import theorem
from symattn.proofs.submissions.verdicts.judge import judge_work

OUTPUTS = r"\sum_{j=1}^{n} a_j v_j - \sum_{j=1}^{n} b_j v_j"
TRUE, FALSE = r"(1 - n\varepsilon) (u - l)", r"(n\varepsilon - 1) (u - l)"
HALF = r"1/(2 n)"
VALUES = (HALF, "1/(n + 1)", r"1/(1 + (n - 1) e^{R})")

SHAPES = {
    "before": r"Every weight of such a row is at least $\varepsilon = VALUE$. Two outputs have $$OUTPUTS \le BOUND.$$",
    "behind": r"Two outputs have $$OUTPUTS \le BOUND.$$ Every weight of such a row is at least $\varepsilon = VALUE$.",
    "own paragraph": "Then the weights are at least $\\varepsilon = VALUE$.\n\n$$OUTPUTS \\le BOUND$$",
    "chain": r"For such rows $a_j \ge \varepsilon = VALUE$. Two outputs have $$OUTPUTS \le BOUND.$$",
    "same sentence": r"Two outputs have $OUTPUTS \le BOUND$, and each weight is at least $\varepsilon = VALUE$.",
    "throughout": r"Throughout, $\varepsilon = VALUE$. Two outputs have $$OUTPUTS \le BOUND.$$",
}


def judged(text: str, name: str = "range-contraction") -> list[str]:
    """The verdicts of what states something, when the question states the hypotheses."""
    found = judge_work(read_work(text, "md"), theorem(name), is_given=True)
    return [item.verdict for item in found if item.verdict != "unchecked"]


def written(shape: str, value: str, bound: str) -> str:
    return SHAPES[shape].replace("OUTPUTS", OUTPUTS).replace("VALUE", value).replace("BOUND", bound)


@pytest.mark.sample(4)
@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize("shape", SHAPES)
def test_a_value_does_not_change_the_verdict_on_a_claim_for_all_values(shape: str, value: str) -> None:
    assert judged(written(shape, value, TRUE)) == ["right"]
    assert judged(written(shape, value, FALSE)) == ["wrong"]


TIED = r"a_i \ge 1/n"
"""True for the value, and false for others."""


def test_what_hangs_on_a_value_told_elsewhere_is_undecided() -> None:
    assert judged(f"Each weight has ${TIED}$.") == ["wrong"]
    told = r"For rows of this kind the least weight is $\varepsilon = 1/n$."
    assert judged(f"{told} Each weight has ${TIED}$.") == ["undecided"]
    assert judged(f"Each weight has ${TIED}$. {told}") == ["undecided"]
    assert judged(rf"{told} Each weight has $a_i \ge 2/n$.") == ["wrong"]


def test_of_several_values_none_is_held_against_a_claim() -> None:
    told = rf"Some rows have the bound $\varepsilon = {HALF}$. Others have the bound $\varepsilon = 1/(3 n)$."
    assert judged(rf"{told} Two outputs have ${OUTPUTS} \le {TRUE}$.") == ["right"]
    assert judged(rf"{told} Two outputs have ${OUTPUTS} \le {FALSE}$.") == ["undecided"]
    both = rf"The least weights $\varepsilon = {HALF}$ and $\varepsilon = 1/(3 n)$ give ${OUTPUTS} \le BOUND$."
    assert judged(both.replace("BOUND", TRUE)) == ["right"]
    assert judged(both.replace("BOUND", FALSE)) == ["undecided"]


BEST = r"\tau(\frac{\ln(n)}{c} + \frac{c}{2})"


@pytest.mark.parametrize(
    "text",
    [
        r"With $c = \sqrt{2\ln(n)}$ the bound is $$BEST = VALUE.$$",
        r"The bound is $$BEST = VALUE,$$ where $c = \sqrt{2\ln(n)}$.",
        r"Here $c = \sqrt{2\ln(n)}$. The bound is $$BEST = VALUE.$$",
    ],
)
def test_a_claim_under_a_value_is_judged_with_it(text: str) -> None:
    text = text.replace("BEST", BEST)
    assert judged(text.replace("VALUE", r"\tau\sqrt{2\ln(n)}"), "largest-score") == ["right"]
    assert judged(text.replace("VALUE", r"\tau\sqrt{\ln(n)}"), "largest-score") == ["wrong"]


def test_a_case_keeps_the_signs_with_which_letters_are_declared() -> None:
    assert "wrong" not in judged(rf"Two outputs have ${OUTPUTS} \le (1 + n\varepsilon) (u - l)$.")


def test_a_claim_for_one_of_several_values_is_undecided() -> None:
    told = r"One choice is the bound $c = \sqrt{2\ln(n)}$. Another is the bound $c = 2\sqrt{2\ln(n)}$."
    assert judged(rf"{told} Then ${BEST} = \tau\sqrt{{2\ln(n)}}$.", "largest-score") == ["undecided"]


@pytest.mark.parametrize("words", ["Let", "Choose", "The best choice is", "We put", "Minimising gives"])
def test_a_chosen_value_holds_from_there_on(words: str) -> None:
    told = rf"{words} $\varepsilon = {HALF}$. Then ${OUTPUTS} \le BOUND$."
    assert judged(told.replace("BOUND", "(u - l)/2")) == ["right"]
    assert judged(told.replace("BOUND", "(u - l)/4")) == ["wrong"]
    number = rf"{words} $\varepsilon = 1/8$. Then ${OUTPUTS} \le BOUND$."
    assert judged(number.replace("BOUND", "(1 - n/8) (u - l)")) == ["right"]
    assert judged(number.replace("BOUND", "(1 - n/4) (u - l)")) == ["wrong"]


def test_what_stands_beside_a_choice_is_a_claim() -> None:
    told = rf"The best choice is $\varepsilon = {HALF}$, and ${OUTPUTS} \le BOUND$."
    assert judged(told.replace("BOUND", "(u - l)/2")) == ["right"]
    assert judged(told.replace("BOUND", "(u - l)/4")) == ["wrong"]


def test_a_choice_of_the_wrong_sign_proves_nothing() -> None:
    told = r"The best choice is $c = VALUE$. Then $E[U] = \tau (\ln(n)/VALUE + VALUE/2)$."
    assert judged(told.replace("VALUE", "2"), "largest-score") == ["right"]
    assert judged(told.replace("VALUE", "(-2)"), "largest-score") == ["undecided"]
    doubtful = rf"The best choice would be $\varepsilon = {HALF}$. Then ${OUTPUTS} \le (u - l)/2$."
    assert judged(doubtful) == ["undecided"]
