"""Submitted proofs of a theorem, judged link by link: ``a = b = c`` makes two links.

Words are data: `phrases` reads `phrases.toml`. The order of the folders, each of which imports only those before it:
`reading`, `prose`, `evidence`, `assumptions`, `verdicts`. Imports the kernel, the catalogue's entries and the finite
cases. Start reading at `verdicts.judge`.
"""
