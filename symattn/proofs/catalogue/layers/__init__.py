"""Theorems on the softmax, on attention layers, their gradients and perturbations, and on blocks.

Imports `catalogue.authoring`. Start reading at `softmax`.
"""
