"""JSON read so that one damaged record costs one record."""
