"""TRUSTED. Evident signs of formulas as they are written: exponentials, squares and sums of one sign.

A sign is read off, never computed: ``1/2 sum_i sum_j a_i a_j (v_i - v_j)^2`` is not negative where the
weights are not, because of how it is written. To show ``x <= y`` one writes ``y - x`` in such a way.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from symattn.errors import InputError
from symattn.exact.indexed.effort import spend
from symattn.exact.indexed.expectation import here
from symattn.exact.indexed.expression import Expr
from symattn.notation.tree import nodes as t
from symattn.proofs.language.interpretation import Language, plain_name, read_text
from symattn.proofs.language.signs import Sign, Signs, added, inverted, multiplied, negated, raised
from symattn.records import dataclass

_MAX_DEPTH = 30


@dataclass(frozen=True, slots=True)
class TreeSigns:
    """Known signs of formulas.

    Attributes:
        language: what the names mean.
        signs: known signs of the expressions that formulas come to.
        depth: how many sums and abbreviations stand around.
    """

    language: Language
    signs: Signs
    depth: int = 0

    @classmethod
    def of(cls, language: Language, known: Iterable[tuple[Expr, bool]] = (), positive: Iterable[str] = ()) -> TreeSigns:
        """Return the signs in the scope of a language: those declared, and those that hypotheses add."""
        return cls(language, Signs.of(language.scope, known, positive))

    def of_expr(self, expr: Expr) -> Sign | None:
        """Return the sign of an expression."""
        return self.signs.of_expr(expr)

    def of_tree(self, node: t.Node) -> Sign | None:
        """Return the sign that the written form shows."""
        if self.depth > _MAX_DEPTH:
            return None
        found = self._shown(node)
        if found is not None:
            return found
        value = self.language.value(node)
        return self.signs.of_expr(value) if isinstance(value, Expr) else None

    def _shown(self, node: t.Node) -> Sign | None:
        spend()
        match node:
            case t.Number():
                return "+" if node.value else "0"
            case t.Group(body) | t.Boxed(body):
                return self._shown(body)
            case t.SumOver(index, _, upper, body, ()):
                return self._of_sum(self.under(index.text).of_tree(body), upper)
            case t.Negative(body):
                return negated(self._shown(body))
            case t.Sum(terms, operators):
                signs = [self._shown(term) for term in terms]
                flipped = [s if op == "+" else negated(s) for s, op in zip(signs, ("+", *operators), strict=True)]
                return added(flipped) or self._known(node)
            case t.Product(factors):
                return multiplied([self._shown(factor) for factor in factors]) or self._known(node)
            case t.Division(above, below):
                return multiplied([self._shown(above), inverted(self._shown(below))])
            case t.Power(t.Name("e"), _) if "e" not in self.language.declared:
                return "+"
            case t.Call(t.Name("exp"), _):
                return "+"
            case t.Call(t.Name("E"), (body, *_)):
                # What is known for some outcomes only says nothing of a mean.
                return TreeSigns(self.language, replace(self.signs, known=()), self.depth + 1).of_tree(body)
            case t.Power(base, t.Number(text)) if text.isdecimal():
                return raised(self._shown(base), int(text)) or ("0+" if int(text) % 2 == 0 else None)
            case t.Root(body, None):
                return "+" if self._shown(body) == "+" else "0+"
            case t.Call(t.Name("norm" | "Var" | "abs"), _):
                return "0+"
            case t.Name() | t.Subscript():
                return self._of_name(node)
            case _:
                return None

    def _of_sum(self, term: Sign | None, upper: t.Node | None) -> Sign | None:
        """Return the sign of a sum whose terms have one sign; where it may have no terms, it may be zero."""
        if term in {"+", "-"} and (upper is None or self._shown(upper) != "+"):
            return "0+" if term == "+" else "0-"
        return term

    def _known(self, node: t.Node) -> Sign | None:
        """Return the sign of a part of which a hypothesis speaks, or that it has whichever indices are the same."""
        try:
            value = self.language.value(node)
        except InputError:
            return None
        return self.signs.of_expr(value) if isinstance(value, Expr) else None

    def _of_name(self, node: t.Name | t.Subscript) -> Sign | None:
        defined = self.language.defined
        name = plain_name(node)
        is_known = name in defined or name in self.language.declared or name in self.signs.atoms
        if isinstance(node, t.Subscript) and not is_known:
            name = plain_name(node.base)
        if name in self.signs.atoms:
            return self.signs.atoms[name]
        if name in defined:
            # What an abbreviation stands for has a sign; what the record says of it is not believed.
            item = defined[name]
            return self.under(*item.indices).of_tree(read_text(item.body, self.language.scope))
        return None

    def under(self, *indices: str) -> TreeSigns:
        """Return the signs inside a sum, where only those for every index are known."""
        known = tuple(
            item for item in self.signs.known if all(index == here() or index[0] == "@" for index in item[0].indices)
        )
        return TreeSigns(self.language.under(*indices), replace(self.signs, known=known), self.depth + 1)
