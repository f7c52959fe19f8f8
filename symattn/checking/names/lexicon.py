"""Lexicon: names of the quantities of attention, in formulas and in headings."""

from __future__ import annotations

import re
from collections.abc import Mapping

from symattn.notation.tree import nodes as t

AUXILIARY = frozenset({"S", "S_scaled", "S_biased", "S_masked", "E", "Z", "m", "shifted", "c", "C", "G", "B", "M"})
"""Quantities whose letters mean other things to others."""

OF_HATS = ("hatx", "xhat", "hatX", "hatR1", "hatR")
"""Names of normalised values, where there is a norm; of an estimate, and so an output, elsewhere."""

HABITS: Mapping[str, tuple[str, ...]] = {
    "X": ("X", "I", "H", "input", "inputs", "embedding", "embeddings", "x"),
    "Q": ("Q", "query", "queries", "querys", "Qnew", "newquery", "newqueries"),
    "K": ("K", "key", "keys"),
    "V": ("V", "value", "values"),
    "S": (
        "S", "QK", "QKT", "scores", "score", "attnscores", "attentionscores", "rawscores", "omega", "e", "z", "s",
        "energies", "logits", "alignment", "similarity", "dotproducts",
    ),
    "S_scaled": (
        "Sscaled", "scaledscores", "scaledattentionscores", "scaled", "tildeS", "hatS", "Sprime", "L", "Stilde",
        "Shat", "Ss", "tildes", "tildez", "scaledS", "scores", "attnscores", "attentionscores", "logits", "z", "S",
    ),
    "E": (
        "E", "exp", "exponentials", "exps", "numerators", "numerator", "unnormalized", "unnormalised",
        "shiftedexponentials", "exponentialsshifted", "shiftedexps",
    ),
    "Z": (
        "Z", "rowsum", "rowsums", "sum", "sums", "denominator", "denominators", "D",
        "和", "合", "总和", "總和", "求和", "合計", "합", "합계",
    ),
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
    "shifted": (
        "shifted", "shiftedscores", "scoresshifted", "shiftedlogits", "subtractthemax", "subtractmax",
        "subtractmaximum", "subtractthemaximum", "subtractrowmax", "subtracttherowmax", "minusmax", "minusthemax",
        "scoresminusmax",
        "stabilized", "stabilised", "stabilizedscores", "stabilisedscores", "stablescores", "centeredscores",
    ),
    "m": ("m", "max", "rowmax", "maxima"),
    "S_masked": (
        "Smasked", "masked", "maskedscores", "maskedrawscores", "maskedattentionscores", "maskedlogits", "maskedS",
        "Sm", "Smask", "scoresmasked", "scaledmaskedscores", "maskedscaledscores", "tildeS", "tildes", "tildez",
        "Sprime", "scores",
        "attnscores", "attentionscores", "logits", "S",
    ),
    "S_biased": ("Sbiased", "biasedscores", "scoreswithbias", "Sb", "scores", "logits", "S"),
    "M": ("M", "mask", "maskmatrix", "causalmask", "attentionmask", "attnmask", "paddingmask", "padmask"),
    "B": ("B", "bias", "biasmatrix", "attentionbias", "positionbias", "relativepositionbias"),
    "R_1": ("R1", "residual1", "residual", "res1", "XO", "sum1", "add1"),
    "mu_1": ("mu1", "mean1", "mu", "mean", "means"),
    "var_1": ("var1", "variance1", "var", "variance", "variances"),
    "Y_1": ("Y1", "LN1", "layernorm1", "addnorm1", "norm1"),
    "N_1": ("N1", "LN1", "norm1", "layernorm1", "normalized1", "normalised1", "hatx1", "N", "norm", "normalized",
            *OF_HATS),
    "F_1": ("F1", "hidden", "preactivation", "preactivations", "ffn1", "h1", "Z1"),
    "F_act": ("Fact", "hidden", "relu", "ReLU", "activated", "activations", "hrelu", "A1", "gelu", "GELU"),
    "F_2": ("F2", "ffn", "FFN", "ffnoutput", "mlp", "MLP", "ffn2"),
    "R_2": ("R2", "residual2", "res2", "sum2", "add2"),
    "mu_2": ("mu2", "mean2"),
    "var_2": ("var2", "variance2"),
    "Y_2": ("Y2", "LN2", "layernorm2", "addnorm2", "norm2", "blockoutput"),
    "N_2": ("N2", "LN2", "norm2", "layernorm2", "normalized2", "normalised2", "hatx2", "hatR2"),
    "P": ("P", "PE", "pe", "pos", "positions", "positionalencoding", "positionalencodings", "positionencoding", "E"),
    "X_p": ("Xp", "Xpos", "Xprime", "tildeX", "hatX", "Xtilde", "XP", "XplusP", "Z", "H", "E"),
    "Q_rot": ("Qrot", "qrot", "rotatedQ", "rotatedqueries", "Qrotated", "tildeQ", "hatQ", "Qprime", "Qtilde", "RQ"),
    "K_rot": ("Krot", "krot", "rotatedK", "rotatedkeys", "Krotated", "tildeK", "hatK", "Kprime", "Ktilde", "RK"),
    "K_new": ("Knew", "knew", "Kn", "newkeys", "newkey", "Kt", "kt"),
    "V_new": ("Vnew", "vnew", "Vn", "newvalues", "newvalue", "Vt", "vt"),
    "K_cache": ("Kcache", "Kpast", "cachedkeys", "Kold"),
    "V_cache": ("Vcache", "Vpast", "cachedvalues", "Vold"),
}  # fmt: skip
"""Names of the quantities of attention, the likelier first."""


def _of_gradients(base: str) -> tuple[str, ...]:
    """Return a mark before each name, but for single small letters: dk and dv are lengths."""
    words = [word for word in HABITS.get(base, (base, base.replace("_", ""))) if len(word) > 1 or word.isupper()]
    return tuple(f"{mark}{word}" for mark in ("d", "grad", "G", "dLd") for word in words)


GRADIENTS: Mapping[str, tuple[str, ...]] = {
    **{f"d{base}": _of_gradients(base) for base in (*"QKVSAXCHG", "X_1", "X_2", "W_Q", "W_K", "W_V", "W_O", "W_S")},
    "dO": ("dO", *_of_gradients("O"), "G"),
    **{f"db_{letter}": (f"db{letter}", f"gradb{letter}") for letter in "QKVO"},
    "D": ("D", "Delta", "delta", "rowdots"),
    "T": ("T", "Y", "y", "target", "targets", "onehot", "labels"),
    "L": ("L", "J", "loss", "Loss", "crossentropy"),
    "P_O": ("P", "p", "probs", "probabilities", "Yhat", "yhat", "hatY", "softmaxO", "R"),
    "dS_scaled": ("dSscaled", "dZ", "dScaled", "gradSscaled", "GSscaled"),
    "dS_uncapped": ("dSuncapped", "dS0", "dSraw", "gradS0"),
}
"""Names of gradients, of the sums that the softmax takes off, and of the target."""

OF_HEADS: Mapping[str, tuple[str, ...]] = {
    "H": ("head", "H", "headoutput", "output", "out", "O", "Z", "C", "Y", "context", "h"),
}
"""Names of the quantities of one head, beside those of a layer without heads."""

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
    """Return a name without its variable parts: underscores, blanks, carets, brackets.

    >>> key_of("W_Q"), key_of("attention map"), key_of("W^{(1)}_q")
    ('WQ', 'attentionmap', 'W1q')
    """
    return re.sub(r"[\s_^{}()\\\-]", "", text)


def spelt(node: t.Node) -> str | None:
    """Return a name as one string: juxtaposed letters joined (``S s``), labels below included; None for others."""
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
    """Return the items between square brackets, nothing for any other node."""
    if isinstance(node, t.Group) and node.brackets == "[":
        return (node.body,)
    return node.items if isinstance(node, t.Vector) and node.brackets == "[" else ()
