"""Checking of submissions: each statement is read, bound to a quantity, judged and explained.

Start at `checker.Checker.report`, which joins the folders; `check` chooses it, or that of several blocks. They are
layered, lowest first: `graph`, `expressions`, `names`, `evaluation`, `grading`, `mistakes`, `subjects`,
`joint_resolution`, `link_judges`, `blocks`; each imports only those before it. `context`, the shared state of one run,
stands above `mistakes`; `report` and `mistake_catalogue` are plain data that any of them may use. A verdict rests on
all of it: on what a name is bound to, on the values of the graph, and on causes, which can turn a number that is right
by chance into a wrong one. The package imports `notation`, `exact`, `operations`, `problem` and `graph`.
"""
