"""Theorems in a key as LaTeX: a proof with its head, and facts that stand beside an answer in prose."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from symattn.proofs.kernel.record import Proof
from symattn.proofs.language.scope import Defined
from symattn.rendering.content import Level, Proved
from symattn.rendering.latex.typesetting import escape
from symattn.rendering.latex.widths import LINE
from symattn.rendering.proofs.chains import mark_of
from symattn.rendering.proofs.formulas import words
from symattn.rendering.proofs.page import (
    ProofPage,
    claim_row,
    claims_of,
    definitions_of,
    head_of,
    lemmas_of,
    proof_page,
)


def theorem(item: Proved, detail: Level, line: float = LINE) -> tuple[str, ProofPage]:
    """Return the head of a theorem, and its statement, its proof, and what was computed besides."""
    name = f"\\texttt{{{escape(item.proof.name)}}}"
    level, auxiliary = item.detail or detail, item.auxiliary
    page = proof_page(item.proof, item.replayed, (), item.instance, level, line, auxiliary)
    if not item.is_whole:
        rest = f"Of this the following is shown here; \\texttt{{symattn prove}} {name} shows all."
        defined = definitions_of(shown_definitions(item.proof), item.proof.scope, line)
        page = replace(page, rest=rest, defined=defined)
    chosen = f" Here {page.parameters}." if page.parameters else ""
    return f"{name}: {page.head}{chosen}", page


def fact(item: Proved, line: float = LINE) -> list[str]:
    """Return a fact with its claims and the manner of its proof."""
    proof, scope = item.proof, item.proof.scope
    cited = {name: n for n, name in enumerate(item.replayed.cites, start=1)}
    head = head_of(item.replayed, cited)
    lemmas = "".join(f" [{number}] {statement} ({source})" for number, statement, source in lemmas_of(cited))
    how = f"{{\\symattnsoft (\\texttt{{{escape(proof.name)}}}: {head}){lemmas}\\par}}"
    title = f"\\par\\noindent {{\\bfseries {escape(proof.title)}.}}"
    if item.is_whole:
        return [f"{title} {words(proof.statement, scope)} {mark_of(proof, 'statement')}", how]
    said = words(proof.claims[0].words, scope) if len(proof.claims) == 1 else ""
    shown = [claims_of(proof, line, proof.claims)]
    if len(proof.claims) == 1:
        shown = [f"\\[ {claim_row(proof.claims[0], scope, line)} \\] {mark_of(proof, proof.claims[0].id)}"]
    hypotheses = used_hypotheses(proof)
    defined = definitions_of(spoken_of(proof, claimed(proof) + hypotheses), scope, line)  # its steps are not shown
    given = "; ".join(words(text, scope) for text in hypotheses)
    where = [*([defined] if defined else []), *([f"Given: {given}."] if given else [])]
    return [f"{title} {said[:1].upper()}{said[1:]}{':' if said else ''}", *shown, *where, how]


def used_hypotheses(proof: Proof) -> list[str]:
    """Return the hypotheses that steps of a proof use."""
    used = {name for step in proof.steps for name in step.hypotheses}
    return [item.text for item in proof.scope.hypotheses if item.id in used]


def claimed(proof: Proof) -> list[str]:
    """Return the texts of the claims of a proof."""
    return [text for claim in proof.claims for text in (claim.left, claim.right, claim.words)]


def shown_definitions(proof: Proof) -> list[Defined]:
    """Return the abbreviations that a proof speaks of, in its claims, steps and hypotheses."""
    steps = [text for step in proof.steps for text in (step.before, step.after, step.words)]
    return spoken_of(proof, [*claimed(proof), *steps, *(item.text for item in proof.scope.hypotheses)])


def spoken_of(proof: Proof, said: Iterable[str]) -> list[Defined]:
    """Return the abbreviations that texts speak of, directly or through others."""
    texts = list(said)
    waiting, found = list(proof.scope.defined), list[Defined]()
    while used := [item for item in waiting if any(_speaks_of(text, item.name) for text in texts)]:
        found += used
        texts += [item.body for item in used]
        waiting = [item for item in waiting if item not in used]
    return [item for item in proof.scope.defined if item in found]


def _speaks_of(text: str, name: str) -> bool:
    """Return whether a name stands in a text, alone or with indices."""
    return re.search(rf"(?<![A-Za-z]){re.escape(name)}(?![A-Za-z])", text) is not None
