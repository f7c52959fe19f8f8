"""The parts of a problem: what each asks, and what the sheet says about it."""

from __future__ import annotations

from fractions import Fraction

from symattn.records import dataclass

ASKS = (
    "projections",
    "scores",
    "map",
    "outputs",
    "diagram",
    "pattern",
    "shapes",
    "entry",
    "row",
    "gradients",
    "norm",
    "ffn",
    "block",
    "prose",
    "cache",
    "online",
)
"""What a part can ask, besides ``prove:NAME`` and, of one gradient, ``gradient:NAME``."""

PROVE = "prove:"
GRADIENT_OF = "gradient:"
FACT = "theorem:"
DETAILS = ("brief", "full")
"""How much of a proof is written out."""


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a problem.

    `asks` holds words of `ASKS` and ``prove:NAME``; `tokens` restricts the part to some queries, counted
    from 1 (none named: all of them). `text` is the question, `answer` the instructor's answer to a
    question in prose.

    For what is proved: `settings` are values of the theorem's parameters, `claims` the claims that the key
    shows (none named: all of them), `detail` how much of the proof (nothing: as much as of the rest of the key),
    `instance` whether a worked case in numbers stands below it. `facts` are theorems, ``theorem:NAME``, or
    single claims of theirs, ``theorem:NAME:C4``, that stand beside an answer as proved. `space` is the height in
    centimetres that a sheet leaves for the answer.

    >>> Part(asks=("scores",), tokens=(3,), points=Fraction(6)).covers(1)
    False
    """

    asks: tuple[str, ...]
    tokens: tuple[int, ...] = ()
    points: Fraction | None = None
    title: str = ""
    text: str = ""
    answer: str = ""
    settings: tuple[tuple[str, str], ...] = ()
    claims: tuple[str, ...] = ()
    detail: str = ""
    instance: bool = False
    facts: tuple[str, ...] = ()
    space: int = 0

    def covers(self, token: int) -> bool:
        """Return True if the part is about a query, counted from 1.

        >>> Part(asks=("map",)).covers(7)
        True
        """
        return not self.tokens or token in self.tokens

    @property
    def theorems(self) -> tuple[str, ...]:
        """The names of the theorems that the part wants proved.

        >>> Part(asks=("shapes", "prove:row-column")).theorems
        ('row-column',)
        """
        return tuple(item.removeprefix(PROVE) for item in self.asks if item.startswith(PROVE))

    @property
    def needs_catalogue(self) -> bool:
        """True if the key of the part contains anything of the catalogue of theorems.

        >>> Part(asks=("prose",)).needs_catalogue, Part(asks=("prose",), facts=("theorem:copy",)).needs_catalogue
        (False, True)
        """
        return bool(self.theorems or self.facts)

    def named_fact(self, fact: str) -> tuple[str, str]:
        """Return the theorem and the claim that a fact names; no claim stands for the whole theorem.

        >>> Part(asks=("prose",)).named_fact("theorem:copy:C4")
        ('copy', 'C4')
        """
        name, _, claim = fact.removeprefix(FACT).partition(":")
        return name, claim
