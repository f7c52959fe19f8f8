"""Modules that a run of the program loads, told by its whole process."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.loaded import ROOT, modules_of

NUMERIC = ("sympy", "mpmath", "flint", "gmpy2", "numpy")

_MORE = ("prove:", "[block]")
NOT_FOR_A_PLAIN_KEY = {
    "symattn.api.submissions",
    "symattn.cli.batch",
    "symattn.cli.check",
    "symattn.cli.compare",
    "symattn.cli.prove",
    "symattn.proofs",
    "symattn.exact.field.calculus",
    "symattn.exact.field.common_denominator",
    "symattn.exact.indexed",
    "symattn.exact.linear.matrix_input",
    "symattn.exact.reals.elementary",
    "symattn.exact.reals.trigonometry",
    "symattn.graph.analysis.undefined_norms",
    "symattn.graph.builders.blocks",
    "symattn.graph.builders.definitions",
    "symattn.graph.builders.gradients",
    "symattn.graph.builders.heads",
    "symattn.graph.builders.online_softmax",
    "symattn.graph.numeric.eligibility",
    "symattn.graph.numeric.enclosed_layers",
    "symattn.graph.numeric.integer_matrices",
    "symattn.graph.builders.positions",
    "symattn.graph.builders.stacks",
    "symattn.graph.statements.online_softmax",
    "symattn.notation.documents.reader",
    "symattn.notation.documents.running_text",
    "symattn.notation.parser.latex",
    "symattn.notation.parser.plain",
    "symattn.notation.parser.proof_forms",
    "symattn.notation.tables.entries",
    "symattn.operations.activation",
    "symattn.operations.loss",
    "symattn.operations.norm",
    "symattn.operations.online",
    "symattn.operations.positions",
    "symattn.operations.scores",
    "symattn.operations.sheet_formulas",
    "symattn.problem.components.blocks",
    "symattn.problem.components.caches",
    "symattn.problem.components.declarations",
    "symattn.problem.components.gradients",
    "symattn.problem.components.layer_checks",
    "symattn.problem.components.positions",
    "symattn.problem.reader.layers",
    "symattn.problem.schema.json_schema",
    "symattn.problem.schema.examples",
    "symattn.problem.settings.masks",
    "symattn.problem.values.polynomials",
    "symattn.rendering.sections.blocks",
    "symattn.rendering.sections.gradients",
    "symattn.rendering.keys.definitions",
    "symattn.rendering.keys.heads",
    "symattn.rendering.keys.joint",
    "symattn.rendering.sections.positions",
    "symattn.rendering.proofs.in_key",
    "symattn.rendering.latex.compilation",
    "symattn.rendering.reports.text",
    "symattn.rendering.sections.readback",
}
"""Modules that serve other problems, or other commands, by package."""

NOT_FOR_A_PLAIN_PAGE = {
    "json",
    "random",
    "shutil",
    "symattn.checking.blocks.stack_checker",
    "symattn.checking.link_judges.omitted_keys",
    "symattn.checking.mistakes.blocks",
    "symattn.checking.mistakes.gradients",
    "symattn.checking.mistakes.masks_biases_heads",
    "symattn.checking.mistakes.positions",
    "symattn.notation.documents.consoles",
    "symattn.notation.documents.notebooks",
    "symattn.notation.documents.programs",
    "symattn.notation.tables.interleaved",
    "symattn.notation.tables.unruled",
    "symattn.problem.components.positions",
}
"""Modules that serve other works than a page of LaTeX without mistakes."""

PLAIN = "ps4_self_attention.toml"
"""Projections, scores, weights and outputs of one head."""

MOST = 137
"""Modules of ours that a plain key loads, each of which costs a third of a millisecond at least."""

EXAMPLES = sorted(
    path.name
    for path in (ROOT / "examples").glob("*.toml")
    if not any(word in path.read_text("utf-8") for word in _MORE)
)
"""The problems that ask for numbers alone, those of the decidable theory."""


def test_help_imports_nothing_slow() -> None:
    output, modules = modules_of("--help")
    assert "solve" in output
    assert {"symattn", "click"} <= modules
    assert not modules & {*NUMERIC, "jinja2", "rich"}


@pytest.mark.parametrize("example", EXAMPLES)
def test_a_numeric_key_needs_no_numeric_library(example: str) -> None:
    output, modules = modules_of("solve", f"examples/{example}")
    assert r"\documentclass" in output
    assert "symattn" in modules
    assert not modules & {*NUMERIC, "rich"}
    assert not any(name.startswith(("symattn.proofs", "symattn.api.proofs")) for name in modules)
    assert not modules & {
        "symattn.exact.reals.constants",
        "symattn.exact.reals.certified_digits",
        "symattn.exact.reals.computable",
    }
    assert not modules & {"symattn.arrays.floats", "symattn.api.comparison", "symattn.exact.rounding.floats"}


def test_a_plain_key_loads_nothing_of_other_problems() -> None:
    _, modules = modules_of("solve", f"examples/{PLAIN}")
    ours = {name for name in modules if name.startswith("symattn.")}
    assert not ours & NOT_FOR_A_PLAIN_KEY
    assert not any(name.startswith("symattn.checking") for name in ours)
    assert len(ours) <= MOST
    for name in NOT_FOR_A_PLAIN_KEY:
        assert find_spec(name) is not None, f"{name} is no module any more"


def test_a_profile_of_a_run_is_not_cut_off() -> None:
    command = [sys.executable, "-m", "cProfile", "-m", "symattn", "--version"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr[-2000:]
    assert "function calls" in done.stdout


def test_importing_the_package_imports_nothing_slow() -> None:
    code = "import sys, symattn; print(sorted({name.partition('.')[0] for name in sys.modules}))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert "'symattn'" in done.stdout
    for name in (*NUMERIC, "jinja2", "rich", "click"):
        assert f"'{name}'" not in done.stdout


@pytest.mark.parametrize(
    ("problem", "work", "status"),
    [
        ("ps4_self_attention.toml", "ps4_clean_work.tex", 0),
        ("ps4_self_attention.toml", "ps4_student_work.md", 1),
    ],
)
def test_checking_numbers_needs_no_numeric_library(problem: str, work: str, status: int) -> None:
    output, modules = modules_of("check", f"examples/{problem}", f"examples/{work}", status=status)
    assert "statements" in output
    assert "symattn.checking.check" in modules
    assert not modules & {*NUMERIC, "jinja2", "rich"}
    writers = ("symattn.rendering.keys", "symattn.rendering.proofs", "symattn.rendering.sections")
    assert not any(name.startswith(writers) for name in modules)


def test_a_page_without_mistakes_loads_nothing_of_other_works() -> None:
    _, modules = modules_of("check", "examples/ps4_self_attention.toml", "examples/ps4_clean_work.tex")
    assert not modules & NOT_FOR_A_PLAIN_PAGE
    for name in NOT_FOR_A_PLAIN_PAGE:
        assert find_spec(name) is not None, f"{name} is no module any more"


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_a_table_needs_no_numeric_library_and_no_closed_forms(ending: str, tmp_path: Path) -> None:
    _, modules = modules_of("solve", "examples/ps4_self_attention.toml", "-o", str(tmp_path / f"out.{ending}"))
    assert "symattn.graph.numeric.integer_rows" in modules
    assert not modules & {*NUMERIC, "jinja2", "rich", "multiprocessing", "concurrent.futures"}
    assert not modules & {
        "symattn.graph.builders.attention",
        "symattn.graph.key_judge.judge",
        "symattn.rendering.keys.layer",
    }


WORK = """
import sys
import symattn as sa
problem = sa.Problem.load("examples/ps4_self_attention.toml")
result = sa.solve(problem)
assert result.A.rounded(2) and result.O.digits(30) and result.to_latex() and result.derivation.is_proved
assert sa.equal(result.A[0, 0] + result.A[0, 1] + result.A[0, 2], 1).is_equal
assert sa.check(problem, "examples/ps4_student_work.md").findings
many = [[1, 2]] * 32
assert sa.attention(Q=many, K=many, V=many).O.rounded(15)
print(sorted({name.partition(".")[0] for name in sys.modules}))
"""


def test_numbers_from_python_need_no_numeric_library() -> None:
    done = subprocess.run([sys.executable, "-c", WORK], cwd=ROOT, capture_output=True, text=True, check=True)
    assert "'symattn'" in done.stdout
    for name in NUMERIC:
        assert f"'{name}'" not in done.stdout
