"""A problem, whole and frozen: what a sheet gives, how it writes attention, and what it asks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from fractions import Fraction
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from symattn.errors import InputError
from symattn.problem.checks import PYTHON, place_of
from symattn.problem.conventions import DEFINED, KINDS, THEORY, Convention, check_convention, check_shapes
from symattn.problem.document import parse, read_file
from symattn.problem.parts import PROVE, Part
from symattn.problem.policy import Policy, default_policy
from symattn.problem.reader import read_tables, tables_of
from symattn.problem.scale import Scale
from symattn.records import dataclass

if TYPE_CHECKING:
    from symattn.exact.matrix import Matrix
    from symattn.problem.formulas import Formula

__all__ = ["Part", "Policy", "Problem", "Scale"]


@dataclass(frozen=True)
class Problem:
    """One attention problem, its inputs exact and its shapes checked.

    `names` takes canonical names (``S``) to declared ones (``"z"``); `symbols` takes a symbol to
    ``"positive"``, ``"real"`` or its value, and values are already put into `inputs` and `scale`.
    `defaults_used` are the keys that the sheet left open. `tolerance` says how far the numbers of single
    quantities may lie from the right ones.

    A problem of kind ``"defined"`` has inputs of any names and `definitions`, each quantity's formula over
    inputs and earlier quantities, in the order of the sheet; the four keys of the convention say nothing then.

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
    title: str = ""
    text: str = ""
    points: Fraction | None = None
    symbols: Mapping[str, str | Fraction] = field(default_factory=dict, hash=False)
    names: Mapping[str, str] = field(default_factory=dict, hash=False)
    policy: Policy = field(default_factory=default_policy)
    parts: tuple[Part, ...] = ()
    definitions: Mapping[str, Formula] = field(default_factory=dict, hash=False)
    tolerance: Mapping[str, Fraction] = field(default_factory=dict, hash=False)
    diagram_threshold: Fraction = Fraction(0)
    method_share: Fraction = Fraction(1, 2)
    defaults_used: tuple[str, ...] = ()
    source: str = field(default=PYTHON, compare=False)

    def __post_init__(self) -> None:
        """Freeze the mappings; refuse inputs that are missing or do not fit."""
        for name in ("inputs", "symbols", "names", "definitions", "tolerance"):
            object.__setattr__(self, name, MappingProxyType(dict(getattr(self, name))))
        for number, part in enumerate(self.parts, 1):
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
        if set(self.inputs) != set(KINDS[self.kind]):
            raise InputError(f"A problem of kind {self.kind} has the inputs {', '.join(KINDS[self.kind])}.")
        check_convention(self.convention)
        shapes = {name: matrix.shape for name, matrix in self.inputs.items()}
        check_shapes(self.kind, self.convention, shapes, "" if self.source == PYTHON else self.source)
        if not 0 <= self.method_share <= 1:
            place = place_of(self.source, "method_share")
            raise InputError(f"{place}: the share of the method is {self.method_share}; give a number from 0 to 1.")
        for number, part in enumerate(self.parts, 1):
            self._check_part(part, number)

    @classmethod
    def load(cls, path: str | Path) -> Problem:
        """Read a problem file, TOML or JSON by its name or its look; ``"-"`` is standard input.

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
        """Read a problem from the text of a file; `format` is ``"toml"``, ``"json"`` or left to the look.

        >>> Problem.from_text('inputs = {Q = [[1]], K = [[2]], V = [[3]]}').inputs["K"].shape
        (1, 1)
        """
        return cls(**read_tables(parse(text, format, source), source))

    @classmethod
    def build(cls, **keys: object) -> Problem:
        """Make a problem from Python: the keys of a problem file, inputs among them.

        Inputs are nested lists of integers, Fractions, Decimals and strings, or SymPy matrices.

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
            raise InputError(
                "A problem with definitions is no attention layer that could be solved; check work against it instead."
            )
        if self.kind == THEORY:
            raise InputError("A problem without inputs has no attention layer; give it inputs to work with numbers.")
        return Convention(self.tokens, self.projection, self.scores, self.softmax)

    def label(self, name: str) -> str:
        """The declared name of a quantity, or its canonical one.

        >>> p = Problem.build(Q=[[1]], K=[[2]], V=[[3]], names={"S": "z"})
        >>> p.label("S"), p.label("A")
        ('z', 'A')
        """
        return self.names.get(name, name)

    @property
    def n_q(self) -> int:
        """How many queries there are."""
        return self._count(self._role({"self": "X", "cross": "X_1", "given": "Q"}))

    @property
    def n_k(self) -> int:
        """How many keys there are."""
        return self._count(self._role({"self": "X", "cross": "X_2", "given": "K"}))

    @property
    def d_k(self) -> int:
        """The length of queries and keys."""
        return self._length("W_Q", "Q")

    @property
    def d_v(self) -> int:
        """The length of values and outputs."""
        return self._length("W_V", "V")

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
            if not 1 <= token <= self.n_q:
                raise InputError(f"{place}: there is no token {token}; queries are counted from 1 to {self.n_q}.")

    def _role(self, names: Mapping[str, str]) -> str:
        if self.kind == THEORY:
            raise InputError("A problem without inputs has no queries, keys and values.")
        if self.kind == DEFINED:
            raise InputError(
                "A problem with definitions does not say which of its matrices are queries, keys and values."
            )
        return names[self.kind]

    def _count(self, name: str) -> int:
        return self.inputs[name].shape[0 if self.tokens == "rows" else 1]

    def _length(self, weight: str, given: str) -> int:
        name = self._role({"self": weight, "cross": weight, "given": given})
        if self.kind == "given":
            return self.inputs[name].shape[1 if self.tokens == "rows" else 0]
        return self.inputs[name].shape[0 if self.convention.product in ("X W^T", "W X") else 1]
