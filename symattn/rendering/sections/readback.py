r"""A key read back: every judged line of its source taken out, read, and judged again.

A line is judged when it ends in a comment ``% symattn: NOTE``. What stands before the comment is one
formula, with the layout around it (``\[``, ``$``, ``&``, ``\\``), or the sentence or edge of a claim, whose
numbers are those of the claim.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product

from symattn.errors import InputError
from symattn.graph.key_judge.claims import AS_SHOWN, OF_A_LINE, Claim, Weights, claim_fault, claim_from_note
from symattn.graph.key_judge.judge import judge
from symattn.graph.quantities.scene import Scene
from symattn.graph.quantities.statement import from_note
from symattn.languages.catalogue import ENGLISH, Words
from symattn.notation.parser import latex
from symattn.notation.tree.nodes import Span
from symattn.notation.tree.wellformed import check
from symattn.records import dataclass
from symattn.rendering.content import LEVELS, Proved
from symattn.rendering.latex.typesetting import MARK
from symattn.rendering.latex.widths import LINE
from symattn.rendering.proofs import in_key
from symattn.rendering.proofs.chains import MARK as PROOF_MARK
from symattn.rendering.sections.conventions import rounding_words


@dataclass(frozen=True, slots=True)
class Marked:
    """One judged line of a key.

    Attributes:
        line: its number in the document, from 1.
        column: where its formula begins, from 1.
        source: the formula, without the layout around it.
        note: what it is about.
    """

    line: int
    column: int
    source: str
    note: str


@dataclass(frozen=True, slots=True)
class Finding:
    """Judgement of one line read back: proved when `reasons` is empty.

    Attributes:
        marked: the line.
        places: where each reason stands, as (first column, last column) of the line, from 1.
        reasons: why it is not proved, one for each place.
    """

    marked: Marked
    places: tuple[tuple[int, int], ...]
    reasons: tuple[str, ...]

    @property
    def proved(self) -> bool:
        """True if the line is true and as prescribed."""
        return not self.reasons


_FIT = "\\symattnfit{"
_LEADING = re.compile(r"(?:\\\[|\$|&|\s|\\symattnfit\{[0-9.]+\}\{)*")
_TRAILING = re.compile(r"(?:\\\]|\$|&|\\\\|\\qquad|\s|[.,;])*\Z")


def marked_lines(tex: str) -> Iterator[Marked]:
    """Yield the judged lines of a document, in order."""
    for number, line in enumerate(tex.split("\n"), 1):
        before, mark, note = line.partition(MARK)
        if mark and not before.endswith("\\"):
            start = match.end() if (match := _LEADING.match(before)) else 0
            body = before[start:]
            end = _TRAILING.search(body)
            source = body[: end.start()] if end else body
            if _FIT in before[:start] and source.endswith("}"):
                source = source[:-1]
            yield Marked(number, start + 1, source, note.strip())


def _without_alignment(source: str) -> str:
    """Return the formula with the ``&`` that aligns it, outside every environment, as a space of one character."""
    depth, pieces, position = 0, [], 0
    for found in re.finditer(r"\\begin\{|\\end\{|\\.|&", source):
        piece = found.group()
        depth += (piece == "\\begin{") - (piece == "\\end{")
        if piece == "&" and depth == 0:
            pieces.append(source[position : found.start()] + " ")
            position = found.end()
    return "".join(pieces) + source[position:]


def read_back(tex: str, scene: Scene, weights: Mapping[int, Weights], words: Words = ENGLISH) -> list[Finding]:
    """Judge every marked line of a key again, from its source alone.

    Args:
        tex: the source of the key.
        scene: the quantities of its problem.
        weights: the weights that its claims are about, by head; none where symbols leave them open.
        words: the fixed texts of its language.
    """
    return [_finding(marked, scene, weights, words) for marked in marked_lines(tex)]


def _finding(marked: Marked, scene: Scene, weights: Mapping[int, Weights], words: Words) -> Finding:
    claim = claim_from_note(marked.note)
    if claim is not None:
        reason = claim_fault(claim, weights)
        found = [(_place(marked, None), reason)] if reason else []
        found.extend((_place(marked, span), told) for span, told in _told_faults(marked.source, claim, scene, words))
        return Finding(marked, tuple(place for place, _ in found), tuple(told for _, told in found))
    try:
        written = latex.read_latex(_without_alignment(marked.source))
        check(written)  # what could not be written again is not prescribed, and cannot be shown in a reason
        faults = judge(from_note(marked.note, written), scene).faults
    except (InputError, ValueError) as error:
        return Finding(marked, (_place(marked, None),), (str(error),))
    places = tuple(_place(marked, fault.span) for fault in faults)
    return Finding(marked, places, tuple(fault.reason for fault in faults))


def _place(marked: Marked, span: Span | None) -> tuple[int, int]:
    """Return the columns of a piece of a formula, or of all of it."""
    start, end = span or (0, len(marked.source))
    return marked.column + start, marked.column + max(end - 1, start)


_NUMERAL = re.compile(r"-?\d+(?:\.\d+)?", re.ASCII)
_FROM_ONE = re.compile(r"(?<![\d.-])1(?=, \\ldots, \d)", re.ASCII)
_DRAWN = "\\draw"
_OPTIONS = re.compile(r"\[[^\]]*\]")
_EDGE = re.compile(r"\(i(\d+)\) -- \(o(\d+)\)", re.ASCII)


def _told_faults(source: str, claim: Claim, scene: Scene, words: Words) -> list[tuple[Span | None, str]]:
    """Return the differences between a sentence or an edge and its claim; none for an unknown source."""
    if not source:
        return []
    if source.startswith(_DRAWN):
        return _edge_faults(source, claim)
    # In the key of one head alone, its weights have the name without a number.
    shown = scene.quantities.get(f"A^{claim.head}" if claim.head else "A") or scene.quantities.get("A")
    if shown is None or shown.head != claim.head:
        return [(None, f"there is no head {claim.head}")]
    if claim.kind in AS_SHOWN:
        digits = rounding_words(words, shown.display)
        source, found = re.subn(rf"(?<![\d.]){re.escape(digits)}", lambda said: " " * len(said[0]), source, count=1)
        if not found:
            return [(None, f"the sentence does not say {digits!r}")]
    numbers = list(_NUMERAL.finditer(_FROM_ONE.sub(" ", source)))
    texts = [number.group() for number in numbers]
    wanted = [str(number) for number in claim.numbers]
    if claim.kind in OF_A_LINE and len(texts) == len(wanted) - 1:
        # which output is meant was said before
        wanted = wanted[1:]
    if len(texts) != len(wanted):
        return [(None, f"the sentence does not say the numbers {' '.join(wanted)}")]
    pairs = zip(numbers, wanted, strict=True)
    return [(found.span(), f"the claim says {number} here") for found, number in pairs if found.group() != number]


def _edge_faults(source: str, claim: Claim) -> list[tuple[Span | None, str]]:
    """Compare an edge with its claim: ``(i3) -- (o1)`` draws a weight of output 1 at input 3."""
    line, *positions = map(str, claim.numbers or (0,))
    bare = _OPTIONS.sub(lambda options: " " * len(options.group()), source)
    edges = list(_EDGE.finditer(bare))
    if len(edges) != len(positions) or len(_NUMERAL.findall(bare)) != 2 * len(edges):
        return [(None, f"the edges are not the {len(positions)} of the claim")]
    return [
        (edge.span(group), f"the claim says {number} here")
        for edge, position in zip(edges, positions, strict=True)
        for group, number in ((1, position), (2, line))
        if edge.group(group) != number
    ]


# Proofs -------------------------------------------------------------------------------------------


def read_proofs(tex: str, items: Sequence[Proved], widths: Iterable[float] = (LINE,)) -> list[Finding]:
    """Return every marked line of the proofs of a key, compared with what the record says at that place.

    Args:
        tex: the source of the key.
        items: the theorems of the key, proved.
        widths: the widths of a line for which a key may have been written.
    """
    known = _known_lines(items, tuple(widths))
    found = []
    for number, line in enumerate(tex.split("\n"), 1):
        source, mark, note = line.rpartition(PROOF_MARK)
        if mark:
            marked = Marked(number, 1, source.rstrip(), note.strip())
            is_known = (marked.note, marked.source) in known
            places = () if is_known else ((1, max(len(marked.source), 1)),)
            reasons = () if is_known else ("the record of the proof says something else here",)
            found.append(Finding(marked, places, reasons))
    return found


def _known_lines(items: Iterable[Proved], widths: Iterable[float]) -> set[tuple[str, str]]:
    """Return marks with the lines that may stand before them, in every width and detail, and ends of displays."""
    texts: list[str] = []
    for item, line in product(items, widths):
        if item.is_fact:
            texts += in_key.fact(item, line)
            continue
        for detail in LEVELS:
            _, page = in_key.theorem(replace(item, detail=None), detail, line)
            texts += [page.claims, page.auxiliary, *(text for part in page.parts for text in part.lines)]
    pairs = [line.rpartition(PROOF_MARK) for text in texts for line in text.split("\n")]
    return {(note.strip(), source.rstrip()) for source, mark, note in pairs if mark}
