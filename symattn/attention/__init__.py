"""The definitions of attention: a problem becomes quantities, steps and statements."""
