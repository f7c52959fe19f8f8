"""Attempts at what may not be readable: a default in place of the error."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from symattn.errors import InputError

_P = ParamSpec("_P")
_T = TypeVar("_T")
_D = TypeVar("_D")


def attempt(function: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T | None:
    """Return the value of a function; None where an `InputError` ends it."""
    return otherwise(None)(function)(*args, **kwargs)


def otherwise(default: _D) -> Callable[[Callable[_P, _T]], Callable[_P, _T | _D]]:
    """Return a decorator of functions that return a default where an `InputError` ends them.

    >>> from symattn.exact.numerals.rational import rational
    >>> otherwise(None)(rational)("one half")
    """

    def decorated(function: Callable[_P, _T]) -> Callable[_P, _T | _D]:
        @wraps(function)
        def tried(*args: _P.args, **kwargs: _P.kwargs) -> _T | _D:
            try:
                return function(*args, **kwargs)
            except InputError:
                return default

        return tried

    return decorated
