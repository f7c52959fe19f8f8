"""Random problems, for the tests that want many: one seed, one problem."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import Any

from symattn.exact.rounding.quotients import TIES
from symattn.problem.settings.policy import NAMED_STEPS, STEPS

ASKS = ("projections", "scores", "map", "outputs", "diagram", "pattern", "shapes", "entry", "row")
KINDS = ("self", "cross", "given")

_CONVENTIONS: dict[str, dict[str, tuple[str | None, ...]]] = {
    "rows": {"projection": (None, "X W", "W x", "W^T x"), "scores": (None, "Q K^T")},
    "columns": {"projection": (None, "W x", "W^T x"), "scores": (None, "K^T Q", "Q^T K")},
}


def random_tables(seed: int, *, side: int = 12, depth: int = 8) -> dict[str, Any]:
    """The tables of a problem file: kind, convention, scale, policy, names, parts and entries at random.

    Args:
        seed: the same seed gives the same problem.
        side: the largest number of tokens.
        depth: the largest length of a token, query, key or value.
    """
    rng = Random(seed)
    tables: dict[str, Any] = {"title": f"Problem {seed}"}
    kind = rng.choice(KINDS)
    tokens = rng.choice(("rows", "columns"))
    tables["tokens"] = tokens
    for key, words in _CONVENTIONS[tokens].items():
        word = rng.choice(words)
        if word is not None and not (kind == "given" and key == "projection"):
            tables[key] = word
    tables["inputs"] = _inputs(rng, kind, tables, side, depth)
    tables |= _scale(rng)
    if rng.random() < 0.8:
        tables["rounding"] = _rounding(rng)
    free = "positive" in tables.get("symbols", {}).values()
    if free and "rounding" in tables:
        tables["rounding"] |= {"steps": "end", "shift": False}  # a free symbol has no digits and no order
    if rng.random() < 0.3:
        tables["names"] = rng.choice(
            ({"S": "z"}, {"O": "H"}, {"A": "P", "O": "Y"}, {"A": "alpha"}, {"S": "E"}, {"V": "U"})
        )
    if rng.random() < 0.2:
        tables["diagram_threshold"] = rng.choice((0, "1/10", "0.3"))
    left_out = {"projections"} if kind == "given" else set()
    left_out |= {"diagram", "pattern"} if free else set()  # the order of the weights is open
    tables["parts"] = _parts(rng, [ask for ask in ASKS if ask not in left_out])
    return tables


def _entry(rng: Random, style: str) -> int | str:
    if style == "integer":
        return rng.randint(-3, 3)
    if style == "small":
        return rng.choice((-1, 0, 0, 1))
    if style == "fraction":
        value = Fraction(rng.randint(-5, 5), rng.randint(1, 8))
        return str(value) if value.denominator > 1 else value.numerator
    return f"{rng.randint(-150, 150) / 100:.{rng.randint(1, 2)}f}"


def _matrix(rng: Random, rows: int, columns: int) -> list[list[int | str]]:
    style = rng.choice(("integer", "small", "small", "fraction", "decimal"))
    return [[_entry(rng, style) for _ in range(columns)] for _ in range(rows)]


def _inputs(rng: Random, kind: str, tables: dict[str, Any], side: int, depth: int) -> dict[str, Any]:
    def tall(count: int, length: int) -> list[list[int | str]]:
        return _matrix(rng, count, length) if tables["tokens"] == "rows" else _matrix(rng, length, count)

    def weight(into: int, out: int) -> list[list[int | str]]:
        default = "X W" if tables["tokens"] == "rows" else "W x"
        flipped = tables.get("projection", default) == "W x"
        return _matrix(rng, out, into) if flipped else _matrix(rng, into, out)

    n_q, n_k = rng.randint(1, side), rng.randint(1, side)
    d, d_k, d_v = (rng.randint(1, depth) for _ in range(3))
    if rng.random() < 0.6:
        n_q, n_k, d, d_k, d_v = (min(number, 4) for number in (n_q, n_k, d, d_k, d_v))
    if kind == "given":
        return {"Q": tall(n_q, d_k), "K": tall(n_k, d_k), "V": tall(n_k, d_v)}
    weights = {"W_Q": weight(d, d_k), "W_K": weight(d, d_k), "W_V": weight(d, d_v)}
    if kind == "self":
        return {"X": tall(n_q, d), **weights}
    return {"X_1": tall(n_q, d), "X_2": tall(n_k, d), **weights}


def _scale(rng: Random) -> dict[str, Any]:
    return rng.choice(
        (
            {"scale": "none"},
            {"scale": "none"},
            {"scale": "1/sqrt(d_k)"},
            {},
            {"scale": "1/2"},
            {"temperature": 2},
            {"temperature": "0.7"},
            {"beta": "3/2"},
            {"beta": "b", "symbols": {"b": "1/3"}},
            {"beta": "beta", "symbols": {"beta": "positive"}},
        )
    )


def _rounding(rng: Random) -> dict[str, Any]:
    table: dict[str, Any] = {"ties": rng.choice(TIES)}
    if rng.random() < 0.75:
        table["places"] = rng.randint(0, 6)
    else:
        table["figures"] = rng.randint(1, 6)
    steps = rng.choice((*NAMED_STEPS, None, "all"))
    table["steps"] = steps or rng.sample(STEPS, rng.randint(1, len(STEPS)))
    table["shift"] = rng.random() < 0.3
    if rng.random() < 0.2:
        step = rng.choice(STEPS)
        table["each"] = {step: rng.choice(({"places": 3}, {"figures": 2}, {"places": 0}))}
    return table


def _parts(rng: Random, asks: list[str]) -> list[dict[str, Any]]:
    parts: list[dict[str, Any]] = []
    for _ in range(rng.randint(0, 5)):
        part: dict[str, Any] = {"asks": rng.sample(asks, rng.randint(1, 3))}
        if rng.random() < 0.3:
            part["tokens"] = [1]
        if rng.random() < 0.5:
            part |= {"title": rng.choice(ASKS), "points": rng.choice((1, "1/2", 3))}
        if rng.random() < 0.5:
            part["text"] = "Compute it, and show the steps."
        parts.append(part)
    return parts or [{"asks": list(asks)}]
