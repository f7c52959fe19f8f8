r"""Quotients with a slash in LaTeX that was written by us: in exponents, and in the formulas of a sentence."""

from __future__ import annotations

import re

_SMALL = re.compile(r"\d{1,3}")
_FRACTION = "\\frac{"
_MAY_STAND_BEFORE = re.compile(
    r"(?:^|[({\[,+=<>|-]|\\(?:leq?|geq?|neq|approx|mid|to|Longleftrightarrow|lvert|lVert|left[(\[|])"
    r"|\\left\\[lr][vV]ert|\\(?:sum|lim)_\{[^{}]*\}(?:\^\{[^{}]*\})?) *$"
)
_MAY_FOLLOW = re.compile(
    r" *(?:$|[)}\],;:.+=<>|-]|\\(?:right|rvert|rVert|leq?|geq?|neq|approx|mid|to|Longleftrightarrow)(?![A-Za-z]))"
)
_INNERMOST = re.compile(r"\\left(\(|\[|\\lvert|\\lVert) ((?:(?!\\left|\\right).)*) \\right(\)|\]|\\rvert|\\rVert)")
_TALL = ("\\frac", "\\begin", "\\LEFT")
_TALL_IN_DISPLAYS = (*_TALL, "\\sum")
_GOES_ON = re.compile(r" *[+-]")
_LETTERS = re.compile(r"\\[A-Za-z]+|\d+|[A-Za-z]")


def slashed(source: str, *, everywhere: bool = False) -> str:
    r"""Replace bars by slashes, in exponents or everywhere, where the reading stays the same.

    A derivative keeps its bar, a fraction of two short numbers too, outside of exponents.

    >>> print(slashed(r"\frac{a}{b} e^{x + \frac{v}{2}}"))
    \frac{a}{b} e^{x + v/2}
    >>> print(slashed(r"\frac{a + b}{2 c}", everywhere=True))
    (a + b)/(2 c)
    """
    found = _converted(source, everywhere=everywhere)
    return _lowered(found, _TALL if everywhere else _TALL_IN_DISPLAYS) if everywhere or found != source else source


def _converted(source: str, *, everywhere: bool, in_exponent: bool = False) -> str:
    out, position = "", 0
    while position < len(source):
        if source.startswith("^{", position):
            inner, position = _braced(source, position + 1)
            out += f"^{{{_converted(inner, everywhere=True, in_exponent=True)}}}"
        elif source.startswith(_FRACTION, position):
            above, after = _braced(source, position + len(_FRACTION) - 1)
            below, position = _braced(source, after)
            parts = [_converted(part, everywhere=everywhere, in_exponent=in_exponent) for part in (above, below)]
            is_small = bool(_SMALL.fullmatch(above) and _SMALL.fullmatch(below))
            keeps = not everywhere or above.startswith("\\partial") or (is_small and not in_exponent)
            free = _MAY_STAND_BEFORE.search(out) and _MAY_FOLLOW.match(source[position:])
            if free and not keeps:
                is_last = not _GOES_ON.match(source[position:])
                out += _with_slash(*parts, is_last=is_last)
            else:
                out += f"\\frac{{{parts[0]}}}{{{parts[1]}}}"
        else:
            out += source[position]
            position += 1
    return out


def _braced(source: str, start: int) -> tuple[str, int]:
    """Return the content of the braces that open at a place, and the place behind them."""
    depth = 0
    for position in range(start, len(source)):
        escaped = source[position - 1 : position] == "\\"
        depth += (source[position] == "{" and not escaped) - (source[position] == "}" and not escaped)
        if depth == 0:
            return source[start + 1 : position], position + 1
    return source[start + 1 :], len(source)


def _with_slash(above: str, below: str, *, is_last: bool) -> str:
    is_sum = is_last and below.startswith("\\sum_") and _is_product(below.replace("\\sum_", "", 1))
    divisor = below if is_sum or _is_atom(below) else _in_brackets(below)
    return f"{above if _is_product(above) else _in_brackets(above)}/{divisor}"


def _in_brackets(source: str) -> str:
    return f"\\left( {source} \\right)" if any(command in source for command in _TALL) else f"({source})"


def _is_product(source: str) -> bool:
    """Return whether nothing at the top binds less than a product."""
    depth = 0
    for position, letter in enumerate(source):
        depth += (letter in "({[") - (letter in ")}]")
        is_sum = letter in "+-=<>/" or source.startswith(("\\sum", "\\lim", "\\frac"), position)
        if depth == 0 and is_sum and not (position == 0 and letter == "-"):
            return False
    return True


def _is_atom(source: str) -> bool:
    """Return whether it is one number or letter, a root or an accent, with indices and powers."""
    head = _LETTERS.match(source)
    if head is None:
        return False
    rest = source[head.end() :]
    if rest.startswith("{"):
        rest = rest[_braced(rest, 0)[1] :]
    while rest[:2] in {"_{", "^{"}:
        rest = rest[_braced(rest, 1)[1] :]
    return not rest


def _lowered(source: str, tall: tuple[str, ...]) -> str:
    r"""Restore the natural size of brackets around formulas that have become lower."""
    while True:
        found = _INNERMOST.search(source)
        if found is None:
            return source.replace("\\LEFT", "\\left").replace("\\RIGHT", "\\right")
        opening, inner, closing = found.groups()
        if any(command in inner for command in tall):
            changed = f"\\LEFT{opening} {inner} \\RIGHT{closing}"
        else:
            gap = " " if opening.startswith("\\") else ""
            changed = f"{opening}{gap}{inner}{gap}{closing}"
        source = f"{source[: found.start()]}{changed}{source[found.end() :]}"
