"""A practice page: the sheet, a text area and a live report, as a folder for any static server.

`build` makes the folder; `practice` is the part of it that runs in the browser, on Pyodide. Both may import
`symattn.api` and all that stands before it. The page and its scripts are in `templates/site`. Start reading at `build`.
"""
