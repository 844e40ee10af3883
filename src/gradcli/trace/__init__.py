"""What the two passes did, as data: nodes and steps, diagnostics, paths, and what a crippled engine would compute."""
