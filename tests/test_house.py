"""Figures of the source tree that may only fall: they are kept in `tests/data/house.json`.

A change that makes a figure worse fails here. One that makes it better says so there: `python -m tests.house --write`.
"""

from __future__ import annotations

import ast
from functools import cache

import pytest

from tests import house

pytestmark = pytest.mark.unmeasured


@cache
def present() -> dict[str, int]:
    return house.measure(house.sources())


@pytest.mark.parametrize("name", sorted(house.ceilings()))
def test_a_figure_only_falls(name: str) -> None:
    ceiling = house.ceilings()[name]
    found = present()[name]
    assert found <= ceiling, f"{name}: {found}, at most {ceiling}: {house.remedy(name)}"


def test_every_figure_has_a_ceiling() -> None:
    assert present().keys() == house.ceilings().keys()


def figures(**sources: str) -> dict[str, int]:
    """Figures of a package of some files, given by name (with `__` for a dot) and text."""
    return house.measure({f"symattn.{name.replace('__', '.')}": ast.parse(text) for name, text in sources.items()})


def test_cycles_behind_late_imports_are_found() -> None:
    found = figures(a="def f():\n    from symattn import b", b='c = late.module("symattn.c")', c="import symattn.a")
    assert found["files in import cycles"] == 3
    assert found["imports inside functions"] == 1


def test_the_widest_folder_is_counted() -> None:
    found = figures(a__one="", a__two="", b="")
    assert found["files in the widest folder"] == 2


def test_a_module_with_one_importer_is_counted() -> None:
    found = figures(a="from symattn.b import f\nfrom symattn.c import g", b="from symattn.c import g", c="")
    assert found["modules with one importer"] == 1


@pytest.mark.parametrize(("table", "folder"), house.TABLES.items())
def test_files_that_a_table_lists_are_not_counted(table: str, folder: str) -> None:
    trees = {table: f"from {folder}entry import f", f"{folder}entry": "import symattn.other", "symattn.other": ""}
    found = house.measure({name: ast.parse(text) for name, text in trees.items()})
    assert found["modules with one importer"] == 1


def test_docstrings_that_do_not_say_what_to_do_are_counted() -> None:
    found = figures(a='"""Whether it is so."""\ndef f():\n    """Return it."""\ndef g():\n    """How it goes."""')
    assert found["docstrings that begin with a noun clause"] == 2


def test_files_that_name_an_operation_are_counted() -> None:
    found = figures(a="x = 'GELU'", b="gelu_slope = 1", proofs__c="y = 'gelu'")
    assert found["files that name gelu"] == 2
