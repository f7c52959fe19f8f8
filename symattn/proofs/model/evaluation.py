"""Values of formulas with expectations, derivatives and limits in one model."""

from __future__ import annotations

from collections.abc import Callable

from symattn.notation.tree import nodes as t
from symattn.proofs.language.interpretation import plain_name
from symattn.proofs.model.arithmetic import CTX, Array, Number, UndecidedError, Value, number
from symattn.proofs.model.expectations import Means
from symattn.proofs.model.limits_and_derivatives import coefficient, derivative, limit
from symattn.proofs.model.models import Place


class Evaluator(Means):
    """Evaluator of formulas of a scope in one model."""

    def special(self, name: str, arguments: tuple[t.Node, ...]) -> Value:
        """Return the value of a mean, a derivative or another word that looks at how its arguments depend on others."""
        words: dict[str, Callable[..., Value]] = {
            "E": self._mean,
            "Var": self._covariance,
            "Cov": self._covariance,
            "cdf": self._cdf,
            "density": self._density,
            "cumulant": self._cumulant,
            "diff": self._derivative,
            "lim": self._limit,
            "coefficient": self._coefficient,
        }
        return words[name](*arguments)

    def _along(self, body: t.Node, name: str, place: Place) -> Callable[[Number], Number]:
        def at(value: Number) -> Number:
            with self._changed(moved={(name, place): value}):
                return number(self._value(body))

        return at

    def _variable(self, node: t.Node) -> tuple[str, Place]:
        whole = plain_name(node)
        if whole in self.declared and not self.declared[whole].sizes:
            return self._free(whole, ())
        base = plain_name(node.base) if isinstance(node, t.Subscript) else None
        if base not in self.declared or not isinstance(node, t.Subscript):
            raise UndecidedError
        return self._free(base, self._places(node, len(self.declared[base].sizes)))

    def _free(self, name: str, place: Place) -> tuple[str, Place]:
        """Return a variable that no hypothesis ties to others."""
        if name in self._tied or self.declared[name].random:
            raise UndecidedError
        return name, place

    def _derivative(self, body: t.Node, variable: t.Node) -> Value:
        name, place = self._variable(variable)
        at = number(self._value(variable))
        is_boundary = self.declared[name].sign == "nonnegative" and not at
        value = self._value(body)
        if isinstance(value, Array):
            raise UndecidedError
        return self._noted(derivative(self._along(body, name, place), at, is_boundary=is_boundary, finer=self._scale))

    @property
    def _scale(self) -> int:
        """Return the factor by which steps are finer beside a value that was moved towards a limit."""
        return 22 * 3 ** (self._limits - 1) if self._limits else 0

    def _limit(self, variable: t.Node, target: t.Node, body: t.Node) -> Value:
        name, place = self._variable(variable)
        inner = target.body if isinstance(target, t.Negative) else target
        if inner == t.Name("oo"):
            goal: Number = -CTX.inf if isinstance(target, t.Negative) else CTX.inf
        else:
            goal = number(self._value(target))
        is_signed = self.declared[name].sign != "real"
        if is_signed and goal < 0:
            raise UndecidedError
        sides = (1,) if is_signed and not goal else (1, -1)
        self._limits += 1
        try:
            return self._noted(limit(self._along(body, name, place), goal, sides, self._limits - 1))
        finally:
            self._limits -= 1

    def _coefficient(self, body: t.Node, variable: t.Node, order: t.Node) -> Number:
        name, place = self._variable(variable)
        return coefficient(self._along(body, name, place), self._order(order))
