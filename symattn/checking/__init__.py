"""Checking of submissions: binding, judging, diagnosis and marks of each statement."""
