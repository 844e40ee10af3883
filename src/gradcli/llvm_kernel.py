"""The LLVM back end."""
