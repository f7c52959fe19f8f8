"""Cells of a notebook, joined to one text: their sources, and the outputs behind those of code."""

from __future__ import annotations

import json
from typing import Any, Literal

from symattn.errors import InputError
from symattn.notation import tree as t
from symattn.notation.outputs import names_in, texts_of
from symattn.records import dataclass

GAP = "\n\n"


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
    kind: Literal["markdown", "code", "output"]
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
    joined = _Joined()
    for number, cell in enumerate(_list_of_cells(notebook), start=1):
        source = _source(cell)
        is_markdown = source is not None and cell.get("cell_type") == "markdown"
        start = len(joined)
        if source is not None and source.strip():
            start = joined.add(number, "markdown" if is_markdown else "code", source)
        if source is not None and cell.get("cell_type") == "code":
            for output in texts_of(cell):
                names = names_in(source, output.kind)
                places = tuple((low + start, high + start) for low, high in names)
                joined.add(number, "output", output.text, places)
    return joined.text(), tuple(joined.places)


class _Joined:
    """Texts one after the other."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.places: list[Cell] = []
        self.length = 0

    def __len__(self) -> int:
        return self.length

    def text(self) -> str:
        return "".join(self.parts)

    def add(
        self, number: int, kind: Literal["markdown", "code", "output"], text: str, names: tuple[t.Span, ...] = ()
    ) -> int:
        """Append a text behind a gap, and return its start."""
        if self.parts:
            self.parts.append(GAP)
            self.length += len(GAP)
        start = self.length
        self.parts.append(text)
        self.length += len(text)
        self.places.append(Cell(number, kind, start, self.length, names))
        return start


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
