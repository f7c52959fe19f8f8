"""TRUSTED. Partial derivatives of expressions, by the rules for sums, products, exponentials and chains."""

from __future__ import annotations

from collections.abc import Callable

from symattn.errors import InputError
from symattn.exact.indexed.expectation import is_mean
from symattn.exact.indexed.expression import DELTA, INVERSE, LOG, ONE, ROOT, ZERO, Atom, Expr, product, summed
from symattn.exact.indexed.terms import OF_MATRICES

_HALF = Expr(1) / 2


def derivative(expr: Expr, by: Atom[Expr]) -> Expr:
    """Return the partial derivative by a scalar or by one entry of an indexed quantity.

    Entries of one name are independent variables: ``d z[i] / d z[l]`` is ``delta[i, l]``.

    Args:
        expr: what is differentiated.
        by: a scalar, or an entry whose indices are free or fixed.

    Raises:
        InputError: the length of a sum or an expectation depends on it, or it has another number of indices.

    >>> from symattn.exact.indexed import indices as ix
    >>> x = Expr.scalar("x")
    >>> derivative(Expr.exp(x**2) / x, Atom("x")) == Expr.exp(x**2) * (2 - 1 / x**2)
    True
    >>> i, l, n = ix.free("i"), ix.free("l"), Expr.scalar("n")
    >>> derivative(Expr.sum_over(i, n, Expr.entry("z", i) ** 2), Atom("z", (l,))) == 2 * Expr.entry("z", l)
    True
    """
    total = ZERO
    for draft in expr.opened():
        if any(derivative(size, by).terms for _, size in draft.bounds):
            raise InputError(f"The length of a sum depends on {by.name}: it has no derivative by it.")
        whole = product(draft)
        change = whole * derivative(draft.exponent, by) if draft.exponent.terms else ZERO
        for atom, power in draft.factors.items():
            inner = _of_atom(atom, by)
            if inner.terms:
                change = change + whole * Expr.atom(atom, -1) * power * inner
        total = total + summed(change, draft.bounds)
    return total


def _of_atom(atom: Atom[Expr], by: Atom[Expr]) -> Expr:
    if atom.name == by.name and not atom.arguments:
        if len(atom.indices) != len(by.indices):
            raise InputError(
                f"{by.name} has {len(atom.indices)} indices in one place and {len(by.indices)} in another."
            )
        value = ONE
        for first, second in zip(atom.indices, by.indices, strict=True):
            value = value * Expr.delta(first, second)
        return value
    total = ZERO
    for position, argument in enumerate(atom.arguments):
        inner = derivative(argument, by)
        if inner.terms:
            total = total + _outer(atom, position) * inner
    return total


def _outer(atom: Atom[Expr], position: int) -> Expr:
    """Return the derivative of a function by one of its arguments; one that is not known gets a prime."""
    if is_mean(atom.name):
        raise InputError("The derivative of an expectation that is not worked out is not taken.")
    if atom.name in OF_MATRICES:
        raise InputError("The derivative of a determinant or of an inverse matrix is not taken.")
    if len(atom.arguments) == 1 and not atom.indices and atom.name in _KNOWN:
        return _KNOWN[atom.name](atom.arguments[0])
    return Expr.atom(Atom(f"{atom.name}'{position or ''}", atom.indices, atom.arguments))


_KNOWN: dict[str, Callable[[Expr], Expr]] = {
    INVERSE: lambda x: -(x.inverse() ** 2),
    LOG: lambda x: x.inverse(),
    ROOT: lambda x: _HALF / Expr.sqrt(x),
    "tanh": lambda x: 1 - Expr.function("tanh", x) ** 2,
    "sin": lambda x: Expr.function("cos", x),
    "cos": lambda x: -Expr.function("sin", x),
    DELTA: lambda _: ZERO,
}
