"""Mutated records of the catalogue: what a model refutes, the kernel refuses by itself."""

from __future__ import annotations

import copy
import json
import re
from collections import Counter
from collections.abc import Callable
from functools import cache
from random import Random
from typing import Any

import pytest

from symattn.errors import InputError, NotationError, ShapeError
from symattn.proofs.catalogue.registry import theorems
from symattn.proofs.kernel.record import proof_from_json
from symattn.proofs.model.verdict import check_models
from symattn.proofs.proof_replay import replay

pytestmark = pytest.mark.unmeasured

Record = dict[str, Any]
_FAULTS = (InputError, NotationError, ShapeError)


@cache
def _records() -> dict[str, str]:
    return {name: json.dumps(entry.build(entry.values({})).as_json()) for name, entry in theorems().items()}


def _everywhere(record: Record, pattern: str, change: Callable[[str], str], rng: Random) -> None:
    """Change one text that occurs in a step wherever it occurs, so that the steps still fit together."""
    step = rng.choice(record["steps"])
    text = step[rng.choice(["before", "after"])]
    places = list(re.finditer(pattern, text))
    if not places:
        return
    place = rng.choice(places)
    changed = text[: place.start()] + change(place.group()) + text[place.end() :]
    for item in (*record["steps"], *record["claims"]):
        for side in ("before", "after", "left", "right"):
            if item.get(side) == text:
                item[side] = changed


def _constant(rng: Random, record: Record) -> None:
    _everywhere(record, r"(?<![\w.^_{=])\d+(?![\w.])", lambda text: str(int(text) + 1), rng)


def _sign(rng: Random, record: Record) -> None:
    _everywhere(record, r"[+\-]", lambda text: "-" if text == "+" else "+", rng)


def _index(rng: Random, record: Record) -> None:
    _everywhere(record, r"(?<=_)[ijlrs](?!\w)", lambda text: rng.choice([c for c in "ijlrs" if c != text]), rng)


def _upper(rng: Random, record: Record) -> None:
    _everywhere(record, r"(?<=\}\^\{)[A-Za-z_]+(?=\})", lambda text: f"{text} - 1", rng)


def _weaker_sign(rng: Random, record: Record) -> None:
    item = rng.choice(record["names"]["declared"])
    item["sign"] = {"positive": "nonnegative", "nonnegative": "real"}.get(item["sign"], item["sign"])


def _shorter(rng: Random, record: Record) -> None:
    sized = [item for item in record["names"]["declared"] if item["sizes"]]
    if sized:
        item = rng.choice(sized)
        item["sizes"] = [f"{item['sizes'][0]} - 1", *item["sizes"][1:]]


def _dropped(rng: Random, record: Record) -> None:
    """No step uses one of the hypotheses."""
    if record["hypotheses"]:
        name = rng.choice(record["hypotheses"])["id"]
        for step in record["steps"]:
            step["hypotheses"] = [item for item in step["hypotheses"] if item != name]


def _value(rng: Random, record: Record) -> None:
    """Another number in what a hypothesis says, or another law."""
    valued = [item for item in record["hypotheses"] if item["values"]]
    if not valued:
        return
    item = rng.choice(valued)
    if item["values"][0] == "gaussian":
        item["values"] = ["uniform", "-1", "1"] if rng.random() < 1 / 2 else ["rademacher"]
    else:
        at = rng.randrange(len(item["values"]))
        item["values"][at] = re.sub(r"\b\d\b", lambda found: str(int(found.group()) + 1), item["values"][at], count=1)


def _members(rng: Random, record: Record) -> None:
    """A hypothesis speaks of fewer names."""
    several = [item for item in record["hypotheses"] if len(item["about"]) > 1]
    if several:
        item = rng.choice(several)
        item["about"].remove(rng.choice(item["about"]))


_KINDS = (_constant, _sign, _index, _upper, _weaker_sign, _shorter, _dropped, _value, _members)


def _mutant(rng: Random) -> tuple[str, Record]:
    while True:
        name, kind = rng.choice(sorted(_records())), rng.choice(_KINDS)
        record: Record = json.loads(_records()[name])
        before = copy.deepcopy(record)
        kind(rng, record)
        record["conclusion"] = [f"{item['left']} {item['relation']} {item['right']}" for item in record["claims"]]
        if record != before:
            return f"{name}: {kind.__name__}", record


def _is_proved(record: Record) -> bool:
    try:
        return replay(proof_from_json(record)).is_proved
    except _FAULTS:
        return False


def _tally(seed: int, count: int, *, whole: bool) -> tuple[list[str], Counter[str]]:
    """Return the mutants that the kernel accepts and a model refutes, and how many each of them refuses."""
    rng, found, counts = Random(seed), [], Counter[str]()
    for number in range(count):
        what, record = _mutant(rng)
        is_proved = _is_proved(record)
        counts["accepted by the kernel" if is_proved else "refused by the kernel"] += 1
        if is_proved or whole:
            refutation = check_models(proof_from_json(record), 12, 30_000).refutation
            counts["refuted by a model"] += bool(refutation)
            if is_proved and refutation:
                found.append(f"{number} {what}: {refutation}")
    return found, counts


def test_the_kernel_refuses_what_a_model_refutes() -> None:
    found, counts = _tally(7, 16, whole=False)
    assert not found
    assert counts["refused by the kernel"] > counts["accepted by the kernel"]


@pytest.mark.long
def test_the_kernel_refuses_what_a_model_refutes_of_many() -> None:
    found, counts = _tally(2_000, 2_000, whole=True)
    assert not found
    assert counts["refuted by a model"] > 800
