"""Theorems proved, counter-examples worked out, records replayed: what the catalogue and the pages make together."""

from __future__ import annotations

from symattn.api.proofs.counterexamples import CounterExample, counterexample
from symattn.api.proofs.derivations import (
    MAX_PROOF_FILE,
    TheoremDerivation,
    prove,
    proved,
    read_proof_file,
    theorems,
)
from symattn.api.proofs.problem_parts import part_proofs, proofs_json
from symattn.api.proofs.record_replay import MAX_RECORD, Replay, read_record, replay_record

__all__ = [
    "MAX_PROOF_FILE",
    "MAX_RECORD",
    "CounterExample",
    "Replay",
    "TheoremDerivation",
    "counterexample",
    "part_proofs",
    "proofs_json",
    "prove",
    "proved",
    "read_proof_file",
    "read_record",
    "replay_record",
    "theorems",
]
