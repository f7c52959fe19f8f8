"""Layers and blocks in mpmath at 60 digits, with their gradients by reverse-mode differentiation.

Each number remembers what it was made of and its partial derivatives; going back from the loss adds up products of
these (Griewank and Walther 2008, section 3.2). Nothing here is shared with the program.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, TypeAlias

import mpmath

CTX = mpmath.mp.clone()
CTX.dps = 60


class Number:
    """A number with the numbers that it was made of, and the partial derivatives by them."""

    def __init__(self, value: Any, made_of: Sequence[tuple[Number, Any]] = ()) -> None:
        self.value = CTX.mpf(value.numerator) / value.denominator if isinstance(value, Fraction) else CTX.mpf(value)
        self.made_of = made_of
        self.slope = CTX.mpf(0)

    def __add__(self, other: Number) -> Number:
        return Number(self.value + other.value, [(self, 1), (other, 1)])

    def __sub__(self, other: Number) -> Number:
        return Number(self.value - other.value, [(self, 1), (other, -1)])

    def __mul__(self, other: Number) -> Number:
        return Number(self.value * other.value, [(self, other.value), (other, self.value)])

    def __truediv__(self, other: Number) -> Number:
        value = self.value / other.value
        return Number(value, [(self, 1 / other.value), (other, -value / other.value)])

    def apply(self, function: Any, derivative: Any) -> Number:
        return Number(function(self.value), [(self, derivative(self.value))])

    def exp(self) -> Number:
        return self.apply(CTX.exp, CTX.exp)

    def log(self) -> Number:
        return self.apply(CTX.log, lambda x: 1 / x)

    def sqrt(self) -> Number:
        return self.apply(CTX.sqrt, lambda x: 1 / (2 * CTX.sqrt(x)))

    def relu(self) -> Number:
        return self.apply(lambda x: max(x, CTX.mpf(0)), lambda x: int(x > 0))

    def gelu(self) -> Number:
        """Return x Φ(x), whose derivative is Φ(x) + x φ(x)."""
        return self.apply(lambda x: x * CTX.ncdf(x), lambda x: CTX.ncdf(x) + x * CTX.npdf(x))

    def back(self) -> None:
        """Add to the slopes of all that the number was made of."""
        order: list[Number] = []
        seen: set[int] = set()

        def visit(number: Number) -> None:
            if id(number) not in seen:
                seen.add(id(number))
                for source, _ in number.made_of:
                    visit(source)
                order.append(number)

        visit(self)
        self.slope = CTX.mpf(1)
        for number in reversed(order):
            for source, partial in number.made_of:
                source.slope += number.slope * partial


Rows: TypeAlias = list[list[Number]]


def numbers(rows: Sequence[Sequence[Any]]) -> Rows:
    return [[Number(Fraction(entry)) for entry in row] for row in rows]


def total(items: Sequence[Number]) -> Number:
    found = items[0]
    for item in items[1:]:
        found = found + item
    return found


def product(left: Rows, right: Rows) -> Rows:
    columns = list(zip(*right, strict=True))
    return [[total([a * b for a, b in zip(row, column, strict=True)]) for column in columns] for row in left]


def plus(left: Rows, right: Rows) -> Rows:
    return [[a + b for a, b in zip(p, q, strict=True)] for p, q in zip(left, right, strict=True)]


def softmax(row: Sequence[Number]) -> list[Number]:
    powers = [score.exp() for score in row]
    below = total(powers)
    return [power / below for power in powers]


def attention(queries: Rows, keys: Rows, values: Rows) -> tuple[Rows, Rows]:
    """Return weights and outputs: softmax(Q K^T/sqrt(d_k)) V (Vaswani et al. 2017, eq. 1)."""
    root = Number(CTX.sqrt(len(keys[0])))
    scores = [[score / root for score in row] for row in product(queries, [list(c) for c in zip(*keys, strict=True)])]
    weights = [softmax(row) for row in scores]
    return weights, product(weights, values)


def multi_head(tokens: Rows, inputs: dict[str, Rows], heads: int, turn: Any = None) -> tuple[list[Rows], Rows]:
    """Return the weights of each head, and the output: heads side by side, times W_O where there is one."""
    made = {letter: product(tokens, inputs[f"W_{letter}"]) for letter in "QKV"}
    weights, outputs = [], []
    for head in range(heads):
        parts = {}
        for letter, rows in made.items():
            size = len(rows[0]) // heads
            part = [row[head * size : (head + 1) * size] for row in rows]
            parts[letter] = part if turn is None or letter == "V" else turn(part)
        own, output = attention(parts["Q"], parts["K"], parts["V"])
        weights.append(own)
        outputs.append(output)
    joined = [[entry for output in outputs for entry in output[i]] for i in range(len(tokens))]
    return weights, product(joined, inputs["W_O"]) if "W_O" in inputs else joined


def angle(base: Fraction, position: int, pair: int, length: int) -> Any:
    """Return p/b^(2i/d) (Vaswani et al. 2017, section 3.5)."""
    return position / (CTX.mpf(base.numerator) / base.denominator) ** (CTX.mpf(2 * pair) / length)


def with_sinusoids(tokens: Rows, base: Fraction) -> Rows:
    functions = CTX.sin, CTX.cos
    length = len(tokens[0])
    return [
        [entry + Number(functions[j % 2](angle(base, p, j // 2, length))) for j, entry in enumerate(row)]
        for p, row in enumerate(tokens)
    ]


def rotated(rows: Rows, base: Fraction) -> Rows:
    """Return each pair of entries turned by its angle (Su et al. 2021, eq. 34)."""
    found = []
    for p, row in enumerate(rows):
        line: list[Number] = []
        for pair in range(len(row) // 2):
            x, y, turn = row[2 * pair], row[2 * pair + 1], angle(base, p, pair, len(row))
            cosine, sine = Number(CTX.cos(turn)), Number(CTX.sin(turn))
            line += [x * cosine - y * sine, x * sine + y * cosine]
        found.append(line)
    return found


def normed(rows: Rows, kind: str, eps: Fraction) -> Rows:
    found = []
    for row in rows:
        count = Number(len(row))
        mean = total(row) / count if kind == "layer" else Number(0)
        spread = total([(x - mean) * (x - mean) for x in row]) / count
        below = (spread + Number(eps)).sqrt()
        found.append([(x - mean) / below for x in row])
    return found


def block(tokens: Rows, inputs: dict[str, Rows], keys: dict[str, Any]) -> Rows:
    """Return a post-norm block: attention and a network, each with a residual sum and a norm behind it."""
    _, output = multi_head(tokens, inputs, keys.get("heads", 1))
    tokens = normed(plus(tokens, output), keys["norm"], Fraction(keys["eps"]))
    hidden = product(tokens, inputs["W_F1"])
    hidden = [[x.relu() if keys["activation"] == "relu" else x.gelu() for x in row] for row in hidden]
    return normed(plus(tokens, product(hidden, inputs["W_F2"])), keys["norm"], Fraction(keys["eps"]))


def loss(outputs: Rows, gradient: dict[str, Any]) -> Number:
    """Return the loss that a problem names, or the sum of the outputs times what is given as dO or dY."""
    flat = [entry for row in outputs for entry in row]
    if gradient.get("loss") == "squared":
        aims = [entry for row in numbers(gradient["target"]) for entry in row]
        return total([(a - b) * (a - b) for a, b in zip(flat, aims, strict=True)]) / Number(2)
    if gradient.get("loss") == "cross-entropy":
        chances = [softmax(row)[label - 1] for row, label in zip(outputs, gradient["labels"], strict=True)]
        return Number(0) - total([chance.log() for chance in chances])
    if gradient.get("loss") == "sum":
        return total(flat)
    weights = [entry for row in numbers(gradient.get("dO") or gradient["dY"]) for entry in row]
    return total([a * b for a, b in zip(flat, weights, strict=True)])
