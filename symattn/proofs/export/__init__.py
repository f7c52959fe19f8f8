"""Export of proofs to Coq.

It imports the language and the records of proofs, and none of the kernel's judgements: Coq is a second opinion. Start
reading in `document.py`; `compiled.json` says what Coq accepted.
"""
