"""From the texts of a ``[definitions]`` table to formulas, one after the other.

Nothing is executed: a text is read into a tree, and the tree is translated node by node.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import reduce
from itertools import pairwise
from typing import Any

from symattn.errors import InputError, NotationError
from symattn.exact.field.polynomial import Polynomial
from symattn.exact.field.quotient import Quotient
from symattn.exact.linear.matrix import Matrix
from symattn.notation.parser.plain import read_plain
from symattn.notation.tree import nodes as t
from symattn.notation.writers.plain import write_plain
from symattn.operations.formulas.formula import Apply, Constant, Formula, Ref, Transposed
from symattn.operations.formulas.formula import parts as parts_of
from symattn.problem.components import formulas as f
from symattn.problem.schema.field import QUANTITY
from symattn.problem.schema.fields import DEFINED_FIELDS, MAX_DEFINITIONS, MAX_FORMULA, MAX_MATRIX_NAME
from symattn.problem.settings.conventions import Shape
from symattn.problem.text.spelling import nearest, quoted, unknown
from symattn.problem.values.checks import check_text, describe, matches, misplaced, place_of
from symattn.problem.values.polynomials import Symbols, polynomial

_TOP_KEYS = frozenset(field.name for field in DEFINED_FIELDS)
_SUMS: dict[str, f.Lines] = {"rowsum": "rows", "colsum": "columns"}
_HIDES = {"mask": False, "hide": True}
_PLAIN_FUNCTIONS = t.FUNCTIONS | set(_SUMS)
_MAY_BE_NAMES = frozenset({*_HIDES, "softmax1"})
"""Functions whose names a matrix may have: one argument behind it is then a factor."""

_FUNCTIONS = _PLAIN_FUNCTIONS | _MAY_BE_NAMES
_NUMBER_ONLY = frozenset({"sqrt"})
_SOFTMAXES = frozenset({"softmax", "softargmax", "softmax1"})
_KNOWN = ("exp", "softmax", "softmax1", "mask", "hide", *_SUMS)

_MAX_TERMS = 60
"""Terms of a sum, or factors entry by entry: each is one level deeper than the one before it."""

_BRACKET = re.compile(r"\[([^\[\]]{0,40})\]")
_RANGE = re.compile(r"([0-9]{0,6})\s*(:?)\s*([0-9]{0,6})")
_EACH = re.compile(r"\.\*|\u2299|\\odot|∘|\\circ")
"""What stands between matrices that are multiplied entry by entry."""


def check_name(name: object, symbols: Symbols, place: str) -> str:
    """Return the name of a matrix that formulas can use.

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
        node = read_plain(f"{name} ({name})", _PLAIN_FUNCTIONS)
    except NotationError:
        return False
    match node:
        case t.Product((t.Name() | t.Subscript() as first, t.Group())):
            return first.span == (0, len(name))
        case _:
            return False


def read_definitions(table: Any, shapes: Mapping[str, Shape], symbols: Symbols, source: str) -> dict[str, Formula]:
    """Return the formulas of a table, in its order, each over the inputs and what was defined before it.

    Beside products, transposes, quotients and functions there are sums ``S + B``, products entry by entry
    ``A .* D``, masks ``mask(S, keep)`` (1 is seen) and ``hide(S, drop)`` (1 is hidden), matrices that are
    joined, ``[H1, H2]`` and ``[H1; H2]``, parts ``P[:, 1:2]`` and ``P[1:2, :]`` (counted from 1, the last one
    belongs to the part), numbers in place, ``[1, 0; 1, 1]``, and ``softmax1``, with 1 more below the bar.
    ``softmax(S, zeros)`` and ``softmax(S, uniform)`` say the weights of a row in which every key is hidden.

    Args:
        table: names to formulas in plain notation.
        shapes: the shapes of the inputs.
        symbols: the declared symbols, which may stand in factors.
        source: what messages call the file.

    Raises:
        InputError: A name or a formula that cannot be used, with its place.
        ShapeError: Matrices that do not fit, with both names and both shapes.

    >>> found = read_definitions({"S": "X X^T", "A": "softmax(S / sqrt(2))"}, {"X": (3, 2)}, {}, "x.toml")
    >>> f.text_of(found["A"])
    'softmax((1/2*sqrt(2)) S)'
    """
    place = place_of(source, "definitions")
    if not isinstance(table, Mapping):
        raise InputError(f"{place} must be a table of names and formulas, not {describe(table)}.")
    if not table:
        raise InputError(f'{place} is empty; write at least one, as in S = "Q K^T".')
    if len(table) > MAX_DEFINITIONS:
        raise InputError(f"{place} has more than {MAX_DEFINITIONS} definitions.")
    known, found = dict(shapes), dict[str, Formula]()
    for name, text in table.items():
        if name in _TOP_KEYS:
            raise InputError(misplaced(name, source, "definitions"))
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
) -> Formula:
    """Return one formula in plain notation over matrices of known shapes.

    Args:
        text: the formula.
        shapes: the matrices that it may use.
        symbols: the symbols that its factors may use.
        place: what messages call it.
        later: names that are defined, but not before it.

    Raises:
        InputError: What cannot be read, is not known, or is not a formula over matrices.
        ShapeError: Matrices that do not fit.

    >>> f.text_of(read_formula("softmax(Q K^T, columns)", {"Q": (2, 3), "K": (4, 3)}, {}, "A"))
    'softmax(Q K^T, columns)'
    """
    written = check_text(text, place, MAX_FORMULA, lines=False)
    try:
        marks = _Marks(written)
        return _Translator(written, shapes, symbols, later, marks).whole(read_plain(marks.rest, _FUNCTIONS))
    except NotationError as error:
        raise InputError(f"{place}: {quoted(written)} cannot be read: {error}") from error
    except InputError as error:
        raise type(error)(f"{place}: {error}") from error


class _Marks:
    """Marks of a text that plain notation cannot write, taken out without moving the rest.

    Attributes:
        rest: the text with blanks for parts, ``[:, 1:2]``, and a star for products entry by entry.
        parts: the lines that are taken, by the place where what they are taken of ends.
        each: where products entry by entry stand.
    """

    def __init__(self, text: str) -> None:
        self.parts: dict[int, list[tuple[f.Lines, str]]] = {}
        self.rest = text
        for found in _BRACKET.finditer(text):
            before = self.rest[: found.start()].rstrip()
            is_behind = bool(before) and (before[-1].isalnum() or before[-1] in ")]'")
            touches = len(before) == found.start() or found.start() - 1 in self._ends(text)
            if is_behind and (":" in found[1] or (touches and _is_place(found[1]))):
                self._take(len(before), found)
            elif ":" in found[1]:
                raise InputError(f"{quoted(found[0])} does not follow a matrix; {_PARTS}")
        self.each = frozenset(found.start() for found in _EACH.finditer(self.rest))
        self.rest = _EACH.sub(lambda found: "*".ljust(len(found[0])), self.rest)

    def _ends(self, text: str) -> frozenset[int]:
        """Return positions at which the brackets end that were taken out already."""
        return frozenset(found.end() - 1 for found in _BRACKET.finditer(text) if not self.rest[found.start()].strip())

    def _take(self, end: int, found: re.Match[str]) -> None:
        lines = [line.strip() for line in found[1].split(",")]
        if len(lines) != 2 or not all(line and _RANGE.fullmatch(line) for line in lines):
            raise InputError(f"{quoted(found[0])} is not a part of a matrix; {_PARTS}")
        chosen: list[tuple[f.Lines, str]] = [("rows", lines[0]), ("columns", lines[1])]
        self.parts.setdefault(end, []).extend((axis, line) for axis, line in chosen if line != ":")
        self.rest = self.rest[: found.start()] + " " * len(found[0]) + self.rest[found.end() :]


_PARTS = "write P[:, 1:2] for columns 1 and 2, P[1:2, :] for rows, P[1, 2] for an entry, counted from 1."


def _is_place(text: str) -> bool:
    lines = text.split(",")
    return len(lines) == 2 and all(line.strip().isdigit() for line in lines)


def _part(of: Formula, axis: f.Lines, line: str) -> Formula:
    found = _RANGE.fullmatch(line)
    first, colon, last = ("", "", "") if found is None else found.groups()
    if not first or (colon and not last):
        raise InputError(f"{quoted(line)} needs a first and a last row or column; {_PARTS}")
    return f.part(of, axis, int(first), int(last or first))


def _joined(parts: Sequence[Formula], axis: f.Lines) -> Formula:
    """Return matrices put together; what is joined the same way inside stands with the rest."""
    flat: list[Formula] = []
    for part in parts:
        is_same = isinstance(part, Apply) and part.operation == "join" and part.params.axis == axis
        flat.extend(parts_of(part) if is_same else (part,))
    return flat[0] if len(flat) == 1 else f.joined(flat, axis)


class _Translator:
    def __init__(
        self, text: str, shapes: Mapping[str, Shape], symbols: Symbols, later: frozenset[str], marks: _Marks
    ) -> None:
        self.text = text
        self.shapes = shapes
        self.symbols = symbols
        self.later = later
        self.marks = marks
        self.taken: set[int] = set()

    def whole(self, node: t.Node) -> Formula:
        if self.is_number(node):
            raise InputError(f"{quoted(self.text)} is not a matrix; a definition needs at least one.")
        formula = self.formula(node)
        if len(self.taken) < len(self.marks.parts):
            raise InputError(f"{quoted(self.text)} takes a part of something that is not a matrix; {_PARTS}")
        f.shape_of(formula, self.shapes)
        return formula

    def formula(self, node: t.Node) -> Formula:
        """Return the formula of a node, with the parts that are taken of it."""
        made, end = self.plain(node), (node.span or (0, 0))[1]
        is_whole = isinstance(node, t.Name | t.Subscript | t.Group | t.Call | t.Transpose | t.Vector | t.Matrix)
        if not is_whole or end in self.taken or end not in self.marks.parts:
            return made
        self.taken.add(end)
        return reduce(lambda of, part: _part(of, *part), self.marks.parts[end], made)

    def plain(self, node: t.Node) -> Formula:
        match node:
            case t.Name() | t.Subscript():
                return self.named(node)
            case t.Group(body):
                return self.formula(body)
            case t.Transpose(base):
                return Transposed(self.formula(base))
            case t.Negative(body):
                return f.scaled(Quotient.of(-1), self.formula(body))
            case t.Product(factors, operators):
                return self.product(factors, operators)
            case t.Division(numerator, denominator):
                return self.division(node, numerator, denominator)
            case t.Call(function, arguments):
                return self.call(function.text, arguments)
            case t.Sum(terms, operators):
                return self.sum(terms, operators)
            case t.Vector(items, "["):
                return self.block((items,))
            case t.Matrix(rows):
                return self.block(rows)
            case _:
                raise InputError(
                    f"{self.shown(node)} cannot stand in a definition; write sums, products, quotients, transposes, "
                    f"{', '.join(_KNOWN[:-1])} or {_KNOWN[-1]} of matrices."
                )

    def entrywise(self, node: t.Node) -> Formula:
        """Return a matrix, or a number that stands for each of its entries."""
        return Constant(Matrix([[self.number(node)]])) if self.is_number(node) else self.formula(node)

    def sum(self, terms: tuple[t.Node, ...], operators: tuple[str, ...]) -> Formula:
        if len(terms) > _MAX_TERMS:
            raise InputError(f"the sum has more than {_MAX_TERMS} terms; define a part of it separately.")
        found = self.entrywise(terms[0])
        for operator, term in zip(operators, terms[1:], strict=True):
            made = self.entrywise(term)
            found = f.plus(found, made) if operator == "+" else f.minus(found, made)
        return found

    def block(self, rows: Sequence[Sequence[t.Node]]) -> Formula:
        """Return numbers in place, or matrices that are joined."""
        if all(self.is_number(item) for row in rows for item in row):
            return Constant(Matrix([[self.number(item) for item in row] for row in rows]))
        return _joined([_joined([self.entrywise(item) for item in row], "columns") for row in rows], "rows")

    def named(self, node: t.Name | t.Subscript) -> Formula:
        name = self.name(node)
        if name in self.shapes:
            return Ref(name)
        if name in self.later:
            raise InputError(f"{name} is used before its definition; define it first.")
        function = nearest(name, _KNOWN) if nearest(name, self.shapes) is None else None
        if function is not None:
            raise InputError(unknown("function", name, [function]))
        raise InputError(unknown("name", name, self.shapes))

    def product(self, factors: tuple[t.Node, ...], operators: tuple[str, ...]) -> Formula:
        numbers: list[t.Node] = []
        matrix: Formula | None = None
        each = self.each_in(factors)
        for position, written in enumerate(factors):
            factor = self.without_divisor(written, numbers, first=matrix is None)
            if self.is_number(factor):
                numbers.append(factor)
            elif matrix is None:
                matrix = self.formula(factor)
            elif each:
                matrix = f.each_times(matrix, self.formula(factor))
            elif operators[position - 1]:
                # In numpy and MATLAB a star or a dot between matrices means another product.
                raise InputError(
                    f"{self.shown(factor)} follows a multiplication sign; put matrices side by side for "
                    "their product, as in Q K^T, or write A .* B for the product entry by entry."
                )
            else:
                matrix = f.times(matrix, self.formula(factor))
        if matrix is None:
            raise InputError(f"{quoted(self.text)} multiplies numbers where a matrix should stand.")
        if not numbers:
            return matrix
        number = numbers[0] if len(numbers) == 1 else t.Product(tuple(numbers), ("cdot",) * (len(numbers) - 1))
        return f.scaled(Quotient.of(self.number(number)), matrix)

    def each_in(self, factors: tuple[t.Node, ...]) -> bool:
        """True if all factors are multiplied entry by entry."""
        pairs = [pair for pair in pairwise(factors) if not any(map(self.is_number, pair))]
        gaps = [((one.span or (0, 0))[1], (other.span or (0, 0))[0]) for one, other in pairs]
        found = [any(low <= place < high for place in self.marks.each) for low, high in gaps]
        if any(found) and not all(found):
            raise InputError(
                f"{quoted(self.text)} mixes products of matrices and products entry by entry; "
                "write A (B .* C) or (A B) .* C."
            )
        if len(found) >= _MAX_TERMS and any(found):
            raise InputError(f"the product has more than {_MAX_TERMS} factors; define a part of it separately.")
        return any(found)

    def without_divisor(self, factor: t.Node, numbers: list[t.Node], *, first: bool) -> t.Node:
        """Return a factor with its number below put among `numbers`: in ``Q K^T / 2`` the reader hangs the 2 on K^T."""
        if not isinstance(factor, t.Division) or self.is_number(factor):
            return factor
        if self.is_number(factor.denominator):
            numbers.append(t.Division(t.Number("1"), factor.denominator))
            return factor.numerator
        if not first and not self.is_bracketed(factor):
            raise InputError(
                f"{self.shown(factor)} follows another factor, as in A V / Z: write A (V / Z) or (A V) / Z."
            )
        return factor

    def is_bracketed(self, node: t.Node) -> bool:
        start = node.span[0] if node.span else 0
        return self.text[:start].rstrip().endswith("(")

    def division(self, node: t.Node, numerator: t.Node, denominator: t.Node) -> Formula:
        top = self.entrywise(numerator)
        if self.is_number(numerator) and f.shape_of(self.formula(denominator), self.shapes) != (1, 1):
            raise InputError(f"{self.shown(node)} divides a number by a matrix; write matrix / number or E / Z.")
        if self.is_number(denominator):
            return f.scaled(Quotient.of(self.number(t.Division(t.Number("1"), denominator))), top)
        bottom = self.formula(denominator)
        axis = f.ratio_axis(f.shape_of(top, self.shapes), f.shape_of(bottom, self.shapes))
        return f.ratio(top, bottom, axis)

    def call(self, name: str, arguments: tuple[t.Node, ...]) -> Formula:
        if name in _MAY_BE_NAMES and name in self.shapes and len(arguments) == 1:
            return f.times(Ref(name), self.formula(arguments[0]))
        if name in _HIDES and len(arguments) == 2:
            return f.masked(self.formula(arguments[0]), self.formula(arguments[1]), hides=_HIDES[name])
        if name in _SOFTMAXES and len(arguments) in {1, 2, 3}:
            scores, *options = arguments
            empty = next((word for word in f.EMPTY if options and options[-1] == t.Name(word)), "")
            options = options[:-1] if empty else options
            if len(options) < 2:
                axis = self.axis(options[0]) if options else "rows"
                return f.softmax(self.formula(scores), axis, extra=name == "softmax1", empty=empty)
        if len(arguments) == 1 and name == "exp":
            return f.exponential(self.entrywise(arguments[0]))
        if name == "concat":
            return _joined([self.formula(argument) for argument in arguments], "columns")
        if len(arguments) == 1 and name in _SUMS:
            return f.line_sum(self.formula(arguments[0]), _SUMS[name])
        if name in {"exp", *_SUMS}:
            raise InputError(f"{name} takes one matrix, not {len(arguments)} arguments.")
        if name in _SOFTMAXES:
            raise InputError(
                f"{name} takes a matrix, and optionally rows, columns or all, and zeros or uniform for lines in which "
                "all is hidden."
            )
        if name in _HIDES:
            words = "1 is hidden" if _HIDES[name] else "1 is seen"
            raise InputError(f"{name} takes the scores and a matrix of 0 and 1 in which {words}, as in {name}(S, M).")
        raise InputError(f"{name} is not a function of matrices; the functions are {', '.join(_KNOWN)}.")

    def axis(self, node: t.Node) -> f.Axis:
        for axis in f.AXES:
            if node == t.Name(axis):
                return axis
        raise InputError(f"{self.shown(node)} is not an axis of a softmax; write rows, columns or all.")

    def is_number(self, node: t.Node) -> bool:
        """Return True if a part names neither a matrix nor a function of matrices, nor anything unknown."""
        match node:
            case t.Name() | t.Subscript():
                return self.name(node) in self.symbols
            case t.Call(function, arguments):
                return function.text in _NUMBER_ONLY and all(map(self.is_number, arguments))
            case t.Transpose() | t.Vector() | t.Matrix():
                return False
            case _:
                return all(map(self.is_number, t.children(node)))

    def number(self, node: t.Node) -> Polynomial:
        try:
            return polynomial(node, self.symbols)
        except InputError as error:
            raise InputError(f"the factor {self.shown(node)}: {error}") from error

    def name(self, node: t.Name | t.Subscript) -> str:
        """Return a name as it was typed, underscores and all."""
        start, end = node.span or (0, 0)
        return self.text[start:end]

    def shown(self, node: t.Node) -> str:
        return quoted(self.text[slice(*node.span)] if node.span else write_plain(node))
