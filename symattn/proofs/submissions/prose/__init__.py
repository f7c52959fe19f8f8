"""Prose of a submission: the hypotheses that its sentences state, deny, condition or mention.

Imports `reading` and `phrases`. Start reading at `sentences`, then `events` and `hypotheses`.
"""
