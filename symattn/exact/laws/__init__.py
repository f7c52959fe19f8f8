"""Certified values of distributions: Gaussian scores, softmax rows, entropy, integrals.

It imports `field`, `reals` and `rounding`. Start with `gaussian_scores`.
"""
