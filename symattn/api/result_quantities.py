"""Quantities of a solved problem: exact matrices by name, of one layer, of heads, of a batch or of several blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Literal, Self, TypeAlias

from symattn.api.values import matrix as api_matrix
from symattn.errors import InputError, MissingKeyError, expect, shortened
from symattn.exact.linear import matrix as kernel
from symattn.exact.rounding import printed
from symattn.graph.analysis.pattern import Pattern
from symattn.graph.builders.layer import Layer, base_of, is_of_block, is_of_gradients
from symattn.graph.builders.names import namings
from symattn.graph.quantities.definition import GIVEN
from symattn.graph.quantities.scene import Scene
from symattn.problem.components import caches
from symattn.problem.model import Problem
from symattn.problem.schema.fields import CANONICAL, OF_CACHES, OF_POSITIONS
from symattn.problem.schema.letters import LETTERS
from symattn.problem.settings.conventions import DEFINED, THEORY
from symattn.problem.text.spelling import nearest

if TYPE_CHECKING:
    from symattn.api.values.matrix import Matrix

_MAIN = ("Q", "K", "V", "G", "S", "S_scaled", "S_capped", "S_biased", "S_masked", "E", "Z", "A", "C", "O")

Word: TypeAlias = Literal["heads", "sequences", "blocks"]
Work: TypeAlias = Callable[[], tuple[Layer, Pattern | None]]
"""Returns the worked layer and the pattern of its weights; refuses with InputError where there is none for all."""


class ResultQuantities:
    """Exact matrices of a solved problem, and of its parts; `Result` adds what is written of them."""

    def __init__(
        self,
        problem: Problem,
        work: Work,
        children: Mapping[Word, tuple[Self, ...]] | None = None,
        matrices: Mapping[str, Callable[[], kernel.Matrix]] | None = None,
    ) -> None:
        """Take what `solve` found.

        Args:
            problem: what was asked.
            work: makes the layer when it is first needed.
            children: the results that this one consists of.
            matrices: makers of quantities that need no layer.
        """
        self.problem = problem
        self.work = work
        self.children: Mapping[Word, tuple[Self, ...]] = children or {}
        self.matrices = matrices or {}

    @cached_property
    def _worked(self) -> tuple[Layer, Pattern | None]:
        return self.work()

    @property
    def layer(self) -> Layer:
        """The worked layer; of several blocks the last.

        Raises:
            InputError: a batch, each sequence of which has its own, or a problem without inputs.
        """
        return self._worked[0]

    @property
    def pattern(self) -> Pattern | None:
        """The pattern of the weights; None where symbols leave it open, where each head has its own, or none is known.

        Raises:
            InputError: as for `layer`.
        """
        return self._worked[1]

    @property
    def heads(self) -> tuple[Self, ...]:
        """Each head as a result of its own, with its own Q, K, V, S, A and O; the result itself without heads.

        Raises:
            InputError: as for `layer`.

        >>> import symattn as sa
        >>> result = sa.attention(Q=[[1, 2]], K=[[1, 0], [0, 1]], V=[[1, 2], [3, 4]], heads=2, scale="none")
        >>> [head.A.rounded(2) for head in result.heads], result.O.rounded(2)
        ([[['0.73', '0.27']], [['0.12', '0.88']]], [['1.54', '3.76']])
        """
        if self.problem.batch or self.problem.kind == THEORY:
            self.work()  # refuses
        return self.children.get("heads", (self,))

    @property
    def sequences(self) -> tuple[Self, ...]:
        """Each sequence of a batch as a result of its own; the result itself without a batch."""
        return self.children.get("sequences", (self,))

    @property
    def blocks(self) -> tuple[Self, ...]:
        """Each of several blocks as a result of its own; the result itself without them."""
        return self.children.get("blocks", (self,))

    @property
    def views(self) -> tuple[tuple[Layer, Pattern | None], ...]:
        """The layer of each head, or the only one, with the pattern of its weights."""
        return tuple((head.layer, head.pattern) for head in self.heads)

    @property
    def _pieces(self) -> tuple[Self, ...]:
        """The results that stand one after the other in one key."""
        return self.children.get("sequences") or self.children.get("blocks", ())

    def __repr__(self) -> str:
        """Return the shape of the map and how it is shown."""
        return f"<Result of {self.problem.title or 'a problem'}: {self._extent()}>"

    def _extent(self) -> str:
        if self._pieces:
            return f"{len(self._pieces)} {'sequences' if self.problem.batch else 'blocks'}"
        if self.problem.kind == THEORY:
            return f"{len(self.problem.parts)} parts, no numbers"
        if self.problem.kind == DEFINED:
            return ", ".join(self.problem.definitions)
        heads = self.children.get("heads", (self,))
        rows, columns = heads[0].A.shape
        return f"{rows}×{columns} weights" + (f" in each of {len(heads)} heads" if len(heads) > 1 else "")

    def __getitem__(self, name: str) -> Matrix:
        """Return the exact value of a quantity by its canonical name, e.g. ``result["S_scaled"]``.

        ``result["Y"]`` is what comes out of a block, whatever that is called: R_1, N_1, Y_1, R_2, N_2 or Y_2.
        ``result["Q@2"]`` is a quantity of block 2 where there are several; without a number it is one of the last.
        """
        expect(name, str, "A quantity is named by text")
        block, own = self._addressed(name)
        if block is not self:
            return block[own]
        if name == "Y" and self.problem.block is not None and name not in self.matrices:
            name = self.layer.output
        self._refuse_unknown(name)
        return self._exact(name)

    def _addressed(self, name: str) -> tuple[Self, str]:
        """Return the block that a name is of, and the name in it; the result itself without several blocks.

        Raises:
            MissingKeyError: the number of a nonexistent block.
        """
        base, is_marked, number = name.partition("@")
        blocks = self.children.get("blocks", ())
        if not blocks or not is_marked:
            return self, name
        if not number.isascii() or not number.isdigit() or not 1 <= int(number[:4]) <= len(blocks):
            raise MissingKeyError(f"Unknown block {number!r}; blocks are counted from 1 to {len(blocks)}.")
        return blocks[int(number) - 1], base

    def _has(self, name: str) -> bool:
        return name in self.matrices or name in self.layer.recipes

    def _may_have(self, name: str) -> bool:
        """Return whether the problem can have a quantity; nothing is worked out to refuse another name."""
        if self.problem.kind == DEFINED:
            return name in {*self.problem.definitions, *self.problem.inputs, *LETTERS} or is_of_gradients(name)
        if self.problem.batch or self.problem.kind == THEORY:
            return False
        return name in CANONICAL or name in namings(self.problem)

    def _refuse_unknown(self, name: str) -> None:
        if not self._has(name):
            names = ", ".join(self.layer.recipes)
            raise MissingKeyError(f"Unknown quantity {shortened(name)!r}; there are {names}.")

    @property
    def Q(self) -> Matrix:
        """The queries."""
        return self._one("Q")

    @property
    def K(self) -> Matrix:
        """The keys."""
        return self._one("K")

    @property
    def V(self) -> Matrix:
        """The values."""
        return self._one("V")

    @property
    def S(self) -> Matrix:
        """The plain product of queries and keys; ``result["S_scaled"]`` has the scaled scores."""
        return self._one("S")

    @property
    def A(self) -> Matrix:
        """The weights, the attention map."""
        return self._one("A")

    @property
    def O(self) -> Matrix:  # noqa: E743
        """The outputs, or what the definitions of the sheet call O."""
        return self._one("O")

    def __getattr__(self, name: str) -> Matrix:
        """Return what only some problems make: gradients, ``result.dQ``, and quantities of blocks and of definitions.

        >>> import symattn as sa
        >>> p = sa.Problem.build(Q=[[1]], K=[[0], [1]], V=[[1], [3]], scale="none", gradient={"loss": "sum"})
        >>> sa.solve(p).dQ.rounded(4)
        [['0.3932']]
        """
        if name.startswith("_"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        if self.problem.kind == DEFINED:
            if self._may_have(name) and name in self.layer.recipes:
                return self._exact(name)
            raise AttributeError(f"The problem defines no {name}: it defines {', '.join(self.problem.definitions)}.")
        is_around = is_of_block(name)
        if is_around or name in OF_POSITIONS or name in OF_CACHES:
            if self._has(name):
                return self._exact(name)
            if is_around:
                raise AttributeError(f"There is no {name}: no [block] of the problem makes it.")
            raise AttributeError(f"There is no {name}: no [positions] or [cache] makes it, or each head its own.")
        if not is_of_gradients(name):
            is_made = self._may_have(name) and name in self.layer.recipes
            raise AttributeError(_unknown_attribute(name, dir(self), is_quantity=is_made))
        if self.problem.gradient is None:
            raise AttributeError(f"There is no {name}: the problem has no [gradient].")
        if not self._has(name) and f"{name}^1" not in self.layer.recipes:
            raise AttributeError(f"There is no {name}: the backward pass of the problem does not make it.")
        return self._one(name)

    @property
    def quantities(self) -> dict[str, Matrix]:
        """The exact values of all that was worked out, by name, in the order of the work.

        >>> import symattn as sa
        >>> list(sa.attention(Q=[[1]], K=[[2]], V=[[3]], scale="none").quantities)
        ['Q', 'K', 'V', 'S', 'E', 'Z', 'A', 'O']
        """
        return {name: self._exact(name) for name in self._made()}

    @property
    def counts(self) -> dict[str, int]:
        """Savings of a cache: products of a query and a key with it and without, and the numbers in it.

        >>> import symattn as sa
        >>> cache = {"K": [[1]], "V": [[2]]}
        >>> sa.attention(X=[[1]], W_Q=[[1]], W_K=[[1]], W_V=[[1]], cache=cache).counts
        {'products_with_cache': 3, 'products_without': 5, 'cached_numbers': 4}

        Raises:
            InputError: a problem without a cache.
        """
        if not self.problem.cached:
            raise InputError("There are counts of a cache where the problem has one: give [cache].")
        return caches.counts_of(self.problem)

    def _one(self, name: str) -> Matrix:
        if self._has(name):
            return self._exact(name)
        if self.problem.kind == DEFINED:
            raise AttributeError(name)  # __getattr__ says which there are
        raise InputError(f'Each head has its own {name}: take result.heads[0].{name}, or result["{name}^1"].')

    def _exact(self, name: str) -> Matrix:
        """Return a quantity as it is shown in Python."""
        return api_matrix.Matrix.wrap(self.kernel_matrix(name))

    def kernel_matrix(self, name: str) -> kernel.Matrix:
        """Return a quantity as the kernel has it."""
        return self.matrices[name]() if name in self.matrices else self.layer.exact(name)

    def stepwise(self, name: str) -> list[list[str | None]]:
        """Return the values under the policy's rounding at every step; None where undefined.

        Raises:
            InputError: an unknown quantity; a KeyError too.

        >>> import symattn as sa
        >>> policy = {"places": 1, "steps": "all"}
        >>> result = sa.attention(Q=[[1]], K=[[1], [2]], V=[[1], [3]], scale="none", rounding=policy)
        >>> result.stepwise("A"), result.O.rounded(1)
        ([['0.3', '0.7']], [['2.5']])
        """
        expect(name, str, "A quantity is named by text")
        block, own = self._addressed(name)
        if block is not self:
            return block.stepwise(own)
        self._refuse_unknown(name)
        quantity = self.scene.quantities[name]
        return printed.digits(quantity.carried, quantity.rounding or quantity.display)

    @property
    def scene(self) -> Scene:
        """The quantities with their names bound, for the judge."""
        return self.layer.scene

    def _made(self) -> list[str]:
        """Return the quantities for machines: the usual ones in their usual order, or with heads those of each."""
        if self.problem.kind == DEFINED:
            return [name for name, recipe in self.layer.recipes.items() if recipe.rule != GIVEN]
        made = [name for name, recipe in self.layer.recipes.items() if recipe.rule != GIVEN or is_of_gradients(name)]
        if "C" in made or self.problem.heads:
            return [name for name in self.layer.recipes if name in made or base_of(name) in {"Q", "K", "V", "B", "M"}]
        usual = [name for name in (*OF_POSITIONS, *OF_CACHES, *_MAIN) if name in self.layer.recipes]
        others = [name for name in ("B", "M") if name in self.layer.recipes]
        around = [name for name in made if is_of_block(name)]
        around += [name for name in made if "@" in name and self.problem.online]  # after each block of keys
        return [*usual, *others, *around, *filter(is_of_gradients, self.layer.recipes)]


_MEANT = {
    **dict.fromkeys(("weights", "attention", "attention_map", "map"), "A"),
    **dict.fromkeys(("output", "outputs", "result"), "O"),
    "scores": "S",
    "queries": "Q",
    "keys": "K",
    "values": "V",
    "steps": "derivation",
    "matrices": "quantities",
    **dict.fromkeys(("save", "write", "export", "key", "tex", "latex_document", "to_pdf", "pdf"), "to_latex"),
    "html": "to_html",
    "svg": "to_svg",
    "plot": "to_svg",
    "show": "to_html",
    "json": "as_json",
    **dict.fromkeys(("to_json", "to_dict", "as_dict", "numbers"), "as_json"),
}
"""Names that people try, with the public attribute that is meant."""


def _unknown_attribute(name: str, attributes: Iterable[str], *, is_quantity: bool) -> str:
    """Return the sentence for an attribute that a result lacks: how to get the quantity, or the nearest attribute.

    >>> _unknown_attribute("c", ["to_latex"], is_quantity=True)
    'A result has no attribute c: the quantity is result["c"].'
    >>> _unknown_attribute("save", ["to_latex"], is_quantity=False)
    'A result has no attribute save. Did you mean to_latex?'
    """
    if is_quantity:
        return f'A result has no attribute {name}: the quantity is result["{name}"].'
    near = nearest(name, [item for item in attributes if not item.startswith("_")], _MEANT)
    return f"A result has no attribute {shortened(name)}{'.' if near is None else f'. Did you mean {near}?'}"
