"""What somebody's proof supposes and defines on its way, which is judged as no claim."""

from __future__ import annotations

from dataclasses import replace

from symattn.derivation.proofs.language import plain_name
from symattn.derivation.proofs.scope import Hypothesis
from symattn.errors import NotationError
from symattn.notation import tree as t
from symattn.notation.plain_writer import describe
from symattn.notation.walk import walk
from symattn.theorems.work_context import FAULTS, moment_letters
from symattn.theorems.work_links import JudgedLink
from symattn.theorems.work_refute import Supposed
from symattn.theorems.work_slips import Slip
from symattn.theorems.work_softmax import softmax_of
from symattn.theorems.work_stated import Assumption, said_in
from symattn.theorems.work_verdicts import Verdicts

_ENTRY = "i"
"""The index of an entry in the value of a hypothesis."""


class Assuming(Verdicts):
    """Takes links for assumptions and definitions of the work where they are that."""

    def _sets_a_moment(self, left: t.Node, operator: str, right: t.Node) -> bool:
        """``mean $mu = 0$``: from here on the letter of a mean or a variance has that value."""
        moments = {item.hypothesis.kind: letter for item in self.pool for letter in moment_letters(item.hypothesis)}
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
        except FAULTS:
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
        except FAULTS:
            return None
        if self._is_fixed(left, right):
            return None
        return JudgedLink(span, "unchecked", "It is taken as an assumption of the work.")

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
