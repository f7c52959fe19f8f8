"""Models drawn for a set of hypotheses: lengths from the least, numbers with the boundary of their domains, spaces.

Random entries satisfy the hypotheses on laws, moments and dependence, and depend on each other where that is allowed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from random import Random

from symattn.errors import InputError
from symattn.notation.tree import nodes as t
from symattn.notation.tree.traversal import walk
from symattn.proofs.concrete.arrays import Number
from symattn.proofs.language.interpretation import plain_name, read_text
from symattn.proofs.language.scope import Declared, Hypothesis, Scope
from symattn.proofs.model.arithmetic import (
    CTX,
    ONE,
    ZERO,
    NoValueError,
    OutsideError,
    UndecidedError,
    cholesky,
    exp,
    over,
    plus,
    real,
    sqrt,
    times,
    total,
)
from symattn.proofs.model.evaluation import Evaluator
from symattn.proofs.model.formulas import MAX_LENGTH
from symattn.proofs.model.models import Model, Place, names_in
from symattn.proofs.model.probability_spaces import Base, Entry
from symattn.proofs.model.relations import free_places, holds, places_of, signs_hold, subscripts, value_at
from symattn.records import dataclass

_TRIES = 24
_WORK = 12_000
_REAL = tuple(map(Fraction, ("0", "1", "-1", "1/2", "-1/2", "2", "-3/2", "1/3", "1/4", "3")))
_POSITIVE = tuple(map(Fraction, ("1", "1/2", "2", "1/3", "3/2", "1/4", "3", "1/5")))
_NONNEGATIVE = (ZERO, *_POSITIVE)
_CANDIDATES = tuple(map(Fraction, ("1/8", "1/3", "1", "2", "3", "4", "5", "6", "0", "-1", "8", "20")))
_BOUNDS = frozenset({"at-most", "positive", "nonzero", "definite"})
_LEAST = {"real": ZERO, "nonnegative": ZERO, "positive": ONE}
_FAULTS = (NoValueError, UndecidedError, OutsideError, InputError, ArithmeticError, LookupError, ValueError)
_FUNCTIONS: tuple[Callable[[Sequence[Number]], Number], ...] = (
    lambda values: plus(times(values[0], values[0]), total(values[1:])),
    lambda values: abs(total(values)),
    lambda values: exp(times(Fraction(-1, 2), total(values))),
    lambda values: CTX.sin(real(total(values))) + 2,
)


def draw(scope: Scope, hypotheses: tuple[Hypothesis, ...], number: int, uses: Usage) -> Model | None:
    """Return a model of some hypotheses, None where none is found.

    Args:
        scope: the names.
        hypotheses: what has to hold.
        number: which one; the first have the least lengths and the numbers on the boundary.
        uses: how names are used in the record.
    """
    own = replace(scope, hypotheses=hypotheses)
    for attempt in range(_TRIES):
        drawing = _Drawing(own, number, attempt, uses)
        try:
            model = drawing.model()
            outcome = {base.name: 0 if base.kind == "finite" else ZERO for base in model.bases}
            evaluator = Evaluator(own, model, hypotheses, outcome, _WORK)
            if signs_hold(own, evaluator) and all(holds(item, evaluator) for item in hypotheses):
                return model
        except _FAULTS:
            continue
    return None


@dataclass(frozen=True, slots=True)
class Usage:
    """Use of names in a record.

    Attributes:
        lengths: scalars that stand in the lengths of names and sums.
        standing: name, number of the index, and the fixed index that stands there.
    """

    lengths: frozenset[str]
    standing: frozenset[tuple[str, int, str]]


def usage(scope: Scope, texts: Iterable[str]) -> Usage:
    """Return how the names of a scope are used in the formulas of a record."""
    scalars = {item.name for item in scope.declared if not item.sizes and not item.random}
    lengths: set[str] = set()
    standing: set[tuple[str, int, str]] = set()
    for sizes in scope.sizes.values():
        for size in sizes:
            lengths |= names_in(size, scope)
    for text in (*texts, *(item.body for item in scope.defined)):
        node = read_text(text, scope)
        for part in walk(node):
            if isinstance(part, t.SumOver) and part.upper is not None:
                lengths |= {plain_name(inner) or "" for inner in walk(part.upper)}
        for name, index, number, bound in subscripts(node, scope, {}):
            fixed = index.text if isinstance(index, t.Name | t.Number) else ""
            if name and fixed in scope.fixed and fixed not in bound:
                standing.add((name, number, fixed))
    return Usage(frozenset(lengths & scalars), frozenset(standing))


class _Drawing:
    def __init__(self, scope: Scope, number: int, attempt: int, uses: Usage) -> None:
        self.scope = scope
        self.hypotheses = scope.hypotheses
        self.is_least = number == 0 and attempt < _TRIES // 3
        self.is_flat = number in {0, 1, 2} and attempt < _TRIES // 3
        self.bump = attempt // 6
        self.random = Random(f"{number} {attempt}")  # noqa: S311  # models are drawn, no secrets
        self.seed = number
        self.lengths = uses.lengths
        self.standing = uses.standing
        self.equal = {item.about[0]: item.values[0] for item in self.hypotheses if item.kind == "equal"}
        self.model_ = Model()

    def model(self) -> Model:
        model = self.model_
        self._fix()
        self._lengths()
        for item in self.scope.declared:
            if not item.sizes and not item.random and item.name not in self.lengths:
                model.entries[item.name] = {(): self._number(item)}
                model.shapes[item.name] = ()
        sizes = [size for item in self.scope.declared for size in self._evaluator().shape(item.name)]
        for name in self.scope.permutations:
            images = list(range(1, max(sizes, default=1) + 1))
            self.random.shuffle(images)
            model.permutations[name] = tuple(images)
        for name in self.scope.functions:
            model.functions[name] = self.random.choice(_FUNCTIONS)
        for item in self.scope.declared:
            if item.sizes and not item.random and item.name not in self.equal:
                model.entries[item.name] = self._entries(item)
        model.random.update(random_entries(self.scope, self._evaluator(), self.random, self.seed))
        self._repair()
        return model

    def _evaluator(self) -> Evaluator:
        return Evaluator(self.scope, self.model_, self.hypotheses, most=_WORK)

    # Indices and lengths ---------------------------------------------------------------------------

    def _fix(self) -> None:
        """Give fixed indices values that differ from each other; numerals are their own."""
        taken = {int(name) for name in self.scope.fixed if name.isdecimal()}
        free = [n for n in range(1, MAX_LENGTH) if n not in taken]
        letters = [name for name in self.scope.fixed if not name.isdecimal()]
        chosen = free[: len(letters)]
        self.random.shuffle(chosen)
        self.model_.fixed.update({name: int(name) for name in self.scope.fixed if name.isdecimal()})
        self.model_.fixed.update(zip(letters, chosen, strict=True))

    def _lengths(self) -> None:
        declared = {item.name: item for item in self.scope.declared}
        whole = {name for item in self.hypotheses if item.kind == "whole" for name in item.about}
        shared = self.random.randint(1, 3) + self.bump if self.scope.permutations else 0
        needed = self._needed()
        for name in sorted(self.lengths | {name for name in whole if not declared[name].sizes}):
            least = 1 if declared[name].sign == "positive" or name in whole else 0
            more = 0 if self.is_least else self.random.choice((0, 0, 1, 1, 2)) + self.bump
            size = max(shared or least + more, needed.get(name, 0))
            self.model_.entries[name] = {(): Fraction(min(size, MAX_LENGTH))}
            self.model_.shapes[name] = ()

    def _needed(self) -> dict[str, int]:
        """Return how long ranges have to be for the fixed indices that stand in them anywhere in the record."""
        found: dict[str, int] = {}
        sizes = self.scope.sizes
        for name, number, text in self.standing:
            fixed = self.model_.fixed.get(text, 0)
            if fixed and number < len(sizes[name]):
                size = sizes[name][number]
                found[size] = max(found.get(size, 0), fixed)
        return found

    # Numbers ---------------------------------------------------------------------------------------

    def _number(self, item: Declared) -> Number:
        if self.is_flat:
            return _LEAST[item.sign] if self.seed < 2 else ONE
        return self.random.choice({"real": _REAL, "positive": _POSITIVE, "nonnegative": _NONNEGATIVE}[item.sign])

    def _repair(self) -> None:
        """Change letters of bounds that do not hold, to what is bounded or to another number."""
        declared = {item.name: item for item in self.scope.declared if not item.sizes and not item.random}
        for item in self.hypotheses:
            if item.kind not in _BOUNDS or holds(item, self._evaluator()):
                continue
            names = {name for text in (*item.about, *item.values) for name in names_in(text, self.scope)}
            for letter in sorted((names & declared.keys()) - self.lengths - set(self.equal)):
                before = self.model_.entries[letter]
                for value in (*self._limits_of(item, letter), *_CANDIDATES):
                    self.model_.entries[letter] = {(): value}
                    evaluator = self._evaluator()
                    if holds(item, evaluator) and signs_hold(self.scope, evaluator):
                        break
                else:
                    self.model_.entries[letter] = before
                    continue
                break

    def _limits_of(self, item: Hypothesis, letter: str) -> list[Number]:
        """Return the extremes of the other side of a bound."""
        if item.kind != "at-most" or letter not in item.values:
            return []
        low, high = item.values
        other, best = (high, min) if letter == low else (low, max)
        evaluator = self._evaluator()
        values = [evaluator.number(other, place) for place in free_places(evaluator, other)]
        return [best(values, key=real)] if values else []

    # Entries ---------------------------------------------------------------------------------------

    def _entries(self, item: Declared) -> dict[Place, Number]:
        evaluator = self._evaluator()
        shape = evaluator.shape(item.name)
        count, length = (1, shape[0]) if len(shape) == 1 else shape[:2]
        rows = self._rows(item, count, length, evaluator)
        for hypothesis in self.hypotheses:
            if hypothesis.kind == "total" and item.name in hypothesis.about:
                text = hypothesis.values[0] if hypothesis.values else "1"
                rows = [_scaled(row, evaluator.number(text, {"i": n})) for n, row in enumerate(rows, start=1)]
        places = places_of(item.name, evaluator)
        return {place: rows[place[0] - 1 if len(place) > 1 else 0][place[-1] - 1] for place in places}

    def _rows(self, item: Declared, count: int, length: int, evaluator: Evaluator) -> list[list[Number]]:
        for hypothesis in self.hypotheses:
            if hypothesis.kind == "positions" and item.name in hypothesis.about:
                return [[Fraction(n) for n in range(1, length + 1)]]
            if hypothesis.kind == "dot-products" and item.name in hypothesis.about:
                return self._orthogonal(hypothesis, item.name, count, length, evaluator)
        texts = [text for one in self.hypotheses if one.kind == "definite" for text in one.about]
        texts += [one.values[1] for one in self.hypotheses if one.kind == "normal-vector"]
        if count == length and len(item.sizes) == 2 and any(item.name in names_in(text, self.scope) for text in texts):
            return self._definite(count)
        return [[self._number(item) for _ in range(length)] for _ in range(count)]

    def _orthogonal(
        self, item: Hypothesis, name: str, count: int, length: int, evaluator: Evaluator
    ) -> list[list[Number]]:
        """Draw rows along turned axes; a second family is made of the rows of the first."""
        first, second = item.about
        if first == second:
            scale = [sqrt(value_at(item.values[0], (n, n), evaluator)) for n in range(1, count + 1)]
            return [[times(scale[n], entry) for entry in row] for n, row in enumerate(self._axes(count, length))]
        other = second if name == first else first
        if other not in self.model_.entries:
            return self._axes(count, length)
        rows = len({place[0] for place in self.model_.entries[other]}) if len(evaluator.shape(other)) > 1 else 1
        known = self.model_.entries[other]
        base = [[known[(i, j) if (i, j) in known else (j,)] for j in range(1, length + 1)] for i in range(1, rows + 1)]
        found = []
        for i in range(1, count + 1):
            places = [(i, j) if name == first else (j, i) for j in range(1, rows + 1)]
            weights = [value_at(item.values[0], place, evaluator) for place in places]
            found.append([total(map(times, weights, column)) for column in zip(*base, strict=True)])
        return found

    def _axes(self, count: int, length: int) -> list[list[Number]]:
        if count > length:
            raise UndecidedError
        order = list(range(length))
        self.random.shuffle(order)
        rows: list[list[Number]] = [
            [Fraction(self.random.choice((1, 1, -1)) * (order[n] == m)) for m in range(length)] for n in range(count)
        ]
        if length > 1 and not self.is_flat and self.random.random() < Fraction(1, 2):
            a, b = self.random.sample(range(length), 2)
            for row in rows:
                row[a], row[b] = (
                    Fraction(3, 5) * row[a] - Fraction(4, 5) * row[b],
                    Fraction(4, 5) * row[a] + Fraction(3, 5) * row[b],
                )
        return rows

    def _definite(self, size: int) -> list[list[Number]]:
        rows: list[list[Number]] = [[ZERO] * size for _ in range(size)]
        for i in range(size):
            rows[i][i] = self.random.choice((ONE, Fraction(3, 2), Fraction(1, 2)))
            for j in range(i):
                rows[i][j] = rows[j][i] = Fraction(self.random.choice((-1, 0, 1)), 8)
        return rows


def _scaled(row: list[Number], wanted: Number) -> list[Number]:
    """Return a row that adds up to what is wanted."""
    found = total(row)
    if not found:
        return [over(wanted, Fraction(len(row)))] * len(row)
    return [over(times(entry, wanted), found) for entry in row]


def shown(model: Model, scope: Scope, names: Mapping[str, object]) -> str:
    """Return the values of some names in words."""
    parts = []
    for item in scope.declared:
        if item.name not in names or item.name not in model.entries:
            continue
        values = model.entries[item.name]
        texts = [str(value) if isinstance(value, Fraction) else CTX.nstr(value, 6) for value in values.values()]
        parts.append(f"{item.name} = {texts[0] if () in values else '(' + ', '.join(texts) + ')'}")
    return ", ".join(parts)


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
            if name not in joint:
                found[name] = {place: self._entry(name, place) for place in places_of(name, self.evaluator)}
        for item in self._of("normal-vector"):
            for name in item.about:
                places = list(places_of(name, self.evaluator))
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
        keys: list[Key] = [(name, place) for name in names for place in places_of(name, self.evaluator)]
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
