"""TRUSTED. The border for SymPy: polynomials, and exponents with roots and negative powers of symbols.

Nodes are read one by one and nothing is rewritten by SymPy. A square root of a symbol, or a negative power
of one in an exponent, becomes a generator: with g = √x, or g = 1/x, everything is a polynomial or an exponential in
g, and x is a power of g. Functions of x > 0 are equal exactly when those of g > 0 are.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import reduce
from typing import TYPE_CHECKING, Any, TypeAlias

from symattn import late
from symattn.errors import InputError, UndecidedError, shown
from symattn.exact.field.constant_names import is_constant
from symattn.exact.field.polynomial import Polynomial
from symattn.exact.field.power_names import HALF, power_name, symbol_and_power
from symattn.exact.numerals.rational import rational
from symattn.notation.tree.limits import MAX_NAME
from symattn.records import dataclass

if TYPE_CHECKING:
    import sympy
else:
    sympy = late.module("sympy")

SympyExpr: TypeAlias = Any  # sympy has no types

_MAX_POWER = 100
_MAX_DEPTH = 100
_MAX_NODES = 50_000
_TOO_LONG = "An expression is nested too deeply or too long: expand or shorten it."

_Laurent: TypeAlias = "dict[tuple[tuple[str, Fraction], ...], Polynomial]"
_Ratio: TypeAlias = tuple[Polynomial, Polynomial]
"""A numerator and a denominator, which is not zero."""

_ONE = Polynomial(1)


@dataclass(frozen=True, slots=True)
class Generator:
    """Meaning of a name of the kernel: a power of a SymPy symbol.

    Attributes:
        name: the name in the kernel.
        symbol: the symbol of SymPy.
        power: 1, or 1/2, -1, -1/2 where roots or negative powers of the symbol occur.
    """

    name: str
    symbol: Any
    power: Fraction

    @property
    def expression(self) -> SympyExpr:
        """The generator in SymPy."""
        return self.symbol ** sympy.Rational(self.power.numerator, self.power.denominator)


def is_sympy(value: object) -> bool:
    """Return whether a value is a scalar expression of SymPy; SymPy is not imported for the question.

    >>> is_sympy(1), is_sympy("x")
    (False, False)
    """
    sympy = sys.modules.get("sympy")
    return sympy is not None and isinstance(value, sympy.Basic) and not is_sympy_matrix(value)


def is_sympy_matrix(value: object) -> bool:
    """Return whether a value is a matrix of SymPy.

    >>> is_sympy_matrix([[1]])
    False
    """
    sympy: Any = sys.modules.get("sympy")
    return sympy is not None and isinstance(value, (sympy.MatrixBase, sympy.MatrixExpr, sympy.NDimArray))


def symbols_in(value: SympyExpr) -> dict[str, SympyExpr]:
    """Return the symbols in an expression or a matrix of SymPy, by their names.

    Raises:
        InputError: two symbols of one name, or an expression that is too long or nested too deeply.

    >>> import sympy
    >>> symbols_in(sympy.Symbol("x") + 1)
    {'x': x}
    """
    found: dict[str, SympyExpr] = {}
    parts = [entry for row in sympy_rows(value) for entry in row] if isinstance(value, _matrices()) else [value]
    for part in parts:
        for node in _nodes(part):
            if getattr(node, "is_Symbol", False) and found.setdefault(str(node), node) != node:
                raise two_symbols(str(node))
    return found


def _matrices() -> tuple[type, ...]:
    sympy = sys.modules["sympy"]
    return (sympy.MatrixBase, sympy.NDimArray)


def is_exact(value: SympyExpr) -> bool:
    """Return whether an expression of SymPy holds no floating-point number.

    Raises:
        InputError: the expression is too long or nested too deeply to look through.

    >>> import sympy
    >>> is_exact(sympy.Symbol("x") + 1), is_exact(sympy.Float(1))
    (True, False)
    """
    return not any(getattr(node, "is_Float", False) for node in _nodes(value))


def _nodes(value: SympyExpr) -> Iterator[SympyExpr]:
    """Iterate over all parts of an expression, itself first."""
    ahead = [(value, 0)]
    count = 0
    while ahead:
        node, depth = ahead.pop()
        yield node
        count += 1
        if depth > _MAX_DEPTH or len(ahead) + count > _MAX_NODES:
            raise InputError(_TOO_LONG)
        ahead.extend((part, depth + 1) for part in getattr(node, "args", ()))


def sympy_rows(value: Any) -> list[list[Any]]:
    """Return the entries of a SymPy matrix, a `MatrixSymbol` of known shape included.

    Raises:
        InputError: the shape has a symbol in it.
    """
    try:
        rows, columns = (int(side) for side in value.shape)
    except (TypeError, ValueError) as error:
        raise InputError(f"The shape {value.shape} of a matrix is not known: give numbers of rows and columns.") from (
            error
        )
    return [[value[i, j] for j in range(columns)] for i in range(rows)]


class PolynomialReader:
    """Expressions that are read together, so that a symbol has one generator in all of them.

    >>> import sympy
    >>> x = sympy.Symbol("x")
    >>> str(PolynomialReader([2 * x + 1]).polynomial(2 * x + 1))
    '2*x + 1'
    """

    def __init__(
        self,
        expressions: Iterable[SympyExpr],
        exponents: Iterable[Sequence[SympyExpr]] = (),
        *,
        both_signs: bool = False,
    ) -> None:
        """Look through all expressions for roots and negative powers.

        Args:
            expressions: values.
            exponents: what will stand in an exponent, each as factors that are multiplied.
            both_signs: read exponents that hold x and 1/x, with a name for each.

        Raises:
            InputError: a float, two symbols of one name, or an expression that is too long.
            UndecidedError: another function than exp, or exponents with x and 1/x.
        """
        # Whoever hands over an expression of sympy has loaded it; nothing else needs it.
        self._sympy: Any = sys.modules.get("sympy")
        self._nodes = 0
        self._both_signs = both_signs
        self._symbols: dict[str, Any] = {}
        self._with_root: set[str] = set()
        self._in_exponents: dict[str, set[bool]] = {}
        for expression in expressions:
            self._scan(expression, 0)
        for factors in exponents:
            self._note_exponent(self._product(factors))
        self.generators: dict[str, Generator] = {name: self._generator(name) for name in sorted(self._symbols)}

    def polynomial(self, expression: SympyExpr) -> Polynomial | None:
        """Return one of the expressions as a polynomial in the generators; None where it is not one.

        Raises:
            InputError: it is divided by zero, or a power is too large.
            UndecidedError: another function than exp.
        """
        self._nodes = 0
        found = self._ratio(expression, 0)
        if found is None:
            return None
        top, bottom = found
        value = top.divide(bottom) if top else top
        if value is not None:
            return value
        factor = Polynomial(top.terms[0][1] / bottom.terms[0][1])
        return factor if bottom * factor == top else None

    def exponent(self, *factors: SympyExpr) -> Polynomial:
        """Return a product of expressions that was announced as an exponent, as a polynomial in the generators.

        Raises:
            InputError: a float, or an expression that is too long.
            UndecidedError: a factor is not made of numbers, symbols, sums, products and powers.

        >>> import sympy
        >>> q, d = sympy.symbols("q d")
        >>> str(PolynomialReader([], [(q, 1 / sympy.sqrt(d))]).exponent(q, 1 / sympy.sqrt(d)))
        'q/sqrt(d)'
        """
        self._nodes = 0
        return self._in_generators(self._product(factors))

    # Looking ahead -----------------------------------------------------------------------------------

    def _scan(self, node: SympyExpr, depth: int) -> None:
        self.count(node, depth)
        if self.is_symbol(node):
            self._name(node)
        elif isinstance(node, self._sympy.exp):
            self._note_exponent(self._laurent(node.args[0], depth + 1))
        elif node.is_Pow:
            if self.is_symbol(node.base) and node.exp.is_Rational and int(node.exp.q) == 2:
                self._with_root.add(self._name(node.base))
            self._scan(node.base, depth + 1)
        else:
            for part in node.args if node.is_Add or node.is_Mul else ():
                self._scan(part, depth + 1)

    def _note_exponent(self, exponent: _Laurent) -> None:
        for monomial in exponent:
            for name, power in monomial:
                self._in_exponents.setdefault(name, set()).add(power > 0)

    def _generator(self, name: str) -> Generator:
        signs = self._in_exponents.get(name, set())
        if len(signs) == 2 and not self._both_signs:
            raise UndecidedError(f"Exponents hold both {name} and a power of it under a fraction bar.")
        unit = HALF if name in self._with_root else Fraction(1)
        power = -unit if signs == {False} else unit
        return Generator(power_name(name, power), self._symbols[name], power)

    def count(self, node: SympyExpr, depth: int) -> None:
        """Count a node of an expression.

        Raises:
            InputError: the expression is too long or too deep, holds a float, or is not one of SymPy.
        """
        self._nodes += 1
        if depth > _MAX_DEPTH or self._nodes > _MAX_NODES:
            raise InputError(_TOO_LONG)
        if not hasattr(type(node), "is_Rational"):
            raise InputError(f"{shown(node)} is neither a number nor an expression of SymPy: give one.")
        if node.is_Float:
            raise InputError(f"{node} is a floating-point number of SymPy: write a Rational.")

    def is_symbol(self, node: SympyExpr) -> bool:
        """Return whether it is a symbol or an entry of a `MatrixSymbol`, which one of an inverse is not."""
        if not isinstance(node, self._sympy.matrices.expressions.matexpr.MatrixElement):
            return bool(node.is_Symbol)
        return isinstance(node.parent, self._sympy.MatrixSymbol) and all(index.is_Integer for index in node.indices)

    def _name(self, node: SympyExpr) -> str:
        name = str(node)
        if node.is_commutative is False or node.is_zero:
            raise UndecidedError(f"{name} is not a symbol for any number: it does not commute, or is 0.")
        if len(name) > MAX_NAME:
            raise InputError(f"The name of a symbol has {len(name)} characters, more than {MAX_NAME}: rename it.")
        if is_constant(name):
            raise InputError(f"A symbol has the name of the constant {name}: rename it.")
        base, _ = symbol_and_power(name)
        if base != name:
            raise InputError(f"A symbol is called {name}, which stands for a power of {base}: rename it.")
        if self._symbols.setdefault(name, node) != node:
            raise two_symbols(name)
        return name

    # Polynomials -------------------------------------------------------------------------------------

    def _ratio(self, node: SympyExpr, depth: int) -> _Ratio | None:
        """Read a quotient of polynomials; None where an exponential, infinity or an undefined value occurs."""
        self.count(node, depth)
        if node.is_Rational:
            return Polynomial(fraction(node)), _ONE
        if self.is_symbol(node):
            return self._ratio_of_generator(node, Fraction(1))
        if node.is_Add or node.is_Mul:
            parts = [self._ratio(part, depth + 1) for part in node.args]
            known = [part for part in parts if part is not None]
            return reduce(_plus if node.is_Add else _times, known) if len(known) == len(parts) else None
        if node.is_Pow:
            return self._ratio_of_power(node, depth)
        if node in {sympy.E, sympy.S.NegativeInfinity, sympy.S.NaN} or isinstance(node, sympy.exp):
            return None
        raise unreadable(node)

    def _ratio_of_power(self, node: SympyExpr, depth: int) -> _Ratio | None:
        exponent = small_exponent(node)
        if exponent.denominator == 1:
            base = self._ratio(node.base, depth + 1)
        elif self.is_symbol(node.base):
            return self._ratio_of_generator(node.base, exponent)
        else:
            base = root(node), _ONE
        return None if base is None else _to_power(base, exponent.numerator)

    def _ratio_of_generator(self, node: SympyExpr, power: Fraction) -> _Ratio:
        item = self.generator(node)
        return _to_power((Polynomial.symbol(item.name), _ONE), int(power / item.power))

    def generator(self, node: SympyExpr) -> Generator:
        """Return the generator of a symbol.

        Raises:
            InputError: another symbol has its name.
        """
        return self.generators[self._name(node)]

    def exponent_of(self, node: SympyExpr, depth: int) -> Polynomial:
        """Return the argument of an exponential as a polynomial in the generators."""
        return self._in_generators(self._laurent(node, depth))

    def _product(self, factors: Sequence[SympyExpr]) -> _Laurent:
        product: _Laurent = {(): Polynomial(1)}
        for factor in factors:
            product = _multiplied(product, self._laurent(factor, 0))
        return product

    def _in_generators(self, value: _Laurent) -> Polynomial:
        total = Polynomial()
        for monomial, c in value.items():
            term = c
            for name, power in monomial:
                unit = self.generators[name].power
                count = int(power / unit)
                term *= Polynomial.symbol(power_name(name, unit if count > 0 else -unit)) ** abs(count)
            total += term
        return total

    # Exponents ---------------------------------------------------------------------------------------

    def _laurent(self, node: SympyExpr, depth: int) -> _Laurent:
        """Read an exponent: a sum of monomials whose powers may be negative or halves."""
        self.count(node, depth)
        if node.is_Rational:
            return {(): Polynomial(fraction(node))}
        if self.is_symbol(node):
            return {((self._name(node), Fraction(1)),): Polynomial(1)}
        if node.is_Add:
            return _added([self._laurent(part, depth + 1) for part in node.args])
        if node.is_Mul:
            product: _Laurent = {(): Polynomial(1)}
            for part in node.args:
                product = _multiplied(product, self._laurent(part, depth + 1))
            return product
        if node.is_Pow:
            return self._laurent_power(node, depth)
        raise UndecidedError(
            f"{shown(node)} stands in an exponent, where only numbers, symbols, +, *, / and powers can."
        )

    def _laurent_power(self, node: SympyExpr, depth: int) -> _Laurent:
        exponent = small_exponent(node)
        if self.is_symbol(node.base):
            name = self._name(node.base)
            if exponent.denominator == 2:
                self._with_root.add(name)
            return {((name, exponent),): Polynomial(1)}
        if exponent.denominator == 2:
            base: _Laurent = {(): root(node)}
        else:
            base = self._laurent(node.base, depth + 1)
        if exponent < 0:
            base = _inverse(base, node)
        result: _Laurent = {(): Polynomial(1)}
        for _ in range(abs(exponent.numerator)):
            result = _multiplied(result, base)
        return result


def _plus(first: _Ratio, second: _Ratio) -> _Ratio:
    return first[0] * second[1] + second[0] * first[1], first[1] * second[1]


def _times(first: _Ratio, second: _Ratio) -> _Ratio:
    return first[0] * second[0], first[1] * second[1]


def _to_power(base: _Ratio, exponent: int) -> _Ratio:
    top, bottom = base
    if exponent >= 0:
        return top**exponent, bottom**exponent
    if not top:
        raise InputError(f"{bottom} is divided by 0: give a denominator that is not zero.")
    return bottom**-exponent, top**-exponent


def fraction(node: SympyExpr) -> Fraction:
    """Return a rational number of SymPy."""
    return rational(Fraction(int(node.p), int(node.q)))


def small_exponent(node: SympyExpr) -> Fraction:
    """Return the exponent of a power, an integer or half of one.

    Raises:
        UndecidedError: it is another number.
        InputError: it is too large.
    """
    if not node.exp.is_Rational or int(node.exp.q) > 2:
        raise UndecidedError(f"The exponent of {shown(node)} is neither an integer nor half of one.")
    exponent = fraction(node.exp)
    if abs(exponent) > _MAX_POWER:
        raise InputError(f"An exponent lies beyond {_MAX_POWER}: use a smaller one.")
    return exponent


def root(node: SympyExpr) -> Polynomial:
    """Return the square root of the base of a power.

    Raises:
        UndecidedError: the base is not a rational number >= 0.
    """
    if not node.base.is_Rational or node.base < 0:
        raise UndecidedError(f"{shown(node)} is a root of something else than a number >= 0 or one symbol.")
    return Polynomial.sqrt(fraction(node.base))


def two_symbols(name: str) -> InputError:
    """Return the error for symbols that differ, and are called the same."""
    return InputError(f"Two symbols with different assumptions are both called {name}: rename one.")


def unreadable(node: SympyExpr) -> UndecidedError:
    """Return the error for an expression outside of the theory."""
    return UndecidedError(f"{shown(node)} is not made of numbers, symbols, +, *, /, powers and exp.")


def _added(parts: Iterable[_Laurent]) -> _Laurent:
    total: _Laurent = {}
    for part in parts:
        for monomial, c in part.items():
            total[monomial] = total.get(monomial, Polynomial()) + c
    return {monomial: c for monomial, c in total.items() if c}


def _multiplied(first: _Laurent, second: _Laurent) -> _Laurent:
    if len(first) * len(second) > _MAX_NODES:
        raise InputError("An exponent has too many terms to be written out: expand or shorten it.")
    return _added({_monomial(m, n): a * b} for m, a in first.items() for n, b in second.items())


def _monomial(
    first: tuple[tuple[str, Fraction], ...], second: tuple[tuple[str, Fraction], ...]
) -> tuple[tuple[str, Fraction], ...]:
    powers = dict(first)
    for name, power in second:
        powers[name] = powers.get(name, Fraction(0)) + power
    return tuple(sorted((name, power) for name, power in powers.items() if power))


def _inverse(value: _Laurent, node: SympyExpr) -> _Laurent:
    if not value:
        raise InputError(f"{shown(node)} is divided by 0.")
    if len(value) == 1:
        ((monomial, c),) = value.items()
        inverse = Polynomial(1).divide(c)
        if inverse is not None:
            return {tuple((name, -power) for name, power in monomial): inverse}
    raise UndecidedError(f"A sum with symbols stands under a fraction bar in an exponent: {shown(node)}.")
