"""Marks: half of each entry for the working, half for the value; what follows from a mistake costs no more."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from symattn.checking.asked import asked_of, by_hand, cells_asked
from symattn.checking.graph import Axis, Cell, Graph, Ratio, Ref
from symattn.checking.link import Link
from symattn.checking.numbers import Numbers
from symattn.checking.report import Marks, PartMarks, Verdict
from symattn.checking.sentences import entry_label
from symattn.exact.quotient import Quotient
from symattn.problem.model import Part, Problem
from symattn.records import dataclass


def scheme(share: Fraction) -> str:
    """The scheme in words."""
    return (
        f"The points of a part are divided equally over the entries that it asks for: {share} of each for the "
        f"method (the right operation on the person's own numbers), {1 - share} for the accuracy. What follows "
        "from an earlier mistake earns both; a slip, a truncated value or too few places earn the method alone; "
        "a right value with wrong or no working earns the accuracy alone."
    )


_ACCURATE: frozenset[Verdict] = frozenset({"right", "rounded", "carried", "follows"})
_MAX_NAMED = 9


@dataclass(frozen=True, slots=True)
class Earned:
    """What is known of one entry: the word for its value, whether it was worked out rightly, and where."""

    verdict: Verdict | None
    method: bool | None
    line: int


def marks_of(links: list[Link], problem: Problem, graph: Graph, numbers: Numbers) -> Marks | None:
    """Marks of the parts with points that a program can judge, None when there are none."""
    parts = []
    known = _known(links)
    trivial = _Trivial(graph, numbers)
    for number, part in enumerate(problem.parts):
        names = asked_of(part)
        if part.points is None or not names or by_hand(part):
            continue
        cells = [cell for name in names for cell in cells_asked(name, part, problem, graph)]
        parts.append(
            _part(
                _label(part, number),
                part.points,
                cells,
                _with_steps(known, graph),
                trivial.reason,
                problem.method_share,
            )
        )
    return Marks(tuple(parts), scheme(problem.method_share)) if parts else None


def _label(part: Part, number: int) -> str:
    letter = f"({chr(ord('a') + number)})" if number < 26 else f"({number + 1})"
    return f"{letter} {part.title}".strip()


def _known(links: list[Link]) -> dict[Cell, Earned]:
    """The last word on each entry; working counts wherever it stands."""
    found: dict[Cell, Earned] = {}
    formulas: set[Cell] = set()
    for link in links:
        if link.finding.verdict == "withdrawn":
            continue
        line = link.finding.place.line
        for cell, is_right in link.method:
            before = found.get(cell, Earned(None, None, line))
            found[cell] = Earned(before.verdict, is_right or bool(before.method), line)
        formulas.update(cell for cell, is_right in link.formula if is_right)
        for cell, verdict in link.verdicts:
            before = found.get(cell, Earned(None, None, line))
            found[cell] = Earned(verdict, before.method, line)
    for cell, earned in found.items():
        if cell in formulas and earned.method is None:
            found[cell] = Earned(earned.verdict, True, earned.line)  # noqa: FBT003 - a field
    return found


def _with_steps(known: dict[Cell, Earned], graph: Graph) -> dict[Cell, Earned]:
    """Exponentials and row sums that stand there rightly are the working of the weights made from them."""
    found = dict(known)
    for cell, earned in known.items():
        formula = graph.nodes[cell[0]].formula
        if not isinstance(formula, Ratio) or earned.method is not None:
            continue
        names = [part.name for part in (formula.numerator, formula.denominator) if isinstance(part, Ref)]
        lines = [known.get(step) for step in _steps(names, cell, formula.axis)]
        if len(names) == 2 and all(step is not None and step.verdict in _ACCURATE for step in lines):
            found[cell] = Earned(earned.verdict, True, earned.line)  # noqa: FBT003 - a field
    return found


def _steps(names: list[str], cell: Cell, axis: Axis) -> list[Cell]:
    """The exponential of an entry, and the sum of its line."""
    line = cell[1] if axis == "rows" else cell[2]
    return [(names[0], cell[1], cell[2]), (names[-1], line, 0)]


def _part(
    label: str,
    points: Fraction,
    cells: list[Cell],
    known: dict[Cell, Earned],
    trivial: Callable[[Cell], str],
    method: Fraction,
) -> PartMarks:
    each = points / len(cells)
    earned = Fraction(0)
    reasons: dict[str, list[Cell]] = {}
    for cell in cells:
        share, reason = _entry(cell, known.get(cell), trivial, method)
        earned += each * share
        if reason:
            reasons.setdefault(reason, []).append(cell)
    return PartMarks(label, points, earned, tuple(_sentence(why, found, known) for why, found in reasons.items()))


def _sentence(reason: str, cells: list[Cell], known: dict[Cell, Earned]) -> str:
    """Why entries do not earn everything, named together: ``V[2,2], V[3,2]: wrong (lines 42, 44).``."""
    labels = ", ".join(entry_label(cell) for cell in cells[:_MAX_NAMED])
    more = f" and {len(cells) - _MAX_NAMED} more" if len(cells) > _MAX_NAMED else ""
    lines = sorted({known[cell].line for cell in cells if cell in known})
    where = ", ".join(map(str, lines[:_MAX_NAMED])) + (", …" if len(lines) > _MAX_NAMED else "")
    place = f" (line{'s' * (len(lines) > 1)} {where})" if lines else ""
    return f"{labels}{more}: {reason}{place}."


def _entry(cell: Cell, known: Earned | None, trivial: Callable[[Cell], str], share: Fraction) -> tuple[Fraction, str]:
    """What part of its points an entry earns, and why not all of them."""
    if known is None or known.verdict is None:
        has_method = known is not None and known.method
        return (share, "no value") if has_method else (Fraction(0), "not found")
    if known.verdict == "follows":
        reason = trivial(cell)
        return (1 - share, reason) if reason else (Fraction(1), "")
    is_accurate = known.verdict in _ACCURATE
    if is_accurate and known.method:
        return Fraction(1), ""
    if is_accurate:
        why = "the working is wrong" if known.method is False else "no working is shown"
        return 1 - share, f"the value is right, {why}"
    if known.method:
        return share, "the working is right, the value is not"
    return Fraction(0), "wrong"


class _Trivial:
    """Whether a wrong earlier value makes the later work easier than it should be."""

    def __init__(self, graph: Graph, numbers: Numbers) -> None:
        self.graph = graph
        self.numbers = numbers

    def reason(self, cell: Cell) -> str:
        """Why the method of an entry is not shown, nothing when it is."""
        for parent in sorted(self.graph.parents(cell[0])):
            found = self._line(parent, cell)
            if found and not found[1] and found[0]:
                return f"it follows from {parent}, whose {found[0]} leaves nothing to be worked out"
        return ""

    def _line(self, parent: str, cell: Cell) -> tuple[str, str] | None:
        rows, columns = self.graph.shape(parent)
        if self.graph.nodes[parent].formula is None or cell[1] >= rows:
            return None
        places = [(parent, cell[1], j) for j in range(columns)]
        if not any(place in self.numbers.prints for place in places):
            return None
        own = [self.numbers.own().get(*place) for place in places]
        right = [self.numbers.exact(place) for place in places]
        return _kind(own), _kind(right)


def _kind(line: list[Quotient | None]) -> str:
    values = [None if value is None else value.rational() for value in line]
    if len(values) < 2 or any(value is None for value in values):
        return ""
    if all(value == 0 for value in values):
        return "row of zeros"
    if sorted(value or Fraction(0) for value in values) == [Fraction(0)] * (len(values) - 1) + [Fraction(1)]:
        return "row with a single 1"
    return "constant row" if len(set(values)) == 1 else ""
