"""Proofs in written mathematics: their language, the trusted kernel with its lemmas, the catalogue, and hand proofs.

Imports `notation` and `exact` only. The order of the folders, each of which imports only those before it: `language`,
`kernel`, `lemmas`, then the file `proof_replay`; `concrete`, arrays of one finite case; `model`; `export`, for Coq;
`catalogue`; `cases`; `submissions`. Trusted are `language`,
`kernel`, `lemmas` and `proof_replay`. Start reading at `proof_replay`, which judges every step of a record again.
"""
