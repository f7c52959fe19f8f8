"""Keys: the document of a worked problem, by the kind of its layer.

It imports `latex`, `sections` and `content` of `rendering`. Start reading at `documents.key_document`, then `layer`.
"""
