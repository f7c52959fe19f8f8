"""Disambiguation of letters and words that name several quantities: ``Z``, ``z_1``, ``c``, ``scores``.

The sides beside the name decide: values of V make outputs, a list of numbers is not a scale factor, and the numbers of
one quantity are not those of another. Of a word that the work has not used before, any reading may be meant.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from symattn import late
from symattn.checking.context import GradingContext
from symattn.checking.expressions.expression_kinds import has_list, has_numbers, power_of_e
from symattn.checking.expressions.numerals import bare, figure
from symattn.checking.graph.targets import Target, whole
from symattn.checking.names.lexicon import AUXILIARY, HABITS, LATER_SCORES, RUNNING_VALUES, SCORES, key_of, spelt
from symattn.checking.names.name_table import split
from symattn.checking.subjects.disambiguation import Disambiguation, is_line
from symattn.graph.builders.layer import base_of
from symattn.notation.submission import Written
from symattn.notation.tree import nodes as t
from symattn.notation.tree.traversal import rebuilt, walk
from symattn.records import dataclass

_TYPED = late.pattern(r"([A-Za-z])([0-9]{1,2})")
"""``z1``, typed without an underscore."""

_FINE = 2
"""Decimals of a single number that tells what it belongs to."""

_LETTERS = ("m", "g", "l", "o")
_WORDS = frozenset(word for letter in _LETTERS for word in RUNNING_VALUES[letter])
_OUTPUTS = ("O", "H")
_LAST = {"m": "mg", "Z": "l", "O": "o", "H": "o"}
"""Quantities of a softmax at once, each with the letters of the running values that people call the same."""


@dataclass(frozen=True, slots=True)
class Named:
    """A letter that begins a chain: its head, the numbers below it, and its assumed meaning."""

    head: t.Node
    key: str
    numbers: list[int | None]
    target: Target


class LetterAmbiguity:
    """Disambiguation of letters that our key and the lexicon of the field use differently.

    Args:
        context: for names and numbers.
        disambiguation: for what numbers fit.
    """

    def __init__(self, context: GradingContext, disambiguation: Disambiguation) -> None:
        self.context = context
        self.disambiguation = disambiguation
        self.binder = context.binder
        self.graph = context.graph

    def otherwise(self, nodes: list[t.Node]) -> Target | None:
        """Return another quantity than our letter's, where the sides beside it say so; else None."""
        letters = [self._named(node) for node in nodes[:2]]
        first = next((k for k, found in enumerate(letters) if found is not None), 0)
        named = letters[first] if letters else None
        stated = [node for node in nodes[first + 1 :] if has_numbers(node)]
        if named is None or not stated:
            return (
                None if named is None or "^" not in named.target.name else self._by_formula(named, nodes[first + 1 :])
            )
        readings = [found for name in self._names(named) if (found := self._reading(named, name)) is not None]
        chosen = self._by_numbers(named.target, stated[-1], readings)
        if chosen is not None and "^" not in chosen.name:
            self.binder.names.rebind(named.head, chosen.name)
            self.binder.names.learn(named.head, (chosen.name,))
        return chosen

    def _by_formula(self, named: Named, nodes: list[t.Node]) -> Target | None:
        """Return the quantity of a head that the formula beside its letter defines: ``Z_1 = A_1 V_1``."""
        found = {target.name: target for node in nodes if (target := self.context.formulas.subject(node)) is not None}
        return next((found[name] for name in self._names(named) if name in found), None)

    def _named(self, node: t.Node) -> Named | None:
        """Return the assumed meaning of one of our letters; None for other nodes and for letters that are declared."""
        while isinstance(node, t.Group | t.Boxed):
            node = node.body
        if not isinstance(node, t.Name | t.Subscript):
            return None
        labels, numbers = split(node.indices, {}) if isinstance(node, t.Subscript) else ((), [])
        head = node.base if isinstance(node, t.Subscript) else node
        typed = _TYPED.fullmatch(head.text) if isinstance(head, t.Name) and not numbers else None
        if typed is not None:
            head, numbers = t.Name(typed[1], span=head.span), [int(typed[2])]
        key = key_of(spelt(head) or "")
        binder = self.binder
        is_said = key in binder.names.declared or binder.names.is_of_work(key)
        if labels or numbers is None or len(key) != 1 or is_said:
            return None
        target = binder.resolve(node)
        is_ours = target is not None and (target.guess or base_of(target.name) in AUXILIARY)
        return Named(head, key, numbers, target) if target is not None and is_ours else None

    def _names(self, named: Named) -> list[str]:
        """Return all conventional meanings of a letter, for the current head where there are heads."""
        own, caret, number = named.target.name.partition("^")
        if caret:
            bases = self.binder.heads.bases_of(named.key)
            found = [
                name
                for base in bases
                if (name := self.binder.heads.name(base, int(number) + self.binder.heads.offset)) is not None
            ]
        else:
            found = self.binder.names.by_habit.get(named.key, [])
            found = [*found, "S_scaled"] if "S" in found and "S_scaled" in self.graph else found
        # Which scores are meant is told elsewhere: people name them by words and formulas, not by letters.
        is_scores = own in SCORES
        return [name for name in found if name != named.target.name and not (is_scores and base_of(name) in SCORES)]

    def _reading(self, named: Named, name: str) -> Target | None:
        full = whole(self.graph, name, guess=True)
        numbers = named.numbers[:-1] if "^" in name else named.numbers
        return self.binder.part(full, numbers) if numbers else full

    def _by_numbers(self, target: Target, node: t.Node, readings: list[Target]) -> Target | None:
        """Return the reading with these numbers, where our quantity has others."""
        shape = self.context.shape(node)
        laid = [reading for reading in readings if reading.in_shape(shape) is not None]
        number = figure(node)
        is_single = shape == (1, 1)
        if not laid or (is_single and (number is None or (number.places or 0) < _FINE)):
            return None
        own = self._fitting(node, target)
        count = _size(target) if own is not None else max(map(_size, laid))
        best = max(laid, key=lambda reading: self._fitting(node, reading) or 0)
        fitting = self._fitting(node, best) or 0
        if own is None:
            return best if not is_single or fitting == count else None
        if self.binder.heading == best.name and own < count and not is_single:
            return best
        is_sure = fitting == count if is_single else 2 * fitting >= count
        return best if is_sure and 2 * own < fitting + (is_single or own == 0) else None

    def _fitting(self, node: t.Node, target: Target) -> int | None:
        """Return the number of written entries that fit a target; None where its shape differs."""
        found = self.disambiguation.fitting(node, target)
        return None if found is None else sum(found)


def _size(target: Target) -> int:
    rows, columns = target.shape
    return rows * columns


_READINGS = (*LATER_SCORES, "S")

_MAXIMA = frozenset(key_of(word).lower() for word in HABITS["m"])


class ScoreAmbiguity:
    """Disambiguation of the word scores."""

    def __init__(self, context: GradingContext) -> None:
        self.context = context
        self.said: dict[str, str] = {}

    def heard(self, written: Written, target: Target | None, *, holds: bool) -> None:
        """Record the meaning of a name, where it holds."""
        first = written.sides[0]
        text = None if first is None or first.node is None else spelt(first.node)
        if text is None or len(written.sides) < 2:
            return
        key = key_of(text)
        if any(side is not None and side.node is None for side in written.sides):
            # It is another thing from here on, and nobody knows which.
            self.said.pop(key, None)
            if len(key) > 1:
                for known in (self.context.binder.names.called, self.context.binder.names.rebound):
                    known.pop(key, None)
                    known.pop(key.lower(), None)
        elif holds and target is not None and target.cells == whole(self.context.graph, target.name).cells:
            self.said[key] = target.name

    def shifted(self, nodes: list[t.Node]) -> Target | None:
        """Return the target of ``s - max(s) = …`` and ``exp(s - max(s)) = …``, where a list of numbers follows."""
        graph = self.context.graph
        stated = [node for node in nodes[1:] if has_list(node)]
        if not stated:
            return None
        exponent = power_of_e(nodes[0])
        inner = bare(nodes[0] if exponent is None else exponent)
        name = "shifted" if exponent is None else "E"
        if name not in graph or not self._is_difference(inner):
            return None
        found = whole(graph, name, guess=True)
        shapes = [self.context.shape(node) for node in stated]
        is_laid = any(found.in_shape(shape) is not None or (is_line(shape) and not found.is_vector) for shape in shapes)
        return found if is_laid else None

    def _is_difference(self, node: t.Node) -> bool:
        """Return whether a node is ``s - max(s)``, ``s - m`` or ``scores - max``."""
        if not isinstance(node, t.Sum) or node.operators != ("-",):
            return False
        first, second = (bare(term) for term in node.terms)
        score = self.context.binder.resolve(first)
        if (
            score is None
            or base_of(score.name) not in _READINGS
            or score.cells != whole(self.context.graph, score.name).cells
        ):
            return False
        if isinstance(second, t.Call):
            return second.function.text == "max"
        text = key_of(spelt(second) or "").lower()
        return text in _MAXIMA

    def _is_own(self, name: t.Node) -> bool:
        key = key_of(spelt(name) or "")
        binder = self.context.binder
        is_called = len(binder.names.called.get(key, ())) == 1
        return key in binder.names.declared or is_called or key in binder.names.rebound

    def otherwise(self, node: t.Node) -> list[t.Node]:
        """Return a formula with other scores for a word: those of the work, else any: ``softmax(scores)``."""
        words = set(self._words(node))
        if len(words) != 1:
            return []
        word = words.pop()
        meant = self.context.binder.names.by_habit.get(word, []) or self.context.binder.names.by_habit.get(
            word.lower(), []
        )
        names = [self.said[word]] if word in self.said else [name for name in _READINGS if name in meant]

        def substitute(item: t.Node, name: str) -> t.Node:
            if isinstance(item, t.Name | t.Subscript) and key_of(spelt(item) or "") == word:
                return t.Name(name, span=item.span)
            return rebuilt(item, lambda part: substitute(part, name))

        return [substitute(node, name) for name in names if name in self.context.graph]

    def _words(self, node: t.Node) -> Iterator[str]:
        """Yield the words of a formula that are said of scores."""
        if isinstance(node, t.Name | t.Subscript):
            found = self.context.binder.resolve(node)
            key = key_of(spelt(node) or "")
            is_loose = found is not None and found.name in _READINGS and key not in self.context.binder.names.own
            if is_loose and len(key) > 1 and not self._is_own(node):
                yield key
            return
        for child in t.children(node):
            yield from self._words(child)


class RunningValues:
    """Substitution of running values for the names that mean them: ``o = 0.37 o + …`` is about two blocks.

    ``O`` may be the output, or the accumulator that is not divided yet.

    Args:
        context: for names and numbers.
        disambiguation: for what numbers fit.
    """

    def __init__(self, context: GradingContext, disambiguation: Disambiguation) -> None:
        self.context = context
        self.binder = context.binder
        self.graph = context.graph
        self.disambiguation = disambiguation

    def written(self, written: Written) -> Written:
        """Return the chain with the running values that the name on its left means, after this block and before it."""
        first, *rest = written.sides
        node = None if first is None else first.node
        if not self.binder.problem.online or first is None or not isinstance(node, t.Name | t.Subscript):
            return written
        own = self.binder.resolve(node)
        letters = self._letters(node, own)
        nodes = [side.node for side in rest if side is not None and side.node is not None]
        stated = [item for item in nodes if has_numbers(item)]
        meant: t.Node = node
        if stated:
            is_of_itself = any(item == node for side in nodes for item in walk(side))
            meant = self._meant(node, own, letters, stated[-1], is_of_itself=is_of_itself)
        renamed = written.with_nodes(partial(self._with_before, name=node, target=self.binder.resolve(meant)))
        return replace(renamed, sides=(replace(first, node=meant), *renamed.sides[1:]))

    def _letters(self, node: t.Name | t.Subscript, own: Target | None) -> list[str]:
        """Return the letters of the running values that a name may mean, none for a name of anything else."""
        key = key_of(spelt(node.base if isinstance(node, t.Subscript) else node) or "")
        if key in self.binder.names.given:
            return []
        found = _LAST.get(base_of(own.name), "") if own is not None else ""
        return [*found, *(letter for letter in _LETTERS if key in RUNNING_VALUES[letter])]

    def _meant(
        self,
        node: t.Name | t.Subscript,
        own: Target | None,
        letters: list[str],
        stated: t.Node,
        *,
        is_of_itself: bool,
    ) -> t.Node:
        """Return the running value whose numbers stand beside a name, the name itself where they are its own."""
        is_word = own is None and any(len(word) > 1 and word == key_of(spelt(node) or "") for word in _WORDS)
        best: t.Node = node
        most = 0.0 if own is None else self.disambiguation.share(stated, own)
        for candidate in (candidate for letter in letters for candidate in self._candidates(node, letter, own)):
            target = self.binder.resolve(candidate)
            if target is None or target.in_shape(self.context.shape(stated)) is None:
                continue
            share = self.disambiguation.share(stated, target)
            if share > most or (best is node and (is_word or (is_of_itself and share == most > 0))):
                best, most = candidate, share
        return best

    def _candidates(self, node: t.Name | t.Subscript, letter: str, own: Target | None) -> Iterator[t.Node]:
        """Yield the value after the block spoken of, the one whose number stands at the name, and the output itself."""
        head = "" if own is None else "".join(own.name.partition("^")[1:])
        said = t.Name(f"{letter}@{self.binder.block}{head}", span=node.span)
        is_part = isinstance(node, t.Subscript) and split(node.indices, {})[1] is not None
        if said.text in self.graph:
            yield t.Subscript(said, node.indices, span=node.span) if isinstance(node, t.Subscript) and is_part else said
        if isinstance(node, t.Subscript) and is_part:
            yield replace(node, base=t.Name(letter, span=node.base.span))
        for output in _OUTPUTS if letter == "o" and not is_part else ():
            if f"{output}{head}" in self.graph:
                yield t.Name(f"{output}{head}", span=node.span)

    def _before(self, target: Target | None) -> str:
        """Return the value that the same name means on the right: after the block before, of the output the last."""
        own, caret, head = ("", "", "") if target is None else target.name.partition("^")
        letter, is_running, block = own.partition("@")
        if is_running:
            name = f"{letter}@{int(block) - 1}{caret}{head}"
            return name if name in self.graph else ""
        found = self.graph.nodes.keys() if own in _OUTPUTS else ()
        last = (name for name in found if name.startswith("o@") and name.partition("^")[2] == head)
        return max(last, key=lambda name: int(name.partition("^")[0].removeprefix("o@")), default="")

    def _with_before(self, side: t.Node, *, name: t.Node, target: Target | None) -> t.Node:
        """Return a side with the value before for the name on the left, and for others of what that means."""
        before = self._before(target)

        def substitute(node: t.Node) -> t.Node:
            if isinstance(node, t.Subscript) and self.binder.resolve(node) not in {None, target}:
                return node  # o_1^{(1)} says by itself after which block
            is_same = isinstance(node, t.Name) and (node == name or self.binder.resolve(node) == target)
            return t.Name(before, span=node.span) if is_same else rebuilt(node, substitute)

        return side if not before or isinstance(bare(side), t.Name | t.Subscript) else substitute(side)
