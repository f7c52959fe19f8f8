"""The parts of a key that hold theorems: pages of proofs, and facts that stand beside an answer in prose."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import product

from symattn.proofs.kernel.record import Proof
from symattn.proofs.language.scope import Defined
from symattn.rendering.latex.typesetting import escape
from symattn.rendering.latex.widths import LINE
from symattn.rendering.proofs.chains import LEVELS, MARK, Level, mark_of
from symattn.rendering.proofs.formulas import words
from symattn.rendering.proofs.page import (
    claim_row,
    claims_of,
    definitions_of,
    head_of,
    lemmas_of,
    proof_page,
)
from symattn.rendering.sections.document import Block, Proved
from symattn.rendering.sections.readback import Finding, Marked


def proof_block(item: Proved, detail: Level, line: float = LINE) -> Block:
    """Return the statement of a theorem, its proof, and what was computed besides."""
    name = f"\\texttt{{{escape(item.proof.name)}}}"
    page = proof_page(item.proof, item.replayed, (), item.instance, item.detail or detail, line)
    if not item.is_whole:
        rest = f"Of this the following is shown here; \\texttt{{symattn prove}} {name} shows all."
        defined = definitions_of(_spoken_of(item.proof, _shown(item.proof)), item.proof.scope, line)
        page = replace(page, rest=rest, defined=defined)
    chosen = f" Here {page.parameters}." if page.parameters else ""
    return Block("proof", (f"{name}: {page.head}{chosen}",), page=page)


def facts_block(items: Iterable[Proved], line: float = LINE) -> Block:
    """Return facts, each with its claims and the manner of its proof."""
    return Block("facts", tuple(text for item in items for text in _fact(item, line)))


def _fact(item: Proved, line: float) -> list[str]:
    proof, scope = item.proof, item.proof.scope
    cited = {name: n for n, name in enumerate(item.replayed.cites, start=1)}
    head = head_of(item.replayed, cited)
    lemmas = "".join(f" [{number}] {statement} ({source})" for number, statement, source in lemmas_of(cited))
    how = f"{{\\symattnsoft (\\texttt{{{escape(proof.name)}}}: {head}){lemmas}\\par}}"
    title = f"\\par\\noindent {{\\bfseries {escape(proof.title)}.}}"
    if item.is_whole:
        return [f"{title} {words(proof.statement, scope)} {mark_of(proof, 'statement')}", how]
    said = words(proof.claims[0].words, scope) if len(proof.claims) == 1 else ""
    shown = [claims_of(proof, line)]
    if len(proof.claims) == 1:
        shown = [f"\\[ {claim_row(proof.claims[0], scope, line)} \\] {mark_of(proof, proof.claims[0].id)}"]
    used = {name for step in proof.steps for name in step.hypotheses}
    hypotheses = [item.text for item in scope.hypotheses if item.id in used]
    defined = definitions_of(_spoken_of(proof, _claimed(proof) + hypotheses), scope, line)  # its steps are not shown
    given = "; ".join(words(text, scope) for text in hypotheses)
    where = [*([defined] if defined else []), *([f"Given: {given}."] if given else [])]
    return [f"{title} {said[:1].upper()}{said[1:]}{':' if said else ''}", *shown, *where, how]


def read_proofs(tex: str, items: Sequence[Proved], widths: Iterable[float] = (LINE,)) -> list[Finding]:
    """Return every marked line of the proofs of a key, compared with what the record says at that place.

    Args:
        tex: the source of the key.
        items: the theorems of the key, proved.
        widths: the widths of a line for which a key may have been written.
    """
    known = _known_lines(items, tuple(widths))
    found = []
    for number, line in enumerate(tex.split("\n"), 1):
        source, mark, note = line.rpartition(MARK)
        if mark:
            marked = Marked(number, 1, source.rstrip(), note.strip())
            is_known = (marked.note, marked.source) in known
            places = () if is_known else ((1, max(len(marked.source), 1)),)
            reasons = () if is_known else ("the record of the proof says something else here",)
            found.append(Finding(marked, places, reasons))
    return found


def _known_lines(items: Iterable[Proved], widths: Iterable[float]) -> set[tuple[str, str]]:
    """Return marks with the lines that may stand before them, in every width and detail, and ends of displays."""
    texts: list[str] = []
    for item, line in product(items, widths):
        if item.is_fact:
            texts += _fact(item, line)
            continue
        for detail in LEVELS:
            page = proof_block(replace(item, detail=None), detail, line).page
            if page is not None:
                texts += [page.claims, *(text for part in page.parts for text in part.lines)]
    pairs = [line.rpartition(MARK) for text in texts for line in text.split("\n")]
    return {(note.strip(), source.rstrip()) for source, mark, note in pairs if mark}


def _claimed(proof: Proof) -> list[str]:
    return [text for claim in proof.claims for text in (claim.left, claim.right, claim.words)]


def _shown(proof: Proof) -> list[str]:
    """Return the texts of a proof: its claims, steps and hypotheses."""
    steps = [text for step in proof.steps for text in (step.before, step.after, step.words)]
    return [*_claimed(proof), *steps, *(item.text for item in proof.scope.hypotheses)]


def _spoken_of(proof: Proof, said: Iterable[str]) -> list[Defined]:
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
