"""Work that answers the problems of one file, checked: its headings tell where it answers which."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from symattn.api import submissions
from symattn.api.submissions import Report
from symattn.checking.report import Finding, Marks, PartMarks
from symattn.errors import InputError
from symattn.problem.settings.conventions import THEORY
from symattn.problem.sheet import Sheet

_MARKUP = re.compile(r"\\[A-Za-z]+\*?|[#*_{}\\]|[.:]\s*$")
_HEADING = re.compile(
    r"(?:problem|question|exercise|task|aufgabe|problème|exercice|problema|ejercicio)\s*(?:no\.?|nr\.?|n°)?\s*"
    r"([0-9]{1,3})(?![0-9.]*[0-9])",
    re.IGNORECASE,
)
_FRAME = re.compile(r"\\(?:begin|end)\{document\}")


def check_sheet(
    sheet: Sheet,
    work: str | Path,
    format: str = "",  # noqa: A002 (the word that people use)
    *,
    strict: bool = False,
    source: str = "",
) -> Report:
    r"""Check a submission on the problems of a file; its headings tell where it answers which.

    Args:
        sheet: the problems.
        work: a ``Path``, or text, as for `symattn.check`.
        format: as for `symattn.check`.
        strict: accept the sheet's rounding alone.
        source: the name of the text in messages; with it, a ``str`` is text.

    Raises:
        InputError: the work cannot be read, or does not say which problem it answers.

    >>> one = {"inputs": {"Q": [[1]], "K": [[1], [0]], "V": [[1], [0]]}, "rounding": {"places": 2}}
    >>> sheet = Sheet.of_tables({"scale": "none", "problems": [one, {**one, "scale": "2"}]}, "two.toml")
    >>> found = check_sheet(sheet, "# Problem 1\n\nA_11 = 0.73\n\n# Problem 2\n\nA_11 = 0.73\n", "md")
    >>> [finding.verdict for finding in found.findings if finding.name == "A[1,1]"]
    ['rounded', 'wrong']
    """
    if len(sheet.problems) == 1:
        return submissions.check(sheet.problems[0], work, format, strict=strict, source=source)
    text, written_as, source = submissions.work_text(work, format, source)
    text = text.replace("\r\n", "\n")
    owners = _owners(sheet, text)
    if written_as == "ipynb" or not owners:
        why = "is a notebook" if written_as == "ipynb" else "does not say which problem it answers"
        raise InputError(
            f"{source} {why}, and {sheet.source} has {sheet.listed}. Name one with --problem, or write each below a "
            'heading such as "Problem 2".'
        )
    found: dict[int, Report] = {}
    for number, problem in enumerate(sheet.problems, 1):
        if problem.kind != THEORY:
            own = _masked(text, owners, number)
            found[number] = submissions.check(problem, own, written_as, strict=strict, source=source)
    return replace(_joined(sheet, found), text=text)


def _owners(sheet: Sheet, text: str) -> list[int]:
    """Return the number of the problem that each line is about, 0 for a preamble of LaTeX; nothing without headings."""
    titles = {problem.title.casefold(): number for number, problem in enumerate(sheet.problems, 1) if problem.title}
    has_preamble, is_told = "\\begin{document}" in text, False
    owners: list[int] = []
    owner = 0 if has_preamble else 1
    for line in text.split("\n"):
        words = " ".join(_MARKUP.sub(" ", line).split())
        found = _HEADING.match(words)
        number = int(found[1]) if found else titles.get(words.casefold(), 0)
        if 1 <= number <= len(sheet.problems) and (owner or not has_preamble):
            owner, is_told = number, True
        owners.append(owner)
        if has_preamble and "\\begin{document}" in line:
            owner = 1
    return owners if is_told else []


def _masked(text: str, owners: Sequence[int], number: int) -> str:
    """Return a work with the lines about other problems blank, so that all places stay what they are."""
    lines = zip(text.split("\n"), owners, strict=True)
    kept = (line if owner in {0, number} or _FRAME.search(line) else " " * len(line) for line, owner in lines)
    return "\n".join(kept)


def _joined(sheet: Sheet, found: Mapping[int, Report]) -> Report:
    """Return one report of those on each problem."""
    findings, missing, parts, remarks = list[Finding](), list[str](), list[PartMarks](), list[str]()
    first: int | None = None
    for number, report in found.items():
        if first is None and report.first_mistake is not None:
            first = len(findings) + report.first_mistake
        findings.extend(report.findings)
        missing.extend(f"{name} of problem {number}" for name in report.missing)
        remarks.extend(f"Problem {number}: {remark}" for remark in report.remarks)
        own = () if report.marks is None else report.marks.parts
        parts.extend(replace(part, part=f"{number}. {part.part}") for part in own)
    order = sorted(range(len(findings)), key=lambda place: findings[place].place.start)
    unjudged = [str(number) for number in range(1, len(sheet.problems) + 1) if number not in found]
    remarks.extend(f"Problem {number} has no numbers to check, and is for a person to judge." for number in unjudged)
    one = next(iter(found.values()))
    scheme = next((report.marks.scheme for report in found.values() if report.marks is not None), "")
    return replace(
        one,
        findings=tuple(findings[place] for place in order),
        policy=None,
        first_mistake=None if first is None else order.index(first),
        missing=tuple(missing),
        marks=Marks(tuple(parts), scheme) if parts else None,
        remarks=tuple(remarks),
    )
