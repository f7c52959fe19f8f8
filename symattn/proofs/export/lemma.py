"""Lemmas and theorems of an exported file."""

from __future__ import annotations

from symattn.records import dataclass


@dataclass(frozen=True, slots=True)
class Lemma:
    """A lemma of the file.

    Attributes:
        name: its name.
        statement: what it says, in Coq.
        proof: its proof.
        about: what it comes from, in words.
        needs: lemmas without which it is not proved.
        rests: the steps of the record on which it rests.
    """

    name: str
    statement: str
    proof: str
    about: str
    needs: tuple[str, ...] = ()
    rests: frozenset[str] = frozenset()

    def text(self) -> str:
        """Return the lemma in Coq."""
        word = "Theorem" if self.name.startswith("claim_") else "Lemma"
        return f"(* {self.about} *)\n{word} {self.name} : {self.statement}.\nProof.\n{self.proof}\nQed.\n"
