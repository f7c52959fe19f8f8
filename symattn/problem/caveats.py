"""Caveats, and those about declarations: keys without effect, masks undone, biases that reward keys ahead."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

from symattn.problem.model import Problem
from symattn.problem.settings.score_steps import SCORE_STEPS, saturating
from symattn.records import dataclass

if TYPE_CHECKING:
    from symattn.problem.components.positions import Positions
    from symattn.problem.settings.masks import Mask

_PI = Fraction(355, 113)  # near enough to tell what was meant
_TURN = 2 * _PI
_PARTS = (1, 2, 3, 4, 5, 6, 8, 12)
_CLOSE = Fraction(1, 500)
_LONG = 20


@dataclass(frozen=True, slots=True)
class Caveat:
    """One caveat: a code for machines, its place, and a sentence."""

    code: str
    where: str
    text: str

    def as_json(self) -> dict[str, str]:
        """Return the caveat as JSON holds it."""
        return {"code": self.code, "where": self.where, "text": self.text}


def points_caveats(problem: Problem) -> tuple[Caveat, ...]:
    """Return the caveat about parts whose points do not add up to those of the problem."""
    parts = [part.points for part in problem.parts if part.points is not None]
    if problem.points is None or not parts or sum(parts) == problem.points:
        return ()
    text = f"The parts have {sum(parts)} points in all, and the problem says {problem.points}."
    return (Caveat("points", "points", text),)


def declaration_caveats(problem: Problem) -> tuple[Caveat, ...]:
    """Return the caveats about the declarations themselves, which are those of every head and sequence.

    >>> tables = {"Q": [[1]], "K": [[1], [2]], "V": [[1], [2]]}
    >>> [caveat.code for caveat in declaration_caveats(Problem.build(**tables, bias={"alibi": 1}))]
    ['alibi-ahead']
    >>> declaration_caveats(Problem.build(**tables, bias={"alibi": 1}, mask="causal"))
    ()
    """
    if problem.order == tuple(SCORE_STEPS) and problem.mask is None and not problem.beyond:
        return ()
    return tuple(_declarations(problem))


def _declarations(problem: Problem) -> Iterator[Caveat]:
    yield from _order(problem)
    if problem.mask is not None:
        yield from _ones(problem.mask)
    if problem.bias is not None:
        yield from _of_bias(problem)
    if problem.positions is not None:
        yield from _degrees(problem.positions)
    if problem.cached and problem.n_q > 1 and _sees_ahead(problem):
        text = (
            "Several new tokens come at once and see each other, those behind them too; a decoder hides these: "
            'say mask = "causal".'
        )
        yield Caveat("cache-ahead", "mask", text)


def _order(problem: Problem) -> Iterator[Caveat]:
    unused = [word for word in problem.order if word not in problem.used]
    if problem.order != tuple(SCORE_STEPS) and unused:
        names = " and ".join(f'"{word}"' for word in unused)
        why = f': with score = "{problem.score}" there is no scale unless one is given' if "scale" in unused else ""
        yield Caveat("order-unused", "order", f"The key order names {names}, which this layer does not use{why}.")
    place = saturating(problem.used)
    if "mask" in problem.used[:place] and place < len(problem.used):
        bound = problem.used[place]
        text = (
            f"The {bound} comes after the mask and undoes it: minus infinity becomes the cap with a minus sign, a "
            f'score like any other, so hidden keys have weights; put "mask" behind "{bound}" in order.'
        )
        yield Caveat("mask-undone", "order", text)


def _degrees(positions: Positions) -> Iterator[Caveat]:
    """Yield angles that look like degrees, or like rounded multiples of pi: all of them are in radians."""
    for angle in positions.angles:
        number = angle.rational()
        if number is None:
            continue
        if abs(number) > _TURN:
            degrees = Fraction(number, 180)
            text = (
                f"The angle {number} is in radians, more than a whole turn; if it is in degrees, write "
                f'"{_multiple(degrees)}".'
            )
            yield Caveat("angle-radians", "positions.angles", text)
            continue
        near = _near_multiple(number)
        if near:
            text = f'The angle {_brief(number)} is that many radians; if a part of pi is meant, write "{near}".'
            yield Caveat("angle-radians", "positions.angles", text)


def _near_multiple(number: Fraction) -> str:
    """Return the simple multiple of pi that a number with long digits is close to, if it is close to one."""
    if number.denominator < _LONG:
        return ""
    for below in _PARTS:
        over = round(abs(number) / _PI * below)
        if over and abs(abs(number) - _PI * over / below) < _CLOSE:
            return _multiple(Fraction(over if number > 0 else -over, below))
    return ""


def _multiple(part: Fraction) -> str:
    """Return a multiple of pi as a problem file has it.

    >>> _multiple(Fraction(1, 2)), _multiple(Fraction(-2, 3)), _multiple(Fraction(1))
    ('pi/2', '-2*pi/3', 'pi')
    """
    sign, size = "-" if part < 0 else "", abs(part)
    over = "pi" if size.numerator == 1 else f"{size.numerator}*pi"
    return f"{sign}{over}" if size.denominator == 1 else f"{sign}{over}/{size.denominator}"


def _brief(number: Fraction) -> str:
    return f"{float(number):.6g}"


def _ones(mask: Mask) -> Iterator[Caveat]:
    """Yield a boolean mask that was put under `add`."""
    entries = {entry for heads in mask.add for grid in heads for row in grid for entry in row}
    if entries == {0, 1}:
        text = (
            "The mask adds nothing but 0 and 1, which hide no key; if they say which keys are seen, write keep or drop."
        )
        yield Caveat("mask-ones", "mask.add", text)


def _of_bias(problem: Problem) -> Iterator[Caveat]:
    bias = problem.bias
    if bias is None:
        return
    sees_ahead = _sees_ahead(problem)
    for code, text in bias.cautions(problem.n_q, problem.n_k, problem.past, sees_ahead=sees_ahead):
        yield Caveat(code, f"bias.{bias.key}", text)


def _sees_ahead(problem: Problem) -> bool:
    """Return True if a query of some head or sequence sees a key after its own position."""
    n_q, n_k, past = problem.n_q, problem.n_k, problem.past
    if problem.mask is None:
        return n_k > 1 + past
    return any(
        is_seen and j > i + past
        for head in range(1, max(problem.heads, 1) + 1)
        for sequence in range(1, max(problem.batch, 1) + 1)
        for i, row in enumerate(problem.mask.visible(n_q, n_k, head, sequence))
        for j, is_seen in enumerate(row)
    )
