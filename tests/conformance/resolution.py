"""What the statements of works are about, when digits are changed and when kinds of evidence are left out.

`python -m tests.conformance --works FOLDER --resolution` prints both for the right works of a folder.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from symattn.checking.checker import Checker
from symattn.checking.graph.quantities import Graph, Valuation
from symattn.checking.graph.targets import Target, canonical
from symattn.checking.joint_resolution.weights import Weights, weights
from symattn.exact.field.quotient import Quotient
from symattn.notation.documents.reader import Format, format_of
from symattn.problem.model import read_problem
from tests.conformance.works import Work

EVIDENCE: Mapping[str, tuple[str, ...]] = {
    "fit": ("fit", "near", "misfit", "misfit_given", "misfit_hidden"),
    "names": ("name_declared", "name_word", "name_letter", "other_name", "part_unsaid"),
    "words": ("words_before", "heading", "said"),
    "operations": ("operation", "other_operation", "operands"),
    "indices": ("index", "other_index", "other_column"),
    "rows": ("row_said", "other_row", "row_said_before", "other_row_before", "column"),
    "order": ("continued", "next", "same_row", "same_quantity", "back"),
    "habits": ("local_kept", "parallel", "taken"),
    "reader": ("reader", "reader_guess"),
}
"""Kinds of evidence, with their weights."""

_DIGITS = re.compile(r"\d+[.,]\d+|\d+")

OPEN = "open"
"""What a statement is about that is not called wrong whatever its numbers, since it is not clear."""


@dataclass
class Count:
    """Statements by what became of their subject: the same, open, or another."""

    same: int = 0
    open: int = 0
    other: int = 0
    moved: int = 0

    def add(self, before: str, after: str) -> None:
        """Count one statement."""
        if before == after:
            self.same += 1
        elif after == OPEN:
            self.open += 1
        else:
            self.other += 1

    def __str__(self) -> str:
        every = self.same + self.open + self.other
        shares = [f"{name} {count} ({count / max(every, 1):.1%})" for name, count in self._parts()]
        return f"{every}: {', '.join(shares)}; neighbours moved {self.moved}"

    def _parts(self) -> Iterator[tuple[str, int]]:
        yield from (("same", self.same), ("open", self.open), ("other", self.other))


class Subjects:
    """The subjects of the statements of one work.

    Args:
        work: the work.
    """

    def __init__(self, work: Work) -> None:
        self.text = work.path.read_text("utf-8")
        self.form: Format = format_of(work.path.name)
        self.checker = Checker(read_problem(work.folder / "problem.toml"))
        self.right = Valuation(self.checker.graph)
        self.values: dict[str, tuple[Quotient | None, ...]] = {OPEN: ()}

    def of(self, text: str, table: Weights | None = None) -> dict[tuple[int, int], str]:
        """Return by the place of each statement with numbers what it is about."""
        work = self.checker.read(text, self.form)
        survey = self.checker.survey(work, self.checker.base(work))
        resolved = survey.resolved(table)
        found: dict[tuple[int, int], str] = {}
        for place, number in survey.order:
            item = resolved.found[place][number].item
            if item is not None:
                target, doubt = resolved.meant(place, number)
                # A number that is all that is known of a quantity may be any entry of it.
                is_any = target is not None and item.shape == (1, 1) and target.only is None
                is_open = target is None or bool(doubt) or is_any
                found[place[0]] = OPEN if is_open or target is None else self._name(target, resolved.graph)
        return found

    def _name(self, target: Target, graph: Graph) -> str:
        name = canonical(target, graph)
        if name not in self.values and target.name in self.checker.graph:
            self.values[name] = tuple(self.right.get(target.name, *place) for place in target.flat())
        return name

    def are_alike(self, one: str, other: str) -> bool:
        """Return whether two subjects have the same right values: nothing tells them apart, and no verdict differs."""
        return one in self.values and self.values[one] == self.values.get(other)

    def changed(self) -> Iterator[tuple[int, str]]:
        """Yield the work with another last digit, once for every number of it, and where the number stands."""
        for found in _DIGITS.finditer(self.text):
            last = found.end() - 1
            digit = str((int(self.text[last]) + 3) % 10)
            yield found.start(), f"{self.text[:last]}{digit}{self.text[last + 1 :]}"


def wrong_digits(work: Work, count: Count) -> None:
    """Count what becomes of each bound statement of a work, and of its neighbours, when its last number is wrong."""
    subjects = Subjects(work)
    before = subjects.of(subjects.text)
    bound = {place: name for place, name in before.items() if name != OPEN}
    last = {
        max((start for start, _ in subjects.changed() if place[0] <= start < place[1]), default=-1): place
        for place in bound
    }
    for start, text in subjects.changed():
        place = last.get(start)
        if place is None:
            continue
        after = subjects.of(text)
        count.add(bound[place], after.get(place, OPEN))
        others = (other for other in bound if other != place)
        count.moved += sum(after.get(other, OPEN) not in {OPEN, bound[other]} for other in others)


def without(work: Work, counts: Mapping[str, Count]) -> None:
    """Count what becomes of the bound statements of a work when a kind of evidence is left out.

    Another subject with the same right values counts as the same: such candidates do not compete.
    """
    subjects = Subjects(work)
    before = {place: name for place, name in subjects.of(subjects.text).items() if name != OPEN}
    for kind, names in EVIDENCE.items():
        after = subjects.of(subjects.text, replace(weights(), without=frozenset(names)))
        for place, name in before.items():
            other = after.get(place, OPEN)
            counts[kind].add(name, name if subjects.are_alike(name, other) else other)


def right(works: Iterable[Work]) -> list[Work]:
    """Return the works without a mistake."""
    return [work for work in works if work.known.get("first_mistake_line") is None]


def table(works: Iterable[Work]) -> str:
    """Return both counts of the right works as text."""
    digits, counts = Count(), {kind: Count() for kind in EVIDENCE}
    for work in right(works):
        wrong_digits(work, digits)
        without(work, counts)
    rows = [f"{kind:<12} {count}" for kind, count in counts.items()]
    return "\n".join([f"one wrong digit in each bound statement\n{digits}\n", "without one kind of evidence", *rows])
