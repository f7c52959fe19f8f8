"""Theorems proved: the record, what replay found, what is written of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, NoReturn, overload

from symattn.api.proofs.counterexamples import CounterExample, counterexample, refutation_of
from symattn.api.proofs.instances import general_proof, settings_of, with_checks
from symattn.api.transcripts import transcript
from symattn.errors import InputError, MissingKeyError, UnprovedError
from symattn.graph.derivation import Derivation
from symattn.proofs.cases.counterexamples import Refuted, both_sides
from symattn.proofs.cases.evaluation import Model, NumericEvaluator
from symattn.proofs.catalogue import registry
from symattn.proofs.catalogue.authoring.proof_files import read_theorem
from symattn.proofs.catalogue.authoring.theorem import Line, Theorem
from symattn.proofs.catalogue.registry import theorem
from symattn.proofs.export import compiled as coq
from symattn.proofs.kernel.record import Proof, Step
from symattn.proofs.language.scope import Hypothesis
from symattn.proofs.lemmas.statements import STATEMENTS
from symattn.proofs.proof_replay import Replayed, replay
from symattn.rendering import notebooks
from symattn.rendering.content import LEVELS, Level, Proved
from symattn.rendering.html import proof as proof_html
from symattn.rendering.proofs import fragments
from symattn.rendering.proofs.formulas import formula
from symattn.rendering.proofs.page import foot_of, proof_page

MAX_PROOF_FILE = 500_000
_PRIMES = (5, 7, 11, 13, 17, 19, 23, 29)


def _numbers(values: Mapping[str, str]) -> dict[str, Fraction]:
    """Return the values of parameters that are rational numbers."""
    found = {}
    for name, text in values.items():
        try:
            found[name] = Fraction(text)
        except ValueError:
            continue
    return found


class TheoremDerivation(Derivation):
    """A theorem that was proved: its record, what replay found, what was looked at besides.

    >>> d = prove("dot-product-mean")
    >>> d.is_proved, d.proof.conclusion
    (True, ('E(q^T k) = D mu^2',))
    """

    def __init__(self, entry: Theorem, values: Mapping[str, str], proof: Proof, replayed: Replayed) -> None:
        """Take the proof and its replay; `prove` calls this."""
        self.entry = entry
        self.values = dict(values)
        self.proof = proof
        self.replayed = replayed

    def __repr__(self) -> str:
        """Return what is claimed, and the steps."""
        return notebooks.lines_of(fragments.proof_lines(self.proof), "to_latex() has all steps")

    def _repr_html_(self) -> str:
        """Return the theorem for notebooks, its steps to be folded out."""
        return fragments.proof_html(self.proof)

    @property
    def steps(self) -> tuple[Step, ...]:
        """The steps as plain data."""
        return self.proof.steps

    @property
    def is_proved(self) -> bool:
        """True if replay recomputed every step and every claim."""
        return self.replayed.is_proved

    def replay(self) -> Replayed:
        """Return every step and every claim judged again, from the record alone."""
        return replay(self.proof)

    @cached_property
    def falsehoods(self) -> tuple[Refuted, ...]:
        """Common false claims, each with its counter-example worked out."""
        scope = general_proof(self.entry).scope
        return tuple(refutation_of(item, scope, self.entry.name) for item in self.entry.falsehoods)

    @property
    def false_here(self) -> tuple[Refuted, ...]:
        """The common false claims that are false at the chosen values too.

        >>> len(prove("dot-product-variance").false_here), len(prove("dot-product-variance", mu=0).false_here)
        (4, 3)
        """
        return tuple(item for item in self.falsehoods if not self._holds_here(item))

    def _holds_here(self, item: Refuted) -> bool:
        """Return True if the chosen values make a false claim one of the theorem, as far as that can be computed."""
        if any(not self._is_empty(assumed) for assumed in item.scope.hypotheses if assumed.id in item.broken):
            return False
        record = general_proof(self.entry)
        # Letters without a number of their own stand for different primes.
        numbers = dict(zip(self.values, map(Fraction, _PRIMES), strict=False)) | _numbers(self.values)
        numeric = NumericEvaluator(item.scope, Model(numbers, {}))
        for claim in record.claims:
            if (claim.left, claim.relation) != (item.falsehood.left, item.falsehood.relation):
                continue
            try:
                sides = [*both_sides(claim.right, "=", item.falsehood.right, numeric)]
            except InputError:
                return False
            return bool(sides) and all(side.stands for side in sides)
        return False

    def _is_empty(self, assumed: Hypothesis) -> bool:
        """Return True if a hypothesis says nothing at the chosen lengths: one component depends on no other."""
        lengths = {size for name in assumed.about for size in self.proof.scope.sizes.get(name, ())}
        return assumed.kind == "coordinates" and lengths == {"1"}

    @cached_property
    def instance(self) -> tuple[Line, ...]:
        """A worked case in numbers; none where the catalogue has none."""
        return () if self.entry.instance is None else self.entry.instance(self.values)

    def as_json(self, *, instance: bool = False) -> dict[str, Any]:
        """Return everything for machines, as ``symattn prove --json`` prints it; `symattn replay` accepts it.

        Args:
            instance: with the worked case in numbers.
        """
        record = self.proof.as_json()
        outcomes = {item.id: item for item in self.replayed.steps}
        for step in record["steps"]:
            found = outcomes[step["id"]]
            step.update(proved=found.proved, cites=list(found.cites))
        record["cites"] = cites_json(self.replayed)
        record["falsehoods"] = [item.as_json() for item in self.falsehoods]
        if instance:
            record["instance"] = instance_json(self.instance)
        return transcript(record)

    def to_latex(self, detail: str = "full", *, instance: bool = False) -> str:
        """Return the theorem and its proof as a LaTeX document.

        Args:
            detail: ``"full"``, or ``"brief"`` without remarks and with routine steps drawn together.
            instance: with the worked case in numbers.

        Raises:
            InputError: an unknown level of detail.
        """
        shown = self._shown(instance=instance)
        rows, lines, auxiliary = self.false_here, shown.instance, shown.auxiliary
        page = proof_page(shown.proof, self.replayed, rows, lines, level_of(detail), auxiliary=auxiliary)
        return replace(page, foot=foot_of(shown.proof, self.claims_checked_by_coq)).to_latex()

    def to_html(self, detail: str = "full", *, instance: bool = False) -> str:
        """Return the theorem and its proof as a web page of one file; the arguments are those of `to_latex`."""
        return proof_html.proof_page(
            self._shown(instance=instance), self.false_here, level_of(detail), self.claims_checked_by_coq
        )

    def to_coq(self) -> str:
        """Return the theorem and its proof as a Coq file, which `symattn prove -o proof.v` writes with its prelude.

        Claims that the export does not know are left out, with a comment.
        """
        return coq.coq_file(self.proof).text()

    @cached_property
    def claims_checked_by_coq(self) -> Mapping[str, tuple[str, ...]]:
        """The classical lemmas assumed by each claim that Coq has checked in the very file that `to_coq` returns."""
        return coq.claims_checked_by_coq(self.proof)

    def _shown(self, *, instance: bool) -> Proved:
        lines = tuple((line.text, line.exact, line.digits) for line in self.instance) if instance else ()
        proof, auxiliary = replace(self.proof, parameters=parameters_of(self)), self.entry.auxiliary(self.values)
        return Proved(proof, self.replayed, 0, instance=lines, auxiliary=auxiliary)

    def _repr_latex_(self) -> str:
        """Return the claims, for notebooks."""
        scope = self.proof.scope
        rows = [
            f"{formula(claim.left, scope)} & {_relation(claim.relation)} {formula(claim.right, scope)}"
            for claim in self.proof.claims
        ]
        body = " \\\\ ".join(rows)
        return f"$\\displaystyle \\begin{{aligned}} {body} \\end{{aligned}}$"


def cites_json(found: Replayed) -> list[dict[str, str]]:
    """Return the lemmas that a proof cites, for machines."""
    known = ((name, STATEMENTS[name]) for name in found.cites)
    return [{"name": name, "statement": item.statement, "source": item.source} for name, item in known]


def instance_json(lines: Sequence[Line]) -> list[dict[str, str]]:
    """Return the worked case in numbers, for machines."""
    return [{"text": line.text, "exact": line.exact, "digits": line.digits} for line in lines]


def parameters_of(found: TheoremDerivation) -> tuple[tuple[str, str], ...]:
    """Return the values that were chosen for statement and proof, without those that a theorem has anyway."""
    usual = {(item.name, item.default) for item in found.entry.parameters}
    worked = {item.name for item in found.entry.parameters if item.worked}
    return tuple(pair for pair in found.proof.parameters if pair not in usual and pair[0] not in worked)


def _relation(sign: str) -> str:
    return {"≤": "\\leq", "≥": "\\geq", "⇔": "\\Longleftrightarrow"}.get(sign, sign)


def level_of(detail: str) -> Level:
    """Return the level of detail by its word.

    Raises:
        InputError: an unknown level of detail.
    """
    found = next((level for level in LEVELS if level == detail), None)
    if found is None:
        raise InputError(f"Unknown detail {detail!r}: take {' or '.join(LEVELS)}.")
    return found


@overload
def prove(name: str, /, *, without: None = None, **parameters: object) -> TheoremDerivation: ...


@overload
def prove(name: str, /, *, without: str, **parameters: object) -> CounterExample: ...


def prove(name: str, /, *, without: str | None = None, **parameters: object) -> TheoremDerivation | CounterExample:
    """Prove a theorem of the catalogue, every step recomputed.

    Args:
        name: its name; `theorems` lists them.
        without: a hypothesis to drop, such as ``"independence"``; the counter-example is given then.
        parameters: what is chosen, such as ``mu=0`` or ``D=64``: integers, Fractions, Decimals, or text; lists of
            such where a parameter is a list.

    Raises:
        InputError: an unknown theorem, hypothesis or parameter, or a value of another kind.
        UnprovedError: a step of ours is not proved, or a check does not agree.

    >>> prove("dot-product-mean").replayed.cites
    ()
    >>> prove("dot-product-mean", without="independence").refuted.claim
    'E(q^T k) = D mu^2'
    """
    return proved(name, parameters) if without is None else counterexample(name, without, **parameters)


def proved(name: str | Theorem, parameters: Mapping[str, object]) -> TheoremDerivation:
    """Prove a theorem for parameters in a table, with no hypothesis dropped.

    Args:
        name: its name in the catalogue, or the theorem of a file.
        parameters: what is chosen.

    Raises:
        InputError: as `prove`, or a step of a file is not proved.
        UnprovedError: a step of the catalogue is not proved.
    """
    entry = name if isinstance(name, Theorem) else theorem(name)
    values = entry.values(settings_of(entry, parameters))
    if entry.instance is not None and any(item.worked and item.name in parameters for item in entry.parameters):
        # What cannot be worked out with the chosen values is said at once, whether or not the case is printed.
        entry.instance(values)
    proof = entry.build(values)
    replayed = replay(proof)
    if not replayed.is_proved:
        fault = replayed.faults[0] if replayed.faults else None
        if not isinstance(name, str):
            why = (
                f"{entry.place(values, fault.id)}: {fault.reason.rstrip('.')}"
                if fault
                else f"{entry.name} claims nothing"
            )
            raise InputError(f"{why}. Nothing is written, as every step has to be proved.")
        why = f"{fault.id}: {fault.reason}" if fault else "it claims nothing"
        raise UnprovedError(f"The proof of {name} was not recomputed, so it is not written ({why}).")
    return TheoremDerivation(entry, values, with_checks(proof), replayed)


def read_proof_file(data: bytes, source: str) -> Theorem:
    """Return the theorem of a ``.proof`` file.

    Raises:
        InputError: it is too large, no UTF-8, or a line cannot be read; the message names the line.
    """
    if len(data) > MAX_PROOF_FILE:
        raise InputError(f"{source} is larger than {MAX_PROOF_FILE:,} bytes: split it into several theorems.")
    try:
        return read_theorem(data.decode("utf-8-sig"), source)
    except UnicodeDecodeError as error:
        raise InputError(f"{source} is not UTF-8 text: save it as UTF-8.") from error


class ListedTheorem(Theorem):
    """An entry of the catalogue that shows itself."""

    __slots__ = ()

    def __repr__(self) -> str:
        """Return what it says, and what may be chosen."""
        return notebooks.lines_of(fragments.theorem_lines(self), "")

    def _repr_html_(self) -> str:
        """Return the theorem for notebooks."""
        return fragments.theorem_html(self, general_proof(self))


class Theorems(dict[str, ListedTheorem]):
    """The catalogue, by name; it shows itself as a table."""

    def __missing__(self, name: str) -> NoReturn:
        try:
            theorem(name)
        except InputError as error:
            raise MissingKeyError(str(error)) from None
        raise MissingKeyError(f"{name} was taken out of this table: sa.theorems() has all.")

    def __repr__(self) -> str:
        """Return the names, group by group."""
        return notebooks.lines_of(fragments.theorems_lines(self), "list(sa.theorems()) has all names")

    def _repr_html_(self) -> str:
        """Return the catalogue for notebooks, a table with what each theorem says."""
        return fragments.theorems_html(self)


def theorems() -> Theorems:
    """Return the theorems that can be proved, by name.

    >>> theorems()["dot-product-mean"].says
    'the mean of q . k is D mu^2'
    """
    listed = {name: [getattr(item, field.name) for field in fields(item)] for name, item in registry.theorems().items()}
    return Theorems({name: ListedTheorem(*values) for name, values in listed.items()})
