"""One exact number of a result, with what a user of SymPy tries on it.

An entry is a value of the kernel together with the expressions of SymPy that its names stand for. What would lose
exactness without a word, `float` above all, is refused, and the message says what to write.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from fractions import Fraction
from numbers import Number
from operator import add, mul, sub, truediv
from typing import Any, NoReturn, TypeAlias

from symattn.api.values.arguments import derivative, is_expression, kernel_of, orders_of, replacements_of
from symattn.api.values.decisions import are_equal, hash_of
from symattn.errors import InputError, SymbolicValueError, UndecidedError, shortened
from symattn.exact.field.quotient import Quotient, QuotientLike
from symattn.exact.field.sympy_polynomials import SympyExpr, is_sympy
from symattn.exact.interop import sympy_reader
from symattn.exact.linear import matrix as exact
from symattn.exact.linear import matrix_input
from symattn.exact.reals.sign import compare
from symattn.rendering import notebooks

EntryLike: TypeAlias = "Entry | QuotientLike | Decimal"

DIGITS = "certified digits are .rounded(4) or .evaluate(50)"
_INSTEAD = {
    "evalf": ".evaluate(50)",
    "n": ".evaluate(50)",
    "transpose": ".T",
}
"""What to write for a name that SymPy or NumPy has; for any other, the method of the SymPy object."""


class Entry:
    """One exact number of a result, or function of its symbols; immutable.

    `+`, `-`, `*`, `/` and integer powers are exact, and give a SymPy expression where one takes part. `==`, `<` and
    their like decide; where nothing is proved they raise `UndecidedError`. `float` is refused, as it would drop digits.

    >>> import symattn as sa
    >>> weight = sa.softmax([0, 1]).A[0, 1]
    >>> weight, weight.rounded(4), weight > "1/2", weight + sa.softmax([0, 1]).A[0, 0] == 1
    (exp(1)/(1 + exp(1)), '0.7311', True, True)
    """

    __slots__ = ("_meanings", "_value")

    def __init__(self, value: EntryLike | SympyExpr, meanings: Mapping[str, Any] | None = None) -> None:
        """Take a number.

        Args:
            value: an int, Fraction, Decimal, numeral such as ``"1/3"``, SymPy expression, or another entry.
            meanings: the expressions of SymPy that names in it stand for.

        Raises:
            InputError: a float, or something that is not an exact number.
        """
        own: Mapping[str, Any] = {}
        if is_sympy(value):
            [[self._value]], own = read_sympy([[value]])
        else:
            self._value = matrix_input.scalar(value)
            own = value.meanings if isinstance(value, Entry) else {}
        self._meanings: Mapping[str, Any] = {**own, **(meanings or {})}

    @classmethod
    def wrap(cls, value: Quotient, meanings: Mapping[str, Any]) -> Entry:
        """Return a value of the kernel as an entry."""
        self = cls.__new__(cls)
        self._value, self._meanings = value, meanings
        return self

    @property
    def kernel(self) -> Quotient:
        """The value as the kernel has it."""
        return self._value

    @property
    def meanings(self) -> Mapping[str, Any]:
        """The expressions of SymPy that names stand for: symbols, and powers of those under roots and fraction bars."""
        return self._meanings

    @property
    def symbols(self) -> frozenset[str]:
        """The names of the free symbols.

        >>> Entry("1/2").symbols
        frozenset()
        """
        return self._value.symbols

    # Views -------------------------------------------------------------------------------------------

    @property
    def _cell(self) -> exact.Matrix:
        return exact.Matrix([[self._value]], self._meanings)

    def sympy(self, symbols: Mapping[str, Any] | None = None) -> SympyExpr:
        """Return the closed form as a SymPy expression, with the symbols that were put in.

        Args:
            symbols: SymPy symbols for names, instead of those that were put in.

        Raises:
            InputError: the symbols are not a mapping.
            UndecidedError: certified digits alone are known, not a closed form.

        >>> Entry("1/2").sympy() + 1
        3/2
        """
        refuse_without_form([self._value])
        return self._cell.sympy(symbols)[0, 0]

    def _sympy_(self) -> SympyExpr:
        """Return the closed form, for the functions of SymPy."""
        return self.sympy()

    def rounded(self, places: int, ties: str = "half-up") -> str:
        """Return the certified decimal with `places` digits after the point.

        Args:
            places: the number of digits.
            ties: the rule for values half way between two neighbours.

        Raises:
            SymbolicValueError: it has a free symbol.

        >>> Entry("2/3").rounded(2)
        '0.67'
        """
        refuse_symbols(self)
        return self._cell.rounded(places, ties)[0][0]

    def digits(self, n: int, ties: str = "half-up") -> str:
        """Return the certified decimal with `n` significant figures.

        Args:
            n: the number of figures.
            ties: the rule for values half way between two neighbours.

        Raises:
            SymbolicValueError: it has a free symbol.

        >>> Entry("2/300").digits(3)
        '0.00667'
        """
        refuse_symbols(self)
        return self._cell.digits(n, ties)[0][0]

    def evaluate(self, digits: int = 15) -> Any:
        """Return an mpmath number, correctly rounded to `digits` significant digits.

        Raises:
            SymbolicValueError: it has a free symbol.

        >>> str(Entry("1/3").evaluate(50))[:12]
        '0.3333333333'
        """
        refuse_symbols(self)
        return self._cell.evaluate(digits)[0]

    def latex(self) -> str:
        r"""Return the closed form as LaTeX, without dollars.

        Raises:
            UndecidedError: certified digits alone are known, not a closed form.

        >>> print(Entry("2/3").latex())
        \tfrac{2}{3}
        """
        refuse_without_form([self._value])
        return notebooks.latex_of(self._value)

    def _latex(self, _printer: object) -> str:
        """Return the closed form, for `sympy.latex`."""
        return self.latex()

    def _repr_latex_(self) -> str | None:
        """Return the value for notebooks that show LaTeX; None where it is long."""
        return notebooks.entry_latex(self._value)

    def _repr_html_(self) -> str:
        """Return the value for notebooks, as MathML."""
        return notebooks.entry_html(self._value)

    def __str__(self) -> str:
        """Return plain syntax, cut where it would fill a screen."""
        return notebooks.entry_text(self._value)

    __repr__ = __str__

    # Symbols -----------------------------------------------------------------------------------------

    def subs(self, *replacements: Any) -> Entry:
        """Replace symbols, all at once: ``subs(x, 2)``, ``subs({x: 2, y: 3})`` or ``subs([(x, 2), (y, 3)])``.

        Args:
            replacements: symbols of SymPy or names of symbols, with numbers or polynomials.

        Raises:
            InputError: a symbol that does not occur, a value that is neither, or a denominator that becomes zero.

        >>> import sympy, symattn as sa
        >>> x = sympy.Symbol("x")
        >>> sa.softmax([x, 0]).A[0, 0].subs(x, 2)
        exp(2)/(exp(2) + 1)
        """
        found = replacements_of(replacements, self._value.names, self._meanings)
        return Entry.wrap(self._value.with_values(found.values), {**self._meanings, **found.meanings})

    substitute = subs

    def diff(self, *symbols: Any) -> Entry:
        """Return a derivative: ``diff(x)``, ``diff(x, 2)``, ``diff(x, y)``, or ``diff()`` where there is one symbol.

        Args:
            symbols: symbols of SymPy or names of symbols, each with its order behind it if that is not 1.

        Raises:
            InputError: something other than a symbol, or no symbol where there is none or are several.

        >>> import sympy, symattn as sa
        >>> x = sympy.Symbol("x")
        >>> weight = sa.softmax([x, 0]).A[0, 0]
        >>> weight.diff(x) == weight * (1 - weight)
        True
        """
        value = self._value
        for symbol in orders_of(symbols, self.symbols):
            value = derivative(value, symbol, self._meanings)
        return Entry.wrap(value, self._meanings)

    # Arithmetic --------------------------------------------------------------------------------------

    def _with(self, other: Any, operation: Callable[[Any, Any], Any], *, is_turned: bool = False) -> Any:
        if is_expression(other):
            own = self.sympy()
            return operation(other, own) if is_turned else operation(own, other)
        entry = entry_of(other)
        if entry is None:
            return NotImplemented
        first, second = (entry, self) if is_turned else (self, entry)
        return Entry.wrap(operation(first.kernel, second.kernel), {**entry.meanings, **self._meanings})

    def __add__(self, other: Any) -> Any:
        return self._with(other, add)

    def __radd__(self, other: Any) -> Any:
        return self._with(other, add, is_turned=True)

    def __sub__(self, other: Any) -> Any:
        return self._with(other, sub)

    def __rsub__(self, other: Any) -> Any:
        return self._with(other, sub, is_turned=True)

    def __mul__(self, other: Any) -> Any:
        return self._with(other, mul)

    def __rmul__(self, other: Any) -> Any:
        return self._with(other, mul, is_turned=True)

    def __truediv__(self, other: Any) -> Any:
        return self._with(other, truediv)

    def __rtruediv__(self, other: Any) -> Any:
        return self._with(other, truediv, is_turned=True)

    def __pow__(self, exponent: Any) -> Any:
        if is_expression(exponent):
            return self.sympy() ** exponent
        if isinstance(exponent, (float, Fraction, Decimal)):
            raise InputError("The exponent of a power is a whole number: write .sympy() ** exponent for another one.")
        return Entry.wrap(self._value**exponent, self._meanings)

    def __neg__(self) -> Entry:
        return Entry.wrap(-self._value, self._meanings)

    def __pos__(self) -> Entry:
        return self

    def __abs__(self) -> Entry:
        return -self if self < 0 else self

    # Decisions ---------------------------------------------------------------------------------------

    def __eq__(self, other: object) -> bool:
        """Decide, with symbols as functions of them.

        Raises:
            UndecidedError: neither equality nor difference is proved.
            InputError: a float or a text, which are not exact numbers.
        """
        if isinstance(other, (Entry, Quotient)):
            return are_equal(self._value, other.kernel if isinstance(other, Entry) else other)
        if is_expression(other):
            return are_equal(self._value, other)
        if isinstance(other, str):
            raise InputError(f"{shortened(other)!r} is text: compare with Fraction({shortened(other)!r}).")
        found = entry_of(other)
        return NotImplemented if found is None else are_equal(self._value, found.kernel)

    def __hash__(self) -> int:
        """Return one hash for all equal entries, that of the number where it is an int or a Fraction.

        Raises:
            TypeError: constants such as tanh(1) or enclosures are in it, on whose equality nothing cheap decides.
        """
        return hash_of(self._value)

    def __lt__(self, other: Any) -> bool:
        return self._order(other, "<") < 0

    def __le__(self, other: Any) -> bool:
        return self._order(other, "<=") <= 0

    def __gt__(self, other: Any) -> bool:
        return self._order(other, ">") > 0

    def __ge__(self, other: Any) -> bool:
        return self._order(other, ">=") >= 0

    def _order(self, other: Any, relation: str) -> int:
        entry = other if is_expression(other) else entry_of(other)
        if entry is None:
            raise InputError(f"An entry {relation} a {type(other).__name__} has no meaning: compare it with a number.")
        values = sympy_reader.together(self._value, kernel_of(entry))
        first, second = map(Quotient.of, values)
        for value in (first, second):
            if value.symbols:
                raise SymbolicValueError(f"The order depends on {_listed(value)}: {_give_values(value)}.")
        return compare(first, second)

    def __bool__(self) -> bool:
        """Decide whether it is not zero."""
        return self != 0

    # Refused -----------------------------------------------------------------------------------------

    def __float__(self) -> NoReturn:
        raise TypeError(f"A float would drop digits of this exact number: {DIGITS}; or write float(x.evaluate(17)).")

    def __int__(self) -> NoReturn:
        raise TypeError("An int would drop digits of this exact number: write int(x.evaluate(17)) if you want that.")

    __trunc__ = __int__

    def __complex__(self) -> NoReturn:
        raise TypeError(f"A complex number would drop digits of this exact number: {DIGITS}.")

    def __round__(self, places: int | None = None) -> NoReturn:
        raise TypeError(f"Rounding is certified here: write .rounded({places or 0}).")

    def __format__(self, specification: str) -> str:
        if specification:
            raise TypeError(f"The format {shortened(specification)!r} would round a float: write .rounded(4).")
        return str(self)

    def __getattr__(self, name: str) -> NoReturn:
        refuse_name("entry", name)


def refuse_name(kind: str, name: str) -> NoReturn:
    """Refuse a name that entries and matrices lack.

    Raises:
        AttributeError: always; it says what to write instead.
    """
    if name.startswith("_"):
        raise AttributeError(name)  # asked for by tools, which expect no sentence
    instead = _INSTEAD.get(name)
    if instead is not None:
        raise AttributeError(f"There is no {name} here: write {instead}.")
    article = "An" if kind == "entry" else "A"
    raise AttributeError(f"{article} {kind} has no {name}: write .sympy().{name} where SymPy has it; {DIGITS}.")


def entry_of(value: Any) -> Entry | None:
    """Return a number as an entry; None where it is not a number.

    Raises:
        InputError: a float.
    """
    if isinstance(value, Entry):
        return value
    if isinstance(value, float):
        number = float(value)
        raise InputError(
            f"{number!r} is a binary float, seldom the number that was meant: "
            f"write Fraction('{number!r}') for its decimal, Fraction({number!r}) for its binary value."
        )
    if isinstance(value, (Number, str, Quotient)):
        return Entry.wrap(matrix_input.scalar(value), {})
    return None


def read_sympy(rows: list[list[Any]]) -> tuple[list[list[Quotient]], dict[str, Any]]:
    """Return rows of numbers, expressions of SymPy among them, and what the names in them stand for."""
    reading = sympy_reader.Reading([entry for row in rows for entry in row if is_sympy(entry)])
    meanings = {item.name: item.expression for item in reading.generators.values()}
    read = [[reading.quotient(x) if is_sympy(x) else Entry(x).kernel for x in row] for row in rows]
    return read, meanings


def refuse_symbols(value: Any) -> None:
    """Refuse a value whose digits depend on symbols.

    Raises:
        SymbolicValueError: it has a free symbol.
    """
    if value.symbols:
        raise SymbolicValueError(f"The digits depend on {_listed(value)}: {_give_values(value)}.")


def _listed(value: Any) -> str:
    return ", ".join(sorted(value.symbols))


def _give_values(value: Any) -> str:
    given = ", ".join(f"{name!r}: 2" for name in sorted(value.symbols))
    return f"give values first, as in .subs({{{given}}})"


def refuse_without_form(values: Any) -> None:
    """Refuse values that certified digits alone are known of.

    Raises:
        UndecidedError: one of them lacks a closed form.
    """
    if any(value.is_finite and not value.is_closed for value in values):
        raise UndecidedError(f"There is no closed form of this number: {DIGITS}.")
