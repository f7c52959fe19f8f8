"""What statements are about: decided for the whole work by weighed evidence, before any of them is judged."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from symattn.checking.check import check_text
from symattn.checking.checker import Checker
from symattn.checking.graph.targets import Target
from symattn.checking.joint_resolution.resolution import Binding
from symattn.checking.joint_resolution.weights import weights
from symattn.problem.model import Problem
from tests.conformance import resolution, works

PLAIN = Problem.build(Q=[[1, 0], [0, 1]], K=[[1, 0], [0, 1]], V=[[2, 4], [6, 8]])
"""S = Q, S_scaled = [.707 0; 0 .707], A = [.670 .330; .330 .670], O = [3.321 5.321; 4.679 6.679]."""

WORKS = works.load(Path(__file__).parent.parent / "data" / "works")


def bound(text: str, problem: Problem = PLAIN) -> list[str | None]:
    """The names of the statements with numbers, and None for those about nothing in particular."""
    found = check_text(problem, text, "md").findings
    return [finding.name for finding in found if finding.is_claim and finding.verdict != "unchecked"]


# Names, operations and numbers -----------------------------------------------------------------------


def test_an_operation_is_stronger_than_the_usual_meaning_of_a_word() -> None:
    assert set(bound("score(1,1) = q_1 · k_1 / √2 = 1 / 1.414 = 0.707")) == {"S_scaled[1,1]"}
    assert set(bound("score(1,1) = q_1 · k_1 = 1")) == {"S[1,1]"}


def test_a_wrong_number_stays_with_its_name() -> None:
    assert bound("S_{scaled} = [[1, 0], [0, 1]]") == ["S_scaled"]
    assert bound("A_11 = 0.330") == ["A[1,1]"]


def test_words_say_what_a_number_is() -> None:
    text = "Scaled: $[0.707, 0]$ for token 1. We get $e^{0.707}=2.028$ and $e^{0}=1$, which add up to $=3.028$."
    report = check_text(PLAIN, text, "md")
    assert not [finding for finding in report.findings if finding.verdict == "wrong"]
    assert "Z[1]" in {finding.name for finding in report.findings}


def test_a_number_below_a_formula_is_its_value() -> None:
    text = "```python\nweights = softmax(scaled)\nprint(weights)\n# [[0.670, 0.330], [0.330, 0.670]]\n```"
    assert "A" in bound(text)


def test_a_name_that_is_defined_otherwise_is_the_works_own() -> None:
    online = Problem.build(Q=[[1]], K=[[1], [3], [2], [4]], V=[[1], [2], [3], [4]], scale="none", online=2)
    text = (
        "Block 2: $m = 4$, rescale by $\\alpha = e^{3-4} = 0.368$, so $l = \\alpha \\cdot 1.135 + e^{-2} + 1 = 1.553$."
    )
    assert not [item for item in check_text(online, text, "md").findings if item.verdict == "wrong"]


def test_the_last_output_divides_by_the_last_sum() -> None:
    online = Problem.build(Q=[[1]], K=[[1], [3], [2], [4]], V=[[1], [2], [3], [4]], scale="none", online=2)
    assert [item.verdict for item in check_text(online, "$O = 5.192/1.553 = 3.343$", "md").findings] == [
        "right",
        "rounded",
    ]
    assert "wrong" in {item.verdict for item in check_text(online, "$O = 5.192/1.535 = 3.382$", "md").findings}


def test_the_last_output_divides_by_the_row_sum_where_that_is_the_last_sum() -> None:
    problem = Problem.build(
        Q=[[1, 2]], K=[[1, 0], [0, 1], [1, 1], [2, -1]], V=[[1, 0], [0, 2], [3, 1], [-1, 1]], online=2,
        rounding={"places": 3, "shift": True},
    )  # fmt: skip
    text = r"$O_{11} = \frac{e^{-\sqrt{2}} + 3 - e^{-\frac{3\sqrt{2}}{2}}}{Z_{1}} \approx 1.683$"
    assert {item.verdict for item in check_text(problem, text, "md").findings} == {"right", "rounded"}


def test_a_formula_at_the_head_of_a_column_is_stronger_than_a_word_in_it() -> None:
    table = "Softmax:\n\n| Token | q·k | Score | e^Score | Weight |\n|---|---|---|---|---|\n"
    rows = "| sun | 1 | 0,707 | 2,028 | 0,670 |\n| sea | 0 | 0 | 1 | 0,330 |\n"
    one = Problem.build(Q=[[1, 0]], K=[[1, 0], [0, 1]], V=[[2, 4], [6, 8]])
    assert bound(table + rows, one) == ["S", "S_scaled", "E", "A"]
    assert bound(table + rows.replace("2,028", "2,082"), one) == ["S", "S_scaled", "E", "A"]


def test_a_row_with_one_place_may_come_from_weights_with_more() -> None:
    one = Problem.build(Q=[[1, 3]], K=[[1, 1], [2, 0]], V=[[10, 20], [30, 0]])
    assert [item.verdict for item in check_text(one, "output = [13.8, 16.2]", "md").findings] == ["carried"]
    assert [item.verdict for item in check_text(one, "output = [13.7, 16.2]", "md").findings] == ["wrong"]


TWO = Problem.build(Q=[[1, 2], [0, 1]], K=[[1, 2], [1, 0]], V=[[3, -1], [1, 4]])
"""S = [5 1; 2 0], S_scaled = [3.54 .71; 1.41 0], A = [.94 .06; .80 .20]."""


@pytest.mark.parametrize("steps", ["scaled", "/sqrt(2) ->", ""])
def test_an_arrow_begins_a_statement(steps: str) -> None:
    text = f"scores [5, 1] -> {steps} [3.54, 0.71] -> softmax -> [0.94, 0.06] -> output [2.89, -0.72]"
    assert not [item for item in check_text(TWO, text, "txt").findings if item.verdict == "wrong"]
    (wrong,) = [
        item for item in check_text(TWO, text.replace("-0.72", "-0.27"), "txt").findings if item.verdict == "wrong"
    ]
    assert wrong.name == "O[1,:]"


@pytest.mark.parametrize("before", ["$S_{11}$", "q1·k1", "S_11 = 1·1 + 2·2", "S_11"])
def test_an_arrow_before_a_value_is_an_equality_sign(before: str) -> None:
    assert not [item for item in check_text(TWO, f"{before} → 5", "md").findings if item.verdict == "wrong"]
    assert [item for item in check_text(TWO, f"{before} → 6", "md").findings if item.verdict == "wrong"]


@pytest.mark.parametrize("gap", ["   ", ", ", "; "])
def test_statements_stand_side_by_side(gap: str) -> None:
    text = f"s[0][0] = 5{gap}s[0][1] = 1\na[0][0] = 0.944{gap}a[0][1] = 0.056\n"
    found = check_text(TWO, text, "txt").findings
    assert {item.name for item in found if item.is_claim} == {"S[1,1]", "S[1,2]", "A[1,1]", "A[1,2]"}
    assert not [item for item in found if item.verdict == "wrong"]


def test_a_column_with_a_sum_below_it_is_not_called_wrong() -> None:
    one = Problem.build(Q=[[1, 0]], K=[[1, 0], [0, 1]], V=[[2, 4], [6, 8]])
    table = "| key | exp | weight |\n|---|---|---|\n| k1 | 2.03 | 0.67 |\n| k2 | 1.00 | 0.33 |\n| sum | 3.03 | 1 |\n"
    assert not [item for item in check_text(one, table, "md").findings if item.verdict == "wrong"]


# What is not clear -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("first", "second", "wrong"),
    [("[0.707, 3]", "[0, 0.707]", "S_scaled[1,:]"), ("[0.707, 0]", "[0, 0.700]", "S_scaled[2,:]")],
)
def test_what_a_title_is_worked_out_from_stands_below_it(first: str, second: str, wrong: str) -> None:
    text = (
        f"### Softmax, row by row\n\nFor the first row ${first}$:\n\n$$ e^{{0.707}} = 2.028, \\quad e^0 = 1 $$\n\n"
        f"$$ \\alpha_1 = [0.670, 0.330] $$\n\nFor the second row ${second}$:\n\n"
        "$$ \\alpha_2 = [0.330, 0.670] $$\n"
    )
    found = check_text(PLAIN, text, "md").findings
    assert [item.name for item in found if item.verdict == "wrong"] == [wrong]


def test_a_doubt_names_both_candidates() -> None:
    graph = Checker(PLAIN).graph
    rows = [Target(name, (((0, 0), (0, 1)),)) for name in ("A", "S_scaled")]
    why = (("fit", 1.0),)
    both = Binding(rows[0], margin=0.1, rival=rows[1], lead=0.1, behind=0.0, holds=True, why=why).doubt(graph)
    assert both == "It is not said clearly enough whether this is A[1,:] or S_scaled[1,:]."
    alone = Binding(rows[0], margin=0.1, rival=None, lead=0.1, behind=0.0, holds=True, why=why).doubt(graph)
    assert alone == "It is not said clearly enough that this is A[1,:]."


def test_what_fits_no_entry_is_wrong_whichever_is_meant() -> None:
    assert [item.verdict for item in check_text(PLAIN, "score = 7", "md").findings] == ["wrong"]


@pytest.mark.parametrize("place", range(4))
def test_a_verdict_does_not_change_what_later_lines_mean(place: int) -> None:
    numbers = [["0.707", "0"], ["2.028", "1"], ["0.670", "0.330"], ["3.32", "5.32"]]
    text = "scaled: [{}, {}]\n\nexp: [{}, {}]\n\nweights: [{}, {}]\n\noutput: [{}, {}]\n"
    problem = Problem.build(Q=[[1, 0]], K=[[1, 0], [0, 1]], V=[[2, 4], [6, 8]])
    before = bound(text.format(*(number for row in numbers for number in row)), problem)
    numbers[place][0] = "9.99"
    after = bound(text.format(*(number for row in numbers for number in row)), problem)
    assert before == after == ["S_scaled", "E", "A", "O"]


# Wrong digits, and evidence that is left out -----------------------------------------------------------


def counted(chosen: Iterable[works.Work]) -> tuple[resolution.Count, dict[str, resolution.Count]]:
    """The counts of the right ones of some works."""
    digits, counts = resolution.Count(), {kind: resolution.Count() for kind in resolution.EVIDENCE}
    for work in resolution.right(chosen):
        resolution.wrong_digits(work, digits)
        resolution.without(work, counts)
    return digits, counts


def test_a_wrong_digit_moves_no_statement_of_some_works() -> None:
    digits, _ = counted(resolution.right(WORKS)[::24])
    assert digits.same
    assert (digits.other, digits.moved) == (0, 0)


@pytest.mark.long
def test_wrong_digits_and_evidence_left_out() -> None:
    digits, counts = counted(WORKS)
    every = digits.same + digits.open + digits.other
    assert digits.same >= every * 8 / 10
    assert digits.other <= every / 100
    assert digits.moved == 0
    for kind, count in counts.items():
        allowed = 0.03 if kind == "fit" else 0.01
        assert count.other <= (count.same + count.open + count.other) * allowed, kind


def test_evidence_counts_what_the_table_says() -> None:
    table = weights()
    assert table.of("margin", "blame") > table.of("margin", "bind") > 0
    assert all(table.of("item", name) < 0 for name in ("other_name", "other_operation", "misfit", "misfit_hidden"))
    assert replace(table, without=frozenset({"fit"})).of("item", "fit") == 0
    with pytest.raises(KeyError):
        table.of("item", "luck")


def test_a_survey_binds_what_does_not_fit() -> None:
    checker = Checker(PLAIN)
    work = checker.read("A = [[1, 0], [0, 1]]", "md")
    resolved = checker.survey(work, checker.base(work)).resolved()
    ((_, binding),) = resolved.bindings.items()
    assert binding.target is not None
    assert (binding.target.name, dict(binding.why)["fit"] < 0) == ("A", True)
