"""TRUSTED. Functions of numbers, beyond the decidable theory too: closed forms where there are any, else enclosures."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from symattn.errors import InputError, UndecidedError, shortened
from symattn.exact.field.closed_form_length import is_long_exponent, is_long_power, is_long_sum
from symattn.exact.field.constant_names import FUNCTIONS, PI
from symattn.exact.field.expsum import ExpSum
from symattn.exact.field.polynomial import Polynomial
from symattn.exact.field.quotient import Quotient
from symattn.exact.numerals.rational import whole_root
from symattn.exact.reals.arb_numbers import ArbNumber, function_of, kept, product
from symattn.exact.reals.arb_numbers import total as sum_of_multiples
from symattn.exact.reals.constants import named
from symattn.exact.reals.sign import compare, sign
from symattn.exact.reals.special_values import MINUS_INFINITY, UNDEFINED


def sqrt(value: Quotient) -> Quotient:
    """Return the square root: a closed form of a rational number, of any other by enclosures.

    Raises:
        InputError: the value is a negative rational, or no number.

    >>> str(sqrt(Quotient.of("9/8"))), str(sqrt(Quotient(ExpSum.exp(2))))
    ('3/4*sqrt(2)', '[2.718281..., 2.718282...]')
    """
    if not value.is_finite:
        return _of_no_number("sqrt", value)
    rational = value.rational()
    if rational is None:
        return function_of("sqrt", value)
    try:
        return Quotient.of(Polynomial.sqrt(rational))
    except InputError:
        if rational < 0:
            raise
        return function_of("sqrt", value)  # a radicand too large to find its square factors


def power(value: Quotient, exponent: int) -> Quotient:
    """Return a power of at least 1: a closed form while that is short enough to be written out.

    >>> str(power(Quotient.of("3/2"), 2))
    '9/4'
    """
    if value.is_closed and value.is_finite and not value.symbols and is_long_power(value, exponent):
        return product(((kept(value), exponent),))
    return value**exponent


def times(first: Quotient, second: Quotient) -> Quotient:
    """Return the product of finite numbers, which nothing multiplies out.

    >>> one = Quotient(1, ExpSum.exp(1) + 1)
    >>> str(times(one, one))
    '[0.07232948..., 0.07232949...]'
    """
    return product(((kept(first), 1), (kept(second), 1)))


def over(first: Quotient, second: Quotient) -> Quotient:
    """Return the quotient of finite numbers, which nothing multiplies out.

    Raises:
        InputError: the denominator is zero.

    >>> one = Quotient(1, ExpSum.exp(1) + 1)
    >>> str(over(one, one + 1))
    '[0.2119415..., 0.2119416...]'
    """
    return product(((kept(first), 1), (kept(second), -1)))


def total(*values: Quotient) -> Quotient:
    """Return the sum of finite numbers: a closed form while its common denominator is short enough to be written out.

    >>> str(total(Quotient.of("3/2"), Quotient(ExpSum(1), ExpSum.exp(1) + 1)))
    '(3/2*exp(1) + 5/2)/(exp(1) + 1)'
    """
    found = Quotient.of(0)
    for value in values:
        if is_long_sum(found, value):
            return unexpanded(values)
        found = found + value
    return found


def sum_of(values: Iterable[Quotient]) -> Quotient:
    """Return the sum of finite numbers, closed forms among them added.

    >>> str(sum_of([sqrt(pi()), Quotient.of(2), -sqrt(pi())]))
    '2'
    """
    return sum_of_multiples((Fraction(1), value) for value in values)


def unexpanded(values: Iterable[Quotient]) -> Quotient:
    """Return the sum of finite numbers without a common denominator: known by enclosures, where they are quotients.

    >>> one, other = Quotient(1, ExpSum.exp(1) + 1), Quotient(1, ExpSum.exp(2) + 3)
    >>> str(unexpanded([one, other]))
    '[0.3651965..., 0.3651966...]'
    """
    return sum_of_multiples((Fraction(1), kept(value)) for value in values)


def rational_power(base: Fraction, exponent: Fraction) -> Quotient:
    """Return a power of a positive rational: a closed form where it is rational or a square root of a rational.

    >>> [str(rational_power(Fraction(10000), Fraction(-1, over))) for over in (4, 8, 3)]
    ['1/10', '1/10*sqrt(10)', '[0.04641588..., 0.04641589...]']
    """
    over = exponent.denominator
    for degree, root in ((over, Fraction), (over // 2, Polynomial.sqrt)):
        above, below = whole_root(base.numerator, degree), whole_root(base.denominator, degree)
        if degree and over in (degree, 2 * degree) and above is not None and below is not None:
            return Quotient.of(root(Fraction(above, below))) ** exponent.numerator
    return exp(ln(Quotient.of(base)) * exponent)


def exp(value: Quotient) -> Quotient:
    """Return the exponential: of a polynomial a closed form.

    >>> str(exp(Quotient.of(2))), str(exp(Quotient(ExpSum.exp(1))))
    ('exp(2)', '[15.15426..., 15.15427...]')
    """
    if not value.is_finite:
        return Quotient.of(0) if value is MINUS_INFINITY else UNDEFINED
    exponent = value.polynomial()
    if exponent is None or is_long_exponent(exponent):
        return function_of("exp", value)
    return Quotient.of(ExpSum.exp(exponent))


def ln(value: Quotient) -> Quotient:
    """Return the natural logarithm of a positive number: of a power of e a closed form.

    Raises:
        InputError: the value is not a positive number, or a free symbol is in it.

    >>> str(ln(Quotient(ExpSum.exp(2)))), str(ln(Quotient.of(2)))
    ('2', '[0.6931471..., 0.6931472...]')
    """
    if value is UNDEFINED:
        return UNDEFINED
    if not value.is_finite or (not value.symbols and sign(value) <= 0):
        raise InputError(f"The logarithm of {value} is not a number: give a positive one.")
    exponent = _exponent(value) if value.is_closed else None
    return function_of("ln", value) if exponent is None else Quotient.of(exponent)


def _exponent(value: Quotient) -> Polynomial | None:
    """Return the exponent of a number that is a power of e; None for others."""
    reduced = value.canonical()
    terms = reduced.numerator.terms()
    if len(terms) != 1 or reduced.denominator != ExpSum(1) or terms[0][1] != Polynomial(1):
        return None
    return terms[0][0]


def apply(name: str, value: Quotient) -> Quotient:
    """Apply a function of `symattn.exact.reals.constants` to any number; a constant where that has one.

    Raises:
        InputError: a free symbol is in the number.

    >>> str(apply("tanh", Quotient.of("-3/20"))), str(apply("erf", Quotient(ExpSum.exp(1))))
    ('-tanh(3/20)', '[0.9998790..., 0.9998791...]')
    """
    if not value.is_finite:
        limit = FUNCTIONS[name].at_minus_infinity if value is MINUS_INFINITY else None
        return UNDEFINED if limit is None else Quotient.of(limit)
    if value.symbols:
        why = f"has the free symbol {min(value.symbols)}"
        raise InputError(f"{name} is taken of exact numbers here, and {shortened(str(value))} {why}: give a number.")
    argument = value.polynomial()
    return function_of(name, value) if argument is None else Quotient.of(named(name, argument))


def pi() -> Quotient:
    """Return the number pi, a constant.

    >>> str(pi())
    'pi'
    """
    return Quotient.of(Polynomial.symbol(PI))


def largest(first: Quotient, second: Quotient) -> Quotient:
    """Return the larger of two numbers: one of them where their order is settled, else a number that encloses both.

    >>> str(largest(Quotient.of(0), Quotient.of(-2)))
    '0'
    """
    if first is UNDEFINED or second is UNDEFINED:
        return UNDEFINED
    try:
        return first if compare(first, second) >= 0 else second
    except UndecidedError:
        ordered = sorted((first, second), key=lambda value: _wrapped(value).digest)
        return function_of("max", *ordered)


def _of_no_number(name: str, value: Quotient) -> Quotient:
    if value is UNDEFINED:
        return UNDEFINED
    raise InputError(f"The {name} of minus infinity is not a number: give a number.")


def ends(value: Quotient) -> tuple[str, str]:
    """Return two numerals between which a number without a closed form lies.

    >>> ends(sqrt(pi()))
    ('1.772453', '1.772454')
    """
    low, high = str(value).partition("]")[0].removeprefix("[").split(", ")
    return low.removesuffix("..."), high.removesuffix("...")


def _wrapped(value: Quotient) -> ArbNumber:
    return value if isinstance(value, ArbNumber) else ArbNumber(value, ())


def text_of_step(value: Quotient) -> str:
    """Return the text of such a number in a record: an enclosure for readers, and a digest for replay.

    >>> text_of_step(sqrt(pi()))[:38]
    'certified [1.772453..., 1.772454...] 7'
    """
    number = _wrapped(value)
    return f"certified {number} {number.digest}"
