"""Frozen dataclasses that cost next to nothing until they are used.

The standard decorator compiles six methods for every class, about a millisecond of start-up each time, and the program
has hundreds of them, most of which a run never makes one of. Here a class comes with its slots alone, and the first
look at anything else (``__init__``, equality, the fields ...) makes all of it. Of the methods only ``__init__`` is
compiled; equality, hash, repr and the refusal to change are closures over the names of the fields. Everything else
(fields, ``replace``, ``asdict``, ``__match_args__``, inheritance) is the standard decorator's own, and type checkers
see just that one.
"""

from __future__ import annotations

import dataclasses
import sys
from operator import attrgetter
from threading import RLock
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
            written = {name: value for name, value in vars(cls).items() if name not in {"__dict__", "__weakref__"}}
            later = {name: _Later(cls, kw_only=kw_only) for name in (*_METHODS, *_TABLES) if name not in written}
            if slots:
                return _with_slots(cls, written, later)
            _with_fields(cls, kw_only=kw_only)
            for name in later.keys() - vars(cls).keys():
                setattr(cls, name, later[name])
                later[name].__set_name__(cls, name)
            return cls

        return make


Fields = tuple["dataclasses.Field[Any]", ...]

_METHODS = (
    *("__init__", "__eq__", "__hash__", "__repr__"),
    *("__setattr__", "__delattr__", "__getstate__", "__setstate__"),
)
"""What is made here, when one of it is first looked at."""

_TABLES = (
    *("__dataclass_fields__", "__dataclass_params__", "__match_args__"),
    *(("__replace__",) if sys.version_info >= (3, 13) else ()),
)
"""What the standard decorator makes."""

_LOCK = RLock()
"""Classes are completed by one thread at a time, as modules are imported by one."""


class _Later:
    """Stands in a class for one method or table until any of them is looked at."""

    __slots__ = ("kw_only", "name", "owner", "plain")

    owner: type
    name: str

    def __init__(self, plain: type, *, kw_only: bool) -> None:
        self.plain = plain
        self.kw_only = kw_only

    def __set_name__(self, owner: type, name: str) -> None:
        self.owner = owner
        self.name = name

    def __get__(self, instance: object, cls: type | None = None) -> Any:
        with _LOCK:
            if vars(self.owner)[self.name] is self:
                _complete(self.owner, self.plain, kw_only=self.kw_only)
        made = vars(self.owner)[self.name]
        return made.__get__(instance, cls) if hasattr(made, "__get__") else made


def _with_fields(cls: type, *, kw_only: bool) -> None:
    if not cls.__doc__:
        cls.__doc__ = cls.__name__  # start-up: the decorator would write a signature here, for which it loads a lexer
    dataclasses.dataclass(init=False, repr=False, eq=False, kw_only=kw_only)(cls)


def _with_slots(cls: type, written: dict[str, Any], later: dict[str, _Later]) -> type:
    """The same class once more, with a slot for each field that it adds, and no defaults in their places."""
    names = [name for name, written_type in cls.__annotations__.items() if "ClassVar[" not in str(written_type)]
    inherited = {slot for base in cls.__mro__[1:-1] for slot in vars(base).get("__slots__", ())}
    kept = {name: value for name, value in written.items() if name not in names}
    kept["__slots__"] = tuple(name for name in names if name not in inherited)
    made = type(cls)(cls.__name__, cls.__bases__, kept | later)
    made.__qualname__ = cls.__qualname__
    return made


def _complete(made: type, plain: type, *, kw_only: bool) -> None:
    """Makes all parts of a class; the fields are those that the standard decorator finds in the `plain` class."""
    if made is not plain:
        _with_fields(plain, kw_only=kw_only)
    fields = dataclasses.fields(plain)
    methods = (_init(made, fields), _eq(fields), _hash(fields), _repr(fields), *_frozen(made), *_state(fields))
    for method in methods:
        if isinstance(vars(made)[method.__name__], _Later):
            method.__qualname__ = f"{made.__qualname__}.{method.__name__}"
            setattr(made, method.__name__, method)
    for name in _TABLES:
        if isinstance(vars(made).get(name), _Later):
            setattr(made, name, vars(plain)[name])


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
