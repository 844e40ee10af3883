"""From results to what is shown: plain text, JSON, and drawings for a terminal; `graph/` for pictures of the graph."""
