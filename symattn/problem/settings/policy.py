"""The rounding policy of a sheet: which steps round, to how many digits, and how ties fall."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from symattn.errors import InputError
from symattn.exact.rounding.quotients import TIES, Rounding
from symattn.problem.text.spelling import unknown
from symattn.records import dataclass

STEPS = (
    "scale_factor",
    "projections",
    "scores",
    "exponentials",
    "row_sums",
    "weights",
    "products",
    "outputs",
)
"""Every step that can round, in the order of the computation."""

NAMED_STEPS: dict[str, tuple[str, ...]] = {
    "end": (),
    "matrices": ("projections", "scores", "weights", "outputs"),
    "all": STEPS[1:],
}
"""The lists of steps that have a name; ``all`` leaves the scale factor exact."""

DEFAULT_PLACES = 4
MAX_DIGITS = 900
"""Most places and figures: with the digits before the point, numerals of keys keep below their limit."""

_OVERRIDES = ("steps", "places", "figures", "ties", "shift", "strict")


@dataclass(frozen=True, slots=True)
class Policy:
    """Rounding policy: the steps that round, and their digits.

    `each` names the steps that are rounded otherwise than by `rounding`. `declared` says that the
    sheet fixes the policy; `strict`, that work under any other policy is not accepted.

    >>> policy = Policy(Rounding(places=2), steps=NAMED_STEPS["matrices"])
    >>> policy.at("scores").places, policy.at("exponentials"), policy.display("exponentials").places
    (2, None, 2)
    """

    rounding: Rounding
    steps: tuple[str, ...] = ()
    shift: bool = False
    each: tuple[tuple[str, Rounding], ...] = ()
    strict: bool = False
    declared: bool = False

    def __post_init__(self) -> None:
        """Refuse steps that do not exist; put those that do into the order of the computation."""
        for step in (*self.steps, *(name for name, _ in self.each)):
            if step not in STEPS:
                raise InputError(unknown("step", step, STEPS))
        object.__setattr__(self, "steps", tuple(step for step in STEPS if step in self.steps))
        ordered = tuple(sorted(self.each, key=lambda item: STEPS.index(item[0])))
        object.__setattr__(self, "each", ordered)

    @property
    def steps_name(self) -> str:
        """The name of the list of steps, or the steps joined by plus signs.

        >>> Policy(Rounding(places=2), steps=("outputs", "weights")).steps_name
        'weights+outputs'
        """
        for name, steps in NAMED_STEPS.items():
            if self.steps == steps:
                return name
        return "+".join(self.steps)

    def at(self, step: str) -> Rounding | None:
        """Return the rounding that a step applies to its values, or None where it keeps them exact.

        >>> Policy(Rounding(places=2)).at("weights") is None
        True
        """
        return self.display(step) if step in self.steps else None

    def display(self, step: str) -> Rounding:
        """Return the rounding in which the values of a step are shown when they are rounded once, at the end.

        >>> Policy(Rounding(places=2), each=(("weights", Rounding(places=3)),)).display("weights").places
        3
        """
        return dict(self.each).get(step, self.rounding)

    def with_overrides(self, text: str) -> Policy:
        """Return the same policy with some keys replaced, as the command line gives them.

        A list of steps is joined by plus signs. What the sheet says of single steps stays.

        Raises:
            InputError: An unknown key, a key given twice, or a value that the key cannot take.

        >>> Policy(Rounding(places=4)).with_overrides("steps=weights+outputs,places=2").steps_name
        'weights+outputs'
        """
        values = _split_overrides(text)
        rounding = _override_rounding(self.rounding, values)
        each = tuple((step, replace(own, ties=rounding.ties)) for step, own in self.each)
        return Policy(
            rounding=rounding,
            steps=named_steps(values["steps"].split("+")) if "steps" in values else self.steps,
            shift=_switch("shift", values.get("shift"), default=self.shift),
            each=each,
            strict=_switch("strict", values.get("strict"), default=self.strict),
            declared=True,
        )

    def as_json(self) -> dict[str, object]:
        """Return every key of the policy, in the words of the problem file.

        >>> Policy(Rounding(places=2)).as_json()["steps"]
        'end'
        """
        named = self.steps_name in NAMED_STEPS
        return {
            "places": self.rounding.places,
            "figures": self.rounding.figures,
            "steps": self.steps_name if named else list(self.steps),
            "ties": self.rounding.ties,
            "shift": self.shift,
            "each": {step: _digits(own) for step, own in self.each},
            "strict": self.strict,
            "declared": self.declared,
        }


def default_policy() -> Policy:
    """Return the policy of a sheet that does not state one: exact to the end, then 4 places.

    >>> default_policy().rounding.places
    4
    """
    return Policy(Rounding(places=DEFAULT_PLACES))


def named_steps(names: Iterable[str], where: str = "steps") -> tuple[str, ...]:
    """Return steps and names of lists of steps, resolved into steps.

    Raises:
        InputError: A name that is neither a step nor a list of steps.

    >>> named_steps(["matrices"])
    ('projections', 'scores', 'weights', 'outputs')
    """
    found: list[str] = []
    for name in names:
        if name in NAMED_STEPS:
            found.extend(NAMED_STEPS[name])
        elif name in STEPS:
            found.append(name)
        else:
            raise InputError(f"{where}: {unknown('step', name, (*NAMED_STEPS, *STEPS))}")
    return tuple(step for step in STEPS if step in found)


def _digits(rounding: Rounding) -> dict[str, int | None]:
    if rounding.figures is not None:
        return {"figures": rounding.figures}
    return {"places": rounding.places}


def _split_overrides(text: str) -> dict[str, str]:
    values: dict[str, str] = {}
    for item in text.split(","):
        key, equals, value = (piece.strip() for piece in item.partition("="))
        if not equals or not value:
            raise InputError(f'The policy "{item.strip()[:80]}" is not of the form key=value, e.g. places=2.')
        if key not in _OVERRIDES:
            raise InputError(unknown("policy key", key, _OVERRIDES))
        if key in values:
            raise InputError(f"The policy gives {key} twice; leave one of them out.")
        values[key] = value
    if "places" in values and "figures" in values:
        raise InputError("The policy gives both places and figures; leave one of them out.")
    return values


def _override_rounding(rounding: Rounding, values: dict[str, str]) -> Rounding:
    ties = values.get("ties", rounding.ties)
    if ties not in TIES:
        raise InputError(unknown("tie rule", ties, TIES))
    if "places" in values:
        return Rounding(places=_count("places", values["places"], 0), ties=ties)
    if "figures" in values:
        return Rounding(figures=_count("figures", values["figures"], 1), ties=ties)
    return replace(rounding, ties=ties)


def _count(key: str, text: str, least: int) -> int:
    if not re.fullmatch("[0-9]{1,5}", text) or not least <= int(text) <= MAX_DIGITS:
        raise InputError(
            f'The policy key {key} must be a whole number from {least} to {MAX_DIGITS}, not "{text[:40]}".'
        )
    return int(text)


def _switch(key: str, text: str | None, *, default: bool) -> bool:
    if text is None:
        return default
    if text not in ("true", "false"):
        raise InputError(f'The policy key {key} must be true or false, not "{text[:40]}".')
    return text == "true"
