"""Positions, caches and the softmax by blocks: known answers to their last digit, and the laws behind them."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import Any

import mpmath
import pytest

import symattn as sa
from symattn.errors import InputError
from symattn.exact.evaluation import same
from symattn.exact.field.quotient import Quotient
from symattn.exact.linear.matrix import Matrix
from symattn.exact.reals.functions import trigonometric
from symattn.exact.rounding.quotients import Rounding, decimal
from symattn.graph.builders.attention import attention_layer
from symattn.graph.derivation_replay import replay
from symattn.problem.caveats import declaration_caveats
from symattn.problem.model import Problem

UNIT = [[1, 0], [0, 1]]


def digits(value: Quotient, like: str) -> str:
    """A value with as many places as a text has."""
    return decimal(value, Rounding(places=len(like.partition(".")[2])))


def matrix(random: Random, rows: int, columns: int) -> list[list[int]]:
    return [[random.randint(-2, 2) for _ in range(columns)] for _ in range(rows)]


# Known answers -----------------------------------------------------------------------------------------


def test_a_rotated_score_to_thirty_digits() -> None:
    """q = (1, 2) at position 1, k = (3, -1) at position 3, 60 degrees a position."""
    rope = {"kind": "rope", "angles": ["pi/3"], "start": 1, "start_keys": 3}
    layer = attention_layer(Problem.build(Q=[[1, 2]], K=[[3, -1]], V=[[1]], scale="none", positions=rope))
    score = layer.exact("S")[0, 0]
    assert digits(score, "5.56217782649107052734606219527") == "5.56217782649107052734606219527"
    assert str(score) in {"-1/2 + 7/2*sqrt(3)", "7/2*sqrt(3) - 1/2"}


def test_weights_under_linear_biases() -> None:
    """ALiBi with eight heads: slopes are halved from head to head; row 4 with equal scores and slope 1/2."""
    slopes = [Fraction(1, 2**head) for head in range(1, 9)]
    ones = [[1] * 8] * 4
    tables: dict[str, Any] = {"Q": ones, "K": [[0] * 8] * 4, "V": ones, "mask": "causal", "heads": 8}
    layer = attention_layer(Problem.build(**tables, bias={"alibi": slopes}))
    row = layer.exact("A^1").rows[3]
    for distance, right in ((0, "0.455054233923411244780305454338"), (3, "0.101536324091551800890245646770")):
        assert digits(row[3 - distance], right) == right


def test_sinusoidal_encodings_to_thirty_digits() -> None:
    tables: dict[str, Any] = {"X": [[0] * 4] * 3, "W_Q": [[1]] * 4, "W_K": [[1]] * 4, "W_V": [[1]] * 4}
    table = attention_layer(Problem.build(**tables, positions={"kind": "sinusoidal"})).exact("P")
    right = [
        ["0", "1", "0", "1"],
        [
            "0.841470984807896506652502321630",
            "0.540302305868139717400936607443",
            "0.00999983333416666468254243826910",
            "0.999950000416665277780257933752",
        ],
        [
            "0.909297426825681695396019865912",
            "-0.416146836547142386997568229501",
            "0.0199986666933330793664902946930",
            "0.999800006666577778412695590837",
        ],
    ]
    assert [
        [digits(value, text) for value, text in zip(*rows, strict=True)] for rows in zip(table.rows, right, strict=True)
    ] == right
    product = (table @ table.T)[0, 1]
    assert product == value_of("cos", 1) + value_of("cos", Fraction(1, 100))


def value_of(name: str, angle: Fraction | int) -> Quotient:
    return trigonometric(name, Quotient.of(angle))


def test_merging_two_blocks_gives_the_known_output() -> None:
    """Scores 0, 1, 2, 2 with values 2, 1, -1, -1 in blocks of two."""
    tables: dict[str, Any] = {"Q": [[1]], "K": [[0], [1], [2], [2]], "V": [[2], [1], [-1], [-1]]}
    layer = attention_layer(Problem.build(**tables, scale="none", online=2))
    right = "-0.543880626412214679138788341337"
    assert digits(layer.exact("O")[0, 0], right) == right
    assert layer.exact("o@2")[0, 0] / layer.exact("l@2")[0, 0] == layer.exact("O")[0, 0]
    assert str(layer.exact("m@1")) == "[[1]]"
    assert str(layer.exact("m@2")) == "[[2]]"


def test_what_a_cache_spares_and_keeps() -> None:
    """n(n + 1)/2 products against n(n + 1)(2n + 1)/6, and n (d_k + d_v) numbers."""
    for past in (1, 2, 5):
        cache = {"K": [[1, 2]] * past, "V": [[3, 4]] * past}
        layer = attention_layer(Problem.build(X=[[1, 0]], W_Q=UNIT, W_K=UNIT, W_V=UNIT, cache=cache))
        n = past + 1
        assert layer.exact("N_cache")[0, 0] == Quotient.of(sum(range(1, n + 1)))
        assert layer.exact("N_again")[0, 0] == Quotient.of(sum(k * k for k in range(1, n + 1)))
        assert layer.exact("N_kept")[0, 0] == Quotient.of(n * 4)


# Laws --------------------------------------------------------------------------------------------------


def drawn(seed: int) -> tuple[dict[str, Any], int]:
    """The tables of a causal layer, with positions or without, and how many of its tokens are past."""
    random = Random(seed)
    n, width, length = random.randint(2, 4), random.randint(1, 3), 2 * random.randint(1, 2)
    tables: dict[str, Any] = {
        "X": matrix(random, n, width),
        "W_Q": matrix(random, width, length),
        "W_K": matrix(random, width, length),
        "W_V": matrix(random, width, random.randint(1, 2)),
        "mask": "causal",
    }
    if random.random() < 0.7:
        angles = [random.choice(["pi/2", "pi/3", "1/2", "-pi/4", "2*pi/3"]) for _ in range(length // 2)]
        pairs = random.choice(["adjacent", "halves"])
        tables["positions"] = {"kind": "rope", "angles": angles, "start": random.randint(0, 2), "pairs": pairs}
    if random.random() < 0.3:
        tables["bias"] = {"alibi": "1/2"}
    if random.random() < 0.3:
        tables["mask"] = {"causal": True, "window": [1, 0]}
    return tables, random.randint(1, n - 1)


def check_cache(seed: int) -> None:
    """The last rows of the whole causal layer are those of a step from the cache, closed form by closed form."""
    tables, past = drawn(seed)
    whole = attention_layer(Problem.build(**tables))
    keys = whole.exact("K_rot" if "positions" in tables else "K").rows
    cache = {"K": [list(row) for row in keys[:past]], "V": [list(row) for row in whole.exact("V").rows[:past]]}
    problem = Problem.build(**{**tables, "X": tables["X"][past:]}, cache=with_text(cache))
    step = attention_layer(problem)
    for name in ("A", "O"):
        for own, right in zip(step.exact(name).rows, whole.exact(name).rows[past:], strict=True):
            assert all(a == b or same(a, b) for a, b in zip(own, right, strict=True)), (seed, name)


def with_text(cache: dict[str, list[list[Quotient]]]) -> dict[str, Any]:
    """A cache of exact numbers, as matrices of ours."""
    return {name: Matrix(rows) for name, rows in cache.items()}


def check_online(seed: int) -> None:
    """The output block by block is the plain one, whatever the blocks."""
    tables, _ = drawn(seed)
    tables["online"] = Random(seed).randint(1, 3)
    tables["mask"] = "causal"
    layer = attention_layer(Problem.build(**tables))
    last = max(int(name.partition("@")[2]) for name in layer.recipes if name.startswith("l@"))
    sums, outputs = layer.exact(f"l@{last}"), layer.exact(f"o@{last}")
    for i, row in enumerate(layer.exact("O").rows):
        for j, right in enumerate(row):
            found = outputs[i, j] / sums[i, 0]
            assert found == right or same(found, right), seed
    assert all(item.proved for item in replay(layer.steps())), seed


HEADS: dict[str, Any] = {
    "Q": [[1, 0, 2, 1], [0, 1, 1, 3]],
    "K": [[1, 1, 0, 1], [0, 2, 1, 0], [1, 0, 1, 1]],
    "V": [[1, 0, 2, 1], [0, 3, 1, 1], [2, 2, 0, 1]],
}


@pytest.mark.sample(2)
@pytest.mark.parametrize("size", [1, 2, 3])
@pytest.mark.parametrize("kv_heads", [2, 1])
def test_each_head_comes_to_its_output_block_by_block(kv_heads: int, size: int) -> None:
    given = {name: [row[: 4 if name == "Q" else 2 * kv_heads] for row in rows] for name, rows in HEADS.items()}
    problem = Problem.build(**given, heads=2, kv_heads=kv_heads, online=size)
    result = sa.solve(problem)
    last = -(-3 // size)
    for head in (1, 2):
        sums, outputs = result[f"l@{last}^{head}"].kernel, result[f"o@{last}^{head}"].kernel
        for i, row in enumerate(result[f"H^{head}"].rows):
            assert [same(outputs[i, j] / sums[i, 0], right) for j, right in enumerate(row)] == [True] * len(row)
    assert result.derivation.is_proved
    tex = result.to_latex()
    assert all(found.proved for found in result.read_back(tex))
    report = sa.check(problem, tex, "tex")
    assert not [item for item in report.findings if item.verdict in {"wrong", "follows", "undecided", "unread"}]
    names = {item.name.partition("[")[0] for item in report.findings if item.name is not None}
    assert names >= {f"{letter}@{block}^{head}" for letter in "mlo" for block in (1, last) for head in (1, 2)}


@pytest.mark.parametrize(
    ("work", "name", "verdict"),
    [
        ("$m_1^{(2,1)} = 1.41$", "m@1^2[1]", "rounded"),
        ("$m_1^{(1,1)} = 1.41$", "m@1^1[1]", "wrong"),
        ("## Head 2\n\n$m_1^{(1)} = 1.41$", "m@1^2[1]", "rounded"),
        ("## Head 1\n\n$m_1^{(1)} = 1.41$", "m@1^1[1]", "wrong"),
        ("$o_{11}^{(2,1)} = 0.5$", "o@1^2[1,1]", "wrong"),
        ("$o_{1,2}^{(1,1)} = 1.48$", "o@1^1[1,2]", "rounded"),
    ],
)
def test_what_stands_after_a_block_is_of_its_own_head(work: str, name: str, verdict: str) -> None:
    """The largest of the first two scores of query 1: 1 and 0 over the root of 2 in head 1, 1 and 2 in head 2."""
    (*_, found) = sa.check(Problem.build(**HEADS, heads=2, online=2, rounding={"places": 2}), work, "md").findings
    assert (found.name, found.verdict) == (name, verdict)


def check_gauge(seed: int) -> None:
    """W_Q R with W_K R^-T makes the scores of W_Q and W_K, for every invertible R."""
    random = Random(seed)
    tables: dict[str, Any] = {"X": matrix(random, 3, 3), "W_V": matrix(random, 3, 1)}
    queries, keys = Matrix(matrix(random, 3, 2)), Matrix(matrix(random, 3, 2))
    a, b, c, d = 1, 0, 0, 1
    while (a, b, c, d) == (1, 0, 0, 1) or a * d == b * c:
        a, b, c, d = (random.randint(-3, 3) for _ in range(4))
    det = Fraction(a * d - b * c)
    turn, back = Matrix([[a, b], [c, d]]), Matrix([[d / det, -b / det], [-c / det, a / det]])
    first = attention_layer(Problem.build(**tables, W_Q=queries, W_K=keys))
    second = attention_layer(Problem.build(**tables, W_Q=queries @ turn, W_K=keys @ back.T))
    for name in ("S", "A", "O"):
        assert first.exact(name) == second.exact(name), seed


def check_shift(seed: int) -> None:
    """Scores under RoPE depend on the distance alone: all positions moved, the scores stay."""
    random = Random(seed)
    length = 2 * random.randint(1, 2)
    angles = [random.choice(["pi/3", "pi/4", "1", "-2/3", "pi/7"]) for _ in range(length // 2)]
    tables: dict[str, Any] = {"Q": matrix(random, 2, length), "K": matrix(random, 2, length), "V": [[1], [2]]}
    found = [
        attention_layer(
            Problem.build(
                **tables,
                scale="none",
                positions={"kind": "rope", "angles": angles, "start": start, "start_keys": start},
            )
        ).exact("S")
        for start in (0, random.randint(1, 5))
    ]
    pairs = zip(found[0], found[1], strict=True)
    assert all(first == second or same(first, second) for first, second in pairs), seed


LAWS = [check_cache, check_online, check_gauge, check_shift]


@pytest.mark.parametrize("check", LAWS, ids=lambda check: check.__name__)
def test_laws(check: Any) -> None:
    for seed in range(3):
        check(seed)


@pytest.mark.long
@pytest.mark.parametrize("check", LAWS, ids=lambda check: check.__name__)
def test_laws_of_many(check: Any) -> None:
    for seed in range(3, 150):
        check(seed)


def test_an_encoding_some_positions_on_is_a_rotation_of_it() -> None:
    """PE(p + k) is PE(p) with each pair turned by k times its angle, and their product depends on k alone."""
    tables: dict[str, Any] = {"X": [[0] * 4] * 4, "W_Q": [[1]] * 4, "W_K": [[1]] * 4, "W_V": [[1]] * 4}
    table = attention_layer(Problem.build(**tables, positions={"kind": "sinusoidal"})).exact("P")
    steps = (Fraction(1), Fraction(1, 100))
    for p in range(3):
        for k in range(1, 4 - p):
            for pair, step in enumerate(steps):
                sine, cosine = table[p, 2 * pair], table[p, 2 * pair + 1]
                turn = value_of("sin", k * step), value_of("cos", k * step)
                assert same(table[p + k, 2 * pair], sine * turn[1] + cosine * turn[0])
                assert same(table[p + k, 2 * pair + 1], cosine * turn[1] - sine * turn[0])
            product = (table @ table.T)[p, p + k]
            assert same(product, value_of("cos", k) + value_of("cos", Fraction(k, 100)))


# Against another way of working it out ----------------------------------------------------------------------


@pytest.mark.parametrize(("tokens", "pairs"), [("rows", "halves"), ("columns", "adjacent")])
def test_rotations_are_products_of_complex_numbers(tokens: str, pairs: str) -> None:
    random = Random(5)
    queries, keys, length = matrix(random, 2, 4), matrix(random, 3, 4), 4

    def laid(rows: list[list[int]]) -> list[list[int]]:
        return rows if tokens == "rows" else [list(column) for column in zip(*rows, strict=True)]

    problem = Problem.build(
        Q=laid(queries), K=laid(keys), V=laid([[1], [2], [3]]), tokens=tokens, scale="none",
        positions={"kind": "rope", "start": 2, "start_keys": 1, "pairs": pairs},
    )  # fmt: skip
    layer = attention_layer(problem)
    assert all(item.proved for item in replay(layer.steps()))
    with mpmath.workdps(40):
        for name, rows, start in (("Q_rot", queries, 2), ("K_rot", keys, 1)):
            found = layer.exact(name) if tokens == "rows" else layer.exact(name).T
            for i, row in enumerate(rows):
                for pair in range(2):
                    first, second = (2 * pair, 2 * pair + 1) if pairs == "adjacent" else (pair, pair + length // 2)
                    angle = (start + i) / mpmath.mpf(10000) ** (mpmath.mpf(2 * pair) / length)
                    turned = mpmath.mpc(row[first], row[second]) * mpmath.expj(angle)
                    for place, right in ((first, turned.real), (second, turned.imag)):
                        text = decimal(found[i, place], Rounding(places=30))
                        assert abs(mpmath.mpf(text) - right) < mpmath.mpf(10) ** -29


def test_a_learned_table_is_added() -> None:
    table = [["1/2", 0], [0, "-1/3"]]
    problem = Problem.build(
        X=[[1, 2], [3, 4]], W_Q=UNIT, W_K=UNIT, W_V=UNIT, positions={"kind": "learned", "table": table}
    )
    assert str(attention_layer(problem).exact("Q")) == "[[3/2, 2], [3, 11/3]]"


def test_heads_share_rotated_keys_and_cached_ones() -> None:
    tables: dict[str, Any] = {
        "X": [[1, 2], [0, 1]],
        "W_Q": [[1, 0, 0, 1], [0, 1, 1, 0]],
        "W_K": UNIT,
        "W_V": UNIT,
        "heads": 2,
        "kv_heads": 1,
        "mask": "causal",
        "positions": {"kind": "rope", "angles": ["pi/2"]},
        "cache": {"K": [[1, 1]], "V": [[5, 7]]},
    }
    layer = attention_layer(Problem.build(**tables))
    # Positions 1 and 2: a quarter and half a turn.
    assert str(layer.exact("Q_rot^1")) == "[[-2, 1], [0, -1]]"
    assert str(layer.exact("K^1")) == "[[1, 1], [-2, 1], [0, -1]]"
    assert layer.exact("A^2").shape == (2, 3)
    assert all(item.proved for item in replay(layer.steps()))


def test_new_tokens_that_see_later_ones_are_warned_of() -> None:
    tables: dict[str, Any] = {"X": UNIT, "W_Q": UNIT, "W_K": UNIT, "W_V": UNIT, "cache": {"K": UNIT, "V": UNIT}}
    codes = [
        [caveat.code for caveat in declaration_caveats(Problem.build(**tables, **more))]
        for more in ({}, {"mask": "causal"})
    ]
    assert codes == [["cache-ahead"], []]


def test_blocks_that_see_nothing_are_refused_in_words() -> None:
    tables: dict[str, Any] = {"Q": [[1], [2]], "K": [[1], [2]], "V": [[1], [2]], "online": 1}
    with pytest.raises(InputError, match=r"^online: A block of keys is hidden whole"):
        attention_layer(Problem.build(**tables, mask={"keep": [[0, 1], [1, 1]]}))
    with pytest.raises(InputError, match="give each a value under"):
        attention_layer(Problem.build(**{**tables, "Q": [["a"], [2]]}, symbols={"a": "real"}))
