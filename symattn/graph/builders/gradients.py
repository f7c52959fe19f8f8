"""The backward pass of a layer: the gradient of a loss at every quantity that its output is made of.

Each gradient follows from the definition of what is made, by the chain rule: of a product ``P = L R`` the gradient
at ``L`` is ``dP R^T`` and that at ``R`` is ``L^T dP``, transposed where the factor is. Which products a layer is made
of, its convention says; square matrices leave nothing to guess. The softmax takes the gradient at its weights to that
at its scores line by line, ``dS_{ij} = A_{ij} (dA_{ij} - D_i)``, where ``D_i`` is the sum of ``A_{ij} dA_{ij}`` over
the line. A key that is hidden has the weight 0 and so the gradient 0; a bias and a mask pass the gradient on, and a
soft cap multiplies it by its derivative, ``1 - tanh^2``.

Gradients are named after what they belong to, ``dQ^2``. ``dS`` is the gradient where the softmax takes its scores,
after scale, soft cap, bias and mask. With a cross-entropy the pass starts at ``softmax(O)`` less a 1 at each label,
whose exponentials of outputs have no closed form: such gradients are known by enclosures.

Around attention, the gradient at a sum is that at both of its terms. Where tokens are added to what is made of them,
theirs is the gradient at the sum and what comes back through attention or the network besides, which is ``dX_A`` or
``dF_0``. A norm takes a gradient back line by line, by the mean of the line, ``rho``, and the mean of its products
with what was standardised, ``tau``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from symattn.errors import InputError
from symattn.exact.linear.matrix import Matrix
from symattn.exact.reals.special_values import MINUS_INFINITY
from symattn.graph.builders.layer import base_of, is_of_block
from symattn.graph.builders.quantity_builder import LayerBuilder
from symattn.graph.quantities import quantity as q
from symattn.graph.quantities.recipes import recipe_of
from symattn.problem.components.declarations import Gradient
from symattn.problem.components.gradients import gradients_of, labels_matrix, through_cap
from symattn.problem.values.checks import place_of

_Pair = tuple[q.Operand, q.Operand]
_BESIDE = {"R_1": "dX_A", "R_2": "dF_0"}


def add_gradients(build: LayerBuilder, gradient: Gradient) -> None:
    """Add the requested gradients, and the quantities that they need, to those of the layer.

    Raises:
        InputError: a query that sees no key and has the same weight for all, or sums too long to be written.

    >>> from symattn.graph.builders.attention import attention_layer
    >>> from symattn.problem.model import Problem
    >>> p = Problem.build(Q=[[1]], K=[[0], [1]], V=[[1], [3]], scale="none", gradient={"loss": "sum", "of": "dQ"})
    >>> layer = attention_layer(p)
    >>> [name for name in layer.recipes if name[0] in "dD"], layer.exact("dQ").rounded(6)
    (['dO', 'dA', 'D', 'dS', 'dQ'], [['0.393224']])
    """
    _refuse_even_weights(build)
    plan = Plan(build, gradient)
    plan.output()
    for head in build.head_numbers():
        plan.head(head)
    plan.inputs()
    wanted = plan.needed(gradient.of or gradients_of(build.problem))
    for name, (definition, is_vector) in plan.made.items():
        if name not in wanted:
            continue
        try:
            build.derived(name, definition, vector=is_vector, scalar=name == "L")
        except InputError as error:
            place = place_of(build.problem.source, "gradient")
            raise type(error)(f"{place}: {name} cannot be written out. {error}") from error


def _refuse_even_weights(build: LayerBuilder) -> None:
    """Refuse the even weights of a query that sees no key: the gradient of the softmax does not apply to them."""
    if build.problem.fully_masked != "uniform":
        return
    for name, quantity in build.quantities.items():
        if base_of(name) != "S_masked":
            continue
        lines = quantity.exact.rows if build.axis == "rows" else quantity.exact.T.rows
        if any(all(score is MINUS_INFINITY for score in line) for line in lines):
            place = place_of(build.problem.source, "gradient")
            raise InputError(
                f'{place}: with fully_masked = "uniform" the weights of a query that sees no key do not come from its '
                'scores; take "zeros" or "undefined", or show it a key.'
            )


class Plan:
    """Plan of the backward pass: all gradients in order, before those that are not requested are dropped.

    Args:
        build: the layer, worked forward.
        gradient: where the pass starts.
    """

    def __init__(self, build: LayerBuilder, gradient: Gradient) -> None:
        self.build = build
        self.problem = build.problem
        self.gradient = gradient
        self.made: dict[str, tuple[q.Definition, bool]] = {}
        # What each gradient is a sum of; several heads may share keys and values.
        self.parts: dict[str, list[_Pair]] = {}
        self.factors: dict[str, str] = {}
        # Where the pass starts: the output of attention, or of the block around it.
        self.last = [name for name in build.recipes if name == "O" or is_of_block(name)][-1]

    def needed(self, names: Iterable[str]) -> set[str]:
        """Return the gradients of these names, of every head, and all that they are made of."""
        wanted = {"L", *names}
        found = [name for name in self.made if base_of(name) in wanted]
        needed = set(found)
        while found:
            for premise in recipe_of(self.made[found.pop()][0]).premises:
                if premise in self.made and premise not in needed:
                    needed.add(premise)
                    found.append(premise)
        return needed

    # Steps -----------------------------------------------------------------------------------------

    def output(self) -> None:
        """Propagate the gradient from the loss to the outputs of the heads."""
        self._start()
        if self.problem.block is not None:
            _Around(self).back(self.last, "O")
        joined = self._joined()
        if joined is not None:
            definition = self.build.quantities["O"].definition
            self.back("O", definition)
            self.close("W_O")
            self.added("O", definition)
            self.close(joined)
        self._part_heads(joined or "O")

    def _start(self) -> None:
        build, gradient = self.build, self.gradient
        output, start = self.last, f"d{self.last}"
        shape = build.quantities[output].exact.shape
        if gradient.loss != "given":
            names = {"sum": (output,), "squared": (output, "T")}.get(gradient.loss, ("P_O", "T"))
            loss = (q.LossOf(gradient.loss, names), False)
        if gradient.target is not None:
            build.given("T", gradient.target)
            self.made["L"] = loss
            self.made[start] = (q.DifferenceOf(output, "T"), False)
            return
        if gradient.loss == "cross-entropy":
            self._refuse_symbols()
            axis: q.Axis = "rows" if self.problem.tokens == "rows" else "columns"
            build.given("T", labels_matrix(gradient.labels, shape, by_rows=axis == "rows"))
            self.made["P_O"] = (q.SoftmaxOf(output, axis), False)
            self.made["L"] = loss
            self.made[start] = (q.DifferenceOf("P_O", "T"), False)
            return
        if gradient.loss == "sum":
            self.made["L"] = loss
        build.given(start, gradient.dO or gradient.dY or Matrix([[1] * shape[1] for _ in range(shape[0])]))

    def _refuse_symbols(self) -> None:
        found = sorted({name for value in self.build.quantities[self.last].exact for name in value.symbols})
        if found:
            place = place_of(self.problem.source, "gradient.loss")
            raise InputError(
                f"{place}: cross-entropy takes exponentials of the outputs, which are numbers then, and {found[0]} is "
                "a free symbol: give it a value."
            )

    def _joined(self) -> str | None:
        """Return the name of the factor of W_O: the joined heads, or the output of the only one; None without W_O."""
        if "W_O" not in self.build.quantities:
            return None
        return "C" if "C" in self.build.quantities else "H^1"

    def _part_heads(self, whole: str) -> None:
        """Make the gradient at each head's output from that at their mean or their join."""
        heads = [name for name in self.build.quantities if base_of(name) == "H"]
        definition = self.build.quantities[whole].definition
        start, before = 1, f"d{whole}"
        for name in heads:
            if f"d{name}" in self.made:
                continue
            match definition:
                case q.MeanOf(names):
                    self.made[f"d{name}"] = (q.ShareOf(before, len(names)), False)
                case q.JoinedOf(_, axis):
                    size = self.build.quantities[name].exact.shape[1 if axis == "columns" else 0]
                    stop = start + size - 1
                    part = q.PartOf(before, axis, start, stop)
                    self.made[f"d{name}"] = (part, False)
                    start = stop + 1

    def head(self, head: int) -> None:
        """Propagate the gradient through the weights and the softmax of one head to its queries and keys."""
        build = self.build
        own = f"^{head}" if head else ""
        output = f"H{own}" if head else "C" if "W_O" in build.quantities else "O"
        weights, scores = f"A{own}", f"S{own}"
        self.back(output, build.quantities[output].definition)
        self._close_last("V", head)
        self.close(weights)
        self._softmax(weights, own)
        factor, gradient = self._factor(own), f"dS{own}"
        capped = through_cap(self.problem)
        if capped:
            gradient, factor = self._through_cap(f"{capped}{own}", own, factor)
        definition = build.quantities[scores].definition
        self.back(scores, definition, factor, gradient)
        if f"G{own}" in build.quantities:
            self.close(f"G{own}")
            self.back(f"G{own}", build.quantities[f"G{own}"].definition)
        self._close_last("Q", head)
        self._close_last("K", head)

    def _close_last(self, letter: str, head: int) -> None:
        """Close the gradients of queries, keys or values that no later head uses."""
        quantities = self.build.quantities.values()
        later = {operand.name for item in quantities if item.head > head for operand in _operands(item.definition)}
        bases = {letter, f"{letter}_rot"}
        for name in [name for name in self.parts if base_of(name) in bases and name not in later]:
            self.close(name)
            self._turn_back(name)

    def _turn_back(self, name: str) -> None:
        """Propagate the gradient through a rotation of queries or keys: the transposed rotation."""
        definition = self.build.quantities[name].definition
        if isinstance(definition, q.RotatedBy):
            turned = replace(definition, of=f"d{name}", back=True)
            self.made[f"d{definition.of}"] = (turned, False)

    def _softmax(self, weights: str, own: str) -> None:
        axis = self.build.axis
        gradient, dots = f"d{weights}", f"D{own}"
        dot = q.LineDot(weights, gradient, axis)
        self.made[dots] = (dot, True)
        through = q.SoftmaxGradientOf(weights, gradient, dots, axis)
        self.made[f"dS{own}"] = (through, False)

    def _through_cap(self, name: str, own: str, factor: str) -> tuple[str, str]:
        """Make the gradient before a soft cap; return its name and the remaining factor, empty if consumed."""
        used = self.problem.used
        number = factor if "scale" in used[used.index("softcap") :] else ""
        self.made[name] = (q.CapGradientOf(f"dS{own}", f"S_capped{own}", "cap", number), False)
        return name, "" if number else factor

    def _factor(self, own: str) -> str:
        """Return the number that the scores were multiplied by, if they were."""
        if f"S_scaled{own}" not in self.build.quantities:
            return ""
        return f"c{own}" if f"c{own}" in self.build.quantities else "c"

    def inputs(self) -> None:
        """Propagate the gradients from queries, keys and values, joined over heads, to weights and inputs."""
        build = self.build
        self.close("W_S")
        for letter in "QKV":
            self._join(letter)
        for letter in "QKV":
            for name in [name for name in build.quantities if base_of(name) == letter]:
                definition = build.quantities[name].definition
                if isinstance(definition, q.ProductOf):
                    self.back(name, definition)
                    weight = next(item for item in (definition.left, definition.right) if item.name[0] == "W")
                    self.close(weight.name)
                    self.added(name, definition)
        if self.problem.block is not None:
            self._block_inputs()
        for name in ("X_p", "X", "X_1", "X_2"):
            self.close(name)
        if "dX_p" in self.made:
            # What is added to the tokens takes nothing off their gradient.
            for name in ("X", "P"):
                axis, of = build.side, ("dX_p",)
                self.made[f"d{name}"] = (q.JoinedOf(of, axis), False)

    def _block_inputs(self) -> None:
        """Propagate the gradient from the input of attention to that of the block, through the norm between if any."""
        around, source = _Around(self), self.build.queries_from
        if source:
            around.close(source)
            around.back(source, "")
        else:
            around.close(around.own)

    def _join(self, letter: str) -> None:
        """Join the gradients of the parts that belong to heads."""
        quantities = self.build.quantities
        parts = [
            name
            for name, item in quantities.items()
            if base_of(name) == letter and isinstance(item.definition, q.PartOf)
        ]
        if not parts or f"d{parts[0]}" not in self.made:
            return
        names, axis = tuple(f"d{name}" for name in parts), self.build.side
        self.made[f"d{letter}"] = (q.JoinedOf(names, axis), False)

    # The chain rule --------------------------------------------------------------------------------

    def back(self, name: str, definition: q.Definition, factor: str = "", gradient: str = "") -> None:
        """Add the contributions of the gradient at a product to those at its factors."""
        if not isinstance(definition, q.ProductOf):
            return
        gradient = gradient or f"d{name}"
        for operand, pair in (
            (definition.left, _left(definition, gradient)),
            (definition.right, _right(definition, gradient)),
        ):
            self.parts.setdefault(operand.name, []).append(pair)
            if factor:
                self.factors.setdefault(operand.name, factor)

    def added(self, name: str, definition: q.Definition) -> None:
        """Make the gradient at a vector that was added to every token: the sum over all tokens."""
        if not isinstance(definition, q.ProductOf) or not definition.plus:
            return
        axis: q.Axis = "rows" if self.problem.tokens == "rows" else "columns"
        gradient = f"d{name}"
        self.made[f"d{definition.plus}"] = (q.TotalLine(gradient, axis), True)

    def close(self, name: str, made: str = "") -> None:
        """Make the gradient at a quantity, once all of its parts are known; `made` names one of its parts alone."""
        pairs, factor = tuple(self.parts.pop(name, ())), self.factors.get(name, "")
        if not pairs:
            return
        self.made[made or f"d{name}"] = (q.ProductsOf(pairs, factor), False)


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
            self._make(f"d{name}", q.SumOf(*paths))

    def _same(self, name: str, gradient: str) -> None:
        self._make(name, q.JoinedOf((gradient,), self.plan.build.side))

    def _affine(self, name: str, definition: q.AffineOf) -> None:
        gradient = f"d{name}"
        if definition.factor:
            self._make(f"d{definition.factor}", q.TotalDot(gradient, definition.of, self.axis), vector=True)
        if definition.term:
            self._make(f"d{definition.term}", q.TotalLine(gradient, self.axis), vector=True)
        if not definition.factor:
            self._same(f"d{definition.of}", gradient)
            return
        self._make(f"d{definition.of}", q.AffineOf(gradient, definition.factor, "", self.axis))

    def _activation(self, gradient: str, of: str, kind: str) -> None:
        if kind == "relu":
            self._make(f"d{of}", q.ReluGradientOf(gradient, of))
            return
        self._make("F_slope", q.GeluSlopeOf(of, kind))
        self._make(f"d{of}", q.EntrywiseOf(gradient, "F_slope"))

    def _norm(self, name: str, definition: q.Standardised) -> None:
        gradient, number = f"d{name}", name.partition("_")[2]
        means, dots = f"rho_{number}" if definition.means else "", f"tau_{number}"
        if means:
            self._make(means, q.LineMean(gradient, self.axis), vector=True)
        self._make(dots, q.LineMeanDot(gradient, name, self.axis), vector=True)
        through = q.NormGradientOf(gradient, name, means, dots, definition.variances, definition.eps, self.axis)
        self._make(self._beside(definition.of), through)
        self._residual(definition.of)

    def _make(self, name: str, definition: q.Definition, *, vector: bool = False) -> None:
        self.plan.made[name] = (definition, vector)


def _operands(definition: q.Definition) -> tuple[q.Operand, ...]:
    return (definition.left, definition.right) if isinstance(definition, q.ProductOf) else ()


def _left(product: q.ProductOf, gradient: str) -> _Pair:
    """Return the gradient at the left factor: ``dP R^T``, or ``R dP^T`` for a factor that stands transposed."""
    if product.left.transposed:
        return product.right, q.Operand(gradient, transposed=True)
    return q.Operand(gradient), _turned(product.right)


def _right(product: q.ProductOf, gradient: str) -> _Pair:
    """Return the gradient at the right factor: ``L^T dP``, or ``dP^T L`` for a factor that stands transposed."""
    if product.right.transposed:
        return q.Operand(gradient, transposed=True), product.left
    return _turned(product.left), q.Operand(gradient)


def _turned(operand: q.Operand) -> q.Operand:
    return q.Operand(operand.name, not operand.transposed)
