"""Settings of a problem: conventions, rounding policy, scale, masks, and the parts of the exercise.

It may import ``problem.text``. Start reading at ``conventions``.
"""
