"""Marks: half of each entry for the working, half for the value; consequences of a mistake cost no more.

A mistake in the working of an entry is a mistake of its own, even where the value then follows from it. One
that is made on the way, in a quantity that earns nothing itself, is counted once, at an entry that rests on it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

from symattn.checking.grading.explanations import entry_label
from symattn.checking.grading.link import Consequences, Link
from symattn.checking.grading.value_verdicts import Numbers
from symattn.checking.graph.formulas import Axis, Cell, argument_of_softmax, axis_of_weights
from symattn.checking.graph.quantities import Graph, Valuation, line_of
from symattn.checking.graph.requested_quantities import (
    asked_of,
    by_hand,
    cells_asked,
    hidden_beside,
    with_joint,
    with_scaled,
)
from symattn.checking.mistake_catalogue import KINDS
from symattn.checking.report import HOLDS, Marks, PartMarks, Verdict
from symattn.exact.field.quotient import Quotient
from symattn.operations.formulas.formula import Ref, parts
from symattn.problem.model import Part, Problem
from symattn.records import dataclass


def scheme(share: Fraction) -> str:
    """Return the scheme in words."""
    return (
        f"The points of a part are divided equally over the entries that it asks for: {share} of each for the "
        f"method (the right operation on the person's own numbers), {1 - share} for the accuracy. What follows "
        "from an earlier mistake earns both; a slip, a truncated value or too few places earn the method alone; "
        "a value that is right, or follows, with wrong or no working earns the accuracy alone."
    )


_ACCURATE: frozenset[Verdict] = frozenset({"right", "rounded", "carried", "follows"})
_SHORT: dict[Verdict, str] = {
    "coarse": "fewer places than asked",
    "truncated": "cut off instead of rounded",
}
_MAX_NAMED = 9


@dataclass(frozen=True, slots=True)
class Earned:
    """State of one entry for marking.

    Attributes:
        verdict: the word for its value.
        method: whether it was worked out rightly, None where no working is shown.
        line: where.
        alike: whether some working of it is right but for a slip.
        slip: whether its value follows from a mistake of its own working.
        counted: a mistake on the way to it that is counted here, in words.
    """

    verdict: Verdict | None
    method: bool | None
    line: int
    alike: bool = False
    slip: bool = False
    counted: str = ""


@dataclass(frozen=True, slots=True)
class Share:
    """Share of the points that a part's entries earn together, on one of several blocks or overall.

    Attributes:
        part: the number of the part, from 0.
        entries: how many there are.
        earned: how many of them, in parts of one, are earned.
        reasons: a sentence for each reason why not all are.
    """

    part: int
    entries: int
    earned: Fraction
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Mistake:
    """A mistake in quantities that earn nothing: their entries, and its place in words."""

    cells: tuple[Cell, ...]
    words: str


def marks_of(links: list[Link], problem: Problem, graph: Graph, numbers: Numbers) -> Marks | None:
    """Return marks of the parts with points that a program can judge, None when there are none."""
    return marks_of_shares(shares_of(links, problem, graph, numbers)[0], problem)


def marks_of_shares(shares: Sequence[Share], problem: Problem) -> Marks | None:
    """Return the marks that several blocks earn, each entry of a part weighing the same; None without points."""
    parts = []
    for number, part in enumerate(problem.parts):
        own = [share for share in shares if share.part == number]
        if not own or part.points is None:
            continue
        earned = part.points * sum(share.earned for share in own) / sum(share.entries for share in own)
        reasons = tuple(reason for share in own for reason in share.reasons)
        parts.append(PartMarks(_label(part, number), part.points, earned, reasons))
    return Marks(tuple(parts), scheme(problem.method_share)) if parts else None


def shares_of(
    links: list[Link],
    problem: Problem,
    graph: Graph,
    numbers: Numbers,
    before: Sequence[Mistake] = (),
    *,
    is_last: bool = True,
) -> tuple[list[Share], tuple[Mistake, ...]]:
    """Return the share that each part with points earns, and intermediate mistakes for the next block to count.

    Args:
        links: what was judged.
        problem: what was asked.
        graph: the quantities.
        numbers: what was written.
        before: such mistakes on the block before, in the entries of this one that they change.
        is_last: whether no block comes after.
    """
    known = _renormalised(links, _with_steps(_known(links), graph), graph)
    # Who works out the part of each head has all of a projection.
    known = {**{whole: known[part] for part, whole in with_joint(known, graph).items()}, **known}
    hidden = hidden_beside([cell for cell in known if known[cell].verdict], problem, numbers.base)
    known = {**{cell: Earned("right", None, known[shown].line) for cell, shown in hidden.items()}, **known}
    known, answering = _with_scaled(known, graph)
    trivial = _Trivial(graph, numbers)
    asked = cells_with_points(problem, graph, numbers.base)
    every = [cell for _, cells in asked for cell in cells]
    paid = {cell for cell, plain in answering.items() if plain in every}
    way = _Way(graph, every, paid)
    known, left = way.counted(links, known, before)
    shares = [_share(number, cells, known, trivial.reason, problem.method_share) for number, cells in asked]
    return shares, () if is_last else tuple(mistake for mistake in left if not way.is_asked_for(mistake))


def cells_with_points(problem: Problem, graph: Graph, values: Valuation) -> list[tuple[int, list[Cell]]]:
    """Return the entries that each part with points asks for, with the number of the part, from 0.

    Parts that need a person's eye are left out.
    """
    asked: list[tuple[int, list[Cell]]] = []
    for number, part in enumerate(problem.parts):
        names = asked_of(part, graph)
        if part.points is None or not names or by_hand(part):
            continue
        cells = [cell for name in names for cell in cells_asked(name, part, problem, values)]
        if cells:
            asked.append((number, cells))
    return _once(asked)


def _once(asked: list[tuple[int, list[Cell]]]) -> list[tuple[int, list[Cell]]]:
    """Return the parts with each entry in one of them, the most specific: dS of ``gradients`` and of its own.

    A part that asks for nothing else keeps its entries.
    """
    taken: dict[Cell, int] = {}
    for number, cells in sorted(asked, key=lambda item: len(item[1])):
        for cell in cells:
            taken.setdefault(cell, number)
    return [(number, [cell for cell in cells if taken[cell] == number] or cells) for number, cells in asked]


def _with_scaled(known: dict[Cell, Earned], graph: Graph) -> tuple[dict[Cell, Earned], dict[Cell, Cell]]:
    """Let scaled scores answer for the scores where only these are given: which do, and for which."""
    pairs = with_scaled(known, graph).items()
    found = {
        cell: plain for cell, plain in pairs if known[cell].verdict and (plain not in known or not known[plain].verdict)
    }
    return {**known, **{plain: known[cell] for cell, plain in found.items()}}, found


def _label(part: Part, number: int) -> str:
    letter = f"({chr(ord('a') + number)})" if number < 26 else f"({number + 1})"
    return f"{letter} {part.title}".strip()


def _known(links: list[Link]) -> dict[Cell, Earned]:
    """Return the final state of each entry; working counts wherever it stands."""
    found: dict[Cell, Earned] = {}
    formulas: set[Cell] = set()
    slips: set[tuple[Cell, Fraction]] = set()
    for link in links:
        if link.finding.verdict == "withdrawn":
            continue

        def of(cell: Cell, line: int = link.finding.place.line) -> Earned:
            return replace(found.get(cell, Earned(None, None, line)), line=line)

        for cell, is_right in link.method:
            found[cell] = replace(of(cell), method=is_right or bool(of(cell).method))
        for cell, is_alike in link.broken:
            found[cell] = replace(of(cell), alike=is_alike or of(cell).alike)
        formulas.update(cell for cell, is_right in link.formula if is_right)
        values = {cell: number.value for cell, number, _ in link.stated}
        slips.update((cell, values[cell]) for cell in link.slips if cell in values)
        for cell, verdict in link.verdicts:
            is_slip = verdict == "follows" and (cell, values.get(cell)) in slips
            found[cell] = replace(of(cell), verdict=verdict, slip=is_slip)
    for cell, earned in found.items():
        if cell in formulas and earned.method is None:
            found[cell] = replace(earned, method=True)
    return found


def _with_steps(known: dict[Cell, Earned], graph: Graph) -> dict[Cell, Earned]:
    """Count correctly written exponentials and row sums as working of the weights made from them."""
    found = dict(known)
    for cell, earned in known.items():
        formula = graph.nodes[cell[0]].formula
        axis = axis_of_weights(formula)
        if formula is None or axis is None or argument_of_softmax(formula) is not None or earned.method is not None:
            continue
        names = [part.name for part in parts(formula)[:2] if isinstance(part, Ref)]
        if len(names) != 2:
            continue  # the numerator, or the denominator, is unnamed
        lines = [known.get(step) for step in _steps(names, cell, axis)]
        if all(step is not None and step.verdict in _ACCURATE for step in lines):
            found[cell] = replace(earned, method=True)
    return found


def _renormalised(links: list[Link], known: dict[Cell, Earned], graph: Graph) -> dict[Cell, Earned]:
    """Accept the working of weights masked after the softmax where the whole line then came out right."""
    found = dict(known)
    late = {cell for link in links if _is_late(link) for cell, _ in link.formula}
    for cell in late & known.keys():
        axis, earned = axis_of_weights(graph.nodes[cell[0]].formula) or "rows", known[cell]
        line = [known.get((cell[0], *place)) for place in line_of(graph.shape(cell[0]), axis, cell[1], cell[2])]
        if earned.method is None:
            is_right = all(other is not None and other.verdict in _ACCURATE for other in line)
            found[cell] = replace(earned, method=is_right)
    return found


def _is_late(link: Link) -> bool:
    diagnosis = link.finding.diagnosis
    return diagnosis is not None and diagnosis.code == "mask-after" and link.finding.verdict == "wrong"


def _steps(names: list[str], cell: Cell, axis: Axis) -> list[Cell]:
    """Return the exponential of an entry, and the sum of its line."""
    line = cell[1] if axis == "rows" else cell[2]
    return [(names[0], cell[1], cell[2]), (names[1], line, 0)]


def _share(
    part: int, cells: list[Cell], known: dict[Cell, Earned], trivial: Callable[[Cell], str], method: Fraction
) -> Share:
    earned = Fraction(0)
    reasons: dict[str, list[Cell]] = {}
    for cell in cells:
        share, reason = _entry(cell, known.get(cell), trivial, method)
        earned += share
        if reason:
            reasons.setdefault(reason, []).append(cell)
    sentences = tuple(_sentence(why, found, known) for why, found in reasons.items())
    return Share(part, len(cells), earned, sentences)


def _sentence(reason: str, cells: list[Cell], known: dict[Cell, Earned]) -> str:
    """Return the reason why entries lose points, named together: ``V[2,2], V[3,2]: wrong (lines 42, 44).``."""
    labels = ", ".join(entry_label(cell) for cell in cells[:_MAX_NAMED])
    more = f" and {len(cells) - _MAX_NAMED} more" if len(cells) > _MAX_NAMED else ""
    lines = sorted({known[cell].line for cell in cells if cell in known})
    where = ", ".join(map(str, lines[:_MAX_NAMED])) + (", …" if len(lines) > _MAX_NAMED else "")
    place = f" (line{'s' * (len(lines) > 1)} {where})" if lines else ""
    return f"{labels}{more}: {reason}{place}."


def _entry(cell: Cell, known: Earned | None, trivial: Callable[[Cell], str], share: Fraction) -> tuple[Fraction, str]:
    """Return the fraction of its points that an entry earns, and the reason for any loss."""
    if known is None or known.verdict is None:
        has_method = known is not None and known.method
        return (share, "no value") if has_method else (Fraction(0), "not found")
    if known.slip:
        is_alike = known.alike or bool(known.method)
        return (share, "a slip in its own working") if is_alike else (Fraction(0), "wrong")
    if known.verdict == "follows" and known.method is not False:
        reason = trivial(cell) or known.counted
        if reason:
            left = share if known.counted else 1 - share
            return (left if known.method else min(left, 1 - share)), reason
        # What follows from a mistake earns no more than what is right.
        return (Fraction(1), "") if known.method else (1 - share, "the value follows, no working is shown")
    is_accurate = known.verdict in _ACCURATE
    if is_accurate and known.method and not known.counted:
        return Fraction(1), ""
    if is_accurate:
        way = "the working is wrong" if known.method is False else known.counted or "no working is shown"
        return 1 - share, f"the value is right, {way}"
    why = _SHORT.get(known.verdict, "")
    if known.method:
        return share, why or "the working is right, the value is not"
    return Fraction(0), f"{why}, and no working is shown" if why and known.method is None else "wrong"


_MOST_COUNTED = 12
"""Mistakes on the way beyond which the marks are low enough."""


class _Way:
    """Count of intermediate mistakes, each once, at the first requested entry that depends on it.

    Args:
        graph: the quantities.
        asked: every entry that earns something.
        paid: other entries, in the place of which one of these pays.
    """

    def __init__(self, graph: Graph, asked: list[Cell], paid: Collection[Cell] = ()) -> None:
        self.consequences = Consequences(graph)
        self.asked = dict.fromkeys(asked)
        self.paid = {*asked, *paid}

    def counted(
        self, links: list[Link], known: dict[Cell, Earned], before: Sequence[Mistake]
    ) -> tuple[dict[Cell, Earned], list[Mistake]]:
        """Return the state of each entry, with the mistakes that are counted there; and those counted nowhere."""
        found = dict(known)
        right = {cell for cell, earned in known.items() if earned.verdict in HOLDS}
        left: list[Mistake] = []
        for number, mistake in enumerate((*before, *self._mistakes(links, right))):
            cell = self._place(mistake, found) if number < _MOST_COUNTED else None
            if cell is not None:
                found[cell] = replace(found[cell], counted=f"a mistake on the way, in {mistake.words}, counts here")
            elif number < _MOST_COUNTED:
                left.append(mistake)
        return found, left

    def is_asked_for(self, mistake: Mistake) -> bool:
        """Return whether something that is asked for rests on a mistake."""
        return any(self.consequences.rests_on(cell, mistake.cells) for cell in self.asked)

    def _mistakes(self, links: list[Link], right: set[Cell]) -> Iterator[Mistake]:
        """Yield the mistakes in unrequested quantities, each once however often repeated, none that was corrected."""
        seen: set[tuple[Cell, Fraction | None]] = set()
        causes: set[tuple[str, str]] = set()
        for link in links:
            wrong = {cell: value for cell, value in _wrong(link) if cell not in self.paid and cell not in right}
            code = "" if link.finding.diagnosis is None else link.finding.diagnosis.code
            same = {(cell[0], code) for cell in wrong} if code in KINDS["once"] else set()
            if wrong and not (wrong.items() <= seen or same & causes):
                first = next(iter(wrong))
                yield Mistake(tuple(wrong), f"{entry_label(first)} (line {link.finding.shown_at.line})")
            seen |= wrong.items()
            causes |= same

    def _place(self, mistake: Mistake, known: dict[Cell, Earned]) -> Cell | None:
        """Return the first entry that follows from a mistake, else the first that should; None where none is there."""
        free = [cell for cell in self.asked if cell in known and _may_pay(known[cell])]
        free.sort(key=lambda cell: known[cell].verdict != "follows")
        return next((cell for cell in free if self.consequences.rests_on(cell, mistake.cells)), None)


def _wrong(link: Link) -> Iterator[tuple[Cell, Fraction | None]]:
    """Yield entries that a link gives a wrong number, each with it; consequences of earlier ones are skipped."""
    if link.finding.verdict == "withdrawn" or link.finding.guess:
        return
    own = {*link.slips, *(cell for cell, word in link.verdicts if word == "wrong")}
    yield from ((cell, number.value) for cell, number, _ in link.stated if cell in own)
    yield from ((cell, None) for cell, holds in link.hidden if not holds)
    if link.target is None:
        # ``e^2 = 7.93`` is about no quantity in particular.
        yield from ((cell, number.value) for cell, number, holds in link.taken if not holds)


def _may_pay(earned: Earned) -> bool:
    """Return whether an entry earns enough to pay for an intermediate mistake."""
    if earned.counted or earned.slip or earned.verdict not in _ACCURATE:
        return False
    return earned.method is not False if earned.verdict == "follows" else bool(earned.method)


class _Trivial:
    """Test for a wrong earlier value that makes the later work easier than it should be."""

    def __init__(self, graph: Graph, numbers: Numbers) -> None:
        self.graph = graph
        self.numbers = numbers

    def reason(self, cell: Cell) -> str:
        """Return the reason why the method of an entry is not shown, nothing when it is."""
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
