from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings

from symattn.notation.parser.latex import read_latex
from symattn.notation.parser.plain import read_plain
from symattn.notation.tree import nodes as t
from symattn.notation.writers.latex import write_latex
from symattn.notation.writers.mathml import write_mathml
from symattn.notation.writers.plain import write_plain
from tests.notation.mathml_reader import read_mathml
from tests.notation.trees import FUNCTIONS, well_formed_trees

SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]


@given(well_formed_trees())
@settings(max_examples=60, deadline=None, suppress_health_check=SLOW)
def test_latex_is_read_back(node: t.Node) -> None:
    assert read_latex(write_latex(node)) == node


@given(well_formed_trees())
@settings(max_examples=60, deadline=None, suppress_health_check=SLOW)
def test_plain_text_is_read_back(node: t.Node) -> None:
    assert read_plain(write_plain(node)) == node


@pytest.mark.unmeasured
@given(well_formed_trees(proofs=True))
@settings(max_examples=80, deadline=None, suppress_health_check=SLOW)
def test_the_forms_of_proofs_are_read_back(node: t.Node) -> None:
    assert read_latex(write_latex(node, FUNCTIONS), FUNCTIONS) == node
    assert read_plain(write_plain(node, FUNCTIONS), FUNCTIONS) == node
    assert read_mathml(write_mathml(node, functions=FUNCTIONS), FUNCTIONS) == node


@pytest.mark.long
@given(well_formed_trees(60, proofs=True))
@settings(max_examples=3_000, deadline=None, derandomize=False, suppress_health_check=SLOW)
def test_many_forms_of_proofs_are_read_back(node: t.Node) -> None:
    assert read_latex(write_latex(node, FUNCTIONS), FUNCTIONS) == node
    assert read_plain(write_plain(node, FUNCTIONS), FUNCTIONS) == node
    assert read_mathml(write_mathml(node, functions=FUNCTIONS), FUNCTIONS) == node


@pytest.mark.long
@given(well_formed_trees(60))
@settings(max_examples=3_000, deadline=None, derandomize=False, suppress_health_check=SLOW)
def test_many_trees_are_read_back(node: t.Node) -> None:
    assert read_latex(write_latex(node)) == node
    assert read_plain(write_plain(node)) == node
