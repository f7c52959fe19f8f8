"""Estimated widths against what TeX makes of the same formulas."""

from __future__ import annotations

import re
from itertools import permutations
from pathlib import Path

import pytest

from symattn.api.solutions import solve
from symattn.notation.tree import nodes as t
from symattn.problem.model import Problem
from symattn.rendering.latex.compilation import compile_tex
from symattn.rendering.latex.typesetting import math
from symattn.rendering.latex.widths import LINE, width

pytestmark = pytest.mark.unmeasured

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ("ps4_self_attention", "nyu_columns", "causal_two_heads", "relative_positions", "encoder_block")
POLICIES = ("steps=end,places=5", "steps=all,places=2", "steps=all,figures=3")


def formulas() -> list[t.Node]:
    found: list[t.Node] = []
    for name in EXAMPLES:
        for policy in POLICIES:
            problem = Problem.load(ROOT / "examples" / f"{name}.toml")
            keys = {field: getattr(problem, field) for field in problem.__dataclass_fields__}
            result = solve(Problem(**{**keys, "policy": problem.policy.with_overrides(policy)}))
            for statement in result.document("every-product").ledger.statements:
                found.extend((statement.written, *statement.sides))
    return found


@pytest.mark.tex
def test_widths_err_on_the_wide_side_by_a_few_percent() -> None:
    nodes = [node for node in dict.fromkeys(formulas()) if width(node) > 60]
    preamble = (ROOT / "templates" / "preamble.tex.j2").read_text(encoding="utf-8")
    boxes = "\n".join(
        f"\\setbox0\\hbox{{$\\displaystyle {math(node)}$}}\\typeout{{W{number}={{\\the\\wd0}}}}"
        for number, node in enumerate(nodes)
    )
    source = f"\\documentclass[11pt,a4paper]{{article}}\n{preamble}\n\\begin{{document}}\n"
    source += f"\\typeout{{LINE={{\\the\\linewidth}}}}\n{boxes}\nx\\end{{document}}\n"
    log = compile_tex(source, engine="system").log.replace("\n", "")
    line = re.search(r"LINE=\{([\d.]+)pt\}", log)
    assert line is not None
    assert LINE - 1 < float(line[1]) < LINE + 15
    measured = {int(number): float(size) for number, size in re.findall(r"W(\d+)=\{([\d.]+)pt\}", log)}
    assert len(measured) == len(nodes) > 300
    ratios = [measured[number] / width(node) for number, node in enumerate(nodes)]
    assert max(ratios) < 1.01
    assert 0.93 < sum(ratios) / len(ratios) < 1


@pytest.mark.parametrize(
    ("narrow", "wide"),
    [("1", "12"), ("12", "12.3"), ("12.3", "12.34"), ("12.34", "1.2e-13")],
)
def test_more_digits_are_wider(narrow: str, wide: str) -> None:
    assert width(t.Number(narrow)) < width(t.Number(wide))


def test_a_fraction_is_as_wide_as_its_wider_part() -> None:
    part = t.Number("123456")
    assert width(t.Division(t.Number("1"), part)) == width(t.Division(part, t.Number("1"))) < width(part)


def test_widths_do_not_depend_on_the_order_of_terms() -> None:
    """Otherwise keys would choose another row of several equal ones where `sum` is another, as on Python 3.12."""
    powers = [t.Power(t.Name("e"), t.Number(text)) for text in ("0", "0.5", "-1.25", "10")]
    assert len({width(t.Sum(terms, ("+",) * 3)) for terms in permutations(powers)}) == 1
    assert (
        len({width(t.Relation((t.Name("Z"), t.Sum(terms, ("+",) * 3)), ("=",))) for terms in permutations(powers)}) == 1
    )
