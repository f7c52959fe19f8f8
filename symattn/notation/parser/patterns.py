"""TRUSTED. Patterns of trees that decide between the readings of people's work."""

from __future__ import annotations

from typing import TypeGuard

from symattn.errors import NotationError
from symattn.notation.parser.operands import Item
from symattn.notation.tree import nodes as t

_LABELS = frozenset({"Q", "K", "V", "O"})
_TRANSPOSES = frozenset({"T", "t", "tr", "top", "⊤"})

_QUANTITIES = frozenset({
    "score", "scores", "weight", "weights", "logit", "logits", "energy", "energies", "similarity", "attn", "wei",
    "query", "queries", "key", "keys", "value", "values", "output", "outputs", "context", "out",
})  # fmt: skip
_MATRICES = frozenset({"S", "s", "A", "P", "Q", "K", "V", "O"})


def is_indexed_name(node: t.Node, row: str, column: str) -> bool:
    """Return True if two numbers in brackets behind a name are indices: ``score(1, 3)``, ``A(1, 3)``.

    A letter may also stand before a list, so it wants numbers that count from 1.

    >>> is_indexed_name(t.Name("score"), "0", "1"), is_indexed_name(t.Name("A"), "0", "1")
    (True, False)
    """
    if not (row.isdigit() and column.isdigit() and len(row) <= 2 and len(column) <= 2):
        return False
    if isinstance(node, t.Name) and node.text in _MATRICES:
        return row[0] != "0" and column[0] != "0"
    last = node.indices[-1] if isinstance(node, t.Subscript) else node  # attn_weights
    return isinstance(last, t.Name) and last.text.split()[-1].lower() in _QUANTITIES


def refuse_nested(matrix: t.Matrix) -> None:
    """Refuse a matrix with matrices in it.

    Raises:
        NotationError: at the first one.
    """
    for row in matrix.rows:
        for entry in row:
            if isinstance(entry, t.Matrix) or (isinstance(entry, t.Vector) and entry.brackets == "["):
                raise NotationError(
                    "A matrix stands inside a matrix, as in a batch: write one matrix at a time.",
                    (entry.span or (0, 0))[0],
                )


def is_mixed(left: t.Node, right: t.Node) -> bool:
    """Return True for a whole number beside a proper fraction of numbers."""
    if not isinstance(left, t.Number) or not left.text.isdigit() or not isinstance(right, t.Division):
        return False
    above, below = right.numerator, right.denominator
    if not isinstance(above, t.Number) or not isinstance(below, t.Number):
        return False
    if not above.text.isdigit() or not below.text.isdigit() or max(len(above.text), len(below.text)) > 9:
        return False
    return 0 < int(above.text) < int(below.text) and left.text.strip("0") != ""


def shared_entry(left: Item, right: Item) -> t.Subscript | None:
    """Return the entry of a product that two capitals with one number below them mean, or None."""
    node, is_transposed = right.node, False
    if isinstance(node, t.Transpose):
        node, is_transposed = node.base, True
    if not is_capital(left.node) or not isinstance(node, t.Subscript) or not is_capital(node.base):
        return None
    if node.base.text == "W" or not all(isinstance(index, t.Number) for index in node.indices):
        return None
    digits = "".join(index.text for index in node.indices if isinstance(index, t.Number))
    if len(digits) < 2:
        return None
    second: t.Node = node.base
    if is_transposed:
        second = t.Transpose(second, span=right.node.span)
    span = (left.start, right.end)
    return t.Subscript(t.Group(t.Product((left.node, second), ("",), span=span), span=span), node.indices, span=span)


def is_capital(node: t.Node) -> TypeGuard[t.Name]:
    """Return True if a node is a name of one capital letter.

    >>> is_capital(t.Name("Q")), is_capital(t.Name("q"))
    (True, False)
    """
    return isinstance(node, t.Name) and len(node.text) == 1 and node.text.isupper()


def is_matrix_like(node: t.Node) -> bool:
    """Return True if a node holds a matrix, a list or a capital letter outside of calls."""
    waiting = [node]
    while waiting:
        here = waiting.pop()
        if isinstance(here, t.Matrix | t.Vector | t.Transpose) or is_capital(here):
            return True
        if isinstance(here, t.Group | t.Product | t.Sum | t.Division | t.Negative | t.Boxed):
            waiting.extend(t.children(here))
    return False


def is_plain_number(node: t.Node) -> bool:
    """Return True if a node is a numeral, with a minus sign or without.

    >>> is_plain_number(t.Negative(t.Number("3")))
    True
    """
    return isinstance(node, t.Number) or (isinstance(node, t.Negative) and isinstance(node.body, t.Number))


def is_bracketed_matrix(node: t.Node) -> bool:
    """Return True if a node is a matrix that has its brackets.

    >>> is_bracketed_matrix(t.Matrix(((t.Number("1"),),), ""))
    False
    """
    return isinstance(node, t.Matrix) and node.brackets != ""


def add_accent(node: t.Node, accent: str) -> t.Node:
    """Make the accent part of the name that carries it; on anything else it says nothing."""
    if isinstance(node, t.Name):
        return t.Name(f"{accent} {node.text}", node.font, span=node.span)
    if isinstance(node, t.Subscript):
        return t.Subscript(add_accent(node.base, accent), node.indices, span=node.span)
    return node


def head_of(node: t.Node) -> t.Name | None:
    """Return the name that carries the indices, or None.

    >>> head_of(t.Subscript(t.Name("W"), (t.Name("Q"),)))
    Name(text='W', font='')
    """
    while isinstance(node, t.Subscript):
        node = node.base
    return node if isinstance(node, t.Name) else None


def is_reals(node: t.Node) -> bool:
    """Return True if a node is the set of real numbers, on which an exponent is a shape.

    >>> is_reals(t.Name("R", "blackboard")), is_reals(t.Name("R"))
    (True, False)
    """
    return isinstance(node, t.Name) and (node.text, node.font) == ("R", "blackboard")


def is_transpose(mark: str, base: t.Node) -> bool:
    """Return True if this letter in the place of an exponent means the transpose of the base.

    >>> is_transpose("t", t.Name("K")), is_transpose("t", t.Name("e"))
    (True, False)
    """
    if mark == "T" or mark not in _TRANSPOSES or isinstance(base, t.Number):
        return mark == "T"
    head = head_of(base)
    return head is None or (head.text != "e" and not is_reals(head))


def superscript_labels(head: t.Name, found: t.Node, *, is_bracketed: bool, plain: bool) -> list[t.Node]:
    """Return the labels in the place of an exponent; an empty list for an exponent."""
    parts: list[t.Node] = list(found.items) if isinstance(found, t.Vector) else [found]
    if is_bracketed and isinstance(found, t.Group) and found.brackets == "(":
        return [found.body]
    if is_bracketed and isinstance(found, t.Vector):
        return parts
    if is_bracketed and plain and isinstance(found, t.Group):
        return [found.body]
    named = [part for part in parts if isinstance(part, t.Name)]
    if isinstance(found, t.Name) and (found.text in _LABELS or found.text in {"dagger", "star"}):
        return [found]
    if head.text[:1] == "W" and (named or found == t.Number("1")):
        return parts
    is_word = isinstance(found, t.Name) and len(found.text) > 1 and found.font in {"text", "roman"}
    return [found] if is_word else []
