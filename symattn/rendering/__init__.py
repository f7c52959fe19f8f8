"""Results made readable: content, and views, templates, diagrams, PDF that set it.

The folders, each of which imports only those before it: `latex`; `proofs`, the pages of theorems; `sections` of a key;
`html`; `keys`, by the kind of layer; `reports` on submissions. `content` is what all of them set, and knows nothing of
LaTeX. The package may import all that stands before it; of `checking` the data of its `report` alone. Start reading at
`keys.layer`, then `content`.
"""
