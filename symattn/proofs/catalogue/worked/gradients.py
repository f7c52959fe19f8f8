"""Numbers of the gradients of an attention layer."""

from __future__ import annotations

from symattn.exact.field.quotient import Quotient
from symattn.exact.linear.matrix import Matrix, softmax_rows
from symattn.exact.rounding.quotients import Rounding, decimal
from symattn.proofs.catalogue.authoring.theorem import Line, Values
from symattn.proofs.catalogue.worked.layers import parse_scores, reduced, weights

_DIGITS = 20
_LONGEST = 100  # characters of a closed form that is still worth printing

_X1 = Matrix([[-1, 1, 0], [0, 1, 0]])
_X2 = Matrix([[-1, 1], [0, 1], [1, 1], [2, 0]])
_WQ = Matrix([[0, -1], [1, 1], [-1, 0]])
_WK = Matrix([[1, 0], [-1, 1]])
_WV = Matrix([[-1, 0, 1, 2], [1, -1, 0, -2]])


def gradients_of(x_1: Matrix, x_2: Matrix, w_q: Matrix, w_k: Matrix, w_v: Matrix) -> dict[str, Matrix]:
    """Return the gradients of the sum of all outputs of an unscaled cross-attention layer, by name.

    >>> found = gradients_of(Matrix([[1]]), Matrix([[1], [1]]), Matrix([[1]]), Matrix([[1]]), Matrix([[2]]))
    >>> found["dV"] == Matrix([["1/2"], ["1/2"]])
    True
    """
    q, k, v = x_1 @ w_q, x_2 @ w_k, x_2 @ w_v
    a = softmax_rows(q @ k.T)
    g = Matrix([[1] * v.shape[1]] * q.shape[0])
    d_v, d_a = a.T @ g, g @ v.T
    rows = []
    for weight_row, slope_row in zip(a.rows, d_a.rows, strict=True):
        pulled = sum((x * y for x, y in zip(weight_row, slope_row, strict=True)), Quotient.of(0))
        rows.append([x * (y - pulled) for x, y in zip(weight_row, slope_row, strict=True)])
    d_s = Matrix(rows)
    d_q, d_k = d_s @ k, d_s.T @ q
    return {
        "dV": d_v,
        "dA": d_a,
        "dS": d_s,
        "dQ": d_q,
        "dK": d_k,
        "dW_Q": x_1.T @ d_q,
        "dW_K": x_2.T @ d_k,
        "dW_V": x_2.T @ d_v,
    }


def _line(text: str, value: Quotient) -> Line:
    exact = reduced(value)
    written = str(exact)
    return Line(text, written if len(written) <= _LONGEST else "", decimal(exact, Rounding(figures=_DIGITS)))


def gradient_lines(_values: Values) -> tuple[Line, ...]:
    """Return every entry of the gradients of a small layer, and the derivatives of a cross-entropy."""
    lines = [
        _line(f"{name}[{i},{j}]", entry)
        for name, matrix in gradients_of(_X1, _X2, _WQ, _WK, _WV).items()
        for i, row in enumerate(matrix.rows, 1)
        for j, entry in enumerate(row, 1)
    ]
    where = "unscaled cross-attention of 2 tokens to 4, the loss being the sum of all outputs, as in the next rows"
    lines[0] = Line(f"{lines[0].text}, {where}", lines[0].exact, lines[0].digits)
    scores = parse_scores("0, ln 2, ln 3") or ()
    p = weights(scores)
    shown = "for the scores 0, ln 2, ln 3 and class 1"
    for j, weight in enumerate(p):
        where = f", {shown}, as in the next rows" if j == 0 else ""
        lines.append(_line(f"the derivative of the cross-entropy by score {j + 1}{where}", weight - int(j == 0)))
    for i, one in enumerate(p):
        for j, other in enumerate(p):
            entry = one * ((1 if i == j else 0) - other)
            lines.append(_line(f"its second derivative by scores {i + 1} and {j + 1}", entry))
    return tuple(lines)
