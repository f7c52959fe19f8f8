r"""Statements given a random vector: ``Given $k$, $E[q^\top k] = 0$``, ``$q^\top k \mid k \sim N(0, v)$``.

What is given in words holds for the means, variances and covariances of the sentence that have no condition of their
own. A normal law is the statement that the generating function is that of the law.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from symattn.notation.tree import nodes as t
from symattn.notation.tree.traversal import rebuilt
from symattn.proofs.submissions.phrases import read_phrases
from symattn.proofs.submissions.prose.sentences import Sentence
from symattn.proofs.submissions.prose.subjects import topics_in
from symattn.proofs.submissions.reading.case_rows import read_expression
from symattn.proofs.submissions.reading.normalization import name_tree

_WORDS = read_phrases("conditioning")

_BAR = re.compile(r"\\mid(?![a-zA-Z])|\\vert(?![a-zA-Z])|\\,?\|(?!\|)|(?<![\\|])\|(?!\|)|\\big\||\\Big\|")

_MEAN = "E"
_TWO = t.Number("2")


def given_vectors(sentence: Sentence | None, end: int) -> tuple[str, ...]:
    """Return the vectors that a sentence says to be given, before a place in its text."""
    if sentence is None:
        return ()
    matches = [match for match in _WORDS["given"].finditer(sentence.text) if match.end("group") <= end]
    if not matches or any(start < end for _, start, _ in topics_in(sentence.text)):
        return ()
    if _WORDS["over"].search(sentence.text[matches[-1].end("group") : end]):
        return ()
    group = sentence.groups.get(matches[-1]["group"])
    return () if group is None or group.is_indexed else tuple(sorted(group.families))


def condition_on(node: t.Node, given: Collection[str]) -> t.Node:
    """Return a side with the means, variances and covariances that have no condition taken given some vectors."""
    match node:
        case t.Call(t.Name("E"), (_, _)):
            return node
        case t.Call(t.Name("E"), (inner,)):
            return _mean(inner, given)
        case t.Call(t.Name("Var"), (inner,)):
            return _covariance(inner, inner, given)
        case t.Call(t.Name("Cov"), (first, second)):
            return _covariance(first, second, given)
        case t.Subscript():
            return node
    return rebuilt(node, lambda child: condition_on(child, given))


def _mean(inner: t.Node, given: Collection[str]) -> t.Node:
    return _mean_given(inner, tuple(map(name_tree, given)))


def _mean_given(inner: t.Node, given: tuple[t.Node, ...]) -> t.Node:
    return t.Call(t.Name(_MEAN), (inner, given[0] if len(given) == 1 else t.Vector(given, "(")))


def _covariance(first: t.Node, second: t.Node, given: Collection[str]) -> t.Node:
    both = t.Product((t.Group(first), t.Group(second)), ("",))
    apart = t.Product((_mean(first, given), _mean(second, given)), ("",))
    return t.Group(t.Sum((_mean(both, given), apart), ("-",)))


# Laws ----------------------------------------------------------------------------------------------


def law_equation(
    left: t.Node, moments: tuple[t.Node, t.Node], given: tuple[t.Node, ...], letter: str
) -> tuple[t.Node, t.Node]:
    """Return the generating function of a quantity, and that of a normal law, in a letter that nothing else has."""
    mean, variance = moments
    argument = t.Name(letter)
    inner = t.Call(t.Name("exp"), (t.Product((argument, t.Group(left)), ("",)),))
    found = _mean_given(inner, given) if given else t.Call(t.Name(_MEAN), (inner,))
    half = t.Division(t.Product((t.Group(variance), t.Power(argument, _TWO)), ("",)), _TWO)
    exponent = t.Sum((t.Product((argument, t.Group(mean)), ("",)), half), ("+",))
    return found, t.Call(t.Name("exp"), (exponent,))


def split_condition(text: str, span: t.Span) -> tuple[t.Node, t.Node] | None:
    """Return what stands before and behind the bar of a side that has one: ``q^T k | k``; None for any other side."""
    bars = list(_BAR.finditer(text, *span))
    if len(bars) != 1:
        return None
    left, right = read_expression(text, span[0], bars[0].start()), read_expression(text, bars[0].end(), span[1])
    return None if left is None or right is None or not left.node or not right.node else (left.node, right.node)
