"""Words of attention in eleven languages, as tables, and their one reader."""
