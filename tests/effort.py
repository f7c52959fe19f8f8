"""How much work something is, counted and not timed: the same number on every machine, busy or not."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def effort(most: int) -> Iterator[None]:
    """Fails as soon as more than `most` functions have been called."""
    left = most

    def count(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal left
        left -= event in {"call", "c_call"}
        if left < 0:
            sys.setprofile(None)
            raise AssertionError(f"more than {most} calls")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        yield
    finally:
        sys.setprofile(before)


def calls(work: Callable[[], object]) -> int:
    """Return how many functions are called by some work."""
    count = 0

    def add(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal count
        count += event in {"call", "c_call"}

    before = sys.getprofile()
    sys.setprofile(add)
    try:
        work()
    finally:
        sys.setprofile(before)
    return count
