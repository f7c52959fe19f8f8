"""Making quantities one after another, each from those before it: exactly, and as the policy rounds.

What a quantity is called, with which step of the policy it is rounded and how its numbers are shown is for each kind
of problem to say.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from symattn.exact.field.polynomial import Polynomial
from symattn.exact.field.quotient import Quotient
from symattn.exact.linear.matrix import Matrix
from symattn.exact.rounding.quotients import Rounding
from symattn.graph.builders.layer import Layer, Recipe
from symattn.graph.builders.names.quantities import Naming
from symattn.graph.quantities import quantity as q
from symattn.graph.quantities.closed_forms import reads_as_decimal, symbol_name_key
from symattn.graph.quantities.scene import Scene
from symattn.graph.replay import GIVEN
from symattn.graph.rules.table import RULES, rounded, write_rounding
from symattn.problem.model import Problem
from symattn.problem.settings.conventions import Shape


class Maker:
    """Makes the quantities of a problem.

    Args:
        problem: what was asked.
        start: inputs that come rounded from a block before this one.
    """

    def __init__(self, problem: Problem, start: Mapping[str, q.Grid]) -> None:
        self.problem = problem
        self.policy = problem.policy
        self.quantities: dict[str, q.Quantity] = {}
        self.shapes: dict[str, Shape] = {}
        self.recipes: dict[str, Recipe] = {}
        self.start = dict(start)
        self.carried: set[str] = set(start)
        self.decimals = speaks_in_decimals(problem)

    def made(self) -> Layer:
        """Return the quantities made so far as a layer."""
        symbols = {symbol_name_key(name): _symbol_value(name, value) for name, value in self.problem.symbols.items()}
        return Layer(self.problem, Scene(self.quantities.values(), symbols), self.recipes, frozenset(self.carried))

    # For each kind of problem to say -----------------------------------------------------------------

    def _naming(self, name: str) -> Naming:
        raise NotImplementedError

    def _step(self, name: str) -> str:
        """Return the step of the policy that a quantity belongs to, empty where nobody rounds it."""
        raise NotImplementedError

    def _rounding_of_given(self, name: str) -> Rounding | None:
        del name
        return None

    def _roundings(self, name: str) -> tuple[Rounding | None, Rounding | None]:
        """Return the rounding of a quantity, and that of the products within it."""
        raise NotImplementedError

    def _style(self, name: str, matrix: Matrix, definition: q.Definition) -> q.Style:
        raise NotImplementedError

    def _head_of(self, name: str) -> int:
        """Return the number of the head that a quantity belongs to, 0 for none."""
        del name
        return 0

    # Making one quantity -----------------------------------------------------------------------------

    def given(
        self,
        name: str,
        matrix: Matrix,
        definition: q.Definition | None = None,
        *,
        scalar: bool = False,
        vector: bool = False,
    ) -> None:
        """Add a quantity that the problem gives, or that follows from its shape."""
        rounding = self._rounding_of_given(name)
        carried = self.start.get(name, rounded(matrix.rows, rounding))
        if rounding is not None:
            self.carried.add(name)
        self.recipes[name] = Recipe(GIVEN, (), ())
        self._add(name, matrix, carried, definition or q.Given(), scalar=scalar, vector=vector)

    def product(self, name: str, left: q.Operand, right: q.Operand, plus: str = "") -> None:
        """Add a product of two matrices, plus a vector if there is one."""
        arguments = sides(left, right)
        premises = (left.name, right.name)
        if plus not in self.quantities:
            self.derived(name, Recipe("product", arguments, premises), q.ProductOf(left, right))
            return
        recipe = Recipe("product-plus", arguments, (*premises, plus))
        self.derived(name, recipe, q.ProductOf(left, right, plus))

    def derived(
        self, name: str, recipe: Recipe, definition: q.Definition, *, vector: bool = False, scalar: bool = False
    ) -> None:
        """Derive a quantity from others by a rule, exactly and as the policy rounds."""
        self.recipes[name] = recipe
        rule = RULES[recipe.rule]
        made = [self.quantities[premise] for premise in recipe.premises]
        exact = rule.apply(tuple(item.exact.rows for item in made), dict(recipe.arguments))
        carried = exact
        rounding, products = self._roundings(name)
        if rounding or products or any(item.name in self.carried for item in made):
            arguments = {
                **dict(recipe.arguments),
                "products": write_rounding(products),
                "rounding": write_rounding(rounding),
            }
            carried = _shared(rule.apply(tuple(item.carried for item in made), arguments), exact)
            self.carried.add(name)
        self._add(name, q.exact_matrix(exact), carried, definition, vector=vector, scalar=scalar)

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
        naming = self._naming(name)
        rounding, products = self._roundings(name)
        self.shapes[name] = matrix.shape
        self.quantities[name] = q.Quantity(
            name=name,
            symbol=naming.symbol,
            entry_symbol=naming.entry,
            exact=matrix,
            carried=carried,
            definition=definition,
            display=self.policy.display(self._step(name) or "scores"),
            rounding=rounding,
            products=products,
            style=self._style(name, matrix, definition),
            line_symbol=naming.line,
            line_axis="columns" if self.problem.tokens == "columns" else "rows",
            scalar=scalar,
            vector=vector,
            decimals=self.decimals,
            head=self._head_of(name),
        )


def has_exponentials(matrix: Matrix) -> bool:
    """Return True if a quantity contains exponentials; others are written as the numbers of the problem are."""
    return any(value.is_finite and value.polynomial() is None for value in matrix)


def speaks_in_decimals(problem: Problem) -> bool:
    """Return True if any number of the problem reads as a decimal, such as 0.37; then all that end are decimals."""
    numbers = {value.plain_rational() for matrix in problem.inputs.values() for value in matrix}
    return any(number is not None and reads_as_decimal(number) for number in numbers)


def sides(left: q.Operand, right: q.Operand) -> tuple[tuple[str, str], ...]:
    """Return the arguments of a rule that say which of its factors are transposed."""
    pairs = (("left", left), ("right", right))
    return tuple((side, "transposed") for side, operand in pairs if operand.transposed)


def _symbol_value(name: str, value: str | Fraction) -> Quotient:
    """Return the value of a declared symbol, or the symbol itself if it has none."""
    return Quotient.of(value) if isinstance(value, Fraction) else Quotient.of(Polynomial.symbol(name))


def _shared(carried: q.Grid, exact: q.Grid) -> q.Grid:
    """Return carried values, sharing the object of the exact one where they are equal: they are compared often."""
    rows = (zip(*pair, strict=True) for pair in zip(carried, exact, strict=True))
    return tuple(tuple(own if value is not None and value == own else value for value, own in row) for row in rows)
