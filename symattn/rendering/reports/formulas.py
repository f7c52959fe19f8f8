"""Formulas of a report: the chains of its work, read once more.

A report keeps the text alone. How the text was written is told by the ending of its name, or else by which way of
reading finds chains where the statements of the report stand.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import TYPE_CHECKING

from symattn.errors import InputError
from symattn.notation.documents.reader import Format, format_of, read_work
from symattn.notation.submission import Written
from symattn.notation.tree import nodes as t
from symattn.records import dataclass

if TYPE_CHECKING:
    from symattn.checking.report import Finding, Report

MAX_CHAIN = 1500
"""Characters of a chain that is set; a longer one is shown as text, cut around its place."""

_AS_TEXT = frozenset({"unread", "ambiguous", "withdrawn"})
"""Verdicts on what was written rather than on what it says."""

_ORDER: tuple[Format, ...] = ("md", "tex", "txt")


@dataclass(frozen=True, slots=True)
class Formula:
    """A chain as it was written: its tree, where it stands in the work, and where the signs between its sides do."""

    node: t.Node
    span: t.Span
    signs: tuple[t.Span | None, ...]


class Formulas:
    """The chains of one report."""

    def __init__(self, report: Report) -> None:
        self.chains = _chains(report)
        self.starts = [chain.span[0] for chain in self.chains]

    def of(self, finding: Finding) -> Formula | None:
        """Return the chain of a statement as a formula; None where it cannot be set, or should be seen as typed."""
        chain = _chain_around(self.chains, self.starts, finding)
        if chain is None or finding.verdict in _AS_TEXT or chain.span[1] - chain.span[0] > MAX_CHAIN:
            return None
        if any(side is not None and (side.node is None or side.implied) for side in chain.sides):
            return None
        sides = [None if side is None else side.node for side in chain.sides]
        node = sides[0] if len(sides) == 1 else t.Relation(tuple(sides), chain.operators)
        return None if node is None else Formula(node, chain.span, tuple(chain.operator_spans))


def _chain_around(chains: list[Written], starts: list[int], finding: Finding) -> Written | None:
    """Return the chain that a statement is a link of: it begins where the chain does, or at one of its signs."""
    position = bisect_right(starts, finding.place.start) - 1
    if position < 0:
        return None
    chain = chains[position]
    begins = {chain.span[0], *(start for start, _ in chain.operator_spans)}
    is_link = finding.place.start in begins and finding.place.end <= chain.span[1]
    return chain if is_link else None


def _chains(report: Report) -> list[Written]:
    if not report.findings:
        return []
    readings = [_read(report.text, form) for form in _formats(report.source)]
    return max(readings, key=lambda chains: _found(chains, report.findings)) if len(readings) > 1 else readings[0]


def _formats(source: str) -> Sequence[Format]:
    try:
        form = format_of(source)
    except InputError:
        return _ORDER
    # The text of a notebook in a report is that of its cells, most of them Markdown.
    return ("md",) if form == "ipynb" else (form,)


def _read(text: str, form: Format) -> list[Written]:
    try:
        pieces = read_work(text, form).pieces
    except InputError:
        return []
    return sorted((piece for piece in pieces if isinstance(piece, Written)), key=lambda piece: piece.span)


def _found(chains: list[Written], findings: Sequence[Finding]) -> int:
    starts = [chain.span[0] for chain in chains]
    return sum(_chain_around(chains, starts, finding) is not None for finding in findings)
