"""Bar charts of counts, as SVG for pages and as TikZ for LaTeX."""

from __future__ import annotations

from html import escape

from symattn.records import dataclass
from symattn.rendering.svg import Drawing

_ROW, _LABEL, _BAR, _NUMBER = 22, 150, 300, 70
"""The height of a bar, and the widths of its label, its longest bar and its number, in pixels."""


@dataclass(frozen=True, slots=True)
class Chart:
    """A bar chart.

    Attributes:
        title: its heading.
        bars: a label and a count for each bar.
    """

    title: str
    bars: tuple[tuple[str, int], ...]


def chart_svg(chart: Chart) -> str:
    """Return a chart as an ``<svg>`` element.

    >>> svg = chart_svg(Chart("Draws", (("margin", 3), ("weights", 1))))
    >>> svg.count("<rect"), "margin: 3; weights: 1" in svg
    (2, True)
    """
    most = max((count for _, count in chart.bars), default=0) or 1
    body = []
    for number, (label, count) in enumerate(chart.bars):
        middle, width = (number + 0.5) * _ROW, _BAR * count / most
        body += [
            f'<text x="{_LABEL - 8}" y="{middle:g}" dy="0.35em" text-anchor="end">{escape(label)}</text>',
            f'<rect x="{_LABEL}" y="{number * _ROW + 3}" width="{width:g}" height="{_ROW - 6}" fill-opacity="0.4"/>',
            f'<text x="{_LABEL + width + 6:g}" y="{middle:g}" dy="0.35em">{count:,}</text>',
        ]
    told = "; ".join(f"{label}: {count}" for label, count in chart.bars)
    return Drawing("chart", _LABEL + _BAR + _NUMBER, _ROW * len(chart.bars), chart.title, told, body).svg()


def chart_tikz(chart: Chart) -> str:
    r"""Return a chart as a TikZ picture; labels must be LaTeX already.

    >>> print(chart_tikz(Chart("Draws", (("margin", 2),))))
    \begin{tikzpicture}[x=70mm,y=-5mm]
    \fill[black!35] (0,0.6) rectangle (1,1.2);
    \node[left] at (0,0.9) {margin};
    \node[right] at (1,0.9) {2};
    \end{tikzpicture}
    """
    most = max((count for _, count in chart.bars), default=0) or 1
    lines = []
    for number, (label, count) in enumerate(chart.bars):
        end, middle = f"{count / most:.4g}", f"{number + 0.9:g}"
        lines += [
            rf"\fill[black!35] (0,{number + 0.6:g}) rectangle ({end},{number + 1.2:g});",
            rf"\node[left] at (0,{middle}) {{{label}}};",
            rf"\node[right] at ({end},{middle}) {{{count}}};",
        ]
    return "\n".join([r"\begin{tikzpicture}[x=70mm,y=-5mm]", *lines, r"\end{tikzpicture}"])
