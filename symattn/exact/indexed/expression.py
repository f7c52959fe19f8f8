"""TRUSTED. Sums of products of indexed quantities, exponentials and functions, in canonical form.

An expression is a finite sum of terms, and a term is

    coefficient * sum over its bound indices of (atoms to integer powers) * exp(an expression)

with coefficients from Q(sqrt 2, sqrt 3, ...). An atom is a scalar, an entry of an indexed quantity, a
Kronecker delta, a function of expressions, or the inverse of an expression. The lengths of the sums are
expressions themselves (usually a scalar such as ``D``), so that a law is proved for every length at once.

What is done to reach the form holds for all values: deltas are summed away, exponentials of deltas are
expanded (``exp(c delta) = 1 + (exp(c) - 1) delta``), a sum of what does not depend on its index is a
multiple, a sum over the image of a permutation is the sum, bound indices are renamed so that the text of
the term is least, an inverse is cancelled against the sum that it inverts. So two expressions with one
form are equal. The converse is not claimed: `is_zero` answers True or "not shown".

Division, logarithms, square roots and negative powers say something only where they are defined; the
hypotheses of a theorem name that domain.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from typing import TypeAlias

from symattn.errors import InputError
from symattn.exact.field.polynomial import Polynomial
from symattn.exact.indexed import indices as ix
from symattn.exact.indexed import operations
from symattn.exact.indexed.effort import spend
from symattn.exact.indexed.indices import Index
from symattn.exact.indexed.normal_form import settled
from symattn.exact.indexed.operations import inverse_of, summed
from symattn.exact.indexed.terms import DELTA, INVERSE, LOG, ROOT, SPECIAL, Atom, Draft, Term, new_bound, plain

__all__ = ["DELTA", "INVERSE", "LOG", "ONE", "ROOT", "ZERO", "Atom", "Draft", "Expr", "ExprLike", "Term", "summed"]

_MAX_TERMS = 4_000
_COUNTED = 16  # so many terms that are put together count as one that is brought to its form
_MAX_POWER = 64
_MAX_BITS = 8_192
_MAX_HEIGHT = 8
_NUMBER_ONE = Polynomial(1)
_NO_INDICES: frozenset[Index] = frozenset()
_UNIT: Term[Expr] = Term((), (), None)

ExprLike: TypeAlias = "Expr | Polynomial | Fraction | int"


class Expr:
    """An immutable expression. Equal objects are equal; unequal ones may be equal too, see `is_zero`.

    >>> q, i, n = Expr.entry("q", ix.free("i")), ix.free("i"), Expr.scalar("n")
    >>> (Expr.sum_over(i, n, q) - Expr.sum_over(i, n, q + 1)).is_zero()
    False
    >>> (Expr.sum_over(i, n, q) - Expr.sum_over(i, n, q + 1) + n).is_zero()
    True
    """

    # What is worked out from the terms is kept: they never change.
    __slots__ = ("_drafts", "_hash", "_height", "_indices", "_key", "_names", "_own", "_table")

    def __init__(self, value: Polynomial | Fraction | int = 0) -> None:
        """Make a constant."""
        constant = value if isinstance(value, Polynomial) else Polynomial(value)
        if constant.symbols:
            raise InputError("The coefficients of an expression are numbers: a symbol is a scalar of its own.")
        self._set({Term((), (), None): constant} if constant else {})

    def _set(self, table: Mapping[Term[Expr], Polynomial]) -> None:
        if len(table) > _MAX_TERMS:
            raise InputError(f"An expression has more than {_MAX_TERMS} terms: take a smaller case.")
        if table and max(map(_bits, table.values())) > _MAX_BITS:
            raise InputError(f"A number has more than {_MAX_BITS} binary digits: take smaller ones.")
        items = [(term, c) for term, c in table.items() if c]
        if len(items) >= _COUNTED:
            spend(len(items) // _COUNTED)
        if len(items) > 1:
            items.sort(key=lambda item: item[0].key)
        self._table = tuple(items)
        self._height = max([term.height for term, _ in items], default=0)
        if self._height > _MAX_HEIGHT:
            raise InputError(f"Expressions are nested more than {_MAX_HEIGHT} deep: take them apart.")
        self._key: str | None = None
        self._hash: int | None = None
        self._indices: frozenset[Index] | None = None
        self._names: frozenset[str] | None = None
        self._drafts: tuple[Draft[Expr], ...] | None = None
        self._own: frozenset[Index] = _NO_INDICES

    @classmethod
    def of_terms(cls, items: Iterable[tuple[Term[Expr], Polynomial]]) -> Expr:
        """Return the sum of terms that are in their form, such as `terms` gives them."""
        table: dict[Term[Expr], Polynomial] = {}
        for term, c in items:
            known = table.get(term)
            table[term] = c if known is None else known + c
        self = cls.__new__(cls)
        self._set(table)
        return self

    @classmethod
    def of_draft(cls, draft: Draft[Expr]) -> Expr:
        """Return a draft brought to its form."""
        return cls.of_terms(settled(draft))

    # Making ----------------------------------------------------------------------------------------

    @classmethod
    def of(cls, value: ExprLike) -> Expr:
        """Return a number or an expression as an expression."""
        return value if isinstance(value, Expr) else cls(value)

    @classmethod
    def atom(cls, atom: Atom[Expr], power: int = 1) -> Expr:
        """Return one atom to an integer power."""
        if power and atom.name not in SPECIAL:
            return cls.of_terms([(Term((), ((atom, power),), None), _NUMBER_ONE)])
        return cls.of_draft(Draft([], {atom: power}, ZERO, _NUMBER_ONE))

    @classmethod
    def scalar(cls, name: str) -> Expr:
        """Return a number with a name, such as ``D`` or ``mu``."""
        return cls.atom(Atom(plain(name)))

    @classmethod
    def entry(cls, name: str, *indices: Index) -> Expr:
        """Return an entry of an indexed quantity: ``q[i]``, ``A[i, j]``."""
        return cls.atom(Atom(plain(name), indices))

    @classmethod
    def delta(cls, first: Index, second: Index) -> Expr:
        """Return the Kronecker delta: 1 where two indices have the same value, else 0."""
        return cls.atom(Atom(DELTA, tuple(sorted((first, second)))))

    @classmethod
    def function(cls, name: str, *arguments: ExprLike) -> Expr:
        """Return a function of expressions: ``exp``, ``log`` and ``sqrt``, or one known by its name alone."""
        known = {"exp": cls.exp, "log": cls.log, "sqrt": cls.sqrt}
        if name in known and len(arguments) == 1:
            return known[name](arguments[0])
        return cls.atom(Atom(plain(name), (), tuple(cls.of(argument) for argument in arguments)))

    @classmethod
    def exp(cls, exponent: ExprLike) -> Expr:
        """Return the exponential."""
        return cls.of_draft(Draft([], {}, cls.of(exponent), _NUMBER_ONE))

    @classmethod
    def log(cls, value: ExprLike) -> Expr:
        """Return the natural logarithm of what is positive; that of an exponential is its exponent."""
        inner = cls.of(value)
        known, rational = inner.logarithm, inner.rational()
        if rational is not None and rational <= 0:
            raise InputError(f"The logarithm of {rational} is not a real number: take one of a number > 0.")
        return known if known is not None else cls.atom(Atom(LOG, (), (inner,)))

    @classmethod
    def sqrt(cls, value: ExprLike) -> Expr:
        """Return the square root of what is not negative."""
        inner = cls.of(value)
        rational = inner.rational()
        if rational is not None:
            return cls(Polynomial.sqrt(rational))
        return cls.atom(Atom(ROOT, (), (inner,)))

    @classmethod
    def sum_over(cls, index: Index, size: ExprLike, body: ExprLike, excluded: Iterable[Index] = ()) -> Expr:
        """Return the sum of a body over every value of a free index, but for the excluded values.

        What is excluded is taken off the whole sum: the form is defined where the body is, there too.
        """
        inner, length = cls.of(body), cls.of(size)
        if ix.is_bound(index) or ix.is_moved(index) or ix.is_fixed(index) or index in length.indices:
            raise InputError("A sum runs over a plain index, and its length does not depend on that index.")
        apart = tuple(excluded)
        if not apart:
            return summed(inner, [(index, length)])
        # What is excluded may have the name of the index, and is another one then.
        new = new_bound()
        inner = inner.replaced(index, new)
        for value in apart:
            inner = inner * (1 - cls.delta(new, value))
        return summed(inner, [(new, length)])

    # Looking ---------------------------------------------------------------------------------------

    @property
    def terms(self) -> tuple[tuple[Term[Expr], Polynomial], ...]:
        """The terms with their coefficients, in one order."""
        return self._table

    @property
    def key(self) -> str:
        """One text for each form."""
        found = self._key
        if found is None:
            found = self._key = "+".join([f"({c})*{term.key}" for term, c in self._table])
        return found

    @property
    def height(self) -> int:
        """The nesting depth of expressions."""
        return self._height

    @property
    def indices(self) -> frozenset[Index]:
        """The free and fixed indices, without the permutations around them."""
        found = self._indices
        if found is None:
            found = self._indices = _NO_INDICES.union(*(term.free for term, _ in self._table))
        return found

    @property
    def names(self) -> frozenset[str]:
        """The names of all atoms, those inside of others included."""
        found = self._names
        if found is None:
            parts = [expr.names for term, _ in self._table for expr in term.inner]
            for term, _ in self._table:
                parts.append(frozenset(atom.name for atom, _ in term.factors))
                parts.extend(argument.names for atom, _ in term.factors for argument in atom.arguments)
            found = self._names = frozenset[str]().union(*parts)
        return found

    def rational(self) -> Fraction | None:
        """Return the number, where it is a rational one."""
        if not self._table:
            return Fraction(0)
        if len(self._table) == 1 and self._table[0][0] == _UNIT:
            return self._table[0][1].rational()
        return None

    @property
    def is_single(self) -> bool:
        """True where it is one product without a sum, the inverse of which is another."""
        return len(self._table) == 1 and not self._table[0][0].sizes

    @property
    def only_atom(self) -> tuple[Atom[Expr], int] | None:
        """The atom and its power, where it is one and no more."""
        if not self.is_single or self._table[0][1] != _NUMBER_ONE:
            return None
        term = self._table[0][0]
        return term.factors[0] if term.exponent is None and len(term.factors) == 1 else None

    @property
    def logarithm(self) -> Expr | None:
        """The exponent, where it is an exponential and no more."""
        if not self.is_single or self._table[0][0].factors or self._table[0][1] != _NUMBER_ONE:
            return None
        exponent = self._table[0][0].exponent
        return ZERO if exponent is None else exponent

    def part_with(self, index: Index) -> Expr:
        """Return the terms in which an index occurs."""
        return Expr.of_terms((term, c) for term, c in self._table if index in term.free)

    def atoms(self) -> Iterator[Atom[Expr]]:
        """Iterate over the atoms, those inside of others included."""
        for term, _ in self._table:
            inner = list(term.inner)
            for atom, _ in term.factors:
                yield atom
                inner.extend(atom.arguments)
            for expr in inner:
                yield from expr.atoms()

    def is_zero(self) -> bool:
        """Return whether it is shown to be zero wherever it is defined; False says nothing."""
        return operations.is_zero(self)

    def equals(self, other: ExprLike) -> bool:
        """Return whether it is shown to be equal to another."""
        return self == other or (self - other).is_zero()

    # Reckoning -------------------------------------------------------------------------------------

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Expr | Polynomial | Fraction | int):
            return NotImplemented
        if self is other:
            return True
        return self._table == (other if isinstance(other, Expr) else Expr(other))._table

    def __hash__(self) -> int:
        found = self._hash
        if found is None:
            found = self._hash = hash(self._table)
        return found

    def __neg__(self) -> Expr:
        return Expr.of_terms((term, -c) for term, c in self._table)

    def __add__(self, other: ExprLike) -> Expr:
        right = Expr.of(other)
        if not right._table:
            return self
        return Expr.of_terms((*self._table, *right._table)) if self._table else right

    __radd__ = __add__

    def __sub__(self, other: ExprLike) -> Expr:
        return self + -Expr.of(other)

    def __rsub__(self, other: ExprLike) -> Expr:
        return -self + other

    def __mul__(self, other: ExprLike) -> Expr:
        right = Expr.of(other)
        if len(self._table) * len(right._table) > _MAX_TERMS:
            raise InputError(f"A product has more than {_MAX_TERMS} terms: take a smaller case.")
        for number, value in ((right, self), (self, right)):
            # A number times what is in its form is so again.
            if not number._table:
                return number
            if len(number._table) == 1 and number._table[0][0] == _UNIT:
                return value._times(number._table[0][1])
        found: list[tuple[Term[Expr], Polynomial]] = []
        others = right.apart_from(self.indices)
        for first in self.apart_from(right.indices | right._own):
            for second in others:
                found.extend(settled(first.times(second)))
        return Expr.of_terms(found)

    def _times(self, number: Polynomial) -> Expr:
        if number == _NUMBER_ONE:
            return self
        return Expr.of_terms((term, c * number) for term, c in self._table)

    __rmul__ = __mul__

    def __truediv__(self, other: ExprLike) -> Expr:
        return self * Expr.of(other).inverse()

    def __rtruediv__(self, other: ExprLike) -> Expr:
        return Expr.of(other) * self.inverse()

    def __pow__(self, exponent: int) -> Expr:
        return self.power(exponent)

    def power(self, exponent: int) -> Expr:
        """Return the expression to an integer power."""
        if abs(exponent) > _MAX_POWER:
            raise InputError(f"The exponent {exponent} is beyond {_MAX_POWER}: take a smaller one.")
        if exponent < 0:
            return self.inverse().power(-exponent)
        if self.is_single and exponent > 1:
            term, c = self._table[0]
            factors = {atom: n * exponent for atom, n in term.factors}
            above = ZERO if term.exponent is None else term.exponent * exponent
            return Expr.of_draft(Draft([], factors, above, c if c == _NUMBER_ONE else c**exponent))
        result = ONE
        for _ in range(exponent):
            result = result * self
        return result

    def inverse(self) -> Expr:
        """Return one over the expression.

        Raises:
            InputError: it is zero.
        """
        return inverse_of(self)

    def replaced(self, old: Index, new: Index) -> Expr:
        """Replace one index by another."""
        if ix.root(old) not in self.indices:
            return self
        drafts = self.apart_from((ix.root(new), new))
        return Expr.of_terms(item for draft in drafts for item in settled(draft.replaced(old, new)))

    def renamed(self, names: Mapping[Index, Index]) -> Expr:
        """Rename plain indices, all at once."""
        own = self.indices
        if own.isdisjoint(names):
            return self
        given = {old: new for old, new in names.items() if old in own}
        drafts = self.apart_from(given.values())
        return Expr.of_terms(item for draft in drafts for item in settled(draft.renamed(given)))

    def mapped(self, change: Callable[[Atom[Expr]], Expr | None]) -> Expr:
        """Replace every atom by what `change` gives, from the inside out; None leaves it."""
        return operations.mapped(self, change)

    def mapped_arguments(self, values: Mapping[Expr, Expr]) -> Expr:
        """Replace the arguments of the outermost functions and inverses."""
        return operations.mapped_arguments(self, values)

    def opened(self) -> Iterator[Draft[Expr]]:
        """Iterate over the terms taken apart, each bound index under a name of its own."""
        for term, c in self._table:
            exponent = ZERO if term.exponent is None else term.exponent
            if not term.sizes:
                yield Draft([], dict(term.factors), exponent, c)
                continue
            bounds = list(zip(term.bounds(), term.sizes, strict=True))
            yield Draft(bounds, dict(term.factors), exponent, c).opened()

    def apart_from(self, indices: Iterable[Index]) -> tuple[Draft[Expr], ...]:
        """Return the opened terms, for callers that normalise drafts at once and change none of them.

        The names are kept from one time to the next, since what is made of them holds none of them any more; others
        are taken where one of them stands among the indices that meet them.
        """
        if self._drafts is None:
            self._drafts = tuple(self.opened())
            self._own = frozenset(index for draft in self._drafts for index, _ in draft.bounds)
        return self._drafts if self._own.isdisjoint(indices) else tuple(self.opened())

    def __str__(self) -> str:
        return " + ".join(f"({c})*{term.key}" for term, c in self._table) or "0"

    def __repr__(self) -> str:
        return f"Expr({self})"


def _bits(value: Polynomial) -> int:
    """Return the bit length of the numbers in a coefficient."""
    numbers, denominator = value.integers
    if len(numbers) == 1:
        return max(numbers[0][1].bit_length(), denominator.bit_length())
    return max([abs(number).bit_length() for _, number in numbers] + [denominator.bit_length()])


ZERO = Expr()
ONE = Expr(1)


def product(draft: Draft[Expr], change: Callable[[Atom[Expr], int], Expr] = Expr.atom) -> Expr:
    """Return a term without its sums, each power of an atom as it is or as it is changed."""
    value = Expr.exp(draft.exponent) * draft.coefficient
    for atom, power in draft.factors.items():
        value = value * change(atom, power)
    return value
