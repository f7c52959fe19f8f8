"""TRUSTED. One tree of errors. Each message is one sentence: what is wrong, where, and what to do about it."""

from __future__ import annotations


class SymattnError(Exception):
    """The root of every error that symattn raises on purpose.

    `exit_status` is what the command line ends with when the error reaches it.
    """

    exit_status = 2


class InputError(SymattnError):
    """A problem file, a value or an argument that cannot be used as it stands."""


class ShapeError(InputError):
    """Two matrices that do not fit; the message names both and both shapes."""


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
