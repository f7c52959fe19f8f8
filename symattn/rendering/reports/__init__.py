"""Views of a report on a submission, as text, LaTeX and HTML, and the picture of a comparison.

It imports `rendering.latex` and knows a report by its shape alone. Start reading at `view`, then `text`.
"""
