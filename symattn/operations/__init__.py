"""The table of operations: one record for each way in which a quantity comes from others.

An operation has a rule of shapes and an entry: a function from the row and the column of a result to a scalar
expression in the entries of its operands. What can be is read off that expression: values exact and rounded, written
forms, the entries that it is made of. For speed a kernel may give the values; tests hold it to the entry. The backward
rule is written beside it.

Start reading at `symattn.operations.scalar` (the vocabulary of an entry), then `symattn.operations.softmax` (a
family), then `symattn.operations.evaluation` (values); `symattn.operations.formulas` applies operations to names.
Files here import `notation` and `exact`.
"""
