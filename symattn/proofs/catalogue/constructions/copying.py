"""Theorems on attention that copies one value, or averages some of them."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from symattn.errors import InputError
from symattn.exact.field.expsum import ExpSum
from symattn.exact.field.polynomial import Polynomial
from symattn.exact.field.quotient import Quotient
from symattn.exact.rounding.quotients import Rounding, decimal
from symattn.proofs.catalogue.authoring.proof_builder import Builder
from symattn.proofs.catalogue.authoring.theorem import Line, Parameter, Theorem
from symattn.proofs.catalogue.constructions.falsehoods import AVERAGE_FALSE, COPY_FALSE, PARALLEL
from symattn.proofs.kernel.record import Proof

_WEIGHTS = "exp(k_j^T q)/sum_{l=1}^{n} exp(k_l^T q)"

# Copying -------------------------------------------------------------------------------------------


def _copy(_values: Mapping[str, str]) -> Proof:
    b = Builder(
        "copy",
        "Attention copies a value",
        "If the score of key $r$ exceeds every other by at least $Delta$, then "
        "$a_r ≥ 1/(1 + (n - 1) e^{-Delta})$. Conversely, if $a_r ≥ 1 - eps$, then $(k_r - k_s)^T q ≥ log((1 - "
        "eps)/eps)$ "
        "for every other key $s$. A margin of $log((n - 1) (1 - eps)/eps)$ suffices for $a_r ≥ 1 - eps$. "
        "The output is $c = v_r + sum_{i=1}^{n} a_i (v_i - v_r)$, so $norm(c - v_r) ≤ (1 - a_r) M$ where no value is "
        "farther than $M$ from $v_r$. Only the margins count: other keys may agree with the query too.",
        "log-sum-exp bounds; Boyd and Vandenberghe 2004, Convex Optimization, section 3.1.5",
    )
    for name in ("n", "D", "m", "eps"):
        b.number(name, "positive")
    b.number("Delta")
    b.number("M", "nonnegative")
    b.matrix("k", "n", "D")
    b.vector("q", "D")
    b.matrix("v", "n", "m")
    b.fixed("r", "s")
    b.define("a", _WEIGHTS, "j", "n", "positive")
    b.define("c", "sum_{j=1}^{n} a_j v_{j,t}", "t", "m")
    margin = b.assume(
        "at-most", "k q", "$(k_r - k_i)^T q ≥ Delta$ for every $i$ other than $r$", "(1 - delta_{i,r}) Delta",
        "(k_r - k_i)^T q",
    )  # fmt: skip
    several = b.assume("positive", "", "there are at least two keys", "n - 1")
    weight = b.assume("at-most", "a eps", "$a_r ≥ 1 - eps$", "1 - eps", "a_r")
    part = b.assume("positive", "", "$0 < eps < 1$", "1 - eps")
    near = b.assume("at-most", "v M", "$norm(v_i - v_r) ≤ M$ for every $i$", "norm(v_i - v_r)", "M")
    wide = b.assume(
        "at-most", "Delta eps", "$Delta ≥ log((n - 1) (1 - eps)/eps)$", "log((n - 1) (1 - eps)/eps)", "Delta"
    )
    _margin_to_weight(b, margin, several)
    _weight_to_margin(b, weight, part)
    _enough(b, several, part, wide)
    _error(b, near)
    return b.proof()


def _margin_to_weight(b: Builder, margin: str, several: str) -> None:
    total, bound = "sum_{i=1}^{n} exp(-(k_r - k_i)^T q)", "1 + (n - 1) e^{-Delta}"
    term = b.chain("exp(-(k_r - k_i)^T q)").then("≤", "exp(-(1 - delta_{i,r}) Delta)", "growth of exp", margin)
    terms = b.chain(total).then(
        "≤", "sum_{i=1}^{n} exp(-(1 - delta_{i,r}) Delta)", "term by term", premises=(term.last,)
    )
    terms.then("=", bound, "algebra", words="the term $i = r$ is 1, the others are equal")
    terms.claim("the other exponentials over that of key $r$")
    whole = b.chain(total).then("≤", bound, "combination", premises=tuple(terms.ids), weights="1; 1")
    chain = b.chain("a_r").then("=", f"1/({total})", "algebra", words="numerator and denominator over $exp(k_r^T q)$")
    shown = f"-(({bound}) - {total})/(({total}) ({bound}))"
    chain.then(
        "≥", f"1/({bound})", "evident sign", several, premises=(whole.last,), difference=shown,
        words="a smaller denominator makes a larger quotient",
    )  # fmt: skip
    chain.claim("from the margin to the weight")


def _weight_to_margin(b: Builder, weight: str, part: str) -> None:
    chain = b.chain("e^{(k_r - k_s)^T q}").then("=", "a_r/a_s", "algebra")
    shown = "-((a_r - (1 - eps)) + (1 - eps) sum_{l=1}^{n} (1 - delta_{l,r} - delta_{l,s}) a_l)/(a_s eps)"
    words = "since $a_s ≤ 1 - a_r ≤ eps$"
    chain.then("≥", "(1 - eps)/eps", "evident sign", weight, part, difference=shown, words=words)
    chain.claim()
    whole = b.chain("e^{(k_r - k_s)^T q}").then(
        "≥", "(1 - eps)/eps", "combination", premises=tuple(chain.ids), weights="1; 1"
    )
    margin = b.chain("(k_r - k_s)^T q")
    margin.then("≥", "log((1 - eps)/eps)", "lemma:log-increasing", part, premises=(whole.last,))
    margin.claim("from the weight to every margin")


def _enough(b: Builder, several: str, part: str, wide: str) -> None:
    bound = "eps/((n - 1) (1 - eps))"
    small = b.chain("exp(-Delta)")
    small.then("≤", "exp(-log((n - 1) (1 - eps)/eps))", "growth of exp", wide, several, part)
    small.then("=", bound, "algebra", several, part)
    whole = b.chain("exp(-Delta)").then(
        "≤", bound, "combination", several, part, premises=tuple(small.ids), weights="1; 1"
    )
    shown = f"-((n - 1) (1 - eps) ({bound} - exp(-Delta)))/(1 + (n - 1) e^{{-Delta}})"
    chain = b.chain("1/(1 + (n - 1) e^{-Delta})")
    chain.then("≥", "1 - eps", "evident sign", several, part, premises=(whole.last,), difference=shown)
    chain.claim("a margin that suffices")


def _error(b: Builder, near: str) -> None:
    error = "sum_{i=1}^{n} (1 - delta_{i,r}) a_i (v_i - v_r)"
    plain = b.chain("c - v_r")
    plain.then("=", "sum_{i=1}^{n} a_i (v_i - v_r)", "algebra", words="the weights add up to 1")
    plain.claim("the error of the copy")
    apart = b.chain("c - v_r").then("=", error, "algebra", words="the term $i = r$ is zero")
    term = b.chain("(1 - delta_{i,r}) a_i norm(v_i - v_r)")
    shown = "(1 - delta_{i,r}) a_i (M - norm(v_i - v_r))"
    term.then("≤", "(1 - delta_{i,r}) a_i M", "evident sign", near, difference=shown)
    chain = b.chain("norm(c - v_r)").then("=", f"norm({error})", "earlier result", premises=(apart.last,))
    chain.then("≤", "sum_{i=1}^{n} (1 - delta_{i,r}) a_i norm(v_i - v_r)", "lemma:triangle-inequality")
    chain.then("≤", "sum_{i=1}^{n} (1 - delta_{i,r}) a_i M", "term by term", premises=(term.last,))
    chain.then("=", "(1 - a_r) M", "algebra")
    chain.claim("its length")


# Averaging -----------------------------------------------------------------------------------------

_LETTERS = ("a", "b", "d", "f")


def _average(values: Mapping[str, str]) -> Proof:
    count, n, s = int(values["m"]), values["n"], values["s"]
    if n != "n" and int(n) < count:
        raise InputError(f"n is {n} and m is {count}: m of the n keys are averaged.")
    is_plain = values["keys"] == "orthonormal"
    chosen = _LETTERS[:count]
    scaled = "" if is_plain else "/g_{}"
    keys = " + ".join(f"k_{name}{scaled.format(name)}" for name in chosen)
    mean = _mean(count, chosen)
    unit = "orthonormal" if is_plain else "orthogonal, of squared lengths $g_i$,"
    b = Builder(
        "average-of-two",
        "A query for an average",
        f"For {unit} keys the query $q = {_scale(s)} ({keys})$ gives the chosen keys the weight "
        f"$e^{{{s}}}/({_total(count, n, s)})$ each{_of_others(count, n, s, mean)} With no other key "
        "there is no error, whatever the scale.",
        "CS224N (Stanford), assignment on attention",
    )
    for name, value in (("n", n), ("s", s)):
        if value != name:
            b.parameter(name, value)
    b.parameter("m", str(count))
    return _Average(b, count, n, s, chosen, is_plain=is_plain).proof()


def _of_others(count: int, n: str, s: str, mean: str) -> str:
    """Return the weights of the keys that are not chosen, and their effect on the output."""
    if n.isdecimal() and int(n) == count:
        return "."
    total = _total(count, n, s)
    return (
        f" and every other key $o$ the weight $1/({total})$. The error of $c$ is exactly the sum of $v_i - {mean}$ "
        f"over the others, divided by ${total}$; so it is at most the fraction of the weight that the others have, "
        "times their greatest distance $M$ from the average. That fraction is at most $eps$ just when "
        f"${s} ≥ log({_level(count, n)})$."
    )


def _scale(s: str) -> str:
    return s if s.isalpha() or s.isdecimal() else f"({s})"


def _rest(count: int, n: str) -> str:
    """Return the number of other keys, as a factor."""
    return str(int(n) - count) if n.isdecimal() else f"({n} - {count})"


def _total(count: int, n: str, s: str) -> str:
    more = "" if n.isdecimal() and int(n) == count else f" + {_rest(count, n)}"
    return f"{count if count > 1 else ''} e^{{{s}}}{more}".strip()


def _level(count: int, n: str) -> str:
    """Return the number that the exponential of the scale has to reach."""
    rest = _rest(count, n)
    above = "(1 - eps)" if rest == "1" else f"{rest} (1 - eps)"
    return f"{above}/({count} eps)" if count > 1 else f"{above}/eps"


def _mean(count: int, chosen: tuple[str, ...]) -> str:
    values = " + ".join(f"v_{name}" for name in chosen)
    return values if count == 1 else f"(1/{count}) ({values})"


class _Average:
    """The proof for some of the keys."""

    def __init__(self, b: Builder, count: int, n: str, s: str, chosen: tuple[str, ...], *, is_plain: bool) -> None:
        self.b, self.count, self.n, self.s, self.chosen = b, count, n, s, chosen
        self.is_plain = is_plain
        self.total = _total(count, n, s)
        self.mean = _mean(count, chosen)
        self.rest = _rest(count, n)
        self.share = "1" if count == 1 else f"1/{count}"
        self.has_others = n == "n" or int(n) > count

    def picked(self, index: str) -> str:
        return " + ".join(f"delta_{{{index},{name}}}" for name in self.chosen)

    def left(self, index: str) -> str:
        return "(1 - " + " - ".join(f"delta_{{{index},{name}}}" for name in self.chosen) + ")"

    def proof(self) -> Proof:
        self._declare()
        keys = self._keys()
        self._weights(keys)
        self._error(keys)
        if self.has_others:
            self._least_scale()
        self._limits()
        return self.b.proof()

    def _declare(self) -> None:
        b = self.b
        for name in ("n", "D", "m", "eps"):
            if name != "n" or self.n == "n":
                b.number(name, "positive")
        if self.s == "s":
            b.number("s")
        b.number("M", "nonnegative")
        b.matrix("k", self.n, "D")
        b.vector("q", "D")
        b.matrix("v", self.n, "m")
        b.vector("u", self.n, "nonnegative")
        b.fixed(*self.chosen, *(("o",) if self.has_others else ()))
        if not self.is_plain:
            b.vector("g", self.n, "positive")
        b.define("alpha", _WEIGHTS.replace("{n}", f"{{{self.n}}}"), "j", self.n, "positive")
        b.define("c", f"sum_{{j=1}}^{{{self.n}}} alpha_j v_{{j,t}}", "t", "m")

    def _keys(self) -> tuple[str, ...]:
        b = self.b
        scaled = "" if self.is_plain else "/g_{}"
        lengths = "delta_{i,j}" if self.is_plain else "delta_{i,j} g_i"
        words = "$k_i^T k_j = delta_{i,j}$" if self.is_plain else "$k_i^T k_j = delta_{i,j} g_i$"
        basis = b.assume("dot-products", "k k", f"the keys satisfy {words}; so $n ≤ D$", lengths)
        total = " + ".join(f"k_{{{name},i}}{scaled.format(name)}" for name in self.chosen)
        shown = " + ".join(f"k_{name}{scaled.format(name)}" for name in self.chosen)
        query = b.assume("equal", "q", f"$q = {_scale(self.s)} ({shown})$", f"{_scale(self.s)} ({total})")
        self.enough: tuple[str, ...] = ()
        if self.n == "n":
            text = f"the chosen keys are {self.count} of the $n$"
            self.enough = (b.assume("at-most", "n", text, str(self.count), "n"),)
        return (basis, query)

    def _weights(self, keys: tuple[str, ...]) -> None:
        b, total = self.b, self.total
        chain = b.chain("k_j^T q").then("=", f"{_scale(self.s)} ({self.picked('j')})", "substitution", *keys)
        chain.claim("the scores")
        chain = b.chain("alpha_j")
        chain.then("=", f"exp({_scale(self.s)} ({self.picked('j')}))/({total})", "substitution", *keys, *self.enough)
        chain.claim("every weight")
        for name in self.chosen:
            chain = b.chain(f"alpha_{name}")
            chain.then("=", f"e^{{{self.s}}}/({total})", "substitution", *keys, *self.enough)
            chain.claim("the weight of a chosen key")
        if self.has_others:
            b.chain("alpha_o").then("=", f"1/({total})", "substitution", *keys, *self.enough).claim(
                "the weight of any other key, $o$ being one of them"
            )

    def _error(self, keys: tuple[str, ...]) -> None:
        b, total, mean = self.b, self.total, self.mean
        n, left = self.n, self.left("i")
        away = b.assume("equal", "u", f"$u_i$ abbreviates $norm(v_i - {mean})$", f"norm(v_i - {mean})")
        text = "$u_i ≤ M$ for every other key $i$"
        near = b.assume("at-most", "u M", text, f"{left} u_i", f"{left} M")
        error = f"sum_{{i=1}}^{{{n}}} ({left}/({total})) (v_i - {mean})"
        chain = b.chain(f"c - {mean}").then("=", error, "substitution", *keys, *self.enough)
        chain.claim("the exact error")
        term = b.chain(f"({left}/({total})) u_i")
        shown = f"({left} M - {left} u_i)/({total})"
        term.then("≤", f"({left}/({total})) M", "evident sign", near, *self.enough, difference=shown)
        length = b.chain(f"norm(c - {mean})")
        length.then("=", f"norm({error})", "earlier result", *self.enough, premises=(chain.last,))
        norms = f"sum_{{i=1}}^{{{n}}} ({left}/({total})) norm(v_i - {mean})"
        length.then("≤", norms, "lemma:triangle-inequality", *self.enough)
        short = f"sum_{{i=1}}^{{{n}}} ({left}/({total})) u_i"
        length.then("=", short, "substitution", away, *self.enough)
        bound = f"sum_{{i=1}}^{{{n}}} ({left}/({total})) M"
        length.then("≤", bound, "term by term", *self.enough, premises=(term.last,))
        length.then("=", f"({self.rest}/({total})) M" if self.has_others else "0", "algebra", *self.enough)
        length.claim("its length")

    def _least_scale(self) -> None:
        b, n, count, total, s = self.b, self.n, self.count, self.total, self.s
        more = () if n != "n" else (b.assume("positive", "", "there is a key besides the chosen ones", f"n - {count}"),)
        part = b.assume("positive", "", "$0 < eps < 1$", "1 - eps")
        if more:
            b.define("vbar", f"(sum_{{i=1}}^{{{n}}} {self.left('i')} v_{{i,c}})/({n} - {count})", "c", "m")
            self._with_mean(more)
        others = b.chain("1 - " + " - ".join(f"alpha_{name}" for name in self.chosen))
        others.then("=", f"{self.rest}/({total})", "substitution", *self._basis(), *self.enough)
        others.claim("the weight of all the others together")
        level = _level(count, n)
        chain = b.chain(f"{self.rest}/({total}) ≤ eps")
        chain.then("⇔", f"{level} ≤ e^{{{s}}}", "equivalence", *self.enough, factor=f"{count} eps/({total})")
        chain.then("⇔", f"log({level}) ≤ {s}", "lemma:log-increasing", *more, part)
        chain.claim("the least scale for a given weight of the others")

    def _basis(self) -> tuple[str, ...]:
        return ("H1", "H2")

    def _with_mean(self, more: tuple[str, ...]) -> None:
        chain = self.b.chain(f"c - {self.mean}")
        right = f"(({self.n} - {self.count})/({self.total})) (vbar - {self.mean})"
        chain.then("=", right, "substitution", *self._basis(), *more)
        chain.claim("the same with the average $vbar$ of the other values")

    def _limits(self) -> None:
        if self.s != "s":
            return
        part = f"e^s/({self.total})"
        self.b.chain(f"lim(s, oo, {part})").then("=", self.share, "limit", *self.enough).claim(
            "a large scale gives the average"
        )
        alone = f"e^s/({_total(self.count, str(self.count), 's')})"
        self.b.chain(alone).then("=", self.share, "algebra").claim("with no other key every scale does")


_EXAMPLE = "10"
"""The number of keys and the scale of the query, for the worked case."""


def _average_instance(values: Mapping[str, str]) -> tuple[Line, ...]:
    """Return the weights to 30 figures, for n = 10 and s = 10 where these are not given."""
    chosen = [f"${name} = {_EXAMPLE}$" for name in ("n", "s") if values[name] == name]
    where = f" for {' and '.join(chosen)}" if chosen else ""
    n, s = (_EXAMPLE if values[name] == name else values[name] for name in ("n", "s"))
    others = int(n) - int(values["m"])
    power = ExpSum.exp(Polynomial.constant(Fraction(s)))
    total = power * int(values["m"]) + others
    found = [(f"alpha_{_LETTERS[0]}", Quotient.of(power) / Quotient.of(total))]
    if others > 0:
        found.append(("alpha_o", Quotient.of(1) / Quotient.of(total)))
    return tuple(Line(f"${name}${where}", str(value), decimal(value, Rounding(figures=30))) for name, value in found)


THEOREMS = (
    Theorem(
        "copy",
        "constructions",
        "a margin Delta gives the weight 1/(1 + (n - 1) e^(-Delta)) at least, and the other way round",
        _copy,
        falsehoods=COPY_FALSE,
    ),
    Theorem(
        "average-of-two",
        "constructions",
        "orthonormal keys and q = s (k_a + k_b) give e^s/(2 e^s + n - 2) to each of the two",
        _average,
        (
            Parameter("m", "2", "how many values are averaged", ("1", "2", "3", "4"), "word"),
            Parameter("keys", "orthonormal", "whether the keys have length 1", ("orthonormal", "orthogonal"), "word"),
            Parameter("n", "n", "the number of keys", kind="count"),
            Parameter("s", "s", "the scale of the query"),
        ),
        falsehoods=AVERAGE_FALSE,
        instance=_average_instance,
        without=(("orthogonality", PARALLEL),),
    ),
)
"""The theorems of this module."""
