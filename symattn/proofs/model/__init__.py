"""Model check of proof records: every claim and step worked out in small concrete models of its hypotheses.

A second opinion on records, which knows no rule, lemma or normal form of the kernel. Imports `concrete`, `language`
and the records of `kernel`. Start reading at `verdict`; it generates models (`model_generation`,
`probability_spaces`), and evaluates trees in them: `formulas` without words that look at how their arguments depend on
others, `evaluation` with expectations, derivatives and limits too.
"""
