"""Every feature of problem files with every other one, on the smallest layer that can have both."""

from __future__ import annotations

import json
from collections.abc import Callable
from copy import deepcopy
from itertools import combinations
from pathlib import Path
from typing import Any, TypeAlias

import symattn as sa
from symattn.errors import InputError

Tables: TypeAlias = dict[str, Any]

OWN = ("W_Q", "W_K", "W_V", "W_O")
SQUARE = [[1, 0, 1, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]
PLAIN: Tables = {
    "inputs": {"X": [[1, 0, 0, 2], [2, 1, 1, 0]], "W_Q": SQUARE, "W_K": SQUARE, "W_V": SQUARE},
    "rounding": {"places": 2},
}


def _cross(tables: Tables) -> None:
    tables["inputs"]["X_1"] = tables["inputs"].pop("X")
    tables["inputs"]["X_2"] = _tokenwise(tables, [[1, 1, 0, 1], [0, 1, 2, 0]])


def _tokens(tables: Tables) -> str:
    return "X_1" if "X_1" in tables["inputs"] else "X"


def _tokenwise(tables: Tables, rows: list[list[int]]) -> list[list[int]]:
    """Return a matrix with a row for each token as the problem writes it."""
    return [list(column) for column in zip(*rows, strict=True)] if tables.get("tokens") == "columns" else rows


def _batch(tables: Tables) -> None:
    name = _tokens(tables)
    tables["inputs"][name] = [tables["inputs"][name], _tokenwise(tables, [[0, 1, 1, 0], [1, 1, 0, 1]])]


def _columns(tables: Tables) -> None:
    tables["tokens"] = "columns"
    tables["inputs"]["X"] = _tokenwise(tables, tables["inputs"]["X"])


def _symbol(tables: Tables) -> None:
    name = _tokens(tables)
    first = tables["inputs"][name][0]
    row = first[0] if isinstance(first[0], list) else first
    row[0] = "a"
    tables["symbols"] = {"a": "positive"}


def _grouped(tables: Tables) -> None:
    tables.update(heads=2, kv_heads=1)
    for name in ("W_K", "W_V"):
        rows = tables["inputs"][name]
        tables["inputs"][name] = rows[:2] if tables.get("tokens") == "columns" else [row[:2] for row in rows]


def _cache(tables: Tables) -> None:
    past = [1, 2, 0, 1][: 2 if "kv_heads" in tables else 4]
    rows = [[entry] for entry in past] if tables.get("tokens") == "columns" else [past]
    tables["cache"] = {"K": rows, "V": rows}


def _learned(tables: Tables) -> None:
    tables["positions"] = {"kind": "learned", "table": _tokenwise(tables, [[0, 1, 1, 0], [1, 0, 0, 2]])}


def _gradient(tables: Tables) -> None:
    tables["gradient"] = {
        "dY" if {"block", "blocks"} & tables.keys() else "dO": _tokenwise(tables, [[1, 0, 0, 1], [0, 1, 0, 0]])
    }


def _blocks(tables: Tables) -> None:
    inputs = tables["inputs"]
    own = {name: inputs.pop(name) for name in OWN if name in inputs}
    tables["blocks"] = [{"inputs": own}, {"inputs": deepcopy(own)}]


def _hidden(tables: Tables) -> None:
    past = [1] if "cache" in tables else []
    tables.update(mask={"keep": [[0 for _ in (*past, 1, 2)], [*past, 1, 1]]}, fully_masked="zeros")


def _projected(tables: Tables) -> None:
    tables["inputs"]["W_O"] = [[1, 2, 0, 0], [0, 1, 1, 0], [1, 0, 1, 0], [0, 0, 3, 1]]


def _figures(tables: Tables) -> None:
    tables["rounding"] = {**tables["rounding"], "figures": 3}
    del tables["rounding"]["places"]


def _maxima(tables: Tables) -> None:
    tables["rounding"] = {**tables["rounding"], "shift": True}


def _definitions(tables: Tables) -> None:
    name = _tokens(tables)
    tables["definitions"] = {"S": f"{name} {name}^T", "A": "softmax(S)", "O": f"A {name}"}


def _put(**keys: Any) -> Callable[[Tables], None]:
    return lambda tables: tables.update(deepcopy(keys))


FEATURES: dict[str, Callable[[Tables], None]] = {
    "tokens in columns": _columns,
    "cross-attention": _cross,
    "batch": _batch,
    "symbols": _symbol,
    "rounded steps": _put(rounding={"places": 2, "steps": "all"}),
    "mask": _put(mask={"causal": True}),
    "bias": _put(bias={"alibi": "1/2"}),
    "softcap": _put(softcap=2),
    "extra 1": _put(softmax_one=True),
    "heads": _put(heads=2),
    "grouped heads": _grouped,
    "cosine score": _put(score="cosine"),
    "sinusoidal positions": _put(positions={"kind": "sinusoidal"}),
    "learned positions": _learned,
    "rotary positions": _put(positions={"kind": "rope"}),
    "cache": _cache,
    "online softmax": _put(online=1),
    "output projection": _projected,
    "hidden rows": _hidden,
    "significant figures": _figures,
    "subtracted maxima": _maxima,
    "order of weights asked": _put(parts=[{"asks": ["map", "pattern"]}]),
    "block": _put(block={"norm": "layer", "eps": "1/100"}),
    "several blocks": _blocks,
    "gradient": _gradient,
    "definitions": _definitions,
}
"""The features, in the order in which they change a problem."""

DATA = json.loads((Path(__file__).parents[1] / "data" / "combinations.json").read_text(encoding="utf-8"))
"""The table that the documentation shows: features, choices of one key, and the pairs that are refused."""

SAME = frozenset(frozenset(pair) for kinds in DATA["choices"] for pair in combinations(kinds, 2))
"""Pairs that are two choices of one key."""

PAIRS = [pair for pair in combinations(FEATURES, 2) if frozenset(pair) not in SAME]

REFUSED: dict[tuple[str, ...], str] = {tuple(item["features"]): item["says"] for item in DATA["refused"]}
"""The sentence of each pair that is refused."""


def problem(first: str, second: str) -> Tables:
    """Return the keys of a problem with two features."""
    tables = deepcopy(PLAIN)
    for name, change in FEATURES.items():
        if name in {first, second}:
            change(tables)
    return tables


def refusal(tables: Tables) -> str:
    """Return the sentence by which a problem is refused, or nothing where it has a key with all statements proved."""
    try:
        sa.solve(sa.Problem.build(**tables)).document()
    except InputError as error:
        return str(error).removeprefix("<python>, ")
    return ""
