"""Analysis of a worked layer: the pattern of its weights, and caveats for the instructor.

It may import ``problem``, and of ``graph`` ``quantities``, ``rules``, ``builders`` and ``key_judge``. Start reading at
``pattern``.
"""
