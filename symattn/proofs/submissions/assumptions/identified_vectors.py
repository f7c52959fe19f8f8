"""Two random vectors that a condition makes one: ``If $q = k$, then ...`` speaks of q alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from symattn.notation.tree import nodes as t
from symattn.notation.tree.traversal import rebuilt
from symattn.proofs.language.interpretation import plain_name
from symattn.proofs.submissions.assumptions.stated_hypotheses import Assumption
from symattn.proofs.submissions.reading.conditions import Domain
from symattn.records import dataclass

_PAIRWISE = frozenset({"independent", "uncorrelated"})
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
