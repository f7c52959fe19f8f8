"""The layer of a design, prepared once for all draws: answers, mistakes, enclosures, stages of the search."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from typing import TypeAlias

from symattn.checking.graph.layer import graph_of_layer
from symattn.checking.graph.quantities import Graph
from symattn.courses.variants.constraints import Both, Line, Stage, Views, active
from symattn.courses.variants.design import Design
from symattn.courses.variants.draws import Rows
from symattn.courses.variants.exact_values import ExactNumbers
from symattn.courses.variants.lines import lines_of
from symattn.courses.variants.mistakes import Mistake, answers_of, usual_mistakes
from symattn.courses.variants.numbers import UndefinedNumberError
from symattn.courses.variants.screening import Ball, Screen, Unit
from symattn.errors import UndecidedError, UnprovedError
from symattn.exact.field.quotient import Quotient
from symattn.exact.linear.matrix import Matrix
from symattn.graph.builders.attention import attention_layer
from symattn.graph.builders.layer import base_of
from symattn.problem.model import Problem
from symattn.problem.settings.policy import NAMED_STEPS, Policy

TRIES = (200, 40)
"""Draws of the second and of the third stage for one good draw of the stage before."""

Screens: TypeAlias = tuple[Screen, Screen]


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
        views: enclosures of the numbers of the present draw.
        verdicts: the first constraint that lines of weights fail, by their scores.
    """

    def __init__(self, design: Design) -> None:
        self.design = design
        self._layer = attention_layer(design.problem)
        self.graph = without_known(graph_of_layer(self._layer))
        self.answers = answers_of(self._layer, self.graph)
        policy = design.problem.policy
        self.policies = replace(policy, steps=()), stepwise(policy)
        self.constraints = active(design)
        self._unit = self._shared_unit()
        end, steps = self.policies
        self._screens: Screens = Screen(self.graph, end, self._unit), Screen(self.graph, steps, self._unit)
        numbers = {value for rows in design.choices.values() for row in rows for each in row for value in each}
        self._balls: Mapping[Fraction, Ball] = {value: self._unit.of(value) for value in numbers}
        self.stages = tuple(self._split())
        self.views = Views(self._screens, self._mistaken)
        self.verdicts: dict[tuple[object, ...], str | None] = {}

    @cached_property
    def mistakes(self) -> tuple[Mistake, ...]:
        """The usual mistakes on the way to the answers."""
        return usual_mistakes(self._layer, self.graph, self.answers)

    @cached_property
    def _mistaken_screens(self) -> tuple[Screens, ...]:
        end, steps = self._screens
        return tuple(
            (
                Screen(one.graph, end.policy, self._unit, end, one.touched),
                Screen(one.graph, steps.policy, self._unit, steps, one.touched),
            )
            for one in self.mistakes
        )

    def put(self, inputs: Mapping[str, Rows]) -> None:
        """Give the enclosures other inputs."""
        for name, rows in inputs.items():
            balls = [[self._balls[value] for value in row] for row in rows]
            for screen in self._screens:
                screen.put(name, balls)

    def _mistaken(self) -> Iterator[Both]:
        for screens in self._mistaken_screens:
            for screen in screens:
                screen.forget(tuple(screen.graph.nodes))
            yield screens

    def key_of(self, line: Line) -> tuple[object, ...] | None:
        """Return what determines the verdict on a line: its scores; None where they do not, or one is open."""
        if not line.is_local:
            return None
        try:
            scores = [screen.met(*cell)[-1] for screen in self._screens for cell in line.scores]
        except (UndecidedError, UndefinedNumberError):
            return None
        return (line.weights[0][0], *scores)

    def problem(self, inputs: Mapping[str, Rows]) -> Problem:
        """Return the problem with drawn inputs."""
        return replace(self.design.problem, inputs={**self.design.problem.inputs, **_matrices(inputs)})

    def exact(self, inputs: Mapping[str, Rows]) -> Views:
        """Return the exact numbers of a draw."""
        return Views(
            self._exact_of(self.graph, inputs), lambda: (self._exact_of(one.graph, inputs) for one in self.mistakes)
        )

    def _exact_of(self, graph: Graph, inputs: Mapping[str, Rows]) -> tuple[ExactNumbers, ...]:
        drawn = Graph(graph.nodes, {**graph.given, **_matrices(inputs)})
        return tuple(ExactNumbers(drawn, policy) for policy in self.policies)

    def compare_with_key(self, inputs: Mapping[str, Rows]) -> None:
        """Compare the exact numbers of a draw with those that the key of its problem prints.

        Raises:
            UnprovedError: a number is another one.
        """
        layer = attention_layer(self.problem(inputs))
        numbers = self._exact_of(self.graph, inputs)[bool(self.design.problem.policy.steps)]
        for name, quantity in layer.scene.quantities.items():
            for _, i, j in self.graph.cells(name) if name in self.graph else ():
                if numbers.value(name, i, j) != quantity.carried[i][j]:
                    raise UnprovedError(f"A variant and its key differ at {name}[{i + 1},{j + 1}].")

    def _shared_unit(self) -> Unit:
        numbers = [value for rows in self.design.choices.values() for row in rows for each in row for value in each]
        given = (entry for name in self.design.problem.inputs for row in self.graph.given[name].rows for entry in row)
        numbers.extend(value for entry in given if (value := entry.rational()) is not None)
        roundings = [self.policies[1].rounding, *(own for _, own in self.policies[1].each)]
        places = max((own.places or own.figures or 0) for own in roundings)
        return Unit([value.denominator for value in numbers], places)

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
            yield Stage(tuple(group), tuple(lines), names, answers, self.answers if is_last else (), tries)


def stepwise(policy: Policy) -> Policy:
    """Return the policy of a sheet that rounds at steps; where it rounds at the end, the one that rounds matrices."""
    return policy if policy.steps else replace(policy, steps=NAMED_STEPS["matrices"])


def without_known(graph: Graph) -> Graph:
    """Return a graph in which only the inputs have values."""
    return Graph(graph.nodes, graph.given)


def _matrices(inputs: Mapping[str, Rows]) -> dict[str, Matrix]:
    return {name: Matrix([list(map(Quotient.of, row)) for row in rows]) for name, rows in inputs.items()}
