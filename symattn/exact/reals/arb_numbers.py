"""TRUSTED. Numbers beyond the decidable theory, known by enclosures of Arb that are as fine as one likes.

The square root of a sum of exponentials, an exponential of a weight, a normal distribution function: no closed form
of a layer holds them. Such a number is a sum of a closed form and of rational multiples of atoms. An atom is a
product of powers of numbers, or a function of one. Every atom has a digest of what it is made of, in an order that
does not depend on how a sum or a product was written.

Two numbers are equal when their digests are (equality that is found is proved), and different when enclosures are
apart. What is neither is not decided, and says so. Digits, order and sign are those of `symattn.exact.reals.constants`,
which asks here for enclosures.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from hashlib import sha256
from math import gcd
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias
from weakref import WeakValueDictionary

from symattn import late
from symattn.errors import EffortError, InputError, UndecidedError
from symattn.exact.field import common_denominator
from symattn.exact.field.closed_form_length import is_long_power, is_long_product, is_long_sum, length
from symattn.exact.field.expsum import ExpSum
from symattn.exact.field.polynomial import Polynomial
from symattn.exact.field.quotient import Quotient, QuotientLike
from symattn.exact.numerals.decimals import Rounding, as_fraction, round_rational, write
from symattn.exact.reals import constants
from symattn.exact.reals.certified_digits import ball_bounds
from symattn.exact.reals.computable import Real, precision, require_flint
from symattn.exact.reals.opaque import Opaque
from symattn.exact.reals.sign import sign
from symattn.exact.reals.special_values import UNDEFINED

if TYPE_CHECKING:
    import flint
else:
    flint = late.module("flint")

_ZERO, _ONE = Quotient.of(0), Quotient.of(1)
_UNIT = ExpSum(1)
_SHOWN = Rounding(figures=7)
_TEXT_BITS = (64, 128, 256, 512)
"""Precisions of the enclosure for a short text; a number nearer to 0 is shown by its last one."""
_KEPT = 8
"""Enclosures of one atom that are kept, the latest ones: all precisions from the first to the last."""

_MAX_POWER = 1000
_MAX_SORTED = 40
"""Terms of a closed form that is brought into its canonical form to be known again."""
_MAX_SQUARED = 8
"""Terms of a closed form whose square is looked at."""
_MAX_RADICAND = 10**18

Factors: TypeAlias = tuple[tuple["ArbNumber", int], ...]
"""Numbers and their powers, each of them once and none to the power 0."""


class Atom:
    """A product of powers, or a function of a number: hash-consed, so that one is enclosed once.

    Attributes:
        digest: what it is, in 32 hexadecimal digits.
        function: the name of the function; empty for a product.
        factors: what it is made of; the powers of the arguments of a function are 1.
    """

    __slots__ = ("__weakref__", "_balls", "digest", "factors", "function")

    def __init__(self, digest: str, function: str, factors: Factors) -> None:
        """Make an atom; only `_atom` does."""
        self.digest = digest
        self.function = function
        self.factors = factors
        self._balls: dict[int, Any] = {}

    def known(self, bits: int) -> bool:
        """Return whether an enclosure of so many bits is kept."""
        return bits in self._balls

    @property
    def closed(self) -> Quotient | None:
        """The closed form that it is, None where it is another number."""
        number = self.factors[0][0]
        return number.exact if self.function == "same" and not number.terms else None

    def parts(self) -> Iterable[Atom]:
        """Return the atoms that it is made of."""
        return (atom for number, _ in self.factors for _, atom in number.terms)

    def ball(self, bits: int) -> Any:
        """Return an enclosure; those of its parts are there already."""
        if bits not in self._balls:
            while len(self._balls) >= _KEPT:
                del self._balls[next(iter(self._balls))]
            self._balls[bits] = self._compute(bits)
        return self._balls[bits]

    def _compute(self, bits: int) -> Any:
        if self.function:
            return _BALLS[self.function](*(number.combined(bits) for number, _ in self.factors))
        product = flint.arb(1)
        for number, power in self.factors:
            product *= constants.ball_power(number.combined(bits), power)
        return product


_BALLS: Mapping[str, Callable[..., Any]] = {
    "same": lambda x: x,
    "sqrt": lambda x: x.sqrt(),
    "exp": lambda x: x.exp(),
    "erf": lambda x: x.erf(),
    "sin": lambda x: x.sin(),
    "cos": lambda x: x.cos(),
    "tanh": lambda x: x.tanh(),
    "ln": lambda x: x.log(),
    "max": lambda x, y: x.max(y),
    "nothing-over": lambda *numbers: sum((0 / number for number in numbers), start=0 * numbers[0]),
}

_ATOMS: WeakValueDictionary[str, Atom] = WeakValueDictionary()
"""The atoms that are in use, by their digests."""


class ArbNumber(Opaque):
    """A number without a closed form here, enclosed as finely as one likes; immutable.

    >>> from symattn.exact.reals.elementary import sqrt
    >>> from symattn.exact.field.expsum import ExpSum
    >>> root = sqrt(Quotient(ExpSum.exp(1)) + 1)
    >>> str(root), str(root * root), root + 1 == 1 + root
    ('[1.928284..., 1.928285...]', 'exp(1) + 1', True)
    """

    __slots__ = ("_balls", "_digest", "exact", "terms")
    __hash__ = None  # as every quotient

    is_closed = False

    exact: Quotient
    terms: tuple[tuple[Fraction, Atom], ...]

    def __init__(self, exact: Quotient, terms: tuple[tuple[Fraction, Atom], ...]) -> None:
        """Make a closed form plus multiples of atoms, each once; only the functions of this module do."""
        self.exact = exact
        self.terms = terms
        self._digest = ""
        self._balls: dict[int, Any] = {}

    @property
    def digest(self) -> str:
        """A hash of its construction, 32 hexadecimal digits; equal digests are those of equal numbers."""
        if not self._digest:
            parts = sorted(f"{atom.digest}*{coefficient}" for coefficient, atom in self.terms)
            self._digest = _digest("sum", (_closed_text(self.exact), *parts))
        return self._digest

    # Enclosures --------------------------------------------------------------------------------------

    def enclosure(self, bits: int) -> Any:
        """Return an Arb ball that holds the number, worked out with `bits` bits.

        Atoms are enclosed from the innermost ones outward, so that no depth is too large.

        Raises:
            InputError: python-flint is not there.
        """
        require_flint("without a closed form")
        with precision(bits):
            waiting = [atom for _, atom in self.terms]
            while waiting:
                missing = [] if waiting[-1].known(bits) else [a for a in waiting[-1].parts() if not a.known(bits)]
                if missing:
                    waiting.extend(missing)
                else:
                    waiting.pop().ball(bits)
            return self.combined(bits)

    def combined(self, bits: int) -> Any:
        """Return the enclosure, made of those of its atoms, which are there already."""
        if bits not in self._balls:
            total = flint.arb(0) if self.exact.is_zero else constants.quotient_ball(self.exact, bits)
            for coefficient, atom in self.terms:
                total += atom.ball(bits) * coefficient.numerator / coefficient.denominator
            while len(self._balls) >= _KEPT:
                del self._balls[next(iter(self._balls))]
            self._balls[bits] = total
        return self._balls[bits]

    def real(self) -> Real:
        """Return the number for the functions of `symattn.exact.reals.certified_digits`.

        Raises:
            InputError: python-flint is not there.
        """
        require_flint("without a closed form")
        return Real(self.enclosure)

    def sign(self) -> int:
        """Return the sign, by enclosures.

        Raises:
            UndecidedError: they do not tell it from 0.
        """
        return constants.sign(self)

    @property
    def has_constants(self) -> bool:
        """Its equality with others is that of its form, or open until enclosures tell them apart.

        `symattn.exact.reals.sign` decides whether it is zero, which its form does not say.
        """
        return True

    def _has_no(self, what: str) -> NoReturn:
        raise InputError(f"The number {self} is known by its enclosures and has no {what}.")

    # Arithmetic --------------------------------------------------------------------------------------

    def __eq__(self, other: object) -> bool:
        """Return whether both are made in the same way, which proves them equal."""
        return self is other or (isinstance(other, ArbNumber) and self.digest == other.digest)

    def __neg__(self) -> Quotient:
        return _scaled(self, Fraction(-1))

    def __add__(self, other: QuotientLike) -> Quotient:
        other = Quotient.of(other)
        return total(((Fraction(1), self), (Fraction(1), other))) if other.is_finite else other + self

    def __radd__(self, other: QuotientLike) -> Quotient:
        return self + other

    def __sub__(self, other: QuotientLike) -> Quotient:
        return self + -Quotient.of(other) if Quotient.of(other).is_finite else UNDEFINED

    def __rsub__(self, other: QuotientLike) -> Quotient:
        return -self + other

    def __mul__(self, other: QuotientLike) -> Quotient:
        other = Quotient.of(other)
        return product(((self, 1), (other, 1))) if other.is_finite else other * self

    def __rmul__(self, other: QuotientLike) -> Quotient:
        return self * other

    def __truediv__(self, other: QuotientLike) -> Quotient:
        other = Quotient.of(other)
        return product(((self, 1), (other, -1))) if other.is_finite else UNDEFINED

    def __rtruediv__(self, other: QuotientLike) -> Quotient:
        other = Quotient.of(other)
        return product(((other, 1), (self, -1))) if other.is_finite else other / self

    def __pow__(self, exponent: int) -> Quotient:
        """Return an integer power, negative ones included.

        Raises:
            InputError: an exponent that is too large.
        """
        if abs(exponent) > _MAX_POWER:
            raise EffortError(f"The power {exponent} is too large here: use one of at most {_MAX_POWER}.")
        return product(((self, exponent),)) if exponent else _ONE

    # As text -----------------------------------------------------------------------------------------

    def __reduce__(self) -> tuple[Any, ...]:
        """Rebuild copies and pickles, from the innermost numbers outward."""
        if not self.terms:
            return ArbNumber, (self.exact, ())
        return _unpickled, (self.exact, tuple((c, atom.function, atom.factors) for c, atom in self.terms))

    def __str__(self) -> str:
        """Return a short enclosure, ``[1.928284..., 1.928285...]``: the dots say that it is cut."""
        for bits in _TEXT_BITS:
            ball = self.enclosure(bits)
            if ball.is_finite():
                low, high = ball_bounds(ball, bits)
                if low * high > 0 and (high - low) * 10**8 < min(abs(low), abs(high)):
                    return f"[{_outward(low, down=True)}..., {_outward(high, down=False)}...]"
        return (
            f"[{_outward(low, down=True)}..., {_outward(high, down=False)}...]" if ball.is_finite() else "[-inf, inf]"
        )


def _outward(end: Fraction, *, down: bool) -> str:
    """Return seven figures of an end of an enclosure, not further in."""
    index, places = round_rational(end, _SHOWN)
    shown = as_fraction(index, places)
    if shown != end and (shown > end) == down:
        index += -1 if down else 1
    return write(index, places, _SHOWN)


def _unpickled(exact: Quotient, terms: Sequence[tuple[Fraction, str, Factors]]) -> Quotient:
    return _made(exact, [(c, _atom(function, factors)) for c, function, factors in terms])


# Making numbers -------------------------------------------------------------------------------------


def _digest(kind: str, parts: Sequence[str]) -> str:
    return sha256("|".join((kind, *parts)).encode()).hexdigest()[:32]


def _closed_text(value: Quotient) -> str:
    """Return a text that equal closed forms have in common, where they are built alike or are short."""
    return _canonical_text(value.numerator, value.denominator)


@lru_cache(maxsize=4096)
def _canonical_text(above: ExpSum, below: ExpSum) -> str:
    value = Quotient(above, below)
    return str(value.canonical()) if length(value) <= _MAX_SORTED else f"{_table_text(above)} by {_table_text(below)}"


@lru_cache(maxsize=4096)
def _table_text(side: ExpSum) -> str:
    table, below = side.integers
    terms = sorted(f"{exponent.terms} {monomial} {count}" for (exponent, monomial), count in table.items())
    return f"{terms} over {below}"


def _atom(function: str, factors: Factors) -> Atom:
    """Return the one atom that is made so."""
    first = factors[0][0]
    if function == "same" and not first.terms:
        parts = [_table_text(first.exact.numerator), _table_text(first.exact.denominator)]
    else:
        parts = [f"{number.digest}^{power}" for number, power in factors]
    digest = _digest(function or "product", parts)
    found = _ATOMS.get(digest)
    if found is None:
        found = _ATOMS[digest] = Atom(digest, function, factors)
    return found


def _made(exact: Quotient, terms: Iterable[tuple[Fraction, Atom]]) -> Quotient:
    """Return a closed form and multiples of atoms; the closed form alone where nothing of them is left."""
    collected: dict[str, tuple[Fraction, Atom]] = {}
    for coefficient, atom in terms:
        before = collected.get(atom.digest)
        collected[atom.digest] = (coefficient if before is None else before[0] + coefficient, atom)
    kept = tuple(pair for pair in collected.values() if pair[0])
    if not kept:
        return exact
    if exact.symbols:
        name = min(exact.symbols)
        raise InputError(f"A number without a closed form meets the free symbol {name}: give it a value.")
    return ArbNumber(exact, kept)


def total(values: Iterable[tuple[Fraction, Quotient]]) -> Quotient:
    """Return a sum of rational multiples of finite numbers.

    >>> from symattn.exact.reals.elementary import sqrt
    >>> from symattn.exact.field.expsum import ExpSum
    >>> root = sqrt(Quotient(ExpSum.exp(1)))
    >>> str(total([(Fraction(1), root), (Fraction(-1), root), (Fraction(2), Quotient.of(3))]))
    '6'
    """
    closed: list[Quotient] = []
    terms: list[tuple[Fraction, Atom]] = []
    for coefficient, value in values:
        own = value.terms if isinstance(value, ArbNumber) else ()
        closed.append((value.exact if isinstance(value, ArbNumber) else value) * coefficient)
        terms.extend((coefficient * factor, atom) for factor, atom in own)
    exact = _ZERO
    if not any(atom.closed for _, atom in terms):
        for value in closed:
            if is_long_sum(exact, value):
                break
            exact = exact + value
        else:
            return _made(exact, terms)
    return _sum_of_atoms(closed, terms)


def _sum_of_atoms(closed: list[Quotient], terms: list[tuple[Fraction, Atom]]) -> Quotient:
    """Return a sum in which closed forms over one denominator are added, and others are not."""
    plain, others = _ZERO, list[tuple[Fraction, Atom]]()
    sums = dict[ExpSum, list[Quotient | tuple[Fraction, Atom]]]()
    for value in closed:
        if value.denominator == _UNIT:
            plain = plain + value
        else:
            sums.setdefault(value.denominator, []).append(value)
    for factor, atom in terms:
        if atom.closed is None:
            others.append((factor, atom))
        else:
            sums.setdefault(atom.closed.denominator, []).append((factor, atom))
    if len(sums) == 1 and not others:
        (values,) = sums.values()
        whole = _over_one(values)
        if not is_long_sum(whole, plain):
            return whole + plain
    for values in sums.values():
        if len(values) == 1 and isinstance(values[0], tuple):
            others.append(values[0])
            continue
        part = kept(_over_one(values))
        if isinstance(part, ArbNumber):
            others.extend(part.terms)
        else:
            plain = plain + part
    return _made(plain, others)


def _over_one(values: list[Quotient | tuple[Fraction, Atom]]) -> Quotient:
    """Return the sum of closed forms, or multiples of atoms that are such, over one denominator."""
    return common_denominator.added(
        value if isinstance(value, Quotient) else _closed_multiple(*value) for value in values
    )


def _closed_multiple(factor: Fraction, atom: Atom) -> Quotient:
    if atom.closed is None:
        raise ValueError("only an atom that is a closed form is added to others")
    return atom.closed * factor


def kept(value: Quotient) -> Quotient:
    """Return a number as a multiple of an atom, not multiplied out, where it is a closed form of several terms."""
    return _kept(value.numerator, value.denominator) if value.is_closed else value


@lru_cache(maxsize=4096)
def _kept(above: ExpSum, below: ExpSum) -> Quotient:
    value = Quotient(above, below)
    polynomial = value.polynomial()
    if polynomial is not None:
        return Quotient(polynomial)
    content = _content(above)
    return _scaled(function_of("same", value * (1 / content)), content)


def _content(value: ExpSum) -> Fraction:
    """Return the rational number that leaves whole coefficients without a common factor, the first one positive."""
    table, below = value.integers
    first = min(table, key=lambda term: (term[0].integers, term[1]))
    return Fraction(gcd(*table.values()) * (1 if table[first] > 0 else -1), below)


def _scaled(value: Quotient, factor: Fraction) -> Quotient:
    if not isinstance(value, ArbNumber):
        return value * factor
    return _made(value.exact * factor, [(c * factor, atom) for c, atom in value.terms])


def product(values: Iterable[tuple[Quotient, int]]) -> Quotient:
    """Return a product of powers of finite numbers.

    >>> from symattn.exact.reals.elementary import sqrt
    >>> from symattn.exact.field.expsum import ExpSum
    >>> root = sqrt(Quotient(ExpSum.exp(1)))
    >>> str(product([(root, 4), (Quotient.of(2), -1)]))
    '1/2*exp(2)'
    """
    coefficient = Fraction(1)
    powers: dict[str, tuple[ArbNumber, int]] = {}
    for value, power in values:
        own, factors = _split(value, power)
        coefficient *= own
        for number, exponent in factors:
            before = powers.get(number.digest)
            powers[number.digest] = (number, exponent if before is None else before[1] + exponent)
    if not coefficient:
        return _nothing_over([number for number, exponent in powers.values() if exponent < 0 and number.terms])
    closed: Quotient = _ONE
    left: list[tuple[ArbNumber, int]] = []
    for number, exponent in powers.values():
        if number.terms and exponent:
            left.append((number, exponent))
        elif exponent:
            factor = None if is_long_power(number.exact, exponent) else number.exact**exponent
            if factor is None or is_long_product(closed, factor):
                left.extend(_split(function_of("same", number.exact), exponent)[1])
            else:
                closed = closed * factor
    roots = [(number, exponent) for number, exponent in left if abs(exponent) > 1 and _is_root(number)]
    if roots:
        number, exponent = roots[0]
        (inner, _), *_ = number.terms[0][1].factors
        others = [pair for pair in left if pair[0] is not number]
        rest: list[tuple[Quotient, int]] = [*others, (number, exponent % 2), (_unwrapped(inner), exponent // 2)]
        return product([(closed, 1), (Quotient.of(coefficient), 1), *[pair for pair in rest if pair[1]]])
    found = _without_root(closed, left)
    if found is not None:
        closed, left = found
    return _multiple(coefficient, closed, left)


def _nothing_over(below: list[ArbNumber]) -> Quotient:
    """Return 0 over numbers: 0 where none of them is 0, an open number where enclosures do not tell."""
    unknown = []
    for number in below:
        try:
            sign(number)
        except UndecidedError:
            unknown.append(number)
    return function_of("nothing-over", *unknown) if unknown else _ZERO


def _without_root(
    closed: Quotient, left: list[tuple[ArbNumber, int]]
) -> tuple[Quotient, list[tuple[ArbNumber, int]]] | None:
    """Return a closed form times a root of one, whose square is rational: a closed form again, as x/sqrt(x^2) is."""
    if closed.plain_rational() is not None or length(closed) > _MAX_SQUARED:
        return None
    for number, exponent in left:
        inner = number.terms[0][1].factors[0][0] if _is_root(number) and abs(exponent) == 1 else None
        if inner is None or inner.terms or length(inner.exact) > _MAX_SQUARED**2:
            continue
        square = (closed * closed * inner.exact**exponent).rational()
        if square is not None and square.denominator < _MAX_RADICAND and square.numerator < _MAX_RADICAND:
            root = Quotient.of(Polynomial.sqrt(square)) * sign(closed)
            return root, [pair for pair in left if pair[0] is not number]
    return None


def _multiple(coefficient: Fraction, closed: Quotient, left: list[tuple[ArbNumber, int]]) -> Quotient:
    if not left:
        return closed * coefficient
    rational = closed.plain_rational()
    if rational is None:
        # A rational factor of its first term is drawn out, so that 2x times y is 2 times xy.
        is_long = length(closed) > _MAX_SORTED
        content = Fraction(1) if is_long else _leading_coefficient(closed.numerator, closed.denominator)
        coefficient *= content
        left = [*left, (ArbNumber(closed * (1 / content), ()), 1)]
    else:
        coefficient *= rational
    if len(left) == 1 and left[0][1] == 1:
        return _scaled(left[0][0], coefficient)
    ordered = tuple(sorted(left, key=lambda pair: pair[0].digest))
    return _made(_ZERO, [(coefficient, _atom("", ordered))])


@lru_cache(maxsize=4096)
def _leading_coefficient(above: ExpSum, below: ExpSum) -> Fraction:
    return Quotient(above, below).canonical().numerator.terms()[0][1].terms[0][1]


def _split(value: Quotient, power: int) -> tuple[Fraction, Factors]:
    """Return a rational factor and what is left of a power of a number, taken apart where it is one product."""
    if not isinstance(value, ArbNumber):
        rational = value.plain_rational()
        if rational is not None and (rational or power > 0):
            return rational**power, ()
        return Fraction(1), (((ArbNumber(value, ())), power),)
    if len(value.terms) != 1 or not value.exact.is_zero:
        # The coefficient of one atom is drawn out, so that 2x + 2 times y is 2 times (x + 1) y.
        content = min(value.terms, key=lambda term: term[1].digest)[0]
        scaled = value if content == 1 else _scaled(value, 1 / content)
        return content**power, ((scaled if isinstance(scaled, ArbNumber) else value, power),)
    coefficient, atom = value.terms[0]
    if atom.function:
        return coefficient**power, ((ArbNumber(_ZERO, ((Fraction(1), atom),)), power),)
    return coefficient**power, tuple((number, exponent * power) for number, exponent in atom.factors)


def _is_root(number: ArbNumber) -> bool:
    is_single = len(number.terms) == 1 and number.exact.is_zero
    return is_single and number.terms[0][1].function == "sqrt"


def _unwrapped(number: ArbNumber) -> Quotient:
    return number if number.terms else number.exact


def function_of(name: str, *values: Quotient) -> Quotient:
    """Return a function of numbers as an atom."""
    numbers = [value if isinstance(value, ArbNumber) else ArbNumber(value, ()) for value in values]
    for value in values:
        if value.symbols:
            raise InputError(
                f"{name} is taken of numbers here, and {min(value.symbols)} is a free symbol: give it one."
            )
    factors = tuple((number, 1) for number in numbers)
    return _made(_ZERO, [(Fraction(1), _atom(name, factors))])
