"""Markup of a TeX file outside of its formulas: comments, preamble, definitions, headings, verbatim blocks."""

from __future__ import annotations

import re

from symattn import late
from symattn.notation.markup.masking import Canvas, Region
from symattn.notation.markup.spans import brace_pairs

_COMMENT = late.pattern(r"\\.|%[^\n]*", re.DOTALL)
_VERBATIM = late.pattern(r"\\begin\{(verbatim|lstlisting|minted|tikzpicture|Verbatim|comment)\*?\}")
_VERB = late.pattern(r"\\(?:verb\*?|lstinline(?:\[[^\]\n]{0,80}\])?)(?P<mark>[^\sA-Za-z0-9*{\[])[^\n]*?(?P=mark)")
_IF = late.pattern(r"\\(?:(?P<false>iffalse)|(?P<else>else)|(?P<end>fi)|(?P<other>if[A-Za-z@]{0,30}))(?![A-Za-z@])")
_DRAWN = {"tikzpicture": "a drawing", "comment": "a comment"}
"""Blocks that say nothing of the work: they are left out, and why."""

_BODY = late.pattern(r"\\begin\s*\{document\}")
_DEFINITION = late.pattern(
    r"\\(?:(?:(?:re)?new|provide)command|(?:re)?newenvironment|DeclareMathOperator|DeclarePairedDelimiter|def|let|setlength"
    r"|addtolength|setcounter|usepackage|documentclass|title|author|date|definecolor|includegraphics|usetikzlibrary"
    r"|geometry|pagestyle|hypersetup|newtheorem|bibliographystyle|bibliography)\*?(?![A-Za-z])"
)
_NAME = late.pattern(r"[ \t]?\\[A-Za-z@]+(?:#[0-9])*")
_OPTION = late.pattern(r"[ \t]*\[[^\[\]\n]{0,200}\]")
_GROUP = late.pattern(r"[ \t]*\{")
_HEADING = late.pattern(
    r"\\(?P<name>part|chapter|section|subsection|subsubsection|paragraph|subparagraph|titledquestion|problem|exercise)\*?"
    r"(?:\[[^\]\n]{0,80}\])?\s?(?=\{)"
)
_QUESTION = late.pattern(
    r"\\(?P<name>question|part|subpart)(?![A-Za-z])[ \t]*(?:\[[^\]\n]{0,20}\])?[ \t]*(?!\{)(?P<rest>[^\n]*)"
)
_STEP = late.pattern(r"\\[a-z]{0,20}(?:step\s?\{[^{}\n]{0,40}\}|head(?:ing)?)\s?\{(?P<title>[^{}\n]{1,100})\}")
_BOLD_LINE = late.pattern(r"^[ \t]*\\(?:textbf|textsc|emph)(?=\{)", re.MULTILINE)
_LEVELS = {
    "part": 1, "chapter": 1, "section": 1, "subsection": 2, "subsubsection": 3, "paragraph": 4, "subparagraph": 5,
    "titledquestion": 1, "problem": 1, "exercise": 1, "question": 1, "subpart": 3,
}  # fmt: skip
_MARKS = late.pattern(
    r"\\(?:begin|end)\s?\{[^{}\n]{0,60}\}(?:\[[^\]\n]{0,60}\])?(?:\{[^{}\n]{0,60}\})?"
    r"|\\[A-Za-z]+\*?(?:\[[^\]\n]{0,40}\])?|\\\\|~|(?<!\\)&"
)
_LAYOUT = late.pattern(
    r"\\(?:begin|end|label|ref|eqref|cite|vspace|hspace|color|textcolor|fontsize|setlength|phantom|input)\*?"
    r"\s?\{[^{}\n]{0,60}\}(?:\[[^\]\n]{0,60}\])?"
)
_OPENS = late.pattern(r"\\(?:text[a-z]{2}|emph|underline)\{|\{")
_BEFORE_STOP = late.pattern(r"(?<=\w) ([.,;:!?)])")


def prepare(text: str, canvas: Canvas) -> list[Region]:
    """Blank comments, preamble and definitions, and return the verbatim blocks."""
    regions = _verbatim(text)
    inside = iter([*regions, None])
    current = next(inside)
    for found in _COMMENT.finditer(text):
        while current is not None and current.end <= found.start():
            current = next(inside)
        in_verbatim = current is not None and current.start <= found.start()
        if found.group()[0] == "%" and not in_verbatim:
            canvas.blank(*found.span())
    for region in regions:
        if region.reason:
            canvas.blank(region.start, region.end)
    _never(canvas)
    regions = _body(text, canvas, [region for region in regions if not region.reason])
    cleaned = canvas.text()
    pairs = brace_pairs(cleaned, by_paragraph=True)
    end = 0
    for found in _DEFINITION.finditer(cleaned):
        if found.start() >= end:
            end = _definition_end(cleaned, found.end(), pairs)
            canvas.blank(found.start(), end)
    return regions


def _never(canvas: Canvas) -> None:
    r"""Blank the text that TeX never sets: ``\iffalse … \fi``, ``\verb|…|``, text behind the document's end."""
    text = canvas.text()
    for found in _VERB.finditer(text):
        canvas.blank(*found.span())
    text = canvas.text()
    level, start, depth = 0, -1, 0
    for found in _IF.finditer(text):
        if found["end"]:
            if start >= 0 and level == depth:
                canvas.blank(start, found.end())
                start = -1
            level = max(0, level - 1)
        elif found["else"]:
            if start >= 0 and level == depth:
                canvas.blank(start, found.end())
                start = -1
        elif found["false"] or found["other"] not in {None, "iff"}:
            level += 1
            if found["false"] and start < 0:
                start, depth = found.start(), level
    end = text.find("\\end{document}")
    if end >= 0:
        canvas.blank(end, len(text))


def _body(text: str, canvas: Canvas, regions: list[Region]) -> list[Region]:
    """Blank everything outside of the document's body."""
    body = _BODY.search(text)
    if body is None:
        return regions
    canvas.blank(0, body.end())
    end = text.find("\\end{document}", body.end())
    end = len(text) if end < 0 else end
    canvas.blank(end, len(text))
    return [region for region in regions if body.end() <= region.start and region.end <= end]


def _verbatim(text: str) -> list[Region]:
    regions: list[Region] = []
    end = 0
    unclosed: set[str] = set()
    for found in _VERBATIM.finditer(text):
        if found.start() < end or found[1] in unclosed:
            continue
        closed = text.find(f"\\end{{{found[1]}", found.end())
        if closed < 0:
            unclosed.add(found[1])
            continue
        end = closed + len(found[1]) + 6
        regions.append(Region("verbatim", found.start(), end, (found.end(), closed), reason=_DRAWN.get(found[1], "")))
    return regions


def _definition_end(text: str, position: int, pairs: dict[int, int]) -> int:
    r"""Return the end of a definition: the defined name (two after ``\let``), then options and groups."""
    for _ in range(2):
        name = _NAME.match(text, position)
        position = name.end() if name else position
    while True:
        group = _GROUP.match(text, position)
        if group and group.end() - 1 in pairs:
            position = pairs[group.end() - 1] + 1
            continue
        found = _OPTION.match(text, position)
        if not found:
            return position
        position = found.end()


def headings(text: str) -> list[Region]:
    """Return the headings of a TeX text, each with its words as `Region.inner`."""
    pairs = brace_pairs(text, by_paragraph=True)
    regions: list[Region] = []
    for found in _HEADING.finditer(text):
        if found.end() in pairs:
            end = pairs[found.end()]
            regions.append(
                Region("heading", found.start(), end + 1, (found.end() + 1, end), level=_LEVELS[found["name"]])
            )
    for found in _QUESTION.finditer(text):
        level = 2 if found["name"] == "part" else _LEVELS[found["name"]]
        regions.append(Region("heading", *found.span(), found.span("rest"), level=level))
    regions.extend(Region("heading", *step.span(), step.span("title"), level=4) for step in _STEP.finditer(text))
    for found in _BOLD_LINE.finditer(text):
        end = pairs.get(found.end(), -1)
        line = text.find("\n", found.end())
        line = len(text) if line < 0 else line
        if 0 <= end <= line and not text[end + 1 : line].strip(" \t:.\\"):
            regions.append(Region("heading", found.start(), end + 1, (found.end() + 1, end), level=5))
    regions.sort(key=lambda region: region.start)
    return [r for p, r in enumerate(regions) if not p or r.start >= regions[p - 1].end]


def without_commands(words: str) -> str:
    """Strip TeX's commands from words."""
    words = _LAYOUT.sub(" ", words)
    opened = _OPENS.sub(lambda found: " " if found[0] == "{" else "", words).replace("}", " ")
    return _BEFORE_STOP.sub(r"\1", _MARKS.sub(" ", opened))
