"""Ways of writing that say the same thing: heads by words, factors before products, programs that reuse names."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from symattn.checking.check import check_text
from symattn.checking.report import Finding
from symattn.notation.documents.reader import Format
from symattn.problem.model import Problem

X = np.array([[1, 2, 0], [0, 1, -1], [2, 0, 1]])
W_Q = np.array([[1, 0], [0, 1], [1, 1]])
W_K = np.array([[0, 1], [1, 0], [1, -1]])
W_V = np.array([[2, 0], [0, 1], [1, 3]])
S = (X @ W_Q) @ (X @ W_K).T
SCALED = S / np.sqrt(2)
MASKED = np.where(np.tril(np.ones((3, 3))) > 0, SCALED, -np.inf)

HX = np.array([[1, 0, 2], [0, 1, 1]])
HQ = np.array([[1, 0, 0, 1], [0, 1, 1, 0], [1, 0, 0, 0]])
HK = np.array([[0, 1, 1, 0], [1, 0, 0, 0], [0, 1, 1, 1]])
HV = np.array([[1, 0, 2, 0], [0, 2, 0, 1], [1, 1, 0, 3]])
HO = np.array([[1, 2, 0, 0], [0, 1, 1, 0], [1, 0, 1, 1], [0, 0, 2, 1]])


def softmax(scores: Any) -> Any:
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


def of_head(matrix: Any, head: int) -> Any:
    return matrix[:, 2 * head - 2 : 2 * head]


QUERIES = {head: of_head(HX @ HQ, head) for head in (1, 2)}
SCORES = {head: QUERIES[head] @ of_head(HX @ HK, head).T for head in (1, 2)}
WEIGHTS = {head: softmax(SCORES[head] / np.sqrt(2)) for head in (1, 2)}
OUTPUTS = {head: WEIGHTS[head] @ of_head(HX @ HV, head) for head in (1, 2)}
JOINED = np.hstack([OUTPUTS[1], OUTPUTS[2]])

PLAIN: dict[str, Any] = {
    "tokens": "rows", "projection": "X W", "X": X.tolist(), "W_Q": W_Q.tolist(), "W_K": W_K.tolist(),
    "W_V": W_V.tolist(),
}  # fmt: skip
ONE = Problem.build(**PLAIN)
HALF = Problem.build(**PLAIN, scale="1/2")
UNSCALED = Problem.build(**PLAIN, scale="none")
CAUSAL = Problem.build(**PLAIN, mask="causal")
TWO = Problem.build(
    X=HX.tolist(), W_Q=HQ.tolist(), W_K=HK.tolist(), W_V=HV.tolist(), W_O=HO.tolist(), heads=2, tokens="rows",
    projection="X W",
)  # fmt: skip


def entry(value: float, infinite: str) -> str:
    return infinite if value == -np.inf else f"{value:.3f}"


def shown(matrix: Any) -> str:
    return "[" + ", ".join("[" + ", ".join(entry(value, "-inf") for value in row) + "]" for row in matrix) + "]"


def typeset(matrix: Any) -> str:
    rows = r" \\ ".join(" & ".join(entry(value, r"-\infty") for value in row) for row in matrix)
    return rf"\begin{{pmatrix}}{rows}\end{{pmatrix}}"


def printed(matrix: Any) -> str:
    return np.array2string(matrix * 1.0, precision=3, suppress_small=True)


def findings(problem: Problem, text: str, form: Format = "md") -> list[Finding]:
    return list(check_text(problem, text, form).findings)


def words(problem: Problem, text: str, form: Format = "md") -> list[tuple[str, str | None]]:
    """The verdicts that are more than unchecked, with what each is about."""
    return [(item.verdict, item.name) for item in findings(problem, text, form) if item.verdict != "unchecked"]


def names(problem: Problem, text: str, form: Format = "md") -> set[str | None]:
    """What a work without mistakes states."""
    found = words(problem, text, form)
    assert {verdict for verdict, _ in found} <= {"right", "rounded", "carried"}, found
    return {name for _, name in found}


# Heads -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "line", ["## Head {}", "Head {}", "HEAD {}", "{}) Head {}", "For head {} we get", "Now head {}"]
)
@pytest.mark.parametrize("form", ["md", "txt", "tex"])
def test_a_line_that_only_names_a_head_says_whose_names_follow(line: str, form: Format) -> None:
    if form != "md" and line.startswith("#"):
        return
    parts = []
    for head in (1, 2):
        scores = rf"S = QK^\top = {typeset(SCORES[head])}"
        weights = rf"A = softmax(QK^\top/\sqrt 2) = {typeset(WEIGHTS[head])}"
        formulas = [f"Q = {typeset(QUERIES[head])}", scores, weights]
        marked = [f"\\[ {formula} \\]" if form == "tex" else f"${formula}$" for formula in formulas]
        parts.append("\n\n".join([line.replace("{}", str(head)), *marked]))
    found = names(TWO, "\n\n".join(parts), form)
    assert found == {f"{name}^{head}" for name in "QSA" for head in (1, 2)}


def test_a_head_that_is_named_in_passing_changes_nothing() -> None:
    text = (
        f"Head 1\n\n$Q = {typeset(QUERIES[1])}$\n\nUnlike head 2, the first row is large.\n\n$S = {typeset(SCORES[1])}$"
    )
    assert names(TWO, text) == {"Q^1", "S^1"}


def test_another_heads_numbers_are_wrong_below_such_a_line() -> None:
    found = words(TWO, f"Head 1\n\n$S = QK^\\top = {typeset(SCORES[2])}$")
    assert ("wrong", "S^1") in found


@pytest.mark.parametrize(
    "joined", [r"[H_1\; H_2]", r"[H_1\ H_2]", "[H_1, H_2]", r"[A_1V_1\; A_2V_2]", r"[O^{(1)}\; O^{(2)}]",
               r"\begin{bmatrix} H_1 & H_2 \end{bmatrix}"],
)  # fmt: skip
def test_heads_side_by_side_are_joined_and_no_product(joined: str) -> None:
    assert names(TWO, f"$C = {joined} = {typeset(JOINED)}$") == {"C"}
    assert names(TWO, f"$O = {joined}W_O = {typeset(JOINED @ HO)}$") == {"O"}


def test_heads_in_another_order_are_not_right() -> None:
    found = words(TWO, f"$C = [H_2\\; H_1] = {typeset(JOINED)}$")
    assert "wrong" in {verdict for verdict, _ in found}


# Factors, small letters, words -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "product", [r"\frac12 QK^\top", "0.5 QK^T", r"\frac{1}{\sqrt4} QK^T", r"QK^T \cdot 0.5", r"(QK^\top)\cdot\frac12",
                r"\frac{QK^T}{2}"],
)  # fmt: skip
def test_a_factor_may_stand_before_or_behind_the_product(product: str) -> None:
    assert names(HALF, f"$S = {product} = {typeset(S / 2)}$") == {"S_scaled"}


@pytest.mark.parametrize(
    "factor",
    [
        r"\frac{1}{\sqrt2}",
        r"\frac{1}{\sqrt{d_k}}",
        r"\sqrt{\frac12}",
        "2^{-1/2}",
        "d_k^{-1/2}",
        "d_k^{-0.5}",
        r"(1/2)^{\frac12}",
    ],
)
def test_a_root_may_be_the_factor(factor: str) -> None:
    assert names(ONE, f"$S = {factor} QK^\\top = {typeset(SCALED)}$") == {"S_scaled"}
    assert ("wrong", "S_scaled") in words(ONE, f"$S = {factor} QK^\\top = {typeset(S / 2)}$")


@pytest.mark.parametrize(("letter", "matrix"), [("q", X @ W_Q), ("k", X @ W_K), ("v", X @ W_V)])
@pytest.mark.parametrize("index", ["{21}", "{2,1}"])
def test_small_letters_with_two_indices_are_entries(letter: str, matrix: Any, index: str) -> None:
    cell = f"{letter.upper()}[2,1]"
    assert names(ONE, f"${letter}_{index} = {matrix[1, 0]}$") == {cell}
    assert words(ONE, f"${letter}_{index} = {matrix[1, 0] + 1}$") == [("wrong", cell)]


@pytest.mark.parametrize(
    "formula", [r"q_{ij} = \sum_l x_{il} w_{lj}", r"q_{11} = x_{11} w_{11} + x_{12} w_{21} + x_{13} w_{31} = 1",
                r"q_{11} = x_1 \cdot w_1 = 1", r"o_{11} = a_{11} v_{11} + a_{12} v_{21} + a_{13} v_{31}"],
)  # fmt: skip
def test_letters_of_weight_matrices_are_no_attention_weights(formula: str) -> None:
    assert "wrong" not in {verdict for verdict, _ in words(ONE, f"${formula}$")}


def test_words_side_by_side_are_one_name() -> None:
    assert names(ONE, f"A = softmax(scaled scores) = {shown(softmax(SCALED))}", "txt") == {"A"}


def test_a_word_that_is_not_known_is_no_number() -> None:
    found = words(CAUSAL, f"A = softmax(veiled/sqrt(2)) = {shown(softmax(MASKED))}", "txt")
    assert found == [("rounded", "A")]
    found = words(CAUSAL, f"A = softmax(masked/sqrt(2)) = {shown(softmax(MASKED))}", "txt")
    assert found == [("right", "A"), ("rounded", "A")]


def test_a_sum_belongs_to_the_row_that_its_line_names() -> None:
    text = "Row 1: exp(4) = 54.60, exp(2) = 7.39, exp(3) = 20.09, sum = {}\nRow 3: exp(1) = 2.72, sum = 1153.95"
    assert ("carried", "Z[1]") in words(UNSCALED, text.format("82.08"), "txt")
    assert ("wrong", "Z[1]") in words(UNSCALED, text.format("83.08"), "txt")
    # The line says the row, though another row has this sum.
    assert ("wrong", "Z[1]") in words(UNSCALED, text.format("1153.95"), "txt")


# Masks -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [r"\tilde S", r"\hat S", "S'"])
def test_minus_infinity_stands_among_masked_scores(name: str) -> None:
    text = f"$S = {typeset(S)}$\n\n${name} = {typeset(MASKED)}$\n\n$A = softmax({name}) = {typeset(softmax(MASKED))}$"
    assert names(CAUSAL, text) == {"S", "S_masked", "A"}
    other = MASKED.copy()
    other[2, 0] += 1
    assert ("wrong", "S_masked") in words(CAUSAL, f"${name} = {typeset(other)}$")


def test_a_mask_may_be_added_below_the_fraction_bar() -> None:
    assert names(CAUSAL, rf"$\frac{{QK^T + M}}{{\sqrt 2}} = {typeset(MASKED)}$") == {"S_masked"}
    assert names(CAUSAL, rf"$S_m = \frac{{QK^T + M}}{{\sqrt 2}} = {typeset(MASKED)}$") == {"S_masked"}


@pytest.mark.parametrize("infinite", ["-inf", "−∞", "-∞", r"$-\infty$"])
def test_tables_may_hold_minus_infinity(infinite: str) -> None:
    rows = [" | ".join([f"q{i}", *(entry(value, infinite) for value in row)]) for i, row in enumerate(MASKED, 1)]
    table = "\n".join(f"| {row} |" for row in ["S_masked | k1 | k2 | k3", "---|---|---|---", *rows])
    assert names(CAUSAL, table) == {"S_masked"}


# Names that are used again ------------------------------------------------------------------------------


def test_a_name_may_be_given_what_is_made_of_it() -> None:
    text = f"scores = Q @ K.T = {shown(S)}\nscores = scores / sqrt(2) = {shown(SCALED)}\nA = softmax(scores) = "
    assert names(ONE, text + shown(softmax(SCALED)), "txt") == {"S", "S_scaled", "A"}


@pytest.mark.parametrize("change", ["S = S / np.sqrt(2)", "S /= np.sqrt(2)"])
@pytest.mark.parametrize(
    "weights", ["A = A / A.sum(axis=1, keepdims=True)", "A /= A.sum(-1, keepdims=True)"],
)  # fmt: skip
def test_a_program_may_use_names_again(change: str, weights: str) -> None:
    steps = [("S = Q @ K.T", "S", S), (change, "S", SCALED), ("A = np.exp(S)", "A", np.exp(SCALED)),
             (weights, "A", softmax(SCALED))]  # fmt: skip
    text = "\n".join(f">>> {source}\n>>> {name}\n{printed(value)}" for source, name, value in steps)
    assert names(ONE, text, "txt") == {"S", "S_scaled", "E", "A"}
    wrong = text.replace(printed(softmax(SCALED)), printed(softmax(SCALED).T))
    assert ("wrong", "A") in words(ONE, wrong, "txt")


@pytest.mark.parametrize("source", ["S = S - S.max(axis=1)", "S = fill(S)", "S[0, 1] = 3", "for i in r: S = S + i"])
def test_a_name_whose_new_value_is_not_read_is_not_judged(source: str) -> None:
    text = f">>> S = Q @ K.T\n>>> S = S + 0\n>>> {source}\n>>> S\n{printed(S + 1)}\n"
    assert not {verdict for verdict, _ in words(ONE, text, "txt")} & {"wrong", "follows"}


SUMS = Problem.build(X=[[1, 2], [3, 4]], W_Q=[[1, 0], [0, 1]], W_K=[[1, 0], [0, 1]], W_V=[[1, 1], [0, 2]], b_V=[1, 2])


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        (r"O_1 = \sum_{j=1}^2 A_{1j} V_j", r"O_1 = \sum_{j=1}^2 A_{2j} V_j"),
        (r"O_{11} = \sum_{j=1}^2 A_{1j} V_{j1}", r"O_{11} = \sum_{j=1}^2 A_{1j} V_{j2}"),
        (r"S_{12} = \sum_k Q_{1k} K_{2k}", r"S_{12} = \sum_k Q_{1k} K_{1k}"),
        (r"V_1 = \sum_{r=1}^2 X_{1r} (W_V)_{r} + b_V", r"V_1 = \sum_{r=1}^2 X_{2r} (W_V)_{r} + b_V"),
        (r"V_1 = \sum_{r=1}^2 X_{1r} (W_V)_{r,:} + b_V", r"V_1 = \sum_{r=1}^2 X_{1r} (W_V)_{r,:}"),
    ],
)
def test_a_number_and_a_running_index_may_stand_side_by_side(right: str, wrong: str) -> None:
    for formula, verdict in ((right, "right"), (wrong, "wrong")):
        assert [item.verdict for item in check_text(SUMS, f"${formula}$", "md").findings] == [verdict]
