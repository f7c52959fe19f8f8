"""Counter-examples, verified: both sides of a false claim worked out exactly at its values.

A sum of exponentials is decided exactly; what lies beyond is told apart by enclosures. A claim is refuted
when its sides do not stand in its relation for some value of its free indices.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from symattn.errors import InputError
from symattn.notation.tree import nodes as t
from symattn.proofs.cases.evaluation import Model, NumericEvaluator
from symattn.proofs.cases.hypotheses import holds
from symattn.proofs.cases.matrices import RELATIONS, beside
from symattn.proofs.cases.numeric_tower import Number, closed_form, digits, order
from symattn.proofs.catalogue.authoring.theorem import CounterExample, Falsehood
from symattn.proofs.concrete.arrays import Array, Value
from symattn.proofs.language.interpretation import read_text
from symattn.proofs.language.scope import Scope
from symattn.records import dataclass


@dataclass(frozen=True, slots=True)
class Sides:
    """The two sides of a relation at one place.

    Attributes:
        place: values of the free indices, or of the entry that is looked at, as pairs of words.
        left: the left side, exactly in plain syntax, or nothing where only digits are certified.
        right: the right side.
        left_digits: certified digits.
        right_digits: the same.
        stands: whether the relation holds there; None where that could not be told.
    """

    place: tuple[tuple[str, str], ...]
    left: str
    right: str
    left_digits: str
    right_digits: str
    stands: bool | None


@dataclass(frozen=True, slots=True)
class Refuted:
    """A falsehood with what its counter-example comes to.

    Attributes:
        falsehood: the claim, the example, and what holds instead.
        sides: both sides where the relation fails.
        broken: the ids of the hypotheses of the theorem that the example does not satisfy.
        scope: the names of the falsehood.
    """

    falsehood: Falsehood
    sides: Sides
    broken: tuple[str, ...]
    scope: Scope

    @property
    def claim(self) -> str:
        """The false relation in plain syntax."""
        return f"{self.falsehood.left} {self.falsehood.relation} {self.falsehood.right}"

    def as_json(self) -> dict[str, Any]:
        """Return the counter-example for machines."""
        example = self.falsehood.example
        return {
            "says": self.falsehood.says,
            "claim": self.claim,
            "sizes": dict(example.sizes),
            "values": dict(example.scalars),
            "entries": {name: [list(row) for row in rows] for name, rows in example.entries},
            "law": [
                {
                    "probability": weight,
                    "entries": {name: [list(row) for row in rows] for name, rows in entries},
                }
                for weight, entries in example.law
            ],
            "at": dict(self.sides.place),
            "left": self.sides.left or self.sides.left_digits,
            "right": self.sides.right or self.sides.right_digits,
            "broken_hypotheses": list(self.broken),
            "instead": self.falsehood.right_version,
        }


def refuted(falsehood: Falsehood, scope: Scope) -> Refuted | None:
    """Evaluate a counter-example; return None where it does not refute its claim.

    Args:
        falsehood: the claim and the example.
        scope: the names of the theorem, where the falsehood has none of its own.

    Raises:
        InputError: a side has no value at the example.
    """
    own = falsehood.scope or scope
    numeric = NumericEvaluator(own, model_of(falsehood.example, own))
    for sides in both_sides(falsehood.left, falsehood.relation, falsehood.right, numeric):
        if sides.stands is False:
            broken = tuple(item.id for item in own.hypotheses if holds(item, numeric) is False)
            return Refuted(falsehood, sides, broken, own)
    return None


# The example ---------------------------------------------------------------------------------------


def model_of(example: CounterExample, scope: Scope) -> Model:
    """Return the case that a counter-example describes.

    Raises:
        InputError: its probabilities do not add up to 1, or an entry cannot be read.
    """
    numbers = NumericEvaluator(Scope(()), Model({}, {}))
    scalars: dict[str, Number] = {name: Fraction(size) for name, size in example.sizes}
    scalars.update({name: numbers.number(text) for name, text in example.scalars})
    declared = {item.name: item for item in scope.declared}

    def read(given: tuple[tuple[str, tuple[tuple[str, ...], ...]], ...]) -> dict[str, Array | Number]:
        found: dict[str, Array | Number] = {}
        for name, rows in given:
            array = Array(tuple(tuple(numbers.number(text) for text in row) for row in rows))
            rank = len(declared[name].sizes) if name in declared else 1
            found[name] = Array(array.rows, is_vector=rank < 2) if rank else array.rows[0][0]
        return found

    permuting = {name: rows for name, rows in example.entries if name in scope.permutations}
    entries = read(tuple(item for item in example.entries if item[0] not in permuting))
    alone = {name: value for name, value in entries.items() if not isinstance(value, Array)}
    law = tuple((_probability(weight, numbers), read(given)) for weight, given in example.law)
    if law and sum((weight for weight, _ in law), Fraction(0)) != 1:
        raise InputError("The probabilities of a counter-example do not add up to 1.")
    fixed = {name: n for n, name in enumerate(scope.fixed, start=1)}
    chosen = {name: int(size) for name, size in example.sizes if name in scope.fixed}
    return Model(
        {**scalars, **alone},
        {name: value for name, value in entries.items() if isinstance(value, Array)},
        law,
        {name: tuple(int(text) for text in rows[0]) for name, rows in permuting.items()},
        {**fixed, **chosen},
    )


def _probability(text: str, numbers: NumericEvaluator) -> Fraction:
    found = numbers.number(text)
    if not isinstance(found, Fraction) or found < 0:
        raise InputError(f"The probability {text} is not a rational number from 0 on.")
    return found


# Both sides ----------------------------------------------------------------------------------------


def both_sides(
    left: str, relation: str, right: str, numeric: NumericEvaluator, apart: Sequence[tuple[str, ...]] = ()
) -> Iterator[Sides]:
    """Yield both sides for every value of the free indices, entry by entry; `apart` indices are never equal.

    Raises:
        InputError: a side has no value.
    """
    for indices in numeric.free_places(left, right):
        if any(_meet(names, indices) for names in apart):
            continue
        shown = tuple((name, str(n)) for name, n in indices.items())
        if relation == "⇔":
            found = [_truth(text, indices, numeric) for text in (left, right)]
            one, other = ({True: "true", False: "false", None: "open"}[item] for item in found)
            yield Sides(shown, one, other, one, other, None if None in found else found[0] == found[1])
        else:
            yield from _compared(numeric.text(left, indices), relation, numeric.text(right, indices), shown)


def _meet(names: tuple[str, ...], indices: Mapping[str, int]) -> bool:
    values = [indices[name] for name in names if name in indices]
    return len(set(values)) < len(values)


def _compared(left: Value, relation: str, right: Value, shown: tuple[tuple[str, str], ...]) -> Iterator[Sides]:
    if relation not in RELATIONS:
        raise InputError(f"A relation {relation} is not supported here.")
    for one, other, entry in beside(left, right):
        place = (*shown, ("entry", entry)) if entry else shown
        found = order(one, other)
        stands = None if found is None else found in RELATIONS[relation]
        yield Sides(place, closed_form(one), closed_form(other), digits(one), digits(other), stands)


def _truth(text: str, indices: Mapping[str, int], numeric: NumericEvaluator) -> bool | None:
    """Return whether a relation holds."""
    node = read_text(text, numeric.scope)
    if not isinstance(node, t.Relation) or None in node.sides:
        raise InputError("An equivalence stands between relations.")
    sides = [numeric.value(side, indices) for side in node.sides if side is not None]
    found: list[bool | None] = []
    for operator, first, second in zip(node.operators, sides, sides[1:], strict=False):
        found.extend(item.stands for item in _compared(first, operator, second, ()))
    return False if False in found else None if None in found else True
