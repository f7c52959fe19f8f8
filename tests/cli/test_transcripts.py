"""``symattn replay`` of what ``solve --json`` writes: steps recomputed, closed forms compared, the digest checked."""

from __future__ import annotations

import hashlib
import json
from copy import deepcopy
from functools import cache
from typing import Any

import pytest

import symattn as sa
from symattn.api.transcripts import digest
from tests.checking.stacks import stack_tables
from tests.cli.runner import SMALL, Outcome, refused, run

Record = dict[str, Any]

KINDS: dict[str, dict[str, Any]] = {
    "plain": {},
    "rounded": {"rounding": {"places": 2, "steps": "all"}},
    "symbols": {"Q": [["a"]], "symbols": {"a": "real"}},
    "masked": {"mask": {"add": [["-inf", "-inf"]]}},
    "positions": {"Q": [[1, 2]], "K": [[1, 1], [2, 0]], "positions": {"kind": "rope"}},
    "online": {"online": 1},
    "batch": {"Q": [[[1]], [[2]]]},
    "blocks": stack_tables(3),
}


@cache
def solved(kind: str) -> str:
    keys = KINDS[kind]
    given = keys if kind == "blocks" else {"Q": [[1]], "K": [[1], [2]], "V": [[1], ["1/3"]], "scale": "none", **keys}
    return json.dumps(sa.solve(sa.Problem.build(**given)).as_json())


def replayed(record: Record, *, signed: bool = True) -> Outcome:
    """Replay a record, with the digest of its content."""
    return run("replay", "-", stdin=json.dumps({**record, "digest": digest(record)} if signed else record))


@pytest.mark.parametrize("kind", KINDS)
def test_what_solve_writes_is_replayed(kind: str) -> None:
    outcome = run("replay", "-", stdin=solved(kind))
    assert (outcome.status, outcome.err) == (0, "")
    steps = len(json.loads(solved(kind))["derivation"])
    assert outcome.out.startswith(f"{steps} steps of a solved problem recomputed. ")
    assert "closed forms and the digits compared" in outcome.out
    assert "The digest matches the content." in outcome.out


def test_the_file_of_solve_is_replayed_directly() -> None:
    assert run("replay", "-", stdin=run("solve", "-", "--json", stdin=SMALL).out).status == 0


def test_the_digest_is_that_of_canonical_json() -> None:
    record = json.loads(solved("plain"))
    content = {key: value for key, value in record.items() if key not in {"digest", "versions"}}
    del content["problem"]["source"]
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    assert record["digest"] == hashlib.sha256(text.encode()).hexdigest()
    proof = json.loads(run("prove", "dot-product-mean", "--json").out)
    assert proof["digest"] == digest(proof)
    assert proof["versions"].keys() == record["versions"].keys()


@pytest.mark.sample(2)
@pytest.mark.parametrize("kind", KINDS)
def test_a_changed_closed_form_is_refused_whatever_the_digest_says(kind: str) -> None:
    record = json.loads(solved(kind))
    for table in record.get("sequences", [record]):
        for name, quantity in table["quantities"].items():
            entry = quantity["exact"][0][0]
            quantity["exact"][0][0] = "7/13" if entry is not None or kind == "masked" else entry
            outcome = replayed(record)
            quantity["exact"][0][0] = entry
            assert entry is None or (outcome.status == 1 and name in outcome.out), (name, outcome)
    assert replayed(record).status == 0


def test_a_changed_step_is_refused_whatever_the_digest_says() -> None:
    record = json.loads(solved("plain"))
    for step in record["derivation"][3:]:
        own, step["after"] = step["after"], [["7/13" for _ in row] for row in step["after"]]
        assert replayed(record).status == 1
        step["after"] = own


def _changed(record: Record, key: str) -> Record:
    own = deepcopy(record)
    match key:
        case "decimal" | "stepwise":
            own["quantities"]["O"][key] = [["7.0000"]]
        case "label":
            own["quantities"]["O"][key] = "P"
        case "pattern":
            own["pattern"]["hub"] = 1
        case "policy":
            own["policy"]["strict"] = True
        case "problem" | "convention":
            own[key][next(iter(own[key]))] = "other"
        case "statements":
            own["statements"]["proved"] += 1
        case _:
            own[key] = [*own[key], {}] if isinstance(own[key], list) else "other"
    return own


COVERED = ("label", "pattern", "problem", "policy", "convention", "statements", "warnings")


@pytest.mark.parametrize("key", COVERED)
def test_what_is_not_recomputed_is_under_the_digest(key: str) -> None:
    outcome = replayed(_changed(json.loads(solved("rounded")), key), signed=False)
    assert outcome.status == 1
    assert "changed after it was written" in outcome.out


@pytest.mark.parametrize("key", ["decimal", "stepwise"])
def test_changed_digits_are_refused_whatever_the_digest_says(key: str) -> None:
    outcome = replayed(_changed(json.loads(solved("rounded")), key))
    assert outcome.status == 1
    assert f"The {key} values of O" in outcome.out


def test_versions_may_differ() -> None:
    record = json.loads(solved("plain"))
    assert replayed({**record, "versions": {"symattn": "99", "python": "4"}}, signed=False).status == 0


def test_a_proof_with_another_digest_is_refused() -> None:
    record = json.loads(run("prove", "dot-product-mean", "--json").out)
    outcome = run("replay", "-", stdin=json.dumps({**record, "digest": "0" * 64}))
    assert outcome.status == 1
    assert "digest" in outcome.out


def test_without_a_digest_only_what_is_recomputed_counts() -> None:
    record = json.loads(solved("plain"))
    del record["digest"]
    outcome = replayed(record, signed=False)
    assert outcome.status == 0
    assert "digest" not in outcome.out


def test_theorems_of_a_key_are_named_only() -> None:
    parts = [{"asks": "map"}, {"asks": "prove:dot-product-mean"}]
    given: Record = {"Q": [[1]], "K": [[1], [2]], "V": [[1], [2]], "parts": parts}
    outcome = replayed(sa.solve(sa.Problem.build(**given)).as_json(), signed=False)
    assert outcome.status == 0
    assert "named only" in outcome.out
    alone = sa.solve(sa.Problem.build(parts=parts[1:])).as_json()
    refused(replayed(alone, signed=False), "none of its steps", "prove --json")


BROKEN: dict[str, Record] = {
    "another format": {"format": 2},
    "no quantities": {"quantities": None},
    "quantities of another form": {"quantities": [1]},
    "a quantity of another form": {"quantities": {"S": 1}},
    "rows of another form": {"quantities": {"S": {"exact": [1]}}},
    "entries of another form": {"quantities": {"S": {"exact": [[1, 2]]}}},
    "a form that cannot be read": {"quantities": {"S": {"exact": [["1/", "2"]]}}},
    "a float": {"quantities": {"S": {"exact": [["x.y(", "2"]]}}},
    "steps of another form": {"derivation": {"a": 1}},
    "a step of another form": {"derivation": [1]},
    "sequences of another form": {"sequences": 3},
}


@pytest.mark.parametrize("changes", BROKEN.values(), ids=BROKEN.keys())
def test_a_transcript_of_another_form_is_refused(changes: Record) -> None:
    refused(replayed({**json.loads(solved("plain")), **changes}))


@pytest.mark.parametrize("exact", [[], [["1"]], [["1", "2"], ["1", "2"]], [["1", "2", "3"]]])
def test_other_shapes_are_refused(exact: list[list[str]]) -> None:
    assert replayed({**json.loads(solved("plain")), "quantities": {"S": {"exact": exact}}}).status == 1


def test_a_quantity_without_a_step_is_refused() -> None:
    record = json.loads(solved("plain"))
    record["quantities"]["P"] = record["quantities"]["S"]
    outcome = replayed(record)
    assert outcome.status == 1
    assert "P" in outcome.out
