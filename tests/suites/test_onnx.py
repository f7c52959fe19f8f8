"""The node tests of the ONNX operator Attention: what the package's reference computes, against certified values.

The whole suite is the `long` test; a dozen of its smaller tests run always.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.suites.bounds import USUAL
from tests.suites.onnx_cases import Case, Reading, all_cases, expanded_cases

SAMPLE = (
    "test_attention_3d_transpose_verification",
    "test_attention_23_boolmask_fullymasked_row_nan_robustness",
    "test_attention_24_qk_matmul_output_mode3_softmax_precision",
    "test_attention_4d_attn_mask_3d_causal",
    "test_attention_4d_attn_mask_causal_bf16",
    "test_attention_4d_causal_nonpad_attn_mask_composition",
    "test_attention_4d_causal_nonpad_negative_offset_structural_empty",
    "test_attention_4d_causal_padded_kv_bf16",
    "test_attention_4d_gqa_causal_nonpad_decode_fp16",
    "test_attention_4d_softcap_neginf_mask_poison",
    "test_attention_bidirectional_window",
    "test_attention_local_window_ext_cache_rank3_head_mask",
    "test_attention_local_window_with_past",
)
COUNT = 93
"""How many tests the package carries, and as many expanded ones; its version is held to a minor for that."""

FAR = {
    "is_causal": "test_attention_local_window_with_past",
    "left_window_size": "test_attention_local_window_with_past",
    "scale": "test_attention_4d_scaled",
    "softcap": "test_attention_4d_softcap_neginf_mask",
    "attn_mask": "test_attention_4d_attn_mask_3d_causal",
    "nonpad_kv_seqlen": "test_attention_4d_gqa_causal_nonpad_decode_fp16",
}
"""An attribute or input, and a test whose outputs it changes."""


@pytest.mark.parametrize("name", SAMPLE)
def test_a_node_test_of_the_sample_lies_within_the_bound(name: str) -> None:
    assert Reading(all_cases()[name]).worst().part <= 1


@pytest.mark.long
def test_every_node_test_lies_within_the_bound() -> None:
    found = {name: Reading(case).worst() for name, case in all_cases().items()}
    assert len(found) == COUNT
    assert {name: worst for name, worst in found.items() if worst.part > USUAL} == {}


@pytest.mark.long
def test_every_expanded_node_test_lies_within_the_bound() -> None:
    found = {name: Reading(case).worst() for name, case in expanded_cases().items()}
    assert len(found) == COUNT
    assert {name: worst for name, worst in found.items() if worst.part > USUAL} == {}


def without(case: Case, key: str) -> Case:
    attributes = {name: value for name, value in case.attributes.items() if name != key}
    return replace(case, attributes=attributes, inputs={name: a for name, a in case.inputs.items() if name != key})


@pytest.mark.parametrize("key", FAR)
def test_without_what_changes_its_outputs_a_node_test_lies_outside_the_bound(key: str) -> None:
    assert Reading(without(all_cases()[FAR[key]], key)).worst().part > 1


def test_an_entry_that_is_no_number_is_found() -> None:
    case = all_cases()["test_attention_bidirectional_window"]
    outputs = {"Y": np.where(case.outputs["Y"] == 3, np.nan, case.outputs["Y"])}
    assert Reading(replace(case, outputs=outputs)).worst().where == "sequence 1, O[4,1]"
