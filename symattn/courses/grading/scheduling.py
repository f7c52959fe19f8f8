"""Places where the results of students are made: processes of this machine, or the workers of a Dask cluster."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, TypeAlias

from symattn import late
from symattn.api.transcripts import VERSION
from symattn.courses.grading.judging import Made, Task, make_result
from symattn.errors import SymattnError
from symattn.processes import cluster
from symattn.processes.isolation import Failure, run_isolated
from symattn.processes.limits import is_over_budget

if TYPE_CHECKING:
    import distributed
else:
    distributed = late.module("distributed")

TaskOf: TypeAlias = Callable[[str], Task]
"""Returns the task of a student's key."""

Emit: TypeAlias = Callable[[str, Made | Failure], None]
"""Is called with each key and what came of its task."""

Workers: TypeAlias = Callable[[TaskOf, Iterable[str], Emit], None]
"""Makes the results of students: `run_here` or `run_on_cluster`, each with its first argument."""

_ALONE = "from symattn.courses.grading import scheduling; scheduling.serve()"


def run_here(jobs: int, task_of: TaskOf, keys: Iterable[str], emit: Emit) -> None:
    """Make results in processes of this machine.

    Args:
        jobs: how many processes there are.
        task_of: returns the task of a key, when its turn comes.
        keys: the keys of the students.
        emit: is called in this process.
    """
    run_isolated(lambda pool, key: pool.submit(make_result, task_of(key)), keys, jobs, emit)


def run_on_cluster(address: str, task_of: TaskOf, keys: Iterable[str], emit: Emit) -> None:
    """Make results on a running Dask cluster, as `run_here` does on this machine.

    A worker that is lost costs nothing: the cluster gives its tasks to others.

    Raises:
        InputError: distributed is not installed, no scheduler answers, or the cluster cannot be used.
    """
    with cluster.connected(address) as (client, threads):
        waiting = iter(keys)
        running = distributed.as_completed(loop=client.loop)
        names: dict[object, str] = {}

        def submit() -> None:
            name = next(waiting, None)
            if name is not None:
                future = client.submit(make_alone, task_of(name), VERSION, pure=False)
                names[future] = name
                running.add(future)

        for _ in range(cluster.AHEAD * threads):
            submit()
        for future in running:
            emit(names.pop(future), _outcome(future))
            submit()


def _outcome(future: distributed.Future) -> Made | Failure:
    try:
        made: Made | Failure = future.result()
    except distributed.KilledWorker:
        return Failure()
    return made


def make_alone(task: Task, version: str) -> Made | Failure:
    """Make a result in a process of its own, whose budget a thread of a worker could not hold.

    Raises:
        InputError: the cluster has another release of the program, or the task cannot be used.
    """
    cluster.check_release(version, VERSION)
    done = subprocess.run(  # noqa: S603 - no shell, and nothing of the task is an argument
        [sys.executable, "-P", "-c", _ALONE], input=pickle.dumps(task), capture_output=True, check=False,
        env=dict(os.environ),
    )  # fmt: skip
    if done.returncode:
        return Failure(is_over=is_over_budget(done.returncode))
    made: Made | SymattnError = pickle.loads(done.stdout)  # noqa: S301 - written by our own process
    if isinstance(made, SymattnError):
        raise made
    return made


def serve() -> None:
    """Read a task from standard input, and write its result, or the refusal of it, to standard output."""
    task: Task = pickle.load(sys.stdin.buffer)  # noqa: S301 - written by our own process
    made: Made | SymattnError
    try:
        made = make_result(task)
    except SymattnError as refusal:
        made = refusal
    sys.stdout.buffer.write(pickle.dumps(made))
