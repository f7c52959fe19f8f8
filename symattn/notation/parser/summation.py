r"""TRUSTED. Sums over indices: bounds, exclusions, several indices below one sign.

``\sum_{j=1}^{n}``, ``\sum_j``, ``\sum_{i,j}``, ``\sum_{j \neq i}``, ``\sum_{l=1, l \neq j}^{n}``,
``\sum_{j \notin \{a,b\}}``, ``\sum_{j \le i}``.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from symattn.errors import NotationError
from symattn.notation.lexer.tokens import Token
from symattn.notation.parser.operands import Item, as_operand
from symattn.notation.parser.scripts import ScriptParser
from symattn.notation.tree import limits
from symattn.notation.tree import nodes as t
from symattn.notation.tree.precedence import is_pair
from symattn.notation.tree.traversal import walk

_CONDITIONS = frozenset({"=", "≠", "≤", "∉"})


@dataclass(slots=True)
class Run:
    """One index of a sum while its conditions are read; mutable."""

    name: t.Name
    lower: t.Node | None = None
    upper: t.Node | None = None
    excluded: list[t.Node] = field(default_factory=list)
    is_short: bool = False  # only ``i ≠ j`` says that it runs
    start: int = 0


class SumParser(ScriptParser):
    """The grammar of formulas with sums over an index."""

    def sum_over(self) -> Item:
        """Read a sum over one index or more; its body goes to the next plus or minus.

        In people's work a sign with neither an index nor a body is a name.
        """
        opened = self.take()
        if self.lenient and self.here.kind not in {"above", "below"} and not self.starts_operand():
            return Item.of(t.Name("sum", span=opened.span))
        runs, upper = self._bounds(opened)
        if not runs:
            raise NotationError(
                "A sum needs its index, as in sum over j=1 to n: write it below the sign.", opened.start
            )
        return self._summed(opened, runs, upper)

    # Bounds --------------------------------------------------------------------------------------

    def _bounds(self, opened: Token) -> tuple[list[Run], t.Node | None]:
        """Read the indices of a sum with their conditions, and their upper bound, as far as it is written."""
        runs: list[Run] = []
        upper: t.Node | None = None
        while self.here.kind in {"above", "below"}:
            mark = self.take()
            if upper is not None if mark.kind == "above" else runs:
                raise NotationError("This sum has two bounds on one side.", mark.start)
            if mark.kind == "below":
                runs = self._indices()
                continue
            found = self.exponent(Item(t.Name("sum"), *opened.span))
            if isinstance(found, str):
                raise NotationError("A sum does not end at a transpose: write where its index ends.", mark.start)
            upper = found
        return runs, upper

    def _indices(self) -> list[Run]:
        """Read the indices below the sign, in brackets or braces or not."""
        opened = self.here
        if not self.opens_index(opened):
            return [self._bare_run()]
        self.take()
        runs = self._conditions()
        self.close(opened)
        return runs

    def _bare_run(self) -> Run:
        """Read ``j=1``, or ``j`` alone, without brackets around it."""
        is_name_alone = self.lenient and not self.words
        item = self.argument() if is_name_alone else self.primary()
        run = Run(_index(item), start=item.start)
        if not is_name_alone and self.here.kind == "relation" and self.here.text == "=":
            self.take()
            run.lower = as_operand(self.expression())
        return run

    def _conditions(self) -> list[Run]:
        """Read indices and conditions with commas between them."""
        runs: list[Run] = []
        excluding = self._condition(runs, None)
        count = 1
        while self.here.kind == "comma":
            self.take()
            excluding = self._condition(runs, excluding)
            count += 1
            self.limit(count, "conditions")
        return runs

    def _condition(self, runs: list[Run], excluding: Run | None) -> Run | None:
        """Read one condition; behind ``j ≠ a`` a further expression is excluded too. Return the index of such."""
        item = self.expression()
        sign = self.here
        if sign.kind not in {"relation", "notin"}:
            if excluding is not None:
                excluding.excluded.append(as_operand(item))
                return excluding
            self._run(runs, item, is_new=True)
            return None
        if sign.text not in _CONDITIONS:
            raise NotationError("A sum over a set or a condition is not read: write its bounds.", sign.start)
        is_short = sign.text == "≠" and all(run.name != item.node for run in runs)
        run = self._run(runs, item)
        run.is_short |= is_short
        self.take()
        value = self.expression()
        if sign.text == "≠":
            return _exclude(runs, run, value)
        if sign.text == "∉":
            run.excluded.extend(_members(value))
        elif sign.text == "≤":
            run.upper = self._once(run.upper, value)
        else:
            run.lower = self._once(run.lower, value)
        return None

    def _run(self, runs: list[Run], item: Item, *, is_new: bool = False) -> Run:
        name = _index(item)
        found = next((run for run in runs if run.name == name), None)
        if found is not None and is_new:
            raise NotationError(f"The index {name.text[:30]} stands twice below this sum.", item.start)
        if found is None:
            if len(runs) >= limits.MAX_NESTING:
                raise NotationError(f"This sum has more than {limits.MAX_NESTING} indices.", item.start)
            found = Run(name, start=item.start)
            runs.append(found)
        return found

    def _once(self, known: t.Node | None, value: Item) -> t.Node:
        if known is not None:
            raise NotationError("This sum has two bounds on one side.", value.start)
        return as_operand(value)

    # The whole sum -------------------------------------------------------------------------------

    def _summed(self, opened: Token, runs: list[Run], upper: t.Node | None) -> Item:
        """Read the body of a sum, and build the sum."""
        for run in runs:
            self._settle_bounds(run, upper)
        names = [run.name.text for run in runs]
        self.enter(opened.start)
        self.summing.extend(names)
        item = self.term()
        del self.summing[len(self.summing) - len(names) :]
        self.leave()
        body = self.held(item, (t.Relation, t.Sum))
        span = (opened.start, item.end)
        for run in reversed(self._with_pair(runs, body)):
            body = t.SumOver(run.name, run.lower, run.upper, body, tuple(run.excluded), span=span)
        return Item(body, *span)

    def _settle_bounds(self, run: Run, upper: t.Node | None) -> None:
        """Settle the bounds of an index: both are known, or neither; people let one with a lower bound go to n."""
        if self.lenient and upper is None and run.upper is None and run.lower is not None:
            upper = t.Name("n")
        if run.upper is not None and upper is not None:
            raise NotationError("This sum has two bounds on one side.", run.start)
        run.upper = upper if run.upper is None else run.upper
        if run.upper is not None and run.lower is None:
            run.lower = t.Number("1")
        if run.upper is None and run.lower is not None:
            raise NotationError("A sum needs both bounds or none, from j=1 below to n above.", run.start)

    def _with_pair(self, runs: list[Run], body: t.Node) -> list[Run]:
        r"""Let both indices of ``\sum_{i \neq j} a_{ij}`` run, in their alphabetical order, if no other sum binds j."""
        first = runs[0]
        if len(runs) > 1 or not first.is_short or not is_pair(first.name, tuple(first.excluded)):
            return runs
        second = first.excluded[0]
        if not isinstance(second, t.Name) or second.text in self.summing or not _mentions(body, second.text):
            return runs
        reason = "Of two indices that differ both run or only the first: write a sum sign for each."
        if self.lenient and self.unclear("pair", reason, first.start):
            return runs
        outer = Run(first.name, first.lower, first.upper)
        return [outer, Run(second, first.lower, first.upper, [first.name])]


def _index(item: Item) -> t.Name:
    if not isinstance(item.node, t.Name):
        raise NotationError("The index of a sum must be a name.", item.start)
    return item.node


def _exclude(runs: list[Run], run: Run, value: Item) -> Run:
    """Record a value that an index excludes; of two indices of one sum the inner one excludes the other."""
    names = [other.name for other in runs]
    node = as_operand(value)
    if isinstance(node, t.Name) and node in names and names.index(node) > names.index(run.name):
        run, node = runs[names.index(node)], run.name
    run.excluded.append(node)
    return run


def _members(item: Item) -> tuple[t.Node, ...]:
    """Return the members of a set that is written out."""
    node = item.node
    if isinstance(node, t.Vector) and node.brackets == "{":
        return tuple(as_operand(Item(member, *(member.span or (item.start, item.end)))) for member in node.items)
    if isinstance(node, t.Group) and node.brackets == "{":
        return (as_operand(Item(node.body, item.start, item.end)),)
    raise NotationError("A sum over a set is read only where its members are written out in braces.", item.start)


def _mentions(node: t.Node, name: str) -> bool:
    return any(isinstance(item, t.Name) and item.text == name for item in walk(node))
