"""Width of written mathematics on paper, estimated from the tree, so that lines are broken before TeX sees them.

Widths are in points of 11-point Computer Modern and err on the wide side by a few percent. They are added by `fsum`, in
any order to the same float: `sum` gives another one on Python 3.12 and later, and keys choose the widest of equal rows.
"""

from __future__ import annotations

from math import fsum

from symattn.notation.tree import nodes as t
from symattn.notation.tree.symbols import GREEK

LINE = 478.0
"""The width of a line of a key, a little less than the 483 pt of the page."""

LEAST_SCALE = 0.74
"""The least scale of a formula: its 11-point type keeps 8 points."""

RELATION = 14.8
"""The width of a relation, or of an operator between terms, with its spaces."""

_DIGIT, _POINT, _LETTER, _WORD_LETTER, _BOLD = 5.6, 3.1, 6.6, 5.9, 10.9
_PLUS, _CDOT, _TIMES, _MINUS = 13.6, 8.2, 13.6, 8.7
_BRACKET, _MATRIX_BRACKET, _COLUMN_GAP, _COMMA, _DOTS = 4.5, 7.6, 11.2, 5.0, 13.2
_SCRIPT, _FRACTION_RULE, _ROOT, _INFINITY = 0.76, 2.9, 9.4, 11.2
_LEAST_CELL, _CELL_MARGINS = 30.0, 5.0
_TALL_BRACKET = 8.1
"""Brackets grow with a displayed fraction between them; fractions of two numerals are set small."""


def width(node: t.Node) -> float:
    """Return the width of a tree in points.

    >>> width(t.Number("10")) < width(t.Number("100")) < LINE
    True
    """
    return _width(node, 1.0)


def shaded_cell(matrix: t.Matrix) -> float:
    """Return the width of each cell of a heat map that holds the numbers of a matrix."""
    return max(_LEAST_CELL, max(width(cell) for row in matrix.rows for cell in row) + _CELL_MARGINS)


def _is_tall(node: t.Node) -> bool:
    if isinstance(node, t.Division) and node.bar:
        return not (isinstance(node.numerator, t.Number) and isinstance(node.denominator, t.Number))
    return any(_is_tall(child) for child in t.children(node))


def _width(node: t.Node, size: float) -> float:
    match node:
        case t.Number(text):
            return _number(text) * size
        case t.Name(text, font=font):
            return _name(text, font) * size
        case t.Subscript(base, indices):
            return _width(base, size) + _script(fsum(_width(i, 1.0) for i in indices) + 2.5 * (len(indices) - 1), size)
        case t.Transpose(base):
            return _width(base, size) + _script(9.0, size)
        case t.Power(base, exponent):
            return _width(base, size) + _script(_width(exponent, 1.0), size)
        case t.Negative(body):
            return _MINUS * size + _width(body, size)
        case t.Sum(terms):
            return fsum(_width(item, size) for item in terms) + _tight(_PLUS, size) * (len(terms) - 1)
        case t.Product(factors, operators):
            return fsum(_width(item, size) for item in factors) + fsum(_between(item, size) for item in operators)
        case t.Division(numerator, denominator):
            return _division(node, numerator, denominator, size)
        case t.Root(body):
            return _ROOT * size + _width(body, size)
        case t.Group(body):
            return 2 * (_TALL_BRACKET if _is_tall(body) else _BRACKET) * size + _width(body, size)
        case t.Boxed(body):
            return 8.0 + _width(body, size)
        case t.Call(function, arguments):
            inner = fsum(_width(item, size) for item in arguments) + _COMMA * size * (len(arguments) - 1)
            bracket = _TALL_BRACKET if any(map(_is_tall, arguments)) else _BRACKET
            return _width(function, size) + 2 * bracket * size + inner
        case t.SumOver(body=body):
            return 22.0 + _width(body, size)
        case t.Vector(items):
            return 2 * _BRACKET + fsum(_width(item, size) for item in items) + _COMMA * (len(items) - 1)
        case t.Matrix(rows):
            return matrix_width([[_width(entry, 1.0) for entry in row] for row in rows])
        case t.Dots():
            return _DOTS * size
        case t.Space(dimensions):
            return 9.0 + _script(fsum(_width(item, 1.0) for item in dimensions) + 12.0, size)
        case t.Relation(sides):
            return fsum(_width(side, size) for side in sides if side is not None) + RELATION * (len(sides) - 1)


def matrix_width(widths: list[list[float]]) -> float:
    """Return the width of a matrix with entries of the given widths."""
    columns: list[float] = [max(column) for column in zip(*widths, strict=True)]
    return fsum(columns) + _COLUMN_GAP * (len(columns) - 1) + 2 * _MATRIX_BRACKET


def _script(inner: float, size: float) -> float:
    return inner * _SCRIPT * size + 0.6


def _tight(operator: float, size: float) -> float:
    """Return the width of an operator, which in scripts stands without spaces."""
    return operator * size if size == 1.0 else _MINUS * size


def _number(text: str) -> float:
    mantissa, _, exponent = text.partition("e")
    points = mantissa.count(".")
    plain = (len(mantissa) - points) * _DIGIT + points * _POINT
    if not exponent:
        return plain
    return plain + _TIMES + 2 * _DIGIT + _SCRIPT * (len(exponent) * _DIGIT + 3.5)


def _name(text: str, font: str) -> float:
    if text == "infty":
        return _INFINITY
    if len(text) == 1 or text in GREEK:
        return _BOLD if font == "bold" else _LETTER + 1.6 * text[0].isupper()
    if text[0] == "d" and text[1:].isupper():
        return (2.0 * font.startswith("bold") + _WORD_LETTER) * len(text) + 3.0  # a gradient, dR
    return _WORD_LETTER * (len(text) + 0.7 * text.count("m"))


def _between(operator: str, size: float) -> float:
    return {"cdot": _tight(_CDOT, size), "times": _tight(_TIMES, size)}.get(operator, 1.9 * size)


def _division(node: t.Division, numerator: t.Node, denominator: t.Node, size: float) -> float:
    if not node.bar:
        return _width(numerator, size) + _width(denominator, size) + _DIGIT * size
    small = is_small_fraction(node) or size < 1.0
    inner = _SCRIPT * size if small else size
    return max(_width(numerator, inner), _width(denominator, inner)) + _FRACTION_RULE


def is_small_fraction(node: t.Division) -> bool:
    r"""Return whether a fraction is of two integers, which a key sets small, as ``\tfrac``.

    >>> is_small_fraction(t.Division(t.Number("1"), t.Number("2")))
    True
    """
    return all(isinstance(part, t.Number) and "." not in part.text for part in (node.numerator, node.denominator))
