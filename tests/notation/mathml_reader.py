"""Reader of the MathML that our writer writes; it restores the tree.

Other MathML than that of the writer is refused. The text is not trusted: it is
bounded before it is parsed, a document type (and with it every entity) ends the reading at once, and the
tree that comes out is well formed or there is none.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from xml.parsers import expat

from symattn.errors import NotationError
from symattn.notation.tree import limits, symbols
from symattn.notation.tree import nodes as t
from symattn.notation.tree.precedence import infinite
from symattn.notation.tree.wellformed import check
from symattn.notation.writers.mathml import (
    BARS,
    DOTS,
    GIVEN,
    LETTER,
    LETTERS,
    MINUS,
    NAMESPACE,
    OPERATORS,
    PARTIAL,
    REALS,
    TOP,
    WORD,
)

MAX_MATHML = 25 * limits.MAX_LENGTH
"""Characters of one formula: its tags are many times as long as what they hold."""

MAX_ELEMENTS = 5 * limits.MAX_TOKENS
"""Elements of one formula."""

MAX_INSIDE = 4 * limits.MAX_DEPTH + 10
"""Elements inside each other: one node has four levels of them at most, a matrix with brackets."""

_TIMES, _APPLY = "\u2062", "\u2061"
_PRODUCTS = {sign: operator for operator, sign in OPERATORS.items() if operator} | {_TIMES: ""}
_SUMS = {"+": "+", MINUS: "-"}
_RELATIONS = {sign: sign for sign in t.RELATIONS}
_SHAPES = {character: shape for shape, character in DOTS.items()}
_LETTERS = {character: key for key, character in LETTERS.items()}
_FONTS = {None: "", "bold": "bold", "normal": "roman"}
_ATTRIBUTES = frozenset({"mathvariant", "style", "xmlns", "display", "stretchy"})
_TAGS = frozenset({
    "math", "mi", "mn", "mo", "mtext", "mrow", "msub", "msup", "msubsup", "mfrac", "msqrt", "mroot", "munder",
    "munderover", "mtable", "mtr", "mtd", "mpadded",
})  # fmt: skip
_WITH_TEXT = frozenset({"mi", "mn", "mo", "mtext"})


@dataclass(slots=True)
class _Element:
    """A mutable element under construction."""

    tag: str
    variant: str | None
    start: int  # in bytes
    inside: list[_Element] = field(default_factory=list)
    text: str = ""

    def sign(self) -> str:
        """Return the operator of an element, empty for anything else."""
        return self.text if self.tag == "mo" else ""


def read_mathml(text: str, functions: frozenset[str] = t.FUNCTIONS) -> t.Node:
    """Read the tree that `write_mathml` wrote.

    >>> read_mathml("<math><msup><mi>e</mi><mn>0.60</mn></msup></math>")
    Power(base=Name(text='e', font=''), exponent=Number(text='0.60'))

    Raises:
        NotationError: this is not XML, or not MathML as it is written here, or larger than formulas may be.
    """
    if len(text) > MAX_MATHML:
        raise NotationError(f"This formula has more than {MAX_MATHML} characters of MathML: split it.")
    try:
        data = text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise NotationError(
            "Unpaired surrogate: a character of the formula is incomplete. Write it again.", error.start
        ) from error
    try:
        node = _formula(_Parser().parse(data))
        check(node, functions)
    except NotationError as error:
        # The parser counts bytes, people count characters.
        raise NotationError(str(error), len(data[: error.start].decode("utf-8", "ignore"))) from error
    except ValueError as error:
        raise NotationError(f"This MathML is not supported: {error}.") from error
    return node


def _formula(root: _Element) -> t.Node:
    if root.tag != "math":
        raise _foreign(root)
    return _node(_only(root))


# From characters to elements -----------------------------------------------------------------------


class _Parser:
    """Element parser of one text: the parser of the standard library with everything optional disabled."""

    def __init__(self) -> None:
        self.parser = expat.ParserCreate(encoding="utf-8")
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._data
        self.parser.StartDoctypeDeclHandler = self._refused
        self.parser.EntityDeclHandler = self._refused
        self.parser.ProcessingInstructionHandler = self._refused
        self.top = _Element("", None, 0)
        self.open = [self.top]
        self.count = 0

    def parse(self, data: bytes) -> _Element:
        try:
            self.parser.Parse(data, True)
        except expat.ExpatError as error:
            words = expat.ErrorString(error.code)
            raise NotationError(f"This is not XML ({words}): write it again.", self.parser.ErrorByteIndex) from error
        return self.top.inside[0]

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self.count += 1
        place = self.parser.CurrentByteIndex
        if self.count > MAX_ELEMENTS or len(self.open) > MAX_INSIDE:
            raise NotationError("This formula is larger, or more deeply nested, than formulas may be.", place)
        if tag not in _TAGS or not _ATTRIBUTES.issuperset(attributes):
            raise NotationError(f"The element {tag} is not written here, or not with these attributes.", place)
        if attributes.get("xmlns", NAMESPACE) != NAMESPACE:
            raise NotationError("This namespace is not that of MathML.", place)
        element = _Element(tag, attributes.get("mathvariant"), place)
        self.open[-1].inside.append(element)
        self.open.append(element)

    def _end(self, _: str) -> None:
        self.open.pop()

    def _data(self, text: str) -> None:
        element = self.open[-1]
        if element.tag in _WITH_TEXT:
            element.text += text
        elif text.strip():
            raise NotationError("Text stands between the elements.", self.parser.CurrentByteIndex)

    def _refused(self, *_: object) -> None:
        raise NotationError("Document types, entities and instructions are not read.", self.parser.CurrentByteIndex)


# From elements to nodes ----------------------------------------------------------------------------


def _foreign(element: _Element) -> NotationError:
    return NotationError(f"This {element.tag} element does not stand as formulas are written here.", element.start)


def _node(element: _Element) -> t.Node:
    read = _READERS.get(element.tag)
    if read is None or (element.tag in _WITH_TEXT and element.inside):
        raise _foreign(element)
    return read(element)


def _parts(element: _Element, count: int) -> list[_Element]:
    if len(element.inside) != count:
        raise _foreign(element)
    return element.inside


def _only(element: _Element) -> _Element:
    return _parts(element, 1)[0]


def _number(element: _Element) -> t.Node:
    return t.Number(element.text)


def _text(element: _Element) -> t.Node:
    return t.Name(element.text, "bold" if element.variant == "bold" else "text")


def _identifier(element: _Element) -> t.Name | t.Dots:
    text = element.text
    if text in _SHAPES:
        return t.Dots(_SHAPES[text])
    if text in _LETTERS:
        font, letter = _LETTERS[text]
        return t.Name(letter, font)
    name = symbols.NAMED_CHARACTERS.get(text, text)
    if name == text and text != ":" and not LETTER.fullmatch(text) and not WORD.fullmatch(text):
        raise _foreign(element)
    return t.Name(name, _FONTS.get(element.variant, ""))


def _name(element: _Element) -> t.Name:
    node = _node(element)
    if not isinstance(node, t.Name):
        raise _foreign(element)
    return node


def _below(element: _Element) -> t.Node:
    base, indices = _parts(element, 2)
    return t.Subscript(_node(base), _indices(indices))


def _indices(element: _Element) -> tuple[t.Node, ...]:
    return _list(element) if _is_list(element) else (_node(element),)


def _above(element: _Element) -> t.Node:
    base, exponent = _parts(element, 2)
    if exponent.sign() == TOP:
        return t.Transpose(_node(base))
    if base.tag == "mi" and base.text == REALS:
        return t.Space(_dimensions(exponent))
    return _raised(_node(base), exponent)


def _raised(base: t.Node, exponent: _Element) -> t.Node:
    """Read a power; a label with the mark of a transpose behind it is the transpose of one."""
    parts = exponent.inside
    if exponent.tag == "mrow" and len(parts) == 2 and parts[1].sign() == TOP:
        return t.Transpose(t.Power(base, _node(parts[0])))
    return t.Power(base, _node(exponent))


def _dimensions(element: _Element) -> tuple[t.Node, ...]:
    parts = element.inside
    if element.tag == "mrow" and len(parts) == 3 and parts[1].sign() == "×" and not _is_scientific(parts):
        return _node(parts[0]), _node(parts[2])
    return (_node(element),)


def _both(element: _Element) -> t.Node:
    base, indices, exponent = _parts(element, 3)
    below = t.Subscript(_node(base), _indices(indices))
    return t.Transpose(below) if exponent.sign() == TOP else _raised(below, exponent)


def _fraction(element: _Element) -> t.Node:
    numerator, denominator = _parts(element, 2)
    if numerator.inside and numerator.inside[0].sign() == PARTIAL:
        return t.Call(t.Name("diff"), (_node(_parts(numerator, 2)[1]), _variable(denominator)))
    return t.Division(_node(numerator), _node(denominator))


def _variable(below: _Element) -> t.Node:
    sign, variable = _parts(below, 2)
    if sign.sign() != PARTIAL:
        raise _foreign(below)
    return _node(variable)


def _square_root(element: _Element) -> t.Node:
    return t.Root(_node(_only(element)))


def _root(element: _Element) -> t.Node:
    body, degree = _parts(element, 2)
    return t.Root(_node(body), _node(degree))


def _boxed(element: _Element) -> t.Node:
    return t.Boxed(_node(_only(element)))


def _table(element: _Element, brackets: str = "") -> t.Node:
    return t.Matrix(tuple([_table_row(row) for row in element.inside]), brackets)


def _table_row(element: _Element) -> tuple[t.Node, ...]:
    if element.tag != "mtr" or any(cell.tag != "mtd" for cell in element.inside):
        raise _foreign(element)
    return tuple([_node(_only(cell)) for cell in element.inside])


def _row(element: _Element) -> t.Node:
    """Read a row by the sign that stands first, else by the sign that stands second."""
    parts = element.inside
    first, second = (parts[0].sign(), parts[1].sign()) if len(parts) > 1 else ("", "")
    if first == MINUS and len(parts) == 2:
        return t.Negative(_node(parts[1]))
    if first in {"(", "[", "{", *BARS.values()} and len(parts) == 3:
        return _bracketed(parts)
    if first in _RELATIONS or second in _RELATIONS:
        return _chain(parts)
    if second in _SUMS:
        return t.Sum(*_infix(element, _SUMS))
    if second == "/" and len(parts) == 3:
        return t.Division(_part(parts[0]), _part(parts[2]), bar=False)
    if _is_scientific(parts):
        return _scientific(parts)
    if second in _PRODUCTS:
        return t.Product(*_infix(element, _PRODUCTS))
    if second == _APPLY and len(parts) == 3:
        return _call(parts)
    if len(parts) == 2 and parts[0].tag in {"munder", "munderover"}:
        return _sum_over(*parts)
    raise _foreign(element)


def _infix(element: _Element, signs: dict[str, str]) -> tuple[tuple[t.Node, ...], tuple[str, ...]]:
    written = [part.sign() for part in element.inside[1::2]]
    if len(element.inside) % 2 == 0 or not signs.keys() >= set(written):
        raise _foreign(element)
    return tuple([_node(part) for part in element.inside[::2]]), tuple([signs[sign] for sign in written])


def _chain(parts: list[_Element]) -> t.Node:
    sides: list[t.Node | None] = [None] if parts[0].sign() in _RELATIONS else []
    operators: list[str] = []
    for part in parts:
        if part.sign() in _RELATIONS:
            if len(operators) == len(sides):
                raise _foreign(part)
            operators.append(part.text)
        elif len(operators) != len(sides):
            raise _foreign(part)
        else:
            sides.append(_node(part))
    return t.Relation((*sides, None) if len(sides) == len(operators) else tuple(sides), tuple(operators))


def _bracketed(parts: list[_Element]) -> t.Node:
    opening, content, closing = parts
    brackets = opening.text
    if closing.sign() != symbols.CLOSING.get(brackets, brackets):
        raise _foreign(closing)
    if content.tag == "mtable" and brackets != BARS["norm"]:
        return _table(content, brackets)
    measure = next((name for name, bar in BARS.items() if bar == brackets), "")
    if measure:
        return t.Call(t.Name(measure), (_node(content),))
    if _is_list(content):
        return t.Vector(_list(content), brackets)
    return t.Group(_node(content), brackets)


def _is_list(element: _Element) -> bool:
    parts = element.inside
    return element.tag == "mrow" and (len(parts) == 1 or (len(parts) > 1 and parts[1].sign() == ","))


def _list(element: _Element) -> tuple[t.Node, ...]:
    if len(element.inside) % 2 == 0 or any(part.sign() != "," for part in element.inside[1::2]):
        raise _foreign(element)
    return tuple([_node(part) for part in element.inside[::2]])


def _part(element: _Element) -> t.Node:
    """Read a part of a quotient with a slash: round brackets around one expression are those of the layout."""
    parts = element.inside
    is_layout = element.tag == "mrow" and len(parts) == 3 and parts[0].sign() == "(" and parts[2].sign() == ")"
    if is_layout and parts[1].tag != "mtable" and not _is_list(parts[1]):
        return _node(parts[1])
    return _node(element)


def _is_scientific(parts: list[_Element]) -> bool:
    """Return True for a numeral and a power of ten, which are one number."""
    if len(parts) != 3 or parts[0].tag != "mn" or parts[1].sign() != "×" or parts[2].tag != "msup":
        return False
    raised = parts[2].inside
    if len(raised) != 2 or raised[0].tag != "mn" or raised[0].text != "10":
        return False
    exponent = raised[1]
    if exponent.tag == "mrow" and len(exponent.inside) == 2 and exponent.inside[0].sign() == MINUS:
        exponent = exponent.inside[1]
    return exponent.tag == "mn" and exponent.text.isdecimal()


def _scientific(parts: list[_Element]) -> t.Node:
    exponent = parts[2].inside[1]
    digits = exponent.text if exponent.tag == "mn" else f"-{exponent.inside[1].text}"
    return t.Number(f"{parts[0].text}e{digits}")


def _call(parts: list[_Element]) -> t.Node:
    head, arguments = parts[0], parts[2]
    signs = [part.sign() for part in arguments.inside]
    if arguments.tag != "mrow" or signs not in (["(", "", ")"], ["[", "", "]"]):
        raise _foreign(arguments)
    content = arguments.inside[1]
    if len(content.inside) == 3 and content.inside[1].sign() == GIVEN:
        return t.Call(_name(head), (_node(content.inside[0]), _given(content.inside[2])))
    if not _is_list(content):
        raise _foreign(arguments)
    items = _list(content)
    if head.tag == "mfrac":
        return t.Call(t.Name("diff"), (*items, _variable(_applied(head, PARTIAL))))
    if head.tag == "munder":
        variable, arrow, target = _parts(_applied(head, "lim"), 3)
        if arrow.sign() != "→":
            raise _foreign(head)
        return t.Call(t.Name("lim"), (_node(variable), infinite(_node(target)), *items))
    return t.Call(_name(head), items)


def _applied(head: _Element, wanted: str) -> _Element:
    """Return the element below the sign of a derivative or of a limit."""
    sign, below = _parts(head, 2)
    if sign.sign() != wanted:
        raise _foreign(head)
    return below


def _given(element: _Element) -> t.Node:
    items = _list(element)
    return items[0] if len(items) == 1 else t.Vector(items, "(")


def _sum_over(over: _Element, body: _Element) -> t.Node:
    sign, below, *above = _parts(over, 2 if over.tag == "munder" else 3)
    if sign.sign() != "∑":
        raise _foreign(over)
    parts = below.inside if below.tag == "mrow" else []
    is_both = len(parts) == 3 and parts[1].sign() == ","
    excluding = parts[2] if is_both else below
    bound = parts[0] if is_both else below
    name, lower = _bound(bound)
    again, excluded = _excluded(excluding)
    if (lower is None) != (not above) or (is_both and (lower is None or again != name)):
        raise _foreign(over)
    index = name or again
    if index is None:
        raise _foreign(over)
    return t.SumOver(index, lower, _node(above[0]) if above else None, _node(body), excluded)


def _bound(element: _Element) -> tuple[t.Name | None, t.Node | None]:
    """Read an index and its lower bound; neither when the element is something else."""
    if element.tag != "mrow":
        return _name(element), None
    if len(element.inside) != 3 or element.inside[1].sign() != "=":
        return None, None
    return _name(element.inside[0]), _node(element.inside[2])


def _excluded(element: _Element) -> tuple[t.Name | None, tuple[t.Node, ...]]:
    """Read an index and the values that it excludes; none when the element is something else."""
    if element.tag != "mrow" or len(element.inside) != 3 or element.inside[1].sign() != "≠":
        return None, ()
    return _name(element.inside[0]), _list(element.inside[2])


_READERS: dict[str, Callable[[_Element], t.Node]] = {
    "mi": _identifier,
    "mn": _number,
    "mtext": _text,
    "mrow": _row,
    "msub": _below,
    "msup": _above,
    "msubsup": _both,
    "mfrac": _fraction,
    "msqrt": _square_root,
    "mroot": _root,
    "mtable": _table,
    "mpadded": _boxed,
}
