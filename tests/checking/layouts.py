"""Layers of every layout, drawn at random: from two to six tokens, masks, heads, positions, caches, blocks, gradients.

`tests.attention.problems` draws plain layers in many styles of numbers and parts; here the features of layers are
combined, on as many tokens as large matrices need to be shown with dots.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from random import Random
from typing import Any, TypeAlias

from symattn.api.solutions import Result, solve
from symattn.checking.check import check_text
from symattn.errors import InputError
from symattn.graph.statements.chains import Detail
from symattn.problem.model import Problem
from tests.checking.unmarked import FINE, TEMPLATES, covering, relations, without_comments
from tests.rendering.keys import DETAILS

Tables: TypeAlias = dict[str, Any]
Rows: TypeAlias = list[list[int | str]]

ENTRIES: tuple[tuple[int | str, ...], ...] = (
    (-1, 0, 1),
    (-2, -1, 0, 1, 2, 3),
    (0, 1, "1/2", "-1/2"),
    ("0.5", "-1.2", 1),
)
SIZES = {"few": (2, 2, 3), "many": (5, 5, 6)}
_TRIES = 400


@dataclass(frozen=True)
class Shape:
    """Sizes of a layer: queries, keys, the length of tokens and of all heads together."""

    queries: int
    keys: int
    width: int
    heads: int


@dataclass(frozen=True)
class DrawnKey:
    """The key of a drawn layer.

    Attributes:
        label: the features, for messages.
        tables: the problem file.
        result: the solved problem.
        tex: the key as it is written, its comments included.
    """

    label: str
    tables: Tables
    result: Result
    tex: str

    def alarms(self, *, strict: bool) -> list[str]:
        """Return what a check holds against the key, handed in as work, and the relations that it passes over.

        A strict check reads it without its comments, another one as it is written.
        """
        tex = without_comments(self.tex) if strict else self.tex
        report = check_text(self.result.problem, tex, "tex", strict=strict)
        found = [
            f"line {item.place.line}: {item.verdict} {item.text} ({item.explanation})"
            for item in report.findings
            if item.verdict not in FINE
        ]
        if report.missing:
            found.append(f"missing: {', '.join(report.missing)}")
        for at, (start, end) in relations(tex) if strict else ():
            around = [item.place for item in covering(report.findings, at)]
            if len(around) != 1 or around[0].start < start or around[0].end > end:
                found.append(f"not a statement: {tex[max(start, at - 20) : at + 20]}")
        return found


def drawn(seed: int) -> DrawnKey:
    """Return the key of a layer that the seed chooses; combinations that are refused are drawn again."""
    random = Random(seed)
    for _ in range(_TRIES):
        draw = _Draw(random)
        tables = draw.tables()
        detail: Detail = random.choice(DETAILS)
        template = random.choice(TEMPLATES)
        try:
            result = solve(Problem.build(**deepcopy(tables)))
            tex = result.to_latex(template, detail)
        except InputError:
            continue
        return DrawnKey(f"seed {seed}: {', '.join(draw.features)}, {template}, {detail}", tables, result, tex)
    raise AssertionError("no drawn layer is taken")


class _Draw:
    """One layer being drawn."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.keys: Tables = {}
        self.inputs: Tables = {}
        self.features: list[str] = []
        self.entries = random.choice(ENTRIES)

    def tables(self) -> Tables:
        random = self.random
        columns = random.random() < 0.3
        if columns:
            self.keys["tokens"] = "columns"
            self.features.append("columns")
        shape = self._shape()
        self.features.append(f"{shape.queries} × {shape.keys}, width {shape.width}")
        kind = "self" if shape.queries == shape.keys and random.random() < 0.7 else random.choice(("cross", "given"))
        self.features.append(kind)
        self._put_inputs(kind, shape)
        chosen: list[Callable[[Shape], None]] = [step for step, share in self._steps(kind) if random.random() < share]
        for step in chosen:
            self.features.append(step.__name__.strip("_"))
            step(shape)
        self._put_rounding()
        return {**self.keys, "inputs": self.inputs}

    def _shape(self) -> Shape:
        sizes = SIZES[self.random.choice(("few", "many"))]
        queries = self.random.choice(sizes)
        keys = queries if self.random.random() < 0.7 else self.random.choice(sizes)
        heads = self.random.choice((0, 0, 0, 1, 2, 2))
        return Shape(queries, keys, 4 if heads == 2 and self.random.random() < 0.3 else 2, heads)

    def _steps(self, kind: str) -> list[tuple[Callable[[Shape], None], float]]:
        positions = self.random.choice((self._rope, self._rope, self._learned, self._sinusoidal))
        around = self.random.choice((self._gradient, self._gradient, self._block, self._cache, self._online))
        return [
            (self._heads, 0.9),
            (self._scale, 0.6),
            (self._mask, 0.5),
            (self._bias, 0.15),
            (self._softcap, 0.05),
            (self._softmax_one, 0.1),
            (self._score, 0.1),
            (self._biases, 0.0 if kind == "given" else 0.2),
            (positions, 0.2),
            (around, 0.6),
        ]

    # Inputs ----------------------------------------------------------------------------------------

    def table(self, rows: int, columns: int) -> Rows:
        return [[self.random.choice(self.entries) for _ in range(columns)] for _ in range(rows)]

    def tokens(self, count: int, length: int) -> Rows:
        """Return tokens as rows or as columns, as the problem has them."""
        return self.table(length, count) if self.keys.get("tokens") == "columns" else self.table(count, length)

    def weight(self, into: int, out: int) -> Rows:
        return self.table(out, into) if self.keys.get("tokens") == "columns" else self.table(into, out)

    def _put_inputs(self, kind: str, shape: Shape) -> None:
        if kind == "given":
            counts = {"Q": shape.queries, "K": shape.keys, "V": shape.keys}
            self.inputs = {name: self.tokens(count, shape.width) for name, count in counts.items()}
            return
        if kind == "self":
            self.inputs["X"] = self.tokens(shape.queries, shape.width)
        else:
            self.inputs |= {
                "X_1": self.tokens(shape.queries, shape.width), "X_2": self.tokens(shape.keys, shape.width)
            }  # fmt: skip
        self.inputs |= {name: self.weight(shape.width, shape.width) for name in ("W_Q", "W_K", "W_V")}

    # Features --------------------------------------------------------------------------------------

    def _heads(self, shape: Shape) -> None:
        if not shape.heads:
            return
        self.keys["heads"] = shape.heads
        self.features.append(f"{shape.heads} heads")
        if shape.heads == 2 and self.random.random() < 0.3:
            self.features.append("kv_heads 1")
            self.keys["kv_heads"] = 1
            half = shape.width // 2
            for letter in "KV":
                if letter in self.inputs:
                    self.inputs[letter] = self.tokens(shape.keys, half)
                else:
                    self.inputs[f"W_{letter}"] = self.weight(shape.width, half)
        if self.random.random() < 0.4:
            self.inputs["W_O"] = self.weight(shape.width, shape.width)

    def _scale(self, _: Shape) -> None:
        key, value = self.random.choice(
            (("scale", "none"), ("scale", "none"), ("scale", "1/2"), ("temperature", 2), ("beta", "3/2"))
        )
        self.keys[key] = value

    def _mask(self, shape: Shape) -> None:
        kinds: list[Any] = ["causal", "causal", {"length": max(1, shape.keys - 1)}, {"causal": True, "window": [1, 0]}]
        keep = [[int(j <= i or self.random.random() < 0.5) for j in range(shape.keys)] for i in range(shape.queries)]
        kinds += [{"keep": keep}, {"add": [[0 if entry else "-inf" for entry in row] for row in keep]}]
        self.keys["mask"] = self.random.choice(kinds)
        if self.random.random() < 0.2:
            self.keys["fully_masked"] = self.random.choice(("zeros", "uniform"))

    def _bias(self, shape: Shape) -> None:
        self.keys["bias"] = self.random.choice(({"alibi": "1/2"}, {"add": self.table(shape.queries, shape.keys)}))

    def _softcap(self, _: Shape) -> None:
        self.keys["softcap"] = 2

    def _softmax_one(self, _: Shape) -> None:
        self.keys["softmax_one"] = True

    def _score(self, shape: Shape) -> None:
        self.keys["score"] = self.random.choice(("general", "cosine"))
        if self.keys["score"] == "general":
            size = shape.width // max(shape.heads, 1)
            self.inputs["W_S"] = self.table(size, size)

    def _biases(self, shape: Shape) -> None:
        for letter in "QKV":
            if self.keys.get("kv_heads") is None or letter == "Q":
                self.inputs[f"b_{letter}"] = [self.random.choice(self.entries) for _ in range(shape.width)]

    def _rope(self, _: Shape) -> None:
        self.keys["positions"] = {"kind": "rope"}

    def _learned(self, shape: Shape) -> None:
        self.keys["positions"] = {"kind": "learned", "table": self.tokens(shape.queries, shape.width)}

    def _sinusoidal(self, _: Shape) -> None:
        self.keys["positions"] = {"kind": "sinusoidal"}

    def _cache(self, shape: Shape) -> None:
        past, width = self.random.choice((1, 2)), shape.width // 2 if "kv_heads" in self.keys else shape.width
        self.keys["cache"] = {"K": self.tokens(past, width), "V": self.tokens(past, width)}

    def _online(self, _: Shape) -> None:
        self.keys["online"] = self.random.choice((1, 2))
        self.keys["parts"] = [{"asks": "online"}, {"asks": ["map", "outputs"]}]

    def _gradient(self, shape: Shape) -> None:
        columns = self.keys.get("tokens") == "columns"
        labels = [self.random.randint(1, shape.width) for _ in range(shape.queries)]
        self.keys["gradient"] = self.random.choice(
            (
                {"dO": self.tokens(shape.queries, shape.width)},
                {"dO": self.tokens(shape.queries, shape.width)},
                {"loss": "sum"},
                {"loss": "squared", "target": self.tokens(shape.queries, shape.width)},
                {"loss": "cross-entropy", "labels": labels},
            )
        )
        if columns:
            self.features.append("turned")
        if self.random.random() < 0.3:
            self.keys["gradient"]["of"] = self.random.choice((["dQ", "dK"], ["dS"], ["dV"]))

    def _block(self, shape: Shape) -> None:
        self.keys["block"] = {
            "norm": self.random.choice(("layer", "rms", "none")),
            "placement": self.random.choice(("post", "pre")),
            "eps": "1/10",
        }
        if self.random.random() < 0.5:
            self.inputs |= {"W_F1": self.weight(shape.width, 3), "W_F2": self.weight(3, shape.width)}
        if self.random.random() < 0.3 and shape.queries < 4:
            self.keys["gradient"] = {"dY": self.tokens(shape.queries, shape.width)}

    def _put_rounding(self) -> None:
        random = self.random
        if random.random() < 0.15:
            return
        table: Tables = {"ties": random.choice(("half-up", "half-up", "half-even", "truncate"))}
        table |= {"places": random.randint(1, 4)} if random.random() < 0.8 else {"figures": random.randint(2, 4)}
        table["steps"] = random.choice(("end", "all", "all", "matrices", ["weights", "outputs"]))
        table["shift"] = random.random() < 0.2
        self.keys["rounding"] = table
        self.features.append(str(table))
