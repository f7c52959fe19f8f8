"""The catalogue of theorems: statements with hypotheses, proofs, false variants with counter-examples."""
