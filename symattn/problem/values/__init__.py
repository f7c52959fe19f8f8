"""Values of a problem file, checked against their fields and made exact.

It may import ``problem.text`` and ``problem.schema``. Start reading at ``checks``.
"""
