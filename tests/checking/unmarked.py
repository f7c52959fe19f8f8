"""Keys as a person would hand them in: without the comments that say what each line is about."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from random import Random
from typing import Any

from symattn.api.solutions import solve
from symattn.checking.check import check_text
from symattn.checking.report import Finding, Report
from symattn.graph.statements.chains import Detail
from symattn.problem.model import Problem
from tests.attention.problems import random_tables
from tests.rendering.keys import DETAILS, EXAMPLES, NAMES

TEMPLATES = ("article", "exam", "fragment")

FINE = frozenset({"right", "rounded", "carried", "unchecked", "withdrawn"})
"""The words under which nothing is held against a statement."""

JUDGED = frozenset({"right", "rounded", "carried"})

_COMMENT = re.compile(r"[ ]*(?<!\\)%.*")
_FORMULA = re.compile(
    r"(?<!\\)\\\[(?P<display>.*?)\\\]"
    r"|\\begin\{alignat\*\}\{\d+\}(?P<rows>.*?)\\end\{alignat\*\}"
    r"|(?<!\\)\$(?P<inline>[^$]*)\$",
    re.DOTALL,
)
_RELATION = re.compile(r"=|\\approx(?![a-z])|\\in(?![a-z])|\\propto")


@dataclass(frozen=True)
class Key:
    """A key without its comments.

    Attributes:
        label: how messages call it.
        tables: the problem file, as read by the standard library.
        problem: the problem.
        tex: the key.
    """

    label: str
    tables: dict[str, Any]
    problem: Problem
    tex: str

    def check(self, tex: str | None = None) -> Report:
        """What a strict check says to the key, or to a changed one."""
        return _checked(self.label) if tex is None else check_text(self.problem, tex, "tex", strict=True)


def without_comments(tex: str) -> str:
    r"""A text without what TeX does not read.

    >>> without_comments("$1$ & % symattn: Q_11\n50\\% % of it")
    '$1$ &\n50\\%'
    """
    return "\n".join(_COMMENT.sub("", line) for line in tex.split("\n"))


@cache
def example(name: str, template: str, detail: Detail) -> Key:
    path = EXAMPLES / f"{name}.toml"
    tables = tomllib.loads(path.read_text(encoding="utf-8"), parse_float=str)
    tex = without_comments(solve(path).to_latex(template, detail))
    return kept(Key(f"{name}, {template}, {detail}", tables, Problem.load(path), tex))


@cache
def drawn(seed: int) -> Key:
    """The key of a small problem: kind, shapes, entries, convention, scale, policy, parts, detail at random."""
    random = Random(seed)
    tables = random_tables(seed, side=4, depth=4)
    problem = Problem.build(**tables)
    detail, template = random.choice(DETAILS), random.choice(TEMPLATES)
    tex = without_comments(solve(problem).to_latex(template, detail))
    return kept(Key(f"drawn with seed {seed}, {detail}, {template}", tables, problem, tex))


_MADE: dict[str, Key] = {}
"""Every key by its label, for what is kept of it."""


def kept(key: Key) -> Key:
    _MADE[key.label] = key
    return key


@cache
def _checked(label: str) -> Report:
    key = _MADE[label]
    return check_text(key.problem, key.tex, "tex", strict=True)


def examples() -> list[tuple[str, str, Detail]]:
    return [(name, template, detail) for name in NAMES for template in TEMPLATES for detail in DETAILS]


def formulas(tex: str) -> Iterator[tuple[int, int]]:
    """Where each formula of a key stands, its delimiters not counted."""
    start = max(tex.find(r"\begin{document}"), 0)
    for found in _FORMULA.finditer(tex, start):
        kind = found.lastgroup
        assert kind is not None
        yield found.span(kind)


def relations(tex: str) -> Iterator[tuple[int, tuple[int, int]]]:
    """Every relation of every formula: where it stands, and the formula."""
    for start, end in formulas(tex):
        for found in _RELATION.finditer(tex, start, end):
            if not _is_below(tex[start : found.start()]):
                yield found.start(), (start, end)


def _is_below(before: str) -> bool:
    r"""Whether a place stands inside an index, as the ``=`` of ``\sum_{j=1}``."""
    depth = before.count("{") - before.count("}")
    opened = before.rfind("_{")
    return depth > 0 and opened >= 0 and "}" not in before[opened:]


def covering(findings: tuple[Finding, ...], at: int) -> list[Finding]:
    return [finding for finding in findings if finding.place.start <= at < finding.place.end]


def rational(text: str) -> Fraction | None:
    r"""What a numeral or a fraction says.

    >>> rational(r"-\tfrac{5}{2}"), rational("( -0.50 )"), rational("x")
    (Fraction(-5, 2), Fraction(-1, 2), None)
    """
    text = text.strip().removeprefix("(").removesuffix(")").strip()
    found = re.fullmatch(r"(-?)\s*(?:\\[td]?frac\{(\d+)\}\{(\d+)\}|(\d+(?:\.\d+)?))", text)
    if found is None or found[3] == "0":
        return None
    value = Fraction(found[4]) if found[4] is not None else Fraction(int(found[2]), int(found[3]))
    return -value if found[1] else value
