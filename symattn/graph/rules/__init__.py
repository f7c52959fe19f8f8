"""The rules by which one quantity is made from others, used to derive and to replay.

It may import ``exact``, ``notation``, ``operations`` and ``graph.quantities``. Start reading at ``table``.
"""
