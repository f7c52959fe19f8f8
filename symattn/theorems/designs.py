"""Queries and weights made for a purpose: random keys, two heads, tokens with several parts."""

from __future__ import annotations

from symattn.theorems import designs_gaussian, designs_heads, designs_tokens

THEOREMS = (*designs_gaussian.THEOREMS, *designs_heads.THEOREMS, *designs_tokens.THEOREMS)
"""The theorems on designs."""
