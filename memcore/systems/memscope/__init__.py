"""memscope, our own system and the default."""
