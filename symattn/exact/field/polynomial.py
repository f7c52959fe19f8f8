"""TRUSTED. Polynomials in symbols with coefficients from Q(sqrt 2, sqrt 3, sqrt 5, ...), in canonical form.

A polynomial is a finite rational combination of monomials ``sqrt(m) * x**a * y**b ...`` with square-free
m >= 1. Square roots of distinct square-free numbers are linearly independent over the rationals
(Besicovitch 1940, "On the linear independence of fractional powers of integers"), and monomials in
independent symbols over every field, so two polynomials are equal exactly when their tables are.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import lru_cache
from math import gcd, isqrt, lcm
from typing import TypeAlias

from symattn.errors import EffortError, InputError
from symattn.exact.field.power_names import name_text, symbol_and_power
from symattn.exact.numerals.integer_text import natural_text

MAX_RADICAND = 10**18
"""Square roots are taken of quotients of integers up to this, and of squares of any size."""


def square_part(n: int) -> tuple[int, int]:
    """Return (a, m) with n = a^2 m and m square-free, for n >= 1.

    After division by all primes up to the cube root, what is left is 1, a prime, a product of two
    primes, or the square of a prime, and only the last is not square-free.

    Raises:
        InputError: n is larger than `MAX_RADICAND` and no square.

    >>> square_part(72), square_part(10**40)
    ((6, 2), (100000000000000000000, 1))
    """
    root = isqrt(n)
    if root * root == n:
        return root, 1
    if n > MAX_RADICAND:
        raise InputError(
            "A number under a square root is beyond 10^18 and no square, so its square factors cannot be "
            "found quickly: use a smaller one."
        )
    outer, inner, p = 1, 1, 2
    while p * p * p <= n:
        while n % (p * p) == 0:
            n //= p * p
            outer *= p
        if n % p == 0:
            n //= p
            inner *= p
        p += 1 if p == 2 else 2
    root = isqrt(n)
    if root * root == n:
        return outer * root, inner
    return outer, inner * n


def coprime_factors(radicands: Iterable[int]) -> list[int]:
    """Return pairwise coprime numbers > 1, such that each of the square-free radicands is a product of some.

    By greatest common divisors alone, without factoring.

    >>> sorted(coprime_factors([6, 10]))
    [2, 3, 5]
    """
    factors: list[int] = []
    for radicand in radicands:
        rest, refined = radicand, []
        for factor in factors:
            common = gcd(rest, factor)
            refined += [part for part in (common, factor // common) if part > 1]
            rest //= common
        factors = [*refined, rest] if rest > 1 else refined
    return factors


Powers: TypeAlias = tuple[tuple[str, int], ...]
Monomial: TypeAlias = tuple[int, Powers]
"""A square-free radicand m >= 1, and the powers of the symbols, sorted by name."""
_Order: TypeAlias = tuple[int, Powers, int]

ONE: Monomial = (1, ())
"""The monomial 1."""

_MAX_PRODUCTS = 100_000  # term by term; beyond this an expansion is a mistake or an attack
_MAX_COEFFICIENT_BITS = 4_000_000
_MAX_CONJUGATES = 6


class Polynomial:
    """An immutable polynomial; equal values are equal objects with equal hashes.

    >>> x = Polynomial.symbol("beta")
    >>> str(2 * Polynomial.sqrt(2) * x - Fraction(1, 3))
    '2*sqrt(2)*beta - 1/3'
    """

    __slots__ = ("_denominator", "_hash", "_symbols", "_table")

    _table: tuple[tuple[Monomial, int], ...]
    _denominator: int
    _hash: int
    _symbols: frozenset[str]

    def __init__(self, value: Fraction | int = 0) -> None:
        """Make the constant polynomial of a rational."""
        self._table = ((ONE, value.numerator),) if value else ()
        self._denominator = value.denominator
        self._hash = hash(value)

    def _set(self, table: tuple[tuple[Monomial, int], ...], denominator: int) -> None:
        self._table = table
        self._denominator = denominator
        constant = _constant_of(table, denominator)
        self._hash = hash((table, denominator)) if constant is None else hash(constant)

    @classmethod
    def from_table(cls, table: Mapping[Monomial, int], denominator: int) -> Polynomial:
        """Return the polynomial table / denominator (> 0): without zeros, in lowest terms, monomials in one order.

        >>> str(Polynomial.from_table({ONE: 2, (2, ()): 0}, 4))
        '1/2'
        """
        items = [(monomial, c) for monomial, c in table.items() if c]
        if denominator != 1:
            common = gcd(denominator, *(c for _, c in items))
            if common != 1:
                denominator //= common
                items = [(monomial, c // common) for monomial, c in items]
        if len(items) > 1:
            items.sort(key=_order)
        self = cls.__new__(cls)
        self._set(tuple(items), denominator if items else 1)
        return self

    @classmethod
    def of_terms(cls, terms: Iterable[tuple[Monomial, Fraction]]) -> Polynomial:
        """Return the sum of the terms, each a monomial and its coefficient.

        >>> Polynomial.of_terms([((2, ()), Fraction(3))]) == 3 * Polynomial.sqrt(2)
        True
        """
        items = list(terms)
        denominator = lcm(*(c.denominator for _, c in items))
        table: dict[Monomial, int] = {}
        for monomial, c in items:
            table[monomial] = table.get(monomial, 0) + c.numerator * (denominator // c.denominator)
        return cls.from_table(table, denominator)

    @classmethod
    def constant(cls, value: Fraction | int) -> Polynomial:
        """Return a rational as a polynomial.

        >>> Polynomial.constant(Fraction(1, 2)).rational()
        Fraction(1, 2)
        """
        return cls(value)

    @classmethod
    def symbol(cls, name: str) -> Polynomial:
        """Return a free symbol.

        >>> sorted((Polynomial.symbol("a") * Polynomial.symbol("b")).symbols)
        ['a', 'b']
        """
        return cls.from_table({(1, ((name, 1),)): 1}, 1)

    @classmethod
    def sqrt(cls, value: Fraction | int) -> Polynomial:
        """Return the square root of a rational >= 0, with all squares taken out.

        Raises:
            InputError: the value is negative, or too large to find its square factors.

        >>> str(Polynomial.sqrt(8)), str(Polynomial.sqrt(Fraction(1, 2)))
        ('2*sqrt(2)', '1/2*sqrt(2)')
        """
        if value < 0:
            raise InputError("The square root of a negative number is not real: take one of a number >= 0.")
        if value == 0:
            return cls()
        outer_top, top = square_part(value.numerator)
        outer_bottom, bottom = square_part(value.denominator)
        return cls.from_table({(top * bottom, ()): outer_top}, outer_bottom * bottom)

    @property
    def terms(self) -> tuple[tuple[Monomial, Fraction], ...]:
        """Monomials with their coefficients, highest degree first.

        >>> Polynomial(Fraction(1, 2)).terms
        (((1, ()), Fraction(1, 2)),)
        """
        return tuple((monomial, Fraction(c, self._denominator)) for monomial, c in self._table)

    @property
    def integers(self) -> tuple[tuple[tuple[Monomial, int], ...], int]:
        """The same terms as integers over one positive denominator, in lowest terms.

        >>> Polynomial(Fraction(1, 2)).integers
        ((((1, ()), 1),), 2)
        """
        return self._table, self._denominator

    @property
    def symbols(self) -> frozenset[str]:
        """The names of the symbols that occur.

        >>> Polynomial.sqrt(2).symbols
        frozenset()
        """
        try:
            return self._symbols
        except AttributeError:
            self._symbols = frozenset(name for (_, powers), _ in self._table for name, _ in powers)
        return self._symbols

    def rational(self) -> Fraction | None:
        """Return the value if it is a rational number.

        >>> (Polynomial.sqrt(2) ** 2).rational()
        Fraction(2, 1)
        """
        return _constant_of(self._table, self._denominator)

    def __bool__(self) -> bool:
        """Return False for zero only."""
        return bool(self._table)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Polynomial):
            return self._denominator == other._denominator and self._table == other._table
        if isinstance(other, (int, Fraction)) and not isinstance(other, bool):
            return self.rational() == other
        return NotImplemented

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> tuple[object, tuple[dict[Monomial, int], int]]:
        """Rebuild copies and pickles: hashes of names differ from process to process."""
        return Polynomial.from_table, (dict(self._table), self._denominator)

    def __neg__(self) -> Polynomial:
        return Polynomial.from_table({monomial: -c for monomial, c in self._table}, self._denominator)

    def __add__(self, other: Polynomial | Fraction | int) -> Polynomial:
        if not isinstance(other, (Polynomial, Fraction, int)):
            return NotImplemented
        if not isinstance(other, Polynomial):
            other = Polynomial(other)
        denominator = lcm(self._denominator, other._denominator)
        mine, yours = denominator // self._denominator, denominator // other._denominator
        table = {monomial: c * mine for monomial, c in self._table}
        for monomial, c in other._table:
            table[monomial] = table.get(monomial, 0) + c * yours
        return Polynomial.from_table(table, denominator)

    __radd__ = __add__

    def __sub__(self, other: Polynomial | Fraction | int) -> Polynomial:
        return self + (-other)

    def __rsub__(self, other: Fraction | int) -> Polynomial:
        return (-self) + other

    def __mul__(self, other: Polynomial | Fraction | int) -> Polynomial:
        if not isinstance(other, (Polynomial, Fraction, int)):
            return NotImplemented
        if not isinstance(other, Polynomial):
            other = Polynomial(other)
        if len(self._table) * len(other._table) > _MAX_PRODUCTS:
            raise EffortError("A product of polynomials has too many terms to write out: use fewer symbols.")
        table: dict[Monomial, int] = {}
        for first, a in self._table:
            for second, b in other._table:
                factor, monomial = multiply_monomials(first, second)
                table[monomial] = table.get(monomial, 0) + a * b * factor
        return Polynomial.from_table(table, self._denominator * other._denominator)

    __rmul__ = __mul__

    def __pow__(self, exponent: int) -> Polynomial:
        """Return a power with an integer exponent >= 0.

        Raises:
            InputError: the exponent is negative, or the power too large to write out.
        """
        if exponent < 0:
            raise InputError(f"The exponent of a polynomial must be an integer >= 0, not {exponent}.")
        size = max((c.bit_length() for _, c in self._table), default=0) + self._denominator.bit_length()
        if size * exponent > _MAX_COEFFICIENT_BITS:
            raise EffortError("A power is too large to write out: use a smaller exponent.")
        result, square = Polynomial(1), self
        while exponent:
            if exponent & 1:
                result *= square
            exponent >>= 1
            if exponent:
                square *= square
        return result

    def divide(self, other: Polynomial) -> Polynomial | None:
        """Return the quotient by a non-zero constant of Q(sqrt 2, sqrt 3, ...), or None where that is not one.

        The inverse is the product of the conjugates over the norm: a sign change of the square root of one
        prime is an automorphism of the field, and x times its image no longer holds that root. Radicands
        are split into pairwise coprime factors instead of primes, which needs no factoring. None also
        where more than 6 such roots occur, since the inverse would have up to 2**7 terms and more.

        >>> one, root = Polynomial(1), Polynomial.sqrt(2)
        >>> str(one.divide(1 + root)), one.divide(Polynomial.symbol("x"))
        ('-1 + sqrt(2)', None)
        """
        if not other or other.symbols:
            return None
        roots = coprime_factors(m for (m, _), _ in other._table if m != 1)
        if len(roots) > _MAX_CONJUGATES:
            return None
        top, bottom = self, other
        for root in roots:
            table, denominator = bottom.integers
            conjugate = Polynomial.from_table({key: -c if key[0] % root == 0 else c for key, c in table}, denominator)
            top, bottom = top * conjugate, bottom * conjugate
        norm = bottom.rational()
        if norm is None:
            return None
        return top * (1 / norm)

    def substitute(self, mapping: Mapping[str, Polynomial | Fraction | int]) -> Polynomial:
        """Return the polynomial with symbols replaced, all at once.

        >>> x = Polynomial.symbol("x")
        >>> (x * x + 1).substitute({"x": Polynomial.sqrt(3)}).rational()
        Fraction(4, 1)
        """
        if self.symbols.isdisjoint(mapping):
            return self
        result = Polynomial()
        for (radicand, powers), c in self._table:
            kept = tuple((name, power) for name, power in powers if name not in mapping)
            term = Polynomial.from_table({(radicand, kept): c}, self._denominator)
            for name, power in powers:
                if name in mapping:
                    term *= _as_polynomial(mapping[name]) ** power
            result += term
        return result

    def __str__(self) -> str:
        """Return plain syntax: ``2*sqrt(2)*beta - 1/3``."""
        return _text(self)

    def __repr__(self) -> str:
        return f"Polynomial({str(self)!r})"


def multiply_monomials(first: Monomial, second: Monomial) -> tuple[int, Monomial]:
    """Return an integer factor and a monomial: sqrt(m) sqrt(n) = g sqrt(mn/g^2), with g = gcd(m, n).

    mn/g^2 is square-free because m/g and n/g are, and are coprime.

    >>> multiply_monomials((6, (("x", 1),)), (10, (("x", 2),)))
    (2, (15, (('x', 3),)))
    """
    common = gcd(first[0], second[0])
    radicand = (first[0] // common) * (second[0] // common)
    if not second[1]:
        return common, (radicand, first[1])
    powers = dict(first[1])
    for name, power in second[1]:
        powers[name] = powers.get(name, 0) + power
    return common, (radicand, tuple(sorted(powers.items())))


def _constant_of(table: tuple[tuple[Monomial, int], ...], denominator: int) -> Fraction | None:
    if not table:
        return Fraction(0)
    if len(table) == 1 and table[0][0] == ONE:
        return Fraction(table[0][1], denominator)
    return None


def _order(item: tuple[Monomial, int]) -> _Order:
    return _order_of(item[0])


@lru_cache(maxsize=4096)
def _order_of(monomial: Monomial) -> _Order:
    """Return the sort key of a monomial; sums sort the same ones again and again."""
    radicand, powers = monomial
    return -sum(power for _, power in powers), tuple((name, -power) for name, power in powers), radicand


def _as_polynomial(value: Polynomial | Fraction | int) -> Polynomial:
    return value if isinstance(value, Polynomial) else Polynomial(value)


@lru_cache(maxsize=4096)
def _text(value: Polynomial) -> str:
    """Return the text of a polynomial: one exponent stands in many sums."""
    text, (terms, denominator) = "", value.integers
    for monomial, c in terms:
        common = gcd(c, denominator)
        above, below = natural_text(abs(c) // common), denominator // common
        piece = _term_text(monomial, above if below == 1 else f"{above}/{natural_text(below)}")
        if not text:
            text = "-" + piece if c < 0 else piece
        else:
            text += (" - " if c < 0 else " + ") + piece
    return text or "0"


def _term_text(monomial: Monomial, magnitude: str) -> str:
    """Return a term, the names of inverses below a fraction bar: ``1/2*q/sqrt(d)`` for the name ``1/sqrt(d)``."""
    above, below = _monomial_texts(monomial)
    if magnitude != "1" or not above:
        above = f"{magnitude}*{above}" if above else magnitude
    return above + below


@lru_cache(maxsize=4096)
def _monomial_texts(monomial: Monomial) -> tuple[str, str]:
    """Return the text of the factors above a fraction bar, and of those below it."""
    radicand, powers = monomial
    factors = [f"sqrt({radicand})"] if radicand != 1 else []
    texts = [(name.removeprefix("1/"), power, symbol_and_power(name)[1] < 0) for name, power in powers]
    factors += [_power_text(name, power) for name, power, is_below in texts if not is_below]
    return "*".join(factors), "".join("/" + _power_text(name, power) for name, power, is_below in texts if is_below)


def _power_text(name: str, power: int) -> str:
    text = name_text(name)
    return text if power == 1 else f"{text}**{power}"
