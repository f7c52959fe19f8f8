r"""Expansion of a document's own macros, with every offset mapped back to the original.

``\newcommand{\mat}[1]{\begin{bmatrix}#1\end{bmatrix}}`` makes ``\mat{1 & 2}`` a matrix. What an argument
brought keeps its own place; what the macro's body brought stands where the macro was used.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Sequence

from symattn import late
from symattn.notation.markup.boxes import is_box
from symattn.notation.markup.spans import brace_pairs
from symattn.notation.tree import nodes as t
from symattn.notation.tree.symbols import FONTS, RELATION_COMMANDS
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

_COMMENT = late.pattern(r"\\.|%[^\n]*", re.DOTALL)
_DEFINITION = late.pattern(
    r"\\(?:(?P<command>newcommand|renewcommand|providecommand|DeclareMathOperator|DeclareRobustCommand)\*?[ \t]*"
    r"(?:\{[ \t]*(?P<braced>\\[A-Za-z]+)[ \t]*\}|(?P<bare>\\[A-Za-z]+))\s{0,4}"
    r"(?:\[(?P<count>[0-9])\]\s{0,4})?(?:\[(?P<default>[^\[\]\n]{0,200})\]\s{0,4})?"
    r"|(?:def|gdef)[ \t]*(?P<defined>\\[A-Za-z]+)(?P<parameters>(?:#[1-9]){0,9})[ \t]*"
    r"|(?P<pair>DeclarePairedDelimiter)[ \t]*\{?[ \t]*(?P<paired>\\[A-Za-z]+)[ \t]*\}?\s{0,4})(?=\{)"
    r"|\\let[ \t]*(?P<alias>\\[A-Za-z]+)[ \t]*=?[ \t]*(?P<meaning>\\[A-Za-z]+)"
)
_DEFINING = ("command", "Declare", "def", "\\let")
"""Parts of the commands that define macros, without one of which no definition is looked for."""

_USE = late.pattern(r"\\(?P<name>[A-Za-z]+)|\\.", re.DOTALL)
_BRACES = late.pattern(r"\\.|[{}]", re.DOTALL)
_OPTION = late.pattern(r"[ \t]*\[([^\[\]\n]{0,400})\]")
_TOKEN = late.pattern(r"\s{0,4}(?:\\[A-Za-z]+|\\.|[^\s{}\\$&])", re.DOTALL)
_PARAMETER = late.pattern(r"#([1-9])")
_LONE = late.pattern(
    r"\s*(?:\\(?:mathbf|bm|boldsymbol|mathrm|mathit|mathsf|vec|ensuremath|operatorname\*?|text|textbf|bf|rm)"
    r"[ \t]?(?P<brace>\{)?[ \t]?)?(?P<body>[A-Za-z]|[Ss]oft(?:arg)?max)(?(brace)\})\s*"
)
_PAGE = late.pattern(
    r"\$|\\(?:par|resizebox|scalebox|noindent|color|rule|hfill|vspace|medskip|centering|ifx|else|fi|csname|expandafter)"
    r"(?![A-Za-z])"
)
_OPENS_MATH = late.pattern(r"\\(?:begin|end)\s?\{(?:align|equation|gather|eqnarray|displaymath|multline|split|math)")
_ENDS_IN_COMMAND = late.pattern(r"\\[A-Za-z]+$")


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
    starts: Sequence[int]
    ends: Sequence[int]

    def part(self, low: int, high: int) -> _Piece:
        return _Piece(self.text[low:high], self.starts[low:high], self.ends[low:high])


class _EndlessError(Exception):
    """A macro that cannot be expanded; the sentence says why."""


class Expansion:
    """A document with its macros expanded, or with its parts in another order.

    Attributes:
        text: the document to read.
        failed: where a macro was left as it is, and why.
        base: where the document stands in a longer one, in which the places are told.
    """

    def __init__(
        self, source: str, base: int = 0, pieces: Sequence[_Piece] = (), failed: Sequence[tuple[t.Span, str]] = ()
    ) -> None:
        made = _concatenate(pieces) if pieces else None
        self.text = source if made is None else made.text
        self.failed = list(failed)
        self.base = base
        self._starts = None if made is None else array("q", [*made.starts, len(source)])
        self._ends = None if made is None else array("q", [*made.ends, len(source)])

    @property
    def is_changed(self) -> bool:
        """Return True if anything differs from the document as given."""
        return bool(self._starts or self.failed or self.base)

    def span(self, start: int, end: int) -> t.Span:
        """Return the span in the original document that a part of the text came from."""
        if self._starts is None or self._ends is None:
            return start + self.base, end + self.base
        first, last = (min(max(place, 0), len(self.text)) for place in (start, max(start, end - 1)))
        low = min(self._starts[first], self._starts[last])
        high = low if end <= start else max(self._ends[first], self._ends[last])
        return low + self.base, high + self.base

    def failure(self, start: int, end: int) -> tuple[int, str] | None:
        """Return the place and the reason of the first macro between two offsets that was not expanded."""
        position = bisect_right(self.failed, ((start - self.base, 0), "")) - 1
        for (low, high), reason in self.failed[max(position, 0) : position + 2]:
            if low + self.base < end and start < high + self.base:
                return low + self.base, reason
        return None


def rearranged(source: str, parts: Iterable[tuple[str | None, t.Span]]) -> Expansion:
    """Join parts of a document in any order to one text; a mark may stand in the place of a part."""
    pieces = [_plain(source, *span) if mark is None else _own(mark, *span) for mark, span in parts]
    return Expansion(source, pieces=pieces)


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
    masked = _without_comments(text) if tex else text
    definitions = list(_DEFINITION.finditer(masked)) if any(word in masked for word in _DEFINING) else []
    if not definitions and not macros:
        return Expansion(text, base)
    expander = _Expander(masked, formulas, macros)
    return Expansion(text, base, expander.run(text, definitions, leave_definitions=tex), expander.failed)


def _without_comments(text: str) -> str:
    """Blank the comments of a text without changing its length."""
    return _COMMENT.sub(lambda found: " " * len(found[0]) if found[0][0] == "%" else found[0], text)


class _Expander:
    """One pass over the definitions and uses of a document, in their order."""

    def __init__(self, text: str, formulas: list[t.Span], macros: dict[str, Macro]) -> None:
        self.text = text
        self.failed: list[tuple[t.Span, str]] = []
        self.formulas = formulas
        self.macros = macros
        self.groups = {start: end + 1 for start, end in brace_pairs(text).items()}
        self.added = 0
        self.count = 0
        self.work = 0

    def run(self, source: str, definitions: list[re.Match[str]], *, leave_definitions: bool) -> list[_Piece]:
        """Return the pieces of the expanded document; none where nothing changes."""
        waiting = {found.start(): found for found in definitions}
        pieces: list[_Piece] = []
        done = position = 0
        while (use := _USE.search(self.text, position)) is not None:
            start, position = use.span()
            definition = waiting.get(start)
            piece: _Piece | None = None
            if definition is not None:
                position = max(position, self._define(definition))
                piece = None if leave_definitions else _own(" ", start, position)  # $ and $ around it stay apart
            elif use["name"] in self.macros and self._is_read(self.macros[use["name"]], start):
                position, piece = self._use(use)
            if piece is not None:
                pieces.extend((_plain(source, done, start), piece))
                done = position
        return [*pieces, _plain(source, done, len(source))] if pieces else []

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
        is_fallback = self.text.endswith(f"\\@ifundefined{{{name}}}{{", 0, found.start())
        if is_fallback and (name in FONTS or name in RELATION_COMMANDS):
            return end
        if not (is_fallback or found["command"] == "providecommand") or name not in self.macros:
            self.macros[name] = made
        return end

    # Uses ---------------------------------------------------------------------------------------------

    def _use(self, use: re.Match[str]) -> tuple[int, _Piece | None]:
        """Return the end of a use with its arguments, and its expansion; None where it is not expanded."""
        low = use.start()
        if self.work > _WORK:
            self.failed.append((use.span(), "The macros of this submission become too long: use fewer of them."))
            return use.end(), None
        high = min(len(self.text), low + MAX_BODY) if self.macros[use["name"]].arguments else use.end()
        try:
            length, piece = self._written_out(_plain(self.text, low, high), 0, use["name"], 0)
        except _EndlessError as error:
            self.failed.append((use.span(), str(error)))
            return use.end(), None
        self.added += len(piece.text)
        if self.added > MAX_ADDED:
            reason = f"The macros of this submission become more than {MAX_ADDED} characters: use fewer."
            self.failed.append((use.span(), reason))
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


def _plain(text: str, low: int, high: int) -> _Piece:
    return _Piece(text[low:high], range(low, high), range(low + 1, high + 1))


def _own(text: str, start: int, end: int) -> _Piece:
    return _Piece(text, (start,) * len(text), (end,) * len(text))


def _concatenate(parts: Sequence[_Piece]) -> _Piece:
    """Concatenate pieces; a command at the end of one does not run into letters of the next."""
    texts: list[str] = []
    starts, ends = array("q"), array("q")
    for part in parts:
        if texts and part.text[:1].isalpha() and _ENDS_IN_COMMAND.search(texts[-1][-60:]):
            texts.append(" ")
            starts.append(ends[-1])
            ends.append(ends[-1])
        if part.text:
            texts.append(part.text)
            starts.extend(part.starts)
            ends.extend(part.ends)
    return _Piece("".join(texts), starts, ends)


def _group_end(text: str, start: int) -> int | None:
    """Return the end of the group whose brace opens at an offset; None when it is not closed soon."""
    level = 0
    for found in _BRACES.finditer(text, start, min(len(text), start + MAX_BODY + 2)):
        level += {"{": 1, "}": -1}.get(found.group(), 0)
        if level == 0:
            return found.end()
    return None
