"""The catalogue by name."""

from __future__ import annotations

from difflib import get_close_matches

from symattn.errors import InputError, expect, shortened
from symattn.proofs.catalogue.authoring.theorem import Theorem
from symattn.proofs.catalogue.constructions import (
    convolution,
    copying,
    linear_layers,
    long_keys,
    random_keys,
    token_parts,
    two_heads,
)
from symattn.proofs.catalogue.layers import attention, blocks, gradients, perturbation, softmax, temperature
from symattn.proofs.catalogue.moments import (
    generating_function_domains,
    higher_moments,
    mean,
    moment_generating_function,
    saturation,
    scaling,
    score_rows,
    variance,
)

THEOREMS = (
    *mean.THEOREMS,
    *variance.THEOREMS,
    *scaling.THEOREMS,
    *higher_moments.THEOREMS,
    *moment_generating_function.THEOREMS,
    *generating_function_domains.THEOREMS,
    *score_rows.THEOREMS,
    *saturation.THEOREMS,
    *softmax.THEOREMS,
    *temperature.THEOREMS,
    softmax.ROWS_AND_COLUMNS,
    *attention.THEOREMS,
    *blocks.THEOREMS,
    *perturbation.THEOREMS,
    *copying.THEOREMS,
    *linear_layers.THEOREMS,
    *convolution.THEOREMS,
    *random_keys.THEOREMS,
    *long_keys.THEOREMS,
    *two_heads.THEOREMS,
    *token_parts.THEOREMS,
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
