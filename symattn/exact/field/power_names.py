"""TRUSTED. Names of symbols and of their powers: ``sqrt(x)``, ``1/x`` and ``1/sqrt(x)`` beside ``x``."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache

from symattn import late

_PLAIN = late.pattern(r"[A-Za-z\u0370-\u03ff][A-Za-z0-9]*(_[A-Za-z0-9]+|_\{[A-Za-z0-9]+\})?")
_CALL = late.pattern(r"[a-z]+\(.*\)", re.DOTALL)
"""The name of a constant (`symattn.exact.reals.constants`), which is a call."""

HALF = Fraction(1, 2)


def power_name(symbol: str, power: Fraction) -> str:
    """Return the name of a power of a symbol: 1, 1/2, -1 or -1/2.

    >>> [power_name("x", power) for power in (Fraction(1), HALF, Fraction(-1), -HALF)]
    ['x', 'sqrt(x)', '1/x', '1/sqrt(x)']
    """
    own = f"sqrt({symbol})" if abs(power) == HALF else symbol
    return f"1/{own}" if power < 0 else own


@lru_cache(maxsize=4096)
def symbol_and_power(name: str) -> tuple[str, Fraction]:
    """Return the symbol and the power that a name stands for.

    >>> symbol_and_power("1/sqrt(x)"), symbol_and_power("x")
    (('x', Fraction(-1, 2)), ('x', Fraction(1, 1)))
    """
    sign, own = (-1, name[2:]) if name.startswith("1/") else (1, name)
    if own.startswith("sqrt(") and own.endswith(")"):
        return own[5:-1], sign * HALF
    return own, Fraction(sign)


@lru_cache(maxsize=4096)
def name_text(name: str) -> str:
    """Return a name in plain syntax: between quotes where it is neither a word nor one with an index.

    >>> [name_text(name) for name in ("q1", "x_{12}", "sqrt(d_k)", "tanh(1/2)", "two words")]
    ['q1', 'x_{12}', 'sqrt(d_k)', 'tanh(1/2)', '"two words"']
    """
    symbol, power = symbol_and_power(name)
    if not (_PLAIN.fullmatch(symbol) or _CALL.fullmatch(symbol)):
        symbol = '"' + symbol.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return power_name(symbol, power)


def symbol_head_and_index(symbol: str) -> tuple[str, str]:
    """Return the head of a symbol and its index, empty where it has none.

    >>> symbol_head_and_index("x_{12}"), symbol_head_and_index("beta"), symbol_head_and_index("a_b_c")
    (('x', '12'), ('beta', ''), ('a_b_c', ''))
    """
    if not _PLAIN.fullmatch(symbol):
        return symbol, ""
    head, _, index = symbol.partition("_")
    return head, index.strip("{}")
