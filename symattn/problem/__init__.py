"""The problem file, its conventions, its rounding policy, and its shapes."""
