"""Our frozen records behave as the standard dataclasses do."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from collections.abc import Callable
from typing import Any

import pytest

from symattn.notation.tree import Name
from symattn.records import dataclass as quick


def both(**options: bool) -> list[type[Any]]:
    """The same class made by the standard decorator and by ours."""

    def made(decorator: Any) -> type[Any]:
        @decorator(frozen=True, kw_only=True, **options)
        class Base:
            span: int | None = dataclasses.field(default=None, compare=False, repr=False)

        @decorator(frozen=True, **options)
        class Leaf(Base):
            name: str
            weights: tuple[int, ...] = ()
            notes: list[str] = dataclasses.field(default_factory=list, hash=False)

            def __post_init__(self) -> None:
                if not self.name:
                    raise ValueError("a name is needed")

        Leaf.__qualname__ = "Leaf"
        return Leaf

    return [made(dataclasses.dataclass), made(quick)]


CALLS: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
    (("a",), {}),
    (("a",), {"span": 3}),
    (("a", (1, 2)), {"notes": ["x"]}),
    (("b", (1, 2), ["x"]), {}),
    ((), {"name": "a"}),
]

WRONG: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
    ((), {}),
    (("a", (), [], 3), {}),
    (("a",), {"colour": "red"}),
    (("a",), {"name": "a"}),
    (("",), {}),
]


@pytest.mark.parametrize("slots", [False, True])
def test_records_answer_as_dataclasses_do(slots: bool) -> None:
    standard, ours = both(slots=slots)
    theirs = [standard(*given, **named) for given, named in CALLS]
    mine = [ours(*given, **named) for given, named in CALLS]
    assert [repr(item) for item in mine] == [repr(item) for item in theirs]
    assert [[a == b for a in mine] for b in mine] == [[a == b for a in theirs] for b in theirs]
    assert [hash(item) for item in mine] == [hash(item) for item in theirs]
    assert [dataclasses.asdict(item) for item in mine] == [dataclasses.asdict(item) for item in theirs]
    assert ours.__match_args__ == standard.__match_args__
    assert hasattr(mine[0], "__dict__") == hasattr(theirs[0], "__dict__")
    assert mine[0] != theirs[0]
    changed = dataclasses.replace(mine[2], name="c")
    assert (changed.name, changed.weights, changed.notes) == ("c", (1, 2), ["x"])
    assert mine[0].notes is not mine[1].notes


@pytest.mark.parametrize(("given", "named"), WRONG)
def test_records_refuse_what_dataclasses_refuse(given: tuple[Any, ...], named: dict[str, Any]) -> None:
    for made in both(slots=True):
        with pytest.raises((TypeError, ValueError)):
            made(*given, **named)


def test_records_do_not_change() -> None:
    for made in both(slots=True):
        item = made("a")
        with pytest.raises(dataclasses.FrozenInstanceError):
            item.name = "b"
        with pytest.raises(dataclasses.FrozenInstanceError):
            del item.name


def test_only_frozen_classes_are_made() -> None:
    with pytest.raises(TypeError, match="only frozen"):
        quick(frozen=False)


@pytest.mark.parametrize("twin_of", [copy.copy, copy.deepcopy, lambda item: pickle.loads(pickle.dumps(item))])  # noqa: S301
def test_records_are_copied_and_pickled(twin_of: Callable[[Name], Name]) -> None:
    name = Name("x", font="bold", span=(1, 2))
    twin = twin_of(name)
    assert twin == name
    assert (twin.font, twin.span) == ("bold", (1, 2))
