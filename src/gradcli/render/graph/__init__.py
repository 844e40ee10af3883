"""Pictures of the computation graph: its layers, the drawing, and each format that it is written in."""
