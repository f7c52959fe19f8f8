"""Notation variants: heads side by side, a mask above the fraction bar of a scale, primes for successors.

Inner products and softmaxes of lists in any notation, ``q_1 · k_3``, ``⟨q_1, k_3⟩``, ``q_1 k_3^T``, are variants, too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from operator import is_
from typing import Any

from symattn import late
from symattn.checking.context import GradingContext
from symattn.checking.evaluation.values import value_in
from symattn.checking.expressions.expression_kinds import has_numbers
from symattn.checking.expressions.numerals import bare
from symattn.checking.graph.targets import Target, whole
from symattn.checking.names.binding import Binder
from symattn.checking.names.lexicon import SOFTMAX, SUCCESSORS, key_of
from symattn.exact.field.quotient import Quotient
from symattn.exact.reals.sign import compare
from symattn.notation.submission import Side, Written
from symattn.notation.tree import nodes as t
from symattn.notation.tree.traversal import mapped, rebuilt, walk
from symattn.operations.formulas.formula import Ref, is_of, parts

_LOGARITHMS = frozenset({"log", "ln"})

_LABELS = frozenset("QKVO")
"""Products of the matrices of weights, as written beside their letter."""

_MOST = 64
"""Factors between brackets that are looked at."""


class NotationVariants:
    """Normaliser of notation variants."""

    def __init__(self, context: GradingContext) -> None:
        self.context = context
        nodes = context.graph.nodes.values()
        added = [parts(node.formula)[1] for node in nodes if node.formula is not None and is_of(node.formula, "mask")]
        self.masks = frozenset(by.name for by in added if isinstance(by, Ref))
        self.heads = context.binder.heads.count
        self.biases = frozenset(name for name in context.graph.given if name.startswith("b"))

    def written(self, node: t.Node) -> t.Node:
        """Return the same tree in the usual form."""
        node = self._added(node) if self.biases and isinstance(node, t.Sum) else node
        if not self.heads and not self.masks:
            return node
        if self.heads and isinstance(node, t.Subscript):
            node = _label_first(node)
        joined = self._joined(node) if self.heads > 1 else None
        if joined is not None:
            return joined
        masked = self._masked(node) if self.masks else None
        if masked is not None:
            return masked
        return mapped(node, self.written)

    def of_loss(self, node: t.Node) -> t.Node:
        r"""Return a side of a loss with ``P_O`` in its logarithms for the letter of probabilities, ``-\log p_{11}``."""
        if isinstance(node, t.Call) and node.function.text in _LOGARITHMS:
            return replace(node, arguments=tuple(map(self.of_chances, node.arguments)))
        return mapped(node, self.of_loss)

    def of_chances(self, node: t.Node) -> t.Node:
        """Return a formula with ``P_O`` for the letter of any probabilities."""
        binder = self.context.binder
        if isinstance(node, t.Name):
            key = key_of(node.text)
            taken = (binder.names.declared.keys() | binder.names.own.keys()) - {"P"}  # positions do not occur in a loss
            may_be = "P_O" in binder.names.habits_of(node) and key not in taken and key not in binder.names.declared
            return t.Name("P_O", span=node.span) if may_be and "P_O" in binder.graph else node
        if isinstance(node, t.Subscript):
            return replace(node, base=self.of_chances(node.base))
        return rebuilt(node, self.of_chances)

    def _added(self, node: t.Sum) -> t.Sum:
        r"""Read ``X W_Q + \mathbf{1} b_Q^T``, a bias in every row, as the sum of the two alone."""
        terms = tuple(self._bias(term) or term for term in node.terms)
        return node if terms == node.terms else replace(node, terms=terms)

    def _bias(self, term: t.Node) -> t.Node | None:
        match term:
            case t.Product((t.Number("1") | t.Name("1" | "ones"), bias), _):
                line = bias.base if isinstance(bias, t.Transpose) else bias
                target = self.context.binder.resolve(line)
                return line if target is not None and target.name in self.biases else None
        return None

    def _joined(self, node: t.Node) -> t.Call | None:
        r"""Read ``[H_1\; H_2]``, ``[A_1V_1\; A_2V_2]`` and ``[H_1, H_2]`` as joined heads, not as a product."""
        parts = self._parts(node)
        found = [self._head(part) for part in parts]
        if len({target.name for target in found if target is not None}) < self.heads:
            return None
        return t.Call(t.Name("Concat"), tuple(map(_product, parts)), span=node.span)

    def _parts(self, node: t.Node) -> list[tuple[t.Node, ...]]:
        """Return the candidates for one head each between square brackets: items, or juxtaposed factors."""
        match node:
            case t.Group(body, "[") | t.Vector((body,), "[") | t.Matrix(((body,),)):
                items = body.factors if isinstance(body, t.Product) and not any(body.operators) else ()
            case t.Vector(items, "[") | t.Matrix((items,)):
                return [(item,) for item in items] if len(items) == self.heads else []
            case _:
                return []
        length, rest = divmod(len(items), self.heads)
        if rest or not 0 < len(items) <= _MOST:
            return []
        return [items[k : k + length] for k in range(0, len(items), length)]

    def _head(self, factors: tuple[t.Node, ...]) -> Target | None:
        """Return the output of a head that some factors make; None where they make anything else."""
        item = _product(factors)
        found = self.context.binder.resolve(item) or self.context.formulas.subject(item)
        is_whole = found is not None and found.cells == whole(self.context.graph, found.name).cells
        return found if is_whole and found is not None and found.name.startswith("H^") else None

    def _masked(self, node: t.Node) -> t.Sum | None:
        """Read ``(S + M)/√2`` as ``S/√2 + M``: the minus infinity and 0 of M stay unchanged."""
        if not isinstance(node, t.Division):
            return None
        inside = bare(node.numerator)
        if not isinstance(inside, t.Sum) or inside.operators != ("+",):
            return None
        of, mask = inside.terms
        target = self.context.binder.resolve(bare(mask))
        if target is None or target.name not in self.masks or any(map(self._means_mask, walk(of))):
            return None
        below = value_in(node.denominator, self.context.binder, self.context.numbers.base)
        if below is None or below.symbols or not below.is_finite or compare(below, Quotient.of(0)) <= 0:
            return None
        return replace(inside, terms=(t.Division(of, node.denominator, span=of.span), mask))

    def _means_mask(self, node: t.Node) -> bool:
        found = self.context.binder.resolve(node) if isinstance(node, t.Name) else None
        return found is not None and found.name in self.masks


def _label_first(node: t.Subscript) -> t.Subscript:
    """Read ``W_1^Q``, of head 1, with its indices in the order of ``W_Q^{(1)}``."""
    match node.indices:
        case (t.Number() | t.Name("i" | "h" | "j") as head, t.Name(label) as which) if label.upper() in _LABELS:
            is_weights = isinstance(node.base, t.Name) and node.base.text in {"W", "b", "w"}
            return replace(node, indices=(which, head)) if is_weights else node
    return node


def _product(factors: tuple[t.Node, ...]) -> t.Node:
    if len(factors) == 1:
        return factors[0]
    ends = factors[0].span, factors[-1].span
    span = None if ends[0] is None or ends[1] is None else (ends[0][0], ends[1][1])
    return t.Product(factors, ("",) * (len(factors) - 1), span=span)


_PRIMES = ("'", "′", "\\prime")
"""Spellings of a prime; a ``T`` is not one."""

_INDEXED = late.pattern(r"([A-Za-z]{1,12})([0-9]{1,2})")

_LETTERS = frozenset({"q", "k"})


class PrimedNames:
    """Substitution of the successors of queries and keys for primed names.

    Args:
        context: what is known of the work.
        fits: whether numbers are those of a target.
        ending: that of the successors.
    """

    def __init__(self, context: GradingContext, fits: Callable[[t.Node, Target], bool], ending: str) -> None:
        self.context = context
        self.fits = fits
        self.ending = ending
        self.meant: set[str] = set()

    def written(self, written: Written) -> Written:
        """Return the chain with the successor for a ``K'`` that means it: its first name, and later all of its kind."""
        first = written.sides[0]
        name = None if first is None or first.node is None else self._primed(first.node)
        if first is not None and first.node is not None and name is not None and self._is_meant(first.node, written):
            self.meant.add(name)
        self.meant |= self._by_formula(written)
        if not self.meant:
            return written
        sides = (None if side is None else self._put(side) for side in written.sides)
        return replace(written, sides=tuple(sides))

    def _by_formula(self, written: Written) -> set[str]:
        """Return the primed letters of ``S = q' K'^T``, where the first side is that product of successors."""
        first = None if written.sides[0] is None else written.sides[0].node
        target = None if first is None else self.context.binder.resolve(first)
        nodes = [side.node for side in written.sides[1:] if side is not None and side.node is not None]
        for node in nodes if target is not None else []:
            names = {name for item in walk(node) if (name := self._primed(item)) is not None}
            found = self.context.formulas.subject(self._with_successors(node, names)) if names else None
            if found is not None and target is not None and (found.name, found.cells) == (target.name, target.cells):
                return names
        return set()

    def _primed(self, node: t.Node) -> str | None:
        """Return the letter of the queries or keys that a prime stands on."""
        base = primed_name(node, self.context)
        if base is None or not isinstance(node, t.Transpose):
            return None
        found = self.context.binder.resolve(node.base)
        name = base.text.upper() if found is None and base.text in _LETTERS else None if found is None else found.name
        has_successor = name in SUCCESSORS[self.ending] and f"{name[0]}_{self.ending}" in self.context.graph
        return base.text if has_successor else None

    def _is_meant(self, node: t.Node, written: Written) -> bool:
        """Return whether numbers beside a primed name have the shape of the successor, and not of a transpose."""
        turned, meant = self.context.binder.resolve(node), self.context.binder.resolve(self._successor(node))
        stated = [
            side.node for side in written.sides[1:] if side is not None and side.node is not None
            if has_numbers(side.node)
        ]  # fmt: skip
        if meant is None or not stated:
            return False
        is_laid = meant.in_shape(self.context.shape(stated[-1])) is not None
        return is_laid and not (turned is not None and self.fits(stated[-1], turned))

    def _successor(self, node: t.Node) -> t.Node:
        """Return the name of the successor for a primed name; that of a lone token needs no index."""
        if not isinstance(node, t.Transpose):
            return node
        if isinstance(node.base, t.Subscript):
            made = replace(node.base, base=self._named(node.base.base), span=node.span)
            found, line = self.context.binder.resolve(made), self.context.binder.resolve(node.base)
            is_entry = found is not None and found.only is not None and line is not None and line.only is None
            return replace(self._named(node.base.base), span=node.span) if is_entry else made
        return replace(self._named(node.base), span=node.span)

    def _put(self, side: Side) -> Side:
        return side if side.node is None else replace(side, node=self._with_successors(side.node, self.meant))

    def _with_successors(self, node: t.Node, meant: set[str]) -> t.Node:
        def substitute(item: t.Node) -> t.Node:
            return self._successor(item) if self._primed(item) in meant else rebuilt(item, substitute)

        return substitute(node)

    def _named(self, base: t.Node) -> t.Node:
        return t.Name(f"{base.text}{self.ending}", span=base.span) if isinstance(base, t.Name) else base


def primed_name(node: t.Node, context: GradingContext) -> t.Name | None:
    """Return the name that a prime stands on, read as a transpose; a ``T`` is not a prime."""
    if not isinstance(node, t.Transpose) or node.span is None:
        return None
    base = node.base.base if isinstance(node.base, t.Subscript) else node.base
    return base if isinstance(base, t.Name) and any(mark in context.source(node) for mark in _PRIMES) else None


def with_index(node: t.Node, context: GradingContext) -> t.Node:
    """Read ``S1'`` and ``{S'}_1``, primes on names with an index, as ``S_1'``, where no quantity is called ``S1``."""
    match node:
        case t.Subscript(t.Transpose(t.Name() as base) | t.Group(t.Transpose(t.Name() as base)), indices):
            is_primed = primed_name(t.Transpose(base, span=node.span), context) is not None
            return t.Transpose(t.Subscript(base, indices, span=node.span), span=node.span) if is_primed else node
        case t.Transpose(t.Name(text) as base) if (
            primed_name(node, context) is not None
            and not context.binder.names.is_declared(base)
            and (typed := _INDEXED.fullmatch(text)) is not None
        ):
            return replace(node, base=t.Subscript(t.Name(typed[1]), (t.Number(typed[2]),), span=base.span))
    return mapped(node, lambda part: with_index(part, context))


def _is_list(function: t.Name, arguments: tuple[t.Node, ...]) -> bool:
    """Return whether the arguments are the numbers of a row; the second one of ``softmax(S, 1)`` says an axis."""
    names = [
        item for argument in arguments for item in walk(argument) if isinstance(item, t.Name | t.Vector | t.Matrix)
    ]
    return function.text.lower() in SOFTMAX and not names


def _names_line(text: str) -> bool:
    """Return whether a name without an index may be that of a line: ``q1``, or ``q`` and ``k`` of a single token."""
    return text[-1:].isdigit() or (len(text) == 1 and text.islower())


class InnerProducts:
    """Normaliser of inner products to a row times a column.

    Args:
        binder: what names mean; where the sheet's vectors are rows, ``q k^T`` is a number.
    """

    def __init__(self, binder: Binder) -> None:
        self.names = binder
        self.graph = binder.graph
        self.lines_are_rows = binder.lines_are_rows
        self.lines_are_columns = binder.lines_are_columns

    def written(self, node: t.Node) -> t.Node:
        """Return the same tree with inner products as a row times a column."""
        match node:
            case t.Call(t.Name("inner"), (first, second)):
                return self._product(first, second, node.span) or node
            case t.Product((first, t.Division(above, below)), (operator,)) if self._is_inner(above, operator):
                # q_1 · k_1/√2, whose tree is that of q_1 · (k_1/√2)
                found = self._product(first, above, node.span)
                return node if found is None else t.Division(found, self.written(below), span=node.span)
            case t.Product((first, second), (operator,)):
                found = self._product(first, second, node.span) if self._is_inner(second, operator) else None
                return found or self._each(node, factors=(first, second))
            case t.Product(factors):
                return self._each(node, factors=factors)
            case t.Sum(terms):
                return self._each(node, terms=terms)
            case t.Division(above, below):
                return self._each(node, numerator=above, denominator=below)
            case t.Power(_, exponent):
                return self._each(node, exponent=exponent)
            case t.Call(function, (first, _, *_) as arguments) if _is_list(function, arguments):
                span = None if first.span is None else (first.span[0], (arguments[-1].span or first.span)[1])
                listed = t.Vector(tuple(map(self.written, arguments)), "(", span=span)
                return replace(node, arguments=(listed,))
            case t.Call(_, arguments):
                return self._each(node, arguments=arguments)
            case t.Negative(body) | t.Group(body) | t.Boxed(body):
                return self._each(node, body=body)
        return node

    def _each(self, node: t.Node, **parts: Any) -> t.Node:
        """Return a node with some of its parts rewritten; itself where none changes."""
        made: dict[str, Any] = {
            name: self._all(part) if isinstance(part, tuple) else self.written(part) for name, part in parts.items()
        }
        return node if all(made[name] is part for name, part in parts.items()) else replace(node, **made)

    def _all(self, nodes: tuple[t.Node, ...]) -> tuple[t.Node, ...]:
        made = tuple(map(self.written, nodes))
        return nodes if all(map(is_, made, nodes)) else made

    def _is_inner(self, second: t.Node, operator: str) -> bool:
        """Return whether a product has a dot between vectors, or a transposed second factor where vectors are rows."""
        return operator == "cdot" or (self.lines_are_rows and isinstance(bare(second), t.Transpose))

    def _product(self, first: t.Node, second: t.Node, span: t.Span | None) -> t.Node | None:
        left, right = self._line(first), self._line(second)
        if left is None or right is None or max(left.shape) != max(right.shape):
            return None
        row = first if left.shape[0] == 1 else t.Transpose(first, span=first.span)
        column = second if right.shape[1] == 1 else t.Transpose(second, span=second.span)
        return t.Product((row, column), ("",), span=span)

    def _line(self, node: t.Node) -> Target | None:
        """Return a line of a matrix by its name; no whole matrix and no single entry."""
        inner = bare(node)
        base = bare(inner.base) if isinstance(inner, t.Transpose) else inner
        is_part = isinstance(base, t.Subscript) or (isinstance(base, t.Name) and _names_line(base.text))
        target = self.names(inner) if is_part else None
        is_line = target is not None and target.is_vector and target.only is None
        return target if target is not None and is_line and not self._is_of_all(target) else None

    def _is_of_all(self, target: Target) -> bool:
        """Return whether a node has a number for each token, as all of ``Q_1`` where heads have the size 1."""
        rows, columns = self.graph.shape(target.name)
        return rows * columns == max(target.shape) and (rows if self.lines_are_columns else columns) == 1
