"""The graph of quantities: exact and rounded values, the rules that make them, and the judge.

A problem becomes quantities (``builders``), each made by a rule (``rules``) and written in the forms of its
definition (``forms``); statements about them are judged (``key_judge``) and recomputed from a record
(``derivation_replay``). It may import ``errors``, ``notation``, ``exact`` and ``operations``; ``builders``,
``analysis`` and ``numeric``, which works layers of numbers by rows, also import ``problem``.
Start reading at ``quantities.quantity``, then ``builders.attention``.
"""
