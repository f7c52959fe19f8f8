r"""Prose as LaTeX: the lines of a key, and people's texts.

These are Markdown with formulas between dollars: paragraphs, lists, emphasis and code are typeset, all else is shown
literally. A formula is read into a tree and written from it, and no other LaTeX is passed through, so that a text can
hold nothing but words and mathematics. What is shown as typed and was meant otherwise is a fault, a sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from math import fsum
from typing import TYPE_CHECKING, Literal, NamedTuple

from symattn import late
from symattn.errors import NotationError
from symattn.languages.catalogue import WEB_ONLY
from symattn.notation.markup import prices
from symattn.notation.parser import latex
from symattn.notation.tree import nodes as t
from symattn.problem.caveats import Caveat
from symattn.problem.model import Problem
from symattn.problem.sheet import Sheet
from symattn.rendering.content import Beside, Claimed, Code, Items, Label, Mark, Pictures, Piece, Stated, Typed
from symattn.rendering.latex.typesetting import MARK, escape, fitted, marked, math, pictures, side_by_side
from symattn.rendering.latex.widths import LINE, width

if TYPE_CHECKING:
    import markdown_it
    from markdown_it import token as markdown_token
else:
    markdown_it = late.module("markdown_it")

# start-up: compiled by the first text that has more than words.
_INSIDE = r"(?:(?!\n[ \t\r]*\n)[^$]){1,2000}"
_HELD = rf"""
  \\(?P<escaped>[$%&\#_{{}}*`])
| `(?P<code>[^`\n]{{1,2000}})`
| (?<=\w)(?P<times>\*)(?=\w)
| \$\$(?P<display>{_INSIDE})(?<!\\)\$\$
| \\\[(?P<bracketed>{_INSIDE}?)\\\]
| \\\((?P<inline>{_INSIDE}?)\\\)
| \$(?P<formula>{_INSIDE})(?<!\\)\$
| \\(?P<style>textbf|textit|emph|texttt)\{{(?P<styled>[^{{}}$\\\n]{{0,2000}})\}}
| (?P<command>\\(?:(?:begin|end)\{{[A-Za-z*]{{1,40}}\}}|[A-Za-z]{{1,40}}|\\))
| (?P<dollar>\$)
"""
"""What Markdown does not look into."""

_LIST = r"\\(begin|end)\{(itemize|enumerate)\}(?:\s*(\\item(?![A-Za-z])))?|\\item(?![A-Za-z])"
_SAYS_NOTHING = r"(?! {0,3}(?:[-+]|[0-9]{1,9}[.)])\s)[^\n$\\*_`]*"
_PLACE = "\ue000"
"""A letter for private use, in the place of what is held back from Markdown."""

_MARKS = {
    "bullet_list_open": "\\begin{itemize}",
    "bullet_list_close": "\\end{itemize}",
    "ordered_list_open": "\\begin{enumerate}",
    "ordered_list_close": "\\end{enumerate}",
    "list_item_open": "\\item",
}
_STYLES = {"em_open": "emph", "strong_open": "textbf"}
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
        text: the words, the formula as LaTeX, or the number that a list begins with, if it is not 1.
        trees: the formula; several where commas stand between them.
        mark: the command of a list or a style, or the stop behind a display, which takes it in.
        fault: what is wrong with it, empty for most.
    """

    kind: Literal["words", "formula", "display", "paragraph", "list", "style"]
    text: str
    trees: tuple[t.Node, ...] = ()
    mark: str = ""
    fault: str = ""


def prose(text: str) -> str:
    r"""Return a text with paragraphs, formulas, lists and emphasis.

    ``$...$`` and ``\(...\)`` are formulas, ``$$...$$`` and ``\[...\]`` displays, if they can be read as such; a dollar
    beside a price is a dollar. A blank line begins a new paragraph.

    >>> print(prose(r"As $a \to \infty$ it costs 5$ & more."))
    As $a \to \infty$ it costs 5{\upshape\char36} \& more.
    """
    if re.fullmatch(_SAYS_NOTHING, text):
        return escape(text)
    return "".join(map(_latex, tokens_of(text))).strip()


def heading(text: str) -> str:
    r"""Return a title: formulas and emphasis in one line.

    >>> print(heading("The map $A$"))
    The map $A$
    """
    if re.fullmatch(_SAYS_NOTHING, text):
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
        case Code(before, text, after):
            return [f"{before}\\texttt{{{escape(text)}}}{after}"]
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
            needed = fsum(map(width, piece.trees))
            text = fitted(piece.text, needed) if needed > LINE else piece.text
            return f"\n\\[ {text}{piece.mark} \\]\n"
        case "paragraph":
            return "\n\\par "
        case "list":
            first = f"\\setcounter{{\\csname @listctr\\endcsname}}{{{int(piece.text) - 1}}}\n" if piece.text else ""
            return "\n\\item{}" if piece.mark == "\\item" else f"\n{piece.mark}\n{first}"
        case "style":
            return f"\\{piece.mark}{{{_spaced(piece.text)}}}"


def tokens_of(text: str, *, is_line: bool = False) -> Iterator[Token]:
    r"""Yield the tokens of a text in Markdown; in a line no paragraph ends, and nothing is displayed.

    >>> [(token.kind, token.text) for token in tokens_of("a *b* $x$")]
    [('words', 'a '), ('style', 'b'), ('words', ' '), ('formula', 'x')]
    """
    has_lists = not is_line and _are_lists(text)
    masked, held = _masked(_with_lists(text) if has_lists else text, is_line=is_line)
    read = markdown_it.MarkdownIt("zero", {"maxNesting": 100}).enable(["emphasis"] if is_line else ["emphasis", "list"])
    yield from _read(read.parseInline(masked) if is_line else read.parse(masked), iter(held))


def _masked(text: str, *, is_line: bool) -> tuple[str, list[Token]]:
    """Return a text with a letter in the place of each formula, style and command, and these."""
    text, tokens = text.replace(_PLACE, "\ufffd"), re.compile(_HELD, re.VERBOSE)
    pieces, held = list[str](), list[Token]()
    start = position = 0
    while (found := tokens.search(text, position)) is not None:
        position = found.end()
        token = _held(found, is_line=is_line)
        if token is None:
            if found.lastgroup == "formula":
                position -= 1  # the second dollar may open a formula: ``costs $5, and $x$ is …``
            continue
        if token.kind == "display" and text[position : position + 1] in _STOPS:
            token = token._replace(mark=text[position])
            position += 1
        held.append(token)
        pieces.extend((text[start : found.start()], _PLACE))
        start = position
    return "".join([*pieces, text[start:]]), held


def _read(tokens: Iterable[markdown_token.Token], held: Iterator[Token]) -> Iterator[Token]:
    """Yield the tokens that Markdown's are, and those that were held back from it."""
    styles, depth, opens = list[str](), 0, True
    for token in tokens:
        if token.type == "paragraph_open":
            if not opens:
                yield Token("paragraph", "")
            opens = False
        elif token.type in _MARKS:
            is_item = token.type == "list_item_open"
            depth, opens = depth + (0 if is_item else token.nesting), True
            # A list that lies too deep goes on with the items of the one around it.
            if is_item or depth + (token.nesting < 0) <= _MOST_LISTS:
                yield Token("list", str(token.attrs.get("start", "")), mark=_MARKS[token.type])
        elif token.type in _STYLES:
            styles.append(_STYLES[token.type])
        elif token.type in {"em_close", "strong_close"}:
            styles.pop()
        elif token.type == "inline":
            yield from _read(token.children or (), held)
        else:
            first, *rest = token.content.split(_PLACE)
            yield from _words(first, styles)
            for words in rest:
                yield next(held)
                yield from _words(words, styles)


def _words(text: str, styles: list[str]) -> Iterator[Token]:
    if text:
        yield Token("style", text, mark=styles[-1]) if styles else Token("words", text)


def _held(found: re.Match[str], *, is_line: bool) -> Token | None:
    """Return the token that a match is; None for a literal dollar."""
    kind = found.lastgroup or ""
    inside = found[kind]
    match kind:
        case "escaped" | "times":
            return Token("words", inside)
        case "code":
            return Token("style", inside, mark="texttt")
        case "styled":
            return Token("style", inside, mark=found["style"])
        case "display" | "bracketed" | "inline" | "formula":
            if kind == "formula" and prices.is_money(found.string, *found.span(kind), len(found.string)):
                return None
            token = _formula(found[0], inside, is_display=kind in {"display", "bracketed"} and not is_line)
            return None if token.fault and kind == "formula" and inside[0].isdigit() else token
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
        trees = _formulas(source)
        text = ", ".join("\\ldots" if isinstance(tree, t.Dots) else math(tree) for tree in trees)
        return Token("display" if is_display else "formula", text, trees)
    except (NotationError, ValueError) as error:
        short = typed if len(typed) <= _SHOWN else f"{typed[:_SHOWN]}…"
        fault = f"{' '.join(short.split())} is printed as typed, because it cannot be read: {error}"
        return Token("words", typed, fault=fault)


def _with_lists(text: str) -> str:
    """Return a text with the lists of LaTeX as those of Markdown."""
    opened: list[str] = []

    def mark(found: re.Match[str]) -> str:
        if found[1] == "end":
            opened.pop()
            return "\n\n"
        if found[1] == "begin":
            opened.append("- " if found[2] == "itemize" else "1. ")
        return f"\n{'   ' * (len(opened) - 1)}{opened[-1]}"

    return re.sub(_LIST + r"\s*", mark, text)


def _formulas(source: str) -> tuple[t.Node, ...]:
    r"""Return one formula, or those of a list such as ``i = 1, \ldots, n``."""
    parts = split_at_commas(source)
    try:
        return (latex.read_latex(source),)
    except NotationError:
        if len(parts) == 1 or not all(map(str.strip, parts)):
            raise
    return tuple(map(latex.read_latex, parts))


def split_at_commas(text: str) -> list[str]:
    """Return the parts of a text between commas outside brackets."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter in "([{") - (letter in ")]}")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return parts


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
    found = _warnings(problem)
    return tuple(item for item in found if item.code != "text-glyph" or problem.language not in WEB_ONLY)


def sheet_warnings(sheet: Sheet) -> Iterator[Caveat]:
    """Yield the warnings about the title and the text above the problems of a paper."""
    yield from _of_text("title", sheet.title, is_line=True)
    yield from _of_text("text", sheet.text, is_line=False)


def _warnings(problem: Problem) -> Iterator[Caveat]:
    for where, text, is_line in _texts(problem):
        yield from _of_text(where, text, is_line=is_line)
    for name, shown in problem.names.items():
        yield from _as_typed(f"names.{name}", shown)
        yield from _unprintable(f"names.{name}", shown)


def _of_text(where: str, text: str, *, is_line: bool) -> Iterator[Caveat]:
    if text.isascii() and "$" not in text and "\\" not in text:
        return
    for fault in faults(text, is_line=is_line):
        yield Caveat("text-as-typed", where, f"{where}: {fault}")
    yield from _unprintable(where, text)


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
