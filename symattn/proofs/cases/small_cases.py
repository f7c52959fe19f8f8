"""Small cases that satisfy the hypotheses of a theorem, for looking at its claims in numbers.

Lengths are small, numbers are small rationals, and random entries have two values with the mean and the
variance that is wanted: m - 1 with probability s/(1 + s) and m + s with probability 1/(1 + s). That law is
skewed, so that a claim that leans on symmetry shows. What the hypotheses leave open is drawn from a fixed
sequence; a case that fails a hypothesis is thrown away.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import lru_cache, reduce
from itertools import product
from random import Random

from symattn.errors import InputError
from symattn.notation.tree import nodes as t
from symattn.notation.tree.traversal import walk
from symattn.proofs.cases.evaluation import Entries, Model, NumericEvaluator
from symattn.proofs.cases.hypotheses import holds, places_of, value_at
from symattn.proofs.cases.numeric_tower import ZERO, Number, apply, negative, order, over, plus, times
from symattn.proofs.concrete.arrays import Array
from symattn.proofs.language.interpretation import plain_name, read_text
from symattn.proofs.language.scope import Declared, Hypothesis, Scope

_MAX_OUTCOMES = 256
_MAX_WORK = 60_000
_TRIES = 24
_SHARED = 6
"""Halves up to 3, so that entries stay small."""

_POSITIVE = (*(Fraction(n, 4) for n in (1, 2, 3)), *(Fraction(n, 2) for n in range(2, _SHARED + 1)), Fraction(8))

_BOUNDS = frozenset({"at-most", "positive", "nonzero", "whole", "definite"})
_DRAWS = 8
_MOST_KEPT = 256

_Point = tuple[Fraction, Number]


@lru_cache(maxsize=_MOST_KEPT)
def case(scope: Scope, size: int, seed: int) -> Model | None:
    """Return a case with lengths of about `size`; None where none was found.

    Args:
        scope: the names and hypotheses.
        size: the length that letters for lengths take; different letters may differ by one.
        seed: which of many.
    """
    for attempt in range(_TRIES):
        draw = Random(f"{size} {seed} {attempt}")  # noqa: S311 - the same cases every time, and no secret
        try:
            model = _Drawn(scope, size, draw).model()
        except (InputError, KeyError):
            continue
        numeric = NumericEvaluator(scope, model, _MAX_WORK)
        # Laws with a density have a finite stand-in with the same first moments.
        checked = (item for item in scope.hypotheses if not _has_density(item))
        if _keeps_signs(scope, model) and all(holds(item, numeric) for item in checked):
            return model
    return None


def _keeps_signs(scope: Scope, model: Model) -> bool:
    """Return whether no number that a hypothesis bounds lost the sign with which it is declared."""
    positive = {item.name for item in scope.declared if item.sign == "positive"}
    return all(order(value, ZERO) == 1 for name, value in model.scalars.items() if name in positive)


def _has_density(item: Hypothesis) -> bool:
    return item.kind == "normal-vector" or (item.kind == "law" and item.values[0] in {"gaussian", "uniform"})


class _Drawn:
    def __init__(self, scope: Scope, size: int, draw: Random) -> None:
        self.scope = scope
        self.size = size
        self.draw = draw
        self.equal = {item.about[0]: item.values[0] for item in scope.hypotheses if item.kind == "equal"}
        self.total = {name: item for item in scope.hypotheses if item.kind == "total" for name in item.about}
        self.dots = [item for item in scope.hypotheses if item.kind == "dot-products"]
        self.spreads = _spreads(scope)

    def model(self) -> Model:
        fixed = {name: n for n, name in enumerate(self.scope.fixed, start=1)}
        lengths = self._lengths()
        largest = max([int(value) for value in lengths.values()], default=self.size)
        permutations = {name: self._shuffled(largest) for name in self.scope.permutations}
        scalars: dict[str, Number] = dict(lengths)
        later: list[Declared] = []
        for item in self.scope.declared:
            if not item.sizes and not item.random and item.name not in scalars:
                if not _names(self.equal.get(item.name, "e"), self.scope) <= {*lengths, "e"}:
                    later.append(item)  # it is not given by lengths alone
                else:
                    scalars[item.name] = self._scalar(item)
        base = Model(scalars, {}, (), permutations, fixed)
        entries = self._entries(base)
        known = Model(scalars, entries, (), permutations, fixed)
        self._abbreviated(scalars, later, known)
        self._bound(scalars, lengths, known)
        self._repaired(scalars, set(lengths), known)
        return Model(scalars, entries, self._law(known), permutations, fixed)

    def _abbreviated(self, scalars: dict[str, Number], later: Sequence[Declared], known: Model) -> None:
        """Set letters that abbreviate entries, ``p`` for ``a_1``, one after the other."""
        waiting = list(later)
        for _ in range(len(later)):
            numeric = NumericEvaluator(self.scope, known, _MAX_WORK)
            for item in list(waiting):
                try:
                    scalars[item.name] = numeric.number(self.equal[item.name])
                except InputError:
                    continue  # it waits for another letter
                waiting.remove(item)
            if not waiting:
                return
        if waiting:
            raise InputError("A letter is given by itself.")

    def _repaired(self, scalars: dict[str, Number], fixed: set[str], known: Model) -> None:
        """Draw again the numbers that a hypothesis does not allow, each from a few."""
        bounds = [item for item in self.scope.hypotheses if item.kind in _BOUNDS]
        free = {item.name for item in self.scope.declared if not item.sizes and not item.random}
        free -= fixed | set(self.equal)
        for item in bounds:
            about = item.about if item.kind == "definite" else ()
            # Abbreviations of matrices are written out.
            texts = (*item.values, *(other.body for other in self.scope.defined if other.name in about))
            letters = sorted(free & {name for text in texts for name in _names(text, self.scope)})
            for letter in letters:
                if holds(item, NumericEvaluator(self.scope, known, _MAX_WORK)) is not False:
                    break
                self._drawn_again(scalars, letter, item, known)

    def _drawn_again(self, scalars: dict[str, Number], letter: str, item: Hypothesis, known: Model) -> None:
        before = scalars[letter]
        sign = next(one.sign for one in self.scope.declared if one.name == letter)
        for _ in range(_DRAWS):
            scalars[letter] = self._number(sign)
            if holds(item, NumericEvaluator(self.scope, known, _MAX_WORK)):
                return
        scalars[letter] = before

    def _lengths(self) -> dict[str, Fraction]:
        """Return the letters that stand for lengths."""
        texts = [text for item in self.scope.items for text in item.sizes]
        names = {name for text in texts for name in _names(text, self.scope)}
        least = max(1, len(self.scope.fixed))
        shared = bool(self.scope.permutations)
        scalars = {item.name for item in self.scope.declared if not item.sizes}
        found: dict[str, Fraction] = {
            name: Fraction(max(least, self.size + (0 if shared or n == 0 else self.draw.randint(0, 1))))
            for n, name in enumerate(sorted(names & scalars))
        }
        for name in found:
            if name in self.equal:  # such as the width of a token that is that of all heads together
                found[name] = _fraction(NumericEvaluator(self.scope, Model(found, {})).number(self.equal[name]))
        return found

    def _shuffled(self, size: int) -> tuple[int, ...]:
        images = list(range(1, size + 1))
        self.draw.shuffle(images)
        return tuple(images)

    def _number(self, sign: str) -> Fraction:
        if sign == "real":
            return Fraction(self.draw.randint(-_SHARED, _SHARED), 2)
        return self.draw.choice(_POSITIVE)

    def _scalar(self, item: Declared) -> Number:
        text = self.equal.get(item.name)
        if text is None:
            return self._number(item.sign)
        return NumericEvaluator(self.scope, Model(self._lengths(), {})).number(text)

    def _bound(self, scalars: dict[str, Number], lengths: Mapping[str, Fraction], known: Model) -> None:
        """Set letters that are bounds to the size of the bounded number."""
        free = {item.name for item in self.scope.declared if not item.sizes and not item.random} - set(lengths)
        for item in self.scope.hypotheses:
            if item.kind != "at-most":
                continue
            low, high = item.values
            for letter, other, sign in ((high, low, 1), (low, high, -1)):
                if letter in free and letter not in self.equal:
                    numeric = NumericEvaluator(self.scope, known, _MAX_WORK)
                    values = [numeric.number(other, place) for place in numeric.free_places(other)]
                    scalars[letter] = reduce(lambda best, x: x if order(x, best) == sign else best, values)
                    break

    # Entries ---------------------------------------------------------------------------------------

    def _entries(self, base: Model) -> dict[str, Array | Number]:
        found: dict[str, Array | Number] = {}
        for item in self.scope.declared:
            if item.sizes and not item.random:
                numeric = NumericEvaluator(self.scope, Model(base.scalars, found, (), base.permutations, base.fixed))
                found[item.name] = self._array(item, numeric)
        return found

    def _array(self, item: Declared, numeric: NumericEvaluator) -> Array:
        sizes = [numeric.size(size) for size in item.sizes]
        count, length = (1, sizes[0]) if len(sizes) == 1 else (sizes[0], sizes[1])
        if any(item.name in dots.about for dots in self.dots):
            return self._orthonormal(count, length, is_vector=len(sizes) == 1)
        text = self.equal.get(item.name)
        if item.name in self.spreads and count == length:
            return self._spread(count)
        if text is None:
            rows = [[self._number(item.sign) for _ in range(length)] for _ in range(count)]
            table: tuple[tuple[Number, ...], ...] = tuple(map(tuple, rows))
        else:
            places = [[(i,) if len(sizes) == 1 else (j, i) for i in range(1, length + 1)] for j in range(1, count + 1)]
            table = tuple(tuple(value_at(text, place, numeric) for place in row) for row in places)
        if item.name in self.total:
            table = tuple(self._scaled(row, self.total[item.name], n, numeric) for n, row in enumerate(table, start=1))
        return Array(table, is_vector=len(sizes) == 1)

    def _orthonormal(self, count: int, length: int, *, is_vector: bool) -> Array:
        """Return unit vectors along the axes, in some order and with some signs."""
        axes = self._shuffled(length)
        signs = [self.draw.choice((-1, 1)) for _ in range(count)]
        rows = [[Fraction(signs[n] * (axes[n % length] == m + 1)) for m in range(length)] for n in range(count)]
        return Array(tuple(map(tuple, rows)), is_vector=is_vector)

    def _spread(self, size: int) -> Array:
        """Return a symmetric matrix whose diagonal outweighs the rest: a covariance matrix with an inverse."""
        rows: list[list[Number]] = [[ZERO] * size for _ in range(size)]
        for i in range(size):
            rows[i][i] = self.draw.choice((Fraction(1), Fraction(3, 2)))
            for j in range(i):
                rows[i][j] = rows[j][i] = Fraction(self.draw.choice((-1, 0, 1)), 4)
        return Array(tuple(map(tuple, rows)), is_vector=False)

    def _scaled(
        self, row: Sequence[Number], item: Hypothesis, number: int, numeric: NumericEvaluator
    ) -> tuple[Number, ...]:
        """Return a row made to add up to what is wanted."""
        wanted = numeric.number(item.values[0] if item.values else "1", {"i": number})
        total = reduce(plus, row, ZERO)
        return tuple(over(times(wanted, entry), total) for entry in row)

    # Laws ------------------------------------------------------------------------------------------

    def _law(self, known: Model) -> tuple[tuple[Fraction, Entries], ...]:
        random = [item for item in self.scope.declared if item.random]
        if not random:
            return ()
        numeric = NumericEvaluator(self.scope, known)
        parts = [(item, place) for item in random for place in places_of(item.name, numeric)]
        laws, count = [], 1
        for item, place in parts:
            laws.append(self._entry_law(item.name, place, numeric))
            count *= len(laws[-1])
            if count > _MAX_OUTCOMES:
                raise InputError("The joint law has too many outcomes.")
        return tuple(self._outcome(parts, points, numeric) for points in product(*laws))

    def _outcome(
        self, parts: Sequence[tuple[Declared, tuple[int, ...]]], points: Sequence[_Point], numeric: NumericEvaluator
    ) -> tuple[Fraction, Entries]:
        weight = Fraction(1)
        values: dict[str, dict[tuple[int, ...], Number]] = {}
        for (item, place), (chance, value) in zip(parts, points, strict=True):
            weight *= chance
            values.setdefault(item.name, {})[place] = value
        sizes = {item.name: [numeric.size(size) for size in item.sizes] for item, _ in parts}
        return weight, {name: _assembled(given, sizes[name]) for name, given in values.items()}

    def _entry_law(self, name: str, place: tuple[int, ...], numeric: NumericEvaluator) -> tuple[_Point, ...]:
        about = [item for item in self.scope.hypotheses if name in item.about]
        said = {item.kind: item.values for item in about}
        if "law" in said:
            return self._named_law(said["law"], place, numeric)
        raw = {int(item.values[0]): item.values[1] for item in about if item.kind == "raw-moment"}
        mean = value_at(raw.get(1) or said.get("mean", ("0" if about else "1/2",))[0], place, numeric)
        if 2 in raw:
            spread = plus(value_at(raw[2], place, numeric), negative(times(mean, mean)))
        else:
            spread = value_at(said.get("variance", ("2",))[0], place, numeric)
        return _two_points(mean, spread)

    def _named_law(
        self, values: Sequence[str], place: tuple[int, ...], numeric: NumericEvaluator
    ) -> tuple[_Point, ...]:
        name = values[0]
        numbers = [value_at(text, place, numeric) for text in values[1:]]
        if name == "rademacher":
            return ((Fraction(1, 2), Fraction(-1)), (Fraction(1, 2), Fraction(1)))
        if name == "bernoulli":
            chance = _fraction(numbers[0])
            return ((chance, Fraction(1)), (1 - chance, Fraction(0)))
        if name == "gaussian":
            # Gauss and Hermite's three points have the first five moments of the normal law.
            mean, root = numbers[0], apply("sqrt", times(Fraction(3), numbers[1]))
            return (
                (Fraction(1, 6), plus(mean, negative(root))),
                (Fraction(2, 3), mean),
                (Fraction(1, 6), plus(mean, root)),
            )
        raise InputError(f"There are no few points for the law {name}.")


def _two_points(mean: Number, spread: Number) -> tuple[_Point, ...]:
    size = _fraction(spread)
    if size < 0:
        raise InputError("A variance is negative.")
    if size == 0:
        return ((Fraction(1), mean),)
    return ((size / (1 + size), plus(mean, Fraction(-1))), (1 / (1 + size), plus(mean, size)))


def _fraction(value: Number) -> Fraction:
    if not isinstance(value, Fraction):
        raise InputError("A probability or a variance is not a rational number here.")
    return value


def _assembled(values: Mapping[tuple[int, ...], Number], sizes: Sequence[int]) -> Array | Number:
    if not sizes:
        return values[()]
    if len(sizes) == 1:
        return Array((tuple(values[(n,)] for n in range(1, sizes[0] + 1)),))
    rows = tuple(tuple(values[(i, j)] for j in range(1, sizes[1] + 1)) for i in range(1, sizes[0] + 1))
    return Array(rows, is_vector=False)


def _spreads(scope: Scope) -> frozenset[str]:
    """Return the names of covariance matrices, and of matrices that are positive definite."""
    texts = [text for item in scope.hypotheses if item.kind == "definite" for text in item.about]
    texts += [item.values[1] for item in scope.hypotheses if item.kind == "normal-vector"]
    names = {plain_name(node) for text in texts for node in walk(read_text(text, scope))}
    return frozenset(item.name for item in scope.declared if item.name in names and len(item.sizes) == 2)


def _names(text: str, scope: Scope) -> set[str]:
    return {node.text for node in walk(read_text(text, scope)) if isinstance(node, t.Name)}
