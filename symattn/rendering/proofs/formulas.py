"""The formulas of proofs, from plain text to LaTeX."""

from __future__ import annotations

import re
from itertools import pairwise

from symattn.errors import NotationError
from symattn.notation.tree import nodes as t
from symattn.notation.tree.symbols import GREEK
from symattn.notation.tree.traversal import bare, rebuilt, walk
from symattn.notation.writers.latex import write_latex
from symattn.proofs.language.interpretation import ELEMENTARY, FUNCTIONS, INFINITY, plain_name, read_text
from symattn.proofs.language.scope import Scope
from symattn.rendering.latex.prose import split_at_commas
from symattn.rendering.latex.typesetting import escape
from symattn.rendering.latex.widths import width
from symattn.rendering.proofs.named_functions import AT_LEAST, derivative, in_symbols, is_derivative, repeated, spliced
from symattn.rendering.proofs.slashes import slashed

_FORMULA = re.compile(r"\$([^$]*)\$")
_SMALL_FRACTION = re.compile(r"\\frac\{(\d{1,3})\}\{(\d{1,3})\}")
_IN_EXPONENT = re.compile(r"(\^\{-?)\\tfrac")
_TOKEN = re.compile(r"\S+\s*|\s+")
_OPERATORS = frozenset({"+", "-", "*", "/", "=", "<", ">", "≤", "≥", "<=", ">="})
_ACCENT = re.compile(r"([A-Za-z]+?)(bar|hat|tilde)")
_PLAIN_ACCENT = re.compile(r"\\mathrm\{([A-Za-z])(bar|hat|tilde)\}")
_ARTICLES = frozenset({"a", "A", "I"})
_SHORT = 12
_RAW = "symattnraw"
_RAW_NAME = re.compile(rf"\\mathrm\{{{_RAW}(\d+)\}}")
_FUNCTION = re.compile(r"\\mathrm\{(sin|cos|tanh|erf|cdf|det)\}")
_FACTORIAL = re.compile(r"\\mathrm\{factorial\}(\\left\((?:(?!\\left).)*?\\right\)|\([^()]*\))")
_WORD_BEFORE = re.compile(r"(\\mathrm\{[A-Za-z]{2,}\}) (?=[A-Za-z\\])")
_OWN_COMMANDS = frozenset({"sin", "cos", "tanh", "det"})
_PLUS = 13.6
_WIDEST_MERGED = 160.0
_LONGEST_NAME = 3
_HOLE = t.Name("symattnhole", font="roman")
_HOLE_TEX = "\\mathrm{symattnhole}"
_AROUND_HOLE = re.compile(r"(?:\\left)?\(?\s*\\mathrm\{symattnhole\}\s*(?:\\right)?\)?")
_SUM_SIGN = 40.0


def formula(text: str, scope: Scope) -> str:
    r"""Return a formula of a proof as LaTeX, for math mode.

    >>> print(formula("E(q^T k)/D", Scope(())))
    \frac{\mathbb{E}[q^{\top} k]}{D}
    """
    return tree_formula(read_text(text, scope), scope)


def tree_formula(node: t.Node, scope: Scope) -> str:
    """Return a formula of a proof that was read already."""
    return written(displayed(node, scope), scope)


def inline(text: str, scope: Scope) -> str:
    r"""Return a formula of a sentence as LaTeX: the same, with slashes for the bars of quotients.

    >>> print(inline("E(q^T k)/D", Scope(())))
    \mathbb{E}[q^{\top} k]/D
    """
    return in_line(formula(text, scope))


def in_line(source: str) -> str:
    """Return the LaTeX of a formula as it stands in a sentence."""
    return _small(slashed(source, everywhere=True))


def side(text: str, scope: Scope) -> t.Node:
    """Return one side of a relation as it is set: without brackets around all of it, and a zero vector as zero."""
    found = displayed(bare(read_text(text, scope)), scope)
    match found:
        case t.Product((t.Number("0"), t.Name() | t.Subscript()), ("",)):
            return t.Number("0")
        case _:
            return found


def displayed(node: t.Node, scope: Scope) -> t.Node:
    """Return the tree as it is set on paper: quotients with bars, exponentials as powers of e, indices one by one.

    What would be ambiguous so (a tower of powers, say) stays as it was written.
    """
    found = _Page(scope).displayed(node)
    try:
        written(found, scope)
    except ValueError:
        return node
    return found


def functions_of(scope: Scope) -> frozenset[str]:
    """Return the names that take arguments in brackets in the formulas of a proof."""
    return FUNCTIONS | ELEMENTARY | frozenset(scope.functions) | t.FUNCTIONS


def written(node: t.Node, scope: Scope) -> str:
    """Return a tree that is as it is to be set, as LaTeX."""
    source = slashed(write_latex(node, functions_of(scope)))  # what cannot be read back is refused
    source = _small(source).replace(f"\\mathrm{{{INFINITY}}}", "\\infty").replace(f"\\text{{{AT_LEAST}}}", " \\ge")
    source = _PLAIN_ACCENT.sub(r"\\\2{\1}", source)  # of a name that has left the scope
    raw = list(raw_names(scope).values())
    source = _RAW_NAME.sub(lambda found: raw[int(found[1])], source)
    source = _FACTORIAL.sub(r"\1!\\,", source)
    return _WORD_BEFORE.sub(r"\1\\, ", _FUNCTION.sub(_operator, source))


def _small(source: str) -> str:
    """Set fractions of two integers small."""
    return _IN_EXPONENT.sub(r"\1\\frac", _SMALL_FRACTION.sub(r"\\tfrac{\1}{\2}", source))


def _operator(found: re.Match[str]) -> str:
    return f"\\{found[1]}" if found[1] in _OWN_COMMANDS else f"\\operatorname{{{found[1]}}}"


def raw_names(scope: Scope) -> dict[str, str]:
    r"""Return the LaTeX of names with a form of their own: declared, ``zbar`` as \bar{z}, ``eps`` as \varepsilon."""
    declared = {item.name: item.latex for item in scope.declared if item.latex}
    accented = {name: _accented(name) for name in scope.sizes if name not in declared and _accented(name)}
    return {**declared, **accented}


def _accented(name: str) -> str:
    if name == "eps":
        return "\\varepsilon"
    found = _ACCENT.fullmatch(name)
    if found is None or not (len(found[1]) == 1 or found[1] in GREEK):
        return ""
    return f"\\{found[2]}{{{found[1] if len(found[1]) == 1 else chr(92) + found[1]}}}"


def words(text: str, scope: Scope) -> str:
    r"""Return prose with formulas between dollar signs as LaTeX; everything else is escaped.

    >>> print(words("the mean of $q_i$ is 5% of $mu$.", Scope(())))
    the mean of $q_{i}$ is 5\% of $\mu$.
    """
    pieces = _FORMULA.split(text)
    return "".join(
        f"${in_line(formulas(piece, scope))}$" if n % 2 else _spaced(piece) for n, piece in enumerate(pieces)
    )


def formulas(text: str, scope: Scope) -> str:
    r"""Return one formula, or several with commas between them; what cannot be read is shown as it is.

    >>> print(formulas("mu = 0, D = 4", Scope(())))
    \mu = 0,\; D = 4
    """
    try:
        return formula(text, scope)
    except NotationError:
        parts = split_at_commas(text)
    try:
        return ",\\; ".join(formula(part, scope) for part in parts)
    except NotationError:
        return f"\\text{{{escape(text)}}}"


def words_or_formula(text: str, scope: Scope) -> str:
    r"""Return a text as LaTeX; one that can only be a formula is set as one without dollars too.

    >>> print(words_or_formula("the variance is D (sigma^4 + 2 mu^2), a bound.", Scope(())))
    the variance is $D(\sigma^{4} + 2\mu^{2})$, a bound.
    """
    return words(with_dollars(text, scope), scope)


def with_dollars(text: str, scope: Scope) -> str:
    """Return a text with dollars around what can only be a formula, too.

    >>> with_dollars("the variance is D (sigma^4 + 2 mu^2), a bound.", Scope(()))
    'the variance is $D (sigma^4 + 2 mu^2)$, a bound.'
    """
    said = _FORMULA.split(text)
    return "".join(f"${part}$" if n % 2 else _with_dollars(part, scope) for n, part in enumerate(said))


def _with_dollars(text: str, scope: Scope) -> str:
    return "".join(_dollars(run, scope) for run in _runs(text, scope))


def _runs(text: str, scope: Scope) -> list[tuple[str, bool]]:
    """Return a text in pieces, each either words or a stretch that looks like a formula."""
    names = {*scope.sizes}
    known = {name for name in names if len(name) <= _LONGEST_NAME or not name.isalpha()} | set(GREEK)
    runs: list[tuple[str, bool]] = []
    current: list[str] = []
    depth = 0
    tokens = _TOKEN.findall(text)
    for before, token, following in zip(["", *tokens], tokens, [*tokens[1:], ""], strict=False):
        bare = token.strip()
        is_article = bare in _ARTICLES and not {before.strip(), following.strip()} & _OPERATORS
        is_formal = depth > 0 or (not is_article and _looks_formal(bare.strip(",;:."), known))
        if is_formal:
            current.append(token)
            depth += bare.count("(") - bare.count(")") + bare.count("{") - bare.count("}")
        if current and (not is_formal or (depth <= 0 and bare[-1:] in {",", ";", ":", "."})):
            runs.append(("".join(current), True))
            current, depth = [], 0
        if not is_formal:
            runs.append((token, False))
    return [*runs, ("".join(current), True)] if current else runs


def _looks_formal(token: str, known: set[str]) -> bool:
    if token in known or token.isdecimal() or token in _OPERATORS:
        return True
    if len(token) == 1:
        return token.isalpha()
    return any(letter in token for letter in "^_=*/") or (token[:1] in "([" and len(token) < _SHORT) or "(" in token[1:]


def _dollars(run: tuple[str, bool], scope: Scope) -> str:
    """Return a stretch between dollars where it can be read; what stands around it stays outside."""
    text, is_formal = run
    inner = text.strip().rstrip(",;:.")
    if not is_formal or not inner:
        return text
    try:
        node = read_text(inner, scope)
    except NotationError:
        return text
    names = [item.text for item in walk(node) if isinstance(item, t.Name)]
    if any(len(name) > 1 and not _is_known(name, scope) for name in names):
        return text
    start = text.index(inner)
    return f"{text[:start]}${inner}${text[start + len(inner) :]}"


def _is_known(name: str, scope: Scope) -> bool:
    names = {*scope.sizes}
    whole = FUNCTIONS | ELEMENTARY | t.FUNCTIONS | frozenset(scope.functions) | {"delta", INFINITY}
    return name in names or name in whole or name in GREEK or (len(name) == 2 and name.isalpha())


def _spaced(text: str) -> str:
    """Escape a text and keep the blanks at its ends."""
    if not text.strip():
        return " " if text else ""
    before, after = " " * text[:1].isspace(), " " * text[-1:].isspace()
    return f"{before}{escape(text)}{after}"


class _Page:
    def __init__(self, scope: Scope) -> None:
        self.names = {*scope.sizes}
        self.ranks = {name: len(sizes) for name, sizes in scope.sizes.items()}
        self.raw = {name: f"{_RAW}{n}" for n, name in enumerate(raw_names(scope))}
        self.permutations = frozenset(scope.permutations)

    def displayed(self, node: t.Node) -> t.Node:
        match node:
            case t.Name() | t.Subscript():
                return self._named(node)
            case t.Division(above, below):
                return t.Division(self.displayed(bare(above)), self.displayed(bare(below)), bar=True)
            case t.Call(t.Name("exp"), (t.Number("1"),)):
                return t.Name("e")
            case t.Call(t.Name("exp"), (exponent,)):
                return t.Power(t.Name("e"), self.displayed(bare(exponent)))
            case t.Power(t.Call(t.Name("exp"), (_,)) as base, exponent):
                return t.Power(t.Group(self.displayed(base)), self.displayed(bare(exponent)))
            case t.Power(base, exponent):
                return t.Power(self._base(base), self.displayed(bare(exponent)))
            case t.Call(t.Name("diff"), (_, _)):
                order, body, variable = repeated(node)
                return derivative(order, self.displayed(body), self.displayed(variable))
            case t.Call(function, arguments):
                name = t.Name("ln") if function == t.Name("log") and len(arguments) == 1 else function
                return in_symbols(t.Call(name, tuple(self.displayed(bare(argument)) for argument in arguments)))
            case t.Root(body, None):
                return t.Root(self.displayed(bare(body)))
            case t.Group(t.Group() as inner):
                return self.displayed(inner)
            case t.Group(t.Name() | t.Subscript() | t.Number() as inner):
                return self.displayed(inner)
            case t.Product(factors, operators):
                whole = spliced(self._factors(factors), operators)
                return self._product(whole.factors, whole.operators)
            case _:
                return rebuilt(node, self.displayed)

    def _base(self, node: t.Node) -> t.Node:
        """Return the base of a power; a fraction keeps its brackets."""
        found = self.displayed(node)
        return found if not isinstance(found, t.Division | t.Power) else t.Group(found)

    def _factors(self, factors: tuple[t.Node, ...]) -> tuple[t.Node, ...]:
        """Return the factors of a product; what a permutation is applied to keeps its brackets."""
        found = [self.displayed(factors[0])]
        for before, factor in pairwise(factors):
            is_image = isinstance(before, t.Name) and before.text in self.permutations and isinstance(factor, t.Group)
            found.append(t.Group(self.displayed(bare(factor))) if is_image else self.displayed(factor))
        return tuple(found)

    def _product(self, factors: tuple[t.Node, ...], operators: tuple[str, ...]) -> t.Node:
        """Return a dot only where it is needed: before a number, which would run into what stands before it."""
        first = factors[0]
        if isinstance(first, t.Group) and _is_fraction_of_numbers(first.body) and operators[0] == "":
            factors = (first.body, *factors[1:])
        merged = self._merged(factors, operators)
        if merged is not None:
            return merged
        factors = tuple(map(_without_needless_brackets, factors))
        signs = []
        for before, operator, factor in zip(factors, operators, factors[1:], strict=False):
            if operator == "" and _begins_with_number(factor):
                signs.append("cdot")
            elif operator == "cdot" and _is_coefficient(before) and _is_named(factor):
                signs.append("")
            else:
                signs.append(operator)
        return t.Product(factors, tuple(signs))

    def _merged(self, factors: tuple[t.Node, ...], operators: tuple[str, ...]) -> t.Node | None:
        """Return ``a b/c`` as one quotient, where it is short enough never to be broken."""
        last = factors[-1]
        if not isinstance(last, t.Division) or isinstance(last.numerator, t.Number | t.Negative) or is_derivative(last):
            return None
        if not set(operators) <= {"", "cdot"} or any(isinstance(factor, t.Division) for factor in factors[:-1]):
            return None
        above = t.Group(last.numerator) if isinstance(last.numerator, t.Sum | t.SumOver) else last.numerator
        more = above.factors if isinstance(above, t.Product) else (above,)
        signs = above.operators if isinstance(above, t.Product) else ()
        numerator = self._product((*factors[:-1], *more), (*operators, *signs))
        short = width(numerator) <= _WIDEST_MERGED
        return t.Division(numerator, last.denominator, bar=True) if short else None

    def _named(self, node: t.Name | t.Subscript) -> t.Node:
        whole = plain_name(node)
        if whole in self.raw:
            return t.Name(self.raw[whole], font="roman")
        if isinstance(node, t.Name):
            return node
        inner = bare(node.base)
        base = plain_name(inner)
        indices = tuple(map(self.displayed, self._indices(node, base, is_whole=whole in self.names)))
        if isinstance(inner, t.Subscript) and base in self.names and base not in self.raw:
            if len(indices) == 1 and all(_is_running(index) for index in inner.indices):
                return t.Subscript(inner.base, (*map(self.displayed, inner.indices), *indices))
            return t.Subscript(t.Group(self.displayed(inner)), _together(indices))
        own = self.displayed(node.base)
        kept = t.Group(own) if isinstance(inner, t.Subscript) else own
        return t.Subscript(kept, _together(indices) if whole not in self.names else indices)

    def _indices(self, node: t.Subscript, base: str | None, *, is_whole: bool) -> tuple[t.Node, ...]:
        """Return the indices one by one: ``ij`` is two of them where the base has two, or is not a name."""
        has_two = base is None or base == "delta" or self.ranks.get(base) == 2
        if is_whole or not has_two:
            return node.indices
        return tuple(part for index in node.indices for part in _split(index, len(node.indices)))


def _split(index: t.Node, count: int) -> tuple[t.Node, ...]:
    match index:
        case t.Name(text) if count == 1 and len(text) == 2 and text.isascii():
            return t.Name(text[0]), t.Name(text[1])
        case _:
            return (index,)


def _is_running(index: t.Node) -> bool:
    """Return whether an index of a name may stand beside a further one: a number or a small letter."""
    return isinstance(index, t.Number) or (isinstance(index, t.Name) and len(index.text) == 1 and index.text.islower())


def _together(indices: tuple[t.Node, ...]) -> tuple[t.Node, ...]:
    """Set two indices without a comma where they are two letters or two digits."""
    match indices:
        case t.Number(one), t.Number(other):
            return (t.Number(one + other),)
        case t.Name() as first, t.Name() as second:
            return (t.Product((first, second), ("",)),)
        case _:
            return indices


def _without_needless_brackets(node: t.Node) -> t.Node:
    """Return the bar of a quotient holds it together; two numbers side by side would be read as one."""
    match node:
        case t.Group(t.Division() as body) if not _is_fraction_of_numbers(body):
            return body
        case _:
            return node


def _begins_with_number(node: t.Node) -> bool:
    match node:
        case t.Number():
            return True
        case t.Power(base, _) | t.Transpose(base) | t.Subscript(base, _):
            return _begins_with_number(base)
        case t.Product(factors):
            return _begins_with_number(factors[0])
        case _:
            return False


def _is_coefficient(node: t.Node) -> bool:
    return isinstance(node, t.Number) or _is_fraction_of_numbers(node)


def _is_named(node: t.Node) -> bool:
    """Return whether the tree is a name, with an index or raised to a power: it may follow a number directly."""
    return isinstance(node, t.Name | t.Subscript | t.Root) or (isinstance(node, t.Power) and _is_named(node.base))


def _is_fraction_of_numbers(node: t.Node) -> bool:
    return isinstance(node, t.Division) and all(isinstance(part, t.Number) for part in t.children(node))


# Long formulas -------------------------------------------------------------------------------------


def room_of(node: t.Node) -> float:
    """Return the width of a displayed tree in points; sums and fractions are larger in displays than in text."""
    sums = sum(isinstance(item, t.SumOver) for item in walk(node))
    return width(_as_set(node)) + 4.0 * sums + 4.0


def _as_set(node: t.Node, *, in_exponent: bool = False) -> t.Node:
    """Return the tree with the slashes that quotients in exponents are set with."""
    match node:
        case t.Power(base, exponent):
            return t.Power(_as_set(base, in_exponent=in_exponent), _as_set(exponent, in_exponent=True))
        case t.Division(above, below) if in_exponent:
            return t.Division(_as_set(above, in_exponent=True), _as_set(below, in_exponent=True), bar=False)
        case _:
            return rebuilt(node, lambda part: _as_set(part, in_exponent=in_exponent))


def pieces(node: t.Node, room: float, scope: Scope) -> list[str]:
    """Split a displayed tree to fit the room: at plus signs, else between factors, else within brackets.

    A quotient that is too wide is written with a slash, its parts in brackets. What is left has one piece.
    """
    if room_of(node) <= room:
        return [written(node, scope)]
    match node:
        case t.Sum(terms, operators):
            signs = ("", *operators)
            return _filled([(s, term) for s, term in zip(signs, terms, strict=True)], room, scope)
        case t.Product(factors, _) if len(factors) > 1:
            return _filled([("" if n == 0 else "\\cdot", f) for n, f in enumerate(factors)], room, scope)
        case t.SumOver(body=t.Group(body)) | t.Power(base=t.Group(body)) | t.Call(arguments=(body,)):
            hole = _HOLE if isinstance(node, t.Call) else t.Group(_HOLE)

            def emptied(part: t.Node) -> t.Node:
                return hole if part is body or (isinstance(part, t.Group) and part.body is body) else part

            return _inside(written(rebuilt(node, emptied), scope), body, room, scope)
        case t.Negative(body):
            first, *rest = pieces(body, room - _PLUS, scope)
            return [f"-{first}", *rest]
        case t.Group(body):
            return _inside(_HOLE_TEX, body, room, scope)
        case t.Division(above, below):
            return [*_inside(_HOLE_TEX, above, room, scope), *_inside(f"/ {_HOLE_TEX}", below, room, scope)]
    return [written(node, scope)]


def _inside(around: str, body: t.Node, room: float, scope: Scope) -> list[str]:
    """Return what stands around brackets with a long body: they open in the first line and close in the last."""
    before, after = _AROUND_HOLE.split(around)
    first, *rest = pieces(body, room - _SUM_SIGN, scope)
    lines = [f"{before}\\Bigl({first}", *rest]
    lines[-1] = f"{lines[-1]}\\Bigr){after}"
    return lines


def _filled(parts: list[tuple[str, t.Node]], room: float, scope: Scope) -> list[str]:
    lines: list[str] = []
    current, used = "", 0.0
    for sign, part in parts:
        needed = room_of(part) + (_PLUS if sign else 0.0)
        if current and used + needed > room:
            lines.append(current)
            current, used = "", 0.0
        *before, last = pieces(part, room - _PLUS, scope) if needed > room else [written(part, scope)]
        if before:
            lines.extend([f"{current} {sign} {before[0]}".strip(), *before[1:]])
            current, used = last, room  # what follows begins a line of its own
        else:
            current = f"{current} {sign} {last}".strip()
            used += needed
    return [*lines, current]
