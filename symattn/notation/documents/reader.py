"""Reader of submissions: LaTeX, Markdown, plain text and notebooks.

Nothing moves: what must vanish is replaced by spaces, so that every span is one of the text as given;
pieces of a text with expanded macros are mapped back to it.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any, Literal, TypeAlias

from symattn.errors import InputError
from symattn.notation.documents import consoles, notebooks, programs, prompts
from symattn.notation.documents.corrections import cut_prose, with_corrections
from symattn.notation.documents.drafts import Draft
from symattn.notation.documents.normalization import blanked, normalize
from symattn.notation.documents.numbers import has_decimal_commas, joined_lists
from symattn.notation.documents.running_text import TextReader
from symattn.notation.markup import formulas as markup_math
from symattn.notation.markup import masking, tex_files
from symattn.notation.markup.boxes import blank_boxes
from symattn.notation.markup.macros import Expansion, Macro, expand_macros
from symattn.notation.markup.masking import Canvas, Region
from symattn.notation.markup.spans import is_inside
from symattn.notation.submission import Heading, Piece, Prose, Side, Work
from symattn.notation.tables import grids, interleaved, printed_arrays, unruled
from symattn.notation.tables.entries import is_matrix_with_labels
from symattn.notation.tables.grids import Grid
from symattn.notation.tree import nodes as t

Format: TypeAlias = Literal["tex", "md", "txt", "ipynb"]

MAX_CHARACTERS = 2_000_000
"""Characters of one document."""

_SUFFIXES: dict[str, Format] = {
    ".tex": "tex", ".ltx": "tex", ".latex": "tex", ".md": "md", ".markdown": "md", ".qmd": "md", ".rmd": "md",
    ".txt": "txt", ".text": "txt", ".ipynb": "ipynb",
}  # fmt: skip


def format_of(name: str) -> Format:
    """Return the format for the suffix of a file name.

    >>> format_of("solutions/PS4.ipynb"), format_of("notes.Rmd")
    ('ipynb', 'md')

    Raises:
        InputError: the suffix is none of those that are read.
    """
    last = name.replace("\\", "/").rpartition("/")[2]
    suffix = last[last.rfind(".") :].lower() if "." in last else ""
    found = _SUFFIXES.get(suffix)
    if found is None:
        raise InputError(
            f"{name}: files with the suffix {suffix or '(none)'} are not read; use .tex, .md, .txt or .ipynb."
        )
    return found


def read_work(text: str, format: Format) -> Work:  # noqa: A002 - the word that callers say
    r"""Read the headings, prose and chains of a document, in their order.

    >>> [type(piece).__name__ for piece in read_work("# Scores\n\nThe first is $S_{11} = 3$.", "md").pieces]
    ['Heading', 'Prose', 'Written']

    Args:
        text: all of it; for a notebook its JSON.
        format: how it is written.

    Raises:
        InputError: it is too long, or no notebook.
    """
    _check_size(text)
    if format == "ipynb":
        return _read_notebook(text)
    struck: list[t.Span] = []
    pieces = _read(text, format, {}, struck)
    return _work(text, pieces, struck)


def _work(text: str, pieces: tuple[Piece, ...], struck: list[t.Span], cells: tuple[tuple[int, int], ...] = ()) -> Work:
    """Return a submission whose text has blanks for what is struck out."""
    return Work(blanked(text, struck), pieces, cells, source=text) if struck else Work(text, pieces, cells)


def _read(text: str, form: Format, macros: dict[str, Macro], struck: list[t.Span], base: int = 0) -> tuple[Piece, ...]:
    """Read the pieces of a document, or of a part that stands at `base` of a longer one; add the spans struck out."""
    found = prompts.console_inputs(text) if form != "tex" else []
    canvas = Canvas(text)
    for item in found:
        canvas.blank(*item.span)
    blocks = [] if form == "tex" else _blocks(canvas.text(), interleave=not found)
    if not found and not blocks:
        return _read_between(text, form, macros, struck, base)
    for block in blocks:
        canvas.blank(*block.span)
    typed = prompts.normalize_inputs(text, found)
    versions = consoles.Reassignments(typed, found)
    pieces: list[Piece] = []
    for block in blocks:
        pieces.extend(map_to_source(_read_made(block.rearrange(text)), Expansion(text, base)))
    for item in found:
        versions.take(item)
        made = printed_arrays.rearrange_output(text[slice(*item.printed)], consoles.repeated_names(typed, item))
        printed = map_to_source(_read_made(made), Expansion(text, item.printed[0]))
        source = () if item.is_block else _read_lines(typed, *item.source)
        of_input = consoles.pieces_of_input(typed, item, source, () if item.is_block else printed, versions)
        pieces.extend(map_to_source(of_input, Expansion(text, base)))
    return tuple(
        sorted([*_read_between(canvas.text(), form, macros, struck, base), *pieces], key=lambda piece: piece.span)
    )


def _blocks(text: str, *, interleave: bool) -> list[interleaved.Interleaving | printed_arrays.PrintedArray]:
    """Return the lines that are read in another order: matrices side by side, and arrays in blocks of columns."""
    arrays = [
        array for array in printed_arrays.printed_arrays(text) if array.name and (array.power or array.blocks > 1)
    ]
    return [*(interleaved.interleavings(text, 0, len(text)) if interleave else ()), *arrays]


def _read_made(made: Expansion) -> tuple[Piece, ...]:
    """Read lines in the order in which they were put."""
    return map_to_source(_read_lines(made.text, 0, len(made.text)), made)


def _read_between(
    text: str, form: Format, macros: dict[str, Macro], struck: list[t.Span], base: int
) -> tuple[Piece, ...]:
    """Read the pieces outside of console sessions."""
    made = Expansion(text, base)
    if form != "txt" and (macros or "\\" in text):
        made = expand_macros(text, _formulas(text, tex=form == "tex"), macros, tex=form == "tex", base=base)
    found = _strikes(made.text, tex=form == "tex")
    if not found:
        return map_to_source(_read_marked(made.text, form), made)
    struck.extend(made.span(*strike.whole) for strike in found)
    shown = _read_marked(blanked(made.text, [strike.whole for strike in found]), form)
    inner = [(0, 0), *(strike.inner for strike in found), (len(made.text), len(made.text))]
    hidden = blanked(made.text, [(left[1], right[0]) for left, right in pairwise(inner)])
    return map_to_source(_with_withdrawn(shown, _read_marked(hidden, form), made.text), made)


def _strikes(text: str, *, tex: bool) -> list[masking.Strike]:
    """Return what is struck out outside of comments and definitions."""
    if not any(mark in text for mark in ("~", "</", "\\sout", "\\st", "cancel")):
        return []
    if tex:
        canvas = Canvas(text)
        tex_files.prepare(text, canvas)
        text = canvas.text()
    return masking.strikes(text, _formulas(text, tex=tex), tex=tex)


def _with_withdrawn(shown: tuple[Piece, ...], hidden: tuple[Piece, ...], text: str) -> tuple[Piece, ...]:
    """Add what is struck out to the pieces of a text, but for parts of its statements and of its prose."""
    words = [piece.span for piece in shown if isinstance(piece, Prose)]
    others = [piece.span for piece in shown if not isinstance(piece, Prose)]
    found: list[Piece] = []
    for piece in hidden:
        is_part = is_inside(others, piece.span[0]) or (isinstance(piece, Prose) and is_inside(words, piece.span[0]))
        if not is_part and not isinstance(piece, Heading):
            found.append(replace(piece, withdrawn=True))
    spans = [piece.span for piece in found]
    for piece in shown:
        found.extend(cut_prose(piece, spans, text) if isinstance(piece, Prose) else [piece])
    return tuple(sorted(found, key=lambda piece: piece.span))


def _read_marked(text: str, form: Format) -> tuple[Piece, ...]:
    canvas, drafts = _read_tex(text) if form == "tex" else _read_loose(text)
    return _pieces(canvas.text(), drafts, commas=has_decimal_commas(text))


def _formulas(text: str, *, tex: bool) -> list[t.Span]:
    return [(region.start, region.end) for region in markup_math.formulas(text, 0, len(text), tex=tex)]


def _check_size(text: str) -> None:
    if len(text) > MAX_CHARACTERS:
        raise InputError(
            f"The submission has {len(text)} characters, and at most {MAX_CHARACTERS} (2 MB) are read: split it."
        )


def _read_notebook(source: str) -> Work:
    text, places = notebooks.cells(source)
    macros: dict[str, Macro] = {}
    struck: list[t.Span] = []
    pieces: list[Piece] = []
    for cell in places:
        part = text[cell.start : cell.end]
        if cell.kind == "markdown":
            pieces.extend(_read(part, "md", macros, struck, cell.start))
        elif cell.kind == "code":
            if part.strip():
                pieces.append(Prose((cell.start, cell.end), " ".join(part.split())))
        else:
            pieces.extend(notebooks.name_arrays(_read_lines(text, cell.start, cell.end), cell.names, text))
    return _work(text, tuple(pieces), struck, tuple((cell.number, cell.start) for cell in places))


def _read_lines(text: str, start: int, end: int) -> tuple[Piece, ...]:
    """Read lines of plain text without markup, as programs print them."""
    part = text[start:end]
    canvas = Canvas(normalize(part, "lines"))
    found = unruled.loose_tables(canvas.text(), [])
    reader = TextReader(canvas.text(), canvas, tex=False, grids={grid.span[0]: grid for grid in found})
    reader.run(0, len(part), _around(Region("lines", 0, len(part), (0, len(part))), found))
    pieces = _pieces(canvas.text(), reader.drafts, commas=has_decimal_commas(part))
    return map_to_source(pieces, Expansion(part, start))


def _read_tex(text: str) -> tuple[Canvas, list[Draft]]:
    text = normalize(text, "tex")
    canvas = Canvas(text)
    blocks = tex_files.prepare(text, canvas)
    cleaned = canvas.text()
    found: list[Region] = []
    for low, high in _between(blocks, len(text)):
        found.extend(markup_math.formulas(cleaned, low, high, tex=True))
    blank_boxes(cleaned, found, canvas)
    cleaned = canvas.text()
    tables, found = _tables(cleaned, found, blocks, pipes=False)
    inside = [Region("table", *grid.span, grid.span) for grid in tables]
    headings = _outside(tex_files.headings(cleaned), [*found, *inside], blocks)
    return canvas, _drafts(canvas, [*blocks, *headings], found, tables, tex=True)


def _outside(found: list[Region], formulas: list[Region], blocks: list[Region]) -> list[Region]:
    """Return the headings that begin in no formula and in no block."""
    spans = sorted((region.start, region.end) for region in [*formulas, *blocks])
    return [heading for heading in found if not is_inside(spans, heading.start)]


def _read_loose(text: str) -> tuple[Canvas, list[Draft]]:
    canvas = Canvas(normalize(text, "loose"))
    cleaned = canvas.text()
    blocks = programs.split_programs(cleaned, masking.fences(cleaned, canvas), canvas)
    cleaned = canvas.text()
    found: list[Region] = []
    for low, high in _between(blocks, len(text)):
        found.extend(markup_math.formulas(cleaned, low, high, tex=False))
    blank_boxes(cleaned, found, canvas)
    cleaned = canvas.text()
    tables, found = _tables(cleaned, found, blocks, pipes=True)
    more = _more_tables(text, cleaned, blocks, found, tables)
    tables = sorted([*tables, *more], key=lambda grid: grid.span)
    places = [grid.span for grid in tables]
    found = [region for region in found if not is_inside(places, region.start)] if more else found
    blocks = [piece for block in blocks for piece in _around(block, more)]
    inside = [Region("table", *grid.span, grid.span) for grid in tables]
    headings = _outside(masking.headings(cleaned), [*found, *inside], blocks)
    return canvas, _drafts(canvas, [*blocks, *headings], found, tables, tex=False)


def _more_tables(
    source: str, text: str, blocks: list[Region], formulas: list[Region], tables: list[Grid]
) -> list[Grid]:
    """Find tables without bars: HTML tables outside of programs, and columns of plain text outside of formulas."""
    taken = sorted([*((block.start, block.end) for block in blocks), *(grid.span for grid in tables)])
    found = unruled.html_tables(source, text, taken)
    closed = [(block.start, block.end) for block in blocks if block.kind != "lines"]
    closed += [(region.start, region.end) for region in formulas]
    return [*found, *unruled.loose_tables(text, sorted([*closed, *(grid.span for grid in [*tables, *found])]))]


def _around(block: Region, tables: list[Grid]) -> list[Region]:
    """Cut the tables out of a block of lines; in a document those are regions of their own."""
    if block.kind != "lines":
        return [block]
    is_all = (block.start, block.end) == block.inner
    parts: list[Region] = []
    position, start = block.inner[0], block.start
    for grid in tables:
        if not block.inner[0] <= grid.span[0] < block.inner[1]:
            continue
        parts.append(Region("lines", start, grid.span[0], (position, grid.span[0])))
        if is_all:
            parts.append(Region("table", *grid.span, grid.span))
        position = start = grid.span[1]
    parts.append(Region("lines", start, block.end, (position, max(position, block.inner[1]))))
    return [part for part in parts if part.start < part.end]


def _between(blocks: list[Region], end: int) -> list[t.Span]:
    edges = [(0, 0), *((block.start, block.end) for block in blocks), (end, end)]
    return [(left[1], right[0]) for left, right in pairwise(edges) if left[1] < right[0]]


def _tables(text: str, formulas: list[Region], blocks: list[Region], *, pipes: bool) -> tuple[list[Grid], list[Region]]:
    """Return the tables of a text, and the formulas outside of them."""
    spans = sorted((region.start, region.end) for region in [*blocks, *formulas])
    skipped = sorted((region.start, region.end) for region in blocks)
    found = grids.pipe_tables(text, skipped) if pipes else []
    taken = [grid.span for grid in found]
    for grid in grids.tabulars(text, sorted([*skipped, *taken])):
        if grid.rows and not is_inside(spans, grid.span[0]):
            found.append(grid)
    taken = sorted(grid.span for grid in found)
    left: list[Region] = []
    for region in formulas:
        if is_inside(taken, region.start):
            continue
        grid_in = grids.array_in(text, *region.inner) if region.kind == "formula" else None
        if grid_in is not None and is_matrix_with_labels(grid_in, text):
            found.append(Grid((region.start, region.end), grid_in.rows, grid_in.header, grid_in.lead))
        else:
            left.append(region)
    return sorted(found, key=lambda grid: grid.span), left


def _drafts(
    canvas: Canvas, blocks: list[Region], formulas: list[Region], tables: list[Grid], *, tex: bool
) -> list[Draft]:
    text = canvas.text()
    joined = markup_math.merge_adjacent(text, formulas, canvas)
    places = [Region("table", *grid.span, grid.span) for grid in tables]
    regions = sorted([*blocks, *joined, *places], key=lambda region: (region.start, -region.end))
    text = canvas.text()
    reader = TextReader(text, canvas, tex=tex, grids={grid.span[0]: grid for grid in tables})
    reader.run(0, len(text), regions)
    return reader.drafts


def _pieces(text: str, drafts: list[Draft], *, commas: bool) -> tuple[Piece, ...]:
    found = (draft.piece(text, commas=commas) for draft in drafts)
    return with_corrections(joined_lists(tuple(found), text), text, commas=commas)


def map_to_source(pieces: tuple[Piece, ...], made: Expansion) -> tuple[Piece, ...]:
    """Map the spans of pieces back to the original document; a piece with an endless macro is not read."""
    return tuple(_piece(piece, made) for piece in pieces) if made.is_changed else pieces


def _piece(piece: Piece, made: Expansion) -> Piece:
    span = made.span(*piece.span)
    if isinstance(piece, Heading | Prose):
        return replace(piece, span=span)
    sides = tuple(None if side is None else _side(side, made) for side in piece.sides)
    operators = tuple(made.span(*operator) for operator in piece.operator_spans)
    span = _hull([span, *(side.span for side in sides if side is not None and not side.implied)])
    return replace(piece, span=span, sides=sides, operator_spans=operators)


def _side(side: Side, made: Expansion) -> Side:
    span = made.span(*side.span)
    at = made.span(side.at, side.at + 1)[0]
    failed = made.failure(*span)
    if failed is not None:
        return Side(span, None, reason=failed[1], at=max(failed[0], span[0]), implied=side.implied)
    node = None if side.node is None else _node(side.node, made)
    if node is not None and node.span is not None:
        span = _hull([span, node.span])
    return replace(side, span=span, node=node, others=tuple(_node(other, made) for other in side.others), at=at)


def _hull(spans: list[t.Span]) -> t.Span:
    return min(low for low, _ in spans), max(high for _, high in spans)


def _node(node: t.Node, made: Expansion) -> t.Node:
    """Map the spans of a tree back; a part that a macro's body brought stands where the macro is used.

    The depth of a tree is bounded by its reader.
    """
    parts = {name: _part(getattr(node, name), made) for name in type(node).__match_args__}
    span = None if node.span is None else made.span(*node.span)
    found = replace(node, **parts, span=span)
    spans = [child.span for child in t.children(found) if child.span is not None]
    return found if span is None or not spans else replace(found, span=_hull([span, *spans]))


def _part(part: Any, made: Expansion) -> Any:
    """Map the spans in a field of a node: a tree, several, or rows of trees."""
    if isinstance(part, tuple):
        return tuple(_part(one, made) for one in part)
    return _node(part, made) if isinstance(part, t.Node) else part
