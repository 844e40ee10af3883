"""A formula for every row of a file: CSV, JSON Lines, Parquet, Arrow record batches, Dask."""
