"""What a work says near a statement counts: vectors of ones, premises, its own primed quantities, and causal sums."""

from __future__ import annotations

import re

import pytest

from symattn.api.submissions import check_proof

pytestmark = pytest.mark.unmeasured

RIGHT, WRONG, OPEN = 0, 1, 3


def status(text: str, name: str) -> int:
    """Return the exit status for a work in Markdown."""
    return check_proof(name, text, "md", source="proof.md").exit_status


# Vectors of ones -----------------------------------------------------------------------------------

ONES = [
    ("", r"\mathbf{1}"),
    ("", r"\mathbf 1"),
    ("", r"\mathbb{1}"),
    ("", r"\mathbbm{1}"),
    ("", r"\mathds{1}"),
    ("", r"\vec 1"),
    ("", r"\bm{1}"),
    ("", r"\pmb{1}"),
    ("", r"{\bf 1}"),
    ("", r"\underline{1}"),
    ("", "1_n"),
    ("", r"\mathbf{1}_n"),
    ("", r"\mathbb{1}_N"),
    (r"Let $\mathbf{1} = (1, \dots, 1)^\top$. ", r"\mathbf{1}"),
    (r"Let $e = (1, \dots, 1)^\top$. ", "e"),
    (r"Let $\mathbf{e} \in \mathbb{R}^n$ be the all-ones vector. ", r"\mathbf{e}"),
    ("Write $u$ for the vector of ones. ", "u"),
    ("With the vector $u$ of ones. ", "u"),
    ("Sei $e$ der Einsvektor. ", "e"),
    ("设 $e$ 为全1向量。", "e"),
]


@pytest.mark.sample(5)
@pytest.mark.parametrize(("words", "ones"), ONES)
def test_a_vector_of_ones_is_one_in_all_its_spellings(words: str, ones: str) -> None:
    weights = rf"{words}Let $a_j = e^{{z_j}}/\sum_{{l=1}}^n e^{{z_l}}$ and $J = \operatorname{{diag}}(a) - a a^\top$. "
    chain = rf"${ones}^\top a = 1$ and $J{ones} = a - a (a^\top {ones}) = a - a = 0$."
    assert status(weights + chain, "softmax-jacobian") == RIGHT
    for wrong in (f"$J{ones} = a$.", rf"${ones}^\top a = 2$.", rf"$J{ones} = a - a = 2a$."):
        assert status(weights + wrong, "softmax-jacobian") == WRONG


def test_a_bold_e_without_a_meaning_is_neither_any_vector_nor_a_number() -> None:
    assert status(r"$J\mathbf{e} = 0$.", "softmax-jacobian") == OPEN


# Premises ------------------------------------------------------------------------------------------

WEIGHTS = r"Let $n \ge 2$ and $a_j = e^{z_j}/\sum_{l=1}^n e^{z_l}$. Dividing, $a_i / a_j = e^{z_i - z_j}$. "
IMPLICATIONS = [
    "Thus $X$ implies $Y$.",
    "$X$ means that $Y$.",
    r"$X \implies Y$.",
    r"$X$ $\Rightarrow$ $Y$.",
    "If $X$ then $Y$.",
    "Hence $Y$ as soon as $X$.",
    "From $X$ we get $Y$.",
    "Aus $X$ folgt $Y$.",
    "Wenn $X$, dann $Y$.",
    "Ist $X$, so ist $Y$.",
    "Si $X$, alors $Y$.",
    "Si $X$, entonces $Y$.",
    "Se $X$, allora $Y$.",
    "$X$ implica $Y$.",
    "Из $X$ следует $Y$.",
    "若 $X$，则 $Y$。",
    "$X$ のとき $Y$。",
    "$X$ 이면 $Y$.",
    "$X$ ise $Y$.",
]
VAGUE = [
    "$Y$ follows from $X$.",
    "A larger score $X$ has a larger weight $Y$.",
    "Since $X$, $Y$.",
    "$Y$ exactly when $X$.",
    "$Y$ for all pairs with $X$.",
]


@pytest.mark.sample(6)
@pytest.mark.parametrize("words", [*IMPLICATIONS, *VAGUE])
def test_the_premise_of_an_implication_is_not_claimed(words: str) -> None:
    name = "softmax-is-a-distribution"
    for indices in ("ij", "12"):
        one, other = indices
        premise, conclusion = f"z_{one} > z_{other}", f"a_{one} > a_{other}"
        right = words.replace("X", premise).replace("Y", conclusion)
        assert status(WEIGHTS + right, name) in {RIGHT, OPEN}
    wrong = words.replace("X", "z_i > z_j").replace("Y", "a_i < a_j")
    assert status(WEIGHTS + wrong, name) == (OPEN if words in VAGUE else WRONG)


def test_an_order_between_two_entries_is_not_meant_for_all_of_them() -> None:
    name = "softmax-is-a-distribution"
    assert status("$z_i > z_j$.", name) == status("$e^{z_i - z_j} > 1$.", name) == OPEN
    assert status("$a_i < 0$.", name) == status(r"$a_i a_j \ge 1$.", name) == WRONG


def test_what_goes_on_behind_a_sign_of_an_implication_is_still_claimed() -> None:
    moments = "Independent components with mean $0$ and variance $1$: "
    text = r"$\operatorname{Var}(q^\top k) = D^2 \implies \sigma = D$."
    assert status(moments + text, "dot-product-variance") == WRONG
    assert status(r"$z_i > z_j$ implies $a_i < a_j$ implies $0 < a_i$.", "softmax-is-a-distribution") == WRONG
    right = r"$\sum_{j=1}^n a_j = 1$. "
    assert status(f"{right} Hence $a_1 = 1$ means that the first token gets all.", "softmax-jacobian") == WRONG
    assert status(f"{right} Hence $a_1 = 2$ implies $a_i > 0$.", "softmax-jacobian") == OPEN
    assert status(f"{right} Thus $z_i > 0$ implies $e^{{z_i}} > 1$.", "softmax-jacobian") == OPEN


@pytest.mark.parametrize("words", ["Since there are at least two terms,", r"For $n \ge 2$,", "With two or more scores"])
def test_two_or_more_scores_are_another_index(words: str) -> None:
    assert status(f"{words} $a_j < 1$.", "softmax-is-a-distribution") == RIGHT
    assert status("$a_j < 1$.", "softmax-is-a-distribution") == OPEN
    assert status(rf"{words} $a_j < \frac12$.", "softmax-is-a-distribution") == WRONG


# Primed quantities ---------------------------------------------------------------------------------

MARKS = [r"{}'", r"{}^{{\prime}}", "{}′", "{}’", r"\tilde {}", r"\hat {}", "{}''"]
PERMUTED = r"Let $\pi$ be a permutation of $\{1,\dots,n\}$. Let "


def marked(text: str, mark: str) -> str:
    """Return a text with a mark on the letters behind @."""
    return re.sub(r"@(\w)", lambda letter: mark.format(letter[1]), text)


@pytest.mark.sample(4)
@pytest.mark.parametrize("mark", MARKS)
def test_a_primed_quantity_is_one_of_the_works_own(mark: str) -> None:
    weights = r"Let $a_i = e^{z_i}/\sum_{l=1}^n e^{z_l}$. "
    for right in (
        "Let $@z_i = z_i + c$. Then $@z_i - @z_j = z_i - z_j$ and $@a_i = a_i$.",
        r"Let $@z_i = z_i + c$. Then $@a_i = e^{@z_i}/\sum_{l=1}^n e^{@z_l} = a_i$.",
        r"Let $@z = z + c\mathbf{1}$. Then $@a = \operatorname{softmax}(@z) = a$.",
        r"Let $@z_i = z_i - m$ and $@a_i = e^{@z_i}$. Then $a_i = @a_i/\sum_{l=1}^n @a_l$.",
    ):
        assert status(marked(weights + right, mark), "softmax-jacobian") == RIGHT, right
    for wrong in (
        "Let $@z_i = z_i + 3$. Then $@z_i - @z_j = z_i + z_j$.",
        "Let $@z_i = 2 z_i$. Then $@a_i = a_i$.",
        r"Let $@z = 2 z$. Then $@a = \operatorname{softmax}(@z) = a$.",
    ):
        assert status(marked(weights + wrong, mark), "softmax-jacobian") == WRONG, wrong
    whole = "Let $@z = 2 z$. Then $@a = a$."
    assert status(marked(weights + whole, mark), "softmax-jacobian") == OPEN


@pytest.mark.parametrize("mark", ["{}'", r"{}^\prime", r"\bar {}"])
def test_permuted_tokens_are_not_claimed_to_be_the_tokens(mark: str) -> None:
    tokens = PERMUTED + r"$@x_i = x_{\pi(i)}$. Then $@q_i = q_{\pi(i)}$, $@v_j = v_{\pi(j)}$"
    assert status(marked(f"{tokens}.", mark), "permutation-equivariance") in {RIGHT, OPEN}
    false = rf"{tokens} and $A_{{ij}} = A_{{ji}}$."
    assert status(marked(false, mark), "permutation-equivariance") == WRONG


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("softmax-jacobian", "$J' = J$.", RIGHT),
        ("softmax-jacobian", "$J' = 2 J$.", WRONG),
        ("softmax-jacobian", r"$J = \operatorname{diag}(a) - a a'$.", RIGHT),
        ("attention-gradients", "$dV = A' dO$.", RIGHT),
        ("key-perturbation", r"$p' = \frac{p e^d}{p e^d + r}$.", RIGHT),
        # A prime may mean a derivative: it is not read, and not left out.
        ("softmax-jacobian", "$a_i' = a_i (1 - a_i)$.", OPEN),
        ("softmax-jacobian", "$L' = L + 1$.", OPEN),
    ],
)
def test_other_primes_are_transposes_or_stay_open(name: str, text: str, expected: int) -> None:
    assert status(text, name) == expected


# Causal sums ---------------------------------------------------------------------------------------

CAUSAL = r"A_{ij} = e^{S_{ij}}/\sum_{l=1}^i e^{S_{il}}"
CAUSAL_WORDS = [
    r"Under the causal mask the weights are $F$ for $j \le i$ and $A_{ij} = 0$ for $j > i$.",
    r"The weights are $F$ for $j \le i$ and $A_{ij} = 0$ for $j > i$.",
    r"$$F = \begin{cases} W & \text{if } j \le i \\ 0 & \text{if } j > i \end{cases}$$",
    r"$$F = \begin{cases} W, & j \le i, \\ 0, & \text{otherwise.} \end{cases}$$",
    r"Mit kausaler Maske ist $F$ für $j \le i$ und $A_{ij} = 0$ für $j > i$.",
    r"Avec le masque causal, $F$ pour $j \le i$ et $A_{ij} = 0$ pour $j > i$.",
    r"在因果掩码下，$F$（$j \le i$），$A_{ij} = 0$（$j > i$）。",
    r"Let $F$ for $j \le i$ and $A_{ij} = 0$ for $i < j$.",
]
CAUSAL_OPEN = [
    r"Each query sees itself and what comes before: $F$ ($j \le i$), and $A_{ij} = 0$ otherwise.",
    r"For $j \le i$ we have $F$. For $j > i$ we have $A_{ij} = 0$.",
    "Row $i$ of a decoder has the weights $F$.",
]


@pytest.mark.sample(4)
@pytest.mark.parametrize("words", [*CAUSAL_WORDS, *CAUSAL_OPEN])
def test_a_sum_up_to_the_own_key_is_that_of_a_causal_row(words: str) -> None:
    head, weights = CAUSAL.split(" = ")
    filled = words.replace("F", head).replace("W", weights) if "cases" in words else words.replace("F", CAUSAL)
    text, name = filled, "causal-independence"
    expected = OPEN if words in CAUSAL_OPEN else RIGHT
    assert status(text, name) == expected
    assert status(rf"{text} Then $\sum_{{j=1}}^i A_{{ij}} = 1$ and $A_{{11}} = 1$.", name) == expected
    assert status(f"{text} Then $A_{{12}} = 0$.", name) in {RIGHT, OPEN}
    assert status(f"{text} Then $A_{{11}} = 2$.", name) == WRONG


@pytest.mark.parametrize("end", ["n-1", "j"])
def test_other_sums_of_a_causal_row_are_wrong(end: str) -> None:
    text = CAUSAL.replace("^i", f"^{{{end}}}")
    assert status(rf"Under the causal mask the weights are ${text}$ for $j \le i$.", "causal-independence") == WRONG
    assert status(r"$a_i = e^{z_i}/\sum_{l=1}^i e^{z_l}$.", "softmax-jacobian") == WRONG


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        (r"\text{in the usual case}", OPEN),
        (r"\text{if } z_i \text{ is large}", OPEN),
        ("i = j", RIGHT),
        ("i < j", WRONG),
    ],
)
def test_nothing_is_refuted_behind_a_condition_that_is_not_read(condition: str, expected: int) -> None:
    rows = rf"a_i (1 - a_i) & {condition} \\ -a_i a_j & \text{{otherwise}}"
    rows = rows if expected != WRONG else rf"a_i (1 - a_i) & {condition}"
    text = rf"$$\frac{{\partial a_i}}{{\partial z_j}} = \begin{{cases}} {rows} \end{{cases}}$$"
    assert status(text, "softmax-jacobian") == expected
