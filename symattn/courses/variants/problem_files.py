"""The problem file of a variant: the tables of the design's own file, with drawn inputs and without the design."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from symattn.courses.variants.draws import Rows
from symattn.errors import InputError
from symattn.problem.schema.fields import MAX_LINE
from symattn.problem.text.document import Numeral, parse

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


def variant_text(tables: Mapping[str, Any], inputs: Mapping[str, Rows], number: int, note: str) -> str:
    """Return the problem file of a variant as TOML.

    Args:
        tables: those of the design's file.
        inputs: the drawn inputs.
        number: of the variant, which is added to the title.
        note: a comment for the first line.

    Raises:
        InputError: the file has a value that TOML cannot hold.
    """
    title = f"{tables.get('title', '')} (#{number})".strip()
    drawn = {name: [list(map(_entry, row)) for row in rows] for name, rows in inputs.items()}
    changed = {"title": title[-MAX_LINE:], "inputs": {**tables["inputs"], **drawn}}
    made = {key: value for key, value in {**changed, **tables, **changed}.items() if key != "variants"}
    text = f"# {note}\n" + toml_text(made)
    if parse(text, "toml", "the variant") != made:
        raise InputError("The problem file holds a value that cannot be written as TOML.")
    return text


def _entry(value: Fraction) -> int | str:
    return value.numerator if value.denominator == 1 else str(value)


def toml_text(tables: Mapping[str, Any]) -> str:
    """Return tables as TOML, a row of a matrix on a line.

    >>> print(toml_text({"places": 2, "inputs": {"X": [[1, "1/2"], [0, 1]]}}), end="")
    places = 2
    <BLANKLINE>
    [inputs]
    X = [[1, "1/2"],
         [0, 1]]
    """
    return "\n".join(_table_lines(tables, "")).strip() + "\n"


def _table_lines(table: Mapping[str, Any], path: str) -> Iterator[str]:
    later = {key for key, value in table.items() if isinstance(value, Mapping) or _is_tables(value)}
    for key, value in table.items():
        if key not in later:
            head = f"{_key(key)} = "
            yield head + _value(value, len(head))
    for key in table:
        if key in later:
            value, inner = table[key], f"{path}.{_key(key)}" if path else _key(key)
            for one in [value] if isinstance(value, Mapping) else value:
                yield ""
                yield f"[{inner}]" if isinstance(value, Mapping) else f"[[{inner}]]"
                yield from _table_lines(one, inner)


def _is_tables(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(item, Mapping) for item in value)


def _value(value: Any, indent: int = 0) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case Numeral(text):
            return text
        case str():
            return _text(value)
        case Mapping():
            return f"{{{', '.join(f'{_key(key)} = {_value(item)}' for key, item in value.items())}}}"
        case Sequence():
            is_matrix = len(value) > 1 and all(isinstance(item, list) for item in value) and indent
            between = ",\n" + " " * (indent + 1) if is_matrix else ", "
            return f"[{between.join(map(_value, value))}]"
    raise InputError(f"The problem file holds a value of the type {type(value).__name__}, which a variant cannot have.")


def _text(text: str) -> str:
    lines = [json.dumps(line, ensure_ascii=False)[1:-1].replace("\x7f", "\\u007f") for line in text.split("\n")]
    return '"""\n' + "\n".join(lines) + '"""' if len(lines) > 1 else f'"{lines[0]}"'


def _key(key: str) -> str:
    return key if _BARE_KEY.fullmatch(key) else json.dumps(key, ensure_ascii=False)
