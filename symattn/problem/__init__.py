"""The problem file: schema, reader, conventions, rounding policy, and shapes.

Its folders are layers, each importing those before it: ``text``, ``settings``, ``schema``, ``values``,
``components``, ``reader``. It may import ``notation``, ``exact`` and ``operations``. Start reading at ``model``.
"""
