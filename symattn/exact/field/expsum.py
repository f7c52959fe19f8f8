"""TRUSTED. Exponential sums: finite sums of coefficient * exp(exponent), both polynomials, as one table.

The table takes (exponent, monomial) to an integer, over one common denominator. A sum is zero exactly
when its table is empty:

* without symbols, exponents are distinct algebraic numbers and coefficients algebraic, so this is the
  theorem of Lindemann and Weierstrass (Weierstrass 1885; Baker, "Transcendental Number Theory",
  theorem 1.4), together with the independence of square roots (see `symattn.exact.field.polynomial`);
* with symbols, a sum means a function. Exponentials of polynomials that differ by more than a constant
  are linearly independent over the rational functions, so the terms of each such class vanish on their
  own; in one class, exp(p + c) = exp(p) exp(c) leaves sums of exp(c) times polynomials in the symbols,
  whose coefficients vanish one monomial at a time by the first case.

Equality of two products is decided with exponents as single integers. Exponents are rational combinations of
finitely many monomials. Over one denominator they are vectors of integers, and packed with a base larger than any
coordinate of a sum can be, adding exponents is adding integers. So the products need not be built.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from math import gcd, lcm
from typing import TypeAlias

from symattn.errors import EffortError
from symattn.exact.field.polynomial import ONE, Monomial, Polynomial, multiply_monomials
from symattn.exact.numerals.integer_text import fraction_text

Key: TypeAlias = tuple[Polynomial, Monomial]
"""An exponent and a monomial: the function sqrt(m) * symbols * exp(exponent)."""

_ZERO_EXPONENT = Polynomial(0)
_CONSTANT: Key = (_ZERO_EXPONENT, ONE)
_NO_SYMBOLS: frozenset[str] = frozenset()
_MAX_PRODUCTS = 1_000_000  # term by term; beyond this an expansion is a mistake or an attack


class ExpSum:
    """An immutable exponential sum; the order in which terms came is kept for printing.

    >>> e = ExpSum.exp(Polynomial(1))
    >>> str((e + 1) * (e - 1)), ((e + 1) * (e - 1) - e * e + 1).is_zero
    ('exp(2) - 1', True)
    """

    __slots__ = ("_denominator", "_hash", "_rational", "_symbols", "_table", "_text")

    _table: dict[Key, int]
    _denominator: int
    _hash: int
    _rational: Fraction | None
    _symbols: frozenset[str]
    _text: str

    def __init__(self, value: Polynomial | Fraction | int = 0) -> None:
        """Make the sum that is a polynomial, with the exponent 0 alone."""
        if not isinstance(value, Polynomial):
            self._table = {_CONSTANT: value.numerator} if value else {}
            self._denominator = value.denominator
            return
        terms, self._denominator = value.integers
        self._table = {(_ZERO_EXPONENT, monomial): c for monomial, c in terms}

    @classmethod
    def from_table(cls, table: dict[Key, int], denominator: int) -> ExpSum:
        """Return the sum of table / denominator (> 0), in lowest terms. The table is taken over, not copied.

        >>> str(ExpSum.from_table({(Polynomial(1), ONE): 2}, 4))
        '1/2*exp(1)'
        """
        if not all(table.values()):
            table = {key: c for key, c in table.items() if c}
        if denominator != 1:
            common = gcd(denominator, *table.values())
            if common != 1:
                denominator //= common
                table = {key: c // common for key, c in table.items()}
        self = cls.__new__(cls)
        self._table, self._denominator = table, denominator if table else 1
        return self

    @classmethod
    def of(cls, value: ExpSum | Polynomial | Fraction | int) -> ExpSum:
        """Return any of these types as a sum.

        >>> str(ExpSum.of(Fraction(1, 2)))
        '1/2'
        """
        return value if isinstance(value, ExpSum) else cls(value)

    @classmethod
    def exp(cls, exponent: Polynomial | Fraction | int) -> ExpSum:
        """Return one exponential.

        >>> str(ExpSum.exp(Fraction(-5, 2)))
        'exp(-5/2)'
        """
        if not isinstance(exponent, Polynomial):
            exponent = Polynomial(exponent)
        return cls.from_table({(exponent, ONE): 1}, 1)

    @classmethod
    def exps(cls, exponents: Iterable[Polynomial | None], start: int = 0) -> tuple[list[ExpSum], ExpSum]:
        """Return an exponential for each exponent, 0 for None, and `start` plus their sum, in one pass.

        >>> each, total = ExpSum.exps([Polynomial(2), None, Polynomial(2)], 1)
        >>> [str(power) for power in each], str(total)
        (['exp(2)', '0', 'exp(2)'], '1 + 2*exp(2)')
        """
        each, table = [], {_CONSTANT: start} if start else {}
        for exponent in exponents:
            if exponent is None:
                each.append(cls())
                continue
            key = exponent, ONE
            each.append(cls._whole({key: 1}))
            table[key] = table.get(key, 0) + 1
        return each, cls.from_table(table, 1)

    @classmethod
    def _whole(cls, table: dict[Key, int]) -> ExpSum:
        """Return the sum of a table without zeros, over 1."""
        self = cls.__new__(cls)
        self._table, self._denominator = table, 1
        return self

    @classmethod
    def weighted(cls, sums: Sequence[ExpSum], weights: Sequence[int], denominator: int = 1) -> ExpSum:
        """Compute ``(w_1 s_1 + w_2 s_2 + ...) / denominator`` in one pass.

        >>> str(ExpSum.weighted([ExpSum.exp(2), ExpSum(1)], [3, 0], 6))
        '1/2*exp(2)'
        """
        common = lcm(*(s.integers[1] for s in sums))
        table: dict[Key, int] = {}
        for s, weight in zip(sums, weights, strict=True):
            if weight:
                terms, own = s.integers
                factor = weight * (common // own)
                for key, c in terms.items():
                    table[key] = table.get(key, 0) + c * factor
        return cls.from_table(table, common * denominator)

    @property
    def integers(self) -> tuple[Mapping[Key, int], int]:
        """The table and its positive denominator, in lowest terms.

        >>> table, denominator = ExpSum(Fraction(3, 2)).integers
        >>> list(table.values()), denominator
        ([3], 2)
        """
        return self._table, self._denominator

    @property
    def is_zero(self) -> bool:
        """True where the sum is zero: as a number, or as a function of its symbols.

        >>> (ExpSum.exp(1) - ExpSum.exp(2)).is_zero
        False
        """
        return not self._table

    @property
    def symbols(self) -> frozenset[str]:
        """The names of the symbols that occur in exponents or coefficients.

        >>> sorted(ExpSum.exp(Polynomial.symbol("x")).symbols)
        ['x']
        """
        try:
            return self._symbols
        except AttributeError:
            names: set[str] = set()
            for exponent, (_, powers) in self._table:
                if exponent:
                    names |= exponent.symbols
                if powers:
                    names.update(name for name, _ in powers)
            self._symbols = frozenset(names) if names else _NO_SYMBOLS
        return self._symbols

    def terms(self) -> list[tuple[Polynomial, Polynomial]]:
        """Return exponents with their coefficients, in the order in which the exponents first came.

        >>> [(str(x), str(c)) for x, c in (ExpSum.exp(8) * 2 + 1).terms()]
        [('8', '2'), ('0', '1')]
        """
        groups: dict[Polynomial, dict[Monomial, int]] = {}
        for (exponent, monomial), c in self._table.items():
            groups.setdefault(exponent, {})[monomial] = c
        return [(x, Polynomial.from_table(group, self._denominator)) for x, group in groups.items()]

    def polynomial(self) -> Polynomial | None:
        """Return the sum as a polynomial, if no exponent but 0 occurs.

        >>> str(ExpSum(3).polynomial()), ExpSum.exp(1).polynomial()
        ('3', None)
        """
        if any(exponent for exponent, _ in self._table):
            return None
        group = {monomial: c for (_, monomial), c in self._table.items()}
        return Polynomial.from_table(group, self._denominator)

    def rational(self) -> Fraction | None:
        """Return the sum as a rational number, if it is one.

        >>> ExpSum(Fraction(1, 3)).rational()
        Fraction(1, 3)
        """
        try:
            return self._rational
        except AttributeError:
            is_rational = not self._table or self._table.keys() == {_CONSTANT}
            self._rational = Fraction(self._table.get(_CONSTANT, 0), self._denominator) if is_rational else None
        return self._rational

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ExpSum):
            if not isinstance(other, (int, Fraction, Polynomial)) or isinstance(other, bool):
                return NotImplemented
            other = ExpSum(other)
        return self._denominator == other._denominator and self._table == other._table

    def __hash__(self) -> int:
        try:
            return self._hash
        except AttributeError:
            polynomial = self.polynomial()
            whole = self._denominator, frozenset(self._table.items())
            self._hash = hash(whole if polynomial is None else polynomial)
        return self._hash

    def __reduce__(self) -> tuple[object, tuple[dict[Key, int], int]]:
        """Rebuild copies and pickles: hashes of names differ from process to process."""
        return ExpSum.from_table, (self._table, self._denominator)

    def __neg__(self) -> ExpSum:
        return ExpSum.from_table({key: -c for key, c in self._table.items()}, self._denominator)

    def __add__(self, other: ExpSum | Polynomial | Fraction | int) -> ExpSum:
        if not isinstance(other, (ExpSum, Polynomial, Fraction, int)):
            return NotImplemented
        return ExpSum.weighted((self, ExpSum.of(other)), (1, 1))

    __radd__ = __add__

    def __sub__(self, other: ExpSum | Polynomial | Fraction | int) -> ExpSum:
        if not isinstance(other, (ExpSum, Polynomial, Fraction, int)):
            return NotImplemented
        return ExpSum.weighted((self, ExpSum.of(other)), (1, -1))

    def __rsub__(self, other: Polynomial | Fraction | int) -> ExpSum:
        return ExpSum.of(other) - self

    def __mul__(self, other: ExpSum | Polynomial | Fraction | int) -> ExpSum:
        if not isinstance(other, ExpSum):
            if not isinstance(other, (Polynomial, Fraction, int)):
                return NotImplemented
            if not isinstance(other, Polynomial):
                return ExpSum.weighted((self,), (other.numerator,), other.denominator)
            other = ExpSum(other)
        if len(self._table) * len(other._table) > _MAX_PRODUCTS:
            raise EffortError("A product of exponential sums has too many terms: use smaller matrices.")
        table: dict[Key, int] = {}
        for (x, first), a in self._table.items():
            is_plain = not x
            for (y, second), b in other._table.items():
                factor, monomial = multiply_monomials(first, second)
                key = (y if is_plain else x + y if y else x, monomial)
                table[key] = table.get(key, 0) + a * b * factor
        return ExpSum.from_table(table, self._denominator * other._denominator)

    __rmul__ = __mul__

    def substitute(self, mapping: Mapping[str, Polynomial | Fraction | int]) -> ExpSum:
        """Return the sum with symbols replaced, all at once.

        >>> x = Polynomial.symbol("x")
        >>> str((x * ExpSum.exp(x)).substitute({"x": Fraction(1, 2)}))
        '1/2*exp(1/2)'
        """
        if self.symbols.isdisjoint(mapping):
            return self
        result = ExpSum()
        for exponent, coefficient in self.terms():
            result += ExpSum.exp(exponent.substitute(mapping)) * coefficient.substitute(mapping)
        return result

    def __str__(self) -> str:
        """Return plain syntax, terms in the order in which they came: ``exp(3/2) + 2*exp(-5/2) - 1``."""
        try:
            return self._text
        except AttributeError:
            text = ""
            for piece in (_term_text(exponent, coefficient) for exponent, coefficient in self.terms()):
                if not text:
                    text = piece
                else:
                    text += " - " + piece[1:] if piece.startswith("-") else " + " + piece
            self._text = text or "0"
        return self._text

    def __repr__(self) -> str:
        return f"ExpSum({str(self)!r})"


def _term_text(exponent: Polynomial, coefficient: Polynomial) -> str:
    if not exponent:
        return str(coefficient)
    power = f"exp({exponent})"
    rational = coefficient.rational()
    if rational is None:
        text = str(coefficient)
        return f"{text}*{power}" if len(coefficient.terms) == 1 else f"({text})*{power}"
    if abs(rational) == 1:
        return power if rational > 0 else "-" + power
    return f"{fraction_text(rational)}*{power}"


_Packed: TypeAlias = list[tuple[int, Monomial, int]]
_MAX_COMPARED = 20_000_000  # term by term; beyond this a comparison is a mistake or an attack


def products_equal(a: ExpSum, b: ExpSum, c: ExpSum, d: ExpSum) -> bool:
    """Return whether a * b == c * d, exactly.

    The difference of the products is collected by exponent and monomial; it is zero exactly when every
    coefficient is (see `symattn.exact.field.expsum`).

    Raises:
        EffortError: the products have too many terms.

    >>> e = ExpSum.exp(1)
    >>> products_equal(e - 1, e + 1, e * e - 1, ExpSum(1)), products_equal(e, e, e, ExpSum(1))
    (True, False)
    """
    sums = (a, b, c, d)
    sizes = [len(s.integers[0]) for s in sums]
    if sizes[0] * sizes[1] + sizes[2] * sizes[3] > _MAX_COMPARED:
        raise EffortError("Two expressions have too many terms to be compared: use smaller matrices.")
    first, second, third, fourth = _packed(sums)
    left, right = a.integers[1] * b.integers[1], c.integers[1] * d.integers[1]
    if all(m is ONE for s in (first, second, third, fourth) for _, m, _ in s):
        return not any(_collect_plain(_collect_plain({}, first, second, right), third, fourth, -left).values())
    table: dict[tuple[int, Monomial], int] = {}
    _collect(table, first, second, right)
    _collect(table, third, fourth, -left)
    return not any(table.values())


def _collect_plain(table: dict[int, int], first: _Packed, second: _Packed, scale: int) -> dict[int, int]:
    """Collect as `_collect` does where every monomial is 1: nearly always, and in half the time."""
    get = table.get
    for x, _, p in first:
        weight = p * scale
        for y, _, q in second:
            table[x + y] = get(x + y, 0) + weight * q
    return table


def _collect(table: dict[tuple[int, Monomial], int], first: _Packed, second: _Packed, scale: int) -> None:
    for x, m, p in first:
        weight = p * scale
        for y, n, q in second:
            factor, monomial = (1, ONE) if m is n is ONE else multiply_monomials(m, n)
            key = x + y, monomial
            table[key] = table.get(key, 0) + weight * q * factor


def _packed(sums: Sequence[ExpSum]) -> list[_Packed]:
    """Return the tables with each exponent as one integer.

    Coordinates lie in [-h, h], those of sums of two exponents in [-2h, 2h]. With the base 4h + 1 two such
    vectors have equal packings only if they are equal: their difference lies in [-4h, 4h], and a number
    sum v_i (4h + 1)^i with |v_i| <= 4h is zero only if every v_i is (the lowest one is divisible by 4h + 1).
    """
    exponents = {exponent for s in sums for exponent, _ in s.integers[0]}
    denominator = lcm(*(exponent.integers[1] for exponent in exponents))
    largest = max((abs(c) for exponent in exponents for _, c in exponent.integers[0]), default=0)
    base = 4 * largest * denominator + 1
    place: dict[Monomial, int] = {}
    codes: dict[Polynomial, int] = {}
    for exponent in exponents:
        terms, own = exponent.integers
        factor = denominator // own
        codes[exponent] = sum(c * factor * base ** place.setdefault(m, len(place)) for m, c in terms)
    return [[(codes[x], ONE if m == ONE else m, c) for (x, m), c in s.integers[0].items()] for s in sums]
