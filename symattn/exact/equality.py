"""TRUSTED. Equality as a verdict with three values and its evidence, never as a bool by accident.

Values that are equal as functions may be undefined at different points: where a denominator may be 0, a condition
says so.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import islice
from math import gcd, prod
from typing import Any, Literal, NoReturn, TypeAlias

from symattn.errors import InputError, UndecidedError
from symattn.exact.field.expsum import ExpSum
from symattn.exact.field.power_names import HALF, symbol_and_power
from symattn.exact.field.quotient import Quotient, QuotientLike
from symattn.exact.field.sympy_polynomials import (
    SympyExpr,
    is_exact,
    is_sympy,
    is_sympy_matrix,
    symbols_in,
    sympy_rows,
    two_symbols,
)
from symattn.exact.interop.generators import with_shared_generators
from symattn.exact.interop.sympy_reader import together
from symattn.exact.linear.matrix import Matrix
from symattn.exact.reals import radicals
from symattn.exact.reals.sign import sign
from symattn.exact.reals.special_values import UNDEFINED
from symattn.exact.rounding.quotients import Rounding, decimal
from symattn.records import dataclass

Outcome: TypeAlias = Literal["equal", "different", "undecided"]

_EVIDENCE = Rounding(figures=6)
_MAX_POINTS = 200


@dataclass(frozen=True, slots=True)
class Verdict:
    """The outcome of a comparison, its reason, and the evidence.

    Attributes:
        outcome: ``"equal"``, ``"different"`` or ``"undecided"``.
        reason: the proof in words, or what was tried.
        evidence: values or a counter-example.
        conditions: the denominators that must not vanish for both sides to have a value, ``"x ≠ 0"``.

    >>> Verdict("equal", "the same number").is_equal
    True
    """

    outcome: Outcome
    reason: str
    evidence: tuple[str, ...] = ()
    conditions: tuple[str, ...] = ()

    @property
    def is_equal(self) -> bool:
        """Proved equal."""
        return self.outcome == "equal"

    @property
    def is_different(self) -> bool:
        """Proved different."""
        return self.outcome == "different"

    @property
    def is_undecided(self) -> bool:
        """Neither was proved."""
        return self.outcome == "undecided"

    def __bool__(self) -> NoReturn:
        """Refuse: "undecided" is neither true nor false.

        Raises:
            TypeError: always.
        """
        raise TypeError(
            "A Verdict is not a bool, for it has three values: ask .is_equal, .is_different or .is_undecided."
        )


def equal(a: Matrix | QuotientLike | SympyExpr, b: Matrix | QuotientLike | SympyExpr) -> Verdict:
    """Decide whether two exact values are equal; with symbols, as functions of them.

    The domain is that of `symattn.equal`, whose documentation tells it.

    Args:
        a: one value.
        b: another.

    Raises:
        InputError: a float, something that is not a value, or two symbols of one name.

    >>> from symattn.exact.field.expsum import ExpSum
    >>> equal(Quotient(ExpSum.exp(2), ExpSum.exp(1)), Quotient(ExpSum.exp(1))).outcome
    'equal'
    >>> equal("1/3", "0.333").evidence
    ('the difference is 0.000333333',)
    >>> import sympy
    >>> x = sympy.Symbol("x")
    >>> equal(1 / (1 + sympy.exp(-x)), sympy.exp(x) / (sympy.exp(x) + 1)).outcome
    'equal'
    >>> equal((x**2 + x) / x, x + 1).conditions
    ('x ≠ 0',)
    >>> print(equal(sympy.sin(x) ** 2 + sympy.cos(x) ** 2, 1).reason)
    cos(x) is not made of numbers, symbols, +, *, /, powers and exp.
    """
    if isinstance(a, (list, tuple)) or isinstance(b, (list, tuple)):
        raise InputError("A list is not compared as it stands: make a Matrix of it.")
    if _is_one_expression(a, b):
        return Verdict("equal", "both sides are one expression")
    symbols = _symbols_of(a, b)
    first, second = _rows(a), _rows(b)
    if first is None and second is None:
        return _equal_scalars(a, b, symbols)
    if first is None or second is None:
        return Verdict("different", "one is a matrix and the other is a number")
    return _equal_rows(first, second, symbols)


def _symbols_of(*values: Any) -> dict[str, Any]:
    """Return the symbols of SymPy in all values, by their names.

    Raises:
        InputError: two symbols of one name.
    """
    found: dict[str, Any] = {}
    for value in values:
        parts = value.meanings.values() if isinstance(value, Matrix) else [value] if _is_foreign(value) else []
        for name, symbol in (item for part in parts for item in symbols_in(part).items()):
            if found.setdefault(name, symbol) != symbol:
                raise two_symbols(name)
    return found


def _is_foreign(value: object) -> bool:
    return is_sympy(value) or is_sympy_matrix(value)


def _is_one_expression(a: Any, b: Any) -> bool:
    """Return whether both sides are one expression of SymPy, whatever it holds but floats."""
    return is_sympy(a) and is_sympy(b) and (a is b or is_exact(b)) and is_exact(a) and bool(a == b)


def _rows(value: Any) -> list[list[Any]] | None:
    if isinstance(value, Matrix):
        return [list(row) for row in value.rows]
    return sympy_rows(value) if is_sympy_matrix(value) else None


def _equal_rows(first: list[list[Any]], second: list[list[Any]], symbols: Mapping[str, Any]) -> Verdict:
    shapes = tuple(f"{len(rows)}×{len(rows[0]) if rows else 0}" for rows in (first, second))
    if shapes[0] != shapes[1]:
        return Verdict("different", "the shapes differ", (" and ".join(shapes),))
    open_entry: Verdict | None = None
    conditions: dict[str, None] = {}
    for i, (p, q) in enumerate(zip(first, second, strict=True), 1):
        for j, (x, y) in enumerate(zip(p, q, strict=True), 1):
            verdict = _equal_scalars(x, y, symbols)
            conditions.update(dict.fromkeys(verdict.conditions))
            if verdict.is_equal:
                continue
            found = Verdict(verdict.outcome, f"row {i}, column {j}: {verdict.reason}", verdict.evidence)
            if verdict.is_different:
                return found
            open_entry = found if open_entry is None else open_entry
    if open_entry is not None:
        return open_entry
    return Verdict("equal", "all entries are equal", conditions=tuple(conditions))


def _equal_scalars(a: Any, b: Any, symbols: Mapping[str, Any]) -> Verdict:
    if _is_one_expression(a, b):
        return Verdict("equal", "both sides are one expression")
    if _has_cases(a) or _has_cases(b):
        return _equal_cases(a, b, symbols)
    try:
        first, second = map(Quotient.of, together(a, b))
    except UndecidedError as error:
        return _equal_radicals(a, b, str(error))
    verdict = _equal_quotients(first, second)
    if not verdict.is_equal:
        return verdict
    written = [value if is_sympy(value) else read for value, read in ((a, first), (b, second))]
    return replace(verdict, conditions=conditions_of(written[0], written[1], symbols))


def _equal_radicals(a: Any, b: Any, otherwise: str) -> Verdict:
    """Compare two real numbers with roots inside each other; what is something else is undecided, with a reason."""
    plain = (value.plain_rational() if isinstance(value, Quotient) and value.is_finite else value for value in (a, b))
    try:
        found = radicals.compare(*plain)
    except UndecidedError as error:
        return Verdict("undecided", str(error))
    if found is None:
        return Verdict("undecided", otherwise)
    sign, ends = found
    if not sign:
        return Verdict("equal", "their difference is smaller than any algebraic number of its kind that is not 0")
    texts = {decimal(Quotient.of(end), _EVIDENCE) for end in ends}
    evidence = tuple(f"the difference is {text}" for text in texts) if len(texts) == 1 else ()
    return Verdict("different", "their enclosures have no number in common", evidence)


def _equal_cases(a: Any, b: Any, symbols: Mapping[str, Any]) -> Verdict:
    """Compare values by cases; where the cases are alike, each for all values of the symbols.

    A value without cases has those of the other.
    """
    cases = [[(item.expr, item.cond) for item in value.args] if _has_cases(value) else [] for value in (a, b)]
    told = cases[0] or cases[1]
    first, second = (cases[i] or [(value, condition) for _, condition in told] for i, value in enumerate((a, b)))
    if [condition for _, condition in first] != [condition for _, condition in second]:
        return Verdict("undecided", "the sides tell different cases, or the same ones in another order")
    if [] in cases and told[-1][1] != True:  # noqa: E712 - the true of SymPy is another object
        return Verdict("undecided", "one side is told by cases that may leave values out, and the other is not")
    conditions: dict[str, None] = {}
    for number, ((x, _), (y, _)) in enumerate(zip(first, second, strict=True), 1):
        verdict = _equal_scalars(x, y, symbols)
        if not verdict.is_equal:
            reason = f"the sides of case {number} are not shown to be equal: {verdict.reason}"
            return Verdict("undecided", reason, verdict.evidence)
        conditions.update(dict.fromkeys(verdict.conditions))
    return Verdict("equal", "the same cases, and in each of them equal values", conditions=tuple(conditions))


def _has_cases(value: Any) -> bool:
    return bool(getattr(value, "is_Piecewise", False))


def _equal_quotients(a: Quotient, b: Quotient) -> Verdict:
    if not (a.is_finite and b.is_finite):
        return _equal_specials(a, b)
    a, b = with_shared_generators(a, b)
    if a == b:
        return Verdict("equal", "cross-multiplied, both sides have the same collected exponentials")
    difference = a - b
    names = sorted(difference.names)
    reason = "cross-multiplied, the sides have different collected exponentials"
    has_constants = difference.has_constants
    if has_constants:
        reason = "their enclosures have no number in common"
    try:
        if not names:
            if has_constants and not sign(difference):
                return Verdict("equal", "with products of sines and cosines as sums, both sides are the same")
            return Verdict("different", reason, (f"the difference is {decimal(difference, _EVIDENCE)}",))
        found = _witness(difference, names)
    except UndecidedError as error:
        return Verdict("undecided", str(error))
    if has_constants and found is None:
        return Verdict("undecided", "no values of the symbols were found at which enclosures tell the sides apart")
    return Verdict("different", reason, () if found is None else (found,))


def _equal_specials(a: Quotient, b: Quotient) -> Verdict:
    """Compare two values of which one is not a number."""
    if a is b:
        return Verdict("equal", "both are undefined" if a is UNDEFINED else "both are minus infinity")
    if a is UNDEFINED or b is UNDEFINED:
        return Verdict("different", "one is undefined and the other is not")
    return Verdict("different", "one is minus infinity and the other is a number")


def _witness(difference: Quotient, names: list[str]) -> str | None:
    """Return a rational point where a function that is not zero is not zero, in words.

    A symbol that stands under a root is the square of a coordinate.
    """
    powers = {name: symbol_and_power(name) for name in names}
    symbols = sorted({symbol for symbol, _ in powers.values()})
    squares = {symbol for symbol, power in powers.values() if abs(power) == HALF}
    units = {symbol: 2 if symbol in squares else 1 for symbol in symbols}
    for point in islice(_points(len(symbols)), _MAX_POINTS):
        roots = dict(zip(symbols, point, strict=True))
        values = {name: roots[symbol] ** int(power * units[symbol]) for name, (symbol, power) in powers.items()}
        try:
            value = difference.with_values(values)
        except InputError:  # a denominator vanishes there
            continue
        if not value.is_zero and (not value.has_constants or sign(value)):
            where = ", ".join(f"{symbol} = {x ** units[symbol]}" for symbol, x in roots.items())
            return f"at {where} the difference is {decimal(value, _EVIDENCE)}"
    return None


def _points(dimension: int) -> Iterator[tuple[Fraction, ...]]:
    """Iterate over positive rational points, no two coordinates of one point alike, so that differences show."""
    step = 1
    while True:
        yield tuple(Fraction(step + 2 * k, 1) for k in range(dimension))
        yield tuple(Fraction(1, step + k + 1) for k in range(dimension))
        step += 1


def conditions_of(first: Any, second: Any, symbols: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the conditions under which both of two equal values exist, without those that both need.

    Args:
        first: a quotient, an expression of SymPy, or a number.
        second: likewise.
        symbols: the symbols of SymPy by their names, for what they are assumed to be.

    >>> from symattn.exact.field.polynomial import Polynomial
    >>> x = Polynomial.symbol("x")
    >>> conditions_of(Quotient(x, x), 1, {})
    ('x ≠ 0',)
    """
    sides = [dict.fromkeys(vanishing(value, symbols)) for value in (first, second)]
    found = [item for item in {**sides[0], **sides[1]} if item not in sides[0] or item not in sides[1]]
    return tuple(f"{item} ≠ 0" for item in found)


def vanishing(value: Any, symbols: Mapping[str, Any]) -> list[str]:
    """Return the denominators of a value that may be 0 for real values of its symbols.

    Args:
        value: an expression of SymPy, a quotient, or a number, which has none.
        symbols: the symbols of SymPy by their names.

    >>> import sympy
    >>> x, d = sympy.Symbol("x"), sympy.Symbol("d", positive=True)
    >>> vanishing(1 / (sympy.exp(x) + 1) + 1 / d + sympy.exp(1 / (x - 1)), {})
    ['x - 1']
    """
    if is_sympy(value):
        return _in_expression(value)
    if isinstance(value, Quotient) and value.is_finite and value.is_closed and value.names:
        return _in_quotient(value, symbols)
    return []


# Expressions of SymPy ---------------------------------------------------------------------------------


def _in_expression(value: SympyExpr) -> list[str]:
    found: dict[str, None] = {}
    nodes = [value]
    while nodes:
        node = nodes.pop()
        nodes.extend(node.args)
        is_divisor = node.is_Pow and node.exp.is_negative and node.base.free_symbols
        if is_divisor and not _is_nonzero(node.base):
            found[str(node.base)] = None
    return sorted(found)


def _is_nonzero(node: SympyExpr) -> bool:
    """Return whether an expression is certainly not 0 for real values of its symbols."""
    if node.is_Mul:
        return all(map(_is_nonzero, node.args))
    return node.is_zero is False or _is_positive(node)


def _is_positive(node: SympyExpr) -> bool:
    if node.is_Add or node.is_Mul:
        return all(map(_is_positive, node.args))
    if node.is_Pow:
        return bool(node.exp.is_Rational) and _is_positive(node.base)
    return bool(node.is_positive) or node.func is sys.modules["sympy"].exp


# Quotients --------------------------------------------------------------------------------------------


def _in_quotient(value: Quotient, symbols: Mapping[str, Any]) -> list[str]:
    powers = [symbol_and_power(name) for name in value.names]
    found = {symbol for symbol, power in powers if power == -1 and not _sign(symbol, symbols)}
    bottom = value.denominator
    if bottom.symbols & value.names and not _has_one_sign(bottom, symbols):
        found.update(_factors(bottom, symbols))
    return sorted(found)


def _factors(value: ExpSum, symbols: Mapping[str, Any]) -> list[str]:
    """Return the factors of a sum that may be 0: the symbols of a single term, else the sum without a common factor."""
    terms = value.integers[0]
    if len(terms) == 1:
        ((_, (_, powers)),) = terms
        return [name for name, _ in powers if not _sign(name, symbols)]
    factor = gcd(*terms.values()) * (1 if next(iter(terms.values())) > 0 else -1)
    return [str(ExpSum.from_table({key: c // factor for key, c in terms.items()}, 1))]


def _has_one_sign(value: ExpSum, symbols: Mapping[str, Any]) -> bool:
    """Return whether all terms of a sum have one sign for real values of the symbols, and one of them is not 0."""
    signs = set()
    is_strict = False
    for (_, (_, powers)), c in value.integers[0].items():
        own = {name: _sign(name, symbols) for name, _ in powers}
        if any(power % 2 and not own[name] for name, power in powers):
            return False
        signs.add(prod((own[name] for name, power in powers if power % 2), start=1 if c > 0 else -1))
        is_strict |= all(own.values())
    return len(signs) == 1 and is_strict


def _sign(name: str, symbols: Mapping[str, Any]) -> int:
    """Return 1 or -1 where a name certainly has this sign, otherwise 0; a symbol under a root is positive."""
    symbol, power = symbol_and_power(name)
    if power.denominator == 2 or getattr(symbols.get(symbol), "is_positive", False):
        return 1
    return -1 if getattr(symbols.get(symbol), "is_negative", False) else 0
