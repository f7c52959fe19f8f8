"""Steps that hold but for a side condition: refused without it, and their true siblings are proved."""

from __future__ import annotations

import pytest

from symattn.proofs.language.scope import Kind
from symattn.proofs.proof_replay import replay
from tests.proofs.kernel.test_false_claims import D, F, H, S, Sc, _case, _proof, _reason, _Try

n, m = D("n", sign="positive"), D("m", sign="nonnegative")
z, q = D("z", ("n",)), D("q", ("n",), random=True)
pair = D("q", ("2",))

EMPTY_RANGES = (
    _case(
        "m",
        Sc([m]),
        [S("sum_{i=1}^{m} delta_{i,1}", "algebra", "=", "1")],
        why="That 1 is a value of a range of length m",
    ),
    _case(
        "n - 1",
        Sc([n]),
        [S("sum_{i=1}^{n-1} delta_{i,1}", "algebra", "=", "1")],
        why="That 1 is a value of a range of length",
    ),
    _case(
        "2 of n",
        Sc([n]),
        [S("sum_{i=1}^{n} delta_{i,2}", "algebra", "=", "1")],
        why="That 2 is a value of a range of length n",
    ),
    _case(
        "n m - 2",
        Sc([n, D("m", sign="positive")]),
        [S("sum_{i=1}^{n m-2} 1", "algebra", "=", "n m-2")],
        why="The length of a sum is not evidently a whole number",
    ),
    _case("z_2", Sc([n, z]), [S("z_2 - z_2", "algebra", "=", "0")], why="That 2 is a value of a range of length n"),
    _case(
        "a hidden value",
        Sc([m], fixed=("a",)),
        [
            S("1", "algebra", "=", "sum_{i=1}^{m} delta_{i,a}"),
            S("delta_{i,a}", "evident sign", "≤", "1"),
            S("sum_{i=1}^{m} delta_{i,a}", "term by term", "≤", "sum_{i=1}^{m} 1", p=["2"]),
            S("sum_{i=1}^{m} 1", "algebra", "=", "m"),
        ],
        ("1", "≤", "m", ("1", "3", "4")),
        why="",
    ),
)

INDICES = (
    *(
        _case(
            name,
            Sc([n, z], hyp=[H("H", "", "distinct", (name, "i"))]),
            [S("sum_{j=1}^{n} delta_{i,j}", "substitution", "=", "0", ["H"])],
            why=repr(name),
        )
        for name in ("~0", "~1", "#0", "@a", ".0", "")
    ),
    _case(
        "fixed",
        Sc([n, z], fixed=("~0",)),
        [S("sum_{j=1}^{n} delta_{j,~0}", "algebra", "=", "1")],
        why="",
    ),
)

_RANGES: tuple[tuple[Kind, tuple[str, ...], str, str, str], ...] = (
    ("equal", ("sum_{k=1}^{1} delta_{i,k}",), "sum_{i=1}^{n} z_i", "substitution", "n"),
    ("mean", ("sum_{k=1}^{1} delta_{i,k}",), "sum_{i=1}^{n} E(q_i)", "moments", "n"),
    ("variance", ("sum_{k=1}^{2} delta_{i,k}",), "sum_{i=1}^{n} Var(q_i)", "moments", "n"),
    ("raw-moment", ("3", "sum_{k=1}^{2} delta_{i,k}"), "sum_{i=1}^{n} E(q_i^3)", "moments", "n"),
    ("law", ("gaussian", "sum_{k=1}^{1} delta_{i,k}", "1"), "sum_{i=1}^{n} E(q_i)", "moments", "n"),
)
"""A hypothesis with an index of another range in it, and what it would show."""

RANGES_OF_HYPOTHESES = (
    *(
        _case(
            kind,
            Sc([n, q if kind != "equal" else z], hyp=[H("H", "", kind, ("q" if kind != "equal" else "z",), values)]),
            [S(before, rule, "=", after, ["H"])],
            why="an index runs over another range",
        )
        for kind, values, before, rule, after in _RANGES
    ),
    _case(
        "entry of another length",
        Sc([pair, D("u", ("3",))], hyp=[H("H", "", "equal", ("q",), ("u_i",))]),
        [S("q_2", "substitution", "=", "u_2", ["H"])],
        why="an index runs over another range",
    ),
    _case(
        "index that a number does not have",
        Sc([n, D("x"), z], hyp=[H("H", "", "equal", ("x",), ("z_i",))]),
        [S("z_i", "substitution", "=", "x", ["H"])],
        why="z_i depends on an index",
    ),
)

scalar, other = D("q", random=True), D("k", random=True)

RANDOM_LAWS = tuple(
    _case(
        name,
        Sc(
            [scalar, other, D("x"), D("y", sign="positive")],
            hyp=[H("L", "", "law", ("q",), ("gaussian", mean, variance)), H("I", "", "independent", ("q", "k"))],
        ),
        [S(before, f"lemma:{name}", "=", after, ["L", "I"], **arguments)],
        why="What is known of a law depends on a random quantity",
    )
    for name, mean, variance, before, after, arguments in (
        ("normal-factor", "k", "1", "E(exp(q))", "exp(k + 1/2)", {"over": "q"}),
        ("normal-exponential", "k", "1", "E(exp(q))", "exp(k + 1/2)", {}),
        ("normal-linear-image", "k", "1", "cdf(q, x)", "Phi((x - k)/1)", {}),
        ("normal-two-sided", "0", "exp(2 k)", "cdf(abs(q), y)", "erf(y/(sqrt(2) exp(k)))", {}),
        ("normal-oscillation", "k", "1", "E(cos(q))", "cos(k) exp(-1/2)", {"over": "q"}),
    )
)

QUOTED = (
    _case(
        "an index in quotes is not taken apart",
        Sc([n, D("A", ("n", "n"))]),
        [
            S('A_{"ij"} - A_{i j}', "algebra", "=", "0"),
            S('A_{"ij"} - A_{k j}', "special case", "=", "0", p=["1"], index="i", value="k"),
        ],
        why="set a comma between them",
    ),
)

x, y, eps = D("x", sign="positive"), D("y", sign="nonnegative"), D("eps", sign="positive")
r, t = D("r"), D("t")

LIMITS = tuple(
    _case(text, Sc([x, y, r, n, z], functions=("f",)), [S(text, "limit", "=", value)], why=why)
    for text, value, why in (
        ("lim(x, 0, y/(x + y))", "1", "a denominator may be zero there"),
        ("lim(x, 0, y y/(x + y)^2)", "1", "a denominator may be zero there"),
        ("lim(x, 0, 3 + 2 y/(x + y))", "5", "a denominator may be zero there"),
        ("lim(x, 0, exp(y/(x + y)))", "exp(1)", "a denominator may be zero there"),
        ("lim(x, 0, sqrt(y/(x + y)))", "1", "a denominator may be zero there"),
        ("lim(x, 0, tanh(x)/tanh(x))", "1", "zero"),
        ("lim(x, 0, log(x + y) - log(y))", "0", ""),
        ("lim(x, 0, sum_{i=1}^{n} (x + y)/(x + y z_i^2))", "n", "zero"),
        ("lim(x, 0, f(x))", "f(0)", "continuous"),
        ("lim(x, -1, sqrt(x^2))", "-1", "not negative"),
    )
)

SLOPES = tuple(
    _case(
        text,
        Sc([x, y, r, t, n, z, D("u", ("n",), sign="nonnegative")], [F("s", (), (), "sqrt(y)")], functions=("f",)),
        [S(text, rule, "=", value)],
        why=why,
    )
    for text, value, rule, why in (
        ("sqrt(y) diff(sqrt(y), y)", "1/2", "differentiation", "no derivative"),
        ("s diff(s, y)", "1/2", "differentiation", "no derivative"),
        ("norm(z) diff(norm(z), z_l)", "z_l", "differentiation", "no derivative"),
        ("y^(1/2) diff(y^(1/2), y)", "1/2", "differentiation", "no derivative"),
        ("diff(abs(r), r) - diff(abs(r), r)", "0", "differentiation", "no derivative"),
        (
            "diff(sum_{i=1}^{n} sqrt(u_i), u_l) - diff(sum_{i=1}^{n} sqrt(u_i), u_l)",
            "0",
            "differentiation",
            "no derivative",
        ),
        ("diff(f(r)^2, r)", "2 f(r) diff(f(r), r)", "differentiation", "derivative"),
        ("diff(n^2, n)", "2 n", "differentiation", "length"),
        ("diff(r/x, n)", "diff(r, n)/x - r diff(x, n)/x^2", "quotient rule", "length"),
        ("factorial(r) - factorial(r)", "0", "algebra", "positive"),
        ("besselK(0, r) - besselK(0, r)", "0", "algebra", "positive"),
    )
)

X, Y, W = D("X", random=True), D("Y", random=True), D("W", sign="positive", random=True)
NORMAL = H("N", "", "law", ("X",), ("gaussian", "0", "1"))
BOTH = H("N", "", "law", ("X", "Y"), ("gaussian", "0", "1"))
APART = H("I", "", "independent", ("X", "Y"))
MEAN, VARIANCE = H("M", "", "mean", ("X", "Y"), ("0",)), H("V", "", "variance", ("X", "Y"), ("1",))

MEANS = tuple(
    _case(
        f"{text} {[item.id for item in hyp]}",
        Sc([X, Y, W, r, n, q], [F("g", (), (), "exp(X^2)")], hyp=hyp),
        [S(text, rule, "=", value, used)],
        why="exist",
    )
    for text, value, rule, hyp, used in (
        ("E(exp(X^2)) - E(exp(X^2))", "0", "linearity of expectation", [NORMAL], ()),
        ("E(g) - E(g)", "0", "linearity of expectation", [NORMAL], ()),
        ("0 E(exp(X^2))", "0", "linearity of expectation", [NORMAL], ()),
        ("E(X exp(X^2))", "E(-X exp(X^2))", "lemma:reflection", [NORMAL], ("N",)),
        ("E(X + Y)", "E(X) + E(Y)", "linearity of expectation", [], ()),
        ("E(X - X)", "E(X) - E(X)", "linearity of expectation", [], ()),
        ("Var(X)", "E(X^2) - E(X)^2", "definition of variance", [MEAN], ()),
        ("Cov(X, Y)", "E(X Y) - E(X) E(Y)", "definition of covariance", [MEAN], ()),
        ("E(X Y)", "E(X) E(Y)", "independence", [APART], ("I",)),
        ("E(X^3) - E(X^3)", "0", "linearity of expectation", [VARIANCE], ()),
        ("E(X^2 Y) - E(X^2 Y)", "0", "linearity of expectation", [MEAN, VARIANCE], ()),
        ("E(X)", "E(E(X, Y))", "tower property", [], ()),
        ("E(1/W) - E(1/W)", "0", "linearity of expectation", [H("W", "", "mean", ("W",), ("1",))], ()),
        ("E(exp(X Y)) - E(exp(X Y))", "0", "linearity of expectation", [BOTH, APART], ()),
        ("E(ln(W)) - E(ln(W))", "0", "linearity of expectation", [H("W", "", "mean", ("W",), ("1",))], ()),
        ("sum_{i=1}^{n} (E(q_i) - E(q_i))", "0", "linearity of expectation", [], ()),
    )
)

FALSE = (*EMPTY_RANGES, *INDICES, *RANDOM_LAWS, *QUOTED, *RANGES_OF_HYPOTHESES, *LIMITS, *SLOPES, *MEANS)

TRUE = {
    "positive length": _proof(Sc([n]), [S("sum_{i=1}^{n} delta_{i,1}", "algebra", "=", "1")]),
    "m + 1": _proof(Sc([m]), [S("sum_{i=1}^{m+1} delta_{i,1}", "algebra", "=", "1")]),
    "n + 1, the second": _proof(Sc([n]), [S("sum_{i=1}^{n+1} delta_{i,2}", "algebra", "=", "1")]),
    "a length that may be 0": _proof(Sc([m]), [S("sum_{i=1}^{m} 1", "algebra", "=", "m")]),
    "a value that is shown": _proof(
        Sc([n, z], fixed=("a",)), [S("sum_{i=1}^{n} delta_{i,a} z_i", "algebra", "=", "z_a")]
    ),
    "indices that differ": _proof(
        Sc([n, z], hyp=[H("H", "", "distinct", ("i", "j"))]), [S("delta_{i,j} z_i", "substitution", "=", "0", ["H"])]
    ),
    "an equal vector": _proof(
        Sc([n, z, D("u", ("n",))], hyp=[H("H", "", "equal", ("z",), ("u_i + 1",))]),
        [S("sum_{i=1}^{n} z_i", "substitution", "=", "sum_{i=1}^{n} u_i + n", ["H"])],
    ),
    "a mean for each entry": _proof(
        Sc([n, q, D("u", ("n",))], hyp=[H("H", "", "mean", ("q",), ("u_i",))]),
        [S("sum_{i=1}^{n} E(q_i)", "moments", "=", "sum_{i=1}^{n} u_i", ["H"])],
    ),
    "a limit where nothing vanishes": _proof(Sc([x, eps]), [S("lim(x, 0, eps/(x + eps))", "limit", "=", "1")]),
    "a limit of a root at 0": _proof(Sc([x]), [S("lim(x, 0, sqrt(x))", "limit", "=", "0")]),
    "a limit of a logarithm": _proof(Sc([x, eps]), [S("lim(x, 0, log(x + eps))", "limit", "=", "log(eps)")]),
    "a slope of a root": _proof(Sc([x]), [S("sqrt(x) diff(sqrt(x), x)", "differentiation", "=", "1/2")]),
    "a root of another letter": _proof(Sc([x, y]), [S("diff(sqrt(y) x, x)", "differentiation", "=", "sqrt(y)")]),
    "a norm that is not zero": _proof(
        Sc([n, z], hyp=[H("H", "", "positive", (), ("norm(z)",))]),
        [S("norm(z) diff(norm(z), z_l)", "differentiation", "=", "z_l", ["H"])],
    ),
    "a norm with eps": _proof(
        Sc([n, z, eps]),
        [S("diff(sqrt(norm(z)^2 + eps), z_l)", "differentiation", "=", "z_l/sqrt(norm(z)^2 + eps)")],
    ),
    "a square at 0": _proof(Sc([y]), [S("diff(y^2, y)", "differentiation", "=", "2 y")]),
    **{
        f"{text} {[item.id for item in hyp]}": _proof(
            Sc([X, Y, W, r, n, q], hyp=hyp), [S(text, rule, "=", value, used)]
        )
        for text, value, rule, hyp, used in (
            ("E(exp(X^2))", "E(exp(X X))", "linearity of expectation", [NORMAL], ()),
            ("E(exp(r X)) - E(exp(r X))", "0", "linearity of expectation", [NORMAL], ()),
            ("E(X^5 exp(r X))", "E(-X^5 exp(-r X))", "lemma:reflection", [NORMAL], ("N",)),
            ("E(tanh(X) cos(Y))", "E(cos(Y) tanh(X))", "linearity of expectation", [], ()),
            ("E(1/(1 + exp(-X)))", "E(exp(X)/(exp(X) + 1))", "linearity of expectation", [], ()),
            ("E(X + Y)", "E(X) + E(Y)", "linearity of expectation", [MEAN], ()),
            ("E(X Y)", "E(X) E(Y)", "independence", [APART, MEAN], ("I",)),
            ("Var(X)", "E(X^2) - E(X)^2", "definition of variance", [VARIANCE], ()),
            ("Cov(X, Y)", "E(X Y) - E(X) E(Y)", "definition of covariance", [VARIANCE], ()),
            ("E(X Y)", "E(E(X Y, Y))", "tower property", [VARIANCE], ()),
            ("E(abs(X)) - E(abs(X))", "0", "linearity of expectation", [MEAN], ()),
            ("E(sqrt(X^2 + Y^2)) - E(sqrt(X^2 + Y^2))", "0", "linearity of expectation", [VARIANCE], ()),
        )
    },
    "an abbreviation": _proof(
        Sc([n, z], [F("s", (), (), "sum_{i=1}^{n} z_i")]), [S("s", "definition", "=", "sum_{j=1}^{n} z_j")]
    ),
}


@pytest.mark.parametrize("item", FALSE, ids=lambda item: item.name)
def test_a_step_without_its_condition_is_refused(item: _Try) -> None:
    reason = _reason(item.proof)
    assert reason
    assert item.why in reason


@pytest.mark.parametrize("name", TRUE)
def test_and_with_it_proved(name: str) -> None:
    assert not replay(TRUE[name]).faults
