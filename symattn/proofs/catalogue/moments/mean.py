"""The mean of a dot product."""

from __future__ import annotations

from symattn.proofs.catalogue.authoring.proof_builder import Builder
from symattn.proofs.catalogue.authoring.theorem import CounterExample, Falsehood, Parameter, Theorem, Values
from symattn.proofs.catalogue.authoring.wording import (
    LENGTH,
    MU,
    declare,
    declare_length,
    factor,
    note,
    only_with,
    times_length,
)
from symattn.proofs.kernel.record import Proof

SOURCE = "Vaswani et al. 2017, Attention Is All You Need, section 3.2.1, footnote 4"

_CASES = ("equal", "unequal", "componentwise")


def _says(values: Values) -> str:
    """Return the theorem in words, with the means that were chosen."""
    match values["case"]:
        case "equal":
            mean = times_length([(1, {"mu": 2})], values)
            return f"with $E(q_i) = E(k_i) = {values['mu']}$ for every $i$, the mean of $q^T k$ is ${mean}$"
        case "unequal":
            mean = times_length([(1, {"mu_q": 1, "mu_k": 1})], values)
            return (
                f"with $E(q_i) = {values['mu_q']}$ and $E(k_i) = {values['mu_k']}$ for every $i$, the mean of $q^T k$ "
                f"is ${mean}$"
            )
        case _:
            return "with $E(q_i) = m_i$ and $E(k_i) = n_i$ for every $i$, the mean of $q^T k$ is $m^T n$"


def _mean(values: Values) -> Proof:
    case, is_enough = values["case"], values["assume"] == "uncorrelated"
    relation = "with $E(q_i k_i) = E(q_i) E(k_i)$ for every $i$" if is_enough else "independent of each other"
    b = Builder(
        "dot-product-mean",
        "The mean of a dot product",
        f"For random vectors $q$ and $k$ of length ${values['D']}$, {relation}, and {_says(values)}. The "
        "variances do not enter, and neither does the shape of the laws.",
        SOURCE,
    )
    note(b, values)
    size = declare_length(b, values)
    b.vector("q", size, random=True)
    b.vector("k", size, random=True)
    if is_enough:
        apart = b.assume("uncorrelated", "q k", "$q_i$ and $k_i$ are uncorrelated for every $i$")
        words = "uncorrelated is enough: $E(q_i k_i) = E(q_i) E(k_i)$ says just that"
    else:
        apart = b.assume("independent", "q k", "$q$ and $k$ are independent")
        words = "$q_i$ and $k_i$ are independent"
    means = _means(b, values)
    chain = b.chain("E(q^T k)")
    chain.then("=", f"E(sum_{{i=1}}^{{{size}}} q_i k_i)", "definition", words="the dot product written out")
    chain.then(
        "=",
        f"sum_{{i=1}}^{{{size}}} E(q_i k_i)",
        "linearity of expectation",
        words="no independence is needed for this",
    )
    chain.then("=", f"sum_{{i=1}}^{{{size}}} E(q_i) E(k_i)", "independence", apart, words=words)
    if case == "componentwise":
        chain.then("=", f"sum_{{i=1}}^{{{size}}} m_i n_i", "moments", *means)
        chain.then("=", "m^T n", "definition", words="a dot product again")
        chain.claim()
        return b.proof()
    first, second = ("mu", "mu") if case == "equal" else ("mu_q", "mu_k")
    product = f"{factor(values[first])} * {factor(values[second])}"
    letters = {"mu": 2} if case == "equal" else {"mu_q": 1, "mu_k": 1}
    chain.then("=", f"sum_{{i=1}}^{{{size}}} {product}", "moments", *means)
    chain.then("=", times_length([(1, letters)], values), "sum of equal terms", words="every term is the same")
    chain.claim()
    return b.proof()


def _means(b: Builder, values: Values) -> list[str]:
    if values["case"] == "equal":
        only_with(values, "unequal", "mu_q", "mu_k")
        declare(b, values, "mu")
        mu = values["mu"]
        return [b.assume("mean", "q k", f"$E(q_i) = E(k_i) = {mu}$ for every $i$", mu)]
    only_with(values, "equal", "mu")
    if values["case"] == "unequal":
        declare(b, values, "mu_q", "mu_k")
        given = {"q": values["mu_q"], "k": values["mu_k"]}
    else:
        only_with(values, "unequal", "mu_q", "mu_k")
        b.vector("m", values["D"])
        b.vector("n", values["D"])
        given = {"q": "m_i", "k": "n_i"}
    return [b.assume("mean", name, f"$E({name}_i) = {mean}$ for every $i$", mean) for name, mean in given.items()]


DEPENDENT = Falsehood(
    "the mean of a dot product comes from the means alone, without independence",
    "E(q^T k)",
    "=",
    "D mu^2",
    CounterExample(
        sizes=(("D", 1),),
        scalars=(("mu", "0"),),
        law=(
            ("1/2", (("q", (("1",),)), ("k", (("1",),)))),
            ("1/2", (("q", (("-1",),)), ("k", (("-1",),)))),
        ),
    ),
    "E(q_i k_i) = E(q_i) E(k_i) needs q_i and k_i to be uncorrelated; for q = k the mean is D (mu^2 + sigma^2)",
)

THEOREMS = (
    Theorem(
        "dot-product-mean",
        "moments",
        "the mean of q . k is D mu^2",
        _mean,
        (
            MU,
            LENGTH,
            Parameter("case", "equal", "how the means are", _CASES, kind="word"),
            Parameter("mu_q", "mu_q", "the mean of every q_i, in the case unequal"),
            Parameter("mu_k", "mu_k", "the mean of every k_i, in the case unequal"),
            Parameter(
                "assume", "independent", "what is known of q_i and k_i", ("independent", "uncorrelated"), kind="word"
            ),
        ),
        falsehoods=(DEPENDENT,),
        without=(("independence", DEPENDENT),),
    ),
)
"""The theorem on the mean."""
