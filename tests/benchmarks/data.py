"""Random layers of small rationals with a fixed seed, and a page of formulas as people write them by hand."""

from __future__ import annotations

import atexit
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import lcm
from pathlib import Path
from random import Random
from shutil import rmtree
from struct import pack, unpack
from tempfile import mkdtemp
from typing import Any

from symattn.api.solutions import solve
from symattn.exact.linear.integer_matrix import IntegerMatrix, product_transposed
from symattn.exact.rows.certified_rows import Scores
from symattn.problem.model import Problem

WIDTH = 64
"""The width of the values."""


@dataclass(frozen=True, slots=True)
class Layer:
    """Queries and keys n × d, values n × 64, and scores QKᵀ/8."""

    queries: IntegerMatrix
    keys: IntegerMatrix
    values: IntegerMatrix
    scores: Any

    @staticmethod
    def fractions_of(matrix: IntegerMatrix, make: Callable[[int, int], Any]) -> list[list[Any]]:
        return [[make(x, matrix.denominator) for x in row] for row in matrix.rows]

    def fractions_of_scores(self, make: Callable[[int, int], Any]) -> list[list[Any]]:
        return [[make(x, self.scores.denominator) for x in row] for row in self.scores.rows]

    def fractions_of_values(self, make: Callable[[int, int], Any]) -> list[list[Any]]:
        return self.fractions_of(self.values, make)


@cache
def layer(n: int, d: int = WIDTH, seed: int = 1) -> Layer:
    """A layer of n tokens whose entries are fractions of at most 24, with denominators up to 8."""
    random = Random(seed)
    queries, keys, values = (_matrix(random, n, width) for width in (d, d, WIDTH))
    scores = product_transposed(queries, keys)
    return Layer(queries, keys, values, Scores(scores.rows, scores.denominator * 8))


def _matrix(random: Random, rows: int, columns: int) -> IntegerMatrix:
    made = [[Fraction(random.randint(-24, 24), random.randint(1, 8)) for _ in range(columns)] for _ in range(rows)]
    below = lcm(*(x.denominator for row in made for x in row))
    return IntegerMatrix([[x.numerator * (below // x.denominator) for x in row] for row in made], below)


@cache
def block_problem(n: int, *, around: bool = True, d: int = 16) -> Problem:
    """An encoder block with layer norms after its sums and a network of twice the width, or its attention alone."""
    random = Random(n)

    def matrix(rows: int, columns: int) -> list[list[Fraction]]:
        return [[Fraction(random.randint(-24, 24), random.randint(1, 8)) for _ in range(columns)] for _ in range(rows)]

    inputs = {"X": matrix(n, d), **{name: matrix(d, d) for name in ("W_Q", "W_K", "W_V")}}
    if not around:
        return Problem.build(**inputs)
    network = {"W_F1": matrix(d, 2 * d), "W_F2": matrix(2 * d, d)}
    block = {"norm": "layer", "placement": "post", "eps": "1e-5", "activation": "relu"}
    return Problem.build(**inputs, **network, block=block)


@cache
def positioned_problem(n: int, kind: str = "", d: int = 16) -> Problem:
    """Tokens and projections, with positions of a kind or without."""
    given = block_problem(n, around=False, d=d).inputs
    return Problem.build(**given, **({"positions": {"kind": kind}} if kind else {}))


@cache
def gradient_problem(n: int) -> Problem:
    """Queries, keys and values of n tokens, 16 wide, and the sum of the outputs for a loss."""
    given = head_problem(n, 1).inputs
    return Problem.build(**{name: given[name] for name in "QKV"}, gradient={"loss": "sum"})


@cache
def denominators_problem(n: int, d: int) -> Problem:
    """Queries, keys and values of n tokens, d wide, with denominators of 20 digits, all different."""
    random, size = Random(1), 10**20

    def matrix() -> list[list[Fraction]]:
        return [
            [Fraction(random.randrange(size), random.randrange(size // 10, size)) for _ in range(d)] for _ in range(n)
        ]

    return Problem.build(Q=matrix(), K=matrix(), V=matrix())


PLACED = {
    "rope": '[positions]\nkind = "rope"',
    "sinusoidal": '[positions]\nkind = "sinusoidal"',
    "alibi": '[bias]\nalibi = "1/2"',
    "t5": "[bias.buckets]\nvalues = [0, 1, 2, 3, -1, -2, -3, -4]\nmax_distance = 20",
}
"""Kinds of positions and of biases by distance, each as the lines of a problem file."""


@cache
def positioned_file(n: int, kind: str = "", d: int = 4) -> Path:
    """The file of a problem of tokens and projections, with positions or a bias of a kind or without."""
    random, folder = Random(n), Path(mkdtemp())
    atexit.register(rmtree, folder)

    def matrix(rows: int) -> list[list[str]]:
        return [[f"{random.randint(-24, 24)}/{random.randint(1, 8)}" for _ in range(d)] for _ in range(rows)]

    inputs = [f"X = {matrix(n)}", *(f"W_{letter} = {matrix(d)}" for letter in "QKV")]
    path = folder / "problem.toml"
    path.write_text("\n".join(["[inputs]", *inputs, PLACED.get(kind, "")]), "utf-8")
    return path


@cache
def head_problem(n: int, heads: int) -> Problem:
    """Queries, keys and values of n tokens, 16 wide for each head, with a causal mask."""
    random = Random(n)

    def matrix() -> list[list[Fraction]]:
        return [[Fraction(random.randint(-24, 24), random.randint(1, 8)) for _ in range(16 * heads)] for _ in range(n)]

    return Problem.build(Q=matrix(), K=matrix(), V=matrix(), heads=heads, mask="causal")


@cache
def float_layer(n: int) -> tuple[Problem, list[list[float]]]:
    """A layer of n tokens whose entries are normal numbers in float16, and outputs in float16 that are off a little."""
    random = Random(n)

    def half(number: float) -> float:
        return float(unpack("e", pack("e", number))[0])

    Q, K, V = ([[half(random.gauss(0, 1)) for _ in range(WIDTH)] for _ in range(n)] for _ in range(3))
    problem = Problem.build(Q=Q, K=K, V=V, floats="binary")
    outputs = solve(problem).O.rounded(6)
    return problem, [[half(float(text) * (1 + random.randint(-2, 2) / 1000)) for text in line] for line in outputs]


def row(n: int, seed: int = 2) -> list[Fraction]:
    """Scores of one row, all different."""
    random = Random(seed)
    return [Fraction(x, 16) for x in random.sample(range(-400, 400), n)]


PAGE = (
    r"Q_{11} = 1 \cdot 0 + (-1) \cdot 1 + 0 \cdot \left(-\frac{1}{2}\right) + 2 \cdot 1 = 1",
    r"Q_{12} = 1 \cdot 1 + (-1) \cdot 0 + 0 \cdot 0 + 2 \cdot 1 = 3",
    r"Q = \begin{bmatrix} 1 & 3 \\ 0 & 1 \\ \frac{5}{2} & -2 \end{bmatrix}",
    r"K = \begin{bmatrix} 0 & 0.5 \\ 0.5 & -1 \\ 5 & 1 \end{bmatrix}",
    r"S_{11} = 1 \cdot 0 + 3 \cdot \frac{1}{2} = \frac{3}{2}",
    r"S_{13} = 1 \cdot 5 + 3 \cdot 1 = 8",
    r"S = Q K^{\top}",
    r"e^{3/2} = 4.48",
    r"e^{-5/2} = 0.08",
    r"e^{8} = 2980.96",
    r"Z_1 = 4.48 + 0.08 + 2980.96 = 2985.52",
    r"A_{11} = \frac{e^{3/2}}{e^{3/2} + e^{-5/2} + e^{8}} = 0.00",
    r"A_{13} = \frac{2980.96}{2985.52} = 1.00",
    r"A_{31} = \frac{\exp(0.85)}{\exp(0.85) + \exp(0.8)} \approx 0.5125",
    r"O_{31} = 0.62 \cdot \frac{5}{2} + 0.38 \cdot (-1) + 0.00 \cdot (-2) = 1.17",
    r"O_{32} = 0.62 \cdot 0.5 - 0.38 \cdot \frac{1}{4} = 0.215",
    r"\frac{1}{\sqrt{d_k}} = \frac{1}{\sqrt{2}} = 0.71",
    r"\operatorname{softmax}\left(\frac{Q K^{\top}}{\sqrt{d_k}}\right) V",
    r"\sum_{j=1}^{3} A_{1j} = 1",
    r"x_1^2 + x_2^2 = \left(\frac{3}{5}\right)^2 + \left(\frac{4}{5}\right)^2 = 1",
)
"""Twenty formulas of one page."""
