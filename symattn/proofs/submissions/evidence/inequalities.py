"""Inequalities as people step through them: evident signs, norms of sums, sums whose terms are bounded.

Each is a step of a proof by a rule or a lemma of the kernel, which checks it. A range of letters, such as ``|t| < 1``,
keeps ``1 - t^2``, which a theorem wants positive, above 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product

from symattn.errors import InputError, NotationError
from symattn.notation.tree import nodes as t
from symattn.notation.tree.traversal import bare, rebuilt, walk
from symattn.notation.writers.plain import describe
from symattn.proofs.cases.evaluation import Model, NumericEvaluator
from symattn.proofs.cases.matrices import RELATIONS, number_in
from symattn.proofs.cases.numeric_tower import ZERO, order
from symattn.proofs.kernel.context import Context
from symattn.proofs.kernel.record import Step
from symattn.proofs.kernel.rules import RULES
from symattn.proofs.language.facts import Facts
from symattn.proofs.language.interpretation import Language, plain_name, read_text, split_indices
from symattn.proofs.language.scope import Hypothesis, Scope
from symattn.proofs.language.tree_parts import names_reached
from symattn.proofs.language.tree_signs import TreeSigns
from symattn.proofs.lemmas.table import LEMMAS
from symattn.proofs.submissions.attempts import attempt, otherwise
from symattn.proofs.submissions.phrases import CUES
from symattn.proofs.submissions.reading.domains import TURNED, Clause
from symattn.proofs.submissions.reading.normalization import substitute
from symattn.proofs.submissions.reading.statement_parts import free_letters

ORDERS = frozenset({"<", "≤", ">", "≥"})
_NOT_NEGATIVE = frozenset({"+", "0+", "0"})
_ROOT = "root "
_BOUND = "at-most"
_INDEX = "i"
_TWO = t.Number("2")
_LETTERS = "jlrwuz"


class InequalityProver:
    """Prover of inequalities in a scope.

    Args:
        scope: the names and hypotheses.
        ids: the hypotheses that may be used.
    """

    def __init__(self, scope: Scope, ids: Sequence[str]) -> None:
        self.signs = TreeSigns.of(Language(scope, Facts()))
        used = set(ids)
        roots = tuple(
            root for item in scope.hypotheses if item.id in used and (root := self._root(item, scope)) is not None
        )
        self.scope = replace(scope, hypotheses=(*scope.hypotheses, *roots)) if roots else scope
        self.ids = (*ids, *(item.id for item in roots))
        self.bounds = [item for item in self.scope.hypotheses if item.kind == _BOUND and item.id in set(self.ids)]

    def shows(self, left: t.Node, relation: str, right: t.Node) -> bool:
        """Tell whether a step of the kernel shows a relation.

        Raises:
            NotationError: a side means nothing in the scope.
            InputError: a limit of size is reached.
            ShapeError: the sides have different shapes.
        """
        if self._is_evident(left, relation, right):
            return True
        if relation in {"≥", ">"}:
            left, right, relation = right, left, TURNED[relation]
        sides = self.without_factors(left), self.without_factors(right)
        if sides != (left, right) and self._is_evident(sides[0], relation, sides[1]):
            return True
        if self._by_terms(*sides, relation):
            return True
        return relation == "≤" and (self._by_triangle(*sides) or self._by_norms(*sides))

    def _is_evident(self, left: t.Node, relation: str, right: t.Node, *, difference: str = "") -> bool:
        arguments = (("difference", difference),) if difference else ()
        step = Step("1", "evident sign", describe(left), relation, describe(right), self.ids, arguments=arguments)
        return not RULES[step.rule].check(Context(self.scope, step))

    # Norms -------------------------------------------------------------------------------------------

    def without_factors(self, node: t.Node) -> t.Node:
        """Return the side with factors that are evidently not negative before the norms that they stand in."""
        node = rebuilt(node, self.without_factors)
        match node:
            case t.Call(t.Name("norm"), (inner,)):
                inner = bare(inner)
            case _:
                return node
        if not isinstance(inner, t.Product) or set(inner.operators) - {"", "times"}:
            return node
        numbers = [factor for factor in inner.factors if self._is_number(factor)]
        vectors = [factor for factor in inner.factors if factor not in numbers]
        if len(vectors) != 1 or not numbers or not all(map(self._is_nonnegative, numbers)):
            return node
        return t.Product((*numbers, t.Call(t.Name("norm"), (vectors[0],))), ("",) * len(numbers))

    def _is_number(self, node: t.Node) -> bool:
        found = node.base if isinstance(node, t.Subscript) else node
        name, whole = plain_name(found), plain_name(node)
        for item in self.scope.items:
            if item.name == whole:
                return not item.sizes
            if item.name == name and isinstance(node, t.Subscript):
                return len(item.sizes) == len(split_indices(node.indices, len(item.sizes)))
        return isinstance(node, t.Number)

    @otherwise(default=False)
    def _is_nonnegative(self, node: t.Node) -> bool:
        return self.signs.under(*sorted(free_letters(node) & set(_LETTERS))).of_tree(node) in _NOT_NEGATIVE

    def _by_triangle(self, left: t.Node, right: t.Node) -> bool:
        """Show ``norm(x) <= sum w norm(y)`` where x is ``sum w y``."""
        match left, bare(right):
            case (
                t.Call(t.Name("norm"), (whole,)),
                t.SumOver(index, lower, upper, body, ()),
            ):
                pass
            case _:
                return False
        body = bare(body)
        factors = body.factors if isinstance(body, t.Product) and "cdot" not in body.operators else (body,)
        norms = [factor for factor in factors if _norm_of(factor) is not None]
        if len(norms) != 1:
            return False
        vector = _norm_of(norms[0])
        weights = tuple(factor for factor in factors if factor is not norms[0])
        if vector is None:
            return False
        one, other = (
            t.SumOver(index, lower or t.Number("1"), upper, _times(weights, last)) for last in (vector, norms[0])
        )
        if not self._are_equal(whole, one):
            return False
        step = Step("1", "lemma:triangle-inequality", f"norm({describe(one)})", "≤", describe(other), self.ids)
        return not LEMMAS["triangle-inequality"](Context(self.scope, step))

    def _by_norms(self, left: t.Node, right: t.Node) -> bool:
        """Show ``norm(x) <= sum w norm(y) <= B``, where a hypothesis bounds the norms."""
        if _norm_of(left) is None:
            return False
        for bound in self.bounds:
            low = read_text(bound.values[0], self.scope)
            if _norm_of(low) is None:
                continue
            for weight, length in self._weights(_INDEX, ()):
                between = read_text(f"sum_{{{_INDEX}=1}}^{{{length}}} {weight} {bound.values[0]}", self.scope)
                if attempt(self._by_triangle, left, between) and self._by_terms(between, right, "≤"):
                    return True
        return False

    def _are_equal(self, one: t.Node, other: t.Node) -> bool:
        step = Step("1", "substitution", describe(one), "=", describe(other), self.ids)
        return not RULES[step.rule].check(Context(self.scope, step))

    # Bounds ------------------------------------------------------------------------------------------

    def _by_terms(self, left: t.Node, right: t.Node, relation: str) -> bool:
        """Show an inequality whose difference, less a weighted sum of those of the hypotheses, has an evident sign."""
        differences = self._differences(left, right)
        return any(attempt(self._is_evident, left, relation, right, difference=text) for text in differences)

    def _differences(self, left: t.Node, right: t.Node) -> Iterator[str]:
        """Yield weighted sums of the differences that are not negative by the hypotheses of the step."""
        names = {item.text for side in (left, right) for item in walk(side) if isinstance(item, t.Name)}
        free = (free_letters(left) | free_letters(right)) & set("ijlr")
        for bound in self.bounds:
            low, high = (read_text(text, self.scope) for text in bound.values)
            if t.Name(_INDEX) not in (*walk(low), *walk(high)):
                continue
            letter = next(one for one in _LETTERS if one not in names)
            try:
                rest = [describe(substitute(side, _INDEX, t.Name(letter))) for side in (high, low)]
            except NotationError:
                continue
            for weight in self._weights(letter, sorted(free)):
                yield f"sum_{{{letter}=1}}^{{{weight[1]}}} {weight[0]} ({rest[0]} - ({rest[1]}))"

    def _weights(self, letter: str, free: Sequence[str]) -> Iterator[tuple[str, str]]:
        """Yield names that may stand as weights, each with the length of its range."""
        for item in self.scope.items:
            if len(item.sizes) == 1:
                yield f"{item.name}_{letter}", item.sizes[0]
            elif len(item.sizes) == 2:
                yield from ((f"{item.name}_{{{row},{letter}}}", item.sizes[1]) for row in free)

    def _root(self, item: Hypothesis, scope: Scope) -> Hypothesis | None:
        """Derive ``norm(x) <= M`` from a hypothesis ``x^T x <= M^2``, for M that is not negative."""
        if item.kind != _BOUND:
            return None
        low, high = (read_text(text, scope) for text in item.values)
        match low, high:
            case t.Product((t.Transpose(one), other), _), t.Power(bound, exponent) if one == other and exponent == _TWO:
                pass
            case _:
                return None
        if self.signs.of_tree(bound) not in _NOT_NEGATIVE:
            return None
        return Hypothesis(
            f"{_ROOT}{item.id}", item.text, _BOUND, item.about, (f"norm({describe(other)})", describe(bound))
        )


def square_sides(left: t.Node, right: t.Node, scope: Scope) -> tuple[t.Node, t.Node] | None:
    """Return the squares of two sides, where one is a norm and the other evidently not negative."""
    signs = TreeSigns.of(Language(scope, Facts()))
    squares: list[t.Node] = []
    for side in (left, right):
        inner = _norm_of(side)
        if inner is None and signs.of_tree(side) not in _NOT_NEGATIVE:
            return None
        squares.append(t.Power(side if inner is not None else t.Group(side), _TWO))
    if all(_norm_of(side) is None for side in (left, right)):
        return None
    return squares[0], squares[1]


def _norm_of(node: t.Node) -> t.Node | None:
    match node:
        case t.Call(t.Name("norm"), (inner,)):
            return inner
        case t.Group(inner):
            return _norm_of(inner)
    return None


def _times(factors: tuple[t.Node, ...], last: t.Node) -> t.Node:
    return t.Product((*factors, last), ("",) * len(factors)) if factors else last


_SIZES = (*(Fraction(n, 4) for n in range(1, 9)), *map(Fraction, ("9/10", "99/100", "101/100", "3", "10", "1000")))
_REALS = (Fraction(0), *(sign * size for size in _SIZES for sign in (1, -1)))
_POSITIVE = (Fraction(1, 2), Fraction(1), Fraction(2))


def letters_of_all(text: str) -> frozenset[str]:
    r"""Return the letters of which a work says that they may be any number.

    >>> sorted(letters_of_all(r"for all $t$ and every real $\beta$"))
    ['beta', 't']
    """
    return frozenset(match["letter"] or match["one"] for match in CUES["any_number"].finditer(text))


class Ranges:
    """The values that the condition of a formula allows for its letters.

    Args:
        scope: the names.
        clauses: the condition.
        values: letters that have a value here.
        free: letters that may be any number.
    """

    def __init__(
        self, scope: Scope, clauses: Sequence[Clause], values: Mapping[str, str], free: frozenset[str]
    ) -> None:
        self.scope = Scope(scope.declared, scope.defined)
        self.clauses = [tuple((_squared(a), o, _squared(b)) for a, o, b in clause) for clause in clauses]
        self.values = {name: Fraction(value) for name, value in values.items()}
        self.free = free
        self.signs = {item.name: item.sign for item in scope.declared if not item.sizes and not item.random}
        self.bodies = {item.name: (item.body,) for item in scope.defined}

    def allows_only(self, positive: str) -> bool:
        """Tell whether an expression is positive wherever the condition holds, as far as samples show.

        A condition that says nothing of its letters is none: then it is taken for granted.
        """
        letters = self._names(read_text(positive, self.scope)) & self.signs.keys()
        own = [clause for clause in self.clauses if any(self._speaks_of(clause, name) for name in letters)]
        if not own:
            return not letters & self.free
        names = sorted(letters | {name for clause in own for name in self.signs if self._speaks_of(clause, name)})
        tries = [
            (self.values[name],) if name in self.values else _REALS if self.signs[name] == "real" else _POSITIVE
            for name in names
        ]
        found = False
        for chosen in product(*tries):
            try:
                numeric = NumericEvaluator(self.scope, Model(dict(zip(names, chosen, strict=True)), {}))
                if not all(_holds(numeric, clause) for clause in own):
                    continue
                if order(numeric.number(positive), ZERO) != 1:
                    return False
            except InputError:
                return False
            found = True
        return found

    def allows(self, name: str, value: Fraction) -> bool:
        """Return whether the conditions of a letter alone hold for a value."""
        own = [clause for clause in self.clauses if {name} == self.signs.keys() & self._names_in(clause)]
        numeric = NumericEvaluator(self.scope, Model({name: value}, {}))
        return all(_holds(numeric, clause) for clause in own)

    def _names_in(self, clause: Clause) -> set[str]:
        return set().union(*(self._names(side) for a, _, b in clause for side in (a, b)))

    def _speaks_of(self, clause: Clause, name: str) -> bool:
        return any(name in self._names(side) for a, _, b in clause for side in (a, b))

    def _names(self, node: t.Node) -> set[str]:
        return names_reached([node], self.bodies, self.scope)


def _holds(numeric: NumericEvaluator, clause: Clause) -> bool:
    return any(
        order(number_in(numeric.value(a)), number_in(numeric.value(b))) in RELATIONS.get(operator, ())
        for a, operator, b in clause
    )


def _squared(node: t.Node) -> t.Node:
    """Write absolute values as roots of squares."""
    node = rebuilt(node, _squared)
    match node:
        case t.Call(t.Name("abs"), (inner,)):
            return t.Root(t.Power(t.Group(inner), t.Number("2")), None)
    return node
