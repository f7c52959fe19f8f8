"""Arrays of numpy, torch, jax and ml_dtypes, and files of them, as exact numbers.

It imports exact numbers and files, and no framework. Start reading at `floats`.
"""
