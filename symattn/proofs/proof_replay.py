"""TRUSTED. Replay: every step and every claim of a proof is judged again, from the record alone.

A step is proved when both sides, read with the hypotheses that it names and no others, are shown to stand in
its relation; every denominator on either side must be evidently different from zero. A claim is proved when
its steps, all of them proved, lead from its left to its right side. Nothing that the record says about
itself is believed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import partial

from symattn.errors import InputError, NotationError, ShapeError
from symattn.exact.indexed.effort import bounded
from symattn.exact.indexed.expectation import refuse_random_laws
from symattn.exact.indexed.expression import Expr
from symattn.notation.tree import nodes as t
from symattn.notation.tree.traversal import walk
from symattn.notation.writers.plain import describe
from symattn.proofs.kernel.context import (
    INTEGRABLE,
    INVERTIBLE,
    NONZERO,
    NOT_NEGATIVE,
    POSITIVE,
    POWER,
    SETTLED,
    SMOOTH,
    Context,
    Known,
    all_domains,
)
from symattn.proofs.kernel.record import Claim, Proof, Step
from symattn.proofs.kernel.rules import RULES
from symattn.proofs.kernel.syntactic_rules import constrained
from symattn.proofs.kernel.well_formedness import (
    Shown,
    loose_index,
    refuse_scope,
    refuse_sides,
    shown_by,
    unseen_ranges,
)
from symattn.proofs.language.interpretation import read_text
from symattn.proofs.language.scope import Scope
from symattn.proofs.language.values import an_entry
from symattn.proofs.lemmas.table import LEMMAS
from symattn.records import dataclass

_LEMMA = "lemma:"
_MAX_LENGTH = 1_000_000
_MOST_OF_STEP = 40_000
_MOST_OF_PROOF = 120_000
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
    """Outcome of replay for a step or a claim.

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
        """Return whether everything is, and there is something to prove."""
        return bool(self.claims) and all(item.proved for item in (*self.steps, *self.claims))

    @property
    def cites(self) -> tuple[str, ...]:
        """The lemmas that the steps rest on, each once."""
        return tuple(sorted({name for item in self.steps for name in item.cites}))

    @property
    def faults(self) -> tuple[Outcome, ...]:
        """Outcomes that are not proved."""
        return tuple(item for item in (*self.steps, *self.claims) if not item.proved)


def replay(proof: Proof) -> Replayed:
    """Judge every step and claim of a proof from its record.

    Raises:
        InputError: its names or hypotheses are not what they have to be, or it is too long.
    """
    if len({step.id for step in proof.steps}) != len(proof.steps):
        raise InputError("Two steps have one id: number them apart.")
    if len({claim.id for claim in proof.claims}) != len(proof.claims):
        raise InputError("Two claims have one id: number them apart.")
    if _length(proof) > _MAX_LENGTH:
        raise InputError(f"The formulas of the record have more than {_MAX_LENGTH:,} characters: prove it in parts.")
    with bounded(_MOST_OF_PROOF):
        with bounded(_MOST_OF_STEP):
            _refuse_scope(proof.scope)
        return _judged(proof)


def _length(proof: Proof) -> int:
    """Return the length of the text that is read."""
    steps = sum(len(text) for step in proof.steps for text in (step.before, step.after, *dict(step.arguments).values()))
    claims = sum(len(claim.left) + len(claim.right) for claim in proof.claims)
    abbreviations = sum(len(item.body) for item in proof.scope.defined)
    hypotheses = sum(len(text) for item in proof.scope.hypotheses for text in (*item.about, *item.values))
    return steps + claims + abbreviations + hypotheses


def _judged(proof: Proof) -> Replayed:
    known: dict[str, Step] = {}
    shown: dict[str, Shown] = {}
    steps = []
    read = Known(proof.scope)
    for step in proof.steps:
        outcome = _guarded(step.id, partial(_step, step, proof, known, shown, read))
        steps.append(outcome)
        if outcome.proved:
            known[step.id] = step
    claims = [_guarded(claim.id, partial(_claim, claim, proof, known, shown)) for claim in proof.claims]
    return Replayed(tuple(steps), tuple(claims))


def _refuse_scope(scope: Scope) -> None:
    try:
        refuse_scope(scope)
    except (NotationError, ShapeError) as fault:
        raise InputError(str(fault)) from fault


def _guarded(name: str, judge: Callable[[], Outcome]) -> Outcome:
    try:
        with bounded(_MOST_OF_STEP):
            return judge()
    except InputError as fault:
        return Outcome(name, proved=False, reason=str(fault))


def _step(step: Step, proof: Proof, known: dict[str, Step], shown: dict[str, Shown], read: Known) -> Outcome:
    missing = [name for name in step.premises if name not in known]
    if missing:
        return Outcome(step.id, proved=False, reason=f"its premise {missing[0]} is not proved before it")
    premises = tuple(known[name] for name in step.premises)
    context = Context(proof.scope, step, premises, read)
    own = refuse_sides(context.before, step.relation, context.after, proof.scope, read.memo)
    needed = replace(own, used=frozenset(step.hypotheses)).joined(shown[name] for name in step.premises)
    cites: tuple[str, ...] = ()
    reason = loose_index(needed, own) or _pinned(needed.used, context)
    if not reason:
        cites, reason = _by_lemma(step, context) if step.rule.startswith(_LEMMA) else _by_rule(step, context)
    if not reason:
        # The arguments of a step show ranges too, and rest on them.
        shown[step.id] = needed.joined((shown_by(context.language),))
    return Outcome(step.id, proved=not reason, cites=cites, reason=reason)


def _by_lemma(step: Step, context: Context) -> tuple[tuple[str, ...], str]:
    """Return the lemma that a step is an instance of, and why it is none."""
    name = step.rule.removeprefix(_LEMMA)
    check = LEMMAS.get(name)
    if check is None:
        return (), f"there is no lemma {name}"
    refuse_random_laws(context.facts.moments, context.language.random)
    return (name,), _undefined(step, context) or check(context) or _missing_mean(step, context)


def _by_rule(step: Step, context: Context) -> tuple[tuple[str, ...], str]:
    """Return the lemmas that a step by a rule rests on, which are none, and why it is not proved."""
    rule = RULES.get(step.rule)
    if rule is None:
        return (), f"there is no rule {step.rule}"
    kinds = {item.id: item.kind for item in context.scope.hypotheses}
    strange = [name for name in step.hypotheses if kinds.get(name) not in rule.kinds]
    if strange:
        return (), f"{step.rule} does not use the hypothesis {strange[0]}"
    reason = rule.misfit(context) or _undefined(step, context) or rule.check(context)
    return (), reason or _missing_mean(step, context) or _unsettled(context)


def _pinned(used: frozenset[str], context: Context) -> str:
    """Return why what the step uses may not hold for all values of a number that moves in a limit, or nothing."""
    for node in (context.before, context.after):
        for _, part, _ in all_domains(node, context.scope):
            match part:
                case t.Call(t.Name("lim"), (scalar, target, _)):
                    found = context.pin(scalar, target, used)
                    if found:
                        return f"the hypothesis {found} speaks of {describe(scalar)}, which moves in a limit"
                case _:
                    continue
    return ""


def _undefined(step: Step, context: Context) -> str:
    """Return the first part that has to be positive, or different from zero, and may not be so."""
    certain = constrained(context.scope)
    for node in (context.before, context.after, *_written(step, context)):
        for kind, part, bound in all_domains(node, context.scope):
            # What is known for certain values of an index does not hold for all that a sum over its name runs through.
            under = bound if certain & bound else frozenset[str]()
            reason = _misses(kind, part, under, context)
            if reason:
                return reason
    return ""


def _missing_mean(step: Step, context: Context) -> str:
    """Return the first mean, variance or covariance that may not exist."""
    extended = _extended(step, context)
    sides = zip((context.before, context.after), extended, strict=True)
    for node, own in (*sides, *((written, None) for written in _written(step, context))):
        for kind, part, bound in all_domains(node, context.scope):
            if kind != INTEGRABLE or part == own or not isinstance(part, t.Call):
                continue
            if not context.has_mean(part, bound):
                return f"that {describe(part)} exists does not follow from the hypotheses"
    return ""


def _extended(step: Step, context: Context) -> tuple[t.Call | None, t.Call | None]:
    """Return the mean of each side that may be infinite: one of an evidently positive number, alone or as a power.

    Such a mean always has a value, infinity included, of which an equation or a lower bound may speak. Nothing is
    added to it, and nothing taken off; its exponent is evidently positive.
    """
    first, second = (_mean_alone(node, context) for node in (context.before, context.after))
    if step.relation == "=" or (step.relation in {">", "≥"} and second is None):
        return first, second
    return None, None


def _mean_alone(node: t.Node, context: Context) -> t.Call | None:
    match node:
        case t.Group(body):
            return _mean_alone(body, context)
        case t.Power(body, exponent) if context.has_sign(exponent, frozenset(), "+"):
            return _mean_alone(body, context)
        case t.Call(t.Name("E"), (body,)) if context.has_sign(body, frozenset(), "+", "0+"):
            return node
    return None


def _unsettled(context: Context) -> str:
    """Return the first derivative, limit or coefficient that is not shown to have a value, or nothing.

    What a rule puts in the place of an equal has a value where that has one, so it is enough that one side is settled;
    and what stands in a premise was settled there.
    """
    texts = [text for premise in context.premises for text in (premise.before, premise.after)]
    known = {node for text in texts for node in walk(context.read(text))}
    reasons = []
    for node in (context.before, context.after):
        wanted = all_domains(node, context.scope)
        reason = next(filter(None, (_no_value(*item, context, known) for item in wanted)), "")
        if not reason:
            return ""
        reasons.append(reason)
    return reasons[0]


def _no_value(kind: str, part: t.Node, bound: frozenset[str], context: Context, known: set[t.Node]) -> str:
    if kind != SETTLED or part in known:
        return ""
    try:
        an_entry(context.language.under(*bound).value(part))
    except NotationError:
        return f"that {describe(part)} has a value is not shown: name the step that shows it"
    except InputError as fault:
        return str(fault)
    return ""


def _misses(kind: str, part: t.Node, bound: frozenset[str], context: Context) -> str:
    """Return why a part does not evidently meet the wish of a formula, or nothing."""
    if kind == POWER and isinstance(part, t.Power):
        return _misses_power(part, bound, context)
    if kind == INVERTIBLE and context.is_matrix(part):
        is_known = context.is_definite(context.value(part))
        return "" if is_known else f"{describe(part)} may have no inverse: name the hypothesis that it is definite"
    if kind in {NONZERO, INVERTIBLE}:
        is_nonzero = context.has_sign(part, bound, "+", "-") if bound else context.is_nonzero(part)
        return "" if is_nonzero else f"the denominator {describe(part)} may be zero: name the hypothesis that it is not"
    if kind == POSITIVE and not context.has_sign(part, bound, "+"):
        return f"{describe(part)} may not be positive, and has no logarithm then: name the hypothesis that it is"
    if kind == SMOOTH and isinstance(part, t.Call):
        return _misses_slope(part, bound, context)
    if kind == NOT_NEGATIVE and not context.has_sign(part, bound, "+", "0+", "0"):
        return f"{describe(part)} may be negative, and has no root then: name the hypothesis that it is not"
    return ""


def _misses_slope(slope: t.Call, bound: frozenset[str], context: Context) -> str:
    """Return why a root that depends on the variable may be zero, or nothing; whole powers always have a derivative."""
    root = slope.arguments[0]
    language = context.language.under(*bound)
    if isinstance(root, t.Power):
        exponent = language.number(root.exponent).rational()
        if exponent is not None and exponent.denominator == 1:
            return ""
    value = language.value(slope)
    if (isinstance(value, Expr) and value.is_zero()) or context.has_sign(root, bound, "+", "-"):
        return ""
    return f"{describe(root)} may be zero, and has no derivative then: name the hypothesis that it is positive"


def _misses_power(node: t.Power, bound: frozenset[str], context: Context) -> str:
    """Return why the base of a negative exponent may be zero, or that of a fractional one not positive, or nothing."""
    if node.base == t.Name("e") and "e" not in context.language.declared:
        return ""
    exponent = context.language.under(*bound).number(node.exponent).rational()
    if exponent is None or exponent.denominator > 2 or (exponent < 0 and exponent.denominator == 2):
        return _misses(POSITIVE, node.base, bound, context)
    if exponent.denominator == 2:
        return _misses(POSITIVE if exponent != Fraction(1, 2) else NOT_NEGATIVE, node.base, bound, context)
    return _misses(INVERTIBLE, node.base, bound, context) if exponent < 0 else ""


def _written(step: Step, context: Context) -> Iterator[t.Node]:
    """Yield the formulas among the arguments of a step, without those that cannot be read."""
    for _, value in step.arguments:
        for text in value.split(";"):
            try:
                yield read_text(text, context.scope)
            except NotationError:
                continue


def _claim(claim: Claim, proof: Proof, known: dict[str, Step], shown: dict[str, Shown]) -> Outcome:
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
    left, right = (read_text(text, proof.scope) for text in (claim.left, claim.right))
    own = refuse_sides(left, claim.relation, right, proof.scope)
    reason = unseen_ranges(own.joined(shown[name] for name in claim.steps), own, proof.scope)
    return Outcome(claim.id, proved=not reason, reason=reason)


def _is_strict(claim: Claim, steps: list[Step]) -> bool:
    """Return whether the chain is strict: one strict step among others of its direction makes the whole strict."""
    weak = {"<": "≤", ">": "≥"}.get(claim.relation)
    if weak is None or not any(step.relation == claim.relation for step in steps):
        return False
    return all(weak in _STRONGER.get(step.relation, set()) for step in steps)


def _same(first: str, second: str, proof: Proof) -> bool:
    """Return whether two texts are one formula, layout aside."""
    return read_text(first, proof.scope) == read_text(second, proof.scope)
