"""Matrices of bare numbers, one row below the other."""

from __future__ import annotations

from symattn import late
from symattn.notation.statements.composites import CompositeStatement, Part
from symattn.notation.tree import nodes as t

MAX_ROWS = 200
"""Rows of one matrix."""

MAX_NUMBERS = 4_000
"""Entries of one matrix; what goes on behind them begins another."""

_NUMBER = r"[-−+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]{1,4})?(?:/[0-9]+)?"
_BULLET = late.pattern(r"[ \t]*(?:[-*+•][ \t]+)?(?=[-−+.0-9])")
_SPACED = late.pattern(rf"{_NUMBER}(?:[ \t]+{_NUMBER}){{1,300}}[ \t]*")
_LISTED = late.pattern(rf"{_NUMBER}(?:[ \t]*[,;&][ \t]*{_NUMBER}){{1,300}}[ \t]*(?:[,;.]|\\\\)?[ \t]*")
_NUMERAL = late.pattern(_NUMBER)
_ENTRY = rf"(?:{_NUMBER}|[-−]?(?:inf|∞))"
_ENTRIES = late.pattern(_ENTRY)
_BRACKETED = late.pattern(
    rf"[ \t]*(?:\[|(?P<round>\())[ \t]*{_ENTRY}(?:(?:[ \t]*,[ \t]*|[ \t]+){_ENTRY}){{0,300}}[ \t]*"
    r"(?(round)\)|\])[ \t]*[,;]?[ \t]*"
)
_AWAITED = late.pattern(r".*(?:(?P<relation>[=≈])|:)[ \t]*")


def rows_at(text: str, bounds: list[t.Span], position: int) -> list[list[t.Span]]:
    r"""Return the numbers of the rows that begin at a line; none when fewer than two lines hold them.

    >>> text = "1.5 -2.5 8\n-3.5 -3.5 6\n"
    >>> [[text[slice(*span)] for span in row] for row in rows_at(text, [(0, 10), (11, 22)], 0)]
    [['1.5', '-2.5', '8'], ['-3.5', '-3.5', '6']]
    """
    bracketed = _bracketed_rows(text, bounds, position)
    if bracketed:
        return bracketed
    rows: list[list[t.Span]] = []
    kinds: set[tuple[bool, bool]] = set()
    count = 0
    for low, high in bounds[position : position + MAX_ROWS]:
        if high - low > 4_000 or count > MAX_NUMBERS:
            break
        bullet = _BULLET.match(text, low, high)
        if bullet is None:
            break
        begin = bullet.end()
        spaced = _SPACED.fullmatch(text, begin, high)
        if spaced is None and _LISTED.fullmatch(text, begin, high) is None:
            break
        kinds.add((spaced is None, bool(text[low:begin].strip())))
        if len(kinds) > 1:
            break
        rows.append([found.span() for found in _NUMERAL.finditer(text, begin, high)])
        count += len(rows[-1])
    return rows if len(rows) > 1 and len(kinds) == 1 else []


def _bracketed_rows(text: str, bounds: list[t.Span], position: int) -> list[list[t.Span]]:
    """Return the rows below ``QK^T =`` in brackets of their own: ``[ 1 0 ]`` and below it ``[ 1 2 ]``."""
    low, high = bounds[position]
    if not position or high - low > 4_000 or text[low:high].lstrip()[:1] not in {"[", "("}:
        return []
    above = bounds[position - 1]
    awaited = _AWAITED.fullmatch(text, *above) if above[1] - above[0] <= 400 else None
    if awaited is None:
        return []
    rows: list[list[t.Span]] = []
    for low, high in bounds[position : position + MAX_ROWS]:
        if high - low > 4_000 or _BRACKETED.fullmatch(text, low, high) is None:
            break
        rows.append([found.span() for found in _ENTRIES.finditer(text, low, high)])
    if len(rows) < 2 or len({len(row) for row in rows}) > 1 or (len(rows[0]) == 1 and not awaited["relation"]):
        return []
    return rows


def build_statement(rows: list[list[t.Span]]) -> CompositeStatement:
    """Build the statement of a matrix from rows of numbers."""
    reason, at = "", 0
    width = len(rows[0])
    for number, row in enumerate(rows, 1):
        if len(row) != width and not reason:
            reason = f"Row {number} has {len(row)} entries and row 1 has {width}: write as many in each."
            at = row[0][0]
    return CompositeStatement(tuple(tuple(Part(span, "plain") for span in row) for row in rows), reason=reason, at=at)
