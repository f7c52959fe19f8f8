"""Numbers of one softmax row for given scores: closed forms with certified digits."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import reduce

from symattn.errors import InputError
from symattn.exact.field.expsum import ExpSum
from symattn.exact.field.polynomial import Polynomial
from symattn.exact.field.quotient import Quotient
from symattn.exact.laws.softmax_row import gaps_of, least_beta, least_beta_closed_form, row_entropy, row_perplexity
from symattn.exact.reals.certified_digits import figures
from symattn.exact.rounding.quotients import Rounding, decimal
from symattn.proofs.catalogue.authoring.theorem import Line
from symattn.records import dataclass

FIGURES = 30


@dataclass(frozen=True, slots=True)
class Score:
    """A score with a closed exponential: ``power + ln(factor)``."""

    power: Fraction
    factor: Fraction

    def __str__(self) -> str:
        return str(self.power) if self.factor == 1 else f"ln {self.factor}"


def parse_scores(text: str) -> tuple[Score, ...] | None:
    """Return the scores that a parameter gives; None where it is still a letter.

    >>> [str(score) for score in parse_scores("0, ln 2, 1/2")]
    ['0', 'ln 2', '1/2']
    """
    if text.isidentifier():
        return None
    found = []
    for item in (part.strip() for part in text.split(",")):
        is_log = item.startswith("ln")
        value = Fraction(item.removeprefix("ln").strip())
        found.append(Score(Fraction(0), value) if is_log else Score(value, Fraction(1)))
    if not 1 <= len(found) <= 12:
        raise InputError("Give 1 to 12 scores with commas between them.")
    return tuple(found)


def weights(scores: Sequence[Score]) -> list[Quotient]:
    """Return the softmax weights.

    >>> [str(weight) for weight in weights(parse_scores("0, ln 2, ln 3"))]
    ['1/6', '1/3', '1/2']
    """
    above = [ExpSum.exp(Polynomial(score.power)) * Polynomial(score.factor) for score in scores]
    total = reduce(lambda left, right: left + right, above)
    return [_reduced(Quotient(term, total)) for term in above]


def _reduced(value: Quotient) -> Quotient:
    number = value.rational()
    return value.canonical() if number is None else Quotient.of(number)


def line(text: str, value: Quotient) -> Line:
    """Return a closed form with its digits."""
    exact = _reduced(value)
    return Line(text, str(exact), decimal(exact, Rounding(figures=FIGURES)))


def weight_lines(scores: Sequence[Score]) -> tuple[Line, ...]:
    """Return a line for each weight."""
    shown = ", ".join(map(str, scores))
    return tuple(line(f"$a_{n}$ for the scores {shown}", value) for n, value in enumerate(weights(scores), 1))


def jacobian_lines(scores: Sequence[Score]) -> tuple[Line, ...]:
    """Return the entries of diag(a) - a a^T on and above the diagonal."""
    a = weights(scores)
    one = Quotient.of(1)
    return tuple(
        line(f"$J_{{{i + 1},{j + 1}}}$", a[i] * (one - a[i]) if i == j else -a[i] * a[j])
        for i in range(len(a))
        for j in range(i, len(a))
    )


def cross_entropy_lines(scores: Sequence[Score], target: int) -> tuple[Line, ...]:
    """Return the gradient of -ln(a_target)."""
    a = weights(scores)
    if target > len(a):
        raise InputError(f"The class {target} is none of the {len(a)} scores.")
    return tuple(
        line(f"the derivative of $-ln(a_{target})$ by $z_{n}$", value - (1 if n == target else 0))
        for n, value in enumerate(a, 1)
    )


def entropy_lines(scores: Sequence[Score]) -> tuple[Line, ...]:
    """Return entropy and perplexity of the row, where all scores are rational."""
    if any(score.factor != 1 for score in scores):
        return ()
    row = [score.power for score in scores]
    terms = [ExpSum.exp(Polynomial(score)) for score in row]
    total = reduce(lambda left, right: left + right, terms)
    mean = reduce(lambda x, y: x + y, (term * Polynomial(score) for term, score in zip(terms, row, strict=True)))
    exact = f"ln({total}) - ({mean})/({total})"
    return (
        Line("the entropy of the row", exact, figures(row_entropy(row), FIGURES).text),
        Line("its perplexity", f"exp({exact})", figures(row_perplexity(row), FIGURES).text),
    )


def beta_lines(scores: Sequence[Score], top: Fraction) -> tuple[Line, ...]:
    """Return the least inverse temperature at which the largest weight is at least `top`."""
    if any(score.factor != 1 for score in scores):
        return ()
    if len(scores) == 1:
        raise InputError("A single score has the weight 1 at every beta: give two scores or more.")
    if not 0 < top < 1:
        raise InputError(f"weight must be a number between 0 and 1, not {top}.")
    gaps = gaps_of([score.power for score in scores])
    eps = 1 - top
    closed = least_beta_closed_form(gaps, eps)
    digits = figures(least_beta(gaps, eps), FIGURES).text
    shown = ", ".join(map(str, scores))
    text = f"the least $beta$ at which the largest weight for the scores {shown} is at least {top}"
    return (Line(text, "" if closed is None else closed[0], digits),)
