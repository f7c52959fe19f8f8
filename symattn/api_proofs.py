"""Theorems proved, counter-examples worked out, records replayed: what the catalogue and the pages make together."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from typing import Any, overload

from symattn.derivation import steps as solved
from symattn.derivation.proofs.lemmas import LEMMAS
from symattn.derivation.proofs.record import Claim, ContradictionError, Proof, Step, proof_from_json
from symattn.derivation.proofs.replay import Replayed, replay
from symattn.derivation.proofs.scope import Scope
from symattn.derivation.recorded import Derivation
from symattn.errors import InputError, UnprovedError
from symattn.exact.rational import rational
from symattn.problem.checks import place_of
from symattn.problem.model import Part, Problem
from symattn.records import dataclass
from symattn.rendering.document import Proved
from symattn.rendering.proof import LEVELS, Level, Refutation, counterexample_latex, proof_latex
from symattn.rendering.proof_math import formula
from symattn.theorems import catalogue
from symattn.theorems.catalogue import theorem
from symattn.theorems.checks import checks
from symattn.theorems.entry import Falsehood, Line, Theorem
from symattn.theorems.refute import Refuted, refuted

FORMAT = 1

MAX_RECORD = 5_000_000
"""Bytes of a record that is replayed."""

_MAX_STEPS = 5_000
_MAX_ROWS = 2_000
_MAX_TEXT = 200_000


class TheoremDerivation(Derivation):
    """A theorem that was proved: its record, what replay found, what was looked at besides.

    >>> d = prove("dot-product-mean")
    >>> d.is_proved, d.proof.conclusion
    (True, ('E(q^T k) = D mu^2',))
    """

    def __init__(self, entry: Theorem, values: Mapping[str, str], proof: Proof, replayed: Replayed) -> None:
        """Used by `prove`."""
        self.entry = entry
        self.values = dict(values)
        self.proof = proof
        self.replayed = replayed

    def __repr__(self) -> str:
        """The name and what is claimed."""
        return f"<Derivation of {self.proof.name}: {'; '.join(self.proof.conclusion)}>"

    @property
    def steps(self) -> tuple[Step, ...]:
        """The steps as plain data."""
        return self.proof.steps

    @property
    def is_proved(self) -> bool:
        """Whether replay recomputed every step and every claim."""
        return self.replayed.is_proved

    def replay(self) -> Replayed:
        """Every step and every claim judged again, from the record alone."""
        return replay(self.proof)

    @cached_property
    def falsehoods(self) -> tuple[Refuted, ...]:
        """What is often written and is false, each with its counter-example worked out."""
        scope = _general(self.entry).scope
        return tuple(_refuted(item, scope, self.entry.name) for item in self.entry.falsehoods)

    @cached_property
    def instance(self) -> tuple[Line, ...]:
        """A worked case in numbers; none where the catalogue has none."""
        return () if self.entry.instance is None else self.entry.instance(self.values)

    def as_json(self, *, instance: bool = False) -> dict[str, Any]:
        """Everything for machines, as ``symattn prove --json`` prints it; `symattn replay` accepts it.

        Args:
            instance: with the worked case in numbers.
        """
        record = self.proof.as_json()
        outcomes = {item.id: item for item in self.replayed.steps}
        for step in record["steps"]:
            found = outcomes[step["id"]]
            step.update(proved=found.proved, cites=list(found.cites))
        record["cites"] = _cites_json(self.replayed)
        record["falsehoods"] = [item.as_json() for item in self.falsehoods]
        if instance:
            record["instance"] = _instance_json(self.instance)
        return record

    def to_latex(self, detail: str = "full", *, instance: bool = False) -> str:
        """The theorem and its proof as a LaTeX document.

        Args:
            detail: ``"full"``, or ``"brief"`` without remarks and with routine steps drawn together.
            instance: with the worked case in numbers.

        Raises:
            InputError: there is no such detail.
        """
        lines = [(line.text, line.exact, line.digits) for line in self.instance] if instance else []
        shown = [_shown(item, _general(self.entry).scope) for item in self.falsehoods]
        return proof_latex(
            replace(self.proof, parameters=_parameters(self)), self.replayed, shown, lines, _level(detail)
        )

    def _repr_latex_(self) -> str:
        """The claims, for notebooks."""
        scope = self.proof.scope
        rows = [
            f"{formula(claim.left, scope)} & {_relation(claim.relation)} {formula(claim.right, scope)}"
            for claim in self.proof.claims
        ]
        body = " \\\\ ".join(rows)
        return f"$\\displaystyle \\begin{{aligned}} {body} \\end{{aligned}}$"


def _cites_json(found: Replayed) -> list[dict[str, str]]:
    return [{"name": name, "statement": LEMMAS[name].statement, "source": LEMMAS[name].source} for name in found.cites]


def _instance_json(lines: Sequence[Line]) -> list[dict[str, str]]:
    return [{"text": line.text, "exact": line.exact, "digits": line.digits} for line in lines]


def _relation(sign: str) -> str:
    return {"≤": "\\leq", "≥": "\\geq", "⇔": "\\Longleftrightarrow"}.get(sign, sign)


def _level(detail: str) -> Level:
    found = next((level for level in LEVELS if level == detail), None)
    if found is None:
        raise InputError(f"There is no detail {detail!r}: take {' or '.join(LEVELS)}.")
    return found


# Proving -------------------------------------------------------------------------------------------


@overload
def prove(name: str, /, *, without: None = None, **parameters: object) -> TheoremDerivation: ...


@overload
def prove(name: str, /, *, without: str, **parameters: object) -> CounterExample: ...


def prove(name: str, /, *, without: str | None = None, **parameters: object) -> TheoremDerivation | CounterExample:
    """Proves a theorem of the catalogue, every step recomputed.

    Args:
        name: its name; `theorems` lists them.
        without: a hypothesis to drop, such as ``"independence"``; the counter-example is given then.
        parameters: what is chosen, such as ``mu=0`` or ``D=64``: integers, Fractions, Decimals, or text; lists of
            such where a parameter is a list.

    Raises:
        InputError: there is no such theorem, hypothesis or parameter, or a value is not of its kind.
        UnprovedError: a step of ours is not proved, or a check does not agree.

    >>> prove("dot-product-mean").replayed.cites
    ()
    >>> prove("dot-product-mean", without="independence").refuted.claim
    'E(q^T k) = D mu^2'
    """
    return proved(name, parameters) if without is None else counterexample(name, without, **parameters)


def proved(name: str, parameters: Mapping[str, object]) -> TheoremDerivation:
    """The same for parameters in a table, with no hypothesis dropped."""
    entry = theorem(name)
    values = entry.values(_settings(entry, parameters))
    if entry.instance is not None and any(item.worked and item.name in parameters for item in entry.parameters):
        # What cannot be worked out with the chosen values is said at once, whether or not the case is printed.
        entry.instance(values)
    proof = _with_checks(_built(entry, values))
    replayed = replay(proof)
    if not replayed.is_proved:
        fault = replayed.faults[0] if replayed.faults else None
        why = f"{fault.id}: {fault.reason}" if fault else "it claims nothing"
        raise UnprovedError(f"The proof of {name} was not recomputed, so it is not written ({why}).")
    return TheoremDerivation(entry, values, proof, replayed)


def _settings(entry: Theorem, given: Mapping[str, object]) -> dict[str, str]:
    """The texts of values; a list belongs to a parameter that is one."""
    kinds = {item.name: item.kind for item in entry.parameters}
    found = {}
    for name, value in given.items():
        if not isinstance(value, list | tuple):
            found[name] = _setting(name, value)
        elif kinds.get(name, "list") != "list":
            raise InputError(f"{name} is one value, not a list: give it without brackets.")
        else:
            found[name] = ", ".join(_setting(f"{name}[{n}]", item) for n, item in enumerate(value, start=1))
    return found


def _setting(name: str, value: object) -> str:
    """The text of a value; a float is refused with its remedy."""
    if isinstance(value, str):
        return value.strip()
    return str(rational(value, name))  # type: ignore[arg-type]  # whatever it is, `rational` takes or refuses it


def _built(entry: Theorem, values: Mapping[str, str]) -> Proof:
    """The proof for some values, which the record names."""
    return replace(entry.build(values), parameters=tuple(sorted(values.items())))


def _with_checks(proof: Proof) -> Proof:
    found = (*proof.checks, *checks(proof))
    wrong = [item for item in found if not item.agrees]
    if wrong:
        raise UnprovedError(
            f"A check of {proof.name} does not agree, so nothing is written ({wrong[0].text}: {wrong[0].result})."
        )
    return replace(proof, checks=found)


def _general(entry: Theorem) -> Proof:
    """The theorem with its letters, in which falsehoods are written."""
    return entry.build(entry.values({}))


def theorems() -> dict[str, Theorem]:
    """The theorems that can be proved, by name.

    >>> theorems()["dot-product-mean"].says
    'the mean of q . k is D mu^2'
    """
    return catalogue.theorems()


# Theorems in keys ----------------------------------------------------------------------------------


def part_proofs(problem: Problem) -> tuple[Proved, ...]:
    """The theorems and facts that the parts of a problem ask for, proved, with the claims that they name.

    Raises:
        InputError: there is no such theorem, claim or parameter, or it has no worked case in numbers.
        UnprovedError: a step of ours is not proved.

    >>> part = {"asks": "prove:dot-product-mean", "set": {"mu": 0}}
    >>> [item.proof.conclusion for item in part_proofs(Problem.build(parts=[part]))]
    [('E(q^T k) = 0',)]
    """
    return tuple(item for number, part in enumerate(problem.parts) for item in _of_part(problem, part, number))


def _of_part(problem: Problem, part: Part, number: int) -> Iterator[Proved]:
    def place(key: str) -> str:
        return place_of(problem.source, f"parts #{number + 1}.{key}")

    facts = [part.named_fact(fact) for fact in part.facts]
    if not part.needs_catalogue:
        return
    _check_settings(part, [*part.theorems, *(name for name, _ in facts)], place("set"))
    for name in part.theorems:
        found = _chosen(name, part.settings, place("asks"))
        item = _with_claims(found, part.claims, place("claims"))
        rows = _instance(found, place("instance")) if part.instance else ()
        yield replace(item, part=number, instance=rows, detail=_level(part.detail) if part.detail else None)
    for name, claim in facts:
        found = _chosen(name, part.settings, place("facts"))
        item = _with_claims(found, (claim,) if claim else (), place("facts"))
        yield replace(item, part=number, is_fact=True)


def _check_settings(part: Part, names: Sequence[str], place: str) -> None:
    """Each value is one of a parameter that some theorem of the part has."""
    known = {item.name for name in names if name in catalogue.theorems() for item in theorem(name).parameters}
    for name, _ in part.settings:
        if name not in known:
            has = f"it has {', '.join(sorted(known))}" if known else "it has none"
            raise InputError(f"{place}: what the part proves has no parameter {name}; {has}.")


def _chosen(name: str, settings: tuple[tuple[str, str], ...], place: str) -> TheoremDerivation:
    """A theorem of a part with its values; proofs are made once, however many keys hold them."""
    try:
        own = {item.name for item in theorem(name).parameters}
        return _proved_once(name, tuple(pair for pair in settings if pair[0] in own))
    except InputError as error:
        raise InputError(f"{place}: {error}") from error


@lru_cache(maxsize=64)
def _proved_once(name: str, settings: tuple[tuple[str, str], ...]) -> TheoremDerivation:
    return proved(name, dict(settings))


def _with_claims(found: TheoremDerivation, names: Sequence[str], place: str) -> Proved:
    """The proof of some claims: the steps that they need, what replay found of these, what was computed of them."""
    proof = replace(found.proof, parameters=_parameters(found))
    known = {claim.id: claim for claim in proof.claims}
    for name in names:
        if name not in known:
            raise InputError(f"{place}: {proof.name} has no claim {name}; it has {', '.join(known)}.")
    if not names or set(names) == set(known):
        return Proved(proof, found.replayed, 0)
    claims = tuple(claim for claim in proof.claims if claim.id in names)
    wanted = _needed(proof, {step for claim in claims for step in claim.steps})
    steps = tuple(step for step in proof.steps if step.id in wanted)
    used = {name for step in steps for name in step.hypotheses}
    proof = replace(
        proof,
        scope=_scope_of(proof, claims, steps, used),
        claims=claims,
        steps=steps,
        checks=tuple(item for item in proof.checks if _claim_of(item.text) in {"", *names}),
    )
    replayed = Replayed(
        tuple(item for item in found.replayed.steps if item.id in wanted),
        tuple(item for item in found.replayed.claims if item.id in names),
    )
    return Proved(proof, replayed, 0, is_whole=False)


def _scope_of(proof: Proof, claims: Sequence[Claim], steps: Sequence[Step], used: set[str]) -> Scope:
    """The scope of some claims: what only the others assume or abbreviate has no place beside them."""
    hypotheses = tuple(item for item in proof.scope.hypotheses if item.id in used)
    words = [item.text for item in hypotheses] + [claim.words for claim in claims] + [step.words for step in steps]
    texts = [formula for text in words for formula in text.split("$")[1::2]]
    texts.extend(text for item in hypotheses for text in (*item.about, *item.values))
    texts.extend(text for claim in claims for text in (claim.left, claim.right))
    texts.extend(text for step in steps for text in (step.before, step.after, *dict(step.arguments).values()))
    bodies = {item.name: item.body for item in proof.scope.defined}
    found: set[str] = set()
    while texts:
        text = texts.pop()
        names = {*re.findall("[A-Za-z]+_[A-Za-z0-9]+", text), *re.findall("[A-Za-z]+", text)}
        fresh = (names & bodies.keys()) - found
        found |= fresh
        texts.extend(bodies[name] for name in fresh)
    defined = tuple(item for item in proof.scope.defined if item.name in found)
    return replace(proof.scope, hypotheses=hypotheses, defined=defined)


def _parameters(found: TheoremDerivation) -> tuple[tuple[str, str], ...]:
    """The values that were chosen for statement and proof, without those that a theorem has anyway."""
    usual = {(item.name, item.default) for item in found.entry.parameters}
    worked = {item.name for item in found.entry.parameters if item.worked}
    return tuple(pair for pair in found.proof.parameters if pair not in usual and pair[0] not in worked)


def _needed(proof: Proof, wanted: set[str]) -> set[str]:
    """Steps with those that they rest on."""
    steps = {step.id: step for step in proof.steps}
    found: set[str] = set()
    while waiting := wanted - found:
        found |= waiting
        wanted = wanted | {name for item in waiting for name in steps[item].premises}
    return found


def _claim_of(text: str) -> str:
    """The claim that a check speaks of, or nothing."""
    found = re.match("C[0-9]+", text)
    return found[0] if found else ""


def _instance(found: TheoremDerivation, place: str) -> tuple[tuple[str, str, str], ...]:
    if not found.instance:
        raise InputError(f"{place}: {found.proof.name} has no worked case in numbers for these values; leave it out.")
    return tuple((line.text, line.exact, line.digits) for line in found.instance)


def proofs_json(items: Sequence[Proved]) -> list[dict[str, Any]]:
    """The theorems of a key for machines; ``symattn prove NAME --json`` has the steps themselves."""
    return [
        {
            "part": item.part + 1,
            "theorem": item.proof.name,
            "as": "fact" if item.is_fact else "proof",
            "parameters": dict(item.proof.parameters),
            "statement": item.proof.statement,
            "claims": [
                {"id": claim.id, "claim": f"{claim.left} {claim.relation} {claim.right}"} for claim in item.proof.claims
            ],
            "steps": len(item.proof.steps),
            "proved": item.replayed.is_proved,
            "cites": list(item.replayed.cites),
        }
        for item in items
    ]


# Counter-examples ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class CounterExample:
    """What stands in the place of a proof when a hypothesis is dropped.

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
        """The theorem, what was dropped, and what is false then."""
        return f"<Counter-example to {self.name} without {self.without}: not {self.refuted.claim}>"

    def as_json(self) -> dict[str, Any]:
        """Everything for machines."""
        return {
            "format": FORMAT,
            "name": self.name,
            "statement": self.statement,
            "without": self.without,
            "hypotheses": [{"id": item.id, "text": item.text} for item in self.scope.hypotheses],
            "counterexample": self.refuted.as_json(),
        }

    def to_latex(self) -> str:
        """The counter-example as a LaTeX document."""
        return counterexample_latex(self.title, self.without, self.statement, _shown(self.refuted, self.scope))


def counterexample(name: str, without: str, /, **parameters: object) -> CounterExample:
    """The counter-example to a theorem without one of its hypotheses.

    Args:
        name: the theorem.
        without: a word for the hypothesis, such as ``independence``.
        parameters: what is chosen; the example must agree with it.

    Raises:
        InputError: there is no such theorem, or none of its hypotheses goes by that word.
        UnprovedError: the example does not refute the claim.

    >>> counterexample("dot-product-mean", "independence").refuted.sides.left
    '1'
    """
    entry = theorem(name)
    known = dict(entry.without)
    if without not in known:
        words = ", ".join(known)
        hint = f"counter-examples are known without: {words}" if words else "it has no counter-example on record"
        raise InputError(f"{name} cannot be asked without {without!r}; {hint}.")
    given = _settings(entry, parameters)
    values = entry.values(given)
    example = dict((*known[without].example.scalars, *((k, str(n)) for k, n in known[without].example.sizes)))
    for key in given:
        if key in example and not _are_equal(example[key], values[key]):
            raise InputError(
                f"The counter-example without {without} has {key} = {example[key]}: leave {key}={values[key]} out."
            )
    proof = _general(entry)
    found = _refuted(known[without], proof.scope, name)
    return CounterExample(name, proof.title, without, proof.statement, found.falsehood.scope or proof.scope, found)


def _are_equal(first: str, second: str) -> bool:
    """Whether two values are one number; what is no rational numeral is compared as text."""
    try:
        return rational(first) == rational(second)
    except InputError:
        return first == second


def _refuted(falsehood: Falsehood, scope: Scope, name: str) -> Refuted:
    try:
        found = refuted(falsehood, scope)
    except InputError as error:
        raise UnprovedError(f"A counter-example of {name} cannot be worked out ({error})") from error
    if found is None:
        raise UnprovedError(f"A counter-example of {name} does not refute that {falsehood.says}.")
    return found


def _shown(item: Refuted, scope: Scope) -> Refutation:
    """A counter-example as the page takes it."""
    falsehood, example = item.falsehood, item.falsehood.example
    return Refutation(
        says=falsehood.says,
        left=falsehood.left,
        relation=falsehood.relation,
        right=falsehood.right,
        scope=falsehood.scope or scope,
        numbers=(*((name, str(size)) for name, size in example.sizes), *example.scalars),
        entries=example.entries,
        law=example.law,
        place=item.sides.place,
        left_value=item.sides.left,
        right_value=item.sides.right,
        left_digits=item.sides.left_digits,
        right_digits=item.sides.right_digits,
        broken=item.broken,
        instead=falsehood.right_version,
    )


# Replaying records ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Replay:
    """What replay found about a record.

    Attributes:
        name: the theorem, or nothing for the steps of a solved problem.
        steps: an outcome for each step: id, proved, cites, reason.
        claims: likewise for each claim.
        refusal: why the record is refused as a whole, or nothing.
        catalogue: whether the catalogue has the theorem, and so its statement was compared.
    """

    name: str
    steps: tuple[tuple[str, bool, tuple[str, ...], str], ...]
    claims: tuple[tuple[str, bool, tuple[str, ...], str], ...] = ()
    refusal: str = ""
    catalogue: bool = False

    @property
    def is_proved(self) -> bool:
        """Whether everything was recomputed and nothing is refused."""
        items = (*self.steps, *self.claims)
        return bool(items) and not self.refusal and all(proved for _, proved, _, _ in items)

    @property
    def reason(self) -> str:
        """The first thing that is refused, in one sentence; nothing where all is proved."""
        if self.refusal:
            return self.refusal
        for kind, items in (("Step", self.steps), ("Claim", self.claims)):
            for name, proved, _, why in items:
                if not proved:
                    return f"{kind} {name} is not proved: {why.rstrip('.')}."
        return "" if self.is_proved else "The record claims nothing, so there is nothing to prove."

    def as_json(self) -> dict[str, Any]:
        """Everything for machines, as ``symattn replay --json`` prints it."""

        def listed(items: tuple[tuple[str, bool, tuple[str, ...], str], ...]) -> list[dict[str, Any]]:
            return [
                {"id": name, "proved": proved, "cites": list(cites), "reason": why}
                for name, proved, cites, why in items
            ]

        return {
            "format": FORMAT,
            "name": self.name,
            "proved": self.is_proved,
            "catalogue": self.catalogue,
            "reason": self.reason,
            "steps": listed(self.steps),
            "claims": listed(self.claims),
        }


def read_record(data: bytes, source: str) -> Any:
    """The JSON of a record, of bounded size.

    Raises:
        InputError: it is too large, no UTF-8, no JSON, nested too deeply, or names a key twice.
    """
    if len(data) > MAX_RECORD:
        raise InputError(f"{source} is larger than {MAX_RECORD:,} bytes: a record of a proof is not.")
    try:
        return json.loads(data.decode("utf-8-sig"), object_pairs_hook=_table, parse_constant=_refuse_constant)
    except UnicodeDecodeError as error:
        raise InputError(f"{source} is not UTF-8 text: save it as UTF-8.") from error
    except json.JSONDecodeError as error:
        reason = error.msg[:1].lower() + error.msg[1:]
        raise InputError(f"{source}, line {error.lineno}, column {error.colno}: not JSON: {reason}.") from error
    except RecursionError as error:
        raise InputError(f"{source} is nested too deeply for a record of a proof.") from error
    except ValueError as error:  # a numeral of thousands of digits
        raise InputError(f"{source} holds a number that no record of a proof has.") from error


def _table(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise InputError(f"The record names the key {key[:60]!r} twice in one table: keep one of them.")
        found[key] = value
    return found


def _refuse_constant(name: str) -> Any:
    raise InputError(f"The record holds {name}, which is no JSON.")


def replay_record(record: object) -> Replay:
    """Recomputes every step of a record, and compares what it states with the catalogue.

    Of a theorem of the catalogue, the counter-examples, the checks in numbers and the worked case are worked out
    again too. The words that go with single steps are not looked at, nor what a step says about having been proved.

    Args:
        record: what ``prove --json`` wrote, or the steps of a solved problem (``r.derivation.as_json()``).

    Raises:
        InputError: it has another form.

    >>> replay_record(prove("dot-product-mean").as_json()).is_proved
    True
    """
    if isinstance(record, list):
        return _replay_solved(record)
    if not isinstance(record, Mapping):
        raise InputError("A record is a table, or a list of steps.")
    if "claims" not in record and isinstance(record.get("steps"), list) and "statement" not in record:
        return _replay_solved(record["steps"])
    _refuse_results(record)
    try:
        proof = proof_from_json(record)
    except ContradictionError as error:
        return Replay(str(record.get("name")), (), (), str(error))
    known = proof.name in theorems()
    deviation = _deviation(proof) if known else ""
    try:
        found = replay(proof)
    except InputError:
        if not deviation:
            raise
        # Names that cannot be read are a change of the catalogue's: refused as such.
        found = Replayed((), ())
    # The proof alone, as `Proof.as_json` writes it, has nothing beside itself.
    is_alone = not proof.checks and not record.keys() & {"cites", "falsehoods", "instance"}
    if known and not deviation and found.is_proved and not is_alone:
        deviation = _deviation_besides(proof, found, record)
    return Replay(
        proof.name,
        tuple((item.id, item.proved, item.cites, item.reason) for item in found.steps),
        tuple((item.id, item.proved, item.cites, item.reason) for item in found.claims),
        deviation,
        known,
    )


def _refuse_results(record: Mapping[str, Any]) -> None:
    """The numbers of a solved problem hold no steps: it is said which record does."""
    if "quantities" in record and "claims" not in record:
        raise InputError(
            "The file holds the numbers of a solved problem and none of its steps: give what symattn prove --json "
            "wrote, or, from Python, json.dumps(symattn.solve(...).derivation.as_json())."
        )


def _deviation(proof: Proof) -> str:
    """Where a record states something else than the catalogue does for its parameters, or nothing."""
    entry = theorem(proof.name)
    try:
        own = _built(entry, entry.values(dict(proof.parameters)))
    except InputError as error:
        return f"The parameters of the record are not those of {proof.name}: {error}"
    pairs = (
        ("title", proof.title, own.title),
        ("source", proof.source, own.source),
        ("parameters", dict(proof.parameters), dict(own.parameters)),
        ("statement", proof.statement, own.statement),
        ("hypotheses", proof.scope.hypotheses, own.scope.hypotheses),
        ("names", proof.scope, own.scope),
        ("conclusion", proof.conclusion, own.conclusion),
        ("claims", _claimed(proof), _claimed(own)),
    )
    for what, theirs, ours in pairs:
        if theirs != ours:
            return f"The {what} of the record {_verb(what)} not what the catalogue has for {proof.name}."
    return ""


def _deviation_besides(proof: Proof, found: Replayed, record: Mapping[str, Any]) -> str:
    """Where what a record has beside its proof is not what is worked out here, or nothing."""
    own = TheoremDerivation(theorem(proof.name), dict(proof.parameters), proof, found)
    pairs = [
        ("cites", record.get("cites"), _cites_json(found)),
        ("falsehoods", record.get("falsehoods"), [item.as_json() for item in own.falsehoods]),
    ]
    if "instance" in record:
        pairs.append(("instance", record["instance"], _instance_json(own.instance)))
    for what, theirs, ours in pairs:
        if theirs != ours:
            return f"The {what} of the record {_verb(what)} not what is worked out for {proof.name}."
    if proof.checks != _with_checks(_built(own.entry, own.values)).checks:
        return f"The checks of the record are not what is worked out for {proof.name}."
    return ""


def _verb(what: str) -> str:
    return "are" if what.endswith("s") and what != "conclusion" else "is"


def _claimed(proof: Proof) -> list[tuple[str, ...]]:
    return [(item.id, item.left, item.relation, item.right, item.words) for item in proof.claims]


def _replay_solved(steps: list[Any]) -> Replay:
    if len(steps) > _MAX_STEPS:
        raise InputError(f"The record has more than {_MAX_STEPS:,} steps.")
    found = solved.replay(tuple(_solved_step(item, n) for n, item in enumerate(steps)))
    return Replay("", tuple((item.id, item.proved, (), item.reason) for item in found))


def _solved_step(item: object, number: int) -> solved.Step:
    """A step of a solved problem from its record."""
    where = f"steps[{number}]"
    if not isinstance(item, Mapping):
        raise InputError(f"{where} is no table.")
    pairs = [_texts(pair, f"{where}.arguments") for pair in _list(item.get("arguments"), f"{where}.arguments")]
    if any(len(pair) != 2 for pair in pairs):
        raise InputError(f"{where}.arguments is no list of pairs.")
    return solved.Step(
        id=_text(item.get("id"), f"{where}.id"),
        rule=_text(item.get("rule"), f"{where}.rule"),
        arguments=tuple((pair[0], pair[1]) for pair in pairs),
        premises=_texts(item.get("premises"), f"{where}.premises"),
        before=_text(item.get("before"), f"{where}.before"),
        after=tuple(_texts(row, f"{where}.after") for row in _list(item.get("after"), f"{where}.after")),
    )


def _list(value: object, where: str) -> list[Any]:
    if not isinstance(value, list | tuple) or len(value) > _MAX_ROWS:
        raise InputError(f"{where} is no list of at most {_MAX_ROWS:,} items.")
    return list(value)


def _text(value: object, where: str) -> str:
    if not isinstance(value, str) or len(value) > _MAX_TEXT:
        raise InputError(f"{where} is no text of at most {_MAX_TEXT:,} characters.")
    return value


def _texts(value: object, where: str) -> tuple[str, ...]:
    return tuple(_text(item, where) for item in _list(value, where))
