"""Verdicts on the links of a submission: right under stated hypotheses, wrong in a case, or undecided.

Imports all other folders of `submissions`. Start reading at `judge`, then `link_verdicts`.
"""
