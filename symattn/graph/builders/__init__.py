"""Builders: a problem becomes a worked layer, each quantity made from those before it.

The one part of ``graph`` that may import ``problem``. Start reading at ``layer``, then ``attention``.
"""
