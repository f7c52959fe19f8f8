"""Statements of a worked solution: products, exponentials, sums and quotients written out.

It may import ``graph.quantities``, ``graph.forms``, ``graph.builders`` and ``graph.key_judge``. Start reading at
``chains``.
"""
