"""Pairing of the brackets of a formula; unpaired ones are left alone, and contents become one atom.

A wrapper around a whole statement (a layout environment, a box, a strike) is taken away instead, so that
the statement inside stands at the top level.
"""

from __future__ import annotations

from collections import Counter

from symattn.notation.statements.signs import LAYOUTS, STRIKES, Sign
from symattn.notation.tree import nodes as t

_BEFORE_WRAPPER = frozenset({"relation", "row", "cell", "comma", "stop", "space", "idle", "words", "begin"})
_BEFORE_STATEMENT = _BEFORE_WRAPPER - {"relation"}


def flatten(found: list[Sign], blanks: list[t.Span]) -> tuple[list[Sign], list[t.Span]]:
    """Return the signs of the top level, each bracket with its contents one atom; and the spans struck out.

    Wrappers that are taken away are added to `blanks`.
    """
    pairs = _pairs(found)
    parents = _parents(found, pairs)
    lifted = _lifted(found, pairs, parents)
    flat: list[Sign] = []
    struck: list[t.Span] = []
    position = 0
    lifted_ends = {pairs[opened] for opened in lifted}
    strike_ends = {pairs[opened] for opened in lifted if _command(found[opened]) in STRIKES}
    while position < len(found):
        sign, closed = found[position], pairs.get(position, -1)
        behind = [item for item in found[closed + 1 : closed + 3] if item.kind not in {"idle", "space"}][:1]
        if closed >= 0 and _is_replaced(sign, flat, behind, is_statement=position in lifted):
            blanks.append((sign.start, found[closed].end))
            position = closed + 1
        elif position in lifted or position in lifted_ends:
            columns = _columns(found, position)
            blanks.append((sign.start, found[position + columns].end))
            if closed in strike_ends:
                struck.append((sign.start, found[closed].end))
            if position in strike_ends:
                flat.append(Sign("row", sign.end, sign.end))
            position += 1 + columns
        elif closed >= 0:
            flat.append(Sign("atom", sign.start, found[closed].end, "group"))
            position = closed + 1
        else:
            flat.append(Sign("atom", sign.start, sign.end) if sign.kind in {"open", "close"} else sign)
            position += 1
    return flat, struck


def _is_replaced(strike: Sign, before: list[Sign], behind: list[Sign], *, is_statement: bool) -> bool:
    r"""Return True for a strike in a statement that goes on: ``= \cancel{4} 3``; a factor may be cancelled, too."""
    if _command(strike) not in STRIKES or not before or before[-1].kind in _BEFORE_STATEMENT:
        return False
    return is_statement or (before[-1].kind == "relation" and any(sign.kind == "atom" for sign in behind))


def _command(sign: Sign) -> str:
    return sign.value.removeprefix("brace").strip()


def _columns(found: list[Sign], position: int) -> int:
    r"""Count the signs of the column specification behind ``\begin{array}``, up to its closing brace."""
    opened = found[position]
    if opened.value not in {"\\array", "\\alignat", "\\alignedat", "\\IEEEeqnarray"} or opened.kind != "open":
        return 0
    if position + 1 >= len(found) or found[position + 1].value != "brace":
        return 0
    for end in range(position + 2, min(position + 60, len(found))):
        if found[end].kind == "close" and found[end].value == "brace":
            return end - position
    return 0


def _pairs(found: list[Sign]) -> dict[int, int]:
    """Map each opening sign to its closing sign. A bracket without a partner pairs with nothing.

    Round and square brackets may close each other, but not across a brace, an environment or a row end.
    """
    pairs: dict[int, int] = {}
    stack: list[int] = []
    waiting: Counter[str] = Counter()
    for position, sign in enumerate(found):
        if sign.kind == "open":
            stack.append(position)
            waiting[_family(sign)] += 1
        elif sign.kind == "row":
            while stack and found[stack[-1]].value == "soft":
                waiting[_family(found[stack.pop()])] -= 1
        elif sign.kind == "close":
            family = _family(sign)
            if not waiting[family] or (family == "soft" and found[stack[-1]].value != "soft"):
                continue
            while True:
                opened = stack.pop()
                waiting[_family(found[opened])] -= 1
                if _family(found[opened]) == family:
                    pairs[opened] = position
                    break
    return pairs


def _family(sign: Sign) -> str:
    return "brace" if sign.value.startswith("brace") else sign.value


def _parents(found: list[Sign], pairs: dict[int, int]) -> list[int]:
    """Return, for each sign, the opening sign of the innermost pair around it; -1 at the top level."""
    parents: list[int] = []
    stack: list[int] = []
    for position in range(len(found)):
        if stack and pairs[stack[-1]] == position:
            stack.pop()
        parents.append(stack[-1] if stack else -1)
        if position in pairs:
            stack.append(position)
    return parents


def _lifted(found: list[Sign], pairs: dict[int, int], parents: list[int]) -> set[int]:
    """Return the wrappers to remove: layout environments, and boxes and strikes that hold a relation."""
    holds: set[int] = set()
    for position, sign in enumerate(found):
        parent = parents[position]
        if sign.kind == "relation":
            while parent != -1 and parent not in holds and _wraps(found, parent):
                holds.add(parent)
                parent = parents[parent]
    lifted: set[int] = set()
    for opened in sorted(pairs):
        outer = parents[opened]
        if (outer == -1 or outer in lifted) and (opened in holds or _is_layout(found[opened])):
            lifted.add(opened)
    return lifted


def _is_layout(sign: Sign) -> bool:
    return sign.value.startswith("\\") and sign.value[1:] in LAYOUTS


def _wraps(found: list[Sign], opened: int) -> bool:
    sign = found[opened]
    if _is_layout(sign) or sign.value == "\\array" or sign.value.startswith("brace "):
        return True
    if sign.value != "brace":
        return False
    return opened == 0 or found[opened - 1].kind in _BEFORE_WRAPPER
