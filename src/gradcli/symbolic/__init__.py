"""Derivatives as formulas: sums of products put in order for reading, shared parts named."""
