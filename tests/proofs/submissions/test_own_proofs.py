"""The program's own proofs, handed back as somebody's work: accepted where the judge takes the theorem."""

from __future__ import annotations

import pytest

from symattn.api.proofs import prove
from symattn.api.submissions import check_proof
from symattn.notation.documents.reader import read_work
from symattn.proofs.catalogue.registry import theorem, theorems
from symattn.proofs.submissions.verdicts.judge import judge_work
from tests import tables

pytestmark = pytest.mark.unmeasured

DATA = tables.read("data/own_proofs.yaml")
ACCEPTED: list[str] = DATA["accepted"]
OPEN: dict[str, str] = DATA["open"]


def verdicts(text: str, name: str, form: str = "md", *, given: bool = False) -> list[str]:
    found = judge_work(read_work(text, "tex" if form == "tex" else "md"), theorem(name), is_given=given)
    return [item.verdict for item in found if item.is_claim]


def test_every_theorem_is_listed_once() -> None:
    assert sorted([*ACCEPTED, *OPEN]) == sorted(theorems())


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", ACCEPTED)
def test_an_own_proof_is_accepted(name: str) -> None:
    report = check_proof(name, prove(name).to_latex(), "tex", source="proof.tex")
    assert report.exit_status == 0, [
        (item.place.line, item.verdict, item.text) for item in report.findings if item.is_claim
    ]


@pytest.mark.parametrize("name", ["dot-product-variance", "dot-product-mean", "convex-hull"])
def test_an_own_proof_with_a_changed_formula_is_not_accepted(name: str) -> None:
    text = prove(name).to_latex()
    head, rest = text.split(r"\begin{align*}", 1)
    changes = {
        "dot-product-variance": ("2\\mu^{2}", "3\\mu^{2}"),
        "dot-product-mean": ("D\\mu^{2}", "D\\mu^{3}"),
        "convex-hull": (r"\le M", r"\le M/2"),
    }
    old, new = changes[name]
    assert old in rest
    report = check_proof(name, f"{head}\\begin{{align*}}{rest.replace(old, new, 1)}", "tex", source="proof.tex")
    assert report.exit_status != 0


FALSE = r"$$\operatorname{Var}(q^\top k) = D^2$$"
STATED = "The components of q and k are independent with mean 0 and variance 1."


@pytest.mark.parametrize(
    ("heading", "expected"),
    [
        ("## What is often written, and is false", []),
        ("## Common mistakes", []),
        ("## Errors", []),
        ("## Computed besides", []),
        ("## Proof", ["wrong"]),
        ("## Why this is not wrong", ["wrong"]),
        ("## Corrected mistakes", ["wrong"]),
        ("## Without mistakes", ["wrong"]),
    ],
)
def test_sections_that_quote_what_is_false_claim_nothing(heading: str, expected: list[str]) -> None:
    name = "dot-product-variance"
    quoted = f"{heading}\n\nTake $\\mu = 3$ and dependent components. {FALSE}\n\n"
    after = "## Result\n\n$$\\operatorname{Var}(q^\\top k) = D$$"
    found = verdicts(f"{STATED}\n\n{quoted}{after}", name)
    assert [word for word in found if word == "wrong"] == expected
    if not expected:
        assert found == ["right"]


def test_a_list_of_hypotheses_says_what_holds() -> None:
    """Whatever a theorem's statement says before it; what is denied later is denied."""
    name = "dot-product-variance"
    before = "**Theorem.** For dependent components nothing is known.\n\n"
    hypotheses = "## Hypotheses\n\n$q$ and $k$ are independent.\n\nthe pairs $(q_i, k_i)$ are independent over $i$.\n\n"
    moments = "$q_i$ and $k_i$ have mean 0 and variance 1.\n\n"
    claim = "## Proof\n\n$$\\operatorname{Var}(q^\\top k) = \\sum_{i=1}^D \\operatorname{Var}(q_i k_i)$$"
    assert verdicts(f"{before}{hypotheses}{moments}{claim}", name) == ["right"]
    denied = "$q$ and $k$ are not independent, and neither are their components.\n\n"
    assert verdicts(f"{before}{hypotheses}{moments}{denied}{claim}", name) == ["unstated"]
    assert verdicts(f"{before}{moments}{claim}", name) == ["unstated"]


def test_hypotheses_in_the_words_of_the_theorem_are_stated() -> None:
    listed = "## Hypotheses\n\nthe tokens $i$ and $l$ differ\n\n"
    claim = r"$$\frac{\partial F_{it}}{\partial X_{lc}} = 0$$"
    assert verdicts(f"{listed}## Proof\n\n{claim}", "ffn-is-position-wise") == ["right"]
    other = listed.replace("differ", "agree")
    assert verdicts(f"{other}## Proof\n\n{claim}", "ffn-is-position-wise") == ["unstated"]


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("softmax-jacobian", r"$$a_1 < a_2 \iff z_1 < z_2$$", ["undecided"]),
        ("softmax-jacobian", r"$a_1 < a_2$ if and only if $z_1 < z_2$.", ["undecided"]),
        (
            "average-of-two",
            r"$$\frac{n-2}{2e^s+(n-2)} \le \epsilon \iff \frac{(n-2)(1-\epsilon)}{2\epsilon} \le e^s$$",
            ["right"],
        ),
        (
            "average-of-two",
            r"$$e^s \ge \frac{(n-2)(1-\epsilon)}{2\epsilon} \iff \frac{n-2}{2e^s+(n-2)} \le \epsilon$$",
            ["right"],
        ),
        (
            "average-of-two",
            r"$$\frac{n-2}{2e^s+(n-2)} \le \epsilon \iff \frac{(n-2)(1-\epsilon)}{\epsilon} \le e^s$$",
            ["undecided"],
        ),
    ],
)
def test_the_sides_of_an_equivalence_are_not_claimed(name: str, text: str, expected: list[str]) -> None:
    assert verdicts(text, name, given=True) == expected


def test_rows_that_are_not_aligned_are_statements_of_their_own() -> None:
    rows = r"\sum_{j=1}^n a_j = 1 \\ -\sum_{j=1}^n a_j = -1"
    assert verdicts(f"\\begin{{gather*}}{rows}\\end{{gather*}}", "softmax-is-a-distribution", "tex") == ["right"] * 2
    aligned = r"\sum_{j=1}^n a_j &= 1 + a_1 \\ &\quad - a_1 = 1"
    assert verdicts(f"\\begin{{align*}}{aligned}\\end{{align*}}", "softmax-is-a-distribution", "tex") == ["right"] * 2


def test_a_command_that_latex_has_keeps_its_meaning() -> None:
    spare = r"\makeatletter\@ifundefined{mathbb}{\newcommand{\mathbb}[1]{{\mathrm{I\mkern-3mu #1}}}}{}\makeatother"
    text = f"{spare}\n\\begin{{document}}\n{STATED} $\\mathbb{{E}}[q^\\top k] = 0$\\end{{document}}"
    report = check_proof("dot-product-mean", text, "tex", source="proof.tex")
    assert [(item.verdict, item.place.line) for item in report.findings if item.is_claim] == [("right", 3)]


def test_what_follows_an_if_up_to_its_then_is_a_condition() -> None:
    text = "If every token attends to itself alone, $A = I$, then $h_i = W c_i$."
    assert verdicts(text, "running-linear", given=True) == ["undecided"]
    text = f"{STATED} If both vectors are one, $q = k$, then $E[q^\\top k] = D$."
    assert verdicts(text, "dot-product-variance") == ["right"]
