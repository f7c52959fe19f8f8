"""Modules that wait: nothing is imported before a name is read, and then the module itself answers."""

from __future__ import annotations

import inspect
import sys

import pytest

from symattn import late


@pytest.fixture
def unloaded(monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.delitem(sys.modules, "colorsys", raising=False)
    return "colorsys"


def test_nothing_is_imported_before_a_name_is_read(unloaded: str) -> None:
    module = late.module(unloaded)
    assert unloaded not in sys.modules
    assert module.rgb_to_hsv is sys.modules[unloaded].rgb_to_hsv


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
