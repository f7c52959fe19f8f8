"""A solved problem: its exact matrices, the steps that lead to them, the key, and its numbers for machines."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from symattn.api import derivation_steps, json_quantities, transcripts
from symattn.api import proofs as api_proofs
from symattn.api.result_quantities import ResultQuantities
from symattn.errors import InputError, TooLongError, UnprovedError, expect, shortened
from symattn.exact.rounding.quotients import Rounding
from symattn.graph.analysis.caveats import definition_caveats, head_caveats
from symattn.graph.builders import stacks
from symattn.graph.key_judge.claims import Weights, weights_of
from symattn.graph.key_judge.judge import unproved
from symattn.graph.statements.chains import Detail
from symattn.problem.caveats import Caveat, declaration_caveats, points_caveats
from symattn.problem.settings.conventions import DEFINED, THEORY
from symattn.rendering import notebooks, svg
from symattn.rendering.content import Pictures, Proved
from symattn.rendering.html import key as key_html
from symattn.rendering.keys import joint
from symattn.rendering.keys.documents import key_document, theory_document
from symattn.rendering.keys.layer import Among
from symattn.rendering.latex.prose import text_warnings
from symattn.rendering.latex.templates import LINES, WITH_GIVEN
from symattn.rendering.latex.typesetting import closed_rows
from symattn.rendering.latex.widths import LINE
from symattn.rendering.sections import diagram, readback
from symattn.rendering.sections.document import Document, Ledger, render

FORMAT = 1
DETAILS = ("brief", "full", "every-product")

_MAX_PIECES = 6
"""Sequences, blocks or defined quantities that a notebook shows."""


class Result(ResultQuantities):
    """A solved problem: exact matrices, the steps that lead to them, and the key.

    `S`, `A`, `O` and the others are exact matrices; `A.rounded(2)` are strings that are right by proof,
    `A.sympy()` is the closed form, `A.evaluate(50)` an mpmath matrix. Heads, the sequences of a batch and several
    blocks are results of their own: `heads`, `sequences` and `blocks`.

    >>> import symattn as sa
    >>> result = sa.attention(Q=[[1, 0]], K=[[1, 0], [0, 1]], V=[[1], [2]], scale="none")
    >>> result.O.rounded(2)
    [['1.27']]
    """

    @cached_property
    def derivation(self) -> derivation_steps.Steps:
        """The steps, as plain data that can be replayed; ids have the number of their sequence or block before them."""
        if self._pieces:
            outputs = [piece.layer.output for piece in self.children.get("blocks", ())]
            return derivation_steps.Steps(
                tuple(stacks.joint_steps([piece.derivation.steps for piece in self._pieces], outputs))
            )
        return derivation_steps.Steps(() if self.problem.kind == THEORY else self.layer.steps())

    @cached_property
    def warnings(self) -> tuple[Caveat, ...]:
        """Notes for the instructor, before the key is handed out; of sequences and blocks after those of the whole."""
        problem = self.problem
        declared = () if "blocks" in self.children else declaration_caveats(problem)
        shared = (*points_caveats(problem), *declared)
        texts = text_warnings(problem)
        if self._pieces:
            shared = (*shared, *texts)
            return (*shared, *self._joint.warnings([piece.warnings for piece in self._pieces], shared))
        if problem.kind == THEORY:
            return (*shared, *texts)
        if problem.kind == DEFINED:
            return (*shared, *definition_caveats(self.layer), *texts)
        return (*shared, *head_caveats(self.layer, self.views), *texts)

    @property
    def _joint(self) -> joint.Joint:
        return joint.Joint(self.problem)

    @cached_property
    def _weights(self) -> Mapping[int, Weights]:
        """The weights that claims are about, by head; none where a symbol leaves their order open."""
        return {view.head: weights_of(view.scene, view.logits) for view, pattern in self.views if pattern is not None}

    def document(self, detail: Detail = "full", template: str = "article") -> Document:
        """Return the key before it is set, every statement of it proved.

        Args:
            detail: ``"brief"``, ``"full"`` or ``"every-product"``.
            template: ``"article"``, ``"exam"`` or another of the templates.

        Raises:
            UnprovedError: a statement of our own that the judge does not prove, so that the key is refused.
            InputError: no such detail, or a part that cannot be answered.
        """
        expect(template, str, "A template is named by text")
        if not self._pieces:
            return self.piece(detail, template)
        return self._joint.document(
            [piece.piece(detail, template, Among(self.problem, number)) for number, piece in enumerate(self._pieces, 1)]
        )

    def piece(self, detail: Detail, template: str, among: Among | None = None) -> Document:
        """Return the key, or its piece for one sequence or block `among` several."""
        line, with_given = LINES.get(template, LINE), template in WITH_GIVEN
        proofs = self.proofs if among is None or among.number == 1 else ()
        if self.problem.kind == THEORY:
            return checked(theory_document(self.problem, known(detail), line, proofs))
        document = checked(
            key_document(self.layer, self.views, known(detail), line, proofs, with_given=with_given, among=among)
        )
        self._refuse_unproved(document.ledger)
        return document

    def _refuse_unproved(self, ledger: Ledger) -> None:
        faults = unproved(ledger.statements, ledger.claims, self.scene, self._weights)
        if faults:
            raise UnprovedError(f"A statement of the key was not proved, so there is no key: {faults[0]}.")

    @cached_property
    def proofs(self) -> tuple[Proved, ...]:
        """The theorems that the parts ask for, each proved, in the order of the key.

        Raises:
            InputError: an unknown theorem, claim or parameter.
            UnprovedError: a step of ours is not proved.
        """
        if not any(part.needs_catalogue for part in self.problem.parts):
            return ()
        return api_proofs.part_proofs(self.problem)

    def to_latex(self, template: str = "article", detail: Detail = "full") -> str:
        """Return the worked key as LaTeX source, every statement of it proved.

        Args:
            template: ``"article"``, ``"exam"`` or another of the templates.
            detail: ``"brief"``, ``"full"`` or ``"every-product"``.

        Raises:
            UnprovedError: a statement of our own that the judge does not prove.
            InputError: no such template, or a part that cannot be answered.

        >>> import symattn as sa
        >>> p = sa.Problem.build(Q=[[1, 0]], K=[[1, 0], [0, 1]], V=[[1], [2]], scale="none")
        >>> "answer key" in sa.solve(p).to_latex(detail="brief")
        True
        """
        return render(self.document(detail, template), template)

    def to_svg(self, only: str = "") -> str:
        """Return the diagram and the heat maps of weights and mask as one SVG text, one head, sequence or block a row.

        Args:
            only: ``"diagram"``, ``"heatmap"`` or ``"mask"``, for those alone.

        Raises:
            UnprovedError: a number or a line that the judge does not prove.
            InputError: nothing to draw: a symbol leaves the order of weights open, more than 40 tokens, no mask.

        >>> import symattn as sa
        >>> sa.attention(Q=[[1]], K=[[1], [0]], V=[[1], [0]], scale="none").to_svg("heatmap").count("<rect")
        2
        """
        expect(only, str, "A picture is named by text")
        if only not in {"", "diagram", "heatmap", "mask"}:
            raise InputError(f"Unknown picture {shortened(only)!r}: take diagram, heatmap or mask.")
        groups = [piece.pictures(only) for piece in self._pieces or (self,)]
        if not any(group.diagrams or group.maps for group in groups):
            raise InputError(f"{self.problem.source} has no {only or 'weights'} to draw.")
        return svg.pictures_svg(groups)

    def pictures(self, only: str = "") -> Pictures:
        """Return the pictures of the heads whose order of weights is known, every number and line of them proved.

        Args:
            only: the one kind of pictures, as for `to_svg`.

        Raises:
            UnprovedError: a number or a line that the judge does not prove.

        >>> import symattn as sa
        >>> [picture.shades for picture in sa.attention(Q=[[1]], K=[[1]], V=[[1]]).pictures().maps]
        [[[100]]]
        """
        if self.problem.kind in {THEORY, DEFINED}:
            return Pictures()
        views = [(layer, pattern) for layer, pattern in self.views if pattern is not None]
        ledger = Ledger()
        found = diagram.pictures(views, ledger, only) if views else Pictures()
        self._refuse_unproved(ledger)
        return found

    def to_html(self, detail: Detail = "full") -> str:
        """Return the worked key as a web page of one file, every statement of it proved.

        Args:
            detail: ``"brief"``, ``"full"`` or ``"every-product"``.

        Raises:
            UnprovedError: a statement of our own that the judge does not prove.
            InputError: a part that cannot be answered.

        >>> import symattn as sa
        >>> result = sa.attention(Q=[[1, 0]], K=[[1, 0], [0, 1]], V=[[1], [2]], scale="none")
        >>> "<script" in result.to_html()
        False
        """
        return key_html.key_page(self.document(detail))

    def latex(self, name: str = "O") -> str:
        r"""Return a quantity in closed form as LaTeX, for use in other documents; each denominator is named once a row.

        Raises:
            KeyError: an unknown quantity.

        >>> import symattn as sa
        >>> print(sa.attention(Q=[[1]], K=[[1], [2]], V=[[1], [3]], scale="none").latex("A"))
        A = \begin{pmatrix}
        \frac{e^{1}}{Z_{1}} & \frac{e^{2}}{Z_{1}}
        \end{pmatrix}
        \\ Z_{1} = e^{1} + e^{2}
        """
        return closed_rows(self[name].kernel, name)

    def read_back(self, tex: str) -> list[readback.Finding]:
        """Return every judged line of a key, read from its source and judged again, strictly.

        The lines of proofs are compared with the record, which was replayed.

        Raises:
            InputError: the key is not text.

        >>> import symattn as sa
        >>> result = sa.attention(Q=[[1, 0]], K=[[1, 0], [0, 1]], V=[[1], [2]], scale="none")
        >>> all(finding.proved for finding in result.read_back(result.to_latex()))
        True
        """
        expect(tex, str, "A key is read back from text")
        if self._pieces:
            return [
                finding
                for number, piece in enumerate(self._pieces, 1)
                for finding in piece.read_back(self._joint.lines_of(tex, number))
            ]
        if self.problem.kind == THEORY:
            return self._proofs_read_back(tex)
        return [*readback.read_back(tex, self.scene, self._weights, self.problem.words), *self._proofs_read_back(tex)]

    def _proofs_read_back(self, tex: str) -> list[readback.Finding]:
        if not self.proofs:
            return []
        return readback.read_proofs(tex, self.proofs, (LINE, *LINES.values()))

    def _repr_latex_(self) -> str | None:
        """Return the outputs in closed form, for notebooks; None where they are long, or no output is known."""
        if self.problem.batch:
            found = [sequence._repr_latex_() for sequence in self.sequences[:_MAX_PIECES]]
            return "\n\n".join(filter(None, found)) or None
        if self.problem.kind in {THEORY, DEFINED}:
            return None
        return notebooks.matrix_latex(self.kernel_matrix("O"), self.scene.quantities["O"].symbol)

    def _repr_html_(self) -> str:
        """Return weights and outputs for notebooks, of several pieces those of the first; or what the sheet defines."""
        head = f"<div>{notebooks.text(repr(self)[1:-1])}</div>"
        pieces = self.sequences if self.problem.batch else self.blocks
        if len(pieces) > 1:
            return head + "".join(piece._repr_html_() for piece in pieces[:_MAX_PIECES])
        if self.problem.kind == THEORY:
            return head
        quantities = self.scene.quantities
        names = list(self.problem.definitions) or [name for name in ("A", "O") if name in self.layer.recipes]
        shown = [(self.kernel_matrix(name), quantities[name].symbol) for name in names[:_MAX_PIECES]]
        return head + "".join(notebooks.matrix_html(matrix, symbol) for matrix, symbol in shown)

    def as_json(self, rounding: Rounding | None = None) -> dict[str, object]:
        """Return everything for machines, as ``symattn solve --json`` prints it and ``symattn replay`` accepts it.

        Args:
            rounding: of the `decimal` values; the policy's own rounding where it is None.

        Raises:
            InputError: the rounding is not one.

        >>> import symattn as sa
        >>> p = sa.Problem.build(Q=[[1, 0]], K=[[1, 0], [0, 1]], V=[[1], [2]], scale="none")
        >>> sa.solve(p).as_json(Rounding(places=2))["quantities"]["O"]["decimal"]
        [['1.27']]
        """
        steps = self.derivation.as_json()
        return transcripts.transcript({**self.numbers_json(rounding), **({"derivation": steps} if steps else {})})

    def numbers_json(self, rounding: Rounding | None = None) -> dict[str, object]:
        """Return the numbers for machines, without the steps that lead to them."""
        if rounding is not None:
            expect(rounding, Rounding, "A rounding is a Rounding or None")
        problem = self.problem
        statements, warnings = self._statements()
        return {
            "format": FORMAT,
            "problem": {"title": problem.title, "source": problem.source, "kind": problem.kind},
            **(self._joint_numbers(rounding) if self._pieces else self._own_numbers(rounding)),
            "statements": {"total": statements, "proved": statements},
            "warnings": [warning.as_json() for warning in warnings],
        }

    def _own_numbers(self, rounding: Rounding | None) -> dict[str, object]:
        """Return the numbers of one layer, and the theorems of a problem."""
        theorems: dict[str, object] = {"theorems": api_proofs.proofs_json(self.proofs)} if self.proofs else {}
        if self.problem.kind == THEORY:
            return theorems
        return {
            "convention": json_quantities.convention_json(self.problem),
            "policy": self.problem.policy.as_json(),
            "quantities": self.quantities_json(rounding),
            "pattern": self.pattern_json(),
            **({"counts": self.counts} if self.problem.cached else {}),
            **theorems,
        }

    def _joint_numbers(self, rounding: Rounding | None) -> dict[str, object]:
        """Return the numbers of each sequence, or of all blocks, where a name has the number of its block: ``Q@2``."""
        policy, convention = self.problem.policy.as_json(), json_quantities.convention_json(self.problem)
        found = [piece.quantities_json(rounding) for piece in self._pieces]
        patterns = [piece.pattern_json() for piece in self._pieces]
        own: dict[str, object] = {"policy": policy, "convention": convention}
        if self.problem.batch:
            both = zip(found, patterns, strict=True)
            sequences = [{"quantities": quantities, "pattern": pattern} for quantities, pattern in both]
            return {**own, "batch": len(found), "sequences": sequences}
        blocks = [json_quantities.convention_json(piece.problem) for piece in self._pieces]
        numbered = {f"{name}@{k}": item for k, quantities in enumerate(found, 1) for name, item in quantities.items()}
        return {**own, "blocks": blocks, "quantities": numbered, "pattern": patterns}

    def quantities_json(self, rounding: Rounding | None) -> dict[str, object]:
        """Return the quantities for machines, by name."""
        quantities = {name: self.scene.quantities[name] for name in self._made()}
        return json_quantities.quantities_json(quantities, self.problem, rounding)

    def pattern_json(self) -> object:
        """Return the pattern of the weights, or with heads a list of those of each."""
        found = [None if pattern is None else pattern.as_json() for _, pattern in self.views]
        return found if self.problem.heads else found[0]

    def _statements(self) -> tuple[int, tuple[Caveat, ...]]:
        """Return the number of statements in the key, all proved, and of the warnings; too long numbers give one."""
        try:
            ledger = self.document().ledger
        except TooLongError as error:
            return 0, (*self.warnings, Caveat("no-key", self.problem.source, str(error)))
        return ledger.count, self.warnings


def known(detail: Detail) -> Detail:
    """Return the detail itself.

    Raises:
        InputError: an unknown level of detail.
    """
    expect(detail, str, "A detail is named by text")
    if detail not in DETAILS:
        raise InputError(f"Unknown detail {shortened(detail)!r}: take {', '.join(DETAILS)}.")
    return detail


def checked(document: Document) -> Document:
    """Return a document every proof of which was recomputed."""
    refused = [item.proof.name for item in document.ledger.proofs if not item.replayed.is_proved]
    if refused:
        raise UnprovedError(f"The proof of {refused[0]} was not recomputed, so there is no key.")
    return document
