"""Garbled works by chance, to see that no text makes the checker fail: ``python -m tests.checking.fuzz --minutes 10``.

Pieces of works and of keys, cut and pasted, with tokens of TeX thrown in. Every one must get a report, in time
and without an exception; what does not is written to a file, and the search goes on.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
import traceback
from pathlib import Path
from random import Random

from symattn.api import solve
from symattn.checking.check import Checker
from symattn.checking.stack import StackChecker
from symattn.notation.documents import Format
from symattn.problem.model import Problem

EXAMPLES = Path(__file__).parent.parent.parent / "examples"
PROBLEMS = (
    "ps4_self_attention", "ps4_cross_attention", "discussion10_attention", "nyu_columns", "causal_two_heads",
    "relative_positions", "padded_cross_attention", "cached_step", "causal_backward", "encoder_block",
    "own_definitions",
)  # fmt: skip
FORMATS: tuple[Format, ...] = ("tex", "md", "txt")
SLOW = 2.0
"""Seconds of a processor that no work of a page may take."""

_NOTE = re.compile(r"%[ ]*symattn:.*$", re.MULTILINE)

TOKENS = (
    r"\frac", "{", "}", r"\begin{bmatrix}", r"\end{bmatrix}", "&", r"\\", "=", r"\approx", "_{12}", "^T", "e^{", "Q",
    "K", "V", "softmax(", "(", ")", "[", "]", "1.5", "-", "+", r"\cdot", "0", "1/0", r"\sqrt{", "$", "$$", "~~",
    r"\sum_{j=1}^3", " ", "\n", ",", ";", "9^{9^{9}}", "1e999999", r"\boxed{", r"\in", r"\mathbb{R}", "|", "'", "%",
    "A_{31}", "S_{1,:}", "[[1,2],[3,4]]", "QK^T", r"\left(", r"\right)", "QK_{12}", "X", "W_Q", "c", "max(", "exp(",
    r"\|", "Z_i", r"-\infty", r"\infty", "head_1", "Concat(", "^{(1)}", "^{(3)}", "\n## Head 2\n", "_{masked}", "nan",
)  # fmt: skip


_WEIGHTS = {"W_Q": [[1, 0], [0, 1]], "W_K": [[0, 1], [1, 0]], "W_V": [[1, 1], [0, 1]]}
DECODER = Problem.build(
    X=[[1, 2], [3, -1]],
    block={"norm": "layer", "eps": "1/10"},
    blocks=[{"decoder": True, "memory": [[1, 2], [0, 1], [3, 1]], "inputs": _WEIGHTS, "cross": _WEIGHTS}],
)


def _checker(problem: Problem, *, strict: bool) -> Checker | StackChecker:
    return StackChecker(problem, strict=strict) if problem.later else Checker(problem, strict=strict)


class Fuzzer:
    """Makes garbled works and checks them."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        results = [*(solve(EXAMPLES / f"{name}.toml") for name in PROBLEMS), solve(DECODER)]
        self.checkers = [_checker(result.problem, strict=strict) for result in results for strict in (False, True)]
        works = [path.read_text(encoding="utf-8") for path in sorted(EXAMPLES.glob("*_work.*"))]
        self.sources = works + [_NOTE.sub("%", result.to_latex()) for result in results]

    def work(self) -> str:
        """A piece of a work, changed at a few places."""
        random = self.random
        source = random.choice(self.sources)
        start = random.randrange(len(source))
        text = source[start : start + random.randrange(50, 1500)]
        for _ in range(random.randrange(12)):
            text = self._changed(text)
        return text

    def _changed(self, text: str) -> str:
        random = self.random
        at, kind = random.randrange(len(text) + 1), random.random()
        if kind < 0.4:
            return text[:at] + random.choice(TOKENS) + text[at:]
        if kind < 0.6:
            return text[:at] + text[at + random.randrange(1, 6) :]
        if kind < 0.8:
            return (
                text[:at] + chr(random.choice((random.randrange(32, 127), random.randrange(0x3000)))) + text[at + 1 :]
            )
        other = random.randrange(len(text) + 1)
        return text[:at] + text[other : other + 60] + text[at:]

    def check(self, text: str) -> float:
        """Checks a work; the seconds of a processor that it took."""
        begun = time.process_time()
        self.random.choice(self.checkers).report(text, self.random.choice(FORMATS), "work").as_json()
        return time.process_time() - begun


def _keep(text: str, seed: int, count: int) -> None:
    Path(f"fuzz-{seed}-{count}.txt").write_text(text, encoding="utf-8", errors="surrogatepass")


def main() -> int:
    """Runs for some minutes; 0 when nothing failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    fuzzer, count, failed, slowest = Fuzzer(options.seed), 0, 0, 0.0
    end = time.monotonic() + 60 * options.minutes
    while time.monotonic() < end:
        text, seconds = fuzzer.work(), 0.0
        try:
            seconds = fuzzer.check(text)
        except Exception:  # noqa: BLE001 - whatever it is: the text that made it is kept, and told at the end
            _keep(text, options.seed, count)
            traceback.print_exc()
            failed += 1
        if seconds > SLOW:
            _keep(text, options.seed, count)
        slowest, count = max(slowest, seconds), count + 1
    sys.stdout.write(f"{count} works checked, {failed} failed, the slowest took {slowest:.2f} s\n")
    return 0 if slowest < SLOW and not failed else 1


if __name__ == "__main__":
    sys.exit(main())
