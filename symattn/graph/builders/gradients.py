"""The backward pass of a layer: the gradient of a loss at every quantity that its output is made of.

Each gradient follows from the definition of what is made, by the chain rule: the backward rule of each operation stands
beside it in `symattn.operations`, and the tape applies them. Here are the start, the order and the names.

Gradients are named after what they belong to, ``dQ^2``. ``dS`` is the gradient where the softmax takes its scores,
after all that is done to them before; a step in between that changes it gives the one before that step a name of its
own. A key that is hidden has the weight 0 and so the gradient 0. Where the pass starts at probabilities, exponentials
of outputs have no closed form: such gradients are known by enclosures.

Around attention, the gradient at a sum is that at both of its terms. Where tokens are added to what is made of them,
theirs is the gradient at the sum and what comes back through attention or the network besides, which is ``dX_A`` or
``dF_0``. A norm takes a gradient back line by line, by the mean of the line, ``rho``, and the mean of its products
with what was standardised, ``tau``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from symattn.errors import InputError
from symattn.exact.linear.matrix import Matrix
from symattn.exact.reals.special_values import MINUS_INFINITY
from symattn.graph.builders.layer import base_of, is_of_block
from symattn.graph.builders.quantity_builder import LayerBuilder
from symattn.graph.builders.tape import Tape
from symattn.graph.quantities import quantity as q
from symattn.graph.quantities.definition import GIVEN, Definition, define
from symattn.operations.operation import Between
from symattn.problem.components.declarations import Gradient
from symattn.problem.components.gradients import gradients_of, labels_matrix
from symattn.problem.settings.conventions import Shape
from symattn.problem.values.checks import place_of

_APART = {"R_1": "dX_A", "R_2": "dF_0"}
"""By the sum: the gradient at its tokens that comes back through attention, or through the network."""
_BETWEEN: Mapping[Between, str] = {"mean": "rho", "mean-dot": "tau"}
_SCORES = ("S", "S_scaled", "S_capped", "S_biased", "S_masked")
_OF_HEADS = ("V", "V_new", *("A", *reversed(_SCORES), "G"), "Q_rot", "Q", "K_rot", "K", "K_new")
_BEFORE_HEADS = ("W_S", "Q", "K", "K_new", "V", "V_new")
_TOKENS = ("X", "P", "X_1", "X_2")


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
    tape = _started(build, gradient)
    for name in _order(build):
        tape.gradient(name)
    wanted = _needed(tape, gradient.of or gradients_of(build.problem))
    for name, (definition, is_vector) in tape.made.items():
        if name in wanted:
            _derive(build, name, definition, vector=is_vector)


def _derive(build: LayerBuilder, name: str, definition: Definition, *, vector: bool = False) -> None:
    try:
        build.derived(name, definition, vector=vector, scalar=name == "L")
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


# The start ----------------------------------------------------------------------------------------------


def _started(build: LayerBuilder, gradient: Gradient) -> Tape:
    """Return the tape with the loss, or with the gradient at the output that is given."""
    output = [name for name in build.recipes if name == "O" or is_of_block(name)][-1]
    shape = build.quantities[output].shape
    tokens: q.Axis = "rows" if build.problem.tokens == "rows" else "columns"
    start = f"d{output}"
    outputs: tuple[str, ...] = (output,)
    if gradient.target is not None:
        build.given("T", gradient.target)
        outputs = output, "T"
    elif gradient.labels:
        _refuse_symbols(build, output, gradient.loss)
        build.given("T", labels_matrix(gradient.labels, shape, by_rows=tokens == "rows"))
        _derive(build, "P_O", define("softmax", output, axis=tokens))
        outputs = "P_O", "T"
    else:
        _give(build, start, gradient, shape)
    if gradient.loss != "given":
        _derive(build, "L", define("loss", *outputs, loss=gradient.loss))
    tape = Tape(build.quantities, build.recipes, _GradientNames(build), tokens)
    if start in build.quantities:
        tape.start(output, start)
    else:
        tape.start("L")
    return tape


def _give(build: LayerBuilder, start: str, gradient: Gradient, shape: Shape) -> None:
    """Add the gradient at the output that is given, or 1 everywhere, the gradient of a sum."""
    given = gradient.dO or gradient.dY
    if gradient.loss == "sum":
        given = Matrix([[1] * shape[1] for _ in range(shape[0])])
    if given is None:
        raise ValueError("the gradient at the output of a block comes from the block after it")
    if gradient.rounded is not None:
        build.start[start] = gradient.rounded
        build.carried.add(start)
    build.given(start, given)
    if gradient.rounded is not None:
        build.quantities[start] = replace(build.quantities[start], rounding=None)


def _refuse_symbols(build: LayerBuilder, output: str, loss: str) -> None:
    found = sorted({name for value in build.quantities[output].exact for name in value.symbols})
    if found:
        place = place_of(build.problem.source, "gradient.loss")
        raise InputError(
            f"{place}: {loss} takes exponentials of the outputs, which are numbers then, and {found[0]} is a free "
            "symbol: give it a value."
        )


# Names and order ----------------------------------------------------------------------------------------


class _GradientNames:
    """Names of the gradients of a layer."""

    def __init__(self, build: LayerBuilder) -> None:
        scores = [name for name in build.recipes if base_of(name) in _SCORES]
        self._logits = {name.partition("^")[2]: name for name in scores}

    def gradient(self, name: str) -> str:
        """Return ``dQ^2`` for ``Q^2``; of scores, ``dS`` where the softmax takes them."""
        base, caret, head = name.partition("^")
        if base not in _SCORES:
            return f"d{name}"
        if name == self._logits[head]:
            base = "S"
        elif base != "S_scaled":
            base = "S_uncapped"
        return f"d{base}{caret}{head}"

    def apart(self, name: str, total: str) -> str:
        """Return the gradient at the tokens of a residual sum without that of the sum."""
        del name
        return _APART[total]

    def between(self, role: Between, name: str) -> str:
        """Return ``D^2`` for the weights of head 2, ``rho_1`` and ``tau_1`` for norm 1, ``F_slope``."""
        if role == "slope":
            return "F_slope"
        if role == "dots":
            return f"D{name.removeprefix(base_of(name))}"
        return f"{_BETWEEN[role]}_{name.partition('_')[2]}"

    def is_shared(self, name: str) -> bool:
        """Return True for scores: what is added to them changes nothing."""
        return base_of(name) in _SCORES


def _order(build: LayerBuilder) -> Iterator[str]:
    """Iterate over the quantities from the output back; heads come in theirs, from the values to the keys."""
    back = [name for name in reversed(build.recipes) if build.recipes[name].rule != GIVEN]
    joined = next(back.index(name) for name in ("C", "O") if name in back)
    for name in back[: joined + 1]:
        yield from (name, *_weights(build, name))
    yield from (name for name in build.recipes if base_of(name) == "H")
    last = _last_heads(build)
    for head in build.head_numbers():
        own = [name for name in build.recipes if last[name] == head and ("^" in name) == bool(head)]
        yield from (name for base in _OF_HEADS for name in own if base_of(name) == base)
    yield from (name for name in _BEFORE_HEADS if name in build.recipes)
    for letter in "QKV":
        for name in build.recipes:
            if base_of(name) in {letter, f"{letter}_new"}:
                yield from _weights(build, name)
    for name in back:
        yield from (name, *_weights(build, name))
    yield from (name for name in _TOKENS if name in build.recipes)


def _weights(build: LayerBuilder, name: str) -> Iterator[str]:
    """Iterate over the weights and vectors that a quantity is made of."""
    for premise in build.recipes[name].premises:
        if build.recipes[premise].rule == GIVEN and (premise[0] == "W" or build.quantities[premise].vector):
            yield premise


def _last_heads(build: LayerBuilder) -> Mapping[str, int]:
    """Return the last head that uses each quantity; several may share keys and values."""
    found = {name: quantity.head for name, quantity in build.quantities.items()}
    for name in reversed(build.recipes):
        for premise in build.recipes[name].premises:
            found[premise] = max(found[premise], found[name])
    return found


def _needed(tape: Tape, names: tuple[str, ...]) -> set[str]:
    """Return the gradients of these names, of every head, and all that they are made of."""
    found = [name for name in tape.made if base_of(name) in names]
    needed = set(found)
    while found:
        for premise in tape.made[found.pop()][0].premises:
            if premise in tape.made and premise not in needed:
                needed.add(premise)
                found.append(premise)
    return needed
