"""The JSON schema of problem files, made from the same tables that the reader follows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

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

_NUMBER = {"anyOf": [{"type": "number"}, {"type": "string"}]}


def json_schema() -> dict[str, Any]:
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


def _top() -> dict[str, Any]:
    """Return the top level: inputs, heads with their own inputs, or parts that ask for proofs and prose alone."""
    table = _table(SHEET_FIELDS)
    required = table.pop("required")
    return {**table, "anyOf": [{"required": names} for names in (required, ["heads"], ["parts"], ["problems"])]}


def _table(fields: tuple[Field, ...]) -> dict[str, Any]:
    table: dict[str, Any] = {
        "type": "object",
        "properties": {field.name: _property(field) for field in fields},
        "additionalProperties": False,
    }
    required = [field.name for field in fields if field.required]
    return {**table, "required": required} if required else table


def _property(field: Field) -> dict[str, Any]:
    described: dict[str, Any] = {"description": field.about, **_KINDS[field.kind](field)}
    if field.default is not None:
        described["default"] = field.default
    return described


def _line(_: Field) -> dict[str, Any]:
    return {"type": "string", "maxLength": MAX_LINE}


def _prose(_: Field) -> dict[str, Any]:
    return {"type": "string", "maxLength": MAX_PROSE}


def _choice(field: Field) -> dict[str, Any]:
    return {"type": "string", "enum": list(field.words)}


def _words(field: Field) -> dict[str, Any]:
    word: dict[str, Any] = {"type": "string", "enum": list(field.words)}
    if field.pattern:
        form = {"type": "string", "pattern": f"^{field.pattern}$"}
        word = {"anyOf": [word, form]} if field.words else form
    return {"anyOf": [word, {"type": "array", "items": word, "uniqueItems": True}]}


def _switch(_: Field) -> dict[str, Any]:
    return {"type": "boolean"}


def _count(field: Field) -> dict[str, Any]:
    return {"type": "integer", "minimum": field.least, "maximum": field.most}


def _counts(field: Field) -> dict[str, Any]:
    return {"type": "array", "items": _count(field)}


def _number(field: Field) -> dict[str, Any]:
    return {
        "anyOf": [
            {"type": "number", "exclusiveMinimum" if field.is_open else "minimum": field.least},
            {"type": "string"},
        ]
    }


def _expression(_: Field) -> dict[str, Any]:
    return dict(_NUMBER)


_IN_FILE: dict[str, Any] = {
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


def _matrix(_: Field) -> dict[str, Any]:
    row = {"type": "array", "items": _NUMBER, "minItems": 1, "maxItems": MAX_SIDE}
    written = {"type": "array", "items": row, "minItems": 1, "maxItems": MAX_SIDE}
    return {"anyOf": [written, {"type": "string"}, _IN_FILE]}


def _sequences(field: Field) -> dict[str, Any]:
    one = _matrix(field)
    return {"anyOf": [one, {"type": "array", "items": one, "minItems": 1, "maxItems": MAX_BATCH}]}


def _vector(field: Field) -> dict[str, Any]:
    return {"anyOf": [{"type": "array", "items": _NUMBER, "minItems": 1, "maxItems": MAX_SIDE}, _matrix(field)]}


def _grid(_: Field) -> dict[str, Any]:
    """Return a row, a matrix, or matrices in one or two lists: one for each head, one for each sequence."""
    entry: dict[str, Any] = {"anyOf": [{"type": "number"}, {"type": "string"}, {"type": "boolean"}]}
    found = [{"type": "string"}, _IN_FILE]
    for _depth in range(4):
        entry = {"type": "array", "items": entry, "minItems": 1, "maxItems": MAX_SIDE}
        found.append(entry)
    return {"anyOf": found}


def _lengths(field: Field) -> dict[str, Any]:
    return {"anyOf": [_count(field), {"type": "array", "items": _count(field), "minItems": 1, "maxItems": MAX_BATCH}]}


def _slopes(_: Field) -> dict[str, Any]:
    return {"anyOf": [_NUMBER, {"type": "array", "items": _NUMBER, "minItems": 1, "maxItems": MAX_HEADS}]}


def _relative(field: Field) -> dict[str, Any]:
    table = {
        "type": "object",
        "propertyNames": {"pattern": f"^{field.pattern}$"},
        "additionalProperties": _NUMBER,
    }
    return {"anyOf": [table, {"type": "array", "items": table, "minItems": 1, "maxItems": MAX_HEADS}]}


def _angles(_: Field) -> dict[str, Any]:
    return {"type": "array", "items": {"anyOf": [{"type": "number"}, {"type": "string"}]}, "minItems": 1}


def _mask(field: Field) -> dict[str, Any]:
    return {"anyOf": [_choice(field), _table(field.fields)]}


def _heads(field: Field) -> dict[str, Any]:
    tables = {"type": "array", "items": _table(field.fields), "minItems": field.least, "maxItems": field.most}
    return {"anyOf": [_count(field), tables]}


def _names(field: Field) -> dict[str, Any]:
    """Return names of the layer's quantities, with the number of a head behind them if it is one head's."""
    return {
        "type": "object",
        "properties": {one.name: _property(one) for one in field.fields},
        "propertyNames": {"pattern": f"^{field.pattern}$"},
        "additionalProperties": _line(field),
    }


def _tables(field: Field) -> dict[str, Any]:
    return {"type": "array", "items": _table(field.fields), "maxItems": MAX_PARTS}


def _symbols(field: Field) -> dict[str, Any]:
    return {
        "type": "object",
        "propertyNames": {"pattern": f"^{field.pattern}$"},
        "additionalProperties": _NUMBER,
        "maxProperties": MAX_SYMBOLS,
    }


def _matrices(field: Field) -> dict[str, Any]:
    """Return the schema of the matrices; the reader checks which names go together."""
    return {
        **_table(field.fields),
        "propertyNames": {"pattern": f"^{field.pattern}$"},
        "additionalProperties": _matrix(field),
    }


def _formulas(field: Field) -> dict[str, Any]:
    return {
        "type": "object",
        "propertyNames": {"pattern": f"^{field.pattern}$"},
        "additionalProperties": {"type": "string", "maxLength": MAX_FORMULA},
        "maxProperties": MAX_DEFINITIONS,
    }


def _settings(field: Field) -> dict[str, Any]:
    return {
        "type": "object",
        "propertyNames": {"pattern": f"^{field.pattern}$"},
        "additionalProperties": {
            "anyOf": [_NUMBER, {"type": "array", "items": _NUMBER, "minItems": 1, "maxItems": MAX_SETTINGS}]
        },
        "maxProperties": MAX_SETTINGS,
    }


def _bounds(field: Field) -> dict[str, Any]:
    return {
        "type": "object",
        "propertyNames": {"pattern": f"^{field.pattern}$"},
        "additionalProperties": _number(field),
    }


def _choices(field: Field) -> dict[str, Any]:
    """Return lists of numbers for whole matrices, rows or entries, by the name of the matrix."""
    entry: dict[str, Any] = dict(_NUMBER)
    found = []
    for _depth in range(3):
        entry = {"type": "array", "items": entry, "minItems": 1, "maxItems": MAX_CHOICES}
        found.append(entry)
        entry = {"anyOf": [_NUMBER, entry]}
    return {
        "type": "object",
        "propertyNames": {"pattern": f"^{field.pattern}$"},
        "additionalProperties": {"anyOf": found},
    }


def _interval(_: Field) -> dict[str, Any]:
    return {"type": "array", "items": _NUMBER, "minItems": 2, "maxItems": 2}


_KINDS: dict[str, Callable[[Field], dict[str, Any]]] = {
    "line": _line,
    "prose": _prose,
    "choice": _choice,
    "words": _words,
    "switch": _switch,
    "count": _count,
    "counts": _counts,
    "indices": _counts,
    "number": _number,
    "expression": _expression,
    "matrix": _matrix,
    "table": lambda field: _table(field.fields),
    "tables": _tables,
    "sequences": _sequences,
    "vector": _vector,
    "grid": _grid,
    "lengths": _lengths,
    "slopes": _slopes,
    "relative": _relative,
    "angles": _angles,
    "mask": _mask,
    "heads": _heads,
    "names": _names,
    "symbols": _symbols,
    "matrices": _matrices,
    "formulas": _formulas,
    "bounds": _bounds,
    "settings": _settings,
    "choices": _choices,
    "interval": _interval,
    "problems": lambda _: {"type": "array", "items": {"$ref": "#"}, "minItems": 1, "maxItems": MAX_PROBLEMS},
}
