"""Least squares and minima on exact derivatives: descents, trust regions, verdicts, uncertainties."""
