"""The worked layer: its quantities with their exact and their step-rounded values; `attention` makes it.

Source: Vaswani et al. 2017, eq. 1, ``softmax(Q Kᵀ / √d_k) V``, and section 3.2.2 for several heads; the
conventions of a problem say which products these are when tokens stand in columns. What is done to the
scores before the softmax is done in the declared order, that of the ONNX operator Attention by default.

A quantity of one head has its number after a caret: ``Q^1``, ``A^2``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from fractions import Fraction

from symattn.exact.linear.matrix import Matrix
from symattn.graph import derivation_replay
from symattn.graph.quantities import quantity as q
from symattn.graph.quantities.definition import GIVEN, Definition
from symattn.graph.quantities.scene import Scene
from symattn.graph.rules import RULES, write_rounding
from symattn.operations.formulas import formula
from symattn.problem.model import Problem
from symattn.problem.schema.fields import BLOCK_QUANTITIES
from symattn.problem.settings.score_steps import MADE
from symattn.records import dataclass

_STEP_OF = {
    "c": "scale_factor",
    "Q": "projections",
    "K": "projections",
    "V": "projections",
    "S": "scores",
    "G": "scores",
    "Q_w": "scores",
    "K_w": "scores",
    "P": "projections",
    "Q_rot": "projections",
    "K_rot": "projections",
    "K_new": "projections",
    "V_new": "projections",
    "norm_Q": "scores",
    "norm_K": "scores",
    **dict.fromkeys(MADE, "scores"),
    "E": "exponentials",
    "Z": "row_sums",
    "A": "weights",
    "H": "outputs",
    "C": "outputs",
    "O": "outputs",
}
"""The step of the rounding policy that makes each quantity of a layer of attention; `step_of` knows all others."""

OF_SCORES = frozenset({"m", "shifted"})
DECIMAL = frozenset({"E", "Z", "A", "H", "C", "O", "l", "o"})


def base_of(name: str) -> str:
    """Return the name of a quantity without the number of its head.

    >>> base_of("Q^2"), base_of("S_scaled")
    ('Q', 'S_scaled')
    """
    return name.partition("^")[0]


def is_of_gradients(name: str) -> bool:
    """Return True if a quantity belongs to the backward pass.

    >>> is_of_gradients("dQ^2"), is_of_gradients("d_k"), is_of_gradients("T")
    (True, False, True)
    """
    base = base_of(name)
    if base in {"D", "T", "L", "P_O", "F_slope"} or (base[0] == "d" and base[1:2].isupper()):
        return True
    return base.startswith(("db_", "dgamma_", "dbeta_", "rho_", "tau_"))


def is_of_block(name: str) -> bool:
    """Return True if a quantity belongs to the block around attention: a sum, a norm, a network.

    >>> is_of_block("mu_1"), is_of_block("O")
    (True, False)
    """
    return name in BLOCK_QUANTITIES and name != "eps"


def step_of(name: str) -> str:
    """Return the step of a rounding policy that makes a quantity; empty for what is never rounded.

    >>> step_of("A^2"), step_of("X")
    ('weights', '')
    """
    if (is_of_gradients(name) and base_of(name) != "T") or is_of_block(name):
        return "outputs"
    return _STEP_OF.get(base_of(name), "")


@dataclass(frozen=True, slots=True)
class Layer:
    """A worked attention layer, or one head of it.

    Attributes:
        problem: what was asked.
        scene: the quantities, with their names bound.
        recipes: how each of them was made.
        carried: the quantities whose step-rounded values are not the exact ones.
        head: the number of the head, where this is the view of one.
        formulas: of a problem with definitions, the formulas of the quantities that are written entry by entry.
    """

    problem: Problem
    scene: Scene
    recipes: Mapping[str, Definition]
    carried: frozenset[str] = frozenset()
    head: int = 0
    formulas: Mapping[str, formula.Formula] = field(default_factory=dict)

    @property
    def axis(self) -> q.Axis:
        """Along which lines the softmax runs."""
        return "columns" if self.problem.softmax == "columns" else "rows"

    def exact(self, name: str) -> Matrix:
        """Return the exact value of a quantity, by its canonical name."""
        return self.scene.quantities[name].exact

    @property
    def chain(self) -> tuple[str, ...]:
        """Names of the scores derived from the plain ones, in order: scaled, capped, biased, masked."""
        return tuple(name for name in self.recipes if name in MADE)

    @property
    def logits(self) -> str:
        """The name of the scores that the softmax is taken of: ``S``, or the last of what was made of it."""
        return self.chain[-1] if self.chain else "S"

    @property
    def output(self) -> str:
        """The name of what the whole makes: ``O``, or what stands around attention makes of it."""
        made = [name for name in self.recipes if name == "O" or is_of_block(name)]
        return made[-1] if made else "O"

    @property
    def d_k(self) -> int:
        """The length of the keys."""
        return self.exact("K").shape[1 if self.problem.tokens == "rows" else 0]

    @property
    def is_shifted(self) -> bool:
        """True if the maximum of each line is subtracted before the exponentials."""
        return "shifted" in self.recipes

    @property
    def free(self) -> tuple[str, ...]:
        """The declared symbols without a value; without such a symbol, everything is a number."""
        return tuple(name for name, value in self.problem.symbols.items() if not isinstance(value, Fraction))

    def is_symbolic(self, name: str) -> bool:
        """Return True if a quantity contains a free symbol."""
        return bool(self.free) and bool(self.exact(name).symbols)

    def steps(self) -> tuple[derivation_replay.Step, ...]:
        """Return the derivation as plain data, exact steps first, then the step-rounded ones that differ from them."""
        exact = [self._step(name, carried=False) for name in self.recipes]
        carried = [self._step(name, carried=True) for name in self.recipes if name in self.carried]
        return (*exact, *carried)

    def _step(self, name: str, *, carried: bool) -> derivation_replay.Step:
        quantity, recipe = self.scene.quantities[name], self.recipes[name]
        values = quantity.carried if carried else quantity.exact.rows
        arguments = recipe.arguments
        if carried:
            arguments = (*arguments, *_rounding_arguments(quantity, recipe.rule))
        rule, premises = recipe.rule, tuple(f"{p}~" if carried and p in self.carried else p for p in recipe.premises)
        if carried and rule == GIVEN and quantity.rounding is not None:
            rule, premises = "round", (name,)
        made = f"{name}~" if carried else name
        before, after = derivation_replay.before_text(made, rule, premises), derivation_replay.grid_text(values)
        return derivation_replay.Step(made, rule, arguments, premises, before, after)


def _rounding_arguments(quantity: q.Quantity, rule: str) -> tuple[tuple[str, str], ...]:
    options = ("rounding",) if rule == GIVEN else RULES[rule].options
    pairs = (("products", quantity.products), ("rounding", quantity.rounding))
    return tuple((key, write_rounding(rounding)) for key, rounding in pairs if rounding is not None and key in options)
