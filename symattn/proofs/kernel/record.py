"""TRUSTED. A proof as plain data: names, hypotheses, claims and steps, as JSON holds them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, fields
from typing import Any, TypeVar

from symattn.errors import InputError
from symattn.proofs.language.scope import Declared, Defined, Hypothesis, Scope
from symattn.records import dataclass

FORMAT = 1

_MAX_ITEMS = 2_000
_MAX_TEXT = 20_000

_T = TypeVar("_T")


class ContradictionError(InputError):
    """A record that can be read and says two things: it is refused, as one with a step that is not proved."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a proof.

    Attributes:
        id: its number.
        rule: the name of a rule of the table.
        before: an expression, or a relation where the step is an equivalence, in plain syntax.
        relation: ``=``, ``≤``, ``<``, ``≥``, ``>`` or ``⇔``.
        after: what stands on the other side.
        hypotheses: the ids of the hypotheses that it uses.
        premises: the ids of earlier steps that it uses.
        arguments: what the rule wants to know, as pairs of words.
        words: why, for the reader; formulas between dollar signs, in plain syntax.
    """

    id: str
    rule: str
    before: str
    relation: str
    after: str
    hypotheses: tuple[str, ...] = ()
    premises: tuple[str, ...] = ()
    arguments: tuple[tuple[str, str], ...] = ()
    words: str = ""


@dataclass(frozen=True, slots=True)
class Claim:
    """Proved relation, with the chain of steps that leads from its left to its right side.

    Attributes:
        id: its number.
        left: the left side in plain syntax (a relation, where the claim is an equivalence).
        relation: how the sides stand to each other.
        right: the right side.
        steps: the ids of the steps, in order.
        words: what it says, for the reader.
    """

    id: str
    left: str
    relation: str
    right: str
    steps: tuple[str, ...]
    words: str = ""


@dataclass(frozen=True, slots=True)
class Check:
    """Something that was computed in another way and agrees.

    Attributes:
        text: what was computed.
        result: what came out.
        agrees: whether that is what the claim says.
    """

    text: str
    result: str
    agrees: bool


@dataclass(frozen=True, slots=True)
class Proof:
    """A theorem with its proof.

    Attributes:
        name: the name in the catalogue.
        title: the theorem's name in words.
        statement: the theorem in words; formulas between dollar signs, in plain syntax.
        parameters: what was chosen, as pairs of words.
        scope: the names and the hypotheses.
        claims: what is proved.
        steps: how.
        checks: what was computed besides.
        source: where it comes from.
    """

    name: str
    title: str
    statement: str
    parameters: tuple[tuple[str, str], ...]
    scope: Scope
    claims: tuple[Claim, ...]
    steps: tuple[Step, ...]
    checks: tuple[Check, ...] = ()
    source: str = ""

    @property
    def conclusion(self) -> tuple[str, ...]:
        """The claims as relations."""
        return tuple(f"{claim.left} {claim.relation} {claim.right}" for claim in self.claims)

    def resting_on(self, names: Iterable[str]) -> frozenset[str]:
        """Return the ids of some steps, and of all that they rest on."""
        steps = {step.id: step for step in self.steps}
        waiting, found = list(names), set[str]()
        while waiting:
            name = waiting.pop()
            if name in steps and name not in found:
                found.add(name)
                waiting.extend(steps[name].premises)
        return frozenset(found)

    def hypotheses_of(self, names: Iterable[str]) -> frozenset[str]:
        """Return the ids of the hypotheses that some steps use, with the steps that they rest on."""
        wanted = self.resting_on(names)
        return frozenset(name for step in self.steps if step.id in wanted for name in step.hypotheses)

    def as_json(self) -> dict[str, Any]:
        """Return the record in the types of JSON; `proof_from_json` reads it again."""
        names = asdict(self.scope)
        return {
            "format": FORMAT,
            "name": self.name,
            "title": self.title,
            "parameters": dict(self.parameters),
            "statement": self.statement,
            "source": self.source,
            "hypotheses": names.pop("hypotheses"),
            "names": names,
            "claims": [asdict(claim) for claim in self.claims],
            "steps": [{**asdict(step), "arguments": dict(step.arguments)} for step in self.steps],
            "conclusion": list(self.conclusion),
            "checks": [asdict(check) for check in self.checks],
        }


def proof_from_json(data: Mapping[str, Any]) -> Proof:
    """Return the proof that a record holds. What it says of itself (``proved``, ``cites``) is ignored.

    Raises:
        InputError: what is missing or has another form.
        ContradictionError: its conclusion is not what its claims say.
    """
    refuse_format(data)
    names = _mapping(data.get("names"), "names")
    proof = Proof(
        name=plain_text(data.get("name"), "name"),
        title=plain_text(data.get("title"), "title"),
        statement=plain_text(data.get("statement"), "statement"),
        parameters=_pairs(data.get("parameters"), "parameters"),
        scope=Scope(
            declared=_many(Declared, names.get("declared"), "names.declared"),
            defined=_many(Defined, names.get("defined"), "names.defined"),
            hypotheses=_many(Hypothesis, data.get("hypotheses"), "hypotheses"),
            fixed=plain_texts(names.get("fixed"), "names.fixed"),
            permutations=plain_texts(names.get("permutations"), "names.permutations"),
            functions=plain_texts(names.get("functions"), "names.functions"),
        ),
        claims=_many(Claim, data.get("claims"), "claims"),
        steps=_many(Step, data.get("steps"), "steps"),
        checks=_many(Check, data.get("checks"), "checks"),
        source=plain_text(data.get("source"), "source"),
    )
    if plain_texts(data.get("conclusion"), "conclusion") != proof.conclusion:
        raise ContradictionError("The conclusion of the record is not what its claims say.")
    return proof


def refuse_format(data: Mapping[str, Any]) -> None:
    """Refuse a record of another format; true and 1.0 are not the number 1.

    Raises:
        InputError: it has another one, or none.
    """
    given = data.get("format")
    if not isinstance(given, int) or isinstance(given, bool) or given != FORMAT:
        raise InputError(f"The record has format {str(given)[:40]}, and {FORMAT} is expected.")


def _many(kind: type[_T], value: object, where: str) -> tuple[_T, ...]:
    return tuple(_one(kind, item, f"{where}[{n}]") for n, item in enumerate(plain_list(value, where)))


def _one(kind: type[_T], value: object, where: str) -> _T:
    given = _mapping(value, where)
    made: dict[str, Any] = {}
    for field in fields(kind):  # type: ignore[arg-type]  # every kind is a dataclass of this package
        if field.name not in given:
            raise InputError(f"{where} has no {field.name}.")
        made[field.name] = _plain(given[field.name], str(field.type), f"{where}.{field.name}")
    return kind(**made)


def _plain(value: object, kind: str, where: str) -> object:
    if kind == "bool":
        if not isinstance(value, bool):
            raise InputError(f"{where} is neither true nor false.")
        return value
    if kind == "tuple[str, ...]":
        return plain_texts(value, where)
    if kind.startswith("tuple[tuple"):
        return _pairs(value, where)
    return plain_text(value, where)


def _mapping(value: object, where: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise InputError(f"{where} must be a table.")
    return value


def plain_list(value: object, where: str) -> list[Any]:
    """Return a list of a record; one that is too long is refused."""
    if not isinstance(value, list | tuple) or len(value) > _MAX_ITEMS:
        raise InputError(f"{where} must be a list of at most {_MAX_ITEMS:,} items.")
    return list(value)


def plain_text(value: object, where: str, most: int = _MAX_TEXT) -> str:
    """Return a text of a record; one that is too long is refused."""
    if not isinstance(value, str) or len(value) > most:
        raise InputError(f"{where} must be text of at most {most:,} characters.")
    return value


def plain_texts(value: object, where: str, most: int = _MAX_TEXT) -> tuple[str, ...]:
    """Return a list of texts of a record."""
    return tuple(plain_text(item, where, most) for item in plain_list(value, where))


def _pairs(value: object, where: str) -> tuple[tuple[str, str], ...]:
    given = _mapping(value, where)
    if len(given) > _MAX_ITEMS:
        raise InputError(f"{where} has more than {_MAX_ITEMS} entries.")
    return tuple((plain_text(key, where), plain_text(item, f"{where}.{key}")) for key, item in given.items())
