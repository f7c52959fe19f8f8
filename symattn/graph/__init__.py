"""The graph of quantities: exact and rounded values, the rules that make them, and the judge.

The folders, each of which imports only those before it: ``quantities``, made by a rule (``rules``) from others;
``forms`` of their definitions; ``numeric``, which works layers of numbers by rows; ``builders``, by which a problem
becomes quantities; ``key_judge``, which judges statements about them; ``statements`` of a key; ``analysis``. A record
is recomputed by ``derivation_replay``. The package may import ``notation``, ``exact`` and ``operations``;
``builders``, ``analysis`` and ``numeric`` also import ``problem``.

From an input to a printed line: ``problem.reader`` reads ``X``; ``builders.attention`` makes ``Q`` of it by
``quantity_builder``, exactly and as the policy rounds, by the rule of the operation; ``statements.solution`` writes
the sum of products behind ``Q_{31}``, which ``rendering.sections.displays`` asks for; ``key_judge.judge`` proves it;
``rendering.sections.document`` and ``rendering.latex.typesetting`` set it.

Start reading at ``quantities.quantity``, then ``builders.attention``.
"""
