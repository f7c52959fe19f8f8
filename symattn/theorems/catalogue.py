"""The catalogue by name."""

from __future__ import annotations

from difflib import get_close_matches
from importlib import import_module

from symattn.errors import InputError, expect, shortened
from symattn.theorems.entry import Theorem

GROUPS = ("moments", "softmax", "structure", "perturbation", "constructions", "designs", "gradients")
"""The groups in their order; each is a module of this package."""


def theorems() -> dict[str, Theorem]:
    """Every theorem by its name, group after group.

    >>> theorems()["dot-product-mean"].says
    'the mean of q . k is D mu^2'
    """
    found = {}
    for group in GROUPS:
        for theorem in import_module(f"symattn.theorems.{group}").THEOREMS:
            found[theorem.name] = theorem
    return found


def theorem(name: str) -> Theorem:
    """The theorem of a name.

    Raises:
        InputError: there is none; the nearest names are suggested.
    """
    known = theorems()
    expect(name, str, "A theorem is named by text")
    if name not in known:
        near = get_close_matches(shortened(name), known, 3)
        hint = f" Did you mean {' or '.join(near)}?" if near else ""
        raise InputError(f"There is no theorem {shortened(name)!r}.{hint} symattn theorems lists them all.")
    return known[name]
