"""Mem0 (paper of 2025, section 2.1): memory kept up to date with every new message pair."""
