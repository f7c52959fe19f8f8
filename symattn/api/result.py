"""A solved problem: its exact matrices, the steps that lead to them, the key, and its numbers for machines."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from symattn import late
from symattn.api.transcripts import transcript
from symattn.errors import InputError, MissingKeyError, TooLongError, UnprovedError, expect, shortened
from symattn.exact.linear.matrix import Matrix
from symattn.exact.rounding.quotients import Rounding
from symattn.graph.analysis.caveats import head_caveats
from symattn.graph.analysis.pattern import Pattern, attention_pattern, with_summaries
from symattn.graph.builders.attention import attention_layer
from symattn.graph.builders.layer import Layer, base_of, is_of_block, is_of_gradients
from symattn.graph.derivation import Derivation
from symattn.graph.judge.claims import Weights, weights_of
from symattn.graph.quantities.closed_forms import quotient_tree
from symattn.graph.quantities.quantity import Grid
from symattn.graph.quantities.scene import Scene
from symattn.graph.replay import GIVEN, Replayed, Step, replay
from symattn.graph.statements.chains import Detail
from symattn.notation.tree import nodes as t
from symattn.notation.writers.plain import write_plain
from symattn.problem.caveats import Caveat, declaration_caveats, points_caveats
from symattn.problem.model import Problem
from symattn.problem.schema.fields import OF_CACHES, OF_POSITIONS
from symattn.problem.settings.conventions import THEORY
from symattn.rendering.keys.documents import key_document, theory_document
from symattn.rendering.keys.layer import Among
from symattn.rendering.latex.prose import text_warnings
from symattn.rendering.latex.templates import LINES, WITH_GIVEN
from symattn.rendering.latex.typesetting import math
from symattn.rendering.latex.widths import LINE
from symattn.rendering.sections.document import Document, Proved, render
from symattn.rendering.sections.judgement import unproved

if TYPE_CHECKING:
    from collections.abc import Mapping

    from symattn.api import json_quantities
    from symattn.api import proofs as api_proofs
    from symattn.graph.builders import heads as layer_heads
    from symattn.problem.components import caches
    from symattn.rendering.keys import proofs as key_proofs
    from symattn.rendering.latex import closed_form_matrix
    from symattn.rendering.sections import readback
    from symattn.rendering.sections.readback import Finding
else:
    json_quantities = late.module("symattn.api.json_quantities")
    api_proofs = late.module("symattn.api.proofs")
    layer_heads = late.module("symattn.graph.builders.heads")
    caches = late.module("symattn.problem.components.caches")
    closed_form_matrix = late.module("symattn.rendering.latex.closed_form_matrix")
    key_proofs = late.module("symattn.rendering.keys.proofs")
    readback = late.module("symattn.rendering.sections.readback")


FORMAT = 1
DETAILS = ("brief", "full", "every-product")

_MAIN = ("Q", "K", "V", "G", "S", "S_scaled", "S_capped", "S_biased", "S_masked", "E", "Z", "A", "C", "O")


class Working(Derivation):
    """The steps of a solved problem, and their replay.

    >>> p = Problem.build(Q=[[1]], K=[[2]], V=[[3]], scale="none")
    >>> solved(p).derivation.is_proved
    True
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


class Result:
    """A solved problem: exact matrices, the steps that lead to them, and the key.

    `S`, `A`, `O` and the others are exact matrices; `A.rounded(2)` are strings that are right by proof,
    `A.sympy()` is the closed form, `A.evaluate(50)` an mpmath matrix.

    >>> result = solved(Problem.build(Q=[[1, 0]], K=[[1, 0], [0, 1]], V=[[1], [2]], scale="none"))
    >>> result.O.rounded(2)
    [['1.27']]
    """

    def __init__(
        self,
        problem: Problem,
        layer: Layer,
        pattern: Pattern | None,
        heads: tuple[tuple[Layer, Pattern | None], ...] = (),
    ) -> None:
        """Take the problem and its layer; `solve` calls this."""
        self.problem = problem
        self.layer = layer
        self.pattern = pattern
        self.views = heads or ((layer, pattern),)

    @cached_property
    def heads(self) -> tuple[Result, ...]:
        """Each head as a result of its own, with its own Q, K, V, S, A and O; the result itself without heads.

        >>> result = solved(Problem.build(Q=[[1, 2]], K=[[1, 0], [0, 1]], V=[[1, 2], [3, 4]], heads=2, scale="none"))
        >>> [head.A.rounded(2) for head in result.heads], result.O.rounded(2)
        ([[['0.73', '0.27']], [['0.12', '0.88']]], [['1.54', '3.76']])
        """
        if self.views[0][0] is self.layer:
            return (self,)
        return tuple(Result(self.problem, view, pattern) for view, pattern in self.views)

    def __repr__(self) -> str:
        """Return the shape of the map and how it is shown."""
        rows, columns = self.views[0][0].exact("A").shape
        heads = f" in each of {len(self.views)} heads" if len(self.views) > 1 else ""
        return f"<Result of {self.problem.title or 'a problem'}: {rows}×{columns} weights{heads}>"

    def __getitem__(self, name: str) -> Matrix:
        """Return the exact value of a quantity by its canonical name, e.g. ``result["S_scaled"]``.

        ``result["Y"]`` is what comes out of a block, whatever that is called: R_1, N_1, Y_1, R_2, N_2 or Y_2.
        """
        expect(name, str, "A quantity is named by text")
        if name == "Y" and self.problem.block is not None:
            name = self.layer.output
        self._refuse_unknown(name)
        return self._exact(name)

    def _refuse_unknown(self, name: str) -> None:
        expect(name, str, "A quantity is named by text")
        if name not in self.layer.recipes:
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
        """The outputs."""
        return self._exact("O")

    def __getattr__(self, name: str) -> Matrix:
        """Return the gradients of the backward pass, ``result.dQ`` and so on.

        >>> p = Problem.build(Q=[[1]], K=[[0], [1]], V=[[1], [3]], scale="none", gradient={"loss": "sum"})
        >>> solved(p).dQ.rounded(4)
        [['0.3932']]
        """
        if is_of_block(name):
            if name in self.layer.recipes:
                return self._exact(name)
            raise AttributeError(f"There is no {name}: no [block] of the problem makes it.")
        if name in OF_POSITIONS or name in OF_CACHES:
            if name in self.layer.recipes:
                return self._exact(name)
            raise AttributeError(f"There is no {name}: no [positions] or [cache] makes it, or each head its own.")
        if name.startswith("__") or not is_of_gradients(name):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        if self.problem.gradient is None:
            raise AttributeError(f"There is no {name}: the problem has no [gradient].")
        if name not in self.layer.recipes and f"{name}^1" not in self.layer.recipes:
            raise AttributeError(f"There is no {name}: the backward pass of the problem does not make it.")
        return self._one(name)

    @property
    def quantities(self) -> dict[str, Matrix]:
        """The exact values of all that was worked out, by name, in the order of the work.

        >>> list(solved(Problem.build(Q=[[1]], K=[[2]], V=[[3]], scale="none")).quantities)
        ['Q', 'K', 'V', 'S', 'E', 'Z', 'A', 'O']
        """
        return {name: self._exact(name) for name in self._made()}

    @property
    def counts(self) -> dict[str, int]:
        """Savings of a cache: products of a query and a key with it and without, and the numbers in it.

        >>> cache = {"K": [[1]], "V": [[2]]}
        >>> solved(Problem.build(X=[[1]], W_Q=[[1]], W_K=[[1]], W_V=[[1]], cache=cache)).counts
        {'products_with_cache': 3, 'products_without': 5, 'cached_numbers': 4}

        Raises:
            InputError: a problem without a cache.
        """
        if not self.problem.cached:
            raise InputError("There are counts of a cache where the problem has one: give [cache].")
        return caches.counts_of(self.problem)

    def _one(self, name: str) -> Matrix:
        if name not in self.layer.recipes:
            raise InputError(f'Each head has its own {name}: take result.heads[0].{name}, or result["{name}^1"].')
        return self._exact(name)

    def _exact(self, name: str) -> Matrix:
        """Return a quantity as it is shown in Python."""
        return self.layer.exact(name)

    @cached_property
    def derivation(self) -> Working:
        """The steps, as plain data that can be replayed."""
        return Working(self.layer.steps())

    @cached_property
    def warnings(self) -> tuple[Caveat, ...]:
        """Notes for the instructor, before the key is handed out."""
        declared = (*points_caveats(self.problem), *declaration_caveats(self.problem))
        return (*declared, *head_caveats(self.layer, self.views), *text_warnings(self.problem))

    def stepwise(self, name: str) -> list[list[str | None]]:
        """Return the values under the policy's rounding at every step; None where undefined.

        Raises:
            InputError: an unknown quantity; a KeyError too.

        >>> policy = {"places": 1, "steps": "all"}
        >>> result = solved(Problem.build(Q=[[1]], K=[[1], [2]], V=[[1], [3]], scale="none", rounding=policy))
        >>> result.stepwise("A"), result.O.rounded(1)
        ([['0.3', '0.7']], [['2.5']])
        """
        self._refuse_unknown(name)
        quantity = self.scene.quantities[name]
        return json_quantities.digits(quantity.carried, quantity.rounding or quantity.display)

    @property
    def scene(self) -> Scene:
        """The quantities with their names bound, for the judge."""
        return self.layer.scene

    @cached_property
    def weights(self) -> Mapping[int, Weights]:
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
        return self.piece(detail, template)

    def piece(self, detail: Detail, template: str, among: Among | None = None, made_before: str = "") -> Document:
        """Return the key, or its piece for one sequence `among` those of a batch, or for a later block."""
        document = checked(
            key_document(
                self.layer,
                self.views,
                known(detail),
                LINES.get(template, LINE),
                self.proofs if among is None or among.number == 1 else (),
                given_without=made_before if template in WITH_GIVEN else None,
                among=among,
            )
        )
        faults = unproved(document.ledger.statements, document.ledger.claims, self.scene, self.weights)
        if faults:
            raise UnprovedError(f"A statement of the key was not proved, so there is no key: {faults[0]}.")
        return document

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

        >>> p = Problem.build(Q=[[1, 0]], K=[[1, 0], [0, 1]], V=[[1], [2]], scale="none")
        >>> "answer key" in solved(p).to_latex(detail="brief")
        True
        """
        return render(self.document(detail, template), template)

    def latex(self, name: str = "O") -> str:
        r"""Return a quantity in closed form as LaTeX, for use in other documents; each denominator is named once a row.

        Raises:
            KeyError: an unknown quantity.

        >>> print(solved(Problem.build(Q=[[1]], K=[[1], [2]], V=[[1], [3]], scale="none")).latex("A"))
        A = \begin{pmatrix}
        \frac{e^{1}}{Z_{1}} & \frac{e^{2}}{Z_{1}}
        \end{pmatrix}
        \\ Z_{1} = e^{1} + e^{2}
        """
        return closed_form_matrix.closed_rows(self[name], name)

    def read_back(self, tex: str) -> list[Finding]:
        """Return every judged line of a key, read from its source and judged again, strictly.

        The lines of proofs are compared with the record, which was replayed.

        Raises:
            InputError: the key is not text.

        >>> result = solved(Problem.build(Q=[[1, 0]], K=[[1, 0], [0, 1]], V=[[1], [2]], scale="none"))
        >>> all(finding.proved for finding in result.read_back(result.to_latex()))
        True
        """
        expect(tex, str, "A key is read back from text")
        return [*readback.read_back(tex, self.scene, self.weights), *self._proofs_read_back(tex)]

    def _proofs_read_back(self, tex: str) -> list[Finding]:
        if not self.proofs:
            return []
        return key_proofs.read_proofs(tex, self.proofs, (LINE, *LINES.values()))

    def _repr_latex_(self) -> str:
        """Return the outputs in closed form, for notebooks."""
        rows = tuple(tuple(quotient_tree(value) for value in row) for row in self.O.rows)
        symbol = self.scene.quantities["O"].symbol
        return f"$\\displaystyle {math(t.Relation((symbol, t.Matrix(rows)), ('=',)))}$"

    def as_json(self, rounding: Rounding | None = None) -> dict[str, object]:
        """Return everything for machines, as ``symattn solve --json`` prints it and ``symattn replay`` accepts it.

        Args:
            rounding: of the `decimal` values; the policy's own rounding where it is None.

        Raises:
            InputError: the rounding is not one.

        >>> p = Problem.build(Q=[[1, 0]], K=[[1, 0], [0, 1]], V=[[1], [2]], scale="none")
        >>> solved(p).as_json(Rounding(places=2))["quantities"]["O"]["decimal"]
        [['1.27']]
        """
        steps = self.derivation.as_json()
        return transcript({**self.numbers_json(rounding), **({"derivation": steps} if steps else {})})

    def numbers_json(self, rounding: Rounding | None = None) -> dict[str, object]:
        """Return the numbers for machines, without the steps that lead to them."""
        if rounding is not None:
            expect(rounding, Rounding, "A rounding is a Rounding or None")
        statements, warnings = self._statements()
        return {
            "format": FORMAT,
            "problem": self._problem(),
            "convention": self._convention(),
            "policy": self.problem.policy.as_json(),
            "quantities": {
                name: json_quantities.quantity_json(self.scene.quantities[name], self._label(name), rounding)
                for name in self._made()
            },
            "pattern": self._pattern(),
            **({"counts": self.counts} if self.problem.cached else {}),
            **self._theorems(),
            "statements": {"total": statements, "proved": statements},
            "warnings": [warning.as_json() for warning in warnings],
        }

    def _made(self) -> list[str]:
        """Return the quantities for machines: the usual ones in their usual order, or with heads those of each."""
        made = [name for name, recipe in self.layer.recipes.items() if recipe.rule != GIVEN or is_of_gradients(name)]
        if "C" in made or self.problem.heads:
            return [name for name in self.layer.recipes if name in made or base_of(name) in {"Q", "K", "V", "B", "M"}]
        usual = [name for name in (*OF_POSITIONS, *OF_CACHES, *_MAIN) if name in self.layer.recipes]
        others = [name for name in ("B", "M") if name in self.layer.recipes]
        around = [name for name in made if is_of_block(name)]
        around += [name for name in made if "@" in name and self.problem.online]  # after each block of keys
        return [*usual, *others, *around, *filter(is_of_gradients, self.layer.recipes)]

    def _pattern(self) -> object:
        """Return the pattern of the weights, or with heads a list of those of each."""
        found = [None if pattern is None else pattern.as_json() for _, pattern in self.views]
        return found if self.problem.heads else found[0]

    def _problem(self) -> dict[str, object]:
        return {"title": self.problem.title, "source": self.problem.source, "kind": self.problem.kind}

    def _theorems(self) -> dict[str, object]:
        if not self.proofs:
            return {}
        return {"theorems": api_proofs.proofs_json(self.proofs)}

    def _label(self, name: str) -> str:
        """Return the declared name of a quantity, else how the key writes it (``L`` for scaled scores)."""
        return self.problem.names.get(name) or write_plain(self.scene.quantities[name].symbol)

    def _further(self) -> dict[str, object]:
        """Return the declarations of a problem beyond a plain layer."""
        problem = self.problem
        if not problem.beyond:
            return {}
        return {
            "order": list(problem.used),
            "score": problem.score,
            "mask": problem.mask.describe() if problem.mask is not None and problem.mask.hides else None,
            "bias": problem.bias.describe() if problem.bias is not None else None,
            "softmax_one": problem.softmax_one,
            "fully_masked": problem.fully_masked,
            "heads": problem.heads,
            "kv_heads": problem.kv_heads,
            "combine": problem.combine,
            **({} if problem.positions is None else {"positions": problem.positions.describe()}),
            **({"cached": problem.cached} if problem.cached else {}),
            **({"online": problem.online} if problem.online else {}),
            **({} if problem.block is None else {"block": problem.block.as_json()}),
        }

    def _scale(self) -> dict[str, str]:
        """Return the factor of the scores, and the temperature if one divides them."""
        scale = self.problem.scale
        if scale.kind == "temperature":
            return {"scale": f"1/({scale.text})", "temperature": scale.text}
        return {"scale": scale.text or scale.kind}

    def _statements(self) -> tuple[int, tuple[Caveat, ...]]:
        """Return the number of statements in the key, all proved, and of the warnings; too long numbers give one."""
        try:
            ledger = self.document().ledger
        except TooLongError as error:
            return 0, (*self.warnings, Caveat("no-key", self.problem.source, str(error)))
        return ledger.count, self.warnings

    def _convention(self) -> dict[str, object]:
        problem = self.problem
        return {
            "tokens": problem.tokens,
            "projection": problem.projection or None,
            "scores": problem.scores,
            "softmax": problem.softmax,
            **self._scale(),
            "outputs": problem.convention.outputs,
            **self._further(),
            "defaults": list(problem.defaults_used),
        }


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


class TheoryResult(Result):
    """The key of a problem without inputs: proofs and prose, no layer and no numbers.

    >>> result = solved(Problem.build(parts=[{"asks": "prose", "answer": "It is smooth."}]))
    >>> result.document().sections[0].blocks[0].source
    'It is smooth.'
    """

    def __init__(self, problem: Problem) -> None:
        """Take the problem; `solve` calls this."""
        self.problem = problem
        self.pattern = None

    def __repr__(self) -> str:
        """Return the source of the problem in words."""
        return f"<Result of {self.problem.title or 'a problem'}: {len(self.problem.parts)} parts, no numbers>"

    @property
    def layer(self) -> Layer:  # type: ignore[override]  # an attribute there; here there is none to give
        """Refuse: a problem of proofs lacks a layer.

        Raises:
            InputError: always; a problem without inputs lacks quantities.
        """
        raise InputError(f"{self.problem.source} has no inputs, so there are no quantities to compute.")

    @property
    def views(self) -> tuple[tuple[Layer, Pattern | None], ...]:  # type: ignore[override]  # an attribute there
        """Refuse: a problem of proofs lacks heads.

        Raises:
            InputError: always; a problem without inputs lacks heads.
        """
        return ((self.layer, None),)

    @cached_property
    def derivation(self) -> Working:
        """No steps: those of theorems are in `proofs`."""
        return Working(())

    @cached_property
    def warnings(self) -> tuple[Caveat, ...]:
        """Notes for the instructor, before the key is handed out."""
        return (*points_caveats(self.problem), *text_warnings(self.problem))

    def read_back(self, tex: str) -> list[Finding]:
        """Return every marked line of the proofs of a key, compared with what the record says at that place."""
        return self._proofs_read_back(tex)

    def _repr_latex_(self) -> str | None:  # type: ignore[override]  # no outputs to show
        return None

    def document(self, detail: Detail = "full", template: str = "article") -> Document:
        """Return the key before it is set."""
        return checked(theory_document(self.problem, known(detail), LINES.get(template, LINE), self.proofs))

    def numbers_json(self, rounding: Rounding | None = None) -> dict[str, object]:  # noqa: ARG002 - there are none
        """Return the theorems for machines."""
        count = self.document().ledger.count
        return {
            "format": FORMAT,
            "problem": self._problem(),
            **self._theorems(),
            "statements": {"total": count, "proved": count},
            "warnings": [warning.as_json() for warning in self.warnings],
        }


def solved(problem: Problem, carried: Mapping[str, Grid] | None = None) -> Result:
    """Return the result of a problem other than a batch, with inputs that come rounded from an earlier block.

    >>> p = Problem.build(Q=[[1, 0]], K=[[1, 0], [0, 1]], V=[[1], [2]], scale="none")
    >>> solved(p).A.rounded(2)
    [['0.73', '0.27']]
    """
    if problem.kind == THEORY:
        return TheoryResult(problem)
    layer = attention_layer(problem, carried)
    if problem.beyond:
        return _with_heads(problem, layer)
    pattern = attention_pattern(layer)
    if pattern is not None:
        layer = with_summaries(layer, pattern)
    return Result(problem, layer, pattern)


def _with_heads(problem: Problem, layer: Layer) -> Result:
    """Return the result of a layer that may have heads, each of which has a pattern of its own."""
    views = [(view, attention_pattern(view)) for view in layer_heads.heads_of(layer)]
    views = [(view if pattern is None else with_summaries(view, pattern), pattern) for view, pattern in views]
    if len(views) == 1 and views[0][0].recipes is layer.recipes:
        return Result(problem, *views[0])
    return Result(problem, layer_heads.with_summaries_of(layer, [view for view, _ in views]), None, tuple(views))
