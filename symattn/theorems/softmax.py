"""The theorems on the softmax."""

from __future__ import annotations

from symattn.theorems.softmax_identities import THEOREMS as _IDENTITIES
from symattn.theorems.softmax_temperature import THEOREMS as _TEMPERATURE

THEOREMS = (*_IDENTITIES[:-1], *_TEMPERATURE, _IDENTITIES[-1])
"""In the order in which they are listed."""
