"""Rows in files: one module for each format, and the streams of bytes that they share."""
