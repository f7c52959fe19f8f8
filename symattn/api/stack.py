"""Several blocks one after the other: a layer of each, one key of all."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from symattn.api.joint_keys import Pieces, all_ledgers, is_of_none
from symattn.api.result import FORMAT, Result, Working, solved
from symattn.errors import MissingKeyError
from symattn.graph.builders.stacks import following, input_of
from symattn.graph.replay import GIVEN, Step, before_text
from symattn.problem.caveats import Caveat, points_caveats
from symattn.problem.model import Problem
from symattn.rendering.latex.prose import text_warnings
from symattn.rendering.sections.document import Document, Section

if TYPE_CHECKING:
    from symattn.exact.linear.matrix import Matrix
    from symattn.exact.rounding.quotients import Rounding
    from symattn.graph.statements.chains import Detail
    from symattn.rendering.sections.readback import Finding

_OF_ORDER = frozenset({"diagram", "pattern"})


class StackResult(Result):
    """The results of several blocks: `blocks` holds one result for each; the rest is that of the last.

    >>> own = {"W_Q": [[1]], "W_K": [[1]], "W_V": [[1]]}
    >>> stack = StackResult(Problem.build(X=[[1], [2]], blocks=[{"inputs": own}, {"inputs": own}]))
    >>> stack["R_1@1"].rounded(2), stack["R_1"].rounded(2)
    ([['2.73'], ['3.88']], [['6.56'], ['7.75']])
    """

    def __init__(self, problem: Problem) -> None:
        """Take the problem; `symattn.solve` calls this."""
        results = [solved(replace(problem, later=()))]
        for later in problem.later:
            own, start = following(later, results[-1].layer, problem.policy)
            results.append(_without_order(solved(own, start)))
        last = results[-1]
        super().__init__(problem, last.layer, last.pattern, last.views)
        self.blocks = tuple(results)
        self._pieces = Pieces("block", self.blocks)

    def __repr__(self) -> str:
        """Return the number of blocks in words."""
        return f"<Result of {self.problem.title or 'a problem'}: {len(self.blocks)} blocks>"

    def __getitem__(self, name: str) -> Matrix:
        """Return the exact value of a quantity: ``result["Q@2"]`` of block 2, ``result["Q"]`` of the last."""
        base, is_marked, number = name.partition("@")
        if not is_marked:
            return self.blocks[-1][base]
        if not number.isascii() or not number.isdigit() or not 1 <= int(number[:4]) <= len(self.blocks):
            raise MissingKeyError(f"There is no block {number!r}; blocks are counted from 1 to {len(self.blocks)}.")
        return self.blocks[int(number) - 1][base]

    @cached_property
    def derivation(self) -> Working:
        """The steps of all blocks, each id with the number of its block before it."""
        steps: list[Step] = []
        for number, result in enumerate(self.blocks, 1):
            before = self.blocks[number - 2].layer if number > 1 else None
            for step in result.derivation.steps:
                own = [f"{number}.{name}" for name in step.premises]
                rule, premises, arguments = step.rule, tuple(own), step.arguments
                source = step.id.removesuffix("~")
                if before is not None and source in {"X", "X_1"} and rule == GIVEN:
                    # What goes in is what came out: the mean of one.
                    rule, arguments = "mean", ()
                    tail = "~" if step.id.endswith("~") else ""
                    premises = (f"{number - 1}.{before.output}{tail}",)
                name = f"{number}.{step.id}"
                made = replace(step, id=name, rule=rule, premises=premises, arguments=arguments)
                steps.append(replace(made, before=before_text(name, rule, premises)))
        return Working(tuple(steps))

    @cached_property
    def warnings(self) -> tuple[Caveat, ...]:
        """Notes for the instructor: of the whole problem once, then block by block."""
        return self._pieces.warnings((*points_caveats(self.problem), *text_warnings(self.problem)))

    def document(self, detail: Detail = "full", template: str = "article") -> Document:
        """Return the key of all blocks, each proved in its own quantities."""
        first, *later = self.blocks
        documents = [first.piece(detail, template)]
        documents += [block.piece(detail, template, made_before=input_of(block.problem)) for block in later]
        sections: list[Section] = []
        if not self.problem.parts:
            for number, document in enumerate(documents, 1):
                sections.extend(self._pieces.section(section, section.blocks, number) for section in document.sections)
        for part, asked in enumerate(documents[0].sections if self.problem.parts else ()):
            sections.extend(self._sections(asked, [document.sections[part] for document in documents], part))
        marked = [(self._pieces.mark(number), *document.conventions) for number, document in enumerate(documents, 1)]
        opening = [f"There are {len(documents)} blocks, one after the other. Block 1:"]
        conventions = [*marked[0][:1], *opening, *marked[0][1:]]
        said = set(filter(_is_sentence, marked[0]))
        for number, lines in enumerate(marked[1:], 2):
            conventions.extend([lines[0], f"Block {number} starts from what block {number - 1} makes."])
            conventions.extend(line for line in lines[1:] if line not in said)
        given = [
            line
            for number, own in enumerate(documents, 1)
            for line in (self._pieces.mark(number), _titled(number), *own.given)
        ]
        return replace(
            documents[0],
            conventions=(*conventions, self._pieces.mark(1)),
            given=tuple(given) if documents[0].given else (),
            sections=tuple(sections),
            ledger=all_ledgers(documents),
        )

    def _sections(self, asked: Section, each: list[Section], part: int) -> list[Section]:
        """Return a part for each block in turn, or once where nothing in it is of a block."""
        if is_of_none(self.problem.parts[part].asks):
            return [replace(asked, blocks=self._pieces.marked(asked.blocks, 1))]
        shown = [(number, section.blocks) for number, section in enumerate(each, 1) if section.blocks or number == 1]
        return [self._pieces.section(asked, blocks, number) for number, blocks in shown]

    def read_back(self, tex: str) -> list[Finding]:
        """Return every judged line of the key, in the quantities of its own block."""
        return self._pieces.read_back(tex)

    def numbers_json(self, rounding: Rounding | None = None) -> dict[str, object]:
        """Return the numbers for machines; quantities have the number of their block behind them, ``Q@2``."""
        found = [result.numbers_json(rounding) for result in self.blocks]
        quantities: dict[str, object] = {}
        for number, record in enumerate(found, 1):
            own = record["quantities"]
            if isinstance(own, dict):
                quantities.update({f"{name}@{number}": item for name, item in own.items()})
        count = self.document().ledger.count
        return {
            "format": FORMAT,
            "problem": found[0]["problem"],
            "policy": found[0]["policy"],
            "convention": found[0]["convention"],
            "blocks": [record["convention"] for record in found],
            "quantities": quantities,
            "pattern": [record["pattern"] for record in found],
            "statements": {"total": count, "proved": count},
            "warnings": [warning.as_json() for warning in self.warnings],
        }


def _without_order(result: Result) -> Result:
    """Return a later block without diagram and order of weights, if its scores lack closed forms."""
    if all(pattern is not None for _, pattern in result.views):
        return result
    parts = tuple(
        replace(part, asks=tuple(word for word in part.asks if word not in _OF_ORDER) or ("prose",))
        for part in result.problem.parts
    )
    problem = replace(result.problem, parts=parts)
    layer = replace(result.layer, problem=problem)
    views = [(layer if view is result.layer else replace(view, problem=problem), own) for view, own in result.views]
    return Result(problem, layer, None, tuple(views))


def _titled(number: int) -> str:
    return "Block 1:" if number == 1 else f"Block {number}, which starts from what block {number - 1} makes:"


def _is_sentence(line: str) -> bool:
    """Return whether a line of conventions is a sentence of its own, which need not be said again of every block."""
    return line[:1].isupper() and line.endswith(".")
