r"""Names of a block's functions, outputs, means and variances: ``\mathrm{LN}(R_2)``, ``max(0, F_1)``, ``\sigma^2``.

A divisor ``\sigma`` is the root of a variance, with what the norm adds under it.

What names a variance becomes the name ``var``, with the index that it had, or with the number of the norm that is
taken of what stands in brackets behind it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from symattn.checking.expressions.expression_kinds import has_numbers
from symattn.checking.expressions.numerals import Figure, closeness, figure
from symattn.checking.expressions.renaming import Rewriting
from symattn.checking.graph.quantities import Graph, Valuation
from symattn.checking.names.lexicon import HABITS, key_of, spelt
from symattn.graph.builders.layer import is_of_block
from symattn.graph.quantities.scene import Scene
from symattn.notation.lexicon.vocabulary import names
from symattn.notation.submission import Side, Work, Written
from symattn.notation.tree import nodes as t
from symattn.notation.tree.traversal import walk
from symattn.problem.model import Problem

NORM, NETWORK, STANDARDISED = "LayerNorm", "FFN", "standardised"

_ACTIVATIONS = names()["activations"]
_FUNCTIONS = {**names()["functions"], **_ACTIVATIONS}

ACTIVATIONS = frozenset(_ACTIVATIONS)

FUNCTIONS = ACTIVATIONS | {NORM, NETWORK, STANDARDISED}
"""Functions of a matrix of tokens, by the one name that works have for them once they are rewritten."""

_MAXIMA = frozenset({"max", "maximum"})

_OUTCOME = ("Y", "y", "blockoutput", "outputoftheblock", "outputofblock")
"""Names of what comes out of a block."""

_OUTPUT = ("output", "outputs", "out", "Out", "result", "finaloutput")
"""Names that may be said of it, or of the output of attention."""


def outcome_of(graph: Graph) -> str | None:
    """Return the output of a block; None where nothing is computed from the output of attention."""
    made = [name for name in graph.nodes if name == "O" or is_of_block(name)]
    return made[-1] if made and made[-1] != "O" else None


def with_block(habits: Mapping[str, list[str]], graph: Graph) -> dict[str, list[str]]:
    """Extend the lexicon by a block: Y is its output, and ``Y_2`` the normed values, with gamma or not."""
    found = {word: list(names) for word, names in habits.items()}
    for number in "12":
        made, normed = f"Y_{number}", f"N_{number}"
        if made not in graph and normed in graph:
            for mark in ("", "d"):
                for word in HABITS[made]:
                    if f"{mark}{normed}" in graph:
                        found.setdefault(f"{mark}{word}", []).append(f"{mark}{normed}")
    for letter in "ZHU":
        found[letter] = [*found.get(letter, []), *(name for name in ("R_1", "Y_1", "N_1", "R_2") if name in graph)]
    outcome = outcome_of(graph)
    for mark in ("", "d", "grad"):
        name = f"{'d' if mark else ''}{outcome}"
        if outcome is not None and name in graph:
            for word in _OUTCOME:
                # Y may be said of another output; the gradient that the sheet starts from is called so by it.
                found[f"{mark}{word}"] = [name] if mark else [name, *found.get(word, [])]
            for word in _OUTPUT if not mark else ():
                found.setdefault(word, []).append(name)
    return found


class BlockNames(Rewriting):
    """Normaliser of the functions of blocks in works.

    Args:
        problem: for the names that it declares.
    """

    def __init__(self, problem: Problem) -> None:
        labels = {key_of(label) for label in problem.names.values()}
        self.functions = {word: name for name, words in _FUNCTIONS.items() for word in words if word not in labels}

    def _named(self, node: t.Node) -> t.Call | None:
        match node:
            case t.Call(t.Name(word), (first, second)) | t.Product(
                (t.Name(word), t.Vector((first, second), "(")), ("",)
            ) if word in _MAXIMA:
                return self._rectified(first, second)
            case t.Call(t.Name(word), arguments) | t.Product((t.Name(word), t.Vector(arguments, "(")), ("",)):
                return self._called(word, arguments)
            case t.Product((t.Name(word), t.Group(body, "(")), ("",)):
                return self._called(word, (body,))
        return None

    def _called(self, word: str, arguments: tuple[t.Node, ...]) -> t.Call | None:
        """Return a function of one argument; ``AddNorm(X, O)`` norms a sum."""
        name = self.functions.get(word)
        items = tuple(map(self.spelt, arguments))
        if name is None or not items or (len(items) > 1 and name != NORM):
            return None
        of = items[0] if len(items) == 1 else t.Sum(items, ("+",) * (len(items) - 1))
        return t.Call(t.Name(name), (of,))

    def _rectified(self, first: t.Node, second: t.Node) -> t.Call | None:
        """Return ``max(0, F_1)`` of a formula in names as a ReLU; of numbers it stays a maximum."""
        zero = t.Number("0")
        of = second if first == zero else first if second == zero else None
        return None if of is None or has_numbers(of) else t.Call(t.Name("ReLU"), (self.spelt(of),))


_SIGMA = frozenset({"sigma", "sigma1", "sigma2", "σ"})

_VARIANCE = frozenset({"Var", "var", "variance", "Variance"})

_MEAN = frozenset({"mean", "Mean", "mu", "μ"})

_TWO = t.Number("2")


class NormNames(Rewriting):
    """Normaliser of the names of means and variances in works.

    Args:
        graph: the quantities.
        problem: for the names that it declares.
        scene: for what each norm is taken of.
    """

    def __init__(self, graph: Graph, problem: Problem, scene: Scene) -> None:
        labels = {key_of(label) for label in problem.names.values()} | {key_of(name) for name in problem.symbols}
        numbers = [name[-1] for name in ("var_1", "var_2") if name in graph]
        self.graph = graph
        self.known = bool(numbers)
        self.is_single = numbers == ["1"] and max(graph.shape("var_1")) > 1
        self.has_eps = problem.block is not None and bool(problem.block.eps)
        self.is_free = self.known and labels.isdisjoint({"sigma", "sigma1", "sigma2"})
        self.of: dict[str, str] = {}
        for number in reversed(numbers):
            definition = scene.quantities[f"var_{number}"].definition
            if definition.rule == "line-variance":
                of = definition.premises[0]
                words = (of, problem.label(of), *HABITS.get(of, ()))
                self.of.update({key_of(word): number for word in words})

    def of_work(self, work: Work) -> Work:
        """Return the same work with one name for each mean and variance."""
        return super().of_work(work) if self.known else work

    def _written(self, written: Written) -> Written:
        sides = [None if side is None else self._side(self._deviation(side)) for side in written.sides]
        first, last = sides[0], sides[-1]
        if first is not None and last is not None and last is not first and last.node is not None:
            line, number = _line(first.node), figure(last.node)
            if line is not None and number is not None and (self.is_single or self._is_of_token(line, number)):
                sides[0] = replace(first, node=line)
        return replace(written, sides=tuple(sides))

    def _is_of_token(self, line: t.Subscript, number: Figure) -> bool:
        """Return whether a number is that of a token in the first norm, and not of all tokens in a numbered norm."""
        index = line.indices[0]
        name = "var_1" if any(isinstance(item, t.Name) and item.text == "var" for item in walk(line)) else "mu_1"
        place = int(index.text) - 1 if isinstance(index, t.Number) and index.text.isdigit() else -1
        if name not in self.graph or not 0 <= place < self.graph.shape(name)[0] or self.graph.shape(name)[0] == 1:
            return False
        value = Valuation(self.graph).get(name, place, 0)
        return value is not None and not value.symbols and closeness(number, value) in {"equal", "rounded"}

    def _deviation(self, side: Side) -> Side:
        r"""Return ``\sigma_1`` alone, a standard deviation, as the root of a variance."""
        variance = _variance(side.node) if self.is_free and isinstance(side.node, t.Subscript) else None
        if variance is None or side.node is None:
            return side
        own = _line(variance) if self.is_single else None
        return replace(side, node=t.Root(own or variance, span=side.node.span))

    def _named(self, node: t.Node) -> t.Node | None:
        match node:
            case t.Power(base, exponent) if exponent == _TWO and self.is_free:
                return _variance(base)
            case t.Division(above, below) if self.is_free and (variance := _variance(below)) is not None:
                terms = (variance, t.Name("epsilon"))
                root = t.Root(t.Sum(terms, ("+",)) if self.has_eps else variance, span=below.span)
                return replace(node, numerator=self.spelt(above), denominator=root)
            case t.Call(t.Name(function), (of,)) if function in _VARIANCE:
                return self._of(of, "var")
            case t.Product((head, t.Group(of)), ("",)):
                if self._named(head) == t.Name("var") or (isinstance(head, t.Name) and head.text in _VARIANCE):
                    return self._of(of, "var")
                return self._of(of, "mu") if isinstance(head, t.Name) and head.text in _MEAN else None
        return None

    def _of(self, of: t.Node, word: str) -> t.Node | None:
        """Return the mean or the variance of a norm's argument; None for anything else."""
        number = self.of.get(key_of(spelt(of) or ""))
        return None if number is None else t.Subscript(t.Name(word), (t.Number(number),))


def _line(node: t.Node | None) -> t.Subscript | None:
    r"""Return ``\mu_1``, of a single number, as that of token 1 where there is one norm only; None for other names."""
    match node:
        case t.Subscript(t.Name(text) as head, (t.Number(),) as indices) if text in {"mu", "μ", "var"}:
            name = t.Subscript(replace(head, text="var" if text == "var" else "mu"), (t.Number("1"),))
            return t.Subscript(t.Group(name), indices, span=node.span)
    return None


def _variance(base: t.Node) -> t.Node | None:
    r"""Return ``\sigma`` or ``\sigma_1`` with a raised 2 as the name of a variance."""
    match base:
        case t.Group(body):
            return _variance(body)
        case t.Name(text) if text in _SIGMA:
            name = t.Name("var", span=base.span)
            return t.Subscript(name, (t.Number(text[-1]),)) if text[-1].isdigit() else name
        case t.Subscript(t.Name(text) as head, indices) if text in _SIGMA:
            return t.Subscript(t.Name("var", span=head.span), indices)
    return None
