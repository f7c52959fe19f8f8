"""TRUSTED. Names of constants among the symbols of polynomials: ``pi``, and values of functions such as ``tanh(1)``."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache

from symattn.records import dataclass

PI = "pi"
"""The name of the constant pi."""


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


def is_function(name: str) -> bool:
    """Return whether the values of a function are constants.

    >>> is_function("tanh"), is_function("exp")
    (True, False)
    """
    return name in FUNCTIONS


@lru_cache(maxsize=4096)
def is_constant(name: str) -> bool:
    """Return whether a symbol of a polynomial is a constant, and not a free symbol.

    >>> is_constant("tanh(1/2)"), is_constant("beta")
    (True, False)
    """
    function, bracket, rest = name.partition("(")
    return name == PI or (bool(bracket) and function in FUNCTIONS and rest.endswith(")"))


@lru_cache(maxsize=1024)
def free(names: frozenset[str]) -> frozenset[str]:
    """Return the names that are free symbols.

    >>> free(frozenset({"beta", "tanh(1/2)"}))
    frozenset({'beta'})
    """
    return frozenset(name for name in names if not is_constant(name))
