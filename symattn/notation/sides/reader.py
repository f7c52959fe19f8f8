r"""Reader of one side of a chain: its first reading, its other readings, or the reason of a failure."""

from __future__ import annotations

from symattn import late
from symattn.errors import NotationError
from symattn.notation.lexer.dialects import LENIENT, Notation
from symattn.notation.lexer.separators import Note, settle
from symattn.notation.lexer.tokenizer import tokenize
from symattn.notation.lexer.tokens import Token
from symattn.notation.lexicon.translation import is_foreign
from symattn.notation.lexicon.vocabulary import names
from symattn.notation.parser.formulas import FormulaParser
from symattn.notation.parser.operands import RaggedError
from symattn.notation.submission import Side
from symattn.notation.tree import limits
from symattn.notation.tree import nodes as t

__all__ = ["Notation", "read_side"]

WORD_FUNCTIONS = t.FUNCTIONS | (t.PROOF_FUNCTIONS - {"E"}) | set(names()["calls"]["words"])
"""Words that call what stands in brackets behind them, in people's work."""

_COMMAS = frozenset({"group"})
"""Syntax that is read differently where decimals have commas."""

_LONG_WORDS = 60
_LABEL = late.pattern(
    r"(?P<words>[^=≈+*/^·×√()\[\]{}\\$&<>|_:,;0-9]+(?P<number>[ ]?[0-9]{1,2})?)(?:[:：][ ]?(?P<rest>[^:：]+))?[ ]?"
)

_FEW = 2_000
"""Up to so many tokens a side is read a second time for its other readings."""


def read_side(text: str, start: int, end: int, notation: Notation, *, commas: bool = False) -> Side:
    r"""Read ``text[start:end]``, with places that are offsets into the whole text.

    With `commas`, numbers have decimal commas: ``1,414`` is not an integer.

    It never raises for what stands there: a side that cannot be read has the reason in place of a node.

    >>> side = read_side("x_10", 0, 4, "latex")
    >>> side.node
    Subscript(base=Name(text='x', font=''), indices=(Number(text='10'),))
    >>> len(side.others), side.reason
    (1, 'x_10 means all of 10 to people, and only 1 to TeX: write braces.')
    >>> read_side("[1 2; 3]", 0, 8, "plain").code
    'ragged'
    """
    if end - start > limits.MAX_LENGTH:
        reason = f"The formula has {end - start} characters; at most {limits.MAX_LENGTH} are read: split it."
        return Side((start, end), None, reason=reason, at=start + limits.MAX_LENGTH)
    try:
        tokens = tokenize(text[start:end], LENIENT[notation], WORD_FUNCTIONS, start)
    except NotationError as error:
        words = _words(text, start, end, notation, commas=commas)
        return words or Side((start, end), None, reason=str(error), at=start + error.start)
    if len(tokens) == 1:
        return Side((start, end), None, reason="There is nothing here: write an expression.", at=start)
    try:
        flips = _COMMAS if commas else frozenset()
        node, notes = _read(tokens, notation, flips)
    except RaggedError as error:
        return Side((start, end), None, reason=str(error), at=error.start, code="ragged")
    except NotationError as error:
        return Side((start, end), None, reason=str(error), at=error.start)
    if not notes:
        return Side((start, end), node)
    return _with_others(Side((start, end), node), tokens, notation, notes, flips)


def _read(tokens: list[Token], notation: Notation, flips: frozenset[str]) -> tuple[t.Node, dict[str, Note]]:
    settled, notes = settle(tokens, LENIENT[notation], flips)
    parser = FormulaParser(settled, LENIENT[notation], WORD_FUNCTIONS, flips)
    node = parser.side()
    return node, notes | parser.notes


def _words(text: str, start: int, end: int, notation: Notation, *, commas: bool) -> Side | None:
    """Read foreign words as a name, or the expression behind them and a colon; None for anything else.

    Behind a number, ``예시 2: z``, it is perhaps said of another example, and is words too.

    >>> _words("점수: z", 0, 5, "plain", commas=False).node, _words("합", 0, 1, "plain", commas=False).node
    (Name(text='z', font=''), Name(text='합', font='text'))
    """
    found = _LABEL.fullmatch(text, start, end) if end - start <= _LONG_WORDS else None
    if found is None or not is_foreign(text[start:end]):
        return None
    if found["rest"] is not None and found["number"] is None:
        return read_side(text, *found.span("rest"), notation, commas=commas)
    return Side((start, end), t.Name(" ".join(found["words"].split()), "text", span=(start, end)))


def _with_others(
    side: Side, tokens: list[Token], notation: Notation, notes: dict[str, Note], flips: frozenset[str]
) -> Side:
    """Add one more reading to a side for each kind of ambiguity in it."""
    others: list[t.Node] = []
    first: Note | None = None
    for kind, note in notes.items():
        other = _other(tokens, notation, flips | {kind}) if len(tokens) <= _FEW else None
        if other is not None and other != side.node and other not in others:
            others.append(other)
            first = first or note
    if first is None:
        return side
    return Side(side.span, side.node, tuple(others), first.reason, first.at)


def _other(tokens: list[Token], notation: Notation, flips: frozenset[str]) -> t.Node | None:
    try:
        return _read(tokens, notation, flips)[0]
    except NotationError:
        return None  # the other reading makes no sense, so there is only one
