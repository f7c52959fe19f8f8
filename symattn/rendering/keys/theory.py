"""Theorems and prose in a key: the blocks, titles and points of a part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from string import ascii_lowercase

from symattn.errors import InputError
from symattn.exact.rounding.quotients import Rounding, format_rational
from symattn.graph.statements.chains import Detail
from symattn.languages.catalogue import Words
from symattn.problem.model import Part
from symattn.problem.settings.parts import GRADIENT_OF, PROVE
from symattn.problem.settings.policy import Policy
from symattn.rendering.content import Blank, Level, Proved, Typed
from symattn.rendering.sections.conventions import task_policy
from symattn.rendering.sections.document import Block, Ledger, Section

_COMPUTED = frozenset(
    ("projections", "scores", "map", "outputs", "gradients", "gradient", "norm", "ffn", "block", "cache", "online")
)
_TASKS = ("diagram", "pattern", "shapes", "entry", "row")


class Theory:
    """The blocks of theorems and prose; what they state goes into the ledger of the key.

    Args:
        ledger: of the key.
        detail: how much of the key is written out.
        line: the width of a line in points.
        proofs: the theorems that parts ask for, proved.
        words: the fixed texts of the key.
    """

    def __init__(self, ledger: Ledger, detail: Detail, line: float, proofs: Sequence[Proved], words: Words) -> None:
        self.words = words
        self.ledger = ledger
        self.detail = detail
        self.line = line
        self.proofs = proofs

    def blocks(self, number: int, part: Part, asks: str) -> list[Block]:
        """Return the blocks of a part for one of its words: an answer in prose, or a proof."""
        if asks == "prose":
            return [Block("prose", (Typed(part.answer),))] if part.answer.strip() else []
        name = asks.removeprefix(PROVE)
        found = [item for item in self._of(number, is_fact=False) if item.proof.name == name]
        if not found:
            raise InputError(f"Part {number + 1} asks for the proof of {name!r}, which was not handed to its key.")
        level: Level = "brief" if self.detail == "brief" else "full"
        return [Block("proof", proved=(self.ledger.prove(item),), detail=level) for item in found]

    def facts(self, number: int) -> list[Block]:
        """Return the facts that stand beside the answer of a part."""
        found = tuple(self.ledger.prove(item) for item in self._of(number, is_fact=True))
        return [Block("facts", proved=found)] if found else []

    def title(self, number: int, part: Part) -> str:
        """Return a title for a part that has none: those of what it asks."""
        proved = {item.proof.name: item.proof.title for item in self._of(number, is_fact=False)}
        return _title(part.asks, proved, self.words)

    def question(self, number: int, part: Part, policy: Policy) -> str:
        """Return a question for a part that has none, in the words of what it asks and of the rounding policy."""
        asked = [word.partition(":")[0] for word in part.asks]
        things = [self.words.say(f"questions.things.{word}") for word in asked if word in _COMPUTED]
        sentences: list[str] = []
        if things:
            count = len(part.tokens)
            if count:
                text = self.words.say("questions.compute_for", things=things, count=count, tokens=part.tokens)
            else:
                text = self.words.say("questions.compute", things=things)
            sentences.append(text)
            sentences.append(task_policy(self.words, policy))
        sentences.extend(self.words.say(f"questions.tasks.{word}") for word in asked if word in _TASKS)
        proved = [item.proof.title for item in self._of(number, is_fact=False)]
        sentences.extend(self.words.say("questions.prove", title=title) for title in proved)
        return " ".join(sentences)

    def _of(self, number: int, *, is_fact: bool) -> list[Proved]:
        return [item for item in self.proofs if item.part == number and item.is_fact == is_fact]


def section_of(
    number: int, part: Part, title: str, blocks: Sequence[Block], task: str = "", blanks: Sequence[Blank] = ()
) -> Section:
    """Return the section of a part, with its letter; `number` counts from 0.

    Args:
        number: the number of the part, from 0.
        part: the part.
        title: the title of a part that has none.
        blocks: the solution.
        task: the question of a part that has none.
        blanks: what a sheet leaves to fill in.
    """
    label = ascii_lowercase[number] if number < len(ascii_lowercase) else str(number + 1)
    is_backward = all(word == "gradients" or word.startswith(GRADIENT_OF) for word in part.asks)
    return Section(
        label,
        part.title.strip() or title,
        part.text,
        points_text(part.points),
        tuple(blocks),
        is_backward,
        task=part.text.strip() or task,
        blanks=tuple(blanks),
        space=part.space,
    )


def _title(asks: tuple[str, ...], proved: Mapping[str, str], words: Words) -> str:
    """Return a title for a part that has none, from all that it asks.

    >>> from symattn.languages.catalogue import words_of
    >>> _title(("map", "outputs"), {}, words_of("en"))
    'Attention map, outputs'
    """
    titles = [
        proved.get(word.removeprefix(PROVE), "")
        if word.startswith(PROVE)
        else words.say(f"parts.{word.partition(':')[0]}")
        for word in asks
    ]
    return words.say("list.separator").join(words.in_one(list(dict.fromkeys(title for title in titles if title))))


def points_text(points: Fraction | int | None) -> str:
    """Return points as a sheet prints them: a whole number, or halves and the like as decimals.

    >>> points_text(Fraction(5, 2)), points_text(None)
    ('2.5', '')
    """
    return "" if points is None else format_rational(Fraction(points), Rounding(figures=6)).rstrip("0").rstrip(".")
