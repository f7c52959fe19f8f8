"""Evidence for and against one link: limits, inequalities, exponential moments, numerals, counter-examples.

Imports `reading`, `attempts`, `phrases`, the kernel and the finite cases. Start reading at `counterexamples`.
"""
