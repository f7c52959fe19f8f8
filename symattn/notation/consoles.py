r"""Consoles: what was typed at a prompt (``>>> Q``, ``In [1]: Q``), and what was printed below it."""

from __future__ import annotations

import re
from dataclasses import replace

from symattn.notation import tree as t
from symattn.notation.outputs import is_bare, named, names_in
from symattn.notation.sides import read_side
from symattn.notation.walk import walk
from symattn.notation.work import Piece, Prose, Written
from symattn.records import dataclass

_PROMPT = re.compile(r"[ \t]{0,12}(?:>>>(?=[ \t\r\n]|$)|In ?\[[0-9 ]{0,5}\]:)[ \t]*")
_MORE = re.compile(r"[ \t]{0,12}\.\.\.(?:[ \t:]|$)")
_PRINTED = re.compile(r"[ \t]{0,12}Out ?\[[0-9 ]{0,5}\]:[ \t]*")
_QUOTED = re.compile(r"[ \t]{0,3}>(?!>>)")
_FENCE = re.compile(r"[ \t]{0,12}(?:`{3}|~{3})")
_ASSIGNED = re.compile(r"(?P<name>[A-Za-z_]\w{0,60})[ \t]*(?P<more>\*\*|//|[-+*/@])?=(?!=)(?P<value>[^\n]*)")
_REMARK = re.compile(r"[ \t]*(?:;[ \t]*)?(?:#[^\n]*)?[ \t\r]*$")
_CALLED = re.compile(r"(?:print|display|(?:np|numpy|torch|jnp)\.(?:round|around|array|asarray))\(")
_DIGITS = re.compile(r"[ \t]*,[ \t]*(?:decimals[ \t]*=[ \t]*)?[0-9]{1,2}[ \t]*$")
_METHOD = re.compile(r"\.(?:round|numpy|detach|tolist|cpu)\([ \t]*(?:decimals[ \t]*=[ \t]*)?[0-9]{0,2}[ \t]*\)[ \t]*$")
_NOT_READ = re.compile(r"[\[\]:]|\b(?:for|if|lambda|import|assert|in)\b|\.(?!T\b)[A-Za-z]\w*\b(?!\()|==")
"""What marks a source as more than a formula: entries counted from 0, loops, properties such as ``Q.shape``."""


@dataclass(frozen=True, slots=True)
class Typed:
    """What was typed at one prompt, and what was printed for it.

    Attributes:
        span: all of it, the prompt included.
        source: what was typed.
        printed: what was printed; empty where nothing was.
        is_block: whether it goes on over several lines, as functions and loops do.
    """

    span: t.Span
    source: t.Span
    printed: t.Span
    is_block: bool = False


def typed(text: str) -> list[Typed]:
    r"""What was typed at the prompts of a text; what was printed ends at an empty line.

    >>> text = ">>> Q\n[[1 2]\n [3 4]]\n\nThe end"
    >>> [(text[slice(*item.source)], text[slice(*item.printed)]) for item in typed(text)]
    [('Q', '[[1 2]\n [3 4]]')]
    """
    if ">>>" not in text and "In [" not in text and "In[" not in text:
        return []
    lines = _lines(text)
    found: list[Typed] = []
    position = 0
    while position < len(lines):
        prompt = _PROMPT.match(text, *lines[position])
        if prompt is None or _is_quoted(text, lines, position):
            position += 1
            continue
        start = position
        position += 1
        while position < len(lines) and _MORE.match(text, *lines[position]):
            position += 1
        is_block = position > start + 1
        source = (min(prompt.end(), lines[start][1]), lines[position - 1][1])
        low, position = _printed(text, lines, position)
        end = lines[position - 1][1]
        found.append(Typed((lines[start][0], end), source, (min(low, end), end), is_block))
    return found


def _is_quoted(text: str, lines: list[t.Span], position: int) -> bool:
    """Whether a line beside it is quoted as mails and Markdown quote, ``> so he wrote``."""
    beside = lines[max(position - 1, 0) : position + 2]
    return any(_QUOTED.match(text, *line) for line in beside)


def _printed(text: str, lines: list[t.Span], position: int) -> tuple[int, int]:
    """Where what was printed begins, and the line behind it."""
    first = position
    while first < len(lines) and not text[slice(*lines[first])].strip():
        first += 1
    shown = _PRINTED.match(text, *lines[first]) if first < len(lines) else None
    first = position if shown is None else first
    start = lines[first][0] if first < len(lines) else len(text)
    start = start if shown is None else shown.end()
    last = first + (shown is not None)
    while last < len(lines) and text[slice(*lines[last])].strip():
        if _PROMPT.match(text, *lines[last]) or _FENCE.match(text, *lines[last]):
            break
        last += 1
    return start, last


def _lines(text: str) -> list[t.Span]:
    bounds: list[t.Span] = []
    position = 0
    for line in text.split("\n"):
        bounds.append((position, position + len(line)))
        position += len(line) + 1
    return bounds


def unsure_names(text: str, found: list[Typed]) -> frozenset[str]:
    """Names that a program gives more than one value: what they print may be any of them."""
    assigned: set[str] = set()
    unsure: set[str] = set()
    for item in found:
        for line in text[slice(*item.source)].split("\n"):
            match = _ASSIGNED.match(line.lstrip(". \t"))
            if match is None:
                continue
            name = match["name"]
            if match["more"] or name in assigned or re.search(rf"(?<![\w.]){name}(?!\w)", match["value"]):
                unsure.add(name)
            assigned.add(name)
    return frozenset(unsure)


def pieces_of(
    text: str, item: Typed, source: tuple[Piece, ...], printed: tuple[Piece, ...], unsure: frozenset[str]
) -> tuple[Piece, ...]:
    """What was typed and printed at one prompt, as pieces.

    Args:
        text: the document.
        item: the places.
        source: what was typed, read as lines of plain text.
        printed: what was printed, read in the same way.
        unsure: names with more than one value.
    """
    words = _words(text, item.source)
    if item.is_block or not words:
        return (*words, *_as_words(printed, text))
    low, high = _formula(text, *item.source)
    names = names_in(text[low:high], "result")
    name = (names[0][0] + low, names[0][1] + low) if names else None
    if name is not None:
        if text[slice(*name)] in unsure or len([piece for piece in printed if is_bare(piece)]) != 1:
            return (*words, *_as_words(printed, text))
        return named(printed, (name,), text)
    assigned = _ASSIGNED.match(text, low, high)
    if assigned is not None:
        is_sure = assigned["name"] not in unsure and not assigned["more"]
        statement = source[0] if is_sure and len(source) == 1 else None
        if not isinstance(statement, Written) or not _is_read(statement):
            return (*words, *_as_words(printed, text))
        return _continued(statement, printed, text) or (statement, *_as_words(printed, text))
    expression = _expression(text, low, high, unsure)
    found = None if expression is None else _continued(expression, printed, text)
    return found or (*words, *_as_words(printed, text))


def _formula(text: str, low: int, high: int) -> t.Span:
    """What was typed without a remark, and without what only prints or rounds it."""
    remark = _REMARK.search(text, low, high)
    high = high if remark is None else remark.start()
    return low, high


def _expression(text: str, low: int, high: int, unsure: frozenset[str]) -> Written | None:
    """``A @ V`` and ``np.round(A @ V, 3)``, a formula in names."""
    low, high = _peeled(text, low, high)
    if low >= high or high - low > 300 or _NOT_READ.search(text, low, high):
        return None
    side = read_side(text, low, high, "plain")
    if side.node is None or side.others:
        return None
    names = {item.text for item in walk(side.node) if isinstance(item, t.Name)}
    return Written((low, high), (side,)) if names and not names & unsure else None


def _peeled(text: str, low: int, high: int) -> t.Span:
    for _ in range(4):
        method = _METHOD.search(text, low, high)
        if method is not None:
            high = method.start()
            continue
        call = _CALLED.match(text, low, high)
        if call is None or text[high - 1] != ")" or not _is_closed(text[call.end() : high - 1]):
            break
        low, high = call.end(), high - 1
        digits = _DIGITS.search(text, low, high)
        high = high if digits is None else digits.start()
    return low, high


def _is_closed(words: str) -> bool:
    level = 0
    for character in words:
        level += {"(": 1, ")": -1}.get(character, 0)
        if level < 0:
            return False
    return level == 0


def _is_read(piece: Written) -> bool:
    return all(side is not None and side.node is not None for side in piece.sides)


def _continued(statement: Written, printed: tuple[Piece, ...], text: str) -> tuple[Piece, ...] | None:
    """A formula and the array that was printed for it are one chain."""
    bare = [piece for piece in printed if is_bare(piece)]
    first = bare[0] if len(bare) == 1 else None
    if not isinstance(first, Written):
        return None
    start = first.span[0]
    joined = replace(
        statement,
        span=(statement.span[0], first.span[1]),
        sides=(*statement.sides, *first.sides),
        operators=(*statement.operators, "="),
        operator_spans=(*statement.operator_spans, (start, start)),
    )
    rest = tuple(piece for piece in printed if piece is not first)
    return (joined, *_as_words(rest, text))


def _as_words(pieces: tuple[Piece, ...], text: str) -> tuple[Piece, ...]:
    """Arrays without a name are words: nobody says what they are."""
    return tuple(
        Prose(piece.span, " ".join(text[slice(*piece.span)].split())) if is_bare(piece) else piece for piece in pieces
    )


def _words(text: str, span: t.Span) -> tuple[Piece, ...]:
    words = " ".join(text[slice(*span)].split())
    return (Prose(span, words),) if words else ()
