"""Models that read words in-process: embeddings, keep scores, attention, self-information."""
