r"""Labels of tables: tokens by number, or quantities, ``$s_{1j}$``, ``weight``, ``$e^{s}$``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from symattn import late
from symattn.notation.lexer.dialects import LOWERED
from symattn.notation.lexicon.reader import Said, parts_said, said
from symattn.notation.lexicon.translation import in_english
from symattn.notation.lexicon.vocabulary import spellings
from symattn.notation.sides.reader import read_side
from symattn.notation.tables.grids import Cell, Grid
from symattn.notation.tree import nodes as t
from symattn.notation.tree.traversal import rebuilt, walk
from symattn.records import dataclass

RUNNING = frozenset({"i", "j", "k", "l", "m", "n", "t", "q"})
"""Letters that run when they stand below a name."""

_LABEL_WORDS = frozenset(
    "token tokens key keys query queries row rows col column columns position pos input output word t x k q v i j n l "  # noqa: SIM905 - a list of words
    "d r c dim dimension head step source target".split()
)
"""Words that number a row or a column, and do not name a quantity."""

_LETTERS = frozenset({"S", "s", "A", "a", "alpha", "P", "p", "W", "w", "E", "Z", "z", "O", "o", "L", "omega", "m"})
"""Letters that name a quantity when they head a column alone."""

_ROWS_BY_NAME = frozenset({"o", "O", "a", "A", "alpha", "S", "s"})
"""Letters that with a number name one row of a quantity, and no token."""

_MADE = {
    "softmax": "A", "scale": "S_scaled", "exponentiate": "E", "sum": "Z", "maximum": "m", "weigh": "O", "product": "S",
    "scaled": "S_scaled", "masked": "S_masked", "unscaled": "S",
}  # fmt: skip
"""Quantities of columns, by the operations that make them, and by states of scores."""

_HEADERS = frozenset({*_MADE.values(), "H"})
_BY_KIND = ("state", "quantity", "operation")
"""Kinds of words in a header, the more telling last: ``exp(scores)``."""


_LINES = {
    "q": "Q", "query": "Q", "queries": "Q", "k": "K", "key": "K", "keys": "K", "v": "V", "value": "V", "values": "V",
    "x": "X", "input": "X", "embedding": "X",
}  # fmt: skip
"""Words that head a column of lists: the lines of a matrix."""

_NUMBERED = late.pattern(
    r"[\s$({]*(?:[A-Za-z]{1,12}[ \t]+(?=[A-Za-z\\$])){0,3}"
    r"(?:\\(?:text|mathbf|mathrm|mathit|bm|vec|textbf)\s?\{)?\s*(?P<word>\\?[A-Za-z]+|[α-ω])?[\s.#$}]*"
    r"(?:=|_|\^)?[\s{#(]*(?P<number>[0-9]{1,4})[\s})$.:]*"
)
_ENTRY = late.pattern(r"\$?(?:\\math(?:bf|rm|it)\{)?(?:[QKVX]\}?_?|[A-Z]\}?_)\{?[1-9],?[1-9]\}?\$?")
"""``Q_11`` and ``C_{12}``: capitals with two digits are entries, and no queries, keys or columns by number."""

_INDEX_OF = {"Q": "i", "K": "j"}
"""Running letters for the words of queries and keys."""

_LONE_LETTER = late.pattern(r"(?:[A-Za-z]+\s+)?\$?\\?\(?([a-z])\\?\)?\$?")
_FORMULA = late.pattern(r"\$([^$]+)\$")
_SYMBOL_BEHIND = late.pattern(r"(?<=[a-z])\s+(?:\$[^$]{1,40}\$|[a-z])\s*$")
_WORDS_OF_TOKENS = frozenset({"token", "tokens", "word", "words"})
_LONG_WORD = late.pattern(r"(?<![A-Za-z\\])[A-Za-z]{3,}")
_CALLS = frozenset({"exp", "softmax", "Softmax", "sqrt", "softargmax", "frac", "sum"})
_TIMES = late.pattern(r"\s{0,3}[×·*⋅]\s{0,3}")
_TIMES_VALUES = late.pattern(r"[×·*⋅]\s*v(?![\s_({\[]{0,3}[0-9₀-₉])")
"""A weight times the values of its key, a list that the output is the sum of; not times one component of them."""

_SUMS = frozenset({"Z", "row sums", "m", "max"})
_SINGLES = _SUMS | {"o", "O", "output", "q", "k", "v", "x", "C", "c", "h", "y"}
"""Names of which one index chooses what a table has in one cell, or a line in working such as ``q_1 · k_j``."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """The quantity that a label names.

    Attributes:
        node: the name or formula, without places.
        span: where it stands.
        plain: the quantity alone, where its indices are incomplete.
    """

    node: t.Node
    span: t.Span
    plain: t.Node | None

    @property
    def letters(self) -> frozenset[str]:
        """Return the running letters of its indices."""
        return frozenset(letter for indices in _subscripts(self.node) for letter in indices if letter in RUNNING)

    @property
    def queries(self) -> frozenset[int]:
        """Return the numbers below its queries: 2 of ``q_2 · k_1``."""
        indexed = (item for item in _indexed_parts(self.node) if _head(item) in {"q", "Q"} and len(item.indices) == 1)
        return frozenset(int(text) for item in indexed if (text := _text(item.indices[0])).isdigit())

    @property
    def without_head(self) -> Quantity:
        """Return the quantity without the raised number of its head."""
        node = self.node.base if isinstance(self.node, t.Power) else self.node
        return Quantity(node, self.span, node)

    @property
    def is_explicit(self) -> bool:
        """Return True if it names one entry, whatever row or column it labels."""
        found = list(_subscripts(self.node))
        is_entry = isinstance(self.node, t.Product) or any(_is_entry(indices) for indices in found)
        return bool(found) and not self.letters and is_entry

    @property
    def is_one_line(self) -> bool:
        """Return True if it names one row, ``o_1``, whatever row or column it labels."""
        found = list(_subscripts(self.node))
        return isinstance(self.node, t.Subscript) and bool(found) and not self.letters and not self.is_explicit

    @property
    def is_sum(self) -> bool:
        """Return True if there is one for each query."""
        name = self.plain if self.plain is not None else self.node
        return isinstance(name, t.Name) and name.text in _SUMS

    def at(self, numbers: dict[str, int]) -> t.Node | None:
        """Put numbers for its running letters; None if that chooses no entry."""
        made = _exponential(_substitute_numbers(self.node, numbers))
        found = list(_subscripts(made))
        if not found or any(letter in RUNNING for indices in found for letter in indices):
            return None
        heads = [_head(item) for item in _indexed_parts(made)]
        is_whole = all(_is_entry(indices) or head in _SINGLES for indices, head in zip(found, heads, strict=True))
        return made if is_whole else None

    def pattern(self, letter: str) -> tuple[str, ...] | None:
        """Return the two indices of an entry in which one letter runs: ``("1", "j")``."""
        if self.is_sum:
            return None  # the second one, if any, is the number of a head
        for indices in _subscripts(self.node):
            if len(indices) == 2 and letter in indices and sum(item in RUNNING for item in indices) == 1:
                return indices
        return None


def says_something(words: str) -> bool:
    """Return True if a few words speak of a quantity of attention, or of a token.

    >>> says_something("Attention weights:"), says_something("We get:")
    (True, False)
    """
    return any(item.kind in {*_BY_KIND, "line"} for item in said(words))


def number_of(text: str) -> tuple[str, int] | None:
    """Return the word and the number of a label: ``token 1``, ``$q_1$``, ``j=1``, ``3``.

    >>> number_of("$q_1$"), number_of("token 12"), number_of("3"), number_of("cat")
    (('q', 1), ('token', 12), ('', 3), None)
    """
    found = _NUMBERED.fullmatch(in_english(text).translate(LOWERED)) if len(text) < 60 else None
    if found is None:
        return None
    return (found["word"] or "").lstrip("\\"), int(found["number"])


def letter_of(text: str) -> str | None:
    """Return the running letter that a label is: ``$j$``, ``row $i$``.

    >>> letter_of("row $i$"), letter_of("j"), letter_of("score")
    ('i', 'j', None)
    """
    found = _LONE_LETTER.fullmatch(text.strip()) if len(text) < 40 else None
    return found[1] if found is not None and found[1] in RUNNING else None


def index_of(text: str) -> str | None:
    """Return the running letter of a column that numbers queries or keys: a letter, or that of the word.

    >>> index_of("j"), index_of("Query"), index_of("Schlüssel"), index_of("score")
    ('j', 'i', 'j', None)
    """
    return letter_of(text) or next((_INDEX_OF[item.name] for item in said(text) if item.name in _INDEX_OF), None)


def names_tokens(cell: Cell | None) -> bool:
    """Return True if a column has tokens below its header, whose names are never quantities."""
    return cell is not None and in_english(cell.text).strip("$* :").lower() in _WORDS_OF_TOKENS


def names_a_row(word: str) -> bool:
    """Return True if a letter with a number is one row of a quantity."""
    return word in _ROWS_BY_NAME


def quantity_of(cell: Cell, source: str) -> Quantity | None:
    """Return the quantity that a label names, None when it is a label of a row or column."""
    if cell.kind == "empty" or len(cell.text) > 120:
        return None
    numbered = number_of(cell.text)
    is_entry = _ENTRY.fullmatch(cell.text.strip()) is not None
    if numbered is not None and not is_entry and (numbered[0].lower() in _LABEL_WORDS or not numbered[0]):
        return None
    if letter_of(cell.text) is not None and cell.text.strip("$ ") not in _LETTERS:
        return None
    formula = _FORMULA.search(source, *cell.span)
    if formula is not None:
        found = _symbol(source, *formula.span(1), latex=True)
        if found is not None:
            return found
    words = [word for word in _LONG_WORD.findall(in_english(cell.text)) if word not in _CALLS]
    is_words = words and cell.notation == "plain"
    found = None if is_words or formula is not None else _symbol(source, *cell.span, latex=cell.notation == "latex")
    return found if found is not None else _by_words(cell)


def quantity_of_head(cell: Cell) -> Quantity | None:
    """Return the quantity of one head of which a title speaks: ``scores head 1``."""
    heads = parts_said(cell.text, "head")
    names = [item.name for item in said(cell.text) if item.kind == "quantity" and not item.rank and not item.when]
    if len(heads) != 1 or not names:
        return None
    plain = t.Name(spellings()["quantity", names[-1]], "text")
    node = t.Power(plain, t.Group(t.Number(str(heads[0]))))
    return Quantity(node, cell.span, node)


def line_of(cell: Cell, below: list[Cell]) -> Quantity | None:
    """Return the queries, keys or values over a column of lists, each a line of them."""
    text = _SYMBOL_BEHIND.sub("", in_english(cell.text)).strip("$ ").lower()
    text = text.split("_", maxsplit=1)[0] if letter_of(text[2:].strip("{}")) is not None else text
    name = _LINES.get(text)
    filled = [item for item in below if item.kind == "value"]
    if name is None or not filled or not all(is_list(item) for item in filled):
        return None
    return Quantity(t.Name(name), cell.span, t.Name(name))


def numbered_line(cell: Cell, row: list[Cell]) -> Quantity | None:
    """Return the query, key or value by number before a single list, ``q_2``."""
    numbered = number_of(cell.text)
    name = None if numbered is None else _LINES.get(numbered[0].lower())
    if numbered is None or name is None or [is_list(item) for item in row if item.kind == "value"] != [True]:
        return None
    node = t.Subscript(t.Name(name.lower()), (t.Number(str(numbered[1])),))
    return Quantity(node, cell.span, node)


def sum_after(before: Quantity | None, cell: Cell) -> Quantity | None:
    """Return the row sums for a column of sums behind the exponentials."""
    follows = before is not None and before.plain == t.Name("exponentials")
    return Quantity(t.Name("row sums"), cell.span, t.Name("row sums")) if follows else None


def is_list(cell: Cell) -> bool:
    """Return True if a cell holds several numbers in brackets."""
    return cell.text.lstrip().startswith(("[", "(", "\\begin", "\\left")) and (
        not {",", ";", "&"}.isdisjoint(cell.text) or " " in cell.text.strip("[]() ")
    )


def are_consecutive(numbers: list[int]) -> bool:
    """Return True if numbers run from 1 or 0 on."""
    return numbers in (list(range(1, len(numbers) + 1)), list(range(len(numbers))))


def are_integers(cells: list[Cell]) -> bool:
    """Return True if cells are whole numbers that rise: 1, 2, 3."""
    texts = [cell.text.strip() for cell in cells]
    if not texts or not all(text.isascii() and text.isdigit() and len(text) < 5 for text in texts):
        return False
    return are_consecutive([int(text) for text in texts]) or len(texts) == 1


def are_numbered(cells: list[Cell]) -> bool:
    """Return True if cells number rows or columns from 1 or 0 on."""
    if are_integers(cells):
        return len(cells) > 1
    found = [number_of(cell.text) if cell.kind == "label" else None for cell in cells]
    numbers = [item[1] for item in found if item is not None]
    return len(numbers) == len(cells) > 0 and are_consecutive(numbers)


def label_of(cell: Cell) -> Cell:
    """Return the name of a statement ``k1 = [1, 0]`` that labels a row; any other cell as it is."""
    name, equals, _ = cell.text.partition("=")
    if cell.kind != "statement" or not equals or number_of(name.strip()) is None:
        return cell
    end = cell.span[0] + len(name.rstrip())
    return replace(cell, span=(cell.span[0], end), text=name.rstrip(), kind="label")


def is_total(cell: Cell) -> bool:
    """Return True if a label marks its line as sums, in any language."""
    text = cell.text.strip("$ :")
    is_said = any((item.name, item.start, item.end) == ("Z", 0, len(text)) for item in said(text))
    return is_said or text.lower() in {"\\sum", "Σ", "∑", "σ", "check"}


def _by_words(cell: Cell) -> Quantity | None:
    """Return the quantity of which a header speaks; a column of sums may be of anything."""
    items = [item for item in said(cell.text) if item.kind in _BY_KIND and not item.rank and not item.when]
    items.sort(key=lambda item: _BY_KIND.index(item.kind))
    names = [name for item in items if (name := _MADE.get(item.name, item.name)) in _HEADERS]
    if not items and "√" in cell.text:
        names = ["S_scaled"]  # "/√2"
    if not names or cell.text.strip("$ :").lower() == "sum":
        return None
    is_product = names[-1] in {"A", "E"} and any(_is_factor(cell.text, item) for item in items)
    if is_product and (names[-1] == "E" or _TIMES_VALUES.search(cell.text.lower()) is None):
        return None
    node = t.Name("products" if is_product else spellings()["quantity", names[-1]], "text")
    return Quantity(node, cell.span, node)


def _is_factor(text: str, item: Said) -> bool:
    """Return True if a product sign stands beside something of which a text speaks: ``weight * v1``."""
    is_left = _TIMES.match(text, item.end) is not None
    return is_left or any(sign.end() == item.start for sign in _TIMES.finditer(text, 0, item.start))


def _symbol(source: str, start: int, end: int, *, latex: bool) -> Quantity | None:
    side = read_side(source, start, end, "latex" if latex else "plain")
    if side.node is None:
        return None
    node = _substitute_numbers(side.node, {})
    plain = _quantity_of_node(node)
    return None if plain is None and not _is_weighted(node) else Quantity(node, side.span, plain)


def _quantity_of_node(node: t.Node) -> t.Node | None:
    """Return the quantity of a symbol or of a formula; None when it names none."""
    match node:
        case t.Name(text):
            return node if text in _LETTERS else None
        case t.Subscript(base, indices):
            texts = [_text(index) for index in indices]
            is_label = not any(item in RUNNING or item.isdigit() for item in texts)
            if is_label:
                return node
            if isinstance(base, t.Name) and base.text in _LABEL_WORDS and len(indices) == 1:
                return None
            return base
        case t.Power(t.Name("e"), _) | t.Call(t.Name("exp"), _):
            return t.Name("exponentials", "text")
        case t.Call(t.Name(text), _) if text.lower().startswith("soft"):
            return t.Name("attention weights", "text")
        case t.Division(above):
            is_weight = isinstance(above, t.Power | t.Call) or above == t.Name("E")
            return t.Name("attention weights" if is_weight else "scaled scores", "text")
        case t.Product(factors) if all(isinstance(f, t.Subscript | t.Name | t.Transpose) for f in factors):
            return None if _is_weighted(node) else t.Name("scores", "text")
        case t.Product((*front, t.Division(last, t.Root()))) if front:
            is_score = _quantity_of_node(t.Product((*front, last), node.operators)) == t.Name("scores", "text")
            return t.Name("scaled scores", "text") if is_score else None
    return None


def _is_weighted(node: t.Node) -> bool:
    """Return True for a product with weights, exponentials or values as a factor, ``w·v_1``, which is no score."""
    factors = node.factors if isinstance(node, t.Product) else ()
    if any(isinstance(factor, t.Number | t.Division | t.Root) for factor in factors):
        return False  # scaled: ``s · 1/√2``
    bases = [factor.base if isinstance(factor, t.Subscript) else factor for factor in factors]
    names = [base.text for base in bases if isinstance(base, t.Name)]
    is_made = any(_quantity_of_node(factor) is not None for factor in factors if isinstance(factor, t.Power | t.Call))
    return is_made or any(name in _LETTERS | _CALLS or name[:1] in {"v", "V"} for name in names)


def _exponential(node: t.Node) -> t.Node:
    """Return ``e^{s_{12}}`` as an entry of the exponentials, whatever the scores are called."""
    match node:
        case t.Power(t.Name("e"), t.Subscript(_, indices)) | t.Call(t.Name("exp"), (t.Subscript(_, indices),)):
            return t.Subscript(t.Name("exponentials", "text"), indices)
    return node


# Indices --------------------------------------------------------------------------------------------


def _text(node: t.Node) -> str:
    return node.text if isinstance(node, t.Number | t.Name) else "?"


def _head(node: t.Subscript) -> str:
    return node.base.text if isinstance(node.base, t.Name) else ""


def _is_entry(indices: tuple[str, ...]) -> bool:
    """Return True if indices choose an entry; a third one is the number of a head, ``A_{i1}^{(2)}``."""
    return len(indices) in {2, 3} or (len(indices) == 1 and len(indices[0]) == 2 and indices[0].isdigit())


def _subscripts(node: t.Node) -> list[tuple[str, ...]]:
    return [tuple(_text(index) for index in item.indices) for item in _indexed_parts(node)]


def _indexed_parts(node: t.Node) -> list[t.Subscript]:
    """Return the names with numbers or running letters as indices, ``A_{1j}``; ``A_{masked}`` has none."""
    return [
        item
        for item in walk(node)
        if isinstance(item, t.Subscript) and any(_text(i).isdigit() or _text(i) in RUNNING for i in item.indices)
    ]


def _split(index: t.Node) -> tuple[t.Node, ...]:
    """Split ``1j`` and ``ij`` into two indices."""
    match index:
        case t.Product(factors, operators) if not any(operators):
            return tuple(part for factor in factors for part in _split(factor))
        case t.Name(text) if len(text) == 2 and set(text) <= RUNNING:
            return t.Name(text[0]), t.Name(text[1])
        case t.Name(text, font):
            return (t.Name(text, font),)
        case t.Number(text):
            return (t.Number(text),)
    return (index,)


def _substitute_numbers(node: t.Node, numbers: dict[str, int]) -> t.Node:
    """Put numbers for the letters of indices, and drop the spans; sums keep their own letter."""
    match node:
        case t.Subscript(base, indices):
            split = [part for index in indices for part in _split(index)]
            made = tuple(
                t.Number(str(numbers[part.text])) if isinstance(part, t.Name) and part.text in numbers else part
                for part in split
            )
            return t.Subscript(_substitute_numbers(base, numbers), made)
        case t.Name() | t.Number():
            return replace(node, span=None)
        case t.SumOver(index, lower, upper, body, excluded):
            free = {letter: number for letter, number in numbers.items() if letter != index.text}
            made_excluded = tuple(_substitute_numbers(item, free) for item in excluded)
            return t.SumOver(index, lower, upper, _substitute_numbers(body, free), made_excluded)
    return rebuilt(node, lambda part: _substitute_numbers(part, numbers))


# Heads ----------------------------------------------------------------------------------------------


def head_tables(grid: Grid) -> list[tuple[str, Grid]]:
    """Return the table of each head with the words for the head, empty for other lines; nothing without heads."""
    first, *body = grid.rows
    down = _heads_said([row[0] for row in body], first[0])
    if down:
        groups = {head: [row for row, own in zip(body, down, strict=True) if own == head] for head in down}
        return [(head, _rows_of_head(grid, rows, is_of_head=bool(head))) for head, rows in groups.items()]
    across = _heads_said(first[1:], first[0])
    columns = {head: [place for place, own in enumerate(across, 1) if own == head] for head in across}
    is_spanned = any(cell.kind == "empty" for cell in first[1:])
    if not across or (is_spanned and not all(_says_only_head(cell) for cell in first[1:] if cell.kind != "empty")):
        return []
    return [(head, _columns_of_head(grid, places, is_spanned=is_spanned)) for head, places in columns.items()]


def _heads_said(labels: Sequence[Cell], corner: Cell) -> list[str]:
    """Return the words for the head of each label, an empty one continues; nothing without heads."""
    above = corner.text if {item.name for item in said(corner.text)} - {"filler"} == {"head"} else ""
    found: list[str] = []
    for cell in labels:
        is_continued = bool(found) and cell.kind == "empty"
        found.append(found[-1] if is_continued else _head_said(cell, above))
    return found if any(found) else []


def _head_said(cell: Cell, above: str) -> str:
    """Return the words for the one head of which a label speaks, ``head 1`` for 1 below the word; else nothing."""
    numbered = number_of(cell.text)
    words = cell.text if numbered is None else f"{numbered[0] or above} {numbered[1]}"
    return words if cell.kind != "statement" and len(parts_said(words, "head")) == 1 else ""


def _says_only_head(cell: Cell) -> bool:
    """Return True if a label says a head and no quantity of it."""
    return quantity_of_head(cell) is None


def _rows_of_head(grid: Grid, rows: list[tuple[Cell, ...]], *, is_of_head: bool) -> Grid:
    """Return the rows of one head below the header, without labels that say nothing else."""
    kept = (grid.rows[0], *rows)
    is_bare = is_of_head and all(map(_says_only_head, (row[0] for row in rows)))
    return replace(grid, rows=tuple(row[1:] for row in kept) if is_bare else kept, header=True)


def _columns_of_head(grid: Grid, places: list[int], *, is_spanned: bool) -> Grid:
    """Return the labels and the columns of one head, without a header that says nothing else."""
    rows = tuple((row[0], *(row[place] for place in places)) for row in grid.rows)
    if is_spanned:
        return replace(grid, rows=rows[1:], header=any(cell.kind != "value" for cell in rows[1][1:]))
    corner, *header = rows[0]
    if all(map(_says_only_head, header)):
        header = [replace(cell, kind="empty", text="") for cell in header]
    return replace(grid, rows=((corner, *header), *rows[1:]))
