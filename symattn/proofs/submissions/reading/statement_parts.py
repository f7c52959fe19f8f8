"""The pieces of a work as the judge goes through them: sides, links, free letters."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import pairwise

from symattn.notation.submission import Piece, Side, Work, Written
from symattn.notation.tree import nodes as t
from symattn.notation.tree.traversal import rebuilt, walk
from symattn.proofs.language.scope import Scope
from symattn.proofs.submissions.phrases import LAYOUT
from symattn.proofs.submissions.reading.conditions import PlacedPiece
from symattn.proofs.submissions.reading.spelling import Spelling


def nodes_of(pieces: Iterable[Piece]) -> Iterator[t.Node]:
    """Yield all sides that were read."""
    for piece in pieces:
        if isinstance(piece, Written):
            for side in piece.sides:
                if side is not None and side.node is not None:
                    yield side.node


def raw_links(item: PlacedPiece) -> Iterator[tuple[t.Node, str, t.Node]]:
    """Yield pairs of sides; in ``E[q_i] = E[k_i] = 0`` each with the last side too."""
    piece = item.piece
    if not isinstance(piece, Written):
        return
    nodes = [None if side is None else side.node for side in piece.sides]
    for first, operator, second in zip(nodes, piece.operators, nodes[1:], strict=False):
        if first is not None and second is not None:
            yield first, operator, second
    last = nodes[-1]
    if len(nodes) > 2 and last is not None and set(piece.operators) == {"="}:
        for node in nodes[:-2]:
            if node is not None:
                yield node, "=", last


def equivalent_relations(work: Work) -> dict[t.Span, Written | None]:
    """Return the relations that a work calls equivalent to the next one, each with the one before it.

    They stand under their spans; before the first one of a chain is none.
    """
    written = [piece for piece in work.pieces if isinstance(piece, Written)]
    found: dict[t.Span, Written | None] = {}
    for first, second in pairwise(written):
        gap = LAYOUT["phantom"].sub("", work.text[first.span[1] : second.span[0]])
        if LAYOUT["equivalent"].search(gap) and not LAYOUT["word"].search(LAYOUT["equivalent"].sub("", gap)):
            found.setdefault(first.span, None)
            found[second.span] = first
    return found


def map_readings(side: Side | None, change: Callable[[t.Node], t.Node]) -> Side | None:
    """Return a side with each of its readings changed."""
    if side is None or side.node is None:
        return side
    return replace(side, node=change(side.node), others=tuple(map(change, side.others)))


def map_written(work: Work, change: Callable[[Written], Written]) -> Work:
    """Return a work with each of its chains changed."""
    return replace(work, pieces=tuple(change(one) if isinstance(one, Written) else one for one in work.pieces))


def map_sides(work: Work, change: Callable[[t.Node], t.Node]) -> Work:
    """Return a work with each reading of each side changed."""
    return map_written(
        work, lambda piece: replace(piece, sides=tuple(map_readings(side, change) for side in piece.sides))
    )


def normalize_work(work: Work, scope: Scope) -> Work:
    """Return the work with names that people write in a way of their own."""
    found = map_sides(work, Spelling(work, scope).of)
    functions = functions_in(found, scope)
    found = map_sides(found, lambda node: without_arguments(node, functions)) if functions else found
    entries = _entries_of_functions(found, scope)
    return map_sides(found, lambda node: _at_arguments(node, entries)) if entries else found


def _entries_of_functions(work: Work, scope: Scope) -> dict[str, str]:
    """Return the vectors that a work defines as functions of a number, ``a_i(beta) = …``, with their arguments."""
    sized = {one.name for one in scope.items if one.sizes}
    found: dict[str, str] = {}
    for piece in work.pieces:
        side = piece.sides[0] if isinstance(piece, Written) and piece.operators else None
        match None if side is None else side.node:
            case t.Product((head, t.Group(t.Name(argument), "(")), ("",)):
                base = head.base if isinstance(head, t.Subscript) else head
                if isinstance(base, t.Name) and argument not in sized:
                    found.setdefault(base.text, argument)
            case _:
                pass
    return found


def _at_arguments(node: t.Node, functions: Mapping[str, str]) -> t.Node:
    """Return a side with ``a_i`` for ``a_i(beta)``, and its limit at a number for ``a_i(0)``."""
    node = rebuilt(node, lambda child: _at_arguments(child, functions))
    if not isinstance(node, t.Product):
        return node
    factors, operators = [node.factors[0]], list[str]()
    for operator, factor in zip(node.operators, node.factors[1:], strict=True):
        base = factors[-1].base if isinstance(factors[-1], t.Subscript) else factors[-1]
        argument = functions.get(base.text) if isinstance(base, t.Name) and operator == "" else None
        match factor:
            case t.Group(t.Name(text), "(") if text == argument:
                continue
            case t.Group(t.Number() as value, "(") if argument is not None:
                factors[-1] = t.Call(t.Name("lim"), (t.Name(argument), value, factors[-1]))
                continue
        factors.append(factor)
        operators.append(operator)
    return factors[0] if len(factors) == 1 else t.Product(tuple(factors), tuple(operators), span=node.span)


def functions_in(work: Work, scope: Scope) -> frozenset[str]:
    """Return the names that a work defines with an argument in brackets, ``M(t)``, always the same one."""
    arguments = {
        called[0]: called[1]
        for piece in work.pieces
        if isinstance(piece, Written) and (side := piece.sides[0]) is not None
        if side.node is not None and (called := _called(side.node)) is not None
    }
    others = {
        name
        for node in nodes_of(work.pieces)
        for item in walk(node)
        if isinstance(item, t.Product)
        for head, inner in pairwise(item.factors)
        if (name := _head(head)) and (body := _in_brackets(inner)) and body != arguments.get(name)
    }
    matrices = {one.name for one in scope.declared if one.sizes} | {one.name for one in scope.defined if one.sizes}
    return frozenset(arguments) - others - matrices


def _called(node: t.Node) -> tuple[str, t.Node] | None:
    match node:
        case t.Product((t.Name(head), t.Group(t.Name() as argument, "(")), ("",)):
            return head, argument
    return None


def _head(node: t.Node) -> str:
    """Return the name that brackets may belong to: ``M`` of ``M(t)`` and of ``log M(t)``."""
    match node:
        case t.Name(text) | t.Call(_, (t.Name(text),)):
            return text
    return ""


def _in_brackets(node: t.Node) -> t.Node | None:
    """Return the content of brackets, perhaps with a power behind them."""
    found = node.base if isinstance(node, t.Power) else node
    return found.body if isinstance(found, t.Group) else None


def without_arguments(node: t.Node, functions: frozenset[str]) -> t.Node:
    """Return a side with ``M`` for ``M(t)``, for the names that always have one argument."""
    node = rebuilt(node, lambda child: without_arguments(child, functions))
    if not isinstance(node, t.Product):
        return node
    factors, operators = [node.factors[0]], list[str]()
    for operator, factor in zip(node.operators, node.factors[1:], strict=True):
        head = factors[-1]
        if _head(head) in functions and _in_brackets(factor) and operator == "":
            factors[-1] = replace(factor, base=head) if isinstance(factor, t.Power) else head
            continue
        factors.append(factor)
        operators.append(operator)
    return factors[0] if len(factors) == 1 else t.Product(tuple(factors), tuple(operators), span=node.span)


def free_letters(node: t.Node, bound: frozenset[str] = frozenset()) -> frozenset[str]:
    """Return the names that no sum around them binds."""
    if isinstance(node, t.Name):
        return frozenset({node.text}) - bound
    if isinstance(node, t.SumOver):
        ends = [end for end in (node.lower, node.upper, *node.excluded) if end is not None]
        outside = [free_letters(end, bound) for end in ends]
        return frozenset().union(*outside, free_letters(node.body, bound | {node.index.text}))
    return frozenset().union(*(free_letters(child, bound) for child in t.children(node)))


def arrow_target(text: str) -> tuple[tuple[str, t.Node], ...]:
    r"""Return the limit of the variable over an arrow: ``\\xrightarrow{\\beta \\to \\infty}``."""
    match = LAYOUT["arrow"].search(text)
    if match is None:
        return ()
    end = match[2].lstrip("-")
    target: t.Node = t.Name("oo") if end == r"\infty" else t.Number(end)
    return ((match[1], t.Negative(target) if match[2].startswith("-") else target),)


def indices_in(node: t.Node) -> Iterator[str]:
    """Yield the letters and numbers that stand as indices."""
    for item in walk(node):
        if isinstance(item, t.Subscript):
            parts = [part for index in item.indices for part in walk(index)]
            yield from (part.text for part in parts if isinstance(part, t.Name | t.Number))


def with_index(node: t.Node, one: str, other: str) -> t.Node:
    """Return a side with another letter or number in the place of one, where it stands as an index."""
    match node:
        case t.Subscript(base, indices):
            return t.Subscript(base, tuple(_at_index(index, one, other) for index in indices))
        case _:
            return rebuilt(node, lambda child: with_index(child, one, other))


def _at_index(index: t.Node, one: str, other: str) -> t.Node:
    if isinstance(index, t.Name | t.Number):
        return replace(index, text=other) if index.text == one else index
    return rebuilt(index, lambda child: _at_index(child, one, other))
