"""A commented problem file to start from."""

from __future__ import annotations

from symattn.data_files import read_text
from symattn.problem.schema.fields import PART_FIELDS
from symattn.problem.settings.policy import STEPS


def commented_problem() -> str:
    """Return a small problem, complete, with every key explained; it loads and solves as it stands.

    >>> from symattn.problem.model import Problem
    >>> Problem.from_text(commented_problem()).kind
    'self'
    """
    asks = ", ".join(next(field for field in PART_FIELDS if field.name == "asks").words)
    text = read_text(__package__, "template.toml")
    return text.replace("{{asks}}", asks).replace("{{steps}}", ", ".join(STEPS))
