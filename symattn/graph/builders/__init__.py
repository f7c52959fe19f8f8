"""Builders: a problem becomes a worked layer, each quantity made from those before it.

It may import ``problem``, and all of ``graph`` but ``statements`` and ``analysis``.
Start reading at ``layer``, then ``attention``.
"""
