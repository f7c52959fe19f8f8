"""Written names of the quantities of a problem: declared names first, free letters for the rest.

It may import ``notation``, ``problem`` and ``graph.quantities``. Start reading at ``quantities``.
"""
