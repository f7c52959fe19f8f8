"""Counter-examples to theorems without one of their hypotheses."""

from __future__ import annotations

from typing import Any

from symattn.api.proofs.instances import FORMAT, general_proof, settings_of
from symattn.api.transcripts import transcript
from symattn.errors import InputError, UnprovedError
from symattn.exact.numerals.rational import rational
from symattn.proofs.cases.counterexamples import Refuted, refuted
from symattn.proofs.catalogue.authoring.theorem import Falsehood, Theorem
from symattn.proofs.catalogue.registry import theorem
from symattn.proofs.language.scope import Scope
from symattn.records import dataclass
from symattn.rendering.html import proof as proof_html
from symattn.rendering.proofs.fragments import refuted_html
from symattn.rendering.proofs.refutations import counterexample_latex


@dataclass(frozen=True, slots=True)
class CounterExample:
    """A counter-example, given in place of a proof when a hypothesis is dropped.

    Attributes:
        name: the theorem.
        title: its name in words.
        without: the hypothesis that was dropped.
        statement: what the theorem says.
        scope: its names and hypotheses.
        refuted: the claim that is false without it, and what the example comes to.
    """

    name: str
    title: str
    without: str
    statement: str
    scope: Scope
    refuted: Refuted

    def __repr__(self) -> str:
        """Return the theorem, what was dropped, and what is false then."""
        return f"<Counter-example to {self.name} without {self.without}: not {self.refuted.claim}>"

    def _repr_html_(self) -> str:
        """Return the counter-example for notebooks."""
        return refuted_html(self.title, self.without, self.refuted)

    def as_json(self) -> dict[str, Any]:
        """Return everything for machines."""
        record = {
            "format": FORMAT,
            "name": self.name,
            "statement": self.statement,
            "without": self.without,
            "hypotheses": [{"id": item.id, "text": item.text} for item in self.scope.hypotheses],
            "counterexample": self.refuted.as_json(),
        }
        return transcript(record)

    def to_latex(self) -> str:
        """Return the counter-example as a LaTeX document."""
        return counterexample_latex(self.title, self.without, self.statement, self.refuted)

    def to_html(self) -> str:
        """Return the counter-example as a web page of one file."""
        return proof_html.counterexample_page(self.title, self.without, self.statement, self.refuted)


def counterexample(name: str | Theorem, without: str, /, **parameters: object) -> CounterExample:
    """Return the counter-example to a theorem without one of its hypotheses.

    Args:
        name: its name in the catalogue, or the theorem of a file.
        without: a word for the hypothesis, such as ``independence``.
        parameters: what is chosen; the example must agree with it.

    Raises:
        InputError: an unknown theorem, or an unknown word for a hypothesis.
        UnprovedError: the example does not refute the claim.

    >>> counterexample("dot-product-mean", "independence").refuted.sides.left
    '1'
    """
    entry = theorem(name) if isinstance(name, str) else name
    known = dict(entry.without)
    if without not in known:
        words = ", ".join(known)
        hint = f"counter-examples are known without: {words}" if words else "it has no counter-example on record"
        raise InputError(f"{entry.name} cannot be asked without {without!r}; {hint}.")
    given = settings_of(entry, parameters)
    values = entry.values(given)
    example = dict((*known[without].example.scalars, *((k, str(n)) for k, n in known[without].example.sizes)))
    for key in given:
        if key in example and not _are_equal(example[key], values[key]):
            raise InputError(
                f"The counter-example without {without} has {key} = {example[key]}: leave {key}={values[key]} out."
            )
    proof = general_proof(entry)
    found = refutation_of(known[without], proof.scope, entry.name)
    return CounterExample(entry.name, proof.title, without, proof.statement, found.scope, found)


def _are_equal(first: str, second: str) -> bool:
    """Return whether two values are one number; values other than rational numerals are compared as text."""
    try:
        return rational(first) == rational(second)
    except InputError:
        return first == second


def refutation_of(falsehood: Falsehood, scope: Scope, name: str) -> Refuted:
    """Return a falsehood with its counter-example worked out.

    Raises:
        UnprovedError: it cannot be worked out, or refutes nothing.
    """
    try:
        found = refuted(falsehood, scope)
    except InputError as error:
        raise UnprovedError(f"A counter-example of {name} cannot be computed ({error}).") from error
    if found is None:
        raise UnprovedError(f"A counter-example of {name} does not refute that {falsehood.says}.")
    return found
