"""Screening: enclosures of the numbers of a draw by integers, which settle nearly every question at once.

A ball (n, r) states |value - n/D| <= r/D for one large D that all balls of a design share; r = 0 is exact. D is a
multiple of powers of ten and of the denominators of the inputs, so that products of inputs, and numbers that a step
rounded, stay exact. Each operation adds its own error to r, so a ball always holds the value. A question that a ball
leaves open raises `UndecidedError`; `exact_values` answers it then. What is accepted or refused thus never depends on
a ball, only the time does, and nothing here depends on the machine.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import reduce
from math import isqrt, lcm
from typing import TypeAlias

from symattn.checking.graph.quantities import Graph
from symattn.courses.variants.numbers import Numbers, UndefinedNumberError
from symattn.errors import UndecidedError
from symattn.exact.field.expsum import ExpSum
from symattn.exact.field.quotient import Quotient
from symattn.exact.numerals.decimals import Rounding, round_rational
from symattn.exact.rounding.quotients import fixed_bounds
from symattn.operations import scalar as s
from symattn.operations.formulas.formula import Apply, Constant, Formula, Ref, Transposed
from symattn.operations.table import TABLE
from symattn.problem.settings.policy import Policy

Ball: TypeAlias = tuple[int, int]

_Code: TypeAlias = Callable[[], Ball]

HIDDEN: Ball = (0, -1)
"""Minus infinity, the score of a hidden key."""

_BITS = 192
"""Bits after the point of the enclosures from which balls are made."""
_MOST_DENOMINATOR = 10**6
_LARGEST_EXPONENT = 64


class Unit:
    """The common denominator D of all balls of a design, and the functions that need it.

    Args:
        denominators: of the numbers that inputs are made of.
        places: decimal places that rounded numbers have at most.

    >>> unit = Unit([2], 2)
    >>> third = unit.divided(unit.of(Fraction(1)), unit.of(Fraction(3)))
    >>> unit.times(third, unit.of(Fraction(3)))[0] == unit.d, unit.times(third, unit.of(Fraction(3)))[1] > 0
    (False, True)
    """

    def __init__(self, denominators: Sequence[int], places: int) -> None:
        shared = lcm(*denominators)
        # Scores are products of four inputs; where fractions are long, products of them are left inexact.
        self.d: int = 10 ** (4 * places + 24) * (shared**4 if shared < _MOST_DENOMINATOR else 1)
        self._exponentials: dict[Ball, Ball] = {}

    def of(self, value: Fraction) -> Ball:
        """Return the ball of a rational."""
        n, rest = divmod(value.numerator * self.d, value.denominator)
        return n, int(rest != 0)

    def enclosed(self, value: Quotient) -> Ball:
        """Return the ball of any number."""
        if not value.is_finite:
            return HIDDEN
        rational = value.rational()
        if rational is not None:
            return self.of(rational)
        ((low, high),) = fixed_bounds([value], _BITS)
        return (low + high) * self.d >> _BITS + 1, ((high - low) * self.d >> _BITS + 1) + 2

    def times(self, first: Ball, second: Ball) -> Ball:
        """Return the product."""
        (a, r), (b, q) = first, second
        if r < 0 or q < 0:
            raise UndecidedError("A product with a hidden score.")
        n, rest = divmod(a * b, self.d)
        if not r and not q:
            return n, int(rest != 0)
        return n, (abs(a) * q + abs(b) * r + r * q) // self.d + 2

    def divided(self, first: Ball, second: Ball) -> Ball:
        """Return the quotient.

        Raises:
            UndefinedNumberError: the divisor is 0.
        """
        (a, r), (b, q) = first, second
        if not b and not q:
            raise UndefinedNumberError
        least = abs(b) - q
        if r < 0 or q < 0 or least <= 0:
            raise UndecidedError("A divisor whose sign is open.")
        if not a and not r:
            return first  # the weight of a hidden key
        n, rest = divmod(a * self.d, b)
        if not r and not q:
            return n, int(rest != 0)
        return n, (r * self.d + (abs(n) + 1) * q) // least + 2

    def exponential(self, of: Ball) -> Ball:
        """Return e to a power; powers are kept, since the scores of a design are few."""
        found = self._exponentials.get(of)
        if found is None:
            found = self._exponentials[of] = self._exponential(*of)
        return found

    def _exponential(self, n: int, r: int) -> Ball:
        if r < 0:
            return 0, 0
        if not n and not r:
            return self.d, 0
        if abs(n) > _LARGEST_EXPONENT * self.d or r << 20 > self.d:
            raise UndecidedError("An exponent that is large or open.")
        middle, radius = self.enclosed(Quotient(ExpSum.exp(Fraction(n, self.d))))
        # |e^t - 1| <= 2|t| for |t| <= 1
        return middle, radius + (middle + radius) * 2 * r // self.d + 1

    def root(self, of: Ball) -> Ball:
        """Return the square root of a number that is not negative; between two roots the distance is at most theirs.

        For a >= 0 with a ball (n, r), sqrt(n D) is that of the middle, and it lies within r D / sqrt(n D) of it.
        """
        n, r = of
        if r < 0 or n < r or not n:
            if not n and not r:
                return of
            raise UndecidedError("A root of a number whose sign is open.")
        middle = isqrt(n * self.d)
        return middle, int(middle * middle != n * self.d) if not r else r * self.d // middle + 2

    def digits(self, of: Ball, rounding: Rounding) -> int:
        """Return the unit of the last place to which a rounding writes a number, as a part of D.

        Raises:
            UndecidedError: the first significant figure is open, or D is not a multiple of the unit.
        """
        if rounding.places is not None:
            places = rounding.places
        else:
            n, r = abs(of[0]), of[1]
            first, last = (len(str(end * 10**20 // self.d)) - 21 for end in (n - r, n + r))
            if first != last or n <= r:
                raise UndecidedError("A first figure that is open.")
            places = (rounding.figures or 1) - 1 - first
        last_place, rest = divmod(self.d * _ten(-places), _ten(places))
        if rest or last_place < 2:
            raise UndecidedError("More places than balls have.")
        return last_place

    def rounded(self, of: Ball, rounding: Rounding) -> int:
        """Return the rounded number, times D."""
        n, r = of
        if not r:
            if not n:
                return 0
            last = self.digits(of, rounding)
            k, rest = divmod(2 * n + last, 2 * last)
            if rest and rounding.ties != "truncate":
                return k * last
            index, places = round_rational(Fraction(n, self.d), rounding)
            return index * self.d * _ten(-places) // _ten(places)
        last = self.digits(of, rounding)
        if rounding.ties == "truncate":
            low, high = abs(n) - r, abs(n) + r
            if low <= 0 or low // last != high // last:
                raise UndecidedError("A rounded number that is open.")
            return (low // last) * last * (1 if n > 0 else -1)
        low, rest = divmod(2 * (n - r) + last, 2 * last)
        if not rest or low != (2 * (n + r) + last) // (2 * last):
            raise UndecidedError("A rounded number that is open.")
        return low * last

    def is_clear(self, of: Ball, rounding: Rounding, margin: Fraction) -> bool:
        """Return whether a number keeps a distance, in units of its last place, from the middles between neighbours."""
        n, r = of
        if not n and not r:
            return True
        last = self.digits(of, rounding)
        above = (2 * n + last) % (2 * last)
        slack = min(above, 2 * last - above) * margin.denominator - 2 * last * margin.numerator
        return self._is_positive(slack, 2 * r * margin.denominator)

    def is_between(self, of: Ball, low: Fraction, high: Fraction) -> bool:
        """Return whether a number lies between two others, ends included."""
        n, r = of
        ends = (
            (n * low.denominator - low.numerator * self.d, r * low.denominator),
            (
                high.numerator * self.d - n * high.denominator,
                r * high.denominator,
            ),
        )
        return all(self._is_positive(*end) for end in ends)

    @staticmethod
    def _is_positive(value: int, radius: int) -> bool:
        if -radius <= value < radius:
            raise UndecidedError("A comparison that is open.")
        return value >= radius


class Screen(Numbers[int]):
    """Balls of all numbers of one draw, worked out when they are asked for.

    Args:
        graph: the quantities.
        policy: the rounding of steps.
        unit: the common denominator.
        base: the same without a mistake, from which numbers that the mistake leaves alone are taken.
        touched: the quantities that the mistake changes.
    """

    def __init__(
        self,
        graph: Graph,
        policy: Policy,
        unit: Unit,
        base: Screen | None = None,
        touched: frozenset[str] = frozenset(),
    ) -> None:
        super().__init__(graph, policy)
        self.unit = unit
        self.one = unit.d
        self._base = base
        own = (
            graph.nodes if base is None else [name for name in graph.nodes if name in touched or name not in base.graph]
        )
        self._used: dict[str, dict[tuple[int, int], Ball]] = {name: {} for name in own}
        self._met: dict[str, dict[tuple[int, int], list[Ball]]] = {name: {} for name in own}
        self._code: dict[tuple[str, int, int], _Code] = {}
        self._products: list[Ball] = []
        self._given: dict[str, list[list[Ball]]] = {
            name: [[unit.enclosed(value) for value in row] for row in graph.given[name].rows]
            for name in own
            if graph.nodes[name].formula is None
        }

    def put(self, name: str, rows: Sequence[Sequence[Ball]]) -> None:
        """Give an input other numbers; what is made of it is forgotten."""
        self._given[name] = [list(row) for row in rows]
        self.forget((name, *self.graph.below(name)))

    def forget(self, names: Sequence[str]) -> None:
        """Forget the numbers of some quantities."""
        for name in names:
            if name in self._used:
                self._used[name].clear()
                self._met[name].clear()

    # Questions ---------------------------------------------------------------------------------------

    def met(self, name: str, i: int, j: int) -> list[Ball]:
        """Return the numbers that are rounded on the way to an entry: products, and the entry before its rounding."""
        if name not in self._used:
            return self._base.met(name, i, j)  # type: ignore[union-attr]  # a graph without a base has all of its own
        self._get(name, i, j)
        return self._met[name][i, j]

    def printed(self, name: str, i: int, j: int) -> int | None:
        """Return an entry as it is printed, times D; None for a hidden score."""
        of = self.met(name, i, j)[-1]
        return None if of[1] < 0 else self.unit.rounded(of, self.display(name))

    def is_clear(self, number: Ball, rounding: Rounding, margin: Fraction) -> bool:
        """Return whether a number keeps its distance from rounding boundaries."""
        return number[1] < 0 or self.unit.is_clear(number, rounding, margin)

    def is_between(self, number: Ball, low: Fraction, high: Fraction) -> bool:
        """Return whether a number lies between two others."""
        return self.unit.is_between(number, low, high)

    def is_zero(self, number: Ball) -> bool:
        """Return whether a number is 0."""
        n, r = number
        if r and abs(n) <= r:
            raise UndecidedError("A number that may be 0.")
        return not n and not r

    def rational(self, number: Ball) -> Fraction:
        """Return a number that is known to be rational."""
        if number[1]:
            raise UndecidedError("A number that is not exact.")
        return Fraction(number[0], self.unit.d)

    # Values ------------------------------------------------------------------------------------------

    def _get(self, name: str, i: int, j: int) -> Ball:
        own = self._used.get(name)
        if own is None:
            return self._base._get(name, i, j)  # type: ignore[union-attr]  # noqa: SLF001 - one of its own kind
        found = own.get((i, j))
        if found is None:
            found = own[i, j] = self._make(name, i, j)
        return found

    def _make(self, name: str, i: int, j: int) -> Ball:
        formula = self.graph.nodes[name].formula
        if formula is None:
            value, products = self._given[name][i][j], []
        else:
            code = self._code.get((name, i, j))
            if code is None:
                rounding = self.policy.at("products") if self._rounds_products(formula) else None
                code = self._code[name, i, j] = self._entry(formula, i, j, rounding)
            value = code()
            products = self._products if self._rounds_products(formula) else []
        self._met[name][i, j] = [*products, value]
        rounding = self.rounding(name)
        return value if rounding is None or value[1] < 0 else (self.unit.rounded(value, rounding), 0)

    def _rounds_products(self, formula: Formula) -> bool:
        is_sum = isinstance(formula, Apply) and TABLE[formula.operation].products
        return is_sum and self.policy.at("products") is not None

    def _entry(self, formula: Formula, i: int, j: int, products: Rounding | None = None) -> _Code:
        match formula:
            case Ref(name):
                return self._leaf(name, i, j)
            case Transposed(of):
                return self._entry(of, j, i)
            case Constant(values):
                known = self.unit.enclosed(values[i, j])
                return lambda: known
            case Apply(operation):
                shapes = self.graph.operand_shapes(formula)
                made = TABLE[operation].entry(formula.params, shapes, i, j)
                return _Compiler(self, formula.operands, products).code(made)

    def _leaf(self, name: str, i: int, j: int) -> _Code:
        own, place, get = self._used.get(name), (i, j), self._get
        if own is None:
            return lambda: get(name, i, j)
        known = own.get

        def leaf() -> Ball:
            found = known(place)
            return get(name, i, j) if found is None else found

        return leaf


class _Compiler:
    """Scalar expressions as functions without arguments, made once for all draws."""

    def __init__(self, screen: Screen, operands: Sequence[Formula], products: Rounding | None) -> None:
        self._screen, self._unit = screen, screen.unit
        self._operands = operands
        self._rounding = products

    def code(self, scalar: s.Scalar) -> _Code:
        """Return the function that works an expression out."""
        unit = self._unit
        match scalar:
            case s.Leaf(operand, int() as row, int() as column):
                return self._screen._entry(self._operands[operand], row, column)  # noqa: SLF001 - its own part
            case s.Num(value):
                known = unit.enclosed(Quotient.of(value))
                return lambda: known
            case s.Total(count, body):
                return self._sum([body(index) for index in range(count)])
            case s.Add(terms):
                return self._sum(terms)
            case s.Mul(factors):
                codes = [self.code(factor) for factor in factors]
                return lambda: reduce(unit.times, (code() for code in codes))
            case s.Neg(of):
                negated = self.code(of)
                return lambda: _negative(negated())
            case s.Div(above, below):
                top, bottom = self.code(above), self.code(below)
                return lambda: unit.divided(top(), bottom())
            case s.Pow(of, exponent):
                base = self.code(of)
                return lambda: reduce(unit.times, [base()] * exponent)
            case s.Call("exp", of):
                power = self.code(of)
                return lambda: unit.exponential(power())
            case s.Call("sqrt", of):
                root = self.code(of)
                return lambda: unit.root(root())
            case s.Max(items):
                codes = [self.code(item) for item in items]
                return lambda: reduce(_larger, (code() for code in codes))
            case s.Require(_, of):
                return self.code(of)
            case s.Select("all-hidden", of, then, other):
                tests = [self.code(item) for item in of]
                chosen = self.code(then), self.code(other)

                def chosen_one() -> Ball:
                    is_seen = any(test()[1] >= 0 for test in tests)
                    return chosen[is_seen]()

                return chosen_one
        return _open

    def _sum(self, terms: Sequence[s.Scalar]) -> _Code:
        unit, screen, rounding = self._unit, self._screen, self._rounding
        if rounding is not None:
            if not all(isinstance(term, s.Mul) for term in terms):
                return _open
            codes = [self.code(term) for term in terms]

            def rounded() -> Ball:
                found = [code() for code in codes]
                screen._products = found  # noqa: SLF001 - its own part
                return sum(unit.rounded(product, rounding) for product in found), 0

            return rounded
        if not all(isinstance(term, s.Mul) and len(term.factors) == 2 for term in terms):
            codes = [self.code(term) for term in terms]
            return lambda: reduce(_plus, (code() for code in codes))
        pairs = [(self.code(term.factors[0]), self.code(term.factors[1])) for term in terms if isinstance(term, s.Mul)]
        d = unit.d

        def products() -> Ball:
            n = radius = 0
            for first, second in pairs:
                (a, r), (b, q) = first(), second()
                if r < 0 or q < 0:
                    raise UndecidedError("A product with a hidden score.")
                n += a * b
                if r or q:
                    radius += abs(a) * q + abs(b) * r + r * q
            n, rest = divmod(n, d)
            return n, (radius // d + 2 if radius else int(rest != 0))

        return products


def _ten(exponent: int) -> int:
    """Return a power of ten, 1 for a negative exponent."""
    return int(10 ** max(exponent, 0))


def _open() -> Ball:
    raise UndecidedError("An operation that balls do not know.")


def _negative(of: Ball) -> Ball:
    if of[1] < 0:
        raise UndecidedError("A hidden score with a sign.")
    return -of[0], of[1]


def _plus(first: Ball, second: Ball) -> Ball:
    if first[1] < 0 or second[1] < 0:
        return HIDDEN
    return first[0] + second[0], first[1] + second[1]


def _larger(first: Ball, second: Ball) -> Ball:
    if first[1] < 0 or second[1] < 0:
        return second if first[1] < 0 else first
    if abs(first[0] - second[0]) < first[1] + second[1]:
        raise UndecidedError("A maximum that is open.")
    return max(first, second)
