"""A counter-example to a link of somebody's proof: a small case that satisfies what was assumed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import islice, product
from typing import TypeAlias

from symattn.errors import InputError, NotationError
from symattn.notation.tree import nodes as t
from symattn.notation.tree.traversal import rebuilt, walk
from symattn.proofs.cases.claim_checks import asks_higher_moments, has_degree_above
from symattn.proofs.cases.evaluation import Model, NumericEvaluator
from symattn.proofs.cases.matrices import RELATIONS, beside
from symattn.proofs.cases.numeric_tower import Number, closed_form, digits, order
from symattn.proofs.cases.small_cases import case
from symattn.proofs.catalogue.authoring.theorem import CounterExample
from symattn.proofs.concrete.arrays import Array, Value
from symattn.proofs.kernel.context import names_of
from symattn.proofs.language.interpretation import plain_name, read_text
from symattn.proofs.language.scope import Declared, Hypothesis, Scope
from symattn.proofs.submissions.attempts import attempt
from symattn.proofs.submissions.evidence.limits import has_limit, limit_value
from symattn.proofs.submissions.reading.domains import EVERYWHERE, Domain, Relation
from symattn.proofs.submissions.reading.name_binding import lengths_at
from symattn.proofs.submissions.reading.normalization import substitute
from symattn.records import dataclass

_SIZES = ((1, 0), (2, 0), (2, 1), (3, 0), (1, 1))
_SIZES_OF_NUMBERS = ((2, 0), (2, 1), (3, 0), (1, 0), (4, 0))
_SIZES_OF_POSSIBLE = ((1, 0), *_SIZES_OF_NUMBERS)
_MORE_SIZES = ((2, 2), (3, 1), (3, 2), (3, 3))
"""Where not every case will do."""
_STILL_MORE_SIZES = tuple((2, seed) for seed in range(3, 15))
"""Where few cases satisfy what is supposed."""
_RELATIONS = RELATIONS | {"≡": {0}}
_MOMENTS = frozenset({
    "independent", "coordinates", "uncorrelated", "same-law", "mean", "variance", "covariance", "raw-moment", "law",
})  # fmt: skip
_BOUNDS = frozenset({"at-most", "positive"})
_MAX_PLACES = 27
_SHORT = 24
_MANY_DIGITS = 60
_FILLER = "filler "
_MAX_OUTCOMES_SHOWN = 16

Sides: TypeAlias = tuple[t.Node, t.Node]
Hypotheses: TypeAlias = tuple[Hypothesis, ...]


@dataclass(frozen=True, slots=True)
class Case:
    """A small case in which a link fails.

    Attributes:
        example: the case as data.
        words: the case in a sentence.
    """

    example: CounterExample
    words: str


@dataclass(frozen=True, slots=True)
class Supposition:
    """A relation that the work supposes, with where it is meant to hold."""

    left: t.Node
    operator: str
    right: t.Node
    domain: Domain = EVERYWHERE


@dataclass(frozen=True, slots=True)
class Constraints:
    """Constraints on a case besides the hypotheses.

    Attributes:
        domain: where the link is meant to hold.
        supposed: what the work supposes.
        causal: the matrix that is 1 up to its diagonal and 0 behind it, where the work has a causal mask.
        is_narrow: whether few cases satisfy the hypotheses.
        unread_laws: random quantities of which the work says a law that is not read, and the degree of the moments
            that are known nevertheless.
    """

    domain: Domain = EVERYWHERE
    supposed: tuple[Supposition, ...] = ()
    causal: str = ""
    is_narrow: bool = False
    unread_laws: tuple[tuple[str, int], ...] = ()

    def case(self, scope: Scope, size: int, seed: int) -> Model | None:
        """Return a small case of the hypotheses, with the causal mask where there is one."""
        model = case(scope, size, seed)
        known = None if model is None else model.entries.get(self.causal)
        if model is None or not isinstance(known, Array):
            return model
        count = range(len(known.rows))
        rows = tuple(tuple(Fraction(j <= i) for j in count) for i in count)
        return replace(model, entries={**model.entries, self.causal: replace(known, rows=rows)})

    def nodes(self) -> Iterator[t.Node]:
        """Yield all its trees."""
        for item in self.supposed:
            yield from (item.left, item.right)
        for clause in self.domain.clauses:
            for left, _, right in clause:
                yield from (left, right)


NOTHING_GIVEN = Constraints()


def counter_case(
    scope: Scope,
    hypotheses: Hypotheses,
    left: t.Node,
    relation: str,
    right: t.Node,
    given: Constraints = NOTHING_GIVEN,
) -> Case | None:
    """Return a case that satisfies some hypotheses and in which a relation fails; None where none was found.

    Args:
        scope: the names.
        hypotheses: what the case must satisfy.
        left: a bound side.
        relation: what is claimed.
        right: the other side.
        given: where the claim is meant to hold, and what else is supposed.
    """
    if relation not in _RELATIONS:
        return None
    nodes = (left, right, *given.nodes())
    narrow, known = _narrowed(scope, hypotheses, nodes)
    own = _pointwise(narrow, known, nodes, given.unread_laws)
    if own is None:
        return None
    sizes: tuple[tuple[int, int], ...] = _SIZES if own.random else _SIZES_OF_NUMBERS
    if given != NOTHING_GIVEN:
        sizes = (*sizes, *_MORE_SIZES)
    if given.supposed or given.is_narrow:
        sizes = (*sizes, *_STILL_MORE_SIZES)
    for variant, changed in _variants(own, left, right):
        has_value = False
        for size, seed in sizes:
            model = given.case(variant, size, seed)
            if model is None:
                continue
            try:
                found = _Trial(variant, model).failure(changed, relation, given)
            except InputError:
                continue
            has_value = True
            if found is not None and _is_possible(model, narrow, _narrowed(scope, hypotheses, nodes, _BOUNDS)):
                return found
        if has_value:
            return None
    return None


def _is_possible(model: Model, narrow: Scope, wide: tuple[Scope, Hypotheses]) -> bool:
    """Return whether there are vectors that fit numbers chosen alone: a range is not negative."""
    scope, hypotheses = wide
    if (
        any(item.sizes and not item.name.startswith(_FILLER) for item in narrow.items)
        or scope.declared == narrow.declared
    ):
        return True
    texts = {name: _text(value) for name, value in model.scalars.items() if name not in narrow.lengths}
    chosen = tuple(Hypothesis(f"chosen {name}", text, "equal", (name,), (text,)) for name, text in texts.items())
    own = _pointwise(scope, (*hypotheses, *chosen), (), ())
    return own is None or any(case(own, size, seed) is not None for size, seed in _SIZES_OF_POSSIBLE)


def _narrowed(
    scope: Scope, hypotheses: Hypotheses, nodes: tuple[t.Node, ...], bounds: frozenset[str] = frozenset()
) -> tuple[Scope, Hypotheses]:
    """Return the names that a link speaks of, and what is assumed about them, or bounded by them."""
    sizes, bodies = scope.sizes, {item.name: item.body for item in scope.defined}
    kept: set[str] = set()
    waiting = [*(name for node in nodes for name in names_of(node)), *scope.fixed]
    spoken = [{*item.about, *(_names_in(item.values, scope) if item.kind in bounds else ())} for item in hypotheses]
    while waiting:
        name = waiting.pop()
        if name in kept or name not in sizes:
            continue
        kept.add(name)
        texts = [*sizes[name], *([bodies[name]] if name in bodies else ())]
        own = (item for item, names in zip(hypotheses, spoken, strict=True) if name in names)
        texts += [text for item in own for text in (*item.about, *item.values)]
        waiting.extend(found for text in texts for found in _words_of(text, scope))
    lengths = scope.lengths & kept
    shown = {text for item in scope.declared if item.name in kept for text in item.sizes}
    # A letter that is a length stays one where nothing that has it is left.
    fillers = tuple(Declared(f"{_FILLER}{name}", (name,)) for name in sorted(lengths - shown))
    narrow = replace(
        scope,
        declared=(*(item for item in scope.declared if item.name in kept), *fillers),
        defined=tuple(item for item in scope.defined if item.name in kept),
    )
    gone = {*sizes} - kept - set(scope.fixed)
    return narrow, tuple(
        item
        for item in hypotheses
        if gone.isdisjoint(name for text in (*item.about, *item.values) for name in _words_of(text, scope))
    )


def _names_in(texts: Iterable[str], scope: Scope) -> Iterator[str]:
    return (name for text in texts for name in _words_of(text, scope))


def _words_of(text: str, scope: Scope) -> Iterator[str]:
    """Yield the names in plain text of a scope; words that are not a formula give themselves."""
    yield text
    try:
        yield from names_of(read_text(text, scope))
    except NotationError:
        return


def _pointwise(
    scope: Scope, hypotheses: Hypotheses, nodes: tuple[t.Node, ...], unread: Sequence[tuple[str, int]]
) -> Scope | None:
    """Return the scope of the cases: what is random is a number like others where no expectation is taken."""
    has_mean = any(isinstance(node, t.Call) and node.function.text in t.MEANS for side in nodes for node in walk(side))
    if any(has_degree_above(most, nodes, {name}, scope) for name, most in unread if has_mean or not most):
        return None
    if not has_mean:
        declared = tuple(replace(item, random=False) for item in scope.declared)
        kept = tuple(item for item in hypotheses if item.kind not in _MOMENTS)
        return replace(scope, declared=declared, hypotheses=kept)
    if any(item.kind == "normal-vector" for item in hypotheses):
        return None  # no case has a law that is like it
    own = replace(scope, hypotheses=hypotheses)
    normal = {name for item in hypotheses if item.kind == "law" for name in item.about}
    is_apart = any(item.kind == "independent" and normal <= {*item.about} for item in hypotheses)
    return None if asks_higher_moments(nodes, own, is_apart=is_apart) else own


# Ranges --------------------------------------------------------------------------------------------


def _variants(scope: Scope, left: t.Node, right: t.Node) -> Iterator[tuple[Scope, Sides]]:
    """Yield the sides as they are; and with one more entry in every vector, for sums that reach beyond the last."""
    yield scope, (left, right)
    longer = tuple(
        replace(item, sizes=tuple(f"{size} + 1" if size.isalpha() else size for size in item.sizes))
        for item in scope.declared
    )
    lengths = {item.name: item.sizes[0] for item in scope.declared if len(item.sizes) == 1}
    written = tuple(_dots_written_out(side, lengths) for side in (left, right))
    yield replace(scope, declared=longer), (written[0], written[1])


def _dots_written_out(node: t.Node, lengths: Mapping[str, str]) -> t.Node:
    """Write ``q^T k`` as the sum of as many products as the vectors have entries."""
    match node:
        case t.Product((first, second), (operator,)) if operator == "cdot" or isinstance(first, t.Transpose):
            one = plain_name(first.base if isinstance(first, t.Transpose) else first)
            other = plain_name(second)
            if one is not None and one in lengths and other in lengths:
                index = t.Name("w")
                body = t.Product(
                    (t.Subscript(t.Name(one), (index,)), t.Subscript(t.Name(other or ""), (index,))), ("",)
                )
                upper: t.Node = t.Number(lengths[one]) if lengths[one].isdigit() else t.Name(lengths[one])
                return t.Group(t.SumOver(index, t.Number("1"), upper, body))
            return node
        case _:
            return rebuilt(node, lambda child: _dots_written_out(child, lengths))


# Both sides ----------------------------------------------------------------------------------------


class _Trial:
    """Sides of a relation in one small case."""

    def __init__(self, scope: Scope, model: Model) -> None:
        self.scope = scope
        self.model = model
        self.numeric = NumericEvaluator(scope, model)

    def failure(self, sides: Sides, relation: str, given: Constraints) -> Case | None:
        """Return the case if the relation fails in it; None where it holds.

        Raises:
            InputError: a side has no value, or the case does not satisfy what is supposed.
        """
        if not all(map(self._satisfies, given.supposed)):
            raise InputError("The case does not satisfy what is supposed.")
        is_limit = any(map(has_limit, sides))
        for places in self.places(sides, given.domain):
            try:
                first, second = self.values_at(sides, places)
            except InputError:
                if is_limit:
                    continue  # a limit that does not exist at this place refutes nothing, and says nothing of others
                raise
            for one, other, entry in beside(first, second):
                if order(one, other) not in {None, *_RELATIONS[relation]}:
                    return _case(self.scope, self.model, places, entry, *_both_shown(one, other))
        return None

    def values_at(self, sides: Sides, places: Mapping[str, int]) -> tuple[Value, Value]:
        """Return the values of both sides at some values of the indices."""
        first, second = (_placed_at(side, places) for side in sides)
        return self._value(first), self._value(second)

    def _value(self, side: t.Node) -> Value:
        """Return the value of a side; the softmax of one number is 1."""
        if has_limit(side):
            return limit_value(side, self.numeric)
        try:
            return self.numeric.value(side)
        except InputError:
            changed = _numbers_softened(side, self.numeric)
            if changed == side:
                raise
            return self.numeric.value(changed)

    def _satisfies(self, item: Supposition) -> bool:
        """Return whether a case satisfies what is supposed, for all indices for which it is."""
        places = list(self.places((item.left, item.right), item.domain))
        return bool(places) and all(self._stands(at, (item.left, item.operator, item.right)) for at in places)

    def _stands(self, places: Mapping[str, int], relation: Relation) -> bool:
        left, operator, right = relation
        wanted = _RELATIONS.get(operator, set())
        one, other = (_index_at(self.model, places, side) for side in (left, right))
        if one is not None and other is not None:
            return order(Fraction(one), Fraction(other)) in wanted
        return all(order(a, b) in wanted for a, b, _ in beside(*self.values_at((left, right), places)))

    def places(self, sides: Sides, domain: Domain) -> Iterator[dict[str, int]]:
        """Yield every value of the free indices for which the claim is meant."""
        known = {*self.model.fixed, *self.model.permutations, *self.scope.sizes}
        ends = [side for clause in domain.clauses for left, _, right in clause for side in (left, right)]
        found = {name for side in (*sides, *ends) for name in _free_indices(side, frozenset(), known)}
        names = sorted((found | {side.text for side in ends if isinstance(side, t.Name)}) - known)
        size = self.numeric.size
        least = min((size(text) for item in self.scope.declared for text in item.sizes), default=1)
        nodes = [*sides, *ends]
        longest = [min(map(size, lengths_at(name, nodes, self.scope)), default=least) for name in names]
        every = (dict(zip(names, values, strict=True)) for values in product(*(range(1, end + 1) for end in longest)))
        meant = (at for at in every if all(any(self._stands(at, one) for one in clause) for clause in domain.clauses))
        return islice(meant, _MAX_PLACES)


def _placed_at(node: t.Node, places: Mapping[str, int]) -> t.Node:
    node = _with_pairs_apart(node) if places else node
    for name, value in places.items():
        node = substitute(node, name, t.Number(str(value)))
    return node


def _with_pairs_apart(node: t.Node) -> t.Node:
    """Split the indices of ``K_{jr}``, which numbers in their places would join."""
    match node:
        case t.Subscript(base, (t.Product((t.Name() as first, t.Name() as second), ("",)),)):
            return t.Subscript(base, (first, second))
        case _:
            return rebuilt(node, _with_pairs_apart)


def _index_at(model: Model, places: Mapping[str, int], node: t.Node) -> int | None:
    match node:
        case t.Number(text) if text.isdecimal():
            return int(text)
        case t.Name(text):
            return places.get(text, model.fixed.get(text))
        case _:
            return None


def _numbers_softened(node: t.Node, numeric: NumericEvaluator) -> t.Node:
    if isinstance(node, t.Call) and node.function.text == "softmax" and len(node.arguments) == 1:
        inner = attempt(numeric.value, node.arguments[0])
        return node if inner is None or isinstance(inner, Array) else t.Group(t.Number("1"))
    return rebuilt(node, lambda child: _numbers_softened(child, numeric))


def _both_shown(first: Number, second: Number) -> tuple[str, str]:
    """Return both values with as many digits as it takes to tell them apart."""
    texts = (_shown(first), _shown(second))
    return texts if texts[0] != texts[1] else (digits(first, _MANY_DIGITS), digits(second, _MANY_DIGITS))


def _shown(value: Number) -> str:
    text = closed_form(value)
    return text if text and len(text) <= _SHORT else digits(value)


def _free_indices(node: t.Node, bound: frozenset[str], known: set[str]) -> Iterator[str]:
    """Yield the names in the places of indices, and as ends of sums, that no sum around them binds."""
    if isinstance(node, t.Subscript):
        if plain_name(node) in known:
            return
        names = (item.text for index in node.indices for item in walk(index) if isinstance(item, t.Name))
        yield from (name for name in names if name not in bound)
        yield from _free_indices(node.base, bound, known)
        return
    if isinstance(node, t.SumOver):
        if isinstance(node.upper, t.Name) and node.upper.text not in bound:
            yield node.upper.text
        bound = bound | {node.index.text}
    for child in t.children(node):
        yield from _free_indices(child, bound, known)


# Words ---------------------------------------------------------------------------------------------


def _case(scope: Scope, model: Model, places: Mapping[str, int], entry: str, left: str, right: str) -> Case:
    words = (word for item in scope.declared for text in item.sizes for word in text.replace("+", " ").split())
    sizes = {word for word in words if not word.isdigit()}
    numbers = {name: _text(value) for name, value in model.scalars.items()}
    fixed = [f"{name} = {value}" for name, value in numbers.items()]
    entries = tuple((name, _rows(value)) for name, value in model.entries.items() if not name.startswith(_FILLER))
    fixed += [f"{name} = {_flat(rows)}" for name, rows in entries]
    fixed += [f"{name} = {value}" for name, value in places.items()]
    laws = _entry_laws(model)
    where = ", ".join(fixed)
    if laws:
        where = f"{where}{', and ' if where else ''}independent {'; '.join(laws)},"
    law = tuple(
        (str(weight), tuple((name, _rows(value)) for name, value in values.items())) for weight, values in model.law
    )
    example = CounterExample(
        tuple((name, int(value)) for name, value in numbers.items() if name in sizes and value.isdigit()),
        tuple((name, value) for name, value in numbers.items() if name not in sizes),
        entries,
        law if len(law) <= _MAX_OUTCOMES_SHOWN * _MAX_OUTCOMES_SHOWN else (),
    )
    head, place = f"For {where} the" if where else "The", f" (entry {entry})" if entry else ""
    return Case(example, f"{head} left side is {left} and the right side {right}{place}.")


def _entry_laws(model: Model) -> list[str]:
    """Return the laws of the random entries, those with one law together."""
    found: dict[str, dict[str, Fraction]] = {}
    for weight, values in model.law:
        for name, value in values.items():
            for place, number in _entries(name, value):
                law = found.setdefault(place, {})
                law[number] = law.get(number, Fraction(0)) + weight
    together: dict[str, list[str]] = {}
    for name, law in found.items():
        text = " or ".join(f"{value} with probability {weight}" for value, weight in law.items())
        together.setdefault(text, []).append(name)
    return [f"{', '.join(names)}: {'each ' if len(names) > 1 else ''}{text}" for text, names in together.items()]


def _entries(name: str, value: Array | Number) -> Iterator[tuple[str, str]]:
    if not isinstance(value, Array):
        yield name, _text(value)
        return
    for i, row in enumerate(value.rows, start=1):
        for j, entry in enumerate(row, start=1):
            yield f"{name}_{j}" if value.is_vector else f"{name}_{{{i},{j}}}", _text(entry)


def _rows(value: Array | Number) -> tuple[tuple[str, ...], ...]:
    if not isinstance(value, Array):
        return ((_text(value),),)
    return tuple(tuple(map(_text, row)) for row in value.rows)


def _flat(rows: tuple[tuple[str, ...], ...]) -> str:
    inner = [f"({', '.join(row)})" for row in rows]
    return inner[0] if len(inner) == 1 else f"({', '.join(inner)})"


def _text(value: Number) -> str:
    return closed_form(value) or digits(value)
