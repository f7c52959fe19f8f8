"""TRUSTED. Lemmas on normal vectors with any covariance matrix: their generating function, and a Gaussian integral.

A hypothesis of the kind ``normal-vector`` says of a random vector which entries its mean and its covariance matrix
have; one of the kind ``definite`` says of a matrix that it is symmetric and positive definite.
"""

from __future__ import annotations

from collections.abc import Callable

from symattn.errors import InputError
from symattn.exact.indexed import expectation as m
from symattn.exact.indexed.expression import ZERO, Atom, Draft, Expr, product, summed
from symattn.exact.indexed.indices import Index
from symattn.exact.indexed.terms import MATRIX_INVERSE
from symattn.notation.tree import nodes as t
from symattn.proofs.kernel.context import Context
from symattn.proofs.language.matrices import determinant, inverse_matrix, is_symmetric
from symattn.proofs.language.scope import Kind
from symattn.proofs.language.values import Tensor, fresh_index, multiplied
from symattn.proofs.lemmas.exponential_moments import exponent_of, random_names, under_mean
from symattn.proofs.lemmas.lemma import HALF, Check, equation
from symattn.proofs.lemmas.normal_laws import is_linear

_KIND: Kind = "normal-vector"


def _vector_factor(context: Context) -> str:
    """Check ``E(exp(f^T x + g)) = E(exp(f^T m + f^T S f/2 + g))`` for a normal vector x independent of f and g."""
    name = context.argument("over")
    mean, covariance = _law(context, name)
    exponent = exponent_of(under_mean(context, context.before))
    others = random_names(context, exponent) - {name}
    if not context.facts.are_independent(others | {name}):
        return f"{name} is not independent of {', '.join(sorted(others))} by the hypotheses of the step"
    rest = exponent.mapped(lambda atom: ZERO if atom.name == name else None)
    linear = exponent - rest
    if not all(_is_linear(draft, name) for draft in linear.opened()):
        return "the exponent is not linear in the normal vector"
    variance = ZERO
    for one in linear.opened():
        for other in linear.opened():
            variance = variance + _covariance_of(one, other, name, covariance)
    middle = exponent.mapped(lambda atom: mean(*atom.indices) if atom.name == name else None)
    found = Expr.exp(middle + variance * HALF)
    after = under_mean(context, context.after) if others else context.number(context.after)
    return "" if after.equals(found) else "the right side has another exponent than f^T m + f^T S f/2 + g"


def _is_linear(draft: Draft[Expr], name: str) -> bool:
    return is_linear(draft, frozenset({name})) and any(atom.name == name for atom in draft.factors)


def _covariance_of(one: Draft[Expr], other: Draft[Expr], name: str, covariance: Callable[..., Expr]) -> Expr:
    """Return the covariance of two terms, each linear in one entry of a vector."""
    parts, places = [], []
    for draft in (one, other):
        (entry,) = (atom for atom in draft.factors if atom.name == name)
        parts.append(
            product(draft.with_factors({atom: power for atom, power in draft.factors.items() if atom != entry}))
        )
        places.append(entry.indices[0])
    return summed(parts[0] * parts[1] * covariance(*places), [*one.bounds, *other.bounds])


def _law(context: Context, name: str) -> tuple[Callable[..., Expr], Callable[..., Expr]]:
    """Return the entries of the mean and of the covariance matrix of a normal vector, by the hypotheses of the step.

    Raises:
        InputError: no hypothesis says that it is normal.
    """
    declared = context.language.declared.get(name)
    found = [item for item in context.of_kind(_KIND) if item.about == (name,) and len(item.values) == 2]
    if not found or declared is None or not declared.random or len(declared.sizes) != 1:
        raise InputError(f"{name} is not a normal vector by the hypotheses of the step.")
    mean, covariance = (context.known.value_of(text) for text in found[0].values)
    if random_names(context, mean) or random_names(context, covariance):
        raise InputError(f"The law of {name} depends on a random quantity.")
    return (lambda i: m.at_indices(mean, (i,))), (lambda i, j: m.at_indices(covariance, (i, j)))


# The integral --------------------------------------------------------------------------------------


def _vector_integral(context: Context) -> str:
    """Check ``E(exp(g(x))) = det(S P)^(-1/2) exp(C + b^T P^(-1) b/2)`` for a normal x, S and P positive definite.

    Here ``g(x) - (x - m)^T S^(-1) (x - m)/2 = C + b^T x - x^T P x/2``, with b, P and C as the arguments ``linear``,
    ``precision`` and ``constant`` give them; of the product S P it is used that it is ``1 - S (S^(-1) - P)``.
    """
    name = context.argument("over")
    mean, covariance = _law(context, name)
    x = _tensor(context, name, 1)
    linear, precision = _tensor(context, context.argument("linear"), 1), _precision(context, x)
    constant = context.number(context.read(context.argument("constant")))
    spread = Tensor((x.sizes[0], x.sizes[0]), covariance)
    if linear.sizes != x.sizes:
        return "the linear part has another length"
    if not context.is_definite(spread):
        return "the covariance matrix is not positive definite by the hypotheses of the step"
    exponent = exponent_of(under_mean(context, context.before))
    indices = [fresh_index() for _ in range(2)]
    parts = (exponent, constant, linear.at(indices[0]), precision.at(*indices))
    if random_names(context, exponent) != {name} or any(random_names(context, part) for part in parts[1:]):
        return "something else in the exponent is random"
    weight = inverse_matrix(spread)
    away = Tensor(x.sizes, lambda i: x.at(i) - mean(i))
    form = constant + _dot(linear, x) - _form(x, precision) * HALF + _form(away, weight) * HALF
    even = _symmetric(context)
    if not even(exponent).equals(even(form)):
        return "the exponent is not what the linear part, the precision and the constant make it"
    wanted = constant + _form(linear, inverse_matrix(precision)) * HALF
    wanted = wanted - Expr.log(determinant(_product(spread, precision))) * HALF
    found = exponent_of(context.number(context.after))
    return "" if even(found).equals(even(wanted)) else "the integral has another value"


def _positive_determinant(context: Context) -> str:
    """Check ``det(S P) > 0`` for positive definite S and P, the arguments ``covariance`` and ``precision``."""
    if context.step.relation != ">" or context.after != t.Number("0"):
        return "it establishes that a determinant is greater than 0"
    spread = _tensor(context, context.argument("covariance"), 2)
    if spread.sizes[0] != spread.sizes[1] or not context.is_definite(spread):
        return "the first matrix is not positive definite by the hypotheses of the step"
    precision = _precision(context, Tensor(spread.sizes[:1], lambda i: Expr.entry("~", i)))
    even = _symmetric(context)
    found = even(context.number(context.before))
    return "" if found.equals(even(determinant(_product(spread, precision)))) else "it is another matrix"


def _precision(context: Context, x: Tensor) -> Tensor:
    """Return the argument `precision`, positive definite by the hypotheses of the step."""
    found = _tensor(context, context.argument("precision"), 2)
    if found.sizes != (x.sizes[0], x.sizes[0]) or not context.is_definite(found):
        raise InputError("The precision is not positive definite by the hypotheses of the step.")
    return found


def _tensor(context: Context, text: str, rank: int) -> Tensor:
    found = context.value(context.read(text))
    if isinstance(found, Expr) or len(found.sizes) != rank or found.is_row:
        raise InputError(f"{text} is not a {'column' if rank == 1 else 'matrix'}.")
    return found


def _dot(first: Tensor, second: Tensor) -> Expr:
    found = multiplied(first.transposed, second, dotted=False)
    if not isinstance(found, Expr):
        raise TypeError("a row times a column is a number")
    return found


def _form(x: Tensor, matrix: Tensor) -> Expr:
    """Return ``x^T M x``."""
    i, j = fresh_index(), fresh_index()
    inner = Expr.sum_over(j, x.sizes[0], x.at(i) * matrix.at(i, j) * x.at(j))
    return Expr.sum_over(i, x.sizes[0], inner)


def _product(spread: Tensor, precision: Tensor) -> Tensor:
    """Write ``S P`` as ``1 - S (S^(-1) - P)``, so that the inverse in P goes out."""
    weight, size = inverse_matrix(spread), spread.sizes[0]

    def at(i: Index, j: Index) -> Expr:
        between = fresh_index()
        rest = weight.at(between, j) - precision.at(between, j)
        return Expr.delta(i, j) - Expr.sum_over(between, size, spread.at(i, between) * rest)

    return Tensor(spread.sizes, at)


def _symmetric(context: Context) -> Callable[[Expr], Expr]:
    """Return a map from an entry of a symmetric matrix to the mean of it and its mirror image, which are equal.

    Symmetric are covariance matrices, positive definite ones, and the inverses of symmetric ones.
    """
    names = {text for item in context.of_kind("definite") for text in item.about}
    for item in context.of_kind(_KIND):
        atom, power = context.known.value_of(item.values[-1]).only_atom or (Atom(""), 0)
        if power == 1 and atom.indices == (m.here(0), m.here(1)) and not atom.arguments:
            names.add(atom.name)

    def change(atom: Atom[Expr]) -> Expr | None:
        if len(atom.indices) != 2 or not _is_even(atom):
            return None
        mirrored = Atom(atom.name, atom.indices[::-1], atom.arguments)
        return (Expr.atom(atom) + Expr.atom(mirrored)) * HALF

    def _is_even(atom: Atom[Expr]) -> bool:
        return is_symmetric(atom.arguments[-1]) if atom.name == MATRIX_INVERSE else atom.name in names

    return lambda value: value.mapped(change)


VECTORS: dict[str, Check] = {
    "normal-vector-factor": equation(_vector_factor),
    "gaussian-vector-integral": equation(_vector_integral),
    "positive-determinant": _positive_determinant,
}
"""The checks by the names of the lemmas."""
