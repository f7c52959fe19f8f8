"""Equality of two values, for people: a verdict with three values that shows itself."""

from __future__ import annotations

from typing import Any, NoReturn

from symattn.api.values.arguments import kernel_of
from symattn.api.values.entry import EntryLike
from symattn.api.values.matrix import Matrix
from symattn.errors import InputError, shortened
from symattn.exact import equality
from symattn.exact.field.sympy_polynomials import SympyExpr, is_sympy, is_sympy_matrix
from symattn.exact.linear import matrix as exact
from symattn.exact.linear.matrix_input import scalar
from symattn.rendering import notebooks


class Verdict(equality.Verdict):
    """The outcome of a comparison, its reason, and the evidence.

    Attributes:
        outcome: ``"equal"``, ``"different"`` or ``"undecided"``.
        reason: the proof in words, or what was tried.
        evidence: values or a counter-example.
        conditions: the denominators that must not vanish for both sides to have a value, ``"x ≠ 0"``.

    >>> Verdict("equal", "the same number").is_equal
    True
    """

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        """Return whether another verdict says the same.

        Raises:
            TypeError: a bool or a text, which a verdict never equals.
        """
        if isinstance(other, bool):
            bool(self)  # refuses
        if isinstance(other, str):
            raise TypeError(f"A Verdict is not text: ask .outcome == {shortened(other)!r}.")
        return super().__eq__(other)

    __hash__ = equality.Verdict.__hash__

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("_"):
            raise AttributeError(name)
        raise AttributeError(
            f"A Verdict has no {name}: ask .is_equal, .is_different, .is_undecided, .reason, .evidence or .conditions."
        )

    def _repr_html_(self) -> str:
        """Return the verdict for notebooks."""
        return notebooks.verdict_html(self)


def equal(a: Matrix | EntryLike | SympyExpr, b: Matrix | EntryLike | SympyExpr) -> Verdict:
    """Decide whether two exact values are equal; with symbols, as functions of them.

    A value is a number, an entry or a matrix of a result, or an expression or a matrix of SymPy. An expression
    is made of numbers, symbols, ``+``, ``*``, ``/``, integer powers, ``exp``, and square roots of rationals and
    of symbols, which stand for positive numbers then; or it is a real number of roots of any degree, inside each other
    too. What holds other functions is undecided; so are values with
    constants such as tanh(1) that are not equal by their form and that enclosures do not tell apart.
    Two `Piecewise` are compared where they tell the same cases. One expression on both sides is equal, whatever it
    holds. Symbols are real numbers; where a denominator of one side alone may vanish, `Verdict.conditions` says so.

    Args:
        a: one value.
        b: another.

    Raises:
        InputError: a float, something that is not a value, or two symbols of one name.

    >>> equal("1/3", "0.333").evidence
    ('the difference is 0.000333333',)
    >>> import sympy
    >>> equal(sympy.sqrt(2 + sympy.sqrt(3)), (sympy.sqrt(6) + sympy.sqrt(2)) / 2).outcome
    'equal'
    >>> x = sympy.Symbol("x")
    >>> equal(1 / (1 + sympy.exp(-x)), sympy.exp(x) / (sympy.exp(x) + 1)).outcome
    'equal'
    >>> equal((x**2 + x) / x, x + 1).conditions
    ('x ≠ 0',)
    >>> print(equal(sympy.sin(x) ** 2 + sympy.cos(x) ** 2, 1).reason)
    cos(x) is not made of numbers, symbols, +, *, /, powers and exp.
    """
    found = equality.equal(_value(a), _value(b))
    return Verdict(found.outcome, found.reason, found.evidence, found.conditions)


def _value(value: Any) -> Any:
    """Return a value as the kernel has it.

    Raises:
        InputError: it is not a value.
    """
    if is_sympy(value) or is_sympy_matrix(value) or isinstance(value, (list, tuple)):
        return value
    if hasattr(type(value), "jacobian") or hasattr(type(value), "kernel_matrix"):
        raise InputError(f"Matrices are compared, such as A, and this is of the type {type(value).__name__}.")
    found = kernel_of(value)
    return found if isinstance(found, exact.Matrix) else scalar(found)
