"""Proofs in written mathematics: what its names mean, what its steps may use, and the replay of them."""
