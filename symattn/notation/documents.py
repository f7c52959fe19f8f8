"""Somebody's document is read: LaTeX, Markdown, plain text, or a notebook.

Nothing moves: what must vanish is replaced by spaces, so that every span is one of the text as given.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Literal, TypeAlias

from symattn.errors import InputError
from symattn.notation import markup, markup_math, markup_tex
from symattn.notation import tree as t
from symattn.notation.markup import Canvas, Region
from symattn.notation.markup_text import Draft, TextReader, is_inside
from symattn.notation.notebook import cells
from symattn.notation.sides import read_side
from symattn.notation.work import Heading, Piece, Prose, Side, Work, Written

Format: TypeAlias = Literal["tex", "md", "txt", "ipynb"]

MAX_CHARACTERS = 2_000_000
"""Characters of one document."""

_SUFFIXES: dict[str, Format] = {
    ".tex": "tex", ".ltx": "tex", ".latex": "tex", ".md": "md", ".markdown": "md", ".qmd": "md", ".rmd": "md",
    ".txt": "txt", ".text": "txt", ".ipynb": "ipynb",
}  # fmt: skip


def format_of(name: str) -> Format:
    """The format that a file's name tells.

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
    r"""Headings, prose and chains of a document, in their order.

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
    canvas = Canvas(text)
    drafts, struck = _read_tex(text, canvas) if format == "tex" else _read_loose(text, canvas)
    return Work(text, _pieces(canvas.text(), drafts, struck))


def _check_size(text: str) -> None:
    if len(text) > MAX_CHARACTERS:
        raise InputError(
            f"The work has {len(text)} characters, and at most {MAX_CHARACTERS} (2 MB) are read: hand in a part of it."
        )


def _read_notebook(source: str) -> Work:
    text, places = cells(source)
    canvas = Canvas(text)
    drafts: list[Draft] = []
    struck: list[t.Span] = []
    for cell in places:
        part = text[cell.start : cell.end]
        inner = Canvas(part)
        if cell.markdown:
            found, gone = _read_loose(part, inner)
        else:
            found, gone = [Draft("prose", (0, len(part)), text=" ".join(part.split()))], []
        canvas.replace(cell.start, inner.text())
        drafts.extend(draft.moved(cell.start) for draft in found)
        struck.extend((low + cell.start, high + cell.start) for low, high in gone)
    return Work(text, _pieces(canvas.text(), drafts, struck), tuple((cell.number, cell.start) for cell in places))


def _read_tex(text: str, canvas: Canvas) -> tuple[list[Draft], list[t.Span]]:
    markup.blank_returns(text, canvas)
    blocks = markup_tex.prepare(text, canvas)
    cleaned = canvas.text()
    found: list[Region] = []
    for low, high in _between(blocks, len(text)):
        found.extend(markup_math.formulas(cleaned, low, high, tex=True))
    struck = markup_tex.strikes(cleaned, canvas, found)
    headings = _outside(markup_tex.headings(cleaned), found, blocks)
    return _drafts(canvas, [*blocks, *headings], found, tex=True), struck


def _outside(found: list[Region], formulas: list[Region], blocks: list[Region]) -> list[Region]:
    """The headings that begin in no formula and in no block."""
    spans = sorted((region.start, region.end) for region in [*formulas, *blocks])
    return [heading for heading in found if not is_inside(spans, heading.start)]


def _read_loose(text: str, canvas: Canvas) -> tuple[list[Draft], list[t.Span]]:
    struck = markup.clean_marks(text, canvas)
    cleaned = canvas.text()
    blocks = markup.fences(cleaned, canvas)
    cleaned = canvas.text()
    found: list[Region] = []
    for low, high in _between(blocks, len(text)):
        found.extend(markup_math.formulas(cleaned, low, high, tex=False))
    struck = sorted([*struck, *markup_tex.strikes(cleaned, canvas, found)])
    headings = _outside(markup.headings(cleaned), found, blocks)
    return _drafts(canvas, [*blocks, *headings], found, tex=False), struck


def _between(blocks: list[Region], end: int) -> list[t.Span]:
    edges = [(0, 0), *((block.start, block.end) for block in blocks), (end, end)]
    return [(left[1], right[0]) for left, right in pairwise(edges) if left[1] < right[0]]


def _drafts(canvas: Canvas, blocks: list[Region], formulas: list[Region], *, tex: bool) -> list[Draft]:
    text = canvas.text()
    joined = markup_math.merged(text, formulas, canvas)
    regions = sorted([*blocks, *joined], key=lambda region: (region.start, -region.end))
    text = canvas.text()
    reader = TextReader(text, canvas, tex=tex)
    reader.run(0, len(text), regions)
    return reader.drafts


# Pieces ---------------------------------------------------------------------------------------------


def _pieces(text: str, drafts: list[Draft], struck: list[t.Span]) -> tuple[Piece, ...]:
    return tuple(_piece(text, draft, withdrawn=is_inside(struck, draft.span[0])) for draft in drafts)


def _piece(text: str, draft: Draft, *, withdrawn: bool) -> Piece:
    if draft.kind == "heading":
        return Heading(draft.span, draft.text, draft.level)
    if draft.chain is None and draft.kind == "prose":
        return Prose(draft.span, draft.text, withdrawn)
    if draft.chain is None:
        side = Side(draft.span, None, reason=draft.text, at=draft.span[0])
        return Written(draft.span, (side,), withdrawn=withdrawn)
    chain = draft.chain
    sides = tuple(
        None if span is None else _side(text, draft, position, span) for position, span in enumerate(chain.sides)
    )
    return Written(
        draft.span, sides, chain.operators, chain.operator_spans, withdrawn or chain.struck, draft.after_words
    )


def _side(text: str, draft: Draft, position: int, span: t.Span) -> Side:
    chain = draft.chain
    is_name = chain is not None and position in chain.names
    if is_name or (position == 0 and draft.lead == "name"):
        words = " ".join(text[slice(*span)].split())
        return Side(span, t.Name(words, "text", span=span))
    notation = draft.notation
    if position == 0 and draft.lead in {"latex", "plain"}:
        notation = "latex" if draft.lead == "latex" else "plain"
    return read_side(text, *span, notation)
