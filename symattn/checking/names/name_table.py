"""Names and what they stand for: on the sheet, in its key, by habit of the field, and as the work itself gives them.

The sheet comes first, then the key that the problem would have, then the names that the work gives, then habits.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from symattn import late
from symattn.checking.graph.quantities import Graph
from symattn.checking.graph.targets import Target, whole
from symattn.checking.names.blocks import with_block
from symattn.checking.names.heads import Heads
from symattn.checking.names.lexicon import AUXILIARY, FIRST, GRADIENTS, HABITS, SCORES, key_of, spelt
from symattn.checking.names.phrases import names_given
from symattn.exact.field.polynomial import Polynomial
from symattn.exact.field.quotient import Quotient
from symattn.graph.builders.layer import base_of
from symattn.graph.quantities.scene import Scene, Whole
from symattn.notation.tree import nodes as t
from symattn.notation.tree.traversal import walk
from symattn.problem.model import Problem
from symattn.problem.settings.conventions import DEFINED
from symattn.records import dataclass

HEAD = "#"
"""Stands for the number of a head among the running indices of a name."""

_COUNTED = late.pattern(r"([A-Za-z]+)[0-9]{1,3}")
"""A letter with a number, which counts what the letter has several of."""


@dataclass(frozen=True, slots=True)
class NamesSaid:
    """Names that a work has given a meaning of its own, as `NameTable` keeps them."""

    given: dict[str, tuple[tuple[str, ...], t.Node]]
    given_of_head: dict[tuple[str, int], t.Node]
    rebound: dict[str, str]
    called: dict[str, tuple[str, ...]]
    called_of_head: frozenset[str]
    primed: frozenset[str]
    constants: dict[str, Quotient]
    of_heads: dict[str, list[str]]


class NameTable:
    """Names of a work, with the quantity, the formula or the number that each stands for.

    Args:
        graph: the quantities.
        problem: for the declared names.
        heads: names of heads, and the one that the work speaks of.
        scene: the names that a key of the problem would use, where there is one.
    """

    def __init__(self, graph: Graph, problem: Problem, heads: Heads, scene: Scene | None) -> None:
        self.graph = graph
        self.problem = problem
        self.heads = heads
        self.scene = scene
        self.declared = {key_of(label): name for name, label in problem.names.items() if name in graph}
        if problem.kind == DEFINED:
            self.declared.update((key_of(name), name) for name in (*problem.inputs, *problem.definitions))
        self.own = {key_of(name): name for name in graph.nodes}
        self.by_habit = self._habits()
        self.given: dict[str, tuple[tuple[str, ...], t.Node]] = {}
        self.given_of_head: dict[tuple[str, int], t.Node] = {}
        self.rebound: dict[str, str] = {}
        self.called: dict[str, tuple[str, ...]] = self._mask_of_programs()
        self.called_of_head: set[str] = set()
        self.primed: set[str] = set()
        self.numbered_rows: set[str] = set()
        self.constants = _constants(problem)

    def _mask_of_programs(self) -> dict[str, tuple[str, ...]]:
        """Return the names of the mask of ``masked_fill``, where a sheet of formulas has one mask of another name."""
        masks = [name for name in self.graph.given if "mask" in name.lower()]
        is_called = self.problem.kind == DEFINED and "M" not in self.graph and len(masks) == 1
        return {"M": (masks[0],)} if is_called else {}

    def _habits(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        if self.problem.kind == "defined":
            return found
        gradients = GRADIENTS if self.problem.gradient is not None else {}
        for name, words in (*HABITS.items(), *gradients.items()):
            if name not in self.graph:
                continue
            for word in words:
                found.setdefault(key_of(word), []).append(name)
        for name, words in FIRST.items():
            for word in words if name in self.graph else ():
                found[word].remove(name)
                found[word].insert(0, name)
        return with_block(found, self.graph) if self.problem.block is not None else found

    def said(self) -> NamesSaid:
        """Return what the work has said of names so far."""
        return NamesSaid(
            dict(self.given), dict(self.given_of_head), dict(self.rebound), dict(self.called),
            frozenset(self.called_of_head), frozenset(self.primed), dict(self.constants), self.heads.meanings(),
        )  # fmt: skip

    def take(self, said: NamesSaid) -> None:
        """Take what the work has said of names for what was known of them."""
        self.given, self.given_of_head = dict(said.given), dict(said.given_of_head)
        self.rebound, self.called, self.constants = dict(said.rebound), dict(said.called), dict(said.constants)
        self.called_of_head, self.primed = set(said.called_of_head), set(said.primed)
        self.heads.take(said.of_heads)

    def rebind(self, head: t.Node, name: str) -> None:
        """Record that the work uses a letter of ours for another quantity: ``S = QK^T/√d_k``, ``Z = AV``."""
        key = key_of(spelt(head) or "")
        is_loose = key in self.own and (self.own[key] in AUXILIARY or name == "P_O")
        if is_loose and key not in self.declared:
            self.rebound.update({key: name, key.lower(): name})

    def reassign(self, head: t.Node, name: str) -> None:
        """Record a reassignment, ``scores = scores + mask``, on a sheet of formulas too."""
        key = key_of(spelt(head) or "")
        if self.problem.kind == DEFINED and key in self.own:
            self.rebound[key] = name
        self.rebind(head, name)

    def learn(self, head: t.Node, names: tuple[str, ...]) -> None:
        """Record a name that the work gives a quantity itself: ``G = QK^T``, "call the scores G".

        Args:
            head: the name.
            names: the quantities that may be meant, the likelier first.
        """
        key = key_of(spelt(head) or "")
        known = tuple(dict.fromkeys(name for name in names if name in self.graph))
        if known and self._in_key(head) == whole(self.graph, known[0]):
            known = known[:1]  # the work agrees with the key, so convention does not count
        is_taken = key in self.declared or (key in self.own and self.own[key] not in AUXILIARY)
        if key and known and not is_taken and key != "e":
            self.called[key] = known
            own = {self.heads.name(base_of(name), self.heads.current) for name in known} if self.heads.current else {""}
            is_of_head = own == set(known) and any("^" in name for name in known)
            (self.called_of_head.add if is_of_head else self.called_of_head.discard)(key)

    def known_as(self, key: str) -> tuple[str, ...]:
        """Return the quantities that the work calls so; a name of one head's quantity means the current head's."""
        names = self.called[key]
        if key not in self.called_of_head or not self.heads.current:
            return names
        return tuple(self.heads.name(base_of(name), self.heads.current) or name for name in names)

    def habits_of(self, head: t.Node) -> list[str]:
        """Return the conventional meanings of a name that the work gives a meaning of its own."""
        key = key_of(spelt(head) or "")
        return self.by_habit.get(key) or (self.by_habit.get(key.lower(), []) if len(key) > 1 else [])

    def others_called(self, head: t.Node) -> tuple[str, ...]:
        """Return all possible meanings of a name that the work gave a meaning of its own."""
        key = key_of(spelt(head) or "")
        return self.known_as(key) if key in self.called else ()

    def heard(self, words: str, *, is_title: bool = False) -> None:
        """Record the names that words give: "let G denote the score matrix"."""
        for symbol, names in names_given(words, is_title=is_title):
            self.learn(t.Name(symbol), names)

    def is_declared(self, node: t.Node) -> bool:
        """Return whether the sheet itself gives a name its meaning."""
        key = key_of(spelt(node) or "")
        return key in self.declared or key in self.own or key in self.called

    def is_auxiliary(self, node: t.Node | None, name: str) -> bool:
        """Return whether only habit gives a letter the meaning of a quantity for which others have other letters."""
        key = key_of((None if node is None else spelt(node.base if isinstance(node, t.Subscript) else node)) or "")
        is_loose = base_of(name) in AUXILIARY - {*SCORES} and len(key) == 1
        return is_loose and key not in self.declared and not self.is_of_work(key)

    def define(self, head: t.Node, indices: list[str], formula: t.Node, number: int = 0) -> None:
        """Record a name that the work defines by a formula; habits say nothing of it any more.

        Args:
            head: the name.
            indices: its running indices.
            formula: what it stands for.
            number: of the head that it belongs to, 0 for a name of no head.
        """
        text = spelt(head)
        if text is None or self._rests_on(formula, key_of(text)):
            return
        self.given[key_of(text)] = ((*indices, HEAD) if number else tuple(indices), formula)
        if number:
            self.given_of_head[key_of(text), number] = formula

    def _rests_on(self, formula: t.Node, key: str) -> bool:
        """Return whether a formula depends on a name, directly or by the work's formulas for its names."""
        left, seen = [formula], set()
        while left:
            for node in walk(left.pop()):
                own = key_of(spelt(node) or "") if isinstance(node, t.Name | t.Subscript) else ""
                if own == key:
                    return True
                if own in self.given and own not in seen:
                    seen.add(own)
                    of_heads = (body for (name, _), body in self.given_of_head.items() if name == own)
                    left.extend([self.given[own][1], *of_heads])
        return False

    def formula(self, node: t.Node, indices: Mapping[str, int]) -> tuple[t.Node, Mapping[str, int]] | None:
        """Return the formula that the work gave for a name with these indices, and their numbers."""
        if isinstance(node, t.Transpose) and isinstance(node.base, t.Name) and node.base.text in self.primed:
            return self.given[f"{node.base.text}'"][1], {}
        plain = self.given.get(key_of(spelt(node) or ""))
        if plain is not None and not plain[0]:
            return plain[1], {}
        if not isinstance(node, t.Subscript):
            return None
        found = self.given.get(key_of(spelt(node.base) or ""))
        _, numbers = split(node.indices, indices)
        if found is None or numbers is None or len(numbers) != len(found[0]):
            return None
        chosen = {name: number for name, number in zip(found[0], numbers, strict=True) if number is not None}
        body: t.Node | None = found[1]
        if HEAD in chosen:
            body = self.given_of_head.get((key_of(spelt(node.base) or ""), chosen[HEAD]))
        return (body, chosen) if body is not None and len(chosen) == len(numbers) else None

    def constant(self, node: t.Node) -> Quotient | None:
        """Return the value of a symbol of the sheet, or of a dimension such as ``d_k``."""
        text = spelt(node)
        return None if text is None else self.constants.get(key_of(text))

    def _in_key(self, node: t.Node) -> Target | None:
        """Return the target of a name in a key of the problem."""
        found = None if self.scene is None else self.scene.resolve(node)
        return whole(self.graph, found.name) if isinstance(found, Whole) and found.name in self.graph else None

    def count_rows(self, head: t.Node) -> None:
        """Record that a number below a name counts rows, of which there is one: ``A_1 = [0.5, 0.5]``."""
        self.numbered_rows.add(key_of(spelt(head) or ""))

    def numbers_rows(self, head: t.Node) -> bool:
        """Return whether a number below a name counts rows, of which there is one."""
        return key_of(spelt(head) or "") in self.numbered_rows

    def is_of_work(self, key: str) -> bool:
        """Return whether the work itself gives a name its meaning."""
        return key in self.given or key in self.rebound or key in self.called

    def is_one_of_given(self, key: str) -> bool:
        """Return whether a name is ``H1`` of a work that said what H_i is."""
        typed = _COUNTED.fullmatch(key)
        return typed is not None and typed[1] in self.given and len(self.given[typed[1]][0]) == 1

    def others(self, base: t.Node) -> list[str]:
        """Return everything that a name may mean by habit; nothing for one that the sheet gives its meaning."""
        key = key_of(spelt(base) or "")
        is_fixed = key in self.declared or (key in self.own and self.own[key] not in AUXILIARY)
        return [] if is_fixed or key in self.given or key in self.rebound else self.by_habit.get(key, [])


def split(nodes: tuple[t.Node, ...], indices: Mapping[str, int]) -> tuple[tuple[t.Node, ...], list[int | None] | None]:
    """Return labels that belong to the name, and the numbers that select an entry (None for ``:``)."""
    labels: list[t.Node] = []
    numbers: list[int | None] = []
    for node in nodes:
        match node:
            case t.Number(text) if text.isdigit() and len(text) == 2 and text[0] == "0":
                numbers.extend((0, int(text[1])))  # a pair that counts from 0
            case t.Number(text) if text.isdigit() and len(text) <= 9:
                numbers.append(int(text))
            case t.Name(":"):
                numbers.append(None)
            case t.Name(text) if text in indices:
                numbers.append(indices[text])
            case t.Product((first, second), ("",)) if None not in (
                places := (_place(first, indices), _place(second, indices))
            ):
                numbers.extend(places)  # ``ij`` and ``1j`` side by side
            case _:
                if numbers:
                    return (), None
                labels.append(node)
    return tuple(labels), numbers or None


def _place(node: t.Node, indices: Mapping[str, int]) -> int | None:
    """Return the number of an index that stands beside another one."""
    match node:
        case t.Number(text) if text.isdigit() and len(text) <= 2:
            return int(text)
        case t.Name(text):
            return indices.get(text)
    return None


def without_power(node: t.Node) -> tuple[t.Node | None, list[int]]:
    """Return a name without a raised number, and that number: ``Q^{(1)}_{12}`` is Q_12 and 1; None for other powers."""
    base = node.base if isinstance(node, t.Subscript) else node
    if not isinstance(base, t.Power):
        return node, []
    exponent = base.exponent.body if isinstance(base.exponent, t.Group) else base.exponent
    if not isinstance(exponent, t.Number) or not exponent.text.isdigit() or len(exponent.text) > 3:
        return None, []
    inner = t.Subscript(base.base, node.indices, span=node.span) if isinstance(node, t.Subscript) else base.base
    return inner, [int(exponent.text)]


def _constants(problem: Problem) -> dict[str, Quotient]:
    """Return the symbols of a sheet, and its dimensions by their usual names."""
    found = {
        key_of(name): Quotient.of(value) if isinstance(value, Fraction) else Quotient.of(Polynomial.symbol(name))
        for name, value in problem.symbols.items()
    }
    if problem.kind != DEFINED:
        sizes = {"dk": problem.d_k, "Dk": problem.d_k, "dv": problem.d_v, "Dv": problem.d_v}
        found = {**{name: Quotient.of(size) for name, size in sizes.items()}, **found}
    return found
