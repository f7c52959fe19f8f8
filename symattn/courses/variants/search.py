"""Search for variants: inputs are drawn in stages, a later stage many times for one good draw of the stage before.

A layer shows its faults early: once the inputs of the weights are drawn, the weights are judged, and only where they
are good are values drawn for them. The counters of all stages go into the draws, so the order of the search is the
same for everybody. Enclosures judge first and exact values where they leave a question open; what is accepted is
confirmed by exact values throughout, and compared with the numbers of the key.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import count
from math import prod
from typing import Any

from symattn.courses.variants.constraints import CONSTRAINTS, LINE_CONSTRAINTS, Stage, Views, holds
from symattn.courses.variants.design import Design, read_design
from symattn.courses.variants.draws import Draws, Rows
from symattn.courses.variants.lines import Line
from symattn.courses.variants.program import Program
from symattn.errors import InputError, UndecidedError, UnprovedError
from symattn.processes.pool import pool
from symattn.records import dataclass

MOST_DRAWS = 500_000
"""Draws for one variant after which a design is refused."""


@dataclass(frozen=True, slots=True)
class Found:
    """An accepted draw.

    Attributes:
        student: the key of the student, or the number of the variant.
        inputs: the drawn inputs.
        draws: draws that it took, of all stages.
        rejected: how many of these each constraint rejected.
    """

    student: str
    inputs: Mapping[str, Rows]
    draws: int
    rejected: Mapping[str, int]


def distance(first: Mapping[str, Rows], second: Mapping[str, Rows]) -> int:
    """Return the number of entries in which drawn inputs differ.

    >>> distance({"X": ((1, 2), (3, 4))}, {"X": ((1, 0), (3, 5))})
    2
    """
    pairs = ((row, other) for name, rows in first.items() for row, other in zip(rows, second[name], strict=True))
    return sum(one != other for row, its in pairs for one, other in zip(row, its, strict=True))


def find_variants(
    program: Program, seed: int, students: Sequence[str], most: int = MOST_DRAWS, jobs: int = 1
) -> Iterator[Found]:
    """Yield the variant of each student, which differs enough from all before.

    Each is first searched for as if there were no others. Only where it is too near another one, the search is run
    again and rejects such draws. So the same variants come out of any number of processes.

    Raises:
        InputError: no draw for a student meets the design.
        OutputError: a process of several ended.
    """
    found: list[Mapping[str, Rows]] = []
    with _found_alone(program, seed, students, most, jobs) as alone:
        for student, one in zip(students, alone, strict=True):
            is_near = any(distance(one.inputs, other) < program.design.apart for other in found)
            accepted = Search(program, seed, student, found, most).found() if is_near else one
            found.append(accepted.inputs)
            yield accepted


@contextmanager
def _found_alone(
    program: Program, seed: int, students: Sequence[str], most: int, jobs: int
) -> Iterator[Iterator[Found]]:
    """Open the variants of all students, each found without the others, in as many processes as there are jobs."""
    if jobs == 1:
        yield (Search(program, seed, student, most=most).found() for student in students)
        return
    design = program.design
    with pool(jobs, _prepare, design.tables, design.problem.source, seed, most) as processes:
        yield processes.map(_find, students)


_prepared: list[tuple[Program, int, int]] = []
"""The program of a worker, its seed and the most draws."""


def _prepare(tables: Mapping[str, Any], source: str, seed: int, most: int) -> None:
    _prepared[:] = [(Program(read_design(tables, source)), seed, most)]


def _find(student: str) -> Found:
    ((program, seed, most),) = _prepared
    return Search(program, seed, student, most=most).found()


class Search:
    """The search for the variant of one student.

    Args:
        program: the layer of the design.
        seed: of the whole course.
        student: the key of the student, or the number of the variant.
        others: drawn inputs from which the variant must differ.
        most: draws after which the design is refused.
    """

    def __init__(
        self,
        program: Program,
        seed: int,
        student: str,
        others: Sequence[Mapping[str, Rows]] = (),
        most: int = MOST_DRAWS,
    ) -> None:
        self._program, self._student, self._others, self._most = program, student, others, most
        self._draws = Draws(seed, program.design.digest, student)
        self._count = 0
        self._rejected: Counter[str] = Counter()
        self._inputs: dict[str, Rows] = {}
        self._exact: Views | None = None

    def found(self) -> Found:
        """Return the first draw that meets all constraints.

        Raises:
            InputError: none does, with how many each constraint rejected.
        """
        next(counter for counter in count() if self._is_good(0, (counter,)))
        return Found(self._student, dict(self._inputs), self._count, dict(self._rejected))

    def _is_good(self, number: int, counters: tuple[int, ...]) -> bool:
        """Draw a stage; return whether it is good, and a draw of each later stage with it."""
        stages = self._program.stages
        self._draw(stages[number], counters)
        failed = self._first_failure(stages[number])
        is_last = number == len(stages) - 1
        if failed is None and is_last and self._is_near():
            failed = "apart"
        if failed is not None:
            self._rejected[failed] += 1
            return False
        if is_last:
            self._confirm()
            return True
        return any(self._is_good(number + 1, (*counters, again)) for again in range(self._tries(stages[number + 1])))

    def _tries(self, stage: Stage) -> int:
        choices = self._program.design.choices
        return min(stage.tries, prod(len(each) for name in stage.inputs for row in choices[name] for each in row))

    def _draw(self, stage: Stage, counters: tuple[int, ...]) -> None:
        if self._count >= self._most:
            raise InputError(self._refusal())
        self._count += 1
        self._exact = None
        choices = self._program.design.choices
        drawn = self._draws.inputs({name: choices[name] for name in stage.inputs}, counters)
        self._inputs.update(drawn)
        self._program.put(drawn)

    def _is_near(self) -> bool:
        return any(distance(self._inputs, other) < self._program.design.apart for other in self._others)

    def _first_failure(self, stage: Stage) -> str | None:
        """Return the first constraint that a draw fails, line by line and then as a whole; None where it meets all."""
        program = self._program
        for line in stage.lines:
            key = program.key_of(line)
            if key is None or key not in program.verdicts:
                of_line = (name for name in LINE_CONSTRAINTS if name in program.constraints)
                failed = next((name for name in of_line if not self._holds(LINE_CONSTRAINTS[name], line)), None)
                if key is not None:
                    program.verdicts[key] = failed
            else:
                failed = program.verdicts[key]
            if failed is not None:
                return failed
        of_stage = (name for name in CONSTRAINTS if name in program.constraints)
        return next((name for name in of_stage if not self._holds(CONSTRAINTS[name], stage)), None)

    def _holds(self, constraint: Callable[[Design, Views, Any], bool], of: Line | Stage) -> bool:
        """Return whether a constraint holds, by enclosures, or else by exact values."""
        program = self._program
        try:
            return holds(constraint, program.design, program.views, of)
        except UndecidedError:
            views = self._exact = self._exact or program.exact(self._inputs)
            return holds(constraint, program.design, views, of)

    def _confirm(self) -> None:
        """Confirm all constraints by exact values alone, and these by the numbers of the key.

        Raises:
            UnprovedError: enclosures and exact values disagree.
        """
        program, views = self._program, self._program.exact(self._inputs)
        lines = [line for stage in program.stages for line in stage.lines]
        asked: list[tuple[str, Callable[[Design, Views, Any], bool], Line | Stage]] = [
            *((name, constraint, line) for name, constraint in LINE_CONSTRAINTS.items() for line in lines),
            *((name, constraint, stage) for name, constraint in CONSTRAINTS.items() for stage in program.stages),
        ]
        for name, constraint, of in asked:
            if name in program.constraints and not holds(constraint, program.design, views, of):
                raise UnprovedError(f"The variant of {self._student} passed the screening and fails {name}.")
        program.compare_with_key(self._inputs)

    def _refusal(self) -> str:
        program = self._program
        names = [*program.constraints, "apart"]
        counts = ", ".join(f"{name} {self._rejected[name]:,}" for name in names if self._rejected[name])
        good = self._count - sum(self._rejected.values())
        return (
            f"{program.design.problem.source}: no variant for {self._student} in {self._count:,} draws. Rejected by "
            f"constraint: {counts or 'none'}; {good:,} were good as far as they went. Loosen the constraint that "
            "rejects most, or vary more numbers."
        )
