"""The exact value of written arithmetic in somebody's work, names standing for their own numbers."""

from __future__ import annotations

from collections.abc import Mapping

from symattn.checking.figures import figure
from symattn.checking.graph import Valuation
from symattn.checking.layout import Resolve
from symattn.errors import InputError, NotationError
from symattn.exact.evaluate import Value, evaluate
from symattn.exact.matrix import Matrix
from symattn.exact.quotient import Quotient
from symattn.notation import tree as t


def value_in(
    node: t.Node, resolve: Resolve, valuation: Valuation, symbols: Mapping[str, Quotient] | None = None
) -> Quotient | None:
    """The value of scalar arithmetic, None where it has none or is not a single number."""
    number = figure(node)
    if number is not None:
        return None if number.mixed is not None else Quotient.of(number.value)
    value = matrix_in(node, resolve, valuation, symbols)
    if isinstance(value, Matrix):
        return value[0, 0] if value.shape == (1, 1) else None
    return value


def matrix_in(
    node: t.Node, resolve: Resolve, valuation: Valuation, symbols: Mapping[str, Quotient] | None = None
) -> Value | None:
    """The value of written arithmetic, None where it has none."""

    def lookup(name: t.Node, indices: Mapping[str, int]) -> Value | None:
        if isinstance(name, t.Name) and name.text in indices:
            return Quotient.of(indices[name.text])
        target = resolve(name, indices)
        if target is None:
            text = name.text if isinstance(name, t.Name) else ""
            return (symbols or {}).get(text)
        rows = [[valuation.get(target.name, i, j) for i, j in row] for row in target.cells]
        kept = [[value for value in row if value is not None] for row in rows]
        if any(len(a) != len(b) for a, b in zip(rows, kept, strict=True)):
            return None
        return kept[0][0] if target.only is not None else Matrix(kept)

    try:
        return evaluate(node, lookup)
    except (InputError, NotationError):
        return None
