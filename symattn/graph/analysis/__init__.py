"""Analysis of a worked layer: the pattern of its weights, and caveats for the instructor.

It may import ``problem``, ``graph.builders`` and ``graph.key_judge``. Start reading at ``pattern``.
"""
