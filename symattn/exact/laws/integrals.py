"""TRUSTED. Certified integrals by Arb's rigorous quadrature, infinite ends by a stated Gaussian bound.

`acb.integral` encloses the integral of an analytic function (Johansson 2018, "Numerical integration in
arbitrary-precision ball arithmetic"): Gauss-Legendre rules on pieces where the integrand was enclosed on an
ellipse around them, plain enclosures on the others.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import isqrt
from typing import TYPE_CHECKING, Any, TypeAlias

from symattn import late
from symattn.errors import InputError
from symattn.exact.reals.computable import RealLike, precision, real
from symattn.records import dataclass

if TYPE_CHECKING:
    import flint
else:
    flint = late.module("flint")

Integrand: TypeAlias = Callable[[Any, bool], Any]
"""(x, analytic) -> f(x) for an `acb` x. Where `analytic` is set and f is not analytic on all of x, it has to
give a ball that is not finite; functions without branch cuts do so by themselves."""


@dataclass(frozen=True, slots=True)
class GaussianTail:
    """The hypothesis |f(x)| <= bound * e^(-rate x²) for all real |x| >= 1 of the range; it is not checked."""

    bound: Fraction
    rate: Fraction

    def __post_init__(self) -> None:
        """Refuse what bounds nothing.

        Raises:
            InputError: the bound is negative, or the rate not positive.
        """
        if self.bound < 0 or self.rate <= 0:
            raise InputError("A Gaussian tail needs a bound >= 0 and a rate > 0: give both as positive fractions.")

    def cut(self, bits: int) -> int:
        """Return an integer T >= 1 with rate T² >= bits.

        >>> GaussianTail(Fraction(1), Fraction(1, 2)).cut(50)
        11
        """
        return isqrt(-(-bits * self.rate.denominator // self.rate.numerator)) + 1

    def beyond(self, cut: int) -> Any:
        """Return a ball around 0 that holds the integral of f over [T, ∞), and that over (-∞, -T], for T >= 1.

        For x >= T, 1 <= x/T, so ∫_T^∞ |f| <= C ∫_T^∞ (x/T) e^(-λx²) dx = C e^(-λT²)/(2λT).
        """
        rate = flint.arb(flint.fmpq(self.rate.numerator, self.rate.denominator))
        bound = flint.arb(flint.fmpq(self.bound.numerator, self.bound.denominator))
        tail = bound * (-rate * cut**2).exp() / (2 * rate * cut)
        return tail.union(-tail)


def integral(
    f: Integrand,
    start: RealLike | None,
    end: RealLike | None,
    bits: int,
    tail: GaussianTail | None = None,
) -> Any:
    """Return a ball that holds the integral of f from `start` to `end`; None stands for -∞ or ∞ and needs a `tail`.

    An infinite end is cut at a T with e^(-rate T²) <= e^-bits and the rest enclosed by `GaussianTail.beyond`.
    With a real integrand the real part is the integral.

    Raises:
        InputError: an infinite end without a bound for the tail.

    >>> import flint
    >>> tail = GaussianTail(Fraction(1), Fraction(1))
    >>> ball = integral(lambda x, _: (-x * x).exp(), None, None, 80, tail)
    >>> ball.overlaps(flint.arb.pi().sqrt()), bool(ball.rad() < 1e-20)
    (True, True)
    """
    if tail is None and (start is None or end is None):
        raise InputError("An integral over an infinite range needs a bound for its tail: give a GaussianTail.")
    with precision(bits):
        low, high = (None if point is None else real(point)(bits) for point in (start, end))
        cut = 1 if tail is None else _beyond_ends(tail.cut(bits), (low, high))
        rest = flint.arb(0)
        if tail is not None:
            rest = sum((tail.beyond(cut) for point in (low, high) if point is None), rest)
        low, high = -cut if low is None else low, cut if high is None else high
        return flint.acb.integral(f, flint.acb(low), flint.acb(high)).real + rest


def _beyond_ends(cut: int, ends: tuple[Any, ...]) -> int:
    """Return a cut at least as large in size as a finite end, so that what is cut off lies in the range.

    Raises:
        InputError: an end is too far out for the tail to be worth enclosing.
    """
    for end in ends:
        if end is not None:
            size = abs(end).upper().ceil()
            if not size.is_finite() or size > 1 << 64:
                raise InputError("An end of an integral is too far out: give one below 2**64 in size.")
            cut = max(cut, int(size.mid().unique_fmpz() or 0) + 1)
    return cut
