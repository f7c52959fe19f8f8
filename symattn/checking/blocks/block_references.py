"""References to a block or a sequence in words: ``Block 2``, ``Second layer``, ``Cross-attention``, ``Sequence 1``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, TypeAlias

from symattn import late
from symattn.notation.lexicon.reader import Said as Word
from symattn.notation.lexicon.reader import said as words_said
from symattn.notation.lexicon.reader import words_beside
from symattn.records import dataclass

Unit: TypeAlias = Literal["block", "sequence"]
"""A part of a problem that a work speaks of by its number."""

_BEHIND = late.pattern(
    r"[ ]?[#№(:–-]?[ ]?(?:(?P<number>[0-9]{1,6})(?:[.][0-9]{1,2})?(?![0-9]|[.,][0-9])|(?P<roman>i{1,3}|iv|vi?)\b)",
    re.IGNORECASE,
)
"""Numbers behind a noun that nothing else counts: ``Layer 2.1``, ``Block II``."""

_ROMAN = {"i": 1, "ii": 2, "iii": 3, "iv": 4, "v": 5, "vi": 6}
_SEVERAL = late.pattern(r"[ ]?[&,–-][ ]?#?[0-9]")
_LIST_LABEL = late.pattern(r"^[^\w(]*(?:[0-9]{1,2}[.)]|[(]?[a-z0-9]{1,2}[).])[\s,:]{1,3}", re.IGNORECASE)
_NETWORK = frozenset({"F_1", "F_act", "F_2", "F_3", "F_gated", "sublayer"})
_LEADS = frozenset({"O", "X", "A", "input"})
"""Quantities of a block of which words speak before its number: ``Output of block 2``."""

_MOST_LEADS = 7
_SENTENCE = late.pattern(r"(?:^|(?<=[.;!?:])\s|\n)")
_LONGEST = 400

_TITLE = 100
"""Characters of a line that may be a title."""

_AROUND = " .:)]}*_#$\\\n\t"
"""Signs behind it."""


@dataclass(frozen=True, slots=True)
class Said:
    """A number that words give to a block.

    Attributes:
        number: as it is counted there.
        start: where the words begin.
        end: where they end.
        what: the word, ``block``, ``decoder layer``.
    """

    number: int
    start: int
    end: int
    what: str


def numbers_said(words: str, unit: Unit = "block") -> list[Said]:
    """Return the blocks that words speak of, one after the other; none of ``blocks 1 and 2``, which are several.

    >>> [said.number for said in numbers_said("Output of block 1 into the second layer")]
    [1, 2]
    >>> numbers_said("Two blocks. LayerNorm 1, layer norm 2, the second layer of the FFN, linear layer 1")
    []
    >>> [said.number for said in numbers_said("Batch element 1, the second sequence", "sequence")]
    [1, 2]
    """
    text = words[:_LONGEST]
    items = words_said(text)
    starts = [item.start for item in items if item.kind == "part" and item.number is not None]
    found: list[Said] = []
    for item in items:
        if item.name != unit or starts.count(item.start) > 1 or _is_of_network(text, item, items):
            continue
        behind = _BEHIND.match(text, item.end) if item.number is None else None
        number, end = item.number, item.end
        if behind is not None:
            number = int(behind["number"]) if behind["number"] else _ROMAN[behind["roman"].lower()]
            end = behind.end()
        if number is not None and number >= 0 and _SEVERAL.match(text, end) is None:
            found.append(Said(number, item.start, end, text[item.start : item.end].lower()))
    return found


def _is_of_network(text: str, item: Word, items: Sequence[Word]) -> bool:
    """Return whether a layer is said to be one of the feed-forward network: ``the second layer of the FFN``."""
    behind = [other for other in items if other.start >= item.end and other.name != "the"][:2]
    is_of = len(behind) == 2 and behind[0].name == "of" and not text[item.end : behind[0].start].strip()
    return is_of and behind[1].name in _NETWORK


def block_of_heading(words: str, unit: Unit = "block") -> Said | None:
    """Return the block that a heading is about: the one it begins with, else the only one it speaks of.

    >>> block_of_heading("(b2) Scores, block 2").number, block_of_heading("Block 2: from the output of block 1").number
    (2, 2)
    """
    said = numbers_said(words, unit)
    is_sure = bool(said) and (len({item.number for item in said}) == 1 or _begins(words, said[0].start))
    return said[0] if is_sure else None


def _begins(words: str, place: int) -> bool:
    """Return whether only words that lead to something stand before a place."""
    front = _LIST_LABEL.sub("", words[:place])
    leads = [item for item in words_said(front) if item.kind == "relation" or item.name in _LEADS]
    return "(" not in front and len(leads) <= _MOST_LEADS and not words_beside(front, leads)


def block_of_prose(words: str, unit: Unit = "block") -> Said | None:
    """Return the block that a paragraph turns to: the last with which a sentence of it begins.

    >>> block_of_prose("There are 2 blocks. Block 1:").number, block_of_prose("It is used in block 2 later.")
    (1, None)
    """
    text = words[-_LONGEST * 4 :]
    found = _ending(text, unit)
    for start in [item.end() for item in _SENTENCE.finditer(text)]:
        sentence = text[start : start + _LONGEST]
        said = numbers_said(sentence, unit)
        if said and _begins(sentence, said[0].start):
            found = said[0]
    return found


def _ending(words: str, unit: Unit) -> Said | None:
    """Return the block that a title names after a comma: ``(b) Scores, block 2``."""
    said = numbers_said(words, unit) if len(words) <= _TITLE else []
    if len(said) != 1 or words[said[0].end :].strip(_AROUND):
        return None
    return said[0] if words[: said[0].start].rstrip().endswith((",", "(", ":", "-", "–", "—", "[")) else None


def kind_said(words: str, *, at_start: bool = False) -> str | None:
    """Return ``"cross"`` or ``"self"``, where words name one kind of attention; None for neither or both.

    >>> kind_said("Masked self-attention"), kind_said("Encoder-decoder attention"), kind_said("Attention")
    ('self', 'cross', None)
    """
    text = words[:_LONGEST]
    items = [item for item in words_said(text) if item.name in {"cross", "self"}]
    kinds = {item.name for item in items if not at_start or _begins(text, item.start)}
    return kinds.pop() if len(kinds) == 1 else None


def groups_of(kinds: Sequence[str]) -> list[list[int]]:
    """Return blocks by number, from 1, as people count: a block with a memory goes with the one before it.

    >>> groups_of(["self", "cross", "self", "cross"]), groups_of(["self", "self"])
    ([[1, 2], [3, 4]], [[1], [2]])
    """
    groups: list[list[int]] = []
    for number, kind in enumerate(kinds, 1):
        if kind == "cross" and groups and len(groups[-1]) == 1 and kinds[number - 2] == "self":
            groups[-1].append(number)
        else:
            groups.append([number])
    return groups
