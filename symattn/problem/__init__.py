"""What is asked: the problem file, its conventions, its rounding policy, its shapes."""
