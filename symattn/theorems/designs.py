"""Queries and weights made for a purpose: random keys, two heads, tokens with several parts."""

from __future__ import annotations

from symattn.theorems.designs_gaussian import THEOREMS as GAUSSIAN
from symattn.theorems.designs_heads import THEOREMS as HEADS
from symattn.theorems.designs_tokens import THEOREMS as TOKENS

THEOREMS = (*GAUSSIAN, *HEADS, *TOKENS)
"""The theorems on designs."""
