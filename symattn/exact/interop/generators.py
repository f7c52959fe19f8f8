"""TRUSTED. Powers of a symbol as names of the kernel: ``sqrt(x)``, ``1/x`` and ``1/sqrt(x)`` beside ``x``.

Where x stands under a root or a fraction bar of an exponent, everything is a quotient of exponential sums in such
a power. Two values that were made apart can hold several powers of one symbol. They are compared with g, the
smallest power that occurs, and 1/g: a monomial of an exponent is a power of g or of 1/g, never of both, and
coefficients are multiplied by powers of g until none of 1/g is left. Exponents whose difference is not constant
then have independent exponentials over the rational functions of g, as those of polynomials have, so the zero test
of `symattn.exact.field.expsum` decides.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction

from symattn.exact.field.expsum import ExpSum, Key
from symattn.exact.field.polynomial import Monomial, Polynomial, Powers
from symattn.exact.field.power_names import power_name, symbol_and_power
from symattn.exact.field.quotient import Quotient


def with_shared_generators(first: Quotient, second: Quotient) -> tuple[Quotient, Quotient]:
    """Return two values with one power of each symbol in the coefficients, and it or its inverse in exponents.

    Raises:
        InputError: a denominator is zero as a function of the symbols.

    >>> root, x = Polynomial.symbol("sqrt(x)"), Polynomial.symbol("x")
    >>> [str(value) for value in with_shared_generators(Quotient(root * root), Quotient(ExpSum.exp(x)))]
    ['sqrt(x)**2', 'exp(sqrt(x)**2)']
    """
    units = _shared_units(first.names | second.names)
    if not units:
        return first, second
    return _rewritten(first, units), _rewritten(second, units)


def _shared_units(names: Iterable[str]) -> dict[str, Fraction]:
    """Return the smallest power of each symbol of which several occur."""
    powers: dict[str, list[Fraction]] = {}
    for name in names:
        symbol, power = symbol_and_power(name)
        powers.setdefault(symbol, []).append(abs(power))
    return {symbol: min(found) for symbol, found in powers.items() if len(found) > 1}


def _rewritten(value: Quotient, units: Mapping[str, Fraction]) -> Quotient:
    if not value.is_finite or not value.is_closed:
        return value
    top, above = _rewritten_sum(value.numerator, units)
    bottom, below = _rewritten_sum(value.denominator, units)
    return Quotient(top * below, bottom * above)


def _rewritten_sum(value: ExpSum, units: Mapping[str, Fraction]) -> tuple[ExpSum, Polynomial]:
    """Return the sum times a monomial without negative powers in the coefficients, and that monomial."""
    terms, denominator = value.integers
    exponents: dict[Polynomial, Polynomial] = {}
    found = []
    lowest: dict[str, int] = {}
    for (exponent, (radicand, powers)), c in terms.items():
        if exponent not in exponents:
            exponents[exponent] = _rewritten_exponent(exponent, units)
        net = _net_powers(powers, units)
        found.append((exponents[exponent], radicand, net, c))
        for symbol in units:
            lowest[symbol] = min(lowest.get(symbol, 0), net.get(symbol, 0))
    table: dict[Key, int] = {}
    for exponent, radicand, net, c in found:
        shifted = {name: net.get(name, 0) - lowest.get(name, 0) for name in {*net, *lowest}}
        key = exponent, (radicand, _as_powers(shifted, units))
        table[key] = table.get(key, 0) + c
    factor = _as_powers({symbol: -power for symbol, power in lowest.items()}, units)
    return ExpSum.from_table(table, denominator), Polynomial.from_table({(1, factor): 1}, 1)


def _rewritten_exponent(value: Polynomial, units: Mapping[str, Fraction]) -> Polynomial:
    items, denominator = value.integers
    table: dict[Monomial, int] = {}
    for (radicand, powers), c in items:
        key = radicand, _as_powers(_net_powers(powers, units), units)
        table[key] = table.get(key, 0) + c
    return Polynomial.from_table(table, denominator)


def _net_powers(powers: Powers, units: Mapping[str, Fraction]) -> dict[str, int]:
    """Return the powers of a monomial, those of shared symbols in their units and with signs."""
    net: dict[str, int] = {}
    for name, power in powers:
        symbol, own = symbol_and_power(name)
        if symbol in units:
            net[symbol] = net.get(symbol, 0) + int(own / units[symbol]) * power
        else:
            net[name] = power
    return net


def _as_powers(net: Mapping[str, int], units: Mapping[str, Fraction]) -> Powers:
    named = {}
    for name, power in net.items():
        if power:
            unit = units.get(name)
            own = name if unit is None else power_name(name, unit if power > 0 else -unit)
            named[own] = abs(power)
    return tuple(sorted(named.items()))
