"""The rounding policy that explains a work: the sheet's, or the one with the fewest exceptions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from symattn.checking.figures import Figure, closeness
from symattn.checking.graph import Cell, Exponential, Graph, LineSum, Valuation
from symattn.checking.report import PolicyFound
from symattn.exact.kept import KeptBounds
from symattn.exact.quotient import Quotient
from symattn.exact.rounding import Rounding
from symattn.problem.policy import NAMED_STEPS, Policy
from symattn.records import dataclass

_MANY = 12
"""Places beyond which a work was not rounded by hand, and every step of it need not be tried."""


@dataclass(frozen=True, slots=True)
class Stated:
    """A rounded number at an entry, and the finding that it stands in."""

    cell: Cell
    figure: Figure
    finding: int


def policy_of(
    stated: Iterable[Stated],
    graph: Graph,
    sheet: Policy,
    carried: Callable[[Cell], Quotient | None],
    kept: KeptBounds | None = None,
) -> PolicyFound | None:
    """The policy that explains the rounded numbers of a work, None when it has none.

    The sheet's own wins ties; then rounding at the end, at matrices, at every step.
    """
    base = Valuation(graph)
    kept = KeptBounds() if kept is None else kept
    rounded = [item for item in stated if _is_rounded(item, base, kept)]
    best: PolicyFound | None = None
    fewest = len(rounded)
    for policy, value in _candidates(rounded, graph, sheet, carried, base) if rounded else ():
        missed = _missed(rounded, value, kept, fewest)
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
    rounded: list[Stated], value: Callable[[Cell], Quotient | None], kept: KeptBounds, fewest: int
) -> list[Stated] | None:
    """What a policy does not explain; None as soon as that is no less than what another leaves."""
    found: list[Stated] = []
    for item in rounded:
        if not _explains(value(item.cell), item.figure, kept):
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
    return value is not None and closeness(written, value, kept) in {"equal", "rounded"}


def _candidates(
    stated: list[Stated],
    graph: Graph,
    sheet: Policy,
    carried: Callable[[Cell], Quotient | None],
    base: Valuation,
) -> Iterator[tuple[Policy, Callable[[Cell], Quotient | None]]]:
    if sheet.declared:
        yield sheet, carried
    places = [item.figure.places or 0 for item in stated]
    usual = Counter(places).most_common(1)[0][0]
    own = {item.cell[0]: item.figure.places or 0 for item in stated}
    rounding = Rounding(places=max(usual, 0))
    plain = replace(sheet, rounding=rounding, each=(), declared=False)
    yield replace(plain, steps=()), lambda cell: base.get(*cell)
    if usual > _MANY:
        return
    for name in ("matrices", "all"):
        policy = replace(plain, steps=NAMED_STEPS[name])
        for each in (False, True):
            yield policy, _by_steps(graph, name, rounding, own if each else {})


def _by_steps(graph: Graph, steps: str, rounding: Rounding, own: dict[str, int]) -> Callable[[Cell], Quotient | None]:
    """Values of somebody who rounds every step, each to its own places where these were seen."""
    exact = {
        name
        for name, node in graph.nodes.items()
        if node.formula is None or (steps == "matrices" and isinstance(node.formula, Exponential | LineSum))
    }

    kept = KeptBounds()

    def rounded(name: str, value: Quotient) -> Quotient:
        if name in exact or value.symbols or not value.is_finite:
            return value
        places = own.get(name)
        return Quotient.of(kept.round_exact(value, rounding if places is None else Rounding(places=max(places, 0))))

    valuation = Valuation(graph, rounded=rounded)
    return lambda cell: valuation.get(*cell)


def words(policy: Policy) -> str:
    """A policy in a few words.

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
