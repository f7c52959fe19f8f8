"""TRUSTED. Replay: every step and every claim of a proof is judged again, from the record alone.

A step is proved when both sides, read with the hypotheses that it names and no others, are shown to stand in
its relation; every denominator on either side must be evidently different from zero. A claim is proved when
its steps, all of them proved, lead from its left to its right side. Nothing that the record says about
itself is believed.
"""

from __future__ import annotations

from dataclasses import replace

from symattn.derivation.proofs.context import Context, all_divisors
from symattn.derivation.proofs.facts import Facts
from symattn.derivation.proofs.language import Language, read_text
from symattn.derivation.proofs.lemmas import LEMMAS
from symattn.derivation.proofs.record import Claim, Proof, Step
from symattn.derivation.proofs.rules import RULES
from symattn.derivation.proofs.rules_forms import constrained
from symattn.derivation.proofs.scope import Scope
from symattn.derivation.proofs.signs import Signs
from symattn.errors import InputError, NotationError, ShapeError
from symattn.notation.plain_writer import describe
from symattn.records import dataclass

EQUALITIES = {"="}
_STRONGER = {
    "=": {"=", "≤", "≥"},
    "<": {"<", "≤"},
    ">": {">", "≥"},
    "≤": {"≤"},
    "≥": {"≥"},
    "⇔": {"⇔"},
}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What replay found about a step or a claim.

    Attributes:
        id: which one.
        proved: whether it was recomputed.
        cites: the names of the lemmas that it rests on.
        reason: why it is not proved, or nothing.
    """

    id: str
    proved: bool
    cites: tuple[str, ...] = ()
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Replayed:
    """The outcomes of a whole proof."""

    steps: tuple[Outcome, ...]
    claims: tuple[Outcome, ...]

    @property
    def is_proved(self) -> bool:
        """Whether everything is, and there is something to prove."""
        return bool(self.claims) and all(item.proved for item in (*self.steps, *self.claims))

    @property
    def cites(self) -> tuple[str, ...]:
        """The lemmas that the steps rest on, each once."""
        return tuple(sorted({name for item in self.steps for name in item.cites}))

    @property
    def faults(self) -> tuple[Outcome, ...]:
        """What is not proved."""
        return tuple(item for item in (*self.steps, *self.claims) if not item.proved)


def replay(proof: Proof) -> Replayed:
    """Judges every step and claim of a proof from its record."""
    if len({step.id for step in proof.steps}) != len(proof.steps):
        raise InputError("Two steps have one id: number them apart.")
    _refuse_signs(proof.scope)
    known: dict[str, Step] = {}
    steps = []
    for step in proof.steps:
        outcome = _guarded(step.id, lambda step=step: _step(step, proof, known))  # type: ignore[misc]
        steps.append(outcome)
        if outcome.proved:
            known[step.id] = step
    claims = [_guarded(claim.id, lambda claim=claim: _claim(claim, proof, known)) for claim in proof.claims]  # type: ignore[misc]
    return Replayed(tuple(steps), tuple(claims))


def _refuse_signs(scope: Scope) -> None:
    """The sign that an abbreviation is said to have must be evident from what it stands for.

    Raises:
        InputError: it is not.
    """
    for position, item in enumerate(scope.defined):
        if item.sign == "real":
            continue
        earlier = replace(scope, defined=(*scope.defined[:position], replace(item, sign="real")))
        signs = Signs.of(Language(earlier, Facts()).under(*item.indices))
        found = signs.of_tree(read_text(item.body, scope))
        if found != "+" and not (found == "0+" and item.sign == "nonnegative"):
            raise InputError(f"That {item.name} is {item.sign} is not evident from what it stands for, {item.body}.")


def _guarded(name: str, judge: object) -> Outcome:
    if not callable(judge):
        raise TypeError("a judge is called")
    try:
        outcome = judge()
    except (InputError, NotationError, ShapeError) as fault:
        return Outcome(name, proved=False, reason=str(fault))
    if not isinstance(outcome, Outcome):
        raise TypeError("a judge gives an outcome")
    return outcome


def _step(step: Step, proof: Proof, known: dict[str, Step]) -> Outcome:
    missing = [name for name in step.premises if name not in known]
    if missing:
        return Outcome(step.id, proved=False, reason=f"its premise {missing[0]} is not proved before it")
    kinds = {item.id: item.kind for item in proof.scope.hypotheses}
    premises = tuple(known[name] for name in step.premises)
    context = Context(proof.scope, step, premises)
    if step.rule.startswith("lemma:"):
        lemma = LEMMAS.get(step.rule.removeprefix("lemma:"))
        if lemma is None:
            return Outcome(step.id, proved=False, reason=f"there is no lemma {step.rule.removeprefix('lemma:')}")
        reason = _undefined(step, context) or lemma.check(context)
        return Outcome(step.id, proved=not reason, cites=(lemma.name,), reason=reason)
    rule = RULES.get(step.rule)
    if rule is None:
        return Outcome(step.id, proved=False, reason=f"there is no rule {step.rule}")
    strange = [name for name in step.hypotheses if kinds.get(name) not in rule.kinds]
    if strange:
        return Outcome(step.id, proved=False, reason=f"{step.rule} does not use the hypothesis {strange[0]}")
    reason = rule.misfit(context) or _undefined(step, context) or rule.check(context)
    return Outcome(step.id, proved=not reason, reason=reason)


def _undefined(step: Step, context: Context) -> str:
    """The first denominator that may be zero."""
    certain = constrained(context.scope)
    for text in (step.before, step.after):
        for divisor, bound in all_divisors(read_text(text, context.scope), context.scope):
            # What is known for certain values of an index does not hold for all that a sum over its name runs through.
            is_nonzero = (
                context.signs.under(*bound).of_tree(divisor) in {"+", "-"}
                if certain & bound
                else context.is_nonzero(divisor)
            )
            if not is_nonzero:
                return f"the denominator {describe(divisor)} may be zero: name the hypothesis that it is not"
    return ""


def _claim(claim: Claim, proof: Proof, known: dict[str, Step]) -> Outcome:
    missing = [name for name in claim.steps if name not in known]
    if missing or not claim.steps:
        return Outcome(claim.id, proved=False, reason=f"its step {missing[0]} is not proved" if missing else "no steps")
    steps = [known[name] for name in claim.steps]
    ends = [claim.left, *(text for step in steps for text in (step.before, step.after)), claim.right]
    for first, second in zip(ends[::2], ends[1::2], strict=True):
        if not _same(first, second, proof):
            return Outcome(claim.id, proved=False, reason=f"{first} is followed by {second}")
    if not all(claim.relation in _STRONGER.get(step.relation, set()) for step in steps) and not _is_strict(
        claim, steps
    ):
        return Outcome(claim.id, proved=False, reason="its steps do not add up to its relation")
    return Outcome(claim.id, proved=True)


def _is_strict(claim: Claim, steps: list[Step]) -> bool:
    """One strict step among others of its direction makes the whole strict."""
    weak = {"<": "≤", ">": "≥"}.get(claim.relation)
    if weak is None or not any(step.relation == claim.relation for step in steps):
        return False
    return all(weak in _STRONGER.get(step.relation, set()) for step in steps)


def _same(first: str, second: str, proof: Proof) -> bool:
    """Whether two texts are one formula, layout aside."""
    return read_text(first, proof.scope) == read_text(second, proof.scope)
