r"""Names of a block's functions and outputs: ``\mathrm{LN}(R_2)``, ``max(0, F_1)``, ``Y``."""

from __future__ import annotations

from collections.abc import Mapping

from symattn.checking.expressions.expression_kinds import has_numbers
from symattn.checking.expressions.renaming import Rewriting
from symattn.checking.graph.quantities import Graph
from symattn.checking.names.lexicon import HABITS, key_of
from symattn.graph.builders.layer import is_of_block
from symattn.notation.tree import nodes as t
from symattn.problem.model import Problem

NORM, NETWORK, STANDARDISED = "LayerNorm", "FFN", "standardised"
ACTIVATIONS = frozenset({"ReLU", "gelu"})
FUNCTIONS = ACTIVATIONS | {NORM, NETWORK, STANDARDISED}
"""Functions of a matrix of tokens, by the one name that works have for them once they are rewritten."""

_FUNCTIONS = {
    **dict.fromkeys(("LN", "LayerNorm", "layernorm", "layer_norm", "Layernorm", "RMSNorm", "rmsnorm", "RMS",
                     "Norm", "norm", "AddNorm", "addnorm"), NORM),
    **dict.fromkeys(("FFN", "ffn", "MLP", "mlp", "FeedForward", "feedforward", "FF"), NETWORK),
    **dict.fromkeys(("GELU", "gelu", "Gelu", "GeLU"), "gelu"),
    **dict.fromkeys(("ReLU", "relu", "RELU", "Relu"), "ReLU"),
}  # fmt: skip
"""Functions by what people call them."""

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
        self.functions = {word: name for word, name in _FUNCTIONS.items() if word not in labels}

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
