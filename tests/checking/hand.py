"""Small works written as people write them: one problem, and every free choice of the writer at random.

The numbers are worked out here with fractions and mpmath, apart from the package. Every choice is harmless:
notation, names, order, the way to a number, the digits it is shown with.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from random import Random
from typing import Any, Literal, TypeAlias

import mpmath

Rows: TypeAlias = list[list[Fraction]]
Format: TypeAlias = Literal["tex", "md", "txt"]

_DIGITS = 40
_OPEN_LISTS = ("bmatrix", "pmatrix", "array", "rows", "semicolons")


@dataclass(frozen=True)
class Sheet:
    """A problem and its numbers.

    Attributes:
        tables: the problem file.
        given: the matrices that are given.
        scale: what the scores are divided by the root of; 1 for no scale.
    """

    tables: dict[str, Any]
    given: dict[str, Rows]
    scale: int

    @property
    def places(self) -> int:
        return int(self.tables.get("rounding", {}).get("places", 2))

    def rows(self, name: str) -> Rows:
        """X, W_Q …, Q, K, V or S, exactly."""
        if name in self.given:
            return self.given[name]
        if name == "S":
            return times(self.rows("Q"), turned(self.rows("K")))
        return times(self.given["X"], self.given[f"W_{name}"])

    def weights(self) -> list[list[Any]]:
        with mpmath.workdps(_DIGITS):
            root = mpmath.sqrt(self.scale)
            powers = [[mpmath.exp(_real(score) / root) for score in row] for row in self.rows("S")]
            return [[power / sum(row) for power in row] for row in powers]

    def outputs(self) -> list[list[Any]]:
        with mpmath.workdps(_DIGITS):
            columns = turned(self.rows("V"))
            return [
                [sum(a * _real(b) for a, b in zip(row, column, strict=True)) for column in columns]
                for row in self.weights()
            ]


def times(left: Rows, right: Rows) -> Rows:
    return [
        [sum((a * b for a, b in zip(row, column, strict=True)), Fraction(0)) for column in turned(right)]
        for row in left
    ]


def turned(rows: Rows) -> Rows:
    return [list(column) for column in zip(*rows, strict=True)]


def _real(value: Fraction) -> Any:
    return mpmath.mpf(value.numerator) / value.denominator


def sheet(random: Random) -> Sheet:
    """A problem of two or three tokens with small entries, with or without projections, a scale, a policy."""
    n, d_k, d_v = random.choice((2, 3)), random.choice((2, 2, 4)), 2
    d = random.choice((2, 3))

    def matrix(rows: int, columns: int) -> Rows:
        pool = [Fraction(number) for number in (-2, -1, 0, 1, 2, 3)] + [Fraction(1, 2), Fraction(-1, 2)]
        return [[random.choice(pool) for _ in range(columns)] for _ in range(rows)]

    if random.random() < 0.5:
        given = {"Q": matrix(n, d_k), "K": matrix(n, d_k), "V": matrix(n, d_v)}
    else:
        given = {"X": matrix(n, d), "W_Q": matrix(d, d_k), "W_K": matrix(d, d_k), "W_V": matrix(d, d_v)}
    scale = random.choice((1, d_k))
    tables: dict[str, Any] = {"scale": "none" if scale == 1 else "1/sqrt(d_k)"}
    if random.random() < 0.5:
        tables["rounding"] = {"places": 2, "steps": "end"}
    tables["inputs"] = {name: [[str(value) for value in row] for row in rows] for name, rows in given.items()}
    return Sheet(tables, given, scale)


# The writer ----------------------------------------------------------------------------------------


@dataclass
class Hand:
    """One person's habits, drawn at random, and what was done in this work.

    Attributes:
        sheet: the problem.
        random: decides everything.
        done: the rewritings that were used, for messages.
    """

    sheet: Sheet
    random: Random
    done: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        choose = self.random.choice
        self.form: Format = choose(("tex", "md", "txt"))
        self.is_plain = self.form == "txt"
        self.dot = choose((" * ", "*", " · ")) if self.is_plain else choose((r" \cdot ", r" \times ", "*"))
        self.top = (
            choose(("^T", "'")) if self.is_plain else choose(("^T", r"^\top", r"^{\top}", r"^{T}", r"^\intercal"))
        )
        self.matrix_style = (
            choose(("nested", "numpy", "semicolons"))
            if self.is_plain
            else choose(("bmatrix", "pmatrix", "array", "nested", "semicolons"))
        )
        self.number_style = choose(("fraction", "decimal"))
        self.places = self.sheet.places + choose((0, 0, 1, 2))
        self.scores = choose(("S", "scores", "z", "QK"))
        self.weights = choose(("A", "alpha", "weights"))
        self.outputs = choose(("O", "context", "output", "O"))
        self.done |= {
            self.form, f"matrices as {self.matrix_style}", f"product {self.dot.strip()}", f"transpose {self.top}",
            f"numbers as {self.number_style}", f"{self.places} places", f"S named {self.scores}",
            f"A named {self.weights}", f"O named {self.outputs}",
        }  # fmt: skip

    def chance(self, what: str, share: float = 0.4) -> bool:
        """Whether something is done in this work."""
        if self.random.random() < share:
            self.done.add(what)
            return True
        return False

    # Numbers ---------------------------------------------------------------------------------------

    def number(self, value: Fraction) -> str:
        if value.denominator == 1:
            return str(value.numerator)
        decimal = _terminating(value)
        if self.number_style == "decimal" and decimal is not None:
            return decimal
        sign, top = "-" if value < 0 else "", abs(value.numerator)
        return f"{sign}{top}/{value.denominator}" if self.is_plain else rf"{sign}\frac{{{top}}}{{{value.denominator}}}"

    def factor(self, value: Fraction) -> str:
        text = self.number(value)
        return f"({text})" if text.startswith("-") or "/" in text else text

    def rounded(self, value: Any, places: int | None = None) -> str:
        return rounded(value, self.places if places is None else places)

    # Matrices --------------------------------------------------------------------------------------

    def matrix(self, rows: list[list[str]]) -> str:
        match self.matrix_style:
            case "bmatrix" | "pmatrix" as name:
                body = r" \\ ".join(" & ".join(row) for row in rows)
                return rf"\begin{{{name}}} {body} \end{{{name}}}"
            case "array":
                body = r" \\ ".join(" & ".join(row) for row in rows)
                return rf"\left[\begin{{array}}{{{'c' * len(rows[0])}}} {body} \end{{array}}\right]"
            case "semicolons":
                return "[" + "; ".join(", ".join(row) for row in rows) + "]"
            case "numpy" if all("/" not in text for row in rows for text in row):
                return "[" + "\n ".join("[" + " ".join(text.rjust(6) for text in row) + "]" for row in rows) + "]"
        return "[" + ", ".join("[" + ", ".join(row) + "]" for row in rows) + "]"

    def exact(self, rows: Rows) -> str:
        return self.matrix([[self.number(value) for value in row] for row in rows])

    # Names -----------------------------------------------------------------------------------------

    def entry(self, name: str, i: int, j: int) -> str:
        """A name with two indices."""
        comma = "," if self.is_plain is False and self.chance("a comma between indices", 0.2) else ""
        pair = f"{i + 1}{comma}{j + 1}"
        if self.is_plain:
            return f"{name}_{pair}" if len(name) == 1 or name == "alpha" else f"{name}[{i + 1},{j + 1}]"
        head = {"alpha": r"\alpha", "scores": r"\text{scores}", "weights": r"\text{weights}", "QK": "QK"}.get(
            name, name
        )
        if head.isalpha() and len(head) > 2:
            head = rf"\text{{{head}}}"
        return f"{head}_{{{pair}}}"

    def whole(self, name: str) -> str:
        """A name without indices; the small letters of entries are large for the matrix."""
        name = {"z": "S", "QK": "S", "alpha": "A"}.get(name, name)
        return rf"\text{{{name}}}" if len(name) > 1 and not self.is_plain and "_" not in name else name

    # Lines -----------------------------------------------------------------------------------------

    def display(self, *sides: str, sign: str = "=") -> str:
        """A chain on one line, or its last link on a line of its own."""
        chain = f" {sign} ".join(sides[:-1])
        last = f"{sign} {sides[-1]}"
        is_broken = (
            len(sides) > 2 and "\n" not in "".join(sides) and self.chance("a chain goes on on the next line", 0.3)
        )
        match self.form:
            case "txt":
                return f"{chain}\n  {last}\n" if is_broken else f"{chain} {last}\n"
            case "tex" if is_broken:
                return rf"\begin{{align*}} {chain} \\ &{last} \end{{align*}}" + "\n"
            case "tex":
                return rf"\[ {chain} {last} \]" + "\n"
        return f"$${chain}$$\n$${last}$$\n" if is_broken else f"$${chain} {last}$$\n"

    def listed(self, chains: list[str]) -> str:
        """Several short statements: a list, an aligned block, or lines."""
        if self.form == "txt":
            return "\n".join(chains) + "\n"
        if self.form == "md" and self.chance("a Markdown list"):
            return "".join(f"- ${chain}$\n" for chain in chains) + "\n"
        if self.form == "md":
            return "".join(f"$${chain}$$\n" for chain in chains)
        body = " \\\\\n".join(chain.replace("=", "&=", 1) for chain in chains)
        return r"\begin{align*}" + f"\n{body}\n" + r"\end{align*}" + "\n"

    def heading(self, text: str) -> str:
        match self.form:
            case "tex":
                return rf"\section*{{{text}}}" + "\n"
            case "md":
                return f"## {text}\n\n"
        return f"{text}:\n"

    # Products --------------------------------------------------------------------------------------

    def dot_product(self, left: list[Fraction], right: list[Fraction]) -> list[str]:
        """The working of a sum of products, and perhaps its terms worked out."""
        pairs = list(zip(left, right, strict=True))
        if self.chance("terms in another order"):
            self.random.shuffle(pairs)
        if self.chance("factors in another order"):
            pairs = [(b, a) for a, b in pairs]
        kept = [pair for pair in pairs if pair[0] * pair[1]]
        if kept and self.chance("zero terms left out"):
            pairs = kept
        sides = [" + ".join(f"{self.factor(a)}{self.dot}{self.factor(b)}" for a, b in pairs)]
        if len(pairs) > 1 and self.chance("terms worked out"):
            sides.append(self.added([a * b for a, b in pairs]))
        return sides

    def added(self, terms: list[Fraction]) -> str:
        text = self.number(terms[0])
        for term in terms[1:]:
            text += f" - {self.number(-term)}" if term < 0 else f" + {self.number(term)}"
        return text

    def by_entries(self, name: str, left: Rows, right: Rows) -> str:
        """Every entry of a product with its working."""
        chains = []
        for i, row in enumerate(left):
            for j, column in enumerate(turned(right)):
                value = sum((a * b for a, b in zip(row, column, strict=True)), Fraction(0))
                sides = [self.entry(name, i, j), *self.dot_product(row, column), self.number(value)]
                if sides[-1] == sides[-2]:
                    sides.pop()
                chains.append(" = ".join(sides))
        return self.listed(chains)

    # The work --------------------------------------------------------------------------------------

    def work(self) -> str:
        parts = [self.projections(), self.score_part(), self.weight_part(), self.output_part()]
        return "\n".join(part for part in parts if part)

    def projections(self) -> str:
        if "X" not in self.sheet.given:
            return ""
        text = self.heading("Queries, keys and values")
        for name in "QKV":
            left, right = self.sheet.given["X"], self.sheet.given[f"W_{name}"]
            value = self.exact(self.sheet.rows(name))
            how = self.random.choice(("matrix", "product", "entries"))
            self.done.add(f"{name} by {how}")
            if how == "entries":
                text += self.by_entries(name, left, right)
            elif how == "product":
                text += self.display(name, f"X W_{name}", self.exact(left) + " " + self.exact(right), value)
            else:
                text += self.display(name, f"X W_{name}", value)
        return text

    def score_part(self) -> str:
        sheet = self.sheet
        queries, keys, scores = sheet.rows("Q"), sheet.rows("K"), sheet.rows("S")
        text = self.heading("Scores")
        how = self.random.choice(("matrix", "entries", "named product"))
        self.done.add(f"S by {how}")
        if how == "entries":
            text += self.by_entries(self.scores, queries, turned(keys))
        elif how == "named product":
            text += self.display(f"Q K{self.top}", self.exact(scores))
        else:
            text += self.display(self.whole(self.scores), f"Q K{self.top}", self.exact(scores))
        return text + (self.scaled_part() if sheet.scale > 1 else "")

    def scaled_part(self) -> str:
        """The scores divided by the root of d_k, in one of several ways."""
        root = mpmath.sqrt(self.sheet.scale)
        is_whole = self.sheet.scale == 4
        values = [[score / 2 for score in row] for row in self.sheet.rows("S")] if is_whole else None
        with mpmath.workdps(_DIGITS):
            shown = [[self.rounded(_real(score) / root) for score in row] for row in self.sheet.rows("S")]
        result = self.exact(values) if values is not None else self.matrix(shown)
        product = f"Q K{self.top}"
        root_text = f"sqrt({self.sheet.scale})" if self.is_plain else rf"\sqrt{{{self.sheet.scale}}}"
        named = "sqrt(d_k)" if self.is_plain else r"\sqrt{d_k}"
        ways: dict[str, str] = {
            "scaled: S / root": f"S/{root_text}" if self.is_plain else rf"\frac{{S}}{{{root_text}}}",
            "scaled: QK^T / sqrt(d_k)": f"({product})/{named}" if self.is_plain else rf"\frac{{{product}}}{{{named}}}",
            "scaled: a factor in front": f"(1/{root_text}) {product}"
            if self.is_plain
            else rf"\frac{{1}}{{{root_text}}} {product}",
            "queries scaled first": f"(Q/{root_text}) K{self.top}"
            if self.is_plain
            else rf"\left(\frac{{Q}}{{{root_text}}}\right) K{self.top}",
        }
        way = self.random.choice(list(ways))
        self.done.add(way)
        name = "S_scaled" if self.is_plain else r"S_{\text{scaled}}"
        return self.display(name, ways[way], result)

    # Weights ---------------------------------------------------------------------------------------

    def exponents(self, i: int) -> list[Fraction] | None:
        """The exponents of a row, where they are rational."""
        row = self.sheet.rows("S")[i]
        return row if self.sheet.scale == 1 else [score / 2 for score in row] if self.sheet.scale == 4 else None

    def power(self, exponent: Fraction) -> str:
        if self.is_plain:
            return f"exp({self.number(exponent)})"
        return rf"\exp({self.number(exponent)})" if self.way_of_powers == "exp" else f"e^{{{self.number(exponent)}}}"

    def weight_part(self) -> str:
        self.way_of_powers = self.random.choice(("e", "exp"))
        text = self.heading("Attention weights")
        weights = self.sheet.weights()
        shown = [[self.rounded(value) for value in row] for row in weights]
        source = "S_scaled" if self.is_plain else r"S_{\text{scaled}}"
        source = source if self.sheet.scale > 1 else "S"
        call = f"softmax({source})" if self.is_plain else rf"\operatorname{{softmax}}({source})"
        if self.exponents(0) is None or self.chance("weights as a matrix alone", 0.3):
            return text + self.display(self.whole(self.weights), call, self.matrix(shown))
        for i, row in enumerate(shown):
            exponents = self.exponents(i)
            assert exponents is not None
            text += self.listed([self.weight(i, j, exponents, digits) for j, digits in enumerate(row)])
        return text

    def weight(self, i: int, j: int, exponents: list[Fraction], digits: str) -> str:
        ways: dict[str, Callable[[list[Fraction], int], str]] = {
            "weights: quotient": self.quotient,
            "weights: shifted": self.shifted,
            "weights: one over": self.one_over,
        }
        way = self.random.choice(list(ways))
        self.done.add(way)
        sign = "≈" if self.is_plain else r"\approx"
        sign = "=" if self.chance("= for a rounded number") else sign
        return f"{self.entry(self.weights, i, j)} = {ways[way](exponents, j)} {sign} {digits}"

    def over(self, above: str, below: str) -> str:
        return f"{above}/({below})" if self.is_plain else rf"\frac{{{above}}}{{{below}}}"

    def quotient(self, exponents: list[Fraction], j: int) -> str:
        order = list(exponents)
        if self.chance("a denominator in another order"):
            self.random.shuffle(order)
        return self.over(self.power(exponents[j]), " + ".join(map(self.power, order)))

    def shifted(self, exponents: list[Fraction], j: int) -> str:
        """Every exponent less the largest; e^0 may be a 1."""
        largest = max(exponents)
        is_worked = self.chance("e^0 as 1")

        def power(exponent: Fraction) -> str:
            return "1" if exponent == largest and is_worked else self.power(exponent - largest)

        return self.over(power(exponents[j]), " + ".join(map(power, exponents)))

    def one_over(self, exponents: list[Fraction], j: int) -> str:
        rest = [self.power(other - exponents[j]) for k, other in enumerate(exponents) if k != j]
        return self.over("1", " + ".join(["1", *rest]))

    # Outputs ---------------------------------------------------------------------------------------

    def output_part(self) -> str:
        text = self.heading("Outputs")
        values = self.sheet.rows("V")
        exact = self.sheet.outputs()
        weights = [[self.rounded(value) for value in row] for row in self.sheet.weights()]
        carried = times([[Fraction(digits) for digits in row] for row in weights], values)
        is_carried = "rounding" not in self.sheet.tables and self.chance("outputs from rounded weights")
        result: list[list[Any]] = carried if is_carried else exact
        shown = [[self.rounded(value) for value in row] for row in result]
        name = "A V" if self.random.random() < 0.5 else f"{self.whole(self.weights)} V"
        how = self.random.choice(("matrix", "entries"))
        self.done.add(f"O by {how}")
        if how == "matrix":
            return text + self.display(self.whole(self.outputs), name, self.matrix(shown))
        sign = "≈" if self.is_plain else r"\approx"
        chains = []
        for i, row in enumerate(weights):
            for j, column in enumerate(turned(values)):
                pairs = list(zip(row, column, strict=True))
                if self.chance("terms in another order"):
                    self.random.shuffle(pairs)
                working = " + ".join(f"{a}{self.dot}{self.factor(b)}" for a, b in pairs)
                chains.append(f"{self.entry(self.outputs, i, j)} = {working} {sign} {shown[i][j]}")
        return text + self.listed(chains)


def _terminating(value: Fraction) -> str | None:
    for places in range(1, 5):
        scaled = value * 10**places
        if scaled.denominator == 1:
            digits = str(abs(scaled.numerator)).rjust(places + 1, "0")
            return f"{'-' if value < 0 else ''}{digits[:-places]}.{digits[-places:]}"
    return None


def rounded(value: Any, places: int) -> str:
    """A number to so many places, halves away from zero.

    >>> rounded(Fraction(-5, 2), 0), rounded(mpmath.mpf("0.1249"), 2), rounded(Fraction(-1, 1000), 2)
    ('-3', '0.12', '0.00')
    """
    if isinstance(value, Fraction):
        units = int(abs(value) * 10**places + Fraction(1, 2))
    else:
        with mpmath.workdps(_DIGITS):
            units = int(mpmath.floor(abs(value) * mpmath.mpf(10) ** places + mpmath.mpf("0.5")))
    digits = str(units).rjust(places + 1, "0")
    text = f"{digits[:-places]}.{digits[-places:]}" if places else digits
    return f"-{text}" if value < 0 and units else text
