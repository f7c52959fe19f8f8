r"""The sentences of a work as plain words, each formula a token that says which vectors it names.

A formula that lists vectors of the theorem, ``$q, k$`` or ``$q_i$``, becomes a group token; one that holds none of
their letters stays text, so that ``mean $0$`` reads as words; every other formula is one token of its own.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace

from symattn.notation.markup.formulas import formulas
from symattn.notation.submission import Heading, Work, Written
from symattn.notation.tree import nodes as t
from symattn.proofs.submissions.phrases import LAYOUT, respell
from symattn.proofs.submissions.prose.translation import translate
from symattn.records import dataclass

CLAUSE_END = re.compile(r"[;:()—–]|\s--?-?\s|,(?!\s*(?:and\s+)?⟦g)|(?<!⟧)(?<!⟧\s),|，|；|：|（|）")
"""The end of a clause; commas in a list of vectors are none."""
_NEAR = 40
_ARTICLES = frozenset({"A", "a", "I"})


@dataclass(frozen=True, slots=True)
class Group:
    """Vectors that stand together: ``q and k``.

    Attributes:
        families: the theorem's names.
        is_indexed: whether their entries are meant: ``q_i``.
    """

    families: frozenset[str]
    is_indexed: bool = False


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence.

    Attributes:
        span: where it stands in the document.
        text: its words, with tokens for formulas.
        groups: the vectors of each token.
        places: the position in `text` of every formula, by where that begins in the document.
        paragraph: the number of its paragraph.
        section: the number of its section.
        is_heading: whether it is a heading.
        label: the word that labels its paragraph or environment: ``Theorem``, ``Remark``.
        is_known: whether every word of it is, where it is in another language than English.
        is_denying: whether a word of another language denies something in it.
    """

    span: t.Span
    text: str
    groups: Mapping[str, Group] = field(default_factory=dict)
    places: tuple[tuple[t.Span, t.Span], ...] = ()
    paragraph: int = 0
    section: int = 0
    is_heading: bool = False
    label: str = ""
    is_known: bool = True
    is_denying: bool = False


def sentences_of(work: Work, symbols: Mapping[str, str]) -> tuple[Sentence, ...]:
    """Return the sentences of a work, in order.

    Args:
        work: as read.
        symbols: the theorem's vectors by the letters that the work has for them.
    """
    raw = _uncommented(work.text)
    maths = list(_formulas(raw, work))
    headings = [piece.span for piece in work.pieces if isinstance(piece, Heading)]
    middles = [(first + last) // 2 for first, last in headings]
    words = list(raw)
    for start, end in maths:
        words[start:end] = "\x00" * (end - start)
    ends = sorted(_ends("".join(words), raw, maths, headings))
    found: list[Sentence] = []
    start, paragraph, section = 0, 0, 0
    for end, is_paragraph in [*ends, (len(raw), False)]:
        inside = maths[bisect_left(maths, (start, 0)) : bisect_left(maths, (end, 0))]
        is_heading = bisect_left(middles, start) < bisect_left(middles, end)
        section += is_heading
        if end > start and raw[start:end].strip():
            found.append(_sentence(raw, (start, end), inside, symbols, (paragraph, section), is_heading=is_heading))
        paragraph += is_paragraph
        start = max(start, end)
    return tuple(_labelled(found, raw))


def _labelled(found: Sequence[Sentence], raw: str) -> Iterator[Sentence]:
    """Yield the sentences with the labels of their environments and paragraphs."""
    spans = list(_enclosed(raw, LAYOUT["labelled"], lambda match: f"\\end{{{match['name']}}}"))
    label, paragraph, number = "", -1, 0
    for sentence in found:
        if sentence.paragraph != paragraph:
            label, paragraph = "", sentence.paragraph
        match = LAYOUT["label"].match(sentence.text)
        if match is not None and not sentence.is_heading:
            label = match["label"]
        middle = sum(sentence.span) // 2
        while number < len(spans) and spans[number][1] <= middle:
            number += 1
        is_outer = number < len(spans) and spans[number][0] <= middle
        outer = LAYOUT["labelled"].match(raw, spans[number][0]) if is_outer else None
        yield replace(sentence, label=label if outer is None else outer["name"])


def _enclosed(text: str, opening: re.Pattern[str], closing: Callable[[re.Match[str]], str]) -> Iterator[t.Span]:
    """Yield the passages from an opening to its closing, none inside of another; what is not closed is none."""
    missing: set[str] = set()
    place = 0
    while match := opening.search(text, place):
        wanted = closing(match)
        end = -1 if wanted in missing else text.find(wanted, match.end())
        if end < 0:
            missing.add(wanted)
            place = match.end()
            continue
        place = end + len(wanted)
        yield match.start(), place


def _uncommented(text: str) -> str:
    """Return the text with comments and struck passages as blanks, of the same length."""

    def closing(match: re.Match[str]) -> str:
        return "-->" if match["comment"] else "~~" if match["struck"] else f"</{match['tag']}>" if match["tag"] else "}"

    found = list(text)
    for start, end in _enclosed(text, LAYOUT["comments"], closing):
        found[start:end] = " " * (end - start)
    text = "".join(found)
    if not LAYOUT["is_tex"].search(text):
        return text
    return LAYOUT["tex_comments"].sub(lambda match: " " * len(match[0]), text)


def _formulas(raw: str, work: Work) -> Iterator[t.Span]:
    """Yield the spans of formulas between their delimiters, and of those that stand without any."""
    regions = formulas(raw, 0, len(raw), tex=LAYOUT["is_tex"].search(raw) is not None)
    closed = [(region.start, region.end) for region in regions if region.kind == "formula"]
    last = 0
    for start, end in sorted([*closed, *(piece.span for piece in work.pieces if isinstance(piece, Written))]):
        if start >= last and raw[start:end].strip():
            yield start, end
            last = end


def _ends(words: str, raw: str, maths: Sequence[t.Span], headings: Sequence[t.Span]) -> Iterator[tuple[int, bool]]:
    """Yield the ends of sentences, and whether a paragraph ends too."""
    for match in LAYOUT["sentence_end"].finditer(words):
        yield match.end(), False
    for match in LAYOUT["blank_line"].finditer(words):
        start, end = match.span()
        before, after = words[max(0, start - _NEAR) : start].rstrip(" \t*_"), words[end : end + _NEAR].lstrip(" \t>")
        closed = LAYOUT["closed"].search(before[-8:]) or (before.endswith("\x00") and _is_closed(raw, start))
        is_led = before.endswith(":") and after.startswith("\x00")
        is_joined = after.startswith("\x00") or (before.endswith("\x00") and after[:1].islower())
        if not (is_led or (not closed and is_joined)):
            yield end, True
    for match in LAYOUT["item"].finditer(words):
        yield match.start(), False
    for _, end in maths:
        if _is_closed(raw, end) and words[end : end + 1] in {"", "\n", " "}:
            yield end, False
    for start, end in headings:
        yield start, True
        yield end, True


def _is_closed(raw: str, end: int) -> bool:
    """Return whether a formula ends with a full stop before its delimiter."""
    before = raw[max(0, end - _NEAR) : end].rstrip()
    return before[-1:] in {"$", "]", "}", ")"} and before.rstrip("$] \n\\)}").endswith(".")


def _sentence(
    raw: str,
    span: t.Span,
    maths: Sequence[t.Span],
    symbols: Mapping[str, str],
    where: tuple[int, int],
    *,
    is_heading: bool,
) -> Sentence:
    text, at = "", span[0]
    groups: dict[str, Group] = {}
    places: list[tuple[t.Span, t.Span]] = []
    for start, end in maths:
        text = _joined(text, _prose(raw[at:start], symbols, groups))
        begin = len(text)
        gap = "" if text[-1:] in {"", " ", "("} else " "
        text += gap + _formula(raw[start:end], symbols, groups)
        places.append(((start, end), (begin, len(text))))
        at = end
    text = _joined(text, _prose(raw[at : span[1]], symbols, groups))
    found = translate(text, [place for _, place in places])
    spans = tuple((known, place) for (known, _), place in zip(places, found.places, strict=True))
    return Sentence(
        span, found.text, groups, spans, *where, is_heading, is_known=found.is_known, is_denying=found.is_denying
    )


def _joined(text: str, words: str) -> str:
    return f"{text} {words}" if text.endswith("⟧") and words[:1].isalnum() else f"{text}{words}"


def _plain(raw: str) -> str:
    raw = respell(raw, "sentence")
    raw = LAYOUT["subscript"].sub(r"_[\1]", LAYOUT["command"].sub(" ", raw))
    return re.sub(r"\s+", " ", LAYOUT["not_words"].sub(" ", raw))


def _prose(raw: str, symbols: Mapping[str, str], groups: dict[str, Group]) -> str:
    """Return the words, in which a vector's letter alone is a token."""
    text = LAYOUT["word_underscores"].sub("", _plain(raw))
    named = {letter: name for letter, name in symbols.items() if letter not in _ARTICLES}
    pattern = _symbol(named)
    if pattern is None:
        return text
    alone = re.compile(rf"(?<![\w·*^/+=⊤(\[<-])(?:{pattern.pattern})(?![\w(^'’=]|-\w)")

    def token(match: re.Match[str]) -> str:
        return _token(Group(frozenset({_name(match, named)}), _is_indexed(match, named)), groups)

    return alone.sub(token, text)


def _formula(raw: str, symbols: Mapping[str, str], groups: dict[str, Group]) -> str:
    plain = _plain(raw).strip(" .,;")
    pattern = _symbol(symbols)
    if pattern is None or not pattern.search(plain):
        return plain if "=" not in plain else _token(None, groups)
    head, _, entries = (part.strip() for part in plain.partition("="))
    if head in symbols and re.fullmatch(r"\(.*\)", entries):
        named = {_name(found, symbols) for found in pattern.finditer(plain)}
        plain = head if named == {symbols[head]} else plain
    parts = LAYOUT["relation"].split(plain)
    signs = [sign.strip() for sign in LAYOUT["relation"].findall(plain)]
    shown = [_list(part, symbols, pattern, groups) for part in parts]
    if shown[0] is None:
        return _token(None, groups)
    text = shown[0]
    for sign, part, raw_part in zip(signs, shown[1:], parts[1:], strict=True):
        if sign == "∈":
            break
        if part is None:
            return _token(None, groups)
        text += f" {sign} {part if pattern.search(raw_part) else raw_part}"
    return text


def _list(text: str, symbols: Mapping[str, str], pattern: re.Pattern[str], groups: dict[str, Group]) -> str | None:
    """Return a token for a list of vectors; None for a formula of another kind."""
    if not pattern.search(text):
        return text
    text = LAYOUT["range"].sub("", text)
    rest = pattern.sub("", text)
    if re.fullmatch(r"(?:[\s,…()]|\band\b|i\.?i\.?d\.?|\biid\b)*", rest) is None:
        return None
    found = list(pattern.finditer(text))
    families = frozenset(_name(match, symbols) for match in found)
    token = _token(Group(families, any(_is_indexed(match, symbols) for match in found)), groups)
    return f"i.i.d. {token}" if re.search(r"i\.?i\.?d", rest) else token


def _symbol(symbols: Mapping[str, str]) -> re.Pattern[str] | None:
    """Return a pattern of all letters, the longer ones first."""
    alternatives = []
    for letter in sorted(symbols, key=len, reverse=True):
        base, _, index = letter.partition("_")
        if index:
            alternatives.append(
                rf"\(?{re.escape(base)}_(?:\[{index}(?:,[^\]]*)?\]|{index}(?!\w))\)?(?:_(?:\[[^\]]*\]|\w))?"
            )
        else:
            alternatives.append(rf"(?<![\w\\]){re.escape(base)}(?:_(?:\[[^\]]*\]|\w+))?(?!\w)")
    return re.compile("|".join(alternatives)) if alternatives else None


def _name(match: re.Match[str], symbols: Mapping[str, str]) -> str:
    return symbols[_letter(match[0], symbols)]


def _letter(text: str, symbols: Mapping[str, str]) -> str:
    """Return the vector's letter at the head of a matched text."""
    plain = text.lstrip("(").replace("[", "")
    known = [one for one in symbols if plain.startswith(one) and not plain[len(one) : len(one) + 1].isalnum()]
    return max(known, key=len)


def _is_indexed(match: re.Match[str], symbols: Mapping[str, str]) -> bool:
    """Return whether an entry is meant: an index besides that of the vector's own name."""
    letter = _letter(match[0], symbols)
    return bool(re.sub(r"[()\[\]_]", "", match[0].lstrip("(").replace("[", "")[len(letter) :]))


def _token(group: Group | None, groups: dict[str, Group]) -> str:
    name = f"⟦{'o' if group is None else 'g'}{len(groups)}⟧"
    groups[name] = Group(frozenset()) if group is None else group
    return name
