"""Numbers and lists: decimal commas, and words and semicolons between items."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property

from symattn import late
from symattn.notation.lexicon.reader import said
from symattn.notation.lexicon.vocabulary import joints
from symattn.notation.markup.spans import is_inside
from symattn.notation.submission import Heading, Piece, Prose, Side, Written
from symattn.notation.tree import nodes as t

_COMMA = late.pattern(
    r"(?<![\w.,^{\[(])[-−–]?(?:0(?:\{,\}|,)[0-9]{2,12}|(?<=[=≈] )[0-9]{1,3}(?:\{,\}|,)(?:[0-9]{2}|[0-9]{4,12}))"
    r"(?![0-9]|[,.][0-9]|[ ]?[\])])|\^\{0(?:\{,\}|,)[0-9]{2,12}\}"
)
"""A number that only a decimal comma explains: it begins with 0, or does not have three digits behind the comma."""

_ROW = late.pattern(
    r"[\[(&][ \t]{0,3}[-−]?0(?:\{,\}|,)[0-9]{2,12}"
    r"(?:[ \t]{1,4}(?:[-−]?[0-9]|[&;])|[ \t]?,[ \t]{1,2}[-−]?[0-9]{1,6},[0-9]|;[ ]?[-−]?0,[0-9]{2})"
)
"""The first number of a row whose numbers are parted by more than their own commas: ``[0,670 1,320``."""

_POINT = late.pattern(r"(?<![\w.])[0-9]{1,6}\.[0-9]{2,12}(?![\w.])")

_NUMBER = r"[-−–]?[0-9]{1,6}(?:,[0-9]{1,12})?"
_JOINED = late.pattern(r"[0-9][ ]?,?[ ][^\W\d_]{1,8}[ ][-−–]?[0-9]")


class _JointPattern:
    """A pattern of numbers with words for "and" between some, which waits for the words of all languages.

    Args:
        pattern: with ``<<JOINT>>`` for a word between blanks.
    """

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern

    @cached_property
    def compiled(self) -> re.Pattern[str]:
        """The pattern with the words."""
        words = "|".join(sorted(joints("and")))
        return re.compile(self.pattern.replace("<<JOINT>>", rf"[ ]?,?[ ](?:{words})[ ]"), re.MULTILINE)


_LIST = _JointPattern(
    rf"(?<![\w.,;{{]){_NUMBER}(?:(?:[ ]?;[ ]?|[ ]?,[ ]{{1,3}}|<<JOINT>>){_NUMBER}){{1,60}}(?!\w|[.,][0-9])"
)
"""Numbers between semicolons, words, or commas with a blank behind them: ``0,27 ; 0,73``, ``0,27, 0,73``."""

_ALONE = late.pattern(r"(?<![\w.,_^{\[(])[-−–]?(?:0,[0-9]|[0-9]{1,6},[0-9]{2})[0-9]{0,10}(?![\w\])}]|[.,][0-9])")
"""One decimal among words: ``Summe 10,36``."""

_FINE = late.pattern(r"[0-9],[0-9]{2}")
"""A decimal that cannot be two items of a list: ``[1,3; 0,1]`` has four."""

_ITEMS = late.pattern(rf"{_NUMBER}(?:[ ]?;[ ]?{_NUMBER}){{1,60}}")
"""Numbers between semicolons alone."""

_MATRIX = late.pattern(r"\[[ ]?\[[^\[\]]{3,400}\](?:\s{0,9}[;,]?\s{0,9}\[[^\[\]]{3,400}\]){1,40}[ ]?\]")
_TIGHT = late.pattern(
    r"(?<=[\[(])(?=[^\])]{0,400}?\b0,)[-−]?[0-9],[0-9]{2,12}(?:,[-−]?[0-9],[0-9]{2,12}){1,60}(?=[\])])"
)
"""A list of decimals without a blank: ``[0,67,0,33]``."""

_CELL = r"[ \t]{0,8}(?:[-−–+]?[0-9]{1,9}(?:,[0-9]{1,12})?[ ]?%?|[-−–+]?(?:∞|inf)|[-–—]?)[ \t]{0,8}"
_SHEET = late.pattern(
    rf"^[^;\n]{{0,60}}(?:;[ \t]{{0,8}}[^\W\d][^;\n]{{0,30}}){{2,40}}\n"
    rf"(?:[^;\n]{{0,60}}(?:;{_CELL}){{2,40}}(?:\n|\Z)){{2,400}}",
    re.MULTILINE,
)
"""Cells between semicolons, as spreadsheets are saved where decimals have commas: labels, and lines of numbers."""

_ARGUMENT = late.pattern(r"(?:(?<=exp\()|(?<=sqrt\()|(?<=\^\())[ ]?[-−]?[0-9]{1,6},[0-9]{1,12}(?=[ ]?\))")
"""The only argument of a function, ``exp(2,12)``, or an exponent."""

_WORKING = late.pattern(
    r"(?<=[+−·×*/-][ ])[0-9]{1,6},[0-9]{2,12}(?=[ ]?\))"
    r"|(?<=\()[-−–]?[0-9]{1,6},[0-9]{2,12}(?=[ ]?[+−·×*/-][ ]?[0-9(])|(?<=\()[-−–][0-9]{1,6},[0-9]{2,12}(?=\))"
)
"""A number beside a sign of working in brackets, ``(4 - 4,660)``, or a negative one in brackets of its own."""

_ROWS = late.pattern(rf"\[[ ]?{_NUMBER}(?:(?:[ ]{{1,4}}|[ ]?;[ ]?){_NUMBER}){{1,400}}[ ]?\]")
_BLANK = late.pattern(r"[0-9][ ]+[-−–]?[0-9]")
_DECIMAL = late.pattern(r"(?<=[0-9]),(?=[0-9])")
_SEMICOLON = late.pattern("[ ]?;")

_PART = r"[-−–]?[0-9]{1,6}(?:(?:[.,]|\{,\})[0-9]{1,12})?"
_DIVIDER = r"[ ]{0,3}(?:/|\||\\mid(?![A-Za-z]))[ ]{0,3}"
_QUOTIENT = rf"(?<![\w^_\\}}\])])\([ ]?{_PART}(?:{_DIVIDER}{_PART}){{1,30}}[ ]?\)(?![ ]?\^)"
_DIVIDED = late.pattern(_QUOTIENT)
"""Numbers in parentheses with slashes or bars between them, a quotient or a vector: ``(1 / 2)``, ``(1|3)``."""

_BETWEEN = late.pattern(rf"(?<=[0-9])(?P<sign>{_DIVIDER})(?P<below>{_PART})")
_POSITIVE = late.pattern(r"[0.,{}]*[1-9]")
_LINE_BEFORE = late.pattern(r"(?<![A-Za-z])[qkv](?:_?\{?[0-9]{1,2}\}?|[₀-₉]{1,2})\$?[ ]?=[ ]?\$?\Z")
_FACTOR_BEHIND = late.pattern(r"\$?[ ]?[-+·*/×^\\]")
_DATE = late.pattern(r"\([0-9]{1,4}/[0-9]{1,2}/[0-9]{2,4}\)")
_CELLS = late.pattern(rf"(?:[|&]\s{{0,9}}\$?{_QUOTIENT}\$?[ ]{{0,9}}(?=[|&\\\n])){{2}}")
"""Two cells of a table side by side that hold nothing else."""

_SHORT = 40
"""Characters of two names with a word between them: ``S_11 and S_12 = 1 and 3``."""

_IS_WORD = _JointPattern("<<JOINT>>")
_WITH_POINT = r"[-−–]?[0-9]{1,6}\.[0-9]{1,12}"
_POINTED = r"[-−–]?[0-9]{1,6}(?:\.[0-9]{1,12})?"
_BOTH = _JointPattern(
    rf"(?P<line>^[^\n]*?)(?:[=≈][ ]?|→[ ]?[^\W\d_]{{3,20}}[ ]|(?P<colon>:[ ]))"
    rf"{_POINTED}(?:[ ]?,[ ]{{1,3}}{_POINTED}){{0,20}}"
    rf"(?P<and><<JOINT>>)(?=(?(colon){_WITH_POINT}|{_POINTED})[ ]{{0,2}}[.;)]?[ ]*$)"
)
"""The numbers of a line, a word before the last: ``A_1 = 0.27 and 0.73``; behind a colon the last has a point."""


def has_decimal_commas(text: str) -> bool:
    """Return True if decimals have commas here, and none has a point.

    >>> has_decimal_commas("Es ist 0,707 und 1,414."), has_decimal_commas("There are 1,000 of 0.5, in [0,10]")
    (True, False)
    >>> has_decimal_commas("s_1,2 = (0,12)"), has_decimal_commas("0,75 and then 1.414")
    (False, False)
    """
    if _COMMA.search(text) is None and _ROW.search(text) is None:
        return False
    return _POINT.search(text) is None


def put_points(text: str) -> str:
    """Put points for the decimal commas of lists, and commas between their items.

    >>> put_points("0,5·(4 − 4,660), (0,12 - 1), 3·(-0,136)")
    '0,5·(4 − 4.660), (0.12 - 1), 3·(-0.136)'
    >>> put_points("A = [0,27 0,73 ; 0,38 0,62], [[0,27 ; 0,73] ; [0,5 ; 0,5]], [0,67,0,33]")
    'A = [0.27 0.73 ; 0.38 0.62], [[0.27,  0.73] ; [0.5,  0.5]], [0.67,0.33]'
    """

    def row(found: re.Match[str]) -> str:
        is_row = _BLANK.search(found[0]) and _DECIMAL.search(found[0])
        return _DECIMAL.sub(".", found[0]) if is_row else found[0]

    def items(found: re.Match[str]) -> str:
        if is_inside(cells, found.start()):
            return found[0]
        is_in_list = found.string[max(0, found.start() - 1)] in "[(" and not is_inside(fine, found.start())
        if not (_has_decimals(found[0]) if is_in_list else _DECIMAL.search(found[0])):
            return found[0]
        return _SEMICOLON.sub(lambda sign: ",".ljust(len(sign[0])), _DECIMAL.sub(".", found[0]))

    for pattern in (_ARGUMENT, _WORKING):
        text = pattern.sub(lambda found: found[0].replace(",", "."), text)
    text = _TIGHT.sub(lambda found: re.sub(r",(?=[0-9]{2,12}(?:,|$))", ".", found[0]), text)
    cells = [found.span() for found in _SHEET.finditer(text)]
    fine = [found.span() for found in _MATRIX.finditer(text) if _has_decimals(found[0])]
    return _LIST.compiled.sub(items, _ROWS.sub(row, text))


def _has_decimals(items: str) -> bool:
    """Return True if only decimal commas explain a list: two digits behind one, or a comma in some items, not in all.

    >>> _has_decimals("[1; 0; 0,5]"), _has_decimals("[1,3; 0,1]"), _has_decimals("[[1; 0,5]; [0; 1]]")
    (True, False, True)
    """
    counts = ({item.count(",") for item in row[0].split(";")} for row in _ITEMS.finditer(items))
    return _FINE.search(items) is not None or {0, 1} in counts


def put_separators(text: str) -> str:
    """Put separators for the slashes and bars of vectors, where a work writes its vectors so.

    >>> put_separators("q_1 = (1 / 3), k_2 = (2 / -1), (1/2) * 3"), put_separators("A = (1 / 3), (2 / 3)")
    ('q_1 = (1 , 3), k_2 = (2 , -1), (1/2) * 3', 'A = (1 / 3), (2 / 3)')
    """
    groups = list(_DIVIDED.finditer(text))
    cells = [found.span() for found in _CELLS.finditer(text)] if groups else []
    vectors = (group for group in groups if _is_vector(group) or is_inside(cells, group.start()))
    dividers = {divider["sign"] for group in vectors for divider in _BETWEEN.finditer(group[0])}
    separator = ";" if has_decimal_commas(text) else ","

    def parted(found: re.Match[str]) -> str:
        if not dividers.issuperset(divider["sign"] for divider in _BETWEEN.finditer(found[0])):
            return found[0]
        return _BETWEEN.sub(lambda one: _respelt(one["sign"], separator) + one["below"], found[0])

    return _DIVIDED.sub(parted, text) if dividers else text


def _respelt(divider: str, separator: str) -> str:
    """Return a separator with the blanks around a slash, a bar or a command for one."""
    inner = divider.strip()
    return divider.replace(inner, separator.ljust(len(inner)))


def _is_vector(group: re.Match[str]) -> bool:
    """Return True if numbers with slashes or bars between them are surely no quotient."""
    dividers = list(_BETWEEN.finditer(group[0]))
    is_quotient = len(dividers) == 1 and "/" in dividers[0]["sign"] and _POSITIVE.match(dividers[0]["below"])
    before = group.string[max(0, group.start() - _SHORT) : group.start()]
    is_named = _LINE_BEFORE.search(before) and not _FACTOR_BEHIND.match(group.string, group.end())
    return _DATE.fullmatch(group[0]) is None and (not is_quotient or bool(is_named))


def put_points_in_prose(text: str) -> str:
    """Put points also for the decimal commas of numbers that stand alone among words.

    >>> put_points_in_prose("Summe 10,36, also")
    'Summe 10.36, also'
    """
    return _ALONE.sub(lambda found: found[0].replace(",", "."), put_points(text))


def put_commas(text: str) -> str:
    """Put commas for the words between the last items of a line, unless it is a sentence.

    >>> put_commas("A_1 = 0.27 and 0.73"), put_commas("we like tea and cake and S = 1 and 2")
    ('A_1 = 0.27,    0.73', 'we like tea and cake and S = 1 and 2')
    """

    def line(found: re.Match[str]) -> str:
        start = found.end("line") - found.start()
        before = list(_IS_WORD.compiled.finditer(found[0], 0, start))
        if len(before) > 1 or (before and start > _SHORT):
            return found[0]
        low = found.start("and") - found.start()
        head = _IS_WORD.compiled.sub(lambda word: ",".ljust(len(word[0])), found[0][:start])
        return head + found[0][start:low] + ",".ljust(len(found[0]) - low)

    return _BOTH.compiled.sub(line, text) if _JOINED.search(text) else text


# Numbers that are formulas of their own ---------------------------------------------------------------

_LIST_GAP = late.pattern(r"[\s$,;]{1,12}|\\[()]")
_LONGEST = 20
"""Characters between two numbers of one list."""


def joined_lists(pieces: tuple[Piece, ...], text: str) -> tuple[Piece, ...]:
    """Join decimals that stand side by side, ``$3,54$ und $0,71$``, with commas or a word for "and", to one list."""
    found: list[Piece] = []
    for run in _runs(pieces, text):
        numbers = [piece for piece in run if isinstance(piece, Written)]
        if len(numbers) < 2:
            found.extend(run)
            continue
        first, last = numbers[0], numbers[-1]
        items = tuple(node for piece in numbers if (node := _number(piece)) is not None)
        start, end = _span(first)[0], _span(last)[1]
        side = Side((start, end), t.Vector(items, "(", span=(start, end)))
        found.append(replace(first, span=(first.span[0], last.span[1]), sides=(*first.sides[:-1], side)))
    return tuple(found)


def _runs(pieces: tuple[Piece, ...], text: str) -> Iterator[list[Piece]]:
    """Yield the pieces in their order, those of one list together."""
    run: list[Piece] = []
    for piece in pieces:
        last = next((one for one in reversed(run) if isinstance(one, Written)), None)
        gap = "" if last is None else text[last.span[1] : piece.span[0]]
        is_and = isinstance(piece, Prose) and last is not None and run[-1] is last and _is_and(piece)
        is_next = isinstance(piece, Written) and len(piece.sides) == 1 and _number(piece) is not None
        if last is not None and (is_and or is_next) and len(gap) <= _LONGEST and _is_between(gap, run[-1]):
            run.append(piece)
            continue
        yield from _closed(run)
        run = [piece]
        if not isinstance(piece, Written) or _number(piece) is None:
            yield run
            run = []
    yield from _closed(run)


def _closed(run: list[Piece]) -> Iterator[list[Piece]]:
    """Yield a run; words at its end, and numbers that begin no list, stand alone."""
    if run and isinstance(run[-1], Prose):
        yield from (run[:-1], run[-1:])
    elif run:
        yield run


def _is_between(gap: str, last: Piece) -> bool:
    return isinstance(last, Prose) or _LIST_GAP.fullmatch(gap) is not None


def _is_and(piece: Prose | Heading) -> bool:
    words = piece.text.strip(" ,;")
    return any(item.name == "and" and (item.start, item.end) == (0, len(words)) for item in said(words))


def _number(piece: Written) -> t.Node | None:
    """Return the number that a formula is, or that words before it name; None for anything else."""
    last = piece.sides[-1]
    node = None if last is None else last.node
    inner = node.body if isinstance(node, t.Negative) else node
    is_named = len(piece.sides) == 2 and piece.sides[0] is not None and _is_words(piece.sides[0].node)
    is_decimal = isinstance(inner, t.Number) and "." in inner.text  # whole numbers among words count things
    if not is_decimal or piece.withdrawn or not (len(piece.sides) == 1 or is_named):
        return None
    return node


def _is_words(node: t.Node | None) -> bool:
    return isinstance(node, t.Name) and node.font == "text"


def _span(piece: Written) -> t.Span:
    last = piece.sides[-1]
    return piece.span if last is None else last.span
