"""The embedded engine: one DuckDB file, and all SQL."""
