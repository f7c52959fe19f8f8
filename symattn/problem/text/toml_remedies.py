"""Remedies for common mistakes in TOML: missing quotes, bare fractions, backslashes, brackets and commas."""

from __future__ import annotations

import re

from symattn.printable import visible
from symattn.problem.text.spelling import quoted

_LONGEST = 60
"""Characters of a value that a remedy repeats."""

_QUOTES = "\"'“”„‘’«»"
_KEY = re.compile(r"[ \t]*([A-Za-z0-9_\-^.]+)[ \t]*[=:]")
_NUMBER = r"[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?"
_POINT_AT_AN_END = re.compile(r"([-+]?)([0-9]*)\.([0-9]*)")
_SPACED_NUMBERS = re.compile(rf"{_NUMBER}(?:[ \t]+{_NUMBER})+")
_COMMA = re.compile("([-+]?[0-9]+),([0-9]+)")
_MINUS = re.compile(r"[−–][0-9]+(?:\.[0-9]+)?")
_CURLY = re.compile("[“”„‘’«»]")
_SWITCH = re.compile("true|false", re.IGNORECASE)
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
