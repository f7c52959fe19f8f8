"""Coq at work on exported files: which lemmas it accepts, and what theorems rest on."""

from __future__ import annotations

import re
import shutil
import subprocess
import time
from pathlib import Path

from symattn.proofs.export import compiled
from symattn.proofs.export.document import CoqFile

_NAME = r"(?:step|claim|sign|domain)_\w+"
_ACCEPTED = re.compile(rf"^({_NAME})\s*$|^({_NAME})\s+:", re.MULTILINE)
_SECONDS = 900

AXIOMS = frozenset(
    {
        "ClassicalDedekindReals.sig_forall_dec",
        "ClassicalDedekindReals.sig_not_dec",
        "FunctionalExtensionality.functional_extensionality_dep",
        "Classical_Prop.classic",
    }
)
"""The axioms of Coq's real numbers; a theorem that rests on another one is not accepted."""

COQC = shutil.which("coqc") or "coqc"


def compile_preludes(folder: Path) -> None:
    """Compile the preludes into a folder."""
    for name, text in compiled.preludes("Require Import Laws.").items():
        (folder / name).write_text(text, "utf-8")
        subprocess.run([COQC, "-q", name], cwd=folder, check=True, timeout=_SECONDS)


def accepted(file: CoqFile, folder: Path) -> frozenset[str]:
    """Return the names of the lemmas that Coq accepts, each tried although others fail."""
    parts = [file.head(), *(f"{lemma.text()}Abort All.\nCheck {lemma.name}.\n" for lemma in file.written())]
    done = subprocess.run(
        [f"{COQC.removesuffix('coqc')}coqtop", "-q", "-w", "none", "-color", "no", "-Q", ".", ""],
        input="\n".join(parts),
        capture_output=True,
        text=True,
        cwd=folder,
        check=False,
        timeout=_SECONDS,
    )
    return frozenset(one or other for one, other in _ACCEPTED.findall(done.stdout))


def axioms(text: str, folder: Path) -> dict[str, frozenset[str]]:
    """Compile a file, and return the axioms on which each of its claims rests.

    Raises:
        subprocess.CalledProcessError: Coq does not accept the file.
    """
    path = folder / f"Proof{time.monotonic_ns()}.v"
    path.write_text(text, "utf-8")
    try:
        done = subprocess.run(
            [COQC, "-q", "-w", "none", path.name],
            cwd=folder,
            check=True,
            capture_output=True,
            text=True,
            timeout=_SECONDS,
        )
    finally:
        for left in folder.glob(f"{path.stem}.*"):
            left.unlink()
    names = re.findall(r"^Print Assumptions claim_(\w+)\.$", text, re.MULTILINE)
    blocks = re.split(r"^(?:Axioms:|Closed under the global context)\n", done.stdout, flags=re.MULTILINE)[1:]
    return {
        name: frozenset(re.findall(r"^([A-Za-z]\w+[\w.]*)", block, re.MULTILINE))
        for name, block in zip(names, blocks, strict=True)
    }
