"""Weights as people write them: an exponential over a sum of exponentials."""

from __future__ import annotations

from symattn.errors import NotationError
from symattn.notation import tree as t
from symattn.notation.walk import walk
from symattn.records import dataclass
from symattn.theorems.work_forms import substituted


@dataclass(frozen=True, slots=True)
class SoftmaxQuotient:
    """``exp(score_i) / sum_j exp(score_j)``: the score, its index, and the index of the sum."""

    score: t.Node
    index: str
    running: str

    @property
    def has_collision(self) -> bool:
        """Whether the letter of the sum stands in the score as well."""
        return any(item == t.Name(self.running) for item in walk(self.score))

    def over(self, size: t.Node) -> t.Node:
        """The same with the sum over a whole range."""
        # The work may have taken the letter of the sum for something else in the score.
        used = {item.text for item in walk(self.score) if isinstance(item, t.Name)}
        running = next(letter for letter in (self.running, *"lwuryz") if letter not in used)
        body = _exp(substituted(self.score, self.index, t.Name(running)))
        return t.Division(_exp(self.score), t.SumOver(t.Name(running), t.Number("1"), size, body))


def _exp(node: t.Node) -> t.Node:
    return t.Call(t.Name("exp"), (node,))


def _exponent(node: t.Node) -> t.Node | None:
    match node:
        case t.Call(t.Name("exp"), (inner,)) | t.Power(t.Name("e"), inner):
            return inner
        case t.Group(inner):
            return _exponent(inner)
        case _:
            return None


def softmax_of(node: t.Node) -> SoftmaxQuotient | None:
    """The scores of a quotient of an exponential and a sum of exponentials; None for any other form."""
    if not isinstance(node, t.Division):
        return None
    below = node.denominator.body if isinstance(node.denominator, t.Group) else node.denominator
    if not isinstance(below, t.SumOver):
        return None
    score, summand = _exponent(node.numerator), _exponent(below.body)
    if score is None or summand is None:
        return None
    running = below.index.text
    for name in dict.fromkeys(item.text for item in walk(score) if isinstance(item, t.Name)):
        try:
            if substituted(score, name, below.index) == summand and name != running:
                return SoftmaxQuotient(score, name, running)
        except NotationError:
            continue
    return None
