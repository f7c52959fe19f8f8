"""TRUSTED. The border for SymPy expressions: sums, products, quotients and integer powers of exponentials.

Nodes are read one by one and nothing is rewritten by SymPy. A square root of a symbol, or a negative power
of one in an exponent, becomes a generator: with g = √x, or g = 1/x, everything is a quotient of exponential
sums in g, and x is a power of g. Functions of x > 0 are equal exactly when those of g > 0 are.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeAlias

from symattn.errors import InputError, UndecidedError, shown
from symattn.exact.constant_names import is_constant
from symattn.exact.expsum import ExpSum
from symattn.exact.generators import Generator
from symattn.exact.polynomial import Polynomial
from symattn.exact.power_names import HALF, power_name, symbol_and_power
from symattn.exact.quotient import Quotient
from symattn.exact.rational import rational
from symattn.exact.special import MINUS_INFINITY, UNDEFINED
from symattn.notation.limits import MAX_NAME

if TYPE_CHECKING:
    from symattn.exact.peers import SympyExpr

_MAX_POWER = 100
_MAX_DEPTH = 100
_MAX_NODES = 50_000

_Laurent: TypeAlias = "dict[tuple[tuple[str, Fraction], ...], Polynomial]"


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
                raise InputError(f"Two symbols with different assumptions are both called {node}: rename one.")
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
            raise InputError("An expression is nested too deeply or too long: expand or shorten it.")
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


class Reading:
    """Expressions that are read together, so that a symbol has one generator in all of them.

    >>> import sympy
    >>> x = sympy.Symbol("x")
    >>> first, second = 1 / (1 + sympy.exp(-x)), sympy.exp(x) / (sympy.exp(x) + 1)
    >>> reading = Reading([first, second])
    >>> reading.quotient(first) == reading.quotient(second)
    True
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

    def quotient(self, expression: SympyExpr) -> Quotient:
        """Return one of the expressions as a quotient of exponential sums in the generators.

        Raises:
            InputError: it is divided by zero, or a power is too large.
            UndecidedError: as above.
        """
        self._nodes = 0
        return self._value(expression, 0)

    def exponent(self, *factors: SympyExpr) -> Polynomial:
        """Return a product of expressions that was announced as an exponent, as a polynomial in the generators.

        Raises:
            InputError: a float, or an expression that is too long.
            UndecidedError: a factor is not made of numbers, symbols, sums, products and powers.

        >>> import sympy
        >>> q, d = sympy.symbols("q d")
        >>> str(Reading([], [(q, 1 / sympy.sqrt(d))]).exponent(q, 1 / sympy.sqrt(d)))
        'q/sqrt(d)'
        """
        self._nodes = 0
        return self._in_generators(self._product(factors))

    # Looking ahead -----------------------------------------------------------------------------------

    def _scan(self, node: SympyExpr, depth: int) -> None:
        self._count(node, depth)
        if self._is_symbol(node):
            self._name(node)
        elif isinstance(node, self._sympy.exp):
            self._note_exponent(self._laurent(node.args[0], depth + 1))
        elif node.is_Pow:
            if self._is_symbol(node.base) and node.exp.is_Rational and int(node.exp.q) == 2:
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

    def _count(self, node: SympyExpr, depth: int) -> None:
        self._nodes += 1
        if depth > _MAX_DEPTH or self._nodes > _MAX_NODES:
            raise InputError("An expression is nested too deeply or too long: expand or shorten it.")
        if not hasattr(type(node), "is_Rational"):
            raise InputError(f"{shown(node)} is neither a number nor an expression of SymPy: give one.")
        if node.is_Float:
            raise InputError(f"{node} is a floating-point number of SymPy: write a Rational.")

    def _is_symbol(self, node: SympyExpr) -> bool:
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
            raise InputError(f"Two symbols with different assumptions are both called {name}: rename one.")
        return name

    # Values ------------------------------------------------------------------------------------------

    def _value(self, node: SympyExpr, depth: int) -> Quotient:
        self._count(node, depth)
        if node.is_Rational:
            return Quotient(_fraction(node))
        if node is self._sympy.E:
            return Quotient(ExpSum.exp(1))
        if node is self._sympy.S.NegativeInfinity:
            return MINUS_INFINITY
        if node is self._sympy.S.NaN:
            return UNDEFINED
        if self._is_symbol(node):
            return self._power_of_symbol(node, Fraction(1))
        if isinstance(node, self._sympy.exp):
            return Quotient(ExpSum.exp(self._exponent(node.args[0], depth + 1)))
        if node.is_Add or node.is_Mul:
            parts = [self._value(part, depth + 1) for part in node.args]
            return _combined(parts, is_sum=bool(node.is_Add))
        if node.is_Pow:
            return self._power(node, depth)
        raise _undecided(node)

    def _power(self, node: SympyExpr, depth: int) -> Quotient:
        exponent = _small(node)
        if exponent.denominator == 1:
            return self._value(node.base, depth + 1) ** exponent.numerator
        if self._is_symbol(node.base):
            return self._power_of_symbol(node.base, exponent)
        return Quotient(_root(node)) ** exponent.numerator

    def _power_of_symbol(self, node: SympyExpr, power: Fraction) -> Quotient:
        item = self.generators[self._name(node)]
        return Quotient(Polynomial.symbol(item.name)) ** int(power / item.power)

    def _exponent(self, node: SympyExpr, depth: int) -> Polynomial:
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
        self._count(node, depth)
        if node.is_Rational:
            return {(): Polynomial(_fraction(node))}
        if self._is_symbol(node):
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
        exponent = _small(node)
        if self._is_symbol(node.base):
            name = self._name(node.base)
            if exponent.denominator == 2:
                self._with_root.add(name)
            return {((name, exponent),): Polynomial(1)}
        if exponent.denominator == 2:
            base: _Laurent = {(): _root(node)}
        else:
            base = self._laurent(node.base, depth + 1)
        if exponent < 0:
            base = _inverse(base, node)
        result: _Laurent = {(): Polynomial(1)}
        for _ in range(abs(exponent.numerator)):
            result = _multiplied(result, base)
        return result


def together(*values: Any) -> list[Any]:
    """Return the values, expressions of SymPy read together as quotients.

    The powers of a symbol in them are those of `symattn.exact.generators.with_shared_generators`.

    Raises:
        InputError: a float, or an expression that is divided by zero.
        UndecidedError: another function than exp.

    >>> together(1, "1/2")
    [1, '1/2']
    """
    reading = Reading(filter(is_sympy, values), both_signs=True)
    return [reading.quotient(value) if is_sympy(value) else value for value in values]


def with_symbols(rows: Iterable[Iterable[Quotient]], names: Mapping[str, SympyExpr]) -> SympyExpr:
    """Return a SymPy matrix of quotients, each name of the kernel as what it stands for.

    >>> with_symbols([[Quotient.of("1/2")]], {})
    Matrix([[1/2]])
    """
    from symattn.exact.matrix import Matrix  # it imports nothing from here
    from symattn.exact.peers import sympy_matrix

    return sympy_matrix(Matrix([list(row) for row in rows]), names)


def _combined(parts: list[Quotient], *, is_sum: bool) -> Quotient:
    result = Quotient(0 if is_sum else 1)
    is_plain = all(part.is_finite for part in parts)
    for part in by_denominator(parts) if is_sum and is_plain else parts:
        result = result + part if is_sum else result * part
    return result


def by_denominator(parts: Iterable[Quotient]) -> list[Quotient]:
    """Return terms of a sum with those of one denominator added up, so that no denominator is multiplied in twice.

    >>> e = ExpSum.exp(1)
    >>> [str(part) for part in by_denominator([Quotient(1, e + 1), Quotient(2), Quotient(e, 1 + e)])]
    ['(1 + exp(1))/(exp(1) + 1)', '2']
    """
    found: list[Quotient] = []
    for part in parts:
        for place, own in enumerate(found):
            if own.denominator == part.denominator:
                found[place] = own + part
                break
        else:
            found.append(part)
    return found


def _fraction(node: SympyExpr) -> Fraction:
    return rational(Fraction(int(node.p), int(node.q)))


def _small(node: SympyExpr) -> Fraction:
    if not node.exp.is_Rational or int(node.exp.q) > 2:
        raise UndecidedError(f"The exponent of {shown(node)} is neither an integer nor half of one.")
    exponent = _fraction(node.exp)
    if abs(exponent) > _MAX_POWER:
        raise InputError(f"An exponent lies beyond {_MAX_POWER}: use a smaller one.")
    return exponent


def _root(node: SympyExpr) -> Polynomial:
    if not node.base.is_Rational or node.base < 0:
        raise UndecidedError(f"{shown(node)} is a root of something else than a number >= 0 or one symbol.")
    return Polynomial.sqrt(_fraction(node.base))


def _undecided(node: SympyExpr) -> UndecidedError:
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
