"""``symattn schema NAME``: every output for machines is what its schema says, and a key more or fewer is noticed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import symattn as sa
from symattn.api.schemas import OUTPUTS, schema
from symattn.api.transcripts import versions
from tests.checking.stacks import stack_tables
from tests.cli.runner import SMALL, refused, run, validate, validator

ROOT = Path(__file__).parents[2]
GOLDEN = sorted((ROOT / "tests" / "golden").glob("*.json"))
EXAM = ROOT / "examples" / "how_to" / "exam.toml"
CLASS = sorted(path for path in (ROOT / "examples" / "how_to" / "class").iterdir() if path.suffix in {".md", ".txt"})


@pytest.mark.parametrize("name", ["problem", *OUTPUTS])
def test_a_schema_is_one(name: str) -> None:
    outcome = run("schema", name)
    assert (outcome.status, outcome.err) == (0, "")
    found = json.loads(outcome.out)
    assert found == schema(name)
    jsonschema.Draft202012Validator.check_schema(found)
    assert found["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert run("schema").out == run("schema", "problem").out


def test_every_schema_is_named_by_its_command_and_format() -> None:
    for name, output in OUTPUTS.items():
        found = schema(name)
        assert found["$id"] == f"urn:symattn:{name}:{output.format}"
        assert name in run("schema", "--help").out
        assert found["title"].startswith(f"symattn {'--' * (name == 'version')}{name.partition('-')[0]} ")
        assert found["title"].endswith(f", format {output.format}")


def test_an_unknown_schema() -> None:
    refused(run("schema", "solv"), 'Did you mean "solve"')
    refused(run("schema", "nothing"), "problem", *OUTPUTS)


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_reviewed_numbers_follow_their_schema(path: Path) -> None:
    validate("solve", {**json.loads(path.read_text(encoding="utf-8")), "versions": versions()})


@pytest.mark.parametrize("seed", range(4))
def test_drawn_blocks_follow_the_schema(seed: int) -> None:
    validate("solve", sa.solve(sa.Problem.build(**stack_tables(seed))).as_json())


OWN = {"W_Q": [[1]], "W_K": [[1]], "W_V": [[1]]}
KINDS: dict[str, dict[str, Any]] = {
    "plain": {},
    "symbols": {"Q": [["a"]], "symbols": {"a": "real"}},
    "temperature": {"scale": None, "temperature": "2"},
    "policy": {"rounding": {"figures": 3, "steps": ["weights", "outputs"], "each": {"weights": {"places": 2}}}},
    "batch": {"Q": [[[1]], [[2]]]},
    "batch with heads": {"Q": [[[1, 2]], [[2, 1]]], "K": [[1, 0], [0, 1]], "V": [[1, 2], [3, 4]], "heads": 2},
    "heads": {"Q": [[1, 2]], "K": [[1, 0], [0, 1]], "V": [[1, 2], [3, 4]], "heads": 2, "softmax_one": True},
    "mask": {"mask": {"add": [["-inf", "0"]]}, "fully_masked": "zeros"},
    "theorem": {"parts": [{"asks": "map"}, {"asks": "prove:dot-product-mean", "set": {"mu": 0}}]},
    "proofs alone": {"Q": None, "K": None, "V": None, "scale": None, "parts": [{"asks": "prove:dot-product-mean"}]},
}


@pytest.mark.parametrize("kind", KINDS)
def test_kinds_of_problems_follow_the_schema(kind: str) -> None:
    keys = {"Q": [[1]], "K": [[1], [0]], "V": [[1], [0]], "scale": "none", **KINDS[kind]}
    problem = sa.Problem.build(**{key: value for key, value in keys.items() if value is not None})
    validate("solve", sa.solve(problem).as_json())


def test_reports_and_the_lines_of_a_folder_follow_their_schemas(tmp_path: Path) -> None:
    (tmp_path / "bad.md").write_bytes(b"\xff")
    (tmp_path / CLASS[0].name).write_bytes(CLASS[0].read_bytes())
    lines = [json.loads(line) for line in run("check", EXAM, tmp_path).out.splitlines()]
    assert {"error" in line for line in lines} == {True, False}
    for line in lines:
        validate("check-folder", line)


# Keys that nobody announced --------------------------------------------------------------------------


@cache
def sample(name: str) -> Any:
    """Return one output of a command, as rich as a small problem allows."""
    folder = ROOT / "examples"
    arguments: dict[str, tuple[object, ...]] = {
        "solve": (folder / "cached_step.toml",),
        "check": (EXAM, CLASS[1]),
        "prove": ("dot-product-variance", "--instance"),
        "replay": ("-",),
        "theorems": (),
    }
    stdin = run("prove", "dot-product-mean", "--json").out if name == "replay" else ""
    return json.loads(run(name, *arguments[name], "--json", stdin=stdin).out)


def tables(value: Any) -> Iterator[dict[str, Any]]:
    """Yield all tables of a record, the outer ones first."""
    if isinstance(value, dict):
        yield value
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from tables(item)


def slots(record: Any) -> Iterator[tuple[Any, dict[str, Any]]]:
    """Yield copies of a record, each with one of its tables, the first of those that have the same keys."""
    seen: set[tuple[str, ...]] = set()
    for position, table in enumerate(tables(record)):
        if tuple(table) not in seen:
            seen.add(tuple(table))
            own = deepcopy(record)
            yield own, next(found for number, found in enumerate(tables(own)) if number == position)


OPEN = {"arguments", "definitions", "each", "entries", "parameters", "quantities", "sizes", "values", "at", "versions"}
"""Keys of tables whose own keys are names of the problem or of the theorem."""


@pytest.mark.parametrize("name", ["solve", "check", "prove", "replay", "theorems"])
def test_a_key_more_or_fewer_is_noticed(name: str) -> None:
    record = sample(name)
    free = [item for table in tables(record) for key, item in table.items() if key in OPEN and isinstance(item, dict)]
    count = 0
    for own, table in slots(record):
        if table in free:
            continue
        count += 1
        table["surprise"] = None
        assert not validator(name).is_valid(own), table
        del table["surprise"]
        for key in [*table]:
            value = table.pop(key)
            optional = key in {"cell", "counts", "derivation", "instance", "theorems"} or "tokens" in table
            assert optional or not validator(name).is_valid(own), key
            table[key] = value
    assert count > 1


def test_the_errors_of_floats_follow_their_schema(tmp_path: Path) -> None:
    (tmp_path / "small.toml").write_text(SMALL, encoding="utf-8")
    (tmp_path / "array.json").write_text("[[1.25]]", encoding="utf-8")
    record = json.loads(run("compare", tmp_path / "small.toml", tmp_path / "array.json", "--json").out)
    assert not validator("compare").is_valid({**record, "surprise": None})
