"""Coq file of a proof: definitions, hypotheses, a lemma for each step and a theorem for each claim."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from symattn.proofs.export import laws, printing
from symattn.proofs.export import premises as classical
from symattn.proofs.export.derivation import Derivation
from symattn.proofs.export.hypotheses import entry, for_all
from symattn.proofs.export.lemma import Lemma
from symattn.proofs.export.printing import mangled
from symattn.proofs.export.terms import Index, fixed_indices, own_indices, walk

_SECONDS = 60
_ON_LAWS = re.compile(r"\b(?:mean|variance|covariance|cdf|erf|Phi|PI|position)\b")
_RANDOM = re.compile(r"\b(?:mean|variance|covariance|cdf) P_")


class CoqFile(Derivation):
    """A file for Coq; its arguments are those of a derivation."""

    def written(self) -> list[Lemma]:
        """Return the lemmas that are written: none that is left out, nor one that needs such a one.

        Classical lemmas that no step behind a lemma cites are cleared before its proof.
        """
        gone = set(self.left_out)
        found = []
        for lemma in self.lemmas:
            if lemma.name in gone or gone & set(lemma.needs):
                gone.add(lemma.name)
                continue
            found.append(lemma)
        names = [name for name, _ in classical.used(found)]
        chances = self._used_laws(found)
        return [replace(lemma, proof=self._without(names, chances, lemma) + lemma.proof) for lemma in found]

    def _used_laws(self, written: Iterable[Lemma]) -> list[tuple[str, str, str]]:
        """Return the hypotheses on laws of a file that speaks of them, and those on positions that proofs name."""
        text = " ".join(f"{lemma.statement} {lemma.proof}" for lemma in written)
        random = _RANDOM.search(text) is not None
        return [item for item in self._laws if f"rewrite !{item[1]}" in text or (random and "position" not in item[2])]

    def _without(self, premises: Iterable[str], chances: Iterable[tuple[str, str, str]], lemma: Lemma) -> str:
        cited = self._cited(lemma)
        gone = [name for name in premises if name not in cited]
        hypotheses = self.proof.hypotheses_of(lemma.rests)
        gone += [name for item, name, _ in chances if item not in hypotheses]
        return (f"clear {' '.join(gone)}. " if gone else "") + (
            "pose proof PI_RGT_0. " if re.search(r"\bPI\b", lemma.statement) else ""
        )

    def _cited(self, lemma: Lemma) -> frozenset[str]:
        """Return the premises that a lemma and the steps behind it apply."""
        steps = {f"step_{name}" for name in lemma.rests}
        behind = [item for item in self.lemmas if item.name in steps]
        return frozenset(name for name, _ in classical.used([lemma, *behind]))

    def assuming(self) -> dict[str, tuple[str, ...]]:
        """Return the classical lemmas that claims take as premises, by the ids of those claims."""
        written = self.written()
        names = {classical.premise_name(lemma): lemma for lemma in classical.premises()}
        used = [name for name, _ in classical.used(written)]
        found = {
            lemma.name.removeprefix("claim_"): tuple(names[name] for name in used if name in self._cited(lemma))
            for lemma in written
            if lemma.name.startswith("claim_")
        }
        return {claim: lemmas for claim, lemmas in found.items() if lemmas}

    def head(self) -> str:
        """Return the file up to the lemmas."""
        scope, lengths = self.proof.scope, sorted(self.names.elaborator.lengths)
        written = self.written()
        random = any(_RANDOM.search(lemma.statement) for lemma in written)
        lines = [
            f"(* {self.proof.name}: exported from its record *)",
            f"Require Import {'Laws' if self._is_on_laws(written) else 'Attn'}.",
            "Open Scope R_scope.",
            f"Set Default Timeout {_SECONDS}.",
            "Section Proved.",
        ]
        lines.extend(
            f"Variable {name} : nat. Hypothesis {name}_pos : (0 < {name})%nat."
            for name in (mangled("n", size) for size in lengths)
        )
        lines.extend(self._fixed())
        lines.extend(f"Variable {mangled('g', name)} : R -> R." for name in scope.functions)
        for item in scope.defined:
            if item.name in self.refused:
                continue
            own, body = self.names.body(item.name)
            taken = "".join(f" ({mangled('v', name)} : {self._type(name)})" for name in self.names.arguments(item.name))
            places = "".join(f" {printing.binder(index)}" for index in own)
            lines.append(f"Definition {mangled('d', item.name)}{taken}{places} : R := {self.names.printer.text(body)}.")
        for quantity in scope.declared:
            if quantity.name in self.names.elaborator.lengths:
                continue
            name = mangled("v", quantity.name)
            lines.append(f"Variable {name} : {self._type(quantity.name)}.")
            if quantity.sign != "real":
                own, value = entry(self.names, quantity.name)
                order = "<" if quantity.sign == "positive" else "<="
                lines.append(f"Hypothesis {name}_sign : {for_all(own)}0 {order} {self.names.printer.text(value)}.")
        for _, _, said in self._hypotheses:
            lines.extend(said)
        if random:
            lines.extend(laws.variables(self.names))
        lines.extend(f"Hypothesis {name} : {statement}." for _, name, statement in self._used_laws(written))
        lines.extend(f"Hypothesis {name} : {statement}." for name, statement in classical.used(written))
        return "\n".join(lines) + "\n"

    def _is_on_laws(self, written: Iterable[Lemma]) -> bool:
        """Return whether the file speaks of means, probabilities or functions of normal laws."""
        bodies = (self.names.body(item.name)[1] for item in self.proof.scope.defined if item.name not in self.refused)
        said = (statement for _, _, statement in self._used_laws(written))
        texts = (*(lemma.statement for lemma in written), *said, *map(self.names.printer.text, bodies))
        return any(map(_ON_LAWS.search, texts))

    def _type(self, name: str) -> str:
        return "".join(f"ix {printing.length(size)} -> " for size in self.names.item(name).sizes) + "R"

    def _fixed(self) -> Iterator[str]:
        every = frozenset[Index]().union(*map(fixed_indices, self._terms))
        found = sorted((item for item in every if item.size), key=lambda item: (item.size, item.name))
        moves = {
            (move, index.size)
            for term in self._terms
            for part in walk(term)
            for index in own_indices(part)
            for move in index.moves
            if index.size
        }
        for move, size in sorted(moves):
            yield f"Variable {mangled('p', move)} : perm {printing.length(size)}."
        for at, one in enumerate(found):
            yield f"Variable {printing.index(one)} : ix {printing.length(one.size)}."
            for other in found[:at]:
                if other.size == one.size:
                    pair = f"{printing.index(other)} <> {printing.index(one)}"
                    yield f"Hypothesis apart_{other.name}_{one.name}_{one.size} : {pair}."

    def text(self) -> str:
        """Return the whole file."""
        written = self.written()
        names = {lemma.name for lemma in written}
        missing = [
            f"(* claim {claim.id} is not exported *)" for claim in self.proof.claims if f"claim_{claim.id}" not in names
        ]
        ends = [f"Print Assumptions {lemma.name}." for lemma in written if lemma.name.startswith("claim_")]
        return "\n".join([self.head(), *(lemma.text() for lemma in written), "End Proved.", *missing, *ends]) + "\n"
