"""Compiled kernels: a tape lowered to few operations, planned, and written as NumPy or LLVM code."""
