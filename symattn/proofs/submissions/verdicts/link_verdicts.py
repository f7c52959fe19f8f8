"""The verdict on one link of somebody's proof: right under stated hypotheses, wrong in a case, or open."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from symattn.errors import InputError, NotationError
from symattn.exact.indexed.expression import Expr
from symattn.notation.tree import nodes as t
from symattn.notation.tree.traversal import walk
from symattn.proofs.cases.counterexamples import refuted
from symattn.proofs.cases.evaluation import Model, NumericEvaluator
from symattn.proofs.cases.numeric_tower import Number, digits, order
from symattn.proofs.catalogue.authoring.theorem import Falsehood
from symattn.proofs.concrete.arrays import Array
from symattn.proofs.kernel.record import Claim, Step
from symattn.proofs.language.interpretation import read_text
from symattn.proofs.language.scope import Scope
from symattn.proofs.language.tree_parts import names_reached
from symattn.proofs.submissions.assumptions.context import moment_letters, names_in_tree
from symattn.proofs.submissions.assumptions.softmax_limits import softmax_limit
from symattn.proofs.submissions.assumptions.stated_hypotheses import Assumption
from symattn.proofs.submissions.attempts import attempt
from symattn.proofs.submissions.evidence.counterexamples import NOTHING_GIVEN, Case, counter_case
from symattn.proofs.submissions.evidence.exponential_moments import has_exponential_mean
from symattn.proofs.submissions.evidence.inequalities import square_sides
from symattn.proofs.submissions.evidence.limits import has_limit
from symattn.proofs.submissions.evidence.numerals import is_rational, number_verdict
from symattn.proofs.submissions.reading.domains import TURNED
from symattn.proofs.submissions.reading.normalization import substitute
from symattn.proofs.submissions.reading.spelling import SMALL_DELTA
from symattn.proofs.submissions.reading.statement_parts import free_letters
from symattn.proofs.submissions.reading.vectors_of_ones import CONSTANTS
from symattn.proofs.submissions.verdicts.derivability import Prover, is_pointwise
from symattn.proofs.submissions.verdicts.findings import JudgedLink, best_of
from symattn.proofs.submissions.verdicts.mistakes import Mistake, find_mistake

_PAIR = 2
_SAY_NOTHING = frozenset({"i", "j", "l", "r", "w", "c", "e", "exp"})
_FIGURES = 12
_HOLDING = {"<": {-1}, "≤": {-1, 0}, ">": {1}, "≥": {1, 0}}
"""The order of the sides with which each inequality holds."""
_MOST_QUOTED = 120


class RelationJudge:
    """Judge of a relation between two sides in the theorem's names."""

    def __init__(self, prover: Prover) -> None:
        self.context = prover.context
        self.prover = prover

    def judge(self, span: t.Span, left: t.Node, relation: str, right: t.Node) -> JudgedLink:
        """Judge an equation or an inequality."""
        everything = self.context.ids
        if relation != "=":
            return self._ordered(span, left, relation, right)
        if self._is_quickly_refuted:
            found = self.prover.refute(left, relation, right) if is_pointwise(left, right) else None
            if found is not None:
                return self._denied(span, left, relation, right, found)
        for ids in (self.context.stated_ids, everything):
            if self.prover.shows(left, relation, right, ids):
                return self.right(span, left, relation, right, ids)
        claimed = self._claimed(span, left, relation, right) or self._known_limit(span, left, right)
        claimed = claimed or self.judge_exponential_means(span, left, right)
        if claimed is not None:
            return claimed
        found = self.prover.refute(left, relation, right)
        return (
            self._by_catalogue(span, left, relation, right)
            if found is None
            else self._denied(span, left, relation, right, found)
        )

    def judge_exponential_means(self, span: t.Span, left: t.Node, right: t.Node) -> JudgedLink | None:
        """Judge an equation between means of exponentials that a normal law shows, which the work states besides."""
        if not (has_exponential_mean(left) or has_exponential_mean(right)):
            return None
        ids = self.context.stated_ids
        return self.right(span, left, "=", right, ids) if self.prover.shows(left, "=", right, ids) else None

    @property
    def _is_quickly_refuted(self) -> bool:
        """Return whether cases have all that the language has: a length that is set has no small case."""
        lengths = self.context.scope.lengths
        return not any(
            item.hypothesis.kind == "equal" and item.hypothesis.about[0] in lengths for item in self.context.pool
        )

    def _ordered(self, span: t.Span, left: t.Node, relation: str, right: t.Node) -> JudgedLink:
        """Judge an inequality: a small case is looked for first, since an evident sign takes long to see."""
        claimed = self._claimed(span, left, relation, right)
        squares = square_sides(left, right, self.context.scope) if claimed is None else None
        if squares is not None:
            claimed = self._claimed(span, squares[0], relation, squares[1])
        if claimed is not None and claimed.verdict == "right":
            return claimed
        found = self.prover.refute(left, relation, right)
        if found is not None:
            return self._denied(span, left, relation, right, found)
        everything = self.context.ids
        for ids in (self.context.stated_ids, everything):
            if self.prover.shows(left, relation, right, ids):
                shown = self.right(span, left, relation, right, ids)
                return shown if claimed is None else best_of([claimed, shown])
            if len(ids) == len(everything):
                break
        if claimed is not None:
            return claimed
        return self._by_catalogue(span, left, relation, right)

    def _denied(self, span: t.Span, left: t.Node, relation: str, right: t.Node, found: Case) -> JudgedLink:
        known = {name for item in self.context.pool if item.hypothesis.kind == "law" for name in item.hypothesis.about}
        own, before = (self.context.names.own_in(side) - known for side in (right, left))
        constants = (own | before) & (CONSTANTS | self.context.explained - set(self.context.names.defined))
        if constants or (before != own and not (own and own <= before)):
            missing = ", ".join(sorted(constants or own ^ before)).replace(SMALL_DELTA, "delta")
            words = f"It is not said what {missing} is, so nothing follows about it."
            if missing == "sum":
                words = "The word sum is read as a name. Write Σ_i, or \\sum_{i=1}^d between $…$."
            return JudgedLink(span, "undecided", words)
        return self._wrong(span, left, relation, right, found)

    def right(self, span: t.Span, left: t.Node, relation: str, right: t.Node, ids: list[str]) -> JudgedLink:
        """Judge a link that is shown under some hypotheses, of which as few as possible are needed."""
        needed = self.prover.needed_ids(left, relation, right, ids)
        used = [
            item for item in self.context.pool if item.id in needed and not self._is_witness(span[0], item, left, right)
        ]
        found = self.resting_on(span, used)
        if found.verdict != "unstated":
            return found
        without = tuple(item.hypothesis for item in self.context.pool if item.is_stated)
        example = None
        if not self.context.is_open:
            example = counter_case(self.context.scope, without, left, relation, right, self.prover.given)
        if example is None:
            return found
        return replace(found, explanation=f"{found.explanation} Without that: {example.words}", example=example.example)

    def resting_on(self, span: t.Span, used: Sequence[Assumption]) -> JudgedLink:
        """Judge a link that holds under some hypotheses by whether they are stated."""
        needed = tuple(item.id for item in used)
        implied = {item.hypothesis.about[0] for item in used if item.is_special and item.hypothesis.kind == "equal"}
        implied |= {item.about[0] for item in self.prover.values_here}
        missing = tuple(
            item.says
            for item in used
            if not item.is_stated and (item.is_special or not implied & set(moment_letters(item.hypothesis)))
        )
        if not missing:
            return JudgedLink(span, "right", used=needed, is_valid=True)
        words = f"It holds if {' and if '.join(missing)}; {self._reason(span[0], used)}"
        return JudgedLink(span, "unstated", words, missing=missing, used=needed, is_valid=True)

    def _reason(self, place: int, used: Sequence[Assumption]) -> str:
        """Name the sentence that denies, conditions or only mentions what is missing."""
        for item in used:
            found = None if item.is_stated else self.context.statements.against(item.hypothesis, place)
            if found is not None:
                sentence, polarity = found
                line, words = self._quote(sentence.span)
                if not sentence.is_known:
                    return f"line {line} has words that are not read here: “{words}”. State it in English."
                return f"line {line} {polarity.value}: “{words}”. State it, or do without it."
        where = " in words that are read here" if self.context.statements.are_unread else ""
        return f"the work does not say so{where}."

    def _quote(self, span: t.Span) -> tuple[int, str]:
        """Return the line and the beginning of a sentence of the work."""
        start, end = span
        words = " ".join(self.context.text[start:end].split()).strip(" .")
        first = start + len(self.context.text[start:end]) - len(self.context.text[start:end].lstrip())
        line, _, _ = self.context.work.position(first)
        return line, words if len(words) <= _MOST_QUOTED else f"{words[:_MOST_QUOTED].rstrip()} …"

    def _wrong(self, span: t.Span, left: t.Node, relation: str, right: t.Node, found: Case) -> JudgedLink:
        cause = self._falsehood(left, relation, right)[0]
        if cause is None and relation == "=" and not has_limit(left):
            cause = find_mistake(left, right, self.prover.agrees_about(right))
        words = found.words if cause is None else f"{cause.text} {found.words}"
        return JudgedLink(span, "wrong", words, slip=cause, example=found.example, is_valid=False)

    def judge_unequal(self, span: t.Span, left: t.Node, right: t.Node) -> JudgedLink:
        """Judge that two sides differ."""
        ids = self.context.ids
        if self.prover.shows_equal(left, right, ids):
            return JudgedLink(span, "wrong", "The sides are equal.", is_valid=False)
        if self.prover.refute(left, "=", right) is not None:
            return JudgedLink(span, "right", is_valid=True)
        return JudgedLink(span, "undecided", "It was not found out whether the sides differ.")

    # What the theorem says -------------------------------------------------------------------------

    def _known_limit(self, span: t.Span, left: t.Node, right: t.Node) -> JudgedLink | None:
        """Judge the limit of softmax weights, as the theorem about it says: shares of the largest, 0 for others."""
        supposed = (*self.context.supposed, *self.context.here)
        wanted = softmax_limit(
            left, self.context.domain, supposed, self.context.text, self.prover.agree, self.context.scope
        )
        if wanted is None or not self.prover.agree(wanted, right):
            return None
        return JudgedLink(span, "right", is_valid=True)

    def _claimed(self, span: t.Span, left: t.Node, relation: str, right: t.Node) -> JudgedLink | None:
        """Judge a link that the theorem claims too, or shows on the way, with the hypotheses that its proof uses."""
        steps = {step.id: step for step in self.context.proof.steps}
        known = [(item.left, item.relation, item.right, item.steps) for item in self.context.proof.claims]
        if relation == "=":
            known += [one for item in self.context.proof.claims for one in _between(item, steps)]
        else:
            known += [(item.before, item.relation, item.after, (item.id,)) for item in self.context.proof.steps]
        turned = TURNED.get(relation, "")
        spoken = self._spoken_of(left, right)
        for first, operator, second, ids in known:
            if operator not in {relation, turned}:
                continue
            texts = (first, second) if operator == relation else (second, first)
            try:
                read = [read_text(text, self.context.scope) for text in texts]
                if not self.context.other_meanings.isdisjoint(name for side in read for name in names_in_tree(side)):
                    continue
                if not self.context.dropped_signs.isdisjoint(self.prover.names_behind(*read)):
                    continue
                sides = [self._with_values(side) for side in read]
                if relation == "=" and words_of(sides[0]) != words_of(left):
                    continue
                if relation != "=" and not spoken <= self._spoken_of(*sides):
                    continue  # it would take long to see that they differ
                if not (
                    self.prover.shows_equal(sides[0], left, self.context.stated_ids)
                    and self.prover.shows_equal(sides[1], right, self.context.stated_ids)
                ):
                    continue
            except InputError:
                continue
            used = self.context.proof.hypotheses_of(ids)
            is_kept = used <= {*self.context.ids} and all(
                self.prover.keeps_to(one, self.context.stated_ids) for one in used
            )
            if not is_kept:
                continue
            usable = self.prover.usable(relation, used)
            return self.resting_on(span, [item for item in usable if not self._is_witness(span[0], item, left, right)])
        return None

    def _is_witness(self, place: int, item: Assumption, left: t.Node, right: t.Node) -> bool:
        """Return whether a hypothesis only says that there is another index, as a work does with two or more."""
        if item.hypothesis.kind != "distinct" or not self.prover.has_two_or_more(place):
            return False
        spoken = free_letters(left) | free_letters(right)
        return any(name not in spoken for name in item.hypothesis.about)

    def _with_values(self, side: t.Node) -> t.Node:
        """Return a side with the values that the work gives to numbers in it, if they have the signs of the numbers."""
        for item in self.context.values_in_force:
            if isinstance(item.head, t.Name) and self._has_sign(item.name, item.body):
                side = substitute(side, item.name, t.Group(item.body))
        return side

    def _has_sign(self, name: str, value: t.Node) -> bool:
        """Return whether a number that is declared to be positive, or not to be negative, is so with its value."""
        sign = next((item.sign for item in self.context.scope.declared if item.name == name and not item.sizes), None)
        relation = {"real": "", "positive": ">", "nonnegative": "≥"}.get(sign or "")
        return relation == "" or (
            relation is not None and self.prover.shows(value, relation, t.Number("0"), self.context.stated_ids)
        )

    def _spoken_of(self, *sides: t.Node) -> frozenset[str]:
        """Return the vectors and matrices that sides speak of, through abbreviations and equations too."""
        declared = {item.name for item in self.context.scope.declared if item.sizes}
        bodies: dict[str, Sequence[str]] = {item.name: (item.body,) for item in self.context.scope.defined}
        bodies |= {
            item.hypothesis.about[0]: item.hypothesis.values
            for item in self.context.pool
            if item.hypothesis.kind == "equal"
        }
        return frozenset(names_reached(sides, bodies, self.context.scope) & declared)

    def _by_catalogue(self, span: t.Span, left: t.Node, relation: str, right: t.Node) -> JudgedLink:
        """Judge a link that no small case refutes by the known falsehoods and their own examples."""
        cause, known = self._falsehood(left, relation, right)
        if cause is None or known is None:
            return JudgedLink(span, "undecided", "Neither was it shown, nor does a small case refute it.")
        is_general = self.prover.given == NOTHING_GIVEN and not (
            self.context.is_open or self.context.is_vague or self.context.is_changed
        )
        found = attempt(refuted, known, self.context.proof.scope) if is_general else None
        if found is None:
            return JudgedLink(span, "undecided", cause.text)
        sides = found.sides
        one, other = sides.left or sides.left_digits, sides.right or sides.right_digits
        words = f"{cause.text} There is a case in which the left side is {one} and the right side {other}."
        return JudgedLink(span, "wrong", words, slip=cause, example=known.example, is_valid=False)

    def _falsehood(self, left: t.Node, relation: str, right: t.Node) -> tuple[Mistake | None, Falsehood | None]:
        """Return the falsehood of the catalogue that a link states."""
        for item in self.context.theorem.falsehoods:
            if item.relation != relation:
                continue
            try:
                sides = [read_text(text, self.context.scope) for text in (item.left, item.right)]
            except NotationError:
                continue
            is_named = words_of(sides[0]) == words_of(left)
            if (is_named and self._is_same(sides, (left, right))) or self._is_same(
                sides, _entries((left, right), sides)
            ):
                return Mistake("catalogue", f"It is not true that {item.says}: {item.right_version}."), item
        return None, None

    def _is_same(self, sides: Sequence[t.Node], own: Sequence[t.Node]) -> bool:
        """Return whether a link is a falsehood, side by side."""
        return bool(own) and all(self.prover.agree(one, other) for one, other in zip(sides, own, strict=True))

    # Numbers ---------------------------------------------------------------------------------------

    def judge_number(
        self, span: t.Span, left: t.Node, operator: str, numeral: t.Number, *, is_negative: bool
    ) -> JudgedLink | None:
        """Judge a numeral as the value of the side before it, or a bound of that; None where that has no value."""
        value = self._value(left)
        if value is None:
            return None
        sign = -1 if is_negative else 1
        written = sign * numeral.value
        text = f"{'-' if is_negative else ''}{numeral.text}"
        expected = digits(value, _FIGURES)
        if operator in _HOLDING:
            found = order(value, written)
            if found is None:
                return None
            if found in _HOLDING[operator]:
                return JudgedLink(span, "right", value=text, expected=expected, arithmetic=True, is_valid=True)
            words = f"The value is {expected}, which is not {operator} {text}."
            return JudgedLink(span, "wrong", words, value=text, expected=expected, arithmetic=False, is_valid=False)
        verdict = number_verdict(value, written, numeral, is_approximate=operator == "≈")
        if verdict == "wrong":
            words = f"The value is {expected}, not {text}."
            return JudgedLink(span, "wrong", words, value=text, expected=expected, arithmetic=False, is_valid=False)
        return JudgedLink(span, verdict, value=text, expected=expected, arithmetic=True, is_valid=True)

    def _value(self, node: t.Node) -> Number | None:
        """Return the value of a side at the values that are given; None where a letter has none."""
        try:
            found = self.prover.language(self.context.stated_ids).value(node)
            shown = read_text(str(found), self.context.scope) if isinstance(found, Expr) else node
        except InputError:
            shown = node
        scalars: dict[str, Number] = {
            item.hypothesis.about[0]: Fraction(item.hypothesis.values[0])
            for item in self.context.pool
            if item.hypothesis.kind == "equal"
            and item.is_special
            and item.is_stated
            and is_rational(item.hypothesis.values[0])
        }
        numeric = NumericEvaluator(Scope(self.context.scope.declared), Model(scalars, {}))
        values = (attempt(numeric.value, tried) for tried in (shown, node))
        value = next((value for value in values if value is not None), None)
        return None if isinstance(value, Array) else value

    def judge_approximation(self, span: t.Span, left: t.Node, right: t.Node) -> JudgedLink:
        """Judge an approximation that is not a numeral."""
        if self.prover.shows_equal(left, right, self.context.stated_ids):
            return self.right(span, left, "=", right, self.context.stated_ids)
        return JudgedLink(span, "undecided", "An approximation is judged only between numbers.")


def _between(claim: Claim, steps: Mapping[str, Step]) -> Iterator[tuple[str, str, str, tuple[str, ...]]]:
    """Iterate over the equations between two sides of a chain, those of the claim itself left out."""
    chain = [steps[name] for name in claim.steps]
    if any(step.relation != "=" for step in chain):
        return
    for first in range(len(chain)):
        for last in range(first, len(chain)):
            if last - first + 1 < len(chain):
                yield chain[first].before, "=", chain[last].after, claim.steps[first : last + 1]


def _entries(sides: Sequence[t.Node], known: Sequence[t.Node]) -> tuple[t.Node, ...]:
    """Return matrices by their entries, at the two indices of a delta that is one side of a known equation."""
    match known[1]:
        case t.Subscript(t.Name("delta"), indices) if len(indices) == _PAIR:
            return tuple(t.Subscript(t.Group(side), indices) for side in sides)
        case _:
            return ()


def words_of(node: t.Node) -> frozenset[str]:
    """Return names and functions of a side, to see quickly that two sides are about different things.

    Letters of indices say nothing, and an exponential is written in two ways.
    """
    return frozenset(item.text for item in walk(node) if isinstance(item, t.Name) and item.text not in _SAY_NOTHING)
