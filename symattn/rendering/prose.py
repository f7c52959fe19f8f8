r"""People's text as LaTeX: shown literally, but for formulas between dollars, which are read and written again."""

from __future__ import annotations

import re

from symattn.errors import NotationError
from symattn.rendering.latex import escape, math

# start-up: compiled by the first text that has two lines, or a dollar.
_PARAGRAPH = r"\n[ \t\r]*\n"
_FORMULA = r"(?<!\\)\$([^$]{1,2000})(?<!\\)\$"


def prose(text: str) -> str:
    r"""A text in which ``$...$`` is a formula if it can be read as one, and dollars are dollars if not.

    A formula is read into a tree and written from it, so nothing in it can be anything but mathematics.

    A blank line begins a new paragraph.

    >>> print(prose(r"As $a \to \infty$ it costs 5$ & more."))
    As $a \to \infty$ it costs 5{\upshape\char36} \& more.
    """
    parts = re.split(_PARAGRAPH, text) if "\n" in text else [text]
    return "\n\\par ".join(found for part in parts if (found := _paragraph(part)))


def _paragraph(text: str) -> str:
    if "$" not in text:
        return _spaced(text).strip()
    pieces: list[str] = []
    position, formula_between = 0, re.compile(_FORMULA)
    found = formula_between.search(text)
    while found is not None:
        is_price = _is_price(text, found)
        formula = None if is_price else _formula(found[1])
        if formula is not None:
            pieces.extend((_spaced(text[position : found.start()]), formula))
            position = found.end()
        # The second dollar may open a formula where both stand before something: ``costs $5, and $x$ is …``.
        found = formula_between.search(text, found.end() - is_price)
    return "".join([*pieces, _spaced(text[position:])]).strip()


def _is_price(text: str, between: re.Match[str]) -> bool:
    # start-up: many texts hold no dollar.
    from symattn.notation.markup_money import is_money

    return is_money(text, between.start(1), between.end(1), len(text))


def _formula(source: str) -> str | None:
    # start-up: most texts hold no formula.
    from symattn.notation.latex_reader import read_latex

    try:
        return f"${math(read_latex(source))}$"
    except (NotationError, ValueError):
        return None


def _spaced(text: str) -> str:
    """Escaped text with the spaces that stood at its ends."""
    before, after = " " * text[:1].isspace(), " " * text[-1:].isspace()
    return f"{before}{escape(text)}{after}" if text.strip() else before
