"""What all tests share: a fixed order of random examples, and the `tex` marker."""

from __future__ import annotations

import gc
import os
import shutil
import signal
from collections import Counter, defaultdict
from collections.abc import Generator, Iterable, Mapping
from random import Random

import pytest
from hypothesis import settings

REQUIRE_TEX = os.environ.get("SYMATTN_REQUIRE_TEX", "") not in ("", "0")
"""Set where a `tex` test that does not run is a fault of its own."""

# A gate gives the same answer twice, from fewer examples; more are looked for with the `long` tests.
settings.register_profile("gate", deadline=None, derandomize=True, max_examples=40)
settings.register_profile("long", deadline=None, derandomize=True, max_examples=100)
settings.load_profile("gate")


class TexWatch:
    """Counts which `tex` tests ran, so that none is skipped unnoticed where all are required."""

    def __init__(self) -> None:
        self.ran = 0
        self.skipped: list[str] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if "tex" not in report.keywords:
            return
        if report.skipped:
            self.skipped.append(report.nodeid)
        elif report.when == "call":
            self.ran += 1

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self.missing():
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self.missing():
            names = ", ".join(self.skipped) or "there are none"
            terminalreporter.write_line(f"tex tests are required, but did not run: {names}", red=True)

    def missing(self) -> bool:
        return bool(self.skipped) or self.ran == 0


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="rewrite the reviewed files in tests/golden")


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """One worker more than there are cores: tests of processes and signals wait for others."""
    del config
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return (usable or 1) + 1


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("-m") == "long":
        settings.load_profile("long")
    # A shell starts what runs in the background with Ctrl-C ignored, nohup what outlives its terminal with the end of
    # it; the programs under test would inherit that.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
        signal.signal(signal.SIGHUP, signal.SIG_DFL)
    # Under pytest-xdist the controller hears of every test; its workers hear only of their own.
    if REQUIRE_TEX and not hasattr(config, "workerinput"):
        config.pluginmanager.register(TexWatch(), "tex-watch")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Leave what is collected out of the garbage collector: it stays, and looking at it took a third of the time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    _keep_samples(items)
    _measure_first_cases(items)
    if shutil.which("pdflatex") is None:
        skip = pytest.mark.skip(reason="no pdflatex: apt-get install texlive-latex-recommended texlive-pictures")
        for item in items:
            if item.get_closest_marker("tex"):
                item.add_marker(skip)


_UNMEASURED = pytest.StashKey[bool]()


_MEASURED = 6
"""Tests of a file whose coverage is measured."""


def _measure_first_cases(items: list[pytest.Item]) -> None:
    """Coverage is that of the first case of a few tests of every file: what is measured takes three times as long.

    The others take the same ways with other values, and run at full speed.
    """
    measured: Counter[str] = Counter()
    for name, together in _by_test(items).items():
        file = name.partition("::")[0]
        measured[file] += 1
        first = next((item for item in together if not item.get_closest_marker("long")), together[0])
        is_measured = measured[file] <= _MEASURED and not first.get_closest_marker("unmeasured")
        for item in together:
            if item is not first or not is_measured:
                item.stash[_UNMEASURED] = True


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Pauses pytest-cov for a whole test, what is set up for it included, which its own marker leaves measured."""
    measuring = item.config.pluginmanager.getplugin("_cov")
    if measuring is None or _UNMEASURED not in item.stash:
        return (yield)
    measuring.cov_controller.pause()
    try:
        return (yield)
    finally:
        measuring.cov_controller.resume()


def _by_test(items: Iterable[pytest.Item]) -> Mapping[str, list[pytest.Item]]:
    cases: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        cases[item.nodeid.partition("[")[0]].append(item)
    return cases


def _keep_samples(items: list[pytest.Item]) -> None:
    """Of the cases of a test that is marked `sample(n)`, n by a fixed seed stay; the others are `long`."""
    for name, together in _by_test(item for item in items if item.get_closest_marker("sample")).items():
        marker = together[0].get_closest_marker("sample")
        count = marker.args[0] if marker else 0
        for item in Random(name).sample(together, max(0, len(together) - count)):
            item.add_marker(pytest.mark.long)
