"""No text makes the checker fail."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from symattn.checking.check import check_text
from symattn.checking.link_judges.entries import Entries
from symattn.errors import UndecidedError
from symattn.notation.documents.reader import Format
from symattn.problem.model import Problem
from tests.checking.fuzz import COMMANDS, SLOW, Case, Command, Fuzzer, apart, fuzz

pytestmark = pytest.mark.unmeasured

ONE = Problem.build(Q=[[1, 2]], K=[[1, 0], [0, 1]], V=[[1], [2]])

HOSTILE = {
    "powers": "$S = 9^{9^{9}}$",
    "plain powers": "S_11 = 9^9^9^9",
    "factorial": "$S_{11} = 100000000!$",
    "letters": "$S = " + "a" * 5000 + "$",
    "columns": "$S = [" + ", ".join("1" for _ in range(2000)) + "]$",
    "brackets": "$S = " + "(" * 100_000 + "$",
    "roots": "$S = " + r"\sqrt" * 10_000 + "2$",
    "exponent": "$S_{11} = 1e999999999$",
    "small": "$S_{11} = 1e-999999999$",
    "huge fraction": "$S_{11} = 1e9999/3 + e^{1e9999}$",
    "juxtaposed": "$S = " + "x y " * 5000 + "$",
    "signs": "$S_{11} = " + "-" * 20_000 + "1$",
    "sum": "$S_{11} = " + "1 + " * 20_000 + "1$",
    "product of sums": "$S_{11} = " + "(1+1)" * 2000 + "$",
    "powers of ten": "$S_{11} = " + r"10^{9999} \cdot " * 200 + "1$",
    "exponentials": "$A_{11} = " + "+".join(f"e^{{{k}.123456789}}" for k in range(400)) + "$",
    "nul": "$S = \0[1, 2]\0$",
    "surrogate": "$S = [1, 2]\ud800$",
    "limits": r"$S_{11} = \sum_{j=1}^{1000000000} j$",
    "nested sums": "$S_{11} = " + r"\sum_{j=1}^{99} " * 20 + "1$",
    "chains": "$S_{11} = " + "= ".join("1 " for _ in range(3000)) + "$",
    "matrix of matrices": r"$S = \begin{bmatrix}" * 200 + "1" + r"\end{bmatrix}$" * 200,
    "matrices": "$S = " + "A V " * 100 + "= [3, 4]$",
    "power of a matrix": "$S = A^{500} [7, 8]$",
    "struck": "~~" * 20_000,
    "dollars": "$" * 50_000,
}


@pytest.mark.sample(10)
@pytest.mark.parametrize("kind", sorted(HOSTILE))
@pytest.mark.parametrize("form", ["md", "tex", "txt"])
def test_hostile_works_get_a_report(kind: str, form: Format) -> None:
    report = check_text(ONE, HOSTILE[kind], form)
    held = [finding for finding in report.findings if finding.verdict in {"right", "rounded", "carried"}]
    assert report.exit_status in ({0, 3} if kind == "chains" else {1, 3})  # 1 = 1 is true, however often
    assert not held or kind == "chains"


FEW: dict[Command, int] = {"check": 25, "theorem": 10, "solve": 3, "replay": 4, "compare": 10}


@pytest.fixture(scope="module")
def fuzzer() -> Fuzzer:
    return Fuzzer(7, blocks=False)


@pytest.mark.sample(2)
@pytest.mark.parametrize("command", COMMANDS)
def test_garbled_inputs_get_an_answer(fuzzer: Fuzzer, command: Command) -> None:
    for _ in range(FEW[command]):
        case = fuzzer.case(command)
        outcome = apart(partial(fuzzer.run, case))
        assert not outcome.fault, case
        assert outcome.seconds < SLOW, case


@pytest.mark.long
def test_many_garbled_inputs_get_an_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    _, faults = fuzz(Fuzzer(8), 20 * 60)
    assert not faults


def test_what_fails_is_kept(fuzzer: Fuzzer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_self: Fuzzer, _case: Case) -> None:
        raise RecursionError("too deep")

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(Fuzzer, "run", fail)
    counts, faults = fuzz(fuzzer, 0.01, ("compare",))
    assert len(faults) == counts["compare"] == len(list(tmp_path.iterdir())) > 0
    assert "too deep" in faults[0]


def _in_python() -> None:
    while True:
        pass


def _in_one_call() -> None:
    sum(itertools.repeat(1))


def _in_memory() -> None:
    bytearray(10**9)


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("work", "fault"), [(_in_python, "more than 1 s"), (_in_one_call, "more than 1 s"), (_in_memory, "MemoryError")]
)
def test_what_takes_too_much_is_ended(work: Callable[[], None], fault: str) -> None:
    assert fault in apart(work, 1, memory=10**8).fault


def test_a_value_that_no_enclosure_settles_is_undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    def unsettled(*_: object) -> None:
        raise UndecidedError("It is not bounded by enclosures.")

    monkeypatch.setattr(Entries, "link", unsettled)
    (found,) = check_text(ONE, "$S_{11} = 1$", "md").findings
    assert found.verdict == "undecided"
    assert found.explanation == "It is not bounded by enclosures."


@pytest.mark.parametrize("function", [r"\sqrt", r"\ln", r"\tanh", r"\max"])
@pytest.mark.parametrize(
    "side",
    ["{f}{{[2, 3]}}", "Q_{{11}} {f}{{[2, 3]}}", "{f}{{[[2, 3]]}} / 2", "S_{{11}} {f}{{[2, 3]}} / 2", "Q {f}{{K}}"],
)
def test_functions_of_matrices_are_neither_numbers_nor_matrices(function: str, side: str) -> None:
    written = side.format(f=function)
    for text in (f"${written}$", f"$S = {written}$", f"$S = {written} = [7, 8]$", f"$= {written} = 9$"):
        report = check_text(ONE, text, "md")
        assert not [found for found in report.findings if found.verdict in {"right", "rounded", "carried"}]
