"""TRUSTED. The table of operations by their names; a family is imported when one of its names is first asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from symattn.operations import (
    activation,
    linear,
    loss,
    norm,
    online,
    positions,
    products,
    scores,
    sheet_formulas,
    softmax,
)
from symattn.operations.operation import Operation

_NAMES: tuple[tuple[Any, str], ...] = (
    (products, "product product-plus products"),
    (scores, "norm cosine additive softcap cap-gradient mask hide mask-where"),
    (linear, "sum difference entrywise entrywise-quotient mean scale share part join total-line total-dot line-dot"),
    (softmax, "line-maximum shift exponential line-sum line-sum-plus-one quotient masked-quotient softmax"),
    (softmax, "softmax-over softmax-gradient"),
    (norm, "line-mean line-variance line-mean-square standardise rms-norm affine line-mean-dot"),
    (norm, "layer-norm-gradient rms-norm-gradient"),
    (activation, "activation relu-gradient gelu-slope silu-slope"),
    (positions, "angles sinusoid rotate rotate-back"),
    (online, "running-maximum running-sum running-output"),
    (loss, "loss"),
    (sheet_formulas, "written"),
)


class _Table(Mapping[str, Operation[Any]]):
    """The operations of all families."""

    def __init__(self) -> None:
        self._families = {name: family for family, names in _NAMES for name in names.split()}

    def __getitem__(self, name: str) -> Operation[Any]:
        return self._families[name].OPERATIONS[name]  # type: ignore[no-any-return]  # a module

    def __iter__(self) -> Iterator[str]:
        return iter(self._families)

    def __len__(self) -> int:
        return len(self._families)


TABLE: Mapping[str, Operation[Any]] = _Table()
"""The operations, by the names that records give them."""
