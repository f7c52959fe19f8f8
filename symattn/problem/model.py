"""A problem, whole and frozen: what a sheet gives, how it writes attention, and what it asks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from fractions import Fraction
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from symattn.errors import InputError, expect
from symattn.problem.checks import PYTHON, check_index, place_of
from symattn.problem.conventions import DEFINED, KINDS, THEORY, Convention, check_convention, check_shapes
from symattn.problem.document import parse, read_file
from symattn.problem.fields import OPERATIONS, OPTIONAL_INPUTS
from symattn.problem.parts import PROVE, Part
from symattn.problem.policy import Policy, default_policy
from symattn.problem.reader import read_tables, tables_of
from symattn.problem.scale import Scale
from symattn.records import dataclass

if TYPE_CHECKING:
    from symattn.exact.matrix import Matrix
    from symattn.problem.blocks import Block
    from symattn.problem.formulas import Formula
    from symattn.problem.gradients import Gradient
    from symattn.problem.heads import Size
    from symattn.problem.masks import Bias, Mask
    from symattn.problem.positions import Positions

__all__ = ["Part", "Policy", "Problem", "Scale"]


@dataclass(frozen=True, slots=True)
class Problem:
    """One attention problem, its inputs exact and its shapes checked.

    `names` takes canonical names (``S``) to declared ones (``"z"``); `symbols` takes a symbol to
    ``"positive"``, ``"real"`` or its value, and values are already put into `inputs` and `scale`.
    `defaults_used` are the keys that the sheet left open. `tolerance` says how far the numbers of single
    quantities may lie from the right ones.

    A problem of kind ``"defined"`` has inputs of any names and `definitions`, each quantity's formula over
    inputs and earlier quantities, in the order of the sheet, and `written`, the same as the sheet writes it; the
    four keys of the convention say nothing then.

    What is done to the scores before the softmax is done in the `order` that is declared: a `scale`, a
    `softcap`, a `bias`, a `mask`. `softmax_one` adds 1 to the sum of exponentials; `fully_masked` says what the
    weights of a query are that sees no key. `heads` is 0 where the problem speaks of no heads. The matrices of
    several heads stand side by side in one input, or each has its own, named ``W_Q^1``, ``W_Q^2`` in `inputs`;
    `kv_heads` are the heads of keys and values. `sequences` holds the inputs that differ from sequence to
    sequence of a batch; `inputs` has their first ones. `gradient` is the backward pass that is asked for, if any.
    `positions` say how the place of a token enters. With a cache, the inputs ``K_cache`` and ``V_cache``, the X
    holds the new tokens alone. `online` is the number of keys of a block, for the softmax block by block.

    A problem of kind ``"theory"`` has no inputs: its parts ask for proofs and prose alone.

    >>> p = Problem.build(Q=[[1, 0]], K=[[1, 0], [0, "1/2"]], V=[[1], [2]], scale="none")
    >>> p.kind, p.n_q, p.n_k, p.d_k, p.d_v
    ('given', 1, 2, 2, 1)
    """

    inputs: Mapping[str, Matrix] = field(hash=False)
    kind: str
    tokens: str = "rows"
    projection: str = "X W"
    scores: str = "Q K^T"
    softmax: str = "rows"
    scale: Scale = field(default_factory=Scale)
    order: tuple[str, ...] = OPERATIONS
    softcap: Fraction | None = None
    bias: Bias | None = None
    mask: Mask | None = None
    softmax_one: bool = False
    fully_masked: str = "undefined"
    heads: int = 0
    kv_heads: int = 0
    combine: str = "concat"
    score: str = "dot"
    block: Block | None = None
    later: tuple[Problem, ...] = ()
    gradient: Gradient | None = None
    positions: Positions | None = None
    online: int = 0
    sequences: Mapping[str, tuple[Matrix, ...]] = field(default_factory=dict, hash=False)
    title: str = ""
    text: str = ""
    points: Fraction | None = None
    symbols: Mapping[str, str | Fraction] = field(default_factory=dict, hash=False)
    names: Mapping[str, str] = field(default_factory=dict, hash=False)
    policy: Policy = field(default_factory=default_policy)
    parts: tuple[Part, ...] = ()
    definitions: Mapping[str, Formula] = field(default_factory=dict, hash=False)
    written: Mapping[str, str] = field(default_factory=dict, hash=False)
    tolerance: Mapping[str, Fraction] = field(default_factory=dict, hash=False)
    diagram_threshold: Fraction = Fraction(0)
    method_share: Fraction = Fraction(1, 2)
    defaults_used: tuple[str, ...] = ()
    source: str = field(default=PYTHON, compare=False)

    def __post_init__(self) -> None:
        """Freeze the mappings; refuse inputs that are missing or do not fit."""
        for name in ("inputs", "symbols", "names", "definitions", "written", "tolerance", "sequences"):
            object.__setattr__(self, name, MappingProxyType(dict(getattr(self, name))))
        for number, part in enumerate(self.parts, 1):
            if not part.asks:
                place = place_of(self.source, f"parts #{number}.asks")
                raise InputError(f'{place} is empty. Ask for something, "prose" for an answer of your own.')
            self._check_proofs(part, number)
        if self.kind == DEFINED:
            self._check_defined()
            return
        if self.kind == THEORY:
            self._check_theory()
            return
        if self.kind not in KINDS:
            raise InputError(f'A problem is of kind {", ".join((*KINDS, DEFINED, THEORY))}, not "{self.kind}".')
        if self.definitions:
            raise InputError(f'A problem with definitions is of kind "{DEFINED}", not "{self.kind}".')
        check_convention(self.convention)
        self._check_layer()
        if not 0 <= self.method_share <= 1:
            place = place_of(self.source, "method_share")
            raise InputError(f"{place}: the share of the method is {self.method_share}; give a number from 0 to 1.")
        for number, part in enumerate(self.parts, 1):
            self._check_part(part, number)
        self._check_gradient()

    @classmethod
    def load(cls, path: str | Path) -> Problem:
        """Read a problem file, TOML or JSON by its name or its look; ``"-"`` is standard input.

        Text of a problem is read with `from_text`, never here.

        Raises:
            InputError: The file cannot be read, or something in it cannot be used as it stands.

        >>> Problem.load("nowhere.toml")
        Traceback (most recent call last):
        symattn.errors.InputError: nowhere.toml cannot be read: No such file or directory.
        """
        text, source = read_file(path)
        return cls.from_text(text, source=source)

    @classmethod
    def from_text(cls, text: str, format: str = "", source: str = "<text>") -> Problem:  # noqa: A002 (the word that people use)
        """Read a problem from the text of a file.

        Args:
            text: the text.
            format: ``"toml"`` or ``"json"``; by the look of the text where it is empty.
            source: the name of the text in messages.

        Raises:
            InputError: something in it cannot be used as it stands, with its place.

        >>> Problem.from_text('inputs = {Q = [[1]], K = [[2]], V = [[3]]}').inputs["K"].shape
        (1, 1)
        """
        return cls(**read_tables(parse(text, format, source), source))

    @classmethod
    def build(cls, /, **keys: object) -> Problem:
        """Make a problem from Python: the keys of a problem file, inputs among them.

        Inputs are nested lists of integers, Fractions, Decimals and strings, SymPy matrices, or arrays of integers.
        Floats, and arrays of them (numpy, torch, jax, ml_dtypes), are taken with ``floats="binary"``, their binary
        values, or ``floats="shortest"``, the shortest decimals that read back as the same floats.

        Raises:
            InputError: a key or a value cannot be used as it stands.

        >>> Problem.build(Q=[[1]], K=[["1/2"]], V=[[3]], scale="none").scale.kind
        'none'
        """
        return cls(**read_tables(tables_of(keys), PYTHON))

    @property
    def convention(self) -> Convention:
        """The four keys that say how the sheet writes attention.

        Raises:
            InputError: The sheet defines its quantities one by one and follows no convention.
        """
        if self.kind == DEFINED:
            raise InputError("A problem with definitions has no convention: its definitions are the formulas.")
        if self.kind == THEORY:
            raise InputError("A problem without inputs has no attention layer; give it inputs to work with numbers.")
        return Convention(self.tokens, self.projection, self.scores, self.softmax)

    def label(self, name: str) -> str:
        """Return the declared name of a quantity, or its canonical one; one head's is told by its number.

        Raises:
            InputError: the name is not text.

        >>> p = Problem.build(Q=[[1]], K=[[2]], V=[[3]], names={"S": "z"})
        >>> p.label("S"), p.label("A"), p.label("S^2")
        ('z', 'A', 'z^2')
        """
        expect(name, str, "A quantity is named by text")
        base, caret, head = name.partition("^")
        return self.names.get(name) or self.names.get(base, base) + caret + head

    @property
    def n_q(self) -> int:
        """Number of queries."""
        return self._count(self._role({"self": "X", "cross": "X_1", "given": "Q"}))

    @property
    def n_k(self) -> int:
        """Number of keys."""
        return self.cached + self._count(self._role({"self": "X", "cross": "X_2", "given": "K"}))

    @property
    def cached(self) -> int:
        """Number of keys that are taken from a cache."""
        return self._count("K_cache") if "K_cache" in self.inputs else 0

    @property
    def d_k(self) -> int:
        """The length of keys, of each head's where there are heads.

        Raises:
            InputError: The heads differ; `head_sizes` has the length of each.
        """
        return self._size("d_k")

    @property
    def d_v(self) -> int:
        """The length of values, of each head's where there are heads.

        Raises:
            InputError: The heads differ; `head_sizes` has the length of each.
        """
        return self._size("d_v")

    @property
    def d_q(self) -> int:
        """The length of queries, which is that of keys but for some score functions."""
        return self._size("d_q")

    @property
    def head_sizes(self) -> tuple[Size, ...]:
        """The lengths of the queries, keys and values of each head; of the whole layer where there are no heads.

        >>> p = Problem.build(Q=[[1, 2]], K=[[1, 2]], V=[[1, 2, 3, 4]], heads=2)
        >>> [(size.d_k, size.d_v) for size in p.head_sizes], p.d_v
        ([(1, 2), (1, 2)], 2)
        """
        # start-up: few problems have heads
        from symattn.problem.heads import head_sizes

        self._role({"self": "", "cross": "", "given": ""})
        return head_sizes(self)

    @property
    def heads_apart(self) -> bool:
        """True if each head has matrices of its own."""
        return any("^" in name for name in self.inputs)

    @property
    def past(self) -> int:
        """Number of keys before the key of the first query."""
        placed = self.mask is not None and (self.mask.past or self.mask.alignment)
        return self.mask.shift(self.n_q, self.n_k) if self.mask and placed else self.cached

    @property
    def used(self) -> tuple[str, ...]:
        """Operations on the scores before the softmax, in the declared order.

        >>> Problem.build(Q=[[1]], K=[[2]], V=[[3]], mask="causal").used
        ('scale', 'mask')
        """
        is_used = {
            "scale": self.scale.kind != "none",
            "softcap": self.softcap is not None,
            "bias": self.bias is not None,
            "mask": self.mask is not None and self.mask.hides,
        }
        missing = tuple(word for word in OPERATIONS if word not in self.order)
        return tuple(word for word in (*self.order, *missing) if is_used.get(word))

    @property
    def beyond(self) -> tuple[str, ...]:
        """Features of the layer beyond a plain one: keys of the problem file, and names of further inputs.

        >>> Problem.build(Q=[[1]], K=[[2]], V=[[3]], mask="causal", heads=1).beyond
        ('mask', 'heads')
        """
        has = {
            "softcap": self.softcap is not None,
            "bias": self.bias is not None,
            "mask": self.mask is not None and self.mask.hides,
            "softmax_one": self.softmax_one,
            "heads": self.heads > 0,
            "score": self.score != "dot",
            "batch": self.batch > 0,
            "positions": self.positions is not None,
            "cache": self.cached > 0,
            "online": self.online > 0,
            "block": self.block is not None,
        }
        further = (name for name in self.inputs if name.partition("^")[0] in OPTIONAL_INPUTS)
        return (*(key for key, is_there in has.items() if is_there), *further)

    @property
    def batch(self) -> int:
        """Number of sequences; 0 without a batch."""
        return len(next(iter(self.sequences.values()), ()))

    def inputs_of(self, sequence: int) -> Problem:
        """Return the problem of one sequence of a batch, counted from 1.

        Raises:
            InputError: There is no such sequence.

        >>> p = Problem.build(Q=[[[1]], [[2]]], K=[[2]], V=[[3]])
        >>> p.batch, str(p.inputs_of(2).inputs["Q"])
        (2, '[[2]]')
        """
        if not 1 <= sequence <= self.batch:
            raise InputError(f"There is no sequence {sequence}; sequences are counted from 1 to {self.batch}.")
        own = {name: matrices[sequence - 1] for name, matrices in self.sequences.items()}
        return replace(
            self,
            inputs={**self.inputs, **own},
            sequences={},
            mask=self.mask.of_sequence(sequence) if self.mask else None,
            bias=self.bias.of_sequence(sequence) if self.bias else None,
        )

    def _check_layer(self) -> None:
        is_usual = self.order == OPERATIONS and self.combine == "concat" and self.fully_masked == "undefined"
        if self.beyond or self.mask or self.heads or self.kv_heads or not is_usual:
            # start-up: few problems have more than the plain layer
            from symattn.problem.heads import check_layer

            check_layer(self)
            return
        if set(self.inputs) != set(KINDS[self.kind]):
            raise InputError(f"A problem of kind {self.kind} has the inputs {', '.join(KINDS[self.kind])}.")
        shapes = {name: matrix.shape for name, matrix in self.inputs.items()}
        check_shapes(self.kind, self.convention, shapes, "" if self.source == PYTHON else self.source)

    def _check_gradient(self) -> None:
        if self.gradient is None and not any(word.startswith("gradient") for part in self.parts for word in part.asks):
            return
        if self.later:
            # start-up: few problems have several blocks
            from symattn.problem.stacks import through_several

            raise through_several(self.source)
        # start-up: few problems have gradients
        from symattn.problem.gradients import check_gradient, check_parts_without

        if self.gradient is None:
            check_parts_without(self)
        check_gradient(self)

    def _check_defined(self) -> None:
        # start-up: few problems define quantities of their own
        from symattn.problem.formulas import shape_of

        if not self.inputs or not self.definitions:
            raise InputError(f'A problem of kind "{DEFINED}" has inputs and definitions.')
        shapes = {name: matrix.shape for name, matrix in self.inputs.items()}
        for name, formula in self.definitions.items():
            place = place_of(self.source, f"definitions.{name}")
            if name in shapes:
                raise InputError(f"{place}: {name} is already an input; give the definition another name.")
            try:
                shapes[name] = shape_of(formula, shapes)
            except InputError as error:
                raise type(error)(f"{place}: {error}") from error
        for number, part in enumerate(self.parts, 1):
            if part.tokens or any(item != "prose" and not item.startswith(PROVE) for item in part.asks):
                place = place_of(self.source, f"parts #{number}.asks")
                raise InputError(f'{place}: with definitions a part asks "prose" or "{PROVE}NAME", for all tokens.')

    def _check_theory(self) -> None:
        if self.inputs or self.definitions or not self.parts:
            raise InputError(f'A problem of kind "{THEORY}" has parts, and neither inputs nor definitions.')
        for number, part in enumerate(self.parts, 1):
            if part.tokens or any(item != "prose" and not item.startswith(PROVE) for item in part.asks):
                place = place_of(self.source, f"parts #{number}.asks")
                raise InputError(f'{place}: without inputs a part asks "prose" or "{PROVE}NAME", for all tokens.')

    def _check_proofs(self, part: Part, number: int) -> None:
        for key, is_there in (
            ("set", part.settings and not part.needs_catalogue),
            ("claims", part.claims and len(part.theorems) != 1),
            ("detail", part.detail and not part.theorems),
            ("instance", part.instance and not part.theorems),
        ):
            if is_there:
                place = place_of(self.source, f"parts #{number}.{key}")
                wanted = f'one "{PROVE}NAME"' if key == "claims" else f'"{PROVE}NAME"'
                raise InputError(f"{place} goes with {wanted} in asks; ask for it, or leave {key} out.")

    def _check_part(self, part: Part, number: int) -> None:
        place = place_of(self.source, f"parts #{number}.tokens")
        for token in part.tokens:
            check_index(token, self.n_q, "token", place)
        has_block, has_network = self.block is not None, "W_F1" in self.inputs
        for word, what, is_there in (
            ("cache", "cache", self.cached),
            ("online", "online", self.online),
            ("norm", "[block]", has_block),
            ("block", "[block]", has_block),
            ("ffn", "W_F1", has_block and has_network),
        ):
            if word in part.asks and not is_there:
                place = place_of(self.source, f"parts #{number}.asks")
                raise InputError(f'{place}: "{word}" is asked for, and the problem has no {what}; give it.')

    def _role(self, names: Mapping[str, str]) -> str:
        if self.kind == THEORY:
            raise InputError("A problem without inputs has no queries, keys and values.")
        if self.kind == DEFINED:
            raise InputError(
                "A problem with definitions does not say which of its matrices are queries, keys and values."
            )
        return names[self.kind]

    def _count(self, name: str) -> int:
        own = name if name in self.inputs else f"{name}^1"
        return self.inputs[own].shape[0 if self.tokens == "rows" else 1]

    def _size(self, name: str) -> int:
        if not self.heads:
            letter = {"d_q": "Q", "d_k": "K", "d_v": "V"}[name]
            return self._length(f"W_{letter}", letter)
        found = {getattr(size, name) for size in self.head_sizes}
        if len(found) > 1:
            raise InputError(f"The heads differ in {name}; head_sizes has that of each.")
        return int(found.pop())

    def _length(self, weight: str, given: str) -> int:
        name = self._role({"self": weight, "cross": weight, "given": given})
        if self.kind == "given":
            return self.inputs[name].shape[1 if self.tokens == "rows" else 0]
        return self.inputs[name].shape[0 if self.convention.product in ("X W^T", "W X") else 1]
