"""Phrases and headings that name a quantity and a token: "the output for the first token", "row 3 of A".

Only what is said plainly is bound; anything else stays words.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import islice
from operator import attrgetter

from symattn import late
from symattn.checking.graph.quantities import Graph
from symattn.checking.graph.targets import Target, whole
from symattn.checking.names.lexicon import BY_KEY
from symattn.notation.letters import EAST_ASIAN
from symattn.notation.lexicon.reader import LAST, Said, said, words_beside
from symattn.notation.lexicon.translation import has_owner_in_front
from symattn.problem.model import Problem

MOST = 240
"""Characters of a sentence that may be a plain statement."""

_LONGEST = 2000
"""Characters of a sentence in which lists are looked for."""

_NUMBER = r"[-−]?\d{1,12}(?:(?:\.\d{1,20})?%|\.\d{1,20}|/\d{1,12})?"
NUMBER = late.pattern(_NUMBER)
_LIST = late.pattern(rf"[\[(]?\s?({_NUMBER}(?:(?:[,;]? ?[^\W\d_]{{1,5}} |[,;] {{0,6}}| ){_NUMBER}){{0,63}})\s?[\])]?")
_SIGN = late.pattern(r"\s*[:=≈~]\s*")
_SYMBOL = late.pattern(
    r"(?<![^\W_])\$?(?P<symbol>[A-Z]|\\?(?:Omega|Gamma|Lambda|Phi|Psi|Sigma|Theta|omega|gamma|phi|psi|rho|tau))\$?(?![\w])"
)
_JOINS = late.pattern(r"(?:\s|['’]s(?!\w))*")
_OTHER_SIGNS = late.pattern(r"[0-9=/√·×{}\[\]]")
_SENTENCES = late.pattern(r"(?<=[.;!?,:])\s+")
_BEHIND_NUMBERS = late.pattern(r"(?<=[0-9%)\]])[,;]?\s+")

_AFTER_SIGN = late.pattern(
    rf"(?:[\w.=≈^·×⋅∙*/+√~<>≤≥|\\@#%-]|(?:(?![{EAST_ASIAN}])\w|[\^·×⋅∙*/+√=≈])[ ]?[\[({{]{{1,2}}"
    r"|[=≈^·×⋅∙*/+√~<>≤≥|\\-][ ]{1,3})\Z"
)
_BEFORE_SIGN = late.pattern(r"[\])}]*(?:[A-Za-z_\u00c0-\u04ff]|\s*[=≈^·×⋅∙*/+√~<>≤≥|\\%°:→]|\.\d|-[^\W\d_]|\s-\s)")
_MARKER = late.pattern(r"\d+[.)]\s")
_STOP = late.pattern(r"\s*(?:[.,;!?)\]，、；。]|$)")
_GAP = late.pattern(r"[\s,;，、；]*")

_PLAIN = frozenset({"O", "S_scaled", "S", "A", "Q", "K", "V"})
_ROWS = {"output": "O", "query": "Q", "key": "K", "value": "V"}
"""Quantities of which a noun counts a row: ``the third key``."""

_TOKENS = frozenset({"token", "row", "query", "position", "input"})
_LINES = frozenset({"row", "column"})
_WHOLE = frozenset({"S_scaled", "S", "A", "O", "Q", "K", "E"})
_WORDS_ALONE = late.pattern(r"[^\W\d_][^\d()\[\]=]*")
_ASIDE = frozenset({"relation", "state", "operation"})
"""What words before a comma may say of the way to a number: ``after the softmax, …``."""

_SMALL = frozenset({"the", "filler", "label", "each"})
"""Words between a verb and its numbers: ``are both equal to``."""


class Phrases:
    """Resolver of phrases.

    Args:
        graph: the quantities.
        problem: for the orientation of tokens and softmaxes.
        base: what the work counts from.
        named: the quantity that a name means, None where it surely means none.
        present: a quantity by its plain name, that of the head which is spoken of; None where there is none.
    """

    def __init__(
        self,
        graph: Graph,
        problem: Problem,
        base: int,
        named: Callable[[str], Target | None],
        present: Callable[[str], str | None] | None = None,
    ) -> None:
        self.graph = graph
        self.base = base
        self.named = named
        self.present = present or (lambda name: name if name in graph else None)
        self.tokens_are_columns = problem.tokens == "columns"
        self.softmax_of_columns = problem.softmax == "columns"

    def target(self, words: str) -> Target | None:
        """Return the target of a phrase that only names something.

        It is None for words that say more, and for a nonexistent token.
        """
        found = self.targets(words)
        return found[0] if len(found) == 1 else None

    def targets(self, words: str) -> tuple[Target, ...]:
        """Return the targets of a phrase, several lines of one quantity too: ``rows 1 and 2 of A``."""
        text = " ".join(words.replace("$", "").split())
        if len(text) > MOST:
            return ()
        items = [item for item in _likeliest(text) if item.name != "the"]
        lines = [item for item in items if item.kind == "line" and item.number is not None]
        if lines and lines[0].name in _LINES and items[0] == lines[0]:
            return self._lines(text, items, lines)
        found = self._plain(text, items)
        return () if found is None else (found,)

    def _lines(self, text: str, items: Sequence[Said], lines: list[Said]) -> tuple[Target, ...]:
        """Return ``rows 1 and 2 of A``, all of them or none."""
        of = next((item for item in items if item.name == "of" and item.start >= lines[-1].end), None)
        full = None if of is None or text[lines[-1].end : of.start].strip() else self.named(_matrix(text[of.end :]))
        if full is None:
            return ()
        rows = lines[0].name == "row"
        places = [self._place(line, full.shape[0 if rows else 1]) for line in lines]
        found = [full.part(place, None) if rows else full.part(None, place) for place in places if place is not None]
        kept = tuple(part for part in found if part is not None)
        return kept if len(kept) == len(lines) else ()

    def _plain(self, text: str, items: Sequence[Said]) -> Target | None:
        """Return a row or an entry: ``the output for token 2``, ``token 1's weights``, ``the second output``."""
        if _JOINS.fullmatch(_beside(text, said(text))) is None:
            return None
        match items:
            case [Said("quantity") as what, Said(name="of" | "to" | "between"), Said("line") as line]:
                return self._row(text, what, line)
            case [
                Said("quantity") as what,
                Said(),
                Said("line") as line,
                Said(name="of" | "to" | "and"),
                Said("line") as other,
            ]:
                return self._entry(what, line, other)
            case [Said("line") as line, Said("quantity") as what] if _owns(text, line, what):
                return self._row(text, what, line)
            case [Said("line") as line, Said(name="of"), Said("quantity") as what] if has_owner_in_front(line):
                return self._row(text, what, line)
            case [Said("ordinal") as which, Said("quantity") as what] if what.name != "V" or " " in _text(text, what):
                return self._row(text, what, which)
            case [Said("line") as line] if line.name in _ROWS and line.end - line.start >= len("key 1"):
                row = self._row(text, replace(line, kind="quantity", name=_ROWS[line.name]), line)
                # "output 3" may be the third number as well.
                return row if row is None or line.is_ordinal else replace(row, guess=True)
            case [Said("line") as line, Said(name="attends"), *rest] if all(map(_follows_attends, rest)):
                return self._row(text, replace(line, kind="quantity", name="A"), line)
        return None

    def _full(self, text: str, what: Said) -> Target | None:
        """Return all of a quantity; plain scores are a guess where there are scaled ones, and none beside others."""
        name = self.present(what.name) if what.name in _PLAIN else None
        if name is None:
            return None
        is_loose = what.name == "S" and self.present("S_scaled") is not None and _may_be_scaled(text, what)
        if is_loose and (self.present("S_masked") or self.present("S_biased")):
            return None  # scores may be any of them
        return replace(whole(self.graph, name), guess=is_loose)

    def _row(self, text: str, what: Said, line: Said) -> Target | None:
        full = self._full(text, what)
        turned = self._is_turned(what.name)
        if full is None or (
            line.kind == "line" and line.name not in _TOKENS and line.name != what.name and line.name not in _ROWS
        ):
            return None
        place = self._place(line, full.shape[1 if turned else 0])
        if place is None:
            return None
        return full.part(None, place) if turned else full.part(place, None)

    def _entry(self, what: Said, line: Said, other: Said) -> Target | None:
        full = self._full("", what) if what.name in BY_KEY else None
        if full is None:
            return None
        pair = (other, line) if self._is_turned(what.name) else (line, other)
        places = [self._place(item, size) for item, size in zip(pair, full.shape, strict=True)]
        return None if None in places else full.part(places[0], places[1])

    def _is_turned(self, name: str) -> bool:
        return self.softmax_of_columns if name in BY_KEY else self.tokens_are_columns

    def _place(self, line: Said, size: int) -> int | None:
        """Return the place of a line, from 0; "the 1st token" is the first one, wherever indices begin."""
        if line.number is None:
            return None
        place = size - 1 if line.number == LAST else line.number - (1 if line.is_ordinal else self.base)
        return place if 0 <= place < size else None


@lru_cache(maxsize=4096)
def _likeliest(text: str) -> tuple[Said, ...]:
    """Return what a text says, the first meaning of each phrase; a noun with a number is a line before all else."""
    lines = {item.end: item for item in reversed(said(text)) if item.kind == "line" and item.number is not None}
    inside = {place for item in lines.values() for place in range(item.start, item.end)}
    others = {item.start: item for item in reversed(said(text)) if item.start not in inside and item.rank == 0}
    return tuple(sorted((*lines.values(), *others.values()), key=lambda item: (item.start, item.end)))


def _text(text: str, item: Said) -> str:
    return text[item.start : item.end]


def _beside(text: str, items: Iterable[Said]) -> str:
    """Return a text without what it says."""
    signs = list(text)
    for item in items:
        signs[item.start : item.end] = " " * (item.end - item.start)
    return "".join(signs)


def _matrix(words: str) -> str:
    """Return the name behind ``row 3 of the matrix``."""
    words = words.strip()
    items = [item for item in said(words) if item.kind == "relation" and item.start == 0]
    return words[items[0].end :].strip() if items and items[0].name in {"the", "filler", "label"} else words.strip()


def _owns(text: str, line: Said, what: Said) -> bool:
    return text[line.end : what.start].strip() in {"'s", "’s"} or has_owner_in_front(line)


def _may_be_scaled(text: str, what: Said) -> bool:
    """Return whether plain words for scores may mean the scaled ones: "raw scores" may not."""
    return not text or any(item.name == "S_scaled" and item.start == what.start for item in said(text))


def _follows_attends(item: Said) -> bool:
    return item.name in {"to", "the", "each", "token", "A"}


def titled(heading: str) -> tuple[str, ...]:
    """Return the quantities of which a heading is the plain name, and nothing more.

    >>> titled("Attention weights:"), titled("What I think of scores")
    (('A',), ())
    """
    words = heading.strip(" .:*#")
    return tuple(
        item.name for item in said(words)
        if item.end == len(words) and _is_likely(item) and (item.name == "O" or _is_whole(words, item))
        and not set(words_beside(words, [item])) - {"the"}
    )  # fmt: skip


def names_given(words: str, *, is_title: bool = False) -> list[tuple[str, tuple[str, ...]]]:
    """Return the symbols that words give to whole quantities, with the possible quantities.

    >>> names_given("We write $G$ for the scores.")
    [('G', ('S', 'S_scaled'))]
    >>> names_given("Attention weights (B)", is_title=True)
    [('B', ('A',))]
    """
    found: list[tuple[str, tuple[str, ...]]] = []
    for part in [words] if is_title else _SENTENCES.split(words):
        text = " ".join(part[:MOST].split()).strip(" .;,:*#")
        symbols = list(_SYMBOL.finditer(text))
        low, high = symbols[0].span() if len(symbols) == 1 else (0, 0)
        rest = f"{text[:low]}{' ' * (high - low)}{text[high:]}"
        wholes = [item for item in said(rest) if _is_likely(item) and _is_whole(rest, item)]
        if not high or not wholes or _OTHER_SIGNS.search(rest) is not None:
            continue
        links = [item for item in said(rest) if item.kind == "relation"]
        names = {item.name for item in links}
        is_behind = wholes[0].end <= low  # "the scores are called G"; "scores (G)" in a title
        # The verb stands between: "I pesi sono" is Italian, and gives no name.
        is_equal = any(item.name == "is" and high <= item.start < wholes[0].start for item in links)
        is_told = is_behind if is_title else "call" in names or is_equal
        if is_told and not words_beside(rest, [wholes[0], *links]):
            found.append((symbols[0]["symbol"], tuple(item.name for item in wholes if item.start == wholes[0].start)))
    return found


def _is_likely(item: Said) -> bool:
    return item.kind == "quantity" and item.name in _WHOLE and (not item.rank or item.name == "S_scaled")


def _is_whole(text: str, what: Said) -> bool:
    """Return whether words mean all of a quantity: ``scores``, ``score matrix``, and not ``score``."""
    plural = f"{_text(text, what)}s"
    return what.language != "en" or not any(
        item.kind == "quantity" and item.end == len(plural) for item in said(plural)
    )


def statement(sentence: str) -> tuple[str, bool, int, int] | None:
    """Return the subject phrase of a sentence with numbers, whether it says "about", and the span of the numbers.

    >>> statement("so the second output equals (0.3, 0.7)")
    ('the second output', False, 28, 38)
    >>> statement("The weights are small.")
    """
    if len(sentence) > MOST:
        return None
    body = sentence.rstrip(" .;,")
    for start, end, is_near in _verbs(body):
        if _is_list(body, end):
            return opened(body[:start]), is_near, end, len(body)
    return None


def _verbs(body: str) -> Iterator[tuple[int, int, bool]]:
    """Yield the start and the end of each verb or sign that a subject may precede, and whether it says "about"."""
    items = said(body)
    ends = [(found.start(), found.end()) for found in _SIGN.finditer(body)]
    ends += [(item.start, item.end) for item in items if item.name == "is"]
    ends += [(item.end, item.end) for item in items if item.name == "attends"]
    for start, end in sorted(ends):
        is_near, attends = False, start == end
        for item in items:
            is_next = item.start >= end and not body[end : item.start].strip()
            if is_next and (item.name in {*_SMALL, "near", "lead"} or (attends and _follows_attends(item))):
                end, is_near = item.end, is_near or item.name == "near"  # noqa: PLW2901 - the words behind it
        sign = _SIGN.match(body, end)
        end = end if sign is None else sign.end()  # noqa: PLW2901 - likewise
        yield start, end + len(body[end:]) - len(body[end:].lstrip()), is_near


def _is_list(body: str, start: int) -> bool:
    """Return whether numbers alone stand behind a place."""
    links = [item for item in said(body) if item.name == "and"]
    return _LIST.fullmatch(body, start) is not None and not any(map(str.isalpha, _beside(body, links)[start:]))


def clauses(sentence: str) -> list[tuple[int, int]]:
    """Return the parts of a sentence that goes on with another token.

    >>> sentence = "The weights of token 1 are 0.9, 0.1, of token 2 are 0.3, 0.7"
    >>> [sentence[slice(*part)] for part in clauses(sentence)]
    ['The weights of token 1 are 0.9, 0.1', 'of token 2 are 0.3, 0.7']
    """
    found: list[tuple[int, int]] = []
    start = 0
    for gap in _BEHIND_NUMBERS.finditer(sentence):
        items = _adjacent(sentence, gap.end())
        link = items[0] if items and items[0].name in {"and", "while"} else None
        rest = items[link is not None :]
        names = [item.kind if item.kind == "line" else item.name for item in rest if item.name not in {"the", "those"}]
        is_new = link is not None and bool(rest) and (rest[0].name == "the" or _is_counted(rest[0]))
        if names[:2] == ["of", "line"] or is_new:
            found.append((start, gap.start()))
            start = rest[0].start
    return [*found, (start, len(sentence))]


def _is_counted(item: Said) -> bool:
    return item.kind == "line" and item.number is not None and item.name in {"row", "column", "token"}


def _adjacent(text: str, start: int) -> list[Said]:
    """Return what words say that follow one another from a place on."""
    found: list[Said] = []
    items = _likeliest(text)
    for item in islice(items, bisect_left(items, start, key=attrgetter("start")), None):
        if text[start : item.start].strip():
            break
        if item.start >= start:
            found.append(item)
            start = item.end
    return found


def kind_of(phrase: str) -> str | None:
    """Return the words of a phrase that say the quantity: ``weights`` of "the weights of token 1"."""
    items = [item for item in _likeliest(phrase) if item.name != "the"]
    is_of = len(items) > 1 and items[0].name in _PLAIN and items[1].name == "of"
    return _text(phrase, items[0]) if is_of else None


def continued(phrase: str, kind: str | None) -> str:
    """Return a phrase that leaves out the quantity of the one before: ``of token 2``, ``those of token 2``."""
    items = [item for item in said(phrase) if item.name not in {"the", "those"}]
    is_open = (
        kind is not None
        and bool(items)
        and items[0].name == "of"
        and not words_beside(phrase[: items[0].start], said(phrase))
    )
    return f"{kind} {phrase[items[0].start :]}" if is_open else phrase


def opened(words: str) -> str:
    """Return words without their introduction: ``so the output`` is the output."""
    text = words.strip()
    front = text[: max(0, text.find(","))]
    asides = [item for item in said(front) if item.kind in _ASIDE]
    is_aside = any(item.kind != "relation" for item in asides) and _WORDS_ALONE.fullmatch(front) is not None
    is_aside = is_aside and not words_beside(front, asides)
    place = len(front) + 1 if is_aside else 0
    for item in _adjacent(text, place):
        if item.name not in {"lead", "and"}:
            break
        place = item.end + len(text[item.end :]) - len(text[item.end :].lstrip(" ,"))
    return text[place:].lstrip()


def before_numbers(words: str) -> str | None:
    """Return the phrase with which a paragraph ends before a formula: ``… is``; None without a verb."""
    last = re.split(r"(?<=[.;,])\s", words[-MOST:].strip())[-1]
    return next((opened(last[:start]) for start, end, _ in _verbs(last) if not last[end:].strip()), None)


def number_lists(sentence: str) -> list[tuple[int, int]]:
    """Return the spans of numbers that stand among words, those that "and" or commas join as one.

    A number beside a sign of a formula is left to that; a number alone must end a clause, for others count things.

    >>> text = "Its query meets 3 keys of row 2 with 2, 4 and 4, the total is 38.00"
    >>> [text[slice(*span)] for span in number_lists(text)]
    ['2, 4 and 4', '38.00']
    >>> number_lists("1. Multiply by sqrt(2) = 1.41, or 0.5·(4, 0)")
    []
    """
    if len(sentence) > _LONGEST:
        return []
    items = said(sentence)
    links = [item for item in items if item.name == "and"]
    counted = {place for item in items if item.number is not None for place in range(item.start, item.end)}
    runs: list[list[re.Match[str]]] = []
    for found in NUMBER.finditer(sentence):
        if runs and _is_joined(sentence, runs[-1][-1].end(), found.start(), links):
            runs[-1].append(found)
        else:
            runs.append([found])
    kept = (run for run in runs if not counted.intersection(range(run[0].start(), run[-1].end())))
    spans = [(run[0].start(), run[-1].end()) for run in kept if len(run) > 1 or _ends_clause(sentence, run[0], links)]
    return [span for span in spans if _is_free(sentence, *span)]


def _is_joined(sentence: str, start: int, end: int, links: list[Said]) -> bool:
    gap = sentence[start:end]
    for link in links:
        if start <= link.start and link.end <= end:
            gap = f"{sentence[start : link.start]},{sentence[link.end : end]}"
    return bool(gap) and _GAP.fullmatch(gap) is not None


def _ends_clause(sentence: str, number: re.Match[str], links: list[Said]) -> bool:
    place = number.end() + len(sentence[number.end() :]) - len(sentence[number.end() :].lstrip())
    if "." in number[0] and sentence[number.end() : place].lstrip(" \t").startswith("\n"):
        return True  # a decimal at the end of a line counts nothing
    return _STOP.match(sentence, number.end()) is not None or any(link.start == place for link in links)


def _is_free(sentence: str, low: int, high: int) -> bool:
    """Return whether no letter and no sign of a formula touches numbers, and they begin no item of a list."""
    front = sentence[:low].rstrip("[( ") + " " * (low > 0)
    is_formula = _AFTER_SIGN.search(sentence[max(0, low - 4) : low]) or _AFTER_SIGN.search(front[-4:])
    is_item = _MARKER.match(sentence, low) and not sentence[:low].rpartition("\n")[2].strip(" #*>-")
    return not is_formula and not is_item and _BEFORE_SIGN.match(sentence, high) is None
