"""TRUSTED. Text inside LaTeX: ends of braced arguments, escaping and unescaping."""

from __future__ import annotations

import re

from symattn.errors import NotationError

# start-up: compiled when LaTeX is read; whoever writes it needs none of them.
_SPACES = r"\s*"
_BRACES = r"\\.|[{}]"
_PIECE = r"\\([A-Za-z]+)(?:\{\}|[ \t\n]*)|\\(.)|([{}$])|([ \t\r\n~]+)|([^\\{}$ \t\r\n~]+)"
_ESCAPES = {
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}",
    ">": r"\textgreater{}", "|": r"\textbar{}", "_": r"\_", "$": r"\$", "%": r"\%", "#": r"\#", "&": r"\&",
    "{": r"\{", "}": r"\}",
}  # fmt: skip
_COMMANDS = {escape[1:-2]: character for character, escape in _ESCAPES.items() if escape.endswith("{}")}
_STYLES = frozenset({"textbf", "textit", "textrm", "emph", "bf", "it", "rm", "small", "footnotesize", "normalsize"})


def braced_end(text: str, position: int, command: str) -> int:
    r"""Return the offset after the braced argument that begins at `position`, spaces before it skipped.

    >>> braced_end(r"\text{a\}b} = 1", 5, "text")
    11

    Raises:
        NotationError: the argument is missing, or its brace is not closed.
    """
    found = re.compile(_SPACES).match(text, position)
    start = found.end() if found else position
    if text[start : start + 1] != "{":
        raise NotationError(f"\\{command} needs its argument in braces.", position)
    level = 0
    for brace in re.compile(_BRACES, re.DOTALL).finditer(text, start):
        level += {"{": 1, "}": -1}.get(brace.group(), 0)
        if level == 0:
            return brace.end()
    raise NotationError("This brace is not closed.", start)


def escape(words: str) -> str:
    r"""Escape words as the argument of ``\text``, each character shown literally.

    >>> escape(r"100% \input")
    '100\\% \\textbackslash{}input'
    """
    escaped = "".join(_ESCAPES.get(character, character) for character in words)
    if escaped.startswith(" "):
        escaped = "\\" + escaped
    if escaped.endswith(" ") and not escaped.endswith("\\ "):
        escaped = escaped[:-1] + "\\ "
    return escaped.replace("  ", " \\ ") if "  " in escaped else escaped


# Letters beyond ASCII that the Latin fonts of TeX lack, in either of their encodings.
_NO_LETTERS = frozenset("ªºÐÞðþĄąĐđĘęĦħĮįĸĿŀŉŊŋŦŧŲųſ")
_LAST_LETTER = 0x17F
_PUNCTUATION = frozenset("‐–—‘’“”…¡¿")


def printable(text: str) -> str:
    """Replace every character that TeX's Latin fonts lack by its code point.

    >>> printable("Aufmerksamkeit für 注")
    'Aufmerksamkeit für [U+6CE8]'
    """
    return "".join(character if _has_glyph(character) else f"[U+{ord(character):04X}]" for character in text)


def _has_glyph(character: str) -> bool:
    if character.isascii():
        return character.isprintable() or character in "\t\n"
    is_letter = character.isalpha() and ord(character) <= _LAST_LETTER and character not in _NO_LETTERS
    return is_letter or character in _PUNCTUATION


def unescape(source: str, start: int) -> str:
    r"""Return the words that the argument of ``\text`` shows; spaces run together and vanish at both ends.

    >>> unescape(r" attention\_map ", 0)
    'attention_map'

    Raises:
        NotationError: when a command stands among the words that is not known.
    """
    pieces: list[str] = []
    for found in re.finditer(_PIECE, source, re.DOTALL):
        command, single, brace, space, plain = found.groups()
        if command is not None:
            pieces.append(_command(command, start + found.start()))
        elif single is not None:
            # A space that was escaped is kept: it is marked until the other spaces are settled.
            pieces.append("\x00" if single in " \n" else "" if single in ",;:!/" else single)
        elif space is not None:
            pieces.append(" ")
        elif brace is None:
            pieces.append(plain)
    words = re.sub(" +", " ", "".join(pieces)).strip(" ")
    return words.replace("\x00", " ")


def _command(name: str, start: int) -> str:
    if name in _COMMANDS:
        return _COMMANDS[name]
    if name in {"quad", "qquad", "space"}:
        return " "
    if name in _STYLES:
        return ""
    raise NotationError(f"The command \\{name} is not known among words.", start)
