"""Resolver: which entries each statement of a work is about, decided for the whole work before anything is judged.

It may import names, expressions, evaluation and graph. Start reading at `survey`.
"""
