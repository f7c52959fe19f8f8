"""TRUSTED. The gate for imports that wait until a name is used.

`symattn --help` and plain keys load no more than they need. A module of the program runs when one of its names is first
read, so the form of an import says when that is:

    from symattn.exact.reals import elementary  # waits until elementary.name is read
    from symattn.exact.reals.elementary import NAMES  # runs it now

A slow library waits where a file says so at its top, once, so that type checkers and readers see an ordinary import:

    if TYPE_CHECKING:
        import sympy
    else:
        sympy = late.module("sympy")

Sub-modules of a library are modules of their own: `late.module("mpmath.libmp")`. Patterns that few runs need wait in
the same way: `late.pattern(r"...")`.
"""

from __future__ import annotations

import re
import sys
from contextlib import suppress
from importlib import import_module
from importlib.machinery import PathFinder
from threading import RLock
from types import ModuleType
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.machinery import ModuleSpec

_OURS = "symattn."
_NAMES: Any = vars(ModuleType)["__dict__"]


class WaitingModule(ModuleType):
    """A module of the program that has not run; afterwards it is an ordinary module."""

    def __getattr__(self, name: str) -> object:
        """Run the module for one of its names; the special names that tools ask all modules for are not there.

        For its modules a package does not run: it may take names from one that is running.
        """
        if name.startswith("__"):
            raise AttributeError(name)
        if "__path__" in _NAMES.__get__(self):
            with suppress(ModuleNotFoundError):
                return import_module(f"{self.__name__}.{name}")
        self._run()
        return ModuleType.__getattribute__(self, name)

    def __setattr__(self, name: str, value: object) -> None:
        """Run the module before one of its names gets another value; an import sets special names and sub-modules."""
        if not name.startswith("__") and not isinstance(value, ModuleType):
            self._run()
        ModuleType.__setattr__(self, name, value)

    @property
    def __dict__(self) -> dict[str, Any]:  # type: ignore[override]  # read before the module has run
        """The names of the module, which tools list."""
        self._run()
        return cast("dict[str, Any]", _NAMES.__get__(self))

    @property
    def __doc__(self) -> str | None:  # type: ignore[override]  # read before the module has run
        """The docstring of the module."""
        return cast("str | None", vars(self).get("__doc__"))

    def _run(self) -> None:
        cast("_WaitingLoader", cast("ModuleSpec", self.__spec__).loader).run(self)


class _WaitingLoader:
    """A loader that runs modules when one of their names is read, in one thread.

    Args:
        loader: the loader that reads and runs the module.
    """

    def __init__(self, loader: Any) -> None:
        self._loader = loader
        self._lock = RLock()
        self._runs = False

    def __getattr__(self, name: str) -> object:
        return getattr(self._loader, name)

    @staticmethod
    def create_module(spec: ModuleSpec) -> ModuleType:
        """Return the module before it runs."""
        return WaitingModule(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Let a new module wait, and run one that is loaded again."""
        if type(module) is not WaitingModule:
            self._loader.exec_module(module)

    def run(self, module: ModuleType) -> None:
        """Run a module, unless it runs in this thread already."""
        with self._lock:
            if type(module) is WaitingModule and not self._runs:
                self._runs = True
                try:
                    self._loader.exec_module(module)
                    cast("ModuleType", module).__class__ = ModuleType
                finally:
                    self._runs = False


class _Finder:
    """The finder of the program's own modules."""

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> ModuleSpec | None:
        """Return how a module is loaded; None for those of others."""
        spec = PathFinder.find_spec(name, path, target) if name.startswith(_OURS) else None
        if spec is not None and spec.loader is not None:
            spec.loader = cast("Any", _WaitingLoader(spec.loader))
        return spec


def install() -> None:
    """Let modules of the program wait from now on; other finders before the usual one keep their turn."""
    finders = cast("list[Any]", sys.meta_path)
    finders.insert(finders.index(PathFinder) if PathFinder in finders else len(finders), _Finder)


class LateModule:
    """A module of a library that is imported when one of its names is first read."""

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
    """Return a stand-in for a module of a library that imports it on first use.

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
