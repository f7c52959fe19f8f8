"""Assignments for other systems: Gradescope, Otter, nbgrader, PrairieLearn and Moodle.

A module for each target writes the assignment, and what runs there under symattn: `autograder` on Gradescope, the
plugin of `otter`, the last cell of `nbgrader`. PrairieLearn and Moodle have no symattn; for them `answers` freezes the
numbers that the checker accepts. The package may import `symattn.api`, all that stands before it, and
`symattn.courses.roster`. Start reading at `assignment`, then at the module of a target.
"""
