"""TRUSTED. Frozen dataclasses that cost next to nothing until they are used.

The program has some 400 of them, of which a run makes objects of a few dozen. The standard decorator compiles six
methods for each class, 0.3 ms: a plain key takes 13 % longer with it, the check of a page 10 %. attrs takes as long
for a class, and its import 15 ms more; msgspec is as quick as this file and cannot leave fields out of comparisons.
Here a class comes with its slots alone, and the first look at a method completes it. No method is compiled for its
class: ``__init__`` is one code for as many arguments, with the names of the fields in their places, the others are
closures over these names. The standard decorator's own tables (fields, ``replace``, ``asdict``) are made when they are
looked at, and type checkers see just that decorator.
"""

from __future__ import annotations

import dataclasses
import sys
from functools import cache
from operator import attrgetter
from threading import RLock
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from dataclasses import dataclass

__all__ = ["dataclass"]

if not TYPE_CHECKING:

    def dataclass(*, frozen: bool, slots: bool, kw_only: bool = False) -> Callable[[type], type]:
        """Like :func:`dataclasses.dataclass`, for frozen classes with slots, compared by their fields.

        >>> @dataclass(frozen=True, slots=True)
        ... class Point:
        ...     x: int
        ...     y: int = 0
        >>> Point(1), Point(1) == Point(1, 0), len({Point(1), Point(1, 0)})
        (Point(x=1, y=0), True, 1)
        """
        if not (frozen and slots):
            raise TypeError("only frozen classes with slots are made here; use dataclasses.dataclass for others")
        return lambda cls: _with_slots(cls, kw_only=kw_only)


Fields = tuple["dataclasses.Field[Any]", ...]

_METHODS = ("__init__", "__eq__", "__hash__", "__match_args__", "__record_fields__")
"""What is made here, when one of it is first looked at."""

_TABLES = (
    *("__dataclass_fields__", "__dataclass_params__"),
    *(("__replace__",) if sys.version_info >= (3, 13) else ()),
)
"""What the standard decorator makes, likewise."""

_LOCK = RLock()
"""Classes are completed by one thread at a time, as modules are imported by one."""


class _Later:
    """Stands in a class for one method or table until one of its kind is looked at."""

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
                others = _add_fields if self.name == "__record_fields__" else _add_methods
                complete = _add_tables if self.name in _TABLES else others
                complete(self.owner, self.plain, kw_only=self.kw_only)
        made = vars(self.owner)[self.name]
        return made.__get__(instance, cls) if hasattr(made, "__get__") else made


def _with_slots(plain: type, *, kw_only: bool) -> type:
    """The class once more, with a slot for each field that it adds, and no defaults in their places."""
    names = _names(plain)
    inherited = {slot for base in plain.__mro__[1:-1] for slot in vars(base).get("__slots__", ())}
    parts: dict[str, Any] = {name: _Later(plain, kw_only=kw_only) for name in (*_METHODS, *_TABLES)}
    parts |= _SHARED | {
        name: part for name, part in vars(plain).items() if name not in {*names, "__dict__", "__weakref__"}
    }
    parts["__slots__"] = tuple(name for name in names if name not in inherited)
    made = type(plain)(plain.__name__, plain.__bases__, parts)
    made.__qualname__ = plain.__qualname__
    return made


def _names(cls: type) -> list[str]:
    """The names of the fields that a class adds to those of its bases."""
    return [name for name, written_type in cls.__annotations__.items() if "ClassVar[" not in str(written_type)]


def _add(made: type, parts: dict[str, Any]) -> None:
    for name, part in parts.items():
        if isinstance(vars(made).get(name), _Later):
            setattr(made, name, part)


def _add_tables(made: type, plain: type, *, kw_only: bool) -> None:
    """Has the standard decorator make its tables, of the class as it was written."""
    if not plain.__doc__:
        plain.__doc__ = plain.__name__  # start-up: the decorator would write a signature here, and loads a lexer for it
    dataclasses.dataclass(init=False, repr=False, eq=False, kw_only=kw_only)(plain)
    _add(made, {name: vars(plain)[name] for name in _TABLES})


def _add_fields(made: type, plain: type, *, kw_only: bool) -> None:
    """Makes the fields alone, all that a class that inherits them needs of this one."""
    _add(made, {"__record_fields__": _fields(plain, kw_only=kw_only)})


def _add_methods(made: Any, plain: type, *, kw_only: bool) -> None:
    """Makes all methods of a class, of the fields that the standard decorator would find."""
    _add_fields(made, plain, kw_only=kw_only)
    fields: Fields = tuple(made.__record_fields__.values())
    methods = {method.__name__: method for method in (_init(made, fields), _eq(fields), _hash(fields))}
    for name, method in methods.items():
        method.__qualname__ = f"{made.__qualname__}.{name}"
    names = tuple(field.name for field in fields if not field.kw_only)
    _add(made, {**methods, "__match_args__": names})


def _fields(plain: type, *, kw_only: bool) -> dict[str, dataclasses.Field[Any]]:
    """The fields by name, those of bases first."""
    if "__dataclass_fields__" in vars(plain):
        return dict(vars(plain)["__dataclass_fields__"])  # the decorator took the defaults away
    known: dict[str, dataclasses.Field[Any]] = {}
    for base in plain.__mro__[:0:-1]:
        known |= getattr(base, "__record_fields__", {})
    for name in _names(plain):
        default = vars(plain).get(name, dataclasses.MISSING)
        field = default if isinstance(default, dataclasses.Field) else dataclasses.field(default=default)
        field.name = name
        if field.kw_only is dataclasses.MISSING:
            field.kw_only = kw_only
        known[name] = field
    return known


def _init(cls: type, fields: Fields) -> Callable[..., None]:
    """Takes a value for each field; calls bind their arguments at the speed of written code."""
    places = [field for field in fields if not field.kw_only]
    keywords = [field for field in fields if field.kw_only]
    known: dict[str, Any] = {"missing": dataclasses.MISSING}
    for number, field in enumerate((*places, *keywords)):
        known[f"set_{number}"] = getattr(cls, field.name).__set__
        known[f"make_{number}"] = field.default_factory
    makers = tuple(field.default_factory is not dataclasses.MISSING for field in (*places, *keywords))
    code = _code(makers, finished=hasattr(cls, "__post_init__")).replace(
        co_varnames=("self", *(field.name for field in (*places, *keywords))),
        co_argcount=1 + len(places),
        co_kwonlyargcount=len(keywords),
    )
    made = FunctionType(code, known)
    optional = [field for field in places if _is_optional(field)]
    if places[len(places) - len(optional) :] != optional:
        raise TypeError(f"a field of {cls.__qualname__} that must be given follows one that need not be")
    made.__defaults__ = tuple(field.default for field in optional)
    made.__kwdefaults__ = {field.name: field.default for field in keywords if _is_optional(field)}
    return made


def _is_optional(field: dataclasses.Field[Any]) -> bool:
    return field.default is not dataclasses.MISSING or field.default_factory is not dataclasses.MISSING


@cache
def _code(makers: tuple[bool, ...], *, finished: bool) -> CodeType:
    """The code that sets as many fields, one for all classes; where nothing is given, some are made by a factory.

    It takes truth values alone and no text, so that no text can reach what is compiled (tests/test_records.py).
    """
    if not all(isinstance(is_made, bool) for is_made in makers):
        raise TypeError("the source of a method is made of truth values alone")
    arguments = [f"value_{place}" for place in range(len(makers))]
    lines = [
        f" set_{place}(self, make_{place}() if {value} is missing else {value})"
        if is_made
        else f" set_{place}(self, {value})"
        for place, (value, is_made) in enumerate(zip(arguments, makers, strict=True))
    ]
    lines.append(" self.__post_init__()" if finished else " pass")
    source = f"def __init__({', '.join(['self', *arguments])}):\n" + "\n".join(lines)
    module = compile(source, "<methods of records>", "exec")
    return next(part for part in module.co_consts if isinstance(part, CodeType))  # the source itself is never run


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


def _shown(self: Any) -> str:
    fields = self.__record_fields__.values()
    shown = ", ".join(f"{field.name}={getattr(self, field.name)!r}" for field in fields if field.repr)
    return f"{self.__class__.__qualname__}({shown})"


def _not_set(self: object, name: str, _: object) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r} of {type(self).__qualname__}")


def _not_deleted(self: object, name: str) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r} of {type(self).__qualname__}")


def _state(self: Any) -> list[object]:
    return [getattr(self, name) for name in self.__record_fields__]


def _restore(self: Any, state: list[object]) -> None:
    """The usual way to restore copies and pickles would assign to a frozen object."""
    for name, value in zip(self.__record_fields__, state, strict=True):
        object.__setattr__(self, name, value)


_SHARED = {
    "__repr__": _shown,
    "__setattr__": _not_set,
    "__delattr__": _not_deleted,
    "__getstate__": _state,
    "__setstate__": _restore,
}
"""The methods that all classes have in common."""
