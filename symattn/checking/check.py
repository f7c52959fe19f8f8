"""Checks somebody's work: reads it, binds it, judges it, explains it."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import TYPE_CHECKING

from symattn.attention.layer import Layer, attention_layer
from symattn.checking.asked import by_hand, missing_names
from symattn.checking.binding import Binder
from symattn.checking.causes import Causes
from symattn.checking.definitions import graph_of_definitions
from symattn.checking.desk import Desk
from symattn.checking.formulas import Formulas
from symattn.checking.graph import Axis, Cell, Graph, Valuation, graph_of_layer, is_defined
from symattn.checking.habits import bracketed
from symattn.checking.harm import Harm
from symattn.checking.link import Link
from symattn.checking.links import Links
from symattn.checking.marks import marks_of
from symattn.checking.numbers import DEFAULT_TIES, Numbers
from symattn.checking.policies import Stated, policy_of
from symattn.checking.report import Report
from symattn.checking.spoken import Spoken
from symattn.exact.quotient import Quotient
from symattn.exact.rounding import Rounding, decimal, round_exact
from symattn.notation import tree as t
from symattn.notation.documents import read_work
from symattn.notation.walk import walk
from symattn.notation.work import Heading, Prose, Work, Written
from symattn.problem.model import Problem

if TYPE_CHECKING:
    from symattn.notation.documents import Format


def check_text(
    problem: Problem,
    text: str,
    form: Format,
    source: str = "<work>",
    *,
    strict: bool = False,
) -> Report:
    """Checks a work against a problem.

    Args:
        problem: what was asked.
        text: the work.
        form: ``"tex"``, ``"md"``, ``"txt"`` or ``"ipynb"``.
        source: the name of the work in the report.
        strict: whether only the sheet's own rounding is accepted.

    Raises:
        InputError: the text is too long, or is no notebook.
    """
    return Checker(problem, strict=strict).report(text, form, source)


_FROM_ZERO = re.compile(
    r"\b(?:zero|0)[- ](?:based|indexed)\b|"
    r"\b(?:count|index|indices|number)\w* (?:start\w* |begin\w* )?(?:from|at|with) (?:0|zero)\b",
    re.IGNORECASE,
)
"""How people say that they count from 0."""


class Checker:
    """Checks works against one problem."""

    def __init__(self, problem: Problem, *, strict: bool = False) -> None:
        self.problem = problem
        self.strict = strict or problem.policy.strict
        self.layer: Layer | None = None if is_defined(problem) else attention_layer(problem)
        self.graph: Graph = graph_of_definitions(problem) if self.layer is None else graph_of_layer(self.layer)

    def report(self, text: str, form: Format, source: str) -> Report:
        """The report on one work."""
        work = read_work(text, form)
        scene = None if self.layer is None else self.layer.scene
        binder = Binder(self.graph, self.problem, scene, _base(work), strict=self.strict)
        numbers = Numbers(self.graph, self._carried, self._asked, self._tolerance, strict=self.strict, ties=self._ties)
        links = self._links(work, binder, numbers)
        harm = Harm(self.graph, links, self._shown, self._by_step)
        findings = tuple(harm.marked(link) for link in links)
        policy = policy_of(_stated(links), self.graph, self.problem.policy, self._under_policy)
        return Report(
            source,
            work.text,
            findings,
            policy,
            self._first(links),
            missing_names(_found(links), self.problem, self.graph),
            marks_of(links, self.problem, self.graph, numbers),
            self._remarks(links, binder),
        )

    def _links(self, work: Work, binder: Binder, numbers: Numbers) -> list[Link]:
        formulas = Formulas(self.graph, binder, self._axis)
        desk = Desk(work, self.graph, binder, numbers, formulas, Causes(self.graph, numbers))
        judge = Links(desk)
        spoken = Spoken(desk, judge)
        found: list[Link] = []
        for piece in work.pieces:
            match piece:
                case Heading():
                    binder.under(piece.text)
                    judge.forget()
                case Prose():
                    found.extend(spoken.prose(piece))
                case Written():
                    found.extend(spoken.formula(piece))
        return found

    def _remarks(self, links: list[Link], binder: Binder) -> tuple[str, ...]:
        """What concerns the whole work."""
        remarks = []
        if binder.base == 0:
            remarks.append("Rows and columns are counted from 0 in this work.")
        carried = {cell for link in links for cell, word in link.verdicts if word == "carried" and cell[0] == "O"}
        shown = [f"O[{i + 1},{j + 1}] {decimal(value, self._shown(name))}" for name, i, j in sorted(carried)
                 if (value := Valuation(self.graph).get(name, i, j)) is not None]  # fmt: skip
        if shown:
            remarks.append(f"Rounded once at the end the outputs are {', '.join(shown)}.")
        remarks.extend(
            f"For a person to judge: {', '.join(by_hand(part))} ({part.title or 'a part without title'})."
            for part in self.problem.parts
            if by_hand(part)
        )
        return tuple(remarks)

    def _shown(self, name: str) -> Rounding:
        """How a value of a quantity is compared where later answers are concerned."""
        step = self.graph.nodes[name].step
        return self.problem.policy.display(step or "outputs")

    def _by_step(self, name: str, value: Quotient) -> Quotient:
        """A value as the sheet rounds it before it is used further."""
        step = self.graph.nodes[name].step
        rounding = self.problem.policy.at(step) if step else None
        return value if rounding is None or value.symbols else Quotient.of(round_exact(value, rounding))

    def _under_policy(self, cell: Cell) -> Quotient | None:
        """The sheet's value of an entry: step-rounded where it rounds, exact where it does not."""
        if self.layer is None:
            return Valuation(self.graph).get(*cell)
        return self.layer.scene.quantities[cell[0]].carried[cell[1]][cell[2]]

    @property
    def _axis(self) -> Axis:
        return "columns" if self.problem.softmax == "columns" else "rows"

    @property
    def _ties(self) -> str:
        policy = self.problem.policy
        return policy.rounding.ties if policy.declared else DEFAULT_TIES

    def _carried(self, cell: Cell) -> Quotient | None:
        if self.layer is None or cell[0] not in self.layer.scene.quantities:
            return None
        quantity = self.layer.scene.quantities[cell[0]]
        return quantity.carried[cell[1]][cell[2]] if self.problem.policy.declared else None

    def _asked(self, name: str) -> Rounding | None:
        if not self.problem.policy.declared or name not in self.graph:
            return None
        step = self.graph.nodes[name].step
        return self.problem.policy.display(step) if step else None

    def _tolerance(self, name: str) -> Fraction:
        return self.problem.tolerance.get(name, Fraction(0))

    def _first(self, links: list[Link]) -> int | None:
        wrong = [position for position, link in enumerate(links) if link.finding.verdict == "wrong"]
        last = len(self.graph.order)

        def rank(position: int) -> tuple[int, int]:
            target = links[position].target
            return (last if target is None else self.graph.order[target.name], position)

        return min(wrong, key=rank) if wrong else None


def _stated(links: list[Link]) -> list[Stated]:
    return [
        Stated(cell, number, position)
        for position, link in enumerate(links)
        for cell, number, _ in link.stated
        if number.mixed is None and link.finding.verdict != "withdrawn"
    ]


def _found(links: list[Link]) -> set[Cell]:
    return {cell for link in links if link.finding.verdict != "withdrawn" for cell, _ in link.verdicts}


def _base(work: Work) -> int:
    """0 where the work says so or a name is indexed by 0 anywhere, else 1."""
    for piece in work.pieces:
        if isinstance(piece, Prose | Heading) and _FROM_ZERO.search(piece.text):
            return 0
        if not isinstance(piece, Written):
            continue
        for side in piece.sides:
            if side is not None and side.node is not None and any(map(_has_zero, walk(side.node))):
                return 0
    return 1


def _has_zero(node: t.Node) -> bool:
    if isinstance(node, t.Product) and isinstance(node.factors[0], t.Name | t.Subscript) and not any(node.operators):
        rest = [item for factor in node.factors[1:] for item in bracketed(factor)]
        return len(rest) in {1, 2} and any(item == t.Number("0") for item in rest)
    if not isinstance(node, t.Subscript):
        return False
    texts = [index.text for index in node.indices if isinstance(index, t.Number)]
    is_pair = len(texts) == 1 and len(texts[0]) == 2
    return len(texts) == len(node.indices) and ("0" in texts or (is_pair and "0" in texts[0] and texts[0] != "10"))
