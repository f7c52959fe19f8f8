"""Lines of plain text: their mathematics, and their words.

A line is mathematics when it holds a relation between mathematics, or is one list of numbers. Words before
it become the name of its left side when they are few; other words are prose.
"""

from __future__ import annotations

import re
from collections.abc import Set as AbstractSet
from itertools import takewhile

from symattn import late
from symattn.notation.letters import (
    CYRILLIC,
    EAST_ASIAN,
    GREEK_ACCENTED,
    GREEK_WORD,
    LATIN_ACCENTED,
    LATIN_OR_CYRILLIC,
    OTHER_WORD,
)
from symattn.notation.lexicon.reader import said
from symattn.notation.statements.chains import Chain, inner, is_list, span_of, split_sides, statements, trim
from symattn.notation.statements.nesting import flatten
from symattn.notation.statements.signs import Sign, signs
from symattn.notation.tree import nodes as t
from symattn.notation.tree import symbols
from symattn.records import dataclass

MAX_NAME_WORDS = 4
"""Words of a left side that are still a name."""

_FUNCTIONS = t.FUNCTIONS | {
    "softmax", "softargmax", "array", "tensor", "sigma", "sin", "cos", "tanh", "abs", "norm", "mean", "inf", "nan",
    "sum", "diag", "torch", "numpy", "math", "float", "matmul", "dot",
}  # fmt: skip
_KNOWN = _FUNCTIONS | set(symbols.GREEK)
STOPWORDS = frozenset(
    "a an the is are was were be of in on at by to from for with as it its this that these those we you i they he "  # noqa: SIM905 - a list of words
    "has have had can will would get gets got our your not no than more less most so then thus hence now if when "
    "since because where which and or but also here there let us do does did into use used using all each both "
    "only about between after before first second next finally rounded approximately equals respectively means "
    "mean gives yields find compute".split()
) - {"a", "i"}
"""Words that no name of a quantity holds."""

_OTHER_WORD = late.pattern(OTHER_WORD)
_EAST_ASIAN = late.pattern(f"[{EAST_ASIAN}]")
_LINKS = frozenset({"for", "of", "the", "at", "in"})
_INNER_WORDS = late.pattern(rf"(?<![A-Za-z_.])[{LATIN_OR_CYRILLIC}]{{3,}}(?![A-Za-z_(])|{GREEK_WORD}|{OTHER_WORD}")
_TOKEN = late.pattern(r"[qxt]_?[0-9]{1,2}")
_CALLED = late.pattern(r"(?:_|[^\W\d]\w{0,39})$")
_LOOK = 40
_INNER_FORMULA = late.pattern(r"[A-Za-z].*[·×*@/^ᵀ√(]|[A-Za-z]{1,2}[ ]?[A-Z]")
_FUNCTION_ALONE = late.pattern(r"[ ]\([ ]?(?:row-?wise )?soft(?:arg)?max[ ]?\)", re.IGNORECASE)
_NUMERAL = late.pattern(r"[0-9]+")
_SMALL_WORD = late.pattern(rf"[{LATIN_ACCENTED}{CYRILLIC}{GREEK_ACCENTED}]{{1,2}}")
"""A word of one or two letters, never a symbol: ``é``, ``и``."""

_DECIMAL = late.pattern(r"[0-9]*[.,][0-9]+")
_NUMBER = late.pattern(r"[0-9]+(?:\.[0-9]*)?")
_PRODUCTS = frozenset("xo")
"""Letters typed for the signs of products."""

_AMOUNT = late.pattern(r"√?[0-9]+(?:[.,][0-9]+)?")
_NUMBERED = late.pattern(r"[A-Za-z]_?[0-9]?")
_MARK = late.pattern(r",?\s+[0-9]{1,3}(?:[.,]5)?[ ]?/[ ]?[0-9]{1,3}[.!]?")
"""A mark behind a list: ``(0.4, 3.6) 8/10``."""

_BY_NUMBER = frozenset({"scale", "scaled", "product"})
"""Operations with a number, which stands behind the words for them."""

_COUNTED = frozenset({"line", "part", "quantity"})


def is_stopword(word: str) -> bool:
    """Return True for a word that no name holds.

    >>> [is_stopword(word) for word in ("do", "Do", "DO", "dO", "é", "и", "α")]
    [True, True, True, False, True, True, False]
    """
    return (word.lower() in STOPWORDS and not is_cased_as_symbol(word)) or _SMALL_WORD.fullmatch(word) is not None


def is_cased_as_symbol(word: str) -> bool:
    """Return True if a capital stands behind a small letter: ``dO`` and ``dWq`` are gradients, not words.

    >>> [is_cased_as_symbol(word) for word in ("dWq", "Weights", "OUTPUT", "LayerNorm")]
    [True, False, False, False]
    """
    return word[0].islower() and not word.islower()


@dataclass(frozen=True, slots=True)
class Line:
    """The contents of one line: chains, and the spans of its words, in order."""

    chains: tuple[Chain, ...]
    prose: tuple[t.Span, ...]


def read_line(text: str, start: int, end: int, blanks: list[t.Span]) -> Line:
    """Return the chains of a line of plain text and the words around them; no chains when it is all words.

    >>> text = "The score of token 1: S_11 = 1*2 + 3 = 5, which is large"
    >>> line = read_line(text, 0, len(text), [])
    >>> [text[slice(*side)] for side in line.chains[0].sides], [text[slice(*span)] for span in line.prose]
    (['S_11', '1*2 + 3', '5'], ['The score of token 1:', 'is large'])
    """
    flat, _ = flatten(signs(text, start, end, "plain"), [])
    reader = _LineReader(text)
    for statement in statements(flat, blanks):
        reader.statement(list(statement.signs), after_words=statement.after_words)
    return Line(tuple(reader.chains), tuple(reader.prose))


class _LineReader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.chains: list[Chain] = []
        self.prose: list[t.Span] = []

    def statement(self, found: list[Sign], *, after_words: bool) -> None:
        labelled = _parts(found, frozenset({"stop"}))
        if len(labelled) > 1 and all(any(sign.kind == "colon" for sign in part[1:]) for part in labelled):
            for part in labelled:
                self.statement(part, after_words=after_words)
                after_words = False
            return
        found = self._labelled([sign for k, sign in enumerate(found) if not self._is_said_twice(found, k)])
        parts = _parts(found)
        if len(parts) > 1 and any(map(self._is_labelled_list, parts)):
            for part in parts:
                self.statement(part, after_words=after_words)
                after_words = False
            return
        if not any(sign.kind == "relation" for sign in found):
            self._alone(trim(found), after_words=after_words)
            return
        sides, relations = split_sides(tuple(found), [])
        arrow = next((found.index(sign) for sign in relations if sign.value == "→"), 0)
        if arrow and self._is_applied(sides[0]):
            self.statement(found[:arrow], after_words=after_words)
            self.statement(found[arrow:], after_words=True)
            return
        sides[0] = self._left(sides[0], relations)
        begin = 0
        for position in range(1, len(sides)):
            kept = self._prefix(sides[position], sides[position - 1])
            rest = sides[position][kept:]
            if not rest or self._is_factor(rest, relations[position:]):
                continue
            if not self._is_word(rest[0]) and self._joins_values(sides[position], kept):
                self._words(rest[0].start, rest[0].end)
                rest = rest[1:]
            sides[position] = trim(sides[position][:kept])
            self._add(sides[begin : position + 1], relations[begin:position], after_words=after_words)
            after_words = True
            begin = position
            if position == len(relations):
                self._words(rest[0].start, rest[-1].end)
                return
            sides[position] = self._left(rest, relations[position:])
        if begin < len(relations):
            self._add(sides[begin:], relations[begin:], after_words=after_words)

    # Words ----------------------------------------------------------------------------------------

    def _labelled(self, found: list[Sign]) -> list[Sign]:
        """Turn a colon after a few words and before a value into a relation; otherwise the words are prose."""
        made: list[Sign] = []
        begin, (_, end) = 0, inner(found, 0, len(found))
        plain = next((k + 1 for k in reversed(range(end)) if found[k].kind not in {"atom", "operator"}), 0)
        for position, sign in enumerate(found):
            if sign.kind != "colon" or position == begin:
                continue
            label = trim(found[begin:position])
            if self._is_print(label, trim(found[position + 1 :])):
                return [
                    *made,
                    *found[begin:position],
                    Sign("relation", sign.start, sign.end, "="),
                    *found[position + 1 :],
                ]
            if not label or any(s.kind not in {"word", "words", "atom"} for s in label):
                break
            low, _ = inner(found, position + 1, max(end, position + 1))
            is_value = low < end and self._is_value(found[low : min(low + 2, end)], is_plain=low >= plain)
            if is_value and len(label) <= MAX_NAME_WORDS:
                made += [*label, Sign("relation", sign.start, sign.end, "=")]
            else:
                self._words(label[0].start, sign.end)
            begin = position + 1
        return [*made, *found[begin:]]

    def _is_print(self, label: list[Sign], rest: list[Sign]) -> bool:
        """Return whether a colon leads from a formula to the list that a program prints: ``A = softmax(S): [[…]]``."""
        is_formula = any(sign.kind == "relation" for sign in label)
        is_list = len(rest) == 1 and rest[0].value == "group" and self.text[rest[0].start] == "["
        return is_formula and is_list and self._holds_numbers(rest[0])

    def _is_value(self, first_two: list[Sign], *, is_plain: bool) -> bool:
        """Return whether signs are a value: the first two (or one) of them, and whether all are plain."""
        first = first_two[0]
        if first.value == "group":
            return self._holds_numbers(first)
        if first.kind == "word":
            after, is_alone = self.text[first.end : first.end + 1], len(first_two) == 1
            return first.value in _FUNCTIONS and (is_alone or after in {"(", "["} or first_two[1].kind != "relation")
        if first.kind != "operator" and not self.text[first.start : first.end][:1].isdigit():
            return False
        return is_plain

    def _is_remark(self, sign: Sign) -> bool:
        """Return True for words in brackets: ``(first row)``."""
        if _FUNCTION_ALONE.fullmatch(self.text, max(sign.start - 1, 0), sign.end):
            return True
        return sign.value == "group" and self._words_inside(sign) and self.text[sign.start] == "("

    def _is_said_twice(self, found: list[Sign], place: int) -> bool:
        """Return True for a remark, or for a formula that explains a label: ``Scores (Q·Kᵀ):``."""
        sign = found[place]
        if self._is_remark(sign):
            return True
        is_inner = sign.value == "group" and 0 < place < len(found) - 1
        if not is_inner or found[place + 1].kind not in {"colon", "relation"} or not self._is_word(found[place - 1]):
            return False
        inside = self.text[sign.start : sign.end]
        is_formula = inside[0] == "(" and "," not in inside and _INNER_FORMULA.search(inside) is not None
        return is_formula and self.text[sign.start - 1] == " "

    def _words_inside(self, sign: Sign) -> bool:
        """Return True if brackets hold words of the language, neither the arguments of a call nor a matrix product."""
        if "@" in self.text[sign.start : sign.end]:
            return False
        inside = _INNER_WORDS.findall(self.text, sign.start, min(sign.end, sign.start + 400))
        called = _CALLED.search(self.text, max(0, sign.start - _LOOK), sign.start) is not None
        return not called and any(word.lower() not in _KNOWN for word in inside)

    def _holds_numbers(self, sign: Sign) -> bool:
        return _NUMERAL.search(self.text, sign.start, sign.end) is not None and not self._words_inside(sign)

    def _is_word(self, sign: Sign) -> bool:
        """Return True for a word of the language, not a symbol or a function."""
        if sign.kind != "word":
            return False
        is_other = _OTHER_WORD.match(sign.value) is not None
        called = not is_other and self.text[sign.end : sign.end + 1] in {"(", "["}
        low = sign.value.lower()
        return not called and (
            is_stopword(sign.value)
            or is_other
            or self._joins_lists(sign)
            or (
                len(sign.value) > 2
                and low not in _KNOWN
                and not (sign.value.isupper() or is_cased_as_symbol(sign.value))
            )
        )

    def _joins_lists(self, sign: Sign) -> bool:
        """Return True for a word for "and" of any language between two lists or numbers: ``[1, 2] y [3, 4]``."""
        low, high = max(0, sign.start - _LOOK), sign.end + _LOOK
        before, behind = self.text[low : sign.start].rstrip(" ,$"), self.text[sign.end : high].lstrip(" $")
        is_between = (before.endswith(("]", ")")) and behind.startswith(("[", "("))) or (
            len(sign.value) > 1 and before[-1:].isdigit() and behind[:1].isdigit()
        )
        begin = self.text.rfind("\n", 0, sign.start) + 1
        words = said(self.text[begin : sign.end]) if is_between else ()
        return any(item.name == "and" and begin + item.start == sign.start for item in words)

    def _prefix(self, side: list[Sign], left: list[Sign]) -> int:
        """Count the leading signs of a side that are mathematics; all when the side is a few words."""
        is_short = _all_words(side) and len(side) <= MAX_NAME_WORDS and not any(self._is_stop(s) for s in side)
        if is_short and (self._counts(side) or _all_words(left) or self._is_numbered(left)):
            return len(side)
        operand = False
        mark = 0
        for position, sign in enumerate(side):
            if self._ends_value(side, position):
                return position
            if sign.kind in {"comma", "stop"}:
                mark = position
            elif sign.kind == "operator":
                operand, mark = False, 0
            elif self._is_word(sign) or self._joins_values(side, position):
                if operand or self._is_stop(sign) or self._word_follows(side, position):
                    return mark or position
                operand = True
            elif sign.kind != "colon":
                operand = True
            else:
                return mark or position
        return len(side)

    def _counts(self, side: list[Sign]) -> bool:
        """Return False for a value with words behind it, ``3 이니까``; True for words, and for ``2 keys``."""
        is_told = side[0].kind != "word" and all(self._is_word(sign) for sign in side[1:])
        return not is_told or self._is_noun(side[1:])

    def _is_factor(self, rest: list[Sign], relations: list[Sign]) -> bool:
        """Return True for ``mal 2 =``, a word for an operator that is not read; not so for labels, ``row 2 =``."""
        is_before = bool(relations) and relations[0].value != "→"
        return (
            is_before and len(rest) == 2 and self._is_word(rest[0]) and _is_value(rest[1]) and not self._is_noun(rest)
        )

    def _is_noun(self, words: list[Sign]) -> bool:
        """Return True for words that begin with one for a quantity, a line or a part."""
        found = said(self.text[words[0].start : words[-1].end]) if words else ()
        return any(item.start == 0 and item.kind in _COUNTED for item in found)

    def _is_numbered(self, left: list[Sign]) -> bool:
        """Return True for a letter with a number at most: ``Q1 = 2 points`` is no statement about a query."""
        return len(left) == 1 and _NUMBERED.fullmatch(self.text, left[0].start, left[0].end) is not None

    def _ends_value(self, side: list[Sign], position: int) -> bool:
        """Return True where a value ends before a mark or a date: ``(0.4, 3.6). 8/10``, ``= 1. 12.03.2024``."""
        before, rest = side[position - 1], side[position + 1 :]
        if not position or not _is_value(before):
            return False
        is_list = before.value == "group" and "," in self.text[before.start : before.end]
        if is_list and _MARK.fullmatch(self.text, before.end, side[-1].end):
            return True
        if side[position].kind != "stop" or self.text[side[position].start] == ";":
            return False
        is_print = before.value.isdigit() and all(s.kind == "stop" or _NUMBER.fullmatch(s.value) for s in rest)
        return not is_print  # programs print ``1. 0. 2.``

    def _joins_values(self, side: list[Sign], position: int) -> bool:
        """Return True for a short word of any language between a value and what follows: ``(1, 3) en o2``."""
        sign = side[position]
        if sign.kind != "word" or not 0 < position < len(side) - 1 or not _is_value(side[position - 1]):
            return False
        is_apart = self.text[sign.start - 1].isspace() and self.text[sign.end].isspace()
        is_long = len(sign.value) > 1 or (side[position - 1].value == "group" and position == len(side) - 2)
        is_joint = is_long and sign.value.islower() and sign.value not in _KNOWN | _PRODUCTS
        return is_apart and is_joint and side[position + 1].kind in {"word", "atom"}

    def _word_follows(self, side: list[Sign], position: int) -> bool:
        return position + 1 < len(side) and self._is_word(side[position + 1])

    def _is_stop(self, sign: Sign) -> bool:
        return sign.kind == "word" and is_stopword(sign.value)

    def _left(self, side: list[Sign], relations: list[Sign]) -> list[Sign]:
        """Return the mathematics at the end of a left side, or its words when they are few; the rest is prose."""
        side = trim(side)
        leads = bool(relations) and relations[0].value == "→"
        cut = 0
        while cut < len(side) and self._is_stop(side[cut]):
            cut += 1
        if self._is_title(side[cut:]) and not self._is_operation(side[cut:]):
            if cut and relations:
                self._words(side[0].start, side[cut - 1].end)
            return side[cut:]
        for position, sign in enumerate(side):
            following = side[position + 1] if position + 1 < len(side) else None
            is_prose = self._is_stop(sign) or sign.kind in {"words", "colon", "comma", "stop"}
            if is_prose or (self._is_word(sign) and following is not None and self._ends_words(following)):
                if sign.kind == "comma" and not any(self._is_word(s) for s in side[:position]):
                    continue
                if sign.kind == "comma" and leads and following is not None and is_list(side[position - 1], following):
                    continue
                if sign.kind == "stop" and not self._is_sentence(side[:position], side[position + 1 :]):
                    continue
                cut = position + 1
        rest = side[cut:]
        if (_all_words(rest) and len(rest) > MAX_NAME_WORDS) or self._is_operation(rest):
            cut, rest = len(side), []
        if cut and relations:
            self._words(side[0].start, side[cut - 1].end)
        return rest

    def _is_operation(self, side: list[Sign]) -> bool:
        """Return True for words of another alphabet behind a number, no quantity among them: ``√2 で割る``."""
        words = [s for s in side if s.kind == "word"]
        symbols = "".join(s.value for s in side if s.kind != "word")
        is_told = all(self._is_word(s) and not s.value.isascii() for s in words)
        is_behind = bool(words) and side[0] is not words[0] and side[-1] is words[-1]
        return is_told and is_behind and _AMOUNT.fullmatch(symbols) is not None

    def _is_applied(self, side: list[Sign]) -> bool:
        """Return True for a number that divides or multiplies values, ``divide by √2``: no value before an arrow."""
        words = list(takewhile(self._is_word, side))
        told = self.text[words[0].start : words[-1].end] if words else ""
        last = next((item for item in reversed(said(told)) if item.kind in {"operation", "state"}), None)
        is_told = last is not None and last.name in _BY_NUMBER and told.count(" ", last.end) < 2
        rest = side[len(words) :]
        return is_told and bool(rest) and not {"[", ","} & set(self.text[rest[0].start : rest[-1].end])

    def _is_sentence(self, before: list[Sign], after: list[Sign]) -> bool:
        """Return True for words before a full stop, ``So. q1 = …``, ``응. q1 = …``, not so ``vs. k2`` or ``Tok. 1``."""
        if len(after) == 1 and after[0].value.isdigit():
            return False
        words = [s for s in before if s.kind == "word" and not (s.value.isupper() or is_cased_as_symbol(s.value))]
        return any(len(s.value) > 2 or self._is_word(s) for s in before if s.kind == "word") or (
            len(words) == len(before) and any(len(s.value) > 1 for s in words)
        )

    def _is_title(self, side: list[Sign]) -> bool:
        """Return True for a few words with a small word between: ``weights for token 2``."""
        if len(side) > 1 and any(_EAST_ASIAN.match(s.value) for s in side):
            return False
        stops = [s.value.lower() for s in side if self._is_stop(s)]
        return _all_words(side) and len(side) <= MAX_NAME_WORDS + len(stops) and set(stops) <= _LINKS

    def _ends_words(self, sign: Sign) -> bool:
        """Return True if a symbol or a decimal follows a word: ``weights A``; not so a count, ``row 1``."""
        if sign.kind == "word":
            return not self._is_word(sign)
        is_count = self.text[sign.start].isdigit() and _DECIMAL.match(self.text, sign.start) is None
        return sign.kind == "atom" and not is_count and sign.value != "group"

    def _words(self, start: int, end: int) -> None:
        self.prose.append((start, end))

    # Chains ---------------------------------------------------------------------------------------

    def _alone(self, found: list[Sign], *, after_words: bool) -> None:
        span = span_of(found)
        if span is None:
            return
        heads = [sign for sign in found if sign.value == "group"]
        fine = all(s.value == "group" or s.kind == "operator" or s.value in _FUNCTIONS | {"np", "jnp"} for s in found)
        lists = fine and heads and all(len(_NUMERAL.findall(self.text, s.start, s.end)) > 1 for s in heads)
        if lists and not any(self._words_inside(head) for head in heads):
            self.chains.append(Chain((span,), after_words=after_words))
        elif self._is_labelled_list(found):
            sides, start = (span_of(found[:-1]), span_of(found[-1:])), found[-1].start
            names = frozenset({0} if len(found) > 2 or not found[0].value.isascii() else ())
            self.chains.append(Chain(sides, ("=",), ((start, start),), after_words=after_words, names=names))
        else:
            self._words(*span)

    def _is_labelled_list(self, found: list[Sign]) -> bool:
        """Return whether signs are a few words and the list that they name: ``logits (3, 3, 1)``."""
        *words, last = found
        is_name = 0 < len(words) <= MAX_NAME_WORDS and all(self._is_word(s) and not self._is_stop(s) for s in words)
        is_list = last.value == "group" and not self._words_inside(last)
        return is_name and is_list and len(_NUMERAL.findall(self.text, last.start, last.end)) > 1

    def _add(self, sides: list[list[Sign]], relations: list[Sign], *, after_words: bool) -> None:
        names = frozenset(
            p
            for p, side in enumerate(sides)
            if _all_words(side) and self._is_named(side) and (len(side) > 1 or not side[0].value.isascii())
        )
        spans = tuple(span_of(side) for side in sides)
        chain = Chain(
            spans,
            tuple(sign.value for sign in relations),
            tuple((sign.start, sign.end) for sign in relations),
            after_words=after_words,
            names=names,
        )
        if any(side and p not in names and self._is_mathematics(side) for p, side in enumerate(sides)):
            self.chains.append(chain)
        else:
            self._words(*chain.span)

    def _is_named(self, side: list[Sign]) -> bool:
        return self._is_word(side[0]) and not self._is_stop(side[0])

    def _is_mathematics(self, side: list[Sign]) -> bool:
        return any(s.kind == "atom" or (s.kind == "word" and not self._is_word(s)) for s in side)


def _is_value(sign: Sign) -> bool:
    """Return True for a number or what stands in brackets."""
    return sign.kind == "atom" and (sign.value == "group" or sign.value[:1].isdigit())


def _parts(found: list[Sign], between: AbstractSet[str] = frozenset({"comma", "stop"})) -> list[list[Sign]]:
    """Return the signs between commas and semicolons, or other signs."""
    parts: list[list[Sign]] = [[]]
    for sign in found:
        if sign.kind in between:
            parts.append([])
        else:
            parts[-1].append(sign)
    return [part for part in parts if part]


def _all_words(side: list[Sign]) -> bool:
    """Return True if a side is words and numbers; a token may stand at the end, ``weights for q1``."""
    if len(side) > 2 and side[-2].value.lower() in {"for", "of"} and _TOKEN.fullmatch(side[-1].value):
        side = side[:-1]
    return (
        bool(side)
        and all(s.kind == "word" or (s.kind == "atom" and s.value.isdigit()) for s in side)
        and any(s.kind == "word" for s in side)
    )
