"""Reader of the tables of cases that stand in YAML files beside the tests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

_TESTS = Path(__file__).parent
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""That of libyaml reads ten times as fast; PyYAML may be built without it."""


def read(name: str | Path) -> Any:
    """Return the content of a file, whose path is absolute or begins in the folder ``tests``."""
    return yaml.load((_TESTS / name).read_text(encoding="utf-8"), Loader=_LOADER)  # noqa: S506 - both are safe
