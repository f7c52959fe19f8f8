"""One attention layer: a problem becomes quantities with their exact and their step-rounded values.

Source: Vaswani et al. 2017, eq. 1, ``softmax(Q Kᵀ / √d_k) V``; the conventions of a problem say which
products these are when tokens stand in columns.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from symattn.attention.naming import Naming, namings
from symattn.derivation import quantity as q
from symattn.derivation.closed_form import reads_as_decimal
from symattn.derivation.rules import RULES, rounded, write_rounding
from symattn.derivation.scene import Scene
from symattn.derivation.steps import GIVEN, Step, before_text, grid_text
from symattn.errors import InputError
from symattn.exact.matrix import Matrix
from symattn.exact.polynomial import Polynomial
from symattn.exact.quotient import Quotient
from symattn.exact.rounding import Rounding
from symattn.notation import tree as t
from symattn.problem.model import Problem
from symattn.records import dataclass

_STEP_OF = {
    "c": "scale_factor",
    "Q": "projections",
    "K": "projections",
    "V": "projections",
    "S": "scores",
    "S_scaled": "scores",
    "E": "exponentials",
    "Z": "row_sums",
    "A": "weights",
    "O": "outputs",
}
"""The step of the rounding policy that makes each quantity; what is not here is never rounded."""

_OF_SCORES = frozenset({"m", "shifted"})
_DECIMAL = frozenset({"E", "Z", "A", "O"})
_WITH_PRODUCTS = frozenset({"Q", "K", "V", "S", "O"})


@dataclass(frozen=True, slots=True)
class _Recipe:
    """How a quantity was made: the rule, its own arguments, and what it was made from."""

    rule: str
    arguments: tuple[tuple[str, str], ...]
    premises: tuple[str, ...]


@dataclass(frozen=True)
class Layer:
    """A worked attention layer.

    Attributes:
        problem: what was asked.
        scene: the quantities, with their names bound.
        axis: whether the weights of one query are a row or a column of A.
    """

    problem: Problem
    scene: Scene
    recipes: Mapping[str, _Recipe]

    @property
    def axis(self) -> q.Axis:
        """Along which lines the softmax runs."""
        return "columns" if self.problem.softmax == "columns" else "rows"

    def exact(self, name: str) -> Matrix:
        """The exact value of a quantity, by its canonical name."""
        return self.scene.quantities[name].exact

    @property
    def logits(self) -> str:
        """The name of the scores that the softmax is taken of: ``S``, or ``S_scaled`` where a scale is used."""
        return "S_scaled" if "S_scaled" in self.scene.quantities else "S"

    @property
    def is_shifted(self) -> bool:
        """Whether the maximum of each line is subtracted before the exponentials."""
        return "shifted" in self.recipes

    @property
    def free(self) -> tuple[str, ...]:
        """The declared symbols that have no value; without one, everything is a number."""
        return tuple(name for name, value in self.problem.symbols.items() if not isinstance(value, Fraction))

    def is_symbolic(self, name: str) -> bool:
        """Whether a free symbol stands in a quantity."""
        return bool(self.free) and bool(self.exact(name).symbols)

    def steps(self) -> tuple[Step, ...]:
        """The derivation as plain data, exact steps first, then the step-rounded ones that differ from them."""
        exact = [self._step(name, carried=False) for name in self.recipes]
        carried = [self._step(name, carried=True) for name in self.recipes if self._differs(name)]
        return (*exact, *carried)

    def _differs(self, name: str) -> bool:
        quantity = self.scene.quantities[name]
        return quantity.carried is not quantity.exact.rows

    def _step(self, name: str, *, carried: bool) -> Step:
        quantity, recipe = self.scene.quantities[name], self.recipes[name]
        values = quantity.carried if carried else quantity.exact.rows
        arguments = recipe.arguments
        if carried:
            arguments = (*arguments, *_rounding_arguments(quantity))
        rule, premises = recipe.rule, tuple(f"{p}~" if carried and self._differs(p) else p for p in recipe.premises)
        if carried and rule == GIVEN:
            rule, premises = "round", (name,)
        made = f"{name}~" if carried else name
        return Step(made, rule, arguments, premises, before_text(made, rule, premises), grid_text(values))


def _rounding_arguments(quantity: q.Quantity) -> tuple[tuple[str, str], ...]:
    if quantity.name in _OF_SCORES:
        return ()
    pairs = (("products", quantity.products), ("rounding", quantity.rounding))
    return tuple((key, write_rounding(rounding)) for key, rounding in pairs if rounding is not None)


def attention_layer(problem: Problem) -> Layer:
    """Works out every quantity of a problem, exactly and under its rounding policy.

    >>> p = Problem.build(Q=[[1, 0]], K=[[1, 0], [0, 1]], V=[[1], [2]], scale="none")
    >>> str(attention_layer(p).exact("A")[0, 0])
    'exp(1)/(exp(1) + 1)'
    """
    _refuse_unfinished(problem)
    return _Builder(problem).layer()


def _refuse_unfinished(problem: Problem) -> None:
    """No key of a problem is left out of its layer in silence."""
    if problem.beyond:
        raise InputError(f"A layer with {problem.beyond[0]} cannot be worked out yet; leave it out of the problem.")


class _Builder:
    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.policy = problem.policy
        self.namings = namings(problem)
        self.quantities: dict[str, q.Quantity] = {}
        self.recipes: dict[str, _Recipe] = {}
        self.decimals = _speaks_in_decimals(problem)
        self.axis: q.Axis = "columns" if problem.softmax == "columns" else "rows"

    def layer(self) -> Layer:
        for name, matrix in self.problem.inputs.items():
            self._given(name, matrix)
        if self.problem.kind != "given":
            self._projections()
        self._product("S", *_score_operands(self.problem.scores))
        logits = self._scaled()
        self._softmax(self._shifted(logits))
        self._product("O", *_output_operands(self.problem.convention.outputs))
        symbols = {name: _symbol_value(name, value) for name, value in self.problem.symbols.items()}
        return Layer(self.problem, Scene(self.quantities.values(), symbols), self.recipes)

    # Each quantity ---------------------------------------------------------------------------------

    def _projections(self) -> None:
        source = ("X", "X", "X") if self.problem.kind == "self" else ("X_1", "X_2", "X_2")
        for name, given in zip("QKV", source, strict=True):
            operands = {"X": given, "W": f"W_{name}"}
            left, right = (_operand(word, operands) for word in self.problem.convention.product.split())
            self._product(name, left, right)

    def _product(self, name: str, left: q.Operand, right: q.Operand) -> None:
        sides = (("left", left), ("right", right))
        arguments = tuple((side, "transposed") for side, operand in sides if operand.transposed)
        self._derived(name, _Recipe("product", arguments, (left.name, right.name)), q.ProductOf(left, right))

    def _scaled(self) -> str:
        scale = self.problem.scale
        if scale.kind == "none":
            return "S"
        factor = Quotient.of(scale.factor(self.problem.d_k))
        definition = self._factor_definition()
        self._given("c", Matrix([[factor]]), definition, scalar=True)
        self._derived("S_scaled", _Recipe("scale", (), ("c", "S")), q.ScaledBy("c", "S"))
        return "S_scaled"

    def _factor_definition(self) -> q.Definition:
        scale = self.problem.scale
        if scale.kind == "1/sqrt(d_k)":
            self._given("d_k", Matrix([[self.problem.d_k]]), scalar=True)
            return q.WrittenAs(t.Division(t.Number("1"), t.Root(self.namings["d_k"].symbol)))
        if scale.kind == "temperature":
            # start-up: keys are written far more often than records and notes are read.
            from symattn.notation.plain_reader import read_plain

            return q.WrittenAs(t.Division(t.Number("1"), read_plain(scale.text)))
        return q.Given()

    def _shifted(self, logits: str) -> str:
        if not self.policy.shift or self.quantities[logits].exact.symbols:
            # With a free symbol the maximum is open, and there are no digits that a shift could change.
            return logits
        axis = (("axis", self.axis),)
        self._derived("m", _Recipe("line-maximum", axis, (logits,)), q.LineMaximum(logits, self.axis), vector=True)
        shifted = q.ShiftedBy(logits, "m", self.axis)
        self._derived("shifted", _Recipe("shift", axis, (logits, "m")), shifted)
        return "shifted"

    def _softmax(self, scores: str) -> None:
        axis = (("axis", self.axis),)
        self._derived("E", _Recipe("exponential", (), (scores,)), q.ExponentialOf(scores))
        self._derived("Z", _Recipe("line-sum", axis, ("E",)), q.LineSum("E", self.axis), vector=True)
        self._derived("A", _Recipe("quotient", axis, ("E", "Z")), q.RatioOf("E", "Z", self.axis))

    # Making one ------------------------------------------------------------------------------------

    def _given(
        self, name: str, matrix: Matrix, definition: q.Definition | None = None, *, scalar: bool = False
    ) -> None:
        rounding = self.policy.at(_STEP_OF[name]) if name == "c" else None
        carried = _rounded_once(matrix, rounding)
        self.recipes[name] = _Recipe(GIVEN, (), ())
        self._add(name, matrix, carried, definition or q.Given(), scalar=scalar)

    def _derived(self, name: str, recipe: _Recipe, definition: q.Definition, *, vector: bool = False) -> None:
        rule = RULES[recipe.rule]
        made = [self.quantities[premise] for premise in recipe.premises]
        exact = rule.apply(tuple(item.exact.rows for item in made), dict(recipe.arguments))
        carried = exact
        rounding, products = self._roundings(name)
        if rounding or products or any(item.carried is not item.exact.rows for item in made):
            arguments = {
                **dict(recipe.arguments),
                "products": write_rounding(products),
                "rounding": write_rounding(rounding),
            }
            carried = rule.apply(tuple(item.carried for item in made), arguments)
        self.recipes[name] = recipe
        matrix = Matrix([[_certain(value) for value in row] for row in exact])
        self._add(name, matrix, matrix.rows if carried is exact else carried, definition, vector=vector)

    def _roundings(self, name: str) -> tuple[Rounding | None, Rounding | None]:
        if name in _OF_SCORES:
            # Maxima and differences of rounded scores have their places already; they are only written so.
            scores = self.policy.at("scores")
            return (scores if scores is not None and scores.places is not None else None), None
        rounding = self.policy.at(_STEP_OF[name]) if name in _STEP_OF else None
        products = self.policy.at("products") if name in _WITH_PRODUCTS else None
        return rounding, products

    def _add(
        self,
        name: str,
        matrix: Matrix,
        carried: q.Grid,
        definition: q.Definition,
        *,
        scalar: bool = False,
        vector: bool = False,
    ) -> None:
        naming: Naming = self.namings[name]
        rounding, products = self._roundings(name)
        self.quantities[name] = q.Quantity(
            name=name,
            symbol=naming.symbol,
            entry_symbol=naming.entry,
            exact=matrix,
            carried=carried,
            definition=definition,
            display=self.policy.display(_STEP_OF.get(name, "scores")),
            rounding=rounding,
            products=products,
            style="decimal" if name in _DECIMAL else "rational",
            line_symbol=naming.line,
            line_axis="columns" if self.problem.tokens == "columns" else "rows",
            scalar=scalar,
            vector=vector,
            decimals=self.decimals,
        )


def _speaks_in_decimals(problem: Problem) -> bool:
    """Whether a number of the problem is one that people write as a decimal, 0.37; then all are that can be."""
    numbers = {value.plain_rational() for matrix in problem.inputs.values() for value in matrix}
    return any(number is not None and reads_as_decimal(number) for number in numbers)


def _certain(value: Quotient | None) -> Quotient:
    if value is None:
        raise ValueError("an exact value is always defined")
    return value


def _rounded_once(matrix: Matrix, rounding: Rounding | None) -> q.Grid:
    return matrix.rows if rounding is None else rounded(matrix.rows, rounding)


def _operand(word: str, names: Mapping[str, str]) -> q.Operand:
    letter, _, transposed = word.partition("^")
    return q.Operand(names[letter], transposed=bool(transposed))


def _score_operands(scores: str) -> tuple[q.Operand, q.Operand]:
    names = {"Q": "Q", "K": "K"}
    left, right = (_operand(word, names) for word in scores.split())
    return left, right


def _output_operands(outputs: str) -> tuple[q.Operand, q.Operand]:
    names = {"A": "A", "V": "V"}
    left, right = (_operand(word, names) for word in outputs.split())
    return left, right


def _symbol_value(name: str, value: str | Fraction) -> Quotient:
    return Quotient.of(value) if isinstance(value, Fraction) else Quotient.of(Polynomial.symbol(name))
