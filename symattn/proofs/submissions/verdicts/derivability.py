"""Derivations and refutations of one link of a submission under some hypotheses."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, permutations

from symattn.errors import ShapeError
from symattn.notation.tree import nodes as t
from symattn.notation.tree.traversal import bare, walk
from symattn.notation.writers.plain import describe
from symattn.proofs.kernel.context import Context
from symattn.proofs.kernel.hypotheses import facts_of
from symattn.proofs.kernel.record import Step
from symattn.proofs.kernel.rules import RULES
from symattn.proofs.language.interpretation import Language, plain_name, read_text
from symattn.proofs.language.scope import Hypothesis, Kind
from symattn.proofs.language.tree_parts import names_reached
from symattn.proofs.language.values import Value, entrywise
from symattn.proofs.submissions.assumptions.context import WorkContext, names_in_tree
from symattn.proofs.submissions.assumptions.contradictions import contradiction, speaks_only_of
from symattn.proofs.submissions.assumptions.letter_signs import has_letter, without_signs
from symattn.proofs.submissions.assumptions.number_values import freed_places
from symattn.proofs.submissions.assumptions.softmax_limits import says
from symattn.proofs.submissions.assumptions.stated_hypotheses import Assumption
from symattn.proofs.submissions.attempts import otherwise
from symattn.proofs.submissions.evidence.counterexamples import Case, Constraints, counter_case
from symattn.proofs.submissions.evidence.exponential_moments import ExponentialMeans, has_exponential_mean
from symattn.proofs.submissions.evidence.inequalities import ORDERS, InequalityProver, Ranges, letters_of_all
from symattn.proofs.submissions.evidence.limits import has_limit, is_at_infinity
from symattn.proofs.submissions.evidence.numerals import is_rational
from symattn.proofs.submissions.phrases import CUES, LAYOUT
from symattn.proofs.submissions.prose.events import INDEPENDENCE, ORTHONORMALITY
from symattn.proofs.submissions.prose.polarity import Polarity
from symattn.proofs.submissions.prose.subjects import Subject
from symattn.proofs.submissions.reading.conditions import PlacedPiece
from symattn.proofs.submissions.reading.domains import Domain, Relation
from symattn.proofs.submissions.reading.index_cases import IndexCase, index_cases
from symattn.proofs.submissions.reading.normalization import substitute
from symattn.proofs.submissions.reading.statement_parts import free_letters, indices_in, raw_links, with_index

_OPPOSITES = {"<": "≥", "≤": ">", ">": "≤", "≥": "<", "=": "<>"}
USED = frozenset({
    "independent", "coordinates", "uncorrelated", "same-law", "mean", "variance", "covariance", "raw-moment", "law",
    "normal-vector",
    "equal", "dot-products", "total", "distinct",
})  # fmt: skip
"""Kinds of hypotheses that the language makes use of."""

_ANGLES = frozenset({"sin", "cos"})

BOUNDS: frozenset[Kind] = frozenset({"at-most", "positive", "nonzero"})
"""Kinds of hypotheses that inequalities rest on besides."""


_NEAR = 24
_SMALL = frozenset({"1", "2", "3"})
"""Lengths of small cases."""


class Prover:
    """Prover and refuter of relations under the hypotheses and the condition that hold at a place of the work."""

    def __init__(self, context: WorkContext) -> None:
        self.context = context
        self._possible: list[bool] = []

    # Contradicting -----------------------------------------------------------------------------------

    def take_contradictions(self) -> None:
        """Take a supposition against a hypothesis for its denial."""
        count = len(self.context.statements.events)
        for item in self.context.placed:
            span = item.piece.span
            if (
                item.is_assumed
                or item.is_condition
                or self.is_case(span[0])
                or LAYOUT["defining"].search(self.context.text[span[0] : span[1]])
            ):
                for link in raw_links(item):
                    self._take_contradiction(item, link, None)
            for clause in item.domain.clauses:
                for relation in clause:
                    self._take_contradiction(item, relation, span)
        if len(self.context.statements.events) > count:
            self.context.collect()
            self.context.take_hypotheses()

    @otherwise(None)
    def _take_contradiction(self, item: PlacedPiece, relation: Relation, scope: t.Span | None) -> None:
        place = item.piece.span[0]
        polarity = self.context.statements.polarity_at(place)
        if scope is None and polarity in {Polarity.DENIED, Polarity.WITHOUT}:
            return
        if scope is None and (item.is_condition or self.is_case(place) or polarity is not Polarity.STATED):
            scope = self.context.statements.scope_of_case(place)
        bound = (self.context.names.bound(relation[0]), relation[1], self.context.names.bound(relation[2]))
        subject = contradiction(bound, self.context.scope)
        if subject is not None and not self._is_definition(bound[0]) and not self._holds_anyway(bound):
            self.context.statements.contradict(INDEPENDENCE, subject, place, scope)
        for one in self.context.pool:
            if one.hypothesis.kind == "dot-products" and self._is_against(one.hypothesis, bound, item):
                self.context.statements.contradict(ORTHONORMALITY, Subject("any"), place, scope)

    def _is_against(self, known: Hypothesis, relation: Relation, item: PlacedPiece) -> bool:
        """Return whether a relation between orthonormal vectors alone does not follow, and fails in a case."""
        left, operator, right = relation
        if (
            not speaks_only_of(relation, known.about, self.context.scope)
            or self.context.hypothesis_of(item, *relation) is not None
        ):
            return False
        ids = tuple(one.hypothesis for one in self.context.pool)
        return (
            not self._holds_anyway(relation)
            and counter_case(self.context.scope, ids, left, operator, right) is not None
        )

    def is_case(self, place: int) -> bool:
        """Return whether a formula names a case: ``For $q = k$``, ``in the case $k = q$``."""
        found = self.context.statements.at(place)
        if found is None:
            return False
        before = found[0].text[max(0, found[1] - _NEAR) : found[1]]
        return CUES["case_named"].search(before) is not None

    def _is_definition(self, head: t.Node) -> bool:
        """Return whether the left side is a name that is not a random vector of the theorem's."""
        name = plain_name(head.base if isinstance(head, t.Subscript) else head)
        random = {*self.context.scope.random} - self.context.names.own
        return name is not None and name not in random and plain_name(head) not in random

    def _holds_anyway(self, relation: Relation) -> bool:
        """Return whether a relation follows from the theorem's hypotheses."""
        left, operator, right = relation
        return operator != "≠" and self.shows_equal(left, right, self.context.ids)

    # Showing ---------------------------------------------------------------------------------------

    @otherwise(default=False)
    def shows(self, left: t.Node, relation: str, right: t.Node, ids: Iterable[str]) -> bool:
        """Return whether a relation is shown under some hypotheses; what is not read here is not shown."""
        ids = tuple(ids)
        if relation == "=":
            if self.shows_equal(left, right, ids) or self._equal_norms(left, right, ids):
                return True
            if self._is_root(left, right, ids) or self._is_root(right, left, ids):
                return True
            return self._equal_exponentials(left, right, ids) or self._equal_angles(left, right, ids)
        if relation not in ORDERS:
            return False

        def shown(way: IndexCase) -> bool:
            scope = replace(self.context.scope, hypotheses=(*self.context.scope.hypotheses, *way.hypotheses))
            orders = InequalityProver(scope, (*ids, *(item.id for item in way.hypotheses)))
            return orders.shows(way.at(left), relation, way.at(right))

        return self._in_all_ways(shown)

    def _is_root(self, root: t.Node, other: t.Node, ids: Iterable[str]) -> bool:
        """Return whether a side is evidently not negative, and its square stands under the root on the other side."""
        root = bare(root)
        if not isinstance(root, t.Root) or root.degree is not None:
            return False
        square = t.Power(t.Group(other), t.Number("2"))
        return self.shows_equal(root.body, square, ids) and self.shows(other, "≥", t.Number("0"), ids)

    @otherwise(default=False)
    def shows_equal(self, left: t.Node, right: t.Node, ids: Iterable[str]) -> bool:
        """Return whether an equation is shown under some hypotheses by the values of its sides.

        A form that the language does not have, and a size beyond its limits, are not shown.
        """
        ids = self._untied(ids, left, right)

        def equal(way: IndexCase) -> bool:
            language = self.language(ids, way)
            return are_equal(language.value(way.at(left)), language.value(way.at(right)))

        return self._in_all_ways(equal)

    def _equal_norms(self, left: t.Node, right: t.Node, ids: Iterable[str]) -> bool:
        """Return the same with factors that are not negative before the norms that they stand in."""
        if not any(isinstance(item, t.Call) and item.function.text == "norm" for item in (*walk(left), *walk(right))):
            return False
        orders = InequalityProver(self.context.scope, ())
        sides = orders.without_factors(left), orders.without_factors(right)
        return sides != (left, right) and self.shows_equal(*sides, ids)

    @otherwise(default=False)
    def _equal_exponentials(self, left: t.Node, right: t.Node, ids: Sequence[str]) -> bool:
        """Return the same with the means of exponentials of normal quantities worked out."""
        if not (has_exponential_mean(left) or has_exponential_mean(right)):
            return False
        kept = [name for name in ids if self.keeps_to(name, ids)]
        kept += [
            item.id
            for item in self.context.pool
            if item.hypothesis.kind == "positive" and item.id not in ids and self.keeps_to(item.id, ids)
        ]
        found = ExponentialMeans(self.context.scope, kept, self._values_of(ids), self._positive_here())
        return found.are_equal(left, right)

    @otherwise(default=False)
    def _equal_angles(self, left: t.Node, right: t.Node, ids: Sequence[str]) -> bool:
        """Return the same with sines and cosines of sums written out, also under a root on both sides."""
        if not any(isinstance(item, t.Call) and item.function.text in _ANGLES for item in (*walk(left), *walk(right))):
            return False
        while isinstance(left, t.Root | t.Group) and isinstance(right, t.Root | t.Group):
            if isinstance(left, t.Root) != isinstance(right, t.Root):
                left, right = (side.body if isinstance(side, t.Group) else side for side in (left, right))
            else:
                left, right = left.body, right.body
        step = Step("1", "addition theorems", describe(left), "=", describe(right), tuple(ids))
        return not RULES[step.rule].check(Context(self.context.scope, step))

    def _values_of(self, ids: Iterable[str]) -> dict[str, str]:
        """Return the letters to which hypotheses give a number."""
        letters = {item.name for item in self.context.scope.declared if not item.sizes and not item.random}
        known = {item.id: item.hypothesis for item in self.context.pool}
        used = [known[name] for name in ids if name in known and known[name].kind == "equal"]
        return {
            item.about[0]: item.values[0] for item in used if item.about[0] in letters and is_rational(item.values[0])
        }

    def keeps_to(self, name: str, ids: Iterable[str]) -> bool:
        """Return whether the condition of a link allows only what a hypothesis says to be positive."""
        item = next((one.hypothesis for one in self.context.pool if one.id == name), None)
        if item is None or item.kind != "positive" or self.is_about_lengths(item):
            return True
        ranges = Ranges(
            self.context.scope, self.context.domain.clauses, self._values_of(ids), letters_of_all(self.context.text)
        )
        return all(ranges.allows_only(text) for text in item.values)

    def names_behind(self, *sides: t.Node) -> set[str]:
        """Return the names that sides come to through the definitions of the theorem."""
        bodies = {one.name: (one.body,) for one in self.context.scope.defined}
        return names_reached(sides, bodies, self.context.scope)

    def denied_signs(self, place: int, *sides: t.Node) -> frozenset[str]:
        """Return the numbers in sides that the theorem takes for positive, and a condition or the words do not."""
        context = self.context
        found = context.signed & self.names_behind(*sides)
        if not found:
            return found
        scope = without_signs(context.scope, found)
        ranges = Ranges(scope, context.domain.clauses, {}, letters_of_all(context.text))
        words = context.statements.words_at(place)
        is_negative = CUES["negative"].search(words) is not None
        return frozenset(
            name for name in found if not ranges.allows_only(name) or (is_negative and has_letter(words, name))
        )

    def has_two_or_more(self, place: int) -> bool:
        """Return whether the condition of a link, or else the words up to it, say that there are two or more."""
        context = self.context
        lengths = [name for name in sorted(context.scope.lengths) if name in context.domain.letters()]
        if lengths:
            ranges = Ranges(context.scope, context.domain.clauses, {}, frozenset())
            return any(not ranges.allows(name, Fraction(1)) for name in lengths)
        letters = [letter for name in sorted(context.scope.lengths) for letter in context.letters_of(name)]
        return context.statements.says_two_or_more(
            place, [span for letter in letters for span, _ in freed_places(context.text, letter, is_number=True)]
        )

    def _positive_here(self) -> tuple[str, ...]:
        """Return the formulas that are positive where a link holds, by the condition that the work states."""
        found: list[str] = []
        for clause in self.context.domain.clauses:
            if len(clause) == 1:
                left, operator, right = clause[0]
                low, high = (left, right) if operator in {"<", "≤"} else (right, left)
                match low:
                    case t.Call(t.Name("abs"), (inner,)):
                        low, high = t.Power(t.Group(inner), t.Number("2")), t.Power(t.Group(high), t.Number("2"))
                if operator in {"<", ">"}:
                    found.append(f"{describe(high)} - ({describe(low)})")
        return tuple(found)

    def _untied(self, ids: Iterable[str], *sides: t.Node) -> tuple[str, ...]:
        """Drop the equations that tie the variable of a limit or a derivative, which is taken without them."""
        places = {"lim": 0, "diff": 1}
        calls = [item for side in sides for item in walk(side) if isinstance(item, t.Call)]
        taken = [item.arguments[places[item.function.text]] for item in calls if item.function.text in places]
        variables = {name for item in taken for name in names_in_tree(item)}
        if not variables:
            return tuple(ids)
        known = {item.id: item.hypothesis for item in self.context.pool}
        return tuple(
            name
            for name in ids
            if known[name].kind != "equal"
            or not variables
            & {
                text
                for value in (*known[name].about, *known[name].values)
                for text in names_in_tree(read_text(value, self.context.scope))
            }
        )

    def _in_all_ways(self, is_shown: Callable[[IndexCase], bool]) -> bool:
        """Return whether something is shown in every case of the domain, of which there is one."""
        ways = index_cases(self.context.domain, self.context.scope)
        return bool(ways) and all(is_shown(way) for way in ways)

    def agree(self, left: t.Node, right: t.Node) -> bool:
        """Return whether sides agree under everything that was stated, or is a hypothesis of the theorem."""
        return self.shows_equal(left, right, self.context.stated_ids)

    def agrees_about(self, side: t.Node) -> Callable[[t.Node, t.Node], bool]:
        """Return whether sides agree whatever the values of the letters that a side speaks of, its moments among them.

        With a variance of 1 the square of a variance is that variance, which explains no mistake about it.
        """
        has_moments = not is_pointwise(side)
        letters = {*names_in_tree(side)}
        ids = [
            item.id
            for item in self.context.pool
            if item.id in self.context.stated_ids
            and not (
                item.is_special
                and item.hypothesis.kind == "equal"
                and item.hypothesis.values[0] != "0"
                and (has_moments or item.hypothesis.about[0] in letters)
            )
        ]

        def agree(left: t.Node, right: t.Node) -> bool:
            if is_pointwise(left, right) and self.refute(left, "=", right) is not None:
                return False  # small cases are quicker where sides differ
            return self.shows_equal(left, right, ids)

        return agree

    def language(self, ids: Iterable[str], way: IndexCase = IndexCase()) -> Language:  # noqa: B008 - it is frozen
        """Return the language under some hypotheses, in one case of the present domain."""
        known = {item.id: item for item in self.context.pool}
        usable = [name for name in ids if known[name].hypothesis.kind in USED]
        scope = replace(self.context.scope, hypotheses=(*self.context.scope.hypotheses, *way.hypotheses))
        return Language(scope, facts_of(scope, (*usable, *(item.id for item in way.hypotheses))))

    def usable(self, relation: str, ids: Collection[str]) -> list[Assumption]:
        """Return those of some assumptions on which a relation may rest, lengths left out."""
        kinds = USED if relation == "=" else USED | BOUNDS
        return [
            item
            for item in self.context.pool
            if item.id in ids and item.hypothesis.kind in kinds and not self.is_about_lengths(item.hypothesis)
        ]

    def needed_ids(self, left: t.Node, relation: str, right: t.Node, ids: Sequence[str]) -> tuple[str, ...]:
        """Return a smallest set of hypotheses with which it is shown: what was not stated is dropped first."""
        kept = self.usable(relation, ids)
        stated = [item for item in kept if item.is_stated]

        def is_enough(items: Sequence[Assumption]) -> bool:
            return self.shows(left, relation, right, [item.id for item in items])

        if len(stated) < len(kept) and is_enough(stated):
            return tuple(item.id for item in stated)
        for item in sorted(kept, key=_eagerness):
            # What was stated need not be missed: only the rest is dropped as far as possible.
            fewer = [other for other in kept if other is not item]
            if not item.is_stated and is_enough(fewer):
                kept = fewer
        return tuple(item.id for item in kept)

    def is_about_lengths(self, item: Hypothesis) -> bool:
        """Return whether it says only that something is there at all, which nobody states."""
        lengths = self.context.scope.lengths
        names = {
            name for text in (*item.about, *item.values) for name in names_in_tree(read_text(text, self.context.scope))
        }
        return item.kind in {"at-most", "positive", "nonzero"} and names <= lengths

    def lacks_a_condition(self, domain: Domain, relation: Relation) -> bool:
        """Return whether a relation is an order that exchanging two indices turns round, and none orders the indices.

        ``z_i > z_j`` is not meant for all pairs, nor is a strict order of sides that are equal where the indices are.
        """
        left, operator, right = relation
        if operator not in ORDERS or any(sign in ORDERS for clause in domain.clauses for _, sign, _ in clause):
            return False
        free = sorted((free_letters(left) | free_letters(right)) & self.context.indices)
        numbers = {text for side in (left, right) for text in indices_in(side) if text.isdecimal()}
        for one, other in permutations([*free, *sorted(numbers)], 2):
            if with_index(left, one, other) == right and with_index(right, other, one) == left:
                return True
        return operator in {"<", ">"} and any(
            self._are_equal_at((left, right), *pair) for pair in combinations(free, 2)
        )

    @otherwise(default=False)
    def _are_equal_at(self, sides: tuple[t.Node, t.Node], one: str, other: str) -> bool:
        """Return whether sides are equal where two indices are one."""
        left, right = (self.context.names.bound(substitute(side, one, t.Name(other))) for side in sides)
        return self.agree(left, right)

    # Refuting --------------------------------------------------------------------------------------

    def refute(self, left: t.Node, relation: str, right: t.Node) -> Case | None:
        """Return a case that satisfies everything stated, and the tacit assumptions where it allows them.

        No case is known to be meant where the work speaks of scores in words that were not understood.
        """
        if (
            self.context.is_open
            or self.context.is_vague
            or (has_limit(left) and is_at_infinity(left) and says(self.context.text, "tied"))
            or (self.context.is_careful and (has_limit(left) or has_limit(right)))
        ):
            return None
        equations = [
            item.hypothesis for item in self.context.pool if item.is_stated and item.hypothesis.kind == "equal"
        ]
        known = {item.about[0] for item in (*self.values_here, *equations)}
        usual = [
            item
            for item in self.context.pool
            if item.hypothesis.kind != "equal"
            or not (
                item.hypothesis.about[0] in self.context.scope.lengths
                or (item.is_special and not item.is_stated and item.hypothesis.about[0] in known)
            )
        ]
        values = [item.hypothesis(self.context.scope) for item in self.context.values_in_force]
        given = [item for item in values if item is not None]
        if len(given) < len(values):
            return None  # no case is known to have what is not plain
        hypotheses = (*(item.hypothesis for item in usual), *self.values_here, *given)
        return counter_case(self.context.scope, hypotheses, left, relation, right, self.given)

    def is_possible(self) -> bool:
        """Return whether nothing that the work supposes is shown to be false: from that everything would follow."""
        for item in self.context.supposed[len(self._possible) :]:
            opposites = _OPPOSITES.get(item.operator, "")
            is_false = any(self.shows(item.left, sign, item.right, self.context.stated_ids) for sign in opposites)
            self._possible.append(not is_false)
        return all(self._possible)

    @property
    def values_here(self) -> tuple[Hypothesis, ...]:
        """Letters to which the present condition gives a value: ``if mu = 0``."""
        ways = index_cases(self.context.domain, self.context.scope)
        return tuple(item for item in ways[0].hypotheses if item.kind == "equal") if len(ways) == 1 else ()

    @property
    def _small_lengths(self) -> Domain:
        """Return the lengths to which the work gives values that small cases have."""
        return Domain.of(
            (t.Name(item.hypothesis.about[0]), "=", t.Number(item.hypothesis.values[0]))
            for item in self.context.pool
            if item.is_stated
            and item.is_special
            and item.hypothesis.about[0] in self.context.scope.lengths
            and item.hypothesis.values[0] in _SMALL
        )

    @property
    def given(self) -> Constraints:
        """Return the domain of the present link, and the suppositions of the work."""
        causal = self.context.mask.seen if self.context.mask is not None and self.context.has_causal_mask else ""
        supposed = (*self.context.supposed, *self.context.here)
        return Constraints(
            self.context.domain.and_(self._small_lengths),
            supposed,
            causal,
            is_narrow=bool(self.context.values_in_force),
            unread_laws=self.context.unread_laws,
        )


def _eagerness(item: Assumption) -> tuple[int, int]:
    """Return a sort key: unstated assumptions are dropped first, those that people state least before others."""
    rare = {"same-law": 0, "law": 1, "uncorrelated": 2}
    return (item.is_stated, rare.get(item.hypothesis.kind, 3))


def is_pointwise(*sides: t.Node) -> bool:
    """Return whether nothing is averaged and no limit is taken."""
    apart = {"E", "Var", "Cov", "lim"}
    return not any(isinstance(node, t.Call) and node.function.text in apart for side in sides for node in walk(side))


def are_equal(first: Value, second: Value) -> bool:
    """Return whether two values are shown to be equal, entry by entry.

    Raises:
        ShapeError: they have different shapes.
    """
    pairs = entrywise(first, second)
    if pairs is None:
        raise ShapeError("The sides have different shapes.")
    return all(one.equals(other) for one, other in pairs)
