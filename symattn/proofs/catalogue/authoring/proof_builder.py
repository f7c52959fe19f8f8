"""A proof written down line by line. Nothing here is trusted: replay judges what comes out."""

from __future__ import annotations

from symattn.proofs.kernel.record import Claim, Proof, Step
from symattn.proofs.language.scope import Declared, Defined, Hypothesis, Kind, Scope, Sign


class Builder:
    """Collector of names, hypotheses, claims and steps.

    >>> b = Builder("sum-of-ones", "A sum of ones", "The sum of $n$ ones is $n$.")
    >>> b.number("n", "positive")
    >>> _ = b.chain("sum_{j=1}^{n} 1").then("=", "n", "sum of equal terms").claim()
    >>> b.proof().conclusion
    ('sum_{j=1}^{n} 1 = n',)
    """

    def __init__(self, name: str, title: str, statement: str, source: str = "") -> None:
        self.name = name
        self.title = title
        self.statement = statement
        self.source = source
        self._declared: list[Declared] = []
        self._defined: list[Defined] = []
        self._hypotheses: list[Hypothesis] = []
        self._fixed: list[str] = []
        self._permutations: list[str] = []
        self._functions: list[str] = []
        self._parameters: list[tuple[str, str]] = []
        self._claims: list[Claim] = []
        self._steps: list[Step] = []

    # Names -----------------------------------------------------------------------------------------

    def number(self, name: str, sign: Sign = "real", *, random: bool = False, latex: str = "") -> None:
        """Declare a scalar."""
        self._declared.append(Declared(name, (), sign, random, latex))

    def vector(self, name: str, size: str, sign: Sign = "real", *, random: bool = False, latex: str = "") -> None:
        """Declare a column vector."""
        self._declared.append(Declared(name, (size,), sign, random, latex))

    def matrix(
        self, name: str, rows: str, columns: str, sign: Sign = "real", *, random: bool = False, latex: str = ""
    ) -> None:
        """Declare a matrix, or a family of vectors (its rows)."""
        self._declared.append(Declared(name, (rows, columns), sign, random, latex))

    def array(self, name: str, *sizes: str, sign: Sign = "real") -> None:
        """Declare a quantity with any number of indices, such as the matrices of several heads."""
        self._declared.append(Declared(name, sizes, sign))

    def declare(self, item: Declared) -> None:
        """Declare a quantity."""
        self._declared.append(item)

    def define(self, name: str, body: str, indices: str = "", sizes: str = "", sign: Sign = "real") -> None:
        """Declare an abbreviation; indices and sizes are words with blanks between them."""
        self._defined.append(Defined(name, tuple(indices.split()), tuple(sizes.split()), body, sign))

    def fixed(self, *names: str) -> None:
        """Declare indices that stand for one value each, distinct from each other."""
        self._fixed.extend(names)

    def permutation(self, name: str) -> None:
        """Declare a permutation of indices."""
        self._permutations.append(name)

    def function(self, name: str) -> None:
        """Declare a function of numbers of which nothing is known."""
        self._functions.append(name)

    def parameter(self, name: str, value: str) -> None:
        """Note a parameter with its chosen value."""
        self._parameters.append((name, value))

    def assume(self, kind: Kind, about: str, text: str, *values: str) -> str:
        """Add a hypothesis about some names (words with blanks between them); return its id, ``H1`` and so on."""
        name = f"H{len(self._hypotheses) + 1}"
        self._hypotheses.append(Hypothesis(name, text, kind, tuple(about.split()), values))
        return name

    # Steps -----------------------------------------------------------------------------------------

    def chain(self, left: str) -> Chain:
        """Begin a chain of steps at an expression, or at a relation for equivalences."""
        return Chain(self, left)

    def step(self, step: Step) -> None:
        """Add a step that was made elsewhere."""
        self._steps.append(step)

    def next_step(self) -> str:
        """Return the id of the next step."""
        return str(len(self._steps) + 1)

    def add_claim(self, claim: Claim) -> None:
        """Add a claim."""
        self._claims.append(claim)

    def next_claim(self) -> str:
        """Return the id of the next claim."""
        return f"C{len(self._claims) + 1}"

    def proof(self) -> Proof:
        """Return the proof as written down."""
        scope = Scope(
            tuple(self._declared),
            tuple(self._defined),
            tuple(self._hypotheses),
            tuple(self._fixed),
            tuple(self._permutations),
            tuple(self._functions),
        )
        return Proof(
            self.name,
            self.title,
            self.statement,
            tuple(self._parameters),
            scope,
            tuple(self._claims),
            tuple(self._steps),
            source=self.source,
        )


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
        name = self.builder.next_step()
        pairs = tuple(sorted(arguments.items()))
        self.builder.step(Step(name, rule, self.here, relation, right, hypotheses, premises, pairs, words))
        self.here = right
        self.ids.append(name)
        self.relations.append(relation)
        return self

    @property
    def last(self) -> str:
        """The id of the last step, for the premises of later ones."""
        return self.ids[-1]

    def claim(self, words: str = "", relation: str = "") -> str:
        """Claim the relation that the chain shows from end to end; return the id of its last step."""
        claim = Claim(
            self.builder.next_claim(), self.left, relation or self._relation(), self.here, tuple(self.ids), words
        )
        self.builder.add_claim(claim)
        return self.last

    def _relation(self) -> str:
        found = set(self.relations) - {"="}
        if not found:
            return "="
        strict = found & {"<", ">"}
        return min(strict or found)
