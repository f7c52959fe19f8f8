"""The catalogue by name."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches

from symattn.data_files import read_text
from symattn.errors import InputError, expect, shortened
from symattn.proofs.catalogue.authoring.proof_files import Instance, read_theorem
from symattn.proofs.catalogue.authoring.theorem import Theorem
from symattn.proofs.catalogue.worked import constructions, gradients, layers, moments

_FILES = {
    "moments": (
        "dot-product-mean",
        "dot-product-variance",
        "dot-product-scaling",
        "dot-product-higher-moments",
        "dot-product-mgf",
        "dot-product-mgf-infinite",
        "dot-product-characteristic",
        "dot-product-mgf-covariance",
        "score-covariance",
        "tied-score",
        "saturation",
        "weight-initialization",
        "residual-variance",
        "score-tails",
        "largest-score",
    ),
    "softmax": (
        "softmax-is-a-distribution",
        "shift-invariance",
        "softmax-jacobian",
        "temperature-limits",
        "row-column-duality",
        "log-sum-exp",
        "attention-entropy",
        "online-softmax",
        "softmax-lipschitz",
    ),
    "structure": (
        "score-is-dot-product",
        "output-is-weighted-sum",
        "convex-hull",
        "permutation-equivariance",
        "causal-independence",
        "multi-head-blocks",
        "ffn-is-position-wise",
        "layer-norm",
        "positional-rotation",
        "mask-as-bias",
        "alibi",
        "sinusoidal-shift",
        "linear-attention",
        "rms-norm",
        "range-contraction",
        "grouped-queries",
    ),
    "perturbation": ("key-perturbation", "key-elongation", "not-lipschitz"),
    "constructions": (
        "copy",
        "average-of-two",
        "low-rank",
        "identity-attention",
        "permutation-attention",
        "running-linear",
        "attention-as-convolution",
        "synthesizer-limit",
        "gaussian-keys",
        "gaussian-keys-long",
        "two-heads",
        "orthogonal-tokens",
        "design-qkv",
    ),
    "gradients": ("attention-gradients", "multi-head-gradients", "logit-gradients"),
}
"""The files of each group, in the order in which theorems are listed."""

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


def _read(group: str, name: str) -> Theorem:
    file = f"{group}/{name}.proof"
    return read_theorem(read_text("symattn.proofs.catalogue", file), file, group, _INSTANCES.get(name))


THEOREMS = tuple(_read(group, name) for group, names in _FILES.items() for name in names)
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
