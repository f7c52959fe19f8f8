"""Frozen dataclasses that are quick to create.

The standard decorator compiles six methods for every class, about a millisecond of start-up each time, and
the program has some seventy of them. Here only ``__init__`` is compiled; equality, hash, repr and the refusal
to change are closures over the names of the fields. Everything else (fields, ``replace``, ``asdict``,
``__match_args__``, inheritance, slots) is the standard decorator's own, and type checkers see just that one.
"""

from __future__ import annotations

import dataclasses
from operator import attrgetter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from dataclasses import dataclass

__all__ = ["dataclass"]

if not TYPE_CHECKING:

    def dataclass(*, frozen: bool, slots: bool = False, kw_only: bool = False) -> Callable[[type], type]:
        """Like :func:`dataclasses.dataclass`, for frozen classes compared by their fields.

        >>> @dataclass(frozen=True, slots=True)
        ... class Point:
        ...     x: int
        ...     y: int = 0
        >>> Point(1), Point(1) == Point(1, 0), len({Point(1), Point(1, 0)})
        (Point(x=1, y=0), True, 1)
        """
        if not frozen:
            raise TypeError("only frozen classes are made here; use dataclasses.dataclass for others")

        def make(cls: type) -> type:
            written = vars(cls).copy()
            made = dataclasses.dataclass(init=False, repr=False, eq=False, slots=slots, kw_only=kw_only)(cls)
            fields = dataclasses.fields(made)
            for method in (
                _init(made, fields),
                _eq(fields),
                _hash(fields),
                _repr(fields),
                *_frozen(made),
                *_state(fields),
            ):
                if method.__name__ not in written:
                    method.__qualname__ = f"{made.__qualname__}.{method.__name__}"
                    setattr(made, method.__name__, method)
            return made

        return make


Fields = tuple["dataclasses.Field[Any]", ...]


def _init(cls: type, fields: Fields) -> Callable[..., None]:
    """The one method that is compiled: calls bind their arguments at the speed of written code."""
    names: dict[str, object] = {"_set": object.__setattr__, "_missing": dataclasses.MISSING}
    heads: dict[bool, list[str]] = {False: ["self"], True: []}  # by keyword only?
    lines = []
    for field in fields:
        if not field.name.isidentifier():
            # Nothing but names may reach the source below.
            raise TypeError(f"{field.name!r} is no name of a field")
        name, value, head = field.name, field.name, field.name
        if field.default is not dataclasses.MISSING:
            names[f"_default_{name}"] = field.default
            head = f"{name}=_default_{name}"
        elif field.default_factory is not dataclasses.MISSING:
            names[f"_factory_{name}"] = field.default_factory
            head, value = f"{name}=_missing", f"_factory_{name}() if {name} is _missing else {name}"
        heads[field.kw_only is True].append(head)
        lines.append(f" _set(self, {name!r}, {value})")
    if hasattr(cls, "__post_init__"):
        lines.append(" self.__post_init__()")
    keywords = ["*", *heads[True]] if heads[True] else []
    source = f"def __init__({', '.join(heads[False] + keywords)}):\n" + "\n".join(lines or [" pass"])
    exec(source, names)  # noqa: S102 - identifiers of our own classes alone; defaults go by reference
    made: Callable[..., None] = names["__init__"]  # type: ignore[assignment]  # the source above defines it
    return made


def _values(names: list[str]) -> Callable[[object], Any]:
    """The values of the named fields in one call: a tuple, or the bare value of a single field."""
    return attrgetter(*names) if names else lambda _: ()


def _eq(fields: Fields) -> Callable[..., bool]:
    values = _values([field.name for field in fields if field.compare])

    def __eq__(self: object, other: object) -> bool:  # noqa: N807
        if other.__class__ is self.__class__:
            return bool(values(self) == values(other))
        return NotImplemented

    return __eq__


def _hash(fields: Fields) -> Callable[..., int]:
    values = _values([field.name for field in fields if (field.compare if field.hash is None else field.hash)])

    def __hash__(self: object) -> int:  # noqa: N807
        return hash(values(self))

    return __hash__


def _repr(fields: Fields) -> Callable[..., str]:
    names = [field.name for field in fields if field.repr]

    def __repr__(self: object) -> str:  # noqa: N807
        shown = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
        return f"{self.__class__.__qualname__}({shown})"

    return __repr__


def _frozen(cls: type) -> tuple[Callable[..., None], Callable[..., None]]:
    def __setattr__(_: object, name: str, __: object) -> None:  # noqa: N807
        raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r} of {cls.__qualname__}")

    def __delattr__(_: object, name: str) -> None:  # noqa: N807
        raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r} of {cls.__qualname__}")

    return __setattr__, __delattr__


def _state(fields: Fields) -> tuple[Callable[..., object], Callable[..., None]]:
    """What copies and pickles carry; the usual way to restore would assign to a frozen object."""
    names = [field.name for field in fields]

    def __getstate__(self: object) -> object:  # noqa: N807
        return [getattr(self, name) for name in names]

    def __setstate__(self: object, state: list[object]) -> None:  # noqa: N807
        for name, value in zip(names, state, strict=True):
            object.__setattr__(self, name, value)

    return __getstate__, __setstate__
