"""Numbers of worked cases: closed forms with certified digits for chosen parameters.

Imports `exact` and `authoring`. Start reading at `layers` (softmax rows, the parts of a block).
"""
