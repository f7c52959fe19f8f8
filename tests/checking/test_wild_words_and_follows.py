"""Words and signs that people use for several things, and what follows from a mistake: right works and wrong twins."""

from __future__ import annotations

from typing import Any

import pytest

from symattn.checking.check import check_text
from symattn.checking.report import Report
from symattn.notation.documents.reader import Format
from symattn.problem.model import Problem

# Scores [[1, 0], [1, 2]]; scaled [[0.707, 0], [0.707, 1.414]]; weights [[0.670, 0.330], [0.330, 0.670]].
GIVEN: dict[str, Any] = {"Q": [[1, 0], [0, 1]], "K": [[1, 1], [0, 2]], "V": [[1, 0], [0, 4]]}
PLAIN = Problem.build(**GIVEN)
CAUSAL = Problem.build(**GIVEN, mask="causal")
PADDED = Problem.build(**GIVEN, mask={"keep": [[1, 0]]})
# Scaled scores (√3, 1/√3, 1/√3).
SINGLE = Problem.build(Q=[[1, 1, 0]], K=[[2, 1, 0], [0, 1, 5], [1, 0, 0]], V=[[1, 2], [3, 4], [5, 6]])
ONE_QUERY = Problem.build(Q=[[1, 2]], K=[[1, 0], [0, 1], [1, 1]], V=[[1, 0], [0, 1], [1, 1]], scale="none")
LARGE = Problem.build(Q=[[13]], K=[[1], [0]], V=[[1], [2]], scale="1/sqrt(2)")
PROJECTED = Problem.build(X=[[1, 1]], W_Q=[[1, 0], [0, 1]], W_K=[[1, 0], [0, 1]], W_V=[[1, 2], [0, 1]])

BAD = {"wrong", "truncated", "unread"}


def report(problem: Problem, text: str, form: Format = "txt") -> Report:
    return check_text(problem, text, form)


def bad(problem: Problem, text: str, form: Format = "txt") -> list[str | None]:
    return [item.name for item in report(problem, text, form).findings if item.verdict in BAD]


def verdicts(problem: Problem, text: str, form: Format = "txt") -> list[tuple[str, str | None]]:
    return [(item.verdict, item.name) for item in report(problem, text, form).findings]


SHIFTED = "Subtract the max: [0.0000, {}, -1.1547]\nExponentiate: [1.0000, {}, 0.3152]\nSum: {}"
NAMED = "s - max(s) = [0.0000, {}, -1.1547]\nexp(s - max(s)) = [1.0000, {}, 0.3152]\nsum = {}"
MASKED = "masked = [[1, {0}], [1, 2]]\nmasked / sqrt(2) = [[0.707, {0}], [0.707, 1.414]]\nweights = [[1, 0], {1}]"
SAID = "Masked scores (before scaling):\n\n[[1, -inf], [1, {}]]\n"
TYPED = "// scores / sqrt(2)\nstd::vector<std::vector<float>> scores = {{{{0.7071f, 0.0000f}}, {{0.7071f, {}f}}}};"

TWINS: list[tuple[str, Problem, str, tuple[str, ...], tuple[str, ...], str | None]] = [
    ("shifted in words", SINGLE, SHIFTED, ("-1.1547", "0.3152", "1.6304"), ("-1.1547", "0.3152", "1.7304"), "Z"),
    ("shifted, exponential", SINGLE, SHIFTED, ("-1.1547", "0.3152", "1.6304"), ("-1.1547", "0.3352", "1.6504"), "E"),
    ("shifted by a formula", SINGLE, NAMED, ("-1.1547", "0.3152", "1.6304"), ("-1.25", "0.3152", "1.6304"), "shifted"),
    ("masked first", CAUSAL, MASKED, ("-inf", "[0.330, 0.670]"), ("-inf", "[0.430, 0.570]"), "A"),
    ("masked first by a number", CAUSAL, MASKED, ("-1e9", "[0.330, 0.670]"), ("-1e9", "[0.430, 0.570]"), "A"),
    ("masked first in words", CAUSAL, SAID, ("2",), ("3",), "S_masked"),
    ("digits behind", LARGE, "exp(9.1924) = {}", ("9822.08",), ("9882.08",), "E[1,1]"),
    ("mask in a row", PADDED, "mask = {}", ("[1, 0]",), ("[1, 1]",), "M"),
    ("padding mask", PADDED, "padding mask = {}", ("[0, 1]",), ("[0, 0]",), "M"),
    ("dots with spaces", ONE_QUERY, "e_1 = s . h_1 = 1*1 + 2*0 = {}", ("1",), ("2",), "S[1,1]"),
    ("angles", PLAIN, "<q1, k1> = 1, <q2, k2> = {}", ("2",), ("3",), "S[2,2]"),
    ("angles and a scale", PLAIN, "<q_2, k_2>/sqrt(2) = {}", ("1.41",), ("1.51",), "S_scaled[2,2]"),
    ("a number for infinity", CAUSAL, "masked = [[0.71, -10^9], [0.71, {}]]", ("1.41",), ("1.51",), "S_masked"),
    ("rows in brackets", PLAIN, "Q * K^T =\n  [  1   0 ]\n  [  1   {} ]", ("2",), ("3",), "S"),
    ("rows in round ones", PLAIN, "A = softmax(S/sqrt(2)) =\n (0.67 0.33)\n (0.33 {})", ("0.67",), ("0.57",), "A"),
    ("weights as scores", PLAIN, "Attention scores = softmax(QK^T/sqrt(d_k)) = [[0.67, 0.33], [{}]]", ("0.33, 0.67",),
     ("0.43, 0.57",), "A"),
    ("C++", PLAIN, TYPED, ("1.4142",), ("1.5142",), "S_scaled"),
    ("sums of decimals", PLAIN, "0.67 + {} = 1", ("0.34",), ("0.43",), None),
    ("thirds", PLAIN, "0.3 + 0.3 + {} = 1", ("0.3",), ("0.1",), None),
]  # fmt: skip


@pytest.mark.parametrize(
    ("problem", "text", "right", "wrong", "name"), [twin[1:] for twin in TWINS], ids=[twin[0] for twin in TWINS]
)
def test_right_ways_and_their_wrong_twins(
    problem: Problem, text: str, right: tuple[str, ...], wrong: tuple[str, ...], name: str | None
) -> None:
    assert bad(problem, text.format(*right)) == []
    found = report(problem, text.format(*wrong))
    assert found.first is not None
    assert found.first.name == name


@pytest.mark.parametrize(
    "text",
    [
        "attn = F.softmax(scores, dim=-1)",
        "attn = scores.softmax(dim=-1)",
        "attn_weights = nn.functional.softmax(attn_scores, -1)",
        "scores = Q @ K.T / math.sqrt(2)\nattn = F.softmax(scores, dim=-1)",
        "attn = (Q @ K.T / math.sqrt(2)).softmax(dim=-1)",
        "attn_scores = Q @ K.T\nattn = softmax(attn_scores / d_k**0.5, dim=-1)",
        "scores = [[0.707, 0], [0.707, 1.414]]\nattn = softmax(scores)",
    ],
)
def test_scores_of_which_nothing_else_is_said_may_be_scaled(text: str) -> None:
    assert set(verdicts(PLAIN, text)) <= {
        ("right", "A"),
        ("right", "S"),
        ("right", "S_scaled"),
        ("rounded", "S_scaled"),
    }


@pytest.mark.parametrize("first", ["scores = Q @ K.T", "scores = [[1, 0], [1, 2]]"])
def test_scores_that_were_said_to_be_unscaled_are_not(first: str) -> None:
    assert bad(PLAIN, f"{first}\nattn = F.softmax(scores, dim=-1)") == ["A"]


def test_unscaled_scores_that_lead_to_wrong_weights_were_not_masked_first() -> None:
    found = report(CAUSAL, "masked scores = [[1, -inf], [1, 2]]\nweights = [[1, 0], [0.269, 0.731]]")
    assert found.first is not None
    assert found.first.name == "S_masked"


@pytest.mark.parametrize(
    ("text", "verdict", "name"),
    [("e^0.71 = 2.03, e^1.41 = 4.10, sum = 6.13", "carried", "Z[2]"),
     ("e^0.71 = 2.03, e^1.41 = 4.10, sum = 6.53", "wrong", "Z"), ("sum = 6.53", "ambiguous", "Z")],
)  # fmt: skip
def test_a_sum_of_exponentials_that_were_written_before_it(text: str, verdict: str, name: str) -> None:
    assert verdicts(PLAIN, text)[-1] == (verdict, name)


# What follows ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("S = [[1, 0], [1, 3]]\nsqrt(2) = 1.414\nS/sqrt(2) = [[0.707, 0], [0.707, 2.121]]", "S"),
        ("S = [[1, 0], [1, 3]]\nsqrt(2) = 1.414\nexp = [[2.028, 1], [2.028, 8.342]]", "S"),
        ("S = [[1, 0], [1, 3]]\n1/sqrt(2) = 0.707\n0.707 S = [[0.707, 0], [0.707, 2.121]]", "S"),
        ("K = [[1, 1], [0, 3]]\nQK^T/sqrt(d_k) = 1/sqrt(2) [[1, 0], [1, 3]] = [[0.71, 0], [0.71, 2.12]]", "K"),
    ],
)
def test_what_follows_from_a_mistake_is_no_mistake(text: str, name: str) -> None:
    assert bad(PLAIN, text) == [name]
    assert "follows" in {verdict for verdict, _ in verdicts(PLAIN, text)}


def test_a_number_that_does_not_follow_is_a_mistake() -> None:
    text = "K = [[1, 1], [0, 3]]\nQK^T/sqrt(d_k) = 1/sqrt(2) [[1, 0], [1, 4]] = [[0.71, 0], [0.71, 2.83]]"
    assert bad(PLAIN, text) == ["K", "S_scaled"]


def test_decimal_commas_follow_too() -> None:
    text = (
        r"$A = \begin{bmatrix} 0,670 & 0,330 \\ 0,430 & 0,570 \end{bmatrix}$, "
        r"$O = A V = \begin{bmatrix} 0,670 & 1,320 \\ 0,430 & 2,280 \end{bmatrix}$"
    )
    assert bad(PLAIN, text, "md") == ["A"]


@pytest.mark.parametrize("text", ["v1 = [1, 1]", "V = [[1, 1]]"])
def test_a_cause_gives_every_number_of_its_row(text: str) -> None:
    found = report(PROJECTED, text).first
    assert found is not None
    assert found.diagnosis is None or found.diagnosis.code != "no-transpose"


def test_a_cause_that_gives_every_number_of_its_row_is_named() -> None:
    found = report(PROJECTED, "v1 = [3, 1]").first
    assert found is not None
    assert found.diagnosis is not None
    assert found.diagnosis.code in {"no-transpose", "wrong-entry"}


# Rounded on the way ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("problem", "text", "verdict"),
    [
        # 2/1.41 and 2 · 0.707: the root was rounded to as many places, whether it was written or not.
        (PLAIN, "S_scaled = [[0.71, 0.00], [0.71, 1.42]]", "carried"),
        (PLAIN, "S_scaled = [[0.71, 0.00], [0.71, 1.43]]", "wrong"),
        # 0.61 · 1 + 0.19 · 3 + 0.19 · 5, of weights 0.6134 and twice 0.1933.
        (SINGLE, "O = [[2.13, 3.12]]", "carried"),
        (SINGLE, "O = [[2.13, 3.02]]", "wrong"),
    ],
)
def test_operands_that_were_rounded_to_the_places_of_the_result(problem: Problem, text: str, verdict: str) -> None:
    assert [item for item, _ in verdicts(problem, text)] == [verdict]


@pytest.mark.parametrize(("size", "wrong"), [("d_k = 1", 0), ("d_k = 4", 1)])
def test_a_size_of_one_where_nothing_is_scaled(size: str, wrong: int) -> None:
    assert len(bad(ONE_QUERY, size)) == wrong


@pytest.mark.parametrize(("number", "name"), [("9", None), ("8", "S[2,:]")])
def test_a_word_under_the_heading_of_a_row_is_about_that_row(number: str, name: str | None) -> None:
    problem = Problem.build(Q=[[1, 1], [3, 0]], K=[[3, -1], [3, 0]], V=[[2, 2], [1, 3]])
    found = report(problem, f"Row 2:\nScores: [9, {number}]\nScaled: [6.36, 6.36]\n").first
    assert (None if found is None else found.name) == name


MASKING = "scores = Q @ K.T\nscores = {}\nattn = {}\ntensor([[1.00, 0.00], [{}]])\n"


@pytest.mark.parametrize(
    "masked",
    [
        "scores.masked_fill(mask == 0, float('-inf'))",
        "scores.masked_fill(mask.bool(), -torch.inf)",
        "np.where(mask == 0, -np.inf, scores)",
        "torch.where(mask, scores, -1e9)",
    ],
)
def test_programs_that_mask_before_they_scale(masked: str) -> None:
    scaled = "torch.softmax(scores / keys.shape[-1]**0.5, dim=-1)"
    assert bad(CAUSAL, MASKING.format(masked, scaled, "0.33, 0.67")) == []
    assert bad(CAUSAL, MASKING.format(masked, scaled, "0.43, 0.57")) == ["A"]
    assert bad(CAUSAL, MASKING.format(masked, "scores.softmax(dim=-1)", "0.33, 0.67")) == ["A"]
