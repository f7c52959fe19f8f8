"""Exact arithmetic: closed forms, their equality and signs, and certified digits.

Pure: no input or output, and no global state but Arb's working precision. Of packages it imports
`symattn.notation` (written trees) alone. The folders in order, each importing earlier ones: `numerals`,
`field`, `reals`, `rounding`, `laws`, `interop`, `linear`, `rows`; `indexed` stands on `field` alone. Start with
`field.quotient` (an entry of a layer) and `linear.matrix`; `evaluation` is the value of a written tree, `equality`
the comparison of two values.
"""
