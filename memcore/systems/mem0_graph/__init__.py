"""Mem0-graph (paper of 2025, section 2.2): a graph of entities and relations."""
