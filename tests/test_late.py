"""Modules that wait: nothing is imported before a name is read, and then the module itself answers."""

from __future__ import annotations

import ast
import inspect
import re
import sys
from collections.abc import Iterator

import pytest

from symattn import late
from tests import house


@pytest.fixture
def unloaded(monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.delitem(sys.modules, "colorsys", raising=False)
    return "colorsys"


def test_nothing_is_imported_before_a_name_is_read(unloaded: str) -> None:
    module = late.module(unloaded)
    assert unloaded not in sys.modules
    assert module.rgb_to_hsv is sys.modules[unloaded].rgb_to_hsv


def test_a_pattern_is_compiled_when_it_is_first_used() -> None:
    unclosed, letters = late.pattern("("), late.pattern("a+b", re.IGNORECASE)
    assert letters.fullmatch("AAB") is not None
    assert letters.search("b") is None
    with pytest.raises(re.error):
        unclosed.search("")


def test_an_inspection_imports_nothing(unloaded: str) -> None:
    module = late.module(unloaded)
    assert inspect.unwrap(module) is module  # type: ignore[arg-type]
    assert unloaded not in sys.modules


def test_a_name_that_changes_in_the_module_changes_here(unloaded: str, monkeypatch: pytest.MonkeyPatch) -> None:
    module = late.module(unloaded)
    assert module.ONE_THIRD == 1 / 3
    monkeypatch.setattr(sys.modules[unloaded], "ONE_THIRD", 0)
    assert module.ONE_THIRD == 0


def test_a_missing_name_is_named_before_and_after_the_import(unloaded: str) -> None:
    module = late.module(unloaded)
    for _ in range(2):
        with pytest.raises(AttributeError, match="nothing"):
            module.nothing  # noqa: B018


def test_a_missing_module_is_named() -> None:
    with pytest.raises(ModuleNotFoundError, match=r"symattn\.nothing"):
        late.module("symattn.nothing").name  # noqa: B018


def stand_ins(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Names that are late modules in a file, each with the module that it loads."""
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)):
            continue
        if ast.unparse(node.value.func) == "late.module":
            yield ast.unparse(node.targets[0]), ast.literal_eval(node.value.args[0])


def typed(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Names that imports for type checkers bind, each with the module that it is for them."""
    for block in tree.body:
        if not (isinstance(block, ast.If) and ast.unparse(block.test) == "TYPE_CHECKING"):
            continue
        for node in block.body:
            if isinstance(node, ast.Import):
                yield from ((alias.asname or alias.name, alias.name) for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                yield from ((alias.asname or alias.name, f"{node.module}.{alias.name}") for alias in node.names)


def test_type_checkers_see_the_module_that_is_loaded() -> None:
    count, wrong = 0, []
    for path, tree in house.trees().items():
        loaded, types = list(stand_ins(tree)), dict(typed(tree))
        count += len(loaded)
        wrong += [(str(path), name, module, types.get(name)) for name, module in loaded if types.get(name) != module]
    assert count > 100
    assert not wrong
