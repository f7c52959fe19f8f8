"""TRUSTED. Denominators that may be 0: points at which values that are equal as functions are undefined."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from math import gcd, prod
from typing import Any

from symattn.exact.field.expsum import ExpSum
from symattn.exact.field.power_names import symbol_and_power
from symattn.exact.field.quotient import Quotient
from symattn.exact.field.sympy_polynomials import SympyExpr, is_sympy


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
