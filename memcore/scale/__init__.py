"""Reading a corpus on many cores and machines, with Ray. Loaded only where it is asked for."""

LOCAL = "local"
"""In place of a cluster's address: the cores of this machine, on loopback alone, for one command."""
