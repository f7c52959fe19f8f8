"""TRUSTED. Tokenizer of plain text, and the commas that numpy and MATLAB leave out."""

from __future__ import annotations

import re

from symattn.errors import NotationError
from symattn.notation.lexer.tokens import Token, check_count, check_text, numeral, percentage, settle
from symattn.notation.tree import limits, symbols

_TOKEN = re.compile(
    r"(?P<space>[ \t\r\f\v\u00a0\u2009]+)"
    r"|(?P<line>\n\s*)"
    r"|(?P<dots>\.\.\.)"
    r"|(?P<number>(?:[0-9]+(?:\.(?!\.|T\b)[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)(?P<percent>%?)"
    r"|(?P<infinite>(?:np|numpy|torch|jnp|math)\.inf\b|float\((?P<quote>['\"])-?inf(?:inity)?(?P=quote)\))"
    r"|(?P<library>(?:np|numpy|torch|jnp)\.(?=array|tensor))"
    r"|(?P<transpose>\.T\b)"
    r"|(?P<name>[A-Za-z][A-Za-z0-9]*)"
    r'|(?P<quoted>"(?:[^"\\]|\\.)*")'
    r"|(?P<power>\*\*)"
    r"|(?P<relation>:=|==|~=|->|=>|<=>|<=|>=|!=|~)"
    r"|(?P<above>⁻?[⁰¹²³⁴⁵⁶⁷⁸⁹]+)"
    r"|(?P<side>@)"
)
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_BRACES = {
    "{": ("open", "{"),
    "}": ("close", "}"),
    ".": ("point", "."),
    "%": ("percent", "%"),
}
_LISTED = frozenset({"number", "sign", "slash", "dots"})
_ENDS = frozenset({"number", "name", "quoted", "close", "prime", "top", "dots"})
_STARTS = frozenset({"number", "name", "quoted", "open", "dots", "root", "reals", "mean"})


def tokenize(text: str) -> list[Token]:
    """Split one formula in plain text into tokens, the last one of the kind ``end``.

    >>> [token.text for token in tokenize("[1 2; 3 -4]")]
    ['[', '1', ',', '2', ';', '3', ',', '-', '4', ']', '']

    Raises:
        NotationError: at the first character that no formula holds.
    """
    check_text(text)
    tokens: list[Token] = []
    level = position = 0
    while position < len(text):
        found = _TOKEN.match(text, position)
        if found is None:
            tokens.append(_character(text, position))
            level += {"open": 1, "close": -1}.get(tokens[-1].kind, 0)
            position += 1
            check_count(tokens)
            continue
        tokens.extend(_matched(found, level))
        position = found.end()
        check_count(tokens)
    return settle(with_commas(tokens), len(text))


def _character(text: str, position: int) -> Token:
    character = text[position]
    meaning = _BRACES.get(character) or symbols.CHARACTERS.get(character)
    if meaning is None:
        raise NotationError(f"The character {character!r} has no meaning in a formula here.", position)
    return Token(*meaning, position, position + 1)


def _matched(found: re.Match[str], level: int) -> list[Token]:
    start, end = found.span()
    match found.lastgroup:
        case "number" | "percent":
            return [_number(found)]
        case "infinite":
            return _infinite(start, end, is_negative="-" in found.group())
        case "name" if found.group() in symbols.INFINITE_WORDS:
            return _infinite(start, end)
        case "name":
            if end - start > limits.MAX_NAME:
                raise NotationError(f"A name has {end - start} letters; at most {limits.MAX_NAME} are read.", start)
            return [Token("name", found.group(), start, end)]
        case "quoted":
            return [_quoted(found)]
        case "line":
            return [] if level > 0 else [Token("soft", "the line break", start, end)]
        case "dots":
            return [Token("dots", "cdots", start, end)]
        case "transpose":
            return [Token("above", "^", start, start + 1), Token("top", "⊤", start + 1, end)]
        case "power":
            return [Token("above", "^", start, end)]
        case "relation":
            return [Token("relation", symbols.PLAIN_RELATIONS[found.group()], start, end)]
        case "above":
            return _superscript(found.group(), start)
        case "side":
            return [Token("times", "", start, end)]
        case _:
            return []


def _number(found: re.Match[str]) -> Token:
    digits, start, end = found["number"], found.start(), found.end()
    if found["percent"] and "e" not in digits.lower():
        digits = percentage(digits)
    elif digits.endswith("."):
        end -= 1
    return Token("number", numeral(digits, start), start, end)


def _infinite(start: int, end: int, *, is_negative: bool = False) -> list[Token]:
    name = Token("name", "infty", start, end)
    return [Token("sign", "-", start, start), name] if is_negative else [name]


def _quoted(found: re.Match[str]) -> Token:
    words = _ESCAPED.sub(r"\1", found.group()[1:-1])
    if not 1 <= len(words) <= limits.MAX_NAME:
        raise NotationError(
            f"A quoted name has {len(words)} characters; 1 to {limits.MAX_NAME} are read.", found.start()
        )
    return Token("quoted", words, found.start(), found.end())


def _superscript(digits: str, start: int) -> list[Token]:
    plain = digits.translate(_SUPERSCRIPTS)
    tokens = [Token("above", "^", start, start)]
    if plain.startswith("-"):
        tokens.append(Token("sign", "-", start, start + 1))
    number = plain.removeprefix("-")
    end = start + len(digits)
    return [*tokens, Token("number", numeral(number, end - len(number)), end - len(number), end)]


def with_commas(tokens: list[Token]) -> list[Token]:
    """Insert the commas, without width, that numpy and MATLAB leave out between entries.

    They leave them out in square brackets that hold only numbers side by side, ``[1 -2]``, or that hold
    a semicolon, ``[a b; c d]``.
    """
    grids = _grids(tokens)
    if not grids:
        return tokens
    result: list[Token] = []
    open_brackets: list[bool] = []
    for position, token in enumerate(tokens):
        inside = bool(open_brackets) and open_brackets[-1]
        if inside and position and _is_gap(tokens, position):
            result.append(Token("comma", ",", token.start, token.start))
        if token.kind == "open":
            open_brackets.append(position in grids)
        elif token.kind == "close" and open_brackets:
            open_brackets.pop()
        result.append(token)
    return result


def _grids(tokens: list[Token]) -> set[int]:
    """Return the positions of the opening brackets inside which commas are left out."""
    grids: set[int] = set()
    stack: list[_Bracket] = []
    for position, token in enumerate(tokens):
        if stack and token.kind not in _LISTED and token.kind != "close" and not _is_number(token):
            stack[-1].only_numbers = False
        if stack and token.kind == "semicolon":
            stack[-1].has_semicolon = True
        if stack and _are_two_numbers(tokens, position):
            stack[-1].has_pair = True
        if token.kind == "open":
            stack.append(_Bracket(position, is_square=token.text == "["))
        elif token.kind == "close" and stack:
            bracket = stack.pop()
            if bracket.is_grid:
                grids.add(bracket.position)
    return grids


class _Bracket:
    """The tokens seen so far inside one bracket."""

    def __init__(self, position: int, *, is_square: bool) -> None:
        self.position = position
        self.is_square = is_square
        self.only_numbers = True
        self.has_pair = False
        self.has_semicolon = False

    @property
    def is_grid(self) -> bool:
        return self.is_square and (self.has_semicolon or (self.only_numbers and self.has_pair))


def _is_gap(tokens: list[Token], position: int) -> bool:
    """Return True if white space before a token separates two entries; ``1 - 2`` is one entry, ``1 -2`` are two."""
    before, token = tokens[position - 1], tokens[position]
    if before.end == token.start or before.kind not in _ENDS:
        return False
    if token.kind in _STARTS:
        return True
    following = tokens[position + 1] if position + 1 < len(tokens) else token
    return token.kind == "sign" and following.start == token.end and following.kind in _STARTS


def _is_number(token: Token) -> bool:
    """Return True if a token is a number as programs print it: a numeral, infinity, or nan."""
    return token.kind == "number" or (token.kind == "name" and token.text in {"infty", "nan"})


def _are_two_numbers(tokens: list[Token], position: int) -> bool:
    if not position or not _is_number(tokens[position - 1]):
        return False
    token = tokens[position]
    after = tokens[position + 1] if position + 1 < len(tokens) else token
    is_number = _is_number(token) or (token.kind == "sign" and _is_number(after))
    return is_number and _is_gap(tokens, position)
