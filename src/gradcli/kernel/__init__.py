"""A tape compiled for columns of numbers: lowered to few operations, planned, written as NumPy or LLVM code."""
