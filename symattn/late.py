"""TRUSTED. The gate for imports that wait until a name is used.

`symattn --help` and plain keys load no more than they need.

A file that needs such a module says so at its top, once, so that type checkers and readers see an ordinary import:

    if TYPE_CHECKING:
        from symattn.exact.reals import elementary
    else:
        elementary = late.module("symattn.exact.reals.elementary")

and writes `elementary.name` where it is used. Sub-modules of a library are modules of their own:
`late.module("mpmath.libmp")`. Patterns that few runs need wait in the same way: `late.pattern(r"...")`.
"""

from __future__ import annotations

import re
import sys
from typing import cast


class LateModule:
    """A module that is imported when one of its names is first read."""

    __slots__ = ("__dict__", "_name")

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> object:
        if name == "__wrapped__":
            raise AttributeError(name)  # tools that inspect a file ask everything in it for this name
        __import__(self._name)  # not import_module: python -X importtime does not list its modules
        loaded = sys.modules[self._name]
        self.__dict__ = vars(loaded)  # from now on names are read from the module itself
        return getattr(loaded, name)


def module(name: str) -> LateModule:
    """Return a stand-in for a module that imports it on first use.

    Args:
        name: the dotted name, as in `import`.

    Raises:
        ModuleNotFoundError: on first use, no such module.

    >>> fractions = module("fractions")
    >>> fractions.Fraction("1/3")
    Fraction(1, 3)
    """
    return LateModule(name)


class LatePattern:
    """A regular expression that is compiled when it is first used."""

    def __init__(self, expression: str, flags: int) -> None:
        self._arguments = expression, flags

    def __getattr__(self, name: str) -> object:
        found = getattr(re.compile(*self._arguments), name)
        setattr(self, name, found)
        return found


def pattern(expression: str, flags: int = 0) -> re.Pattern[str]:
    """Return a stand-in for a regular expression that compiles it on first use: long ones take milliseconds.

    Args:
        expression: the expression.
        flags: as of `re.compile`.

    >>> pattern("a+").findall("caab")
    ['aa']
    """
    return cast("re.Pattern[str]", LatePattern(expression, flags))
