"""Random entries that satisfy hypotheses on laws, moments and dependence, and depend on each other where allowed."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from random import Random

from symattn.proofs.language.scope import Hypothesis, Scope
from symattn.proofs.model.arithmetic import (
    ONE,
    ZERO,
    NoValueError,
    Number,
    UndecidedError,
    cholesky,
    over,
    plus,
    real,
    sqrt,
    times,
)
from symattn.proofs.model.evaluation import Evaluator
from symattn.proofs.model.models import Place
from symattn.proofs.model.probability_spaces import Base, Entry
from symattn.proofs.model.relations import value_at

Key = tuple[str, Place]

_HALF = Fraction(1, 2)
_TEMPLATES: tuple[tuple[tuple[Fraction, ...], tuple[tuple[Number, ...], ...]], ...] = (
    ((_HALF, _HALF), ((-ONE, ONE), (-ONE, ONE))),
    ((Fraction(1, 5), Fraction(4, 5)), ((Fraction(2), -_HALF), (Fraction(2), -_HALF))),
    (
        (Fraction(1, 10), Fraction(2, 5), Fraction(2, 5), Fraction(1, 10)),
        ((Fraction(-2), -_HALF, _HALF, Fraction(2)), (Fraction(2), -_HALF, -_HALF, Fraction(2))),
    ),
)
"""Finite laws with two functions each, of mean 0 and variance 1; those of the last are uncorrelated and dependent."""
_UNCORRELATED = 2
_MEANS = tuple(map(Fraction, ("0", "1", "-1", "1/2", "2")))
_VARIANCES = tuple(map(Fraction, ("1", "4", "1/4", "9/4")))


def random_entries(scope: Scope, evaluator: Evaluator, random: Random, seed: int) -> dict[str, dict[Place, Entry]]:
    """Return the random entries of a model.

    Args:
        scope: the names, with the hypotheses that have to hold and no others.
        evaluator: of what is not random.
        random: what is free is drawn from it.
        seed: the number of the model.

    Raises:
        UndecidedError: the hypotheses are beyond what is made here.
        NoValueError: a variance is negative, or a covariance matrix is none.
    """
    return _Randomness(scope, evaluator, random, seed).entries()


class _Randomness:
    def __init__(self, scope: Scope, evaluator: Evaluator, random: Random, seed: int) -> None:
        self.evaluator = evaluator
        self.random = random
        self.hypotheses = scope.hypotheses
        given = {item.about[0] for item in scope.hypotheses if item.kind == "equal"}
        self.names = [item.name for item in scope.declared if item.random and item.name not in given]
        positive = {item.name for item in scope.declared if item.random and item.sign != "real"}
        self.template = _TEMPLATES[seed % len(_TEMPLATES)]
        # One sign, mean and variance for each family, so that its entries have one law where nothing says more.
        self.signs = {name: random.choice((ONE, -ONE)) for name in self.names}
        self.means = {name: Fraction(3) if name in positive else random.choice(_MEANS) for name in self.names}
        self.variances = {name: ONE if name in positive else random.choice(_VARIANCES) for name in self.names}
        self.features = {name: random.choice((0, 1)) for name in self.names}
        self.loose = {name: random.choice((True, False)) for name in self.names}
        for item in self._of("uncorrelated"):
            self.template = _TEMPLATES[_UNCORRELATED]
            self.features.update(zip(item.about, (0, 1), strict=False))

    def _of(self, kind: str) -> Iterator[Hypothesis]:
        return (item for item in self.hypotheses if item.kind == kind)

    def entries(self) -> dict[str, dict[Place, Entry]]:
        found: dict[str, dict[Place, Entry]] = {name: {} for name in self.names}
        joint = [name for item in (*self._of("normal-vector"), *self._of("covariance")) for name in item.about]
        for name in self.names:
            shape = self.evaluator.shape(name)
            for place in product(*(range(1, size + 1) for size in shape)):
                if name not in joint:
                    found[name][place] = self._entry(name, place)
        for item in self._of("normal-vector"):
            for name in item.about:
                places = list(product(*(range(1, size + 1) for size in self.evaluator.shape(name))))
                means = [value_at(item.values[0], place, self.evaluator) for place in places]
                rows = [
                    [value_at(item.values[1], (*one, *other), self.evaluator) for other in places] for one in places
                ]
                found[name] = dict(zip(places, self._mixed(name, means, rows, is_normal=True), strict=True))
        covariances = list(self._of("covariance"))
        if covariances:
            self._correlate(covariances, found)
        return found

    def _about(self, name: str, kind: str) -> Hypothesis | None:
        return next((item for item in self._of(kind) if name in item.about), None)

    def _block(self, name: str, place: Place) -> str:
        """Return the part of the space that an entry lives in; parts are independent of each other."""
        loose = self.loose[name]
        groups = [name if loose or name in item.about else "" for item in self._of("independent")]
        places = [str(place) if loose or name in item.about else "" for item in self._of("coordinates")]
        return "|".join((*groups, *places))

    def _moments(self, name: str, place: Place) -> tuple[Number, Number]:
        mean: Number = self.means[name]
        variance: Number = self.variances[name]
        raw = {item.values[0]: item.values[1] for item in self._of("raw-moment") if name in item.about}
        item = self._about(name, "mean")
        text = item.values[0] if item else raw.get("1")
        if text is not None:
            mean = value_at(text, place, self.evaluator)
        item = self._about(name, "variance")
        if item:
            variance = value_at(item.values[0], place, self.evaluator)
        elif "2" in raw:
            variance = plus(value_at(raw["2"], place, self.evaluator), -times(mean, mean))
        return mean, variance

    def _entry(self, name: str, place: Place) -> Entry:
        law = self._about(name, "law")
        block = self._block(name, place)
        if law is not None:
            return self._named(law, name, place, block)
        mean, variance = self._moments(name, place)
        factor = times(self.signs[name], sqrt(variance))
        if self._about(name, "raw-moment"):
            return Entry(mean, ((factor, self._moments_base(name, place, block, mean, variance), 0),))
        weights, features = self.template
        return Entry(mean, ((factor, Base(f"finite {block}", "finite", weights, features), self.features[name]),))

    def _moments_base(self, name: str, place: Place, block: str, mean: Number, variance: Number) -> Base:
        """Return three points with a fourth moment that is given, or two."""
        raw = {item.values[0]: item.values[1] for item in self._of("raw-moment") if name in item.about}
        weights: tuple[Number, ...] = (_HALF, _HALF)
        points: tuple[Number, ...] = (-ONE, ONE)
        if "4" in raw and not mean and variance:
            fourth = over(value_at(raw["4"], place, self.evaluator), times(variance, variance))
            if fourth < 1:
                raise NoValueError("a fourth moment is too small")
            outer = over(ONE, times(Fraction(2), fourth))
            weights = (outer, plus(ONE, times(Fraction(-2), outer)), outer)
            points = (-sqrt(fourth), ZERO, sqrt(fourth))
        return Base(f"moments {name} {block} {weights}", "finite", weights, (points, points))

    def _named(self, law: Hypothesis, name: str, place: Place, block: str) -> Entry:
        kind = law.values[0]
        numbers = [value_at(text, place, self.evaluator) for text in law.values[1:]]
        sign = self.signs[name]
        if kind == "gaussian":
            return Entry(numbers[0], ((times(sign, sqrt(numbers[1])), Base(f"normal {block}"), 0),))
        if kind == "rademacher":
            return Entry(ZERO, ((sign, Base(f"sign {block}", "finite", (_HALF, _HALF), ((-ONE, ONE),)), 0),))
        if kind == "bernoulli":
            (chance,) = numbers
            if not 0 <= chance <= 1:
                raise NoValueError("a probability is out of range")
            weights = (chance, plus(ONE, -chance))
            return Entry(ZERO, ((ONE, Base(f"bit {chance} {block}", "finite", weights, ((ONE, ZERO),)), 0),))
        if kind == "uniform":
            low, high = numbers
            if not real(low) < real(high):
                raise NoValueError("an interval is empty")
            middle, half = times(_HALF, plus(low, high)), times(_HALF, plus(high, -low))
            return Entry(middle, ((times(sign, half), Base(f"uniform {block}", "uniform"), 0),))
        raise UndecidedError

    def _mixed(self, name: str, means: list[Number], rows: list[list[Number]], *, is_normal: bool) -> list[Entry]:
        low = cholesky(rows)
        weights, features = _TEMPLATES[0]
        bases = [
            Base(f"{name} {n}") if is_normal else Base(f"{name} {n}", "finite", weights, features)
            for n in range(len(rows))
        ]
        return [
            Entry(means[i], tuple((low[i][j], bases[j], 0) for j in range(i + 1) if low[i][j]))
            for i in range(len(rows))
        ]

    def _correlate(self, items: list[Hypothesis], found: dict[str, dict[Place, Entry]]) -> None:
        names = sorted({name for item in items for name in item.about})
        keys: list[Key] = [
            (name, place)
            for name in names
            for place in product(*(range(1, size + 1) for size in self.evaluator.shape(name)))
        ]
        rows: list[list[Number]] = [[ZERO] * len(keys) for _ in keys]
        moments = [self._moments(*key) for key in keys]
        for i, (name, place) in enumerate(keys):
            rows[i][i] = moments[i][1]
            for j, (other, at) in enumerate(keys):
                for item in items:
                    if item.about == (name, other):
                        rows[i][j] = rows[j][i] = value_at(item.values[0], (*place, *at), self.evaluator)
        mixed = self._mixed("mixed", [mean for mean, _ in moments], rows, is_normal=False)
        for (name, place), entry in zip(keys, mixed, strict=True):
            found[name][place] = entry
