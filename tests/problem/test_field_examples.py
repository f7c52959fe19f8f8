"""The example of each key is TOML that the reader and the schema take for that key."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import jsonschema
import pytest

from symattn.problem.model import Problem
from symattn.problem.schema.examples import example_of
from symattn.problem.schema.field import Field
from symattn.problem.schema.fields import TOP_FIELDS
from symattn.problem.schema.json_schema import json_schema
from symattn.problem.text.document import parse
from symattn.problem.values.checks import check_table


def keys(fields: tuple[Field, ...], path: str = "") -> Iterator[tuple[str, Field]]:
    """Yield every key of a problem file with its path."""
    for field in fields:
        yield f"{path}{field.name}", field
        yield from keys(field.fields, f"{path}{field.name}.")


ALL = dict(keys(TOP_FIELDS))


@pytest.mark.parametrize("path", ALL)
def test_an_example_is_taken(path: str) -> None:
    field = ALL[path]
    text = f"{field.name} = {example_of(field)}"
    found = tomllib.loads(text, parse_float=Fraction)
    assert list(found) == [field.name]
    assert check_table(parse(text, "toml", "x.toml"), (field,), "x.toml").keys() == {field.name}
    schema = _schema(path)
    assert list(jsonschema.Draft202012Validator(schema).iter_errors(found[field.name])) == []
    assert found[field.name] != field.default


def _schema(path: str) -> dict[str, Any]:
    """Return the schema of a key."""
    schema: Any = json_schema()
    for name in path.split("."):
        while "properties" not in schema:
            pieces = schema.get("anyOf") or [schema["items"]]
            schema = next(piece for piece in (piece.get("items", piece) for piece in pieces) if "properties" in piece)
        schema = schema["properties"][name]
    found: dict[str, Any] = schema
    return found


BESIDE = {"fully_masked": "mask", "kv_heads": "heads", "combine": "heads"}
"""Keys that say more of another one."""


@pytest.mark.parametrize("name", [field.name for field in TOP_FIELDS])
def test_an_example_is_part_of_a_problem(name: str) -> None:
    wanted = {"inputs", name, BESIDE.get(name, name)}
    given = tomllib.loads("\n".join(f"{one} = {example_of(ALL[one])}" for one in wanted))
    if name == "blocks":
        given["inputs"] = {"X": given["inputs"]["X"]}
    Problem.build(**given)
