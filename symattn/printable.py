"""Text from outside as it may be shown: no character of it can control a terminal, a log or a browser."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING
from unicodedata import category

from symattn import late

if TYPE_CHECKING:
    import json
else:
    json = late.module("json")

_UNUSUAL = r"[^\n -~]"


def visible(text: str, *, lines: bool = False) -> str:
    r"""Return a text with a sign in the place of each character that is not printed as itself.

    Args:
        text: a file name, a message, or written work.
        lines: whether line feeds and tabs are part of the layout and stay.

    >>> visible("a\x1b[2J\nb\u202ec\udcff"), visible("a\tb\n", lines=True)
    ('a␛[2J␊b�c�', 'a\tb\n')
    """
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() or (lines and letter in "\t\n") else _sign(letter) for letter in text)


def _sign(letter: str) -> str:
    if letter < " ":
        return chr(0x2400 + ord(letter))
    if letter == "\x7f":
        return "␡"
    return " " if category(letter) == "Zs" else "�"


def json_text(record: Mapping[str, object], *, indent: int | None = 2) -> str:
    r"""Return a record as JSON in which letters stay letters; what is not printed is an escape, as JSON has it.

    >>> json_text({"Größe": "\x9b\u202e\ud800"}, indent=None)
    '{"Größe": "\\u009b\\u202e\\ud800"}'
    """

    def escaped(found: re.Match[str]) -> str:
        letter = found.group()
        return letter if letter.isprintable() else json.dumps(letter)[1:-1]

    return re.sub(_UNUSUAL, escaped, json.dumps(record, indent=indent, ensure_ascii=False))
