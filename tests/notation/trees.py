"""Well-formed trees of written mathematics, drawn at random."""

from __future__ import annotations

from hypothesis import strategies as st

from symattn.notation.tree import nodes as t
from symattn.notation.tree import symbols
from symattn.notation.tree.precedence import (
    base,
    calls,
    can_have_index,
    clash,
    derivative,
    factor,
    infinite,
    is_matrix_by_habit,
    is_single_list,
    is_tower,
    turned_label,
)

Nodes = st.SearchStrategy[t.Node]

FUNCTIONS = t.FUNCTIONS | t.PROOF_FUNCTIONS
"""What the readers and writers of trees with the forms of proofs are told."""

LETTERS = "abcdeghijkqxyzABEKQRTVWXZ"
WORDS = (
    "softmax",
    "exp",
    "max",
    "out",
    "e3",
    "x2",
    "sum",
    "root",
    "boxed",
    "array",
    "infty",
    "T2",
    "model",
    "Var",
    "inf",
    "Infinity",
    "nan",
    "-",
    "tanh",
    "concat",
)


def well_formed_trees(max_leaves: int = 25, *, proofs: bool = False) -> Nodes:
    """Expressions and chains of relations that the writers accept; with `proofs` when they are told `FUNCTIONS`."""
    body = expressions(max_leaves, proofs=proofs)
    return st.one_of(body, relations(body), relations(body).map(t.Boxed))


def expressions(max_leaves: int = 25, *, proofs: bool = False) -> Nodes:
    """Well-formed trees without relations."""
    return st.recursive(leaves(), _larger_in_proofs if proofs else _larger, max_leaves=max_leaves).map(_listed)


def leaves() -> Nodes:
    dots = st.sampled_from(["cdots", "vdots", "ddots"]).map(t.Dots)
    return st.one_of(numbers(), numbers(), names(), names(), dots)


def numbers() -> Nodes:
    digits = st.text("0123456789", min_size=1, max_size=4)
    decimals = st.tuples(st.one_of(digits, st.just("")), digits).map(".".join)
    mantissa = st.one_of(digits, decimals)
    exponent = st.integers(-400, 400)
    plain = mantissa.map(t.Number)
    scientific = st.tuples(mantissa, exponent).map(lambda pair: t.Number(f"{pair[0]}e{pair[1]}"))
    return st.one_of(plain, plain, scientific)


def names() -> Nodes:
    text = st.one_of(
        st.sampled_from(LETTERS),
        st.sampled_from(sorted(symbols.SYMBOLS)),
        st.sampled_from(WORDS),
        st.text(st.characters(codec="utf-8", exclude_categories=["C"]), min_size=1, max_size=6),
        st.text("ab $%_{}\\^~&#<>|\"'", min_size=1, max_size=6),
    )
    font = st.sampled_from(["", "", "", "bold", "roman", "calligraphic", "text"])
    return st.builds(t.Name, text, font)


def _larger_in_proofs(part: Nodes) -> Nodes:
    return st.one_of(_larger(part), _larger(part), _proof_calls(part))


def _larger(part: Nodes) -> Nodes:
    return st.one_of(
        _sums(part), _products(part), _products(part), part.map(_negative), _quotients(part), _scripts(part),
        st.builds(t.Root, part.map(_operand), st.one_of(st.none(), part.map(_operand))),
        _brackets(part), _calls(part), _sums_over(part), _matrices(part), _spaces(part),
        part.map(_listed).map(t.Boxed),
    )  # fmt: skip


def _operand(node: t.Node) -> t.Node:
    """In arithmetic [x] is a bracket."""
    return t.Group(node.items[0], "[") if isinstance(node, t.Vector) and is_single_list(node) else node


def _listed(node: t.Node) -> t.Node:
    """As an item [x] is a list."""
    if isinstance(node, t.Group) and node.brackets == "[":
        return t.Vector((node.body,), "[")
    return node


def _term(node: t.Node) -> t.Node:
    return t.Group(node) if isinstance(node, t.Sum) else _operand(node)


def _negative(node: t.Node) -> t.Node:
    return t.Negative(_term(node))


def _sums(part: Nodes) -> Nodes:
    @st.composite
    def build(draw: st.DrawFn) -> t.Node:
        terms = draw(st.lists(part.map(_term), min_size=2, max_size=4))
        return t.Sum(tuple(terms), tuple(draw(st.sampled_from("+-")) for _ in terms[1:]))

    return build()


def _products(part: Nodes) -> Nodes:
    @st.composite
    def build(draw: st.DrawFn) -> t.Node:
        count = draw(st.integers(2, 4))
        factors, operators = [factor(draw(part))], []
        for position in range(1, count):
            operator = draw(st.sampled_from(["cdot", "times", "", ""]))
            following = _following_factor(draw(part), operator, last=position == count - 1)
            if clash(factors[-1], operator, following, FUNCTIONS):
                operator, following = "cdot", factor(following)
            factors.append(following)
            operators.append(operator)
        return t.Product(tuple(factors), tuple(operators))

    return build()


def _following_factor(node: t.Node, operator: str, *, last: bool) -> t.Node:
    if isinstance(node, t.SumOver) and last:
        return node
    if isinstance(node, t.Negative) and operator and not isinstance(node.body, t.SumOver | t.Product):
        return t.Negative(factor(node.body))
    return factor(node)


def _quotients(part: Nodes) -> Nodes:
    def quotient(above: t.Node, below: t.Node, bar: bool) -> t.Node:
        return t.Division(t.Number("1") if derivative(above, below) else above, below, bar)

    return st.builds(quotient, part.map(_operand), part.map(_operand), st.booleans())


def _scripts(part: Nodes) -> Nodes:
    @st.composite
    def build(draw: st.DrawFn) -> t.Node:
        node = draw(part)
        kind = draw(st.sampled_from(["below", "above", "transpose", "both", "head"]))
        if kind in {"below", "both"}:
            is_limit = isinstance(node, t.Name) and node.text == "lim"
            node = _listed(node) if can_have_index(node) and not is_limit else t.Group(_listed(node))
            node = t.Subscript(node, tuple(draw(st.lists(_indices(part), min_size=1, max_size=3))))
        if kind == "head":
            return draw(_heads(node))
        if kind == "transpose":
            return t.Transpose(_listed(base(node)))
        return _power(node, _operand(draw(part))) if kind != "below" else node

    return build()


def _heads(node: t.Node) -> Nodes:
    """What belongs to a head, as it is or transposed: ``K^{(1)}``, ``K^{(1)\\top}``."""
    label = st.one_of(st.integers(1, 12).map(str).map(t.Number), st.sampled_from("hgi").map(t.Name)).map(t.Group)
    power = label.map(lambda found: _power(node, found))
    return st.one_of(power, power.map(t.Transpose))


def _indices(part: Nodes) -> Nodes:
    return st.one_of(st.integers(1, 99).map(str).map(t.Number), st.just(t.Name(":")), part.map(_operand))


def _power(node: t.Node, exponent: t.Node) -> t.Node:
    is_read_otherwise = exponent == t.Name("T") or calls(exponent, FUNCTIONS) or turned_label(exponent) is not None
    power = t.Power(base(node), t.Group(exponent) if is_read_otherwise else exponent)
    return t.Power(t.Name("e"), power.exponent) if is_tower(power) else power


def _brackets(part: Nodes) -> Nodes:
    @st.composite
    def build(draw: st.DrawFn) -> t.Node:
        items = tuple(draw(st.lists(part.map(_listed), min_size=1, max_size=3)))
        brackets = draw(st.sampled_from("([{"))
        if brackets == "[" and is_matrix_by_habit(items):
            brackets = "("
        if len(items) == 1 and brackets != "[":
            return t.Group(items[0], brackets)
        return t.Vector(items, brackets)

    return build()


def _calls(part: Nodes) -> Nodes:
    functions = st.sampled_from(["exp", "log", "ln", "softmax", "Softmax", "max", "Var", "tanh", "Concat"]).map(t.Name)
    arguments = st.lists(part.map(_listed), min_size=1, max_size=2).map(tuple)
    return st.builds(t.Call, functions, arguments)


def _proof_calls(part: Nodes) -> Nodes:
    item = part.map(_listed)
    variable = st.one_of(names(), st.builds(t.Subscript, names(), st.tuples(part.map(_operand))))
    target = st.one_of(st.just(t.Name("oo")), st.just(t.Negative(t.Name("oo"))), item.map(infinite))
    mean, measures = t.Name("E", "blackboard"), st.sampled_from(["norm", "abs", "Var"]).map(t.Name)
    return st.one_of(
        st.builds(t.Call, st.just(mean), st.lists(item, min_size=1, max_size=3).map(tuple)),
        st.builds(t.Call, st.just(t.Name("E")), st.tuples(item, item)),
        st.builds(t.Call, measures, st.tuples(item)),
        st.builds(t.Call, st.just(t.Name("diff")), st.tuples(item, variable)),
        st.builds(t.Call, st.just(t.Name("lim")), st.tuples(item, target, item)),
    )


def _sums_over(part: Nodes) -> Nodes:
    operand = part.map(_operand)
    bounds = st.one_of(st.just((None, None)), st.tuples(operand, operand))
    letters = st.sampled_from("ijklab").map(t.Name)
    excluded = st.lists(st.one_of(letters, operand), max_size=3).map(tuple)

    def total(index: t.Name, ends: tuple[t.Node, t.Node], body: t.Node, others: tuple[t.Node, ...]) -> t.Node:
        return t.SumOver(index, *ends, body, others)

    return st.builds(total, st.one_of(letters, names()), bounds, part.map(_term), excluded)


def _matrices(part: Nodes) -> Nodes:
    @st.composite
    def build(draw: st.DrawFn) -> t.Node:
        width = draw(st.integers(1, 3))
        special: Nodes = st.sampled_from([t.MINUS_INFINITY, t.UNDEFINED])
        entry = st.one_of(part.map(_listed), special)
        row = st.lists(entry, min_size=width, max_size=width).map(_row)
        rows = draw(st.lists(row, min_size=1, max_size=3))
        return t.Matrix(tuple(rows), draw(st.sampled_from(["[", "(", "{", "|", ""])))

    return build()


def _row(entries: list[t.Node]) -> tuple[t.Node, ...]:
    return (t.Number("1"), *entries[1:]) if is_matrix_by_habit(tuple(entries)) else tuple(entries)


def _spaces(part: Nodes) -> Nodes:
    dimension = part.map(lambda node: node if isinstance(node, t.Number | t.Name | t.Group) else t.Group(node))
    return st.lists(dimension, min_size=1, max_size=2).map(tuple).map(t.Space)


def relations(part: Nodes) -> Nodes:
    @st.composite
    def build(draw: st.DrawFn) -> t.Node:
        sides: list[t.Node | None] = [*draw(st.lists(part, min_size=1, max_size=4))]
        if draw(st.booleans()):
            sides.insert(0, None)
        if len(sides) == 1 or draw(st.booleans()):
            sides.append(None)
        return t.Relation(tuple(sides), tuple(draw(st.sampled_from(t.RELATIONS)) for _ in sides[1:]))

    return build()
