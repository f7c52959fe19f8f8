"""Numbers of worked cases: a softmax row for given scores, the parts of a block for given sizes and values."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import reduce
from itertools import combinations_with_replacement

from symattn.errors import InputError
from symattn.exact.field.expsum import ExpSum
from symattn.exact.field.polynomial import Polynomial
from symattn.exact.field.quotient import Quotient
from symattn.exact.laws.softmax_row import gaps_of, least_beta, least_beta_closed_form, row_entropy, row_perplexity
from symattn.exact.reals.certified_digits import Real, cos, figures, pi, product, real, sin, total
from symattn.exact.rounding.quotients import Rounding, decimal
from symattn.proofs.catalogue.authoring.theorem import Line, Values
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
    return [reduced(Quotient(term, total)) for term in above]


def reduced(value: Quotient) -> Quotient:
    """Return a quotient in its shortest form."""
    number = value.rational()
    return value.canonical() if number is None else Quotient.of(number)


def line(text: str, value: Quotient) -> Line:
    """Return a closed form with its digits."""
    exact = reduced(value)
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
        for i, j in combinations_with_replacement(range(len(a)), 2)
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
    """Return the least inverse temperature, from 0 on, at which the largest weight is at least `top`."""
    if any(score.factor != 1 for score in scores):
        return ()
    if len(scores) == 1:
        raise InputError("A single score has the weight 1 at every beta: give two scores or more.")
    if not 0 < top < 1:
        raise InputError(f"weight must be a number between 0 and 1, not {top}.")
    gaps = gaps_of([score.power for score in scores])
    eps = 1 - top
    shown = ", ".join(map(str, scores))
    text = f"the least $beta$ at which the largest weight for the scores {shown} is at least {top}"
    if top * len(scores) <= 1:
        return (Line(text, "0", "0"),)  # At 0 the weights are equal, and the largest never falls.
    closed = least_beta_closed_form(gaps, eps)
    return (Line(text, "" if closed is None else closed[0], figures(least_beta(gaps, eps), FIGURES).text),)


def distribution_lines(values: Values) -> tuple[Line, ...]:
    """Return the weights of chosen scores, with entropy and perplexity."""
    scores = parse_scores(values["z"])
    return () if scores is None else (*weight_lines(scores), *entropy_lines(scores))


def derivative_lines(values: Values) -> tuple[Line, ...]:
    """Return the weights of chosen scores, their Jacobian, and the gradient of the cross-entropy."""
    scores = parse_scores(values["z"])
    if scores is None:
        return ()
    return (*weight_lines(scores), *jacobian_lines(scores), *cross_entropy_lines(scores, int(values["class"])))


def temperature_lines(values: Values) -> tuple[Line, ...]:
    """Return the least inverse temperature for chosen scores and a chosen weight."""
    scores = parse_scores(values["z"])
    return () if scores is None else beta_lines(scores, Fraction(values["weight"]))


_GPT2 = {"vocabulary": 50257, "positions": 1024, "layers": 12, "d": 768}
_VIT = {"patch": 16, "channels": 3, "places": 197, "layers": 12, "d": 768, "classes": 1000}


def _block(d: int) -> int:
    return 12 * d * d + 13 * d


def _count(text: str, value: int) -> Line:
    return Line(text, str(value), str(value))


def count_lines(values: Values) -> tuple[Line, ...]:
    """Return the parameters of a block and of two published models, and the bytes of a cache."""
    d, layers, heads, width, size = (int(values[name]) for name in ("d", "N", "f", "p", "b"))
    return (
        _count(f"parameters of a block with $d = {d}$", _block(d)),
        _count(
            f"bytes of the cache for a token: {layers} layers, {heads} heads of width {width}, {size} bytes",
            2 * layers * heads * width * size,
        ),
        _count("parameters of GPT-2 small", gpt2_small()),
        _count("parameters of ViT-B/16", vit_base()),
        _count("the same with a head for 1000 classes", vit_base() + (_VIT["d"] + 1) * _VIT["classes"]),
    )


def gpt2_small() -> int:
    """Return the parameters of GPT-2 small: embeddings, blocks, and the last normalization; the head is the embedding.

    >>> gpt2_small()
    124439808
    """
    d = _GPT2["d"]
    return (_GPT2["vocabulary"] + _GPT2["positions"]) * d + _GPT2["layers"] * _block(d) + 2 * d


def vit_base() -> int:
    """Return the patch embedding with bias, class token, positions, the blocks, and the last normalization.

    >>> vit_base()
    85798656
    """
    d = _VIT["d"]
    patches = _VIT["channels"] * _VIT["patch"] ** 2 * d + d
    return patches + d + _VIT["places"] * d + _VIT["layers"] * _block(d) + 2 * d


def perceptron_lines(values: Values) -> tuple[Line, ...]:
    """Return the parameters of the feed-forward network."""
    d, inner = int(values["d"]), int(values["f"])
    return (_count(f"parameters for $d = {d}$ and $f = {inner}$", 2 * d * inner + inner + d),)


def _numbers(text: str) -> list[Fraction]:
    try:
        return [Fraction(part.strip()) for part in text.split(",")]
    except ValueError:
        raise InputError(
            f"{text!r} holds something that is not a rational number: write numbers with commas."
        ) from None


def normalized_lines(values: Values) -> tuple[Line, ...]:
    """Return the normalized token."""
    x, eps = _numbers(values["x"]), Fraction(values["eps"])
    if eps < 0:
        raise InputError(f"eps is added to a variance and must be a number from 0 on, not {eps}.")
    mean = sum(x, Fraction(0)) / len(x)
    under = sum(((value - mean) ** 2 for value in x), Fraction(0)) / len(x) + eps
    if not under:
        raise InputError("The features are all equal and eps is 0: give a positive eps.")
    root = Polynomial.sqrt(under)
    where = f"for $x$ = ({_listed(x)}) and $eps = {eps}$"
    return tuple(
        line(f"$y_{n}$ {where}", Quotient.of(root * Polynomial((value - mean) / under))) for n, value in enumerate(x, 1)
    )


def _listed(values: Sequence[Fraction]) -> str:
    """Return numbers in words, each a formula of its own.

    >>> _listed([Fraction(1), Fraction(-1, 2)])
    '$1$, $-1/2$'
    """
    return ", ".join(f"${value}$" for value in values)


_COSINES = {
    Fraction(0): Polynomial(1),
    Fraction(1, 6): Polynomial.sqrt(Fraction(3, 4)),
    Fraction(1, 4): Polynomial.sqrt(Fraction(1, 2)),
    Fraction(1, 3): Polynomial(Fraction(1, 2)),
    Fraction(1, 2): Polynomial(0),
}
"""The cosine of some parts of pi."""


def cosine_of_turn(part: Fraction) -> Polynomial | None:
    """Return ``cos(part pi)`` where it is a square root that is known.

    >>> str(cosine_of_turn(Fraction(5, 6)))
    '-1/2*sqrt(3)'
    """
    part %= 2
    part = min(part, 2 - part)
    found = _COSINES.get(min(part, 1 - part))
    return found if found is None or part <= Fraction(1, 2) else -found


def rotary_lines(values: Values) -> tuple[Line, ...]:
    """Return the score of a query pair at m and a key pair at n."""
    (a, b), (f, g) = (_pair(values[name], name) for name in ("q", "k"))
    away = (int(values["n"]) - int(values["m"])) * Fraction(values["turn"])
    along, across = a * f + b * g, b * f - a * g
    text = (
        f"the score of $q$ = ({_listed([a, b])}) and $k$ = ({_listed([f, g])}) for $m = {values['m']}$, "
        f"$n = {values['n']}$ and $theta = {_times_pi(values['turn'])}$"
    )
    cosine, sine = cosine_of_turn(away), cosine_of_turn(away - Fraction(1, 2))
    if cosine is not None and sine is not None:
        return (line(text, Quotient.of(cosine * Polynomial(along) + sine * Polynomial(across))),)
    angle: Real = product([pi(), real(away)])
    value = total([product([real(along), cos(angle)]), product([real(across), sin(angle)])])
    exact = f"({along}) cos({away} pi) + ({across}) sin({away} pi)"
    return (Line(text, exact, figures(value, FIGURES).text),)


def _times_pi(text: str) -> str:
    """Return a multiple of pi as a quotient.

    >>> _times_pi("1/3"), _times_pi("2"), _times_pi("-3/4")
    ('pi/3', '2 pi', '-(3 pi)/4')
    """
    turn = Fraction(text)
    size = "pi" if abs(turn.numerator) == 1 else f"{abs(turn.numerator)} pi"
    whole = f"({size})" if size != "pi" and turn.denominator != 1 else size
    return f"{'-' if turn < 0 else ''}{whole}{'' if turn.denominator == 1 else f'/{turn.denominator}'}"


def _pair(text: str, name: str) -> list[Fraction]:
    found = _numbers(text)
    if len(found) != 2:
        raise InputError(f"{name} must be a pair of numbers, not {text!r}.")
    return found
