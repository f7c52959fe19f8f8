"""What the packages make together: a problem solved, its key proved, its numbers for machines."""

from __future__ import annotations

from dataclasses import fields
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from symattn.attention.cautions import Caution, points_of, warnings_of
from symattn.attention.chains import Detail
from symattn.attention.layer import Layer, attention_layer
from symattn.attention.pattern import Pattern, attention_pattern, with_summaries
from symattn.derivation.claims import Weights, weights_of
from symattn.derivation.quantity import Grid, Quantity
from symattn.derivation.recorded import Derivation
from symattn.derivation.scene import Scene
from symattn.derivation.steps import Replayed, Step, replay
from symattn.errors import InputError, TooLongError, UnprovedError
from symattn.exact.matrix import Matrix
from symattn.exact.quotient import Quotient
from symattn.exact.rounding import Rounding, decimals, magnitude
from symattn.notation.plain_writer import write_plain
from symattn.problem.conventions import THEORY
from symattn.problem.model import Problem
from symattn.rendering.document import Document, Proved
from symattn.rendering.key import key_document, theory_document
from symattn.rendering.measure import LINE
from symattn.rendering.readback import Finding, read_back, unproved
from symattn.rendering.templates import LINES, WITH_GIVEN, render

if TYPE_CHECKING:
    from collections.abc import Mapping

    from symattn.checking.report import Report as Findings
    from symattn.notation.documents import Format
    from symattn.rendering.report import Shown

    class Report(Shown, Findings):
        """Everything that was found in one piece of work: plain data that shows itself."""

        __slots__ = ()


FORMAT = 1
DETAILS = ("brief", "full", "every-product")

_MANY_DIGITS = 1000

_MAIN = ("Q", "K", "V", "S", "S_scaled", "E", "Z", "A", "O")


class Working(Derivation):
    """The steps of a solved problem, and their replay.

    >>> p = Problem.build(Q=[[1]], K=[[2]], V=[[3]], scale="none")
    >>> solve(p).derivation.is_proved
    True
    """

    def __init__(self, steps: tuple[Step, ...]) -> None:
        """Used by `Result.derivation`."""
        self._steps = steps

    @property
    def steps(self) -> tuple[Step, ...]:
        """The steps as plain data."""
        return self._steps

    @property
    def is_proved(self) -> bool:
        """Whether replay recomputes every step."""
        return all(found.proved for found in self.replay())

    def replay(self) -> tuple[Replayed, ...]:
        """Every step recomputed from the record alone."""
        return replay(self.steps)

    def as_json(self) -> list[dict[str, object]]:
        """The record, as JSON holds it."""
        return [step.as_json() for step in self.steps]


class Result:
    """A solved problem: exact matrices, the steps that lead to them, and the key.

    `S`, `A`, `O` and the others are exact matrices; `A.rounded(2)` are strings that are right by proof,
    `A.sympy()` is the closed form, `A.evaluate(50)` an mpmath matrix.

    >>> result = attention(Q=[[1, 0]], K=[[1, 0], [0, 1]], V=[[1], [2]], scale="none")
    >>> result.O.rounded(2)
    [['1.27']]
    """

    def __init__(self, problem: Problem, layer: Layer, pattern: Pattern | None) -> None:
        """Used by `solve`."""
        self.problem = problem
        self.layer = layer
        self.pattern = pattern

    def __repr__(self) -> str:
        """The shape of the map and how it is shown."""
        rows, columns = self.A.shape
        return f"<Result of {self.problem.title or 'a problem'}: {rows}×{columns} weights>"

    def __getitem__(self, name: str) -> Matrix:
        """The exact value of a quantity by its canonical name, e.g. ``result["S_scaled"]``."""
        if name not in self.layer.recipes:
            raise KeyError(f"There is no quantity {name!r}; there are {', '.join(self.layer.recipes)}.")
        return self.layer.exact(name)

    @property
    def Q(self) -> Matrix:
        """The queries."""
        return self.layer.exact("Q")

    @property
    def K(self) -> Matrix:
        """The keys."""
        return self.layer.exact("K")

    @property
    def V(self) -> Matrix:
        """The values."""
        return self.layer.exact("V")

    @property
    def S(self) -> Matrix:
        """The plain product of queries and keys; ``result["S_scaled"]`` has the scaled scores."""
        return self.layer.exact("S")

    @property
    def A(self) -> Matrix:
        """The weights, the attention map."""
        return self.layer.exact("A")

    @property
    def O(self) -> Matrix:  # noqa: E743
        """The outputs."""
        return self.layer.exact("O")

    @cached_property
    def derivation(self) -> Working:
        """The steps, as plain data that can be replayed."""
        return Working(self.layer.steps())

    @cached_property
    def warnings(self) -> tuple[Caution, ...]:
        """What an instructor should know before handing the key out."""
        return warnings_of(self.layer, self.pattern)

    def stepwise(self, name: str) -> list[list[str | None]]:
        """The values of somebody who rounds as the policy says at every step; None where undefined.

        >>> policy = {"places": 1, "steps": "all"}
        >>> result = attention(Q=[[1]], K=[[1], [2]], V=[[1], [3]], scale="none", rounding=policy)
        >>> result.stepwise("A"), result.O.rounded(1)
        ([['0.3', '0.7']], [['2.5']])
        """
        if name not in self.layer.recipes:
            raise KeyError(f"There is no quantity {name!r}; there are {', '.join(self.layer.recipes)}.")
        quantity = self.scene.quantities[name]
        return _digits(quantity.carried, quantity.rounding or quantity.display)

    @property
    def scene(self) -> Scene:
        """The quantities with their names bound, for the judge."""
        return self.layer.scene

    @cached_property
    def weights(self) -> Weights | None:
        """The weights that claims are about, None where a symbol leaves their order open."""
        return None if self.pattern is None else weights_of(self.layer.scene, self.layer.logits)

    def document(self, detail: Detail = "full", template: str = "article") -> Document:
        """The key before it is set, every statement of it proved.

        Raises:
            UnprovedError: a statement of our own that the judge does not prove; there is no key then.
            InputError: no such detail, or a part that cannot be answered.
        """
        document = _checked(
            key_document(
                self.layer,
                self.pattern,
                _known(detail),
                LINES.get(template, LINE),
                self.proofs,
                with_given=template in WITH_GIVEN,
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
            InputError: there is no such theorem, claim or parameter.
            UnprovedError: a step of ours is not proved.
        """
        if not any(part.needs_catalogue for part in self.problem.parts):
            return ()
        # start-up: most keys hold no theorem, and proofs need more than everything else together.
        from symattn.api_proofs import part_proofs

        return part_proofs(self.problem)

    def to_latex(self, template: str = "article", detail: Detail = "full") -> str:
        """The worked key as LaTeX source, every statement of it proved.

        Raises:
            UnprovedError: a statement of our own that the judge does not prove.
            InputError: no such template, or a part that cannot be answered.
        """
        return render(self.document(detail, template), template)

    def read_back(self, tex: str) -> list[Finding]:
        """Every judged line of a key, read from its source and judged again, strictly.

        The lines of proofs are compared with the record, which was replayed.

        >>> result = attention(Q=[[1, 0]], K=[[1, 0], [0, 1]], V=[[1], [2]], scale="none")
        >>> all(finding.proved for finding in result.read_back(result.to_latex()))
        True
        """
        return [*read_back(tex, self.scene, self.weights), *self._proofs_read_back(tex)]

    def _proofs_read_back(self, tex: str) -> list[Finding]:
        if not self.proofs:
            return []
        # start-up: most keys hold no theorem.
        from symattn.rendering.key_proofs import read_proofs

        return read_proofs(tex, self.proofs, (LINE, *LINES.values()))

    def _repr_latex_(self) -> str:
        """The outputs in closed form, for notebooks."""
        from symattn.derivation.closed_form import quotient_tree
        from symattn.notation import tree as t
        from symattn.rendering.latex import math

        rows = tuple(tuple(quotient_tree(value) for value in row) for row in self.O.rows)
        symbol = self.scene.quantities["O"].symbol
        return f"$\\displaystyle {math(t.Relation((symbol, t.Matrix(rows)), ('=',)))}$"

    def as_json(self, rounding: Rounding | None = None) -> dict[str, object]:
        """Everything for machines, as ``symattn solve --json`` prints it.

        Args:
            rounding: of the `decimal` values; the policy's own rounding where it is None.
        """
        statements, warnings = self._statements()
        return {
            "format": FORMAT,
            "problem": self._problem(),
            "convention": self._convention(),
            "policy": self.problem.policy.as_json(),
            "quantities": {
                name: quantity_json(self.scene.quantities[name], self._label(name), rounding)
                for name in _MAIN
                if name in self.scene.quantities
            },
            "pattern": None if self.pattern is None else self.pattern.as_json(),
            **self._theorems(),
            "statements": {"total": statements, "proved": statements},
            "warnings": [warning.as_json() for warning in warnings],
        }

    def _problem(self) -> dict[str, object]:
        return {"title": self.problem.title, "source": self.problem.source, "kind": self.problem.kind}

    def _theorems(self) -> dict[str, object]:
        if not self.proofs:
            return {}
        # start-up: most keys hold no theorem.
        from symattn.api_proofs import proofs_json

        return {"theorems": proofs_json(self.proofs)}

    def _label(self, name: str) -> str:
        """The declared name of a quantity, else how the key writes it (``L`` for scaled scores)."""
        return self.problem.names.get(name) or write_plain(self.scene.quantities[name].symbol)

    def _statements(self) -> tuple[int, tuple[Caution, ...]]:
        """How many statements the key makes, all proved, and the warnings; numbers too long for a key are one."""
        try:
            ledger = self.document().ledger
        except TooLongError as error:
            return 0, (*self.warnings, Caution("no-key", self.problem.source, str(error)))
        return ledger.count, self.warnings

    def _convention(self) -> dict[str, object]:
        problem = self.problem
        return {
            "tokens": problem.tokens,
            "projection": problem.projection or None,
            "scores": problem.scores,
            "softmax": problem.softmax,
            "scale": problem.scale.text or problem.scale.kind,
            "outputs": problem.convention.outputs,
            "defaults": list(problem.defaults_used),
        }


def _known(detail: Detail) -> Detail:
    if detail not in DETAILS:
        raise InputError(f"There is no detail {detail!r}: take {', '.join(DETAILS)}.")
    return detail


def _checked(document: Document) -> Document:
    """A document every proof of which was recomputed."""
    refused = [item.proof.name for item in document.ledger.proofs if not item.replayed.is_proved]
    if refused:
        raise UnprovedError(f"The proof of {refused[0]} was not recomputed, so there is no key.")
    return document


class TheoryResult(Result):
    """The key of a problem without inputs: proofs and prose, no layer and no numbers.

    >>> result = solve(Problem.build(parts=[{"asks": "prose", "answer": "It is smooth."}]))
    >>> result.document().sections[0].blocks[0].source
    'It is smooth.'
    """

    def __init__(self, problem: Problem) -> None:
        """Used by `solve`."""
        self.problem = problem
        self.pattern = None

    def __repr__(self) -> str:
        """What it is the key of."""
        return f"<Result of {self.problem.title or 'a problem'}: {len(self.problem.parts)} parts, no numbers>"

    @property
    def layer(self) -> Layer:  # type: ignore[override]  # an attribute there; here there is none to give
        """There is none.

        Raises:
            InputError: always; a problem without inputs has no quantities.
        """
        raise InputError(f"{self.problem.source} has no inputs, so there are no quantities to compute.")

    @cached_property
    def derivation(self) -> Working:
        """No steps: those of theorems are in `proofs`."""
        return Working(())

    @cached_property
    def warnings(self) -> tuple[Caution, ...]:
        """What an instructor should know before handing the key out."""
        return points_of(self.problem)

    def read_back(self, tex: str) -> list[Finding]:
        """Every marked line of the proofs of a key, compared with what the record says at that place."""
        return self._proofs_read_back(tex)

    def _repr_latex_(self) -> str | None:  # type: ignore[override]  # no outputs to show
        return None

    def document(self, detail: Detail = "full", template: str = "article") -> Document:
        """The key before it is set."""
        return _checked(theory_document(self.problem, _known(detail), LINES.get(template, LINE), self.proofs))

    def as_json(self, rounding: Rounding | None = None) -> dict[str, object]:  # noqa: ARG002 - there are no numbers
        """Everything for machines: what is proved."""
        count = self.document().ledger.count
        return {
            "format": FORMAT,
            "problem": self._problem(),
            **self._theorems(),
            "statements": {"total": count, "proved": count},
            "warnings": [warning.as_json() for warning in self.warnings],
        }


def quantity_json(quantity: Quantity, label: str, rounding: Rounding | None) -> dict[str, object]:
    """One quantity for machines: exact, decimal and step-rounded values as rows of strings."""
    return {
        "label": label,
        "shape": list(quantity.shape),
        "exact": [[str(value) for value in row] for row in quantity.exact.rows],
        "decimal": _digits(quantity.exact.rows, rounding or quantity.display),
        "stepwise": _digits(quantity.carried, quantity.rounding or quantity.display),
    }


def _digits(rows: Grid, rounding: Rounding) -> list[list[str | None]]:
    """Certified strings, null where a value is undefined, has a free symbol, or has thousands of digits."""
    wanted = [value for row in rows for value in row if _is_printable(value, rounding)]
    texts = iter(decimals([value for value in wanted if value is not None], rounding))
    return [[next(texts) if _is_printable(value, rounding) else None for value in row] for row in rows]


def _is_printable(value: Quotient | None, rounding: Rounding) -> bool:
    if value is None or value.symbols:
        return False
    # Only an exponential can be so large: plain rationals, and what is rounded to figures, are no concern.
    return rounding.places is None or value.plain_rational() is not None or magnitude(value) < _MANY_DIGITS


def solve(problem: Problem | str | Path) -> Result:
    """Solves a problem, or the problem of a file, exactly and under its rounding policy.

    >>> p = Problem.build(Q=[[1, 0]], K=[[1, 0], [0, 1]], V=[[1], [2]], scale="none")
    >>> solve(p).A.rounded(2)
    [['0.73', '0.27']]
    """
    if not isinstance(problem, Problem):
        problem = Problem.load(problem)
    if problem.kind == THEORY:
        return TheoryResult(problem)
    layer = attention_layer(problem)
    pattern = attention_pattern(layer)
    if pattern is not None:
        layer = with_summaries(layer, pattern)
    return Result(problem, layer, pattern)


def attention(**keys: object) -> Result:
    """Solves attention for inputs given from Python: the keys of a problem file, inputs among them.

    Args:
        keys: ``X, W_Q, W_K, W_V`` or ``X_1, X_2, W_Q, W_K, W_V`` or ``Q, K, V`` (n × d nested lists of
            integers, Fractions, Decimals and strings, or SymPy matrices), and ``scale``, ``tokens`` …

    >>> attention(Q=[["1/2"]], K=[[1], [0]], V=[[1], [0]], scale="none").A[0, 0]
    Quotient('exp(1/2)/(exp(1/2) + 1)')
    """
    return solve(Problem.build(**keys))


WORK_FORMATS: tuple[Format, ...] = ("tex", "md", "txt", "ipynb")
"""How people's work is written: LaTeX, Markdown, plain text, a notebook."""

MAX_WORK = 20_000_000
"""Bytes of a file of work; a notebook brings its pictures along."""

_WORK_ENDINGS = (".tex", ".md", ".txt", ".ipynb")


def check(
    problem: Problem | str | Path,
    work: str | Path,
    format: str = "",  # noqa: A002 (the word that people use)
    *,
    strict: bool = False,
    source: str = "",
) -> Report:
    """Checks somebody's work on a problem: every statement judged, the first mistake named.

    Args:
        problem: a problem, or the path of its file.
        work: the path of a file, or the text itself: a string of several lines, or one that names no file.
        format: ``"tex"``, ``"md"``, ``"txt"`` or ``"ipynb"``; by the ending of the file or the look of the text
            where it is empty.
        strict: accept the sheet's rounding alone.
        source: what to call the text in messages; with it, `work` is never taken for a path.

    Raises:
        InputError: the problem or the work cannot be read.
    """
    # start-up: solving needs nothing of this.
    from symattn.checking.check import check_text

    known = next((item for item in WORK_FORMATS if item == format), None)
    if format and known is None:
        raise InputError(f"There is no format {format!r}: take {', '.join(WORK_FORMATS)}.")
    if not isinstance(problem, Problem):
        problem = Problem.load(problem)
    if problem.kind == THEORY:
        raise InputError(
            f"{problem.source} has no inputs, so there are no numbers to check; check a proof with --theorem NAME."
        )
    text, written_as, source = _work(work, known, source)
    found = check_text(problem, text, written_as, source, strict=strict)
    return _report_class()(*(getattr(found, field.name) for field in fields(found)))


def _work(work: str | Path, known: Format | None, source: str) -> tuple[str, Format, str]:
    """The text of a work, how it is written, and its name."""
    if not source and (isinstance(work, Path) or _is_path(work)):
        path = Path(work)
        return _read_work(path), known or _format_of(path), str(path)
    text = str(work)
    return text, known or _format_by_look(text), source or "<work>"


def _format_of(path: Path) -> Format:
    # start-up: solving needs nothing of this.
    from symattn.notation.documents import format_of

    return format_of(path.name)


def _is_path(work: str) -> bool:
    if "\n" in work or not work:
        return False
    try:
        return Path(work).exists() or work.lower().endswith(_WORK_ENDINGS)
    except (OSError, ValueError):  # too long for a name, or a NUL in it
        return False


def _read_work(path: Path) -> str:
    try:
        with path.open("rb") as file:
            data = file.read(MAX_WORK + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"{path} cannot be read: {reason}.") from error
    return decode_work(data, str(path))


def decode_work(data: bytes, source: str) -> str:
    r"""The text of a work from its bytes, every line ended by ``\n``.

    Raises:
        InputError: more than `MAX_WORK` bytes, or not UTF-8.

    >>> decode_work(b"Q = 1\r\n", "work.md")
    'Q = 1\n'
    """
    if len(data) > MAX_WORK:
        raise InputError(f"{source} is larger than {MAX_WORK:,} bytes: leave out what is not the work.")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(f"{source}, line {line}: not UTF-8 text; save the file as UTF-8.") from error
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _format_by_look(text: str) -> Format:
    r"""The format of a text that has no name; Markdown holds plain text too.

    >>> _format_by_look("Q = 1"), _format_by_look("\\begin{document}"), _format_by_look(' {"cells": []}')
    ('md', 'tex', 'ipynb')
    """
    if "\\documentclass" in text or "\\begin{document}" in text:
        return "tex"
    return "ipynb" if text.lstrip()[:1] == "{" and '"cells"' in text else "md"


def _report_class() -> type[Report]:
    """The public `Report`, made when it is first asked for: the data of `checking` with the views of `rendering`."""
    found = globals().get("Report")
    if not isinstance(found, type):
        # start-up: solving needs nothing of this.
        from symattn.checking.report import Report as Findings
        from symattn.rendering.report import Shown

        words = "Everything that was found in one piece of work: plain data that shows itself."
        found = type("Report", (Shown, Findings), {"__slots__": (), "__doc__": words, "__module__": __name__})
        globals()["Report"] = found
    return found


def __getattr__(name: str) -> object:
    """`Report` is the one name that is not there from the start."""
    if name == "Report":
        return _report_class()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def to_json(record: Mapping[str, object]) -> str:
    """A record as JSON text, one key a line and each row of a matrix on a line of its own.

    >>> print(to_json({"format": 1}))
    {
      "format": 1
    }
    """
    # start-up: most runs make documents.
    import json

    return json.dumps(record, indent=2, ensure_ascii=False)


__all__ = ["DETAILS", "Derivation", "Report", "Result", "attention", "check", "quantity_json", "solve", "to_json"]
