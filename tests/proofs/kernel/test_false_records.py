"""False records of every kind are refused by the kernel alone, and by `symattn replay` with status 1."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from symattn.cli.main import main
from symattn.errors import InputError
from symattn.proofs.kernel.record import Claim, Proof, Step, proof_from_json
from symattn.proofs.language.scope import Declared, Defined, Hypothesis, Scope
from symattn.proofs.proof_replay import replay
from tests import tables

_KINDS: dict[str, list[dict[str, Any]]] = tables.read("proofs/kernel/false_records.yaml")
_TRUE = _KINDS.pop("proved")
_CASES = [pytest.param(case, id=f"{kind}: {case['name']}") for kind, cases in _KINDS.items() for case in cases]


def _declared(text: str) -> Declared:
    name, sign, *rest = text.split()
    return Declared(name, tuple(size for size in rest if size != "random"), sign, random="random" in rest)  # type: ignore[arg-type]


def _hypothesis(number: int, kind: str, about: str, *values: str) -> Hypothesis:
    names = about.split(",") if about else []
    return Hypothesis(f"H{number}", "", kind, tuple(names), values)  # type: ignore[arg-type]


def _step(number: int, before: str, rule: str, relation: str, after: str, extra: dict[str, Any] | None = None) -> Step:
    given = dict(extra or {})
    hypotheses, premises = given.pop("use", ()), given.pop("from", ())
    return Step(str(number), rule, before, relation, after, tuple(hypotheses), tuple(premises), tuple(given.items()))


def record(case: dict[str, Any]) -> dict[str, Any]:
    """Return a case as JSON holds it."""
    scope = Scope(
        tuple(map(_declared, case["declared"])),
        tuple(Defined(a, tuple(b.split()), tuple(c.split()), d) for a, b, c, d in case.get("defined", ())),
        tuple(_hypothesis(n, *item) for n, item in enumerate(case.get("assume", ()), 1)),
        *(tuple(case.get(part, ())) for part in ("fixed", "permutations", "functions")),
    )
    steps = tuple(_step(n, *item) for n, item in enumerate(case["steps"], 1))
    last = steps[-1]
    left, relation, right, chain = case.get("claim") or (last.before, last.relation, last.after, [last.id])
    claim = Claim("C1", left, relation, right, tuple(chain))
    return Proof("false", "", "", (), scope, (claim,), steps).as_json()


def _reason(given: dict[str, Any]) -> str:
    try:
        found = replay(proof_from_json(given))
    except InputError as fault:
        return str(fault)
    return "; ".join(item.reason for item in found.faults)


@pytest.mark.parametrize("case", _CASES)
def test_the_kernel_refuses_it(case: dict[str, Any]) -> None:
    reason = _reason(record(case))
    assert reason
    assert case["why"] in reason


@pytest.mark.parametrize("case", _TRUE, ids=lambda case: str(case["name"]))
def test_its_true_sibling_is_proved(case: dict[str, Any]) -> None:
    assert not _reason(record(case))


@pytest.mark.parametrize("case", _CASES)
def test_replay_refuses_it_with_status_1(case: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "record.json"
    path.write_text(json.dumps(record(case)), "utf-8")
    with pytest.raises(SystemExit) as ended:
        main(["replay", str(path)])
    assert ended.value.code == 1


@pytest.mark.parametrize("number", [True, 1.0, "1", None, [1], 2])
def test_a_format_is_the_number_1(number: object) -> None:
    given = record(_TRUE[0])
    assert not _reason(given)
    assert "and 1 is expected" in _reason({**given, "format": number})
