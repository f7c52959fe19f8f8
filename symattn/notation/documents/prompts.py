"""Inputs at the prompts of consoles (``>>> Q``, ``In [1]: Q``, ``octave:1> Q``, ``> Q``) and their outputs."""

from __future__ import annotations

import re
from dataclasses import replace

from symattn import late
from symattn.notation.documents.normalization import normalize
from symattn.notation.markup.masking import FENCE, fence_kind
from symattn.notation.markup.spans import line_spans, strip_span
from symattn.notation.tables.printed_arrays import goes_on
from symattn.notation.tree import nodes as t
from symattn.records import dataclass

_SIGNS = ("> ", ">>>", "julia>", "In [", "In[", "sage:")
"""Signs of a console session: without one of them none is looked for."""

_PROMPT = late.pattern(
    r"[ \t]{0,12}(?:(?P<zero>>>>(?=[ \t\r\n]|$)|In ?\[[0-9 ]{0,5}\]:(?!=)|(?:sage[>:]|ghci>|scala>|iex>|irb>)(?=[ \t]))"
    r"|(?P<one>julia>|In ?\[[0-9 ]{0,5}\]:=|(?:octave|R)(?:[:(][\w:]{0,12}\)?)?>(?=[ \t])))[ \t]*"
)
"""A prompt of a language that counts from zero, or from one."""

_ANGLES = late.pattern(r"[ \t]{0,12}(?P<one>>{1,2})[ \t]{1,4}(?=[A-Za-z(\[])")
"""The prompt of R, and that of MATLAB."""

_TYPED = late.pattern(r"[(\[]|[A-Za-z][\w.]*[ \t]*(?:<-|[-+*/^%=.,:;'(\[]|$)|[a-z]{3,8}[ \t][a-z]{2,8}$")
"""The beginning of an input, or a command such as ``diary off``; a sentence has more words."""

_ASSIGNS = late.pattern(r"(?<=[\w. \t])<-(?=[ \t])")
_DOTTED = late.pattern(r"(?<![\w.])[A-Za-z]\w{0,40}(?:\.\w{1,40}){1,4}(?![\w.])(?P<set>(?=[ \t]{0,8}<-))?")
"""Names with dots, which join words as underscores do in R, where such a name is set."""

_OF_R = late.pattern(r"\(?[A-Za-z][\w.]{0,40}[ \t]*<-[ \t]|[^\n]*%\*%")
_LABELLED = late.pattern(r"[ \t]{0,12}\[1\][ \t]|[ \t]+\[,1\]")
_SHOWN = late.pattern(r"[ \t]*(?P<name>[A-Za-z]\w{0,60})[ \t]*=[ \t]*(?:[-0-9.][^\n]*)?")
_NAME = late.pattern(r"[A-Za-z]\w{0,60}")
_MORE = late.pattern(r"[ \t]{0,12}\.\.\.(?:[ \t:]|$)")
_MORE_OF_R = late.pattern(r"[ \t]{0,12}\+[ \t]")
_PRINTED = late.pattern(r"[ \t]{0,12}Out ?\[[0-9 ]{0,5}\](?::|(?://\w{1,20})?=)[ \t]*")
_QUOTED = late.pattern(r"[ \t]{0,3}>(?!>>)")
_SEPARATOR = late.pattern(r"(?P<open>[(\[{])|(?P<close>[)\]}])|(?P<end>;)|(?P<remark>#|(?<![\w%*])%[ \t])")
_SHOWS = late.pattern(r"\([ \t]*(?P<inside>[A-Za-z][\w.]{0,40}[ \t]*(?:<-|=)[^\n]*)\)")
"""``(A <- B)``: R prints a value that it assigns if it stands between brackets."""


@dataclass(frozen=True, slots=True)
class ConsoleInput:
    """One input at a prompt, and its output.

    Attributes:
        span: all of it, the prompt included.
        source: the statement that was typed.
        printed: what was printed; empty where nothing was, and for a statement before another in its line.
        is_block: whether it goes on over several lines, as functions and loops do.
        from_one: whether the language counts entries from 1.
    """

    span: t.Span
    source: t.Span
    printed: t.Span
    is_block: bool = False
    from_one: bool = False


def console_inputs(text: str) -> list[ConsoleInput]:
    r"""Return the inputs at the prompts of a text; an output ends at an empty line outside of arrays.

    >>> text = ">>> Q\n[[1 2]\n [3 4]]\n\nThe end"
    >>> [(text[slice(*item.source)], text[slice(*item.printed)]) for item in console_inputs(text)]
    [('Q', '[[1 2]\n [3 4]]')]
    >>> text = "> a <- 1; S\n[1] 1 2"
    >>> [(text[slice(*item.source)], text[slice(*item.printed)]) for item in console_inputs(text)]
    [('a <- 1', ''), ('S', '[1] 1 2')]
    """
    if not any(sign in text for sign in _SIGNS):
        return []
    lines = line_spans(text)
    prompts = _prompts(text, lines)
    found: list[ConsoleInput] = []
    last = 0
    for start, prompt in prompts.items():
        position = start + 1
        more = _MORE_OF_R if prompt[0].strip() == ">" else _MORE
        while position < len(lines) and more.match(text, *lines[position]):
            position += 1
        source = (min(prompt.end(), lines[start][1]), lines[position - 1][1])
        low, last = _find_output(text, lines, position, prompts)
        end = lines[last - 1][1]
        item = ConsoleInput(
            (lines[start][0], end), source, (min(low, end), end), position > start + 1, prompt["one"] is not None
        )
        found.extend([item] if item.is_block else _statements(text, item))
    return found


def normalize_inputs(text: str, found: list[ConsoleInput]) -> str:
    r"""Return a text with what was typed at its prompts normalized; every offset stays.

    >>> text = ">>> E.sum(dim=1)"
    >>> normalize_inputs(text, console_inputs(text))
    '>>> rowsum(E   )'
    """
    sources = [(text[slice(*item.source)], item.from_one) for item in found]
    dotted = {name[0] for line, r in sources if r for name in _DOTTED.finditer(line) if name["set"] is not None}
    joined = "\n\n".join(_ASSIGNS.sub("= ", line) if r else line for line, r in sources)
    joined = _DOTTED.sub(lambda name: name[0].replace(".", "_") if name[0] in dotted else name[0], joined)
    typed = normalize(joined, "lines")
    position = 0
    for item in found:
        low, high = item.source
        text = text[:low] + typed[position : position + high - low] + text[high:]
        position += high - low + len("\n\n")
    return text


# Prompts --------------------------------------------------------------------------------------------


def _prompts(text: str, lines: list[t.Span]) -> dict[int, re.Match[str]]:
    """Return the prompts by their lines; those of R and MATLAB, which look like quotes, where a session is told."""
    found: dict[int, re.Match[str]] = {}
    angles: dict[str, dict[int, re.Match[str]]] = {">": {}, ">>": {}}
    for number, line in enumerate(lines):
        prompt = _PROMPT.match(text, *line)
        if prompt is not None:
            found |= {} if _is_quoted(text, lines, number) else {number: prompt}
            continue
        prompt = _ANGLES.match(text, *line)
        if prompt is not None and _TYPED.match(text, prompt.end(), line[1]):
            angles[prompt["one"]][number] = prompt
    for group in angles.values():
        found |= group if any(_is_of_session(text, lines, *item) for item in group.items()) else {}
    return dict(sorted(found.items()))


def _is_quoted(text: str, lines: list[t.Span], position: int) -> bool:
    """Return True if an adjacent line is quoted as in mails and Markdown, ``> so he wrote``."""
    beside = lines[max(position - 1, 0) : position + 2]
    return any(_QUOTED.match(text, *line) for line in beside)


def _is_of_session(text: str, lines: list[t.Span], position: int, prompt: re.Match[str]) -> bool:
    """Return True if an input is code of R, prints as R or MATLAB do, or begins a program between fences."""
    fence = FENCE.match(text, *lines[position - 1]) if position else None
    if fence is not None and fence_kind(fence["info"]) == "verbatim":
        return True
    below = position + 1
    if prompt["one"] == ">":
        is_labelled = below < len(lines) and _LABELLED.match(text, *lines[below]) is not None
        return is_labelled or _OF_R.match(text, prompt.end(), lines[position][1]) is not None
    below = _behind_empty(text, lines, below)
    shown = _SHOWN.fullmatch(text, *lines[below]) if below < len(lines) else None
    return shown is not None and shown["name"] in {"ans", *_NAME.findall(text, prompt.end(), lines[position][1])}


def _behind_empty(text: str, lines: list[t.Span], position: int) -> int:
    while position < len(lines) and not text[slice(*lines[position])].strip():
        position += 1
    return position


# Outputs --------------------------------------------------------------------------------------------


def _find_output(text: str, lines: list[t.Span], position: int, prompts: dict[int, re.Match[str]]) -> tuple[int, int]:
    """Return the start of an output, and the line behind it."""
    first = _behind_empty(text, lines, position)
    shown = _PRINTED.match(text, *lines[first]) if first < len(lines) else None
    first = position if shown is None else first
    start = lines[first][0] if first < len(lines) else len(text)
    start = start if shown is None else shown.end()
    last = first + (shown is not None)
    depth = 0
    while last < len(lines):
        below = last if depth > 0 else _behind_empty(text, lines, last)
        if below > last:
            above = lines[last - 1] if last > position else None
            if below >= len(lines) or below in prompts or not goes_on(text, above, lines[below]):
                break
            last = below
        depth += text.count("[", *lines[last]) - text.count("]", *lines[last])
        if last in prompts or FENCE.match(text, *lines[last]):
            break
        last += 1
    return start, last


def _statements(text: str, item: ConsoleInput) -> list[ConsoleInput]:
    """Split an input at its semicolons; the last statement has the output, and remarks are cut off."""
    depth, parts, low = 0, list[t.Span](), item.source[0]
    high = item.source[1]
    for sign in _SEPARATOR.finditer(text, *item.source):
        depth += (sign["open"] is not None) - (sign["close"] is not None)
        if sign["remark"] is not None:
            if item.from_one and sign[0] != "#":
                high = sign.start()
            break
        if sign["end"] is not None and depth == 0:
            parts.append((low, sign.start()))
            low = sign.end()
    parts = [strip_span(text, *part) for part in [*parts, (low, high)]]
    parts = [part for part in parts if part[0] < part[1] and text[part[0]] != "#"] or [item.source]
    if item.from_one:
        parts = [shows.span("inside") if (shows := _SHOWS.fullmatch(text, *part)) else part for part in parts]
    edges = [item.span[0], *(part[0] for part in parts[1:]), item.span[1]]
    found = [
        replace(item, span=(left, right), source=part, printed=(right, right))
        for left, right, part in zip(edges, edges[1:], parts, strict=False)
    ]
    return [*found[:-1], replace(found[-1], printed=item.printed)]
