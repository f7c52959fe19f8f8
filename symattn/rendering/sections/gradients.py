"""The backward pass of a key: from the gradient at the output to those at queries, keys, values, weights and inputs."""

from __future__ import annotations

from collections.abc import Callable

from symattn.exact.reals.special_values import UNDEFINED
from symattn.graph.builders.layer import Layer, base_of, is_of_gradients
from symattn.graph.forms.definitions import definitions, entry_forms
from symattn.graph.quantities import quantity as q
from symattn.graph.quantities.definition import GIVEN
from symattn.graph.quantities.scene import Whole, entry_of
from symattn.graph.quantities.statement import Statement
from symattn.graph.statements.chains import Detail
from symattn.notation.tree import nodes as t
from symattn.problem.components.gradients import gradients_of
from symattn.problem.model import Part
from symattn.problem.schema.fields import NETWORK, NETWORK_WEIGHTS
from symattn.problem.settings.parts import GRADIENT_OF
from symattn.rendering.content import Line
from symattn.rendering.latex.typesetting import math
from symattn.rendering.latex.widths import width
from symattn.rendering.sections.displays import Progress, SectionWriter, row_length
from symattn.rendering.sections.document import Block
from symattn.rendering.sentences import tell

_NORM_GRADIENTS = frozenset({"layer-norm-gradient", "rms-norm-gradient"})
_NORM = ("dY", "dgamma", "dbeta", "dN", "rho", "tau")

_OF_NORMS = frozenset(f"{base}_{number}" for base in ("dN", "rho", "tau") for number in "12")

_BEFORE_ACTIVATION = {f"F_{weight[3:]}" for weight, (takes, _) in NETWORK_WEIGHTS.items() if takes == "token"}

_AROUND = (
    frozenset({*(f"d{name}" for name in NETWORK if name not in _BEFORE_ACTIVATION), "F_slope", "dF_0", "dX_A"})
    | _OF_NORMS
)
"""What is worked out for the sake of others, and is not the answer."""


def _title_around(name: str) -> str:
    """Return the step of a backward pass that a gradient belongs to.

    >>> _title_around("dN_1"), _title_around("dW_F1"), _title_around("dR_2")
    ('norm', 'network', 'residual')
    """
    base, *_ = name.rpartition("_")
    if "F" in name:
        return "network"
    if base in _NORM:
        return "norm"
    return "residual" if base == "dR" else "inputs"


def _through_norm(layer: Layer, name: str) -> tuple[str, ...]:
    """Return the means of a norm and what it makes of a gradient, where a gradient belongs to the step of that norm."""
    base, _, number = name.rpartition("_")
    if base not in _NORM:
        return ()
    for made, quantity in layer.scene.quantities.items():
        rule, premises = quantity.definition.rule, quantity.definition.premises
        if rule in _NORM_GRADIENTS and premises[1] == f"N_{number}":
            return (*premises[2 : 4 if rule == "layer-norm-gradient" else 3], made)
    return ()


def _words_around(layer: Layer, name: str) -> str:
    """Return the introduction of a step; nothing where the formulas of a norm suffice."""
    names, words, block = layer.scene.quantities, layer.problem.words, layer.problem.block
    title = _title_around(name)
    if title == "network" and block is not None:
        return words.say(f"gradients.activation.{block.activation}")
    if title == "residual":
        return words.say("gradients.residual", sum=math(names[f"R_{name[-1]}"].symbol))
    return words.say("gradients.through_attention", symbol=math(names[name].symbol)) if name == "dX_A" else ""


_STEPS = (
    (("T", "P_O", "L"), "loss"),
    (("dO", "dC", "dH", "dW_O", "db_O"), "outputs"),
    (("dA",), "weights_of_attention"),
    (("D", "dS"), "softmax"),
    (("dS_scaled", "dS_uncapped"), "cap"),
    (("dW_S", "dG", "dQ_rot", "dQ", "dK_rot", "dK", "dK_new", "dV", "dV_new"), "queries"),
    (("dW_Q", "dW_K", "dW_V", "db_Q", "db_K", "db_V"), "weights"),
    (("dX_p", "dP", "dX", "dX_1", "dX_2"), "inputs"),
)
_BEFORE_VALUES = frozenset(
    {"dV_new", "dA", "D", "dS", "dS_scaled", "dS_uncapped", "dW_S", "dG", "dQ_rot", "dQ", "dK_rot", "dK", "dK_new"}
)
"""What stands between the output of a head and its keys, which the gradient at its values waits for."""

_ON_THE_WAY = frozenset(
    {"dO", "dC", "dH", "dA", "D", "P_O", "dS_scaled", "dS_uncapped", "dQ_rot", "dK_rot", "dX_p", *_AROUND}
)
"""What is worked out for the sake of others, and is not the answer."""

_IN_LOSSES = {"chances": "P_O", "labels": "T"}
"""Names of quantities in the sentences on losses."""


def makers_of(
    layer: Layer, detail: Detail, line: float, progress: Progress
) -> dict[str, Callable[[Part], list[Block]]]:
    """Return the functions that make the blocks of ``gradients`` and of each single gradient.

    Args:
        layer: the worked layer, all heads together.
        detail: how much is written out.
        line: the width of a line in points.
        progress: how far the key has come.
    """
    key = _GradientKey(layer, None, detail, line, progress)
    known = gradients_of(layer.problem)
    single = {f"{GRADIENT_OF}{name}": _single(key, name) for name in known}
    return {"gradients": lambda _: key.blocks(known), **single}


def _single(key: _GradientKey, name: str) -> Callable[[Part], list[Block]]:
    return lambda _: key.blocks((name,))


class _GradientKey(SectionWriter):
    """The pieces of a backward pass; what was shown once is not shown again."""

    def blocks(self, names: tuple[str, ...]) -> list[Block]:
        """Return some gradients, each after those that it is made of."""
        wanted = [name for name in self._with_premises(names) if (name, 0) not in self.progress.added]
        self.progress.added.update((name, 0) for name in wanted)
        blocks: list[Block] = []
        title = ""
        for name in wanted:
            own = self._title(name)
            if own != title:
                blocks.extend([self.step(own), *self._said(name)])
                title = own
            blocks.extend(self._quantity(name))
        return blocks

    def _with_premises(self, names: tuple[str, ...]) -> list[str]:
        recipes = self.layer.recipes
        found = {name for name in recipes if base_of(name) in names}
        waiting = list(found)
        while waiting:
            for premise in recipes[waiting.pop()].premises:
                if is_of_gradients(premise) and premise not in found:
                    found.add(premise)
                    waiting.append(premise)
        if self.start in found and self._has_loss():
            found.add("L")
        # The loss comes before its gradient, which is given where the loss is a sum.
        ordered = sorted((name for name in recipes if name in found), key=lambda name: self._step(name) != "loss")
        return _values_last(ordered)

    def _title(self, name: str) -> str:
        base, _, head = name.partition("^")
        title = self.words.say(f"gradients.steps.{self._step(name)}", number=base.rpartition("_")[2])
        if not head or base == "dH":
            return title
        return self.words.say("step.of_head", title=title, head=self.words.say("step.head", number=head))

    @staticmethod
    def _step(name: str) -> str:
        """Return the step of the backward pass that a gradient belongs to, by its key in the catalogue."""
        base = base_of(name)
        return next((step for bases, step in _STEPS if base in bases), "") or _title_around(base)

    def _said(self, name: str) -> list[Block]:
        """Return the introduction of a step."""
        said = self._said_around(name) if self.problem.block is not None else []
        return [*said, *self._said_of_attention(name)]

    @property
    def start(self) -> str:
        """The gradient at the output, where the pass starts."""
        return f"d{self.layer.output}"

    def _said_around(self, name: str) -> list[Block]:
        words, formulas = _words_around(self.layer, name), _through_norm(self.layer, name)
        blocks = [Block("prose", (words,))] if words else []
        if formulas and all(map(self.write.is_defined, formulas)):
            blocks.append(Block("prose", (self.words.say("gradients.norm"),)))
            blocks.append(self.grid([self._all_entries(made) for made in formulas], 1))
        return blocks

    def _said_of_attention(self, name: str) -> list[Block]:
        base = base_of(name)
        if base in {"T", self.start, "P_O", "L"}:
            return [] if (base == self.start and self._has_loss()) else [Block("prose", (self._loss(),))]
        if base == "dX" and self.problem.block is None:
            return [Block("prose", (self.words.say("gradients.inputs"),))]
        if self._step(name) == "queries" and self.problem.cached:
            return [Block("prose", (self.words.say("gradients.cached"),))]
        if base in {"dS_scaled", "dS_uncapped"}:
            return [self._said_of_cap(name)]
        if base not in {"D", "dS"}:
            return []
        own = name.removeprefix(base)
        lines: list[Line] = tell(
            self.words,
            "gradients.softmax",
            entries=[self._of_all(f"{letter}{own}") for letter in ("D", "dS")],
            sum=math(self._subject(f"D{own}")),
        )
        if self.problem.scale.kind != "none":
            symbol = math(self.layer.scene.quantities[f"dS{own}"].symbol)
            lines.append(self.words.say("gradients.after_scale", symbol=symbol))
        if "mask" in self.problem.used:
            lines.append(self.words.say("gradients.hidden"))
        return [Block("prose", tuple(lines))]

    def _said_of_cap(self, name: str) -> Block:
        """Return the derivative of the soft cap, and how it is had from the capped scores."""
        quantities, own = self.layer.scene.quantities, name.partition("^")[2]
        cap = math(quantities["cap"].symbol)
        capped = math(quantities[f"S_capped^{own}" if own else "S_capped"].entry_symbol)
        values = {"cap": cap, "capped": f"{capped}_{{i,j}}", "entries": self._of_all(name)}
        return Block("prose", tuple(tell(self.words, "gradients.cap", **values)))

    def _has_loss(self) -> bool:
        return "L" in self.layer.recipes

    def _loss(self) -> str:
        known, gradient = self.layer.scene.quantities, self.problem.gradient
        symbols = {word: math(known[name].symbol) for word, name in _IN_LOSSES.items() if name in known}
        loss, block = ("given", 0) if gradient is None else (gradient.loss, gradient.next_block)
        output = math(known[self.layer.output].symbol)
        if block:
            return self.words.say("losses.of_next_block", output=output, block=block)
        is_closed = "P_O" not in self.layer.recipes or all(value.is_closed for value in self.layer.exact("P_O"))
        return self.words.say(f"losses.{loss}{'' if is_closed else '-enclosed'}", output=output, **symbols)

    def _subject(self, name: str) -> t.Node:
        quantity = self.layer.scene.quantities[name]
        line = self._line_index(quantity)
        indices = (t.Name(line), t.Name(line)) if quantity.vector else (t.Name("i"), t.Name("j"))
        return entry_of(quantity, *indices)

    def _line_index(self, quantity: q.Quantity) -> str:
        """Return the letter of a line: of the tokens for a norm, of the softmax else."""
        definition = quantity.definition
        axis = definition.axis if definition.rule in {"line-mean", "line-mean-dot"} else self.layer.axis
        return "i" if axis == "rows" else "j"

    def _of_all(self, name: str) -> Statement:
        return self.stated(self._all_entries(name))

    def _all_entries(self, name: str) -> Statement:
        """Return the definition of an entry, for all lines and all entries at once."""
        quantity, subject = self.layer.scene.quantities[name], self._subject(name)
        names = ("i", "j") if not quantity.vector else (self._line_index(quantity),)
        indices = (t.Name(names[0]), t.Name(names[-1]))
        form = entry_forms(self.layer.scene, quantity, *indices)[0]
        ranges = tuple(zip(names, quantity.shape, strict=False))
        return Statement(subject, t.Relation((subject, form), ("=",)), "exact", None, ranges)

    # One quantity ----------------------------------------------------------------------------------

    def _quantity(self, name: str) -> list[Block]:
        quantity = self.layer.scene.quantities[name]
        blocks: list[Block] = []
        is_exact, is_whole = self.write.valuation(name) == "exact", self.write.is_defined(name)
        if name == "L":
            return [self.display(self.write.loss())] if is_whole else []
        if quantity.definition.rule == GIVEN and quantity.form is None:
            return [self.values(name)]
        has_form = bool(definitions(self.layer.scene, Whole(name)))
        is_displayed = is_whole and not is_exact
        entries = self._entries(name, is_displayed=is_displayed)
        is_answer = is_displayed and base_of(name) not in _ON_THE_WAY
        if has_form and not (is_answer and self.detail != "every-product"):
            blocks.append(self._whole(name, values=is_whole and not (is_exact and self._is_long(name))))
        if not is_answer:
            return [*blocks, *([self.values(name)] if is_displayed and not has_form else []), *entries]
        result = self.result(name, with_definition=has_form)
        answer = [*blocks, *entries, *result] if self.detail == "every-product" else [*result, *entries]
        return [*answer, *self.comparison((name,), ())]

    def _whole(self, name: str, *, values: bool) -> Block:
        """Return the definition, and the value where it is none of those that follow entry by entry."""
        shows = values and base_of(name) in _ON_THE_WAY
        put_in = values and self.detail != "brief"
        return self.display(self.fitting(lambda shown: self.write.whole(name, shown, operands=put_in, values=shows)))

    def _is_long(self, name: str) -> bool:
        """Return whether a closed form with symbols may fill pages, as all but polynomials may."""
        return any(value is UNDEFINED or value.polynomial() is None for value in self.layer.exact(name))

    def _entries(self, name: str, *, is_displayed: bool) -> list[Block]:
        if self.layer.scene.quantities[name].definition.rule in {"part", "join", "share"}:
            return []
        if is_displayed and self.detail == "full" and self.layer.scene.quantities[name].head > 1:
            return []  # the first head shows how
        places = [place for place in self.places(name) if self.is_defined(name, *place)]
        items = [self._entry(name, *place) for place in places]
        kept = [item for item in items if all(width(side) <= self.line - 60 or _breaks(side) for side in item.sides)]
        is_left_out = len(kept) < self.layer.exact(name).shape[0] * self.layer.exact(name).shape[1]
        is_short = is_left_out and self.write.is_defined(name)
        return self.worked(kept, row_length(places), is_displayed=is_displayed, is_short=is_short)

    def _entry(self, name: str, row: int, column: int) -> Statement:
        if self.write.valuation(name) != "exact" or not self._is_long(name):
            return self.write.entry(name, row, column, digits=True)
        # A closed form in symbols would fill pages; the names say how it is made.
        quantity = self.layer.scene.quantities[name]
        subject = entry_of(quantity, row, column)
        form = entry_forms(self.layer.scene, quantity, row, column)[0]
        return self.write.chain(subject, [subject, form], "exact")


def _values_last(names: list[str]) -> list[str]:
    """Return the gradients with those at the values of a head behind those at its queries and keys.

    >>> _values_last(["dO", "dV^1", "dA^1", "dQ^1", "dK^1", "dV^2", "dQ^2", "dQ", "dW_Q"])
    ['dO', 'dA^1', 'dQ^1', 'dK^1', 'dV^1', 'dQ^2', 'dV^2', 'dQ', 'dW_Q']
    """
    found: list[str] = []
    waiting: list[str] = []
    for name in names:
        starts = base_of(name) == "dV" or base_of(name) not in _BEFORE_VALUES
        starts = starts or any(name.partition("^")[2] != item.partition("^")[2] for item in waiting)
        found += waiting if starts else []
        waiting = [] if starts else waiting
        (waiting if base_of(name) in {"dV", "dV_new"} else found).append(name)
    return [*found, *waiting]


def _breaks(side: t.Node) -> bool:
    """Return whether a wide side can be set over several lines."""
    return isinstance(side, t.Sum)
