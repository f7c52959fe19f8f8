"""Classical lemmas as premises of exported theorems: their names in Coq, their statements, and steps that cite them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from symattn.data_files import read_table
from symattn.proofs.export import printing
from symattn.proofs.export.lemma import Lemma
from symattn.proofs.export.names import Names, Sides
from symattn.proofs.export.terms import Fn, Mul, NotExportedError, Sum

_PACKAGE = "symattn.proofs.export"


@lru_cache(maxsize=1)
def premises() -> dict[str, str]:
    """Return the statements in Coq, by the names of the lemmas."""
    return read_table(_PACKAGE, "premises.toml")


def premise_name(lemma: str) -> str:
    """Return the name of a lemma's premise in Coq."""
    return printing.mangled("L", lemma.replace("-", "_"))


@lru_cache(maxsize=4096)
def _applied(proof: str) -> frozenset[str]:
    return frozenset(re.findall(r"\bL_\w+", re.sub(r"\bclear [^.]*\.", "", proof)))


def used(lemmas: Iterable[Lemma]) -> list[tuple[str, str]]:
    """Return the names and the statements of the premises that proofs apply."""
    applied = {name for lemma in lemmas for name in _applied(lemma.proof)}
    return [(name, said) for lemma, said in premises().items() if (name := premise_name(lemma)) in applied]


def instance(names: Names, lemma: str, sides: Sides) -> str:
    """Return the proof of a step that is an instance of a lemma.

    Raises:
        NotExportedError: the sides have another form than the lemma.
    """
    name = premise_name(lemma)
    if lemma != "triangle-inequality":
        return f"apply {name}; order." if "->" in premises()[lemma] else f"apply {name}."
    match sides.right:
        case Sum(index, Mul(weight, Fn("sqrt", Sum(part, Mul(entry, _))))):
            first, second = printing.binder(index), printing.binder(part)
            weights = f"(fun {first} => {names.printer.text(weight)})"
            vectors = f"(fun {first} {second} => {names.printer.text(entry)})"
            lengths = f"{printing.length(index.size)} {printing.length(part.size)}"
            return f"apply ({name} {lengths} {weights} {vectors}). intros; order."
    raise NotExportedError("The triangle inequality is about a weighted sum of norms.")
