"""Theorems for notebooks and terminals: fragments of HTML with MathML, and short plain text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from textwrap import wrap
from typing import TypeAlias

from symattn.errors import NotationError
from symattn.notation.writers.mathml import show_mathml
from symattn.proofs.cases.counterexamples import Refuted
from symattn.proofs.catalogue.authoring.theorem import CounterExample, Theorem
from symattn.proofs.kernel.record import Proof
from symattn.proofs.language.interpretation import read_text
from symattn.proofs.language.scope import Scope
from symattn.rendering.notebooks import WIDTH, code, soft, table, text
from symattn.rendering.proofs.formulas import displayed

Entries: TypeAlias = tuple[tuple[str, tuple[tuple[str, ...], ...]], ...]
_MAX_STEPS = 60


def theorem_lines(entry: Theorem) -> Iterator[str]:
    """Iterate over the lines that tell a theorem of the catalogue in a terminal."""
    yield f"<Theorem {entry.name}: {entry.says}>"
    yield from (f"  {item.name}={item.default}: {item.says}" for item in entry.parameters)
    yield from (f"  without={word!r}: a counter-example" for word, _ in entry.without)


def theorem_html(entry: Theorem, proof: Proof) -> str:
    """Return a theorem of the catalogue: what it says and claims, its hypotheses, and what may be chosen."""
    chosen = [[code(f"{item.name}={item.default}"), text(item.says)] for item in entry.parameters]
    chosen += [
        [code(f"without={word!r}"), text("a counter-example in place of the proof")] for word, _ in entry.without
    ]
    return proof_head(proof) + (table(chosen) if chosen else "")


def proof_head(proof: Proof) -> str:
    """Return the title of a theorem, its hypotheses and its claims."""
    scope = proof.scope
    parts = [f"<div><b>{text(proof.title)}</b> {code(proof.name)}</div>", f"<p>{sentence(proof.statement, scope)}</p>"]
    if scope.hypotheses:
        parts.append(table([[text(item.id), sentence(item.text, scope)] for item in scope.hypotheses]))
    claims = [
        [relation(item.left, item.relation, item.right, scope), sentence(item.words, scope)] for item in proof.claims
    ]
    return "".join(parts) + table(claims)


def proof_html(proof: Proof) -> str:
    """Return a proved theorem with its steps, to be folded out."""
    rows = [
        [
            soft(step.id),
            relation(step.before, step.relation, step.after, proof.scope),
            text(step.rule) + (f" {soft(', '.join(step.hypotheses))}" if step.hypotheses else ""),
            sentence(step.words, proof.scope),
        ]
        for step in proof.steps[:_MAX_STEPS]
    ]
    more = len(proof.steps) - _MAX_STEPS
    rest = f"<div>{soft(f'and {more} more, which to_latex() has')}</div>" if more > 0 else ""
    return f"{proof_head(proof)}<details><summary>{len(proof.steps)} steps</summary>{table(rows)}{rest}</details>"


def proof_lines(proof: Proof) -> Iterator[str]:
    """Iterate over the lines that tell a proved theorem in a terminal: its claims, then its steps."""
    yield f"<Derivation of {proof.name}: {'; '.join(proof.conclusion)}>"
    for step in proof.steps:
        yield f"  {step.id:>2}  {step.rule}: {step.before} {step.relation} {step.after}"


def refuted_html(title: str, without: str, found: Refuted) -> str:
    """Return a counter-example: what is false without a hypothesis, and both sides."""
    false, sides = found.falsehood, found.sides
    rows = [
        [soft("false"), relation(false.left, false.relation, false.right, found.scope)],
        *([soft("example"), text(line)] for line in _example(false.example)),
        [soft("the sides"), text(f"{sides.left or sides.left_digits} and {sides.right or sides.right_digits}")],
        [soft("instead"), sentence(false.right_version, found.scope)],
    ]
    return f"<div><b>{text(title)}</b> without {text(without)}</div>{table(rows)}"


def _example(example: CounterExample) -> Iterator[str]:
    """Iterate over the lines that tell the values of a counter-example."""
    values = [f"{name} = {value}" for name, value in (*example.sizes, *example.scalars)]
    if values:
        yield ", ".join(values)
    yield from _entries(example.entries)
    for weight, entries in example.law:
        yield f"with probability {weight}: {', '.join(_entries(entries))}"


def _entries(entries: Entries) -> Iterator[str]:
    return (f"{name} = ({'; '.join(', '.join(row) for row in rows)})" for name, rows in entries)


def theorems_lines(entries: Mapping[str, Theorem]) -> Iterator[str]:
    """Iterate over the lines that list the catalogue in a terminal, group by group."""
    yield f"{len(entries)} theorems: sa.prove(name) proves one, sa.theorems()[name] tells what it says."
    for group, members in _groups(entries).items():
        yield from wrap(f"{group}: {', '.join(item.name for item in members)}", WIDTH, subsequent_indent="    ")


def theorems_html(entries: Mapping[str, Theorem]) -> str:
    """Return the catalogue as a table, group by group."""
    parts = []
    for group, members in _groups(entries).items():
        rows = [[code(item.name), text(item.says)] for item in members]
        parts.append(f"<div><b>{text(group)}</b></div>{table(rows)}")
    return "".join(parts)


def _groups(entries: Mapping[str, Theorem]) -> dict[str, list[Theorem]]:
    groups: dict[str, list[Theorem]] = {}
    for item in entries.values():
        groups.setdefault(item.group, []).append(item)
    return groups


def relation(left: str, sign: str, right: str, scope: Scope) -> str:
    """Return a relation in plain syntax as MathML; what cannot be set as it is written."""
    return f"{_formula(left, scope)} {text(sign)} {_formula(right, scope)}"


def sentence(words: str, scope: Scope) -> str:
    """Return words with formulas in plain syntax between dollars as HTML with MathML."""
    parts = re.split(r"\$([^$]*)\$", words)
    return "".join(_formula(part, scope) if number % 2 else _between(part) for number, part in enumerate(parts))


def _between(words: str) -> str:
    """Return words with the spaces that part them from formulas."""
    before, after = " " * words[:1].isspace(), " " * (words[-1:].isspace() and not words.isspace())
    return f"{before}{text(words)}{after}"


def _formula(plain: str, scope: Scope) -> str:
    try:
        written = show_mathml(displayed(read_text(plain, scope), scope))
    except (NotationError, ValueError):
        return code(plain)
    return code(plain) if "$" in written else written
