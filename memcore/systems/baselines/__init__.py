"""The bounds of every comparison: the whole log, and plain retrieval of chunks."""
