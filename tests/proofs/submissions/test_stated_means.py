"""What a work says of the mean decides which special values it may take for granted."""

from __future__ import annotations

import pytest

from symattn.api.submissions import check_proof

CHAIN = r"$$\mathrm{Var}(q^\top k) = \sum_{i=1}^{D} \mathrm{Var}(q_i k_i) = D \sigma^4$$"


@pytest.mark.parametrize(
    ("words", "verdict"),
    [
        ("independent with i.i.d. components, mean $\\mu$ and variance $\\sigma^2$", "wrong"),
        ("independent with i.i.d. components of zero mean and variance $\\sigma^2$", "right"),
        ("independent with i.i.d. components", "unstated"),
    ],
)
def test_a_mean_that_is_named_is_not_zero(words: str, verdict: str) -> None:
    report = check_proof("dot-product-variance", f"Let q and k be {words}.\n\n{CHAIN}\n", "md")
    assert [finding.verdict for finding in report.findings if "sigma^4" in finding.text][-1] == verdict
