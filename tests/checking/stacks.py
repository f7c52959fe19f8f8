"""Problems of several blocks, drawn at random: encoders and decoders, norms, heads, roundings, parts."""

from __future__ import annotations

from random import Random
from typing import Any

from symattn.api.solutions import solve
from symattn.graph.statements.chains import Detail
from symattn.problem.model import Problem
from tests.checking.unmarked import TEMPLATES, Key, kept, without_comments

NORMS: tuple[dict[str, Any], ...] = (
    {"norm": "layer", "eps": "1/10"},
    {"norm": "rms", "eps": "1/10"},
    {"norm": "layer", "eps": "1/10", "placement": "pre"},
    {"norm": "rms", "eps": 1, "placement": "pre"},
    {"norm": "none"},
)
ROUNDINGS: tuple[dict[str, Any], ...] = (
    {"places": 2, "steps": "all"},
    {"places": 3, "steps": "end"},
    {"places": 2, "steps": "matrices"},
)
PARTS: tuple[dict[str, Any], ...] = (
    {"asks": ["projections", "scores"], "points": 5, "title": "First"},
    {"asks": ["map", "outputs"], "points": 4},
    {"asks": ["block"], "points": 7},
)


def _matrix(random: Random, rows: int, columns: int) -> list[list[int]]:
    return [[random.randint(-2, 2) for _ in range(columns)] for _ in range(rows)]


def weights(random: Random, *, heads: bool, network: bool, width: int = 2) -> dict[str, Any]:
    names = ["W_Q", "W_K", "W_V", *(["W_O"] if heads else []), *(["W_F1", "W_F2"] if network else [])]
    return {name: _matrix(random, width, width) for name in names}


def stack_tables(seed: int) -> dict[str, Any]:
    """The keys of a problem: two encoder blocks, or a decoder block behind an encoder block or alone."""
    random = Random(seed)
    shape = random.choice(("encoders", "decoder", "both"))
    heads = random.random() < 0.3
    table = {**random.choice(NORMS), "activation": "relu"}
    network = random.random() < 0.7
    own = {"heads": 2} if heads else {}
    blocks: list[dict[str, Any]] = []
    if shape != "decoder":
        count = 2 if shape == "encoders" else 1
        blocks.extend({"inputs": weights(random, heads=heads, network=network), **own} for _ in range(count))
    if shape != "encoders":
        blocks.append({
            "decoder": True,
            "inputs": weights(random, heads=heads, network=False),
            "cross": weights(random, heads=heads, network=network),
            "memory": _matrix(random, 2, 2),
            **own,
        })  # fmt: skip
    if not network:
        table.pop("activation")
    tables = {"X": _matrix(random, random.choice((2, 3)), 2), "blocks": blocks, "block": table}
    tables["rounding"] = random.choice(ROUNDINGS)
    if random.random() < 0.5:
        tables["parts"] = [part for part in PARTS if part["asks"] != ["block"] or network or table["norm"] != "none"]
    return tables


def stack_key(seed: int) -> Key:
    """The key of a drawn problem, its comments taken out."""
    random, tables = Random(-seed), stack_tables(seed)
    problem = Problem.build(**tables)
    template = random.choice(TEMPLATES)
    detail: Detail = random.choice(("brief", "full"))
    tex = without_comments(solve(problem).to_latex(template, detail))
    return kept(Key(f"stack drawn with seed {seed}, {detail}, {template}", tables, problem, tex))
