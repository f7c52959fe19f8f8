r"""A matrix of softmax weights in closed form as LaTeX, with the sum under the bar of each row named once.

Written out in every entry, the sums of an n × n matrix have n^3 terms; named, n^2.
"""

from __future__ import annotations

from symattn.exact.field.expsum import ExpSum
from symattn.exact.field.polynomial import ONE, Polynomial
from symattn.exact.field.quotient import Quotient
from symattn.exact.linear.matrix import Matrix
from symattn.exact.numerals.integer_text import integer_text, natural_text
from symattn.graph.quantities.closed_forms import exponential_sum_tree, quotient_tree
from symattn.rendering.latex.typesetting import math


def closed_rows(matrix: Matrix, name: str = "A", total: str = "Z") -> str:
    r"""Return the matrix and the sums that it refers to: ``A = …, \quad Z_{1} = …``; other entries stay in full.

    Args:
        matrix: the weights.
        name: what the matrix is called, as LaTeX.
        total: what the sums of its rows are called; the row is their index.

    >>> from symattn.exact.linear.matrix import softmax_rows
    >>> print(closed_rows(softmax_rows(Matrix([["1/2", -3, 0]]))))
    A = \begin{pmatrix}
    \frac{e^{1/2}}{Z_{1}} & \frac{e^{-3}}{Z_{1}} & \frac{1}{Z_{1}}
    \end{pmatrix}
    \\ Z_{1} = e^{1/2} + e^{-3} + 1
    """
    powers: dict[Polynomial, str | None] = {}
    rows, sums = [], []
    for number, row in enumerate(matrix.rows, 1):
        label = f"{total}_{{{number}}}"
        shared = next((q.denominator for q in row if _is_over_sum(q)), None)
        texts = []
        for entry in row:
            if shared is not None and entry.is_finite and entry.is_closed and entry.denominator is shared:
                texts.append(f"\\frac{{{_sum_text(entry.numerator, powers)}}}{{{label}}}")
            else:
                texts.append(math(quotient_tree(entry)))
        rows.append(" & ".join(texts))
        if shared is not None:
            sums.append(f"\\\\ {label} = {_sum_text(shared, powers)}")
    body = " \\\\\n".join(rows)
    return "\n".join([f"{name} = \\begin{{pmatrix}}\n{body}\n\\end{{pmatrix}}", *sums])


def _is_over_sum(entry: Quotient) -> bool:
    return entry.is_finite and entry.is_closed and len(entry.denominator.integers[0]) > 1


def _sum_text(value: ExpSum, powers: dict[Polynomial, str | None]) -> str:
    """Return a sum of plain exponentials is put together from their texts; any other is written as a tree."""
    table, below = value.integers
    texts = []
    for (exponent, monomial), c in table.items():
        text = powers.get(exponent)
        if text is None:
            text = powers[exponent] = _power_text(exponent)
        if text is None or c != 1 or below != 1 or monomial != ONE:
            return math(exponential_sum_tree(value))
        texts.append(text)
    return " + ".join(texts)


def _power_text(exponent: Polynomial) -> str | None:
    """Return the exponential of a rational number, as the tree of it is written."""
    terms, below = exponent.integers
    if not terms:
        return "1"
    ((monomial, c), *others) = terms
    if others or monomial != ONE:
        return None
    if below == 1:
        return f"e^{{{integer_text(c)}}}"
    return f"e^{{{integer_text(c)}/{natural_text(below)}}}"
