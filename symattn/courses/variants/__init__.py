"""Variants of a problem: a design read, numbers drawn, constraints proved, files written.

`design` reads the `[variants]` table; `program` prepares its layer; `search` finds the draw of a student by asking
`constraints` of the enclosures of `screening`, and of `exact_values` where these leave a question open; `folder` writes
what was found. May import `symattn.api` and all that stands before it. Start reading at `search`.
"""
