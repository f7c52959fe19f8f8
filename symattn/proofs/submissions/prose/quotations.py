"""Parts of a work that state nothing of its own: a preamble, sections that quote what is false, reports of checks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from symattn.notation.submission import Heading, Piece, Work
from symattn.notation.tree import nodes as t
from symattn.notation.tree import symbols
from symattn.proofs.submissions.phrases import read_phrases

_WORDS = read_phrases("quotations")

_SPARE = re.compile(r"\\@ifundefined\s*\{(?P<name>[A-Za-z]+)\}\s*\{")
_BODY = re.compile(r"\\begin\s*\{document\}")


def quoted_spans(work: Work) -> tuple[t.Span, ...]:
    """Return the sections whose headings announce falsehoods, or reports of computations besides the proof."""
    headings = [piece for piece in work.pieces if isinstance(piece, Heading)]
    found: list[t.Span] = []
    for number, heading in enumerate(headings):
        is_quoted = _WORDS["false"].search(heading.text) and not _WORDS["denied"].search(heading.text)
        if not is_quoted and not _WORDS["report"].match(heading.text):
            continue
        later = (other.span[0] for other in headings[number + 1 :] if other.level <= heading.level)
        found.append((heading.span[1], next(later, len(work.text))))
    return tuple(found)


def remove_quotations(work: Work) -> Work:
    """Return the work without what it does not state: blank in its place, so that everything else stays where it is."""
    body = _BODY.search(work.text)
    spans = [*quoted_spans(work), *([(0, body.end())] if body else [])]
    if not spans:
        return work
    text = work.text
    for start, end in spans:
        text = text[:start] + re.sub(r"[^\n]", " ", text[start:end]) + text[end:]
    return replace(work, text=text, pieces=tuple(piece for piece in work.pieces if not _is_in(piece, spans)))


def quoted_pieces(work: Work) -> Iterator[Piece]:
    """Yield the pieces of such sections, headings left out."""
    spans = quoted_spans(work)
    yield from (piece for piece in work.pieces if _is_in(piece, spans) and not isinstance(piece, Heading))


def remove_spare_definitions(text: str) -> str:
    r"""Return a document without definitions of commands that LaTeX has; blank in their place.

    >>> remove_spare_definitions(r"\@ifundefined{mathbb}{\newcommand{\mathbb}[1]{#1}}{} x").strip()
    '{} x'
    """
    for match in reversed(list(_SPARE.finditer(text))):
        depth, end = 1, match.end()
        while end < len(text) and depth:
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            end += 1
        if match["name"] in symbols.FONTS or match["name"] in symbols.RELATION_COMMANDS:
            text = text[: match.start()] + re.sub(r"[^\n]", " ", text[match.start() : end]) + text[end:]
    return text


def _is_in(piece: Piece, spans: tuple[t.Span, ...] | list[t.Span]) -> bool:
    return any(start <= piece.span[0] < end for start, end in spans)
