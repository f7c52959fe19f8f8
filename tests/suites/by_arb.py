"""A second opinion: the quantities of a layer by Arb, written from the definitions.

For problems that give queries, keys and values with tokens in rows, of any score but the general one. Masks and
biases are the problem's own, and what is done to the scores is done in the default order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, TypeAlias

import flint

from symattn.problem.components.data import group_of
from symattn.problem.model import Problem
from tests.suites.bounds import MINUS_INFINITY, Entry

Balls: TypeAlias = list[list[Any]]

BITS, NARROW = 400, 160


class ByArb:
    """The quantities of a problem's layer, as rows of balls; None is minus infinity."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.quantities: dict[str, Balls] = {}
        before, flint.ctx.prec = flint.ctx.prec, BITS
        try:
            outputs = [self._head(head) for head in range(1, max(problem.heads, 1) + 1)]
        finally:
            flint.ctx.prec = before
        self.quantities["O"] = [[entry for row in rows for entry in row] for rows in zip(*outputs, strict=True)]

    def rows(self, name: str) -> list[list[Entry]]:
        """The middles of the balls, all of which are narrow."""
        return [[MINUS_INFINITY if ball is None else _middle(ball) for ball in row] for row in self.quantities[name]]

    def _given(self, name: str) -> list[list[Fraction]]:
        return [[_rational(entry.rational()) for entry in row] for row in self.problem.inputs[name].rows]

    def _part(self, letter: str, head: int, count: int) -> Balls:
        """The columns of one head of those that stand side by side."""
        rows = self._given(letter)
        width = len(rows[0]) // count
        return [list(map(_ball, row[(head - 1) * width : head * width])) for row in rows]

    def _head(self, head: int) -> Balls:
        problem = self.problem
        heads, kv_heads = max(problem.heads, 1), max(problem.kv_heads, 1)
        group = group_of(head, heads, kv_heads)
        Q, K, V = self._part("Q", head, heads), self._part("K", group, kv_heads), self._part("V", group, kv_heads)
        chain = self._chain(Q, K, head)
        weights = [_softmax(row) for row in list(chain.values())[-1]]
        output = [[_dot(row, column) for column in zip(*V, strict=True)] for row in weights]
        mark = f"^{head}" if problem.heads else ""
        own = {**chain, "K": K, "V": V, "A": weights}
        self.quantities |= {f"{name}{mark}": rows for name, rows in own.items()}
        return output

    def _chain(self, Q: Balls, K: Balls, head: int) -> dict[str, Balls]:
        """The scores, and what is made of them, in their order."""
        problem, n_q, n_k = self.problem, len(Q), len(K)
        chain = {"S": [[self._score(query, key) for key in K] for query in Q]}

        def then(name: str, entry: Callable[[Any, int, int], Any]) -> None:
            last = list(chain.values())[-1]
            chain[name] = [[entry(value, i, j) for j, value in enumerate(row)] for i, row in enumerate(last)]

        if problem.scale.kind != "none":
            factor = self._factor(len(K[0]))
            then("S_scaled", lambda value, _i, _j: value * factor)
        if problem.softcap is not None:
            cap = _ball(problem.softcap)
            then("S_capped", lambda value, _i, _j: cap * (value / cap).tanh())
        if problem.bias is not None:
            bias = problem.bias.rows(n_q, n_k, problem.past, head)
            then("S_biased", lambda value, i, j: value + _ball(bias[i][j]))
        if problem.mask is not None and problem.mask.hides:
            mask = problem.mask.added(n_q, n_k, head)
            then("S_masked", lambda value, i, j: None if mask[i][j] is None else value + _ball(_rational(mask[i][j])))
        return chain

    def _factor(self, d_k: int) -> Any:
        if self.problem.scale.kind == "1/sqrt(d_k)":
            return 1 / flint.arb(d_k).sqrt()
        return _ball(Fraction(str(self.problem.scale.factor(d_k))))

    def _score(self, query: Sequence[Any], key: Sequence[Any]) -> Any:
        if self.problem.score == "cosine":
            return _dot(query, key) / (_dot(query, query) * _dot(key, key)).sqrt()
        if self.problem.score != "additive":
            return _dot(query, key)
        W_1, W_2, w = ([list(map(_ball, row)) for row in self._given(name)] for name in ("W_1", "W_2", "w_S"))
        sums = (
            _dot(query, one) + _dot(key, two)
            for one, two in zip(zip(*W_1, strict=True), zip(*W_2, strict=True), strict=True)
        )
        return _dot([value.tanh() for value in sums], [row[0] for row in w])


def _middle(ball: Any) -> Fraction:
    if ball.rad() * 2**NARROW > 1:
        raise ValueError("a ball is wider than it may be")
    mantissa, exponent = ball.mid().man_exp()
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)


def _rational(value: Fraction | None) -> Fraction:
    if value is None:
        raise ValueError("an input is no rational number")
    return value


def _ball(value: Fraction) -> Any:
    return flint.arb(value.numerator) / value.denominator


def _dot(left: Sequence[Any], right: Sequence[Any]) -> Any:
    return sum((a * b for a, b in zip(left, right, strict=True)), flint.arb(0))


def _softmax(row: Sequence[Any]) -> list[Any]:
    """The weights of one query; zeros where it sees no key."""
    powers = [flint.arb(0) if value is None else value.exp() for value in row]
    total = sum(powers, flint.arb(0))
    return powers if all(value is None for value in row) else [power / total for power in powers]
