"""Both passes as data: nodes and steps, diagnostics, paths, and the gradients of an engine that lacks something."""
