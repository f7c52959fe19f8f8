"""Reader of running text: lines become headings, prose, and chains of plain mathematics."""

from __future__ import annotations

import re
from dataclasses import replace

from symattn import late
from symattn.errors import InputError, NotationError
from symattn.notation.documents.drafts import Draft
from symattn.notation.documents.line_blocks import BULLET, LIST_ROW, RELATION, STARTS_VALUE, LineBlock
from symattn.notation.letters import EAST_ASIAN, LATIN_OR_CYRILLIC
from symattn.notation.markup.masking import Canvas, Region, clean_line
from symattn.notation.markup.spans import strip_span
from symattn.notation.markup.tex_files import without_commands
from symattn.notation.statements.chains import Chain, chains
from symattn.notation.statements.composites import CompositeStatement, Part
from symattn.notation.statements.signs import Notation
from symattn.notation.statements.text_lines import MAX_NAME_WORDS, STOPWORDS, Line, read_line
from symattn.notation.tables.entries import read_table
from symattn.notation.tables.grids import Grid
from symattn.notation.tables.labels import says_something
from symattn.notation.tables.number_rows import build_statement
from symattn.notation.tree import nodes as t

MAX_SIDES = 20_000
"""Sides of chains in one document."""

_RULE = late.pattern(r"[ \t]*(?:[-*_=][ \t]*){3,}")
_COMMAND = late.pattern(r"\\[A-Za-z]+|[_^]\{")
_REMARK = late.pattern(r"(?:^|\s)(?:#|//)\s.*")
_MARKS = late.pattern(r"^#+ ?| #+$|\*\*|__|`+|^\*|\*$")
_MATH = late.pattern(r"(\$[^$]*\$)")
_LEAD = late.pattern(r"[ \t]*(:=|=|≈|≃|:)[ \t]*$")
_CLAUSE = late.pattern(r"[.,;:!?()]\s|[.,;:!?)]$|^[.,;:!?)]|--|—")
_LEAD_WORD = late.pattern(r"[\w^{}\\()'’/-]+")
_LEAD_LENGTH = 300
_LEADERS = frozenset(
    "so then thus hence therefore the a an and now finally where with we get have gives is that which this our my "  # noqa: SIM905 - a list of words
    "its i e".split()
)
_SYMBOL = late.pattern(r"[A-Za-z]{1,2}|\w*[_^0-9]\S*|\\\S+|\S*\(\S*")


class TextReader:
    """One pass over the regions of a document and the text between them, which drafts its pieces."""

    def __init__(self, text: str, canvas: Canvas, *, tex: bool, grids: dict[int, Grid] | None = None) -> None:
        self.text = text
        self.grids = grids or {}
        for grid in self.grids.values():
            for dollar in _DOLLAR.finditer(text, *grid.span):
                canvas.blank(*dollar.span())
        self.bare = canvas.text() if self.grids else text
        self.canvas = canvas
        self.tex = tex
        self.drafts: list[Draft] = []
        self._buffer: t.Span | None = None
        self._words = False
        self._sides = 0

    def run(self, start: int, end: int, regions: list[Region]) -> None:
        """Read ``text[start:end]``; regions are in order and lie inside of it."""
        position = start
        for region in regions:
            if region.start < position:  # inside a heading
                self._formula(region, in_heading=True)
                position = max(position, region.end if region.kind != "heading" else position)
                continue
            self._gap(position, region.start, start, end)
            match region.kind:
                case "heading":
                    self._flush()
                    self._heading(region.start, region.end, region.inner, region.level)
                case "formula":
                    self._formula(region)
                case "broken":
                    self._flush()
                    self._broken(region.inner, region.reason)
                case "verbatim":
                    self._flush()
                    self._prose(*region.inner)
                case "table":
                    self._flush()
                    self._table(self.grids[region.start], region)
                case "lines":
                    self._flush()
                    self._lines(*region.inner, code=True)
                    self._flush()
            position = region.end
        self._gap(position, end, start, end)
        self._flush()

    # Pieces -------------------------------------------------------------------------------------------

    def _draft(self, draft: Draft) -> None:
        after_words = draft.after_words or self._words
        self._words = draft.kind in {"heading", "prose"} and (self._words or _has_words(draft.text))
        if draft.kind == "chain" and after_words:
            draft = replace(draft, after_words=True)
        self.drafts.append(draft)
        self._sides += draft.size
        if self._sides > MAX_SIDES:
            raise InputError(f"The submission has more than {MAX_SIDES} sides of equations: hand in a part of it.")

    def _heading(self, start: int, end: int, inner: t.Span, level: int) -> None:
        words = self._cleaned(*inner)
        if words:
            self._draft(Draft("heading", (start, end), text=words, level=level))

    def _prose(self, start: int, end: int) -> None:
        start, end = strip_span(self.text, start, end)
        words = self._cleaned(start, end)
        if _has_words(words):
            self._draft(Draft("prose", (start, end), text=words))

    def _broken(self, span: t.Span, reason: str) -> None:
        self._draft(Draft("broken", strip_span(self.text, *span), text=reason))

    def _cleaned(self, start: int, end: int) -> str:
        words = self.text[start:end]
        if self.tex:
            parts = _MATH.split(words)
            words = "".join(part if odd % 2 else without_commands(part) for odd, part in enumerate(parts))
        return " ".join(_MARKS.sub("", " ".join(words.split())).split())

    def _flush(self) -> None:
        if self._buffer is not None:
            span, self._buffer = self._buffer, None
            self._prose(*span)

    def _buffered(self, start: int, end: int) -> None:
        if self.text[start:end].strip():
            self._buffer = (start if self._buffer is None else self._buffer[0], end)

    # Tables and rows of numbers -----------------------------------------------------------------------

    def _table(self, grid: Grid, region: Region) -> None:
        """Draft the statements of a table; a label or the left side of a relation before it names the quantity."""
        self._label(region)
        found = read_table(grid, self.text, self.bare)
        plans = list(found.plans)
        position = next((p for p, plan in enumerate(plans) if plan.rows and not plan.vector), None)
        if position is not None:
            plans[position] = self._with_left_side(plans[position], grid, region.start)
        drafts = [Draft("chain", plan.span, plan=plan) for plan in plans]
        drafts.extend(Draft("prose", cell.whole, text=self._cleaned(*cell.whole)) for cell in found.words)
        for draft in sorted(drafts, key=lambda item: item.span):
            if draft.plan is not None or _has_words(draft.text):
                self._draft(draft)
        self._words = True

    def _rows(self, lines: LineBlock, position: int) -> int:
        """Draft the rows of numbers that begin at a line, and return their number."""
        rows = lines.rows(position)
        if not rows:
            return 0
        self._flush()
        span = lines.spans[position]
        self._label(Region("table", *span, span))
        plan = self._with_left_side(build_statement(rows), None, span[0])
        self._draft(Draft("chain", plan.span, plan=plan))
        return len(rows)

    def _labelled_array(self, lines: LineBlock, position: int, *, code: bool) -> int:
        """Draft ``A [[0.1 0.9]``, as programs print a label and an array, and return its number of lines.

        In running text only a list of lists that ends its line is one.
        """
        low, high = lines.spans[position]
        label = _LABELLED.match(self.text, low, min(high, low + 200))
        if label is None or not (code or self.text[label.end() : high].rstrip().endswith("]]")):
            return 0
        last = lines.closing[position]
        _, end = strip_span(self.text, low, lines.spans[last][1])
        self._flush()
        gap = label.end("words")
        part = Part(label.span("words"), None)
        chain = Chain(((label.end(), end),))
        plan = CompositeStatement(
            (), chain, "plain", before=(part,), operators=("=",), operator_spans=((gap, gap + 1),)
        )
        self._draft(Draft("chain", plan.span, plan=plan))
        return last + 1 - position

    def _with_left_side(self, plan: CompositeStatement, grid: Grid | None, start: int) -> CompositeStatement:
        """Put a matrix on the right of the relation written before it: ``A =`` on a line of its own."""
        if grid is not None and grid.lead is not None:
            equals = self.text.index("=", grid.lead[1], grid.span[1])
            return plan.to_right_of((Part(grid.lead, "latex"),), ("=",), ((equals, equals + 1),))
        last = self.drafts[-1] if self.drafts else None
        if last is None or last.chain is None or last.chain.sides[-1] is not None or len(last.chain.sides) < 2:
            return plan
        if _BETWEEN.fullmatch(self.text, last.span[1], start) is None:
            return plan
        chain = last.chain
        if any(side is None for side in chain.sides[:-1]):
            return plan
        self.drafts.pop()
        how: list[Notation | None] = [last.notation] * (len(chain.sides) - 1)
        if last.lead:
            how[0] = {"name": None, "latex": "latex", "plain": "plain"}[last.lead]
        parts = [
            Part(side, None if position in chain.names else how[position])
            for position, side in enumerate(chain.sides[:-1])
            if side is not None
        ]
        return plan.to_right_of(tuple(parts), chain.operators, chain.operator_spans)

    def _label(self, region: Region) -> None:
        """Draft a few words before a table, or its caption, as a heading."""
        caption = _caption(self.text, region)
        if caption:
            self._draft(Draft("heading", (region.start, region.start), text=self._cleaned(*caption), level=6))
            return
        last = self.drafts[-1] if self.drafts else None
        if last is None or last.kind != "prose" or _BETWEEN.fullmatch(self.text, last.span[1], region.start) is None:
            return
        start, end = last.span
        end = max(start + 1, end - len(_layout_behind(self.text[max(start, end - 200) : end])))
        cut = start
        for stop in _SENTENCE_END.finditer(self.text, start, end):
            cut = stop.end() if stop.end() < end else cut
        words = self._cleaned(cut, end)
        count = len(words.split())
        is_label = count <= _LABEL_LENGTH and (words.endswith((":", "=")) or _POINTS.search(words))
        if not (is_label or (count <= _TITLE_LENGTH and not words.endswith("."))) or not says_something(words):
            return
        self.drafts.pop()
        if cut > start:
            self._prose(start, cut)
        self._draft(Draft("heading", (cut, end), text=words.rstrip(":= "), level=6))

    # Formulas -----------------------------------------------------------------------------------------

    def _formula(self, region: Region, *, in_heading: bool = False) -> None:
        blanks: list[t.Span] = []
        try:
            found = chains(self.text, *region.inner, blanks)
        except NotationError as error:
            self._flush()
            self._broken(region.inner, str(error))
            return
        if in_heading:
            found = [chain for chain in found if chain.operators]
        if not found:
            if not in_heading:
                self._buffered(region.start, region.end)
            return
        lead = self._lead(region, found[0]) if region.inline or not in_heading else None
        self._flush()
        for span in blanks:
            self.canvas.blank(*span)
        for position, chain in enumerate(found):
            how = ""
            if lead is not None and position == 0:
                chain, how = lead  # noqa: PLW2901 - the first one has a side more
            self._draft(Draft("chain", chain.span, chain=chain, lead=how, after_words=chain.after_words))

    def _lead(self, region: Region, chain: Chain) -> tuple[Chain, str] | None:
        """Return the chain with the words before it as its left side: ``Output = $…$``, ``Output $= …$``."""
        if self._buffer is None:
            return None
        low = max(self._buffer[0], region.start - _LEAD_LENGTH)
        low = max(low, self.text.rfind("\n", low, region.start) + 1)
        before = self.text[low : region.start]
        sign = _LEAD.search(before)
        if chain.sides[0] is None:
            return None if sign else self._lead_of_relation(chain, low, before)
        is_footnote = before.lstrip().startswith("[^")
        if sign is None or "$" in before or is_footnote or (sign[1] == ":" and not self._is_value(chain)):
            return None
        words = _lead_words(before, sign.start())
        between = before[words[0].start() : sign.start()] if words else ""
        if not words or len(words) > MAX_NAME_WORDS or RELATION.search(between):
            return None
        operator = (low + sign.start(1), low + sign.end(1))
        self.canvas.blank(operator[1], chain.span[0])
        relation = "≈" if sign[1] in {"≈", "≃"} else "="
        longer = replace(
            chain,
            sides=(self._taken(low, words), *chain.sides),
            operators=(relation, *chain.operators),
            operator_spans=(operator, *chain.operator_spans),
        )
        return longer, _how(words, between)

    def _lead_of_relation(self, chain: Chain, low: int, before: str) -> tuple[Chain, str] | None:
        """Put the few words before a chain that begins with a relation on its left, if they are a name."""
        words = _lead_words(before, len(before))
        names = [word.group().lower() for word in words]
        unfit = _LEADERS | STOPWORDS - {"for", "of"}
        if "$" in before or not 0 < len(words) <= MAX_NAME_WORDS or not unfit.isdisjoint(names) or len(names[-1]) < 3:
            return None
        sides = (self._taken(low, words), *chain.sides[1:])
        return replace(chain, sides=sides), _how(words, before[words[0].start() :])

    def _taken(self, low: int, words: list[re.Match[str]]) -> t.Span:
        """Take words before a formula out of the prose, and return their span."""
        start, end = low + words[0].start(), low + words[-1].end()
        if self._buffer is not None:
            self._buffer = (self._buffer[0], start) if self._buffer[0] < start else None
        return start, end

    def _is_value(self, chain: Chain) -> bool:
        """Return True if a chain begins with numbers, not with a name of its own."""
        first = chain.sides[0]
        return first is not None and (STARTS_VALUE.match(self.text, *first) is not None or not chain.operators)

    # Lines --------------------------------------------------------------------------------------------

    def _gap(self, start: int, end: int, low: int, high: int) -> None:
        """Read the text between two regions: whole lines, and the ends of lines that hold a region."""
        if start >= end:
            return
        first = start
        if start > low and self.text[start - 1] != "\n":
            first = self.text.find("\n", start, end)
            if first < 0:
                self._buffered(start, end)
                return
            self._buffered(start, first)
            first += 1
        last = end
        if end < high:
            last = max(first, self.text.rfind("\n", first, end) + 1)
        if first < last:
            self._lines(first, last)
        if last < end:
            self._line_begin(last, end)

    def _line_begin(self, start: int, end: int) -> None:
        """Read the part of a line before a region: a bullet begins a new piece of prose."""
        if not self.tex:
            clean_line(self.text, start, end, self.canvas)
        bullet = BULLET.match(self.text, start, end)
        if bullet:
            self._introduced(start)
            start = bullet.end()
        elif self.text[start:end].strip("#* \t") == "":
            start = end
        self._buffered(start, end)

    def _introduced(self, start: int) -> None:
        r"""Draft the words before a list of TeX as its heading: ``The outputs: \begin{itemize}``."""
        is_first = self._buffer is not None and _LIST_BEGIN.search(self.text, *self._buffer) is not None
        self._flush()
        if is_first:
            self._label(Region("lines", start, start, (start, start)))

    def _lines(self, start: int, end: int, *, code: bool = False) -> None:
        lines = LineBlock(self.text, start, end)
        position = 0
        while position < len(lines):
            if not lines.has_text(position):
                self._flush()
                position += 1
            elif count := 0 if self.tex else self._drafted_lines(lines, position, code=code):
                position += count
            else:
                self._words_line(*lines.spans[position], code=code)
                position += 1

    def _drafted_lines(self, lines: LineBlock, position: int, *, code: bool) -> int:
        """Draft the heading or the statement that begins at a line, and return its number of lines; 0 for none."""
        return (
            self._rows(lines, position)
            or self._formula_above(lines, position)
            or (0 if code else self._heading_line(lines, position))
            or self._labelled_array(lines, position, code=code)
            or self._plain(lines, position)
        )

    def _heading_line(self, lines: LineBlock, position: int) -> int:
        """Draft a heading, and return its number of lines; 0 for any other line."""
        found = lines.heading(position)
        if found is None:
            return 0
        self._flush()
        self._heading(*lines.spans[position], *found)
        return 2 if lines.underline_level(position) else 1

    def _formula_above(self, lines: LineBlock, position: int) -> int:
        """Draft ``S/sqrt(2):`` with the matrix below it, and return its number of lines; 0 for none."""
        found = _FORMULA_ABOVE.fullmatch(self.text, *lines.spans[position])
        if found is None or not all(word in _FUNCTION_WORDS for word in _LONG_WORDS.findall(found["formula"])):
            return 0
        below = position + 1
        while below < min(len(lines), position + 3) and not lines.has_text(below):
            below += 1
        if below >= len(lines):
            return 0
        is_rows = bool(lines.rows(below))
        if not is_rows and LIST_ROW.match(self.text, *lines.spans[below]) is None:
            return 0
        last = position if is_rows else lines.closing[below]
        value = None if is_rows else (lines.spans[below][0], lines.spans[last][1])
        colon = found.end("formula") + found["gap"].index(":")
        chain = Chain((found.span("formula"), value), ("=",), ((colon, colon + 1),))
        self._flush()
        self._draft(Draft("chain", chain.span, chain=chain, notation="plain"))
        return last + 1 - position

    def _words_line(self, low: int, high: int, *, code: bool) -> None:
        if not code and _RULE.fullmatch(self.text, low, high):
            self._flush()
            return
        bullet = None if code else BULLET.match(self.text, low, high)
        if bullet:
            self._flush()
            low = bullet.end()
        self._buffered(low, high)
        if code or self.text[low:high].lstrip().startswith("|"):
            self._flush()

    # Plain mathematics --------------------------------------------------------------------------------

    def _plain(self, lines: LineBlock, position: int) -> int:
        """Draft the mathematics of a line and of those that it reaches to, and return their number; 0 for none."""
        low, high = lines.spans[position]
        line = self.text[low:high]
        if "://" in line or line.lstrip().startswith(("|", "![", "#")):
            return 0
        bullet = BULLET.match(self.text, low, high)
        bullet = None if bullet and LIST_ROW.match(self.text, low, high) else bullet
        begin = bullet.end() if bullet else low
        label = lines.step_label(begin, high)
        begin = begin if label is None else label[1]
        if self._working_above(lines, position, begin):
            return 1
        shows_value = RELATION.search(line) or STARTS_VALUE.match(line[begin - low :])
        if not shows_value and any(sign in line for sign in ":[("):
            shows_value = _LABELS.search(line)
        if not shows_value and not line.rstrip().endswith(":"):
            return 0
        last = lines.last_of(position)
        end = lines.spans[last][1]
        if not shows_value and last == position:
            return 0
        if (
            not RELATION.search(line)
            and len(_NUMERALS.findall(self.text, begin, min(end, begin + 2000))) < 2
            and ":" not in line
        ):
            return 0
        if not any(character.isalnum() for character in self.text[begin:end]):
            return 0
        clean_line(self.text, begin, end, self.canvas)
        remark = _REMARK.search(self.text, begin, end) if last == position else None
        drafted = self._drafted(begin, remark.start() if remark else end)
        if not drafted:
            return 0
        if bullet:
            self._flush()
        if label is not None:
            self._buffered(*label)
        self._emit(*drafted)
        return last + 1 - position

    def _working_above(self, lines: LineBlock, position: int, begin: int) -> bool:
        """Draft ``Row 1: softmax([1, 0])``, working that a line below continues, ``= [0.73, 0.27]``."""
        end = lines.spans[position][1]
        below = lines.spans[position + 1 : position + 2]
        goes_on = any(_GOES_ON.match(self.text, *span) for span in below)
        found = _WORKING.fullmatch(self.text, begin, end) if goes_on and end - begin <= _LEAD_LENGTH else None
        if found is None or not all(word in _FUNCTION_WORDS for word in _LONG_WORDS.findall(found["working"])):
            return False
        self._flush()
        if found["label"]:
            self._buffered(*found.span("label"))
            self._flush()
        self._draft(Draft("chain", found.span("working"), chain=Chain((found.span("working"),)), notation="plain"))
        return True

    def _drafted(self, start: int, end: int) -> tuple[Line, Notation, list[t.Span]] | None:
        blanks: list[t.Span] = []
        copy = _unmarked(self.text, start, end)
        try:
            if _COMMAND.search(self.text, start, end):
                return self._drafted_latex(start, end)
            line = read_line(copy, 0, end - start, blanks)
        except NotationError as error:
            self._flush()
            self._broken((start, end), str(error))
            return Line((), ()), "plain", []
        if not line.chains:
            return None
        moved = Line(
            tuple(_moved(chain, start) for chain in line.chains), tuple((a + start, b + start) for a, b in line.prose)
        )
        return moved, "plain", [(a + start, b + start) for a, b in blanks]

    def _drafted_latex(self, start: int, end: int) -> tuple[Line, Notation, list[t.Span]] | None:
        """Read a line of LaTeX without delimiters, if it holds a relation and is not a sentence."""
        inside = self.text[start:end]
        if not RELATION.search(inside) or _SENTENCE.search(inside):
            return None
        blanks: list[t.Span] = []
        found = tuple(chain for chain in chains(self.text, start, end, blanks) if chain.operators)
        return (Line(found, ()), "latex", blanks) if found else None

    def _emit(self, line: Line, notation: Notation, blanks: list[t.Span]) -> None:
        for span in blanks:
            self.canvas.blank(*span)
        items = sorted(
            [*((span, None) for span in line.prose), *((c.span, c) for c in line.chains)], key=lambda item: item[0]
        )
        for span, chain in items:
            if chain is None:
                self._buffered(*span)
            else:
                self._flush()
                self._draft(Draft("chain", span, chain=chain, notation=notation, after_words=chain.after_words))
        if line.chains:
            self._flush()


_BETWEEN = late.pattern(
    r"(?:[\s$*:.]|\\[\])]|\\(?:begin|end)\s?\{[A-Za-z]{1,20}\*?\}(?:\[[^\]\n]{0,20}\])?"
    r"|\\(?:centering|par|noindent|smallskip|medskip|bigskip|small|footnotesize|hline)(?![A-Za-z])){0,200}"
)
"""The text allowed between a label and its table."""

_LABELLED = late.pattern(
    r"[ \t]*(?P<words>[A-Za-z_][\w.]{0,40}(?: [A-Za-z_]\w{0,20}){0,3})[ \t]+(?=\[\[|\[[ \t]*-?[0-9.]|array\(|tensor\()"
)
_DOLLAR = late.pattern(r"\$")
_LIST_BEGIN = late.pattern(r"\\begin\s?\{(?:itemize|enumerate|description)\}\s*\Z")
_FORMULA_ABOVE = late.pattern(
    r"[ \t]*(?:[-*+][ \t]+)?(?P<formula>(?=[^:\n]{0,60}(?:[/*@·√^]|(?:exp|sqrt|softmax)\())"
    r"[A-Za-z(√][^:=|$\\`\n]{0,60}?)(?P<gap>[ \t]*[:][ \t]*)"
)
_GOES_ON = late.pattern(r"[ \t]*[=≈](?!=)[ \t]*[\[(0-9.\-−e]")
_WORKING = late.pattern(
    r"[ \t]*(?P<label>[A-Za-z][^:=≈|$\\`\n]{0,60}:)?[ \t]*"
    r"(?P<working>(?=[^:\n]{0,200}[0-9])(?=[^:\n]{0,200}[\[(*×·/+])[A-Za-z(\[0-9.\-−√][^:=≈|$\\`\n→]{2,250}?)[ \t]*"
)
_LONG_WORDS = late.pattern(r"[A-Za-z]{3,}")
_FUNCTION_WORDS = frozenset({"exp", "sqrt", "softmax", "softargmax", "QKT"})
_SENTENCE_END = late.pattern(r"[.!?:]\s+")
_POINTS = late.pattern(r"\b(?:table|below|following|matrix)\b", re.IGNORECASE)
_LABEL_LENGTH = 12
_TITLE_LENGTH = 6
_CAPTION = late.pattern(r"\\caption\*?\s?(?:\[[^\]\n]{0,200}\])?\{(?P<words>[^{}\n]{1,300})\}")
_FLOAT_END = late.pattern(
    r"\\(?:begin|end)\s?\{(?:table|figure)\*?\}|\\begin\s?\{(?:tabular|document)|\n[ \t]*\n[ \t]*\n"
)
_NUMERALS = late.pattern(r"[0-9]+")
_LABELS = late.pattern(
    rf":\s+(?:[\[(0-9\-−]|tensor|array)|[{LATIN_OR_CYRILLIC})][ \t]{{0,3}}:\["
    rf"|[{EAST_ASIAN})][ \t]{{0,3}}:[\[(0-9\-−]"
    r"|(?:^|[:;|])[ \t]{0,3}[^\W\d_]{3,20}(?: [^\W\d_]{2,20}){0,3} ?[\[(][ ]?[-−+]?[0-9.]+[ ]?[,; ]"
)
"""A label and its value, or a few words and the list that they name: ``Row 1: logits (3, 3, 1)``."""

_SENTENCE = late.pattern(r"(?<![\\A-Za-z{])[A-Za-z]{2,}[ \t,]+[a-z]{2,}[ \t,]+[a-z]{2,}(?![A-Za-z]*[{(])")


def _layout_behind(words: str) -> str:
    """Return the trailing layout commands of some words, such as the beginning of a centered part."""
    position = len(words)
    while True:
        low = max(words.rfind("\\", 0, position), words.rfind("\n", 0, position), words.rfind(" ", 0, position))
        if low < 0 or _BETWEEN.fullmatch(words, low, position) is None or words[low:position] in {":", "."}:
            return words[position:]
        position = low


def _caption(text: str, region: Region) -> t.Span | None:
    """Return the span of the caption in the float around a table, before or behind it."""
    ahead = _FLOAT_END.search(text, region.end, min(len(text), region.end + 1_000))
    found = _CAPTION.search(text, region.end, ahead.start() if ahead else region.end)
    if found is None:
        low = max(0, region.start - 1_000)
        opened = text.rfind("\\begin{table", low, region.start)
        is_closed = text.find("\\end{table", max(opened, low), region.start) >= 0
        found = _CAPTION.search(text, opened, region.start) if opened >= 0 and not is_closed else None
    return None if found is None else found.span("words")


def _lead_words(before: str, end: int) -> list[re.Match[str]]:
    """Return the words at the end of a line, back to the last punctuation; ``so the`` and the like left out."""
    cut = 0
    for clause in _CLAUSE.finditer(before, 0, end):
        cut = clause.end()
    words = list(_LEAD_WORD.finditer(before, cut, end))
    while len(words) > 1 and words[0].group().lower() in _LEADERS:
        words.pop(0)
    return words


def _how(words: list[re.Match[str]], between: str) -> str:
    """Choose the notation of words before a formula: a name, or mathematics when they look like it."""
    if len(words) == 1 and _SYMBOL.fullmatch(words[0].group()):
        return "latex" if any(c in between for c in "\\{}") else "plain"
    return "name"


def _has_words(text: str) -> bool:
    return any(character.isalnum() for character in text)


def _moved(chain: Chain, by: int) -> Chain:
    return replace(
        chain,
        sides=tuple(None if side is None else (side[0] + by, side[1] + by) for side in chain.sides),
        operator_spans=tuple((low + by, high + by) for low, high in chain.operator_spans),
    )


def _unmarked(text: str, start: int, end: int) -> str:
    """Return a line without its marks of emphasis, of the same length."""
    piece = text[start:end]
    canvas = Canvas(piece)
    clean_line(piece, 0, len(piece), canvas)
    return canvas.text()
