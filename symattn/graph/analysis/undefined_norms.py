"""Undefined values of a layer that no mask causes: norms that are 0/0."""

from __future__ import annotations

from symattn.exact.reals.special_values import UNDEFINED
from symattn.graph.builders.layer import Layer
from symattn.problem.caveats import Caveat

_MAX_NAMED = 6
_RULES = {  # why, of one token and of several
    "standardise": ("as its entries are all alike", "as the entries of each are all alike"),
    "rms-norm": ("as its entries are all 0", "as the entries of each are all 0"),
}


def undefined_norms(layer: Layer, name: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the tokens that a norm makes 0/0, and those that had no value before it.

    >>> from symattn.graph.builders.attention import attention_layer
    >>> from symattn.problem.model import Problem
    >>> one = {"W_Q": [[1], [1]], "W_K": [[1], [1]], "W_V": [[1, 0], [0, 1]]}
    >>> block = {"norm": "layer", "eps": 0, "placement": "pre"}
    >>> undefined_norms(attention_layer(Problem.build(X=[[1, 1], [0, 3]], **one, block=block)), "N_1")
    ((1,), ())
    """
    of = layer.recipes[name].premises[0]
    before = _without_value(layer, of)
    here = _without_value(layer, name)
    return tuple(sorted(here - before)), tuple(sorted(here & before))


def _without_value(layer: Layer, name: str) -> set[int]:
    """Return the tokens, from 1, an entry of which is undefined."""
    by_rows = layer.problem.tokens == "rows"
    lines = layer.exact(name).rows if by_rows else layer.exact(name).T.rows
    return {number for number, line in enumerate(lines, 1) if any(value is UNDEFINED for value in line)}


def norm_caveats(layer: Layer) -> tuple[Caveat, ...]:
    """Return a code for machines, where, and a sentence, for each norm that gives a token no value."""
    found = []
    for name in ("N_1", "N_2"):
        if name not in layer.recipes or layer.recipes[name].rule not in _RULES:
            continue
        tokens, _ = undefined_norms(layer, name)
        if tokens:
            why = _RULES[layer.recipes[name].rule][len(tokens) > 1]
            text = (
                f"The norm {name} of {_named(tokens)} is 0/0, {why}: nothing made of it has a value; "
                "an eps above 0 mends it."
            )
            found.append(Caveat("norm-undefined", f"{name}, token {tokens[0]}", text))
    return tuple(found)


def _named(tokens: tuple[int, ...]) -> str:
    """List tokens by their numbers; count those beyond the limit."""
    if len(tokens) == 1:
        return f"token {tokens[0]}"
    rest = len(tokens) - _MAX_NAMED
    *first, last = [*map(str, tokens[:_MAX_NAMED]), *([f"{rest} more"] if rest > 0 else [])]
    return f"tokens {', '.join(first)} and {last}"
