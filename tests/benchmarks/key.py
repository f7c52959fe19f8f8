"""Processor time of a 3×3 key, whole process, against the same matrices in sympy.

Run by hand from the top of the tree: ``python -m tests.benchmarks.key``. The median of 20 runs of each,
one after the other in turn, so that a busy machine slows both; bytecode is cached by a first run.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent

OURS = ("-m", "symattn", "solve", "examples/ps4_self_attention.toml", "-o", os.devnull)
THEIRS = ("tests/benchmarks/sympy_key.py",)
BARE = ("-c", "pass")

LIMIT = 0.5
"""A key takes at most this part of what the sympy script takes."""


@dataclass(frozen=True, slots=True)
class Times:
    """Medians of processor time in milliseconds: a key, the sympy script, the interpreter alone."""

    ours: float
    theirs: float
    bare: float

    @property
    def ratio(self) -> float:
        return self.ours / self.theirs


def processor_time(arguments: tuple[str, ...], cache: str, status: int = 0) -> float:
    """User and system time in milliseconds of one run of the interpreter.

    Its bytecode is kept in the folder `cache`; where that is empty, wherever the environment says. It must end with
    `status`.
    """
    # Installed packages have their bytecode beside them; where the environment forbids to write any, ours would be
    # compiled in every run, and theirs not.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    if cache:
        environment["PYTHONPYCACHEPREFIX"] = cache
    process = subprocess.Popen(
        [sys.executable, *arguments], cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    _, waited, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(waited)
    if process.returncode != status:
        raise RuntimeError(f"python {' '.join(arguments)} ended with {process.returncode}")
    return 1000 * (usage.ru_utime + usage.ru_stime)


def measure(runs: int = 20) -> Times:
    """The medians of `runs` runs after one that warms the caches."""
    commands = (OURS, THEIRS, BARE)
    with tempfile.TemporaryDirectory() as cache:
        for command in commands:
            processor_time(command, cache)
        rounds = [[processor_time(command, cache) for command in commands] for _ in range(runs)]
    return Times(*(statistics.median(column) for column in zip(*rounds, strict=True)))


def main() -> None:
    """Print the medians and the ratio."""
    times = measure()
    print(f"3x3 key as .tex, whole process   {times.ours:7.1f} ms")
    print(f"the same matrices in sympy       {times.theirs:7.1f} ms")
    print(f"python alone                     {times.bare:7.1f} ms")
    print(f"ratio                            {times.ratio:7.2f}    (to reach: at most {LIMIT})")


if __name__ == "__main__":
    main()
