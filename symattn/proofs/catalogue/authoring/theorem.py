"""Entry of the catalogue: a theorem with its parameters, falsehoods and worked cases, and the builder of its proof."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import TypeAlias

from symattn.errors import InputError
from symattn.exact.numerals.rational import rational
from symattn.proofs.kernel.record import Claim, Proof, Step
from symattn.proofs.language.scope import Declared, Defined, Hypothesis, Kind, Scope, Sign
from symattn.records import dataclass

Values: TypeAlias = Mapping[str, str]
"""Parameters by name, in plain syntax."""

_MAX_LENGTH = 200
_MAX_ITEMS = 64
_MAX_COUNT = 10**15
_MAX_TOP = 10**40
"""Proofs take powers of what is chosen, up to the eighth, and every number of a record is of bounded length."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """Something that may be chosen with ``--set name=value``.

    Attributes:
        name: its name.
        default: what it is when nothing is said: a name stands for itself, as a general letter.
        says: what it is, in words.
        choices: the values that it may take, where they are few.
        kind: ``"rational"`` (a rational number, or its own letter), ``"count"`` (a whole number from 1),
            ``"list"`` (rational numbers ``r`` and logarithms ``ln r``, with commas), or ``"word"`` (one of the
            choices).
        worked: whether the worked case alone takes it, so that statement and proof stay as they are.
    """

    name: str
    default: str
    says: str
    choices: tuple[str, ...] = ()
    kind: str = "rational"
    worked: bool = False

    def read(self, text: str) -> str:
        """Return the value in plain syntax.

        Raises:
            InputError: it is not of the parameter's kind.
        """
        if text == self.default:
            return text
        if self.kind == "word" or (self.choices and text in self.choices):
            if text in self.choices:
                return text
            raise InputError(f"{self.name} must be one of {', '.join(self.choices)}, not {text!r}.")
        if self.kind == "list":
            return ", ".join(_item(item.strip(), self.name) for item in text.split(",", _MAX_ITEMS))
        value = _rational(text, self.name)
        if self.kind == "count" and (value.denominator != 1 or value < 1):
            raise InputError(f"{self.name} must be a whole number from 1 on, not {text!r}.")
        if self.kind == "count" and value > _MAX_COUNT:
            raise InputError(f"{self.name} is larger than 10^15: leave it out for the proof with the letter.")
        return str(value)


def _item(text: str, name: str) -> str:
    """Return a rational number, or the logarithm of a positive one."""
    inner = text.removeprefix("ln").strip(" ()")
    value = _rational(inner if text.startswith("ln") else text, name)
    if not text.startswith("ln"):
        return str(value)
    if value <= 0:
        raise InputError(f"{name} holds the logarithm of {inner}, which is not positive.")
    return f"ln {value}"


def _rational(text: str, name: str) -> Fraction:
    if len(text) > _MAX_LENGTH:
        raise InputError(f"{name} has more than {_MAX_LENGTH} characters: give a shorter number.")
    value = rational(text, name)
    if max(abs(value.numerator), value.denominator) > _MAX_TOP:
        raise InputError(f"{name} has more than 40 digits above or below its fraction bar: give a shorter number.")
    return value


@dataclass(frozen=True, slots=True)
class CounterExample:
    """Values for which a false statement fails.

    Attributes:
        sizes: lengths by name, such as ``("n", 2)``.
        scalars: numbers by name, in plain syntax.
        entries: vectors and matrices by name, rows of plain text (a vector is one row).
        law: for expectations, a joint law: outcomes as (probability, entries by name).
    """

    sizes: tuple[tuple[str, int], ...] = ()
    scalars: tuple[tuple[str, str], ...] = ()
    entries: tuple[tuple[str, tuple[tuple[str, ...], ...]], ...] = ()
    law: tuple[tuple[str, tuple[tuple[str, tuple[tuple[str, ...], ...]], ...]], ...] = ()


@dataclass(frozen=True, slots=True)
class Falsehood:
    """A variant that people write and that is false.

    Attributes:
        says: the claim in words, as people write it.
        left: its left side in plain syntax.
        relation: its relation.
        right: its right side.
        example: where it fails.
        right_version: what holds instead.
        scope: the names, where they are not those of the theorem.
    """

    says: str
    left: str
    relation: str
    right: str
    example: CounterExample
    right_version: str
    scope: Scope | None = None


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a worked numeric instance: what, its closed form, and certified digits.

    Attributes:
        text: what it is, in plain syntax between dollar signs where it is a formula.
        exact: the closed form in plain syntax, or nothing where there is none.
        digits: certified digits; marked where they are not settled.
    """

    text: str
    exact: str
    digits: str


@dataclass(frozen=True, slots=True)
class Sentence:
    """Sentence of a theorem's statement.

    Attributes:
        text: the sentence, formulas between dollar signs.
        kind: ``claim``, ``definition`` or ``remark``; empty where the file does not say.
        claims: the ids of the claims that it tells.
    """

    text: str
    kind: str
    claims: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Theorem:
    """An entry of the catalogue.

    Attributes:
        name: the name on the command line.
        group: ``moments``, ``softmax``, ``structure``, ``perturbation``, ``constructions`` or ``gradients``.
        says: the theorem in one line.
        build: from the values of the parameters to statement and proof.
        parameters: what may be chosen.
        falsehoods: variants that people write, each with a counter-example.
        instance: a worked numeric instance for given values (``--set``), where there is one.
        without: hypotheses that one may ask to drop (``--without independence``), each with the counter-example
            that then stands in the place of the proof.
        place: from the values and the id of a step or a claim to its place in the file, for messages.
        sentences: from the values to the sentences of the statement, each with the claims that it tells.
        auxiliary: from the values to the ids of the claims that only prepare others.
    """

    name: str
    group: str
    says: str
    build: Callable[[Values], Proof]
    parameters: tuple[Parameter, ...] = ()
    falsehoods: tuple[Falsehood, ...] = ()
    instance: Callable[[Values], tuple[Line, ...]] | None = None
    without: tuple[tuple[str, Falsehood], ...] = ()
    place: Callable[[Values, str], str] = lambda _values, name: f"step {name}"
    sentences: Callable[[Values], tuple[Sentence, ...]] = lambda _values: ()
    auxiliary: Callable[[Values], frozenset[str]] = lambda _values: frozenset()

    def values(self, given: Mapping[str, str]) -> dict[str, str]:
        """Return the values of all parameters, the given ones in the place of the defaults.

        Raises:
            InputError: there is no such parameter, or the value is not of its kind.
        """
        names = {parameter.name for parameter in self.parameters}
        for name in given:
            if name not in names:
                known = ", ".join(sorted(names)) or "none"
                raise InputError(f"{self.name} has no parameter {name}; it has: {known}.")
        return {item.name: item.read(given.get(item.name, item.default)) for item in self.parameters}


class Builder:
    """Collector of names, hypotheses, claims and steps.

    Attributes:
        statement: the theorem in words.
        fixed: indices that stand for one value each, distinct from each other.
        permutations: permutations of indices.
        functions: functions of numbers of which nothing is known.
        claims: the claims so far.
        steps: the steps so far.

    >>> b = Builder("sum-of-ones", "A sum of ones", "The sum of $n$ ones is $n$.")
    >>> b.declare("n", sign="positive")
    >>> _ = b.chain("sum_{j=1}^{n} 1").then("=", "n", "sum of equal terms").claim()
    >>> b.proof().conclusion
    ('sum_{j=1}^{n} 1 = n',)
    """

    def __init__(self, name: str, title: str, statement: str, source: str = "") -> None:
        self._head = name, title, source
        self._declared: list[Declared] = []
        self._defined: list[Defined] = []
        self._hypotheses: list[Hypothesis] = []
        self.statement = statement
        self.fixed: list[str] = []
        self.permutations: list[str] = []
        self.functions: list[str] = []
        self.claims: list[Claim] = []
        self.steps: list[Step] = []

    def declare(self, name: str, *sizes: str, sign: Sign = "real", random: bool = False, latex: str = "") -> None:
        """Declare a quantity by the lengths of its index ranges: none for a number, one for a vector."""
        self._declared.append(Declared(name, sizes, sign, random, latex))

    def define(self, name: str, body: str, indices: str = "", sizes: str = "", sign: Sign = "real") -> None:
        """Declare an abbreviation; indices and sizes are words with blanks between them."""
        self._defined.append(Defined(name, tuple(indices.split()), tuple(sizes.split()), body, sign))

    def assume(self, kind: Kind, about: str, text: str, *values: str) -> str:
        """Add a hypothesis about some names (words with blanks between them); return its id, ``H1`` and so on."""
        name = f"H{len(self._hypotheses) + 1}"
        self._hypotheses.append(Hypothesis(name, text, kind, tuple(about.split()), values))
        return name

    def chain(self, left: str) -> Chain:
        """Begin a chain of steps at an expression, or at a relation for equivalences."""
        return Chain(self, left)

    def proof(self, *parameters: tuple[str, str]) -> Proof:
        """Return the proof as written down, with the values of its parameters."""
        name, title, source = self._head
        names = tuple(self._declared), tuple(self._defined), tuple(self._hypotheses)
        scope = Scope(*names, tuple(self.fixed), tuple(self.permutations), tuple(self.functions))
        steps = tuple(self.claims), tuple(self.steps)
        return Proof(name, title, self.statement, parameters, scope, *steps, source=source)


class Chain:
    """Steps, each of which begins where the one before ended."""

    def __init__(self, builder: Builder, left: str) -> None:
        self.builder = builder
        self.left = left
        self.here = left
        self.ids: list[str] = []
        self.relations: list[str] = []

    def then(
        self,
        relation: str,
        right: str,
        rule: str,
        *hypotheses: str,
        words: str = "",
        premises: tuple[str, ...] = (),
        **arguments: str,
    ) -> Chain:
        """Return the next step: where it leads, by which rule, with which hypotheses."""
        name = str(len(self.builder.steps) + 1)
        pairs = tuple(sorted(arguments.items()))
        self.builder.steps.append(Step(name, rule, self.here, relation, right, hypotheses, premises, pairs, words))
        self.here = right
        self.ids.append(name)
        self.relations.append(relation)
        return self

    @property
    def last(self) -> str:
        """The id of the last step, for the premises of later ones."""
        return self.ids[-1]

    def claim(self, words: str = "") -> None:
        """Claim the relation that the chain shows from end to end."""
        name = f"C{len(self.builder.claims) + 1}"
        self.builder.claims.append(Claim(name, self.left, self._relation(), self.here, tuple(self.ids), words))

    def _relation(self) -> str:
        found = set(self.relations) - {"="}
        if not found:
            return "="
        strict = found & {"<", ">"}
        return min(strict or found)
