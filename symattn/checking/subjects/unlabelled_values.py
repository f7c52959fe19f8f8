"""Inference of the quantity of unlabelled numbers, from words, a formula or a program's line above them.

Where the words may mean several things, the one that the numbers fit is meant.
"""

from __future__ import annotations

import re

from symattn import late
from symattn.checking.context import GradingContext
from symattn.checking.expressions.expression_kinds import has_list, has_numbers
from symattn.checking.expressions.numerals import bare, figure, is_dash, is_minus_infinity
from symattn.checking.graph.quantities import scores_of
from symattn.checking.graph.targets import Target, whole
from symattn.checking.names.keywords import cue, is_clear, last_clause, statistic
from symattn.checking.names.lexicon import SCORES, spelt
from symattn.checking.subjects.disambiguation import Disambiguation, is_line
from symattn.notation.lexicon.lines import number_in_front, number_of_label
from symattn.notation.lexicon.reader import said
from symattn.notation.sides.reader import read_side
from symattn.notation.submission import SAID_ABOVE, Written
from symattn.notation.tree import nodes as t
from symattn.notation.tree.traversal import walk
from symattn.operations.formulas.formula import Ref, is_of, parts
from symattn.problem.settings.conventions import DEFINED
from symattn.records import dataclass

_LONGEST = 90
"""Characters of words that stand over numbers as their label."""

_SHOWN = late.pattern(
    r"(?:print|display|pprint|round)?\(?(?:(?:np|torch|jnp)\.(?:round|around)\()?"
    r"(?P<name>[A-Za-z_]\w{0,40})(?:\.round)?(?:,[ \t]*[0-9])?(?:\([0-9]?\))?[)\s;:]*"
)
_ASSIGNED = late.pattern(r"^\s*[A-Za-z_]\w{0,30} ?= ?")
_ROUNDED = late.pattern(r"(?:np\.)?round\((?P<inside>[^\n]{1,60}), ?[0-9]\)")
_FORMULA = late.pattern(r"[A-Za-z√(][A-Za-z0-9_^*·@×/√().,{}\\ \t'-]{1,60}")
_WORD = late.pattern(r"[A-Za-z]{3,}")
_FUNCTIONS = frozenset({"exp", "sqrt", "softmax", "softargmax", "QKT", "matmul", "transpose"})
_LABELS = late.pattern(r"(?:[,;\s]{0,20}[A-Za-z]{1,8}_?[0-9]{1,2}){1,40}[\s,;]*")
_HTML_CELL = late.pattern(r"</?t[dhr]\b", re.IGNORECASE)
_REMARK = late.pattern(r"\s*\((?:[a-z]{2,12} ?){1,4}\)|\s*:\s*$|\s*=\s*$")


@dataclass(frozen=True, slots=True)
class Said:
    """Words above numbers, with their possible meanings; those of a title hold until the next title."""

    words: str
    names: tuple[str, ...] | None
    is_title: bool


class UnlabelledValues:
    """Inference of the quantity of unlabelled numbers."""

    def __init__(self, context: GradingContext, disambiguation: Disambiguation) -> None:
        self.context = context
        self.disambiguation = disambiguation
        self.title = Said("", None, is_title=True)
        self.label: Said | None = None
        self.above: Target | None = None
        self.rows = 0
        self.taken: Target | None = None

    # What was said -----------------------------------------------------------------------------------

    def titled(self, words: str) -> None:
        """Record a heading."""
        self.title, self.label, self.above, self.rows = Said(words, cue(words), is_title=True), None, None, 0

    def heard(self, words: str, start: int) -> None:
        """Record prose: its last sentence, where that speaks of something; labels of tables are none."""
        if self._is_in_table(start):
            return
        self.above = None
        clause = last_clause(words)
        names = cue(clause)
        is_code = _SHOWN.fullmatch(clause) is not None or self._is_formula(clause)
        if names is not None or is_code:
            self.label, self.rows = Said(clause, names, is_title=False), 0
        elif len(words.split()) > _LABEL_WORDS:
            self.label, self.rows = None, 0

    def read(self, written: Written, target: Target | None) -> None:
        """Record a chain: numbers right below a formula are its value."""
        last = written.sides[-1]
        is_value = last is not None and last.node is not None and (has_list(last.node) or figure(last.node) is not None)
        self.above = None if is_value or last is None or last.node is None or written.withdrawn else target

    def _is_in_table(self, start: int) -> bool:
        text = self.context.work.text
        end = text.find("\n", start)
        line = text[text.rfind("\n", 0, start) + 1 : len(text) if end < 0 else end].lstrip(" \t>")
        is_cell = line.startswith(("|", "&", "<t")) or " & " in line or _HTML_CELL.search(line) is not None
        return is_cell or _LABELS.fullmatch(line) is not None

    # What numbers are about ----------------------------------------------------------------------------

    def of(self, nodes: list[t.Node], *, is_leading: bool) -> Target | None:
        """Return the target of a chain of numbers, perhaps behind a label; None where nothing says it.

        Args:
            nodes: its sides.
            is_leading: whether it does not continue the chain before it.
        """
        literal = nodes[-1] if nodes else None
        if literal is None or not is_leading or not self._is_literal(literal):
            return None
        label = nodes[0] if len(nodes) > 1 else None
        if len(nodes) > 2 and not all(map(self._is_closed, nodes[1:])):
            return None
        above, self.above = self.above, None
        shape = self.context.shape(literal)
        if shape is None or (shape == (1, 1) and label is None and not self._leads_to_number()):
            return None
        if label is None and above is not None and above.in_shape(shape) is not None:
            return above
        if label is not None and not self._may_be_label(label):
            return None
        if label is None or not _is_table(label):
            words = "" if label is None else _words_of(label, self.context)
            return self._said(literal, shape, words, is_table=False)
        is_turned = isinstance(label, t.Subscript) and self.context.binder.is_turned(label.indices[0])
        if not is_turned or not isinstance(literal, t.Matrix):
            return self._said(literal, shape, "", is_table=True)
        turned = t.Matrix(tuple(zip(*literal.rows, strict=True)), span=literal.span)
        found = self._said(turned, shape[::-1], "", is_table=True)
        return None if found is None else found.transposed

    @property
    def is_other(self) -> bool:
        """True if the words above speak of a quantity outside the problem: ``After dropout the weights are``."""
        return (self.label or self.title).names == ()

    def fitting(self, target: Target | None, nodes: list[t.Node]) -> Target | None:
        """Return a target whose numbers these are; None where they are not."""
        return target if target is not None and self.disambiguation.fits(nodes[-1], target) else None

    def of_words(self, phrase: str, literal: t.Node) -> Target | None:
        """Return the target of a short phrase before a list of numbers: ``Softmax: 0.49, 0.02, 0.49``."""
        names = (cue(phrase) or self._statistic(phrase)) if len(phrase.split()) <= _PHRASE_WORDS else None
        shape = self.context.shape(literal)
        if not names or shape is None or shape == (1, 1):
            return None
        self.rows = 0
        return self._best(self._targets(names, shape, None, literal), literal)

    def _statistic(self, phrase: str) -> tuple[str, ...] | None:
        """Return the mean or the variance that a phrase names, where the problem has a single norm."""
        return statistic(phrase) if "mu_2" not in self.context.graph else None

    def of_heads(self, matrices: list[t.Node]) -> list[Target]:
        """Return the targets of one matrix per head; nothing where neither words nor numbers say it."""
        said = self.label or self.title
        names = said.names if said.names is not None else self.title.names
        if names == () or len(matrices) != self.context.binder.heads.count:
            return []
        kept = ["H" if name == "O" else name for name in names or ()]
        bases = [base for base in kept if base in self.context.binder.heads.bases]
        every = [base for base in sorted(self.context.binder.heads.bases) if self._of_each(base, matrices) is not None]
        made = [base for base in every if self.context.graph.nodes[f"{base}^1"].formula is not None]
        found = [targets for base in bases or made if (targets := self._of_each(base, matrices)) is not None]
        shares = [(self._shared(matrices, targets), -k) for k, targets in enumerate(found)]
        if not shares:
            return []
        best, place = max(shares)
        is_alone = [share for share, _ in shares].count(best) == 1
        return found[-place] if (best >= _NEARLY and is_alone) or (bases and best > 0) else []

    def _of_each(self, base: str, matrices: list[t.Node]) -> list[Target] | None:
        """Return the quantity of each head, where all have the shapes of the matrices."""
        names = [self.context.binder.heads.name(base, number) for number in range(1, len(matrices) + 1)]
        targets = [whole(self.context.graph, name, guess=True) for name in names if name is not None]
        shapes = [self.context.shape(matrix) for matrix in matrices]
        return targets if [target.shape for target in targets] == shapes else None

    def _shared(self, matrices: list[t.Node], targets: list[Target]) -> float:
        shares = [self.disambiguation.share(matrix, target) for matrix, target in zip(matrices, targets, strict=True)]
        return sum(shares) / len(shares)

    def _said(self, literal: t.Node, shape: tuple[int, int], words: str, *, is_table: bool) -> Target | None:
        own = SCORES if words == "e" else cue(words) if words and number_of_label(words) is None else None
        if own is not None:
            found = self._best(self._targets(own, shape, number_in_front(words), literal), literal)
            is_fit = found is not None and self.disambiguation.fits(literal, found)
            return found if is_fit or words == "e" or is_clear(words) else None
        said = self.label or self.title
        if self.label is not None:
            shown = self._shown(self.label.words)
            if shown is not None and shown.in_shape(shape) is not None and self._may_be_shown(shown, literal):
                return shown
        if said.names is None:
            said = self.title
        if said.names == ():
            return None
        if words and not (
            is_line(shape) and (number_of_label(words) is not None or len(words.split()) <= _LABEL_WORDS)
        ):
            return None
        if said.names is None:
            return self._by_numbers(literal, shape, is_table=is_table) if not words else None
        number = number_of_label(words) if words else None
        self.rows += 1
        found = self._best(self._targets(said.names, shape, number, literal), literal)
        if found is not None and not is_clear(said.words) and not self.disambiguation.share(literal, found):
            found = None
        if found is None or (said.is_title and not self.disambiguation.fits(literal, found)):
            other = self._by_numbers(literal, shape, is_table=False) if shape[0] > 1 and shape[1] > 1 else None
            is_twin = found is not None and other is not None and {found.name, other.name} == {"S", "S_scaled"}
            return found if is_twin or other is None else other
        return found

    def _targets(
        self, names: tuple[str, ...], shape: tuple[int, int], number: int | None, literal: t.Node | None = None
    ) -> list[Target]:
        """Return the quantities of this shape, or one row of them."""
        found: list[Target] = []
        for base in names:
            name = self.context.binder.present(base) or self._role(base)
            if name is None:
                continue
            full = whole(self.context.graph, name)
            if full.in_shape(shape) is not None and not (number is not None and full.shape[0] > 1):
                found.append(full)
            elif is_line(shape) or shape == (1, 1):
                row = self._row(full, shape, number, literal)
                if row is not None:
                    found.append(row)
        return found

    def _role(self, base: str) -> str | None:
        """Return the definition in the role of a layer's quantity, by its formula."""
        graph, nodes = self.context.graph, self.context.graph.nodes
        if self.context.binder.problem.kind != DEFINED or base not in _ROLES:
            return None
        weights = [name for name, node in nodes.items() if scores_of(node.formula, graph) is not None]
        if len(weights) != 1:
            return None
        if base == "A":
            return weights[0]
        if base == "O":
            products = [(name, node.formula) for name, node in nodes.items() if is_of(node.formula, "product")]
            made = [name for name, product in products if product and parts(product)[0] == Ref(weights[0])]
            return made[0] if len(made) == 1 else None
        scores = scores_of(nodes[weights[0]].formula, graph)
        shifted = nodes[scores.name].formula if isinstance(scores, Ref) else None
        if shifted is not None and is_of(shifted, "shift"):
            scores = parts(shifted)[0]
        return scores.name if isinstance(scores, Ref) else None

    def _row(self, full: Target, shape: tuple[int, int], number: int | None, literal: t.Node | None) -> Target | None:
        """Return the row that a label numbers, the current one, one that fits, or the next one."""
        binder = self.context.binder
        lines = [line for k in range(max(full.shape)) if (line := binder.part(full, [k + binder.base])) is not None]
        lines = [line for line in lines if line.in_shape(shape) is not None]
        if number is not None:
            line = binder.part(full, [number])
            return line if line is not None and line.in_shape(shape) is not None else None
        if binder.line is not None:
            line = binder.part(full, [binder.line])
            return line if line is not None and line.in_shape(shape) is not None else None
        said = None if binder.line_in_words is None else binder.part(full, [binder.line_in_words])
        fitting = [] if literal is None else [line for line in lines if self.disambiguation.fits(literal, line)]
        if len(fitting) == 1:
            return fitting[0]
        following = lines[self.rows - 1] if 0 < self.rows <= len(lines) else None
        following = said if said in lines else following
        if fitting:
            return following if following in fitting else fitting[0]
        return following

    def _leads_to_number(self) -> bool:
        """Return whether the words above lead to a single number, ``their sum is``."""
        words = "" if self.label is None else self.label.words.rstrip()
        is_verb = any(item.name == "is" and item.end == len(words) for item in said(words))
        return is_verb or words.endswith((":", "="))

    def _shown(self, words: str) -> Target | None:
        """Return the target of ``print(scores)``, ``attn`` or ``softmax(S)`` on a line of its own."""
        text = _ASSIGNED.sub("", _REMARK.sub("", words)).strip()
        shown = _SHOWN.fullmatch(text)
        if shown is not None:
            return self.context.binder.resolve(t.Name(shown["name"]))
        rounded = _ROUNDED.fullmatch(text)
        node = self._formula(text if rounded is None else rounded["inside"])
        return None if node is None else self.context.formulas.subject(node)

    def _may_be_shown(self, shown: Target, literal: t.Node) -> bool:
        """Return whether a name means this: the conventional meaning of a single letter must fit."""
        is_letter = self.label is not None and _WORD.search(self.label.words.replace("print", "")) is None
        return not (shown.guess and is_letter) or self.disambiguation.fits(literal, shown)

    def _is_formula(self, words: str) -> bool:
        text = _ASSIGNED.sub("", _REMARK.sub("", words)).strip()
        return _ROUNDED.fullmatch(text) is not None or self._formula(text) is not None

    def _is_known(self, word: str) -> bool:
        """Return whether a word is a function, or names a quantity: ``probs V``."""
        return word in _FUNCTIONS or self.context.binder.resolve(t.Name(word)) is not None

    def _formula(self, text: str) -> t.Node | None:
        is_like = _FORMULA.fullmatch(text) is not None and len(text) <= _LONGEST
        if not is_like or not all(map(self._is_known, _WORD.findall(text))):
            return None
        node = read_side(text, 0, len(text), "plain").node
        return node if isinstance(node, t.Product | t.Division | t.Call | t.Sum) else None

    # Numbers ---------------------------------------------------------------------------------------------

    def _best(self, targets: list[Target], literal: t.Node) -> Target | None:
        """Return the target that fits, or the one of which most entries do; the likelier of several."""
        if not targets:
            return None
        for target in (*targets, *(target.transposed for target in targets)):
            if self.disambiguation.fits(literal, target):
                return target
        return max(targets, key=lambda target: self.disambiguation.share(literal, target))

    def _by_numbers(self, literal: t.Node, shape: tuple[int, int], *, is_table: bool) -> Target | None:
        """Return the only quantity with all of these numbers; of a table of queries and keys, with nearly all."""
        if 1 in shape:
            return None
        names = [name for name, node in self.context.graph.nodes.items() if node.formula is not None]
        targets = [whole(self.context.graph, name, guess=True) for name in names]
        targets = [target for target in targets if target.shape == shape]
        fitting = [target for target in targets if self.disambiguation.fits(literal, target)]
        if fitting:
            return fitting[-1] if len(fitting) == 1 else None
        if not is_table or not targets:
            return None
        shares = sorted(
            ((self.disambiguation.share(literal, target), k) for k, target in enumerate(targets)), reverse=True
        )
        is_alone = len(shares) == 1 or shares[0][0] > shares[1][0]
        return targets[shares[0][1]] if shares[0][0] >= _NEARLY and is_alone else None

    def _is_closed(self, node: t.Node) -> bool:
        """Return whether a node is working in numbers alone."""
        names = {item.text for item in walk(node) if isinstance(item, t.Name)}
        return has_numbers(node) and names <= {"e", "exp", "sqrt", "softmax"}

    def _is_literal(self, node: t.Node) -> bool:
        """Return whether a node is a written matrix or list of numbers, or a number."""
        inner = bare(node)
        items: tuple[t.Node, ...] = ()
        match inner:
            case t.Matrix(rows):
                items = tuple(item for row in rows for item in row)
            case t.Vector(listed):
                items = listed
            case _:
                items = (inner,)
        return all(figure(item) is not None or is_minus_infinity(item) or is_dash(item) for item in items)

    def _may_be_label(self, label: t.Node) -> bool:
        """Return whether a left side is words that name nothing: ``cat``, ``Row 1``."""
        if _is_table(label):
            return True
        words = spelt(label) or ""
        is_words = isinstance(label, t.Name | t.Subscript) and all(len(part) > 2 for part in words.split("_") if part)
        is_words = (is_words and _WORD.search(words) is not None) or (
            isinstance(label, t.Name) and label.font == "text"
        )
        return (is_words or label == t.Name("e")) and self.context.binder.resolve(label) is None


def _is_table(label: t.Node) -> bool:
    """Return whether a label stands for the quantity of the heading above a table."""
    return SAID_ABOVE in {label, label.base if isinstance(label, t.Subscript) else label}


def _words_of(label: t.Node, context: GradingContext) -> str:
    """Return a label in its source text, or its spelling where it was rewritten."""
    return (context.source(label) if label.span is not None else spelt(label) or "").strip("$*` ")


_ROLES = frozenset({"A", "O", "S", "S_scaled"})
_LABEL_WORDS = 3
_PHRASE_WORDS = 5
_NEARLY = 0.7
