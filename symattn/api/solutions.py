"""Problems solved, from Python objects or files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import NoReturn

from symattn.api.result import Result
from symattn.api.result_quantities import Word
from symattn.errors import InputError
from symattn.exact.linear.matrix import Matrix
from symattn.graph.analysis.pattern import Pattern, attention_pattern, with_summaries
from symattn.graph.builders import definitions, stacks
from symattn.graph.builders import heads as layer_heads
from symattn.graph.builders.attention import attention_layer
from symattn.graph.builders.layer import Layer
from symattn.graph.numeric import eligibility, enclosed_layers, integer_matrices, integer_rows
from symattn.graph.quantities.quantity import Grid
from symattn.problem.model import Problem, read_problem
from symattn.problem.settings.conventions import DEFINED, THEORY

__all__ = ["Result", "attention", "solve"]

LARGE = 36
"""Weights from which on a layer is large: its decimals come from rows of numbers, 15 times as fast from here on.

Below it, a key takes longer to load what makes them than all its closed forms take.
"""

_OF_ORDER = frozenset({"diagram", "pattern"})


def solve(problem: Problem | Mapping[str, object] | str | Path) -> Result:
    """Solve a problem exactly and under its rounding policy.

    Args:
        problem: a problem, a mapping with the keys of a problem file, or the path of a file (``str`` or ``Path``).

    Raises:
        InputError: the problem cannot be read or used.

    >>> solve({"inputs": {"Q": [[1]], "K": [[1], [0]], "V": [[1], [0]]}, "scale": "none"}).O.rounded(2)
    [['0.73']]
    >>> p = Problem.build(Q=[[1, 0]], K=[[1, 0], [0, 1]], V=[[1], [2]], scale="none")
    >>> solve(p).A.rounded(2)
    [['0.73', '0.27']]
    """
    problem = read_problem(problem)
    if problem.batch:
        return _batch(problem)
    if problem.later:
        return _stack(problem)
    if problem.kind == THEORY:
        return Result(
            problem, partial(_refuse, f"{problem.source} has no inputs, so there are no quantities to compute.")
        )
    if problem.kind == DEFINED:
        return _result(problem, definitions.defined_layer(problem))
    return _of_layer(problem)


def _of_layer(problem: Problem) -> Result:
    """Return the result of one layer, large or not."""
    if problem.positions is not None or problem.n_q * problem.n_k >= LARGE:
        return large_result(problem) or solved(problem)
    return solved(problem)


def _refuse(sentence: str) -> NoReturn:
    raise InputError(sentence)


def _result(
    problem: Problem,
    layer: Layer,
    pattern: Pattern | None = None,
    children: Mapping[Word, tuple[Result, ...]] | None = None,
) -> Result:
    return Result(problem, lambda: (layer, pattern), children)


def _batch(problem: Problem) -> Result:
    """Return the result of a batch, whose sequences are results of their own.

    >>> batch = solve(Problem.build(Q=[[[1]], [[2]]], K=[[1], [0]], V=[[1], [0]], scale="none"))
    >>> [result.O.rounded(2) for result in batch.sequences]
    [[['0.73']], [['0.88']]]

    Gradients at what all share are those of the sum of the losses:

    >>> gradient = {"loss": "sum"}
    >>> batch = solve(Problem.build(Q=[[[1]], [[2]]], K=[[1], [0]], V=[[1], [0]], scale="none", gradient=gradient))
    >>> [result.dV.rounded(2) for result in batch.sequences], batch.dV.rounded(2)
    ([[['0.73'], ['0.27']], [['0.88'], ['0.12']]], [['1.61'], ['0.39']])
    """
    refused = "Each sequence of a batch has its own quantities: take result.sequences[0] and so on."
    sequences = tuple(_of_layer(problem.inputs_of(number)) for number in range(1, problem.batch + 1))
    shared = [f"d{name}" for name in problem.inputs if problem.gradient and name not in problem.sequences]
    sums = {name: partial(_total, sequences, name) for name in shared if name in sequences[0].layer.recipes}
    return Result(problem, partial(_refuse, refused), {"sequences": sequences}, sums)


def _total(results: Sequence[Result], name: str) -> Matrix:
    first, *others = (result.kernel_matrix(name) for result in results)
    return sum(others, start=first)


def _stack(problem: Problem) -> Result:
    """Return the result of several blocks, which are results of their own; the rest is that of the last.

    >>> own = {"W_Q": [[1]], "W_K": [[1]], "W_V": [[1]]}
    >>> stack = solve(Problem.build(X=[[1], [2]], blocks=[{"inputs": own}, {"inputs": own}]))
    >>> stack["R_1@1"].rounded(2), stack["R_1"].rounded(2)
    ([['2.73'], ['3.88']], [['6.56'], ['7.75']])
    """
    problem = stacks.with_gradients(problem)
    last = solved(replace(problem, later=()))
    blocks = [last]
    for later in problem.later:
        own, start = stacks.following(later, last.layer, problem.policy)
        last = solved(own, start, is_later=True)
        blocks.append(last)
    return _result(problem, last.layer, last.pattern, {**last.children, "blocks": tuple(blocks)})


def large_result(problem: Problem) -> Result | None:
    """Return the result of a problem whose closed forms would take long; None unless it is a plain numeric layer.

    Its Q, K, V, S, A and O, those of its heads and what they join to need no layer of closed forms; all else makes it.

    >>> one = [[1]] * 32
    >>> result = large_result(Problem.build(Q=one, K=one, V=one))
    >>> result.A.shape, str(result.A[0, 0]), result.O.rounded(2)[:2]
    ((32, 32), '1/32', [['1.00'], ['1.00']])
    >>> large_result(Problem.build(Q=[[1]], K=[[1]], V=[[1]], score="cosine")) is None
    True
    """
    whole = cache(partial(solved, problem))

    def exact(name: str) -> Matrix:
        return whole().layer.exact(name)

    if names := eligibility.enclosed_names(problem):
        enclosed = cache(lambda: enclosed_layers.enclosed_layer(problem, exact))
        each_named = {name: cache(lambda name=name: enclosed().named(name)) for name in names}
        return Result(problem, lambda: whole().work(), matrices=each_named)
    layers = () if problem.positions is not None else integer_rows.numeric_heads(problem, around=True)
    if not layers:
        return None
    columns, across = problem.tokens == "columns", problem.softmax == "columns"
    made = [integer_matrices.NumericMatrices(layer, columns=columns, across=across) for layer in layers]

    def worked(head: int = 0) -> tuple[Layer, Pattern | None]:
        return (whole().heads[head - 1] if head else whole()).work()

    each = [{name: cache(partial(one.named, name)) for name in "QKVSAO"} for one in made]
    if problem.heads:
        own = {f"{name}^{number}": one[name] for number, one in enumerate(each, 1) for name in "QSA"}
        own |= {f"H^{number}": one["O"] for number, one in enumerate(each, 1)}
        own["O"] = cache(lambda: integer_matrices.joined([one["O"]() for one in each], columns=columns))
    else:
        own = dict(each[0])
    children: dict[Word, tuple[Result, ...]] = {}
    if problem.heads or "W_O" in problem.inputs:
        each = each if problem.heads else [dict(each[0])]
        children["heads"] = tuple(
            Result(problem, partial(worked, number), matrices=matrices) for number, matrices in enumerate(each, 1)
        )

    if integer_rows.has_enclosed_gradients(problem, layers[0]):
        back = integer_matrices.GradientMatrices(problem, layers[0], exact)
        own |= {name: cache(partial(back.named, name)) for name in back.shapes}
    if problem.block is not None or "W_O" in problem.inputs:
        around = integer_matrices.BlockMatrices(problem, own["O"](), exact)
        if "W_O" in problem.inputs and problem.heads != 1:
            own["C"] = own["O"]
        own |= {name: cache(partial(around.named, name)) for name in around.shapes}
        if problem.block is not None:
            own["Y"] = own[["O", *around.shapes][-1]]
    return Result(problem, worked, children, own)


def solved(problem: Problem, carried: Mapping[str, Grid] | None = None, *, is_later: bool = False) -> Result:
    """Return the result of one layer, with heads or without.

    Args:
        problem: what is asked.
        carried: inputs that come rounded from an earlier block.
        is_later: whether a block comes before it: its key leaves out the order of weights where that is not known.

    >>> p = Problem.build(Q=[[1, 0]], K=[[1, 0], [0, 1]], V=[[1], [2]], scale="none")
    >>> solved(p).A.rounded(2)
    [['0.73', '0.27']]
    """
    layer = attention_layer(problem, carried)
    views = layer_heads.heads_of(layer) if problem.beyond else (layer,)
    patterns = [attention_pattern(view) for view in views]
    if is_later and None in patterns:
        problem = _without_order(problem)
        views = tuple(replace(view, problem=problem) for view in views)
        layer = replace(layer, problem=problem)
    heads = tuple(
        _result(problem, view if pattern is None else with_summaries(view, pattern), pattern)
        for view, pattern in zip(views, patterns, strict=True)
    )
    if len(heads) == 1 and views[0].recipes is layer.recipes:
        return heads[0]
    whole = layer_heads.with_summaries_of(layer, [head.layer for head in heads])
    return _result(problem, whole, None, {"heads": heads})


def _without_order(problem: Problem) -> Problem:
    """Return a problem whose parts ask neither for the diagram nor for the order of weights."""
    asked = [tuple(word for word in part.asks if word not in _OF_ORDER) for part in problem.parts]
    parts = [replace(part, asks=asks or ("prose",)) for part, asks in zip(problem.parts, asked, strict=True)]
    return replace(problem, parts=tuple(parts))


def attention(**keys: object) -> Result:
    """Solve attention for inputs given from Python: the keys of a problem file, inputs among them.

    Args:
        keys: ``X, W_Q, W_K, W_V`` or ``X_1, X_2, W_Q, W_K, W_V`` or ``Q, K, V`` (n × d nested lists of
            integers, Fractions, Decimals and strings, SymPy matrices, or arrays), and ``scale``, ``tokens``,
            ``floats`` (how floats are read, ``"binary"`` or ``"shortest"``) …

    >>> attention(Q=[["1/2"]], K=[[1], [0]], V=[[1], [0]], scale="none").A[0, 0]
    exp(1/2)/(exp(1/2) + 1)
    """
    return solve(Problem.build(**keys))
