"""The catalogue by name."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches

from symattn.data_files import read_table, read_text
from symattn.errors import InputError, expect, shortened
from symattn.proofs.catalogue.authoring.proof_files import Instance, read_theorem
from symattn.proofs.catalogue.authoring.theorem import Theorem
from symattn.proofs.catalogue.worked import constructions, gradients, layers, moments

_GROUPS: dict[str, list[str]] = read_table(__package__, "theorems.toml")
"""The names of the theorems of each group, in the order in which they are listed."""

_INSTANCES: Mapping[str, Instance] = {
    "dot-product-variance": moments.variance_lines,
    "dot-product-scaling": moments.scale_lines,
    "dot-product-higher-moments": moments.higher_moment_lines,
    "dot-product-mgf-infinite": moments.tail_lines,
    "dot-product-characteristic": moments.characteristic_lines,
    "dot-product-mgf-covariance": moments.covariance_lines,
    "score-covariance": moments.row_lines,
    "tied-score": moments.tied_lines,
    "saturation": moments.saturation_lines,
    "softmax-is-a-distribution": layers.distribution_lines,
    "softmax-jacobian": layers.derivative_lines,
    "temperature-limits": layers.temperature_lines,
    "multi-head-blocks": layers.count_lines,
    "ffn-is-position-wise": layers.perceptron_lines,
    "layer-norm": layers.normalized_lines,
    "positional-rotation": layers.rotary_lines,
    "average-of-two": constructions.average_lines,
    "gaussian-keys": constructions.short_key_lines,
    "gaussian-keys-long": constructions.long_key_lines,
    "two-heads": constructions.head_lines,
    "orthogonal-tokens": constructions.token_lines,
    "design-qkv": constructions.design_lines,
    "attention-gradients": gradients.gradient_lines,
}
"""Worked cases in numbers."""


THEOREMS = tuple(
    read_theorem(read_text(__package__, file := f"{group}/{name}.proof"), file, group, _INSTANCES.get(name))
    for group, names in _GROUPS.items()
    for name in names
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
