"""Many random problems, all the way: every key comes out, is proved, reads back, and compiles."""

from __future__ import annotations

import json
from random import Random

import pytest

from symattn.api.solutions import Result, solve
from symattn.graph.statements.chains import Detail
from symattn.problem.model import Problem
from symattn.rendering.latex.compilation import EngineName, compile_tex, engines
from tests.attention.problems import random_tables
from tests.tex_logs import log_problems

SEEDS = range(40)
COMPILED = range(500, 504)
DETAILS: tuple[Detail, ...] = ("brief", "full", "every-product")
TEMPLATES = ("article", "sheet", "exam", "fragment")

ENGINES = [
    pytest.param("system", marks=pytest.mark.tex),
    pytest.param(
        "tinytex",
        marks=pytest.mark.skipif(
            all(engine.name != "tinytex" for engine in engines()),
            reason='no engine from pip: pip install "symattn[pdf]"',
        ),
    ),
]


def random_result(seed: int, **sizes: int) -> Result:
    return solve(Problem.from_text(json.dumps(random_tables(seed, **sizes)), "json"))


def detail_of(seed: int) -> Detail:
    return Random(seed).choice(DETAILS)


@pytest.mark.sample(4)
@pytest.mark.parametrize("seed", SEEDS)
def test_a_key_comes_out_and_reads_back(seed: int) -> None:
    result = random_result(seed)
    template = TEMPLATES[seed % len(TEMPLATES)]
    tex = result.to_latex(template, detail_of(seed))
    assert [finding for finding in result.read_back(tex) if not finding.proved] == []


@pytest.mark.parametrize("seed", SEEDS[::4])
def test_the_record_is_complete_and_replayed(seed: int) -> None:
    result = random_result(seed, side=5, depth=4)
    record = result.as_json()
    assert json.loads(json.dumps(record)) == record
    assert all(step.proved for step in result.derivation.replay())


@pytest.mark.sample(1)
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("seed", COMPILED)
def test_keys_compile_without_complaint(seed: int, engine: EngineName) -> None:
    template = ("article", "sheet", "article" if engine == "tinytex" else "exam")[seed % 3]
    tex = random_result(seed).to_latex(template, detail_of(seed))
    assert log_problems(compile_tex(tex, engine=engine).log) == []


@pytest.mark.long
@pytest.mark.parametrize("seed", range(1000, 2000))
def test_a_thousand_more(seed: int) -> None:
    result = random_result(seed)
    for template in TEMPLATES:
        tex = result.to_latex(template, detail_of(seed))
        assert [finding for finding in result.read_back(tex) if not finding.proved] == []
