"""From the bytes of a problem file to plain tables: limits first, numerals kept as they were typed.

An error of TOML is told with a remedy for the common mistakes: missing quotes, bare fractions, backslashes, brackets
and commas.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from symattn import late
from symattn.errors import InputError, expect, shortened
from symattn.files import decoded, read_bytes, read_stdin
from symattn.printable import visible
from symattn.problem.text.spelling import quoted
from symattn.records import dataclass

if TYPE_CHECKING:
    import json
    import tomllib
else:
    json = late.module("json")
    tomllib = late.module("tomllib")


MAX_BYTES = 10_000_000
MAX_DIGITS = 1000
MAX_DEPTH = 64

_LONG_NUMERAL = f"[0-9][0-9_]{{{MAX_DIGITS},}}"
_KEY_PART = r"""(?:[A-Za-z0-9_\-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+"""
# tomllib takes time quadratic in the parts of a dotted key. Possessive, and begun only where a word
# begins, so that the search itself is linear.
_MANY_PARTS = rf"(?<![A-Za-z0-9_\-])(?:{_KEY_PART}){{{MAX_DEPTH}}}"
_SHORT = min(2 * MAX_DEPTH, MAX_DIGITS)
"""Neither of the two fits a line that is as short as this: a part of a key has one character at least, and a dot."""
_TOML_PLACE = r" \(at (?:line ([0-9]+), column ([0-9]+)|end of document)\)$"
_TOO_DEEP = "nested too deeply; matrices are lists of rows, and nothing in a problem file is deeper than that."

_LONGEST_SHOWN = 300
"""Characters of a path in messages."""


@dataclass(frozen=True, slots=True)
class Numeral:
    """A number with a point or an exponent as the file spells it: never made a binary float.

    >>> Numeral("0.10").text
    '0.10'
    """

    text: str


def read_file(path: str | Path) -> tuple[str, str]:
    """Return the text of a problem file and the name to call it by; ``"-"`` is standard input.

    Raises:
        InputError: The file cannot be read, is too large, or is not UTF-8.

    >>> read_file("nowhere.toml")
    Traceback (most recent call last):
    symattn.errors.InputError: nowhere.toml cannot be read: No such file or directory.
    """
    expect(path, (str, Path), "A problem file is named by text or by a Path")
    source = "<stdin>" if str(path) == "-" else visible(shortened(str(path), _LONGEST_SHOWN))
    data = read_stdin(MAX_BYTES + 1) if source == "<stdin>" else read_bytes(path, MAX_BYTES, source)
    _check_size(data, source)
    return decoded(data, source), source


def _check_size(content: bytes | str, source: str) -> None:
    if len(content) > MAX_BYTES:
        raise InputError(f"{source} is larger than {MAX_BYTES:,} bytes; a problem file holds one problem.")


def parse(text: str, format: str, source: str) -> dict[str, Any]:  # noqa: A002 (the word that people use)
    """Return the tables of a problem file.

    Args:
        text: the file.
        format: ``"toml"``, ``"json"``, or empty: by the ending of `source`, else by the first character.
        source: what messages call the file.

    Raises:
        InputError: With the line, where the text is neither TOML nor JSON or breaks a limit.

    >>> parse("points = 2.50", "toml", "x.toml")
    {'points': Numeral(text='2.50')}
    """
    _check_size(text, source)
    if format not in ("", "toml", "json"):
        raise InputError(f'A problem file is "toml" or "json", not {quoted(format)}.')
    text = text.removeprefix("\ufeff")
    _check_limits(text, source)
    if not format:
        format = "json" if source.endswith(".json") or _looks_like_json(text, source) else "toml"  # noqa: A001
    try:
        return _parse_json(text, source) if format == "json" else _parse_toml(text, source)
    except RecursionError as error:
        raise InputError(f"{source} is {_TOO_DEEP}") from error


def _looks_like_json(text: str, source: str) -> bool:
    return not source.endswith(".toml") and text.lstrip()[:1] == "{"


def _check_limits(text: str, source: str) -> None:
    nul = text.find("\0")
    if nul >= 0:
        raise InputError(f"{source}, line {_line(text, nul)}: a NUL character; give a text file.")
    if max(map(len, text.split("\n"))) < _SHORT:
        return  # start-up: no pattern is compiled for what is not there
    long = re.search(_LONG_NUMERAL, text)
    if long:
        raise InputError(
            f"{source}, line {_line(text, long.start())}: a number has more than {MAX_DIGITS:,} digits; "
            "shorten it or write it as a fraction."
        )
    parts = re.search(_MANY_PARTS, text)
    if parts:
        raise InputError(f"{source}, line {_line(text, parts.start())}: {_TOO_DEEP}")


def _line(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1


def _parse_toml(text: str, source: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text, parse_float=Numeral)
    except tomllib.TOMLDecodeError as error:
        message = str(error)
        place = re.search(_TOML_PLACE, message)
        if place is None:
            raise InputError(f"{source}: {_clause(message)}.") from error
        line = int(place[1]) if place[1] else _line(text, len(text.rstrip()))
        column = f", column {place[2]}" if place[2] else ""
        mended = _remedy(message, text, line, int(place[2])) if place[2] else ""
        raise InputError(f"{source}, line {line}{column}: {_clause(message[: place.start()])}.{mended}") from error
    except ValueError as error:  # a date such as 2024-13-45, the one literal that tomllib converts unchecked
        raise InputError(f"{source}: {_clause(str(error))}.") from error


def _remedy(message: str, text: str, line: int, column: int) -> str:
    found = remedy(message, text, line, column)
    return f" {found}" if found else ""


def _clause(message: str) -> str:
    shown = visible(message[:200])
    return "not TOML: " + shown[:1].lower() + shown[1:]


def _parse_json(text: str, source: str) -> dict[str, Any]:
    def table(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key, value in pairs:
            if key in found:
                raise InputError(f"{source}: the key {quoted(key)} is given twice in one table.")
            found[key] = value
        return found

    try:
        found = json.loads(text, parse_float=Numeral, parse_constant=Numeral, object_pairs_hook=table)
    except json.JSONDecodeError as error:
        reason = error.msg[:1].lower() + error.msg[1:]
        raise InputError(f"{source}, line {error.lineno}, column {error.colno}: not JSON: {reason}.") from error
    if not isinstance(found, dict):
        raise InputError(f"{source}: a problem file is one table of keys, not a list or a single value.")
    return found


_LONGEST = 60
"""Characters of a value that a remedy repeats."""

_QUOTES = "\"'“”„‘’«»"
_KEY = late.pattern(r"[ \t]*([A-Za-z0-9_\-^.]+)[ \t]*[=:]")
_NUMBER = r"[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?"
_POINT_AT_AN_END = late.pattern(r"([-+]?)([0-9]*)\.([0-9]*)")
_SPACED_NUMBERS = late.pattern(rf"{_NUMBER}(?:[ \t]+{_NUMBER})+")
_COMMA = late.pattern("([-+]?[0-9]+),([0-9]+)")
_MINUS = late.pattern(r"[−–][0-9]+(?:\.[0-9]+)?")
_CURLY = late.pattern("[“”„‘’«»]")
_SWITCH = late.pattern("true|false", re.IGNORECASE)
_OF_BACKSLASHES = ("Unescaped '\\' in a string", "Invalid hex value", "Escaped character")
_OF_ENDS = ("Illegal character '\\n'", "Found invalid character '\\n'")
_OF_VALUES = ("Invalid value", "Unclosed array", "Unclosed inline table", "Expected newline", "Invalid date")


def remedy(message: str, text: str, line: int, column: int) -> str:
    r"""Return the sentence that mends a TOML error, or empty text.

    Args:
        message: the error of the TOML parser.
        text: the whole file.
        line: the line of the error, counted from 1.
        column: its column, likewise.

    >>> remedy("Invalid value", "tokens = columns", 1, 10)
    'Text needs quotes: tokens = "columns".'
    >>> remedy("Unclosed array", "X = [[1/3, 1]]", 1, 8)
    'A fraction or root needs quotes: "1/3".'
    """
    found = text.split("\n")[line - 1].rstrip("\r")
    if message.startswith(_OF_BACKSLASHES):
        return "Write '…' (single quotes) or double the backslash."
    if message.startswith(_OF_ENDS):
        return "Close the quotes on the line where they open."
    if message.startswith("Expected '=' after a key"):
        key = _KEY.match(found)
        return f"Write {key[1]} = and the value, without a colon." if key and key[0].endswith(":") else ""
    if message.startswith("Cannot overwrite a value"):
        key = _KEY.match(found)
        return f"The key {key[1]} is given twice in one table: leave one of them out." if key else ""
    if message.startswith(_OF_VALUES):
        return _of_value(message, found, column - 1)
    return ""


def _of_value(message: str, line: str, at: int) -> str:
    """Return the remedy for a value that is not TOML."""
    if message.startswith("Unclosed"):
        if line[at : at + 1] == "[":
            return "Put a comma between the rows."
        key = _KEY.match(line)
        if key and key.end() > at and key[0].endswith("="):
            return f"Close the bracket ] above {key[1]}."
    key = _KEY.match(line)
    if key is not None and ";" in line[at:] and "[" in line:
        value = line[key.end() :].strip()
        return f"Semicolons between rows need quotes: {key[1]} = {quoted(value)}." if len(value) <= _LONGEST else ""
    is_whole = key is not None and not message.startswith("Unclosed") and not re.search(r"[\[{]", line[:at])
    if key is not None and is_whole:
        return _of_element(re.split(r"[ \t]#", line[key.end() :])[0], f"{key[1]} = ")
    start = max(line.rfind(mark, 0, at) for mark in "[{,=") + 1
    end = re.compile(r"[\],}#]|$").search(line, at)
    return _of_element(line[start : end.start() if end else None], "")


def _of_element(value: str, key: str) -> str:
    """Return the remedy for one bare value; `key` stands before the example."""
    bare = value.strip().strip(_QUOTES)
    if not bare or len(bare) > _LONGEST or "=" in bare:
        return ""
    if _SWITCH.fullmatch(bare):
        return f"Write {key}{bare.lower()}, in small letters."
    point = _POINT_AT_AN_END.fullmatch(bare)
    if point and (point[2] or point[3]):
        return f"A point stands between digits: {key}{point[1]}{point[2] or '0'}.{point[3] or '0'}."
    if _SPACED_NUMBERS.fullmatch(bare):
        return f"Put commas between numbers: {', '.join(bare.split())}."
    comma = _COMMA.fullmatch(bare)
    if comma:
        return f"A decimal takes a point: {key}{comma[1]}.{comma[2]}."
    if _MINUS.fullmatch(bare):
        return f"Write the minus sign as a hyphen: {key}-{bare[1:]}."
    example = f": {key}{quoted(bare)}"
    if '"' in bare or "\\" in bare:
        example = "" if "'" in bare else f": {key}'{visible(bare)}'"
    if _CURLY.match(value.strip()):
        return f"Quotes must be straight{example}."
    if re.search("[0-9)] *[*^] *[0-9(]", bare):
        return f"An expression needs quotes{example}."
    if re.search("sqrt|√", bare) or re.search("[0-9)] */ *[0-9(]", bare):
        return f"A fraction or root needs quotes{example}."
    if re.search(r"[^\W\d]", bare):
        return f"Text needs quotes{example}."
    return ""
