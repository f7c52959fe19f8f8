"""Comparison of written operands with those of a definition.

The order of terms and of factors is free, terms that are zero may be left out, a term may be worked out,
and a step may be skipped. What remains to be compared are single numbers with single entries.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import combinations, islice, permutations, starmap
from typing import Any, TypeAlias, TypeVar

from symattn.checking.expressions.expression_kinds import power_of_e
from symattn.checking.expressions.numerals import Figure, bare, figure, is_infinity, is_minus_infinity
from symattn.checking.expressions.terms import (
    flat_factors,
    flat_terms,
    has_zero,
    is_collected,
    is_term,
    signings,
    turned,
    with_closed_forms,
)
from symattn.checking.graph.expansion import Entry, Expected, Named, expected_at, other_expansions
from symattn.checking.graph.formulas import Cell
from symattn.checking.graph.quantities import Graph, Valuation
from symattn.checking.names.binding import Binder
from symattn.exact.field.quotient import Quotient
from symattn.exact.reals.special_values import MINUS_INFINITY
from symattn.notation.tree import nodes as t
from symattn.operations.scalar import Add, Call, Div, Max, Mul, Neg, Num
from symattn.records import dataclass

_MAX_OPENED = 4
"""Depth to which definitions are opened inside each other."""

_MAX_PAIRS = 4096
"""Pairs of terms and parts that are compared when their numbers differ."""

_MAX_KNOWN = 500
"""Definitions that are kept."""

_MAX_PERMUTED = 7
"""Terms beyond which only the order of the definition is tried."""


@dataclass(frozen=True, slots=True)
class Mismatch:
    """A number that differs from the required operand.

    Attributes:
        node: what was written; the whole sum where a term is missing.
        cell: the entry that stands at its place, None where no single one does.
        part: what was to come to a value, where that was worked out wrongly; the term that is missing.
        kind: ``"operand"``, ``"sign"``, ``"missing"`` (a term), ``"extra"`` (a term), ``"value"`` (of a part).
    """

    node: t.Node
    cell: Cell | None
    kind: str = "operand"
    part: Expected | None = None


Mismatches: TypeAlias = tuple[Mismatch, ...]
Accepts: TypeAlias = Callable[[t.Node, Cell], bool]
AcceptsValue: TypeAlias = Callable[[t.Node, Expected], bool]
IsZero: TypeAlias = Callable[[Expected], bool]
Derived = TypeVar("Derived")


class Operands:
    """Comparison of written arithmetic with definitions.

    Args:
        graph: the quantities.
        resolve: what names mean.
        accepts_number: whether a number may stand for an entry.
        accepts: whether arithmetic may stand for an entry.
        accepts_value: whether a written number may stand for a part that was worked out.
        is_zero: whether a part is zero, so that it may be left out.
        is_hidden: whether minus infinity may stand for an entry, since the key is hidden.

    Within `memory`, `worked` is there to be filled with what parts come to: the same ones are looked at again and
    again, as terms are tried in many orders and for many entries.
    """

    def __init__(
        self,
        graph: Graph,
        resolve: Binder,
        accepts_number: Callable[[Figure, Cell], bool],
        accepts: Accepts,
        accepts_value: AcceptsValue,
        is_zero: IsZero,
        is_hidden: Callable[[Cell], bool],
    ) -> None:
        self.graph = graph
        self.resolve = resolve
        self.accepts_number = accepts_number
        self.accepts = accepts
        self.accepts_value = accepts_value
        self.is_zero = is_zero
        self.is_hidden = is_hidden
        self.ordered = False
        self._known: dict[Cell, Expected | None] = {}
        self._products: dict[int, tuple[Mul, list[Expected], list[Cell]]] = {}
        self.worked: dict[tuple[int, int], tuple[t.Node, Valuation, Quotient | None]] | None = None
        self._derived: dict[tuple[Callable[[t.Node], Any], int], tuple[t.Node, Any]] = {}
        self._must_fit = False
        self._matched: dict[tuple[int, int, int], tuple[t.Node, Expected, Mismatches | None]] = {}

    def compare(self, written: t.Node, cell: Cell, *, ordered: bool = False) -> Mismatches | None:
        """Return the operands that differ from the definition of an entry; None when the structures differ.

        Args:
            written: scalar arithmetic.
            cell: the entry.
            ordered: whether the terms have their places, as those of a product of written matrices do.
        """
        with self.memory():
            if not ordered and self.is_definition(written, cell):
                return ()
            self._must_fit, self.ordered = False, ordered
            self._matched.clear()
            found = _best(self.match(written, expected, _MAX_OPENED) for expected in self._definitions(cell))
            # What is not the definition need not be another formula with a mistake, such as that for running values.
            others = other_expansions(self.graph, cell) if ordered and found != () else []
            return () if any(self.match(written, expected, _MAX_OPENED) == () for expected in others) else found

    def is_definition(self, written: t.Node, cell: Cell) -> bool:
        """Return whether scalar arithmetic is the definition of an entry and all its operands fit."""
        self._must_fit, self.ordered = True, False
        self._matched.clear()
        with self.memory():
            return any(self._fits(written, expected) for expected in self._expansions(cell))

    def _fits(self, written: t.Node, expected: Expected) -> bool:
        """Return whether all operands fit; most sums need no more than a look for the place of their first term."""
        node = self._once(_unsigned, written)
        terms = self._once(flat_terms, node)
        match expected:
            case Add((_, Neg(_))):
                pass
            case Add(parts) if 1 < len(terms) <= len(parts) <= _MAX_PERMUTED and t.Dots not in map(type, terms):
                is_paired = len(self._pairing(terms, parts, _MAX_OPENED, needs_all=True)) == len(terms)
                if not is_paired or len(terms) == len(parts):
                    return (
                        is_paired
                        or self._fits_as_grouped(node, parts, _MAX_OPENED)
                        or self._fits_in_groups(terms, parts, _MAX_OPENED)
                    )
        return self.match(written, expected, _MAX_OPENED) == ()

    @contextmanager
    def memory(self) -> Iterator[None]:
        """Cache the values of parts while names and numbers mean the same: for one statement at most."""
        is_outer = self.worked is None
        self.worked = {} if self.worked is None else self.worked
        try:
            yield
        finally:
            if is_outer:
                self.worked = None
                self._derived.clear()

    def _expansions(self, cell: Cell) -> Iterator[Expected]:
        """Yield the definitions of an entry, and the other formulas that come to the same."""
        yield from self._definitions(cell)
        yield from other_expansions(self.graph, cell)

    def _definitions(self, cell: Cell) -> Iterator[Expected]:
        """Yield a definition, and the same step by another name: a copy, or scores that are only scaled."""
        expected = self._expected(cell)
        for _ in range(_MAX_OPENED):
            if expected is not None:
                yield expected
            expected = self._expected(expected.cell) if isinstance(expected, Entry) else None

    def _expected(self, cell: Cell) -> Expected | None:
        """Return the expansion of a definition; long sums are not built again for every term."""
        if cell not in self._known:
            if len(self._known) >= _MAX_KNOWN:
                self._known.clear()
                self._products.clear()
            self._known[cell] = expected_at(self.graph, cell)
        return self._known[cell]

    def match(self, written: t.Node, expected: Expected, depth: int) -> Mismatches | None:
        """Return the operands that differ, None when the structures differ."""
        key = (id(written), id(expected), depth)
        if key not in self._matched:
            self._matched[key] = (written, expected, self._matches(written, expected, depth))
        return self._matched[key][2]

    def _matches(self, written: t.Node, expected: Expected, depth: int) -> Mismatches | None:
        node = self._once(_unsigned, written)
        if isinstance(expected, Entry):
            return self._leaf(node, expected, depth)
        if isinstance(expected, Num):
            return self._fixed(node, expected)
        is_quotient = isinstance(node, t.Division) and isinstance(expected, Div)
        if self._once(figure, node) is not None and not is_quotient:
            return () if self.accepts_value(node, expected) else (Mismatch(node, None, "value", expected),)
        match expected:
            case Add((first, Neg(second))):
                return self._difference(node, first, second, depth)
            case Add(terms) if is_minus_infinity(node) and any(
                isinstance(term, Entry) and (self.is_hidden(term.cell) or self.accepts(node, term.cell))
                for term in terms
            ):
                return ()
            case Add(terms):
                return self._sum(node, terms, depth)
            case Mul():
                return self._product(node, expected, depth)
            case Call("exp", exponent):
                return self._power(node, exponent, depth)
            case Div(above, below):
                return self._quotient(node, above, below, depth)
            case Max(terms):
                found = self._maximum(node, terms, depth)
                begun = None if found == () else _without_start(node)
                return found if begun is None else self.match(begun, expected, depth)
            case Call(name, of) | Named(name, of):
                return self._called(node, name, of, depth)
        return None

    def _leaf(self, node: t.Node, expected: Entry, depth: int) -> Mismatches | None:
        number = self._once(figure, node)
        if number is not None:
            return () if self.accepts_number(number, expected.cell) else (Mismatch(node, expected.cell),)
        if is_minus_infinity(node) and self.is_hidden(expected.cell):
            return ()
        if is_infinity(node):
            return (Mismatch(node, expected.cell),)
        target = self.resolve(node)
        if target is not None and target.only is not None:
            name, i, j = expected.cell
            if (target.name, *target.only) == (name, i, j):
                return ()
        if is_collected(node, self._is_symbol) and self.accepts(node, expected.cell):
            return ()
        opened = self._expected(expected.cell) if depth else None
        found = None if opened is None else self.match(node, opened, depth - 1)
        if found is not None:
            return found
        if isinstance(opened, Mul) and target is not None:
            return None
        if target is not None and target.only is not None:
            return (Mismatch(node, expected.cell),)
        return () if self.accepts(node, expected.cell) else None

    def _is_symbol(self, node: t.Node) -> bool:
        value = self.resolve.constant(node)
        return value is not None and bool(value.symbols)

    def _fixed(self, node: t.Node, expected: Num) -> Mismatches | None:
        """Return a number of the definition itself; ``-inf`` where a mask hides an entry."""
        if is_minus_infinity(node):
            return () if expected.value is MINUS_INFINITY else (Mismatch(node, None, "value", expected),)
        if figure(node) is None:
            return () if self.accepts_value(node, expected) else None
        return () if self.accepts_value(node, expected) else (Mismatch(node, None, "value", expected),)

    # Sums ------------------------------------------------------------------------------------------

    def _sum(self, node: t.Node, expected: tuple[Expected, ...], depth: int) -> Mismatches | None:
        if self._fits_as_grouped(node, expected, depth):
            return ()
        terms = self._once(flat_terms, node)
        if any(isinstance(term, t.Dots) for term in terms):
            return self._elided(terms, expected, depth)
        if len(terms) == 1 and len(expected) > 1 and not self._may_be_one(expected):
            return None
        if self._fits_in_groups(terms, expected, depth):
            return ()
        if len(terms) == len(expected):
            in_order = self._all(terms, expected, depth)
            if in_order == () or (self.ordered and in_order is not None):
                return in_order
            # Of two that fit as well as each other, people mean the order of the definition.
            return _best((in_order, self._permuted(terms, expected, depth)))
        return self._with_gaps(node, terms, expected, depth)

    def _fits_as_grouped(self, node: t.Node, expected: tuple[Expected, ...], depth: int) -> bool:
        """Return whether a sum fits term by term, a closed form being one term: ``(4 - 2√2) + 0``, ``0 + 4 - 2√2``."""
        if len(self._once(flat_terms, node)) <= len(expected):
            return False
        readings = self._once(with_closed_forms, node)
        return any(len(terms) == len(expected) and self._fits_each(terms, expected, depth) for terms in readings)

    def _fits_in_groups(
        self, terms: list[t.Node], expected: tuple[Expected, ...], depth: int, join: type[Add | Max] = Add
    ) -> bool:
        """Return whether adjacent parts are joined: ``4 + 3`` for ``2·1 + 1·2 + b``, ``max(1, 3)`` of three."""
        if not 1 < len(terms) < len(expected) <= _MAX_PERMUTED:
            return False
        groups: dict[tuple[int, int], Expected] = {}

        def part(start: int, stop: int) -> Expected:
            parts = expected[start:stop]
            return parts[0] if len(parts) == 1 else groups.setdefault((start, stop), join(parts))

        cuts = combinations(range(1, len(expected)), len(terms) - 1)
        splits = (starmap(part, zip((0, *cut), (*cut, len(expected)), strict=True)) for cut in cuts)
        return any(self._fits_each(terms, tuple(split), depth) for split in splits)

    def _fits_each(self, terms: list[t.Node], expected: tuple[Expected, ...], depth: int) -> bool:
        """Return whether terms fit as many parts, in any order unless they have their places."""
        if self.ordered or len(terms) > _MAX_PERMUTED:
            return self._all(terms, expected, depth) == ()
        return len(self._pairing(terms, expected, depth, needs_all=True)) == len(terms)

    def _elided(self, terms: list[t.Node], expected: tuple[Expected, ...], depth: int) -> Mismatches | None:
        """Compare ``a + b + … + z`` by its first terms and its last ones; omitted terms are believed.

        Several that do not fit are not a mistake that could be named: zeros may have been left out among them.
        """
        gaps = [position for position, term in enumerate(terms) if isinstance(term, t.Dots)]
        front, back = terms[: gaps[0]], terms[gaps[0] + 1 :]
        if len(gaps) != 1 or not front or len(front) + len(back) > len(expected):
            return None
        found = self._all(front + back, expected[: len(front)] + expected[len(expected) - len(back) :], depth)
        return found if found is None or len(found) < len(terms) - 2 else None

    def _pairing(
        self, terms: list[t.Node], expected: tuple[Expected, ...], depth: int, *, needs_all: bool = False
    ) -> dict[int, int]:
        """Return a maximum matching of terms and fitting parts, by augmenting paths (Kuhn's algorithm).

        A term without a place has none in any maximum matching that holds those before it: where all are needed, the
        rest is left out.
        """
        taken: dict[int, int] = {}

        def place(term: int, seen: set[int]) -> bool:
            for part, meant in enumerate(expected):
                if part not in seen and self._fits_part(terms[term], meant, depth):
                    seen.add(part)
                    if part not in taken or place(taken[part], seen):
                        taken[part] = term
                        return True
            return False

        for term in range(len(terms)):
            if not place(term, set()) and needs_all:
                break
        return {term: part for part, term in taken.items()}

    def _fits_part(self, term: t.Node, part: Expected, depth: int) -> bool:
        """Return whether a term fits a part; most terms are products of numbers, and most parts of entries."""
        node = self._once(_unsigned, term)
        if self._must_fit and type(node) is t.Product and isinstance(part, Mul):
            numbers, (parts, cells) = self._once(_numbers, node), self._parts_of(part)
            if len(numbers) == len(cells) == len(parts):
                return self._are_factors(node, numbers, cells)
        return self.match(term, part, depth) == ()

    def _are_factors(self, node: t.Node, numbers: list[tuple[Figure, Figure]], cells: list[Cell]) -> bool:
        negative = self._once(flat_factors, node)[0]
        return any(self._is_product(numbers, order, negative=negative) for order in permutations(cells))

    def _may_be_one(self, expected: tuple[Expected, ...]) -> bool:
        others = (term for term in expected if not self.is_zero(term))
        return len(list(islice(others, 2))) <= 1

    def _all(self, terms: list[t.Node], expected: tuple[Expected, ...], depth: int) -> Mismatches | None:
        return _both(self.match(term, part, depth) for term, part in zip(terms, expected, strict=True))

    def _permuted(self, terms: list[t.Node], expected: tuple[Expected, ...], depth: int) -> Mismatches | None:
        """Pair off fitting terms wherever they stand; the rest must fit in the remaining order."""
        if len(terms) > _MAX_PERMUTED:
            return None
        pairs = self._pairing(terms, expected, depth)
        left = [term for position, term in enumerate(terms) if position not in pairs]
        rest = tuple(part for position, part in enumerate(expected) if position not in pairs.values())
        return self._all(left, rest, depth)

    def _with_gaps(
        self, node: t.Node, terms: list[t.Node], expected: tuple[Expected, ...], depth: int
    ) -> Mismatches | None:
        """Compare sums of different lengths: zeros may be omitted, anything else is missing."""
        if len(terms) * len(expected) > _MAX_PAIRS:
            return None
        pairs = self._pairing(terms, expected, depth)
        left = [term for position, term in enumerate(terms) if position not in pairs]
        rest = [part for position, part in enumerate(expected) if position not in pairs.values()]
        zeros = [part for part in rest if self.is_zero(part)] if len(rest) > len(left) else []
        rest = [part for part in rest if part not in zeros]
        # A weight that rounds to zero makes a term that is zero to the places shown, and may be written all the same.
        rest += zeros[: max(0, len(left) - len(rest))]
        mismatches: list[Mismatch] = []
        for term, part in zip(left, rest, strict=False):
            found = self.match(term, part, depth)
            if found is None:
                return None
            mismatches.extend(found)
        mismatches.extend(Mismatch(term, None, "extra") for term in left[len(rest) :] if not has_zero(term))
        mismatches.extend(Mismatch(node, _single(part), "missing", part) for part in rest[len(left) :])
        return tuple(mismatches)

    # Products, quotients, powers -------------------------------------------------------------------

    def _product(self, node: t.Node, expected: Mul, depth: int) -> Mismatches | None:
        if isinstance(node, t.Division):
            return self._scaled(node, expected, depth)
        first, second = expected.factors
        if isinstance(node, t.Power) and first == second and bare(node.exponent) == t.Number("2"):
            of = bare(node.base)
            found = self.match(of, first, depth)
            return () if self.match(self._once(turned, of), first, depth) == () else found
        negative, factors = self._once(flat_factors, node)
        parts, cells = self._parts_of(expected)
        if len(factors) < len(parts):
            if len(factors) == 1 and not negative and _is_factor_one(expected):
                return None
            parts, cells = [first, second], [part.cell for part in (first, second) if isinstance(part, Entry)]
        if len(factors) != len(parts):
            return None
        numbers = self._once(_numbers, node) if self._must_fit and len(cells) == len(parts) else []
        if numbers:
            return () if self._are_factors(node, numbers, cells) else (Mismatch(node, None),)
        orders = permutations(parts)
        best = _best(self._factors(node, factors, order, depth, negative=negative) for order in orders)
        return self._beside_zero(factors, parts) if best is None else best

    def _parts_of(self, expected: Mul) -> tuple[list[Expected], list[Cell]]:
        """Return the factors of a product, and the entries among them: asked again for every term."""
        if id(expected) not in self._products:
            parts = _flat_product(expected)
            self._products[id(expected)] = expected, parts, [part.cell for part in parts if isinstance(part, Entry)]
        return self._products[id(expected)][1:]

    def _is_product(self, factors: list[tuple[Figure, Figure]], cells: tuple[Cell, ...], *, negative: bool) -> bool:
        """Return whether numbers, each with its negative, stand for entries but for signs that cancel each other."""
        for (number, opposite), cell in zip(factors, cells, strict=True):
            if not self.accepts_number(number, cell):
                if not self.accepts_number(opposite, cell):
                    return False
                negative = not negative
        return not negative

    def _beside_zero(self, factors: list[t.Node], parts: list[Expected]) -> Mismatches | None:
        """Return a closed form that was copied wrongly beside a zero, where no value tells: ``0·√3`` for ``0·√2``."""
        if len(parts) != 2:
            return None
        for zero, other in ((0, 1), (1, 0)):
            for one, two in (parts, parts[::-1]):
                is_told = self.is_zero(one) and has_zero(factors[zero])
                if is_told and isinstance(two, Entry) and is_term(factors[other]):
                    return (Mismatch(factors[other], two.cell),)
        return None

    def _factors(
        self, node: t.Node, factors: list[t.Node], parts: tuple[Expected, ...], depth: int, *, negative: bool
    ) -> Mismatches | None:
        best = _best(self._all(signed, parts, depth) for signed in self._once(_signings, node))
        if best is None or len(best) <= 1:
            return best
        return self._sign_only(node, factors, parts, depth, negative=negative) or best

    def _sign_only(
        self, node: t.Node, factors: list[t.Node], parts: tuple[Expected, ...], depth: int, *, negative: bool
    ) -> Mismatches | None:
        """Compare the factors but for the sign of the product, which may stand at either factor."""
        flipped = 0
        for factor, part in zip(factors, parts, strict=True):
            if self.match(factor, part, depth) == ():
                continue
            if self.match(self._once(turned, factor), part, depth) != ():
                return None
            flipped += 1
        if flipped % 2 == int(negative) or any(has_zero(factor) for factor in factors):
            return () if flipped % 2 == int(negative) else None
        wrong = [k for k, factor in enumerate(factors) if self.match(factor, parts[k], depth) != ()]
        if len(wrong) == 1 and not negative:
            return (Mismatch(factors[wrong[0]], _single(parts[wrong[0]])),)
        return (Mismatch(node, None, "sign"),)

    def _scaled(self, node: t.Division, expected: Mul, depth: int) -> Mismatches | None:
        """Compare ``S/√d`` and ``(q·k)/1.41`` with a factor times a score."""
        for factor, other in (expected.factors, expected.factors[::-1]):
            first = self.match(self._once(_inverse, node.denominator), factor, depth)
            second = self.match(node.numerator, other, depth)
            if first is not None and second is not None:
                return first + second
        return None

    def _once(self, derive: Callable[[t.Node], Derived], node: t.Node) -> Derived:
        """Return what is derived from a node: one and the same for all entries, so that it is worked out once."""
        key = derive, id(node)
        if key not in self._derived:
            self._derived[key] = node, derive(node)
        made: Derived = self._derived[key][1]
        return made

    def _difference(self, node: t.Node, first: Expected, second: Expected, depth: int) -> Mismatches | None:
        if isinstance(node, t.Sum) and node.operators == ("-",) and any(map(is_collected, node.terms)):
            pair = [self.match(term, part, depth) for term, part in zip(node.terms, (first, second), strict=True)]
            if pair == [(), ()]:
                return ()
        terms = self._once(flat_terms, node)
        before = [first] if len(terms) == 2 else _differences(first)
        if len(terms) != len(before) + 1:
            return None
        signed = [terms[0], *(self._once(turned, term) for term in terms[1:])]
        return self._all(signed, (*before, second), depth)

    def _maximum(self, node: t.Node, expected: tuple[Expected, ...], depth: int) -> Mismatches | None:
        match node:
            case t.Call(function, arguments) if function.text == "max" and len(arguments) < len(expected):
                return () if self._fits_in_groups(list(arguments), expected, depth, Max) else None
            case t.Call(function, arguments) if function.text == "max" and len(arguments) == len(expected):
                return _both(self._compared(*pair, depth) for pair in zip(arguments, expected, strict=True))
            case t.Call(function, (argument,)) if function.text in {"ReLU", "relu"} and len(expected) == 2:
                return self._compared(argument, expected[1], depth)
        return None

    def _called(self, node: t.Node, name: str, of: Expected, depth: int) -> Mismatches | None:
        """Return a root, a square, a logarithm with its sign; of other functions the argument."""
        match node:
            case t.Negative(body) if name.startswith("-"):
                return self._called(bare(body), name[1:], of, depth)
            case t.Power(body, exponent) if name == "square" and bare(exponent) == t.Number("2"):
                return self.match(body, of, depth)
            case t.Root(body, None) if name == "sqrt":
                return self.match(body, of, depth)
            case t.Call(function, (argument,)) if function.text == name:
                return self.match(argument, of, depth)
        return None

    def _compared(self, term: t.Node, part: Expected, depth: int) -> Mismatches | None:
        """Compare a term whose value does not reach the result: of another structure, it must have the right value."""
        found = self.match(term, part, depth)
        if found is None and isinstance(part, Entry):
            return () if self.accepts(term, part.cell) else (Mismatch(term, part.cell),)
        return found

    def _power(self, node: t.Node, exponent: Expected, depth: int) -> Mismatches | None:
        written = power_of_e(node)
        return None if written is None else self.match(written, exponent, depth)

    def _quotient(self, node: t.Node, above: Expected, below: Expected, depth: int) -> Mismatches | None:
        if not isinstance(node, t.Division):
            return None
        return self._all([node.numerator, node.denominator], (above, below), depth)


def _without_start(node: t.Node) -> t.Node | None:
    """Return ``max(-∞, 1, 2)`` without the minus infinity that a running maximum begins with; None for others."""
    match node:
        case t.Call(function, (first, *rest)) if function.text == "max" and rest and is_minus_infinity(first):
            return rest[0] if len(rest) == 1 else t.Call(function, tuple(rest), span=node.span)
    return None


def _best(readings: Iterable[Mismatches | None]) -> Mismatches | None:
    """Return the first reading with the fewest mismatches, None where the structures of all differ."""
    best: Mismatches | None = None
    for found in readings:
        if found == ():
            return ()
        if found is not None and (best is None or len(found) < len(best)):
            best = found
    return best


def _both(found: Iterable[Mismatches | None]) -> Mismatches | None:
    """Return the mismatches of all parts, None where the structure of one differs: those behind it are not compared."""
    every: list[Mismatch] = []
    for item in found:
        if item is None:
            return None
        every.extend(item)
    return tuple(every)


def _unsigned(node: t.Node) -> t.Node:
    """Return a node without brackets, a quotient behind a minus sign, ``-3/1.414``, as it is read: ``(-3)/1.414``."""
    node = bare(node)
    inner = bare(node.body) if isinstance(node, t.Negative) else None
    if not isinstance(inner, t.Division) or figure(node) is not None:
        return node
    return t.Division(turned(inner.numerator), inner.denominator, span=node.span)


def _signings(node: t.Node) -> list[list[t.Node]]:
    negative, factors = flat_factors(node)
    return signings(factors, negative=negative)


def _numbers(node: t.Node) -> list[tuple[Figure, Figure]]:
    """Return the factors of a product with their negatives, if all are numbers and no minus stands before a zero."""
    negative, factors = flat_factors(node)
    found = [(figure(factor), figure(turned(factor))) for factor in factors]
    numbers = [(one, other) for one, other in found if one is not None and other is not None]
    is_unclear = len(numbers) < len(found) or (negative and any(not one.value for one, _ in numbers))
    return [] if is_unclear else numbers


def _inverse(node: t.Node) -> t.Division:
    return t.Division(t.Number("1", span=node.span), node, span=node.span)


def _flat_product(expected: Expected) -> list[Expected]:
    if not isinstance(expected, Mul):
        return [expected]
    return [factor for part in expected.factors for factor in _flat_product(part)]


def _differences(expected: Expected) -> list[Expected]:
    """Return ``a``, ``b`` and ``c`` of ``a - b - c``, of which all but the first are subtracted."""
    match expected:
        case Add((first, Neg(second))):
            return [*_differences(first), second]
    return [expected]


def _single(part: Expected) -> Cell | None:
    return part.cell if isinstance(part, Entry) else None


def _is_factor_one(expected: Mul) -> bool:
    return not any(isinstance(factor, Entry) for factor in expected.factors)
