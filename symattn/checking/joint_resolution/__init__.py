"""Joint resolution: which entries each statement of a work is about, decided for the whole work before it is judged.

It may import every folder but link_judges and blocks. Start reading at `survey`.
"""
