"""The frame of a page, and what stands on every page: prose, formulas, tables.

Every text is escaped, and every formula is a tree that our own writer sets as MathML. A formula is broken at its
relations where a line of the screen ends; a side that is wider than a telephone scrolls by itself, and takes the focus.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from symattn.data_files import read_text
from symattn.graph.quantities.statement import Statement
from symattn.notation.tree import nodes as t
from symattn.notation.writers.mathml import write_mathml
from symattn.rendering.content import (
    Beside,
    Cell,
    Claimed,
    Code,
    Items,
    Label,
    Line,
    Mark,
    Pictures,
    Piece,
    Stated,
    Table,
    Typed,
)
from symattn.rendering.latex.prose import Token, tokens_of
from symattn.rendering.latex.widths import width
from symattn.rendering.svg import pictures_svg

POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
"""What a browser may load for a page: nothing; styles stand in it."""

_PIXELS = 1.65
"""Pixels of a point of estimated width: formulas are set in 18 pixels here, in 11 points there."""

_NARROW = 270.0
"""Pixels that a telephone has beside the margins."""

STYLES = {"textbf": "strong", "textit": "em", "emph": "em", "texttt": "code"}
"""The tags of the commands of LaTeX that style words."""


def page(title: str, body: str, language: str = "en") -> str:
    """Return a whole page of one file, which asks nothing of anybody."""
    style = read_text(__package__, "page.css")
    return (
        f'<!DOCTYPE html>\n<html lang="{language}">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>\n{style}</style>\n</head>\n"
        f"<body>\n<main>\n{body}\n</main>\n</body>\n</html>\n"
    )


def header(title: str, said: str) -> str:
    """Return the title of a page, and what is said below it."""
    return f'<header>\n<h1>{title}</h1>\n<p class="soft">{said}</p>\n</header>'


def footer(said: str) -> str:
    """Return what is said at the end of a page."""
    return f"<footer>\n<p>{said}</p>\n</footer>"


# Formulas ------------------------------------------------------------------------------------------


def formula(node: t.Node, note: str = "", *, display: bool = False, functions: frozenset[str] = t.FUNCTIONS) -> str:
    """Return a formula as MathML; a line may end before each of its relations.

    Args:
        node: the formula.
        note: what a judged formula is about.
        display: whether it stands on lines of its own.
        functions: names that take arguments in brackets.
    """
    parts = " ".join(_part(part, display, functions) for part in _parts(node))
    about = f' data-symattn="{escape(note)}"' if note else ""
    return f'<div class="chain"{about}>{parts}</div>' if display else f"<span{about}>{parts}</span>"


def _parts(node: t.Node) -> list[t.Node]:
    """Return the first relation of a chain, and each further one without what stands before it."""
    if not isinstance(node, t.Relation) or len(node.operators) == 1 or node.sides[-1] is None:
        return [node]
    first = t.Relation(node.sides[:2], node.operators[:1])
    further = zip(node.operators[1:], node.sides[2:], strict=True)
    return [first, *(t.Relation((None, side), (operator,)) for operator, side in further)]


def _part(node: t.Node, display: bool, functions: frozenset[str]) -> str:  # noqa: FBT001 - handed on
    written = write_mathml(node, display=display, functions=functions)
    return scrolling(written, "span") if pixels(node) > _NARROW else written


def pixels(node: t.Node) -> float:
    """Return the estimated width of a formula on the screen."""
    return _PIXELS * width(node)


def scrolling(content: str, tag: str = "div", label: str = "formula, scrolls sideways") -> str:
    """Return content in a box of its own that scrolls, by keys too."""
    return f'<{tag} class="wide" tabindex="0" role="group" aria-label="{escape(label)}">{content}</{tag}>'


# Prose ---------------------------------------------------------------------------------------------


def words(text: str) -> str:
    """Return inline markup in one line: words, formulas and emphasis.

    >>> words("a <b> 50% -- of *it*")
    'a &lt;b&gt; 50% – of <em>it</em>'
    """
    made = []
    for token in tokens_of(text, is_line=True):
        if token.trees:
            made.append(_listed(token))
        elif token.kind == "style":
            made.append(_styled(token.mark, token.text))
        else:
            made.append(plain(token.text))
    return "".join(made)


def _listed(token: Token) -> str:
    display = token.kind == "display"
    return ", ".join("…" if isinstance(tree, t.Dots) else formula(tree, display=display) for tree in token.trees)


def plain(text: str) -> str:
    """Return words escaped, with dashes."""
    return escape(text, quote=False).replace("---", "—").replace("--", "–")


def _styled(style: str, text: str) -> str:
    return f"<{STYLES[style]}>{plain(text)}</{STYLES[style]}>"


def paragraphs(text: str) -> str:
    """Return a text that somebody typed: its paragraphs, lists and displays."""
    made: list[str] = []
    is_open = False
    for token in tokens_of(text):
        is_inside = token.kind in {"words", "style", "formula"}
        if is_open and not is_inside:
            made.append("</p>")
            is_open = False
        if is_inside and not is_open and (token.kind != "words" or token.text.strip()):
            made.append("<p>")
            is_open = True
        match token.kind:
            case "list":
                made.append(_list_tag(token.mark))
            case "style":
                made.append(_styled(token.mark, token.text))
            case "formula" | "display":
                made.append(_listed(token))
                made.append(plain(token.mark))
            case _:
                made.append(plain(token.text) if is_open else "")
    return "".join([*made, "</p>" if is_open else ""])


def _list_tag(command: str) -> str:
    """Return the tag of a command of a list; a browser closes items by itself."""
    if command == "\\item":
        return "<li>"
    name = "ol" if "enumerate" in command else "ul"
    return f"<{'/' if command.startswith(chr(92) + 'end') else ''}{name}>"


def prose(lines: Iterable[Line]) -> str:
    """Return lines of prose as one paragraph, without its tags."""
    made = ""
    for line in lines:
        said = _line(line)
        gap = " " if made and said and said[0] not in ".,;:" else ""
        made += gap + said
    return made


def _line(line: Line) -> str:
    match line:
        case str(text) | Label(text) | Typed(text):
            return words(text)
        case Code(before, text, after):
            return f"{words(before)} <code>{escape(text)}</code>{words(after)}"
        case Claimed(text, claim):
            return f'<span data-symattn="{escape(claim.note)}">{words(text)}</span>'
        case Stated(statement, after):
            return stated(statement) + words(after)
        case Mark(word, number):
            return f'<span data-{word}="{number}"></span>'


def stated(statement: Statement, *, display: bool = False) -> str:
    """Return a judged statement, with the note of what it is about."""
    return formula(statement.written, statement.note, display=display)


# What is displayed ---------------------------------------------------------------------------------


def pieces(items: Iterable[Piece]) -> str:
    """Return prose with what is set among it: paragraphs, lists, matrices beside each other, pictures."""
    made: list[str] = []
    waiting: list[Line] = []

    def end_paragraph() -> None:
        if text := prose(waiting):
            made.append(f"<p>{text}</p>")
        waiting.clear()

    for item in items:
        if isinstance(item, str | Stated | Claimed | Code | Mark):
            waiting.append(item)
            continue
        end_paragraph()
        match item:
            case Typed(text):
                made.append(paragraphs(text))
            case Label(text):
                made.append(f"<p>{words(text)}</p>")
            case Beside(statements):
                made.append(beside(statements))
            case Items(found):
                made.append(f"<ul>{''.join(f'<li>{prose(one)}</li>' for one in found)}</ul>")
            case Pictures():
                legend = words(" ".join(item.legend))
                picture = scrolling(pictures_svg([item]), label="picture, scrolls sideways")
                made.append(f"<figure>{picture}<figcaption>{legend}</figcaption></figure>")
    end_paragraph()
    return "\n".join(made)


def beside(statements: Iterable[Statement]) -> str:
    """Return statements as many beside each other as there is room for."""
    return f'<div class="beside">{"".join(stated(one, display=True) for one in statements)}</div>'


def grid(statements: Iterable[Statement]) -> str:
    """Return statements in as many columns as the widest of them leaves room for."""
    items = list(statements)
    wide = max(pixels(item.written) for item in items)
    body = "\n".join(stated(item, display=True) for item in items)
    return f'<div class="grid" style="--wide:{wide + 24:.0f}px">\n{body}\n</div>'


def table(item: Table, caption: str) -> str:
    """Return a table with its caption, in a box that scrolls where it is wider than the screen."""
    return table_html(words(caption), map(_cell, item.header), (map(_cell, row) for row in item.rows))


def table_html(caption: str, header: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a table of HTML, the heading of each row first, in a box that scrolls where the screen is narrower."""
    head = "".join(f'<th scope="col">{cell}</th>' for cell in header)
    lines = "\n".join(
        f'<tr><th scope="row">{first}</th>{"".join(f"<td>{cell}</td>" for cell in rest)}</tr>' for first, *rest in rows
    )
    body = f"<thead><tr>{head}</tr></thead>\n<tbody>\n{lines}\n</tbody>"
    return scrolling(f"<table>\n<caption>{caption}</caption>\n{body}\n</table>", label="table, scrolls sideways")


def _cell(item: Cell) -> str:
    match item:
        case Statement():
            return stated(item)
        case (str(text), claim):
            return _line(Claimed(text, claim))
        case _:
            return words(str(item))
