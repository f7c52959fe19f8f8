"""The data of a problem: everything that a sheet declares, and the sizes that follow from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Self

from symattn.errors import InputError, expect
from symattn.languages.catalogue import LANGUAGES, Words, words_of
from symattn.problem.schema.fields import OPTIONAL_INPUTS
from symattn.problem.settings.conventions import DEFINED, THEORY, Convention
from symattn.problem.settings.parts import Part
from symattn.problem.settings.policy import Policy, default_policy
from symattn.problem.settings.scale import Scale
from symattn.problem.settings.score_steps import SCORE_STEPS
from symattn.problem.values.checks import PYTHON
from symattn.records import dataclass

if TYPE_CHECKING:
    from symattn.exact.linear.matrix import Matrix
    from symattn.operations.formulas.formula import Formula
    from symattn.problem.components.biases import Bias
    from symattn.problem.components.declarations import Block, Gradient
    from symattn.problem.components.positions import Positions
    from symattn.problem.settings.masks import Mask

FLAT = ("X W^T", "W X")
"""The products whose weights have one row, not one column, for each entry of the result."""


@dataclass(frozen=True, slots=True)
class Size:
    """Lengths of the queries, keys and values of one head.

    >>> from symattn.problem.model import Problem
    >>> Size(2, 2, 3).d_v
    3
    """

    d_q: int
    d_k: int
    d_v: int


@dataclass(frozen=True, slots=True)
class ProblemData:
    """Fields of a problem, frozen and unchecked; `Problem` documents and checks them."""

    inputs: Mapping[str, Matrix] = field(hash=False)
    kind: str
    tokens: str = "rows"
    projection: str = "X W"
    scores: str = "Q K^T"
    softmax: str = "rows"
    scale: Scale = field(default_factory=Scale)
    order: tuple[str, ...] = tuple(SCORE_STEPS)
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
    later: tuple[Self, ...] = ()
    gradient: Gradient | None = None
    positions: Positions | None = None
    online: int = 0
    sequences: Mapping[str, tuple[Matrix, ...]] = field(default_factory=dict, hash=False)
    language: str = LANGUAGES[0]
    title: str = ""
    text: str = ""
    points: Fraction | None = None
    symbols: Mapping[str, str | Fraction] = field(default_factory=dict, hash=False)
    names: Mapping[str, str] = field(default_factory=dict, hash=False)
    policy: Policy = field(default_factory=default_policy)
    forms: str = "auto"
    parts: tuple[Part, ...] = ()
    definitions: Mapping[str, Formula] = field(default_factory=dict, hash=False)
    written: Mapping[str, str] = field(default_factory=dict, hash=False)
    tolerance: Mapping[str, Fraction] = field(default_factory=dict, hash=False)
    diagram_threshold: Fraction = Fraction(0)
    diagram_widths: str = "equal"
    blanks: str = "none"
    method_share: Fraction = Fraction(1, 2)
    defaults_used: tuple[str, ...] = ()
    source: str = field(default=PYTHON, compare=False)

    @property
    def words(self) -> Words:
        """The fixed texts of its language."""
        return words_of(self.language)

    @property
    def all_points(self) -> Fraction | None:
        """The points of the whole problem, or those of its parts together; None where neither has any."""
        found = [part.points for part in self.parts if part.points is not None]
        return self.points if self.points is not None or not found else sum(found, start=Fraction(0))

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

        >>> from symattn.problem.model import Problem
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
        """The lengths of the queries, keys and values of each head; of the whole layer without heads.

        >>> from symattn.problem.model import Problem
        >>> p = Problem.build(Q=[[1, 2]], K=[[1, 2]], V=[[1, 2, 3, 4]], heads=2)
        >>> [(size.d_k, size.d_v) for size in p.head_sizes], p.d_v
        ([(1, 2), (1, 2)], 2)
        """
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

        >>> from symattn.problem.model import Problem
        >>> Problem.build(Q=[[1]], K=[[2]], V=[[3]], mask="causal").used
        ('scale', 'mask')
        """
        keys = dict.fromkeys((*self.order, *SCORE_STEPS))
        return tuple(key for key in keys if key in SCORE_STEPS and SCORE_STEPS[key].is_used(getattr(self, key)))

    @property
    def beyond(self) -> tuple[str, ...]:
        """Features of the layer beyond a plain one: keys of the problem file, and names of further inputs.

        >>> from symattn.problem.model import Problem
        >>> Problem.build(Q=[[1]], K=[[2]], V=[[3]], mask="causal", heads=1).beyond
        ('mask', 'heads')
        """
        has = {
            **{key: step.is_used(getattr(self, key)) for key, step in SCORE_STEPS.items() if key != "scale"},
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

    def inputs_of(self, sequence: int) -> Self:
        """Return the problem of one sequence of a batch, counted from 1.

        Raises:
            InputError: no such sequence.

        >>> from symattn.problem.model import Problem
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
            gradient=self.gradient.of_sequence(sequence, self.batch) if self.gradient else None,
        )

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
        return self.inputs[name].shape[0 if self.convention.product in FLAT else 1]


def needs_heads(place: str) -> InputError:
    """Return the error for a key that only layers with heads have."""
    return InputError(f"{place} needs heads. Give heads, or leave it out.")


def refuse_groups(heads: int, kv_heads: int, place: str) -> None:
    """Refuse heads of keys and values that do not serve equally many heads of queries.

    Raises:
        InputError: they do not.
    """
    if heads % kv_heads:
        raise InputError(
            f"{place} is {kv_heads} and heads is {heads}: every head of keys and values serves as many heads of "
            "queries, so kv_heads must divide heads."
        )


def group_of(head: int, heads: int, kv_heads: int) -> int:
    """Return the head of keys and values that a head of queries meets, both counted from 1.

    >>> from symattn.problem.model import Problem
    >>> [group_of(head, 4, 2) for head in (1, 2, 3, 4)]
    [1, 1, 2, 2]
    """
    return (head - 1) * kv_heads // heads + 1


def head_sizes(problem: ProblemData) -> tuple[Size, ...]:
    """Return the sizes of every head; of the whole layer where the problem speaks of no heads.

    >>> from symattn.problem.model import Problem
    >>> from symattn.problem.model import Problem
    >>> p = Problem.build(Q=[[1, 2]], K=[[1, 2]], V=[[1, 2, 3, 4]], heads=2)
    >>> head_sizes(p)
    (Size(d_q=1, d_k=1, d_v=2), Size(d_q=1, d_k=1, d_v=2))
    """
    stem = "" if problem.kind == "given" else "W_"
    heads, kv_heads = max(problem.heads, 1), max(problem.kv_heads, 1)
    found = []
    for head in range(1, heads + 1):
        lengths = []
        for letter, own, count in zip(
            "QKV", (head, *[group_of(head, heads, kv_heads)] * 2), (heads, kv_heads, kv_heads), strict=True
        ):
            name = stem + letter
            if problem.heads_apart:
                lengths.append(token_length(problem, f"{name}^{own}"))
            else:
                lengths.append(token_length(problem, name) // count)
        found.append(Size(*lengths))
    return tuple(found)


def token_length(problem: ProblemData, name: str) -> int:
    """Return the length of a token in a given matrix, or after a weight is applied to it."""
    shape = problem.inputs[name].shape
    if problem.kind == "given":
        return shape[1 if problem.tokens == "rows" else 0]
    return shape[0 if problem.convention.product in FLAT else 1]
