"""The written mathematics: its tree, and readers and writers for LaTeX and plain text."""
