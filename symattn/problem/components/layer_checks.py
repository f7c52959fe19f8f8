"""The heads of a layer: which matrices belong to each, how long its queries, keys and values are, what must fit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction

from symattn.errors import InputError, ShapeError, counted_entries, shape_text
from symattn.exact.field import expsum
from symattn.exact.reals import sign
from symattn.problem.components.blocks import check_block, network_inputs
from symattn.problem.components.caches import check_further, check_positions
from symattn.problem.components.data import FLAT, ProblemData, Size, group_of, needs_heads, refuse_groups, token_length
from symattn.problem.schema.fields import (
    BLOCK_INPUTS,
    COMBINATIONS,
    FULLY_MASKED,
    OPTIONAL_INPUTS,
    SCORE_INPUTS,
)
from symattn.problem.settings.conventions import KINDS, SOURCES, Shape, check_projection
from symattn.problem.settings.masks import Tables
from symattn.problem.settings.score_steps import SCORE_STEPS
from symattn.problem.text.spelling import unknown
from symattn.problem.values.checks import place_of


def per_head(name: str, heads: int, kv_heads: int) -> list[str]:
    """Return the names of one matrix of each head, ``W_Q^1`` and so on; of keys and values for each of their own heads.

    >>> per_head("K", 4, 2)
    ['K^1', 'K^2']
    """
    count = heads if name[-1] == "Q" else kv_heads
    return [f"{name}^{number}" for number in range(1, count + 1)]


def check_layer(problem: ProblemData) -> None:
    """Refuse a layer whose keys contradict each other or whose matrices do not fit.

    Raises:
        InputError: One sentence with the key and the remedy.
        ShapeError: With both shapes.

    >>> from symattn.problem.model import Problem
    >>> Problem.build(Q=[[1, 2, 3]], K=[[1, 2, 3]], V=[[1, 2]], heads=2)
    Traceback (most recent call last):
    symattn.errors.ShapeError: Q is 1×3 and heads is 2: 3 columns do not divide among 2 heads ([inputs] Q).
    """
    checker = _Checker(problem)
    checker.keys()
    checker.names()
    checker.sequences()
    checker.projections()
    checker.tokens()
    checker.lengths()
    checker.score()
    checker.biases()
    checker.outputs()
    checker.mask()
    checker.bias()
    checker.after_mask()
    if problem.positions or problem.cached or problem.online:
        check_positions(problem)
        check_further(problem)
    if problem.block is not None:
        check_block(problem)


class _Checker:
    def __init__(self, problem: ProblemData) -> None:
        self.problem = problem
        self.shapes: Mapping[str, Shape] = {name: matrix.shape for name, matrix in problem.inputs.items()}
        self.heads, self.kv_heads = max(problem.heads, 1), max(problem.kv_heads, 1)
        self.is_given = problem.kind == "given"
        self.stem = "" if self.is_given else "W_"
        # With Q, K and V given, other weights meet them as they would meet the input by default.
        product = {"rows": "X W", "columns": "W X"}[problem.tokens]
        self.product = product if self.is_given else problem.convention.product

    # Words -----------------------------------------------------------------------------------------

    def place(self, key: str) -> str:
        return place_of(self.problem.source, key)

    def place_of_input(self, name: str) -> str:
        base, _, number = name.partition("^")
        if not number:
            return self.place(f"inputs.{name}")
        table = int(number) if base[-1] == "Q" else (int(number) - 1) * self.heads // self.kv_heads + 1
        return self.place(f"heads #{table}.{base}")

    def shape(self, name: str) -> str:
        return f"{name} is {shape_text(self.shapes[name])}"

    def misfit(self, first: str, second: str, needs: str) -> ShapeError:
        return ShapeError(f"{self.shape(first)} and {self.shape(second)}: {needs} ({self.place_of_input(second)}).")

    # Keys ------------------------------------------------------------------------------------------

    def keys(self) -> None:
        problem = self.problem
        for key, word, known in (
            ("fully_masked", problem.fully_masked, FULLY_MASKED),
            ("combine", problem.combine, COMBINATIONS),
            ("score", problem.score, tuple(SCORE_INPUTS)),
        ):
            if word not in known:
                raise InputError(f"{self.place(key)}: {unknown('value', word, known)}")
        for key, step in SCORE_STEPS.items():
            setting = getattr(problem, key)
            if isinstance(setting, Fraction) and setting <= 0:
                raise InputError(f"{self.place(key)} must be greater than 0; {step.remedy}.")
        if problem.fully_masked != "undefined" and not (problem.mask and problem.mask.hides):
            raise InputError(f"{self.place('fully_masked')} has no effect, because nothing is masked. Leave it out.")
        self.counts()
        self.order()

    def order(self) -> None:
        problem, place = self.problem, self.place("order")
        for word in problem.order:
            if word not in SCORE_STEPS:
                raise InputError(f"{place}: {unknown('value', word, tuple(SCORE_STEPS))}")
        if len(set(problem.order)) != len(problem.order):
            raise InputError(f"{place} has one entry twice. Leave one of them out.")
        missing = [word for word in problem.used if word not in problem.order]
        if missing:
            raise InputError(f'{place} lacks "{missing[0]}", which this layer uses. Add it to the order.')

    def counts(self) -> None:
        problem = self.problem
        if not problem.heads and (problem.kv_heads or problem.combine != "concat"):
            key = "kv_heads" if problem.kv_heads else "combine"
            raise needs_heads(self.place(key))
        if problem.heads < 0 or problem.kv_heads < 0 or (problem.heads and not problem.kv_heads):
            raise InputError(f"{self.place('heads')}: heads and kv_heads are whole numbers from 1.")
        refuse_groups(self.heads, self.kv_heads, self.place("kv_heads"))

    def names(self) -> None:
        """Refuse inputs that are missing, and those that nothing uses."""
        problem, given = self.problem, set(self.problem.inputs)
        for name in sorted(self.required() - given):
            base = name.partition("^")[0]
            why = f'score = "{problem.score}" needs it' if base in OPTIONAL_INPUTS else "the layer needs it"
            raise InputError(f"{self.place_of_input(name)} is missing: {why}.")
        for name in sorted(given - self.required() - self.optional()):
            raise InputError(f"{self.place_of_input(name)} {self.why_not(name)}")
        if "b_O" in given and "W_O" not in given:
            raise InputError(f"{self.place('inputs.b_O')} is added to what W_O makes; give W_O, or leave b_O out.")

    def required(self) -> set[str]:
        own = [f"{self.stem}{letter}" for letter in "QKV"]
        found = {name for name in KINDS[self.problem.kind] if name not in own}
        return found.union(self.of_heads(own), SCORE_INPUTS[self.problem.score])

    def optional(self) -> set[str]:
        found = set() if self.problem.combine == "mean" else {"W_O", "b_O"}
        found |= {"P"} if self.problem.positions and not self.problem.positions.traits.has_angles else set()
        found |= {"K_cache", "V_cache"}
        if self.problem.block is not None:
            found.update(network_inputs(self.problem))
        found |= {"P"} if self.problem.positions and not self.problem.positions.traits.has_angles else set()
        found |= {"K_cache", "V_cache"}
        return found if self.is_given else found.union(self.of_heads(["b_Q", "b_K", "b_V"]))

    def of_heads(self, names: Iterable[str]) -> list[str]:
        if not self.problem.heads_apart:
            return list(names)
        return [one for name in names for one in per_head(name, self.heads, self.kv_heads)]

    def why_not(self, name: str) -> str:
        base = name.partition("^")[0]
        if base in ("W_O", "b_O"):
            return f'does not go with combine = "mean", where the outputs are the mean of the heads; leave {base} out.'
        if base in ("b_Q", "b_K", "b_V") and self.is_given:
            return f"is added to a projection, and {base[-1]} is given here; leave {base} out."
        block = self.problem.block
        if base in ("beta_1", "beta_2") and block is not None and block.norm == "rms":
            return 'is a term that norm = "rms" does not have; leave it out, or take norm = "layer".'
        if base in BLOCK_INPUTS:
            return "belongs to a norm or network that the problem does not have; say so under [block], or leave it out."
        for score, names in SCORE_INPUTS.items():
            if base in names:
                return f'goes with score = "{score}", and score is "{self.problem.score}"; say so, or leave {base} out.'
        if self.problem.heads_apart and not name.partition("^")[1]:
            return "cannot be given beside tables of heads, which have their own. Leave it out."
        return "is not used in this layer. Leave it out."

    def sequences(self) -> None:
        problem = self.problem
        counts = {name: len(matrices) for name, matrices in problem.sequences.items()}
        for name, matrices in problem.sequences.items():
            first = next(iter(counts))
            if counts[name] != counts[first]:
                raise InputError(
                    f"{self.place_of_input(name)} has {_matrices(counts[name])} and {first} has {counts[first]}: "
                    "give one for each sequence of the batch."
                )
            if not matrices or matrices[0] is not problem.inputs.get(name):
                raise InputError(f"{self.place_of_input(name)} is not the first of its own sequences.")
            for number, matrix in enumerate(matrices, 1):
                if matrix.shape != matrices[0].shape:
                    raise ShapeError(
                        f"{self.place_of_input(name)}, sequence {number} is {shape_text(matrix.shape)} "
                        f"and sequence 1 is {shape_text(matrices[0].shape)}: give all sequences one shape, "
                        "and mask what is padding."
                    )

    # Shapes ----------------------------------------------------------------------------------------

    def projections(self) -> None:
        if self.is_given:
            return
        for source, letter in zip(SOURCES[self.problem.kind], "QKV", strict=True):
            for weight in self.of_heads([f"W_{letter}"]):
                place = self.place_of_input(weight)
                try:
                    check_projection(source, weight, self.problem.convention, self.shapes, "")
                except ShapeError as error:
                    raise ShapeError(f"{str(error).removesuffix('.')} ({place}).") from error

    def tokens(self) -> None:
        """Check given Q, K and V: as many tokens in the queries of all heads, and in all keys and values."""
        if not self.is_given:
            return
        side = "rows" if self.problem.tokens == "rows" else "columns"
        at = 0 if side == "rows" else 1
        for letters in ("Q", "KV"):
            first, *others = self.of_heads(letters)
            for name in others:
                if self.shapes[name][at] != self.shapes[first][at]:
                    raise self.misfit(first, name, f"give both as many {side}, one for each token")

    def lengths(self) -> None:
        sizes = self.divided()
        letters = ("W_Q", "W_K") if not self.is_given else ("Q", "K")
        side = "columns" if self.lies_in_columns(letters[0]) else "rows"
        if self.problem.score in ("dot", "cosine"):
            for head, size in enumerate(sizes, 1):
                if size.d_q != size.d_k:
                    first, second = (self.of_head(name, head) for name in letters)
                    needs = f"{self.problem.scores} needs as many {side} in {first} as in {second}"
                    if self.heads != self.kv_heads and not self.problem.heads_apart:
                        needs = (
                            f"with heads = {self.heads} and kv_heads = {self.kv_heads} a query of one head has "
                            f"{counted_entries(size.d_q)} and a key {size.d_k}; give each head as many {side} in "
                            f"{second} as in {first}"
                        )
                    raise self.misfit(first, second, needs)

    def lies_in_columns(self, name: str) -> bool:
        """Return True if the entries of a token are columns of the matrix, or made by columns of the weight."""
        if name in ("Q", "K", "V"):
            return self.problem.tokens == "rows"
        return self.product not in FLAT

    def divided(self) -> tuple[Size, ...]:
        if not self.problem.heads_apart:
            for letter, count in zip("QKV", (self.heads, self.kv_heads, self.kv_heads), strict=True):
                name = self.stem + letter
                length = token_length(self.problem, name)
                if length % count:
                    side = "columns" if self.lies_in_columns(name) else "rows"
                    key = "heads" if count == self.heads else "kv_heads"
                    raise ShapeError(
                        f"{self.shape(name)} and {key} is {count}: {length} {side} do not divide among {count} heads "
                        f"({self.place_of_input(name)})."
                    )
        return self.problem.head_sizes

    def of_head(self, name: str, head: int) -> str:
        if not self.problem.heads_apart:
            return name
        own = head if name[-1] == "Q" else group_of(head, self.heads, self.kv_heads)
        return f"{name}^{own}"

    def score(self) -> None:
        if self.problem.score == "general":
            for head, size in enumerate(self.problem.head_sizes, 1):
                self.must_be("W_S", (size.d_q, size.d_k), f"for queries of {size.d_q} and keys of {size.d_k}", head)
        if self.problem.score == "additive":
            inner, outer = (1, 0) if self.product in FLAT else (0, 1)
            width = self.shapes["W_1"][outer]
            for head, size in enumerate(self.problem.head_sizes, 1):
                for name, length, what in (("W_1", size.d_q, "queries"), ("W_2", size.d_k, "keys")):
                    wanted = (length, width) if inner == 0 else (width, length)
                    why = f"for {what} of {length} and W_1 of {shape_text(self.shapes['W_1'])}"
                    self.must_be(name, wanted, why, head)
            self.must_be("w_S", (width, 1), f"for W_1 of {shape_text(self.shapes['W_1'])}", 0)

    def must_be(self, name: str, wanted: Shape, why: str, head: int) -> None:
        if self.shapes[name] != wanted:
            of_head = f" of head {head}" if head and self.problem.heads > 1 else ""
            raise ShapeError(
                f"{self.shape(name)} and must be {shape_text(wanted)} {why}{of_head} ({self.place_of_input(name)})."
            )

    def biases(self) -> None:
        """Check the biases of the projections: one entry for each that a token has in the projection."""
        for letter in "QKV":
            for name in self.of_heads([f"b_{letter}"]):
                weight = "W" + name[1:]
                if name in self.shapes:
                    self.vector(name, weight, token_length(self.problem, weight))

    def vector(self, name: str, weight: str, length: int) -> None:
        wanted = (1, length) if self.problem.tokens == "rows" else (length, 1)
        if self.shapes[name] != wanted:
            raise self.misfit(weight, name, f"what is added to every token must be {shape_text(wanted)}")

    def outputs(self) -> None:
        values = [size.d_v for size in self.problem.head_sizes]
        if self.problem.combine == "mean" and len(set(values)) > 1:
            head = next(number for number, value in enumerate(values, 1) if value != values[0])
            first, second = (self.of_head(f"{self.stem}V", number) for number in (1, head))
            needs = "the mean of the heads needs values of one length"
            raise self.misfit(first, second, needs)
        if "W_O" not in self.shapes:
            return
        inner, outer = (1, 0) if self.product in FLAT else (0, 1)
        if self.shapes["W_O"][inner] != sum(values):
            side = "rows" if inner == 0 else "columns"
            joined = (self.problem.n_q, sum(values))
            shape = joined if self.problem.tokens == "rows" else joined[::-1]
            raise ShapeError(
                f"The joined heads are {shape_text(shape)} and {self.shape('W_O')}: give W_O {sum(values)} {side}, "
                f"one for each entry that a token has in the joined heads ({self.place_of_input('W_O')})."
            )
        if "b_O" in self.shapes:
            self.vector("b_O", "W_O", self.shapes["W_O"][outer])

    # Masks and biases ------------------------------------------------------------------------------

    def mask(self) -> None:
        problem, mask = self.problem, self.problem.mask
        if mask is None:
            return
        self.check_place()
        if len(mask.length) not in (0, 1, problem.batch):
            raise InputError(
                f"{self.place('mask.length')} has {len(mask.length)} numbers and the batch has {problem.batch or 1} "
                f"sequence{'s' if problem.batch > 1 else ''}: give one number, or one for each sequence."
            )
        for length in mask.length:
            if not 0 <= length <= problem.n_k:
                raise InputError(
                    f"{self.place('mask.length')} is {length} and there are {_keys(problem.n_k)}: "
                    f"give a number from 0 to {problem.n_k}."
                )
        if mask.window is not None and min(mask.window) < 0:
            raise InputError(f"{self.place('mask.window')} must be two whole numbers from 0, as in [2, 0].")
        if mask.keep and mask.drop:
            raise InputError(f"{self.place('mask.keep')} and drop have the same meaning. Leave one of them out.")
        for key, tables in (("keep", mask.keep), ("drop", mask.drop)):
            self.grids(f"mask.{key}", tables)
        self.grids("mask.add", mask.add)

    def check_place(self) -> None:
        problem, mask = self.problem, self.problem.mask
        if mask is None or not (mask.past or mask.alignment):
            return
        key = "past" if mask.past else "alignment"
        if mask.past and mask.alignment:
            raise InputError(
                f"{self.place('mask.past')} and alignment both set the position of the queries. Leave one of them out."
            )
        if not (mask.by_place or (problem.bias and problem.bias.by_place)):
            raise InputError(
                f"{self.place(f'mask.{key}')} has an effect only with causal or window. "
                "Give one of them, or leave it out."
            )

    def grids(self, key: str, tables: Tables[object]) -> None:
        """Check one grid, or one for each sequence and head; a row for each query, or one for all of them."""
        if not tables:
            return
        for what, count, have in (
            ("sequence", len(tables), self.problem.batch),
            ("head", len(tables[0]), self.problem.heads),
        ):
            if count not in (1, have):
                raise InputError(
                    f"{self.place(key)} has {_matrices(count)} and there {'is' if have < 2 else 'are'} {have or 1} "
                    f"{what}{'s' if have > 1 else ''}: give one matrix, or one for each {what}."
                )
        n_q, n_k = self.problem.n_q, self.problem.n_k
        for grid in (grid for heads in tables for grid in heads):
            if len(grid) not in (1, n_q) or len(grid[0]) != n_k:
                raise ShapeError(
                    f"{self.place(key)} is {shape_text((len(grid), len(grid[0])))} and queries by keys are "
                    f"{shape_text((n_q, n_k))}: give a row for each query, or one row for all, "
                    "with an entry for each key."
                )

    def after_mask(self) -> None:
        """Refuse a scale after the mask that leaves minus infinity without a value, or makes it plus infinity."""
        problem = self.problem
        used = problem.used
        if not {"mask", "scale"} <= set(used) or used.index("mask") > used.index("scale") or not self.hides_some():
            return
        for size in problem.head_sizes:
            factor = problem.scale.factor(size.d_k)
            if not factor.symbols and sign.sign(expsum.ExpSum(factor)) > 0:
                continue
            what = "has a symbol without a value" if factor.symbols else "is not greater than 0"
            key = "temperature" if problem.scale.kind == "temperature" else "scale"
            raise InputError(
                f"{self.place('order')} scales after the mask, and the {key} {problem.scale.text} {what}, so minus "
                'infinity times it has no value here; put "scale" before "mask".'
            )

    def hides_some(self) -> bool:
        """Return True if the mask hides any key from any query."""
        problem, mask = self.problem, self.problem.mask
        if mask is None:
            return False
        sequences, heads = range(1, problem.batch + 1) or [0], range(1, problem.heads + 1) or [0]
        grids = (mask.visible(problem.n_q, problem.n_k, head, sequence) for sequence in sequences for head in heads)
        return not all(is_seen for grid in grids for row in grid for is_seen in row)

    def bias(self) -> None:
        problem, bias = self.problem, self.problem.bias
        if bias is None:
            return
        self.grids(f"bias.{bias.key}", bias.grids)
        if len(bias.each_head) not in (0, 1, problem.heads):
            raise InputError(
                f"{self.place(f'bias.{bias.key}')} has {len(bias.each_head)} {bias.unit} and heads is {self.heads}: "
                "give one, or one for each head."
            )
        missing = bias.missing(problem.n_q, problem.n_k, problem.past)
        if missing:
            raise InputError(
                f"{self.place(f'bias.{bias.key}')} has no number for the distance {missing[0]}; "
                f"distances go from {1 - problem.n_q - problem.past} to {problem.n_k - 1 - problem.past} here."
            )


def _keys(count: int) -> str:
    return "1 key" if count == 1 else f"{count} keys"


def _matrices(count: int) -> str:
    return "1 matrix" if count == 1 else f"{count} matrices"
