"""Definitions as written mathematics: the forms that may stand after ``name =``.

It may import ``graph.quantities`` and ``graph.rules``. Start reading at ``definitions``.
"""
