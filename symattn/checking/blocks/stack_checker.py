"""Checking of work on a stack of blocks: each by its own problem, from the results found before it.

The work is read once and shared out to the blocks. What the numbers of one come to at its end goes into the next, so
a mistake is one mistake, however far what follows from it goes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from symattn.checking.blocks.block_assignment import Shared, shared_out
from symattn.checking.blocks.block_numbering import Counting, Ends, OfBlock, counting_of
from symattn.checking.checker import Checker, Judged, for_a_person
from symattn.checking.grading.block_inputs import BlockInput
from symattn.checking.grading.context import place_in
from symattn.checking.grading.dependencies import Consequences
from symattn.checking.grading.marks import Mistake, Share, marks_of_shares, shares_of
from symattn.checking.grading.policy_inference import Numbered, policy_of
from symattn.checking.grading.unrounded_values import NOTHING
from symattn.checking.names.binding import Binder
from symattn.checking.names.input_layer import without_layer_zero
from symattn.checking.report import Finding, Marks, Report
from symattn.errors import InputError
from symattn.graph.builders.stacks import following, input_of
from symattn.notation.documents.reader import Format, read_work
from symattn.notation.submission import Heading, Prose, Work, Written
from symattn.notation.tree import nodes as t
from symattn.problem.model import Problem
from symattn.records import dataclass


@dataclass(frozen=True, slots=True)
class _Block:
    """The judged part of a work on one block.

    Attributes:
        number: the number of the block.
        checker: who judged it.
        judged: every statement.
        places: for each of them, its place in the report.
        is_guessed: whether nothing but the order says that it is on this block.
    """

    number: int
    checker: Checker
    judged: Judged
    places: tuple[int, ...]
    is_guessed: bool


class StackChecker:
    """Checker of works against a problem of several blocks.

    Args:
        problem: what was asked.
        strict: whether only the sheet's own rounding is accepted.
    """

    def __init__(self, problem: Problem, *, strict: bool = False) -> None:
        self.problem = problem
        self.checkers = [Checker(replace(problem, later=()), strict=strict)]
        for later in problem.later:
            before = self.checkers[-1].layer
            if before is None:
                raise InputError("A problem of several blocks has attention in each of them.")
            own, start = following(later, before, problem.policy)
            into, source = input_of(own), before.output
            name = f"{source}@{len(self.checkers)}"
            block_input = BlockInput(source, name, into, own.inputs[into], None if start is None else start[into])
            self.checkers.append(Checker(own, strict=strict, block_input=block_input))

    def report(self, text: str, form: Format, source: str) -> Report:
        """Return the report on one work."""
        work = read_work(text, form)
        has_heads = any(checker.problem.heads > 1 for checker in self.checkers)
        kinds = [checker.problem.kind for checker in self.checkers]
        counting = counting_of(work, len(kinds), has_heads=has_heads, has_memory="cross" in kinds)
        shared = shared_out(work, kinds, counting, self._binder(self.checkers[0]))
        works = [self._of_block(work, counting, shared, number) for number in range(len(kinds))]
        others = [self._unread(work, piece) for piece in shared.others if not isinstance(piece, Heading)]
        blocks, places = self._judged(works, shared, others)
        findings = _in_order(blocks, dict(zip(places, others, strict=True)))
        return Report(
            source,
            work.text,
            tuple(findings),
            policy_of([self._numbered(block) for block in blocks], self.problem.policy),
            _first(blocks, findings),
            tuple(_marked(name, block.number) for block in blocks for name in block.checker.missing(block.judged)),
            self._marks(blocks),
            self._remarks(blocks, shared, work),
        )

    # Reading -------------------------------------------------------------------------------------------------

    def _of_block(self, work: Work, counting: Counting, shared: Shared, place: int) -> Work:
        """Return the part of a work on one block, with names as in a problem of that block alone."""
        ends = [self._ends(number) for number in range(max(0, place - 1), place + 1)]
        own = replace(work, pieces=shared.pieces[place])
        own = OfBlock(counting, ends[-1], ends[0] if place else None).of_work(own)
        checker = self.checkers[place]
        return checker.renamed(without_layer_zero(own, has_heads=checker.problem.heads > 1))

    def _ends(self, place: int) -> Ends:
        checker = self.checkers[place]
        binder = self._binder(checker)

        def named(node: t.Node) -> str | None:
            found = binder.head(node)
            return None if found is None else found[0]

        made = checker.layer.output if checker.layer is not None else "O"
        before = "" if checker.block_input is None else checker.block_input.name
        return Ends(place + 1, input_of(checker.problem), made, named, before)

    @staticmethod
    def _binder(checker: Checker) -> Binder:
        """Return the binder of names on a block before anything is read."""
        return Binder(checker.graph, checker.problem, None if checker.layer is None else checker.layer.scene)

    def _unread(self, work: Work, piece: Prose | Written) -> Finding:
        """Return the finding on a piece under a heading of a nonexistent block."""
        place, text = place_in(work, *piece.span), work.text[slice(*piece.span)].strip()
        if piece.withdrawn:
            return Finding(place, text, None, "withdrawn")
        if isinstance(piece, Prose):
            return Finding(place, text, None, "unchecked", is_claim=False)
        words = (
            f"It stands under the heading of a block that the problem does not have: there are {len(self.checkers)}."
        )
        return Finding(place, text, None, "unread", explanation=words)

    def _judged(
        self, works: Sequence[Work], shared: Shared, others: Sequence[Finding]
    ) -> tuple[list[_Block], tuple[int, ...]]:
        """Return every block judged from the numbers of the one before it, and the places of the other findings."""
        base = min(checker.base(work) for checker, work in zip(self.checkers, works, strict=True))
        guessed = {number for number, _ in shared.guessed}
        found: list[tuple[Checker, Judged]] = []
        for checker, work in zip(self.checkers, works, strict=True):
            handed = NOTHING if checker.block_input is None else checker.block_input.handed(found[-1][1].numbers)
            found.append(checker.settled(work, base, handed))
        all_found = [[link.finding for link in judged.links] for _, judged in found]
        *places, last = _places([*all_found, others])
        blocks = [
            _Block(number, checker, judged, places[number - 1], number in guessed)
            for number, (checker, judged) in enumerate(found, 1)
        ]
        return blocks, last

    # Putting together ----------------------------------------------------------------------------------------

    def _numbered(self, block: _Block) -> Numbered:
        """Return the numbers on a block, each with the place of its statement in the report."""
        own = block.checker.numbered(block.judged)
        return replace(own, stated=[replace(item, finding=block.places[item.finding]) for item in own.stated])

    def _marks(self, blocks: Sequence[_Block]) -> Marks | None:
        """Return the marks of all blocks; a mistake on the way to the next block is counted there."""
        shares: list[Share] = []
        before: tuple[Mistake, ...] = ()
        for block in blocks:
            checker, judged = block.checker, block.judged
            is_last = block.number == len(blocks)
            own, left = shares_of(judged.links, checker.problem, checker.graph, judged.numbers, before, is_last=is_last)
            shares.extend(
                replace(share, reasons=tuple(f"Block {block.number}: {reason}" for reason in share.reasons))
                for share in own
            )
            before = () if is_last else tuple(self._handed_on(left, block))
        return marks_of_shares(shares, self.problem)

    def _handed_on(self, mistakes: Sequence[Mistake], block: _Block) -> list[Mistake]:
        """Return mistakes as seen from the next block: in the entries of its input that depend on them."""
        block_input, graph = self.checkers[block.number].block_input, block.checker.graph
        consequences = Consequences(graph)
        if block_input is None:
            return []
        found = []
        for mistake in mistakes:
            cells = [cell for cell in graph.cells(block_input.source) if consequences.rests_on(cell, mistake.cells)]
            if cells:
                here = tuple((block_input.name, *cell[1:]) for cell in cells)
                found.append(Mistake(here, f"{mistake.words} of block {block.number}"))
        return found

    def _remarks(self, blocks: Sequence[_Block], shared: Shared, work: Work) -> tuple[str, ...]:
        """Return the remarks on the whole work, each once."""
        found: list[str] = []
        for number, start in shared.guessed:
            line = work.position(start)[0]
            found.append(
                f"No heading says where block {number} begins: what stands from line {line} on is taken for it, where "
                f"the quantities come again. Write 'Block {number}' above it."
            )
        found.extend(
            f"Nothing in this submission belongs to block {block.number}: write 'Block {block.number}' above its part, "
            f"or Q@{block.number} for its quantities."
            for block in blocks
            if not any(not isinstance(piece, Prose) for piece in shared.pieces[block.number - 1])
        )
        for block in blocks:
            found.extend(block.checker.habits(block.judged))
        found.extend(f"Block {b.number}: {remark}" for b in blocks for remark in b.checker.remarks(b.judged))
        return tuple(dict.fromkeys((*found, *for_a_person(self.problem))))


def _places(findings: Sequence[Sequence[Finding]]) -> list[tuple[int, ...]]:
    """Return, for each finding of each block, its place among all, in the order of the text."""
    keys: list[tuple[int, int, int]] = []
    for number, own in enumerate(findings):
        reached = 0
        for position, finding in enumerate(own):
            reached = max(reached, finding.place.start)
            keys.append((reached, number, position))
    found = [[0] * len(own) for own in findings]
    for place, (_, number, position) in enumerate(sorted(keys)):
        found[number][position] = place
    return [tuple(own) for own in found]


def _in_order(blocks: Sequence[_Block], others: Mapping[int, Finding]) -> list[Finding]:
    """Return the findings of all blocks in the order of the text, each name with the number of its block."""
    found = dict(others)
    for block in blocks:
        for place, finding in zip(block.places, block.checker.findings(block.judged), strict=True):
            name = None if finding.name is None else _marked(finding.name, block.number)
            found[place] = replace(finding, name=name)
            if block.is_guessed and finding.verdict in {"wrong", "follows"}:
                words = f"{finding.explanation} It is taken to be on block {block.number}.".strip()
                found[place] = replace(found[place], guess=True, explanation=words)
    return [found[place] for place in sorted(found)]


def _marked(name: str, number: int) -> str:
    """Return a name with the number of its block.

    >>> _marked("Q[1,2]", 2), _marked("R_2@1", 2)
    ('Q@2[1,2]', 'R_2@1')
    """
    head, bracket, place = name.partition("[")
    return name if "@" in head else f"{head}@{number}{bracket}{place}"


def _first(blocks: Sequence[_Block], findings: Sequence[Finding]) -> int | None:
    """Return the first mistake: in the earliest block, of the quantity computed first there."""
    ranks = [
        (block.number, block.checker.rank(link), place)
        for block in blocks
        for place, link in zip(block.places, block.judged.links, strict=True)
        if findings[place].verdict == "wrong"
    ]
    return min(ranks)[2] if ranks else None
