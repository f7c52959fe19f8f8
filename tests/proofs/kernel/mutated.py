"""A plugin of pytest that loads one module of the package with a passage of its source replaced."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.exact.kernel import Finder

ROOT = Path(__file__).parents[3]
FAILED_TESTS = 1
"""The status of pytest where a test fails."""


def source_of(module: str) -> str:
    """Return the source of a module of the package."""
    return ROOT.joinpath(*module.split(".")).with_suffix(".py").read_text(encoding="utf-8")


def run(mutant: dict[str, str], tests: Path) -> subprocess.CompletedProcess[str]:
    """Run tests with one passage of a module replaced, until the first of them fails."""
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-n", "0", "-x", "-q", "-p", "no:cacheprovider", "-p", __name__, str(tests)],
        cwd=ROOT,
        env={**os.environ, "MUTANT_MODULE": mutant["module"], "MUTANT_OLD": mutant["old"], "MUTANT_NEW": mutant["new"]},
        capture_output=True,
        text=True,
        check=False,
    )


if "MUTANT_MODULE" in os.environ:
    sys.meta_path.insert(0, Finder(*(os.environ[f"MUTANT_{part}"] for part in ("MODULE", "OLD", "NEW"))))
