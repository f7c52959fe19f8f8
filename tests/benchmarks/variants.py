"""Processor time and draws of 40 variants: of a design of three tokens with every constraint, and of one of four."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from time import process_time

from symattn.courses.variants.design import load_design
from symattn.courses.variants.draws import Rows
from symattn.courses.variants.program import Program
from symattn.courses.variants.search import Search
from tests.benchmarks.results import MILLISECONDS, Result

ROOT = Path(__file__).parents[2]
DESIGNS = {
    "three tokens": ("examples/variants.toml", 30),
    "four tokens": ("tests/courses/designs/four_tokens.toml", 120),
}
"""The design of each size, and the seconds to reach for all variants."""

_COUNT = 40
_MOST_DRAWS = 20_000


def drawn(*, quick: bool) -> Iterator[Result]:
    """Yield the time of all variants of a design, and the draws of one; of a quick run only of one variant."""
    count = 1 if quick else _COUNT
    for size, (path, seconds) in DESIGNS.items():
        title = f"{count} variants, {size}"
        started = process_time()
        program = Program(load_design(ROOT / path))
        found: list[Mapping[str, Rows]] = []
        draws = 0
        for number in range(1, count + 1):
            variant = Search(program, 7, str(number), found).found()
            found.append(variant.inputs)
            draws += variant.draws
        took = 1000 * (process_time() - started)
        yield Result(
            f"variants of {size}{MILLISECONDS}", title, "milliseconds", took, 1000 * seconds * count / _COUNT, took
        )
        yield Result(f"variants of {size}: draws", title, "draws per variant", draws / count, _MOST_DRAWS)
