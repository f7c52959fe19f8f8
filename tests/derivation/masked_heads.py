"""Scenes with masks and heads, put together by the rules alone, and the steps that made them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from symattn.exact.field.quotient import Quotient
from symattn.exact.linear.matrix import Matrix
from symattn.exact.reals.special_values import MINUS_INFINITY
from symattn.exact.rounding.quotients import Rounding
from symattn.graph.derivation_replay import Step, before_text, grid_text
from symattn.graph.quantities import quantity as q
from symattn.graph.quantities.definition import GIVEN, Definition, define
from symattn.graph.quantities.scene import Scene
from symattn.graph.rules import RULES, write_rounding
from symattn.notation.tree import nodes as t
from symattn.operations.softmax import Empty

Rows = Sequence[Sequence[int | str | Fraction | Quotient]]
LOW = MINUS_INFINITY
DISPLAY = Rounding(places=4)
_BY_DIGITS = frozenset("EZAOHC")


class Builder:
    """Quantities one after the other, each by one rule; with a rounding, every one of them is rounded."""

    def __init__(self, rounding: Rounding | None = None, products: Rounding | None = None) -> None:
        self.rounding = rounding
        self.products = products
        self.quantities: dict[str, q.Quantity] = {}
        self.steps: list[Step] = []

    def given(self, name: str, rows: Rows, *, vector: bool = False, scalar: bool = False) -> None:
        matrix = Matrix(rows)
        self.steps.append(Step(name, GIVEN, (), (), name, grid_text(matrix.rows)))
        self._add(name, matrix, matrix.rows, Definition(), vector=vector, scalar=scalar, is_given=True)

    def made(
        self,
        name: str,
        rule: str,
        premises: Sequence[str],
        arguments: Mapping[str, str] | None = None,
        *,
        vector: bool = False,
    ) -> None:
        options = dict(arguments or {})
        from_exact = tuple(self.quantities[item].exact.rows for item in premises)
        exact = RULES[rule].apply(from_exact, options)
        self._step(name, rule, premises, options, exact)
        carried = exact
        if self.rounding is not None:
            used = {"rounding": self.rounding, "products": self.products}
            known = {key: write_rounding(value) for key, value in used.items() if key in RULES[rule].options and value}
            carried = RULES[rule].apply(tuple(self.quantities[item].carried for item in premises), options | known)
            rests_on = [item if self.quantities[item].definition.rule == GIVEN else f"{item}~" for item in premises]
            self._step(f"{name}~", rule, rests_on, options | known, carried)
        self._add(name, q.exact_matrix(exact), carried, define(rule, *premises, **options), vector=vector)

    def _step(self, name: str, rule: str, premises: Sequence[str], options: Mapping[str, str], made: q.Grid) -> None:
        before = before_text(name, rule, tuple(premises))
        self.steps.append(Step(name, rule, tuple(options.items()), tuple(premises), before, grid_text(made)))

    def _add(
        self,
        name: str,
        exact: Matrix,
        carried: q.Grid,
        definition: Definition,
        *,
        vector: bool = False,
        scalar: bool = False,
        is_given: bool = False,
    ) -> None:
        letters, _, head = name.partition("^")
        self.quantities[name] = q.Quantity(
            name=name,
            symbol=_symbol(letters, head, "bold"),
            entry_symbol=_symbol(letters, head, ""),
            exact=exact,
            carried=carried,
            definition=definition,
            display=DISPLAY,
            rounding=None if is_given else self.rounding,
            products=None if is_given else self.products,
            style="decimal" if letters[0] in _BY_DIGITS else "rational",
            line_symbol=_symbol(letters.lower(), head, "bold") if letters in {"X", "Q", "K", "V"} else None,
            vector=vector,
            scalar=scalar,
            head=int(head or 0),
        )

    def scene(self) -> Scene:
        return Scene(self.quantities.values())


def _symbol(letters: str, head: str, font: str) -> t.Node:
    name: t.Node = t.Name(letters[0], font)
    if letters[1:]:
        name = t.Subscript(name, (t.Name(letters[1:]),))
        name = name if font else t.Group(name)
    if not head:
        return name
    label = t.Group(t.Number(head))
    if isinstance(name, t.Group):
        return t.Group(t.Power(name.body, label))
    return t.Power(name, label)


def masked(
    scores: Rows,
    mask: Rows,
    values: Rows,
    *,
    empty: Empty = "undefined",
    plus_one: bool = False,
    axis: q.Axis = "rows",
    rounding: Rounding | None = None,
) -> Builder:
    """Weights and outputs of given scores under a mask."""
    made = Builder(rounding)
    made.given("S", scores)
    made.given("M", mask)
    made.given("V", values)
    softmax(made, "", empty=empty, plus_one=plus_one, axis=axis)
    left, right = ("A", "V") if axis == "rows" else ("V", "A")
    made.made("O", "product", (left, right))
    return made


def softmax(
    made: Builder, head: str, *, empty: Empty = "undefined", plus_one: bool = False, axis: q.Axis = "rows"
) -> None:
    """From the scores of a head to its weights."""
    lines = {"axis": axis}
    made.made(f"L{head}", "mask", (f"S{head}", "M"))
    made.made(f"E{head}", "exponential", (f"L{head}",))
    made.made(f"Z{head}", "line-sum-plus-one" if plus_one else "line-sum", (f"E{head}",), lines, vector=True)
    if empty == "undefined":
        made.made(f"A{head}", "quotient", (f"E{head}", f"Z{head}"), lines)
    else:
        premises = (f"E{head}", f"Z{head}", f"L{head}")
        made.made(f"A{head}", "masked-quotient", premises, lines | {"empty": empty})


def heads(rounding: Rounding | None = None, products: Rounding | None = None) -> Builder:
    """Two heads of one query projection with a bias, a causal mask, joined, and their mean."""
    made = Builder(rounding, products)
    made.given("X", [[1, 2], [0, -1], ["1/2", 1]])
    made.given("WQ", [[1, 0, 2, -1], [0, 1, 1, "1/3"]])
    made.given("bQ", [[1, "1/8", 0, 5]], vector=True)
    made.given("K", [[1, 0], [1, 1], [0, 2]])
    made.given("V", [[1, 0], [0, 1], [3, "1/3"]])
    made.given("M", [[0, LOW, LOW], [0, 0, LOW], [0, 0, 0]])
    made.made("Q", "product-plus", ("X", "WQ", "bQ"))
    for number in (1, 2):
        start, stop, head = 2 * number - 1, 2 * number, f"^{number}"
        part = {"axis": "columns", "start": str(start), "stop": str(stop)}
        made.made(f"Q{head}", "part", ("Q",), part)
        made.made(f"S{head}", "product", (f"Q{head}", "K"), {"right": "transposed"})
        softmax(made, head)
        made.made(f"H{head}", "product", (f"A{head}", "V"))
    made.made("C", "join", ("H^1", "H^2"), {"axis": "columns"})
    made.made("G", "mean", ("H^1", "H^2"))
    return made
