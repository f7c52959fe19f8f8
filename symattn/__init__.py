"""Exact attention: closed forms, certified digits, and worked solutions whose every statement was proved.

>>> import symattn as sa
>>> result = sa.attention(Q=[[1, 0]], K=[[1, 0], [0, 1]], V=[[1], [2]], scale="none")
>>> print(result.A[0, 0], result.A.rounded(4))
exp(1)/(exp(1) + 1) [['0.7311', '0.2689']]

A fault in a file marked TRUSTED at its head could let a false record, a false digit or a false statement of a key pass.
Verdicts of `check` rest on `notation`, `problem`, `graph.builders`, `operations.formulas`, `checking` and the readers
of files, arrays and tables as well.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from symattn import late
from symattn.api import transcripts

if TYPE_CHECKING:
    from symattn.api.comparison import Comparison, compare
    from symattn.api.proofs import prove, theorems
    from symattn.api.result import Result
    from symattn.api.sheets import solve_sheet
    from symattn.api.submissions import Report, check
    from symattn.api.values.entry import Entry
    from symattn.api.values.equality import Verdict, equal
    from symattn.api.values.matrix import Matrix
    from symattn.graph.derivation import Derivation
    from symattn.problem.model import Problem
    from symattn.symbolic import attention, softmax, solve

late.install()

__version__ = transcripts.VERSION

_HOME = {
    "Comparison": "symattn.api.comparison",
    "Derivation": "symattn.graph.derivation",
    "Entry": "symattn.api.values.entry",
    "Matrix": "symattn.api.values.matrix",
    "Problem": "symattn.problem.model",
    "Report": "symattn.api.submissions",
    "Result": "symattn.api.result",
    "Verdict": "symattn.api.values.equality",
    "attention": "symattn.symbolic",
    "check": "symattn.api.submissions",
    "compare": "symattn.api.comparison",
    "equal": "symattn.api.values.equality",
    "prove": "symattn.api.proofs",
    "softmax": "symattn.symbolic",
    "solve": "symattn.symbolic",
    "solve_sheet": "symattn.api.sheets",
    "theorems": "symattn.api.proofs",
}

__all__ = [
    "Comparison",
    "Derivation",
    "Entry",
    "Matrix",
    "Problem",
    "Report",
    "Result",
    "Verdict",
    "attention",
    "check",
    "compare",
    "equal",
    "prove",
    "softmax",
    "solve",
    "solve_sheet",
    "theorems",
]


def __getattr__(name: str) -> object:
    """Load a public name when it is first used (PEP 562): importing symattn stays cheap."""
    if name not in _HOME:
        raise AttributeError(f"module 'symattn' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    """Return the public names."""
    return sorted([*__all__, "__version__"])
