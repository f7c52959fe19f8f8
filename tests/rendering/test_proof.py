"""Proofs on paper: formulas, chains with their reasons, and pages that compile without a complaint."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from symattn.api import proofs
from symattn.notation.tree import nodes as t
from symattn.proofs.cases.counterexamples import Refuted, Sides
from symattn.proofs.catalogue.authoring.theorem import Builder, CounterExample, Falsehood
from symattn.proofs.catalogue.registry import theorem, theorems
from symattn.proofs.kernel.record import Check, Proof
from symattn.proofs.language.interpretation import read_text
from symattn.proofs.language.scope import Declared, Defined, Hypothesis, Scope
from symattn.proofs.lemmas.statements import STATEMENTS
from symattn.proofs.lemmas.table import LEMMAS
from symattn.proofs.proof_replay import replay
from symattn.rendering.content import Level
from symattn.rendering.latex.compilation import compile_tex, engines
from symattn.rendering.proofs.chains import fitting
from symattn.rendering.proofs.formulas import displayed, formula, pieces, room_of, words, words_or_formula
from symattn.rendering.proofs.page import head_of, proof_page
from symattn.rendering.proofs.refutations import counterexample_latex, false_claim
from tests import house
from tests.rendering.page_measures import FLOOR, scalings
from tests.tex_logs import log_problems

ENGINES = [
    pytest.param("system", marks=pytest.mark.tex),
    pytest.param(
        "tinytex",
        marks=pytest.mark.skipif(
            all(engine.name != "tinytex" for engine in engines()),
            reason='no engine from pip: pip install "symattn[pdf]"',
        ),
    ),
]

SCOPE = Scope(
    (
        Declared("n", sign="positive"),
        Declared("mu"),
        Declared("sigma_q"),
        Declared("z", ("n",)),
        Declared("k_1", ("n",)),
        Declared("W", ("n", "n")),
        Declared("W_QK", ("n", "n")),
        Declared("loss", latex=r"\mathcal{L}"),
        Declared("eps"),
        Declared("zbar", ("n",)),
        Declared("muhat"),
    ),
    (Defined("a", ("j",), ("n",), "exp(z_j)/sum_{l=1}^{n} exp(z_l)", sign="positive"),),
    permutations=("pi",),
)


# Formulas ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "tex"),
    [
        ("delta_{ij}", r"\delta_{ij}"),
        ("delta_{12}", r"\delta_{12}"),
        ("W_{ij} + W_{i,j}", "W_{ij} + W_{ij}"),
        ("W_{ij}^2", "W_{ij}^{2}"),
        ("W_QK", r"W_{\mathrm{QK}}"),
        ("k_1_i", "k_{1,i}"),
        ("sigma_q^2", r"\sigma_{q}^{2}"),
        ("E(q^T k)", r"\mathbb{E}[q^{\top} k]"),
        ("exp(-(z_1 - z_2)/2)", "e^{-(z_{1} - z_{2})/2}"),
        ("exp(1)/(exp(1) + 1)", r"\frac{e}{e + 1}"),
        ("exp(z_1)^2", "(e^{z_{1}})^{2}"),
        ("n (0)^2", r"n \cdot 0^{2}"),
        ("2 (3)^2", r"2 \cdot 3^{2}"),
        ("2*mu", r"2\mu"),
        ("3/2*exp(2)", r"\tfrac{3}{2} e^{2}"),
        ("(-1)^n", "(-1)^{n}"),
        ("(1/4) mu", r"\tfrac{1}{4}\mu"),
        ("mu^(1/2)", r"\mu^{1/2}"),
        ("norm(z)^2", r"\lVert z \rVert^{2}"),
        ("lim(mu, oo, mu^2)", r"\lim_{\mu \to \infty} \mu^{2}"),
        ("diff(a_j, z_l)", r"\frac{\partial a_{j}}{\partial z_{l}}"),
        ("eps zbar_i muhat^2", r"\varepsilon\bar{z}_{i}\hat{\mu}^{2}"),
        ("loss + loss", r"\mathcal{L} + \mathcal{L}"),
        ("(W z)_{pr}", "(W z)_{p r}"),
        ("z_{pi(i)} + W_{pi(i), c}", r"z_{\pi(i)} + W_{\pi(i),c}"),
        ("(k_1)_i", "k_{1,i}"),
        ("(W_QK)_{pr}", r"(W_{\mathrm{QK}})_{p r}"),
        ("mu a_1/n", r"\frac{\mu a_{1}}{n}"),
        ("log(mu)", r"\ln(\mu)"),
        ("cos(mu) sin(n)", r"\cos(\mu)\sin(n)"),
        ("exp(mu + n^2/2)", r"e^{\mu + n^{2}/2}"),
        ("diff(diff(diff(mu, n), n), n)", r"\frac{\partial^{3}\mu}{\partial n^{3}}"),
        ("2 diff(diff(mu^2 + n, mu), mu)", r"2\frac{\partial^{2}}{\partial\mu^{2}}(\mu^{2} + n)"),
        ("diff(diff(mu, n), z_1)", r"\frac{\partial}{\partial z_{1}}\left( \frac{\partial \mu}{\partial n} \right)"),
        ("cumulant(z^T z, 2 n - 1)", r"\kappa_{2 n - 1}(z^{\top} z)"),
        ("factorial(2 n) coefficient(mu, eps, 2 n)", r"(2 n)!\,[\varepsilon^{2 n}]\mu"),
        ("density(z_1, mu)", r"f_{z_{1}}(\mu)"),
        ("besselK(0, mu)/n", r"\frac{K_{0}(\mu)}{n}"),
        ("besselK((n - 1)/2, mu)", r"K_{(n - 1)/2}(\mu)"),
        ("factorial(n/2 - 1)", r"\left( \frac{n}{2} - 1 \right)!\,"),
        ("cdf(-abs(z_1), -mu)", r"\mathbb{P}(\lvert z_{1} \rvert \ge\mu)"),
        ("cdf(-z_1, mu)", r"\operatorname{cdf}(-z_{1}, \mu)"),
    ],
)
def test_formulas(text: str, tex: str) -> None:
    assert formula(text, SCOPE).replace("i j", "ij") == tex


def test_a_tower_of_powers_is_left_as_it_was_written() -> None:
    assert formula("(2^3)^2", SCOPE) == "(2^{3})^{2}"


@pytest.mark.parametrize(
    ("text", "tex"),
    [
        ("the $q_i$ are, with $mu$, 5% of it", r"the $q_{i}$ are, with $\mu$, 5\% of it"),
        ("$mu$", r"$\mu$"),
        ("a  b", "a b"),
        ("", ""),
        ("for $mu = 0, n = 1$ it", r"for $\mu = 0,\; n = 1$ it"),
        ("what $x = )$ read", r"what $\text{x = )}$ read"),
        ("$mu$ $n$", r"$\mu$ $n$"),
        (r"\input{x} & #1 ~", r"\textbackslash{}input\{x\} \& \#1 \textasciitilde{}"),
    ],
)
def test_words_keep_the_blanks_around_formulas(text: str, tex: str) -> None:
    assert words(text, SCOPE) == tex


@pytest.mark.parametrize(
    ("text", "tex"),
    [
        ("the variance is n (mu^2 + 1) in all", r"the variance is $n(\mu^{2} + 1)$ in all"),
        ("with z = (r, r), a bound.", "with $z = (r, r)$, a bound."),
        ("for a = b only", "for $a = b$ only"),
        ("Var(X/s) = Var(X)/s", r"$\operatorname{Var}(X/s) = \operatorname{Var}(X)/s$"),
        ("for mu = 0, and $n = 1$", r"for $\mu = 0$, and $n = 1$"),
        ("a sum of things that I know", "a sum of things that I know"),
        ("independence (or not) of rows", "independence (or not) of rows"),
        ("the 2 rows", "the $2$ rows"),
        ("and/or", "and/or"),
    ],
)
def test_formulas_without_dollars(text: str, tex: str) -> None:
    assert words_or_formula(text, SCOPE) == tex


def test_a_long_sum_is_broken_at_its_signs() -> None:
    text = " + ".join(f"W_{{{i},{j}}} z_{j}^2" for i in range(1, 9) for j in range(1, 4))
    node = displayed(read_formula(text), SCOPE)
    found = pieces(node, 300.0, SCOPE)
    assert len(found) > 2
    assert all(piece.startswith("+ ") for piece in found[1:])
    assert " ".join(found) == formula(text, SCOPE)
    assert room_of(node) > 600


def read_formula(text: str) -> t.Node:
    from symattn.proofs.language.interpretation import read_text

    return read_text(text, SCOPE)


@pytest.mark.parametrize(
    ("text", "tex"),
    [
        ("(mu + 1)/(2 n)", r"(\mu + 1)/(2 n)"),
        ("mu^2 n/2 + 1", r"\mu^{2} n/2 + 1"),
        ("mu/(n/2)", r"\mu/(n/2)"),
        ("(mu/n) (n + 1)", r"\frac{\mu}{n}(n + 1)"),
        ("exp(z_1)/sum_{l=1}^{n} exp(z_l)", r"e^{z_{1}}/\sum_{l=1}^{n} e^{z_{l}}"),
        ("exp(z_1)/sum_{l=1}^{n} exp(z_l) + 1", r"e^{z_{1}}/(\sum_{l=1}^{n} e^{z_{l}}) + 1"),
        ("diff(a_j, z_l)", r"\frac{\partial a_{j}}{\partial z_{l}}"),
        ("1/2", r"\tfrac{1}{2}"),
    ],
)
def test_quotients_in_a_sentence(text: str, tex: str) -> None:
    assert words(f"${text}$", SCOPE) == f"${tex}$"


def test_every_lemma_has_a_statement() -> None:
    assert list(STATEMENTS) == list(LEMMAS)


@pytest.mark.parametrize("name", LEMMAS)
def test_facts_that_are_cited_are_typeset(name: str) -> None:
    text = STATEMENTS[name].statement
    shown = re.sub(r"\$[^$]*\$", "", words(text, Scope(())))
    assert not re.search(r"[\\^_<>=*/|]|\b[b-zB-HJ-Z]\b(?!')|\d", shown.replace("Taylor's", "")), shown
    assert "text{" not in words(text, Scope(()))


@pytest.mark.parametrize(
    ("name", "given", "letters"),
    [
        ("dot-product-mean", {"mu": 0, "D": 64}, ("mu", "D")),
        ("dot-product-variance", {"mu": 0, "sigma": 1}, ("mu", "sigma")),
        ("dot-product-variance", {"case": "unequal", "mu_q": 2, "D": 3}, ("mu_q", "D")),
        ("dot-product-scaling", {"sigma": 2, "D": 64}, ("sigma", "D")),
        ("dot-product-higher-moments", {"case": "equal", "mu": 0, "D": 64}, ("mu", "D")),
        ("dot-product-mgf", {"mu_q": 0, "D": 4, "sigma_k": 2}, ("mu_q", "sigma_k", "D")),
        ("score-covariance", {"mu": 0, "sigma": 1, "D": 64}, ("mu", "sigma", "D")),
        ("tied-score", {"mu": 0, "sigma": 1, "D": 64}, ("mu", "sigma", "D")),
        ("saturation", {"D": 8}, ("D",)),
    ],
)
def test_a_statement_speaks_of_the_numbers_that_were_chosen(
    name: str, given: dict[str, object], letters: tuple[str, ...]
) -> None:
    proof = theorem(name).build(theorem(name).values({key: str(value) for key, value in given.items()}))
    said = [proof.statement, *(item.text for item in proof.scope.hypotheses), *(item.words for item in proof.steps)]
    formulas_of = " ".join(found for text in said for found in re.findall(r"\$([^$]*)\$", text))
    for letter in letters:
        assert not re.search(rf"(?<![A-Za-z_]){letter}(?![A-Za-z_])", formulas_of), letter


# Pages ---------------------------------------------------------------------------------------------


def small(**more: str) -> Proof:
    """A proof with everything that a page has: claims with words, premises, remarks, hypotheses."""
    b = Builder("small", "A 100% small theorem", more.get("statement", "For $x != 0$ nothing ~ & happens."), "Me & co.")
    b.declare("x")
    b.declare("y", sign="positive")
    b.define("u", "x^2/y + x^3/y")
    known = b.assume("equal", "x", "$x = 2 y$, as #1 says", "2 y")
    first = b.chain("x + x").then("=", "2 x", "algebra").then("=", "4 y", "substitution", known, words="_H1_ & $x$")
    first.claim("doubling & more")
    second = b.chain("(x + x)^2").then("=", "(4 y)^2", "earlier result", premises=("1", "2"))
    second.then("=", "16 y^2", "algebra", words=" ".join(["a remark that is long"] * 8))
    second.claim()
    b.chain("x^2").then("≥", "0", "evident sign").claim()
    third = b.chain("x = 1").then("⇔", "2 x = 2", "equivalence", factor="1/2")
    third.claim()
    return b.proof()


def test_the_small_proof_is_one() -> None:
    assert replay(small()).faults == ()


def page(proof: Proof, detail: Level = "full") -> str:
    return proof_page(proof, replay(proof), detail=detail).to_latex()


def test_the_page_names_rules_and_hypotheses() -> None:
    tex = page(small())
    assert "algebra" in tex
    assert "substitution, H1" in tex
    assert r"earlier result from (1) and (2)" in tex
    assert r"\symattnlabel{1}" in tex
    assert r"\Longleftrightarrow" in tex
    assert r"\geq" in tex or r"\ge" in tex
    assert "6 steps, each recomputed from its record; no classical fact is cited." in tex
    assert r"A 100\% small theorem" in tex
    assert r"Me \& co." in tex


def test_main_claims_stand_in_a_box_before_the_hypotheses_and_auxiliary_ones_behind_them() -> None:
    proof = proofs.prove("key-perturbation")
    tex, html = proof.to_latex(), proof.to_html()
    auxiliary = proof.entry.auxiliary(proof.values)
    assert {"C17", "C29"} < auxiliary < {claim.id for claim in proof.proof.claims}
    boxed, _, rest = tex.partition(r"\end{symattnresults}")
    middle, _, behind = rest.partition("Auxiliary claims.")
    displayed = [re.findall(r"symattnlabel\{(C\d+)\}", part) for part in (boxed, middle, behind)]
    assert displayed[1] == []
    assert set(displayed[2]) == auxiliary
    assert set(displayed[0]) == {claim.id for claim in proof.proof.claims} - auxiliary
    assert html.index("Hypotheses</h2>") < html.index("Auxiliary claims</h2>") < html.index("Proof</h2>")
    assert "Auxiliary" not in page(small())


def test_a_brief_page_has_no_remarks_and_fewer_rows() -> None:
    full, brief = page(small()), page(small(), "brief")
    assert "a remark that is long" in full
    assert "a remark that is long" not in brief
    entry = proofs.prove("dot-product-mean")
    rows = [text.count(r"\tag*") for text in (entry.to_latex("full"), entry.to_latex("brief"))]
    assert rows[0] > rows[1] > 0


def test_routine_steps_are_drawn_into_what_follows() -> None:
    (part,) = proof_page(proofs.prove("dot-product-mean").proof, proofs.prove("dot-product-mean").replayed,
                         detail="brief").parts  # fmt: skip
    reasons = re.findall(r"\\symattnwhy\{([^}]*)\}", " ".join(part.lines))
    assert reasons[0].endswith("independence, H1")
    assert "linearity of expectation" in reasons[0]


def test_checks_of_which_the_same_is_said_stand_together() -> None:
    proof = proofs.prove("softmax-jacobian").proof
    checks = tuple(Check(f"C{n} at $D = 1$: a sum", "it holds", agrees=True) for n in (1, 2, 3, 5))
    found = proof_page(_with(proof, checks), replay(proof)).checks
    assert found == ("C1--C3 and C5 at $D = 1$: a sum: it holds.",)


def _with(proof: Proof, checks: tuple[Check, ...]) -> Proof:
    from dataclasses import replace

    return replace(proof, checks=checks)


FALSEHOOD = Falsehood(
    says="100% of & everything",
    left="E(q^T k)",
    relation="=",
    right="D mu^2",
    example=CounterExample(
        sizes=(("D", 2),),
        scalars=(("mu", "1/2"),),
        law=tuple(
            ("1/4", (("q", ((a, "0"),)), ("k", ((b, "0"),)))) for a in ("1", "-1") for b in ("1", "-1")
        ),
    ),
    right_version="something_else",
)  # fmt: skip
REFUTATION = Refuted(
    FALSEHOOD,
    Sides((("i", "1"),), "exp(1)/(exp(1) + 1)", "1/2", "0.73105858", "0.5", stands=False),
    ("H1",),
    Scope(
        (Declared("D"), Declared("mu"), Declared("q", ("D",), random=True), Declared("k", ("D",), random=True)),
        hypotheses=(Hypothesis("H1", "$q$ and $k$ are independent", "independent", ("q", "k")),),
    ),
)


def test_a_check_without_values_begins_with_its_words() -> None:
    page = proofs.prove("dot-product-variance", D=1, mu=0, sigma=1).to_latex()
    assert "{\\small By the sum over all 16 outcomes" in page


def test_symbols_are_introduced() -> None:
    page = proofs.prove("gaussian-keys-long").to_latex()
    assert "$\\Phi$ is the distribution function of the standard normal law" in page
    assert "operatorname{cdf}(X, x)$ is the probability" not in proofs.prove("score-tails").to_latex()


def test_a_false_claim_of_two_different_sides_shows_that_they_are_equal() -> None:
    page = proofs.prove("key-elongation").to_latex()
    assert "Then $w = \\tfrac{1}{2}$ and $p = \\tfrac{1}{2}$." in page
    page = proofs.prove("ffn-is-position-wise").to_latex()
    assert "U_{k}) = 0$. Instead" in page


def test_a_false_claim_shows_example_and_both_sides() -> None:
    found = false_claim(REFUTATION)
    assert found.says == r"100\% of \& everything"
    assert r"$D = 2$ and $\mu = \tfrac{1}{2}$" in found.example
    assert r"e/(e + 1) \approx 0.73105858" in found.values
    assert "for $i = 1$" in found.values
    assert "H1 fails there" in found.values


def test_a_product_law_is_told_entry_by_entry() -> None:
    from dataclasses import replace

    law = tuple(
        ("1/8", (("q", ((a, b),)), ("k", ((c, "0"),))))
        for a in ("1", "-1") for b in ("1", "-1") for c in ("2", "3")
    )  # fmt: skip
    falsehood = replace(FALSEHOOD, example=replace(FALSEHOOD.example, law=law))
    found = false_claim(replace(REFUTATION, falsehood=falsehood)).example
    assert "independent entries" in found
    assert "$q_{1}$ and $q_{2}$ each $-1$ or $1$ with equal probability" in found


HOSTILE = r"\input{/etc/passwd} \end{document} 100% & #1 $ {x} ~ ^ _ << 7 >> <% if %> $mu$ é 注"


@pytest.mark.sample(1)
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("detail", ["full", "brief"])
def test_a_page_compiles(engine: str, detail: Level) -> None:
    assert log_problems(compile_tex(page(small(), detail), engine=engine).log) == []  # type: ignore[arg-type]


@pytest.mark.sample(1)
@pytest.mark.parametrize("engine", ENGINES)
def test_a_counterexample_compiles(engine: str) -> None:
    tex = counterexample_latex("A & B", "independence", "For $mu$ & all.", REFUTATION)
    assert log_problems(compile_tex(tex, engine=engine).log) == []  # type: ignore[arg-type]


_SOME = {"dot-product-variance", "softmax-jacobian"}


@pytest.mark.tex
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in _SOME else pytest.mark.long) for name in theorems()]
)
def test_every_theorem_compiles(name: str) -> None:
    proved = proofs.prove(name)
    for detail in ("full", "brief"):
        tex = proved.to_latex(detail, instance=proved.entry.instance is not None)
        assert log_problems(compile_tex(tex, engine="system").log) == []
        assert _untypeset(tex) == []


def _untypeset(tex: str) -> list[str]:
    """Formulas that stand as raw text on a page, a permutation without its brackets, a plural that lost its end."""
    body = re.sub(r"%.*", "", tex[tex.index(r"\begin{document}") :])
    words_only = re.sub(
        r"\$[^$]*\$|\\begin\{(align|gather)\*\}.*?\\end\{\1\*\}|\\\[.*?\\\]", " ", body, flags=re.DOTALL
    )
    raw = re.findall(r"\\_|\\text(?:asciicircum|less|greater|bar)\b|\bsum_|\w\[\d+,\d+\]|\b1 places\b", words_only)
    return [*raw, *re.findall(r"_\{[^{}]*\\pi [a-z]\b", body)]


def test_words_of_a_record_cannot_command_tex() -> None:
    said = HOSTILE.replace("$ {x}", "{x}")
    tex = page(small(statement=said))
    assert r"\input{/etc" not in tex
    assert r"\textbackslash{}input\{/etc/passwd\}" in tex


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", ["copy", "key-perturbation", "temperature-limits", "dot-product-scaling"])
def test_numbers_of_steps_count_from_one_as_they_stand_on_the_page(name: str) -> None:
    """And what is said to follow from a number stands behind the step that has it."""
    entry = theorem(name)
    proof = entry.build(entry.values({}))
    page = proof_page(proof, replay(proof))
    text = "\n".join(line for part in page.parts for line in part.lines)
    labels = [(found.start(), int(found[1])) for found in re.finditer(r"\\symattnlabel\{(\d+)\}", text)]
    assert [number for _, number in labels] == list(range(1, len(labels) + 1))
    places = {number: place for place, number in labels}
    cited = [(found.start(), found[1]) for found in re.finditer(r"from ((?:\(\d+\)(?:--|, | and )?)+)", text)]
    assert cited
    assert all(places[int(number)] < at for at, run in cited for number in re.findall(r"\d+", run))


def test_names_with_an_accent_keep_it_where_the_page_does_not_define_them() -> None:
    assert formula("htilde + abar - khat_1", Scope(())) == r"\tilde{h} + \bar{a} - \hat{k}_{1}"


def test_a_single_step_is_told_as_one() -> None:
    entry = theorem("temperature-limits")
    proof = entry.build(entry.values({}))
    one = replay(proof)
    steps = one.steps[:1]
    assert head_of(replace(one, steps=steps), {}) == ("1 step, recomputed from its record; no classical fact is cited.")


LONG = " + ".join(f"{n}12345/6789" for n in range(1, 9))


@pytest.mark.parametrize(
    "form",
    [
        "{}",
        "({})^2",
        "3 ({})",
        "exp({})",
        "({})/({} + 1)",
        "-({})",
        "exp({})/(1 + exp({}))",
        "x ({}) ({})^3",
        "exp(1) + ({})^2",
    ],
)
def test_formulas_that_no_line_holds_are_broken_and_stay_readable(form: str) -> None:
    """Each line fits, no number is lost, and brackets that open in a line close in a later one."""
    lines = fitting(read_text(form.replace("{}", LONG), Scope(())), 300.0, Scope(()))
    assert len(lines) > 1
    assert not any("symattnfit" in line for line in lines)
    source = " ".join(lines)
    assert re.findall(r"\d{4,}", source) == re.findall(r"\d{4,}", form.replace("{}", LONG))
    assert source.count("\\Bigl(") == source.count("\\Bigr)") >= form.count("({})")


def test_a_number_that_cannot_be_broken_is_set_in_eight_points_at_least() -> None:
    [line] = fitting(read_text("1" * 90, Scope(())), 300.0, Scope(()))
    assert [size for _, size in scalings(line) if size < FLOOR] == []
    assert line.startswith("\\symattnfit{")


def test_no_writer_fits_formulas_into_boxes_of_any_size() -> None:
    sources = [*(house.ROOT / "symattn" / "rendering").rglob("*.py"), *(house.ROOT / "templates").rglob("*.j2")]
    assert [path.name for path in sources if "resizebox" in path.read_text("utf-8")] == []


def test_the_foot_says_which_claims_coq_has_checked_in_the_very_file_that_is_exported() -> None:
    by_coq = "checked by Coq 8.16 (no axioms but those of its real numbers)"
    assert f"C1 and C2 {by_coq}." in proofs.prove("shift-invariance").to_latex()
    assert f"C1 and C2 {by_coq}." in proofs.prove("shift-invariance").to_html()
    found = proofs.prove("softmax-is-a-distribution")
    assert f"C1, C2 and C4 {by_coq}; C3 recomputed by symattn alone." in found.to_latex()
    assert f"C1--C6 {by_coq}; C7 so too, with triangle-inequality as a premise." in proofs.prove("copy").to_latex()
    # Nobody has compiled the file of other parameters, or of a record that was changed.
    assert "Coq" not in proofs.prove("dot-product-mean", mu=0).to_latex()
    changed = replace(found.proof, claims=found.proof.claims[:1])
    assert not proofs.TheoremDerivation(found.entry, found.values, changed, found.replayed).claims_checked_by_coq
