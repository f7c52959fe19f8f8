"""Forms in which people hand work in are read like the plain ones: consoles, dots, labels, names of their own."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from symattn.checking.check import check_text
from symattn.checking.report import HOLDS, Finding, Report
from symattn.problem.model import Problem

INPUTS = {
    "X": [[1, 0, 2], [0, 1, -1], [2, 1, 0]], "W_Q": [[1, 0], [0, 1], [1, -1]], "W_K": [[0, 1], [1, 1], [1, 0]],
    "W_V": [[1, 2], [0, 1], [-1, 1]],
}  # fmt: skip
Q, K, V = [[3, -2], [-1, 2], [2, 1]], [[2, 1], [0, 1], [1, 3]], [[-1, 4], [1, 0], [2, 5]]
S = [[sum(a * b for a, b in zip(q, k, strict=True)) for k in K] for q in Q]
SCALED = [["2.828", "-1.414", "-2.121"], ["0", "1.414", "3.536"], ["3.536", "0.707", "3.536"]]
A = [["0.979", "0.014", "0.007"], ["0.025", "0.104", "0.870"], ["0.486", "0.029", "0.486"]]
O = [["-0.951", "3.951"], ["1.820", "4.453"], ["0.514", "4.371"]]
VALUES: dict[str, list[list[Any]]] = {"Q": Q, "K": K, "V": V, "S": S, "S_scaled": SCALED, "A": A, "O": O}


SHEET: dict[str, Any] = {"scale": "1/sqrt(d_k)", "rounding": {"places": 3, "steps": "end"}, "inputs": INPUTS}
PLAIN = Problem.build(**SHEET)


def report(text: str, form: str = "txt", **tables: Any) -> Report:
    problem = Problem.build(**{**SHEET, **tables}) if tables else PLAIN
    return check_text(problem, text, form)  # type: ignore[arg-type]


def said(text: str, form: str = "txt", **tables: Any) -> list[Finding]:
    return [finding for finding in report(text, form, **tables).findings if finding.verdict != "unchecked"]


def names(found: list[Finding]) -> list[str | None]:
    return [finding.name for finding in found]


def hold(found: list[Finding]) -> bool:
    return bool(found) and all(finding.verdict in HOLDS for finding in found)


def rows(name: str, *, spaced: bool = True) -> str:
    lines = ["[" + (" " if spaced else ", ").join(map(str, row)) + "]" for row in VALUES[name]]
    return "[" + ("\n " if spaced else ",\n ").join(lines) + "]"


def spoilt(text: str, old: str, new: str) -> str:
    assert text.count(old) >= 1
    return text.replace(old, new, 1)


# Consoles -------------------------------------------------------------------------------------------

PROMPTS = [
    ">>> {}\n{}\n",
    ">>> print({})\n{}\n",
    "In [3]: {}\nOut[3]: {}\n\n",
    "In [3]: {}\nOut[3]:\n{}\n\n",
    ">>> {}\narray({})\n",
]


@pytest.mark.parametrize("form", ["txt", "md"])
@pytest.mark.parametrize("prompt", PROMPTS)
@pytest.mark.parametrize("name", ["Q", "A", "O"])
def test_what_a_console_prints_is_what_was_typed(name: str, prompt: str, form: str) -> None:
    printed = rows(name, spaced="array" not in prompt)
    found = said(prompt.format(name, printed), form)
    assert names(found) == [name]
    assert hold(found)
    last = str(VALUES[name][-1][-1])
    wrong = prompt.format(name, printed[: printed.rindex(last)] + "9" + printed[printed.rindex(last) + len(last) :])
    assert [finding.verdict for finding in said(wrong, form)] == ["wrong"]


@pytest.mark.parametrize("form", ["txt", "md"])
def test_a_console_in_a_row(form: str) -> None:
    parts = [f">>> {name}\n{rows(name)}" for name in ("Q", "K", "V")]
    parts.append(f">>> scores = Q @ K.T / np.sqrt(2)\n>>> scores\n{rows('S_scaled')}")
    parts.append(f">>> A = softmax(scores)\n>>> np.round(A, 3)\n{rows('A')}\n>>> A @ V\n{rows('O')}")
    text = "\n".join(parts)
    found = said(f"```python\n{text}\n```" if form == "md" else text, form)
    assert hold(found)
    assert {"Q", "K", "V", "S_scaled", "A", "O"} <= set(names(found))
    assert "wrong" in {finding.verdict for finding in said(spoilt(text, "4.453", "4.543"), form)}


@pytest.mark.parametrize(
    "text",
    [
        ">>> Q.shape\n(3, 2)",
        ">>> Q[1]\narray([-1, 2])",
        ">>> (Q @ K.T)[0, 1]\n-2",
        ">>> for r in Q: print(r)\n[9 -2]\n[-1 2]\n[2 1]",
        ">>> S = np.eye(3)\n>>> S = S + 1\n>>> S\n[[2 1 1]\n [1 2 1]\n [1 1 2]]",
        ">>> S /= 2\n>>> S\n[[2 1 1]\n [1 2 1]\n [1 1 2]]",
        ">>> def f(x):\n...     Q = x + 1\n...     return Q\n...\n>>> f(1)\n2",
        ">>> import numpy as np",
    ],
)
def test_what_a_program_does_not_say_is_held_against_nobody(text: str) -> None:
    assert {finding.verdict for finding in report(text).findings} <= {"unchecked", "right"}


# Inner products -------------------------------------------------------------------------------------

DOTS = {
    "txt": ["q_{i} . k_{j}", "q{i} . k{j}", "q{i}·k{j}", "q_{i}^T k_{j}", "k_{j} . q_{i}", "q_{i} * k_{j}^T"],
    "md": [
        r"$q_{i} \cdot k_{j}", r"$\langle q_{i}, k_{j}\rangle", r"$q_{i}^\top k_{j}", r"$q_{i} k_{j}^T",
        r"$\vec q_{i} . \vec k_{j}",
    ],
}  # fmt: skip


@pytest.mark.parametrize(("form", "dot"), [(form, dot) for form, dots in DOTS.items() for dot in dots])
def test_an_inner_product_is_an_entry_of_the_scores(form: str, dot: str) -> None:
    end = "$" if form == "md" else ""
    lines = [f"{dot.format(i=i + 1, j=j + 1)} = {S[i][j]}{end}" for i, j in product(range(3), range(3))]
    parts = [{"asks": "scores"}]
    whole = report("\n\n".join(lines), form, parts=parts)
    assert hold([item for item in whole.findings if item.verdict != "unchecked"])
    assert not whole.missing
    wrong = report("\n\n".join([*lines[:5], lines[5].replace("5", "6"), *lines[6:]]), form, parts=parts)
    assert [(item.name, item.verdict) for item in wrong.findings if item.verdict not in HOLDS] == [("S[2,3]", "wrong")]


@pytest.mark.parametrize(
    "text", ["q1·k1/sqrt(2) = 2.828", r"$\frac{q_1\cdot k_1}{\sqrt2} = 2.828$", "q_1 . k_1/sqrt(2) = 2.828"]
)
def test_a_scaled_inner_product_is_a_scaled_score(text: str) -> None:
    assert set(names(said(text, "md"))) == {"S_scaled[1,1]"}
    assert hold(said(text, "md"))


def test_working_of_an_inner_product_is_compared_with_its_operands() -> None:
    found = said("q_3 . k_2 = 2*2 + 1*1 = 5")
    assert [item.verdict for item in found] == ["wrong", "follows"]
    assert found[0].name == "S[3,2]"


def test_a_full_stop_between_sentences_is_no_product() -> None:
    assert hold(said("Here S_11 = 4. Q_11 = 3 is known. So S_12 = -2. K_12 = 1."))


# Labels, names, primes ------------------------------------------------------------------------------

LABELS = [
    "Step 6 {}", "Step 6. {}", "Step 6) {}", "Step 6 - {}", "**Step 6** {}", "**Step 6.** {}", "Part b {}", "Q3b {}",
    "Task 2) {}", "- **Step 6** {}", "**Output 3** {}", "Token 3 {}", "Row 3: {}",
    "Schritt 6 {}", "**Étape 6.** {}", "Paso 6) {}", "Passo 6 - {}", "Шаг 6. {}", "Adım 6 {}", "Zeile 3 {}",
]  # fmt: skip


@pytest.mark.parametrize("form", ["txt", "md"])
@pytest.mark.parametrize("label", LABELS)
def test_a_label_does_not_swallow_its_statement(label: str, form: str) -> None:
    assert names(said(label.format("O_3 = (0.514, 4.371)"), form)) == ["O[3,:]"]
    assert [item.verdict for item in said(label.format("O_3 = (0.541, 4.371)"), form)] == ["wrong"]


def test_the_line_that_a_label_names_is_not_lost() -> None:
    first = ", ".join(VALUES["A"][0])
    assert not any(item.verdict in HOLDS for item in said(f"Row 2 A = ({first})"))


NAMINGS = [
    ("Let $G = QK^T$.", "S"), ("We write $G$ for the scores.", "S"), ("Let $G$ denote the score matrix.", "S"),
    ("We call the raw scores $G$.", "S"), ("## Scores (call them G)", "S"), ("## Scores G", "S"),
    ("## Attention scores (G)", "S"), ("The scores are called $G$.", "S"), (r"$G = \frac{QK^T}{\sqrt2}$", "S_scaled"),
    ("Here $G$ are the attention weights.", "A"), ("## Attention weights G", "A"), ("$G = AV$", "O"),
]  # fmt: skip


@pytest.mark.parametrize(("naming", "name"), NAMINGS)
def test_a_name_that_the_work_gives_is_used(naming: str, name: str) -> None:
    value = VALUES[name][1][1]
    found = said(f"{naming}\n\n$G_{{22}} = {value}$", "md")
    assert found[-1].name == f"{name}[2,2]"
    assert found[-1].verdict in HOLDS
    assert said(f"{naming}\n\n$G_{{22}} = {value}7$", "md")[-1].verdict == "wrong"


@pytest.mark.parametrize("naming", ["Let $A$ denote the scores.", "## Weight matrices G", "$G$ is nice.", "## Part G"])
def test_no_other_words_give_a_name(naming: str) -> None:
    found = said(f"{naming}\n\n$A_{{11}} = 0.979$, $G_{{12}} = 77$", "md")
    assert [(item.name, item.verdict) for item in found] == [("A[1,1]", "rounded")]


@pytest.mark.parametrize(
    "text",
    [
        "S'_12 = -2/sqrt(2) = -1.414", "s_12 = -2/sqrt(2) = -1.414", "s'_12 = -1.414", "S'_{12} = -1.414",
        f"S' = {rows('S_scaled')}", f"S' = S/sqrt(2) = {rows('S_scaled')}",
    ],
)  # fmt: skip
def test_a_prime_or_a_small_letter_may_mean_the_scaled_scores(text: str) -> None:
    found = said(text)
    assert hold(found)
    assert {item.name for item in found} <= {"S_scaled", "S_scaled[1,2]"}


def test_a_prime_may_still_be_a_transpose() -> None:
    assert names(said("S'_12 = 0")) == ["S[2,1]"]
    assert hold(said(f"s_12 = -2\nS^T = {[list(column) for column in zip(*S, strict=True)]}"))


# One row, one entry ---------------------------------------------------------------------------------

ONE = [{"asks": ["map", "outputs"], "tokens": [3]}]


@pytest.mark.parametrize("name", ["output", "O", "o", "Output", "context vector"])
def test_one_row_is_that_of_the_only_token_asked(name: str) -> None:
    assert names(said(f"{name} = (0.514, 4.371)", parts=ONE)) == ["O[3,:]"]
    assert {item.verdict for item in report(f"{name} = (0.514, 4.731)", parts=ONE).findings} <= {"wrong", "unchecked"}


def test_a_row_in_words_may_be_any() -> None:
    assert hold(said("output = (1.820, 4.453)"))
    assert [item.verdict for item in said("O = (1.820, 4.453)")] == ["ambiguous"]


@pytest.mark.parametrize("name", ["Z", "sum", "row sum", "denominator"])
def test_a_sum_is_that_of_the_row_whose_numbers_are_added(name: str) -> None:
    found = said(f"{name} = 16.919 + 0.243 + 0.120 = 17.282")
    assert names(found) == ["Z[1]", "Z[1]"]
    assert hold(found)
    assert [item.verdict for item in said(f"{name} = 16.919 + 0.243 + 0.120 = 17.822")][-1] == "wrong"


def test_words_before_a_sum_say_its_row() -> None:
    text = "Row 2: $Z = {}$"
    assert names(said(text.format("1 + 4.113 + 34.313 = 39.426"), "md")) == ["Z[2]", "Z[2]"]
    found = said(f"$Z_1 = 17.282$\n\n{text.format('16.919 + 4.113 + 34.313')}", "md")
    assert [(item.name, item.verdict) for item in found][-1] == ("Z[2]", "wrong")


# Softmaxes of lists, comments, headings that are formulas -------------------------------------------


@pytest.mark.parametrize("brackets", ["({})", "([{}])", "(({}))"])
@pytest.mark.parametrize("shown", ["({})", "[{}]"])
def test_the_softmax_of_a_list(brackets: str, shown: str) -> None:
    text = f"softmax{brackets.format('1, 2, 3')} = {shown.format('0.090, 0.245, {}')}"
    assert hold(said(text.format("0.665")))
    (found,) = said(text.format("0.656"))
    assert found.verdict == "wrong"
    assert "0.665" in found.explanation


def test_what_a_small_number_comes_to_is_not_nothing() -> None:
    (found,) = said("softmax([2, 8, -20]) = [0.5, 0.5, 0.0]")
    assert "0.0025" in found.explanation or "0.00247" in found.explanation


HIDDEN = [
    ("md", "$Q_{{11}} = 3$ <!-- {} -->"), ("md", "<!--\n{}\n\n{}\n-->\n\n$Q_{{11}} = 3$"),
    ("tex", "$Q_{{11}} = 3$\n\\iffalse\n{}\n\\fi"), ("tex", "$Q_{{11}} = 3$\n\\iffalse\n\\ifx a\\fi {}\n\\fi"),
    ("tex", "\\begin{{document}}$Q_{{11}} = 3$\\end{{document}}\n{}"), ("tex", "$Q_{{11}} = 3$\n\\end{{document}}\n{}"),
    ("tex", "$Q_{{11}} = 3$ \\verb|{}|"), ("tex", "\\verb+{}+ $Q_{{11}} = 3$ \\verb*!{}!"),
]  # fmt: skip


@pytest.mark.parametrize(("form", "text"), HIDDEN)
def test_what_is_commented_out_is_not_judged(form: str, text: str) -> None:
    shown = text.format("$Q_{11} = 4$", "$Q_{12} = 7$")
    assert [(item.name, item.verdict) for item in said(shown, form)] == [("Q[1,1]", "right")]


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("md", "<!-- $Q_{11} = 4$"), ("tex", "\\iffalse $Q_{11} = 4$"), ("tex", "\\iftrue $Q_{11} = 4$ \\fi"),
        ("tex", "\\iffalse $Q_{11} = 3$ \\else $Q_{11} = 4$ \\fi"), ("tex", "$a \\iff b$, $Q_{11} = 4$, $\\verb$"),
    ],
)  # fmt: skip
def test_nothing_else_is_hidden(form: str, text: str) -> None:
    assert "wrong" in {item.verdict for item in said(text, form)}


@pytest.mark.parametrize("form", ["txt", "md"])
@pytest.mark.parametrize(
    ("formula", "name"),
    [
        ("S/sqrt(2)", "S_scaled"), ("Q K^T", "S"), ("Q*K^T/sqrt(2)", "S_scaled"), ("softmax(S/sqrt(2))", "A"),
        ("A @ V", "O"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("shown", ["plain", "listed"])
def test_a_formula_above_a_matrix_says_what_it_is(formula: str, name: str, shown: str, form: str) -> None:
    lines = "\n".join(" ".join(map(str, row)) for row in VALUES[name]) if shown == "plain" else rows(name, spaced=False)
    found = said(f"{formula}:\n{lines}", form)
    assert set(names(found)) == {name}
    assert hold(found)
    assert said(f"{formula}:\n{spoilt(lines, str(VALUES[name][1][1]), '77')}", form)[-1].verdict == "wrong"


# Prose and tables -----------------------------------------------------------------------------------

SERIES = [
    "The weights of token 1 are {}, of token 2 are {}.", "The weights of token 1 are {} and of token 2 are {}.",
    "The weights for token 1 are {}, and those for token 2 are {}.",
    "The first row of A is {}, and the second row of A is {}.",
]  # fmt: skip


@pytest.mark.parametrize("is_formula", [True, False])
@pytest.mark.parametrize("text", SERIES)
def test_a_sentence_may_go_on_with_another_token(text: str, *, is_formula: bool) -> None:
    mark = "$" if is_formula else ""
    lists = [f"{mark}({', '.join(row)}){mark}" for row in A]
    found = said(text.format(*lists), "md")
    assert names(found) == ["A[1,:]", "A[2,:]"]
    assert hold(found)
    assert [item.verdict for item in said(text.format(lists[0], lists[2]), "md")][1] == "wrong"


@pytest.mark.parametrize("form", ["rows 1 and 3 of A are both {}", "The rows 1 and 3 of $A$ are both ${}$"])
def test_one_list_may_be_said_of_two_rows(form: str) -> None:
    found = said(form.format("(0.979, 0.014, 0.007)"), "md")
    assert [(item.name, item.verdict == "wrong") for item in found] == [("A[1,:]", False), ("A[3,:]", True)]


def test_a_value_of_a_token_is_its_line() -> None:
    assert names(said("value of token 1: (-1, 4)\nThe value of token 2 is (1, 0).")) == ["V[1,:]", "V[2,:]"]
    assert not said("The first value is (1, 0). The value is 3. The value for row 2 is 0.5.")


@pytest.mark.parametrize("text", [r"Row 1 of the softmax: $({})$", r"$A = ({})$"])
def test_a_closed_form_is_a_value(text: str) -> None:
    tables = {
        "scale": "none",
        "inputs": {"Q": [[1, 2]], "K": [[1, 0], [0, 1], [1, 0]], "V": [[1], [2], [3]]},
        "parts": [{"asks": "map"}],
    }
    entries = r"\frac1{2+e}, \frac e{2+e}, \frac1{2+e}"
    whole = report(text.format(entries), "md", **tables)
    assert not whole.missing
    assert report(text.format(entries.replace("2+e", "3+e")), "md", **tables).missing


@pytest.mark.parametrize("head", ["| entry | working | value |", "| Entry | Calculation | Result |"])
@pytest.mark.parametrize("latex", [True, False])
def test_a_table_of_entries_with_their_working(head: str, *, latex: bool) -> None:
    mark = ("$", "_{11}") if latex else ("", "_11")
    body = f"| {mark[0]}Q{mark[1]}{mark[0]} | 1*1 + 0*0 + 2*1 | 3 |\n| K_12 | 1*1 + 0*1 + 2*0 | 1 |"
    text = f"{head}\n|---|---|---|\n{body}"
    found = said(text, "md")
    assert names(found) == ["Q[1,1]", "Q[1,1]", "K[1,2]", "K[1,2]"]
    assert hold(found)
    assert [item.verdict for item in said(text.replace("| 3 |", "| 4 |"), "md")][1] == "wrong"


@pytest.mark.parametrize("title", ["Attention weights", "A", "The attention map"])
def test_a_heading_says_what_stands_below(title: str) -> None:
    body = "\n".join("| " + " | ".join(row) + " |" for row in A)
    (found,) = said(f"## {title}\n\n| | | |\n|---|---|---|\n{body}", "md")
    assert (found.name, found.verdict, found.explanation) == ("A", "rounded", "")


@pytest.mark.parametrize("letter", ["P", "W", "C", "L"])
def test_a_letter_with_two_meanings_has_that_of_its_numbers(letter: str) -> None:
    name = {"P": "A", "W": "A", "C": "O", "L": "S_scaled"}[letter]
    assert hold(said(f"${letter} = QK^T$\n\n${letter}_{{12}} = -2$", "md"))
    assert hold(said(f"${letter} = QK^T$\n\n${letter}_{{11}} = {VALUES[name][0][0]}$", "md"))


@pytest.mark.parametrize("text", ["> quoted\n>>> S_11 = 4\n> Q_11 = 3", ">>> he wrote\n> $Q_{11} = 3$"])
def test_what_is_quoted_in_quotes_is_no_console(text: str) -> None:
    assert "Q[1,1]" in names(said(text, "md"))
