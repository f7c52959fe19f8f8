"""Results of Coq: the preludes, the stored table, and whether a proof is exported as the file that was compiled."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from hashlib import sha256
from typing import Any

from symattn.data_files import read_text
from symattn.proofs.export.document import CoqFile
from symattn.proofs.export.terms import NotExportedError
from symattn.proofs.kernel.record import Proof

PACKAGE = "symattn.proofs.export"


@lru_cache(maxsize=1)
def results() -> dict[str, dict[str, Any]]:
    """Return the results of all theorems at their default parameters."""
    found: dict[str, dict[str, Any]] = json.loads(read_text(PACKAGE, "compiled.json"))
    return found


def preludes(text: str) -> dict[str, str]:
    """Return the Coq files that an exported file needs beside it, in the order of their compilation."""
    names = ("Attn.v", "Laws.v") if "Require Import Laws." in text else ("Attn.v",)
    return {name: read_text(PACKAGE, name) for name in names}


def coq_file(proof: Proof) -> CoqFile:
    """Return the Coq file of a proof, without the lemmas that Coq did not accept."""
    known = results().get(proof.name, {})
    return CoqFile(proof, known.get("left_out", ()), known.get("second", ()))


def digest(text: str) -> str:
    """Return the digest of an exported file, which depends on its preludes as well."""
    return sha256(("".join(preludes(text).values()) + text).encode()).hexdigest()


def checked_claims(proof: Proof, text: str) -> tuple[str, ...]:
    """Return the ids of the claims of a file that Coq has checked: none, unless this very file was compiled."""
    known = results().get(proof.name)
    return tuple(known["claims"]) if known is not None and known["digest"] == digest(text) else ()


@lru_cache(maxsize=64)
def claims_checked_by_coq(proof: Proof) -> Mapping[str, tuple[str, ...]]:
    """Return the classical lemmas that each claim assumes which Coq has checked in the very file exported of a proof.

    Most assume none. A claim that Coq has not checked is not among them.
    """
    if not results().get(proof.name, {}).get("claims"):
        return {}
    try:
        file = coq_file(proof)
        assuming = file.assuming()
        return {name: assuming.get(name, ()) for name in checked_claims(proof, file.text())}
    except NotExportedError:
        return {}
