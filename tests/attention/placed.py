"""Small problems with positions, caches and blocks, drawn at random: conventions, heads, angles, policies."""

from __future__ import annotations

from random import Random
from typing import Any

POLICIES: tuple[dict[str, Any], ...] = (
    {},
    {"places": 2, "steps": "all"},
    {"places": 3, "steps": "matrices"},
    {"figures": 3, "steps": "all"},
    {"places": 2, "steps": "all", "shift": True},
)
ANGLES = ("pi/2", "pi/3", "-pi/4", "1/2", "2*pi/3", "pi", "pi/6")


def matrix(random: Random, rows: int, columns: int) -> list[list[int]]:
    return [[random.randint(-2, 2) for _ in range(columns)] for _ in range(rows)]


def turned(rows: list[list[int]]) -> list[list[int]]:
    return [list(column) for column in zip(*rows, strict=True)]


def placed_tables(seed: int, *, with_heads: bool = True) -> dict[str, Any]:
    """The tables of a problem, as a problem file has them."""
    random = Random(seed)
    in_rows = random.random() < 0.7
    heads = random.choice((0, 0, 0, 2)) if with_heads else 0
    kind = random.choice(("rope", "rope", "sinusoidal", "learned", ""))
    n, width, pairs = random.randint(1, 2), random.choice((2, 4)), random.choice((1, 1, 2))
    count = max(heads, 1)
    length, values = 2 * pairs * count, random.randint(1, 2) * count

    def laid(rows: list[list[int]]) -> list[list[int]]:
        return rows if in_rows else turned(rows)

    tables: dict[str, Any] = {
        "tokens": "rows" if in_rows else "columns",
        "X": laid(matrix(random, n, width)),
        "W_Q": laid(matrix(random, width, length)),
        "W_K": laid(matrix(random, width, length)),
        "W_V": laid(matrix(random, width, values)),
        "rounding": random.choice(POLICIES),
        "scale": random.choice(("1/sqrt(d_k)", "none", "1/2")),
    }
    if heads:
        tables["heads"] = heads
    if kind == "learned":
        tables["positions"] = {"kind": kind, "table": laid(matrix(random, n, width))}
    elif kind:
        angles = [random.choice(ANGLES) for _ in range(pairs if kind == "rope" else width // 2)]
        tables["positions"] = {
            "kind": kind,
            "start": random.randint(0, 2),
            "pairs": random.choice(("adjacent", "halves")),
        }
        tables["positions"]["angles"] = angles
    if random.random() < 0.6:
        past = random.randint(1, 2)
        tables["cache"] = {"K": laid(matrix(random, past, length)), "V": laid(matrix(random, past, values))}
    if random.random() < 0.6:
        tables["mask"] = "causal"
    if not heads and random.random() < 0.5:
        tables["online"] = random.randint(1, 3)
    if "cache" in tables and random.random() < 0.3:
        tables["W_O"] = laid(matrix(random, values, 2))
    return tables
