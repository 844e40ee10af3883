"""What pictures are made of: graphs in layers; curves, cuts and fields of functions."""
