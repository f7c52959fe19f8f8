"""Conversion of Python input to the terms of the kernel: SymPy expressions, names, nested lists."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from symattn import late
from symattn.api.values import matrix as api_matrix
from symattn.api.values.entry import Entry
from symattn.errors import InputError, NotationError, ShapeError, UndecidedError
from symattn.exact.field.polynomial import Polynomial
from symattn.exact.field.power_names import name_text, power_name, symbol_and_power
from symattn.exact.field.quotient import Quotient
from symattn.exact.field.sympy_polynomials import Generator, is_sympy, is_sympy_matrix, sympy_rows
from symattn.exact.interop.sympy_reader import Reading
from symattn.exact.linear.matrix import Matrix
from symattn.exact.linear.matrix_input import scalar
from symattn.graph.quantities.closed_forms import symbol_name_key, symbol_tree
from symattn.notation.parser import latex, plain
from symattn.notation.tree.limits import MAX_NAME
from symattn.notation.tree.nodes import FUNCTIONS
from symattn.notation.writers.latex import write_latex
from symattn.notation.writers.plain import write_plain
from symattn.problem.reader.tables import CheckedSymbol
from symattn.problem.schema.fields import CANONICAL
from symattn.symbolic.scores import exponent_of

if TYPE_CHECKING:
    import sympy
else:
    sympy = late.module("sympy")

SCALARS = ("scale", "beta", "temperature")
_TAKEN = frozenset((*CANONICAL, *FUNCTIONS, "e", "i", "j", "r", "T", "R"))


def items_of(reading: Reading) -> list[Generator]:
    """Return the generators of what was read, in the order in which they came."""
    return list(reading.generators.values())


def by_name(reading: Reading) -> dict[str, Generator]:
    """Return the generators by their names."""
    return {item.name: item for item in items_of(reading)}


def positive_names(names: Mapping[str, Generator]) -> frozenset[str]:
    """Return a root is positive, and so is a symbol that SymPy takes for positive."""
    return frozenset(
        name for name, item in names.items() if item.power != 1 or getattr(item.symbol, "is_positive", False)
    )


def plain_symbol(symbol: object) -> Any:
    """Return a symbol of SymPy, from one or from its name."""
    return sympy.Symbol(symbol) if isinstance(symbol, str) else symbol


def plain_input(value: Any, depth: int = 3) -> Any:
    """Return an input, matrices and entries of results in it as the kernel has them, or of SymPy with their symbols."""
    if isinstance(value, (Entry, api_matrix.Matrix)):
        return value.sympy() if value.symbols else value.kernel
    if depth and isinstance(value, (list, tuple)):
        return [plain_input(item, depth - 1) for item in value]
    return value


def listed(value: Any) -> list[list[Any]]:
    """Return the rows of a matrix, of SymPy or of ours, or of nested lists."""
    if isinstance(value, Matrix):
        return [list(row) for row in value.rows]
    if is_sympy_matrix(value):
        return sympy_rows(value)
    if not all(isinstance(row, (list, tuple)) for row in value):
        raise ShapeError("A matrix is a list of rows, each of them a list: give all rows so.")
    return [list(row) for row in value]


def nested(scores: object) -> list[list[Any]]:
    """Return the rows of scores that are given as lists or as an array; a vector is one row.

    Raises:
        InputError: the scores are not a list.
        ShapeError: some of them are rows and others are numbers.
    """
    if hasattr(scores, "tolist"):
        scores = scores.tolist()
    if not isinstance(scores, (list, tuple)):
        raise InputError(f"Scores are a list of numbers or of rows, or a matrix, not a {type(scores).__name__}.")
    if not any(isinstance(entry, (list, tuple)) for entry in scores):
        return [list(scores)]
    if not all(isinstance(entry, (list, tuple)) for entry in scores):
        raise ShapeError("Some of the scores are rows and others are numbers: give a vector or a matrix.")
    return [list(row) for row in scores]


def foreign_entries(given: Mapping[str, Any], inputs: Sequence[str]) -> Iterator[tuple[str, Any]]:
    """Yield all expressions of SymPy in the inputs and the scale, each with its place."""
    for name in inputs:
        value = given[name]
        rows = sympy_rows(value) if is_sympy_matrix(value) else value
        for i, row in enumerate(rows if isinstance(rows, (list, tuple)) else (), 1):
            for j, entry in enumerate(row if isinstance(row, (list, tuple)) else (), 1):
                if is_sympy(entry):
                    yield f"{name}, row {i}, column {j}", entry
    yield from ((name, given[name]) for name in SCALARS if is_sympy(given.get(name)))


def read_all(foreign: Sequence[tuple[str, Any]]) -> Reading:
    """Return the expressions read together.

    Raises:
        InputError: one of them cannot be read, with its place; or they do not go together.
    """
    try:
        return Reading([], [(entry,) for _, entry in foreign])
    except InputError:
        for place, entry in foreign:
            try:
                Reading([], [(entry,)])
            except InputError as error:
                raise type(error)(f"{place}: {error}") from error
        raise


def aliases_for(reading: Reading, given: Mapping[str, Any], clashing: Collection[str] = ()) -> dict[str, str]:
    """Return what a problem calls every generator: its own name, unless that is read as something else.

    Args:
        reading: the generators.
        given: the keys of the problem, with the symbols that it declares.
        clashing: symbols whose own names are those of quantities.
    """
    symbols = given.get("symbols")
    declared = symbols if isinstance(symbols, Mapping) else {}
    taken = {symbol_name_key(str(name)) for name in declared}
    found: dict[str, str] = {}
    for number, item in enumerate(items_of(reading), 1):
        own, _ = symbol_and_power(item.name)
        names = [*([own] if own not in clashing else []), f"symbol {own}", f"symbol {number}"]
        name = own if own in declared else next(name for name in names if _is_free(name, taken))
        taken.add(symbol_name_key(name))
        found[item.name] = power_name(name, item.power)
    return found


def _is_free(name: str, taken: Collection[str]) -> bool:
    """Return whether a name stands for nothing else, and comes back from all that is written with it."""
    tree = symbol_tree(name)
    is_shown = name.isprintable() and name.strip() == name and 0 < len(name) <= MAX_NAME
    if not is_shown or name in _TAKEN or symbol_name_key(name) in taken:
        return False
    try:
        return (
            plain.read_plain(name_text(name))
            == latex.read_latex(write_latex(tree))
            == plain.read_plain(write_plain(tree))
            == tree
        )
    except NotationError:
        return False


def declared_symbols(symbols: object, reading: Reading, aliases: Mapping[str, str]) -> object:
    """Return the declared symbols, and those of SymPy that are positive."""
    if symbols is not None and not isinstance(symbols, Mapping):
        return symbols
    found: dict[str, object] = {}
    positive = positive_names(by_name(reading))
    for name, alias in aliases.items():
        found[CheckedSymbol(alias)] = "positive" if name in positive else "real"
    return {**found, **(symbols or {})}


def in_kernel(value: Any, reading: Reading, aliases: Mapping[str, str]) -> Quotient:
    """Return an expression as the kernel holds it, under the names that a problem file could declare."""
    changes = {name: Polynomial.symbol(alias) for name, alias in aliases.items() if name != alias}
    return Quotient(reading.exponent(value).substitute(changes))


def converted(value: Any, reading: Reading, aliases: Mapping[str, str]) -> Any:
    """Return an input with every expression of SymPy in the terms of the kernel."""
    if is_sympy_matrix(value):
        return [[in_kernel(entry, reading, aliases) for entry in row] for row in sympy_rows(value)]
    if not isinstance(value, (list, tuple)):
        return value
    return [
        [in_kernel(entry, reading, aliases) if is_sympy(entry) else entry for entry in row]
        if isinstance(row, (list, tuple))
        else row
        for row in value
    ]


def expressions_among(*values: object) -> list[Any]:
    """Return the SymPy expressions among the values."""
    return [value for value in values if is_sympy(value)]


def scaled_score(entry: object, scale: object, reading: Reading) -> Polynomial:
    """Return a score times the scale, of which either may be an expression of SymPy."""
    result = reading.exponent(*expressions_among(entry, scale))
    for value in (entry, scale):
        if not is_sympy(value):
            result *= exponent_of(scalar(value))
    return result


def renamed(value: Quotient, reading: Reading, names: Mapping[str, Generator]) -> Quotient:
    """Return a value that was read by itself, in the generators that are known."""
    known = {str(item.symbol): item for item in names.values()}
    changes: dict[str, Polynomial] = {}
    for item in items_of(reading):
        own = known.get(str(item.symbol))
        if own is None or (own.name == item.name and own.power == item.power):
            continue
        ratio = item.power / own.power
        if ratio.denominator != 1 or ratio < 0:
            raise UndecidedError(f"{item.symbol} occurs here with other powers than in the scores: write it alike.")
        changes[item.name] = Polynomial.symbol(own.name) ** int(ratio)
    return value.with_values(changes)
