"""Suppositions and definitions within a submission, which are not judged as claims."""

from __future__ import annotations

import operator as operators
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

from symattn.errors import NotationError
from symattn.notation.tree import nodes as t
from symattn.notation.tree.traversal import rebuilt, walk
from symattn.notation.writers.plain import describe
from symattn.proofs.language.interpretation import plain_name, read_text, split_indices
from symattn.proofs.language.scope import Hypothesis, Scope
from symattn.proofs.language.tree_parts import names_reached
from symattn.proofs.language.values import Tensor
from symattn.proofs.submissions.assumptions.context import is_letter, moment_letters, names_in_tree
from symattn.proofs.submissions.assumptions.number_values import NumberValue, end_of_value
from symattn.proofs.submissions.assumptions.stated_hypotheses import Assumption, stated_moments
from symattn.proofs.submissions.attempts import attempt
from symattn.proofs.submissions.evidence.counterexamples import Supposition
from symattn.proofs.submissions.evidence.inequalities import ORDERS
from symattn.proofs.submissions.prose.polarity import Polarity
from symattn.proofs.submissions.reading.domains import Domain
from symattn.proofs.submissions.reading.name_uses import is_decorated_alike, undecorated
from symattn.proofs.submissions.reading.normalization import substitute, substitute_all
from symattn.proofs.submissions.reading.softmax_quotients import Entries, SoftmaxQuotient, softmax_of
from symattn.proofs.submissions.reading.statement_parts import free_letters
from symattn.proofs.submissions.verdicts.findings import JudgedLink, unchecked_as
from symattn.proofs.submissions.verdicts.link_verdicts import RelationJudge, words_of
from symattn.proofs.submissions.verdicts.mistakes import Mistake
from symattn.records import dataclass

_PAIRWISE = frozenset({"independent", "uncorrelated"})
_PAIR = 2
_DENYING = {"≠": operators.ne, "<": operators.lt, ">": operators.gt, "≤": operators.le, "≥": operators.ge}
_ALONE = frozenset({"mean", "variance", "law", "normal-vector", "raw-moment", "covariance"})


@dataclass(frozen=True, slots=True)
class Tie:
    """Two random vectors that are equal under a condition.

    Attributes:
        kept: the first one.
        gone: the second one, for which the first one stands.
        rest: what else the condition says.
    """

    kept: str
    gone: str
    rest: Domain

    def put_in(self, node: t.Node) -> t.Node:
        """Return an expression with the first vector in the place of the second."""
        if isinstance(node, t.Name | t.Subscript) and plain_name(node) == self.gone:
            return t.Name(self.kept)
        return rebuilt(node, self.put_in)

    def assumptions(self, pool: Sequence[Assumption]) -> list[Assumption] | None:
        """Return the assumptions on one vector; None where the vectors have moments of different names."""
        found: list[Assumption] = []
        own = {(item.hypothesis.kind, item.hypothesis.values) for item in pool if item.hypothesis.about == (self.kept,)}
        for item in pool:
            about = tuple(dict.fromkeys(self.kept if name == self.gone else name for name in item.hypothesis.about))
            if item.hypothesis.about == (self.gone,) and item.hypothesis.kind in _ALONE:
                if (item.hypothesis.kind, item.hypothesis.values) not in own:
                    return None
                continue
            if item.hypothesis.kind in _PAIRWISE and len(about) < len(item.hypothesis.about) and len(about) == 1:
                continue
            found.append(replace(item, hypothesis=replace(item.hypothesis, about=about)))
        return found


def tie_of(domain: Domain, families: frozenset[str]) -> Tie | None:
    """Return the random vectors that a condition makes one; None where it does not."""
    for clause in domain.clauses:
        match clause:
            case ((left, "=", right),):
                names = (plain_name(left), plain_name(right))
                if names[0] in families and names[1] in families and names[0] != names[1]:
                    rest = tuple(other for other in domain.clauses if other != clause)
                    return Tie(names[0] or "", names[1] or "", replace(domain, clauses=rest))
            case _:
                pass
    return None


def _with_names(node: t.Node, names: Mapping[str, str]) -> t.Node:
    """Return a side with other names in the places of some, perhaps with indices."""
    if isinstance(node, t.Name):
        return t.Name(names.get(node.text, node.text))
    return rebuilt(node, lambda child: _with_names(child, names))


def _called(node: t.Node) -> frozenset[str]:
    """Return the letters before brackets around a name alone, which may be functions: ``sigma(z)``."""
    products = (item.factors for item in walk(node) if isinstance(item, t.Product))
    pairs = (pair for factors in products for pair in pairwise(factors))
    return frozenset(
        head.text
        for head, inner in pairs
        if isinstance(head, t.Name) and isinstance(inner, t.Group) and isinstance(inner.body, t.Name | t.Subscript)
    )


_ENTRY = "i"
"""The index of an entry in the value of a hypothesis."""


class LocalAssumptions:
    """Judge of links that are assumptions or definitions of the work."""

    def __init__(self, relations: RelationJudge) -> None:
        self.context = relations.context
        self.prover = relations.prover
        self.relations = relations
        self.tie: Tie | None = None
        self.numbers: set[str] = set()
        self.known: dict[str, int] = {}
        """Names of the theorem with the place of the first equation that says what they are."""

    _before_tie: tuple[list[Assumption], Scope]

    def set_moment(self, span: t.Span, left: t.Node, operator: str, right: t.Node) -> bool:
        """Take ``mean $mu = 0$``: from here on the letter of a mean or a variance has that value."""
        moments = {
            item.hypothesis.kind: letter for item in self.context.pool for letter in moment_letters(item.hypothesis)
        }
        base, square = (
            (left.base, True) if isinstance(left, t.Power) and left.exponent == t.Number("2") else (left, False)
        )
        name = plain_name(base)
        if name is None or operator != "=" or name not in moments.values() or not isinstance(right, t.Number):
            return False
        if name in self.context.settings:
            return False
        if square and right.text not in {"0", "1"}:
            return False
        if self.prover.shows_equal(left, right, [item.id for item in self.context.pool if item.is_stated]):
            return False
        known = [item for item in self.context.pool if item.is_special and item.hypothesis.about[0] == name]
        others = [item for item in self.context.pool if item not in known]
        last = self.context.statements.length + 1
        end = end_of_value(self.context.statements, self.context.letters_of(name), span[0])
        if any(item.is_stated for item in known):  # what was said before it holds again in another section
            end = min(end, next((place for place in self.context.headings if place > span[0]), last))
        value = NumberValue(name, right.text, span[0]).assumption(((span[0], end),))
        before = [
            item.outside((span[0], last if item.id in self.numbers else end))
            for item in known
            if item.is_stated and item.id != value.id
        ]
        self.numbers.add(value.id)
        self.context.assume([*others, *before, value])
        return True

    def ends_number(self, span: t.Span, left: t.Node, operator: str, right: t.Node) -> bool:
        """End the value of a letter where another case denies it: ``Case 2: $mu ≠ 0$`` behind ``Case 1: $mu = 0$``."""
        if operator not in _DENYING or not isinstance(right, t.Number) or self.context.is_concluded(span[0]):
            return False
        name = plain_name(left)
        known = [
            item
            for item in self.context.pool
            if item.is_special and item.is_stated and item.id in self.numbers and item.hypothesis.about[0] == name
        ]
        denied = [item for item in known if not _DENYING[operator](Fraction(item.hypothesis.values[0]), right.value)]
        end = self.context.statements.length + 1
        self.context.assume([item.outside((span[0], end)) if item in denied else item for item in self.context.pool])
        return bool(denied)

    def sets_length(self, left: t.Node, right: t.Node) -> bool:
        """Take ``d_k = d/h``: one length by others, as works fix them."""
        lengths = self.context.scope.lengths
        names = {node.text for node in walk(right) if isinstance(node, t.Name)}
        return plain_name(left) in lengths and bool(names) and names <= lengths

    def sets_number(self, span: t.Span, head: t.Node, value: t.Node) -> bool:
        """Take ``Let c = 2``: from here on a number that the theorem leaves open has that value."""
        name = self.context.names.free_name(head)
        is_number = any(item.name == name and not item.sizes for item in self.context.scope.declared)
        if name is None or not is_number or name in names_in_tree(value) or not self.context.domain.is_everywhere:
            return False
        self.context.values.add(head, name, value, span)
        self.context.put_values(self.context.values.at(span[0]))
        return True

    def define_otherwise(self, left: t.Node, right: t.Node) -> bool:
        """Take ``Let q = 2 s k_a``, where the theorem has another q: from here on it is that of the work."""
        name = plain_name(left)
        others = [
            item for item in self.context.pool if item.hypothesis.kind == "equal" and item.hypothesis.about[0] == name
        ]
        names = {*names_in_tree(right)}
        is_of_others = bool(names) and describe(left.base if isinstance(left, t.Subscript) else left) not in names
        if not others or any(item.is_special for item in others) or not is_of_others:
            return False
        if self.prover.shows_equal(left, right, [item.id for item in others]):
            return False
        kept = [item for item in self.context.pool if item not in others]
        entries = Entries(self.context.scope)
        try:
            value = right if entries.rank(left) == 0 else entries.at(right, t.Name(_ENTRY))
        except NotationError:
            return False
        if name is None or t.Name(_ENTRY) in walk(right) or entries.rank(left) > 1:
            return False
        says = f"{name} = {describe(right)}"
        hypothesis = Hypothesis(f"work {name}", says, "equal", (name,), (describe(value),))
        self.context.assume([*kept, Assumption(hypothesis, says, is_stated=True)])
        return True

    def redefine(self, head: t.Node, left: t.Node, right: t.Node) -> bool:
        """Take ``Let a = softmax(2 z)``: a name that the theorem defines is from here on as the work says."""
        if not self.context.names.is_of_definition(head, right) or self.prover.agree(left, right):
            return False
        if self.context.names.own_in(right) & (self.context.explained | _called(right)):
            self.context.names.leave_open(head)
            return True
        entry = None
        if isinstance(head, t.Name):
            with suppress(NotationError):  # where its entries are not plain, a statement about them is not read
                entry = _ENTRY, Entries(self.context.scope).at(right, t.Name(_ENTRY))
        self._define_again(head, right, entry)
        return True

    def _define_again(self, head: t.Node, right: t.Node, entry: tuple[str, t.Node] | None = None) -> None:
        """Take what the work says of a name of the theorem's, of which the bounds of the theorem hold as before."""
        names = self.context.names
        names.define_again(head, right, entry)
        for item in self.context.pool:
            if item.hypothesis.kind == "at-most" and names.target(head) in item.hypothesis.about:
                low, high = (read_text(text, self.context.scope) for text in item.hypothesis.values)
                with suppress(NotationError):  # it is not put into the new words
                    self.context.supposed.append(Supposition(names.bound(low), "≤", names.bound(high)))

    def changed_form(self, head: t.Node, right: t.Node) -> t.Node | None:
        """Return what a changed name is where its inputs are changed alike: ``a'`` for ``z'``, as a is made of z.

        None where it is a name of its own, and where the right side writes it out with changed names.

        Raises:
            NotationError: it follows from what is changed, and is not read here.
        """
        names = self.context.names
        key, indices = names.head(head)
        base = None if key is None else undecorated(key)
        if key is None or base is None:
            return None
        found = names.meaning(base)
        alike = {name: undecorated(name) or "" for name in names.own if is_decorated_alike(name, key)}
        if not alike.keys().isdisjoint(names_in_tree(right)):
            return None
        inputs = {names.renamed.get(letter, letter): name for name, letter in alike.items() if letter != base}
        is_made = found is not None and not inputs.keys().isdisjoint(self._made_of(found[1]))
        is_number = not indices and not names.scope.sizes.get(key, ())
        if not is_made and not (key.endswith("'") and (is_number or found is not None)):
            return None
        if (
            found is None
            or is_number
            or len(indices) != len(found[0])
            or inputs.keys().isdisjoint(names_in_tree(found[1]))
        ):
            raise NotationError(f"What {describe(head)} is follows from what is changed, and is not read here.", 0)
        body = substitute_all(found[1], dict(zip(found[0], map(t.Name, indices), strict=True)))
        return names.bound(_with_names(body, inputs))

    def _made_of(self, body: t.Node) -> set[str]:
        """Return the names that a side comes to, through the definitions of the theorem."""
        scope = self.context.names.scope
        return names_reached([body], {item.name: (item.body,) for item in scope.defined}, scope)

    def judge_supposition(self, span: t.Span, left: t.Node, operator: str, right: t.Node) -> JudgedLink:
        """Judge a supposition: it may follow already; otherwise only cases that satisfy it refute later links."""
        if self.prover.shows(left, operator, right, self.context.stated_ids):
            return self.relations.right(span, left, operator, right, self.context.stated_ids)
        self.context.supposed.append(Supposition(left, operator, right, self.context.domain))
        self._take_bound(span, left, operator, right)
        return unchecked_as(span, "an assumption of the work")

    def _take_bound(self, span: t.Span, left: t.Node, operator: str, right: t.Node) -> None:
        """Take an inequality that the work supposes for a hypothesis, on which later ones may rest."""
        if operator not in ORDERS or not self.context.domain.is_everywhere:
            return
        if self.context.statements.polarity_at(span[0]) is not Polarity.STATED:
            return
        low, high = (left, right) if operator in {"≤", "<"} else (right, left)
        free = sorted((free_letters(low) | free_letters(high)) & self.context.indices - set(self.context.scope.fixed))
        random = {*self.context.scope.random}
        names = {name for side in (low, high) for name in names_in_tree(side)} | {
            plain_name(node) or "" for side in (low, high) for node in walk(side)
        }
        if len(free) > 1 or names & random or (free != [_ENTRY] and _ENTRY in names):
            return
        try:
            values = [describe(substitute(side, free[0], t.Name(_ENTRY)) if free else side) for side in (low, high)]
        except NotationError:
            return
        says = f"{describe(left)} {operator} {describe(right)}"
        about = tuple(sorted(names & {item.name for item in self.context.scope.declared}))
        hypothesis = Hypothesis(f"supposed {says}", says, "at-most", about, (values[0], values[1]))
        self.context.assume([*self.context.pool, Assumption(hypothesis, says, is_stated=True)])

    def judge_definition(self, span: t.Span, head: t.Node, left: t.Node, right: t.Node) -> JudgedLink | None:
        """Judge a link that defines a name of the theorem's anew: weights of other scores, or a free letter."""
        if not is_letter(head):
            return None
        is_known = self.known.get(self.context.names.target(head) or "", span[0]) < span[0]
        if self.prover.agree(left, right):
            return None
        quotient = softmax_of(right)
        if quotient is None:
            is_whole = isinstance(right, t.Call) and right.function.text == "softmax" and isinstance(head, t.Name)
            if is_whole and is_known:
                return self._judge_other_meaning(span, head)
            if is_whole and not self.context.is_given and self.redefine(head, left, right):
                return unchecked_as(span, f"the definition of {describe(head)}")
            name = self.context.value_name(head, right, span[0])
            if name is None:
                return None
            if self.define_otherwise(left, right):
                return unchecked_as(span, "an assumption of the work")
            self.context.values.add(head, name, right, span)
            return unchecked_as(span, f"the definition of {describe(head)}")
        size = self.context.names.size_of(quotient.score, quotient.index)
        if size is None:
            return None
        whole = quotient.over(size)
        if not self.prover.agree(whole, right):
            found = self.prover.refute(whole, "=", right)
            if found is not None and self._is_of_causal_row(head, quotient):
                if self.context.mask is None:
                    self.context.names.leave_open(head)
                words = (
                    f"The sum ends at the row's own key, as below a causal mask: {describe(head)} is read no further."
                )
                is_told = not self.ordered_indices.isdisjoint(names_in_tree(quotient.end or head))
                return unchecked_as(span, words) if is_told else JudgedLink(span, "undecided", words)
            if found is not None:
                words = f"The sum below has to run over all {describe(size)} scores: only so the weights add up to 1."
                if quotient.has_collision:
                    words = f"The letter {quotient.running} of the sum stands in the score for something else already."
                cause = Mistake("off-by-one", words)
                return JudgedLink(
                    span, "wrong", f"{words} {found.words}", slip=cause, example=found.example, is_valid=False
                )
            return None
        if self.context.mask is not None and self.context.has_causal_mask:
            return JudgedLink(span, "undecided", "Under the mask the sum below runs over the keys that the query sees.")
        if is_known:
            return self._judge_other_meaning(span, head)
        self._define_again(head, right)
        return unchecked_as(span, f"the definition of {describe(head)}")

    def _judge_other_meaning(self, span: t.Span, head: t.Node) -> JudgedLink | None:
        """Judge an equation of a name of which the work has said something else: a claim, where it is concluded."""
        if self.context.is_concluded(span[0]):
            return None
        self.context.names.leave_open(head)
        words = f"The work says otherwise what {describe(head)} is; it is not clear whether it is defined anew here."
        return JudgedLink(span, "undecided", words)

    def _is_of_causal_row(self, head: t.Node, quotient: SoftmaxQuotient) -> bool:
        """Return whether the sum of a row of weights ends at an index of which the work says more, or at the row's."""
        match quotient.end:
            case t.Name(end) if end in self.context.indices and end != quotient.index:
                indices = split_indices(head.indices, _PAIR) if isinstance(head, t.Subscript) else ()
                return end in self.ordered_indices or (len(indices) == _PAIR and indices[0] == t.Name(end))
            case _:
                return False

    @property
    def ordered_indices(self) -> frozenset[str]:
        """Return the indices that a condition of the work compares with another one: ``for j ≤ i``."""
        clauses = [clause for item in self.context.placed for clause in item.domain.clauses]
        ends = [(a, b) for clause in clauses for a, operator, b in clause if operator in ORDERS]
        pairs = [{a.text, b.text} for a, b in ends if isinstance(a, t.Name) and isinstance(b, t.Name)]
        return frozenset().union(*(pair for pair in pairs if pair <= self.context.indices))

    def judge_assumption(self, span: t.Span, left: t.Node, operator: str, right: t.Node) -> JudgedLink | None:
        """Judge a link that states an assumption of the work, and does not follow from what is given."""
        is_setting = operator == "=" and isinstance(right, t.Number) and describe(left) in self.context.settings_of_work
        said = stated_moments(left, operator, right, self.context.scope)
        fixed = {name for item in self.context.pool if item.hypothesis.kind == "law" for name in item.hypothesis.about}
        if not is_setting and {one.family for one in said} <= fixed & self.context.names.own:
            return None
        given = [
            item.id
            for item in self.context.pool
            if not item.is_special or item.says.partition(" = ")[0] in self.context.settings
        ]
        if self.prover.shows_equal(left, right, given):
            return JudgedLink(span, "right", used=self.prover.needed_ids(left, "=", right, given), is_valid=True)
        if self._is_fixed(left, right):
            return None
        return unchecked_as(span, "an assumption of the work")

    def _is_fixed(self, left: t.Node, right: t.Node) -> bool:
        """Return whether the question fixes what the link speaks of."""
        said = stated_moments(left, "=", right, self.context.scope)
        letters = {
            item.hypothesis.values[0].partition("^")[0]
            for item in self.context.pool
            for one in said
            if item.hypothesis.kind == one.kind and one.family in item.hypothesis.about
        }
        return bool((letters | {describe(left)}) & set(self.context.settings))

    # Sides -----------------------------------------------------------------------------------------

    def bind_sides(self, left: t.Node, right: t.Node) -> tuple[t.Node, t.Node]:
        """Return both sides in the theorem's names, and in forms that can be compared."""
        second = self.context.names.bound(right)
        first = self._in_the_variable(self.context.names.bound(left))
        if self.tie is not None:
            first, second = self.tie.put_in(first), self.tie.put_in(second)
        first, second = self._with_numbers_added(first, second)
        if second == t.Number("0"):
            value = attempt(self.prover.language(self.context.stated_ids).value, first)
            if isinstance(value, Tensor):  # a zero beside a vector or a matrix has its shape
                second = t.Product((second, t.Group(first)), ("",))
        return first, second

    def take_tie(self) -> None:
        """Speak of one vector where the present condition makes two of them one."""
        tie = tie_of(self.context.domain, frozenset(self.context.scope.random))
        pool = None if tie is None else tie.assumptions(self.context.pool)
        if tie is None or pool is None:
            return
        self._before_tie = self.context.pool, self.context.scope
        self.tie, self.context.domain = tie, tie.rest
        self.context.assume(pool)

    def untie(self) -> None:
        """Speak of all vectors again."""
        if self.tie is not None:
            self.tie = None
            self.context.pool, self.context.scope = self._before_tie

    def _in_the_variable(self, node: t.Node) -> t.Node:
        """Return a limit of a quantity as the theorem writes it out, where a hypothesis ties that to the variable."""
        match node:
            case t.Call(t.Name("lim"), (t.Name(variable), target, body)):
                pass
            case _:
                return node
        if any(item == t.Name(variable) for item in walk(body)):
            return node
        known = {item.id for item in self.context.pool}
        for claim in self.context.proof.claims:
            used = self.context.proof.hypotheses_of(claim.steps)
            right = read_text(claim.right, self.context.scope)
            if used <= known and claim.relation == "=" and any(item == t.Name(variable) for item in walk(right)):
                left = read_text(claim.left, self.context.scope)
                if left == body or (words_of(left) == words_of(body) and self.prover.agree(left, body)):
                    self.context.tied = frozenset(used)
                    return t.Call(t.Name("lim"), (t.Name(variable), target, right))
        return node

    def _with_numbers_added(self, left: t.Node, right: t.Node) -> tuple[t.Node, t.Node]:
        """Return both sides with ``softmax(z + c)`` entry by entry: the number c is added to every score."""
        entries = Entries(self.context.scope)
        sides = [entries.written_out(side) if entries.is_mixed(side) else side for side in (left, right)]
        if not any(map(entries.is_mixed, sides)) or not all(map(entries.is_vector, sides)):
            return sides[0], sides[1]
        used = {text for side in sides for text in names_in_tree(side)}
        index = t.Name(next(letter for letter in "ijlr" if letter not in used))
        return entries.at(sides[0], index), entries.at(sides[1], index)
