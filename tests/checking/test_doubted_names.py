"""Numbers that cannot be those of the name beside them: another shape, or other values, is doubt and no mistake."""

from __future__ import annotations

import pytest

from symattn.checking.check import check_text
from symattn.problem.model import Problem

CAUSAL = Problem.build(
    inputs={"Q": [[1, 0], [1, 2], [0, 1]], "K": [[1, 1], [0, 1], [2, 0]], "V": [[2, 4], [6, 8], [0, 2]]},
    mask="causal",
)
"""S_scaled = [0.707 0 1.414; 2.121 1.414 1.414; 0.707 0.707 0], of which the upper triangle is hidden."""

HALF = [["1/2", 0], [0, "1/2"]]
HALVED = Problem.build(inputs={"X": [[1, 2], [0, 1]], "W_Q": [[1, 0], [0, 1]], "W_K": HALF, "W_V": HALF})


def verdicts(problem: Problem, text: str, *, strict: bool = False) -> list[str]:
    return [item.verdict for item in check_text(problem, text, "md", strict=strict).findings]


@pytest.mark.parametrize(
    "text",
    [
        "$A = [0.30, 0.70]$",
        "$V = [2, 4, 6, 8, 0, 2]$",
        "$A_2 = 0.67 [2, 4] + 0.33 [6, 8]$",
        "$O_2 = 0.67 V_2 + 0.33 V_{21}$",
        "$V_2 = 7$",
        "`out = 2 -> 3`",
    ],
)
def test_numbers_of_another_shape_are_no_mistake(text: str) -> None:
    assert "ambiguous" in verdicts(CAUSAL, text)
    assert "wrong" not in verdicts(CAUSAL, text)


@pytest.mark.parametrize(
    "text",
    [
        "$A = [1, 0; 0.67, 0.33]$",
        "$K = [1, 1, 0; 0, 1, 0; 2, 0, 0]$",
        "$Q = [1, 0; 1, 2]$",
        "$S = V Q^T K$",
        "$Q = K^T$",
    ],
)
def test_a_matrix_or_a_formula_of_another_shape_is_one(text: str) -> None:
    assert "wrong" in verdicts(CAUSAL, text)


def test_a_list_of_another_shape_is_one_where_names_are_the_sheets() -> None:
    assert verdicts(CAUSAL, "$A = [0.30, 0.70]$", strict=True) == ["wrong"]


MASKED = r"\begin{bmatrix} 0.707 & -\infty & -\infty \\ 2.121 & 1.414 & -\infty \\ 0.707 & 0.707 & 0.000 \end{bmatrix}"


@pytest.mark.parametrize("name", [r"A_{\text{masked}}", r"P_{\text{masked}}", r"A_{\text{mask}}"])
def test_a_matrix_with_the_values_of_another_quantity_is_no_mistake(name: str) -> None:
    before = r"$A_{\text{raw}} = [1, 0, 2; 3, 2, 2; 1, 1, 0]$ and $A_{\text{scaled}} = S/\sqrt{2}$"
    assert verdicts(CAUSAL, f"## Masking\n\n{before}\n\n${name} = {MASKED}$")[-1] == "ambiguous"
    assert verdicts(CAUSAL, f"${name} = {MASKED.replace('2.121', '2.221')}$")[-1] != "right"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("$d_k = 2$. In large models $d_k = 64$.", ["right", "unchecked", "ambiguous"]),
        ("$d_k = 64$ in large models. Here $d_k = 2$.", ["ambiguous", "unchecked", "right"]),
        ("$d_k = 64$", ["wrong"]),
        ("$d_k = 3$. No, $d_k = 4$.", ["wrong", "unchecked", "wrong"]),
    ],
)
def test_the_size_of_another_model_is_no_mistake(text: str, said: list[str]) -> None:
    assert verdicts(CAUSAL, text) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (r"$W_K = 0.5\,I$", ["right"]),
        (r"$W_K = \frac12 I_2$", ["right"]),
        (r"$W_K = 0.5 \cdot I$", ["right"]),
        (r"$W_K = 0.6 I$", ["wrong"]),
        (r"$W_K = W_V = 0.5 I$", ["right", "right"]),
        (r"$W_Q = W_V$", ["wrong"]),
    ],
)
def test_inputs_are_equal_and_multiples_of_the_identity_by_their_numbers(text: str, said: list[str]) -> None:
    assert verdicts(HALVED, text) == said


@pytest.mark.parametrize(("last", "said"), [("[3.35, 5.35]", "right"), ("[3.53, 5.35]", "wrong")])
@pytest.mark.parametrize("indent", ["", "  "])
def test_lines_with_a_plus_go_on_with_the_sum(indent: str, last: str, said: str) -> None:
    lines = ["$O_2$", "= 0.67 · [2, 4]", f"{indent}+ 0.33 · [6, 8]", f"{indent}+ 0.01 · [3, 3]", f"= {last}"]
    found = verdicts(CAUSAL, "```\n" + "\n".join(lines).replace("$", "") + "\n```")
    assert ("wrong" in found) == (said == "wrong")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("e^2 = 7.389\n-> 8.389", "unchecked"),
        ("[1, 2] → [0.27, 0.73]", "unchecked"),
        ("1 + 2 → 4", "wrong"),
        ("2/√2 → 1.441", "wrong"),
        ("e^2 = 7.389\n= 8.389", "wrong"),
    ],
)
def test_an_arrow_leads_from_working_to_its_value_and_from_a_value_to_any(text: str, said: str) -> None:
    assert check_text(CAUSAL, text, "txt").findings[-1].verdict == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (r"$\mathbf{s} = (1, 2, 1)$", "ambiguous"),
        ("$c = (2, 4, 0)$", "ambiguous"),
        ("$s = (1, 3, 1)$", "wrong"),
        ("$s_1 = 1$", "wrong"),
    ],
)
def test_a_letter_with_the_numbers_of_another_quantity_may_be_that_one(text: str, said: str) -> None:
    keys, values = [[1, 0, 1], [1, 1, 1], [0, 1, -2]], [[1, 0, 1], [2, 0, 1], [3, 1, 0]]
    assert verdicts(Problem.build(Q=[[1, 2, 1]], K=keys, V=values, scale="none"), text) == [said]


@pytest.mark.parametrize("text", ["W_Q = I (2×2)", "W_V = 2·I (2×2)", "Q = X·I", "V = X·2I"])
def test_the_letter_i_may_be_the_identity_though_there_is_an_input(text: str) -> None:
    weights = {"W_Q": [[1, 0], [0, 1]], "W_K": [[1, 1], [0, 1]], "W_V": [[2, 0], [0, 2]]}
    problem = Problem.build(inputs={"X": [[1, 0], [0, 2], [1, 1]], **weights})
    assert "wrong" not in verdicts(problem, f"Input X (3×2)\n\n{text}")


HEADS = Problem.build(
    inputs={"X": [[1, 0, 2, 0], [0, 1, 0, 1]]} | {f"W_{name}": [[int(i == j) for j in range(4)] for i in range(4)]
            for name in "QKV"},
    heads=2,
)  # fmt: skip


@pytest.mark.parametrize("label", ["head {}:", "Head {}:", "- head {}:", "    head {}: "])
def test_the_number_of_a_head_leads_to_what_the_words_above_name(label: str) -> None:
    first, second = label.format(1), label.format(2)
    text = f"Scores divided by sqrt(2):\n\n{first} [[0.707, 0], [0, 0.707]]\n{second} [[2.828, 0], [0, 0.707]]\n"
    assert [item.name for item in check_text(HEADS, text, "md").findings] == ["S_scaled^1", "S_scaled^2"]


RUNNING = Problem.build(Q=[[1, 0, 2, 0]], K=[[2, 1, 0, 0], [0, 1, 1, 0], [1, 0, 1, 1], [0, 2, 3, 0]],
                        V=[[1, 0], [0, 1], [1, 1], [2, 1]], online=2)  # fmt: skip
"""Scores 1, 1, 3/2 and 3: the output before it is divided is (2.3585, 1.3585)."""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("O = 0.1353*[1, 1] + 0.2231*[1, 1] + 1*[2, 1] = [2.3584, 1.3584]", set()),
        ("O = 0.1353*[1, 1] + 0.2231*[1, 1] + 1*[2, 1] = [2.3854, 1.3584]", {"wrong"}),
        ("m = max(-inf, 1.0) = 1.0", set()),
        ("Tile 1\n\nS_tile = [1.0, 1.0]\nm_new = max(-inf, 1.0) = 1.0", set()),
        ("m_1 = max(-inf, 1.0, 1.0) = 1.0", set()),
        ("m_1 = max(-inf, 1.5) = 1.5", {"wrong"}),
    ],
)
def test_running_outputs_and_first_maxima(text: str, said: set[str]) -> None:
    assert {item.verdict for item in check_text(RUNNING, text, "txt").findings} & {"wrong"} == said
