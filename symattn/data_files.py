"""Data files of the package: texts and TOML tables that lie beside the modules that read them."""

from __future__ import annotations

import pkgutil
import tomllib
from typing import Any


def read_text(package: str, name: str) -> str:
    """Return the text of a file in the folder of a package, from a zip too.

    Args:
        package: the dotted name of the package.
        name: the name of the file.

    Raises:
        FileNotFoundError: there is no such file.
    """
    found = pkgutil.get_data(package, name)
    if found is None:
        raise FileNotFoundError(f"{package} is loaded in a way that reads no files beside it: {name}")
    return found.decode("utf-8")


def read_table(package: str, name: str) -> dict[str, Any]:
    """Return the tables of a TOML file in the folder of a package, in their order.

    >>> sorted(read_table("symattn.problem.text", "synonyms.toml")["mask"])
    ['lower', 'padding', 'triangular']
    """
    return tomllib.loads(read_text(package, name))
