"""TRUSTED. Indices of indexed quantities: free, fixed, summed over, or moved by a permutation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from symattn.errors import InputError

Index: TypeAlias = tuple[str, ...]
"""Free ``("i",)``, fixed ``("@", "a")``, summed over ``("#", height, number)``, permuted ``("pi()", *index)``."""

_FIXED = "@"
_BOUND = "#"
_MAP = "()"
_RESERVED = frozenset("#@!,;[]()<>*^+ ")
_INTERNAL = ("~", ".")


def free(name: str) -> Index:
    """Return an index that stands for every value at once.

    >>> free("i")
    ('i',)
    """
    return (_plain(name),)


def internal(name: str) -> Index:
    """Return a free index of the kernel's own, whose name begins with ``~`` or ``.``: no text makes such a one.

    >>> internal("~3")
    ('~3',)
    >>> free("~3")
    Traceback (most recent call last):
    symattn.errors.InputError: '~3' is not a name of an index: use letters and digits.
    """
    if not name.startswith(_INTERNAL) or _RESERVED & set(name):
        raise ValueError("an index of the kernel's own begins with ~ or .")
    return (name,)


def is_internal(index: Index) -> bool:
    """Return whether the index itself is one of the kernel's own."""
    return index[0].startswith(_INTERNAL)


def standing(number: int) -> Index:
    """Return the fixed index of the kernel's own that stands for all where the law is the same for every index."""
    return (_FIXED, f".{number}")


def fixed(name: str) -> Index:
    """Return an index that stands for one value; two numbers are two values, and so are two names.

    A number is written in one way, since ``z_01`` is ``z_1``. A number and a name may have one value.

    >>> are_distinct(fixed("a"), fixed("b")), are_distinct(fixed("a"), free("i"))
    (True, False)
    >>> are_distinct(fixed("1"), fixed("01")), are_distinct(fixed("1"), fixed("a"))
    (False, False)
    """
    if name[:1].isdigit():
        if not (name.isascii() and name.isdecimal()):
            raise InputError(f"{name} is not an index: an index that is a number is a whole one.")
        return (_FIXED, name.lstrip("0") or "0")
    return (_FIXED, _plain(name))


def bound(height: int | str, number: int) -> Index:
    """Return an index that is summed over."""
    return (_BOUND, str(height), str(number))


def moved(permutation: str, index: Index) -> Index:
    """Return the image of an index under a permutation, a bijection of the range of the index."""
    return (_plain(permutation) + _MAP, *index)


def is_bound(index: Index) -> bool:
    """Return whether the index itself is summed over."""
    return index[0] == _BOUND


def is_moved(index: Index) -> bool:
    """Return whether it is an image under a permutation."""
    return index[0].endswith(_MAP)


def is_fixed(index: Index) -> bool:
    """Return whether the index itself stands for one value."""
    return index[0] == _FIXED


def are_distinct(first: Index, second: Index) -> bool:
    """Return whether two indices never have the same value: two fixed ones, moved or not by the same permutation."""
    while is_moved(first) and is_moved(second) and first[0] == second[0]:
        first, second = first[1:], second[1:]
    if not (is_fixed(first) and is_fixed(second)):
        return False
    return first != second and first[1].isdecimal() == second[1].isdecimal()


def root(index: Index) -> Index:
    """Return the index without the permutations around it."""
    while is_moved(index):
        index = index[1:]
    return index


def replace(index: Index, old: Index, new: Index) -> Index:
    """Return the index with `new` in the place of `old`, inside permutations too."""
    if index == old:
        return new
    if is_moved(index):
        return (index[0], *replace(index[1:], old, new))
    return index


def renamed(index: Index, names: Mapping[Index, Index]) -> Index:
    """Return the index with another name, inside permutations too.

    >>> renamed(moved("pi", free("i")), {free("i"): free("j")})
    ('pi()', 'j')
    """
    if index in names:
        return names[index]
    if is_moved(index):
        return (index[0], *renamed(index[1:], names))
    return index


def text(index: Index) -> str:
    """Return an index as it is written."""
    if is_moved(index):
        return f"{index[0][:-2]}({text(index[1:])})"
    return index[1] if index[0] == _FIXED else "_".join(index[1:]) if is_bound(index) else index[0]


def _plain(name: str) -> str:
    """Return a name that no form of an index is built with."""
    if not name or _RESERVED & set(name) or name.startswith(_INTERNAL):
        raise InputError(f"{name!r} is not a name of an index: use letters and digits.")
    return name
