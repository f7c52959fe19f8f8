"""``symattn grade --scheduler``: the same files from a Dask cluster, whatever becomes of its workers."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

import pytest

from symattn.courses.grading import scheduling
from symattn.errors import InputError
from symattn.processes import cluster as processes_cluster
from tests.cli.runner import refused, run
from tests.courses.classes import Class, make_class
from tests.courses.test_grading import LARGE, ROOT, files, start

distributed = pytest.importorskip("distributed", reason='needs distributed, pip install "symattn[cluster]"')
pytestmark = pytest.mark.unmeasured

PATIENCE = 120
"""Seconds in which a cluster on a busy machine is there."""


class Cluster:
    """A scheduler with workers of one thread, in processes of their own."""

    def __init__(self, folder: Path, workers: int) -> None:
        self.folder, self.file = folder, folder / "scheduler.json"
        self.scheduler = self._start("dask_scheduler", "--port", "0")
        end = time.monotonic() + PATIENCE
        while not self.file.exists() and time.monotonic() < end:
            time.sleep(0.1)
        self.workers = [self._start("dask_worker", "--nthreads", "1", "--no-nanny") for _ in range(workers)]
        log = folder / "dask_scheduler.log"
        while log.read_text("utf-8").count("Register worker") < workers and time.monotonic() < end:
            time.sleep(0.1)
        self.address = next(line.split()[-1] for line in log.read_text("utf-8").splitlines() if "Scheduler at:" in line)

    def _start(self, program: str, *options: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", f"distributed.cli.{program}", "--scheduler-file", str(self.file)]
        with (self.folder / f"{program}.log").open("ab") as log:
            return subprocess.Popen(
                [*command, "--no-dashboard", *options], stdout=log, stderr=log, cwd=self.folder,
                env={**os.environ, "PYTHONPATH": str(ROOT)},
            )  # fmt: skip

    def stop(self) -> None:
        for process in (*self.workers, self.scheduler):
            process.kill()
            process.wait()


@contextmanager
def cluster(folder: Path, workers: int) -> Iterator[Cluster]:
    found = Cluster(folder, workers)
    try:
        yield found
    finally:
        found.stop()


def grade_while_a_worker_is_killed(made: Class, output: Path, folder: Path, after: int) -> None:
    """Grade a class on two workers, one of which is killed after so many results."""
    with cluster(folder, 2) as found:
        run_of_class = start(made, output, "--scheduler", found.address)
        while run_of_class.poll() is None and len(list((output / "results").glob("*.json"))) < after:
            time.sleep(0.1)
        assert run_of_class.poll() is None
        found.workers[0].kill()
        assert run_of_class.wait() in {0, 3}


def test_a_worker_that_is_killed_costs_nothing(tmp_path: Path) -> None:
    made = make_class(tmp_path / "class", 6)
    assert run(*made.arguments(tmp_path / "here"), "-j", 2).status == 0
    grade_while_a_worker_is_killed(made, tmp_path / "there", tmp_path, 1)
    assert files(tmp_path / "there") == files(tmp_path / "here")


@pytest.mark.long
def test_a_class_of_300_with_a_worker_killed(tmp_path: Path) -> None:
    made = make_class(tmp_path / "class", LARGE, seed=2)
    run(*made.arguments(tmp_path / "here"), "-j", 2)
    grade_while_a_worker_is_killed(made, tmp_path / "there", tmp_path, 60)
    assert files(tmp_path / "there") == files(tmp_path / "here")


def test_a_cluster_that_cannot_be_used_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes_cluster, "CONNECTING", 1)
    made = make_class(tmp_path / "class", 1)
    arguments = made.arguments(tmp_path / "out")
    refused(run(*arguments, "--scheduler", "tcp://127.0.0.1:9"), "No Dask scheduler answers")
    refused(run(*arguments, "--scheduler", "no address"), "No Dask scheduler answers")
    refused(run(*arguments, "--scheduler", "tcp://127.0.0.1:9", "--jobs", 2), "leave --jobs out")
    with cluster(tmp_path, 0) as found:
        refused(run(*arguments, "--scheduler", found.address), "has no workers")


def _layer(path: Path, n: int) -> Path:
    draw = Random(n)
    rows = [[[draw.randint(-40, 40) / 8 for _ in range(8)] for _ in range(n)] for _ in range(3)]
    path.write_text("[inputs]\n" + "".join(f"{name} = {value}\n" for name, value in zip("QKV", rows, strict=True)))
    return path


def test_rows_of_a_cluster_are_the_same_bytes(tmp_path: Path) -> None:
    problem, heads = _layer(tmp_path / "layer.toml", 150), ROOT / "examples" / "causal_two_heads.toml"
    here, there = tmp_path / "here.csv", tmp_path / "there.csv"
    assert run("solve", problem, "-o", here).status == 0
    with cluster(tmp_path, 2) as found:
        assert run("solve", problem, "-o", there, "--scheduler", found.address).status == 0
        assert there.read_bytes() == here.read_bytes()
        refused(run("solve", heads, "-o", there, "--scheduler", found.address), "leave --scheduler out")
        refused(run("solve", problem, "-o", there, "--scheduler", found.address, "-j", 2), "leave --jobs out")
    refused(run("solve", problem, "-o", tmp_path / "key.tex", "--scheduler", "x"), "--scheduler is for tables")
    refused(run("solve", problem, "-o", tmp_path / "a.svg", "--scheduler", "x"), "--scheduler")


@pytest.mark.long
def test_rows_of_a_cluster_that_loses_a_worker(tmp_path: Path) -> None:
    problem, here, there = _layer(tmp_path / "layer.toml", 1500), tmp_path / "here.csv", tmp_path / "there.csv"
    assert run("solve", problem, "-o", here, "--places", 40).status == 0
    with cluster(tmp_path, 2) as found:
        command = ["solve", str(problem), "-o", str(there), "--places", "40", "--scheduler", found.address]
        solving = subprocess.Popen(
            [sys.executable, "-m", "symattn", *command], env={**os.environ, "PYTHONPATH": str(ROOT)}
        )
        with distributed.Client(found.address) as client:
            while solving.poll() is None and not all(client.processing().values()):
                time.sleep(0.05)
            # Both workers have rows to work.
            assert solving.poll() is None
            found.workers[0].kill()
        assert solving.wait() == 0
    assert there.read_bytes() == here.read_bytes()


def test_another_release_is_refused() -> None:
    with pytest.raises(InputError, match="The cluster has symattn"):
        scheduling.make_alone(None, "99")  # type: ignore[arg-type]


def test_a_scheduler_that_is_lost_is_told(tmp_path: Path) -> None:
    made = make_class(tmp_path / "class", 6)
    with cluster(tmp_path, 1) as found:
        run_of_class = subprocess.Popen(
            [sys.executable, "-m", "symattn", *made.arguments(tmp_path / "out"), "--scheduler", found.address],
            stderr=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": str(ROOT)},
        )  # fmt: skip
        while run_of_class.poll() is None and not list((tmp_path / "out" / "results").glob("*.json")):
            time.sleep(0.1)
        found.stop()
        _, told = run_of_class.communicate(timeout=PATIENCE)
    assert (run_of_class.returncode, len(told.splitlines())) == (2, 1)
    assert "The connection to the Dask scheduler was lost." in told
