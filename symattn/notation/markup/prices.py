"""Dollars of prices, which do not delimit formulas: ``it costs $5 and $6``, ``5$ or 6$``."""

from __future__ import annotations

from symattn import late

_NUMBER = late.pattern(r"[0-9][0-9.,]*")
_SCRIPT = late.pattern(r"[\\^_]")
_MATHS = late.pattern(r"[=≈<>→]")
_SAID = late.pattern(r"[.,;:)]?[ \t]{1,3}[A-Za-z][a-z]{1,40}(?![A-Za-z])")
_WORD = late.pattern(r"[A-Za-z]{2,}")


def is_money(text: str, start: int, close: int, end: int, *, again: bool = False) -> bool:
    """Return True if the dollar before `start` and that at `close` belong to prices, not to a formula.

    Args:
        text: what they stand in.
        start: behind the first.
        close: where the second stands.
        end: where the text ends.
        again: whether the first was found to stand behind a price already.

    >>> [is_money(text, 1, text.index("$", 1), len(text)) for text in ("$5 and $6 each", "$5 to buy $x$", "$5 + 6$")]
    [True, True, False]
    """
    if start > 1 and text[start - 2].isdigit() and _SAID.match(text, start, close) is not None:
        return True
    number = _NUMBER.match(text, start, close)
    if number is None or number.end() == close or _SCRIPT.search(text, start, close) is not None:
        return False
    if close + 1 < end and text[close + 1].isdigit():
        return True
    is_said = again or _WORD.search(text, start, close) is not None
    return is_said and text[close - 1].isspace() and _MATHS.search(text, start, close) is None
