r"""Expansion of a document's own macros, with every offset mapped back to the original.

``\newcommand{\mat}[1]{\begin{bmatrix}#1\end{bmatrix}}`` makes ``\mat{1 & 2}`` a matrix. What an argument
brought keeps its own place; what the macro's body brought stands where the macro was used.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import pairwise

from symattn.notation.markup.boxes import is_box
from symattn.notation.tree import nodes as t
from symattn.records import dataclass

MAX_DEPTH = 20
"""Depth of macros inside each other."""

MAX_ADDED = 200_000
"""Characters that all macros of a document may become."""

MAX_BODY = 4_000
"""Characters of one macro's body."""

_USES = 30_000
"""Macros that are written out in one document, those inside of others included."""

_WORK = 1_000_000
"""Characters that are written while macros become text, those that other macros replace again included."""

_COMMENT = re.compile(r"\\.|%[^\n]*", re.DOTALL)
_DEFINITION = re.compile(
    r"\\(?:(?P<command>newcommand|renewcommand|providecommand|DeclareMathOperator|DeclareRobustCommand)\*?[ \t]*"
    r"(?:\{[ \t]*(?P<braced>\\[A-Za-z]+)[ \t]*\}|(?P<bare>\\[A-Za-z]+))\s{0,4}"
    r"(?:\[(?P<count>[0-9])\]\s{0,4})?(?:\[(?P<default>[^\[\]\n]{0,200})\]\s{0,4})?"
    r"|(?:def|gdef)[ \t]*(?P<defined>\\[A-Za-z]+)(?P<parameters>(?:#[1-9]){0,9})[ \t]*"
    r"|(?P<pair>DeclarePairedDelimiter)[ \t]*\{?[ \t]*(?P<paired>\\[A-Za-z]+)[ \t]*\}?\s{0,4})(?=\{)"
    r"|\\let[ \t]*(?P<alias>\\[A-Za-z]+)[ \t]*=?[ \t]*(?P<meaning>\\[A-Za-z]+)"
)
_USE = re.compile(r"\\(?P<name>[A-Za-z]+)|\\.", re.DOTALL)
_BRACES = re.compile(r"\\.|[{}]", re.DOTALL)
_OPTION = re.compile(r"[ \t]*\[([^\[\]\n]{0,400})\]")
_TOKEN = re.compile(r"\s{0,4}(?:\\[A-Za-z]+|\\.|[^\s{}\\$&])", re.DOTALL)
_PARAMETER = re.compile(r"#([1-9])")
_LONE = re.compile(
    r"\s*(?:\\(?:mathbf|bm|boldsymbol|mathrm|mathit|mathsf|vec|ensuremath|operatorname\*?|text|textbf|bf|rm)"
    r"[ \t]?(?P<brace>\{)?[ \t]?)?(?P<body>[A-Za-z]|[Ss]oft(?:arg)?max)(?(brace)\})\s*"
)
_PAGE = re.compile(
    r"\$|\\(?:par|resizebox|scalebox|noindent|color|rule|hfill|vspace|medskip|centering|ifx|else|fi|csname|expandafter)"
    r"(?![A-Za-z])"
)
_OPENS_MATH = re.compile(r"\\(?:begin|end)\s?\{(?:align|equation|gather|eqnarray|displaymath|multline|split|math)")
_ENDS_IN_COMMAND = re.compile(r"\\[A-Za-z]+$")


@dataclass(frozen=True, slots=True)
class Macro:
    """The definition of a macro.

    Attributes:
        body: with ``#1`` for its first argument.
        arguments: how many it takes, the optional one included.
        default: what the first one is where it is left out; None when it is not optional.
    """

    body: str
    arguments: int = 0
    default: str | None = None


@dataclass(frozen=True, slots=True)
class _Piece:
    """Text with the original span of each of its characters."""

    text: str
    starts: tuple[int, ...]
    ends: tuple[int, ...]

    def part(self, low: int, high: int) -> _Piece:
        return _Piece(self.text[low:high], self.starts[low:high], self.ends[low:high])


class _EndlessError(Exception):
    """A macro that cannot be expanded; the sentence says why."""


class Expansion:
    """A document with its macros expanded.

    Attributes:
        text: the document to read.
        failed: where a macro was left as it is, and why.
        base: where the document stands in a longer one, in which the places are told.
    """

    def __init__(self, source: str, base: int = 0) -> None:
        self.source = source
        self.base = base
        self.text = source
        self.failed: list[tuple[t.Span, str]] = []
        self._pieces: list[_Piece] = []
        self._begins: list[int] = []
        self._origins: list[int] = []

    @property
    def is_changed(self) -> bool:
        """Return True if anything differs from the document as given."""
        return bool(self._begins or self.failed or self.base)

    def build(self, parts: list[int | _Piece], stops: list[int]) -> None:
        """Join plain parts (their start; `stops` are their ends) and expanded macros to one text."""
        texts: list[str] = []
        position = 0
        for part, stop in zip(parts, stops, strict=True):
            text = self.source[part:stop] if isinstance(part, int) else part.text
            if not text:
                continue
            self._begins.append(position)
            self._origins.append(part if isinstance(part, int) else ~len(self._pieces))
            if not isinstance(part, int):
                self._pieces.append(part)
            texts.append(text)
            position += len(text)
        self.text = "".join(texts)

    def arrange(self, parts: list[t.Span | tuple[str, t.Span]]) -> None:
        """Join parts of the document in any order, and marks that stand for parts of it, to one text."""
        pieces: list[int | _Piece] = []
        for part in parts:
            mark, place = part
            if isinstance(mark, str) and isinstance(place, tuple):
                pieces.append(_Piece(mark, place[:1] * len(mark), place[1:] * len(mark)))
            elif isinstance(mark, int):
                pieces.append(mark)
        stops = [part[1] if isinstance(part[1], int) else part[1][1] for part in parts]
        self.build(pieces, stops)

    def span(self, start: int, end: int) -> t.Span:
        """Return the span in the original document that a part of the text came from."""
        if not self._begins:
            return start + self.base, end + self.base
        if end <= start:
            low = self._edge(start, last=False)
            return low + self.base, low + self.base
        low = min(self._edge(start, last=False), self._edge(end - 1, last=False))
        high = max(self._edge(start, last=True), self._edge(end - 1, last=True))
        return low + self.base, high + self.base

    def failure(self, start: int, end: int) -> tuple[int, str] | None:
        """Return the place and the reason of the first macro between two offsets that was not expanded."""
        position = bisect_right(self.failed, ((start - self.base, 0), "")) - 1
        for (low, high), reason in self.failed[max(position, 0) : position + 2]:
            if low + self.base < end and start < high + self.base:
                return low + self.base, reason
        return None

    def _edge(self, offset: int, *, last: bool) -> int:
        """Return the start, or the end, of the original of one character."""
        if offset < 0 or offset >= len(self.text):
            return len(self.source) if offset >= len(self.text) else 0
        position = bisect_right(self._begins, offset) - 1
        inside = offset - self._begins[position]
        origin = self._origins[position]
        if origin >= 0:
            return origin + inside + last
        piece = self._pieces[~origin]
        return piece.ends[inside] if last else piece.starts[inside]


def expand_macros(
    text: str, formulas: list[t.Span], macros: dict[str, Macro], *, tex: bool, base: int = 0
) -> Expansion:
    r"""Expand the macros of a document, and leave out their definitions where there are any.

    >>> made = expand_macros(r"$\def\T{^\top} QK\T$", [(1, 19)], {}, tex=False)
    >>> made.text, made.span(5, 10)
    ('$  QK^\\top$', (17, 19))

    Args:
        text: the document.
        formulas: where its formulas stand, in order.
        macros: those that are known already; those of the document are added.
        tex: whether ``%`` begins a comment.
        base: where the document stands in a longer one.
    """
    made = Expansion(text, base)
    masked = _without_comments(text) if tex else text
    definitions = list(_DEFINITION.finditer(masked))
    if not definitions and not macros:
        return made
    _Expander(masked, formulas, made, macros).run(definitions, leave_definitions=tex)
    return made


def _without_comments(text: str) -> str:
    """Blank the comments of a text without changing its length."""
    return _COMMENT.sub(lambda found: " " * len(found[0]) if found[0][0] == "%" else found[0], text)


class _Expander:
    """One pass over the definitions and uses of a document, in their order."""

    def __init__(self, text: str, formulas: list[t.Span], made: Expansion, macros: dict[str, Macro]) -> None:
        self.text = text
        self.made = made
        self.formulas = formulas
        self.macros = macros
        self.groups = _groups(text)
        self.added = 0
        self.count = 0
        self.work = 0

    def run(self, definitions: list[re.Match[str]], *, leave_definitions: bool) -> None:
        waiting = {found.start(): found for found in definitions}
        parts: list[int | _Piece] = []
        stops: list[int] = []
        done = position = 0
        while (use := _USE.search(self.text, position)) is not None:
            position = use.end()
            definition = waiting.get(use.start())
            if definition is not None:
                position = max(position, self._define(definition))
                if not leave_definitions:
                    gap = _Piece(" ", (use.start(),), (position,))  # $ and $ around it stay apart
                    parts.extend((done, gap))
                    stops.extend((use.start(), 0))
                    done = position
                continue
            if use["name"] not in self.macros or not self._is_read(self.macros[use["name"]], use.start()):
                continue
            end, piece = self._use(use)
            if piece is None:
                continue
            parts.extend((done, piece))
            stops.extend((use.start(), 0))
            done = position = end
        if parts:
            self.made.build([*parts, done], [*stops, len(self.text)])

    def _is_read(self, macro: Macro, start: int) -> bool:
        """Return True if a macro is used as mathematics: in a formula, or where it opens one itself."""
        if is_box(macro.body):
            return True
        position = bisect_right(self.formulas, (start, len(self.text) + 1)) - 1
        if position >= 0 and self.formulas[position][0] <= start < self.formulas[position][1]:
            return _PAGE.search(macro.body) is None
        return _OPENS_MATH.search(macro.body) is not None and _PAGE.search(macro.body) is None

    # Definitions --------------------------------------------------------------------------------------

    def _define(self, found: re.Match[str]) -> int:
        """Record a definition, and return its end."""
        if found["alias"] is not None:
            self.macros[found["alias"][1:]] = self.macros.get(found["meaning"][1:], Macro(found["meaning"]))
            return found.end()
        end = self.groups.get(found.end())
        if end is None or end - found.end() > MAX_BODY:
            return found.end()
        body = self.text[found.end() + 1 : end - 1]
        if found["pair"] is not None:
            second = self.groups.get(end)
            if second is not None:
                closing = self.text[end + 1 : second - 1]
                self.macros[found["paired"][1:]] = Macro(f"{body} #1 {closing}", 1)
                end = second
            return end
        name = (found["braced"] or found["bare"] or found["defined"])[1:]
        lone = _LONE.fullmatch(body)
        if found["command"] == "DeclareMathOperator":
            made = Macro(lone["body"] if lone and len(lone["body"]) > 1 else f"\\operatorname{{{body}}}")
        elif found["defined"] is not None:
            made = Macro(body, len(found["parameters"]) // 2)
        else:
            made = Macro(body, int(found["count"] or 0), found["default"])
        if lone and not made.arguments and not made.body.startswith("\\operatorname"):
            made = Macro(lone["body"])
        if found["command"] != "providecommand" or name not in self.macros:
            self.macros[name] = made
        return end

    # Uses ---------------------------------------------------------------------------------------------

    def _use(self, use: re.Match[str]) -> tuple[int, _Piece | None]:
        """Return the end of a use with its arguments, and its expansion; None where it is not expanded."""
        low = use.start()
        if self.work > _WORK:
            self.made.failed.append((use.span(), "The macros of this submission become too long: use fewer of them."))
            return use.end(), None
        high = min(len(self.text), low + MAX_BODY) if self.macros[use["name"]].arguments else use.end()
        window = _Piece(self.text[low:high], tuple(range(low, high)), tuple(range(low + 1, high + 1)))
        try:
            length, piece = self._written_out(window, 0, use["name"], 0)
        except _EndlessError as error:
            self.made.failed.append((use.span(), str(error)))
            return use.end(), None
        self.added += len(piece.text)
        if self.added > MAX_ADDED:
            reason = f"The macros of this submission become more than {MAX_ADDED} characters: use fewer."
            self.made.failed.append((use.span(), reason))
            return use.end(), None
        return low + length, piece

    def _written_out(self, text: _Piece, at: int, name: str, depth: int) -> tuple[int, _Piece]:
        """Expand the macro at an offset, macros inside it included, and return the end of its arguments too."""
        self.count += 1
        if depth >= MAX_DEPTH or self.count > _USES or self.work > _WORK:
            raise _EndlessError(f"The macro \\{name} refers to itself without end: define it without itself.")
        macro = self.macros[name]
        end, arguments = self._arguments(text, at + len(name) + 1, macro, name)
        start_of, end_of = text.starts[at], text.ends[end - 1]
        made = _substitute(macro.body, arguments, start_of, end_of)
        self.work += len(made.text) + end - at
        if len(made.text) > MAX_ADDED:
            raise _EndlessError(f"The macro \\{name} becomes more than {MAX_ADDED} characters: write less of it.")
        return end, self._inside(made, depth + 1)

    def _inside(self, text: _Piece, depth: int) -> _Piece:
        parts: list[_Piece] = []
        done = position = length = 0
        while (use := _USE.search(text.text, position)) is not None:
            position = use.end()
            if use["name"] in self.macros:
                position, piece = self._written_out(text, use.start(), use["name"], depth)
                parts.extend((text.part(done, use.start()), piece))
                done = position
                length += len(piece.text)
                if length > MAX_ADDED:
                    words = f"The macro \\{use['name']} becomes more than {MAX_ADDED} characters: write less of it."
                    raise _EndlessError(words)
        return _concatenate([*parts, text.part(done, len(text.text))]) if parts else text

    def _arguments(self, text: _Piece, position: int, macro: Macro, name: str) -> tuple[int, list[_Piece]]:
        found: list[_Piece] = []
        if macro.default is not None and macro.arguments:
            option = _OPTION.match(text.text, position)
            if option:
                found.append(text.part(*option.span(1)))
                position = option.end()
            else:
                here = (text.starts[position - 1],), (text.ends[position - 1],)
                size = len(macro.default)
                found.append(_Piece(macro.default, here[0] * size, here[1] * size))
        while len(found) < macro.arguments:
            blank = position
            while text.text[blank : blank + 1].isspace():
                blank += 1
            end = _group_end(text.text, blank) if text.text[blank : blank + 1] == "{" else None
            if end is not None:
                found.append(text.part(blank + 1, end - 1))
                position = end
                continue
            token = _TOKEN.match(text.text, position)
            if token is None:
                raise _EndlessError(
                    f"The macro \\{name} needs {macro.arguments} arguments in braces, and {len(found)} are here."
                )
            found.append(text.part(blank, token.end()))
            position = token.end()
        return position, found


def _substitute(body: str, arguments: list[_Piece], start: int, end: int) -> _Piece:
    """Substitute the arguments in a macro's body."""
    parts: list[_Piece] = []
    done = 0
    for found in _PARAMETER.finditer(body):
        parts.append(_own(body[done : found.start()], start, end))
        number = int(found[1])
        if number <= len(arguments):
            parts.append(arguments[number - 1])
        done = found.end()
    parts.append(_own(body[done:], start, end))
    return _concatenate(parts)


def _own(text: str, start: int, end: int) -> _Piece:
    return _Piece(text, (start,) * len(text), (end,) * len(text))


def _concatenate(parts: list[_Piece]) -> _Piece:
    """Concatenate pieces; a command at the end of one does not run into letters of the next."""
    kept = [part for part in parts if part.text]
    spaced: list[_Piece] = kept[:1]
    for left, right in pairwise(kept):
        if right.text[0].isalpha() and _ENDS_IN_COMMAND.search(left.text[-60:]):
            spaced.append(_Piece(" ", left.ends[-1:], left.ends[-1:]))
        spaced.append(right)
    return _Piece(
        "".join(part.text for part in spaced),
        tuple(offset for part in spaced for offset in part.starts),
        tuple(offset for part in spaced for offset in part.ends),
    )


def _groups(text: str) -> dict[int, int]:
    """Map each opening brace to the end of its group."""
    found: dict[int, int] = {}
    stack: list[int] = []
    for brace in _BRACES.finditer(text):
        if brace.group() == "{":
            stack.append(brace.start())
        elif brace.group() == "}" and stack:
            found[stack.pop()] = brace.end()
    return found


def _group_end(text: str, start: int) -> int | None:
    """Return the end of the group whose brace opens at an offset; None when it is not closed soon."""
    level = 0
    for found in _BRACES.finditer(text, start, min(len(text), start + MAX_BODY + 2)):
        level += {"{": 1, "}": -1}.get(found.group(), 0)
        if level == 0:
            return found.end()
    return None
