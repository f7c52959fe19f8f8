"""A theorem of the catalogue with the parameters that were chosen, and the checks of its proof."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from symattn.errors import InputError, UnprovedError
from symattn.exact.numerals.rational import rational
from symattn.proofs.cases.claim_checks import check_claims
from symattn.proofs.catalogue.authoring.theorem import Theorem
from symattn.proofs.kernel.record import Proof

FORMAT = 1
"""Of the records that machines read."""


def settings_of(entry: Theorem, given: Mapping[str, object]) -> dict[str, str]:
    """Return the texts of values; a list belongs to a parameter that is one."""
    kinds = {item.name: item.kind for item in entry.parameters}
    found = {}
    for name, value in given.items():
        if not isinstance(value, list | tuple):
            found[name] = _setting(name, value)
        elif kinds.get(name, "list") != "list":
            raise InputError(f"{name} is one value, not a list: give it without brackets.")
        else:
            found[name] = ", ".join(_setting(f"{name}[{n}]", item) for n, item in enumerate(value, start=1))
    return found


def _setting(name: str, value: object) -> str:
    """Return the text of a value; a float is refused with its remedy."""
    if isinstance(value, str):
        return value.strip()
    return str(rational(value, name))  # type: ignore[arg-type]  # whatever it is, `rational` takes or refuses it


def with_checks(proof: Proof) -> Proof:
    """Return the proof with its checks.

    Raises:
        UnprovedError: one of them does not agree.
    """
    found = (*proof.checks, *check_claims(proof))
    wrong = [item for item in found if not item.agrees]
    if wrong:
        raise UnprovedError(
            f"A check of {proof.name} does not agree, so nothing is written ({wrong[0].text}: {wrong[0].result})."
        )
    return replace(proof, checks=found)


def general_proof(entry: Theorem) -> Proof:
    """Return the theorem with its letters, in which falsehoods are written."""
    return entry.build(entry.values({}))
