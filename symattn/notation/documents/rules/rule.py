"""Rule of normalization: a named rewriting of a text to another of the same length."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Literal, TypeAlias

from symattn.notation.markup.masking import Canvas
from symattn.records import dataclass

Rewrite: TypeAlias = Callable[[str], str]
Kind: TypeAlias = Literal["loose", "tex", "lines"]
"""Kinds of text: Markdown and plain text, TeX files, and lines that a program printed."""

LOOSE: frozenset[Kind] = frozenset({"loose"})
PRINTED: frozenset[Kind] = frozenset({"loose", "lines"})
WRITTEN: frozenset[Kind] = frozenset({"loose", "tex"})
ALL: frozenset[Kind] = frozenset({"loose", "tex", "lines"})


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule.

    Attributes:
        name: the key of its fixtures in ``tests/data/normalization.yaml``.
        why: the notation that it is for, and the form that is read.
        rewrite: a pure function to a text of the same length, so that offsets stay those of the source.
        kinds: the kinds of text that it is for.
    """

    name: str
    why: str
    rewrite: Rewrite
    kinds: frozenset[Kind] = LOOSE


def put(
    pattern: str,
    signs: Mapping[str | int, str],
    *,
    within: Iterable[str] = ("",),
    only: Callable[[re.Match[str]], bool] | None = None,
    flags: int = re.MULTILINE,
) -> Rewrite:
    r"""Return a rewriting that replaces groups of a pattern, and fills the rest of their places with blanks.

    Args:
        pattern: compiled when it is first needed.
        signs: for each group its replacement, a template as of `re.sub`, with an ellipsis where the blanks stand; one
            that is longer than the group is not put.
        within: the pattern is tried only where the text holds one of these.
        only: says of a match whether it counts; all do when it is left out.
        flags: of the pattern.

    >>> put(r"(?P<of>\w+)\.softmax\(\)", {0: r"softmax(\g<of>…)"})("s.softmax() = 1")
    'softmax(s  ) = 1'
    """
    wanted = tuple(within)

    def replace(found: re.Match[str]) -> str:
        whole, start = found[0], found.start()
        if only is not None and not only(found):
            return whole
        for group, sign in signs.items():
            low, high = found.span(group)
            if low >= 0:
                parts = [found.expand(part) if "\\" in part else part for part in sign.split("…")]
                whole = whole[: low - start] + fitted(whole[low - start : high - start], *parts) + whole[high - start :]
        return whole

    def rewrite(text: str) -> str:
        if not any(part in text for part in wanted):
            return text
        return re.compile(pattern, flags).sub(replace, text)

    return rewrite


def fitted(old: str, head: str, tail: str = "") -> str:
    r"""Return a text in the place of another: blanks fill what it leaves, line ends stay, a longer one is refused.

    >>> fitted("is\n ", "="), fitted("is", "longer"), fitted("x.exp( )", "exp(x", ")")
    ('= \n ', 'is', 'exp(x  )')
    """
    size = len(head) + len(tail)
    rest = "".join("\n" if sign == "\n" else " " for sign in old[size:])
    return old if size > len(old) else head + rest + tail


def blanked(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """Return a text with blanks in some spans; line ends stay."""
    canvas = Canvas(text)
    for span in spans:
        canvas.blank(*span)
    return canvas.text()


def both(*rewrites: Rewrite) -> Rewrite:
    """Return a rewriting that applies some, each to the result of the one before."""

    def rewrite(text: str) -> str:
        for one in rewrites:
            text = one(text)
        return text

    return rewrite
