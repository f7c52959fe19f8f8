"""TRUSTED. Named constants: values of functions outside the decidable theory, as numbers that can be reckoned with.

The value of such a function at an exact number is a symbol of a polynomial whose name is its own definition in
plain syntax, ``tanh(3/20)``. Sums, products, quotients and exponentials of it then work as with any symbol: what
is equal as a function of the constants is equal as a number, so an equality that is found is proved. The reverse
does not hold, for constants can be related (tanh 2x = 2 tanh x/(1 + tanh^2 x)): two values of different form are
told apart by enclosures of Arb, and where those do not settle within `MAX_BITS` nothing is said. Sines and cosines
have a second form in which sums of products of them vanish, `symattn.exact.angles`. The number pi, in which their
angles are counted, is a constant too.

A constant is not a free symbol: it has digits, an order and a sign.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import lru_cache
from typing import Any

from symattn.errors import EffortError, InputError, UndecidedError
from symattn.exact.angles import PI, half_turns, has_waves, known, linear
from symattn.exact.certified import ball_bounds, decimal
from symattn.exact.certified_reals import Real, precision
from symattn.exact.decimals import Rounding, leading_exponent, round_rational
from symattn.exact.enclosure import symbolic
from symattn.exact.expsum import ExpSum
from symattn.exact.polynomial import Monomial, Polynomial
from symattn.exact.quotient import Quotient
from symattn.exact.special import MINUS_INFINITY, UNDEFINED
from symattn.records import dataclass

MAX_BITS = 4096
"""The stated precision: what enclosures of so many bits beyond the digits do not settle stays open."""

_FIRST_BITS = 64
_MAX_NAME = 20_000


@dataclass(frozen=True, slots=True)
class Function:
    """A function whose values are constants.

    Attributes:
        at_zero: its value at 0.
        is_odd: whether f(-x) = -f(x); the argument in a name then begins with a positive coefficient.
        at_minus_infinity: its limit there, None where it has none.
        ball: the method of an Arb ball that encloses it.
        is_even: whether f(-x) = f(x); likewise.
        turns: whether it is a sine or a cosine, whose values at multiples of pi are looked up.
    """

    at_zero: Fraction
    is_odd: bool
    at_minus_infinity: Fraction | None
    ball: str
    is_even: bool = False
    turns: bool = False


FUNCTIONS: Mapping[str, Function] = {
    "tanh": Function(at_zero=Fraction(0), is_odd=True, at_minus_infinity=Fraction(-1), ball="tanh"),
    "erf": Function(at_zero=Fraction(0), is_odd=True, at_minus_infinity=Fraction(-1), ball="erf"),
    "sin": Function(at_zero=Fraction(0), is_odd=True, at_minus_infinity=None, ball="sin", turns=True),
    "cos": Function(at_zero=Fraction(1), is_odd=False, at_minus_infinity=None, ball="cos", is_even=True, turns=True),
}
"""The functions, by the names by which they are called."""


# Names ----------------------------------------------------------------------------------------------


def is_function(name: str) -> bool:
    """Return whether the values of a function are constants.

    >>> is_function("tanh"), is_function("exp")
    (True, False)
    """
    return name in FUNCTIONS


def is_constant(name: str) -> bool:
    """Return whether a symbol of a polynomial is a constant, and not a free symbol.

    >>> is_constant("tanh(1/2)"), is_constant("beta")
    (True, False)
    """
    function, bracket, rest = name.partition("(")
    return name == PI or (bool(bracket) and function in FUNCTIONS and rest.endswith(")"))


def free(names: Iterable[str]) -> frozenset[str]:
    """Return the names that are free symbols.

    >>> free(["beta", "tanh(1/2)"])
    frozenset({'beta'})
    """
    return frozenset(name for name in names if not is_constant(name))


def constants_of(value: Quotient) -> frozenset[str]:
    """Return the names of the constants in a number; those inside the argument of another are not counted.

    >>> sorted(constants_of(applied("tanh", Quotient.of(2)) * 3))
    ['tanh(2)']
    """
    names = value.numerator.symbols | value.denominator.symbols
    return frozenset(name for name in names if is_constant(name))


def applied(function: str, value: Quotient) -> Quotient:
    """Return the value of a function of the table at an exact number.

    Raises:
        InputError: the number is not a polynomial in square roots and constants, or a free symbol is in it.

    >>> str(applied("tanh", Quotient.of("-3/20"))), str(applied("tanh", Quotient.of(0)))
    ('-tanh(3/20)', '0')
    """
    if not value.is_finite:
        limit = FUNCTIONS[function].at_minus_infinity if value is MINUS_INFINITY else None
        return UNDEFINED if limit is None else Quotient.of(limit)
    argument = value.polynomial()
    if argument is None or value.symbols:
        why = f"has the free symbol {min(value.symbols)}" if value.symbols else "is a quotient of exponentials"
        raise InputError(f"{function} is taken of exact numbers here, and {_clip(str(value))} {why}: give a number.")
    return Quotient.of(_named(function, argument))


def _named(function: str, argument: Polynomial) -> Polynomial:
    of = FUNCTIONS[function]
    if not argument:
        return Polynomial(of.at_zero)
    turns = half_turns(argument) if of.turns else None
    if turns is not None:
        found = known(function, turns)
        if isinstance(found, Polynomial):
            return found
        sign, function, turns = found
        return Polynomial.symbol(f"{function}({Polynomial.symbol(PI) * turns})") * sign
    is_negative = argument.terms[0][1] < 0
    if is_negative and of.is_odd:
        return -_named(function, -argument)
    if is_negative and of.is_even:
        return _named(function, -argument)
    name = f"{function}({argument})"
    if len(name) > _MAX_NAME:
        raise EffortError(f"An argument of {function} is too long to be written out: use smaller matrices.")
    return Polynomial.symbol(name)


@lru_cache(maxsize=4096)
def parts(name: str) -> tuple[str, Polynomial]:
    """Return the function and the argument that the name of a constant says.

    Raises:
        InputError: it is not written as `applied` writes it.

    >>> function, argument = parts("tanh(1/2*sqrt(2))")
    >>> function, str(argument)
    ('tanh', '1/2*sqrt(2)')
    """
    # These read text, and only names are text.
    from symattn.exact.evaluate import evaluate
    from symattn.notation import tree as t
    from symattn.notation.plain_reader import read_plain

    node = read_plain(name)
    if isinstance(node, t.Call) and node.function.text in FUNCTIONS and len(node.arguments) == 1:
        value = evaluate(node.arguments[0], lambda *_: None)
        argument = value.polynomial() if isinstance(value, Quotient) else None
        if argument is not None and _named(node.function.text, argument) == Polynomial.symbol(name):
            return node.function.text, argument
    raise InputError(f"{_clip(name)} is not the name of a constant as it is written here.")


# Enclosures -----------------------------------------------------------------------------------------


def sign(value: ExpSum | Quotient) -> int:
    """Return -1, 0 or 1, for a sum with constants or a number without a closed form.

    Raises:
        SymbolicValueError: it has a free symbol as well.
        UndecidedError: enclosures do not tell it from 0, and it is not 0 by its form.

    >>> sign(ExpSum(_named("tanh", Polynomial(1)) - Fraction(3, 4)))
    1
    """
    if isinstance(value, ExpSum) and value.is_zero:
        return 0
    number = real(value if isinstance(value, Quotient) else Quotient(value))
    if isinstance(value, ExpSum) and all(c > 0 and not powers for (_, (_, powers)), c in value.integers[0].items()):
        return 1  # exponentials alone, constants in their exponents only
    bits = _FIRST_BITS
    while True:
        ball = number(bits)
        if ball > 0:
            return 1
        if ball < 0:
            return -1
        # The form without products is the dearer question, and few sums need it.
        if bits == _FIRST_BITS and isinstance(value, ExpSum) and vanishes(value):
            return 0
        if bits >= MAX_BITS:
            raise UndecidedError(f"Whether {_clip(str(value))} is 0 is not settled by enclosures of {MAX_BITS} bits.")
        bits *= 2


def vanishes(value: ExpSum) -> bool:
    """Return whether a sum is 0 by its form, or by that in which no sines and cosines are multiplied.

    >>> cosine, sine = (_named(name, Polynomial(1)) for name in ("cos", "sin"))
    >>> vanishes(ExpSum(cosine**2 + sine**2 - 1)), vanishes(ExpSum(cosine**2 - sine**2))
    (True, False)
    """
    if value.is_zero:
        return True
    if not has_waves(value.symbols):
        return False
    found = linear(value, parts, _named)
    return found is not None and found.is_zero


def is_apart(difference: Quotient) -> bool:
    """Decide whether a difference of two values, which is not 0 by its form, is non-zero.

    Of a function of free symbols one point is tried.

    Raises:
        UndecidedError: it is not proved.

    >>> is_apart(applied("tanh", Quotient.of(1)) - Quotient.of("0.76"))
    True
    """
    names = sorted(difference.names)
    if not names:
        return sign(difference.numerator if difference.is_closed else difference) != 0
    if vanishes(difference.numerator):
        return False
    at = difference.with_values({name: Fraction(2 * k + 1, 2) for k, name in enumerate(names, 1)})
    if sign(at.numerator):
        return True
    raise UndecidedError(f"Whether {_clip(str(difference))} is 0 for all values of its symbols is not settled.")


def rounded_index(value: Quotient, rounding: Rounding) -> tuple[int, int]:
    """Return (index, places) of the correctly rounded value: both ends of an enclosure round to it.

    Raises:
        SymbolicValueError: it has a free symbol as well.
        UndecidedError: the digits do not settle.

    >>> rounded_index(applied("tanh", Quotient.of(1)), Rounding(places=4))
    (7616, 4)
    """
    number = real(value)
    least = (rounding.places or rounding.figures or 0) * 10 // 3 + _FIRST_BITS
    bits = least
    while True:
        ball = number(bits)
        if ball.is_finite():
            low, high = ball_bounds(ball, bits)
            if rounding.figures is None or low * high > 0:
                ends = round_rational(low, rounding), round_rational(high, rounding)
                if ends[0] == ends[1]:
                    return ends[0]
        if bits >= least + MAX_BITS:
            raise UndecidedError(f"The digits of {_clip(str(value))} do not settle within {MAX_BITS} bits.")
        bits = min(2 * bits, least + MAX_BITS)


def unsettled(value: Quotient, rounding: Rounding) -> str:
    """Return the text of digits that do not settle: an enclosure that says so.

    >>> unsettled(applied("tanh", Quotient.of(1)), Rounding(places=2))
    '0.76'
    """
    return decimal(real(value), rounding, MAX_BITS).text


def magnitude(value: Quotient) -> int:
    """Return the exponent of ten of the first significant digit of an upper bound of its size.

    Raises:
        UndecidedError: no such bound is found.

    >>> magnitude(applied("tanh", Quotient.of(1)))
    -1
    """
    bits = _FIRST_BITS + MAX_BITS
    ball = real(value)(bits)
    if not ball.is_finite():
        raise UndecidedError(f"{_clip(str(value))} is not bounded by enclosures of {MAX_BITS} bits.")
    largest = max(abs(end) for end in ball_bounds(ball, bits))
    return leading_exponent(largest) if largest else 0


def bounds(value: Quotient, bits: int, *, is_relative: bool) -> tuple[Fraction, Fraction]:
    """Return rational bounds at most 2**-bits apart, or 2**-bits times the value.

    Raises:
        SymbolicValueError: it has a free symbol as well.
        UndecidedError: no such bounds are found.

    >>> low, high = bounds(applied("tanh", Quotient.of(1)), 20, is_relative=False)
    >>> low < high <= low + Fraction(1, 2**20), decimal(low, Rounding(places=6)).text
    (True, '0.761594')
    """
    number = real(value)
    working = bits + _FIRST_BITS
    while working <= 2 * (bits + MAX_BITS):
        ball = number(working)
        if ball.is_finite():
            low, high = ball_bounds(ball, working)
            size = min(abs(low), abs(high)) if is_relative else Fraction(1)
            if (low * high > 0 or not is_relative) and (high - low) * 2**bits <= size:
                return low, high
        working *= 2
    raise UndecidedError(f"{_clip(str(value))} is not bounded by enclosures of {MAX_BITS} bits.")


def real(value: Quotient) -> Real:
    """Return a value, with constants or without, as a computable real number.

    Raises:
        SymbolicValueError: it has a free symbol.
        InputError: python-flint is not there.
    """
    if value.symbols:
        raise symbolic(value.symbols)
    if not value.is_closed:
        from symattn.exact.certain_numbers import Certified  # it imports this module

        if isinstance(value, Certified):
            return value.real()
    try:
        import flint  # noqa: F401 - whether it is there; 53 ms that only this work should cost
    except ImportError as error:
        names = ", ".join(sorted({name.partition("(")[0] for name in constants_of(value)}))
        raise InputError(f"Digits of numbers behind {names} need the package python-flint: install it.") from error
    top, bottom = value.numerator, value.denominator
    if bottom == ExpSum(1):
        return Real(lambda bits: _sum(top, bits))
    return Real(lambda bits: _sum(top, bits) / _sum(bottom, bits))


def _sum(value: ExpSum, bits: int) -> Any:
    import flint

    table, denominator = value.integers
    total = flint.arb(0)
    for (exponent, monomial), c in table.items():
        product = _monomial(monomial, bits) * c
        total += product * _power(exponent, bits) if exponent else product
    return total / denominator


@lru_cache(maxsize=4096)
def _power(exponent: Polynomial, bits: int) -> Any:
    return _polynomial(exponent, bits).exp()


def _polynomial(value: Polynomial, bits: int) -> Any:
    import flint

    terms, denominator = value.integers
    total = flint.arb(0)
    for monomial, c in terms:
        total += _monomial(monomial, bits) * c
    return total / denominator


def _monomial(monomial: Monomial, bits: int) -> Any:
    import flint

    radicand, powers = monomial
    product = flint.arb(1) if radicand == 1 else flint.arb(radicand).sqrt()
    for name, power in powers:
        product *= ball_power(_constant(name, bits), power)
    return product


def ball_power(ball: Any, exponent: int) -> Any:
    """Return an integer power by squares; Arb's own fails for a ball around 0.

    >>> import flint
    >>> ball_power(flint.arb(0, 1), 2).is_finite(), bool(ball_power(flint.arb(2), -1) * 2 == 1)
    (True, True)
    """
    import flint

    result, square, left = flint.arb(1), ball, abs(exponent)
    while left:
        result = result * square if left % 2 else result
        square, left = square * square, left // 2
    return 1 / result if exponent < 0 else result


@lru_cache(maxsize=4096)
def _constant(name: str, bits: int) -> Any:
    """Return a ball that holds a constant; for its own working precision, which may not be the one that is set."""
    if name == PI:
        import flint

        with precision(bits):
            return flint.arb.pi()
    function, argument = parts(name)
    with precision(bits):
        return getattr(_polynomial(argument, bits), FUNCTIONS[function].ball)()


def _clip(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "..."
