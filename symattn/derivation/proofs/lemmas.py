"""TRUSTED. Classical facts outside the normal forms: one table. A step may cite an instance of one.

Each lemma checks the hypotheses of the instance and its form; what it does not check is the classical fact
itself, whose source it names.
"""

from __future__ import annotations

from symattn.derivation.proofs.lemma import Lemma
from symattn.derivation.proofs.lemmas_analysis import ANALYSIS
from symattn.derivation.proofs.lemmas_gaussian import GAUSSIAN
from symattn.derivation.proofs.lemmas_laws import LAWS
from symattn.derivation.proofs.lemmas_oscillation import OSCILLATION
from symattn.derivation.proofs.lemmas_series import SERIES
from symattn.derivation.proofs.lemmas_vectors import VECTORS

__all__ = ["LEMMAS", "Lemma"]

LEMMAS: dict[str, Lemma] = {
    **ANALYSIS,
    **GAUSSIAN,
    **LAWS,
    **OSCILLATION,
    **SERIES,
    **VECTORS,
}
"""The lemmas by name."""
