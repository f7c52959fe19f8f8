"""TRUSTED. Real numbers outside the decidable theory, enclosed by Arb (python-flint) at any precision.

A `Real` gives, at any precision, a ball that holds the number (Johansson 2017, "Arb: efficient
arbitrary-precision midpoint-radius interval arithmetic"). Digits and order are in `certified`.

Arb's working precision is one setting for the whole process. It is set for each evaluation and put back;
a ball is a true statement at every precision, so no setting can make a digit wrong, only slow to settle.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from fractions import Fraction
from importlib import import_module
from math import isqrt
from typing import TYPE_CHECKING, Any, TypeAlias

from symattn import late
from symattn.errors import InputError
from symattn.exact.numerals.rational import RationalLike, rational

if TYPE_CHECKING:
    import flint
else:
    flint = late.module("flint")

MAX_DEPTH = 100
"""Steps inside each other, each a few of Python's own calls; long sums and products are one step."""


class Real:
    """A real number as a function from a precision in bits to an Arb ball that holds it.

    `exact` is its value where that is known to be rational. `square` is the rational square of a number
    that is known to be at least 0. Equality of numbers is not decided here: ``==`` asks for one object.

    >>> (sqrt(2) * sqrt(8) + exp(0)).exact, (sqrt(2) * exp(1)).exact
    (Fraction(5, 1), None)
    """

    __slots__ = ("_compute", "depth", "exact", "square")

    depth: int
    exact: Fraction | None
    square: Fraction | None

    def __init__(
        self,
        compute: Callable[[int], Any],
        of: Sequence[Real] = (),
        *,
        exact: Fraction | None = None,
        square: Fraction | None = None,
    ) -> None:
        """Make the number that `compute` encloses, with Arb's precision set to its argument, from the numbers in `of`.

        Raises:
            InputError: too many steps inside each other.
        """
        self._compute = compute
        self.depth = 1 + max((number.depth for number in of), default=0)
        if self.depth > MAX_DEPTH:
            raise InputError(
                f"A number is made of more than {MAX_DEPTH} steps inside each other: "
                "write long sums and products with total and product."
            )
        self.exact = exact
        self.square = square if exact is None or exact < 0 else exact**2

    def __call__(self, bits: int) -> Any:
        """Return a ball that holds the number, worked out with `bits` bits."""
        with precision(bits):
            return self._compute(bits)

    def __neg__(self) -> Real:
        if self.exact is not None:
            return known(-self.exact)
        return Real(lambda bits: -self(bits), (self,))

    def __add__(self, other: RealLike) -> Real:
        return total((self, other))

    __radd__ = __add__

    def __sub__(self, other: RealLike) -> Real:
        return total((self, -real(other)))

    def __rsub__(self, other: RealLike) -> Real:
        return total((other, -self))

    def __mul__(self, other: RealLike) -> Real:
        return product((self, other))

    __rmul__ = __mul__

    def __truediv__(self, other: RealLike) -> Real:
        return product((self, inverse(other)))

    def __rtruediv__(self, other: RealLike) -> Real:
        return product((other, inverse(self)))


RealLike: TypeAlias = "Real | RationalLike"


@contextmanager
def precision(bits: int) -> Iterator[None]:
    """Set Arb's working precision for as long as the block runs.

    >>> import flint
    >>> with precision(100):
    ...     flint.arb(2).sqrt().rel_accuracy_bits() > 90
    True
    """
    before = flint.ctx.prec
    flint.ctx.prec = bits
    try:
        yield
    finally:
        flint.ctx.prec = before


def require_flint(numbers: str) -> None:
    """Refuse digits of some numbers where python-flint is not installed.

    Raises:
        InputError: it is not.

    >>> require_flint("without a closed form")
    """
    try:
        import_module("flint")
    except ImportError as error:
        raise InputError(f"Digits of numbers {numbers} need the package python-flint: install it.") from error


def known(value: Fraction | int) -> Real:
    """Return a rational of any size as a real number.

    >>> known(Fraction(1, 3)).exact
    Fraction(1, 3)
    """
    return Real(lambda _: _ball(value), exact=Fraction(value))


def real(value: RealLike) -> Real:
    """Return a real number as it is, and whatever stands for a rational as one.

    Raises:
        InputError: a float, or something else that is not a rational number.

    >>> real("0.1").exact
    Fraction(1, 10)
    """
    return value if isinstance(value, Real) else known(rational(value))


def total(values: Sequence[RealLike]) -> Real:
    """Return the sum of numbers.

    >>> total(["1/2", "1/3"]).exact
    Fraction(5, 6)
    """
    terms = [real(value) for value in values]
    rationals = [term.exact for term in terms if term.exact is not None]
    if len(rationals) == len(terms):
        return known(sum(rationals, Fraction(0)))
    return Real(lambda bits: sum((term(bits) for term in terms), _ball(0)), terms)


def product(values: Sequence[RealLike]) -> Real:
    """Return the product of numbers; rational also where square roots multiply to one, or a factor is 0.

    >>> product([sqrt(2), sqrt("1/8")]).exact
    Fraction(1, 2)
    """
    factors = [real(value) for value in values]
    constant, others = Fraction(1), []
    for factor in factors:
        if factor.exact is None:
            others.append(factor)
        else:
            constant *= factor.exact
    if not others or not constant:
        return known(constant)

    def compute(bits: int) -> Any:
        ball = _ball(constant)
        for factor in others:
            ball *= factor(bits)
        return ball

    return Real(compute, others) if constant < 0 else _rooted(compute, constant**2, others)


def _rooted(compute: Callable[[int], Any], constant: Fraction, factors: Sequence[Real]) -> Real:
    """Return a product with its rational square, where factors >= 0 have one; a rational where that is a square."""
    square = constant
    for factor in factors:
        if factor.square is None:
            return Real(compute, factors)
        square *= factor.square
    root = rational_root(square)
    return Real(compute, factors, square=square) if root is None else known(root)


def inverse(value: RealLike) -> Real:
    """Return 1/x.

    Raises:
        InputError: the value is exactly 0.

    >>> inverse("2/3").exact
    Fraction(3, 2)
    """
    x = real(value)
    if x.exact is not None:
        if not x.exact:
            raise InputError("A number is divided by 0: give a divisor that is not 0.")
        return known(1 / x.exact)
    return Real(lambda bits: 1 / x(bits), (x,), square=None if x.square is None else 1 / x.square)


def rational_root(value: Fraction) -> Fraction | None:
    """Return the square root of a rational >= 0, if it is rational.

    >>> rational_root(Fraction(4, 9)), rational_root(Fraction(2))
    (Fraction(2, 3), None)
    """
    top, bottom = isqrt(value.numerator), isqrt(value.denominator)
    return Fraction(top, bottom) if top**2 == value.numerator and bottom**2 == value.denominator else None


def sqrt(value: RealLike) -> Real:
    """Return the square root.

    Raises:
        InputError: the value is negative; of a value with an enclosure only, this shows on evaluation.

    >>> sqrt("4/9").exact, sqrt(2).square
    (Fraction(2, 3), Fraction(2, 1))
    """
    x = real(value)
    if x.exact is not None:
        if x.exact < 0:
            raise InputError("The square root of a negative number is not real: take one of a number >= 0.")
        root = rational_root(x.exact)
        if root is not None:
            return known(root)
    return Real(lambda bits: _inside(x(bits), "square root", least=0).sqrt(), (x,), square=x.exact)


def log(value: RealLike) -> Real:
    """Return the natural logarithm.

    Raises:
        InputError: the value is not positive; of a value with an enclosure only, this shows on evaluation.

    >>> from symattn.exact.reals.certified_digits import figures
    >>> log(1).exact, figures(log(2), 20).text
    (Fraction(0, 1), '0.69314718055994530942')
    """
    x = real(value)
    if x.exact is not None and x.exact <= 0:
        raise InputError("The logarithm of a number that is not positive is not real: take one of a number > 0.")
    return _lift(x, lambda ball: _inside(ball, "logarithm", least=0).log(), {1: Fraction(0)})


def exp(value: RealLike) -> Real:
    """Return the exponential.

    >>> from symattn.exact.reals.certified_digits import figures
    >>> figures(exp(-28), 4).text
    '6.914e-13'
    """
    return _lift(value, lambda ball: ball.exp(), {0: Fraction(1)})


def erf(value: RealLike) -> Real:
    """Return the error function, erf x = (2/√π) ∫_0^x e^(-u²) du (DLMF 7.2.1).

    >>> from symattn.exact.reals.certified_digits import figures
    >>> figures(erf(1), 20).text
    '0.84270079294971486934'
    """
    return _lift(value, lambda ball: ball.erf(), {0: Fraction(0)})


def erfc(value: RealLike) -> Real:
    """Return 1 - erf x, with all its digits where it is small (DLMF 7.2.2).

    >>> from symattn.exact.reals.certified_digits import figures
    >>> figures(erfc(10), 5).text
    '2.0885e-45'
    """
    return _lift(value, lambda ball: ball.erfc(), {0: Fraction(1)})


def Phi(value: RealLike) -> Real:
    """Return the normal distribution function, Φ(x) = erfc(-x/√2)/2, with all its digits where it is small.

    >>> from symattn.exact.reals.certified_digits import figures
    >>> figures(Phi(sqrt(2)), 20).text
    '0.92135039647485743467'
    """
    return erfc(-real(value) / sqrt(2)) / 2


def tanh(value: RealLike) -> Real:
    """Return the hyperbolic tangent.

    >>> from symattn.exact.reals.certified_digits import figures
    >>> figures(tanh(1), 10).text
    '0.7615941560'
    """
    return _lift(value, lambda ball: ball.tanh(), {0: Fraction(0)})


def logit(value: RealLike) -> Real:
    """Return the log-odds of a number of (0, 1): log(x/(1 - x)).

    Raises:
        InputError: the value is not between 0 and 1.

    >>> logit("1/2").exact
    Fraction(0, 1)
    """
    x = real(value)
    if x.exact is not None and not 0 < x.exact < 1:
        raise InputError("The log-odds of a number that is not between 0 and 1 are not real: give one that is.")
    return log(x / (1 - x))


def sin(value: RealLike) -> Real:
    """Return the sine.

    >>> from symattn.exact.reals.certified_digits import figures
    >>> figures(sin(pi() / 6), 10).text
    '0.5000000000'
    """
    return _lift(value, lambda ball: ball.sin(), {0: Fraction(0)})


def cos(value: RealLike) -> Real:
    """Return the cosine.

    >>> cos(0).exact
    Fraction(1, 1)
    """
    return _lift(value, lambda ball: ball.cos(), {0: Fraction(1)})


def pi() -> Real:
    """Return the number π.

    >>> from symattn.exact.reals.certified_digits import figures
    >>> figures(pi(), 20).text
    '3.1415926535897932385'
    """
    return Real(lambda _: flint.arb.pi())


def _lift(value: RealLike, ball: Callable[[Any], Any], special: Mapping[int, Fraction]) -> Real:
    """Return a function of one number, with the arguments at which its value is known to be rational."""
    x = real(value)
    if x.exact is not None and x.exact in special:
        return known(special[int(x.exact)])
    return Real(lambda bits: ball(x(bits)), (x,))


def _ball(value: Fraction | int) -> Any:
    return flint.arb(flint.fmpq(value.numerator, value.denominator))


def _inside(ball: Any, name: str, least: int) -> Any:
    """Return the ball, unless it lies wholly outside the domain; one that overlaps its end gives a ball of no size."""
    if ball < least:
        raise InputError(f"The {name} of a negative number is not real: take one of a larger number.")
    return ball
