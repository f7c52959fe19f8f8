"""The layer of a design, prepared once for all draws: answers, mistakes, enclosures, stages of the search."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import count
from typing import TypeAlias

from symattn.checking.graph.layer import graph_of_layer
from symattn.checking.graph.quantities import Graph
from symattn.courses.variants.constraints import Both, Shown, Stage, Views, active
from symattn.courses.variants.design import Design
from symattn.courses.variants.draws import Rows
from symattn.courses.variants.exact_values import ExactNumbers
from symattn.courses.variants.lines import Line, lines_of
from symattn.courses.variants.mistakes import answers_of, usual_mistakes
from symattn.courses.variants.numbers import UndefinedNumberError
from symattn.courses.variants.screening import Ball, Screen, Unit
from symattn.errors import UndecidedError, UnprovedError
from symattn.exact.field.quotient import Quotient
from symattn.exact.linear.matrix import Matrix
from symattn.graph.builders.attention import attention_layer
from symattn.graph.builders.layer import base_of
from symattn.problem.model import Problem
from symattn.problem.settings.policy import NAMED_STEPS, Policy

TRIES = (400, 100)
"""Draws of the second and of the third stage at most, for one good draw of the stage before."""

_PROBES = (1009, 2003)

_Screens: TypeAlias = tuple[Screen, Screen]

_Answer: TypeAlias = list[Ball | None]


class Program:
    """The layer of a design, prepared for draws.

    Args:
        design: the design.

    Attributes:
        graph: the quantities, with the inputs of the problem's file.
        answers: the quantities that the problem asks for.
        policies: rounding at the end, and at the steps of the sheet.
        constraints: the names of those that the design asks for.
        stages: the stages of the search.
        mistakes: the usual mistakes on the way to the answers, none where the design asks nothing of them.
        views: enclosures of the numbers of the present draw.
        verdicts: the first constraint that lines of weights fail, by their scores.
    """

    def __init__(self, design: Design) -> None:
        self.design = design
        layer = attention_layer(design.problem)
        graph = graph_of_layer(layer)
        self.graph = Graph(graph.nodes, graph.given)
        self.answers = answers_of(layer, self.graph)
        policy = design.problem.policy
        self.policies = replace(policy, steps=()), stepwise(policy)
        self.constraints = active(design)
        self.stages = tuple(self._split())
        self.mistakes = usual_mistakes(layer, self.graph, self.answers) if design.telling else ()
        self._unit = self._shared_unit()
        end, steps = self.policies
        self._screens: _Screens = Screen(self.graph, end, self._unit), Screen(self.graph, steps, self._unit)
        self._mistaken_screens: tuple[_Screens, ...] = tuple(
            (self._mistaken_screen(0, one.graph, one.touched), self._mistaken_screen(1, one.graph, one.touched))
            for one in self.mistakes
        )
        self._shown = self._shown_by_mistakes()
        self._balls: Mapping[Fraction, Ball] = {value: self._unit.of(value) for value in _numbers_of(design)}
        self.views = Views(self._screens, self._mistaken)
        self.verdicts: dict[tuple[object, ...], str | None] = {}

    def _mistaken_screen(self, which: int, graph: Graph, touched: frozenset[str]) -> Screen:
        base = self._screens[which]
        return Screen(graph, base.policy, self._unit, base, touched)

    # Enclosures --------------------------------------------------------------------------------------

    def put(self, inputs: Mapping[str, Rows]) -> None:
        """Give the enclosures other inputs."""
        for name, rows in inputs.items():
            self._put(name, [[self._balls[value] for value in row] for row in rows])

    def _put(self, name: str, rows: Sequence[Sequence[Ball]]) -> None:
        for screen in self._screens:
            screen.put(name, rows)

    def _mistaken(self) -> Iterator[tuple[Shown, Both]]:
        for shown, screens in zip(self._shown, self._mistaken_screens, strict=True):
            for screen in screens:
                screen.forget(tuple(screen.graph.nodes))
            yield shown, screens

    def key_of(self, line: Line) -> tuple[object, ...] | None:
        """Return what determines the verdict on a line: its scores; None where they do not, or one is open."""
        if not line.is_local:
            return None
        try:
            scores = [screen.met(*cell)[-1] for screen in self._screens for cell in line.scores]
        except (UndecidedError, UndefinedNumberError):
            return None
        return (line.weights[0][0], *scores)

    def _shown_by_mistakes(self) -> tuple[Shown, ...]:
        """Return what each mistake changes.

        Mistakes that agree at a quantity for draws of fractions without a pattern are formulas that come to the same
        there: no draw could tell them apart, and they get the same number.
        """
        names = [name for name in self.graph.nodes if self._screens[1].is_rounded(name) or name in self.answers]
        found: list[dict[str, int]] = [{name: -1 for name in names if name in one.touched} for one in self.mistakes]
        probes = [self._probe(prime, names) for prime in _PROBES if self.mistakes]
        for number, shown in enumerate(found):
            for name in shown:
                others = (k for k in range(number) if name in found[k])
                twin = (k for k in others if all(_agree(probe[k][name], probe[number][name]) for probe in probes))
                shown[name] = next(twin, number)
        return tuple(found)

    def _probe(self, prime: int, names: Sequence[str]) -> list[dict[str, _Answer]]:
        """Return what each mistake makes of fractions without a pattern."""
        squares = (Fraction(k * k % prime, prime) for k in count(2))
        for name, rows in self.design.choices.items():
            self._put(name, [[self._unit.of(next(squares)) for _ in row] for row in rows])
        made = []
        for end, _ in self._mistaken_screens:
            end.forget(tuple(end.graph.nodes))
            made.append({name: [_known(end, *cell) for cell in self.graph.cells(name)] for name in names})
        return made

    def _shared_unit(self) -> Unit:
        given = (entry for name in self.design.problem.inputs for row in self.graph.given[name].rows for entry in row)
        numbers = [*_numbers_of(self.design), *(value for entry in given if (value := entry.rational()) is not None)]
        roundings = [self.policies[1].rounding, *(own for _, own in self.policies[1].each)]
        places = max((own.places or own.figures or 0) for own in roundings)
        return Unit([value.denominator for value in numbers], places)

    # Exact values ------------------------------------------------------------------------------------

    def problem(self, inputs: Mapping[str, Rows]) -> Problem:
        """Return the problem with drawn inputs."""
        return replace(self.design.problem, inputs={**self.design.problem.inputs, **_matrices(inputs)})

    def exact(self, inputs: Mapping[str, Rows]) -> Views:
        """Return the exact numbers of a draw."""

        def mistaken() -> Iterator[tuple[Shown, Both]]:
            for shown, one in zip(self._shown, self.mistakes, strict=True):
                yield shown, self.exact_numbers(one.graph, inputs)

        return Views(self.exact_numbers(self.graph, inputs), mistaken)

    def exact_numbers(self, graph: Graph, inputs: Mapping[str, Rows]) -> tuple[ExactNumbers, ExactNumbers]:
        """Return the exact numbers of a draw under both roundings, by a graph of the layer or of a mistake."""
        drawn = Graph(graph.nodes, {**graph.given, **_matrices(inputs)})
        end, steps = self.policies
        return ExactNumbers(drawn, end), ExactNumbers(drawn, steps)

    def compare_with_key(self, inputs: Mapping[str, Rows]) -> None:
        """Compare the exact numbers of a draw with those that the key of its problem prints.

        Raises:
            UnprovedError: a number is another one.
        """
        layer = attention_layer(self.problem(inputs))
        numbers = self.exact_numbers(self.graph, inputs)[bool(self.design.problem.policy.steps)]
        for name, quantity in layer.scene.quantities.items():
            for _, i, j in self.graph.cells(name) if name in self.graph else ():
                if numbers.value(name, i, j) != quantity.carried[i][j]:
                    raise UnprovedError(f"A variant and its key differ at {name}[{i + 1},{j + 1}].")

    # Stages ------------------------------------------------------------------------------------------

    def _split(self) -> Iterator[Stage]:
        """Yield the stages: inputs of the weights but the queries' own, then these, then all others."""
        graph, varied = self.graph, tuple(self.design.choices)
        maps = {name for name in graph.nodes if base_of(name) == "A"}
        early = [name for name in varied if maps & set(graph.below(name))]
        queries = [name for name in early if base_of(name) == "W_Q"]
        groups = [
            [name for name in early if name not in queries], queries, [name for name in varied if name not in early]
        ]  # fmt: skip
        drawn = [group for group in groups if group]
        ready: set[str] = set()
        for number, group in enumerate(drawn):
            later = {name for other in drawn[number + 1 :] for one in other for name in (one, *graph.below(one))}
            made = [name for name in graph.nodes if name not in later and name not in ready]
            ready.update(made)
            lines = [line for name in made if name in maps for line in lines_of(graph, name, self.answers)]
            covered = {cell[0] for line in lines for cell in (*line.weights, *line.scores, *line.parts)}
            names = tuple(name for name in made if name not in covered)
            answers = tuple(name for name in self.answers if name in names)
            tries = TRIES[number - len(drawn)] if number else 1
            is_last = number == len(drawn) - 1
            yield Stage(tuple(group), tuple(lines), names, tuple(made), answers, self.answers if is_last else (), tries)


def stepwise(policy: Policy) -> Policy:
    """Return the policy of a sheet that rounds at steps; where it rounds at the end, the one that rounds matrices."""
    return policy if policy.steps else replace(policy, steps=NAMED_STEPS["matrices"])


def _numbers_of(design: Design) -> set[Fraction]:
    """Return all numbers that entries are drawn from."""
    return {value for rows in design.choices.values() for row in rows for options in row for value in options}


def _matrices(inputs: Mapping[str, Rows]) -> dict[str, Matrix]:
    return {name: Matrix([list(map(Quotient.of, row)) for row in rows]) for name, rows in inputs.items()}


def _known(screen: Screen, name: str, i: int, j: int) -> Ball | None:
    try:
        return screen.met(name, i, j)[-1]
    except (UndecidedError, UndefinedNumberError):
        return None


def _agree(first: Iterable[Ball | None], second: Iterable[Ball | None]) -> bool:
    """Return whether all numbers may be the same, as far as their enclosures tell."""
    pairs = ((one, other) for one, other in zip(first, second, strict=True) if one is not None and other is not None)
    return all(abs(a - b) <= max(r, 0) + max(q, 0) for (a, r), (b, q) in pairs)
