"""A worked key as a page: the document that the LaTeX writer sets too."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from symattn.languages.catalogue import Words
from symattn.rendering.content import Beside
from symattn.rendering.html import proof as theorems
from symattn.rendering.html.page import beside, footer, grid, header, page, paragraphs, pieces, stated, table, words
from symattn.rendering.sections.document import Block, Document


def key_page(document: Document) -> str:
    """Return a document as a page of one file."""
    worth = f", {_worth(document.points, document.words)}" if document.points else ""
    kind = document.words.say("document.key")
    head = header(words(document.title), f"{kind[:1].upper()}{kind[1:]}{worth}")
    body = "\n".join([head, *_body(document), footer(words(document.foot)) if document.foot else ""])
    return page(document.title, body, document.words.language)


def sheet_html(document: Document) -> str:
    """Return the questions of a document, and no answer, as a part of a page."""
    worth = f'<p class="soft">{_worth(document.points, document.words)}</p>' if document.points else ""
    return "\n".join([f"<h1>{words(document.title)}</h1>{worth}", *_body(document, with_answers=False)])


def question_html(document: Document) -> str:
    """Return the questions of one problem, to stand in a page that has styles of its own."""
    made = [paragraphs(document.intro)]
    for item in document.given:
        if isinstance(item, Beside):
            shown = "".join(f"<div>{stated(one, display=True)}</div>" for one in item.statements)
            made.append(f'<div style="display: flex; flex-wrap: wrap; gap: 1em 2em">{shown}</div>')
        else:
            made.append(pieces([item]))
    made.append(pieces(document.conventions))
    for section in document.sections:
        worth = f" ({_worth(section.points, document.words)})" if section.points else ""
        made.append(f"<p><strong>({section.label}) {words(section.title)}</strong>{worth}</p>")
        made.append(paragraphs(section.task))
    return "\n".join(filter(None, made))


def _body(document: Document, *, with_answers: bool = True) -> Iterator[str]:
    yield paragraphs(document.intro) if document.members else ""
    for number, item in enumerate(document.members, 1):
        worth = f'<span class="points">{_worth(item.points, item.words)}</span>' if item.points else ""
        heading = document.words.say("document.problem", number=number)
        title = words(f"{heading} {item.title}")
        yield f'<h2 class="problem">{worth}{title}</h2>'
        yield from _problem(item, with_answers=with_answers, level=3)
    yield from () if document.members else _problem(document, with_answers=with_answers)


def _problem(document: Document, *, with_answers: bool, level: int = 2) -> Iterator[str]:
    """Yield the page of one problem, whose parts have headings of a level."""
    yield paragraphs(document.intro)
    yield pieces(document.given)
    if document.conventions:
        defaults = document.defaults if with_answers else ""
        yield f'<div class="soft">\n{pieces([*document.conventions, defaults])}\n</div>'
    for section in document.sections:
        worth = f'<span class="points">{_worth(section.points, document.words)}</span>' if section.points else ""
        yield f"<section>\n<h{level}>{worth}({section.label}) {words(section.title)}</h{level}>"
        question = section.question if with_answers else section.task
        if question:
            yield f'<div class="asked">{paragraphs(question)}</div>'
        yield from _blocks(section.blocks, section.title, document.words, level + 1) if with_answers else ()
        yield "</section>"


def _worth(points: str, texts: Words) -> str:
    return texts.say("document.points", count=float(points), points=points)


def _blocks(blocks: Sequence[Block], title: str, texts: Words, level: int) -> Iterator[str]:
    """Yield blocks, steps with headings of a level; a table takes the title of its step as its caption."""
    caption = title
    for block in blocks:
        match block.kind:
            case "step":
                caption = block.title
                whose = f", {block.head}" if block.head else ""
                step = words(texts.say("document.step", number=block.number))
                yield f"<h{level}><b>{step}</b> {words(block.title + whose)}</h{level}>"
            case "head":
                yield f"<h{level}>{pieces(block.lines).removeprefix('<p>').removesuffix('</p>')}</h{level}>"
            case "display":
                yield beside(block.items)
            case "grid":
                yield grid(block.items)
            case "proof":
                yield theorems.head(block.proved[0])
                yield from theorems.theorem(block.proved[0], (), block.detail, f"h{level}")
            case "facts":
                heading = words(texts.say("facts.title"))
                yield f"<h{level}>{heading}</h{level}>"
                yield from (line for item in block.proved for line in theorems.fact(item))
            case "note":
                yield f'<div class="soft">{pieces(block.lines)}</div>'
            case _ if block.table is not None:
                yield table(block.table, caption)
            case _:
                yield pieces(block.lines)
