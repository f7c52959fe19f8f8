"""Tables of the reference, as Markdown, from the tables that the program itself follows."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from itertools import combinations as pairs_of
from pathlib import Path

from symattn.api.schemas import OUTPUTS
from symattn.checking.check import check_text
from symattn.checking.mistake_catalogue import CODES
from symattn.checking.report import MEANINGS
from symattn.graph.builders.names import naming_of
from symattn.notation.documents.reader import Format
from symattn.notation.writers.latex import write_latex
from symattn.problem.model import Problem
from symattn.problem.schema.examples import example_of
from symattn.problem.schema.field import Field
from symattn.problem.schema.fields import TOP_FIELDS
from symattn.problem.schema.letters import LETTERS
from symattn.problem.settings.policy import NAMED_STEPS, STEPS
from symattn.proofs.catalogue.registry import theorems as catalogue

_DATA = Path(__file__).parents[2] / "tests" / "data"
_EXAMPLES = _DATA / "diagnoses.json"
"""An example of each diagnosis; tests hold that it gets it."""

_COMBINATIONS = _DATA / "combinations.json"
"""Features, and the pairs of them that are refused; tests try all pairs."""


def table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a Markdown table; a bar within a cell is escaped."""
    heads = list(heads)
    lines = [heads, ["---"] * len(heads), *([cell.replace("|", "\\|") for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def problem_keys() -> str:
    """Return a section for each table of a problem file, with a table of its keys."""
    return "\n".join(_sections("", TOP_FIELDS))


def letters() -> str:
    """Return the quantities that keys name themselves, with their letters."""
    return table(
        ("quantity", "letter", "if that is taken", "meaning"),
        (
            (
                f"`{name}`",
                _symbols(name, item.usual),
                _symbols(name, *item.others),
                item.about,
            )
            for name, item in LETTERS.items()
        ),
    )


def _symbols(name: str, *letters: str) -> str:
    return ", ".join(f"${write_latex(naming_of(name, letter).symbol)}$" for letter in letters)


def _sections(path: str, fields: tuple[Field, ...]) -> Iterable[str]:
    yield f"## {f'`[{path}]`' if path else 'Top level'}\n"
    yield table(
        ("key", "type", "default", "example", "meaning"),
        ((f"`{field.name}`", _type(field), _default(field), f"`{example_of(field)}`", field.about) for field in fields),
    )
    for field in fields:
        if field.fields:
            yield from _sections(f"{path}.{field.name}".strip("."), field.fields)


def _type(field: Field) -> str:
    words = ", ".join(f'`"{word}"`' for word in field.words)
    return f"{field.kind}: {words}" if words else field.kind


def _default(field: Field) -> str:
    return (
        "" if field.default is None else f"`{str(field.default).lower() if field.kind == 'switch' else field.default}`"
    )


def verdicts() -> str:
    """Return the words of a verdict, in the order in which they are tried."""
    return table(("verdict", "meaning"), ((f"`{word}`", text) for word, text in MEANINGS.items()))


def diagnoses() -> str:
    """Return the codes of diagnoses, each with a statement that gets it and the message of the report."""
    examples = json.loads(_EXAMPLES.read_text(encoding="utf-8"))
    rows = []
    for code, meaning in CODES.items():
        statement, message = _diagnosed(code, **examples[code])
        rows.append((f"`{code}`", f"{meaning[0].upper()}{meaning[1:]}.", f"`{statement}`", message))
    return table(("code", "meaning", "written", "message"), rows)


def _diagnosed(code: str, problem: dict[str, object], work: str, format: Format) -> tuple[str, str]:  # noqa: A002
    for finding in check_text(Problem.build(**problem), work, format).findings:
        if finding.diagnosis is not None and finding.diagnosis.code == code:
            return finding.text.strip(), finding.explanation.replace("_", "\\_").replace("*", "\\*")
    raise ValueError(f"the example of {code} does not get its diagnosis")


def rounding_steps() -> str:
    """Return the steps that can round, and which of them the named lists hold."""
    names = [*NAMED_STEPS]
    rows = ((f"`{step}`", *("yes" if step in NAMED_STEPS[name] else "" for name in names)) for step in STEPS)
    return table(("step", *(f'`"{name}"`' for name in names)), rows)


def json_outputs() -> str:
    """Return the outputs for machines, each with its schema and format."""
    rows = ((f"`{output.command}`", f"`symattn schema {name}`", str(output.format)) for name, output in OUTPUTS.items())
    return table(("output", "schema", "format"), rows)


def theorems() -> str:
    """Return the catalogue of theorems."""
    return table(("name", "statement"), ((f"`{name}`", entry.says) for name, entry in catalogue().items()))


def combinations() -> str:
    """Return the features with each other, and of each pair that is refused the sentence and the reason."""
    data = json.loads(_COMBINATIONS.read_text(encoding="utf-8"))
    features = data["features"]
    refused = {frozenset(item["features"]) for item in data["refused"]}
    same = {frozenset(pair) for kinds in data["choices"] for pair in pairs_of(kinds, 2)}
    same |= {frozenset({name}) for name in features}

    def cell(pair: frozenset[str]) -> str:
        return "·" if pair in same else "no" if pair in refused else "yes"

    numbers = [str(number) for number in range(1, len(features) + 1)]
    rows = [
        (f"{number} {name}", *(cell(frozenset((name, other))) for other in features))
        for number, name in zip(numbers, features, strict=True)
    ]
    refusals = [
        (", ".join(item["features"]), re.sub(r"([*_^`\[\]])", r"\\\1", item["says"]), item["reason"])
        for item in data["refused"]
    ]
    return f"{table(('', *numbers), rows)}\n{table(('features', 'refusal', 'reason'), refusals)}"
