"""Numbers of the parts of a block for given sizes and values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from symattn.errors import InputError
from symattn.exact.field.polynomial import Polynomial
from symattn.exact.field.quotient import Quotient
from symattn.exact.reals.certified_digits import Real, cos, figures, pi, product, real, sin, total
from symattn.proofs.catalogue.authoring.theorem import Line
from symattn.proofs.catalogue.authoring.worked_numbers import FIGURES, line

_GPT2 = {"vocabulary": 50257, "positions": 1024, "layers": 12, "d": 768}
_VIT = {"patch": 16, "channels": 3, "places": 197, "layers": 12, "d": 768, "classes": 1000}


def _block(d: int) -> int:
    return 12 * d * d + 13 * d


def _count(text: str, value: int) -> Line:
    return Line(text, str(value), str(value))


def count_lines(values: Mapping[str, str]) -> tuple[Line, ...]:
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


def perceptron_lines(values: Mapping[str, str]) -> tuple[Line, ...]:
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


def normalized_lines(values: Mapping[str, str]) -> tuple[Line, ...]:
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


def rotary_lines(values: Mapping[str, str]) -> tuple[Line, ...]:
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
