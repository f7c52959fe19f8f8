"""From the texts of a ``[definitions]`` table to formulas, one after the other.

Nothing is executed: a text is read into a tree, and the tree is translated node by node.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from symattn.errors import InputError, NotationError
from symattn.exact.polynomial import Polynomial
from symattn.exact.quotient import Quotient
from symattn.notation import tree as t
from symattn.notation.plain_reader import read_plain
from symattn.notation.plain_writer import write_plain
from symattn.problem import formulas as f
from symattn.problem.checks import check_text, describe, matches, place_of
from symattn.problem.conventions import Shape
from symattn.problem.fields import MAX_DEFINITIONS, MAX_FORMULA, MAX_MATRIX_NAME, QUANTITY
from symattn.problem.nearest import quoted, unknown
from symattn.problem.polynomials import Symbols, polynomial

_SUMS: dict[str, f.Axis] = {"rowsum": "rows", "colsum": "columns"}
_FUNCTIONS = t.FUNCTIONS | set(_SUMS)
_NUMBER_ONLY = frozenset({"sqrt"})
_KNOWN = ("exp", "softmax", *_SUMS)


def check_name(name: object, symbols: Symbols, place: str) -> str:
    """The name of a matrix that formulas can use.

    Raises:
        InputError: Other characters, too many of them, or a name that reads as something else.

    >>> check_name("W_Q1", {}, "inputs")
    'W_Q1'
    """
    if not isinstance(name, str) or len(name) > MAX_MATRIX_NAME or not matches(QUANTITY, name):
        shown = quoted(name) if isinstance(name, str) else describe(name)
        raise InputError(
            f"{place}: {shown} is not a name; write at most {MAX_MATRIX_NAME} letters, digits and single underscores, "
            "a letter first, as in W_Q1."
        )
    if name in symbols:
        raise InputError(f"{place}: {name} is already a symbol; give the matrix another name.")
    if not _reads_as_name(name):
        raise InputError(f"{place}: {name} means something else in a formula; choose another name.")
    return name


def _reads_as_name(name: str) -> bool:
    try:
        node = read_plain(f"{name} ({name})", _FUNCTIONS)
    except NotationError:
        return False
    match node:
        case t.Product((t.Name() | t.Subscript() as first, t.Group())):
            return first.span == (0, len(name))
        case _:
            return False


def read_definitions(table: Any, shapes: Mapping[str, Shape], symbols: Symbols, source: str) -> dict[str, f.Formula]:
    """The formulas of a table, in its order, each over the inputs and what was defined before it.

    Args:
        table: names to formulas in plain notation.
        shapes: the shapes of the inputs.
        symbols: the declared symbols, which may stand in factors.
        source: what messages call the file.

    Raises:
        InputError: A name or a formula that cannot be used, with its place.
        ShapeError: Matrices that do not fit, with both names and both shapes.

    >>> found = read_definitions({"S": "X X^T", "A": "softmax(S / sqrt(2))"}, {"X": (3, 2)}, {}, "x.toml")
    >>> str(found["A"])
    'softmax((1/2*sqrt(2)) S)'
    """
    place = place_of(source, "definitions")
    if not isinstance(table, Mapping):
        raise InputError(f"{place} is a table of names and formulas, not {describe(table)}.")
    if not table:
        raise InputError(f'{place} is empty; write at least one, as in S = "Q K^T".')
    if len(table) > MAX_DEFINITIONS:
        raise InputError(f"{place} has more than {MAX_DEFINITIONS} definitions.")
    known, found = dict(shapes), dict[str, f.Formula]()
    for name, text in table.items():
        check_name(name, symbols, place)
        at = place_of(source, f"definitions.{name}")
        if name in known:
            raise InputError(f"{at}: {name} is already an input; give the definition another name.")
        found[name] = read_formula(text, known, symbols, at, later=frozenset(map(str, table)))
        known[name] = f.shape_of(found[name], known)
    return found


def read_formula(
    text: object,
    shapes: Mapping[str, Shape],
    symbols: Symbols,
    place: str,
    *,
    later: frozenset[str] = frozenset(),
) -> f.Formula:
    """One formula in plain notation over matrices of known shapes.

    Args:
        text: the formula.
        shapes: the matrices that it may use.
        symbols: the symbols that its factors may use.
        place: what messages call it.
        later: names that are defined, but not before it.

    Raises:
        InputError: What cannot be read, is not known, or is no formula over matrices.
        ShapeError: Matrices that do not fit.

    >>> str(read_formula("softmax(Q K^T, columns)", {"Q": (2, 3), "K": (4, 3)}, {}, "A"))
    'softmax(Q K^T, columns)'
    """
    written = check_text(text, place, MAX_FORMULA, lines=False)
    try:
        return _Translator(written, shapes, symbols, later).whole(read_plain(written, _FUNCTIONS))
    except NotationError as error:
        raise InputError(f"{place}: {quoted(written)} cannot be read: {error}") from error
    except InputError as error:
        raise type(error)(f"{place}: {error}") from error


class _Translator:
    def __init__(self, text: str, shapes: Mapping[str, Shape], symbols: Symbols, later: frozenset[str]) -> None:
        self.text = text
        self.shapes = shapes
        self.symbols = symbols
        self.later = later

    def whole(self, node: t.Node) -> f.Formula:
        if self.is_number(node):
            raise InputError(f"{quoted(self.text)} names no matrix; a definition is made of matrices.")
        formula = self.formula(node)
        f.shape_of(formula, self.shapes)
        return formula

    def formula(self, node: t.Node) -> f.Formula:
        match node:
            case t.Name() | t.Subscript():
                return self.named(node)
            case t.Group(body):
                return self.formula(body)
            case t.Transpose(base):
                return f.Transposed(self.formula(base))
            case t.Negative(body):
                return f.Scaled(Quotient.of(-1), self.formula(body))
            case t.Product(factors, operators):
                return self.product(factors, operators)
            case t.Division(numerator, denominator):
                return self.division(node, numerator, denominator)
            case t.Call(function, arguments):
                return self.call(function.text, arguments)
            case _:
                raise InputError(
                    f"{self.shown(node)} cannot stand in a definition; write products, quotients, transposes, "
                    f"{', '.join(_KNOWN[:-1])} or {_KNOWN[-1]} of matrices."
                )

    def named(self, node: t.Name | t.Subscript) -> f.Formula:
        name = self.name(node)
        if name in self.shapes:
            return f.Ref(name)
        if name in self.later:
            raise InputError(f"{name} is not defined before it is used; define it first.")
        raise InputError(unknown("name", name, self.shapes))

    def product(self, factors: tuple[t.Node, ...], operators: tuple[str, ...]) -> f.Formula:
        numbers: list[t.Node] = []
        matrix: f.Formula | None = None
        for position, written in enumerate(factors):
            factor = self.without_divisor(written, numbers, first=matrix is None)
            if self.is_number(factor):
                numbers.append(factor)
            elif matrix is None:
                matrix = self.formula(factor)
            elif operators[position - 1]:
                # In numpy and MATLAB a star or a dot between matrices means another product.
                raise InputError(
                    f"{self.shown(factor)} stands behind a sign of multiplication; "
                    "put matrices side by side for their product, as in Q K^T."
                )
            else:
                matrix = f.Times(matrix, self.formula(factor))
        if matrix is None:
            raise InputError(f"{quoted(self.text)} multiplies numbers where a matrix should stand.")
        if not numbers:
            return matrix
        number = numbers[0] if len(numbers) == 1 else t.Product(tuple(numbers), ("cdot",) * (len(numbers) - 1))
        return f.Scaled(Quotient.of(self.number(number)), matrix)

    def without_divisor(self, factor: t.Node, numbers: list[t.Node], *, first: bool) -> t.Node:
        """A factor with its number below put among `numbers`: in ``Q K^T / 2`` the reader hangs the 2 on K^T."""
        if not isinstance(factor, t.Division) or self.is_number(factor):
            return factor
        if self.is_number(factor.denominator):
            numbers.append(t.Division(t.Number("1"), factor.denominator))
            return factor.numerator
        if not first and not self.is_bracketed(factor):
            raise InputError(
                f"{self.shown(factor)} stands behind another factor, as in A V / Z: write A (V / Z) or (A V) / Z."
            )
        return factor

    def is_bracketed(self, node: t.Node) -> bool:
        start = node.span[0] if node.span else 0
        return self.text[:start].rstrip().endswith("(")

    def division(self, node: t.Node, numerator: t.Node, denominator: t.Node) -> f.Formula:
        if self.is_number(numerator):
            raise InputError(f"{self.shown(node)} divides a number by a matrix; write matrix / number or E / Z.")
        top = self.formula(numerator)
        if self.is_number(denominator):
            return f.Scaled(Quotient.of(self.number(t.Division(t.Number("1"), denominator))), top)
        bottom = self.formula(denominator)
        axis = f.ratio_axis(f.shape_of(top, self.shapes), f.shape_of(bottom, self.shapes))
        return f.Ratio(top, bottom, axis)

    def call(self, name: str, arguments: tuple[t.Node, ...]) -> f.Formula:
        if name in {"softmax", "softargmax"} and len(arguments) in {1, 2}:
            axis = self.axis(arguments[1]) if len(arguments) == 2 else "rows"
            return f.Softmax(self.formula(arguments[0]), axis)
        if len(arguments) == 1 and name == "exp":
            return f.Exponential(self.formula(arguments[0]))
        if len(arguments) == 1 and name in _SUMS:
            return f.LineSum(self.formula(arguments[0]), _SUMS[name])
        if name in {"exp", *_SUMS}:
            raise InputError(f"{name} takes one matrix, not {len(arguments)} arguments.")
        if name in {"softmax", "softargmax"}:
            raise InputError("softmax takes a matrix and, if need be, one of rows, columns, all.")
        raise InputError(f"{name} cannot be taken of a matrix; of functions there are {', '.join(_KNOWN)}.")

    def axis(self, node: t.Node) -> f.Axis:
        for axis in f.AXES:
            if node == t.Name(axis):
                return axis
        raise InputError(f"{self.shown(node)} is no axis of a softmax; write rows, columns or all.")

    def is_number(self, node: t.Node) -> bool:
        """Whether a part names neither a matrix nor a function of matrices, nor anything unknown."""
        match node:
            case t.Name() | t.Subscript():
                return self.name(node) in self.symbols
            case t.Call(function, arguments):
                return function.text in _NUMBER_ONLY and all(map(self.is_number, arguments))
            case t.Transpose():
                return False
            case _:
                return all(map(self.is_number, t.children(node)))

    def number(self, node: t.Node) -> Polynomial:
        try:
            return polynomial(node, self.symbols)
        except InputError as error:
            raise InputError(f"the factor {self.shown(node)}: {error}") from error

    def name(self, node: t.Name | t.Subscript) -> str:
        """A name as it was typed, underscores and all."""
        start, end = node.span or (0, 0)
        return self.text[start:end]

    def shown(self, node: t.Node) -> str:
        return quoted(self.text[slice(*node.span)] if node.span else write_plain(node))
