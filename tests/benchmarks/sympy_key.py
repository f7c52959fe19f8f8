"""What people would run instead: the matrices of the 3×3 problem in sympy, exact, rounded, and as LaTeX."""

from __future__ import annotations

import tomllib
from decimal import Decimal
from pathlib import Path

PROBLEM = Path(__file__).parent.parent.parent / "examples" / "ps4_self_attention.toml"


def main() -> None:
    """Print Q, K, V, the scores, the map and the outputs, in closed form and to two decimals."""
    import sympy  # inside, so that collecting this file as a test does not pay for it

    with PROBLEM.open("rb") as file:
        inputs = tomllib.load(file, parse_float=Decimal)["inputs"]
    x, w_q, w_k, w_v = (
        sympy.Matrix([[sympy.Rational(str(entry)) for entry in row] for row in inputs[name]])
        for name in ("X", "W_Q", "W_K", "W_V")
    )
    q, k, v = x * w_q, x * w_k, x * w_v
    scores = q * k.T
    exponentials = scores.applyfunc(sympy.exp)
    sums = exponentials * sympy.ones(exponentials.cols, 1)
    weights = sympy.Matrix(*scores.shape, lambda i, j: exponentials[i, j] / sums[i])
    outputs = weights * v
    print(r"\documentclass{article}\usepackage{amsmath}\begin{document}")
    for name, matrix in (("Q", q), ("K", k), ("V", v), ("S", scores), ("A", weights), ("O", outputs)):
        print(rf"\[ {name} = {sympy.latex(matrix)} \approx {sympy.latex(matrix.evalf(4))} \]")
    print(r"\end{document}")


if __name__ == "__main__":
    main()
