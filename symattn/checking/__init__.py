"""Somebody's work: what each statement is about, whether it holds, why not, and what it earns."""
