r"""A key read back: every judged line of its source taken out, read, and judged again.

A line is judged when it ends in a comment ``% symattn: NOTE``. What stands before the comment is one
formula, with the layout around it (``\[``, ``$``, ``&``, ``\\``), or the sentence or edge of a claim.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from symattn.derivation.claims import Claim, Weights, claim_from_note, prove_claim
from symattn.derivation.judge import judge
from symattn.derivation.scene import Scene
from symattn.derivation.statement import Statement, from_note
from symattn.errors import InputError, NotationError
from symattn.notation.latex_reader import read_latex
from symattn.rendering.latex import MARK


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
    """What reading back found about one judged line: nothing when `reasons` is empty.

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
        """Whether the line is true and as prescribed."""
        return not self.reasons


_LEADING = re.compile(r"(?:\\\[|\$|&|\s|\\symattnfit\{)*")
_TRAILING = re.compile(r"(?:\\\]|\$|&|\\\\|\\qquad|\s|[.,;])*\Z")


def marked_lines(tex: str) -> Iterator[Marked]:
    """The judged lines of a document, in order."""
    for number, line in enumerate(tex.split("\n"), 1):
        before, mark, note = line.partition(MARK)
        if mark and not before.endswith("\\"):
            start = match.end() if (match := _LEADING.match(before)) else 0
            body = before[start:]
            end = _TRAILING.search(body)
            source = body[: end.start()] if end else body
            yield Marked(number, start + 1, source, note.strip())


def _without_alignment(source: str) -> str:
    """The formula with the ``&`` that aligns it, outside every environment, as a space of one character."""
    depth, pieces, position = 0, [], 0
    for found in re.finditer(r"\\begin\{|\\end\{|\\.|&", source):
        token = found.group()
        depth += (token == "\\begin{") - (token == "\\end{")
        if token == "&" and depth == 0:
            pieces.append(source[position : found.start()] + " ")
            position = found.end()
    return "".join(pieces) + source[position:]


def read_back(tex: str, scene: Scene, weights: Weights | None) -> list[Finding]:
    """Judges every marked line of a key again, from its source alone.

    Args:
        tex: the source of the key.
        scene: the quantities of its problem.
        weights: the weights that its claims are about, None where symbols leave them open.
    """
    return [_finding(marked, scene, weights) for marked in marked_lines(tex)]


def _finding(marked: Marked, scene: Scene, weights: Weights | None) -> Finding:
    whole = (marked.column, marked.column + max(len(marked.source) - 1, 0))
    claim = claim_from_note(marked.note)
    if claim is not None:
        reason = _claim_fault(claim, weights)
        return Finding(marked, (whole,) if reason else (), (reason,) if reason else ())
    try:
        written = read_latex(_without_alignment(marked.source))
        judgement = judge(from_note(marked.note, written), scene)
    except (InputError, NotationError) as error:
        return Finding(marked, (whole,), (str(error),))
    places = tuple(
        whole if fault.span is None else (marked.column + fault.span[0], marked.column + fault.span[1] - 1)
        for fault in judgement.faults
    )
    return Finding(marked, places, tuple(fault.reason for fault in judgement.faults))


def _claim_fault(claim: Claim, weights: Weights | None) -> str:
    if weights is None:
        return "the order of the weights is open while a symbol is free"
    try:
        return "" if prove_claim(claim, weights) else f"the claim {claim.note!r} does not hold"
    except InputError as error:
        return str(error)


def unproved(statements: list[Statement], claims: list[Claim], scene: Scene, weights: Weights | None) -> list[str]:
    """The statements and claims that the judge does not prove, each with the reason."""
    found: list[str] = []
    for statement in statements:
        judgement = judge(statement, scene)
        found.extend(f"{statement.note}: {fault.reason}" for fault in judgement.faults)
    for claim in claims:
        reason = _claim_fault(claim, weights)
        if reason:
            found.append(reason)
    return found
