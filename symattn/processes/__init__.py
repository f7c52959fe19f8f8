"""Processes beside this one: limits of one check, its monitor, the worker pool, and signals.

It may import what knows no mathematics: errors and texts. Start reading at `pool`.
"""
