"""Computes float32_comparison.toml in float32, each operation rounded, and compares with the certified values.

    python examples/compare_float32.py

Nothing but the standard library computes here; a kernel of numpy, torch or jax gives its array to `sa.compare`
as it is.
"""  # noqa: INP001 - a script beside its problem, no package

from __future__ import annotations

import math
import struct
import sys
from pathlib import Path

import symattn as sa

PROBLEM = Path(__file__).parent / "float32_comparison.toml"

Rows = list[list[float]]


def f32(number: float) -> float:
    """The float32 nearest to a number."""
    return float(struct.unpack("f", struct.pack("f", number))[0])


def dot(left: list[float], right: list[float]) -> float:
    """A sum of products from left to right, each step rounded."""
    total = 0.0
    for a, b in zip(left, right, strict=True):
        total = f32(total + f32(a * b))
    return total


def softmax(scores: list[float]) -> list[float]:
    """The weights of one query, the largest score taken out."""
    powers = [f32(math.exp(f32(score - max(scores)))) for score in scores]
    total = 0.0
    for power in powers:
        total = f32(total + power)
    return [f32(power / total) for power in powers]


def attention(Q: Rows, K: Rows, V: Rows) -> tuple[Rows, Rows]:
    """Weights and outputs."""
    scale = f32(1 / math.sqrt(len(K[0])))
    weights = [softmax([f32(dot(query, key) * scale) for key in K]) for query in Q]
    return weights, [[dot(row, list(column)) for column in zip(*V, strict=True)] for row in weights]


def main() -> None:
    """Prints the comparison of the weights and of the outputs."""
    result = sa.solve(PROBLEM)
    Q, K, V = ([[float(entry.rational()) for entry in row] for row in result[name].rows] for name in "QKV")
    for name, array in zip(("A", "O"), attention(Q, K, V), strict=True):
        sys.stdout.write(f"{sa.compare(result, array, of=name, form='float32')}\n\n")


if __name__ == "__main__":
    main()
