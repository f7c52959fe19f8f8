"""Our frozen records behave as the standard dataclasses do."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
import re
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from types import CodeType, FunctionType
from typing import Any

import pytest

from symattn import records
from symattn.notation.tree.nodes import Name
from symattn.records import dataclass as quick


def both() -> list[type[Any]]:
    """The same class made by the standard decorator and by ours."""

    def made(decorator: Any) -> type[Any]:
        @decorator(frozen=True, slots=True, kw_only=True)
        class Base:
            span: int | None = dataclasses.field(default=None, compare=False, repr=False)

        @decorator(frozen=True, slots=True)
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


def test_records_answer_as_dataclasses_do() -> None:
    standard, ours = both()
    theirs = [standard(*given, **named) for given, named in CALLS]
    mine = [ours(*given, **named) for given, named in CALLS]
    assert [repr(item) for item in mine] == [repr(item) for item in theirs]
    assert [[a == b for a in mine] for b in mine] == [[a == b for a in theirs] for b in theirs]
    assert [hash(item) for item in mine] == [hash(item) for item in theirs]
    assert [dataclasses.asdict(item) for item in mine] == [dataclasses.asdict(item) for item in theirs]
    assert ours.__match_args__ == standard.__match_args__
    assert not any(hasattr(item, "__dict__") for item in (mine[0], theirs[0]))
    assert mine[0] != theirs[0]
    changed = dataclasses.replace(mine[2], name="c")
    assert (changed.name, changed.weights, changed.notes) == ("c", (1, 2), ["x"])
    assert mine[0].notes is not mine[1].notes


@pytest.mark.parametrize(("given", "named"), WRONG)
def test_records_refuse_what_dataclasses_refuse(given: tuple[Any, ...], named: dict[str, Any]) -> None:
    for made in both():
        with pytest.raises((TypeError, ValueError)):
            made(*given, **named)


def test_records_do_not_change() -> None:
    for made in both():
        item = made("a")
        with pytest.raises(dataclasses.FrozenInstanceError):
            item.name = "b"
        with pytest.raises(dataclasses.FrozenInstanceError):
            del item.name


def parts_of(made: type[Any]) -> set[str]:
    """The names of the methods that a class has by now, without what Python 3.13 makes for `copy.replace`."""
    return {name for name, part in vars(made).items() if isinstance(part, FunctionType)} - {"__replace__"}


@pytest.mark.parametrize("look", [lambda made: made("a"), inspect.signature, lambda made: hash(made("a"))])
def test_a_class_is_completed_by_the_first_look_at_it(look: Callable[[type[Any]], object]) -> None:
    standard, ours = both()
    before = parts_of(ours)
    assert not issubclass(int, ours)
    assert not isinstance("a", ours)
    assert dataclasses.is_dataclass(ours)
    assert [field.name for field in dataclasses.fields(ours)] == [field.name for field in dataclasses.fields(standard)]
    assert parts_of(ours) == before
    look(ours)
    assert parts_of(ours) - before == {"__init__", "__eq__", "__hash__"}
    mine, theirs = (inspect.signature(made).parameters.values() for made in (ours, standard))
    assert [(item.name, item.kind) for item in mine] == [(item.name, item.kind) for item in theirs]


@pytest.mark.parametrize("is_made_first", [False, True])
def test_fields_are_those_of_dataclasses(is_made_first: bool) -> None:
    standard, ours = both()
    if is_made_first:
        ours("a")
    parts = ("name", "default", "default_factory", "init", "repr", "hash", "compare", "kw_only")
    mine, theirs = (
        [[getattr(f, part) for part in parts] for f in dataclasses.fields(made)] for made in (ours, standard)
    )
    assert mine == theirs


def test_a_record_is_restored_before_one_was_made() -> None:
    data = pickle.dumps([Name("x", font="bold"), Name("y")])
    code = f"import pickle; print(*(item.font + item.text for item in pickle.loads({data!r})))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["boldx", "y"]


def test_threads_may_meet_at_the_first_record() -> None:
    for _ in range(20):
        ours = both()[1]
        with ThreadPoolExecutor(8) as threads:
            made = list(threads.map(lambda number, made=ours: made("a", (number,), span=number), range(16)))
        assert len(set(made)) == 16
        assert made[3] == ours("a", (3,), span=4)
        assert repr(made[3]) == "Leaf(name='a', weights=(3,), notes=[])"


def test_a_method_of_a_base_is_its_own() -> None:
    @quick(frozen=True, slots=True)
    class Base:
        name: str

    class Plain(Base):
        def __init__(self, name: str) -> None:
            super().__init__(name.upper())

        def __repr__(self) -> str:
            return f"plain {super().__repr__()}"

    item = Plain("a")
    assert (item.name, item) == ("A", Plain("a"))
    assert repr(item).startswith("plain ")


def test_only_frozen_classes_are_made() -> None:
    for frozen, slots in ((False, True), (True, False)):
        with pytest.raises(TypeError, match="only frozen"):
            quick(frozen=frozen, slots=slots)


@pytest.mark.parametrize("twin_of", [copy.copy, copy.deepcopy, lambda item: pickle.loads(pickle.dumps(item))])  # noqa: S301
def test_records_are_copied_and_pickled(twin_of: Callable[[Name], Name]) -> None:
    name = Name("x", font="bold", span=(1, 2))
    twin = twin_of(name)
    assert twin == name
    assert (twin.font, twin.span) == ("bold", (1, 2))


def test_what_must_be_given_comes_first() -> None:
    plain = type("Made", (), {"__annotations__": {"a": int, "b": int}, "a": 1})
    made: Any = quick(frozen=True, slots=True)(plain)
    with pytest.raises(TypeError, match="must be given follows"):
        made(1)


def test_nothing_of_a_name_is_compiled() -> None:
    text = "x=print('run')"
    with pytest.raises(TypeError, match="must be identifiers"):
        quick(frozen=True, slots=True)(type("Made", (), {"__annotations__": {text: int}}))


@pytest.mark.parametrize("count", [1, 41, 43])
def test_what_is_compiled_holds_numbers_of_fields_alone(monkeypatch: pytest.MonkeyPatch, count: int) -> None:
    """Neither names, types, defaults nor factories of a class reach the source: it is the same for other ones."""
    sources: list[str] = []

    def noted(source: str, *place: str) -> CodeType:
        sources.append(source)
        return compile(source, *place)

    monkeypatch.setattr(records, "compile", noted, raising=False)
    records._code.cache_clear()
    names = [f"print_{number}" for number in range(count)]
    hostile: dict[str, Any] = dict.fromkeys(names[:-1], "__import__('os')")
    parts: dict[str, Any] = {"__annotations__": dict.fromkeys(names, "eval('1')"), **hostile}
    parts[names[-1]] = dataclasses.field(default_factory=list)
    made: Any = quick(frozen=True, slots=True)(type("Made", (), parts))
    assert getattr(made(), names[-1]) == []
    (source,) = sources
    line = r" set_\d+\(self, (?:make_\d+\(\) if value_\d+ is missing else )?value_\d+\)\n"
    assert re.fullmatch(rf"def __init__\(self(?:, value_\d+)*\):\n(?:{line})* pass", source)


@pytest.mark.parametrize("makers", [("__import__('os')",), (True, "x"), (None,)])
def test_only_truth_values_reach_the_source(makers: Any) -> None:
    with pytest.raises(TypeError, match="truth values"):
        records._code(makers, finished=False)
