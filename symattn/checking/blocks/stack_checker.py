"""Checking of work on a stack of blocks, or on a batch: each by its own problem, a block from what came before it.

The work is read once and shared out to the blocks: by headings, words before formulas, names, else by order. What the
numbers of one come to at its end goes into the next, so a mistake is one mistake, however far its consequences go.
Sequences of a batch are shared out in the same way, and start from their own inputs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import replace
from typing import TypeAlias

from symattn.checking.blocks.block_numbering import Counting, Ends, OfBlock, counting_of, joined_at
from symattn.checking.blocks.block_references import (
    Said,
    Unit,
    block_of_heading,
    block_of_prose,
    groups_of,
    kind_said,
)
from symattn.checking.checker import Checker, Judged, for_a_person
from symattn.checking.context import place_in
from symattn.checking.grading.block_inputs import BlockInput
from symattn.checking.grading.link import Consequences, Link
from symattn.checking.grading.marks import Mistake, Share, marks_of_shares, shares_of
from symattn.checking.grading.policy_inference import Numbered, policy_of
from symattn.checking.grading.unrounded_values import NOTHING, Handed
from symattn.checking.names.binding import Binder
from symattn.checking.names.raised_numbers import without_layer_zero
from symattn.checking.report import Checks, Finding, Marks, Report
from symattn.errors import InputError
from symattn.graph.builders.layer import base_of, is_of_gradients
from symattn.graph.builders.stacks import following, with_gradients
from symattn.notation.documents.reader import Format, read_work
from symattn.notation.lexicon.translation import in_english
from symattn.notation.submission import Heading, Piece, Prose, Work, Written
from symattn.notation.tree import nodes as t
from symattn.problem.components.stacks import input_of
from symattn.problem.model import Problem
from symattn.records import dataclass


@dataclass(frozen=True, slots=True)
class _Block:
    """The judged part of a work on one block or sequence.

    Attributes:
        number: the number of the block or sequence.
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
    """Checker of works against a problem of several blocks, or of a batch.

    Args:
        problem: what was asked.
        strict: whether only the sheet's own rounding is accepted.
    """

    def __init__(self, problem: Problem, *, strict: bool = False) -> None:
        self.problem = problem = with_gradients(problem)
        self.unit: Unit = "sequence" if problem.batch else "block"
        sequences = [problem.inputs_of(number) for number in range(1, problem.batch + 1)]
        self.checkers = [Checker(item, strict=strict) for item in sequences or [replace(problem, later=())]]
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
        # A raised number may be that of a head, or of a block of keys.
        has_heads = any(checker.problem.heads > 1 or checker.problem.online for checker in self.checkers)
        kinds = [checker.problem.kind for checker in self.checkers]
        counting = counting_of(work, len(kinds), self.unit, has_heads=has_heads, has_memory="cross" in kinds)
        shared = shared_out(work, kinds, counting, self._binder(self.checkers[0]))
        works = [self._of_block(work, counting, shared, number) for number in range(len(kinds))]
        others = [self._unread(work, piece) for piece in shared.others if not isinstance(piece, Heading)]
        blocks, places = self._judged(works, shared, others)
        findings = _in_order(blocks, dict(zip(places, others, strict=True)), self.unit)
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
        earlier = self._ends(place - 1) if place and self.unit == "block" else None
        own = replace(work, pieces=shared.pieces[place])
        own = OfBlock(counting, self._ends(place), earlier).of_work(own)
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
        place, text = place_in(work, *piece.span), work.shown[slice(*piece.span)].strip()
        if piece.withdrawn:
            return Finding(place, text, None, "withdrawn")
        if isinstance(piece, Prose):
            return Finding(place, text, None, "unchecked", is_claim=False)
        words = (
            f"It stands under the heading of a {self.unit} that the problem does not have: there are "
            f"{len(self.checkers)}."
        )
        return Finding(place, text, None, "unread", explanation=words)

    def _judged(
        self, works: Sequence[Work], shared: Shared, others: Sequence[Finding]
    ) -> tuple[list[_Block], tuple[int, ...]]:
        """Return every block judged from the numbers of the one before it, and the places of the other findings."""
        base = min(checker.base(work) for checker, work in zip(self.checkers, works, strict=True))
        guessed = {number for number, _ in shared.guessed}
        found: list[tuple[Checker, Judged]] = []
        forward: list[Handed] = []
        for checker, work in zip(self.checkers, works, strict=True):
            handed = NOTHING if checker.block_input is None else checker.block_input.handed(found[-1][1].numbers)
            forward.append(handed)
            found.append(checker.settled(work, base, handed))
        for place in range(len(found) - 2, -1, -1):
            back = self._gradient_after(place)
            handed = NOTHING if back is None else back.handed(found[place + 1][1].numbers)
            if back is not None and any(not item.holds for item in handed.prints.values()):
                checker = copy(self.checkers[place])
                checker.graph = back.opened(checker.graph)
                found[place] = checker.settled(works[place], base, forward[place].with_others(handed))
        found = [
            (own, replace(judged, links=[self._left_open(link) for link in judged.links])) for own, judged in found
        ]
        all_found = [[link.finding for link in judged.links] for _, judged in found]
        *places, last = _places([*all_found, others])
        blocks = [
            _Block(number, checker, judged, places[number - 1], number in guessed)
            for number, (checker, judged) in enumerate(found, 1)
        ]
        return blocks, last

    def _gradient_after(self, place: int) -> BlockInput | None:
        """Return the gradient at the input of the next block, from which the backward pass of this one starts."""
        layer, graph, later = self.checkers[place].layer, self.checkers[place].graph, self.checkers[place + 1]
        source, start = f"d{input_of(later.problem)}", "" if layer is None else f"d{layer.output}"
        if self.unit == "sequence" or source not in later.graph or start not in graph.given:
            return None
        return BlockInput(source, f"{source}@{place + 2}", start, graph.given[start], None)

    def _left_open(self, link: Link) -> Link:
        """Return a statement on a gradient at what all sequences share, left open where it is not that of one.

        It may be meant of the loss of all sequences together.
        """
        of = (link.finding.name or "").partition("[")[0].removeprefix("d")
        is_shared = of in self.problem.inputs and of not in self.problem.sequences
        if not self.problem.batch or not is_shared or link.finding.verdict not in {"wrong", "follows"}:
            return link
        words = f"It is not the gradient at {of} of this sequence; it may be meant of all sequences together."
        finding = replace(
            link.finding, verdict="undecided", explanation=words, checks=Checks(), diagnosis=None, entries=None
        )
        return Link(finding, link.target)

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
            is_last = block.number == len(blocks) or self.unit == "sequence"
            own, left = shares_of(judged.links, checker.problem, checker.graph, judged.numbers, before, is_last=is_last)
            shares.extend(
                replace(
                    share,
                    reasons=tuple(f"{self.unit.capitalize()} {block.number}: {reason}" for reason in share.reasons),
                )
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
        unit = self.unit.capitalize()
        for number, start in shared.guessed:
            line = work.position(start)[0]
            found.append(
                f"No heading says where {self.unit} {number} begins: what stands from line {line} on is taken for it, "
                f"where the quantities come again. Write '{unit} {number}' above it."
            )
        found.extend(
            f"Nothing in this submission belongs to {self.unit} {block.number}: write '{unit} {block.number}' above "
            f"its part, or Q@{block.number} for its quantities."
            for block in blocks
            if not any(not isinstance(piece, Prose) for piece in shared.pieces[block.number - 1])
        )
        for block in blocks:
            found.extend(block.checker.habits(block.judged))
        found.extend(f"{unit} {b.number}: {remark}" for b in blocks for remark in b.checker.remarks(b.judged))
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


def _in_order(blocks: Sequence[_Block], others: Mapping[int, Finding], unit: Unit) -> list[Finding]:
    """Return the findings of all blocks in the order of the text, each name with the number of its block."""
    found = dict(others)
    for block in blocks:
        for place, finding in zip(block.places, block.checker.findings(block.judged), strict=True):
            name = None if finding.name is None else _marked(finding.name, block.number)
            found[place] = replace(finding, name=name)
            if block.is_guessed and finding.verdict in {"wrong", "follows"}:
                words = f"{finding.explanation} It is taken to be on {unit} {block.number}.".strip()
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
    """Return the first mistake: in the earliest block, of the quantity computed first there.

    The backward pass comes after all blocks, and goes from the last one to the first.
    """
    ranks = [
        (is_back, -block.number if is_back else block.number, rank, place)
        for block in blocks
        for links in [block.judged.links]
        for place, link, rank in zip(block.places, links, block.checker.ranks(links), strict=True)
        for is_back in [link.target is not None and is_of_gradients(link.target.name)]
        if findings[place].verdict == "wrong"
    ]
    return min(ranks)[-1] if ranks else None


_PROJECTED = frozenset({"Q", "K", "V"})


@dataclass(frozen=True, slots=True)
class Shared:
    """Pieces of a work on each block.

    Attributes:
        pieces: those of each block, in the order of the work.
        others: what stands under a heading of a block that there is not.
        guessed: for each block whose beginning nothing says but the order, where it is taken to begin.
    """

    pieces: tuple[tuple[Piece, ...], ...]
    others: tuple[Piece, ...] = ()
    guessed: tuple[tuple[int, int], ...] = ()


def shared_out(work: Work, kinds: Sequence[str], counting: Counting, first: Binder) -> Shared:
    """Return the pieces of a work by their blocks.

    Args:
        work: the work as it was read.
        kinds: of each block, ``"self"`` or ``"cross"``.
        counting: how names are numbered in it.
        first: what names mean on the first block, for where nothing but the order tells the blocks apart.
    """
    signs = _signs(work, counting.unit)
    words = _Words.of([said for said, _ in signs if said is not None], kinds, signs)
    owners: list[int] = []
    current = 1
    is_told = False
    for piece, (said, kind) in zip(work.pieces, signs, strict=True):
        own = _by_names(piece, counting, is_told=words.is_numbered) if isinstance(piece, Written) else None
        told = words.block(said, kind, current, piece)
        if told is not None:
            current, is_told = told, True
        elif own is not None and not words.is_numbered:
            current, is_told = own, True
        owners.append(current if own is None else own)
    guessed: tuple[tuple[int, int], ...] = ()
    if not is_told:
        owners, guessed = _by_order(work, len(kinds), first, counting.text)
    found: list[list[Piece]] = [[] for _ in range(len(kinds) + 1)]
    for piece, owner in zip(work.pieces, owners, strict=True):
        found[owner].append(piece)
    others, *pieces = (tuple(own) for own in found)
    return Shared(tuple(pieces), others, guessed)


def _by_names(piece: Written, counting: Counting, *, is_told: bool) -> int | None:
    """Return the block that the names of a chain number, as far as indices distinguish blocks where no words do."""
    return (counting.plain if is_told else counting.on(piece)).of_chain(piece, is_told=is_told)


_Sign: TypeAlias = tuple[Said | None, str | None]


def _signs(work: Work, unit: Unit) -> list[_Sign]:
    """Return, for each piece, the block and the kind of attention that its words turn to."""
    found: list[_Sign] = []
    for piece in work.pieces:
        match piece:
            case Heading():
                said = block_of_heading(in_english(piece.text), unit) or block_of_heading(piece.text, unit)
                found.append((said, kind_said(piece.text)))
            case Prose() if not piece.withdrawn:
                said = block_of_prose(work.text[slice(*piece.span)], unit) or block_of_prose(piece.text, unit)
                found.append((said, kind_said(piece.text, at_start=True)))
            case _:
                found.append((None, None))
    return found


@dataclass(frozen=True, slots=True)
class _Words:
    """Numbering of blocks in words: from 0 or 1, and a decoder block as one or as two.

    Attributes:
        kinds: the kind of attention of each block.
        first: the number of the first block.
        is_grouped: whether attention to own tokens and to the memory after it are counted as one.
        is_numbered: whether it counts them at all.
    """

    kinds: tuple[str, ...]
    first: int
    is_grouped: bool
    is_numbered: bool

    @classmethod
    def of(cls, said: Sequence[Said], kinds: Sequence[str], signs: Sequence[_Sign]) -> _Words:
        """Return the numbering that fits the words best."""
        numbers = {item.number for item in said}
        groups = groups_of(kinds)
        first = 0 if 0 in numbers and max(numbers) < len(kinds) else 1
        plain = cls(tuple(kinds), first, is_grouped=False, is_numbered=bool(numbers))
        if len(groups) == len(kinds):
            return plain
        grouped = replace(plain, is_grouped=True)
        is_of_decoder = any("dec" in item.what for item in said)
        faults = plain.faults(signs), grouped.faults(signs)
        return grouped if faults[1] < faults[0] or (faults[1] == faults[0] and is_of_decoder) else plain

    def faults(self, signs: Sequence[_Sign]) -> int:
        """Return the number of words that do not fit: unknown block numbers, and kinds that a block does not have."""
        found = 0
        current: list[int] = []
        for said, kind in signs:
            if said is not None:
                current = self._numbered(said)
                found += not current
            if kind is not None and current and kind not in {self.kinds[number - 1] for number in current}:
                found += 1
        return found

    def _numbered(self, said: Said) -> list[int]:
        """Return the blocks of a number, the halves of a decoder block together; none for a nonexistent block."""
        groups = groups_of(self.kinds) if self.is_grouped else [[number] for number in range(1, len(self.kinds) + 1)]
        pairs = [group for group in groups if len(group) > 1]
        if "dec" in said.what and pairs:
            groups = pairs
        elif "enc" in said.what and pairs:
            groups = [group for group in groups if len(group) == 1] or groups
        place = said.number - self.first
        return groups[place] if 0 <= place < len(groups) else []

    def block(self, said: Said | None, kind: str | None, current: int, piece: Piece) -> int | None:
        """Return the block that words turn to, None for no change, 0 for a heading of a nonexistent block."""
        group = [] if said is None else self._numbered(said)
        if said is not None and not group and isinstance(piece, Heading):
            return 0
        if said is None and isinstance(piece, Heading):
            group = self._by_part(piece.text.lower())
        if not group and (kind is None or len(set(self.kinds)) == 1):
            return None
        if kind is not None and len(set(self.kinds)) > 1:
            around = group or next((own for own in groups_of(self.kinds) if current in own), [])
            of_kind = [number for number in around if self.kinds[number - 1] == kind]
            later = [number for number in range(max(current, 1), len(self.kinds) + 1) if self.kinds[number - 1] == kind]
            group = of_kind or ([] if group else later) or group
        return group[0] if group else None

    def _by_part(self, heading: str) -> list[int]:
        """Return the blocks of the only encoder or decoder, where a heading names one and there is the other too."""
        groups = groups_of(self.kinds)
        pairs, singles = [own for own in groups if len(own) > 1], [own for own in groups if len(own) == 1]
        is_decoder, is_encoder = "decoder" in heading, "encoder" in heading
        if is_decoder == is_encoder or not pairs or not singles:
            return []
        meant = pairs if is_decoder else singles
        return meant[0] if len(meant) == 1 else []


def _by_order(work: Work, count: int, binder: Binder, text: str) -> tuple[list[int], tuple[tuple[int, int], ...]]:
    """Assign blocks by the order of statements: what precedes the attention output, repeated after it, is next."""
    order = binder.graph.order
    projected = max(order[name] for name in order if base_of(name) in _PROJECTED)
    owners: list[int] = []
    guessed: list[tuple[int, int]] = []
    current, seen, is_late = 1, set[str](), False
    for piece in work.pieces:
        name = _named(piece, binder, text)
        if name is not None and order[name] >= order["O"]:
            is_late = True
        elif name is not None and is_late and current < count and (order[name] <= projected or name in seen):
            current, seen, is_late = current + 1, set(), False
            guessed.append((current, piece.span[0]))
        if name is not None:
            seen.add(name)
        owners.append(current)
    return owners, tuple(guessed)


def _named(piece: Piece, binder: Binder, text: str) -> str | None:
    """Return the quantity that a heading names, or that a chain begins with."""
    if isinstance(piece, Heading):
        binder.under(piece.text, piece.level)
        return binder.heading
    if not isinstance(piece, Written) or piece.withdrawn or len(piece.sides) == 1:
        return None
    first = piece.sides[0]
    if first is None or first.node is None or isinstance(first.node, t.Number):
        return None
    found = binder.resolve(joined_at(first.node, text))
    return None if found is None else found.name
