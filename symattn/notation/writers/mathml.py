"""Writer of syntax trees as presentation MathML, which browsers set by themselves.

Every node becomes one element, and no two kinds of node take the same shape, so that `read_mathml` finds
the tree again: a list is a row of its own even where it has one item, names that are neither a word nor a
symbol are text, and what is not written (a product without a sign, a call) has its invisible operator.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from symattn import late
from symattn.notation.tree import nodes as t
from symattn.notation.tree import symbols
from symattn.notation.tree.precedence import is_scientific, is_set_apart, is_tight
from symattn.notation.tree.wellformed import check

NAMESPACE = "http://www.w3.org/1998/Math/MathML"

TIMES = "&#x2062;"
APPLY = "&#x2061;"
MINUS = "−"
TOP = "⊤"
OPERATORS = {"cdot": "⋅", "times": "×", "": TIMES}
DOTS = {"cdots": "⋯", "vdots": "⋮", "ddots": "⋱"}
REALS = "ℝ"
PARTIAL, GIVEN = "∂", "∣"
BARS = {"norm": "‖", "abs": "|"}
_LAYOUTS = frozenset({("norm", 1), ("abs", 1), ("diff", 2), ("lim", 3), ("E", 2)})

WORD = late.pattern(r"[A-Za-z][A-Za-z0-9]+")
LETTER = late.pattern(r"[A-Za-z]")

_ALPHABETS = {"bold": ("𝐀", "𝐚"), "blackboard": ("𝔸", ""), "calligraphic": ("𝒜", "")}
_OLDER = {
    "𝔺": "ℂ", "𝔿": "ℍ", "𝕅": "ℕ", "𝕇": "ℙ", "𝕈": "ℚ", "𝕉": "ℝ", "𝕑": "ℤ",
    "𝒝": "ℬ", "𝒠": "ℰ", "𝒡": "ℱ", "𝒣": "ℋ", "𝒤": "ℐ", "𝒧": "ℒ", "𝒨": "ℳ", "𝒭": "ℛ",
}  # fmt: skip
"""Letters that had characters before the alphabets came; their places in these were left empty."""

_BOX = "border:1px solid;padding:2px"
_NO_XML = late.pattern("[\x00-\x08\x0b-\x1f\ud800-\udfff\ufffe\uffff]")
_TAG = late.pattern(r"<[a-z]+")
_TALL = late.pattern(r"<m(?:frac|table|under|sqrt|root|padded)")

Mark: TypeAlias = tuple[int, int, str]
"""Start and end of a place in the source, and how what stands there looks, as CSS."""


def _letters() -> dict[tuple[str, str], str]:
    found = {}
    for font, starts in _ALPHABETS.items():
        for first, start in zip("Aa", starts, strict=True):
            for shift in range(26 if start else 0):
                character = chr(ord(start) + shift)
                found[font, chr(ord(first) + shift)] = _OLDER.get(character, character)
    return found


LETTERS = _letters()
"""The characters of letters by font and letter, where they have some of their own."""


def write_mathml(node: t.Node, *, display: bool = False, functions: frozenset[str] = t.FUNCTIONS) -> str:
    """Write a tree as MathML that `read_mathml` reads back as the same tree.

    >>> print(write_mathml(t.Power(t.Name("e"), t.Number("0.60"))))
    <math xmlns="http://www.w3.org/1998/Math/MathML" display="inline"><msup><mi>e</mi><mn>0.60</mn></msup></math>

    Args:
        node: what is written.
        display: whether it stands on lines of its own.
        functions: names that take arguments in brackets.

    Raises:
        ValueError: when the tree is ill formed: a bracket is missing, a name holds what XML cannot hold, ...
    """
    check(node, functions)
    written = show_mathml(node, display=display)
    if _NO_XML.search(written):
        raise ValueError("ill-formed tree: a name holds a character that XML does not allow")
    return written


def show_mathml(
    node: t.Node, marks: Sequence[Mark] = (), *, display: bool = False, signs: Sequence[t.Span | None] = ()
) -> str:
    """Write a tree as MathML for people, readable back or not, with some spans of its source marked.

    What stands at a marked place is styled: the largest nodes inside it, and the signs between them; where it
    is narrower than any node, the smallest node around it.

    >>> two = t.Number("2", span=(4, 5))
    >>> '<mn style="color:red">2</mn>' in show_mathml(t.Relation((None, two), ("=",)), [(4, 5, "color:red")])
    True

    Args:
        node: what is written.
        marks: what is marked.
        display: whether it stands on lines of its own.
        signs: where the operators of a chain stand.
    """
    writer = _Writer([*_widened(node, marks, signs)])
    return (
        f'<math xmlns="{NAMESPACE}" display="{"block" if display else "inline"}">'
        f"{writer.chain(node, signs) if isinstance(node, t.Relation) else writer.write(node)}</math>"
    )


def _widened(node: t.Node, marks: Sequence[Mark], signs: Sequence[t.Span | None]) -> Iterable[Mark]:
    """Widen the marks that hold no whole node to the smallest node around them."""
    spans = [span for span in signs if span is not None]
    waiting: list[t.Node] = [node] if marks else []
    while waiting:
        here = waiting.pop()
        if here.span is not None:
            spans.append(here.span)
        waiting.extend(t.children(here))
    for start, end, style in marks:
        around = [span for span in spans if span[0] <= start and end <= span[1]]
        if around and not any(start <= first and last <= end for first, last in spans):
            start, end = min(around, key=lambda span: span[1] - span[0])  # noqa: PLW2901 - the same mark, wider
        yield start, end, style


def escaped(text: str) -> str:
    """Escape text inside an element.

    >>> escaped("a < b & c")
    'a &lt; b &amp; c'
    """
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _sign(sign: str) -> str:
    return f"<mo>{sign if sign in {TIMES, APPLY} else escaped(sign)}</mo>"


def _row(*elements: str) -> str:
    return f"<mrow>{''.join(elements)}</mrow>"


def _bracketed(content: str, brackets: str) -> str:
    """Put brackets around content; around what is not tall they must not grow, for browsers keep room for it."""
    opening, closing = _sign(brackets), _sign(symbols.CLOSING.get(brackets, brackets))
    if not _TALL.search(content):
        opening, closing = (sign.replace("<mo>", '<mo stretchy="false">') for sign in (opening, closing))
    return _row(opening, content, closing)


def _element(tag: str, content: str, variant: str = "") -> str:
    attribute = f' mathvariant="{variant}"' if variant else ""
    return f"<{tag}{attribute}>{escaped(content)}</{tag}>"


_VARIANTS = {"bold": "bold", "roman": "normal"}


def _name(node: t.Name) -> str:
    text, font = node.text, node.font
    if text in symbols.SYMBOLS:
        return _element("mi", symbols.SYMBOLS[text], _VARIANTS.get(font, ""))
    if (font, text) in LETTERS:
        return _element("mi", LETTERS[font, text])
    is_word = LETTER.fullmatch(text) or (WORD.fullmatch(text) and font != "bold")
    if (is_word and font != "text") or text == ":":
        return _element("mi", text, _VARIANTS.get(font, ""))
    return _element("mtext", text, "bold" if font == "bold" else "")


def _number(text: str) -> str:
    mantissa, mark, exponent = text.partition("e")
    if not mark:
        return f"<mn>{text}</mn>"
    digits = f"<mn>{exponent.removeprefix('-')}</mn>"
    raised = _row(_sign(MINUS), digits) if exponent.startswith("-") else digits
    return _row(f"<mn>{mantissa}</mn>", _sign("×"), f"<msup><mn>10</mn>{raised}</msup>")


class _Writer:
    """Writer of the elements of one formula; every node becomes one element."""

    def __init__(self, marks: Sequence[Mark] = ()) -> None:
        self.marks = marks

    def write(self, node: t.Node) -> str:
        style = self._style(node.span)
        # What is marked as a whole is not marked again inside.
        return _styled(_Writer().write(node), style) if style else self._written(node)

    def chain(self, node: t.Relation, places: Sequence[t.Span | None] = ()) -> str:
        """Write a chain of relations whose operators stand at these places."""
        pieces = [] if node.sides[0] is None else [self.write(node.sides[0])]
        spans = [*places, *[None] * len(node.operators)]
        for operator, span, side in zip(node.operators, spans, node.sides[1:], strict=False):
            pieces.append(_styled(_sign(operator), self._style(span)))
            if side is not None:
                pieces.append(self.write(side))
        return _row(*pieces)

    def _style(self, *spans: t.Span | None) -> str:
        """Return the style of the mark around these spans."""
        places = [span for span in spans if span is not None]
        if not places or len(places) < len(spans):
            return ""
        first, last = places[0][0], places[-1][1]
        return next((style for start, end, style in self.marks if start <= first and last <= end), "")

    def _written(self, node: t.Node) -> str:
        match node:
            case t.Number(text):
                return _number(text)
            case t.Name():
                return _name(node)
            case t.Subscript(base, indices):
                return f"<msub>{self.write(base)}{self._indices(indices)}</msub>"
            case t.Transpose(t.Power(base, label) as power) if not self._style(power.span):
                return self._raised(base, _row(self.write(label), _sign(TOP)))
            case t.Transpose(base):
                return self._raised(base, _sign(TOP))
            case t.Negative(body):
                return _row(_sign(MINUS), self.write(body))
            case t.Sum(terms, operators):
                return self._infix(terms, tuple(map(self.write, terms)), [_minus(operator) for operator in operators])
            case t.Product(factors, operators):
                written = tuple(self._factor(node, position) for position in range(len(factors)))
                return self._infix(factors, written, [OPERATORS[operator] for operator in operators])
            case t.Division():
                return self._division(node)
            case t.Power(base, exponent):
                return self._raised(base, self.write(exponent))
            case t.Relation():
                return self.chain(node)
            case _:
                return self._enclosed(node)

    def _enclosed(self, node: t.Node) -> str:
        match node:
            case t.Root(body, degree):
                root = "msqrt" if degree is None else "mroot"
                return f"<{root}>{self.write(body)}{'' if degree is None else self.write(degree)}</{root}>"
            case t.Group(body, brackets):
                return _bracketed(self._inside_group(body), brackets)
            case t.Call(t.Name(name), arguments) if (name, len(arguments)) in _LAYOUTS:
                return self._laid_out(name, arguments)
            case t.Call(function, arguments):
                brackets = "[" if function.font == "blackboard" else "("
                return _row(self.write(function), _sign(APPLY), _bracketed(self._list(arguments), brackets))
            case t.SumOver():
                return self._sum_over(node)
            case t.Vector(items, brackets):
                return _bracketed(self._list(items), brackets)
            case t.Matrix():
                return self._matrix(node)
            case t.Dots(shape):
                return f"<mi>{DOTS[shape]}</mi>"
            case t.Space(dimensions):
                written = [self.write(dimension) for dimension in dimensions]
                return f"<msup><mi>{REALS}</mi>{written[0] if len(written) == 1 else _joined(written, '×')}</msup>"
            case t.Boxed(body):
                return f'<mpadded style="{_BOX}">{self.write(body)}</mpadded>'
            case _:
                raise TypeError(f"{type(node).__name__} is not a node of written mathematics")

    def _sum_over(self, node: t.SumOver) -> str:
        index = self.write(node.index)
        below = index if node.lower is None else _row(index, _sign("="), self.write(node.lower))
        if node.excluded:
            others = _row(index, _sign("≠"), self._list(node.excluded))
            below = others if node.lower is None else _row(below, _sign(","), others)
        if node.upper is None:
            return _row(f"<munder>{_sign('∑')}{below}</munder>", self.write(node.body))
        over = f"<munderover>{_sign('∑')}{below}{self.write(node.upper)}</munderover>"
        return _row(over, self.write(node.body))

    def _laid_out(self, name: str, arguments: tuple[t.Node, ...]) -> str:
        """Write a call with a layout of its own; brackets show the end of the operand of a sign."""
        body = arguments[0]
        match name:
            case "norm" | "abs":
                sign = _sign(BARS[name])
                return _row(sign, self._inside_group(body), sign)
            case "diff":
                below = _row(_sign(PARTIAL), self.write(arguments[1]))
                if isinstance(body, t.Name | t.Subscript):
                    return f"<mfrac>{_row(_sign(PARTIAL), self.write(body))}{below}</mfrac>"
                return self._applied(f"<mfrac>{_sign(PARTIAL)}{below}</mfrac>", body)
            case "lim":
                below = _row(self.write(body), _sign("→"), self._target(arguments[1]))
                return self._applied(f"<munder>{_sign('lim')}{below}</munder>", arguments[2])
            case _:
                given = arguments[1]
                items = given.items if isinstance(given, t.Vector) and given.brackets == "(" else (given,)
                content = _row(self._inside_group(body), _sign(GIVEN), _joined(map(self.write, items), ","))
                return _row(_name(t.Name("E", "blackboard")), _sign(APPLY), _bracketed(content, "["))

    def _applied(self, sign: str, body: t.Node) -> str:
        return _row(sign, _sign(APPLY), _bracketed(self._list((body,)), "("))

    def _target(self, node: t.Node) -> str:
        if isinstance(node, t.Negative):
            return _row(_sign(MINUS), self._target(node.body))
        return self.write(t.Name("infty") if node == t.Name("oo") else node)

    def _raised(self, base: t.Node, exponent: str) -> str:
        if isinstance(base, t.Subscript) and not self._style(base.span):
            return f"<msubsup>{self.write(base.base)}{self._indices(base.indices)}{exponent}</msubsup>"
        return f"<msup>{self.write(base)}{exponent}</msup>"

    def _indices(self, indices: tuple[t.Node, ...]) -> str:
        return self.write(indices[0]) if len(indices) == 1 else _joined(map(self.write, indices), ",")

    def _infix(self, nodes: tuple[t.Node, ...], written: tuple[str, ...], signs: Sequence[str]) -> str:
        pieces = [written[0]]
        for left, right, sign, element in zip(nodes, nodes[1:], signs, written[1:], strict=False):
            pieces += [_styled(_sign(sign), self._style(left.span, right.span)), element]
        return _row(*pieces)

    def _factor(self, node: t.Product, position: int) -> str:
        factor = node.factors[position]
        # Beside other factors a slash would be ambiguous.
        return self.write(_with_bar(factor) if is_set_apart(node, position) else factor)

    def _division(self, node: t.Division) -> str:
        if node.bar:
            return f"<mfrac>{self.write(node.numerator)}{self.write(node.denominator)}</mfrac>"
        is_chained = isinstance(node.numerator, t.Division)
        left = self.write(node.numerator) if is_chained else self._part(node.numerator)
        return _row(left, _sign("/"), self._part(node.denominator))

    def _part(self, node: t.Node) -> str:
        """Write a part of a quotient with a slash: brackets of the layout around all that is not tight."""
        is_fraction = isinstance(node, t.Division) and node.bar
        if is_fraction or (is_tight(node) and not is_scientific(node)):
            return self.write(node)
        return _bracketed(self.write(node), "(")

    def _inside_group(self, node: t.Node) -> str:
        """Write the contents of a group; a matrix without brackets of its own gets square ones."""
        if isinstance(node, t.Matrix) and not node.brackets:
            return self.write(t.Matrix(node.rows, "[", span=node.span))
        return self.write(node)

    def _list(self, items: tuple[t.Node, ...]) -> str:
        return _joined((self._inside_group(item) if len(items) == 1 else self.write(item) for item in items), ",")

    def _matrix(self, node: t.Matrix) -> str:
        rows = (f"<mtr>{''.join(f'<mtd>{self.write(entry)}</mtd>' for entry in row)}</mtr>" for row in node.rows)
        table = f"<mtable>{''.join(rows)}</mtable>"
        return _bracketed(table, node.brackets) if node.brackets else table


def _styled(element: str, style: str) -> str:
    """Give an element a style, before any that it has of its own."""
    if not style:
        return element
    tag, own = _TAG.match(element), ' style="'
    head = tag.group() if tag else ""
    rest = element[len(head) :]
    joined = f"{style};{rest.removeprefix(own)}" if rest.startswith(own) else f'{style}"{rest}'
    return head + own + joined


def _joined(elements: Iterable[str], sign: str) -> str:
    """Write elements in a row with a sign between each two; a row of its own even for a single one."""
    return _row(_sign(sign).join(elements))


def _with_bar(node: t.Node) -> t.Node:
    """Turn a quotient behind any signs into a fraction with a bar."""
    if isinstance(node, t.Negative):
        return t.Negative(_with_bar(node.body), span=node.span)
    return t.Division(node.numerator, node.denominator, span=node.span) if isinstance(node, t.Division) else node


def _minus(operator: str) -> str:
    return MINUS if operator == "-" else operator
