"""Probability spaces of the model check: independent base variables, summed over where finite, else integrated."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache
from itertools import product
from math import prod

from symattn.proofs.concrete.arrays import Array, Number, Value
from symattn.proofs.model.arithmetic import (
    ARITHMETIC,
    CTX,
    DIGITS,
    ONE,
    ZERO,
    NoValueError,
    UndecidedError,
    more_digits,
    plus,
    real,
    times,
    total,
)
from symattn.records import dataclass

_MAX_POINTS = 4_096
_NODES = {2: (10, 14), 3: (6, 8), 4: (4, 6)}
"""Nodes of the two Gauss rules by the number of variables with a density."""
_RADII = (2_000, 4_000, 8_000)
"""Distances at which tails are compared: a mean that exists may be made far out, where its tails still grow."""
_NOT_DECAYING = CTX.mpf("0.7")
_REACH = 16


@dataclass(frozen=True, slots=True)
class Base:
    """One of the independent variables of a space, with mean 0 and variance 1 where it has a density.

    Attributes:
        name: its name in the space.
        kind: ``finite``, ``gaussian``, or ``uniform`` (from -1 to 1, with variance 1/3).
        weights: the probabilities of a finite one.
        features: functions of a finite one, by their values.
    """

    name: str
    kind: str = "gaussian"
    weights: tuple[Fraction, ...] = ()
    features: tuple[tuple[Number, ...], ...] = ()

    def mean(self, feature: int) -> Number:
        """Return the mean of a feature."""
        return total(map(times, self.weights, self.features[feature])) if self.kind == "finite" else ZERO

    def variance(self, feature: int) -> Number:
        """Return the variance of a feature."""
        if self.kind != "finite":
            return ONE if self.kind == "gaussian" else Fraction(1, 3)
        mean = self.mean(feature)
        squares = (times(value, value) for value in self.features[feature])
        return plus(total(map(times, self.weights, squares)), -times(mean, mean))


@dataclass(frozen=True, slots=True)
class Entry:
    """A random entry: a number and multiples of features of base variables.

    Attributes:
        start: the number.
        terms: factor, base variable, and number of its feature.
    """

    start: Number
    terms: tuple[tuple[Number, Base, int], ...] = ()

    @property
    def mean(self) -> Number:
        """The mean."""
        found = self.start
        for factor, base, feature in self.terms:
            found = plus(found, times(factor, base.mean(feature)))
        return found

    @property
    def variance(self) -> Number:
        """The variance; the base variables of its terms differ from each other."""
        found: Number = ZERO
        for factor, base, feature in self.terms:
            found = plus(found, times(times(factor, factor), base.variance(feature)))
        return found

    def at(self, outcome: Mapping[str, Number]) -> Number:
        """Return its value for an outcome."""
        found = self.start
        for factor, base, feature in self.terms:
            point = outcome[base.name]
            found = plus(found, times(factor, base.features[feature][point] if base.kind == "finite" else point))
        return found


Outcome = Mapping[str, Number]
Function = Callable[[Outcome], Value]


def points(base: Base) -> list[tuple[Number, Number]]:
    """Return the points of a finite variable with their probabilities."""
    return [(weight, n) for n, weight in enumerate(base.weights)]


def integrate(function: Function, bases: Sequence[Base]) -> tuple[Value, Number]:
    """Return the mean of a function of some base variables with an estimate of its error.

    Raises:
        NoValueError: positive and negative parts both have an infinite mean.
        UndecidedError: there are too many variables, or two quadratures do not agree.
    """
    dense = [base for base in bases if base.kind != "finite"]
    finite = [base for base in bases if base.kind == "finite"]
    if not dense:
        _refuse_many(len(base.weights) for base in finite)
        return _sum(function, [(base, points(base)) for base in finite]), ZERO
    if len(dense) > max(_NODES):
        raise UndecidedError
    found = _divergence(function, dense, finite)
    if found is not None:
        return found, ZERO
    rules = _RULES_OF_ONE if len(dense) == 1 else _NODES[len(dense)]
    values = []
    for rule in rules:
        axes = [(base, points(base)) for base in finite]
        axes += [(base, _rule(base.kind, rule, is_single=len(dense) == 1)) for base in dense]
        _refuse_many(len(rule) for _, rule in axes)
        values.append(_sum(function, axes))
    return values[1], _distance(values[0], values[1])


def _refuse_many(counts: Iterator[int]) -> None:
    if prod(counts) > _MAX_POINTS:
        raise UndecidedError


def _sum(function: Function, axes: Sequence[tuple[Base, list[tuple[Number, Number]]]]) -> Value:
    found: Value = None
    for chosen in product(*(rule for _, rule in axes)):
        weight: Number = ONE
        for part, _ in chosen:
            weight = times(weight, part)
        if not weight:
            continue
        value = function({base.name: point for (base, _), (_, point) in zip(axes, chosen, strict=True)})
        term = ARITHMETIC.multiply(weight, value)
        found = term if found is None else ARITHMETIC.add(found, term)
    return found


def _distance(first: Value, second: Value) -> Number:
    if isinstance(first, Array):
        pairs = zip(first.rows, second.rows, strict=True)
        gaps = (abs(real(a) - real(b)) for one, other in pairs for a, b in zip(one, other, strict=True))
        return max(gaps, default=ZERO)
    return abs(real(first) - real(second))


def _divergence(function: Function, dense: Sequence[Base], finite: Sequence[Base]) -> Number | None:
    """Return the infinite mean of what outgrows the normal density along a ray, None where nothing does."""
    normal = [base.name for base in dense if base.kind == "gaussian"]
    fixed: dict[str, Number] = {base.name: 0 if base.kind == "finite" else ZERO for base in (*dense, *finite)}
    signs = set()
    for direction in product((-1, 0, 1), repeat=len(normal)):
        length = CTX.sqrt(sum(map(abs, direction)))
        if not length:
            continue
        sizes, last = [], ZERO
        for radius in _RADII:
            moved = {name: step * radius / length for name, step in zip(normal, direction, strict=True)}
            last = function({**fixed, **moved})
            if isinstance(last, Array):
                return None
            size = abs(real(last))
            sizes.append(CTX.log(size) - CTX.mpf(radius) ** 2 / 2 if size else -CTX.inf)
        if sizes[2] > sizes[1] - _NOT_DECAYING and sizes[1] > sizes[0] - _NOT_DECAYING:
            signs.add(1 if last > 0 else -1)
    if len(signs) > 1:
        raise NoValueError("it takes an expectation that does not exist")
    return signs.pop() * CTX.inf if signs else None


# Quadrature ----------------------------------------------------------------------------------------

_RULES_OF_ONE = (4, 6)
"""Steps to the unit of the two trapezoidal rules for one normal variable."""


@cache
def _rule(kind: str, size: int, *, is_single: bool) -> list[tuple[Number, Number]]:
    """Return weights and nodes; none of them is 0, where a quotient may have no value on a null set."""
    if kind == "uniform":
        return _gauss(10 * size if is_single else size, is_normal=False)
    return _trapezoid(size) if is_single else _gauss(size, is_normal=True)


def _trapezoid(steps: int) -> list[tuple[Number, Number]]:
    """Return the trapezoidal rule on the real line: it converges exponentially for analytic functions."""
    nodes = ((CTX.mpf(n) + CTX.mpf("0.37")) / steps for n in range(-_REACH * steps, _REACH * steps))
    return [(CTX.exp(-at * at / 2) / CTX.sqrt(2 * CTX.pi) / steps, at) for at in nodes]


def _gauss(size: int, *, is_normal: bool) -> list[tuple[Number, Number]]:
    """Return Gauss's rule for the normal law, or the uniform one from -1 to 1, from the zeros of its polynomials."""
    with more_digits(10):
        nodes: list[Number] = []
        for n in range(size):
            at = CTX.cos(CTX.pi * (n + CTX.mpf("0.75")) / (size + 0.5))
            if is_normal:
                at = nodes[-1] - CTX.mpf("0.3") if nodes else CTX.sqrt(4 * size + 2)
            for _ in range(100):
                value, slope = _polynomial(size, at, is_normal=is_normal)
                # What was found before is divided out, so that each zero is found once.
                step = 1 / (slope / value - sum(1 / (at - node) for node in nodes)) if value else CTX.mpf(0)
                at -= step
                if abs(step) < CTX.mpf(10) ** -DIGITS:
                    break
            nodes.append(at)
        slopes = [_polynomial(size, at, is_normal=is_normal)[1] for at in nodes]
        above = [CTX.factorial(size) if is_normal else 1 / (1 - at * at) for at in nodes]
        return [(top / slope**2, at) for top, slope, at in zip(above, slopes, nodes, strict=True)]


def _polynomial(size: int, at: Number, *, is_normal: bool) -> tuple[Number, Number]:
    """Return Hermite's (or Legendre's) polynomial and its derivative."""
    before, value = CTX.mpf(1), at
    for n in range(1, size):
        above = at * value - n * before if is_normal else ((2 * n + 1) * at * value - n * before) / (n + 1)
        before, value = value, above
    if is_normal:
        return value, size * before
    return value, size * (at * value - before) / (at * at - 1)


def normal_cdf(mean: Number, variance: Number, at: Number) -> Number:
    """Return the probability that a normal variable, or a constant, is at most a number."""
    if not variance:
        return ONE if real(mean) <= real(at) else ZERO
    score = (real(at) - real(mean)) / CTX.sqrt(real(variance))
    return CTX.erfc(-score / CTX.sqrt(2)) / 2
