"""The reader: from the tables of a problem file to the fields of a problem.

It may import every other folder of ``problem``. Start reading at ``tables``.
"""
