"""Views of values for notebooks and terminals: LaTeX, fragments of HTML with MathML, short plain text.

A fragment brings its own styles and takes the colour of the text around it, and so can be read in light and in dark.
It holds no script, and everything in it that came from people is escaped. Plain text stays within one screen: what is
longer is cut, and says what has all of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from html import escape
from itertools import islice
from typing import TypeAlias

from symattn.errors import NotationError
from symattn.exact.equality import Verdict
from symattn.exact.field.quotient import Quotient
from symattn.exact.linear.matrix import Matrix, round_matrix
from symattn.exact.numerals.decimals import Rounding
from symattn.exact.rounding.quotients import decimal
from symattn.graph.derivation_replay import Step
from symattn.graph.quantities.closed_forms import exponential_sum_tree, quotient_tree, rational_tree
from symattn.notation.parser import plain
from symattn.notation.tree import nodes as t
from symattn.notation.writers.mathml import show_mathml
from symattn.notation.writers.plain import write_plain
from symattn.printable import visible
from symattn.proofs.language import scope
from symattn.rendering.latex.typesetting import math
from symattn.rendering.proofs import formulas

Exact: TypeAlias = Quotient | Matrix

MAX_LINES = 40
"""Lines of a plain form."""

WIDTH = 100
"""Characters of a line of a plain form."""

_MAX_TEXT = 1600
"""Characters of one value as plain text."""

_MAX_FORM = 6000
"""Characters of LaTeX of one value in a notebook."""

_SIDE = 10
"""Rows and columns of a matrix that are shown, of one that is too large for its closed forms."""

_NAMED = 300
"""Characters of plain text from which on the sum under the bars of a row is named once."""

_SHOWN = Rounding(figures=4)
_CELL = "padding:2px 14px 2px 0;text-align:left;vertical-align:top;background:transparent;border:0"


# Plain text -------------------------------------------------------------------------------------------


def shorten(text: str, rest: str) -> str:
    """Return a text that fits on a screen, and the method that has the rest.

    >>> shorten("x" * 2000, "latex()")[-50:]
    'xxxxxxxxx ... (2,000 characters: .latex() has all)'
    """
    if len(text) <= _MAX_TEXT:
        return text
    return f"{text[: _MAX_TEXT // 2]} ... ({len(text):,} characters: .{rest} has all)"


def entry_text(value: Quotient) -> str:
    """Return a number in plain syntax, a rational one as a fraction.

    >>> entry_text(Quotient.of("1/2"))
    '1/2'
    """
    return shorten(_plain(value), "latex()")


def _plain(value: Quotient) -> str:
    number = value.rational() if value.is_finite else None
    return str(value if number is None else number)


def lines_of(lines: Iterable[str], more: str) -> str:
    r"""Return lines that fit on a screen, the last one telling what has the rest.

    >>> lines_of(["a", "b"], "")
    'a\nb'
    """
    kept = list(islice(lines, MAX_LINES))
    if len(kept) == MAX_LINES:
        kept[-2:] = [f"... {more}"]
    return "\n".join(line if len(line) <= WIDTH else line[: WIDTH - 3] + "..." for line in kept)


def matrix_text(matrix: Matrix) -> str:
    """Return a matrix in plain syntax; of one that would fill a screen, its first rows and columns.

    >>> matrix_text(Matrix([[1, "1/2"]]))
    '[[1, 1/2]]'
    """
    rows, columns = matrix.shape
    if rows * columns <= _MAX_TEXT // 4:
        text = "[" + ", ".join("[" + ", ".join(map(_plain, row)) + "]" for row in matrix.rows) + "]"
        if len(text) <= _MAX_TEXT:
            return text
    found, words = _corner(matrix)
    widths = [max(map(len, column)) for column in zip(*found, strict=True)]
    lines = ["  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in found]
    return "\n".join(
        [f"<Matrix {rows}×{columns}{words}: .tolist(), .rounded(4) and .latex() have all entries>", *lines]
    )


def _corner(matrix: Matrix) -> tuple[list[list[str]], str]:
    """Return the first rows and columns as texts, dots where there are more, and in words how they are written."""
    rows, columns = matrix.shape
    shown = [[matrix[i, j] for j in range(min(columns, _SIDE))] for i in range(min(rows, _SIDE))]
    if any(entry.symbols for row in shown for entry in row):
        cells = [[_shortened(_plain(entry), 24) for entry in row] for row in shown]
        words = ""
    else:
        cells, words = round_matrix(Matrix(shown), _SHOWN), ", to 4 figures"
    cells = [[*row, "…"] if columns > _SIDE else row for row in cells]
    return [*cells, ["…"] * len(cells[0])] if rows > _SIDE else cells, words


def _shortened(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


# LaTeX ------------------------------------------------------------------------------------------------


def latex_of(value: Exact) -> str:
    """Return a value in closed form as LaTeX."""
    return math(_tree(value))


def entry_latex(value: Quotient) -> str | None:
    """Return a number as LaTeX between dollars; None where it is long."""
    return _display([quotient_tree(value)])


def matrix_latex(matrix: Matrix, name: t.Node | None = None) -> str | None:
    """Return a matrix as LaTeX between dollars, its name before it; None where it is long."""
    found = _forms(matrix, name)
    return None if found is None else _display(found)


def _display(nodes: Sequence[t.Node]) -> str | None:
    written = r",\quad ".join(map(math, nodes))
    return f"$\\displaystyle {written}$" if len(written) <= _MAX_FORM else None


def _tree(value: Exact) -> t.Node:
    if isinstance(value, Quotient):
        return quotient_tree(value)
    return t.Matrix(tuple(tuple(map(quotient_tree, row)) for row in value.rows))


def _forms(matrix: Matrix, name: t.Node | None) -> list[t.Node] | None:
    """Return the matrix as a tree, and what the sums under its bars are where they are named; None for a large one."""
    if max(matrix.shape) > _SIDE:
        return None
    body, sums = _tree(matrix), list[t.Node]()
    if len(write_plain(body)) > _NAMED and "Z" not in matrix.symbols:
        body, sums = _named(matrix)
    return [body if name is None else t.Relation((name, body), ("=",)), *sums]


def _named(matrix: Matrix) -> tuple[t.Node, list[t.Node]]:
    rows, sums = [], list[t.Node]()
    for number, row in enumerate(matrix.rows, 1):
        label = t.Subscript(t.Name("Z"), (t.Number(str(number)),))
        over = [entry for entry in row if entry.is_finite and entry.is_closed and entry.rational() is None]
        shared = next((q.denominator for q in over if len(q.denominator.terms()) > 1), None)
        rows.append(
            tuple(
                t.Division(exponential_sum_tree(entry.numerator), label)
                if shared is not None and any(entry is item for item in over) and entry.denominator is shared
                else quotient_tree(entry)
                for entry in row
            )
        )
        if shared is not None:
            sums.append(t.Relation((label, exponential_sum_tree(shared)), ("=",)))
    return t.Matrix(tuple(rows)), sums


# HTML -------------------------------------------------------------------------------------------------


def entry_html(value: Quotient) -> str:
    """Return a number as MathML, and to four figures where it is not rational; a long one as text."""
    tree = quotient_tree(value)
    if len(math(tree)) > _MAX_FORM:
        return code(shorten(str(value), "latex()"))
    is_number = value.is_finite and value.is_closed and not value.symbols and value.rational() is None
    return formula(tree, after=soft(f"≈ {decimal(value, _SHOWN)}") if is_number else "")


def matrix_html(matrix: Matrix, name: t.Node | None = None) -> str:
    """Return a matrix as MathML; of one too large for its closed forms, its first rows and columns in a table."""
    found = _forms(matrix, name)
    if found is not None and sum(len(math(node)) for node in found) <= _MAX_FORM:
        return formula(*found)
    cells, words = _corner(matrix)
    head = (formula(name) if name is not None else "") + soft(" {}×{}{}".format(*matrix.shape, words))
    return f"<div>{head}</div>{table([[text(cell) for cell in row] for row in cells])}"


def formula(*nodes: t.Node, after: str = "") -> str:
    """Return formulas as MathML beside each other, and what follows them, in a box that scrolls where it is wide."""
    written = [show_mathml(node, display=True) for node in nodes]
    if any("$" in item for item in written):  # which Jupyter reads as mathematics, and here nothing can stand between
        return code("; ".join(map(write_plain, nodes))) + after
    boxes = "".join(f'<div style="margin:2px 1.5em 2px 0">{item}</div>' for item in [*written, *filter(None, [after])])
    return f'<div style="display:flex;flex-wrap:wrap;align-items:center;overflow-x:auto">{boxes}</div>'


def text(words: str) -> str:
    """Return words as HTML.

    >>> text("<b> costs $5")
    '&lt;b&gt; costs <span>&#36;</span>5'
    """
    # Jupyter reads dollars in HTML as mathematics.
    return escape(visible(" ".join(words.split()))).replace("$", "<span>&#36;</span>")


def code(words: str) -> str:
    """Return plain syntax as HTML."""
    return f'<code style="background:transparent;color:inherit;overflow-wrap:anywhere">{text(words)}</code>'


def soft(words: str) -> str:
    """Return words that stand back."""
    return f'<span style="opacity:0.75">{text(words)}</span>'


def table(rows: Iterable[Sequence[str]], head: Sequence[str] = ()) -> str:
    """Return a table of cells that are HTML already, in a box that scrolls where it is wide."""
    lines = ["".join(f'<td style="{_CELL}">{cell}</td>' for cell in row) for row in rows]
    if head:
        lines.insert(0, "".join(f'<th scope="col" style="{_CELL}">{text(cell)}</th>' for cell in head))
    body = "".join(f'<tr style="background:transparent">{line}</tr>' for line in lines)
    return f'<div style="overflow-x:auto"><table style="border-collapse:collapse;margin:4px 0">{body}</table></div>'


# Verdicts ---------------------------------------------------------------------------------------------

_COLORS = {"equal": "#2e9e62", "different": "#d0453a", "undecided": "#b97a10"}


def verdict_html(verdict: Verdict) -> str:
    """Return a verdict: its outcome, the reason, evidence and conditions.

    >>> "<b" in verdict_html(Verdict("equal", "the same number"))
    True
    """
    head = (
        f'<b style="border-bottom:2px solid {_COLORS[verdict.outcome]}">{verdict.outcome}</b>: {text(verdict.reason)}'
    )
    facts = [("evidence", item) for item in verdict.evidence] + [("where", item) for item in verdict.conditions]
    return f"<div>{head}</div>" + "".join(f"<div>{soft(word)} {text(item)}</div>" for word, item in facts)


# Derivations ------------------------------------------------------------------------------------------

_MAX_STEPS = 100
_MAX_VALUE = 800
"""Characters of the value of one step; of a longer one its shape is shown."""

_OF_FRACTIONS = frozenset("0123456789-/")


def step_lines(steps: Sequence[Step]) -> Iterable[str]:
    """Iterate over the lines that tell the steps of a solved problem in a terminal."""
    yield f"<Derivation of {len(steps)} step{'s' * (len(steps) != 1)}>"
    width = max((len(step.id) for step in steps), default=0)
    for step in steps:
        made = f"{step.rule} of {', '.join(step.premises)}" if step.premises else step.rule
        yield f"  {step.id:<{width}}  {_shape(step)}  {made}"


def steps_html(steps: Sequence[Step]) -> str:
    """Return the steps of a solved problem as a table: what each makes, by which rule, from what, and its value."""
    rows = [
        [_named_step(step.id), text(step.rule), ", ".join(map(_named_step, step.premises)), _value_html(step)]
        for step in steps[:_MAX_STEPS]
    ]
    more = len(steps) - _MAX_STEPS
    rest = f"<div>{soft(f'and {more} more, which as_json() has')}</div>" if more > 0 else ""
    return table(rows, ("quantity", "rule", "from", "value")) + rest


def _shape(step: Step) -> str:
    return f"{len(step.after)}×{len(step.after[0]) if step.after else 0}"


def _named_step(name: str) -> str:
    return code(name.removesuffix("~")) + (f" {soft('rounded')}" if name.endswith("~") else "")


def _value_html(step: Step) -> str:
    if sum(len(entry) for row in step.after for entry in row) > _MAX_VALUE:
        return soft(_shape(step))
    try:
        is_rounded = step.id.endswith("~")
        rows = tuple(tuple(_entry(entry, is_rounded=is_rounded) for entry in row) for row in step.after)
        return formula(t.Matrix(rows))
    except (NotationError, ValueError):
        return code("; ".join(", ".join(row) for row in step.after))


def _entry(written: str, *, is_rounded: bool) -> t.Node:
    special: dict[str, t.Node] = {"-": t.UNDEFINED, "-inf": t.MINUS_INFINITY}
    if written in special:
        return special[written]
    if is_rounded and set(written) <= _OF_FRACTIONS:
        return rational_tree(Fraction(written), decimals=True)
    half, in_brackets = written[: len(written) // 2], written[: (len(written) - 3) // 2]
    if written in {f"{half}/{half}", f"{in_brackets}/({in_brackets})"}:
        return t.Number("1")  # the record keeps a closed form as it was built
    return formulas.displayed(plain.read_plain(written), scope.Scope(()))
