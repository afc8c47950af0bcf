"""How other programs reach a memory: the Model Context Protocol."""
