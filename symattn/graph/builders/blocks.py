"""Builder of a block: residual sums, norms and a feed-forward network, as quantities of a layer.

Sources: Vaswani et al. 2017, section 3.1 and eq. 2 (norms after each sum, the network), Xiong et al. 2020 (norms
before), Ba et al. 2016, section 3 (the norm of a layer, with 1/d under the variance), Zhang and Sennrich 2019, eq. 4
(the root mean square), Shazeer 2020, eq. 6 (gates: SwiGLU and its kin).
"""

from __future__ import annotations

from dataclasses import replace

from symattn.exact.field.quotient import Quotient
from symattn.exact.linear.matrix import Matrix
from symattn.graph.builders.quantity_builder import LayerBuilder
from symattn.graph.quantities import quantity as q
from symattn.graph.quantities.definition import Definition, define
from symattn.problem.components.declarations import Block

_LARGEST = 10_000
_LARGEST_ROOT = 1000


def begin(builder: LayerBuilder) -> None:
    """Add the norm before attention, where norms come first; the projections then start from it."""
    block = _block(builder)
    if block.norm != "none" and block.eps:
        builder.given("eps", Matrix([[block.eps]]), scalar=True)
    if block.norm != "none" and block.placement == "pre":
        builder.queries_from = _norm(builder, _source(builder), 1)


def finish(builder: LayerBuilder) -> None:
    """Add everything after the output of attention."""
    block, has_network = _block(builder), "W_F1" in builder.problem.inputs
    is_post = block.norm != "none" and block.placement == "post"
    tokens = _added(builder, "R_1", _source(builder), "O")
    if is_post:
        tokens = _norm(builder, tokens, 1)
    if not has_network:
        return
    inner = _norm(builder, tokens, 2) if block.norm != "none" and block.placement == "pre" else tokens
    tokens = _added(builder, "R_2", tokens, _network(builder, inner))
    if is_post:
        _norm(builder, tokens, 2)


def _block(builder: LayerBuilder) -> Block:
    block = builder.problem.block
    if block is None:
        raise ValueError("a block is there where one is built")
    return block


def _source(builder: LayerBuilder) -> str:
    """Return the name of the input of the block: the tokens, with their positional encoding added."""
    if "X_p" in builder.quantities:
        return "X_p"
    return {"self": "X", "cross": "X_1"}.get(builder.problem.kind, "Q")


def _axis(builder: LayerBuilder) -> q.Axis:
    """Return the axis along which the entries of a token lie."""
    return "rows" if builder.problem.tokens == "rows" else "columns"


def _added(builder: LayerBuilder, name: str, before: str, made: str) -> str:
    """Return the residual sum, or what was made alone where nothing is added."""
    if not _block(builder).residual:
        return made
    _make(builder, name, define("sum", before, made))
    return name


def _norm(builder: LayerBuilder, of: str, number: int) -> str:
    """Return a norm of tokens: its statistics, what it standardises, and the factors and terms where they are given."""
    axis = _axis(builder)
    eps = "eps" if "eps" in builder.quantities else ""
    normed = f"N_{number}"
    if _block(builder).norm == "layer":
        mean, variance = f"mu_{number}", f"var_{number}"
        _make(builder, mean, define("line-mean", of, axis=axis), vector=True)
        _make(builder, variance, define("line-variance", of, mean, axis=axis), vector=True)
        _make(builder, normed, define("standardise", of, mean, variance, eps, axis=axis))
    else:
        square = f"ms_{number}"
        _make(builder, square, define("line-mean-square", of, axis=axis), vector=True)
        _make(builder, normed, define("rms-norm", of, square, eps, axis=axis))
    return _affine(builder, normed, number, axis)


def _affine(builder: LayerBuilder, normed: str, number: int, axis: q.Axis) -> str:
    given = {word: f"{name}_{number}" for word, name in (("factor", "gamma"), ("term", "beta"))}
    given = {word: name for word, name in given.items() if name in builder.quantities}
    if not given:
        return normed
    words = {"with": " ".join(given)}
    _make(builder, f"Y_{number}", define("affine", normed, *given.values(), axis=axis, **words))
    return f"Y_{number}"


def _network(builder: LayerBuilder, tokens: str) -> str:
    builder.product("F_1", *builder.weighted(tokens, "W_F1"), plus="b_F1")
    kind = _block(builder).activation
    _make(builder, "F_act", define("activation", "F_1", kind=kind))
    inner = "F_act"
    if "W_F3" in builder.quantities:
        builder.product("F_3", *builder.weighted(tokens, "W_F3"), plus="b_F3")
        _style(builder, "F_3")
        inner = "F_gated"
        _make(builder, inner, define("entrywise", "F_act", "F_3"))
    builder.product("F_2", *builder.weighted(inner, "W_F2"), plus="b_F2")
    for name in ("F_1", "F_2"):
        _style(builder, name)
    return "F_2"


def _make(builder: LayerBuilder, name: str, definition: Definition, *, vector: bool = False) -> None:
    builder.derived(name, definition, vector=vector)
    _style(builder, name)


def _style(builder: LayerBuilder, name: str) -> None:
    """Set the style of a quantity: fractions and roots while all of its values are short, else decimals."""
    made = builder.quantities[name]
    is_short = all(_is_short(value) for value in made.exact)
    builder.quantities[name] = replace(made, style="rational" if is_short else "decimal")


def _is_short(value: Quotient) -> bool:
    if not value.is_finite:
        return True
    polynomial = value.polynomial()
    if polynomial is None or value.has_constants or len(polynomial.terms) > 1:
        return False
    return all(
        root <= _LARGEST_ROOT and max(abs(c.numerator), c.denominator) < _LARGEST for (root, _), c in polynomial.terms
    )
