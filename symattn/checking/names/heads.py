"""Names of heads: ``head_1``, ``Q_1`` and ``A^{(2)}``, or plain ``A`` below "Head 2".

A raised number in brackets reaches the checker as an index, so that ``Q^{(1)}_{12}`` has the indices 12 and 1.
What is about one number, a row or a whole matrix is told by the numbers that stand beside it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from symattn import late
from symattn.checking.graph.quantities import Graph
from symattn.checking.names.lexicon import HABITS, OF_HEADS, is_raised, key_of, spelt
from symattn.graph.builders.layer import base_of
from symattn.graph.builders.names import namings
from symattn.notation.lexicon.reader import Said, parts_said, said, words_beside
from symattn.notation.submission import Work, Written
from symattn.notation.tree import nodes as t
from symattn.problem.components.data import group_of
from symattn.problem.model import Problem

Shape = tuple[int, int]

_FROM_ZERO = late.pattern(r"(?<![A-Za-z])(?:[QKVASO]|head)(?:_\{?\w{1,3}\}?)?\^\{?\(0\)")
_JOINED = frozenset({"all", "multihead", "concatenate", "C"})
"""What is said of all heads together."""

_RAISED_NUMBERS = late.pattern(r"(?<![A-Za-z])[QKVASHOqkvasho]\}?\^\{?\(([0-9]{1,3})\)")

_BY_LETTER = late.pattern(r"(?<![A-Za-z0-9_])h(?:ead)?\s{0,2}=\s{0,2}(?=[0-9])")
_MARKUP = late.pattern(r"\\(?:textbf|textit|emph|underline|paragraph\*?|item)\b|[{}$*]")

_MOST_WORDS = 12
_FEW_WORDS = 3
_LAST = 200
_EDGES = " \t\r\n.:,;$*"

_SMALL = frozenset("abcdefghijklmnopqrstuvwxyz")


class Heads:
    """Binder of names to the quantities of heads.

    Args:
        graph: the quantities; one of a head has its number after a caret.
        problem: for how many heads there are, and the names that it declares.
    """

    def __init__(self, graph: Graph, problem: Problem) -> None:
        self.graph = graph
        self.count = problem.heads
        self.kv_count = problem.kv_heads or problem.heads
        self._means_h = "h" in {*problem.names.values(), *problem.symbols}
        self._are_lines_rows = problem.tokens == "rows"
        self.offset = 0
        self.current = 1 if self.count == 1 else 0
        self.level = 0
        self.is_by_words = False
        self._text = ""
        self._are_rows_raised = self._are_groups_raised = False
        self._steps: dict[str, set[int]] = {}
        self._step = ""
        self.bases = frozenset(base_of(name) for name in graph.nodes if "^" in name) if self.count else frozenset()
        self._keys = self._known(problem)
        declared = set(map(key_of, problem.names.values()))
        self._scores = frozenset(key for key, bases in self._keys.items() if bases[0] == "S" and key not in declared)

    def count_as(self, work: Work) -> None:
        """Record whether a work counts its heads from 0, ``Head 0``, ``A^{(0)}``, and whether its raised numbers can.

        ``A^{(3)}`` where there are two heads numbers a row. Of two groups of keys, those of four heads are not numbered
        by heads but by groups, unless there is a ``K^{(3)}``.
        """
        self._text = text = work.text
        labels = dict.fromkeys(piece.head for piece in work.pieces if isinstance(piece, Written))
        said_in = (number for words in (text, *labels) for number in parts_said(words, "head"))
        is_from_zero = self.count > 1 and (_FROM_ZERO.search(text) is not None or 0 in said_in)
        self.offset = int(is_from_zero)
        last, last_group = self.count - self.offset, self.kv_count - self.offset
        raised = [(found[0][0], int(found[1])) for found in _RAISED_NUMBERS.finditer(text)]
        self._are_rows_raised = any(number > last for _, number in raised)
        self._are_groups_raised = all(number <= last_group for letter, number in raised if letter in "KVkv")

    def is_above(self, node: t.Node) -> bool:
        """Return whether the last index of a name is the number of a head above it: ``A^{(2)}``, not ``A_2``."""
        if self._are_rows_raised or not isinstance(node, t.Subscript):
            return False
        return is_raised(self._text, node.indices[-1].span)

    def _known(self, problem: Problem) -> dict[str, list[str]]:
        """Return the meanings of names, the surest first: the key of the problem, its own names, the lexicon."""
        found: dict[str, list[str]] = {}
        written = namings(problem) if self.bases else {}
        for base in self.bases & written.keys():
            for node in (written[base].symbol, written[base].entry, written[base].line):
                word = None if node is None else spelt(node)
                if word is not None:
                    found.setdefault(key_of(word), []).append(base)
        for base in sorted(self.bases):
            for word in (base, problem.names.get(base, base)):
                found.setdefault(key_of(word), []).append(base)
        self.own = frozenset(found)
        for base, words in (*OF_HEADS.items(), *HABITS.items()):
            if base in self.bases:
                # Where a block has a quantity Y_1, that is no output of head 1.
                for word in (item for item in words if f"{item}_1" not in self.graph):
                    found.setdefault(key_of(word), []).append(base)
        return {key: list(dict.fromkeys(bases)) for key, bases in found.items()}

    def meanings(self) -> dict[str, list[str]]:
        """Return what names mean in a head, as the work has said so far."""
        return dict(self._keys)

    def take(self, meanings: dict[str, list[str]]) -> None:
        """Take what the work has said for what was known of names."""
        self._keys = dict(meanings)

    def under(self, heading: str, level: int = 1) -> None:
        """Record the head of a heading; quantities made of all heads belong to none.

        Headings as high as that of the head may be steps of it; a higher one ends it, and so does one after a step that
        was made for every head, ``Queries, head 1`` and ``Queries, head 2``.
        """
        heading = _in_words(heading)
        number = self.spoken_of(heading)
        if number is not None:
            self.current, self.level, self.is_by_words = number, level, False
            self._step = " ".join(words_beside(heading, _heads_in(heading)[:1]))
            self._steps.setdefault(self._step, set()).add(number)
        elif self.count > 1 and (level < self.level or self._is_step_done() or _speaks_of_all(heading)):
            self.current = 0
            self._steps.clear()

    def _is_step_done(self) -> bool:
        """Return whether the last heading with a head names a step, which every head has had."""
        is_step = bool(self._step.removeprefix("step").strip())
        return is_step and len(self._steps.get(self._step, ())) == self.count

    def heard(self, words: str) -> None:
        """Record a line that only says which head comes next, ``Head 1`` or ``For head 1 we get``.

        What says more names a head in passing, perhaps, and changes nothing.
        """
        if self.count < 2:
            return
        *before, last = re.split(r"[.;!?]\s|\n", _in_words(words).strip(_EDGES)[-_LAST:])
        if before and len(last.split()) <= _FEW_WORDS:  # "Head 1. We have"
            last = f"{before[-1]} {last}" if _heads_in(before[-1]) else last
        number = self.spoken_of(last)
        is_count = number == self.count > self.current + 1 and _BY_LETTER.search(words) is not None
        if len(last.split()) > _MOST_WORDS or is_count:  # "h = 2" says how many heads there are
            return
        if number is None:
            if self.is_by_words and _speaks_of_all(last):
                self.current = 0
            return
        links = [item for item in said(last) if item.kind == "relation"]
        if not words_beside(last, [*_heads_in(last)[:1], *links]):
            self.current, self.is_by_words = number, True

    def is_told(self, formula: str) -> bool:
        """Record the head that a formula only numbers, ``h = 1``, and return whether it does."""
        if self.count < 2 or not _BY_LETTER.match(formula) or self._means_h:
            return False
        self.heard(formula)
        return True

    def spoken_of(self, words: str) -> int | None:
        """Return the head that words name, None where they name none.

        >>> from symattn.checking.graph.layer import graph_of_layer
        >>> from symattn.graph.builders.attention import attention_layer
        >>> p = Problem.build(Q=[[1, 2]], K=[[1, 0]], V=[[1, 2]], heads=2)
        >>> Heads(graph_of_layer(attention_layer(p)), p).spoken_of("## Scores of the second head")
        2
        """
        found = _heads_in(words) if self.count else []
        if not found or found[0].number is None:
            return None
        number = found[0].number + (0 if found[0].is_ordinal else self.offset)
        return number if 1 <= number <= self.count else None

    def bases_of(self, key: str) -> list[str]:
        """Return the meanings that a name may have for any head, the likelier first."""
        return self._keys.get(key, [])

    def known(self, key: str) -> str | None:
        """Return a quantity of some head that a name may mean, None where it means none."""
        bases = self._keys.get(key) or (self._keys.get(key.upper()) if key in _SMALL else None)
        return None if bases is None else self.name(bases[0], self.current or 1)

    def rebind(self, node: t.Node, base: str) -> None:
        """Record the work's use of a name of scores that the sheet does not declare."""
        key = key_of(spelt(node.base if isinstance(node, t.Subscript) else node) or "").rstrip("0123456789")
        if key in self._scores:
            self._keys[key] = [base]

    def name(self, base: str, head: int, *, is_group: bool = False) -> str | None:
        """Return the quantity of a head; keys and values may be those of a group, which a number may be that of."""
        own = f"{base}^{head}"
        if not is_group and base in {"K", "V", "W_K", "W_V", "b_K", "b_V"} and self.kv_count < self.count:
            own = f"{base}^{group_of(head, self.count, self.kv_count)}"
        return own if own in self.graph else None

    def meant(
        self, key: str, numbers: list[int], wanted: Collection[Shape], *, is_above: bool = False
    ) -> tuple[str, list[int], bool] | None:
        """Return the quantity of a name with numbers below, the numbers that select a part, and whether that is sure.

        Args:
            key: the name without what people vary.
            numbers: its numbers, that of the head the last one.
            wanted: the shapes of what stands beside it, none where that is not known.
            is_above: whether the last number stands above the name, as that of a head does in a key.
        """
        bases = self._keys.get(key)
        if bases is None and key in _SMALL and numbers:
            bases = self._keys.get(key.upper())
        readings = [] if bases is None else list(self._readings(key, bases, numbers, is_above=is_above))
        fitting = [item for item in readings if wanted and self._shapes(*item[:2]) & set(wanted)]
        # A row that stands beside Q^{(2)} tells that this work numbers rows above names. A column may be H^{(2)},
        # an output of one feature, with A^{(2)} in its product.
        is_row = is_above and len(numbers) == 1 and bool(fitting) and fitting[0][1] == numbers
        if is_row and any(shape == (1, 1) or (shape[0] == 1) == self._are_lines_rows for shape in wanted):
            self._are_rows_raised = True
        return next(iter(fitting or readings), None)

    def _readings(
        self, key: str, bases: list[str], numbers: list[int], *, is_above: bool
    ) -> Iterator[tuple[str, list[int], bool]]:
        """Yield the readings, the likeliest first."""
        is_line = key in _SMALL and len(numbers) == 1
        for base in bases:
            is_sure = key == key_of(base) or len(key) > 1 or len(bases) == 1
            chosen = [(self.current, numbers)] if self.current else []
            number = numbers[-1] + self.offset if numbers else 0
            if 1 <= number <= self.count:
                named, is_other = (number, numbers[:-1]), self.current not in {0, number}
                is_other = is_other and not self.is_by_words and not is_above
                chosen = [*chosen, named] if (is_line and not self.is_by_words) or is_other else [named, *chosen]
            for head, rest in chosen:
                is_group = is_above and self._are_groups_raised and rest is not numbers
                name = self.name(base, head, is_group=is_group)
                if name is not None and self._shapes(name, rest):
                    yield name, rest, is_sure

    def _shapes(self, name: str, numbers: list[int]) -> set[Shape]:
        """Return the shapes of the part that numbers select, in either orientation; none without such a part."""
        rows, columns = self.graph.shape(name)
        if not numbers:
            return {(rows, columns)}
        if len(numbers) == 2:
            return {(1, 1)} if numbers[0] <= rows and numbers[1] <= columns else set()
        text = str(numbers[0])
        if len(numbers) == 1 and len(text) == 2 and max(rows, columns) <= 9:
            return {(1, 1)} if int(text[0]) <= rows and int(text[1]) <= columns else set()
        size = max(rows, columns) if 1 in (rows, columns) else rows
        return {(1, columns), (columns, 1), (1, 1)} if len(numbers) == 1 and numbers[0] <= size else set()


def _in_words(text: str) -> str:
    """Return a text without its markup, and with ``h = 1`` as "head 1"."""
    return _BY_LETTER.sub("head ", _MARKUP.sub(" ", text))


def _heads_in(words: str) -> list[Said]:
    """Return the heads that words number."""
    return [item for item in said(words) if item.name == "head" and item.number is not None]


def _speaks_of_all(words: str) -> bool:
    """Return whether words speak of what is made of all heads: ``Concatenation``, ``Final output``."""
    return any(item.name in _JOINED and not item.rank for item in said(words))
