"""Whatever a file holds, it is a problem or one sentence."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symattn.errors import SymattnError
from symattn.problem.model import Problem
from symattn.problem.schema.field import Field
from symattn.problem.schema.fields import BIAS_FIELDS, HEAD_FIELDS, MASK_FIELDS, TOP_FIELDS

EXAMPLE = (Path(__file__).parent.parent.parent / "examples" / "ps4_self_attention.toml").read_text(encoding="utf-8")

ODD = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=8),
    st.sampled_from(
        [
            "1/0",
            "1e999999999",
            "nan",
            "-inf",
            "[[1]]",
            "rows",
            "none",
            "a",
            "9^9^9",
            "½",
            "٣",
            "\x00",
            "\\input",
        ]
    ),
)
VALUES = st.recursive(
    ODD, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
)


def paths(fields: tuple[Field, ...], above: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    found: list[tuple[str, ...]] = []
    for field in fields:
        found += [(*above, field.name), *paths(field.fields, (*above, field.name))]
    return found


def sound() -> dict[str, Any]:
    ones = [[1, 2], [3, 4]]
    return {
        "inputs": {"X": ones, "W_Q": ones, "W_K": ones, "W_V": ones},
        "symbols": {"a": "real"},
        "parts": [{"asks": "map"}],
        "rounding": {"each": {}},
        "names": {},
    }


def put(tables: dict[str, Any], path: tuple[str, ...], value: Any) -> None:
    place: Any = tables
    for key in path[:-1]:
        place = place.setdefault(key, {})
        place = place[0] if isinstance(place, list) else place
    place[path[-1]] = value


def refusal(text: str, form: str) -> SymattnError | None:
    try:
        Problem.from_text(text, form, f"x.{form}")
    except SymattnError as error:
        return error
    return None


def one_sentence(text: str, form: str) -> None:
    error = refusal(text, form)
    if error is not None:
        message = str(error)
        assert 0 < len(message) < 700
        assert message.isprintable()
        assert error.exit_status == 2


@given(st.sampled_from(paths(TOP_FIELDS)), VALUES)
def test_any_value_at_any_key(path: tuple[str, ...], value: Any) -> None:
    tables = sound()
    put(tables, path, value)
    one_sentence(json.dumps(tables), "json")


@given(st.sampled_from([field.name for field in HEAD_FIELDS]), VALUES)
def test_any_value_in_a_table_of_heads(key: str, value: Any) -> None:
    ones = [[1, 2], [3, 4]]
    head = {"W_Q": ones, "W_K": ones, "W_V": ones}
    one_sentence(json.dumps({"inputs": {"X": ones}, "heads": [head, {**head, key: value}]}), "json")


@given(st.sampled_from([*paths(MASK_FIELDS, ("mask",)), *paths(BIAS_FIELDS, ("bias",))]), VALUES)
def test_any_value_in_a_mask_of_a_batch(path: tuple[str, ...], value: Any) -> None:
    tables = {**sound(), "heads": 2}
    tables["inputs"]["X"] = [tables["inputs"]["X"]] * 2
    put(tables, path, value)
    one_sentence(json.dumps(tables), "json")


@given(st.dictionaries(st.text(max_size=6) | st.sampled_from([field.name for field in TOP_FIELDS]), VALUES, max_size=4))
def test_any_table(tables: dict[str, Any]) -> None:
    one_sentence(json.dumps(tables), "json")


@given(
    st.integers(0, len(EXAMPLE)),
    st.integers(0, 12),
    st.text(max_size=4) | st.sampled_from(["[[", '"', "'", "=", "\n", "e9", "."]),
)
def test_any_change_of_an_example(start: int, length: int, text: str) -> None:
    one_sentence(EXAMPLE[:start] + text + EXAMPLE[start + length :], "toml")


@pytest.mark.parametrize(
    "entry",
    [
        "[" * 500,
        "(" * 500,
        "a" * 3999,
        "9" * 3999,
        "1+" * 1999 + "1",
        "-" * 3999,
        "√" * 500,
        "a^" * 1500 + "a",
    ],
)
def test_hostile_entries(entry: str) -> None:
    tables = sound()
    tables["inputs"]["X"] = [[entry, 1], [1, 1]]
    one_sentence(json.dumps(tables), "json")
