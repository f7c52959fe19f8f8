"""Binding of written names to a quantity, or to an entry, a row or a column of it.

Declared names come first, then the names that the problem's own key would use, then the habits of the
field; where letters clash (S is scores to some and inputs to others), the heading above decides. What is
bound by habit is a guess, and said to be one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace

from symattn.checking.graph.quantities import Graph
from symattn.checking.graph.targets import MARK, OutOfRange, Target, whole
from symattn.checking.names.heads import Heads
from symattn.checking.names.keywords import in_heading
from symattn.checking.names.lexicon import AUXILIARY, BY_KEY, bracketed, key_of, spelt
from symattn.checking.names.name_table import HEAD, NameTable, split, without_power
from symattn.checking.names.phrases import MOST, Phrases, titled
from symattn.exact.field.quotient import Quotient
from symattn.graph.builders.layer import base_of
from symattn.graph.quantities.scene import Entry, Line, Scene, Whole
from symattn.notation.lexicon.lines import lines_said, number_said, place_said, speaks_of_one
from symattn.notation.lexicon.reader import parts_said, said
from symattn.notation.lexicon.translation import in_english
from symattn.notation.submission import KEYS_BESIDE, QUERIES_BESIDE, SAID_ABOVE, THIS_LINE
from symattn.notation.tree import nodes as t
from symattn.problem.model import Problem
from symattn.problem.settings.conventions import DEFINED

_SMALL_NAMES = frozenset({"q", "k", "v"})
"""Small letters whose entries are those of the matrix of the large letter."""


class Binder:
    """Binder of names to the quantities of a graph.

    Args:
        graph: the quantities.
        problem: for the declared names and the orientation of tokens.
        scene: the names that a key of the problem would use, where there is one.
        base: 0 where the work counts from zero, else 1.
        strict: whether the names of our own key are taken as given.
    """

    def __init__(
        self, graph: Graph, problem: Problem, scene: Scene | None = None, base: int = 1, *, strict: bool = False
    ) -> None:
        self.graph = graph
        self.problem = problem
        self.scene = scene
        self.base = base
        self.strict = strict
        self.heading: str | None = None
        self.title = ""
        self.spoken_of: Target | None = None
        self.said_by_heading: str | None = None
        self.line = self._only_line()
        self.line_in_words: int | None = None
        self.block = 0
        self.is_of_one = False
        self.line_found: int | None = None
        self.heads = Heads(graph, problem)
        self.names = NameTable(graph, problem, self.heads, scene)
        self.beside: frozenset[tuple[int, int]] = frozenset()
        self.phrases = Phrases(graph, problem, base, self._surely, self._present)
        self.lines_are_columns = problem.tokens == "columns"
        self.lines_are_rows = problem.tokens == "rows" and problem.projection == "X W"

    def __call__(self, node: t.Node, indices: Mapping[str, int] | None = None) -> Target | None:
        """Return the same as `resolve`."""
        return self.resolve(node, indices)

    def formula(self, node: t.Node, indices: Mapping[str, int]) -> tuple[t.Node, Mapping[str, int]] | None:
        """Return the formula that the work gave for a name with these indices, and their numbers."""
        return self.names.formula(node, indices)

    def constant(self, node: t.Node) -> Quotient | None:
        """Return the value of a symbol of the sheet, or of a dimension such as ``d_k``."""
        return self.names.constant(node)

    def sizes(self, node: t.Node) -> tuple[int, ...] | None:
        """Return the ranges of a name's indices: rows and columns of a matrix, the lines of a small letter."""
        target = self.resolve(node) or self._line_of(node, [1])
        if target is None:
            return None
        return target.shape if 1 not in target.shape else (max(target.shape),)

    def under(self, heading: str, level: int = 1) -> None:
        """Record a heading."""
        words, heading = heading, in_english(heading)
        self.block_said(words)
        self.title = heading
        self.line_in_words = None
        self.heads.under(words, level)
        name = self.head(t.Name(heading.split("=", maxsplit=1)[0].strip(" :*`$\\")))
        self.heading = name[0] if name is not None else self._present_in(words)
        is_plain = name is not None and not name[1]
        self.said_by_heading = self.heading if is_plain or self.heading in titled(words) else None
        self.spoken_of = self._in_heading(heading)
        self.names.heard(words, is_title=True)
        numbers = [item.number for item in lines_said(words) if not item.is_ordinal]
        line = numbers[0] if numbers else self.line_counted(words)
        if line is not None or self.heading is not None:
            self.line = self._only_line() if line is None else line
        self.is_of_one, self.line_found = line is not None or speaks_of_one(words), None

    def _present_in(self, words: str) -> str | None:
        """Return the first quantity of which a heading speaks that exists."""
        is_of_gradient = any(item.name == "gradient" for item in said(words))
        mark = "d" if self.problem.gradient is not None and is_of_gradient else ""
        found = (self._present(f"{mark}{name}") for name in in_heading(words))
        return next(filter(None, found), None)

    @contextmanager
    def of_head(self, words: str) -> Iterator[None]:
        """Bind names, and the heading, to the quantities of the head that a label says."""
        number = self.heads.spoken_of(words) if words else None
        if number is None:
            yield
            return
        before = self.heads.current, self.heading
        self.heads.current = number
        self.heading = self._present_in(self.title) or self.heading
        try:
            yield
        finally:
            self.heads.current, self.heading = before

    def block_said(self, words: str) -> None:
        """Record the block of keys that words speak of last."""
        found = parts_said(words, "block", "tile") if self.problem.online else []
        self.block = found[-1] if found else self.block

    def line_counted(self, words: str) -> int | None:
        """Return the number of the token that words name, in the work's counting: ``the second token``, ``Zeile 2``."""
        place = place_said(words)
        return number_said(words) if place is None else place + self.base - 1

    def said_in_words(self, words: str) -> None:
        """Record the one token that a paragraph speaks of."""
        self.block_said(words)
        number = self.line_counted(words)
        if number is not None:
            self.line_in_words = number
        if number is not None or speaks_of_one(words):
            self.is_of_one, self.line_found = True, None

    def present(self, base: str) -> str | None:
        """Return a quantity by its plain name, for the current head; None for a nonexistent one."""
        return self._present(base)

    def _present(self, base: str) -> str | None:
        """Return a quantity of the heading, for the current head; None for a nonexistent one."""
        own = self.heads.name(base, self.heads.current) if self.heads.current else None
        if own is None and base == "O" and self.heads.current:
            own = self.heads.name("H", self.heads.current)
        return own or (base if base in self.graph else None)

    def _in_heading(self, heading: str) -> Target | None:
        """Return the entry, row or column that a heading names: ``S_{12}``, ``Output for token 2``."""
        words = heading.strip(" :.*`$\\#")
        if len(words) > MOST:
            return None
        return self.phrases.target(words) or self.resolve(t.Name(key_of(words)))

    def _only_line(self) -> int | None:
        """Return the token that the sheet asks about, where it is a single one."""
        asked = {tuple(part.tokens) for part in self.problem.parts}
        tokens = asked.pop() if len(asked) == 1 else ()
        return tokens[0] if len(tokens) == 1 else None

    # Names -----------------------------------------------------------------------------------------

    def head(self, node: t.Node) -> tuple[str, bool] | None:
        """Return the quantity that a name without indices means, and whether that is a guess."""
        text = spelt(node)
        if text is None:
            return None
        key = key_of(in_english(text))
        if key in self.names.rebound:
            return self.names.rebound[key], False
        if key in self.names.called:
            names = self.names.known_as(key)
            return (self.heading if self.heading in names else names[0]), len(names) > 1
        for table in (self.names.declared, self.names.own):
            if key in table:
                return table[key], False
        if key in self.names.given or self.names.is_one_of_given(key):
            return None
        candidates = self.names.by_habit.get(key, [])
        if not candidates:
            candidates = self.names.by_habit.get(key.lower(), []) if len(key) > 1 else []
        if not candidates:
            return None
        if self.heading in candidates:
            return self.heading, len(key) == 1
        is_sure = len(candidates) == 1 and len(key) > 1
        return candidates[0], not is_sure

    def resolve(self, node: t.Node, indices: Mapping[str, int] | None = None) -> Target | None:
        """Return the target of a written name, None for an unknown name."""
        match node:
            case t.Group(body) | t.Boxed(body):
                return self.resolve(body, indices)
            case t.Name(text) | t.Power(t.Name(text), t.Number()) if text in self.problem.symbols:
                return None  # a symbol of the sheet, though its letter be that of a quantity's entries
            case t.Subscript() if self.problem.online and (found := self._of_blocks(node, indices or {})) is not None:
                return found
            case t.Name() | t.Subscript() if self.heads.count == 1 and (joint := self._of_all_heads(node)) is not None:
                return joint
            case t.Name() | t.Subscript() | t.Power() | t.Call() if self.heads.count and (
                (found := self._of_heads(node, indices or {})) is not None
            ):
                return found
            case t.Transpose(t.Name(text)) if text in self.names.primed:
                return None  # Q' is a name of the work's own
            case t.Transpose(base):
                return self._transposed(base, indices)
            case t.Subscript(base, (index,)) if index == THIS_LINE:
                return self._this_line(base)
            case t.Subscript(base, (index,)) if index in {KEYS_BESIDE, QUERIES_BESIDE}:
                return self._beside(self.resolve(base), index)
            case t.Name() if node == SAID_ABOVE:
                return None if self.heading is None else whole(self.graph, self.heading, guess=True)
            case t.Subscript(base) if base == SAID_ABOVE:
                found = self.resolve(base)
                numbers = split(node.indices, indices or {})[1]
                return None if found is None or numbers is None else self.part(found, numbers)
            case t.Name(text) if self.block and (found := self._after_block(text)) is not None:
                return found
            case t.Subscript(base, (t.Number(text),)) if text == str(self.base) and self.names.numbers_rows(base):
                return self.resolve(base, indices)
            case t.Subscript():
                return self._by_scene(node, indices) or self._of_norm(node) or self._subscript(node, indices or {})
            case t.Name(text) if text.startswith(MARK):
                name, i, j = text[1:].split(MARK)
                return Target(name, (((int(i), int(j)),),))
            case t.Name("e"):
                # The base of exponentials, unless the sheet says otherwise.
                return self._whole(node) if "e" in self.names.declared or "e" in self.names.own else None
            case t.Name(text):
                return (
                    self._by_scene(node, indices)
                    or self._whole(node)
                    or self._with_digits(text)
                    or self._in_words(text)
                )
            case t.Product():
                return self._joined(node, indices)
        return None

    def _of_norm(self, node: t.Subscript) -> Target | None:
        """Return ``Y_2`` of a norm without gamma and beta: the standardised values, not a row of Y."""
        key = key_of(spelt(node) or "") if self.problem.block is not None else ""
        names = (
            self.names.by_habit.get(key, [])
            if key in {"Y1", "Y2", "dY1", "dY2"} and key not in self.names.given
            else []
        )
        return whole(self.graph, names[0]) if names else None

    def _after_block(self, text: str) -> Target | None:
        """Return ``l`` of a single query, where words say after which block."""
        name = f"{'l' if text == 'ell' else text}@{self.block}"
        return whole(self.graph, name) if name in self.graph and self.problem.n_q == 1 else None

    def _of_blocks(self, node: t.Subscript, indices: Mapping[str, int]) -> Target | None:
        """Return ``l_1^{(2)}``, the sum after block 2; of a single query also ``l_2``; of head 3 ``l_1^{(3,2)}``."""
        letter = {"ell": "l"}.get(spelt(node.base) or "", spelt(node.base) or "")
        labels, numbers = split(node.indices, indices)
        if letter not in {"m", "g", "l", "o"} or labels or not numbers or key_of(letter) in self.names.given:
            return None
        *place, block = numbers
        name = f"{letter}@{block}"
        if self.heads.count:
            is_pair = (
                letter == "o" and bool(place) and (place[0] or 0) < 10
            )  # else o_{11}, whose numbers stand together
            is_said = len(place) == (3 if is_pair else 2)
            name = f"{name}^{place.pop() if is_said else self.heads.current}"
        if name not in self.graph or (not place and self.problem.n_q > 1):
            return None
        target = whole(self.graph, name)
        return self.part(target, place) if place else target

    def _of_heads(self, node: t.Node, indices: Mapping[str, int]) -> Target | None:
        """Return the target of a name of a head, or of ``MultiHead(Q, K, V)``; None if it may be of all heads."""
        if isinstance(node, t.Call):
            is_all = node.function.text in {"MultiHead", "MultiheadAttention", "MHA", "MultiHeadAttention"}
            return whole(self.graph, "O") if is_all else None
        inner, raised = without_power(node)
        if inner is None or inner == t.Name("e"):
            return None
        if isinstance(inner, t.Name) and " " in inner.text and self.heads.spoken_of(inner.text) is not None:
            return None  # "head 1:" leads to anything of that head; head_1 is its output
        labels, numbers = split(inner.indices, indices) if isinstance(inner, t.Subscript) else ((), None)
        if isinstance(inner, t.Subscript) and not labels and numbers is None:
            return None
        base = inner.base if isinstance(inner, t.Subscript) else inner
        key = key_of(spelt(t.Subscript(base, labels) if labels else base) or "")
        given = [] if numbers is None else [number for number in numbers if number is not None]
        if not key or key in self.names.given or (numbers is not None and len(given) < len(numbers)):
            return None
        typed = re.fullmatch(r"([A-Za-z]+)([0-9]{1,3})", key)
        if typed is not None and not given:
            key, given = typed[1], [int(typed[2])]
        if key in self.names.given or key in self.names.called:
            return None
        found = self.heads.meant(key, [*given, *raised], self.beside, is_above=self.heads.is_above(inner))
        if found is None:
            return None
        full = whole(self.graph, found[0], guess=not found[2])
        target = self.part(full, list(found[1])) if found[1] else full
        return None if target is not None and self._is_joint(node, key, given, target) else target

    def _of_all_heads(self, node: t.Node) -> Target | None:
        """Return the meaning of a name in the key of a single head, where the head itself lacks the quantity."""
        found = self._by_scene(node, None)
        return None if found is None or "^" in found.name else found

    def _is_joint(self, node: t.Node, key: str, numbers: list[int], target: Target) -> bool:
        """Return whether all heads together, and not the head, have the shape of the numbers beside a name."""
        if not self.beside or target.shape in self.beside:
            return False
        if numbers:  # q_1, which may be a query of all heads
            joint = self._by_scene(node, None)
            return joint is not None and joint.name != target.name and joint.shape in self.beside
        joint = whole(self.graph, self.names.own[key]) if key in self.names.own else None
        return joint is not None and joint.name != target.name and joint.shape in self.beside

    def _transposed(self, base: t.Node, indices: Mapping[str, int] | None) -> Target | None:
        """Return an entry of K^T for ``K^T_{13}``, which is parsed like ``(K_{13})^T``, where K^T has such an entry."""
        found = self.resolve(base, indices)
        if isinstance(base, t.Subscript) and (found is None or found.only is not None):
            turned = self.resolve(t.Subscript(t.Transpose(base.base), base.indices, span=base.span), indices)
            if turned is not None and turned.only is not None:
                return turned
            return None if found is None else replace(found, guess=True)
        return None if found is None else found.transposed

    def _beside(self, found: Target | None, way: t.Node) -> Target | None:
        """Return a quantity, transposed where a table has keys in the place of the sheet's queries."""
        is_by_key = found is not None and base_of(found.name) in BY_KEY
        return found.transposed if found is not None and is_by_key and self.is_turned(way) else found

    def is_turned(self, way: t.Node) -> bool:
        """Return whether the labels of a table say that its rows are the columns of weights."""
        return (way == KEYS_BESIDE) != (self.problem.softmax == "columns")

    def _this_line(self, base: t.Node) -> Target | None:
        """Return the row or column of a quantity that the heading, or the sheet, speaks of."""
        found = self.resolve(base)
        if found is None or found.is_vector:
            return found
        return None if self.line is None else self.part(found, [self.line])

    def _by_scene(self, node: t.Node, indices: Mapping[str, int] | None) -> Target | None:
        head = node.base if isinstance(node, t.Subscript) else node
        key = key_of(spelt(head) or "")
        if self.scene is None or self.base == 0 or self.names.is_of_work(key):
            return None
        found = self.scene.resolve(node, indices)
        if found is None or found.name not in self.graph:
            return None
        guess = not self.strict and self._is_ours(node, found)
        match found:
            case Whole(name):
                return whole(self.graph, name, guess=guess)
            case Entry(name, row, column):
                return Target(name, (((row - 1, column - 1),),), guess)
            case Line(name, index):
                return Target(name, tuple(((i - 1, j - 1),) for i, j in self.scene.places(found, index)), guess)

    def _is_ours(self, node: t.Node, found: Whole | Entry | Line) -> bool:
        """Return whether only our key uses a name for a quantity: ``N`` for row sums, where z means the scores.

        The letter c is a context vector to others, unless the sheet calls its scale so.
        """
        head = node.base if isinstance(node, t.Subscript) and not isinstance(found, Whole) else node
        text = key_of(spelt(head) or "")
        known = {key_of(found.name), key_of(self.problem.names.get(found.name, found.name))}
        if text == "c":
            return found.name == "c" and text not in self.names.declared
        return text.upper() not in {item.upper() for item in known}

    def _whole(self, node: t.Node) -> Target | None:
        found = self.head(node)
        return None if found is None else whole(self.graph, found[0], guess=found[1])

    def _in_words(self, text: str) -> Target | None:
        """Return the target of ``row 3 of A`` and ``output for token 1``, words on the left side of a formula."""
        return self.phrases.target(text) if " " in text else None

    def _surely(self, text: str) -> Target | None:
        found = (self._of_heads(t.Name(text), {}) if self.heads.count else None) or self._whole(t.Name(text))
        return None if found is None or found.guess else found

    def _with_digits(self, text: str) -> Target | None:
        """Return the target of ``o1`` and ``a11``, typed without underscores."""
        found = re.fullmatch(r"([A-Za-z]{1,12})([0-9]{1,2})", text)
        return None if found is None else self.resolve(t.Subscript(t.Name(found[1]), (t.Number(found[2]),)))

    def _joined(self, node: t.Product, indices: Mapping[str, int] | None) -> Target | None:
        """Return the target of adjacent letters that are one name (``S s_{11}``) or of an array index (``S[1, 2]``)."""
        indexed = self.indexed(node)
        if indexed is not None:
            return self._subscript(indexed, indices or {})
        if (of_token := self._of_token(node)) is not None:
            return of_token
        *front, last = node.factors
        head = last.base if isinstance(last, t.Subscript) else last
        text = spelt(t.Product((*front, head), node.operators))
        if text is None:
            return None
        is_known = key_of(text) in self.names.declared or key_of(text) in self.names.own
        if not is_known and not isinstance(last, t.Subscript) and self._are_words(node, text):
            return self._whole(t.Name(text))
        if not is_known and any(self.resolve(factor, indices) is not None for factor in node.factors):
            return None
        name = t.Name(text)
        if isinstance(last, t.Subscript):
            return self._subscript(t.Subscript(name, last.indices), indices or {}) if is_known else None
        return self._whole(name)

    def _of_token(self, node: t.Product) -> Target | None:
        """Return the scores of a query for ``scores(q1)``."""
        match node.factors:
            case (t.Name(word), t.Group(token, "(")) if len(word) > 3 and not any(node.operators):
                return self.phrases.target(f"{word} for {spelt(token) or ''}")
        return None

    def _are_words(self, node: t.Product, text: str) -> bool:
        """Return whether a product is ``scaled scores``: juxtaposed words that together name one thing."""
        words = all(isinstance(factor, t.Name) and len(factor.text) > 2 for factor in node.factors)
        return words and not any(node.operators) and bool(self.names.by_habit.get(key_of(text)))

    def indexed(self, node: t.Product) -> t.Subscript | None:
        """Return ``S[1, 2]``, ``S[0][1]`` and ``S[0, :]``, array notation of programs, as a subscript."""
        head, *rest = node.factors
        if any(node.operators) or not isinstance(head, t.Name | t.Subscript):
            return None
        numbers: list[t.Node] = []
        for factor in rest:
            items = bracketed(factor)
            if not items or not all(isinstance(item, t.Number) or item == t.Name(":") for item in items):
                return None
            numbers.extend(items)
        return t.Subscript(head, tuple(numbers), span=node.span) if len(numbers) in {1, 2} else None

    def _subscript(self, node: t.Subscript, indices: Mapping[str, int]) -> Target | None:
        base, numbers = self._head_of(node, indices)
        if numbers is None:
            return self._whole(node)
        found = self._of_head(base, numbers, indices)
        if found is None:
            return self._whole(node)
        return self.part(found, numbers) or self._of_another(base, numbers)

    def _head_of(self, node: t.Subscript, indices: Mapping[str, int]) -> tuple[t.Node, list[int | None] | None]:
        """Return a name with its labels, and the numbers that choose a part of it."""
        labels, numbers = split(node.indices, indices)
        return (t.Subscript(node.base, labels) if labels else node.base), numbers

    def _of_head(self, base: t.Node, numbers: list[int | None], indices: Mapping[str, int]) -> Target | None:
        """Return the quantity that a name with numbers below is a part of."""
        found = self.resolve(base, indices) if isinstance(base, t.Group | t.Transpose | t.Subscript) else None
        named = found or self._line_of(base, numbers) or self._whole(base) or self._one_of_many(base)
        # What runs over all entries may be said of the work's own names.
        return named or (None if indices else self._by_small_letter(base, numbers))

    def _by_small_letter(self, base: t.Node, numbers: list[int | None]) -> Target | None:
        """Return the entry of the matrix of the large letter for a small letter with two indices, ``v_{12}``.

        Where tokens are columns people write the token first or last, and nobody can tell.
        """
        text = spelt(base) or ""
        is_pair = len(numbers) == 2 or (numbers[0] is not None and len(str(numbers[0])) == 2)
        if (
            text not in _SMALL_NAMES
            or text in self.names.given
            or not is_pair
            or None in numbers
            or self.lines_are_columns
        ):
            return None
        return self.large(text)

    def large(self, text: str) -> Target | None:
        """Return the matrix of several rows whose large letter a small one has: that of Q for ``q``."""
        name = self.names.declared.get(text.upper()) or self.names.own.get(text.upper())
        is_known = name is not None and text in _SMALL_NAMES and self.problem.kind != DEFINED
        is_known = is_known and name is not None and 1 not in self.graph.shape(name)
        return whole(self.graph, name, guess=True) if is_known and name is not None else None

    def _one_of_many(self, base: t.Node) -> Target | None:
        """Return one of the quantities called weights, by its indices: ``weight(1, 3)``."""
        text = spelt(base)
        return self._whole(t.Name(f"{text}s")) if text is not None and len(text) > 2 else None

    def _of_another(self, base: t.Node, numbers: list[int | None]) -> Target | None:
        """Return the part of a less likely quantity of this name, where the likelier one lacks it."""
        for name in self.names.others(base):
            found = self.part(whole(self.graph, name, guess=True), numbers)
            if found is not None:
                return found
        return None

    def absent(self, node: t.Node) -> OutOfRange | None:
        """Return the out-of-range name for a name with numbers below, where the part does not exist."""
        indexed: t.Node | None = self.indexed(node) if isinstance(node, t.Product) else node
        if isinstance(node, t.Transpose) and isinstance(node.base, t.Subscript):
            indexed = t.Subscript(t.Transpose(node.base.base), node.base.indices, span=node.span)
        if not isinstance(indexed, t.Subscript) or self.resolve(node) is not None:
            return None
        no_head = self._no_head(indexed)
        if no_head is not None:
            return no_head
        base, numbers = self._head_of(indexed, {})
        found = None if numbers is None else self._of_head(base, numbers, {})
        return None if found is None else self.beyond(node, found, numbers or [], base)

    def _no_head(self, node: t.Subscript) -> OutOfRange | None:
        """Return the out-of-range name for ``A_{12}^{(3)}``, an entry of a nonexistent head."""
        texts = [index.text for index in node.indices if isinstance(index, t.Number)]
        key = key_of(spelt(node.base) or "")
        is_given = key in self.names.given and self.names.given[key][0][-1:] == (HEAD,)
        if is_given and len(texts) == len(node.indices) == len(self.names.given[key][0]):
            is_known = texts[-1].isdigit() and (key, int(texts[-1])) in self.names.given_of_head
            said = "it is not said of such a head what it is."
            return None if is_known else OutOfRange(node, key, (1, 1), (1, 1), said=said)
        is_counted = self.heads.count and not self.heads.offset
        name = self.heads.known(key_of(spelt(node.base) or "")) if is_counted else None
        if name is None or not texts or len(texts) != len(node.indices):
            return None
        *front, last = texts
        digits = tuple(int(digit) for text in front for digit in text if text.isdigit())
        is_whole = not front and (not last.isdigit() or int(last) > max(self.graph.shape(name)))
        if not (len(digits) == 2 or is_whole) or last in {str(head) for head in range(1, self.heads.count + 1)}:
            return None
        said = f"the heads are counted from 1 to {self.heads.count}."
        return OutOfRange(node, name, self.graph.shape(name), digits, said=said)

    def beyond(self, node: t.Node, found: Target, numbers: list[int | None], base: t.Node) -> OutOfRange | None:
        """Return the out-of-range name if numbers select nothing of a target; None if they do, or are not numbers."""
        known = tuple(number for number in numbers if number is not None)
        if len(known) < len(numbers) or len(known) > 2 or self.part(found, numbers) is not None:
            return None
        text = str(known[0])
        is_pair = len(known) == 1 and len(text) == 2 and max(found.shape) <= 9
        pair = (int(text[0]), int(text[1])) if is_pair else known
        is_column = found.shape[0] == 1 or (self.lines_are_columns and found.shape[1] > 1)
        is_line = self._line_of(base, [1]) is not None
        doubt = self._doubt(base, found, pair)
        full = whole(self.graph, found.name)
        label = f"{found.name}^T" if found.cells == full.transposed.cells != full.cells else found.name
        return OutOfRange(node, label, found.shape, pair, is_line, is_column, doubt, self.base)

    def _doubt(self, base: t.Node, found: Target, numbers: tuple[int, ...]) -> str:
        """Return the reason why a nonexistent part may be something else."""
        rows, columns = found.shape
        lacks = f"{found.name} is {rows} × {columns} and has no such part"
        is_other = found.name in AUXILIARY - {"S", "S_scaled"} and key_of(spelt(base) or "") not in self.names.declared
        if found.guess or is_other:
            return f"{lacks}; another quantity is meant, perhaps."
        if self.base == 0 and self._in_reach(found, numbers):
            return f"{lacks}, counted from 0; counted from 1 it has."
        return ""

    def _in_reach(self, found: Target, numbers: tuple[int, ...]) -> bool:
        sizes = found.shape if len(numbers) == 2 else (max(found.shape),)
        return all(1 <= number <= size for number, size in zip(numbers, sizes, strict=True))

    def _line_of(self, base: t.Node, numbers: list[int | None]) -> Target | None:
        """Return a line of the matrix of the large letter for a small letter with one index, ``q_1``."""
        text = spelt(base)
        if text is None or len(numbers) != 1 or numbers[0] is None or len(text) != 1 or not text.islower():
            return None
        if key_of(text) in self.names.declared or key_of(text) in self.names.own:
            return None
        name = self.names.declared.get(text.upper()) or self.names.own.get(text.upper())
        if name is None or 1 in self.graph.shape(name):
            return None
        is_pair = numbers[0] > max(self.graph.shape(name)) and len(str(numbers[0])) == 2
        return None if is_pair else whole(self.graph, name)

    def part(self, found: Target, numbers: list[int | None]) -> Target | None:
        """Return the entry, row or column that numbers choose of a target, None when there is none."""
        rows, columns = found.shape
        if len(numbers) == 1 and numbers[0] is not None:
            number = numbers[0]
            text = str(number)
            is_pair = len(text) == 2 and max(rows, columns) <= 9
            if is_pair:
                return found.part(int(text[0]) - self.base, int(text[1]) - self.base)
            index = number - self.base
            if rows == 1:
                return found.part(None, index) or found.part(index, None)
            if columns == 1 or not self.lines_are_columns:
                return found.part(index, None)
            return found.part(None, index)
        if len(numbers) == 2:
            row, column = (None if number is None else number - self.base for number in numbers)
            if rows == 1 and row not in {None, 0} and column == 0:
                row, column = column, row
            return found.part(row, column)
        return None
