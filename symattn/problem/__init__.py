"""The problem file: schema, reader, conventions, rounding policy, and shapes.

Its folders are layers, each importing those before it: ``text``, ``settings``, ``schema``, ``values``,
``components``, ``reader``. It may import ``errors``, ``notation`` and ``exact``. Start reading at ``model``.
"""
