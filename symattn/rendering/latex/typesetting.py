r"""Statements as LaTeX source: one line each, with a comment that says what it is about.

A line such as ``\[ Q_{31} = … \] % symattn: Q_31`` can be taken out of the document and judged again; see
`symattn.rendering.sections.readback`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from math import fsum
from typing import TYPE_CHECKING

from symattn import late
from symattn.exact.field.expsum import ExpSum
from symattn.exact.field.polynomial import ONE, Polynomial
from symattn.exact.linear.matrix import Matrix
from symattn.exact.numerals.integer_text import integer_text, natural_text
from symattn.graph.key_judge.claims import Claim
from symattn.graph.quantities.closed_forms import exponential_sum_tree, quotient_tree
from symattn.graph.quantities.statement import Statement
from symattn.notation.lexer.escapes import printable
from symattn.notation.tree import nodes as t
from symattn.notation.tree.symbols import GREEK
from symattn.notation.writers.latex import write_latex
from symattn.rendering.content import Blank, Cell, Diagram, Edge, HeatMap, Pictures
from symattn.rendering.latex.widths import LEAST_SCALE, LINE, RELATION, shaded_cell, width

if TYPE_CHECKING:
    import unicodedata
else:
    unicodedata = late.module("unicodedata")

MARK = "% symattn:"
"""What begins the comment of a judged line."""

_SMALL_FRACTION = re.compile(r"\\frac(?<!\^\{.{5})(?<!\^\{-.{5})(?=\{\d+\}\{\d+\})")
"""A fraction of integers, but for one that is an exponent; the pattern begins with what is searched for fastest."""
_SMALL_BRACKETS = re.compile(r"\\left\(((?:[^()\\]|\\tfrac|\\cdot|\\sqrt|\\mathbf|\\top)*)\\right\)")
_INDENT = 24.0
_GAP = 23.0
_CELL_GAP = 12.0
_TEXT_LETTER = 5.4
_MAX_COLUMNS = 4
_LEAST_COLUMNS = 2
_SCALES = (0.91, 0.82, LEAST_SCALE)


def math(node: t.Node) -> str:
    r"""Return a tree as LaTeX, fractions of integers set small.

    >>> print(math(t.Division(t.Number("1"), t.Number("2"))))
    \tfrac{1}{2}
    """
    source = write_latex(node)
    if "\\frac" in source:  # to search by a pattern for what is not there costs as much as to write it
        source = _SMALL_FRACTION.sub(r"\\tfrac", source)
    return _SMALL_BRACKETS.sub(r"(\1)", source) if "\\left(" in source else source


def marked(source: str, note: str) -> str:
    """Return a line of source with the comment that says what it is about.

    >>> marked("x", "Q_31")
    'x % symattn: Q_31'
    """
    return f"{source} {MARK} {note}"


def listed(items: list[str]) -> str:
    """Return a, B and C.

    >>> listed(["a"]), listed(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}"


def display(statement: Statement, line: float = LINE) -> list[str]:
    """Return a statement on lines of its own, broken at relations, then at plus signs, where it is too wide."""
    whole = statement.written
    return _roomy([whole], ["\\[", marked(_set_in(whole, line), statement.note), "\\]"])


def is_legible(written: t.Node, line: float = LINE) -> bool:
    """Return whether a formula fits a line at a readable size, broken or not."""
    room = line / LEAST_SCALE
    return width(written) <= room or (isinstance(written, t.Relation) and _breaks(written, room))


def _set_in(written: t.Node, line: float) -> str:
    """Return a formula for a line: whole, broken at relations and plus signs, or one of both smaller."""
    for scale in (1.0, *_SCALES):
        room = line / scale
        if width(written) <= room:
            return _scaled(math(written), scale)
        if isinstance(written, t.Relation) and _breaks(written, room):
            return _scaled(broken(written, room), scale)
    return _scaled(broken(written, room) if isinstance(written, t.Relation) else math(written), LEAST_SCALE)


def _scaled(source: str, scale: float) -> str:
    return source if scale == 1 else f"\\symattnfit{{{scale}}}{{{source}}}"


def _breaks(chain: t.Relation, line: float) -> bool:
    """Return whether every side fits a line, or is a sum that can be broken into terms that do."""
    head = width(chain.sides[0]) if chain.sides[0] is not None else 0.0
    room = line - head - _INDENT
    sides = [side for side in chain.sides[1:] if side is not None]
    pieces = [piece for side in sides for piece in (side.terms if isinstance(side, t.Sum) else (side,))]
    return all(width(piece) <= room for piece in pieces)


def fitted(source: str, needed: float, line: float = LINE) -> str:
    r"""Return a formula that cannot be broken made smaller until it fits the line, or is hard to read.

    >>> print(fitted("x", 600))
    \symattnfit{0.79}{x}
    """
    return _scaled(source, max(int(100 * line / needed) / 100, LEAST_SCALE))


def _roomy(nodes: list[t.Node], lines: list[str]) -> list[str]:
    """Set displays whose matrices hold fractions with the rows further apart."""
    if not any(_has_tall_matrix(node) for node in nodes):
        return lines
    return ["\\begingroup\\renewcommand{\\arraystretch}{1.3}", *lines, "\\endgroup"]


def _has_tall_matrix(node: t.Node) -> bool:
    if isinstance(node, t.Matrix):
        return any(_has_fraction(entry) for entry in t.children(node))
    return any(_has_tall_matrix(child) for child in t.children(node))


def _has_fraction(node: t.Node) -> bool:
    return (isinstance(node, t.Division) and node.bar) or any(_has_fraction(child) for child in t.children(node))


def broken(chain: t.Relation, line: float = LINE) -> str:
    """Return a chain of relations set over several aligned lines."""
    rows = " \\\\ ".join(_rows(chain, line))
    return f"\\begin{{aligned}} {rows} \\end{{aligned}}"


def _rows(chain: t.Relation, line: float) -> list[str]:
    head, *rest = [side for side in chain.sides if side is not None]
    first = width(head)
    room = line - first
    rows: list[str] = []
    current, used = f"{math(head)} ", 0.0
    for operator, side in zip(chain.operators, rest, strict=True):
        sign = write_sign(operator)
        needed = RELATION + width(side)
        if used and used + needed > room:
            rows.append(current)
            current, used = "", 0.0
        mark = "&" if not used else ""
        if needed <= room or not isinstance(side, t.Sum):
            current, used = f"{current}{mark}{sign} {math(side)} ", used + needed
            continue
        pieces = _pieces(side, room - RELATION)
        rows.append(f"{current}{mark}{sign} {pieces[0]} ")
        rows.extend(f"&\\quad {piece} " for piece in pieces[1:-1])
        current, used = f"&\\quad {pieces[-1]} ", room
    rows.append(current)
    return rows


@cache
def write_sign(operator: str) -> str:
    r"""Return a relation as LaTeX.

    >>> print(write_sign("≈"))
    \approx
    """
    chain = write_latex(t.Relation((t.Name("a"), t.Name("b")), (operator,)))
    return chain[1:-1].strip()


def _pieces(node: t.Sum, room: float) -> list[str]:
    """Return a long sum in pieces, each but the first beginning with its sign."""
    pieces: list[str] = []
    current, used = math(node.terms[0]), width(node.terms[0])
    for operator, term in zip(node.operators, node.terms[1:], strict=True):
        needed = RELATION + width(term)
        if used + needed > room - _INDENT:
            pieces.append(current)
            current, used = "", 0.0
        current, used = f"{current} {operator} {math(term)}", used + needed
    return [*pieces, current.strip()]


def grid(statements: Iterable[Statement], per_row: int = 0, line: float = LINE) -> list[str]:
    """Align statements at their first relation, in as many columns as fit.

    Args:
        statements: what is set.
        per_row: how many belong together in a row of a matrix, which begins a line.
        line: the width of a line in points.
    """
    items = list(statements)
    halves = {id(item): _halves(item) for item in items}
    counts = range(2, _MAX_COLUMNS + 1)
    fitting = [count for count in counts if _fits(_arranged(items, count, per_row), halves, line)]
    whole = [count for count in fitting if per_row and 0 in {per_row % count, count % per_row}]
    columns = max(whole or fitting, default=1)
    rows = _arranged(items, columns, per_row)
    # Side by side everything fits; in one column, what is too wide beside the widest head is broken.
    room = line if columns > 1 else line - max(head for head, _ in halves.values())
    lines = [f"\\begin{{alignat*}}{{{columns}}}"]
    for number, row in enumerate(rows):
        for position, item in enumerate(row):
            ends_row = position == len(row) - 1
            end = " &\\qquad" if not ends_row else "" if number == len(rows) - 1 else " \\\\"
            lines.append(marked(f"{_aligned(item, room, halves[id(item)][1])}{end}", item.note))
    lines.append("\\end{alignat*}")
    if len(rows) > 1 and any("\\frac" in row for row in lines):
        lines = ["\\begingroup\\symattntall", *lines, "\\endgroup"]
    return _roomy([item.written for item in items], lines)


def _arranged(items: list[Statement], columns: int, per_row: int) -> list[list[Statement]]:
    """Return the lines of a grid, row by row: a row of a matrix begins a line, unless several rows fill one."""
    length = per_row if per_row and columns % per_row else len(items)
    rows = [items[start : start + length] for start in range(0, len(items), length)]
    return [row[start : start + columns] for row in rows for start in range(0, len(row), columns)]


def _fits(rows: list[list[Statement]], halves: Mapping[int, tuple[float, float]], line: float) -> bool:
    """Return whether statements arranged like this fit a line."""
    columns = max(len(row) for row in rows)
    widths = [[halves[id(row[column])] for row in rows if len(row) > column] for column in range(columns)]
    total = fsum(max(head for head, _ in column) + max(rest for _, rest in column) for column in widths)
    return total + _GAP * (columns - 1) <= line


def _halves(statement: Statement) -> tuple[float, float]:
    """Return the widths of what stands before and behind the first relation."""
    chain = statement.written
    if not isinstance(chain, t.Relation) or chain.sides[0] is None:
        return 0.0, width(chain)
    head = width(chain.sides[0])
    return head, width(chain) - head


def _aligned(statement: Statement, room: float, needed: float) -> str:
    """Return a statement as a row of a grid; one wider than the room behind the heads takes several lines."""
    chain = statement.written
    if not isinstance(chain, t.Relation):
        return f"& {math(chain)}"
    if needed > room:
        return f"& {_set_in(chain, room)}"
    head, *rest = [side for side in chain.sides if side is not None]
    parts = [f"{write_sign(operator)} {math(side)}" for operator, side in zip(chain.operators, rest, strict=True)]
    return f"{math(head)} &{' '.join(parts)}"


def cell(item: Cell) -> tuple[str, str]:
    """Return a table cell and its comment; mere words have none."""
    match item:
        case Statement():
            return f"${math(item.written)}$", f" {MARK} {item.note}"
        case (str(text), Claim() as claim):
            return text, f" {MARK} {claim.note}"
        case _:
            return str(item), ""


def table(header: Sequence[Cell], rows: Sequence[Sequence[Cell]], columns: str, line: float = LINE) -> list[str]:
    """Return a table, each judged cell on a line of its own; made smaller where it is wider than the line."""
    body = [f"\\begin{{tabular}}{{{columns}}}", "\\toprule", *_row(header), "\\midrule"]
    for row in rows:
        body.extend(_row(row))
    body.extend(["\\bottomrule", "\\end{tabular}"])
    needed = table_width(header, rows)
    if needed > line / LEAST_SCALE and len(header) > _LEAST_COLUMNS:
        return _in_halves(header, rows, columns, line)
    if needed > line:
        body = [f"\\scalebox{{{max(line / needed, LEAST_SCALE):.2f}}}{{%", *body, "}"]
    # No center environment: it invites a page break between a heading and its table.
    return ["{\\par\\nopagebreak\\smallskip\\centering", *body, "\\par\\smallskip}"]


def _in_halves(header: Sequence[Cell], rows: Sequence[Sequence[Cell]], columns: str, line: float) -> list[str]:
    """Return a table as two, one below the other, that share the first column."""
    half, plain = (len(header) + 1) // 2, columns[:1] * len(header) if "@" in columns else columns
    each = (
        table([header[0], *header[part]], [[row[0], *row[part]] for row in rows], plain[:1] + plain[part], line)
        for part in (slice(1, half), slice(half, None))
    )
    return [text for lines in each for text in lines]


def _row(items: Sequence[Cell]) -> list[str]:
    lines: list[str] = []
    for position, item in enumerate(items):
        source, comment = cell(item)
        end = " \\\\" if position == len(items) - 1 else " &"
        lines.append(f"{source}{end}{comment}")
    return lines


def table_width(header: Sequence[Cell], rows: Sequence[Sequence[Cell]]) -> float:
    """Return the width of a table in points."""
    widths = [
        max([_cell_width(title), *(_cell_width(row[position]) for row in rows)])
        for position, title in enumerate(header)
    ]
    return fsum(widths) + _CELL_GAP * len(widths)


def _cell_width(item: Cell) -> float:
    if isinstance(item, Statement):
        return width(item.written)
    text = item if isinstance(item, str) else item[0]
    return _TEXT_LETTER * len(text.replace("$", ""))


def side_by_side(statements: Iterable[Statement], line: float = LINE) -> list[str]:
    """Set short statements in displays of as many as fit beside each other."""
    lines: list[str] = []
    row: list[Statement] = []
    for item in [*statements, None]:
        used = fsum(width(other.written) + _GAP for other in row)
        if len(row) == 1 and (item is None or used + width(item.written) > line):
            lines.extend(display(row.pop(), line))
        elif row and (item is None or used + width(item.written) > line):
            inner = [marked(f"{math(other.written)} \\qquad", other.note) for other in row[:-1]]
            inner.append(marked(math(row[-1].written), row[-1].note))
            lines.extend(_roomy([other.written for other in row], ["\\[", *inner, "\\]"]))
            row = []
        if item is not None:
            row.append(item)
    return lines


# Closed forms --------------------------------------------------------------------------------------


def closed_rows(matrix: Matrix, name: str = "A", total: str = "Z") -> str:
    r"""Return a matrix in closed form, the sum under the bar of each row named once: ``A = …, \quad Z_{1} = …``.

    Written out in every entry, the sums of an n × n matrix have n^3 terms; named, n^2. Other entries stay in full.

    Args:
        matrix: the weights.
        name: what the matrix is called, as LaTeX.
        total: what the sums of its rows are called; the row is their index.

    >>> from symattn.exact.linear.matrix import softmax_rows
    >>> print(closed_rows(softmax_rows(Matrix([["1/2", -3, 0]]))))
    A = \begin{pmatrix}
    \frac{e^{1/2}}{Z_{1}} & \frac{e^{-3}}{Z_{1}} & \frac{1}{Z_{1}}
    \end{pmatrix}
    \\ Z_{1} = e^{1/2} + e^{-3} + 1
    """
    powers: dict[Polynomial, str | None] = {}
    rows, sums = [], []
    for number, row in enumerate(matrix.rows, 1):
        label = f"{total}_{{{number}}}"
        shared = next((q.denominator for q in row if q.is_over_sum), None)
        texts = []
        for entry in row:
            if shared is not None and entry.is_finite and entry.is_closed and entry.denominator is shared:
                texts.append(f"\\frac{{{_sum_text(entry.numerator, powers)}}}{{{label}}}")
            else:
                texts.append(math(quotient_tree(entry)))
        rows.append(" & ".join(texts))
        if shared is not None:
            sums.append(f"\\\\ {label} = {_sum_text(shared, powers)}")
    body = " \\\\\n".join(rows)
    return "\n".join([f"{name} = \\begin{{pmatrix}}\n{body}\n\\end{{pmatrix}}", *sums])


def _sum_text(value: ExpSum, powers: dict[Polynomial, str | None]) -> str:
    """Return a sum of plain exponentials is put together from their texts; any other is written as a tree."""
    table, below = value.integers
    texts = []
    for (exponent, monomial), c in table.items():
        text = powers.get(exponent)
        if text is None:
            text = powers[exponent] = _power_text(exponent)
        if text is None or c != 1 or below != 1 or monomial != ONE:
            return math(exponential_sum_tree(value))
        texts.append(text)
    return " + ".join(texts)


def _power_text(exponent: Polynomial) -> str | None:
    """Return the exponential of a rational number, as the tree of it is written."""
    terms, below = exponent.integers
    if not terms:
        return "1"
    ((monomial, c), *others) = terms
    if others or monomial != ONE:
        return None
    if below == 1:
        return f"e^{{{integer_text(c)}}}"
    return f"e^{{{integer_text(c)}/{natural_text(below)}}}"


# Pictures ------------------------------------------------------------------------------------------

_STEP, _HEIGHT, _ACROSS = 0.95, 16.0, 3.4
"""The distance of two dots in a diagram, its largest height, and its width, in centimetres."""

_SQUARE = 0.3
_MIDDLE = "baseline={([yshift=-0.6ex]current bounding box.center)}"


def blanks(items: Sequence[Blank], space: float) -> list[str]:
    """Return matrices to fill in, as many side by side as fit a line, and the height in centimetres left empty."""
    lines = [f"\\vspace{{{space:.1f}cm}}"] if space else []
    if not items:
        return lines
    shown = (f"${math(item.symbol)} = {_empty(item)}$" for item in items)
    return ["{\\par\\medskip\\lineskip=8pt\\raggedright", "\\qquad\n".join(shown), "\\par}", *lines]


def _empty(item: Blank) -> str:
    if item.rows == item.columns == 1:
        return "\\symattnblank"
    rows = " \\\\ ".join([" & ".join(["\\symattnblank"] * item.columns)] * item.rows)
    return f"\\begin{{bmatrix}} {rows} \\end{{bmatrix}}"


def pictures(shown: Pictures) -> list[str]:
    r"""Return diagrams and heat maps side by side, as many as fit a line; each edge and each matrix is judged.

    A heat map with numbers is a formula, ``A \approx`` a matrix whose cells are ``\symattnheat{NUMBER}``.
    """
    drawn = [*map(_diagram, shown.diagrams), *map(_heat_map, shown.maps)]
    # No center environment: it invites page breaks before the picture, which belongs to its heading.
    lines = ["{\\par\\nopagebreak\\medskip\\centering\\lineskip=8pt\\arraycolsep=0pt", *drawn[0]]
    lines.extend(line for picture in drawn[1:] for line in ("\\qquad", *picture))
    opening = "\\par\\nopagebreak\\smallskip{\\noindent\\symattnsoft\\symattnwhole"
    return [*lines, opening, *shown.legend, "\\par}\\par\\medskip}"]


def _diagram(diagram: Diagram) -> list[str]:
    """Return the diagram as a TikZ picture, each edge with the claim that it makes."""
    most, words = max(diagram.inputs, diagram.outputs), diagram.words
    head = words.say("diagram.head", number=diagram.head)
    step = min(_STEP, _HEIGHT / most)
    return [
        f"\\begin{{tikzpicture}}[x=1cm,y={step:.3f}cm,{_MIDDLE},dot/.style={{circle,fill=symattnkey,inner sep=1.9pt}}]",
        *(f"\\draw[symattnrule] ({x},-0.4) -- ({x},{-most - 0.6:.1f});" for x in (0, _ACROSS)),
        *([f"\\node at ({_ACROSS / 2},-0.2) {{{head}}};"] if diagram.head else []),
        *_dots("i", words.say("diagram.input"), "left", diagram.inputs, most, 0.0),
        *_dots("o", words.say("diagram.output"), "right", diagram.outputs, most, _ACROSS),
        *(marked(_edge(edge, by_weight=diagram.by_weight), edge.claim.note) for edge in diagram.edges),
        "\\end{tikzpicture}",
    ]


def _dots(node: str, word: str, side: str, count: int, most: int, x: float) -> Iterator[str]:
    shift = (most - count) / 2
    for number in range(1, count + 1):
        place = f"({node}{number}) at ({x:.1f},{-number - shift:.2f})"
        yield f"\\node[dot,label={side}:{{{word} {number}}}] {place} {{}};"


def _edge(edge: Edge, *, by_weight: bool) -> str:
    thickness = f"line width={0.3 + 0.02 * edge.percent:.2f}pt" if by_weight else "thick"
    style = f"symattnkey,{thickness}{',densely dashed' if edge.is_second else ''}"
    return f"\\draw[{style}] {' '.join(f'(i{key}) -- (o{edge.query})' for key in edge.keys)};"


def _heat_map(heat_map: HeatMap) -> list[str]:
    """Return a heat map: a matrix with the numbers on darker and lighter cells, or cells alone where there are none."""
    symbol, stated = math(heat_map.symbol), heat_map.statement
    if stated is None:
        return [f"${symbol}$:", *_squares(heat_map)]
    matrix = stated.sides[-1]
    if not isinstance(matrix, t.Matrix):
        raise TypeError("a heat map shows a matrix")
    rows = " \\\\ ".join(" & ".join(_shaded(cell, is_mask=heat_map.is_mask) for cell in row) for row in matrix.rows)
    body = f"\\begin{{bmatrix}} {rows} \\end{{bmatrix}}"
    formula = marked(f"${symbol} {write_sign(stated.operators[-1])} {body}$", stated.note)
    return [f"\\def\\symattncell{{{shaded_cell(matrix):.0f}pt}}%", formula]


def _shaded(cell: t.Node, *, is_mask: bool) -> str:
    """Return a number on its cell: TeX takes the shade of a weight from its digits, so that both are one."""
    if not isinstance(cell, t.Number) or "e" in cell.text:
        return f"\\symattnhidden{{{math(cell)}}}"
    return f"\\symattn{'seen' if is_mask else 'heat'}{{{math(cell)}}}"


def _squares(heat_map: HeatMap) -> Iterator[str]:
    yield f"\\begin{{tikzpicture}}[x={_SQUARE}cm,y={_SQUARE}cm,{_MIDDLE}]"
    for row, shades in enumerate(heat_map.shades):
        for column, shade in enumerate(shades):
            yield f"\\filldraw[draw=symattnrule,fill=symattnkey!{shade or 0}] ({column},{-row}) rectangle +(1,-1);"
    yield "\\end{tikzpicture}"


# Text ----------------------------------------------------------------------------------------------

_GREEK = {character: f"\\{name}" for name, character in GREEK.items()}
_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    # The command \$ takes it from a font of symbols, which many a TeX has as a bitmap only (microtype then stops in
    # a long paragraph); in the italic fonts of Computer Modern this place holds a pound sign.
    "$": r"{\upshape\char36}",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"''",
    "–": "--",
    "—": "---",
    "“": "``",
    "”": "''",
    "‘": "`",
    "’": "'",
    "„": ",,",
    "‚": ",",
    "«": r"$\scriptstyle\ll$",
    "»": r"$\scriptstyle\gg$",
    "‹": r"$\scriptstyle<$",
    "›": r"$\scriptstyle>$",
    "…": r"\ldots{}",
}


def escape(text: str) -> str:
    r"""Escape text as LaTeX that shows it literally; characters missing in the fonts appear as code points.

    >>> print(escape(r"\input{x} 50% & more"))
    \textbackslash{}input\{x\} 50\% \& more
    """
    return "".join(map(_shown, " ".join(text.split())))


_SIGNS = {
    "×": r"\times", "·": r"\cdot", "±": r"\pm", "−": "-", "≤": r"\le", "≥": r"\ge", "≠": r"\neq", "≈": r"\approx",
    "→": r"\to", "∞": r"\infty", "∈": r"\in", "∑": r"\sum", "√": r"\surd", "°": r"^{\circ}", "²": "^{2}", "³": "^{3}",
    "¹": "^{1}", "÷": r"\div", "¬": r"\neg", "←": r"\gets", "•": r"\bullet", "†": r"\dagger", "‡": r"\ddagger",
    "§": r"\mathsection", "¶": r"\mathparagraph", "£": r"\mathsterling",
    "µ": r"\mu", "⋅": r"\cdot", "∙": r"\cdot", "∗": r"\ast", "⟨": r"\langle", "⟩": r"\rangle", "≡": r"\equiv",
    "≃": r"\simeq", "≅": r"\cong", "∼": r"\sim", "∝": r"\propto", "⇒": r"\Rightarrow", "⟹": r"\Rightarrow",
    "⇔": r"\Leftrightarrow", "↔": r"\leftrightarrow", "↦": r"\mapsto", "′": r"^{\prime}", "″": r"^{\prime\prime}",
    "‖": r"\|", "∥": r"\|", "∂": r"\partial", "∇": r"\nabla", "⊤": r"^{\top}", "⊙": r"\odot", "⊗": r"\otimes",
    "⊕": r"\oplus", "∘": r"\circ", "∀": r"\forall", "∃": r"\exists", "∏": r"\prod", "∫": r"\int", "⋯": r"\cdots",
    "⋮": r"\vdots", "⋱": r"\ddots", "ℝ": r"\mathbf{R}", "∉": r"\notin", "⊆": r"\subseteq", "⊂": r"\subset",
    "∧": r"\wedge", "∨": r"\vee", "∴": r"\Rightarrow", "⁄": "/", "∕": "/", "‑": "-", "≔": ":=",
    "≪": r"\ll", "≫": r"\gg",
}  # fmt: skip


_RAISED = {"<sub>": "_", "<super>": "^"}


def _composed(character: str) -> str | None:
    r"""Return the composed Unicode form of small digits, letters and one-character fractions: ``k₁``, ``xᵀ``, ``½``.

    >>> _composed("₁"), _composed("ᵀ"), _composed("½"), _composed("注")
    ('_{1}', '^{T}', '^{1}/_{2}', None)
    """
    if character.isascii():
        return None
    kind, *codes = unicodedata.decomposition(character).split() or [""]
    plain = "".join(chr(int(code, 16)) for code in codes) if kind in {*_RAISED, "<fraction>"} else ""
    if not all(part.isascii() or part in _PLAIN for part in plain) or not plain:
        return None
    plain = "".join(_PLAIN.get(part, part) for part in plain)
    if kind == "<fraction>":
        above, _, below = plain.partition("/")
        return f"^{{{above}}}/_{{{below}}}" if below else None
    return f"{_RAISED[kind]}{{{plain}}}"


_PLAIN = {"⁄": "/", "−": "-", "β": r"\beta", "γ": r"\gamma", "ρ": r"\rho", "φ": r"\phi", "χ": r"\chi", "θ": r"\theta"}


_PLAINEST = frozenset(" abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
"""What most texts are made of."""


def _shown(character: str) -> str:
    """Return one character: as it is, escaped, as mathematics, or by its code point, where a line may break."""
    if character in _PLAINEST:
        return character
    if character in _SPECIAL:
        return _SPECIAL[character]
    sign = _SIGNS.get(character) or _GREEK.get(character) or _composed(character)
    if sign is not None:
        return f"${sign}$"
    shown = printable(character)
    return shown if shown == character else f"{shown}\\hspace{{0pt}}"
