"""The node tests of the ONNX operator Attention, as the package carries them, and the problems that they pose.

Each test is a node with its attributes, binary inputs and the outputs that the package's reference computes;
of every test there is a second one, named ``_expanded``, whose graph is the operator written out in others.
A test becomes one problem for each sequence of its batch, all of whose heads stand side by side.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import onnx
from onnx.backend.test.case import node as node_cases
from onnx.backend.test.case.node import attention as attention_cases
from onnx.reference import ReferenceEvaluator

from symattn.problem.model import Problem
from symattn.records import dataclass
from tests.suites.binary import rows_of
from tests.suites.bounds import UNITS, LayerBounds, Worst

EXPANDED = "_expanded"
_PRECISIONS = {1: "float32", 10: "float16", 11: "float64", 16: "bfloat16"}
Array = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True, slots=True)
class Case:
    """One test: attributes, and arrays by the names that the operator gives its inputs and outputs."""

    name: str
    attributes: Mapping[str, Any]
    inputs: Mapping[str, Array]
    outputs: Mapping[str, Array]

    @property
    def unit(self) -> Fraction:
        """The unit roundoff of the narrowest type that is used."""
        types = [self.inputs["Q"].dtype.name]
        if "softmax_precision" in self.attributes:
            types.append(_PRECISIONS[self.attributes["softmax_precision"]])
        return max(UNITS[name] for name in types)


@cache
def all_cases() -> Mapping[str, Case]:
    """Every test by its name, the outputs of the expanded ones computed from their graphs."""
    if attention_cases.Attention.__name__ != "Attention":  # importing it is what collects the tests
        raise ValueError("the package has no tests of the operator Attention")
    return {test.name: _plain(test) for test in node_cases._NodeTestCases if _is_plain(test)}


@cache
def expanded_cases() -> Mapping[str, Case]:
    """Every expanded test by its name: its graph, run operator by operator on the inputs of the plain one."""
    found = {}
    for test in node_cases._NodeTestCases:
        plain = all_cases().get(test.name.partition(EXPANDED)[0])
        if EXPANDED not in test.name or plain is None:
            continue
        names = [value.name for value in test.model.graph.input]
        with np.errstate(invalid="ignore"):  # a query that sees no key is no number until the graph mends it
            made = ReferenceEvaluator(test.model).run(None, dict(zip(names, test.data_sets[0][0], strict=True)))
        outputs = dict(zip((value.name for value in test.model.graph.output), made, strict=True))
        found[test.name] = Case(test.name, plain.attributes, plain.inputs, outputs)
    return found


def _is_plain(test: Any) -> bool:
    return EXPANDED not in test.name and test.model.graph.node[0].op_type == "Attention"


def _plain(test: Any) -> Case:
    (node,) = test.model.graph.node
    attributes = {item.name: onnx.helper.get_attribute_value(item) for item in node.attribute}
    ((inputs, outputs),) = test.data_sets
    arrays = [
        dict(zip((name for name in names if name), values, strict=True))
        for names, values in ((node.input, inputs), (node.output, outputs))
    ]
    return Case(test.name, attributes, *arrays)


class Reading:
    """A test read as the operator's description says; one problem for each sequence of the batch."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.attributes = case.attributes
        arrays = {name: np.asarray(case.inputs[name]) for name in "QKV"}
        self.batch = len(arrays["Q"])
        if arrays["Q"].ndim == 3:
            self.heads, self.kv_heads = self.attributes["q_num_heads"], self.attributes["kv_num_heads"]
        else:
            self.heads, self.kv_heads = arrays["Q"].shape[1], arrays["K"].shape[1]
            arrays = {name: side_by_side(array) for name, array in arrays.items()}
        self.past = 0
        if "past_key" in case.inputs:
            self.past = case.inputs["past_key"].shape[2]
            for name, kept in (("K", "past_key"), ("V", "past_value")):
                arrays[name] = np.concatenate([side_by_side(case.inputs[kept]), arrays[name]], axis=1)
        self.arrays = arrays
        self.n_q, self.n_k = arrays["Q"].shape[1], arrays["K"].shape[1]

    def problem(self, sequence: int) -> Problem:
        keys: dict[str, Any] = {name: rows_of(array[sequence]) for name, array in self.arrays.items()}
        keys |= {"heads": self.heads, "kv_heads": self.kv_heads}
        if "scale" in self.attributes:
            keys["scale"] = Fraction(self.attributes["scale"])
        if self.attributes.get("softcap"):
            keys["softcap"] = Fraction(self.attributes["softcap"])
        mask = self.mask(sequence, keys)
        if mask:
            keys["mask"] = mask
            keys["fully_masked"] = "zeros"
        return Problem.build(**keys)

    def mask(self, sequence: int, keys: dict[str, Any]) -> dict[str, Any]:
        """The keys of the mask; keys and values that are not there are left out where nothing else serves."""
        mask: dict[str, Any] = {}
        grids = self.grids(sequence)
        offset = self.past
        if "nonpad_kv_seqlen" in self.case.inputs:
            there = int(self.case.inputs["nonpad_kv_seqlen"][sequence])
            offset = there - self.n_q
            if offset < 0:
                # Queries stand before the first key, which only the alignment can say: the last of them at the last.
                keys |= {"K": keys["K"][:there], "V": keys["V"][:there]}
                grids = grids if grids is None else grids[..., :there]
            else:
                mask["length"] = there
        by_place = {
            "causal": bool(self.attributes.get("is_causal")),
            "window": self.window,
        }
        by_place = {key: value for key, value in by_place.items() if value}
        if by_place and offset:
            mask |= {"alignment": "bottom-right"} if offset < 0 else {"past": offset}
        mask |= by_place
        self.add_grids(grids, mask, keys)
        return mask

    @property
    def window(self) -> list[int] | None:
        sides = [self.attributes.get(f"{side}_window_size", -1) for side in ("left", "right")]
        unbounded = self.n_q + self.n_k
        return None if max(sides) < 0 else [unbounded if size < 0 else size for size in sides]

    def grids(self, sequence: int) -> Array | None:
        """The mask of one sequence, heads by queries by keys, with one head or one query where it stands for all."""
        if "attn_mask" not in self.case.inputs:
            return None
        mask = np.asarray(self.case.inputs["attn_mask"])
        mask = mask.reshape((1,) * (4 - mask.ndim) + mask.shape)
        missing = self.n_k - mask.shape[-1]
        if missing:
            nothing = False if mask.dtype == bool else -np.inf
            mask = np.pad(mask, [(0, 0)] * 3 + [(0, missing)], constant_values=nothing)
        grids: Array = mask[sequence if len(mask) > 1 else 0]
        return grids

    def add_grids(self, grids: Array | None, mask: dict[str, Any], keys: dict[str, Any]) -> None:
        """A boolean mask is kept as one, finite numbers are a bias, and others are added as a mask."""
        if grids is None:
            return
        rows = [rows_of(grid) for grid in grids]
        value = rows[0] if len(rows) == 1 else rows
        if grids.dtype == bool:
            mask["keep"] = value
        elif np.isfinite(grids.astype(np.float64)).all():
            keys["bias"] = {"add": value}
        else:
            mask["add"] = value

    # What was recorded -------------------------------------------------------------------------------

    def worst(self) -> Worst:
        """The worst entry of all outputs of all sequences."""
        self.check_present()
        output = np.asarray(self.case.outputs["Y"])
        outputs = output if output.ndim == 3 else side_by_side(output)
        found = Worst()
        for sequence in range(self.batch):
            where = f"sequence {sequence + 1}, "
            bounds = LayerBounds(self.problem(sequence), self.case.unit)
            found = found.or_worse(bounds.worst("O", rows_of(outputs[sequence]), where))
            if "qk_matmul_output" in self.case.outputs:
                for head, grid in enumerate(np.asarray(self.case.outputs["qk_matmul_output"])[sequence], 1):
                    name = self.name_of_scores(bounds.found.chain)
                    found = found.or_worse(bounds.worst(f"{name}^{head}", rows_of(grid), where))
        return found

    def name_of_scores(self, chain: tuple[str, ...]) -> str:
        """Which quantity the fourth output is, of those that the problem has."""
        last = chain[-1]
        capped = "S_capped" if "S_capped" in chain else "S_scaled"
        return ("S_scaled", capped, last, "A")[self.attributes.get("qk_matmul_output_mode", 0)]

    def check_present(self) -> None:
        """The keys and values that a problem is made of are those that the test says are then there."""
        for name, output in (("K", "present_key"), ("V", "present_value")):
            if output in self.case.outputs:
                present = side_by_side(np.asarray(self.case.outputs[output]))
                if not np.array_equal(present, self.arrays[name]):
                    raise ValueError(f"{self.case.name}: {output} is not what past and new make together")


def side_by_side(array: Array) -> Array:
    """Batch by heads by tokens by entries, as batch by tokens by the entries of all heads."""
    batch, heads, tokens, size = array.shape
    return array.transpose(0, 2, 1, 3).reshape(batch, tokens, heads * size)
