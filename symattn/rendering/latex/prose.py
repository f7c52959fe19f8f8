r"""Prose as LaTeX: the lines of a key, and people's texts.

In these, formulas between dollars, lists and emphasis are typeset, all else is shown literally. A formula is read into
a tree and written from it, and no other LaTeX is passed through, so that a text can hold nothing but words and
mathematics. What is shown as it was typed and was meant otherwise is a fault, a sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Literal, NamedTuple

from symattn import late
from symattn.errors import NotationError
from symattn.notation.tree import nodes as t
from symattn.problem.caveats import Caveat
from symattn.problem.model import Problem
from symattn.rendering.content import Beside, Claimed, Items, Label, Mark, Pictures, Piece, Stated, Typed
from symattn.rendering.latex.typesetting import MARK, escape, fitted, marked, math, pictures, side_by_side
from symattn.rendering.latex.widths import LINE, width

if TYPE_CHECKING:
    from symattn.notation.markup import prices
    from symattn.notation.parser import latex
else:
    latex = late.module("symattn.notation.parser.latex")
    prices = late.module("symattn.notation.markup.prices")

# start-up: compiled by the first text that has a line break, a dollar or a backslash.
_BLANK = r"\n[ \t\r]*\n"
_INSIDE = rf"(?:(?!{_BLANK})[^$]){{1,2000}}"
_TOKENS = rf"""
  (?P<blank>{_BLANK})
| \\(?P<escaped>[$%&\#_{{}}])
| \$\$(?P<display>{_INSIDE})(?<!\\)\$\$
| \\\[(?P<bracketed>{_INSIDE}?)\\\]
| \\\((?P<inline>{_INSIDE}?)\\\)
| \$(?P<formula>{_INSIDE})(?<!\\)\$
| (?P<list>\\(?:begin|end)\{{(?:itemize|enumerate)\}}|\\item(?![A-Za-z]))
| \\(?P<style>textbf|textit|emph|texttt)\{{(?P<styled>[^{{}}$\\\n]{{0,2000}})\}}
| (?P<command>\\(?:(?:begin|end)\{{[A-Za-z*]{{1,40}}\}}|[A-Za-z]{{1,40}}|\\))
| (?P<dollar>\$)
"""
_LIST = r"\\(begin|end)\{(itemize|enumerate)\}(?:\s*(\\item(?![A-Za-z])))?|\\item(?![A-Za-z])"
_SAYS_NOTHING = frozenset("\n$\\")
_MOST_LISTS = 3
"""Lists inside each other; LaTeX has four."""

_MOST_NAMED = 5
_SHOWN = 40
_CLOSE = "\\itemsep 2pt \\parskip 0pt"
"""Sentences of one discussion, not sections: the items of the list stand close together."""

_STOPS = frozenset(".,;:")


class Token(NamedTuple):
    """A token of a text.

    Attributes:
        kind: words; a formula, in the line or displayed; the end of a paragraph; a command of a list; or a style.
        text: the words, or the formula as LaTeX.
        tree: the formula.
        mark: the command of a list or a style, or the stop behind a display, which takes it in.
        fault: what is wrong with it, empty for most.
    """

    kind: Literal["words", "formula", "display", "paragraph", "list", "style"]
    text: str
    tree: t.Node | None = None
    mark: str = ""
    fault: str = ""


def prose(text: str) -> str:
    r"""Return a text with paragraphs, formulas, lists and emphasis.

    ``$...$`` and ``\(...\)`` are formulas, ``$$...$$`` and ``\[...\]`` displays, if they can be read as such; a dollar
    beside a price is a dollar. A blank line begins a new paragraph.

    >>> print(prose(r"As $a \to \infty$ it costs 5$ & more."))
    As $a \to \infty$ it costs 5{\upshape\char36} \& more.
    """
    if _SAYS_NOTHING.isdisjoint(text):
        return escape(text)
    return "".join(map(_latex, tokens_of(text))).strip()


def heading(text: str) -> str:
    r"""Return a title: formulas and emphasis in one line.

    >>> print(heading("The map $A$"))
    The map $A$
    """
    if _SAYS_NOTHING.isdisjoint(text):
        return escape(text)
    return "".join(map(_latex, tokens_of(text, is_line=True))).strip()


def latex_lines(pieces: Iterable[Piece], line: float = LINE) -> tuple[str, ...]:
    """Return pieces of a document as lines of LaTeX source, for lines of a width in points."""
    return tuple(source for piece in pieces for source in _lines(piece, line))


def _lines(piece: Piece, line: float) -> list[str]:
    match piece:
        case str():
            return [piece]
        case Typed(text):
            return [prose(text)]
        case Mark(word, number):
            return [f"% {word} {number}"]
        case Label(text):
            return [f"\\par\\noindent {text}\\symattnhold"]
        case Claimed(text, claim):
            return [marked(text, claim.note).strip()]
        case Stated(statement, after):
            source = f"${math(statement.written)}$"
            return [f"{source}{MARK} {statement.note}", after] if after else [marked(source, statement.note)]
        case Beside(statements):
            return side_by_side(statements, line)
        case Items(paragraphs):
            items = (source for paragraph in paragraphs for source in ("\\item", *latex_lines(paragraph)))
            return ["\\begin{itemize}", _CLOSE, *items, "\\end{itemize}"]
        case Pictures():
            return pictures(piece)


def faults(text: str, *, is_line: bool = False) -> list[str]:
    r"""Return a sentence for each kind of text shown as typed that was probably meant otherwise.

    >>> faults(r"Show \frac{1}{2} and $x")[1]
    'a dollar has no partner. Put formulas between two dollars, and write \\$ for a price.'
    """
    found = [piece.fault for piece in tokens_of(text, is_line=is_line) if piece.fault]
    return list(dict.fromkeys(found))


def _latex(piece: Token) -> str:
    match piece.kind:
        case "words":
            return _spaced(piece.text)
        case "formula":
            return f"${piece.text}$"
        case "display":
            is_wide = piece.tree is not None and width(piece.tree) > LINE
            return f"\n\\[ {fitted(piece.text) if is_wide else piece.text}{piece.mark} \\]\n"
        case "paragraph":
            return "\n\\par "
        case "list":
            return "\n\\item{}" if piece.mark == "\\item" else f"\n{piece.mark}\n"
        case "style":
            return f"\\{piece.mark}{{{_spaced(piece.text)}}}"


def tokens_of(text: str, *, is_line: bool = False) -> Iterator[Token]:
    r"""Yield the tokens of a text; in a line no paragraph ends, and nothing is displayed.

    >>> [(token.kind, token.text) for token in tokens_of("a $x$")]
    [('words', 'a '), ('formula', 'x')]
    """
    tokens, position = re.compile(_TOKENS, re.VERBOSE), 0
    has_lists = not is_line and _are_lists(text)
    start = 0
    while (found := tokens.search(text, position)) is not None:
        kind, inside = found.lastgroup or "", found[found.lastgroup or 0]
        position = found.end()
        if kind == "formula" and _is_price(text, found):
            # The second dollar may open a formula: ``costs $5, and $x$ is …``.
            position -= 1
            continue
        piece = _piece(found, kind, inside, is_line=is_line, has_lists=has_lists)
        if piece is not None and piece.fault and kind == "formula" and inside[0].isdigit():
            position -= 1  # likewise
            continue
        if piece is None:  # a dollar beside a number
            continue
        yield from _words(text[start : found.start()])
        if piece.kind == "display" and text[position : position + 1] in _STOPS:
            piece = piece._replace(mark=text[position])
            position += 1
        yield piece
        start = position
    yield from _words(text[start:])


def _words(text: str) -> Iterator[Token]:
    if text:
        yield Token("words", text)


def _piece(found: re.Match[str], kind: str, inside: str, *, is_line: bool, has_lists: bool) -> Token | None:
    """Return the token that a match is; None for a literal dollar."""
    match kind:
        case "blank":
            return Token("words", " ") if is_line else Token("paragraph", "")
        case "escaped":
            return Token("words", inside)
        case "styled":
            return Token("style", inside, mark=found["style"])
        case "list" if has_lists:
            return Token("list", "", mark=inside)
        case "display" | "bracketed" | "inline" | "formula":
            is_display = kind in {"display", "bracketed"} and not is_line
            return _formula(found[0], inside, is_display=is_display)
        case "dollar":
            beside = found.string[max(0, found.start() - 1) : found.end() + 1]
            if any(letter.isdigit() for letter in beside):
                return None
            fault = "a dollar has no partner. Put formulas between two dollars, and write \\$ for a price."
            return Token("words", "$", fault=fault)
        case _:
            return Token("words", found[0], fault=_fault_of(found[0]))


def _fault_of(command: str) -> str:
    if command == "\\\\":
        remedy = "Leave a blank line where a new paragraph begins."
    elif command.startswith(("\\begin", "\\end", "\\item")):
        remedy = "Of environments, itemize and enumerate are typeset where they are closed and begin with \\item."
    else:
        remedy = "Put formulas between dollars. Outside them \\textbf, \\textit, \\emph and \\texttt are typeset."
    return f"{command} is printed as typed. {remedy}"


def _formula(typed: str, source: str, *, is_display: bool) -> Token:
    try:
        tree = latex.read_latex(source)
        return Token("display" if is_display else "formula", math(tree), tree)
    except (NotationError, ValueError) as error:
        short = typed if len(typed) <= _SHOWN else f"{typed[:_SHOWN]}…"
        fault = f"{' '.join(short.split())} is printed as typed, because it cannot be read: {error}"
        return Token("words", typed, fault=fault)


def _is_price(text: str, between: re.Match[str]) -> bool:
    return prices.is_money(text, between.start("formula"), between.end("formula"), len(text))


def _are_lists(text: str) -> bool:
    """Return whether the lists of a text are closed, begin with an item, and are not inside too many others."""
    if "\\item" not in text:
        return False
    opened: list[str] = []
    for found in re.finditer(_LIST, text):
        command, name, has_item = found[1], found[2], found[3] is not None
        if command == "begin":
            opened.append(name)
            is_right = has_item and len(opened) <= _MOST_LISTS
        elif command == "end":
            is_right = bool(opened) and opened.pop() == name and (bool(opened) or not has_item)
        else:
            is_right = bool(opened)
        if not is_right:
            return False
    return not opened


def _spaced(text: str) -> str:
    """Escape a text and keep the spaces at its ends."""
    before, after = " " * text[:1].isspace(), " " * text[-1:].isspace()
    return f"{before}{escape(text)}{after}" if text.strip() else before


# Warnings ------------------------------------------------------------------------------------------


def text_warnings(problem: Problem) -> tuple[Caveat, ...]:
    r"""Return the warnings about titles, texts, answers and names, each with the key that it is about.

    >>> [found] = text_warnings(Problem.build(title="Costs of $x", Q=[[1]], K=[[1]], V=[[1]]))
    >>> found.where, found.text
    ('title', 'title: a dollar has no partner. Put formulas between two dollars, and write \\$ for a price.')
    """
    return tuple(_warnings(problem))


def _warnings(problem: Problem) -> Iterator[Caveat]:
    for where, text, is_line in _texts(problem):
        if text.isascii() and "$" not in text and "\\" not in text:
            continue
        for fault in faults(text, is_line=is_line):
            yield Caveat("text-as-typed", where, f"{where}: {fault}")
        yield from _unprintable(where, text)
    for name, shown in problem.names.items():
        yield from _as_typed(f"names.{name}", shown)
        yield from _unprintable(f"names.{name}", shown)


def _as_typed(where: str, name: str) -> Iterator[Caveat]:
    """Yield the LaTeX in a name, which is shown literally."""
    found = re.search(r"\\(?:[A-Za-z]+|.|$)|[${}^]", name)
    if found is not None:
        text = f"{where}: {found[0]} is printed as typed. Use a plain name, such as Q, alpha or Q_a."
        yield Caveat("text-as-typed", where, text)


def _texts(problem: Problem) -> Iterator[tuple[str, str, bool]]:
    yield "title", problem.title, True
    yield "text", problem.text, False
    for number, part in enumerate(problem.parts, 1):
        yield f"parts #{number} title", part.title, True
        yield f"parts #{number} text", part.text, False
        yield f"parts #{number} answer", part.answer, False


def _unprintable(where: str, text: str) -> Iterator[Caveat]:
    """Yield the characters that the fonts of LaTeX documents lack."""
    if text.isascii():
        return
    lacking = [letter for letter in dict.fromkeys(text) if re.match(r"\[U\+", escape(letter))]
    if lacking:
        listed = ", ".join(lacking[:_MOST_NAMED]) + (", …" if len(lacking) > _MOST_NAMED else "")
        code = f"[U+{ord(lacking[0]):04X}]"
        what = f"the fonts of the PDF lack {listed}, so {code} and the like are printed"
        yield Caveat("text-glyph", where, f"{where}: {what}. Use other letters.")
