"""Blocks of lines of running text: headings, bullets, and the extent of a statement over several lines."""

from __future__ import annotations

import re
from functools import cached_property

from symattn import late
from symattn.notation.lexicon.reader import said
from symattn.notation.markup.spans import line_spans, strip_span
from symattn.notation.tables.labels import says_something
from symattn.notation.tables.number_rows import rows_at
from symattn.notation.tree import nodes as t

_MAX_LINES = 200
"""Lines that an open bracket may reach over."""

_STEP = late.pattern(
    r"(?P<label>(?:\*\*|__)?(?:"
    r"(?-i:Q[ \t]?\d{1,2}(?:[a-z]|(?=[.)])))"
    r"|(?P<noun>[^\W\d_]{2,12})\.?[ \t]?(?P<number>\d{1,3}[a-z]?|[a-z]|[ivx]{1,4}))"
    r"(?:\*\*|__)?[ \t]{0,3}(?:[.)]|[-–—](?=[ \t]))?(?:\*\*|__)?)[ \t]{1,4}"
    r"(?=[A-Za-z]{1,2}(?:(?P<index>_?\{?\d)|_?\{|_[A-Za-z]|\[)[^\s=≈]{0,20}[ \t]{0,4}[=≈]"
    r"|(?P<bare>[A-Za-z](?:\^T|')?[ \t]{0,4}[=≈])|(?<=\)[ \t])[^\W\d_][^\n=≈]{0,60}[=≈])",
    re.IGNORECASE,
)
"""A label before a statement: ``**Step 6** O_3 = …``; one that names a line, before an entry or a line."""

_HASHES = late.pattern(r"[ \t]{0,3}(#{1,6})[ \t]+(?=\S)")
_UNDERLINE = late.pattern(r"[ \t]{0,3}(?:={2,}|-{2,})[ \t]*")
_BOLD_LINE = late.pattern(r"[ \t]*(?:\*\*|__)(?P<inner>[^*_\n].{0,120}?)(?:\*\*|__)[ \t]*[:.]?[ \t]*")
_NUMBERED = late.pattern(r"[ \t]*\d{1,2}(?:\.\d{1,2}){0,4}[ \t]+(?=[A-Z])[^.!?\n]{1,70}")
_OPENS = late.pattern(r"[(\[{]|\\begin\s?\{|[)\]}]|\\end\s?\{")
BULLET = late.pattern(
    r"[ \t\u3000]*(?:(?:(?:[-*+–‣]|\d{1,3}[.)]|\([A-Za-z0-9]{1,4}\)|[A-Za-z][.)]|\\item(?:\[[^\]\n]{0,40}\])?)(?=\s|$)"
    r"|[・･‧ㆍ•▪●■◆])[ \t]*"
    r"(?:\[[ xX]\][ \t]+)?)"
)
RELATION = late.pattern(r"[=≈≃→⇒≡<>∈≤≥~]|->|\\(?:approx|to|in|sim)(?![a-z])")
_ARROW = late.pattern(r"(?<![ \t])[ \t]+(?:->|→)[ \t]+(?=[^\W\d_])")
STARTS_VALUE = late.pattern(r"[ \t]*(?:[\[(0-9.\-−+]|tensor\b|array\b|np\.|torch\.|Matrix\b|\\begin\{[a-zA-Z]*matrix)")
LABELLED_NUMBERS = late.pattern(r"[ \t]{0,9}(?:[-*+•][ \t]+)?[^\W\d_][^\n:=≈|$]{0,30}:[ \t]*[\[(]?[ \t]*[-−]?[.\d]")
"""A label and the first number behind it."""

_TITLE_LENGTH = 6
"""Words of a title."""

_ADDS = late.pattern(r"(?:[ \t]*\+[ \t]*[0-9.]+[ \t]*[·×*⋅]|[ \t]+\+)[ \t]*[\[(]")
LIST_ROW = late.pattern(r"[ \t]*(?:\[|tensor|array|np\.|torch\.|\(\s*-?[0-9.]+\s*,)")


class LineBlock:
    """Consecutive lines of running text.

    Args:
        text: the document.
        start: where they begin.
        end: where they end.
    """

    def __init__(self, text: str, start: int, end: int) -> None:
        self.text = text
        self.spans = line_spans(text, start, end)

    def __len__(self) -> int:
        return len(self.spans)

    def has_text(self, position: int) -> bool:
        """Return True if there is such a line, and it is not empty."""
        return position < len(self) and bool(self.text[slice(*self.spans[position])].strip())

    def rows(self, position: int) -> list[list[t.Span]]:
        """Return the numbers of the rows of a matrix that begin at a line."""
        return rows_at(self.text, self.spans, position)

    @cached_property
    def closing(self) -> list[int]:
        """Return, for each line, the line that closes the brackets left open in it; itself when none does."""
        return _closing_lines(self.text, self.spans)

    # Headings -----------------------------------------------------------------------------------------

    def heading(self, position: int) -> tuple[t.Span, int] | None:
        r"""Return the span of the words of a heading, and its level; None for any other line.

        >>> lines = LineBlock("## Scores\n\nWeights\n=======\nA = 1", 0, 33)
        >>> lines.heading(0), lines.heading(2), lines.heading(4)
        (((3, 9), 2), ((11, 18), 1), None)
        """
        low, high = self.spans[position]
        hashes = _HASHES.match(self.text, low, high)
        if hashes:
            return (hashes.end(), high), len(hashes[1])
        bold = _BOLD_LINE.fullmatch(self.text, low, high)
        if bold and "**" not in bold["inner"]:
            return bold.span("inner"), 5
        underlined = self.underline_level(position)
        if underlined:
            return (low, high), underlined
        line = self.text[low:high].strip()
        arrows = list(_ARROW.finditer(self.text, low, high))
        if RELATION.search(line if not arrows else _ARROW.sub("", line)) or len(line) > 80:
            return None
        if arrows:  # "Softmax -> weights": the weights stand below
            return ((arrows[-1].end(), high), 6) if self._is_title(position) else None
        is_introduction = position + 1 < len(self) and BULLET.match(self.text, *self.spans[position + 1]) is not None
        most = 14 if is_introduction else 8
        is_short = line.endswith(":") and len(line.split()) <= most and not line.startswith("|")
        if is_short and any(character.isalnum() for character in line):
            bullet = BULLET.match(self.text, low, high)
            return (bullet.end() if bullet else low, strip_span(self.text, low, high)[1] - 1), 6
        if self._is_title(position):
            bullet = BULLET.match(self.text, low, high)
            return (bullet.end() if bullet else low, high), 6
        is_alone = not (position and self.has_text(position - 1)) and not self.has_text(position + 1)
        if is_alone and _NUMBERED.fullmatch(self.text, low, high):
            return (low, high), line.split()[0].count(".") + 1
        return None

    def _is_title(self, position: int) -> bool:
        """Return True for a few words for a quantity, ``d) Outputs``, right above a line with a label and numbers."""
        is_first = not (position and self.has_text(position - 1)) and position + 1 < len(self)
        if not is_first or LABELLED_NUMBERS.match(self.text, *self.spans[position + 1]) is None:
            return False
        words = self.text[slice(*self.spans[position])].strip()
        is_short = len(words.split()) <= _TITLE_LENGTH and ":" not in words and words[-1] not in ".,;!?|"
        return is_short and says_something(words)

    def underline_level(self, position: int) -> int:
        """Return the heading level that the line below gives a line; 0 when it does not underline it."""
        if position + 1 >= len(self) or (position and self.has_text(position - 1)):
            return 0
        line, below = (self.text[slice(*span)] for span in self.spans[position : position + 2])
        line = line.strip()
        if not _UNDERLINE.fullmatch(below) or len(line) > 100 or RELATION.search(line) or line[0] in "|[-*#>":
            return 0
        return 1 if "=" in below else 2

    # Statements ---------------------------------------------------------------------------------------

    def step_label(self, begin: int, end: int) -> t.Span | None:
        """Return the span of a step label before a statement; None without one.

        >>> text = "Step 6 O_3 = 1"
        >>> LineBlock(text, 0, len(text)).step_label(0, len(text))
        (0, 7)
        """
        has_value = any(self.text.find(sign, begin, end) >= 0 for sign in "=≈")
        found = _STEP.match(self.text, begin, end) if has_value else None
        if found is None:
            return None
        if found["noun"] is not None:
            names = {"line"} if found["index"] else set[str]()
            items = said(f"{found['noun']} {found['number']}")
            if not any(item.name == "label" or item.kind in names for item in items):
                return None
        return begin, found.end()

    def last_of(self, position: int) -> int:
        r"""Return the last line of a statement: that of its brackets, or of the value after its last relation.

        >>> lines = LineBlock("S = [[1, 0],\n [0, 1]]\nA =\n\n[[1, 0], [0, 1]]", 0, 43)
        >>> lines.last_of(0), lines.last_of(2)
        (1, 4)
        """
        last = self.closing[position]
        while last + 1 < len(self) and self._matches(_ADDS, last + 1) and self._ends_in_list(last):
            last = self.closing[last + 1]
        if last + 1 < len(self) and self.rows(last + 1):
            return last
        if last + 2 < len(self) and not self.has_text(last + 1):
            # The value of ``S = Q K^T =`` may stand below an empty line.
            is_open = self.text[slice(*self.spans[last])].rstrip().endswith(("=", "≈"))
            return self.closing[last + 2] if is_open and self._matches(LIST_ROW, last + 2) else last
        if last + 1 >= len(self) or not self._matches(STARTS_VALUE, last + 1):
            return last
        low, high = self.spans[last]
        tail = self.text[max(low, high - 200) : high].rstrip()
        goes_on = tail.endswith(("=", "≈")) or (tail.endswith(":") and self._matches(LIST_ROW, last + 1))
        return self.closing[last + 1] if goes_on else last

    def _matches(self, pattern: re.Pattern[str], position: int) -> bool:
        return pattern.match(self.text, *self.spans[position]) is not None

    def _ends_in_list(self, position: int) -> bool:
        return self.text[slice(*self.spans[position])].rstrip().endswith(("]", ")"))


def _closing_lines(text: str, bounds: list[t.Span]) -> list[int]:
    """Return, for each line, the line that closes the brackets left open in it; itself when none does.

    One pass: the sums of opened less closed brackets, and for each the next of at most the same size.
    """
    total, sums = 0, []
    for low, high in bounds:
        for found in _OPENS.finditer(text, low, high):
            sign = found.group()
            total += 1 if sign[0] in "([{" or sign.startswith("\\b") else -1
        sums.append(total)
    closing = list(range(len(bounds)))
    waiting: list[tuple[int, int]] = []
    for position, now in enumerate(sums):
        while waiting and now <= waiting[-1][0]:
            _, opened = waiting.pop()
            if position - opened <= _MAX_LINES:
                closing[opened] = position
        before = sums[position - 1] if position else 0
        if now > before:
            waiting.append((before, position))
    return closing
