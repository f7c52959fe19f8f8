"""TRUSTED. Values for symbols, from Python: keys and values in the names of the kernel."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any, Protocol, runtime_checkable

from symattn.errors import InputError
from symattn.exact.field.polynomial import Polynomial
from symattn.exact.field.power_names import power_name, symbol_and_power
from symattn.exact.field.sympy_polynomials import PolynomialReader, is_sympy, two_symbols
from symattn.exact.numerals.rational import rational
from symattn.records import dataclass


@dataclass(frozen=True, slots=True)
class Replacements:
    """Values by the names of the kernel.

    Attributes:
        values: a polynomial for each name.
        meanings: the expressions of SymPy that the names in the polynomials stand for.
    """

    values: Mapping[str, Polynomial]
    meanings: Mapping[str, Any]


def replacements(mapping: Mapping[Any, Any], names: Iterable[str], meanings: Mapping[str, Any]) -> Replacements:
    """Return what replaces each name, powers of a symbol included.

    Args:
        mapping: values, numbers or polynomials, by the names of symbols or by symbols of SymPy.
        names: the names in the kernel.
        meanings: the expressions of SymPy that names stand for, where they are known.

    Raises:
        InputError: a symbol that does not occur, a value that is neither, or one without such a power.

    >>> {name: str(value) for name, value in replacements({"d": 4}, ["q", "1/sqrt(d)"], {}).values.items()}
    {'1/sqrt(d)': '1/2'}
    """
    if not isinstance(mapping, Mapping):
        raise InputError(f"Values of symbols are a mapping, {{symbol: value}}, and not a {type(mapping).__name__}.")
    powers: dict[str, dict[str, Fraction]] = {}
    for name in sorted(names):
        symbol, power = symbol_and_power(name)
        powers.setdefault(symbol, {})[name] = power
    reading = PolynomialReader(filter(is_sympy, mapping.values()))
    _refuse_other_assumptions(reading, meanings)
    values: dict[str, Polynomial] = {}
    for key, value in mapping.items():
        symbol = str(key)
        own = powers.get(symbol, {})
        if not own:
            known = ", ".join(powers) or "none"
            raise InputError(f"Unknown symbol {symbol}: the symbols here are {known}.")
        if not all(_is_key(key, power, meanings.get(name)) for name, power in own.items()):
            raise other_symbol(symbol)
        if own.keys() & values.keys():
            raise InputError(f"The symbol {symbol} has two values: give one.")
        found = reading.polynomial(value) if is_sympy(value) else _polynomial(value)
        if found is None:
            raise InputError(f"The value of {symbol} is not a number or a polynomial: give one.")
        values.update({name: _power(found, power, symbol) for name, power in own.items()})
    symbols = {str(item.symbol): item.symbol for item in reading.generators.values()}
    named = {name: symbol_and_power(name) for value in values.values() for name in value.symbols}
    return Replacements(values, {name: symbols[s] ** power for name, (s, power) in named.items() if s in symbols})


@runtime_checkable
class _MayBePolynomial(Protocol):
    """A sum or a quotient of the kernel."""

    def polynomial(self) -> Polynomial | None:
        """Return the value as a polynomial, where it is one."""


def _polynomial(value: Any) -> Polynomial | None:
    if isinstance(value, _MayBePolynomial):
        return value.polynomial()
    return value if isinstance(value, Polynomial) else Polynomial(rational(value))


def _is_key(key: Any, power: Fraction, meaning: Any) -> bool:
    """Return whether a key is a name, or the very symbol whose power is meant."""
    if isinstance(key, str):
        return True
    return is_sympy(key) and (meaning is None or bool(meaning == key**power))


def _power(value: Polynomial, power: Fraction, symbol: str) -> Polynomial:
    """Return the power of a number, which is > 0 under a root and not 0 under a fraction bar, or of a single symbol."""
    if power == 1:
        return value
    number = value.rational()
    names = list(value.symbols)
    if len(names) == 1 and value == Polynomial.symbol(names[0]) and symbol_and_power(names[0])[1] == 1:
        return Polynomial.symbol(power_name(names[0], power))
    if number is not None and (number > 0 or (number < 0 and power.denominator == 1)):
        root = Polynomial(number) if power.denominator == 1 else Polynomial.sqrt(number)
        found = root if power > 0 else Polynomial(1).divide(root)
        if found is not None:
            return found
    words = "a number > 0" if power.denominator == 2 else "a number other than 0"
    raise InputError(f"{symbol} stands under a root or a fraction bar: give it {words}, or a symbol.")


def other_symbol(name: str) -> InputError:
    """Return the error for a symbol that is called as another one here."""
    return InputError(f"The symbol {name} here has other assumptions: give that symbol, or its name as text.")


def _refuse_other_assumptions(reading: PolynomialReader, meanings: Mapping[str, Any]) -> None:
    known = {str(symbol): symbol for meaning in meanings.values() for symbol in meaning.free_symbols}
    for item in reading.generators.values():
        if known.get(str(item.symbol), item.symbol) != item.symbol:
            raise two_symbols(str(item.symbol))
