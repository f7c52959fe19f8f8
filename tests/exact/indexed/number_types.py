"""The numbers that expressions are evaluated in: exact quotients of exponential sums, or floats of many digits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from symattn.errors import InputError
from symattn.exact.field.expsum import ExpSum
from symattn.exact.field.polynomial import Polynomial
from symattn.exact.field.quotient import Quotient

if TYPE_CHECKING:
    import mpmath

T = TypeVar("T")


class Numbers(Protocol[T]):
    """What evaluation asks of a number type."""

    def constant(self, value: Polynomial | Fraction | int) -> T:
        """A number of Q(sqrt 2, sqrt 3, ...)."""

    def add(self, first: T, second: T) -> T:
        """The sum."""

    def multiply(self, first: T, second: T) -> T:
        """The product."""

    def power(self, base: T, exponent: int) -> T:
        """An integer power; a negative one of zero is refused."""

    def apply(self, name: str, arguments: Sequence[T]) -> T:
        """``exp``, ``log``, ``sqrt`` or another function by its name."""

    def whole(self, value: T) -> int | None:
        """The value, where it is a whole number."""


class ExactNumbers:
    """Quotients of exponential sums: exponentials of algebraic numbers, roots of rational ones.

    >>> numbers = ExactNumbers()
    >>> str(numbers.apply("exp", [Quotient.of("1/2")])), str(numbers.apply("sqrt", [Quotient.of(8)]))
    ('exp(1/2)', '2*sqrt(2)')
    """

    def constant(self, value: Polynomial | Fraction | int) -> Quotient:
        """A constant as a quotient."""
        return Quotient.of(value)

    def add(self, first: Quotient, second: Quotient) -> Quotient:
        """The sum."""
        return first + second

    def multiply(self, first: Quotient, second: Quotient) -> Quotient:
        """The product."""
        return first * second

    def power(self, base: Quotient, exponent: int) -> Quotient:
        """An integer power.

        Raises:
            InputError: a negative power of zero.
        """
        return base**exponent

    def apply(self, name: str, arguments: Sequence[Quotient]) -> Quotient:
        """``exp``, and ``sqrt`` and ``log`` where they have such a value.

        Raises:
            InputError: the value is no quotient of exponential sums.
        """
        if len(arguments) == 1:
            exponent, rational = arguments[0].polynomial(), arguments[0].rational()
            if name == "exp" and exponent is not None:
                return Quotient(ExpSum.exp(exponent))
            if name == "sqrt" and rational is not None:
                return Quotient(Polynomial.sqrt(rational))
            if name == "log" and rational == 1:
                return Quotient(0)
        raise InputError(f"{name} has no exact value here: take numbers of many digits, such as FloatNumbers(50).")

    def whole(self, value: Quotient) -> int | None:
        """The value, where it is a whole number."""
        rational = value.rational()
        return rational.numerator if rational is not None and rational.denominator == 1 else None


class FloatNumbers:
    """Floats of mpmath with a number of decimal digits; nothing is certified.

    >>> str(FloatNumbers(15).apply("erf", [FloatNumbers(15).constant(1)]))
    '0.842700792949715'
    """

    def __init__(self, digits: int) -> None:
        """Numbers of that many digits, in a context of their own."""
        import mpmath  # late: it costs start-up time that exact work does not need

        if not 1 <= digits <= 10_000:
            raise InputError(f"{digits} digits are too few or too many: take from 1 to 10000.")
        self.context = mpmath.MPContext()
        self.context.dps = digits
        self._functions: dict[str, Callable[..., Any]] = {
            "Phi": self.context.ncdf,
            **{name: getattr(self.context, name) for name in ("exp", "log", "sqrt", "tanh", "erf", "sin", "cos")},
        }

    def constant(self, value: Polynomial | Fraction | int) -> mpmath.mpf:
        """A constant, rounded."""
        terms = value.terms if isinstance(value, Polynomial) else Polynomial(value).terms
        total = self.context.mpf(0)
        for (radicand, _), c in terms:
            total += self.context.sqrt(radicand) * c.numerator / c.denominator
        return total

    def add(self, first: mpmath.mpf, second: mpmath.mpf) -> mpmath.mpf:
        """The sum."""
        return first + second

    def multiply(self, first: mpmath.mpf, second: mpmath.mpf) -> mpmath.mpf:
        """The product."""
        return first * second

    def power(self, base: mpmath.mpf, exponent: int) -> mpmath.mpf:
        """An integer power.

        Raises:
            InputError: a negative power of zero.
        """
        if exponent < 0 and not base:
            raise InputError("A division by zero has no value.")
        return base**exponent

    def apply(self, name: str, arguments: Sequence[mpmath.mpf]) -> mpmath.mpf:
        """A function of one real number, with a real value.

        Raises:
            InputError: it is not known, or has no real value there.
        """
        if name not in self._functions or len(arguments) != 1:
            raise InputError(f"The function {name} is not known: give it among the functions.")
        (argument,) = arguments
        if (name == "log" and argument <= 0) or (name == "sqrt" and argument < 0):
            raise InputError(f"{name} has no real value at {argument}.")
        return self._functions[name](argument)

    def whole(self, value: mpmath.mpf) -> int | None:
        """The value, where it is a whole number."""
        return int(value) if self.context.isint(value) else None
