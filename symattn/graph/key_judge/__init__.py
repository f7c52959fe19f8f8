"""The judge of the statements of a key: true or not, and as prescribed at their place or not.

It may import ``graph.quantities``, ``graph.rules`` and ``graph.forms``. Start reading at ``judge``.
"""
