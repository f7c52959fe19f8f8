r"""Detection of formulas by their delimiters: ``$``, ``$$``, ``\(``, ``\[`` and environments.

A formula that is not closed ends with its paragraph, or where the next one opens, and is told apart.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right

from symattn import late
from symattn.notation.markup.masking import Canvas, Region
from symattn.notation.markup.prices import is_money
from symattn.notation.markup.spans import Ahead, brace_pairs
from symattn.notation.tree import nodes as t
from symattn.records import dataclass

_ENVIRONMENTS = (
    r"(?:align|aligned|alignat|alignedat|split|gather|gathered|equation|eqnarray|displaymath|multline|flalign"
    r"|IEEEeqnarray|math|dmath)\*?"
)
_MARK = late.pattern(
    r"(?P<paragraph>\n[ \t]*(?=\n))"
    r"|(?P<open2>\\\\[(\[](?![ \t]*-?[0-9.]+[ \t]*(?:pt|em|ex|mm|cm|in)\]))|(?P<close2>\\\\[)\]])"
    r"|(?P<skip>\\\\|\\\$)"
    r"|(?P<open>\\[(\[])|(?P<close>\\[)\]])"
    r"|\\begin\s{0,3}\{(?P<begin>" + _ENVIRONMENTS + r")\}"
    r"|\\end\s{0,3}\{(?P<end>" + _ENVIRONMENTS + r")\}"
    r"|(?P<dollars>\$\$)|(?P<dollar>\$)"
)
_MATHS = late.pattern(r"[\\^_=≈<>→]")
_TWO_WORDS = late.pattern(
    r"(?<![\\A-Za-z{])[a-z]{3,}[ \t]+[a-z]{3,}|(?<![\\A-Za-z{])[a-z]{2,}[ \t]+[a-z]{2,}[ \t]+[a-z]{2,}"
)
_PUNCTUATION = frozenset(".,;:!?)]}'\"-–—*_~`|&%")
_PARTNER = {"(": ")", "[": "]"}


@dataclass(frozen=True, slots=True)
class _Mark:
    kind: str
    start: int
    end: int
    name: str


def formulas(text: str, start: int, end: int, *, tex: bool) -> list[Region]:
    """Return the formulas of ``text[start:end]``, in order.

    Args:
        text: the document, marks of Markdown blanked.
        start: where to begin.
        end: where to stop.
        tex: whether dollars are delimiters, as in TeX, or also money, as in Markdown; where a price stands
            plainly behind each dollar, it is money in either.
    """
    marks: list[_Mark] = []
    for sign in _MARK.finditer(text, start, end):
        marks.append(_Mark(sign.lastgroup or "", *sign.span(), sign["begin"] or sign["end"] or sign.group()[-1]))
        if sign["dollars"]:
            marks.append(_Mark("half", sign.start() + 1, sign.end(), ""))
    found = _without_text(text, _Finder(text, end, marks, tex=tex).run(), tex=tex)
    bare = bare_matrices(text, start, end, found, tex=tex)
    return sorted([*found, *bare], key=lambda region: region.start) if bare else found


class _Finder:
    def __init__(self, text: str, end: int, marks: list[_Mark], *, tex: bool) -> None:
        self.text = text
        self.end = end
        self.marks = marks
        self.tex = tex
        self.position = 0
        self.money = -1
        self.found: list[Region] = []

    def run(self) -> list[Region]:
        while self.position < len(self.marks):
            mark = self.marks[self.position]
            match mark.kind:
                case "dollar":
                    self._dollar(mark)
                case "dollars":
                    self._dollars(mark)
                case "open" | "open2":
                    self._bracket(mark)
                case "begin":
                    self._environment(mark)
                case _:
                    self.position += 1
        return self.found

    def _close(self, mark: _Mark, closed: _Mark, position: int, *, inline: bool) -> None:
        self.found.append(Region("formula", mark.start, closed.end, (mark.end, closed.start), inline=inline))
        self.position = position + 1

    def _broken(self, mark: _Mark, end: int, position: int, closing: str) -> None:
        """Record an unclosed formula: everything up to `end` is one region that cannot be read."""
        shown = self.text[mark.start : mark.end]
        reason = f"The formula that {shown} opens is not closed: write {closing} at its end."
        inner = (mark.end, end) if self.text[mark.end : end].strip() else (mark.start, mark.end)
        self.found.append(Region("broken", mark.start, end, inner, reason=reason))
        self.position = max(position, self.position + 1)

    def _dollar(self, mark: _Mark) -> None:
        following = self.position + 1
        closed = None
        for position in range(following, len(self.marks)):
            other = self.marks[position]
            if other.kind == "paragraph":
                break
            if other.kind == "dollars":  # $a$$b$: two formulas side by side
                middle = other.start + 1
                other = self.marks[position] = _Mark("dollar", other.start, middle, "$")
                self.marks[position + 1] = _Mark("dollar", middle, self.marks[position + 1].end, "$")
            if other.kind == "dollar":
                closed = other
                following = position
                break
        if closed is None:
            self._open_dollar(mark)
        elif is_money(self.text, mark.end, closed.start, self.end, again=self.money == mark.start):
            self.money = closed.start
            self.position += 1
        elif self._is_formula(mark, closed):
            self._close(mark, closed, following, inline=True)
        elif _MATHS.search(self.text, mark.end, closed.start) and not self.text[mark.end].isspace():
            self._broken(mark, closed.start, following, "$")
        else:
            self.position += 1

    def _open_dollar(self, mark: _Mark) -> None:
        line = self.text.find("\n", mark.end, self.end)
        line = self.end if line < 0 else line
        if not self.text[mark.end : mark.end + 1].strip() or not _MATHS.search(self.text, mark.end, line):
            self.position += 1
            return
        position = self.position
        while position < len(self.marks) and self.marks[position].start < line:
            position += 1
        self._broken(mark, line, position, "$")

    def _is_formula(self, mark: _Mark, closed: _Mark) -> bool:
        inside = self.text[mark.end : closed.start]
        if not inside.strip() or self._reopens(mark, closed):
            return False
        if self.tex:
            return True
        following = self.text[closed.end : closed.end + 1]
        if not inside[0].isspace() and not inside[-1].isspace() and not following.isdigit():
            return True
        one_line = "\n" not in inside
        return (
            one_line
            and not _TWO_WORDS.search(inside)
            and (_MATHS.search(inside) is not None or (len(inside) < 12 and inside[0].isspace()))
        )

    def _reopens(self, mark: _Mark, closed: _Mark) -> bool:
        """Return True if the closing mark begins a line of its own and opens the formula that follows there."""
        line = self.text.rfind("\n", mark.end, closed.start)
        if line < 0 or self.text[line : closed.start].strip() or not self.text[mark.end : line].strip():
            return False
        if not self.text[mark.end : self.text.find("\n", mark.end)].strip():
            return False  # the formula itself began on a new line
        following = self.text[closed.end : closed.end + 1]
        return bool(following.strip()) and following not in _PUNCTUATION

    def _dollars(self, mark: _Mark) -> None:
        started = not self.text[mark.end : self._line_end(mark.end)].strip()
        for position in range(self.position + 1, len(self.marks)):
            other = self.marks[position]
            if other.kind == "paragraph":
                inside = self.text[mark.end : other.start].strip()
                alone = self._alone_after(other)
                if (started and not inside) or (inside and alone):
                    continue
                self._broken(mark, other.start, position, "$$")
                return
            if other.kind == "dollars":
                if self._reopens(mark, other):
                    self._broken(mark, other.start, position, "$$")
                else:
                    self._close(mark, other, position, inline=False)
                return
        self._broken(mark, self.end, len(self.marks), "$$")

    def _line_end(self, position: int) -> int:
        end = self.text.find("\n", position, self.end)
        return self.end if end < 0 else end

    def _alone_after(self, paragraph: _Mark) -> bool:
        """Return True if the next thing after an empty line is ``$$`` alone on its line."""
        found = _ALONE.match(self.text, paragraph.end, min(self.end, paragraph.end + 200))
        return found is not None

    def _bracket(self, mark: _Mark) -> None:
        kind = "close2" if mark.kind == "open2" else "close"
        for position in range(self.position + 1, len(self.marks)):
            other = self.marks[position]
            if other.kind == kind and other.name == _PARTNER[mark.name]:
                self._close(mark, other, position, inline=mark.name == "(")
                return
            if other.kind == "paragraph" or (other.kind == mark.kind and other.name == mark.name):
                self._broken(mark, other.start, position, self.text[mark.start : mark.end - 1] + _PARTNER[mark.name])
                return
        self._broken(mark, self.end, len(self.marks), self.text[mark.start : mark.end - 1] + _PARTNER[mark.name])

    def _environment(self, mark: _Mark) -> None:
        level = 0
        boundary, boundary_position = self.end, len(self.marks)
        crossed = 0
        for position in range(self.position, len(self.marks)):
            other = self.marks[position]
            if other.name == mark.name and other.kind in {"begin", "end"}:
                level += 1 if other.kind == "begin" else -1
                if not level:
                    whole = Region("formula", mark.start, other.end, (mark.start, other.end))
                    self.found.append(whole)
                    self.position = position + 1
                    return
            elif other.kind == "paragraph":
                crossed += 1
                if crossed == 1:
                    boundary, boundary_position = other.start, position
            if crossed > 20 or (crossed and other.kind in {"begin", "dollar", "dollars", "open"}):
                break
        self._broken(mark, boundary, boundary_position, f"\\end{{{mark.name}}}")


_ALONE = late.pattern(r"\s*\$\$[ \t]*(?:\n|$)")

# Text between the lines of a display ----------------------------------------------------------------

_TEXT = late.pattern(r"\\(?:short)?intertext\s{0,4}(?=\{)")
_BEGINS = late.pattern(r"\s{0,20}\\begin\s{0,3}\{" + _ENVIRONMENTS + r"\}(?:\{[^{}\n]{0,20}\})?")
_ENDS = late.pattern(r"\\end\s{0,3}\{" + _ENVIRONMENTS + r"\}\s{0,20}\Z")


def _without_text(text: str, regions: list[Region], *, tex: bool) -> list[Region]:
    r"""Split displays at ``\intertext{…}``, whose words are running text, perhaps with formulas of their own.

    >>> text = r"\begin{align} a &= 1 \intertext{and, as $c = 3$,} b &= 2 \end{align}"
    >>> [text[slice(*region.inner)].strip() for region in formulas(text, 0, len(text), tex=True)]
    ['a &= 1', 'c = 3', 'b &= 2']
    """
    found: list[Region] = []
    pairs: dict[int, int] | None = None
    for region in regions:
        texts = [] if region.inline or region.kind != "formula" else [*_TEXT.finditer(text, *region.inner)]
        pairs = brace_pairs(text) if texts and pairs is None else pairs
        ends = [-1 if pairs is None else pairs.get(at.end(), -1) for at in texts]
        spans = [(at.start(), at.end() + 1, end) for at, end in zip(texts, ends, strict=True)]
        spans = [span for span in spans if 0 <= span[2] < region.inner[1]]
        found.extend(_split(text, region, spans, tex=tex) if spans else [region])
    return found


def _split(text: str, region: Region, spans: list[tuple[int, int, int]], *, tex: bool) -> list[Region]:
    """Return the formulas around and in some texts: for each where its command, its words and its end stand."""
    found: list[Region] = []
    start, (low, high) = region.start, region.inner
    while (begins := _BEGINS.match(text, low, high)) is not None:
        low = begins.end()
        last = text.rfind("\\end", low, high)
        high = high if last < 0 or _ENDS.match(text, last, high) is None else last
    for command, words, end in spans:
        found.append(Region("formula", start, words, (low, command)))
        found.extend(formulas(text, words, end, tex=tex))
        start, low = end, end + 1
    return [*found, Region("formula", start, region.end, (low, high))]


# Formulas side by side -----------------------------------------------------------------------------

_JOINT = late.pattern(r"[ \t]*(?:[=≈≃→<>≤≥+\-−*/·×]|:=|->|~=|=>)?[ \t]*")
_TIGHT = late.pattern(r"[\u00b0\u2022\u2190-\u22ff\u2500-\u27ff\u2900-\u2bff\u30fb]")
"""A sign between two formulas without a blank, known or not: what stands on both sides is one formula."""

_TAIL = late.pattern(r"[ \t]*(?:[=≈→]|:=|->|~=)[^A-Za-z$`\\\n|]*[0-9)\]][^A-Za-z$`\\\n|]*(?=\n|$)")
_CONTINUES = late.pattern(
    r"[ \t\n]*(?:\\begin|\\left|[(\[0-9+=≈→]|\\(?:approx|to|cdot|times|frac|simeq|in)(?![A-Za-z]))"
)
_RELATION = late.pattern(r"[=≈→]|\\approx|\\to(?![a-z])")


def merge_adjacent(text: str, regions: list[Region], canvas: Canvas) -> list[Region]:
    """Join adjacent inline formulas of one line, with a relation, another sign or nothing between."""
    found: list[Region] = []
    for region in regions:
        if found and _belongs(text, found[-1], region):
            before = found.pop()
            canvas.blank(before.inner[1], before.end)
            canvas.blank(region.start, region.inner[0])
            inner: t.Span = (before.inner[0], region.inner[1])
            found.append(Region("formula", before.start, region.end, inner, inline=True))
        else:
            found.append(region)
    ends = [region.start for region in found[1:]] + [len(text)]
    return [
        _extend_by_numbers(text, region, end, canvas) for region, end in zip(found, ends[: len(found)], strict=True)
    ]


def _belongs(text: str, left: Region, right: Region) -> bool:
    if not (left.inline and right.inline and left.kind == right.kind == "formula"):
        return False
    gap = _JOINT.fullmatch(text, left.end, right.start)
    if gap is None:
        is_tight = _TIGHT.fullmatch(text, left.end, right.start) is not None
        return is_tight and not _RELATION.search(text, max(left.inner[0], left.inner[1] - 2_000), left.inner[1])
    if gap.group().strip() or _CONTINUES.match(text, *right.inner):
        return True
    near = max(left.inner[0], left.inner[1] - 2_000)  # bounded: a long row of formulas is joined one by one
    return not (_RELATION.search(text, near, left.inner[1]) and _RELATION.search(text, *right.inner))


def _extend_by_numbers(text: str, region: Region, end: int, canvas: Canvas) -> Region:
    """Extend an inline formula by the numbers behind it: ``$Q_{11}$ = 3``."""
    tail = _TAIL.match(text, region.end) if region.inline and region.kind == "formula" else None
    if tail is None or end < tail.end():
        return region
    canvas.blank(region.inner[1], region.end)
    return Region("formula", region.start, tail.end(), (region.inner[0], tail.end()), inline=True)


# Matrices outside of every formula ----------------------------------------------------------------
#
# TeX stops at such a matrix, and nobody can mean anything else by it. What stands before it in its line belongs to it
# as far as it is mathematics; so does what it is equal to, or multiplied with, behind it.

_KINDS = r"(?P<kind>[bpvBV]?(?:small)?matrix)"
_BEGIN_MATRIX = late.pattern(rf"\\begin\s?\{{{_KINDS}\}}")
_BEHIND_MATRIX = late.pattern(
    r"(?:[ \t]{0,9}\^(?:T|\\top|\\intercal|\{[^{}\n]{1,12}\}))?"
    r"(?:(?:[ \t]{0,9}\n?[ \t]{0,9}(?:=|\\approx|\\cdot|\\times|[+*-])[ \t]{0,9}\n?)?[ \t]{0,9}"
    r"(?=\\begin\s?\{[bpvBV]?(?:small)?matrix\}))?"
)
_NO_MATHEMATICS = late.pattern(
    r"(?<![\\A-Za-z])(?!(?:softmax|exp|sqrt)(?![A-Za-z]))[A-Za-z]{2,}(?![A-Za-z])|[:;.][ \t]|&"
    r"|\\(?:item|noindent|par|quad|qquad|textbf|emph|section|subsection|paragraph|centering)(?![A-Za-z])(?:\{[^{}\n]*\})?"
)
_JOINED = late.pattern(r"(?:[=+*/(\[-]|\\(?:approx|cdot|times|left\S)|[A-Za-z}])[ \t]*$")


def bare_matrices(text: str, start: int, end: int, known: list[Region], *, tex: bool) -> list[Region]:
    r"""Return the matrices of ``text[start:end]`` that stand in no formula.

    Args:
        text: the document.
        start: where to begin.
        end: where to stop.
        known: the formulas that are known.
        tex: whether it is a TeX file; in Markdown a matrix within one line is read with its line.

    >>> text = r"so A = \begin{bmatrix} 1 \\ 2 \end{bmatrix} holds"
    >>> [text[slice(*region.inner)] for region in bare_matrices(text, 0, len(text), [], tex=True)]
    ['A = \\begin{bmatrix} 1 \\\\ 2 \\end{bmatrix}']
    """
    found: list[Region] = []
    position, ahead, starts = start, Ahead(text, end), [region.start for region in known]
    while (opened := _BEGIN_MATRIX.search(text, position, end)) is not None:
        position = opened.end()
        before = bisect_right(starts, opened.start()) - 1
        if before >= 0 and opened.start() < known[before].end:
            position = max(position, known[before].end)
            continue
        last = _end_of_matrices(text, opened, ahead, starts)
        if last is None:
            continue
        position = last
        if tex or "\n" in text[opened.start() : last]:
            first = _start_of_matrix(text, opened.start(), max(start, found[-1].end if found else start))
            found.append(Region("formula", first, last, (first, last)))
    return found


def _end_of_matrices(text: str, opened: re.Match[str], ahead: Ahead, starts: list[int]) -> int | None:
    """Return the end of the last of several joined matrices; None if one is not closed in its paragraph."""
    current: re.Match[str] | None = opened
    last = None
    while current is not None:
        closing = f"\\end{{{current['kind']}}}"
        closed, blank_line = ahead.find(closing, current.end()), ahead.find("\n\n", current.end())
        known = bisect_left(starts, current.start())
        if closed < 0 or 0 <= blank_line < closed - 1 or (known < len(starts) and starts[known] < closed):
            break
        last = closed + len(closing)
        behind = _BEHIND_MATRIX.match(text, last, ahead.end)
        after = last if behind is None else behind.end()
        current = _BEGIN_MATRIX.match(text, after, ahead.end)
        if current is None:
            last += len(text[last:after].rstrip())
    return last


def _start_of_matrix(text: str, begin: int, low: int) -> int:
    """Return the start of the mathematics that leads to a matrix in its line."""
    line = max(low, text.rfind("\n", low, begin) + 1)
    words = [found.end() for found in _NO_MATHEMATICS.finditer(text, line, begin)]
    first = max([line, *words])
    first += len(text[first:begin]) - len(text[first:begin].lstrip())
    return first if _JOINED.search(text, first, begin) is not None else begin
