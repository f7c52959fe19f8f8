"""A problem becomes a worked layer: each quantity from those before it, exactly and as the policy rounds.

What is done, and in which order, is what the problem declares: projections, scores, a scale, a bias, a mask,
the softmax, outputs, for one head or for each of several, which are then joined.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

from symattn.errors import InputError
from symattn.exact.field.quotient import Quotient
from symattn.exact.linear.matrix import Matrix
from symattn.exact.reals.special_values import MINUS_INFINITY
from symattn.graph.builders import blocks, gradients, online_softmax, positions
from symattn.graph.builders.layer import Layer, base_of
from symattn.graph.builders.quantity_builder import LayerBuilder, operand_of
from symattn.graph.quantities import quantity as q
from symattn.graph.quantities.definition import Definition, Factor, define, define_product
from symattn.notation.parser import plain
from symattn.notation.tree import nodes as t
from symattn.problem.components import data
from symattn.problem.components.data import group_of
from symattn.problem.model import Problem
from symattn.problem.settings.score_steps import SCORE_STEPS
from symattn.problem.values.checks import PYTHON, place_of


def attention_layer(problem: Problem, carried: Mapping[str, q.Grid] | None = None) -> Layer:
    """Work out every quantity of a problem, exactly and under its rounding policy.

    Args:
        problem: what was asked.
        carried: inputs that come rounded from a block before this one.

    Raises:
        InputError: the problem asks for what cannot be worked out.

    >>> p = Problem.build(Q=[[1, 0]], K=[[1, 0], [0, 1]], V=[[1], [2]], scale="none")
    >>> str(attention_layer(p).exact("A")[0, 0])
    'exp(1)/(exp(1) + 1)'
    >>> p = Problem.build(Q=[[1], [2]], K=[[1], [3]], V=[[1], [2]], scale="none", mask="causal")
    >>> attention_layer(p).exact("A").rounded(2)
    [['1.00', '0.00'], ['0.02', '0.98']]
    """
    _refuse_what_is_no_layer(problem)
    try:
        return _Attention(problem, carried or {}).layer()
    except InputError as error:
        # What shows only in the numbers is told without the file; several files are often read at once.
        if problem.source == PYTHON or str(error).startswith(problem.source):
            raise
        raise type(error)(f"{problem.source}: {error}") from error


def _refuse_what_is_no_layer(problem: Problem) -> None:
    """Refuse keys that no single layer can have, or not together."""
    if problem.later:
        raise InputError("Each of several blocks is worked out by itself: give the problem of one, with its own X.")
    if problem.batch:
        raise InputError("Each sequence of a batch has a layer of its own: give the problem of one sequence.")
    if problem.softmax_one and problem.policy.shift:
        place = place_of(problem.source, "rounding.shift")
        raise InputError(f"{place}: shift = true would change the 1 that softmax_one adds; leave one of them out.")


class _Attention(LayerBuilder):
    """Builder of a whole layer, one quantity after another."""

    def layer(self) -> Layer:
        """Make all quantities and return the layer."""
        for name, matrix in self.problem.inputs.items():
            self.given(name, matrix, vector=name.startswith(("b_", "gamma_", "beta_")) or name == "w_S")
        if self.problem.positions is not None and self.problem.positions.is_added:
            self.queries_from = positions.add_positions(self)
        if self.problem.block is not None:
            blocks.begin(self)
        self._projections()
        if self.problem.heads:
            self._heads()
        else:
            self._head(0)
        if self.problem.block is not None:
            blocks.finish(self)
        if self.problem.cached:
            positions.add_counts(self)
        if self.problem.gradient is not None:
            gradients.add_gradients(self, self.problem.gradient)
        return self.made()

    # Projections and heads -------------------------------------------------------------------------

    def _projections(self) -> None:
        if self.problem.kind == "given":
            return
        for name in list(self.problem.inputs):
            if base_of(name) in {"W_Q", "W_K", "W_V"}:
                self._projection(name.removeprefix("W_"), name)

    def _projection(self, name: str, weight: str) -> None:
        source = "X" if self.problem.kind == "self" else "X_1" if base_of(name) == "Q" else "X_2"
        source = self.queries_from if self.queries_from and source != "X_2" else source
        operands = {"X": source, "W": weight}
        left, right = (operand_of(word, operands) for word in self.problem.convention.product.split())
        made = f"{name}_new" if self.problem.cached and name != "Q" else name
        self.product(made, left, right, plus=f"b_{name}")

    def _heads(self) -> None:
        """Add each head, with its part of the projections, and join them."""
        counts = {"Q": self.problem.heads, "K": self.problem.kv_heads, "V": self.problem.kv_heads}
        if self.problem.cached:
            counts |= dict.fromkeys(("K_cache", "V_cache", "K_new", "V_new"), self.problem.kv_heads)
        for name, count in counts.items():
            if name in self.quantities:
                self._parts(name, count)
        heads = range(1, self.problem.heads + 1)
        for head in heads:
            self._head(head)
        self._joined(tuple(f"H^{head}" for head in heads))

    def _parts(self, name: str, count: int) -> None:
        rows, columns = self.quantities[name].shape
        size = (columns if self.side == "columns" else rows) // count
        for part in range(1, count + 1):
            start, stop = (part - 1) * size + 1, part * size
            self.derived(f"{name}^{part}", define("part", name, axis=self.side, start=start, stop=stop))

    def _joined(self, heads: tuple[str, ...]) -> None:
        if self.problem.combine == "mean":
            self.derived("O", define("mean", *heads))
            return
        if "W_O" not in self.quantities:
            self._join("O", heads)
            return
        if len(heads) > 1:
            self._join("C", heads)
        self.output(heads[0] if len(heads) == 1 else "C")

    def _join(self, name: str, heads: tuple[str, ...]) -> None:
        self.derived(name, define("join", *heads, axis=self.side))

    def _head(self, head: int) -> None:
        """Add the scores, the weights and the output of one head, or of a layer without heads."""
        _Head(self, head).build()


class _Head:
    """Builder of one head, with the names of its own quantities."""

    def __init__(self, builder: LayerBuilder, head: int) -> None:
        self.builder = builder
        self.problem = builder.problem
        self.head = head

    def build(self) -> None:
        build, names = self.builder, {letter: self._of(letter) for letter in "QKV"}
        if self.problem.positions is not None or self.problem.cached:
            names = positions.placed(build, names)
        self._scores(names["Q"], names["K"])
        logits = self._name("S")
        steps: dict[str, Callable[[str], Definition]] = {
            "scale": self._scaled,
            "softcap": self._capped,
            "bias": self._biased,
            "mask": self._masked,
        }
        for key in self.problem.used:
            definition, made = steps[key](logits), self._name(SCORE_STEPS[key].made)
            build.derived(made, definition)
            logits = made
        self._softmax(logits)
        output = self._name("H") if self.head else "C" if "W_O" in build.quantities else "O"
        weights = {"A": self._name("A"), "V": names["V"]}
        build.product(output, *_operands(self.problem.convention.outputs, weights))
        if self.problem.online:
            online_softmax.add_online(build, logits, names["V"], output, self.head)
        if output == "C":
            build.output("C")

    def _name(self, base: str) -> str:
        return f"{base}^{self.head}" if self.head else base

    def _of(self, letter: str) -> str:
        """Return the queries, keys or values that the head uses; several heads may share those of keys and values."""
        if not self.head:
            return letter
        if letter == "Q":
            return f"Q^{self.head}"
        return f"{letter}^{group_of(self.head, self.problem.heads, self.problem.kv_heads)}"

    def _scores(self, queries: str, keys: str) -> None:
        """Add ``S`` by the declared score function."""
        match self.problem.score:
            case "cosine":
                self._cosine(queries, keys)
            case "additive":
                self._additive(queries, keys)
            case "general":
                names = {"Q": self._general(queries), "K": keys}
                self.builder.product(self._name("S"), *_operands(self.problem.scores, names))
            case _:
                names = {"Q": queries, "K": keys}
                self.builder.product(self._name("S"), *_operands(self.problem.scores, names))

    def _cosine(self, queries: str, keys: str) -> None:
        build, words = self.builder, self.problem.scores.split()
        tokens = {"Q": queries, "K": keys}
        left, right = (operand_of(word, tokens) for word in words)
        norms = [build.norms(f"norm_{tokens[word[0]]}", tokens[word[0]]) for word in words]
        build.derived(self._name("S"), define_product(left, right, *norms, rule="cosine"))

    def _additive(self, queries: str, keys: str) -> None:
        build = self.builder
        tokens = {
            "Q": build.mapped(queries.replace("Q", "Q_w"), queries, "W_1"),
            "K": build.mapped(keys.replace("K", "K_w"), keys, "W_2"),
        }
        left, right = _operands(self.problem.scores, tokens)
        build.derived(self._name("S"), define_product(left, right, "w_S", rule="additive"))

    def _general(self, queries: str) -> str:
        """Return the queries times W_S, so that the scores are a plain product with the keys."""
        left, right = (queries, False), ("W_S", False)
        if self.problem.tokens == "columns":
            left, right = ("W_S", True), left
        self.builder.product(self._name("G"), left, right)
        return self._name("G")

    # The scores before the softmax -----------------------------------------------------------------

    def _scaled(self, scores: str) -> Definition:
        build, own = self.builder, len({size.d_k for size in self._sizes()}) > 1
        factor, d_k = (self._name(name) if own else name for name in ("c", "d_k"))
        if factor not in build.quantities:
            length = self._sizes()[self.head - 1].d_k if own else self.problem.d_k
            build.given(
                factor,
                Matrix([[Quotient.of(self.problem.scale.factor(length))]]),
                form=self._factor_form(d_k, length),
                scalar=True,
            )
        return define("scale", factor, scores)

    def _sizes(self) -> tuple[data.Size, ...]:
        return self.problem.head_sizes if self.problem.heads else ()

    def _factor_form(self, d_k: str, length: int) -> t.Node | None:
        scale = self.problem.scale
        if scale.kind == "1/sqrt(d_k)":
            self.builder.given(d_k, Matrix([[length]]), scalar=True)
            symbol = self.builder.quantities[d_k].symbol
            return t.Division(t.Number("1"), t.Root(symbol))
        if scale.kind == "temperature":
            return t.Division(t.Number("1"), plain.read_plain(scale.text))
        return None

    def _capped(self, scores: str) -> Definition:
        build, cap = self.builder, self.problem.softcap
        if cap is None:
            raise ValueError("a cap is there where one is used")
        if build.quantities[scores].exact.symbols:
            symbols = ", ".join(sorted(build.quantities[scores].exact.symbols))
            place = place_of(self.problem.source, "softcap")
            raise InputError(f"{place} caps numbers, and the scores hold {symbols}: give each a value under [symbols].")
        if "cap" not in build.quantities:
            build.given("cap", Matrix([[cap]]), scalar=True)
        return define("softcap", "cap", scores)

    def _biased(self, scores: str) -> Definition:
        bias, problem = self.problem.bias, self.problem
        if bias is None:
            raise ValueError("a bias is there where one is used")
        grids = [bias.rows(problem.n_q, problem.n_k, problem.past, head) for head in self._heads()]
        added = self._added("B", [[list(row) for row in grid] for grid in grids])
        return define("sum", scores, added)

    def _masked(self, scores: str) -> Definition:
        mask, problem = self.problem.mask, self.problem
        if mask is None:
            raise ValueError("a mask is there where one is used")
        grids = [mask.added(problem.n_q, problem.n_k, head) for head in self._heads()]
        hidden = [[[MINUS_INFINITY if entry is None else entry for entry in row] for row in grid] for grid in grids]
        added = self._added("M", hidden)
        return define("mask", scores, added)

    def _heads(self) -> range:
        return range(1, self.problem.heads + 1) if self.head else range(1)

    def _added(self, base: str, grids: Sequence[Sequence[Sequence[Quotient | Fraction]]]) -> str:
        """Return the name of the matrix that is added to the scores, shared where all heads have the same."""
        is_shared = all(grid == grids[0] for grid in grids)
        name = base if is_shared else self._name(base)
        if name not in self.builder.quantities:
            rows = Matrix(grids[0 if is_shared else self.head - 1])
            self.builder.given(name, rows.T if self.builder.axis == "columns" else rows)
        return name

    # The softmax and after ---------------------------------------------------------------------------

    def _shifted(self, logits: str) -> str:
        build = self.builder
        if not build.policy.shift or build.quantities[logits].exact.symbols:
            # With a free symbol the maximum is open, and there are no digits that a shift could change.
            return logits
        largest, name = self._name("m"), self._name("shifted")
        build.derived(largest, define("line-maximum", logits, axis=build.axis), vector=True)
        build.derived(name, define("shift", logits, largest, axis=build.axis))
        return name

    def _softmax(self, logits: str) -> None:
        build, side = self.builder, self.builder.axis
        scores, exponentials, sums, weights = self._shifted(logits), *map(self._name, "EZA")
        build.derived(exponentials, define("exponential", scores))
        total = "line-sum-plus-one" if self.problem.softmax_one else "line-sum"
        build.derived(sums, define(total, exponentials, axis=side), vector=True)
        empty = self.problem.fully_masked
        if empty == "undefined" or "mask" not in self.problem.used:
            build.derived(weights, define("quotient", exponentials, sums, axis=side))
            return
        build.derived(weights, define("masked-quotient", exponentials, sums, logits, axis=side, empty=empty))


def _operands(words: str, names: Mapping[str, str]) -> tuple[Factor, Factor]:
    left, right = (operand_of(word, names) for word in words.split())
    return left, right
