"""The JSON schema of problem files, made from the same tables that the reader follows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from symattn.problem.schema.field import Field
from symattn.problem.schema.fields import (
    MAX_BATCH,
    MAX_DEFINITIONS,
    MAX_FORMULA,
    MAX_HEADS,
    MAX_LINE,
    MAX_PARTS,
    MAX_PROBLEMS,
    MAX_PROSE,
    MAX_SETTINGS,
    MAX_SIDE,
    MAX_SYMBOLS,
    SHEET_FIELDS,
)
from symattn.problem.schema.variant_fields import MAX_CHOICES

DRAFT = "https://json-schema.org/draft/2020-12/schema"

Schema: TypeAlias = dict[str, Any]


def json_schema() -> Schema:
    """Return the schema of a problem file (JSON Schema, draft 2020-12).

    It says which keys there are and what kind of value each takes. What only the problem as a whole can
    show (shapes that fit, keys that contradict each other, exact spellings of numbers) is left to the reader.

    >>> json_schema()["properties"]["tokens"]["enum"]
    ['rows', 'columns']
    """
    return {
        "$schema": DRAFT,
        "title": "symattn problem",
        "description": "One attention problem: what is given, how it is written, what is asked.",
        **_top(),
    }


def _top() -> Schema:
    """Return the top level: inputs, heads with their own inputs, or parts that ask for proofs and prose alone."""
    table = _table(SHEET_FIELDS)
    required = table.pop("required")
    return {**table, "anyOf": [{"required": names} for names in (required, ["heads"], ["parts"], ["problems"])]}


def _table(fields: tuple[Field, ...]) -> Schema:
    table: Schema = {
        "type": "object",
        "properties": {field.name: _property(field) for field in fields},
        "additionalProperties": False,
    }
    required = [field.name for field in fields if field.required]
    return {**table, "required": required} if required else table


def _property(field: Field) -> Schema:
    described: Schema = {"description": field.about, **_KINDS[field.kind](field)}
    if field.default is not None:
        described["default"] = field.default
    return described


# Kinds of values -----------------------------------------------------------------------------------


_TEXT: Schema = {"type": "string"}
_NUMBER: Schema = {"anyOf": [{"type": "number"}, _TEXT]}


def _any(*ones: Schema) -> Schema:
    return {"anyOf": list(ones)}


def _list(items: Schema, most: int, least: int = 1) -> Schema:
    return {"type": "array", "items": items, "minItems": least, "maxItems": most}


def _one_or_several(one: Schema, most: int) -> Schema:
    return _any(one, _list(one, most))


def _named(field: Field, values: Schema, most: int | None = None) -> Schema:
    """Return the schema of a table whose keys are names of a field's form."""
    bound = {} if most is None else {"maxProperties": most}
    names = {"pattern": f"^{field.pattern}$"}
    return {"type": "object", "propertyNames": names, "additionalProperties": values, **bound}


def _nested(entry: Schema, depth: int, most: int) -> list[Schema]:
    """Return lists of entries, lists of such lists, and so on."""
    found = [_list(entry, most)]
    while len(found) < depth:
        found.append(_list(found[-1], most))
    return found


_IN_FILE: Schema = {
    "type": "object",
    "properties": {
        "file": {
            "type": "string",
            "description": "An array beside the problem file: .npy, or rows of decimals in .csv.",
        },
        "floats": {"enum": ["binary", "shortest"], "description": "How floats of an .npy file are read."},
        "form": {"type": "string", "description": "The format of floats whose type has no name in an .npy file."},
    },
    "required": ["file"],
    "additionalProperties": False,
}
_MATRIX = _any(_nested(_NUMBER, 2, MAX_SIDE)[1], _TEXT, _IN_FILE)


def _choice(field: Field) -> Schema:
    return {"type": "string", "enum": list(field.words)}


def _words(field: Field) -> Schema:
    word = _choice(field)
    if field.pattern:
        form = {"type": "string", "pattern": f"^{field.pattern}$"}
        word = _any(word, form) if field.words else form
    return _any(word, {"type": "array", "items": word, "uniqueItems": True})


def _count(field: Field) -> Schema:
    return {"type": "integer", "minimum": field.least, "maximum": field.most}


def _number(field: Field) -> Schema:
    return _any({"type": "number", "exclusiveMinimum" if field.is_open else "minimum": field.least}, _TEXT)


def _grid(_: Field) -> Schema:
    """Return a row, a matrix, or matrices in one or two lists: one for each head, one for each sequence."""
    entry = _any({"type": "number"}, _TEXT, {"type": "boolean"})
    return _any(_TEXT, _IN_FILE, *_nested(entry, 4, MAX_SIDE))


def _names(field: Field) -> Schema:
    """Return names of the layer's quantities, with the number of a head behind them if it is one head's."""
    return {
        "type": "object",
        "properties": {one.name: _property(one) for one in field.fields},
        "propertyNames": {"pattern": f"^{field.pattern}$"},
        "additionalProperties": _KINDS["line"](field),
    }


def _matrices(field: Field) -> Schema:
    """Return the schema of the matrices; the reader checks which names go together."""
    names = {"pattern": f"^{field.pattern}$"}
    return {**_table(field.fields), "propertyNames": names, "additionalProperties": _MATRIX}


def _choices(field: Field) -> Schema:
    """Return lists of numbers for whole matrices, rows or entries, by the name of the matrix."""
    entry = _list(_NUMBER, MAX_CHOICES)
    row = _list(_any(_NUMBER, entry), MAX_CHOICES)
    return _named(field, _any(entry, row, _list(_any(_NUMBER, row), MAX_CHOICES)))


_KINDS: dict[str, Callable[[Field], Schema]] = {
    "line": lambda _: {"type": "string", "maxLength": MAX_LINE},
    "prose": lambda _: {"type": "string", "maxLength": MAX_PROSE},
    "choice": _choice,
    "words": _words,
    "switch": lambda _: {"type": "boolean"},
    "count": _count,
    "counts": lambda field: {"type": "array", "items": _count(field)},
    "indices": lambda field: {"type": "array", "items": _count(field)},
    "number": _number,
    "expression": lambda _: _NUMBER,
    "matrix": lambda _: _MATRIX,
    "table": lambda field: _table(field.fields),
    "tables": lambda field: {"type": "array", "items": _table(field.fields), "maxItems": MAX_PARTS},
    "sequences": lambda _: _one_or_several(_MATRIX, MAX_BATCH),
    "vector": lambda _: _any(_list(_NUMBER, MAX_SIDE), _MATRIX),
    "grid": _grid,
    "lengths": lambda field: _one_or_several(_count(field), MAX_BATCH),
    "slopes": lambda _: _one_or_several(_NUMBER, MAX_HEADS),
    "relative": lambda field: _one_or_several(_named(field, _NUMBER), MAX_HEADS),
    "angles": lambda _: {"type": "array", "items": _NUMBER, "minItems": 1},
    "mask": lambda field: _any(_choice(field), _table(field.fields)),
    "heads": lambda field: _any(_count(field), _list(_table(field.fields), field.most, field.least)),
    "names": _names,
    "symbols": lambda field: _named(field, _NUMBER, MAX_SYMBOLS),
    "matrices": _matrices,
    "formulas": lambda field: _named(field, {"type": "string", "maxLength": MAX_FORMULA}, MAX_DEFINITIONS),
    "bounds": lambda field: _named(field, _number(field)),
    "settings": lambda field: _named(field, _one_or_several(_NUMBER, MAX_SETTINGS), MAX_SETTINGS),
    "choices": _choices,
    "interval": lambda _: _list(_NUMBER, 2, 2),
    "problems": lambda _: _list({"$ref": "#"}, MAX_PROBLEMS),
}
