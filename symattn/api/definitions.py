"""A problem with definitions of its own, solved: every quantity of the sheet, and the key that works them out."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from symattn.api.result import Result, checked, known
from symattn.errors import UnprovedError
from symattn.exact.reals.special_values import UNDEFINED
from symattn.graph.builders.definitions import defined_layer
from symattn.graph.quantities.quantity import Quantity
from symattn.graph.replay import GIVEN
from symattn.problem.caveats import Caveat, points_caveats
from symattn.problem.model import Problem
from symattn.rendering.keys.definitions import defined_document
from symattn.rendering.latex.prose import text_warnings
from symattn.rendering.latex.templates import LINES, WITH_GIVEN
from symattn.rendering.latex.widths import LINE
from symattn.rendering.sections.judgement import unproved

if TYPE_CHECKING:
    from symattn.exact.linear.matrix import Matrix
    from symattn.graph.statements.chains import Detail
    from symattn.rendering.keys.layer import Among
    from symattn.rendering.sections.document import Document


class DefinedResult(Result):
    """The quantities that a sheet defines, each by its own name, and their key.

    >>> result = DefinedResult(Problem.build(inputs={"X": [[1], [2]]}, definitions={"S": "X X^T", "A": "softmax(S)"}))
    >>> result["A"].rounded(2), result.S.rounded(0)
    ([['0.27', '0.73'], ['0.12', '0.88']], [['1', '2'], ['2', '4']])
    """

    def __init__(self, problem: Problem) -> None:
        """Take the problem; `symattn.solve` calls this."""
        super().__init__(problem, defined_layer(problem), None)

    def __repr__(self) -> str:
        """Return the names of the defined quantities in words."""
        return f"<Result of {self.problem.title or 'a problem'}: {', '.join(self.problem.definitions)}>"

    @property
    def O(self) -> Matrix:  # noqa: E743
        """The quantity that the sheet calls O."""
        return self._one("O")

    def __getattr__(self, name: str) -> Matrix:
        """Return a quantity by its name, ``result.dS``."""
        if not name.startswith("__") and name in self.layer.recipes:
            return self.layer.exact(name)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def _one(self, name: str) -> Matrix:
        if name not in self.layer.recipes:
            raise AttributeError(f"The problem defines no {name}: it defines {', '.join(self.problem.definitions)}.")
        return self.layer.exact(name)

    @cached_property
    def warnings(self) -> tuple[Caveat, ...]:
        """Notes for the instructor, before the key is handed out."""
        found = [_without_value(self.scene.quantities[name]) for name in self.problem.definitions]
        own = (caution for caution in found if caution is not None)
        return (*points_caveats(self.problem), *own, *text_warnings(self.problem))

    def piece(
        self,
        detail: Detail,
        template: str,
        among: Among | None = None,  # noqa: ARG002 - no batch
        made_before: str = "",  # noqa: ARG002 - no blocks
    ) -> Document:
        """Return the key before it is set, every statement of it proved."""
        line = LINES.get(template, LINE)
        with_given = template in WITH_GIVEN
        document = checked(
            defined_document(self.layer, known(detail), line, self.proofs, with_given=with_given),
        )
        faults = unproved(document.ledger.statements, document.ledger.claims, self.scene, {})
        if faults:
            raise UnprovedError(f"A statement of the key was not proved, so there is no key: {faults[0]}.")
        return document

    def _repr_latex_(self) -> str | None:  # type: ignore[override]  # the sheet need not call anything its output
        return None

    def _made(self) -> list[str]:
        """Return every quantity except the inputs."""
        return [name for name, recipe in self.layer.recipes.items() if recipe.rule != GIVEN]

    def _label(self, name: str) -> str:
        """Return the name of a quantity on the sheet; an intermediate one has its number appended."""
        return name

    def _convention(self) -> dict[str, object]:
        """Return the formulas of the sheet, which say themselves how attention is written."""
        definitions = {name: str(formula) for name, formula in self.problem.definitions.items()}
        return {"definitions": definitions, "defaults": list(self.problem.defaults_used)}

    def _pattern(self) -> None:
        """Return nothing: no quantity of the sheet is known to be a map of weights."""


def _without_value(quantity: Quantity) -> Caveat | None:
    """Return a warning about undefined entries: undefined by definition, or since a sum rounded to 0."""
    if any(value is UNDEFINED for value in quantity.exact):
        text = f"Entries of {quantity.name} have no value: something is divided by 0."
        return Caveat("undefined", quantity.name, text)
    if any(value is None for row in quantity.carried for value in row):
        text = (
            f"Under the rounding policy entries of {quantity.name} have no value: a sum rounds to 0; round at the end, "
            "or take more places."
        )
        return Caveat("undefined-stepwise", quantity.name, text)
    return None
