"""Work grows at most in proportion to its input: long formulas, many statements, tokens without end.

Calls of functions are counted for one input of each kind, so that the answer is the same on a busy machine. What one
call of a regular expression does is not counted: `long` tests measure processor time, on larger inputs of every kind.
"""

from __future__ import annotations

import time
from functools import partial
from itertools import pairwise

import pytest

from tests.effort import calls
from tests.growth_inputs import Input, inputs, run

pytestmark = pytest.mark.unmeasured

MOST = 2.4
"""Largest factor of the work for an input twice as long."""

MOST_TIME = 3.0
"""Largest factor of the time for an input twice as long, and then for one twice as long again; a square takes 4."""

SPARE = 20_000
"""Calls that count for nothing: caches are filled now and then."""

LARGE = 50_000
"""Characters, or the size, of the smallest of the inputs that are timed."""

SECONDS = 0.25
"""Seconds of a processor from which an input is timed, however short it is."""

LITTLE = 0.1
"""Seconds of a processor that say nothing about growth."""

INPUTS = {found.name: found for found in inputs()}

KINDS = (
    "formula: sum of quotients", "lines: softmax entries", "lines: headings", "lines: different wrong matrices",
    "a code block: equal wrong matrices", "formula: chain", "proof formula: quotients of exponentials",
    "token in md: '\\\\[ '", "token in txt: 'row 1: '", "problem: comments", "record: sums", "array: rows",
)  # fmt: skip
"""One of each kind."""


@pytest.mark.sample(6)
@pytest.mark.parametrize("name", KINDS)
def test_calls_grow_at_most_in_proportion(name: str) -> None:
    found = INPUTS[name]
    _run(found, 2)
    counts = [calls(partial(_run, found, n)) for n in (found.size, 2 * found.size, 4 * found.size)]
    assert all(after <= MOST * before + SPARE for before, after in pairwise(counts)), counts


@pytest.mark.long
@pytest.mark.parametrize("name", sorted(INPUTS))
def test_times_grow_at_most_in_proportion(name: str) -> None:
    found = INPUTS[name]
    _run(found, 2)
    size, once = found.size, _seconds(found, found.size)
    while len(found.make(size)) < LARGE and size < LARGE and once < SECONDS:
        size *= 2
        once = _seconds(found, size)
    twice = _seconds(found, 2 * size)
    if twice > MOST_TIME * max(once, LITTLE):  # work that is cached or ends at a bound grows unevenly, but once only
        fourfold = _seconds(found, 4 * size)
        assert fourfold <= MOST_TIME * twice, (size, once, twice, fourfold)


def _run(found: Input, n: int) -> None:
    run(found.command, found.make(n), found.form)


def _seconds(found: Input, n: int) -> float:
    begun = time.process_time()
    _run(found, n)
    return time.process_time() - begun


def _square(n: int) -> int:
    return sum(abs(k) for _ in range(n) for k in range(n))


def test_work_that_grows_with_the_square_is_found() -> None:
    counts = [calls(partial(_square, n)) for n in (200, 400, 800)]
    assert counts[2] > MOST * counts[1] + SPARE
