"""STACK questions in the XML of Moodle: one for each version, a matrix to fill in for each quantity."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from fractions import Fraction

from symattn.courses.exports.answers import Cell, Grid, grids
from symattn.courses.exports.assignment import Assignment, Version, decimal_points, full_marks
from symattn.courses.exports.templates import fill
from symattn.errors import InputError
from symattn.notation.writers.mathml import write_mathml
from symattn.rendering.html.key import question_html

_MOST_PLACES = 14
"""Decimal places that binary floats, with which STACK reads decimals, tell apart in numbers below 10."""

_GUARD = 3
"""Digits behind the last place within which a float of Maxima is the decimal that was typed."""

_CASTEXT = re.compile(r"\[\[|\]\]|\{[@#]|[@#]\}")

_TESTS = (
    {"description": "The answers of the sheet.", "change": "", "score": 1, "penalty": 0, "branch": "T"},
    {"description": "Every entry wrong.", "change": "+1000", "score": 0, "penalty": "0.1", "branch": "F"},
)


def moodle(assignment: Assignment) -> str:
    """Return the XML of one question for each version, in a category of their own where there are several.

    Raises:
        InputError: a version that cannot be answered in fields, or more places than floats have.
    """
    title = assignment.title
    return fill(
        "moodle/questions.xml",
        category=f"$course$/top/{title.replace('/', '//')}" if len(assignment.versions) > 1 else "",
        questions=[_question(title, version) for version in assignment.versions],
    )


def _question(title: str, version: Version) -> Mapping[str, object]:
    found = grids(version)
    trees = [_tree(number, grid, version.label) for number, grid in enumerate(found, 1)]
    fields = "\n".join(
        f"<p>{write_mathml(grid.symbol)} {grid.part} = [[input:{tree['input']}]] [[validation:{tree['input']}]]</p>"
        for grid, tree in zip(found, trees, strict=True)
    )
    return {
        "name": title if version.row is None else f"{title}, variant {version.row.variant}",
        "html": f"{_without_castext(question_html(version.document()))}\n{fields}",
        "points": f"{decimal_points(full_marks(version.sheet).points):.7f}",
        "variables": "\n".join(f"{tree['answer']}: {_matrix(grid)};" for grid, tree in zip(found, trees, strict=True)),
        "trees": trees,
        "tests": _TESTS,
    }


def _without_castext(html: str) -> str:
    """Return HTML in which STACK finds no block and no variable of its own."""
    return _CASTEXT.sub(lambda found: "".join(f"&#{ord(letter)};" for letter in found[0]), html)


def _tree(number: int, grid: Grid, label: str) -> Mapping[str, str]:
    """Return an input with the tree that grades it: each entry earns its share."""
    unit = math.lcm(*(cell.weight.denominator for row in grid.rows for cell in row))
    lines, terms = list[str](), list[str]()
    for i, row in enumerate(grid.rows, 1):
        for j, cell in enumerate(row, 1):
            hit = f"hit{number}_{i}_{j}"
            value = f"float(ans{number}[{i},{j}])"
            tests = " or ".join(_tests(cell, hit, label))
            lines.append(f"v{hit}: {value};")
            lines.append(f"{hit}: if floatnump(v{hit}) and ({tests}) then 1 else 0;")
            terms.append(f"{cell.weight * unit}*{hit}")
    lines.append(f"score{number}: ({'+'.join(terms)})/{grid.weight * unit};")
    return {
        "name": f"prt{number}",
        "input": f"ans{number}",
        "answer": f"ta{number}",
        "score": f"score{number}",
        "value": f"{float(grid.weight):.7f}",
        "feedback": "\n".join(lines),
    }


def _tests(cell: Cell, hit: str, label: str) -> Iterator[str]:
    """Yield the comparisons that take a number as right, each wrapped in `is`."""
    finest = max(len(text.partition(".")[2]) for text in cell.texts)
    size = len(str(abs(int(Fraction(cell.value)))))
    if finest + _GUARD + size > _MOST_PLACES + 1 or any("e" in text for text in cell.texts):
        raise InputError(
            f"{label}: STACK reads decimals as floats, which cannot tell numbers of so many places apart. Round to "
            "fewer places, or export to another target."
        )
    for number in dict.fromkeys((*map(Fraction, cell.texts), *cell.equal)):
        yield f"is(abs(v{hit}-({number})) < 1/10^{finest + _GUARD})"
    # A longer decimal that is cut off is no farther away than one that is rounded to `finest` places.
    yield f"is(abs(v{hit}-({Fraction(cell.value)})) < 5/10^{finest + 1})"


def _matrix(grid: Grid) -> str:
    rows = (f"[{','.join(cell.texts[0] for cell in row)}]" for row in grid.rows)
    return f"matrix({','.join(rows)})"
