r"""Matrices with ellipses, of which only the entries shown are judged, each at its position.

Rows before ``\vdots`` are counted from the top and those behind it from the bottom, columns likewise, so that
a matrix of five rows, dots and one row shows rows 1 to 5 and the last one. In a product the dots of the inner
dimension stay, and each entry is a sum with dots: its first terms and its last ones are compared.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from symattn.checking.graph.targets import Target
from symattn.errors import UndecidedError
from symattn.notation.lexicon.vocabulary import names
from symattn.notation.tree import nodes as t
from symattn.notation.tree.traversal import rebuilt, walk

Lines: TypeAlias = tuple[int, ...] | None
"""The lines of the target that are written; None where what is written is the same for every line."""

_Stripped: TypeAlias = tuple[t.Node, Lines, Lines]

_ENTRYWISE = {"exp", "tanh", *(word for words in names()["activations"].values() for word in words)}


def shown(node: t.Node, target: Target) -> tuple[t.Node, Target] | None:
    """Return the side without the dots of its outer lines, and the entries that it shows.

    None where nothing is left out, or where the lines that are written do not fit the target.

    Raises:
        UndecidedError: what the dots leave out is needed.
    """
    if not has_dots(node):
        return None
    for laid in (target, target.transposed) if target.is_vector else (target,):
        found = _stripped(node, *laid.shape)
        if found is not None and found[1] is not None and found[2] is not None:
            written, rows, columns = found[0], found[1], found[2]
            cells = tuple(tuple(laid.cells[i][j] for j in columns) for i in rows)
            return written, Target(target.name, cells, target.guess)
    return None


def has_dots(node: t.Node) -> bool:
    """Return whether a matrix or a list of the side leaves lines out."""
    return any(isinstance(entry, t.Dots) for item in walk(node) for row in _rows(item) for entry in row)


def _rows(node: t.Node) -> tuple[tuple[t.Node, ...], ...]:
    match node:
        case t.Matrix(rows):
            return rows
        case t.Vector(items):
            return (items,)
    return ()


def _stripped(node: t.Node, height: int | None, width: int | None) -> _Stripped | None:
    """Return a node of the given shape without its outer dots; a dimension of None keeps its dots."""
    match node:
        case t.Matrix() | t.Vector():
            return _stripped_matrix(node, height, width)
        case _ if not _has_matrix(node):
            return node, None, None
        case t.Transpose(base):
            found = _stripped(base, width, height)
            return None if found is None else (t.Transpose(found[0], span=node.span), found[2], found[1])
        case t.Sum(terms, operators):
            return _together([_stripped(term, height, width) for term in terms], node, operators)
        case t.Product(factors, operators):
            return _product(node, factors, operators, (height, width))
    if isinstance(node, t.Call) and node.function.text not in _ENTRYWISE:
        raise UndecidedError(f"{node.function.text} of a matrix with dots needs what is left out.")
    parts = [_stripped(child, height, width) for child in t.children(node)]
    return _around(node, parts)


def _around(node: t.Node, parts: Sequence[_Stripped | None]) -> _Stripped | None:
    """Return a node of which one child holds matrices: brackets, a sign, a quotient by a number."""
    found = [part for part in parts if part is not None]
    if len(found) != len(parts):
        return None
    changed = iter([part[0] for part in found])
    lines = [(rows, columns) for _, rows, columns in found if rows is not None or columns is not None]
    if len(lines) > 1:
        return None
    rows, columns = lines[0] if lines else (None, None)
    return rebuilt(node, lambda _: next(changed)), rows, columns


def _stripped_matrix(matrix: t.Matrix | t.Vector, height: int | None, width: int | None) -> _Stripped | None:
    written = _rows(matrix)
    rows = _kept([all(isinstance(entry, t.Dots) for entry in row) for row in written], height)
    lines = zip(*written, strict=True)
    columns = _kept([all(isinstance(entry, t.Dots) for entry in line) for line in lines], width)
    if rows is None or columns is None:
        return None
    entries = tuple(tuple(written[i][j] for j, _ in columns) for i, _ in rows)
    return t.Matrix(entries, matrix.brackets, span=matrix.span), _of_target(rows, height), _of_target(columns, width)


def _of_target(kept: list[tuple[int, int]], size: int | None) -> Lines:
    """Return the lines of the target; a single one for all of several is spread over them."""
    is_spread = len(kept) == 1 and size is not None and size > 1
    return None if size is None or is_spread else tuple(line for _, line in kept)


def _kept(dots: Sequence[bool], size: int | None) -> list[tuple[int, int]] | None:
    """Return positions that are written with the lines that they are; None where nothing could be left out."""
    count = len(dots)
    if True not in dots or size is None:
        fits = size is None or count in {size, 1}
        return [(n, n) for n in range(count)] if fits else None
    gap = dots.index(True)
    if dots.count(True) > 1 or count - 1 >= size:
        return None
    return [(n, n) for n in range(gap)] + [(n, size - (count - n)) for n in range(gap + 1, count)]


def _together(parts: Iterable[_Stripped | None], node: t.Sum, operators: tuple[str, ...]) -> _Stripped | None:
    """Return a sum, all of whose terms show the same lines."""
    found = [part for part in parts if part is not None]
    if len(found) != len(node.terms):
        return None
    rows = {lines for _, lines, _ in found if lines is not None}
    columns = {lines for _, _, lines in found if lines is not None}
    if len(rows) > 1 or len(columns) > 1:
        return None
    terms = tuple(term for term, _, _ in found)
    return t.Sum(terms, operators, span=node.span), next(iter(rows), None), next(iter(columns), None)


def _product(
    node: t.Product, factors: tuple[t.Node, ...], operators: tuple[str, ...], shape: tuple[int | None, int | None]
) -> _Stripped | None:
    """Return a product: the first matrix has its rows, the last one its columns, and numbers stay."""
    places = [k for k, factor in enumerate(factors) if _has_matrix(factor)]
    changed: list[t.Node] = list(factors)
    rows: Lines = None
    columns: Lines = None
    for place in places:
        height = shape[0] if place == places[0] else None
        width = shape[1] if place == places[-1] else None
        found = _stripped(factors[place], height, width)
        if found is None:
            return None
        changed[place] = found[0]
        rows = found[1] if place == places[0] else rows
        columns = found[2] if place == places[-1] else columns
    return t.Product(tuple(changed), operators, span=node.span), rows, columns


def _has_matrix(node: t.Node) -> bool:
    return any(isinstance(item, t.Matrix | t.Vector) for item in walk(node))
