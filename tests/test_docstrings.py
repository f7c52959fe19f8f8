"""Docstrings of the public interface tell arguments, errors and an example that runs."""

from __future__ import annotations

import doctest
import inspect
from collections.abc import Iterator
from typing import Any

import pytest

import symattn as sa

FOR_KEYS = {f"Result.{name}" for name in ("piece", "numbers_json", "quantities_json", "pattern_json", "document")}
FOR_KEYS |= {"Result.kernel_matrix", "Result.pictures", "Matrix.wrap", "Entry.wrap"}
"""Methods that the packages call, and people do not."""


def members(kind: type) -> dict[str, Any]:
    """Return the public members of a class and of the classes of the interface that it is built on."""
    ours = [base for base in reversed(kind.__mro__) if base.__module__.startswith(("symattn.api.", "symattn.problem."))]
    return {key: member for base in ours for key, member in vars(base).items() if not key.startswith("_")}


def callables() -> Iterator[tuple[str, Any]]:
    """Iterate over the public functions, and the methods of the public classes."""
    for name in sa.__all__:
        item = getattr(sa, name)
        if not inspect.isclass(item):
            yield name, item
            continue
        for key, member in members(item).items():
            function = getattr(member, "__func__", member)
            if inspect.isfunction(function):
                yield f"{name}.{key}", function


def parameters(function: Any) -> list[str]:
    return [name for name in inspect.signature(function).parameters if name not in {"self", "cls"}]


CALLABLES = dict(callables())


@pytest.mark.parametrize("name", [name for name in CALLABLES if name not in FOR_KEYS])
def test_a_function_tells_arguments_errors_and_an_example(name: str) -> None:
    function = CALLABLES[name]
    text = inspect.getdoc(function) or ""
    names = parameters(function)
    assert text, "no docstring"
    assert not names or "Raises:" in text
    assert not names or ">>>" in text
    assert len(names) < 2 or "Args:" in text
    if "Args:" in text:
        listed = text.partition("Args:")[2]
        assert all(f"{item}" in listed for item in names)
    if ">>>" in text:
        test = doctest.DocTestParser().get_doctest(text, dict(vars(inspect.getmodule(function))), name, None, 0)
        found = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test, out=lambda _: None)
        assert found.failed == 0
        assert found.attempted > 0


def test_every_public_attribute_has_a_docstring() -> None:
    for name in sa.__all__:
        item = getattr(sa, name)
        assert inspect.getdoc(item), name
        if inspect.isclass(item):
            properties = [member for member in members(item).values() if isinstance(member, property)]
            assert all(map(inspect.getdoc, properties)), name
