"""Values of thousands of digits in work on a proof: they are compared, and written with a few figures."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest

from symattn.api.submissions import check_proof
from symattn.exact.field.expsum import ExpSum
from symattn.exact.field.quotient import Quotient
from symattn.notation.tree.nodes import Number
from symattn.proofs.cases.numeric_tower import closed_form


@pytest.mark.parametrize("number", ["1e4000", "1e5000", "1e-5000", "1e9000", "1e-9000"])
@pytest.mark.parametrize("statement", ["E[q_i + {n}] = E[q_i]", "E[q_i] + {n} = E[q_i]"])
def test_a_long_number_that_is_wrong_is_found(number: str, statement: str) -> None:
    report = check_proof("dot-product-mean", f"${statement.format(n=number)}$", "tex", source="work")
    assert "wrong" in {finding.verdict for finding in report.findings}
    assert len(json.dumps(report.as_json())) < 10_000


@pytest.mark.parametrize("long", [Fraction(10**5000, 3), Fraction(3, 10**5000), Quotient(10**5000, ExpSum.exp(1) + 1)])
def test_a_long_number_has_no_closed_form(long: Fraction | Quotient) -> None:
    assert closed_form(long) == ""


def test_a_long_numeral_is_worked_out_once() -> None:
    assert Number("1e99999").value is Number("1e99999").value


@pytest.mark.parametrize("number", ["1e99999", "1e-99999", "1e999999", "3.7e200000"])
def test_a_number_too_long_to_work_with_is_left_open(number: str) -> None:
    (found,) = check_proof("dot-product-mean", f"$E[q_i + {number}] = E[q_i]$", "tex", source="work").findings
    assert (found.verdict, found.explanation.partition(" ")[2]) == (
        "undecided",
        "has more digits than are worked with in a proof.",
    )
