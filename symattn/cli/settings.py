"""Values on the command line: ``--set name=value``, as often as one likes; the most ``--jobs``."""

from __future__ import annotations

from symattn.errors import InputError

MAX_JOBS = 61
"""Windows waits for no more processes than these."""


def settings_of(settings: tuple[str, ...]) -> dict[str, str]:
    """The values of ``--set``, each name once.

    >>> settings_of(("D=512", "mu = 0"))
    {'D': '512', 'mu': '0'}

    Raises:
        InputError: one gives no value, or two give one name.
    """
    given: dict[str, str] = {}
    for text in settings:
        name, mark, value = (part.strip() for part in text.partition("="))
        if not mark or not name or not value:
            raise InputError(f"--set {text} names no value: write --set name=value, e.g. --set mu=0.")
        if name in given:
            raise InputError(f"--set gives {name} twice: leave one of them out.")
        given[name] = value
    return given
