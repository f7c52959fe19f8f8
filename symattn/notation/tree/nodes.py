"""TRUSTED. The syntax tree of written mathematics, which keeps everything as it was written.

Nothing here is evaluated or reordered. A `Number` keeps its digits as typed, a `Product` the order
and the signs of its factors, a `Group` its brackets. Two things are not part of what a tree says and
are left out of comparison: where it stood in the source (`span`) and how it looked (`font`,
`bar`, `brackets` of a matrix).

Brackets that the layout implies are not nodes: the numerator and denominator of a `Division`, the
exponent of a `Power`, a `Root`, an index, an argument of a `Call`. All others are `Group` nodes, so a
tree such as ``Product((Sum(...), x))`` without a `Group` is ill formed, and the writers refuse it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field
from fractions import Fraction
from functools import lru_cache
from typing import Any, TypeAlias

from symattn.records import dataclass

Span: TypeAlias = tuple[int, int]
"""Start and end offsets in the source text, end exclusive."""


_CHUNK = 500  # decimal digits; CPython refuses to read integers beyond a limit that is never below 640


def _natural(digits: str) -> int:
    """Return the integer that digits stand for, whatever their number."""
    if len(digits) <= _CHUNK:
        return int(digits or "0")
    low = len(digits) // 2
    scale: int = 10**low
    return _natural(digits[:-low]) * scale + _natural(digits[-low:])


@lru_cache(maxsize=128)  # one numeral is asked for its value over and over, and one such as 1e999999 takes long
def _rational(text: str) -> Fraction:
    if len(text) <= _CHUNK:
        return Fraction(text)
    mantissa, _, exponent = text.partition("e")
    whole, _, part = mantissa.partition(".")
    return _natural(whole + part) * Fraction(10) ** (int(exponent or "0") - len(part))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Spanned:
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Number(_Spanned):
    r"""An unsigned decimal numeral as typed: ``"0.60"``, ``"3"``, ``"6.90e-13"``.

    The exponent form stands for the written ``6.90 \times 10^{-13}``.

    >>> Number("0.60").value, Number("0.60").places, Number("6.90e-3").value
    (Fraction(3, 5), 2, Fraction(69, 10000))
    """

    text: str

    @property
    def value(self) -> Fraction:
        """Return the exact rational that the digits say."""
        return _rational(self.text)

    @property
    def places(self) -> int:
        """Count the digits written after the point (of the mantissa, in exponent form)."""
        mantissa = self.text.partition("e")[0]
        return len(mantissa.partition(".")[2])

    @property
    def ulp(self) -> Fraction:
        """Return the size of one unit of the last digit that was written.

        >>> Number("0.60").ulp, Number("3").ulp, Number("37e-2").ulp == Fraction(1, 100)
        (Fraction(1, 100), Fraction(1, 1), True)
        """
        return Fraction(10) ** (int(self.text.partition("e")[2] or "0") - self.places)


@dataclass(frozen=True, slots=True)
class Name(_Spanned):
    """A name: one letter, a Greek letter spelt out (``"beta"``), a word or words (``"attention map"``)."""

    text: str
    font: str = field(default="", compare=False)
    """``""`` (math italic), ``"bold"``, ``"roman"``, ``"blackboard"``, ``"calligraphic"`` or ``"text"``."""


@dataclass(frozen=True, slots=True)
class Subscript(_Spanned):
    """``base_{i}`` or ``base_{i,j}``. ``Q_{31}`` has one index, 31; who binds the name splits it."""

    base: Node
    indices: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Transpose(_Spanned):
    r"""``base^\top``."""

    base: Node


@dataclass(frozen=True, slots=True)
class Negative(_Spanned):
    r"""A leading minus sign. It binds looser than products: ``-a \cdot b`` is ``Negative(Product(a, b))``."""

    body: Node


@dataclass(frozen=True, slots=True)
class Sum(_Spanned):
    """``a + b - c``: two or more terms and the operators between them, each ``"+"`` or ``"-"``."""

    terms: tuple[Node, ...]
    operators: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Product(_Spanned):
    """Two or more factors and what stands between them: ``"cdot"``, ``"times"`` or ``""`` (side by side)."""

    factors: tuple[Node, ...]
    operators: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Division(_Spanned):
    """A quotient, as a fraction with a bar or with a slash."""

    numerator: Node
    denominator: Node
    bar: bool = field(default=True, compare=False)


@dataclass(frozen=True, slots=True)
class Power(_Spanned):
    """``base^{exponent}``; ``e^{x}`` has the base ``Name("e")``."""

    base: Node
    exponent: Node


@dataclass(frozen=True, slots=True)
class Root(_Spanned):
    r"""``\sqrt{body}`` or ``\sqrt[degree]{body}``."""

    body: Node
    degree: Node | None = None


@dataclass(frozen=True, slots=True)
class Group(_Spanned):
    r"""Brackets that were written around one expression: ``(``, ``[`` or ``\{``."""

    body: Node
    brackets: str = "("


@dataclass(frozen=True, slots=True)
class Call(_Spanned):
    r"""A named function with arguments in round brackets: ``\exp(x)``, ``softmax(S)``, ``max(a, b)``.

    Only a `Name` from `FUNCTIONS` (or one that the reader was told of) calls; any other name before
    brackets is a product.
    """

    function: Name
    arguments: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class SumOver(_Spanned):
    r"""``\sum_{index=lower}^{upper} body``. The body reaches to the next plus, minus or relation.

    Without bounds (``\sum_j``) the index takes every value that it has. What is `excluded` is left out:
    ``\sum_{j \neq i}``. Two indices, ``\sum_{i,j}``, are a sum in a sum.
    """

    index: Name
    lower: Node | None
    upper: Node | None
    body: Node
    excluded: tuple[Node, ...] = ()


@dataclass(frozen=True, slots=True)
class Vector(_Spanned):
    """A list in brackets: ``(a, b, c)`` or ``[a, b, c]``; one item or more, ``(a,)`` never."""

    items: tuple[Node, ...]
    brackets: str = "("


@dataclass(frozen=True, slots=True)
class Matrix(_Spanned):
    """Rows of entries, all of one length."""

    rows: tuple[tuple[Node, ...], ...]
    brackets: str = field(default="[", compare=False)


@dataclass(frozen=True, slots=True)
class Dots(_Spanned):
    """An ellipsis: ``"cdots"``, ``"vdots"`` or ``"ddots"``; ``...`` in plain text."""

    shape: str = field(default="cdots", compare=False)


@dataclass(frozen=True, slots=True)
class Space(_Spanned):
    r"""A set of real matrices, ``\mathbb{R}^{3 \times 2}``: dimensions are nodes, one or two of them."""

    dimensions: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Boxed(_Spanned):
    r"""``\boxed{body}``: transparent, kept as a mark."""

    body: Node


@dataclass(frozen=True, slots=True)
class Relation(_Spanned):
    r"""A chain ``a = b \approx c``: one operator fewer than sides.

    Operators are ``=  ≈  ≡  ∈  ∼  →  ⇒  ≤  ≥  <  >  ≠  ⇔  ∝  ≫  ≪``. A side that was not written (a leading
    or a trailing ``=``) is ``None``, and only the first or the last can be.
    """

    sides: tuple[Node | None, ...]
    operators: tuple[str, ...]


Node: TypeAlias = (
    Number
    | Name
    | Subscript
    | Transpose
    | Negative
    | Sum
    | Product
    | Division
    | Power
    | Root
    | Group
    | Call
    | SumOver
    | Vector
    | Matrix
    | Dots
    | Space
    | Boxed
    | Relation
)

INFINITY = Name("infty")
"""Infinity as written; minus infinity is its `Negative`."""

MINUS_INFINITY = Negative(INFINITY)
"""A masked score as written."""

UNDEFINED = Name("-", "text")
"""The dash that stands where a value is undefined."""

FUNCTIONS = frozenset({
    "exp", "log", "ln", "softmax", "softargmax", "max", "min", "sqrt", "Var", "Cov", "tanh", "concat",
    "sin", "cos", "erf", "ReLU",
})  # fmt: skip
"""Names that take arguments in brackets."""

MEANS = frozenset({"E", "Var", "Cov"})
"""Functions that may have a condition in their brackets: ``Var(X | Y)``."""

PROOF_FUNCTIONS = MEANS | {"diff", "lim", "norm", "abs"}
"""Functions of proofs, most with a layout of their own: ``E(X, q)`` is the mean of X given q, ``diff(a, z)`` a
derivative, ``lim(b, oo, X)`` a limit. Readers and writers want to be told of them."""

RELATIONS = ("=", "≈", "≡", "∈", "∼", "→", "⇒", "≤", "≥", "<", ">", "≠", "⇔", "∝", "≫", "≪")
"""The operators of a `Relation`."""


def added(terms: Sequence[Node]) -> Node:
    """Return a sum, or its only term.

    >>> added([Name("a")]), added([Name("a"), Name("b")]).operators
    (Name(text='a', font=''), ('+',))
    """
    return terms[0] if len(terms) == 1 else Sum(tuple(terms), ("+",) * (len(terms) - 1))


def multiplied(factors: Sequence[Node], sign: str = "cdot") -> Node:
    """Return a product with one sign between all factors, or its only factor.

    >>> multiplied([Name("a"), Name("b"), Name("c")], "").operators
    ('', '')
    """
    return factors[0] if len(factors) == 1 else Product(tuple(factors), (sign,) * (len(factors) - 1))


def children(node: Node) -> tuple[Node, ...]:
    """Return the direct subtrees of a node, in the order in which they were written.

    >>> children(Division(Number("1"), Number("2")))
    (Number(text='1'), Number(text='2'))
    """
    return _CHILDREN[type(node)](node)


def _of_sigma(node: SumOver) -> tuple[Node, ...]:
    limits = (limit for limit in (node.lower, *node.excluded, node.upper) if limit is not None)
    return (node.index, *limits, node.body)


# A table, not a match: trees are walked at every turn, and a match would try one class after the other.
_CHILDREN: dict[type, Callable[[Any], tuple[Node, ...]]] = {
    Number: lambda _: (),
    Name: lambda _: (),
    Dots: lambda _: (),
    Subscript: lambda node: (node.base, *node.indices),
    Transpose: lambda node: (node.base,),
    Negative: lambda node: (node.body,),
    Group: lambda node: (node.body,),
    Boxed: lambda node: (node.body,),
    Sum: lambda node: node.terms,
    Product: lambda node: node.factors,
    Vector: lambda node: node.items,
    Space: lambda node: node.dimensions,
    Division: lambda node: (node.numerator, node.denominator),
    Power: lambda node: (node.base, node.exponent),
    Root: lambda node: (node.body,) if node.degree is None else (node.degree, node.body),
    Call: lambda node: (node.function, *node.arguments),
    SumOver: _of_sigma,
    Matrix: lambda node: tuple(entry for row in node.rows for entry in row),
    Relation: lambda node: tuple(side for side in node.sides if side is not None),
}
