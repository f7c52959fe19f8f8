"""Means, variances and higher moments of scores."""

from __future__ import annotations

from symattn.theorems import (
    moments_generating,
    moments_higher,
    moments_mean,
    moments_mgf,
    moments_saturation,
    moments_scaling,
    moments_scores,
    moments_variance,
)

THEOREMS = (
    *moments_mean.THEOREMS,
    *moments_variance.THEOREMS,
    *moments_scaling.THEOREMS,
    *moments_higher.THEOREMS,
    *moments_mgf.THEOREMS,
    *moments_generating.THEOREMS,
    *moments_scores.THEOREMS,
    *moments_saturation.THEOREMS,
)
"""The theorems on moments."""
