"""Quantities, the scene that binds their names, and statements about them.

It may import ``notation`` and ``exact``. Start reading at ``quantity``, then ``scene``.
"""
