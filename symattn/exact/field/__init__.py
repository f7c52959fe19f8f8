"""The field of quotients of exponential sums, with decidable equality.

It imports `numerals`. Start with `polynomial`, then `expsum` (sums of coefficients times exponentials) and `quotient`.
"""
