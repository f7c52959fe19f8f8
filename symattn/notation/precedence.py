"""Where a tree needs brackets: the one set of rules that readers and writers share.

From loose to tight: relation, sum, leading minus and sum over an index, product, quotient, then
everything that stands by itself. Brackets that the layout implies (a fraction's two parts, an exponent,
a root, an index, an argument) are not nodes; every other bracket is a `Group`.
"""

from __future__ import annotations

from symattn.notation import tree as t

_SUM = (t.Relation, t.Sum)
_NO_FACTOR = (t.Relation, t.Sum, t.Product, t.Negative, t.SumOver)
_SCRIPTABLE = (t.Name, t.Subscript, t.Group, t.Call, t.Matrix, t.Vector, t.Root, t.Boxed)
_FUNCTION_FONT = "blackboard"


def is_function(name: str, functions: frozenset[str] = t.FUNCTIONS) -> bool:
    """Whether a name calls what stands behind it; a capital first letter makes no difference to a word.

    >>> is_function("softmax"), is_function("Softmax"), is_function("q")
    (True, True, False)
    """
    return name in functions or (len(name) > 1 and name[:1].lower() + name[1:] in functions)


def calls(node: t.Node, functions: frozenset[str] = t.FUNCTIONS) -> bool:
    r"""Whether a node is the name of a function; ``\mathbb{E}`` is one by its font.

    >>> calls(t.Name("exp")), calls(t.Name("E")), calls(t.Name("E", font="blackboard"))
    (True, False, True)
    """
    if not isinstance(node, t.Name):
        return False
    return is_function(node.text, functions) or (node.text == "E" and node.font == _FUNCTION_FONT)


def bracketed(node: t.Node) -> t.Group:
    """A node in round brackets.

    >>> bracketed(t.Name("x"))
    Group(body=Name(text='x', font=''), brackets='(')
    """
    return t.Group(node)


def factor(node: t.Node) -> t.Node:
    """The node as a factor of a product, in brackets if it must be: (-2), (a + b).

    >>> factor(t.Negative(t.Number("2")))
    Group(body=Negative(body=Number(text='2')), brackets='(')
    """
    return bracketed(node) if isinstance(node, _NO_FACTOR) else _grouped(node)


def term(node: t.Node) -> t.Node:
    """The node as a term behind a sign, or below a leading minus, in brackets if it must be.

    >>> term(t.Product((t.Name("a"), t.Name("b")), ("cdot",)))
    Product(factors=(Name(text='a', font=''), Name(text='b', font='')), operators=('cdot',))
    """
    return bracketed(node) if isinstance(node, (*_SUM, t.Negative)) else _grouped(node)


def base(node: t.Node) -> t.Node:
    """The node as the base of a power or of a transpose, in brackets if it must be.

    >>> base(t.Number("3")), base(t.Negative(t.Number("3")))
    (Number(text='3'), Group(body=Negative(body=Number(text='3')), brackets='('))
    """
    return _grouped(node) if can_be_base(node) else bracketed(node)


def _grouped(node: t.Node) -> t.Node:
    """In arithmetic ``[x]`` is a bracket, not a list of one item."""
    if is_single_list(node) and isinstance(node, t.Vector):
        return t.Group(node.items[0], node.brackets, span=node.span)
    return node


def is_single_list(node: t.Node) -> bool:
    """Whether a node is a list of one item, ``[x]``.

    >>> is_single_list(t.Vector((t.Name("x"),), "["))
    True
    """
    return isinstance(node, t.Vector) and len(node.items) == 1


def can_be_base(node: t.Node) -> bool:
    """Whether an exponent or a transpose may follow the node without brackets.

    >>> can_be_base(t.Name("x")), can_be_base(t.Number("6.9e-13"))
    (True, False)
    """
    return (isinstance(node, t.Number) and "e" not in node.text) or can_have_index(node)


def can_have_index(node: t.Node) -> bool:
    """Whether an index may follow the node without brackets.

    >>> can_have_index(t.Name("x")), can_have_index(t.Number("3"))
    (True, False)
    """
    return isinstance(node, _SCRIPTABLE)


def is_power_of_ten(node: t.Node) -> bool:
    """Whether a node is ten with an integer exponent as written, ``10^{-13}``.

    >>> is_power_of_ten(t.Power(t.Number("10"), t.Negative(t.Number("13"))))
    True
    """
    if not isinstance(node, t.Power) or node.base != t.Number("10"):
        return False
    exponent = node.exponent.body if isinstance(node.exponent, t.Negative) else node.exponent
    return isinstance(exponent, t.Number) and exponent.text.isdigit()


def is_matrix_by_habit(items: tuple[t.Node, ...]) -> bool:
    """Whether these items in square brackets are how people write a matrix: [[a], [b]], or [[1] [2]].

    >>> is_matrix_by_habit((t.Vector((t.Name("a"),), "["), t.Vector((t.Name("b"),), "[")))
    True
    """
    if len(items) == 1 and isinstance(items[0], t.Product) and not any(items[0].operators):
        items = items[0].factors
    return all(isinstance(item, t.Group | t.Vector) and item.brackets == "[" for item in items)


def is_tower(node: t.Power) -> bool:
    """Whether a power of numbers stands in the exponent of a number, too large to be written out.

    >>> nine = t.Number("9")
    >>> is_tower(t.Power(nine, t.Power(nine, nine))), is_tower(t.Power(t.Name("x"), t.Power(nine, nine)))
    (True, False)
    """
    return isinstance(node.base, t.Number) and _is_power_of_numbers(node.exponent)


def _is_power_of_numbers(node: t.Node) -> bool:
    while isinstance(node, t.Group | t.Negative):
        node = node.body
    return isinstance(node, t.Power) and isinstance(node.base, t.Number)


def clash(left: t.Node, operator: str, right: t.Node, functions: frozenset[str] = t.FUNCTIONS) -> str:
    """Why two neighbours of a product cannot be read back as such, or nothing.

    >>> clash(t.Number("2"), "", t.Number("3"))
    'two numbers stand side by side'
    """
    while isinstance(left, t.Negative):
        left = left.body
    if operator == "times":
        is_number = isinstance(left, t.Number) and "e" not in left.text
        return "a power of ten belongs to the number before it" if is_number and is_power_of_ten(right) else ""
    if operator:
        return ""
    if calls(left, functions):
        return "a function stands beside its argument"
    if isinstance(right, t.Negative):
        return "a minus sign follows without an operator"
    if isinstance(left, t.Number):
        return _clash_of_number(right)
    return ""


def _clash_of_number(right: t.Node) -> str:
    head = right
    while isinstance(head, t.Power | t.Transpose):
        head = head.base
    if isinstance(head, t.Number):
        return "two numbers stand side by side"
    if (
        isinstance(right, t.Division)
        and isinstance(right.numerator, t.Number)
        and isinstance(right.denominator, t.Number)
    ):
        return "a number stands beside a fraction, which is a product or a mixed number"
    return ""


def holds_quotient(node: t.Node) -> bool:
    """Whether a node is a quotient, or nothing but round brackets around one.

    >>> holds_quotient(t.Group(t.Division(t.Name("a"), t.Name("b"))))
    True
    """
    while isinstance(node, t.Group) and node.brackets == "(":
        node = node.body
    return isinstance(node, t.Division)


def is_set_apart(node: t.Product, position: int) -> bool:
    """Whether a quotient at this place of a product needs brackets in plain text, where it has no bar.

    >>> is_set_apart(t.Product((t.Division(t.Name("a"), t.Name("b")), t.Name("x")), ("",)), 0)
    True
    """
    before = node.operators[position - 1] if position else None
    after = node.operators[position] if position < len(node.operators) else None
    if after == "times" and is_power_of_ten(node.factors[position + 1]):
        return True
    return before == "" or after == ""


def without_layout(node: t.Node, functions: frozenset[str] = t.FUNCTIONS) -> t.Node:
    """A product as plain text means it: the brackets of (a/b) beside another factor stand for a fraction's bar.

    >>> half = t.Division(t.Number("1"), t.Number("2"))
    >>> without_layout(t.Product((t.Group(half), t.Name("x")), ("",))) == t.Product((half, t.Name("x")), ("",))
    True
    """
    if not isinstance(node, t.Product):
        return node
    factors = list(node.factors)
    for position, item in enumerate(factors):
        if not is_set_apart(node, position):
            continue
        bare = _without_brackets(item)
        left = factors[position - 1] if position else None
        if left is None or not clash(left, node.operators[position - 1], bare, functions):
            factors[position] = bare
    return t.Product(tuple(factors), node.operators, span=node.span)


def _without_brackets(node: t.Node) -> t.Node:
    """A quotient without its outer brackets, signs before it kept."""
    if isinstance(node, t.Negative):
        return t.Negative(_without_brackets(node.body), span=node.span)
    return node.body if isinstance(node, t.Group) and holds_quotient(node) else node
