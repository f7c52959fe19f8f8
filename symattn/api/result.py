"""A solved problem: its exact matrices, the steps that lead to them, the key, and its numbers for machines."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Literal, Self, TypeAlias

from symattn import late
from symattn.api.transcripts import transcript
from symattn.errors import InputError, MissingKeyError, TooLongError, UnprovedError, expect, shortened
from symattn.exact.linear import matrix as kernel
from symattn.exact.rounding.quotients import Rounding
from symattn.graph.analysis.caveats import definition_caveats, head_caveats
from symattn.graph.analysis.pattern import Pattern
from symattn.graph.builders.layer import Layer, base_of, is_of_block, is_of_gradients
from symattn.graph.key_judge.claims import Weights, weights_of
from symattn.graph.quantities.definition import GIVEN
from symattn.graph.quantities.scene import Scene
from symattn.graph.statements.chains import Detail
from symattn.problem.caveats import Caveat, declaration_caveats, points_caveats
from symattn.problem.model import Problem
from symattn.problem.schema.fields import OF_CACHES, OF_POSITIONS
from symattn.problem.settings.conventions import DEFINED, THEORY
from symattn.rendering.content import Pictures, Proved
from symattn.rendering.keys.documents import key_document, theory_document
from symattn.rendering.keys.layer import Among
from symattn.rendering.latex.prose import text_warnings
from symattn.rendering.latex.templates import LINES, WITH_GIVEN
from symattn.rendering.latex.typesetting import closed_rows
from symattn.rendering.latex.widths import LINE
from symattn.rendering.sections import diagram
from symattn.rendering.sections.document import Document, Ledger, render
from symattn.rendering.sections.judgement import unproved

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from symattn.api import json_quantities, result_views
    from symattn.api import matrix as api_matrix
    from symattn.api import proofs as api_proofs
    from symattn.api.matrix import Matrix
    from symattn.graph.builders import stacks
    from symattn.problem.components import caches
    from symattn.rendering import svg
    from symattn.rendering.html import key as key_html
    from symattn.rendering.keys import joint
    from symattn.rendering.sections import readback
    from symattn.rendering.sections.readback import Finding
else:
    json_quantities = late.module("symattn.api.json_quantities")
    api_matrix = late.module("symattn.api.matrix")
    api_proofs = late.module("symattn.api.proofs")
    result_views = late.module("symattn.api.result_views")
    stacks = late.module("symattn.graph.builders.stacks")
    caches = late.module("symattn.problem.components.caches")
    joint = late.module("symattn.rendering.keys.joint")
    key_html = late.module("symattn.rendering.html.key")
    readback = late.module("symattn.rendering.sections.readback")
    svg = late.module("symattn.rendering.svg")


FORMAT = 1
DETAILS = ("brief", "full", "every-product")

_MAIN = ("Q", "K", "V", "G", "S", "S_scaled", "S_capped", "S_biased", "S_masked", "E", "Z", "A", "C", "O")

Word: TypeAlias = Literal["heads", "sequences", "blocks"]
Work: TypeAlias = "Callable[[], tuple[Layer, Pattern | None]]"
"""Returns the worked layer and the pattern of its weights; refuses with InputError where there is none for all."""


class Result:
    """A solved problem: exact matrices, the steps that lead to them, and the key.

    `S`, `A`, `O` and the others are exact matrices; `A.rounded(2)` are strings that are right by proof,
    `A.sympy()` is the closed form, `A.evaluate(50)` an mpmath matrix. Heads, the sequences of a batch and several
    blocks are results of their own: `heads`, `sequences` and `blocks`.

    >>> import symattn as sa
    >>> result = sa.attention(Q=[[1, 0]], K=[[1, 0], [0, 1]], V=[[1], [2]], scale="none")
    >>> result.O.rounded(2)
    [['1.27']]
    """

    def __init__(
        self,
        problem: Problem,
        work: Work,
        children: Mapping[Word, tuple[Self, ...]] | None = None,
        matrices: Mapping[str, Callable[[], kernel.Matrix]] | None = None,
    ) -> None:
        """Take what `solve` found.

        Args:
            problem: what was asked.
            work: makes the layer when it is first needed.
            children: the results that this one consists of.
            matrices: makers of quantities that need no layer.
        """
        self.problem = problem
        self.work = work
        self.children: Mapping[Word, tuple[Self, ...]] = children or {}
        self.matrices = matrices or {}

    @cached_property
    def _worked(self) -> tuple[Layer, Pattern | None]:
        return self.work()

    @property
    def layer(self) -> Layer:
        """The worked layer; of several blocks the last.

        Raises:
            InputError: a batch, each sequence of which has its own, or a problem without inputs.
        """
        return self._worked[0]

    @property
    def pattern(self) -> Pattern | None:
        """The pattern of the weights; None where symbols leave it open, where each head has its own, or none is known.

        Raises:
            InputError: as for `layer`.
        """
        return self._worked[1]

    @property
    def heads(self) -> tuple[Self, ...]:
        """Each head as a result of its own, with its own Q, K, V, S, A and O; the result itself without heads.

        Raises:
            InputError: as for `layer`.

        >>> import symattn as sa
        >>> result = sa.attention(Q=[[1, 2]], K=[[1, 0], [0, 1]], V=[[1, 2], [3, 4]], heads=2, scale="none")
        >>> [head.A.rounded(2) for head in result.heads], result.O.rounded(2)
        ([[['0.73', '0.27']], [['0.12', '0.88']]], [['1.54', '3.76']])
        """
        if self.problem.batch or self.problem.kind == THEORY:
            self.work()  # refuses
        return self.children.get("heads", (self,))

    @property
    def sequences(self) -> tuple[Self, ...]:
        """Each sequence of a batch as a result of its own; the result itself without a batch."""
        return self.children.get("sequences", (self,))

    @property
    def blocks(self) -> tuple[Self, ...]:
        """Each of several blocks as a result of its own; the result itself without them."""
        return self.children.get("blocks", (self,))

    @property
    def views(self) -> tuple[tuple[Layer, Pattern | None], ...]:
        """The layer of each head, or the only one, with the pattern of its weights."""
        return tuple((head.layer, head.pattern) for head in self.heads)

    @property
    def _pieces(self) -> tuple[Self, ...]:
        """The results that stand one after the other in one key."""
        return self.children.get("sequences") or self.children.get("blocks", ())

    def __repr__(self) -> str:
        """Return the shape of the map and how it is shown."""
        return f"<Result of {self.problem.title or 'a problem'}: {self._extent()}>"

    def _extent(self) -> str:
        if self._pieces:
            return f"{len(self._pieces)} {'sequences' if self.problem.batch else 'blocks'}"
        if self.problem.kind == THEORY:
            return f"{len(self.problem.parts)} parts, no numbers"
        if self.problem.kind == DEFINED:
            return ", ".join(self.problem.definitions)
        heads = self.children.get("heads", (self,))
        rows, columns = heads[0].A.shape
        return f"{rows}×{columns} weights" + (f" in each of {len(heads)} heads" if len(heads) > 1 else "")

    def __getitem__(self, name: str) -> Matrix:
        """Return the exact value of a quantity by its canonical name, e.g. ``result["S_scaled"]``.

        ``result["Y"]`` is what comes out of a block, whatever that is called: R_1, N_1, Y_1, R_2, N_2 or Y_2.
        ``result["Q@2"]`` is a quantity of block 2 where there are several; without a number it is one of the last.
        """
        expect(name, str, "A quantity is named by text")
        block, own = self._addressed(name)
        if block is not self:
            return block[own]
        if name == "Y" and self.problem.block is not None and name not in self.matrices:
            name = self.layer.output
        self._refuse_unknown(name)
        return self._exact(name)

    def _addressed(self, name: str) -> tuple[Self, str]:
        """Return the block that a name is of, and the name in it; the result itself without several blocks.

        Raises:
            MissingKeyError: the number of a nonexistent block.
        """
        base, is_marked, number = name.partition("@")
        blocks = self.children.get("blocks", ())
        if not blocks or not is_marked:
            return self, name
        if not number.isascii() or not number.isdigit() or not 1 <= int(number[:4]) <= len(blocks):
            raise MissingKeyError(f"There is no block {number!r}; blocks are counted from 1 to {len(blocks)}.")
        return blocks[int(number) - 1], base

    def _has(self, name: str) -> bool:
        return name in self.matrices or name in self.layer.recipes

    def _refuse_unknown(self, name: str) -> None:
        expect(name, str, "A quantity is named by text")
        if not self._has(name):
            names = ", ".join(self.layer.recipes)
            raise MissingKeyError(f"There is no quantity {shortened(name)!r}; there are {names}.")

    @property
    def Q(self) -> Matrix:
        """The queries."""
        return self._one("Q")

    @property
    def K(self) -> Matrix:
        """The keys."""
        return self._one("K")

    @property
    def V(self) -> Matrix:
        """The values."""
        return self._one("V")

    @property
    def S(self) -> Matrix:
        """The plain product of queries and keys; ``result["S_scaled"]`` has the scaled scores."""
        return self._one("S")

    @property
    def A(self) -> Matrix:
        """The weights, the attention map."""
        return self._one("A")

    @property
    def O(self) -> Matrix:  # noqa: E743
        """The outputs, or what the definitions of the sheet call O."""
        return self._one("O")

    def __getattr__(self, name: str) -> Matrix:
        """Return what only some problems make: gradients, ``result.dQ``, and quantities of blocks and of definitions.

        >>> import symattn as sa
        >>> p = sa.Problem.build(Q=[[1]], K=[[0], [1]], V=[[1], [3]], scale="none", gradient={"loss": "sum"})
        >>> sa.solve(p).dQ.rounded(4)
        [['0.3932']]
        """
        if name.startswith("_"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        if self.problem.kind == DEFINED:
            if name in self.layer.recipes:
                return self._exact(name)
            raise AttributeError(f"The problem defines no {name}: it defines {', '.join(self.problem.definitions)}.")
        is_around = is_of_block(name)
        if is_around or name in OF_POSITIONS or name in OF_CACHES:
            if self._has(name):
                return self._exact(name)
            if is_around:
                raise AttributeError(f"There is no {name}: no [block] of the problem makes it.")
            raise AttributeError(f"There is no {name}: no [positions] or [cache] makes it, or each head its own.")
        if not is_of_gradients(name):
            made = () if self.problem.batch or self.problem.kind == THEORY else self.layer.recipes
            raise AttributeError(result_views.unknown_attribute(name, dir(self), made))
        if self.problem.gradient is None:
            raise AttributeError(f"There is no {name}: the problem has no [gradient].")
        if not self._has(name) and f"{name}^1" not in self.layer.recipes:
            raise AttributeError(f"There is no {name}: the backward pass of the problem does not make it.")
        return self._one(name)

    @property
    def quantities(self) -> dict[str, Matrix]:
        """The exact values of all that was worked out, by name, in the order of the work.

        >>> import symattn as sa
        >>> list(sa.attention(Q=[[1]], K=[[2]], V=[[3]], scale="none").quantities)
        ['Q', 'K', 'V', 'S', 'E', 'Z', 'A', 'O']
        """
        return {name: self._exact(name) for name in self._made()}

    @property
    def counts(self) -> dict[str, int]:
        """Savings of a cache: products of a query and a key with it and without, and the numbers in it.

        >>> import symattn as sa
        >>> cache = {"K": [[1]], "V": [[2]]}
        >>> sa.attention(X=[[1]], W_Q=[[1]], W_K=[[1]], W_V=[[1]], cache=cache).counts
        {'products_with_cache': 3, 'products_without': 5, 'cached_numbers': 4}

        Raises:
            InputError: a problem without a cache.
        """
        if not self.problem.cached:
            raise InputError("There are counts of a cache where the problem has one: give [cache].")
        return caches.counts_of(self.problem)

    def _one(self, name: str) -> Matrix:
        if self._has(name):
            return self._exact(name)
        if self.problem.kind == DEFINED:
            raise AttributeError(name)  # __getattr__ says which there are
        raise InputError(f'Each head has its own {name}: take result.heads[0].{name}, or result["{name}^1"].')

    def _exact(self, name: str) -> Matrix:
        """Return a quantity as it is shown in Python."""
        return api_matrix.Matrix.wrap(self.kernel_matrix(name))

    def kernel_matrix(self, name: str) -> kernel.Matrix:
        """Return a quantity as the kernel has it."""
        return self.matrices[name]() if name in self.matrices else self.layer.exact(name)

    @cached_property
    def derivation(self) -> result_views.Steps:
        """The steps, as plain data that can be replayed; ids have the number of their sequence or block before them."""
        if self._pieces:
            outputs = [piece.layer.output for piece in self.children.get("blocks", ())]
            return result_views.Steps(
                tuple(stacks.joint_steps([piece.derivation.steps for piece in self._pieces], outputs))
            )
        return result_views.Steps(() if self.problem.kind == THEORY else self.layer.steps())

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

    def stepwise(self, name: str) -> list[list[str | None]]:
        """Return the values under the policy's rounding at every step; None where undefined.

        Raises:
            InputError: an unknown quantity; a KeyError too.

        >>> import symattn as sa
        >>> policy = {"places": 1, "steps": "all"}
        >>> result = sa.attention(Q=[[1]], K=[[1], [2]], V=[[1], [3]], scale="none", rounding=policy)
        >>> result.stepwise("A"), result.O.rounded(1)
        ([['0.3', '0.7']], [['2.5']])
        """
        expect(name, str, "A quantity is named by text")
        block, own = self._addressed(name)
        if block is not self:
            return block.stepwise(own)
        self._refuse_unknown(name)
        quantity = self.scene.quantities[name]
        return json_quantities.digits(quantity.carried, quantity.rounding or quantity.display)

    @property
    def scene(self) -> Scene:
        """The quantities with their names bound, for the judge."""
        return self.layer.scene

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
            UnprovedError: a statement of our own that the judge does not prove; there is no key then.
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
            raise InputError(f"There is no picture {shortened(only)!r}: take diagram, heatmap or mask.")
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

    def read_back(self, tex: str) -> list[Finding]:
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

    def _proofs_read_back(self, tex: str) -> list[Finding]:
        if not self.proofs:
            return []
        return readback.read_proofs(tex, self.proofs, (LINE, *LINES.values()))

    def _repr_latex_(self) -> str | None:
        """Return the outputs in closed form, for notebooks; None where they are long, or no output is known."""
        return result_views.result_latex(self)

    def _repr_html_(self) -> str:
        """Return weights and outputs for notebooks."""
        return result_views.result_html(self)

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
        return transcript({**self.numbers_json(rounding), **({"derivation": steps} if steps else {})})

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

    def _made(self) -> list[str]:
        """Return the quantities for machines: the usual ones in their usual order, or with heads those of each."""
        if self.problem.kind == DEFINED:
            return [name for name, recipe in self.layer.recipes.items() if recipe.rule != GIVEN]
        made = [name for name, recipe in self.layer.recipes.items() if recipe.rule != GIVEN or is_of_gradients(name)]
        if "C" in made or self.problem.heads:
            return [name for name in self.layer.recipes if name in made or base_of(name) in {"Q", "K", "V", "B", "M"}]
        usual = [name for name in (*OF_POSITIONS, *OF_CACHES, *_MAIN) if name in self.layer.recipes]
        others = [name for name in ("B", "M") if name in self.layer.recipes]
        around = [name for name in made if is_of_block(name)]
        around += [name for name in made if "@" in name and self.problem.online]  # after each block of keys
        return [*usual, *others, *around, *filter(is_of_gradients, self.layer.recipes)]

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
        raise InputError(f"There is no detail {shortened(detail)!r}: take {', '.join(DETAILS)}.")
    return detail


def checked(document: Document) -> Document:
    """Return a document every proof of which was recomputed."""
    refused = [item.proof.name for item in document.ledger.proofs if not item.replayed.is_proved]
    if refused:
        raise UnprovedError(f"The proof of {refused[0]} was not recomputed, so there is no key.")
    return document
