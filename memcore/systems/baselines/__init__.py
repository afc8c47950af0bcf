"""The bounds of every comparison: the whole log, and plain retrieval of chunks."""

from memcore.systems.baselines import fulltext, naive_rag

SYSTEMS = (fulltext.SYSTEM, naive_rag.SYSTEM)
