"""Tokens that are sums of orthogonal parts: attention without and with matrices for queries, keys and values."""

from __future__ import annotations

from fractions import Fraction

from symattn.errors import InputError
from symattn.exact.reals.certified_digits import RealLike, exp, figures, sqrt
from symattn.proofs.catalogue.authoring.proof_builder import Builder
from symattn.proofs.catalogue.authoring.theorem import CounterExample, Falsehood, Line, Parameter, Theorem
from symattn.proofs.catalogue.authoring.wording import Values, factor, note, number, root_of
from symattn.proofs.kernel.record import Proof
from symattn.proofs.language.scope import Declared, Scope

_SOURCE = "Stanford CS224N 2021, assignment 5, question 1 (e)"
_DIGITS = 30
_LENGTH = Parameter("B", "B", "the squared length of every part, positive")


def _times(coefficient: str, size: str) -> str:
    """Return a fraction times the squared length."""
    return f"({coefficient}) {size}" if size.isidentifier() else f"({coefficient}) * {size}"


def _length(values: Values) -> Fraction | None:
    found = number(values["B"])
    if found is not None and found <= 0:
        raise InputError(f"B is a squared length: give a positive number, not {values['B']}.")
    return found


def _parts(b: Builder, values: Values) -> str:
    """Declare four orthogonal parts of one length, and the three tokens."""
    if _length(values) is None:
        b.number("B", "positive")
    b.number("n", "positive")
    b.number("D", "positive")
    b.matrix("u", "n", "D")
    b.fixed("a", "b", "c", "d")
    b.define("x_1", "u_{dr} + u_{br}", "r", "D")
    b.define("x_2", "u_{ar}", "r", "D")
    b.define("x_3", "u_{cr} + u_{br}", "r", "D")
    return b.assume(
        "dot-products",
        "u u",
        f"$u_a$, $u_b$, $u_c$ and $u_d$ are orthogonal, each with the squared length ${values['B']}$",
        f"{factor(values['B'])} delta_{{ij}}",
    )


def _output(vectors: tuple[str, str, str], scores: tuple[str, str, str]) -> str:
    """Return the output for three values and three scores."""
    terms = [f"exp({score})" for score in scores]
    above = " + ".join(f"{term} {vector}" for term, vector in zip(terms, vectors, strict=True))
    return f"({above})/({' + '.join(terms)})"


# Without matrices ----------------------------------------------------------------------------------

_TOKENS = ("x_1", "x_2", "x_3")


def _orthogonal(values: Values) -> Proof:
    size = values["B"]
    b = Builder(
        "orthogonal-tokens",
        "Tokens as their own queries, keys and values",
        f"Let $u_a$, $u_b$, $u_c$, $u_d$ be orthogonal with squared length ${size}$, and $x_1 = u_d + u_b$, $x_2 = "
        "u_a$, $x_3 = u_c + u_b$. If the tokens are queries, keys and values at once, the output of the second is "
        f"$(exp({size}) u_a + u_d + u_c + 2 u_b)/(exp({size}) + 2)$, which is close to $u_a = x_2$ for long parts. To "
        "add $t u_d$ or $t u_c$ to $x_2$ does not bring it near $u_b$, for any real $t$: the score of the new token "
        f"with itself is ahead of both others by at least ${_times('3/4', factor(size))}$, so it attends to itself, "
        f"with a weight of at least $1/(1 + 2 exp(-{_times('3/4', factor(size))}))$, and the output keeps that share "
        "of $u_a$, which $u_b$ has none of. As long as $x_2 = u_a$, no weights whatever bring a combination of the "
        f"tokens nearer to $u_b$ than $sqrt({_times('2/5', factor(size))})$.",
        _SOURCE,
    )
    note(b, values)
    dots = _parts(b, values)
    b.number("t")
    _plain(b, size, dots)
    for name, part, near, far in (("y", "d", "x_1", "x_3"), ("z", "c", "x_3", "x_1")):
        b.define(name, f"u_{{ar}} + t u_{{{part}r}}", "r", "D")
        _shifted(b, factor(size), dots, (name, part, near, far))
    _hull(b, factor(size), dots)
    return b.proof()


def _plain(b: Builder, size: str, dots: str) -> None:
    for first, value in (("x_1", "0"), ("x_2", size), ("x_3", "0")):
        chain = b.chain(f"{first}^T x_2")
        chain.then("=", value, "substitution", dots, words="the tokens written out, the parts orthogonal")
        chain.claim("a score of the second query")
    chain = b.chain(_output(_TOKENS, ("x_1^T x_2", "x_2^T x_2", "x_3^T x_2")))
    chain.then("=", f"(x_1 + exp({size}) x_2 + x_3)/(exp({size}) + 2)", "substitution", dots, words="the scores")
    chain.then("=", f"(exp({size}) u_a + u_d + u_c + 2 u_b)/(exp({size}) + 2)", "definition", words="the tokens")
    chain.claim("the second output")
    if number(size) is None:
        chain = b.chain("lim(B, oo, exp(B)/(exp(B) + 2))")
        chain.then("=", "1", "limit", words="divided by $exp(B)$").claim("the weight of the second token itself")


def _shifted(b: Builder, size: str, dots: str, names: tuple[str, str, str, str]) -> None:
    """Prove for another second token the lead of its own score, and the share that its output keeps."""
    name, part, near, far = names
    least = _times("3/4", size)
    chain = b.chain(f"{name}^T {name} - {near}^T {name}")
    chain.then(
        "=",
        f"{size} (1 - t + t^2)",
        "substitution",
        dots,
        words=f"$u_a + t u_{part}$ in the place of $x_2$: the scores are ${size} (1 + t^2)$ and ${size} t$",
    )
    chain.then("=", f"{size} ((t - 1/2)^2 + 3/4)", "algebra", words="the square completed")
    chain.then("≥", least, "evident sign", difference=f"-{size} (t - 1/2)^2", words="a square is not negative")
    chain.claim("ahead of the token that shares a part with it")
    chain = b.chain(f"{name}^T {name} - {far}^T {name}")
    chain.then("=", f"{size} (1 + t^2)", "substitution", dots, words="the other token shares no part with it")
    chain.then("≥", least, "evident sign", difference=f"-{size} (t^2 + 1/4)")
    chain.claim("ahead of the other token")
    falls = []
    for gap, square in ((f"{size} (1 - t + t^2)", f"{size} (t - 1/2)^2"), (f"{size} (1 + t^2)", f"{size} (t^2 + 1/4)")):
        bound = b.chain(f"-{gap}").then("≤", f"-{least}", "evident sign", difference=square)
        fall = b.chain(f"exp(-{gap})")
        fall.then("≤", f"exp(-{least})", "growth of exp", premises=(bound.last,), words="the gap is at least that")
        falls.append((f"exp(-{gap})", fall.last))
    scores = tuple(f"{item}^T {name}" for item in (near, name, far))
    weight = b.chain(f"exp({scores[1]})/({' + '.join(f'exp({score})' for score in scores)})")
    below = f"1 + {falls[0][0]} + {falls[1][0]}"
    weight.then("=", f"1/({below})", "substitution", dots, words="divided by the exponential of its own score")
    lost = " + ".join(f"(exp(-{least}) - {fall})" for fall, _ in falls)
    weight.then(
        "≥",
        f"1/(1 + 2 exp(-{least}))",
        "evident sign",
        premises=(falls[0][1], falls[1][1]),
        difference=f"-({lost})/((1 + 2 exp(-{least})) ({below}))",
        words="both exponentials are at most $exp$ of minus the least gap",
    )
    weight.claim("the weight of the new token itself")
    output = _output((near, name, far), (scores[0], scores[1], scores[2]))
    share = b.chain(f"u_a^T ({output} - u_b)")
    share.then(
        "=",
        f"{size}/({below})",
        "substitution",
        dots,
        words="$u_a$ is orthogonal to $u_b$ and to both other tokens",
    )
    share.claim("what the output has along $u_a$, and $u_b$ has not: the squared length times that weight")


def _hull(b: Builder, size: str, dots: str) -> None:
    """Prove the distance of u_b from all combinations of the tokens."""
    b.number("p_1")
    b.number("p_3")
    b.define("w", "p_1 (x_1)_r + (1 - p_1 - p_3) (x_2)_r + p_3 (x_3)_r - u_{br}", "r", "D")
    chain = b.chain("w^T w")
    chain.then(
        "=",
        f"{size} (p_1^2 + p_3^2 + (1 - p_1 - p_3)^2 + (p_1 + p_3 - 1)^2)",
        "substitution",
        dots,
        words="the weights are $p_1$, $1 - p_1 - p_3$ and $p_3$; $u_d$, $u_c$, $u_a$ and $u_b$ one after the other",
    )
    chain.then(
        "=",
        f"{size} ((p_1 - 2/5)^2 + (p_3 - 2/5)^2 + 2 (p_1 + p_3 - 4/5)^2 + 2/5)",
        "algebra",
        words="the squares completed at $p_1 = p_3 = 2/5$",
    )
    chain.then(
        "≥",
        _times("2/5", size),
        "evident sign",
        difference=f"-{size} ((p_1 - 2/5)^2 + (p_3 - 2/5)^2 + 2 (p_1 + p_3 - 4/5)^2)",
    )
    chain.claim("the squared distance of $u_b$ from any combination of the tokens")


# With matrices -------------------------------------------------------------------------------------


def _design(values: Values) -> Proof:
    size = values["B"]
    B = factor(size)
    b = Builder(
        "design-qkv",
        "Matrices for queries, keys and values",
        f"Let $u_a$, $u_b$, $u_c$, $u_d$ be orthogonal with squared length ${size}$, and let the tokens be "
        f"$x_1 = u_d + u_b$, $x_2 = u_a$ and $x_3 = u_c + u_b$. Take $V = (u_b u_b^T - u_c u_c^T)/{B}$, $K$ the "
        f"identity and $Q = (u_d u_a^T + u_c u_d^T)/{B}$. Then the second output is close to $u_b$ and the first to "
        f"$u_b - u_c$: with $h = exp({size})$ they are $((h + 1) u_b - u_c)/(h + 2)$ and "
        "$((h + 1) u_b - h u_c)/(h + 2)$, the third is $(2 u_b - u_c)/3$, and the errors of the first two are "
        f"$sqrt(2 * {B})/(h + 2)$ for $u_b$ and $sqrt(5 * {B})/(h + 2)$ for $u_b - u_c$.",
        _SOURCE,
    )
    note(b, values)
    dots = _parts(b, values)
    b.define("h", f"exp({size})", sign="positive")
    b.define("V", f"(u_{{br}} u_{{bs}} - u_{{cr}} u_{{cs}})/{B}", "r s", "D D")
    b.define("K", "delta_{rs}", "r s", "D D")
    b.define("Q", f"(u_{{dr}} u_{{as}} + u_{{cr}} u_{{ds}})/{B}", "r s", "D D")
    b.define("o", "0", "r", "D")
    for name, body in (("V", f"(u_b u_b^T - u_c u_c^T)/{B}"), ("Q", f"(u_d u_a^T + u_c u_d^T)/{B}")):
        b.chain(name).then("=", body, "definition").claim("as a matrix")
    for product, result in (
        ("V x_1", "u_b"),
        ("V x_2", "o"),
        ("V x_3", "u_b - u_c"),
        ("Q x_1", "u_c"),
        ("Q x_2", "u_d"),
        ("Q x_3", "o"),
    ):
        words = "$u u^T$ takes $u$ to its squared length times $u$, and what is orthogonal to $u$ to zero"
        words = {"V x_1": words, "V x_2": "by the same, $o$ being the zero vector"}.get(product, "by the same")
        b.chain(product).then("=", result, "substitution", dots, words=words).claim(
            "a value" if product.startswith("V") else "a query"
        )
    for query, name, row in (
        ("x_1", "first", ("0", "0", size)),
        ("x_2", "second", (size, "0", "0")),
        ("x_3", "third", ("0",) * 3),
    ):
        for key, score in zip(_TOKENS, row, strict=True):
            chain = b.chain(f"(K {key})^T (Q {query})")
            chain.then("=", score, "substitution", dots, words="the key is the token itself")
            chain.claim(f"a score of the {name} query")
    _outputs(b, size, dots)
    return b.proof()


def _outputs(b: Builder, size: str, dots: str) -> None:
    values = ("(V x_1)", "(V x_2)", "(V x_3)")
    B = factor(size)
    for query, result, aim, error in (
        ("x_2", "((h + 1) u_b - u_c)/(h + 2)", "u_b", "2"),
        ("x_1", "((h + 1) u_b - h u_c)/(h + 2)", "u_b - u_c", "5"),
        ("x_3", "(2 u_b - u_c)/3", "", ""),
    ):
        chain = b.chain(_output(values, tuple(f"(K {key})^T (Q {query})" for key in _TOKENS)))  # type: ignore[arg-type]
        chain.then("=", result, "substitution", dots, words="the scores and values from above")
        chain.claim(f"the output of ${query}$")
        if not aim:
            continue
        miss = b.chain(f"{result} - {f'({aim})' if '-' in aim else aim}")
        rest = "-(u_b + u_c)/(h + 2)" if aim == "u_b" else "(2 u_c - u_b)/(h + 2)"
        miss.then("=", rest, "definition", words="over the common denominator")
        miss.claim("what is left")
        length = b.chain(f"norm({rest})")
        length.then("=", f"sqrt({error} * {B}/(h + 2)^2)", "substitution", dots, words="the parts are orthogonal")
        length.then("=", f"sqrt({error} * {B})/(h + 2)", "square root", words="the denominator is positive")
        length.claim(f"the error of the output of ${query}$")


# What is false, and numbers ------------------------------------------------------------------------

_UNITS = (("1", "0", "0", "0"), ("0", "1", "0", "0"), ("0", "0", "1", "0"), ("0", "0", "0", "1"))
_SCORES = Scope((Declared("n", (), "positive"), Declared("K", ("n", "n")), Declared("Q", ("n", "n"))))

_LETTERS = _orthogonal({"B": "B"}).scope

_ADDED = Falsehood(
    "with 2 u_d added to x_2 the query agrees most with x_1 = u_d + u_b, so c_2 is near u_b",
    "x_1^T y",
    "≥",
    "y^T y",
    CounterExample(
        sizes=(("n", 4), ("D", 4)),
        scalars=(("B", "1"), ("t", "2")),
        entries=(("u", _UNITS),),
    ),
    "the score with itself grows as well, and stays ahead by B (1 - t + t^2), which is at least 3 B/4 for every t",
    _LETTERS,
)
_EXPONENT = Falsehood(
    "the weight of x_1 for the second query is 1/(2 + exp(beta)) for parts of length beta",
    "exp(x_1^T x_2)/(exp(x_1^T x_2) + exp(x_2^T x_2) + exp(x_3^T x_2))",
    "=",
    "1/(2 + exp(sqrt(B)))",
    CounterExample(
        sizes=(("n", 4), ("D", 4)),
        scalars=(("B", "4"),),
        entries=(("u", tuple(tuple("2" if entry == "1" else "0" for entry in row) for row in _UNITS)),),
    ),
    "the score is the squared length: the exponent is beta^2",
    _LETTERS,
)
_FIRST = Falsehood(
    "the first output is near x_2",
    "exp(x_2^T x_1)",
    "≥",
    "exp(x_1^T x_1)",
    CounterExample(sizes=(("n", 4), ("D", 4)), scalars=(("B", "1"),), entries=(("u", _UNITS),)),
    "it is the second output that is near x_2; the first query agrees most with x_1 itself",
    _LETTERS,
)
_ALIKE = CounterExample(
    sizes=(("n", 4), ("D", 4)),
    scalars=(("B", "1"),),
    entries=(("u", (_UNITS[0], _UNITS[0], _UNITS[2], _UNITS[3])),),
)
"""The parts u_a and u_b are the same."""

_NOT_ORTHOGONAL = Falsehood(
    "the parts need not be orthogonal: let u_a be u_b",
    "x_1^T x_2",
    "=",
    "0",
    _ALIKE,
    "the second query then agrees with both other tokens as well",
    _LETTERS,
)
_NO_SEPARATION = Falsehood(
    "the parts need not be orthogonal: let u_a be u_b",
    "Q x_3",
    "=",
    "o",
    _ALIKE,
    "the query of the third token is not zero: Q takes the part u_b of it for u_a",
    _design({"B": "B"}).scope,
)
_INDEX = Falsehood(
    "the denominator of the weights of query i is the sum of exp(k_i^T q_i) over i",
    "sum_{j=1}^{n} exp(K_i^T Q_i)",
    "=",
    "sum_{j=1}^{n} exp(K_j^T Q_j)",
    CounterExample(sizes=(("n", 2),), entries=(("K", (("1", "0"), ("0", "1"))), ("Q", (("2", "0"), ("0", "5"))))),
    "it is the sum of exp(k_l^T q_i) over the keys l, with one query i: the index of the sum is not that of the query",
    _SCORES,
)


def _line(text: str, exact: str, value: RealLike) -> Line:
    return Line(text, exact, figures(value, _DIGITS).text)


def _token_lines(values: Values) -> tuple[Line, ...]:
    size = _length(values) or Fraction(10)
    grown = exp(size)
    return (
        _line(
            f"the weight of $x_2$ for itself with $B = {size}$", f"exp({size})/(exp({size}) + 2)", grown / (grown + 2)
        ),
        _line("the distance of $u_b$ from the hull of the tokens", root_of(str(2 * size / 5)), sqrt(2 * size / 5)),
    )


def _design_lines(values: Values) -> tuple[Line, ...]:
    size = _length(values) or Fraction(10)
    below = exp(size) + 2
    return tuple(
        _line(
            f"the distance of the output of ${query}$ from ${aim}$ with $B = {size}$",
            f"sqrt({count * size})/(exp({size}) + 2)",
            sqrt(count * size) / below,
        )
        for query, aim, count in (("x_2", "u_b", 2), ("x_1", "u_b - u_c", 5))
    )


THEOREMS = (
    Theorem(
        "orthogonal-tokens",
        "constructions",
        "tokens that are their own queries and keys attend to themselves",
        _orthogonal,
        (_LENGTH,),
        falsehoods=(_ADDED, _EXPONENT, _FIRST, _INDEX),
        instance=_token_lines,
        without=(("orthogonality", _NOT_ORTHOGONAL),),
    ),
    Theorem(
        "design-qkv",
        "constructions",
        "matrices for queries, keys and values with which outputs are near chosen parts",
        _design,
        (_LENGTH,),
        instance=_design_lines,
        without=(("orthogonality", _NO_SEPARATION),),
    ),
)
"""The theorems on orthogonal tokens."""
