"""Letters of the quantities that keys name themselves: one table for keys, ``[names]`` and the documentation."""

from __future__ import annotations

from collections.abc import Mapping

from symattn.records import dataclass


@dataclass(frozen=True, slots=True)
class Letter:
    """Letters of one quantity.

    Attributes:
        about: what it is.
        usual: its letter in every key, `W_Q` in form where it has an index.
        others: what it is called where names or symbols of the sheet have taken that, in this order.
        is_number: whether it is a number, or one for each token: not a matrix, and not in bold.
    """

    about: str
    usual: str
    others: tuple[str, ...] = ()
    is_number: bool = False

    @property
    def candidates(self) -> tuple[str, ...]:
        """All letters, the usual one first, and at last that one with a prime."""
        return (self.usual, *self.others, f"{self.usual}'")


LETTERS: Mapping[str, Letter] = {
    "c": Letter("the factor of the scale", "c", ("f", "s"), is_number=True),
    "S_scaled": Letter("the scaled scores", "U", ("L", "Y")),
    "S_capped": Letter("the capped scores", "Gamma", ("Y", "T")),
    "S_biased": Letter("the scores with the bias", "Theta", ("Y", "T")),
    "S_masked": Letter("the masked scores", "Lambda", ("Y", "T")),
    "cap": Letter("the soft cap", "kappa", ("gamma", "tau"), is_number=True),
    "B": Letter("the bias", "B", ("I", "J")),
    "M": Letter("the mask", "M", ("T", "N")),
    "m": Letter("the maxima that are subtracted", "m", ("g", "t"), is_number=True),
    "shifted": Letter("the scores less their maximum", "Xi", ("D", "R")),
    "E": Letter("the exponentials", "E", ("F", "P")),
    "Z": Letter("the sums of exponentials", "Z", ("N", "M"), is_number=True),
    "entropy": Letter("the entropy of the weights of a query", "eta", ("H", "I"), is_number=True),
    "totals": Letter("the total weight of a key", "chi", ("C", "T"), is_number=True),
    "H": Letter("the output of a head", "H", ("Y", "J")),
    "C": Letter("the heads joined", "C", ("J", "R")),
    "G": Letter("the queries mapped, of general scores", "G", ("F", "P")),
    "Q_w": Letter("the queries mapped, of additive scores", "Q_w", ("F", "Y")),
    "K_w": Letter("the keys mapped, of additive scores", "K_w", ("P", "R")),
    "norm_Q": Letter("the lengths of the queries", "n", ("u", "g"), is_number=True),
    "norm_K": Letter("the lengths of the keys", "lambda", ("h", "p"), is_number=True),
    "Phi": Letter("the angles of positions", "Phi", ("Upsilon", "Sigma")),
    "Phi_K": Letter("the angles of the keys", "Psi", ("Omega", "Sigma")),
    "l": Letter("the running sum, block by block", "l", ("z", "h"), is_number=True),
    "g": Letter("the running maximum where all maxima are subtracted", "g", ("r", "t"), is_number=True),
    "o": Letter("the running output, block by block", "o", ("u", "y")),
    "L": Letter("the loss", "L", ("J",), is_number=True),
    "T": Letter("the targets of a loss", "T", ("Y",)),
    "P_O": Letter("the softmax of the outputs, in a loss", "Pi", ("P", "R")),
    "D": Letter("the sums of weight times gradient over a line", "D", is_number=True),
    "rho": Letter("the means of a gradient at a norm", "rho", ("nu",), is_number=True),
    "tau": Letter("the means of that gradient times the norm", "tau", ("zeta",), is_number=True),
}
"""The letters by the canonical names of what they stand for, none the first letter of two."""
