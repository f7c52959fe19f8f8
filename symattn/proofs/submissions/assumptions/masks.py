r"""Causal masks, as works say which keys a query sees: ``under the causal mask``, ``$M_{ij} = 1$ iff $j \le i$``.

A theorem about any mask says of a causal one what it says of two tokens of which the query does not see the key:
those are any two of which the key is the later one. A sum up to the query runs over what its mask lets through.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from symattn.errors import NotationError
from symattn.notation.tree import nodes as t
from symattn.notation.tree.traversal import rebuilt, walk
from symattn.proofs.language.interpretation import plain_name, split_indices
from symattn.proofs.submissions.phrases import read_phrases
from symattn.proofs.submissions.prose.hypotheses import Statements
from symattn.proofs.submissions.prose.polarity import Polarity, polarity_of
from symattn.proofs.submissions.prose.sentences import Sentence
from symattn.proofs.submissions.reading.domains import ORDER_SIGNS, TURNED, Clause, Domain
from symattn.proofs.submissions.reading.normalization import substitute, substitute_all
from symattn.records import dataclass

_WORDS = read_phrases("masks")


@dataclass(frozen=True, slots=True)
class OpenMask:
    """The mask of a theorem that leaves open which one it is, where people take a causal one for granted.

    Attributes:
        name: the mask, 1 where a query sees a key.
        seen: the matrix that the mask is but for the theorem's two tokens.
        weights: the weights, which are 0 where the mask is.
        visible: an entry of the weights where the mask is 1, with the indices i and j.
        first: an entry of the first row of the weights, with the index j: only the first key is seen there.
        query: the index of a query.
        key: the index of a key that this query does not see.
        count: how many keys there are.
    """

    name: str
    seen: str
    weights: str
    visible: str
    first: str
    query: str
    key: str
    count: str


OPEN_MASKS = {
    "causal-independence": OpenMask(
        "M", "G", "A",
        "exp(beta S_{ij})/sum_{k=1}^{n} M_{ik} exp(beta S_{ik})",
        "(delta_{1,j} exp(beta S_{1,j}))/sum_{k=1}^{n} delta_{1,k} exp(beta S_{1,k})",
        "q", "t", "n",
    )
}  # fmt: skip
"""By the names of theorems."""

# Statements ----------------------------------------------------------------------------------------

_NEAR = 16
_DENIALS = frozenset({Polarity.DENIED, Polarity.WITHOUT})


class MaskReader:
    """Reader of the words of a work on the mask that a theorem leaves open.

    Args:
        mask: of the theorem.
        text: the work.
        statements: its sentences.
    """

    def __init__(self, mask: OpenMask, text: str, statements: Statements) -> None:
        self.mask = mask
        self.text = text
        self.statements = statements
        self.forms = read_phrases("mask_forms", re.NOFLAG, mask=mask.name)
        self.spans: tuple[t.Span, ...] = ()

    def is_causal(self) -> bool:
        """Tell whether the work has a causal mask; what it states of it is in `spans` from then on."""
        found = [match for form in ("exactly", "cases", "indicator") for match in self.forms[form].finditer(self.text)]
        spans = [match.span() for match in found]
        parts = [match for match in self.forms["parts"].finditer(self.text) if not _is_inside(match.start(), spans)]
        known = [*spans, *(match.span() for match in parts)]
        others = [match for match in self.forms["entries"].finditer(self.text) if not _is_inside(match.start(), known)]
        heads = [self.text[max(0, match.start() - _NEAR) : match.start()] for match in others]
        if any(map(_WORDS["supposed"].search, heads)) or not all(map(_is_of_causal, (*found, *parts))):
            return False
        if any(self.statements.polarity_at(match.start()) is not Polarity.STATED for match in found):
            return False
        words = [self._words(sentence) for sentence in self.statements.sentences]
        if "denied" in words:
            return False
        if not (found or "stated" in words):
            return not others and all(self._says_nothing(sentence) for sentence in self.statements.sentences)
        self.spans = tuple(spans)
        return True

    def _words(self, sentence: Sentence) -> str:
        """Tell what a sentence does with a mask: states that it is causal, denies it, or neither."""
        found = ""
        named: list[t.Span] = []
        for match in _WORDS["causal"].finditer(sentence.text):
            named.append(match.span())
            head = sentence.text[: match.start()]
            is_meant = _WORDS["the_mask"] if match[0].lower().startswith("mask") else _WORDS["stipulated"]
            is_other = _WORDS["other_mask"].match(sentence.text, match.end()) is not None
            if polarity_of(sentence, *match.span()) is not Polarity.STATED or is_other or not is_meant.search(head):
                return "denied"
            found = "stated"
        for match in _WORDS["mask"].finditer(sentence.text):
            if _is_inside(match.start(), named):
                continue
            is_same = _WORDS["same_mask"].search(sentence.text[: match.start()]) is not None
            if not is_same or polarity_of(sentence, *match.span()) in _DENIALS:
                return "denied"
        return found

    def _says_nothing(self, sentence: Sentence) -> bool:
        words = re.findall(r"[^\W\d_]{2,}", re.sub(r"⟦\w+⟧|\w+_\S*", " ", sentence.text))
        return all(map(_WORDS["says_nothing"].fullmatch, words))


def _is_of_causal(match: re.Match[str]) -> bool:
    """Return whether an entry has the value that a causal mask gives it: 1 where the key is not after the query."""
    row, column, sign = match["row"], match["column"], ORDER_SIGNS.get(match["sign"], match["sign"])
    sides = (match["left"], match["right"])
    if sides not in {(row, column), (column, row)} or row == column:
        return False
    if sides == (row, column):
        sign = TURNED[sign]
    return sign == (">" if match["value"] == "0" else "≤")


def _is_inside(place: int, spans: Sequence[t.Span]) -> bool:
    return any(first <= place < last for first, last in spans)


# Under the mask ------------------------------------------------------------------------------------


class UnderMask:
    """Sides as they are under a causal mask, with what a theorem about any mask has in their place.

    Args:
        mask: of the theorem.
        read: reads plain text of the theorem.
        indices: letters that are indices in the work.
    """

    def __init__(self, mask: OpenMask, read: Callable[[str], t.Node], indices: frozenset[str]) -> None:
        self.mask = mask
        self.visible, self.first = read(mask.visible), read(mask.first)
        self.indices = indices

    def link(self, sides: Sequence[t.Node], domain: Domain) -> tuple[list[t.Node], Domain] | None:
        """Return the sides of a link and where it holds, None where they are not under the mask.

        Raises:
            NotationError: a sum binds a letter that an index becomes.
        """
        found = [self._with_whole_sums(self._with_numbers(side)) for side in sides]
        clauses: list[Clause] = []
        for clause in domain.clauses:
            pair = self._pair(clause)
            if pair is None:
                clauses.append(clause)
                continue
            early, late, is_strict = pair
            if is_strict:
                found = [self._hidden(side, early, late) for side in found]
            else:
                found = [self._seen(side, late, early) for side in found]
        return (found, Domain(tuple(clauses), domain.is_elsewhere)) if found != list(sides) else None

    def _pair(self, clause: Clause) -> tuple[str, str, bool] | None:
        """Return the earlier and the later index, and whether they differ."""
        if len(clause) != 1:
            return None
        left, operator, right = clause[0]
        if not (isinstance(left, t.Name) and isinstance(right, t.Name) and {left.text, right.text} <= self.indices):
            return None
        if operator in {"<", "≤"}:
            return left.text, right.text, operator == "<"
        return (right.text, left.text, operator == ">") if operator in {">", "≥"} else None

    def _hidden(self, side: t.Node, query: str, key: str) -> t.Node:
        """Rename query and key to the two of the theorem where the key, which comes after the query, is not seen."""
        taken = {self.mask.query, self.mask.key} - {query, key}
        if any(isinstance(item, t.Name) and item.text in taken for item in walk(side)):
            raise NotationError("The letters of the theorem's two tokens stand for others here.", 0)
        return substitute_all(side, {query: t.Name(self.mask.query), key: t.Name(self.mask.key)})

    def _seen(self, side: t.Node, query: str, key: str) -> t.Node:
        """Replace the entry of the mask by 1 where the key does not come after the query."""
        if _is_entry(side, self.mask.name, query, key):
            return t.Number("1")
        if _is_entry(side, self.mask.weights, query, key):
            return t.Group(substitute_all(self.visible, {"i": t.Name(query), "j": t.Name(key)}))
        if isinstance(side, t.SumOver) and side.index.text in {query, key}:
            return side
        return rebuilt(side, lambda child: self._seen(child, query, key))

    def _with_numbers(self, node: t.Node) -> t.Node:
        """Replace entries at two numbers that the mask hides by 0, and write out the rest of the weights' first row."""
        match node:
            case t.Subscript(t.Name(base), indices) if base in {self.mask.name, self.mask.weights}:
                row, column = _numbers(indices)
            case _:
                return rebuilt(node, self._with_numbers)
        if row is None or column is None:
            return node
        if isinstance(column, t.Number) and column.value > row.value:
            return t.Number("0")
        if base == self.mask.weights and row.value == 1:
            return t.Group(substitute(self.first, "j", column))
        return node

    def _with_whole_sums(self, node: t.Node) -> t.Node:
        """Extend sums up to the query to sums over all keys, with the entries of the mask as factors."""
        node = rebuilt(node, self._with_whole_sums)
        match node:
            case t.SumOver(index, (None | t.Number("1")) as lower, t.Name(query), body, ()) if query in self.indices:
                if not self._vanishes(body, query, index.text):
                    entry = t.Subscript(t.Name(self.mask.name), (t.Name(query), index))
                    body = t.Product((entry, t.Group(body)), ("",))
                return t.SumOver(index, lower, t.Name(self.mask.count), body)
        return node

    def _vanishes(self, node: t.Node, query: str, key: str) -> bool:
        """Return whether a summand has the weight or the mask entry as a factor, which is 0 where the mask is."""
        match node:
            case t.Group(body) | t.Negative(body):
                return self._vanishes(body, query, key)
            case t.Product(factors):
                return any(self._vanishes(factor, query, key) for factor in factors)
            case t.Division(above, _):
                return self._vanishes(above, query, key)
            case t.Sum(terms):
                return all(self._vanishes(term, query, key) for term in terms)
        return any(_is_entry(node, name, query, key) for name in (self.mask.name, self.mask.weights))


def _numbers(indices: tuple[t.Node, ...]) -> tuple[t.Number | None, t.Node | None]:
    """Return the row, where it is a number, and the column of an entry: ``12`` is two of one digit each."""
    match split_indices(indices, 2):
        case (t.Number() as row, column):
            return row, column
    return None, None


def _is_entry(node: t.Node, name: str, row: str, column: str) -> bool:
    if not isinstance(node, t.Subscript) or plain_name(node.base) != name:
        return False
    return [plain_name(index) for index in split_indices(node.indices, 2)] == [row, column]
