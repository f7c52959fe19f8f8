"""Documents of keys: of a worked layer, and of proofs and prose alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from symattn.graph.analysis.pattern import Pattern
from symattn.graph.builders.layer import Layer
from symattn.graph.statements.chains import Detail
from symattn.problem.model import Problem
from symattn.problem.settings.conventions import DEFINED
from symattn.problem.sheet import Sheet
from symattn.rendering.content import Proved
from symattn.rendering.keys import definitions as key_definitions
from symattn.rendering.keys import heads as key_heads
from symattn.rendering.keys.layer import Among, LayerKey
from symattn.rendering.keys.theory import Theory, points_text, section_of
from symattn.rendering.latex.widths import LINE
from symattn.rendering.sections.document import Document, Ledger


def key_document(
    layer: Layer,
    heads: Sequence[tuple[Layer, Pattern | None]],
    detail: Detail = "full",
    line: float = LINE,
    proofs: Sequence[Proved] = (),
    *,
    with_given: bool = False,
    among: Among | None = None,
) -> Document:
    """Return the document of a worked answer key, for lines of a width in points, with its inputs displayed or not.

    Args:
        layer: the worked layer.
        heads: its heads with the patterns of their weights; the layer itself where it has none.
        detail: how much is written out.
        line: the width of a line.
        proofs: the theorems that parts ask for, proved.
        with_given: whether the inputs are displayed before the questions.
        among: the batch or the blocks that the layer is one of.

    Raises:
        InputError: a part asks for what this layer does not have (an order of symbolic weights).
    """
    key: LayerKey
    if layer.problem.kind == DEFINED:
        key = key_definitions.DefinitionsKey(layer, None, detail, line)
    elif heads[0][0] is layer:
        key = LayerKey(layer, heads[0][1], detail, line)
    else:
        key = key_heads.HeadsKey(layer, heads, detail, line)
    key.theory = Theory(key.ledger, detail, line, proofs, layer.problem.words)
    key.among = among
    return key.document(with_given=with_given)


def theory_document(
    problem: Problem, detail: Detail = "full", line: float = LINE, proofs: Sequence[Proved] = ()
) -> Document:
    """Return the document of a key of proofs and prose alone."""
    ledger = Ledger()
    theory = Theory(ledger, detail, line, proofs, problem.words)
    sections = []
    for number, part in enumerate(problem.parts):
        blocks = [block for asks in part.asks for block in theory.blocks(number, part, asks)]
        blocks.extend(theory.facts(number))
        question = theory.question(number, part, problem.policy)
        sections.append(section_of(number, part, theory.title(number, part), blocks, question))
    return Document(
        title=problem.title.strip() or problem.words.say("document.title"),
        intro=problem.text,
        points=points_text(problem.points),
        conventions=(),
        defaults="",
        given=(),
        sections=tuple(sections),
        ledger=ledger,
        foot=problem.words.say("foot.proofs") if ledger.proofs else "",
        words=problem.words,
    )


def sheet_document(sheet: Sheet, documents: Sequence[Document]) -> Document:
    """Return the document of a paper, for those of its problems in their order."""
    first = documents[0]
    titled = zip(documents, sheet.problems, strict=True)
    return replace(
        first,
        title=sheet.title.strip() or first.words.say("document.title"),
        intro=sheet.text,
        points=points_text(sheet.points),
        members=tuple(
            replace(document, title=problem.title, points=points_text(problem.all_points))
            for document, problem in titled
        ),
        ledger=Ledger(
            [item for document in documents for item in document.ledger.statements],
            [item for document in documents for item in document.ledger.claims],
            [item for document in documents for item in document.ledger.proofs],
        ),
        foot=" ".join(dict.fromkeys(document.foot for document in documents)),
    )
