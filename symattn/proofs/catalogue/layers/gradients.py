"""Gradients of an attention layer: what comes back from its output to scores, queries, keys, values and weights."""

from __future__ import annotations

from symattn.exact.field.quotient import Quotient
from symattn.exact.linear.matrix import Matrix, softmax_rows
from symattn.exact.rounding.quotients import Rounding, decimal
from symattn.proofs.catalogue.authoring.proof_builder import Builder
from symattn.proofs.catalogue.authoring.theorem import CounterExample, Falsehood, Line, Parameter, Theorem
from symattn.proofs.catalogue.authoring.wording import Values, note
from symattn.proofs.catalogue.authoring.worked_numbers import parse_scores, weights
from symattn.proofs.kernel.record import Proof

_SOURCE = "Dao et al. 2022, FlashAttention, appendix B.2 (the backward pass); Boyd and Vandenberghe 2004, section 3.1.5"
_DIGITS = 20
_LONGEST = 100  # characters of a closed form that is still worth printing
_PAIRS = "sum_{i=1}^{n} sum_{c=1}^{D_v}"


def brackets(product: str, over: str) -> str:
    """Return a product that is divided as a whole.

    >>> brackets("Q K^T", "/sqrt(D_k)"), brackets("Q K^T", "")
    ('(Q K^T)/sqrt(D_k)', 'Q K^T')
    """
    return f"({product}){over}" if over else product


def _gradients(values: Values) -> Proof:
    over = "" if values["scale"] == "1" else "/sqrt(D_k)"
    b = Builder(
        "attention-gradients",
        "The gradients of attention",
        f"Let $S = {brackets('Q K^T', over)}$, $A = softmax(S)$ by rows and $O = A V$, and let a loss have the "
        f"gradient $G$ at the output $O$, so that its gradients are those of $L = {_PAIRS} G_{{ic}} O_{{ic}}$ with $G$ "
        "held fixed. Then the gradients by $V$, by $A$ and by $S$ are $A^T G$, $dA = G V^T$ and $dS$, where "
        "$dS_{ij} = A_{ij} (dA_{ij} - sum_{l=1}^{m} A_{il} dA_{il})$; those by $Q$ and $K$ are "
        f"${brackets('dS K', over)}$ and ${brackets('dS^T Q', over)}$. Every row of $dS$ adds up to $0$, and the rows "
        "of the gradient by $K$ add up to the zero vector. Where queries come from tokens $X_1$, keys and values from "
        "tokens $X_2$, the gradients by $W_Q$, $W_K$ and $W_V$ are $X_1^T$ times the gradient by $Q$, and $X_2^T$ "
        "times those by $K$ and $V$. If the loss is the cross-entropy of the weights themselves with targets $Y$ whose "
        "rows add up to $1$, its gradient by the scores is $A - Y$, and its Hessian in each row is that of the "
        "softmax.",
        _SOURCE,
    )
    note(b, values)
    for size in ("n", "m", "D_k", "D_v", "d_1", "d_2"):
        b.number(size, "positive")
    for name, rows, columns in (("Q", "n", "D_k"), ("K", "m", "D_k"), ("V", "m", "D_v"), ("G", "n", "D_v")):
        b.matrix(name, rows, columns)
    b.define("S", brackets("Q_i^T K_j", over), "i j", "n m")
    b.define("A", "exp(S_{ij})/sum_{l=1}^{m} exp(S_{il})", "i j", "n m", "positive")
    b.define("O", "(A V)_{ic}", "i c", "n D_v")
    b.define("L", f"{_PAIRS} G_{{ic}} O_{{ic}}")
    b.define("dA", "(G V^T)_{ij}", "i j", "n m")
    b.define("dS", "A_{ij} (dA_{ij} - sum_{l=1}^{m} A_{il} dA_{il})", "i j", "n m")
    _of_values(b)
    _of_weights(b)
    _of_scores(b)
    _of_queries_and_keys(b, over)
    _of_projections(b, over)
    _of_cross_entropy(b)
    return b.proof()


def _of_values(b: Builder) -> None:
    chain = b.chain("diff(L, V_{jc})")
    chain.then(
        "=",
        "sum_{i=1}^{n} G_{ic} A_{ij}",
        "differentiation",
        words="$O_{ic}$ is linear in $V_{jc}$ with the factor $A_{ij}$",
    )
    chain.then("=", "(A^T G)_{jc}", "algebra", words="the product of two matrices")
    chain.claim("the gradient by $V$")


def _of_weights(b: Builder) -> None:
    """Prove the gradient by the weights as a matrix of their own, in which the output is linear."""
    b.matrix("P", "n", "m")
    chain = b.chain(f"diff({_PAIRS} G_{{ic}} (P V)_{{ic}}, P_{{ij}})")
    chain.then(
        "=",
        "sum_{c=1}^{D_v} G_{ic} V_{jc}",
        "differentiation",
        words="the entry $P_{ij}$ stands in row $i$ of $P V$ alone",
    )
    chain.then("=", "dA_{ij}", "definition", words="an entry of $G V^T$")
    chain.claim("the gradient by the weights, for any matrix $P$ in the place of $A$")


def _of_scores(b: Builder) -> None:
    """Prove the gradient by the scores as a matrix of their own: the Jacobian of a row, then the chain rule."""
    b.matrix("Z", "n", "m")
    b.define("B", "exp(Z_{ij})/sum_{l=1}^{m} exp(Z_{il})", "i j", "n m", "positive")
    jacobian = b.chain("diff(B_{il}, Z_{ij})")
    jacobian.then("=", "B_{il} (delta_{lj} - B_{ij})", "differentiation", words="the quotient rule in row $i$")
    jacobian.claim("the Jacobian of a row of the softmax")
    chain = b.chain(f"diff({_PAIRS} G_{{ic}} (B V)_{{ic}}, Z_{{ij}})")
    chain.then(
        "=",
        "sum_{l=1}^{m} dA_{il} diff(B_{il}, Z_{ij})",
        "differentiation",
        words="the chain rule: only row $i$ of $B$ depends on $Z_{ij}$, and the derivative by $B_{il}$ is $dA_{il}$",
    )
    chain.then(
        "=", "sum_{l=1}^{m} dA_{il} B_{il} (delta_{lj} - B_{ij})", "differentiation", words="the Jacobian of a row"
    )
    chain.then(
        "=",
        "B_{ij} (dA_{ij} - sum_{l=1}^{m} B_{il} dA_{il})",
        "algebra",
        words="the delta keeps one term, and $B_{ij}$ is a common factor",
    )
    chain.claim("the gradient by the scores, for any scores $Z$ with $B = softmax(Z)$")
    rows = b.chain("sum_{j=1}^{m} dS_{ij}")
    rows.then("=", "sum_{j=1}^{m} A_{ij} dA_{ij} - (sum_{j=1}^{m} A_{ij}) sum_{l=1}^{m} A_{il} dA_{il}", "algebra")
    rows.then("=", "0", "algebra", words="the weights of a row add up to $1$")
    rows.claim("a common shift of the scores of a row changes nothing, so the rows of $dS$ add up to zero")


def _of_queries_and_keys(b: Builder, over: str) -> None:
    query = b.chain("diff(L, Q_{ir})")
    query.then(
        "=",
        "sum_{j=1}^{m} dS_{ij} diff(S_{ij}, Q_{ir})",
        "differentiation",
        words="the chain rule: row $i$ of the scores alone depends on $Q_{ir}$",
    )
    query.then(
        "=",
        "sum_{j=1}^{m} " + brackets("dS_{ij} K_{jr}", over),
        "differentiation",
        words="a score is linear in the query",
    )
    query.then("=", f"(dS K)_{{ir}}{over}", "algebra", words="the product of two matrices")
    query.claim("the gradient by $Q$")
    key = b.chain("diff(L, K_{jr})")
    key.then(
        "=",
        "sum_{i=1}^{n} dS_{ij} diff(S_{ij}, K_{jr})",
        "differentiation",
        words="the chain rule: column $j$ of the scores alone depends on $K_{jr}$",
    )
    key.then(
        "=",
        "sum_{i=1}^{n} " + brackets("dS_{ij} Q_{ir}", over),
        "differentiation",
        words="a score is linear in the key",
    )
    key.then("=", f"(dS^T Q)_{{jr}}{over}", "algebra", words="the product of two matrices")
    key.claim("the gradient by $K$")
    total = b.chain(f"sum_{{j=1}}^{{m}} (dS^T Q)_{{jr}}{over}")
    total.then(
        "=", "sum_{i=1}^{n} " + brackets("(sum_{j=1}^{m} dS_{ij}) Q_{ir}", over), "algebra", words="the sums exchanged"
    )
    total.then("=", "0", "algebra", words="the rows of $dS$ add up to zero")
    total.claim("a common shift of all keys changes nothing, so the rows of the gradient by $K$ add up to zero")


def _of_projections(b: Builder, over: str) -> None:
    """Prove the gradients by the weights of the whole layer, small letters being made from tokens."""
    for name, rows, columns in (
        ("X_1", "n", "d_1"),
        ("X_2", "m", "d_2"),
        ("W_Q", "d_1", "D_k"),
        ("W_K", "d_2", "D_k"),
        ("W_V", "d_2", "D_v"),
    ):
        b.matrix(name, rows, columns)
    b.define("q", "(X_1 W_Q)_{ir}", "i r", "n D_k")
    b.define("k", "(X_2 W_K)_{jr}", "j r", "m D_k")
    b.define("v", "(X_2 W_V)_{jc}", "j c", "m D_v")
    b.define("s", brackets("q_i^T k_j", over), "i j", "n m")
    b.define("a", "exp(s_{ij})/sum_{l=1}^{m} exp(s_{il})", "i j", "n m", "positive")
    b.define("F", f"{_PAIRS} G_{{ic}} (a v)_{{ic}}")
    b.define("da", "(G v^T)_{ij}", "i j", "n m")
    b.define("ds", "a_{ij} (da_{ij} - sum_{l=1}^{m} a_{il} da_{il})", "i j", "n m")
    where = "$F$ is the loss $L$ for $q = X_1 W_Q$, $k = X_2 W_K$, $v = X_2 W_V$, and $ds$ is its $dS$"
    query = b.chain("diff(F, (W_Q)_{pr})")
    query.then("=", "sum_{i=1}^{n} " + brackets("(X_1)_{ip} (ds k)_{ir}", over), "differentiation", words=where)
    query.then("=", f"(X_1^T (ds k))_{{pr}}{over}", "algebra", words="the product of two matrices")
    query.claim("the gradient by $W_Q$")
    key = b.chain("diff(F, (W_K)_{pr})")
    key.then(
        "=",
        "sum_{j=1}^{m} " + brackets("(X_2)_{jp} (ds^T q)_{jr}", over),
        "differentiation",
        words="the same for the keys",
    )
    key.then("=", f"(X_2^T (ds^T q))_{{pr}}{over}", "algebra", words="the product of two matrices")
    key.claim("the gradient by $W_K$")
    value = b.chain("diff(F, (W_V)_{pc})")
    value.then("=", "sum_{j=1}^{m} (X_2)_{jp} (a^T G)_{jc}", "differentiation", words="and for the values")
    value.then("=", "(X_2^T (a^T G))_{pc}", "algebra", words="the product of two matrices")
    value.claim("the gradient by $W_V$")


def _of_cross_entropy(b: Builder) -> None:
    """Prove the gradient of a loss on the weights themselves: -Y/B entry by entry."""
    b.matrix("Y", "n", "m")
    total = b.assume("total", "Y", "the targets of each row add up to one, $sum_{j=1}^{m} Y_{ij} = 1$", "1")
    loss = "-sum_{i=1}^{n} sum_{j=1}^{m} Y_{ij} ln(B_{ij})"
    chain = b.chain(f"diff({loss}, Z_{{il}})")
    chain.then(
        "=",
        "-sum_{j=1}^{m} (Y_{ij}/B_{ij}) diff(B_{ij}, Z_{il})",
        "differentiation",
        words="the chain rule with $1/B_{ij}$, the derivative of the logarithm",
    )
    chain.then("=", "B_{il} sum_{j=1}^{m} Y_{ij} - Y_{il}", "differentiation", words="the Jacobian of a row")
    chain.then("=", "B_{il} - Y_{il}", "substitution", total, words="the targets add up to one")
    chain.claim("the gradient of the cross-entropy")
    second = b.chain("diff(B_{il} - Y_{il}, Z_{ij})")
    second.then("=", "delta_{lj} B_{il} - B_{il} B_{ij}", "differentiation", words="the Jacobian of a row once more")
    second.claim("its Hessian, row by row")


# What is false -------------------------------------------------------------------------------------

_SMALL = CounterExample(
    sizes=(("n", 1), ("m", 2), ("D_k", 1), ("D_v", 1), ("d_1", 1), ("d_2", 1)),
    entries=(
        ("Q", (("1",),)),
        ("K", (("1",), ("1",))),
        ("V", (("1",), ("2",))),
        ("G", (("1",),)),
    ),
)
"""Two equal keys with different values: weights 1/2, dA = (1, 2), dS = (-1/4, 1/4)."""

_NO_ROW_SUM = Falsehood(
    "the softmax is taken entry by entry, so the gradient by the scores is $A$ times $dA$ entry by entry, and what "
    "goes back to the query is the sum of A_ij dA_ij K_j",
    "diff(L, Q_{ir})",
    "=",
    "sum_{j=1}^{m} (A_{ij} dA_{ij} K_{jr})/sqrt(D_k)",
    _SMALL,
    "every score of a row is in the denominator: the row sum of $A$ times $dA$ is subtracted, and equal keys send "
    "nothing back",
)
_DIAGONAL = Falsehood(
    "the derivative of a softmax weight is a (1 - a), so dS is dA times A (1 - A) entry by entry",
    "dS_{ij}",
    "=",
    "dA_{ij} A_{ij} (1 - A_{ij})",
    _SMALL,
    "that is the diagonal of the Jacobian alone; the other entries -A_ij A_il carry the gradients of the other scores",
)
_SHAPE = Falsehood(
    "the gradient by the keys is that of the values with Q in the place of G: A^T Q",
    "diff(L, K_{jr})",
    "=",
    "(A^T Q)_{jr}/sqrt(D_k)",
    _SMALL,
    "it is dS^T Q over the square root of D_k: the keys act on the output through the scores",
)


# Numbers -------------------------------------------------------------------------------------------

_X1 = Matrix([[-1, 1, 0], [0, 1, 0]])
_X2 = Matrix([[-1, 1], [0, 1], [1, 1], [2, 0]])
_WQ = Matrix([[0, -1], [1, 1], [-1, 0]])
_WK = Matrix([[1, 0], [-1, 1]])
_WV = Matrix([[-1, 0, 1, 2], [1, -1, 0, -2]])


def gradients_of(x_1: Matrix, x_2: Matrix, w_q: Matrix, w_k: Matrix, w_v: Matrix) -> dict[str, Matrix]:
    """Return the gradients of the sum of all outputs of an unscaled cross-attention layer, by name.

    >>> found = gradients_of(Matrix([[1]]), Matrix([[1], [1]]), Matrix([[1]]), Matrix([[1]]), Matrix([[2]]))
    >>> found["dV"] == Matrix([["1/2"], ["1/2"]])
    True
    """
    q, k, v = x_1 @ w_q, x_2 @ w_k, x_2 @ w_v
    a = softmax_rows(q @ k.T)
    g = Matrix([[1] * v.shape[1]] * q.shape[0])
    d_v, d_a = a.T @ g, g @ v.T
    rows = []
    for weight_row, slope_row in zip(a.rows, d_a.rows, strict=True):
        pulled = sum((x * y for x, y in zip(weight_row, slope_row, strict=True)), Quotient.of(0))
        rows.append([x * (y - pulled) for x, y in zip(weight_row, slope_row, strict=True)])
    d_s = Matrix(rows)
    d_q, d_k = d_s @ k, d_s.T @ q
    return {
        "dV": d_v,
        "dA": d_a,
        "dS": d_s,
        "dQ": d_q,
        "dK": d_k,
        "dW_Q": x_1.T @ d_q,
        "dW_K": x_2.T @ d_k,
        "dW_V": x_2.T @ d_v,
    }


def _line(text: str, value: Quotient) -> Line:
    number = value.rational()
    exact = value.canonical() if number is None else Quotient.of(number)
    written = str(exact)
    shown = written if len(written) <= _LONGEST else ""
    return Line(text, shown, decimal(exact, Rounding(figures=_DIGITS)))


def _instance(_values: Values) -> tuple[Line, ...]:
    lines = [
        _line(f"{name}[{i},{j}]", entry)
        for name, matrix in gradients_of(_X1, _X2, _WQ, _WK, _WV).items()
        for i, row in enumerate(matrix.rows, 1)
        for j, entry in enumerate(row, 1)
    ]
    where = "unscaled cross-attention of 2 tokens to 4, the loss being the sum of all outputs, as in the next rows"
    lines[0] = Line(f"{lines[0].text}, {where}", lines[0].exact, lines[0].digits)
    scores = parse_scores("0, ln 2, ln 3") or ()
    p = weights(scores)
    shown = "for the scores 0, ln 2, ln 3 and class 1"
    for j, weight in enumerate(p):
        where = f", {shown}, as in the next rows" if j == 0 else ""
        lines.append(_line(f"the derivative of the cross-entropy by score {j + 1}{where}", weight - int(j == 0)))
    for i, one in enumerate(p):
        for j, other in enumerate(p):
            entry = one * ((1 if i == j else 0) - other)
            lines.append(_line(f"its second derivative by scores {i + 1} and {j + 1}", entry))
    return tuple(lines)


THEOREMS = (
    Theorem(
        "attention-gradients",
        "gradients",
        "what comes back from the output to scores, queries, keys, values and weights",
        _gradients,
        (Parameter("scale", "1/sqrt(D_k)", "what the scores are multiplied by", ("1/sqrt(D_k)", "1"), kind="word"),),
        falsehoods=(_NO_ROW_SUM, _DIAGONAL, _SHAPE),
        instance=_instance,
    ),
)
"""The theorem on gradients."""
