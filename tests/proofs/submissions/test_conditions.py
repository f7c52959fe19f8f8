"""Conditions belong to the statements beside them: what holds under ``i ≠ j`` is right, and what fails there wrong."""

from __future__ import annotations

import pytest

from symattn.notation.documents.reader import read_work
from symattn.notation.submission import Written
from symattn.proofs.catalogue.registry import theorem
from symattn.proofs.submissions.reading.conditions import place_statements
from symattn.proofs.submissions.verdicts.judge import judge_work

SLOPE = r"\frac{\partial a_i}{\partial z_j}"
SAME, OTHER = "a_i (1 - a_i)", "-a_i a_j"
WRONG_SAME, WRONG_OTHER = "a_i (1 + a_i)", "a_i a_j"
MOMENTS = r"All $q_i$ and $k_i$ are independent with mean $\mu$ and variance $\sigma^2$. "


def judged(text: str, name: str = "softmax-jacobian", *, given: bool = False) -> list[str]:
    """The verdicts of what states something."""
    found = judge_work(read_work(text, "md"), theorem(name), is_given=given)
    return [item.verdict for item in found if item.verdict != "unchecked"]


SHAPES = {
    "before": rf"For $i = j$: ${SLOPE} = SAME$. For $i \ne j$: ${SLOPE} = OTHER$.",
    "behind": rf"${SLOPE} = SAME$ for $i = j$, and ${SLOPE} = OTHER$ for $j \neq i$.",
    "in brackets": rf"$${SLOPE} = SAME \quad (i = j)$$ $${SLOPE} = OTHER \quad (i \neq j)$$",
    "comma": rf"$${SLOPE} = SAME, \quad i = j$$ $${SLOPE} = OTHER, \quad i \neq j$$",
    "otherwise": rf"If $i = j$, ${SLOPE} = SAME$; otherwise ${SLOPE} = OTHER$.",
    "otherwise behind": rf"${SLOPE} = SAME$ if $i = j$ and ${SLOPE} = OTHER$ otherwise.",
    "cases": rf"$${SLOPE} = \begin{{cases}} SAME & \text{{if }} i = j \\ OTHER & \text{{if }} i \ne j \end{{cases}}$$",
    "cases, otherwise": rf"$${SLOPE} = \begin{{cases}} SAME, & i = j, \\ OTHER, & \text{{otherwise.}} \end{{cases}}$$",
    "lines": rf"\begin{{align}} {SLOPE} &= SAME && \text{{if }} i = j \\ {SLOPE} &= OTHER && \text{{if }} i \ne j"
    r"\end{align}",
    "sentences": f"**Case $i = j$.** By the rule\n\n$${SLOPE} = SAME.$$\n\n"
    rf"**Case $i \ne j$.** Then $${SLOPE} = OTHER.$$",
    "headings": f"## Case $i = j$\n\nThen $${SLOPE} = SAME$$\n\n## Case $i \\ne j$\n\nThen $${SLOPE} = OTHER$$",
    "then": rf"If $i = j$ then ${SLOPE} = SAME$, if $i \ne j$ then ${SLOPE} = OTHER$.",
    "in words": rf"${SLOPE} = SAME$ if $i$ and $j$ are equal; for i != j we have ${SLOPE} = OTHER$.",
    "if not": rf"If $i = j$, then ${SLOPE} = SAME$. If not, ${SLOPE} = OTHER$.",
    "diagonal": rf"The diagonal entries are ${SLOPE} = SAME$ for $i = j$. The off-diagonal ones are ${SLOPE} = OTHER$.",
    "distinct": rf"If $i = j$, ${SLOPE} = SAME$. Soient $i$ et $j$ deux indices distincts. Alors ${SLOPE} = OTHER$.",
    "order": rf"For $j = i$: ${SLOPE} = SAME$. Suppose $i < j$. Then ${SLOPE} = OTHER$.",
}


def written(shape: str, same: str, other: str) -> str:
    return SHAPES[shape].replace("SAME", same).replace("OTHER", other)


@pytest.mark.sample(6)
@pytest.mark.parametrize("shape", SHAPES)
def test_branches_are_judged_where_they_are_meant_to_hold(shape: str) -> None:
    assert judged(written(shape, SAME, OTHER)) == ["right", "right"]
    assert judged(written(shape, SAME, WRONG_OTHER)) == ["right", "wrong"]
    assert judged(written(shape, WRONG_SAME, OTHER)) == ["wrong", "right"]


def test_without_its_condition_a_branch_is_wrong() -> None:
    assert judged(f"${SLOPE} = {OTHER}$.") == ["wrong"]
    assert judged(f"For $i \\ne j$: ${SLOPE} = {OTHER}$. In general ${SLOPE} = {OTHER}$.") == ["right", "wrong"]


def test_a_condition_that_may_still_hold_leaves_open_what_fails_without_it() -> None:
    assert judged(f"For $i \\ne j$: ${SLOPE} = {OTHER}$. So ${SLOPE} = {OTHER}$.") == ["right", "undecided"]


def test_a_condition_goes_on_with_the_lines_of_its_chain() -> None:
    top = r"\frac{-e^{z_i} e^{z_j}}{(\sum_l e^{z_l})^2}"
    assert judged(f"For $i \\ne j$ $${SLOPE} = {top}$$ $$= {OTHER}.$$") == ["right", "right"]
    lines = rf"$$\begin{{aligned}} {SLOPE} &= {top} \\ &= {OTHER} \qquad (i \ne j) \end{{aligned}}$$"
    assert judged(lines) == ["right", "right"]


@pytest.mark.parametrize(
    ("text", "verdicts"),
    [
        (r"For $i \ne j$: $E[q_i k_i q_j k_j] = \mu^4$.", ["right"]),
        (r"For $i = j$: $E[q_i k_i q_j k_j] = (\sigma^2 + \mu^2)^2$.", ["right"]),
        (r"For $i = j$: $E[q_i k_i q_j k_j] = \mu^4$.", ["wrong"]),
        (r"For $i \ne j$: $E[q_i k_i q_j k_j] = (\sigma^2 + \mu^2)^2$.", ["wrong"]),
        (r"$\mathrm{Cov}(q_i k_i, q_j k_j) = 0$ for $i \neq j$.", ["right"]),
        (r"If $\mu = 0$, then $\mathrm{Var}(q_i k_i) = \sigma^4$.", ["right"]),
        (r"If $\mu = 0$, then $\mathrm{Var}(q_i k_i) = 2 \sigma^4$.", ["wrong"]),
        (r"For $\mu = 0$ and $\sigma = 1$ this is $\mathrm{Var}(q^\top k) = D$.", ["right"]),
        (
            r"$\mathrm{Var}(q^\top k) = D \sigma^4$. Setting $\mu = 0$ gives $\mathrm{Var}(q^\top k) = D \sigma^4$.",
            ["wrong", "right"],
        ),
    ],
)
def test_moments_under_conditions(text: str, verdicts: list[str]) -> None:
    assert judged(MOMENTS + text, "dot-product-variance") == verdicts


def test_literal_indices_differ() -> None:
    assert judged(r"$\partial a_1/\partial z_2 = -a_1 a_2$ and $\partial a_1/\partial z_2 = a_1 a_2$") == [
        "right",
        "wrong",
    ]


@pytest.mark.parametrize(
    "words",
    [
        r"with mean $\mu = 0$ and variance $\sigma^2 = 1$",
        r"with $E[q_i] = E[k_i] = \mu = 0$ and variance $1$",
        r"with $\mu = 0$ and $\sigma = 1$",
    ],
)
def test_values_of_moments_are_assumptions(words: str) -> None:
    text = f"Let $q_i$ and $k_i$ be independent {words}. Then $\\mathrm{{Var}}(q^\\top k) = D$."
    found = judged(text, "dot-product-variance")
    assert found[-1] == "right"
    assert "wrong" not in found


TWO = r"The keys are orthonormal and $q = s(k_a + k_b)$. "


@pytest.mark.parametrize(
    ("text", "verdicts"),
    [
        (r"$k_a^\top q = s$ and $k_i^\top q = 0$ for every other key.", ["right", "right"]),
        (r"$k_i^\top q = s$ for every other key.", ["wrong"]),
        (r"$k_i^\top q = s$ for $i \in \{a, b\}$, $k_i^\top q = 0$ for $i \notin \{a, b\}$.", ["right", "right"]),
        (r"$k_i^\top q = s$ for $i = a$ and $0$ otherwise.", ["right", "wrong"]),
        (r"$\alpha_a = \frac{e^s}{2e^s + n - 2}$", ["right"]),
        (r"$\alpha_a = \frac{e^s}{2e^s}$, for the other keys have weight $0$.", ["wrong"]),
    ],
)
def test_every_other_key_is_none_of_those_that_are_named(text: str, verdicts: list[str]) -> None:
    assert judged(TWO + text, "average-of-two") == verdicts


@pytest.mark.parametrize(
    "words",
    [
        "$k_i^\\top q = 0$ for all other $i$. Thus $\\alpha_i = W$.",
        "$k_i^\\top q = 0$ for the remaining keys, and $\\alpha_i = W$.",
        "$k_i^\\top q = 0$ for $i \\ne a, b$. So $\\alpha_i = W$.",
        "All other keys have $k_i^\\top q = 0$. So $\\alpha_i = W$.",
        "$k_i^\\top q = 0$ für alle anderen $i$. Also ist $\\alpha_i = W$.",
    ],
)
def test_others_named_before_may_be_meant_still(words: str) -> None:
    rest = r"\frac{1}{2e^s + n - 2}"
    assert "wrong" not in judged(TWO + words.replace("W", rest), "average-of-two")
    assert judged(TWO + words.replace("W", r"\frac{2}{2e^s + n - 2}"), "average-of-two")[-1] == "wrong"


BOUNDED = [
    "Let every score lie between $L$ and $L + R$, $R \\ge 0$. Then X.",
    "Let $c$ and $R \\ge 0$ be numbers. Then X.",
    "The range is a number $R \\ge 0$. Then X.",
    "Suppose the range is $R$, where $R \\ge 0$. Then X.",
    "The scores lie in an interval of length $R$ ($R \\ge 0$). Then X.",
    "Since $R \\ge 0$ we have X.",
    "As $R \\ge 0$, X.",
    "For $R \\ge 0$ and $c > 0$ we have X.",
    "For $c > 0$ and $R \\ge 0$, X.",
    "For every $c$ and $R \\ge 0$ we have X.",
    "If $c > 0$ and $R \\ge 0$ then X.",
    "X for $R \\ge 0$.",
    "X, $R \\ge 0$.",
    "X ($R \\ge 0$).",
    "X, whatever the value of $R \\ge 0$.",
    "Sei $R \\ge 0$. Dann ist X.",
    "Für $c > 0$ und $R \\ge 0$ gilt X.",
    "Pour tout $R \\ge 0$ on a X.",
    "Soit $R \\ge 0$. Alors X.",
    "X para $R \\ge 0$.",
    "对 $R \\ge 0$ 有 X。",
]


@pytest.mark.parametrize("words", BOUNDED)
def test_a_bound_of_a_letter_is_a_condition_and_no_claim(words: str) -> None:
    assert "wrong" not in judged(words.replace("X", r"$e^R \ge 1$"), "range-contraction")
    assert "wrong" in judged(words.replace("X", r"$e^R \le 1/2$"), "range-contraction")


def test_a_conclusion_on_a_letter_is_a_claim() -> None:
    assert judged(r"Hence $\varepsilon < 0$.", "range-contraction") == ["wrong"]
    assert judged(r"Let $R$ be the range of the scores, so $R \ge 0$.", "range-contraction") == ["undecided"]


@pytest.mark.parametrize("words", ["Take {}.", "Let {}.", "Choose the query {}.", "{}."])
def test_a_hypothesis_that_a_formula_states_is_stated(words: str) -> None:
    text = "The keys are orthonormal. " + words.format("$q = s(k_a + k_b)$")
    assert judged(f"{text} Then $\\alpha_a = \\frac{{e^s}}{{2e^s + n - 2}}$.", "average-of-two") == ["right"]


@pytest.mark.parametrize(
    ("query", "weight", "verdict"),
    [
        ("2 s (k_a + k_b)", r"\frac{e^{2s}}{2e^{2s} + n - 2}", "right"),
        ("2 s (k_a + k_b)", r"\frac{e^s}{2e^s + n - 2}", "wrong"),
        ("s (k_a - k_b)", r"\frac{e^s}{e^s + e^{-s} + n - 2}", "right"),
        ("s (k_a - k_b)", r"\frac{e^s}{2e^s + n - 2}", "wrong"),
    ],
)
def test_another_choice_than_the_theorems_is_followed(query: str, weight: str, verdict: str) -> None:
    text = f"The keys are orthonormal. Let $q = {query}$. Then $\\alpha_a = {weight}$."
    assert judged(text, "average-of-two") == [verdict]


MARGIN = r"Let $k_j^\top q \ge k_i^\top q + \Delta$ for all $i \neq j$. "
BOUND = r"\frac{1}{1 + (n-1) e^{-\Delta}}"


def test_a_margin_is_stated_with_letters_of_the_works_own() -> None:
    assert judged(MARGIN + rf"Then $\alpha_j \ge {BOUND}$.", "copy") == ["right"]
    assert judged(MARGIN + rf"Then $\alpha_j \le {BOUND}$.", "copy") == ["wrong"]
    assert judged(rf"$\alpha_j \ge {BOUND}$", "copy", given=True) == ["right"]
    assert judged(rf"$\alpha_j \le {BOUND}$", "copy", given=True) == ["wrong"]


def test_what_is_supposed_holds_in_every_counter_example() -> None:
    text = r"Suppose $z_1 = z_2$. Then $a_1 = a_2$. Then $a_1 = 2 a_2$."
    assert "wrong" not in judged(text)[:1]
    assert judged("Suppose all scores are equal. Then $a_i = \\frac1n$.") == ["undecided"]


@pytest.mark.parametrize(
    ("text", "domains"),
    [
        (r"For $i \ne j$ and $i \ne l$, $x_i = y_j$.", [2]),
        (r"$x_i = 1$ for $i = j$, $0$ otherwise.", [1, 1]),
        (r"For $i = 1, \dots, n$ we have $x_i = y_i$.", [0]),
        (r"For $1 \le i \le n$: $x_i = y_i$.", [0]),
        (r"Distinct $i$ and $j$ have $x_i = y_j$.", [1]),
    ],
)
def test_conditions_are_found(text: str, domains: list[int]) -> None:
    found = place_statements(read_work(text, "md"), lambda letter: letter in {"i", "j", "l"}, lambda _: False)
    stated = [item for item in found if isinstance(item.piece, Written) and not item.is_condition]
    assert [len(item.domain.clauses) for item in stated] == domains


def test_hypotheses_that_are_denied_or_missing_leave_the_work_open() -> None:
    chain = r"$E[q^\top k] = \sum_i E[q_i] E[k_i]$."
    assert judged(f"q and k are uncorrelated. {chain}", "dot-product-mean") == ["right"]
    assert judged(f"q and k are **not** independent. {chain}", "dot-product-mean") == ["unstated"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("For $n \\ge 2$, STRICT. In fact STRICT for every $n \\ge 1$.", ["right", "unstated"]),
        ("For at least two keys STRICT. And for any number of keys, STRICT.", ["right", "unstated"]),
        ("Let $n \\ge 2$. Then STRICT. In general, STRICT.", ["right", "unstated"]),
        ("If $n > 1$, then STRICT. Also STRICT.", ["right", "unstated"]),
        ("We do not need $n \\ge 2$. Then STRICT.", ["unstated"]),
        ("STRICT. Now let $n \\ge 2$.", ["unstated"]),
        ("Suppose there are at least two keys. Then STRICT. So $1 > a_j$.", ["right", "right"]),
        ("STRICT when there are at least two keys.", ["right"]),
        ("Seien $n \\ge 2$ Schlüssel gegeben. Dann ist STRICT.", ["right"]),
    ],
)
def test_a_second_key_is_there_where_the_work_says_so(text: str, expected: list[str]) -> None:
    assert judged(text.replace("STRICT", "$a_j < 1$"), "softmax-is-a-distribution") == expected


ROOT = r"$\sqrt{\frac1n \sum_i y_i^2} = c \sqrt{\frac1n \sum_i x_i^2}$"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"Let $y = c x$. Then {ROOT}.", ["unstated"]),
        (f"Let $y = c x$ with any real number $c$. Then {ROOT}.", ["wrong"]),
        (f"Let $y = c x$ with $c > 0$. Then {ROOT}.", ["right"]),
        (f"Let $y = c x$ with a positive number $c$. Then {ROOT}.", ["right"]),
        (r"For $c < 0$, $\sqrt{c^2} = c$. For $c > 0$, $\sqrt{c^2} = c$.", ["wrong", "right"]),
        (r"$\sqrt{c^2} = c$.", ["unstated"]),
        (
            r"For a positive number $c$, $\sqrt{c^2} = c$. For a negative number $c$, $\sqrt{c^2} = c$.",
            ["right", "wrong"],
        ),
    ],
)
def test_a_number_is_positive_where_the_work_says_so(text: str, expected: list[str]) -> None:
    assert judged(text, "rms-norm") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("OTHER even if $i = j$.", ["wrong"]),
        ("OTHER not only for $i \\ne j$.", ["wrong"]),
        ("OTHER for $i \\ne j$, and also for $i = j$.", ["wrong"]),
        ("OTHER for $i < j$ or $i = j$.", ["wrong"]),
        ("If $i \\ne j$ or if $i = j$, OTHER.", ["wrong"]),
        ("OTHER for $i < j$ or $i > j$.", ["right"]),
        ("OTHER for $i < j$, sowie für $i > j$.", ["right"]),
    ],
)
def test_every_alternative_counts(text: str, expected: list[str]) -> None:
    assert judged(text.replace("OTHER", f"${SLOPE} = {OTHER}$")) == expected
