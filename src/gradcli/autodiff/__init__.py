"""The engine: the table of functions, Values, the tape, and the ways to run it.

Read `ops`, `engine`, `tape`, `adjoint` in this order. `ops.py`, `engine.py` and `special.py` run alone, without the rest.
"""
