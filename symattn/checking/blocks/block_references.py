"""References to a block or a sequence in words: ``Block 2``, ``Second layer``, ``Cross-attention``, ``Sequence 1``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, TypeAlias

from symattn import late
from symattn.notation.lexicon.translation import in_english
from symattn.records import dataclass

_NUMBERS = {
    word: number
    for number, words in enumerate(
        (
            ("one", "i", "first", "1st", "erste[rnsm]?", "premi(?:er|ère)", "primer[oa]?", "prim[oa]", "primeir[oa]",
             "перв\\w{2,3}"),
            ("two", "ii", "second", "2nd", "zweite[rnsm]?", "deuxième", "segund[oa]", "second[oa]", "втор\\w{2,3}"),
            ("three", "iii", "third", "3rd", "dritte[rnsm]?", "troisième", "tercera?o?", "terz[oa]", "terceir[oa]",
             "трет\\w{2,3}"),
            ("four", "iv", "fourth", "4th", "vierte[rnsm]?", "quatrième", "cuart[oa]", "quart[oa]"),
            ("five", "v", "fifth", "5th", "fünfte[rnsm]?", "cinquième", "quint[oa]"),
            ("six", "vi", "sixth", "6th", "sechste[rnsm]?", "sixième", "sext[oa]", "sest[oa]"),
        ),
        1,
    )
    for word in words
}  # fmt: skip
"""Numbers in words, by what they say."""

_WORD = (
    r"(?:transformer|encoder|decoder|attention|enc|dec)?[ .-]{0,3}"
    r"(?:blocks?(?=[ ]?[#№(]?[0-9])|block|blk|layer|lyr|encoder|decoder|schicht|couche|bloc|capa|bloque|strato|blocco"
    r"|camada|bloco|сло\w{1,2}|блок\w{0,2})"
)
"""A block, by the words that people have for it."""

_NOT_OF = r"(?:sub|linear|ffn|mlp|hidden|dense|norm|forward|network|output|connected|projection|softmax|key)"
"""Phrases that are not blocks of the network: ``linear layer 2``, ``block 2`` of keys."""

_SEQUENCE = (
    r"(?:(?:input|output|query|token|sub)[ -])?(?:sequence|seq[.]?|sentence|example|sample|item"
    r"|batch(?:[ ](?:element|entry|index|item|sample))?|sequenz|satz|séquence|phrase|secuencia|frase|sequenza|sequência"
    r"|последовательност\w{1,2}|序列|系列|シーケンス|시퀀스)"
)
"""A sequence of a batch."""


def _counted(word: str, measures: str, ordinals: str) -> tuple[re.Pattern[str], ...]:
    """Return the patterns of a word with a number: behind it, before it, and in Chinese, Japanese and Korean."""
    at = rf"(?<![\w])(?<!sub-)(?<!sub )(?P<what>{word})"
    latin = "|".join(word for word in _NUMBERS if word.isascii() and word.isalpha())
    return (
        late.pattern(
            rf"{at}[ ]?(?:[#№(:–-]|no\.?|nr\.?|n°|number)?[ ]?"
            rf"(?P<number>[0-9]{{1,6}}(?:[.][0-9]{{1,2}})?(?![0-9]|[.,][0-9])|(?:{latin})\b)"
        ),
        late.pattern(
            rf"(?<![\w-])(?P<number>[0-9]{{1,2}}(?:st|nd|rd|th|[.]|[ºªeè](?:me)?)|{'|'.join(_NUMBERS)})[ ]{at}(?![\w])"
        ),
        late.pattern(rf"第[ ]?(?P<number>[0-9一二三四五六])[ ]?(?:{measures})|(?P<after>[0-9])[ ]?(?:{ordinals})"),
    )


Unit: TypeAlias = Literal["block", "sequence"]
"""A part of a problem that a work speaks of by its number."""

_PATTERNS: dict[Unit, tuple[re.Pattern[str], ...]] = {
    "block": _counted(_WORD, "[层層块塊]|ブロック|레이어|블록", "層目|번째 ?(?:층|레이어|블록)"),
    "sequence": _counted(_SEQUENCE, "[个個]?(?:序列|系列|シーケンス|시퀀스)", "番目の(?:系列|シーケンス)|번째 ?시퀀스"),
}
_EASTERN = {word: number for number, word in enumerate("一二三四五六", 1)}
_SEVERAL = late.pattern(r"[ ]?(?:and|&|,|to|through|-|–|und|et|y|e|и|и)[ ]?#?[0-9]")
_INSIDE = late.pattern(rf"{_NOT_OF}\w*[ -]{{1,2}}$")
_OF_NETWORK = late.pattern(r"[ ](?:of|in) (?:the |its )?(?:ffn|mlp|feed|network)")

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
    text = words.lower()[:_LONGEST]
    found: dict[int, Said] = {}
    *_, east = _PATTERNS[unit]
    for pattern in _PATTERNS[unit]:
        for match in pattern.finditer(text):
            said = match["number"] or match["after"]
            number = _number(said)
            if number is None or _SEVERAL.match(text, match.end()):
                continue
            if unit == "block" and _is_of_network(text, match, has_front=pattern is not east):
                continue
            what = match.groupdict().get("what") or "layer"
            start = match.start() + len(match[0]) - len(match[0].lstrip(" .-"))
            found.setdefault(start, Said(number, start, match.end(), what.strip(" .-")))
    return [found[start] for start in sorted(found)]


def _is_of_network(text: str, match: re.Match[str], *, has_front: bool) -> bool:
    """Return whether the words around a layer say that it is one of the feed-forward network, or a norm."""
    before = _INSIDE.search(text, max(0, match.start() - 30), match.start()) if has_front else None
    return before is not None or _OF_NETWORK.match(text, match.end()) is not None


def _number(word: str) -> int | None:
    digits = re.match(r"[0-9]+", word)
    if digits is not None:
        return int(digits[0])
    if word in _EASTERN:
        return _EASTERN[word]
    return next((number for pattern, number in _NUMBERS.items() if re.fullmatch(pattern, word)), None)


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
