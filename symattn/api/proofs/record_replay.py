"""TRUSTED. Records read and replayed, from the record alone."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from symattn.api.proofs import deviations
from symattn.api.proofs.printed_values import PrintedPolicy
from symattn.api.transcripts import digest
from symattn.errors import InputError
from symattn.graph import derivation_replay as solved
from symattn.graph.quantities.quantity import Grid
from symattn.proofs.kernel.record import (
    FORMAT,
    ContradictionError,
    plain_list,
    plain_text,
    plain_texts,
    proof_from_json,
    refuse_format,
)
from symattn.proofs.model import verdict as models_check
from symattn.proofs.proof_replay import replay
from symattn.records import dataclass

MAX_RECORD = 5_000_000
"""Bytes of a record that is replayed."""

_MAX_STEPS = 5_000
_MAX_TEXT = 200_000
_text, _texts = partial(plain_text, most=_MAX_TEXT), partial(plain_texts, most=_MAX_TEXT)


@dataclass(frozen=True, slots=True)
class Replay:
    """The findings of replay about a record.

    Attributes:
        name: the theorem, or nothing for the steps of a solved problem.
        steps: an outcome for each step: id, proved, cites, reason.
        claims: likewise for each claim.
        refusal: why the record is refused as a whole, or nothing.
        catalogue: whether the catalogue has the theorem, and so its statement was compared.
        notes: sentences on what else was compared, and what was not.
        models: the number of models of its hypotheses that were tried; 0 where it is refused without them.
        vacuous: the ids of the claims for whose hypotheses no model was found, so that they may say nothing.
    """

    name: str
    steps: tuple[tuple[str, bool, tuple[str, ...], str], ...]
    claims: tuple[tuple[str, bool, tuple[str, ...], str], ...] = ()
    refusal: str = ""
    catalogue: bool = False
    notes: tuple[str, ...] = ()
    models: int = 0
    vacuous: tuple[str, ...] = ()

    @property
    def is_proved(self) -> bool:
        """True if everything was recomputed and nothing is refused."""
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
        """Return everything for machines, as ``symattn replay --json`` prints it."""

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
            "notes": list(self.notes),
            "models": self.models,
            "vacuous": list(self.vacuous),
            "steps": listed(self.steps),
            "claims": listed(self.claims),
        }


def read_record(data: bytes, source: str) -> Any:
    """Return the JSON of a record, of bounded size.

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
    raise InputError(f"The record holds {name}, which is not JSON.")


def replay_record(record: object) -> Replay:
    """Recompute every step of a record, and compare its statements with the catalogue.

    Of a theorem of the catalogue, the counter-examples, the checks in numbers and the worked case are worked out
    again too. Each step and claim is also evaluated in small models of its hypotheses, and a record that fails in one
    is refused. The words that go with single steps are not looked at, nor what a step says about having been proved.

    Args:
        record: what ``prove --json`` or ``solve --json`` wrote, of one problem or several, or steps alone
            (``r.derivation.as_json()``).

    Raises:
        InputError: it has another form.

    >>> from symattn import prove
    >>> replay_record(prove("dot-product-mean").as_json()).is_proved
    True
    """
    if isinstance(record, list):
        return _replay_solved(record)
    if not isinstance(record, Mapping):
        raise InputError("A record is a table, or a list of steps.")
    if "problems" in record:
        return _replay_sheet(plain_list(record["problems"], "problems"))
    return _with_digest(_replay_table(record), record)


def _replay_sheet(problems: Sequence[Any]) -> Replay:
    """Recompute the problems of a sheet, each of which has a digest of its own.

    Raises:
        InputError: no problem has steps, or one has another form.
    """
    found, without = list[tuple[int, Replay]](), list[str]()
    for number, record in enumerate(problems, 1):
        if not isinstance(record, Mapping):
            raise InputError(f"problems[{number}] must be a table.")
        if "derivation" in record:
            found.append((number, _with_digest(_replay_transcript(record), record)))
        else:
            without.append(str(number))
    if not found:
        _refuse_results({"statements": None})
    steps = tuple(
        (f"{number}: {name}", proved, cites, why) for number, one in found for name, proved, cites, why in one.steps
    )
    refusals = [f"Problem {number}: {one.reason}" for number, one in found if not one.is_proved]
    notes = [f"Problem {number}: {note}" for number, one in found for note in one.notes]
    notes += [f"Problem{'s' * (len(without) > 1)} {', '.join(without)}: no steps in numbers."] if without else []
    return Replay("", steps, refusal=next(iter(refusals), ""), notes=tuple(notes))


def _replay_table(record: Mapping[str, Any]) -> Replay:
    """Recompute a record that is a table."""
    if "derivation" in record:
        return _replay_transcript(record)
    if "claims" not in record and isinstance(record.get("steps"), list) and "statement" not in record:
        return _replay_solved(record["steps"])
    _refuse_results(record)
    try:
        proof = proof_from_json(record)
    except ContradictionError as error:
        return Replay(str(record.get("name")), (), (), str(error))
    known = deviations.is_known(proof.name)
    deviation = deviations.deviation(proof) if known else ""
    try:
        found = replay(proof)
    except InputError as error:
        # Names and hypotheses without a meaning prove nothing.
        return Replay(proof.name, (), (), deviation or str(error), known)
    # The proof alone, as `Proof.as_json` writes it, has nothing beside itself.
    is_alone = not proof.checks and not record.keys() & {"cites", "falsehoods", "instance"}
    if known and not deviation and found.is_proved and not is_alone:
        deviation = deviations.deviation_besides(proof, found, record)
    models, vacuous = 0, tuple[str, ...]()
    if found.is_proved and not deviation:
        verdict = models_check.check_models(proof)
        models, vacuous, deviation = verdict.models, verdict.vacuous, verdict.refutation
    return Replay(
        proof.name,
        tuple((item.id, item.proved, item.cites, item.reason) for item in found.steps),
        tuple((item.id, item.proved, item.cites, item.reason) for item in found.claims),
        deviation,
        known,
        _vacuity(vacuous),
        models,
        vacuous,
    )


def _vacuity(claims: tuple[str, ...]) -> tuple[str, ...]:
    """Return the sentence on claims whose hypotheses lack a known model."""
    if not claims:
        return ()
    several = "s" if len(claims) > 1 else ""
    return (f"Possibly vacuous: no model was found of the hypotheses of claim{several} {', '.join(claims)}.",)


def _refuse_results(record: Mapping[str, Any]) -> None:
    """Refuse the key of a problem that holds no steps."""
    if "statements" in record and "claims" not in record:
        raise InputError(
            "The file holds a solved problem and none of its steps: those of numbers stand under derivation, those of "
            "a theorem in what symattn prove --json writes."
        )


def _with_digest(found: Replay, record: Mapping[str, Any]) -> Replay:
    """Compare the digest that a record gives of its content, where it gives one."""
    if "digest" not in record:
        return found
    if record["digest"] != digest(record):
        changed = "The digest of the record is not that of its content: it was changed after it was written."
        return replace(found, refusal=found.reason or changed)
    return replace(found, notes=(*found.notes, "The digest matches the content."))


def _replay_transcript(record: Mapping[str, Any]) -> Replay:
    """Recompute the steps of a solved problem, and compare the closed forms that stand beside them."""
    refuse_format(record)
    steps = _solved_steps(plain_list(record["derivation"], "derivation"))
    values: dict[str, Grid] = {}
    found = _outcomes(steps, values)
    policy = PrintedPolicy.read(record.get("policy"))
    misfit = policy.misfit(steps)
    if not found.is_proved or misfit:
        return replace(found, refusal=found.reason or misfit)
    made, count = {step.id: step for step in steps}, 0
    for name, place, quantity in _stated(record):
        try:
            equal = None if place not in made else solved.count_equal(made[place], _rows(quantity, name, "exact"))
        except InputError as error:
            raise InputError(f"quantities.{name}.exact cannot be read: {error}") from error
        if equal is None:
            return replace(found, refusal=f"The closed forms of {name} are not what its step makes.")
        for key, step in (("decimal", place), ("stepwise", f"{place}~" if f"{place}~" in made else place)):
            wrong = policy.misprint(values[step], _rows(quantity, name, key), stepwise=key == "stepwise")
            if wrong:
                return replace(found, refusal=f"The {key} values of {name} are not those of its step: {wrong}.")
        count += equal
    notes = [
        f"{count} closed form{'s' * (count != 1)} and the digits compared with them; the pattern was not recomputed."
    ]
    if record.get("theorems"):
        notes.append("Its theorems are named only: symattn prove --json writes their steps.")
    return replace(found, notes=tuple(notes))


def _stated(record: Mapping[str, Any]) -> Iterator[tuple[str, str, object]]:
    """Yield the quantities of a solved problem: name, id of the step, and what is said of it."""
    is_batch, is_stack = "sequences" in record, "blocks" in record
    tables = plain_list(record["sequences"], "sequences") if is_batch else [record]
    for number, table in enumerate(tables, 1):
        quantities = table.get("quantities") if isinstance(table, Mapping) else None
        if not isinstance(quantities, Mapping):
            raise InputError("The record has steps and no quantities.")
        for name, quantity in quantities.items():
            base, _, block = name.rpartition("@")
            place = f"{block}.{base}" if is_stack else f"{number}.{name}" if is_batch else name
            yield name, place, quantity


def _rows(quantity: object, name: str, key: str) -> list[list[str | None]]:
    """Return the rows of texts that a record gives for a quantity, null where it says nothing."""
    where = f"quantities.{name}.{key}"
    rows = plain_list(quantity.get(key) if isinstance(quantity, Mapping) else None, where)
    return [[None if item is None else _text(item, where) for item in plain_list(row, where)] for row in rows]


def _replay_solved(steps: list[Any]) -> Replay:
    return _outcomes(_solved_steps(steps))


def _solved_steps(steps: Sequence[Any]) -> tuple[solved.Step, ...]:
    if len(steps) > _MAX_STEPS:
        raise InputError(f"The record has more than {_MAX_STEPS:,} steps.")
    return tuple(_solved_step(item, n) for n, item in enumerate(steps))


def _outcomes(steps: tuple[solved.Step, ...], values: dict[str, Grid] | None = None) -> Replay:
    found = solved.replay(steps, values)
    return Replay("", tuple((item.id, item.proved, (), item.reason) for item in found))


def _solved_step(item: object, number: int) -> solved.Step:
    """Return a step of a solved problem from its record."""
    where = f"steps[{number}]"
    if not isinstance(item, Mapping):
        raise InputError(f"{where} must be a table.")
    pairs = [_texts(pair, f"{where}.arguments") for pair in plain_list(item.get("arguments"), f"{where}.arguments")]
    if any(len(pair) != 2 for pair in pairs):
        raise InputError(f"{where}.arguments must be a list of pairs.")
    return solved.Step(
        id=_text(item.get("id"), f"{where}.id"),
        rule=_text(item.get("rule"), f"{where}.rule"),
        arguments=tuple((pair[0], pair[1]) for pair in pairs),
        premises=_texts(item.get("premises"), f"{where}.premises"),
        before=_text(item.get("before"), f"{where}.before"),
        after=tuple(_texts(row, f"{where}.after") for row in plain_list(item.get("after"), f"{where}.after")),
    )
