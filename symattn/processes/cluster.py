"""Running Dask clusters: how they are reached, tasks that are kept ahead of the answers, and what is told of loss."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent import futures
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from symattn import late
from symattn.errors import InputError
from symattn.printable import visible

if TYPE_CHECKING:
    import distributed
else:
    distributed = late.module("distributed")

Item = TypeVar("Item")
Held = TypeVar("Held")
Answer = TypeVar("Answer")

CONNECTING = 10
"""Seconds in which a scheduler must answer."""

AHEAD = 4
"""Tasks that wait at the cluster for each of its threads."""


@contextmanager
def connected(address: str) -> Iterator[tuple[distributed.Client, int]]:
    """Open a client of a running cluster, with the number of its threads.

    Raises:
        InputError: distributed is not installed, no scheduler answers, workers are missing, or it is lost meanwhile.
    """
    with _client(address) as client:
        threads = sum(client.nthreads().values())
        if not threads:
            raise InputError(f"The cluster at {visible(address)} has no workers. Start some with dask worker.")
        try:
            yield client, threads
        except (asyncio.CancelledError, futures.CancelledError) as error:
            raise InputError("The connection to the Dask scheduler was lost. Run the same command again.") from error


def _client(address: str) -> distributed.Client:
    try:
        connect = distributed.Client
        for name in ("distributed", "distributed.client"):  # what they log of lost connections is told here
            logging.getLogger(name).setLevel(logging.CRITICAL)
        return connect(address, timeout=CONNECTING, set_as_default=False)
    except ModuleNotFoundError as error:
        raise InputError(
            '--scheduler needs the library distributed. Install it with pip install "symattn[cluster]".'
        ) from error
    except (OSError, ValueError, TypeError) as error:
        raise InputError(
            f"No Dask scheduler answers at {visible(address)}. Start one with dask scheduler, and give its address, "
            "such as tcp://127.0.0.1:8786."
        ) from error


def check_release(version: str, own: str) -> None:
    """Refuse a task of another release, whose answer may be another.

    Raises:
        InputError: the releases differ.

    >>> check_release("1", "1")
    """
    if version != own:
        raise InputError(f"The cluster has symattn {own}, and this is {version}. Install the same release there.")


def in_order(address: str, run: Callable[[Held, Item], Answer], held: Held, items: Iterable[Item]) -> Iterator[Answer]:
    """Yield the answers of tasks in their order; a worker that is lost costs nothing, others do its tasks.

    Args:
        address: of the scheduler.
        run: the task, a function of a module.
        held: what all tasks need, which each worker is sent once.
        items: what each task is about.

    Raises:
        InputError: the cluster cannot be used, or is lost.
    """
    with connected(address) as (client, threads):
        everywhere = client.scatter(held, broadcast=True)
        running: deque[distributed.Future] = deque()
        for item in items:
            running.append(client.submit(run, everywhere, item, pure=False))
            if len(running) > AHEAD * threads:
                yield running.popleft().result()
        while running:
            yield running.popleft().result()
