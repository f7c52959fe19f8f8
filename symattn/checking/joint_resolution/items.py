"""Items: the numbers that statements give, and the evidence beside them for what they are about."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property

from symattn import late
from symattn.checking.context import GradingContext
from symattn.checking.expressions.expression_kinds import has_list, has_numbers, power_of_e
from symattn.checking.expressions.numerals import FITS, bare, figure, is_minus_infinity
from symattn.checking.graph.formulas import is_weights
from symattn.checking.graph.targets import Place, Target, whole
from symattn.checking.joint_resolution.values import Number
from symattn.checking.names.keywords import last_clause
from symattn.checking.names.lexicon import AUXILIARY, LATER_SCORES, SOFTMAX, key_of, spelt
from symattn.checking.names.name_table import split
from symattn.checking.names.token_names import places_of
from symattn.checking.subjects.subjects import Subjects
from symattn.graph.builders.layer import base_of
from symattn.notation.lexicon.lines import lines_said
from symattn.notation.lexicon.reader import said, without
from symattn.notation.sides.reader import read_side
from symattn.notation.submission import SAID_ABOVE, Side, Written
from symattn.notation.tree import nodes as t
from symattn.notation.tree.traversal import walk
from symattn.operations.formulas.formula import is_of
from symattn.problem.settings.conventions import DEFINED
from symattn.records import dataclass

_MADE_BY = {
    "softmax": "A", "scale": "S_scaled", "mask": "S_masked", "exponentiate": "E", "product": "S", "sum": "Z",
    "maximum": "m", "weigh": "O",
}  # fmt: skip
"""Quantities that operations make, by their names in the lexicon."""

_IN_STATE = {"scaled": "S_scaled", "capped": "S_capped", "masked": "S_masked"}
"""Quantities that words such as ``after scaling`` speak of, by the names of states in the lexicon."""

_TOKENS = frozenset({"token", "row", "query", "position", "output", "input"})
"""Nouns, by their names in the lexicon, whose numbers are those of rows."""

_KEYS = frozenset({"key", "column"})
"""The same for numbers of columns of scores and weights."""

_SHORT = 3
"""Letters up to which a name is a symbol and no word."""

_MOST = 400
"""Numbers of one statement that are looked at."""

_SHORT_GAP = 40
"""Characters behind a statement in which a word joins the next one to it."""

_BEFORE = 200
"""Characters of words before a statement that are about it."""


_ABOVE = 600
_OF_TABLE = late.pattern(r"^[ \t]*(?:\||<t|[^\n]*[ ]&[ ])[^\n]*\n?", re.MULTILINE)
"""Lines of a table: what stands above them introduces it, within so many characters."""

_WRAP = late.pattern(r"(?<=\w)\n(?=[^\W\d_A-Z])")
_DIGITS = late.pattern(r"[0-9]+")
_QUOTED = late.pattern(r"[“„\"«「][^”“\"»」\n]{1,30}[”“\"»」]")
_WORDS = late.pattern(r"[^\W\d_]+")
_LINE_LABELS = (
    late.pattern(r"[ \t>*+-]{0,8}(?P<label>[^\n:=≈：]{1,40})[:=≈：]"),
    late.pattern(r"[ \t>*+-]{0,8}(?P<label>[^\n→>:=≈：]{1,30}?)(?:→|->)"),
)
_CLAUSE = late.pattern(r"[\s$*)]*(?P<words>[^.,;:：，；。|&\n]+)")
_LISTS = late.pattern(r"[\[(][ \t]*[-−]?\d[^\[\]()\n]{0,200}[\])]")
"""Lists of numbers in one line."""

_LABEL_WORDS = 3
"""Words of a label that begins a line."""


@dataclass(frozen=True, slots=True)
class Name:
    """A quantity that the name beside some numbers may mean.

    Attributes:
        quantity: its name in the graph.
        kind: ``declared``, ``word`` or ``letter``.
        rank: how many likelier meanings the name has.
    """

    quantity: str
    kind: str
    rank: int


@dataclass(frozen=True, slots=True)
class Operation:
    """Meaning of working: one of some quantities, and of it some entries, all where there are none."""

    quantities: frozenset[str]
    cells: tuple[Place, ...] = ()


@dataclass(frozen=True, slots=True)
class Item:
    """Numbers of one statement, with what is said beside them.

    Attributes:
        shape: their rows and columns.
        numbers: row by row; None where an entry is not a number.
        reader: the subject that the names, titles and working of the statement give.
        names: what the name on its left may mean, the likelier first.
        index: the part that its indices choose, where it has any.
        operations: the quantities that its working defines.
        words: quantities of the words before it, with a rank, 0 for the likeliest.
        heading: the same of the heading above.
        row: the row that is spoken of, counted from 0.
        is_row_beside: whether the label, the words right before or the heading say the row, and not words farther off.
        column: the entry of a row that the only index of an unknown letter counts, or the words before it, from 0.
        working: the working right before the numbers, where it is numbers, too.
        key: the name or the label on its left, without its indices.
        frame: the words before it without what they count.
        is_said: whether the words before it say the subject.
        is_joined: whether the word for "and" joins it to the statement before it.
        goes_on: whether it continues the statement before it.
        is_worked: whether its number comes out of the working before it.
    """

    shape: Place
    numbers: tuple[Number | None, ...]
    reader: Target | None
    names: tuple[Name, ...]
    index: tuple[Place, ...]
    operations: tuple[Operation, ...]
    words: Mapping[str, int]
    heading: Mapping[str, int]
    row: int | None
    is_row_beside: bool
    column: int | None
    working: t.Node | None
    key: str
    frame: str
    is_said: bool
    is_joined: bool
    goes_on: bool
    is_worked: bool

    @property
    def is_constant(self) -> bool:
        """Return whether its working is the root of a number and nothing else."""
        return bool(self.operations) and not any(one.quantities for one in self.operations)


def stated_side(written: Written, context: GradingContext) -> t.Node | None:
    """Return the last side of a statement that is numbers and nothing else; None where there is none."""
    for side in reversed(written.sides):
        if side is not None and side.node is not None and numbers_of(side.node, context) is not None:
            return side.node
    return None


def numbers_of(node: t.Node, context: GradingContext) -> tuple[Number | None, ...] | None:
    """Return the numbers of a number, a list or a matrix, row by row; None for anything else."""
    shape = context.shape(node) if has_numbers(node) else None
    if shape is None or shape[0] * shape[1] > _MOST:
        return None
    parts = [context.entry(node, i, j) for i in range(shape[0]) for j in range(shape[1])]
    found = tuple(_number(part) for part in parts)
    return found if any(number is not None for number in found) else None


def _number(part: t.Node | None) -> Number | None:
    if part is None:
        return None
    number = figure(part)
    if number is not None and number.mixed is None:
        return Number(number)
    return Number(None) if is_minus_infinity(part) else None


class ItemReader:
    """Reader of the evidence beside the numbers of a statement, as names and titles stand when it is read.

    Args:
        context: for names and values.
        subjects: for what working defines.
    """

    def __init__(self, context: GradingContext, subjects: Subjects) -> None:
        self.context = context
        self.subjects = subjects
        self.binder = context.binder
        self.graph = context.graph
        problem = self.binder.problem
        kinds = {
            "block": problem.block is not None, "gradient": problem.gradient is not None,
            "online": bool(problem.online), "head": problem.heads > 0, "target": problem.gradient is not None,
        }  # fmt: skip
        self.sheets = frozenset(kind for kind, holds in kinds.items() if holds)

    def item(
        self, written: Written, reader: Target | None, since: int, *, is_said: bool, above: Target | None
    ) -> Item | None:
        """Return the numbers of a statement and the evidence; None where it states none.

        Args:
            written: the statement.
            reader: the subject that was found for it.
            since: the end of the statement before.
            is_said: whether the words before it say the subject.
            above: what a formula without a value right above defines.
        """
        stated = stated_side(written, self.context)
        numbers = None if stated is None else numbers_of(stated, self.context)
        shape = None if stated is None else self.context.shape(stated)
        sides = [side for side in written.sides if side is not None]
        nodes = [side.node for side in sides if side.node is not None]
        if len(nodes) < len(sides):
            return None
        if stated is None or numbers is None or shape is None or self._is_of_another(nodes[0]):
            return None
        working = [node for node in nodes if node is not stated]
        label = working[0] if working and written.sides[0] is not None and self._is_name(working[0]) else None
        text = self.context.work.text
        words = last_clause(_WRAP.sub(" ", text[max(since, written.span[0] - _BEFORE) : written.span[0]]))
        first = written.sides[0]
        beside = "" if label is None or first is None else text[slice(*first.span)]
        row, is_beside = self._row(beside, words, written.span)
        spoken, title = self._spoken_of(words), self._titled(self.binder.title)
        if not spoken and shape[0] > 1:
            lines = _OF_TABLE.sub("", text[max(since, written.span[0] - _ABOVE) : written.span[0]])
            spoken = self._spoken_of(last_clause(lines))
        if not spoken and label is not None and self._row_in(beside) is not None:
            line = text[text.rfind("\n", 0, written.span[0]) + 1 : written.span[0]]
            spoken = self._spoken_of(line[-_BEFORE:])  # "weights: t1: …; t2: …"
        operations = self._operations(working, label, None if _says(words) else above)
        names, index = self._names(label, beside, {**title, **spoken})
        headed = self._headed(first)
        names, index = (headed, ()) if headed else (names, index)
        if reader is None:  # the letter of the scale, beside what is no scale
            names = tuple(Name("", name.kind, name.rank) if name.quantity == "c" else name for name in names)
        column = self._row_in(words, _KEYS) if label is None else None
        labelled_row, labelled_column = self._places_of_line(written.span[0])
        if column is None:
            column = self._token_of(beside or words) if self.has_one_query else None
            column = labelled_column if column is None else column
        if labelled_row is not None and not is_beside:
            row, is_beside = labelled_row, True
        if shape == (1, 1) and len(index) != 1 and isinstance(label, t.Subscript):
            index, column = (), self._column(label)
        return Item(
            shape, numbers, reader, names, index, operations, spoken, title, row, is_beside, column,
            working[-1] if working and working[-1] is not label and has_numbers(working[-1]) else None,
            _key(label), _frame(words),
            is_said=is_said,
            is_joined=next((one.name for one in said(text[since : written.span[0]][:_SHORT_GAP])), "") == "and",
            goes_on=written.sides[0] is None and not written.after_text,
            is_worked=self._is_worked(working, stated),
        )  # fmt: skip

    def _titled(self, words: str) -> dict[str, int]:
        """Return the quantities of a title: below one that names an operation stand what goes in and what comes out."""
        found = self._spoken_of(words)
        for name, rank in list(found.items()):
            parents = self.graph.parents(name) if rank and name in self.graph else frozenset[str]()
            operands = parents.union(*(self.graph.parents(parent) for parent in parents))
            for operand in operands:
                if self.graph.nodes[operand].formula is not None:
                    found.setdefault(operand, rank + 1)
        return found

    def _headed(self, first: Side | None) -> tuple[Name, ...]:
        """Return what the formula at the head of a column means, ``e^Score`` or ``q·k/√d``, whatever words it holds."""
        node = read_side(self.context.work.text, *first.span, "plain").node if first and first.implied else None
        if node is None or isinstance(node, t.Name | t.Subscript):
            return ()
        letters = {item.text.lower() for item in walk(node) if isinstance(item, t.Name)}
        is_scaled = any(isinstance(item, t.Division) for item in walk(node))
        names = self._made("exponential") if power_of_e(node) is not None else frozenset[str]()
        if not names and {"q", "k"} <= letters:
            names = frozenset(name for name in self.graph.nodes if base_of(name) == ("S_scaled" if is_scaled else "S"))
        return tuple(Name(name, "word", 0) for name in sorted(names))

    def _spoken_of(self, words: str) -> dict[str, int]:
        """Return the quantities of which words speak, those that an operation in them makes after the others."""
        found: dict[str, int] = {}
        items = said(words)
        if any(item.kind == "outside" for item in items):
            return found
        for item in items:
            made = {"quantity": item.name, "operation": _MADE_BY.get(item.name), "state": _IN_STATE.get(item.name)}
            name = made.get(item.kind)
            rank = item.rank + (item.kind != "quantity")
            if name is not None and f"{name}@{self.binder.block}" in self.graph:
                name = f"{name}@{self.binder.block}"
            if name is not None and (not item.when or item.when in self.sheets):
                found[name] = min(rank, found.get(name, rank))
        return found

    def _is_of_another(self, node: t.Node) -> bool:
        """Return whether a first side is an expression in names that defines no quantity: ``A_21/A_22``."""
        is_known = self._is_name(node) or has_numbers(node) or power_of_e(node) is not None or is_softmax(node)
        return not is_known and self.subjects.named(node) is None

    def _is_name(self, node: t.Node) -> bool:
        inner = node.base if isinstance(node, t.Subscript | t.Transpose) else node
        return isinstance(inner, t.Name | t.Subscript) or self.binder.resolve(node) is not None

    def _column(self, label: t.Subscript) -> int | None:
        """Return the entry of a row that ``w_2`` counts."""
        numbers = split(label.indices, {})[1]
        only = numbers[0] if numbers is not None and len(numbers) == 1 else None
        return None if only is None else only - self.binder.base

    def _names(
        self, label: t.Node | None, beside: str, spoken: Mapping[str, int]
    ) -> tuple[tuple[Name, ...], tuple[Place, ...]]:
        """Return what a name may mean, a letter that nothing explains what is spoken of; and the part it chooses."""
        if label is None:
            return (), ()
        target = self.binder.resolve(label)
        if target is None:
            words = self._spoken_of(beside)
            told = [(rank, name) for name in self.graph.nodes if (rank := words.get(base_of(name))) is not None]
            if told:
                return tuple(Name(name, "word", rank) for rank, name in sorted(told)), ()
        head = _head(label)
        key = key_of(spelt(head) or "")
        is_given = key in {*self.binder.names.declared, *self.binder.names.own} or self._row_in(key) is not None
        if len(key.rstrip("0123456789")) == 1 and not is_given:
            head, key = t.Name(key[0]), key[0]  # e1, typed without an underscore
        kind = "word" if len(key) > 1 else "letter"
        if target is None:
            names = self._habits(head, key)
            # The letter e alone is the base of exponentials to the binder; numbers behind it are scores or these.
            names = [name for name in names if kind == "word" or key == "e" or base_of(name) in spoken]
            found = [Name(name, kind, rank) for rank, name in enumerate(names)]
            is_token = self._row_in(key) is not None or key.casefold() in self.context.work.tokens
            is_table = isinstance(label, t.Subscript) and label.base == SAID_ABOVE
            is_word = is_table or (isinstance(label, t.Name) and (len(key) > _SHORT or is_token))
            return tuple(found) if found or is_word else (Name("", "letter", 0),), ()
        known = self.binder.names
        is_own = key in known.declared or (key in known.own and (kind == "word" or known.own[key] not in AUXILIARY))
        is_said = not target.guess and (is_own or known.is_of_work(key))
        found = [Name(target.name, "declared" if is_said else kind, 0)]
        if is_said and is_own and kind == "word":
            return tuple(found), self._index(target)
        current = self.binder.present(base_of(target.name))
        if current is not None and current != target.name:
            found.append(Name(current, kind, 0))
        others = self._habits(head, key)
        others += [later for name in (target.name, *others) for later in self._later_scores(name)]
        others = [name for name in others if name != target.name]
        found.extend(Name(name, kind, rank) for rank, name in enumerate(dict.fromkeys(others), 1))
        return tuple(found), self._index(target)

    def _index(self, target: Target) -> tuple[Place, ...]:
        """Return the part of a quantity that a name chooses; nothing for all of it."""
        full = whole(self.graph, target.name)
        return () if target.cells in {full.cells, full.transposed.cells} else tuple(target.flat())

    def _habits(self, head: t.Node, key: str) -> list[str]:
        names = self.binder.names
        found = [*names.others_called(head), *names.habits_of(head), *names.by_habit.get(key.lower(), ())]
        return [name for name in dict.fromkeys(found) if name in self.graph]

    def _later_scores(self, name: str) -> list[str]:
        """Return what people go on calling scores."""
        own, caret, number = name.partition("^")
        later = [f"{base}{caret}{number}" for base in LATER_SCORES] if own == "S" else []
        return [other for other in later if other in self.graph]

    def _operations(self, working: list[t.Node], label: t.Node | None, above: Target | None) -> tuple[Operation, ...]:
        """Return what the working of a statement defines, or the formula above it where it has none."""
        found: list[Operation] = []
        if not working and above is not None:
            found.append(Operation(frozenset({above.name}), tuple(above.flat())))
        for node in working:
            if node is label:
                continue
            if _is_constant(node):
                found.append(Operation(frozenset()))
                continue
            exponent = power_of_e(node)
            target = None if self._is_name(node) else self.subjects.named(node)
            if target is not None:
                found.append(Operation(frozenset({target.name}), tuple(target.flat())))
            elif exponent is not None:
                found.append(Operation(self._made("exponential")))
            elif is_softmax(node):
                found.append(Operation(frozenset(name for name in self.graph.nodes if self._is_weights(name))))
        return tuple(found)

    def _made(self, operation: str) -> frozenset[str]:
        return frozenset(name for name, node in self.graph.nodes.items() if is_of(node.formula, operation))

    def _is_weights(self, name: str) -> bool:
        return is_weights(self.graph.nodes[name].formula)

    def _is_worked(self, working: list[t.Node], stated: t.Node) -> bool:
        """Return whether a number is what the working right before it comes to."""
        if not working or not has_numbers(working[-1]):
            return False
        shape = self.context.shape(stated)
        if shape is None or shape != self.context.shape(working[-1]) or (shape != (1, 1) and not has_list(working[-1])):
            return False
        places = ((i, j) for i in range(shape[0]) for j in range(shape[1]))
        return all(self._is_worth(working[-1], stated, place) for place in places)

    def _is_worth(self, working: t.Node, stated: t.Node, place: Place) -> bool:
        """Return whether an entry of some working comes to that of the numbers behind it."""
        before, after = (self.context.entry(node, *place) for node in (working, stated))
        number = None if after is None else figure(after)
        if before is None or number is None:
            return False
        return any(self.context.numbers.close(number, value) in FITS for value in self.context.worth(before))

    def _row(self, label: str, words: str, span: t.Span) -> tuple[int | None, bool]:
        """Return the row that is spoken of, counted from 0, and whether it is said beside the numbers."""
        behind = self.context.work.text[span[1] :][:_SHORT_GAP]
        for text in (label, _of_words(behind), words):
            row = self._row_in(text)
            if row is not None:
                return row, True
        place = self._place_among_lists(span)
        if place is not None:
            return place, True
        place = None if self.has_one_query else self._token_of(label)
        if place is not None:
            return place, True
        binder = self.binder
        if binder.line is not None:
            return binder.line - binder.base, binder.line != binder.line_in_words
        if binder.line_found is not None:
            return binder.line_found, False
        return (None if binder.line_in_words is None else binder.line_in_words - binder.base), False

    def _place_among_lists(self, span: t.Span) -> int | None:
        """Return the place of a list among one for each query, which a word for "and" joins: ``[1, 2] and [3, 4]``."""
        text, problem = self.context.work.text, self.binder.problem
        count = 0 if problem.kind == DEFINED else problem.n_q
        begin, end = text.rfind("\n", 0, span[0]) + 1, text.find("\n", span[1])
        line = text[begin : end if end >= 0 else None]
        joints = {(begin + item.start, begin + item.end) for item in said(line) if item.name == "and"}
        group: list[t.Span] = []
        for found in _LISTS.finditer(text, begin, begin + len(line)):
            gap = text[group[-1][1] : found.start()].strip(" $,;") if group else ""
            start = text.find(gap, group[-1][1]) if gap else begin
            is_last = (start, start + len(gap)) in joints
            group = [*group, found.span()] if not gap or is_last else [found.span()]
            if is_last and len(group) == count:
                return next((k for k, (low, high) in enumerate(group) if low < span[1] and span[0] < high), None)
        return None

    def _row_in(self, words: str, nouns: frozenset[str] = _TOKENS) -> int | None:
        """Return the row of the token that words count, from 0; None where they count none, or several."""
        rows = {
            item.number - (1 if item.is_ordinal else self.base_in_words)
            for item in lines_said(words)
            if item.name in nouns and item.number is not None and item.number >= 0
        }
        return rows.pop() if len(rows) == 1 else None

    def _token_of(self, words: str) -> int | None:
        """Return the place of the token whose word stands right before numbers; None where none does."""
        *before, last = _WORDS.findall(words) or [""]
        if before and any(item.name == "is" for item in said(last)):
            return None  # a verb, "the sum is 17.6", though a token be called so
        return next(iter(places_of(last, self.context.work.tokens)), None)

    @cached_property
    def has_one_query(self) -> bool:
        """Return whether words that name tokens name keys."""
        return bool(self.context.work.tokens) and self.binder.problem.n_q == 1

    def _places_of_line(self, start: int) -> tuple[int | None, int | None]:
        """Return the places of the query and of the key in the label of a line: ``q·k2 = 1 → …``, ``"cat" → …``."""
        text = self.context.work.text
        begin = text.rfind("\n", 0, start) + 1
        labels = (found["label"] for pattern in _LINE_LABELS if (found := pattern.match(text, begin, start)))
        label = next((one for one in labels if len(_WORDS.findall(one)) <= _LABEL_WORDS), "")
        places = places_of(label, self.context.work.tokens)
        if len(places) == 2 and not self.has_one_query:
            return places[0], places[1]
        if places:
            return (None, places[-1]) if self.has_one_query else (places[0], None)
        return self._row_in(label), self._row_in(label, _KEYS)

    @cached_property
    def base_in_words(self) -> int:
        """The number of the first token in words, which may count from 1 where indices count from 0."""
        if self.binder.base != 0:
            return 1
        counted = (item.number for item in lines_said(self.context.work.text) if item.name in _TOKENS)
        return 0 if 0 in counted else 1


def is_softmax(node: t.Node) -> bool:
    """Return whether a node is the softmax of something."""
    inner = bare(node)
    return isinstance(inner, t.Call) and inner.function.text.lower() in SOFTMAX


def _says(words: str) -> bool:
    """Return whether words before numbers say more than that they are printed."""
    return bool(_WORDS.search(words.replace("print", "")))


def _of_words(behind: str) -> str:
    """Return the words right behind numbers that say whose they are: "[0.7, 0] for token 1"."""
    clause = _CLAUSE.match(behind)
    words = "" if clause is None else clause["words"]
    return words if any((item.name, item.start) == ("of", 0) for item in said(words)) else ""


def _head(label: t.Node) -> t.Node:
    """Return a name with its labels and without its indices."""
    if not isinstance(label, t.Subscript | t.Transpose):
        return label
    labels = split(label.indices, {})[0] if isinstance(label, t.Subscript) else ()
    return t.Subscript(label.base, labels) if labels else label.base


def _is_constant(node: t.Node) -> bool:
    """Return whether a node is a root of a number, which is worked out for a scale, not an entry."""
    inner = bare(node)
    return isinstance(inner, t.Root) and figure(inner.body) is not None


def _key(label: t.Node | None) -> str:
    """Return a name or a label without its numbers."""
    head = None if label is None else _head(label)
    return "" if head is None else _DIGITS.sub("", key_of(spelt(head) or "")).lower()


def _frame(words: str) -> str:
    """Return words without what they count or quote, by which two introductions are the same."""
    left = without(_QUOTED.sub("", words), lambda item: item.is_ordinal)
    return " ".join(_WORDS.findall(left.lower()))
