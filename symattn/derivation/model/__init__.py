"""Model check of proof records: every claim and step worked out in small concrete models of its hypotheses.

A second opinion on records, which knows no rule, lemma or normal form of the kernel. `verdict` is where to start
reading; it draws models (`drawing`, `spaces`), and evaluates trees in them (`evaluation`, `analysis`, `expectation`).
"""
