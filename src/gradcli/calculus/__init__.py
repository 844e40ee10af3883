"""Derivatives at a point: gradient, Hessian, directions; curves and fields; and the check of all of them."""
