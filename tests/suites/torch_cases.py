"""What torch computed, as `record_torch.py` has recorded it, and the problems that its calls pose.

A call becomes one problem for each sequence of its batch. Where torch adds a key of its own after the
projections (`add_bias_kv`, `add_zero_attn`), or projects keys and values from two sources, the problem is given
queries, keys and values: exact projections, with the further keys below them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

from symattn.exact.linear.matrix import Matrix
from symattn.problem.model import Problem
from tests.suites.bounds import MINUS_INFINITY, UNDEFINED, UNITS, LayerBounds, Worst

DATA = Path(__file__).parent / "data" / "torch.jsonl"

Record: TypeAlias = Mapping[str, Any]
Rows: TypeAlias = list[list[Any]]

_WORDS = {"-inf": MINUS_INFINITY, "nan": UNDEFINED}


@cache
def records() -> tuple[Record, ...]:
    """All calls in their order."""
    return tuple(json.loads(line) for line in DATA.read_text("utf-8").splitlines()[1:])


def version() -> str:
    return str(json.loads(DATA.read_text("utf-8").partition("\n")[0])["version"])


def exact(value: Any) -> Any:
    """The exact values of floats in hexadecimal, in all entries of lists; flags as they are."""
    if isinstance(value, list):
        return [exact(item) for item in value]
    return value if isinstance(value, bool) else _WORDS.get(value) or Fraction(float.fromhex(value))


def depth(value: Any) -> int:
    """How many lists stand inside one another."""
    levels = 0
    while isinstance(value, list) and value:
        levels, value = levels + 1, value[0]
    return levels


def side_by_side(heads: Sequence[Rows]) -> Rows:
    """The rows of all heads, one after the other."""
    return [[entry for row in rows for entry in row] for rows in zip(*heads, strict=True)]


def one_or_all(grids: Sequence[Rows]) -> Any:
    """One grid for all heads, or a list of one for each where they differ."""
    return grids[0] if all(grid == grids[0] for grid in grids) else list(grids)


def added(grids: Sequence[Rows]) -> dict[str, Any]:
    """Grids of numbers to add: a bias where all are finite, a mask otherwise."""
    is_finite = all(entry != MINUS_INFINITY for grid in grids for row in grid for entry in row)
    value = {"add": one_or_all(grids)}
    return {"bias": value} if is_finite else {"mask": value}


def worst(record: Record) -> Worst:
    """The worst entry of all that a call has returned."""
    call = Function(record) if record["call"] == "scaled_dot_product_attention" else Layers(record)
    found = Worst()
    for sequence in range(len(call.outputs)):
        problem = Problem.build(**call.keys(sequence))
        bounds = LayerBounds(problem, UNITS[record["type"]])
        where = f"sequence {sequence + 1}, "
        found = found.or_worse(bounds.worst("O", call.output(sequence), where))
        found = found.or_worse(call.worst_of_weights(bounds, sequence, where))
    return found


class Function:
    """A call of scaled_dot_product_attention."""

    def __init__(self, record: Record) -> None:
        self.options = record["options"]
        self.inputs = exact(record["inputs"]["Q"]), exact(record["inputs"]["K"]), exact(record["inputs"]["V"])
        self.outputs = exact(record["outputs"]["output"])

    def keys(self, sequence: int) -> dict[str, Any]:
        """The keys of the problem of one sequence."""
        heads = [matrices[sequence] for matrices in self.inputs]
        found: dict[str, Any] = dict(zip("QKV", map(side_by_side, heads), strict=True))
        found |= {"heads": len(heads[0]), "kv_heads": len(heads[1])}
        if self.options["scale"] is not None:
            found["scale"] = exact(self.options["scale"])
        if self.options["is_causal"]:
            found["mask"] = "causal"
        if "attn_mask" in self.options:
            mask = exact(self.options["attn_mask"])
            grids = mask[sequence] if depth(mask) == 4 else [mask]
            is_flag = isinstance(grids[0][0][0], bool)
            found |= {"mask": {"keep": one_or_all(grids)}} if is_flag else added(grids)
        return found

    def output(self, sequence: int) -> Rows:
        return side_by_side(self.outputs[sequence])

    def worst_of_weights(self, bounds: LayerBounds, sequence: int, where: str) -> Worst:  # noqa: ARG002 - none are returned
        return Worst()


class Layers:
    """A call of a MultiheadAttention."""

    def __init__(self, record: Record) -> None:
        self.layer, self.options = record["layer"], record["options"]
        self.state = {name: exact(value) for name, value in record["state"].items()}
        self.masks = {name: exact(value) for name, value in record["masks"].items()}
        self.inputs = {name: exact(value) for name, value in record["inputs"].items()}
        self.outputs = exact(record["outputs"]["output"])
        self.weights = exact(record["outputs"].get("weights", []))
        self.heads = self.layer["num_heads"]
        self.width = self.layer["embed_dim"]

    def output(self, sequence: int) -> Rows:
        rows: Rows = self.outputs[sequence]
        return rows

    def worst_of_weights(self, bounds: LayerBounds, sequence: int, where: str) -> Worst:
        if not self.weights:
            return Worst()
        if self.options["average_attn_weights"]:
            return bounds.worst_mean(self.weights[sequence], where)
        found = Worst()
        for head, rows in enumerate(self.weights[sequence], 1):
            found = found.or_worse(bounds.worst(f"A^{head}", rows, where))
        return found

    # The problem -------------------------------------------------------------------------------------

    def keys(self, sequence: int) -> dict[str, Any]:
        """The keys of the problem of one sequence; torch's weights meet the tokens as in W x."""
        found: dict[str, Any] = {"heads": self.heads, "W_O": self.state["out_proj.weight"]}
        if self.layer["bias"]:
            found["b_O"] = [self.state["out_proj.bias"]]
        found |= self.given(sequence) if self.is_given else self.projected(sequence)
        return found | self.mask(sequence, self.further)

    @property
    def further(self) -> int:
        """How many keys torch adds to those of the sequence."""
        return [self.layer["add_bias_kv"], self.layer["add_zero_attn"]].count(True)

    @property
    def is_given(self) -> bool:
        return bool(self.further) or "value" in self.inputs

    def weight(self, letter: str) -> Rows:
        """The weights of queries, keys or values: a third of one matrix, or a matrix of their own."""
        own = f"{letter.lower()}_proj_weight"
        rows: Rows = self.state[own] if own in self.state else self.third("in_proj_weight", letter)
        return rows

    def third(self, name: str, letter: str) -> list[Any]:
        start = "QKV".index(letter) * self.width
        part: list[Any] = self.state[name][start : start + self.width]
        return part

    def projected(self, sequence: int) -> dict[str, Any]:
        found: dict[str, Any] = {"projection": "W x"}
        found |= {f"W_{letter}": self.weight(letter) for letter in "QKV"}
        if self.layer["bias"]:
            found |= {f"b_{letter}": [self.third("in_proj_bias", letter)] for letter in "QKV"}
        if "key" in self.inputs:
            return found | {"X_1": self.inputs["query"][sequence], "X_2": self.inputs["key"][sequence]}
        return found | {"X": self.inputs["query"][sequence]}

    def given(self, sequence: int) -> dict[str, Any]:
        found: dict[str, Any] = {"W_O": [list(row) for row in zip(*self.state["out_proj.weight"], strict=True)]}
        sources = self.inputs["query"], self.source("key"), self.source("value")
        for letter, source in zip("QKV", sources, strict=True):
            made = Matrix(source[sequence]) @ Matrix(self.weight(letter)).T
            rows = [list(row) for row in made.rows]
            if self.layer["bias"]:
                bias = self.third("in_proj_bias", letter)
                rows = [[entry + more for entry, more in zip(row, bias, strict=True)] for row in rows]
            found[letter] = [*rows, *self.further_rows(letter)]
        return found

    def source(self, name: str) -> Any:
        before = {"key": "query", "value": "key"}
        while name not in self.inputs:
            name = before[name]
        return self.inputs[name]

    def further_rows(self, letter: str) -> Rows:
        if letter == "Q":
            return []
        name = f"bias_{letter.lower()}"
        rows = [self.state[name][0][0]] if self.layer["add_bias_kv"] else []
        return [*rows, [Fraction(0)] * self.width] if self.layer["add_zero_attn"] else rows

    # Its masks ---------------------------------------------------------------------------------------

    def mask(self, sequence: int, further: int) -> dict[str, Any]:
        """The two masks as one; torch's flags hide, and hide none of its further keys."""
        grids, padding = self.grids(sequence), self.masks.get("key_padding_mask")
        row = padding[sequence] if padding else []
        if self.options["key_padding_mask"] == "bool end" and not further:
            there = {"length": row.count(False)}
            if not grids:
                return {"mask": there}
            if self.options["attn_mask"] == "causal":
                return {"mask": {"causal": True, **there}}
            found = self.drawn(grids)
            return found | {"mask": found.get("mask", {}) | there}
        if self.options["is_causal"] and not row:
            # Told that the mask is causal, torch makes its own, over its further keys too: no query sees those.
            return {"mask": "causal"}
        if row:
            grids = [[together(line, row) for line in grid] for grid in grids] or [[row]]
        nothing = False if grids and isinstance(grids[0][0][0], bool) else Fraction(0)
        return self.drawn([[[*line, *[nothing] * further] for line in grid] for grid in grids])

    def grids(self, sequence: int) -> list[Rows]:
        """The mask by queries and keys, of each head or of all."""
        mask = self.masks.get("attn_mask", [])
        if depth(mask) == 3:
            return list(mask[sequence * self.heads : (sequence + 1) * self.heads])
        return [mask] if mask else []

    @staticmethod
    def drawn(grids: list[Rows]) -> dict[str, Any]:
        if not grids:
            return {}
        return {"mask": {"drop": one_or_all(grids)}} if isinstance(grids[0][0][0], bool) else added(grids)


def together(line: list[Any], row: list[Any]) -> list[Any]:
    """Two masks of one query: flags that hide, or numbers to add where one of them has numbers."""
    if all(isinstance(entry, bool) for entry in (*line, *row)):
        return [a or b for a, b in zip(line, row, strict=True)]
    pairs = zip(map(number, line), map(number, row), strict=True)
    return [MINUS_INFINITY if MINUS_INFINITY in (a, b) else a + b for a, b in pairs]


def number(entry: Any) -> Any:
    return (MINUS_INFINITY if entry else Fraction(0)) if isinstance(entry, bool) else entry
