"""Reader of words: the quantities, lines, operations and numbers of which a text speaks, in any of eleven languages."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache

from symattn import late
from symattn.notation.lexicon.vocabulary import Branch, Meaning, Token, Vocabulary, scripts, tokens, vocabulary
from symattn.records import dataclass

MOST = 40_000
"""Characters of a text that are read."""

LAST = -1
"""Number of the last line."""

_GAP = late.pattern(r"[\s_\-‐–'’*$`{}\\]{0,4}")
_NUMBER_GAP = late.pattern(r"[\s_#№$({\[\\:]{0,4}(?:\\?(?:text|mathrm)\{)?")
_LETTER_GAP = late.pattern(r"_?[{(]?")
_CAPITAL = late.pattern(r"[A-H](?![\w'’])(?!\s*[=≈_^\[])")
_POWER = late.pattern(r"(?<![^\W_])e\^[({]?(?:\\text\{)?(?=[^\W\d_]{2})")
"""The base of a power whose exponent is a word: ``e^score``."""

_COUNTED = frozenset({"line", "part"})
_SENTENCE = late.pattern(r"[.;!?。；\n]")
_FAR = 100
_NEAR = 40
"""Characters between scores and the words that say how far they are worked."""

_MADE = {"scaled": "S_scaled", "masked": "S_masked", "capped": "S_capped", "unscaled": "S", "shifted": "shifted"}
"""Scores in a state."""


@dataclass(frozen=True, slots=True)
class Said:
    """A thing of which a text speaks.

    Attributes:
        kind: ``quantity``, ``operation``, ``state``, ``line``, ``part``, ``ordinal``, ``relation``,
            ``outside`` or ``remark``.
        name: the quantity, ``A``; the operation, ``softmax``; the noun that is counted, ``token``, ``head``.
        start: where it begins in the text.
        end: where it ends.
        number: of the line or part, -1 for the last one; None without a number.
        is_ordinal: whether it counts from 1, ``the second token``, wherever the indices of the work begin.
        rank: 0 for the first meaning of these words, 1 for the next one.
        when: the sheets on which alone the words mean this, ``""`` for all.
        language: the language of the words.
    """

    kind: str
    name: str
    start: int
    end: int
    number: int | None = None
    is_ordinal: bool = False
    rank: int = 0
    when: str = ""
    language: str = "en"


@dataclass(frozen=True, slots=True)
class Phrase:
    """A phrase of the lexicon in a text.

    Attributes:
        first: the place of its first token.
        stop: the place behind its last token.
        meanings: its meanings.
    """

    first: int
    stop: int
    meanings: tuple[Meaning, ...]

    def of(self, role: str, name: str | None = None) -> Meaning | None:
        """Return the first meaning with a role, and a name."""
        return next((m for m in self.meanings if m.role == role and name in {None, m.name}), None)


@lru_cache(maxsize=4096)
def said(text: str) -> tuple[Said, ...]:
    """Return everything of which a text speaks, in its order; of words with several meanings one item for each.

    >>> [(item.name, item.number) for item in said("The attention weights of the second token")]
    [('the', None), ('A', None), ('of', None), ('the', None), ('token', 2)]
    >>> [(item.kind, item.name) for item in said("combined values") if item.rank == 0]
    [('quantity', 'O')]
    >>> [(item.kind, item.name) for item in said("e^점수")][0]
    ('operation', 'exponentiate')
    """
    found = tokens(text[:MOST])
    phrases = list(_phrases(text, found))
    items = [item for one in _counted(text, found, phrases) for item in one]
    items.extend(Said("operation", "exponentiate", *power.span()) for power in _POWER.finditer(text[:MOST]))
    return tuple(sorted(_worked(text, _derived(text, items)), key=lambda item: (item.start, item.rank)))


def words_beside(text: str, items: Iterable[Said], least: int = 1) -> list[str]:
    """Return the words of at least some letters that are not part of some of what a text says.

    >>> text = "The weights of the second layer"
    >>> words_beside(text, [item for item in said(text) if item.name == "A"], least=4)
    ['second', 'layer']
    """
    known = {place for item in items for place in range(item.start, item.end)}
    return [
        token.text
        for token in tokens(text[:MOST])
        if token.kind == "word" and token.end - token.start >= least and token.start not in known
    ]


def without(text: str, is_blank: Callable[[Said], bool]) -> str:
    """Return a text with blanks for some of the things of which it speaks.

    >>> without("output of the first layer", lambda item: item.name in {"of", "the"})
    'output        first layer'
    """
    for item in filter(is_blank, said(text)):
        text = text[: item.start] + " " * (item.end - item.start) + text[item.end :]
    return text


def parts_said(text: str, *names: str) -> list[int]:
    """Return the numbers of the heads, blocks, sequences or tiles of which a text speaks, in its order.

    >>> parts_said("Scores of the second head", "head"), parts_said("Kopf 1", "head"), parts_said("both heads", "head")
    ([2], [1], [])
    """
    items = (item for item in said(text) if item.kind == "part" and item.name in names)
    return [item.number for item in items if item.number is not None]


def _phrases(text: str, found: tuple[Token, ...]) -> Iterator[Phrase]:
    """Yield the longest phrases of the lexicon, one behind the other."""
    words = [vocabulary(script) for script in scripts(text)]
    place = 0
    while place < len(found):
        phrase = _longest(text, found, place, words)
        if phrase is not None:
            yield phrase
        place = place + 1 if phrase is None else phrase.stop


def _longest(text: str, found: tuple[Token, ...], first: int, words: list[Vocabulary]) -> Phrase | None:
    """Return the longest phrase that begins with a token."""
    branches = [(own.opened(found[first].text), own) for own in words]
    best, place = None, first
    while branches and place < len(found):
        token = found[place]
        if place > first and not _joins(text, found[place - 1], token):
            break
        branches = [(below, own) for branch, own in branches for below in _below(branch, token.text, own)]
        place += 1
        meanings = [
            meaning
            for branch, _ in branches
            for edges, ending in branch.meanings.items()
            if _stands_free(found, first, place, edges)
            for meaning in ending
        ]
        if first == place - 1 and token.end - token.start == 1 and text[token.start].isupper():
            meanings = [meaning for meaning in meanings if meaning.role != "relation"]  # O is no article
        if meanings:
            best = Phrase(first, place, _distinct(meanings))
    return best


def _distinct(meanings: list[Meaning]) -> tuple[Meaning, ...]:
    """Return the meanings that differ, the likelier first; several languages may have one word for one thing."""
    kept = {(meaning.role, meaning.name, meaning.when): meaning for meaning in reversed(meanings)}
    return tuple(sorted(kept.values(), key=lambda meaning: meaning.rank))


def _below(branch: Branch, token: str, words: Vocabulary) -> Iterator[Branch]:
    """Yield the continuations of a branch by a token, as it is or as a stem with an ending."""
    if token in branch.words:
        yield branch.words[token]
    for cut in range(1, len(token) + 1) if branch.stems else ():
        for language, below in branch.stems.get(token[:cut], {}).items():
            if token[cut:] in words.endings[language]:
                yield below


def _joins(text: str, before: Token, token: Token) -> bool:
    """Return whether two tokens may belong to one phrase."""
    gap = text[before.end : token.start]
    return not gap or (_GAP.fullmatch(gap) is not None and "\n\n" not in gap)


def _stands_free(found: tuple[Token, ...], first: int, stop: int, edges: tuple[bool, bool]) -> bool:
    """Return whether no letter of an Eastern script touches the edges of a phrase that must be free."""
    touches = (
        first > 0 and found[first - 1].kind == "east" and found[first - 1].end == found[first].start,
        stop < len(found) and found[stop].kind == "east" and found[stop].start == found[stop - 1].end,
    )
    return not any(edge and touch for edge, touch in zip(edges, touches, strict=True))


class _Counter:
    """Reader of the numbers beside nouns.

    Args:
        text: the text.
        found: its tokens.
        phrases: the phrases in it.
    """

    def __init__(self, text: str, found: tuple[Token, ...], phrases: list[Phrase]) -> None:
        self.text = text
        self.found = found
        self.at = {phrase.first: phrase for phrase in phrases}
        self.ending = {phrase.stop: phrase for phrase in phrases}

    def whole(self, place: int) -> int | None:
        """Return the number that a token writes in digits."""
        token = self.found[place] if 0 <= place < len(self.found) else None
        is_whole = token is not None and token.kind == "number" and token.text.isdigit() and len(token.text) <= 3
        return int(token.text) if token is not None and is_whole else None

    def before(self, noun: Phrase) -> tuple[int, int] | None:
        """Return the number before a noun and the place where it begins: ``2nd``, ``第二个``, ``zweite``."""
        before = self.ending.get(noun.first)
        if before is not None and before.of("ordinal") is None and before.of("relation", "counter") is not None:
            return self._ordinal(before.first, self.ending.get(before.first), noun)
        return self._ordinal(noun.first, before, noun)

    def _ordinal(self, place: int, before: Phrase | None, noun: Phrase) -> tuple[int, int] | None:
        if place < 1 or not self._is_close(place - 1, place):
            return None
        word = None if before is None else before.of("ordinal")
        if before is not None and word is not None and word.name == "suffix":
            gap = self.text[self.found[before.first - 1].end : self.found[before.first].start]
            is_joined = not gap.strip("'’") or (gap == " " and self.found[before.first].kind == "east")
            return self._numeral(before.first) if is_joined else None
        if before is not None and word is not None and word.name not in {"prefix", "suffix"}:
            return (LAST if word.name == "last" else int(word.name)), before.first
        number = self._numeral(place)
        if number is None:
            return None
        prefix = self.ending.get(number[1])
        if prefix is not None and prefix.of("ordinal", "prefix") is not None:
            return number[0], prefix.first
        behind = self.at.get(noun.stop)
        if behind is not None and behind.of("ordinal", "suffix") is not None:
            return number
        return number if self._has_point(number[1], place, noun) else None

    def _numeral(self, stop: int) -> tuple[int, int] | None:
        """Return the number that ends before a place, in digits or as a sign, and where it begins."""
        digits = self.whole(stop - 1)
        if digits is not None:
            return digits, stop - 1
        phrase = self.ending.get(stop)
        sign = None if phrase is None or self.found[phrase.first].kind != "east" else phrase.of("cardinal")
        return None if phrase is None or sign is None else (int(sign.name), phrase.first)

    def _has_point(self, first: int, place: int, noun: Phrase) -> bool:
        """Return whether a number has the point of an ordinal, ``der 2. Zeile``, and begins no item of a list."""
        gap = self.text[self.found[place - 1].end : self.found[place].start]
        line = self.text[: self.found[first].start].rpartition("\n")[2].strip(" #*>-")
        is_word = bool(line) or noun.of("part") is not None
        return gap in {". ", ".", ".\u00a0"} and is_word and any(m.language in {"de", "tr"} for m in noun.meanings)

    def _is_of_next(self, place: int) -> bool:
        """Return whether a number has the point of an ordinal of the noun behind it: ``kelimenin 2. anahtarla``."""
        noun = self.at.get(place + 1)
        is_counted = noun is not None and any(meaning.role in _COUNTED for meaning in noun.meanings)
        return noun is not None and is_counted and self._has_point(place, place + 1, noun)

    def _is_close(self, first: int, second: int) -> bool:
        gap = self.text[self.found[first].end : self.found[second].start]
        return _GAP.fullmatch(gap) is not None or gap in {". ", ".\u00a0"}

    def behind(self, noun: Phrase) -> list[tuple[int, int]]:
        """Return the numbers that stand behind a noun, with the place behind each: ``token 2``, ``rows 1 and 2``."""
        found: list[tuple[int, int]] = []
        first = self._number_at(noun.stop, noun)
        while first is not None:
            found.append(first)
            link = self.at.get(first[1])
            is_linked = link is not None and link.of("relation", "and") is not None
            first = self._number_at(link.stop, None) if link is not None and is_linked else None
        return found

    def letter(self, noun: Phrase) -> int | None:
        """Return the place in the alphabet of a capital behind a noun that begins no formula: ``Head B:``."""
        if noun.stop >= len(self.found):
            return None
        token, end = self.found[noun.stop], self.found[noun.stop - 1].end
        is_letter = _CAPITAL.match(self.text, token.start) is not None and self.text[end : token.start] == " "
        return ord(self.text[token.start]) - ord("A") + 1 if is_letter else None

    def _number_at(self, place: int, noun: Phrase | None) -> tuple[int, int] | None:
        if place >= len(self.found):
            return None
        gap = self.text[self.found[place - 1].end : self.found[place].start]
        last = self.found[place - 1]
        is_letter = noun is not None and last.end - last.start == 1 and last.kind == "word"
        word = self.at.get(place)
        if word is not None and word.of("relation", "number") is not None:
            return self._number_at(word.stop, noun)
        if (_LETTER_GAP if is_letter else _NUMBER_GAP).fullmatch(gap) is None:
            return None
        number = self.whole(place)
        if number is not None:
            return None if self._is_of_next(place) else (number, place + 1)
        cardinal = None if word is None or is_letter else word.of("cardinal")
        return None if word is None or cardinal is None else (int(cardinal.name), word.stop)


def _counted(text: str, found: tuple[Token, ...], phrases: list[Phrase]) -> Iterator[list[Said]]:
    """Yield what each phrase says, nouns with their numbers."""
    counter = _Counter(text, found, phrases)
    taken: set[int] = set()
    made: list[tuple[Phrase, list[Said]]] = []
    for phrase in phrases:
        start, end = found[phrase.first].start, found[phrase.stop - 1].end
        nouns = [meaning for meaning in phrase.meanings if meaning.role in _COUNTED]
        items = [_item(meaning, start, end) for meaning in phrase.meanings if meaning.role not in _COUNTED]
        numbers = counter.behind(phrase) if nouns else []
        ordinal = counter.before(phrase) if nouns and not numbers else None
        letter = counter.letter(phrase) if nouns and not numbers and ordinal is None else None
        for meaning in nouns[:1]:
            if ordinal is not None:
                taken.update(range(ordinal[1], phrase.first))
                items.insert(0, _item(meaning, found[ordinal[1]].start, end, ordinal[0], is_ordinal=True))
            elif letter is not None and meaning.role == "part":
                taken.add(phrase.stop)
                items.insert(0, _item(meaning, start, found[phrase.stop].end, letter, is_ordinal=True))
            elif numbers:
                taken.update(range(phrase.stop, numbers[-1][1]))
                items[:0] = [_item(meaning, start, found[stop - 1].end, number) for number, stop in numbers]
            elif not items and (end - start > 1 or found[phrase.first].kind == "east"):
                items.append(_item(meaning, start, end))
        made.append((phrase, items))
    for phrase, items in made:
        if phrase.first not in taken or any(item.kind in {"line", "part", "quantity"} for item in items):
            yield items


def _item(meaning: Meaning, start: int, end: int, number: int | None = None, *, is_ordinal: bool = False) -> Said:
    if meaning.role == "ordinal" and meaning.name.isdigit():
        return Said("ordinal", "", start, end, int(meaning.name), is_ordinal=True, language=meaning.language)
    if meaning.role == "cardinal":
        return Said("cardinal", "", start, end, int(meaning.name), language=meaning.language)
    return Said(
        meaning.role, meaning.name, start, end, number, is_ordinal, meaning.rank, meaning.when, meaning.language
    )


def _derived(text: str, items: list[Said]) -> Iterator[Said]:
    """Yield the items, a quantity behind the word for a gradient as its gradient: ``gradient of the queries``."""
    end, is_open = 0, False
    for item in items:
        is_near = is_open and item.start - end <= _NEAR and _SENTENCE.search(text, end, item.start) is None
        if item.kind == "state" and item.name == "gradient":
            end, is_open = item.end, True
        elif item.kind == "quantity" and is_near:
            item = Said(  # noqa: PLW2901 - the same item, of the gradient
                "quantity", f"d{item.name}", item.start, item.end, item.number, item.is_ordinal, item.rank, "gradient",
                item.language,
            )  # fmt: skip
        elif item.kind in {"operation", "outside"}:
            is_open = False
        yield item


def _worked(text: str, items: Iterator[Said]) -> Iterator[Said]:
    """Yield the items, scores near the words for a state of them as what they are then: ``scores (scaled)``."""
    every = list(items)
    states = [item for item in every if item.kind == "state" and item.name in _MADE]
    starts = [state.start for state in states]
    worked: dict[int, str] = {}
    for item in every:
        if item.kind == "quantity" and item.name == "S":
            low, high = bisect(starts, item.start - _FAR), bisect(starts, item.end + _NEAR)
            made = {_MADE[state.name] for state in states[low:high] if _is_beside(text, item, state)}
            worked[item.start] = next(
                (name for name in ("shifted", "S_masked", "S_capped", "S_scaled", "S") if name in made), ""
            )
    for item in every:
        name = worked.get(item.start, "") if item.kind == "quantity" else ""
        if not name:
            yield item
        elif item.name == "S":
            yield Said("quantity", name, item.start, item.end, rank=item.rank, when=item.when, language=item.language)


def _is_beside(text: str, item: Said, state: Said) -> bool:
    low, high = min(item.end, state.end), max(item.start, state.start)
    return high - low <= _NEAR and _SENTENCE.search(text, low, max(low, high)) is None
