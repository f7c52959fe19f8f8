"""The Python interface: problems solved, submissions checked, theorems proved, floats compared.

It joins the packages below it and may import all of them, `symbolic` and `cli` apart. The public names are those of
`symattn/__init__.py`. Start reading at `solutions.solve`, then `result.Result` and `submissions.check`; `values` holds
entries and matrices, `proofs` theorems and records.
"""
