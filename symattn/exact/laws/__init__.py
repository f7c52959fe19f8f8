"""Certified values of distributions: Gaussian scores, softmax rows, entropy, integrals.

It imports `numerals`, `field`, `reals` and `rounding`. Start with `gaussian_scores`.
"""
