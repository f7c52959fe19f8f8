"""A problem with definitions of its own becomes worked quantities, in the order of the sheet.

A definition that has the shape of one of the definitions of a layer (a product, exponentials, a softmax, a mask) is
worked as that; of any other one each entry is a formula in entries. What stands inside a product, a softmax, an
exponential, a sum of lines or a mask becomes a quantity of its own first, with a number over the name of what it is
for: in ``O = softmax(S) V`` the weights are ``O^{(1)}``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias

from symattn.errors import InputError
from symattn.exact.field.quotient import Quotient
from symattn.exact.linear.matrix import Matrix
from symattn.exact.rounding.quotients import Rounding
from symattn.graph.builders.layer import Layer
from symattn.graph.builders.names import Naming, declared, of_head
from symattn.graph.builders.quantity_builder import QuantityBuilder, has_exponentials
from symattn.graph.quantities import quantity as q
from symattn.graph.quantities.closed_forms import quotient_tree
from symattn.graph.quantities.definition import Definition, Factor, define
from symattn.notation.tree import nodes as t
from symattn.notation.tree.precedence import factor as as_factor
from symattn.notation.tree.precedence import term as as_term
from symattn.operations.formulas.formula import Apply, Constant, Formula, Ref, Transposed, is_of, make, names_in
from symattn.operations.formulas.formula import parts as parts_of
from symattn.operations.sheet_formulas import entries_text, premise_entry
from symattn.problem.components import formulas as f
from symattn.problem.model import Problem
from symattn.problem.settings.conventions import Shape
from symattn.problem.values.checks import PYTHON

_SOFTMAXES = ("softmax", "softmax-over", "masked-quotient")

_OWN = ("product", *_SOFTMAXES, "exponential", "line-sum", "total-line", "mask-where")
"""What is a quantity of its own wherever it stands."""

_CONSTANTS = frozenset({"e", "pi"})
"""What always means a number in a key."""

_MINUS_ONE = Quotient.of(-1)

Name: TypeAlias = Callable[[str, int, int], t.Node]
"""How an entry of a quantity is written, counted from 1."""


def defined_layer(problem: Problem) -> Layer:
    """Work out every definition of a problem, exactly and under its rounding policy.

    Raises:
        InputError: a definition that cannot be worked out, with its name.

    >>> p = Problem.build(inputs={"X": [[1, 2]]}, definitions={"S": "X X^T / sqrt(2)"})
    >>> str(defined_layer(p).exact("S")[0, 0])
    '5/2*sqrt(2)'
    """
    builder = _Builder(problem)
    for name, formula in problem.definitions.items():
        try:
            builder.define(name, formula)
        except InputError as error:
            source = "" if problem.source == PYTHON else f"{problem.source}: "
            raise type(error)(f"{source}[definitions] {name}: {error}") from error
    return replace(builder.made(), formulas=builder.formulas)


class _Builder(QuantityBuilder):
    """Makes the quantities of the definitions, with the rules and the roundings of a layer."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem, {})
        self.steps: dict[str, str] = {}
        self.known: dict[Formula, str] = {}
        self.formulas: dict[str, Formula] = {}
        self.labels = (*problem.inputs, *problem.definitions)
        formulas = problem.definitions.values()
        self.has_one_softmax = sum(_count(formula, *_SOFTMAXES) for formula in formulas) == 1
        self.has_one_mask = sum(_count(formula, "mask-where") for formula in formulas) == 1
        for name, matrix in problem.inputs.items():
            self.steps[name] = ""
            self.given(name, matrix)

    # From formulas to quantities ---------------------------------------------------------------------

    def define(self, name: str, formula: Formula) -> None:
        """Make one definition, and before it the quantities that it needs."""
        self._make(name, formula, name)

    def _make(self, name: str, formula: Formula, goal: str) -> None:
        match formula:
            case Apply("product", _, (left, right)):
                operands = self._operand(left, goal), self._operand(right, goal)
                self.steps[name] = self._step_of_product(operands)
                self.product(name, *operands)
            case Apply("softmax", along, (of,)):
                self._softmax(name, self._named(of, goal), along.axis)
            case Apply("softmax-over", together, (of,)):
                self._softmax(name, self._named(of, goal), together.over, extra=together.more)
            case Apply("masked-quotient", filled, (_, _, of)):
                self._softmax(name, self._named(of, goal), filled.axis, empty=filled.empty)
            case Apply("exponential", _, (of,)):
                self._exponential(name, self._named(of, goal))
            case Apply("total-line", _, (of,)):
                self._column_sums(name, self._named(of, goal))
            case Apply("line-sum", _, (of,)):
                self._line_sums(name, self._named(of, goal), "rows")
            case Apply("mask-where", meaning, (of, by)):
                self._masked(name, self._named(of, goal), by, goal, is_seen=meaning.one == "seen")
            case Apply("part", lines, (of,)):
                whole = self._named(of, goal)
                self.steps[name] = ""
                self.derived(name, define("part", whole, axis=lines.axis, start=lines.start, stop=lines.stop))
            case Apply("join", along, parts) if all(isinstance(part, Ref) for part in parts):
                names = tuple(part.name for part in parts if isinstance(part, Ref))
                self.steps[name] = ""
                self.derived(name, define("join", *names, axis=along.axis))
            case Apply("quotient", along, (Ref(above), Ref(below))) if self._is_line_of_numbers(below):
                self.steps[name] = "weights"
                self.derived(name, define("quotient", above, below, axis=along.axis))
            case Apply("sum", _, (Ref(left), Ref(right))) if self.shapes[left] == self.shapes[right]:
                self.steps[name] = self._step_of((left, right))
                self.derived(name, define("sum", left, right))
            case Apply("difference", _, (Ref(left), Ref(right))) if self.shapes[left] == self.shapes[right]:
                self.steps[name] = self._step_of((left, right))
                self.derived(name, define("difference", left, right))
            case _:
                self._written(name, self._opened(formula, goal))

    def _named(self, formula: Formula, goal: str) -> str:
        """Return the name of the quantity that a formula is, made first where it has none."""
        if isinstance(formula, Ref):
            return formula.name
        # What it is made of comes first, so that the numbers go up in the order of the work.
        ready = self._ready(formula, goal)
        if ready not in self.known:
            self.known[ready] = self._fresh(goal)
            self._make(self.known[ready], ready, goal)
        return self.known[ready]

    def _ready(self, formula: Formula, goal: str) -> Formula:
        """Return a formula with its parts under names."""
        if not isinstance(formula, Apply) or not is_of(formula, *_OWN, "part"):
            return self._opened(formula, goal)
        if is_of(formula, "masked-quotient"):
            scores = self._ready_part(formula.operands[2], goal)
            return f.softmax(scores, formula.params.axis, empty=formula.params.empty)
        ready = self._ready_operand if is_of(formula, "product") else self._ready_part
        return replace(formula, operands=tuple(ready(operand, goal) for operand in formula.operands))

    def _ready_part(self, formula: Formula, goal: str) -> Ref:
        return Ref(self._named(formula, goal))

    def _ready_operand(self, formula: Formula, goal: str) -> Formula:
        name, is_turned = self._operand(formula, goal)
        return Transposed(Ref(name)) if is_turned else Ref(name)

    def _operand(self, formula: Formula, goal: str) -> Factor:
        if isinstance(formula, Transposed):
            name, is_turned = self._operand(formula.of, goal)
            return name, not is_turned
        return self._named(formula, goal), False

    def _fresh(self, goal: str) -> str:
        """Return a new name for an intermediate quantity: ``O^1``, ``O^2``."""
        number = 1
        while f"{goal}^{number}" in self.steps:
            number += 1
        self.steps[f"{goal}^{number}"] = ""
        return f"{goal}^{number}"

    def _letter(self, letter: str, *, is_alone: bool | None = None) -> str:
        """Return ``E``, or ``E^1`` with several softmaxes (or masks) or if the sheet uses the letter otherwise."""
        taken = {head for label in (*self.labels, *self.problem.symbols) for head in _heads(label)}
        is_alone = self.has_one_softmax if is_alone is None else is_alone
        return letter if is_alone and not taken & {letter, letter.lower()} else self._fresh(letter)

    # What a layer knows too --------------------------------------------------------------------------

    def _exponential(self, name: str, scores: str) -> None:
        self.steps[name] = "exponentials"
        self.derived(name, define("exponential", scores))

    def _line_sums(self, name: str, of: str, axis: q.Axis, *, extra: bool = False) -> None:
        self.steps[name] = "row_sums"
        self.derived(name, define("line-sum-plus-one" if extra else "line-sum", of, axis=axis), vector=True)

    def _column_sums(self, name: str, of: str) -> None:
        """Add the sum of all rows, which is one row."""
        self.steps[name] = "row_sums"
        self.derived(name, define("total-line", of, axis="rows"))

    def _softmax(self, name: str, scores: str, axis: f.Axis, *, extra: bool = False, empty: str = "") -> None:
        logits = scores
        over: q.Axis = "columns" if axis == "columns" else "rows"
        if self.policy.shift and axis != "all" and not extra and not self.quantities[scores].exact.symbols:
            scores = self._shifted(scores, over)
        exponentials, sums = self._letter("E"), self._letter("Z")
        self._exponential(exponentials, scores)
        if axis == "all":
            lines = self._letter("N")
            self._line_sums(lines, exponentials, "rows")
            self._line_sums(sums, lines, "columns", extra=extra)
            self._written(name, f.ratio(Ref(exponentials), Ref(sums), "all"), "weights")
            return
        self._line_sums(sums, exponentials, over, extra=extra)
        self.steps[name] = "weights"
        made = define("quotient", exponentials, sums, axis=over)
        if empty:
            made = define("masked-quotient", exponentials, sums, logits, axis=over, empty=empty)
        self.derived(
            name, made, form=None if over == "rows" or extra else _softmax_of_columns(self.quantities[logits].symbol)
        )

    def _shifted(self, scores: str, axis: q.Axis) -> str:
        """Return the scores less the largest of their line."""
        largest, name = self._letter("m"), self._letter("D")
        # Nobody rounds them: what they are made of has its digits already.
        self.steps[largest] = self.steps[name] = ""
        self.derived(largest, define("line-maximum", scores, axis=axis), vector=True)
        self.derived(name, define("shift", scores, largest, axis=axis))
        return name

    def _masked(self, name: str, scores: str, by: Formula, goal: str, *, is_seen: bool) -> None:
        """Add the masked scores; the mask may be one row for all."""
        shape = self.shapes[scores]
        mask = self._named(by, goal)
        if self.shapes[mask] != shape:
            whole, rows = self._fresh(goal), range(1, shape[0] + 1)
            height, width = self.shapes[mask]
            ones = [[(i if height > 1 else 1, j if width > 1 else 1) for j in range(1, shape[1] + 1)] for i in rows]
            self._by_entries(whole, mask, ones)
            above, beside = ([[1]] * shape[0], [[1] * shape[1]])
            spread: Formula = Ref(mask) if height > 1 else make("product", Constant(Matrix(above)), Ref(mask))
            self.formulas[whole] = spread if width > 1 else make("product", spread, Constant(Matrix(beside)))
            mask = whole
        added = self._letter("M", is_alone=self.has_one_mask)
        self.steps[added] = ""
        self.derived(added, define("hide", mask, one="seen" if is_seen else "hidden"))
        self.steps[name] = ""
        self.derived(name, define("mask", scores, added))

    # What is written out -----------------------------------------------------------------------------

    def _opened(self, formula: Formula, goal: str) -> Formula:
        """Return the same with what is a quantity of its own under a name."""
        if is_of(formula, *_OWN):
            return Ref(self._named(formula, goal))
        match formula:
            case Transposed(of):
                return Transposed(self._opened(of, goal))
            case Apply(operands=operands):
                return replace(formula, operands=tuple(self._opened(operand, goal) for operand in operands))
        return formula

    def _written(self, name: str, formula: Formula, step: str = "") -> None:
        """Add a quantity each entry of which is a formula in entries of others."""
        self.formulas[name] = formula
        is_same, premises = not isinstance(formula, Apply) or is_of(formula, "join"), names_in(formula)
        self.steps[name] = "" if is_same else step or self._step_of(premises)
        rows, columns = f.shape_of(formula, self.shapes)
        numbers = {premise: number for number, premise in enumerate(premises, 1)}

        def each(named: Name) -> tuple[tuple[t.Node, ...], ...]:
            across = range(1, columns + 1)
            return tuple(tuple(self._entry(formula, i, j, named) for j in across) for i in range(1, rows + 1))

        text = entries_text(each(lambda premise, i, j: premise_entry(numbers[premise], i, j)))
        self.derived(name, define("written", *premises, entries=text), form=self._whole(formula))

    def _by_entries(self, name: str, of: str, places: list[list[tuple[int, int]]]) -> None:
        """Add a quantity each entry of which is an entry of another."""
        text = entries_text([[premise_entry(1, *place) for place in row] for row in places])
        self.derived(name, define("written", of, entries=text))

    def _whole(self, formula: Formula) -> t.Node | None:
        """Return a formula in whole quantities, for the few that can be read as one."""
        match formula:
            case Ref(name):
                return self.quantities[name].symbol
            case Transposed(Ref(name)):
                return t.Transpose(self.quantities[name].symbol)
            case Apply("scale", _, (Constant(values), Ref(name))):
                return t.Product((as_factor(quotient_tree(values[0, 0])), self.quantities[name].symbol), ("",))
        return None

    def _entry(self, formula: Formula, row: int, column: int, named: Name) -> t.Node:
        match formula:
            case Ref(name):
                return named(name, row, column)
            case Transposed(of):
                return self._entry(of, column, row, named)
            case Constant(values):
                return quotient_tree(values[row - 1, column - 1])
            case Apply("scale", _, (Constant(values), of)):
                inner, number = self._entry(of, row, column, named), values[0, 0]
                return t.Negative(as_factor(inner)) if number == _MINUS_ONE else _product(quotient_tree(number), inner)
            case Apply("sum" | "difference" as operation, _, (left, right)):
                first, second = (self._spread(part, row, column, named) for part in (left, right))
                return _sum(first, "+" if operation == "sum" else "-", second)
            case Apply("entrywise", _, (left, right)):
                return _product(self._spread(left, row, column, named), self._spread(right, row, column, named))
            case Apply("quotient" | "entrywise-quotient"):
                above, below = f.of_ratio(formula)
                return t.Division(self._entry(above, row, column, named), self._spread(below, row, column, named))
            case Apply("part", lines, (of,)):
                across, before = lines.axis == "columns", lines.start - 1
                return self._entry(of, row + (0 if across else before), column + (before if across else 0), named)
            case Apply("join", along, parts):
                return self._joined_entry(parts, along.axis, (row, column), named)
        raise InputError(f"{f.text_of(formula)} is not worked out entry by entry.")

    def _spread(self, formula: Formula, row: int, column: int, named: Name) -> t.Node:
        """Return an entry of what may be one row, one column or one number for all."""
        rows, columns = f.shape_of(formula, self.shapes)
        return self._entry(formula, row if rows > 1 else 1, column if columns > 1 else 1, named)

    def _joined_entry(self, parts: tuple[Formula, ...], axis: f.Lines, place: Shape, named: Name) -> t.Node:
        row, column = place
        for part in parts:
            rows, columns = f.shape_of(part, self.shapes)
            if row <= rows and column <= columns:
                return self._entry(part, row, column, named)
            row, column = (row, column - columns) if axis == "columns" else (row - rows, column)
        raise InputError(f"The entry ({place[0]},{place[1]}) is outside of the joined matrices.")

    # Roundings and names -----------------------------------------------------------------------------

    def _is_line_of_numbers(self, name: str) -> bool:
        return self.quantities[name].vector

    def _step_of(self, names: tuple[str, ...]) -> str:
        """Return the rounding step of a quantity: outputs if it depends on exponentials, else scores."""
        return "outputs" if any(self.quantities[name].style == "decimal" for name in names) else "scores"

    def _step_of_product(self, operands: tuple[Factor, Factor]) -> str:
        names = tuple(name for name, _ in operands)
        return "projections" if all(name in self.problem.inputs for name in names) else self._step_of(names)

    def _roundings(self, name: str) -> tuple[Rounding | None, Rounding | None]:
        step, recipe = self.steps[name], self.recipes[name]
        products = self.policy.at("products") if recipe.rule == "product" else None
        return (self.policy.at(step) if step else None), products

    def _step(self, name: str) -> str:
        return self.steps[name]

    def _style(self, name: str, matrix: Matrix, definition: Definition) -> q.Style:
        """Return the style of a quantity; exponentials, and quantities that depend on them, are shown with digits."""
        made = (self.quantities[premise].style == "decimal" for premise in self.recipes[name].premises)
        is_decimal = definition.rule == "exponential" or has_exponentials(matrix) or any(made)
        return "decimal" if is_decimal else "rational"

    def _naming(self, name: str) -> Naming:
        label, _, number = name.partition("^")
        taken = {*self.labels, *self.problem.symbols} - {label}
        if label not in self.labels:
            taken.add(label.upper())  # m stays small beside M
        return of_head(declared(self._unmistaken(label), taken), int(number or 0))

    def _unmistaken(self, label: str) -> str:
        """Return a name of the sheet, changed if a key would read it as a number or as an entry of another quantity."""
        head, _, index = label.partition("_")
        if label in _CONSTANTS:
            return f"{label}'"
        if not index.isdigit() or head not in {*self.labels, *self.problem.symbols}:
            return label
        found = f"{head}{index}"
        while found in self.labels:
            found += "'"
        return found


def _heads(label: str) -> tuple[str, str]:
    """Return a name and what it is an index of."""
    return label, label.partition("_")[0]


def _count(formula: Formula, *operations: str) -> int:
    """Count the applications of some operations in a formula."""
    return is_of(formula, *operations) + sum(_count(part, *operations) for part in parts_of(formula))


def _softmax_of_columns(scores: t.Node) -> t.Node:
    """Return the form of a softmax down the columns, which its name alone does not say."""
    return t.Transpose(t.Call(t.Name("softmax"), (t.Transpose(scores),)))


def _sum(first: t.Node, operator: str, second: t.Node) -> t.Node:
    """Return a sum or a difference, flat where its first part is one."""
    if isinstance(first, t.Sum):
        return t.Sum((*first.terms, as_term(second)), (*first.operators, operator))
    return t.Sum((first, as_term(second)), (operator,))


def _product(first: t.Node, second: t.Node) -> t.Node:
    """Return a product, flat where its parts are."""
    flat: list[t.Node] = []
    for node in (first, second):
        flat.extend(node.factors if isinstance(node, t.Product) else (as_factor(node),))
    return t.Product(tuple(flat), ("cdot",) * (len(flat) - 1))
