"""Hypotheses of a record as statements of Coq, and the equations among them that normal forms use."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from symattn.proofs.export import printing
from symattn.proofs.export.names import Names
from symattn.proofs.export.printing import mangled
from symattn.proofs.export.terms import (
    ZERO,
    Div,
    Entry,
    Equation,
    Facts,
    Fn,
    Index,
    Mul,
    NotExportedError,
    Num,
    Size,
    Sum,
    Term,
    Use,
    free_indices,
)
from symattn.proofs.language.scope import Defined, Hypothesis
from symattn.records import dataclass

_PAIR = 2
_PLACES = ("i", "j", "k")
_RELATIONS = {"=": "=", "≤": "<=", "<": "<", "≥": ">=", ">": ">", "≠": "<>"}


@dataclass(frozen=True, slots=True)
class Statement:
    """A hypothesis of the Coq file.

    Attributes:
        name: its name there.
        places: the indices for all of which it holds.
        left: the left side.
        relation: the relation, as Coq writes it.
        right: the right side.
    """

    name: str
    places: tuple[Index, ...]
    left: Term
    relation: str
    right: Term


def for_all(places: Iterable[Index]) -> str:
    """Return the quantifiers for some indices."""
    bound = " ".join(map(printing.binder, places))
    return f"forall {bound}, " if bound else ""


def places_of(*terms: Term) -> tuple[Index, ...]:
    """Return the free indices of terms in order."""
    found = frozenset[Index]().union(*map(free_indices, terms))
    return tuple(sorted(found, key=lambda item: item.name))


def relation(sign: str) -> str:
    """Return a relation as Coq writes it."""
    if sign not in _RELATIONS:
        raise NotExportedError(f"The relation {sign} is not exported.")
    return _RELATIONS[sign]


def domain(names: Names, part: Term) -> str:
    """Return what a quotient, a logarithm or a root wants, nothing for another term."""
    say = names.printer.text
    match part:
        case Div(_, below) if not isinstance(below, Num) or not below.value:
            return f"{for_all(places_of(below))}{say(below)} <> 0"
        case Fn("ln", inner):
            return f"{for_all(places_of(inner))}0 < {say(inner)}"
        case Fn("sqrt", inner):
            return f"{for_all(places_of(inner))}0 <= {say(inner)}"
        case _:
            return ""


def statements(names: Names, item: Hypothesis) -> list[Statement]:
    """Return what a hypothesis says, one statement for each family that it speaks of.

    Raises:
        NotExportedError: its kind, or a form in it, is not known.
    """
    found, name = list(_statements(names, item)), mangled("H", item.id)
    if len(found) == 1:
        return [replace(found[0], name=name)]
    return [replace(one, name=f"{name}_{number}") for number, one in enumerate(found, 1)]


_VALUES = {"at-most": 2, "equal": 1, "total": 1, "dot-products": 1}
"""How many values a hypothesis of a kind has."""


def _statements(names: Names, item: Hypothesis) -> Iterator[Statement]:
    read = names.elaborator.term
    if len(item.values) != _VALUES.get(item.kind, len(item.values)):
        raise NotExportedError(f"{item.id} has {len(item.values)} values.")
    match item.kind:
        case "at-most":
            both = names.elaborator.sides(item.values[0], "≤", item.values[1])
            _refuse_letters(item, {place for place in places_of(both.left, both.right) if place.name != "i"})
            yield Statement("", places_of(both.left, both.right), both.left, "<=", both.right)
        case "positive" | "nonzero":
            given = [(places_of(value), value) for value in map(read, item.values)]
            for own, _ in given:
                _refuse_letters(item, {place for place in own if place.name != "i"})
            for own, value in given or [entry(names, name) for name in item.about]:
                left, sign, right = (ZERO, "<", value) if item.kind == "positive" else (value, "<>", ZERO)
                yield Statement("", own, left, sign, right)
        case "equal":
            for name in item.about:
                own, value = entry(names, name)
                said = read(item.values[0], {index.name: index.size for index in own})
                _refuse_letters(item, set(places_of(said)) - set(own))
                yield Statement("", own, value, "=", said)
        case "total":
            for name in item.about:
                own, value = entry(names, name)
                said = read(item.values[0], {index.name: index.size for index in own[:-1]})
                yield Statement("", own[:-1], Sum(own[-1], value), "=", said)
        case "dot-products":
            yield _dot_products(names, item)
        case _:
            raise NotExportedError(f"{item.id} is of the kind {item.kind}, which is not exported.")


def _refuse_letters(item: Hypothesis, letters: set[Index]) -> None:
    """Refuse letters of a hypothesis that stand for some values only, those of a claim for example."""
    if letters:
        names = ", ".join(sorted(letter.name for letter in letters))
        raise NotExportedError(f"{item.id} is about some values of {names} only: only i stands for all there.")


def _dot_products(names: Names, item: Hypothesis) -> Statement:
    if len(item.about) != _PAIR or not all(names.item(name).sizes for name in item.about):
        raise NotExportedError(f"{item.id} is not about two families of vectors.")
    first, second = map(names.item, item.about)
    common = Index("c", first.sizes[-1])
    if second.sizes[-1] != first.sizes[-1]:
        raise NotExportedError(f"{item.id} is about vectors of different lengths.")
    rows = [
        Index(place, found.sizes[0])
        for place, found in zip("ij", (first, second), strict=True)
        if len(found.sizes) == 2
    ]
    one = Entry(first.name, (*(row for row in rows if row.name == "i"), common))
    other = Entry(second.name, (*(row for row in rows if row.name == "j"), common))
    said = names.elaborator.term(item.values[0], {row.name: row.size for row in rows})
    if set(places_of(said)) - set(rows):
        raise NotExportedError(f"{item.id} has indices of its own.")
    return Statement("", tuple(rows), Sum(common, Mul(one, other)), "=", said)


def entry(names: Names, name: str) -> tuple[tuple[Index, ...], Term]:
    """Return the indices of an entry of a quantity, and the entry."""
    item = names.item(name)
    own = tuple(Index(place, size) for place, size in zip(_PLACES, item.sizes, strict=False))
    if isinstance(item, Defined):
        return own, Use(name, own)
    if name in names.elaborator.lengths:
        return own, Size(name)
    return own, Entry(name, own)


def facts_of(names: Names, wanted: Iterable[str]) -> Facts:
    """Return the equations among some hypotheses, those that cannot be exported left out."""
    values: dict[str, Equation] = {}
    contractions: dict[tuple[str, str], Equation] = {}
    positive = {item.name for item in names.scope.items if item.sign == "positive"}
    for item in names.scope.hypotheses:
        if item.id not in set(wanted):
            continue
        try:
            found = statements(names, item)
        except NotExportedError:
            continue
        for one in found:
            match one.left:
                case Entry(name, indices) if item.kind == "equal":
                    values[name] = indices, one.right, one.name
                case Size(name) if item.kind == "equal":
                    values[name] = (), one.right, one.name
                case Sum(_, Entry(name)) if item.kind == "total":
                    contractions[name, ""] = one.places, one.right, one.name
                case Sum(_, Mul(Entry(first), Entry(second))) if item.kind == "dot-products":
                    contractions[first, second] = one.places, one.right, one.name
    return Facts(values, contractions, frozenset(positive))
