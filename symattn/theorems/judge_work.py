"""Somebody's proof of a theorem, judged link by link: ``a = b = c`` makes two links.

A link is right when the trusted language shows it under the theorem's hypotheses, of which as few as possible are
used; those that the work does not state are named. It is wrong when a small case that satisfies the hypotheses
refutes it. Everything else stays open.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from symattn.derivation.proofs.context import Context
from symattn.derivation.proofs.hypotheses import facts_of
from symattn.derivation.proofs.language import Language, plain_name, read_text
from symattn.derivation.proofs.record import Proof, Step
from symattn.derivation.proofs.rules import RULES
from symattn.derivation.proofs.scope import Hypothesis, Scope
from symattn.derivation.proofs.values import Value, entrywise
from symattn.errors import InputError, NotationError, ShapeError
from symattn.exact.indexed.expr import Expr
from symattn.notation import tree as t
from symattn.notation.plain_writer import describe
from symattn.notation.walk import walk
from symattn.notation.work import Heading, Prose, Side, Work, Written
from symattn.records import dataclass
from symattn.theorems.entry import CounterExample, Falsehood, Theorem
from symattn.theorems.numeric import Array, Model, Numeric
from symattn.theorems.refute import refuted
from symattn.theorems.tower import Number, digits
from symattn.theorems.work_conditions import EVERYWHERE, Clause, Domain, Placed, placed
from symattn.theorems.work_known import (
    known_limit,
    speaks_of_largest,
    speaks_of_ties,
    supposed_in_words,
    supposes_equal,
)
from symattn.theorems.work_limits import has_limit, is_at_infinity
from symattn.theorems.work_names import Names, names_of_work
from symattn.theorems.work_numbers import is_arithmetic, is_rational, number_verdict, numeral_of
from symattn.theorems.work_pieces import arrow_target, free_letters, nodes_of, raw_links, spelt_out
from symattn.theorems.work_refute import NOTHING_GIVEN, Case, Given, Supposed, counter_case
from symattn.theorems.work_slips import Slip, slip
from symattn.theorems.work_softmax import Entries, softmax_of
from symattn.theorems.work_spelling import SMALL_DELTA, index_letters, with_numbers
from symattn.theorems.work_stated import Assumption, Said, assumptions, said_in, stated_words
from symattn.theorems.work_supposed import stated_by
from symattn.theorems.work_usual import in_names_of
from symattn.theorems.work_ways import Way, ways_of

_FAULTS = (InputError, NotationError, ShapeError)
_EQUALITIES = frozenset({"=", "≡"})
_ORDERS = frozenset({"≤", "<", "≥", ">"})
_USED = frozenset({
    "independent", "coordinates", "uncorrelated", "same-law", "mean", "variance", "covariance", "raw-moment", "law",
    "equal", "dot-products", "total", "distinct",
})  # fmt: skip
"""Kinds of hypotheses that the language makes use of."""

_PAIR = 2
_MOST_LINKS = 400
_MOST_NODES = 500
_FIGURES = 12
_ENTRY = "i"
"""The index of an entry in the value of a hypothesis."""


@dataclass(frozen=True, slots=True)
class JudgedLink:
    """What was found about one link, or about words.

    Attributes:
        span: where it stands, from its relation on.
        verdict: one of the words that `symattn check` has.
        explanation: sentences; empty for what is simply right.
        missing: the hypotheses that it needs and that were not stated.
        slip: the likeliest cause of what is wrong.
        value: the number that was written, where one was.
        expected: the right number.
        example: a case that satisfies what was assumed and in which the link fails.
        used: the hypotheses that it rests on.
        arithmetic: whether numbers follow from each other; None where none were compared.
        is_valid: whether the claim holds; None where that was not found out.
    """

    span: t.Span
    verdict: str
    explanation: str = ""
    missing: tuple[str, ...] = ()
    slip: Slip | None = None
    value: str | None = None
    expected: str | None = None
    example: CounterExample | None = None
    used: tuple[str, ...] = ()
    arithmetic: bool | None = None
    is_valid: bool | None = None


def judge_work(
    work: Work, theorem: Theorem, settings: Mapping[str, str] | None = None, *, is_given: bool = False
) -> tuple[JudgedLink, ...]:
    """Judges a work about a theorem.

    Args:
        work: as read.
        theorem: what it proves, or whose names and hypotheses it speaks of.
        settings: values of the theorem's parameters, ``{"D": "512"}``.
        is_given: whether the question states the theorem's hypotheses, so that the work need not.

    Raises:
        InputError: the theorem has no such parameter.
    """
    return WorkJudge(work, theorem, settings or {}, is_given=is_given).links()


class WorkJudge:
    """Judges the chains of one work in their order."""

    def __init__(self, work: Work, theorem: Theorem, settings: Mapping[str, str], *, is_given: bool) -> None:
        self.theorem = theorem
        nodes = list(nodes_of(work.pieces))
        self.proof, self.settings = _proof(theorem, settings, nodes)
        self.proof = replace(self.proof, scope=with_numbers(self.proof.scope, tuple(nodes)))
        self.is_given = is_given
        self.text = work.text
        scope = self.proof.scope
        usual, scope = in_names_of(work, theorem.name, scope)
        self.work = spelt_out(usual, scope)
        self.proof = replace(self.proof, scope=scope)
        self.indices = index_letters(tuple(nodes_of(self.work.pieces)), scope)
        self.placed = placed(self.work, self._is_index, self._may_go_to_a_limit)
        sides = [node for item in self.placed for node in self._speaking(item)]
        self.names: Names = names_of_work(scope, sides, _main(self.proof), self.indices)
        links = [link for item in self.placed for link in raw_links(item)]
        self.said = [item for link in links for item in self._said(*link)]
        words = stated_words(" ".join(_prose(work)))
        values = self._all_settings(links)
        self.pool = list(assumptions(self.names.scope, words, self.said, self._used(sides), values, is_given=is_given))
        self.scope = replace(self.names.scope, hypotheses=tuple(item.hypothesis for item in self.pool))
        self.last: t.Node | None = None
        self.domain = EVERYWHERE
        self.here: tuple[Supposed, ...] = ()
        self.is_open = False
        self.is_vague = supposes_equal(work.text)
        self.toward: tuple[tuple[str, t.Node], ...] = ()
        self.supposed = list(supposed_in_words(work.text, self.names, self._used(sides)))
        self.is_careful = not self.supposed and speaks_of_largest(work.text)
        self._take_hypotheses()
        self._take_definitions()

    # What the work speaks of -----------------------------------------------------------------------

    def _is_index(self, letter: str) -> bool:
        return letter in self.indices

    def _may_go_to_a_limit(self, name: str) -> bool:
        item = next((one for one in self.proof.scope.declared if one.name == name), None)
        return name not in self.indices and (item is None or not item.sizes)

    def _speaking(self, item: Placed) -> Iterator[t.Node]:
        """The sides of a piece; an index that a condition is about is none."""
        for node in nodes_of((item.piece,)):
            is_bare = isinstance(node, t.Name) and node.text in {*self.indices, *self.proof.scope.fixed}
            if not (item.is_condition and (is_bare or isinstance(node, t.Vector | t.Number))):
                yield node

    def _take_hypotheses(self) -> None:
        """Marks the hypotheses of the theorem that a formula of the work states, and takes its letters for theirs."""
        for item in self.placed:
            for link in raw_links(item):
                found = self._hypothesis(item, *link)
                if found is None:
                    continue
                name, letters = found
                self.pool = [replace(one, is_stated=True) if one.id == name else one for one in self.pool]
                for letter, index in letters.items():
                    self.names.indices.setdefault(letter, t.Name(index))

    def _take_definitions(self) -> None:
        """What a name is may be said behind the formula that uses it: ``where``, ``with``."""
        for item in self.placed:
            if not item.is_explained:
                continue
            for left, operator, right in raw_links(item):
                try:
                    if operator in _EQUALITIES and self.names.is_own(left):
                        self.names.define(left, self.names.bound(right))
                except _FAULTS:
                    continue

    def _hypothesis(
        self, item: Placed, left: t.Node, operator: str, right: t.Node
    ) -> tuple[str, dict[str, str]] | None:
        """The hypothesis that a link is, and which of its letters are chosen indices of the theorem's."""
        try:
            first, second = self.names.bound(left), self.names.bound(right)
            domain = item.domain.mapped(self.names.at_indices)
            used = {letter for node in nodes_of(self.work.pieces) for letter in _texts(node)}
            relation = (first, operator, second)
            return stated_by(relation, domain, self.pool, self.scope, self.indices, frozenset(used))
        except _FAULTS:
            return None

    def _said(self, left: t.Node, operator: str, right: t.Node) -> tuple[Said, ...]:
        try:
            return said_in(
                self.names.bound(left),
                operator,
                right if operator == "∼" else self.names.bound(right),
                self.names.scope,
            )
        except _FAULTS:
            return ()

    def _used(self, sides: Sequence[t.Node]) -> frozenset[str]:
        found: set[str] = set()
        for side in sides:
            try:
                bound = self.names.bound(side)
            except _FAULTS:
                continue
            found.update(describe(node) for node in walk(bound) if isinstance(node, t.Name | t.Subscript))
        return frozenset(found)

    def _all_settings(self, links: Iterable[tuple[t.Node, str, t.Node]]) -> dict[str, str]:
        """Values of letters that the question or the work fixes: ``d_k = 512``."""
        found = dict(self.settings)
        letters = {text for item in self.names.scope.declared for text in item.sizes}
        for left, operator, right in links:
            try:
                name = describe(self.names.bound(left)) if operator == "=" else ""
            except _FAULTS:
                continue
            if name in letters and isinstance(right, t.Number):
                found.setdefault(name, right.text)
        return found

    # Chains ----------------------------------------------------------------------------------------

    def links(self) -> tuple[JudgedLink, ...]:
        """Every link of the work, and its prose, in order."""
        found: list[JudgedLink] = []
        for item in self.placed:
            match item.piece:
                case Heading():
                    self.last = None
                case Prose(span, text):
                    if text.strip():
                        found.append(JudgedLink(span, "withdrawn" if item.piece.withdrawn else "unchecked"))
                case Written():
                    found.extend(self._condition(item) if item.is_condition else self._chain(item, item.piece))
            if len(found) >= _MOST_LINKS:
                break
        return tuple(found)

    def _condition(self, item: Placed) -> Iterator[JudgedLink]:
        """What says where a formula holds states nothing itself."""
        if isinstance(item.piece, Written):
            words = "It is taken as a condition of the formulas beside it."
            yield _withdrawn(JudgedLink(item.piece.span, "unchecked", words), item.piece)

    def _chain(self, item: Placed, written: Written) -> Iterator[JudgedLink]:
        first, *rest = written.sides
        previous = None if first is None else first
        left = self.last if first is None else first.node
        if not rest and first is not None and first.node is not None and item.head is not None:
            yield _withdrawn(self._link(item, first.span, None, item.head, "=", first)[0], written)
            return
        if first is not None and first.node is None and not rest:
            yield _withdrawn(JudgedLink(first.span, "unread", first.reason), written)
        if not rest and first is not None and first.node is not None:
            yield _withdrawn(JudgedLink(first.span, "unchecked", "An expression alone states nothing."), written)
        for position, side in enumerate(rest, 1):
            if side is None:
                continue
            start = written.span[0] if position == 1 else written.operator_spans[position - 1][0]
            span = (start, side.span[1])
            link, read = self._link(item, span, previous, left, written.operators[position - 1], side)
            yield _withdrawn(link, written)
            self.last = read.node
            if numeral_of(read.node) is None or left is None or (isinstance(left, t.Number) and not left.places):
                # A rounded number is no new start: the next one is held against what was rounded.
                previous, left = read, read.node
        if first is not None and not rest:
            self.last = first.node

    def _link(
        self, item: Placed, span: t.Span, before: Side | None, left: t.Node | None, operator: str, side: Side
    ) -> tuple[JudgedLink, Side]:
        """What was found, and the right side in the readings that are best for the work."""
        if side.node is None:
            return JudgedLink(span, "unread", side.reason), side
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
        best = _best([link for link, _ in found])
        if best.verdict not in {"right", "unstated", "rounded"}:
            return best, side
        kept = list(dict.fromkeys(other for link, other in found if link.verdict == best.verdict))
        return best, replace(side, node=kept[0], others=tuple(kept[1:]))

    def _where_it_holds(self, item: Placed, span: t.Span, left: t.Node, operator: str, right: t.Node) -> JudgedLink:
        """A link under its own condition, and under an earlier one that may still hold."""
        found = self._at_indices(item, item.domain, span, left, operator, right)
        if found.verdict not in {"wrong", "undecided"} or item.loosely.is_everywhere:
            return found
        both = self._at_indices(item, item.domain.and_(item.loosely), span, left, operator, right)
        if found.verdict == "wrong" and both.verdict != "wrong":
            words = "It holds under the condition before it, and it is not plain that this is meant here."
            return JudgedLink(span, "undecided", words)
        return found

    def _at_indices(
        self, item: Placed, domain: Domain, span: t.Span, left: t.Node, operator: str, right: t.Node
    ) -> JudgedLink:
        """A link as it is; where that is not right, with its one free letter for the index that the theorem chooses."""
        found = self._reading(item, domain, span, left, operator, right)
        chosen = self._chosen(left, right)
        if chosen is None or found.verdict not in {"wrong", "undecided"}:
            return found
        letter, index = chosen
        self.names.indices[letter] = t.Name(index)
        try:
            return _best([found, self._reading(item, domain, span, left, operator, right)])
        finally:
            del self.names.indices[letter]

    def _chosen(self, left: t.Node, right: t.Node) -> tuple[str, str] | None:
        """The one free index of a link, and the theorem's chosen one, where the work never names that."""
        fixed = [name for name in self.scope.fixed if name.isalpha()]
        used = {text for node in nodes_of(self.work.pieces) for text in _texts(node)}
        free = (free_letters(left) | free_letters(right)) & self.indices - set(self.names.indices) - set(fixed)
        if not self.is_given or len(free) != 1 or not fixed or used & set(fixed):
            return None
        return next(iter(free)), fixed[0]

    def _reading(
        self, item: Placed, domain: Domain, span: t.Span, left: t.Node, operator: str, right: t.Node
    ) -> JudgedLink:
        try:
            self.domain, self.is_open = self._bound_domain(domain, left, right)
            self.domain, self.here = self._quantified(self.domain, left, right)
            if item.toward:
                self.toward = item.toward
            if operator == "→":
                arrow = self._arrow(item, span, left)
                if arrow is None:
                    return JudgedLink(span, "unchecked", "It is not said where a variable goes, so no limit is judged.")
                left, operator = arrow, "="
            return self._judged(item, span, left, operator, right)
        except ShapeError as fault:
            return JudgedLink(span, "unchecked", f"The sides do not fit each other as they are read: {fault}")
        except (InputError, NotationError) as fault:
            return JudgedLink(span, "unchecked", str(fault))
        finally:
            self.domain, self.is_open, self.here = EVERYWHERE, False, ()

    def _arrow(self, item: Placed, span: t.Span, left: t.Node) -> t.Node | None:
        """The limit that ``a → 1`` speaks of."""
        toward = arrow_target(self.text[span[0] : span[1]]) or item.toward or self.toward
        if len(toward) != 1:
            return None
        ((variable, target),) = toward
        return t.Call(t.Name("lim"), (t.Name(variable), target, left))

    def _in_the_variable(self, node: t.Node) -> t.Node:
        """A limit of a quantity as the theorem writes it out, where a hypothesis ties that to the variable."""
        match node:
            case t.Call(t.Name("lim"), (t.Name(variable), target, body)):
                pass
            case _:
                return node
        if any(item == t.Name(variable) for item in walk(body)):
            return node
        steps = {step.id: step for step in self.proof.steps}
        known = {item.id for item in self.pool}
        for claim in self.proof.claims:
            used = {name for step in _with_premises(claim.steps, steps) for name in steps[step].hypotheses}
            right = read_text(claim.right, self.scope)
            if used <= known and claim.relation == "=" and any(item == t.Name(variable) for item in walk(right)):
                left = read_text(claim.left, self.scope)
                if left == body or (_names_in(left) == _names_in(body) and self._agree(left, body)):
                    return t.Call(t.Name("lim"), (t.Name(variable), target, right))
        return node

    def _bound_domain(self, domain: Domain, left: t.Node, right: t.Node) -> tuple[Domain, bool]:
        """Where a link holds, in the theorem's names; and whether that is not known in full."""
        clauses: list[Clause] = []
        is_open = False
        for clause in domain.clauses:
            try:
                clauses.append(tuple((self._end(a), operator, self._end(b)) for a, operator, b in clause))
            except _FAULTS:
                is_open = True
        bound = Domain(tuple(clauses))
        if domain.is_elsewhere:
            others = self._elsewhere(left, right)
            is_open = is_open or others is None
            bound = bound.and_(others or EVERYWHERE)
        return bound, is_open

    def _quantified(self, domain: Domain, left: t.Node, right: t.Node) -> tuple[Domain, tuple[Supposed, ...]]:
        """``if z_1 > z_j for all j ≠ 1`` is one condition when the link does not speak of j."""
        free = self.names.at_indices(left), self.names.at_indices(right)
        mine = free_letters(free[0]) | free_letters(free[1])
        relations = {clause: [side for a, _, b in clause for side in (a, b)] for clause in domain.clauses}
        values = {clause for clause, sides in relations.items() if any(isinstance(side, t.Subscript) for side in sides)}
        own = {
            clause: frozenset().union(*map(free_letters, sides)) & self.indices - set(self.scope.fixed) - mine
            for clause, sides in relations.items()
        }
        found: list[Supposed] = []
        gone: set[Clause] = set()
        for clause in values:
            if not own[clause] or len(clause) != 1:
                continue
            ranges = tuple(other for other in domain.clauses if other not in values and own[other] & own[clause])
            found.append(Supposed(*clause[0], Domain(ranges)))
            gone |= {clause, *ranges}
        return Domain(tuple(clause for clause in domain.clauses if clause not in gone)), tuple(found)

    def _end(self, node: t.Node) -> t.Node:
        is_bare = isinstance(node, t.Name) and (node.text in self.indices or node.text in self.scope.fixed)
        return self.names.at_indices(node) if is_bare else self.names.bound(node)

    def _elsewhere(self, left: t.Node, right: t.Node) -> Domain | None:
        """Every other index than those that the work names; None where it is not plain which is meant."""
        free = sorted((free_letters(left) | free_letters(right)) & self.indices - set(self.scope.fixed))
        texts = {text for node in nodes_of(self.work.pieces) for text in _indices_in(node)}
        named = [name for name in self.scope.fixed if name in texts]
        named += [text for text in sorted(texts) if text.isdecimal() and text not in named]
        named += [index.text for index in self.names.indices.values() if isinstance(index, t.Name)]
        if not free:
            return EVERYWHERE  # it speaks of no index that might be another one
        if len(free) > 1 or not named:
            return None
        ends = [t.Number(name) if name.isdecimal() else t.Name(name) for name in dict.fromkeys(named)]
        return Domain(tuple(((t.Name(free[0]), "≠", end),) for end in ends))

    # One link --------------------------------------------------------------------------------------

    def _judged(self, item: Placed, span: t.Span, left: t.Node, operator: str, right: t.Node) -> JudgedLink:
        if operator == "∼":
            return JudgedLink(span, "unchecked", "It is taken as an assumption of the work.")
        if sum(1 for side in (left, right) for _ in walk(side)) > _MOST_NODES:
            return JudgedLink(span, "unchecked", "It is too long to be judged as one step: write a step between.")
        if operator not in _EQUALITIES | _ORDERS | {"≈", "≠"}:
            return JudgedLink(span, "unchecked", f"A relation {operator} is not judged here.")
        second = self.names.bound(right)
        if operator in _EQUALITIES and self.names.is_own(left) and self.names.define(left, second):
            return JudgedLink(span, "unchecked", f"It is taken as the definition of {_shown_name(left)}.")
        first = self._in_the_variable(self.names.bound(left))
        first, second = self._with_numbers_added(first, second)
        second = self._as_zero_of(first, second)
        assumed = self._assumed(span, first, operator, second)
        if assumed is not None:
            return assumed
        if self._sets_a_moment(first, operator, second):
            return JudgedLink(span, "unchecked", "It is taken as an assumption of the work.")
        if self._hypothesis(item, left, operator, right) is not None:
            return JudgedLink(span, "unchecked", "It is taken as an assumption of the work.")
        if item.is_assumed:
            if operator in _EQUALITIES and self._defines_otherwise(first, second):
                return JudgedLink(span, "unchecked", "It is taken as an assumption of the work.")
            return self._supposed(span, first, "=" if operator in _EQUALITIES else operator, second)
        number = numeral_of(second)
        if number is not None and (operator == "≈" or number.places or is_arithmetic(first)):
            found = self._number(span, first, operator, number, is_negative=isinstance(second, t.Negative))
            if found is not None:
                return found
        if operator == "≈":
            return self._approximation(span, first, second)
        if operator == "≠":
            return self._unequal(span, first, second)
        if operator in _EQUALITIES:
            defining = self._defining(span, left, first, second)
            if defining is not None:
                return defining
        return self._exact(span, first, "=" if operator in _EQUALITIES else operator, second)

    def _with_numbers_added(self, left: t.Node, right: t.Node) -> tuple[t.Node, t.Node]:
        """Both sides with ``softmax(z + c)`` entry by entry: the number c is added to every score."""
        entries = self._entries()
        sides = [entries.written_out(side) if entries.is_mixed(side) else side for side in (left, right)]
        if not any(map(entries.is_mixed, sides)) or not all(map(entries.is_vector, sides)):
            return sides[0], sides[1]
        used = {text for side in sides for text in _texts(side)}
        index = t.Name(next(letter for letter in "ijlr" if letter not in used))
        return entries.at(sides[0], index), entries.at(sides[1], index)

    def _as_zero_of(self, left: t.Node, right: t.Node) -> t.Node:
        """A zero beside a vector or a matrix is one of that shape."""
        if right != t.Number("0"):
            return right
        try:
            is_number = isinstance(self._language(self._stated).value(left), Expr)
        except _FAULTS:
            return right
        return right if is_number else t.Product((right, t.Group(left)), ("",))

    def _entries(self) -> Entries:
        sizes = {one.name: one.sizes for one in self.scope.declared}
        sizes |= {one.name: one.sizes for one in self.scope.defined}

        def rank(node: t.Node) -> int:
            base = node.base if isinstance(node, t.Subscript) else node
            found = sizes.get(plain_name(base) or "", ())
            return len(found) - (len(node.indices) if isinstance(node, t.Subscript) else 0)

        def size(node: t.Node) -> t.Node | None:
            found = sizes.get(plain_name(node) or "", ())
            return read_text(found[0], self.scope) if len(found) == 1 else None

        return Entries(rank, size)

    def _sets_a_moment(self, left: t.Node, operator: str, right: t.Node) -> bool:
        """``mean $mu = 0$``: from here on the letter of a mean or a variance has that value."""
        moments = {item.hypothesis.kind: letter for item in self.pool for letter in _letters(item.hypothesis)}
        base, square = (
            (left.base, True) if isinstance(left, t.Power) and left.exponent == t.Number("2") else (left, False)
        )
        name = plain_name(base)
        if name is None or operator != "=" or name not in moments.values() or not isinstance(right, t.Number):
            return False
        if name in self.settings:
            return False
        if square and right.text not in {"0", "1"}:
            return False
        if self._equal(left, right, [item.id for item in self.pool if item.is_stated]):
            return False
        text = f"{name} = {right.text}"
        known = next((item for item in self.pool if item.id == text), None)
        if known is None and any(
            item.is_special and item.is_stated and item.hypothesis.about[0] == name for item in self.pool
        ):
            return False
        others = [item for item in self.pool if not (item.is_special and item.hypothesis.about[0] == name)]
        hypothesis = Hypothesis(text, text, "equal", (name,), (right.text,))
        self.pool = [*others, Assumption(hypothesis, text, is_stated=True, is_special=True)]
        self.scope = replace(self.scope, hypotheses=tuple(item.hypothesis for item in self.pool))
        return True

    def _defines_otherwise(self, left: t.Node, right: t.Node) -> bool:
        """``Let q = 2 s k_a``, where the theorem has another q: from here on it is that of the work."""
        name = plain_name(left)
        others = [item for item in self.pool if item.hypothesis.kind == "equal" and item.hypothesis.about[0] == name]
        if not others or any(item.is_special for item in others) or not self._may_be_defined(left, right):
            return False
        if self._equal(left, right, [item.id for item in others]):
            return False
        kept = [item for item in self.pool if item not in others]
        entries = self._entries()
        try:
            value = right if entries.rank(left) == 0 else entries.at(right, t.Name(_ENTRY))
        except NotationError:
            return False
        if name is None or t.Name(_ENTRY) in walk(right) or entries.rank(left) > 1:
            return False
        says = f"{name} = {describe(right)}"
        hypothesis = Hypothesis(f"work {name}", says, "equal", (name,), (describe(value),))
        self.pool = [*kept, Assumption(hypothesis, says, is_stated=True)]
        self.scope = replace(self.scope, hypotheses=tuple(item.hypothesis for item in self.pool))
        return True

    def _supposed(self, span: t.Span, left: t.Node, operator: str, right: t.Node) -> JudgedLink:
        """What the work supposes: it may follow already; otherwise only cases that satisfy it refute what comes."""
        try:
            if self._shown(left, operator, right, self._stated):
                return self._right(span, left, operator, right, self._stated)
        except _FAULTS:
            pass
        self.supposed.append(Supposed(left, operator, right, self.domain))
        return JudgedLink(span, "unchecked", "It is taken as an assumption of the work.")

    def _defining(self, span: t.Span, head: t.Node, left: t.Node, right: t.Node) -> JudgedLink | None:
        """A link that says what a name of the theorem's is in this work: weights of other scores, or a free letter."""
        if not isinstance(head, t.Name | t.Subscript) or self._agree(left, right):
            return None
        if isinstance(head, t.Subscript) and not isinstance(head.base, t.Name):
            return None
        quotient = softmax_of(right)
        if quotient is None:
            if not self.names.is_free(head) or not self._may_be_defined(head, right):
                return None
            if self._defines_otherwise(left, right):
                return JudgedLink(span, "unchecked", "It is taken as an assumption of the work.")
            self.names.define_again(head, right)
            return JudgedLink(span, "unchecked", f"It is taken as the definition of {describe(head)}.")
        size = self.names.size_of(quotient.score, quotient.index)
        if size is None:
            return None
        whole = quotient.over(size)
        if not self._agree(whole, right):
            found = self._refuted(whole, "=", right)
            if found is not None:
                words = f"The sum below has to run over all {describe(size)} scores: only so the weights add up to 1."
                if quotient.has_collision:
                    words = f"The letter {quotient.running} of the sum stands in the score for something else already."
                cause = Slip("off-by-one", words)
                return JudgedLink(
                    span, "wrong", f"{words} {found.words}", slip=cause, example=found.example, is_valid=False
                )
            return None
        self.names.define_again(head, right)
        return JudgedLink(span, "unchecked", f"It is taken as the definition of {describe(head)}.")

    def _may_be_defined(self, head: t.Node, right: t.Node) -> bool:
        """Whether the right side does not speak of the name itself, and speaks of something."""
        name = describe(head if isinstance(head, t.Name) or not isinstance(head, t.Subscript) else head.base)
        names = {node.text for node in walk(right) if isinstance(node, t.Name)}
        return bool(names) and name not in names

    def _assumed(self, span: t.Span, left: t.Node, operator: str, right: t.Node) -> JudgedLink | None:
        """A link that states an assumption of the work, and does not follow from what is given."""
        is_setting = operator == "=" and isinstance(right, t.Number) and describe(left) in self.settings_of_work
        if not is_setting and not said_in(left, operator, right, self.scope):
            return None
        given = [item.id for item in self.pool if not item.is_special or item.says.partition(" = ")[0] in self.settings]
        try:
            if self._equal(left, right, given):
                return JudgedLink(span, "right", used=self._needed(left, "=", right, given), is_valid=True)
        except _FAULTS:
            return None
        if self._is_fixed(left, right):
            return None
        return JudgedLink(span, "unchecked", "It is taken as an assumption of the work.")

    @property
    def settings_of_work(self) -> frozenset[str]:
        """Letters to which a value is given."""
        return frozenset(
            item.hypothesis.about[0] for item in self.pool if item.hypothesis.kind == "equal" and item.is_special
        )

    def _is_fixed(self, left: t.Node, right: t.Node) -> bool:
        """Whether the question fixes what the link speaks of."""
        said = said_in(left, "=", right, self.scope)
        letters = {
            item.hypothesis.values[0].partition("^")[0]
            for item in self.pool
            for one in said
            if item.hypothesis.kind == one.kind and one.family in item.hypothesis.about
        }
        return bool((letters | {describe(left)}) & set(self.settings))

    def _exact(self, span: t.Span, left: t.Node, relation: str, right: t.Node) -> JudgedLink:
        everything = [item.id for item in self.pool]
        if relation != "=":
            return self._ordered(span, left, relation, right)
        if self._is_quickly_refuted:
            found = self._refuted(left, relation, right) if _is_pointwise(left, right) else None
            if found is not None:
                return self._denied(span, left, relation, right, found)
        for ids in (self._stated, everything):
            if self._shown(left, relation, right, ids):
                return self._right(span, left, relation, right, ids)
        claimed = self._claimed(span, left, relation, right) or self._known_limit(span, left, right)
        if claimed is not None:
            return claimed
        found = self._refuted(left, relation, right)
        return (
            self._by_catalogue(span, left, relation, right)
            if found is None
            else self._denied(span, left, relation, right, found)
        )

    @property
    def _is_quickly_refuted(self) -> bool:
        """Whether cases have all that the language has: a length that is set has no small case."""
        lengths = {text for item in self.scope.declared for text in item.sizes}
        return not any(item.hypothesis.kind == "equal" and item.hypothesis.about[0] in lengths for item in self.pool)

    def _ordered(self, span: t.Span, left: t.Node, relation: str, right: t.Node) -> JudgedLink:
        """Inequalities: a small case is looked for first, for that a sign is evident takes long to see."""
        claimed = self._claimed(span, left, relation, right)
        if claimed is not None:
            return claimed
        found = self._refuted(left, relation, right)
        if found is not None:
            return self._denied(span, left, relation, right, found)
        everything = [item.id for item in self.pool]
        for ids in (self._stated, everything):
            if self._shown(left, relation, right, ids):
                return self._right(span, left, relation, right, ids)
            if len(ids) == len(everything):
                break
        return self._by_catalogue(span, left, relation, right)

    def _denied(self, span: t.Span, left: t.Node, relation: str, right: t.Node, found: Case) -> JudgedLink:
        own = self.names.own_in(right)
        if self.names.own_in(left) != own and not (own and own <= self.names.own_in(left)):
            missing = ", ".join(sorted(own ^ self.names.own_in(left))).replace(SMALL_DELTA, "delta")
            return JudgedLink(span, "undecided", f"It is not said what {missing} is, so nothing follows about it.")
        return self._wrong(span, left, relation, right, found)

    def _known_limit(self, span: t.Span, left: t.Node, right: t.Node) -> JudgedLink | None:
        """What the weights of a softmax go to, as the theorem about it says: shares of the largest, 0 for others."""
        supposed = (*self.supposed, *self.here)
        wanted = known_limit(left, self.domain, supposed, self.text, self._agree, self.scope)
        if wanted is None or not self._agree(wanted, right):
            return None
        return JudgedLink(span, "right", is_valid=True)

    def _claimed(self, span: t.Span, left: t.Node, relation: str, right: t.Node) -> JudgedLink | None:
        """A link that the theorem claims too, or shows on the way, with the hypotheses that its proof uses."""
        steps = {step.id: step for step in self.proof.steps}
        known = [(item.left, item.relation, item.right, item.steps) for item in self.proof.claims]
        if relation != "=":
            known += [(item.before, item.relation, item.after, (item.id,)) for item in self.proof.steps]
        turned = {"≤": "≥", "≥": "≤", "<": ">", ">": "<", "=": "="}.get(relation, "")
        spoken = self._spoken_of(left, right)
        for first, operator, second, ids in known:
            if operator not in {relation, turned}:
                continue
            texts = (first, second) if operator == relation else (second, first)
            try:
                sides = [read_text(text, self.scope) for text in texts]
                if relation == "=" and _names_in(sides[0]) != _names_in(left):
                    continue
                if relation != "=" and not spoken <= self._spoken_of(*sides):
                    continue  # it would take long to see that they differ
                if not (self._equal(sides[0], left, self._stated) and self._equal(sides[1], right, self._stated)):
                    continue
            except _FAULTS:
                continue
            used = {name for step in _with_premises(ids, steps) for name in steps[step].hypotheses}
            if not used <= {item.id for item in self.pool}:
                continue
            kinds = _USED if relation == "=" else _USED | {"at-most", "positive", "nonzero"}
            needed = [
                item
                for item in self.pool
                if item.id in used and item.hypothesis.kind in kinds and not self._is_about_lengths(item.hypothesis)
            ]
            return self._resting_on(span, needed)
        return None

    def _spoken_of(self, *sides: t.Node) -> frozenset[str]:
        """The vectors and matrices that sides speak of, through abbreviations and equations too."""
        declared = {item.name for item in self.scope.declared if item.sizes}
        bodies: dict[str, tuple[str, ...]] = {item.name: (item.body,) for item in self.scope.defined}
        bodies |= {
            item.hypothesis.about[0]: item.hypothesis.values for item in self.pool if item.hypothesis.kind == "equal"
        }
        waiting, found = [node for side in sides for node in walk(side)], set[str]()
        while waiting:
            name = plain_name(waiting.pop())
            if name is None or name in found:
                continue
            found.add(name)
            waiting.extend(node for text in bodies.get(name, ()) for node in walk(read_text(text, self.scope)))
        return frozenset(found & declared)

    def _is_about_lengths(self, item: Hypothesis) -> bool:
        """Whether it says only that something is there at all, which nobody states."""
        lengths = {text for one in self.scope.declared for text in one.sizes}
        names = {name for text in (*item.about, *item.values) for name in _texts(read_text(text, self.scope))}
        return item.kind in {"at-most", "positive", "nonzero"} and names <= lengths

    @property
    def _stated(self) -> list[str]:
        """What was stated, and the hypotheses of the theorem."""
        return [item.id for item in self.pool if item.is_stated or not item.is_special]

    def _by_catalogue(self, span: t.Span, left: t.Node, relation: str, right: t.Node) -> JudgedLink:
        """What no small case refutes may be a known falsehood, whose own example does."""
        cause, known = self._falsehood(left, relation, right)
        if cause is None or known is None:
            return JudgedLink(span, "undecided", "Neither was it shown, nor does a small case refute it.")
        is_general = self._given == NOTHING_GIVEN and not (self.is_open or self.is_vague or self._is_changed)
        try:
            found = refuted(known, self.proof.scope) if is_general else None
        except _FAULTS:
            found = None
        if found is None:
            return JudgedLink(span, "undecided", cause.text)
        left_value, right_value = (
            exact or decimals
            for exact, decimals in (
                (found.sides.left, found.sides.left_digits),
                (found.sides.right, found.sides.right_digits),
            )
        )
        words = f"{cause.text} There is a case in which the left side is {left_value} and the right side {right_value}."
        return JudgedLink(span, "wrong", words, slip=cause, example=known.example, is_valid=False)

    @property
    def _is_changed(self) -> bool:
        """Whether the work takes something else than a hypothesis of the theorem."""
        return any(item.id.startswith("work ") for item in self.pool)

    def _right(self, span: t.Span, left: t.Node, relation: str, right: t.Node, ids: list[str]) -> JudgedLink:
        needed = self._needed(left, relation, right, ids)
        found = self._resting_on(span, [item for item in self.pool if item.id in needed])
        if found.verdict != "unstated":
            return found
        without = tuple(item.hypothesis for item in self.pool if item.is_stated)
        example = None if self.is_open else counter_case(self.scope, without, left, relation, right, self._given)
        if example is None:
            return found
        return replace(found, explanation=f"{found.explanation} Without that: {example.words}", example=example.example)

    def _resting_on(self, span: t.Span, used: Sequence[Assumption]) -> JudgedLink:
        """A link that holds under some hypotheses: are they stated?"""
        needed = tuple(item.id for item in used)
        implied = {item.hypothesis.about[0] for item in used if item.is_special and item.hypothesis.kind == "equal"}
        implied |= {item.about[0] for item in self._values_here}
        missing = tuple(
            item.says
            for item in used
            if not item.is_stated and (item.is_special or not implied & set(_letters(item.hypothesis)))
        )
        if not missing:
            return JudgedLink(span, "right", used=needed, is_valid=True)
        words = "It holds if " + " and if ".join(missing) + "; the work does not say so."
        return JudgedLink(span, "unstated", words, missing=missing, used=needed, is_valid=True)

    def _wrong(self, span: t.Span, left: t.Node, relation: str, right: t.Node, found: Case) -> JudgedLink:
        cause = self._falsehood(left, relation, right)[0]
        if cause is None and relation == "=" and not has_limit(left):
            cause = slip(left, right, self._may_agree)
        words = found.words if cause is None else f"{cause.text} {found.words}"
        return JudgedLink(span, "wrong", words, slip=cause, example=found.example, is_valid=False)

    # Showing ---------------------------------------------------------------------------------------

    def _shown(self, left: t.Node, relation: str, right: t.Node, ids: Iterable[str]) -> bool:
        if relation == "=":
            return self._equal(left, right, ids)
        ids = tuple(ids)

        def shown(way: Way) -> bool:
            scope = replace(self.scope, hypotheses=(*self.scope.hypotheses, *way.hypotheses))
            sides = [describe(way.at(side)) for side in (left, right)]
            used = (*ids, *(item.id for item in way.hypotheses))
            step = Step("1", "evident sign", sides[0], relation, sides[1], used)
            return not RULES["evident sign"].check(Context(scope, step))

        try:
            return self._in_all_ways(shown)
        except _FAULTS:
            return False

    def _equal(self, left: t.Node, right: t.Node, ids: Iterable[str]) -> bool:
        ids = self._untied(ids, left, right)

        def equal(way: Way) -> bool:
            language = self._language(ids, way)
            return _are_equal(language.value(way.at(left)), language.value(way.at(right)))

        try:
            return self._in_all_ways(equal)
        except (NotationError, InputError):
            return False  # a form that the language does not have, or a size beyond its limits: not shown

    def _untied(self, ids: Iterable[str], *sides: t.Node) -> tuple[str, ...]:
        """Without the equations that tie the variable of a limit, for which none is taken."""
        calls = [item for side in sides for item in walk(side) if isinstance(item, t.Call)]
        variables = {name for item in calls if item.function.text == "lim" for name in _texts(item.arguments[0])}
        if not variables:
            return tuple(ids)
        known = {item.id: item.hypothesis for item in self.pool}
        return tuple(
            name
            for name in ids
            if known[name].kind != "equal"
            or not variables & {text for value in known[name].values for text in _texts(read_text(value, self.scope))}
        )

    def _in_all_ways(self, is_shown: Callable[[Way], bool]) -> bool:
        """Whether something is shown in every case of the domain, of which there is one."""
        ways = (Way(),) if self.domain.is_everywhere else ways_of(self.domain, self.scope)
        return bool(ways) and all(is_shown(way) for way in ways)

    def _agree(self, left: t.Node, right: t.Node) -> bool:
        """Whether sides agree under everything that was stated, or is a hypothesis of the theorem."""
        try:
            return self._equal(left, right, self._stated)
        except _FAULTS:
            return False

    def _may_agree(self, left: t.Node, right: t.Node) -> bool:
        """The same, after a look at small cases, which is quicker where sides differ."""
        if _is_pointwise(left, right) and self._refuted(left, "=", right) is not None:
            return False
        return self._agree(left, right)

    def _language(self, ids: Iterable[str], way: Way = Way()) -> Language:  # noqa: B008 - it is frozen
        known = {item.id: item for item in self.pool}
        usable = [name for name in ids if known[name].hypothesis.kind in _USED]
        scope = replace(self.scope, hypotheses=(*self.scope.hypotheses, *way.hypotheses))
        return Language(scope, facts_of(scope, (*usable, *(item.id for item in way.hypotheses))))

    def _needed(self, left: t.Node, relation: str, right: t.Node, ids: Sequence[str]) -> tuple[str, ...]:
        """A smallest set of hypotheses with which it is shown: what was not stated is dropped first."""
        kept = [item for item in self.pool if item.id in set(ids) and item.hypothesis.kind in _USED]
        stated = [item for item in kept if item.is_stated]
        if len(stated) < len(kept) and self._is_enough(left, relation, right, stated):
            return tuple(item.id for item in stated)
        for item in sorted(kept, key=_eagerness):
            # What was stated need not be missed: only the rest is dropped as far as possible.
            fewer = [other for other in kept if other is not item]
            if not item.is_stated and self._is_enough(left, relation, right, fewer):
                kept = fewer
        return tuple(item.id for item in kept)

    def _is_enough(self, left: t.Node, relation: str, right: t.Node, items: Sequence[Assumption]) -> bool:
        try:
            return self._shown(left, relation, right, [item.id for item in items])
        except _FAULTS:
            return False

    # Refuting --------------------------------------------------------------------------------------

    def _refuted(self, left: t.Node, relation: str, right: t.Node) -> Case | None:
        """A case that satisfies everything that was stated, and what people take for granted where it allows that."""
        if self.is_open or self.is_vague or (has_limit(left) and is_at_infinity(left) and speaks_of_ties(self.text)):
            return None
        lengths = {text for item in self.scope.declared for text in item.sizes}
        usual = [
            item for item in self.pool if not (item.hypothesis.kind == "equal" and item.hypothesis.about[0] in lengths)
        ]
        hypotheses = (*(item.hypothesis for item in usual), *self._values_here)
        return counter_case(self.scope, hypotheses, left, relation, right, self._given)

    @property
    def _values_here(self) -> tuple[Hypothesis, ...]:
        """Letters to which the present condition gives a value: ``if mu = 0``."""
        ways = () if self.domain.is_everywhere else ways_of(self.domain, self.scope)
        return tuple(item for item in ways[0].hypotheses if item.kind == "equal") if len(ways) == 1 else ()

    @property
    def _given(self) -> Given:
        """Where the present link holds, and what the work supposes."""
        return Given(self.domain, (*self.supposed, *self.here), self.is_careful)

    def _falsehood(self, left: t.Node, relation: str, right: t.Node) -> tuple[Slip | None, Falsehood | None]:
        """The falsehood of the catalogue that a link is."""
        for item in self.theorem.falsehoods:
            if item.relation != relation:
                continue
            try:
                sides = [read_text(text, self.scope) for text in (item.left, item.right)]
            except NotationError:
                continue
            is_named = _names_in(sides[0]) == _names_in(left)
            if (is_named and self._is_same(sides, (left, right))) or self._is_same(
                sides, _entries((left, right), sides)
            ):
                return Slip("catalogue", f"It is not true that {item.says}: {item.right_version}."), item
        return None, None

    def _is_same(self, sides: Sequence[t.Node], own: Sequence[t.Node]) -> bool:
        """Whether a link is a falsehood, side by side."""
        return bool(own) and all(self._agree(one, other) for one, other in zip(sides, own, strict=True))

    def _unequal(self, span: t.Span, left: t.Node, right: t.Node) -> JudgedLink:
        ids = [item.id for item in self.pool]
        if self._equal(left, right, ids):
            return JudgedLink(span, "wrong", "The sides are equal.", is_valid=False)
        if self._refuted(left, "=", right) is not None:
            return JudgedLink(span, "right", is_valid=True)
        return JudgedLink(span, "undecided", "It was not found out whether the sides differ.")

    # Numbers ---------------------------------------------------------------------------------------

    def _number(
        self, span: t.Span, left: t.Node, operator: str, numeral: t.Number, *, is_negative: bool
    ) -> JudgedLink | None:
        """A numeral as the value of what stands before it; None where that has no value here."""
        value = self._value(left)
        if value is None:
            return None
        sign = -1 if is_negative else 1
        written = sign * numeral.value
        text = f"{'-' if is_negative else ''}{numeral.text}"
        expected = digits(value, _FIGURES)
        verdict = number_verdict(value, written, numeral, is_approximate=operator == "≈")
        if verdict == "wrong":
            words = f"The value is {expected}, not {text}."
            return JudgedLink(span, "wrong", words, value=text, expected=expected, arithmetic=False, is_valid=False)
        return JudgedLink(span, verdict, value=text, expected=expected, arithmetic=True, is_valid=True)

    def _value(self, node: t.Node) -> Number | None:
        """The value of a side at the values that are given; None where a letter has none."""
        try:
            found = self._language(self._stated).value(node)
            shown = read_text(str(found), self.scope) if isinstance(found, Expr) else node
        except _FAULTS:
            shown = node
        scalars: dict[str, Number] = {
            item.hypothesis.about[0]: Fraction(item.hypothesis.values[0])
            for item in self.pool
            if item.hypothesis.kind == "equal"
            and item.is_special
            and item.is_stated
            and is_rational(item.hypothesis.values[0])
        }
        for tried in (shown, node):
            try:
                value = Numeric(Scope(self.scope.declared), Model(scalars, {})).value(tried)
            except _FAULTS:
                continue
            return None if isinstance(value, Array) else value
        return None

    def _approximation(self, span: t.Span, left: t.Node, right: t.Node) -> JudgedLink:
        if self._equal(left, right, self._stated):
            return self._right(span, left, "=", right, self._stated)
        return JudgedLink(span, "undecided", "An approximation is judged only between numbers.")


_CHARITY = {
    "right": 0,
    "rounded": 1,
    "truncated": 2,
    "coarse": 3,
    "unstated": 4,
    "unchecked": 5,
    "undecided": 6,
    "wrong": 7,
}
"""Of several readings, the one that is best for the work counts."""


def _eagerness(item: Assumption) -> tuple[int, int]:
    """What is dropped first: what was not stated, and of that what people state least."""
    rare = {"same-law": 0, "law": 1, "uncorrelated": 2}
    return (item.is_stated, rare.get(item.hypothesis.kind, 3))


def _is_pointwise(*sides: t.Node) -> bool:
    """Whether nothing is averaged and no limit is taken."""
    apart = {"E", "Var", "Cov", "lim"}
    return not any(isinstance(node, t.Call) and node.function.text in apart for side in sides for node in walk(side))


def _best(found: Sequence[JudgedLink]) -> JudgedLink:
    """Of several readings the one that is best for the work."""
    return min(found, key=lambda item: _CHARITY.get(item.verdict, len(_CHARITY)))


def _with_premises(ids: Iterable[str], steps: Mapping[str, Step]) -> Iterator[str]:
    """Steps with all that they rest on."""
    waiting, seen = list(ids), set()
    while waiting:
        name = waiting.pop()
        if name in seen or name not in steps:
            continue
        seen.add(name)
        yield name
        waiting.extend(steps[name].premises)


def _shown_name(node: t.Node) -> str:
    return describe(node).replace(SMALL_DELTA, "delta")


def _texts(node: t.Node) -> Iterator[str]:
    return (item.text for item in walk(node) if isinstance(item, t.Name))


def _indices_in(node: t.Node) -> Iterator[str]:
    """Letters and numbers that stand as indices."""
    for item in walk(node):
        if isinstance(item, t.Subscript):
            parts = [part for index in item.indices for part in walk(index)]
            yield from (part.text for part in parts if isinstance(part, t.Name | t.Number))


def _withdrawn(link: JudgedLink, written: Written) -> JudgedLink:
    return replace(link, verdict="withdrawn") if written.withdrawn else link


def _are_equal(first: Value, second: Value) -> bool:
    pairs = entrywise(first, second)
    if pairs is None:
        raise ShapeError("The sides have different shapes.")
    return all(one.equals(other) for one, other in pairs)


def _entries(sides: Sequence[t.Node], known: Sequence[t.Node]) -> tuple[t.Node, ...]:
    """Matrices by their entries, at the two indices of a delta that is one side of what is known."""
    match known[1]:
        case t.Subscript(t.Name("delta"), indices) if len(indices) == _PAIR:
            return tuple(t.Subscript(t.Group(side), indices) for side in sides)
        case _:
            return ()


def _names_in(node: t.Node) -> frozenset[str]:
    """Names and functions of a side, to see quickly that two sides are about different things."""
    return frozenset(
        item.text for item in walk(node) if isinstance(item, t.Name) and item.text not in {"i", "j", "l", "r", "w", "c"}
    )


def _letters(item: Hypothesis) -> list[str]:
    """The letter that a mean or a variance is."""
    return [item.values[0].partition("^")[0]] if item.kind in {"mean", "variance"} else []


# The theorem and the work --------------------------------------------------------------------------


def _proof(theorem: Theorem, settings: Mapping[str, str], sides: Sequence[t.Node]) -> tuple[Proof, dict[str, str]]:
    """The theorem with letters, its cases as the work needs them, and the values that are set."""
    values = theorem.values(settings)
    words = {item.name for item in theorem.parameters if item.kind in {"word", "list"} or item.choices}
    chosen = {name: value for name, value in settings.items() if name in words}
    choices = {item.name: item.choices for item in theorem.parameters}
    if "case" in choices and "unequal" in choices["case"] and "case" not in chosen and _has_unequal(sides):
        chosen["case"] = "unequal"
    numbers = {name: values[name] for name in settings if name not in words}
    return theorem.build(theorem.values(chosen)), numbers


def _has_unequal(sides: Sequence[t.Node]) -> bool:
    for side in sides:
        for node in walk(side):
            match node:
                case t.Subscript(t.Name("mu" | "sigma"), (t.Name("q" | "k"),)):
                    return True
                case _:
                    pass
    return False


def _main(proof: Proof) -> t.Node | None:
    """The variance that a theorem is about."""
    for claim in proof.claims:
        node = read_text(claim.left, proof.scope)
        if isinstance(node, t.Call) and node.function.text == "Var":
            return node
    return None


def _prose(work: Work) -> Iterator[str]:
    yield work.text
