"""The catalogue by name."""

from __future__ import annotations

from difflib import get_close_matches

from symattn.errors import InputError, expect, shortened
from symattn.theorems import (
    constructions_copy,
    constructions_layers,
    constructions_local,
    designs_gaussian,
    designs_heads,
    designs_tokens,
    gradients,
    moments_generating,
    moments_higher,
    moments_mean,
    moments_mgf,
    moments_saturation,
    moments_scaling,
    moments_scores,
    moments_variance,
    perturbation,
    softmax_identities,
    softmax_temperature,
    structure_attention,
    structure_blocks,
)
from symattn.theorems.entry import Theorem

THEOREMS = (
    *moments_mean.THEOREMS,
    *moments_variance.THEOREMS,
    *moments_scaling.THEOREMS,
    *moments_higher.THEOREMS,
    *moments_mgf.THEOREMS,
    *moments_generating.THEOREMS,
    *moments_scores.THEOREMS,
    *moments_saturation.THEOREMS,
    *softmax_identities.THEOREMS,
    *softmax_temperature.THEOREMS,
    softmax_identities.ROWS_AND_COLUMNS,
    *structure_attention.THEOREMS,
    *structure_blocks.THEOREMS,
    *perturbation.THEOREMS,
    *constructions_copy.THEOREMS,
    *constructions_layers.THEOREMS,
    *constructions_local.THEOREMS,
    *designs_gaussian.THEOREMS,
    *designs_heads.THEOREMS,
    *designs_tokens.THEOREMS,
    *gradients.THEOREMS,
)
"""All theorems in the order in which they are listed."""


def theorems() -> dict[str, Theorem]:
    """Return every theorem by its name, group after group.

    >>> theorems()["dot-product-mean"].says
    'the mean of q . k is D mu^2'
    """
    return {item.name: item for item in THEOREMS}


def theorem(name: str) -> Theorem:
    """Return the theorem of a name.

    Raises:
        InputError: there is none; the nearest names are suggested.
    """
    known = theorems()
    expect(name, str, "A theorem is named by text")
    if name not in known:
        near = get_close_matches(shortened(name), known, 3)
        hint = f" Did you mean {' or '.join(near)}?" if near else ""
        raise InputError(f"There is no theorem {shortened(name)!r}.{hint} symattn theorems lists them all.")
    return known[name]
