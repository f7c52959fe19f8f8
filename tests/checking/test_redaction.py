"""Reports for students: at each level nothing is told that belongs to a higher one, in whatever form it is shown."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import symattn as sa
from symattn.api.submissions import Report, check_proof
from symattn.checking import report as r
from symattn.errors import InputError
from symattn.problem.model import Problem
from symattn.rendering.reports import html, latex, text
from tests import tables
from tests.checking.redaction import FORMS, Search, quantities, right_values
from tests.cli.runner import validate
from tests.conformance.cases import load
from tests.conformance.written import NOTATIONS

ROOT = Path(__file__).parents[2]
DATA = ROOT / "tests" / "data"
HOW_TO = ROOT / "examples" / "how_to"
PS4 = ROOT / "examples" / "ps4_self_attention.toml"
STUDENT = ROOT / "examples" / "ps4_student_work.md"
DIAGNOSES: dict[str, Any] = json.loads((DATA / "diagnoses.json").read_text(encoding="utf-8"))
SLIPS = tables.read("data/proof_slips.yaml")

FILES: dict[str, tuple[Path, Path]] = {
    **{work.parent.name: (work.parent / "problem.toml", work) for work in sorted((DATA / "works").glob("*/work.*"))},
    **{work.stem: (PS4, work) for work in (STUDENT, ROOT / "examples" / "ps4_clean_work.tex")},
    **{
        work.stem: (HOW_TO / "course_names.toml", work)
        for work in (HOW_TO / "travail.md", *sorted((HOW_TO / "class").glob("*.[mt]*")))
    },
}
"""Works that lie in files, with their problems."""

PUBLISHED = {f"{case.id} {notation}": (case, notation) for case in load(DATA / "cases.yaml") for notation in NOTATIONS}
"""Numbers that people published, many of them wrong, in several notations."""

WORKS = [*FILES, *DIAGNOSES]

SYMBOLS: dict[str, Any] = {
    "Q": [["rho", 1], [0, 2]],
    "K": [[1, "tau"], [1, 1]],
    "V": [[1], [3]],
    "scale": "none",
    "symbols": dict.fromkeys(("rho", "tau", "phi"), "real"),
}
IN_SYMBOLS = "$S_{11} = rho \\cdot 1 + 1 \\cdot phi = rho + phi$\n\n$S_{21} = 2 phi$\n\n$K_{12} = phi$\n"


@cache
def checked(name: str) -> Report:
    if name in FILES:
        return sa.check(*FILES[name])
    if name in PUBLISHED:
        case, notation = PUBLISHED[name]
        work = NOTATIONS[notation](case.printed)
        return sa.check(case.problem, work.text, work.format)
    example = DIAGNOSES[name]
    return sa.check(example["problem"], example["work"], example["format"])


@cache
def search(name: str) -> Search:
    """The right values of a work's problem that stand neither in the work nor in the problem."""
    if name in FILES:
        problem, known = Problem.load(FILES[name][0]), FILES[name][0].read_text(encoding="utf-8")
    elif name in PUBLISHED:
        problem = PUBLISHED[name][0].problem
        known = json.dumps(PUBLISHED[name][0].raw["inputs"])
    else:
        problem, known = Problem.build(**DIAGNOSES[name]["problem"]), json.dumps(DIAGNOSES[name]["problem"])
    report = checked(name)
    values = right_values(report) | set(quantities(sa.solve(problem).as_json()))
    return Search(values, f"{report.text}\n{known}")


def is_told(name: str) -> bool:
    """Whether the whole report of a work tells a right value that its writer did not have."""
    return "json" in search(name).found(checked(name))


# Right values --------------------------------------------------------------------------------------


@pytest.mark.sample(4)
@pytest.mark.parametrize("name", [*WORKS, *(name for name, (case, _) in PUBLISHED.items() if not case.out_of_scope)])
def test_no_right_value_is_told(name: str) -> None:
    report = checked(name)
    for level in ("marks", "place"):
        assert not search(name).found(report.redacted(level)), level
    held = Search(right_values(report), report.text)
    assert not held.found(report.redacted("cause"))


def test_the_search_finds_what_the_whole_report_tells() -> None:
    assert search(STUDENT.stem).found(checked(STUDENT.stem)) == set(FORMS)
    mistaken = [name for name in WORKS if name in DIAGNOSES or "wrong" in name]
    told = [name for name in mistaken[::8] if checked_has_values(name)]
    assert len(told) > 4
    for name in told:
        assert is_told(name), name


def checked_has_values(name: str) -> bool:
    """Whether a statement is wrong whose right value, of two digits or more, stands nowhere in the work."""
    report = checked(name)
    wrong = tuple(item for item in report.findings if item.verdict == "wrong")
    held = Search(right_values(replace(report, findings=wrong)), report.text)
    return bool(held.numbers & search(name).numbers)


def test_the_search_finds_a_field_that_was_not_cleared(monkeypatch: pytest.MonkeyPatch) -> None:
    cleared = r._without_values

    def leaves(finding: r.Finding, *, has_cause: bool) -> r.Finding:
        return replace(cleared(finding, has_cause=has_cause), expected=finding.expected, entries=finding.entries)

    monkeypatch.setattr(r, "_without_values", leaves)
    assert search("numpy-wrong-axis").found(checked("numpy-wrong-axis").redacted("place")) == set(FORMS)


def test_the_search_finds_a_view_that_tells_right_values(monkeypatch: pytest.MonkeyPatch) -> None:
    right = {item.place: item.expected for item in checked(STUDENT.stem).findings}
    for module, name in ((text, "said"), (latex, "said"), (html, "sentences")):
        monkeypatch.setattr(module, name, lambda finding: f"The right value is {right[finding.place]}.")
    assert search(STUDENT.stem).found(checked(STUDENT.stem).redacted("place")) == {*FORMS} - {"json"}


def test_letters_are_not_told_either() -> None:
    report = sa.check(SYMBOLS, IN_SYMBOLS, "md")
    assert "2*tau" in right_values(report)
    assert "tau" in report.to_text()
    for level in ("marks", "place", "cause"):
        for form in FORMS.values():
            assert "tau" not in form(report.redacted(level))


# Proofs --------------------------------------------------------------------------------------------


@pytest.mark.sample(20)
@pytest.mark.parametrize("link", SLIPS["links"], ids=lambda link: link["formula"])
def test_no_right_side_of_a_proof_is_told(link: dict[str, Any]) -> None:
    work = f"{SLIPS['words'].get(link.get('words'), '')}\n\n$${link['formula']}$$"
    report = check_proof(link["theorem"], work, "md")
    held = Search(right_values(report), report.text)
    for level in ("marks", "place", "cause"):
        less = report.redacted(level)
        assert not held.found(less)
        validate("check", less.as_json())
        assert "the left side is" not in less.to_text(verbose=True)
    (finding,) = (item for item in report.redacted("cause").findings if item.verdict == "wrong")
    assert (finding.diagnosis and finding.diagnosis.code) == link["slip"]


def test_a_hypothesis_is_named_from_causes_on() -> None:
    report = check_proof("dot-product-mean", r"$E[q \cdot k] = \sum_i E[q_i] E[k_i]$", "md")
    hypotheses = [name for item in report.findings for name in item.missing_hypotheses]
    assert hypotheses
    assert report.redacted("cause").findings[0].missing_hypotheses == tuple(hypotheses)
    assert not report.redacted("place").findings[0].missing_hypotheses
    assert {report.redacted(level).exit_status for level in r.REVEALS} == {report.exit_status} == {3}


def test_a_number_that_a_listing_breaks_is_that_of_the_work() -> None:
    work = "\n".join(f"{'x' * shift} {'0.2841 ' * 20}" for shift in range(9))
    listing = replace(checked(STUDENT.stem).redacted("marks"), text=work)
    assert FORMS["latex"](listing).count("0.2841") == 180
    assert not Search({"0.2", "0.28", "0.284"}, work).found(listing)


# Levels --------------------------------------------------------------------------------------------


def facts(record: object, path: str = "") -> Iterator[tuple[str, str]]:
    """Yield what a JSON value tells: its leaves that are not empty, sentences one by one."""
    if isinstance(record, dict | list):
        items = record.items() if isinstance(record, dict) else enumerate(record)
        for key, item in items:
            yield from facts(item, f"{path}.{key}" if key not in range(100) or "statements" in path else path)
    elif record not in (None, "", 0) and not path.endswith((".reveal", ".missing_count")):
        yield from ((path, sentence) for sentence in str(record).split(". "))


@pytest.mark.sample(12)
@pytest.mark.parametrize("name", WORKS)
def test_a_level_tells_no_more_than_the_next(name: str) -> None:
    report = checked(name)
    levels = [report.redacted(level) for level in r.REVEALS]
    for less, more in pairwise(levels):
        # A diagnosis that states a value is put in general words, which are those of its code.
        told = {fact for fact in facts(less.as_json()) if not fact[0].endswith("diagnosis.text")}
        assert {(path, words.rstrip(".")) for path, words in told} <= {
            (path, words.rstrip(".")) for path, words in facts(more.as_json())
        }


@pytest.mark.sample(12)
@pytest.mark.parametrize("name", WORKS)
def test_counts_marks_and_status_are_those_of_the_whole_report(name: str) -> None:
    report = checked(name)
    assert report.redacted("value") is report
    for level in r.REVEALS:
        less = report.redacted(level)
        assert type(less) is type(report)
        assert (less.counts, less.summary, less.exit_status) == (report.counts, report.summary, report.exit_status)
        assert (less.marks and less.marks.earned) == (report.marks and report.marks.earned)
        validate("check", less.as_json())
        for other in r.REVEALS:
            lower = min(level, other, key=r.REVEALS.index)
            assert less.redacted(other) == report.redacted(lower)


def test_nothing_in_a_place_depends_on_right_values_and_causes() -> None:
    """A report in which every right value, reason and cause is another one has the same places."""
    report = checked(STUDENT.stem)
    other = replace(
        report,
        findings=tuple(
            replace(
                item,
                expected="7.77", explanation="It is 7.77.", diagnosis=r.Diagnosis("part", "7.77"), checks=r.Checks(),
                entries=item.entries
                and tuple(tuple(replace(entry, expected="7.77") for entry in row) for row in item.entries),
                missing_hypotheses=("7.77",),
            )
            for item in report.findings
        ),
    )  # fmt: skip
    for level in ("marks", "place"):
        assert report.redacted(level) == other.redacted(level)


def test_what_each_level_tells_of_a_work() -> None:
    report = checked(STUDENT.stem)
    marks, place, cause = (report.redacted(level) for level in ("marks", "place", "cause"))
    assert (marks.findings, marks.first, marks.missing, marks.remarks, marks.policy) == ((), None, (), (), None)
    assert [item.place for item in place.findings] == [item.place for item in report.findings]
    assert place.first_mistake == cause.first_mistake == report.first_mistake
    assert not any(item.explanation or item.diagnosis for item in place.findings)
    assert [item.diagnosis and item.diagnosis.code for item in cause.findings] == [
        item.diagnosis and item.diagnosis.code for item in report.findings
    ]
    assert all(item.diagnosis.text for item in cause.findings if item.diagnosis)
    assert cause.marks == report.marks
    assert place.marks is not None
    assert not any(part.reasons for part in place.marks.parts)
    assert set(place.remarks) < set(report.remarks)


def test_missing_quantities_are_counted_or_named() -> None:
    report = sa.check(PS4, "Q_{31} = 5/2", "md")
    marks, place = report.redacted("marks"), report.redacted("place")
    assert len(report.missing) > 1
    assert place.missing == report.missing
    assert marks.as_json()["missing_count"] == len(report.missing)
    assert f"missing: {len(report.missing)} required quantities" in marks.to_text()
    assert marks.exit_status == place.exit_status == 1


def test_an_unknown_level() -> None:
    with pytest.raises(InputError, match="reveal must be marks, place, cause or value, not 'all'"):
        checked(STUDENT.stem).redacted("all")  # type: ignore[arg-type]
