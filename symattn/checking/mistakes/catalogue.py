"""Catalogue of diagnoses: every code with its meaning, in the order in which causes are preferred."""

from __future__ import annotations

from symattn.checking.mistakes.blocks import CODES as OF_BLOCKS
from symattn.checking.mistakes.gradients import CODES as OF_GRADIENTS
from symattn.checking.mistakes.positions import CODES as OF_POSITIONS

CODES: dict[str, str] = {
    **OF_BLOCKS,
    "missing-scale": "the scale was left out",
    "inverted-scale": "the scale was turned over: multiplied by what divides",
    "scale-d_k": "divided by d_k instead of its root",
    "scale-other": "divided by the root of another size than d_k",
    "unscaled-softmax": "the softmax was taken of the unscaled scores",
    "mask-forgotten": "the mask was left out",
    "mask-polarity": "the keys that are seen were hidden, and the others were not",
    "mask-transposed": "the mask was transposed",
    "mask-after": "the mask was put on after the softmax, whose rows then do not sum to 1",
    "bias-forgotten": "what is added was left out",
    "wrong-axis": "the softmax runs along the wrong axis",
    "heads-softmax": "the softmax runs over the heads",
    "heads-mixed": "a matrix of another head",
    "wrong-row": "the entry of another row",
    "no-transpose": "a matrix was not transposed, or was for nothing",
    "transposed-index": "row and column were exchanged",
    "wrong-entry": "an entry of another place or matrix",
    "sign": "a sign",
    "dropped-term": "a term is missing",
    "extra-term": "a term too many",
    "dropped-one": "the e^0 = 1 of the denominator was left out",
    "exp-slip": "an exponential worked out wrongly",
    "not-normalised": "the exponential was not divided by its sum",
    "other-weights": "the product does not use the weights that were printed",
    "truncation": "cut off instead of rounded",
    "digit-swap": "two digits were exchanged",
    "decimal-point": "the decimal point stands at another place",
    "mixed-number": "a mixed number written as a power",
    "complement": "the last weight of a row is what the others leave of 1",
    "operand": "an operand that is not the one called for",
    **OF_GRADIENTS,
    **OF_POSITIONS,
    "other-rounding": "rounded once at the end where the sheet rounds every step, under a strict sheet",
    "part": "a part worked out wrongly",
    "arithmetic": "the arithmetic does not come to what is written",
    "shape": "the shapes do not fit",
    "no-such-entry": "an index beyond the shape of its matrix",
    "ragged-matrix": "a matrix with rows of different lengths",
    "formula": "a formula that is not the definition",
}
"""Every code of a diagnosis, and what it means."""
