"""Keys and queries that make attention copy, average, permute, filter; and what a synthesizer cannot do."""

from __future__ import annotations

from symattn.theorems.constructions_copy import COPY
from symattn.theorems.constructions_layers import LAYERS
from symattn.theorems.constructions_local import LOCAL

THEOREMS = (*COPY, *LAYERS, *LOCAL)
"""The theorems on constructions."""
