"""Views of a report on a submission, as text, LaTeX and HTML, and the picture of a comparison.

It imports `rendering.latex` and `rendering.html`, and of the checker the data of its report. Start reading at `view`,
then `text`.
"""
