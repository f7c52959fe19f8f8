"""Normalisation of hastily typed names: ``α11``, ``score(q2, k1)``, the ``q`` of a single query."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from symattn.checking.expressions.expression_kinds import power_of_e
from symattn.checking.expressions.numerals import figure
from symattn.checking.names.binding import Binder
from symattn.checking.names.lexicon import bracketed, key_of, spelt
from symattn.exact.field.quotient import Quotient
from symattn.graph.builders.layer import base_of
from symattn.notation.lexicon.lines import number_in_front
from symattn.notation.lexicon.vocabulary import names
from symattn.notation.submission import Written
from symattn.notation.tree import nodes as t
from symattn.notation.tree import symbols
from symattn.notation.tree.traversal import mapped, rebuilt, walk

_WORDS = {table: frozenset(words) for table, words in names()["typed"].items()}
"""Words by what they say beside others: functions of a query and a key, labels of where an input comes from."""

_SCORES, _RESULTS = _WORDS["scores"], _WORDS["results"]

_GREEK = frozenset(symbols.GREEK)
_MOST = 400


class PlainNames:
    """Normaliser of the names in chains.

    Args:
        binder: what names mean.
    """

    def __init__(self, binder: Binder) -> None:
        self.binder = binder
        problem = binder.problem
        is_layer = problem.kind != "defined" and "Q" in binder.graph
        self.is_single = is_layer and 1 in binder.graph.shape("Q") and problem.n_q == 1
        self.is_layer = is_layer
        self.has_positions = is_layer and problem.positions is not None and "P" in binder.graph
        self.chosen: set[str] = set()

    def written(self, written: Written) -> Written:
        """Return the chain with names in the usual form."""
        written = self._attention(written)
        self._note_constant(written)
        return written.with_nodes(self._usual)

    def steps(self, written: Written) -> tuple[int | None, list[Written]]:
        """Return ``Token 1 scores: [1, 0] → scaled [0.7, 0] → softmax [0.67, 0.33]`` as a statement for each step."""
        first = written.sides[0]
        if "→" not in written.operators or first is None or not isinstance(first.node, t.Name):
            return None, [written]
        starts = [p for p, sign in enumerate(written.operators, 1) if sign == "→" and _is_named(written, p)]
        bounds = [0, *starts, len(written.sides)]
        parts = [_part(written, low, high) for low, high in pairwise(bounds)] if starts else [written]
        return number_in_front(first.node.text) if starts else None, parts

    def _note_constant(self, written: Written) -> None:
        """Record ``T = 2``: an unknown letter is a number from now on."""
        nodes = [side.node for side in written.sides if side is not None]
        if len(nodes) != 2 or written.operators != ("=",) or written.withdrawn:
            return
        name, number = nodes[0], nodes[1] if nodes[1] is None else figure(nodes[1])
        text = name.text.removeprefix("temperature ") if isinstance(name, t.Name) else ""
        if number is None or text not in _WORDS["constants"] or self.binder.base == 0:
            return
        plain = t.Name(text)
        is_own = text in self.chosen and not nodes[2:]
        if self.binder.resolve(plain) is None and (is_own or self.binder.constant(plain) is None):
            self.chosen.add(text)
            self.binder.names.constants[key_of(text)] = Quotient.of(number.value)

    def _attention(self, written: Written) -> Written:
        """Read ``Attention(Q, K, V) = [1 2; 3 4]`` as the output; beside formulas it is the layer in general."""
        first, *rest = written.sides
        call = None if first is None else first.node
        if first is None or not isinstance(call, t.Call) or not self._is_attention(call) or not rest:
            return written
        names = {item.text for side in rest if side is not None and side.node is not None for item in walk(side.node)
                 if isinstance(item, t.Name)}  # fmt: skip
        if names - {"e", "exp", "sqrt"}:
            return written
        named = t.Name(self.binder.problem.names.get("O", "O"), "text", span=call.span)
        return replace(written, sides=(replace(first, node=named), *rest))

    def _is_attention(self, call: t.Call) -> bool:
        is_named = call.function.text.replace("_", "").lower() in _WORDS["attention"]
        is_plain = "O" in self.binder.graph and not self.binder.heads.count and self.binder.resolve(call) is None
        return is_named and is_plain and all(self.binder.resolve(item) is not None for item in call.arguments)

    def _usual(self, node: t.Node) -> t.Node:
        """Return a tree in the usual notation, one that is too large as it is."""
        made = node if sum(1 for _ in walk(node)) > _MOST else self._put(node)
        return node if made == node else made

    def _put(self, node: t.Node) -> t.Node:
        match node:
            case t.Product((t.Name("rowsum" | "colsum" as name), t.Group(argument, "(")), ("",)):
                return t.Call(t.Name(name), (self._put(argument),), span=node.span)
            case t.Product((*head, t.Group(t.Number(text), "(")), operators) if self.has_positions and not any(
                operators
            ):
                return self._at_position(node, head, text)
            case t.Product(factors, operators):
                scored = self._scored(node)
                if scored is not None:
                    return scored
                factors, operators = self._without_batches(factors, operators)
                node = self._joined(factors, operators, node.span)
                return node if not isinstance(node, t.Product) else rebuilt(node, self._put)
            case t.Division(above, below) if _sum_of(below) is not None and above == _sum_of(below):
                inner = power_of_e(above)
                is_known = inner is not None and (not isinstance(inner, t.Name) or self._is_last_scores(inner))
                return t.Call(t.Name("softmax"), (inner,), span=node.span) if inner is not None and is_known else node
            case t.Call(t.Name(word, span=first), (t.Name(noun, span=last),)) if (
                word.lower() == "softmax" and noun.lower() in _RESULTS and _is_without_brackets(node, first, last)
            ):
                return t.Name("attention weights", "text", span=node.span)
            case t.Call() if (summed := _sum_of(node)) is not None:
                # Exponentials in it may be those of other scores than the sheet's.
                is_known = isinstance(summed, t.Name) and self.binder.resolve(summed) is not None
                return t.Call(t.Name("rowsum"), (summed,), span=node.span) if is_known else node
            case t.Call(function, (first, second)) if self.is_layer and function.text in _SCORES:
                return self._product(first, second, node.span) or rebuilt(node, self._put)
            case t.Name("q") if self._has_row(node):
                row = t.Number(str((self.binder.line_found or 0) + self.binder.base))
                return t.Subscript(t.Name("q", span=node.span), (row,), span=node.span)
            case t.Name("q") if self.is_single and self.binder.resolve(node) is None:
                single = t.Subscript(t.Name("q", span=node.span), (t.Number("1"),), span=node.span)
                is_free = self.binder.formula(node, {}) is None and self.binder.resolve(single) is not None
                return single if is_free and self.binder.base == 1 else node
            case t.Name():
                return node
            case t.Subscript(t.Name(text) as base, (t.Name(label),)) if label in _WORDS["origins"] and text in {
                "X",
                "Q",
                "K",
                "V",
            }:
                is_free = self.binder.resolve(node) is None and self.binder.resolve(base) is not None
                return replace(base, span=node.span) if is_free else node
            case t.Subscript(base, (t.Name(label),)) if self.is_layer and label.lower() in _WORDS["states"]:
                return self._in_state(node, base)
            case t.Subscript():
                return node
        return mapped(node, self._put)

    def _at_position(self, node: t.Product, head: list[t.Node], text: str) -> t.Node:
        """Read ``PE(1)`` as the row of the token at position 1, whichever that is."""
        word = spelt(t.Product(tuple(head), ("",) * (len(head) - 1))) if len(head) > 1 else spelt(head[0])
        positions = self.binder.problem.positions
        if positions is None or word not in _WORDS["positions"] or not text.isdigit():
            return node
        row = int(text[:9]) - positions.start
        if not 0 <= row < self.binder.graph.shape("P")[self.binder.lines_are_columns]:
            return node
        number = t.Number(str(row + self.binder.base))
        return t.Subscript(t.Name("P"), (number,), span=node.span)

    def _has_row(self, node: t.Node) -> bool:
        """Return whether ``q`` is the query of the current token, whose row is known."""
        is_known = self.is_layer and not self.is_single and self.binder.is_of_one and self.binder.line_found is not None
        return is_known and self.binder.resolve(node) is None and self.binder.formula(node, {}) is None

    def _without_batches(
        self, factors: tuple[t.Node, ...], operators: tuple[str, ...]
    ) -> tuple[tuple[t.Node, ...], tuple[str, ...]]:
        """Read ``S[0, 0, 1, 2]`` as an entry, where the first indices are of a batch of one and of a single head."""
        made, kept = [factors[0]], list[str]()
        for operator, factor in zip(operators, factors[1:], strict=True):
            match made[-1], factor:
                case t.Name() as name, t.Vector((*batch, row, column), "[") if (
                    not operator
                    and 0 < len(batch) <= 2
                    and all(item == t.Number("0") for item in batch)
                    and not self.binder.heads.count
                ):
                    span = None if name.span is None or factor.span is None else (name.span[0], factor.span[1])
                    made[-1] = t.Subscript(name, (row, column), span=span)
                case _:
                    made.append(factor)
                    kept.append(operator)
        return tuple(made), tuple(kept)

    def _in_state(self, node: t.Subscript, base: t.Node) -> t.Node:
        r"""Read ``A_{\text{causal}}`` as the weights of a masked sheet, ``S'_{\text{masked}}`` as its masked scores."""
        named = base.base if isinstance(base, t.Transpose) else base
        target = self.binder.resolve(named) if isinstance(named, t.Name) else None
        if target is None or "S_masked" not in self.binder.graph or self.binder.resolve(node) is not None:
            return node
        if base_of(target.name) in {"S", "S_scaled"}:
            return t.Name("S_masked", span=node.span)
        return replace(named, span=node.span) if named is base else node

    def _is_last_scores(self, node: t.Node) -> bool:
        """Return whether these are the scores of which the softmax is taken."""
        target = self.binder.resolve(node)
        names = [name for name in ("S_masked", "S_biased", "S_scaled", "S") if name in self.binder.graph]
        return target is not None and bool(names) and target.name == names[0]

    def _scored(self, node: t.Product) -> t.Node | None:
        match node:
            case t.Product((t.Name(text), t.Vector((first, second))), ("",)) if self.is_layer and text in _SCORES:
                return self._product(first, second, node.span)
        return None

    def _product(self, first: t.Node, second: t.Node, span: t.Span | None) -> t.Node | None:
        """Return the inner product of two lines that are known."""
        lines = [self.binder.resolve(item) for item in (first, second)]
        is_known = all(line is not None and line.is_vector for line in lines)
        return t.Product((first, second), ("cdot",), span=span) if is_known else None

    def _is_index(self, name: t.Node, factor: t.Node) -> bool:
        """Return whether a factor is the index in brackets of the name that it touches, ``0.67·V[0]``."""
        items = bracketed(factor)
        is_counted = bool(items) and all(isinstance(item, t.Number) and item.text.isdigit() for item in items)
        touches = name.span is not None and factor.span is not None and name.span[1] == factor.span[0]
        return is_counted and touches and isinstance(name, t.Name) and self.binder.resolve(name) is not None

    def _joined(self, factors: tuple[t.Node, ...], operators: tuple[str, ...], span: t.Span | None) -> t.Node:
        """Read ``α11`` as a name with two indices, where its characters are adjacent."""
        made: list[t.Node] = []
        kept: list[str] = []
        for position, factor in enumerate(factors):
            operator = operators[position - 1] if position else ""
            last = made[-1] if made else None
            if (
                isinstance(factor, t.Number)
                and isinstance(last, t.Name)
                and last.text in _GREEK
                and not operator
                and factor.text.isdigit()
                and len(factor.text) <= 2
                and factor.span is not None
                and last.span is not None
                and last.span[1] == factor.span[0]
                and last.span[1] - last.span[0] == 1
            ):
                made[-1] = t.Subscript(last, (factor,), span=(last.span[0], factor.span[1]))
                continue
            if any(operators) and last is not None and not operator and self._is_index(last, factor):
                made[-1] = t.Subscript(last, tuple(bracketed(factor)), span=_around(last, factor))
                continue
            if position:
                kept.append(operator)
            made.append(factor)
        return made[0] if len(made) == 1 else t.Product(tuple(made), tuple(kept), span=span)


def _around(first: t.Node, last: t.Node) -> t.Span | None:
    return None if first.span is None or last.span is None else (first.span[0], last.span[1])


def _is_without_brackets(node: t.Node, first: t.Span | None, last: t.Span | None) -> bool:
    """Return whether a call is two words side by side, ``Softmax weights``."""
    return (
        node.span is not None
        and first is not None
        and last is not None
        and node.span[1] == last[1] == first[1] + 1 + (last[1] - last[0])
    )


def _sum_of(node: t.Node) -> t.Node | None:
    """Return the argument of row sums, as MATLAB and R write them."""
    match node:
        case t.Call(t.Name("sum"), (argument, t.Number("2"))) | t.Call(t.Name("rowSums" | "rowsum"), (argument,)):
            return argument
    return None


def _is_named(written: Written, position: int) -> bool:
    """Return whether a side is a word that is equal to the next one."""
    side = written.sides[position]
    follows = written.operators[position : position + 1] == ("=",)
    return side is not None and isinstance(side.node, t.Name) and len(side.node.text) > 2 and follows


def _part(written: Written, low: int, high: int) -> Written:
    """Return some sides of a chain as a chain of their own."""
    known = [side.span for side in written.sides[low:high] if side is not None]
    return replace(
        written, span=(known[0][0], known[-1][1]), sides=written.sides[low:high],
        operators=written.operators[low : high - 1], operator_spans=written.operator_spans[low : high - 1],
        after_text=written.after_text or bool(low),
    )  # fmt: skip
