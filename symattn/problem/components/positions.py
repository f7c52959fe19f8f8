"""Positions: what is added to tokens, or turns queries and keys, by the place of a token in its sequence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from symattn.errors import InputError
from symattn.exact.field.constant_names import PI
from symattn.exact.field.polynomial import Polynomial
from symattn.exact.field.quotient import Quotient
from symattn.exact.reals import elementary
from symattn.exact.reals.trigonometry import parse_multiple
from symattn.problem.text.document import Numeral
from symattn.problem.values.checks import describe, exact_number, place_of
from symattn.records import dataclass

_MAX_BASE = 10**12


@dataclass(frozen=True, slots=True)
class PositionKind:
    """Kind of positions.

    Attributes:
        makes: the quantities that a layer makes of them.
        refused: the keys of a problem file that it leaves without effect.
        is_added: whether it is added to the tokens before the projections.
        has_angles: whether each pair of entries has an angle at each position.
        title: its name in messages.
        pairing: the start of the message about a length that is odd.
        by: what stands before the angle of a pair.
    """

    makes: tuple[str, ...]
    refused: tuple[str, ...]
    is_added: bool = True
    has_angles: bool = True
    title: str = ""
    pairing: str = ""
    by: str = ""


KINDS: Mapping[str, PositionKind] = {
    "sinusoidal": PositionKind(
        makes=("P", "X_p"),
        refused=("table", "start_keys"),
        pairing="sines and cosines come in pairs, and a token has",
        by="of the angle",
    ),
    "learned": PositionKind(
        makes=("P", "X_p"),
        refused=("base", "angles", "pairs", "start", "start_keys"),
        has_angles=False,
    ),
    "rope": PositionKind(
        makes=("Q_rot", "K_rot"),
        refused=("table",),
        is_added=False,
        title="RoPE",
        pairing="RoPE turns pairs of entries, and keys have",
        by="turned by",
    ),
}
"""The kinds by their words in a problem file."""

TURNING = next(word for word, kind in KINDS.items() if not kind.is_added)
"""The kind that changes queries and keys, and takes no table of tokens."""


@dataclass(frozen=True, slots=True)
class Positions:
    """Positions: the way in which the place of a token enters a layer.

    `kind` is ``"sinusoidal"`` (sines and cosines are added to the tokens), ``"learned"`` (a table is, the input
    P), or ``"rope"`` (queries and keys are rotated, two of their entries at a time). The angle of pair i at
    position p is p times the i-th of `angles`, or p / base^(2i/d) where there are none. The first query stands
    at `start`, the first key at `start_keys`. `pairs` says which entries make a pair: neighbours, or those that
    stand half the length apart.

    >>> [str(angle) for angle in Positions("rope").steps(4)]
    ['1', '1/100']
    """

    kind: str
    base: Fraction = Fraction(10000)
    start: int = 0
    start_keys: int | None = None
    angles: tuple[Polynomial, ...] = ()
    pairs: str = "adjacent"

    @property
    def is_added(self) -> bool:
        """True if it is added to the tokens before the projections.

        >>> Positions("learned").is_added, Positions("rope").is_added
        (True, False)
        """
        return self.traits.is_added

    @property
    def traits(self) -> PositionKind:
        """The properties of its kind."""
        return KINDS[self.kind]

    def steps(self, length: int) -> tuple[Quotient, ...]:
        """Return the angle of each pair from one position to the next, for vectors of a length.

        Raises:
            InputError: there are not as many angles as pairs.

        >>> [str(step) for step in Positions("rope", base=Fraction(2)).steps(6)]
        ['1', '[0.7937005..., 0.7937006...]', '[0.6299605..., 0.6299606...]']
        """
        pairs = length // 2
        if not self.angles:
            return tuple(elementary.rational_power(self.base, Fraction(-2 * pair, length)) for pair in range(pairs))
        if len(self.angles) != pairs:
            verb = "is" if pairs == 1 else "are"
            counts = f"{_counted(pairs, 'pair')} of entries and {_counted(len(self.angles), 'angle')}"
            raise InputError(f"there {verb} {counts}; give one angle for each pair.")
        return tuple(map(Quotient.of, self.angles))

    def describe(self) -> str:
        """Return the positions in words.

        >>> Positions("rope", start=1).describe()
        'the first token stands at position 1; neighbouring entries make a pair, turned by p/10000^(2i/d) at position p'
        """
        first = f"the first token stands at position {self.start}"
        if not self.traits.has_angles:
            return "a table is added to the tokens"
        pair = "neighbouring entries make a pair" if self.pairs == "adjacent" else "entries half a length apart pair up"
        angle = "p times the angle of the pair" if self.angles else f"p/{self.base}^(2i/d)"
        if self.start_keys not in (None, self.start):
            first = f"the first query stands at position {self.start}, the first key at {self.start_keys}"
        return f"{first}; {pair}, {self.traits.by} {angle} at position p"


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


# Reading --------------------------------------------------------------------------------------------


def missing_table(source: str) -> InputError:
    """Return the error for learned positions without their table."""
    return InputError(f'{place_of(source, "positions.table")} is missing: kind = "learned" adds it to the tokens.')


def read_positions(table: Mapping[str, Any], source: str) -> Positions:
    """Return the positions of a problem file, its table apart from that of kind "learned".

    Raises:
        InputError: keys that do not go together, or an angle that is none.

    >>> read_positions({"kind": "rope", "angles": ["pi/3"]}, "x.toml").angles
    (Polynomial('1/3*pi'),)
    """
    kind = table["kind"]
    for key in KINDS[kind].refused:
        if key in table:
            raise InputError(
                f'{place_of(source, f"positions.{key}")} has no effect with kind = "{kind}"; leave it out.'
            )
    if not KINDS[kind].has_angles and "table" not in table:
        raise missing_table(source)
    if "base" in table and "angles" in table:
        raise InputError(f"{place_of(source, 'positions.base')} and angles both set the angles. Leave one of them out.")
    base = table.get("base", Fraction(10000))
    if not 0 < base <= _MAX_BASE or base.denominator > _MAX_BASE:
        raise InputError(f"{place_of(source, 'positions.base')} must be greater than 0 and at most 10^12.")
    return Positions(
        kind,
        base,
        table.get("start", 0),
        table.get("start_keys"),
        _angles(table["angles"], place_of(source, "positions.angles")) if "angles" in table else (),
        table.get("pairs", "adjacent"),
    )


def _angles(value: object, place: str) -> tuple[Polynomial, ...]:
    if not isinstance(value, (list, tuple)) or not value:
        given = "an empty one" if isinstance(value, (list, tuple)) else describe(value)
        raise InputError(f'{place} must be a list of angles, one for each pair, as in ["pi/3", "1/2"], not {given}.')
    return tuple(_angle(item, f"{place}, number {number}") for number, item in enumerate(value, 1))


def _angle(value: object, place: str) -> Polynomial:
    text = value.text if isinstance(value, Numeral) else value
    multiple = parse_multiple(text) if isinstance(text, str) else None
    if multiple is not None:
        return Polynomial.symbol(PI) * multiple
    if isinstance(text, str) and (PI in text or "π" in text):
        raise InputError(f'{place} must be a rational multiple of pi, as in "2*pi/3", or a rational number.')
    return Polynomial(exact_number(value, place))


def angle_table(steps: Sequence[Quotient], count: int, start: int) -> list[list[Quotient]]:
    """Return the angles of `count` tokens from a position on, a row for each token.

    >>> [[str(angle) for angle in row] for row in angle_table([Quotient.of(1)], 2, 3)]
    [['3'], ['4']]
    """
    return [[step * position for step in steps] for position in range(start, start + count)]
