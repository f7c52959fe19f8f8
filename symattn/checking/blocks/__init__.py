"""Submissions on several blocks: assignment of their pieces, and grading of one block after another.

Start at `stack_checker`. Imports every other folder.
"""
