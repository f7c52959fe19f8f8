"""Quantities, the scene that binds their names, and statements about them.

It may import ``notation``, ``exact`` and ``operations``. Start reading at ``quantity``, then ``scene``.
"""
