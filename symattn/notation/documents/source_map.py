"""Mapping of pieces read from a text with expanded macros back to the original document."""

from __future__ import annotations

from dataclasses import replace

from symattn.notation.markup.macros import Expansion
from symattn.notation.submission import Heading, Piece, Prose, Side, Written
from symattn.notation.tree import nodes as t


def map_to_source(pieces: tuple[Piece, ...], made: Expansion) -> tuple[Piece, ...]:
    """Map the spans of pieces back to the original document; a piece with an endless macro is not read."""
    return tuple(_piece(piece, made) for piece in pieces) if made.is_changed else pieces


def _piece(piece: Piece, made: Expansion) -> Piece:
    span = made.span(*piece.span)
    if isinstance(piece, Heading | Prose):
        return replace(piece, span=span)
    sides = tuple(None if side is None else _side(side, made) for side in piece.sides)
    operators = tuple(made.span(*operator) for operator in piece.operator_spans)
    span = _hull([span, *(side.span for side in sides if side is not None and not side.implied)])
    return Written(span, sides, piece.operators, operators, piece.withdrawn, piece.after_text)


def _side(side: Side, made: Expansion) -> Side:
    span = made.span(*side.span)
    at = made.span(side.at, side.at + 1)[0]
    failed = made.failure(*span)
    if failed is not None:
        return Side(span, None, reason=failed[1], at=max(failed[0], span[0]), implied=side.implied)
    node = None if side.node is None else _node(side.node, made)
    if node is not None and node.span is not None:
        span = _hull([span, node.span])
    return replace(side, span=span, node=node, others=tuple(_node(other, made) for other in side.others), at=at)


def _hull(spans: list[t.Span]) -> t.Span:
    return min(low for low, _ in spans), max(high for _, high in spans)


def _node(node: t.Node, made: Expansion) -> t.Node:
    """Map the spans of a tree back; a part that a macro's body brought stands where the macro is used."""
    found = _moved(node, made)
    spans = [child.span for child in t.children(found) if child.span is not None]
    if found.span is None or not spans:
        return found
    span = _hull([found.span, *spans])
    return found if span == found.span else replace(found, span=span)


def _moved(node: t.Node, made: Expansion) -> t.Node:
    """Map the spans of a tree back; its depth is bounded by the reader."""
    span = None if node.span is None else made.span(*node.span)
    match node:
        case t.Subscript(base, indices):
            return t.Subscript(_node(base, made), _all(indices, made), span=span)
        case t.Transpose(body):
            return t.Transpose(_node(body, made), span=span)
        case t.Negative(body):
            return t.Negative(_node(body, made), span=span)
        case t.Boxed(body):
            return t.Boxed(_node(body, made), span=span)
        case t.Group(body, brackets):
            return t.Group(_node(body, made), brackets, span=span)
        case t.Sum(terms, operators):
            return t.Sum(_all(terms, made), operators, span=span)
        case t.Product(factors, operators):
            return t.Product(_all(factors, made), operators, span=span)
        case t.Division(above, below, bar):
            return t.Division(_node(above, made), _node(below, made), bar, span=span)
        case t.Power(base, exponent):
            return t.Power(_node(base, made), _node(exponent, made), span=span)
        case t.Root(body, degree):
            return t.Root(_node(body, made), None if degree is None else _node(degree, made), span=span)
        case t.Call(function, arguments):
            return t.Call(_name(function, made), _all(arguments, made), span=span)
        case t.SumOver(index, lower, upper, body, excluded):
            first, last = None if lower is None else _node(lower, made), None if upper is None else _node(upper, made)
            return t.SumOver(_name(index, made), first, last, _node(body, made), _all(excluded, made), span=span)
        case t.Vector(items, brackets):
            return t.Vector(_all(items, made), brackets, span=span)
        case t.Matrix(rows, brackets):
            return t.Matrix(tuple(_all(row, made) for row in rows), brackets, span=span)
        case t.Space(dimensions):
            return t.Space(_all(dimensions, made), span=span)
        case t.Relation(sides, operators):
            return t.Relation(tuple(None if s is None else _node(s, made) for s in sides), operators, span=span)
        case t.Name() | t.Number() | t.Dots():
            return replace(node, span=span)


def _all(nodes: tuple[t.Node, ...], made: Expansion) -> tuple[t.Node, ...]:
    return tuple(_node(node, made) for node in nodes)


def _name(name: t.Name, made: Expansion) -> t.Name:
    return t.Name(name.text, name.font, span=None if name.span is None else made.span(*name.span))
