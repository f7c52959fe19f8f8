"""What a written name is about: a quantity, an entry, a row or a column of it.

Declared names come first, then the names that the problem's own key would use, then the habits of the
field; where letters clash (S is scores to some and inputs to others), the heading above decides. What is
bound by habit is a guess, and said to be one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from fractions import Fraction

from symattn.checking.graph import Graph
from symattn.derivation.scene import Entry, Line, Scene, Whole
from symattn.exact.polynomial import Polynomial
from symattn.exact.quotient import Quotient
from symattn.notation import tree as t
from symattn.problem.conventions import DEFINED
from symattn.problem.model import Problem
from symattn.records import dataclass

Place = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Target:
    """Entries of one quantity, laid out as they are to be written.

    Attributes:
        name: the quantity.
        cells: rows of entries, counted from 0.
        guess: whether the name was bound by habit alone.
    """

    name: str
    cells: tuple[tuple[Place, ...], ...]
    guess: bool = False

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns as written."""
        return len(self.cells), len(self.cells[0])

    @property
    def is_vector(self) -> bool:
        """Whether it is one row or one column."""
        return 1 in self.shape

    @property
    def only(self) -> Place | None:
        """The entry, where it is a single one."""
        return self.cells[0][0] if self.shape == (1, 1) else None

    @property
    def transposed(self) -> Target:
        """Rows as columns."""
        return Target(self.name, tuple(zip(*self.cells, strict=True)), self.guess)

    def flat(self) -> Iterator[Place]:
        """All entries, row by row."""
        return (place for row in self.cells for place in row)

    def part(self, row: int | None, column: int | None) -> Target | None:
        """A row, a column or an entry, counted from 0; None when there is no such."""
        rows, columns = self.shape
        if (row is not None and not 0 <= row < rows) or (column is not None and not 0 <= column < columns):
            return None
        kept = self.cells if row is None else (self.cells[row],)
        if column is not None:
            kept = tuple((line[column],) for line in kept)
        return Target(self.name, kept, self.guess)


def whole(graph: Graph, name: str, *, guess: bool = False) -> Target:
    """All of a quantity."""
    rows, columns = graph.shape(name)
    return Target(name, tuple(tuple((i, j) for j in range(columns)) for i in range(rows)), guess)


def canonical(target: Target, graph: Graph) -> str:
    """The name for machines: ``Q``, ``Q[3,1]``, ``Q[3,:]``, ``Q[:,1]``."""
    rows, columns = graph.shape(target.name)
    places = list(target.flat())
    if len(places) == rows * columns:
        return target.name
    first = places[0]
    if len(places) == 1:
        return f"{target.name}[{first[0] + 1}]" if columns == 1 else f"{target.name}[{first[0] + 1},{first[1] + 1}]"
    if len({i for i, _ in places}) == 1:
        return f"{target.name}[{first[0] + 1},:]"
    return f"{target.name}[:,{first[1] + 1}]"


_AUXILIARY = frozenset({"S", "S_scaled", "E", "Z", "m", "shifted", "c"})
"""Quantities whose letters mean other things to others."""

_MARK = "\0"


def entry_name(target: Target, row: int, column: int, span: t.Span | None) -> t.Name:
    """A name that no text can hold, for an entry of a target: what stands for it in scalar arithmetic."""
    i, j = target.cells[row][column]
    return t.Name(f"{_MARK}{target.name}{_MARK}{i}{_MARK}{j}", span=span)


HABITS: Mapping[str, tuple[str, ...]] = {
    "X": ("X", "I", "H", "input", "inputs", "embedding", "embeddings", "x"),
    "Q": ("Q", "query", "queries"),
    "K": ("K", "key", "keys"),
    "V": ("V", "value", "values"),
    "S": (
        "S", "QK", "QKT", "scores", "score", "attnscores", "attentionscores", "rawscores", "omega", "e", "z", "s",
        "energies", "logits", "alignment", "similarity", "dotproducts",
    ),
    "S_scaled": (
        "Sscaled", "scaledscores", "scaledattentionscores", "scaled", "tildeS", "hatS", "Sprime", "L", "Stilde",
        "Shat", "Ss", "scaledS", "scores", "logits", "z", "S",
    ),
    "E": ("E", "exp", "exponentials", "exps", "numerators", "numerator", "unnormalized", "unnormalised"),
    "Z": ("Z", "rowsum", "rowsums", "sum", "sums", "denominator", "denominators", "D"),
    "A": (
        "A", "alpha", "a", "P", "W", "wei", "weights", "attentionmap", "attnweights", "attentionweights", "attention",
        "map", "attentiondistribution", "softmax", "probabilities", "probs", "attentionmatrix", "attn", "p", "w",
    ),
    "O": (
        "O", "output", "outputs", "Out", "out", "C", "context", "contextvector", "contextvectors", "Y", "H", "hatx",
        "weightedvalues", "outputtokens", "outputtoken", "result", "c", "h", "o", "y", "Z", "z",
        "attentionoutput", "weightedsum",
    ),
    "W_Q": ("WQ", "Wq", "W1Q", "WQ1"),
    "W_K": ("WK", "Wk", "W1K", "WK1"),
    "W_V": ("WV", "Wv", "W1V", "WV1"),
    "m": ("m", "max", "rowmax", "maxima"),
}  # fmt: skip
"""How people name the quantities of attention, the likelier first."""

HEADINGS: tuple[tuple[str, str], ...] = (
    ("scaled score", "S_scaled"),
    ("scale", "S_scaled"),
    ("score", "S"),
    ("dot product", "S"),
    ("similarit", "S"),
    ("logit", "S"),
    ("exponential", "E"),
    ("row sum", "Z"),
    ("denominator", "Z"),
    ("softmax", "A"),
    ("weight", "A"),
    ("attention map", "A"),
    ("probabilit", "A"),
    ("output", "O"),
    ("context", "O"),
    ("weighted sum", "O"),
    ("quer", "Q"),
    ("key", "K"),
    ("value", "V"),
)
"""Words of a heading and the quantity that stands below it; the first that occurs decides."""


def key_of(text: str) -> str:
    """A name without what people vary: underscores, blanks, carets, brackets.

    >>> key_of("W_Q"), key_of("attention map"), key_of("W^{(1)}_q")
    ('WQ', 'attentionmap', 'W1q')
    """
    return re.sub(r"[\s_^{}()\\\-]", "", text)


def spelt(node: t.Node) -> str | None:
    """A name as one string: letters side by side joined (``S s``), labels below included; None for anything else."""
    match node:
        case t.Name(text) | t.Number(text):
            return text
        case t.Subscript(base, indices):
            pieces = [spelt(base), *(spelt(index) for index in indices)]
        case t.Product(factors, operators) if not any(operators):
            pieces = [spelt(factor) for factor in factors]
        case t.Group(body):
            pieces = [spelt(body)]
        case _:
            return None
    return None if any(piece is None for piece in pieces) else "".join(piece or "" for piece in pieces)


def bracketed(node: t.Node) -> tuple[t.Node, ...]:
    """What stands between square brackets, nothing for any other node."""
    if isinstance(node, t.Group) and node.brackets == "[":
        return (node.body,)
    return node.items if isinstance(node, t.Vector) and node.brackets == "[" else ()


class Binder:
    """Binds names among the quantities of a graph.

    Args:
        graph: the quantities.
        problem: for the declared names and the orientation of tokens.
        scene: the names that a key of the problem would use, where there is one.
        base: 0 where the work counts from zero, else 1.
        strict: whether the names of our own key are taken as given.
    """

    def __init__(
        self, graph: Graph, problem: Problem, scene: Scene | None = None, base: int = 1, *, strict: bool = False
    ) -> None:
        self.graph = graph
        self.problem = problem
        self.scene = scene
        self.base = base
        self.strict = strict
        self.heading: str | None = None
        self.declared = {key_of(label): name for name, label in problem.names.items() if name in graph}
        self.own = {key_of(name): name for name in graph.nodes}
        self.by_habit = self._habits()
        self.given: dict[str, tuple[tuple[str, ...], t.Node]] = {}
        self.rebound: dict[str, str] = {}
        self.primed: set[str] = set()
        self.constants = _constants(problem)
        self.lines_are_columns = problem.tokens == "columns"
        self.lines_are_rows = problem.tokens == "rows" and problem.projection == "X W"

    def _habits(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        if self.problem.kind == "defined":
            return found
        for name, words in HABITS.items():
            if name not in self.graph:
                continue
            for word in words:
                found.setdefault(key_of(word), []).append(name)
        return found

    def __call__(self, node: t.Node, indices: Mapping[str, int] | None = None) -> Target | None:
        """The same as `resolve`."""
        return self.resolve(node, indices)

    def rebind(self, head: t.Node, name: str) -> None:
        """Takes note that the work uses a letter of ours for another quantity: ``S = QK^T/√d_k``, ``Z = AV``."""
        key = key_of(spelt(head) or "")
        if key in self.own and self.own[key] in _AUXILIARY and key not in self.declared:
            self.rebound.update({key: name, key.lower(): name})

    def is_declared(self, node: t.Node) -> bool:
        """Whether the sheet itself gives a name its meaning."""
        key = key_of(spelt(node) or "")
        return key in self.declared or key in self.own

    def define(self, head: t.Node, indices: list[str], formula: t.Node) -> None:
        """Takes note of a name that the work defines by a formula; habits say nothing of it any more."""
        text = spelt(head)
        if text is not None:
            self.given[key_of(text)] = (tuple(indices), formula)

    def formula(self, node: t.Node, indices: Mapping[str, int]) -> tuple[t.Node, Mapping[str, int]] | None:
        """The formula that the work gave for a name with these indices, and their numbers."""
        if isinstance(node, t.Transpose) and isinstance(node.base, t.Name) and node.base.text in self.primed:
            return self.given[f"{node.base.text}'"][1], {}
        plain = self.given.get(key_of(spelt(node) or ""))
        if plain is not None and not plain[0]:
            return plain[1], {}
        if not isinstance(node, t.Subscript):
            return None
        found = self.given.get(key_of(spelt(node.base) or ""))
        _, numbers = self.split(node.indices, indices)
        if found is None or numbers is None or len(numbers) != len(found[0]):
            return None
        chosen = {name: number for name, number in zip(found[0], numbers, strict=True) if number is not None}
        return (found[1], chosen) if len(chosen) == len(numbers) else None

    def constant(self, node: t.Node) -> Quotient | None:
        """The value of a symbol of the sheet, or of a dimension such as ``d_k``."""
        text = spelt(node)
        return None if text is None else self.constants.get(key_of(text))

    def sizes(self, node: t.Node) -> tuple[int, ...] | None:
        """How far the indices of a name run: rows and columns of a matrix, the lines of a small letter."""
        target = self.resolve(node) or self._line_of(node, [1])
        if target is None:
            return None
        return target.shape if 1 not in target.shape else (max(target.shape),)

    def under(self, heading: str) -> None:
        """Takes note of a heading, for the names below it."""
        text = heading.lower()
        found = [(text.find(word), name) for word, name in HEADINGS if word in text and name in self.graph]
        name = self.head(t.Name(heading.split("=", maxsplit=1)[0].strip(" :*`$\\")))
        self.heading = name[0] if name is not None else min(found)[1] if found else None

    # Names -----------------------------------------------------------------------------------------

    def head(self, node: t.Node) -> tuple[str, bool] | None:
        """The quantity that a name without indices means, and whether that is a guess."""
        text = spelt(node)
        if text is None:
            return None
        key = key_of(text)
        if key in self.rebound:
            return self.rebound[key], False
        for table in (self.declared, self.own):
            if key in table:
                return table[key], False
        if key in self.given:
            return None
        candidates = self.by_habit.get(key, [])
        if not candidates:
            candidates = self.by_habit.get(key.lower(), []) if len(key) > 1 else []
        if not candidates:
            return None
        if self.heading in candidates:
            return self.heading, len(key) == 1
        is_sure = len(candidates) == 1 and len(key) > 1
        return candidates[0], not is_sure

    def resolve(self, node: t.Node, indices: Mapping[str, int] | None = None) -> Target | None:
        """What a written name refers to, None when it is no name that is known."""
        match node:
            case t.Group(body) | t.Boxed(body):
                return self.resolve(body, indices)
            case t.Transpose(t.Name(text)) if text in self.primed:
                return None  # Q' is a name of the work's own
            case t.Transpose(base):
                found = self.resolve(base, indices)
                return None if found is None else found.transposed
            case t.Subscript():
                return self._by_scene(node, indices) or self._subscript(node, indices or {})
            case t.Name(text) if text.startswith(_MARK):
                name, i, j = text[1:].split(_MARK)
                return Target(name, (((int(i), int(j)),),))
            case t.Name("e"):
                # The base of exponentials, unless the sheet says otherwise.
                return self._whole(node) if "e" in self.declared or "e" in self.own else None
            case t.Name(text):
                return self._by_scene(node, indices) or self._whole(node) or self._with_digits(text)
            case t.Product():
                return self._joined(node, indices)
        return None

    def _by_scene(self, node: t.Node, indices: Mapping[str, int] | None) -> Target | None:
        head = node.base if isinstance(node, t.Subscript) else node
        key = key_of(spelt(head) or "")
        if self.scene is None or self.base == 0 or key in self.given or key in self.rebound:
            return None
        found = self.scene.resolve(node, indices)
        if found is None or found.name not in self.graph:
            return None
        guess = not self.strict and self._is_ours(node, found)
        match found:
            case Whole(name):
                return whole(self.graph, name, guess=guess)
            case Entry(name, row, column):
                return Target(name, (((row - 1, column - 1),),), guess)
            case Line(name, index):
                return Target(name, tuple(((i - 1, j - 1),) for i, j in self.scene.places(found, index)), guess)

    def _is_ours(self, node: t.Node, found: Whole | Entry | Line) -> bool:
        """Whether only a key of ours calls a quantity so: ``N`` for row sums, where z means the scores."""
        head = node.base if isinstance(node, t.Subscript) and not isinstance(found, Whole) else node
        text = key_of(spelt(head) or "")
        known = {key_of(found.name), key_of(self.problem.names.get(found.name, found.name))}
        return text.upper() not in {item.upper() for item in known} and text != "c"

    def _whole(self, node: t.Node) -> Target | None:
        found = self.head(node)
        return None if found is None else whole(self.graph, found[0], guess=found[1])

    def _with_digits(self, text: str) -> Target | None:
        """``o1`` and ``a11``, as people type them without underscores."""
        found = re.fullmatch(r"([A-Za-z]{1,12})([0-9]{1,2})", text)
        return None if found is None else self.resolve(t.Subscript(t.Name(found[1]), (t.Number(found[2]),)))

    def _joined(self, node: t.Product, indices: Mapping[str, int] | None) -> Target | None:
        """Letters side by side that are one name (``S s_{11}``), an array's index (``S[1, 2]``)."""
        indexed = self._in_brackets(node, indices)
        if indexed is not None:
            return indexed
        *front, last = node.factors
        head = last.base if isinstance(last, t.Subscript) else last
        text = spelt(t.Product((*front, head), node.operators))
        if text is None:
            return None
        is_known = key_of(text) in self.declared or key_of(text) in self.own
        if not is_known and any(self.resolve(factor, indices) is not None for factor in node.factors):
            return None
        name = t.Name(text)
        if isinstance(last, t.Subscript):
            return self._subscript(t.Subscript(name, last.indices), indices or {}) if is_known else None
        return self._whole(name)

    def _in_brackets(self, node: t.Product, indices: Mapping[str, int] | None) -> Target | None:
        """``S[1, 2]`` and ``S[0][1]``, as programs write entries."""
        head, *rest = node.factors
        if any(node.operators) or not isinstance(head, t.Name | t.Subscript):
            return None
        numbers: list[t.Node] = []
        for factor in rest:
            items = (
                factor.items if isinstance(factor, t.Vector) else (factor.body,) if isinstance(factor, t.Group) else ()
            )
            brackets = factor.brackets if isinstance(factor, t.Vector | t.Group) else ""
            if brackets != "[" or not items or not all(isinstance(item, t.Number) for item in items):
                return None
            numbers.extend(items)
        return self._subscript(t.Subscript(head, tuple(numbers)), indices or {}) if len(numbers) in {1, 2} else None

    def _subscript(self, node: t.Subscript, indices: Mapping[str, int]) -> Target | None:
        labels, numbers = self.split(node.indices, indices)
        if numbers is None:
            return self._whole(node)
        base = t.Subscript(node.base, labels) if labels else node.base
        found = self.resolve(base, indices) if isinstance(base, t.Group | t.Transpose | t.Subscript) else None
        if found is None:
            found = self._line_of(base, numbers)
            if found is None:
                found = self._whole(base)
        if found is None:
            return self._whole(node)
        return self.part(found, numbers)

    def _line_of(self, base: t.Node, numbers: list[int | None]) -> Target | None:
        """``q_1``: a small letter with one index is a line of the matrix of the large letter."""
        text = spelt(base)
        if text is None or len(numbers) != 1 or numbers[0] is None or len(text) != 1 or not text.islower():
            return None
        if key_of(text) in self.declared or key_of(text) in self.own:
            return None
        name = self.declared.get(text.upper()) or self.own.get(text.upper())
        if name is None or 1 in self.graph.shape(name):
            return None
        is_pair = numbers[0] > max(self.graph.shape(name)) and len(str(numbers[0])) == 2
        return None if is_pair else whole(self.graph, name)

    def split(
        self, nodes: tuple[t.Node, ...], indices: Mapping[str, int]
    ) -> tuple[tuple[t.Node, ...], list[int | None] | None]:
        """Labels that belong to the name, and the numbers that choose an entry (None in it for ``:``)."""
        labels: list[t.Node] = []
        numbers: list[int | None] = []
        for node in nodes:
            match node:
                case t.Number(text) if text.isdigit() and len(text) <= 9:
                    numbers.append(int(text))
                case t.Name(":"):
                    numbers.append(None)
                case t.Name(text) if text in indices:
                    numbers.append(indices[text])
                case t.Product((t.Name(first), t.Name(second)), ("",)) if first in indices and second in indices:
                    numbers.extend((indices[first], indices[second]))
                case _:
                    if numbers:
                        return (), None
                    labels.append(node)
        return tuple(labels), numbers or None

    def part(self, found: Target, numbers: list[int | None]) -> Target | None:
        """The entry, row or column that numbers choose of a target, None when there is none."""
        rows, columns = found.shape
        if len(numbers) == 1 and numbers[0] is not None:
            number = numbers[0]
            text = str(number)
            is_pair = len(text) == 2 and max(rows, columns) <= 9
            if is_pair:
                return found.part(int(text[0]) - self.base, int(text[1]) - self.base)
            index = number - self.base
            if rows == 1:
                return found.part(None, index) or found.part(index, None)
            if columns == 1 or not self.lines_are_columns:
                return found.part(index, None)
            return found.part(None, index)
        if len(numbers) == 2:
            row, column = (None if number is None else number - self.base for number in numbers)
            if rows == 1 and row not in {None, 0} and column == 0:
                row, column = column, row
            return found.part(row, column)
        return None


def _constants(problem: Problem) -> dict[str, Quotient]:
    """The symbols of a sheet, and its dimensions by their usual names."""
    found = {
        key_of(name): Quotient.of(value) if isinstance(value, Fraction) else Quotient.of(Polynomial.symbol(name))
        for name, value in problem.symbols.items()
    }
    if problem.kind != DEFINED:
        sizes = {"dk": problem.d_k, "Dk": problem.d_k, "dv": problem.d_v, "Dv": problem.d_v}
        found = {**{name: Quotient.of(size) for name, size in sizes.items()}, **found}
    return found
