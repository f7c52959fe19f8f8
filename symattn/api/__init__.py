"""The Python interface: problems solved, submissions checked, theorems proved, floats compared.

It joins the packages below it and may import all of them, `symbolic` and `cli` apart. The public names are those of
`symattn/__init__.py`. Start reading at `solutions.solve`, then `result.Result` and `submissions.check`. The folders,
each of which imports only those before it: `proofs` (theorems and records), `values` (entries and matrices),
`comparison` (floats against certified values).
"""
