"""Data files of the package: texts and TOML tables that lie beside the modules that read them."""

from __future__ import annotations

import pkgutil
import sys
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from symattn import late

if TYPE_CHECKING:
    import tomllib
    from collections.abc import Mapping
    from types import CodeType
else:
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
    __import__(package)
    path = Path(sys.modules[package].__file__ or "").with_name(name)
    if not path.is_file():
        return tomllib.loads(read_text(package, name))
    loader = _TableLoader(name, f"{path}{_SUFFIX}")
    module = ModuleType(name)
    loader.exec_module(module)
    tables: dict[str, Any] = module.TABLES
    return tables


_SUFFIX = ".py"
"""Suffix by which the bytecode of a table has another name than that of a module: ``phrases.toml.cpython-313.pyc``."""


class _TableLoader(SourceFileLoader):
    """Loader of a TOML file as a module that holds its tables, whose bytecode is cached as that of all modules.

    To parse the tables that a check reads takes five milliseconds, to load their bytecode half of one.
    """

    def path_stats(self, path: str) -> Mapping[str, Any]:
        """Return the time and size of the file, by which its bytecode is known to be current."""
        return super().path_stats(path.removesuffix(_SUFFIX))

    def get_data(self, path: str) -> bytes:
        """Return the bytes of the file, or of its bytecode."""
        return super().get_data(path.removesuffix(_SUFFIX))

    @staticmethod
    def source_to_code(data: Any, path: Any = "", *_: Any, **__: Any) -> CodeType:
        """Compile the tables as one literal."""
        return compile(f"TABLES = {tomllib.loads(bytes(data).decode())!r}", path, "exec")
