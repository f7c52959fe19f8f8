"""A batch of sequences: one layer of each, one key of all."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from symattn.api.joint_keys import Pieces, all_ledgers, is_of_none
from symattn.api.result import FORMAT, Result, Working, solved
from symattn.errors import InputError
from symattn.graph.replay import before_text
from symattn.problem.caveats import Caveat, declaration_caveats, points_caveats
from symattn.problem.model import Problem
from symattn.rendering.keys.layer import Among
from symattn.rendering.latex.prose import text_warnings
from symattn.rendering.sections.document import Document, Section

if TYPE_CHECKING:
    from symattn.exact.linear.matrix import Matrix
    from symattn.exact.rounding.quotients import Rounding
    from symattn.graph.analysis.pattern import Pattern
    from symattn.graph.builders.layer import Layer
    from symattn.graph.statements.chains import Detail
    from symattn.rendering.sections.readback import Finding


class BatchResult(Result):
    """The results of a batch: `sequences` holds one result for each sequence.

    >>> batch = BatchResult(Problem.build(Q=[[[1]], [[2]]], K=[[1], [0]], V=[[1], [0]], scale="none"))
    >>> [result.O.rounded(2) for result in batch.sequences]
    [[['0.73']], [['0.88']]]
    """

    def __init__(self, problem: Problem) -> None:
        """Take the problem; `symattn.solve` calls this."""
        self.problem = problem
        self.pattern = None
        self.sequences = tuple(solved(problem.inputs_of(number)) for number in range(1, problem.batch + 1))
        self._pieces = Pieces("sequence", self.sequences)

    def __repr__(self) -> str:
        """Return the number of sequences in words."""
        return f"<Result of {self.problem.title or 'a problem'}: {len(self.sequences)} sequences>"

    @property
    def layer(self) -> Layer:  # type: ignore[override]  # an attribute there; here each sequence has its own
        """There is none for all.

        Raises:
            InputError: always; each sequence has its own.
        """
        raise InputError("Each sequence of a batch has its own quantities: take result.sequences[0] and so on.")

    @property
    def views(self) -> tuple[tuple[Layer, Pattern | None], ...]:  # type: ignore[override]  # an attribute there
        """There are none for all.

        Raises:
            InputError: always; each sequence has its own.
        """
        return ((self.layer, None),)

    def __getitem__(self, name: str) -> Matrix:
        """Refuse: each sequence has its own quantities."""
        return self.layer.exact(name)

    @cached_property
    def derivation(self) -> Working:
        """The steps of all sequences, each id with the number of its sequence before it."""
        return Working(
            tuple(
                replace(step, id=own[step.id], premises=tuple(own[name] for name in step.premises), before=before)
                for number, result in enumerate(self.sequences, 1)
                for own in ({step.id: f"{number}.{step.id}" for step in result.derivation.steps},)
                for step in result.derivation.steps
                for before in (before_text(own[step.id], step.rule, tuple(own[name] for name in step.premises)),)
            )
        )

    @cached_property
    def warnings(self) -> tuple[Caveat, ...]:
        """Notes for the instructor: of the whole problem once, then sequence by sequence."""
        return self._pieces.warnings(
            (*points_caveats(self.problem), *declaration_caveats(self.problem), *text_warnings(self.problem))
        )

    def document(self, detail: Detail = "full", template: str = "article") -> Document:
        """Return the key of all sequences, each proved in its own quantities."""
        documents = [
            result.piece(detail, template, Among(self.problem, number))
            for number, result in enumerate(self.sequences, 1)
        ]
        sections = [
            section
            for part, asked in enumerate(documents[0].sections)
            for section in self._sections(asked, [document.sections[part] for document in documents], part)
        ]
        first = documents[0]
        return replace(
            first,
            conventions=(self._pieces.mark(1), *_axes(self.problem), *first.conventions),
            given=tuple(
                line
                for number, document in enumerate(documents, 1)
                for line in (self._pieces.mark(number), *document.given)
            )
            if first.given
            else (),
            sections=tuple(sections),
            ledger=all_ledgers(documents),
        )

    def _sections(self, asked: Section, each: list[Section], part: int) -> list[Section]:
        """Return a part for each sequence in turn, or once where nothing in it is of a sequence."""
        asks = self.problem.parts[part].asks if self.problem.parts else ()
        if is_of_none(asks):
            return [replace(asked, blocks=self._pieces.marked(asked.blocks, 1))]
        return [self._pieces.section(asked, section.blocks, number) for number, section in enumerate(each, 1)]

    def read_back(self, tex: str) -> list[Finding]:
        """Return every judged line of the key, in the quantities of its own sequence."""
        return self._pieces.read_back(tex)

    def _repr_latex_(self) -> str:
        """Return the outputs of all sequences in closed form."""
        return "\n\n".join(str(result._repr_latex_()) for result in self.sequences)

    def numbers_json(self, rounding: Rounding | None = None) -> dict[str, object]:
        """Return the numbers for machines: under ``sequences`` those that a single problem would have."""
        found = [result.numbers_json(rounding) for result in self.sequences]
        count = self.document().ledger.count
        shared = {**{key: found[0][key] for key in ("problem", "policy")}, "convention": self._convention()}
        own = [{key: record[key] for key in ("quantities", "pattern")} for record in found]
        return {
            "format": FORMAT,
            **shared,
            "batch": len(found),
            "sequences": own,
            "statements": {"total": count, "proved": count},
            "warnings": [warning.as_json() for warning in self.warnings],
        }


def _axes(problem: Problem) -> list[str]:
    """Return the axes of a batch in words, and which of them a transpose exchanges."""
    given = next(iter(problem.sequences))
    rows, columns = problem.inputs[given].shape
    length, width = (rows, columns) if problem.tokens == "rows" else (columns, rows)
    axes = {"tokens": ("l", length), "features": ("d", width)}
    words = ["tokens", "features"] if problem.tokens == "rows" else ["features", "tokens"]
    letters = [axes[word][0] for word in words]
    sizes = ", ".join(str(axes[word][1]) for word in words)
    shape, turned = f"(b, {', '.join(letters)})", f"(b, {', '.join(reversed(letters))})"
    lengths = ["l", "l"] if problem.kind == "self" else ["l_q", "l_k"]
    by_rows = problem.softmax == "rows"
    axis = "last" if by_rows else "middle"
    scores = f"(b, {', '.join(lengths if by_rows else reversed(lengths))})"
    return [
        f"The batch has the axes ${shape} = ({problem.batch}, {sizes})$: sequences, {', '.join(words)}.",
        f"Each sequence is worked out by itself: a transpose turns the last two axes, ${shape}$ into ${turned}$,",
        f"and the softmax runs over the {axis} axis of the scores ${scores}$, that of the keys.",
    ]
