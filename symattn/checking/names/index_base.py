"""Index base of a work: rows and columns counted from 1, or from 0 as in programs."""

from __future__ import annotations

import re
from collections.abc import Collection

from symattn import late
from symattn.checking.names.lexicon import bracketed
from symattn.notation.lexicon.lines import lines_said
from symattn.notation.lexicon.reader import Said, said
from symattn.notation.submission import Heading, Prose, Work, Written
from symattn.notation.tree import nodes as t
from symattn.notation.tree.traversal import walk

_NUMBERS_BEHIND = late.pattern(r"[.,]?\d|[ \t]*[,;&]?[ \t]*[-−]?\d")
"""More numbers: ``The row 0, 1, 2`` is a row of numbers."""

_LINE_OF_ZERO = late.pattern(
    r"(?:^[ \t|>*#\-+]{0,40}|[|\]][ \t]{1,4})(?P<label>[^\W\d_]{3,20}[ \t_]{0,3}[#$]?0\$?)[ \t*]{0,20}"
    r"(?:[|:&=]|(?:[^\W\d_]{1,20}[ \t]{0,20}){1,4}[:|]|\r?$)",
    re.MULTILINE,
)
"""A line of the text, of a table or of a log, that a word with the number 0 labels, perhaps with a few words more."""

_ROW_OF_ZERO = late.pattern(r"[^\W\d_]{3,20}[ ~]\$0\$")
"""``Row $0$``, in which the number is a formula."""

_LABELS = frozenset({"row", "column", "token", "query", "key", "position"})

_NAMED = late.pattern(r"[qkvosaxz]0[0-9]?", re.IGNORECASE)
"""``q0`` and ``a01``, as people type them without underscores."""

_ROW_ONE_COLUMN_ZERO = late.pattern(r"(?:\\alpha|\\omega|(?<![A-Za-z\\])[aAsSeEpPwW])_(?:\{10\}|10(?!\d))")
"""``\\alpha_{10}``: where nothing has ten rows or columns, the entry in row 1 and column 0."""

_TEN = 10

_LINES = frozenset({"row", "column"})


def base_of(work: Work, names: Collection[str] = (), largest: int = 10) -> int:
    """Return 0 where the work says so, or gives a name or a line the number 0 anywhere; else 1.

    Args:
        work: the work.
        names: what the sheet itself calls its quantities; a 0 in them counts nothing.
        largest: how many rows or columns a quantity has at most.
    """
    labels = [found["label"] for found in _LINE_OF_ZERO.finditer(work.text)]
    is_labelled = any(item.name in _LABELS for label in labels for item in lines_said(label))
    rows = [found[0] for found in _ROW_OF_ZERO.finditer(work.text)]
    is_labelled |= any(item.name in _LINES for row in rows for item in lines_said(row.replace("~", " ")))
    if is_labelled or (largest < _TEN and _ROW_ONE_COLUMN_ZERO.search(work.text)):
        return 0
    return 0 if any(_is_from_zero(piece, names) for piece in work.pieces) else 1


def _is_from_zero(piece: Prose | Heading | Written, names: Collection[str]) -> bool:
    if not isinstance(piece, Written):
        return _is_said(piece.text)
    nodes = (side.node for side in piece.sides if side is not None and side.node is not None)
    return any(_is_numbered_from_zero(node, names) for node in nodes)


def _is_numbered_from_zero(node: t.Node, names: Collection[str]) -> bool:
    """Return whether a tree contains the number 0 as an index; ``A0_{12}`` is an entry of A0."""
    heads = {id(item.base) for item in walk(node) if isinstance(item, t.Subscript)}
    items = (item for item in walk(node) if _plain_name(item) not in names)
    return any(_has_zero(item) for item in items if id(item) not in heads)


def _plain_name(node: t.Node) -> str | None:
    """Return a name as the sheet spells it, ``dF_0`` for a dF with the subscript 0."""
    match node:
        case t.Name(text):
            return text
        case t.Subscript(base=t.Name(text), indices=(t.Number(index), *_)):
            return f"{text}_{index}"
    return None


def _is_said(words: str) -> bool:
    """Return whether words say so, or speak of row 0; ``token 0`` may be one of a start."""
    return any(item.name == "from_zero" for item in said(words)) or any(
        item.number == 0 and (item.is_ordinal or _is_row(words, item)) for item in lines_said(words)
    )


def _is_row(words: str, item: Said) -> bool:
    is_one = words[: item.end].rstrip("0 \t$#").endswith("s") or _NUMBERS_BEHIND.match(words, item.end) is None
    return item.name in _LINES and is_one


def _has_zero(node: t.Node) -> bool:
    match node:
        case t.Name(text):
            return _NAMED.fullmatch(text) is not None or (" " in text and _is_said(text))
        case t.Product(factors) if not any(node.operators):
            return _has_zero_in_brackets(factors)
        case t.Subscript():
            return _is_index_of_zero(node.indices)
    return False


def _has_zero_in_brackets(factors: tuple[t.Node, ...]) -> bool:
    """Return whether a node is ``S[0]``, ``S[0][1]`` or ``S[0, :]``, array notation of programs."""
    if not isinstance(factors[0], t.Name | t.Subscript | t.Call):
        return False
    rest = [bracketed(factor) for factor in factors[1:]]
    items = [item for part in rest for item in part]
    is_of_batch = len(items) == 4 and items[:2] == [t.Number("0")] * 2 and _touch(factors)
    return all(rest) and (len(items) in {1, 2} or is_of_batch) and _is_index_of_zero(tuple(items))


def _touch(factors: tuple[t.Node, ...]) -> bool:
    """Return whether two factors, a name and its indices, are adjacent without a space."""
    first, second = factors[0].span, factors[1].span
    return first is not None and second is not None and first[1] == second[0]


def _is_index_of_zero(indices: tuple[t.Node, ...]) -> bool:
    """Return whether indices are numbers, or a colon for all, and one of them is 0: ``0``, ``00``, ``0, :``."""
    texts = [index.text for index in indices if isinstance(index, t.Number)]
    is_pair = len(indices) == 1 and len(texts) == 1 and len(texts[0]) == 2
    is_counted = all(text.isdigit() for text in texts)
    is_whole = is_counted and len(texts) + sum(index == t.Name(":") for index in indices) == len(indices)
    return is_whole and ("0" in texts or (is_pair and "0" in texts[0] and texts[0] != "10"))
