"""Small layers drawn at random, with every kind of projection, head, mask, bias, scale and loss."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

from symattn.exact.field.polynomial import Polynomial
from symattn.problem.model import Problem
from tests.attention.duals import Case, turned

_SMALL = [Fraction(n) for n in (-1, 0, 0, 1, 1, 2)] + [Fraction(1, 2)]


def drawn(seed: int) -> Case:
    """A layer, all of it chosen by the seed."""
    return _Draw(random.Random(seed)).case()


def problem_of(case: Case) -> Problem:
    """The problem that declares a layer, with its backward pass."""
    gradient: dict[str, Any] = {"loss": "sum"}
    columns = case.keys.get("tokens") == "columns"
    if case.loss is not None:
        gradient = {"dO": turned(case.loss) if columns else case.loss}
    if case.target is not None:
        gradient = {"loss": "squared", "target": turned(case.target) if columns else case.target}
    own = {name: table for name, table in case.inputs.items() if "^" not in name}
    return Problem.build(inputs=own, **case.keys, gradient=gradient)


class _Draw:
    def __init__(self, dice: random.Random) -> None:
        self.dice = dice
        self.keys: dict[str, Any] = {}
        self.inputs: dict[str, list[list[Fraction]]] = {}

    def table(self, rows: int, columns: int) -> list[list[Fraction]]:
        return [[self.dice.choice(_SMALL) for _ in range(columns)] for _ in range(rows)]

    def case(self) -> Case:
        dice = self.dice
        kind = dice.choice(["self", "cross", "given"])
        columns = dice.random() < 0.4
        n_q = dice.choice([1, 2, 2])
        n_k = n_q if kind == "self" else dice.choice([1, 2, 3])
        heads = dice.choice([0, 0, 1, 2])
        groups = dice.choice([1, heads]) if heads else 0
        apart = bool(heads) and dice.random() < 0.4
        d_k, d_v = dice.choice([1, 2]), dice.choice([1, 2])
        if columns:
            self.keys["tokens"] = "columns"
            if dice.random() < 0.4:
                self.keys["scores"] = "Q^T K"
        if heads and not apart:
            self.keys["heads"] = heads
        if heads and groups != heads:
            self.keys["kv_heads"] = groups
        upright = self._projection(kind, columns=columns)
        self._inputs(kind, (n_q, n_k), (d_k, d_v), (heads, groups), apart=apart, columns=columns, upright=upright)
        width = d_v * max(heads, 1)
        if heads > 1 and dice.random() < 0.2:
            self.keys["combine"], width = "mean", d_v
        elif dice.random() < 0.3:
            size = dice.choice([1, 2])
            self.inputs["W_O"] = self.table(width, size) if upright else self.table(size, width)
            width = size
            if dice.random() < 0.5:
                self.inputs["b_O"] = self.table(size, 1) if columns else self.table(1, size)
        if dice.random() < 0.25:
            self.keys["score"], self.keys["scale"] = "general", "none"
            self.inputs["W_S"] = self.table(d_k, d_k)
        scale = self._scale(d_k)
        if dice.random() < 0.2:
            self.keys["softmax_one"] = True
        hidden = self._mask(n_q, n_k, max(heads, 1))
        added = None
        if dice.random() < 0.25:
            added = self.table(n_q, n_k)
            self.keys["bias"] = {"add": added}
        loss = self.table(n_q, width) if dice.random() < 0.5 else None
        target = self.table(n_q, width) if loss is None and dice.random() < 0.4 and max(heads, 1) * n_q < 4 else None
        return Case(self.inputs, self.keys, hidden, added, scale, loss, target)

    def _projection(self, kind: str, *, columns: bool) -> bool:
        """Whether weights meet rows of tokens as they stand."""
        if kind == "given":
            return not columns
        words = ["W x", "W^T x"] if columns else ["X W", "W x", "W^T x"]
        word = self.keys["projection"] = self.dice.choice(words)
        return word != "W x"

    def _inputs(
        self,
        kind: str,
        counts: tuple[int, int],
        sizes: tuple[int, int],
        heads: tuple[int, int],
        *,
        apart: bool,
        columns: bool,
        upright: bool,
    ) -> None:
        n_q, n_k = counts
        d_in = self.dice.choice([1, 2])

        def tokens(count: int, length: int) -> list[list[Fraction]]:
            return self.table(length, count) if columns else self.table(count, length)

        names = {"self": {"X": n_q}, "cross": {"X_1": n_q, "X_2": n_k}, "given": {}}[kind]
        self.inputs |= {name: tokens(count, d_in) for name, count in names.items()}
        tables: list[dict[str, Any]] = [{} for _ in range(heads[0])] if apart else []
        biased = kind != "given" and self.dice.random() < 0.3
        for letter, count in (("Q", n_q), ("K", n_k), ("V", n_k)):
            length = sizes[1] if letter == "V" else sizes[0]
            number = heads[0] if letter == "Q" else heads[1]
            owners = range(1, number + 1) if apart else [0]
            for own in owners:
                size = length if apart or not number else length * number
                name = letter if kind == "given" else f"W_{letter}"
                table = (
                    tokens(count, size)
                    if kind == "given"
                    else self.table(d_in, size)
                    if upright
                    else self.table(size, d_in)
                )
                found = {name: table}
                if biased:
                    found[f"b_{letter}"] = self.table(size, 1) if columns else self.table(1, size)
                for key, value in found.items():
                    self.inputs[f"{key}^{own}" if own else key] = value
                    if own:
                        first = (own - 1) * heads[0] // number
                        tables[first][key] = value
        if apart:
            self.keys["heads"] = tables

    def _scale(self, d_k: int) -> Polynomial:
        if self.keys.get("score") == "general":
            return Polynomial(1)
        word = self.dice.choice(["none", "default", "number", "temperature"])
        if word == "none":
            self.keys["scale"] = "none"
            return Polynomial(1)
        if word == "number":
            self.keys["scale"] = "1/2"
            return Polynomial(Fraction(1, 2))
        if word == "temperature":
            self.keys["temperature"] = 2
            return Polynomial(Fraction(1, 2))
        return Polynomial.sqrt(Fraction(1, d_k))

    def _mask(self, n_q: int, n_k: int, heads: int) -> list[list[list[bool]]]:
        word = self.dice.choice(["", "", "causal", "keep", "blind"])
        if word == "causal":
            self.keys["mask"] = "causal"
            return [[[j > i for j in range(n_k)] for i in range(n_q)]] * heads
        if word in {"keep", "blind"}:
            keep = [[int(self.dice.random() < 0.6) for _ in range(n_k)] for _ in range(n_q)]
            for line in keep:
                if word == "keep" and not any(line):
                    line[self.dice.randrange(n_k)] = 1
            if not all(map(any, keep)):
                self.keys["fully_masked"] = "zeros"
            self.keys["mask"] = {"keep": keep}
            return [[[not seen for seen in line] for line in keep]] * heads
        return [[[False] * n_k for _ in range(n_q)]] * heads
