"""One head of a layer as a layer of its own, with the names that a layer without heads has.

What is written and discussed of a single head is then the same as of a layer that has only one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from symattn.graph.builders.layer import Layer, base_of, is_of_block, is_of_gradients
from symattn.graph.quantities import quantity as q
from symattn.graph.quantities.scene import Scene

_OF_ALL = ("O", "C")
"""What is made of all heads together."""


def heads_of(layer: Layer) -> tuple[Layer, ...]:
    """Return the heads of a layer, the layer itself where it has none.

    The output of a head is called ``O`` in its view, and the matrices that all heads have together (``Q``,
    of which ``Q^1`` is a part) have a caret and no number.

    >>> from symattn.graph.builders.attention import attention_layer
    >>> from symattn.problem.model import Problem
    >>> p = Problem.build(Q=[[1, 2]], K=[[1, 0], [0, 1]], V=[[1, 2], [3, 4]], heads=2, scale="none")
    >>> [str(head.exact("A")[0, 0]) for head in heads_of(attention_layer(p))]
    ['exp(1)/(exp(1) + 1)', '1/(1 + exp(2))']
    """
    if layer.problem.heads:
        return tuple(_view(layer, head) for head in range(1, layer.problem.heads + 1))
    return (_view(layer, 0),) if "C" in layer.recipes else (layer,)


def _view(layer: Layer, head: int) -> Layer:
    names = _names(layer, head)
    quantities = layer.scene.quantities
    made = [renamed(replace(quantities[name], name=own), names) for name, own in names.items()]
    recipes = {item.name: item.definition for name, item in zip(names, made, strict=True) if name in layer.recipes}
    carried = frozenset(own for name, own in names.items() if name in layer.carried)
    return Layer(layer.problem, Scene(made, layer.scene.symbols), recipes, carried, head)


def _names(layer: Layer, head: int) -> dict[str, str]:
    """Return the names in the whole layer to those in the view of a head, in the order of their derivation."""
    if not head:
        before = _used(layer, "C")  # a norm may come before attention
        names = (name for name in layer.scene.quantities if name != "O" and (not is_after(name) or name in before))
        return {name: "O" if name == "C" else name for name in names}
    # What is worked block by block is made on the way to nothing, as another way to the output.
    used = _used(layer, f"H^{head}") | {name for name in layer.recipes if "@" in name and name.endswith(f"^{head}")}
    own = {base_of(name) for name in used if "^" in name}
    found: dict[str, str] = {}
    for name in layer.scene.quantities:
        base = base_of(name)
        if name not in used or name in _OF_ALL:
            continue
        shown = "O" if base == "H" else base
        found[name] = shown if "^" in name or base not in own else f"{base}^"
    return found


def is_after(name: str) -> bool:
    """Return True if a quantity comes after the output of a layer.

    >>> is_after("dQ"), is_after("R_1"), is_after("mu_1"), is_after("A")
    (True, True, True, False)
    """
    return is_of_gradients(name) or is_of_block(name)


def with_summaries_of(layer: Layer, heads: Sequence[Layer]) -> Layer:
    """Return the layer with the entropies and totals that were found of its heads."""
    made = [
        renamed(
            replace(view.scene.quantities[name], name=f"{name}^{view.head}" if view.head else name),
            {own: name for name, own in _names(layer, view.head).items()},
        )
        for view in heads
        for name in ("entropy", "totals")
        if name in view.scene.quantities
    ]
    return replace(layer, scene=layer.scene.with_quantities(made))


def _used(layer: Layer, name: str) -> frozenset[str]:
    """Return a quantity and all that it is made of, the scalars in formulas included."""
    found, waiting = {name}, [name]
    while waiting:
        recipe = layer.recipes.get(waiting.pop())
        for premise in recipe.premises if recipe is not None else ():
            if premise not in found:
                found.add(premise)
                waiting.append(premise)
    factors = [item for item in found if base_of(item) == "c"]
    lengths = [f"d_k{item[1:]}" for item in factors if f"d_k{item[1:]}" in layer.recipes]
    return frozenset([*found, *lengths])


def renamed(quantity: q.Quantity, names: Mapping[str, str]) -> q.Quantity:
    """Return a quantity with other names for what it is made of."""
    premises, by_blocks = (
        tuple(names.get(name, name) for name in own) for own in (quantity.definition.premises, quantity.by_blocks)
    )
    return replace(quantity, definition=replace(quantity.definition, premises=premises), by_blocks=by_blocks)
