"""A growth curve as SVG: both axes logarithmic, the times measured and the growth that may not be exceeded."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from math import ceil, floor, log10

_WIDTH, _HEIGHT, _LEFT, _TOP = 360, 220, 60, 40
_INK, _FAINT, _OURS, _MOST = "#222222", "#dddddd", "#08306b", "#b03030"


def curve_svg(title: str, axis: str, sizes: Sequence[int], seconds: Sequence[float], most: Sequence[float]) -> str:
    """The picture as a whole document.

    Args:
        title: the line above it.
        axis: what the sizes are.
        sizes: along the axis.
        seconds: what was measured at each.
        most: what growth at the limit from the first would come to.

    >>> curve_svg("A and O", "n", [16, 64], [0.001, 0.01], [0.001, 0.016]).count("<polyline")
    2
    """
    low, high = floor(log10(min(*seconds, *most))), ceil(log10(max(*seconds, *most)))
    high = max(high, low + 1)

    def across(size: int) -> float:
        span = log10(sizes[-1] / sizes[0])
        return _LEFT + _WIDTH * log10(size / sizes[0]) / span

    def down(second: float) -> float:
        return _TOP + _HEIGHT * (high - log10(second)) / (high - low)

    def line(values: Sequence[float], colour: str, dashes: str) -> str:
        points = " ".join(f"{across(x):.1f},{down(y):.1f}" for x, y in zip(sizes, values, strict=True))
        return (
            f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2" stroke-dasharray="{dashes}"/>'
        )

    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_LEFT + _WIDTH + 40} {_TOP + _HEIGHT + 50}"',
        f'  font-family="sans-serif" font-size="11" fill="{_INK}">',
        f"<title>{escape(title)}</title>",
        '<rect width="100%" height="100%" fill="#ffffff"/>',
        f'<text x="10" y="16">{escape(title)}: processor time, and the most that it may grow by (dashed)</text>',
    ]
    for power in range(low, high + 1):
        y = down(10.0**power)
        lines.append(f'<path d="M{_LEFT} {y:.1f}H{_LEFT + _WIDTH}" stroke="{_FAINT}"/>')
        lines.append(f'<text x="{_LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{_time(power)}</text>')
    lines += [
        *(f'<text x="{across(x):.1f}" y="{_TOP + _HEIGHT + 16}" text-anchor="middle">{x}</text>' for x in sizes),
        f'<text x="{_LEFT + _WIDTH / 2}" y="{_TOP + _HEIGHT + 36}" text-anchor="middle">{escape(axis)}</text>',
        line(most, _MOST, "5 4"),
        line(seconds, _OURS, "none"),
        *(
            f'<circle cx="{across(x):.1f}" cy="{down(y):.1f}" r="3" fill="{_OURS}"/>'
            for x, y in zip(sizes, seconds, strict=True)
        ),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _time(power: int) -> str:
    """A power of ten of a second.

    >>> _time(-4), _time(0)
    ('0.1 ms', '1 s')
    """
    return f"{10.0**power:g} s" if power >= 0 else f"{10.0 ** (power + 3):g} ms" if power > -6 else f"1e{power} s"
