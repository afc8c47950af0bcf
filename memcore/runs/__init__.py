"""Pieces of work on a store: ingest, retry, resegment, dry run."""
