"""A graded class: submissions matched by roster, judged in processes or on a cluster, grades, reports and a summary.

It may import `symattn.api` and what stands before it, and from `symattn.courses` the files `roster` and `folders`.
Start reading at `run.grade_class`: `submissions` finds who handed in what, `swaps` whose variant a work may answer,
`judging` makes the result of one student, `scheduling` hands out the work, `outputs` writes what comes out.
"""
