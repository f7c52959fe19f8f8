"""Inference of the rounding policy that explains a work: the sheet's, or that with the fewest exceptions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TypeAlias

from symattn.checking.evaluation.step_rounding import rounded_by
from symattn.checking.expressions.numerals import FITS, Figure, closeness
from symattn.checking.graph.formulas import Cell, axis_of_sum
from symattn.checking.graph.quantities import Graph, Valuation
from symattn.checking.report import PolicyFound
from symattn.exact.field.quotient import Quotient
from symattn.exact.rounding.bounds_cache import KeptBounds
from symattn.exact.rounding.quotients import Rounding
from symattn.operations.formulas.formula import is_of
from symattn.problem.settings.policy import NAMED_STEPS, Policy
from symattn.records import dataclass

_MANY = 12
"""Places beyond which a work was not rounded by hand, and every step of it need not be tried."""


@dataclass(frozen=True, slots=True)
class Stated:
    """A rounded number at an entry, and its finding."""

    cell: Cell
    figure: Figure
    finding: int


@dataclass(frozen=True, slots=True)
class Numbered:
    """The numbers of a work, or of its part on one block, and their reference values.

    Attributes:
        stated: the numbers.
        graph: the quantities.
        carried: the sheet's value of an entry: step-rounded where it rounds, exact where it does not.
        kept: bounds of values that are asked for again and again.
        source: of a later block, what the block before makes, by its name there and by its name here.
    """

    stated: Sequence[Stated]
    graph: Graph
    carried: Callable[[Cell], Quotient | None]
    kept: KeptBounds
    source: tuple[str, str] | None = None


_Rounded: TypeAlias = tuple[int, Stated]
"""The number of a block, and a rounded number on it."""

_Values: TypeAlias = Sequence[Callable[[Cell], Quotient | None]]
"""The value of an entry under a policy, for each block."""


def policy_of(blocks: Sequence[Numbered], sheet: Policy) -> PolicyFound | None:
    """Return the policy that explains the rounded numbers of a work on one or several blocks, None when it has none.

    The sheet's own wins ties; then rounding at the end, at matrices, at every step.
    """
    bases = [Valuation(block.graph) for block in blocks]
    rounded = [
        (number, item)
        for number, block in enumerate(blocks)
        for item in block.stated
        if _is_rounded(item, bases[number], block.kept)
    ]
    best: PolicyFound | None = None
    fewest = len(rounded)
    for policy, values in _candidates(rounded, blocks, sheet, bases) if rounded else ():
        missed = _missed(rounded, values, blocks, fewest)
        if missed is None:
            continue
        fewest = len(missed)
        places = tuple(sorted({item.finding for item in missed}))
        best = PolicyFound(
            policy.as_json(), words(policy), policy == sheet and sheet.declared, len(rounded) - fewest, len(rounded),
            places,
        )  # fmt: skip
        if not missed:
            break
    return best


def _missed(
    rounded: Sequence[_Rounded], values: _Values, blocks: Sequence[Numbered], fewest: int
) -> list[Stated] | None:
    """Return the numbers that a policy does not explain; None as soon as another policy leaves no more."""
    found: list[Stated] = []
    for number, item in rounded:
        if not _explains(values[number](item.cell), item.figure, blocks[number].kept):
            found.append(item)
            if len(found) >= fewest:
                return None
    return found


def _is_rounded(item: Stated, base: Valuation, kept: KeptBounds) -> bool:
    value = base.get(*item.cell)
    if value is None or item.figure.unit is None or not value.is_finite or kept.is_symbolic(value):
        return False
    return kept.rational(value) != item.figure.value


def _explains(value: Quotient | None, written: Figure, kept: KeptBounds) -> bool:
    return value is not None and closeness(written, value, kept) in FITS


def _candidates(
    rounded: Sequence[_Rounded], blocks: Sequence[Numbered], sheet: Policy, bases: Sequence[Valuation]
) -> Iterator[tuple[Policy, _Values]]:
    if sheet.declared:
        yield sheet, [block.carried for block in blocks]
    places = [item.figure.places or 0 for _, item in rounded]
    counts = Counter(places)
    usual = max(counts, key=counts.__getitem__)
    own: list[dict[str, int]] = [{} for _ in blocks]
    for number, item in rounded:
        own[number][item.cell[0]] = item.figure.places or 0
    rounding = Rounding(places=max(usual, 0))
    plain = replace(sheet, rounding=rounding, each=(), declared=False)
    yield replace(plain, steps=()), [_of_cells(base) for base in bases]
    if usual > _MANY:
        return
    for name in ("matrices", "all"):
        policy = replace(plain, steps=NAMED_STEPS[name])
        for each in (False, True):
            yield policy, _by_steps(blocks, name, rounding, own if each else [{} for _ in blocks])


def _of_cells(values: Valuation) -> Callable[[Cell], Quotient | None]:
    return lambda cell: values.get(*cell)


def _by_steps(blocks: Sequence[Numbered], steps: str, rounding: Rounding, own: Sequence[dict[str, int]]) -> _Values:
    """Return the values under rounding of every step, each to its own observed places, block after block."""
    found: list[Valuation] = []
    for number, block in enumerate(blocks):
        start: dict[Cell, Quotient] = {}
        if block.source is not None:
            source, here = block.source
            ends = ((cell, found[-1].get(*cell)) for cell in blocks[number - 1].graph.cells(source))
            start = {(here, *cell[1:]): value for cell, value in ends if value is not None}
        found.append(_step_rounded(block.graph, steps, rounding, own[number], start))
    return [_of_cells(values) for values in found]


def _step_rounded(
    graph: Graph, steps: str, rounding: Rounding, own: dict[str, int], start: dict[Cell, Quotient]
) -> Valuation:
    exact: set[str] = set()
    if steps == "matrices":
        made = ((name, node.formula) for name, node in graph.nodes.items())
        exact = {name for name, formula in made if is_of(formula, "exponential") or axis_of_sum(formula) is not None}

    def of(name: str) -> Rounding | None:
        places = own.get(name)
        return None if name in exact else rounding if places is None else Rounding(places=max(places, 0))

    return Valuation(graph, start, rounded=rounded_by(of, KeptBounds()))


def words(policy: Policy) -> str:
    """Return a policy in a few words.

    >>> words(Policy(Rounding(places=2), steps=NAMED_STEPS["all"]))
    'every step to 2 places, half-up'
    """
    rounding = policy.rounding
    count = rounding.places if rounding.places is not None else rounding.figures
    unit = "place" if rounding.places is not None else "significant figure"
    digits = f"{count} {unit}{'s' * (count != 1)}, {rounding.ties}"
    if not policy.steps:
        return f"rounded once at the end, to {digits}"
    names = {NAMED_STEPS["all"]: "every step", NAMED_STEPS["matrices"]: "every matrix"}
    what = names.get(policy.steps) or ", ".join(step.replace("_", " ") for step in policy.steps)
    return f"{what} to {digits}"
