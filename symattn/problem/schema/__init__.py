"""The keys of a problem file, stated once for the reader, the JSON schema and the template.

It may import ``problem.settings``. Start reading at ``fields``.
"""
