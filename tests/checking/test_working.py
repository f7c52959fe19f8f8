"""Working that people show: complements, quotients behind a sign, other scales; and what is said of mistakes in it."""

from __future__ import annotations

from math import exp, sqrt
from typing import Any

import pytest

from symattn.checking.check import check_text
from symattn.checking.report import HOLDS, Finding, Report
from symattn.problem.model import Problem

INPUTS = {"Q": [[3, -2], [-1, 2], [2, 1]], "K": [[2, 1], [0, 1], [1, 3]], "V": [[-1, 4], [1, 0], [2, 5]]}
"""S = [4 -2 -3; 0 2 5; 5 1 5], to be divided by √2; A = [.979 .014 .007; .025 .104 .870; .486 .029 .486]."""

SCORES = ((4, -2, -3), (0, 2, 5), (5, 1, 5))


def report(*lines: str, inputs: dict[str, Any] = INPUTS, **keys: Any) -> Report:
    problem = Problem.build(**{"tokens": "rows", "inputs": inputs, "rounding": {"places": 3, "steps": "end"}, **keys})
    return check_text(problem, "\n\n".join(lines), "md")


def verdicts(found: Report) -> list[str]:
    return [finding.verdict for finding in found.findings]


def wrong(found: Report) -> Finding:
    return next(finding for finding in found.findings if finding.verdict == "wrong")


def matrix(rows: list[list[float]]) -> str:
    return "[" + "; ".join(", ".join(f"{value:.3f}" for value in row) for row in rows) + "]"


# Complements -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "lines",
    [
        ("$A_{21} = 0.025$, $A_{22} = 0.104$", "$A_{23} = 1 - 0.025 - 0.104 = 0.871$"),
        ("$A_{23} = 1 - (0.025 + 0.104) = 0.871$",),
        ("$A_{23} = 1 - 0.03 - 0.10 = 0.87$",),
        ("$A_{31} = 1 - 0.029 - 0.486 = 0.485$", r"$O_{31} = 0.485 \cdot (-1) + 0.029 + 0.486 \cdot 2 = 0.516$"),
    ],
)
def test_what_the_other_weights_leave_follows_from_no_mistake(lines: tuple[str, ...]) -> None:
    assert set(verdicts(report(*lines))) <= HOLDS


ALMOST = {"Q": [[1, 0]], "K": [[0, 1], [1, 0], [-20, 0]], "V": [[1], [2], [3]]}
"""S = [0 1 -20]: A = [.269 .731 .000]."""


@pytest.mark.parametrize("working", ["1 - 0.269", "1 - 0.269 - 0", "1 - 0.269 - 0.000", "1 - 0 - 0.269"])
def test_a_weight_of_zero_may_be_left_out_of_a_complement(working: str) -> None:
    assert set(verdicts(report(f"$A_{{12}} = {working} = 0.731$", inputs=ALMOST, scale="none"))) <= HOLDS


def test_a_weight_that_is_not_zero_may_not() -> None:
    assert wrong(report("$A_{23} = 1 - 0.025 = 0.975$")).checks.operands is False


def test_a_complement_of_wrong_weights_follows() -> None:
    found = report("$A_{21} = 0.225$, $A_{22} = 0.104$", "$A_{23} = 1 - 0.225 - 0.104 = 0.671$")
    assert verdicts(found) == ["wrong", "rounded", "right", "follows"]


# Signs and scales ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "working", ["-2/1.414", r"-\frac{2}{1.414}", r"-\frac{2}{\sqrt2}", r"-(2/\sqrt{2})", "(-2)/1.414"]
)
def test_a_minus_sign_before_a_quotient_belongs_to_its_numerator(working: str) -> None:
    assert set(verdicts(report(rf"$S_{{\text{{scaled}},12}} = {working} = -1.414$"))) <= HOLDS


@pytest.mark.parametrize("number", [3, 2])
@pytest.mark.parametrize("side", [r"\frac{QK^T}{%s}", r"S_{\text{scaled}} = \frac{QK^T}{%s}", r"S_{\text{scaled}}", ""])
def test_a_wrong_scale_is_named_and_the_rest_follows(number: int, side: str) -> None:
    """√3 is the root of the number of tokens, and 2 is d_k itself."""
    by, text = (sqrt(3), r"\sqrt{3}") if number == 3 else (2.0, "2")
    scaled = [[score / by for score in row] for row in SCORES]
    weights = [[exp(value) / sum(map(exp, row)) for value in row] for row in scaled]
    lines = [f"$A = {matrix(weights)}$"]
    if side:
        lines.insert(0, f"${side % text if '%' in side else side} = {matrix(scaled)}$")
    found = report(*lines)
    first = wrong(found)
    assert first.diagnosis is not None
    assert first.diagnosis.code == ("scale-other" if number == 3 else "scale-d_k")
    assert verdicts(found).count("wrong") == 1, verdicts(found)
    assert not side or verdicts(found)[-1] == "follows"


def test_whole_numbers_that_a_wrong_scale_makes_are_wrong_like_the_others() -> None:
    found = wrong(report(r"$S_{\text{scaled}} = [2, -1, -1.5; 0, 1, 2.5; 2.5, 0.5, 2.5]$"))
    words = [[entry.verdict for entry in row] for row in found.entries or ()]
    assert words == [["wrong"] * 3, ["right", "wrong", "wrong"], ["wrong"] * 3]


def test_what_is_made_of_a_transposed_matrix_follows() -> None:
    turned = [list(row) for row in zip(*SCORES, strict=True)]
    scaled = [[score / sqrt(2) for score in row] for row in turned]
    whole = "; ".join(", ".join(map(str, row)) for row in turned)
    found = report(f"$S = QK^T = [{whole}]$", rf"$QK^T/\sqrt{{2}} = {matrix(scaled)}$")
    assert [word for word in verdicts(found) if word not in HOLDS] == ["wrong", "follows"]
    said = wrong(found).explanation
    assert "transposed" in said
    assert "left out" not in said


def test_a_cause_is_told_once() -> None:
    scaled = [[score / 2 for score in row] for row in SCORES]
    said = wrong(report(rf"$S_{{\text{{scaled}}}} = {matrix(scaled)}$")).explanation
    assert said.count("divided by d_k") == 1


# What is said ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (r"$O_{12} = 0.979 \cdot 4 + 0.014 \cdot 0 = 3.916$", "The term with A[1,3] and V[3,2] is missing."),
        (r"$O_{21} = 0.979 \cdot (-1) + 0.014 \cdot 1 + 0.007 \cdot 2 = -0.951$", "Row 1 of A was used for row 2."),
        (r"$S_{32} = 2 \cdot 2 + 1 \cdot 1 = 5$", "Row 1 of K was used for row 2."),
        ("$A_{13} = 0.07$", "decimal point"),
        ("$A_{21} = 0.25$", "decimal point"),
        (r"$S_{12} = 0 - (-2) = 2$", "not what it stands for, -2"),
        (r"$q_1 k_2^T = 2$", "-2"),
        (r"$3 \cdot 0 + (-2) \cdot 1 = 2$", "-2"),
    ],
)
def test_a_mistake_is_explained(line: str, said: str) -> None:
    assert said in wrong(report(line)).explanation


def test_small_numbers_are_shown_as_they_are_written() -> None:
    """A = 1/(1 + e^28) = 6.914e-13."""
    inputs = {"Q": [[0, 28]], "K": [[1, 1], [2, 2]], "V": [[1], [2]]}
    said = wrong(report("$A_{11} = 6.8967e-13$", inputs=inputs, scale="none")).explanation
    assert "6.914" in said
    assert "0.00000" not in said


def test_the_mark_stands_at_the_first_number_that_is_out_of_order() -> None:
    """Two products alike: it is the first that is out of place, not the one that is in its place."""
    line = r"$S_{11} = 1 \cdot 2 + (-2) \cdot 1 + 0 \cdot 3 + 2 \cdot 1 = 2$"
    inputs = {"Q": [[1, -2, 0, 2]], "K": [[0, 1, 3, 1]], "V": [[1]]}
    found = wrong(report(line, inputs=inputs, scale="none"))
    assert found.culprit is not None
    assert found.culprit.start == line.index("2 + (-2)")


def test_the_first_mistake_is_at_hand() -> None:
    found = report("$S_{11} = 5$", "$S_{12} = -2$")
    assert found.first_mistake == 0
    assert found.first is found.findings[0]
    assert report("$S_{11} = 4$").first is None


# A difference of three terms, and a closed form of one -------------------------------------------------

NORM = {
    "heads": 2, "kv_heads": 1, "beta": "3/2", "tokens": "columns",
    "block": {"norm": "layer", "placement": "post", "eps": "1/10"}, "gradient": {"dY": [[-1, 0], [1, -1]]},
    "rounding": {"places": 1, "steps": "all"},
}  # fmt: skip
OF_NORM = {"X": [[1, 0], [0, 0]], "W_Q": [[-1, 0], [-1, 1]], "W_K": [[0, 1]], "W_V": [[-1, -1]]}
"""Of token 1 the deviation is 0.5: N = 0.5/√0.35 = 0.8 for 0.845, var = 0.25 = 0.3, rho = 0 and tau = -0.845 = -0.8."""


@pytest.mark.parametrize(
    ("above", "verdict"),
    [
        ("-1 - 0 - 0.8 * (-0.8)", "right"),
        ("-1 - 0.8 * (-0.8)", "right"),
        ("-1 - 0 - 0.8 * (-0.7)", "wrong"),
        ("-1 - 0 - 0.8 * 0.8", "wrong"),
        ("-1 + 0.3 - 0.8 * (-0.8)", "wrong"),
    ],
)
def test_operands_of_a_difference_of_three_terms_are_compared_one_by_one(above: str, verdict: str) -> None:
    problem = Problem.build(inputs=OF_NORM, **NORM)
    line = rf"$(\mathrm{{dR}}_1)_{{11}} = ({above}) / \sqrt{{0.3 + \epsilon}}$"
    (found,) = check_text(problem, line.replace("*", r"\cdot"), "md", strict=True).findings
    assert found.verdict == verdict
    assert found.checks.operands is (verdict == "right")


@pytest.mark.parametrize(
    ("value", "verdict"), [("-3 e^{-1/2}", "right"), ("-2 e^{-1/2}", "wrong"), ("-3 e^{1/2}", "wrong")]
)
@pytest.mark.parametrize("strict", [False, True])
def test_the_value_of_a_sum_is_a_multiple_of_one_exponential(value: str, verdict: str, *, strict: bool) -> None:
    """Scores 0, -1/2, -1/2, -1/2 and 0, values 0, -1, -1, -1 and 0, four keys and one: what is summed stays."""
    inputs = {"Q": [[1]], "K": [[0], ["-1/2"], ["-1/2"], ["-1/2"], [0]], "V": [[0], [-1], [-1], [-1], [0]]}
    problem = Problem.build(inputs=inputs, scale="none", online=4, parts=[{"asks": "online"}])
    line = rf"$o_{{11}}^{{(2)}} = o_{{11}}^{{(1)}} \cdot e^{{0 - 0}} + e^{{0 - 0}} \cdot 0 = {value}$"
    found = check_text(problem, line, "md", strict=strict).findings
    assert [item.verdict for item in found] == ["right", verdict]


@pytest.mark.parametrize(("total", "verdict"), [("1.368", "right"), ("1.386", "wrong")])
@pytest.mark.parametrize(("tokens", "entry"), [("rows", "23"), ("columns", "32")])
def test_outputs_are_divided_at_the_end_by_the_sum_of_their_query(
    tokens: str, entry: str, total: str, verdict: str
) -> None:
    """Scores 0, 0 and 1, 2: the third output of the second token, of two, is (0·e^-1 + 1) / (e^-1 + 1)."""
    matrices = {"Q": [[0], [1]], "K": [[1], [2]], "V": [[3, 1, 0], [4, 2, 1]]}
    if tokens == "columns":
        matrices = {name: [list(line) for line in zip(*rows, strict=True)] for name, rows in matrices.items()}
    problem = Problem.build(inputs=matrices, scale="none", tokens=tokens, online=1)
    found = check_text(problem, rf"$O_{{{entry}}} = \frac{{0.368 \cdot 0 + 1}}{{{total}}}$", "md").findings
    assert [item.verdict for item in found] == [verdict]


@pytest.mark.parametrize(
    ("line", "word"),
    [
        (r"$O_{11} = \frac{e^{-8} \cdot 1 + 2 e^{-9} \cdot 3}{Z_1}$", "right"),
        (r"$O_{11} = \frac{e^{-8} + 6 e^{-9}}{Z_1}$", "right"),
        (r"$O_{11} = \frac{e^{-8} + 7 e^{-9}}{Z_1}$", "undecided"),
    ],
)
@pytest.mark.parametrize("strict", [False, True])
def test_a_row_sum_that_is_shown_as_zero_stands_for_its_value(line: str, word: str, *, strict: bool) -> None:
    """Scores -8, -9 and -9, values 1, 3 and 3: over the number 0.00 itself nothing can be worked out."""
    inputs = {"Q": [[-1]], "K": [[8], [9], [9]], "V": [[1], [3], [3]]}
    problem = Problem.build(inputs=inputs, scale="none", rounding={"places": 2, "steps": "end"})
    found = check_text(problem, f"$Z_1 = 0.00$\n\n{line}", "md", strict=strict).findings
    assert [item.verdict for item in found] == ["rounded", word]


@pytest.mark.parametrize(
    ("working", "verdict"),
    [
        (r"(4 - 2\sqrt{2}) + 0.140", "right"),
        (r"(4 - 2\sqrt{2}) + 0.410", "wrong"),
        (r"(4 - 3\sqrt{2}) + 0.140", "wrong"),
    ],
)
def test_a_closed_form_in_brackets_is_one_term_of_a_sum(working: str, verdict: str) -> None:
    """X_11 = 4 - 2√2, O_11 = X_11 / (1 + e^2) = 0.140."""
    own: dict[str, Any] = {"W_Q": [[1, 0], [0, 1]], "W_K": [[0, 0], [0, 1]], "W_V": [[1, 0], [0, 1]]}
    inputs = {"X": [["4 - 2*sqrt(2)", 1], [0, 3]], **own}
    found = report(f"$(R_1)_{{11}} = {working}$", inputs=inputs, scale="none", block={"norm": "none"})
    assert verdicts(found) == [verdict]


@pytest.mark.parametrize(("row", "verdict"), [(1, "right"), (2, "wrong")])
def test_a_strict_sheet_wants_the_sum_of_the_own_row(row: int, verdict: str) -> None:
    """Both row sums are e + e^2."""
    problem = Problem.build(Q=[[1, 2], [2, 1]], K=[[1, 0], [0, 1]], V=[[3], [1]], scale="none", rounding={"places": 3})
    (found,) = check_text(problem, f"$A_{{11}} = e^1/Z_{row}$", "md", strict=True).findings
    assert found.verdict == verdict


def test_working_that_defines_one_part_speaks_against_others() -> None:
    """Row 2 of the output is (1, 1), and so are the visible scores of query 2."""
    problem = Problem.build(
        Q=[[1, 0], [0, 1], [1, 1]], K=[[1, 1], [0, 1], [2, 0]], V=[[2, 0], [0, 2], [4, 4]], mask="causal"
    )
    text = "waga 1, wyjście (2, 0)\n\nq2·k1 = 1, q2·k2 = 1\n\nwyjście 0.5*(2, 0) + 0.5*(0, 2) = (1, 1)"
    found = [item.name for item in check_text(problem, text, "txt").findings if item.verdict == "right"]
    assert found == ["S[2,1]", "S[2,2]", "O[2,:]", "O[2,:]"]
