"""A problem, whole and frozen: what a sheet gives, how it writes attention, and what it asks."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Self

from symattn.errors import InputError, shortened
from symattn.problem.components import formulas, gradients, layer_checks, stacks
from symattn.problem.components.data import ProblemData
from symattn.problem.reader.tables import load_tables, read_tables, tables_of
from symattn.problem.schema.fields import PROBLEMS
from symattn.problem.settings.conventions import DEFINED, KINDS, THEORY, check_convention, check_shapes
from symattn.problem.settings.parts import PROVE, Part
from symattn.problem.settings.policy import Policy
from symattn.problem.settings.scale import Scale
from symattn.problem.settings.score_steps import SCORE_STEPS
from symattn.problem.text.document import parse
from symattn.problem.values.checks import PYTHON, check_index, place_of
from symattn.records import dataclass

__all__ = ["Part", "Policy", "Problem", "Scale", "read_problem"]


@dataclass(frozen=True, slots=True)
class Problem(ProblemData):
    """One attention problem, its inputs exact and its shapes checked.

    `names` takes canonical names (``S``) to declared ones (``"z"``); `symbols` takes a symbol to
    ``"positive"``, ``"real"`` or its value, and values are already put into `inputs` and `scale`.
    `defaults_used` are the keys that the sheet left open. `tolerance` says how far the numbers of single
    quantities may lie from the right ones.

    A problem of kind ``"defined"`` has inputs of any names and `definitions`, each quantity's formula over
    inputs and earlier quantities, in the order of the sheet, and `written`, the same as the sheet writes it; the
    four keys of the convention say nothing then.

    Operations on the scores before the softmax are applied in the declared `order`. `softmax_one` adds 1 to the sum
    of exponentials; `fully_masked` says what the weights of a query are that sees no key. `heads` is 0 where the
    problem speaks of no heads. The matrices of several heads stand side by side in one input, or each has its own,
    named ``W_Q^1``, ``W_Q^2`` in `inputs`; `kv_heads` are the heads of keys and values. `sequences` holds the inputs
    that differ from sequence to sequence of a batch; `inputs` has their first ones. `gradient` is the backward pass
    that is asked for, if any. `positions` say how the place of a token enters. With a cache, the inputs ``K_cache``
    and ``V_cache``, the X holds the new tokens alone. `online` is the number of keys of a block, for the softmax
    block by block.

    A problem of kind ``"theory"`` has no inputs: its parts ask for proofs and prose alone.

    >>> p = Problem.build(Q=[[1, 0]], K=[[1, 0], [0, "1/2"]], V=[[1], [2]], scale="none")
    >>> p.kind, p.n_q, p.n_k, p.d_k, p.d_v
    ('given', 1, 2, 2, 1)
    """

    def __repr__(self) -> str:
        """Return the title and the shapes of the inputs: all data of a problem would fill many screens."""
        shapes = ", ".join("{} {}×{}".format(name, *matrix.shape) for name, matrix in self.inputs.items())
        return f"<Problem {shortened(self.title or self.source)}: {shapes or self.kind}>"

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
    def load(cls, path: str | Path) -> Self:
        """Read a problem file, TOML or JSON by its name or its look; ``"-"`` is standard input.

        Text of a problem is read with `from_text`, never here.

        Raises:
            InputError: The file cannot be read, or something in it cannot be used as it stands.

        >>> Problem.load("nowhere.toml")
        Traceback (most recent call last):
        symattn.errors.InputError: nowhere.toml cannot be read: No such file or directory.
        """
        return cls.of_tables(*load_tables(path))

    @classmethod
    def from_text(cls, text: str, format: str = "", source: str = "<text>") -> Self:  # noqa: A002 (the word that people use)
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
        return cls.of_tables(parse(text, format, source), source)

    @classmethod
    def build(cls, /, **keys: object) -> Self:
        """Make a problem from Python: the keys of a problem file, inputs among them.

        Inputs are nested lists of integers, Fractions, Decimals and strings, SymPy matrices, or arrays of integers.
        Floats, and arrays of them (numpy, torch, jax, ml_dtypes), are taken with ``floats="binary"``, their binary
        values, or ``floats="shortest"``, the shortest decimals that read back as the same floats.

        Raises:
            InputError: a key or a value cannot be used as it stands.

        >>> Problem.build(Q=[[1]], K=[["1/2"]], V=[[3]], scale="none").scale.kind
        'none'
        """
        return cls.of_tables(tables_of(keys), PYTHON)

    @classmethod
    def of_tables(cls, tables: Mapping[str, Any], source: str) -> Self:
        """Make a problem of the tables of its file.

        Args:
            tables: the keys and values.
            source: what messages call the file.

        Raises:
            InputError: a key or a value cannot be used as it stands.

        >>> Problem.of_tables({"inputs": {"Q": [[1]], "K": [[1]], "V": [[1]]}}, "x.toml").source
        'x.toml'
        """
        if PROBLEMS.name in tables:
            raise InputError(
                f"{place_of(source, PROBLEMS.name)}: there are several problems in this file. Name one with --problem, "
                "or solve all with symattn.solve_sheet."
            )
        if "blocks" in tables and "definitions" not in tables:
            return cls(**stacks.read_stack(tables, source, cls.of_tables))
        return cls(**read_tables(tables, source))

    def _check_layer(self) -> None:
        is_usual = self.order == tuple(SCORE_STEPS) and self.combine == "concat" and self.fully_masked == "undefined"
        if self.beyond or self.mask or self.heads or self.kv_heads or not is_usual:
            layer_checks.check_layer(self)
            return
        if set(self.inputs) != set(KINDS[self.kind]):
            raise InputError(f"A problem of kind {self.kind} has the inputs {', '.join(KINDS[self.kind])}.")
        shapes = {name: matrix.shape for name, matrix in self.inputs.items()}
        check_shapes(self.kind, self.convention, shapes, "" if self.source == PYTHON else self.source)

    def _check_gradient(self) -> None:
        if self.gradient is None and not any(word.startswith("gradient") for part in self.parts for word in part.asks):
            return
        if self.later:
            stacks.check_start(self)
        if self.gradient is None:
            gradients.check_parts_without(self)
        gradients.check_gradient(self)

    def _check_defined(self) -> None:
        if not self.inputs or not self.definitions:
            raise InputError(f'A problem of kind "{DEFINED}" has inputs and definitions.')
        shapes = {name: matrix.shape for name, matrix in self.inputs.items()}
        for name, formula in self.definitions.items():
            place = place_of(self.source, f"definitions.{name}")
            if name in shapes:
                raise InputError(f"{place}: {name} is already an input; give the definition another name.")
            try:
                shapes[name] = formulas.shape_of(formula, shapes)
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


def read_problem(problem: Problem | Mapping[Any, object] | str | Path) -> Problem:
    """Return the problem, read from its file or its keys where it is not one."""
    if isinstance(problem, Problem):
        return problem
    if isinstance(problem, str | Path):
        return Problem.load(problem)
    if isinstance(problem, Mapping):
        wrong = next((key for key in problem if not isinstance(key, str)), None)
        if wrong is not None:
            raise InputError(f"A key of a problem is text, and {wrong!r} is of the type {type(wrong).__name__}.")
        return Problem.build(**problem)
    raise InputError(
        f"A problem must be a Problem, a mapping or the path of a file, not of the type {type(problem).__name__}: "
        "make one of keys and values with Problem.build(...)."
    )
