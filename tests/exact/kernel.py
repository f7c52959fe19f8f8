"""The modules of the integer kernel as one object, loaded afresh, with a change in the source of one if asked for."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import CodeType, ModuleType, SimpleNamespace
from typing import Any

PACKAGE = "symattn.exact"
NAMES = (
    "linear.algorithm_selection",
    "linear.integer_matrix",
    "rows.powers",
    "rows.integer_scores",
    "rows.mixed_scores",
    "rows.certified_rows",
)
"""The modules of the kernel, each after those that it imports."""

FULL = {name.rpartition(".")[2]: f"{PACKAGE}.{name}" for name in NAMES}
"""Their whole names by their last parts, which tests use."""


class _Changed(SourceFileLoader):
    """Compiles a source in which one passage is replaced; no bytecode is read or kept."""

    old, new = "", ""

    def get_code(self, fullname: str) -> CodeType | None:
        source = self.get_data(self.get_filename(fullname)).decode()
        if source.count(self.old) != 1:
            raise LookupError(f"{self.old!r} stands {source.count(self.old)} times in {fullname}, not once")
        return self.source_to_code(source.replace(self.old, self.new).encode(), self.get_filename(fullname))


class Finder(MetaPathFinder):
    """Finds one module, with a passage of its source replaced."""

    def __init__(self, name: str, old: str, new: str) -> None:
        self.name, self.old, self.new = name, old, new

    def find_spec(self, fullname: str, path: Any, target: ModuleType | None = None) -> ModuleSpec | None:
        if fullname != self.name:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None and spec.origin is not None:
            spec.loader = _Changed(fullname, spec.origin)
            spec.loader.old, spec.loader.new = self.old, self.new
        return spec


@contextmanager
def changed(name: str, old: str, new: str) -> Iterator[SimpleNamespace]:
    """The kernel with `old` replaced by `new` in the source of one module; all is put back at the end."""
    kept = {full: sys.modules.pop(full, None) for full in FULL.values()}
    finder = Finder(FULL[name], old, new)
    sys.meta_path.insert(0, finder)
    try:
        yield modules()
    finally:
        sys.meta_path.remove(finder)
        for full, module in kept.items():
            sys.modules.pop(full, None)
            if module is not None:
                sys.modules[full] = module
                package, _, short = full.rpartition(".")
                setattr(sys.modules[package], short, module)


def modules() -> SimpleNamespace:
    """The kernel as it is."""
    return SimpleNamespace(**{short: importlib.import_module(full) for short, full in FULL.items()})
