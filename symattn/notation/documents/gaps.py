"""Gaps inside lines of plain text, two blanks or a tab: between the numbers of a list, and between statements."""

from __future__ import annotations

import re
from itertools import pairwise

from symattn import late
from symattn.notation.documents.line_blocks import RELATION
from symattn.notation.documents.numbers import has_decimal_commas
from symattn.notation.lexicon.lines import lines_said
from symattn.notation.lexicon.reader import said
from symattn.notation.tree import nodes as t
from symattn.records import dataclass

_BLANKS = r"[ \u00a0]{2,60}|[ \u00a0]{0,60}[\t\u3000][ \t\u00a0\u3000]{0,60}"
_GAP = late.pattern(_BLANKS)
_NUMBER = (
    r"(?:[-−+]?(?:[0-9]{1,9}(?:[.,][0-9]{1,12})?|\.[0-9]{1,12})(?:[eE][-+]?[0-9]{1,4})?(?:/[0-9]{1,6})?"
    r"|[-−+]?(?:inf|Inf|∞))"
)
_NUMERAL = late.pattern(_NUMBER)
_DECIMAL = late.pattern(r"[-−+]?[0-9]*[.,][0-9]+")
_LIST = r"\([^()\[\]]{1,80}[,;][^()\[\]]{1,80}\)|\[[^()\[\]]{1,80}[,; ][^()\[\]]{1,80}\]"
_BRACKETED = late.pattern(_LIST)
_OTHER_MARKS = frozenset("$|\\&")
"""Signs of lines with formulas of LaTeX, and of tables with bars."""

_CLOSING = frozenset(")]}")


def _fields(line: str, gaps: re.Pattern[str] = _GAP) -> list[t.Span]:
    """Return the spans between the gaps of a line."""
    found: list[t.Span] = []
    low = len(line) - len(line.lstrip())
    high = len(line.rstrip())
    for gap in gaps.finditer(line, low, high):
        found.append((low, gap.start()))
        low = gap.end()
    return [*found, (low, high)]


# Lists ----------------------------------------------------------------------------------------------

_HEAD = late.pattern(
    rf"(?:[-*+•][ ]|(?:[0-9]{{1,2}}[.)]|[A-Za-z][)])[ ])?(?P<label>[^:=≈→\[\]{{}}]{{1,60}}?)"
    rf"(?:[ ]?(?P<mark>[:=≈])(?:[ ]?(?P<first>{_NUMBER}|{_LIST}))?)?"
)
_LETTER = late.pattern(r"[^\W\d_]")
_DIGIT = late.pattern(r"[0-9:=]")
_WORD = late.pattern(r"[^\W\d_]{2}|[^\W\d_]\.[ ]")
_ENTRY = late.pattern(r"[·×*⋅∙()+/^²³⁰-⁹⁻]|[0-9][^0-9]*[0-9]|[0-9]{2}")
"""In the name of a single number: an operation, or two indices."""

_MOST = 60
"""Parts of one line."""

_ROWS = frozenset({"token", "row", "position", "query"})
_LINES = frozenset({"Q", "K", "V", "X"})
"""Quantities whose lines may be counted in a header: ``key  1  2  3``."""


@dataclass(frozen=True, slots=True)
class _Run:
    """A list of numbers between gaps, and what stands before it."""

    label: str
    label_end: int
    mark: str
    items: list[t.Span]


def list_numbers(text: str) -> str:
    """Put a colon behind a label, and commas between the numbers behind it, where gaps part them.

    >>> list_numbers("weights of token 1   0.804  0.196")
    'weights of token 1:  0.804, 0.196'
    """
    if not any(gap in text for gap in ("  ", "\t", "\u3000")):
        return text
    has_commas = has_decimal_commas(text)
    lines = text.split("\n")
    is_headed, heads = False, 0
    for number, line in enumerate(lines):
        fields = _fields(line)
        words = [line[slice(*span)] for span in fields]
        count, heads = heads, len(line.split()) if len(words) == 1 and not _DIGIT.search(line) else 0
        if _OTHER_MARKS & set(line) or not words[-1] or len(words) > _MOST:
            continue
        is_headed = _is_header(words) or (len(words) > 1 and (is_headed or len(words) == count))
        for run in _runs(fields, words):
            if _is_list(run, line, is_headed=is_headed) and (has_commas or not _has_comma(run, line)):
                lines[number] = _listed(lines[number], run)
    return "\n".join(lines)


def _is_header(words: list[str]) -> bool:
    """Return True for the heads of columns: words alone, or a word or nothing before numbers that count."""
    if len(words) < 2 or any(RELATION.search(word) for word in words):
        return False
    numbers = [word for word in words if _NUMERAL.fullmatch(word)]
    counted = words[1:] if numbers and numbers != words else words
    return not numbers or (_counts(counted) and (counted is words or _heads_columns(words[0])))


def _counts(words: list[str]) -> bool:
    return words in ([str(number) for number in range(first, first + len(words))] for first in (0, 1))


def _heads_columns(word: str) -> bool:
    """Return True for a word that says what numbers count, ``token``, or says nothing."""
    return not any(item.kind == "quantity" and item.name not in _LINES for item in said(word))


def _runs(fields: list[t.Span], words: list[str]) -> list[_Run]:
    found: list[_Run] = []
    kinds = [_kind(word) for word in words]
    for place, head in enumerate(words[:-1]):
        end = place + 1
        while end < len(words) and kinds[end] == kinds[place + 1]:
            end += 1
        before = None if kinds[place] or not kinds[place + 1] else _HEAD.fullmatch(head)
        if before is None or (end < len(words) and not _LETTER.match(words[end])):
            continue
        items, low = fields[place + 1 : end], fields[place][0]
        if before["first"] and _kind(before["first"]) == kinds[place + 1]:
            items = [(low + before.start("first"), fields[place][1]), *items]
        elif before["first"]:
            continue
        if len(items) > 1:
            label = before["label"].strip()
            found.append(_Run(label, low + before.end("label"), before["mark"] or "", items))
    return found


def _kind(word: str) -> str:
    """Return ``number`` or ``list``, or nothing for another part of a line."""
    return "number" if _NUMERAL.fullmatch(word) else "list" if _BRACKETED.fullmatch(word) else ""


def _is_list(run: _Run, line: str, *, is_headed: bool) -> bool:
    """Return True if numbers behind a label are one list, and no other numbers may stand there."""
    if not run.mark:
        are_numbers = _NUMERAL.fullmatch(line, *run.items[0]) is not None
        return are_numbers and not is_headed and _names_list(run.label)
    if run.mark == ":" and _WORD.search(run.label):
        return True
    if _ENTRY.search(run.label) or not _LETTER.match(run.label):
        return False
    return len(run.items) > 2 or _are_alike([line[slice(*span)] for span in run.items])


def _names_list(label: str) -> bool:
    """Return True for the name of one quantity, an operation, or the number of a row.

    Queries and keys may head the rows of a table.
    """
    if label[0] in "/÷":
        return _LETTER.search(label) is not None
    items = said(label)
    names = {item.name for item in items if item.kind in {"quantity", "state", "operation"}}
    lines = {item.name for item in items if item.kind == "line"}
    is_one = "," not in label and not any(item.name == "and" for item in items) and lines <= _ROWS
    return is_one and (bool(lines - {"query"}) or not names <= _LINES) and not _ends_with_item(label)


def _are_alike(numbers: list[str]) -> bool:
    """Return True for lists, for fractions, and for decimals of the same number of places."""
    places = {len(re.split("[.,]", number)[-1]) for number in numbers}
    are_decimals = all(_DECIMAL.fullmatch(number) for number in numbers) and len(places) == 1
    return are_decimals or any(all(sign in number for number in numbers) for sign in "/([")


def _ends_with_item(label: str) -> bool:
    """Return True if the number at the end of a label may be the first of its list: ``scores 1``, not ``row 1``."""
    if not label[-1].isdigit():
        return False
    is_counted = any(item.end == len(label) for item in lines_said(label))
    behind = [label[item.end :] for item in said(label) if item.kind in {"state", "operation"}]
    return not is_counted and not any(part.strip(" √").isdigit() for part in behind)


def _has_comma(run: _Run, line: str) -> bool:
    return any("," in line[slice(*span)] and _NUMERAL.fullmatch(line, *span) for span in run.items)


def _listed(line: str, run: _Run) -> str:
    """Return a line with the marks of a list, and points for its decimal commas."""
    signs = list(line)
    if not run.mark:
        signs[run.label_end] = ":"
    for low, high in run.items:
        if _NUMERAL.fullmatch(line, low, high):
            signs[low:high] = line[low:high].replace(",", ".")
    for _, high in run.items[:-1]:
        signs[high] = ","
    return "".join(signs)


# Statements -----------------------------------------------------------------------------------------

_BAR = late.pattern(rf"[ \t]{{1,60}}\|[ \t]{{1,60}}|{_BLANKS}")
"""What parts statements: a gap, or a bar between blanks outside of tables."""

_RULE = late.pattern(r"^[ \t]*(?:\|[ \t]*)?:?-+:?[ \t]*\|[-:| \t]*$", re.MULTILINE)
"""The line below the head of a table."""

_NAMED = late.pattern(
    r"[A-Za-z_][A-Za-z]{0,20}(?:_?\{?[0-9]{1,3}\}?|(?:\[[0-9]{1,3}\]){1,2}|\[[0-9]{1,3}, ?[0-9]{1,3}\]"
    r"|[0-9]?[ ]?[·×*⋅.][ ]?[A-Za-z][0-9]?)[ ]{0,8}=[ ]{0,8}[-−.0-9]"
)
_LEADING = late.pattern(r"[^\W\d_]{2,20}(?:[ ][^\W\d_]{2,20}){0,2}[ ]{0,4}(?:->|→|=>|⇒)[ ]{0,4}[-−]?[.0-9]")
_WORDS = r"[^\W\d_]\w{0,20}(?:[ ]\w{1,20}){0,2}[\"”“»]?(?:\([^()=:→⇒\n]{1,40}\)|\[[0-9, ]{1,8}\])?"
_LABELLED = late.pattern(
    rf"[\"“„«]?{_WORDS}(?:[ ]?[·×*⋅∙][ ]?{_WORDS})?[ ]{{0,20}}(?:=(?!=)|[:≈→⇒]|->)>?[ ]{{0,20}}[-−.0-9\[(√]"
)
"""A label with a relation of its own: ``Value("cat") → [1, 0]``, ``q1·k2: 0``."""

_LISTED = late.pattern(r"[A-Za-z_][\w^{}']{0,20}[ \t]{0,8}=(?!=)(?P<list>[ ]{0,8}[\[(][ ]{0,3}[-−.0-9\[(])?")
_WORKING = late.pattern(
    r"(?:[.0-9]|√|sqrt|e[\^²³⁰-⁹⁻]|exp\(|[-−][0-9.,]{1,12}/|\([^()]{1,80}\)[ ]?[·×*⋅∙]).{0,200}?(?:[=≈→⇒]|->)"
)
"""Working that begins with a number, and states a result."""

_OPERATION = late.pattern(r"[·×*⋅∙+/^√]|[0-9)][ ]?[-−][ ]?[0-9(]")
_RESULT = late.pattern(rf"(?:[=≈→⇒]|->|=>)[ ]{{0,8}}{_NUMBER}(?:\.{{3}}|…)?$")
_COUNTED = late.pattern(r"[0-9]{1,6}[ ][^\W\d_]{2,20}(?:[ ][^\W\d_]{2,20}){0,3}")
"""``3 keys``, ``2 pts``."""


def part_statements(text: str) -> str:
    """Put semicolons into the gaps between two statements, and a colon behind a row's label before working.

    >>> part_statements("q·k1 = 2     2/√3 → 1.155   q·k2 = 3")
    'q·k1 = 2;    2/√3 → 1.155;  q·k2 = 3'
    """
    if not _BAR.search(text):
        return text
    has_tables = _RULE.search(text) is not None
    return "\n".join(
        _parted(line, _GAP if has_tables or "|" in line.strip()[:1] + line.strip()[-1:] else _BAR)
        for line in text.split("\n")
    )


def _parted(line: str, gaps: re.Pattern[str]) -> str:
    fields = _fields(line, gaps)
    begin, end = fields[0]
    if len(fields) > 1 and _is_row(line[begin:end]) and _WORKING.match(line, fields[1][0]):
        line = f"{line[:end]}:{line[end + 1 :]}"
    for (_, end), (low, _) in pairwise(fields) if len(fields) <= _MOST else ():
        if line[end - 1 : end].isdigit() or line[end - 1 : end] in _CLOSING or line[:end].endswith(("...", "…")):
            before = line[:end]
            is_level = all(before.count(sign) == before.count(close) for sign, close in ("()", "[]", "{}"))
            if is_level and _begins(line, begin, end, low):
                line = f"{before};{' ' * (low - end - 1)}{line[low:]}"
                begin = low
    return line


def _is_row(label: str) -> bool:
    """Return True for a word and the number of a row: ``row 1``, not ``q1``."""
    return label[:2].isalpha() and any(
        item.name in _ROWS and (item.start, item.end) == (0, len(label)) for item in lines_said(label)
    )


def _begins(line: str, begin: int, end: int, low: int) -> bool:
    """Return True if a statement begins behind the gap between two offsets."""
    listed = _LISTED.match(line, low)
    if listed is not None and (listed["list"] or line[end - 1] in _CLOSING):
        return True
    if line[end - 1] not in _CLOSING and (_NAMED.match(line, low) or (low - end > 2 and _LEADING.match(line, low))):
        return True
    if {"$", "\\"} & set(line):
        return False
    if _LABELLED.match(line, low) and _LABELLED.match(line, begin):
        return True
    relation = RELATION.search(line, begin, end)
    if relation is None:
        return False
    if _COUNTED.fullmatch(_GAP.split(line[low:], maxsplit=1)[0].rstrip()):
        return True
    is_single = _ENTRY.search(line, begin, relation.start()) or _OPERATION.search(line, relation.end(), end)
    return bool(is_single and _RESULT.search(line, begin, end) and _WORKING.match(line, low))
