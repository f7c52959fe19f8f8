"""Model check of proof records: every claim and step worked out in small concrete models of its hypotheses.

A second opinion on records, which knows no rule, lemma or normal form of the kernel. `verdict` is where to start
reading; it draws models (`drawing`, `randomness`, `spaces`), and evaluates trees in them: `formulas` without words that
look at how their arguments depend on others, `means` with expectations, `evaluation` with derivatives and limits too.
"""
