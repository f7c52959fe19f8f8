"""Data files of the package: texts and TOML tables that lie beside the modules that read them."""

from __future__ import annotations

import sys
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from symattn import late

if TYPE_CHECKING:
    import pkgutil
    import tomllib
    from collections.abc import Callable, Iterable, Mapping, Sequence
else:
    pkgutil = late.module("pkgutil")
    tomllib = late.module("tomllib")


def read_text(package: str, name: str) -> str:
    """Return the text of a file in the folder of a package, from a zip too.

    Args:
        package: the dotted name of the package.
        name: the name of the file.

    Raises:
        FileNotFoundError: no such file.
    """
    found = pkgutil.get_data(package, name)
    if found is None:
        raise FileNotFoundError(f"{package} is loaded in a way that reads no files beside it: {name}")
    return found.decode("utf-8")


def read_table(package: str, name: str) -> dict[str, Any]:
    """Return the tables of a TOML file in the folder of a package, in their order.

    >>> sorted(read_table("symattn.problem.text", "synonyms.toml")["mask"])
    ['lower', 'padding', 'triangular']
    """
    tables: dict[str, Any] = read_cached(package, name, (name,), lambda: tomllib.loads(read_text(package, name)))
    return tables


def read_cached(package: str, name: str, files: Sequence[str], make: Callable[[], Any]) -> Any:
    """Return a value that is made of files, from its bytecode where none of them has changed since.

    Args:
        package: the dotted name of the package in whose folder the files lie.
        name: the name of the bytecode.
        files: the names of all files that the value depends on, modules among them.
        make: makes it, of literals alone: texts, numbers, tuples, lists, dictionaries, sets.
    """
    __import__(package)
    folder = Path(sys.modules[package].__file__ or "").parent
    paths = [folder / file for file in files]
    if not all(path.is_file() for path in paths):
        return make()
    loader = _ValueLoader(name, str(folder / f"{name}{_SUFFIX}"), paths, make)
    module = ModuleType(name)
    loader.exec_module(module)
    return module.TABLES


_SUFFIX = ".py"
"""Suffix by which the bytecode of a table has another name than that of a module: ``phrases.toml.cpython-313.pyc``."""


class _ValueLoader(SourceFileLoader):
    """Loader of a value as a module that holds it, whose bytecode is cached as that of all modules.

    To parse the tables that a check reads takes five milliseconds, to load their bytecode half of one.
    """

    def __init__(self, name: str, path: str, files: Iterable[Path], make: Callable[[], Any]) -> None:
        super().__init__(name, path)
        self.files = files
        self.make = make

    def path_stats(self, _path: str) -> Mapping[str, Any]:
        """Return the times and sizes of the files, by which the bytecode is known to be current, as one time."""
        stats = [super(_ValueLoader, self).path_stats(str(file)) for file in self.files]
        return {"mtime": sum(int(found["mtime"]) + found["size"] for found in stats), "size": None}

    def get_data(self, path: str) -> bytes:
        """Return the value as one literal, or its bytecode."""
        return f"TABLES = {self.make()!r}".encode() if path == self.path else super().get_data(path)
