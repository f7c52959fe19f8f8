"""Values of formulas with expectations, derivatives and limits in one model.

Expectations are means, moments, covariances, probabilities and cumulants.

Limits and derivatives are taken by their definition, from values at two step sizes, which must agree to a stated error.
A quotient or a value that grows as the step shrinks, a kink, and two sides that differ mean that there is no value; a
slow approach is undecided.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import partial
from itertools import product

from symattn.notation.tree import nodes as t
from symattn.proofs.concrete.arrays import Array, Number, Value, map_value
from symattn.proofs.language.interpretation import plain_name
from symattn.proofs.model.arithmetic import (
    ARITHMETIC,
    CTX,
    ONE,
    ZERO,
    NoValueError,
    UndecidedError,
    exp,
    factorial,
    more_digits,
    negative,
    number,
    over,
    plus,
    power,
    real,
    sqrt,
    times,
)
from symattn.proofs.model.formulas import Formulas
from symattn.proofs.model.models import Place
from symattn.proofs.model.probability_spaces import Base, integrate, normal_cdf, points

_MAX_ORDER = 6


class Evaluator(Formulas):
    """Evaluator of formulas of a scope in one model."""

    def special(self, name: str, arguments: tuple[t.Node, ...]) -> Value:
        """Return the value of a mean, a derivative or another word that looks at how its arguments depend on others."""
        words: dict[str, Callable[..., Value]] = {
            "E": self._mean,
            "Var": self._covariance,
            "Cov": self._covariance,
            "cdf": self._cdf,
            "density": self._density,
            "cumulant": self._cumulant,
            "diff": self._derivative,
            "lim": self._limit,
            "coefficient": self._coefficient,
        }
        return words[name](*arguments)

    # Expectations ----------------------------------------------------------------------------------

    def moment(self, name: str, place: Place, order: int, *, is_central: bool) -> Number:
        """Return a moment of a random entry."""
        if name in self.model.random and order == 1 + is_central:
            entry = self.model.random[name][place]
            return entry.variance if is_central else entry.mean
        _, bases = self.traced(lambda: self.entry(name, place))
        start = self._integral(lambda: self.entry(name, place), bases, set()) if is_central else ZERO
        return number(
            self._integral(lambda: power(plus(self.entry(name, place), -start), Fraction(order)), bases, set())
        )

    def covariance(self, one: tuple[str, Place], other: tuple[str, Place]) -> Number:
        """Return the covariance of two random entries."""
        _, bases = self.traced(lambda: plus(self.entry(*one), self.entry(*other)))
        means = [self._integral(partial(self.entry, *item), bases, set()) for item in (one, other)]
        return number(
            self._integral(
                lambda: times(plus(self.entry(*one), -means[0]), plus(self.entry(*other), -means[1])), bases, set()
            )
        )

    def _mean(self, body: t.Node, given: t.Node | None = None) -> Value:
        held = set() if given is None else self._held(given)
        try:
            found = self._split_mean(body, held)
            if isinstance(found, Array) or CTX.isfinite(real(found)):
                return found
        except NoValueError:
            pass
        # Parts without a mean may cancel.
        return self._integral(lambda: self._value(body), self._bases(body), held)

    def _held(self, given: t.Node) -> set[Base]:
        bases: set[Base] = set()
        for item in given.items if isinstance(given, t.Vector) else (given,):
            bases.update(self._bases(item))
            entries = self.model.random.get(plain_name(item) or "", {}).values()
            if any(len(entry.terms) > 1 for entry in entries):
                raise UndecidedError
            for _, base, feature in (term for entry in entries for term in entry.terms):
                if base.kind == "finite" and len(set(base.features[feature])) < len(base.weights):
                    raise UndecidedError
        return bases

    def _split_mean(self, node: t.Node, held: set[Base]) -> Value:
        """Take means apart by linearity, and by independence of factors."""
        match node:
            case t.Group(body):
                return self._split_mean(body, held)
            case t.Negative(body):
                return map_value(self._split_mean(body, held), negative)
            case t.Sum(terms, operators):
                found = self._split_mean(terms[0], held)
                for operator, term in zip(operators, terms[1:], strict=True):
                    value = self._split_mean(term, held)
                    found = ARITHMETIC.add(found, value if operator == "+" else map_value(value, negative))
                return found
            case t.SumOver(index, t.Number("1"), upper, body, ()) if upper is not None:
                total: Value = ZERO
                for n in range(1, self.length(number(self._value(upper))) + 1):
                    with self._inside({index.text: n}):
                        term = self._split_mean(body, held)
                    total = term if n == 1 else ARITHMETIC.add(total, term)
                return total
            case _:
                return self._integral(lambda: self._value(node), self._bases(node), held)

    def _integral(self, function: Callable[[], Value], bases: Sequence[Base], held: set[Base]) -> Value:
        free = [base for base in bases if base not in held]
        if not free:
            return function()

        def at(outcome: Mapping[str, Number]) -> Value:
            with self._changed(outcome):
                return function()

        return self._noted(integrate(at, free))

    def _covariance(self, first: t.Node, second: t.Node | None = None) -> Value:
        second = first if second is None else second
        bases = sorted({*self._bases(first), *self._bases(second)}, key=lambda base: base.name)
        one, other = number(self._mean(first)), number(self._mean(second))

        def of() -> Number:
            return times(plus(number(self._value(first)), -one), plus(number(self._value(second)), -other))

        return self._integral(of, bases, set())

    def _cdf(self, quantity: t.Node, at: t.Node) -> Number:
        """Return the probability of being at most a number, of what is finite or affine in normal variables."""
        bases, level = self._bases(quantity), number(self._value(at))
        if any(base.kind == "uniform" for base in bases):
            raise UndecidedError
        dense = [base for base in bases if base.kind == "gaussian"]
        found: Number = ZERO
        finite = [base for base in bases if base.kind == "finite"]
        for chosen in product(*map(points, finite)):
            weight: Number = ONE
            for part, _ in chosen:
                weight = times(weight, part)
            outcome = {base.name: point for base, (_, point) in zip(finite, chosen, strict=True)}
            mean, variance = self._affine(quantity, dense, outcome)
            found = plus(found, times(weight, normal_cdf(mean, variance, level)))
        return found

    def _affine(self, node: t.Node, dense: Sequence[Base], outcome: Mapping[str, Number]) -> tuple[Number, Number]:
        def at(values: Sequence[int]) -> Number:
            moved = {base.name: Fraction(value) for base, value in zip(dense, values, strict=True)}
            with self._changed({**outcome, **moved}):
                return number(self._value(node))

        start = at([0] * len(dense))
        slopes = [plus(at([int(n == m) for m in range(len(dense))]), -start) for n in range(len(dense))]
        for values in ([m + 2 for m in range(len(dense))], [-3 * m - 1 for m in range(len(dense))]):
            wanted = start
            for slope, value in zip(slopes, values, strict=True):
                wanted = plus(wanted, times(slope, Fraction(value)))
            if abs(real(plus(at(values), -wanted))) > CTX.mpf(10) ** -30 * (1 + abs(real(wanted))):
                raise UndecidedError
        variance: Number = ZERO
        for slope in slopes:
            variance = plus(variance, times(slope, slope))
        return start, variance

    def _density(self, quantity: t.Node, at: t.Node) -> Number:
        bases, level = self._bases(quantity), number(self._value(at))
        if any(base.kind != "gaussian" for base in bases):
            raise UndecidedError
        mean, variance = self._affine(quantity, bases, {})
        if not variance:
            raise NoValueError("it takes the density of a constant")
        score = times(plus(level, -mean), plus(level, -mean))
        return over(exp(over(score, times(Fraction(-2), variance))), sqrt(times(+(2 * CTX.pi), variance)))

    def _cumulant(self, quantity: t.Node, order: t.Node) -> Number:
        count = self._order(order)
        bases = self._bases(quantity)
        raw = [ONE]

        def of(n: int) -> Number:
            return power(number(self._value(quantity)), Fraction(n))

        raw += [number(self._integral(partial(of, n), bases, set())) for n in range(1, count + 1)]
        found = [ZERO]
        for n in range(1, count + 1):
            value = raw[n]
            for m in range(1, n):
                ways = over(factorial(Fraction(n - 1)), times(factorial(Fraction(m - 1)), factorial(Fraction(n - m))))
                value = plus(value, -times(ways, times(found[m], raw[n - m])))
            found.append(value)
        return found[count]

    def _order(self, node: t.Node) -> int:
        order = number(self._value(node))
        if not isinstance(order, Fraction) or order.denominator != 1 or not 1 <= order <= _MAX_ORDER:
            raise UndecidedError
        return int(order)

    # Derivatives and limits ------------------------------------------------------------------------

    def _along(self, body: t.Node, name: str, place: Place) -> Callable[[Number], Number]:
        def at(value: Number) -> Number:
            with self._changed(moved={(name, place): value}):
                return number(self._value(body))

        return at

    def _variable(self, node: t.Node) -> tuple[str, Place]:
        whole = plain_name(node)
        if whole in self.declared and not self.declared[whole].sizes:
            return self._free(whole, ())
        base = plain_name(node.base) if isinstance(node, t.Subscript) else None
        if base not in self.declared or not isinstance(node, t.Subscript):
            raise UndecidedError
        return self._free(base, self._places(node, len(self.declared[base].sizes)))

    def _free(self, name: str, place: Place) -> tuple[str, Place]:
        """Return a variable that no hypothesis ties to others."""
        if name in self._tied or self.declared[name].random:
            raise UndecidedError
        return name, place

    def _derivative(self, body: t.Node, variable: t.Node) -> Value:
        name, place = self._variable(variable)
        at = number(self._value(variable))
        is_boundary = self.declared[name].sign == "nonnegative" and not at
        value = self._value(body)
        if isinstance(value, Array):
            raise UndecidedError
        return self._noted(derivative(self._along(body, name, place), at, is_boundary=is_boundary, finer=self._scale))

    @property
    def _scale(self) -> int:
        """Return the factor by which steps are finer beside a value that was moved towards a limit."""
        return 22 * 3 ** (self._limits - 1) if self._limits else 0

    def _limit(self, variable: t.Node, target: t.Node, body: t.Node) -> Value:
        name, place = self._variable(variable)
        inner = target.body if isinstance(target, t.Negative) else target
        if inner == t.Name("oo"):
            goal: Number = -CTX.inf if isinstance(target, t.Negative) else CTX.inf
        else:
            goal = number(self._value(target))
        is_signed = self.declared[name].sign != "real"
        if is_signed and goal < 0:
            raise UndecidedError
        sides = (1,) if is_signed and not goal else (1, -1)
        self._limits += 1
        try:
            return self._noted(limit(self._along(body, name, place), goal, sides, self._limits - 1))
        finally:
            self._limits -= 1

    def _coefficient(self, body: t.Node, variable: t.Node, order: t.Node) -> Number:
        name, place = self._variable(variable)
        return coefficient(self._along(body, name, place), self._order(order))


Function = Callable[[Number], Number]

_STEP = 14
"""A derivative is taken with a step of ten to the minus so many."""
_FAR, _FARTHER = 18, 22
"""A limit is taken at ten to so many, or to the minus so many; at powers of these where limits are nested."""
_AGREE = Fraction(1, 1_000)
_GROWTH = 8
_MAX_DEPTH = 3


def derivative(function: Function, at: Number, *, is_boundary: bool, finer: int) -> tuple[Number, Number]:
    """Return the derivative at a number, one-sided where that is the least value of the domain.

    Raises:
        NoValueError: there is none.
        UndecidedError: two steps do not agree.
    """
    with more_digits(3 * _STEP):
        step = CTX.mpf(10) ** -(_STEP + finer)
        middle = function(at)

        def quotient(h: Number) -> Number:
            low = middle if is_boundary else function(plus(at, -h))
            return real(plus(function(plus(at, h)), negative(low))) / (h if is_boundary else 2 * h)

        def kink(h: Number) -> Number:
            two = plus(function(plus(at, h)), function(plus(at, -h)))
            return abs(real(plus(two, -2 * middle)) / h)

        first, second = quotient(step), quotient(step / 2)
        error = abs(first - second)
        if not error <= real(_AGREE) * (1 + abs(second)):
            if abs(quotient(step / 10_000)) > _GROWTH * abs(first):
                raise NoValueError("the difference quotient has no limit")
            raise UndecidedError
        if not is_boundary and kink(step) > real(_AGREE) ** 2 * (1 + abs(second)) and kink(step / 16) > kink(step) / 2:
            raise NoValueError("the difference quotients of the two sides differ")
        better = 2 * second - first if is_boundary else (4 * second - first) / 3
    return +better, error


def limit(function: Function, target: Number, sides: tuple[int, ...], depth: int) -> tuple[Number, Number]:
    """Return the limit at a number from some sides, or at an infinity.

    Raises:
        NoValueError: the values grow, or those of the two sides differ.
        UndecidedError: the approach is slow.
    """
    if depth >= _MAX_DEPTH:
        raise UndecidedError
    scale = 3**depth
    with more_digits(2 * _FARTHER * scale):
        if not CTX.isfinite(real(target)):
            sign = 1 if target > 0 else -1
            return _approach([function(sign * CTX.mpf(10) ** (place * scale)) for place in (_FAR, _FARTHER)])
        found = []
        for side in sides:
            steps = (side * CTX.mpf(10) ** -(place * scale) for place in (_FAR, _FARTHER))
            found.append(_approach([function(plus(target, step)) for step in steps]))
        value, error = found[0]
        if len(found) > 1:
            other, more = found[1]
            if abs(value - other) > 1_000 * (error + more) + CTX.mpf(10) ** -10 * (1 + abs(value)):
                raise NoValueError("the limits of the two sides differ")
            error = max(error, more)
    return +value, error


def _approach(values: list[Number]) -> tuple[Number, Number]:
    first, second = map(real, values)
    if abs(second) > CTX.mpf(10) ** 6 and abs(second) > _GROWTH * abs(first):
        raise NoValueError("the values grow beyond all bounds")
    error = abs(first - second)
    if not error <= real(_AGREE) * (1 + abs(second)):
        raise UndecidedError
    return second, error


def coefficient(function: Function, order: int) -> Number:
    """Return the factor of a power in the power series of a function at 0."""
    with more_digits(20):
        try:
            return +(CTX.diff(lambda x: real(function(x)), 0, order) / real(factorial(Fraction(order))))
        except (ValueError, ZeroDivisionError, OverflowError) as error:
            raise UndecidedError from error
