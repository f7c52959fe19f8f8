"""Making quantities one after another, each from those before it: exactly, and as the policy rounds.

What a quantity is called, with which step of the policy it is rounded and how its numbers are shown is for each kind
of problem to say.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from fractions import Fraction

from symattn.errors import InputError
from symattn.exact.field.polynomial import Polynomial
from symattn.exact.field.quotient import Quotient
from symattn.exact.linear.matrix import Matrix
from symattn.exact.rounding.quotients import Rounding, round_value
from symattn.graph.builders.layer import DECIMAL, OF_SCORES, Layer, base_of, step_of
from symattn.graph.builders.names import Naming, namings, of_head
from symattn.graph.quantities import quantity as q
from symattn.graph.quantities.closed_forms import reads_as_decimal, symbol_name_key
from symattn.graph.quantities.definition import GIVEN, Definition, Factor, define, define_product
from symattn.graph.quantities.scene import Scene
from symattn.graph.rules import RULES, write_rounding
from symattn.notation.tree import nodes as t
from symattn.operations.evaluation import rounded
from symattn.problem.model import Problem
from symattn.problem.settings.conventions import Shape
from symattn.problem.values.checks import place_of

_LONG = 1000
"""From this on an integer makes a fraction or a root hard to read."""

_MAX_TERMS = 2
_MAX_CONSTANTS = 2


class QuantityBuilder:
    """Builder of the quantities of a problem.

    Args:
        problem: what was asked.
        start: inputs that come rounded from a block before this one.
    """

    def __init__(self, problem: Problem, start: Mapping[str, q.Grid]) -> None:
        self.problem = problem
        self.policy = problem.policy
        self.quantities: dict[str, q.Quantity] = {}
        self.shapes: dict[str, Shape] = {}
        self.recipes: dict[str, Definition] = {}
        self.start = dict(start)
        self.carried: set[str] = set(start)
        self.decimals = speaks_in_decimals(problem)

    def made(self) -> Layer:
        """Return the quantities made so far as a layer."""
        symbols = {symbol_name_key(name): _symbol_value(name, value) for name, value in self.problem.symbols.items()}
        if not self.policy.steps:
            self.quantities = in_forms(self.quantities.values(), self.problem.forms, decimals=self.decimals)
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

    def _style(self, name: str, matrix: Matrix, definition: Definition) -> q.Style:
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
        *,
        form: t.Node | None = None,
        scalar: bool = False,
        vector: bool = False,
    ) -> None:
        """Add a quantity that the problem gives, or that follows from its shape, by a formula if there is one."""
        rounding = self._rounding_of_given(name)
        carried = self.start.get(name, rounded(matrix.rows, rounding))
        if rounding is not None:
            self.carried.add(name)
        self._add(name, matrix, carried, Definition(), form=form, scalar=scalar, vector=vector)

    def product(self, name: str, left: Factor, right: Factor, plus: str = "") -> None:
        """Add a product of two matrices, plus a vector if there is one."""
        if plus in self.quantities:
            self.derived(name, define_product(left, right, plus, rule="product-plus"))
        else:
            self.derived(name, define_product(left, right))

    def derived(
        self,
        name: str,
        definition: Definition,
        *,
        form: t.Node | None = None,
        vector: bool = False,
        scalar: bool = False,
    ) -> None:
        """Derive a quantity from others by the rule of its definition, exactly and as the policy rounds."""
        self.recipes[name] = definition
        rule = RULES[definition.rule]
        made = [self.quantities[premise] for premise in definition.premises]
        exact = rule.apply(tuple(item.exact.rows for item in made), dict(definition.arguments))
        carried = exact
        rounding, products = self._roundings(name)
        if rounding or products or any(item.name in self.carried for item in made):
            arguments = {
                **dict(definition.arguments),
                "products": write_rounding(products),
                "rounding": write_rounding(rounding),
            }
            carried = _shared(rule.apply(tuple(item.carried for item in made), arguments), exact)
            self.carried.add(name)
        self._add(name, q.exact_matrix(exact), carried, definition, form=form, vector=vector, scalar=scalar)

    def _add(
        self,
        name: str,
        matrix: Matrix,
        carried: q.Grid,
        definition: Definition,
        *,
        form: t.Node | None = None,
        scalar: bool = False,
        vector: bool = False,
    ) -> None:
        self.recipes[name] = definition
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
            form=form,
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


class LayerBuilder(QuantityBuilder):
    """Builder of the quantities of a layer: operations that its parts share, names, roundings and styles."""

    def __init__(self, problem: Problem, start: Mapping[str, q.Grid]) -> None:
        super().__init__(problem, start)
        self.namings = namings(problem)
        self.queries_from = ""  # what stands in the place of the input, where a norm comes first
        self.axis: q.Axis = "columns" if problem.softmax == "columns" else "rows"
        # Along which the entries of a token lie, and so heads side by side.
        self.side: q.Axis = "columns" if problem.tokens == "rows" else "rows"

    def output(self, joined: str) -> None:
        """Add the product of the joined heads and W_O, oriented as the other weights are."""
        self.product("O", *self.weighted(joined, "W_O"), plus="b_O")

    def weighted(self, tokens: str, weight: str) -> tuple[Factor, Factor]:
        """Return the factors of what a weight makes of tokens that are not the input."""
        product = self.problem.convention.product or ("X W" if self.problem.tokens == "rows" else "W X")
        left, right = (operand_of(word, {"X": tokens, "W": weight}) for word in product.split())
        return left, right

    def mapped(self, name: str, tokens: str, weight: str) -> str:
        """Return queries or keys mapped by a weight of the score function, once for the heads that share them."""
        if name not in self.quantities:
            self.product(name, *self.weighted(tokens, weight))
        return name

    def norms(self, name: str, tokens: str) -> str:
        """Return the lengths of queries or keys, once for the heads that share them.

        Raises:
            InputError: one of them is 0.
        """
        if name in self.quantities:
            return name
        axis: q.Axis = "rows" if self.problem.tokens == "rows" else "columns"
        place = place_of(self.problem.source, "score")
        try:
            self.derived(name, define("norm", tokens, axis=axis), vector=True)
        except InputError as error:
            raise InputError(f"{place}: {error}") from error
        for number, length in enumerate(self.quantities[name].exact, 1):
            if length.is_zero:
                kind = "Query" if base_of(tokens) == "Q" else "Key"
                head = f" of head {tokens.partition('^')[2]}" if "^" in tokens else ""
                raise InputError(
                    f"{place}: {kind} {number}{head} is the zero vector, which has no cosine with any other: "
                    'change it, or take score = "dot".'
                )
        return name

    def head_numbers(self) -> tuple[int, ...]:
        """Return the numbers of the heads; 0 stands for a layer without any."""
        return tuple(range(1, self.problem.heads + 1)) or (0,)

    # How quantities are named, rounded and shown -----------------------------------------------------

    def exactly(self, name: str, definition: Definition, *, vector: bool = False) -> None:
        """Derive a quantity that no policy rounds from exact values; ``l@2`` is ``l^{(2)}``, of head 1 ``l@2^1``."""
        self.recipes[name] = definition
        premises = tuple(self.quantities[premise].exact.rows for premise in definition.premises)
        made = RULES[definition.rule].apply(premises, dict(definition.arguments))
        letter, _, number = base_of(name).partition("@")
        head = self._head_of(name)
        naming = of_head(self.namings[letter], head, int(number))
        self.quantities[name] = q.Quantity(
            name=name,
            symbol=naming.symbol,
            entry_symbol=naming.entry,
            exact=q.exact_matrix(made),
            carried=made,
            definition=definition,
            display=self.policy.display("outputs" if letter == "o" else "row_sums" if letter == "l" else "scores"),
            style="decimal" if letter in DECIMAL else "rational",
            vector=vector,
            decimals=self.decimals,
            head=head,
        )

    def _naming(self, name: str) -> Naming:
        return of_head(self.namings[base_of(name)], self._head_of(name))

    def _step(self, name: str) -> str:
        return step_of(name)

    def _rounding_of_given(self, name: str) -> Rounding | None:
        return self.policy.at(step_of(name)) if base_of(name) == "c" else None

    def _roundings(self, name: str) -> tuple[Rounding | None, Rounding | None]:
        base = base_of(name)
        if base in OF_SCORES:
            # Maxima and differences of rounded scores have their places already; they are only written so.
            scores = self.policy.at("scores")
            return (scores if scores is not None and scores.places is not None else None), None
        step = step_of(name)
        rounding = self.policy.at(step) if step else None
        rule = RULES.get(self.recipes[name].rule)
        products = self.policy.at("products") if rule is not None and "products" in rule.options else None
        return rounding, products

    def _style(self, name: str, matrix: Matrix, definition: Definition) -> q.Style:
        del definition
        return "decimal" if base_of(name) in DECIMAL or has_exponentials(matrix) else "rational"

    def _head_of(self, name: str) -> int:
        return int(name.partition("^")[2] or 0)


def operand_of(word: str, names: Mapping[str, str]) -> Factor:
    """Return the factor that a word of a convention stands for, ``W^T`` as the transposed matrix.

    >>> operand_of("W^T", {"W": "W_Q"})
    ('W_Q', True)
    """
    letter, _, transposed = word.partition("^")
    return names[letter], bool(transposed)


def has_exponentials(matrix: Matrix) -> bool:
    """Return True if a quantity contains exponentials; others are written as the numbers of the problem are."""
    return any(value.is_finite and value.polynomial() is None for value in matrix)


def speaks_in_decimals(problem: Problem) -> bool:
    """Return True if any number of the problem reads as a decimal, such as 0.37; then all that end are decimals."""
    numbers = {value.plain_rational() for matrix in problem.inputs.values() for value in matrix}
    return any(number is not None and reads_as_decimal(number) for number in numbers)


def _symbol_value(name: str, value: str | Fraction) -> Quotient:
    """Return the value of a declared symbol, or the symbol itself if it has none."""
    return Quotient.of(value) if isinstance(value, Fraction) else Quotient.of(Polynomial.symbol(name))


def _shared(carried: q.Grid, exact: q.Grid) -> q.Grid:
    """Return carried values, sharing the object of the exact one where they are equal: they are compared often."""
    rows = (zip(*pair, strict=True) for pair in zip(carried, exact, strict=True))
    return tuple(tuple(own if value is not None and value == own else value for value, own in row) for row in rows)


def in_forms(quantities: Iterable[q.Quantity], forms: str, *, decimals: bool) -> dict[str, q.Quantity]:
    """Return quantities by their names, those with roots or long fractions in the style of decimals where asked.

    Args:
        quantities: of one layer.
        forms: ``"closed"``, ``"decimals"``, or ``"auto"``: decimals where any closed form is long.
        decimals: whether the numbers of the problem are decimals, which roots do not go with.
    """
    made = {quantity.name: quantity for quantity in quantities}
    open_ones = [quantity for quantity in made.values() if _has_a_choice(quantity)]
    if forms == "auto" and any(_is_long(value, decimals=decimals) for item in open_ones for value in item.exact):
        forms = "decimals"
    if forms != "decimals":
        return made
    for quantity in open_ones:
        if not all(_is_short_number(value, quantity.display) for value in quantity.exact):
            made[quantity.name] = replace(quantity, style="decimal")
    return made


def _has_a_choice(quantity: q.Quantity) -> bool:
    """Return True for a matrix that is worked out and is not a decimal already."""
    is_made = quantity.definition.rule != GIVEN or quantity.form is not None
    return is_made and not quantity.scalar and quantity.style == "rational"


def _is_long(value: Quotient, *, decimals: bool) -> bool:
    """Return True if a closed form is hard to read, or is a root or a constant among decimals."""
    polynomial = value.polynomial() if value.is_finite and value.is_closed and not value.symbols else None
    if polynomial is None:
        return False
    rational = value.rational()
    if rational is not None:
        return rational.denominator >= _LONG and not reads_as_decimal(rational)
    terms = polynomial.terms
    constants = sum(power for (_, powers), _ in terms for _, power in powers)
    is_large = any(max(root, abs(c.numerator), c.denominator) >= _LONG for (root, _), c in terms)
    return decimals or is_large or len(terms) > _MAX_TERMS or constants > _MAX_CONSTANTS


def _is_short_number(value: Quotient, rounding: Rounding) -> bool:
    """Return True for what stays as it is beside decimals: a number that ends there, infinity, or a symbol."""
    if not value.is_finite or value.symbols:
        return True
    return value.rational() is not None and round_value(value, rounding) == value
