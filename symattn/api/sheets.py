"""The problems of one file, solved: one paper, one key, one total; and work that answers them, checked."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from symattn import late
from symattn.api import submissions
from symattn.api.result import FORMAT, Result
from symattn.api.solutions import solve
from symattn.api.submissions import Report
from symattn.checking.report import Finding, Marks, PartMarks
from symattn.errors import InputError, expect
from symattn.exact.rounding.quotients import Rounding
from symattn.graph.statements.chains import Detail
from symattn.problem.caveats import Caveat
from symattn.problem.settings.conventions import THEORY
from symattn.problem.sheet import Sheet
from symattn.rendering.keys.documents import sheet_document
from symattn.rendering.latex.prose import sheet_warnings
from symattn.rendering.sections import readback
from symattn.rendering.sections.document import Document, render

if TYPE_CHECKING:
    from symattn.rendering.html import key as key_html
else:
    key_html = late.module("symattn.rendering.html.key")

_MARK = re.compile(r"% problem ([1-9][0-9]{0,4})", re.ASCII)
_MARKUP = re.compile(r"\\[A-Za-z]+\*?|[#*_{}\\]|[.:]\s*$")
_HEADING = re.compile(
    r"(?:problem|question|exercise|task|aufgabe|problème|exercice|problema|ejercicio)\s*(?:no\.?|nr\.?|n°)?\s*"
    r"([0-9]{1,3})(?![0-9.]*[0-9])",
    re.IGNORECASE,
)
_FRAME = re.compile(r"\\(?:begin|end)\{document\}")


class SheetResult:
    """Problems of one file, solved: `results` in their order, and one document of all.

    >>> one = {"inputs": {"Q": [[1]], "K": [[1], [0]], "V": [[1], [0]]}, "points": 3}
    >>> solved = SheetResult(Sheet.of_tables({"scale": "none", "problems": [one, {**one, "scale": "1/2"}]}, "two"))
    >>> [result.A.rounded(2) for result in solved.results], solved.as_json()["points"]
    ([[['0.73', '0.27']], [['0.62', '0.38']]], '6')
    """

    def __init__(self, sheet: Sheet) -> None:
        self.sheet = sheet

    @cached_property
    def results(self) -> tuple[Result, ...]:
        """The problems, each solved."""
        return tuple(map(solve, self.sheet.problems))

    @cached_property
    def warnings(self) -> tuple[Caveat, ...]:
        """Notes for the instructor, before the key is handed out, each with the number of its problem."""
        return (*sheet_warnings(self.sheet), *self._warnings())

    def _warnings(self) -> Iterator[Caveat]:
        for number, result in enumerate(self.results, 1):
            yield from (replace(item, text=f"Problem {number}: {item.text}") for item in result.warnings)

    def document(self, detail: Detail = "full", template: str = "article") -> Document:
        """Return the key of all problems before it is set, every statement of it proved.

        Raises:
            InputError: no such detail or template, or a part that cannot be answered.
        """
        return sheet_document(self.sheet, [result.document(detail, template) for result in self.results])

    def to_latex(self, template: str = "article", detail: Detail = "full") -> str:
        """Return the key of all problems as LaTeX source, or with another template the paper.

        Raises:
            InputError: no such detail or template, or a part that cannot be answered.
        """
        return render(self.document(detail, template), template)

    def to_html(self, detail: Detail = "full") -> str:
        """Return the key of all problems as a web page of one file.

        Raises:
            InputError: no such detail, or a part that cannot be answered.
        """
        return key_html.key_page(self.document(detail))

    def read_back(self, tex: str) -> list[readback.Finding]:
        """Return every judged line of a key, read from its source and judged again by its own problem."""
        expect(tex, str, "A key is read back from text")
        owner, owners = 0, list[int]()
        for line in tex.split("\n"):
            found = _MARK.fullmatch(line)
            owner = int(found[1]) if found else owner
            owners.append(owner)
        return [
            finding
            for number, result in enumerate(self.results, 1)
            for finding in result.read_back(
                "\n".join(line if owner == number else "" for line, owner in zip(tex.split("\n"), owners, strict=True))
            )
        ]

    def as_json(self, rounding: Rounding | None = None) -> dict[str, object]:
        """Return the problems for machines, each as `Result.as_json` has it.

        Args:
            rounding: of the `decimal` values; that of each problem's own policy where it is None.
        """
        points = self.sheet.points
        return {
            "format": FORMAT,
            "title": self.sheet.title,
            "points": None if points is None else str(points),
            "problems": [result.as_json(rounding) for result in self.results],
        }


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


def solve_sheet(path: str | Path) -> SheetResult:
    """Solve the problems of a file, one or several under ``[[problems]]``.

    Args:
        path: the path of the file.

    Raises:
        InputError: the file cannot be read, or something in it cannot be used as it stands.

    >>> solved = solve_sheet("examples/how_to/homework.toml")
    >>> [result.problem.title for result in solved.results], solved.as_json()["points"]
    (['Self-attention', 'A masked layer', ''], '41/2')
    """
    return SheetResult(Sheet.load(path))
