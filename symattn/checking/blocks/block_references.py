"""References to a block or a sequence in words: ``Block 2``, ``Second layer``, ``Cross-attention``, ``Sequence 1``."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import Literal, TypeAlias

from symattn import late
from symattn.notation.lexicon.reader import Said as Item
from symattn.notation.lexicon.reader import said
from symattn.notation.lexicon.translation import in_english
from symattn.records import dataclass

Unit: TypeAlias = Literal["block", "sequence"]
"""A part of a problem that a work speaks of by its number."""

_SEVERAL = re.compile(r"[ ]?[&,–-][ ]?#?[0-9]")
_BEHIND = re.compile(r"[ ]?(?:(?P<digits>[0-9]{1,2})[.][0-9]{1,2}|(?P<roman>I{1,3}|I?V|VI))\b")
"""Numbers that the lexicon does not read: of a part of a block, ``2.1``, and Roman ones."""

_ROMANS = ("", "I", "II", "III", "IV", "V", "VI")

_CROSS = late.pattern(
    r"cross[ -]?(?:multi[ -]?head(?:ed)? )?att|encoder[ –—/-]{1,3}decoder[ -]att|att\w* (?:to|over|on) (?:the )?"
    r"(?:memory|encoder)|memory att|source att"
)
_SELF = late.pattern(r"self[ -]?att|(?:causal|masked) (?:multi[ -]?head(?:ed)? )?(?:scaled )?(?:dot[ -]product )?att")

_LEAD = late.pattern(
    r"[^\w(]*(?:(?:now|next|then|finally|we|turn|turning|move|moving|go|going|on|consider|to|at|in|for|into|inside|the"
    r"|of|and|so|let us|start|starting|with|from here|here|input|inputs|output|outputs|weights|step|part|question"
    r"|exercise|problem|task|im|in der|dans|en|[0-9]{1,2}[.)]|[(]?[a-z0-9]{1,2}[).])[\s,:]{1,3}){0,7}[^\w(]*"
)
"""Words before the name of a block at the beginning of a sentence."""

_SENTENCE = late.pattern(r"(?:^|(?<=[.;!?:])\s|\n)")
_LONGEST = 400

_TITLE = 100
"""Characters of a line that may be a title."""

_AROUND = " .:)]}*_#$\\\n\t"
"""Words behind it."""


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
    items = [part for item in said(text) for part in _parts(item, text)]
    firsts = Counter(item.start for item in items if item.kind == "part")
    return [
        Said(number, item.start, end, text[item.start : end].lower())
        for item, after in zip_longest(items, items[1:])
        if item.kind == "part" and item.name == unit and firsts[item.start] == 1
        for number, end in _numbers(item, text)
        if not (_SEVERAL.match(text, end) or _is_of_network(items, after))
    ]


def _parts(item: Item, text: str) -> Iterator[Item]:
    """Yield what words say, and of ``output of block``, which is a quantity, the block alone."""
    last = text[item.start : item.end].rsplit(maxsplit=1)[-1]
    noun = next(iter(said(text[item.end - len(last) :])), None) if item.kind == "quantity" else None
    yield item
    if noun is not None and noun.kind == "part" and noun.start == 0:
        yield replace(noun, start=item.end - len(last), end=noun.end + item.end - len(last))


def _numbers(item: Item, text: str) -> Iterator[tuple[int, int]]:
    """Yield the number of a part, and where its words end."""
    behind = _BEHIND.match(text, item.end) if item.number is None else None
    if behind is not None:
        yield int(behind["digits"] or _ROMANS.index(behind["roman"])), behind.end()
    elif item.number is not None and item.number >= 0:
        yield item.number, item.end


def _is_of_network(items: list[Item], after: Item | None) -> bool:
    """Return whether a layer is one of the feed-forward network, by the words behind it."""
    behind = [] if after is None else [item for item in items[items.index(after) :] if item.name != "the"]
    return len(behind) > 1 and behind[0].name == "of" and behind[1].name.startswith("F")


def block_of_heading(words: str, unit: Unit = "block") -> Said | None:
    """Return the block that a heading is about: the one it begins with, else the only one it speaks of.

    >>> block_of_heading("(b2) Scores, block 2").number, block_of_heading("Block 2: from the output of block 1").number
    (2, 2)
    """
    said = numbers_said(words, unit)
    if not said:
        return None
    lead = _LEAD.match(words.lower())
    if len({item.number for item in said}) == 1 or (lead is not None and said[0].start <= lead.end()):
        return said[0]
    return None


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
        lead = _LEAD.match(sentence.lower())
        if said and lead is not None and said[0].start <= lead.end():
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
    text = in_english(words).lower()[:_LONGEST]
    matches = {kind: pattern.search(text) for kind, pattern in (("cross", _CROSS), ("self", _SELF))}
    places = {kind: match.start() for kind, match in matches.items() if match is not None}
    if at_start:
        lead = _LEAD.match(text)
        reach = 0 if lead is None else lead.end() + len("multi-head ")
        places = {kind: place for kind, place in places.items() if place <= reach}
    return next(iter(places)) if len(places) == 1 else None


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
