"""Two heads, each with a query for one key: they do not see the length of the other head's key."""

from __future__ import annotations

from fractions import Fraction

from symattn.errors import InputError
from symattn.exact.reals.certified_digits import RealLike, erf, exp, figures
from symattn.proofs.catalogue.authoring.proof_builder import Builder
from symattn.proofs.catalogue.authoring.theorem import CounterExample, Falsehood, Line, Parameter, Theorem
from symattn.proofs.catalogue.authoring.wording import Values, note, number
from symattn.proofs.catalogue.constructions.random_keys import Keys, keys
from symattn.proofs.kernel.record import Proof
from symattn.proofs.language.scope import Declared, Scope

_SOURCE = "Stanford CS224N 2021, assignment 5, question 1 (d)"
_DIGITS = 30
_TOTAL = "(exp(s) + (n - 1))"


def _heads(values: Values) -> Proof:
    b = Builder(
        "two-heads",
        "Two heads, one for each of two keys",
        "Let the keys have orthonormal means $mu_j$, and let the output be the average of two heads with the queries "
        "$q_1 = s mu_a$ and $q_2 = s mu_b$. Without noise the first head gives the key $a$ the weight "
        f"$exp(s)/{_TOTAL}$, which goes to $1$, and the second the same to $b$; the output misses the average of $v_a$ "
        f"and $v_b$ by $(n - 1)/{_TOTAL}$ times the average of what separates $v_a$ from the mean of the other values, "
        "and $v_b$ likewise. Now let $k_a = (1 + g) mu_a + z_a$ with $g$ normal of variance $1/2$, and small noise "
        "$z$ of variance $alpha$ everywhere. The second head has the scores $q_2^T k_a$ with mean $0$ and $q_2^T k_b$ "
        "with mean $s$, both with variance $alpha s^2$, whatever $g$ is: without small noise its output does not "
        "depend on $g$ at all. The score $q_1^T k_a$ has mean $s$ and variance $s^2 (1/2 + alpha)$. Without small "
        "noise the first head gives $a$ the weight $1/(1 + (n - 1) exp(-s (1 + g)))$, the logistic function of $s (1 + "
        "g) - ln(n - 1)$: as $s$ grows it goes to $1$ if $1 + g > 0$, with probability $Phi(sqrt(2)) = (1 + "
        "erf(1))/2$, and to $0$ if $1 + g < 0$, every other key then having $1/(n - 1)$. So the average of the heads "
        "is stable where one head with the query $s (mu_a + mu_b)$ jumps.",
        _SOURCE,
    )
    note(b, values)
    found = keys(b, "", is_long=True)
    least = b.assume("positive", "", "there are at least two keys, $n >= 2$", "n - 1")
    b.define("q_1", "s mu_{ac}", "c", "D")
    b.define("q_2", "s mu_{bc}", "c", "D")
    _without_noise(b, found, least)
    _second_head(b, found, least)
    _first_head(b, found, least)
    return b.proof()


def _without_noise(b: Builder, found: Keys, least: str) -> None:
    b.matrix("v", "n", "D")
    for head, own in (("q_1", "a"), ("q_2", "b")):
        chain = b.chain(f"sum_{{j=1}}^{{n}} exp({head}^T mu_j)")
        chain.then(
            "=", f"sum_{{j=1}}^{{n}} exp(s delta_{{j{own}}})", "substitution", found.dots, words="orthonormal means"
        )
        chain.then("=", _TOTAL, "algebra", words="one score is $s$, the others $0$")
        chain.claim("the denominator of a head without noise")
        rest = f"sum_{{j=1}}^{{n}} (1 - delta_{{j{own}}}) v_{{jc}}"
        b.define(f"r_{own}", f"({rest})/(n - 1)", "c", "D")
        b.define(
            f"c_{own}",
            f"(sum_{{j=1}}^{{n}} exp({head}^T mu_j) v_{{jc}})/sum_{{j=1}}^{{n}} exp({head}^T mu_j)",
            "c",
            "D",
        )
        chain = b.chain(f"c_{own}")
        chain.then(
            "=",
            f"(exp(s) v_{own} + (n - 1) r_{own})/{_TOTAL}",
            "substitution",
            found.dots,
            least,
            words=f"$r_{own}$ is the mean of the values other than $v_{own}$",
        )
        chain.claim("the output of a head without noise")
    chain = b.chain("(c_a + c_b)/2 - (v_a + v_b)/2")
    chain.then(
        "=",
        f"(n - 1)/{_TOTAL} * ((r_a - v_a) + (r_b - v_b))/2",
        "substitution",
        found.dots,
        least,
        words="each head misses its value by the weight of the others",
    )
    chain.claim("the error of the average, exactly")
    for body, value in ((f"exp(s)/{_TOTAL}", "1"), (f"(n - 1)/{_TOTAL}", "0")):
        chain = b.chain(f"lim(s, oo, {body})").then("=", value, "limit", least)
        chain.claim("the weight of the own key" if value == "1" else "the factor of the error")


def _moments(b: Builder, found: Keys, score: str, forms: tuple[str, str, str, str]) -> None:
    first, mean, second, variance = forms
    is_long = score.endswith("a")
    laws = found.laws if is_long else found.noise
    means = found.means if is_long else found.noise[1:]
    chain = b.chain(f"E({score})")
    chain.then("=", first, "moments", *means, words="what is random has mean 0")
    chain.then("=", mean, "substitution", found.dots).claim(f"the mean of ${score}$")
    chain = b.chain(f"Var({score})")
    chain.then("=", second, "expectation", *laws, words="$q^T Sigma q$ with the covariance of the key")
    chain.then("=", variance, "substitution", found.dots).claim("its variance")


def _second_head(b: Builder, found: Keys, least: str) -> None:
    _moments(b, found, "q_2^T k_a", ("q_2^T mu_a", "0", "alpha q_2^T q_2 + (1/2) (q_2^T mu_a)^2", "alpha s^2"))
    _moments(b, found, "q_2^T k_b", ("q_2^T mu_b", "s", "alpha q_2^T q_2", "alpha s^2"))
    b.define("m", "mu_{jc} + delta_{ja} g mu_{ac}", "j c", "n D")
    chain = b.chain("q_2^T m_j")
    chain.then(
        "=", "s delta_{jb}", "substitution", found.dots, words="$m_j$ is the key without small noise; $g$ is gone"
    )
    chain.claim("the second head does not see the length of the key $a$")
    chain = b.chain("exp(q_2^T m_b)/sum_{l=1}^{n} exp(q_2^T m_l)")
    chain.then("=", f"exp(s)/{_TOTAL}", "substitution", found.dots, least)
    chain.claim("so its weight for $b$ is that without any noise")


def _first_head(b: Builder, found: Keys, least: str) -> None:
    _moments(
        b,
        found,
        "q_1^T k_a",
        ("q_1^T mu_a", "s", "alpha q_1^T q_1 + (1/2) (q_1^T mu_a)^2", "s^2 (1/2 + alpha)"),
    )
    chain = b.chain("q_1^T m_j")
    chain.then("=", "s (1 + g) delta_{ja}", "substitution", found.dots, words="$(1 + g) mu_a$ is the key $a$")
    chain.claim("the scores of the first head without small noise")
    weight = "1/(1 + (n - 1) exp(-s (1 + g)))"
    chain = b.chain("exp(q_1^T m_a)/sum_{l=1}^{n} exp(q_1^T m_l)")
    chain.then("=", "exp(s (1 + g))/(exp(s (1 + g)) + (n - 1))", "substitution", found.dots, least)
    chain.then("=", weight, "algebra", least, words="divided by $exp(s (1 + g))$")
    chain.then(
        "=",
        "1/(1 + exp(-(s (1 + g) - ln(n - 1))))",
        "algebra",
        least,
        words="$n - 1 = exp(ln(n - 1))$: the logistic function",
    )
    chain.claim("the weight of $a$ in the first head, without small noise")
    chain = b.chain("cdf(-(mu_a^T k_a), 0)")
    chain.then("=", "Phi(1/sqrt(1/2 + alpha))", "lemma:normal-linear-image", found.dots, *found.laws)
    chain.then("=", "(1 + erf(1/sqrt(1 + 2 alpha)))/2", "lemma:normal-and-error-function")
    chain.claim("the probability that the component of the key a along its mean is not negative")
    chain = b.chain("lim(alpha, 0, (1 + erf(1/sqrt(1 + 2 alpha)))/2)").then("=", "(1 + erf(1))/2", "limit")
    chain.claim("without small noise")
    chain = b.chain("Phi(sqrt(2))").then("=", "(1 + erf(1))/2", "lemma:normal-and-error-function")
    chain.claim("the same as a value of the normal law")
    b.number("h", "positive")
    b.number("N", "positive")
    for sign, value in (("-", "1"), ("", "0")):
        chain = b.chain(f"lim(s, oo, 1/(1 + N exp({sign}s h)))")
        chain.then("=", value, "limit", words="$N = n - 1$ other keys")
        chain.claim(
            f"the weight of $a$ beside $N = n - 1$ other keys where $1 + g$ is ${'h' if sign else '-h'}$, $h > 0$"
        )
    chain = b.chain("lim(s, oo, 1/(exp(-s h) + N))").then("=", "1/N", "limit")
    chain.claim(
        "the weight of each of the $N = n - 1$ other keys where $1 + g$ is $-h$: the first head gives the mean of the "
        "other values"
    )


# What is false, and numbers ------------------------------------------------------------------------

_BASIS = (("mu_a", (("1", "0"),)), ("mu_b", (("0", "1"),)))
_PAIR = Scope(
    (Declared("s"), Declared("g"), Declared("D", (), "positive"), Declared("mu_a", ("D",)), Declared("mu_b", ("D",)))
)

_SEES = Falsehood(
    "the output grows with the norm of k_a in both heads, and their average only damps that",
    "s mu_b^T ((1 + g) mu_a)",
    "=",
    "s (1 + g)",
    CounterExample(sizes=(("D", 2),), scalars=(("s", "10"), ("g", "1")), entries=_BASIS),
    "the second head's query is orthogonal to mu_a and does not see the norm of k_a; the first gives v_a for "
    "every 1 + g > 0",
    _PAIR,
)
_EQUAL = Falsehood(
    "head 1 copies v_a if its query agrees equally with k_a and k_b",
    "exp(s)/(2 exp(s) + n - 2)",
    "≥",
    "9/10",
    CounterExample(scalars=(("s", "20"), ("n", "3"))),
    "equal agreement gives the average in one head; to copy v_a the query has to agree with k_a alone",
    Scope((Declared("s"), Declared("n", (), "positive"))),
)
_SEVENTH = Falsehood(
    "the output of two heads is (c_1 + c_2)/7",
    "(c_1 + c_2)/7",
    "=",
    "(v_a + v_b)/2",
    CounterExample(scalars=(("c_1", "1"), ("c_2", "1"), ("v_a", "1"), ("v_b", "1"))),
    "it is their average, (c_1 + c_2)/2",
    Scope((Declared("c_1"), Declared("c_2"), Declared("v_a"), Declared("v_b"))),
)


_TILTED = Falsehood(
    "the means need not be orthogonal: let two keys have the same mean",
    "E(q_2^T k_a)",
    "=",
    "0",
    CounterExample(
        sizes=(("n", 2), ("D", 1)),
        scalars=(("s", "1"), ("alpha", "0")),
        entries=(("mu", (("1",), ("1",))),),
        law=tuple(("1/2", (("z", (("0",), ("0",))), ("g", ((sign,),)))) for sign in ("1/2", "-1/2")),
    ),
    "the second head sees the key a as far as their means agree, and the length of k_a with it",
)


def _line(text: str, exact: str, value: RealLike) -> Line:
    return Line(text, exact, figures(value, _DIGITS).text)


def _lines(values: Values) -> tuple[Line, ...]:
    count, scale = (number(values[name]) or Fraction(10) for name in ("n", "s"))
    if count < 2 or scale <= 0:
        raise InputError("Two heads want at least two keys and a positive s: give n >= 2 and s > 0.")
    where = f"for $n = {count}$ and $s = {scale}$"
    own = exp(scale) / (exp(scale) + (count - 1))
    return (
        _line(f"the weight of the own key in each head {where}", f"exp({scale})/(exp({scale}) + {count - 1})", own),
        _line(
            "the probability that the long key has a positive component, $Phi(sqrt(2))$",
            "(1 + erf(1))/2",
            (1 + erf(1)) / 2,
        ),
    )


THEOREMS = (
    Theorem(
        "two-heads",
        "constructions",
        "two heads average two values whatever the length of one key is",
        _heads,
        (
            Parameter("n", "n", "the number of keys, in the numeric instance", kind="count", worked=True),
            Parameter("s", "s", "the length of the queries, in the numeric instance", worked=True),
        ),
        falsehoods=(_SEES, _EQUAL, _SEVENTH),
        instance=_lines,
        without=(("orthogonality", _TILTED),),
    ),
)
"""The theorem on two heads."""
