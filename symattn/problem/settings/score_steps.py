"""Steps from the scores to the weights: the ordered table that reader, components, builders and caveats go through."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from symattn.records import dataclass


@dataclass(frozen=True, slots=True)
class ScoreStep:
    """Step between scores and softmax.

    Attributes:
        made: the quantity that it makes.
        by: the quantity that it takes beside the scores.
        saturates: whether it bounds what it takes, minus infinity too; it then has a derivative of its own.
        has_effect: tells of a setting whether it changes any score.
        remedy: what to do about a number that is not positive, where the setting is a number.
    """

    made: str
    by: str
    saturates: bool = False
    has_effect: Callable[[Any], bool] = lambda _: True
    remedy: str = ""

    def is_used(self, setting: object) -> bool:
        """Return whether a problem with this setting, or with none, takes the step.

        >>> SCORE_STEPS["bias"].is_used(None)
        False
        """
        return setting is not None and self.has_effect(setting)


SCORE_STEPS: Mapping[str, ScoreStep] = {
    "scale": ScoreStep("S_scaled", "c", has_effect=lambda scale: scale.kind != "none"),
    "softcap": ScoreStep("S_capped", "cap", saturates=True, remedy="leave it out to cap nothing"),
    "bias": ScoreStep("S_biased", "B"),
    "mask": ScoreStep("S_masked", "M", has_effect=lambda mask: mask.hides),
}
"""The steps by their keys in a problem file, in the usual order."""

MADE = tuple(step.made for step in SCORE_STEPS.values())
"""The quantities that they make, in that order."""


def saturating(used: tuple[str, ...]) -> int:
    """Return the place of the first step that saturates, after the last one where none does.

    >>> saturating(("scale", "softcap", "mask")), saturating(("scale",))
    (1, 1)
    """
    return next((place for place, key in enumerate(used) if SCORE_STEPS[key].saturates), len(used))
