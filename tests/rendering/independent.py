"""A second opinion on a mutant: plain fractions and mpmath, nothing of the judge.

It answers one question, whether two entries that a key names are worth the same, so that one name in the
place of the other leaves a statement true.
"""

from __future__ import annotations

import re
from fractions import Fraction
from functools import cache
from typing import Any, TypeAlias

import mpmath

from symattn.problem.model import Problem
from tests.rendering.mutations import Mutation

Rows: TypeAlias = list[list[Any]]

_DIGITS = 60
_INDEXED = re.compile(r"([A-Za-z])\}?_\{(\d)(\d)\}(?:\^\{\((\d)\)\})?")


def same_entries(mutation: Mutation, tex: str, problem: Problem) -> bool:
    """Whether one entry of Q, K, V, S, A, H or O is put in the place of another that is worth the same."""
    before, after = tex.split("\n")[mutation.line - 1], mutation.apply(tex).split("\n")[mutation.line - 1]
    names = [_INDEXED.findall(line.partition("%")[0]) for line in (before, after)]
    if len(names[0]) != len(names[1]) or _without(before) != _without(after):
        return False
    pairs = [(old, new) for old, new in zip(*names, strict=True) if old != new]
    values = [[_entry(problem, *name) for name in pair] for pair in pairs]
    return bool(pairs) and all(None not in pair and _same(*pair) for pair in values)


def _without(line: str) -> str:
    return _INDEXED.sub(r"\1_{}", line.partition("%")[0])


def _same(first: Any, second: Any) -> bool:
    return bool(abs(first - second) < mpmath.mpf(10) ** (-_DIGITS // 2))


def _entry(problem: Problem, letter: str, row: str, column: str, head: str = "") -> Any:
    declared = {problem.names.get(name, name)[:1].upper(): name for name in "QKVSAHO"}
    name = declared.get(letter.upper())
    rows = None if name is None else _solved(problem).get(f"{name}^{head}" if head else name)
    if rows is None:
        return None
    i, j = int(row) - 1, int(column) - 1
    return rows[i][j] if 0 <= i < len(rows) and 0 <= j < len(rows[0]) else None


@cache
def _solved(problem: Problem) -> dict[str, Rows]:
    """Q, K, V, S, A and O, tokens in rows or in columns as the problem has them; of a head as ``A^1``."""
    with mpmath.workdps(_DIGITS):
        return _turned(_in_rows(problem), in_columns=problem.tokens == "columns")


def _turned(solved: dict[str, Rows], *, in_columns: bool) -> dict[str, Rows]:
    return {name: _transposed(rows) if in_columns else rows for name, rows in solved.items()}


def _in_rows(problem: Problem) -> dict[str, Rows]:
    given = {name: _numbers(matrix.rows) for name, matrix in problem.inputs.items()}
    if problem.tokens == "columns":
        given = {name: rows if name.startswith("W") else _transposed(rows) for name, rows in given.items()}
    whole = {name: given.get(name) or _projected(problem, given, name) for name in "QKV"}
    if not problem.heads:
        return {**whole, **_head(problem, whole, 0)}
    outputs, found = [], dict(whole)
    for head in range(1, problem.heads + 1):
        own = {name: _columns(rows, head, problem.heads) for name, rows in whole.items()}
        made = _head(problem, own, head)
        outputs.append(made["O"])
        found |= {f"{'H' if name == 'O' else name}^{head}": rows for name, rows in {**own, **made}.items()}
    joined = [[value for row in rows for value in row] for rows in zip(*outputs, strict=True)]
    return {**found, "O": _product(joined, given["W_O"]) if "W_O" in given else joined}


def _columns(rows: Rows, head: int, heads: int) -> Rows:
    width = len(rows[0]) // heads
    return [row[(head - 1) * width : head * width] for row in rows]


def _head(problem: Problem, found: dict[str, Rows], head: int) -> dict[str, Rows]:
    scores = _product(found["Q"], _transposed(found["K"]))
    scale = problem.scale.factor(problem.d_k)
    factor = sum(
        (mpmath.mpf(c.numerator) / c.denominator * mpmath.sqrt(root) for (root, _), c in scale.terms), mpmath.mpf(0)
    )
    weights = []
    for row, added in zip(scores, _added(problem, head), strict=True):
        powers = [0 if more is None else mpmath.exp(factor * s + more) for s, more in zip(row, added, strict=True)]
        weights.append([power / sum(powers) for power in powers])
    return {"S": scores, "A": weights, "O": _product(weights, found["V"])}


def _added(problem: Problem, head: int) -> Rows:
    """Bias and mask together: None where a key is hidden."""
    size = (problem.n_q, problem.n_k)
    none = [[Fraction(0)] * size[1]] * size[0]
    bias = problem.bias.rows(*size, problem.past, head) if problem.bias else none
    mask = problem.mask.added(*size, head) if problem.mask else none
    return [
        [None if m is None else _number(b + m) for b, m in zip(first, second, strict=True)]
        for first, second in zip(bias, mask, strict=True)
    ]


def _projected(problem: Problem, given: dict[str, Rows], name: str) -> Rows:
    tokens = given.get("X") or given["X_1" if name == "Q" else "X_2"]
    weight = given[f"W_{name}"]
    return _product(tokens, _transposed(weight) if problem.projection == "W x" else weight)


def _numbers(rows: Any) -> Rows:
    return [[_number(value.rational()) for value in row] for row in rows]


def _number(value: Fraction | None) -> Any:
    if value is None:
        raise ValueError("only rational inputs are looked at")
    return mpmath.mpf(value.numerator) / value.denominator


def _product(left: Rows, right: Rows) -> Rows:
    return [[sum(a * b for a, b in zip(row, column, strict=True)) for column in _transposed(right)] for row in left]


def _transposed(rows: Rows) -> Rows:
    return [list(column) for column in zip(*rows, strict=True)]
