r"""Writer of syntax trees as LaTeX, for math mode."""

from __future__ import annotations

from collections.abc import Callable

from symattn.notation.lexer.escapes import escape
from symattn.notation.tree import nodes as t
from symattn.notation.tree import symbols
from symattn.notation.tree.precedence import (
    are_running,
    derivative,
    is_function,
    is_open_call,
    is_pair,
    is_scientific,
    is_set_apart,
    is_tight,
    is_word,
)
from symattn.notation.tree.traversal import walk
from symattn.notation.tree.wellformed import check

_FONT_COMMANDS = {
    "": "",
    "bold": "mathbf",
    "roman": "mathrm",
    "blackboard": "mathbb",
    "calligraphic": "mathcal",
}
_OWN_COMMANDS = frozenset({"exp", "log", "ln", "max", "min", "tanh", "sin", "cos"})
_OPERATORS = {"cdot": r" \cdot ", "times": r" \times "}
_COMMANDS = symbols.RELATION_COMMANDS | symbols.PROOF_RELATION_COMMANDS
_RELATIONS = {sign: f"\\{command}" for command, sign in reversed(_COMMANDS.items())}
_RELATIONS |= {sign: sign for sign in "=<>"}
_MATRICES = {"[": "bmatrix", "(": "pmatrix", "{": "Bmatrix", "|": "vmatrix", "": "matrix"}


def write_latex(node: t.Node, functions: frozenset[str] = t.FUNCTIONS) -> str:
    r"""Write a tree as LaTeX that `read_latex` reads back as the same tree.

    >>> print(write_latex(t.Power(t.Name("e"), t.Division(t.Number("3"), t.Number("2"), bar=False))))
    e^{3/2}

    Raises:
        ValueError: when the tree is ill formed: a bracket is missing, two numbers stand side by side, ...
    """
    check(node, functions)
    if "diff" in functions:
        _refuse_differentials(node)
    return _write(node)


def _refuse_differentials(node: t.Node) -> None:
    for item in walk(node):
        if isinstance(item, t.Division) and derivative(item.numerator, item.denominator):
            raise ValueError("ill-formed tree: in LaTeX this quotient would be read as a derivative")


def _write(node: t.Node) -> str:
    match node:
        case t.Number(text):
            mantissa, mark, exponent = text.partition("e")
            return f"{mantissa} \\times 10^{{{exponent}}}" if mark else text
        case t.Name():
            return _name(node)
        case t.Subscript():
            return _subscript(node)
        case t.Transpose(t.Power(base, label)):
            return f"{_apart(base)}^{{{_write(label)}\\top}}"
        case t.Transpose(body):
            return f"{_apart(body)}^{{\\top}}"
        case t.Negative(body):
            return f"-{_write(body)}"
        case t.Sum(terms, operators):
            return _write(terms[0]) + "".join(
                f" {operator} {_write(term)}" for operator, term in zip(operators, terms[1:], strict=True)
            )
        case t.Product():
            return _product(node)
        case t.Division():
            return _division(node)
        case t.Power(base, exponent):
            return f"{_apart(base)}^{{{_write(exponent)}}}"
        case t.Relation(sides, operators):
            return _relation(sides, operators)
        case _:
            return _write_enclosed(node)


def _write_enclosed(node: t.Node) -> str:
    match node:
        case t.Root(body, degree):
            return f"\\sqrt{_degree(degree)}{{{_write(body)}}}"
        case t.Group(body, brackets):
            written = _bracketed(_inside_group(body), brackets)
            # Round brackets directly around a limit or a derivative belong to the layout.
            return _bracketed(written, "(") if brackets == "(" and is_open_call(body) else written
        case t.Call(t.Name(name), arguments) if name in _LAYOUTS and len(arguments) in _LAYOUTS[name][0]:
            return _LAYOUTS[name][1](*arguments)
        case t.Call(function, arguments):
            return _name(function) + _bracketed(_list(arguments), "(")
        case t.SumOver():
            return _sum_over(node)
        case t.Vector(items, brackets):
            return _bracketed(_list(items), brackets)
        case t.Matrix():
            return _matrix(node)
        case t.Dots(shape):
            return f"\\{shape}"
        case t.Space(dimensions):
            return f"\\mathbb{{R}}^{{{_OPERATORS['times'].join(map(_apart, dimensions))}}}"
        case t.Boxed(body):
            return f"\\boxed{{{_write(body)}}}"
        case _:
            raise TypeError(f"{type(node).__name__} is not a node of written mathematics")


def _name(node: t.Name) -> str:
    text = node.text
    if text in symbols.SYMBOLS:
        return f"\\boldsymbol{{\\{text}}}" if node.font == "bold" else f"\\{text}"
    if is_function(text) and node.font in {"", "roman"}:
        return f"\\{text}" if text in _OWN_COMMANDS else f"\\operatorname{{{text}}}"
    if is_word(text) and len(text) == 1:
        return _letter(text, node.font)
    if is_word(text) and node.font not in {"bold", "text"}:
        is_gradient = text[0] == "d" and text[1:] in symbols.GREEK
        return f"\\mathrm{{d}}\\{text[1:]}" if is_gradient else f"\\mathrm{{{text}}}"
    return f"\\{'textbf' if node.font == 'bold' else 'text'}{{{escape(text)}}}"


def _letter(letter: str, font: str) -> str:
    command = _FONT_COMMANDS.get(font, "text")
    if command in {"mathbb", "mathcal"} and letter.islower():
        return letter  # these alphabets have capitals only
    return f"\\{command}{{{letter}}}" if command else letter


def _sum_over(node: t.SumOver) -> str:
    index = _name(node.index)
    below = index if node.lower is None else f"{index}={_write(node.lower)}"
    if node.excluded:
        others = f"{index} \\neq {', '.join(map(_write, node.excluded))}"
        # In i ≠ j alone both may run.
        is_told = node.lower is not None or is_pair(node.index, node.excluded)
        below = f"{below}, {others}" if is_told else others
    above = "" if node.upper is None else f"^{{{_write(node.upper)}}}"
    return f"\\sum_{{{below}}}{above} {_write(node.body)}"


def _apart(node: t.Node) -> str:
    """Write an operand; a limit or a derivative gets brackets of the layout, which show its end."""
    return _bracketed(_write(node), "(") if is_open_call(node) else _write(node)


# Calls with a layout of their own ------------------------------------------------------------------


def _mean(body: t.Node, given: t.Node | None = None) -> str:
    items = given.items if isinstance(given, t.Vector) and given.brackets == "(" else (given,)
    condition = "" if given is None else f" \\mid {', '.join(_write(item) for item in items if item is not None)}"
    return "\\mathbb{E}" + _bracketed(_list((body,)) + condition, "[")


def _derivative(body: t.Node, variable: t.Node) -> str:
    below = f"\\partial {_write(variable)}"
    if isinstance(body, t.Name | t.Subscript):
        return f"\\frac{{\\partial {_write(body)}}}{{{below}}}"
    return f"\\frac{{\\partial}}{{{below}}}{_bracketed(_list((body,)), '(')}"


def _limit(variable: t.Node, target: t.Node, body: t.Node) -> str:
    is_bracketed = isinstance(body, t.Sum) or (isinstance(body, t.Group) and body.brackets == "(")
    written = _bracketed(_write(body), "(") if is_bracketed else _list((body,))
    return f"\\lim_{{{_write(variable)} \\to {_target(target)}}} {written}"


def _target(node: t.Node) -> str:
    if isinstance(node, t.Negative):
        return f"-{_target(node.body)}"
    return r"\infty" if node == t.Name("oo") else _write(node)


def _between(left: str, right: str) -> Callable[[t.Node], str]:
    def bars(body: t.Node) -> str:
        content = _list((body,))
        return f"\\left{left} {content} \\right{right}" if _is_tall(content) else f"{left} {content} {right}"

    return bars


_LAYOUTS: dict[str, tuple[tuple[int, ...], Callable[..., str]]] = {
    "E": ((1, 2), _mean),
    "diff": ((2,), _derivative),
    "lim": ((3,), _limit),
    "norm": ((1,), _between(r"\lVert", r"\rVert")),
    "abs": ((1,), _between(r"\lvert", r"\rvert")),
}
"""Functions with a layout of their own, by name: how many arguments, and how they are set."""


def _subscript(node: t.Subscript) -> str:
    base = f"{{{_write(node.base)}}}" if isinstance(node.base, t.Subscript) else _apart(node.base)
    indices = (":" if index == t.Name(":") else _index(index) for index in node.indices)
    return f"{base}_{{{','.join(indices)}}}"


def _index(node: t.Node) -> str:
    """Write an index; two running letters side by side are set as people write them, ``ij``."""
    if isinstance(node, t.Product) and len(node.factors) == 2:
        letters = "".join(factor.text for factor in node.factors if isinstance(factor, t.Name) and not factor.font)
        if node.operators == ("",) and are_running(letters) and all(isinstance(f, t.Name) for f in node.factors):
            return letters
    return _write(node)


def _product(node: t.Product) -> str:
    written = _factor(node, 0)
    for position, operator in enumerate(node.operators, start=1):
        following = _factor(node, position)
        written += (_OPERATORS.get(operator) or _gap(written, following)) + following
    return written


def _factor(node: t.Product, position: int) -> str:
    factor, signs = node.factors[position], ""
    while isinstance(factor, t.Negative):
        factor, signs = factor.body, f"{signs}-"
    if isinstance(factor, t.Division) and is_set_apart(node, position):
        return signs + _fraction(factor)  # beside other factors a slash would be ambiguous
    is_limit = isinstance(factor, t.Call) and factor.function.text == "lim" and position < len(node.factors) - 1
    return signs + (_apart(factor) if is_limit else _write(factor))


def _gap(left: str, right: str) -> str:
    """Return the space between two factors, empty where brackets and commands part them already."""
    return "" if right[0] in "\\(" or (left[-1] in "})]" and right[0] == "[") else " "


def _fraction(node: t.Division) -> str:
    return f"\\frac{{{_write(node.numerator)}}}{{{_write(node.denominator)}}}"


def _division(node: t.Division) -> str:
    if node.bar:
        return _fraction(node)
    numerator, denominator = node.numerator, node.denominator
    chained = isinstance(numerator, t.Division)
    left = _write(numerator) if chained else _part(numerator)
    return f"{left}/{_part(denominator)}"


def _part(node: t.Node) -> str:
    """Write a part of a quotient with a slash: brackets of the layout around all that is not tight."""
    if is_tight(node) and not is_scientific(node):
        return _apart(node)
    if isinstance(node, t.Division) and node.bar:
        return _write(node)
    return _bracketed(_inside_group(node), "(")


def _inside_group(node: t.Node) -> str:
    """Write the contents of a group; a matrix without brackets of its own gets square ones."""
    if isinstance(node, t.Matrix) and not node.brackets:
        return _write(t.Matrix(node.rows, "["))
    return _write(node)


def _degree(node: t.Node | None) -> str:
    if node is None:
        return ""
    degree = _write(node)
    return f"[{{{degree}}}]" if "]" in degree or "[" in degree else f"[{degree}]"


def _list(items: tuple[t.Node, ...]) -> str:
    return ", ".join(_inside_group(item) if len(items) == 1 else _write(item) for item in items)


def _bracketed(content: str, brackets: str) -> str:
    opening, closing = brackets, symbols.CLOSING[brackets]
    if brackets == "{":
        opening, closing = r"\{", r"\}"
    return f"\\left{opening} {content} \\right{closing}" if _is_tall(content) else f"{opening}{content}{closing}"


def _is_tall(content: str) -> bool:
    return any(command in content for command in (r"\frac", r"\sum", r"\begin", r"\boxed"))


def _matrix(node: t.Matrix) -> str:
    name = _MATRICES[node.brackets]
    rows = [" & ".join(map(_write, row)) for row in node.rows]
    # A row that begins with a bracket would be taken for the length after a row end.
    rows[1:] = [f"{{}}{row}" if row.startswith("[") else row for row in rows[1:]]
    separator = r" \\ "
    return f"\\begin{{{name}}} {separator.join(rows)} \\end{{{name}}}"


def _relation(sides: tuple[t.Node | None, ...], operators: tuple[str, ...]) -> str:
    pieces = [_write(sides[0])] if sides[0] is not None else []
    for operator, side in zip(operators, sides[1:], strict=True):
        pieces.append(_RELATIONS[operator])
        if side is not None:
            pieces.append(_write(side))
    return " ".join(pieces)
