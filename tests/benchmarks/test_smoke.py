"""The benchmarks run, and nothing is off by a factor: the figures themselves are read by hand."""

from __future__ import annotations

import os

import pytest

from tests.benchmarks import key


@pytest.mark.skipif(not hasattr(os, "wait4"), reason="needs the processor time of a child")
def test_a_key_costs_less_than_the_sympy_script() -> None:
    times = key.measure(runs=2)
    assert 0 < times.bare < times.ours
    assert times.ratio < 1
