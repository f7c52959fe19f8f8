"""What came of each measurement, as lines for people and as JSON, beside what it was once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass

NOISE = 1.1
"""A ratio that is missed by less is noise."""
MILLISECONDS = ": ms"
"""The end of the name of what is bounded in milliseconds."""
SLOWER = 1.25
"""A ratio that has grown by more since the baseline is told, and fails `--check`."""


@dataclass(frozen=True, slots=True)
class Result:
    """One thing to reach: a ratio to a peer's time, milliseconds, a growth, or bytes.

    Attributes:
        name: the case and what it is compared with.
        title: the case in words.
        against: the peer, or what is bounded.
        value: what was measured, in the unit of `reach`; None where the peer is missing.
        reach: the most that it may be.
        ours: our own median in milliseconds, if any.
        theirs: the median of the peer in milliseconds, if any.
        spread: half of the middle half of ours and of theirs, as part of the median.
        missing: the package that is not installed.
    """

    name: str
    title: str
    against: str
    value: float | None
    reach: float
    ours: float | None = None
    theirs: float | None = None
    spread: tuple[float, ...] = ()
    missing: str = ""

    @property
    def word(self) -> str:
        """Met, met but for noise, missed; or not measured, which is never met."""
        if self.value is None:
            return "not measured"
        if self.value <= self.reach:
            return "met"
        return "met within noise" if self.value <= self.reach * NOISE else "missed"

    def is_slower(self, baseline: Mapping[str, float]) -> bool:
        """Return whether it has grown beyond noise since the baseline, which knows it."""
        then = baseline.get(self.name)
        return then is not None and self.value is not None and self.value > then * SLOWER

    def line(self, baseline: Mapping[str, float]) -> str:
        if self.value is None:
            return f"  {self.against:28} {self.missing} is not installed: not measured, not met"
        times = "" if self.theirs is None else f"{self.theirs:11.3f} ms"
        spread = "" if not self.spread else "±" + "/".join(f"{part:.0%}" for part in self.spread)
        since = f"  (was {_short(baseline[self.name])}: slower)" if self.is_slower(baseline) else ""
        measured = f"{_short(self.value):>9} to reach {_short(self.reach):>8}"
        return f"  {self.against:28} {times:14} {measured}  {self.word:12} {spread}{since}"


def _short(number: float) -> str:
    return f"{number:,.0f}" if number >= 1000 else f"{number:.3g}"


def as_json(results: Iterable[Result]) -> list[dict[str, object]]:
    return [{**asdict(result), "word": result.word} for result in results]


def baseline_of(results: Iterable[Result]) -> dict[str, float]:
    """What later runs are compared with: ratios, growths and memory, which a machine changes little."""
    kept = (result for result in results if not result.name.endswith(MILLISECONDS))
    return {result.name: float(f"{result.value:.3g}") for result in kept if result.value is not None}
