"""Folders of submissions: the files that are some, and the other entries with the reason why they are left out."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from symattn.records import dataclass

ENDINGS = frozenset({".tex", ".md", ".txt", ".ipynb"})
"""What a work in a folder is called."""

_RESULTS = frozenset({".json", ".jsonl", ".toml"})
"""Problems and results, which may lie beside the works."""

_MOST_NAMED = 10

WRONG_ENDING = "not a .tex, .md, .txt or .ipynb file"
HIDDEN = "hidden"
_SPECIAL = "not a regular file"
_LINK = "a link that leads nowhere or to a folder"
_CLOSED = "a folder that cannot be read"


@dataclass(frozen=True, slots=True)
class Contents:
    """Entries of a folder of submissions.

    Attributes:
        works: the names of the submissions, sorted. Links that lead out of the folder are among them, whatever they
            lead to, and so are links with the ending of a submission that lead nowhere: each gets a result.
        omitted: the other entries by the reason why they are left out; a hidden folder is one entry.
    """

    works: tuple[str, ...]
    omitted: dict[str, list[str]]

    @property
    def words(self) -> str:
        """The entries that are left out, a bounded number of each kind by name; empty where there are none."""
        count = sum(map(len, self.omitted.values()))
        kinds = "; ".join(f"{reason}: {_listed(names)}" for reason, names in sorted(self.omitted.items()))
        return f"left out: {count} ({kinds})" if count else ""


def contents(folder: str) -> Contents:
    """Return what lies below a folder; nothing in it is opened but folders, and no link is followed."""
    works: list[str] = []
    omitted: dict[str, list[str]] = {}
    for path, reason in _entries(folder):
        if not reason:
            works.append(path.as_posix())
        else:
            omitted.setdefault(reason, []).append(path.as_posix())
    return Contents(tuple(sorted(works)), {reason: sorted(names) for reason, names in omitted.items()})


def _entries(folder: str) -> Iterator[tuple[Path, str]]:
    """Yield each entry that is to be told of, with the reason why it is left out; empty for a submission."""
    closed: list[str] = []
    for root, folders, files in os.walk(folder, onerror=lambda error: closed.append(str(error.filename))):
        for name in (*folders, *files):
            path = Path(root, name)
            reason = _reason(folder, path)
            if reason is not None:
                yield path, reason
        folders[:] = [name for name in folders if not name.startswith(".")]
    yield from ((Path(name), _CLOSED) for name in closed)


def _reason(folder: str, path: Path) -> str | None:
    """Return why an entry is left out: empty for a submission, None for entries without an expected result."""
    if path.name.startswith("."):
        return HIDDEN
    ending = path.suffix.lower()
    if leads_out(folder, path):
        return ""
    try:
        mode = path.stat().st_mode
    except (OSError, RuntimeError):  # a link to nothing, a loop of links
        return "" if ending in ENDINGS else _LINK
    if stat.S_ISDIR(mode):
        return _LINK if path.is_symlink() else None
    if not stat.S_ISREG(mode):
        return _SPECIAL
    if ending in ENDINGS:
        return ""
    return None if ending in _RESULTS else WRONG_ENDING


def leads_out(folder: str, path: Path) -> bool:
    """Return whether a path is a link to a work, or to a folder, outside of the folder that it is in."""
    if not path.is_symlink() or not (path.suffix.lower() in ENDINGS or path.is_dir()):
        return False
    return not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder))


def _listed(names: list[str]) -> str:
    more = len(names) - _MOST_NAMED
    return ", ".join(names[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
