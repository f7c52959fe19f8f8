"""A proof written down line by line. Nothing here is trusted: replay judges what comes out."""

from __future__ import annotations

from symattn.proofs.kernel.record import Claim, Proof, Step
from symattn.proofs.language.scope import Declared, Defined, Hypothesis, Kind, Scope, Sign


class Builder:
    """Collector of names, hypotheses, claims and steps.

    Attributes:
        statement: the theorem in words.
        fixed: indices that stand for one value each, distinct from each other.
        permutations: permutations of indices.
        functions: functions of numbers of which nothing is known.
        claims: the claims so far.
        steps: the steps so far.

    >>> b = Builder("sum-of-ones", "A sum of ones", "The sum of $n$ ones is $n$.")
    >>> b.declare("n", sign="positive")
    >>> _ = b.chain("sum_{j=1}^{n} 1").then("=", "n", "sum of equal terms").claim()
    >>> b.proof().conclusion
    ('sum_{j=1}^{n} 1 = n',)
    """

    def __init__(self, name: str, title: str, statement: str, source: str = "") -> None:
        self._head = name, title, source
        self._declared: list[Declared] = []
        self._defined: list[Defined] = []
        self._hypotheses: list[Hypothesis] = []
        self.statement = statement
        self.fixed: list[str] = []
        self.permutations: list[str] = []
        self.functions: list[str] = []
        self.claims: list[Claim] = []
        self.steps: list[Step] = []

    def declare(self, name: str, *sizes: str, sign: Sign = "real", random: bool = False, latex: str = "") -> None:
        """Declare a quantity by the lengths of its index ranges: none for a number, one for a vector."""
        self._declared.append(Declared(name, sizes, sign, random, latex))

    def define(self, name: str, body: str, indices: str = "", sizes: str = "", sign: Sign = "real") -> None:
        """Declare an abbreviation; indices and sizes are words with blanks between them."""
        self._defined.append(Defined(name, tuple(indices.split()), tuple(sizes.split()), body, sign))

    def assume(self, kind: Kind, about: str, text: str, *values: str) -> str:
        """Add a hypothesis about some names (words with blanks between them); return its id, ``H1`` and so on."""
        name = f"H{len(self._hypotheses) + 1}"
        self._hypotheses.append(Hypothesis(name, text, kind, tuple(about.split()), values))
        return name

    def chain(self, left: str) -> Chain:
        """Begin a chain of steps at an expression, or at a relation for equivalences."""
        return Chain(self, left)

    def proof(self, *parameters: tuple[str, str]) -> Proof:
        """Return the proof as written down, with the values of its parameters."""
        name, title, source = self._head
        names = tuple(self._declared), tuple(self._defined), tuple(self._hypotheses)
        scope = Scope(*names, tuple(self.fixed), tuple(self.permutations), tuple(self.functions))
        steps = tuple(self.claims), tuple(self.steps)
        return Proof(name, title, self.statement, parameters, scope, *steps, source=source)


class Chain:
    """Steps, each of which begins where the one before ended."""

    def __init__(self, builder: Builder, left: str) -> None:
        self.builder = builder
        self.left = left
        self.here = left
        self.ids: list[str] = []
        self.relations: list[str] = []

    def then(
        self,
        relation: str,
        right: str,
        rule: str,
        *hypotheses: str,
        words: str = "",
        premises: tuple[str, ...] = (),
        **arguments: str,
    ) -> Chain:
        """Return the next step: where it leads, by which rule, with which hypotheses."""
        name = str(len(self.builder.steps) + 1)
        pairs = tuple(sorted(arguments.items()))
        self.builder.steps.append(Step(name, rule, self.here, relation, right, hypotheses, premises, pairs, words))
        self.here = right
        self.ids.append(name)
        self.relations.append(relation)
        return self

    @property
    def last(self) -> str:
        """The id of the last step, for the premises of later ones."""
        return self.ids[-1]

    def claim(self, words: str = "") -> None:
        """Claim the relation that the chain shows from end to end."""
        name = f"C{len(self.builder.claims) + 1}"
        self.builder.claims.append(Claim(name, self.left, self._relation(), self.here, tuple(self.ids), words))

    def _relation(self) -> str:
        found = set(self.relations) - {"="}
        if not found:
            return "="
        strict = found & {"<", ">"}
        return min(strict or found)
