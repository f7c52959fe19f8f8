"""Normalization: named rules that put what people write into one form before it is read; nothing moves.

Rules that are patterns stand in ``rules.toml``; what no pattern says is a function here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from math import nan
from typing import Any, Literal, TypeAlias

from symattn import late
from symattn.data_files import read_table
from symattn.notation.documents.gaps import list_numbers, part_statements
from symattn.notation.documents.numbers import has_decimal_commas, put_commas, put_points, put_separators
from symattn.notation.lexicon.vocabulary import fold, joints
from symattn.notation.markup.masking import Canvas
from symattn.notation.markup.spans import bracket_pairs
from symattn.notation.tables.labels import says_something
from symattn.records import dataclass

Rewrite: TypeAlias = Callable[[str], str]
Condition: TypeAlias = Callable[[re.Match[str]], bool]
Kind: TypeAlias = Literal["loose", "tex", "lines"]
"""Kinds of text: Markdown and plain text, TeX files, and lines that a program printed."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule.

    Attributes:
        name: the key of its fixtures in ``tests/data/normalization.yaml``.
        why: the notation that it is for, and the form that is read.
        rewrite: a pure function to a text of the same length, so that offsets stay those of the source.
        kinds: the kinds of text that it is for.
    """

    name: str
    why: str
    rewrite: Rewrite
    kinds: tuple[Kind, ...]


def normalize(text: str, kind: Kind) -> str:
    """Return a text with all rules for its kind applied; every character that stays keeps its offset.

    >>> normalize("x1 = (1, 0)     'the'", "loose")
    'x1 = (1, 0)          '
    """
    for rule in RULES:
        if kind in rule.kinds:
            text = rule.rewrite(text)
    return text


def put(
    pattern: str, signs: Mapping[str, str], within: Iterable[str] = ("",), only: Condition | None = None
) -> Rewrite:
    r"""Return a rewriting that replaces groups of a pattern, and fills the rest of their places with blanks.

    Args:
        pattern: compiled when it is first needed.
        signs: for each group, ``whole`` for all of the match, a template as of `re.sub`, with an ellipsis where the
            blanks stand; one that is longer than the group is not put.
        within: the pattern is tried only where the text holds one of these.
        only: says of a match whether it counts; all do when it is left out.

    >>> put(r"(?P<of>\w+)\.softmax\(\)", {"whole": r"softmax(\g<of>…)"})("s.softmax() = 1")
    'softmax(s  ) = 1'
    """
    wanted = tuple(within)

    def replace(found: re.Match[str]) -> str:
        whole, start = found[0], found.start()
        if only is not None and not only(found):
            return whole
        for group, sign in signs.items():
            low, high = found.span(0 if group == "whole" else group)
            if low >= 0:
                parts = [found.expand(part) if "\\" in part else part for part in sign.split("…")]
                whole = whole[: low - start] + fitted(whole[low - start : high - start], *parts) + whole[high - start :]
        return whole

    def rewrite(text: str) -> str:
        if not any(part in text for part in wanted):
            return text
        return re.compile(pattern, re.MULTILINE).sub(replace, text)

    return rewrite


def fitted(old: str, head: str, tail: str = "") -> str:
    r"""Return a text in the place of another: blanks fill what it leaves, line ends stay, a longer one is refused.

    >>> fitted("is\n ", "="), fitted("is", "longer"), fitted("x.exp( )", "exp(x", ")")
    ('= \n ', 'is', 'exp(x  )')
    """
    size = len(head) + len(tail)
    rest = "".join("\n" if sign == "\n" else " " for sign in old[size:])
    return old if size > len(old) else head + rest + tail


def blanked(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """Return a text with blanks in some spans; line ends stay."""
    canvas = Canvas(text)
    for span in spans:
        canvas.blank(*span)
    return canvas.text()


# Conditions -----------------------------------------------------------------------------------------

_DISPLAYED = 2000
"""Characters of a formula on display in which its end is looked for."""

_OPEN = 200
"""Characters before a remark in which a formula of its line is looked for."""

_COMMAND = late.pattern(r"\\[A-Za-z]{1,20}$")
_ROOTS = ("√", "sqrt", "\\sqrt")


def _is_no_display(found: re.Match[str]) -> bool:
    r"""Return False for the bracket of a displayed formula: ``\]`` closes it before its paragraph ends."""
    text, start = found.string, found.end()
    closed = text.find("\\]", start, start + _DISPLAYED)
    return closed < 0 or "\n\n" in text[start:closed]


def _is_level(found: re.Match[str]) -> bool:
    """Return True if no bracket, formula or table is open in the line before a match."""
    line = found.string[found.string.rfind("\n", 0, found.start()) + 1 : found.start()]
    return not set("$|\\") & set(line) and all(line.count(sign) == line.count(end) for sign, end in ("()", "[]", "{}"))


def _is_no_argument(found: re.Match[str]) -> bool:
    return _COMMAND.search(found.string[max(0, found.start() - 21) : found.start()]) is None


def _is_beside_formula(found: re.Match[str]) -> bool:
    start = found.start("remark")
    line = max(found.string.rfind("\n", 0, start) + 1, start - _OPEN)
    return any(mark in found.string[line:start] for mark in "=≈[(:→")


def _is_quotient(found: re.Match[str]) -> bool:
    """Return False for a colon behind an integer if the result is nearer to the term behind it than to the quotient."""
    if not found["above"].isdigit():
        return True
    above, below, result = (_decimal(found[name]) for name in ("above", "below", "result"))
    return bool(below) and abs(above / below - result) <= abs(below - result)


def _decimal(text: str | None) -> float:
    """Return a number or its root; NaN for another term."""
    sign = next((root for root in _ROOTS if (text or "").startswith(root)), "")
    number = (text or "").removeprefix(sign).strip(" (){}").replace("{,}", ".").replace(",", ".")
    try:
        return float(number.replace("−", "-")) ** (0.5 if sign else 1)
    except ValueError:
        return nan


def _is_word_for(words: str, *names: str) -> bool:
    return any(fold(words.strip(" ，\n\t")) in joints(name) for name in names)


_CONDITIONS: dict[str, Condition] = {
    "is_no_display": _is_no_display,
    "is_level": _is_level,
    "is_no_argument": _is_no_argument,
    "is_beside_formula": _is_beside_formula,
    "is_quotient": _is_quotient,
    "is_and": lambda found: _is_word_for(found["and"], "and"),
    "is_joint": lambda found: _is_word_for(found["and"], "and", "or"),
    "says_something": lambda found: says_something(found["words"]),
}

# Functions ------------------------------------------------------------------------------------------

_NARROW = {
    "，": ",", "、": ",", "；": ";", "：": ":", "。": ".", "．": ".", "＝": "=",
    "［": "[", "］": "]", "（": "(", "）": ")",
}  # fmt: skip
_WIDE = late.pattern("[，、；：。．＝［］（）]")
_DIGITS = frozenset("0123456789")

_ENTITIES = {
    "amp": "&", "lt": "<", "gt": ">", "nbsp": " ", "quot": '"', "minus": "-", "times": "×", "middot": "·", "sdot": "·",
    "rarr": "→", "asymp": "≈", "radic": "√", "#39": "'",
}  # fmt: skip
_ENTITY = late.pattern(f"&({'|'.join(_ENTITIES)});")
_COMMENT = late.pattern(r"<!--(?:>|->)?")
_QUOTE = late.pattern(r"(?:[ \t]{0,8}>)+ ?")


def _narrow(text: str) -> str:
    def mark(found: re.Match[str]) -> str:
        sign, position = found[0], found.start()
        before, after = text[max(position - 1, 0) : position], text[position + 1 : position + 2]
        is_between_digits = before in _DIGITS and after in _DIGITS
        if sign in "，、" and is_between_digits:
            return "，"
        is_put = sign not in "；。．" or not after or after.isspace() or (sign == "．" and is_between_digits)
        return _NARROW[sign] if is_put else sign

    return _WIDE.sub(mark, text)


def _blank_comments(text: str) -> str:
    spans: list[tuple[int, int]] = []
    position = 0
    while (opened := _COMMENT.search(text, position)) is not None:
        position = text.find("-->", opened.end()) + 3
        if position < 3:
            break
        spans.append((opened.start(), position))
    return blanked(text, spans) if spans else text


def _blank_quotes(text: str) -> str:
    lines = text.split("\n")
    may_begin = True
    for number, line in enumerate(lines):
        found = _QUOTE.match(line)
        if found is not None and may_begin:
            lines[number] = " " * found.end() + line[found.end() :]
        may_begin = not line.strip() or (found is not None and may_begin)
    return "\n".join(lines)


_ADDRESS = r"\$?[A-Z]{1,2}\$?[0-9]{1,4}"
_RANGE = late.pattern(rf"[A-Z]{{3}}\((?:[^()\n]{{0,40}}[;, ])?{_ADDRESS}:{_ADDRESS}(?!\w)")
_FORMULA = r"[A-Z$(][^=\n]{0,120}?"
_CELL = late.pattern(
    rf"(?<![\w$]){_ADDRESS}[ ]?[=:][ ]?(?:=?{_FORMULA}[ ]?(?:=|→|->)[ ]?)?(?=[-−]?[0-9])"
    rf"|[ ]?=[ ]?{_FORMULA}{_ADDRESS}:{_ADDRESS}[^=\n]{{0,80}}$",
    re.MULTILINE,
)
"""The address of a cell and its formula, before its value; and a formula over a range that ends a line."""


def _blank_cells(text: str) -> str:
    return blanked(text, [cell.span() for cell in _CELL.finditer(text)]) if _RANGE.search(text) else text


_INDICES = late.pattern(
    r"(?<![A-Za-z\\])(?P<base>[A-Z])\^\{(?:(?P<row>[0-9])[ijkld]|(?P<both>[0-9][0-9]|[ijk][0-9ijkld]))\}"
)
_TENSOR = late.pattern(r"(?<![A-Za-z\\])[A-Z]\^\{(?:0[0-9ijkld]|1[ijkld])\}")


def _lower_indices(text: str) -> str:
    if not _TENSOR.search(text):
        return text
    return _INDICES.sub(lambda found: f"{found['base']}_{{{found['both'] or found['row'] + ':'}}}", text)


_WITH_SUMS = late.pattern(r"^[^\n]{0,200}\.sum\((?:(?:dim|axis)\b|-?[0-9]|[A-Za-z_]+ ?\*)[^\n]{0,200}$", re.MULTILINE)
_STAR = late.pattern(r"(?<![*])(?<=[A-Za-z_) ])\*(?=[ ]?[A-Za-z(])(?![*])")


def _entrywise(text: str) -> str:
    if "sum(" not in text or "@" not in text:
        return text
    return _WITH_SUMS.sub(lambda line: _STAR.sub("⊙", line[0]), text)


_NUMBER = r"[-−+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]{1,4})?"
_ENTRY = rf"(?:{_NUMBER}|[-−+]?(?:inf|Inf|∞))"

_TENSORFLOW = late.pattern(
    r"<tf\.(?:Tensor|Variable)[^\n=<>]{0,60}:?[^\n<>]{0,120}?numpy=\s{0,4}|tf\.(?:Tensor|constant)\((?=\s{0,8}\[)"
)
_TAIL = late.pattern(r"\](?P<tail>[ \t]{0,4},\s{0,12}(?:shape|dtype)=[^\n\[\]]{0,160}?\)>?)(?=[ \t.;]*(?:\n|$))")
_DEEP = late.pattern(r"\[[ \t]{0,4}\[[ \t]{0,4}\[(?=[ \t]*[-−+.0-9])")
_NESTED = 20_000
"""Characters of one array that is looked through."""

_MOST = 400
"""Arrays of one kind that are made readable in one document."""

_BAR = "|│┃⎢⎥⎡⎤⎣⎦┌┐└┘"
_BARRED = (
    rf"[^\S\n]*(?:[-*+][ \t]+)?[{_BAR}](?:[ \t]{{0,20}}{_ENTRY}(?=[ \t,;{_BAR}])[,;]?){{1,40}}"
    rf"[ \t]{{0,20}}[{_BAR}][ \t.,;]*"
)
_BARRED_LINES = late.pattern(rf"^{_BARRED}$(?:\n{_BARRED}$)*", re.MULTILINE)
_BARS = late.pattern(f"[{_BAR}]")


def _blank_tensors(text: str) -> str:
    spans: list[tuple[int, int]] = []
    for found in _TENSORFLOW.finditer(text) if "tf." in text else ():
        tail = _TAIL.search(text, found.end(), found.end() + _NESTED) if len(spans) < _MOST else None
        spans.extend([found.span(), *([] if tail is None else [tail.span("tail")])])
    return blanked(text, spans) if spans else text


def _blank_batches(text: str) -> str:
    spans: list[tuple[int, int]] = []
    found = list(_DEEP.finditer(text))
    pairs = bracket_pairs(text) if found else {}
    for deep in found:
        end, inner = pairs.get(deep.start(), -1), pairs.get(text.index("[", deep.start() + 1), -1)
        if 0 <= inner < end and not text[inner + 1 : end].strip():
            spans.extend([(deep.start(), deep.start() + 1), (end, end + 1)])
    return blanked(text, spans) if spans else text


def _list_rows(lines: re.Match[str]) -> str:
    """Turn one row between bars into a list; of several, which are a matrix, the bars are left out."""
    rows = lines[0].split("\n")
    if all(len(re.findall(_ENTRY, row)) == 1 for row in rows):
        return lines[0]
    if len(rows) > 1:
        return _BARS.sub(" ", lines[0])
    first, last = (bar.start() for bar in _BARS.finditer(rows[0]))
    return f"{rows[0][:first]}[{rows[0][first + 1 : last]}]{rows[0][last + 1 :]}"


_BORDER = late.pattern(r"[ \t]*[┌├└╔╠╚╒╞╘+][-─━═=┬┼┴╦╬╩╤╪╧+]{3,300}[┐┤┘╗╣╝╕╡╛+][ \t]*")
_SIDES = late.pattern(r"[ \t]*[|│║][^\n]*[|│║][ \t]*")
_DRAWN = str.maketrans({**dict.fromkeys("─━═=", "-"), **dict.fromkeys("┬┼┴╦╬╩╤╪╧├┤╠╣╞╡+", "|")})


def _blank_borders(text: str) -> str:
    """Leave of the borders of a drawn table the one below its head, and put bars for its sides."""
    lines = text.split("\n")
    borders = 0
    for number, line in enumerate(lines):
        if _BORDER.fullmatch(line):
            borders += 1
            lines[number] = line.translate(_DRAWN) if borders == 2 else " " * len(line)
        elif borders and _SIDES.fullmatch(line):
            lines[number] = line.replace("│", "|").replace("║", "|")
        else:
            borders = 0
    return "\n".join(lines)


_EITHER = rf"(?:[-−]?[0-9]{{1,9}}(?:[.,][0-9]{{1,12}})?|{_ENTRY})"
_LABELLED = late.pattern(
    r"^(?P<label>[ \t]{0,80}[^\W\d_]{2,20}(?:[ ]{1,20}\w{1,20}){0,4}[ ]{0,20}:[ \t]{1,9})"
    rf"(?P<numbers>{_EITHER}(?:[ \t]{{1,9}}{_EITHER}){{1,30}})(?=[ \t]*$)",
    re.MULTILINE,
)
_BEHIND_NUMBER = late.pattern(r"(?<=[0-9f∞])[ \t]")


def _part_numbers(text: str) -> str:
    has_commas = has_decimal_commas(text)

    def parted(found: re.Match[str]) -> str:
        if "," in found["numbers"] and not has_commas:
            return found[0]
        return found["label"] + _BEHIND_NUMBER.sub(";" if has_commas else ",", found["numbers"])

    return _LABELLED.sub(parted, text)


_HIDING = late.pattern(rf"(?<=[\[(])[ \t]*{_NUMBER}(?:[ \t]+{_NUMBER})*(?:[ \t]+[-–—])+(?=[ \t]*[\])])")
_GAP = late.pattern(r"(?<=\S)[ \t](?=[ \t]*\S)")


def _part_dashes(text: str) -> str:
    dense = text.replace(" ", "").replace("\t", "")
    if not any(dash + close in dense for dash in "-–—" for close in ")]"):
        return text
    return _HIDING.sub(lambda found: _GAP.sub("，", found[0]), text)


_BRACES = late.pattern(rf"\{{[ ]?(?:{_ENTRY}|[-{{}}, \n0-9.()+/*]|sqrt\([0-9]+\)){{1,{_NESTED}}}(?<=\}})")
_BRACKETS = str.maketrans("{}", "[]")


def _bracket_lists(text: str) -> str:
    """Put brackets for the braces of an array that stands for itself."""
    lists = text.strip()
    return text.translate(_BRACKETS) if _BRACES.fullmatch(lists) else text


_FUNCTIONS: dict[str, Rewrite] = {
    "wide-punctuation": _narrow,
    "returns": lambda text: text.replace("\r", " "),
    "html-comments": _blank_comments,
    "html-entities": lambda text: _ENTITY.sub(lambda found: _ENTITIES[found[1]].ljust(len(found[0])), text),
    "quotes": _blank_quotes,
    "cells-of-spreadsheets": _blank_cells,
    "upper-indices": _lower_indices,
    "numbers-between-gaps": list_numbers,
    "numbers-behind-labels": _part_numbers,
    "statements-between-gaps": part_statements,
    "dashes-in-lists": _part_dashes,
    "entrywise-stars": _entrywise,
    "slashes-in-vectors": put_separators,
    "decimal-commas": lambda text: put_points(text) if has_decimal_commas(text) else text,
    "words-in-lists": put_commas,
    "tensors-of-tensorflow": _blank_tensors,
    "batches-of-one": _blank_batches,
    "borders-of-tables": lambda text: _blank_borders(text) if "+--" in text or "─" in text or "═" in text else text,
    "lists-in-braces": _bracket_lists,
    "rows-between-bars": lambda text: _BARRED_LINES.sub(_list_rows, text) if _BARS.search(text) else text,
}

# The table ------------------------------------------------------------------------------------------

_FRAGMENT = late.pattern(r"<<([A-Z]+)>>")


def _load() -> tuple[Rule, ...]:
    """Read the rules of the table."""
    table = read_table("symattn.notation.documents", "rules.toml")

    def pattern(text: str) -> str:
        return _FRAGMENT.sub(lambda found: pattern(table["fragments"][found[1]]), text)

    def rewriting(rule: dict[str, Any]) -> Rewrite:
        steps = [
            put(
                pattern(step["pattern"]), step["signs"], step.get("within", [""]), _CONDITIONS.get(step.get("only", ""))
            )
            for step in rule.get("steps", ())
        ]
        return _in_turn(steps) if steps else _FUNCTIONS[rule["name"]]

    return tuple(
        Rule(rule["name"], rule["why"], rewriting(rule), tuple(rule.get("kinds", ["loose"]))) for rule in table["rules"]
    )


def _in_turn(steps: list[Rewrite]) -> Rewrite:
    def rewrite(text: str) -> str:
        for step in steps:
            text = step(text)
        return text

    return rewrite


RULES = _load()
