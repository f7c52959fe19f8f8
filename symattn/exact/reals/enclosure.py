"""TRUSTED. Certified enclosures of numeric exponential sums, in integers only.

A `Ball` (mid, rad, exp) states |value - mid * 2**exp| <= rad * 2**exp. The exponent is an integer of any
size, so exp(10**30) and exp(-10**30) are ordinary numbers, and precision is always relative. In what
follows, W is the working precision in bits and an ulp is 2**-W.
"""

from __future__ import annotations

from functools import lru_cache
from math import isqrt
from typing import NamedTuple

from symattn.errors import SymbolicValueError
from symattn.exact.field.expsum import ExpSum, Key
from symattn.exact.field.polynomial import Polynomial


class Ball(NamedTuple):
    """|value - mid * 2**exp| <= rad * 2**exp.

    >>> Ball(3, 1, -1).excludes_zero
    True
    """

    mid: int
    rad: int
    exp: int

    @property
    def excludes_zero(self) -> bool:
        """True where the sign is that of `mid`.

        >>> Ball(1, 1, 0).excludes_zero
        False
        """
        return abs(self.mid) > self.rad


def fixed_point(value: Polynomial, bits: int) -> tuple[int, int]:
    """Return (X, w) with X <= value * 2**bits <= X + w, for a value without symbols and bits >= 0.

    A term a sqrt(m) with an integer a has s <= |a| sqrt(m) 2**bits < s + 1 for s = isqrt(a^2 m 4**bits);
    for m = 1 it is exact. The sums of the lower and of the upper bounds enclose the numerator, and
    division by the positive denominator, down below and up above, encloses the value.

    >>> fixed_point(Polynomial.sqrt(2), 10)  # 1448.15...
    (1448, 1)
    """
    terms, denominator = value.integers
    lower = upper = 0
    for (radicand, powers), a in terms:
        if powers:
            raise symbolic(value.symbols)
        if radicand == 1:
            lower += a << bits
            upper += a << bits
            continue
        s = isqrt(a * a * radicand << 2 * bits)
        lower += s if a > 0 else -s - 1
        upper += s + 1 if a > 0 else -s
    start = lower // denominator
    return start, -(-upper // denominator) - start


@lru_cache(maxsize=32)  # one number at a few precisions, wanted at every rounding
def log_two(bits: int) -> int:
    """Return an integer L with L <= ln(2) * 2**bits <= L + 2.

    ln 2 = 18 artanh(1/26) - 2 artanh(1/4801) + 8 artanh(1/8749): as 2 artanh(1/x) = ln((x+1)/(x-1)), twice
    the right side is the logarithm of (27/25)^18 (2401/2400)^-2 (4375/4374)^8, where the powers of 3, 5
    and 7 cancel (27 = 3^3, 2401 = 7^4, 2400 = 2^5 3 5^2, 4375 = 5^4 7, 4374 = 2 3^7) and that of 2 is
    10 - 8 = 2. Each series is summed with g more bits. A term of `_artanh` lies below the true one by less
    than 2 units and there are at most bits + g of them, so the sum is off by less than 28 * 2 (bits + g)
    plus 28 units for the tails, less than 2**(g-1) by the choice of g. Half an ulp below the sum is a
    lower bound, and the true value lies less than one above it; rounding down adds less than one more.

    >>> log_two(20)  # 726817.49...
    726816
    """
    guard = bits.bit_length() + 10
    wide = bits + guard
    total = 18 * _artanh(26, wide) - 2 * _artanh(4801, wide) + 8 * _artanh(8749, wide)
    return (total - (1 << guard - 1)) >> guard


def _artanh(x: int, bits: int) -> int:
    """Return the sum of x^-(2j+1)/(2j+1) in units of 2**-bits, term by term from below, until a power is 0.

    A power is off by less than 1 + 1/x^2 + ... < 1.01 units, its quotient by less than 2; the tail after
    the first power below 1 unit adds less than one unit.
    """
    power = (1 << bits) // x
    square, total, odd = x * x, 0, 1
    while power:
        total += power // odd
        power //= square
        odd += 2
    return total


def exp_fixed(y: int, bits: int) -> int:
    """Return an integer E with E <= exp(y * 2**-bits) * 2**bits <= E + 2, for 0 <= y <= 0.7 * 2**bits.

    With s halvings, rho = y 2**-(bits+s) <= 1/2 is held exactly at V = bits + s + c bits, then raised to
    the power 2**s by s squarings. In units of 2**-V:

    * Taylor terms t_j = floor(t_{j-1} rho / j) lie below the true ones by d_j <= 1 + d_{j-1} rho / j <= 1.5.
      Summation stops at the first t_n = 0; the rest is at most (1 + rho + ...) d_n <= 3. The sum u is
      too small by 0 <= d <= 1.5 n + 3, with n <= V + 1 because t_j <= 2**(V-j).
    * Squaring, u' = floor(u^2 / 2**V), takes d to d' <= 2 d e^(rho 2^i) + 1 at step i. The product of all
      factors is at most 2**s e^(rho (2^s - 1)) <= 2**s e^0.7 < 2**(s + 1.02), and each + 1 is multiplied by
      later factors only, so they add up to less than they would if they had stood in d: in all
      d_s <= 2**(s+1.02) (d + 1), since the added ones weigh 1/2 + 1/4 + ... < 1 of a one in d.

    So d_s <= 2**(s+1.02) (1.5 V + 6), at most 2**(s+c) = 2**(V-bits) by the choice of c: one ulp.
    Rounding down to `bits` adds less than one more.

    >>> exp_fixed(1 << 9, 10)  # sqrt(e) * 1024 = 1688.29...
    1688
    """
    halvings = isqrt(bits) // 2 + 2
    guard = (bits + halvings + 32).bit_length() + 3
    wide = bits + halvings + guard
    rho = y << guard  # y * 2**-(bits + halvings), in units of 2**-wide
    term = total = 1 << wide
    j = 1
    while term:
        term = (term * rho >> wide) // j
        total += term
        j += 1
    for _ in range(halvings):
        total = total * total >> wide
    return total >> wide - bits


class Exponentials:
    """The values sqrt(m) * exp(x) at one precision: a table that one computation fills and throws away.

    Every entry has rad <= 40 and mid >= 2**bits - 2, so relative errors are at most 2**(6-bits) and
    shrink with the precision; that is what makes doubling loops end. What is proved in them rests on the
    radii alone.

    >>> Exponentials(20).key((Polynomial(0), (1, ())))
    Ball(mid=1048576, rad=0, exp=-20)
    """

    def __init__(self, bits: int) -> None:
        """Make an empty table of `bits` bits, 10 or more.

        Raises:
            ValueError: fewer bits, for which the error bounds are not proved.
        """
        if bits < 10:
            raise ValueError("Exponentials are enclosed with 10 bits or more.")
        self.bits = bits
        self._balls: dict[Key, Ball] = {}
        self._log_two = (0, 0)

    def key(self, key: Key) -> Ball:
        """Return an enclosure of one function of the table of an `ExpSum`.

        Raises:
            SymbolicValueError: a symbol is left in it.
        """
        ball = self._balls.get(key)
        if ball is None:
            exponent, (radicand, powers) = key
            if powers:
                raise symbolic(frozenset(name for name, _ in powers))
            ball = self._exp(exponent)
            if radicand != 1:
                ball = self._times_root(ball, radicand)
            self._balls[key] = ball
        return ball

    def sum(self, value: ExpSum) -> Ball:
        """Return an enclosure of a sum (the integers of its table, without its denominator).

        All terms are brought to the unit 2**base of the largest one. A product c * mid is off by
        |c| rad; a shift down to the base loses less than one unit of the product and less than one of
        the error bound, so |c| rad >> shift, plus 2, bounds what a term is off by.

        >>> Exponentials(10).sum(ExpSum(3))
        Ball(mid=3072, rad=0, exp=-10)
        """
        table, _ = value.integers
        balls = self._balls
        terms = [(c, balls.get(key) or self.key(key)) for key, c in table.items()]
        if not terms:
            return Ball(0, 0, 0)
        base = max(exp for _, (_, _, exp) in terms)
        mid = rad = 0
        for c, (m, r, exp) in terms:
            shift = base - exp
            if not shift:
                mid += c * m
                rad += abs(c) * r
            elif shift < _FAR:
                mid += c * m >> shift
                rad += (abs(c) * r >> shift) + 2
            else:
                # c * mid counts as error here: no shift by more than 2**60 is made, this bound is larger.
                rad += 2 + (abs(c) * (abs(m) + r) >> _FAR)
        return Ball(mid, rad, base)

    def _exp(self, x: Polynomial) -> Ball:
        """Compute exp(x) = 2**k exp(r) with k = floor(x / ln 2), or nearly so, and r about in [0, ln 2].

        x is taken at F bits, X <= x 2**F <= X + w, and L <= ln(2) 2**F <= L + 2. With k = X // L and
        R = X - k L, 0 <= R < L, the number r = x - k ln 2 satisfies |r 2**F - R| <= w + 2|k| < 2**(F-W),
        so after R is rounded down to y = R >> (F - W), |r 2**W - y| < 2, and 0 <= y < ln(2) 2**W. Then
        exp(r) = exp(y 2**-W) exp(d) with |d| < 2 ulp. As exp(y 2**-W) <= 2 and exp(|d|) - 1 <= |d| (1 + |d|),
        they differ by less than 4.1 ulp for W >= 10. `exp_fixed` is too small by at most 2 ulp: in all,
        less than 8.

        F - W is enough: w is at most 1 more than the number t of terms of x, and 2|k| < 3|x| + 6, while
        2**(F-W) >= 2**8 (|x| 2**8 + t). It is checked all the same.
        """
        if not x:
            return Ball(1 << self.bits, 0, -self.bits)
        start, width = fixed_point(x, 8)
        extra = (abs(start) + width + len(x.integers[0])).bit_length() + 8
        wide = self.bits + extra
        start, width = fixed_point(x, wide)
        log = self._log(wide)
        k, rest = divmod(start, log)
        if width + 2 * abs(k) >= 1 << extra:
            raise ArithmeticError("the reduction of an exponent lost more bits than were set aside for it")
        return Ball(exp_fixed(rest >> extra, self.bits), 8, k - self.bits)

    def _log(self, bits: int) -> int:
        """Return L <= ln(2) * 2**bits <= L + 2, from the widest that was needed so far.

        A shift by at least one bit takes the bound 2 to at most 1, and rounding down adds less than one.
        """
        have, value = self._log_two
        if have < bits:
            have, value = bits, log_two(bits)
            self._log_two = have, value
        return value >> have - bits

    def _times_root(self, ball: Ball, radicand: int) -> Ball:
        """Return the ball times sqrt(m), with s <= sqrt(m) 2**W < s + 1, cut back to W + 2 bits.

        For v in the ball, v sqrt(m) 2**W - mid s = (v - mid) sqrt(m) 2**W + mid (sqrt(m) 2**W - s) is
        at most rad (s + 1) + mid in size; the cut adds less than 1, as does that of the bound.
        """
        s = isqrt(radicand << 2 * self.bits)
        product = ball.mid * s
        error = ball.mid + ball.rad * (s + 1)
        shift = product.bit_length() - self.bits - 2
        return Ball(product >> shift, (error >> shift) + 2, ball.exp - self.bits + shift)


_FAR = 1 << 60


def power_of_ten(exponent: int, bits: int) -> Ball:
    """Return 10**exponent to about `bits` bits, exactly where it has at most those.

    By squaring; each step at most doubles the relative error and adds that of a cut, so the bits set aside
    keep it near 2**-bits. The radius says what it is.

    >>> power_of_ten(3, 64)
    Ball(mid=1000, rad=0, exp=0)
    """
    if 0 <= exponent * 4 <= bits:
        return Ball(10**exponent, 0, 0)
    wide = bits + 2 * abs(exponent).bit_length() + 8
    result = Ball(1, 0, 0)
    for digit in f"{abs(exponent):b}":
        result = trim(multiply(result, result), wide)
        if digit == "1":
            result = trim(Ball(result.mid * 10, result.rad * 10, result.exp), wide)
    if exponent < 0:
        result = invert(result, wide)
    return result


def multiply(first: Ball, second: Ball) -> Ball:
    """Return the product: |ab - mn| <= |m| s + |n| r + r s for |a - m| <= r and |b - n| <= s.

    >>> multiply(Ball(2, 1, 0), Ball(3, 0, 1))
    Ball(mid=6, rad=3, exp=1)
    """
    m, r, e = first
    n, s, f = second
    return Ball(m * n, abs(m) * s + abs(n) * r + r * s, e + f)


def trim(ball: Ball, bits: int) -> Ball:
    """Return the ball with its mid cut to `bits` bits; the cut and that of the radius add less than 1 each.

    >>> trim(Ball(1025, 1, 0), 10)
    Ball(mid=512, rad=2, exp=1)
    """
    shift = ball.mid.bit_length() - bits
    if shift <= 0:
        return ball
    return Ball(ball.mid >> shift, (ball.rad >> shift) + 2, ball.exp + shift)


def invert(ball: Ball, bits: int) -> Ball:
    """Return the inverse of a ball that excludes zero.

    With N = 2**(bits + length of mid), |N/v - N/mid| <= N rad / (|mid| (|mid| - rad)) for all v in the
    ball; the bound is rounded up, and the centre, rounded down, is off by less than 1 more.

    >>> invert(Ball(4, 0, 0), 4)
    Ball(mid=32, rad=1, exp=-7)
    """
    mid, rad, exp = ball
    size = abs(mid)
    if size <= rad:
        raise ArithmeticError("the inverse of an enclosure that holds zero was asked for")
    scale = bits + size.bit_length()
    error = (rad << scale) // (size * (size - rad)) + 1 if rad else 0
    return Ball((1 << scale) // mid, error + 1, -scale - exp)


def symbolic(names: frozenset[str]) -> SymbolicValueError:
    """Return the error for a value whose digits depend on a free symbol.

    >>> str(symbolic(frozenset({"beta"})))
    'The value has the free symbol beta: give it a value under [symbols], e.g. beta = "3/2".'
    """
    ordered = sorted(names)
    if len(ordered) == 1:
        who = f"symbol {ordered[0]}: give it a value"
    else:
        who = f"symbols {', '.join(ordered)}: give each a value"
    return SymbolicValueError(f'The value has the free {who} under [symbols], e.g. {ordered[0]} = "3/2".')
