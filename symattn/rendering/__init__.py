"""Results made readable: content, and views, templates, diagrams, PDF that set it."""
