"""Block assignment: pieces of a work by headings, words before formulas, names, else by order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeAlias

from symattn.checking.blocks.block_numbering import Counting, joined_at
from symattn.checking.blocks.block_references import Said, block_of_heading, block_of_prose, groups_of, kind_said
from symattn.checking.names.binding import Binder
from symattn.graph.builders.layer import base_of
from symattn.notation.submission import Heading, Piece, Prose, Work, Written
from symattn.notation.translations import in_english
from symattn.notation.tree import nodes as t
from symattn.records import dataclass

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
    signs = _signs(work)
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


def _signs(work: Work) -> list[_Sign]:
    """Return, for each piece, the block and the kind of attention that its words turn to."""
    found: list[_Sign] = []
    for piece in work.pieces:
        match piece:
            case Heading():
                said = block_of_heading(in_english(piece.text)) or block_of_heading(piece.text)
                found.append((said, kind_said(piece.text)))
            case Prose() if not piece.withdrawn:
                said = block_of_prose(work.text[slice(*piece.span)]) or block_of_prose(piece.text)
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
