"""A class made for tests: a roster, a variant for each student, and works of every kind with the marks they earn.

The numbers come from `math` and the marks from the scheme by hand: nine weights and six outputs, one point each, half
for the working and half for the value.
"""

from __future__ import annotations

import csv
import json
import math
import random
import tomllib
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from pathlib import Path
from typing import Self, TypeAlias

from tests.cli.runner import run

Matrix: TypeAlias = list[list[int]]
Values: TypeAlias = list[list[float]]

TOKENS, WIDTH = 3, 2
POINTS = TOKENS * TOKENS + TOKENS * WIDTH

WORDS = {
    "en": ("Scores", "Attention weights", "Outputs"),
    "de": ("Skalarprodukte", "Aufmerksamkeitsgewichte", "Ausgabe"),
    "fr": ("Scores", "Poids d'attention", "Sortie"),
    "es": ("Puntuaciones", "Pesos de atención", "Salida"),
    "tr": ("Skorlar", "Dikkat ağırlıkları", "Çıktı"),
}
"""Headings in five languages."""

SHEET = """\
title = "Attention by hand"
scale = "none"

[inputs]
Q = [[1, 0], [0, 1], [1, 1]]
K = [[1, 1], [0, 2], [1, 0]]
V = [[1, 2], [3, 1], [0, 1]]

[rounding]
places = 2

[[parts]]
asks = "map"
points = 9

[[parts]]
asks = "outputs"
points = 6

[variants]
vary.Q = [-2, -1, 0, 1, 2]
vary.K = [-2, -1, 0, 1, 2]
vary.V = [-2, -1, 0, 1, 2]
weights = [0.05, 0.9]
margin = "0.05 unit"
policies = "differ"
size = {numerator = 3, denominator = 1}
apart = 3
"""

KINDS = (
    "right", "right", "right", "carried", "weight", "output", "score", "bare", "unfinished", "swapped", "empty",
    "noise", "bytes", "pdf", "none", "two",
)  # fmt: skip
"""Kinds of works, in turn; `carried` goes on with rounded weights, `bare` shows no working."""

FORMATS = ("md", "tex", "txt", "ipynb")


@dataclass
class Numbers:
    """Numbers of one variant, and those that a student writes."""

    Q: Matrix
    K: Matrix
    V: Matrix

    @property
    def S(self) -> Matrix:
        return [[sum(a * b for a, b in zip(q, k, strict=True)) for k in self.K] for q in self.Q]

    @classmethod
    def read(cls, path: Path) -> Self:
        inputs = tomllib.loads(path.read_text("utf-8"))["inputs"]
        return cls(inputs["Q"], inputs["K"], inputs["V"])


@dataclass
class Member:
    """A student of the class, and what is expected of the work."""

    id: str
    login: str
    name: str
    variant: str
    numbers: Numbers
    kind: str
    marks: Fraction | None
    language: str = "en"
    format: str = "md"
    mistake: str = ""
    neighbour: str = ""


@dataclass
class Class:
    """A class on the disk."""

    folder: Path
    members: list[Member] = field(default_factory=list)

    def arguments(self, output: str | Path) -> list[str]:
        names = ("problem.toml", "works", "roster.csv", "variants.csv")
        problem, works, roster, variants = (str(self.folder / name) for name in names)
        return ["grade", problem, works, "--roster", roster, "--variants", variants, "-o", str(output)]


def rounded(value: float) -> str:
    text = str(Decimal(repr(value)).quantize(Decimal("0.01"), ROUND_HALF_UP))
    return text.removeprefix("-") if float(text) == 0 else text


def softmax(scores: Matrix) -> Values:
    rows = [[math.exp(score) for score in row] for row in scores]
    return [[value / sum(row) for value in row] for row in rows]


def times(weights: Values, V: Matrix) -> Values:
    return [[sum(w * v[column] for w, v in zip(row, V, strict=True)) for column in range(WIDTH)] for row in weights]


def _is_clear(value: float) -> bool:
    """Whether no rounding of a value is near a tie, where floats cannot tell."""
    return abs(value * 100 % 1 - 0.5) > 0.02


def _is_clear_with(numbers: Numbers, row: int, column: int) -> bool:
    """Whether one score more leaves a line that is not even, and no rounding near a tie."""
    S = [list(line) for line in numbers.S]
    S[row][column] += 1
    weights = softmax(S)
    cells = [*weights[row], *times(weights, numbers.V)[row]]
    return len(set(S[row])) > 1 and all(map(_is_clear, cells))


# Works ---------------------------------------------------------------------------------------------


def work(member: Member, chance: random.Random) -> str:
    """The formulas of a work, a line each, in plain notation that LaTeX reads too; sets the mistake of the member."""
    own = member.numbers
    S = [list(row) for row in own.S]
    row, column = chance.randrange(TOKENS), chance.randrange(TOKENS)
    if member.kind == "score":
        places = [(i, j) for i in range(TOKENS) for j in range(TOKENS) if _is_clear_with(own, i, j)]
        if not places:
            member.kind = "weight"
        else:
            row, column = places[0]
            S[row][column] += 1
            member.mistake = f"S[{row + 1},{column + 1}]"
    weights = softmax(S)
    if member.kind == "carried":
        weights = [[float(rounded(value)) for value in line] for line in weights]
    shown = [[rounded(value) for value in line] for line in weights]
    values: Values = [list(line) for line in weights]
    if member.kind == "weight":
        shown[row][column] = rounded(weights[row][column] + 0.07)
        values[row] = [float(text) for text in shown[row]]
        member.mistake = f"A[{row + 1},{column + 1}]"
    outputs = [[rounded(value) for value in line] for line in times(values, own.V)]
    if member.kind == "output":
        column = chance.randrange(WIDTH)
        outputs[row][column] = rounded(float(outputs[row][column]) + 0.3)
        member.mistake = f"O[{row + 1},{column + 1}]"
    return _written(member, S, shown, outputs)


def _written(member: Member, S: Matrix, weights: list[list[str]], outputs: list[list[str]]) -> str:
    scores, maps, results = WORDS[member.language]
    power = "e^{%s}" if member.format != "txt" else "exp(%s)"
    dot = r" \cdot " if member.format != "txt" else "*"
    lines = [("#", scores)]
    lines += [("", f"S_{{{i}{j}}} = {value}") for i, row in enumerate(S, 1) for j, value in enumerate(row, 1)]
    lines.append(("#", maps))
    for i, row in enumerate(weights, 1):
        total = " + ".join(power % score for score in S[i - 1])
        for j, value in enumerate(row, 1):
            top = power % S[i - 1][j - 1]
            working = _quotient(member, top, total)
            lines.append(
                ("", f"A_{{{i}{j}}} = {value}" if member.kind == "bare" else f"A_{{{i}{j}}} = {working} = {value}")
            )
    lines.append(("#", results))
    if member.kind == "unfinished":
        return _document(member, lines[:-1])
    for i, row in enumerate(outputs, 1):
        for j, value in enumerate(row, 1):
            terms = zip(weights[i - 1], (line[j - 1] for line in member.numbers.V), strict=True)
            working = " + ".join(f"{weight}{dot}({number})" for weight, number in terms)
            lines.append(
                ("", f"O_{{{i}{j}}} = {value}" if member.kind == "bare" else f"O_{{{i}{j}}} = {working} = {value}")
            )
    return _document(member, lines)


def _quotient(member: Member, top: str, total: str) -> str:
    return f"({top})/({total})" if member.format == "txt" else rf"\frac{{{top}}}{{{total}}}"


def _document(member: Member, lines: list[tuple[str, str]]) -> str:
    match member.format:
        case "tex":
            body = "\n".join(rf"\section*{{{text}}}" if mark else f"\\[ {text} \\]" for mark, text in lines)
            return f"\\documentclass{{article}}\n\\begin{{document}}\n{body}\n\\end{{document}}\n"
        case "txt":
            return "\n".join(text.replace("{", "").replace("}", "") + ":" * bool(mark) for mark, text in lines) + "\n"
        case _:
            text = "\n\n".join(f"## {text}" if mark else f"${text}$" for mark, text in lines) + "\n"
    if member.format == "md":
        return text
    cells = [{"cell_type": "markdown", "metadata": {}, "source": text}]
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 4})


MARKS: dict[str, Fraction | None] = {
    "right": Fraction(POINTS),
    "carried": Fraction(POINTS),
    "weight": Fraction(POINTS) - Fraction(1, 2),
    "output": Fraction(POINTS) - Fraction(1, 2),
    "score": Fraction(POINTS) - Fraction(1, 2),
    "bare": Fraction(POINTS, 2),
    "unfinished": Fraction(TOKENS * TOKENS),
    "empty": Fraction(0),
    "noise": Fraction(0),
}
"""The marks of each kind; the others have none."""

HAVE_NO_MARKS = ("bytes", "pdf", "none", "two")


# A class on the disk -------------------------------------------------------------------------------


def make_class(folder: Path, count: int, seed: int = 1) -> Class:
    """Write a class of so many students below a folder, each with a variant that the program draws."""
    chance = random.Random(seed)
    made = Class(folder)
    (folder / "works").mkdir(parents=True)
    (folder / "problem.toml").write_text(SHEET, encoding="utf-8")
    people = [
        (f"{70000 + number}", f"user{number}@uni.example", f"Fam{_letters(number)}, Giv{_letters(7 * number)}")
        for number in range(count)
    ]
    with (folder / "roster.csv").open("w", newline="", encoding="utf-8") as file:
        columns = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section"]
        csv.writer(file).writerows([columns, *([name, number, "", login, "A"] for number, login, name in people)])
    drawn = run("variants", folder / "problem.toml", "--roster", folder / "roster.csv", "--seed", seed, "-o", folder)
    assert drawn.status == 0, drawn.err
    with (folder / "variants.csv").open(newline="", encoding="utf-8") as file:
        rows = {row["id"]: row for row in csv.DictReader(file)}
    for number, (one, login, name) in enumerate(people):
        kind, row = KINDS[number % len(KINDS)], rows[one]
        made.members.append(Member(
            one, login, name, row["variant"], Numbers.read(folder / row["problem"]), kind, MARKS.get(kind),
            list(WORDS)[number % 5], FORMATS[(number // 5 + number) % 4],
        ))  # fmt: skip
    for number, member in enumerate(made.members):
        _hand_in(made, number, member, chance)
    return made


def _letters(number: int) -> str:
    return "".join(chr(ord("a") + int(digit)) for digit in str(number))


def _hand_in(made: Class, number: int, member: Member, chance: random.Random) -> None:
    works = made.folder / "works"
    names = (f"{member.id}_work", member.login.partition("@")[0], member.name.replace(", ", ""), f"x {member.login} y")
    stem = names[number % len(names)]
    if member.kind == "none":
        return
    if member.kind == "swapped":
        other = made.members[(number + 3) % len(made.members)]
        member.neighbour = other.variant
        data = work(replace(member, numbers=other.numbers, kind="right"), chance).encode()
    else:
        data = _data(member, chance)
    ending = {"bytes": "md", "noise": "txt", "empty": "md", "pdf": "pdf"}.get(member.kind, member.format)
    if number % 7 == 3 and member.kind != "two":
        with zipfile.ZipFile(works / f"{stem}.zip", "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(f"answers.{ending}", data)
            archive.writestr("__MACOSX/._answers.md", "x")
        return
    if number % 7 == 5 or member.kind == "two":
        (works / stem).mkdir()
        (works / stem / f"answers.{ending}").write_bytes(data)
        if member.kind == "two":
            (works / stem / "draft.md").write_bytes(data)
        return
    (works / f"{stem}.{ending}").write_bytes(data)


def _data(member: Member, chance: random.Random) -> bytes:
    kinds: dict[str, Callable[[], bytes]] = {
        "empty": lambda: b"",
        "noise": lambda: "".join(chance.choice("§¤°~^|<>&%$#@! \n") for _ in range(400)).encode(),
        "bytes": lambda: b"A = 1\n" + bytes(chance.randrange(128, 256) for _ in range(200)),
        "pdf": lambda: b"%PDF-1.7\n",
    }
    make = kinds.get(member.kind)
    return work(member, chance).encode() if make is None else make()
