"""Arguments of methods that are named as in SymPy: expressions, replacements of `subs`, orders of `diff`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from symattn.errors import InputError, UndecidedError, shown
from symattn.exact.field import calculus, substitution
from symattn.exact.field.power_names import symbol_and_power
from symattn.exact.field.quotient import Quotient
from symattn.exact.field.sympy_polynomials import is_exact, is_sympy, is_sympy_matrix

_MAX_ORDER = 40


def is_expression(value: Any) -> bool:
    """Return whether a value is an expression of SymPy.

    Raises:
        InputError: a float of SymPy is in it.
    """
    if not is_sympy(value) or not hasattr(value, "as_coeff_Mul"):
        return False  # a relation, for one
    if not is_exact(value):
        raise InputError(f"{shown(value)} has a floating-point number of SymPy: write a Rational.")
    return True


def kernel_of(value: Any) -> Any:
    """Return an entry or a matrix as the kernel has it, and anything else as it is."""
    return getattr(value, "kernel", value) if not (is_sympy(value) or is_sympy_matrix(value)) else value


def replacements_of(
    given: tuple[Any, ...], names: Iterable[str], meanings: Mapping[str, Any]
) -> substitution.Replacements:
    """Return the replacements of `subs` in the names of the kernel.

    Raises:
        InputError: they are neither a symbol and a value, nor a mapping, nor pairs, or cannot be replaced.
    """
    if len(given) == 2:
        given = ([given],)
    if len(given) == 1 and isinstance(given[0], Mapping):
        pairs = list(given[0].items())
    elif len(given) == 1 and isinstance(given[0], (list, tuple)) and all(_is_pair(item) for item in given[0]):
        pairs = list(given[0])
    else:
        raise InputError("Values of symbols are given as .subs(x, 2), .subs({x: 2}) or .subs([(x, 2), (y, 3)]).")
    values = {key: kernel_of(value) for key, value in pairs}
    if len(values) < len(pairs):
        raise InputError("A symbol has two values: give one.")
    try:
        return substitution.replacements(values, names, meanings)
    except UndecidedError as error:
        raise UndecidedError(f"{error} For other values, write .sympy().subs(symbol, value).") from error


def _is_pair(item: object) -> bool:
    return isinstance(item, (list, tuple)) and len(item) == 2


def orders_of(symbols: tuple[Any, ...], known: frozenset[str]) -> list[Any]:
    """Return the symbols of `diff`, each as often as its order says.

    Raises:
        InputError: no symbol where there is none or are several, something other than a symbol, or a high order.
    """
    if not symbols:
        if len(known) != 1:
            raise InputError(f"The symbols here are {', '.join(sorted(known)) or 'none'}: name one, as in .diff('x').")
        return sorted(known)
    found: list[Any] = []
    for item in symbols:
        if isinstance(item, int) and not isinstance(item, bool) and found:
            if not 0 <= item <= _MAX_ORDER:
                raise InputError(f"A derivative has an order from 0 to {_MAX_ORDER} here, not {item}.")
            found[-1:] = found[-1:] * item
        elif isinstance(item, str) or getattr(item, "is_Symbol", False):
            found.append(item)
        else:
            raise InputError(f"{shown(item)} is not a symbol: give one, or its name, as in .diff('x', 2).")
    return found


def derivative(value: Quotient, symbol: Any, meanings: Mapping[str, Any]) -> Quotient:
    """Return the derivative by a symbol, through all of its powers that stand for symbols."""
    result = Quotient.of(0)
    for name in sorted(value.names):
        own, power = symbol_and_power(name)
        if own != str(symbol):
            continue
        if not isinstance(symbol, str) and meanings.get(name, symbol**power) != symbol**power:
            raise substitution.other_symbol(own)
        slope = calculus.derivative(value, name)
        result += slope if power == 1 else slope * calculus.power_slope(name, power)
    if not value.is_finite:
        raise InputError(f"{value} is not a number, so it has no derivative: take the other entries.")
    return result
