"""How people name the quantities of attention, in formulas and in headings."""

from __future__ import annotations

import re
from collections.abc import Mapping

from symattn.notation import tree as t

AUXILIARY = frozenset({"S", "S_scaled", "S_biased", "S_masked", "E", "Z", "m", "shifted", "c", "C", "G", "B", "M"})
"""Quantities whose letters mean other things to others."""

HABITS: Mapping[str, tuple[str, ...]] = {
    "X": ("X", "I", "H", "input", "inputs", "embedding", "embeddings", "x"),
    "Q": ("Q", "query", "queries"),
    "K": ("K", "key", "keys"),
    "V": ("V", "value", "values"),
    "S": (
        "S", "QK", "QKT", "scores", "score", "attnscores", "attentionscores", "rawscores", "omega", "e", "z", "s",
        "energies", "logits", "alignment", "similarity", "dotproducts",
    ),
    "S_scaled": (
        "Sscaled", "scaledscores", "scaledattentionscores", "scaled", "tildeS", "hatS", "Sprime", "L", "Stilde",
        "Shat", "Ss", "scaledS", "scores", "logits", "z", "S",
    ),
    "E": ("E", "exp", "exponentials", "exps", "numerators", "numerator", "unnormalized", "unnormalised"),
    "Z": ("Z", "rowsum", "rowsums", "sum", "sums", "denominator", "denominators", "D"),
    "A": (
        "A", "alpha", "a", "P", "W", "wei", "weights", "attentionmap", "attnweights", "attentionweights", "attention",
        "map", "attentiondistribution", "softmax", "probabilities", "probs", "attentionmatrix", "attn", "p", "w",
    ),
    "C": ("C", "concat", "Concat", "concatenated", "concatenation", "joined", "joinedheads", "heads", "H"),
    "O": (
        "O", "output", "outputs", "Out", "out", "C", "context", "contextvector", "contextvectors", "Y", "H", "hatx",
        "weightedvalues", "outputtokens", "outputtoken", "result", "c", "h", "o", "y", "Z", "z",
        "attentionoutput", "weightedsum", "MultiHead", "multihead", "MHA", "mhaoutput", "multiheadoutput",
        "multiheadattention", "finaloutput", "concat", "Concat",
    ),
    "W_Q": ("WQ", "Wq", "W1Q", "WQ1"),
    "W_K": ("WK", "Wk", "W1K", "WK1"),
    "W_V": ("WV", "Wv", "W1V", "WV1"),
    "m": ("m", "max", "rowmax", "maxima"),
    "S_masked": (
        "Smasked", "maskedscores", "maskedattentionscores", "maskedlogits", "maskedS", "Sm", "Smask", "scoresmasked",
        "scaledmaskedscores", "maskedscaledscores", "tildeS", "Sprime", "scores", "logits", "S",
    ),
    "S_biased": ("Sbiased", "biasedscores", "scoreswithbias", "Sb", "scores", "logits", "S"),
    "M": ("M", "mask", "maskmatrix", "causalmask", "attentionmask", "attnmask"),
    "B": ("B", "bias", "biasmatrix", "attentionbias", "positionbias", "relativepositionbias"),
}  # fmt: skip
"""How people name the quantities of attention, the likelier first."""

OF_HEADS: Mapping[str, tuple[str, ...]] = {
    "H": ("head", "H", "headoutput", "output", "out", "O", "Z", "C", "Y", "context", "h"),
}
"""How people name what belongs to one head, beside the names that a layer without heads has."""

HEADINGS: tuple[tuple[str, str], ...] = (
    ("masked score", "S_masked"),
    ("masked logit", "S_masked"),
    ("after mask", "S_masked"),
    ("after the mask", "S_masked"),
    ("apply the mask", "S_masked"),
    ("applying the mask", "S_masked"),
    ("add the mask", "S_masked"),
    ("masking", "S_masked"),
    ("scaled score", "S_scaled"),
    ("scale", "S_scaled"),
    ("score", "S"),
    ("dot product", "S"),
    ("similarit", "S"),
    ("logit", "S"),
    ("exponential", "E"),
    ("row sum", "Z"),
    ("denominator", "Z"),
    ("softmax", "A"),
    ("weight", "A"),
    ("attention map", "A"),
    ("probabilit", "A"),
    ("concat", "C"),
    ("multi-head output", "O"),
    ("multihead", "O"),
    ("mha", "O"),
    ("output", "O"),
    ("context", "O"),
    ("weighted sum", "O"),
    ("quer", "Q"),
    ("key", "K"),
    ("value", "V"),
)
"""Words of a heading and the quantity that stands below it; the first that occurs decides."""


def key_of(text: str) -> str:
    """A name without what people vary: underscores, blanks, carets, brackets.

    >>> key_of("W_Q"), key_of("attention map"), key_of("W^{(1)}_q")
    ('WQ', 'attentionmap', 'W1q')
    """
    return re.sub(r"[\s_^{}()\\\-]", "", text)


def spelt(node: t.Node) -> str | None:
    """A name as one string: letters side by side joined (``S s``), labels below included; None for anything else."""
    match node:
        case t.Name(text) | t.Number(text):
            return text
        case t.Subscript(base, indices):
            pieces = [spelt(base), *(spelt(index) for index in indices)]
        case t.Product(factors, operators) if not any(operators):
            pieces = [spelt(factor) for factor in factors]
        case t.Group(body):
            pieces = [spelt(body)]
        case _:
            return None
    return None if any(piece is None for piece in pieces) else "".join(piece or "" for piece in pieces)


def bracketed(node: t.Node) -> tuple[t.Node, ...]:
    """What stands between square brackets, nothing for any other node."""
    if isinstance(node, t.Group) and node.brackets == "[":
        return (node.body,)
    return node.items if isinstance(node, t.Vector) and node.brackets == "[" else ()
