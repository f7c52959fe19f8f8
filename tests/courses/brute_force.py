"""The constraints of variants once more, from their definitions, with fractions and mpmath alone.

It knows one layer of attention over rows, plain or causal, with X and weights or with Q, K and V, and reads the variant
and its design as TOML. Nothing here comes from the package that drew the variant.
"""

from __future__ import annotations

import operator
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from functools import partial, reduce
from typing import Any

import mpmath

DIGITS = 60

Number = Any
Rows = list[list[Number]]

HIDDEN = None
MATRICES = {"projections": "QKV", "scores": ("S", "S_scaled", "S_masked"), "weights": "A", "outputs": "O"}
ALL = {**MATRICES, "exponentials": "E", "row_sums": "Z"}


def failures(variant: str, design: str) -> list[str]:
    """Return the constraints of a design that a variant does not meet."""
    with mpmath.workdps(DIGITS):
        return list(_Judge(_load(variant), _load(design)).failures())


def distance(first: str, second: str) -> int:
    """Return the number of input entries in which two variants differ."""
    one, other = (_load(text)["inputs"] for text in (first, second))
    pairs = (
        pair for name in one for rows in zip(one[name], other[name], strict=True) for pair in zip(*rows, strict=True)
    )
    return sum(Fraction(a) != Fraction(b) for a, b in pairs)


def _load(text: str) -> dict[str, Any]:
    return tomllib.loads(text, parse_float=Fraction)


def mixed(operation: Callable[[Number, Number], Number], a: Number, b: Number) -> Number:
    """Return the result of an operation: exact for two fractions."""
    is_exact = isinstance(a, Fraction) and isinstance(b, Fraction)
    return operation(a, b) if is_exact else operation(real(a), real(b))


plus, by, over = (partial(mixed, operation) for operation in (operator.add, operator.mul, operator.truediv))


def total(numbers: Iterable[Number]) -> Number:
    return reduce(plus, numbers)


def times(a: Rows, b: Rows, each: Callable[[Number], Number] = lambda number: number) -> Rows:
    columns = turned(b)
    return [[total(each(by(x, y)) for x, y in zip(row, column, strict=True)) for column in columns] for row in a]


def turned(a: Rows) -> Rows:
    return [list(column) for column in zip(*a, strict=True)]


def real(number: Number) -> Number:
    return mpmath.mpf(number.numerator) / number.denominator if isinstance(number, Fraction) else number


def exp(number: Number) -> Number:
    if number is HIDDEN:
        return Fraction(0)
    return Fraction(1) if number == 0 else mpmath.exp(real(number))


class _Judge:
    def __init__(self, problem: Mapping[str, Any], design: Mapping[str, Any]) -> None:
        self.inputs = {
            name: [[Fraction(number) for number in row] for row in rows] for name, rows in problem["inputs"].items()
        }
        self.wanted = design["variants"]
        self.places = problem["rounding"]["places"]
        steps = problem["rounding"].get("steps", "end")
        self.rounds_products = steps == "all"
        self.is_causal = problem.get("mask") == "causal"
        self.has_scale = problem.get("scale") != "none"
        names = (ALL if steps == "all" else MATRICES).values()
        self.rounded = [name for group in names for name in group]
        asked = [
            word
            for part in problem["parts"]
            for word in ([part["asks"]] if isinstance(part["asks"], str) else part["asks"])
        ]
        self.answers = [name for word in asked for name in {"scores": "S", "map": "A", "outputs": "O"}[word]]

    # Numbers -----------------------------------------------------------------------------------------

    def round(self, number: Number) -> Fraction:
        """Return a number rounded to the places of the sheet, ties away from 0."""
        scaled = (
            abs(number) * 10**self.places + Fraction(1, 2)
            if isinstance(number, Fraction)
            else (abs(number) * 10**self.places + mpmath.mpf("0.5"))
        )
        index = scaled.numerator // scaled.denominator if isinstance(scaled, Fraction) else int(mpmath.floor(scaled))
        return Fraction(index if number > 0 else -index, 10**self.places)

    def layer(self, mistake: str, *, by_steps: bool) -> tuple[dict[str, Rows], list[Number]]:
        """Return all numbers before they are rounded, and the products that are rounded."""
        found: dict[str, Rows] = {}
        products: list[Number] = []

        def kept(name: str, rows: Rows) -> Rows:
            found[name] = rows
            if not by_steps or name not in self.rounded:
                return rows
            return [[number if number is HIDDEN else self.round(number) for number in row] for row in rows]

        def product(number: Number) -> Number:
            if by_steps and self.rounds_products:
                products.append(number)
                return self.round(number)
            return number

        def projected(name: str) -> Rows:
            if name in self.inputs:
                return self.inputs[name]
            weights = self.inputs[f"W_{name}"]
            return kept(
                name, times(self.inputs["X"], turned(weights) if mistake == f"turned {name}" else weights, product)
            )

        q, k, v = map(projected, "QKV")
        scores = kept("S", times(q, turned(k), product))
        if self.has_scale:
            factor = self.factor(mistake, len(q[0]))
            scores = kept("S_scaled", [[by(number, factor) if number else number for number in row] for row in scores])
        if self.is_causal:
            scores = kept(
                "S_masked", [[n if j <= i else HIDDEN for j, n in enumerate(row)] for i, row in enumerate(scores)]
            )
        e = kept("E", [[exp(number) for number in row] for row in scores])
        z = kept("Z", [[total(row)] for row in e])
        if mistake == "columns":
            e = [[exp(number) for number in row] for row in scores]
            sums = [total(column) for column in turned(e)]
            a = kept("A", [[over(number, sums[j]) for j, number in enumerate(row)] for row in e])
        elif mistake == "not normalised":
            a = kept("A", e)
        else:
            a = kept("A", [[over(number, z[i][0]) for number in row] for i, row in enumerate(e)])
        kept("O", times(turned(a) if mistake == "turned A" else a, v, product))
        return found, products

    def factor(self, mistake: str, d_k: int) -> Number:
        root = mpmath.sqrt(d_k)
        known = {"no scale": Fraction(1), "inverted scale": root, "d_k": Fraction(1, d_k)}
        known |= {f"size {size}": 1 / mpmath.sqrt(size) for size in self.sizes(d_k)}
        return known.get(mistake, 1 / root)

    def sizes(self, d_k: int) -> list[int]:
        shapes = {size for rows in self.inputs.values() for size in (len(rows), len(rows[0]))}
        return sorted(size for size in shapes if size > 1 and size not in (d_k, d_k * d_k))

    # Constraints -------------------------------------------------------------------------------------

    def failures(self) -> Iterator[str]:
        both = [self.layer("", by_steps=by_steps) for by_steps in (False, True)]
        right = [self.printed(numbers) for numbers, _ in both]
        tests: dict[str, Callable[[], bool]] = {
            "size": partial(self.has_size, both[0][0]),
            "weights": partial(self.has_weights, both[0][0]["A"]),
            "rows_sum": lambda: all(sum(row) == 1 for pages in right for row in pages["A"]),
            "distinct": lambda: all(map(self.is_distinct, right)),
            "margin": lambda: all(self.is_clear(number) for found in both for number in self.boundaries(*found)),
            "policies": lambda: self.agrees(*right),
            "telling": partial(self.is_telling, right),
        }
        yield from (name for name, test in tests.items() if name in self.wanted and not test())

    def printed(self, numbers: Mapping[str, Rows]) -> dict[str, Rows]:
        return {
            name: [[n if n is HIDDEN else self.round(n) for n in row] for row in rows] for name, rows in numbers.items()
        }

    def has_size(self, numbers: Mapping[str, Rows]) -> bool:
        size = self.wanted["size"]
        exact = [number for name in "QKVS" for row in numbers.get(name, []) for number in row]
        return all(abs(n.numerator) <= size["numerator"] and n.denominator <= size["denominator"] for n in exact)

    def has_weights(self, weights: Rows) -> bool:
        low, high = (real(Fraction(end)) for end in self.wanted["weights"])
        return all(low <= real(number) <= high for row in weights for number in row if number != 0)

    def seen(self, row: list[Number], i: int) -> list[Number]:
        return row[: i + 1] if self.is_causal else row

    def is_distinct(self, pages: Mapping[str, Rows]) -> bool:
        lines = [self.seen(row, i) for i, row in enumerate(pages["A"])]
        wanted = self.wanted["distinct"]
        return (
            ("weights" not in wanted or all(len(set(line)) == len(line) for line in lines))
            and ("influential" not in wanted or all(line.count(max(line)) == 1 for line in lines))
            and ("rows" not in wanted or len(set(map(tuple, pages["A"]))) == len(pages["A"]))
        )

    def boundaries(self, numbers: Mapping[str, Rows], products: list[Number]) -> Iterator[Number]:
        yield from products
        for name in self.rounded:
            yield from (number for row in numbers.get(name, []) for number in row if number is not HIDDEN)

    def is_clear(self, number: Number) -> bool:
        margin = Fraction(self.wanted["margin"].split()[0])
        if isinstance(number, Fraction):
            above = (number * 10**self.places + Fraction(1, 2)) % 1
            return bool(min(above, 1 - above) >= margin)
        scaled = number * 10**self.places + mpmath.mpf("0.5")
        above = scaled - mpmath.floor(scaled)
        return bool(min(above, 1 - above) >= real(margin))

    def agrees(self, end: Mapping[str, Rows], steps: Mapping[str, Rows]) -> bool:
        is_same = all(end[name] == steps[name] for name in self.answers)
        return bool(is_same == (self.wanted["policies"] == "agree"))

    def mistakes(self) -> list[str]:
        names = [f"turned {name}" for name in "QKV"] if "S" in self.answers else ["turned V"]
        d_k = len(self.inputs["W_K"][0])
        return [
            *names, "no scale", "inverted scale", "d_k", *(f"size {size}" for size in self.sizes(d_k)), "columns",
            "not normalised", "turned A",
        ]  # fmt: skip

    def is_telling(self, right: list[dict[str, Rows]]) -> bool:
        known: dict[tuple[str, str], str] = {}
        for mistake in self.mistakes():
            for number, by_steps in enumerate((False, True)):
                pages = self.printed(self.layer(mistake, by_steps=by_steps)[0])
                if self.wanted["telling"] == "all":
                    if all(pages[name] == right[number][name] for name in self.answers):
                        return False
                    continue
                for name in changed_by(mistake):
                    page = pages[name]
                    if known.setdefault((name, str(page)), mistake) != mistake:
                        return False
                    if any(is_rearranged(page, own[name]) for own in right):
                        return False
        return True


def changed_by(mistake: str) -> tuple[str, ...]:
    """Return the rounded quantities that a mistake changes."""
    order = ("S", "S_scaled", "A", "O")
    if mistake in {"turned Q", "turned K"}:
        return (mistake[-1], *order)
    if mistake == "turned V":
        return "V", "O"
    if mistake == "turned A":
        return ("O",)
    return order[2:] if mistake in {"columns", "not normalised"} else order[1:]


def is_rearranged(page: Rows, right: Rows) -> bool:
    pairs = [pair for rows in zip(page, right, strict=True) for pair in zip(*rows, strict=True)]
    changed = [(one, other) for one, other in pairs if one != other]
    return (
        not changed
        or changed[0][0] == -changed[0][1]
        or (len(changed) == 2 and changed[0] == changed[1][::-1])
        or page == turned(right)
        or any(row != own and row in right for row, own in zip(page, right, strict=True))
    )
