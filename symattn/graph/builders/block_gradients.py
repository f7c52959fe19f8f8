"""The backward pass of what stands around attention: norms, the network, and the second path of each residual.

The gradient at a sum is that at both of its terms. Where tokens are added to what is made of them, theirs is the
gradient at the sum and what comes back through attention or the network besides, which is ``dX_A`` or ``dF_0``. A norm
takes a gradient back line by line, by the mean of the line, ``rho``, and the mean of its products with what was
standardised, ``tau``.
"""

from __future__ import annotations

from collections.abc import Container
from typing import TYPE_CHECKING

from symattn.graph.builders.layer import Recipe
from symattn.graph.builders.names.quantities import Naming
from symattn.graph.quantities import quantity as q
from symattn.notation.tree import nodes as t
from symattn.problem.components.gradients import gradients_of

if TYPE_CHECKING:
    from symattn.graph.builders.gradients import Plan
    from symattn.problem.model import Problem

_BESIDE = {"R_1": "dX_A", "R_2": "dF_0"}
_LETTERS = {"rho": ("rho", "eta"), "tau": ("tau", "zeta")}


def to_attention(plan: Plan) -> None:
    """Propagate the gradient from the output of a block to that of its attention."""
    _Around(plan).back(plan.last, "O")


def to_inputs(plan: Plan) -> None:
    """Propagate the gradient from the input of attention to that of the block, through the norm between if any."""
    around, source = _Around(plan), plan.build.queries_from
    if source:
        around.close(source)
        around.back(source, "")
    else:
        around.close(around.own)


def more_namings(problem: Problem, used: Container[str]) -> dict[str, Naming]:
    """Return the written names of means of norms, slopes of GELU, and gradients at factors and terms.

    >>> from symattn.notation.writers.plain import write_plain
    >>> from symattn.problem.model import Problem
    >>> keys = {"X": [[1]], "W_Q": [[1]], "W_K": [[1]], "W_V": [[1]], "gamma_1": [2]}
    >>> p = Problem.build(**keys, block={"norm": "rms", "eps": 0}, gradient={"loss": "sum"})
    >>> [write_plain(naming.symbol) for naming in more_namings(p, ()).values()]
    ['dgamma_1', 'dX_A', 'F_slope', 'rho_1', 'tau_1', 'rho_2', 'tau_2']
    """
    found: dict[str, Naming] = {}
    for name in gradients_of(problem):
        base, _, index = name.partition("_")
        if base in {"dgamma", "dbeta"}:
            found[name] = _indexed(t.Name(base), t.Number(index))
        elif name == "dX_A":
            found[name] = _indexed(t.Name(base, "bold"), t.Name(index))
        elif name == "dF_0":
            found[name] = _indexed(t.Name(base, "bold"), t.Number(index))
    found["F_slope"] = _indexed(t.Name("F", "bold"), t.Name("slope"))
    for number in "12":
        for name, letters in _LETTERS.items():
            letter = next((letter for letter in letters if letter not in used), letters[0])
            found[f"{name}_{number}"] = _indexed(t.Name(letter), t.Number(number))
    return found


def _indexed(letter: t.Name, index: t.Node) -> Naming:
    symbol = t.Subscript(letter, (index,))
    return Naming(symbol, t.Group(symbol))


class _Around:
    """Steps back through a block, each by the definition of what was made.

    Args:
        plan: the backward pass so far.
    """

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.quantities = plan.build.quantities
        self.own = {"self": "X", "cross": "X_1"}.get(plan.problem.kind, "Q")
        self.axis: q.Axis = "rows" if plan.problem.tokens == "rows" else "columns"
        self.sums = {
            definition.left: name
            for name in _BESIDE
            if name in self.quantities and isinstance(definition := self.quantities[name].definition, q.SumOf)
        }

    def back(self, name: str, stop: str) -> None:
        """Propagate the known gradient at a quantity to its operands, as far as `stop`."""
        if name == stop:
            return
        definition = self.quantities[name].definition
        match definition:
            case q.SumOf(_, made):
                self._same(f"d{made}", f"d{name}")
                self.back(made, stop)
            case q.AffineOf():
                self._affine(name, definition)
                self.back(definition.of, stop)
            case q.Standardised():
                self._norm(name, definition)
                self.back(definition.of, stop)
            case q.ProductOf():
                self.plan.back(name, definition)
                weight = next(item for item in (definition.left, definition.right) if item.name[0] == "W")
                self.plan.close(weight.name)
                self.plan.added(name, definition)
                taken = next(item for item in (definition.left, definition.right) if item.name[0] != "W")
                self.close(taken.name)
                self.back(taken.name, stop)
            case q.ActivatedBy(of, kind):
                self._activation(f"d{name}", of, kind)
                self.back(of, stop)

    def close(self, name: str) -> None:
        """Make the gradient at tokens from the products and the residual that they enter."""
        self.plan.close(name, self._beside(name))
        self._residual(name)

    def _beside(self, name: str) -> str:
        """Return the name of a gradient that tokens receive beside that of their residual."""
        return _BESIDE[self.sums[name]] if name in self.sums else f"d{name}"

    def _residual(self, name: str) -> None:
        if name in self.sums:
            paths = (f"d{self.sums[name]}", self._beside(name))
            self._make(f"d{name}", Recipe("sum", (), paths), q.SumOf(*paths))

    def _same(self, name: str, gradient: str) -> None:
        axis = self.plan.build.side
        self._make(name, Recipe("join", (("axis", axis),), (gradient,)), q.JoinedOf((gradient,), axis))

    def _affine(self, name: str, definition: q.AffineOf) -> None:
        gradient, arguments = f"d{name}", (("axis", self.axis),)
        if definition.factor:
            recipe = Recipe("total-dot", arguments, (gradient, definition.of))
            self._make(f"d{definition.factor}", recipe, q.TotalDot(gradient, definition.of, self.axis), vector=True)
        if definition.term:
            total = q.TotalLine(gradient, self.axis)
            self._make(f"d{definition.term}", Recipe("total-line", arguments, (gradient,)), total, vector=True)
        if not definition.factor:
            self._same(f"d{definition.of}", gradient)
            return
        recipe = Recipe("affine", (*arguments, ("with", "factor")), (gradient, definition.factor))
        self._make(f"d{definition.of}", recipe, q.AffineOf(gradient, definition.factor, "", self.axis))

    def _activation(self, gradient: str, of: str, kind: str) -> None:
        if kind == "relu":
            self._make(f"d{of}", Recipe("relu-gradient", (), (gradient, of)), q.ReluGradientOf(gradient, of))
            return
        self._make("F_slope", Recipe("gelu-slope", (("kind", kind),), (of,)), q.GeluSlopeOf(of, kind))
        self._make(f"d{of}", Recipe("entrywise", (), (gradient, "F_slope")), q.EntrywiseOf(gradient, "F_slope"))

    def _norm(self, name: str, definition: q.Standardised) -> None:
        gradient, arguments, number = f"d{name}", (("axis", self.axis),), name.partition("_")[2]
        means, dots = f"rho_{number}" if definition.means else "", f"tau_{number}"
        if means:
            recipe = Recipe("line-mean", arguments, (gradient,))
            self._make(means, recipe, q.LineMean(gradient, self.axis), vector=True)
        recipe = Recipe("line-mean-dot", arguments, (gradient, name))
        self._make(dots, recipe, q.LineMeanDot(gradient, name, self.axis), vector=True)
        made = (gradient, name, *([means] if means else []), dots, definition.variances)
        premises = (*made, *([definition.eps] if definition.eps else []))
        rule = "layer-norm-gradient" if means else "rms-norm-gradient"
        through = q.NormGradientOf(gradient, name, means, dots, definition.variances, definition.eps, self.axis)
        self._make(self._beside(definition.of), Recipe(rule, arguments, premises), through)
        self._residual(definition.of)

    def _make(self, name: str, recipe: Recipe, definition: q.Definition, *, vector: bool = False) -> None:
        self.plan.made[name] = (recipe, definition, vector)
