"""Words that name tokens: indices such as ``w_{the→cat}``, ``score(the, cat)`` and ``Query 'cat'`` as numbers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice

from symattn import late
from symattn.notation.lexicon.lines import lines_said
from symattn.notation.lexicon.reader import said
from symattn.records import dataclass

_WORD = r"[^\W\d_][^\W_]{0,19}"
_LEFT, _RIGHT = "[“„\"'‘«「『`]", "[”“\"'’»」』`]"
_OPEN, _CLOSE = _LEFT + "{1,2}", _RIGHT + "{1,2}"
_QUOTED = late.pattern(rf"{_OPEN}[ \u00a0]?(?P<word>{_WORD})[ \u00a0]?{_CLOSE}")
_QUOTED_LABEL = late.pattern(
    rf"(?P<name>{_OPEN}[ \u00a0]?(?P<word>{_WORD})[ \u00a0]?{_CLOSE})(?=[ \u00a0]?(?::|：|=|→)[ ]?[\[(0-9−-])"
)
_SENTENCE = late.pattern(r"[“„\"«「‘`]{1,2}(?P<words>[^”“\"»」’`'\n]{3,80})[”“\"»」’']{1,2}")
_GAP = late.pattern(r"[\s,;:、，()\d=→|/&.*-]{1,24}")
_LISTED = late.pattern(
    rf"(?P<noun>{_WORD})[ _~]?(?P<number>[0-9])[ ]*(?:=|:|→|is)[ ]*{_LEFT}{{0,2}}(?P<word>{_WORD})(?![\w(])"
)

_FONT = r"\\(?:text|textit|textbf|textrm|mathrm|mathit|mathsf|operatorname)\s?\{"
_INDEX = rf"(?:{_FONT}[^\W\d_{{}}][^{{}}\n]{{0,40}}\}}|{_WORD})"
_ITEM = rf"{_LEFT}?{_INDEX}{_RIGHT}?"
_BETWEEN = r"\s*(?:,|→|->|\\to(?![a-z])|\\rightarrow(?![a-z]))\s*"
_BELOW = late.pattern(
    rf"_\{{\s*(?P<index>{_INDEX}(?:{_BETWEEN}{_INDEX})?)\s*\}}|(?<=[^\W\d_\\])_(?P<plain>{_WORD})(?![\w(])"
)
_CALL = late.pattern(rf"(?P<head>(?<![^\W_])[^\W\d_]{{1,20}})\}}?[(](?P<index>{_ITEM}(?:{_BETWEEN}{_ITEM})?)[)]")
_LABEL = late.pattern(
    rf"^[ \t>*+|-]{{0,8}}(?:[^\W\d_]{{1,12}} )?(?:{_OPEN}(?P<quoted>{_WORD}){_CLOSE}|(?P<bare>{_WORD}))"
    r"[*_]{0,2}[ ]?(?:(?::|：|=)[ \t]{0,4}[\[(0-9−-]|→|->|[ \t]*\|[ \t]*[-−]?[.0-9]|\t[-−]?[.0-9])",
    re.MULTILINE,
)
"""A word that labels the numbers of a line, or of a row of a table."""

_NOUN = late.pattern(
    rf"(?P<noun>{_WORD})(?P<name>[ *_]{{0,4}}{_OPEN}[ \u00a0]?(?P<word>{_WORD})[ \u00a0]?{_CLOSE}[*_]{{0,2}})"
    rf"(?![\s,;、()\d]{{1,6}}{_LEFT})"
)
_WORDS = late.pattern(_WORD)
_LETTERS = late.pattern(r"[^\W\d_]+")
_LATEX = late.pattern(r"\\[A-Za-z]+")

_QUERIES = frozenset({"q", "Q", "z", "o", "O", "h", "c", "out", "output", "context", "query"})
"""Names whose only index is that of a query."""

_LINES = _QUERIES | {"k", "K", "v", "V", "x", "X", "key", "value"}
"""Names with one index, of which a call is a line: ``Q(cat)``."""

_OF_KEYS = frozenset({"a", "alpha", "w", "s", "e", "p", "score", "scores", "weight", "weights", "attention", "exp"})
"""Names whose only index is that of a key; ``m_{new}`` and ``l_{old}`` of an online softmax are none."""

_ROWS = frozenset({"S", "S_scaled", "S_masked", "E", "A", "O"})
"""Quantities of which a call of a word with a list behind it is the row of a query: ``weights(cat) = [0.4, 0.6]``."""

_LIST_BEHIND = late.pattern(r"[ *$]{0,4}[=:≈][^\n]{0,200}[\[(][^\[\]()\n]{1,80},[^\[\]()\n]{1,80}[\])]")

_STATES = frozenset({
    *("new", "old", "prev", "next", "cur", "curr", "last", "init", "start", "end", "left", "right", "top", "in", "out"),
    *("max", "min", "tot", "acc", "run"),
})  # fmt: skip
"""Indices of programs that name a state or a part, and no token."""

_HEAD = late.pattern(r"[^\W\d_]+(?=\}*$)")

_SHORT = 3
"""Letters of a word that nothing but its use as an index says to be the name of a token."""

_SIGN_OF_WORDS = 0x3400
"""First of the rare ideographs, which are read as words."""

_MOST = 2_000
"""Indices of one work that are looked at."""


class TokenNames:
    """Words of the tokens of a work, with their numbers.

    Args:
        text: the work.
        queries: number of query tokens.
        keys: number of key tokens.
        own: words in the names of the sheet's own quantities, ``act`` in ``F_act``, which name no token.
    """

    def __init__(self, text: str, queries: int, keys: int, own: Collection[str] = ()) -> None:
        self.queries = queries
        self.places: Mapping[str, int] = {}
        self.query: str | None = None
        found = list(_indices(text)) if keys > 1 and queries in {1, keys} else []
        labels = list(_labels(text)) if keys > 1 and queries in {1, keys} else []
        used = {word.casefold() for index in found for word in index.words}.union(*labels).difference(own)
        lists = [*_enumerations(text), *_sentences(text), *_by_use(found), *labels] if used else []
        for words in lists:
            names = [word.casefold() for word in words]
            is_new = len(names) == len(set(names)) == keys and not any(map(_is_known, names))
            if is_new and not used.isdisjoint(names) and set(names).isdisjoint(own):
                self.places = {name: place for place, name in enumerate(names)}
                asking = {one.words[0].casefold() for one in found if len(one.words) == 1 and one.head in _QUERIES}
                self.query = asking.pop() if len(asking) == queries == 1 else None
                return

    def respelled(self, text: str, base: int = 1) -> str:
        """Return a text of the same length with numbers for these words where they are indices."""
        parts = list(text)
        for index in _indices(text):
            low, high = index.span
            numbers = self._numbers(index, base)
            spelling = ",".join(map(str, numbers))
            if self.queries == len(numbers) == 1 and index.counts_query and text[low - 1] == "{":
                spelling = f"{spelling},:"  # all of the only row, and not its first entry
            if index.is_call:
                spelling = f"_{spelling}" if len(numbers) == 1 else f"({spelling})"
            if numbers and len(spelling) <= high - low:
                parts[low:high] = spelling.ljust(high - low)
        for found in _nouns(text):
            place = self.places.get(found["word"].casefold())
            if place is not None:
                parts[slice(*found.span("name"))] = f" {place + base}".ljust(len(found["name"]))
        for found in islice(_QUOTED_LABEL.finditer(text), _MOST):
            place = self.places.get(found["word"].casefold())
            if place is not None:
                label = found["word"] if self.queries == 1 else f"t{place + base}"
                parts[slice(*found.span("name"))] = label.ljust(len(found["name"]))
        for labels in _lists_of_labels(text) if any(map(_is_letter, self.places)) else ():
            for found in labels if set(_words_in(labels)) >= set(self.places) else ():
                if found["bare"] and _is_letter(found["bare"]) and found["bare"].casefold() in self.places:
                    parts[slice(*found.span("bare"))] = letter_as_word(found["bare"])
        return "".join(parts)

    def _numbers(self, index: Index, base: int) -> list[int]:
        """Return the numbers of an index; nothing where a word names no token."""
        words = [word.casefold() for word in index.words]
        if len(words) == 2 and words[1] == self.query != words[0]:
            words.reverse()  # the key first
        places = [self.places.get(word, -1) for word in words]
        if self.queries == 1 and places and places[-1] >= 0 and index.counts_query:
            places[0] = 0
        return [] if -1 in places else [place + base for place in places]


@dataclass(frozen=True, slots=True)
class Index:
    """Index that is one word, or two of a query and a key.

    Attributes:
        span: where it stands; that of a call has its brackets.
        head: the name before it.
        words: its words.
        is_call: whether it stands in round brackets.
        is_row: whether a list stands behind a call.
    """

    span: tuple[int, int]
    head: str
    words: tuple[str, ...]
    is_call: bool
    is_row: bool = False

    @property
    def counts_query(self) -> bool:
        """Return whether its first word is that of a query."""
        return len(self.words) == 2 or self.head in _QUERIES or self.is_row


def places_of(label: str, tokens: Sequence[str]) -> list[int]:
    """Return the places of the tokens that a label names, in its order.

    >>> places_of('"cat" → "sat"', ("the", "cat", "sat"))
    [1, 2]
    """
    return [tokens.index(word) for word in _LETTERS.findall(label.casefold()) if word in tokens]


def letter_as_word(word: str) -> str:
    """Return the sign as which the letter of a token is read, which names no quantity; other words stay."""
    return chr(_SIGN_OF_WORDS + ord(word.casefold())) if _is_letter(word) else word


def _indices(text: str) -> Iterator[Index]:
    for found in islice(_BELOW.finditer(text), _MOST):
        kind = "index" if found["index"] else "plain"
        head = _HEAD.search(text[max(0, found.start() - 20) : found.start()])
        yield Index(found.span(kind), "" if head is None else _folded(head[0]), _words_of(found[kind]), is_call=False)
    for found in islice(_CALL.finditer(text), _MOST):
        words = _words_of(found["index"])
        name = _folded(found["head"])
        is_row = len(words) == 1 and _has_rows(name) and _LIST_BEHIND.match(text, found.end()) is not None
        if name in _LINES or len(words) == 2 or is_row:
            yield Index((found.start("index") - 1, found.end()), name, words, is_call=True, is_row=is_row)


def _has_rows(head: str) -> bool:
    """Return whether a word that a formula can hold means a quantity that has a row for each query."""
    items = (item for item in said(head) if (item.start, item.end) == (0, len(head)))
    return len(head) > 1 and head.isascii() and any(item.name in _ROWS for item in items)


def _folded(head: str) -> str:
    """Return a word in small letters; a letter keeps its size."""
    return head if len(head) == 1 else head.casefold()


def _words_of(index: str) -> tuple[str, ...]:
    return tuple(_WORDS.findall(_LATEX.sub(" ", index)))


def _nouns(text: str) -> list[re.Match[str]]:
    """Return the quoted words behind a noun for a token: ``Query 'cat'``."""
    if not any(sign in text for sign in _LEFT[1:-1]):
        return []
    return [found for found in islice(_NOUN.finditer(text), _MOST) if _is_token(found["noun"])]


def _labels(text: str) -> Iterator[list[str]]:
    """Yield the words behind nouns for a token, those that label lines in quotes, and those that do so twice.

    A letter, an article such as ``o`` and ``a``, is one of them where it stands twice in the same list beside words.
    """
    yield list(dict.fromkeys(found["word"].casefold() for found in _nouns(text)))
    quoted, bare = Counter[str](), Counter[str]()
    for found in islice(_LABEL.finditer(text), _MOST):
        (quoted if found["quoted"] else bare).update([(found["quoted"] or found["bare"]).casefold()])
    yield list(quoted)
    yield [word for word, count in bare.items() if count > 1 and not _is_letter(word)]
    for words, count in Counter(tuple(_words_in(labels)) for labels in _lists_of_labels(text)).items():
        letters = sum(map(_is_letter, words))
        if count > 1 and 0 < letters <= len(words) - letters:
            yield list(words)


def _lists_of_labels(text: str) -> Iterator[list[re.Match[str]]]:
    """Yield the labels of lines behind each other."""
    run: list[re.Match[str]] = []
    end = 0
    for found in islice(_LABEL.finditer(text), _MOST):
        if text[end : found.start()].strip():
            yield run
            run = []
        run.append(found)
        end = line_end if (line_end := text.find("\n", found.end())) >= 0 else len(text)
    yield run


def _words_in(labels: Iterable[re.Match[str]]) -> list[str]:
    """Return the words without quotes of labels, but for those of quantities."""
    return [word for found in labels if (word := (found["bare"] or "").casefold()) and not _is_known(word)]


def _is_letter(word: str) -> bool:
    """Return whether a word may be the name of a quantity by its length."""
    return len(word) == 1 and word.isascii()


def _by_use(indices: Iterable[Index]) -> Iterator[list[str]]:
    """Yield the words below each name in their order, where they count keys or lines."""
    found: dict[str, dict[str, None]] = {}
    for index in indices:
        is_line = index.head in _LINES or index.head in _OF_KEYS or len(index.words) == 2
        if is_line and (len(index.words) == 2 or index.head not in _QUERIES):
            found.setdefault(index.head, {}).setdefault(index.words[-1].casefold())
    for words in found.values():
        if all((len(word) >= _SHORT or not word.isascii()) and word not in _STATES for word in words):
            yield list(words)


def _is_token(noun: str) -> bool:
    return any(item.name in {"token", "row", "query", "key", "position"} for item in lines_said(f"{noun} 1"))


def _is_known(word: str) -> bool:
    """Return whether a word says something else than a token: ``masked``, ``scores``."""
    return any(item.kind != "relation" and item.end - item.start == len(word) for item in said(word))


def _enumerations(text: str) -> Iterator[list[str]]:
    """Yield the words of lists: ``"the", "cat"``, ``(token 1 = the, token 2 = cat)``."""
    run: list[str] = []
    end = -1
    for found in islice(_QUOTED.finditer(text), _MOST):
        gap = text[end : found.start()]
        if end < 0 or not (_GAP.fullmatch(gap) or _is_and(gap)):
            yield run
            run = []
        run.append(found["word"])
        end = found.end()
    yield run
    listed: dict[str, dict[int, str]] = {}
    for found in islice(_LISTED.finditer(text), _MOST):
        if _is_token(found["noun"]):
            listed.setdefault(found["noun"].casefold(), {}).setdefault(int(found["number"]), found["word"])
    for words in listed.values():
        first = min(words)
        if first < 2 and sorted(words) == list(range(first, first + len(words))):
            yield [words[number] for number in sorted(words)]


def _is_and(gap: str) -> bool:
    words = gap.strip(" ,;\n")
    return len(gap) < 9 and any(
        item.name == "and" and (item.start, item.end) == (0, len(words)) for item in said(words)
    )


def _sentences(text: str) -> Iterable[list[str]]:
    return (_WORDS.findall(found["words"]) for found in islice(_SENTENCE.finditer(text), _MOST))
