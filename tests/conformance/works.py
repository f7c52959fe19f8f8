"""Works in people's own layout: a folder of problems and submissions, and the score of a checker on them.

The folder holds ``index.json`` and a folder for each of its works, with ``problem.toml``, ``work.*`` and, where it is
known what every number is about, ``numbers.json``: for each line the names and digits of the numbers that it states, in
their order, with ``true`` behind those that are wrong or follow from a mistake. An entry of the index has these keys:

- ``exit``: the exit status of a check;
- ``first_mistake_line``: from 1, or null where the work is right;
- ``mistaken_lines``: the lines that show a wrong number or one that follows from it (default: from the first on);
- ``wrong_entries``: the number of wrong entries of matrices, where it matters;
- ``missing``: the quantities that are rightly told to be missing (default: none);
- ``aside``: whether the work is kept aside from those on which a checker may be tuned.

``ratchet.json`` holds the figures of today for the works that have any: they may only fall.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeAlias

from symattn.api.submissions import Report, check
from symattn.checking.report import Finding, Place, Verdict

Checker: TypeAlias = Callable[[Path, Path], Report]

OPEN: frozenset[Verdict] = frozenset({"unread", "ambiguous", "unchecked", "undecided"})
"""Verdicts of numbers that nobody judged."""

_NUMERAL = re.compile(r"\d+(?:[.,]\d+)?")
_NAME = re.compile(r"([^\[]+)(?:\[([^\[\]]*)\])?")


@dataclass(frozen=True)
class Number:
    """A number that a work states: its line, the entry that it is about, its digits, and whether it is not right."""

    line: int
    name: str
    printed: str
    is_mistaken: bool = False


@dataclass(frozen=True)
class Work:
    """A submission on a problem, and the facts that the index knows of it."""

    name: str
    folder: Path
    known: Mapping[str, Any]
    numbers: tuple[Number, ...] | None

    @property
    def path(self) -> Path:
        """The file of the submission."""
        (found,) = self.folder.glob("work.*")
        return found

    @property
    def first_line(self) -> int | None:
        """The line of the first mistake, None where the work is right."""
        line: int | None = self.known["first_mistake_line"]
        return line

    @property
    def is_aside(self) -> bool:
        """Whether the work is kept aside."""
        return bool(self.known.get("aside"))

    def may_be_wrong(self, line: int) -> bool:
        """Return whether a line shows a wrong number or one that follows from it."""
        if self.first_line is None:
            return False
        lines = self.known.get("mistaken_lines")
        return line >= self.first_line if lines is None else line in lines


@dataclass(frozen=True)
class Outcome:
    """The score of one work.

    Attributes:
        false_alarms: right statements that are called wrong, and answers that are there and called missing.
        is_missed: the mistake of the work is not called wrong.
        is_wrong_first: the first mistake that is named stands elsewhere than that of the work.
        unread: numbers that nobody judged.
        elsewhere: numbers that are judged as another entry's; None where `numbers.json` is absent.
        status: the exit status of the check, and that of the index.
    """

    work: str
    is_aside: bool
    is_planted: bool
    false_alarms: tuple[str, ...]
    is_missed: bool
    is_wrong_first: bool
    unread: int
    elsewhere: int | None
    status: tuple[int, int]

    @property
    def figures(self) -> dict[str, int]:
        """The figures of the work that may only fall."""
        return {
            "false alarms": len(self.false_alarms),
            "missed mistakes": int(self.is_missed),
            "wrong first mistakes": int(self.is_wrong_first),
            "unread numbers": self.unread,
            "numbers bound elsewhere": self.elsewhere or 0,
            "other exit statuses": int(self.status[0] != self.status[1]),
        }


def load(folder: Path) -> tuple[Work, ...]:
    """Return the works that the index of a folder lists."""
    index = json.loads((folder / "index.json").read_text("utf-8"))
    return tuple(Work(name, folder / name, known, _numbers(folder / name)) for name, known in index.items())


def _numbers(folder: Path) -> tuple[Number, ...] | None:
    path = folder / "numbers.json"
    if not path.exists():
        return None
    lines = json.loads(path.read_text("utf-8")).items()
    return tuple(Number(int(line), *number) for line, found in lines for number in found)


def real_checker(problem: Path, work: Path) -> Report:
    """Check a file of work as the package does."""
    return check(problem, work)


def score(works: Iterable[Work], checker: Checker = real_checker) -> list[Outcome]:
    """Return the score of each work."""
    return [score_one(work, checker) for work in works]


def score_one(work: Work, checker: Checker = real_checker) -> Outcome:
    """Check one work and compare the report with what is known of it."""
    report = checker(work.folder / "problem.toml", work.path)
    unread, elsewhere = _binding(work, report)
    first = report.first
    return Outcome(
        work=work.name,
        is_aside=work.is_aside,
        is_planted=work.first_line is not None,
        false_alarms=tuple(_false_alarms(work, report)),
        is_missed=work.first_line is not None
        and not any(one.verdict == "wrong" and work.first_line in lines_of(one) for one in report.findings),
        is_wrong_first=first is not None and work.first_line not in lines_of(first),
        unread=unread,
        elsewhere=elsewhere,
        status=(report.exit_status, work.known["exit"]),
    )


def lines_of(finding: Finding) -> set[int]:
    """Return the lines of a statement; of a matrix, those of its entries that are as bad as the whole."""
    places = _worst(finding)
    return {line for place in places for line in range(place.line, place.end_line + 1)}


def _worst(finding: Finding) -> list[Place]:
    entries = [entry for row in finding.entries or () for entry in row]
    return [entry.place for entry in entries if entry.verdict == finding.verdict] or [finding.place]


def _false_alarms(work: Work, report: Report) -> Iterator[str]:
    right = [(start, end) for number, start, end in places(work.numbers or (), report.text) if not number.is_mistaken]
    bad = [finding for finding in report.findings if finding.verdict in {"wrong", "follows"}]
    for finding in bad:
        marked = _worst(finding)
        is_right = any(place.start < end and start < place.end for place in marked for start, end in right)
        may_be = [any(map(work.may_be_wrong, range(place.line, place.end_line + 1))) for place in marked]
        if not all(may_be) or (is_right and finding.entries is not None):
            name = finding.name or repr(finding.text.strip())
            yield f"line {marked[0].line}, {name}: {finding.verdict}. {finding.explanation}"
    entries = sum(len(_worst(finding)) for finding in bad if finding.entries is not None)
    if entries > work.known.get("wrong_entries", entries):
        yield f"{entries} entries are called wrong, and {work.known['wrong_entries']} is"
    expected = work.known.get("missing", ())
    yield from (f"missing: {name}" for name in report.missing if name not in expected)


# Numbers ---------------------------------------------------------------------------------------------


def _binding(work: Work, report: Report) -> tuple[int, int | None]:
    """Return how many numbers nobody judged, and how many are judged as another entry's."""
    if work.numbers is None:
        left_open = [one.place for one in report.findings if one.verdict in OPEN]
        starts = (numeral.start() for numeral in _NUMERAL.finditer(report.text))
        return sum(any(place.start <= start < place.end for place in left_open) for start in starts), None
    unread = elsewhere = 0
    for number, start, end in places(work.numbers, report.text):
        verdict, name = _judged(report, start, end)
        if verdict is None or verdict in OPEN:
            unread += 1
        elif name is not None and name != entry_name(number.name):
            elsewhere += 1
    return unread, elsewhere


def places(numbers: Iterable[Number], text: str) -> Iterator[tuple[Number, int, int]]:
    """Iterate over numbers with their offsets in the text of a work.

    Raises:
        ValueError: a number does not stand in its line.
    """
    starts = [0, *(match.end() for match in re.finditer("\n", text))]
    lines = text.split("\n")
    line = end = 0
    for number in numbers:
        end = end if number.line == line else 0
        line = number.line
        printed = rf"(?<![\d.,]){re.escape(number.printed)}(?!\d|[.,]\d)"
        found = re.compile(printed).search(lines[line - 1], end)
        if found is None:
            raise ValueError(f"line {line} does not show {number.name} as {number.printed}: {lines[line - 1]}")
        end = found.end()
        yield number, starts[line - 1] + found.start(), starts[line - 1] + end


def _judged(report: Report, start: int, end: int) -> tuple[Verdict | None, str | None]:
    """Return the verdict on the number at a place and the entry that it was judged as; None where there is none."""

    def covers(place: Place) -> bool:
        return place.start < end and start < place.end

    around = [one for one in report.findings if covers(one.place)]
    for finding in sorted(around, key=lambda one: one.place.end - one.place.start):
        if finding.entries is None:
            return finding.verdict, finding.name and entry_name(finding.name)
        for i, row in enumerate(finding.entries):
            for j, entry in enumerate(row):
                if covers(entry.place):
                    return entry.verdict, finding.name and entry_name(finding.name, i, j)
    return None, None


def entry_name(name: str, row: int = 0, column: int = 0) -> str:
    """Return the name of an entry of a region, of which row and column count from 0.

    >>> entry_name("A", 1, 0), entry_name("A[2,1:2]", 0, 1), entry_name("O[:,1]", 2, 0), entry_name("Z[2]")
    ('A[2,1]', 'A[2,2]', 'O[3,1]', 'Z[2,1]')
    """
    found = _NAME.fullmatch(name)
    if found is None:
        return name
    quantity, indices = found[1], (found[2] or ":,:").replace(" ", "").split(",")
    first, second = (*indices, "1")[:2]
    along = max(row, column)
    one = _counted(first, row if ":" in second else along)
    two = _counted(second, column if ":" in first else along)
    return f"{quantity}[{one},{two}]"


def _counted(index: str, offset: int) -> str:
    """Return a number, or that of a place in a range, ``1:2`` or ``:``."""
    low, colon, _ = index.partition(":")
    return str(int(low or 1) + offset) if colon else index


# Reports ---------------------------------------------------------------------------------------------


def total(outcomes: Iterable[Outcome]) -> dict[str, int]:
    """Return the sums of all figures."""
    sums: dict[str, int] = {}
    for outcome in outcomes:
        for name, count in outcome.figures.items():
            sums[name] = sums.get(name, 0) + count
    return sums


def parts(outcomes: Iterable[Outcome]) -> dict[str, list[Outcome]]:
    """Return the works by part: those at hand, and those kept aside where there are any."""
    found = list(outcomes)
    at_hand, aside = ([one for one in found if one.is_aside is kept] for kept in (False, True))
    return {"at hand": at_hand, **({"kept aside": aside} if aside else {})}


def as_text(outcomes: list[Outcome], *, explained: bool = False) -> str:
    """Return the score for people: a line for each work, and the sums of each part."""
    lines = []
    for part, ones in parts(outcomes).items():
        lines += [f"=== {part}"]
        for one in ones:
            said = [f"{name} {count}" for name, count in one.figures.items() if count]
            lines.append(f"{one.work:40} {'; '.join(said) or 'as expected'}")
            lines += [f"    {text}" for text in one.false_alarms if explained]
        planted = [one for one in ones if one.is_planted]
        found = sum(not one.is_missed for one in planted)
        as_first = sum(not one.is_missed and not one.is_wrong_first for one in planted)
        alarmed = sum(bool(one.false_alarms) for one in ones)
        lines += [
            "",
            f"works {len(ones)}, with false alarms {alarmed}",
            f"mistakes {len(planted)}, found {found}, named as the first {as_first}",
            *(f"{name} {count}" for name, count in total(ones).items()),
            "",
        ]
    return "\n".join(lines).rstrip()


def ratchet(outcomes: list[Outcome]) -> dict[str, dict[str, int]]:
    """Return the figures of the works that have any."""
    found = {one.work: {name: count for name, count in one.figures.items() if count} for one in outcomes}
    return {work: figures for work, figures in found.items() if figures}


def risen(outcomes: list[Outcome], kept: Mapping[str, Mapping[str, int]]) -> list[str]:
    """Return the figures that are higher than those that were kept."""
    return [
        f"{work}: {name} {kept.get(work, {}).get(name, 0)} -> {count}"
        for work, figures in ratchet(outcomes).items()
        for name, count in figures.items()
        if count > kept.get(work, {}).get(name, 0)
    ]


def as_json(outcomes: list[Outcome]) -> str:
    """Return the score for machines."""
    record = {
        part: {"figures": total(ones), "works": [asdict(one) for one in ones]} for part, ones in parts(outcomes).items()
    }
    return json.dumps(record, indent=2, ensure_ascii=False)
