"""The sources of a notebook's cells, joined into one text; outputs are left out."""

from __future__ import annotations

import json
from typing import Any

from symattn.errors import InputError
from symattn.records import dataclass

GAP = "\n\n"


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell: its number from 1 among all cells, whether it holds Markdown, and where it stands."""

    number: int
    markdown: bool
    start: int
    end: int


def cells(text: str) -> tuple[str, tuple[Cell, ...]]:
    r"""The text of a notebook and its cells.

    >>> cells('{"cells": [{"cell_type": "markdown", "source": ["a\\n", "b"]}, {"cell_type": "code", "source": "c"}]}')
    ('a\nb\n\nc', (Cell(number=1, markdown=True, start=0, end=3), Cell(number=2, markdown=False, start=5, end=6)))

    Raises:
        InputError: it is not the JSON of a notebook.
    """
    try:
        notebook = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"The notebook is not JSON ({error}): save it again as .ipynb.") from error
    found = _list_of_cells(notebook)
    parts: list[str] = []
    places: list[Cell] = []
    position = 0
    for number, cell in enumerate(found, start=1):
        source = _source(cell)
        if source is None or not source.strip():
            continue
        if parts:
            parts.append(GAP)
            position += len(GAP)
        parts.append(source)
        places.append(Cell(number, cell.get("cell_type") == "markdown", position, position + len(source)))
        position += len(source)
    return "".join(parts), tuple(places)


def _list_of_cells(notebook: Any) -> list[Any]:
    found = notebook.get("cells") if isinstance(notebook, dict) else None
    if found is None and isinstance(notebook, dict) and isinstance(notebook.get("worksheets"), list):
        sheets = [sheet for sheet in notebook["worksheets"] if isinstance(sheet, dict)]  # before version 4
        found = [cell for sheet in sheets for cell in sheet.get("cells") or []]
    if not isinstance(found, list):
        raise InputError("The notebook has no list of cells: is it a notebook of Jupyter's?")
    return found


def _source(cell: Any) -> str | None:
    """The source of a cell, one string or a list of lines; code has `input` before version 4."""
    if not isinstance(cell, dict):
        return None
    source = cell.get("source", cell.get("input"))
    if isinstance(source, list):
        return "".join(line for line in source if isinstance(line, str))
    return source if isinstance(source, str) else None
