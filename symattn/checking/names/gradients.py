r"""Normalisation of gradient names: ``\frac{\partial L}{\partial Q}``, ``\nabla_Q L`` and ``dQ`` alike.

What names a gradient becomes one name, a ``d`` before that of what it belongs to; indices stay where they are. A letter
d beside a name is a factor unless the layer has the gradient that the two would name.
"""

from __future__ import annotations

from dataclasses import replace

from symattn.checking.expressions.renaming import Rewriting
from symattn.checking.graph.quantities import Graph
from symattn.checking.names.lexicon import HABITS, key_of, spelt
from symattn.graph.builders.layer import base_of, is_of_gradients
from symattn.notation.tree import nodes as t
from symattn.notation.tree.traversal import rebuilt
from symattn.problem.model import Problem

_LETTERS = frozenset({"d", "partial", "delta"})
_NABLA = frozenset({"nabla", "grad"})
_LOSSES = frozenset({"dL", "dl", "dJ", "dE", "dLoss", "dloss"})
"""Numerators of gradients in plain text, ``dL/dQ``."""

_ROW_SUMS = frozenset({"rowsum", "rowsums", "RowSum", "rowSum", "row sum"})
_OPEN = "G"
"""Letters for every gradient, with its quantity below: ``G_A``."""


class GradientNames(Rewriting):
    """Normaliser of the names of gradients in works.

    Args:
        graph: the quantities.
        problem: for the names that it declares.
    """

    def __init__(self, graph: Graph, problem: Problem) -> None:
        bases = {base_of(name) for name in graph.nodes if is_of_gradients(name)} - {"D", "T"}
        words = {base: (base[1:], problem.label(base[1:]), *HABITS.get(base[1:], ())) for base in bases}
        self.known = frozenset(key_of(f"d{word}") for own in words.values() for word in own) - {"dk", "dv", "dq"}
        self.is_open = _OPEN not in {base_of(name) for name in graph.nodes}

    def spelt(self, node: t.Node) -> t.Node:
        """Return the same tree, its gradients named in one way."""
        match node:
            case t.Call(t.Name("diff"), (loss, of)) if isinstance(loss, t.Name):
                found = self._gradient_at(of)
            case t.Subscript(t.Name(sign), (of, *rest)) if sign in _NABLA or (sign == _OPEN and self.is_open):
                found = self._gradient_at(of, tuple(rest))
            case t.Subscript(t.Group(body), indices) if isinstance(inner := self.spelt(body), t.Name | t.Subscript):
                found = t.Subscript(inner, indices) if inner != body else None
            case t.Product(factors, operators):
                return self._product(node, factors, operators)
            case t.Division(t.Name(above), t.Name() | t.Subscript() as below) if above in _LOSSES:
                head = below.base if isinstance(below, t.Subscript) else below
                whole = {key_of(spelt(item) or "") for item in (head, below)}
                found = below if whole & self.known else None
            case _:
                found = None
        if found is not None:
            return _over(found, node.span)
        made = rebuilt(node, self.spelt)
        if isinstance(node, t.Matrix):
            made = replace(node, rows=tuple(tuple(map(self.spelt, row)) for row in node.rows))
        return node if made == node else _over(made, node.span)

    def _product(self, node: t.Product, factors: tuple[t.Node, ...], operators: tuple[str, ...]) -> t.Node:
        kept: list[t.Node] = []
        between: list[str] = []
        rest = list(factors)
        signs = ["", *operators]
        at = 0
        while at < len(rest):
            taken = self._taken(rest[at:], signs[at + 1 :])
            own, length = taken if taken is not None else (self.spelt(rest[at]), 1)
            kept.append(own)
            between.append(signs[at])
            at += length
        if len(kept) == 1:
            return _over(kept[0], node.span)
        made = t.Product(tuple(kept), tuple(between[1:]))
        return node if made == node else replace(made, span=node.span)

    def _taken(self, factors: list[t.Node], operators: list[str]) -> tuple[t.Node, int] | None:
        """Return the gradient that the first factors name, and how many they are."""
        match factors:
            case [t.Name(sign), t.Division(t.Name(), t.Name(other)), of, *_] if sign == other and sign in _LETTERS:
                found, length = self._gradient_at(of), 3
            case [t.Subscript(t.Name(sign), (of,)), t.Name(), *_] if sign in _NABLA:
                found, length = self._gradient_at(of), 2
            case [head, t.Group(body), *_] if spelt(head) in _ROW_SUMS:
                found, length = t.Call(t.Name("rowsum"), (self.spelt(body),)), 2
            case [t.Name("d"), of, *_]:
                found, length = self._gradient_at(of), 2
            case _:
                return None
        if found is None or any(operators[: length - 1]):
            return None
        ends = factors[0].span, factors[length - 1].span
        span = None if ends[0] is None or ends[1] is None else (ends[0][0], ends[1][1])
        return _over(found, span), length

    def _gradient_at(self, of: t.Node, more: tuple[t.Node, ...] = ()) -> t.Node | None:
        """Return the name of the gradient at a node; None where the layer has none such."""
        match of:
            case t.Name(text) if key_of(f"d{text}") in self.known:
                marked = t.Name(f"d{text}", span=of.span)
                return t.Subscript(marked, more, span=of.span) if more else marked
            case t.Subscript(base, indices):
                whole = spelt(of)
                if whole is not None and isinstance(base, t.Name) and key_of(f"d{whole}") in self.known:
                    name = t.Subscript(t.Name(f"d{base.text}", span=base.span), indices, span=of.span)
                    return t.Subscript(name, more, span=of.span) if more else name
                inner = self._gradient_at(base)
                if inner is None and isinstance(base, t.Name) and len(indices) > 1:
                    inner = self._gradient_at(t.Subscript(base, indices[:1]))
                    indices = indices[1:]
                return None if inner is None else t.Subscript(inner, (*indices, *more), span=of.span)
            case t.Transpose(base) | t.Group(base) | t.Power(base):
                inner = self._gradient_at(base, more)
                if inner is None:
                    return None
                if isinstance(of, t.Group):
                    return inner
                return replace(of, base=inner)
        return None


def _over(node: t.Node, span: t.Span | None) -> t.Node:
    """Return a node with the span of another one."""
    return node if node.span == span else replace(node, span=span)
