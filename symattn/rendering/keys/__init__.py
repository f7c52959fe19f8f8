"""Keys: the document of a worked problem, by the kind of its layer.

It imports the other folders of `rendering`, `reports` apart. Start reading at `layer.key_document`.
"""
