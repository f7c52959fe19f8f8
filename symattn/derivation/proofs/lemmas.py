"""TRUSTED. Classical facts outside the normal forms: one table. A step may cite an instance of one.

Each lemma checks the hypotheses of the instance and its form; what it does not check is the classical fact
itself, whose source it names.
"""

from __future__ import annotations

from symattn.derivation.proofs.lemma import Lemma
from symattn.derivation.proofs.lemmas_analysis import ANALYSIS
from symattn.derivation.proofs.lemmas_gaussian import GAUSSIAN
from symattn.derivation.proofs.lemmas_laws import LAWS

__all__ = ["LEMMAS", "Lemma"]

LEMMAS: dict[str, Lemma] = {
    **ANALYSIS,
    **GAUSSIAN,
    **LAWS,
}
"""The lemmas by name."""
