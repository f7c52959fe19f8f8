"""TRUSTED. Named constants: values of functions outside the decidable theory, as numbers that can be reckoned with.

The value of such a function at an exact number is a symbol of a polynomial whose name is its own definition in
plain syntax, ``tanh(3/20)``. Sums, products, quotients and exponentials of it then work as with any symbol: what
is equal as a function of the constants is equal as a number, so an equality that is found is proved. The reverse
does not hold, for constants can be related (tanh 2x = 2 tanh x/(1 + tanh^2 x)): two values of different form are
told apart by enclosures of Arb, and where those do not settle within `MAX_BITS` nothing is said. Sines and cosines
have a second form in which sums of products of them vanish, `symattn.exact.reals.trigonometry`. The number pi, in
which their angles are counted, is a constant too.

A constant is not a free symbol: it has digits, an order and a sign.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import lru_cache, reduce
from math import ceil
from operator import add, mul
from typing import TYPE_CHECKING, Any

from symattn import late
from symattn.errors import EffortError, InputError, UndecidedError, shortened
from symattn.exact.field.constant_names import FUNCTIONS, PI, is_constant
from symattn.exact.field.expsum import ExpSum
from symattn.exact.field.polynomial import Monomial, Polynomial
from symattn.exact.field.quotient import Quotient
from symattn.exact.numerals.decimals import Rounding, as_fraction, leading_exponent, round_rational
from symattn.exact.reals.certified_digits import ball_bounds, decimal, fixed_ends
from symattn.exact.reals.computable import Real, precision, require_flint
from symattn.exact.reals.enclosure import symbolic
from symattn.exact.reals.opaque import Opaque
from symattn.exact.reals.trigonometry import half_turns, has_waves, known, linear
from symattn.notation.parser.plain import read_plain
from symattn.notation.tree import nodes as t

if TYPE_CHECKING:
    import flint
else:
    flint = late.module("flint")

MAX_BITS = 4096
"""The stated precision: what enclosures of so many bits beyond the digits do not settle stays open."""

_FIRST_BITS = 128
"""The precision of all first enclosures, so that they are shared: enough for about 19 decimals."""
_GUARD, _WIDEST = 64, 2
_UNIT = ExpSum(1)
_MAX_NAME = 20_000
_MAX_POWER = 1000
_MAX_SHORTENED = 200
"""Terms of the longest polynomial whose products of sines and cosines are put together."""


# Names ----------------------------------------------------------------------------------------------


def named(function: str, argument: Polynomial) -> Polynomial:
    """Return the value of a function of the table at a number: a constant, or its closed form.

    Raises:
        EffortError: the argument is too long to be written out.

    >>> str(named("tanh", Polynomial(Fraction(-3, 20)))), str(named("cos", Polynomial(0)))
    ('-tanh(3/20)', '1')
    """
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
        return -named(function, -argument)
    if is_negative and of.is_even:
        return named(function, -argument)
    name = f"{function}({argument})"
    if len(name) > _MAX_NAME:
        raise EffortError(f"An argument of {function} is too long to be written out: use smaller matrices.")
    return Polynomial.symbol(name)


@lru_cache(maxsize=4096)
def parts(name: str) -> tuple[str, Polynomial]:
    """Return the function and the argument that the name of a constant says.

    Raises:
        InputError: it is not written as `named` writes it.

    >>> function, argument = parts("tanh(1/2*sqrt(2))")
    >>> function, str(argument)
    ('tanh', '1/2*sqrt(2)')
    """
    match read_plain(name):
        case t.Call(function, (node,)) if function.text in FUNCTIONS:
            argument = _argument(node)
            if argument is not None and named(function.text, argument) == Polynomial.symbol(name):
                return function.text, argument
    raise InputError(f"{shortened(name)} is not the name of a constant as it is written here.")


def _argument(node: t.Node) -> Polynomial | None:
    """Return the value of a polynomial in square roots and constants; None for other trees."""
    match node:
        case t.Number(text) if text.isdigit():
            return Polynomial(node.value)
        case t.Name("pi"):
            return Polynomial.symbol(PI)
        case t.Root(t.Number() as radicand, None):
            return Polynomial.sqrt(radicand.value)
        case t.Negative(body):
            value = _argument(body)
            return None if value is None else -value
        case t.Division(t.Number() as top, t.Number() as bottom) if bottom.value:
            return Polynomial(top.value / bottom.value)
        case t.Power(base, t.Number() as exponent) if exponent.value <= _MAX_POWER:
            value = _argument(base)
            return None if value is None else value ** int(exponent.value)
        case t.Call(function, (inner,)) if function.text in FUNCTIONS:
            value = _argument(inner)
            return None if value is None else named(function.text, value)
        case t.Product(factors):
            return _combined(factors, mul)
        case t.Sum(terms, operators):
            signed = zip(("+", *operators), terms, strict=True)
            return _combined((t.Negative(term) if sign == "-" else term for sign, term in signed), add)
        case _:
            return None


def _combined(nodes: Iterable[t.Node], operation: Callable[[Polynomial, Polynomial], Polynomial]) -> Polynomial | None:
    values = [_argument(node) for node in nodes]
    known_values = [value for value in values if value is not None]
    return reduce(operation, known_values) if len(known_values) == len(values) else None


# Enclosures -----------------------------------------------------------------------------------------


def sign(value: ExpSum | Quotient) -> int:
    """Return -1, 0 or 1, for a sum with constants or a number without a closed form.

    Raises:
        SymbolicValueError: it has a free symbol as well.
        UndecidedError: enclosures do not tell it from 0, and it is not 0 by its form.

    >>> sign(ExpSum(named("tanh", Polynomial(1)) - Fraction(3, 4)))
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
            raise UndecidedError(
                f"Whether {shortened(str(value))} is 0 is not settled by enclosures of {MAX_BITS} bits."
            )
        bits *= 2


def order(first: Quotient, second: Quotient) -> int:
    """Return -1 or 1, the order of two numbers whose first enclosures are apart; 0 where these do not tell.

    >>> order(Quotient.of(named("tanh", Polynomial(1))), Quotient.of(1))
    -1
    """
    if first.symbols or second.symbols:
        return 0
    one, other = (real(value)(_FIRST_BITS) for value in (first, second))
    return bool(one > other) - bool(one < other)


def is_below(value: Quotient, limit: int) -> bool:
    """Return whether the first enclosure of a number shows that its size is below a limit; a no proves nothing.

    >>> is_below(Quotient.of(named("tanh", Polynomial(1))), 1)
    True
    """
    return bool(abs(real(value)(_FIRST_BITS)) < limit)


def vanishes(value: ExpSum) -> bool:
    """Return whether a sum is 0 by its form, or by that in which no sines and cosines are multiplied.

    >>> cosine, sine = (named(name, Polynomial(1)) for name in ("cos", "sin"))
    >>> vanishes(ExpSum(cosine**2 + sine**2 - 1)), vanishes(ExpSum(cosine**2 - sine**2))
    (True, False)
    """
    if value.is_zero:
        return True
    if not has_waves(value.symbols):
        return False
    found = linear(value, parts, named)
    return found is not None and found.is_zero


def shortest(value: Polynomial) -> Polynomial:
    """Return an equal polynomial with fewer terms, in which no sines and cosines are multiplied; else the same.

    >>> cosine, sine = (named(name, Polynomial(2)) for name in ("cos", "sin"))
    >>> str(shortest(cosine**2 * 3 + sine**2 * 3)), str(shortest(cosine * sine + cosine))
    ('3', 'cos(2)*sin(2) + cos(2)')
    """
    if not 1 < len(value.terms) <= _MAX_SHORTENED or not has_waves(value.symbols):
        return value
    found = linear(ExpSum(value), parts, named)
    made = None if found is None else found.polynomial()
    return value if made is None or len(made.terms) >= len(value.terms) else made


def without_products(value: Quotient) -> Quotient:
    """Return an equal value in which no sines and cosines are multiplied; itself where that would be too long.

    >>> cosine, sine = (named(name, Polynomial(2)) for name in ("cos", "sin"))
    >>> str(without_products(Quotient.of(cosine**2 + sine**2)))
    '1'
    """
    if not value.is_closed or not value.is_finite or not has_waves(value.numerator.symbols | value.denominator.symbols):
        return value
    above, below = (linear(part, parts, named) for part in (value.numerator, value.denominator))
    return value if above is None or below is None else Quotient.of(above) / Quotient.of(below)


def is_apart(difference: Quotient) -> bool:
    """Decide whether a difference of two values, which is not 0 by its form, is non-zero.

    Of a function of free symbols one point is tried.

    Raises:
        UndecidedError: it is not proved.

    >>> is_apart(Quotient.of(named("tanh", Polynomial(1))) - Quotient.of("0.76"))
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
    raise UndecidedError(f"Whether {shortened(str(difference))} is 0 for all values of its symbols is not settled.")


def rounded_index(value: Quotient, rounding: Rounding) -> tuple[int, int]:
    """Return (index, places) of the correctly rounded value: both ends of an enclosure round to it.

    Raises:
        SymbolicValueError: it has a free symbol as well.
        UndecidedError: the digits do not settle.

    >>> rounded_index(Quotient.of(named("tanh", Polynomial(1))), Rounding(places=4))
    (7616, 4)
    """
    number = real(value)
    least = _FIRST_BITS * (1 + ((rounding.places or rounding.figures or 0) * 10 // 3 + _GUARD) // _FIRST_BITS)
    bits = least
    while True:
        ball = number(bits)
        if ball.is_finite():
            low, high = ball_bounds(ball, bits)
            if rounding.figures is None or low * high > 0:
                ends = round_rational(low, rounding), round_rational(high, rounding)
                # 0.9996 to three figures is 1000 thousandths, and 1 is 100 hundredths: the same number.
                if ends[0] == ends[1] or as_fraction(*ends[0]) == as_fraction(*ends[1]):
                    return ends[0]
                boundary = _boundary(low, high, ends[0][1] + 1)
                if (
                    boundary is not None
                    and value.is_closed
                    and vanishes(value.numerator - value.denominator * boundary)
                ):
                    return round_rational(boundary, rounding)
        if bits >= least + MAX_BITS:
            raise UndecidedError(f"The digits of {shortened(str(value))} do not settle within {MAX_BITS} bits.")
        bits = min(2 * bits, least + MAX_BITS)


def _boundary(low: Fraction, high: Fraction, places: int) -> Fraction | None:
    """Return the only number of so many decimal places between two bounds, None where there are others or none."""
    first = ceil(low * Fraction(10) ** places) / Fraction(10) ** places
    return first if first <= high < first + Fraction(10) ** -places else None


def unsettled(value: Quotient, rounding: Rounding) -> str:
    """Return the text of digits that do not settle: an enclosure that says so.

    >>> unsettled(Quotient.of(named("tanh", Polynomial(1))), Rounding(places=2))
    '0.76'
    """
    return decimal(real(value), rounding, MAX_BITS).text


def magnitude(value: Quotient) -> int:
    """Return the exponent of ten of the first significant digit of an upper bound of its size.

    Raises:
        UndecidedError: no such bound is found.

    >>> magnitude(Quotient.of(named("tanh", Polynomial(1))))
    -1
    """
    bits = _GUARD + MAX_BITS
    ball = real(value)(bits)
    if not ball.is_finite():
        raise UndecidedError(f"{shortened(str(value))} is not bounded by enclosures of {MAX_BITS} bits.")
    largest = max(abs(end) for end in ball_bounds(ball, bits))
    return leading_exponent(largest) if largest else 0


def fixed_bounds(value: Quotient, bits: int) -> tuple[int, int]:
    """Return integers at most 2 apart between which the value lies in units of 2**-bits.

    Raises:
        SymbolicValueError: it has a free symbol as well.
        EffortError: it is too large to be bounded by integers.
        UndecidedError: no such bounds are found.

    >>> fixed_bounds(Quotient.of(named("tanh", Polynomial(1))), 10)  # 0.761594 times 1024 is 779.9
    (779, 780)
    """
    number = real(value)
    working = bits + _GUARD
    while working <= 2 * (bits + MAX_BITS):
        ball = number(working)
        if ball.is_finite():
            low, high = fixed_ends(ball, working, bits)
            if high - low <= _WIDEST:
                return low, high
        working *= 2
    raise UndecidedError(f"{shortened(str(value))} is not bounded by enclosures of {MAX_BITS} bits.")


def real(value: Quotient) -> Real:
    """Return a value, with constants or without, as a computable real number.

    Raises:
        SymbolicValueError: it has a free symbol.
        InputError: python-flint is not there.
    """
    if value.symbols:
        raise symbolic(value.symbols)
    if isinstance(value, Opaque):
        return value.real()
    if sys.modules.get("flint") is None:
        require_flint(_functions(value.numerator.symbols | value.denominator.symbols))
    return Real(lambda bits: quotient_ball(value, bits))


@lru_cache(maxsize=4096)
def _functions(names: frozenset[str]) -> str:
    """Return the numbers, in words, that digits behind constants of these names need."""
    return "behind " + ", ".join(sorted({name.partition("(")[0] for name in names if is_constant(name)}))


def quotient_ball(value: Quotient, bits: int) -> Any:
    """Return an Arb ball that holds a quotient of sums without free symbols, at the working precision `bits`."""
    top, bottom = value.numerator, value.denominator
    return _sum(top, bits) if bottom == _UNIT else _sum(top, bits) / _sum(bottom, bits)


@lru_cache(maxsize=4096)
def _sum(value: ExpSum, bits: int) -> Any:
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
    terms, denominator = value.integers
    total = flint.arb(0)
    for monomial, c in terms:
        total += _monomial(monomial, bits) * c
    return total / denominator


@lru_cache(maxsize=4096)
def _monomial(monomial: Monomial, bits: int) -> Any:
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
    result, square, left = flint.arb(1), ball, abs(exponent)
    while left:
        result = result * square if left % 2 else result
        square, left = square * square, left // 2
    return 1 / result if exponent < 0 else result


@lru_cache(maxsize=4096)
def _constant(name: str, bits: int) -> Any:
    """Return a ball that holds a constant; for its own working precision, which may not be the one that is set."""
    if name == PI:
        with precision(bits):
            return flint.arb.pi()
    function, argument = parts(name)
    with precision(bits):
        return getattr(_polynomial(argument, bits), FUNCTIONS[function].ball)()
