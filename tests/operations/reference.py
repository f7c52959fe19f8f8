"""Every operation once more, from the cited equation, with mpmath alone: a second opinion on the table.

Matrices are lists of rows of mpmath numbers. An argument of a step is plain text, as in a record.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import mpmath
from mpmath import mp

Rows: TypeAlias = list[list[Any]]
Arguments: TypeAlias = Mapping[str, str]
Reference: TypeAlias = Callable[[list[Rows], Arguments], Rows]

mp.dps = 40


def turned(rows: Rows) -> Rows:
    return [list(column) for column in zip(*rows, strict=True)]


def by_rows(rows: Rows, arguments: Arguments, name: str = "axis") -> Rows:
    """A matrix laid so that its lines are rows; the same function lays it back."""
    return rows if arguments[name] == "rows" else turned(rows)


def flat(rows: Rows) -> list[Any]:
    return [number for row in rows for number in row]


def times(left: Rows, right: Rows) -> Rows:
    made = mpmath.matrix(left) * mpmath.matrix(right)
    return [[made[i, j] for j in range(made.cols)] for i in range(made.rows)]


def each(function: Callable[..., Any], *matrices: Rows) -> Rows:
    return [[function(*numbers) for numbers in zip(*rows, strict=True)] for rows in zip(*matrices, strict=True)]


def factors(operands: list[Rows], arguments: Arguments) -> tuple[Rows, Rows]:
    left = turned(operands[0]) if "left" in arguments else operands[0]
    return left, turned(operands[1]) if "right" in arguments else operands[1]


# Linear algebra -------------------------------------------------------------------------------------


def product(operands: list[Rows], arguments: Arguments) -> Rows:
    return times(*factors(operands, arguments))


def product_plus(operands: list[Rows], arguments: Arguments) -> Rows:
    made, added = product(operands, arguments), operands[2]
    if len(added) == 1 and len(added[0]) == len(made[0]):
        return [[x + b for x, b in zip(row, added[0], strict=True)] for row in made]
    return [[x + b for x in row] for row, (b,) in zip(made, added, strict=True)]


def products(operands: list[Rows], arguments: Arguments) -> Rows:
    number = operands[0][0][0] if len(operands) % 2 else 1
    laid = operands[len(operands) % 2 :]
    laid = [turned(m) if letter == "T" else m for m, letter in zip(laid, arguments["turned"], strict=True)]
    total = mpmath.matrix(len(laid[0]), len(laid[1][0]))
    for left, right in zip(laid[::2], laid[1::2], strict=True):
        total += mpmath.matrix(left) * mpmath.matrix(right)
    return [[number * total[i, j] for j in range(total.cols)] for i in range(total.rows)]


def norm(operands: list[Rows], arguments: Arguments) -> Rows:
    return [[mpmath.norm(mpmath.matrix(line))] for line in by_rows(operands[0], arguments)]


def cosine(operands: list[Rows], arguments: Arguments) -> Rows:
    left, right = factors(operands, arguments)
    rows, columns = flat(operands[2]), flat(operands[3])
    return [
        [None if not row * column else x / row / column for x, column in zip(line, columns, strict=True)]
        for line, row in zip(times(left, right), rows, strict=True)
    ]


def additive(operands: list[Rows], arguments: Arguments) -> Rows:
    queries, keys = factors(operands, arguments)
    weights = mpmath.matrix(flat(operands[2])).T
    return [
        [(weights * mpmath.matrix([mp.tanh(a + b) for a, b in zip(q, k, strict=True)]))[0] for k in turned(keys)]
        for q in queries
    ]


def spread(operands: list[Rows]) -> list[Rows]:
    """Both operands in the larger size, single rows and columns repeated."""
    height, width = max(map(len, operands)), max(len(rows[0]) for rows in operands)
    wide = [[row * (width // len(row)) for row in rows] for rows in operands]
    return [rows * (height // len(rows)) for rows in wide]


def plus(operands: list[Rows], _: Arguments) -> Rows:
    return each(lambda a, b: a + b, *spread(operands))


def difference(operands: list[Rows], _: Arguments) -> Rows:
    return each(lambda a, b: a - b, *spread(operands))


def entrywise(operands: list[Rows], _: Arguments) -> Rows:
    return each(lambda a, b: a * b, *spread(operands))


def entrywise_quotient(operands: list[Rows], _: Arguments) -> Rows:
    return each(lambda a, b: a / b if b else None, *spread(operands))


def mean(operands: list[Rows], _: Arguments) -> Rows:
    return each(lambda *numbers: mpmath.fsum(numbers) / len(numbers), *operands)


def scale(operands: list[Rows], _: Arguments) -> Rows:
    return each(lambda x: x * operands[0][0][0], operands[1])


def share(operands: list[Rows], arguments: Arguments) -> Rows:
    return each(lambda x: x / int(arguments["count"]), operands[0])


def part(operands: list[Rows], arguments: Arguments) -> Rows:
    chosen = slice(int(arguments["start"]) - 1, int(arguments["stop"]))
    return by_rows(by_rows(operands[0], arguments)[chosen], arguments)


def join(operands: list[Rows], arguments: Arguments) -> Rows:
    return by_rows([line for rows in operands for line in by_rows(rows, arguments)], arguments)


def total_line(operands: list[Rows], arguments: Arguments) -> Rows:
    return by_rows([[mpmath.fsum(column) for column in turned(by_rows(operands[0], arguments))]], arguments)


def total_dot(operands: list[Rows], arguments: Arguments) -> Rows:
    return total_line([entrywise(operands, arguments)], arguments)


def line_dot(operands: list[Rows], arguments: Arguments) -> Rows:
    lines = zip(*(by_rows(rows, arguments) for rows in operands), strict=True)
    return [[mpmath.fdot(a, b)] for a, b in lines]


# The softmax ----------------------------------------------------------------------------------------


def line_maximum(operands: list[Rows], arguments: Arguments) -> Rows:
    return [[max(line)] for line in by_rows(operands[0], arguments)]


def per_line(function: Callable[[Any, Any], Any], rows: Rows, numbers: Rows, arguments: Arguments) -> Rows:
    pairs = zip(by_rows(rows, arguments), flat(numbers), strict=True)
    return by_rows([[function(x, number) for x in line] for line, number in pairs], arguments)


def shift(operands: list[Rows], arguments: Arguments) -> Rows:
    return per_line(lambda x, m: x - m, operands[0], operands[1], arguments)


def exponential(operands: list[Rows], _: Arguments) -> Rows:
    return each(mp.exp, operands[0])


def line_sum(operands: list[Rows], arguments: Arguments) -> Rows:
    return [[mpmath.fsum(line)] for line in by_rows(operands[0], arguments)]


def line_sum_plus_one(operands: list[Rows], arguments: Arguments) -> Rows:
    return each(lambda x: x + 1, line_sum(operands, arguments))


def quotient(operands: list[Rows], arguments: Arguments) -> Rows:
    return per_line(lambda x, z: x / z if z else None, operands[0], operands[1], arguments)


def masked_quotient(operands: list[Rows], arguments: Arguments) -> Rows:
    made = by_rows(quotient(operands[:2], arguments), arguments)
    scores = by_rows(operands[2], arguments)
    empty = 0 if arguments["empty"] == "zeros" else mp.mpf(1) / len(scores[0])
    pairs = zip(made, scores, strict=True)
    filled = [[empty] * len(line) if set(own) == {-mp.inf} else line for line, own in pairs]
    return by_rows(filled, arguments)


def softmax(operands: list[Rows], arguments: Arguments) -> Rows:
    powers = exponential(operands, arguments)
    return quotient([powers, line_sum([powers], arguments)], arguments)


def softmax_gradient(operands: list[Rows], arguments: Arguments) -> Rows:
    """The transposed Jacobian diag(a) - a a^T of each line, with the dot that is given in place of a^T g."""
    weights, gradients, dots = by_rows(operands[0], arguments), by_rows(operands[1], arguments), flat(operands[2])
    lines = []
    for a, g, dot in zip(weights, gradients, dots, strict=True):
        own = mpmath.diag(a) * mpmath.matrix(g) - mpmath.matrix(a) * dot
        lines.append(list(own))
    return by_rows(lines, arguments)


def softcap(operands: list[Rows], _: Arguments) -> Rows:
    cap = operands[0][0][0]
    return each(lambda x: cap * mp.tanh(x / cap), operands[1])


def cap_gradient(operands: list[Rows], _: Arguments) -> Rows:
    """The derivative is sech^2 of the angle whose hyperbolic tangent the capped score over the cap is."""
    cap, number = operands[2][0][0], operands[3][0][0] if len(operands) > 3 else 1
    return each(lambda g, capped: number * g * mp.sech(mp.atanh(capped / cap)) ** 2, *operands[:2])


def mask(operands: list[Rows], _: Arguments) -> Rows:
    return each(lambda a, b: a + b, *operands)


def hide(operands: list[Rows], arguments: Arguments) -> Rows:
    seen = 1 if arguments["one"] == "seen" else 0
    return each(lambda bit: mp.zero if bit == seen else -mp.inf, operands[0])


# Norms ----------------------------------------------------------------------------------------------


def line_mean(operands: list[Rows], arguments: Arguments) -> Rows:
    return [[mpmath.fsum(line) / len(line)] for line in by_rows(operands[0], arguments)]


def line_variance(operands: list[Rows], arguments: Arguments) -> Rows:
    pairs = zip(by_rows(operands[0], arguments), flat(operands[1]), strict=True)
    return [[mpmath.fsum((x - m) ** 2 for x in line) / len(line)] for line, m in pairs]


def line_mean_square(operands: list[Rows], arguments: Arguments) -> Rows:
    return [[mpmath.fsum(line, squared=True) / len(line)] for line in by_rows(operands[0], arguments)]


def over_root(lines: Rows, variances: Rows, eps: list[Rows]) -> Rows:
    added = eps[0][0][0] if eps else 0
    pairs = zip(lines, flat(variances), strict=True)
    return [[x / mp.sqrt(v + added) if v + added else None for x in line] for line, v in pairs]


def standardise(operands: list[Rows], arguments: Arguments) -> Rows:
    rows, means, variances, *eps = operands
    return by_rows(over_root(by_rows(shift([rows, means], arguments), arguments), variances, eps), arguments)


def rms_norm(operands: list[Rows], arguments: Arguments) -> Rows:
    rows, squares, *eps = operands
    return by_rows(over_root(by_rows(rows, arguments), squares, eps), arguments)


def affine(operands: list[Rows], arguments: Arguments) -> Rows:
    lines, further = by_rows(operands[0], arguments), operands[1:]
    if "factor" in arguments["with"]:
        gamma = flat(further[0])
        lines = [[x * g for x, g in zip(line, gamma, strict=True)] for line in lines]
    if "term" in arguments["with"]:
        beta = flat(further[-1])
        lines = [[x + b for x, b in zip(line, beta, strict=True)] for line in lines]
    return by_rows(lines, arguments)


def line_mean_dot(operands: list[Rows], arguments: Arguments) -> Rows:
    return line_mean([entrywise(operands, arguments)], arguments)


def layer_norm_gradient(operands: list[Rows], arguments: Arguments) -> Rows:
    gradient, normed, means, dots, variances, *eps = operands
    taken = per_line(lambda n, d: n * d, normed, dots, arguments)
    centred = shift([gradient, means], arguments)
    return by_rows(over_root(by_rows(difference([centred, taken], {}), arguments), variances, eps), arguments)


def rms_norm_gradient(operands: list[Rows], arguments: Arguments) -> Rows:
    gradient, normed, dots, squares, *eps = operands
    taken = per_line(lambda n, d: n * d, normed, dots, arguments)
    return by_rows(over_root(by_rows(difference([gradient, taken], {}), arguments), squares, eps), arguments)


# Activations ----------------------------------------------------------------------------------------


def gelu(x: Any) -> Any:
    """Hendrycks and Gimpel 2016: x Phi(x)."""
    return x * mpmath.ncdf(x)


def gelu_tanh(x: Any) -> Any:
    return x / 2 * (1 + mp.tanh(mp.sqrt(2 / mp.pi) * (x + mp.mpf("0.044715") * x**3)))


ACTIVATIONS: Mapping[str, Callable[[Any], Any]] = {
    "relu": lambda x: x if x > 0 else mp.zero,
    "gelu": gelu,
    "gelu-tanh": gelu_tanh,
    "silu": lambda x: x / (1 + mp.exp(-x)),
}


def activation(operands: list[Rows], arguments: Arguments) -> Rows:
    return each(ACTIVATIONS[arguments["kind"]], operands[0])


def relu_gradient(operands: list[Rows], _: Arguments) -> Rows:
    return each(lambda g, x: g if x > 0 else mp.zero, *operands)


def slope(operands: list[Rows], arguments: Arguments) -> Rows:
    return each(lambda x: mpmath.diff(ACTIVATIONS[arguments["kind"]], x), operands[0])


# Positions ------------------------------------------------------------------------------------------


def members(length: int, pairs: str) -> list[tuple[int, int]]:
    """The two entries of each pair."""
    if pairs == "adjacent":
        return [(k, k + 1) for k in range(0, length, 2)]
    return [(k, k + length // 2) for k in range(length // 2)]


def angles(operands: list[Rows], arguments: Arguments) -> Rows:
    """The position of each token over the powers 0, 2/d, 4/d, ... of the base."""
    above, _, below = arguments["base"].partition("/")
    base, lines = mp.mpf(above) / mp.mpf(below or 1), by_rows(operands[0], arguments)
    length = len(lines[0])
    made = [
        [position / base ** (mp.mpf(k) / length) for k in range(0, length, 2)]
        for position, _ in enumerate(lines, int(arguments["start"]))
    ]
    return by_rows(made, arguments)


def sinusoid(operands: list[Rows], arguments: Arguments) -> Rows:
    lines = []
    for angles in by_rows(operands[0], arguments):
        line = [mp.nan] * (2 * len(angles))
        for (first, second), angle in zip(members(len(line), arguments["pairs"]), angles, strict=True):
            line[first], line[second] = mp.sin(angle), mp.cos(angle)
        lines.append(line)
    return by_rows(lines, arguments)


def rotated(operands: list[Rows], arguments: Arguments, way: int) -> Rows:
    """Each pair as a complex number times e to i times its angle."""
    lines = []
    for token, angles in zip(*(by_rows(rows, arguments) for rows in operands), strict=True):
        line = list(token)
        for (first, second), angle in zip(members(len(line), arguments["pairs"]), angles, strict=True):
            made = mp.mpc(line[first], line[second]) * mp.expj(way * angle)
            line[first], line[second] = made.real, made.imag
        lines.append(line)
    return by_rows(lines, arguments)


def rotate(operands: list[Rows], arguments: Arguments) -> Rows:
    return rotated(operands, arguments, 1)


def rotate_back(operands: list[Rows], arguments: Arguments) -> Rows:
    return rotated(operands, arguments, -1)


# Block by block -------------------------------------------------------------------------------------


def block(rows: Rows, arguments: Arguments) -> Rows:
    return [line[int(arguments["start"]) - 1 : int(arguments["stop"])] for line in by_rows(rows, arguments)]


def running_maximum(operands: list[Rows], arguments: Arguments) -> Rows:
    before = flat(operands[1]) if len(operands) > 1 else [-mp.inf] * len(operands[0]) * len(operands[0][0])
    return [[max(m, *line)] for line, m in zip(block(operands[0], arguments), before, strict=False)]


def running_sum(operands: list[Rows], arguments: Arguments) -> Rows:
    largest = flat(operands[1])
    earlier = operands[2:] or [[[0]] * len(largest), [[0]] * len(largest)]
    lines = zip(block(operands[0], arguments), largest, flat(earlier[0]), flat(earlier[1]), strict=True)
    return [[total * mp.exp(old - m) + mpmath.fsum(mp.exp(s - m) for s in line)] for line, m, total, old in lines]


def running_output(operands: list[Rows], arguments: Arguments) -> Rows:
    largest = flat(operands[2])
    chosen = slice(int(arguments["start"]) - 1, int(arguments["stop"]))
    values = by_rows(operands[1], arguments, "side")[chosen]
    powers = [[mp.exp(s - m) for s in line] for line, m in zip(block(operands[0], arguments), largest, strict=True)]
    made = times(powers, values)
    if len(operands) > 3:
        before, old = by_rows(operands[3], arguments, "side"), flat(operands[4])
        kept = [[x * mp.exp(a - b) for x in line] for line, a, b in zip(before, old, largest, strict=True)]
        made = plus([made, kept], arguments)
    return by_rows(made, arguments, "side")


def softmax_over(operands: list[Rows], arguments: Arguments) -> Rows:
    more = 1 if "more" in arguments else 0
    if arguments["over"] == "all":
        total = mpmath.fsum(map(mp.exp, flat(operands[0]))) + more
        return each(lambda x: mp.exp(x) / total, operands[0])
    lines = by_rows(operands[0], arguments, "over")
    made = [[mp.exp(x) / (mpmath.fsum(map(mp.exp, line)) + more) for x in line] for line in lines]
    return by_rows(made, arguments, "over")


def mask_where(operands: list[Rows], arguments: Arguments) -> Rows:
    hidden = 0 if arguments["one"] == "seen" else 1
    return each(lambda x, bit: -mp.inf if bit == hidden else x, *spread(operands))


# Losses ---------------------------------------------------------------------------------------------


def loss(operands: list[Rows], arguments: Arguments) -> Rows:
    if arguments["loss"] == "sum":
        return [[mpmath.fsum(flat(operands[0]))]]
    outputs, targets = map(flat, operands)
    if arguments["loss"] == "squared":
        return [[mpmath.norm(mpmath.matrix(outputs) - mpmath.matrix(targets)) ** 2 / 2]]
    return [[-mp.log(mpmath.fprod(y for y, label in zip(outputs, targets, strict=True) if label))]]


def written(operands: list[Rows], _: Arguments) -> Rows:
    """Of the one sheet that is drawn: twice the first entry and the second, their product, their quotient."""
    first, second = flat(operands[0])[:2]
    return [[2 * first - second, first * second], [first / second if second else None, mp.exp(first)]]


REFERENCES: Mapping[str, Reference] = {
    "product": product,
    "product-plus": product_plus,
    "products": products,
    "norm": norm,
    "cosine": cosine,
    "additive": additive,
    "sum": plus,
    "difference": difference,
    "entrywise": entrywise,
    "entrywise-quotient": entrywise_quotient,
    "mean": mean,
    "scale": scale,
    "share": share,
    "part": part,
    "join": join,
    "total-line": total_line,
    "total-dot": total_dot,
    "line-dot": line_dot,
    "line-maximum": line_maximum,
    "shift": shift,
    "exponential": exponential,
    "line-sum": line_sum,
    "line-sum-plus-one": line_sum_plus_one,
    "quotient": quotient,
    "masked-quotient": masked_quotient,
    "softmax": softmax,
    "softmax-over": softmax_over,
    "softmax-gradient": softmax_gradient,
    "softcap": softcap,
    "cap-gradient": cap_gradient,
    "mask": mask,
    "hide": hide,
    "mask-where": mask_where,
    "line-mean": line_mean,
    "line-variance": line_variance,
    "line-mean-square": line_mean_square,
    "standardise": standardise,
    "rms-norm": rms_norm,
    "affine": affine,
    "line-mean-dot": line_mean_dot,
    "layer-norm-gradient": layer_norm_gradient,
    "rms-norm-gradient": rms_norm_gradient,
    "activation": activation,
    "relu-gradient": relu_gradient,
    "gelu-slope": slope,
    "silu-slope": slope,
    "sinusoid": sinusoid,
    "angles": angles,
    "rotate": rotate,
    "rotate-back": rotate_back,
    "running-maximum": running_maximum,
    "running-sum": running_sum,
    "running-output": running_output,
    "loss": loss,
    "written": written,
}
