"""Somebody's proof of a theorem, judged link by link: ``a = b = c`` makes two links.

A link is right when the trusted language shows it under the theorem's hypotheses, of which as few as possible are
used; those that the work does not state are named. It is wrong when a small case that satisfies the hypotheses
refutes it. Everything else stays open.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from symattn.derivation.proofs.context import Context
from symattn.derivation.proofs.hypotheses import facts_of
from symattn.derivation.proofs.language import Language, read_text
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
from symattn.theorems.work_names import Names, names_of_work
from symattn.theorems.work_numbers import is_arithmetic, is_rational, number_verdict, numeral_of
from symattn.theorems.work_refute import Case, counter_case
from symattn.theorems.work_slips import Slip, slip
from symattn.theorems.work_softmax import softmax_of
from symattn.theorems.work_stated import Assumption, Said, assumptions, said_in, stated_words

_FAULTS = (InputError, NotationError, ShapeError)
_EQUALITIES = frozenset({"=", "≡"})
_ORDERS = frozenset({"≤", "<", "≥", ">"})
_USED = frozenset({
    "independent", "coordinates", "uncorrelated", "same-law", "mean", "variance", "covariance", "raw-moment", "law",
    "equal", "dot-products", "total", "distinct",
})  # fmt: skip
"""Kinds of hypotheses that the language makes use of."""

_MOST_LINKS = 400
_MOST_NODES = 500
_FIGURES = 12


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
        self.work = work
        self.theorem = theorem
        sides = list(_nodes(work))
        self.proof, self.settings = _proof(theorem, settings, sides)
        proof = self.proof
        self.names: Names = names_of_work(proof.scope, sides, _main(proof))
        self.said = [item for link in _raw_links(work) for item in self._said(*link)]
        words = stated_words(" ".join(_prose(work)))
        self.pool = assumptions(
            self.names.scope, words, self.said, self._used(sides), self._all_settings(work), is_given=is_given
        )
        self.scope = replace(self.names.scope, hypotheses=tuple(item.hypothesis for item in self.pool))
        self.last: t.Node | None = None

    # What the work speaks of -----------------------------------------------------------------------

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

    def _all_settings(self, work: Work) -> dict[str, str]:
        """Values of letters that the question or the work fixes: ``d_k = 512``."""
        found = dict(self.settings)
        letters = {text for item in self.names.scope.declared for text in item.sizes}
        for left, operator, right in _raw_links(work):
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
        for piece in self.work.pieces:
            match piece:
                case Heading():
                    self.last = None
                case Prose(span, text):
                    if text.strip():
                        found.append(JudgedLink(span, "withdrawn" if piece.withdrawn else "unchecked"))
                case Written():
                    found.extend(self._chain(piece))
            if len(found) >= _MOST_LINKS:
                break
        return tuple(found)

    def _chain(self, written: Written) -> Iterator[JudgedLink]:
        first, *rest = written.sides
        previous = None if first is None else first
        left = self.last if first is None else first.node
        if first is not None and first.node is None and not rest:
            yield _withdrawn(JudgedLink(first.span, "unread", first.reason), written)
        if not rest and first is not None and first.node is not None:
            yield _withdrawn(JudgedLink(first.span, "unchecked", "An expression alone states nothing."), written)
        for position, side in enumerate(rest, 1):
            if side is None:
                continue
            start = written.span[0] if position == 1 else written.operator_spans[position - 1][0]
            span = (start, side.span[1])
            yield _withdrawn(self._link(span, previous, left, written.operators[position - 1], side), written)
            self.last = side.node
            if numeral_of(side.node) is None or left is None or (isinstance(left, t.Number) and not left.places):
                # A rounded number is no new start: the next one is held against what was rounded.
                previous, left = side, side.node
        if first is not None and not rest:
            self.last = first.node

    def _link(self, span: t.Span, before: Side | None, left: t.Node | None, operator: str, side: Side) -> JudgedLink:
        if side.node is None:
            return JudgedLink(span, "unread", side.reason)
        if left is None and before is not None and before.node is None:
            return JudgedLink(span, "unread", before.reason)
        if left is None:
            return JudgedLink(span, "unchecked", "What stands before the relation was not read.")
        lefts = (left, *(() if before is None else before.others))
        found = [self._reading(span, one, operator, other) for one in lefts for other in (side.node, *side.others)]
        return min(found, key=lambda item: _CHARITY.get(item.verdict, len(_CHARITY)))

    def _reading(self, span: t.Span, left: t.Node, operator: str, right: t.Node) -> JudgedLink:
        try:
            return self._judged(span, left, operator, right)
        except ShapeError as fault:
            return JudgedLink(span, "unchecked", f"The sides do not fit each other as they are read: {fault}")
        except (InputError, NotationError) as fault:
            return JudgedLink(span, "unchecked", str(fault))

    # One link --------------------------------------------------------------------------------------

    def _judged(self, span: t.Span, left: t.Node, operator: str, right: t.Node) -> JudgedLink:
        if operator == "∼":
            return JudgedLink(span, "unchecked", "It is taken as an assumption of the work.")
        if sum(1 for side in (left, right) for _ in walk(side)) > _MOST_NODES:
            return JudgedLink(span, "unchecked", "It is too long to be judged as one step: write a step between.")
        if operator not in _EQUALITIES | _ORDERS | {"≈", "≠"}:
            return JudgedLink(span, "unchecked", f"A relation {operator} is not judged here.")
        second = self.names.bound(right)
        if operator in _EQUALITIES and self.names.is_own(left) and self.names.define(left, second):
            return JudgedLink(span, "unchecked", f"It is taken as the definition of {describe(left)}.")
        first = self.names.bound(left)
        assumed = self._assumed(span, first, operator, second)
        if assumed is not None:
            return assumed
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

    def _defining(self, span: t.Span, head: t.Node, left: t.Node, right: t.Node) -> JudgedLink | None:
        """A link that says what a name of the theorem's is in this work: weights of other scores, or a free letter."""
        if not isinstance(head, t.Name | t.Subscript) or self._agree(left, right):
            return None
        quotient = softmax_of(right)
        if quotient is None:
            if not self.names.is_free(head) or not self._may_be_defined(head, right):
                return None
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
        for ids in (self._stated, everything):
            if self._shown(left, relation, right, ids):
                return self._right(span, left, relation, right, ids)
        claimed = self._claimed(span, left, relation, right)
        if claimed is not None:
            return claimed
        found = self._refuted(left, relation, right)
        if found is None:
            return self._by_catalogue(span, left, relation, right)
        own = self.names.own_in(right)
        if self.names.own_in(left) != own and not (own and own <= self.names.own_in(left)):
            missing = ", ".join(sorted(own ^ self.names.own_in(left)))
            return JudgedLink(span, "undecided", f"It is not said what {missing} is, so nothing follows about it.")
        return self._wrong(span, left, relation, right, found)

    def _claimed(self, span: t.Span, left: t.Node, relation: str, right: t.Node) -> JudgedLink | None:
        """A link that the theorem claims too, with the hypotheses that its proof uses."""
        steps = {step.id: step for step in self.proof.steps}
        for claim in self.proof.claims:
            if claim.relation != relation:
                continue
            try:
                sides = [read_text(text, self.scope) for text in (claim.left, claim.right)]
                if _names_in(sides[0]) != _names_in(left) or not (
                    self._equal(sides[0], left, self._stated) and self._equal(sides[1], right, self._stated)
                ):
                    continue
            except _FAULTS:
                continue
            used = {name for step in claim.steps for name in steps[step].hypotheses}
            if not used <= {item.id for item in self.pool}:
                continue
            needed = [item for item in self.pool if item.id in used and item.hypothesis.kind in _USED]
            return self._resting_on(span, needed)
        return None

    @property
    def _stated(self) -> list[str]:
        """What was stated, and the hypotheses of the theorem."""
        return [item.id for item in self.pool if item.is_stated or not item.is_special]

    def _by_catalogue(self, span: t.Span, left: t.Node, relation: str, right: t.Node) -> JudgedLink:
        """What no small case refutes may be a known falsehood, whose own example does."""
        cause, known = self._falsehood(left, relation, right)
        if cause is None or known is None:
            return JudgedLink(span, "undecided", "Neither was it shown, nor does a small case refute it.")
        try:
            found = refuted(known, self.proof.scope)
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

    def _right(self, span: t.Span, left: t.Node, relation: str, right: t.Node, ids: list[str]) -> JudgedLink:
        needed = self._needed(left, relation, right, ids)
        found = self._resting_on(span, [item for item in self.pool if item.id in needed])
        if found.verdict != "unstated":
            return found
        without = tuple(item.hypothesis for item in self.pool if item.is_stated)
        example = counter_case(self.scope, without, left, relation, right)
        if example is None:
            return found
        return replace(found, explanation=f"{found.explanation} Without that: {example.words}", example=example.example)

    def _resting_on(self, span: t.Span, used: Sequence[Assumption]) -> JudgedLink:
        """A link that holds under some hypotheses: are they stated?"""
        needed = tuple(item.id for item in used)
        implied = {item.hypothesis.about[0] for item in used if item.is_special and item.hypothesis.kind == "equal"}
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
        cause = self._falsehood(left, relation, right)[0] or slip(left, right, self._agree)
        words = found.words if cause is None else f"{cause.text} {found.words}"
        return JudgedLink(span, "wrong", words, slip=cause, example=found.example, is_valid=False)

    # Showing ---------------------------------------------------------------------------------------

    def _shown(self, left: t.Node, relation: str, right: t.Node, ids: Iterable[str]) -> bool:
        if relation == "=":
            return self._equal(left, right, ids)
        step = Step("1", "evident sign", describe(left), relation, describe(right), tuple(ids))
        try:
            return not RULES["evident sign"].check(Context(self.scope, step))
        except _FAULTS:
            return False

    def _equal(self, left: t.Node, right: t.Node, ids: Iterable[str]) -> bool:
        language = self._language(ids)
        try:
            return _are_equal(language.value(left), language.value(right))
        except (NotationError, InputError):
            return False  # a form that the language does not have, or a size beyond its limits: not shown

    def _agree(self, left: t.Node, right: t.Node) -> bool:
        """Whether sides agree under everything that was stated, or is a hypothesis of the theorem."""
        try:
            return self._equal(left, right, self._stated)
        except _FAULTS:
            return False

    def _language(self, ids: Iterable[str]) -> Language:
        known = {item.id: item for item in self.pool}
        usable = [name for name in ids if known[name].hypothesis.kind in _USED]
        return Language(self.scope, facts_of(self.scope, usable))

    def _needed(self, left: t.Node, relation: str, right: t.Node, ids: Sequence[str]) -> tuple[str, ...]:
        """A smallest set of hypotheses with which it is shown: what was not stated is dropped first."""
        kept = [item for item in self.pool if item.id in set(ids) and item.hypothesis.kind in _USED]
        for item in sorted(kept, key=_eagerness):
            fewer = [other for other in kept if other is not item]
            try:
                if self._shown(left, relation, right, [other.id for other in fewer]):
                    kept = fewer
            except _FAULTS:
                continue
        return tuple(item.id for item in kept)

    # Refuting --------------------------------------------------------------------------------------

    def _refuted(self, left: t.Node, relation: str, right: t.Node) -> Case | None:
        """A case that satisfies everything that was stated, and what people take for granted where it allows that."""
        lengths = {text for item in self.scope.declared for text in item.sizes}
        usual = [
            item for item in self.pool if not (item.hypothesis.kind == "equal" and item.hypothesis.about[0] in lengths)
        ]
        hypotheses = tuple(item.hypothesis for item in usual)
        return counter_case(self.scope, hypotheses, left, relation, right)

    def _falsehood(self, left: t.Node, relation: str, right: t.Node) -> tuple[Slip | None, Falsehood | None]:
        """The falsehood of the catalogue that a link is."""
        for item in self.theorem.falsehoods:
            if item.relation != relation:
                continue
            try:
                sides = [read_text(text, self.scope) for text in (item.left, item.right)]
            except NotationError:
                continue
            if _names_in(sides[0]) == _names_in(left) and self._agree(sides[0], left) and self._agree(sides[1], right):
                return Slip("catalogue", f"It is not true that {item.says}: {item.right_version}."), item
        return None, None

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


def _withdrawn(link: JudgedLink, written: Written) -> JudgedLink:
    return replace(link, verdict="withdrawn") if written.withdrawn else link


def _are_equal(first: Value, second: Value) -> bool:
    pairs = entrywise(first, second)
    if pairs is None:
        raise ShapeError("The sides have different shapes.")
    return all(one.equals(other) for one, other in pairs)


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


def _nodes(work: Work) -> Iterator[t.Node]:
    for piece in work.pieces:
        if isinstance(piece, Written):
            for side in piece.sides:
                if side is not None and side.node is not None:
                    yield side.node


def _prose(work: Work) -> Iterator[str]:
    yield work.text


def _raw_links(work: Work) -> Iterator[tuple[t.Node, str, t.Node]]:
    """Pairs of sides; in ``E[q_i] = E[k_i] = 0`` each with what stands last too."""
    for piece in work.pieces:
        if not isinstance(piece, Written):
            continue
        nodes = [None if side is None else side.node for side in piece.sides]
        for first, operator, second in zip(nodes, piece.operators, nodes[1:], strict=False):
            if first is not None and second is not None:
                yield first, operator, second
        last = nodes[-1]
        if len(nodes) > 2 and last is not None and set(piece.operators) == {"="}:
            for node in nodes[:-2]:
                if node is not None:
                    yield node, "=", last
