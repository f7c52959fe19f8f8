"""The schema and the reader agree, for both follow one table."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from symattn.problem.schema.examples import commented_problem
from symattn.problem.schema.fields import SHEET_FIELDS
from symattn.problem.schema.json_schema import json_schema

EXAMPLES = Path(__file__).parent.parent.parent / "examples"
TYPES: dict[str, Any] = {
    "object": dict,
    "array": list,
    "string": str,
    "boolean": bool,
    "integer": int,
    "number": (int, float),
}


def faults(value: Any, schema: dict[str, Any], path: str = "$") -> list[str]:
    """What a value breaks of a schema, for the words that our schema uses; every other word is an error."""
    found: list[str] = []
    for word, wanted in schema.items():
        match word:
            case "type":
                if not isinstance(value, TYPES[wanted]) or (isinstance(value, bool) and wanted != "boolean"):
                    found.append(f"{path} is no {wanted}")
            case "anyOf":
                if all(faults(value, one, path) for one in wanted):
                    found.append(f"{path} fits none")
            case "enum":
                found += [] if value in wanted else [f"{path} is none of {wanted}"]
            case "pattern":
                found += (
                    []
                    if not isinstance(value, str) or re.search(wanted, value)
                    else [f"{path} does not match {wanted}"]
                )
            case "properties":
                for key, one in wanted.items():
                    if isinstance(value, dict) and key in value:
                        found += faults(value[key], one, f"{path}.{key}")
            case "additionalProperties":
                extra = set(value) - set(schema.get("properties", {})) if isinstance(value, dict) else set()
                if wanted is False:
                    found += [f"{path}.{key} is unknown" for key in extra]
                else:
                    found += [fault for key in extra for fault in faults(value[key], wanted, f"{path}.{key}")]
            case "propertyNames":
                found += [fault for key in value for fault in faults(key, wanted, f"{path}.{key}")]
            case "required":
                found += [f"{path}.{key} is missing" for key in wanted if key not in value]
            case "items":
                if isinstance(value, list):
                    for index, item in enumerate(value):
                        found += faults(item, wanted, f"{path}[{index}]")
            case "minItems" | "maxItems" | "maxLength" | "maxProperties":
                few = word.startswith("min")
                if hasattr(value, "__len__") and (len(value) < wanted if few else len(value) > wanted):
                    found.append(f"{path} has the wrong length")
            case "minimum" | "maximum":
                if isinstance(value, (int, float)) and (value < wanted if word == "minimum" else value > wanted):
                    found.append(f"{path} is out of range")
            case "uniqueItems" | "default" | "description" | "title" | "$schema":
                pass
            case _:
                raise AssertionError(word)
    return found


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.toml")), ids=lambda path: path.stem)
def test_examples_follow_the_schema(path: Path) -> None:
    assert faults(tomllib.loads(path.read_text(encoding="utf-8")), json_schema()) == []


def test_the_commented_problem_follows_the_schema() -> None:
    assert faults(tomllib.loads(commented_problem()), json_schema()) == []


@pytest.mark.parametrize(
    ("tables", "fault"),
    [
        ({}, "$ fits none"),
        ({"inputs": {}, "titel": "x"}, "$.titel is unknown"),
        ({"inputs": {"X": [[True]]}}, "$.inputs.X fits none"),
        ({"inputs": {"X": []}}, "$.inputs.X fits none"),
        ({"inputs": {}, "tokens": "row"}, "$.tokens is none of"),
        ({"inputs": {}, "parts": [{}]}, "$.parts[0].asks is missing"),
        ({"inputs": {}, "parts": [{"asks": "maps"}]}, "$.parts[0].asks fits none"),
        ({"inputs": {}, "rounding": {"places": -1}}, "$.rounding.places is out of range"),
        ({"inputs": {}, "symbols": {"β": "real"}}, "does not match"),
    ],
)
def test_the_schema_refuses(tables: dict[str, Any], fault: str) -> None:
    assert any(fault in found for found in faults(tables, json_schema()))


def test_every_key_is_described() -> None:
    schema = json_schema()
    assert json.loads(json.dumps(schema)) == schema
    assert list(schema["properties"]) == [field.name for field in SHEET_FIELDS]
    assert all(entry["description"].endswith(".") for entry in schema["properties"].values())
