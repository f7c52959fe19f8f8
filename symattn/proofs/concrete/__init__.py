"""Concrete values: what finite cases and the model check of records share, whichever numbers they work with.

Nothing here is trusted. Imports `language`. Start reading at `arrays`.
"""
