"""The command, run inside the test's process: its exit status and what it printed."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from functools import cache
from types import SimpleNamespace
from typing import TypeAlias

import jsonschema
import pytest

from symattn.api.schemas import OUTPUTS, schema
from symattn.cli.main import main

SMALL = 'scale = "none"\n[inputs]\nQ = [[1, 0]]\nK = [[1, 0], [0, 1]]\nV = [[1], [2]]\n'
"""A problem that is worked in no time."""


@dataclass(frozen=True)
class Outcome:
    """What came of a command."""

    status: int
    out: str
    err: str


Run: TypeAlias = Callable[..., Outcome]


def run(*arguments: object, stdin: str | bytes = "") -> Outcome:
    """Run ``symattn`` with the arguments and end as the process would; what it prints as JSON follows its schema."""
    out, err = io.StringIO(), io.StringIO()
    data = stdin.encode() if isinstance(stdin, str) else stdin
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
        patch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(data)))
        try:
            main([str(argument) for argument in arguments])
        except SystemExit as ended:
            status = ended.code
        else:
            status = 0
    if not isinstance(status, int):
        status = 0 if status is None else 1
    name = str(arguments[0]).removeprefix("--") if "--json" in arguments else ""
    if name in OUTPUTS and out.getvalue():
        validate(name, json.loads(out.getvalue()))
    return Outcome(status, out.getvalue(), err.getvalue())


def validate(name: str, record: object) -> None:
    """Raise a ValidationError where an output is not what its schema says."""
    validator(name).validate(record)


@cache
def validator(name: str) -> jsonschema.Draft202012Validator:
    """Return what validates the outputs of a command."""
    return jsonschema.Draft202012Validator(schema(name))


def refused(outcome: Outcome, *words: str) -> str:
    """The one sentence of a refusal, after showing that nothing else was said or written out."""
    assert outcome.status == 2, outcome
    assert outcome.out == ""
    (line,) = outcome.err.splitlines()
    assert line.startswith("symattn: ")
    assert line.endswith((".", "?"))
    assert len(line) < 700
    assert "Traceback" not in line
    for word in words:
        assert word in line, line
    return line
