"""Scale: the factor of the scores before the softmax."""

from __future__ import annotations

from fractions import Fraction

from symattn.errors import InputError
from symattn.exact.field.polynomial import Polynomial
from symattn.records import dataclass

SCALE_KINDS = ("none", "1/sqrt(d_k)", "number", "temperature", "beta")


@dataclass(frozen=True, slots=True)
class Scale:
    """The scale of the scores: none, the definition's, or a declared one.

    A number or β multiplies, a temperature divides.

    `value` has the declared values of symbols put in; `text` is the scale as it was declared, so that a
    key can print β where the sheet does.

    >>> Scale("none").factor(4) == Polynomial.constant(1)
    True
    >>> Scale("1/sqrt(d_k)").factor(4) == Polynomial.constant(Fraction(1, 2))
    True
    """

    kind: str = "1/sqrt(d_k)"
    value: Polynomial | None = None
    text: str = ""

    def __post_init__(self) -> None:
        """Refuse a kind that does not exist and a value where there is none."""
        if self.kind not in SCALE_KINDS:
            raise InputError(f'Unknown kind of scale: "{self.kind}".')
        if (self.value is None) != (self.kind in SCALE_KINDS[:2]):
            raise InputError(f'A scale of kind "{self.kind}" does not match its value.')

    def factor(self, d_k: int) -> Polynomial:
        """Return the polynomial that multiplies the scores of queries and keys of length `d_k`.

        Raises:
            InputError: A temperature that is zero or has a symbol without a value.

        >>> Scale("temperature", Polynomial.constant(2), "2").factor(3) == Polynomial.constant(Fraction(1, 2))
        True
        """
        if self.value is None:
            return Polynomial.constant(1) if self.kind == "none" else Polynomial.sqrt(Fraction(1, d_k))
        if self.kind != "temperature":
            return self.value
        if self.value.symbols or not self.value.terms:
            raise InputError(
                f"The temperature {self.text} divides the scores, so it must be a number other than 0: "
                "give it a value, or declare beta, which multiplies."
            )
        inverse = Polynomial.constant(1).divide(self.value)
        if inverse is None:
            raise InputError(f"The temperature {self.text} has no exact inverse; declare beta, which multiplies.")
        return inverse
