r"""Splitting of formulas into chains: the spans of each side, each relation and each statement.

The sides are not read here. A `Chain` is offsets; `signs` found them. What separates statements is a row
end, a joining word, ``\quad``, a comma, a full stop, or an arrow of implication or equivalence, and only where
both neighbours hold a relation of their own: the comma of ``a_1, a_2 = 1, 2`` separates nothing.
"""

from __future__ import annotations

from dataclasses import field, replace
from itertools import pairwise

from symattn import late
from symattn.notation.lexicon.lines import number_of_label
from symattn.notation.statements.nesting import flatten
from symattn.notation.statements.signs import Sign, signs
from symattn.notation.tree import nodes as t
from symattn.records import dataclass

_SCRIPTS = late.pattern(r"[_^]\s*(?:\{[^{}]*\}|\\?[A-Za-z0-9]+)|\\(?:text|mbox|mathrm|operatorname)\s*\{[^{}]*\}")
_CONTENT = late.pattern(r"[0-9(\[]|\\begin|\\left")
_SEPARATORS = frozenset({"row", "words", "comma", "stop", "space", "cell"})
_EDGES = frozenset({"comma", "stop", "space", "cell", "row", "idle", "colon", "words"})
_BETWEEN = frozenset({"⇒", "⇔"})
"""Arrows that stand between statements: one follows from the other, or each from the other."""
_OPERANDS = frozenset({"atom", "text", "word"})


@dataclass(frozen=True, slots=True)
class Chain:
    """The spans of the parts of one chain.

    Attributes:
        sides: one more than operators; None where nothing is written.
        operators: those of `nodes.RELATIONS`.
        operator_spans: where each stands.
        struck: whether it was crossed out inside its formula.
        after_words: whether words of the formula, or a full stop, stand before it.
        names: positions of sides that are words, not mathematics.
    """

    sides: tuple[t.Span | None, ...]
    operators: tuple[str, ...] = ()
    operator_spans: tuple[t.Span, ...] = ()
    struck: bool = False
    after_words: bool = False
    names: frozenset[int] = field(default=frozenset())

    @property
    def span(self) -> t.Span:
        """Return the span from the first sign to the last."""
        spans = [*self.operator_spans, *(side for side in self.sides if side is not None)]
        return min(start for start, _ in spans), max(end for _, end in spans)


@dataclass(frozen=True, slots=True)
class Statement:
    """The signs of one statement, all at the top level, and whether words stand before it."""

    signs: tuple[Sign, ...]
    after_words: bool = False


def chains(text: str, start: int, end: int, blanks: list[t.Span]) -> list[Chain]:
    r"""Return the chains of one formula in LaTeX, an expression alone included, a lone symbol not.

    Args:
        text: the whole document.
        start: where the formula begins.
        end: where it ends.
        blanks: what must vanish before the sides are read is added here.

    >>> text = r"Q_{11} = 1 + 2 = 3, \quad Q_{12} \approx 0.5"
    >>> [[text[slice(*side)] for side in chain.sides] for chain in chains(text, 0, len(text), [])]
    [['Q_{11}', '1 + 2', '3'], ['Q_{12}', '0.5']]
    """
    flat, struck = flatten(signs(text, start, end, "latex"), blanks)
    found = []
    for statement in statements(flat, blanks):
        chain = _chain(statement, struck, blanks)
        if chain is not None and (chain.operators or _says_something(text, chain.span)):
            found.append(chain)
    return found


def _says_something(text: str, span: t.Span) -> bool:
    """Return True if a lone expression holds a digit or a bracket outside of its scripts."""
    return _CONTENT.search(_SCRIPTS.sub(" ", text[slice(*span)])) is not None


# Statements -----------------------------------------------------------------------------------------


def statements(flat: list[Sign], blanks: list[t.Span]) -> list[Statement]:
    """Group the signs of the top level by statement; row ends and alignment marks are blanked."""
    blanks.extend((sign.start, sign.end) for sign in flat if sign.kind in {"row", "cell"})
    found: list[Statement] = []
    current: list[Sign] = []
    relation = after_words = False
    segments = [*_segments(flat), ([], [])]
    for (gap, segment), behind in pairwise(segments):
        more = _has_relation(segment) or (len(segment) > 1 and _leads(behind))
        if _separates(current, gap, segment, relation=relation, more=more):
            if current:
                found.append(Statement(tuple(current), after_words))
            after_words = any(sign.kind in {"words", "stop"} for sign in gap)
            current = [*_implication(gap, segment), *segment]
            relation = _has_relation(current)
        else:
            current.extend(sign for sign in gap if sign.kind not in {"row", "cell"})
            current.extend(segment)
            relation = relation or _has_relation(gap) or _has_relation(segment)
    if current:
        found.append(Statement(tuple(current), after_words))
    return found


def _segments(flat: list[Sign]) -> list[tuple[list[Sign], list[Sign]]]:
    """Pair each segment of signs with the gap of possible separators before it."""
    found: list[tuple[list[Sign], list[Sign]]] = [([], [])]
    for position, sign in enumerate(flat):
        gap, segment = found[-1]
        if not _may_separate(flat, position):
            if sign.kind not in {"cell", "space"}:
                segment.append(sign)
            elif sign.kind == "cell" and not segment:
                gap.append(sign)
        elif segment:
            found.append(([sign], []))
        else:
            gap.append(sign)
    return found


def _may_separate(flat: list[Sign], position: int) -> bool:
    sign = flat[position]
    if sign.kind == "relation":
        return sign.value in _BETWEEN
    if sign.kind not in _SEPARATORS:
        return False
    if sign.kind not in {"cell", "space"}:
        return True
    before = flat[position - 1].kind if position else "row"
    after = next((s for s in flat[position + 1 : position + 4] if s.kind not in {"cell", "space", "idle"}), None)
    if after is None or (after.kind == "relation" and after.value not in _BETWEEN) or after.kind == "operator":
        return False
    return before not in {"relation", "operator"}


def _separates(current: list[Sign], gap: list[Sign], segment: list[Sign], *, relation: bool, more: bool) -> bool:
    """Return whether a statement ends before a gap; `more` is whether the segment begins another one."""
    kinds = {sign.kind for sign in gap}
    if not current or "words" in kinds:
        return True
    ends_open = current[-1].kind in {"relation", "operator"}
    goes_on = bool(segment) and segment[0].kind == "operator" and relation
    if "row" in kinds:
        # A row that begins with a sign goes on with the row before it, but for a relation of its own in rows that
        # are not aligned: those of ``gather`` are statements.
        is_own = more and "cell" not in kinds
        return not (ends_open or (goes_on and not is_own))
    if "relation" in kinds:
        return relation and _has_relation(segment) and segment[0].kind != "relation"
    if not (relation and more) or ends_open or ("comma" in kinds and _ends_list(current[-1], segment)):
        return False
    # Behind a comma a sign belongs to a number: ``M = 0, \quad -1 < t < 1``.
    return segment[0].kind != "relation" and ("comma" in kinds or segment[0].kind != "operator")


def _leads(part: tuple[list[Sign], list[Sign]]) -> bool:
    """Return whether an arrow leads to a value: ``3/√2 ⇒ 2.12``, not to a statement."""
    gap, segment = part
    return _has_relation(gap) and not _has_relation(segment)


def _ends_list(before: Sign, segment: list[Sign]) -> bool:
    """Return whether a segment begins with the last number of a list, ``0.3, 0.7 → output``, and an arrow to a word."""
    if len(segment) < 3 or not is_list(before, segment[0]):
        return False
    return segment[1].value == "→" and segment[2].kind in {"word", "text"}


def is_list(before: Sign, after: Sign) -> bool:
    """Return whether what stands before and behind a comma are numbers."""
    return all(sign.kind == "atom" and sign.value[:1].isdigit() for sign in (before, after))


def _implication(gap: list[Sign], segment: list[Sign]) -> list[Sign]:
    """Return the arrow that is a relation, if any: before a whole statement an arrow only says that it follows."""
    arrows = [sign for sign in gap if sign.kind == "relation"]
    return [] if _has_relation(segment) else arrows[-1:]


def _has_relation(part: list[Sign]) -> bool:
    return any(sign.kind == "relation" for sign in part)


# Chains ---------------------------------------------------------------------------------------------


def _chain(statement: Statement, struck: list[t.Span], blanks: list[t.Span]) -> Chain | None:
    sides, relations = split_sides(statement.signs, blanks)
    spans = tuple(span_of(without_words(side)) for side in sides)
    if not relations and spans[0] is None:
        return None
    start = min(span[0] for span in (*spans, *((r.start, r.end) for r in relations)) if span is not None)
    return Chain(
        spans,
        tuple(sign.value for sign in relations),
        tuple((sign.start, sign.end) for sign in relations),
        struck=any(low <= start < high for low, high in struck),
        after_words=statement.after_words,
    )


def split_sides(found: tuple[Sign, ...], blanks: list[t.Span]) -> tuple[list[list[Sign]], list[Sign]]:
    """Split signs into sides and relations; of two adjacent relations the second counts."""
    sides: list[list[Sign]] = [[]]
    relations: list[Sign] = []
    for sign in found:
        if sign.kind != "relation":
            sides[-1].append(sign)
        elif relations and not trim(sides[-1]):
            blanks.append((relations[-1].start, relations[-1].end))
            relations[-1] = sign
        else:
            relations.append(sign)
            sides.append([])
    return [trim(side) for side in sides], relations


def trim(side: list[Sign]) -> list[Sign]:
    """Return a side without punctuation and spaces at its ends."""
    low, high = inner(side, 0, len(side))
    return side[low:high]


def inner(side: list[Sign], low: int, high: int) -> t.Span:
    """Return the part of ``side[low:high]`` without punctuation and spaces at its ends."""
    while low < high and side[low].kind in _EDGES:
        low += 1
    while high > low and side[high - 1].kind in _EDGES:
        high -= 1
    return low, high


def without_words(side: list[Sign]) -> list[Sign]:
    r"""Return a side without trailing words: ``0.5 \text{ (rounded)}``."""
    while len(side) > 1 and side[-1].kind == "text" and side[-2].kind in _OPERANDS | _EDGES:
        side = trim(side[:-1])
    return side


def span_of(side: list[Sign]) -> t.Span | None:
    """Return the span of the signs of a side; None for an empty side."""
    return (side[0].start, side[-1].end) if side else None


_NUMBER = r"[-−]?[0-9]{1,9}(?:[.,][0-9]{1,12})?"
_STEP = late.pattern(
    r"(?P<word>[^\W\d_]{3,20}(?: [^\W\d_]{3,20}){0,2})[ \t]{1,4}"
    rf"(?P<list>[\[(][^\[\]()]{{1,200}}[\])]|{_NUMBER}(?:[ ]{{0,3}}[,;][ ]{{1,4}}{_NUMBER}){{0,30}}"
    r"|[-−]?[0-9(\[][-−+0-9.,;()\[\] ·×*⋅/√^]{1,300})"
)


def split_arrow_steps(chain: Chain, text: str) -> Chain:
    """Split the word before a list, a number or working off as a side of its own, where arrows lead from step to step.

    >>> text = "q1 → scores [1, 0]"
    >>> chain = split_arrow_steps(Chain(((0, 2), (5, 18)), ("→",), ((3, 4),)), text)
    >>> [text[slice(*side)] for side in chain.sides if side is not None], chain.operators
    (['q1', 'scores', '[1, 0]'], ('→', '='))
    """
    if "→" not in chain.operators:
        return chain
    sides: list[t.Span | None] = []
    operators: list[str] = []
    spans: list[t.Span] = []
    names: set[int] = set()
    for position, side in enumerate(chain.sides):
        if position:
            operators.append(chain.operators[position - 1])
            spans.append(chain.operator_spans[position - 1])
        found = None if side is None else _STEP.fullmatch(text, *side)
        if found is not None and number_of_label(found[0]) is not None:
            found = None  # "row 1 → …"
        if position in chain.names or found is not None:
            names.add(len(sides))
        if found is None:
            sides.append(side)
            continue
        sides.extend((found.span("word"), found.span("list")))
        operators.append("=")
        spans.append((found.start("list"), found.start("list")))
    if len(sides) == len(chain.sides):
        return chain
    return replace(
        chain, sides=tuple(sides), operators=tuple(operators), operator_spans=tuple(spans), names=frozenset(names)
    )
