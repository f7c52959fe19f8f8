"""TRUSTED. One tree of errors. Each message is one sentence: what is wrong, where, and what to do about it."""

from __future__ import annotations

from collections.abc import Sequence


class SymattnError(Exception):
    """The root of every error that symattn raises on purpose.

    `exit_status` is what the command line ends with when the error reaches it.
    """

    exit_status = 2


class InputError(SymattnError):
    """A problem file, a value or an argument that cannot be used as it stands."""


class ShapeError(InputError):
    """Two matrices that do not fit; the message names both and both shapes."""


class MissingKeyError(InputError, KeyError):
    """A name that a result does not have, ``result["Y"]``; its message is shown as it is, not between quotes."""

    def __str__(self) -> str:
        return str(self.args[0])


class NotationError(InputError):
    """Written mathematics that cannot be read; `start` is the offset of the first unread character."""

    def __init__(self, message: str, start: int = 0) -> None:
        super().__init__(message)
        self.start = start


class SymbolicValueError(InputError):
    """Digits, order or a sign were asked of a value that still has a free symbol."""


class UndecidedError(InputError):
    """Something outside the decidable theory: it may be right, but nothing is proved about it here."""


class TooLongError(InputError):
    """A number with too many digits to be written out in a key."""


class EffortError(InputError):
    """A question whose answer would take more work than it is worth: nothing is decided about it here."""


class OutputError(SymattnError):
    """A result that cannot be written where it was asked for."""


class EngineError(SymattnError):
    """No LaTeX engine could be found, or the one that was found did not make a PDF."""


class UnprovedError(SymattnError):
    """A statement of our own that the judge did not prove: an internal fault."""

    exit_status = 4


def expect(value: object, kind: type | tuple[type, ...], what: str) -> None:
    """Refuse an argument of another type; a bool is not taken for a whole number.

    Args:
        value: the argument.
        kind: its type, or several.
        what: the argument and what it is, to begin the message with.

    Raises:
        InputError: it is of another type.

    >>> expect("A", str, "A quantity is named by text")
    >>> expect(3, str, "A quantity is named by text")
    Traceback (most recent call last):
    symattn.errors.InputError: A quantity is named by text, and this is of the type int.
    """
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is int):
        raise InputError(f"{what}, and this is of the type {type(value).__name__}.")


def shortened(text: str, most: int = 60) -> str:
    """Return a text for a message, cut off where it is long.

    >>> shortened("x" * 9, 8)
    'xxxxx...'
    """
    return text if len(text) <= most else text[: most - 3] + "..."


def counted_entries(count: int) -> str:
    """Return a number of entries in words.

    >>> counted_entries(1), counted_entries(3)
    ('1 entry', '3 entries')
    """
    return "1 entry" if count == 1 else f"{count} entries"


def shape_text(shape: Sequence[int]) -> str:
    """Return a shape in a message.

    >>> shape_text((2, 3))
    '2×3'
    """
    return "×".join(map(str, shape))


def shown(value: object) -> str:
    """Return a value for a message; its type where it is nested too deeply, or too long a number, to be written.

    >>> shown(3), shown(10**5000)
    ('3', 'A value of the type int')
    """
    try:
        return shortened(str(value))
    except (RecursionError, ValueError):
        return f"A value of the type {type(value).__name__}"
