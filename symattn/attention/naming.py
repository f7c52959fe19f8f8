"""How the quantities of a problem are written: declared names first, free letters for the rest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from symattn.errors import InputError
from symattn.notation import tree as t
from symattn.notation.plain_writer import write_plain
from symattn.notation.symbols import GREEK
from symattn.notation.tree import FUNCTIONS
from symattn.problem.model import Problem

_GREEK = frozenset(GREEK)
_MAIN = ("X", "X_1", "X_2", "W_Q", "W_K", "W_V", "Q", "K", "V", "S", "A", "O")
_WITH_LINES = ("X", "Q", "K", "V", "O")
_AUXILIARY: Mapping[str, tuple[str, ...]] = {
    "S_scaled": ("L", "U", "Y"),
    "shifted": ("D", "G", "R"),
    "E": ("E", "F", "P"),
    "Z": ("Z", "N", "M"),
    "c": ("c", "r", "f"),
    "m": ("m", "g", "t"),
    "d_k": ("d_k",),
    "entropy": ("H", "I", "B"),
    "totals": ("C", "T", "J"),
}


@dataclass(frozen=True, slots=True)
class Naming:
    """How one quantity is written: the whole, what entries hang on, and what its lines are called."""

    symbol: t.Node
    entry: t.Node
    line: t.Node | None = None


def namings(problem: Problem) -> dict[str, Naming]:
    """The written names of every quantity that a problem can have; no two share a head.

    >>> p = Problem.build(Q=[[1]], K=[[2]], V=[[3]], names={"S": "z"})
    >>> write_plain(namings(p)["S"].entry), write_plain(namings(p)["Q"].line)
    ('z', 'q')
    """
    found: dict[str, Naming] = {}
    main = [name for name in _MAIN if name in problem.inputs or name in {"Q", "K", "V", "S", "A", "O"}]
    labels = {problem.label(name): name for name in main}
    taken = set(problem.symbols)
    for label, name in labels.items():
        found[name] = _declared(_checked(label, name), taken | (labels.keys() - {label}))
        taken |= {write_plain(found[name].symbol), write_plain(found[name].entry)}
    for name in _WITH_LINES:
        if name in found:
            found[name] = _with_line(found[name], taken)
    for name in ("S_scaled", "Z"):
        if name in problem.names:
            found[name] = _declared(_checked(problem.label(name), name), taken)
            taken |= {write_plain(found[name].symbol), write_plain(found[name].entry)}
    for name, candidates in _AUXILIARY.items():
        if name in found:
            continue
        letter = next((candidate for candidate in candidates if candidate not in taken), f"{candidates[0]}'")
        found[name] = _auxiliary(name, letter)
        taken.add(letter)
    if problem.scale.kind == "beta":
        symbol = _word(problem.scale.text)
        found["c"] = Naming(symbol, symbol)
    return found


def _checked(label: str, name: str) -> str:
    if label in FUNCTIONS or label == "d_k":
        what = "the length of a key" if label == "d_k" else "a function"
        raise InputError(f'[names] {name}: "{label}" already names {what}; choose another name.')
    return label


def _declared(label: str, taken: set[str]) -> Naming:
    head, _, index = label.partition("_")
    if index and _is_letter(head):
        symbol = t.Subscript(t.Name(head, "bold"), (_index(index),))
        return Naming(symbol, t.Group(symbol))
    if not _is_letter(label):
        return Naming(_word(label), _word(label))
    if label in _GREEK or label.isupper() or label.upper() in taken:
        return Naming(t.Name(label, "bold"), t.Name(label))
    return Naming(t.Name(label.upper(), "bold"), t.Name(label))


def _is_letter(label: str) -> bool:
    return label in _GREEK or (len(label) == 1 and label.isalpha() and label.isascii())


def _word(label: str) -> t.Node:
    head, _, index = label.partition("_")
    if _is_letter(head):
        return t.Subscript(t.Name(head), (_index(index),)) if index else t.Name(head)
    return t.Name(label, "text")


def _index(index: str) -> t.Node:
    return t.Number(index) if index.isdigit() else t.Name(index)


def _with_line(naming: Naming, taken: set[str]) -> Naming:
    """A lower-case letter for the rows (or columns), unless something else is written with it."""
    entry = naming.entry
    if not isinstance(entry, t.Name) or len(entry.text) != 1 or entry.text.lower() in taken - {entry.text}:
        return naming
    return Naming(naming.symbol, entry, t.Name(entry.text.lower(), "bold"))


def _auxiliary(name: str, letter: str) -> Naming:
    if name == "d_k":
        symbol = t.Subscript(t.Name("d"), (t.Name("k"),))
        return Naming(symbol, symbol)
    bold = name in {"S_scaled", "shifted", "E"}
    return Naming(t.Name(letter, "bold" if bold else ""), t.Name(letter))
