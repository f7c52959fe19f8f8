"""Processes of the command line: limits of one check, its monitor, the worker pool, and signals.

Start reading at `pool`.
"""
