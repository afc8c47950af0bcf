"""LightMem: sensory, short-term and long-term memory (paper sections 3.1 to 3.3)."""
