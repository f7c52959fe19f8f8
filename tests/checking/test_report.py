"""What a report holds, and how it is given to machines."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from symattn.checking.check import check_text
from symattn.checking.report import BADNESS, VERDICTS, Report
from symattn.problem.model import Problem

EXAMPLES = Path(__file__).parent.parent.parent / "examples"
STATEMENT = {
    "line", "column", "end_line", "end_column", "text", "name", "verdict", "value", "expected", "checks", "harmless",
    "missing_hypotheses", "explanation", "diagnosis", "entries",
}  # fmt: skip

# Line by line what a person finds who goes through the sums with a pencil: are the operands those of the
# matrices, does the line come to what stands behind it, is that value right?
LINES = {
    "Q_{11}": (False, False, True),
    "Q_{12}": (False, False, True),
    "Q_{21}": (False, True, True),
    "Q_{22}": (False, False, True),
    "Q_{31}": (False, False, True),
    "Q_{32}": (False, False, True),
    "K_{11}": (False, False, True),
    "K_{12}": (False, False, False),
    "K_{21}": (False, False, False),
    "K_{22}": (False, False, True),
    "K_{31}": (False, False, True),
    "K_{32}": (True, False, False),
    "V_{11}": (True, True, True),
    "V_{12}": (False, False, True),
    "V_{21}": (False, False, True),
    "V_{22}": (False, True, True),
    "V_{31}": (True, True, True),
    "V_{32}": (False, False, True),
    "O_{11}": (False, True, True),
    "O_{12}": (True, True, True),
    "O_{21}": (True, True, True),
    "O_{22}": (True, True, True),
    "O_{31}": (True, True, True),
    "O_{32}": (True, True, True),
}


def ps4() -> Problem:
    return Problem.load(EXAMPLES / "ps4_self_attention.toml")


def student() -> Report:
    text = (EXAMPLES / "ps4_student_work.md").read_text(encoding="utf-8")
    return check_text(ps4(), text, "md", "ps4_student_work.md")


def test_every_line_of_the_student_gets_its_three_answers() -> None:
    report = student()
    lines = report.text.splitlines()
    for head, expected in LINES.items():
        number = next(k for k, line in enumerate(lines, 1) if f"${head} =" in line)
        found = [finding for finding in report.findings if finding.place.line == number]
        answers = [
            [answer for finding in found if (answer := getattr(finding.checks, question)) is not None]
            for question in ("operands", "arithmetic", "value")
        ]
        assert tuple(all(answer) for answer in answers) == expected, head
        is_struck = "~~" in lines[number - 1]
        assert all((finding.verdict == "withdrawn") == is_struck for finding in found), head


def test_the_student_is_told_of_the_rest() -> None:
    report = student()
    wrong = {finding.name: finding for finding in report.findings if finding.verdict == "wrong"}
    scores = next(finding for finding in report.findings if finding.name == "S" and finding.entries)
    assert scores.diagnosis is not None
    assert (scores.diagnosis.code, scores.harmless) == ("sign", True)
    assert wrong["A[1,1]"].diagnosis is not None
    assert wrong["A[1,1]"].diagnosis.code == "wrong-axis"
    carried = [finding.value for finding in report.findings if finding.verdict == "carried"]
    assert {"1.17", "0.21"} <= {str(value).removeprefix(r"\boxed{").removesuffix("}") for value in carried}
    assert any("O[3,1] 1.18" in remark and "O[3,2] 0.20" in remark for remark in report.remarks)
    assert report.policy is not None
    assert report.policy.words == "every step to 2 places, half-up"
    assert report.exit_status == 1


def test_clean_work_holds_and_earns_everything() -> None:
    text = (EXAMPLES / "ps4_clean_work.tex").read_text(encoding="utf-8")
    for strict in (False, True):
        report = check_text(ps4(), text, "tex", strict=strict)
        assert {finding.verdict for finding in report.findings} <= {"right", "rounded", "carried", "unchecked"}
        assert (report.missing, report.exit_status, report.first_mistake) == ((), 0, None)
        assert report.marks is not None
        assert report.marks.earned == report.marks.points


def test_json_has_the_keys_that_are_promised() -> None:
    record: dict[str, Any] = json.loads(json.dumps(student().as_json()))
    assert {"format", "statements", "policy", "first_mistake", "missing", "marks", "summary"} <= record.keys()
    for statement in record["statements"]:
        assert statement.keys() == STATEMENT
        assert statement["verdict"] in VERDICTS
        assert statement["checks"].keys() == {"operands", "arithmetic", "value"}
        assert (statement["line"], statement["column"]) <= (statement["end_line"], statement["end_column"])
        if False in (statement["checks"]["operands"], statement["checks"]["arithmetic"]):
            assert statement["verdict"] in {"wrong", "withdrawn"}
        for row in statement["entries"] or []:
            assert all(entry.keys() == {"verdict", "value", "expected", "line", "column"} for entry in row)
    assert record["first_mistake"]["line"] == 5
    assert sum(record["summary"].values()) == len(record["statements"])


def test_a_matrix_is_as_bad_as_its_worst_entry() -> None:
    for finding in student().findings:
        if finding.entries is not None and finding.verdict != "withdrawn":
            words = [entry.verdict for row in finding.entries for entry in row]
            assert finding.verdict == min(words, key=BADNESS.index)


@pytest.mark.parametrize(
    ("work", "status"),
    [
        ("$Q_{11} = 1$, $A_{31} = 0.62$", 1),  # the rest is missing
        ("", 1),
    ],
)
def test_what_is_asked_for_and_not_found_is_missing(work: str, status: int) -> None:
    report = check_text(ps4(), work, "md")
    assert report.exit_status == status
    assert "O" in report.missing


@pytest.mark.parametrize(
    ("work", "status"),
    [("$O = [[2]]$", 0), ("$O = [[3]]$", 1), ("$O = [[2$", 3), ("nothing but words", 3), ("", 3), ("$x = 3$", 3)],
)
def test_exit_statuses(work: str, status: int) -> None:
    problem = Problem.build(Q=[[1]], K=[[1]], V=[[2]], scale="none")
    assert check_text(problem, work, "md").exit_status == status


@pytest.mark.parametrize(
    ("work", "plain", "strict"),
    [
        ("$O_{31} = 1.17$", "carried", "carried"),
        ("$O_{31} = 1.18$", "rounded", "wrong"),
        ("$O_{31} = 1.19$", "wrong", "wrong"),
        ("$O_{31} = 1.2$", "coarse", "wrong"),
        ("$Q_{31} = 3$", "coarse", "wrong"),
        ("$Q_{31} = 2.5$", "right", "right"),
        ("$A_{31} = 0.62$", "rounded", "rounded"),
        ("$A_{11} = 0$", "rounded", "rounded"),
    ],
)
def test_a_strict_sheet_accepts_its_own_rounding_alone(work: str, plain: str, strict: str) -> None:
    words = [check_text(ps4(), work, "md", strict=mode).findings[0].verdict for mode in (False, True)]
    assert words == [plain, strict]


def test_a_strict_sheet_says_what_was_rounded_otherwise() -> None:
    finding = check_text(ps4(), "$O_{31} = 1.18$", "md", strict=True).findings[0]
    assert finding.diagnosis is not None
    assert finding.diagnosis.code == "other-rounding"
    assert "1.17" in finding.explanation


@pytest.mark.parametrize("work", ["$a_{3,1} = 0.00247$", "$a_{3,2} = 0.99753$", r"$a_{3,3} = 6.90 \times 10^{-13}$"])
def test_significant_figures_ask_for_no_places(work: str) -> None:
    problem = Problem.load(EXAMPLES / "discussion10_attention.toml")
    assert problem.policy.rounding.figures == 5
    assert [finding.verdict for finding in check_text(problem, work, "md").findings] == ["rounded"]
