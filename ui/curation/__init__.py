"""Correcting by hand what is remembered: the same controls wherever a memory or an entity is shown."""
