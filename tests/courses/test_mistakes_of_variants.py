"""Works with one usual mistake on variants whose design asks for telling mistakes: found, and named as that mistake."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import pytest

from symattn.checking.check import check_text
from symattn.courses.variants.design import load_design
from symattn.courses.variants.draws import Rows
from symattn.courses.variants.exact_values import ExactNumbers
from symattn.courses.variants.mistakes import Mistake
from symattn.courses.variants.program import Program
from symattn.courses.variants.search import Search
from symattn.problem.model import Problem

EXAMPLE = Path(__file__).parents[2] / "examples" / "variants.toml"
PRINTED = ("Q", "K", "V", "S", "S_scaled", "A", "O")
PLACES = 2


def written(number: Fraction | None) -> str:
    assert number is not None
    index = number * 10**PLACES
    assert index.denominator == 1
    whole, rest = divmod(abs(index.numerator), 10**PLACES)
    return f"{'-' if index < 0 else ''}{whole}.{rest:0{PLACES}}"


def work(numbers: ExactNumbers) -> str:
    """Return all quantities as a person prints them."""
    lines = []
    for name in PRINTED:
        rows, columns = numbers.graph.shape(name)
        printed = (", ".join(written(numbers.printed(name, i, j)) for j in range(columns)) for i in range(rows))
        lines.append(f"{name} = [{'; '.join(printed)}]")
    return "\n\n".join(lines)


def judged(program: Program, inputs: dict[str, Rows], mistake: Mistake) -> Iterator[set[str]]:
    """Yield the names of the mistakes that the checker finds in a work under each rounding."""
    for numbers in program.exact_numbers(mistake.graph, inputs):
        report = check_text(program.problem(inputs), work(numbers), "md")
        yield {"" if one.diagnosis is None else one.diagnosis.code for one in report.findings if one.verdict == "wrong"}


def outcomes(count: int) -> Counter[str]:
    program = Program(load_design(EXAMPLE))
    found: Counter[str] = Counter()
    for number in range(1, count + 1):
        inputs = dict(Search(program, 7, str(number)).found().inputs)
        for mistake in program.mistakes:
            for names in judged(program, inputs, mistake):
                found["named" if names & set(mistake.codes) else "found" if names else "missed"] += 1
    return found


def test_usual_mistakes_of_a_variant_are_named() -> None:
    assert outcomes(1) == {"named": 20}


@pytest.mark.long
def test_nearly_all_mistakes_of_variants_are_named() -> None:
    found = outcomes(40)
    assert not found["missed"]
    assert found["named"] >= Fraction(98, 100) * found.total()


def test_a_mistake_that_gives_every_number_is_named_before_causes_of_one() -> None:
    """K = X W_K^T: a turned sign explains some of its numbers, the transposition all six."""
    problem = Problem.build(
        X=[["1/2", -1], [1, 1], ["-1/2", 0]],
        W_Q=[[1, 0], [0, 1]],
        W_K=[[1, 1], [-1, 0]],
        W_V=[[1, 0], [0, 1]],
        scale="none",
    )
    # X W_K = [3/2 1/2; 0 1; -1/2 -1/2]
    report = check_text(problem, "K = [-0.5, -0.5; 2, -1; -0.5, 0.5]", "md")
    assert [(one.verdict, one.diagnosis and one.diagnosis.code) for one in report.findings] == [
        ("wrong", "no-transpose")
    ]
