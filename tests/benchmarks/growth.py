"""How times grow with n, d, the digits and the gap, and how much memory is taken; what may not be exceeded."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

from symattn.api.comparison import compare
from symattn.api.solutions import large_result
from symattn.exact.linear.integer_matrix import product_transposed
from tests.benchmarks.cases import (
    block_of_layer,
    certified,
    denominators_as_table,
    doubtful,
    gradients_of_layer,
    heads_of_layer,
    many_denominators,
    positioned_layer,
)
from tests.benchmarks.data import float_layer, layer
from tests.benchmarks.timing import Times, Work, in_turn


@dataclass(frozen=True, slots=True)
class Growth:
    """Times at several sizes: at most `most` times as much from one to the next, of all together if `whole`."""

    name: str
    title: str
    axis: str
    sizes: tuple[int, ...]
    make: Callable[[int], Work]
    most: float
    whole: bool = False

    def measured(self, rounds: int) -> list[Times]:
        return in_turn([self.make(size) for size in self.sizes], rounds)

    def factor(self, seconds: list[float]) -> float:
        """The largest step, to be held against `most`."""
        if self.whole:
            return max(seconds) / min(seconds)
        return max(after / before for before, after in pairwise(seconds))


def growths(*, quick: bool = False) -> Iterator[Growth]:
    n = 4 if quick else 64
    yield Growth("growth-scores", "exact scores, n = d", "n = d", _upto(quick, 32, 64, 128, 256), _scores, 7)
    yield Growth("growth-n", "A and O, D = 15", "n", _upto(quick, 16, 64, 256, 1024), partial(_layer, places=15), 16)
    yield Growth("growth-compare", "compare with float16", "n", _upto(quick, 16, 64, 256, 1024), _oracle, 16)
    yield Growth("growth-heads", "two heads, D = 15", "n", _upto(quick, 64, 128, 256), _heads, 4.4)
    yield Growth("growth-block", "an encoder block, D = 15", "n", _upto(quick, 64, 128, 256), block_of_layer, 4.4)
    yield Growth("growth-gradients", "gradients, D = 15", "n", _upto(quick, 64, 128, 256), gradients_of_layer, 4.4)
    yield Growth("growth-positions", "RoPE, D = 15", "n", _upto(quick, 64, 128, 256), _turned, 4.4)
    yield Growth("growth-denominators", "many denominators, D = 6", "n", _upto(quick, 40, 80, 160), _denominators, 4.4)
    yield Growth("growth-table", "the same as a table", "n", _upto(quick, 40, 80, 160), _table, 4.4)
    yield Growth("growth-d", f"exact scores, n = {n}", "d", _upto(quick, 64, 128, 256, 512), partial(_wide, n), 3.2)
    digits = _upto(quick, 125, 250, 500, 1000)
    yield Growth("growth-digits", f"A and O, n = {n}", "D", digits, partial(_digits, n), 3.2)
    gaps = (3, 6, 9, 15, 30)
    yield Growth("growth-gap", "one doubtful rounding", "gap (power of ten)", gaps, _gap, 1.5, whole=True)


def _upto(quick: bool, *sizes: int) -> tuple[int, ...]:
    return tuple(size // 8 for size in sizes[:3]) if quick else sizes


def _scores(n: int) -> Work:
    made = layer(n, n)
    return lambda: product_transposed(made.queries, made.keys)


def _wide(n: int, d: int) -> Work:
    made = layer(n, d)
    return lambda: product_transposed(made.queries, made.keys)


def _layer(n: int, places: int) -> Work:
    return partial(certified, layer(n), places)


def _oracle(n: int) -> Work:
    problem, computed = float_layer(n)
    result = large_result(problem)
    if result is None:
        raise ValueError("a layer of floats is worked by rows")
    return lambda: compare(result, computed, form="float16").worst


def _heads(n: int) -> Work:
    return heads_of_layer(n, 2)


def _turned(n: int) -> Work:
    return positioned_layer(n, "rope")


def _denominators(n: int) -> Work:
    return many_denominators(n, 8)


def _table(n: int) -> Work:
    return denominators_as_table(n, 8)


def _digits(n: int, places: int) -> Work:
    return partial(certified, layer(n), places)


def _gap(exponent: int) -> Work:
    return doubtful(10**exponent)


MEMORY = 60_000_000
"""Bytes that may be taken beside four times the text."""


def memory_limit(length: int) -> int:
    return MEMORY + 4 * length
