"""The systems: a folder each, and the registry through which everything else finds them."""
