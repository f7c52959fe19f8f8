"""The backward pass that a problem asks for: the gradient at the output, or a loss that makes it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from symattn.errors import InputError, ShapeError, shape_text
from symattn.exact.linear.matrix import Matrix
from symattn.problem.components.blocks import block_quantities, output_width
from symattn.problem.components.data import FLAT, ProblemData
from symattn.problem.components.declarations import Gradient
from symattn.problem.schema.fields import BLOCK_INPUTS, GRADIENT
from symattn.problem.settings.conventions import Shape
from symattn.problem.settings.parts import GRADIENT_OF
from symattn.problem.settings.score_steps import saturating
from symattn.problem.text.spelling import unknown
from symattn.problem.values.checks import check_index, place_of
from symattn.problem.values.matrix_input import is_batch, read_matrix
from symattn.problem.values.polynomials import Symbols

_OF_BIASES = ("db_Q", "db_K", "db_V", "db_O")
_SCORES = ("dot", "general")


def read_gradient(table: Mapping[str, Any], symbols: Symbols, known: Mapping[str, Any], source: str) -> Gradient:
    """Return the backward pass of a checked table.

    The loss is ``"sum"`` of all outputs, ``"squared"``, half the sum of the squared differences from the target, or
    ``"cross-entropy"``, less the logarithms of the softmax of the output of each token at its label.

    Args:
        table: the keys under ``[gradient]``.
        symbols: the declared symbols.
        known: those of them that have a value.
        source: what messages call the file.

    Raises:
        InputError: keys that contradict each other.

    >>> read_gradient({"loss": "sum", "of": ("dQ",)}, {}, {}, "x.toml")
    Gradient(loss='sum', dO=None, target=None, of=('dQ',), labels=(), dY=None, next_block=0, rounded=None, each=())
    """
    place = place_of(source, "gradient")
    if not table.get("of", ("dQ",)):
        raise InputError(f"{place_of(source, 'gradient.of')} is empty. Name gradients, or leave the key out for all.")
    if sum(key in table for key in ("dO", "dY", "loss")) != 1:
        raise InputError(
            f'{place} has either dO, the gradient at the output, or loss = "sum", "squared" or "cross-entropy"; of a '
            "block the gradient at the output is dY."
        )
    loss = table.get("loss", "given")
    if ("target" in table) != (loss == "squared"):
        raise InputError(
            f'{place_of(source, "gradient.target")} goes with loss = "squared", which compares the outputs with it; '
            "give both, or neither."
        )
    if ("labels" in table) != (loss == "cross-entropy"):
        raise InputError(
            f'{place_of(source, "gradient.labels")} goes with loss = "cross-entropy", which takes the probability of '
            "each token at its label; give both, or neither."
        )
    found: dict[str, Matrix] = {}
    each: tuple[Matrix, ...] = ()
    for name in ("dO", "dY", "target"):
        if name in table:
            items = list(table[name]) if is_batch(table[name]) else [table[name]]
            at = place_of(source, f"gradient.{name}")
            matrices = tuple(read_matrix(item, symbols, at).with_values(known) for item in items)
            found[name], each = matrices[0], matrices if is_batch(table[name]) else ()
    return Gradient(
        loss,
        found.get("dO"),
        found.get("target"),
        tuple(table.get("of", ())),
        tuple(table.get("labels", ())),
        found.get("dY"),
        each=each,
    )


def check_gradient(problem: ProblemData) -> None:
    """Refuse a backward pass that the layer does not have, or whose shapes do not fit.

    Args:
        problem: the whole problem; without a backward pass nothing is refused.

    Raises:
        InputError: One sentence with the key and the remedy.
        ShapeError: With both shapes.

    >>> from symattn.problem.model import Problem
    >>> Problem.build(Q=[[1]], K=[[2]], V=[[3]], gradient={"dO": [[1, 2]]})
    Traceback (most recent call last):
    symattn.errors.ShapeError: [gradient] dO is 1×2 and the output O is 1×1: both must have one shape.
    """
    gradient = problem.gradient
    if gradient is None:
        return
    place = place_of(problem.source, "gradient")
    if problem.score not in _SCORES:
        raise InputError(
            f'{place}: gradients through score = "{problem.score}" are not supported here; take score = "dot" or '
            '"general".'
        )
    if gradient.each and len(gradient.each) != problem.batch:
        raise ShapeError(
            f"{place} has {len(gradient.each)} matrices and there are {problem.batch or 1} sequences: give one for "
            "each of them, or one for all."
        )
    if problem.batch:
        _check_sequences(problem, gradient)
        return
    if problem.block is not None or gradient.dY is not None:
        _check_start(problem, gradient)
    shape = output_shape(problem)
    output = "O" if problem.block is None else "of the block"
    for name, matrix in (("dO", gradient.dO), ("dY", gradient.dY), ("target", gradient.target)):
        if matrix is not None and matrix.shape != shape:
            at = place_of(problem.source, f"gradient.{name}")
            sizes = f"{at} is {shape_text(matrix.shape)} and the output {output} is {shape_text(shape)}"
            raise ShapeError(f"{sizes}: {_ONE_SHAPE}.")
    if gradient.loss == "cross-entropy":
        _check_labels(problem, gradient.labels, shape)
    known = gradients_of(problem)
    for name in gradient.of:
        if name not in known:
            raise InputError(f"{place_of(problem.source, 'gradient.of')}: {unknown('gradient', name, known)}")
    _check_parts(problem, known)


def _check_sequences(problem: ProblemData, gradient: Gradient) -> None:
    """Refuse what a sequence of a batch refuses; each is a problem of its own."""
    wanted = problem.batch * problem.n_q
    if gradient.labels and len(gradient.labels) != wanted:
        raise ShapeError(
            f"{place_of(problem.source, 'gradient.labels')} has {len(gradient.labels)} labels, and the sequences have "
            f"{wanted} tokens: give as many, sequence after sequence."
        )
    for number in range(1, problem.batch + 1):
        problem.inputs_of(number)


_ONE_SHAPE = "both must have one shape"


def _check_labels(problem: ProblemData, labels: tuple[int, ...], shape: Shape) -> None:
    tokens, length = shape if problem.tokens == "rows" else shape[::-1]
    place = place_of(problem.source, "gradient.labels")
    if len(labels) != tokens:
        raise ShapeError(
            f"{place} has {len(labels)} labels and the output O is {shape_text(shape)}: give {tokens} of them."
        )
    for number, label in enumerate(labels, 1):
        check_index(label, length, "label", f"{place}, number {number}")


def labels_matrix(labels: tuple[int, ...], shape: Shape, *, by_rows: bool) -> Matrix:
    """Return a 1 at the label of each token and 0 everywhere else, in the shape of the output.

    >>> str(labels_matrix((2, 1), (2, 2), by_rows=True))
    '[[0, 1], [1, 0]]'
    """
    length = shape[1 if by_rows else 0]
    found = Matrix([[int(place == label) for place in range(1, length + 1)] for label in labels])
    return found if by_rows else found.T


def through_cap(problem: ProblemData) -> str:
    """Return the name of the gradient at the input scores of a soft cap, scaled or not; empty without a cap.

    >>> from symattn.problem.model import Problem
    >>> through_cap(Problem.build(Q=[[1, 0]], K=[[2, 1]], V=[[3]], softcap=2))
    'dS_scaled'
    """
    used, place = problem.used, saturating(problem.used)
    if place == len(used):
        return ""
    return "dS_scaled" if used[:place][-1:] == ("scale",) else "dS_uncapped"


def _check_parts(problem: ProblemData, known: tuple[str, ...]) -> None:
    wanted = (problem.gradient.of if problem.gradient is not None else ()) or known
    for number, part in enumerate(problem.parts, 1):
        for word in part.asks:
            if not word.startswith(GRADIENT_OF):
                continue
            name, place = word.removeprefix(GRADIENT_OF), place_of(problem.source, f"parts #{number}.asks")
            if name not in known:
                raise InputError(f"{place}: {unknown('gradient', name, known)}")
            if name not in wanted:
                raise InputError(f"{place}: {name} is not in the list of under [gradient]. Add it there.")


def check_parts_without(problem: ProblemData) -> None:
    """Refuse a part that asks for gradients without a backward pass.

    Raises:
        InputError: There is such a part.
    """
    for number, part in enumerate(problem.parts, 1):
        if any(word == "gradients" or word.startswith(GRADIENT_OF) for word in part.asks):
            place = place_of(problem.source, f"parts #{number}.asks")
            raise InputError(f'{place}: there is no [gradient]; give one, as in {{loss = "sum"}}, or leave it out.')


def output_shape(problem: ProblemData) -> Shape:
    """Return rows and columns of the output of a layer.

    >>> from symattn.problem.model import Problem
    >>> output_shape(Problem.build(Q=[[1]], K=[[2]], V=[[3, 4]]))
    (1, 2)
    """
    if problem.block is not None:
        length = output_width(problem)
    elif "W_O" in problem.inputs:
        product = problem.convention.product or ("X W" if problem.tokens == "rows" else "W X")
        length = problem.inputs["W_O"].shape[0 if product in FLAT else 1]
    elif problem.heads and problem.combine == "concat":
        length = sum(size.d_v for size in problem.head_sizes)
    else:
        length = problem.d_v
    return (problem.n_q, length) if problem.tokens == "rows" else (length, problem.n_q)


def gradients_of(problem: ProblemData) -> tuple[str, ...]:
    """Return the canonical names of the gradients that a layer has; of heads each has a number besides.

    >>> from symattn.problem.model import Problem
    >>> gradients_of(Problem.build(Q=[[1]], K=[[2]], V=[[3]]))
    ('dO', 'dV', 'dA', 'dS', 'dQ', 'dK')
    """
    bases = list(dict.fromkeys(name.partition("^")[0] for name in problem.inputs))
    around: dict[str, bool] = {}
    if problem.block is not None:
        around = dict.fromkeys(_gradients_around(problem), True)
    has = {
        "dC": "W_O" in bases and problem.heads != 1,
        "dH": problem.heads > 0,
        "dG": problem.score == "general",
        "dS_scaled": through_cap(problem) == "dS_scaled",
        "dS_uncapped": through_cap(problem) == "dS_uncapped",
        "dX": "X" in bases,
        **dict.fromkeys(("dK_new", "dV_new"), problem.cached > 0),
        **dict.fromkeys(("dQ_rot", "dK_rot"), problem.positions is not None and not problem.positions.is_added),
        "dX_p": problem.positions is not None and problem.positions.is_added,
        "dP": problem.positions is not None and not problem.positions.traits.has_angles,
        "dX_1": "X_1" in bases,
        "dX_2": "X_2" in bases,
        **{f"dW_{letter}": f"W_{letter}" in bases for letter in "QKVOS"},
        **{name: name[1:] in bases for name in _OF_BIASES},
        **around,
    }
    return tuple(name for name in GRADIENT if has.get(name, name in _ALWAYS))


_ALWAYS = ("dO", "dV", "dA", "dS", "dQ", "dK")


_WITH_GRADIENT = ("R", "N", "Y", "F")
"""Letters of the quantities of a block that have a gradient."""


def _gradients_around(problem: ProblemData) -> tuple[str, ...]:
    """Return the names of the gradients at what a block takes and makes around its attention.

    >>> from symattn.problem.model import Problem
    >>> keys = {"X": [[1]], "W_Q": [[1]], "W_K": [[1]], "W_V": [[1]], "gamma_1": [2]}
    >>> _gradients_around(Problem.build(**keys, block={"norm": "rms", "eps": 0}, gradient={"loss": "sum"}))
    ('dR_1', 'dN_1', 'dY_1', 'dgamma_1', 'dX_A')
    """
    block = problem.block
    if block is None:
        return ()
    made = [f"d{name}" for name in block_quantities(problem) if name.partition("_")[0] in _WITH_GRADIENT]
    given = [f"d{name}" for name in BLOCK_INPUTS if name in problem.inputs]
    beside = (*(("dF_0",) if "W_F1" in problem.inputs else ()), "dX_A") if block.residual else ()
    return (*made, *given, *beside)


def _check_start(problem: ProblemData, gradient: Gradient) -> None:
    """Refuse a backward pass that starts elsewhere than at an output of its problem.

    Raises:
        InputError: one sentence with the key and the remedy.
    """
    place = place_of(problem.source, "gradient")
    if problem.block is None:
        raise InputError(f"{place}: dY is the gradient at the output of a block, and there is none; give dO.")
    if gradient.dO is not None:
        raise InputError(f"{place}: with a block, dY is the gradient at its output; give it instead of dO.")
