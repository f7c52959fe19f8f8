"""Records of proofs with one thing changed at random: where a step or the conclusion is not true now, all are refused.

Whether a change matters is told by another evaluator than the one on trial: trees at numbers, at small cases that
satisfy the hypotheses. A change that it does not show to matter is drawn again, and counted.
"""

from __future__ import annotations

import copy
import random
import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from itertools import islice
from typing import Any

import pytest

from symattn.api.proofs import replay_record
from symattn.errors import InputError, NotationError, ShapeError
from symattn.proofs.cases.counterexamples import both_sides
from symattn.proofs.cases.evaluation import NumericEvaluator
from symattn.proofs.cases.small_cases import case
from symattn.proofs.catalogue.registry import theorems
from symattn.proofs.kernel.record import Proof, Step, proof_from_json
from symattn.proofs.language.scope import Scope

pytestmark = pytest.mark.unmeasured

Record = dict[str, Any]

_WORK = 12_000
_PLACES = 64
_DRAWS = 60
_SHORT = 14
_RELATIONS = ("=", "≤", "<", "≥", ">")


@cache
def _records() -> Mapping[str, Record]:
    return {name: entry.build(entry.values({})).as_json() for name, entry in theorems().items()}


# Changes: each gives what it did to a copy, and whether truth decides if it matters, or nothing. -----------------


def _in_text(rng: random.Random, record: Record, pattern: str, change: Callable[[str], str]) -> str:
    """Changes one place in one side of a step."""
    step = rng.choice(record["steps"])
    side = rng.choice(["before", "after"])
    places = list(re.finditer(pattern, step[side]))
    if not places:
        return ""
    place = rng.choice(places)
    step[side] = step[side][: place.start()] + change(place.group()) + step[side][place.end() :]
    return str(step["id"])


def _coefficient(rng: random.Random, record: Record) -> str:
    return _in_text(rng, record, r"(?<![\w.^_{=])\d+(?![\w.])", lambda text: str(int(text) + rng.choice([1, 2])))


def _sign(rng: random.Random, record: Record) -> str:
    return _in_text(rng, record, r"[+\-]", lambda text: "-" if text == "+" else "+")


def _index(rng: random.Random, record: Record) -> str:
    return _in_text(rng, record, r"(?<=_)[ijklrs](?!\w)", lambda text: rng.choice([c for c in "ijklrs" if c != text]))


def _exponent(rng: random.Random, record: Record) -> str:
    return _in_text(rng, record, r"(?<=\^)\d+", lambda text: str(int(text) + 1))


def _relation(rng: random.Random, record: Record) -> str:
    step = rng.choice(record["steps"])
    if step["relation"] not in _RELATIONS:
        return ""
    step["relation"] = rng.choice([item for item in _RELATIONS if item != step["relation"]])
    return str(step["id"])


def _hypothesis(rng: random.Random, record: Record) -> str:
    step = rng.choice(record["steps"])
    if not step["hypotheses"]:
        return ""
    dropped = rng.choice(step["hypotheses"])
    step["hypotheses"] = [item for item in step["hypotheses"] if item != dropped]
    return f"{step['id']} without {dropped}"


def _rule(rng: random.Random, record: Record) -> str:
    step = rng.choice(record["steps"])
    step["rule"] = rng.choice(["lemma:" + step["rule"], step["rule"] + "s", step["rule"].upper()])
    return "structure"


def _removed(rng: random.Random, record: Record) -> str:
    step = rng.choice(record["steps"])
    record["steps"].remove(step)
    uses = [name for item in record["steps"] for name in item["premises"]]
    uses += [name for item in record["claims"] for name in item["steps"]]
    return "structure" if step["id"] in uses else ""


def _claim(rng: random.Random, record: Record) -> str:
    claim = rng.choice(record["claims"])
    side = rng.choice(["left", "right"])
    if claim["relation"] not in _RELATIONS:
        return ""
    claim[side] = f"2*({claim[side]})"
    record["conclusion"] = [f"{item['left']} {item['relation']} {item['right']}" for item in record["claims"]]
    return "structure"


_KINDS = (_coefficient, _sign, _index, _exponent, _relation, _hypothesis, _rule, _removed, _claim)


# Whether it matters --------------------------------------------------------------------------------


def _is_false(step: Step, scope: Scope) -> bool:
    """Whether a step does not hold in some small case that satisfies the hypotheses of a scope."""
    is_normal = any("gaussian" in item.values or item.kind == "normal-vector" for item in scope.hypotheses)
    if is_normal and re.search(r"E\((exp|cos|sin)", step.before + step.after):
        return False  # the cases have a law of three points with the first moments of the normal one, and no more
    apart = [item.about for item in scope.hypotheses if item.kind == "distinct"]
    for number, size in enumerate((2, 3)):
        try:
            model = case(scope, size, number)
            if model is None:
                continue
            found = both_sides(step.before, step.relation, step.after, NumericEvaluator(scope, model, _WORK), apart)
            if any(item.stands is False for item in islice(found, _PLACES)):
                return True
        except (InputError, NotationError, ShapeError):
            continue
    return False


def _matters(record: Record, what: str) -> bool:
    if what == "structure":
        return True
    proof = proof_from_json(record)
    name, _, dropped = what.partition(" without ")
    scope = proof.scope
    if dropped:
        scope = replace(scope, hypotheses=tuple(item for item in scope.hypotheses if item.id != dropped))
    (step,) = (item for item in proof.steps if item.id == name)
    return _is_false(step, scope)


def _drawn(rng: random.Random, names: list[str], counts: Counter[str]) -> tuple[str, Record]:
    """A record with a change that matters."""
    for _ in range(_DRAWS):
        name, kind = rng.choice(names), rng.choice(_KINDS)
        record = copy.deepcopy(_records()[name])
        what = kind(rng, record)
        if what and _matters(record, what):
            counts[kind.__name__] += 1
            return f"{name}: {kind.__name__} {what}", record
        counts["equivalent or open" if what else "nothing to change"] += 1
    raise AssertionError("no change that matters was found")


def _is_accepted(record: Record) -> bool:
    try:
        return replay_record(record).is_proved
    except (InputError, NotationError, ShapeError):
        return False


def _accepted(seed: int, number: int, names: list[str]) -> tuple[list[str], Counter[str]]:
    """The changed records that are accepted, which none should be, and how many changes of each kind there were."""
    rng, counts = random.Random(seed), Counter[str]()
    found = []
    for _ in range(number):
        what, record = _drawn(rng, names, counts)
        if _is_accepted(record):
            found.append(what)
    return found, counts


def _short() -> list[str]:
    return [name for name, record in _records().items() if len(record["steps"]) <= _SHORT]


def test_changed_records_are_refused() -> None:
    found, counts = _accepted(20, 30, _short())
    assert not found
    assert len([kind for kind in _KINDS if counts[kind.__name__]]) >= 6


def test_an_unchanged_record_is_accepted() -> None:
    name = _short()[0]
    assert _is_accepted(copy.deepcopy(_records()[name]))


def test_the_evaluator_finds_the_steps_true() -> None:
    for name in _short()[:8]:
        proof: Proof = proof_from_json(_records()[name])
        assert not [step.id for step in proof.steps if _is_false(step, proof.scope)]


@pytest.mark.long
def test_many_changed_records_are_refused() -> None:
    found, counts = _accepted(300, 300, list(_records()))
    assert not found
    assert all(counts[kind.__name__] for kind in _KINDS)
