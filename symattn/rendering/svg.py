"""Pictures as SVG: one text without scripts, fonts or colours of its own, which takes those of the page around it.

Lines, letters and cells are drawn in ``currentColor``, so that a page in light or dark letters shows them alike. A
darker cell is a less transparent one, and every number on it keeps a contrast of 4.5 to 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape

from symattn.graph.quantities.statement import Statement
from symattn.languages.catalogue import Words
from symattn.notation.tree import nodes as t
from symattn.notation.writers.plain import write_plain
from symattn.records import dataclass
from symattn.rendering.content import Diagram, HeatMap, Pictures

_STEP, _TITLE = 32, 20
_ACROSS, _SIDE, _GAP = 140, 80, 12
_CELL_WIDTH, _CELL_HEIGHT, _SMALL = 48, 32, 12
_LETTER = 9
"""The width of a letter or a digit in a wide font of the page's size, in pixels."""
_MARGIN = 24
_DARKEST = 0.4
"""The opacity of a cell of weight 1: a number in the same colour is read on it in light and in dark."""


@dataclass(frozen=True, slots=True)
class Drawing:
    """A picture before it is placed: its size in pixels, its title, what it shows in words, and its elements."""

    kind: str
    width: float
    height: float
    title: str
    told: str
    body: Sequence[str]

    def svg(self, x: float = 0, y: float = 0) -> str:
        """Return the ``<svg>`` element, for a place in another; who does not see it hears its title and its words."""
        words = f"<title>{escape(self.title, quote=False)}</title>\n<desc>{escape(self.told)}.</desc>"
        opening = _opening(self.kind, f'role="img" x="{x:g}" y="{y:g}"', self.width, self.height)
        return "\n".join([opening, words, *self.body, "</svg>"])


def pictures_svg(groups: Iterable[Pictures]) -> str:
    """Return pictures as one ``<svg>`` element, those of a head in a row.

    For a page: ``pictures_svg([piece])`` of a piece of a block that is `Pictures`. The element has the class
    ``symattn-pictures``, those in it ``symattn-diagram``, ``symattn-heatmap`` and ``symattn-mask``. Its size is in
    pixels; a page may set ``max-width: 100%`` and ``height: auto``.
    """
    placed: list[str] = []
    width = y = 0.0
    for row in (row for pictures in groups for row in _rows(pictures)):
        x = 0.0
        for drawing in row:
            placed.append(drawing.svg(x, y))
            x += drawing.width
        width, y = max(width, x), y + max(drawing.height for drawing in row)
    return "\n".join([_opening("pictures", 'role="group"', width, y), *placed, "</svg>"])


def _rows(pictures: Pictures) -> Iterator[list[Drawing]]:
    """Yield the drawings of each head, then those that heads share."""
    heads = [(item.head, diagram_drawing(item)) for item in pictures.diagrams]
    heads += [(item.head, heat_map_drawing(item)) for item in pictures.maps]
    for head in sorted({head for head, _ in heads}, key=lambda number: (number == 0, number)):
        yield [drawing for number, drawing in heads if number == head]


def _opening(kind: str, more: str, width: float, height: float) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="symattn-{kind}" {more} width="{width:g}" '
        f'height="{height:g}" viewBox="0 0 {width:g} {height:g}" fill="currentColor" font-size="14">'
    )


def diagram_drawing(diagram: Diagram) -> Drawing:
    """Return the attention diagram, with a description of every line.

    >>> from symattn.graph.key_judge.claims import Claim
    >>> from symattn.rendering.content import Edge
    >>> edge = Edge(1, (2,), False, Claim("largest", (1, 2)), 73)
    >>> drawing = diagram_drawing(Diagram(2, 1, (edge,)))
    >>> drawing.told, drawing.svg().count("<circle"), drawing.svg().count("<line")
    ('output 1: input 2', 3, 3)
    """
    say, most = diagram.words.say, max(diagram.inputs, diagram.outputs)
    height = _STEP * most + _TITLE

    def y(number: int, count: int) -> float:
        return _TITLE + (number - 0.5 + (most - count) / 2) * _STEP

    words = (say("diagram.input"), diagram.inputs), (say("diagram.output"), diagram.outputs)
    before, behind = (max(_SIDE, _GAP + _LETTER * len(f"{word} {count}")) for word, count in words)
    left, right = before, before + _ACROSS
    lines = [f'<line x1="{x}" y1="{_TITLE}" x2="{x}" y2="{height}" stroke-opacity="0.3"/>' for x in (left, right)]
    for edge in diagram.edges:
        style = f'stroke-width="{0.5 + 3 * edge.percent / 100 if diagram.by_weight else 1.5:g}"'
        style += ' stroke-dasharray="5 3"' if edge.is_second else ""
        end = f'x2="{right}" y2="{y(edge.query, diagram.outputs):g}"'
        lines.extend(f'<line x1="{left}" y1="{y(key, diagram.inputs):g}" {end} {style}/>' for key in edge.keys)
    body = ['<g stroke="currentColor" fill="none">', *lines, "</g>"]
    places = (left, -_GAP, "end"), (right, _GAP, "start")
    for (word, count), (x, shift, anchor) in zip(words, places, strict=True):
        for number in range(1, count + 1):
            body.append(f'<circle cx="{x}" cy="{y(number, count):g}" r="4"/>')
            body.append(_text(x + shift, y(number, count), f"{word} {number}", anchor))
    if diagram.head:
        body.append(_text((left + right) / 2, _TITLE / 2, say("diagram.head", number=diagram.head)))
    title = _titled("pictures.diagram", diagram.head, diagram.words)
    return Drawing("diagram", right + behind, height, title, "; ".join(_described(diagram)), body)


def _titled(key: str, head: int, words: Words) -> str:
    """Return the title of a picture, with its head if it is of one."""
    title = words.say(key)
    return words.say("step.of_head", title=title, head=words.say("step.head", number=head)) if head else title


def _described(diagram: Diagram) -> Iterator[str]:
    say = diagram.words.say
    for edge in diagram.edges:
        kind = "pictures.dashed" if edge.is_second else "pictures.solid"
        inputs = say("diagram.inputs", count=len(edge.keys), inputs=", ".join(map(str, edge.keys)))
        yield say(kind, output=say("diagram.row", number=edge.query), inputs=inputs)


def heat_map_drawing(heat_map: HeatMap) -> Drawing:
    """Return a heat map: numbers in the cells, and those of rows and columns beside them.

    >>> row = (t.Number("0.27"), t.Number("0.73"))
    >>> heat_map = HeatMap(t.Name("A"), ((27, 73),), Statement(t.Name("A"), t.Matrix((row,))))
    >>> heat_map_drawing(heat_map).told, heat_map_drawing(heat_map).svg().count("<rect")
    ('row 1: 0.27 0.73', 2)
    """
    numbers = _numbers(heat_map.statement)
    longest = max((len(number) for row in numbers for number in row), default=0)
    across, down = (max(_CELL_WIDTH, _LETTER * (longest + 1)), _CELL_HEIGHT) if numbers else (_SMALL, _SMALL)
    rows, columns = len(heat_map.shades), len(heat_map.shades[0])
    middles = [_MARGIN + (column + 0.5) * across for column in range(columns)]
    body: list[str] = []
    for row, shades in enumerate(heat_map.shades):
        y = _MARGIN + row * down
        for shade, middle in zip(shades, middles, strict=True):
            place = f'x="{middle - across / 2:g}" y="{y}" width="{across}" height="{down}"'
            opacity = f'fill-opacity="{_DARKEST * (shade or 0) / 100:g}"'
            body.append(f'<rect {place} {opacity} stroke="currentColor" stroke-opacity="0.3"/>')
        if numbers:
            body.append(_text(_MARGIN / 2, y + down / 2, str(row + 1)))
            body.extend(_text(x, y + down / 2, number) for x, number in zip(middles, numbers[row], strict=True))
    if numbers:
        body.extend(_text(middle, _MARGIN / 2, str(number)) for number, middle in enumerate(middles, 1))
    width, height = 2 * _MARGIN + columns * across, 2 * _MARGIN + rows * down
    say = heat_map.words.say
    title = _titled("pictures.mask" if heat_map.is_mask else "pictures.weights", heat_map.head, heat_map.words)
    body.append(_text(width / 2, height - _MARGIN / 2, title))
    each = enumerate(numbers or _shades(heat_map), 1)
    told = "; ".join(say("pictures.row", number=number, cells=" ".join(row)) for number, row in each)
    kind = "mask" if heat_map.is_mask else "heatmap"
    return Drawing(kind, width, height, say("pictures.heat_map", title=title), told, body)


def _numbers(statement: Statement | None) -> list[list[str]]:
    """Return the cells of the matrix that a statement ends in, as print shows them."""
    matrix = statement.sides[-1] if statement is not None else None
    if not isinstance(matrix, t.Matrix):
        return []
    return [[write_plain(cell).replace("-", "−").replace("infty", "∞") for cell in row] for row in matrix.rows]


def _shades(heat_map: HeatMap) -> Iterator[list[str]]:
    """Yield the rows in words, where the cells hold no numbers."""
    say = heat_map.words.say
    for shades in heat_map.shades:
        if heat_map.is_mask:
            yield [say("pictures.seen" if shade else "pictures.hidden") for shade in shades]
        else:
            yield [say("pictures.undefined") if shade is None else f"{shade} %" for shade in shades]


def _text(x: float, y: float, text: str, anchor: str = "middle") -> str:
    return f'<text x="{x:g}" y="{y:g}" dy="0.35em" text-anchor="{anchor}">{escape(text)}</text>'
