"""Keys to read back: the numeric examples under many policies, and problems drawn at random."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from pathlib import Path
from random import Random

from symattn.api.solutions import Result, solve
from symattn.graph.statements.chains import Detail
from symattn.problem.model import Problem
from symattn.rendering.sections.document import Block, typeset
from tests.attention.problems import random_tables

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
NAMES = (
    "causal_two_heads",
    "encoder_block",
    "discussion10_attention",
    "nyu_columns",
    "padded_cross_attention",
    "ps4_cross_attention",
    "ps4_self_attention",
    "relative_positions",
)
PLAIN = tuple(name for name in NAMES if name.startswith(("ps4", "nyu", "discussion10")))
"""Those without masks, biases and heads."""

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


@dataclass(frozen=True)
class Key:
    """A key that was made, and the result that reads it back."""

    label: str
    result: Result
    tex: str


@cache
def example(name: str, policy: str = "") -> Result:
    problem = Problem.load(EXAMPLES / f"{name}.toml")
    if policy:
        problem = replace(problem, policy=problem.policy.with_overrides(policy))
    return solve(problem)


@cache
def example_key(name: str, policy: str, detail: Detail, template: str) -> Key:
    result = example(name, policy)
    label = f"{name}, {policy or 'as the sheet says'}, {detail}, {template}"
    return Key(label, result, result.to_latex(template, detail))


def example_labels() -> list[tuple[str, str, Detail, str]]:
    """Every example under every policy, at every detail, in every template."""
    return list(product(NAMES, POLICIES, DETAILS, TEMPLATES))


@cache
def drawn_key(seed: int) -> Key:
    """The key of a small problem: kind, shapes, entries, convention, scale, policy, parts, detail at random."""
    random = Random(seed)
    result = solve(Problem.build(**random_tables(seed, side=4, depth=4)))
    detail, template = random.choice(DETAILS), random.choice(TEMPLATES)
    return Key(f"drawn with seed {seed}, {detail}, {template}", result, result.to_latex(template, detail))


def source_of(blocks: Sequence[Block]) -> str:
    """Return blocks of a key as LaTeX source."""
    return "\n".join(str(line) for block in typeset(blocks) for line in block.lines)
