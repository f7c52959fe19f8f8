"""Whole processes: their processor time, bytecode cached, and the memory that one takes."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass

from tests.benchmarks import key
from tests.benchmarks.data import PLACED, positioned_file
from tests.benchmarks.peers import is_there
from tests.benchmarks.timing import Times


@dataclass(frozen=True, slots=True)
class Command:
    """A process to compare with: ours is to take at most `reach` of its time."""

    name: str
    arguments: tuple[str, ...]
    reach: float
    missing: str = ""


@dataclass(frozen=True, slots=True)
class ProcessCase:
    """One of our processes, which ends with `status`, and those of others."""

    name: str
    title: str
    ours: tuple[str, ...]
    peers: tuple[Command, ...]
    status: int = 0
    rounds: int = 3
    """Runs of each in a round of the table."""

    def commands(self) -> list[tuple[tuple[str, ...], int]]:
        """Ours and those of the peers that are there, each with the status it ends with."""
        return [(self.ours, self.status), *((peer.arguments, 0) for peer in self.peers if not peer.missing)]


def process_cases(*, quick: bool = False) -> list[ProcessCase]:
    """All of them; quick ones are the same without long ones."""
    typer = "" if is_there("typer") else "typer"
    helped = (
        Command("a typer application", ("tests/benchmarks/typer_app.py", "--help"), 0.5, typer),
        Command("an eager sympy import", ("-c", "import sympy"), 0.2),
    )
    keyed = (Command("the sympy script", key.THEIRS, key.LIMIT),)
    check = ("-m", "symattn", "check", "examples/ps4_self_attention.toml")
    pages = (*check, "examples/ps4_clean_work.tex"), (*check, "examples/ps4_student_work.md")
    checked = (Command("import of click and jinja2", ("-c", "import click, jinja2"), 3.5),)
    return [
        ProcessCase("help", "symattn --help, whole process", ("-m", "symattn", "--help"), helped),
        ProcessCase("key", "3×3 key, whole process", key.OURS, keyed),
        ProcessCase("check", "check of a page of work, whole process", pages[0], checked),
        ProcessCase("check-wrong", "check of a page with mistakes, whole process", pages[1], checked, status=1),
        *(_positions(2, kind, ending) for kind in PLACED for ending in ("tex", "json", "csv")),
        *(_positions(24, kind, ending) for kind in PLACED for ending in ("tex", "json", "csv") if not quick),
    ]


def _positions(n: int, kind: str, ending: str) -> ProcessCase:
    def command(kind: str) -> tuple[str, ...]:
        path = positioned_file(n, kind)
        return ("-m", "symattn", "solve", str(path), "-o", str(path.with_suffix("." + ending)))

    plain = Command("the layer without", command(""), 1.5)
    title = f"{kind}, {n} tokens as .{ending}, whole process"
    return ProcessCase(f"positions-{kind}-{n}-{ending}", title, command(kind), (plain,), rounds=3 if n == 2 else 1)


def processes_in_turn(commands: Sequence[tuple[tuple[str, ...], int]], rounds: int) -> list[Times]:
    """The processor times of commands that end with given statuses, each run once a round, after one warming run."""
    with tempfile.TemporaryDirectory() as cache:
        for command, status in commands:
            key.processor_time(command, cache, status)
        return _rounds(commands, rounds, cache)


def processes_once(commands: Sequence[tuple[tuple[str, ...], int]]) -> list[Times]:
    """The same of one run each, with what bytecode there is."""
    return _rounds(commands, 1, "")


def _rounds(commands: Sequence[tuple[tuple[str, ...], int]], rounds: int, cache: str) -> list[Times]:
    found = [[key.processor_time(own, cache, status) / 1000 for own, status in commands] for _ in range(rounds)]
    return [Times(tuple(column)) for column in zip(*found, strict=True)]


_PEAK = """
from symattn.exact.numerals.decimals import Rounding
from symattn.exact.rows.certified_rows import layer_rows
from tests.benchmarks.data import layer
made = layer({n})
length = 0
for pair in [*layer_rows(made.scores, made.values, Rounding(places=15))]:
    length += sum(len(text) + 1 for texts in pair for text in texts)
with open("/proc/self/status") as file:
    peak = next(line.split()[1] for line in file if line.startswith("VmHWM:"))
print(peak, length)
"""


def peak_memory(n: int) -> tuple[int, int] | None:
    """The most bytes that a process took that held all rows of n tokens, and those of their text; None unless Linux."""
    if not os.path.exists("/proc/self/status"):  # noqa: PTH110 - as the process that is started asks it
        return None
    done = subprocess.run(
        [sys.executable, "-c", _PEAK.format(n=n)], cwd=key.ROOT, capture_output=True, text=True, check=True
    )
    peak, length = map(int, done.stdout.split())
    return 1024 * peak, length
