"""Every operation makes what an independent reference makes, and a faulty one does not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from symattn.operations.table import TABLE
from tests.operations.draws import DRAWS, drawn, is_right, made
from tests.operations.mutants import mutants
from tests.operations.reference import REFERENCES

SEEDS = 200
MUTANT_SEEDS = 40


def test_every_operation_has_a_reference_and_draws() -> None:
    assert set(TABLE) == set(REFERENCES) == set(DRAWS)


@pytest.mark.parametrize("name", TABLE)
def test_values_are_those_of_the_reference(name: str) -> None:
    wrong = [seed for seed in range(8) if not is_right(TABLE[name], seed)]
    assert not wrong


@pytest.mark.long
@pytest.mark.parametrize("name", TABLE)
def test_values_are_those_of_the_reference_on_many_draws(name: str) -> None:
    wrong = [seed for seed in range(8, SEEDS) if not is_right(TABLE[name], seed)]
    assert not wrong


@pytest.mark.parametrize("name", [name for name in TABLE if TABLE[name].kernel])
def test_a_kernel_makes_what_the_entries_make(name: str) -> None:
    operation = TABLE[name]
    for seed in range(8):
        operands, arguments = drawn(name, seed)
        assert made(operation, operands, arguments) == made(replace(operation, kernel=None), operands, arguments)


@pytest.mark.parametrize("name", TABLE)
def test_faulty_entries_are_found(name: str) -> None:
    operation = TABLE[name]
    living: set[str] = set()
    for first in range(3):
        operands, arguments = drawn(name, first)
        shapes = [(len(rows), len(rows[0])) for rows in operands]
        for words, mutant in mutants(operation, operation.params.read(arguments), shapes):
            if all(is_right(mutant, seed) for seed in (first, *range(MUTANT_SEEDS))):
                living.add(words)
    assert not living
