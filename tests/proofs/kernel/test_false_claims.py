"""False claims that untrusted records may try: each is refused, for the reason that is named."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from symattn.errors import InputError
from symattn.proofs.kernel.record import Claim, Proof, Step, proof_from_json
from symattn.proofs.language.scope import Declared, Defined, Hypothesis, Scope
from symattn.proofs.proof_replay import replay
from symattn.records import dataclass
from tests.effort import effort

ODD: Any = "a kind that is not known"
D, F, H = Declared, Defined, Hypothesis
n, m = D("n", sign="positive"), D("m", sign="positive")
x, y, c, beta = D("x"), D("y"), D("c"), D("beta", sign="positive")
z, w = D("z", ("n",)), D("w", ("n",), sign="positive")
q, k = D("q", ("n",), random=True), D("k", ("n",), random=True)
qs, ks = D("q", random=True), D("k", random=True)


@dataclass(frozen=True, slots=True)
class _Try:
    """A false claim, its steps, and the beginning of the reason why it is refused."""

    name: str
    proof: Proof
    why: str


def Sc(
    declared: Sequence[Declared],
    defined: Sequence[Defined] = (),
    hyp: Sequence[Hypothesis] = (),
    fixed: tuple[str, ...] = (),
    permutations: tuple[str, ...] = (),
    functions: tuple[str, ...] = (),
) -> Scope:
    return Scope(tuple(declared), tuple(defined), tuple(hyp), fixed, permutations, functions)


def S(
    before: str, rule: str, relation: str, after: str, h: Sequence[str] = (), p: Sequence[str] = (), **arguments: str
) -> Step:
    return Step("", rule, before, relation, after, tuple(h), tuple(p), tuple(arguments.items()))


def _proof(scope: Scope, steps: Sequence[Step], claim: tuple[str, str, str, tuple[str, ...]] | None = None) -> Proof:
    numbered = tuple(
        Step(str(place), s.rule, s.before, s.relation, s.after, s.hypotheses, s.premises, s.arguments)
        for place, s in enumerate(steps, start=1)
    )
    last = numbered[-1]
    left, relation, right, chain = claim or (last.before, last.relation, last.after, (last.id,))
    return Proof("x", "", "", (), scope, (Claim("C", left, relation, right, chain),), numbered)


def _case(
    name: str,
    scope: Scope,
    steps: Sequence[Step],
    claim: tuple[str, str, str, tuple[str, ...]] | None = None,
    *,
    why: str,
) -> _Try:
    return _Try(name, _proof(scope, steps, claim), why)


TRIES = (
    _case(
        "hidden divisor in power",
        Sc([x], [F("m", (), (), "-1")]),
        [S("x*x^m", "algebra", "=", "1")],
        why="the denominator x may be zero: name the hypothesis that it i",
    ),
    _case(
        "x^(0-1)",
        Sc([x]),
        [S("x*x^(0-1)", "algebra", "=", "1")],
        why="the denominator x may be zero: name the hypothesis that it i",
    ),
    _case(
        "x^(-1)",
        Sc([x]),
        [S("x*x^(-1)", "algebra", "=", "1")],
        why="the denominator x may be zero: name the hypothesis that it i",
    ),
    _case(
        "x^{-1}",
        Sc([x]),
        [S("x*x^{-1}", "algebra", "=", "1")],
        why="the denominator x may be zero: name the hypothesis that it i",
    ),
    _case(
        "exp(-ln x)",
        Sc([x]),
        [
            S("exp(-ln(x))", "algebra", "=", "1/x"),
        ],
        why="x may not be positive, and has no logarithm then: name the h",
    ),
    _case(
        "exp(-ln x)*x",
        Sc([x]),
        [
            S("x*exp(-ln(x))", "algebra", "=", "1"),
        ],
        why="x may not be positive, and has no logarithm then: name the h",
    ),
    _case(
        "exp ln",
        Sc([x]),
        [
            S("exp(ln(x))", "algebra", "=", "x"),
        ],
        why="x may not be positive, and has no logarithm then: name the h",
    ),
    _case(
        "sqrt sq",
        Sc([x]),
        [
            S("sqrt(x)^2", "algebra", "=", "x"),
        ],
        why="x may be negative, and has no root then: name the hypothesis",
    ),
    _case(
        "x^(1/2)",
        Sc([x]),
        [
            S("x^(1/2)*x^(1/2)", "algebra", "=", "x"),
        ],
        why="x may be negative, and has no root then: name the hypothesis",
    ),
    _case(
        "x^y x^-y",
        Sc([x, y]),
        [
            S("x^y*x^(-y)", "algebra", "=", "1"),
        ],
        why="x may not be positive, and has no logarithm then: name the h",
    ),
    _case(
        "x^(1/3)",
        Sc([x]),
        [
            S("(x^(1/3))^3", "algebra", "=", "x"),
        ],
        why="x may not be positive, and has no logarithm then: name the h",
    ),
    _case(
        "order hidden div in difference",
        Sc([x]),
        [S("0", "evident sign", "<", "x^2", difference="1/(1/x^2)")],
        why="the denominator 1/x^2 may be zero: name the hypothesis that ",
    ),
    _case(
        "order hidden div2",
        Sc([x]),
        [S("0", "evident sign", "<", "x^2", difference="x^4/x^2")],
        why="the denominator x^2 may be zero: name the hypothesis that it",
    ),
    _case(
        "equivalence factor 1/x^2",
        Sc([x]),
        [S("1 = 0", "equivalence", "⇔", "x^2 = 0", factor="1/x^2")],
        why="the denominator x^2 may be zero: name the hypothesis that it",
    ),
    _case(
        "combination weight 1/x",
        Sc([x, y], hyp=[H("H", "", "equal", ("y",), ("2",))]),
        [S("x*0", "algebra", "=", "0"), S("1", "combination", "=", "1", p=["1"], weights="1/x")],
        why="the denominator x may be zero: name the hypothesis that it i",
    ),
    _case(
        "comb weight cancels2",
        Sc([x, y, D("w")], hyp=[H("H", "", "at-most", (), ("x^2 y", "x^2 w"))]),
        [S("x^2 y", "evident sign", "≤", "x^2 w", ["H"]), S("y", "combination", "≤", "w", p=["1"], weights="1/x^2")],
        why="the denominator x^2 may be zero: name the hypothesis that it",
    ),
    _case(
        "empty sum positive",
        Sc([D("n"), D("z", ("n",))]),
        [S("0", "evident sign", "<", "sum_{j=1}^{n} exp(z_j)")],
        why="The length n of z is not evidently positive: declare its let",
    ),
    _case(
        "empty sum positive nonneg",
        Sc([D("n", sign="nonnegative"), D("z", ("n",))]),
        [S("0", "evident sign", "<", "sum_{j=1}^{n} exp(z_j)")],
        why="The length n of z is not evidently positive: declare its let",
    ),
    _case(
        "real upper",
        Sc([x]),
        [S("0", "evident sign", "≤", "sum_{j=1}^{x} 1"), S("sum_{j=1}^{x} 1", "algebra", "=", "x")],
        ("0", "≤", "x", ("1", "2")),
        why="The length of a sum is not evidently a whole number: declare",
    ),
    _case(
        "divide by empty sum",
        Sc([D("n", sign="nonnegative"), D("z", ("n",))]),
        [S("(sum_{j=1}^{n} exp(z_j))/(sum_{j=1}^{n} exp(z_j))", "algebra", "=", "1")],
        why="The length n of z is not evidently positive: declare its let",
    ),
    _case(
        "upper n-m",
        Sc([n, m]),
        [S("0", "evident sign", "≤", "sum_{j=1}^{n-m} 1"), S("sum_{j=1}^{n-m} 1", "algebra", "=", "n-m")],
        ("0", "≤", "n-m", ("1", "2")),
        why="The length of a sum is not evidently a whole number: declare",
    ),
    _case(
        "upper fraction",
        Sc([n]),
        [S("sum_{j=1}^{1/2} 1", "algebra", "=", "1/2")],
        why="The length of a sum is not evidently a whole number: declare",
    ),
    _case(
        "fixed beyond numeric size",
        Sc([D("z", ("2",))]),
        [S("sum_{j=1}^{2} delta_{j,3}", "algebra", "=", "1")],
        why="The index 3 is not a value of a range of length 2: ranges begin",
    ),
    _case(
        "fixed 0",
        Sc([n, z]),
        [S("sum_{j=1}^{n} delta_{j,0}", "algebra", "=", "1")],
        why="The index 0 is not a value of a range of length n: ranges begin",
    ),
    _case(
        "fixed 7 in n",
        Sc([n, z]),
        [S("sum_{j=1}^{n} delta_{j,7}", "algebra", "=", "1")],
        why="That 7 is a value of a range of length n is not known he",
    ),
    _case(
        "fixed 3 of z size 2",
        Sc([D("z", ("2",))]),
        [S("z_3", "algebra", "=", "z_3")],
        why="The index 3 is not a value of a range of length 2: ranges begin",
    ),
    _case(
        "alien free in abbreviation",
        Sc([n, z], [F("a", (), (), "z_j")]),
        [
            S("a", "definition", "=", "z_j"),
            S("sum_{j=1}^{n} a", "earlier result", "=", "sum_{j=1}^{n} z_j", p=["1"]),
            S("n a", "algebra", "=", "sum_{j=1}^{n} a"),
        ],
        ("n a", "=", "sum_{j=1}^{n} z_j", ("3", "2")),
        why="a depends on the index j, which it does not show: give it th",
    ),
    _case(
        "e defined",
        Sc([x], [F("e", (), (), "2")]),
        [
            S("e", "definition", "=", "2"),
            S("e^x", "earlier result", "=", "2^x", p=["1"]),
            S("exp(x)", "algebra", "=", "e^x"),
        ],
        ("exp(x)", "=", "2^x", ("3", "2")),
        why="A power of e is an exponential",
    ),
    _case(
        "e declared negative",
        Sc([x, D("e")]),
        [S("0", "evident sign", "<", "e^3")],
        why="A power of e is an exponential",
    ),
    _case(
        "prefix sign",
        Sc([n, D("W", ("n",), sign="positive"), D("W_Q")]),
        [S("0", "evident sign", "<", "W_Q")],
        why="that 0 < W_Q is not evident",
    ),
    _case(
        "index replaced by scalars",
        Sc([n, z, D("i"), D("j")], hyp=[H("H", "", "equal", ("i",), ("j",))]),
        [S("i", "substitution", "=", "j", ["H"]), S("z_i", "earlier result", "=", "z_j", p=["1"])],
        why="j is an index here, and no number: take another letter.",
    ),
    _case(
        "index replaced by scalars 2",
        Sc([n, z, D("a"), D("b")], hyp=[H("H", "", "equal", ("a",), ("b",))], fixed=("a", "b")),
        [S("a", "substitution", "=", "b", ["H"]), S("z_a", "earlier result", "=", "z_b", p=["1"])],
        why="z_a is not shown to be z_b",
    ),
    _case(
        "base replaced",
        Sc([n, D("W", ("n",)), D("V", ("n",)), D("W_Q"), D("V_Q")], hyp=[H("H", "", "equal", ("W",), ("V_i",))]),
        [S("W", "substitution", "=", "V", ["H"]), S("W_Q", "earlier result", "=", "V_Q", p=["1"])],
        why="W_Q is not shown to be V_Q",
    ),
    _case(
        "ungrouped base",
        Sc([n, D("W", ("n",)), D("W_Q")]),
        [S("1", "algebra", "=", "1"), S("(W)_Q", "earlier result", "=", "W_Q", p=["1"])],
        why="(W)_Q is not shown to be W_Q",
    ),
    _case(
        "illformed termbyterm",
        Sc([n, m]),
        [
            S("1", "algebra", "=", "sum_{j=1}^{n} delta_{j,i}"),
            S("sum_{i=1}^{m} 1", "term by term", "≤", "sum_{i=1}^{m} sum_{j=1}^{n} delta_{j,i}", p=["1"]),
        ],
        why="The index ~",
    ),
    _case(
        "illformed special",
        Sc([n, m, z, D("y", ("m",))]),
        [S("z_i-z_i", "algebra", "=", "0"), S("z_9 - z_9", "special case", "=", "0", p=["1"], index="i", value="9")],
        why="That 9 is a value of a range of length n is not known he",
    ),
    _case(
        "entry0",
        Sc([n, D("A", ("n", "n"))], [F("B", ("j",), ("n",), "A_{j,j}")]),
        [S("A_{entry0}", "algebra", "=", "B")],
        why="A_{entry0} is not shown to be B",
    ),
    _case(
        "ij special",
        Sc([n, D("A", ("n", "n")), D("y", ("n",))], hyp=[H("H", "", "equal", ("A",), ("y_i",))]),
        [
            S("A_{ij}", "substitution", "=", "y_i", ["H"]),
            S("A_{ij}", "special case", "=", "y_1", p=["1"], index="i", value="1"),
        ],
        why="A_{i j} is not that case of A_{ij}",
    ),
    _case(
        "mean hyp for one k",
        Sc([n, D("q", ("n",), random=True), D("mu", ("n",))], hyp=[H("H", "", "mean", ("q",), ("mu_k",))]),
        [
            S("E(q_1)", "moments", "=", "mu_k", ["H"]),
            S("sum_{k=1}^{n} E(q_1)", "earlier result", "=", "sum_{k=1}^{n} mu_k", p=["1"]),
        ],
        why="sum_{k=1}^{n} E(q_1) is not shown to be sum_{k=1}^{n} mu_k",
    ),
    _case(
        "total for one k",
        Sc([n, D("w", ("n",)), D("mu", ("n",))], hyp=[H("H", "", "total", ("w",), ("mu_k",))]),
        [
            S("sum_{i=1}^{n} w_i", "substitution", "=", "mu_k", ["H"]),
            S("sum_{k=1}^{n} (sum_{i=1}^{n} w_i)", "earlier result", "=", "sum_{k=1}^{n} mu_k", p=["1"]),
        ],
        why="sum_{k=1}^{n} (sum_{i=1}^{n} w_i) is not shown to be sum_{k=",
    ),
    _case(
        "lim with equation",
        Sc([beta, c], hyp=[H("H", "", "equal", ("c",), ("beta",))]),
        [S("lim(beta, oo, exp(-c))", "limit", "=", "0", ["H"]), S("exp(-c)", "limit", "=", "lim(beta, oo, exp(-c))")],
        ("exp(-c)", "=", "0", ("2", "1")),
        why="A limit is taken by a number with a name that no hypothesis ",
    ),
    _case(
        "lim with fixed variable",
        Sc([beta], hyp=[H("H", "", "equal", ("beta",), ("3",))]),
        [S("lim(beta, oo, exp(-beta))", "limit", "=", "exp(-3)", ["H"])],
        why="A limit is taken by a number with a name that no hypothesis ",
    ),
    _case(
        "lim size",
        Sc([n, z]),
        [S("lim(n, oo, 1/n*sum_{j=1}^{n} z_j)", "limit", "=", "0")],
        why="The length of a sum depends on n: its limit is not evident.",
    ),
    _case(
        "lim size exp",
        Sc([n, D("z", ("n",), sign="positive")]),
        [S("lim(n, oo, exp(-sum_{j=1}^{n} z_j))", "limit", "=", "exp(-sum_{j=1}^{n} z_j)")],
        why="The length of a sum depends on n: its limit is not evident.",
    ),
    _case(
        "lim unknown f",
        Sc([x], functions=("f",)),
        [S("lim(x, 0, f(x))", "limit", "=", "f(0)")],
        why="That f is continuous is not known here: its limit is not evi",
    ),
    _case(
        "lim mean",
        Sc([x, D("q", random=True)]),
        [S("lim(x, 0, E(exp(x*q)))", "limit", "=", "1")],
        why="That E:q is continuous is not known here: its limit is not e",
    ),
    _case(
        "lim outside sign",
        Sc([beta]),
        [
            S("sqrt(beta^2)", "square root", "=", "beta"),
            S("lim(beta, -oo, exp(sqrt(beta^2)))", "earlier result", "=", "lim(beta, -oo, exp(beta))", p=["1"]),
            S("lim(beta, -oo, exp(beta))", "limit", "=", "0"),
        ],
        ("lim(beta, -oo, exp(sqrt(beta^2)))", "=", "0", ("2", "3")),
        why="beta is not negative: it does not go there.",
    ),
    _case(
        "lim -1 sign",
        Sc([beta]),
        [S("lim(beta, -1, sqrt(beta^2))", "limit", "=", "1")],
        why="beta is not negative: it does not go there.",
    ),
    _case(
        "erf hidden",
        Sc([D("u", sign="positive")], [F("c", (), (), "1/u")]),
        [S("lim(u, oo, erf(c u))", "lemma:erf-limits", "=", "1")],
        why="the factor is not evidently positive, or it moves",
    ),
    _case(
        "monotone hidden",
        Sc([D("q", random=True)], [F("u", (), (), "q")], [H("H", "", "positive", (), ("u",))]),
        [S("0", "evident sign", "≤", "q", ["H"]), S("E(0)", "lemma:monotone-mean", "≤", "E(q)", p=["1"])],
        why="the hypothesis H speaks of some outcomes only",
    ),
    _case(
        "about delta",
        Sc([n, z], hyp=[H("H", "", "equal", ("#delta",), ("5",))]),
        [S("delta_{i,j}", "substitution", "=", "5", ["H"])],
        why="The hypothesis H speaks of #delta, which is not a quantity that",
    ),
    _case(
        "about pi",
        Sc([], hyp=[H("H", "", "equal", ("pi",), ("3",))]),
        [S("pi", "substitution", "=", "3", ["H"])],
        why="The hypothesis H speaks of pi, which is not a quantity that is ",
    ),
    _case(
        "dup declared",
        Sc([D("x", sign="positive"), D("x")]),
        [S("0", "evident sign", "<", "x")],
        why="The name x stands for two things: name them apart.",
    ),
    _case(
        "dup defined",
        Sc([x], [F("x", (), (), "1")]),
        [S("x", "definition", "=", "1")],
        why="The name x stands for two things: name them apart.",
    ),
    _case(
        "shadow defined",
        Sc([x], [F("a", (), (), "1"), F("a", (), (), "2")]),
        [S("a", "definition", "=", "2")],
        why="The name a stands for two things: name them apart.",
    ),
    _case(
        "dup hyp ids",
        Sc([x], hyp=[H("H", "", "positive", ("x",)), H("H", "", "nonzero", ("x",))]),
        [S("0", "evident sign", "<", "x", ["H"])],
        why="Two hypotheses have one id: number them apart.",
    ),
    _case(
        "at-most one value",
        Sc([x], hyp=[H("H", "", "at-most", (), ("x",))]),
        [S("0", "evident sign", "<", "x", ["H"])],
        why="The hypothesis H says what is at most what: it has two value",
    ),
    _case(
        "law empty",
        Sc([D("q", random=True)], hyp=[H("H", "", "law", ("q",), ())]),
        [S("E(q)", "moments", "=", "x", ["H"])],
        why="The hypothesis H names no law.",
    ),
    _case("delta 3", Sc([n]), [S("delta_{i,j,k}", "algebra", "=", "1")], why="delta has two indices."),
    _case(
        "rank",
        Sc([n, z], [F("a", ("i", "j"), ("n",), "z_i")]),
        [S("a_i", "definition", "=", "z_i")],
        why="a has one letter for each of its indices, all different, and",
    ),
    _case(
        "rank2",
        Sc([n, z], [F("a", ("i", "i"), ("n", "n"), "z_i")]),
        [S("a_{1,2}", "definition", "=", "z_2")],
        why="a has one letter for each of its indices, all different, and",
    ),
    _case(
        "over",
        Sc([D("q", random=True)]),
        [S("E(exp(q))", "lemma:normal-factor", "=", "1", over="q+q^2")],
        why="A mean is taken over one entry of a random quantity here.",
    ),
    _case(
        "positive kind odd",
        Sc([x], hyp=[H("H", "", ODD, ("x",))]),
        [S("0", "evident sign", "<", "x", ["H"])],
        why="The hypothesis H has the kind",
    ),
    _case(
        "func E",
        Sc([x], functions=("E",)),
        [S("E(3)", "algebra", "=", "3")],
        why="The name E has a meaning of its own here: take another.",
    ),
    _case(
        "cyclic abbrev",
        Sc([x], [F("a", (), (), "b+b"), F("b", (), (), "a+a")]),
        [S("a", "algebra", "=", "a")],
        why="a abbreviates b, which is not defined before it.",
    ),
    _case(
        "cyclic many",
        Sc([x], [F(f"a{chr(97 + i)}", (), (), "+".join(f"a{chr(97 + j)}" for j in range(15))) for i in range(15)]),
        [S("1", "algebra", "=", "aa/ab")],
        why="aa abbreviates aa, which is not defined before it.",
    ),
    _case(
        "numpow",
        Sc([x]),
        [S("((((3^64)^64)^64)^64)^64", "algebra", "=", "1")],
        why="A number has more than 8192 binary digits: take smaller ones",
    ),
    _case(
        "exppow",
        Sc([x]),
        [S("exp(exp(exp(exp(exp(exp(exp(exp(exp(exp(x))))))))))", "algebra", "=", "1")],
        why="Expressions are nested more than 8 deep: take them apart.",
    ),
    _case(
        "sqrt negative",
        Sc([x]),
        [S("sqrt(-1)", "algebra", "=", "1")],
        why="The square root of a negative number is not real: take one o",
    ),
    _case(
        "sqrt fold",
        Sc([x]),
        [S("sqrt(x)^2", "algebra", "=", "x")],
        why="x may be negative, and has no root then: name the hypothesis",
    ),
    _case(
        "claim gap",
        Sc([x]),
        [S("1", "algebra", "=", "1"), S("2", "algebra", "=", "2")],
        ("1", "=", "2", ("1", "2")),
        why="1 is followed by 2",
    ),
    _case(
        "eq then lt",
        Sc([x]),
        [
            S("x", "algebra", "=", "x"),
        ],
        ("x", "<", "x", ("1",)),
        why="its steps do not add up to its relation",
    ),
    _case(
        "diff of log dom",
        Sc([x]),
        [S("x*diff(ln(x),x)", "differentiation", "=", "1")],
        why="x may not be positive, and has no logarithm then: name the h",
    ),
    _case(
        "lim entry",
        Sc([n, z]),
        [S("lim(z_1, oo, exp(-z_1))", "limit", "=", "exp(-z_1)")],
        why="A limit is taken by a number with a name that no hypothesis ",
    ),
    _case(
        "lim self target",
        Sc([x]),
        [S("lim(x, 2 x, x)", "limit", "=", "2 x")],
        why="A limit in x is taken at a point that does not depend on it.",
    ),
    _case(
        "diff mean tied",
        Sc(
            [D("beta"), D("c"), qs, D("mu")],
            hyp=[H("H", "", "equal", ("c",), ("beta",)), H("M", "", "mean", ("q",), ("mu",))],
        ),
        [S("diff(E(c q), beta)", "expectation", "=", "mu", ["M"])],
        why="The hypothesis H ties c to beta: put in what it says first.",
    ),
    _case(
        "false indep",
        Sc([qs, ks], hyp=[]),
        [S("E(q k)", "linearity of expectation", "=", "E(q) E(k)")],
        why="E(q k) is not shown to be E(q) E(k)",
    ),
    _case(
        "indep by coordinates",
        Sc([n, q, k], hyp=[H("H", "", "coordinates", ("q",)), H("K", "", "coordinates", ("k",))]),
        [S("E(q_1 k_1)", "independence", "=", "E(q_1) E(k_1)", ["H", "K"])],
        why="E(q_1 k_1) is not shown to be E(q_1) E(k_1)",
    ),
    _case(
        "same var indep",
        Sc([qs], hyp=[H("H", "", "independent", ("q", "q"))]),
        [S("E(q q)", "independence", "=", "E(q) E(q)", ["H"])],
        why="E(q q) is not shown to be E(q) E(q)",
    ),
    _case(
        "coordinate same index",
        Sc([n, q], hyp=[H("H", "", "coordinates", ("q",))]),
        [S("E(q_i q_j)", "independence", "=", "E(q_i) E(q_j)", ["H"])],
        why="E(q_i q_j) is not shown to be E(q_i) E(q_j)",
    ),
    _case(
        "wrong variance",
        Sc([qs, D("s", sign="positive")], hyp=[H("H", "", "law", ("q",), ("gaussian", "0", "s"))]),
        [S("Var(2 q)", "moments", "=", "2 s", ["H"])],
        why="Var(2 q) is not shown to be 2 s",
    ),
    _case(
        "unnamed hyp",
        Sc([qs, D("s", sign="positive")], hyp=[H("H", "", "law", ("q",), ("gaussian", "0", "s"))]),
        [S("Var(q)", "moments", "=", "s")],
        why="Var(q) is not shown to be s",
    ),
    _case(
        "premise cycle",
        Sc([x]),
        [S("1", "earlier result", "=", "2", p=["2"]), S("2", "earlier result", "=", "1", p=["1"])],
        why="its premise 2 is not proved before it",
    ),
    _case(
        "self premise",
        Sc([x]),
        [S("1", "earlier result", "=", "2", p=["1"])],
        why="its premise 1 is not proved before it",
    ),
    _case(
        "comb direction",
        Sc([x], hyp=[H("H", "", "at-most", (), ("x", "1"))]),
        [S("x", "evident sign", "≤", "1", ["H"]), S("1", "combination", "≤", "x", p=["1"], weights="1")],
        why="its premises with these weights do not add up to it",
    ),
    _case(
        "comb neg weight",
        Sc([x], hyp=[H("H", "", "at-most", (), ("x", "1"))]),
        [S("x", "evident sign", "≤", "1", ["H"]), S("1", "combination", "≤", "x", p=["1"], weights="-1")],
        why="the weight -1 is not evidently positive",
    ),
    _case(
        "comb eq from ineq",
        Sc([x], hyp=[H("H", "", "at-most", (), ("x", "1"))]),
        [S("x", "evident sign", "≤", "1", ["H"]), S("x", "combination", "=", "1", p=["1"], weights="1")],
        why="an equation does not follow from inequalities so",
    ),
    _case(
        "comb strict zero weight",
        Sc([x]),
        [S("0", "evident sign", "<", "1"), S("0", "combination", "<", "0", p=["1"], weights="0")],
        why="the weight 0 is not evidently positive",
    ),
    _case(
        "comb strict 0+ weight",
        Sc([x]),
        [S("0", "evident sign", "<", "1"), S("0", "combination", "<", "x^2", p=["1"], weights="x^2")],
        why="nothing makes it strict",
    ),
    _case("equiv vanishing", Sc([x, y]), [S("x y = 0", "equivalence", "⇔", "y = 0", factor="x")], why="x may be zero"),
    _case(
        "equiv neg",
        Sc([x, y]),
        [S("-x ≤ 0", "equivalence", "⇔", "x ≤ 0", factor="-1")],
        why="the sign of -1 does not take ≤ to ≤",
    ),
    _case(
        "rel composed",
        Sc([x]),
        [S("0", "evident sign", "≤", "x^2"), S("x^2", "algebra", "=", "x*x")],
        ("0", "<", "x*x", ("1", "2")),
        why="its steps do not add up to its relation",
    ),
    _case(
        "mix dir",
        Sc([x]),
        [S("0", "evident sign", "<", "1"), S("1", "evident sign", ">", "-1")],
        ("0", "<", "-1", ("1", "2")),
        why="its steps do not add up to its relation",
    ),
    _case(
        "bound capture",
        Sc([n, z]),
        [S("sum_{j=1}^{n} z_j*(sum_{j=1}^{n} z_j)", "algebra", "=", "sum_{j=1}^{n} z_j z_j")],
        why="sum_{j=1}^{n} z_j*(sum_{j=1}^{n} z_j) is not shown to be sum",
    ),
    _case(
        "defined capture",
        Sc([n, z], [F("a", ("i",), ("n",), "sum_{j=1}^{n} z_j z_i")]),
        [S("sum_{j=1}^{n} a_j", "definition", "=", "sum_{j=1}^{n} sum_{j=1}^{n} z_j z_j")],
        why="sum_{j=1}^{n} a_j is not shown to be sum_{j=1}^{n} sum_{j=1}",
    ),
    _case(
        "earlier inside sum constrained",
        Sc([n, z], hyp=[H("H", "", "distinct", ("i", "j"))]),
        [
            S("delta_{i,j}", "substitution", "=", "0", ["H"]),
            S("sum_{i=1}^{n} delta_{i,j}", "earlier result", "=", "sum_{i=1}^{n} 0", p=["1"]),
        ],
        why="sum_{i=1}^{n} delta_{i,j} is not shown to be sum_{i=1}^{n} 0",
    ),
    _case(
        "earlier with renamed",
        Sc([n, z], hyp=[H("H", "", "distinct", ("i", "j"))]),
        [
            S("delta_{i,j}", "substitution", "=", "0", ["H"]),
            S("delta_{i,k}", "special case", "=", "0", p=["1"], index="j", value="k"),
        ],
        why="j does not stand for every value",
    ),
    _case(
        "diff pointwise",
        Sc([x], hyp=[H("H", "", "equal", ("x",), ("2",))]),
        [S("x", "substitution", "=", "2", ["H"]), S("diff(x, x)", "earlier result", "=", "diff(2, x)", p=["1"])],
        why="diff(x, x) is not shown to be diff(2, x)",
    ),
    _case(
        "E sqrt pointwise",
        Sc(
            [qs, D("s", sign="positive")],
            hyp=[H("H", "", "positive", (), ("q",)), H("L", "", "law", ("q",), ("gaussian", "0", "s"))],
        ),
        [
            S("sqrt(q^2)", "square root", "=", "q", ["H"]),
            S("E(sqrt(q^2))", "earlier result", "=", "E(q)", p=["1"]),
            S("E(q)", "moments", "=", "0", ["L"]),
        ],
        ("E(sqrt(q^2))", "=", "0", ("2", "3")),
        why="E(sqrt(q^2)) is not shown to be E(q)",
    ),
    _case(
        "E sqrt pointwise indices",
        Sc([n, q], hyp=[H("H", "", "positive", (), ("q_k",))]),
        [
            S("sqrt(q_k^2)", "square root", "=", "q_k", ["H"]),
            S("sum_{k=1}^{n} sqrt(q_k^2)", "earlier result", "=", "sum_{k=1}^{n} q_k", p=["1"]),
        ],
        why="sum_{k=1}^{n} sqrt(q_k^2) is not shown to be sum_{k=1}^{n} q",
    ),
    _case(
        "letters diff",
        Sc([x], [F("a", (), (), "x^2"), F("b", (), (), "diff(x^2,x)")]),
        [S("b", "algebra in letters", "=", "0", letters="a")],
        why="what stands in a derivative, a limit or a mean is more than ",
    ),
    _case(
        "letters hidden",
        Sc([x], [F("a", (), (), "x^2")]),
        [S("diff(a,x)", "algebra in letters", "=", "0", letters="a")],
        why="what stands in a derivative, a limit or a mean is more than ",
    ),
    _case("sq root neg", Sc([x]), [S("sqrt(x^2)", "square root", "=", "x")], why="x is not evidently positive or zero"),
    _case(
        "sq root via 1/(1/x)",
        Sc([x]),
        [S("sqrt(1)", "square root", "=", "x/x")],
        why="the denominator x may be zero: name the hypothesis that it i",
    ),
    _case(
        "abs sq",
        Sc([x, y]),
        [S("x^2", "evident sign", "≤", "x^2+y^2"), S("abs(x)", "absolute values", "≤", "x+y", p=["1"])],
        why="x + y is not evidently nonnegative",
    ),
    _case("growth", Sc([x]), [S("exp(x)", "growth of exp", "≤", "exp(2 x)")], why="that x ≤ 2 x is not evident"),
    _case(
        "term by term other index",
        Sc([n, z], hyp=[H("H", "", "at-most", (), ("z_i", "z_j"))]),
        [
            S("z_k", "evident sign", "≤", "z_j", ["H"]),
            S("sum_{k=1}^{n} z_k", "term by term", "≤", "sum_{k=1}^{n} z_j", p=["1"]),
        ],
        why="that z_k ≤ z_j is not evident",
    ),
    _case(
        "at-most i j",
        Sc([n, z, D("b")], hyp=[H("H", "", "at-most", (), ("z_k", "b"))]),
        [
            S("z_k", "evident sign", "≤", "b", ["H"]),
            S("sum_{k=1}^{n} z_k", "term by term", "≤", "sum_{k=1}^{n} b", p=["1"]),
        ],
        why="k stands for some values only: sum over another index",
    ),
    _case(
        "at-most special",
        Sc([n, z, D("b")], hyp=[H("H", "", "at-most", (), ("z_k", "b"))]),
        [S("z_k", "evident sign", "≤", "b", ["H"]), S("z_l", "special case", "≤", "b", p=["1"], index="k", value="l")],
        why="k does not stand for every value",
    ),
    _case(
        "sum from 0", Sc([n]), [S("sum_{j=0}^{n} 1", "algebra", "=", "n")], why="A sum begins at 1 here and has an end."
    ),
    _case(
        "two fixed in size 1 b",
        Sc([D("z", ("1",))], fixed=("a", "b")),
        [S("sum_{j=1}^{1} (delta_{j,a}+delta_{j,b})", "algebra", "=", "2")],
        why="The indices a and b are not different values of a range of le",
    ),
    _case(
        "two fixed size1 z",
        Sc([D("z", ("1",))], fixed=("a", "b")),
        [S("diff(z_a,z_b)", "differentiation", "=", "0")],
        why="The indices a and b are not different values of a range of le",
    ),
    _case(
        "numeric sum",
        Sc([D("z", ("2",))]),
        [S("sum_{j=1}^{2} z_j", "algebra", "=", "z_1")],
        why="sum_{j=1}^{2} z_j is not shown to be z_1",
    ),
    _case(
        "n-1 sizes",
        Sc([n, m]),
        [S("0", "evident sign", "<", "sum_{j=1}^{n-1} 1")],
        why="that 0 < sum_{j=1}^{n-1} 1 is not evident",
    ),
    _case(
        "n-2 length with two letters",
        Sc([n, m]),
        [S("0", "evident sign", "≤", "sum_{j=1}^{n-2} 1"), S("sum_{j=1}^{n-2} 1", "algebra", "=", "n-2")],
        ("0", "≤", "n-2", ("1", "2")),
        why="The length of a sum is not evidently a whole number: declare",
    ),
    _case(
        "unknown e index",
        Sc([n, D("e", ("n",))]),
        [S("0", "evident sign", "<", "e^3")],
        why="A power of e is an exponential",
    ),
    _case(
        "e vec pow",
        Sc([n, D("e", ("n",)), x]),
        [S("e^x", "algebra", "=", "exp(x)")],
        why="A power of e is an exponential",
    ),
    _case("var sign neg", Sc([qs]), [S("Var(q)", "evident sign", "≤", "0")], why="that Var(q) ≤ 0 is not evident"),
    _case(
        "random law param",
        Sc([qs, ks], hyp=[H("H", "", "mean", ("q",), ("k",))]),
        [S("E(q)", "moments", "=", "k", ["H"])],
        why="What is known of a law depends on a random quantity: conditi",
    ),
    _case(
        "tower wrong",
        Sc([qs, ks]),
        [S("E(q)", "tower property", "=", "E(E(q, k), k)")],
        why="the tower property leads from E(X) to E(E(X, q))",
    ),
    _case(
        "cond not indep",
        Sc([qs, ks, D("mu")], hyp=[H("M", "", "mean", ("q",), ("mu",))]),
        [S("E(q, k)", "moments", "=", "mu", ["M"])],
        why="E(q, k) is not shown to be mu",
    ),
    _case(
        "perm",
        Sc([n, z], permutations=("pi",)),
        [S("z_{pi(i)}", "algebra", "=", "z_i")],
        why="z_{pi(i)} is not shown to be z_i",
    ),
    _case(
        "perm two",
        Sc([n, z, D("y", ("n",))], permutations=("pi",)),
        [S("sum_{j=1}^{n} z_{pi(j)} y_j", "algebra", "=", "sum_{j=1}^{n} z_j y_j")],
        why="sum_{j=1}^{n} z_{pi(j)} y_j is not shown to be sum_{j=1}^{n}",
    ),
    _case(
        "perm nonsym m",
        Sc([n, z], permutations=("pi",)),
        [S("sum_{j=1}^{n} z_{pi(pi(j))} z_{pi(j)}", "algebra", "=", "sum_{j=1}^{n} z_{j} z_{j}")],
        why="sum_{j=1}^{n} z_{pi(pi(j))} z_{pi(j)} is not shown to be sum",
    ),
    _case(
        "lim neg oo pos",
        Sc([D("b", sign="positive")]),
        [S("lim(b,-oo,exp(b))", "limit", "=", "0")],
        why="b is not negative: it does not go there.",
    ),
    _case(
        "lim growth",
        Sc([D("b", sign="positive"), x]),
        [S("lim(b,oo,exp(x b))", "limit", "=", "0")],
        why="Whether an exponential grows or falls as b grows is not evid",
    ),
    _case(
        "defn with hyp name positive body",
        Sc([x], [F("a", (), (), "x", sign="positive")]),
        [S("0", "evident sign", "<", "a")],
        why="That a is positive is not evident from what it stands for, x",
    ),
    _case(
        "shadow sum idx vs decl",
        Sc([n, z, D("j")]),
        [S("sum_{j=1}^{n} j", "algebra", "=", "n j")],
        why="j is an index here, and no number: take another letter.",
    ),
    _case(
        "E(X,q) vec",
        Sc([qs, ks, D("mu")], hyp=[H("I", "", "independent", ("q", "k")), H("M", "", "mean", ("q",), ("mu",))]),
        [S("E(q k, q)", "expectation", "=", "mu k", ["I", "M"])],
        why="E(q k, q) is not shown to be mu k",
    ),
    _case(
        "taylor pointwise",
        Sc([qs]),
        [S("1", "lemma:taylor-mean", "≤", "0", over="q", of="q", bound="1")],
        why="it establishes ≤ from four derivatives and an upper and a lo",
    ),
    _case(
        "lemma equiv relation",
        Sc([x]),
        [S("tanh(x)^2", "lemma:tanh-at-most", "<", "x^2")],
        why="it establishes tanh(x)^2 ≤ x^2",
    ),
    _case("rule lemma unknown", Sc([x]), [S("1", "lemma:nope", "=", "2")], why="there is no lemma nope"),
    _case(
        "hidden sqrt abbr",
        Sc([x], [F("a", (), (), "sqrt(x)")]),
        [S("a^2", "algebra", "=", "x")],
        why="x may be negative, and has no root then: name the hypothesis",
    ),
    _case(
        "hidden log hyp",
        Sc([x], [F("a", (), (), "ln(x)")]),
        [S("exp(a)", "algebra", "=", "x")],
        why="x may not be positive, and has no logarithm then: name the h",
    ),
    _case(
        "log in sum",
        Sc([n, z], hyp=[H("H", "", "positive", (), ("z_k",))]),
        [S("sum_{k=1}^{n} exp(ln(z_k))", "algebra", "=", "sum_{k=1}^{n} z_k", ["H"])],
        why="z_k may not be positive, and has no logarithm then: name the",
    ),
    _case("norm neg", Sc([n, z]), [S("norm(z)", "evident sign", "<", "0")], why="that norm(z) < 0 is not evident"),
    _case(
        "softmax shift",
        Sc([n, z, x]),
        [S("softmax(2 z)", "algebra", "=", "softmax(z)")],
        why="softmax(2 z) is not shown to be softmax(z)",
    ),
    _case(
        "huge fixed",
        Sc([n, z]),
        [S("z_{99999999999999999999999999}", "algebra", "=", "0")],
        why="That 99999999999999999999999999 is a value of a range of",
    ),
)


def _reason(proof: Proof) -> str:
    """Why a proof is refused, in one sentence; nothing where it is proved."""
    try:
        found = replay(proof)
    except InputError as fault:
        return str(fault)
    return "" if found.is_proved else found.faults[0].reason


@pytest.mark.parametrize("item", TRIES, ids=lambda item: item.name)
def test_a_false_claim_is_refused(item: _Try) -> None:
    assert _reason(item.proof).startswith(item.why)


@pytest.mark.parametrize("item", TRIES, ids=lambda item: item.name)
def test_and_as_a_record(item: _Try) -> None:
    assert _reason(proof_from_json(item.proof.as_json())).startswith(item.why)


def _doubled() -> Scope:
    names = [F("a_0", (), (), "x")]
    names += [F(f"a_{i}", (), (), "+".join([f"a_{i - 1}"] * 8)) for i in range(1, 14)]
    return Sc([x], names)


@pytest.mark.unmeasured
@pytest.mark.parametrize(
    "proof",
    [
        _proof(_doubled(), [S("a_13", "algebra", "=", "1")]),
        _proof(Sc([x, y, c, beta]), [S("(x+y+c+beta+1)^64", "algebra", "=", "1")]),
        _proof(Sc([x]), [S("((((x+1)^16)^16)^16)^16", "algebra", "=", "1")]),
        _proof(Sc([x]), [S("((((3^64)^64)^64)^64)^64", "algebra", "=", "1")]),
        _proof(Sc([x]), [S("(" * 5000 + "x" + ")" * 5000, "algebra", "=", "x")]),
        _proof(Sc([x]), [S("+".join(["x"] * 9000), "algebra", "=", "9000 x")]),
    ],
)
def test_what_is_too_large_is_refused_soon(proof: Proof) -> None:
    with effort(10_000_000):
        reason = _reason(proof)
    assert reason
    assert "\n" not in reason


TRUE = (
    _proof(Sc([beta]), [S("exp(-ln(beta))", "algebra", "=", "1/beta")]),
    _proof(Sc([beta]), [S("sqrt(beta)^2", "algebra", "=", "beta")]),
    _proof(Sc([x], (), [H("H", "", "positive", (), ("x",))]), [S("exp(ln(x))", "algebra", "=", "x", ["H"])]),
    _proof(Sc([n, z]), [S("0", "evident sign", "<", "sum_{j=1}^{n} exp(z_j)")]),
    _proof(Sc([n, m]), [S("sum_{j=1}^{n-1} 1", "algebra", "=", "n-1")]),
    _proof(Sc([beta]), [S("lim(beta, oo, exp(-beta))", "limit", "=", "0")]),
)


@pytest.mark.parametrize("proof", TRUE)
def test_what_is_true_there_is_proved(proof: Proof) -> None:
    assert replay(proof).is_proved
