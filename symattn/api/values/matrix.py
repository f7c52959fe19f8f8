"""Matrices of a result, with what a user of SymPy tries on them."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NoReturn, overload

from symattn import late
from symattn.api.values.arguments import is_expression, kernel_of, orders_of, replacements_of
from symattn.api.values.decisions import are_equal, as_bool, hash_of
from symattn.api.values.entry import (
    DIGITS,
    Entry,
    EntryLike,
    entry_of,
    read_sympy,
    refuse_name,
    refuse_symbols,
    refuse_without_form,
)
from symattn.errors import InputError, ShapeError, expect
from symattn.exact import equality
from symattn.exact.field.sympy_polynomials import is_sympy_matrix, sympy_rows
from symattn.exact.linear import matrix as exact
from symattn.rendering import notebooks

if TYPE_CHECKING:
    import numpy as np

    from symattn.exact.interop.export import MpmathMatrix, SympyMatrix
else:
    np = late.module("numpy")


class Matrix:
    """An immutable matrix of exact numbers, n×m, or of functions of symbols.

    Iteration goes through all entries, row by row, as in SymPy; ``matrix[0]`` is a row. `*` takes a number, and `@`
    is the product; with a matrix of SymPy, the result is one of SymPy.

    >>> m = Matrix([[1, "1/2"], [0, -1]])
    >>> m.shape, m[0, 1], m @ m.T
    ((2, 2), 1/2, Matrix([[5/4, -1/2], [-1/2, 1]]))
    """

    __slots__ = ("_kernel",)

    def __init__(
        self, rows: Matrix | exact.Matrix | Sequence[Sequence[EntryLike]], meanings: Mapping[str, Any] | None = None
    ) -> None:
        """Make the matrix of these rows.

        Args:
            rows: the entries, row by row: numbers, entries, SymPy expressions; or a matrix, of SymPy too.
            meanings: what `sympy` puts for names, symbols of SymPy with their assumptions.

        Raises:
            InputError: no rows, no columns, or an entry that is not an exact number.
            ShapeError: rows of different lengths.
        """
        own: Mapping[str, Any] = meanings or {}
        made: Any = rows
        if isinstance(rows, (Matrix, exact.Matrix)):
            made, own = rows.rows, {**rows.meanings, **own}
        else:
            made = sympy_rows(rows) if is_sympy_matrix(rows) else exact.listed(rows)
            made, found = read_sympy([list(row) for row in made])
            own = {**found, **own}
        self._kernel = exact.Matrix(made, own)

    @classmethod
    def wrap(cls, matrix: exact.Matrix) -> Matrix:
        """Return a matrix of the kernel as one for people."""
        self = cls.__new__(cls)
        self._kernel = matrix
        return self

    @property
    def kernel(self) -> exact.Matrix:
        """The matrix as the kernel has it."""
        return self._kernel

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns.

        >>> Matrix([[1, 2, 3]]).shape
        (1, 3)
        """
        return self._kernel.shape

    @property
    def rows(self) -> exact.Rows:
        """The entries as the kernel has them, row by row; `tolist` has them for people."""
        return self._kernel.rows

    @property
    def meanings(self) -> Mapping[str, Any]:
        """The expressions of SymPy that names stand for: symbols, and powers of those under roots and fraction bars."""
        return self._kernel.meanings

    @property
    def symbols(self) -> frozenset[str]:
        """The names of the free symbols."""
        return self._kernel.symbols

    @property
    def T(self) -> Matrix:
        """The transpose.

        >>> Matrix([[1, 2]]).T
        Matrix([[1], [2]])
        """
        return Matrix.wrap(self._kernel.T)

    # Entries -----------------------------------------------------------------------------------------

    def __iter__(self) -> Iterator[Entry]:
        """Iterate over all entries, row by row."""
        return (Entry.wrap(value, self.meanings) for row in self.rows for value in row)

    def __len__(self) -> int:
        """Return the number of entries, as in SymPy."""
        rows, columns = self.shape
        return rows * columns

    @overload
    def __getitem__(self, index: tuple[int, int]) -> Entry: ...

    @overload
    def __getitem__(self, index: int | slice | tuple[int | slice, slice] | tuple[slice, int]) -> Matrix: ...

    def __getitem__(self, index: Any) -> Entry | Matrix:
        """Return an entry, ``m[0, 1]``, a row, ``m[0]`` or ``m[0, :]``, or any part, ``m[:, 1]``, as a matrix.

        Raises:
            InputError: an index that is neither a number nor a slice, or no entry is left.
            IndexError: no such row or column.
        """
        row, column = index if isinstance(index, tuple) and len(index) == 2 else (index, slice(None))
        lines = [self._places(item, axis) for axis, item in enumerate((row, column))]
        if isinstance(lines[0], int) and isinstance(lines[1], int):
            return Entry.wrap(self._kernel[lines[0], lines[1]], self.meanings)
        first, second = ([item] if isinstance(item, int) else item for item in lines)
        rows = [[self.rows[i][j] for j in second] for i in first]
        return Matrix.wrap(exact.Matrix(rows, self.meanings))

    def _places(self, item: Any, axis: int) -> int | range:
        size, word = self.shape[axis], ("row", "column")[axis]
        if isinstance(item, slice):
            return range(size)[item]
        try:
            return range(size)[operator.index(item)]
        except TypeError:
            raise InputError(
                "An entry is named by the numbers of its row and column, m[0, 1], and a row by one, m[0], "
                f"and this is of the type {type(item).__name__}."
            ) from None
        except IndexError:
            raise IndexError(f"There is no {word} {item}: there are {size}, counted from 0, as in m[0, 1].") from None

    def __setitem__(self, index: object, value: object) -> NoReturn:
        raise TypeError(
            "A Matrix does not change: write Matrix(rows) for another, m.tolist() has the rows of this one."
        )

    def tolist(self) -> list[list[Entry]]:
        """Return the entries as a list of rows.

        >>> Matrix([[1, "1/2"]]).tolist()
        [[1, 1/2]]
        """
        return [[Entry.wrap(value, self.meanings) for value in row] for row in self.rows]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:  # noqa: FBT001 - NumPy's signature
        """Return a NumPy array of the exact entries; floats are refused as `float` is.

        SymPy asks for it too, for the shape and the entries in a row, which it gets where NumPy is not installed.
        """
        if find_spec("numpy") is None:
            return SimpleNamespace(shape=self.shape, ravel=lambda: [entry for row in self.tolist() for entry in row])
        array = np.empty(self.shape, dtype=object)
        array[:] = self.tolist()
        return array if dtype is None else array.astype(dtype)

    # Arithmetic --------------------------------------------------------------------------------------

    def __matmul__(self, other: Any) -> Any:
        """Return the product.

        Raises:
            ShapeError: the shapes do not fit.
        """
        return self._joined(other, operator.matmul, "is multiplied by @ with a Matrix; write m * number for a number")

    def __rmatmul__(self, other: Any) -> Any:
        return other * self.sympy() if is_sympy_matrix(other) else self @ other

    def __add__(self, other: Any) -> Any:
        return self._joined(other, operator.add, "is added to a Matrix alone")

    def __radd__(self, other: Any) -> Any:
        return self if isinstance(other, int) and other == 0 else self + other  # `sum` begins with 0

    def __sub__(self, other: Any) -> Any:
        return self._joined(other, operator.sub, "is subtracted from a Matrix alone")

    def __rsub__(self, other: Any) -> Any:
        return -self + other

    def _joined(self, other: Any, operation: Callable[[Any, Any], Any], words: str) -> Any:
        if is_sympy_matrix(other):
            try:
                return operation(self.sympy(), other)
            except (TypeError, ValueError) as error:
                raise ShapeError(f"The matrix of SymPy does not fit ({error}): look at both shapes.") from error
        expect(other, (Matrix, exact.Matrix), f"A Matrix {words}")
        return Matrix.wrap(operation(self._kernel, kernel_of(other)))

    def __neg__(self) -> Matrix:
        return Matrix.wrap(-self._kernel)

    def __mul__(self, factor: Any) -> Any:
        """Return the matrix with every entry times one number."""
        if is_expression(factor):
            return self.sympy() * factor
        if isinstance(factor, (Matrix, exact.Matrix)) or is_sympy_matrix(factor):
            raise InputError("A product of matrices is written A @ B; m * number is for a number.")
        entry = entry_of(factor)
        return NotImplemented if entry is None else Matrix.wrap(self._kernel.scale(entry.kernel))

    __rmul__ = __mul__

    def __truediv__(self, divisor: Any) -> Any:
        """Return the matrix with every entry divided by one number."""
        if is_expression(divisor):
            return self.sympy() / divisor
        if isinstance(divisor, (Matrix, exact.Matrix)):
            raise InputError("A Matrix is divided by a number: write m / number.")
        entry = entry_of(divisor)
        return NotImplemented if entry is None else Matrix.wrap(self._kernel.scale(1 / entry.kernel))

    def __pow__(self, exponent: object) -> NoReturn:
        raise InputError("A power of a Matrix is written as a product, A @ A.")

    def scale(self, factor: EntryLike) -> Matrix:
        """Return the matrix with every entry times one number, as `*` does.

        Raises:
            InputError: the factor is not an exact number.

        >>> Matrix([[1, 2]]).scale("1/2")
        Matrix([[1/2, 1]])
        """
        return Matrix.wrap(self._kernel.scale(kernel_of(factor)))

    # Symbols -----------------------------------------------------------------------------------------

    def subs(self, *replacements: Any) -> Matrix:
        """Replace symbols, all at once: ``subs(x, 2)``, ``subs({x: 2, y: 3})`` or ``subs([(x, 2), (y, 3)])``.

        Args:
            replacements: symbols of SymPy or names of symbols, with numbers or polynomials.

        Raises:
            InputError: a symbol that does not occur, a value that is neither, or a denominator that becomes zero.

        >>> import sympy
        >>> x = sympy.Symbol("x")
        >>> Matrix([[x, 1]]).subs(x, 2)
        Matrix([[2, 1]])
        """
        found = replacements_of(replacements, self._kernel.names, self.meanings)
        rows = self._kernel.with_values(found.values).rows
        return Matrix.wrap(exact.Matrix(rows, {**self.meanings, **found.meanings}))

    substitute = subs

    def diff(self, *symbols: Any) -> Matrix:
        """Return the derivative of every entry, as `Entry.diff` takes it.

        Args:
            symbols: symbols of SymPy or names of symbols, each with its order behind it if that is not 1.

        Raises:
            InputError: something other than a symbol, or no symbol where there is none or are several.

        >>> import sympy
        >>> x = sympy.Symbol("x")
        >>> Matrix([[x**2, 1]]).diff(x)
        Matrix([[2*x, 0]])
        """
        named = orders_of(symbols, self.symbols)
        rows = [[entry.diff(*named).kernel for entry in row] for row in self.tolist()]
        return Matrix.wrap(exact.Matrix(rows, self.meanings))

    # Decisions ---------------------------------------------------------------------------------------

    def __eq__(self, other: object) -> bool:
        """Decide whether all entries are equal, with symbols as functions of them.

        Raises:
            UndecidedError: neither equality nor difference is proved.
            InputError: a list or an array.
        """
        if isinstance(other, (Matrix, exact.Matrix)):
            if self.shape != other.shape:
                return False
            pairs = zip(self._values, (value for row in other.rows for value in row), strict=True)
            # Two matrices that are undefined at the same places are the same.
            return all(a is b or are_equal(a, b) for a, b in pairs)
        if is_sympy_matrix(other):
            return as_bool(equality.equal(self._kernel, other))
        if hasattr(type(other), "__array__"):
            raise InputError("An array is compared by sa.compare(matrix, array), which tells errors in ulp.")
        if isinstance(other, (list, tuple)):
            raise InputError("A list is not compared as it stands: make a Matrix of it.")
        return NotImplemented

    def __hash__(self) -> int:
        """Return one hash for all equal matrices.

        Raises:
            TypeError: as `hash` of an entry.
        """
        return hash((self.shape, tuple(map(hash_of, self._values))))

    @property
    def _values(self) -> list[Any]:
        return [value for row in self.rows for value in row]

    def __lt__(self, other: object) -> NoReturn:
        raise TypeError("Matrices have no order: compare entries, as in a[0, 0] < b[0, 0].")

    __le__ = __gt__ = __ge__ = __lt__

    def __float__(self) -> NoReturn:
        raise TypeError(f"A Matrix is not a float: {DIGITS}, of all entries or of one, m[0, 0].")

    # Views -------------------------------------------------------------------------------------------

    def rounded(self, places: int, ties: str = "half-up") -> list[list[str]]:
        """Return certified decimals with `places` digits after the point.

        Args:
            places: the number of digits.
            ties: the rule for values half way between two neighbours.

        Raises:
            SymbolicValueError: an entry has a free symbol.

        >>> import symattn as sa
        >>> sa.softmax([0, 1]).A.rounded(4)
        [['0.2689', '0.7311']]
        """
        refuse_symbols(self)
        return self._kernel.rounded(places, ties)

    def digits(self, n: int, ties: str = "half-up") -> list[list[str]]:
        """Return certified decimals with `n` significant figures.

        Args:
            n: the number of figures.
            ties: the rule for values half way between two neighbours.

        Raises:
            SymbolicValueError: an entry has a free symbol.

        >>> import symattn as sa
        >>> sa.softmax([0, 28]).A.digits(4)
        [['6.914e-13', '1.000']]
        """
        refuse_symbols(self)
        return self._kernel.digits(n, ties)

    def evaluate(self, digits: int = 15) -> MpmathMatrix:
        """Return an mpmath matrix whose entries are correctly rounded to `digits` significant digits.

        Raises:
            SymbolicValueError: an entry has a free symbol.

        >>> str(Matrix([["1/3"]]).evaluate(50)[0])[:12]
        '0.3333333333'
        """
        refuse_symbols(self)
        return self._kernel.evaluate(digits)

    def sympy(self, symbols: Mapping[str, Any] | None = None) -> SympyMatrix:
        """Return the closed form as a ``sympy.ImmutableMatrix``, with the symbols that were put in.

        Args:
            symbols: SymPy symbols for names, instead of those that were put in.

        Raises:
            InputError: the symbols are not a mapping.
            UndecidedError: of an entry certified digits alone are known, not a closed form.

        >>> import symattn as sa
        >>> sa.softmax([0, 1]).A.sympy()
        Matrix([[1/(1 + E), E/(1 + E)]])
        """
        refuse_without_form(self._values)
        return self._kernel.sympy(symbols)

    def _sympy_(self) -> SympyMatrix:
        """Return the closed form, for the functions of SymPy."""
        return self.sympy()

    def latex(self) -> str:
        r"""Return the closed form as LaTeX, without dollars; `Result.latex` names each denominator once.

        Raises:
            UndecidedError: of an entry certified digits alone are known, not a closed form.

        >>> print(Matrix([[1, 2]]).latex())
        \begin{bmatrix} 1 & 2 \end{bmatrix}
        """
        refuse_without_form(self._values)
        return notebooks.latex_of(self._kernel)

    def _latex(self, _printer: object) -> str:
        """Return the closed form, for `sympy.latex`."""
        return self.latex()

    def _repr_latex_(self) -> str | None:
        """Return the closed form for notebooks that show LaTeX; None where it is long."""
        return notebooks.matrix_latex(self._kernel)

    def _repr_html_(self) -> str:
        """Return the closed form for notebooks, as MathML; of a large matrix certified digits of its first rows."""
        return notebooks.matrix_html(self._kernel)

    def __str__(self) -> str:
        """Return plain syntax, ``[[1, 1/2], [0, exp(2)]]``; of a large matrix its first rows."""
        return notebooks.matrix_text(self._kernel)

    def __repr__(self) -> str:
        text = str(self)
        return f"Matrix({text})" if text.startswith("[") else text

    def __getattr__(self, name: str) -> NoReturn:
        refuse_name("matrix", name)
