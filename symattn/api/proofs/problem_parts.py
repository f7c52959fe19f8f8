"""The theorems that the parts of a problem ask for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from symattn.api.proofs.derivations import TheoremDerivation, level_of, parameters_of, proved
from symattn.errors import InputError
from symattn.problem.model import Part, Problem
from symattn.problem.values.checks import place_of
from symattn.proofs.catalogue import registry
from symattn.proofs.catalogue.registry import theorem
from symattn.proofs.kernel.record import Claim, Proof, Step
from symattn.proofs.language.scope import Scope
from symattn.proofs.proof_replay import Replayed
from symattn.rendering.content import Proved


def part_proofs(problem: Problem) -> tuple[Proved, ...]:
    """Return the theorems and facts that the parts of a problem ask for, proved, with the claims that they name.

    Raises:
        InputError: an unknown theorem, claim or parameter, or a theorem without a worked case in numbers.
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
        yield replace(item, part=number, instance=rows, detail=level_of(part.detail) if part.detail else None)
    for name, claim in facts:
        found = _chosen(name, part.settings, place("facts"))
        item = _with_claims(found, (claim,) if claim else (), place("facts"))
        yield replace(item, part=number, is_fact=True)


def _check_settings(part: Part, names: Sequence[str], place: str) -> None:
    """Refuse a value unless some theorem of the part has its parameter."""
    known = {item.name for name in names if name in registry.theorems() for item in theorem(name).parameters}
    for name, _ in part.settings:
        if name not in known:
            has = f"it has {', '.join(sorted(known))}" if known else "it has none"
            raise InputError(f"{place}: what the part proves has no parameter {name}; {has}.")


def _chosen(name: str, settings: tuple[tuple[str, str], ...], place: str) -> TheoremDerivation:
    """Return a theorem of a part with its values; proofs are made once, however many keys hold them."""
    try:
        own = {item.name for item in theorem(name).parameters}
        return _proved_once(name, tuple(pair for pair in settings if pair[0] in own))
    except InputError as error:
        raise InputError(f"{place}: {error}") from error


@lru_cache(maxsize=64)
def _proved_once(name: str, settings: tuple[tuple[str, str], ...]) -> TheoremDerivation:
    return proved(name, dict(settings))


def _with_claims(found: TheoremDerivation, names: Sequence[str], place: str) -> Proved:
    """Return the proof of some claims: the steps they need, with the findings of replay and the checks on them."""
    proof = replace(found.proof, parameters=parameters_of(found))
    known = {claim.id: claim for claim in proof.claims}
    for name in names:
        if name not in known:
            raise InputError(f"{place}: {proof.name} has no claim {name}; it has {', '.join(known)}.")
    if not names or set(names) == set(known):
        return Proved(proof, found.replayed, 0, auxiliary=found.entry.auxiliary(found.values))
    claims = tuple(claim for claim in proof.claims if claim.id in names)
    wanted = proof.resting_on(step for claim in claims for step in claim.steps)
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
    """Return the scope of some claims, without the assumptions and abbreviations of the others alone."""
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


def _claim_of(text: str) -> str:
    """Return the claim that a check speaks of, or nothing."""
    found = re.match("C[0-9]+", text)
    return found[0] if found else ""


def _instance(found: TheoremDerivation, place: str) -> tuple[tuple[str, str, str], ...]:
    if not found.instance:
        raise InputError(f"{place}: {found.proof.name} has no worked case in numbers for these values; leave it out.")
    return tuple((line.text, line.exact, line.digits) for line in found.instance)


def proofs_json(items: Sequence[Proved]) -> list[dict[str, Any]]:
    """Return the theorems of a key for machines; ``symattn prove NAME --json`` has the steps themselves."""
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
