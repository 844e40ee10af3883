"""Least squares and minima: descents, trust regions, verdicts, and what the numbers are worth."""
