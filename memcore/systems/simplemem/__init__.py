"""SimpleMem: semantic structured compression, online synthesis, intent-aware retrieval planning."""
