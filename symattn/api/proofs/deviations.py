"""Deviations of a record from the catalogue: they only refuse records that the kernel accepts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from symattn.api.proofs.derivations import TheoremDerivation, cites_json, instance_json
from symattn.api.proofs.instances import with_checks
from symattn.errors import InputError
from symattn.proofs.catalogue import registry
from symattn.proofs.catalogue.registry import theorem
from symattn.proofs.kernel.record import Proof
from symattn.proofs.proof_replay import Replayed


def is_known(name: str) -> bool:
    """Tell whether the catalogue has a theorem of this name."""
    return name in registry.theorems()


def deviation(proof: Proof) -> str:
    """Return where a record states something else than the catalogue does for its parameters, or nothing."""
    entry = theorem(proof.name)
    try:
        own = entry.build(entry.values(dict(proof.parameters)))
    except InputError as error:
        return f"The parameters of the record are not those of {proof.name}: {error}"
    pairs = (
        ("title", proof.title, own.title),
        ("source", proof.source, own.source),
        ("parameters", dict(proof.parameters), dict(own.parameters)),
        ("statement", proof.statement, own.statement),
        ("hypotheses", proof.scope.hypotheses, own.scope.hypotheses),
        ("names", proof.scope, own.scope),
        ("conclusion", proof.conclusion, own.conclusion),
        ("claims", _claimed(proof), _claimed(own)),
    )
    for what, theirs, ours in pairs:
        if theirs != ours:
            return f"The {what} of the record {_verb(what)} not what the catalogue has for {proof.name}."
    return ""


def deviation_besides(proof: Proof, found: Replayed, record: Mapping[str, Any]) -> str:
    """Return where what a record has beside its proof is not what is worked out here, or nothing."""
    own = TheoremDerivation(theorem(proof.name), dict(proof.parameters), proof, found)
    pairs = [
        ("cites", record.get("cites"), cites_json(found)),
        ("falsehoods", record.get("falsehoods"), [item.as_json() for item in own.falsehoods]),
    ]
    if "instance" in record:
        pairs.append(("instance", record["instance"], instance_json(own.instance)))
    for what, theirs, ours in pairs:
        if theirs != ours:
            return f"The {what} of the record {_verb(what)} not what is worked out for {proof.name}."
    if proof.checks != with_checks(own.entry.build(own.values)).checks:
        return f"The checks of the record are not what is worked out for {proof.name}."
    return ""


def _verb(what: str) -> str:
    return "are" if what.endswith("s") and what != "conclusion" else "is"


def _claimed(proof: Proof) -> list[tuple[str, ...]]:
    return [(item.id, item.left, item.relation, item.right, item.words) for item in proof.claims]
