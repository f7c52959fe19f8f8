r"""Conditions in a work, and the statements to which they belong: ``for i ≠ j``, ``if i = j``, ``otherwise``.

A condition stands before the formulas of its sentence or behind one of them; one that has a sentence of its own, or
ends with a colon at the end of a line, holds until the next. What stands behind it only loosely is told apart, so
that nothing is refuted where the condition may still hold.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass as mutable
from dataclasses import field, replace
from functools import reduce
from typing import TypeAlias

from symattn.notation.submission import Heading, Piece, Work, Written
from symattn.notation.tree import nodes as t
from symattn.notation.tree.traversal import walk
from symattn.proofs.language.interpretation import plain_name
from symattn.proofs.submissions.phrases import CUES, LAYOUT, read_phrases
from symattn.proofs.submissions.reading.case_rows import remove_rows, split_rows
from symattn.proofs.submissions.reading.domains import EVERYWHERE, ORDER_SIGNS, Clause, Domain, Relation
from symattn.records import dataclass

_WORDS = read_phrases("conditions")

IsIndex: TypeAlias = Callable[[str], bool]

_PAIR = 2
_NEAR = 32
_ENDLESS = (t.Name("infinity"), t.Name("oo"))
_INFINITIES = (*_ENDLESS, *map(t.Negative, _ENDLESS))
_OPPOSITES = frozenset({"=", "≠", "≤", ">", "<", "≥"})
_UNEQUAL = _OPPOSITES - {"="}


@dataclass(frozen=True, slots=True)
class PlacedPiece:
    """A piece of a work with what is said about where it holds.

    Attributes:
        piece: the piece, from which conditions that it carried were taken.
        is_condition: whether it is a condition itself, or says where a variable goes.
        domain: where it holds.
        loosely: an earlier condition that may hold for it as well.
        toward: where variables go, ``(beta, oo)``, for a statement with an arrow.
        is_assumed: whether the work supposes it: ``Let``, ``Take``, ``Suppose``.
        head: what a branch without a left side is about: ``0 otherwise``.
        is_explained: whether it says what a name before it is: ``where``, ``with``.
        is_doubtful: whether it is a condition that may be claimed as well: ``Hence $A_{11} = 1$ implies …``.
    """

    piece: Piece
    is_condition: bool = False
    domain: Domain = EVERYWHERE
    loosely: Domain = EVERYWHERE
    toward: tuple[tuple[str, t.Node], ...] = ()
    is_assumed: bool = False
    head: t.Node | None = None
    is_explained: bool = False
    is_doubtful: bool = False


# Reading -------------------------------------------------------------------------------------------

_UNEQUAL_SIGNS = frozenset({"≠", "!=", r"\ne", r"\neq", r"\not=", r"\not =", r"\notin", "∉"})


def _plain(gap: str) -> str:
    """Return the words of a gap without markup."""
    return " ".join(LAYOUT["markup"].sub(" ", gap).split()).strip(" ,:，、：")


def _is_joining(words: str) -> bool:
    """Return whether nothing but a word for "and" stands between two formulas."""
    return _WORDS["joining"].fullmatch(words) is not None


_OF_CONDITIONS = frozenset({"condition", "bound"})


@dataclass(frozen=True, slots=True)
class _Mark:
    """Something in the text: a statement, a condition, a word that makes one."""

    kind: str
    span: t.Span
    place: int | None = None
    domain: Domain = EVERYWHERE
    toward: tuple[tuple[str, t.Node], ...] = ()
    is_premise: bool = False
    """Whether it is a condition of what stands behind it."""
    is_doubtful: bool = False
    """Whether it may be claimed as well."""


def place_statements(work: Work, is_index: IsIndex, is_scalar: IsIndex) -> tuple[PlacedPiece, ...]:
    """Return the pieces of a work with the conditions of its statements.

    Args:
        work: as read.
        is_index: whether a letter is an index in the work.
        is_scalar: whether a letter is a number that may go to a limit.
    """
    pieces, given = split_rows(work)
    text = remove_rows(work.text)
    marks = _with_alternatives(list(_marks(text, pieces, is_index, is_scalar)), text, pieces)
    reader = _Reader(text, pieces, marks)
    opened = reader.read()
    conditions = {mark.place for mark in marks if mark.kind in {"condition", "limit"}} | reader.bounds
    doubtful = {mark.place for mark in marks if mark.is_doubtful}
    found: list[PlacedPiece] = []
    branches: list[Domain] = []
    for place, piece in enumerate(pieces):
        known = opened.get(place, PlacedPiece(piece))
        domain = known.domain
        condition = given.get(place)
        if condition is not None:
            own = _row_domain(condition, branches, is_index)
            branches = branches if own.is_everywhere else [*branches, own]
            domain = domain.and_(own)
        else:
            branches = []
        known = replace(known, is_condition=place in conditions, is_doubtful=place in doubtful)
        found.append(replace(known, domain=domain))
    return tuple(found)


def _row_domain(text: str, branches: Sequence[Domain], is_index: IsIndex) -> Domain:
    """Return the condition of one row of ``cases``, or that it is not read."""
    found = [_short(match, is_index) for match in LAYOUT["short_condition"].finditer(text)]
    found += [_short_order(match, is_index) for match in LAYOUT["short_order"].finditer(text)]
    domain = reduce(Domain.and_, filter(None, found), EVERYWHERE)
    if domain.is_everywhere and _WORDS["said"].search(text):
        return _otherwise(branches)
    return replace(domain, is_unread=domain.is_everywhere and bool(_plain(text)))


def _short_order(match: re.Match[str], is_index: IsIndex) -> Domain | None:
    """Return the order of two indices, as in ``j < i``."""
    left, right = match["left"], match["right"]
    if not (is_index(left) and is_index(right)):
        return None
    return Domain.of([(t.Name(left), ORDER_SIGNS.get(match["sign"], match["sign"]), t.Name(right))])


def _otherwise(branches: Iterable[Domain]) -> Domain:
    """Return what some branches leave out."""
    return reduce(Domain.and_, (branch.negated() for branch in branches), EVERYWHERE)


def _short(match: re.Match[str], is_index: IsIndex) -> Domain | None:
    letter, sign, inside, others = match.groups()
    items = [item.strip() for item in (inside if inside is not None else others).split(",") if item.strip()]
    is_known = all(item.isdecimal() or (len(item) == 1 and (is_index(item) or item.isalpha())) for item in items)
    if not is_index(letter) or not items or not is_known:
        return None
    nodes = [t.Number(item) if item.isdecimal() else t.Name(item) for item in items]
    relations = [(t.Name(letter), "≠" if sign in _UNEQUAL_SIGNS else "=", node) for node in nodes]
    if sign in _UNEQUAL_SIGNS:
        return Domain.of(relations)
    return Domain((tuple(relations),))


def _marks(text: str, pieces: Sequence[Piece], is_index: IsIndex, is_scalar: IsIndex) -> Iterator[_Mark]:
    written = [
        (place, piece)
        for place, piece in enumerate(pieces)
        if isinstance(piece, Written) and not _is_within_words(text, piece)
    ]
    end = 0
    last: _Mark | None = None
    given = {node.text for node in _heads(pieces) if isinstance(node, t.Name)}
    for number, (place, piece) in enumerate(written):
        before = text[end : piece.span[0]]
        following = [text[piece.span[1] : other.span[0]] for _, other in written[number + 1 : number + 2]]
        yield from _in_words(before, end, is_index)
        yield from _off_diagonal(before, end, piece, is_index)
        goes_on = last is not None and last.kind in _OF_CONDITIONS and _is_joining(_plain(before))
        is_concluded = last is not None and last.is_premise and _begins_implication(text, last.span[1])
        is_last = is_concluded or not following or LAYOUT["end"].search(following[0]) is not None
        premise = () if is_last else _premise(text, _plain(before), piece)
        if premise:
            is_doubtful = CUES["concluded"].search(_plain(before)) is not None and not _is_open(premise)
            last = _Mark("condition", piece.span, place, Domain.of(premise), is_premise=True, is_doubtful=is_doubtful)
        else:
            last = _mark(text, before, place, piece, (is_index, is_scalar), goes_on=goes_on)
        if last.kind == "statement" and not CUES["concluded"].search(_plain(before)):
            bounds = _bounds(piece, lambda name: is_scalar(name) and name not in given)
            last = last if bounds is None else _Mark("bound", piece.span, place, bounds)
        yield last
        end = max(end, piece.span[1])
    yield from _in_words(text[end:], end, is_index)


def _with_alternatives(marks: Sequence[_Mark], text: str, pieces: Sequence[Piece]) -> list[_Mark]:
    """Return marks with conditions that are joined by a word for "or" made one: ``if $x = 0$ or $x = 1$``."""
    found: list[_Mark] = []
    for mark in marks:
        last = found[-1] if found else None
        clause = () if last is None else _clause(last, text, pieces)
        other = _relation(mark, pieces)
        if last is None or not clause or other is None or not _is_or(text[last.span[1] : mark.span[0]]):
            found.append(mark)
            continue
        found[-1] = _Mark("condition", last.span, last.place, Domain(((*clause, other),)))
        found.append(_Mark("condition", mark.span, mark.place))
    return found


def _clause(mark: _Mark, text: str, pieces: Sequence[Piece]) -> Clause:
    """Return the relations of which a condition, or an assumption, says that one holds."""
    if mark.kind == "condition":
        return mark.domain.clauses[0] if len(mark.domain.clauses) == 1 else ()
    relation = _relation(mark, pieces)
    is_assumed = _is_assumption(_plain(text[max(0, mark.span[0] - 2 * _NEAR) : mark.span[0]]))
    return (relation,) if relation is not None and is_assumed else ()


def _relation(mark: _Mark, pieces: Sequence[Piece]) -> Relation | None:
    """Return the one relation that the formula of a mark is."""
    piece = None if mark.place is None else pieces[mark.place]
    if not isinstance(piece, Written):
        return None
    nodes = _nodes(piece)
    is_plain = len(nodes) == _PAIR == len(piece.sides) and piece.operators[0] in _OPPOSITES
    return (nodes[0], piece.operators[0], nodes[1]) if is_plain else None


def _is_or(gap: str) -> bool:
    return _WORDS["alternative"].fullmatch(_plain(gap)) is not None


def _is_within_words(text: str, piece: Written) -> bool:
    """Return whether an expression alone is a count in words that make a condition: ``for the $n-2$ other keys``."""
    if piece.operators:
        return False
    first, last = piece.span
    start = max(0, first - _NEAR)
    found = _WORDS["said"].finditer(text, start, last + _NEAR)
    return any(match.start() < first and last < match.end() for match in found)


def _off_diagonal(gap: str, start: int, piece: Written, is_index: IsIndex) -> Iterator[_Mark]:
    """Yield that the two indices of a formula differ, where the words before it call it off-diagonal."""
    match = _WORDS["off_diagonal"].search(gap)
    parts = [item for node in _nodes(piece) for item in walk(node) if isinstance(item, t.Subscript)]
    names = (item for part in parts for index in part.indices for item in walk(index) if isinstance(item, t.Name))
    letters = sorted({item.text for item in names if is_index(item.text)})
    if match is not None and len(letters) == _PAIR:
        one, two = map(t.Name, letters)
        yield _Mark("words", (start + match.start(), start + match.end()), None, Domain.of([(one, "≠", two)]))


def _nodes(piece: Written) -> list[t.Node]:
    """Return the sides of a formula that were read."""
    return [side.node for side in piece.sides if side is not None and side.node is not None]


def _in_words(gap: str, start: int, is_index: IsIndex) -> Iterator[_Mark]:
    """Yield the conditions that stand between the formulas."""
    found: list[_Mark] = []
    for match in LAYOUT["short_condition"].finditer(gap):
        domain = _short(match, is_index)
        if domain is not None:
            found.append(_Mark("words", (start + match.start(), start + match.end()), None, domain))
    for match in _WORDS["said"].finditer(gap):
        span = (start + match.start(), start + match.end())
        if match["distinct"] or match["compared"]:
            one, two = t.Name(match["one"] or match["three"]), t.Name(match["two"] or match["four"])
            sign = "=" if (match["how"] or "").lower() in {"equal", "the same", "coincide"} else "≠"
            if is_index(one.text) and is_index(two.text):
                found.append(_Mark("words", span, None, Domain.of([(one, sign, two)])))
        elif match["elsewhere"]:
            is_counted = _WORDS["counted"].search(match["elsewhere"]) is not None  # how many they are is not looked at
            domain = Domain((), is_unread=True) if is_counted else Domain((), is_elsewhere=True)
            found.append(_Mark("words", span, None, domain))
        else:
            found.append(_Mark("otherwise" if match["otherwise"] else "general", span))
    yield from sorted(found, key=lambda mark: mark.span)


def _mark(
    text: str, before: str, place: int, piece: Written, kinds: tuple[IsIndex, IsIndex], *, goes_on: bool
) -> _Mark:
    is_index, is_scalar = kinds
    own = text[piece.span[0] : piece.span[1]].strip()
    flat = " ".join(own.replace("&", " ").split())
    short = LAYOUT["short_condition"].fullmatch(flat)
    domain = None if short is None else _short(short, is_index)
    if domain is not None:
        return _Mark("condition", piece.span, place, domain)
    if LAYOUT["index_range"].fullmatch(flat) and any(is_index(letter) for letter in flat if letter.isalpha()):
        return _Mark("condition", piece.span, place)
    nodes = [None if side is None else side.node for side in piece.sides]
    if len(nodes) < 2 or any(node is None for node in nodes):
        return _Mark("statement", piece.span, place)
    words = _plain(before)
    first = nodes[0]
    is_arrow = piece.operators == ("→",) and isinstance(first, t.Name) and is_scalar(first.text)
    is_far = nodes[1] in _INFINITIES
    if is_arrow and isinstance(first, t.Name) and (_WORDS["approach"].search(words) or is_far):
        return _Mark("limit", piece.span, place, EVERYWHERE, ((first.text, nodes[1] or t.Number("0")),))
    relations = [(a, o, b) for a, o, b in zip(nodes, piece.operators, nodes[1:], strict=False) if a and b]
    if not all(operator in _OPPOSITES for _, operator, _ in relations):
        return _Mark("statement", piece.span, place)
    is_order = all(operator in {"≤", "<", "≥", ">", "≠"} for _, operator, _ in relations)
    is_value = is_order or _is_value(relations, is_scalar)
    is_told = _WORDS["order_word"].search(words) is not None
    if _WORDS["extremal"].search(words):
        return _Mark("condition", piece.span, place)  # it says where, and claims nothing of its own
    if _WORDS["antecedent"].search(words) and _WORDS["then"].match(text, piece.span[1]):
        return _Mark("condition", piece.span, place, Domain.of(relations))
    if _WORDS["value_word"].search(words) or (is_value and (is_told or (goes_on and _is_value(relations, is_scalar)))):
        found = Domain.of(relations)
        return _Mark("condition", piece.span, place, found.negated() if _WORDS["unless"].search(words) else found)
    bare = all(isinstance(side, t.Name | t.Number) for a, _, b in relations for side in (a, b))
    if bare and is_order and any(is_index(side.text) for side in nodes if isinstance(side, t.Name)):
        return _Mark("condition", piece.span, place, Domain.of(relations))
    return _Mark("statement", piece.span, place)


def _begins_implication(text: str, end: int) -> bool:
    """Return whether words or a sign behind a formula say what it implies."""
    return _WORDS["implies"].match(text, end) is not None


def _premise(text: str, words: str, piece: Written) -> tuple[Relation, ...]:
    """Return the relations of a premise; none for other formulas.

    Behind a derived quantity a sign only goes on with the proof, and an equation of one is claimed before.

    Args:
        text: the work.
        words: those before the formula.
        piece: the formula.
    """
    nodes = _nodes(piece)
    is_source = _WORDS["source"].search(words) and _WORDS["result"].match(text, piece.span[1])
    if len(nodes) < 2 or len(nodes) < len(piece.sides) or not (is_source or _begins_implication(text, piece.span[1])):
        return ()
    is_simple = all(map(_is_entry, nodes))
    is_sign = _WORDS["implication"].match(text, piece.span[1]) is not None
    is_order = _UNEQUAL.issuperset(piece.operators)
    if (is_order and not is_sign) or (is_simple and (is_order or {*piece.operators} == {"="})):
        return tuple(zip(nodes, piece.operators, nodes[1:], strict=False))
    return ()


def _is_letter(node: t.Node) -> bool:
    """Return whether a side is a letter, its absolute value, or a number."""
    match node:
        case t.Call(t.Name("abs"), (body,)) | t.Negative(body) | t.Group(body):
            return _is_letter(body)
        case _:
            return isinstance(node, t.Name | t.Number)


def _is_open(relations: Sequence[Relation]) -> bool:
    """Return whether relations compare letters, or entries of one family, so that none follows from anything."""
    bases = [{_base(a), _base(b)} for a, _, b in relations]
    return all(map(_is_letter, (side for a, _, b in relations for side in (a, b)))) or all(
        len(names) == 1 and None not in names for names in bases
    )


def _base(node: t.Node) -> t.Node | None:
    return node.base if isinstance(node, t.Subscript) else None


def _is_entry(node: t.Node) -> bool:
    """Return whether a side is a letter, perhaps with indices, or a number."""
    return _is_letter(node) or (isinstance(node, t.Subscript) and isinstance(node.base, t.Name))


def _heads(pieces: Sequence[Piece]) -> Iterator[t.Node | None]:
    """Yield the first sides of equations."""
    for piece in pieces:
        if isinstance(piece, Written) and piece.operators[:1] == ("=",) and piece.sides[0] is not None:
            yield piece.sides[0].node


def _bounds(piece: Written, is_scalar: IsIndex) -> Domain | None:
    r"""Return the domain that bounds of letters make beside a formula: ``…, \\quad |t| < 1``; None for other links."""
    nodes = [None if side is None else side.node for side in piece.sides]
    if not piece.operators or not all(operator in {"≤", "<", "≥", ">"} for operator in piece.operators):
        return None
    names = {item.text for node in nodes if node is not None for item in walk(node) if isinstance(item, t.Name)}
    names -= {"abs"}
    if not names or not all(map(is_scalar, names)) or any(node is None or not _is_letter(node) for node in nodes):
        return None
    return Domain.of((a, o, b) for a, o, b in zip(nodes, piece.operators, nodes[1:], strict=False) if a and b)


def _is_assumption(words: str) -> bool:
    """Return whether words before a formula make it an assumption: ``Let``, ``Let $j$ be the index with``."""
    return any(_WORDS[name].search(words) is not None for name in ("assumed", "described"))


def _is_of_letter(piece: Piece) -> bool:
    """Return whether a formula is one equation with a letter alone on its left side."""
    sides = piece.sides if isinstance(piece, Written) and piece.operators == ("=",) else ()
    return bool(sides) and sides[0] is not None and isinstance(sides[0].node, t.Name)


def _is_value(relations: Sequence[Relation], is_scalar: IsIndex) -> bool:
    """Return whether a relation gives a letter a number: ``mu = 0``."""
    return all(
        (name := plain_name(left)) is not None and is_scalar(name) and operator == "=" and isinstance(right, t.Number)
        for left, operator, right in relations
    )


# Belonging -----------------------------------------------------------------------------------------


@mutable(slots=True)
class _State:
    """Conditions that hold at a place of the text."""

    leading: Domain = EVERYWHERE
    toward: tuple[tuple[str, t.Node], ...] = ()
    is_block: bool = False
    loosely: Domain = EVERYWHERE
    branches: list[Domain] = field(default_factory=list)
    is_complete: bool = False
    """Whether the branches leave nothing out."""
    sentence: list[int] = field(default_factory=list)
    """Statements of this sentence."""
    last: _Mark | None = None
    is_written: bool = False
    """Whether letters are introduced: ``Write $x = q_1$ and …``, where only equations of letters are assumptions."""


class _Reader:
    """Reader of the marks, in one pass."""

    def __init__(self, text: str, pieces: Sequence[Piece], marks: Sequence[_Mark]) -> None:
        self.text = text
        self.pieces = pieces
        self.marks = marks
        self.headings = [piece.span[0] for piece in pieces if isinstance(piece, Heading)]
        self.found: dict[int, PlacedPiece] = {}
        self.own: set[int] = set()
        """Statements with a condition of their own."""
        self.bounds: set[int] = set()
        """Bounds of letters that are conditions."""
        self.inferred: set[int] = set()
        """Bounds of letters that no word calls an assumption."""
        self.start = 0
        """Where the present sentence begins."""
        self.state = _State()

    def read(self) -> dict[int, PlacedPiece]:
        """Return the statements with their conditions, by their places among the pieces."""
        starts = [*(mark.span[0] for mark in self.marks[1:]), len(self.text)]
        for mark, following in zip(self.marks, starts, strict=False):
            end = 0 if self.state.last is None else self.state.last.span[1]
            gap = self.text[end : mark.span[0]]
            after = self.text[mark.span[1] : following]
            self._boundaries(gap, mark)
            match mark.kind:
                case "statement":
                    self._statement(mark, gap)
                case "bound":
                    self._bound(mark, gap, after)
                case "general":
                    self._closed(everything=True)
                case "otherwise":
                    self._otherwise(gap, after)
                case _:
                    self._condition(mark, gap, after)
            self.state.last = mark
        return self.found

    def _boundaries(self, gap: str, mark: _Mark) -> None:
        state = self.state
        last = state.last
        is_heading = last is not None and (
            bisect_left(self.headings, last.span[1]) < bisect_right(self.headings, mark.span[0])
        )
        if is_heading:
            self.start = mark.span[0] - len(gap)
            self._closed(everything=True)
        elif self._continues(mark):
            return
        elif ends := [match.end() for match in LAYOUT["end"].finditer(gap)]:
            self.start = mark.span[0] - len(gap) + ends[-1]
            is_done = bool(state.sentence) and not state.is_block
            is_over = state.is_block and bool(state.sentence) and LAYOUT["paragraph"].search(gap)
            if is_done or is_over:
                self._closed(everything=False)
            elif not state.leading.is_everywhere or state.toward:
                state.is_block = True  # a condition with a sentence of its own
            state.sentence = []

    def _closed(self, *, everything: bool) -> None:
        state = self.state
        state.loosely = EVERYWHERE if everything else state.loosely.followed_by(state.leading)
        state.leading, state.toward, state.is_block, state.sentence = EVERYWHERE, (), False, []
        if everything:
            state.branches = []

    def _continues(self, mark: _Mark) -> bool:
        piece = None if mark.place is None else self.pieces[mark.place]
        return (
            mark.kind == "statement" and isinstance(piece, Written) and bool(piece.operators) and piece.sides[0] is None
        )

    def _statement(self, mark: _Mark, gap: str) -> None:
        state = self.state
        place = mark.place or 0
        words = _plain(gap)
        before = self.found[state.sentence[-1]] if state.sentence else None
        if self._continues(mark) and before is not None:
            known = replace(before, piece=self.pieces[place])
            self.own |= {place} if state.sentence[-1] in self.own else set()
        else:
            at = -1 if state.last is None or state.last.place is None else state.last.place
            is_listed = before is not None and at in self.found and at not in self.inferred and _is_joining(words)
            goes_on = is_listed and self.found[at].is_assumed
            ends = [match.end() for match in LAYOUT["end"].finditer(gap)]
            lead = _plain(gap[ends[-1] if ends else 0 :])
            state.is_written = (goes_on and state.is_written) or bool(_WORDS["written"].search(lead))
            is_assumed = goes_on or state.is_written or _is_assumption(lead)
            is_assumed &= not state.is_written or _is_of_letter(self.pieces[place])
            known = PlacedPiece(
                self.pieces[place],
                domain=state.leading,
                loosely=state.loosely,
                toward=state.toward,
                is_assumed=is_assumed,
            )
        is_beside = words == "" and "," in gap and before is not None
        self.found[place] = replace(known, is_explained=is_beside or bool(_WORDS["explained"].search(words)))
        state.sentence.append(place)

    def _bound(self, mark: _Mark, gap: str, after: str) -> None:
        """Take a bound of letters for a condition where one stands, and for an assumption of the work elsewhere."""
        state, place = self.state, mark.place or 0
        links = [n for n in state.sentence if self._is_link(n)]
        is_assumed = bool(links) and self.found[links[-1]].is_assumed
        is_listed = state.last is not None and state.last.kind in _OF_CONDITIONS and _is_joining(_plain(gap))
        is_led = not links and _WORDS["leading"].match(_plain(self.text[self.start : mark.span[0]])) is not None
        if not is_assumed and ((links and self._is_trailing(mark, gap, after)) or is_listed or is_led):
            self.bounds.add(place)
            self._condition(mark, gap, after)
            return
        for n in links:
            self.found[n] = replace(self.found[n], loosely=self.found[n].loosely.and_(mark.domain))
        self._statement(mark, gap)
        if not self.found[place].is_assumed:
            self.inferred.add(place)
            self.found[place] = replace(self.found[place], is_assumed=True)

    def _is_link(self, place: int) -> bool:
        piece = self.pieces[place]
        return isinstance(piece, Written) and bool(piece.operators)

    def _condition(self, mark: _Mark, gap: str, after: str) -> None:
        state = self.state
        if self._is_trailing(mark, gap, after):
            self._attach(mark.domain, mark.toward)
            return
        last_is_condition = state.last is not None and state.last.kind in {*_OF_CONDITIONS, "words", "limit"}
        if (
            last_is_condition
            and not state.sentence
            and not mark.domain.clashes(state.leading)
            and not LAYOUT["end"].search(gap)
        ):
            state.leading = state.leading.and_(mark.domain)
        elif mark.domain.is_everywhere and not mark.toward:
            return
        elif mark.toward:
            state.toward = mark.toward
        else:
            state.leading, state.sentence = mark.domain, []
        state.loosely = EVERYWHERE
        state.is_block = bool(LAYOUT["own_line"].match(after))
        self._branch(mark.domain)

    def _branch(self, domain: Domain) -> None:
        """Add a case that "otherwise" leaves out, and forget those of another distinction."""
        state = self.state
        if domain.is_everywhere:
            return
        is_another = not any(item.letters() & domain.letters() for item in state.branches)
        if state.is_complete or is_another or domain in state.branches:
            state.branches = []
        state.is_complete = any(item.clashes(domain) for item in state.branches)
        state.branches.append(domain)

    def _is_trailing(self, mark: _Mark, gap: str, after: str) -> bool:
        state = self.state
        if mark.is_premise or not state.sentence or state.last is None:
            return False
        if after.lstrip(" $*_)}").startswith(":") and not self._is_said_of(mark, gap):
            return False
        if state.last.kind not in {"statement", *_OF_CONDITIONS, "words", "limit"}:
            return False
        before = self.found[state.sentence[-1]]
        words = _plain(gap)
        if mark.kind == "words" and (mark.domain.is_elsewhere or mark.domain.is_unread):
            return True
        is_connected = any(form.fullmatch(words) for form in (_WORDS["connected"], LAYOUT["equivalent"]))
        if not is_connected or before.domain.clashes(mark.domain):
            return False
        if state.sentence[-1] in self.own and state.last.kind == "statement":
            return False
        is_new = state.last.kind == "statement" and words.lower().startswith(("and ", "but "))
        return not (is_new and not before.domain.is_everywhere)

    def _is_said_of(self, mark: _Mark, gap: str) -> bool:
        """Return whether a word alone joins a condition to a formula with its letters: ``A_{ij} = 0 for i ≠ j:``."""
        piece = self.pieces[self.state.sentence[-1]]
        nodes = _nodes(piece) if isinstance(piece, Written) else []
        used = {item.text for node in nodes for item in walk(node) if isinstance(item, t.Name)}
        first = _plain(gap).partition(" ")[0]
        return "," not in gap and not _is_joining(first) and mark.domain.letters() <= used

    def _attach(self, domain: Domain, toward: tuple[tuple[str, t.Node], ...]) -> None:
        """Attach a condition to the formulas of the sentence without one of their own, and to the lines of a chain."""
        state = self.state
        last = state.sentence[-1]
        for place in state.sentence:
            known = self.found[place]
            between = [self.pieces[n] for n in state.sentence if place < n <= last]
            # A later piece goes on with the chain of an earlier one.
            is_same = all(isinstance(piece, Written) and piece.sides[0] is None for piece in between)
            if is_same or not (place in self.own or domain.is_elsewhere):
                self.found[place] = replace(known, domain=known.domain.and_(domain), toward=toward or known.toward)
        self.own.update(state.sentence)
        state.loosely = state.loosely.followed_by(domain)
        state.toward = toward or state.toward
        self._branch(domain)

    def _otherwise(self, gap: str, after: str) -> None:
        state = self.state
        domain = _otherwise(state.branches)
        bare = None if state.last is None or state.last.place is None else self.pieces[state.last.place]
        place = state.sentence[-1] if state.sentence else -1
        is_open = state.sentence and place not in self.own and not _plain(gap)
        if is_open and self.found[place].domain.is_everywhere:
            head = self.found[place].head
            if isinstance(bare, Written) and not bare.operators and len(state.sentence) > 1:
                before = self.pieces[state.sentence[-2]]
                first = before.sides[0] if isinstance(before, Written) else None
                head = None if first is None else first.node
            self.found[place] = replace(self.found[place], domain=domain, head=head)
            self.own.add(place)
            return
        state.leading, state.sentence, state.loosely = domain, [], EVERYWHERE
        state.is_block = bool(LAYOUT["own_line"].match(after))
