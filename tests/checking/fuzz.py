"""Garbled inputs of all commands by chance: ``python -m tests.checking.fuzz --minutes 10``.

Pieces of works, keys, problem files, records and arrays are cut and pasted, with tokens of TeX, numerals from 0 to
10^12, characters and bytes thrown in. Each one must get an answer or the sentence that refuses it, in time and without
another exception; what does not is written to a file, and the search goes on. Every input runs in a process of its own,
so that the system ends it even within one long call of a C function.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import re
import resource
import signal
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, Literal, NoReturn, TypeAlias, get_args

from symattn.api.comparison import compare
from symattn.api.proofs import prove, read_record, replay_record
from symattn.api.solutions import solve
from symattn.api.submissions import check_proof
from symattn.arrays.files import of_json, of_npy
from symattn.checking.blocks.stack_checker import StackChecker
from symattn.checking.checker import Checker
from symattn.errors import SymattnError
from symattn.exact.linear.matrix import Matrix
from symattn.exact.rounding.quotients import Rounding, decimal
from symattn.notation.documents.reader import Format
from symattn.problem.model import Problem
from symattn.proofs.catalogue import registry
from symattn.rendering.reports.text import report_text
from tests import tables

Command: TypeAlias = Literal["check", "theorem", "solve", "replay", "compare"]
COMMANDS: tuple[Command, ...] = get_args(Command)

TESTS = Path(__file__).parent.parent
EXAMPLES = TESTS.parent / "examples"
PROBLEMS = (
    "ps4_self_attention", "ps4_cross_attention", "discussion10_attention", "nyu_columns", "causal_two_heads",
    "relative_positions", "padded_cross_attention", "cached_step", "causal_backward", "encoder_block",
    "own_definitions",
)  # fmt: skip
THEOREMS = (
    "dot-product-mean", "dot-product-variance", "dot-product-scaling", "shift-invariance", "softmax-jacobian",
    "identity-attention",
)  # fmt: skip
FORMATS: tuple[Format, ...] = ("tex", "md", "txt")
SLOW = 5.0
"""Seconds of a processor that no input of a page may take."""

BUDGET = 60
"""Seconds of a processor after which an input is given up."""

MEMORY = 2 * 10**9
_MOST_TOLD = 4000
"""Characters of a traceback that are told."""

_NOTE = re.compile(r"%[ ]*symattn:.*$", re.MULTILINE)
_NUMERAL = re.compile(r"[0-9]+")

TOKENS = (
    r"\frac", "{", "}", r"\begin{bmatrix}", r"\end{bmatrix}", "&", r"\\", "=", r"\approx", "_{12}", "^T", "e^{", "Q",
    "K", "V", "softmax(", "(", ")", "[", "]", "1.5", "-", "+", r"\cdot", "0", "1/0", r"\sqrt{", "$", "$$", "~~",
    r"\sum_{j=1}^3", " ", "\n", ",", ";", "9^{9^{9}}", "1e999999", r"\boxed{", r"\in", r"\mathbb{R}", "|", "'", "%",
    "A_{31}", "S_{1,:}", "[[1,2],[3,4]]", "QK^T", r"\left(", r"\right)", "QK_{12}", "X", "W_Q", "c", "max(", "exp(",
    r"\|", "Z_i", r"-\infty", r"\infty", "head_1", "Concat(", "^{(1)}", "^{(3)}", "\n## Head 2\n", "_{masked}", "nan",
)  # fmt: skip
OTHER_TOKENS: dict[Command, tuple[str, ...]] = {
    "check": TOKENS,
    "theorem": (
        *TOKENS, r"\mathbb{E}[", r"\mathrm{Var}(", "q_i", "k_j", r"\mu", r"\sigma^2", r"\sim \mathcal{N}(0, 1)", "Let ",
        "independent", " not ", r"\int", r"\lim_{d \to \infty}", r"\partial", r"\to", "d_k", r"\mid", "if ", "assume ",
    ),
    "solve": (
        '"', "=", "[", "]", "{", "}", ",", "#", "\n", '"""', "true", "nan", "inf", "-", "1e999", '"1/3"', '"x"',
        "[inputs]\n", "[rounding]\nplaces = 3\n", "[[parts]]\n", 'mask = "causal"\n', "Q = [[1, 2]]\n", "heads = 2\n",
        '"sqrt(2)"', 'scale = "none"\n', '"exp(9)"', "places = ", "figures = ", "X = [[1]]\n", "0x10", "1_000",
        "[[1], [2, 3]]",
    ),
    "replay": (
        '"', ":", "{", "}", "[", "]", ",", "null", "true", "exp(", "sqrt(", "**", "/", "*", "mu", "E(", "Sum(", "oo",
        "1/0", "x", "(", ")", "Limit(", "-", "==", "\\u0000", "\\ud800", "steps", "before", "after", "rule", "distinct",
    ),
    "compare": (
        "[", "]", ",", "NaN", "Infinity", "-", "1e400", "1e-400", "null", '"', "0.1", "{", "}", "\n", "[[", "]]",
    ),
}  # fmt: skip


_WEIGHTS = {"W_Q": [[1, 0], [0, 1]], "W_K": [[0, 1], [1, 0]], "W_V": [[1, 1], [0, 1]]}
DECODER = Problem.build(
    X=[[1, 2], [3, -1]],
    block={"norm": "layer", "eps": "1/10"},
    blocks=[{"decoder": True, "memory": [[1, 2], [0, 1], [3, 1]], "inputs": _WEIGHTS, "cross": _WEIGHTS}],
)


@dataclass(frozen=True, slots=True)
class Case:
    """An input of a command.

    Attributes:
        command: who reads it.
        about: the number of the problem, or the name of the theorem.
        data: what is read.
        form: its format.
        strict: whether the sheet's rounding alone is accepted.
    """

    command: Command
    about: int | str
    data: bytes
    form: str
    strict: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of an input in a process of its own.

    Attributes:
        seconds: of a processor that it took.
        fault: the traceback, or the limit that it ran into; empty where there is neither.
    """

    seconds: float
    fault: str = ""


def _checker(problem: Problem, *, strict: bool) -> Checker | StackChecker:
    return StackChecker(problem, strict=strict) if problem.later else Checker(problem, strict=strict)


class Fuzzer:
    """Makes garbled inputs and runs them.

    Args:
        seed: of the chance.
        blocks: whether problem files with blocks, which take seconds, are among those that are garbled.
    """

    def __init__(self, seed: int, *, blocks: bool = True) -> None:
        self.seed, self.random = seed, Random(seed)
        self.results = [*(solve(EXAMPLES / f"{name}.toml") for name in PROBLEMS), solve(DECODER)]
        self.checkers = [_checker(result.problem, strict=strict) for result in self.results for strict in (False, True)]
        works = _texts(EXAMPLES, "*_work.*")
        proofs: list[tuple[str, str]] = [
            (item["theorem"], item["text"])
            for name in ("proof_works", "proof_hypotheses", "proof_readings")
            for item in tables.read(f"data/{name}.yaml")["works"]
        ]
        self.theorems = [theorem.name for theorem in registry.THEOREMS]
        keys = [(number, _NOTE.sub("%", result.to_latex())) for number, result in enumerate(self.results)]
        records = [json.dumps(prove(name).as_json()) for name in THEOREMS]
        self.sources: dict[Command, Sequence[tuple[int | str, str]]] = {
            "check": [*((0, work) for work in works), *keys],
            "theorem": [*proofs, *((proofs[0][0], work) for work in works)],
            "solve": [(0, text) for text in _texts(EXAMPLES, "*.toml") if blocks or "block" not in text],
            "replay": [(0, text) for text in (*records, *_texts(TESTS / "golden", "*.json"))],
            "compare": [
                (number, json.dumps(_floats(result["O"].kernel)))
                for number, result in enumerate(self.results)
                if "O" in result.layer.recipes
            ],
        }
        for text in _texts(EXAMPLES, "*.toml") if blocks else ():
            solve(Problem.from_text(text, "toml")).to_latex()  # proofs are made once, and not for every garbled sheet

    def case(self, command: Command) -> Case:
        """Return a garbled input of a command."""
        random = self.random
        about, text = random.choice(self.sources[command])
        if command in {"check", "theorem"}:  # a piece of a work
            start = random.randrange(len(text))
            text = text[start : start + random.randrange(50, 1500)]
        if command == "replay" and random.random() < 0.8:
            text = json.dumps(self._with_other_leaves(json.loads(text), random.choice((0.001, 0.01, 0.1))))
        else:
            for _ in range(random.randrange(12 if command in {"check", "theorem"} else 4)):
                text = self._changed(text, OTHER_TOKENS[command])
        data = text.encode("utf-8", "surrogatepass")
        if random.random() < 0.05:
            at = random.randrange(len(data) + 1)
            data = data[:at] + random.randbytes(random.randrange(1, 40)) + data[at + random.randrange(40) :]
        if random.random() < 0.3:
            about = random.choice(self.theorems) if command == "theorem" else random.randrange(len(self.results))
        return Case(command, about, data, random.choice(FORMATS), strict=random.random() < 0.3)

    def _changed(self, text: str, tokens: tuple[str, ...]) -> str:
        random = self.random
        at, kind = random.randrange(len(text) + 1), random.random()
        if kind < 0.3:
            return text[:at] + random.choice(tokens) + text[at:]
        if kind < 0.55:
            return self._with_numeral(text, at)
        if kind < 0.7:
            return text[:at] + text[at + random.randrange(1, 6) :]
        if kind < 0.85:
            character = chr(random.choice((random.randrange(32, 127), random.randrange(0x3000))))
            return text[:at] + character + text[at + 1 :]
        if kind < 0.95:
            other = random.randrange(len(text) + 1)
            return text[:at] + text[other : other + 60] + text[at:]
        return text[:at] + text[at : at + random.randrange(1, 40)] * random.randrange(2, 30) + text[at:]

    def _with_other_leaves(self, record: Any, share: float) -> Any:
        """Change a share of the texts and numbers of a record, which stays JSON."""
        if isinstance(record, dict):
            return {key: self._with_other_leaves(value, share) for key, value in record.items()}
        if isinstance(record, list):
            return [self._with_other_leaves(value, share) for value in record]
        if self.random.random() >= share:
            return record
        if isinstance(record, str):
            return self._changed(record, OTHER_TOKENS["replay"])
        return self.random.choice((0, 1, -1, None, True, 10**12, 0.5, "", [], {}))

    def _with_numeral(self, text: str, at: int) -> str:
        """Put a number of any size in the place of the next one."""
        random = self.random
        found = _NUMERAL.search(text, at) or _NUMERAL.search(text)
        numeral = str(random.randrange(10 ** random.randrange(13)) if random.random() < 0.9 else 10**12)
        if random.random() < 0.2:
            numeral += f".{random.randrange(10 ** random.randrange(1, 13))}"
        return text + numeral if found is None else text[: found.start()] + numeral + text[found.end() :]

    def run(self, case: Case) -> None:
        """Run an input, which may be refused with a sentence."""
        try:
            self._run(case)
        except SymattnError as error:
            assert str(error).strip(), "refused without a word"  # noqa: PT017

    def _run(self, case: Case) -> None:
        match case.command:
            case "check":
                report = self.checkers[2 * int(case.about) + case.strict].report(_text_of(case), _format(case), "work")
                json.dumps(report.as_json())
                report_text(report, width=100)
            case "theorem":
                json.dumps(check_proof(str(case.about), _text_of(case), case.form, source="work").as_json())
            case "solve":
                solve(Problem.from_text(_text_of(case), "toml")).to_latex()
            case "replay":
                _ = replay_record(read_record(case.data, "record")).reason
            case "compare":
                read = of_npy if case.data.startswith(b"\x93") else of_json
                compare(self.results[int(case.about)], read(case.data, "", "array"), of="O").as_json()


def _text_of(case: Case) -> str:
    return case.data.decode("utf-8", "replace" if case.command == "solve" else "surrogateescape")


def _format(case: Case) -> Format:
    return next(form for form in FORMATS if form == case.form)


def _texts(folder: Path, pattern: str) -> list[str]:
    return [path.read_text(encoding="utf-8") for path in sorted(folder.glob(pattern))]


def _floats(matrix: Matrix) -> list[list[float]]:
    return [[float(decimal(entry, Rounding(figures=17))) for entry in row] for row in matrix.rows]


def _keep(case: Case, name: str) -> None:
    Path(f"{name}.{case.command}.{case.about}.{case.form}").write_bytes(case.data)


def apart(work: Callable[[], object], seconds: int = BUDGET, memory: int = MEMORY) -> Outcome:
    """Run some work in a process of its own, which the system ends when it takes more than it may.

    Args:
        work: what is run; whatever it raises is a fault.
        seconds: of a processor, at most.
        memory: bytes that it may take besides those that this process has.
    """
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        _run_and_exit(work, writing, seconds, memory)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        fault = pipe.read().decode("utf-8", "replace")
    _, status, used = os.wait4(child, 0)
    if os.WIFSIGNALED(status):
        ended = os.WTERMSIG(status)
        is_slow = ended in {signal.SIGXCPU, signal.SIGKILL}
        fault = f"more than {seconds} s" if is_slow else f"ended by {signal.Signals(ended).name}"
    return Outcome(used.ru_utime + used.ru_stime, fault)


def _run_and_exit(work: Callable[[], object], pipe: int, seconds: int, memory: int) -> NoReturn:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    own = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (own + memory, own + memory))
    try:
        work()
    except BaseException:  # noqa: BLE001 - whatever it is: the parent tells it
        os.write(pipe, traceback.format_exc()[-_MOST_TOLD:].encode())
    finally:
        os._exit(0)


def fuzz(
    fuzzer: Fuzzer, seconds: float, commands: tuple[Command, ...] = COMMANDS
) -> tuple[Counter[Command], list[str]]:
    """Run garbled inputs for some seconds; return how many there were of each command, and what went wrong.

    An input is in the file ``fuzz-SEED-current`` while it runs, so that it is there even if the process is killed.
    """
    seed, counts, faults = fuzzer.seed, Counter[Command](), list[str]()
    end, current = time.monotonic() + seconds, Path(f"fuzz-{seed}-current")
    slowest = 0.0
    gc.freeze()  # what is there is shared with the processes of the inputs
    while time.monotonic() < end:
        case = fuzzer.case(fuzzer.random.choice(commands))
        name = f"fuzz-{seed}-{counts.total()}"
        current.write_bytes(case.data)
        outcome = apart(partial(fuzzer.run, case))
        if not outcome.fault and outcome.seconds > SLOW:  # a busy machine counts its own waiting, too: try once more
            outcome = min(outcome, apart(partial(fuzzer.run, case)), key=lambda found: found.seconds)
        fault = outcome.fault or (f"{outcome.seconds:.1f} s" if outcome.seconds > SLOW else "")
        slowest = max(slowest, outcome.seconds)
        counts[case.command] += 1
        if fault:
            _keep(case, name)
            faults.append(f"{name} ({case.command}, {case.about}, {case.form}, strict {case.strict}): {fault}")
            sys.stdout.write(faults[-1] + "\n")
            sys.stdout.flush()
    current.unlink(missing_ok=True)
    sys.stdout.write(f"{counts.total()} inputs, {len(faults)} faults, the slowest took {slowest:.2f} s: {counts}\n")
    return counts, faults


def main() -> int:
    """Run for some minutes; 0 when nothing failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--command", choices=COMMANDS, action="append", help="only these commands")
    options = parser.parse_args()
    _, faults = fuzz(Fuzzer(options.seed), 60 * options.minutes, tuple(options.command or COMMANDS))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
