"""TRUSTED. Radicands of square roots: square-free parts, and coprime factors without factoring."""

from __future__ import annotations

from collections.abc import Iterable
from math import gcd, isqrt

from symattn.errors import InputError

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
