r"""Lenient names and calls: words, wrappers of programs, functions with or without brackets."""

from __future__ import annotations

from symattn.errors import NotationError
from symattn.notation import tree as t
from symattn.notation.operands import Item, as_operand, enclosed
from symattn.notation.parser import MARKS
from symattn.notation.precedence import calls, is_function, is_variance
from symattn.notation.side_base import SideBase
from symattn.notation.side_habits import is_matrix_like

_WRAPPERS = frozenset({"array", "tensor", "matrix", "Matrix", "FloatTensor", "Tensor", "asarray", "list", "tuple"})
_KEYWORDS = frozenset({"boxed", "root", "sum"})
_PREFIXED = (t.FUNCTIONS - {"concat"}) | {"sigmoid"}
_WITH_POWERS = frozenset({"sin", "cos", "tan", "tanh", "sinh", "cosh", "log", "ln"})
"""Functions whose powers are written on their names."""

_SPELLINGS = dict.fromkeys(("Softmax", "SoftMax", "softMax", "SOFTMAX", "rowsoftmax"), "softmax") | {
    "Softargmax": "softargmax", "SoftArgMax": "softargmax", "Exp": "exp", "Max": "max", "Min": "min", "Log": "log",
}  # fmt: skip


class SideNames(SideBase):
    """The grammar of names, and of the calls that they begin."""

    def word(self) -> Item:
        """Read a name, or a word of plain text that means more than a name."""
        token, following = self.here, self.peek().kind
        if self.plain and token.text == "sum" and following in {"below", "above"}:
            return self.sum_over()
        if self.plain and following == "open" and (token.text in _WRAPPERS or token.text in _KEYWORDS):
            return self._keyword()
        return self.name()

    def _keyword(self) -> Item:
        word = self.take()
        items, _ = self.list_items()
        span = (word.start, self.read_end)
        if word.text == "root" and len(items) == 2:
            return Item(t.Root(as_operand(items[1]), as_operand(items[0]), span=span), *span)
        if word.text == "sum":
            return Item(t.Call(t.Name("sum"), tuple(item.node for item in items), span=span), *span)
        if len(items) != 1:
            raise NotationError(f"{word.text} needs one thing in brackets here.", word.start)
        if word.text == "boxed":
            return Item(t.Boxed(items[0].node, span=span), *span)
        return Item(items[0].node, *span)

    def can_call(self, name: t.Name) -> bool:
        """Return True also for E before square brackets, a calligraphic N, and σ of something that has rows."""
        is_roman = name.text == "E" and name.font == "roman"
        if name.text == "sigma" or (calls(name, self.functions) and not is_roman):
            return True
        if self.here.kind != "open":
            return False
        if name.text == "E":
            return self.here.text == "[" or is_roman
        # The calligraphic N is that of the normal distribution.
        return is_variance(name) or (name.text == "N" and name.font == "calligraphic")

    def called(self, name: t.Name, start: int, end: int) -> Item:
        """Read a name, or the call that it begins; indices of the function's name are not kept."""
        name = t.Name(_SPELLINGS.get(name.text, name.text), name.font, span=name.span)
        if name.text == "sigma":
            return self._sigma(name) if self.here.kind == "open" else Item(name, start, end)
        if not self.can_call(name):
            return Item(name, start, end)
        name = t.Name("E", "blackboard", span=name.span) if name.text == "E" else name
        name = t.Name("Var", "roman", span=name.span) if is_variance(name) else name
        name = t.Name("normal", name.font, span=name.span) if name.text == "N" else name
        base, power = self._function_scripts(name)
        if self.here.kind == "open":
            item = self._call_of_brackets(name, start)
        elif self.starts_operand() and is_function(name.text, _PREFIXED):
            item = self.call_of_operand(name, start)
        else:
            return Item(name, start, end)
        if base is not None:
            divisor = t.Call(name, (base,), span=base.span)
            item = Item(t.Division(item.node, divisor, bar=False, span=(start, item.end)), start, item.end)
        if power is None:
            return item
        body = item.node if base is None else t.Group(item.node, "(", span=item.node.span)
        return Item(t.Power(body, power, span=(start, item.end)), start, item.end)

    def _function_scripts(self, name: t.Name) -> tuple[t.Node | None, t.Node | None]:
        r"""Skip the indices of a function's name; return the base of a logarithm and the 2 of ``\tanh^2``."""
        base: t.Node | None = None
        power: t.Node | None = None
        while self.here.kind in MARKS:
            mark = self.take()
            if mark.kind == "above" and not self.is_label():
                power = self._power_of_function(name, mark.start)
            elif mark.kind == "above":
                self.argument()
            elif mark.kind == "below":
                indices = self.index(Item(name, mark.start, mark.end))
                base = indices[0] if name.text == "log" else None
        return base, power

    def _power_of_function(self, name: t.Name, start: int) -> t.Node:
        r"""Read the exponent of ``\tanh^2 x``, the square of the value; an inverse is not read."""
        is_plain = self.here.kind == "number" and name.text in _WITH_POWERS
        power = self._digits() if is_plain else as_operand(self.argument())
        power = power.body if isinstance(power, t.Group) else power
        if name.text not in _WITH_POWERS or not isinstance(power, t.Number) or power.text not in {"2", "3", "4"}:
            raise NotationError(f"A power of {name.text} is not read: write brackets around the call.", start)
        return power

    def _digits(self) -> t.Node:
        token = self.take()
        return t.Number(token.text, span=(token.start, token.end))

    def _call_of_brackets(self, name: t.Name, start: int) -> Item:
        if name.text in t.MEANS:
            return self.mean(name, start)
        items, opened = self.list_items()
        span = (start, self.read_end)
        arguments = [item.node for item in items]
        if opened == "[" and len(items) > 1:
            arguments = [enclosed(items, "[", span)]
        return self.call(name, items, arguments, span)

    def call_of_operand(self, name: t.Name, start: int) -> Item:
        """Read the call of a function whose argument has no brackets, or only those inside of braces."""
        self.enter(start)
        is_braced = self.here.kind == "brace"
        item = self.scripted()
        self.leave()
        node = item.node
        if is_braced and isinstance(node, t.Group) and node.brackets == "(":
            node = node.body
        return self.call(name, [item._replace(node=node)], [node], (start, item.end))

    def _sigma(self, name: t.Name) -> Item:
        """Read σ: a softmax before a matrix or a list; a name before other brackets."""
        start = self.here.start
        items, opened = self.list_items()
        end = self.read_end
        span = (name.span[0] if name.span else start, end)
        body = enclosed(items, opened, (start, end))
        if any(map(is_matrix_like, (item.node for item in items))):
            softmax = t.Name("softmax", "roman", span=name.span)
            arguments = (body,) if isinstance(body, t.Matrix) else tuple(item.node for item in items)
            return Item(t.Call(softmax, arguments, span=span), *span)
        return Item(t.Product((name, as_operand(Item(body, start, end))), ("",), span=span), *span, braced=True)
