"""Theorems of the catalogue compiled by Coq: ``python -m tests.proofs.export [NAME ...]`` writes what it accepts."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from symattn.api import proofs
from symattn.proofs.catalogue.registry import theorems
from symattn.proofs.export import compiled
from symattn.proofs.export.document import CoqFile
from symattn.proofs.kernel.record import Proof
from tests.proofs.export import reading_back
from tests.proofs.export.compiling import AXIOMS, accepted, axioms, compile_preludes

_TABLE = Path(compiled.__file__).with_name("compiled.json")
_UNCHECKED = Path(__file__).with_name("unchecked.yaml")


def result(proof: Proof, folder: Path) -> dict[str, Any]:
    """Return what Coq accepts of one theorem."""
    file = CoqFile(proof)
    refused = {lemma.name for lemma in file.written()} - accepted(file, folder)
    second = refused & accepted(CoqFile(proof, (), refused), folder) if refused else set()
    left_out = refused - second
    text = CoqFile(proof, left_out, second).text()
    wrong = list(reading_back.differences(text, proof))
    if wrong:
        raise SystemExit(f"{proof.name}: the file says otherwise than the record: {', '.join(wrong)}.")
    before = os.times().children_user
    resting = axioms(text, folder)
    bad = {name for name, found in resting.items() if not found <= AXIOMS}
    if bad:
        raise SystemExit(f"{proof.name}: {', '.join(sorted(bad))} rest on other axioms.")
    return {
        "digest": compiled.digest(text),
        "claims": list(resting),
        "left_out": sorted(left_out),
        "second": sorted(second),
        "seconds": round(os.times().children_user - before, 1),
    }


def _write_unchecked() -> None:
    """Write the claims that are not checked; the list may only shrink."""
    known = json.loads(_TABLE.read_text("utf-8"))
    lines = ["# Claims that Coq does not check, by theorem; no claim may be added for a theorem that stands here."]
    for name, entry in theorems().items():
        checked = known.get(name, {}).get("claims", [])
        left = [claim.id for claim in entry.build(entry.values({})).claims if claim.id not in checked]
        lines.append(f"{name}: [{', '.join(left)}]")
    _UNCHECKED.write_text("\n".join(lines) + "\n", "utf-8")


def show(text: str) -> None:
    """Print a line at once."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def main(names: list[str]) -> None:
    """Compile some theorems, or all, and print what is not checked."""
    totals: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        compile_preludes(folder)
        for name in names or list(theorems()):
            proof = proofs.prove(name).proof
            found = result(proof, folder)
            known = json.loads(_TABLE.read_text("utf-8")) | {name: found}
            totals["claims"] += len(proof.claims)
            totals["checked"] += len(found["claims"])
            show(f"{name}: {len(found['claims'])} of {len(proof.claims)}, {found['seconds']} s")
            order = {item: known[item] for item in theorems() if item in known}
            _TABLE.write_text(json.dumps(order, indent=1) + "\n", "utf-8")
    _write_unchecked()
    show(f"{totals['checked']} of {totals['claims']} claims checked")


main(sys.argv[1:])
