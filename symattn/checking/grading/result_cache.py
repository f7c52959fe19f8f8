"""Cache of results that rest on what a submission has said so far."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

Result = TypeVar("Result")


class Cache(Generic[Result]):
    """Cache of results by key, cleared as soon as the state of their inputs changes.

    Args:
        state: counts how often what the results rest on has changed.
    """

    def __init__(self, state: Callable[[], int]) -> None:
        self._state = state
        self._found_in = -1
        self._results: dict[object, Result] = {}

    def get(self, key: object, find: Callable[[], Result]) -> Result:
        """Return the result for a key, found out where it is not known yet.

        >>> counts = iter(range(10))
        >>> cache = Cache[int](lambda: 0)
        >>> cache.get("a", lambda: next(counts)), cache.get("a", lambda: next(counts))
        (0, 0)
        """
        if self._found_in != self._state():
            self._results.clear()
            self._found_in = self._state()
        if key not in self._results:
            self._results[key] = find()
        return self._results[key]
