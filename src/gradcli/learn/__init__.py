"""Neural networks from tables: what is made small, how a gradient becomes a step, the loop, the model file."""
