"""Keys to read back: the four examples under many policies, chosen problems, and problems drawn at random."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from pathlib import Path
from random import Random

from symattn.api import Result, solve
from symattn.attention.statements import Detail
from symattn.problem.model import Problem

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
NAMES = tuple(sorted(path.stem for path in EXAMPLES.glob("*.toml")))
DETAILS: tuple[Detail, ...] = ("brief", "full", "every-product")
TEMPLATES = ("article", "exam")
POLICIES = (
    "",
    "steps=end,places=4",
    "steps=all,places=2",
    "steps=matrices,places=3",
    "steps=weights+outputs,places=2",
    "figures=3",
    "steps=all,figures=3",
    "shift=true",
    "steps=all,places=2,shift=true",
    "steps=all,places=1,ties=half-even",
    "steps=all,places=2,ties=truncate",
    "steps=scale_factor+exponentials+products+outputs,places=3",
)
"""As ``--policy`` takes them; the first keeps what the sheet says."""
ROUNDED_ONCE = ("", "steps=end,places=4", "figures=3")
"""Those that a problem with a free symbol can have: no step of it can be rounded, no maximum be found."""

_ENTRIES = ("0", "1", "-1", "2", "-2", "3", "1/2", "-1/2", "3/4", "1/3", "0.37", "-1.5", "10")
_SCALES: tuple[dict[str, object], ...] = (
    {},
    {"scale": "none"},
    {"scale": "1/4"},
    {"temperature": 2},
    {"beta": "beta", "symbols": {"beta": "3/2"}},
    {"beta": "beta", "symbols": {"beta": "positive"}},
)


@dataclass(frozen=True)
class Key:
    """A key that was made, and the result that reads it back."""

    label: str
    result: Result
    tex: str


@cache
def example(name: str, policy: str = "") -> Result:
    return solved(Problem.load(EXAMPLES / f"{name}.toml"), policy)


def solved(problem: Problem, policy: str = "") -> Result:
    if policy:
        problem = replace(problem, policy=problem.policy.with_overrides(policy))
    return solve(problem)


@cache
def example_key(name: str, policy: str, detail: Detail, template: str) -> Key:
    tex = example(name, policy).to_latex(template, detail)
    return Key(f"{name} {policy or 'as the sheet says'} {detail} {template}", example(name, policy), tex)


def example_labels() -> list[tuple[str, str, Detail, str]]:
    """Every example under every policy, at every detail, in every template."""
    return list(product(NAMES, POLICIES, DETAILS, TEMPLATES))


@cache
def drawn_key(seed: int) -> Key:
    """The key of a small problem, all of it drawn at random: kind, shapes, entries, convention, scale, policy."""
    random = Random(seed)
    problem = drawn_problem(random)
    policy = random.choice(ROUNDED_ONCE if is_open(problem) else POLICIES)
    detail, template = random.choice(DETAILS), random.choice(TEMPLATES)
    result = solved(problem, policy)
    return Key(f"drawn with seed {seed}", result, result.to_latex(template, detail))


def drawn_problem(random: Random) -> Problem:
    kind = random.choice(("self", "self", "cross", "given"))
    tokens = random.choice(("rows", "rows", "columns"))
    keys: dict[str, object] = {"tokens": tokens, **random.choice(_SCALES)}
    n_q, n_k, d_k, d_v = (random.randint(1, 4) for _ in range(4))
    if kind == "self":
        n_k = n_q
    if kind == "given":
        keys |= _stacked(random, tokens, {"Q": (n_q, d_k), "K": (n_k, d_k), "V": (n_k, d_v)})
    else:
        keys |= _projected(random, kind, tokens, (n_q, n_k, d_k, d_v))
    if tokens == "columns":
        keys["scores"] = random.choice(("K^T Q", "Q^T K"))
    keys["parts"] = list(_parts(random, n_q, is_open="positive" in str(keys.get("symbols"))))
    return Problem.build(**keys)


def is_open(problem: Problem) -> bool:
    """Whether a free symbol is left."""
    return any(isinstance(value, str) for value in problem.symbols.values())


def _projected(random: Random, kind: str, tokens: str, sizes: tuple[int, int, int, int]) -> dict[str, object]:
    n_q, n_k, d_k, d_v = sizes
    width = random.randint(1, 4)
    other = random.randint(1, 4) if kind == "cross" else width
    projection = random.choice(("X W", "W x", "W^T x") if tokens == "rows" else ("W x", "W^T x"))
    shapes = {"W_Q": (width, d_k), "W_K": (other, d_k), "W_V": (other, d_v)}
    if projection == "W x":
        shapes = {name: (below, above) for name, (above, below) in shapes.items()}
    stacked = {"X": (n_q, width)} if kind == "self" else {"X_1": (n_q, width), "X_2": (n_k, other)}
    weights = {name: _matrix(random, *shape) for name, shape in shapes.items()}
    return {"projection": projection, **_stacked(random, tokens, stacked), **weights}


def _stacked(random: Random, tokens: str, shapes: dict[str, tuple[int, int]]) -> dict[str, object]:
    """Matrices with one token in each row, or in each column."""
    return {
        name: _matrix(random, *(shape if tokens == "rows" else shape[::-1])) for name, shape in shapes.items()
    }


def _matrix(random: Random, rows: int, columns: int) -> list[list[str]]:
    pool = _ENTRIES[: random.choice((6, 9, len(_ENTRIES)))]
    return [[random.choice(pool) for _ in range(columns)] for _ in range(rows)]


def _parts(random: Random, n_q: int, *, is_open: bool) -> Iterator[dict[str, object]]:
    if random.random() < 0.4:
        return
    some = sorted(random.sample(range(1, n_q + 1), random.randint(1, n_q)))
    for asks in ("projections", "scores", "map", "outputs"):
        part: dict[str, object] = {"asks": asks}
        if asks != "projections" and random.random() < 0.4:
            part["tokens"] = some
        yield part
    for asks in ("shapes", "entry", "row"):
        if random.random() < 0.6:
            yield {"asks": asks}
    if not is_open:
        yield {"asks": ["diagram", "pattern"]}
