"""Results made readable: views, templates, diagrams, PDF."""
