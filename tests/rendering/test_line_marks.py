"""The mark of a line in a report: a tick only where every formula on it was read and judged to hold."""

from __future__ import annotations

import re

import pytest

from symattn import check
from symattn.api.submissions import check_proof
from symattn.problem.model import Problem
from symattn.rendering.reports.html import report_html
from symattn.rendering.reports.latex import report_latex
from symattn.rendering.reports.text import report_text

PROBLEM = Problem.build(Q=[[1, 0], [0, 1]], K=[[1, 1], [0, 2]], V=[[1, 0], [0, 4]])
RIGHT = "$S_{11} = 1$"
LINE = re.compile(r"\\symattn(?:line|formula)\{(?P<mark>.*?)\}\{(?P<number>\d+)\}\{", re.DOTALL)
TICKS = ("checkmark", "approx")


def marks(tex: str) -> dict[int, str]:
    return {int(found["number"]): found["mark"] for found in LINE.finditer(tex)}


def is_ticked(mark: str) -> bool:
    return any(tick in mark for tick in TICKS)


OPEN = [
    r"$\begin{bmatrix} 1 & 2 \\ 3 & 4 \end{bmatrix}$",
    r"$\begin{bmatrix} 1 & 2 \\ 3 & $",
    r"$[1, 2]$",
    "$x = 3$",
    "$7$",
    r"$\foo{3} = 4$",
    r"$(3 = 3$",
    r"$n \le m$",
    r"$Q \in \mathbb{R}^{n \times d}$",
    r"$y_{ij} = q_i \cdot k_j + 1$",
]


@pytest.mark.parametrize("formula", OPEN)
@pytest.mark.parametrize("line", ["{open}: {right}", "{right} and {open}", "{right}, {open}, $S_{{12}} = 0$"])
def test_a_formula_that_is_not_judged_leaves_no_tick(formula: str, line: str) -> None:
    text = f"{line.format(open=formula, right=RIGHT)}\n\n{RIGHT}\n"
    report = check(PROBLEM, text, "md")
    found = marks(report_latex(report))
    assert found[1]
    assert not is_ticked(found[1])
    assert is_ticked(found[3])
    shown = formula.strip("$")[:12]
    for view in (report_text(report, width=100), report_latex(report), report_html(report)):
        assert "not judged" in view.lower() or "unread" in view
    assert shown in report_text(report, width=100)


@pytest.mark.parametrize("last", [r"\end{bmatrix}$", r"\end{foo}$"])
def test_a_matrix_over_several_lines_counts_on_its_last_one(last: str) -> None:
    text = f"Here $\\begin{{bmatrix}} 1 & 2 \\\\\n3 & 4 {last}, {RIGHT}\n\n{RIGHT}"
    found = marks(report_latex(check(PROBLEM, text, "md")))
    assert not is_ticked(found[2])
    assert is_ticked(found[4])


def test_words_and_names_in_them_leave_the_tick() -> None:
    found = marks(report_latex(check(PROBLEM, f"We use $Q$ and $QK^T$: {RIGHT}\n~~$S_{{12}} = 9$~~ {RIGHT}\n", "md")))
    assert is_ticked(found[1])
    assert is_ticked(found[2])


def test_what_a_proof_assumes_leaves_the_tick() -> None:
    claim = r"$E[q \cdot k] = \sum_i E[q_i] E[k_i]$"
    text = f"If q and k are independent and $E[q_i] = 0$, {claim}\n\n$E[q_i] \\lhd 3$, {claim}\n"
    report = check_proof("dot-product-mean", text, "md", source="work")
    found = marks(report_latex(report))
    assert is_ticked(found[1])
    assert not is_ticked(found[3])


def test_many_formulas_that_are_not_judged_are_named_in_one_line() -> None:
    report = check(PROBLEM, "\n\n".join(f"$x_{{{i}}} = {'1' * 60}{i}$" for i in range(1, 10)) + f"\n\n{RIGHT}", "md")
    shown = report_text(report, width=100)
    assert shown.count("not judged") == 1
    assert "and 3 more" in shown
    assert "1" * 60 not in shown
