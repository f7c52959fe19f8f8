"""Steps of a solved problem, which can be replayed and show themselves."""

from __future__ import annotations

from symattn.graph.derivation import Derivation
from symattn.graph.derivation_replay import Replayed, Step, replay
from symattn.rendering import notebooks


class Steps(Derivation):
    """The steps of a solved problem, and their replay.

    >>> import symattn as sa
    >>> steps = sa.attention(Q=[[1]], K=[[2]], V=[[3]], scale="none").derivation
    >>> steps.is_proved
    True
    >>> print(steps)
    <Derivation of 8 steps>
      Q  1×1  given
      K  1×1  given
      V  1×1  given
      S  1×1  product of Q, K
      E  1×1  exponential of S
      Z  1×1  line-sum of E
      A  1×1  quotient of E, Z
      O  1×1  product of A, V
    """

    def __init__(self, steps: tuple[Step, ...]) -> None:
        """Take the recorded steps; `Result.derivation` calls this."""
        self._steps = steps

    @property
    def steps(self) -> tuple[Step, ...]:
        """The steps as plain data."""
        return self._steps

    @property
    def is_proved(self) -> bool:
        """True if replay recomputes every step."""
        return all(found.proved for found in self.replay())

    def replay(self) -> tuple[Replayed, ...]:
        """Return every step recomputed from the record alone."""
        return replay(self.steps)

    def as_json(self) -> list[dict[str, object]]:
        """Return the record, as JSON holds it."""
        return [step.as_json() for step in self.steps]

    def __repr__(self) -> str:
        """Return what each step makes, by which rule, from what."""
        return notebooks.lines_of(notebooks.step_lines(self.steps), ".steps has all of them")

    def _repr_html_(self) -> str:
        """Return the steps for notebooks, with their values."""
        return notebooks.steps_html(self.steps)
