"""Processor times of several functions in one process, in turn, so that a busy machine slows all of them."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

Work = Callable[[], object]

_SHORTEST = 0.02
"""Seconds that one measurement takes at least: what is quicker is repeated within it."""
_LONG = 2.0
"""Seconds from which a measurement is not taken again: peers that take so long are off by factors, not by parts."""


@dataclass(frozen=True, slots=True)
class Times:
    """Seconds of one function, one for each round."""

    seconds: tuple[float, ...]

    @property
    def median(self) -> float:
        return statistics.median(self.seconds)

    @property
    def spread(self) -> float:
        """Half of what lies between the first and the third quarter, as part of the median."""
        if len(self.seconds) < 2:
            return 0.0
        low, _, high = statistics.quantiles(self.seconds, n=4, method="inclusive")
        return (high - low) / 2 / self.median


def in_turn(works: Sequence[Work], rounds: int) -> list[Times]:
    """The times of the functions, each run once a round; those that take seconds, and all in no round, but once."""
    first = [_once(work, 1) for work in works]
    if not rounds:
        return [Times((seconds,)) for seconds in first]
    counts = [max(1, round(_SHORTEST / seconds)) for seconds in first]
    found: list[list[float]] = [[] if seconds < _LONG else [seconds] for seconds in first]
    for _ in range(rounds):
        for number, work in enumerate(works):
            if first[number] < _LONG:
                found[number].append(_once(work, counts[number]))
    return [Times(tuple(seconds)) for seconds in found]


def _once(work: Work, count: int) -> float:
    gc.collect()
    gc.disable()
    try:
        start = time.process_time()
        for _ in range(count):
            work()
        return max(time.process_time() - start, 1e-9) / count
    finally:
        gc.enable()
