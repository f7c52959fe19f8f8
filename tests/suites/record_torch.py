"""Records what torch computes: scaled_dot_product_attention and MultiheadAttention, with all their options.

Run by hand, where the extra `peers` is installed, and read what has changed before it is kept:

    python tests/suites/record_torch.py tests/suites/data/torch.jsonl

The first line names the version; every other one is a call, its floats in hexadecimal. Inputs come from a
generator of Python's with a fixed seed, and have so few bits that every type has them.
"""

from __future__ import annotations

import inspect
import json
import math
import random
import sys
import warnings
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention

TYPES = {name: getattr(torch, name) for name in ("float32", "float64", "float16", "bfloat16")}
HAS_GROUPS = "enable_gqa" in (scaled_dot_product_attention.__doc__ or "")
CALLS_OF_LAYERS = 108


class Source:
    """Numbers for inputs, in tensors of one type."""

    def __init__(self, seed: str, type_name: str) -> None:
        self.random = random.Random(seed)
        self.type = TYPES[type_name]
        # 8 bits are what the narrowest type has; wider ones get products that they must round.
        self.bits = 6 if type_name in ("float16", "bfloat16") else 13

    def numbers(self, *shape: int) -> torch.Tensor:
        count = math.prod(shape)
        limit = 3 << (self.bits - 2)
        found = [self.random.randint(-limit, limit) / 2**self.bits * 2 for _ in range(count)]
        return torch.tensor(found, dtype=torch.float64).reshape(shape).to(self.type)

    def flags(self, *shape: int) -> torch.Tensor:
        """True where a key is seen; the first key always is."""
        found = torch.tensor([self.random.random() < 0.6 for _ in range(math.prod(shape))]).reshape(shape)
        found[..., 0] = True
        return found

    def hidden(self, *shape: int) -> torch.Tensor:
        """Numbers to add, minus infinity where a key is not seen."""
        return self.numbers(*shape).masked_fill(~self.flags(*shape), -math.inf)


def plain(value: Any) -> Any:
    """Tensors as nested lists; floats in hexadecimal without the zeros at their ends."""
    if isinstance(value, torch.Tensor):
        wide = value if value.dtype == torch.bool else value.detach().double()
        return plain(wide.tolist())
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, float) and math.isfinite(value):
        digits, _, exponent = value.hex().partition("p")
        return f"{digits.rstrip('0').rstrip('.')}p{exponent}" if "." in digits else value.hex()
    return str(value) if isinstance(value, float) else value


# scaled_dot_product_attention --------------------------------------------------------------------------

MASKS = ("none", "causal", "bool", "bool row", "bool heads", "float", "float -inf", "float heads")


def functions() -> Iterator[dict[str, Any]]:
    """Every kind of mask in every type, with the default scale and a given one, by the kernel torch chooses."""
    for number, (mask, type_name, scale) in enumerate(product(MASKS, TYPES, (None, 0.375))):
        yield function(f"f{number}", type_name, mask, scale, "default")
    for number, (mask, type_name) in enumerate(product(MASKS, ("float32", "float64", "bfloat16"))):
        yield function(f"m{number}", type_name, mask, None, "math")
    for number, (mask, kernel) in enumerate(product(("bool", "float -inf"), ("default", "math"))):
        yield function(f"e{number}", "float32", mask, None, kernel, nothing_seen=True)
    if HAS_GROUPS:
        for number, (mask, type_name) in enumerate(
            product(("none", "causal", "bool", "float"), ("float32", "bfloat16"))
        ):
            yield function(f"g{number}", type_name, mask, None, "default", kv_heads=2)


def function(
    seed: str,
    type_name: str,
    mask: str,
    scale: float | None,
    kernel: str,
    *,
    kv_heads: int = 0,
    nothing_seen: bool = False,
) -> dict[str, Any]:
    source = Source(seed, type_name)
    batch, heads = source.random.choice(((1, 1), (1, 2), (2, 1))) if not kv_heads else (1, 4)
    n_q, n_k, d_k, d_v = (source.random.choice(sizes) for sizes in ((2, 3), (3, 4), (2, 3, 4), (2, 3)))
    if kernel == "default":
        d_v = d_k  # kernels that are not the plain one want one size
    kv_heads = kv_heads or heads
    inputs = {
        "Q": source.numbers(batch, heads, n_q, d_k),
        "K": source.numbers(batch, kv_heads, n_k, d_k),
        "V": source.numbers(batch, kv_heads, n_k, d_v),
    }
    options: dict[str, Any] = {"is_causal": mask == "causal", "scale": scale}
    kind, _, shape = mask.partition(" ")
    size = {"": (n_q, n_k), "row": (1, n_k), "heads": (batch, heads, n_q, n_k), "-inf": (n_q, n_k)}[shape]
    added = {
        "bool": lambda: source.flags(*size),
        "float": lambda: source.hidden(*size) if shape == "-inf" else source.numbers(*size),
    }
    if kind in added:
        options["attn_mask"] = added[kind]()
        if nothing_seen:
            options["attn_mask"][0] = False if kind == "bool" else -math.inf
    if kv_heads != heads:
        options["enable_gqa"] = True
    with sdpa_kernel(list(SDPBackend.__members__.values()) if kernel == "default" else [SDPBackend.MATH]):
        output = scaled_dot_product_attention(inputs["Q"], inputs["K"], inputs["V"], **options)
    return {
        "call": "scaled_dot_product_attention",
        "kernel": kernel,
        "type": type_name,
        "options": {key: plain(value) for key, value in options.items()},
        "inputs": {key: plain(value) for key, value in inputs.items()},
        "outputs": {"output": plain(output)},
    }


# MultiheadAttention --------------------------------------------------------------------------------------


FUSED = (
    {"num_heads": 2, "bias": True, "add_bias_kv": False, "add_zero_attn": False, "kdim": None, "vdim": None}
    | {"batch_first": True},
    {"is_cross": False, "training": False},
)
"""What a layer and its call must be for torch to take its fused kernel."""


def layers() -> Iterator[dict[str, Any]]:
    """Layers with options drawn at random, and some for which torch has one kernel for the whole layer."""
    for number in range(CALLS_OF_LAYERS):
        yield layer(random.Random(f"layer {number}"), f"l{number}")
    masks = product(("", "bool", "bool heads", "causal"), ("", "bool"))
    for number, (attn_mask, key_padding_mask) in enumerate(masks):
        own = {"attn_mask": attn_mask, "key_padding_mask": key_padding_mask}
        yield layer(random.Random(f"fused {number}"), f"n{number}", (FUSED[0], FUSED[1] | own))


def drawn(choose: random.Random) -> tuple[dict[str, Any], dict[str, Any]]:
    """The options of a layer and of its call."""
    is_cross = choose.random() < 0.5
    widths = is_cross and choose.random() < 0.5
    made = {
        "num_heads": choose.choice((1, 2)),
        "embed_dim": 4,
        "bias": choose.random() < 0.7,
        "add_bias_kv": choose.random() < 0.25,
        "add_zero_attn": choose.random() < 0.25,
        "kdim": 3 if widths else None,
        "vdim": 2 if widths else None,
        "batch_first": choose.random() < 0.5,
    }
    called = {
        "need_weights": choose.random() < 0.7,
        "average_attn_weights": choose.random() < 0.5,
        "key_padding_mask": choose.choice(("", "", "bool", "bool end", "float")),
        "attn_mask": choose.choice(("", "", "bool", "bool heads", "float", "causal")),
        "is_cross": is_cross,
        "training": choose.random() < 0.5,
    }
    return made, called


def layer(choose: random.Random, seed: str, fixed: tuple[dict[str, Any], dict[str, Any]] = ({}, {})) -> dict[str, Any]:
    made, called = (found | own for found, own in zip(drawn(choose), fixed, strict=True))
    called["is_causal"] = called["attn_mask"] == "causal" and not called["need_weights"]
    type_name = choose.choice(("float32", "float32", "float64", "bfloat16"))
    source = Source(seed, type_name)
    batch, n_q = choose.choice((1, 1, 2)), choose.choice((2, 3))
    n_k = choose.choice((3, 4)) if called["is_cross"] else n_q
    module = torch.nn.MultiheadAttention(dtype=source.type, **made)
    state = {name: source.numbers(*value.shape) for name, value in module.state_dict().items()}
    module.load_state_dict(state)
    module.train(called["training"])
    inputs = {"query": source.numbers(batch, n_q, made["embed_dim"])}
    if called["is_cross"]:
        inputs["key"] = source.numbers(batch, n_k, made["kdim"] or made["embed_dim"])
        if made["vdim"] or choose.random() < 0.5:
            inputs["value"] = source.numbers(batch, n_k, made["vdim"] or made["embed_dim"])
    masks = masks_of(source, called, (batch, made["num_heads"], n_q, n_k))
    names = (("query",) * 3, ("query", "key", "key"), ("query", "key", "value"))[len(inputs) - 1]
    order = [inputs[name] if made["batch_first"] else inputs[name].transpose(0, 1) for name in names]
    with warnings.catch_warnings(), torch.inference_mode():
        warnings.simplefilter("ignore")  # masks of two types, a prototype of nested tensors
        output, weights = module(
            *order,
            need_weights=called["need_weights"],
            average_attn_weights=called["average_attn_weights"],
            **masks,
            is_causal=called["is_causal"],
        )
    outputs = {"output": output if made["batch_first"] else output.transpose(0, 1)}
    if weights is not None:
        outputs["weights"] = weights
    return {
        "call": "MultiheadAttention",
        "type": type_name,
        "layer": made,
        "options": called,
        "masks": {key: plain(value) for key, value in masks.items()},
        "inputs": {key: plain(value) for key, value in inputs.items()},
        "state": {key: plain(value) for key, value in state.items()},
        "outputs": {key: plain(value) for key, value in outputs.items()},
    }


def masks_of(source: Source, called: dict[str, Any], shape: tuple[int, int, int, int]) -> dict[str, torch.Tensor]:
    """The masks of a call; in boolean ones True hides a key, and no query is left without any."""
    batch, heads, n_q, n_k = shape
    found = {}
    kind, _, where = called["key_padding_mask"].partition(" ")
    if kind == "float":
        found["key_padding_mask"] = source.hidden(batch, n_k)
    elif where == "end":
        found["key_padding_mask"] = torch.arange(n_k).repeat(batch, 1) >= n_k - 1
    elif kind:
        found["key_padding_mask"] = ~source.flags(batch, n_k)
    match called["attn_mask"]:
        case "bool":
            found["attn_mask"] = ~source.flags(n_q, n_k)
        case "bool heads":
            found["attn_mask"] = ~source.flags(batch * heads, n_q, n_k)
        case "float":
            found["attn_mask"] = source.hidden(n_q, n_k)
        case "causal":
            found["attn_mask"] = torch.ones(n_q, n_k, dtype=torch.bool).triu(1)
    return found


def main(path: str) -> None:
    """Writes all calls to a file."""
    torch.set_num_threads(1)
    if "dtype" not in inspect.signature(torch.nn.MultiheadAttention).parameters:
        raise SystemExit("This version of torch is too old: its layers do not take a type.")
    head = {"program": "torch", "version": torch.__version__}
    lines = [json.dumps(item, separators=(",", ":")) for item in (head, *functions(), *layers())]
    Path(path).write_text("\n".join(lines) + "\n", "utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
