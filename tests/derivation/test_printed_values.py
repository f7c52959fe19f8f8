"""Digits that a record prints are rounded again by replay: a changed one is refused, whatever its digest says."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest

from symattn.api.proofs.record_replay import Replay, replay_record
from symattn.api.solutions import solve
from symattn.api.transcripts import digest
from symattn.errors import InputError
from symattn.exact.rounding.quotients import Rounding
from symattn.problem.model import Problem

_LAYER: dict[str, Any] = {"Q": [[1, 0], [0, 1]], "K": [[3, "1/3"], [0, 2]], "V": [["1/7", 200000], [3, -4]]}
_PROBLEMS: dict[str, tuple[dict[str, Any], Rounding | None]] = {
    "at the end": ({}, None),
    "every step": ({"rounding": {"places": 2, "steps": "all"}}, None),
    "other digits for some": (
        {"rounding": {"places": 2, "steps": "all", "each": {"exponentials": {"places": 3}, "weights": {"figures": 4}}}},
        None,
    ),
    "figures": ({"rounding": {"figures": 3, "ties": "half-even", "steps": ["weights"]}}, None),
    "cut off": ({"rounding": {"places": 3, "ties": "truncate"}}, None),
    "more places": ({"rounding": {"places": 2, "steps": "matrices"}}, Rounding(places=9)),
    "more figures": ({}, Rounding(figures=2)),
    "nothing in sight": ({"mask": {"keep": [[1, 1], [0, 0]]}}, None),
    "hidden keys": ({"mask": {"keep": [[1, 0], [1, 1]]}}, None),
    "nothing seen at all": ({"mask": {"add": [["-inf", "-inf"], ["-inf", "-inf"]]}}, None),
    "a letter": ({"V": [["a", 1], [3, -4]], "symbols": {"a": "real"}}, None),
    "no closed form": ({"softcap": 3}, None),
}


def _record(name: str) -> dict[str, Any]:
    keys, rounding = _PROBLEMS[name]
    found = json.loads(json.dumps(solve(Problem.build(**{**_LAYER, **keys})).as_json(rounding)))
    assert isinstance(found, dict)
    return found


def _replayed(record: dict[str, Any], change: Callable[[dict[str, Any]], None]) -> Replay:
    """Return what replay says of a record that was changed, its digest with it."""
    changed = copy.deepcopy(record)
    change(changed)
    changed["digest"] = digest(changed)
    return replay_record(changed)


def _put(record: dict[str, Any], place: tuple[str, str, int, int], text: str) -> None:
    quantity, key, row, column = place
    record["quantities"][quantity][key][row][column] = text


def _changed_digits(text: str) -> Iterator[str]:
    """Yield a number with its last digit changed, and with another sign."""
    at = max(place for place, sign in enumerate(text.partition("e")[0]) if sign.isdigit())
    yield text[:at] + str((int(text[at]) + 1) % 10) + text[at + 1 :]
    yield text.removeprefix("-") if text.startswith("-") else f"-{text}"


@pytest.mark.sample(3)
@pytest.mark.parametrize("name", _PROBLEMS)
def test_every_changed_number_is_refused(name: str) -> None:
    record = _record(name)
    assert _replayed(record, lambda _: None).is_proved
    for quantity, table in record["quantities"].items():
        for key in ("decimal", "stepwise"):
            row, column, text = next(
                (
                    (r, c, text)
                    for r, row in enumerate(table[key])
                    for c, text in enumerate(row)
                    if text not in {None, "-inf"}
                ),
                (0, 0, "1"),
            )
            for other in _changed_digits(text):
                found = _replayed(record, partial(_put, place=(quantity, key, row, column), text=other))
                assert found.reason.startswith(f"The {key} values of {quantity} are not those of its step"), (
                    other,
                    text,
                )


@pytest.mark.parametrize(
    ("name", "keys"),
    [
        ("every step", {"places": 3}),
        ("every step", {"ties": "truncate"}),
        ("every step", {"steps": "end"}),
        ("every step", {"places": None, "figures": 2}),
        ("other digits for some", {"each": {}}),
        ("at the end", {"steps": "all"}),
        ("at the end", {"places": 5}),
        ("cut off", {"ties": "half-up"}),
    ],
)
def test_another_policy_than_that_of_the_steps_is_refused(name: str, keys: dict[str, Any]) -> None:
    found = _replayed(_record(name), lambda record: record["policy"].update(keys))
    assert not found.is_proved
    assert found.reason


@pytest.mark.parametrize(
    "policy",
    [
        None,
        [],
        {},
        {"each": []},
        {"each": {"weights": 3}},
        {"places": True},
        {"places": "2"},
        {"places": 10**9},
        {"ties": []},
    ],
)
def test_what_is_not_a_policy_is_refused(policy: object) -> None:
    record = _record("at the end")
    record["policy"] = policy if not isinstance(policy, dict) or not policy else {**record["policy"], **policy}
    with pytest.raises(InputError):
        replay_record(record)


def test_an_enclosure_is_not_widened() -> None:
    record = _record("at the end")
    found = _replayed(
        record, lambda changed: changed["quantities"]["A"].update(decimal=[["[0, 1] (not settled)"] * 2] * 2)
    )
    assert not found.is_proved
