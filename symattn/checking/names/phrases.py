"""Phrases and headings that name a quantity and a token: "the output for the first token", "row 3 of A".

Only what is said plainly is bound; anything else stays words.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from symattn.checking.graph.quantities import Graph
from symattn.checking.graph.targets import Target, whole
from symattn.notation.lexicon.translation import in_english
from symattn.problem.model import Problem

_METHOD = re.compile(r"\bscaled[ -]dot[ -]?product(?:[ -]attention)?\b")
"""The name of the whole method: it says of no matrix that it is scaled."""

_UNSCALED = re.compile(
    r"\b(?:un-?scaled|non-?scaled|pre-?scal\w{2,4}|not (?:yet )?scaled|(?:before|without|prior to) (?:the )?scal\w{1,4}"
    r"|(?:before|without) (?:the )?(?:division|dividing)(?: by)?)\b"
)

_SCALED = re.compile(
    r"\b(?:scores?|logits?|similarit(?:y|ies)|dot products?|energies)\b(?=[^.;]{0,40}"
    r"(?:\bscaled\b|\bafter scaling\b|\bdivided by\b|\bnormali[sz]ed by\b|/ ?\\?(?:√|sqrt)))"
)


def as_meant(heading: str) -> str:
    """Return a heading in lower case with its words in normal order.

    >>> as_meant("Attention scores (scaled):"), as_meant("# Scaled dot-product attention")
    ('attention scaled scores (scaled):', '# ')
    >>> as_meant("Unscaled scores"), as_meant("Masked scores (before scaling)")
    (' scores', 'masked scores ()')
    """
    text = _UNSCALED.sub("", _METHOD.sub("", heading.lower()))
    return _SCALED.sub(lambda found: f"scaled {found[0]}", text) if "scaled score" not in text else text


_ORDINALS = {
    "first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9,
    "tenth": 10,
}  # fmt: skip

_CARDINALS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9}

_LAST = frozenset({"last"})

_KINDS: tuple[tuple[str, str], ...] = (
    (r"(?:attention )?outputs?(?: vector| row)?|context(?: vector)?", "O"),
    (r"(?:scaled (?:attention )?)scores?(?: row)?", "S_scaled"),
    (r"(?:raw |unscaled )?(?:attention )?(?:scores?|dot products?)(?: row)?", "S"),
    (r"(?:attention |softmax )?(?:weights?|probabilit(?:y|ies)|distribution)|attention row", "A"),
    (r"quer(?:y|ies)(?: vector)?", "Q"),
    (r"keys?(?: vector)?", "K"),
    (r"values?(?: vector)?|value vectors?", "V"),
)

_WHAT = "|".join(f"(?:{words})" for words, _ in _KINDS)

_ORDINAL = "|".join([*_ORDINALS, *_LAST, r"\d{1,3}(?:st|nd|rd|th)"])

_COUNTED = rf"(?:token|word|position|query|row|item)(?: number)? (\d{{1,3}}|{'|'.join(_CARDINALS)})"

_TOKEN = (
    rf"(?:{_COUNTED}|(?:the )?({_ORDINAL}) (?:token|word|position|query|row|item)"
    r"|(?:(?:token|query|word) )?[qxt]_?\{?(\d{1,3})\}?)"
)

_OF = r"(?:for|of|at|from)"

_OTHER = r"(?:to|on|with|and|for) (?:token|word|key|position) (\d{1,3})"

_NAME = r"of (?:the )?(?:matrix )?(?P<name>[A-Za-z]{1,12}(?: (?:matrix|map|weights|scores))?)"

_WITH = r"(?: (?:the |all )?(?:tokens|words|keys))?(?: with(?: the)?(?: weights)?)?"

_PATTERNS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(rf"(?:the |its |our )?{pattern}", re.IGNORECASE))
    for kind, pattern in (
        ("pair", rf"(?P<what>{_WHAT}) (?:of|from|between) {_TOKEN} {_OTHER}"),
        ("of", rf"(?P<what>{_WHAT}) {_OF} {_TOKEN}"),
        ("own", rf"{_TOKEN}(?:'s|’s) (?P<what>{_WHAT})"),
        ("ordinal", rf"({_ORDINAL}) (?P<what>{_WHAT})"),
        ("numbered", r"(?P<what>output|query|key|value)(?: vector)? (\d{1,3})"),
        ("attends", rf"{_TOKEN} attends(?: to)?{_WITH}"),
        ("line", rf"(?P<line>row|column) (?:number )?(?P<number>\d{{1,3}}) {_NAME}"),
        ("line", rf"(?P<ordinal>{_ORDINAL}) (?P<line>row|column) {_NAME}"),
    )
)

_SEVERAL = re.compile(
    rf"(?:the |both )?(?P<line>row|column)s (?P<numbers>\d{{1,3}}(?:, ?\d{{1,3}}){{0,20}},? and \d{{1,3}}) {_NAME}",
    re.IGNORECASE,
)

_KIND_OF = re.compile(rf"(?:the |its |our )?(?P<what>{_WHAT}) {_OF} ", re.IGNORECASE)

_THOSE = re.compile(rf"(?:those |that |the ones )?(?={_OF} )", re.IGNORECASE)

_CLAUSE = re.compile(
    rf"(?<=[0-9)\]])[,;]?\s+"
    rf"(?:(?:and\s+)?(?=(?:those |that |the ones )?(?:of|for) (?:the )?(?:{_ORDINAL}|token|word|position|query|row)\b)"
    r"|(?:and|while|whereas)\s+(?=(?:the|its|row|column|token)\b))",
    re.IGNORECASE,
)

_LEAD = re.compile(
    r"(?:(?:so|thus|hence|therefore|then|and|finally|now|we get|we find|this gives|we see|that|also"
    r"|(?:after|with) (?:the |causal )?(?:softmax|scaling|masking|mask|normali[sz]ation)),? )*",
    re.IGNORECASE,
)

_VERB = re.compile(
    r"(?:\s*[:=≈~]|\s+(?:is|are|equals?|becomes?|will be|comes? to"
    r"|ist|sind|lautet|beträgt|est|sont|vaut|es|son|sono|è|é|são|рав(?:ен|на|но|ны))(?!\w)"
    r"(?: then| therefore| thus| equal to| both| each| all)?)"
    r"(?P<near> (?:about|approximately|roughly|around))?\s*:?\s*",
    re.IGNORECASE,
)

_ATTENDS = re.compile(rf" attends(?: to)?{_WITH} ", re.IGNORECASE)

_NUMBER = r"[-−]?\d{1,12}(?:\.\d{1,20}|/\d{1,12})?"

_LIST = re.compile(rf"[\[(]?\s?({_NUMBER}(?:(?:, ?and |[,;] {{0,6}}| and | ){_NUMBER}){{0,63}})\s?[\])]?")

NUMBER = re.compile(_NUMBER)

MOST = 240
"""Characters of a sentence that may be a plain statement."""


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

        It is None for words that say more, and for a token that there is not.
        """
        text = in_english(" ".join(words.replace("$", "").split()))
        if len(text) > MOST:
            return None
        for kind, pattern in _PATTERNS:
            found = pattern.fullmatch(text)
            if found is not None:
                return self._of(kind, found)
        return None

    def targets(self, words: str) -> tuple[Target, ...]:
        """Return the targets of a phrase, several lines of one quantity too: ``rows 1 and 2 of A``."""
        text = " ".join(words.replace("$", "").split())
        found = _SEVERAL.fullmatch(text) if len(text) <= MOST else None
        if found is None:
            target = self.target(words)
            return () if target is None else (target,)
        numbers = re.findall(r"\d+", found["numbers"])
        lines = [self.target(f"{found['line']} {number} of {found['name']}") for number in numbers]
        kept = tuple(line for line in lines if line is not None)
        return kept if len(kept) == len(lines) else ()

    def _of(self, kind: str, found: re.Match[str]) -> Target | None:
        if kind == "line":
            return self._line(found)
        numbers = [self._number(text) for text in found.groups() if text is not None and _is_number(text)]
        base = "A" if kind == "attends" else _kind(found["what"])
        name = None if base is None else self.present(base)
        if kind == "ordinal" and found["what"].lower() in {"value", "values"}:
            return None  # the first of some numbers
        if name is None or any(number is None for number in numbers):
            return None
        is_loose = base == "S" and self.present("S_scaled") is not None
        is_loose = is_loose and not re.match("raw|unscaled|dot", found["what"], re.IGNORECASE)
        if is_loose and (self.present("S_masked") or self.present("S_biased")):
            return None  # scores may be any of them
        counted = [number for number in numbers if number is not None]
        full = whole(self.graph, name)
        turned = self.softmax_of_columns if base in {"S", "S_scaled", "A"} else self.tokens_are_columns
        full = replace(full, guess=is_loose)  # scores may be scaled ones
        if kind == "pair":
            is_square = base in {"S", "S_scaled", "A"} and len(counted) == 2
            return self._part(full, counted[::-1] if turned else counted) if is_square else None
        line = self._resolved(counted[0], full.shape[1 if turned else 0]) if counted else None
        if line is None:
            return None
        found_line = full.part(None, line) if turned else full.part(line, None)
        # "output 3" may be the third number as well.
        return replace(found_line, guess=True) if kind == "numbered" and found_line is not None else found_line

    def _part(self, full: Target, numbers: list[int]) -> Target | None:
        places = [self._resolved(number, size) for number, size in zip(numbers, full.shape, strict=True)]
        return None if None in places else full.part(places[0], places[1])

    def _line(self, found: re.Match[str]) -> Target | None:
        full = self.named(found["name"])
        groups = found.groupdict()
        number = self._number(groups.get("number") or groups.get("ordinal") or "")
        if full is None or number is None:
            return None
        is_row = found["line"].lower() == "row"
        line = self._resolved(number, full.shape[0 if is_row else 1])
        if line is None:
            return None
        return full.part(line, None) if is_row else full.part(None, line)

    def _number(self, text: str) -> int | None:
        """Return a place counted from 0, -1 for the last one."""
        word = text.lower()
        if word in _LAST:
            return -1
        counted = _ORDINALS.get(word) or _CARDINALS.get(word)
        if counted is not None:
            return counted - 1
        digits = re.match(r"\d{1,3}", word)
        if digits is None:
            return None
        # "the 1st token" is the first one, wherever indices begin; "token 0" is where they begin.
        number = int(digits[0]) - (self.base if digits[0] == word else 1)
        return number if number >= 0 else None

    def _resolved(self, number: int, size: int) -> int | None:
        place = size - 1 if number == -1 else number
        return place if 0 <= place < size else None


def _is_number(text: str) -> bool:
    word = text.lower()
    return word in _ORDINALS or word in _CARDINALS or word in _LAST or word[0].isdigit()


def _kind(words: str) -> str | None:
    return next((name for pattern, name in _KINDS if re.fullmatch(pattern, words, re.IGNORECASE)), None)


_SYMBOL = r"\$?(?P<symbol>[A-Z]|\\?(?:Omega|Gamma|Lambda|Phi|Psi|Sigma|Theta|omega|gamma|phi|psi|rho|tau))\$?"

_ARTICLE = r"(?:the |our |all |these )?"

_ENTIRE: tuple[tuple[str, tuple[str, ...]], ...] = (
    (r"scaled (?:attention )?scores?(?: matrix)?", ("S_scaled",)),
    (r"(?:raw|unscaled) (?:attention )?scores?(?: matrix)?|(?:matrix of )?dot products", ("S",)),
    (r"(?:matrix of )?(?:attention )?(?:scores|logits)|(?:attention )?score matrix", ("S", "S_scaled")),
    (r"(?:matrix of )?(?:attention |softmax )?(?:weights|probabilities)|attention (?:map|matrix)", ("A",)),
    (r"(?:matrix of )?(?:attention )?outputs|output matrix", ("O",)),
    (r"(?:matrix of )?queries|query matrix", ("Q",)),
    (r"(?:matrix of )?keys|key matrix", ("K",)),
    (r"(?:matrix of )?exponentials", ("E",)),
)
"""Words for all of a quantity; where they may be said of two, the likelier first."""

_ENTIRE_WORDS = "|".join(words for words, _ in _ENTIRE)

_ALL_OF = rf"{_ARTICLE}(?P<what>{_ENTIRE_WORDS})"

_NAMING = tuple(
    re.compile(pattern)
    for pattern in (
        rf"(?:[Ll]et |[Ww]here |[Hh]ere )?{_SYMBOL} (?:be|denotes?|stands? for|means?|is|are) {_ALL_OF}",
        rf"(?:[Ww]e )?(?:[Ww]rite|[Uu]se|[Dd]enote|[Cc]all) {_SYMBOL} for {_ALL_OF}",
        rf"(?:[Ww]e )?(?:[Ww]rite|[Dd]enote|[Cc]all|[Nn]ame) {_ALL_OF} (?:by |as |with )?{_SYMBOL}",
        rf"(?:[Tt]he )?(?P<what>{_ENTIRE_WORDS}) (?:are|is) (?:called|named|denoted(?: by)?|written(?: as)?) {_SYMBOL}",
    )
)

_TITLE = re.compile(
    rf"(?:[Tt]he )?(?P<what>(?i:{_ENTIRE_WORDS})):?,? "
    rf"(?P<open>\()?(?(open)(?:(?:call|called|named|denoted|write|written)(?: (?:them|it|by|as))? )?)"
    rf"{_SYMBOL}(?(open)\))"
)

_SENTENCES = re.compile(r"(?<=[.;!?,:])\s+")


def titled(heading: str) -> tuple[str, ...]:
    """Return the quantities of which a heading is the plain name, and nothing more.

    >>> titled("Attention weights:"), titled("What I think of scores")
    (('A',), ())
    """
    words = in_english(heading).strip(" .:*#").lower().removeprefix("the ")
    return next(
        (names for pattern, names in (*_ENTIRE, ("output|context", ("O",))) if re.fullmatch(pattern, words)), ()
    )


def names_given(words: str, *, is_title: bool = False) -> list[tuple[str, tuple[str, ...]]]:
    """Return the symbols that words give to whole quantities, with the possible quantities.

    >>> names_given("We write $G$ for the scores.")
    [('G', ('S', 'S_scaled'))]
    >>> names_given("Attention weights (B)", is_title=True)
    [('B', ('A',))]
    """
    found: list[tuple[str, tuple[str, ...]]] = []
    parts = [words] if is_title else _SENTENCES.split(words)
    for part in parts:
        text = " ".join(part[:MOST].split()).strip(" .;,:*#")
        match = next((m for p in ((_TITLE,) if is_title else _NAMING) if (m := p.fullmatch(text)) is not None), None)
        if match is not None:
            what = match["what"].lower()
            kinds = next((names for pattern, names in _ENTIRE if re.fullmatch(pattern, what)), ())
            found.append((match["symbol"], kinds))
    return found


def statement(sentence: str) -> tuple[str, bool, int, int] | None:
    """Return the subject phrase of a sentence with numbers, whether it says "about", and the span of the numbers.

    >>> statement("so the second output equals (0.3, 0.7)")
    ('the second output', False, 28, 38)
    >>> statement("The weights are small.")
    """
    if len(sentence) > MOST:
        return None
    body = sentence.rstrip(" .;,")
    for verb in _VERB.finditer(body):
        numbers = _LIST.fullmatch(body, verb.end())
        if numbers is not None:
            phrase = opened(body[: verb.start()])
            return phrase, verb["near"] is not None, verb.end(), len(body)
    attends = _ATTENDS.search(body)
    if attends is not None and _LIST.fullmatch(body, attends.end()):
        return opened(body[: attends.end()].rstrip()), False, attends.end(), len(body)
    return None


def clauses(sentence: str) -> list[tuple[int, int]]:
    """Return the parts of a sentence that goes on with another token.

    >>> sentence = "The weights of token 1 are 0.9, 0.1, of token 2 are 0.3, 0.7"
    >>> [sentence[slice(*part)] for part in clauses(sentence)]
    ['The weights of token 1 are 0.9, 0.1', 'of token 2 are 0.3, 0.7']
    """
    found: list[tuple[int, int]] = []
    start = 0
    for gap in _CLAUSE.finditer(sentence):
        found.append((start, gap.start()))
        start = gap.end()
    return [*found, (start, len(sentence))]


def kind_of(phrase: str) -> str | None:
    """Return the words of a phrase that say the quantity: ``weights`` of "the weights of token 1"."""
    found = _KIND_OF.match(phrase)
    return None if found is None else found["what"]


def continued(phrase: str, kind: str | None) -> str:
    """Return a phrase that leaves out the quantity of the one before: ``of token 2``, ``those of token 2``."""
    found = None if kind is None else _THOSE.match(phrase)
    return phrase if found is None else f"{kind} {phrase[found.end() :]}"


def opened(words: str) -> str:
    """Return words without their introduction: ``so the output`` is the output."""
    lead = _LEAD.match(words.lstrip())
    return words.lstrip()[0 if lead is None else lead.end() :]


def before_numbers(words: str) -> str | None:
    """Return the phrase with which a paragraph ends before a formula: ``… is``; None without a verb."""
    last = re.split(r"(?<=[.;,])\s", words[-MOST:].strip())[-1]
    for verb in _VERB.finditer(last):
        if verb.end() == len(last) or not last[verb.end() :].strip():
            return opened(last[: verb.start()])
    attends = _ATTENDS.search(f"{last} ")
    return opened(last) if attends is not None and attends.end() > len(last) else None
