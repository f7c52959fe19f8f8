"""The checker against what is known of examples that people published, and the scoring itself."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from mpmath import mp, mpf

from symattn.checking.report import VERDICTS, EntryFinding, Finding, Place, Report, Verdict
from symattn.problem.components.formulas import text_of
from symattn.problem.model import Problem
from tests.conformance import __main__ as command
from tests.conformance.cases import Case, Printed, load
from tests.conformance.independent import values_of
from tests.conformance.keys import unit, value
from tests.conformance.score import ACCEPTED, Checker, Total, score, score_one
from tests.conformance.written import NOTATIONS

pytestmark = pytest.mark.unmeasured

DATA = Path(__file__).parent.parent / "data" / "cases.yaml"
CASES = load(DATA)
NAMES = [case.id for case in CASES]


# The checker -----------------------------------------------------------------------------------------


def sampled() -> Total:
    """Every case once, the notations in turn."""
    total = Total()
    for position, case in enumerate(CASES):
        total.outcomes.append(score_one(case, list(NOTATIONS)[position % len(NOTATIONS)]))
    return total


def hold(total: Total) -> None:
    shown = command.as_text(total)
    assert total.false_alarms == [], shown
    assert total.first_wrong_missed == [], shown
    assert total.agreement >= 0.99, shown


def test_the_checker_agrees_with_what_is_known() -> None:
    hold(sampled())


@pytest.mark.long
def test_the_checker_agrees_in_every_notation() -> None:
    hold(score(CASES, NOTATIONS))


# The cases -------------------------------------------------------------------------------------------


def is_right(printed: str, exact: Any) -> bool:
    if printed == "-inf" or mp.isinf(exact):
        return printed == "-inf" and bool(mp.isinf(exact))
    with mp.workdps(60):
        written, half = value(printed), unit(printed) / 2
        distance = abs(mpf(written.numerator) / written.denominator - exact)
        return bool(distance <= mpf(half.numerator) / half.denominator * (1 + mpf(10) ** -50))


@pytest.mark.parametrize("case", CASES, ids=NAMES)
def test_definitions_give_what_is_known(case: Case) -> None:
    exact, known = values_of(case.problem), case.verdict()
    for number in NOTATIONS["entries"](case.handed_in).numbers:
        code = known.code(number.step, number.item, number.row, number.column)
        right = is_right(number.printed, exact[number.step][number.row][number.column])
        assert right == (code in "BE"), number


def test_there_are_cases_of_every_sort() -> None:
    codes = {code for case in CASES for rows in case.verdict().codes.values() for row in rows for code in row}
    assert codes == {*"BESTFW."}
    assert len(CASES) == 57
    assert {case.raw["kind"] for case in CASES} >= {"self-attention", "cross", "multihead", "mask", "softmax"}
    assert sum(case.verdict().first_wrong is not None for case in CASES) >= 15
    assert [case.out_of_scope for case in CASES] == [""] * len(CASES)


def test_what_is_left_out_is_said() -> None:
    case = Case(
        {
            "id": "unfit",
            "kind": "self-attention",
            "inputs": {"Q": [["1", "2", "3"]], "K": [["1", "2", "3"]], "V": [["-inf"]]},
            "steps": [
                {"name": "S", "op": "mm", "args": ["Q", "K"]},
                {"name": "A", "op": "softmax", "args": ["S"], "axis": "row"},
                {"name": "T", "op": "mmT", "args": ["Q", "K"]},
                {"name": "E", "op": "exp", "args": ["V"]},
            ],
            "printed": [{"step": "A", "values": [["1"]]}, {"step": "T", "values": [["14"]]}],
        }
    )
    assert list(case.problem.definitions) == ["T", "E"]
    assert [one.step for one in case.handed_in] == ["T"]
    assert case.remarks == (
        "V: -inf taken as -1000",
        "S left out: [definitions] S: Q is 1×3 and K is 1×3: Q K does not conform; is K^T meant?",
        "A left out: it rests on what cannot be computed",
    )


def test_what_no_definition_says_is_left_out() -> None:
    raw = next(case for case in CASES if case.id.startswith("SM10")).raw
    problem = Case(raw).problem
    assert list(problem.definitions) == ["Sd", "Ad", "Od"]
    assert Case(raw).remarks[0].startswith("S left out: [definitions] S: tanh is not a function of matrices")


def test_written_out_expressions_become_definitions() -> None:
    case = next(case for case in CASES if case.id.startswith("SM05"))
    assert text_of(case.problem.definitions["Joff"]).startswith("[(-1) (A[1:1, :][:, 1:1] .* A[1:1, :][:, 2:2])")


def test_other_kinds_are_out_of_scope() -> None:
    steps = [{"name": "M", "op": "sort"}, {"name": "N", "op": "argmax"}, {"name": "S", "op": "mm"}]
    cases = [Case({"id": "a", "kind": "proof", "claims": []}), Case({"id": "b", "kind": "mask", "steps": steps})]
    assert score(cases, NOTATIONS, says("right")).skipped == [
        ("a", "a proof: claims, no numbers to hand in"),
        ("b", "steps that no definition says: argmax, sort"),
    ]


# The written work ------------------------------------------------------------------------------------


@pytest.mark.parametrize("notation", NOTATIONS)
@pytest.mark.parametrize("case", CASES, ids=NAMES)
def test_every_number_stands_where_its_place_says(case: Case, notation: str) -> None:
    work = NOTATIONS[notation](case.handed_in)
    found = [(number.step, number.item, number.row, number.column, number.printed) for number in work.numbers]
    assert found == [
        (one.step, one.item, i, j, entry)
        for one in case.handed_in
        for i, row in enumerate(one.values)
        for j, entry in enumerate(row)
        if entry is not None
    ]
    for number in work.numbers:
        assert work.text[number.start : number.end].replace("\\", "") == number.printed


WHOLE = Printed("Q", 0, [["1", "-0.50"], ["37%", "2"]])
PART = Printed("Ss", 0, [["1", "2"], [None, "3"], [None, None]])
COLUMN = Printed("Z", 0, [["4.02"], ["4.1"]])


WRITTEN = {
    "latex": r"""$$Q = \begin{bmatrix}
1 & -0.50 \\
37\% & 2
\end{bmatrix}$$

$$\mathrm{Ss}_{1,:} = \begin{bmatrix}
1 & 2
\end{bmatrix}$$

$$\mathrm{Ss}_{22} = 3$$

$$Z = \begin{bmatrix}
4.02 \\
4.1
\end{bmatrix}$$
""",
    "entries": r"""\begin{align*}
Q_{11} &= 1 \\
Q_{12} &= -0.50 \\
Q_{21} &= 37\% \\
Q_{22} &= 2
\end{align*}

\begin{align*}
\mathrm{Ss}_{11} &= 1 \\
\mathrm{Ss}_{12} &= 2 \\
\mathrm{Ss}_{22} &= 3
\end{align*}

\begin{align*}
Z_{11} &= 4.02 \\
Z_{21} &= 4.1
\end{align*}
""",
    "markdown": """## Q

- Q = [[1, -0.50], [37%, 2]]

## Ss

- Ss_{1,:} = [1, 2]
- Ss_{22} = 3

## Z

- Z = [4.02, 4.1]
""",
    "numpy": """Q =
[[    1 -0.50]
 [  37%     2]]

Ss_{1,:} = [1 2]
Ss_{22} = 3

Z =
[4.02  4.1]
""",
}


@pytest.mark.parametrize(("notation", "text"), WRITTEN.items())
def test_notations(notation: str, text: str) -> None:
    assert NOTATIONS[notation]([WHOLE, PART, COLUMN]).text == f"{text}\n"


# The scoring -----------------------------------------------------------------------------------------


def place(start: int, end: int) -> Place:
    return Place(start, end, 1, 1, 1, 1)


def finding(start: int, end: int, verdict: Verdict) -> Finding:
    return Finding(place(start, end), "", None, verdict, explanation="why")


def says(word: Verdict, *, first: int | None = None) -> Checker:
    """A checker that finds one thing everywhere."""

    def check(_: Problem, text: str, __: str) -> Report:
        return Report("", text, (finding(0, len(text), word),), first_mistake=first)

    return check


def knowing(case: Case, notation: str, choose: Callable[[str], Verdict]) -> Checker:
    """A checker that has read what is known; it judges some numbers alone and the rest as entries of a matrix."""
    known, work = case.verdict(), NOTATIONS[notation](case.handed_in)

    def check(_: Problem, text: str, __: str) -> Report:
        findings, wrong = [], []
        for position, number in enumerate(work.numbers):
            word = choose(known.code(number.step, number.item, number.row, number.column))
            if word == "wrong":
                wrong.append(position)
            at = place(number.start, number.end)
            entries = ((EntryFinding(word, "", None, at),),) if position % 2 else None
            findings.append(Finding(at, "", None, word, entries=entries))
        return Report("", text, tuple(findings), first_mistake=wrong[0] if wrong else None)

    return check


@pytest.mark.parametrize("notation", NOTATIONS)
def test_a_checker_that_knows_agrees_everywhere(notation: str) -> None:
    total = Total()
    for case in CASES:
        checker = knowing(case, notation, lambda code: min(ACCEPTED[code], key=lambda word: (word == "follows", word)))
        total.outcomes.append(score_one(case, notation, checker))
    hold(total)
    assert total.agreement == 1
    assert total.numbers > 1500


def test_a_checker_that_praises_misses_every_first_wrong() -> None:
    total = score(CASES, ["entries"], says("right"))
    assert total.false_alarms == []
    assert len(total.first_wrong_missed) == len(total.with_first_wrong) >= 15
    assert {one.code for one in total.disagreements} == {"T", "W"}


def test_a_checker_that_blames_raises_false_alarms() -> None:
    total = score(CASES, ["markdown"], says("wrong", first=0))
    assert total.first_wrong_missed == []
    assert len(total.false_alarms) == sum(not case.verdict().is_wrong for case in CASES)


def test_the_narrowest_finding_speaks() -> None:
    case = next(case for case in CASES if case.id.startswith("CR01"))
    work = NOTATIONS["latex"](case.handed_in)
    first = work.numbers[0]

    def check(_: Problem, text: str, __: str) -> Report:
        wide = finding(0, len(text), "unread")
        return Report("", text, (wide, finding(first.start, first.end, "right")))

    outcome = score_one(case, "latex", check)
    assert (outcome.agree, outcome.numbers) == (1, len(work.numbers))
    assert {one.verdict for one in outcome.disagreements} == {"unread"}


def test_what_is_not_found_is_unjudged() -> None:
    outcome = score_one(CASES[0], "latex", lambda _, text, __: Report("", text, ()))
    assert outcome.agree == 0
    assert {one.verdict for one in outcome.disagreements} == {"unjudged"}
    assert str(outcome.disagreements[0]).endswith("latex Q[1,1] = 1: known B, found unjudged. nothing was found there")


def test_every_accepted_word_is_a_verdict() -> None:
    assert set().union(*ACCEPTED.values()) <= set(VERDICTS)


# The command -----------------------------------------------------------------------------------------


def test_the_command_prints_the_sums(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(command, "score", lambda cases, notations: score(cases, notations, says("right")))
    assert command.main([str(DATA), "--notation", "numpy", "--show", "SA24"]) == 0
    text = capsys.readouterr().out
    assert "S = q K^T" in text
    assert "numbers 8, agree 3 (37.50 %)" in text
    assert "FIRST WRONG MISSED" in text
    assert command.main([str(DATA), "--json", "--notation", "latex"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert (record["cases"], record["first_wrong_found"], record["false_alarms"]) == (57, 0, 0)
    assert command.main([str(DATA), "--show", "nothing"]) == 2
