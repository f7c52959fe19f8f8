"""The theorems on the structure of attention and of a block."""

from __future__ import annotations

from symattn.theorems.structure_attention import THEOREMS as _ATTENTION
from symattn.theorems.structure_blocks import THEOREMS as _BLOCKS

THEOREMS = (*_ATTENTION, *_BLOCKS)
"""In the order in which they are listed."""
