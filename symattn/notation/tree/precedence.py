"""TRUSTED. Precedence rules for brackets, which readers and writers share.

From loose to tight: relation, sum, leading minus and sum over an index, product, quotient, then
everything that stands by itself. Brackets that the layout implies (a fraction's two parts, an exponent,
a root, an index, an argument) are not nodes; every other bracket is a `Group`.
"""

from __future__ import annotations

from symattn.notation.tree import nodes as t

_SUM = (t.Relation, t.Sum)
_NO_FACTOR = (t.Relation, t.Sum, t.Product, t.Negative, t.SumOver)
_SCRIPTABLE = (t.Name, t.Subscript, t.Group, t.Call, t.Matrix, t.Vector, t.Root, t.Boxed)
_TIGHT = (
    t.Number, t.Name, t.Subscript, t.Power, t.Transpose, t.Root, t.Call, t.Matrix, t.Vector, t.Boxed, t.Dots,
)  # fmt: skip
_MEAN_FONTS = frozenset({"blackboard", "roman"})
_RUNNING = frozenset("cijklmnrst")
_WORDS = frozenset({"in", "is", "it"})
_DIFFERENTIALS = frozenset({"partial", "d"})


def is_function(name: str, functions: frozenset[str] = t.FUNCTIONS) -> bool:
    """Return True if a name calls the brackets behind it; words may begin with a capital.

    >>> is_function("softmax"), is_function("Softmax"), is_function("q")
    (True, True, False)
    """
    return name in functions or (len(name) > 1 and name[:1].lower() + name[1:] in functions)


def is_word(text: str) -> bool:
    """Return True if a text is a letter, or letters and digits after one.

    >>> is_word("q"), is_word("head1"), is_word("1st"), is_word("é")
    (True, True, False, False)
    """
    return text.isascii() and text.isalnum() and text[0].isalpha()


def calls(node: t.Node, functions: frozenset[str] = t.FUNCTIONS) -> bool:
    r"""Return True if a node is the name of a function; ``\mathbb{E}`` and ``\mathrm{E}`` are one by their font.

    >>> calls(t.Name("exp")), calls(t.Name("E")), calls(t.Name("E", font="blackboard"))
    (True, False, True)
    """
    if not isinstance(node, t.Name):
        return False
    return is_function(node.text, functions) or (node.text == "E" and node.font in _MEAN_FONTS)


def is_variance(node: t.Node) -> bool:
    r"""Return True if a node is the sign ``\mathbb{V}``, which before brackets is a variance.

    >>> is_variance(t.Name("V", font="blackboard")), is_variance(t.Name("V"))
    (True, False)
    """
    return isinstance(node, t.Name) and (node.text, node.font) == ("V", "blackboard")


def is_pair(index: t.Name, excluded: tuple[t.Node, ...]) -> bool:
    r"""Return True if ``index \neq excluded`` could let both run: two letters in their alphabetical order.

    >>> is_pair(t.Name("i"), (t.Name("j"),)), is_pair(t.Name("j"), (t.Name("i"),))
    (True, False)
    """
    if len(excluded) != 1 or not isinstance(excluded[0], t.Name):
        return False
    letters = index.text, excluded[0].text
    return all(len(letter) == 1 and letter.isascii() and letter.islower() for letter in letters) and (
        letters[0] < letters[1]
    )


def are_running(text: str) -> bool:
    """Return True if an index of a name is two running letters, ``delta_ij``, and not a word.

    >>> are_running("ij"), are_running("in"), are_running("out")
    (True, False, False)
    """
    return len(text) == 2 and _RUNNING.issuperset(text) and text not in _WORDS


def infinite(node: t.Node) -> t.Node:
    """Return the target of a limit: infinity is ``oo`` there, whatever its sign.

    >>> infinite(t.Negative(t.Name("infty")))
    Negative(body=Name(text='oo', font=''))
    """
    if isinstance(node, t.Negative):
        return t.Negative(infinite(node.body), span=node.span)
    is_infinite = isinstance(node, t.Name) and node.text in {"infty", "infinity"}
    return t.Name("oo", span=node.span) if is_infinite else node


def is_open_call(node: t.Node) -> bool:
    r"""Return True if a node is a limit or a derivative, which LaTeX sets without brackets around all of it.

    >>> is_open_call(t.Call(t.Name("diff"), (t.Name("a"), t.Name("z"))))
    True
    """
    if not isinstance(node, t.Call):
        return False
    return (node.function.text, len(node.arguments)) in {("lim", 3), ("diff", 2)}


def derivative(above: t.Node, below: t.Node) -> tuple[t.Node | None, t.Node] | None:
    r"""Return the differentiand, None where it follows, and the variable; None if ``above / below`` is a quotient.

    >>> partial, a, z = t.Name("partial"), t.Name("a"), t.Name("z")
    >>> derivative(t.Product((partial, a), ("",)), t.Product((partial, z), ("",)))
    (Name(text='a', font=''), Name(text='z', font=''))
    """
    if not isinstance(below, t.Product) or len(below.factors) != 2 or below.operators != ("",):
        return None
    mark, variable = below.factors
    if not isinstance(mark, t.Name) or mark.text not in _DIFFERENTIALS:
        return None
    if not isinstance(variable, t.Name | t.Subscript):
        return None
    if above == mark:
        return None, variable
    if not isinstance(above, t.Product) or above.factors[0] != mark or above.operators[0]:
        return None
    rest = above.factors[1:]
    body = rest[0] if len(rest) == 1 else t.Product(rest, above.operators[1:], span=_hull(rest))
    return (body.body if isinstance(body, t.Group) and body.brackets == "(" else body), variable


def partial_derivative(above: t.Node, below: t.Node) -> tuple[t.Node | None, t.Node] | None:
    """Return the same for the sign of a partial derivative alone, which is not a name of anything else.

    >>> d, a, x = t.Name("d"), t.Name("a"), t.Name("x")
    >>> partial_derivative(t.Product((d, a), ("",)), t.Product((d, x), ("",))) is None
    True
    """
    is_partial = isinstance(below, t.Product) and below.factors[0] == t.Name("partial")
    return derivative(above, below) if is_partial else None


def _hull(nodes: tuple[t.Node, ...]) -> t.Span | None:
    first, last = nodes[0].span, nodes[-1].span
    return (first[0], last[1]) if first and last else None


def bracketed(node: t.Node) -> t.Group:
    """Put a node in round brackets.

    >>> bracketed(t.Name("x"))
    Group(body=Name(text='x', font=''), brackets='(')
    """
    return t.Group(node)


def factor(node: t.Node) -> t.Node:
    """Return the node as a factor of a product, in brackets if it must be: (-2), (a + b).

    >>> factor(t.Negative(t.Number("2")))
    Group(body=Negative(body=Number(text='2')), brackets='(')
    """
    return bracketed(node) if isinstance(node, _NO_FACTOR) else _grouped(node)


def term(node: t.Node) -> t.Node:
    """Return the node as a term behind a sign, or below a leading minus, in brackets if it must be.

    >>> term(t.Product((t.Name("a"), t.Name("b")), ("cdot",)))
    Product(factors=(Name(text='a', font=''), Name(text='b', font='')), operators=('cdot',))
    """
    return bracketed(node) if isinstance(node, (*_SUM, t.Negative)) else _grouped(node)


def base(node: t.Node) -> t.Node:
    """Return the node as the base of a power or of a transpose, in brackets if it must be.

    >>> base(t.Number("3")), base(t.Negative(t.Number("3")))
    (Number(text='3'), Group(body=Negative(body=Number(text='3')), brackets='('))
    """
    return _grouped(node) if can_be_base(node) else bracketed(node)


def _grouped(node: t.Node) -> t.Node:
    """Turn a list of one item, ``[x]``, into the bracket that it is in arithmetic."""
    if is_single_list(node) and isinstance(node, t.Vector):
        return t.Group(node.items[0], node.brackets, span=node.span)
    return node


def is_single_list(node: t.Node) -> bool:
    """Return True if a node is a list of one item, ``[x]``.

    >>> is_single_list(t.Vector((t.Name("x"),), "["))
    True
    """
    return isinstance(node, t.Vector) and len(node.items) == 1


def can_be_base(node: t.Node) -> bool:
    """Return True if an exponent or a transpose may follow the node without brackets.

    >>> can_be_base(t.Name("x")), can_be_base(t.Number("6.9e-13"))
    (True, False)
    """
    return (isinstance(node, t.Number) and not is_scientific(node)) or can_have_index(node)


def can_have_index(node: t.Node) -> bool:
    """Return True if an index may follow the node without brackets.

    >>> can_have_index(t.Name("x")), can_have_index(t.Number("3"))
    (True, False)
    """
    return isinstance(node, _SCRIPTABLE)


def is_label(node: t.Node) -> bool:
    """Return True if a node in the place of an exponent is the number of a head in brackets, ``(1)``.

    >>> is_label(t.Group(t.Number("1"))), is_label(t.Number("1"))
    (True, False)
    >>> is_label(t.Vector((t.Number("1"), t.Number("2"))))
    True
    """
    if isinstance(node, t.Vector):
        return node.brackets == "(" and all(isinstance(item, t.Number) for item in node.items)
    return isinstance(node, t.Group) and node.brackets == "(" and isinstance(node.body, t.Number | t.Name)


def is_labelled(node: t.Node) -> bool:
    r"""Return True if a node is the base of a label, ``K^{(1)}``: its transpose is ``K^{(1)\top}``.

    >>> is_labelled(t.Power(t.Name("K"), t.Group(t.Number("1"))))
    True
    """
    return isinstance(node, t.Power) and is_label(node.exponent)


def can_be_transposed(node: t.Node) -> bool:
    """Return True if the mark of a transpose may follow the node without brackets.

    >>> can_be_transposed(t.Name("K")), can_be_transposed(t.Power(t.Name("K"), t.Number("2")))
    (True, False)
    """
    return can_be_base(node) or is_labelled(node)


def turned_label(node: t.Node) -> t.Node | None:
    r"""Return the label in an exponent of a label and the mark of a transpose, ``(1)^\top`` or ``(1)T``.

    >>> turned_label(t.Transpose(t.Group(t.Number("1")))), turned_label(t.Transpose(t.Name("K")))
    (Group(body=Number(text='1'), brackets='('), None)
    """
    match node:
        case t.Transpose(base) if is_label(base):
            return base
        case t.Product((label, t.Name("T")), ("",)) if is_label(label):
            return label
    return None


def is_scientific(node: t.Node) -> bool:
    """Return True if a node is a numeral with an exponent, which LaTeX writes as a product.

    >>> is_scientific(t.Number("6.9e-13")), is_scientific(t.Number("3"))
    (True, False)
    """
    return isinstance(node, t.Number) and "e" in node.text


def is_power_of_ten(node: t.Node) -> bool:
    """Return True if a node is ten with an integer exponent as written, ``10^{-13}``.

    >>> is_power_of_ten(t.Power(t.Number("10"), t.Negative(t.Number("13"))))
    True
    """
    if not isinstance(node, t.Power) or node.base != t.Number("10"):
        return False
    exponent = node.exponent.body if isinstance(node.exponent, t.Negative) else node.exponent
    return isinstance(exponent, t.Number) and exponent.text.isdigit()


def is_matrix_by_habit(items: tuple[t.Node, ...]) -> bool:
    """Return True if items in square brackets are the rows of a matrix: [[a], [b]], or [[1] [2]].

    >>> is_matrix_by_habit((t.Vector((t.Name("a"),), "["), t.Vector((t.Name("b"),), "[")))
    True
    """
    if len(items) == 1 and isinstance(items[0], t.Product) and not any(items[0].operators):
        items = items[0].factors
    return all(isinstance(item, t.Group | t.Vector) and item.brackets == "[" for item in items)


def is_tower(node: t.Power) -> bool:
    """Return True if a power of numbers stands in the exponent of a number, too large to be written out.

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
    """Return the reason why two neighbours of a product cannot be read back as such, or an empty text.

    >>> clash(t.Number("2"), "", t.Number("3"))
    'two numbers stand side by side'
    """
    while isinstance(left, t.Negative):
        left = left.body
    if operator == "times":
        is_number = isinstance(left, t.Number) and not is_scientific(left)
        return "a power of ten belongs to the number before it" if is_number and is_power_of_ten(right) else ""
    if operator:
        return ""
    if calls(left, functions) or is_variance(left):
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


def is_tight(node: t.Node) -> bool:
    """Return True if a node needs no brackets as a part of a quotient with a slash.

    >>> is_tight(t.Name("a")), is_tight(t.Product((t.Name("a"), t.Name("b")), ("",)))
    (True, False)
    """
    return isinstance(node, _TIGHT) or (isinstance(node, t.Group) and node.brackets != "(")


def holds_quotient(node: t.Node) -> bool:
    """Return True if a node is a quotient, or nothing but round brackets around one.

    >>> holds_quotient(t.Group(t.Division(t.Name("a"), t.Name("b"))))
    True
    """
    while isinstance(node, t.Group) and node.brackets == "(":
        node = node.body
    return isinstance(node, t.Division)


def is_set_apart(node: t.Product, position: int) -> bool:
    """Return True if a quotient at this place of a product needs brackets in plain text, where it lacks a bar.

    >>> is_set_apart(t.Product((t.Division(t.Name("a"), t.Name("b")), t.Name("x")), ("",)), 0)
    True
    """
    before = node.operators[position - 1] if position else None
    after = node.operators[position] if position < len(node.operators) else None
    if after == "times" and is_power_of_ten(node.factors[position + 1]):
        return True
    return before == "" or after == ""


def without_layout(node: t.Node, functions: frozenset[str] = t.FUNCTIONS) -> t.Node:
    """Return a product as plain text means it: brackets of (a/b) beside a factor stand for a fraction's bar.

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
    """Remove the outer brackets of a quotient, and keep signs before it."""
    if isinstance(node, t.Negative):
        return t.Negative(_without_brackets(node.body), span=node.span)
    return node.body if isinstance(node, t.Group) and holds_quotient(node) else node
