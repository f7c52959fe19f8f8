"""TRUSTED. Quotients of exponential sums: what the entries of one attention layer are.

Equality is decided by cross-multiplication and the zero test of `symattn.exact.field.expsum`. The form in
which a quotient was built is kept, so that people find the denominators that they wrote.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, ClassVar, TypeAlias

from symattn.errors import EffortError, InputError, expect, shortened
from symattn.exact.field import substitution
from symattn.exact.field.constant_names import free
from symattn.exact.field.expsum import ExpSum, products_equal
from symattn.exact.field.polynomial import Polynomial
from symattn.exact.field.power_names import symbol_and_power
from symattn.exact.numerals.rational import rational

QuotientLike: TypeAlias = "Quotient | ExpSum | Polynomial | Fraction | int | str"

_ONE = ExpSum(1)
_LONG = 200  # products; beyond this, a look whether all scores of a row were shifted pays
_MAX_EXPONENT = 10_000
_MAX_TERMS = 500  # exponent times terms: what the power of a sum may come to


class Quotient:
    """An immutable quotient of exponential sums; ``==`` decides exactly, with symbols as functions of them.

    Where constants occur (`symattn.exact.reals.constants`), equality is proved and inequality is open: ask
    `evaluation.same`.

    >>> e = ExpSum.exp(1)
    >>> q = Quotient(e * e - 1, e - 1)
    >>> str(q), q == e + 1
    ('(exp(2) - 1)/(exp(1) - 1)', True)
    """

    __slots__ = ("_denominator", "_numerator")
    __hash__ = None  # type: ignore[assignment]  # equal quotients have no cheap common form to hash

    is_finite: ClassVar[bool] = True
    """True for a number, or a function of its symbols: for all but `symattn.exact.reals.special_values`."""

    is_closed: ClassVar[bool] = True
    """True for a quotient of sums: for all numbers but those of `symattn.exact.reals.elementary`."""

    _numerator: ExpSum
    _denominator: ExpSum

    def __init__(
        self,
        numerator: ExpSum | Polynomial | Fraction | int,
        denominator: ExpSum | Polynomial | Fraction | int = _ONE,
    ) -> None:
        """Make the quotient of two sums. A constant denominator is divided out, a zero is 0/1.

        Raises:
            InputError: the denominator is zero (as a number, or as a function of its symbols).
        """
        top, bottom = ExpSum.of(numerator), ExpSum.of(denominator)
        if bottom is not _ONE:
            if bottom.is_zero:
                raise InputError(f"{shortened(str(top))} is divided by 0: give a denominator that is not zero.")
            top, bottom = _tidy(top, bottom)
        self._numerator, self._denominator = top, bottom

    @classmethod
    def of(cls, value: QuotientLike) -> Quotient:
        """Return any exact number, polynomial or sum as a quotient; a text is read as a rational number.

        Raises:
            InputError: a text that is not a rational number, or a value of another type (a float, say).

        >>> str(Quotient.of("1/3"))
        '1/3'
        """
        if isinstance(value, Quotient):
            return value
        if isinstance(value, (int, Fraction, ExpSum, Polynomial)) and not isinstance(value, bool):
            return cls(value)
        return cls(rational(value))

    @property
    def numerator(self) -> ExpSum:
        """The sum above the bar, as built."""
        return self._numerator

    @property
    def denominator(self) -> ExpSum:
        """The sum under the bar, as built; 1 where nothing was divided by."""
        return self._denominator

    @property
    def is_over_sum(self) -> bool:
        """True for a closed form over a sum of several terms, which makes other values longer."""
        return self.is_finite and self.is_closed and len(self.denominator.integers[0]) > 1

    def with_numerator(self, numerator: ExpSum) -> Quotient:
        """Return another quotient over the same denominator, which stays the same object.

        >>> q = Quotient(1, ExpSum.exp(1) + 1)
        >>> str(q.with_numerator(ExpSum.exp(2)))
        'exp(2)/(exp(1) + 1)'
        """
        return Quotient._unchecked(numerator, _ONE if numerator.is_zero else self._denominator)

    @classmethod
    def _unchecked(cls, numerator: ExpSum, denominator: ExpSum) -> Quotient:
        self = cls.__new__(cls)
        self._numerator, self._denominator = numerator, denominator
        return self

    @property
    def symbols(self) -> frozenset[str]:
        """The names of the free symbols; those of constants (`symattn.exact.reals.constants`) are none.

        >>> Quotient(Polynomial.symbol("1/sqrt(d)")).symbols
        frozenset({'d'})
        """
        names = self.names
        if names and any("/" in name or "(" in name for name in names):
            return frozenset(symbol_and_power(name)[0] for name in names)
        return names

    @property
    def names(self) -> frozenset[str]:
        """The names of the free symbols, and of the powers of them that stand for symbols.

        >>> Quotient(Polynomial.symbol("1/sqrt(d)")).names
        frozenset({'1/sqrt(d)'})
        """
        return free(self._numerator.symbols) | free(self._denominator.symbols)

    @property
    def has_constants(self) -> bool:
        """True where constants occur, on whose equality enclosures decide.

        >>> Quotient.of(2).has_constants
        False
        """
        above, below = self._numerator.symbols, self._denominator.symbols
        return free(above) != above or free(below) != below

    @property
    def is_zero(self) -> bool:
        """True where the value is zero.

        >>> (Quotient.of(2) - 2).is_zero
        True
        """
        return self._numerator.is_zero

    def rational(self) -> Fraction | None:
        """Return the value if it is a rational number, recognised exactly.

        n/d = r means n - r d = 0, and the functions in the table are linearly independent over the
        rationals, so it holds exactly when the two tables are proportional.

        >>> e = ExpSum.exp(1)
        >>> Quotient(e * e + e, 2 * e * e + 2 * e).rational()
        Fraction(1, 2)
        """
        if self._denominator is _ONE or self._numerator.is_zero:
            return self._numerator.rational()
        top, top_denominator = self._numerator.integers
        bottom, bottom_denominator = self._denominator.integers
        if len(top) != len(bottom):
            return None
        key, a = next(iter(top.items()))
        b = bottom.get(key)
        if b is None or any(c * b != a * bottom.get(other, 0) for other, c in top.items()):
            return None
        return Fraction(a * bottom_denominator, b * top_denominator)

    def plain_rational(self) -> Fraction | None:
        """Return the value if it was built as a rational number, without a look at proportional sums.

        >>> Quotient.of("1/3").plain_rational()
        Fraction(1, 3)
        """
        return self._numerator.rational() if self._denominator is _ONE else None

    def polynomial(self) -> Polynomial | None:
        """Return the value as a polynomial, where the denominator divides out; None does not prove that it is none.

        It is complete for values without symbols, as long as the roots in them can be inverted: n/d = p
        means that every coefficient of n is p times that of d. One of them tells p, the product decides.

        >>> e = ExpSum.exp(1)
        >>> str(Quotient(e * Polynomial.sqrt(8), e).polynomial())
        '2*sqrt(2)'
        """
        if self._denominator is _ONE:
            return self._numerator.polynomial()
        value = self.rational()
        if value is not None:
            return Polynomial(value)
        tops = dict(self._numerator.terms())
        for exponent, bottom in self._denominator.terms():
            candidate = tops.get(exponent, Polynomial()).divide(bottom)
            if candidate is not None:
                return candidate if self._denominator * candidate == self._numerator else None
        return None

    def canonical(self) -> Quotient:
        """Return the same value with sorted terms; under the bar, the first exponent is 0 with a coefficient 1.

        It does away with a common exponential and a common rational factor (as after a shift of a
        softmax row), not with every common factor: compare with ``==``.

        >>> q = Quotient(ExpSum.exp(3), 2 * ExpSum.exp(1) + 2 * ExpSum.exp(3))
        >>> str(q.canonical()), str(q)
        ('1/2*exp(2)/(1 + exp(2))', 'exp(3)/(2*exp(1) + 2*exp(3))')
        """
        value = self.polynomial()
        if value is not None:
            return Quotient(value)
        top, bottom = _sorted(self._numerator), _sorted(self._denominator)
        exponent, coefficient = bottom.terms()[0]
        shift = ExpSum.exp(-exponent) * (1 / coefficient.terms[0][1])
        return Quotient(top * shift, bottom * shift)

    def substitute(self, mapping: Mapping[Any, Any]) -> Quotient:
        """Replace symbols, all at once.

        Args:
            mapping: values, numbers or polynomials (of SymPy too), by the names of symbols or by symbols of SymPy.

        Raises:
            InputError: a symbol that does not occur, a value that is neither, or a denominator that becomes zero.

        >>> x = Polynomial.symbol("x")
        >>> str(Quotient(ExpSum.exp(x), ExpSum.exp(x) + 1).substitute({"x": 2}))
        'exp(2)/(exp(2) + 1)'
        """
        return self.with_values(substitution.replacements(mapping, self.names, {}).values)

    def with_values(self, values: Mapping[str, Polynomial | Fraction | int]) -> Quotient:
        """Replace those of the names that occur, all at once.

        Raises:
            InputError: the denominator becomes zero.

        >>> str(Quotient(Polynomial.symbol("x")).with_values({"x": 2, "y": 3}))
        '2'
        """
        if self.names.isdisjoint(values):
            return self
        return Quotient(self._numerator.substitute(values), self._denominator.substitute(values))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Quotient):
            if not isinstance(other, (ExpSum, Polynomial, Fraction, int)) or isinstance(other, bool):
                return NotImplemented
            other = Quotient(other)
        if _same(self._denominator, other._denominator):
            return self._numerator == other._numerator
        first, second = self.plain_rational(), other.plain_rational()
        if first is not None:
            return first == other.rational()
        if second is not None:
            return second == self.rational()
        top, bottom = other._numerator, other._denominator
        if len(top.integers[0]) * len(bottom.integers[0]) > _LONG:
            shift = _shift(bottom, self._denominator)
            if shift is not None:
                return self._numerator == top * shift
        return products_equal(self._numerator, bottom, top, self._denominator)

    def __neg__(self) -> Quotient:
        return self.with_numerator(-self._numerator)

    def __add__(self, other: QuotientLike) -> Quotient:
        return _add(self, Quotient.of(other), 1)

    def __radd__(self, other: QuotientLike) -> Quotient:
        return _add(Quotient.of(other), self, 1)

    def __sub__(self, other: QuotientLike) -> Quotient:
        return _add(self, Quotient.of(other), -1)

    def __rsub__(self, other: QuotientLike) -> Quotient:
        return _add(Quotient.of(other), self, -1)

    def __mul__(self, other: QuotientLike) -> Quotient:
        return _multiply(self, Quotient.of(other))

    def __rmul__(self, other: QuotientLike) -> Quotient:
        return _multiply(Quotient.of(other), self)

    def __truediv__(self, other: QuotientLike) -> Quotient:
        return _multiply(self, Quotient.of(other)._inverse())

    def __rtruediv__(self, other: QuotientLike) -> Quotient:
        return _multiply(Quotient.of(other), self._inverse())

    def _inverse(self) -> Quotient:
        return Quotient(self._denominator, self._numerator)

    def __pow__(self, exponent: int) -> Quotient:
        """Return an integer power, negative ones included.

        Raises:
            InputError: a negative power of zero, or an exponent too large to write out.
        """
        expect(exponent, int, "The exponent of a power is a whole number")
        if exponent < 0:
            return self._inverse() ** -exponent
        base = self.polynomial()
        if base is not None:
            return Quotient(base**exponent)
        terms = max(len(s.integers[0]) for s in (self._numerator, self._denominator))
        if exponent > _MAX_EXPONENT or exponent * (terms - 1) > _MAX_TERMS:
            raise EffortError("A power of a sum of exponentials is too long to write out: use a smaller exponent.")
        result = Quotient(1)
        for _ in range(exponent):
            result *= self
        return result

    def __reduce__(self) -> tuple[type[Quotient], tuple[ExpSum, ExpSum]]:
        """Rebuild copies and pickles, so that the denominator 1 stays one object."""
        return Quotient, (self._numerator, self._denominator)

    def __str__(self) -> str:
        """Return plain syntax: ``exp(8)/(exp(3/2) + exp(-5/2) + exp(8))``."""
        top = str(self._numerator)
        if self._denominator is _ONE:
            return top
        if _is_sum(self._numerator):
            top = f"({top})"
        bottom = str(self._denominator)
        if _is_sum(self._denominator) or not _is_atom(bottom):
            bottom = f"({bottom})"
        return f"{top}/{bottom}"

    def __repr__(self) -> str:
        return f"Quotient({str(self)!r})"


def _shift(first: ExpSum, second: ExpSum) -> ExpSum | None:
    """Return the exponential that takes the first sum to the second, if the one that fits their first terms does."""
    ours, yours = first.integers[0], second.integers[0]
    if len(ours) != len(yours):
        return None
    shift = ExpSum.exp(next(iter(yours))[0] - next(iter(ours))[0])
    return shift if first * shift == second else None


def _same(first: ExpSum, second: ExpSum) -> bool:
    return first is second or first == second


def _tidy(top: ExpSum, bottom: ExpSum) -> tuple[ExpSum, ExpSum]:
    """Divide a constant denominator out, where that is possible, and write zero as 0/1."""
    if top.is_zero:
        return top, _ONE
    constant = bottom.polynomial()
    inverse = None if constant is None else Polynomial(1).divide(constant)
    return (top, bottom) if inverse is None else (top * inverse, _ONE)


def _add(first: Quotient, second: Quotient, sign: int) -> Quotient:
    a, b, c, d = first.numerator, first.denominator, second.numerator, second.denominator
    if c.is_zero:
        return first
    if a.is_zero:
        return second if sign > 0 else -second
    if _same(b, d):
        return first.with_numerator(ExpSum.weighted((a, c), (1, sign)))
    if d is _ONE:
        return first.with_numerator(ExpSum.weighted((a, c * b), (1, sign)))
    if b is _ONE:
        return second.with_numerator(ExpSum.weighted((a * d, c), (1, sign)))
    return Quotient(ExpSum.weighted((a * d, c * b), (1, sign)), b * d)


def _multiply(first: Quotient, second: Quotient) -> Quotient:
    a, b, c, d = first.numerator, first.denominator, second.numerator, second.denominator
    if d is _ONE:
        return first.with_numerator(a * c)
    if b is _ONE:
        return second.with_numerator(a * c)
    return Quotient(a * c, b * d)


def _sorted(value: ExpSum) -> ExpSum:
    result = ExpSum()
    for exponent, coefficient in sorted(value.terms(), key=lambda term: term[0].terms):
        result += ExpSum.exp(exponent) * coefficient
    return result


def _is_sum(value: ExpSum) -> bool:
    terms = value.terms()
    return len(terms) > 1 or (not terms[0][0] and len(terms[0][1].terms) > 1)


def _is_atom(text: str) -> bool:
    return text.isalnum() or (text.startswith("exp(") and text.count("(") == 1)
