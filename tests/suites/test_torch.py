"""Recorded outputs of torch's scaled_dot_product_attention and MultiheadAttention, against certified values."""

from __future__ import annotations

from typing import Any

import pytest

from tests.suites.bounds import USUAL
from tests.suites.torch_cases import DATA, Record, exact, records, version, worst

MOST_BYTES = 400_000
STEP = 5
"""Every fifth call runs always, and all of them with the `long` tests."""


def options(record: Record) -> dict[str, Any]:
    return {**record.get("layer", {}), **record["options"]}


@pytest.mark.parametrize("number", range(0, len(records()), STEP))
def test_a_call_of_the_sample_lies_within_the_bound(number: int) -> None:
    assert worst(records()[number]).part <= 1


@pytest.mark.long
def test_every_call_lies_within_the_bound() -> None:
    found = dict(enumerate(map(worst, records())))
    assert {number: item for number, item in found.items() if item.part > USUAL} == {}


def test_the_calls_have_every_option() -> None:
    calls = {"scaled_dot_product_attention": 0, "MultiheadAttention": 0}
    values: dict[str, set[str]] = {}
    for record in records():
        calls[record["call"]] += 1
        for key, value in {**options(record), "type": record["type"]}.items():
            values.setdefault(key, set()).add("a mask" if isinstance(value, list) else str(value))
    assert sum(calls.values()) >= 200
    assert min(calls.values()) >= 90
    assert {key: len(found) for key, found in values.items() if len(found) > 1} == {
        **dict.fromkeys(("add_bias_kv", "add_zero_attn", "average_attn_weights", "batch_first", "bias"), 2),
        **dict.fromkeys(("is_causal", "is_cross", "kdim", "need_weights", "num_heads", "scale", "training", "vdim"), 2),
        "key_padding_mask": 4,
        "attn_mask": 6,
        "type": 4,
    }


def test_the_file_names_its_version_and_is_small() -> None:
    assert version()
    assert DATA.stat().st_size < MOST_BYTES


@pytest.mark.parametrize("key", ["is_causal", "scale", "attn_mask"])
def test_without_what_changes_its_outputs_a_call_lies_outside_the_bound(key: str) -> None:
    record = next(r for r in records() if r["type"] == "float32" and r["options"].get(key) and "kernel" in r)
    changed = {name: value for name, value in record["options"].items() if name != key}
    assert worst(record).part <= 1
    assert worst({**record, "options": {"scale": None, "is_causal": False, **changed}}).part > 1


@pytest.mark.parametrize("key", ["add_bias_kv", "add_zero_attn", "bias", "key_padding_mask", "attn_mask"])
def test_a_layer_without_one_of_its_options_lies_outside_the_bound(key: str) -> None:
    # Of calls without weights, whose shape would tell; some call, as none sees a further key in a causal mask.
    calls = [
        record
        for record in records()
        if record["type"] == "float32"
        and record["call"] == "MultiheadAttention"
        and options(record)[key]
        and not options(record)["need_weights"]
    ]
    assert max(worst(without(record, key)).part for record in calls) > 1


def without(record: Record, key: str) -> Record:
    return {
        **record,
        "layer": {**record["layer"], key: False},
        "options": {**record["options"], key: "", "is_causal": False},
        "masks": {name: value for name, value in record["masks"].items() if name != key},
    }


def test_floats_in_hexadecimal_are_exact() -> None:
    assert [str(value) for value in exact(["0x1.8p-1", "-0x1p+3", "-inf", "nan"])] == ["3/4", "-8", "-inf", "-"]
