"""Model check: a record is refuted by a model of its hypotheses in which a step or a claim fails or has no value.

It is bounded and deterministic. A difference refutes only beyond the error bound of its evaluation, and only if it is
found again with more digits.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from itertools import islice, product
from random import Random

from symattn.errors import InputError, NotationError
from symattn.proofs.concrete.arrays import Number
from symattn.proofs.kernel.record import Proof
from symattn.proofs.language.interpretation import read_text
from symattn.proofs.language.scope import Hypothesis
from symattn.proofs.language.tree_parts import names_reached
from symattn.proofs.model.arithmetic import CTX, NoValueError, OutsideError, UndecidedError, more_digits
from symattn.proofs.model.evaluation import Evaluator
from symattn.proofs.model.model_generation import draw, shown, usage
from symattn.proofs.model.models import Model
from symattn.proofs.model.relations import free_places, is_true, pairs, truth
from symattn.records import dataclass

MODELS = 60
"""Models that are tried for a record."""

_WORK = 120_000
_WORK_OF_ITEM = 4_000
_MAX_PLACES = 5
_ENOUGH = 12
_MORE_DIGITS = 25
_OUTCOMES = tuple(map(Fraction, ("0", "1", "-1", "1/2", "-3/2", "2")))
_FAULTS = (InputError, ArithmeticError, ValueError, KeyError, IndexError)


@dataclass(frozen=True, slots=True)
class Verdict:
    """Verdict of the models on a record.

    Attributes:
        models: how many models were tried.
        refutation: a sentence that names a model and what fails in it, or nothing.
        vacuous: the ids of the claims for whose hypotheses no model was found.
    """

    models: int
    refutation: str
    vacuous: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Item:
    """A step or a claim."""

    kind: str
    id: str
    left: str
    relation: str
    right: str
    needs: tuple[str, ...]


def check_models(proof: Proof, models: int = MODELS, work: int = _WORK) -> Verdict:
    """Try a record in models of its hypotheses.

    Args:
        proof: the record.
        models: how many are tried at most.
        work: how many nodes of formulas are evaluated at most.
    """
    return _Check(proof, models, work).verdict()


class _Check:
    def __init__(self, proof: Proof, models: int, work: int) -> None:
        self.scope = proof.scope
        self.most = models
        self.work = work
        self.tried = 0
        items = list(_items(proof))
        self.groups: dict[tuple[str, ...], list[_Item]] = {}
        for item in items:
            self.groups.setdefault(item.needs, []).append(item)
        self.texts = [text for item in items for text in (item.left, item.right)]
        for text in (text for step in proof.steps for _, value in step.arguments for text in value.split(";")):
            with suppress(NotationError):
                read_text(text, self.scope)
                self.texts.append(text)

    def verdict(self) -> Verdict:
        modelled: set[tuple[str, ...]] = set()
        try:
            uses = usage(self.scope, self.texts)
        except InputError:  # the kernel says what cannot be read
            return Verdict(0, "", ())
        rounds = max(1, self.most // max(1, len(self.groups)), min(_ENOUGH, self.most))
        refutation = ""
        for number, (needs, items) in product(range(rounds), self.groups.items()):
            if self.work < 0 and (needs in modelled or number > 2):
                continue
            hypotheses = tuple(item for item in self.scope.hypotheses if item.id in needs)
            model = draw(self.scope, hypotheses, number, uses)
            if model is None:
                continue
            modelled.add(needs)
            self.tried += 1
            refutation = self._refutation(items, hypotheses, model, number)
            if refutation:
                break
        bare = (items for needs, items in self.groups.items() if needs not in modelled)
        return Verdict(self.tried, refutation, tuple(one.id for items in bare for one in items if one.kind == "claim"))

    def _refutation(self, items: Iterable[_Item], hypotheses: tuple[Hypothesis, ...], model: Model, seed: int) -> str:
        outcome = _outcome(model, seed)
        for item in items:
            evaluator = Evaluator(self.scope, model, hypotheses, outcome, _WORK_OF_ITEM)
            try:
                for place in _places(item, evaluator, hypotheses, seed):
                    why = self._failure(item, evaluator, place)
                    if why:
                        with more_digits(_MORE_DIGITS):
                            again = Evaluator(self.scope, model, hypotheses, outcome, 4 * _WORK_OF_ITEM)
                            why = self._failure(item, again, place)
                        if why:
                            return self._sentence(item, model, place, why)
            except (UndecidedError, *_FAULTS):
                pass
            self.work -= _WORK_OF_ITEM - max(0, evaluator.left)
        return ""

    def _failure(self, item: _Item, evaluator: Evaluator, place: Mapping[str, int]) -> str:
        """Return how a step or claim fails at one place, or nothing."""
        try:
            if item.relation == "⇔":
                found = [truth(read_text(text, self.scope), evaluator, dict(place)) for text in (item.left, item.right)]
                return "" if None in found or found[0] == found[1] else "one side holds and the other does not"
            left, right = (evaluator.text(text, place) for text in (item.left, item.right))
            for one, other in pairs(left, right):
                if is_true(one, item.relation, other, evaluator.bound) is False:
                    return f"its sides are {_digits(one)} and {_digits(other)}"
        except NoValueError as error:
            return f"a side has no value: {error}"
        except OutsideError:
            pass
        return ""

    def _sentence(self, item: _Item, model: Model, place: Mapping[str, int], why: str) -> str:
        meanings: dict[str, Sequence[str]] = {one.name: one.sizes for one in self.scope.declared}
        meanings |= {one.name: (one.body,) for one in self.scope.defined}
        sides = (read_text(text, self.scope) for text in (item.left, item.right))
        names = dict.fromkeys(names_reached(sides, meanings, self.scope))
        values = shown(model, self.scope, names)
        where = ", ".join([*([values] if values else []), *(f"{name} = {n}" for name, n in place.items())])
        head = f"{item.kind.capitalize()} {item.id} fails in a model of its hypotheses"
        return f"{head}{f' ({where})' if where else ''}: {why}."


def _digits(value: Number) -> str:
    return str(value) if isinstance(value, Fraction) else str(CTX.nstr(value, 8))


def _items(proof: Proof) -> Iterator[_Item]:
    """Yield steps and claims with all the hypotheses that they rest on."""
    order = [item.id for item in proof.scope.hypotheses]
    needs: dict[str, set[str]] = {}
    for step in proof.steps:
        own = set(step.hypotheses).union(*(needs.get(name, set()) for name in step.premises))
        needs[step.id] = own
        yield _Item("step", step.id, step.before, step.relation, step.after, tuple(n for n in order if n in own))
    for claim in proof.claims:
        own = set().union(*(needs.get(name, set()) for name in claim.steps))
        yield _Item("claim", claim.id, claim.left, claim.relation, claim.right, tuple(n for n in order if n in own))


def _outcome(model: Model, seed: int) -> dict[str, Number]:
    """Return one outcome of the random quantities, for what is said of each of them."""
    random = Random(f"outcome {seed}")  # noqa: S311  # models are drawn, no secrets
    found: dict[str, Number] = {}
    for base in sorted(model.bases, key=lambda base: base.name):
        possible = [n for n, weight in enumerate(base.weights) if weight]
        if base.kind == "finite":
            found[base.name] = random.choice(possible)
        else:
            found[base.name] = random.choice(_OUTCOMES[:4] if base.kind == "uniform" else _OUTCOMES)
    return found


def _places(
    item: _Item, evaluator: Evaluator, hypotheses: tuple[Hypothesis, ...], seed: int
) -> Iterator[dict[str, int]]:
    """Yield a few values of the free indices, those that a hypothesis keeps apart never equal."""
    apart = [other.about for other in hypotheses if other.kind == "distinct"]
    fixed = evaluator.model.fixed
    sides: list[str] = [item.left, item.right]
    found = []
    for place in free_places(evaluator, *sides):
        values = {**fixed, **place}
        groups = [[values[name] for name in names if name in values] for names in apart]
        if all(len(set(group)) == len(group) for group in groups):
            found.append(place)
    if len(found) > _MAX_PLACES:
        random = Random(f"places {seed}")  # noqa: S311  # likewise
        found = random.sample(found, _MAX_PLACES)
    yield from islice(found, _MAX_PLACES)
