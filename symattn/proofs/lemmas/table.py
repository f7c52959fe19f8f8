"""TRUSTED. Classical facts outside the normal forms: one table. A step may cite an instance of one.

Each lemma checks the hypotheses of the instance and its form; what it does not check is the classical fact
itself, which `lemmas.toml` says in words with its source.
"""

from __future__ import annotations

from symattn.proofs.lemmas.calculus import ANALYSIS
from symattn.proofs.lemmas.characteristic_functions import OSCILLATION
from symattn.proofs.lemmas.exponential_moments import GAUSSIAN
from symattn.proofs.lemmas.lemma import Check
from symattn.proofs.lemmas.matrices import MATRICES
from symattn.proofs.lemmas.normal_laws import LAWS
from symattn.proofs.lemmas.normal_vectors import VECTORS
from symattn.proofs.lemmas.power_series import SERIES

LEMMAS: dict[str, Check] = {
    **ANALYSIS,
    **GAUSSIAN,
    **LAWS,
    **OSCILLATION,
    **SERIES,
    **VECTORS,
    **MATRICES,
}
"""The checks by the names of the lemmas."""
