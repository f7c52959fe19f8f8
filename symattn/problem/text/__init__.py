"""The text of a problem file: from bytes to plain tables, with remedies for misspelt words.

It imports no other part of ``problem``. Start reading at ``document``.
"""
