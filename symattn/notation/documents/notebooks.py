"""Cells of a notebook, joined to one text, and the names that sources give to their unlabelled outputs.

The outputs of code stand behind its source. Console sessions name their outputs in the same way.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any, Literal, TypeAlias

from symattn import late
from symattn.errors import InputError
from symattn.notation.sides.reader import read_side
from symattn.notation.submission import Piece, Side, Written
from symattn.notation.tree import nodes as t
from symattn.notation.tree.traversal import walk
from symattn.records import dataclass

GAP = "\n\n"
Kind: TypeAlias = Literal["markdown", "code", "output"]


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell, or the output of one cell.

    Attributes:
        number: among all cells, from 1.
        kind: ``markdown``, ``code``, or ``output`` for what code printed.
        start: where it stands.
        end: where it ends.
        names: for what was printed, where the source names it: one place for each thing without a label.
    """

    number: int
    kind: Kind
    start: int
    end: int
    names: tuple[t.Span, ...] = ()


def cells(text: str) -> tuple[str, tuple[Cell, ...]]:
    r"""Return the text of a notebook and its cells.

    >>> text, places = cells('{"cells": [{"cell_type": "raw", "source": ["a\\n", "b"]}, {"source": "c"}]}')
    >>> text, [(cell.number, cell.start, cell.end) for cell in places]
    ('a\nb\n\nc', [(1, 0, 3), (2, 5, 6)])

    Raises:
        InputError: it is not the JSON of a notebook.
    """
    try:
        notebook = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"The notebook is not JSON ({error}): save it again as .ipynb.") from error
    parts: list[str] = []
    places: list[Cell] = []
    length = 0

    def add(number: int, kind: Kind, part: str, names: tuple[t.Span, ...] = ()) -> None:
        nonlocal length
        start = length + (len(GAP) if parts else 0)
        length = start + len(part)
        parts.append(part)
        places.append(Cell(number, kind, start, length, names))

    for number, cell in enumerate(_list_of_cells(notebook), start=1):
        source = _source(cell)
        if source is None:
            continue
        start = length
        if source.strip():
            add(number, "markdown" if cell.get("cell_type") == "markdown" else "code", source)
            start = places[-1].start
        for output in output_texts(cell) if cell.get("cell_type") == "code" else ():
            names = output_names(source, output.kind)
            add(number, "output", output.text, tuple((low + start, high + start) for low, high in names))
    return GAP.join(parts), tuple(places)


def _list_of_cells(notebook: Any) -> list[Any]:
    found = notebook.get("cells") if isinstance(notebook, dict) else None
    if found is None and isinstance(notebook, dict) and isinstance(notebook.get("worksheets"), list):
        sheets = [sheet for sheet in notebook["worksheets"] if isinstance(sheet, dict)]  # before version 4
        found = [cell for sheet in sheets for cell in sheet.get("cells") or []]
    if not isinstance(found, list):
        raise InputError("The notebook has no list of cells: save it again as .ipynb.")
    return found


def _source(cell: Any) -> str | None:
    """Return the source of a cell, one string or a list of lines; code has `input` before version 4."""
    if not isinstance(cell, dict):
        return None
    source = cell.get("source", cell.get("input"))
    if isinstance(source, list):
        return "".join(line for line in source if isinstance(line, str))
    return source if isinstance(source, str) else None


# Outputs ------------------------------------------------------------------------------------------

MAX_OUTPUT = 50_000
"""Characters that are read of what one cell printed at a time; whole lines are kept."""

_NAME = late.pattern(
    r"\s*(?:(?:np|numpy|torch|jnp)\.(?:round|around|array|asarray)\(\s*)?"
    r"(?:[A-Za-z_]\w{0,60}(?:\$|\[[\"'](?=\w{1,60}[\"']\])))?(?P<name>[A-Za-z_]\w{0,60})(?:[\"']\])?"
    r"(?:\.(?:round|numpy|detach|tolist|cpu|data)(?:\([^()]{0,20}\))?){0,4}"
    r"(?:\s*,\s*(?:decimals\s*=\s*)?[0-9]{1,2})?\s*\)?\s*"
)
_OPERAND = r"(?:[A-Za-z_]\w{0,60}(?:\.T)?|(?:np|math|torch)\.sqrt\([A-Za-z0-9_.]{1,30}\)|[0-9]{1,9}(?:\.[0-9]{1,9})?)"
_EXPRESSION = late.pattern(
    r"\s*(?:(?:np|numpy|torch|jnp)\.(?:round|around)\(\s*|\()?"
    rf"(?P<name>[A-Za-z_]\w{{0,60}}(?:\.T)?(?:[ ]?[@/+-][ ]?{_OPERAND}){{1,4}})"
    r"\)?(?:\.(?:round|numpy|detach|tolist|cpu)\([^()]{0,20}\)){0,3}(?:\s*,\s*(?:decimals\s*=\s*)?[0-9]{1,2})?\s*\)?\s*"
)
"""``np.round(A @ V, 3)``: the printed value is that of a formula."""

_PRINT = late.pattern(r"^(?:print|display|pprint)\((?P<inside>[^\n]{0,300})\)[ \t]*;?[ \t]*(?:#[^\n]*)?$", re.MULTILINE)
_ESCAPE = late.pattern(r"\x1b\[[0-9;]{0,20}m")
_LONGEST = 200
_WORDS = frozenset({"None", "True", "False", "print", "pass", "return", "break", "continue"})


@dataclass(frozen=True, slots=True)
class Output:
    """A text that was printed (``stream``), or that the last expression of a cell is shown as (``result``)."""

    kind: Literal["stream", "result"]
    text: str


def output_texts(cell: dict[str, Any]) -> list[Output]:
    """Return the plain texts among the outputs of a code cell; pictures, pages and errors are left out."""
    found: list[Output] = []
    outputs = cell.get("outputs")
    for output in outputs if isinstance(outputs, list) else []:
        if not isinstance(output, dict):
            continue
        kind = output.get("output_type")
        if kind == "stream" and output.get("name", output.get("stream", "stdout")) != "stderr":
            text = _text(output.get("text"))
            if found and found[-1].kind == "stream":
                text = found.pop().text + text
            found.append(Output("stream", text))
        elif kind in {"execute_result", "display_data", "pyout"}:
            data = output.get("data")
            text = _text(data.get("text/plain") if isinstance(data, dict) else output.get("text"))
            found.append(Output("result", text))
    return [Output(item.kind, _cut(item.text)) for item in found if item.text.strip()]


def _text(found: object) -> str:
    if isinstance(found, list):
        return "".join(line for line in found if isinstance(line, str))
    return found if isinstance(found, str) else ""


def _cut(text: str) -> str:
    text = _ESCAPE.sub("", text)
    return text if len(text) <= MAX_OUTPUT else text[: max(text.rfind("\n", 0, MAX_OUTPUT), 0)]


def output_names(source: str, kind: Literal["stream", "result"]) -> tuple[t.Span, ...]:
    r"""Return the spans where a source names its unlabelled outputs, or its last expression.

    >>> source = "A = softmax(S)\nprint(A)\nprint('O =', O)\nS.round(2)"
    >>> [source[slice(*span)] for span in (*output_names(source, "stream"), *output_names(source, "result"))]
    ['A', 'S']
    """
    if kind == "stream":
        found = [_match_printed(source, *call.span("inside")) for call in _PRINT.finditer(source)]
        return tuple(name.span("name") for name in found if name is not None and name["name"] not in _WORDS)
    end = len(source.rstrip())
    start = source.rfind("\n", 0, end) + 1
    shown = _PRINT.fullmatch(source, start, end)
    if shown is not None:
        start, end = shown.span("inside")
    last = _match_printed(source, start, end)
    return (last.span("name"),) if last is not None and last["name"] not in _WORDS else ()


def _match_printed(text: str, start: int, end: int) -> re.Match[str] | None:
    """Match the argument of a print: a formula, or a name."""
    if end - start >= _LONGEST:
        return None
    return _EXPRESSION.fullmatch(text, start, end) or _NAME.fullmatch(text, start, end)


def name_arrays(pieces: tuple[Piece, ...], names: tuple[t.Span, ...], source: str) -> tuple[Piece, ...]:
    """Name the unlabelled arrays of an output after the source, where there are as many of them.

    Args:
        pieces: what was printed.
        names: where the names stand.
        source: the text that they stand in.
    """
    bare = [piece for piece in pieces if is_bare(piece)]
    if not names or len(bare) != len(names):
        return pieces
    waiting = iter(names)
    return tuple(_prepend_name(piece, next(waiting), source) if piece in bare else piece for piece in pieces)


def is_bare(piece: Piece) -> bool:
    """Return True if a piece is an array, or a broken one, without a name."""
    first = piece.sides[0] if isinstance(piece, Written) and len(piece.sides) == 1 else None
    if first is None:
        return False
    return first.node is None or any(isinstance(node, t.Matrix | t.Vector) for node in walk(first.node))


def _prepend_name(piece: Piece, name: t.Span, source: str) -> Piece:
    if not isinstance(piece, Written):
        return piece
    start = piece.span[0]
    words = source[slice(*name)]
    if words.isidentifier():
        side = Side(name, t.Name(words, "text"), implied=True)
    else:
        side = replace(read_side(source, *name, "plain"), implied=True)
    return replace(piece, sides=(side, *piece.sides), operators=("=",), operator_spans=((start, start),))
