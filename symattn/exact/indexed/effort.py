"""TRUSTED. Work limit: terms that are normalised are counted, so that no formula takes forever."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from symattn.errors import InputError

_left: ContextVar[list[int] | None] = ContextVar("left", default=None)


@contextmanager
def bounded(most: int) -> Iterator[None]:
    """Limit the terms of a computation, by what is left of the limit around it.

    Raises:
        InputError: it takes more.
    """
    outer = _left.get()
    allowed = most if outer is None else min(most, outer[0])
    left = [allowed]
    token = _left.set(left)
    try:
        yield
    finally:
        _left.reset(token)
        if outer is not None:
            outer[0] -= allowed - left[0]


def spend(terms: int = 1) -> None:
    """Count terms that are computed."""
    left = _left.get()
    if left is None:
        return
    left[0] -= terms
    if left[0] < 0:
        raise InputError("It takes more terms than are computed here: take it apart, or take a smaller case.")
