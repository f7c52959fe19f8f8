"""Console sessions: the statements of the inputs at their prompts, and of the outputs below them."""

from __future__ import annotations

import re
from dataclasses import replace

from symattn import late
from symattn.notation.documents import notebooks
from symattn.notation.documents.prompts import ConsoleInput
from symattn.notation.sides.reader import read_side
from symattn.notation.submission import Piece, Prose, Side, Written
from symattn.notation.tree import nodes as t
from symattn.notation.tree.traversal import rebuilt, walk

_ASSIGNED = late.pattern(r"(?P<name>[A-Za-z_]\w{0,60})[ \t]*\.?(?P<more>\*\*|//|[-+*/@])?=(?!=)(?P<value>[^\n]*)")
_NAME = late.pattern(r"[A-Za-z_]\w{0,60}")
_REMARK = late.pattern(r"[ \t]*(?:;[ \t]*)?(?:#[^\n]*)?[ \t\r]*$")
_CALLED = late.pattern(
    r"(?:print|display|disp|round\.?|signif|vpa|n|N|(?:np|numpy|torch|jnp)\.(?:round|around|array|asarray))\("
)
_DIGITS = late.pattern(r"[ \t]*[,;][ \t]*(?:(?:decimals|digits|sigdigits)[ \t]*=[ \t]*)?[0-9]{1,2}[ \t]*$")
_METHOD = late.pattern(
    r"(?:\.|[ \t]*\|>[ \t]*)(?:round|numpy|detach|tolist|cpu|n)"
    r"\([ \t]*(?:(?:decimals|digits)[ \t]*=[ \t]*)?[0-9]{0,2}[ \t]*\)[ \t]*$"
)
_NOT_READ = late.pattern(r"\b(?:for|if|lambda|import|assert|in)\b|\.(?!T\b)[A-Za-z]\w*\b(?!\()|==")
"""Marks of a source that is more than a formula: loops, properties such as ``Q.shape``."""

_DOWN_COLUMNS = late.pattern(r"softmax\([^\n]*\)\.?'")
"""A transposed softmax: that of MATLAB and Julia runs down columns, that of a program of one's own may not."""

_ENTRIES = late.pattern(r"[\[\]:]")
"""Marks of entries, which Python counts from 0."""

_CHANGED = late.pattern(r"(?P<name>[A-Za-z_]\w{0,60})[ \t]*\[[^\n=]{0,200}\][ \t]*[-+*/]?=(?!=)")
_REDUCED = late.pattern(r"\b(?:sum|max|min|mean|cumsum|argmax|clip|masked_fill|where|triu|tril)\(|=")
_ROW_SUM = r"(?:rowsum\([A-Za-z_]\w{0,60}\)|sum\([A-Za-z_]\w{0,60},(?:dims=)?2\))"
_BY_ROW_SUMS = (late.pattern(rf"[A-Za-z_]\w{{0,60}}/{_ROW_SUM}"), late.pattern(_ROW_SUM))
"""``A / A.sum(axis=1, keepdims=True)``, and the right side of ``A /=``, as normalization leaves them."""

_LONGEST = 400
"""Nodes of the largest formula into which others are substituted."""


class Reassignments:
    """The formulas of names that a program assigns more than once, as they are at the time.

    Args:
        text: the document.
        found: all that was typed.
    """

    def __init__(self, text: str, found: list[ConsoleInput]) -> None:
        self.text = text
        self.unsure = _reassigned_names(text, found)
        self.formulas: dict[str, t.Node | None] = {}

    def of(self, node: t.Node) -> t.Node | None:
        """Substitute the formulas of such names; None if one of them has none that is read."""
        names = {item.text for item in walk(node) if isinstance(item, t.Name)} & self.unsure
        known = {name: self.formulas.get(name) for name in names}
        if None in known.values() or sum(1 for _ in walk(node)) > _LONGEST:
            return None

        def put(item: t.Node) -> t.Node:
            formula = known.get(item.text) if isinstance(item, t.Name) else None
            if formula is not None:
                return formula if isinstance(formula, t.Name | t.Call) else t.Group(formula, span=item.span)
            return replace(rebuilt(item, put), span=item.span)

        return put(node) if known else node

    def take(self, item: ConsoleInput) -> None:
        """Record the assignments of an input."""
        for line in self.text[slice(*item.source)].split("\n"):
            match = _ASSIGNED.match(line.lstrip(". \t"))
            changed = _CHANGED.match(line.lstrip(". \t"))
            for name in {found["name"] for found in (match, changed) if found is not None} & self.unsure:
                self.formulas[name] = None if item.is_block or match is None else self._assigned(item, name)

    def _assigned(self, item: ConsoleInput, name: str) -> t.Node | None:
        low, high = _formula(self.text, *item.source)
        match = _ASSIGNED.match(self.text, low, high)
        if match is None:
            return None
        start = match.start("value")
        end = min(match.end("value"), high)
        before = self.formulas.get(name)
        if _BY_ROW_SUMS[bool(match["more"])].fullmatch(self.text[start:end].replace(" ", ""), 0):
            inner = before if isinstance(before, t.Call) and before.function.text == "exp" else None
            is_same = match["more"] in {None, "/"} and self.text[start:end].replace(" ", "").count(name) in {1, 2}
            return None if inner is None or not is_same else t.Call(t.Name("softmax"), inner.arguments, span=inner.span)
        if any(marks.search(self.text, start, end) for marks in (_NOT_READ, _ENTRIES, _REDUCED)):
            return None
        side = read_side(self.text, start, end, "plain")
        value = None if side.node is None or side.others else self.of(side.node)
        if value is None or not match["more"]:
            return value
        if before is None:
            return None
        first, second = t.Group(before, span=before.span), t.Group(value, span=value.span)
        match match["more"]:
            case "/":
                return t.Division(first, value, span=value.span)
            case "*":
                return t.Product((second, first), ("",), span=value.span)
            case "+":
                return t.Sum((first, second), ("+",), span=value.span)
        return None


def _reassigned_names(text: str, found: list[ConsoleInput]) -> frozenset[str]:
    """Return the names that are assigned more than one value: their output may be any of them."""
    assigned: set[str] = set()
    unsure: set[str] = set()
    for item in found:
        for line in text[slice(*item.source)].split("\n"):
            match = _ASSIGNED.match(line.lstrip(". \t"))
            if match is None:
                continue
            name = match["name"]
            value = match["value"].partition("#")[0]
            if match["more"] or name in assigned or re.search(rf"(?<![\w.]){name}(?!\w)", value):
                unsure.add(name)
            assigned.add(name)
    return frozenset(unsure)


def pieces_of_input(
    text: str, item: ConsoleInput, source: tuple[Piece, ...], printed: tuple[Piece, ...], versions: Reassignments
) -> tuple[Piece, ...]:
    """Return an input and its output as pieces.

    Args:
        text: the document.
        item: the places.
        source: what was typed, read as lines of plain text.
        printed: what was printed, read in the same way.
        versions: names with more than one value.
    """
    words = _words(text, item.source)
    if item.is_block or not words:
        return (*words, *_as_words(printed, text))
    low, high = _formula(text, *item.source)
    shown = notebooks.output_names(text[low:high], "result")
    if shown:
        name = (shown[0][0] + low, shown[0][1] + low)
        return _named(printed, name, text, versions) or (*words, *_as_words(printed, text))
    assigned = _ASSIGNED.match(text, low, high)
    if assigned is not None:
        is_sure = assigned["name"] not in versions.unsure and not assigned["more"]
        is_sure &= _DOWN_COLUMNS.search(text, low, high) is None
        statement = source[0] if is_sure and len(source) == 1 else None
        statement = _substitute(statement, versions) if isinstance(statement, Written) else None
        if not isinstance(statement, Written) or not _is_read(statement):
            return (*words, *(_named(printed, assigned.span("name"), text, versions) or _as_words(printed, text)))
        return _join_output(statement, printed, text) or (statement, *_as_words(printed, text))
    expression = _expression(text, (low, high), versions, from_one=item.from_one)
    found = None if expression is None else _join_output(expression, printed, text)
    return found or (*words, *_as_words(printed, text))


def repeated_names(text: str, item: ConsoleInput) -> frozenset[str]:
    """Return the names that an output only repeats: that of its input, and MATLAB's ``ans``."""
    found = _NAME.match(text, *item.source)
    return frozenset({"ans", *([] if found is None else [found[0]])})


def _named(printed: tuple[Piece, ...], name: t.Span, text: str, versions: Reassignments) -> tuple[Piece, ...] | None:
    """Name the only array of an output after its input; None for several, and a name of no known formula."""
    called = text[slice(*name)]
    formula = versions.formulas.get(called)
    if (called in versions.unsure and formula is None) or sum(map(notebooks.is_bare, printed)) != 1:
        return None
    pieces = notebooks.name_arrays(printed, (name,), text)
    return pieces if formula is None else tuple(_state_value(piece, name, formula) for piece in pieces)


def _formula(text: str, low: int, high: int) -> t.Span:
    """Return the span of an input without its remark, and without calls that only print or round."""
    remark = _REMARK.search(text, low, high)
    high = high if remark is None else remark.start()
    return low, high


def _expression(text: str, span: t.Span, versions: Reassignments, *, from_one: bool) -> Written | None:
    """Read ``A @ V`` and ``np.round(A @ V, 3)`` as a formula in names."""
    low, high = _peel(text, *span)
    marks = (_NOT_READ, _DOWN_COLUMNS, *(() if from_one else (_ENTRIES,)))
    if low >= high or high - low > 300 or any(mark.search(text, low, high) for mark in marks):
        return None
    side = read_side(text, low, high, "plain")
    if side.node is None or side.others:
        return None
    names = {item.text for item in walk(side.node) if isinstance(item, t.Name)}
    return _substitute(Written((low, high), (side,)), versions) if names else None


def _peel(text: str, low: int, high: int) -> t.Span:
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


def _substitute(statement: Written, versions: Reassignments) -> Written | None:
    """Substitute the formulas of names in a statement; None if a name has more than one meaning."""
    sides: list[Side | None] = []
    for side in statement.sides:
        node = None if side is None or side.node is None else versions.of(side.node)
        if side is not None and side.node is not None and node is None:
            return None
        sides.append(side if side is None or node is None else replace(side, node=node))
    return replace(statement, sides=tuple(sides))


def _state_value(piece: Piece, name: t.Span, formula: t.Node) -> Piece:
    """State the output for a name as the value of the formula that the name has at the time."""
    if not isinstance(piece, Written) or piece.sides[0] is None or piece.sides[0].span != name:
        return piece
    first = replace(piece.sides[0], node=formula, implied=False)
    return replace(piece, span=(name[0], piece.span[1]), sides=(first, *piece.sides[1:]))


def _join_output(statement: Written, printed: tuple[Piece, ...], text: str) -> tuple[Piece, ...] | None:
    """Join a formula and the array that was printed for it to one chain."""
    bare = [piece for piece in printed if notebooks.is_bare(piece)]
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
    """Turn unlabelled arrays into prose, as their quantity is not stated."""
    return tuple(
        Prose(piece.span, " ".join(text[slice(*piece.span)].split())) if notebooks.is_bare(piece) else piece
        for piece in pieces
    )


def _words(text: str, span: t.Span) -> tuple[Piece, ...]:
    words = " ".join(text[slice(*span)].split())
    return (Prose(span, words),) if words else ()
