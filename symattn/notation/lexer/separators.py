"""TRUSTED. Disambiguation of separators: spaces, line breaks, points, commas and lone backslashes between tokens.

They are settled by what stands around them: a comma between two digits is a decimal comma outside of lists,
a wide space parts entries where no other mark does, numbers side by side in brackets are a list, dashes at
both ends of a row of a matrix are decoration. Everything here goes once over the tokens.
"""

from __future__ import annotations

from typing import NamedTuple

from symattn.errors import NotationError
from symattn.notation.lexer.dialects import Dialect
from symattn.notation.lexer.tokens import LINE_BREAK, Token

_ENDS = frozenset({"number", "name", "quoted", "close", "prime", "top", "dots", "unbrace", "endmatrix"})
_STARTS = frozenset({
    "number", "name", "quoted", "open", "angle", "brace", "fraction", "root", "font", "accent", "box", "sum", "matrix",
    "dots", "reals", "mean", "column",
})  # fmt: skip
_LISTED = frozenset({"number", "sign", "slash", "dots", "gap", "lone"})
_SETTLED_HERE = frozenset({"point", "gap", "lone", "comma", "semicolon", "matrix"})
_OPENING = {"open": "close", "angle": "close", "brace": "unbrace", "matrix": "endmatrix"}
_CLOSING = frozenset({"close", "unbrace", "endmatrix"})
_POINT_AFTER = frozenset({"name", "close", "unbrace", "endmatrix"})
_POINT_BEFORE = frozenset({"name", "open", "font", "accent", "matrix", "fraction", "root", "column"})
_PUNCTUATION = frozenset({"comma", "semicolon", "point", "soft"})
# Beside one of these a line break or a wide space is only layout; between two operands it is not.
_OPEN_ENDED = frozenset({
    "sign", "times", "slash", "relation", "comma", "semicolon", "start", "end", "cell", "row", "matrix", "endmatrix",
})  # fmt: skip
_BEFORE_LAYOUT = _OPEN_ENDED | {"open", "brace"}
_AFTER_LAYOUT = _OPEN_ENDED | {"close", "unbrace"}


class Note(NamedTuple):
    """The place and the kind of an ambiguity."""

    reason: str
    at: int


class _Facts:
    """The tokens seen directly inside one pair of brackets, or in one row of a matrix."""

    def __init__(self, kind: str, text: str) -> None:
        self.kind = kind
        self.text = text
        self.seen: set[str] = set()
        self.only_numbers = True
        self.has_pair = False
        self.has_signed_pair = False
        self.last: Token | None = None
        self.commas = [0]
        self.are_tight = self.are_joined = True
        self.is_below_one = False
        self.has_commas = False
        self.has_signed_item = False

    @property
    def parts_by_space(self) -> bool:
        """Return True if white space between two operands separates them."""
        if self.kind == "matrix":
            return not self.seen & {"cell", "comma"} and self.only_numbers and self.has_pair
        if self.kind != "open" or "comma" in self.seen:
            return self.kind == "open" and self.text == "[" and "semicolon" in self.seen
        if self.text == "[":
            return "semicolon" in self.seen or (self.only_numbers and (self.has_pair or self.has_signed_pair))
        return self.only_numbers and self.has_pair and "slash" not in self.seen

    @property
    def parts_by_gap(self) -> bool:
        """Return True if a wide space between two operands separates them."""
        if self.kind == "matrix":
            return not self.seen & {"cell", "comma"}
        return self.kind == "open" and "comma" not in self.seen

    @property
    def has_decimals(self) -> bool:
        """Return True if the commas between the semicolons of a list are decimal: ``[0,71 ; 0 ; -0,71]``."""
        return (
            self.are_tight and max(self.commas) == 1 and (min(self.commas) == 0 or self.is_below_one or self.has_commas)
        )

    @property
    def has_lists(self) -> bool:
        """Return True if a comma here separates items, so that it is not a decimal comma."""
        if self.kind == "open" and "semicolon" in self.seen and (self.text == "(" or self.has_decimals):
            return False
        if self.has_signed_item:
            return True
        is_entry = self.has_commas and self.are_joined and self.commas == [1]
        return self.kind in {"open", "index"} or (self.kind == "matrix" and "cell" not in self.seen and not is_entry)


def settle(tokens: list[Token], dialect: Dialect, flips: frozenset[str]) -> tuple[list[Token], dict[str, Note]]:
    """Return the tokens with all separators settled, and the ambiguities.

    Args:
        tokens: those of one formula.
        dialect: how it is written; a strict one refuses what is ambiguous, and a second statement.
        flips: ``"group"`` to read ``1,000`` as 1.000 with three decimals.

    Raises:
        NotationError: by a strict dialect.
    """
    if not dialect.lenient:
        tokens = _one_statement(tokens)
    kinds = {token.kind for token in tokens}
    if not kinds & _SETTLED_HERE and not _has_list(tokens):
        return tokens, {}
    if "point" in kinds:
        tokens = [_product_point(tokens, position) for position in range(len(tokens))]
    if "lone" in kinds:
        tokens = _lone_backslashes(tokens)
    facts = _facts(tokens)
    for here in facts if "group" in flips else ():
        here.has_commas = True
    if dialect.words or dialect.lenient:
        tokens, facts = _with_separators(tokens, facts, dialect)
    tokens, notes = _with_decimals(tokens, facts, dialect, flips)
    return _without_bars(tokens) if dialect.lenient and "matrix" in kinds else tokens, notes


def _product_point(tokens: list[Token], position: int) -> Token:
    """Turn a point between two operands, with white space on both sides or on neither, into a product sign."""
    token = tokens[position]
    if token.kind != "point" or not 0 < position < len(tokens) - 1:
        return token
    before, after = tokens[position - 1], tokens[position + 1]
    is_even = (before.end == token.start) == (token.end == after.start)
    if is_even and before.kind in _POINT_AFTER and after.kind in _POINT_BEFORE:
        return token._replace(kind="times", text="cdot")
    return token


def _one_statement(tokens: list[Token]) -> list[Token]:
    """Drop what is only layout, and the punctuation at the end.

    A line break, an alignment mark or a wide space is layout beside an operator or a bracket. Between two operands it
    separates two statements, and these must not be read as one product.
    """
    last = len(tokens) - 1
    while last and tokens[last - 1].kind in _PUNCTUATION and tokens[last - 1].text != "{,}":
        last -= 1
    settled: list[Token] = []
    level, before, soft = 0, "start", None
    for token in (*tokens[:last], tokens[-1]):
        level += (token.kind in _OPENING) - (token.kind in _CLOSING)
        if token.kind == "soft":
            soft = soft or (None if token.text == LINE_BREAK and level > 0 else token)
            continue
        if soft and before not in _BEFORE_LAYOUT and token.kind not in _AFTER_LAYOUT:
            raise NotationError(f"A new statement begins after {soft.text}: read one statement at a time.", soft.start)
        settled.append(token)
        before, soft = token.kind, None
    return settled


def _has_list(tokens: list[Token]) -> bool:
    """Return True if a square bracket opens, or two numbers stand side by side."""
    is_number = False
    for token in tokens:
        was_number, is_number = is_number, token.kind == "number"
        if (is_number and was_number) or token.text == "[":
            return True
    return False


def _lone_backslashes(tokens: list[Token]) -> list[Token]:
    """Turn a lone backslash into a row end in a matrix without other row ends; elsewhere into a space."""
    has_rows: set[int] = set()
    owners: list[int] = []
    stack = [-1]
    for position, token in enumerate(tokens):
        if token.kind in _CLOSING and len(stack) > 1:
            stack.pop()
        owners.append(stack[-1])
        if token.kind == "row":
            has_rows.add(stack[-1])
        if token.kind in _OPENING:
            stack.append(position)
    settled: list[Token] = []
    for token, owner in zip(tokens, owners, strict=True):
        if token.kind != "lone":
            settled.append(token)
        elif owner >= 0 and tokens[owner].kind == "matrix" and owner not in has_rows:
            settled.append(token._replace(kind="row"))
        else:
            settled.append(token._replace(kind="gap", text="weak"))
    return settled


def _facts(tokens: list[Token]) -> list[_Facts]:
    """Return the facts of the brackets directly around each token; a bracket belongs to those around it."""
    result: list[_Facts] = []
    stack = [_Facts("top", "")]
    for position, token in enumerate(tokens):
        if token.kind in _CLOSING and len(stack) > 1:
            stack.pop()
        here = stack[-1]
        if token.kind == "row" and here.kind == "matrix":
            here = stack[-1] = _Facts("matrix", here.text)
            result.append(here)
            continue
        result.append(here)
        if token.text != "{,}":
            here.seen.add(token.kind)
        _count(here, tokens, position)
        if token.kind in _OPENING:
            is_index = token.kind == "brace" and position > 0 and tokens[position - 1].kind == "below"
            kind = "index" if is_index else "open" if token.kind == "angle" else token.kind
            stack.append(_Facts(kind, "(" if token.kind == "angle" else token.text))
    return result


def _count(facts: _Facts, tokens: list[Token], position: int) -> None:
    token, before = tokens[position], facts.last
    if token.kind == "semicolon":
        facts.commas.append(0)
    elif token.kind == "comma" and token.text == ",":
        after = tokens[min(position + 1, len(tokens) - 1)]
        facts.commas[-1] += 1
        facts.is_below_one |= before is not None and before.text == "0"
        is_number = before is not None and _is_number(before) and _is_number(after)
        facts.has_signed_item |= _is_before_sign(tokens, position, before)
        is_joined = is_number and before is not None and before.end == token.start and token.end == after.start
        facts.are_joined &= is_joined
        facts.are_tight &= (
            is_joined and before is not None and len(after.text) > 1 and before.text.isdigit() and after.text.isdigit()
        )
    if token.kind in {"gap", "lone"}:
        return
    facts.last = token
    if token.kind not in _LISTED and token.kind not in _CLOSING and not _is_number(token):
        facts.only_numbers = False
    if before is None or not _is_number(before) or before.end == token.start:
        return
    if _is_number(token):
        facts.has_pair = True
    elif token.kind == "sign":
        after = tokens[position + 1]
        facts.has_signed_pair |= _is_number(after) and after.start == token.end


def _is_before_sign(tokens: list[Token], position: int, before: Token | None) -> bool:
    """Return True for the comma of ``0,-1,2``: no decimal comma has a sign right behind it."""
    comma, sign, after = (tokens[min(position + step, len(tokens) - 1)] for step in range(3))
    is_tight = before is not None and before.end == comma.start and comma.end == sign.start and sign.end == after.start
    return is_tight and before is not None and _is_number(before) and sign.kind == "sign" and _is_number(after)


def _is_number(token: Token) -> bool:
    return token.kind == "number" or (token.kind == "name" and token.text in {"infinity", "infty", "nan"})


def _with_separators(tokens: list[Token], facts: list[_Facts], dialect: Dialect) -> tuple[list[Token], list[_Facts]]:
    """Put commas and alignment marks where only space separates two entries; drop all other gaps.

    The strict dialect of plain text does so in square brackets alone, as numpy and MATLAB print lists.
    """
    result: list[Token] = []
    kept: list[_Facts] = []
    strength = 0
    for position, (token, here) in enumerate(zip(tokens, facts, strict=True)):
        if token.kind == "gap":
            # Two narrow spaces are as wide as one; anything less is only layout.
            strength += {"strong": 4, "weak": 2, "thin": 1}.get(token.text, 4)
            continue
        before = result[-1] if result else token
        is_apart = before.kind in _ENDS and before.end < token.start and _begins(tokens, position)
        is_list = (strength >= 4 and here.parts_by_gap) or here.parts_by_space
        if is_apart and is_list and (dialect.lenient or here.text == "["):
            result.append(Token("cell" if here.kind == "matrix" else "comma", ",", token.start, token.start))
            kept.append(here)
        strength = 0
        result.append(token)
        kept.append(here)
    return result, kept


def _begins(tokens: list[Token], position: int) -> bool:
    """Return True if an entry could begin here: an operand, or a sign that touches one, as in ``1 -2``."""
    token = tokens[position]
    if token.kind in _STARTS:
        return True
    after = tokens[min(position + 1, len(tokens) - 1)]
    return token.kind == "sign" and after.start == token.end and after.kind in _STARTS


def _with_decimals(
    tokens: list[Token], facts: list[_Facts], dialect: Dialect, flips: frozenset[str]
) -> tuple[list[Token], dict[str, Note]]:
    """Join numbers with a comma inside to one number each; the strict dialects want braces around the comma."""
    result: list[Token] = []
    notes: dict[str, Note] = {}
    position = 0
    while position < len(tokens):
        run = _run(tokens, position, lists=not dialect.lenient or facts[position].has_lists)
        if run < 2:
            if tokens[position].text == "{,}" and not dialect.lenient:
                raise NotationError("A comma in braces stands between two digits only.", tokens[position].start)
            result.append(tokens[position])
            position += 1
            continue
        parts = [tokens[position + 2 * number] for number in range(run)]
        text = _joined([part.text for part in parts], notes, parts[0].start, flips)
        if text:
            result.append(Token("number", text, parts[0].start, parts[-1].end))
        else:
            result.extend(tokens[position : position + 2 * run - 1])
        position += 2 * run - 1
    if notes and not dialect.lenient:
        raise NotationError(f"Ambiguous: {notes['group'].reason}", notes["group"].at)
    return result, notes


def _run(tokens: list[Token], position: int, *, lists: bool) -> int:
    """Count the numbers that follow with nothing but a comma between each two."""
    count = 0
    while tokens[position].kind == "number":
        count += 1
        comma, after = tokens[position + 1], tokens[min(position + 2, len(tokens) - 1)]
        if comma.kind != "comma" or comma.start == comma.end or (lists and comma.text != "{,}") or comma.text == "，":
            break
        if after.kind != "number" or comma.start != tokens[position].end or comma.end != after.start:
            break
        position += 2
    return count


def _joined(parts: list[str], notes: dict[str, Note], at: int, flips: frozenset[str]) -> str:
    """Return the numeral of these parts with commas between them; an empty text when they are a list."""
    first, last = parts[0], parts[-1]
    whole, mark, decimals = last.partition(".")
    digits = whole.partition("e")[0]
    if not all(part.isdigit() for part in (*parts[:-1], digits)):
        return ""
    grouped = len(first) <= 3 and first[0] != "0" and all(len(part) == 3 for part in (*parts[1:-1], digits))
    if len(parts) > 2 or mark:
        return f"{''.join(parts[:-1])}{whole}{mark}{decimals}" if grouped else ""
    if grouped and "group" not in flips:
        reason = (
            f"{first},{last} is the integer {first}{last} to some, and {first}.{last} with a decimal comma to others"
        )
        notes["group"] = Note(f"{reason}: write it without the comma.", at)
        return first + last
    return f"{first}.{last}"


def _without_bars(tokens: list[Token]) -> list[Token]:
    """Drop dashes and bars in rows of a matrix that only show the direction of its vectors."""
    result: list[Token] = []
    start = -1
    for token in tokens:
        if token.kind in {"row", "endmatrix"} and start >= 0:
            result[start:] = _bare_row(result[start:])
        result.append(token)
        if token.kind in {"row", "matrix"}:
            start = len(result)
        elif token.kind == "endmatrix":
            start = -1
    return result


def _bare_row(row: list[Token]) -> list[Token]:
    kinds = {token.kind for token in row}
    if kinds <= {"bar", "cell"} and "bar" in kinds:
        return []
    bars = [position for position, token in enumerate(row) if token.kind == "bar"]
    if len(bars) == 2 and bars[0] + 1 == bars[1]:
        row = row[: bars[0]] + row[bars[1] :]  # a double rule
        bars.pop()
    if len(bars) == 1:
        row = _without_column_bar(row, bars[0])
    if not row or row[0].kind != "sign" or row[-1].kind != "sign":
        return row
    if [token.kind for token in row] == ["sign", *["cell", "sign"] * (len(row) // 2)]:
        return row  # each entry of it is undefined
    if "cell" in kinds and not (len(row) > 3 and row[1].kind == row[-2].kind == "cell"):
        return row
    first, last = 0, len(row)
    while first < last and row[first].kind in {"sign", "cell"}:
        first += 1
    while last > first and row[last - 1].kind in {"sign", "cell"}:
        last -= 1
    return row[first:last]


def _without_column_bar(row: list[Token], at: int) -> list[Token]:
    """Drop a single bar in a row, which is a rule between two columns: ``1 & 2 & | & 3``, ``1 & 2 | 3``."""
    has_cell_before = at > 0 and row[at - 1].kind == "cell"
    has_cell_after = at + 1 < len(row) and row[at + 1].kind == "cell"
    if has_cell_before and has_cell_after:
        return row[:at] + row[at + 2 :]
    if has_cell_before or has_cell_after or at in {0, len(row) - 1}:
        return row[:at] + row[at + 1 :]
    return [*row[:at], row[at]._replace(kind="cell"), *row[at + 1 :]]
