"""Somebody's proof of a theorem, judged link by link: ``a = b = c`` makes two links.

A link is right when the trusted language shows it under the theorem's hypotheses, of which as few as possible are
used; those that the work does not state are named. It is wrong when a small case that satisfies the hypotheses
refutes it. Everything else stays open.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from symattn.errors import InputError, NotationError, ShapeError
from symattn.notation.submission import Heading, Prose, Side, Work, Written
from symattn.notation.tree import nodes as t
from symattn.notation.tree.traversal import walk
from symattn.notation.writers.plain import describe
from symattn.proofs.catalogue.authoring.theorem import Theorem
from symattn.proofs.language.interpretation import plain_name, read_text
from symattn.proofs.language.scope import Declared
from symattn.proofs.language.tree_parts import names_reached
from symattn.proofs.submissions.assumptions.context import EQUALITIES, WorkContext, names_in_tree
from symattn.proofs.submissions.assumptions.contradictions import contradiction
from symattn.proofs.submissions.assumptions.letter_signs import without_signs
from symattn.proofs.submissions.assumptions.letter_values import LetterValue, has_several
from symattn.proofs.submissions.assumptions.masks import UnderMask
from symattn.proofs.submissions.attempts import attempt
from symattn.proofs.submissions.evidence.counterexamples import Supposition
from symattn.proofs.submissions.evidence.numerals import is_arithmetic, numeral_of
from symattn.proofs.submissions.prose.conditioning import condition_on, given_vectors, law_equation, split_condition
from symattn.proofs.submissions.prose.quotations import quoted_pieces, remove_quotations
from symattn.proofs.submissions.reading.conditions import PlacedPiece
from symattn.proofs.submissions.reading.domains import EVERYWHERE, Clause, Domain
from symattn.proofs.submissions.reading.normalization import name_tree
from symattn.proofs.submissions.reading.spelling import SMALL_DELTA
from symattn.proofs.submissions.reading.statement_parts import (
    arrow_target,
    equivalent_relations,
    free_letters,
    indices_in,
    nodes_of,
)
from symattn.proofs.submissions.verdicts.derivability import Prover
from symattn.proofs.submissions.verdicts.equivalences import Equivalences
from symattn.proofs.submissions.verdicts.error_propagation import ErrorPropagation
from symattn.proofs.submissions.verdicts.findings import HOLDING, JudgedLink, best_of, mark_withdrawn, unchecked_as
from symattn.proofs.submissions.verdicts.link_verdicts import RelationJudge
from symattn.proofs.submissions.verdicts.local_assumptions import LocalAssumptions

__all__ = ["JudgedLink", "WorkJudge", "judge_work"]

_MUCH = {"≫": "much larger", "≪": "much smaller"}
_ORDERS = frozenset({"≤", "<", "≥", ">"})
_FAILING = frozenset({"wrong", "follows"})
_GOOD = HOLDING | {"unstated"}
_LETTERS = (*"xyzgfhw", "lawvariable")
_MOST_LINKS = 400
_MOST_DIGITS = 10_000
_MOST_NODES = 500
_NEAR = 32


def judge_work(
    work: Work, theorem: Theorem, settings: Mapping[str, str] | None = None, *, is_given: bool = False
) -> tuple[JudgedLink, ...]:
    """Judge a work about a theorem.

    Args:
        work: as read.
        theorem: what it proves, or whose names and hypotheses it speaks of.
        settings: values of the theorem's parameters, ``{"D": "512"}``.
        is_given: whether the question states the theorem's hypotheses, so that the work need not.

    Raises:
        InputError: the theorem has no such parameter.
    """
    found = WorkJudge(WorkContext(remove_quotations(work), theorem, settings or {}, is_given=is_given)).links()
    words = "Its heading says that it is quoted or reported, so it is not a claim of the work."
    quoted = (
        JudgedLink(piece.span, "unchecked", words if isinstance(piece, Written) else "", is_claim=False)
        for piece in quoted_pieces(work)
    )
    return tuple(sorted([*found, *quoted], key=lambda link: link.span))


class WorkJudge:
    """Judge of the chains of one work, in their order."""

    def __init__(self, context: WorkContext) -> None:
        self.context = context
        self.prover = Prover(context)
        self.relations = RelationJudge(self.prover)
        self.assumptions = LocalAssumptions(self.relations)
        self.propagation = ErrorPropagation(self.assumptions)
        self.equivalences = Equivalences(self.assumptions)
        self.changed: set[t.Node] = set()
        """Changed names of which a formula says what they are."""

    # Chains ----------------------------------------------------------------------------------------

    def links(self) -> tuple[JudgedLink, ...]:
        """Judge every link of the work, and its prose, in order."""
        self.prover.take_contradictions()
        found: list[JudgedLink] = []
        both = equivalent_relations(self.context.work)
        for item in self.context.placed:
            match item.piece:
                case Heading():
                    self.context.last = None
                case Prose(span, text):
                    if text.strip():
                        verdict = "withdrawn" if item.piece.withdrawn else "unchecked"
                        found.append(JudgedLink(span, verdict, is_claim=False))
                case Written() if item.piece.span in both and not self._states_the_mask(item.piece):
                    self.context.stand_at(item.piece.span[0], item.domain)
                    before = both[item.piece.span]
                    found.append(mark_withdrawn(self.equivalences.judge(before, item.piece), item.piece))
                case Written():
                    self.context.stand_at(item.piece.span[0], item.domain)
                    is_mask = self._states_the_mask(item.piece)
                    if item.is_doubtful:
                        words = "It is not clear whether it is claimed, or a premise alone."
                        found.append(mark_withdrawn(JudgedLink(item.piece.span, "undecided", words), item.piece))
                    elif is_mask or item.is_condition:
                        words = "an assumption of the work" if is_mask else "a condition of the formulas beside it"
                        found.append(mark_withdrawn(unchecked_as(item.piece.span, words), item.piece))
                    else:
                        found.extend(self._chain(item, item.piece))
            if len(found) >= _MOST_LINKS:
                break
        return tuple(found)

    def _states_the_mask(self, piece: Written) -> bool:
        """Return whether a formula says which keys the mask lets through."""
        return any(first <= piece.span[0] < last for first, last in self.context.mask_spans)

    def _chain(self, item: PlacedPiece, written: Written) -> Iterator[JudgedLink]:
        first, *rest = written.sides
        previous = None if first is None else first
        left = self.context.last if first is None else first.node
        if not rest and first is not None and first.node is not None and item.head is not None:
            yield mark_withdrawn(self._link(item, first.span, None, item.head, "=", first)[0], written)
            return
        if first is not None and first.node is None and not rest:
            yield mark_withdrawn(JudgedLink(first.span, "unread", first.reason), written)
        if not rest and first is not None and first.node is not None:
            words = "An expression alone states nothing."
            yield mark_withdrawn(JudgedLink(first.span, "unchecked", words, is_claim=False), written)
        for position, side in enumerate(rest, 1):
            if side is None:
                continue
            start = written.span[0] if position == 1 else written.operator_spans[position - 1][0]
            span = (start, side.span[1])
            operator = written.operators[position - 1]
            link, read = self._link(item, span, previous, left, operator, side)
            last = self.context.last if position > 1 else None
            is_bound = link.verdict == "wrong" and operator in _ORDERS and last not in {left, None}
            if is_bound and self._link(item, span, None, last, operator, side)[0].verdict == "right":
                words = "It holds for the number as it was rounded, and not for the value before it."
                link = JudgedLink(span, "undecided", words)
            if left is not None and read.node is not None and not written.withdrawn:
                link = self.propagation.record(link, left, written.operators[position - 1], read.node, item.domain)
            yield mark_withdrawn(link, written)
            self.context.last = read.node
            if numeral_of(read.node) is None or left is None or (isinstance(left, t.Number) and not left.places):
                # A rounded number is not a new start: the next one is held against what was rounded.
                previous, left = read, read.node
        if first is not None and not rest:
            self.context.last = first.node

    def _link(
        self, item: PlacedPiece, span: t.Span, before: Side | None, left: t.Node | None, operator: str, side: Side
    ) -> tuple[JudgedLink, Side]:
        """Return the finding, and the right side in the readings that are best for the work."""
        if side.node is None:
            return JudgedLink(span, "unread", side.reason), side
        if operator == "∼" and left is None and before is not None and before.node is None:
            parts = split_condition(self.context.text, before.span)
            if parts is not None:
                return self._guarded(span, lambda: self._law(item, span, parts[0], side.node, parts[1])), side
        if left is None and before is not None and before.node is None:
            return JudgedLink(span, "unread", before.reason), side
        if left is None:
            return JudgedLink(span, "unchecked", "What stands before the relation was not read."), side
        lefts = (left, *(() if before is None else before.others))
        found = [
            (self._where_it_holds(item, span, one, operator, other), other)
            for other in (side.node, *side.others)
            for one in lefts
        ]
        best = best_of([link for link, _ in found])
        if best.verdict not in {"right", "unstated", "rounded"}:
            return best, side
        kept = list(dict.fromkeys(other for link, other in found if link.verdict == best.verdict))
        return best, replace(side, node=kept[0], others=tuple(kept[1:]))

    def _where_it_holds(
        self, item: PlacedPiece, span: t.Span, left: t.Node, operator: str, right: t.Node
    ) -> JudgedLink:
        """Judge a link with the definitions that hold there; where others may be meant, it is not decided by them."""
        found = self._under_values(item, span, left, operator, right)
        is_failing = found.verdict in _FAILING
        if not is_failing and found.verdict not in _GOOD:
            return found
        definitions = self.context.own_definitions
        keys = {*names_in_tree(left), *names_in_tree(right)}
        if is_failing and definitions.rests_on_changed(span[0], keys):
            return JudgedLink(span, "undecided", "It speaks of a letter that is made of one which is defined again.")
        for one in definitions.others(span[0], sorted(keys), is_doubtful=not is_failing):
            current = definitions.current.get(one.key)
            definitions.put(one)
            other = self._under_values(item, span, left, operator, right)
            if current is not None:
                definitions.put(current)
            if (other.verdict in _FAILING) != is_failing or (not is_failing and other.verdict not in _GOOD):
                words = f"The work defines {_shown_name(one.head)} more than once; it is not clear which is meant here."
                return JudgedLink(span, "undecided", words)
        return found

    def _under_values(self, item: PlacedPiece, span: t.Span, left: t.Node, operator: str, right: t.Node) -> JudgedLink:
        """Judge a link under the values that hold there; where it cannot be told whether others do, it is not wrong."""
        values = self.context.values
        given = left if operator in EQUALITIES else None
        here = tuple(item for item in values.at(span[0]) if item.head != given)

        def judged(chosen: tuple[LetterValue, ...]) -> JudgedLink:
            self.context.put_values(chosen)
            try:
                return self._under_condition(item, span, left, operator, right)
            finally:
                self.context.put_values(values.at(span[0]))

        found = judged(here)
        if here and found.verdict == "undecided":
            found = best_of([found, judged(())])  # what holds for all values holds for these
        elsewhere = tuple(item for item in values.elsewhere(span[0]) if item.head != given)
        if found.verdict in _FAILING and elsewhere:
            several = has_several(elsewhere)
            if several or judged((*here, *elsewhere)).verdict not in _FAILING:
                names = " and ".join(dict.fromkeys(_shown_name(item.head) for item in elsewhere))
                words = f"It is not clear whether the value that the work gives to {names} elsewhere is meant here."
                return JudgedLink(span, "undecided", words)
        return found

    def _under_condition(
        self, item: PlacedPiece, span: t.Span, left: t.Node, operator: str, right: t.Node
    ) -> JudgedLink:
        """Judge a link under its own condition, and under an earlier one that may still hold."""
        masked = self._under_causal_mask(item, span, left, operator, right)
        if masked is not None:
            return masked
        found = self._at_indices(item, item.domain, span, left, operator, right)
        spoken = sorted(self.context.constrained & {*names_in_tree(left), *names_in_tree(right)})
        if found.verdict == "wrong" and spoken:
            words = (
                f"The work says in words of what kind {' and '.join(spoken)} is; no small case is held against that."
            )
            return JudgedLink(span, "undecided", words)
        if found.verdict == "wrong" and self._is_by_order_of_a_mask(item, left, right):
            words = (
                "It depends on which keys the mask hides, and the theorem leaves that open: say which mask is meant."
            )
            return JudgedLink(span, "undecided", words)
        if found.verdict == "wrong" and self._may_have_causal_mask(left, right):
            self.context.has_causal_mask = True
            try:
                below = self._under_condition(item, span, left, operator, right)
            finally:
                self.context.has_causal_mask = False
            if below.verdict != "wrong":
                return JudgedLink(span, "undecided", "It may hold under a causal mask: say which mask is meant.")
        if found.verdict == "wrong" and left in self.changed and not self.context.is_concluded(span[0]):
            words = (
                f"It does not hold if {_shown_name(left)} is made of what is changed as before; it may be defined here."
            )
            return JudgedLink(span, "undecided", words)
        if found.verdict == "wrong" and self.prover.lacks_a_condition(item.domain, (left, operator, right)):
            words = "No two entries are in this order for all pairs of indices: say for which ones it is meant."
            return JudgedLink(span, "undecided", words)
        if found.verdict not in {"wrong", "undecided"} or item.loosely.is_everywhere:
            return found
        both = self._at_indices(item, item.loosely.followed_by(item.domain), span, left, operator, right)
        if found.verdict == "wrong" and both.verdict != "wrong":
            words = "It holds under the condition before it, and it is not clear that this is meant here."
            return JudgedLink(span, "undecided", words)
        return found

    def _is_by_order_of_a_mask(self, item: PlacedPiece, left: t.Node, right: t.Node) -> bool:
        """Return whether a link speaks of a mask and of the order of two indices, as under a causal one."""
        if self.context.mask is None or self.context.has_causal_mask:
            return False
        if isinstance(left, t.Subscript) and left.base == t.Name(self.context.mask.name):
            return True
        nodes = [node for side in (left, right) for node in walk(side)]
        ends = {node.upper.text for node in nodes if isinstance(node, t.SumOver) and isinstance(node.upper, t.Name)}
        is_ordered = any(operator in _ORDERS for clause in item.domain.clauses for _, operator, _ in clause)
        return self._speaks_of_the_mask(left, right) and (is_ordered or not ends.isdisjoint(self.context.indices))

    def _speaks_of_the_mask(self, *sides: t.Node) -> bool:
        """Return whether the mask that the theorem leaves open is among what sides come to."""
        bodies = {one.name: (one.body,) for one in self.context.scope.defined}
        bound = [attempt(self.context.names.bound, side) or side for side in sides]
        mask = self.context.mask
        return mask is not None and mask.name in names_reached((*sides, *bound), bodies, self.context.scope)

    def _may_have_causal_mask(self, left: t.Node, right: t.Node) -> bool:
        """Return whether a link speaks of a mask that the work leaves open while it orders the indices of tokens."""
        sums = [one for node in nodes_of(self.context.work.pieces) for one in walk(node) if isinstance(one, t.SumOver)]
        ends = {one.upper.text for one in sums if isinstance(one.upper, t.Name)} & self.context.indices
        is_ordered = bool(ends or self.assumptions.ordered_indices)
        return is_ordered and not self.context.has_causal_mask and self._speaks_of_the_mask(left, right)

    def _under_causal_mask(
        self, item: PlacedPiece, span: t.Span, left: t.Node, operator: str, right: t.Node
    ) -> JudgedLink | None:
        """Judge a link as it is under a causal mask, where the work has one and it is shown."""
        if self.context.mask is None or not self.context.has_causal_mask:
            return None
        reading = UnderMask(self.context.mask, lambda text: read_text(text, self.context.scope), self.context.indices)
        try:
            changed = reading.link((left, right), item.domain)
        except NotationError:
            return None
        if changed is None:
            return None
        (first, second), domain = changed
        found = self._at_indices(item, domain, span, first, operator, second)
        return found if found.verdict in {"right", "unstated"} else None

    def _at_indices(
        self, item: PlacedPiece, domain: Domain, span: t.Span, left: t.Node, operator: str, right: t.Node
    ) -> JudgedLink:
        """Judge a link as it is; where that is not right, with its one free letter for the theorem's chosen index."""
        found = self._reading(item, domain, span, left, operator, right)
        chosen = self._chosen(left, right)
        if chosen is None or found.verdict not in {"wrong", "undecided"}:
            return found
        letter, index = chosen
        self.context.names.indices[letter] = t.Name(index)
        try:
            return best_of([found, self._reading(item, domain, span, left, operator, right)])
        finally:
            del self.context.names.indices[letter]

    def _chosen(self, left: t.Node, right: t.Node) -> tuple[str, str] | None:
        """Return the one free index of a link, and the theorem's chosen one, where the work never names that."""
        fixed = [name for name in self.context.scope.fixed if name.isalpha()]
        free = (free_letters(left) | free_letters(right)) & self.context.indices - set(
            self.context.names.indices
        ) - set(fixed)
        if not self.context.is_given or len(free) != 1 or not fixed or self.context.letters & set(fixed):
            return None
        return next(iter(free)), fixed[0]

    def _reading(
        self, item: PlacedPiece, domain: Domain, span: t.Span, left: t.Node, operator: str, right: t.Node
    ) -> JudgedLink:
        try:
            self.context.domain, self.context.is_open = self._bound_domain(domain, left, right)
            self.context.domain, self.context.here = self._quantified(self.context.domain, left, right)
            self.assumptions.take_tie()
            if item.toward:
                self.context.toward = item.toward
            if operator == "→":
                arrow = self._arrow(item, span, left)
                if arrow is None:
                    return JudgedLink(span, "undecided", "It is not said where a variable goes, so no limit is judged.")
                left, operator = arrow, "="
            found = self._with_ties(self._judged(item, span, left, operator, right))
            if found.verdict == "right" and operator in EQUALITIES | _ORDERS:
                found = self._whatever_sign(found, item, span, left, operator, right)
            if found.verdict == "right" and not self.prover.is_possible():
                return JudgedLink(span, "undecided", "The work assumes what is false here: look at that first.")
            return self.propagation.explain(found, domain, left, operator, right)
        except ShapeError as fault:
            return JudgedLink(span, "undecided", f"The sides do not fit each other as they are read: {fault}")
        except InputError as fault:
            return JudgedLink(span, "undecided", str(fault))
        finally:
            self.context.domain, self.context.is_open, self.context.here, self.context.tied = (
                EVERYWHERE,
                False,
                (),
                frozenset(),
            )
            self.assumptions.untie()

    def _whatever_sign(
        self, found: JudgedLink, item: PlacedPiece, span: t.Span, left: t.Node, operator: str, right: t.Node
    ) -> JudgedLink:
        """Judge a right link anew with either sign of the numbers that the theorem alone takes for positive."""
        sides = self.assumptions.bind_sides(left, right)
        denied = self.prover.denied_signs(span[0], *sides)
        letters = denied | (self.context.open_signs & self.prover.names_behind(*sides))
        if not letters:
            return found
        scope = self.context.scope
        self.context.scope, self.context.dropped_signs = without_signs(scope, letters), letters
        try:
            other = self._with_ties(self._judged(item, span, left, operator, right))
        finally:
            self.context.scope, self.context.dropped_signs = scope, frozenset()
        if denied:
            return other
        if other.verdict != "wrong":
            return found
        missing = tuple(f"{name} > 0" for name in sorted(letters))
        words = f"It holds if {' and if '.join(missing)}; the work does not say so. Without that: {other.explanation}"
        return replace(found, verdict="unstated", explanation=words, missing=missing, example=other.example)

    def _guarded(self, span: t.Span, judge: Callable[[], JudgedLink]) -> JudgedLink:
        """Return the finding, or why the link could not be judged."""
        try:
            return judge()
        except InputError as fault:
            return JudgedLink(span, "undecided", str(fault))

    def _with_ties(self, found: JudgedLink) -> JudgedLink:
        """Return the link, resting as well on the hypotheses that tie its limit to the variable."""
        if found.verdict != "right" or not self.context.tied:
            return found
        ids = self.context.tied | set(found.used)
        used = [
            item for item in self.context.pool if item.id in ids and not self.prover.is_about_lengths(item.hypothesis)
        ]
        return self.relations.resting_on(found.span, used)

    def _arrow(self, item: PlacedPiece, span: t.Span, left: t.Node) -> t.Node | None:
        """Return the limit that ``a → 1`` speaks of."""
        toward = arrow_target(self.context.text[span[0] : span[1]]) or item.toward or self.context.toward
        if len(toward) != 1:
            return None
        ((variable, target),) = toward
        return t.Call(t.Name("lim"), (t.Name(variable), target, left))

    # Where a link holds ----------------------------------------------------------------------------

    def _bound_domain(self, domain: Domain, left: t.Node, right: t.Node) -> tuple[Domain, bool]:
        """Return the domain of a link in the theorem's names, and whether it is not known in full."""
        clauses: list[Clause] = []
        is_open = domain.is_unread
        for clause in domain.clauses:
            try:
                clauses.append(tuple((self._end(a), operator, self._end(b)) for a, operator, b in clause))
            except InputError:
                is_open = True
        bound = Domain(tuple(clauses))
        if domain.is_elsewhere:
            others = self._elsewhere(left, right)
            is_open = is_open or others is None
            bound = bound.and_(others or EVERYWHERE)
        return bound, is_open

    def _quantified(self, domain: Domain, left: t.Node, right: t.Node) -> tuple[Domain, tuple[Supposition, ...]]:
        """Join ``if z_1 > z_j for all j ≠ 1`` into one condition when the link does not speak of j."""
        free = self.context.names.at_indices(left), self.context.names.at_indices(right)
        mine = free_letters(free[0]) | free_letters(free[1])
        relations = {clause: [side for a, _, b in clause for side in (a, b)] for clause in domain.clauses}
        values = {clause for clause, sides in relations.items() if any(isinstance(side, t.Subscript) for side in sides)}
        own = {
            clause: frozenset().union(*map(free_letters, sides))
            & self.context.indices - set(self.context.scope.fixed) - mine
            for clause, sides in relations.items()
        }
        found: list[Supposition] = []
        gone: set[Clause] = set()
        for clause in values:
            if not own[clause] or len(clause) != 1:
                continue
            ranges = tuple(other for other in domain.clauses if other not in values and own[other] & own[clause])
            found.append(Supposition(*clause[0], Domain(ranges)))
            gone |= {clause, *ranges}
        return Domain(tuple(clause for clause in domain.clauses if clause not in gone)), tuple(found)

    def _end(self, node: t.Node) -> t.Node:
        is_bare = isinstance(node, t.Name) and (
            node.text in self.context.indices or node.text in self.context.scope.fixed
        )
        return self.context.names.at_indices(node) if is_bare else self.context.names.bound(node)

    def _elsewhere(self, left: t.Node, right: t.Node) -> Domain | None:
        """Return every other index than those that the work names; None where it is not plain which is meant."""
        free = sorted((free_letters(left) | free_letters(right)) & self.context.indices - set(self.context.scope.fixed))
        texts = {text for node in nodes_of(self.context.work.pieces) for text in indices_in(node)}
        named = [name for name in self.context.scope.fixed if name in texts]
        named += [text for text in sorted(texts) if text.isdecimal() and text not in named]
        named += [index.text for index in self.context.names.indices.values() if isinstance(index, t.Name)]
        if not free:
            return EVERYWHERE  # it speaks of no index that might be another one
        if len(free) > 1 or not named:
            return None
        ends = [t.Number(name) if name.isdecimal() else t.Name(name) for name in dict.fromkeys(named)]
        return Domain(tuple(((t.Name(free[0]), "≠", end),) for end in ends))

    # One link --------------------------------------------------------------------------------------

    def _judged(self, item: PlacedPiece, span: t.Span, left: t.Node, operator: str, right: t.Node) -> JudgedLink:
        if operator == "∼":
            return self._law(item, span, left, right)
        if sum(1 for side in (left, right) for _ in walk(side)) > _MOST_NODES:
            return JudgedLink(span, "undecided", "It is too long to be judged as one step: write a step between.")
        long = next((item for side in (left, right) for item in walk(side) if _is_long(item)), None)
        if long is not None:
            return JudgedLink(span, "undecided", f"{describe(long)} has more digits than are worked with in a proof.")
        if operator in _MUCH:
            return JudgedLink(span, "undecided", f"Whether one side is {_MUCH[operator]} is not decided.")
        if operator not in EQUALITIES | _ORDERS | {"≈", "≠"}:
            return JudgedLink(span, "unchecked", f"A relation {operator} is not judged here.")
        if operator in EQUALITIES and self.context.own_definitions.is_at(item.piece.span[0], left):
            return unchecked_as(span, f"the definition of {_shown_name(left)}")
        second = self.context.names.bound(right)
        if operator in EQUALITIES and self.context.names.is_own(left):
            changed = self.assumptions.changed_form(left, right)
            if changed is not None and self.context.names.define(left, changed):
                self.changed.add(left)
            elif self.context.names.define(left, second):
                return unchecked_as(span, f"the definition of {_shown_name(left)}")
        if operator in EQUALITIES:
            self.assumptions.known.setdefault(self.context.names.target(left) or "", span[0])
        first, second = self.assumptions.bind_sides(left, right)
        given = self._given_here(span[0]) if operator in EQUALITIES | _ORDERS else ()
        if given:
            first, second = condition_on(first, given), condition_on(second, given)
        if self.assumptions.ends_number(span, first, operator, second):
            return self.assumptions.judge_supposition(span, first, operator, second)
        if self.assumptions.set_moment(span, first, operator, second):
            return unchecked_as(span, "an assumption of the work")
        assumed = self.assumptions.judge_assumption(span, first, operator, second)
        if assumed is not None:
            return assumed
        if self.context.hypothesis_of(item, left, operator, right) is not None:
            return unchecked_as(span, "an assumption of the work")
        if item.is_assumed:
            if operator in EQUALITIES and self.assumptions.define_otherwise(first, second):
                return unchecked_as(span, "an assumption of the work")
            is_masked = self.context.mask is not None and self.context.omits_factor(second)
            if operator in EQUALITIES and not is_masked and self.assumptions.redefine(left, first, second):
                return unchecked_as(span, f"the definition of {_shown_name(left)}")
            if operator in EQUALITIES and self.assumptions.sets_number(span, left, second):
                return unchecked_as(span, "an assumption of the work")
            return self.assumptions.judge_supposition(span, first, "=" if operator in EQUALITIES else operator, second)
        if item.is_explained and self._is_of_open_letters(first, second):
            return self.assumptions.judge_supposition(span, first, "=" if operator in EQUALITIES else operator, second)
        if (
            operator == "="
            and self.prover.is_case(span[0])
            and contradiction((first, operator, second), self.context.scope)
        ):
            return unchecked_as(span, "a condition of the formulas beside it")
        if operator in EQUALITIES and self.assumptions.sets_length(first, second):
            return self.assumptions.judge_supposition(span, first, "=", second)
        number = numeral_of(second)
        if number is not None and (operator == "≈" or number.places or is_arithmetic(first)):
            found = self.relations.judge_number(
                span, first, operator, number, is_negative=isinstance(second, t.Negative)
            )
            if found is not None:
                return found
        if operator == "≈":
            return self.relations.judge_approximation(span, first, second)
        if operator == "≠":
            return self.relations.judge_unequal(span, first, second)
        if operator in EQUALITIES:
            defining = self.assumptions.judge_definition(span, left, first, second)
            if defining is not None:
                return defining
        self.context.is_open |= self.context.omits_factor(left, right)
        return self.relations.judge(span, first, "=" if operator in EQUALITIES else operator, second)

    def _is_of_open_letters(self, *sides: t.Node) -> bool:
        """Return whether a relation speaks of letters alone of which nothing is said: ``a vector with ‖h‖ = 1``."""
        names = self.context.names
        own = frozenset().union(*map(names.own_in, sides))
        spoken = {name for side in sides for name in names_in_tree(side)}
        known = {one.name for one in self.context.scope.items} - names.own
        return bool(own) and own.isdisjoint(names.defined) and spoken.isdisjoint(known)

    def _law(
        self, item: PlacedPiece, span: t.Span, left: t.Node, right: t.Node | None, given: t.Node | None = None
    ) -> JudgedLink:
        """Judge a law: an assumption about the theorem's own random quantities, and a claim about others."""
        random = {*self.context.scope.random}
        nodes = left.items if isinstance(left, t.Vector) else (left,)
        names = {plain_name(node.base if isinstance(node, t.Subscript) else node) for node in nodes}
        names |= {plain_name(node) for node in nodes}
        is_own = bool({self.context.names.renamed.get(name or "", name) for name in names} & random)
        if item.is_assumed or (is_own and given is None):
            return unchecked_as(span, "an assumption of the work")
        items = given.items if isinstance(given, t.Vector) else () if given is None else (given,)
        known = tuple(items) or tuple(map(name_tree, self._given_here(span[0])))
        match right:
            case t.Call(t.Name("normal"), (mean, variance)):
                found = self._normal(span, left, (mean, variance), known)
                if found is not None:
                    return found
        return JudgedLink(span, "undecided", "Whether this quantity has this law is not decided.")

    def _normal(
        self, span: t.Span, left: t.Node, moments: tuple[t.Node, t.Node], given: tuple[t.Node, ...]
    ) -> JudgedLink | None:
        """Return a normal law as the equation between generating functions that it is."""
        quantity, mean, variance = (self.context.names.bound(node) for node in (left, *moments))
        known = tuple(self.context.names.bound(node) for node in given)
        letter = next(one for one in _LETTERS if one not in self.context.letters and not self._is_known(one))
        first, second = law_equation(quantity, (mean, variance), known, letter)
        scope = self.context.scope
        self.context.scope = replace(scope, declared=(*scope.declared, Declared(letter)))
        try:
            return self.relations.judge_exponential_means(span, first, second)
        finally:
            self.context.scope = scope

    def _is_known(self, name: str) -> bool:
        declared = any(name in {item.name, *item.sizes} for item in self.context.scope.declared)
        return declared or any(name == item.name for item in self.context.scope.defined)

    def _given_here(self, place: int) -> tuple[str, ...]:
        """Return the random vectors that the sentence of a formula says to be given."""
        found = self.context.statements.at(place)
        return () if found is None else given_vectors(found[0], found[1])


def _is_long(node: t.Node) -> bool:
    """Return whether it is a numeral with so many digits that each step of arithmetic takes long."""
    if not isinstance(node, t.Number):
        return False
    mantissa, _, exponent = node.text.partition("e")
    return len(mantissa) + abs(int(exponent or "0")) > _MOST_DIGITS


def _shown_name(node: t.Node) -> str:
    return describe(node).replace(SMALL_DELTA, "delta")
