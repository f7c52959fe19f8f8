"""Weights as people write them: an exponential over a sum of exponentials."""

from __future__ import annotations

from symattn.errors import NotationError
from symattn.notation.tree import nodes as t
from symattn.notation.tree.traversal import rebuilt, walk
from symattn.proofs.language.interpretation import plain_name, read_text
from symattn.proofs.language.scope import Scope
from symattn.proofs.language.tree_parts import exponent_of
from symattn.proofs.submissions.reading.normalization import substitute
from symattn.records import dataclass


@dataclass(frozen=True, slots=True)
class SoftmaxQuotient:
    """``exp(score_i) / sum_j exp(score_j)``: the score, its index, the index of the sum, and where that ends."""

    score: t.Node
    index: str
    running: str
    end: t.Node | None = None

    @property
    def has_collision(self) -> bool:
        """Return whether the letter of the sum stands in the score as well."""
        return any(item == t.Name(self.running) for item in walk(self.score))

    def over(self, size: t.Node) -> t.Node:
        """Return the same with the sum over a whole range."""
        # The work may have taken the letter of the sum for something else in the score.
        used = {item.text for item in walk(self.score) if isinstance(item, t.Name)}
        running = next(letter for letter in (self.running, *"lwuryz") if letter not in used)
        body = _exp(substitute(self.score, self.index, t.Name(running)))
        return t.Division(_exp(self.score), t.SumOver(t.Name(running), t.Number("1"), size, body))


def _exp(node: t.Node) -> t.Node:
    return t.Call(t.Name("exp"), (node,))


def softmax_of(node: t.Node) -> SoftmaxQuotient | None:
    """Return the scores of a quotient of an exponential and a sum of exponentials; None for any other form."""
    if not isinstance(node, t.Division):
        return None
    below = node.denominator.body if isinstance(node.denominator, t.Group) else node.denominator
    if not isinstance(below, t.SumOver):
        return None
    score, summand = exponent_of(node.numerator), exponent_of(below.body)
    if score is None or summand is None:
        return None
    running = below.index.text
    for name in dict.fromkeys(item.text for item in walk(score) if isinstance(item, t.Name)):
        try:
            if substitute(score, name, below.index) == summand and name != running:
                return SoftmaxQuotient(score, name, running, below.upper)
        except NotationError:
            continue
    return None


# Numbers added to vectors --------------------------------------------------------------------------


class Entries:
    """Entries of vectors that are written as wholes, numbers among them standing for vectors of that number."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.sizes = scope.sizes

    def rank(self, node: t.Node) -> int:
        """Return the number of indices that a name, or an entry of one, still lacks."""
        base = node.base if isinstance(node, t.Subscript) else node
        found = self.sizes.get(plain_name(base) or "", ())
        return len(found) - (len(node.indices) if isinstance(node, t.Subscript) else 0)

    def is_mixed(self, node: t.Node) -> bool:
        """Return whether numbers are added to vectors in a softmax."""
        return any(
            isinstance(item, t.Sum) and {self.is_vector(term) for term in item.terms} == {True, False}
            for call in walk(node)
            if isinstance(call, t.Call) and call.function.text == "softmax"
            for item in walk(call.arguments[0])
        )

    def is_vector(self, node: t.Node) -> bool:
        """Return whether a term is a vector as a whole."""
        match node:
            case t.Name() | t.Subscript():
                return self.rank(node) == 1
            case t.Call(t.Name("softmax"), _):
                return True
            case t.Transpose():
                return False
            case _:
                return any(self.is_vector(child) for child in t.children(node))

    def at(self, node: t.Node, index: t.Node) -> t.Node:
        """Return the entry of a vector, a number staying what it is.

        Raises:
            NotationError: it is written in a way whose entries are not plain.
        """
        match node:
            case t.Name() if self.rank(node) == 1:
                return t.Subscript(node, (index,))
            case t.Subscript(base, indices) if self.rank(node) == 1:
                return t.Subscript(base, (*indices, index))
            case t.Call(t.Name("softmax"), (inner,)):
                return self.quotient(inner, index)
            case t.Name() | t.Number():
                return node
            case t.Sum() | t.Product() | t.Group() | t.Negative() | t.Division() if not any(
                isinstance(item, t.Transpose) for item in walk(node)
            ):
                return rebuilt(node, lambda child: self.at(child, index))
            case _ if not self.is_vector(node):
                return node
            case _:
                raise NotationError("The entries of a vector are not clear here.", 0)

    def quotient(self, inner: t.Node, index: t.Node) -> t.Node:
        """Return an entry of a softmax, written out."""
        names = [item for item in walk(inner) if isinstance(item, t.Name) and self.rank(item) == 1]
        if not names:
            raise NotationError("The length of a softmax is not clear here.", 0)
        size = read_text(self.sizes[names[0].text][0], self.scope)
        used = {item.text for item in walk(inner) if isinstance(item, t.Name)}
        running = next(letter for letter in "lwuryxg" if letter not in used and t.Name(letter) != index)
        below = t.SumOver(t.Name(running), t.Number("1"), size, _exp(self.at(inner, t.Name(running))))
        return t.Group(t.Division(_exp(self.at(inner, index)), below))

    def written_out(self, node: t.Node) -> t.Node:
        """Return a side in which entries of a softmax of such sums are quotients."""
        match node:
            case t.Subscript(t.Call(t.Name("softmax"), (inner,)), (index,)) if self.is_mixed(node):
                return self.quotient(inner, index)
            case _:
                return rebuilt(node, self.written_out)
