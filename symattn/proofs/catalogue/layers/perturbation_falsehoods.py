"""Common falsehoods about a changed key, with numbers for which they fail."""

from __future__ import annotations

from symattn.proofs.catalogue.authoring.theorem import CounterExample, Falsehood
from symattn.proofs.language.scope import Declared, Defined, Scope

_SOFTMAX = "exp({0}_j)/sum_{{l=1}}^{{n}} exp({0}_l)"

_SCORES = Scope(
    (Declared("n", sign="positive"), Declared("z", ("n",)), Declared("shift", ("n",))),
    (
        Defined("moved", ("j",), ("n",), "z_j + shift_j"),
        Defined("a", ("j",), ("n",), _SOFTMAX.format("z")),
        Defined("ahat", ("j",), ("n",), _SOFTMAX.format("moved")),
        Defined("b", ("j",), ("n",), _SOFTMAX.format("shift")),
    ),
)

_RAISED = CounterExample(sizes=(("n", 3),), entries=(("z", (("1", "0", "0"),)), ("shift", (("1", "0", "0"),))))

_LINEAR = Falsehood(
    "the output changes linearly with the perturbation: twice the perturbation, twice the change",
    "t^2/(t^2 + 1) - 1/2",
    "=",
    "2 (t/(t + 1) - 1/2)",
    CounterExample(scalars=(("t", "2"),)),
    "two equal keys have the weights 1/2, 2/3, 4/5 for e^d = 1, 2, 4: the change is linear to first order only",
    Scope((Declared("t", sign="positive"),)),
)

_FIRST_ONLY = Falsehood(
    "only what belongs to key 1 changes, the other weights stay",
    "ahat_2",
    "=",
    "a_2",
    _RAISED,
    "every other weight is divided by 1 + p (e^d - 1)",
    _SCORES,
)

_ADDITIVE = Falsehood(
    "softargmax is additive: softargmax(z + s) = softargmax(z) + softargmax(s)",
    "ahat_j",
    "=",
    "a_j + b_j",
    CounterExample(sizes=(("n", 2),), entries=(("z", (("1", "0"),)), ("shift", (("2", "1"),)))),
    "the weights on the left add up to 1, those on the right to 2",
    _SCORES,
)

_ENTRYWISE = Falsehood(
    "softargmax is taken of each score by itself",
    "a_j",
    "=",
    "exp(z_j)/exp(z_j)",
    CounterExample(sizes=(("n", 2),), entries=(("z", (("0", "0"),)),)),
    "softargmax of one number is 1: it is taken of all the scores of a query together",
    _SCORES,
)

_NO_MEAN = Falsehood(
    "a perturbation of mean zero changes nothing on average",
    "E(p e^x/(1 - p + p e^x))",
    "=",
    "p",
    CounterExample(
        scalars=(("p", "1/4"),),
        law=(("1/2", (("x", (("1",),)),)), ("1/2", (("x", (("-1",),)),))),
    ),
    "the mean change of the weight is tau^2 p (1 - p) (1 - 2 p)/2 to leading order",
    Scope((Declared("p", sign="positive"), Declared("x", random=True))),
)

_FIRST_ORDER = Falsehood(
    "the change is exactly d p (1 - p)",
    "p e^d/(1 + p (e^d - 1)) - p",
    "=",
    "d p (1 - p)",
    CounterExample(scalars=(("p", "1/2"), ("d", "1"))),
    "that is the first order; the exact change is p (1 - p) (e^d - 1)/(1 + p (e^d - 1))",
    Scope((Declared("p", sign="positive"), Declared("d"))),
)

PERTURBATION = (_LINEAR, _FIRST_ONLY, _ADDITIVE, _ENTRYWISE, _NO_MEAN, _FIRST_ORDER)
"""False variants of the theorem on a moved key."""

_LONGER = Scope(
    (Declared("p", sign="positive"), Declared("alpha"), Declared("g")),
    (Defined("w", (), (), "p e^{(alpha - 1) g}/(1 - p + p e^{(alpha - 1) g})"),),
)

_ALWAYS_MORE = Falsehood(
    "a longer key always gets more weight",
    "w",
    ">",
    "p",
    CounterExample(scalars=(("p", "1/2"), ("alpha", "2"), ("g", "-1"))),
    "it gets more where $g = beta k_1^T q$ is positive, less where it is negative",
    _LONGER,
)

_ALWAYS_CHANGES = Falsehood(
    "the output changes whenever the key does",
    "w",
    "≠",
    "p",
    CounterExample(scalars=(("p", "1/2"), ("alpha", "2"), ("g", "0"))),
    "nothing changes where the query is orthogonal to the key",
    _LONGER,
)

_PROPORTIONAL = Falsehood(
    "a key of twice the length gets twice the weight",
    "w",
    "=",
    "2 p",
    CounterExample(scalars=(("p", "1/4"), ("alpha", "2"), ("g", "1"))),
    "the odds of key 1 are multiplied by e^((alpha - 1) g)",
    _LONGER,
)

_RATIOS = Falsehood(
    "the other weights change by different factors",
    "ahat_2 a_3",
    "≠",
    "ahat_3 a_2",
    CounterExample(sizes=(("n", 3),), entries=(("z", (("1", "0", "2"),)), ("shift", (("1", "0", "0"),)))),
    "all of them are divided by the same number, so their ratios stay",
    _SCORES,
)

ELONGATION = (_ALWAYS_MORE, _ALWAYS_CHANGES, _PROPORTIONAL, _RATIOS)
"""False variants of the theorem on a longer key."""
